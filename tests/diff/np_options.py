# Options and errors of functions, a line each.
from showing import attempt
a = np.array([[3, 1, 2], [9, 7, 8]])
f = np.array([[0.5, -1.5, np.nan], [2.25, np.inf, -0.0]])
b = np.array([True, False, True])
c = np.array([1 + 2j, -3j, 2.5])
z = np.array(3)
g = np.array([4.0, 2.0, 1.0, 3.0])
i8 = np.array([-128, 127, 0, 5], np.int8)
u8 = np.array([0, 255, 7], np.uint8)
t3 = np.arange(24).reshape(2, 3, 4)

# --- weighted quantiles
for w in ([1, 2, 3, 4], [0, 0, 1, 0], [0, 1, 0, 0.5]):
    print(
        np.quantile(g, [0, 0.1, 0.5, 0.9, 1], weights=w, method='inverted_cdf'),
        np.percentile(g, 30, weights=w, method='inverted_cdf'),
    )
print(
    np.quantile(a, 0.5, axis=1, weights=[3, 1, 1], method='inverted_cdf'),
    np.quantile(a, [0.2, 0.8], axis=0, weights=[1, 2], method='inverted_cdf', keepdims=True),
    np.quantile(a, 0.5, weights=a, method='inverted_cdf'),
    np.nanquantile(f, 0.5, axis=1, weights=np.ones((2, 3)), method='inverted_cdf'),
    np.quantile(f, 0.5, axis=1, weights=np.ones((2, 3)), method='inverted_cdf'),
    np.nanpercentile(f[0], [0, 100], weights=[1, 1, 1], method='inverted_cdf'),
)
attempt(np.quantile, g, 0.5, weights=[1, 2, 3, 4])
attempt(np.quantile, g, 0.5, weights=[1, 2], method='inverted_cdf')
attempt(np.quantile, g, 0.5, axis=0, weights=[1, 2], method='inverted_cdf')
attempt(np.quantile, g, 0.5, weights=[1, -2, 1, 1], method='inverted_cdf')

# --- covariance
for k in (
    dict(fweights=[1, 2, 1]),
    dict(aweights=[0.5, 0.25, 0.25]),
    dict(fweights=[1, 2, 1], aweights=[0.5, 0.25, 0.25], ddof=0),
    dict(bias=True, aweights=[1, 2, 3]),
    dict(ddof=2),
    dict(rowvar=False),
    dict(dtype=np.float32),
    dict(y=a[0]),
    dict(y=a, rowvar=False),
):
    print(np.cov(a, **k), np.cov(a, **k).dtype)
print(np.corrcoef(a, rowvar=False), np.corrcoef([1 + 1j, 2, 3j], [1, 2, 4]), np.corrcoef(a, dtype=np.float32).dtype)
for k in (
    dict(ddof=1.5),
    dict(fweights=[1.5, 1, 1]),
    dict(fweights=[[1]]),
    dict(fweights=[1]),
    dict(aweights=[-1, 1, 1]),
    dict(aweights=[1]),
    dict(y=t3),
):
    attempt(np.cov, a, **k)
attempt(np.cov, t3)

# --- bins, products of series (numpy before 2.5)
print(
    np.digitize([0.5, 1, 2, 2.5], [2, 1], right=True),
    np.digitize([0.5, 1, 2, 2.5], [2, 1]),
    np.digitize(g, [1, 2, 3], right=True),
)
for x in (([], [1]), ([1], []), ([[1]], [1])):
    attempt(np.convolve, *x)
attempt(np.convolve, [1, 2], [1], 'foo')
attempt(np.correlate, [1, 2], [1], 'foo')

# --- indices (numpy before 2.5)
attempt(np.take, [], [0])
attempt(np.take, np.ones((0, 2)), [0])
print(np.take(np.ones((0, 2)), [], axis=0) if False else 0, np.take([], np.array([], int)))
attempt(np.take_along_axis, a, [0, 1], 1)
attempt(np.take_along_axis, a, np.array([[0.5]]), 1)
attempt(np.take_along_axis, a, np.array([[True]]), 1)
attempt(np.unravel_index, 1.5, (2, 3))
attempt(np.diag_indices_from, a)
attempt(np.diag_indices_from, g)
attempt(np.lexsort, 3)
print(np.diag_indices_from(np.ones((2, 2, 2))))
attempt(np.rot90, g)
attempt(np.rot90, a, 1, (0, 2))
attempt(np.rot90, a, 1, (1, 1))
print(np.rot90(t3, 1, (-1, 0)).shape)
attempt(np.repeat, a, -1)
attempt(np.repeat, g, [1, -1, 1, 1])
attempt(np.full, 2, [1, 2, 3])
print(np.full((2, 2), [1, 2], np.int8), np.full((2, 2), [[1], [2.5]], order='F'))

