# Reductions and cumulative operations.
# --- sum mean min max
a = np.arange(6).reshape(2, 3)
print(a.sum(), a.mean(), a.min(), a.max(), a.prod(), np.sum(a), np.mean(a), repr(a.sum()), repr(a.mean()))
# --- axis
a = np.arange(6).reshape(2, 3)
print(
    a.sum(0), a.sum(1), a.sum(axis=-1), a.mean(axis=0), a.max(axis=1), a.min(axis=0), a.prod(axis=1), a.sum(axis=(0, 1))
)
# --- keepdims
a = np.arange(6).reshape(2, 3)
print(
    a.sum(axis=1, keepdims=True),
    a.mean(axis=0, keepdims=True),
    a.sum(keepdims=True),
    a.max(axis=(0, 1), keepdims=True).shape,
)
# --- three dims
a = np.arange(24).reshape(2, 3, 4)
print(a.sum(axis=0), a.sum(axis=1), a.sum(axis=2), a.sum(axis=(0, 2)), a.max(axis=(1, 2)), a.mean(axis=-2))
# --- result dtypes of sum
for t in ("bool", "int8", "int32", "uint8", "uint64", "float16", "float32", "complex64"):
    a = np.ones(3, dtype=t)
    print(t, a.sum().dtype, a.prod().dtype, a.mean().dtype, a.max().dtype, np.cumsum(a).dtype, end="; ")
