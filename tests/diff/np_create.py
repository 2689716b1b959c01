# Array creation.
# --- array of lists
print(
    np.array([1, 2, 3]),
    np.array([1.5, 2]),
    np.array([True, False]),
    np.array([1, 2.5, True]),
    np.array([1j, 2]),
    np.array(5),
    np.array([]),
)
# --- array dtypes
for x in ([1], [1.0], [True], [1j], [1, 2.0], [True, 2], [], [[]], 3, 2.5):
    a = np.array(x)
    print(a.dtype, a.shape, a.ndim, a.size)
# --- array with dtype
print(
    repr(np.array([1, 2], dtype=np.float32)),
    repr(np.array([1.7, -1.7], dtype=int)),
    repr(np.array([0, 2], dtype=bool)),
    repr(np.array([1, 2], "int8")),
)
# --- nested lists
a = np.array([[1, 2, 3], [4, 5, 6]])
print(a, a.shape, a[1, 2], a.tolist())
# --- deeply nested
a = np.array([[[1], [2]], [[3], [4]]])
print(a.shape, a)
# --- array of arrays and ranges
print(np.array([np.arange(3), np.ones(3)]), np.array(range(4)), np.array((1, 2)), np.array([(1, 2), (3, 4)]))
# --- array copies
a = np.array([1, 2])
b = np.array(a)
b[0] = 9
c = np.asarray(a)
c[1] = 7
print(a, b, c)
# --- arange
print(np.arange(5), np.arange(2, 8), np.arange(0, 10, 3), np.arange(5, 0, -2), np.arange(0), np.arange(3, 1))
# --- arange of floats
print(np.arange(0, 1, 0.25), np.arange(3.0), np.arange(0.5, 3), np.arange(1, 0, -0.5))
# --- arange dtypes
for a in (
    np.arange(3),
    np.arange(3.0),
    np.arange(3, dtype=np.float32),
    np.arange(3, dtype=np.uint8),
    np.arange(0, 1, 0.5),
):
    print(a.dtype, a)
# --- linspace
print(
    np.linspace(0, 1, 5),
    np.linspace(0, 1, 4, endpoint=False),
    np.linspace(5, 1, 3),
    np.linspace(0, 1, 1),
    np.linspace(2, 3, 0),
)
# --- linspace with step and dtype
a, step = np.linspace(0, 10, 5, retstep=True)
print(a, step, np.linspace(0, 9, 4, dtype=int))
# --- logspace and geomspace
print(np.logspace(0, 3, 4), np.logspace(0, 3, 4, base=2.0), np.geomspace(1, 8, 4))
# --- zeros ones full empty
print(np.zeros(3), np.ones((2, 2)), np.full((2, 3), 7), np.full(2, 1.5), np.empty(0), np.zeros(()), np.full((), 3))
# --- dtypes of zeros ones full
print(
    np.zeros(1).dtype,
    np.ones(1, int).dtype,
    np.full(1, True).dtype,
    np.full(1, 2).dtype,
    np.full(1, 2j).dtype,
    np.zeros(2, dtype="float16").dtype,
    np.ones(1, dtype=np.complex64).dtype,
)
# --- like
a = np.array([[1, 2], [3, 4]], dtype=np.int16)
print(
    repr(np.zeros_like(a)),
    repr(np.ones_like(a, dtype=float)),
    repr(np.full_like(a, 9)),
    np.empty_like(a).shape,
    np.empty_like(a).dtype,
)
# --- eye and identity
print(np.eye(3), np.eye(2, 3), np.eye(3, k=1), np.eye(3, k=-1, dtype=int), np.identity(2))
for k in (2**31 - 1, 2**40, -(2**40), -4, -3, 4, 5):
    print(k, np.eye(4, 5, k).sum(), np.eye(0, 3, k).shape)
