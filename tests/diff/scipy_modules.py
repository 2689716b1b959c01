# SciPy's modules other than sparse, against SciPy.
def show(*values, digits=9, signed_zeros=True):
    for v in values:
        v = np.asarray(v)
        print(v.dtype, v.shape, *[f'{e:.{digits}e}' for e in (v if signed_zeros else v + 0.0).ravel()])


def show8(*values):
    show(*values, digits=8)


def show_unsigned(*values):
    show(*values, digits=8, signed_zeros=False)


# --- special (scipy 1.10)
from scipy.special import erf, erfc, gamma, gammaln, expit, logit, xlogy, ndtr, logsumexp, softmax, factorial

x = np.linspace(-3, 3, 7)
for f in (erf, erfc, expit, ndtr):
    print(np.round(f(x), 9), f(x.astype(np.float32)).dtype)
print(
    np.round(gamma([0.5, 1, 4.5]), 9),
    np.round(gammaln([0.5, 1, 30.0]), 9),
    np.round(logit([0.1, 0.5]), 9),
    np.round(xlogy([0.0, 2.0], [0.0, 3.0]), 9),
)
print(
    np.round(logsumexp([[1.0, 2], [1000, 1001]], axis=1), 9),
    np.round(logsumexp([0.0, 1], b=[1, 2]), 9),
    np.round(softmax(x.reshape(1, 7), axis=1), 9),
)
print(factorial([0, 3, 5]), factorial(4), factorial(10, exact=True))
# --- special: errors and normal distribution (scipy 1.10)
from scipy import special

x = np.array(
    [-30, -5.5, -2.25, -1, -0.5, -1e-3, 0, 1e-10, 0.3, 0.999, 1.5, 1.99, 2, 3.7, 30, 200.0, np.inf, -np.inf, np.nan]
)
p = np.array(
    [-0.1, 0, 1e-300, 1e-20, 1e-5, 0.01, 0.074, 0.076, 0.3, 0.5, 0.6, 0.9, 0.924, 0.926, 0.99999, 1, 1.1, np.nan]
)

with np.errstate(all='ignore'):
    show(
        special.erfcx(x),
        special.log_ndtr(x),
        special.ndtri(p),
        *[
            f(v) + 0.0
            for f, v in ((special.erfinv, p), (special.erfinv, -p), (special.erfcinv, p), (special.erfcinv, 2 - p))
        ],
    )
show(special.erfinv(np.float32([0.25, 0.5])).dtype == np.float32, special.ndtri(0.25))

# --- special: poles, infinities and NaN of two and three arguments (scipy 1.10)
from scipy import special

v = np.array([-3.0, -1.0, 0.0, 0.3, 1.0, 2.5, 10.0, 100.0, np.inf])
for f in (special.beta, special.betaln):
    for x in v:
        print(f.__name__, x, np.round(np.asarray(f(x, v[:-1] if x == np.inf else v), dtype=float), 9) + 0.0)
    print(f(v[3:], np.nan))
print(
    special.binom(np.nan, v[3:]),
    special.binom(v[3:-1], np.nan),
    special.factorial(np.array([-2.5, -1, -0.5, 0, 0.5, 3, 20, np.nan])).round(9),
)
for a, b in ((0.0, 0.5), (0.0, 80.0), (4.0, 0.0), (np.inf, 2.0), (2.0, np.inf)):
    print(a, b, special.betainc(a, b, np.array([0, 0.3, 0.99, 1])), special.betaincc(a, b, np.array([0, 0.3, 0.99, 1])))

# --- special: the gamma function and its kin (scipy 1.10)
from scipy import special

pos = np.array([1e-3, 0.1, 0.5, 1, 2.5, 9.9, 10, 33.3, 150, 1e3])
a, b = np.meshgrid(pos, pos)

