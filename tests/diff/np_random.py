# Properties of numpy.random that hold for any seed: shapes, dtypes, ranges, moments, errors.

# --- a generator's shapes and types
r = np.random.default_rng(1)
for x in (r.random(), r.normal(), r.exponential(2), r.gamma(2), r.beta(1, 2), r.standard_normal()):
    print(type(x).__name__)
for x in (r.poisson(3), r.binomial(4, 0.5), r.geometric(0.5)):
    print(type(x).__name__)
for x in (
    r.random(3),
    r.random((2, 3)),
    r.normal(size=()),
    r.normal([1, 2, 3]),
    r.uniform(0, [1, 2], (3, 2)),
    r.random(0),
    r.integers(5, size=4),
    r.integers([1, 2], [5, 6]),
    r.integers(9, size=(2, 2), dtype=np.uint8),
    r.random(3, dtype=np.float32),
    r.standard_normal(2, dtype='f4'),
    r.standard_gamma(2, 3, dtype='f4'),
    r.standard_exponential(2, dtype='f4'),
    r.poisson([1, 2]),
    r.choice(5, 3),
    r.choice([1.5, 2], (2, 2)),
    r.permutation(4),
    r.permutation(np.ones((3, 2), 'i2')),
    r.multivariate_normal([0, 1], np.eye(2)),
    r.multivariate_normal([0, 1], np.eye(2), (3, 2)),
    r.dirichlet([1, 2, 3], 2),
    r.multinomial(5, [0.5, 0.5]),
    r.multinomial([3, 4], [0.5, 0.5]),
    r.hypergeometric(3, 4, 5, 2),
    r.integers(2, size=2, dtype=bool),
    r.permuted(np.ones((2, 3)), axis=1),
    r.choice(np.ones((4, 2)), 3),
    r.choice(np.ones((4, 2)), 1, axis=1),
):
    print(x.dtype, x.shape)
print(type(r.integers(5)).__name__, len(r.bytes(7)), type(r.bytes(2)).__name__)

# --- seeds
a, b = np.random.default_rng(7), np.random.default_rng(7)
print(bool((a.random(5) == b.random(5)).all()), a.random() == b.random(), a.random() == a.random())
print(
    np.random.default_rng([1, 2]).random() == np.random.default_rng([1, 2]).random(),
    np.random.default_rng([1, 2]).random() == np.random.default_rng([2, 1]).random(),
)
print(np.random.default_rng().random() == np.random.default_rng().random())
print(np.random.default_rng(a) is a)
c, d = np.random.default_rng(3).spawn(2)
print(c.random() == d.random())
np.random.seed(4)
x = np.random.rand(3)
np.random.seed(4)
print(bool((x == np.random.rand(3)).all()))
s = np.random.get_state()
x = np.random.randn()
np.random.set_state(s)
print(x == np.random.randn())
print(np.random.RandomState(5).rand() == np.random.RandomState(5).rand())

# --- ranges
r = np.random.default_rng(2)
n = 20000


def inside(x, low, high):
    print(bool((x >= low).all() and (x <= high).all()))


inside(r.random(n), 0, 1 - 2**-54)
inside(r.random(n, dtype='f4'), 0, 1 - 2**-25)
inside(r.uniform(-3, 5, n), -3, 5)
inside(r.beta(0.1, 0.1, n), 0, 1)
inside(r.triangular(1, 2, 4, n), 1, 4)
inside(r.vonmises(1, 2, n), -np.pi, np.pi)
inside(r.integers(-5, 5, n), -5, 4)
inside(r.integers(0, 255, n, dtype=np.uint8, endpoint=True), 0, 255)
inside(r.integers(-(2**62) * 2, 2**62 + (2**62 - 1), n), -(2**62) * 2, 2**62 + (2**62 - 1))
inside(r.binomial(9, 0.4, n), 0, 9)
inside(r.geometric(0.9, n), 1, 60)
inside(r.hypergeometric(4, 5, 6, n), 1, 4)
print(sorted(set(r.integers(3, size=n).tolist())), sorted(set(r.choice([2, 5], n).tolist())))
print(sorted(set(r.integers([0, 10], [2, 12], (n, 2))[:, 1].tolist())))
print(
    r.poisson(0, 3),
    r.binomial(5, 0, 3),
    r.binomial(5, 1, 3),
    r.normal(2, 0, 2),
    r.gamma(0, 1, 2),
    r.geometric(1, 3),
    r.uniform(4, 4, 2),
)