print(
    [
        (t, e.dtype, np.flatnonzero(e[7:300:97]).tolist(), (e == 1).sum())
        for t in "?bhlefdFD"
        for e in [np.eye(301, 299, -5, t)]
    ]
)
# --- diag
print(
    np.diag([1, 2, 3]),
    np.diag([1, 2], k=1),
    np.diag(np.arange(9).reshape(3, 3)),
    np.diag(np.arange(9).reshape(3, 3), k=-1),
)
# --- tri tril triu
a = np.arange(1, 10).reshape(3, 3)
print(np.tri(3), np.tri(2, 3, 1, dtype=int), np.tril(a), np.triu(a), np.tril(a, -1), np.triu(a, 1))
# --- meshgrid
x, y = np.meshgrid([1, 2, 3], [10, 20])
print(x, y)
x, y = np.meshgrid([1, 2], [3, 4], indexing="ij")
print(x, y)
# --- indices
print(np.indices((2, 3)))
# --- fromfunction
print(np.fromfunction(lambda i, j: i * 10 + j, (2, 3)), np.fromfunction(lambda i: i**2, (4,), dtype=int))
# --- vander by broadcasting
x = np.array([1, 2, 3])
print(x[:, None] ** np.arange(4))
# --- mgrid and ogrid by index (later)
print(np.mgrid[0:2, 0:3], np.ogrid[0:2, 0:3][0], np.mgrid[0:1:5j])
# --- repeat and tile
print(
    np.repeat([1, 2], 3),
    np.repeat([[1, 2], [3, 4]], 2, axis=0),
    np.repeat([1, 2], [1, 3]),
    np.tile([1, 2], 3),
    np.tile([1, 2], (2, 2)),
    np.tile([[1], [2]], 2),
)
# --- copy and ascontiguousarray
a = np.arange(6).reshape(2, 3).T
print(a.copy(), np.copy(a), np.ascontiguousarray(a).shape)
# --- attributes
a = np.zeros((2, 3, 4), dtype=np.float32)
print(a.shape, a.ndim, a.size, a.dtype, a.itemsize, a.nbytes, len(a), a.T.shape)
# --- strides
a = np.zeros((2, 3), dtype=np.float64)
print(a.strides, a.T.strides, a[:, ::2].strides, a[::-1].strides, np.broadcast_to(np.float64(1), (3,)).strides)
# --- scalars of dtypes
print(
    repr(np.float32(0.1)),
    repr(np.int8(5)),
    repr(np.float64(1)),
    repr(np.bool_(1)),
    repr(np.complex64(1 + 2j)),
    np.uint8(200),
    np.float16(0.1),
)
# --- dtype objects
d = np.dtype("float32")
print(
    d,
    repr(d),
    d.name,
    d.itemsize,
    d.kind,
    d == np.float32,
    d == "float32",
    d != np.float64,
    np.dtype(int),
    np.dtype("f8"),
    np.dtype(bool),
)
# --- dtype names
for n in (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "bool",
):
    d = np.dtype(n)
    print(d.name, d.itemsize, d.kind, end="; ")
# --- short dtype codes
print(
    [
        np.dtype(c).name
        for c in (
            "i1",
            "i2",
            "i4",
            "i8",
            "u1",
            "u4",
            "f2",
            "f4",
            "f8",
            "c8",
            "c16",
            "?",
            "<f4",
            "b",
            "B",
            "h",
            "i",
            "l",
            "f",
            "d",
            "F",
            "D",
            "e",
        )
    ]
)
# --- iinfo and finfo
print(
    np.iinfo(np.int8).max,
    np.iinfo(np.int64).min,
    np.iinfo("uint16").max,
    np.finfo(np.float32).eps,
    np.finfo(float).max,
    np.finfo(np.float64).tiny,
)
# --- constants
print(np.pi, np.e, np.inf, np.nan, np.newaxis, np.euler_gamma)
# --- iteration makes scalars and rows
for x in np.array([1, 2]):
    print(repr(x), end=" ")
for row in np.arange(4).reshape(2, 2):
    print(row, row.shape, end=" ")
# --- array of booleans from comparisons
print(np.array([1, 2, 3]) > 1, np.array([True]) | np.array([False]), ~np.array([True, False]))
# --- asarray without copies, array with copies
a = np.ones(2, dtype=np.float32)
print(np.asarray(a) is a, np.asarray(a, dtype=np.float64).dtype, np.asarray([1, 2]).dtype)
# --- ndmin and copy flag
print(np.array([1, 2], ndmin=2).shape, np.array(5, ndmin=1).shape)
# --- atleast
print(np.atleast_1d(5), np.atleast_2d([1, 2]).shape, np.atleast_3d([1, 2]).shape)
# --- int and bool tests of arrays
print(
    bool(np.array([1])),
    int(np.array(3)),
    float(np.array([2.5])[0]),
    complex(np.array(1j)),
    int(np.float64(2.7)),
    bool(np.array([0])),
)


# --- arrays of texts and None, when the dtype is given
def t(f):
    try:
        r = f()
        print(repr(r))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: np.array(['1.5', ' 2 ', 'nan', '1e3'], dtype=float))
t(lambda: np.array([['1', '2'], ['3', '-4']], dtype=int))
t(lambda: np.array(['1.5'], dtype=int))
t(lambda: np.array(['x'], dtype=float))
t(lambda: np.array(['1+2j', '3'], dtype=complex))
t(lambda: np.array([None, 1], dtype=float))
t(lambda: np.array([None, 1], dtype=int))
t(lambda: np.array([None, 1, '', 'a'], dtype=bool))
t(lambda: np.array(['300'], dtype=np.uint8))
t(lambda: np.array(['1', 2, 3.5], dtype=np.float32))
t(lambda: np.asarray("12 13".split(), np.int32))
t(lambda: np.array("2.5", dtype=float))
t(lambda: np.full(3, "2", dtype=float))
t(lambda: np.array(['1', [2]], dtype=float))
t(lambda: np.array(['abc', 'de'], dtype=np.int8))
t(lambda: np.array([["1", "2"], ["3"]], dtype=float))
t(lambda: np.array([], dtype=float))
t(lambda: np.fromiter(map(float, ['1', '2']), dtype=float))
t(lambda: np.float32("1.5") + np.array([np.float64("2")]))