with np.errstate(all='ignore'):
    show8(
        special.psi(np.concatenate([pos, [-0.5, -7.25, -2, 0.0, -0.0, np.nan]])),
        special.rgamma([-2, -0.5, 0, 0.5, 4]),
        special.beta(a, b),
    )
    show8(
        special.zeta(1 + pos / 1e6),
        special.zeta(np.linspace(1.01, 70, 40)),
        special.zeta(np.float32([1.5, 2, 30])).dtype == np.float32,
        special.zeta([1.0, np.nan, np.inf, 1e300]),
    )
    show8(
        special.gammainc(a, b),
        special.gammaincc(a, b),
        special.zeta(1 + pos),
        special.zeta(1 + a, b),
        special.digamma(3),
    )
    show8(*[special.betainc(a, b, v) for v in (0, 1e-8, 0.01, 0.3, 0.5, 0.77, 0.999, 1)])
    show8(
        special.gammainc([0, 0, -1, 1, 1, 2, np.nan], [1, 0, 1, -1, np.inf, 0, 1]),
        special.gammaincc([0, 0, -1, 1, 1, 2, np.nan], [1, 0, 1, -1, np.inf, 0, 1]),
    )
    show8(
        special.betainc([-1, 1, 1, np.nan], [1, -1, 1, 1], [0.5, 0.5, 1.5, 0.5]), special.zeta([1, 2, 3], [1, 0, -2.0])
    )
show8(*[special.polygamma(n, pos) for n in (0, 1, 2, 5)], special.betaln([1, 0.5, 20, 100], [2, 0.25, 30, 0.5]))
show8(
    special.binom([5, 10, 100, 1000, 2.5, 0.5, 40, 30], [2, 5, 50, 300, 1, 2.5, 39, 15.0]),
    special.comb([5, 10, 100, 3], [2, 5, 50, 4]),
)
show8(special.perm([5, 10, 20, 3], [2, 5, 3, 4]), special.comb(5, 2, repetition=True))
print(
    special.comb(40, 20, exact=True),
    special.comb(3, 5, exact=True),
    special.comb(5, 2, exact=True, repetition=True),
    special.perm(7, 3, exact=True),
    special.perm(3, 5, exact=True),
)
# --- special: inverses (scipy 1.10)
from scipy import special

a, y = np.meshgrid(
    np.array([1e-2, 0.1, 0.5, 1, 2.5, 9.9, 33.3, 1e3]),
    np.array([1e-100, 1e-10, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1 - 1e-9]),
)

show8(
    special.gammaincinv(a[:, 1:], y[:, 1:]),
    special.gammainccinv(a[:, 1:], y[:, 1:]),
    special.betaincinv(a[1:, 1:], 2.5, y[1:, 1:]),
    special.betaincinv(a[1:, 1:], 0.3, y[1:, 1:]),
)
show8(special.stdtrit(a[2:, 2:], y[2:, 2:]), special.stdtr(*np.meshgrid(a[0], [-50, -3, -1, -0.1, 0, 0.1, 1, 3, 50.0])))
show8(
    special.gammaincinv([1, 1, 1, 1, 0, np.nan], [0, 1, -0.1, 1.1, 0.5, 0.5]),
    special.betaincinv([1, 1, 1, 1], [2, 2, 2, -1], [0, 1, -0.1, 0.5]),
    special.betaincc(a[3:5, 2:], 1.5, 0.25),
)
# --- special: single precision is computed in double, and rounded once (scipy 1.17)
from scipy import special

g = np.arange(400)
u, w = (g * 0.6180339887498949 % 1).astype("f4"), (g * 0.7548776662466927 % 1).astype("f4")
x, a, b = u * np.float32(20) - np.float32(10), u * np.float32(5) + np.float32(0.1), w * np.float32(5) + np.float32(0.1)
for f, v in (
    (special.psi, (x,)),
    (special.beta, (a, b)),
    (special.betaln, (a, b)),
    (special.gammainc, (a, b)),
    (special.gammaincc, (a, b)),
    (special.binom, (2 * a, b)),
    (special.rel_entr, (u, w)),
    (special.kl_div, (u, w)),
    (special.ndtr, (x,)),
    (special.log_ndtr, (x,)),
    (special.ellipk, (u,)),
    (special.ellipe, (-x,)),
    (special.ellipkm1, (u,)),
    (special.gammaincinv, (a, w)),
    (special.gammainccinv, (a, w)),
):
    r = np.asarray(f(*v))
    print(f.__name__, r.dtype, [f"{e:.7g}" for e in r])
    print(np.asarray(f(*[c.astype("i4") for c in v])).dtype)