# --- integers: rounding, bounds
for d in (-1, -2, -3, 0, 2):
    print(np.round(i8, d), np.round(i8, d).dtype, np.round(u8, d), np.round(a, d))
x = np.zeros((2, 3))
print(np.round(a, -1, out=x) is x, x)
print(
    np.clip(u8, -1, 300),
    np.clip(u8, -1, 9),
    np.clip(i8, -200, 100),
    np.clip(i8, -100, 2**40),
    np.clip(np.uint8(7), -3, 5),
    np.clip(a, -(2**62), 5),
    np.clip(np.array([1, 2], np.uint64), 0, 2**62),
)
attempt(np.clip, u8, 300, None)
print([np.finfo(np.float16), np.finfo(np.float32), np.finfo(float), np.finfo(complex)])

# --- reduce and accumulate of subtract, divide, power, arctan2
print(
    np.subtract.reduce(a),
    np.subtract.reduce(a, axis=1, keepdims=True),
    np.subtract.reduce(g, initial=10),
    np.divide.reduce([8, 2, 2]),
    np.divide.reduce([4]),
    np.subtract.reduce(a, where=a > 2, initial=0),
    np.subtract.reduce(z),
    np.arctan2.reduce(np.ones((2, 2))).shape,
)
x = np.zeros(3, int)
print(
    np.subtract.reduce(a, out=x) is x,
    x,
    np.subtract.accumulate(a, axis=1),
    np.divide.accumulate([8, 2, 2]),
    np.divide.accumulate([4]),
    np.power.accumulate([2, 3, 2], dtype=float),
    np.subtract.accumulate(g, out=np.zeros(4)),
    np.subtract.accumulate(np.ones((0, 2))),
    np.subtract.reduceat(g, [0, 2]),
    np.add.reduceat(a, [0], axis=1, dtype=float),
    np.add.reduceat(g, [0, 3], out=np.zeros(2)),
)
attempt(np.subtract.reduce, a, axis=(0, 1))
attempt(np.subtract.reduce, [])
attempt(np.subtract.reduce, a, where=a > 2)
attempt(np.subtract.accumulate, z)
attempt(np.add.accumulate, z)
attempt(np.add.accumulate, 3)
attempt(np.add.reduceat, z, [0])
attempt(np.add.reduceat, g, [[0]])
attempt(np.negative.outer, a, a)

# --- functions with several results
for u in (np.divmod, np.modf, np.frexp):
    print(u.nin, u.nout, u.nargs, u.identity, u.signature)
print(
    np.vecdot.signature,
    np.matvec.nin,
    np.vecmat.nout,
    np.modf.types[:1],
    set('l d'.split()) <= {t[0] for t in np.divmod.types},
)
attempt(np.divmod.reduce, [1])
attempt(np.modf.reduce, [1])
attempt(np.divmod.accumulate, [1])
attempt(np.vecdot.reduce, [1])

# --- scalars as Python's numbers
print(
    np.float64(2).is_integer(),
    np.float32(2.5).is_integer(),
    np.int8(5).is_integer(),
    np.int8(5).bit_count(),
    np.float32(0.5).as_integer_ratio(),
    np.float64(0.1).hex(),
    np.float64(1.5).as_integer_ratio(),
    hasattr(np.float32(1), 'hex'),
    hasattr(np.float64(1), 'foo'),
    hasattr(np.int8(1), 'to_bytes') and False,
)
values = (np.float64(2.5), np.float32(2.5), np.float16(0.1), np.int8(3), np.uint64(2**64 - 1), np.complex128(1 + 2j), np.float64(np.inf))
for x in values:
    for m in 'as_integer_ratio is_integer hex bit_count __floor__ __ceil__ __trunc__ __round__ __copy__ fromhex'.split():
        print(hasattr(x, m), hasattr(type(x), m), end=' ')
        if hasattr(x, m) and m != 'fromhex':
            attempt(lambda: (getattr(x, m)(), type(getattr(x, m)()), getattr(type(x), m)(x)))
    for m in ('numerator', 'denominator'):
        attempt(lambda: (getattr(x, m), type(getattr(x, m))))