# --- dtype argument
a = np.array([200, 100], dtype=np.uint8)
print(a.sum(), a.sum(dtype=np.uint8), a.mean(dtype=np.float32), repr(a.sum(dtype=float)))
# --- var and std
a = np.array([[1.0, 2, 4], [3, 5, 9]])
print(a.var(), a.std(), a.var(axis=0), a.std(axis=1), a.var(ddof=1), np.std(a, axis=0, ddof=1), np.var([1, 2, 3, 4]))
# --- any and all
a = np.array([[True, False], [True, True]])
print(
    a.any(),
    a.all(),
    a.any(axis=0),
    a.all(axis=1),
    np.any([0, 0]),
    np.all([]),
    np.any([]),
    np.all([1, 2]),
    repr(np.all([1])),
)
# --- argmin argmax
a = np.array([[3, 1, 2], [1, 9, 1]])
print(a.argmin(), a.argmax(), a.argmin(axis=0), a.argmax(axis=1), np.argmax([1, 3, 3]), repr(np.argmax([1])))
# --- argmax with nan
a = np.array([1.0, np.nan, 3, np.nan])
print(a.argmax(), a.argmin(), a.max(), a.min(), np.nanmax(a), np.nanmin(a), np.nansum(a), np.nanmean(a))
# --- count_nonzero and ptp
a = np.array([[0, 1, 2], [3, 0, 0]])
print(np.count_nonzero(a), np.count_nonzero(a, axis=0), np.ptp(a), np.ptp(a, axis=1), np.count_nonzero(a > 1))
# --- cumulative
a = np.arange(1, 7).reshape(2, 3)
print(
    np.cumsum(a),
    a.cumsum(axis=0),
    np.cumsum(a, axis=1),
    np.cumprod(a),
    a.cumprod(axis=1),
    np.cumsum([True, True, False]),
)
# --- reductions of empty arrays
print(
    np.sum([]), np.prod([]), np.zeros((0, 3)).sum(axis=0), np.zeros((0, 3)).sum(axis=1), np.zeros((2, 0)).prod(axis=1)
)
# --- reductions of one element and of scalars
print(np.sum(5), np.mean(3), np.max(2.5), np.array(4).sum(), np.array([7]).mean(), np.sum([[1]]), np.prod(3))
# --- where argument
a = np.arange(6).reshape(2, 3)
m = a % 2 == 0
print(a.sum(where=m), a.sum(axis=0, where=m), np.mean(a, where=m), a.max(where=m, initial=-1), np.any(a > 4, where=m))
# --- initial
print(np.sum([1, 2], initial=10), np.max([1, 2], initial=5), np.prod([2], initial=3), np.min([], initial=4))
# --- reductions of slices and transposes
a = np.arange(20).reshape(4, 5)
print(a[::2].sum(), a[:, 1:4].sum(axis=1), a.T.sum(axis=0), a[::-1, ::2].max(axis=1), a[1:3, 1:3].mean())
# --- reductions of expressions
a = np.arange(5.0)
print((a * 2 + 1).sum(), (a**2).mean(), (a > 2).sum(), np.abs(a - 2).max(), ((a - a.mean()) ** 2).mean(), a.var())
# --- expressions of reductions
a = np.arange(6.0).reshape(2, 3)
print(a - a.mean(axis=1, keepdims=True), a / a.sum(axis=0), (a - a.mean()) / a.std(), a[:, None].sum(axis=0))
# --- softmax
x = np.array([[1.0, 2, 3], [0, 0, 0]])
e = np.exp(x - x.max(axis=1, keepdims=True))
print(e / e.sum(axis=1, keepdims=True))
# --- normalisation of rows
x = np.arange(12.0).reshape(3, 4)
print((x - x.mean(1)[:, None]) / np.sqrt(x.var(1)[:, None] + 1e-5))
# --- bool sums count
a = np.array([True, True, False])
print(a.sum(), a.mean(), a.prod(), repr(a.sum()), a.max(), a.min(), repr(a.max()))
# --- integer overflow wraps in arrays
a = np.array([100, 100, 100], dtype=np.int8)
print(a + a, a.sum(), a * 2, np.cumsum(a, dtype=np.int8), a.sum(dtype=np.int8))
# --- complex reductions
a = np.array([1 + 1j, 2 - 3j])
print(a.sum(), a.mean(), a.prod(), np.abs(a), a.var(), a.std(), a.real.sum())
# --- ufunc reduce accumulate outer
print(
    np.add.reduce([1, 2, 3]),
    np.multiply.reduce([1, 2, 3, 4]),
    np.add.accumulate([1, 2, 3]),
    np.multiply.outer([1, 2], [3, 4]),
    np.maximum.reduce([[1, 5], [3, 2]], axis=0),
    np.subtract.outer([1, 2], [1]),
)
# --- logical reductions
print(
    np.logical_and.reduce([True, False]),
    np.logical_or.reduce([0, 1]),
    np.bitwise_or.reduce([1, 2, 4]),
    np.maximum.accumulate([1, 3, 2, 5]),
)
# --- median and percentile (later)
a = np.array([[3, 1, 2], [9, 7, 8]])
print(
    np.median(a),
    np.median(a, axis=0),
    np.percentile(a, 50),
    np.quantile([1, 2, 3, 4], 0.25),
    np.percentile([1, 2, 3], [0, 50, 100]),
)
# --- average and weights
print(np.average([1, 2, 3]), np.average([1, 2, 3], weights=[3, 0, 1]), np.average([[1, 2], [3, 4]], axis=0))
# --- dot products
a = np.array([1, 2, 3])
b = np.array([4, 5, 6])
print(np.dot(a, b), a @ b, (a * b).sum(), np.vdot(a, b), np.inner(a, b), np.outer(a, b), a.dot(b))
# --- matrix products
a = np.arange(6).reshape(2, 3)
b = np.arange(12).reshape(3, 4)
print(a @ b, np.matmul(a, b), np.dot(a, b), a @ [1, 1, 1], [1, 1] @ a, (a.T @ a).shape)
# --- matrix products of floats and stacks
a = np.arange(8.0).reshape(2, 2, 2)
print(a @ a, (a @ np.eye(2)).shape, np.matmul(a, [1.0, 2.0]), a[0].T @ a[1])
# --- trace and diagonal
a = np.arange(9).reshape(3, 3)
print(np.trace(a), a.trace(), a.diagonal(), np.diagonal(a, 1), np.trace(a, offset=1))
# --- large sums are exact for integers
a = np.arange(100001)
print(a.sum(), (a * a).sum(), a.astype(np.int32).sum(), a.astype(np.float64).sum(), a.mean())
# --- sums of many equal floats
print(np.full(1000, 0.5).sum(), np.ones(4096, np.float32).sum(), np.ones((100, 100)).sum(axis=0)[:3])
# --- min and max of several dtypes
for t in ("int8", "uint16", "float32", "bool"):
    a = np.array([0, 3, 1]).astype(t)
    print(repr(a.min()), repr(a.max()), end=" ")
