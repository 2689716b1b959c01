# Integers beyond 64 bits.
from showing import tell

def numbers(seed, n):
    """Around powers of two and of all lengths, of both signs."""
    x = seed
    for i in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**1100
        bits = (1, 8, 31, 32, 33, 53, 54, 62, 63, 64, 65, 96, 127, 128, 129, 300, 1000)[i % 17]
        v = x >> 1100 - bits if i % 3 else (1 << bits) - i % 4
        yield -v if i % 5 in (1, 2) else v


pairs = list(zip(numbers(2**1090 // 3, 340), numbers(2**1095 // 7, 340)))
pairs = [(a, pairs[(7 * i) % 340][1]) for i, (a, b) in enumerate(pairs)]

# --- sums, products, bits, order
for a, b in pairs:
    print(
        a + b,
        a - b,
        a * b,
        -a,
        +a,
        ~b,
        a & b,
        a | b,
        a ^ b,
        a < b,
        a <= b,
        a == b,
        a != b,
        a > b,
        a >= b,
        hash(a),
        abs(b),
        a.bit_length(),
        b.bit_count(),
    )
# --- quotients and shifts
for a, b in pairs:
    tell(
        lambda: a // b,
        lambda: a % b,
        lambda: divmod(b, a),
        lambda: a / b,
        lambda: b / a,
        lambda: a**3,
        lambda: pow(a, abs(b), 10**20 + 39),
        lambda: pow(a, 5, -(2**70)),
    )
    print(a << abs(b) % 70, a >> abs(b) % 70, a >> 64, b >> 1)
# --- text
for a, b in pairs:
    print(
        hex(a),
        oct(b),
        bin(a),
        f"{a:,} {b:_x} {a:+d} {b:40} {a:<40}| {b:#b} {a:^+60,} {a:#X}",
        "%d %x %5i" % (a, b, a),
        str(a),
        f"{a:e} {a:.3f} {a:g}",
    )
    print(int(str(a)) == a, int(hex(a), 16) == a, int(bin(b), 2) == b, int(oct(a), 0) == a, int(f"{b:_}") == b)
# --- floats
for a, b in pairs:
    print(
        float(a),
        a == float(a),
        a < float(b),
        float(a) >= b,
        float(b) == a,
        int(float(a)),
        round(float(b)),
        a + 1.5,
        complex(a) == a,
        float(a).as_integer_ratio(),
        float(b) / 3 == b / 3,
    )
    tell(
        lambda: math.log(abs(a) + 1),
        lambda: math.sqrt(abs(b)),
        lambda: math.floor(a),
        lambda: math.ceil(float(b)),
        lambda: b * 2j,
    )
# --- bytes
for a, b in pairs:
    n = max(a.bit_length(), b.bit_length()) // 8 + 1
    print(
        a.to_bytes(n, "little", signed=True),
        abs(b).to_bytes(n, "big"),
        int.from_bytes(a.to_bytes(n, "big", signed=True), "big", signed=True) == a,
    )
    print(int.from_bytes(abs(b).to_bytes(n + 3, "little"), "little") == abs(b))
    tell(lambda: a.to_bytes(n - 1, "big", signed=True), lambda: b.to_bytes(n - 1, "little"))
# --- collections
for a, b in pairs:
    print(
        {a: 1}.get(a + 0),
        a in [b, a],
        {a, a, b} == {b, a},
        bool(a),
        not b,
        (a, b) < (b, a),
        sorted([a, b, 0, 1.5]),
        max(a, b),
        min(a, b, 7),
        sum([a, b, a]),
    )
print(
    isinstance(2**70, int),
    type(2**70) is int,
    type(2**70).__name__,
    (2**70).real,
    (2**70).imag,
    (2**70).numerator,
    (2**70).as_integer_ratio(),
)
x = 2**63 - 1
x += 1
y = x
y -= 1
print(x, y, x is not y, {2**64: "a", 2.0**64: "b"}, "abc"[: 2**64], [1, 2, 3][-(2**64) :])


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


print(
    fibonacci(300),
    math.factorial(60),
    math.comb(200, 90),
    math.perm(50, 30),
    2**1000 // 3**400,
    math.prod(range(1, 40)),
)
# --- of several
for a, b in pairs:
    print(math.gcd(a, b), math.lcm(a, b), math.gcd(a, b, 12), math.isqrt(abs(a)))
print(
    math.gcd(),
    math.lcm(),
    math.gcd(0, 0),
    math.lcm(0, 2**70),
    math.lcm(0, 0),
    math.gcd(2**70, 0),
    math.isqrt(2**200 - 1),
    math.isqrt(2**200),
)
# --- invalid operations
tell(
    lambda: float(10**400),
    lambda: 10**400 * 1.0,
    lambda: 10**400 / 3,
    lambda: 10**400 / 10**399,
    lambda: str(10**5000),
    lambda: int("1" * 5000),
    lambda: 1 << -1,
    lambda: 2**64 // 0,
    lambda: 2**64 % 0,
    lambda: 2**64 / 0,
)
tell(
    lambda: [1][2**64],
    lambda: "a"[-(2**64)],
    lambda: "a" * 2**64,
    lambda: 2**64 @ 3,
    lambda: 2**64 + "a",
    lambda: 0 ** -(2**70),
    lambda: (-1) ** (2**70 + 1),
    lambda: 1**2**70,
    lambda: 2**70 < "a",
    lambda: f"{2 ** 70:s}",
    lambda: f"{10 ** 400:f}",
)
tell(
    lambda: math.sqrt(10**400),
    lambda: math.log(10**400),
    lambda: math.log(10**400, 10**200),
    lambda: math.isqrt(-(2**70)),
    lambda: 10**400 > 1e308,
    lambda: -(10**400) < 1e308,
    lambda: 10**400 == math.inf,
    lambda: 10**400 < math.inf,
    lambda: 10**400 > math.nan,
    lambda: complex(10**400),
)
# --- literals
print(
    0xFFFFFFFFFFFFFFFF,
    -0x8000000000000000,
    -9223372036854775808,
    9223372036854775808,
    1_000_000_000_000_000_000_000,
    -(2**63),
    -0xFFFF_FFFF_FFFF_FFFF,
    0b1 << 64,
    0o7777777777777777777777,
)


def f(x=0x10000000000000000):
    return x + 18446744073709551616


print(
    f(),
    f(-18446744073709551616),
    [18446744073709551616 for _ in range(2)],
    (18446744073709551616, 1),
    -(9223372036854775808**2),
)
18446744073709551616

# --- round to tens and further, halves to even
for x in (
    0,
    5,
    15,
    25,
    -15,
    -25,
    149,
    150,
    250,
    -149,
    -151,
    2**63 - 1,
    -(2**63),
    2**63,
    2**64,
    -(2**64),
    10**30 + 5 * 10**9,
    10**30 + 15 * 10**9,
    10**30 + 5 * 10**9 + 1,
    5 * 10**40,
    15 * 10**40,
    -5 * 10**40,
    4999,
    True,
):
    print([round(x, -k) for k in (1, 2, 9, 10, 18, 19, 20, 30, 40, 41, 42, 100, 10**6)], round(x, 3), round(x))
print(round(np.uint64(25), -1), round(np.int64(-35), -1), type(round(np.int8(35), -1)))

# --- quotients below the least normal float are rounded once
x = 12345678901234567
for k in range(300):
    x = (x * 6364136223846793005 + 1442695040888963407) % 2**200
    a, b = x >> 200 - (k % 90 + 1), (x | 1) << 880 + k % 70
    print(a / b, -a / b)
print(
    1 / 2**1074,
    1 / 2**1075,
    3 / 2**1076,
    1 / (2**1075 - 1),
    3 / 2**1075,
    5 / 2**1075,
    1 / 2**1100,
    1 / 10**400,
    (2**53 - 1) / 2**1075,
    (2**54 - 1) / 2**1076,
)
# --- logarithms of large ints, modular inverses
for k in (1023, 1024, 1025, 1100, 2000, 9001):
    for v in (2**k, 2**k - 1, 2**k + 1, 3**k, 10 ** (k // 3)):
        tell(
            lambda: math.log(v),
            lambda: math.log2(v),
            lambda: math.log10(v),
            lambda: math.log(v, 10),
            lambda: math.log2(-v),
        )
for a, b in pairs:
    tell(
        lambda: pow(a, -1, b),
        lambda: pow(b, -3, 2**89 - 1),
        lambda: pow(7, -abs(a), 10**20 + 39),
        lambda: pow(a, -2, -(2**89 - 1)),
        lambda: pow(a, -1, 0),
        lambda: pow(a, -1, 1),
        lambda: pow(2**70, -1, -1),
    )
