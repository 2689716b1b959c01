# Elementwise operations and dtype promotion.
# --- arithmetic
a = np.array([1, 2, 3])
print(a + 1, a - a, a * 2.5, a / 2, a // 2, a % 2, a**2, -a, +a, 10 - a, 6 / a, 2**a, abs(-a))
# --- signs of floor and mod
a = np.array([7, -7, 7, -7])
b = np.array([2, 2, -2, -2])
print(a // b, a % b, np.divmod(a, b), np.fmod(a, b), a / b, np.remainder(a, b), np.floor_divide(a, b))
# --- float floor and mod
a = np.array([7.5, -7.5, np.inf, 1.0])
b = np.array([2.0, 2.0, 2.0, np.inf])
print(a // b, a % b, np.fmod(a, b))
# --- integer division by zero
a = np.array([1, 0, -1])
print(a // 0, a % 0, a / 0, np.array([1.0]) / 0, a.astype(float) // 0, a.astype(float) % 0)
# --- quotients of 64-bit integers of every size
a = np.left_shift(1, np.arange(63))
a = np.concatenate([a - 1, a, a + 1, -a, 1 - a, -1 - a, a // 3 * 5 + 7, np.array([-9223372036854775807 - 1])])
b, u = a.reshape(-1, 1), a.astype(np.uint64)
v = u.reshape(-1, 1)
weights = np.arange(1, a.size + 1)
for r in (b // a, b % a, np.fmod(b, a), v // u, v % u, (v * u - np.uint64(1)) // u):
    print((r.astype(np.int64) * weights).sum(axis=1))
for d in (1, -1, 3, -7, 1000, 4294967296, 9007199254740993, -9223372036854775807, 0):
    print((a // d * weights).sum(), (a % d * weights).sum(), (a // d)[:5], (a % d)[-5:])
# --- comparisons
a = np.array([1, 2, 3])
print(a > 2, a == [1, 0, 3], a != 2, a <= a[::-1], (a > 1) & (a < 3), 2 > a, a == 2.0, a == "x" if False else "")
# --- logic
a = np.array([0, 1, 2])
print(np.logical_and(a, [1, 1, 0]), np.logical_or(a, 0), np.logical_not(a), np.logical_xor(a, 1), ~(a > 0))
# --- bits
a = np.array([12, 10], dtype=np.uint8)
print(a & 6, a | 1, a ^ 255, ~a, a << 2, a >> 1, np.left_shift(1, a), np.invert(a), np.bitwise_count(a))
# --- signed shifts
a = np.array([-8, 7])
print(a >> 1, a << 1, a >> 70, a << 70, np.array([1], np.int8) << 9)
# --- roots and squares
a = np.array([1.0, 4, 9, -1])
print(
    np.sqrt(a), np.square(a), np.cbrt([8, 27]), np.reciprocal([2.0, 4]), np.sqrt([4, 9]), np.sqrt(np.array([-1 + 0j]))
)
# --- exp and log
a = np.array([0.5, 1, 2])
print(np.exp(a), np.log(a), np.exp2(a), np.log2(a), np.log10(a), np.expm1(a), np.log1p(a), np.log([0, -1, np.inf]))
# --- trigonometry
a = np.array([0, 0.5, 1])
print(np.sin(a), np.cos(a), np.tan(a), np.arcsin(a), np.arccos(a), np.arctan(a), np.arctan2(a, -a), np.hypot(a, 1))
# --- hyperbolic
a = np.array([0.25, 0.5])
print(np.sinh(a), np.cosh(a), np.tanh(a), np.arcsinh(a), np.arccosh(a + 1), np.arctanh(a))
# --- degrees and radians
print(np.degrees([0, np.pi]), np.radians([180, 90]), np.deg2rad(180), np.rad2deg(np.pi))
# --- rounding
a = np.array([-1.5, -0.5, 0.5, 1.5, 2.675])
print(
    np.round(a), np.floor(a), np.ceil(a), np.trunc(a), np.rint(a), a.round(2), np.round(a, -1), np.round([15, 25], -1)
)
# --- sign and absolute
a = np.array([-2.5, 0, 3, np.nan])
print(
    np.sign(a),
    np.abs(a),
    np.absolute([-1, 2]),
    np.fabs([-1, 2]),
    np.negative([1, -1]),
    np.positive([1]),
    np.copysign(1, a),
    np.signbit(a),
    np.heaviside([-1, 0, 1], 0.5),
)
# --- max and min of pairs
a, b = np.array([1, np.nan, 3]), np.array([2, 1, np.nan])
print(np.maximum(a, b), np.minimum(a, b), np.fmax(a, b), np.fmin(a, b), np.maximum([1, 5], 3))
# --- tests
a = np.array([1, np.nan, np.inf, -np.inf])
print(np.isnan(a), np.isinf(a), np.isfinite(a), np.isneginf(a), np.isposinf(a), np.nan_to_num(a, posinf=9, neginf=-9))
# --- gcd and lcm
print(np.gcd([12, 18], 8), np.lcm([4, 6], 10), np.gcd(-4, 6))
# --- powers
print(
    np.power([2, 3], [3, 2]),
    np.power(2.0, [-1, 0.5]),
    np.array([2, 3]) ** 2.0,
    np.array([1.5]) ** 2,
    np.float_power([2], 2),
    np.array([-8.0]) ** 3,
    0 ** np.array([0, 1]),
)
# --- parts of floats
print(
    np.modf([1.5, -2.25]),
    np.frexp([8.0, 0.75]),
    np.ldexp([0.5, 1], [3, 1]),
    np.nextafter(1.0, 2.0) > 1,
    np.spacing(1.0),
)
# --- logaddexp
print(np.logaddexp(1, 2), np.logaddexp2([1.0], 1), np.logaddexp(-np.inf, 0))
# --- complex functions
z = np.array([1 + 1j, -2j, 3])
print(z.real, z.imag, np.conj(z), np.abs(z), np.angle(z), z * z, z / (1 + 1j), z**2, np.exp(z), np.sqrt(z))
# --- complex comparisons and parts
z = np.array([1 + 1j, 1 - 1j])
print(z == z.conj(), np.real(z), np.imag(3), np.isreal([1j, 1]), np.iscomplex([1j, 1]), z.real.dtype)
# --- setting parts of complex arrays
z = np.zeros(2, complex)
z.real = [1, 2]
z.imag[1] = 5
print(z)
# --- promotion of pairs
ts = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
for s in ts:
    print(s, *[(np.ones(1, s) + np.ones(1, t)).dtype for t in ts])
# --- promotion with python numbers
ts = ("bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "float64", "complex64")
for t in ts:
    a = np.ones(1, t)
    print(t, (a + True).dtype, (a + 1).dtype, (a + 1.0).dtype, (a + 1j).dtype, (1 + a).dtype, (a * 2.5).dtype)
# --- division dtypes
for t in ("bool", "int8", "int32", "uint64", "float16", "float32", "complex64"):
    a = np.ones(1, t)
    print(t, (a / a).dtype, (a / 2).dtype, np.sqrt(a).dtype, np.sin(a).dtype, np.exp(a).dtype)
# --- floor division and power dtypes
for t in ("bool", "int8", "uint8", "int64", "float16", "float32"):
    a = np.ones(1, t)
    print(
        t, (a // a).dtype, (a % a).dtype, (a**2).dtype if t != "bool" else "", np.square(a).dtype if t != "bool" else ""
    )
# --- unary dtypes
for t in ("int8", "uint8", "int32", "float16", "float32", "complex64"):
    a = np.ones(1, t)
    print(
        t,
        (-a).dtype,
        np.abs(a).dtype,
        np.floor(a).dtype if t != "complex64" else "",
        np.rint(a).dtype,
        np.sign(a).dtype,
        np.square(a).dtype,
        np.reciprocal(a).dtype,
    )
# --- scalars promote like arrays
print(
    (np.float32(1) + 1).dtype,
    (np.float32(1) + 1.5).dtype,
    (np.float32(1) + np.float64(1)).dtype,
    (np.int8(1) + np.int16(1)).dtype,
    (np.int64(1) + 1.0).dtype,
    (np.uint8(1) + 1).dtype,
    (np.bool_(1) + 1).dtype,
)
# --- scalar results are numpy scalars
x = np.float64(2)
print(
    repr(x + 1),
    repr(1 + x),
    repr(x * 2),
    repr(-x),
    repr(x > 1),
    repr(np.int32(3) // 2),
    repr(x**2),
    repr(np.float32(1) / 3),
    repr(abs(np.int8(-3))),
)
# --- wrap of small integers
a = np.array([250], dtype=np.uint8)
print(
    a + a,
    a + 10,
    a * 2,
    -a,
    np.array([127], np.int8) + np.int8(1),
    np.array([-128], np.int8) // -1,
    abs(np.array([-128], np.int8)),
)
# --- casts
print(
    np.array([300, -1, 3]).astype(np.uint8),
    np.array([1e20, -5.5, 3.7]).astype(np.float32),
    np.array([3.99]).astype(int),
    np.array([1, 0, 2]).astype(bool).astype(int),
    np.float32(0.1).astype(np.float64),
)
# --- float16 arithmetic
a = np.array([0.1, 1000, 60000], dtype=np.float16)
print(a + a, a * np.float16(0.5), a / 3, a.dtype, np.exp(a[:1]))
# --- float32 arithmetic has single precision
a = np.array([0.1, 0.2, 0.3], dtype=np.float32)
print(a + a, a * 3, a / 7, a.sum(), (a * 0.1).dtype, a == 0.1, a == np.float32(0.1))
# --- broadcasting
a = np.arange(3)
b = np.arange(2)[:, None]
print(
    a + b,
    (a * b).shape,
    np.ones((3, 1)) + np.ones((1, 4)),
    (np.ones((2, 1, 3)) + np.ones((4, 1))).shape,
    np.add([[1], [2]], [10, 20]),
)
# --- broadcasting with empty and ones
print(
    (np.ones((0, 3)) + np.ones(3)).shape,
    (np.ones((1, 0)) + np.ones((5, 1))).shape,
    (np.ones(1) + np.ones((2, 2))).shape,
)
# --- lists on the other side
a = np.array([1, 2])
print(a + [1, 2], [1, 2] + a, (1, 1) * a, a == [1, 5], [[1], [2]] - a)
# --- chains
x = np.linspace(0, 1, 5)
print(
    np.sin(x) ** 2 + np.cos(x) ** 2,
    np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi),
    1 / (1 + np.exp(-x)),
    np.where(x > 0.5, x, 0) * 2,
)
# --- hyperbolic tangent by exponentials
g = np.arange(6).astype(np.float32)
v = (g / 255) * 2
print(np.round((np.exp(v) - np.exp(-v)) / (np.exp(v) + np.exp(-v)), 5))
# --- black scholes
S = np.array([90.0, 100, 110])
d1 = (np.log(S / 100) + (0.05 + 0.02) * 1) / 0.2


def cdf(x):
    return 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


print(S * cdf(d1) - 100 * np.exp(-0.05) * cdf(d1 - 0.2))
# --- mandelbrot by masks
y, x = np.mgrid[-1:1:5j, -2:0.5:6j]
c = x + 1j * y
z = np.zeros_like(c)
n = np.zeros(c.shape, int)
for i in range(10):
    m = np.abs(z) <= 2
    z[m] = z[m] ** 2 + c[m]
    n[m] += 1
print(n)
# --- vectors of booleans as numbers
m = np.array([True, False, True])
print(m + 1, m * 2.5, m + m, m.astype(int).sum(), m * np.array([1, 2, 3]), -(m.astype(int)))
# --- order of evaluation with large chains
x = np.arange(4.0)
for i in range(20):
    x = x * 0.5 + 1
print(x)
# --- deep chain
x = np.ones(3)
for i in range(500):
    x = x + 1
print(x)
# --- sums of many arrays
s = 0
for i in range(30):
    s = s + np.arange(4) * i
print(s)
# --- signed with unsigned 64-bit integers
s = np.array([-1, 0, 5, -9223372036854775807, 9223372036854775807])
u = np.invert(np.array([7, 3, 5, 0, 0], dtype=np.uint64))
v = np.array([0, 0, 5, 6, 7], dtype=np.uint64)
print(s < u, s <= u, s > u, s >= u, s == u, s != u, u < s, u >= s)
print(s < v, s <= v, s > v, s >= v, s == v, s != v, v <= s, v > s)
print(s.astype(np.int8) < v, (v == s[::-1]).any(), (s + v).dtype)
# --- floats of small integers
a, b, c = np.ones(1, np.int8), np.ones(1, np.uint8), np.ones(1, np.uint16)
print(
    np.arctan2(a, b).dtype,
    np.hypot(a, c).dtype,
    np.hypot(a, 1).dtype,
    np.hypot(a, 1.5).dtype,
    np.copysign(c, b).dtype,
    (a / b).dtype,
)


# --- numbers that do not fit (numpy before 2.5)
def tell(*all):
    for f in all:
        try:
            print(repr(f()))
        except Exception as e:
            print(type(e).__name__, e)


i8, u8, big = np.int8(1), np.uint8(255), np.uint64(9223372036854775807) + np.uint64(5)
tell(
    lambda: i8 + 1000,
    lambda: u8 * -1,
    lambda: i8**1000,
    lambda: 1000 - i8,
    lambda: i8 // 1000,
    lambda: i8 & 1000,
    lambda: -1000 | i8,
    lambda: divmod(i8, 1000),
)
tell(
    lambda: np.add(i8, 1000),
    lambda: np.maximum(1000, u8),
    lambda: np.fmod(u8, -3),
    lambda: np.gcd(i8, 1000),
    lambda: np.int32(1) + 2**40,
    lambda: i8 / 1000,
    lambda: i8 + 127,
)
print(
    i8 < 1000,
    i8 > -1000,
    u8 == -1,
    u8 > -1,
    big > -1,
    big == -1,
    big > np.int64(-1),
    np.int64(-2) < big,
    big <= np.int64(3),
    np.uint64(7) == np.int64(7),
    1000 != i8,
)
tell(
    lambda: np.logical_and(np.ones(2, 'i1'), 256),
    lambda: np.logical_xor(np.uint8(0), 256),
    lambda: np.logical_or(np.zeros(1, 'u1'), -1),
    lambda: np.logical_and(i8, 1000),
)
tell(
    lambda: np.int8(1000.0),
    lambda: np.array([1000.0], 'i1'),
    lambda: np.int32(3e9),
    lambda: np.uint8(-1.0),
    lambda: np.uint8(255.9),
    lambda: np.int64(1e30),
    lambda: np.uint8(np.float64(1000)),
)
tell(
    lambda: np.int8("1000"),
    lambda: np.int64("9007199254740993"),
    lambda: np.bool_("no"),
    lambda: np.float32("1e3"),
    lambda: np.complex64("1+2j"),
    lambda: np.int8("x"),
)
tell(
    lambda: np.full(2, 1000, 'i1'),
    lambda: np.full(2, 300.0, 'u1'),
    lambda: np.put(np.zeros(3, 'u1'), 0, 300.0),
    lambda: np.insert(np.zeros(3, 'u1'), 0, 300.0),
    lambda: np.pad(np.ones(1, 'u1'), 1, constant_values=300),
)
x = np.zeros(3, 'u1')
for value in (300.0, -1.0, [1.5, 2, 300], np.float64(300), np.array([300.0]), 12.7):
    try:
        x[:] = value
        print(x)
        x[:] = 0
    except Exception as e:
        print(type(e).__name__, e)
    try:
        x[1] = value if not isinstance(value, list) else 7
        print(x[1])
    except Exception as e:
        print(type(e).__name__, e)
# --- out=...: an array, also of scalars
print(repr(np.add(3, 1, out=...)), repr(np.add([1, 2], 1, out=...)), repr(np.negative(2.5, out=...)))
print(repr(np.add.reduce([1, 2], out=...)), repr(np.maximum.reduce(np.ones((2, 2)), axis=None, out=...)))
for call in (
    lambda: np.add(1, 2, ...),
    lambda: np.negative(1, out=(...,)),
    lambda: np.add.reduce(1, out=(...,)),
    lambda: np.sum([1, 2], out=...),
):
    try:
        print(call())
    except TypeError as e:
        print(e)
# --- sums of negative zeros, started with one
zeros = np.array([-0.0] * 3)
for a in (zeros, zeros + 0j, -zeros, np.array([complex(-0.0, -0.0)] * 3), np.array([-0.0, 1, -1])):
    for initial in (-0.0, 0.0, complex(-0.0, -0.0), 2):
        if not (isinstance(initial, complex) and a.dtype.kind == 'f'):
            print(np.add.reduce(a, initial=initial), np.add.reduce(a, initial=initial, where=[True, False, True]))
print(np.add.reduce(zeros[:0], initial=-0.0), np.add.reduce(zeros, where=False, initial=-0.0))
# --- methods of in-place operators
a, b = np.arange(6), np.arange(6.0)
for name in 'add sub mul floordiv mod pow lshift rshift and or xor'.split():
    c = a + 1
    print(name, getattr(c, f'__i{name}__')(2) is c, c)
print(b.__itruediv__(4) is b, b, [1].__iadd__((2,)), [1].__imul__(2), {1}.__ior__({2}), {1: 2}.__ior__({3: 4}))
print(np.eye(2).__imatmul__(2 * np.eye(2)), hasattr(3, '__iadd__'), hasattr(np.float64(3), '__iadd__'))
# --- bytes of arrays and scalars
print(bytes(np.int64(3)), bytes(np.float32(3)), bytes(np.arange(3, dtype='i2')), bytes(np.bool(True)),
    bytes(np.arange(3).sum()), bytes(True))
# --- the mean of a scalar along its first axis
for where in (True, np.True_, np.array(True)):
    try:
        print(np.mean(np.array(3.0), axis=0, where=where), np.var(np.array(3.0), axis=0, where=where))
    except ValueError as e:
        print(e)
# --- ldexp takes no unsigned 64-bit exponents, and `sig` is `signature` to an override
for how in ({'dtype': 'd'}, {'signature': (None, None, 'd')}, {}):
    try:
        print(np.ldexp(1.0, np.uint64(3), **how))
    except TypeError as e:
        print(type(e).__name__)


class Overrides:
    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        return kw


print(np.add(Overrides(), [1], sig='ii->i'), np.add(Overrides(), [1], signature='ii->i'))