# --- moments
r = np.random.default_rng(11)
n = 200000


def near(x, mean, var):
    x = np.asarray(x, np.float64)
    print(x.size == n, abs(float(x.mean()) - mean) < 5 * (var / n) ** 0.5, abs(float(x.var()) / var - 1) < 0.06)


near(r.random(n), 0.5, 1 / 12)
near(r.random(n, dtype='f4'), 0.5, 1 / 12)
near(r.normal(3, 2, n), 3, 4)
near(r.standard_normal(n, dtype='f4'), 0, 1)
near(r.exponential(2, n), 2, 4)
near(r.lognormal(0, 0.5, n), math.exp(0.125), (math.exp(0.25) - 1) * math.exp(0.25))
near(r.gamma(0.3, 2, n), 0.6, 1.2)
near(r.gamma(7, 1, n), 7, 7)
near(r.standard_gamma(1, n), 1, 1)
near(r.beta(0.5, 0.5, n), 0.5, 0.125)
near(r.beta(2, 3, n), 0.4, 0.04)
near(r.chisquare(3, n), 3, 6)
near(r.noncentral_chisquare(3, 2, n), 5, 14)
near(r.standard_t(9, n), 0, 9 / 7)
near(r.f(4, 20, n), 20 / 18, 2 * 400 * 22 / (4 * 18**2 * 16))
near(r.laplace(1, 2, n), 1, 8)
near(r.logistic(1, 2, n), 1, 4 * math.pi**2 / 3)
near(r.gumbel(0, 1, n), 0.5772156649, math.pi**2 / 6)
near(r.rayleigh(1, n), (math.pi / 2) ** 0.5, 2 - math.pi / 2)
near(r.weibull(2, n), math.gamma(1.5), 1 - math.pi / 4)
near(r.pareto(8, n), 1 / 7, 8 / (49 * 6))
near(r.power(3, n), 0.75, 3 / 80)
near(r.triangular(0, 1, 3, n), 4 / 3, 7 / 18)
near(r.wald(1, 4, n), 1, 0.25)
near(r.vonmises(0, 100, n), 0, 0.0100505)
near(r.poisson(3, n), 3, 3)
near(r.poisson(12, n), 12, 12)
near(r.poisson(1e6, n), 1e6, 1e6)
near(r.binomial(10, 0.3, n), 3, 2.1)
near(r.binomial(10, 0.8, n), 8, 1.6)
near(r.binomial(1000, 0.4, n), 400, 240)
near(r.binomial(1000, 0.7, n), 700, 210)
near(r.negative_binomial(3, 0.4, n), 4.5, 11.25)
near(r.geometric(0.3, n), 1 / 0.3, 0.7 / 0.09)
near(r.logseries(0.6, n), 1.6370355, 1.4127582)
near(r.hypergeometric(10, 20, 8, n), 8 / 3, 8 * 2 / 9 * 22 / 29)
near(r.zipf(6, n), 1.0369278 / 1.0173431, 1.0823232 / 1.0173431 - (1.0369278 / 1.0173431) ** 2)
near(r.integers(0, 10, n), 4.5, 8.25)
near(r.integers(0, 2**40, n), 2.0**39, 2.0**80 / 12)
near(r.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]), 2, 1)
x = r.multivariate_normal([1, -1], [[2, 0.6], [0.6, 1]], n)
print(np.round(x.mean(0), 1) + 0, np.round(np.cov(x.T), 1))
near(x[:, 0] - x[:, 1], 2, 1.8)
for m in ('svd', 'eigh', 'cholesky'):
    x = r.multivariate_normal([1, -1], [[2, 0.6], [0.6, 1]], n, method=m)
    near(x[:, 0], 1, 2)
    near(x.sum(1), 0, 4.2)
