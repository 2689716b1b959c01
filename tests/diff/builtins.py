# Built-in functions.
# --- min max errors are values elsewhere: here the plain forms
print(
    min(1, 2), max([1, 5, 3]), min("b", "a"), max((1, 2), (1, 3)), min([3, 1], key=lambda x: -x), max([], default=None)
)
# --- sum any all on expressions
print(sum(i for i in range(5)), sum([1.5, 2]), any(map(bool, [0, 1])), all(x for x in [1, 2]))
# --- sorted of dict set tuple str
print(sorted({"b": 1, "a": 2}), sorted({3, 1}), sorted((2, 1)), sorted("cab"), sorted([[2], [1, 5]]))
# --- zip strictness and unzip
pairs = list(zip("abc", range(3)))
letters, numbers = zip(*pairs)
print(pairs, letters, numbers)
# --- round family on types
print(round(2.5), round(2.51), round(-1.5), round(12345, -2), round(0.1 + 0.2, 10), round(True))
# --- divmod and pow
print(divmod(17, 5), divmod(-17, 5), divmod(7.5, 2), pow(2, 5), pow(2, -1), pow(2.0, 3), pow(7, 2, 5))
# --- abs of things
print(abs(-3), abs(-2.5), abs(3 + 4j), abs(False), abs(-0.0))
# --- chr ord hex oct bin
print(chr(65), ord("A"), hex(4095), oct(64), bin(9), chr(0x1F600), ord("\n"))
# --- bool int float str constructors
print(
    bool("False"),
    int("7") + 1,
    float("2") / 4,
    str(1) + "1",
    bool(),
    int(),
    float(),
    repr(str()),
    list(),
    tuple(),
    dict(),
    set(),
)
# --- enumerate and reversed over different things
print(list(enumerate({"a": 1})), list(reversed("abc")), list(reversed((1, 2))), list(enumerate(range(2), -1)))
# --- isinstance with bool and tuple
print(
    isinstance(True, bool),
    isinstance([], (tuple, list)),
    isinstance({}, dict),
    isinstance("", (int, float)),
    isinstance(1j, complex),
    isinstance(range(1), range),
)
# --- getattr and hasattr
print(
    hasattr("a", "upper"),
    hasattr([], "nope"),
    getattr("abc", "upper")(),
    getattr(math, "pi"),
    getattr([], "x", "default"),
)
# --- id and is
a = []
b = a
print(a is b, id(a) == id(b), a is not [], None is None)
# --- repr of functions' results
print(repr("a"), repr(1.0), repr(None), repr([1, "x"]), ascii("é"))
# --- map and filter objects in loops
for x in map(lambda v: v * 10, filter(lambda v: v % 2, range(5))):
    print(x, end=" ")
print()


# --- any and all stop early
def noisy(x):
    print("see", x, end=" ")
    return x


print(any(noisy(x) for x in [0, 3, 5]), all(noisy(x) for x in [1, 0, 5]))
# --- print goes through str
print([1.0, "a"], "a", 1.0, None, True, (1,), {"k": "v"}, sep=" | ")
# --- math from import
from math import sqrt, pi as PI
import math as m

print(sqrt(9), PI == m.pi, m.floor(2.7), m.ceil(2.1))
# --- itertools basics
import itertools

print(
    list(itertools.product([1, 2], "ab")),
    list(itertools.chain([1], [2, 3])),
    list(itertools.accumulate([1, 2, 3])),
    list(itertools.islice(itertools.count(5), 3)),
)
# --- itertools selections
from itertools import permutations, combinations, repeat, zip_longest

print(
    list(permutations([1, 2, 3], 2)),
    list(combinations("abc", 2)),
    list(repeat(7, 3)),
    list(zip_longest([1, 2], [3], fillvalue=0)),
)
# --- functools
from functools import reduce, partial

print(reduce(lambda a, b: a * b, range(1, 6)), partial(pow, 2)(5))
# --- hash of equal values
print(hash(1) == hash(1.0) == hash(True), hash("a") == hash("a"), hash((1, 2)) == hash((1, 2)))
# --- int(str(x)) and float(str(x))
for s in ("0", "-1", "3.5", "1e3", "inf"):
    x = float(s)
    print(x, float(repr(x)) == x, end="; ")
print()
# --- cmath
import cmath

print(cmath.sqrt(-1), abs(cmath.exp(1j * cmath.pi) + 1) < 1e-12, cmath.phase(1j) == math.pi / 2, cmath.polar(2j))
# --- sys
import sys

print(sys.maxsize, len(sys.argv) > 0)
# --- iteration over text lines
data = "x,y\n1,2\n3,4"
rows = [[float(v) for v in line.split(",")] for line in data.split("\n")[1:]]
print(rows, [sum(c) for c in zip(*rows)])
# --- type conversions between containers
print(
    list({"a": 1}.items()),
    set("aab") == {"a", "b"},
    tuple({1: 2}),
    dict([[1, 2], (3, 4)]),
    list(map(list, ["ab", (1,)])),
)
# --- float and int checks
print(
    (5.0).is_integer(),
    (7).bit_length(),
    (3).real,
    (1.5).hex() if False else "",
    int.__name__,
    (3).__class__.__name__ if False else "int",
)
