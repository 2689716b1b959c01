# Floating-point errors: errstate, warnings and exceptions.
from showing import attempt

# --- raised
with np.errstate(all='raise'):
    for f in (
        lambda: np.sqrt(-1),
        lambda: np.sqrt(np.array([-1.0, 2])),
        lambda: np.arange(3.0) / np.arange(3.0),
        lambda: np.array([1.0]) / 0,
        lambda: np.log(np.zeros(2)),
        lambda: np.log1p(np.array([-1, 0])),
        lambda: np.arctanh(np.array([1.0])),
        lambda: np.exp(np.array([1000.0])),
        lambda: np.int16(32000) * np.int16(3),
        lambda: np.array([1e-300]) * 1e-300,
        lambda: np.array([1]) // 0,
        lambda: np.array([3]) % np.array([0]),
        lambda: np.float64(1) / 0,
        lambda: np.array([np.inf]) - np.inf,
        lambda: np.array([np.nan]) + 1,
        lambda: np.int64(2**62) + np.int64(2**62),
        lambda: np.uint8(200) + np.uint8(100),
        lambda: np.uint8(1) - np.uint8(2),
        lambda: np.int32(5) * np.int32(7),
        lambda: np.float32(1e30) * np.float32(1e30),
        lambda: np.power(np.array([0.0]), -1),
        lambda: np.array([1j]) / 0,
        lambda: np.array([1e300]) ** 3,
        lambda: np.array([1, 2]) / 0,
        lambda: np.array([1.0, 2]) / np.array([[1], [0.0]]),
        lambda: np.add.outer([np.inf], [-np.inf]),
        lambda: np.array([1, np.inf]) > 0,
        lambda: np.divide([1.0, 0], [1, 0.0], where=[True, False], out=np.zeros(2)),
        lambda: np.float64(-1) ** 0.5,
        lambda: np.array([2]) * 3,
        lambda: np.square(np.array([1e-200])),
        lambda: np.reciprocal(np.array([0.0])),
    ):
        attempt(f)

    def update(a):
        a /= 0

    attempt(lambda: update(np.ones(2)))
    attempt(lambda: update(np.zeros(2)))

# --- some of them
with np.errstate(divide='raise', invalid='ignore'):
    attempt(lambda: np.zeros(1) / 0)
    attempt(lambda: np.ones(1) / 0)
    attempt(lambda: np.exp(np.array([1000.0])))
with np.errstate(over='raise'):
    attempt(lambda: np.ones(1) / 0)
    attempt(lambda: np.exp(np.array([1000.0])))
    attempt(lambda: np.array([1e-300]) * 1e-300)
with np.errstate(all='ignore'):
    print(np.float64(1) / 0, np.sqrt(-1), np.int8(100) + np.int8(100))


# --- handlers
def h(w, f):
    print(w, f)


old = np.seterrcall(h)
with np.errstate(all='call'):
    print(np.array([1, 2, 3]) / 0.0, np.sqrt(np.array([-1.0])), np.int8(100) * np.int8(2))
print(old, np.geterrcall() is h)
attempt(lambda: np.seterrcall(3))
print(np.seterrcall(None) is h, np.geterrcall())


def other(w, f):
    print('other', w)


with np.errstate(divide='call', call=other):
    np.ones(1) / 0
print(np.geterrcall())


# --- errstate as a decorator, nested, with wrong words
@np.errstate(divide='raise')
def f(x):
    "the doc"
    return np.array([1.0]) / x


for x in (1.0, 0.0):
    try:
        print(f(x), f.__name__, f.__doc__)
    except FloatingPointError as e:
        print(e)
g = np.errstate(all='ignore')(lambda a, *b, k=2: (a, b, k))
print(g(1, 2, k=3))
try:
    with np.errstate(divide='bogus'):
        pass
except ValueError as e:
    print('ValueError')
try:
    with np.errstate(foo='raise'):
        pass
except TypeError as e:
    print(e)
with np.errstate(divide='raise'):
    with np.errstate(divide='ignore'):
        print(np.array([1.0]) / 0)
    try:
        np.array([1.0]) / 0
    except FloatingPointError as e:
        print(e)
try:
    with np.errstate(over='raise'):
        raise KeyError('k')
except KeyError:
    print('after')