# --- histogram and bincount (later)
print(
    np.bincount([0, 1, 1, 3]),
    np.histogram([1, 2, 1, 4], bins=3),
    np.histogram([0.5, 1.5], bins=[0, 1, 2])[0],
    np.digitize([0.5, 2.5], [1, 2]),
)
# --- cumulative along all axes
a = np.arange(8).reshape(2, 2, 2)
print(a.cumsum(0), a.cumsum(1), a.cumsum(2), np.diff(a, axis=0))

# --- running sums of negative zeros, long and short
for t in (np.float32, np.complex64, np.complex128):
    for n in (1, 300, 70000):
        x = np.zeros(n, t)
        x.real = -0.0
        if x.dtype.kind == "c":
            x.imag = -0.0
        s = np.cumsum(x)
        print(
            np.dtype(t),
            n,
            np.signbit(s.real).all(),
            np.signbit(s.imag).all(),
            s[-1],
            np.cumsum(x.reshape(1, -1), axis=1)[0, 0],
        )

# --- many slices at once
x = np.arange(50000) % 97
for at in (np.arange(0, 50000, 7), np.array([0, 1, 2, 40000, 3, 3, 9, 49999, 0, 17, 45000, 45001, 4, 30, 31, 32, 33])):
    print(
        np.add.reduceat(x, at).sum(),
        np.add.reduceat(x, at)[:9],
        np.maximum.reduceat(x, at)[-9:],
        np.minimum.reduceat(x.astype(np.int16), at)[:9],
    )
    print(
        np.multiply.reduceat((x + 1) / 50, at)[-3:],
        np.logical_and.reduceat(x, at)[:9],
        np.logical_or.reduceat(x == 3, at)[:9],
        np.bitwise_and.reduceat(x, at)[-9:],
        np.bitwise_xor.reduceat(x.astype(np.uint8), at)[:9],
    )
    print(
        np.add.reduceat(x.astype(np.int8), at).dtype,
        np.add.reduceat(x, at, dtype=np.float32)[:4],
        np.add.reduceat(x > 50, at)[:4],
        np.add.reduceat(x + 1j, at)[:4],
    )
y = x.reshape(50, 10, 100)
at = np.arange(0, 50, 3)
print(
    np.add.reduceat(y, at).shape,
    np.add.reduceat(y, at)[:, 1, 1],
    np.add.reduceat(y, np.arange(0, 100, 6), axis=2)[3, 4],
    np.maximum.reduceat(y, np.arange(99, -1, -1), axis=-1)[1, 1, :5],
    np.add.reduceat(y[:, :, ::-2], np.arange(0, 50, 2), axis=2)[0, 0, :4],
)
o = np.zeros(17)
print(np.add.reduceat(x, np.arange(17), out=o) is o, o)
for at in (np.arange(20) * 5000, np.arange(20) - 1):
    try:
        np.add.reduceat(x, at)
    except IndexError as e:
        print(e)


# --- bincount: growing tables, weights, errors
def attempt(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__, e)


m = (np.arange(100000) * 7919) % 65521
attempt(np.bincount, [1, -1], weights=[1])
attempt(np.bincount, [1, 2], weights=[1])
attempt(np.bincount, [], minlength=3)
attempt(np.bincount, np.array([10**15, -1]))
attempt(np.bincount, [1, 2], weights=[[1, 2]])
attempt(np.bincount, [3], minlength=9)
attempt(np.bincount, [3, 3], [0.5, 2])
attempt(np.bincount, np.array([70000, 3], np.uint32))
attempt(np.bincount, np.array([True, False, True]))
for x in (
    m,
    m * 3,
    np.append(m % 10, [100000, 200000, 7]),
    np.append(np.zeros(5000, int), np.arange(300000)),
    m.astype(np.uint16),
    m[::-3],
):
    c = np.bincount(x)
    w = np.bincount(x, x * 0.25 + 1)
    print(c.dtype, c.shape, c.sum(), c[:7], c[-3:], c.argmax(), w.dtype, w.sum(), w[-4:])
