# The module random: the generator has CPython's series.
import random


def number():
    kind = random.randrange(8)
    if kind == 0:
        return random.gauss(0, 1)
    if kind == 1:
        return round(random.uniform(-1000, 1000), random.randrange(6))
    if kind == 2:
        return float(random.randint(-(10**6), 10**6))
    if kind == 3:
        return 2.0 ** random.randint(-1074, 1023)
    if kind == 4:
        return random.choice(
            [0.0, -0.0, 1.0, 2.5, 1e16, 1e-4, 1e-5, 99.5, 1e22, 1e23, 5e-324, math.inf, -math.inf, math.nan]
        )
    return (
        random.uniform(-1, 1) * 10.0 ** random.randint(-300, 300)
        if kind == 5
        else random.random() * 10.0 ** random.randint(-8, 8)
    )


def spec(types):
    s = random.choice(["", "", "", "<", "*^", "0>", "=", "é>"])
    s += random.choice(["", "", "+", "-", " "]) + random.choice(["", "", "", "z"]) + random.choice(["", "", "", "#"])
    s += random.choice(["", "", "0"]) + random.choice(["", "4", "12", "25"]) + random.choice(["", "", "", ",", "_"])
    return s + random.choice(["", "", ".0", ".3", ".17"]) + random.choice(types)


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__ + ":", e)


def array():
    dtype = random.choice(
        ["float64", "float64", "float32", "float16", "int64", "int8", "uint64", "bool", "complex128", "complex64"]
    )
    shape = random.choice([(7,), (30,), (3, 5), (2, 3, 4), (1, 1), (), (0, 3), (1001,), (40, 30), (2, 2, 300)])
    step, size, scale = random.randint(3, 13), 1, 10.0 ** random.randint(-6, 9)
    for n in shape:
        size *= n

    def one():
        if dtype == "bool":
            return random.random() < 0.5
        if dtype[0] in "iu":
            return random.randint(0 if dtype[0] == "u" else -100, 100)
        x = random.choice(
            [0.0, 1.0, math.nan, random.random() * scale, random.gauss(0, 1), float(random.randint(-99, 99))]
        )
        x = x % 1000 if dtype == "float16" else x
        return complex(x, random.gauss(0, 1)) if dtype[0] == "c" else x

    values = [one() for _ in range(step)]
    return np.array((values * (size // step + 1))[:size], dtype=dtype).reshape(shape)


# --- floats
random.seed(1)
for _ in range(3000):
    print(repr(number()), str(complex(number(), number())))
# --- specifications of floats
random.seed(2)
for _ in range(3000):
    x, s = number(), spec("eEfFgGn%")
    attempt(lambda: s + " " + format(x, s))
# --- specifications of integers and complex numbers
random.seed(3)
for _ in range(3000):
    x, s = random.choice([0, 7, -1, 255, random.getrandbits(60), -random.getrandbits(30)]), spec("bcdoxXnefg%s")
    attempt(lambda: s + " " + format(x, s))
    z, s = complex(number(), number()), spec("eEfFgGn")
    attempt(lambda: s + " " + format(z, s))
# --- percent
random.seed(4)
for _ in range(3000):
    f = (
        "%"
        + random.choice(["", "-", "+", " ", "0", "#"])
        + random.choice(["", "5", "12"])
        + random.choice(["", ".0", ".3"])
    )
    f += random.choice("diouxXeEfFgGrsa")
    x = random.randint(-999, 99999) if f[-1] in "diouxX" else number()
    attempt(lambda: f + " " + f % x)
# --- rounding
random.seed(5)
for _ in range(2000):
    x, n = number(), random.randint(-5, 17)
    attempt(lambda: (x, n, round(x, n)))
# --- arrays
random.seed(6)
for _ in range(150):
    a = array()
    print(repr(a))
    print(a)
# --- arrays by options
random.seed(7)
for _ in range(250):
    a = array()
    options = {
        "precision": random.randrange(12),
        "suppress": random.random() < 0.5,
        "linewidth": random.randint(20, 120),
        "floatmode": random.choice(["fixed", "unique", "maxprec", "maxprec_equal"]),
        "sign": random.choice("-+ "),
        "threshold": random.choice([5, 1000]),
        "edgeitems": random.randint(1, 4),
    }
    with np.printoptions(**options):
        print(repr(a))
        print(a)
