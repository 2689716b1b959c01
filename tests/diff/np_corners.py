# Corner cases of arguments: errors and result dtypes. Found by calling every function with random operands, layouts
# and keywords.
from showing import tell
np.seterr(all="ignore")

# --- functions that select elements
tell(
    lambda: np.compress([[True, False]], [[1, 2]]),
    lambda: np.compress(np.ones((2, 2), bool), np.ones((2, 2)), axis=0),
    lambda: np.insert(np.arange(4).reshape(2, 2), np.ones((2, 2), bool), 9),
    lambda: np.delete(np.arange(4).reshape(2, 2), np.ones((2, 2), bool)),
    lambda: np.delete(np.arange(3), [True, False]),
    lambda: np.place(np.arange(3), [True] * 3, np.array([1.5])),
    lambda: np.place(np.arange(3.0), [True] * 3, np.array([1])),
)
tell(
    lambda: np.choose([0, 2], [-2, -4.5, np.float16(1)]),
    lambda: np.choose([0, 3, 1], [2, 3.0, np.zeros((0, 3))]),
    lambda: np.choose([0, 5], [1, 2]),
    lambda: np.choose(1.5, [1, 2]),
    lambda: np.choose(np.array([1.0]), [1, 2]),
    lambda: np.choose([], [1, 2.5]),
    lambda: np.choose([0, 1], np.zeros((0, 2))),
    lambda: np.choose([0, 1], [[1, 2], [3.5, 4]]),
    lambda: np.choose(np.zeros((2, 0), int), np.zeros((2, 3))),
)
tell(
    lambda: np.ravel_multi_index(([], []), (4, 4)),
    lambda: np.ravel_multi_index(([0, 1], [2, 1, 1]), (4, 4), order='F'),
    lambda: np.ravel_multi_index(([1.5], [2]), (4, 4)),
    lambda: np.unravel_index(np.array([3], 'u1'), (3, 2)),
    lambda: np.ix_(np.zeros(0), []),
    lambda: np.tril_indices_from(np.zeros((3, 2, 2))),
    lambda: np.triu_indices_from(np.zeros(3)),
    lambda: np.searchsorted([1, 2], [1], sorter=[0]),
)
tell(
    lambda: np.piecewise(np.array([1, 2], 'u1'), [[True, False]], [3, -2.5]),
    lambda: np.piecewise(np.array([1, 2]), [[True, False]], [3, -2.5]),
)

# --- creation and joining
tell(
    lambda: np.arange(3, -2, -1, dtype='?'),
    lambda: np.arange(3, dtype='?'),
    lambda: np.arange(1, 3, dtype='?'),
    lambda: np.arange(-3, -2, dtype='u1'),
    lambda: np.arange(254, 258, dtype='u1'),
    lambda: np.arange(-3.5, -2, dtype='u1'),
    lambda: np.indices((3, 2), dtype='?'),
)
tell(
    lambda: np.mgrid[3:1, 0:2],
    lambda: np.ogrid[3:1, 0:2],
    lambda: np.mgrid[3:1],
    lambda: np.fft.fftfreq(-1),
    lambda: np.linspace(np.array([4], 'i1'), np.array([2.5], 'f4'), 3),
    lambda: np.linspace(np.float32(0), 1, 3),
)
tell(
    lambda: np.concatenate([np.zeros(1)], dtype='?'),
    lambda: np.concatenate([np.zeros(1), np.zeros(1, 'i4')], dtype='i4'),
    lambda: np.concatenate([np.ones(1)], dtype='i4', casting='unsafe'),
    lambda: np.split(np.zeros(3), 0),
    lambda: np.array_split(np.zeros(3), 0),
)
tell(
    lambda: np.array(3, copy=False),
    lambda: np.asarray([1], copy=False),
    lambda: np.asarray(np.zeros(3, 'f4'), dtype='f8', copy=False),
)
a = np.arange(3)
b, c = np.asarray(a, copy=True), np.asarray(a, copy=False)
b[0] = 9
c[1] = 7
print(a, np.array(a, copy=None) is a, np.array(a[::2], copy=False))
tell(
    lambda: np.reshape(np.zeros(3), (-1, 0)),
    lambda: np.reshape(np.zeros(3), (-1, 2, 2)),
    lambda: np.reshape(np.zeros(3), (2, -1)),
    lambda: np.broadcast_to(np.zeros((2, 2)), ()),
    lambda: np.rollaxis(np.zeros((0, 2)), 0, -3),
    lambda: np.diagonal(np.zeros((2, 2)), 0, 0, 7),
    lambda: np.unpackbits(np.array([2], 'u1'), axis=3),
    lambda: np.diff(np.array([4, -1]), n=0, prepend=0),
)

