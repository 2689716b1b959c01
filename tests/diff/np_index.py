# Indexing: reads.
# --- basic slices
a = np.arange(10)
print(a[2:5], a[:3], a[7:], a[::3], a[::-1], a[8:2:-2], a[-3:], a[-100:3], a[5:100], a[4:4])
# --- single elements
a = np.arange(12).reshape(3, 4)
print(a[1, 2], a[-1, -1], a[0][3], repr(a[2, 0]), a[(1, 1)])
# --- rows and columns
a = np.arange(12).reshape(3, 4)
print(a[1], a[:, 1], a[1:, :2], a[::2, ::2], a[:, -1], a[::-1], a[:, ::-1])
# --- ellipsis
a = np.arange(24).reshape(2, 3, 4)
print(a[..., 0], a[0, ...], a[..., 1:3].shape, a[0, ..., 2], a[...].shape, a[1, 1, 1, ...])
# --- newaxis
a = np.arange(3)
print(a[:, None].shape, a[None].shape, a[None, :, None].shape, a[np.newaxis, 1:].shape, a[..., None].shape, a[:, None])
# --- mixed dims
a = np.arange(24).reshape(2, 3, 4)
print(a[1, :, 2], a[:, 1].shape, a[0, 1:, ::2], a[:, :, -1], a[-1, -1])
# --- shapes of slices
a = np.zeros((4, 5, 6))
print(a[1:3].shape, a[:, 2].shape, a[..., ::2].shape, a[1, None, :, 3].shape, a[::-1, 1:4, 5:0:-2].shape, a[4:].shape)
# --- boolean mask
a = np.arange(6)
print(a[a > 2], a[a % 2 == 0], a[[True, False, True, False, False, True]], a[a > 100], a[np.ones(6, bool)])
# --- boolean mask of two dims
a = np.arange(6).reshape(2, 3)
print(a[a > 2], a[[True, False]], a[:, [True, False, True]], a[np.array([False, True])], a[a == 3])
# --- integer arrays
a = np.arange(10) * 10
print(a[[1, 3, 1]], a[[-1, 0]], a[np.array([[0, 1], [2, 3]])], a[[]], a[np.array([2], dtype=np.uint8)])
# --- integer arrays in two dims
a = np.arange(12).reshape(3, 4)
print(a[[0, 2]], a[[0, 1], [1, 2]], a[:, [0, 3]], a[[0, 2], 1], a[1, [0, 0]], a[[[0], [2]], [0, 3]])
# --- integer arrays and slices
a = np.arange(24).reshape(2, 3, 4)
print(a[[1, 0], 1:].shape, a[:, [0, 2], 1], a[0, :, [1, 2]], a[[0, 1], :, [1, 2]], a[..., [0, 0]].shape)
# --- integer arrays around a slice go first
a = np.arange(24).reshape(2, 3, 4)
print(a[[0, 1], :, [0, 1]].shape, a[:, [0, 1], [0, 1]].shape, a[[0], :, 0].shape, a[0, :, [0, 1]].shape)
# --- mask and integer
a = np.arange(12).reshape(3, 4)
print(a[[True, False, True], 1], a[np.array([True, False, True]), [1, 2]], a[a[:, 0] > 2, :2])
# --- ix_
a = np.arange(12).reshape(3, 4)
print(a[np.ix_([0, 2], [1, 3])])
# --- take
a = np.arange(10, 20)
print(
    np.take(a, [0, 3]), a.take([1, 1]), np.take(a.reshape(2, 5), [0, 4], axis=1), np.take(a, [[0], [1]]), np.take(a, -1)
)
# --- take with modes
a = np.arange(5)
print(np.take(a, [7, -8], mode="wrap"), np.take(a, [7, -8], mode="clip"))
# --- where with one argument
print(
    np.where([0, 1, 1]),
    np.nonzero(np.array([[0, 1], [2, 0]])),
    np.argwhere(np.array([[0, 1], [2, 0]])),
    np.flatnonzero([0, 3, 0, 4]),
)
# --- where with three
a = np.arange(5)
print(np.where(a > 2, a, -1), np.where(a > 2, a, 0.5), np.where([[True], [False]], a, -a), np.where(True, 1, 2))
# --- select and clip
x = np.arange(6)
print(
    np.select([x < 2, x < 4], [x, x * 10], default=-1),
    np.clip(x, 1, 4),
    x.clip(2),
    np.clip(x, None, 3),
    np.clip([1.5, -2.5], -1, 1),
)
# --- choose from rows
a = np.arange(6).reshape(2, 3)
print(a[np.arange(2), a.argmax(axis=1)], a[a.argmin(axis=0), np.arange(3)])
# --- compress and extract by mask
a = np.arange(6).reshape(2, 3)
print(np.compress([True, False, True], a, axis=1), np.extract(a % 2 == 0, a))
# --- zero-dimensional
a = np.array(5)
print(a[()], repr(a[()]), a[...], repr(a[...]), a[None], a.item(), a.shape)
# --- len and iteration order
a = np.arange(6).reshape(3, 2)
print(len(a), [r.tolist() for r in a], list(a.flat), [int(x) for x in a.ravel()], list(a[:, 0]))
# --- membership
a = np.array([[1, 2], [3, 4]])
print(3 in a, 9 in a, 2.0 in a, np.isin([1, 5, 3], a), np.isin(a, [1, 4], invert=True))
# --- slices of slices
a = np.arange(20)
b = a[2:18:2]
c = b[::-1]
d = c[1::3]
print(b, c, d, d[-1], b[1:][1:][1:])
# --- transposed slices
a = np.arange(12).reshape(3, 4)
t = a.T
print(t[1], t[:, 0], t[1:3, ::-1], t[::-1, ::-1], t[2, 1], t[[0, 3]])
# --- slices by slice objects and tuples
a = np.arange(12).reshape(3, 4)
s = slice(0, 2)
print(a[s], a[s, s], a[(s, 1)], a[(slice(None), slice(None, None, 2))], a[tuple([1, 2])])
# --- indices from numpy scalars
a = np.arange(5)
i = np.int64(2)
print(a[i], a[np.argmax(a)], a[i:], [10, 20, 30][np.int32(1)], a[:i], list(range(np.int64(3))))
# --- item and tolist
a = np.array([[1.5, 2], [3, 4]])
print(
    a.item(0, 1),
    a.item(3),
    a.tolist(),
    a[0].tolist(),
    np.arange(3).tolist(),
    np.array(2.5).tolist(),
    type(a.item(0)).__name__,
)
# --- strided windows by slices
a = np.arange(8.0)
print((a[2:] - a[:-2]) / 2, a[1:] - a[:-1], a[1:] * a[:-1], np.diff(a**2), np.diff(a, n=2))
# --- negative integers in index arrays
a = np.arange(6).reshape(2, 3)
print(a[[-1]], a[:, [-1, -2]], a[[-1, 0], [-1, -3]])
# --- broadcast index arrays
a = np.arange(16).reshape(4, 4)
i = np.array([0, 3])
print(a[i[:, None], i], a[i, i], a[i[:, None], [[1, 2]]])
# --- take_along_axis
a = np.array([[3, 1, 2], [9, 7, 8]])
i = np.argsort(a, axis=1)
print(i, np.take_along_axis(a, i, axis=1))
# --- unravel and ravel index
print(np.unravel_index(7, (3, 4)), np.ravel_multi_index((1, 3), (3, 4)), np.unravel_index([1, 5], (2, 3)))
# --- empty selections keep shape
a = np.arange(12).reshape(3, 4)
print(a[:, []].shape, a[[], :].shape, a[a > 99].shape, a[1:1].shape, a[[], []].shape, a[:, 2:2])

