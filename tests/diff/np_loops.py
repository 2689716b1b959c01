# Loops over arrays with loop batching: the results have the bits of one iteration at a time.
SIZES = 7, 3000


def bits(y):  # of numbers: which NaN it is depends on the device
    if y.dtype.kind in "fc":
        print(np.isnan(y).sum(), end=" ")
        y = np.where(np.isnan(y), y.dtype.type(7), y)
    b = np.ascontiguousarray(y).view(np.uint8).astype(np.int64)
    print(y.dtype, y.shape, (b * (np.arange(b.size).reshape(b.shape) % 8191 + 1)).sum())


def line(n, t="f8"):
    return (np.arange(n) % 97 / 64 + 0.25).astype(t)


LISTS = {
    "fractions": [k / 7 for k in range(45)],
    "whole by chance": [0.5, 1.0, 2.0, 3.0, 4.5, 4.0, 3.0, 2.0, 1.0, 0.0, 0.25] * 4,
    "pairs": [k // 2 / 3 for k in range(30)],
    "stays, then not": [1.5] * 11 + [2.5] * 9 + [0.125, 0.25],
    "factorials": [math.factorial(k) for k in range(15)],
    "odd": [math.inf, -0.0, 0.0, math.nan, 5e-324, -1e308, 1, 2, 4],
    "whole": list(range(40)),
    "falling": [9 - k for k in range(25)],
    "by halves": [k / 2 for k in range(25)],
    "large": [2**53 + k for k in range(12)],
    "one": [0.3],
    "two": [0.3, 0.7],
    "none": [],
}

# --- scalars that change with each iteration: constant steps, fractions, irregular ones
for n in SIZES:
    for name, numbers in LISTS.items():
        for t in "f8", "f4", "f2":
            x, y = line(n, t), np.zeros(n, t)
            with np.errstate(all="ignore"):
                for c in numbers:
                    y = y * x + c
            print(name, end=" ")
            bits(y)

# --- every trip count
for n in SIZES:
    for count in range(27):
        x, y = line(n), np.ones(n)
        for c in LISTS["fractions"][:count]:
            y = y * x - c
        bits(y)

# --- several numbers, equal ones, and ones that are equal for a while
for n in SIZES:
    y = line(n)
    h = 0.01
    for k in range(40):
        t = k * h
        y = y + h * (math.sin(t) * y - t * y * y + t)
    bits(y)
    y = line(n)
    for k in range(40):
        a, b = k / 3, k / 3 if k < 12 or k > 20 else k / 5
        y = np.sqrt(y * y + a) + b - a
    bits(y)
    y = line(n)
    for k in range(30):
        y = y * (1 / (k + 1)) + k + (k * k) * 0.5 - y / (k + 2)
    bits(y)
    y = line(n)  # more scalars than a batched program holds
    for k in range(20):
        c = [math.sin(k + j) for j in range(12)]
        for_y = y * c[0] + c[1]
        y = ((((for_y * c[2] + c[3]) * c[4] + c[5]) * c[6] + c[7]) * c[8] + c[9]) * c[10] + c[11]
    bits(y)

# --- several arrays carried from iteration to iteration, others local to one
for n in SIZES:
    a, b, c = line(n), line(n) / 2, np.zeros(n)
    for w in LISTS["fractions"]:
        a, b = b + w * a, a - w * b
        c = a * w
    bits(a)
    bits(b)
    bits(c)
    p, v = line(n), np.zeros(n)
    for k in range(33):
        v = v - 0.05 * p * math.cos(k)
        p = p + 0.05 * v
    bits(p)
    bits(v)

# --- other dtypes
for n in SIZES:
    for t in "i1", "u1", "i4", "u8", "i8":
        y = np.arange(n).astype(t)
        for c in [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4]:
            y = y * np.array(3, t) + np.array(c, t)
        bits(y)
        y = np.arange(n).astype(t)
        for c in [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4]:
            y = (y ^ c) + (y >> 1)
        bits(y)
    for t in "F", "D":
        z = (line(n) * (0.5 + 0.25j)).astype(t)
        for c in [0.1j, 0.2, 0.3 + 0.1j, -0.1j, 0.5, 0.25j, 0.125, -0.5, 0.3j, 0.7, 0.2j, 0.1]:
            z = z + z + c
        bits(z)
    m = line(n) > 1
    for c in [True, False, False, True, True, False, True, False, True, False]:
        m = (m ^ c) | (line(n) > 1.5)
    bits(m)
    y = line(n)
    for c in np.linspace(0, 1, 23):
        y = np.minimum(y + c, 3.5) * 0.75
    bits(y)
    y = line(n, "f4")
    for c in np.linspace(0, 1, 23, dtype="f4"):
        y = np.where(y > c, y - c, y + c)
    bits(y)

# --- values read, stored or abandoned inside loops
for n in SIZES:
    y, kept = line(n), []
    for i, c in enumerate(LISTS["fractions"]):
        y = y * 0.9 + c
        if i % 7 == 3:
            kept.append(y)
        if i % 11 == 5:
            print(y[3], y[:5].max())
        if i == 40:
            break
    for k in kept:
        bits(k)
    bits(y)
    x, y = line(n), np.zeros(n)
    for c in LISTS["fractions"][:20]:
        y = y * x + c
        for d in LISTS["pairs"][:9]:
            y = y - d * x
    bits(y)
    y = line(n)

    def step(y, c):
        return y + c * (1 - y)

    for c in LISTS["pairs"]:
        y = step(y, c)
    bits(y)
    y = line(n)
    for c in LISTS["fractions"]:
        y *= 1 + c
        y -= c
    bits(y)
    y = line(n).reshape(-1, 1) * np.ones(3)
    for c in LISTS["fractions"]:
        y = y * 0.5 + c * np.array([1.0, 2.0, 3.0])
    bits(y)
    y, k = line(n), 0
    while k < 17:
        y = y / (1 + k * 0.1)
        k += 1
    bits(y)


# --- scalars of each kind with each other and with Python's: results, dtypes, overflow (numpy 2.0)
def told(f):
    try:
        with np.errstate(all="raise", under="ignore"):
            r = f()
    except Exception as e:
        return type(e).__name__ + ": " + str(e).split(" encountered")[0]
    return f"{r!r}"


values = {
    "f4": (0.0, -0.0, 1.5, -2.25, 0.1, 3e38, -3e38, 1e-38, 1e-45, np.inf, -np.inf),
    "f8": (0.0, 0.1, 1e308, np.inf),
    "i4": (0, 1, -1, 7, 2**31 - 1, -(2**31), 46341),
    "i1": (0, 1, -1, 127, -128, 12),
    "u1": (0, 1, 255, 16),
    "i2": (0, -32768, 32767, 182),
    "u2": (0, 65535, 256),
    "u4": (0, 2**32 - 1, 65536),
    "i8": (0, 2**63 - 1, -(2**63), 3037000500),
    "u8": (0, 2**64 - 1, 3),
}
ops = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)
for t, all in values.items():
    for v in all:
        a = np.dtype(t).type(v)
        for w in (0, 1, -1, 3, True, 2**24, 2**24 + 1, 100, 0.1, -0.0):
            print(t, v, w, [told(lambda: f(a, w)) for f in ops], [told(lambda: f(w, a)) for f in ops])
        for w in all:
            b = np.dtype(t).type(w)
            print(t, v, w, [told(lambda: f(a, b)) for f in ops])
        for u in ("f4", "i2", "u1", "f8"):
            print(t, u, v, [told(lambda: f(a, np.dtype(u).type(2))) for f in ops])
