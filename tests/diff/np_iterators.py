# Iterators over elements: nditer, flatiter, frompyfunc.
# --- nditer: order, writing, indices
a = np.arange(6).reshape(2, 3)
for x in np.nditer(a):
    print(x, end=' ')
print()
for x in np.nditer(a.T):
    print(x, end=' ')
print()
for x in np.nditer(a.T.copy(order='C')):
    print(x, end=' ')
print()
for x in np.nditer(a, order='F'):
    print(x, end=' ')
print()
for x in np.nditer(a.T, order='C'):
    print(x, end=' ')
print()
with np.nditer(a, op_flags=['readwrite']) as it:
    for x in it:
        x[...] = 2 * x
print(a)
for x in np.nditer(a, flags=['external_loop']):
    print(x, end=' ')
print()
for x in np.nditer(a, flags=['external_loop'], order='F'):
    print(x, end=' ')
print()
it = np.nditer(a, flags=['f_index'])
for x in it:
    print("%d <%d>" % (x, it.index), end=' ')
print()
it = np.nditer(a, flags=['multi_index'])
for x in it:
    print("%d <%s>" % (x, it.multi_index), end=' ')
print()
with np.nditer(a, flags=['multi_index'], op_flags=['writeonly']) as it:
    for x in it:
        x[...] = it.multi_index[1] - it.multi_index[0]
print(a)
it = np.nditer(a, flags=['multi_index'])
while not it.finished:
    print("%d <%s>" % (it[0], it.multi_index), end=' ')
    is_not_finished = it.iternext()
print()
for x in np.nditer(a, flags=['external_loop', 'buffered'], order='F'):
    print(x, end=' ')
print()
# --- nditer: conversions and refusals
b = np.arange(6).reshape(2, 3) - 3
c = np.arange(3)
for x in np.nditer(b, op_flags=['readonly', 'copy'], op_dtypes=['complex128']):
    print(np.sqrt(x), end=' ')
print()
for x in np.nditer(b, flags=['buffered'], op_dtypes=['complex128']):
    print(np.sqrt(x), end=' ')
print()
for bad in (
    lambda: np.nditer(b, op_dtypes=['complex128']),
    lambda: np.nditer(b.astype(float), flags=['buffered'], op_dtypes=['float32']),
    lambda: np.nditer(b.astype(float), flags=['buffered'], op_dtypes=['int32'], casting='same_kind'),
    lambda: np.nditer(b, flags=['multi_index', 'external_loop']),
    lambda: np.nditer(b, flags=['hello']),
    lambda: np.nditer(np.zeros((0, 3))),
    lambda: np.nditer([np.arange(3), np.zeros(2)]),
):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e)[:90])
# --- nditer: several operands
c, d = np.arange(3), np.arange(6).reshape(2, 3)
for x, y in np.nditer([c, d]):
    print("%d:%d" % (x, y), end=' ')
print()


def square(a):
    with np.nditer([a, None]) as it:
        for x, y in it:
            y[...] = x * x
        return it.operands[1]


print(square([1, 2, 3]))


def square2(a, out=None):
    it = np.nditer(
        [a, out],
        flags=['external_loop', 'buffered'],
        op_flags=[['readonly'], ['writeonly', 'allocate', 'no_broadcast']],
    )
    with it:
        for x, y in it:
            y[...] = x * x
        return it.operands[1]


print(square2([1, 2, 3]))
o = np.zeros(3)
print(square2([1, 2, 3], out=o), o)
try:
    square2(np.arange(6).reshape(2, 3), out=o)
except ValueError as e:
    print(str(e)[:40])
p, q = np.arange(3), np.arange(8).reshape(2, 4)
it = np.nditer([p, q, None], flags=['external_loop'], op_axes=[[0, -1, -1], [-1, 0, 1], None])
with it:
    for x, y, z in it:
        z[...] = x * y
    result = it.operands[2]
print(result.shape, np.array_equal(result, np.multiply.outer(p, q)))
it = np.nditer(np.arange(4)[::-1])
print([int(v) for v in it])
it = np.nditer(np.arange(4)[::-1], flags=['multi_index'])
print([(int(v), it.multi_index) for v in it])
try:
    for x in np.nditer(c):
        x[...] = 3
except ValueError as e:
    print(e)