print(np.float64.fromhex('0x1.8p3'), type(np.float64.fromhex('0x1p3')), list(map(np.float64.is_integer, np.array([1.0, 2.5]))))

# --- ufuncs with an identity, and comparisons
for u in (np.gcd, np.hypot, np.logaddexp, np.logaddexp2, np.logical_xor):
    print(
        u.identity,
        np.round(u.reduce(a, axis=None) * 1, 6),
        np.round(u.reduce(t3, axis=(0, 2), keepdims=True) * 1, 6),
        np.round(u.reduce(t3, axis=(2, 0)) * 1, 6),
        np.round(u.reduce(a, axis=1, where=a > 2) * 1, 6),
        np.round(u.reduce(t3, axis=(0, 1), where=t3 > 7) * 1, 6),
    )
print(
    np.hypot.reduce([]),
    np.logaddexp.reduce([]),
    np.logical_xor.reduce([]),
    np.logical_xor.accumulate(a),
    np.equal.reduce(b),
    np.less.accumulate(b),
    np.subtract.reduce(a, axis=1, initial=1.5),
    np.gcd.reduce(np.array([], int)),
)
attempt(np.equal.reduce, a)
attempt(np.less.accumulate, g)
attempt(np.greater.reduceat, a, [0])
attempt(np.equal.reduce, a, axis=None)
x = g.copy()
np.ldexp.at(x, [0, 0, 1], 2)
print(x)
np.ldexp.at(x, [2, 3], [1, -1])
print(x)
attempt(np.modf.at, x, [0])

# --- empty, 0-d, complex and other operands
print(
    np.median(c),
    np.median([1j, 2, 3, 4j]),
    np.nanmedian(c),
    np.median([[1j, 2], [3, 4j]], axis=0),
    np.median([1j, np.nan]),
    np.isreal(3),
    np.iscomplex(3),
    np.isreal(2.5),
    repr(np.iscomplex(1j)),
    np.round(b),
    np.round(b).dtype,
    np.isin(z, [3]),
    repr(np.isin(z, [3], invert=True)),
)
print(
    np.tril([1, 2, 3]),
    np.triu(c),
    np.tril([]),
    np.vdot(b, b),
    np.vdot(b, ~b),
    repr(np.vdot(u8, i8[:3])),
    np.vdot(c, c),
    np.poly(np.float16([1.5, 2])).dtype,
    np.isinf(np.i0(np.float16([2, 20000]))),
)
print(
    np.convolve([0, 255, 7], [0.5, -1.5, np.nan]),
    np.convolve([1.0, 2, 3, 4], [np.inf, 1], 'same'),
    np.correlate([1.0, 2, 3], [np.nan, 1], 'full'),
    np.correlate([1.0, 2], [1, np.inf, 3], 'same'),
    np.correlate([1, 2, 3], [np.nan, 1]),
)
attempt(np.gradient, b)
attempt(np.tril, z) if False else 0
attempt(np.nanargmax, [])
attempt(np.nanargmin, np.ones((0, 3)))
attempt(np.correlate, [], [1])
attempt(np.correlate, [1], [])
attempt(np.correlate, 1, [1])
attempt(np.correlate, [[1]], [1])
attempt(np.searchsorted, z, 1)
attempt(np.digitize, c, [1, 2])
attempt(np.digitize, g, 2)
attempt(np.vstack, 3)
for x, y in (
    ([1.0, 2], [1, 5, 3]),
    ([1.0, 2], [1, 5, 3, 7]),
    ([1.0], [1, 5, 3]),
    ([1.0, 2, 4], [1, 5, 3, 7, 9]),
    ([1.0, 2, 4, 5], [1, 5, 3, 7, 9]),
    ([1.0, 2, 4, 5], [1, 5]),
    ([1j, 2], [1, 2j, 3]),
):
    for m in ('same', 'full', 'valid'):
        print(m, np.correlate(x, y, m), np.convolve(x, y, m))
