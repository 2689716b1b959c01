"""Rows of the numerics benchmark about random numbers (numerics_rows.py describes the format of a row)."""
from numerics_rows import BIG, MID, each, group

RANDOM = """
n = {size}
g = np.random.default_rng(1)
T = np.dtype('{dtype}').type
a = np.arange(n).astype(T)
"""

group("random", RANDOM, """
random             | ? g.random(n, dtype=T)
standard_normal    | ? g.standard_normal(n, dtype=T)
exponential        | ? g.standard_exponential(n, dtype=T)
standard_gamma     | ? g.standard_gamma(2.5, n, dtype=T)
integers           | ? g.integers(0, 1000, n)
uniform            | ? g.uniform(2, 3, n)
normal             | ? g.normal(2, 3, n)
poisson            | ? g.poisson(3.5, n)
poisson 100        | ? g.poisson(100, n)
binomial           | ? g.binomial(20, 0.3, n)
beta               | ? g.beta(2, 3, n)
gamma              | ? g.gamma(0.5, 2, n)
geometric          | ? g.geometric(0.2, n)
lognormal          | ? g.lognormal(0, 1, n)
choice             | ? g.choice(a, n)
permutation        | ? g.permutation(a)
shuffle            | ? g.shuffle(a); r = a
legacy rand        | ? np.random.rand(n)
legacy randn       | ? np.random.randn(n)
legacy randint     | ? np.random.randint(0, 10, n)
""", each("float64", MID, BIG))

group("random single", RANDOM, """
random             | ? g.random(n, dtype=T)
standard_normal    | ? g.standard_normal(n, dtype=T)
exponential        | ? g.standard_exponential(n, dtype=T)
standard_gamma     | ? g.standard_gamma(2.5, n, dtype=T)
permutation        | ? g.permutation(a)
shuffle            | ? g.shuffle(a); r = a
choice             | ? g.choice(a, n)
""", each("float32", MID, BIG))

group("permutations and choices", RANDOM + """
w = np.arange(1.0, n + 1.0); w /= w.sum()
few = np.full(1000, 1 / 1000)
a2, a10 = a.reshape(-1, 1000), a.reshape(-1, 10)
""", """
permutation of n   | ? g.permutation(n)
permutation rows   | ? g.permutation(a10)
permutation axis 1 | ? g.permutation(a2, axis=1)
shuffle rows       | ? g.shuffle(a10); r = a10
shuffle axis 1     | ? g.shuffle(a2, axis=1); r = a2
permuted           | ? g.permuted(a)
permuted axis 1    | ? g.permuted(a2, axis=1)
permuted axis 0    | ? g.permuted(a2, axis=0)
choice of numbers  | ? g.choice(1000, n)
choice few, p      | ? g.choice(1000, n, p=few)
choice p           | ? g.choice(n, n // 10, p=w)
choice no replacement | ? g.choice(a, n // 10, replace=False)
choice no replacement p | ? g.choice(n, n // 100, replace=False, p=w)
choice rows        | ? g.choice(a10, n // 20)
bytes              | ? len(g.bytes(n))
""", each("float64", MID, BIG))

group("more distributions", RANDOM + """
each1 = a % 7 + 1
""", """
standard_cauchy    | ? g.standard_cauchy(n)
standard_t         | ? g.standard_t(4, n)
chisquare          | ? g.chisquare(3, n)
noncentral_chisquare | ? g.noncentral_chisquare(3, 2, n)
f                  | ? g.f(3, 5, n)
noncentral_f       | ? g.noncentral_f(3, 5, 2, n)
gamma 2.2          | ? g.gamma(2.2, 2, n)
gamma each         | ? g.gamma(each1, 2.0)
beta 0.5           | ? g.beta(0.5, 0.7, n)
beta 2.2           | ? g.beta(2.2, 3.3, n)
vonmises           | ? g.vonmises(0, 4, n)
wald               | ? g.wald(1, 2, n)
weibull            | ? g.weibull(1.5, n)
pareto             | ? g.pareto(3, n)
power              | ? g.power(3, n)
rayleigh           | ? g.rayleigh(2, n)
laplace            | ? g.laplace(0, 1, n)
logistic           | ? g.logistic(0, 1, n)
gumbel             | ? g.gumbel(0, 1, n)
triangular         | ? g.triangular(0, 1, 3, n)
binomial 1000      | ? g.binomial(1000, 0.3, n)
binomial each      | ? g.binomial(each1.astype(np.int64) * 10, 0.3)
negative_binomial  | ? g.negative_binomial(5, 0.4, n)
poisson each       | ? g.poisson(each1)
geometric 0.01     | ? g.geometric(0.01, n)
zipf               | ? g.zipf(2.5, n)
logseries          | ? g.logseries(0.7, n)
hypergeometric     | ? g.hypergeometric(100, 200, 50, n)
hypergeometric few | ? g.hypergeometric(10, 20, 5, n)
multinomial        | ? g.multinomial(20, [0.2, 0.3, 0.5], n // 10)
dirichlet          | ? g.dirichlet([1.5, 2.5, 3.5], n // 10)
multivariate_normal | ? g.multivariate_normal([0, 1], [[2, 1], [1, 2]], n // 10)
integers uint8     | ? g.integers(0, 200, n, dtype=np.uint8)
integers int32     | ? g.integers(0, 1000, n, dtype=np.int32)
integers wide      | ? g.integers(0, 2**62, n)
uniform each       | ? g.uniform(each1, 9)
""", each("float64", MID, BIG))

group("random in place", RANDOM, """
random             | ? g.random(out=a, dtype=T); r = a
standard_normal    | ? g.standard_normal(out=a, dtype=T); r = a
exponential        | ? g.standard_exponential(out=a, dtype=T); r = a
""", each("float64", MID, BIG))