print(it.nop, 1, it.itersize, it.ndim)
# --- nditer: copies, indices, omitted axes
it = np.nditer([np.arange(3), np.arange(3)])
next(it)
other = it.copy()
print(next(other), next(it), it.iterindex, other.iterindex)
it = np.nditer(np.arange(6).reshape(2, 3), flags=['multi_index'])
print(
    it.multi_index,
    it.iternext(),
    it.multi_index,
    it.reset(),
    it.multi_index,
    it.iterrange,
    it.finished,
    it.has_multi_index,
    it.has_index,
    it.itviews,
    it.has_delayed_bufalloc,
)
it.multi_index = (1, 1)
print(it.value, it.iterindex)
it.iterindex = 2
print(it.value, it.multi_index, [int(x) for x in it])
for bad in ((2, 0), (0, -1), (1,)):
    try:
        it.multi_index = bad
    except Exception as e:
        print(type(e).__name__, e)
try:
    it.iterindex = 6
except Exception as e:
    print(type(e).__name__, e)
it = np.nditer(np.arange(6).reshape(2, 3), flags=['multi_index'])
it.remove_axis(0)
print(it.shape, it.ndim, it.itersize, [int(x) for x in it])
for bad in (lambda: it.remove_axis(4), lambda: np.nditer([1]).multi_index):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
it = np.nditer(np.arange(6).reshape(2, 3).T, flags=['multi_index'], order='C')
it.remove_axis(1)
print([int(x) for x in it])
it = np.nditer(np.arange(6).reshape(2, 3), flags=['multi_index'])
it.remove_multi_index()
it.enable_external_loop()
print([x for x in it], it.has_multi_index)
b = np.broadcast([1, 2], [[3], [4]])
r, c = b.iters
print(next(r), next(c), next(r), next(c), len(b.iters))
# --- nditer: reductions
a = np.arange(24).reshape(2, 3, 4)
b = np.array(0)
with np.nditer([a, b], flags=['reduce_ok'], op_flags=[['readonly'], ['readwrite']]) as it:
    for x, y in it:
        y[...] += x
print(b, a.sum())
it = np.nditer(
    [a, None], flags=['reduce_ok'], op_flags=[['readonly'], ['readwrite', 'allocate']], op_axes=[None, [0, 1, -1]]
)
with it:
    it.operands[1][...] = 0
    for x, y in it:
        y[...] += x
    print(it.operands[1], a.sum(axis=2))
c = np.zeros((1, 3))
d = np.arange(6.0).reshape(2, 3)
with np.nditer([d, c], ['reduce_ok'], [['readonly'], ['readwrite']]) as it:
    for x, y in it:
        y[...] = max(x, y)
print(c)
for bad in (
    lambda: np.nditer([d, c], [], [['readonly'], ['readwrite']]),
    lambda: np.nditer([d, c], ['reduce_ok'], [['readonly'], ['writeonly']]),
    lambda: np.nditer([d, None], ['external_loop'], [['readonly'], ['readwrite', 'allocate']], op_axes=[None, [0, -1]]),
):
    try:
        bad()
    except ValueError as e:
        print("requires a reduction" in str(e) or "non-broadcastable" in str(e))
# --- flatiter: invalid indices (numpy before 2.5)
e = np.arange(6).reshape(2, 3).T
for bad in (lambda: e.flat[7], lambda: e.flat[1.5]):
    try:
        bad()
    except IndexError as err:
        print(err)
# --- flatiter
c = np.arange(3)
e = np.arange(6).reshape(2, 3).T
e.flat[1] = 99
e.flat[[0, 5]] = [7]
print(e, e.flat[2], e.flat[1:4], e.flat[[0, -1]], len(e.flat))
f = e.flat
print(next(f), next(f), f.index, f.coords, f.base is e)
print(e.flat == 99, np.sum(e.flat), np.array(e.flat), sorted(e.flat)[-1], e.flat.copy(), [x for x in e.flat][:2])
e.flat = [1, 2]
print(e)
e.flat[::2] = 5
print(e)
e.flat[e.flat > 2] = 0 if False else 0
print(e)
for i, v in np.ndenumerate(c):
    print(i, v, end=' ')
for idx in np.ndindex(2, 2):
    print(idx, end=' ')
