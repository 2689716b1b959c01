# User-defined classes and their instances.
# --- a class with methods and attributes
class Point:
    """A place."""

    made = 0

    def __init__(self, x, y=2):
        self.x = x
        self.y = y
        Point.made += 1

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


p = Point(3, y=4)
print(p, [p], str(p), f"{p!r:>14}", p.norm(), Point.norm(p), Point.made, p.made)
p.made = 7
print(p.made, Point.made, p.__dict__, vars(p) is p.__dict__, Point.__doc__, p.__doc__)
print(Point, Point.__name__, Point.__module__, Point.__bases__, type(p) is Point, p.__class__ is Point, type(Point))
print(
    isinstance(p, Point),
    isinstance(p, object),
    isinstance(3, Point),
    isinstance(p, (int, Point)),
    issubclass(Point, object),
    callable(Point),
    callable(p),
)
print(getattr(p, "x"), hasattr(p, "z"), getattr(p, "z", "none"), sorted(n for n in dir(p) if n[0] != "_"))
setattr(p, "z", 5)
del p.y
print(p.z, hasattr(p, "y"))
Point.twice = lambda self: self.x * 2
print(p.twice(), str(Point.norm).split(" at ")[0], str(Point(1).norm))


# --- inheritance, super, the order of ancestors
class Base:
    def __init__(self, name):
        self.name = name

    def hello(self):
        return "base " + self.name


class Left(Base):
    def hello(self):
        return "left " + super().hello()


class Right(Base):
    def hello(self):
        return "right " + super(Right, self).hello()


class Both(Left, Right):
    def __init__(self, name, n):
        super().__init__(name)
        self.n = n

    def hello(self):
        return "both " + super().hello() * self.n


b = Both("me", 2)
print(b.hello(), [c.__name__ for c in Both.__mro__], Both.mro() == list(Both.__mro__), Both.__bases__)
print(isinstance(b, Right), issubclass(Both, Left), issubclass(Left, Both), Base.hello(b))


def deeper():
    class Inner(Both):
        def hello(self):
            return [super().hello() for _ in range(1)] if False else __class__.__name__

    return Inner


print(deeper()("x", 1).hello())


# --- properties, static and class methods
class Celsius:
    zero = 273.15

    def __init__(self, t):
        self._t = t

    @property
    def kelvin(self):
        "In kelvin."
        return self._t + self.zero

    @kelvin.setter
    def kelvin(self, k):
        self._t = k - self.zero

    @kelvin.deleter
    def kelvin(self):
        self._t = None

    @property
    def fixed(self):
        return 1

    @staticmethod
    def parse(text):
        return Celsius(float(text))

    @classmethod
    def of(cls, k):
        c = cls(0)
        c.kelvin = k
        return c


class Sub(Celsius):
    zero = 273


c = Celsius.parse("20")
c.kelvin += 1
print(
    round(c._t, 6),
    round(c.kelvin, 2),
    Celsius.kelvin.__doc__,
    type(Sub.of(300)).__name__,
    Sub.of(300)._t,
    c.of(273.15)._t,
)
del c.kelvin
print(c._t)
for bad in (lambda: setattr(c, "fixed", 2), lambda: delattr(c, "fixed"), lambda: c.nothing, lambda: Celsius.nothing):
    try:
        bad()
    except AttributeError as e:
        print(e)


