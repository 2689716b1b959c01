from showing import attempt, tell
a = np.array([[3.0, 1, 2], [4, 6, 5]])
v = np.array([1.0, 2, 3, 4])
n = np.array([[3.0, np.nan, 2], [np.nan, 6, np.nan]])

# --- where= that is not a boolean array
for f in (np.mean, np.var, np.std, np.sum, np.any):
    for where in (
        1.0,
        1,
        True,
        False,
        [1, 0, 1],
        [1.0, 0, 1],
        np.array(True),
        np.True_,
        [True],
        [[True]],
        ((True,), (False,)),
    ):
        if f in (np.mean, np.var, np.std) and not where:
            continue
        print(f.__name__, where, np.round(f(a, where=where) * 1, 6))
for f in (np.sum, np.mean):
    attempt(f, a, where=np.array([1.0, 0, 1]))
    attempt(f, a, where=np.array([1, 0, 1]))

# --- initial= must be a scalar
for f in (np.sum, np.prod, np.max, np.min, a.sum):
    attempt(f, *([] if f == a.sum else [a]), initial=[1])
    attempt(f, *([] if f == a.sum else [a]), initial=(1, 2))
    attempt(f, *([] if f == a.sum else [a]), initial=7)
attempt(np.sum, [1, 2], initial=[1])
attempt(np.sum, [1j], initial=[1])
attempt(np.sum, [True], initial=(1,))
attempt(np.sum, np.float16([1, 2]), initial=[1])

# --- dtype= and out= of functions that skip NaN
for dtype in (np.float32, np.float16, np.complex64, complex, float, None):
    for f in (np.nanvar, np.nanstd):
        r = f(n, dtype=dtype)
        print(f.__name__, r.dtype, np.round(r, 3))
        r = f(n, axis=1, dtype=dtype)
        print(r.dtype, np.round(r, 3))
o = np.zeros(3)
print(np.nanvar(n, axis=0, out=o) is o, o, np.nanstd(n, axis=0, ddof=-1, out=o) is o, o)
for f in (np.nanvar, np.nanstd):
    attempt(f, n, out=np.zeros(3))
    attempt(f, n, axis=0, out=np.zeros(()))

# --- out= of ptp has the shape of the result
attempt(np.ptp, a, out=np.zeros(3))
attempt(np.ptp, a, out=np.zeros((2, 3)))
attempt(np.ptp, a, axis=0, out=np.zeros(()))
o = np.zeros(3)
print(np.ptp(a, axis=0, out=o) is o, o)
o = np.zeros((2, 1))
print(np.ptp(a, 1, o, True) is o, o)
o = np.zeros(())
print(np.ptp(a, out=o), o)

# --- orders that are not permitted
for order in ('A', 'K', 'C', 'F', None, 'x', 1):
    for f in (np.zeros, np.ones, np.empty):
        attempt(lambda: f((2, 2), order=order).flags.f_contiguous)
    attempt(lambda: np.full((2, 2), 3, order=order).flags.f_contiguous)
    attempt(lambda: np.eye(3, 2, order=order).flags.f_contiguous)
    attempt(np.ravel_multi_index, ([0, 1], [1, 2]), (2, 3), order=order)
    attempt(np.unravel_index, [1, 4], (2, 3), order=order)
for order in (1, 2.5, []):
    attempt(np.reshape, a, (3, 2), order=order)
    attempt(np.ravel, a, order=order)
    attempt(a.flatten, order)

# --- diagonals and sizes that are no integers
for k in (1.5, np.float64(1), None, -1, np.int8(1), True):
    attempt(lambda: np.eye(3, k=k).sum()) if k is not None else 0
for k in (1.5, 1, -1):
    attempt(np.diag, v, k)
    attempt(np.diagflat, [1, 2], k)
for size in (2.5, -1, 0, 2):
    attempt(np.vander, v, size)
attempt(np.insert, a, 1.5, 5, 0)
attempt(np.insert, v, 2, 9)
attempt(np.insert, v, np.array(1), 9)
attempt(np.insert, v, [np.int8(-1)], 9)