print()
# --- frompyfunc
g = np.frompyfunc(lambda x, y: x + 2 * y, 2, 1)
print(g([1, 2], 3).astype(int), g.nin, g.nout, g.nargs, g(1, 2), g.outer([1, 2], [1, 2]).astype(int))
print(
    np.frompyfunc(min, 2, 1).accumulate([3, 1, 2]).astype(int),
    np.frompyfunc(lambda a, b: a * b, 2, 1).reduce([1, 2, 3]),
)
h = np.frompyfunc(divmod, 2, 2)
print([r.astype(int) for r in h([7, 8], 3)])

# --- scalars of int64 and float64 with one another and with numbers: values and types
big = 2**63 - 1
ints = [np.int64(v) for v in (0, 1, -1, 7, -7, 3, big, -big - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**31)]
floats = [
    np.float64(v) for v in (0.0, -0.0, 1.5, -2.5, 1e308, float("inf"), float("-inf"), float("nan"), 2.0**53, 2.0**63)
]
plain = [0, 1, -3, 5, big, 2**53 + 1, True, 0.5, -0.0, float("nan"), float("inf"), 2.0**53]
ways = [
    ("+", lambda x, y: x + y),
    ("-", lambda x, y: x - y),
    ("*", lambda x, y: x * y),
    ("/", lambda x, y: x / y),
    ("//", lambda x, y: x // y),
    ("%", lambda x, y: x % y),
    ("<", lambda x, y: x < y),
    ("<=", lambda x, y: x <= y),
    (">", lambda x, y: x > y),
    (">=", lambda x, y: x >= y),
    ("==", lambda x, y: x == y),
    ("!=", lambda x, y: x != y),
]


def did(f, x, y):
    with np.errstate(all="ignore"):
        try:
            r = f(x, y)
        except (ZeroDivisionError, OverflowError, TypeError) as e:
            return type(e).__name__
    return f"{type(r).__name__} {r!r}"


for name, f in ways:
    for x in ints + floats:
        for y in ints + floats + plain:
            print(name, x, y, did(f, x, y), did(f, y, x))


def grown(s, v):
    s += v
    s -= 1
    s *= v
    return s


for s in (0, 1.5, np.int64(3), np.float64(2)):
    for v in (np.int64(4), np.float64(0.5), 2, 0.25, np.float32(1.5), np.uint8(200), np.bool_(True)):
        print(type(s).__name__, type(v).__name__, repr(grown(s, v)))

# --- elements of vectors of every dtype, one after the other
for t in (
    bool,
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.int64,
    np.uint64,
    np.float16,
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
):
    a = np.array([0, 1, 2, 100, 5]).astype(t)
    if np.dtype(t).kind in "if":
        a[1] = -1
    for x in (a, a[::-1], a[::2], a + a, a[:0]):
        print([repr(v) for v in x], [repr(v) for v in list(x)], [repr(x[i]) for i in range(len(x))])
    print(
        sum(a),
        max(a, key=abs),
        sorted(a, key=abs, reverse=True),
        [float(abs(v)) for v in a],
        a.max(),
        hash(a[0]),
        {v for v in a[:2]},
    )
# --- flatiter: what an index selects, of arrays with and without axes (numpy before 2.5)
from showing import outcome


def store(a, key, values):
    a.flat[key] = values
    return a.tolist()


keys = (..., 0, 1, -1, True, False, [0], [1], [7], [], [True], [True, False, True], np.array([True]), np.array([[0]]),
    slice(None),
        slice(None, None, -1), slice(5, 1), None, (0,), (0, 1), ([0],), np.uint8(0), 'a', 1.0, [[0, 0], [0, 0]],
        np.array([], int))
for b in (np.array(3), np.arange(3), np.arange(6).reshape(2, 3).T, np.arange(0), np.ones((1, 1))):
    for key in keys if b.size else keys[:4] + keys[5:]:
        print(repr(key), outcome(lambda: b.flat[key]), outcome(lambda: store(b.copy(), key, 9)))
    print([outcome(lambda: store(b.copy(), key, [7, 8])) for key in keys if key is not True and key is not False])
for item in (np.nan, np.inf, 300, 1j, 2.5, np.float64(2), [np.nan], [7], None, 'a'):
    print([outcome(lambda: store(np.zeros(2, dtype), 1, item)) for dtype in ('i4', 'u1', 'f4', '?')])
s = np.float64(3)
s.flat[0] = 5
print(s, outcome(lambda: b.flat[np.array([True] * 9)]), outcome(lambda: b.flat[np.array(True)]))