# --- reductions
tell(
    lambda: np.maximum.reduce(np.zeros((0, 0)), axis=1),
    lambda: np.maximum.reduce(np.zeros((0, 3)), axis=1),
    lambda: np.nanmax(np.zeros((0, 0, 1)), axis=1, keepdims=True),
    lambda: np.maximum.reduce(np.zeros((0, 2)), axis=0, where=np.zeros((0, 1), bool)),
    lambda: np.logaddexp.reduce(3.0, where=False),
    lambda: np.hypot.reduce(np.float64(3), axis=None, where=np.array(False)),
)
tell(
    lambda: np.max(np.array([1, 2], 'u1'), initial=300),
    lambda: np.sum([1, 2], initial=np.inf),
    lambda: np.sum(np.array([1], 'u1'), initial=300),
    lambda: np.sum(np.array([1], 'u1'), initial=-1),
    lambda: np.min([1, 2], initial=1.5),
    lambda: np.prod(np.array([True]), initial=np.nan),
)
tell(
    lambda: np.add.accumulate(np.ones((2, 2)), axis=None),
    lambda: np.add.accumulate(np.ones(2), axis=None),
    lambda: np.add.reduceat(np.ones((2, 2)), [0, 1], axis=None),
)
for a in (np.arange(3), np.zeros(0), np.zeros((2, 3), np.int8), np.ones((0, 3)), np.zeros(3, bool)):
    for f in (np.add, np.maximum, np.logical_or, np.divide):
        for i in ([], np.zeros(0, int)):
            tell(
                lambda: f.reduceat(a, i, axis=-1),
                lambda: f.reduceat(a, i).shape,
                lambda: np.add.reduceat(a, i, dtype=np.float32),
            )
tell(
    lambda: np.var(np.array([True]), dtype='c16'),
    lambda: np.std(np.array([1], 'i1'), dtype='i2'),
    lambda: np.var(np.array([1, 5, 8]), dtype='i2'),
    lambda: np.std(np.ones((2, 2), 'i1'), axis=0, dtype='i2'),
    lambda: np.nanstd(np.array([1], 'i1'), dtype='i2'),
    lambda: np.var([1.5, 3.5], dtype=complex),
    lambda: np.nanmean([1.5], dtype=int),
    lambda: np.nanmean([1.5], out=np.array(3)),
    lambda: np.nanvar([1.5], dtype=int),
)
tell(
    lambda: np.quantile(np.array([5, 9, -5], 'i4'), 0),
    lambda: np.quantile(np.array([5, 9, -5], 'i4'), [0, 1]),
    lambda: np.quantile(np.array([5, 9]), 0, method='hazen'),
    lambda: np.quantile(np.array([True, False]), 0),
    lambda: np.percentile(np.zeros((1, 0)), 0, axis=-2),
    lambda: np.nanquantile(np.zeros(0, 'f4'), [0.25, 0.75]),
    lambda: np.nanmedian(np.zeros((1, 0, 2), 'f2'), axis=1),
    lambda: np.nanpercentile(np.zeros((3, 0, 2), 'f4'), 50, axis=()),
)
tell(
    lambda: np.bincount(np.zeros(0, int), weights=np.zeros(0)),
    lambda: np.lexsort(np.array([2.0, 1.0])),
    lambda: np.lexsort(([1, 2], [3, 4]), axis=1),
    lambda: np.cov([1, 2], dtype='i4'),
    lambda: np.cov(np.zeros((2, 0)), aweights=[]),
    lambda: np.histogram_bin_edges(np.array([-1, -5, 127], 'i1'), 'auto'),
    lambda: np.histogram_bin_edges(np.array([True, True]), 'fd'),
    lambda: np.histogram(np.array([True, False]), 3),
)