# --- axes, weights, devices and sides
attempt(np.transpose, a, ())
attempt(np.transpose, a, axes=())
attempt(np.permute_dims, a, ())
print(a.transpose().shape, np.transpose(a, None).shape, np.transpose(3, ()))
attempt(a.transpose, ())
attempt(np.histogram_bin_edges, v, weights=[1, 2])
attempt(np.histogram_bin_edges, v, 2, weights=v)
for f in (np.fft.fftfreq, np.fft.rfftfreq):
    attempt(f, 4, device='gpu')
    attempt(f, 4, device='cpu')
    attempt(f, 4, device=None)
    attempt(f, None)
    attempt(f, 'a')
    attempt(f, 4.0)
    attempt(f, np.int8(4))
attempt(np.searchsorted, v, 2.5, side=None)
attempt(np.searchsorted, v, 2.5, side=1)
print([type(x) for x in np.polyfit(v, v, 1, full=True)[2:]])

# --- texts as numbers without a dtype
print(
    repr(np.fromstring('1,2,3', sep=',', dtype=None)),
    repr(np.fromstring('1 2 3', dtype=None, sep=' ', count=2)),
    repr(np.fromstring('', dtype=None, sep=' ')),
)

# --- bytes of transposed empty arrays
for dtype in 'f8 f4 i2 u1 c8 f2 ?'.split():
    for shape in ((0, 3), (3, 0), (0,), (2, 0, 3)):
        x = np.zeros(shape, dtype).byteswap()
        print(
            x.dtype, x.shape, x.view('u1').shape if shape[-1] else '', np.zeros(shape, dtype).copy().view(dtype).shape
        )


# --- modes by number (numpy before 2.5)
m = np.arange(12).reshape(3, 4)
for md in (
    0,
    1,
    2,
    3,
    -1,
    "clip",
    "wrap",
    "raise",
    "CLIP",
    "W",
    "clipx",
    "cl",
    "x",
    "",
    None,
    1.0,
    True,
    np.True_,
    np.int64(1),
    np.uint8(0),
    np.array(1),
    np.array([1]),
    b"clip",
    b"C",
    b"x",
    2**40,
    [1],
    [0, "wrap"],
    (1, 2, 3),
    [],
):
    a = np.arange(3)
    tell(
        lambda: np.take([1, 2, 3], [0, 4, -5], mode=md),
        lambda: m.take([0, 3], mode=md),
        lambda: np.take([1, 2], [], mode=md),
        lambda: np.choose([0, 4, -5], [1, 2, 3], mode=md),
        lambda: np.array([0, 1]).choose([5, 6], mode=md),
        lambda: np.put(a, [0, -1], [7, 8], mode=md),
        lambda: a.put([1], [5], md),
        lambda: np.put(a, [], 1, mode=md),
        lambda: np.ravel_multi_index(([0, 4], [1, 1]), (3, 3), mode=md),
        lambda: np.ravel_multi_index(([0, 2], [1, 1]), (3, 3), md, "F"),
    )
    print(a)
for md in (
    0,
    1,
    2,
    3,
    -1,
    "full",
    "same",
    "valid",
    "FULL",
    "f",
    "fulls",
    "x",
    "",
    None,
    1.0,
    True,
    np.True_,
    np.int64(1),
    b"full",
    2**40,
    [1],
):
    tell(
        lambda: np.convolve([1, 2, 3], [1, 1], mode=md),
        lambda: np.correlate([1, 2, 3], [1, 1], mode=md),
        lambda: np.correlate([], [1], mode=md),
        lambda: np.correlate([[1]], [1, 1], mode=md),
    )


# --- diagonals that are no integers (numpy before 2.5)
m = np.arange(12).reshape(3, 4)
for k in (
    1.5,
    -0.5,
    np.float32(0.5),
    2.5,
    1.0,
    np.int8(1),
    True,
    None,
    "1",
    1j,
    np.array(1),
    np.array([1]),
    np.array([1, 2]),
    [1],
    -2,
    10,
    np.uint8(2),
):
    tell(
        lambda: np.triu(m, k),
        lambda: np.tril(m, k=k),
        lambda: np.tri(3, 4, k),
        lambda: np.tri(0, 0, k),
        lambda: np.tri(2, 3, k, int),
        lambda: np.eye(3, 4, k),
        lambda: np.triu_indices(3, k),
        lambda: np.tril_indices(3, k, 4),
    )


# --- a second operand of unary at
x = np.array([1.0, 2, 4])
for u in np.sqrt, np.negative, np.isnan, np.spacing:
    tell(lambda: u.at(x, [0], 2), lambda: u.at(x, [0], x[:1]), lambda: np.add.at(x, [0]))