# --- lists that are no indices
a = np.arange(12.0).reshape(3, 4)
for k in (
    [0.5],
    [[0.5]],
    [1, 2.0],
    (slice(None), [0.5]),
    (0, [1j]),
    ['x', 1],
    [None],
    np.array([0.5]),
    np.array([]),
    [[]],
    [[1], ['a']],
):
    try:
        print(a[k])
    except IndexError as e:
        print(e)
    try:
        a[k] = 1
        print(a)
    except IndexError as e:
        print(e)

# --- masks and running sums over many elements
i = np.arange(70_001)
x = (i * 7919 % 1009) / 1009
y = i * 31 % 127 - 60
for m in (x > 0.5, (x > 0.25) & (x < 0.5), y == 3, x > 2, x >= 0):
    print(m.sum(), x[m][::9999].tolist(), y[m].sum(), y[m][-3:].tolist(), np.nonzero(m)[0][-2:].tolist())
for t in (np.int32, np.uint32, np.int64):
    c = np.cumsum(y.astype(t), dtype=t)
    print(
        c[::9999].tolist(),
        (np.diff(c) == y[1:].astype(t)).all(),
        np.maximum.accumulate(y.astype(t) * 3)[::9999].tolist(),
    )
print(
    np.cumsum(y[1:].reshape(7, -1)[:, :9000], axis=1, dtype=np.int32)[:, ::2999].tolist(),
    np.cumsum(x > 0.5)[::9999].tolist(),
)
y[x > 0.9] = -7
y[y < -50] += 1
print(y.sum(), y[::9999].tolist())
# --- ufunc.at by integers, slices and newaxis alone
for f in (np.add, np.minimum, np.maximum, np.multiply, np.subtract, np.power):
    for dtype in "dfqib":
        for index, values in (
            (3, 2),
            (-2, 5),
            (np.int64(2), 5),
            (slice(1, 3), 5),
            (None, 7),
            ((), 3),
            (Ellipsis, [1, 2, 3, 4]),
        ):
            a = np.arange(1, 5).astype(dtype)
            try:
                f.at(a, index, values)
                print(f.__name__, a)
            except Exception as e:
                print(type(e).__name__, e)
        for index, values in (
            (1, [1, 2, 3]),
            ((1, 2), 2),
            ((slice(None), 1), [5, 2]),
            (([0, 1], 2), 5),
            ((1, [0, 2]), 5),
            ((slice(None, None, -1), -1), [3, 5]),
            ((None, 0, slice(1, None)), 4),
            ((0, 0), [1, 2]),
            (2, 1),
            ((0, 3), 1),
        ):
            a = np.arange(1, 7).astype(dtype).reshape(2, 3)
            try:
                f.at(a, index, values)
                print(f.__name__, a.tolist())
            except Exception as e:
                print(type(e).__name__, e)
