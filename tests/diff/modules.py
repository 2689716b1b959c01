# The small modules: math, cmath, random, itertools, functools, os.path, sys, time.
import cmath, functools, itertools, math, os, random, sys, time
from showing import show


# --- math
show(lambda: math.sqrt(-1))
show(lambda: math.log(0))
show(lambda: math.log(-1))
show(lambda: math.exp(1000))
show(lambda: math.gamma(0))
show(lambda: math.gamma(-1))
show(lambda: math.lgamma(0))
show(lambda: math.lgamma(-1))
show(lambda: math.gamma(200))
show(lambda: math.acos(2))
show(lambda: math.pow(0, -1))
show(lambda: math.pow(-1, 0.5))
show(lambda: math.pow(10, 400))
show(lambda: math.fmod(1, 0))
show(lambda: math.cosh(1000))
show(lambda: math.sqrt('a'))
# --- math of integers
show(lambda: (math.factorial(20), math.factorial(0)))
show(lambda: math.factorial(-1))
show(lambda: math.factorial(2.5))
show(lambda: (math.comb(50, 25), math.comb(5, 7), math.perm(5, 2), math.perm(5), math.isqrt(10**18 - 1)))
show(lambda: math.isqrt(15))
show(lambda: math.comb(-1, 2))
show(lambda: math.isqrt(-1))
show(lambda: (math.gcd(12, 18), math.gcd(), math.gcd(-4, 6, 10), math.lcm(4, 6), math.lcm(), math.lcm(0, 3)))
# --- math of parts (python 3.12)
show(lambda: (math.floor(-2.5), math.ceil(2.1), math.trunc(-2.7), math.floor(3), math.ceil(-0.5)))
show(lambda: math.floor(float('inf')))
show(lambda: math.ceil(float('nan')))
show(lambda: (math.frexp(8.5), math.frexp(0.0), math.modf(-3.25), math.ldexp(0.5, 3), math.copysign(1, -0.0)))
show(lambda: (math.nextafter(1, 2), math.nextafter(1, 2, steps=3), math.ulp(1), math.ulp(0), math.remainder(5, 3)))
show(lambda: math.fmod(-5, 3))
show(lambda: (math.hypot(3, 4), math.hypot(1, 2, 3), math.hypot(), math.dist((1, 2), (4, 6))))
show(lambda: (math.fsum([0.1] * 10), math.fsum([1e100, 1, -1e100]), math.prod([1, 2, 3]), math.prod([1.5, 2])))
show(lambda: (math.prod([]), math.sumprod([1, 2], [3, 4])))
show(lambda: (math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1), math.isclose(0, 1e-10, abs_tol=1e-09)))
show(lambda: (math.isnan(float('nan')), math.isinf(1), math.isfinite(1), math.pi, math.e, math.tau, math.inf))
show(lambda: (math.atan2(1, -1), math.tanh(0.5), math.asinh(1), math.acosh(2), math.atanh(0.5), math.expm1(1e-10)))
show(lambda: (math.log1p(1e-10), math.erfc(1)))
# --- cmath
show(lambda: (cmath.sqrt(-1), cmath.exp(1j * cmath.pi), cmath.phase(1j), cmath.polar(1 + 1j), cmath.rect(2, 0)))
show(lambda: (cmath.log(1j), cmath.isnan(1j), cmath.isclose(1j, 1j), cmath.log(100, 10)))
show(lambda: cmath.log(0))
show(lambda: cmath.exp(1000))
# --- random gives CPython's numbers
random.seed(1)
show(lambda: ([random.random() for _ in range(3)], random.randint(1, 6), random.uniform(1, 2)))
show(lambda: (random.choice('abc'), random.gauss(0, 1), random.gauss(0, 1), random.sample(range(100), 5)))
show(lambda: (random.choices([1, 2, 3], k=4), random.choices('ab', weights=[1, 9], k=5)))
show(lambda: (random.randrange(0, 100, 7), random.expovariate(2), random.triangular(), random.normalvariate()))
show(lambda: (random.getrandbits(10), random.getrandbits(50), random.sample([1, 2, 3, 4, 5], 3)))
random.seed(42)
L = list(range(10))
random.shuffle(L)
show(lambda: L)
random.seed(-5)
show(lambda: (random.random(), random.sample(range(1000), 30)))
random.seed(2**40 + 1)
show(lambda: random.random())
# --- random refuses (python 3.12)
show(lambda: random.choice([]))
show(lambda: random.randint(5, 1))
show(lambda: random.randrange(0))
show(lambda: random.randrange(1, 5, 0))
show(lambda: random.sample([1], 2))
show(lambda: random.sample({1}, 1))
# --- itertools (python 3.12)
show(lambda: (list(itertools.islice(itertools.count(1, 2), 3)), list(itertools.islice(itertools.cycle('ab'), 5))))
show(lambda: (list(itertools.repeat(1, 3)), list(itertools.chain([1], [2, 3]))))
show(lambda: (list(itertools.chain.from_iterable([[1], [2]])), list(itertools.islice(range(10), 2, 8, 3))))
show(lambda: (list(itertools.islice('abc', 2)), list(itertools.islice('abcdef', 1, None))))
show(lambda: (list(itertools.product([1, 2], 'ab')), list(itertools.product([0, 1], repeat=2))))
show(lambda: (list(itertools.product()), list(itertools.product([], [1])), list(itertools.permutations([1, 2, 3]))))
show(lambda: (list(itertools.permutations('abcd', 2)), list(itertools.permutations([1, 2], 3))))
show(lambda: (list(itertools.permutations([1, 2], 0)), list(itertools.combinations('abcd', 2))))
show(lambda: (list(itertools.combinations([1, 2], 3)), list(itertools.combinations([1], 0))))
show(lambda: list(itertools.combinations_with_replacement('ab', 2)))
show(lambda: list(itertools.combinations_with_replacement([], 1)))
show(lambda: (list(itertools.accumulate([1, 2, 3])), list(itertools.accumulate([1, 2, 3], lambda a, b: a * b))))
show(lambda: list(itertools.accumulate([1, 2], initial=10)))
show(lambda: list(itertools.zip_longest([1, 2], [3], fillvalue=0)))
show(lambda: list(itertools.takewhile(lambda x: x < 3, [1, 2, 3, 1])))
show(lambda: (list(itertools.dropwhile(lambda x: x < 3, [1, 2, 3, 1])), list(itertools.filterfalse(None, [0, 1]))))
show(lambda: (list(itertools.starmap(pow, [(2, 3), (3, 2)])), list(itertools.compress('abc', [1, 0, 1]))))
show(lambda: (list(itertools.pairwise([1, 2, 3])), list(itertools.batched('abcde', 2))))
show(lambda: [(k, list(g)) for k, g in itertools.groupby('aabbca')])
show(lambda: [(k, list(g)) for k, g in itertools.groupby([1, 3, 2], key=lambda x: x % 2)])
a, b = itertools.tee([1, 2, 3])
show(lambda: (list(a), list(b)))
show(lambda: itertools.islice([1], -1))
show(lambda: next(itertools.combinations([1], -1)))
# --- functools
show(lambda: (functools.reduce(lambda a, b: a + b, [1, 2, 3]), functools.reduce(lambda a, b: a + b, [], 5)))
show(lambda: (functools.partial(pow, 2)(3), functools.partial(int, base=2)('101')))
show(lambda: functools.reduce(lambda a, b: a, []))


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.cache
def sq(x):
    return x * x


