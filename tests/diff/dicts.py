# Dicts, sets and ranges.
# --- literals and repr
print(
    {},
    {"a": 1},
    {1: "x", (1, 2): [3]},
    {None: None, True: 0},
    dict(),
    dict(a=1, b=2),
    dict([("k", 1)]),
    dict({"z": 0}, y=1),
)
# --- order is insertion order
d = {"b": 1, "a": 2}
d["c"] = 3
d["b"] = 9
del d["a"]
d["a"] = 4
print(d, list(d), len(d))
# --- get setdefault pop
d = {"a": 1}
print(
    d.get("a"), d.get("x"), d.get("x", 5), d.setdefault("a", 9), d.setdefault("b", []), d.pop("a"), d.pop("zz", None), d
)
# --- keys values items
d = {"a": 1, "b": 2}
print(list(d.keys()), list(d.values()), list(d.items()), "a" in d, 1 in d.values(), ("a", 1) in d.items())
# --- views print
d = {"a": 1}
print(d.keys(), d.values(), d.items())
# --- iteration
for k in {"x": 1, "y": 2}:
    print(k, end=" ")
for k, v in {"x": 1, "y": 2}.items():
    print(k, v, end=";")
print()
# --- update and merge
d = {"a": 1, "b": 2}
d.update({"b": 3, "c": 4})
d.update(d=5)
d.update([("e", 6)])
print(d, {"a": 0} | {"a": 1, "z": 2}, {**d, "a": 9})
d |= {"q": 1}
print(d)
# --- popitem clear copy
d = {"a": 1, "b": 2}
e = d.copy()
print(d.popitem(), d)
d.clear()
print(d, e)
# --- fromkeys and comprehension
print(
    dict.fromkeys("ab"),
    dict.fromkeys([1, 2], 0),
    {k: k**2 for k in range(3)},
    {v: k for k, v in {"a": 1}.items()},
    {k: v for k, v in zip("ab", [1, 2]) if v > 1},
)
# --- equality ignores order
print(
    {"a": 1, "b": 2} == {"b": 2, "a": 1}, {"a": 1} == {"a": 1.0}, {"a": 1} != {"a": 2}, {} == {}, {1: 2} == {1: 2, 3: 4}
)
# --- nested
d = {"x": {"y": [1, 2, {"z": 3}]}}
d["x"]["y"][2]["z"] += 1
d["x"]["w"] = "new"
print(d, d["x"]["y"][2]["z"])
# --- number keys that are equal are one key
d = {}
d[1] = "int"
d[1.0] = "float"
d[True] = "bool"
d[2**3] = "eight"
print(d, d[8.0], 1 in d, 0 in d)
# --- tuple keys
d = {(0, 1): "a"}
d[0, 2] = "b"
print(d[(0, 1)], d[0, 2], (0, 3) in d)
# --- many keys
d = {}
for i in range(2000):
    d[i * 7919 % 10007] = i
for i in range(0, 2000, 2):
    del d[i * 7919 % 10007]
print(len(d), sum(d.values()), 7919 in d, d[7919])
# --- augmented assignment of items
d = {"n": 1}
d["n"] += 4
d["n"] *= 2
print(d)
# --- grouping
groups = {}
for w in ["apple", "bob", "cat", "alice", "bill"]:
    groups.setdefault(w[0], []).append(w)