attempt(np.bincount, np.append(m, -5))
attempt(np.bincount, np.append(m * 9, -5), weights=np.append(m, 2))

# --- copies of broadcast arrays are writable
for r, axis in ((3, None), (2, 0), (1, 1), (0, 0), (3, -1)):
    x = np.repeat(np.arange(12).reshape(3, 4), r, axis=axis)
    print(x.tolist(), x.flags.owndata, x.base is None, x.flags.writeable, x.shape)
x = np.repeat([5], 4)
x[1] = 6
print(x)
x = np.arange(3)
y = np.repeat(x, 1)
y[0] = 9
z = np.tile(x, 1)
z[1] = 8
print(x, y, z, z.base is None, z.flags.owndata)
for reps in (3, (2, 1), (1, 2), (2, 2, 2), 0, ()):
    x = np.tile(np.arange(6).reshape(2, 3), reps)
    print(x.tolist(), x.shape, x.flags.writeable)
x = np.tile([[1.5]], (2, 3))
x[0, 0] = 0
print(x)
x = np.arange(4)
y = np.repeat(x, 3)
z = np.tile(x, 2)
x[2] = 7
print(y, z)

# --- segments of unequal lengths around the edges of blocks
n = 24000
lengths = np.array(
    [
        1,
        2,
        15,
        16,
        17,
        31,
        32,
        33,
        63,
        64,
        65,
        127,
        128,
        1023,
        1024,
        1025,
        1039,
        1040,
        1041,
        1055,
        1056,
        2047,
        2048,
        2049,
        3071,
        4095,
        1,
        1,
        600,
    ]
)
at = np.cumsum(lengths) - lengths
for t in (np.int32, np.int64, np.float32, np.float64):
    x = ((np.arange(n) * 7919 + 13) % 1009 - 504).astype(t)
    for f in (np.add, np.maximum, np.minimum, np.fmax, np.fmin):
        r = f.reduceat(x, at)
        print(np.dtype(t), f.__name__, r.dtype, r)
    print(
        np.multiply.reduceat(np.where(x > 500, 2, 1).astype(t), at[:20]),
        np.add.reduceat(x.reshape(24, 1000), at[:14], axis=1)[19],
        np.add.reduceat(x.reshape(-1, 2), at[:20], axis=0)[:, 1],
        np.add.reduceat(x[::-1], at)[-3:],
    )
    if np.dtype(t).kind == "f":
        x[[5, 3000]] = np.nan
        print(
            np.maximum.reduceat(x, at),
            np.fmin.reduceat(x, at),
            np.add.reduceat(-0 * x, at)[:3],
            np.minimum.reduceat(x, at[::-1].copy()),
        )
    else:
        print(np.bitwise_and.reduceat(x, at), np.bitwise_or.reduceat(x, at), np.bitwise_xor.reduceat(x, at))
big = np.full(3000, np.iinfo(np.int64).max)
print(
    np.add.reduceat(big, at[:16]),
    np.add.reduceat(np.ones(3000, bool), at[:16]),
    np.add.reduceat(np.full(3000, 0.125), at[:16], dtype=np.float32),
)

# --- any and all of long arrays, wherever they are settled
for shape in (300001,), (3, 40000), (2, 2, 33000):
    a = np.zeros(shape, dtype=bool)
    print(a.any(), a.all(), a.max(), a.min(), a.any(axis=-1), (~a).all(axis=-1))
    for at in 0, 16383, 16384, 32000, a.size - 1:
        a[...] = False
        a.reshape(-1)[at] = True
        print(
            a.any(),
            (~a).all(),
            a.max(),
            (~a).min(),
            a.any(axis=-1),
            (~a).all(axis=-1),
            np.logical_or.reduce(a, axis=-1),
        )
        print((a > 0).any() and (~a).any(), np.any(a.astype(float) > 0.5, axis=-1), a.sum())