# --- clip and casts
tell(
    lambda: np.clip(np.zeros(2, bool), 4, np.ones(2, 'f4')),
    lambda: np.clip(np.zeros(2, '?'), -2, np.array(3, 'u8')),
    lambda: np.clip(np.zeros(2, 'i1'), 4, 300),
    lambda: np.clip(np.array([1, 9], 'i2'), np.array([2.5], 'f4'), 3),
    lambda: int(np.array(1j)),
    lambda: float(np.array(1 + 1j)),
)

# --- products
tell(
    lambda: np.tensordot(np.ones((1, 2)), np.ones(3)),
    lambda: np.tensordot(np.ones(1), np.ones((0, 1))),
    lambda: np.tensordot(np.ones((2, 3)), np.ones((3, 2)), axes=([0], [4])),
    lambda: np.inner(np.ones((2, 1)), np.ones((2, 3, 2))),
    lambda: np.cross(np.ones((3, 3)), np.ones((0, 3))),
    lambda: np.dot(np.zeros((0, 0, 0)), np.zeros((0, 0))),
    lambda: np.vecdot(1.0, 2.0, axis=1),
    lambda: np.vecdot([1.0], [2.0], axis=1),
    lambda: np.linalg.pinv(np.zeros((2, 0), 'u1')),
)

# --- transforms over an axis twice
print(
    np.fft.irfft2(np.array([[0.5 - 0.5j, -0.75 + 0.75j]], 'c8'), axes=[-1, -1]),
    np.fft.rfft2(np.arange(4.0).reshape(1, 4), axes=[-1, -1]),
)
print(np.fft.irfftn(np.ones((2, 3), 'f2')).dtype, np.fft.irfft(np.ones((2, 3), 'f2')).dtype)

# --- ufuncs with several results, and generalized ufuncs
for f in (np.matmul, np.vecdot, np.matvec, np.vecmat, np.divmod, np.modf, np.frexp):
    print(
        f,
        type(f) is np.ufunc,
        isinstance(f, np.ufunc),
        f.__name__,
        f.nin,
        f.nout,
        f.nargs,
        f.signature,
        f.identity,
        [t for t in f.types if not set("qQgGO") & set(t)],
    )
tell(
    lambda: np.matmul.reduce([1, 2]),
    lambda: np.matmul.outer([1, 2], [1, 2]),
    lambda: np.matmul.at([1, 2], 0, 1),
    lambda: np.vecdot.accumulate([1]),
    lambda: np.divmod.outer([1, 2], [3, 4]),
    lambda: np.modf.outer([1], [2]),
    lambda: np.divmod.reduce([1]),
    lambda: np.modf.at([1], 0, 1),
)
tell(
    lambda: np.divmod(7, 2, dtype='f4'),
    lambda: np.divmod([7], 2, dtype='i4'),
    lambda: np.modf(1, dtype='f4'),
    lambda: np.frexp([1.0], dtype='f4'),
    lambda: np.divmod(7, 2, order='C'),
    lambda: np.divmod(1, 2, foo=1),
    lambda: np.modf(1j),
    lambda: np.frexp(1j),
    lambda: np.divmod(1j, 1),
)
tell(
    lambda: np.matmul([[1, 2]], [[1], [2]], signature='dd->d'),
    lambda: np.matmul([[1, 2]], [[1], [2]], dtype='f4'),
    lambda: np.matmul([[1, 2]], [[1], [2]], axes=[(0, 1), (0, 1), (0, 1)]),
    lambda: np.matmul.resolve_dtypes((np.dtype('i4'), np.dtype('f4'), None)),
    lambda: np.matmul([[1, 2]], [[1], [2]], np.zeros((1, 1))),
    lambda: np.matmul([[1]], [[2]], foo=1),
)