show(lambda: (fib(60), sq(3), sq(3)))


def deco(f):
    @functools.wraps(f)
    def w(*a):
        return f(*a) + 1

    return w


@deco
def g(x):
    "doc"
    return x


show(lambda: (g(1), g.__name__, g.__doc__))
# --- paths
show(lambda: (os.path.join('a', 'b'), os.path.join('a', '/b'), os.path.join('a/', 'b')))
show(lambda: (os.path.basename('/x/y.txt'), os.path.dirname('/x/y.txt'), os.path.splitext('a/b.tar.gz')))
show(lambda: (os.path.splitext('.bashrc'), os.path.split('/a/b/'), os.path.abspath('/a/./b/../c')))
show(lambda: (os.path.exists('/nope'), os.path.isdir('/tmp'), os.path.dirname('a'), os.path.dirname('/a')))
show(lambda: os.listdir('/nope'))
# --- sys and time
show(lambda: (sys.maxsize, sys.byteorder, sys.float_info.epsilon, sys.float_info.max))
show(lambda: (isinstance(time.time(), float), time.perf_counter() > 0, time.strftime('%Y', time.gmtime(0))))
show(lambda: time.gmtime(0)[:6])
show(lambda: time.sleep(-1))
from os import path

show(lambda: path.join('a', 'b'))
import os.path as osp

