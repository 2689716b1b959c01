# Integers: operators, conversions, formatting.
# --- precedence
print(1 + 2 * 3**2 - 4 // 3, -(2**2), 2**-1, (-2) ** 2, 2**3**2)
# --- floor division and remainder keep the sign of the divisor
for a in (7, -7):
    for b in (2, -2, 3, -3):
        print(a, b, a // b, a % b, divmod(a, b))
# --- true division gives floats
print(7 / 2, 6 / 3, -1 / 3, 0 / 5, 10 / 4)
# --- bit operators
print(12 & 10, 12 | 3, 12 ^ 5, ~7, ~-1, 1 << 10, -17 >> 2, 17 >> 2, 0 << 5)
# --- comparisons chain
x = 5
print(1 < x < 10, 1 < x < 3, 5 == x == 5.0, x != 6 > 2, not x > 3)
# --- power with a modulus
print(pow(3, 20, 7), pow(2, 10), pow(5, 0), pow(2, -2), pow(7, 3, 10), pow(-3, 3, 5))
# --- largest and smallest 64-bit numbers
print(9223372036854775807, -9223372036854775807 - 1, 9223372036854775806 + 1)
# --- literals
print(0x1F, 0o17, 0b1011, 1_000_000, 0xDEAD_BEEF, 00)
# --- int of text
print(
    int("42"), int(" -7 "), int("ff", 16), int("0x1f", 16), int("0b101", 0), int("1_000"), int("077", 8), int("z", 36)
)
# --- int of float truncates
print(int(3.9), int(-3.9), int(1e15), int(True), int("+5"))
# --- bin hex oct
print(bin(10), hex(255), oct(8), bin(-5), hex(-255), oct(0), bin(0))
# --- bool is a number
print(True + True, True * 3, False - 1, True / 2, -True, +False, ~True if False else 0, True == 1, True is True)
# --- bool operators stay bool
print(True & False, True | False, True ^ True, 1 & True, not 0, not "x", not [])
# --- abs round min max
print(
    abs(-4),
    abs(True),
    round(7),
    round(1234, -2),
    round(1250, -2),
    round(1350, -2),
    round(-15, -1),
    min(3, 1, 2),
    max(3, 1, 2),
)
# --- and or give operands
print(0 or 5, 3 and 4, 0 and 1, "" or "x", None or 0, 1 and [] or "last", 0 or None)
# --- integer methods
print((10).bit_length(), (0).bit_length(), (255).bit_count(), (-8).bit_length(), (5).real, (5).imag, (5).conjugate())
# --- augmented assignment
x = 10
x += 5
x -= 3
x *= 2
x //= 5
x **= 3
x %= 13
x <<= 2
x |= 1
x ^= 3
x &= 14
x >>= 1
print(x)
# --- true division in place
x = 7
x /= 2
print(x)
# --- is with small values
a = None
print(a is None, a is not None, 1 is not None, None == 0, None != None)
# --- chained and swapped assignment
a = b = 3
a, b = b + 1, a - 1
a, (b, c) = 1, (2, 3)
print(a, b, c)
# --- starred unpacking
a, *b = 1, 2, 3
*c, d = [4, 5, 6]
e, *f, g = range(6)
h, *i = "x"
print(a, b, c, d, e, f, g, h, i)
# --- conversions of text and numbers
print(str(12), repr(-3), float(3), complex(2), bool(0), bool(-1), ord("a"), chr(8364), ord("é"))
# --- walrus
if (n := 10) > 5:
    print(n)
print([y := 3, y**2], y)
# --- isinstance
print(
    isinstance(1, int),
    isinstance(True, int),
    isinstance(1.0, int),
    isinstance(1, (float, int)),
    isinstance("a", str),
    isinstance(None, type(None)),
)
# --- type prints
print(
    type(1),
    type(1.5),
    type(True),
    type("s"),
    type(None),
    type([]),
    type(()),
    type({}),
    type(set()),
    type(1j),
    type(range(3)),
)
# --- type names
print(type(1).__name__, type([]).__name__, type(lambda: 0).__name__, type(print).__name__, type(slice(1)).__name__)
# --- gcd lcm isqrt factorial comb
print(
    math.gcd(12, 18),
    math.gcd(0, 5),
    math.gcd(-4, 6),
    math.lcm(4, 6),
    math.isqrt(17),
    math.factorial(10),
    math.comb(5, 2),
    math.perm(5, 2),
)
# --- hash-equal keys
d = {1: "a", 1.0: "b", True: "c"}
print(d)
# --- fibonacci
a, b = 0, 1
while a < 1000:
    print(a, end=" ")
    a, b = b, a + b
print()
# --- collatz
n, steps = 27, 0
while n != 1:
    n = 3 * n + 1 if n % 2 else n // 2
    steps += 1
print(steps)
# --- sieve
n = 50
flags = [True] * n
for i in range(2, n):
    if flags[i]:
        for j in range(i * i, n, i):
            flags[j] = False
print([i for i in range(2, n) if flags[i]])
