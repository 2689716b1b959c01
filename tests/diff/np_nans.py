# Reductions that ignore NaN, and quantiles by every method.
nan, inf = np.nan, np.inf
A = np.array([[10.0, nan, 4], [3, 2, 1], [nan, nan, 7]])

# --- values
for f in (np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.nanmedian):
    print(
        repr(f(A).round(9)),
        f(A, axis=0),
        f(A, axis=1, keepdims=True),
        repr(f([1, 2, 4]).round(9)),
        f(A.astype(np.float32)).dtype,
    )
for f in (np.nancumsum, np.nancumprod):
    print(f(A), f(A, axis=0), f(A, 1), f([1, 2, 3]), f(A, dtype=np.float32).dtype)

# --- argmin and argmax
for f in (np.nanargmax, np.nanargmin):
    print(repr(f(A)), f(A, axis=0), f(A, axis=1), f([3, 1, 2]), f(A, axis=1, keepdims=True))
for f in (lambda: np.nanargmax([nan, nan]), lambda: np.nanargmin(np.array([[1, nan], [2, nan]]), axis=0)):
    try:
        print(f())
    except ValueError as e:
        print(e)

# --- out, where, ddof
out = np.zeros(3)
print(
    np.nansum(A, axis=0, out=out) is out,
    out,
    np.nanmean(A, axis=0, out=out),
    np.nanvar(A, axis=1, out=out),
    np.nanstd(A, axis=0, ddof=0, out=out),
)
print(
    np.nanvar(A, ddof=1),
    np.nansum(A, where=A > 2),
    np.nanmean(A, where=A > 2),
    np.nanvar([1j, nan, 2]),
    np.nansum(A, initial=100),
)

# --- nan_to_num
print(
    repr(np.nan_to_num(nan)),
    repr(np.nan_to_num(inf)),
    repr(np.nan_to_num(3)),
    np.nan_to_num([inf, -inf, nan, 1.5]),
    np.nan_to_num(np.array([inf], np.float32)),
)
print(
    np.nan_to_num(np.array([complex(nan, inf), 1j]), nan=7, posinf=8),
    np.nan_to_num([nan, inf, -inf], nan=1, posinf=2, neginf=3),
)
a = np.array([nan, 1])
print(np.nan_to_num(a, copy=False) is a, a)

# --- quantiles by method
x = np.array([7.0, 1, 3, 12, 5, 5, 9])
for method in [
    'linear',
    'inverted_cdf',
    'averaged_inverted_cdf',
    'closest_observation',
    'interpolated_inverted_cdf',
    'hazen',
    'weibull',
    'median_unbiased',
    'normal_unbiased',
    'lower',
    'higher',
    'midpoint',
    'nearest',
]:
    for n in (7, 4, 1):
        print(
            method,
            n,
            np.quantile(x[:n], [0, 0.1, 0.25, 0.5, 0.625, 0.9, 1], method=method),
            np.percentile(x[:n].astype(int), 30, method=method),
        )
np.quantile(x, 0.5, method="none")

# --- quantiles of NaN
print(
    np.quantile(A, 0.5),
    np.nanquantile(A, 0.5),
    np.nanquantile(A, [0.25, 0.5], axis=0),
    np.nanpercentile(A, 50, axis=1, keepdims=True),
    np.quantile(A, 0.3, axis=1),
    np.nanmedian([1, 2, 5]),
)
x = np.array([7.0, 1, 3, 12, 5, 5, 9])
q = np.quantile(x.astype(np.float32), 0.3)  # NumPy 2.5 computes it in double
print(
    q.dtype,
    round(float(q), 5),
    np.quantile(x.astype(np.float32), [0.3]).dtype,
    repr(np.quantile([1, 2], 0)),
    repr(np.percentile([1, 2, 3], 50)),
    np.percentile(A, [50, 60], axis=(0, 1)).shape,
)
out = np.zeros(3)
print(np.nanpercentile(A, 50, axis=0, out=out) is out, out)

# --- not a fraction
for f in (lambda: np.quantile(A, 1.5), lambda: np.nanpercentile(A, -1), lambda: np.percentile(A, 101)):
    try:
        print(f())
    except ValueError as e:
        print(e)

