# Writing to arrays.


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def put(t, i, v, shape=2):
    a = np.zeros(shape, t)
    a[i] = v
    return a.tolist()


# --- elements
a = np.zeros(4)
a[0] = 1
a[-1] = 2.5
a[1] += 3
print(a)
# --- slices from scalars and sequences
a = np.zeros(6, int)
a[1:3] = 7
a[3:] = [1, 2, 3]
a[::2] = a[1::2]
print(a)
# --- cast on store
a = np.zeros(3, int)
a[0] = 2.9
a[1:] = [1.5, -1.5]
b = np.zeros(2, bool)
b[:] = [0, 5]
c = np.zeros(2, np.float32)
c[:] = [0.1, 1e-50]
print(a, b, c)
# --- rows columns blocks
a = np.zeros((3, 4), int)
a[1] = 5
a[:, 2] = [7, 8, 9]
a[0, :2] = 1
a[2, ::3] = -1
print(a)
# --- broadcasting store
a = np.zeros((2, 3))
a[:] = [1, 2, 3]
a[:, 1:] += [[10], [20]]
a[...] *= 2
print(a)
# --- mask store
a = np.arange(6)
a[a % 2 == 0] = 0
a[a > 3] = [-1]
print(a)
# --- mask store with values
a = np.arange(6)
a[a > 2] = [10, 20, 30]
print(a)
# --- mask store in place
a = np.arange(6.0)
a[a > 2] *= 10
a[~(a > 2)] -= 1
print(a)
# --- store of rows by a mask
a = np.arange(6).reshape(3, 2)
a[[True, False, True]] = 9
a[:, [False, True]] = 0
print(a)
# --- integer array store
a = np.zeros(5, int)
a[[1, 3]] = [5, 6]
a[[0, 0]] = [1, 2]
a[np.array([-1])] = 9
print(a)
# --- integer array add counts once
a = np.zeros(4, int)
a[[0, 0, 1]] += 1
print(a)
np.add.at(a, [0, 0, 1], 1)
print(a)
# --- integer array store in two dims
a = np.zeros((3, 3), int)
a[[0, 1, 2], [0, 1, 2]] = [1, 2, 3]
a[[0, 2]] += 10
a[:, [0]] = -1
print(a)
# --- store through a view
a = np.arange(6)
b = a[::2]
b[:] = 9
c = a.reshape(2, 3)
c[0, 0] = -1
d = a[::-1]
d[0] = 77
print(a, b, c, d)
# --- store through a transpose
a = np.arange(6).reshape(2, 3)
a.T[0] = [10, 20]
a.T[1, 1] = 5
print(a)
# --- overlapping store forward and back
a = np.arange(8)
a[1:] = a[:-1]
print(a)
a = np.arange(8)
a[:-1] = a[1:]
print(a)
a = np.arange(8)
a[::-1] = a.copy()
print(a)
# --- overlapping reversed
a = np.arange(7)
a[:] = a[::-1]
print(a)
a[2:] += a[:-2]
print(a)
# --- put into overlapping elements: a copy is filled and written back
for shape, strides in (((2, 4), (8, 8)), ((3, 3), (16, 8)), ((3, 3), (0, 8)), ((2, 3), (8, 16))):
    for at in (2, [2, -1], [2, 2, 5], [2, -1, 99]):
        for mode in ("raise", "wrap", "clip"):
            a = np.arange(10.0)
            try:
                np.put(np.lib.stride_tricks.as_strided(a, shape, strides), at, [100, 200], mode)
            except IndexError as e:
                print(e)
            print(a)
# --- stores into elements that share memory: the last that NumPy writes stays
def views():
    for shape, strides in (((4, 3), (1, 1)), ((2, 3), (1, 2)), ((3, 3), (2, 1)), ((3, 3), (0, 1)), ((3, 3), (1, 0)), ((3, 4), (-1, -1)),
                           ((2, 3), (-1, 2)), ((2, 2, 3), (1, 2, 1)), ((2, 3, 2), (2, 0, 2)), ((2, 3, 2), (-2, 0, 1))):
        a = np.arange(20.0)
        n = int(np.prod(shape))
        yield (a, np.lib.stride_tricks.as_strided(a[10:], shape, [8 * s for s in strides]),
               100.0 + np.arange(n).reshape(shape), np.arange(n).reshape(shape) % 3 > 0)
for a, v, x, m in views():
    v[...] = x
    print(a[5:16])
