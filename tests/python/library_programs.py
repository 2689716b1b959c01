# Programs of users of Python's own library and of small packages.
# --- graphs (module networkx)
import networkx as nx
g = nx.Graph()
g.add_weighted_edges_from([("a", "b", 4), ("b", "c", 1), ("a", "c", 2), ("c", "d", 7)])
print(nx.shortest_path(g, "a", "d", weight="weight"), nx.shortest_path_length(g, "b", "d", weight="weight"))
print(sorted(g.degree), nx.to_numpy_array(g), sorted(nx.connected_components(g), key=len)[0] == {"a", "b", "c", "d"})
for u, v, d in g.edges(data=True):
    print(u, v, d["weight"])
print({k: round(v, 4) for k, v in nx.pagerank(g).items()}, g["a"]["b"], "a" in g, len(g))
# --- graphs of arrays (module networkx)
import networkx as nx
a = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
g = nx.from_numpy_array(a)
print(list(g.edges), nx.diameter(g), nx.is_bipartite(g), nx.betweenness_centrality(g))
d = nx.DiGraph([(1, 2), (2, 3), (1, 3)])
print(list(nx.topological_sort(d)), list(d.successors(1)), nx.minimum_spanning_tree(g).number_of_edges())
print(sorted(nx.greedy_color(g, strategy=lambda g, c: sorted(g)).items()), nx.laplacian_matrix(g).toarray().tolist())
# --- progress bars (module tqdm)
from tqdm import tqdm, trange
import io
out = io.StringIO()
total = 0
for i in tqdm(range(5), file=out, desc="work", bar_format="{desc}: {n}/{total}", mininterval=0):
    total += i
print(total, out.getvalue().split("\r")[-1].strip())
with tqdm(total=10, file=io.StringIO()) as bar:
    for k in range(3):
        bar.update(2)
    print(bar.n)
print(sum(x for x in tqdm(np.arange(4), file=io.StringIO())), list(trange(3, file=io.StringIO(), disable=True)))
# --- pictures (module PIL)
from PIL import Image, ImageFilter, ImageDraw, ImageOps
import os
x = (np.arange(64 * 48) % 256).astype(np.uint8).reshape(48, 64)
im = Image.fromarray(x)
print(im.size, im.mode, im.getpixel((3, 2)), np.asarray(im).sum() == x.sum())
path = os.path.join(os.environ["FOLDER"], "a.png")
im.resize((32, 24)).convert("RGB").save(path)
with Image.open(path) as back:
    a = np.asarray(back)
    print(a.shape, a.dtype, a[0, 0], back.format)
rgb = np.stack([x, x[::-1], x.T[:48, :1] * np.ones((1, 64), np.uint8)], -1)
print(np.asarray(Image.fromarray(rgb).filter(ImageFilter.BoxBlur(1)))[5, 5], ImageOps.invert(im).getpixel((0, 0)), im.crop((1, 1, 5, 4)).size)
d = Image.new("L", (20, 20))
ImageDraw.Draw(d).rectangle([5, 5, 9, 9], fill=200)
print(np.asarray(d).sum(), d.getbbox(), im.histogram()[:3])
# --- databases
import sqlite3
with sqlite3.connect(":memory:") as db:
    db.execute("create table t (k text, v real)")
    db.executemany("insert into t values (?, ?)", [("a", 1.5), ("b", 2.5), ("a", 3.0)])
    print(db.execute("select k, sum(v) from t group by k order by k").fetchall())
    db.create_function("double", 1, lambda v: v * 2)
    print([row[0] for row in db.execute("select double(v) from t")])
    try:
        db.execute("select * from missing")
    except sqlite3.OperationalError as e:
        print(e)
# --- logging, subprocesses, temporary files
import logging, subprocess, sys, tempfile, os
class Keep(logging.Handler):
    def emit(self, record):
        print(record.levelname, self.format(record))
log = logging.getLogger("test")
log.handlers = [Keep()]
log.setLevel(logging.INFO)
log.propagate = False
log.info("%d of %s", 3, "x")
log.debug("no")
log.warning("careful")
print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout)
with tempfile.TemporaryDirectory() as d:
    with open(os.path.join(d, "f"), "w") as f:
        f.write("text")
    print(os.listdir(d))
# --- classes of the library with methods and hooks of the program
from html.parser import HTMLParser
from collections import OrderedDict, ChainMap
import enum, fractions, decimal
print(fractions.Fraction("3/4") + fractions.Fraction(1, 4), decimal.Decimal("0.1") * 3, ChainMap({"a": 1}, {"b": 2})["b"])
with decimal.localcontext() as c:
    c.prec = 5
    print(decimal.Decimal(1) / 3)
