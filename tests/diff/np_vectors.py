# Vectorized floating-point functions.
np.seterr(all='ignore')
h = np.arange(40000, dtype=np.uint64) * np.uint64(0x4F1BBCDCBFA53E0A)
h ^= h >> np.uint64(29)
u = (h >> np.uint64(11)) / 2.0**53

# --- powers of special values, in the first lanes, in the last, and alone
s = np.array(
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        np.inf,
        -np.inf,
        np.nan,
        1e-30,
        -1e-30,
        1e30,
        -1e30,
        2.5,
        -2.5,
        7.0,
    ]
)
for t in (np.float32, np.float64):
    x, y = [a.ravel() for a in np.meshgrid(s.astype(t), s.astype(t))]
    full = x**y
    for a in (
        full[:20],
        full[20:40],
        full[40:60],
        full[60:80],
        full[80:100],
        full[100:120],
        full[120:140],
        full[140:160],
        full[160:180],
        full[180:200],
    ):
        print(np.sign(a), np.signbit(a) & ~np.isnan(a), np.isnan(a), np.isinf(a))
    for a in (
        full[200:220],
        full[220:240],
        full[240:260],
        full[260:280],
        full[280:300],
        full[300:320],
        full[320:340],
        full[340:360],
        full[360:380],
        full[380:],
    ):
        print(np.sign(a), np.signbit(a) & ~np.isnan(a), np.isnan(a), np.isinf(a))
    for k in (1, 3, 7, 13, 31, 60):
        print(
            (
                np.power(x[k:], y[k:]).tobytes() == full[k:].tobytes(),
                np.power(x[:-k], y[:-k]).tobytes() == full[:-k].tobytes(),
            )
        )

# --- powers of -0 among numbers that have no sign
for t in (np.float16, np.float32, np.float64):
    for n in (5, 16, 64, 100):
        x = np.where(np.arange(n) % 5 == 4, t(-0.0), (np.arange(n) % 3 + 1).astype(t))
        for y in (5, 2, 1.5, -1, -7, -4, -2.5):
            r = [np.power(x, np.full(n, y, dtype=t)), np.where(x == 0, x ** t(y), 0), np.add.reduce(x ** t(y))]
            print([(np.isinf(v).sum(), np.signbit(v).sum()) for v in r])

# --- powers of integers are exact, and all powers of 2 (not on cuda: those of its library are within 2 ULP)
n = np.arange(150)
for t, most in ((np.float32, 2.0**24), (np.float64, 2.0**53)):
    a, b = [v.ravel() for v in np.meshgrid(n.astype(t), np.arange(9).astype(t))]
    exact = np.ones(a.size)
    for k in range(9):
        exact = np.where(b > k, exact * a, exact)
    known = exact < most
    print(
        known.sum(),
        (np.power(a, b)[known] == exact[known]).all(),
        (np.power(-a, b)[known] == (exact * (1 - 2 * (b % 2)))[known]).all(),
    )
    lowest = -149 if t == np.float32 else -1074
    e = np.arange(lowest, 127 if t == np.float32 else 1023)
    two = np.ldexp(np.ones(e.size, t), e)
    print(
        (np.power(t(2), e.astype(t)) == two).all(),
        (np.exp2(e.astype(t)) == two).all(),
        (np.log2(two) == e).all(),
        (np.power(two, t(0)) == 1).all(),
    )
    print(np.abs(np.log10(np.power(t(10), np.arange(10).astype(t))) - np.arange(10)).max() < 1e-6)


# --- functions of float32 against those of float64, in ULP
def distance(f, *args):
    a = [v.astype(np.float32) for v in args]
    exact, got = f(*[v.astype(np.float64) for v in a]), f(*a)
    near = exact.astype(np.float32)
    fine = np.isfinite(near) & np.isfinite(got)
    unit = np.spacing(np.abs(near[fine])).astype(np.float64)
    return (
        got.dtype.name,
        (np.isfinite(near) == np.isfinite(got)).mean() > 0.999,
        bool((np.abs(got[fine].astype(np.float64) - exact[fine]) <= 4 * unit).all()),
    )