# --- dtypes of polynomials
import numpy.polynomial.polynomial as poly
import numpy.polynomial.hermite_e as herme
import numpy.polynomial.legendre as leg
import numpy.polynomial.chebyshev as cheb

c, x = np.array([1, 2.5, 3], 'f4'), np.array([1, 2], 'f2')
tell(
    lambda: poly.polyder(c),
    lambda: poly.polyint(c),
    lambda: herme.hermeder(c, 2),
    lambda: herme.hermeint(c),
    lambda: leg.legval(np.array([True]), c),
    lambda: leg.legval(x, np.array([1, 2], 'f2')),
    lambda: herme.hermevander2d(x, np.array([True, False]), [1, 1]),
    lambda: cheb.chebmulx([np.inf, 1, 2]),
    lambda: leg.legder(np.array([1, np.inf]), 3),
    lambda: poly.polyvander2d([1, 2], [3], [1, 1]),
    lambda: cheb.chebval(1.0, np.zeros(0)),
    lambda: leg.legval(np.array([np.nan, 1]), [2.0]),
)

# --- parameters of random distributions
R = np.random.default_rng(1)
tell(
    lambda: np.random.normal(1j, 1),
    lambda: R.normal(1j, 1),
    lambda: R.normal([1j], 1),
    lambda: R.normal(1, [1j, 2]),
    lambda: R.poisson(1j),
    lambda: R.poisson([1j]),
)
tell(
    lambda: R.binomial(1j, 0.5),
    lambda: R.binomial([1j], 0.5),
    lambda: R.binomial(3, [0.5j]),
    lambda: R.geometric(0.5j),
    lambda: R.hypergeometric(1j, 2, 3),
)
tell(
    lambda: R.hypergeometric([1j], 2, 3),
    lambda: R.uniform(1j, 2),
    lambda: R.uniform([1j], 2),
    lambda: R.triangular([1j], 2, 3),
    lambda: R.dirichlet([1j, 2]),
)
tell(
    lambda: R.multinomial(3, [0.5j, 0.5]),
    lambda: R.standard_gamma([1j]),
    lambda: R.multivariate_normal([1j], [[1]]),
    lambda: R.choice(3, p=[0.5, 0.5]),
)
tell(
    lambda: np.random.choice(3, p=[0.5, 0.5]),
    lambda: np.random.choice(0),
    lambda: np.random.choice([]),
    lambda: np.random.choice(np.zeros((2, 2))),
)
tell(
    lambda: np.random.choice(np.array(3.5)),
    lambda: np.random.choice('abc'),
    lambda: np.random.choice(3, 5, replace=False),
)
tell(
    lambda: np.random.choice(3, 2, replace=False, p=[1, 0, 0]),
    lambda: np.random.choice(2, p=[0.5, 0.6]),
    lambda: np.random.choice(2, p=[-0.5, 1.5]),
)
tell(
    lambda: np.random.choice(2, p=[np.nan, 1.5]),
    lambda: np.random.choice(2, p=[[0.5, 0.5]]),
    lambda: R.choice(0),
    lambda: np.random.seed(np.array([], 'f4')),
)
tell(
    lambda: np.random.seed(np.array([1, 2], 'u8')),
    lambda: np.random.seed([1.5]),
    lambda: np.random.seed(1.5),
    lambda: np.random.seed(-1),
)
tell(
    lambda: np.random.seed(2**32),
    lambda: np.random.randint(3, dtype='f4'),
    lambda: np.random.randint(3, 2),
    lambda: np.random.randint(3, 3),
)
tell(
    lambda: np.random.randint(0),
    lambda: np.random.randint(300, dtype='u1'),
    lambda: np.random.hypergeometric(2, 3, 0),
    lambda: np.random.hypergeometric([2], 3, 0),
)
tell(
    lambda: np.random.hypergeometric(-1, 3, 1),
    lambda: np.random.hypergeometric(2, 3, 9),
    lambda: np.random.negative_binomial(1, 1.5),
)
tell(
    lambda: np.random.negative_binomial([1], 1.5),
    lambda: np.random.negative_binomial(0, 0.5),
    lambda: np.random.dirichlet([0, 1]),
    lambda: np.random.dirichlet([]),
)
tell(
    lambda: R.dirichlet([]),
    lambda: np.random.multinomial(-1, [0.5, 0.5]),
    lambda: np.random.multinomial(2, [0.5, 0.9, 0.1]),
    lambda: np.random.multinomial(-1, [2.0]),
)
tell(
    lambda: R.multinomial(-1, [2.0]),
    lambda: np.random.zipf(1),
    lambda: np.random.logseries(1),
    lambda: np.random.geometric(0),
    lambda: np.random.geometric([0]),
)
tell(
    lambda: np.random.poisson(-1),
    lambda: np.random.poisson(1e30),
    lambda: np.random.binomial(-1, 2),
    lambda: np.random.binomial([1], 2),
)
tell(
    lambda: np.random.binomial(1.5, 0.5) in (0, 1),
    lambda: R.binomial([1], 2),
    lambda: np.random.vonmises(0, -1),
    lambda: np.random.wald(0, 1),
)
tell(
    lambda: np.random.triangular(1, 0, 2),
    lambda: np.random.gamma(-1, 1),
    lambda: np.random.beta(0, 1),
    lambda: np.random.normal(0, -1),
)
tell(
    lambda: np.random.normal([0, 1], -1),
    lambda: np.random.normal([0, 1], 1, 3),
    lambda: np.random.normal([0, 1], 1, (1,)),
    lambda: np.random.normal([0, 1], 1, 2.5),
)
tell(
    lambda: np.random.normal(0, 1, -1),
    lambda: np.random.normal(0, 1, (2, -1)),
    lambda: np.random.standard_t(0),
    lambda: np.random.f(0, 1),
)
tell(
    lambda: np.random.noncentral_chisquare(0, 1),
    lambda: np.random.power(0),
    lambda: np.random.pareto(0),
    lambda: np.random.weibull(-1),
)
tell(
    lambda: np.random.rayleigh(-1),
    lambda: np.random.exponential(-1),
    lambda: np.random.laplace(0, -1),
    lambda: np.random.lognormal(0, -1),
)
tell(
    lambda: np.random.uniform(0, np.inf),
    lambda: np.random.uniform([0], np.inf),
    lambda: np.random.chisquare(0),
    lambda: np.random.rand(-1),
)
tell(lambda: np.random.rand(1.5), lambda: np.random.random_sample('a'), lambda: type(np.random.random_integers(3)))
tell(
    lambda: (type(np.random.randint(3)), type(np.random.randint(3, dtype='i8'))),
    lambda: type(np.random.randint(3, dtype='i2')),
)
tell(
    lambda: type(np.random.randint(3, dtype=bool)),
    lambda: (type(np.random.choice(3)), type(R.choice(3)), type(np.random.choice([1.5]))),
)
tell(
    lambda: (
        type(np.random.random(())),
        type(R.normal(size=())),
        type(R.integers(3, size=())),
        type(np.random.poisson(3, ())),
    ),
    lambda: np.random.shuffle(3),
)
tell(
    lambda: np.random.shuffle((1, 2)),
    lambda: np.random.multivariate_normal([0], [[1, 2]]),
    lambda: np.random.multivariate_normal([[0]], [[1]]),
)
tell(
    lambda: np.random.multivariate_normal([0, 1], [[1]]),
    lambda: np.random.standard_exponential(3.5),
    lambda: np.random.RandomState(5.5),
)
tell(lambda: np.random.RandomState([]), lambda: np.random.set_state(3))