e = np.concatenate([np.linspace(0, 1, 99), 1 - np.logspace(-16, -1, 40), -np.logspace(-10, 17, 80)])
print([f"{r:.9e}" for r in special.ellipe(e)], special.logit(e[1:98]).round(12) + 0.0)
print(
    [
        f"{r:.9e}"
        for r in np.concatenate(
            [special.stdtrit(df, e[1:98][abs(e[1:98] - 0.5) > 1e-9]) for df in (0.3, 1, 2.5, 5, 40, 1e4)]
        )
    ]
)

# --- special: logistic functions, entropies, elliptic integrals (scipy 1.10)
from scipy import special

x = np.array([-1000, -30, -5.5, -1, -1e-3, 0, 1e-10, 0.3, 1, 2, 30, 1000.0])
a, b = np.meshgrid(np.array([0, 0.1, 1, 2.5, 30, -1, np.nan]), np.array([0, 0.1, 1, 1.1, 30, -1, np.nan]))

with np.errstate(all='ignore'):
    show(
        special.log_expit(x),
        special.entr(x),
        special.exp10(x / 10),
        special.rel_entr(a, b),
        special.kl_div(a, b),
        special.xlog1py(a, b),
    )
    show(
        special.huber(a, b),
        special.pseudo_huber(np.abs(a), b),
        special.boxcox(np.abs(a[:, 1:]), b[:, 1:]),
        special.inv_boxcox(a[:5, :5], b[:5, :5]),
    )
    show(
        special.ellipk([-100, -1, 0, 0.3, 0.999999, 1, 1.1]),
        special.ellipe([-100, -1, 0, 0.3, 0.999999, 1, 1.1]),
        special.ellipkm1([0, 1e-10, 0.5, 1]),
    )
show(
    special.log_softmax([[1.0, 2], [1000, 1]], axis=1),
    special.cbrt([8, 27]),
    special.i0([0.0, 2]),
    special.sinc([0, 0.5]),
)
# --- ndimage (scipy 1.10)
from scipy import ndimage

img = np.sin(np.arange(42.0)).reshape(6, 7)
k = np.array([[1.0, 2, 0], [0, -1, 3], [2, 0, 1]])
for mode in ('reflect', 'mirror', 'nearest', 'wrap', 'constant'):
    print(
        np.round(ndimage.convolve(img, k, mode=mode, cval=2.0), 8),
        np.round(ndimage.correlate(img, k[:2, :], mode=mode), 8).sum().round(7),
    )
    print(
        np.round(ndimage.gaussian_filter(img, 0.7, mode=mode), 8)[0],
        np.round(ndimage.convolve(img, k[:2, :2], mode=mode), 8)[-1],
    )
print(
    np.round(ndimage.gaussian_filter(img, [1, 0.5]), 8)[2],
    np.round(ndimage.gaussian_filter1d(img, 1.5, axis=0, order=1), 8)[1],
)
print(
    np.round(ndimage.sobel(img), 8)[0],
    np.round(ndimage.sobel(img, 0), 8)[1],
    np.round(ndimage.prewitt(img), 8)[2],
    np.round(ndimage.laplace(img), 8)[3],
)
whole = (img * 10).astype(int)
print(
    ndimage.convolve(whole, [[1, 0], [2, 1]]),
    ndimage.uniform_filter(img, 3).round(8)[0],
    ndimage.uniform_filter(img, (1, 4)).round(8)[1],
)
print(
    ndimage.median_filter(whole, 3),
    ndimage.median_filter(whole, (2, 3))[1],
    ndimage.maximum_filter(whole, 3)[2],
    ndimage.minimum_filter(whole, size=(3, 1))[0],
)
print(ndimage.convolve1d(img, [1, 2, 3], axis=0).round(8)[0], ndimage.correlate1d(img, [1, 2, 3, 4]).round(8)[0])
try:
    ndimage.convolve(img, [1, 2])
except RuntimeError as e:
    print(e)
# --- signal (scipy 1.10)
from scipy import signal

a, b = np.sin(np.arange(30.0)).reshape(5, 6), np.cos(np.arange(6.0)).reshape(3, 2)
for mode in ('full', 'same', 'valid'):
    print(np.round(signal.convolve2d(a, b, mode), 8), np.round(signal.fftconvolve(a, b, mode), 8).sum().round(6))
    print(
        np.round(signal.convolve(a[0], b[:, 0], mode), 8),
        np.round(signal.correlate(a[0], b[:, 0], mode), 8),
        np.round(signal.correlate2d(a, b, mode), 8)[0],
    )