# --- argmin and argmax of short rows
for T in ('i4', 'u4', 'i8', 'u8', 'f4', 'f8'):
    for n in (47, 48, 49, 55, 56, 64, 65, 100, 101, 511, 512, 513):
        for rows in (1, 7, 8, 16, 37):
            a = ((np.arange(rows * n) * 7919) % 1013).reshape(rows, n).astype(T)
            a[rows // 2] = a[rows // 2, 0]
            print(T, n, rows, a.argmax(axis=1).tolist(), a.argmin(axis=1).tolist())
            if T[0] == 'f':
                for at, what in ((0, np.inf), (rows - 1, -np.inf), (rows // 3, np.nan)):
                    a[at, n - 1 - at] = what
                    print(a.argmax(axis=1).tolist(), a.argmin(axis=1).tolist())

# --- quantiles of the remaining elements
s = np.linspace(0, 1, 500) ** 2
t = s.copy()
t[[3, 77, 400]] = np.nan
print(
    np.nanmedian(t),
    np.nanpercentile(t, [0, 10, 99.5, 100]),
    np.nanquantile(t, 0.3, method='lower'),
    np.nanmedian(s),
    np.nanmedian(t.reshape(20, 25), axis=1)[:5],
    np.nanmedian(s.reshape(20, 25), axis=1)[:5],
)
print(
    np.nanpercentile(s.reshape(20, 25), [20, 30], axis=0)[:, :4],
    np.nanmedian(np.full(4, np.nan)),
    np.nanmedian([[np.nan, 1], [2, 3]], keepdims=True),
    np.nanmedian([np.nan, 4, np.inf]),
    np.nanquantile(t.astype('f4'), 0.25),
    np.nanmedian(t.reshape(2, 250)),
    np.nanquantile([[1, np.nan], [3, 4]], [0.25, 0.5], axis=None),
)


# --- quantiles of more halves than a half counts
h = (np.arange(70000) % 7).astype("f2")
few = h[:65519] * h.dtype.type(0.5)
whole = np.arange(50001)
for m in "linear", "lower", "higher", "nearest", "inverted_cdf", "closest_observation", "hazen", "median_unbiased":
    for q in 0, 0.1, 25, 99, 99.9, 100:
        for a in h, few, h.reshape(2, -1):
            x, y = (a.astype("f8"), a) if np.__version__ < "2.4" or q == 100 else (a, a)  # older ones overflow
            print(m, q, np.percentile(x, q, axis=-1, method=m).tolist(), np.percentile(y, q, axis=-1).dtype)
x = whole.astype("f2" if np.__version__ >= "2.4" else "f8")
print(float(np.quantile(x, 0.999).astype("f2")))

# --- dtypes of quantiles (numpy 2.4 and before 2.5)
for t in "e", "f", "d", "i1", "?":
    a = np.arange(9).astype(t)
    for q in 0.5, 1, np.float64(0.5), np.float32(0.5), np.float16(0.5), [0.5], np.array(0.5), np.array([0.5], "f4"):
        for m in "linear", "lower", "hazen", "midpoint", "averaged_inverted_cdf":
            print(t, q, m, np.quantile(a, q, method=m).dtype, np.nanquantile(a, q, method=m).dtype)

# --- weights that are NaN (numpy 2.4)
for w in [1, np.inf, 1, 1], [1, np.nan, 1, 1], [0, 0, 0, 0], [1, 0, 0, 2], [0, 0, 1, 0]:
    for f in np.quantile, np.nanquantile:
        for x in [1.0, 2, 3, 4], [1.0, np.nan, 3, 4], [np.nan] * 4:
            try:
                print(w, x, f(x, [0, 0.3, 0.5, 1], weights=w, method="inverted_cdf"))
            except ValueError as e:
                print(w, x, e)

# --- quantiles of more halves than a half counts, all methods (numpy 2.4)
from showing import tell

h = (np.arange(70000) % 7).astype("f2")
for m in (
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
):
    for q in 0, 25, 99.9, [50, 10], np.float16(25), np.array(25):
        for f in np.percentile, np.nanpercentile:
            tell(lambda: f(h, q, method=m))
            tell(lambda: f(h[:65519], q, method=m))
            tell(lambda: f(h.reshape(2, -1), q, axis=1, method=m))
tell(lambda: np.median(h))
tell(lambda: np.nanmedian(h))
g = (np.arange(6000) % 97).astype("f2").reshape(2, -1)
g[0, :5] = np.nan
for q in 33, 12.7, np.float16(50.3):
    print(np.nanpercentile(g, q, axis=1), np.nanpercentile(g.astype("f4"), q, axis=1))

# --- quantiles of infinities
for x in [np.inf] * 3, [1, np.inf, np.inf], [-np.inf, np.inf, 0], [-np.inf, -np.inf, 0]:
    for m in "linear", "hazen", "midpoint", "averaged_inverted_cdf", "nearest", "lower":
        print(np.percentile(x, [0, 25, 40, 50, 75, 100], method=m), np.nanpercentile(x, [0, 50, 75], method=m))
    print(np.median(x), np.nanmedian(x))
