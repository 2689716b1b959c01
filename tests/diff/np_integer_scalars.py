# NumPy's integer scalars, computed or lazy, where Python takes an int: as items, keys, indices, counts.
# --- in containers, ranges, repetitions, conversions
import collections
import itertools
import operator

rng = np.random.default_rng(0)
scalars = {
    "generator": rng.integers(3, 4), "element": np.arange(5)[3], "lazy element": (np.arange(5) + 0)[3],
    "sum": np.arange(3).sum(), "int8": np.int8(3), "uint64": np.uint64(3), "int32 element": np.arange(5,
        dtype=np.int32)[3], "bool": np.arange(5)[3] > 2, "np.True_": np.True_}
calls = [
    lambda k, m: (k in range(6), k in range(0, 100, 3), range(10).index(k), range(10).count(k), k in range(2),
        k in range(9, 0, -3)),
    lambda k, m: (k in [0, 1, 2, 3], [0, 1, 2, 3].index(k), [0, 3, 3, 1].count(k), m in [k], m in (k,)),
    lambda k, m: (k in (0, 1, 3), (0, 1, 2, 3).index(k), (3, 1, 3).count(k)),
    lambda k, m: (k in {1, 3}, k in frozenset([1, 3]), {k} == {m}, len({m, k}), m in {k}, hash(k) == hash(m)),
    lambda k, m: (k in {m: 1}, {m: 1}.get(k), {k: 2}[m], len({m: 5, k: 6}), m in {k: 1},
        collections.Counter([k, m])[m]),
    lambda k, m: ([0, 1, 2, 3, 4][k:], [0, 1, 2, 3, 4][:k], "abcdef"[::k], (1, 2, 3, 4, 5)[-1:k:-1],
        slice(k).indices(5)),
    lambda k, m: ([0, 1, 2, 3, 4][k], "abcdef"[k], (1, 2, 3, 4, 5)[k], b"abcdef"[k], range(10)[k]),
    lambda k, m: (list(range(k)), range(1, k, k), list(itertools.islice(range(9), k)),
        list(itertools.islice(range(9), m, None, k))),
    lambda k, m: ([1] * k, "a" * k, (1,) * k, b"a" * k),
    lambda k, m: (k * [1], k * "a", k * (1,)),
    lambda k, m: (chr(k), bin(k), hex(k), oct(k), bytes([k]), round(3.14159, k)),
    lambda k, m: (f"{k:d}", f"{k:03d}", "%d" % k, "%s" % k, format(k, "x")),
    lambda k, m: (math.comb(5, k), math.gcd(6, k), math.factorial(k), operator.index(k)),
    lambda k, m: ("a".ljust(k) + "b".center(k) + "7".zfill(k), "a b c d e f".split(" ", k),
        "aaaaaa".replace("a", "b", k)),
    lambda k, m: (list(enumerate("ab", k)), int(k), float(k), int("12", k + 1), divmod(7, k), pow(2, k)),
    lambda k, m: (k == m, m == k, k == float(m), m == np.int8(k), min(k, 9) == m, isinstance(k, int)),
]
for name, k in scalars.items():
    for n, call in enumerate(calls):
        try:
            print(name, n, call(k, int(k)))
        except (TypeError, IndexError, ValueError) as e:
            print(name, n, type(e).__name__, e)

# --- in place
k = np.arange(5)[3]
values = [0, 1]
values *= k
print(values)
values.insert(k, "x")
print(values, values.pop(k), values)
values[k] = "y"
del values[: np.arange(5)[1]]
print(values)
text = "ab"
text *= np.arange(3).sum()
print(text)

# --- numbers that are equal to an item of a range, and those that are not
for v in (3.0, 3.5, np.float32(3), 3 + 0j, 3 + 1j, math.nan, math.inf, -math.inf, 1e300, 2**70, np.uint64(2**64 - 1),
        True, None, "3", np.array(3), np.array(7), []):
    print(repr(v), v in range(6), v in range(-5, 99, 2))
print(np.array([3]) in range(6), -(2**63) in range(-(2**63), 5, 7), 2**63 - 2 in range(-(2**63), 2**63 - 1, 2))