# --- nan_to_num
tell(
    lambda: np.nan_to_num(np.array([1, np.nan], 'f4'), nan=7e77),
    lambda: np.nan_to_num(np.array([1, np.inf, -np.inf], 'f4'), posinf=np.inf, neginf=7e77),
    lambda: np.nan_to_num(np.array([1, np.nan], 'c8'), nan=7e77),
    lambda: np.nan_to_num(np.array([np.nan, np.inf, -np.inf]), nan=np.inf, posinf=-np.inf, neginf=np.nan),
    lambda: np.nan_to_num(np.array([1, np.nan], 'f4'), nan=1j),
    lambda: np.nan_to_num(np.array([1, np.nan], 'f2'), nan=-0.0),
)

# --- small things
tell(
    lambda: float.fromhex(" 0b4 "),
    lambda: float.fromhex(" -0x3p1"),
    lambda: float.fromhex(" "),
    lambda: np.array([True]).conj(),
    lambda: np.array(2.5).conj(),
    lambda: np.array(1j).conj(),
    lambda: np.floor_divide.reduce(np.array(3, "i4"), axis=None),
    lambda: np.array([1]).conjugate(),
)
a = np.arange(3)
print(a.conj() is a, np.array([1j]).conj())

# --- signs of halves: all bits, those of NaN too (not on cuda: its NaN has other bits)
np.seterr(all="ignore")
h = np.arange(65536).astype(np.uint16).view(np.float16)
w = np.arange(65536) % 97
for r in (
    abs(h),
    -h,
    -abs(h),
    abs(-h),
    np.fabs(h),
    abs(h[::-3]),
    np.negative(h.reshape(256, 256).T),
    np.abs(h[5:20]),
    abs(h) * 2,
    np.where(h > 0, -h, abs(h)),
    -(h + 1),
):
    r = r.ravel()
    v = r.view(np.uint16)
    print(int(np.where(np.isnan(r), 0, v * w[: v.size]).sum()))