show(lambda: osp.basename('a/b'))

# --- files in memory
from io import StringIO, BytesIO

f = StringIO("a\r\nb\nc")
print([f.readline(), f.read(), f.tell()])
f = StringIO("abc")
print(f.write("X"), f.getvalue(), f.read(), f.tell(), f.truncate(2), f.getvalue())
f = StringIO()
print("hello", 3, file=f)
np.savetxt(f, np.eye(2), fmt="%g")
print(f.getvalue())
f = BytesIO(b"abc")
f.seek(5)
print(f.write(b"x"), f.getvalue(), f.seek(0), f.read(2), f.readlines())
f = BytesIO()
np.save(f, np.arange(3))
np.save(f, np.eye(2))
f.seek(0)
print(np.load(f), np.load(f))
for save in (np.savez, np.savez_compressed):
    f = BytesIO()
    save(f, np.arange(3), b=np.eye(2))
    f.seek(0)
    z = np.load(f)
    print(sorted(z.files), z["b"], z["arr_0"])
for bad in (
    lambda: StringIO(3),
    lambda: BytesIO("a"),
    lambda: StringIO().write(b"a"),
    lambda: BytesIO().write("a"),
    lambda: np.load(BytesIO()),
    lambda: StringIO("a").truncate(-1),
):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
with StringIO("1 2\n3 4") as f:
    print(np.loadtxt(f), f.closed)
print(f.closed, [line for line in StringIO("a\nb\n")], list(BytesIO(b"a\nb")))

# --- temporary files
import os, tempfile

number, path = tempfile.mkstemp(suffix=".npy")
os.close(number)
np.save(path, np.arange(2))
print(np.load(path), path.endswith(".npy"))
os.remove(path)
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "inside"))
    open(os.path.join(folder, "inside", "x"), "w").close()
    print(os.listdir(folder))
print(os.path.exists(folder))
with tempfile.TemporaryFile() as f:
    np.arange(3).tofile(f)
    f.seek(0)
    print(np.fromfile(f, int))
try:
    tempfile.mkdtemp(dir="/no/such/folder")
except OSError as e:
    print(type(e).__name__)

# --- warnings
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("one")
    warnings.warn("two", RuntimeWarning)
    warnings.warn(DeprecationWarning("three"))
    print([(w.category.__name__, str(w.message)) for w in caught], issubclass(caught[1].category, RuntimeWarning))
    warnings.filterwarnings("ignore", message="tw")
    warnings.warn("two")
    print(len(caught))
for category in (UserWarning, FutureWarning):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        try:
            warnings.warn("careful", category)
            print("went on")
        except UserWarning as e:
            print("caught", e)