near(r.dirichlet([1, 2, 3], n)[:, 1], 1 / 3, 2 * 4 / (36 * 7))
near(r.multinomial(20, [0.2, 0.3, 0.5], n)[:, 2], 10, 5)
near(r.multivariate_hypergeometric([5, 6, 7], 9, n)[:, 2], 3.5, 9 * 7 / 18 * 11 / 18 * 9 / 17)
np.random.seed(1)
near(np.random.rand(n), 0.5, 1 / 12)
near(np.random.randn(n), 0, 1)
near(np.random.randint(0, 6, n), 2.5, 35 / 12)
near(np.random.normal(1, 3, n), 1, 9)

# --- independence
r = np.random.default_rng(5)
n = 200000


def apart(x, y):
    print(abs(float(np.corrcoef(x, y)[0, 1])) < 5 / n**0.5)


x = r.normal(size=n)
apart(x[1:], x[:-1])
apart(x[2:], x[:-2])
apart(x, r.normal(size=n))
apart(x * x, np.roll(x * x, 1))
x = r.gamma(2, size=n)
apart(x[1:], x[:-1])
a, b = np.random.default_rng(8).spawn(2)
apart(a.random(n), b.random(n))
x = r.random(n)
print(bool(np.abs(np.histogram(x, 100, (0, 1))[0] - n / 100).max() < 5 * (n / 100) ** 0.5))
pairs = r.integers(8, size=n) * 8 + r.integers(8, size=n)
print(bool(np.abs(np.bincount(pairs) - n / 64).max() < 5 * (n / 64) ** 0.5))
low = r.integers(0, 2**62, n) % 64
print(bool(np.abs(np.bincount(low) - n / 64).max() < 5 * (n / 64) ** 0.5))