for boundary in ('wrap', 'symm'):
    print(
        np.round(signal.convolve2d(a, b, 'same', boundary), 8),
        np.round(signal.convolve2d(a, b, 'full', boundary), 8)[0],
    )
print(
    np.round(signal.convolve2d(a, b, 'same', 'fill', 3), 8)[0],
    signal.convolve([1, 2, 3], [1, 1]),
    signal.fftconvolve([1j, 2], [1, 1]).round(8),
)
try:
    signal.convolve(a, [1, 2])
except ValueError as e:
    print(e)
# --- spatial.distance (scipy 1.16)
from scipy.spatial import distance, distance_matrix
from scipy.spatial.distance import cdist, pdist, squareform

a, b = np.sin(np.arange(15.0) ** 1.5).reshape(5, 3), np.cos(np.arange(12.0) * 2).reshape(4, 3)
wide = np.sin(np.arange(80.0) ** 1.5).reshape(4, 20)
w = np.array([0.5, 2, 1])

for metric in (
    'euclidean',
    'sqeuclidean',
    'cityblock',
    'chebyshev',
    'minkowski',
    'cosine',
    'correlation',
    'canberra',
    'braycurtis',
    'hamming',
):
    show(cdist(a, b, metric), pdist(a, metric), pdist(wide, metric) + 0.0, getattr(distance, metric)(a[0], b[1]))
    show(cdist(a, b, metric, w=w), pdist(a, metric, w=w))
show(
    cdist(a, b, 'minkowski', p=3),
    pdist(a, 'm', p=1),
    cdist(a, b, 'minkowski', p=np.inf),
    cdist(a, b, 'mahalanobis'),
    pdist(a, 'mahalanobis'),
    cdist(a, b, 'seuclidean'),
)
show(
    pdist(a, 'seuclidean', V=[1, 2, 3]),
    cdist(a, b, 'mahalanobis', VI=np.diag([1.0, 2, 3])),
    distance_matrix(a, b),
    distance_matrix(a, b, p=1),
)
show(
    cdist([[1, 2]], [[3, 5], [1, 2]]),
    cdist(a[:0], b),
    pdist(a[:1]),
    cdist(np.float32([[1, 2]]), np.float32([[0.5, 0.25]]), 'Cityblock'),
)
bits = np.arange(24).reshape(4, 6) % 5 % 2 == 0
show(
    cdist(bits, bits, 'jaccard'),
    pdist(bits, 'hamming'),
    distance.jaccard(bits[0], bits[1]),
    distance.jaccard([0, 0], [0, 0]),
)
show(cdist(a, b, lambda u, v: (u * v).sum()), pdist(a, lambda u, v: abs(u - v).max()))
show(
    distance.mahalanobis(a[0], b[0], np.diag([1.0, 2, 3])),
    distance.seuclidean(a[0], b[0], [1, 2, 3]),
    distance.minkowski([1, 0], [0, 1], 3),
)
show(
    squareform(pdist(a)),
    squareform(squareform(pdist(a))),
    squareform([1, 2, 3]),
    squareform([]),
    squareform(np.zeros((1, 1))),
)
out = np.zeros((5, 4))
print(cdist(a, b, out=out) is out, out.sum().round(9))
print([round(float(v), 9) for v in distance.directed_hausdorff(a, b)])
for n, m, k in ((1, 300, 2), (300, 1, 2), (63, 64, 3), (200, 129, 3), (1000, 1500, 2), (2000, 90, 1)):
    u, v = [((np.arange(z * k) * 7919 + 13) % 100003 / 100003.0).reshape(z, k) for z in (n, m)]
    v = v * 1.1 - 0.3
    print(
        [round(float(x), 9) for x in distance.directed_hausdorff(u, v) + distance.directed_hausdorff(v, u)],
        distance.directed_hausdorff(u, u)[0],
    )
# --- spatial.distance: many rows, of few columns and of more (scipy 1.10)
from scipy.spatial.distance import cdist, pdist, squareform, directed_hausdorff