for bad in (lambda: warnings.simplefilter("bad"), lambda: warnings.warn("x", ValueError)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
np.seterr(all="warn")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(np.float64(1) / 0, len(caught), caught[0].category.__name__, caught[0].message)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        np.float64(1) / 0
    except RuntimeWarning as e:
        print(e)
print(np.exceptions.RankWarning, np.exceptions.ComplexWarning, issubclass(np.exceptions.RankWarning, RuntimeWarning))

# --- heapq, bisect, contextlib, typing, __future__
from __future__ import annotations, print_function, division
import heapq, bisect, contextlib
from contextlib import suppress, closing, nullcontext
from typing import List, Dict, Optional, Tuple, Callable, Any, Union, TYPE_CHECKING, cast, Iterable

h = []
for k in range(40):
    heapq.heappush(h, (k * 7919) % 101)
print(h)
print([heapq.heappop(h) for _ in range(10)], h)
g = [(k * 31) % 17 for k in range(25)]
heapq.heapify(g)
print(g)
show(lambda: heapq.heapreplace(g, 8))
show(lambda: heapq.heappushpop(g, -1))
show(lambda: heapq.heappushpop(g, 100))
print(g)
show(lambda: heapq.heappop([]))
show(lambda: heapq.heapreplace([], 1))
show(lambda: heapq.heappushpop([], 1))
show(lambda: heapq.heapify((1, 2)))
show(lambda: heapq.nlargest(3, "banana"))
show(lambda: heapq.nsmallest(-1, [1]))
show(lambda: heapq.nsmallest(2, ["ccc", "a", "bb"], key=len))
show(lambda: list(heapq.merge([1, 5], [2, 9], [0])))
show(lambda: heapq.heappush([1], "x"))
a = [1, 2, 2, 2, 5]
show(
    lambda: (
        bisect.bisect(a, 2),
        bisect.bisect_left(a, 2),
        bisect.bisect_right(a, 9),
        bisect.bisect_left(a, 0),
        bisect.bisect(a, 2, 3),
        bisect.bisect_left(a, 2, 0, 1),
    )
)
show(lambda: bisect.bisect(a, 2, -1))
bisect.insort(a, 3)
bisect.insort_left(a, 2.0)
print(a)
show(lambda: bisect.bisect_left([(1, "a"), (3, "b")], 2, key=lambda t: t[0]))
b = [("a", 1), ("c", 3)]
bisect.insort(b, ("x", 2), key=lambda t: t[1])
print(b)
with suppress(KeyError, ZeroDivisionError):
    print("in")
    {}["x"]
    print("never")


def esc():
    with suppress(KeyError):
        [][1]


show(esc)
with nullcontext(5) as v:
    print(v)
with nullcontext():
    pass
class_like = {"closed": 0}


def fn(x: Optional[List[int]] = None, *y: Dict[str, Any], z: Union[int, str] = 3) -> Callable[..., Tuple[int, ...]]:
    w: List[int] = [1]
    return w


print(fn(), TYPE_CHECKING, cast(int, "3"))
Vector = List[float]
print(1 / 2)
# --- io: classes that derive from StringIO and BytesIO
import io


class Text(io.BytesIO):
    def __init__(self, text=""):
        io.BytesIO.__init__(self, text.encode())

    def writelines(self, lines):
        super().writelines([line.encode() for line in lines])


f = Text("1 2\n3 4\n")
print(np.loadtxt(f), isinstance(f, io.BytesIO), f.closed)
f.writelines(["5 6\n"])
f.seek(0)
print(f.read(), [line for line in Text("a\nb")])
with io.StringIO("a\nb\n") as g:
    print(next(g), g.readlines(), g.getvalue())
print(g.closed)
np.save(f, np.arange(3))

# --- operator: names of methods, in-place operators, functions as class members
import operator


class Holder:
    matmul, add = operator.matmul, np.add


print(operator.__le__(1, 2), operator.__getitem__([4, 5], 1), operator.iadd([1], [2]), operator.countOf([1, 2, 1], 1))
print(Holder().matmul(np.eye(2), [1, 2]), Holder().add(1, 2), operator.indexOf("abc", "c"), operator.inv(5))
operator.indexOf([1], 2)

# --- the name and the file of an imported module
import named

print(named.name, named.file, named.main, named.__name__, named.__file__.split("/")[-1], named.__doc__)
from named import name

print(name)

# --- the variables of a module, and the built-in module
import math, builtins
import named

print(math.__dict__["pi"], vars(math)["tau"], "sin" in math.__dict__, named.__dict__["name"],
    sorted(named.__dict__)[-3:])
print(dir(builtins)[:3])
math.__dict__["nothing"]

# --- modules by name
import importlib

print(importlib.import_module("math").pi, importlib.import_module("numpy.linalg").norm([3, 4]), __import__("math").e)
print(importlib.import_module(".linalg", "numpy").__name__, importlib.import_module("..linalg", "numpy.fft").__name__)
print(__import__("numpy.linalg").__name__, __import__("numpy.linalg", fromlist=["norm"]).__name__)
importlib.import_module("nothing_of_this_name")

# --- relative names without a package
import importlib

importlib.import_module(".linalg")

# --- beyond the package
import importlib

importlib.import_module("...linalg", "numpy")

# --- names that are no text
__import__(3)