print(groups)
# --- sorted by value
d = {"a": 3, "b": 1, "c": 2}
print(
    sorted(d),
    sorted(d, key=d.get),
    sorted(d.items(), key=lambda kv: kv[1], reverse=True),
    max(d, key=d.get),
    min(d.values()),
)
# --- bool and len
print(bool({}), bool({"a": 0}), len({"a": 1, "b": 2}), not {})
# --- dict from two lists and zip
print(dict(zip(["a", "b"], [1, 2])), dict(enumerate("ab")))
# --- unpacking
a, b = {"x": 1, "y": 2}
print(a, b)
# --- reversed
print(list(reversed({"a": 1, "b": 2})), list(reversed({"a": 1, "b": 2}.values())) if False else "")
# --- set literals
print({1}, set(), {1, 1, 1}, len({1, 2, 1.0, True}), {"a"}, {(1, 2)}, type({1}).__name__)
# --- set of small numbers
print({3, 1, 2}, set([2, 2, 1]), set(range(5)), {x % 3 for x in range(10)})
# --- set operators
a, b = {1, 2, 3}, {3, 4}
print(a | b, a & b, a - b, a ^ b, b - a, a & set(), a | set())
# --- set methods
a = {1, 2}
a.add(3)
a.add(3)
a.discard(9)
a.discard(1)
a.update([5, 6], (7,))
a.remove(7)
print(sorted(a), len(a), 5 in a, 9 in a)
# --- set relations
print(
    {1} <= {1, 2},
    {1, 2} < {1, 2},
    {1, 2} >= {2},
    {1}.issubset({1}),
    {1, 2}.issuperset([1]),
    {1}.isdisjoint({2}),
    {1, 2} == {2, 1},
    {1} != {2},
)
# --- set methods return new sets
a = {1, 2}
print(a.union([3], [4]), a.intersection({2, 3}), a.difference({1}), a.symmetric_difference({2, 3}), a, a.copy() == a)
# --- set in place
a = {1, 2, 3}
a &= {2, 3, 4}
a |= {9}
a -= {2}
a ^= {3, 5}
print(sorted(a))
# --- unique preserving order
seen = set()
out = []
for x in [3, 1, 3, 2, 1]:
    if x not in seen:
        seen.add(x)
        out.append(x)
print(out)
# --- frozenset
f = frozenset([1, 2])
print(f, 1 in f, {f: "x"}[frozenset([2, 1])], f | {3}, f == {1, 2})
# --- ranges
r = range(2, 20, 3)
print(
    r,
    len(r),
    r[0],
    r[-1],
    r[1:3],
    r[::-1],
    5 in r,
    6 in r,
    list(r),
    r.start,
    r.stop,
    r.step,
    r.index(8),
    range(3) == range(0, 3, 1),
)
# --- empty and negative ranges
print(
    list(range(5, 0, -2)),
    list(range(0)),
    list(range(3, 3)),
    len(range(10, 0)),
    list(range(-3, 3)),
    range(0),
    3.0 in range(5),
)
# --- min max sum of ranges
print(
    sum(range(101)),
    max(range(5)),
    min(range(3, 6)),
    sorted(range(3), reverse=True),
    list(reversed(range(4))),
    sum(range(1000000)),
)
# --- slice objects
s = slice(1, 10, 2)
print(s, s.start, s.stop, s.step, slice(None), list(range(20))[s], s.indices(6), slice(3) == slice(None, 3, None))

# --- slices of ranges
for r in (range(10), range(0, 20, 3), range(10, 0, -2), range(0), range(-3, 4)):
    for s in (
        slice(5, 2),
        slice(2, 5),
        slice(None, None, -1),
        slice(8, 2, -3),
        slice(2, 8, -1),
        slice(20, 30),
        slice(-100, -50),
        slice(-2, None),
        slice(None, -2, 3),
        slice(np.int64(1), np.array(4)),
    ):
        print(r, s.start, s.stop, s.step, r[s], len(r[s]), list(r[s]), s.indices(len(r)))
for f in (
    lambda: range(3)[::0],
    lambda: slice(None, None, 0).indices(3),
    lambda: slice(1.5).indices(3),
    lambda: slice(1).indices(-1),
    lambda: range(3)['a':],
):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
# --- views of keys and items are sets in operators and comparisons
d = {1: 2, 3: 4}
print(d.keys() - {1}, d.items() & {(1, 2)}, d.keys() | {9}, d.keys() ^ {1, 5}, d.keys() - [1], {1, 2, 3} & d.keys())
print({1, 3} == d.keys(), d.keys() <= {1, 3, 4}, d.keys() < {1, 3}, d.keys() == [1, 3], d.keys() == {3: 1, 1: 1}.keys(),
    d.keys() != {1})
for f in (lambda: d.keys() - 3, lambda: d.values() - {1}, lambda: d.keys() + {1}):
    try: f()
    except TypeError as e: print(e)