print(max(fractions.Fraction(1, 3), fractions.Fraction(2, 5)), sum([fractions.Fraction(1, 4)] * 3), round(fractions.Fraction(7, 3), 2))
# --- text: templates, csv, xml, html, configuration
import configparser, io, html, urllib.parse, base64, hashlib, uuid, zlib, string
c = configparser.ConfigParser()
c.read_string("[a]\nx = 1\ny = no\n")
print(c.getint("a", "x"), c["a"].getboolean("y"), dict(c["a"]))
print(html.escape("<a & b>"), urllib.parse.urlencode({"q": "a b", "n": 2}), urllib.parse.urlparse("http://h.org/p?q=1").netloc)
print(base64.b64encode(b"gpa"), hashlib.sha256(b"gpa").hexdigest()[:16], zlib.crc32(b"gpa"), str(uuid.uuid5(uuid.NAMESPACE_DNS, "a"))[:8])
import xml.etree.ElementTree as ET
root = ET.fromstring("<r><i n='1'>a</i><i n='2'>b</i></r>")
print([(e.get("n"), e.text) for e in root.findall("i")], ET.tostring(root)[:7])
# --- threads, queues and futures of the library
import threading, queue
from concurrent.futures import ThreadPoolExecutor
import fractions
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(fractions.Fraction, [2, 3], [5, 2])))
    print([f.result() for f in [pool.submit(fractions.Fraction, n) for n in range(5)]])
q = queue.Queue()
t = threading.Thread(target=q.put, args=(5,))
t.start()
t.join()
print(q.get(), threading.current_thread().name)
# --- iteration tools, heaps, bisection, random numbers with callbacks
import itertools as it, functools as ft, heapq, bisect, random
print(list(it.groupby([1, 1, 2], key=lambda v: v * 2))[0][0], ft.reduce(lambda a, b: a * b, [1, 2, 3]), heapq.nlargest(2, [1, 5, 3], key=lambda v: -v))
print(bisect.bisect([1, 3, 5], 3), random.Random(1).random(), random.Random(2).sample(range(10), 3))
print(sorted([3, 1, 2], key=ft.cmp_to_key(lambda a, b: b - a)), list(it.accumulate([1, 2, 3], lambda a, b: a * b)))
# --- calendars, times, languages
import calendar, zoneinfo, locale, pickle, struct, array
from datetime import datetime
print(calendar.monthrange(2024, 2), calendar.month_name[3], struct.pack("<ih", 1, 2), struct.unpack("<ih", b"\1\0\0\0\2\0"))
a = array.array("d", [1.0, 2.0])
print(np.asarray(a) * 2, pickle.loads(pickle.dumps({"a": [1, (2, 3)]})))
# --- callbacks that raise, generators that stop, contexts that suppress
import contextlib, concurrent.futures, copyreg, pickle, sched
class Mine(ValueError):
    pass
def bad(x):
    raise Mine("bad", x)
s = sched.scheduler(lambda: 0, lambda t: None)
s.enter(0, 1, bad, (1,))
try:
    s.run()
except Mine as e:
    print("mine", e.args)
with contextlib.suppress(Mine):
    bad(2)
with contextlib.ExitStack() as stack:
    stack.callback(print, "closed")
    print("open")
@contextlib.contextmanager
def managed(n):
    print("enter", n)
    yield n * 2
    print("leave")
with managed(4) as v:
    print(v)
# --- typed data: ctypes, dataclasses of the library, enums
import ctypes, enum
x = np.arange(4, dtype=np.int32)
p = ctypes.cast(x.__array_interface__["data"][0], ctypes.POINTER(ctypes.c_int32))
print(p[2], ctypes.sizeof(ctypes.c_double))
p[1] = 50
print(x)
# --- classes derived from the library's
import logging, html.parser, enum, unittest, io
class Keep(logging.Handler):
    """Keeps."""
    def __init__(self, n):
        super().__init__()
        self.n, self.lines = n, []
    def emit(self, record):
        self.lines.append(self.format(record))
    @property
    def twice(self):
        return self.n * 2
    @staticmethod
    def next(n):
        return n + 1
    @classmethod
    def make(cls):
        return cls(7)
