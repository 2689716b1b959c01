# Integers from 2^63 to 2^64, which uint64 holds, and larger Python ints as operands of arrays.
import warnings

warnings.simplefilter("ignore")
np.seterr(all="ignore")


def tell(*calls):
    for f in calls:
        try:
            r = f()
            print(type(r).__name__, repr(r), getattr(r, "dtype", None))
        except Exception as e:
            print(type(e).__name__, e)


# --- conversions
for x in (2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**100, -(2**63), -(2**63) - 1, -(2**64), -(2**100)):
    tell(
        lambda: np.uint64(x),
        lambda: np.int64(x),
        lambda: np.uint8(x),
        lambda: np.float32(x),
        lambda: np.float64(x),
        lambda: np.complex64(x),
        lambda: np.array([x], dtype="u8"),
        lambda: np.array([x], dtype="f8"),
        lambda: np.array([x, 1], dtype="i4"),
        lambda: np.full(2, x, dtype="u8"),
        lambda: np.full(2, x, dtype="f4"),
        lambda: np.array(x, dtype=complex),
    )
for x in (2**63, 2**64 - 1):
    tell(
        lambda: np.array(x),
        lambda: np.array([x]),
        lambda: np.array([x, -1]),
        lambda: np.array([1, x]),
        lambda: np.array([x, 1.5]),
        lambda: np.asarray([[x], [3]]),
        lambda: np.full(2, x),
        lambda: str(np.min_scalar_type(x)),
    )
u = np.array([2**64 - 1, 2**63, 5], dtype=np.uint64)
print(
    u.tolist(),
    u[0].item(),
    int(u[1]),
    float(u[0]),
    u.max() + np.uint64(0),
    hex(u[0]),
    bin(u[1]),
    f"{u[0]:x} {u[1]:,} {int(u[0]):d}",
    "%d %x" % (u[0], u[1]),
    [type(v).__name__ for v in u.tolist()],
)
print(
    np.iinfo(np.uint64).max,
    np.iinfo(np.uint64).max == 2**64 - 1,
    np.iinfo("u8").max + 1,
    hash(u[0]) == hash(2**64 - 1),
    u[0] in {2**64 - 1},
    int(np.float64(1e25)),
    int(np.array(2.0**70)),
)
u[0] = 2**63 + 1
u[1:] = 2**64 - 2
print(u, u.astype(np.int64), u.astype(float))


def store(a, x):
    a[0] = x


tell(
    lambda: store(u, 2**64),
    lambda: store(u, -1),
    lambda: store(np.zeros(2, int), 2**63),
    lambda: store(np.zeros(2, "i1"), -(2**70)),
    lambda: u.fill(2**64 - 1),
    lambda: store(np.zeros(2), 2**70),
)
print(u)
# --- with arrays and scalars
kinds = [
    np.arange(3),
    np.arange(3).astype("u8"),
    np.ones(2),
    np.ones(2, "f4"),
    np.ones(2) + 0j,
    np.arange(3).astype("i1"),
    np.int64(1),
    np.uint64(1),
    np.float32(1),
    np.uint8(1),
    np.array([2**64 - 1, 0], "u8"),
    np.array([-(2**63), 2**63 - 1]),
]
for x in (2**63, 2**64 - 1, 2**64, 2**100):
    for v in kinds:
        for f in (np.add, np.multiply, np.subtract):
            tell(lambda: f(v, x), lambda: f(x, v))
        tell(lambda: v - -x, lambda: v * -x)
        for f in (np.less, np.less_equal, np.equal, np.not_equal, np.greater, np.greater_equal):
            tell(lambda: f(v, x), lambda: f(x, v), lambda: f(v, -x))
for x in (2**63, 2**64 - 1):
    u = np.array([1, 2**63 + 5], "u8")
    tell(
        lambda: u ^ x,
        lambda: u & x,
        lambda: u | x,
        lambda: u >> x,
        lambda: x - u,
        lambda: x // u,
        lambda: x % u,
        lambda: u % x,
        lambda: np.sqrt(x),
        lambda: np.add(x, 1),
        lambda: np.maximum(u, x),
        lambda: np.clip(u, 0, x),
        lambda: np.sum([x, 1]),
        lambda: np.mean([x, 1]),
        lambda: np.linspace(0, x, 3),
        lambda: np.where(u > 1, u, x),
        lambda: np.where(u == x, 1.5, x),
        lambda: np.isin(u, [x]),
        lambda: np.arange(3)[x] if x > 2**64 else 0,
    )


def added(a, x):
    a += x
    return a


tell(
    lambda: added(np.zeros(2, "u8"), 2**63),
    lambda: added(np.zeros(2, "u8"), 2**64),
    lambda: added(np.zeros(2), 2**64),
    lambda: added(np.zeros(2, int), 2**63),
)


# --- hashing
def splitmix(n, seed):
    out, x, mask = [], seed, 0xFFFFFFFFFFFFFFFF
    for _ in range(n):
        x = (x + 0x9E3779B97F4A7C15) & mask
        z = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        out.append(z ^ z >> 31)
    return out


def splitmix_array(n, seed):
    x = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, n + 1, dtype=np.uint64)
    z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * 0x94D049BB133111EB
    return z ^ (z >> 31)


print(splitmix(4, 42), splitmix(9, 7) == splitmix_array(9, 7).tolist(), splitmix_array(3, 2**64 - 1))


def fnv(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


words = ["", "a", "foobar", "gpa"]
print([hex(fnv(w)) for w in words], np.array([fnv(w) for w in words], dtype=np.uint64) % 1000)
h = np.full(4, 0xCBF29CE484222325, dtype=np.uint64)
for k in range(5):
    h = (h ^ np.arange(k, k + 4, dtype=np.uint64)) * np.uint64(0x100000001B3)
print(h, h >> np.uint64(60), np.bitwise_xor.reduce(h), (h / 2**64 < 1).all())


def lcg(state):
    return (6364136223846793005 * state + 1442695040888963407) % (1 << 64)


s = 1
for _ in range(100):
    s = lcg(s)
print(s, s / 2**64, s >> 33, np.uint64(s) >> np.uint64(33))


class Xorshift:
    def __init__(self, seed):
        self.s = seed & (2**64 - 1)

    def next(self):
        s = self.s
        s ^= s << 13 & 0xFFFFFFFFFFFFFFFF
        s ^= s >> 7
        s ^= s << 17 & 0xFFFFFFFFFFFFFFFF
        self.s = s
        return s * 0x2545F4914F6CDD1D & 0xFFFFFFFFFFFFFFFF


r = Xorshift(88172645463325252)
print([r.next() for _ in range(4)])
# --- bit boards and masks
board = 1
for k in (9, 18, 27, 36, 45, 54, 63):
    board |= 1 << k
print(
    board,
    bin(board).count("1"),
    np.uint64(board),
    [k for k in range(64) if board >> k & 1],
    np.unpackbits(np.array([board], "u8").view("u1"), bitorder="little").nonzero()[0],
)
print(
    int.from_bytes(np.array([board], ">u8".replace(">", "<")).tobytes(), "little") == board,
    np.array([board]).dtype,
    ~board & 2**64 - 1,
    np.invert(np.uint64(board)),
)
