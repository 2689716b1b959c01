# Operators on NumPy scalars of every real dtype, with each other and with Python's numbers: values, dtypes, warnings,
# errors.
import operator
import warnings

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor, operator.eq, operator.ne, operator.lt,
    operator.le, operator.gt, operator.ge]
FLOATS = OPERATORS[:6] + OPERATORS[12:]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def show(f, *args):
    """The result's type and digits, what its warnings are about, or the error. float16 warns of casts in NumPy."""
    with np.errstate(all="warn", under="ignore"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            r = f(*args)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError) as e:
            return type(e).__name__ if isinstance(e, OverflowError) else f"{type(e).__name__}: {e}"
    about = sorted({str(w.message).split()[0] for w in caught})
    return f"{type(r).__name__} {r!r} {'' if np.float16 in map(type, args) else ' '.join(about[-1:])}"


def extremes(t):
    least, most = int(np.iinfo(t).min), int(np.iinfo(t).max)
    return [t(v) for v in (least, least + 1, most // 3, most - 1, most)] + [t(v) for v in (-3,
        -1) if least < 0] + [t(v) for v in (0, 1, 2, 7)]


def table(values, others, operators=OPERATORS):
    for f in operators:
        for x in values:
            print(f.__name__, repr(x), *[show(f, x, y) for y in others], *[show(f, y, x) for y in others], sep="; ")


# --- integers of one dtype
for t in INTEGERS:
    table(extremes(t), extremes(t))

# --- integers and Python's ints
for t in INTEGERS:
    table(extremes(t), [-129, -2, -1, 0, 1, 3, 8, 31, 63, 64, 127, 255, 256, 2**31, 2**63 - 1, 2**63, 2**64, 2**70,
        True, False])

# --- integers of two dtypes
for s in INTEGERS:
    for t in INTEGERS:
        if s is not t:
            table([s(3), s(100), s(0)], [t(2), t(0), t(np.iinfo(t).max)], OPERATORS)

# --- bools
BITS = [f for f in OPERATORS if f not in (operator.pow, operator.truediv)]
table([np.True_, np.False_], [np.True_, np.False_, True, False, 3, -1, 1.5, np.int8(3), np.uint64(0), np.float32(0.5)],
    BITS)

# --- floats
for t in (np.float16, np.float32, np.float64):
    values = [t(v) for v in (0.0, -0.0, 1.0, -2.5, 0.125, np.inf, -np.inf, np.nan, np.finfo(t).max, np.finfo(t).tiny)]
    table(values, values, FLOATS)
    table(values, [0, 1, -3, 2**20 + 1, 2**60 + 1, 2.5, -0.0, 1e10, True, math.inf, math.nan], FLOATS)
    table([t(2), t(-3), t(0.25)], [t(2), t(3), 2, 0, 3.0, np.int8(2)], [operator.pow])

# --- floats and integers of other dtypes
for t in (np.float16, np.float32, np.float64):
    for s in INTEGERS:
        table([t(2.5), t(-3)], [s(2), s(0), s(100)], FLOATS)
table([np.float16(2.5)], [np.float32(0.1), np.float64(0.1), np.True_], FLOATS)
table([np.float32(2.5)], [np.float64(0.1), np.True_], FLOATS)

# --- unary operators, abs, truth
for t in INTEGERS:
    for x in extremes(t):
        print(repr(x), show(operator.neg, x), show(operator.pos, x), show(operator.invert, x), show(abs, x), bool(x),
            not x, 1 if x else 0)
for t in (np.float16, np.float32, np.float64):
    for v in (0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan):
        x = t(v)
        print(repr(x), show(operator.neg, x), show(operator.pos, x), show(abs, x), bool(x), not x, 1 if x else 0)
print(show(operator.invert, np.True_), show(operator.invert, np.False_), bool(np.True_), not np.False_,
    1 if np.False_ else 0)

# --- in statements
def crc16(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        byte = 0xFF & b
        for _ in range(8):
            if (crc & 1) ^ (byte & 1):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            byte >>= 1
    crc = ~crc & 0xFFFF
    return (crc << 8 | crc >> 8 & 0xFF) & 0xFFFF


for t in (np.uint8, np.int64, np.uint16):
    print(crc16(((np.arange(400) * 7919) % 256).astype(t)))
x = np.uint8(200)
x += 50
x ^= 0xF0
x <<= 3
x //= 3
x **= 2
print(repr(x), x > 3, x <= np.int8(-1), x == 64.0)
hash_value = np.uint64(14695981039346656037)
with np.errstate(over="ignore"):
    for c in b"gpu arrays":
        hash_value = (hash_value ^ np.uint64(c)) * np.uint64(1099511628211)
print(repr(hash_value))

# --- floating-point errors of scalars are still raised
with np.errstate(all="raise"):
    for f, x, y in ((operator.mul, 1e-300, 1e-300), (operator.truediv, 1e-300, 1e300), (operator.mul, 1e300, 1e300),
            (operator.add, 1e308, 1e308),
                    (operator.truediv, 1.0, 0.0), (operator.sub, math.inf, math.inf), (operator.pow, 1e300, 2.0)):
        try:
            print(f(np.float64(x), np.float64(y)))
        except FloatingPointError as e:
            print(e)
    try:
        print(np.int64(2**62) * np.int64(2))
    except FloatingPointError as e:
        print(e)

# --- NumPy integers as indices of one element
a = np.arange(12.0).reshape(3, 4)
for t in INTEGERS:
    a[t(1), t(2)] += t(3)
    print(a[t(1)], a[t(2), -1], a[-1, t(0)], a[0][t(3)], type(a[t(1), 1]).__name__)
for key in (np.int64(3), (np.int8(1), np.int8(4)), (np.uint64(2**63), 0), (np.int64(-4), 0)):
    try:
        print(a[key])
    except (IndexError, OverflowError) as e:
        print(type(e).__name__)
print(a[np.True_].shape, a[np.False_].shape)
# --- scalars have no matrix product
for x in (np.bool_(True), np.int64(1), np.float32(1), np.ones(2).any(), np.array(1)):
    for y in (np.int64(1), True, 1, 2.0, np.ones(2).sum(), np.array(1)):
        try:
            print(x @ y)
        except (TypeError, ValueError) as e:
            print(type(e).__name__, e)
        try:
            print(y @ x)
        except (TypeError, ValueError) as e:
            print(type(e).__name__, e)
