# Floats and complex numbers: values and how they print.
# --- shortest repr
print(0.1, 0.1 + 0.2, 1e16, 1e15, 123456789012345678.0, 1e-4, 1e-5, 1.5e-7, 1e100, 5e-324, 1.7976931348623157e308)
# --- floats with integral values
print(1.0, -0.0, 100.0, 1e5, 12345678.0, 2.0**53, 2.0**70)
# --- infinities and nan
inf = float("inf")
nan = float("nan")
print(inf, -inf, nan, inf - inf, inf * 0, inf > 1e308, nan == nan, nan != nan, nan < 1, min(1, nan), max(nan, 1))
# --- float of text
print(
    float("1.5"),
    float(" -2e3 "),
    float("1_0.5"),
    float("Infinity"),
    float("-inf"),
    float("nan"),
    float(".5"),
    float("5."),
)
# --- float division family
for a in (7.5, -7.5):
    for b in (2.0, -2.0):
        print(a // b, a % b, divmod(a, b), a / b)
# --- remainders near zero
print(-1e-20 % 3, 5.5 % -2, 0.0 % 3, -0.0 % 3, 5 % 0.7)
# --- mixed int and float
print(1 + 2.5, 3 * 0.5, 7 // 2.0, 7 % 2.5, 2**0.5 > 1.41, 4**0.5, 2.0**3, 0 * -1.0)
# --- round halves to even
print(
    round(0.5),
    round(1.5),
    round(2.5),
    round(-0.5),
    round(2.675, 2),
    round(1.005, 2),
    round(1234.5678, -2),
    round(3.14159, 3),
    round(1e20, 2),
)
# --- round gives int without digits
print(round(3.7), type(round(3.7)).__name__, type(round(3.7, 0)).__name__, round(-3.5), round(1e15 + 0.5))
# --- float methods
print((3.0).is_integer(), (3.5).is_integer(), (0.75).as_integer_ratio(), (2.5).real, (2.5).conjugate())
# --- comparisons across types
print(1 == 1.0, 1 < 1.5, 2**53 == 2.0**53, True == 1.0, 0.1 + 0.2 == 0.3, 3 >= 3.0)
# --- math: exact functions
print(
    math.floor(-1.5),
    math.ceil(-1.5),
    math.trunc(-1.5),
    math.floor(2.0),
    math.fabs(-3),
    math.copysign(2, -0.0),
    math.sqrt(16),
    math.hypot(3, 4),
)
# --- math: constants
print(math.pi, math.e, math.tau, math.inf, math.nan)
# --- math: classification
print(
    math.isnan(math.nan),
    math.isinf(-math.inf),
    math.isfinite(1.0),
    math.isclose(0.1 + 0.2, 0.3),
    math.isclose(1, 1.1),
    math.isclose(1, 1.1, rel_tol=0.2),
)
# --- math: parts
print(
    math.modf(3.25),
    math.frexp(8.0),
    math.ldexp(0.5, 4),
    math.fmod(-7, 3),
    math.remainder(7, 4),
    math.degrees(math.pi),
    math.radians(180),
)
# --- math: transcendental, rounded
for f in (
    math.sin,
    math.cos,
    math.tan,
    math.exp,
    math.log1p,
    math.atan,
    math.sinh,
    math.tanh,
    math.erf,
    math.gamma,
    math.lgamma,
    math.expm1,
):
    print(round(f(0.75), 12))
# --- math: logarithms
print(math.log(1), math.log2(8), math.log10(1000), round(math.log(8, 2), 12), math.log(math.e))
# --- math: sums and products
print(math.fsum([0.1] * 10), math.prod([1, 2, 3, 4]), math.prod([1.5, 2]), math.dist([0, 0], [3, 4]))
# --- complex literals and arithmetic
print(1j, 1 + 2j, (1 + 2j) * (3 - 1j), (1 + 2j) / (3 - 1j), (1 + 2j) ** 2, -1j, 0j, 1 - 0j, complex(1, -2))
# --- complex parts
z = 3 + 4j
print(z.real, z.imag, z.conjugate(), abs(z), z == 3 + 4j, z != 3, complex("1+2j"), complex(1.5, 2), complex("j"))
# --- complex repr
print([1.5 + 0j, 1e20 + 1e-20j, -0.0 + 1j, complex(float("nan"), float("inf"))])
# --- complex formatting
print(f"{3 + 4j:.2f}", f"{1.5 - 2j}", str(2 + 0j), repr(1e3 + 1j))
# --- sum of floats of equal size
print(sum([0.5, 0.25, 0.125]), sum([1, 2.5]), sum([]), sum([1j, 2]), sum([[1], [2]], []), sum(range(5), 10))
# --- min max with key and default
print(min([3, -5, 2], key=abs), max("apple", "fig", key=len), min([], default=7), max((1, 2.5, True)), min("hello"))
# --- newton's square root
x = 2.0
for _ in range(6):
    x = 0.5 * (x + 2 / x)
print(x == math.sqrt(2), f"{x:.10f}")
# --- harmonic sum
s = 0.0
for k in range(1, 1001):
    s += 1.0 / k
print(s)
# --- float in containers
print([0.1, 1e-10, 1.0], (2.5,), {0.5: 1.5}, {1.0})
# --- large powers of float
print(10.0**20, 10.0**-20, 2.0**0.5 * 2.0**0.5, (-8.0) ** 2, 0.0**0, (-1) ** 0.5)