for r in abs(h), -h, -abs(h), abs(-h), abs(h[::-3]):
    print(int((r.view(np.uint16) * w[: r.size]).sum()))
print(-np.float16(0), abs(np.float16(-0.0)), abs(h[:40]).max(), -h[:3])

# --- neighbours and scales of halves: all bits (numpy before 2.5)
np.seterr(all="ignore")
h = np.arange(65536).astype(np.uint16).view(np.float16)
w = np.arange(65536) % 97


def tell(r):
    v, t = r.view(np.uint16), np.isnan(r)
    print(int(t.sum()), int(np.where(t | (r == 0), 0, v * w[: v.size]).sum()))


tell(np.spacing(h))
for to in np.inf, -np.inf, 0.0, -0.0, 1.5, np.nan:
    tell(np.nextafter(h, np.float16(to)))
    tell(np.nextafter(np.full(65536, to, np.float16), h))
tell(np.nextafter(h, h[::-1].copy()))
tell(np.nextafter(h[::3], h[::3][::-1]))
for n in 0, 1, -1, 5, -12, 30, -40, 100000, -100000:
    tell(np.ldexp(h, n))
tell(np.ldexp(h, (np.arange(65536) % 61 - 30).astype(np.int32)))
tell(np.ldexp(h, np.arange(65536) % 61 - 30))
for t in "f2", "f4", "f8":
    z, to = np.array([0.0, -0.0, 0, -0.0, 1, np.inf] * 9, t), np.array([0.0, -0.0, -0.0, 0, 1, np.inf] * 9, t)
    print(
        np.signbit(np.nextafter(z, to)),
        np.signbit(np.nextafter(to[:4], z[:4])),
        [np.nextafter(a, b) for a, b in zip(z[:6], to)],
    )
print(
    np.nextafter(np.float16(1), np.float16(2)),
    np.spacing(np.float16(1)),
    np.spacing(h[:5]),
    np.nextafter(h[31740:31750], np.float16(0)),
)

