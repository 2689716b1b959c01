# collections, operator, string, copy, json, itertools.
# --- Counter
from collections import Counter

text = "the quick brown fox jumps over the lazy dog the fox"
c = Counter(text.split())
print(c.most_common(2), c["fox"], c["cat"], len(c), "the" in c, c.total(), dict(c) == {k: n for k, n in c.items()}, c)
print(
    sorted(Counter("hello").elements()),
    Counter(a=3, b=1) + Counter(a=1),
    Counter(a=3, b=1) - Counter(a=1, b=2),
    Counter(a=3, b=1) & Counter(a=1, b=2),
    Counter(a=3, b=1) | Counter(a=1, b=2),
)
c = Counter("abca")
c.update("aa")
c.subtract({"b": 3})
del c["c"]
c["z"] += 2
print(c, Counter(), c == Counter(c), max(c, key=c.get), sorted(c.values()))
for k, n in sorted(Counter([1, 2, 1]).items()):
    print(k, n)

# --- defaultdict
from collections import defaultdict

d = defaultdict(list)
for k, v in [("a", 1), ("b", 2), ("a", 3)]:
    d[k].append(v)
print(d, dict(d), d["new"], len(d), d.get("none"), sorted(d.keys()), "a" in d, d.pop("b"), list(d.items()))
n = defaultdict(int, {"x": 1})
n["x"] += 1
n["y"] += 5
print(n, n == {"x": 2, "y": 5})
g = defaultdict(lambda: defaultdict(int))
g["a"]["b"] += 1
print(g["a"]["b"], g["q"]["r"])
try:
    defaultdict(None)["k"]
except KeyError as e:
    print(repr(e))
try:
    defaultdict(3)
except TypeError as e:
    print(e)

# --- OrderedDict
from collections import OrderedDict
import copy
import json
d = OrderedDict(a=1, b=2, c=3)
print(type(d).__name__, isinstance(d, dict), isinstance({}, OrderedDict), issubclass(OrderedDict, dict), OrderedDict.__mro__[1:], type(d) is dict)
d.move_to_end('a')
print(list(d))
d.move_to_end('c', last=False)
print(list(d), d.popitem(last=False), d.popitem(), list(d.items()))
print(OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1, b=2) == {'b': 2, 'a': 1}, {'b': 2, 'a': 1} == OrderedDict(a=1, b=2))
print(OrderedDict([(1, 2), (3, 4)]) != OrderedDict([(3, 4), (1, 2)]), OrderedDict(a=1) == OrderedDict(a=1), OrderedDict(a=1) == OrderedDict(a=2))
made = [d.copy(), d | {'z': 1}, copy.copy(d), copy.deepcopy(OrderedDict(b=[1])), OrderedDict.fromkeys('ab'),
    OrderedDict.fromkeys('a', value=0), json.loads('{"b": 1}', object_pairs_hook=OrderedDict)]
