# Special methods of built-in values.
# --- hasattr
values = [
    [1],
    (1,),
    "a",
    {1: 2},
    {1},
    np.zeros(2),
    5,
    2.5,
    range(3),
    (i for i in range(2)),
    None,
    np.zeros(()),
    b"a",
    1j,
    True,
    len,
    print,
    lambda: 0,
    np.int8(3),
]
names = (
    "__len__",
    "__iter__",
    "__getitem__",
    "__call__",
    "__contains__",
    "__add__",
    "__next__",
    "__setitem__",
    "__eq__",
    "__hash__",
    "__int__",
    "__float__",
    "__index__",
    "__array__",
    "__str__",
    "__class__",
    "__lt__",
    "__neg__",
    "__bool__",
    "__enter__",
    "__name__",
    "__mul__",
    "__abs__",
    "__reversed__",
    "__radd__",
    "__rmul__",
    "__and__",
    "__or__",
    "__sub__",
    "__matmul__",
    "__nothing__",
    "__delitem__",
    "__invert__",
    "__round__",
    "__truediv__",
    "__rpow__",
)
for x in values:
    print(
        type(x).__name__,
        [
            hasattr(x, n)
            for n in names
            if not (isinstance(x, np.generic) and n in ("__getitem__", "__len__", "__setitem__", "__delitem__"))
            and not (callable(x) and n == "__dict__")
        ],
    )


class Plain:
    pass


class Sized:
    def __len__(self):
        return 3


print(
    [hasattr(Plain(), n) for n in ("__len__", "__iter__", "__eq__", "__str__", "__call__")],
    [hasattr(Sized(), n) for n in ("__len__", "__iter__")],
)


def kind(x):
    return (
        "array"
        if hasattr(x, "__array__")
        else (
            "sequence"
            if hasattr(x, "__len__")
            else "iterable" if hasattr(x, "__iter__") else "callable" if hasattr(x, "__call__") else "scalar"
        )
    )


print([kind(x) for x in values])
# --- calls
print(
    [1, 2].__len__(),
    "abc".__getitem__(1),
    (5).__add__(3),
    (1.5).__mul__(2),
    {1: 2}.__contains__(1),
    [1, 2].__iter__().__next__(),
    (3).__eq__(3),
    (3).__lt__(4),
    "a".__add__("b"),
    [3].__contains__(3),
    (5).__str__(),
    (5).__repr__(),
    (-5).__abs__(),
    (2).__pow__(3),
    (7).__floordiv__(2),
    (7).__mod__(4),
    (1).__bool__(),
)
print(
    list(map([1, 2, 3].__getitem__, [0, 2])),
    sorted([3, 1], key=(10).__sub__),
    (5).__rsub__(7),
    np.arange(3).__add__(1),
    np.arange(3).__rsub__(1),
    np.float64(3.7).__round__(),
    np.int64(5).__index__(),
    np.arange(3).__len__(),
    np.eye(2).__matmul__([1, 2]),
    (lambda x: x + 1).__call__(2),
    {1, 2}.__or__({3}),
    "ab".__mul__(2),
    (3).__index__(),
    (2.5).__int__(),
)
a, d = [1, 2], {}
a.__setitem__(0, 9)
d.__setitem__("k", 1)
a.__delitem__(1)
print(a, d)
try:
    (5).__len__()
except AttributeError as e:
    print(e)
# --- bases of types
print(
    KeyError.__mro__,
    bool.__mro__,
    int.__bases__,
    object.__bases__,
    ZeroDivisionError.__bases__[0].__name__,
    ValueError().__class__.__mro__[1].__name__,
)
[].__nothing__

# --- a type has the functions of its values
from functools import reduce

for f in (
    lambda: int.__add__(1, 2),
    lambda: reduce(int.__mul__, [1, 2, 3]),
    lambda: list(map(str.__len__, ["a", "bc"])),
    lambda: float.__mul__(2.0, 3.0),
    lambda: list.__len__([1]),
    lambda: dict.__getitem__({1: 2}, 1),
    lambda: sorted([3, 1, 2], key=int.__neg__),
    lambda: str.__contains__("abc", "b"),
    lambda: set.__or__({1}, {2}),
    lambda: list.__eq__([1], [1]),
    lambda: np.ndarray.__add__(np.ones(2), 1),
    lambda: np.float64.__mul__(np.float64(2), 3.0),
    lambda: hasattr(int, "__len__"),
    lambda: hasattr(list, "__iter__"),
    lambda: [hasattr(t, "__getitem__") for t in (list, dict, str, int, set)],
    lambda: int.__nothing__,
):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


# --- __bytes__, and __doc__, __dir__ and __dict__ of built-in values
class Packet:
    def __bytes__(self):
        return b"data"


class Bad:
    def __bytes__(self):
        return "data"


def f():
    pass


print(bytes(Packet()), f.__dict__)
f.count = 3
f.__dict__["more"] = 4
print(f.__dict__, f.more, [].__doc__ == list.__doc__, isinstance((1).__doc__, str), "append" in [].__dir__(),
    "real" in True.__dir__())
bytes(Bad())