def b():
    a = np.zeros(3, bool)
    a[0] = 'x'
    a[1] = None
    a[2] = ''
    return a


t(b)

# --- lists of alternating int, float and complex
import itertools

parts = [
    [1.5, 2.5, -0.0],
    [1, 2, -3],
    [True, False],
    [np.float32(1.25), np.float32(0.1)],
    [np.int8(-7), np.int8(5)],
    [np.uint8(200), np.uint8(255)],
    [2j, 1 + 3j],
    [np.float16(0.1)] * 2,
    [2**53 + 1, -(2**62) + 1],
    [np.bool_(True)] * 2,
    [np.int64(-5)] * 3,
    [np.uint16(9), np.uint16(65535)],
]
for n in (1, 2, 3):
    for chosen in itertools.product(parts, repeat=n):
        all = sum(chosen, [])
        for x in (all, tuple(all), [all, all[::-1]]):
            a = np.array(x)
            print(a.dtype, a.shape, a.tolist())
    if n == 2:
        break
for t in "? i1 u1 i2 i4 i8 u8 f2 f4 f8 c8 c16".split():
    for chosen in parts[:1] + parts[2:4] + parts[6:7] + parts[9:11]:
        try:
            a = np.array(chosen * 3, dtype=t)
            print(t, a.dtype, a.tolist())
        except Exception as e:
            print(t, type(e).__name__, e)
for x in (
    [1.0, 2.0, [3.0]],
    [[1, 2], [3]],
    [1, 2, 3.5, [1]],
    [1, 2, 300],
    [[1.0] * 5] * 4,
    [[]] * 3,
    [[1.0, 2], (3, 4.5), range(2)],
):
    for t in (None, "u1"):
        try:
            print(np.array(x, dtype=t))
        except Exception as e:
            print(type(e).__name__, e)

# --- steps beyond the interval
inf, most, least = np.inf, np.finfo(float).max, np.finfo(float).eps
for args in (
    (0, 1, 10),
    (0, 1, inf),
    (0, 1, -inf),
    (0, -1, -inf),
    (0, -1, inf),
    (0, least, most),
    (0, least, -most),
    (0, -least, -most),
    (0, -least, most),
    (0, 0, inf),
    (1, 1, 1e-300),
    (np.float32(0), np.float32(1), np.float32(0.1)),
    (np.int8(0), np.int8(3)),
    (np.uint8(5),),
    (np.float16(3),),
    (np.float32(3),),
    (np.int8(0), np.float16(2)),
    (True,),
):
    r, s = np.arange(*args), np.arange(*args, dtype="f4")
    print(r.dtype, r, s.dtype, s)

# --- geometric sequences through the complex plane
for a, b in (-1, 1), (1, -1), (-1j, -8j), (1 + 1j, 1000 + 1000j), (1, 8j), ([1, 2], [1000, -4]), (-2, -32), ([1, -2],
        [3, 4j]):
    for options in {}, {"dtype": complex}, {"endpoint": False}, {"axis": -1}:
        for n in 0, 1, 3, 4:
            r = np.geomspace(a, b, n, **options)
            print(a, b, n, options, r.dtype, r.shape, r.round(9) + 0)
print(np.geomspace(np.float32(1), 256, 5).dtype, np.geomspace(np.float32(1), 256, 5, dtype="f4").dtype)

# --- writeable arrays
a = np.arange(9.0).reshape(3, 3)
for f in (
    lambda: a.diagonal(),
    lambda: np.diagonal(a, 1),
    lambda: np.diag(a),
    lambda: np.linalg.diagonal(a),
    lambda: np.diag([1, 2]),
    lambda: np.einsum("ii->i", a),
    lambda: np.einsum("iij->ij", np.zeros((2, 2, 3))),
    lambda: a.T,
    lambda: (a * 1j).imag,
    lambda: np.broadcast_to(a, (2, 3, 3)),
    lambda: np.lib.stride_tricks.sliding_window_view(a, 2, 0),
    lambda: np.frombuffer(b"12345678"),
    lambda: np.flip(a),
    lambda: np.atleast_3d(a),
    lambda: np.rot90(a),
    lambda: np.split(a, 3)[0],
):
    print(f().flags.writeable)
x = np.zeros((3, 3))
np.einsum("ii->i", x)[...] = 1
d = x.diagonal()
d.flags.writeable = True
d[0] = 7
print(x)
x.flags.writeable = False
x.diagonal()[0] = 1
# --- full casts values that are not ints
def attempt(f):
    try:
        return f().tolist()
    except Exception as error:
        return type(error).__name__, str(error)
for dtype in ('?', 'i4', 'u1', 'f4', 'c8'):
    for v in (1j, 1.5, -1, 300, 2**63, np.complex64(2 + 1j), [1j], [300, 2], [1.5, -2]):
        print(dtype, v, attempt(lambda: np.full(2, v, dtype=dtype)),
            attempt(lambda: np.full_like(np.ones(2, dtype), v)))