print([(type(e) is OrderedDict, list(e.items())) for e in made], type(dict(d)) is dict, type({**d}) is dict)
for f in (lambda: d.move_to_end('zz'), lambda: OrderedDict().popitem(), lambda: {}.popitem(), lambda: {}.move_to_end('a'), lambda: OrderedDict(1)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
d = OrderedDict()
d['x'] = 1
d.update(y=2)
d.setdefault('z', 3)
del d['x']
d |= {'w': 4}
print(dict(d), type(d).__name__, d.pop('y'), d.get('q', 0), 'z' in d, list(reversed(d)), sorted(d), '%(z)d' % d, json.dumps(d))
print(json.loads('[{"b": {"c": 1}}, {}]', object_hook=lambda d: sorted(d.items())), json.loads('{"b": [{"a": 1, "a": 2}]}', object_pairs_hook=tuple))
class LRU:
    def __init__(self, n):
        self.n, self.d = n, OrderedDict()
    def __getitem__(self, key):
        self.d.move_to_end(key)
        return self.d[key]
    def __setitem__(self, key, item):
        self.d[key] = item
        if len(self.d) > self.n:
            self.d.popitem(last=False)
c = LRU(2)
c['a'], c['b'] = 1, 2
print(c['a'])
c['c'] = 3
print(list(c.d), {str(e): 1 for e in [list(c.d)]})

# --- deque
from collections import deque

q = deque(maxlen=3)
for i in range(5):
    q.append(i)
print(q, q[0], q[-1], q.popleft(), list(q), len(q))
q.appendleft(9)
q.rotate(1)
print(q)
q.extend([1, 2])
q.extendleft([7, 8])
twice = deque([1, 2])
twice.extend(twice)
twice.extendleft(twice)
print(twice)
print(q, 8 in q, q == deque([8, 7, 1]), deque([1, 2]))
q = deque([1, 2, 3, 4])
q.rotate(-1)
q[0] = 10
print(q, q.pop(), deque())
for f in (lambda: deque().pop(), lambda: deque().popleft(), lambda: q[9], lambda: deque([], -1)):
    try:
        f()
    except (IndexError, ValueError) as e:
        print(e)
todo, seen = deque([(0, 0)]), {(0, 0)}
while todo:
    x, y = todo.popleft()
    for p in ((x + 1, y), (x, y + 1)):
        if max(p) < 4 and p not in seen:
            seen.add(p)
            todo.append(p)
print(len(seen))

# --- namedtuple
from collections import namedtuple

Point = namedtuple("Point", "x y")
p = Point(1, y=2)
x, y = p
print(
    p,
    p.x + p.y,
    p._replace(x=5),
    p._asdict(),
    Point._fields,
    x,
    y,
    p[0],
    len(p),
    p == (1, 2),
    p == Point(1, 2),
    p < Point(2, 0),
    [*p],
    max(p),
    Point._make([3, 4]),
    2 in p,
)
print(sorted([Point(2, 1), Point(1, 5)], key=lambda q: q.x), np.array(p), namedtuple("P", ["a", "b"], defaults=[7])(1))
for f in (
    lambda: Point(1),
    lambda: Point(1, 2, 3),
    lambda: Point(1, z=2),
    lambda: namedtuple("P", "a a"),
    lambda: p._replace(q=1),
):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)

# --- operator, string, copy
import operator, string, copy

print(
    sorted([("a", 3), ("b", 1)], key=operator.itemgetter(1)),
    operator.itemgetter(0, 2)("abc"),
    operator.attrgetter("real")(2j),
    operator.methodcaller("upper")("a"),
    operator.mul(3, 4),
    operator.not_(1),
)
print(
    string.ascii_letters,
    string.digits,
    string.hexdigits,
    string.punctuation,
    repr(string.whitespace),
    string.capwords("the end"),
    repr(string.printable),
)
a = [[1], {"k": [2]}, (3, [4])]
b = copy.deepcopy(a)
c = copy.copy(a)
b[0].append(9)
b[1]["k"].append(8)
b[2][1].append(7)
print(a, b, c[0] is a[0], c == a)

# --- json
import json

v = {"a": [1, 2.5, None, True, -0.0, 1e300], "t": "tést \"q\"\n\\ \U0001f600", "e": [], "d": {}, 3: (1, 2)}
print(json.dumps(v))
print(json.dumps(v, indent=2))
print(json.dumps(v, ensure_ascii=False, separators=(",", ":")))
print(
    json.loads(json.dumps(v)),
    json.dumps({"b": 1, "a": 2}, sort_keys=True),
    json.dumps(float("inf")),
    json.loads(' [1, {"x": "\\u00e9\\ud83d\\ude00\\n"}, -1.5e3, true] '),
)
for s in ("[1 2]", '{"a" 1}', "[1,]", "", "{1: 2}", '"abc', "[1] 2", "nul"):
    try:
        json.loads(s)
        print("?", s)
    except ValueError as e:
        print(e)
try:
    json.dumps({1, 2})
except TypeError as e:
    print(e)

# --- lru_cache: cache_info
import functools


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(60), fib.cache_info(), fib.cache_info().hits)