k = Keep(3)
log = logging.getLogger("kept")
log.handlers, log.propagate = [k], False
log.warning("a %s", 1)
print(k.twice, Keep.next(1), Keep.make().n, k.lines, isinstance(k, logging.Handler), Keep.__doc__, Keep.__mro__[1].__name__)
class Tags(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        print(tag, attrs)
Tags().feed("<a href='x'><b>")
class Color(enum.Enum):
    RED = 1
    BLUE = 2
print(Color.RED, Color(2), [c.name for c in Color], Color["RED"].value)
class Tests(unittest.TestCase):
    def test_a(self):
        self.assertEqual(1, 1)
    def test_b(self):
        with self.assertRaises(ZeroDivisionError):
            1 / 0
    def test_c(self):
        self.fail("no")
r = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(r)
print(r.testsRun, len(r.failures), r.errors)
# --- estimators derived from the library's (module sklearn)
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.model_selection import cross_val_score, GridSearchCV
from sklearn.pipeline import make_pipeline
class Nearest(BaseEstimator, RegressorMixin):
    def __init__(self, scale=1.0):
        self.scale = scale
    def fit(self, x, y):
        self.x_, self.y_ = x, y
        return self
    def predict(self, x):
        d = ((np.asarray(x)[:, None, :] - np.asarray(self.x_)[None]) ** 2).sum(2)
        return np.asarray(self.y_)[d.argmin(1)] * self.scale
class Square(BaseEstimator, TransformerMixin):
    def fit(self, x, y=None):
        return self
    def transform(self, x):
        return x**2
x = np.linspace(0, 3, 30)[:, None]
y = np.sin(x).ravel()
p = make_pipeline(Square(), Nearest())
print(np.round(cross_val_score(p, x, y, cv=3), 4), Nearest(2.0).get_params(), Nearest())
print(GridSearchCV(Nearest(), {"scale": [0.5, 1.0]}, cv=3).fit(x, y).best_params_)

# --- built-in names of CPython: bytearray, memoryview, exceptions
import numpy as np
import struct
b = bytearray(b'abc')
b[0] = 5
b.extend(b'xy')
print(b, bytes(b), len(b), b[1], list(b[:2]), b == b'\x05bcxy', b'bc' in b, isinstance(b, bytearray))
b += b'z'
print(b.decode('latin1'), b.hex(), b.find(b'z'), b[::-1], bytearray([1, 2, 3]), bytearray('é', 'utf8'))
del b[0]
print(b, list(bytearray(b'ab')))
c = bytearray(8)
m = memoryview(c)
m[0:2] = b'hi'
v = np.frombuffer(c, np.uint8)
v[0] = 65
print(c, v.flags.writeable, v[:3], np.frombuffer(bytearray(b'\x01\x00\x02\x00'), dtype=np.uint16))
buf = bytearray(8)
struct.pack_into('<if', buf, 0, 3, 1.5)
print(buf, struct.unpack('<if', buf))
class Lost(ConnectionError):
    pass
for error in (ConnectionError('x'), BrokenPipeError('y'), Lost('z')):
    try:
        raise error
    except ConnectionError as e:
        print(type(e).__name__, e, isinstance(e, OSError))

# --- enum, decimal, fractions
from enum import Enum, IntEnum, auto
from decimal import Decimal, getcontext
from fractions import Fraction
class Colour(Enum):
    RED = 1
    BLUE = auto()
class Size(IntEnum):
    BIG = 3
print(Colour.RED, Colour['BLUE'], Colour(1) is Colour.RED, list(Colour), Colour.RED.name, Colour.BLUE.value, Size.BIG + 1, [1, 2, 3, 4][Size.BIG])
print(Decimal('1.1') + Decimal('2.2'), Fraction(1, 3) + Fraction(1, 6), Fraction(0.5), float(Fraction(1, 4)))
print(sum([Fraction(1, 2)] * 3), max(Decimal(1), Decimal(2)), sorted([Fraction(3, 2), Fraction(1, 2)]), f"{Decimal('1.234'):.2f}")
print(1 + Fraction(1, 2), 2 * Decimal(3), round(Fraction(7, 2)), int(Decimal('3.9')), -Decimal(2), Decimal(2) ** 3, Decimal(2) < 3)
getcontext().prec = 5
print(Decimal(1) / Decimal(7), Fraction(3, 4).numerator, Fraction('0.125').limit_denominator(4), {Fraction(1, 2): 'a'}[Fraction(2, 4)])
# --- functions of masked arrays keep their masks
m = np.ma.masked_array([1, 2, -99, 4], mask=[0, 0, 1, 0])
print(np.mean(m), np.sum(m), np.max(m), np.min(m), np.std(m), np.prod(m), np.average(m), np.any(m), np.ptp(m), np.argmin(m))
print(np.cumsum(m), np.sort(m), np.argsort(m), np.unique(m), np.diff(m), np.reshape(m, (2, 2)), np.ravel(m), np.nonzero(m), np.zeros_like(m))
print(np.vstack([m, m]).sum(), np.concatenate((m, m)), np.asanyarray(m) is m, np.asarray(m), np.add(m, 1), np.exp(m), np.round(m / 3, 2))
print(np.mean(np.ma.masked_invalid([1.0, np.nan, 3.0])), np.sum(np.ma.masked_greater(np.arange(6).reshape(2, 3), 3), axis=0))