x = np.arange(24.0).reshape(2, 3, 4)
np.negative.at(x, (0, 0))
np.negative.at(x, 1)
np.add.at(x[1], (slice(1), 0), 7)
np.add.at(x, (1, slice(None, None, -1), 3), [1, 2, 3])
print(x)

# --- bincount with float weights, summed in order where there are few
n, m = 40000, 50000
v = (np.arange(n) * 7919 % 1009) * 10.0 ** (np.arange(n) % 5) / 1009
at = np.arange(n) * 7919 % m
for T in ("f4",):
    a = (np.arange(m) % 13 / 13).astype(T)
    b = a.copy()
    np.add.at(b, at, v.astype(T))
    c = a.copy()
    np.add.at(c, at.astype("i4") % 5000 - 5000, v.astype(T))
    d = np.zeros(2 * m, T)
    np.add.at(d[::2], at.reshape(200, 200), 0.1)
    e = a.copy()
    np.add.at(e, np.where(at > 50, 0, 1), 0.5)  # a long run
    for x in (b, c, d, e):
        print(
            T,
            x.view("u4").sum(dtype="u8"),
            (x.view("u4") * (np.arange(x.view("u4").size) % 97).astype("u4")).sum(dtype="u8"),
        )
    try:
        np.add.at(a, np.where(at == 7, m, at), 1)
    except IndexError as err:
        print(err)
    try:
        np.add.at(a, at, np.ones(7))
    except ValueError as err:
        print(err)
    print((a == (np.arange(m) % 13 / 13).astype(T)).all())
for p in (3000, 300, 20, 1):  # a thread's, a warp's, a block's
    s, t = [np.bincount(at % p, v) for k in range(2)]
    print((s == t).all(), np.allclose(s, [v[at % p == k].sum() for k in range(0, p)] if p < 3000 else s), s.size)

# --- many scattered values
n = 40000
k = np.arange(n)
for T, name in (
    ("f4", "maximum"),
    ("f8", "multiply"),
    ("i8", "minimum"),
    ("i4", "maximum"),
    ("u4", "minimum"),
    ("c8", "subtract"),
    ("u4", "subtract"),
    ("u8", "maximum"),
):
    u = getattr(np, name)
    for m in (7000, 300, 3):
        at = k * 7919 % m
        at[::5] -= m
        v = (
            np.where(k % 3 == 0, -1, np.where(k % 7000 == 1, 2, 1))
            if name == "multiply"
            else k * 7919 % 1009 - (0 if T[0] == "u" else 500)
        )
        if T[0] == "f" and m == 300:
            v = np.where(k == 299, np.nan, v)
        a = (np.arange(m) % 13 + 1).astype(T)
        u.at(a, at, v.astype(T))
        d = np.ones(2 * m, T)
        u.at(d[::2], at.reshape(200, 200), v.astype(T).reshape(200, 200))
        print(T, name, a[::997], a.sum(), d[::1003], d.sum(), d[-1])