# --- lowest common multiples
for t in "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8":
    q = np.iinfo(t)
    e = np.array(
        [
            0,
            1,
            2,
            3,
            5,
            6,
            64,
            100,
            127,
            q.max,
            q.max - 1,
            q.max // 2,
            q.min,
            q.min + 1,
            q.min // 2,
            12 if q.min == 0 else -12,
        ]
        * 4
    ).astype(t)
    for a, b in (
        (e[:16, None], e[None, :]),
        ((np.arange(3001) * 7919).astype(t), (np.arange(3001) * 104729 % 251).astype(t)),
        (np.arange(77).astype(t)[::2], np.arange(77).astype(t)[::-2]),
    ):
        r = np.lcm(a, b)
        print(
            t,
            r.dtype,
            r.ravel()[:400:7].tolist() if t != "u8" else r.astype("i8").ravel()[:400:7].tolist(),
            r.sum() if t != "u8" else (r >> np.uint64(3)).astype("i8").sum(),
        )
    print(np.lcm(e[3], e[5]), np.lcm.reduce(e[1:5]))

# --- interp between infinities, and of complex numbers
import itertools

inf, nan = np.inf, np.nan
x = [0.5, 0, 1, -inf, inf, nan]
for a, b in itertools.product((-inf, 0.0, 1.0, inf, nan), repeat=2):
    for xp in [0, 1], [-inf, 1], [0, inf], [-inf, inf], [0.5, 1.5]:
        print(a, b, xp, np.interp(x, xp, [a, b]).tolist(), np.interp(x, xp, [complex(a, b), complex(b, a)]).tolist())
xp = np.cumsum((np.arange(20) * 7 % 11 + 1) / 13)
fp = (np.arange(20) * 7919 % 1013) / 137
at = (np.arange(200) * 104729 % 1009) / 77
for z in fp, fp + 1j * fp[::-1]:
    print(np.interp(at, xp, z), np.interp(at[:3], xp, z), np.interp(at, xp, z, period=2.1))
print(np.interp([nan, 1, 2, 3], [2], [5.0]), np.interp(nan, [2], [5 + 1j]),
    np.interp([nan, 1, 2, 3], [2], [5 + 1j], left=7))

# --- isclose of a single and a Python number
single, double = np.finfo("f4").eps, np.finfo("f8").eps
for a in np.float32(1), np.array([1.0], "f4"), np.float16(1), 1.0, 1, np.int8(1), np.float64(1), np.bool_(1):
    for b in (float(1 - double), np.float32(1), 1 - single, 1, np.float64(1 - double), [1 - double],
              np.float32(1) + single):
        for f in np.isclose, np.allclose:
            for x, y in (a, b), (b, a):
                r = f(x, y, atol=0, rtol=0)
                print(type(r).__name__, r, f(x, y), f(x, y, rtol=np.float32(1e-7), atol=0))
print(np.isclose(np.array([-128], "b"), np.array([-128], "b")), np.isclose(np.int8(-128), np.int8(127)))

# --- tolerances of real_if_close, tables of isin
x = np.array([1 + 1e-7j, 2])
for tol in (1e-6, 1e-8, 0.5, 1, 2, 100, 1e9):
    for t in (np.complex128, np.complex64):
        print(tol, np.iscomplexobj(np.real_if_close(x.astype(t), tol=tol)))
for tests in ([1, 5], [1, -2], [-100, 100], [True], []):
    for t in (np.int8, np.int64, np.uint8, bool):
        try:
            print(np.isin(np.array([1, 2, 100]).astype(t), np.array(tests).astype(np.int8 if t != bool else bool),
                kind="table"))
        except RuntimeError as e:
            print("RuntimeError", e)

# --- shapes of samples
rng = np.random.default_rng(0)
for size in (-2, (2, -1), 0, (3, 0)):
    for call in (lambda: rng.choice(5, size), lambda: rng.choice(5, size, replace=False),
            lambda: rng.choice(2, size, p=[0.5, 0.5]),
                 lambda: np.random.choice(5, size, False), lambda: rng.random(size), lambda: rng.integers(3, size=size),
                 lambda: rng.normal(size=size)):
        try:
            print(size, call().shape)
        except ValueError as e:
            print(size, e)