for a, v, x, m in views():
    v[::-1] = x.astype("i4")
    print(a[5:16])
for a, v, x, m in views():
    v += x
    print(a[5:16])
for a, v, x, m in views():
    v[...] = v[::-1]
    print(a[5:16])
for a, v, x, m in views():
    np.add(x, 1, out=v)
    print(a[5:16])
for a, v, x, m in views():
    np.multiply(x, 2, out=v, where=m)
    print(a[5:16])
for a, v, x, m in views():
    v[m] = x[m]
    print(a[5:16])
for a, v, x, m in views():
    v[m] = 7
    print(a[5:16])
for a, v, x, m in views():
    v[np.arange(len(v))] = x
    print(a[5:16])
for a, v, x, m in views():
    v[:, np.array([0, -1])] = x[:, [0, -1]]
    print(a[5:16])
for a, v, x, m in views():
    np.put(v, np.arange(v.size), x)
    print(a[5:16])
for a, v, x, m in views():
    np.putmask(v, m, x)
    print(a[5:16])
for a, v, x, m in views():
    np.add.at(v, np.arange(len(v)), x)
    print(a[5:16])
# --- overlapping transpose
a = np.arange(9).reshape(3, 3)
a[:] = a.T
print(a)
a += a.T
print(a)
# --- swap rows and columns
a = np.arange(6).reshape(3, 2)
a[[0, 2]] = a[[2, 0]]
a[:, [0, 1]] = a[:, [1, 0]]
print(a)
# --- swap of slices without a copy
a = np.arange(4)
a[0], a[3] = a[3], a[0]
print(a)
a[:2], a[2:] = a[2:].copy(), a[:2].copy()
print(a)
# --- augmented with casts
a = np.array([1, 2, 3], dtype=np.int32)
a += 1
a *= 2
a //= 3
a **= 2
a -= np.int32(1)
a %= 5
a <<= 1
a |= 1
print(a, a.dtype)
# --- augmented floats keep their dtype
a = np.ones(2, dtype=np.float32)
a += 0.1
a /= 3
a *= np.float64(2)
print(a, a.dtype)
# --- augmented bool
a = np.array([True, False, True])
a &= [True, True, False]
a |= np.array([False, True, False])
a ^= True
print(a)
# --- augmented on a name of another view
a = np.arange(4)
b = a
b += 10
c = a[1:3]
c *= 0
print(a, b, c)
# --- plain operator makes a new array
a = np.arange(3)
b = a
a = a + 1
print(a, b)
# --- red black sweep by slices
a = np.zeros((5, 5))
a[0] = 1
for _ in range(3):
    a[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4
print(a)
# --- wave by slices
u = np.zeros(8)
u[3] = 1
for _ in range(3):
    u[1:-1] += 0.5 * (u[2:] - 2 * u[1:-1] + u[:-2])
print(u)
# --- life
g = np.zeros((6, 6), int)
g[1, 2] = g[2, 3] = g[3, 1] = g[3, 2] = g[3, 3] = 1
for _ in range(4):
    n = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    g = ((n == 3) | ((g == 1) & (n == 2))).astype(int)
print(g)
# --- fill, put, putmask, copyto
a = np.zeros(4)
a.fill(2)
np.put(a, [0, 2], [9, 8])
np.putmask(a, a < 5, -1)
np.copyto(a[:2], [1, 1])
print(a)
# --- fill_diagonal
a = np.zeros((3, 3), int)
np.fill_diagonal(a, 5)
print(a)
# --- out argument
a = np.arange(3.0)
b = np.empty(3)
np.add(a, 1, out=b)
c = np.multiply(a, a, out=a)
print(a, b, c is a)
# --- where argument of a ufunc
a = np.arange(4.0)
out = np.full(4, -1.0)
np.sqrt(a, out=out, where=a > 1)
print(out)
# --- assignment to newaxis and ellipsis
a = np.zeros((2, 2))
a[..., 0] = 3
a[None, 1, 1] = 4
a[:, None, 1:][0] = 8
print(a)
# --- zero-dimensional store
a = np.array(1)
a[...] = 5
a[()] = 6
a += 1
print(a)
# --- assignment in a loop
a = np.zeros(5, int)
for i in range(5):
    a[i] = i * i
    if i > 1:
        a[i] += a[i - 2]
print(a)
# --- cumulative recurrence
a = np.ones(10, int)
for i in range(2, 10):
    a[i] = a[i - 1] + a[i - 2]
print(a)
# --- a store of a lazy expression of itself
a = np.arange(5.0)
a[1:4] = (a[0:3] + a[2:5]) * 0.5
a[:] = a * 2 + a[::-1]
print(a)
# --- strided source and target
a = np.arange(10)
a[::3] = a[1::3][:4] if len(a[1::3]) >= 4 else list(a[1::3]) + [99]
a[9:5:-1] = a[:4]
print(a)


# --- scalars as elements

def fill(t, v):
    a = np.zeros(2, t)
    a.fill(v)
    return a


def flat(t, v):
    a = np.zeros(2, t)
    a.flat = v
    return a


top = np.uint64(0x7FFFFFFFFFFFFFFF) * np.uint64(2) + np.uint64(1)
for t in "i1", "i2", "i4", "i8", "u1", "u4", "f2", "f4", "c8", "?":
    for v in (
        np.True_,
        np.uint8(200),
        np.int8(-1),
        np.int64(70000),
        np.int64(2**40),
        top,
        np.float16(200.5),
        np.float32(3e9),
        np.float64(-1.5),
        np.complex64(1 + 1j),
        np.complex128(300 + 1j),
    ):
        if np.dtype(t).kind == "u" and not 0 <= v.real < 2**31:
            continue  # what a cast makes of it is the machine's
        for f in (
            lambda: np.array([v], t),
            lambda: np.array([[v, 1], [0, v]], t),
            lambda: put(t, 0, v),
            lambda: put(t, (1, 0), v, (2, 2)),
            lambda: put(t, slice(None), v),
            lambda: put(t, slice(None), [v, 1]),
            lambda: put(t, (), v, ()),
            lambda: put(t, ..., v),
            lambda: put(t, [0, 1], [v, 1]),
            lambda: fill(t, v),
        ):
            show(f)
        if np.dtype(t).kind != "i" or np.can_cast(v.dtype, t) or v.dtype.kind in "iu":
            for f in (
                lambda: put(t, [0, 1], v),
                lambda: put(t, [True, False], v),
                lambda: put(t, 0, np.array(v)),
                lambda: np.array([np.array(v)], t),
                lambda: np.full(2, v, t),
                lambda: np.array(v, t),
                lambda: flat(t, v),
            ):
                show(f)
for t in "i1", "i8":
    for v in np.float64("nan"), np.float32("inf"), np.float64(1e30):
        show(lambda: np.array([1, v], t))
        show(lambda: put(t, 1, v))


# --- sequences as elements (numpy before 2.5)

for t in "i1", "u8", "f4", "c16", "?":
    for v in [1], [np.int64(1)], (1,), [1, 2], [], [1.5], np.array([1]), np.array([[1]]):
        show(lambda: put(t, 1, v))
        show(lambda: put(t, (0, 1), v, (2, 2)))
        show(lambda: put(t, 0, v, (2, 1)))
# --- an index out of bounds is reported before a value that does not fit
def store(a, key, value):
    try:
        a[key] = value
        return a.tolist()
    except Exception as error:
        return type(error).__name__, str(error)
readonly = np.ones(2)
readonly.flags.writeable = False
for a, key, value in ((np.array([]), 0, [1, 2]), (np.ones(1), 0, [1, 2]), (np.ones((2, 2)), (0, 5), 'a'),
        (np.ones((2, 2)), (0, 5), [1, 2]),
                      (np.ones((2, 2)), (0, 5), 1j), (np.ones((2, 2)), (0, 1), 'a'), (readonly, 0, [1, 2]),
                      (readonly, 5, 1), (np.zeros(2, bool), 1, [0])):
    print(store(a, key, value))
# --- put on a scalar changes a copy
s = np.float64(1)
print(np.put(s, 0, 5), s)
# --- an element that was read, stored as the only element of another array
x, y = np.array(40.0), np.array([1])
for k in range(1):
    y[k] = x[()]
print(y)
y[...] = x[()]
y[:] = np.array([3.5])[0]
print(y)
# --- fill_diagonal of a read-only array, and with several values
try:
    np.fill_diagonal(np.broadcast_to(np.ones(2), (2, 2)), 1)
except ValueError as e:
    print(e)
a = np.zeros((3, 3, 3), int)
np.fill_diagonal(a, [1, 2])
print(a.tolist())
b = np.zeros((5, 2), int)
np.fill_diagonal(b, [[1, 2], [3, 4]], wrap=True)
print(b.tolist())