one, wide = np.ones(1, "f4"), np.arange(300000)  # many thread blocks store to one element
np.add.at(one, wide * 0, (wide % 5).astype("f4"))
print(one)
np.maximum.at(one, wide * 0 - 1, (wide * 7919 % 300007 * 8).astype("f4"))
print(one)

# --- of several indices out of bounds the first is reported
x, n = np.arange(1000.0), 100000


def told(f):
    try:
        f()
    except IndexError as e:
        print(e)


for bad in ((70001, 300, 99999), (99999, 70001), (511, 256, 700), (1025, 513), (4,)):
    p = np.arange(n) % 1000
    for k in bad:
        p[k] = 1000 + k

    def one():
        y = x[p]
        print(y[0])

    def total():
        print(x[p].sum())

    def rows():
        y = x[p.reshape(100, 1000)].sum(1)
        print(y[0])

    def twice():
        y = x[p.astype("i4")] * 2 + x[-p - 1]
        print(y[0])

    def put():
        z = x.copy()
        z[p] = 1
        print(z[0])

    def running():
        y = np.cumsum(x[p])
        print(y[0])

    for f in (one, total, rows, twice, put, running):
        told(f)
# --- items of scalars: those of an array without dimensions
import numpy as np
for x in (np.float64(3), np.int8(2), np.bool_(True), np.complex64(1j), np.complex128(2)):
    print(repr(x[()]), repr(x[...]), repr(x[None]), repr(x[None, ..., None]))
    for i in (0, slice(None), 'a', (0,), 1.5):
        try: print(x[i])
        except IndexError as e: print(e)
# --- extents beyond an index
def told(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


B, M = 2**31, 2**63 - 1
for dims in (3, 4), (0, 3), (3, 0), (), (B, B), (2 * B - 1, B + 1), (2**62, 2), (2**62, 2, 0), (M,), (M, 2), (M + 1,
        ), (0, B, B, B), 5:
    n = len(dims) if isinstance(dims, tuple) else 1
    for order in "C", "F":
        for at in 0, 1, -1, M, [0, 1], np.array([], int), [], np.uint64(3), 1.0, [[0, 1], [2, 3]], 11, 12:
            told(lambda: np.unravel_index(at, dims, order=order))
        for mode in "raise", "wrap", "clip":
            for at in 0, 1, -1, 2, M, -M - 1, [0, 1], [0, -7], np.array([], int), np.uint8(2):
                told(lambda: np.ravel_multi_index((at,) * n, dims, mode=mode, order=order))
# --- the kind of an index is checked before the bounds of slices
a = np.array([[[5]]])
for index in ((slice(0.0, None), 0.0), (0.0, slice(0.0, None)), (slice(0.0, None), 'a'), (slice(0.0, None), 0)):
    try:
        print(a[index])
    except (IndexError, TypeError) as e:
        print(type(e).__name__)


class Pair(tuple):
    pass


b = np.arange(9).reshape(3, 3)
print(b[Pair([[1], [2]])].tolist(), b[Pair([1, 2]),].tolist(), b[Pair([1, 2])].tolist())
# --- few elements of computed vectors, of all dtypes, with indices of all dtypes
def few(x, i):
    try:
        y = x[i]
        x[:1] = 0
        print(y.dtype, y.tolist(), (y + y).dtype)
    except IndexError as e:
        print(e)


for t in '?bBhHiIlLefdFD':
    x = (np.arange(600) % 7).astype(t)
    for k in 'bBhHiIlL':
        i = np.array([3, 0, 599 if np.iinfo(k).max > 599 else 100, 5, 5]).astype(k)
        assert (x == x).all() and (i == i).all()
        few(x.copy(), i)
        few(x[::-2], i[1::3])
        few(x[:4], i)
        few(x, i[::-1])
        few(x[:0], i[:0])
for i in [-1, -600, 2], [-601], [600], [2, 3] * 200:
    i = np.array(i)
    assert (i == i).all()
    few(np.arange(600.0), i)
    few(np.arange(600.0), i.astype(np.int32))