print(x)
# --- an axis that is a bool
for f in (np.sum, np.mean, np.max, np.any, np.std):
    for axis in (True, False):
        try:
            print(f(np.ones((2, 2)), axis=axis))
        except TypeError as e:
            print(e)
# --- tile: more than 32 axes
tell(
    lambda: np.tile(np.ones((1,) * 33), 2).shape,
    lambda: np.tile(np.ones(2), (1,) * 40 + (3,)).shape,
    lambda: np.tile(np.arange(6).reshape(2, 3), (2, 1, 2)),
    lambda: np.tile([[1, 2]], (0, 3)).shape,
)
# --- the coefficients of a poly1d
p = np.poly1d([1, 2, 3])
for name in ("coeffs", "c", "coef", "coefficients"):
    attempt(setattr, p, name, [1])
    print(getattr(p, name), getattr(p, name) is p.coeffs)
p.coeffs += 1
p.c *= 2
p[4] = 7
p.coef[0] = 5
print(repr(p), p.order)
# --- concatenation by operator
import operator

for f in (operator.concat, operator.iconcat, operator.__concat__):
    tell(
        lambda: f([1], [2]),
        lambda: f("a", "b"),
        lambda: f((1,), (2,)),
        lambda: f(1, 2),
        lambda: f({}, {}),
        lambda: f([1], (2,)) if f is operator.concat else 0,
        lambda: f("a", 1),
        lambda: f(np.ones(2), np.ones(2)),
        lambda: f([1], np.ones(2)),
        lambda: f((1,), np.ones(2)),
    )
# --- matmul: axes of vectors
v, m = np.arange(2.0), np.arange(6.0).reshape(2, 3)
for axes in (
    [0, 0, ()], [(0, 1), 0, 0], [0, (0, 1), 0], [(0, 1), (0, 1), (0, 1)], [0, (1, 0), 0], [0, 0], [(1, 0), (0,), (0,)], [0, 0, 0],
):
    for x, y in ((v, v), (m, np.arange(3.0)), (v, m), (m[:, :2], m[:, 1:])):
        attempt(np.matmul, x, y, axes=axes)
# --- flat: a list of floats is one of indices
a = np.arange(6)
for key in ([1.0, 2], [0.5], [], 1.0, np.array([1.5]), [True, False], (1,), None, "a"):
    attempt(lambda: a.flat[key])
# --- frompyfunc: reductions over several axes
plain = np.frompyfunc(lambda a, b: a + b, 2, 1)
zero = np.frompyfunc(lambda a, b: a + b, 2, 1, identity=0)
none = np.frompyfunc(lambda a, b: a + b, 2, 1, identity=None)
x = np.arange(6).reshape(2, 3)
for f in (plain, zero, none):
    print(f.identity)
    for options in (
        dict(axis=(0, 1)), dict(axis=None), dict(axis=1, keepdims=True), dict(axis=0, initial=5), dict(axis=()), dict(axis=-1),
        dict(axis=1, where=[True, False, True]), dict(axis=0, initial=1, where=[[True], [False]]), dict(axis=2),
    ):
        try:
            print(np.asarray(f.reduce(x, **options)).tolist())
        except Exception as e:
            print(type(e).__name__, e)
tell(lambda: zero.reduce(np.ones((0, 3)), axis=None), lambda: plain.reduce(np.ones((0, 3))), lambda: none.reduce(np.ones((0, 3))))
print(plain(np.ones((2, 0)), 1).shape, np.frompyfunc(divmod, 2, 2)([], [1])[1].shape)
print([f.reduce(np.ones((2, 0))).shape for f in (plain, zero)], np.asarray(zero.reduce(np.ones((0, 3)))).tolist())
# --- arrays of memory views
a = np.arange(6, dtype=np.int16).reshape(2, 3)
print(np.asarray(a.data), np.array(a[:, 1].data), np.asarray(a.data).dtype)
# --- the message of assert_string_equal
for pair in (("abc", "abd"), ("a\nb\n", "a\nc\n")):
    try:
        np.testing.assert_string_equal(*pair)
    except AssertionError as e:
        print(str(e).splitlines()[0], [line for line in str(e).splitlines() if line[:1] != "?"][1:2])