# --- orders and choices
r = np.random.default_rng(3)
x = np.arange(30).reshape(10, 3)
y = r.permutation(x)
print(sorted(y[:, 0].tolist()), bool((y[:, 1] - y[:, 0] == 1).all()), bool((y == x).all()))
r.shuffle(x)
print(sorted(x[:, 0].tolist()), bool((x[:, 2] - x[:, 0] == 2).all()))
z = r.permuted(np.tile(np.arange(6), (4, 1)), axis=1)
print(z.sum(1), bool((np.sort(z, axis=1) == np.arange(6)).all()))
print(
    sorted(r.permuted(np.arange(4)).tolist()),
    sorted(r.choice(6, 6, replace=False).tolist()),
    len(set(r.choice(50, 20, replace=False).tolist())),
)
print(sorted(r.choice(4, 2, replace=False, p=[0.5, 0, 0.5, 0]).tolist()))
p = np.zeros(3000)
p[::100] = np.arange(1, 31) / 465
first = np.zeros(30, int)
for _ in range(600):
    k = r.choice(3000, 25, replace=False, p=p)
    assert len(set(k.tolist())) == 25 and bool((k % 100 == 0).all())
    first[k[0] // 100] += 1
print(
    float(((first - 600 * p[::100]) ** 2 / (600 * p[::100])).sum()) < 75,
    r.choice(9, 0, replace=False, p=np.ones(9) / 9).shape,
)
items = ['a', 'b', 'c']
r.shuffle(items)
print(sorted(items))
counts = np.zeros((4, 4), int)
for _ in range(2000):
    p = r.permutation(4)
    counts[np.arange(4), p] += 1
print(bool(np.abs(counts - 500).max() < 100))
out = np.zeros(4)
print(r.random(out=out) is out, bool((out > 0).all()))

# --- orders of many things
import numpy as np

r = np.random.default_rng(5)
for n in (1023, 1024, 1025, 1056, 1057, 1500, 5000, 90001):
    p, q = r.permutation(n), r.permutation(n)
    print(
        n,
        p.dtype,
        bool((np.sort(p) == np.arange(n)).all()),
        int((p == q).sum()) < 12,
        abs(float(np.corrcoef(p[1:], p[:-1])[0, 1])) < 0.15,
    )
x = np.arange(3000.0)
r.shuffle(x)
print(bool((np.sort(x) == np.arange(3000)).all()), bool((x == np.arange(3000)).all()))
print(
    len(set(r.choice(4000, 2000, replace=False).tolist())),
    sorted(r.permuted(np.arange(2000)).tolist()) == list(range(2000)),
)
table, near, fixed = np.zeros((5, 5)), 0, 0
for t in range(200):
    p = r.permutation(1500)
    table += np.bincount(np.arange(1500) // 300 * 5 + p // 300, minlength=25).reshape(5, 5)
    near += int((np.abs(p[1:] - p[:-1]) == 1).sum())
    fixed += int((p == np.arange(1500)).sum())
print(float((((table - 12000) ** 2) / 12000).sum()) < 45, 300 < near < 500, 140 < fixed < 260)
# rows and columns of a square: how many of their pairs come to one row, or one column, as far apart as they were
line, across, places = 0, 0, np.zeros((4, 1024), int)
for t in range(100):
    p = r.permutation(1024)
    places[np.arange(1024) % 4, p] += 1
    for q in (p.reshape(32, 32), p.reshape(32, 32).T):
        for d in range(1, 32):
            x, y = q // 32, q % 32
            line += int(((x[:, d:] == x[:, :-d]) & ((y[:, d:] - y[:, :-d]) % 32 == d)).sum())
            across += int(((y[:, d:] == y[:, :-d]) & ((x[:, d:] - x[:, :-d]) % 32 == d)).sum())
print(2800 < line < 3400, 2800 < across < 3400, 3650 < float(((places - 25) ** 2 / 18.75).sum()) < 4550)
x = np.arange(300000).reshape(30000, 10)
y = r.permutation(x)  # its order is found once for each row, not for each element
print(
    bool((y[:, 0] == x[:, 0]).all()),
    bool((np.sort(y[:, 0]) == x[:, 0]).all()),
    bool((y - y[:, :1] == np.arange(10)).all()),
)
t = np.arange(1200)[:, None] * np.ones(3, int)
for u, axis in ((t, 0), (t.T, 1), (np.stack([t, t]), 1)):
    v = r.permuted(u, axis=axis)
    w = np.moveaxis(v, axis, -1).reshape(-1, 1200)
    print(
        v.shape,
        bool((np.sort(w, axis=1) == np.arange(1200)).all()),
        max([int((w[0] == w[k]).sum()) for k in range(1, len(w))]) < 12,
    )
rises = [
    sum([int((p[k + 1 :] > p[k]).sum()) for k in range(0, 1100, 11)]) for p in [r.permutation(1100) for t in range(40)]
]
print(abs(sum(rises) / 40 / 54550 - 0.5) < 0.02)
for n in (2**32 - 1, 2**32, 2**33 + 7, 2**44, 2**44 + 1, 2**62 + 1):
    p = r.choice(n, 3000, replace=False)
    print(
        len(set(p.tolist())),
        p.dtype,
        bool((p >= 0).all() and (p < n).all()),
        bool((np.abs(np.histogram(p / n, 10, (0, 1))[0] - 300) < 100).all()),
    )
# --- refused
r = np.random.default_rng(0)


def refused(f):
    try:
        f()
        print("no error")
    except (ValueError, TypeError, OverflowError) as e:
        print(type(e).__name__, e)


refused(lambda: r.normal(0, -1))
refused(lambda: r.poisson(-1))
refused(lambda: r.poisson(np.nan))
refused(lambda: r.integers(5, 5))
refused(lambda: r.integers(0, 300, dtype=np.uint8))
refused(lambda: r.integers(-1, 3, dtype=np.uint8))
refused(lambda: r.choice(3, 5, replace=False))
refused(lambda: r.choice(0, 1))
refused(lambda: r.choice([], 1))
refused(lambda: r.choice(2, p=[0.5]))
refused(lambda: r.choice(2, p=[1.5, -0.5]))
refused(lambda: r.binomial(3, 1.5))
refused(lambda: r.binomial(-1, 0.5))
refused(lambda: r.normal([1, 2], size=3))
refused(lambda: r.random(3, dtype=np.int32))
refused(lambda: r.gamma(-1))
refused(lambda: r.exponential(-1))
refused(lambda: r.random(-3))
refused(lambda: np.random.default_rng(-1))
refused(lambda: r.multivariate_normal([0], np.eye(2)))
refused(lambda: r.uniform(0, np.inf))
refused(lambda: r.geometric(0))
refused(lambda: r.triangular(2, 1, 3))
refused(lambda: r.zipf(1))
refused(lambda: r.beta(0, 1))
refused(lambda: r.wald(0, 1))
refused(lambda: r.standard_t(0))
refused(lambda: r.weibull(-1))
refused(lambda: r.rayleigh(-1))
refused(lambda: r.dirichlet([-1, 1]))
refused(lambda: r.hypergeometric(1, 1, 5))
refused(lambda: r.normal([0, 1], [1, 2, 3]))

# --- distributions: Kolmogorov-Smirnov test of the samples
r = np.random.default_rng(21)
n = 20000
erf = np.vectorize(math.erf, otypes=[float])


def phi(x):
    return (1 + erf(np.asarray(x, np.float64) / 2**0.5)) / 2


def law(name, x, cdf):
    x = np.sort(np.asarray(x, np.float64))
    f, k = cdf(x), np.arange(n)
    far = max(float((f - k / n).max()), float(((k + 1) / n - f).max()))
    print(name, x.size == n, 0 < far < 1.95 / n**0.5)  # passed in 999 of 1000 series


law('uniform', r.uniform(-2, 3, n), lambda x: (x + 2) / 5)
law('random', r.random(n), lambda x: x)
law('random f4', r.random(n, dtype='f4'), lambda x: x)
law('normal', r.normal(1, 2, n), lambda x: phi((x - 1) / 2))
law('normal f4', r.standard_normal(n, dtype='f4'), phi)
law('lognormal', r.lognormal(0.5, 0.7, n), lambda x: phi((np.log(x) - 0.5) / 0.7))
law('exponential', r.exponential(3, n), lambda x: 1 - np.exp(-x / 3))
law('exponential f4', r.standard_exponential(n, dtype='f4'), lambda x: 1 - np.exp(-x))
law('gamma', r.gamma(3, 2, n), lambda x: 1 - np.exp(-x / 2) * (1 + x / 2 + x * x / 8))
law('gamma 1/2', r.gamma(0.5, 1, n), lambda x: erf(np.sqrt(x)))
law('gamma f4', r.standard_gamma(1, n, dtype='f4'), lambda x: 1 - np.exp(-x))
law('chisquare', r.chisquare(4, n), lambda x: 1 - np.exp(-x / 2) * (1 + x / 2))
law('beta', r.beta(2, 3, n), lambda x: x * x * (6 - 8 * x + 3 * x * x))
law('arcsine', r.beta(0.5, 0.5, n), lambda x: 2 / np.pi * np.arcsin(np.sqrt(x)))
law('t', r.standard_t(2, n), lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x)))
law('cauchy', r.standard_cauchy(n), lambda x: 0.5 + np.arctan(x) / np.pi)
law('f', r.f(2, 6, n), lambda x: 1 - (1 + x / 3) ** -3.0)
law(
    'laplace',
    r.laplace(1, 2, n),
    lambda x: np.where(x < 1, np.exp(np.minimum(x - 1, 0) / 2) / 2, 1 - np.exp(-np.maximum(x - 1, 0) / 2) / 2),
)
law('logistic', r.logistic(1, 2, n), lambda x: 1 / (1 + np.exp(-(x - 1) / 2)))
law('gumbel', r.gumbel(1, 2, n), lambda x: np.exp(-np.exp(-(x - 1) / 2)))
law('rayleigh', r.rayleigh(2, n), lambda x: 1 - np.exp(-x * x / 8))
law('weibull', r.weibull(1.5, n), lambda x: 1 - np.exp(-(x**1.5)))
law('pareto', r.pareto(3, n), lambda x: 1 - (1 + x) ** -3.0)
law('power', r.power(3, n), lambda x: x**3)
law('triangular', r.triangular(0, 1, 3, n), lambda x: np.where(x < 1, x * x / 3, 1 - (3 - x) ** 2 / 6))
law('wald', r.wald(1, 2, n), lambda x: phi(np.sqrt(2 / x) * (x - 1)) + math.exp(4) * phi(-np.sqrt(2 / x) * (x + 1)))
k = np.linspace(-np.pi, np.pi, 4001)
grow = np.concatenate([[0], np.cumsum(np.exp(2 * np.cos((k[1:] + k[:-1]) / 2)))])
law('vonmises', r.vonmises(0, 2, n), lambda x: np.interp(x, k, grow / grow[-1]))
law(
    'noncentral chisquare',
    r.noncentral_chisquare(1, 2, n),
    lambda x: phi(np.sqrt(x) - 2**0.5) - phi(-np.sqrt(x) - 2**0.5),
)
law('dirichlet', r.dirichlet([1, 1, 2], n)[:, 2], lambda x: 3 * x**2 - 2 * x**3)
law('multivariate', r.multivariate_normal([1, 2], [[2, 1], [1, 2]], n) @ [1, 1], lambda x: phi((x - 3) / 6**0.5))