g = np.arange(44000)
for k in (1, 2, 5, 16, 17, 40):
    u, v = np.sin(g[: 900 * k] * 1.7 + 0.3).reshape(900, k), np.cos(g[: 1100 * k] ** 2 % 1013 * 0.9).reshape(1100, k)
    for metric in ("euclidean", "cityblock", "cosine", "chebyshev"):
        if k == 1 and metric == "cosine":
            continue
        d, p = cdist(u, v, metric), pdist(v, metric)
        print(
            k,
            metric,
            d.shape,
            p.shape,
            [
                f"{x:.9e}"
                for x in (
                    d.sum(),
                    (d * np.cos(g[:1100])).sum(),
                    (d.T * np.sin(g[:900])).sum(),
                    p.sum(),
                    (p * np.cos(np.arange(p.size))).sum(),
                    p[1098],
                    p[1099],
                    p[-1],
                )
            ],
        )
    s = squareform(p)
    print((s == s.T).all(), s[3, 1098] == p[1099 + 1098 + 1097 + 1098 - 4], f"{(s * np.cos(g[:1100])).sum():.9e}")
    for a, b in ((u, v), (v, u), (u[:70], v[:3])):
        print(
            [round(float(x), 9) for x in directed_hausdorff(a, b)][: 1 if k == 1 else 3]
        )  # the order of equal ones differs

# --- spatial.distance: many rows of many columns (scipy 1.16)
from scipy.spatial.distance import cdist, pdist, directed_hausdorff


def rows(n, k, s):
    return (np.arange(3, n * k + 3) ** 3 * 7919 * s % 1009 / 1009.0).reshape(n, k)


for k in (16, 17, 20, 33, 100):
    for m, n in ((70, 66), (63, 64), (64, 63), (200, 150), (5, 70), (70, 5), (70, 0), (0, 70)):
        a, b = rows(m, k, 1), rows(n, k, 3)
        for metric in (
            'euclidean',
            'sqeuclidean',
            'cityblock',
            'chebyshev',
            'cosine',
            'canberra',
            'braycurtis',
            'correlation',
            'minkowski',
        ):
            d = cdist(a, b, metric)
            print(
                metric,
                d.dtype,
                d.shape,
                '%.9g %.9g' % (d.sum(), (d * np.cos(np.arange(d.size)).reshape(d.shape)).sum()),
                ['%.9g' % v for v in d.ravel()[:3]],
            )
            d = pdist(a, metric)
            print(d.dtype, d.shape, '%.9g %.9g' % (d.sum(), (d * np.cos(np.arange(d.size))).sum()))
        if m and n:
            print(['%.9g' % directed_hausdorff(*both)[0] for both in ((a, b), (b, a))])
    near = rows(80, k, 1) + np.arange(80)[:, None] * 1e-9  # expanded squares would cancel
    print(
        '%.6g' % cdist(near, near[:, ::1] + 1e-10).diagonal().sum(),
        '%.6g' % pdist(np.broadcast_to(rows(1, k, 1), (80, k)) + np.arange(80)[:, None] * 2.0**-40).sum(),
    )
    for t in ('f4', 'i4', '?'):
        print(
            '%.6g' % cdist((a_ := rows(90, k, 1) * 3).astype(t), (rows(80, k, 3) * 3).astype(t)).sum(),
            '%.6g' % pdist(a_.astype(t), 'cityblock').sum(),
        )
# --- spatial.distance: errors (scipy 1.16)
from scipy.spatial import distance, distance_matrix
from scipy.spatial.distance import cdist, pdist, squareform

for f in (
    lambda: cdist([1, 2], [[1, 2]]),
    lambda: cdist([[1, 2]], [1]),
    lambda: cdist([[1, 2]], [[1]]),
    lambda: cdist([[1]], [[1]], 'none'),
    lambda: pdist([1, 2]),
    lambda: squareform([1, 2]),
    lambda: squareform(np.ones((2, 3))),
    lambda: squareform(np.ones((2, 2))),
    lambda: squareform(np.array([[0, 1], [2, 0]])),
    lambda: squareform(np.ones((1, 1, 1))),
    lambda: squareform([1.0], 'tovector'),
    lambda: squareform(np.zeros((2, 2)), 'tomatrix'),
    lambda: distance.minkowski([1], [2], 0),
    lambda: cdist([[1]], [[1]], 3),
    lambda: distance_matrix([[1, 2]], [[1]]),
    lambda: cdist([[1]], [[1]], out=np.zeros(3)),
):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
# --- stats: distributions (scipy 1.16)
from scipy import stats