# --- operators
class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __radd__(self, o):
        return self if o == 0 else NotImplemented

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k) if isinstance(k, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __neg__(self):
        return self * -1

    def __abs__(self):
        return (self @ self) ** 0.5

    def __eq__(self, o):
        return isinstance(o, Vec) and (self.x, self.y) == (o.x, o.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __bool__(self):
        return self.x != 0 or self.y != 0

    def __iter__(self):
        return iter((self.x, self.y))

    def __getitem__(self, k):
        return (self.x, self.y)[k]

    def __setitem__(self, k, v):
        setattr(self, "xy"[k], v)

    def __len__(self):
        return 2

    def __iadd__(self, o):
        self.x += o.x
        return self

    def __format__(self, spec):
        return f"<{format(self.x, spec)} {format(self.y, spec)}>"

    def __repr__(self):
        return f"Vec({self.x}, {self.y})"

    def __lshift__(self, o):
        return ("shift", o)

    def __floordiv__(self, o):
        return ("floor", o)

    def __call__(self, *args, **kwargs):
        return (self, args, kwargs)


u, v = Vec(1, 2), Vec(3, 4)
print(u + v, v - u, u * 2, 3 * u, u @ v, -u, abs(v), u == v, u != v, u == Vec(1, 2), u != Vec(1, 2), sum([u, v]))
print(
    u < v,
    u > v,
    sorted([v, u]),
    max(u, v),
    bool(Vec(0, 0)),
    not u,
    list(u),
    u[1],
    u[-1],
    len(u),
    2 in u,
    9 in u,
    {u: 1}[Vec(1, 2)],
)
x, y = v
print(
    x,
    y,
    *u,
    f"{u:.2f}",
    "{:d}".format(v),
    u << 3,
    u // 4,
    u(1, k=2),
    [Vec(1, 2)].index(u),
    u in [v, u],
    [v, u].count(Vec(1, 2)),
)
w = u
w += v
print(w is u, u)
u[0] = 10
print(u)
for bad in (
    lambda: u * "a",
    lambda: u + 1 if False else "a" * u,
    lambda: u - None if False else u / 2,
    lambda: u <= v,
    lambda: setattr(u, "z", 1),
    lambda: ~u,
    lambda: u[5],
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)


class Left:
    def __add__(self, o):
        return "left"

    def __radd__(self, o):
        return "right"

    def __lt__(self, o):
        return "less"

    def __gt__(self, o):
        return "more"

    def __sub__(self, o):
        return NotImplemented


class Heir(Left):
    def __rsub__(self, o):
        return "heir"


class Other(Left):
    def __radd__(self, o):
        return "other"


print(
    Left() + Heir(),
    Left() + Other(),
    Heir() + Other(),
    Other() + Left(),
    Left() < Heir(),
    Left() - Heir(),
    Heir() + Left(),
)
Heir.__radd__ = lambda self, o: "changed"
print(Left() + Heir())


# --- iterators, containers, contexts
class Count:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Squares:
    def __getitem__(self, i):
        if i > 4:
            raise IndexError(i)
        return i * i


class Bag:
    def __init__(self, *items):
        self.items = list(items)

    def __contains__(self, x):
        return x in self.items

    def __delitem__(self, k):
        del self.items[k]

    def __reversed__(self):
        return reversed(self.items)

    def __enter__(self):
        print("enter")
        return self.items

    def __exit__(self, kind, error, trace):
        print("exit", kind, error)
        return kind is ValueError


print(
    list(Count(3)),
    sum(Count(4)),
    max(Count(5)),
    [a * b for a, b in zip(Count(3), Squares())],
    list(Squares()),
    9 in Squares(),
    10 in Squares(),
)
it = iter(Count(2))
print(next(it), next(it), next(it, "end"))
bag = Bag(1, 2, 3)
del bag[0]
print(1 in bag, 2 in bag, list(reversed(bag)))
with bag as items:
    print(items)
with bag:
    raise ValueError("gone")
try:
    with bag:
        raise KeyError("kept")
except KeyError as e:
    print("caught", e)


# --- conversions
class Number:
    def __float__(self):
        return 2.5

    def __int__(self):
        return 7

    def __index__(self):
        return 1

    def __round__(self, n=None):
        return ("round", n)

    def __divmod__(self, o):
        return ("divmod", o)

    def __str__(self):
        return "number"


n = Number()
print(
    float(n), int(n), [5, 6, 7][n], [5, 6, 7][n:], round(n), round(n, 2), divmod(n, 3), str(n), list(range(n)), f"{n}"
)
import itertools

print(
    [1, 2] * n,
    n * (1, 2),
    "ab" * n,
    n * b"ab",
    "%d %x %5.1f %s" % (n, n, n, n),
    list(itertools.islice(range(9), n)),
    list(itertools.islice(range(9), n, None, np.int64(3))),
)


class Bad:
    def __index__(self):
        raise ValueError("no number")


for f in (
    lambda: [1] * Bad(),
    lambda: "%d" % Bad(),
    lambda: [1] * object(),
    lambda: "%d" % object(),
    lambda: "%.1f" % Bad(),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
x = [1, 2]


class Emptying:
    def __index__(self):
        x.clear()
        return 3


print(x * Emptying())


# --- attributes by methods
class Loose:
    def __init__(self):
        self.real = 1

    def __getattr__(self, name):
        if name.startswith("no"):
            raise AttributeError(f"no {name}")
        return name.upper()

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2)


o = Loose()
print(o.real, o.other, hasattr(o, "nothing"), getattr(o, "nobody", 0))
object.__setattr__(o, "plain", 4)
print(o.plain, o.__dict__)


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, owner):
        return self if o is None else getattr(o, self.name)

    def __set__(self, o, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(o, self.name, value)


class Box:
    width = Positive()

    def __init__(self, width):
        self.width = width


print(Box(3).width, type(Box.width).__name__)
try:
    Box(-1)
except ValueError as e:
    print(e)


# --- private names
class Hidden:
    __count = 1

    def __init__(self):
        self.__value = 2
        self.__dunder__ = 3

    def __add(self, x):
        return self.__value + Hidden.__count + x

    def total(self):
        return self.__add(10)


print(Hidden().total(), Hidden()._Hidden__value, Hidden()._Hidden__add(0), sorted(Hidden().__dict__))
# --- the body of a class
scale = 10


def make(k):
    class Table:
        a = 1
        scale = scale + 1 if "scale" in globals() else 0
        b = [a, a + 1]
        c = [i * 2 for i in range(a + 2)]
        for j in range(3):
            pass
        if a:
            d = "yes"
        else:
            d = "no"
        x: int
        y: float = 2.5

        def f(self, p=a):
            return p + k

        def g(self):
            return scale

        class Inner:
            value = 5

    return Table


T = make(100)
t = T()
print(T.a, T.scale, T.b, T.c, T.j, T.d, T.y, list(T.__annotations__), t.f(), t.g(), T.Inner.value, T.Inner().value)


# --- making instances otherwise
class Single:
    _one = None

    def __new__(cls, *args):
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one

    def __init__(self, *args):
        self.args = args


print(Single(1) is Single(2), Single(3).args)


class Other:
    def __new__(cls):
        return "not one"


print(Other())
made = object.__new__(Single)
print(type(made) is Single, made.__dict__, object() != object())
# --- instances among arrays
import numpy as np


class Layer:
    def __init__(self, n_in, n_out):
        self.w = np.arange(n_in * n_out, dtype=float).reshape(n_in, n_out) / 10
        self.b = np.zeros(n_out)

    def __call__(self, x):
        self.x = x
        return np.maximum(x @ self.w + self.b, 0)

    def backward(self, g, rate):
        self.b -= rate * g.sum(axis=0)
        self.w -= rate * self.x.T @ g
        return g @ self.w.T


class Net:
    def __init__(self, *sizes):
        self.layers = [Layer(a, b) for a, b in zip(sizes, sizes[1:])]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def step(self, x, y):
        g = self(x) - y
        for layer in reversed(self.layers):
            g = layer.backward(g, 0.01)
        return (g**2).sum()


net = Net(2, 3, 1)
x = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
for _ in range(3):
    print(round(float(net.step(x, np.ones((3, 1)))), 6))
print(net(x).round(6), net.layers[0].b.round(6))


class Units:
    __array_priority__ = 10

    def __init__(self, a):
        self.a = np.asarray(a)

    def __array__(self, dtype=None, copy=None):
        return self.a

    def __len__(self):
        return len(self.a)


print(np.sum(Units([1, 2, 3])), np.array(Units([1.5])), np.vstack([Units([1, 2]).a, [3, 4]]))


# --- deep structures
class Node:
    def __init__(self, depth):
        self.depth = depth
        self.next = Node(depth - 1) if depth else None

    def count(self):
        return 1 + (self.next.count() if self.next else 0)


print(Node(200).count())


class Loop:
    def f(self):
        return self.f()

    def __repr__(self):
        return repr(self)

    def __getattr__(self, name):
        return getattr(self, name + "x")


for bad in (lambda: Loop().f(), lambda: repr(Loop()), lambda: Loop().a):
    try:
        bad()
    except RecursionError:
        print("too deep")

# --- ufuncs as attributes are no methods
class Bundle:
    matmul = np.matmul
    sin = np.sin
    divmod = np.divmod
    vecdot = np.vecdot
    length = len
    modf, frexp = np.modf, np.frexp
    twice = lambda self, x: 2 * x


b = Bundle()
print(b.matmul(np.eye(2), np.ones(2)), b.sin(0.0), b.divmod(7, 2), b.vecdot([1, 2], [3, 4]), b.length([1]), b.modf(2.5))
print(b.frexp(8.0), b.twice(3), Bundle.matmul is np.matmul, b.matmul is np.matmul,
    [f([[1]], [[2]]) for f in [b.matmul]])