# --- remainders, to the last bit
n = 20003
h = np.arange(n, dtype=np.uint64) * np.uint64(0x1E3779B97F4A7C15)
h = (h ^ (h >> np.uint64(30))) * np.uint64(0x3F58476D1CE4E5B9)
h ^= h >> np.uint64(27)
g = h * np.uint64(0x14D049BB133111EB)
g ^= g >> np.uint64(31)


def told(r):
    r = np.where(np.isnan(r), np.ones(1, r.dtype), r)
    bits = r.view(np.uint64 if r.dtype == np.float64 else np.uint32).astype(np.uint64)
    return (bits * (np.arange(n, dtype=np.uint64) % np.uint64(1009) + np.uint64(1))).sum() >> np.uint64(1)


for t, u in (np.float64, np.uint64), (np.float32, np.uint32):
    any_a, any_b = h.astype(u).view(t), g.astype(u).view(t)
    large, small, k = (
        ((h >> np.uint64(11)) / 2.0**20).astype(t),
        ((g >> np.uint64(40)) - 2.0**23 + 0.5).astype(t),
        np.arange(n).astype(t),
    )
    for a, b in (
        (any_a, any_b),
        (any_a, any_b[::-1]),
        (any_a * 0, any_b),
        (large, small),
        (small, t(6.283185307179586)),
        (large / t(2**30), small),
        (np.rint(small), np.rint(small / t(2**19))),
        (np.nextafter(t(1), t(2)) * k, t(1)),
        (k * t(0.1), t(0.1)),
        (k * t(-0.3), t(0.1)),
        (k * t(0.3), t(-0.1)),
        (-k, t(np.inf)),
        (k, t(0)),
        (k * t(1e-44), t(-3e-44)),
    ):
        print([(told(r), np.isnan(r).sum()) for r in (a % b, np.fmod(a, b), a // b)])

# --- parts of floats, many at once
x = np.array(
    [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        -7.75,
        1e300,
        1e-300,
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        1.7976931348623157e308,
        np.inf,
        -np.inf,
        np.nan,
        0.5,
        3e-310,
        123456.789,
        1e17,
        -1e-5,
    ]
    * 5
)
np.seterr(all='ignore')
for t in (np.float16, np.float32, np.float64):
    a = x.astype(t)
    b = np.roll(a, 3)
    m, e = np.frexp(a)
    print(t.__name__, m[:20].tolist(), e[:20].tolist(), m.dtype, e.dtype)
    f, i = np.modf(a)
    print(f[:20].tolist(), i[:20].tolist())
    if t != np.float16:
        print(
            np.nextafter(a, b)[:20].tolist(), np.nextafter(b, a)[3:23].tolist(), np.nextafter(a, -a)[:20].tolist()
        )  # NumPy's float16 zeros changed their signs
    for n in (0, 1, -1, 10, -30, 1023, -1022, 1024, -1074, 2100, -2200, 99999, -99999):
        print(n, np.ldexp(a, n)[:20].tolist(), np.ldexp(a, np.full(100, n))[:20].tolist())
    print(np.ldexp(a, np.arange(-50, 50))[:40].tolist())
    print(
        [float('%.3g' % v) for v in np.logaddexp(a, b)[:20]],
        [float('%.3g' % v) for v in np.logaddexp2(a, b)[:20]],
        np.logaddexp(a, a)[:15].tolist(),
    )
k = np.arange(20)
print(np.frexp(k)[0].tolist(), np.ldexp(k, 2).tolist(), np.modf(k - 5)[0].tolist())
y = np.arange(-1080.0, 1030)
z = np.ldexp(np.float64(1.2345678901234567), y.astype(int))
print(z.sum(), z[:12].tolist())

# --- distances to the next number
z = np.array(
    [
        0,
        -0.0,
        1,
        -1,
        1.5,
        -3e300,
        1.7976931348623157e308,
        -1.7976931348623157e308,
        np.inf,
        -np.inf,
        np.nan,
        5e-324,
        -5e-324,
        2.2e-308,
    ]
    * 3
)
np.seterr(all='ignore')
print(np.spacing(z), np.spacing(z.astype('f4')), np.spacing(np.array([1, -1, 2], 'f2')), np.spacing(np.arange(5)))