x = np.array([-np.inf, -30, -2.5, -1, 0, 1e-3, 0.5, 0.75, 1, 1.5, 2.5, 7, 40, np.inf, np.nan])
q = np.array([-0.1, 0, 1e-6, 0.1, 0.5, 0.75, 0.999, 1, 1.1, np.nan])

laws = [
    (stats.norm,),
    (stats.uniform,),
    (stats.expon,),
    (stats.lognorm, 0.7),
    (stats.cauchy,),
    (stats.laplace,),
    (stats.logistic,),
    (stats.rayleigh,),
    (stats.weibull_min, 1.5),
    (stats.pareto, 2.5),
    (stats.gamma, 2.5),
    (stats.chi2, 3),
    (stats.beta, 2, 3.5),
    (stats.t, 4.5),
    (stats.f, 3, 7),
]
for law, *shapes in laws:
    show_unsigned(
        law.pdf(x[:-2], *shapes),
        law.cdf(x, *shapes),
        law.sf(x, *shapes),
        law.ppf(q, *shapes),
        law.pdf(x[:-2], *shapes, 0.5, 2),
        law.cdf(x, *shapes, loc=-1, scale=0.5),
    )
    inner = law.ppf([0.1, 0.5, 0.9], *shapes)
    show_unsigned(
        law.logpdf(inner, *shapes),
        law.logcdf(inner, *shapes),
        law.logsf(inner, *shapes),
        law.isf([1e-6, 0.1, 0.75], *shapes, loc=3),
    )
    show_unsigned(
        law.mean(*shapes, 1, 2),
        law.var(*shapes, 1, 2),
        law.std(*shapes),
        law.median(*shapes),
        law.interval(0.9, *shapes),
        law.support(*shapes, 1, 2),
    )
    show_unsigned(
        law.pdf(0.5, *shapes, 0, -1),
        law.ppf(0.5, *shapes, 0, 0),
        law(*shapes, loc=1).cdf([1.5, 2]),
        law(*shapes).mean(),
    )
for law in (stats.lognorm, stats.weibull_min, stats.pareto, stats.gamma, stats.chi2, stats.t):
    show_unsigned(law.pdf(1.5, -1), law.cdf(1.5, [0.5, 0, 2]), law.ppf([[0.1], [0.5]], [0.5, 2]))
show_unsigned(
    stats.norm.logcdf(-50),
    stats.norm.sf(30),
    stats.norm.pdf(0),
    stats.norm.fit([1.0, 2, 6]),
    stats.expon.fit([1.0, 2, 6]),
    stats.uniform.fit([1.0, 2, 6]),
)
n = np.array([3.0, 1, np.nan, 2, 2])
with np.errstate(all="ignore"):
    print(
        stats.rankdata(n),
        stats.rankdata(n, "min"),
        stats.rankdata([[1, np.nan], [2, 1]], axis=1),
        stats.trim_mean(n, 0.2),
        stats.trim_mean([[1, 2, 3], [np.nan, 1, 2]], 0.3, axis=1),
    )
    print(
        [float(v) for v in stats.spearmanr(n, np.arange(5.0))],
        stats.iqr([]),
        [float(v) for v in stats.mode([])],
        stats.bernoulli.cdf([np.nan, -1, 0.5, 1, np.inf], 0.3).round(9),
    )

# --- stats: discrete distributions (scipy 1.16)
from scipy import stats

k = np.array([-1, 0, 0.5, 1, 2, 3, 7, 12, 40])
q = np.array([-0.1, 0, 1e-6, 0.1, 0.5, 0.75, 0.999, 1, 1.1, np.nan])

for law, *shapes in (
    (stats.binom, 12, 0.3),
    (stats.bernoulli, 0.25),
    (stats.poisson, 3.5),
    (stats.geom, 0.3),
    (stats.randint, 2, 9),
):
    show_unsigned(
        law.pmf(k, *shapes),
        law.cdf(k, *shapes),
        law.sf(k, *shapes),
        law.pmf(k, *shapes, loc=2),
        law.ppf(q, *shapes),
        law.isf([0.3, 0.01], *shapes),
    )
    show_unsigned(
        law.mean(*shapes),
        law.var(*shapes),
        law.std(*shapes),
        law.median(*shapes),
        law.interval(0.9, *shapes),
        law.support(*shapes),
        law(*shapes).pmf(2),
    )