wide, around, small = (u - 0.5) * 180, 1 + (u - 0.5) * 0.2, (u - 0.5) * 1e-3
for f in (np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.tanh):
    print(f.__name__, [distance(f, v) for v in (wide, around, small, small * 1e-36, wide * 10)])
for f in (np.log, np.log2, np.log10, np.log1p):
    print(f.__name__, [distance(f, v) for v in (u, around, np.exp(wide), u * 1e-40, np.exp(u * 88))])
for y in (2.5, -0.5, 3, 0.001, 30):
    print(y, [distance(lambda v: v ** v.dtype.type(y), v) for v in (u, around, np.exp(wide * 0.9), u * 1e-40)])
print([distance(np.power, v, w) for v, w in ((u, wide), (around, wide * 5), (np.exp(wide * 0.9), around))])

# --- functions of float64 against their inverses
eps = 2.0**-52


def within(a, b, units):
    return bool((np.abs(a - b) <= units * eps * np.abs(b)).all())


x = np.exp((u - 0.5) * 1400)
l = np.log(x)
print(
    within(np.exp(l / 64) ** 64, x, 600),
    within(np.log2(x) * np.log(2.0), l, 4),
    within(np.log10(x) * np.log(10.0), l, 4),
)
v = (u - 0.5) * 0.5
print(
    within(np.log(1 + v), np.log1p(v + ((1 + v) - 1 - v)), 4),
    within(np.log((1 + v) ** 4.0), 4 * np.log(1 + v), 800),
    within(np.log1p(v), 2 * np.arctanh(v / (2 + v)), 8),
)
w = (u - 0.5) * 30
print(
    within(np.sinh(w), (np.exp(w) - np.exp(-w)) / 2, 6 / 1e-4),
    within(np.cosh(w), (np.exp(w) + np.exp(-w)) / 2, 6),
    within(np.tanh(w), np.sinh(w) / np.cosh(w), 8),
    within(np.cosh(w) ** 2 - np.sinh(w) ** 2, np.ones(w.size), 60 * np.cosh(w) ** 2),
)
print(
    within((x**0.5) ** 2.0, x, 5),
    within(x**-1.0, 1 / x, 2),
    within(x**0.25, np.sqrt(np.sqrt(x)), 4),
    within(x ** (1 / 3), np.cbrt(x), 90),
)
print(
    np.sinh(np.array([710.4, -710.4, 711, 5e-324, -0.0, 1e-310, np.inf, np.nan, 1e-9])),
    np.cosh(np.array([710.4, 711, -800, 0, np.inf, np.nan])),
    np.tanh(np.array([30, -30, 5e-324, -0.0, np.inf, -np.inf, np.nan, 1e-200])),
)
print(
    np.log(np.array([0.0, -0.0, -1, np.inf, -np.inf, np.nan, 5e-324, 1])),
    np.log2(np.array([0.0, -0.0, -1, np.inf, -np.inf, np.nan, 5e-324, 1, 8])),
    np.log10(np.array([0, -1e-300, np.inf, 1000, 1e-320])),
)
print(
    np.log(np.array([0.0, -0.0, -1, np.inf, -np.inf, np.nan, 1e-45, 1], 'f4')),
    np.exp2(np.array([100, 128, -149, -150, -151, 1e30, -1e30, np.inf, -np.inf, np.nan], 'f4')),
    np.tanh(np.array([12, -12, 1e-45, -0.0, np.inf, np.nan], 'f4')),
    np.isinf(np.sinh(np.array([89, 89.5, -90, np.inf], 'f4'))),
    np.sinh(np.array([1e-45, -0.0, 1e-20], 'f4')),
)
# --- functions evaluated in double precision on more lanes than a register holds
for n in (17, 35, 64, 100):
    x = (np.arange(n) % 9 / 4).astype(np.float32)
    print(n, np.round(np.logaddexp(x, x[::-1]), 3).tolist())