# --- indices out of bounds of results without elements
x = np.zeros((1, 0, 1))
later = np.arange(1) + 40
tell(
    lambda: x[later],
    lambda: x[[40]],
    lambda: np.take(x, 99, axis=0),
    lambda: np.take(x, later, axis=0),
    lambda: x[:, np.arange(1)],
    lambda: x[:, np.zeros(0, int)],
    lambda: np.zeros((3, 4))[np.zeros(0, int), 7],
    lambda: np.zeros((3, 4))[np.zeros((0, 2), int) + 9],
    lambda: np.zeros((3, 0))[[0, 5], :],
    lambda: np.take_along_axis(np.zeros((2, 0)), np.ones((2, 0), int) * 5, axis=1),
    lambda: np.take(np.zeros((0, 3)), [0], axis=1),
)

# --- bounds of clip: beyond every integer, of shapes that do not fit
a = np.array([1, 2, 3], np.int32)
tell(
    lambda: np.clip(a, -(2**70), 2**70),
    lambda: np.clip(a, 2, 2**70),
    lambda: np.clip(np.array([1, 2**64 - 1], np.uint64), -(2**70), 2**64 - 2),
    lambda: np.clip(np.int8(5), -(2**99), 3),
    lambda: np.clip(a, 1, [1, 2]),
    lambda: np.clip(a, [[1, 2]], [1, 2, 3]),
    lambda: a.clip([1, 2], [1, 2]),
)

# --- shapes of select, nonzero and copyto
def copied(target, source, where):
    target = np.array(target)
    np.copyto(target, source, where=where)
    return target


tell(
    lambda: np.where(True),
    lambda: np.select([[True, False]], [[1, 2, 3]]),
    lambda: np.select([np.array([True, False]), np.array([True, False, True])], [1, 2]),
    lambda: np.select([np.array([True, False])] * 2, [[1, 2], [1, 2, 3]]),
    lambda: np.select([np.array([True, False])] * 2, [[[1], [2]], 1]),
    lambda: copied(0, [5], True),
    lambda: copied(0, np.array([[5]]), np.array(True)),
    lambda: copied([1, 2], np.array([[5, 6]]), np.array([True, False])),
    lambda: copied([1, 2], np.array([[5, 6], [7, 8]]), np.array([True, False])),
    lambda: copied([1, 2], [[3, 4]], [[True, False]]),
)

# --- arange to infinity, interp without warnings
import warnings
infinity = float('inf')
tell(*[lambda a=a: np.arange(*a) for a in ((0, infinity, -1), (0, -infinity, 1), (0.0, 1, 0.0), (0, 1, 0),
    (0, 1, infinity), (0, -1, infinity))])
with warnings.catch_warnings(), np.errstate(all='warn'):
    warnings.simplefilter('error')
    for y in ([0, 1, infinity], [0, -infinity, infinity], [1j, complex(infinity, 1), 2]):
        print(np.interp([-1, 0, 0.5, 1, 3], [-infinity, 0, infinity], y))
        print(np.interp([-1, 0, 0.5, 1, 3], [0, 0, 1], y))

# --- integers out of bounds of the target, as Python's and as NumPy's
zeros = np.zeros(4, np.int8)
mask = [True, False, False, False]


def changed(f, *values, **keywords):
    target = zeros.copy()
    f(target, *values, **keywords)
    return target


for v in (300, -129, np.int64(300), 2**63, 1.5, 127):
    tell(
        lambda: changed(np.place, mask, [v]),
        lambda: changed(np.place, mask, v),
        lambda: changed(np.putmask, mask, v),
        lambda: changed(np.putmask, mask, [v]),
        lambda: changed(np.copyto, v),
        lambda: changed(np.copyto, [v]),
        lambda: changed(np.copyto, v, where=mask),
        lambda: changed(np.copyto, v, casting='unsafe'),
        lambda: zeros.sum(initial=v, dtype=np.int8),
        lambda: zeros.max(initial=v),
        lambda: np.minimum.reduce(zeros, initial=v),
        lambda: np.add.reduce(zeros, initial=v),
        lambda: np.prod(zeros, initial=v),
    )

# --- axes of scalars
tell(*[lambda f=f, k=k: f(np.array(1), axis=k) for k in (3, 1, 0, -1, -2, None) for f in (np.argsort, np.sort,
    np.argmax, np.cumsum, np.flip)])