show_unsigned(
    stats.binom.pmf([0, 1, 2], 2, [[0.5], [1.0], [1.5]]),
    stats.poisson.pmf(0, 0),
    stats.binom.logpmf(3, 10, 0.2),
    stats.poisson.cdf([1, 5], [[1.0], [-1.0]]),
)
# --- stats: samples (scipy 1.16 and before 1.18)
from scipy import stats

a = np.sin(np.arange(24.0) ** 1.5).reshape(4, 6)
n = np.arange(24).reshape(4, 6) % 5

for axis in (0, 1, None):
    show(
        stats.skew(a, axis),
        stats.kurtosis(a, axis),
        stats.skew(a, axis, bias=False),
        stats.kurtosis(a, axis, bias=False),
        stats.kurtosis(a, axis, False),
        stats.sem(a, axis),
    )
    show(
        stats.moment(a, 3, axis),
        stats.variation(a + 2, axis),
        stats.gmean(a + 2, axis),
        stats.hmean(a + 2, axis),
        stats.iqr(a, axis),
        stats.trim_mean(a, 0.2, axis),
    )
    show(
        stats.zscore(a, axis, ddof=1),
        stats.mode(n, axis).mode,
        stats.mode(n, axis).count,
        stats.mode(n, axis, keepdims=True).count,
        stats.rankdata(n, axis=axis),
    )
    show(
        *stats.ttest_1samp(a, 0.1, axis),
        *stats.ttest_ind(a, a * 2 + 0.1, axis=axis),
        *stats.ttest_rel(a, a * 2, axis),
        *stats.ttest_ind(a, a * 2, axis=axis, equal_var=False),
    )
    d = stats.describe(a, axis)
    show(d.nobs, *d.minmax, d.mean, d.variance, d.skewness, d.kurtosis)
show(
    stats.entropy(n + 1),
    stats.entropy(n + 1, n.T.reshape(4, 6) + 2, base=2),
    stats.entropy([0.5, 0.5]),
    *[stats.rankdata(n, m) for m in ('average', 'min', 'max', 'dense', 'ordinal')],
)
show(
    *[stats.percentileofscore(n.ravel(), 2, kind) for kind in ('rank', 'strict', 'weak', 'mean')],
    stats.rankdata([]),
    stats.gmean([1.0, 4], weights=[1, 3]),
)
for alternative in ('two-sided', 'less', 'greater'):
    show(
        *stats.pearsonr(a[0], a[1], alternative=alternative),
        *stats.spearmanr(n[0], a[1], alternative=alternative),
        *stats.linregress(a[0], a[1], alternative),
        *stats.ttest_1samp(a[0], 0.2, alternative=alternative),
    )
show(
    *stats.pearsonr([1, 2, 3, 4], [2, 4, 6, 8]),
    *stats.spearmanr([1, 2, 3], [3, 2, 1]),
    *stats.linregress([0, 1, 2], [1, 3, 5]),
)
r = stats.linregress([1, 2, 3, 5], [1, 3, 2, 6])
print(
    len(r),
    round(float(r.intercept_stderr), 9),
    round(float(r[1]), 9),
    len(stats.ttest_ind(a[0], a[1])),
    stats.ttest_ind(a[0], a[1]).df,
    stats.ttest_1samp(a[0], 1).df,
)
show(
    *stats.chisquare([16, 18, 16, 14, 12, 12]),
    *stats.chisquare([16, 18, 16], [20, 14, 16]),
    *stats.chisquare(n + 1, axis=1),
    *stats.linregress([0, 1], [2, 3]),
)
for f in (
    lambda: stats.linregress([1, 1], [1, 2]),
    lambda: stats.pearsonr([1], [1]),
    lambda: stats.pearsonr([1, 2], [1]),
    lambda: stats.rankdata([1], 'some'),
    lambda: stats.percentileofscore([1], 1, 'some'),
    lambda: stats.pearsonr([1, 2, 3], [1, 2, 4], alternative='some'),
    lambda: stats.ttest_1samp([1, 2], 0, alternative='some'),
    lambda: stats.trim_mean([1, 2], 0.6),
    lambda: stats.chisquare([1, 2], [3, 4]),
):
    try:
        print(f())
    except ValueError as e:
        print(e)