# --- the largest and smallest of long arrays with NaN and zeros of both signs
for t in np.float32, np.float64:
    a = np.arange(100003, dtype=t) % 997 - 300
    print(a.max(), a.min(), np.ptp(a), np.fmax.reduce(a), np.fmin.reduce(a))
    for at in 0, 5, 77777, 100002:
        b = a.copy()
        b[at] = np.nan
        print(
            b.max(),
            b.min(),
            np.nanmax(b),
            np.nanmin(b),
            np.fmax.reduce(b),
            np.fmin.reduce(b),
            np.maximum(a, b)[at],
            np.fmin(b, a)[at],
        )
    print(
        np.maximum(t(np.nan), a[:3]), np.maximum(a[:3], t(np.nan)), np.fmax(t(np.nan), a[:3]), np.fmin(a[:3], t(np.nan))
    )

# --- argmin and argmax of rows
for T in (np.float32, np.float64, np.int32, np.int64, np.uint32, np.int16):
    for rows, n in ((300, 100), (1, 100), (7, 48), (8, 64), (17, 49), (40, 512), (33, 513), (5, 2049)):
        a = ((np.arange(rows * n) * 7919 % 1009).reshape(rows, n) - 500).astype(T)
        r = [a.argmax(axis=1), a.argmin(axis=1)]
        if T in (np.float32, np.float64):
            b = a.copy()
            b[rows // 2, 3] = b[rows // 2, 40] = np.nan
            b[0, 5] = b[0, 40] = np.inf
            b[0, 6] = -np.inf
            r += [b.argmax(axis=1), b.argmin(axis=1)]
            b[...] = -0.0
            b[:, 1::2] = 0.0
            r += [b.argmax(axis=1), b.argmin(axis=1)]
        print(T, rows, n, [int((x * np.arange(1, rows + 1)).sum()) for x in r])


# --- sums of negative zeros begin with 0
def neg(shape, T):
    return np.full(shape, -0.0, dtype=T)


for T in (np.float16, np.float32, np.float64):
    z = neg(1, T)
    print(
        z.sum(),
        z.prod(),
        np.add.reduce(z),
        neg((3, 1), T).sum(axis=1),
        neg((1, 3), T).sum(axis=0),
        neg((2, 3), T).sum(axis=0),
        neg((2, 3), T).sum(),
    )
    print(
        neg((1, 3), T).mean(axis=0),
        z.mean(),
        np.mean(z, dtype=float),
        np.nansum(z),
        np.nanmean(z),
        np.add.accumulate(z),
        np.add.reduce(neg((3, 1, 2), T), axis=1).tolist(),
        np.add.reduce(neg((1, 1, 2), T), axis=(0, 1)),
    )
    print(
        neg((), T).sum(),
        np.add.reduce(z, initial=-0.0),
        np.add.reduce(z, initial=0.0),
        np.sum(z, where=[True]),
        np.add.reduce(neg((), T)),
        np.sum(T(-0.0)),
        np.add.reduce(neg((1, 3), T), axis=()),
        np.einsum('i->', z),
    )
for T in (np.complex64, np.complex128):
    print(neg(1, T).sum(), neg((3, 1), T).sum(axis=1), neg(1, T).mean(), np.add.reduce(neg((1, 2), T), axis=0))

# --- a slice of one element is that element
for T in (np.float16, np.float32, np.float64):
    a = np.full(40, -0.0, dtype=T)
    print(
        np.add.reduceat(a[:2], [0, 1]),
        np.add.reduceat(a[:6].reshape(2, 3), [0, 1], axis=0),
        np.add.reduceat(a[:4], [3, 2, 3]),
        np.multiply.reduceat(a[:3], [0, 1]),
    )
    print(
        np.add.reduceat(a, np.arange(40)).tolist(),
        np.add.reduceat(a + (np.arange(40) == 7), np.append(np.arange(1, 39, 2), 39)).tolist()[-5:],
        np.add.reduceat(a, np.arange(40), dtype=float).tolist()[:3],
    )
print(
    np.add.reduceat(np.full(3, 2, np.int8), [0, 1, 2]),
    np.add.reduceat(np.full(3, 2, np.int8), [0, 1], dtype=np.float32),
    np.add.reduceat(np.full(3, 2.5), [1, 2], dtype=np.int64),
)

# --- many slices of unequal length, of floats whose sums are exact
n = 100000
for T in ("f4", "f8"):
    x = (np.arange(n) * 7919 % 1009 - 500).astype(T)
    for m, step in ((5000, 23), (333, 301), (20, 3333)):
        at = np.arange(m) * step * 7 % n
        print(np.add.reduceat(x, at).tolist()[:: m // 20])
        at = np.sort(at)
        at[3:9] = at[3]
        print(
            np.add.reduceat(x, at).tolist()[:: m // 20],
            np.add.reduceat(x[::-2], at // 2).sum(),
            np.add.reduceat(x, at, dtype=T)[5:9],
        )
    print(np.add.reduceat(np.full(100, -0.0, T), np.array([0, 1, 2, 2, 4] * 4)))
    for odd in (np.nan, np.inf):
        print(np.isfinite(np.add.reduceat(np.where(np.arange(n) == 55, odd, x), at)).sum())
    try:
        np.add.reduceat(x, np.arange(20) * 6000)
    except IndexError as e:
        print(e)
    out = np.zeros(20, T)
    np.add.reduceat(x, at, out=out)
    print(out[:4])

# --- slices of a few elements, of hundreds, of hundreds of thousands
x = np.arange(300000) * 7919 % 1009 - 500
at = np.array([0, 1, 3, 3, 2, 40, 73, 106, 500, 1500, 10000, 280000, 280001, 280010, 280700, 290000, 5, 299999])
for T, names in (
    ("f4", ("add", "maximum")),
    ("f8", ("add",)),
    ("i8", ("add", "minimum", "multiply")),
    ("i4", ("add", "maximum")),
):
    y = x.astype(T)
    for name in names:
        u = getattr(np, name)
        print(
            T,
            name,
            u.reduceat(y, at),
            u.reduceat(y, np.arange(0, 300000, 10000))[::3],
            u.reduceat(y[::-2], at // 2)[::4],
            u.reduceat(y, np.arange(3000) * 10)[::100],
        )
    try:
        np.add.reduceat(y, np.arange(20) * 60000)
    except IndexError as e:
        print(e)
w = x.astype("f4")
w[250000] = np.nan
w[123] = np.inf
o = np.zeros(at.size, "f4")
np.add.reduceat(w, at, out=o)
print(o, np.maximum.reduceat(w, at))

# --- sums of -0.0 only
for T in ("f4", "f8"):
    z = np.full(1000, -0.0, T)
    for at in ([0, 500], [0, 7, 9, 900], np.arange(20) * 50, np.arange(0, 1000, 7), np.array([0, 1, 2, 2, 4] * 4)):
        print(np.add.reduceat(z, at)[:9])
    print(
        z.sum(),
        z[:1].sum(),
        np.add.reduce(z, initial=-0.0),
        np.add.reduce(z.reshape(10, 100), axis=1, initial=-0.0)[:3],
        np.sum(np.append(z, 0), initial=-0.0),
    )

# --- variances of complex numbers in a dtype of floats
z = np.array([1 + 2j, 3 - 1j, 2, 2.5j])
for a in z, z.astype("c8"), z.reshape(2, 2), z.tolist():
    for t in "f2", "f4", "f8", "c8", "i4":
        for f in np.var, np.std:
            for r in (
                f(a, dtype=t),
                f(a, axis=-1, dtype=t, ddof=1),
                f(a, dtype=t, where=np.array([True, False] * (2 if np.ndim(a) == 1 else 1))),
                f(a, dtype=t, mean=np.mean(a, keepdims=True)),
            ):
                print(t, r.dtype, r.shape, np.round(r.astype("c16"), 2).tolist())


# --- no value to begin with
from showing import tell

for f in (
    np.sum,
    np.prod,
    np.max,
    np.add.reduce,
    np.multiply.reduce,
    np.logical_or.reduce,
    np.bitwise_and.reduce,
    np.nansum,
    np.nanprod,
):
    for v in [], [1, 2], np.zeros((0, 3), int), np.zeros((2, 0), int), [True]:
        tell(lambda: f(v, initial=None))
        tell(lambda: f(v, axis=0, initial=None))
        tell(lambda: f(v, initial=None, where=False))
tell(lambda: np.array([]).sum(initial=None))
tell(lambda: np.array([1.5]).prod(initial=None))
tell(lambda: np.sum(np.zeros((0, 2)), axis=1, initial=None))
for d in None, "i1", float:
    print(
        np.indices((2, 2), dtype=d).dtype,
        np.indices((2, 2), d, sparse=True)[0].dtype,
        np.fromfunction(lambda a, b: a + b, (2, 2), dtype=d),
    )
for t in "?bhilBHI":
    tell(lambda: np.ldexp.accumulate(np.arange(3).astype(t)))
    tell(lambda: np.ldexp.reduceat(np.arange(3).astype(t), [0, 1]))
    tell(lambda: np.ldexp.accumulate(np.arange(3).astype(t), dtype="f8"))
# --- reduce, accumulate, reduceat of arrays without axes
def attempt(f):
    try:
        return repr(f())
    except Exception as error:
        return type(error).__name__, str(error)
for u in (np.add, np.logical_xor, np.maximum, np.less, np.bitwise_or):
    for a in (np.float64(1), np.array(1), 1, np.array(3) > 2):
        for axis in (0, 1, -1, None):
            print(u.__name__, [attempt(f) for f in (lambda: u.accumulate(a, axis=axis), lambda: u.reduce(a, axis=axis),
                lambda: u.reduceat(a, [0], axis=axis))])

# --- initial= of reductions by steps is a number of the result's dtype
for f in np.subtract, np.divide:
    for t in "f8", "i4", "c16":
        for initial in 1j, 1.5, 7, 2**70, True:
            if t == "i4" and initial == 2**70 and f is np.subtract:
                continue  # OverflowError in other words
            try:
                print(f.__name__, t, initial, f.reduce(np.ones(3, t), initial=initial))
            except TypeError as e:
                print(f.__name__, t, initial, e)
# --- the initial= of a reduction without dimensions is a number of the result's dtype
x = np.array(5, np.int16)
for keepdims in (True, False):
    print(repr(np.remainder.reduce(x, axis=0, keepdims=keepdims, initial=np.float32(1.5))))
    print(repr(np.subtract.reduce(x, axis=0, keepdims=keepdims, initial=2.5)))
# --- reduceat, and joins of reductions, of arrays without elements
for shape in ((0, 2), (0, 3, 2), (2, 0, 3)):
    x = np.zeros(shape)
    last = x.ndim - 1
    for f in np.add, np.maximum:
        print(f.__name__, f.reduceat(x, [0, 1], axis=last).shape)
    rows = [x.sum(last)[..., None], (x * 2).sum(last)[..., None]]
    print(np.concatenate(rows, last).shape, np.stack([r[..., 0] for r in rows], last).shape)
# --- a NumPy scalar as initial is stored as an element of the accumulator's dtype
for dtype in ("u1", "i1", "u8", "i8", "f4", "?"):
    for initial in (np.int64(-1), np.int64(300), np.float64(2.7), np.float64(np.nan), np.uint64(2**63), np.int8(-1), -1, 300, True, np.array(-1)):
        for f in (np.max, np.sum, np.prod):
            try:
                with np.errstate(all="ignore"):
                    print(repr(f(np.array([1, 0], dtype), initial=initial)))
            except (OverflowError, ValueError) as e:
                print(type(e).__name__, e)