# --- discrete distributions: frequencies
r = np.random.default_rng(22)
n = 20000


def counts(name, x, mass, low=0, high=40):
    x = np.asarray(x).astype(np.int64)
    want = np.array([mass(k) for k in range(low, high)]) * n
    came = np.bincount(np.clip(x, low - 1, high) - low + 1, minlength=high - low + 2)[1:-1]
    seen = want > 5
    chi = float(((came - want)[seen] ** 2 / want[seen]).sum())
    print(name, x.size == n, int(seen.sum()), chi < seen.sum() + 4 * (2 * float(seen.sum())) ** 0.5 + 4)


comb = math.comb
counts('poisson 3', r.poisson(3, n), lambda k: math.exp(-3) * 3.0**k / math.factorial(k), 0, 20)
counts('poisson 30', r.poisson(30, n), lambda k: math.exp(k * math.log(30) - 30 - math.lgamma(k + 1)), 5, 60)
counts('binomial', r.binomial(9, 0.3, n), lambda k: comb(9, k) * 0.3**k * 0.7 ** (9 - k), 0, 10)
counts(
    'binomial 200',
    r.binomial(200, 0.4, n),
    lambda k: math.exp(
        math.lgamma(201) - math.lgamma(k + 1) - math.lgamma(201 - k) + k * math.log(0.4) + (200 - k) * math.log(0.6)
    ),
    50,
    110,
)
counts('geometric', r.geometric(0.3, n), lambda k: 0.3 * 0.7 ** (k - 1), 1)
counts('negative binomial', r.negative_binomial(3, 0.4, n), lambda k: comb(k + 2, k) * 0.4**3 * 0.6**k)
counts('hypergeometric', r.hypergeometric(8, 12, 7, n), lambda k: comb(8, k) * comb(12, 7 - k) / comb(20, 7), 0, 8)
counts('logseries', r.logseries(0.6, n), lambda k: -(0.6**k) / k / math.log(0.4), 1)
counts('zipf', r.zipf(3, n), lambda k: k**-3.0 / 1.2020569031595942, 1)
counts('integers', r.integers(-3, 9, n), lambda k: 1 / 12, -3, 9)
counts('choice', r.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]), lambda k: (k + 1) / 10, 0, 4)
counts('multinomial', r.multinomial(6, [0.2, 0.3, 0.5], n)[:, 1], lambda k: comb(6, k) * 0.3**k * 0.7 ** (6 - k), 0, 7)
counts(
    'multivariate hypergeometric',
    r.multivariate_hypergeometric([8, 5, 7], 7, n)[:, 0],
    lambda k: comb(8, k) * comb(12, 7 - k) / comb(20, 7),
    0,
    8,
)
counts('bytes', np.frombuffer(r.bytes(n), np.uint8), lambda k: 1 / 256, 0, 256)
counts('integers u1', r.integers(0, 7, n, dtype=np.uint8), lambda k: 1 / 7, 0, 7)
counts('uniform bits', r.integers(0, 2**62, n) >> 57, lambda k: 1 / 32, 0, 32)

# --- RandomState accepts bounds in either order
np.random.seed(1)
x = np.random.uniform(5, 1, 1000)
print(bool((x > 1).all() and (x <= 5).all()), round(float(x.mean())))
r = np.random.RandomState(3)
print(r.uniform(size=(2, 2)).shape, type(r.uniform()).__name__, r.uniform([0, 10], [1, 11]).shape)
for f in (
    lambda: np.random.default_rng(1).uniform(5, 1),
    lambda: np.random.uniform(0, float('inf')),
    lambda: np.random.uniform(float('nan'), 1),
):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
