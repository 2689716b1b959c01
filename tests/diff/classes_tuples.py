# Classes derived from tuple, with and without named fields.
from showing import tell

# --- namedtuple behaves as a tuple
from collections import namedtuple

P = namedtuple("P", "x y", defaults=[7])
p = P(3)
for f in (
    lambda: isinstance(p, tuple),
    lambda: isinstance(p, P),
    lambda: type(p) is P,
    lambda: type(p).__name__,
    lambda: p == (3, 7),
    lambda: (3, 7) == p,
    lambda: {p: 1}[(3, 7)],
    lambda: {(3, 7): 2}[p],
    lambda: p < (3, 8),
    lambda: p + (1,),
    lambda: (1,) + p,
    lambda: p * 2,
    lambda: 3 in p,
    lambda: len(p),
    lambda: list(p),
    lambda: tuple(p),
    lambda: [*p],
    lambda: p[0],
    lambda: p[-1],
    lambda: p[:1],
    lambda: "%s %s" % p,
    lambda: "{} {}".format(*p),
    lambda: f"{p}",
    lambda: str(p),
    lambda: p.x,
    lambda: p._asdict(),
    lambda: p._replace(y=1),
    lambda: P._make([5, 6]),
    lambda: P._fields,
    lambda: P._field_defaults,
    lambda: p._fields,
    lambda: p.index(7),
    lambda: p.count(3),
    lambda: hash(p) == hash((3, 7)),
    lambda: P(1, 2, 3),
    lambda: P(),
    lambda: P(z=1),
    lambda: p.z,
    lambda: max(P(1, 2), P(3, 0)),
    lambda: sorted([P(3, 1), P(1, 2)], key=lambda q: q.y),
    lambda: sorted([P(3, 1), P(1, 2)]),
    lambda: dict([P("a", 1)]),
    lambda: isinstance(P, type),
    lambda: issubclass(P, tuple),
    lambda: P.__name__,
    lambda: P,
    lambda: P.x.__doc__ if False else 0,
    lambda: setattr(p, "x", 3),
    lambda: p != (1, 2),
    lambda: p is p,
    lambda: bool(p),
    lambda: sum(p),
    lambda: zip(*[P(1, 2), P(3, 4)]).__next__(),
    lambda: P(*[1, 2]),
    lambda: P(**{"x": 1, "y": 2}),
    lambda: p._replace(q=3),
    lambda: P._make([1]),
    lambda: p[2],
    lambda: isinstance(p, (list, tuple)),
    lambda: P.__doc__,
    lambda: p.__class__.__name__,
    lambda: p.__class__ is P,
    lambda: repr(P(x=[1], y={"a": 1})),
    lambda: list(map(P._make, [(1, 2), (3, 4)])),
    lambda: getattr(p, "y"),
    lambda: hasattr(p, "q"),
    lambda: {P(1, 2), P(1, 2), (1, 2)},
    lambda: any(p),
    lambda: tuple(reversed(p)),
    lambda: P(1, 2) > P(1, 1),
    lambda: [a * b for a, b in [P(1, 2), P(3, 4)]],
):
    tell(f)
tell(lambda: np.zeros(P(2, 3)).shape)
tell(lambda: np.array(p))
tell(lambda: np.array([P(1, 2), P(3, 4)]))
tell(lambda: np.arange(12).reshape(P(3, 4))[P(1, 2)])
tell(lambda: np.sum(np.ones((2, 3, 4)), axis=P(0, 1)))
tell(lambda: np.concatenate(P(np.ones(2), np.zeros(1))))
tell(lambda: np.stack(P([1, 2], [3, 4])))
tell(lambda: p + np.array([1, 2]))
tell(lambda: np.array([1, 2]) * p)
tell(lambda: np.mean(p))
tell(lambda: np.dot(p, p))
tell(lambda: np.asarray(p).dtype)
x, y = p
print(x, y)


def f(a, b):
    return a - b


print(f(*p))
match_ = {P(1, 1): "a"}
print(match_[1, 1])


class Q(namedtuple("Q", ["a", "b"])):
    __slots__ = ()

    def norm(self):
        return (self.a**2 + self.b**2) ** 0.5

    @property
    def total(self):
        return self.a + self.b


q = Q(3, 4)
print(q, q.norm(), q.total, q == (3, 4), isinstance(q, tuple), q._replace(a=0), q[0])
from typing import NamedTuple


class R(NamedTuple):
    name: str
    size: float = 1.5

    def twice(self):
        return self.size * 2


r = R("z")
print(r, r.twice(), r == ("z", 1.5), R._fields, R._field_defaults, r._asdict())
# --- of other classes
from collections import namedtuple


class V(namedtuple("V", "x y")):
    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return V(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return V(-self.x, -self.y)

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __str__(self):
        return f"<{self.x}, {self.y}>"


a, b = V(3, 4), V(1, 1)
print(
    a + b,
    a * 2,
    2 * a,
    -a,
    abs(a),
    a,
    [a, b],
    a < b,
    b < a,
    sorted([a, b]),
    sum([a, b], V(0, 0)),
    str(a),
    repr(a),
    f"{a}",
    "%s|%s" % a,
    (3, 4) == a,
    len(a),
    a[::-1],
    V._make([1, 2]),
    a._replace(y=0),
)


class W(namedtuple("W", "x y", defaults=(0,))):
    def __new__(cls, x, y=None):
        if x < 0:
            raise ValueError("x is negative")
        return super().__new__(cls, x, x * x if y is None else y)


print(W(3), W(3, 1), W(2) == (2, 4))
tell(lambda: W(-1), lambda: W())


class Pair(tuple):
    def __new__(cls, a, b):
        return tuple.__new__(cls, (min(a, b), max(a, b)))

    @property
    def width(self):
        return self[1] - self[0]

    def __contains__(self, x):
        return self[0] <= x <= self[1]


p = Pair(5, 2)
print(
    p,
    p.width,
    3 in p,
    7 in p,
    tuple(p),
    p == (2, 5),
    isinstance(p, tuple),
    isinstance(p, Pair),
    {p: 1}[(2, 5)],
    hash(p) == hash((2, 5)),
    p + (1,),
    p.index(5),
    p.count(2),
    [*p],
    max(p),
    Pair.__mro__[1:],
    bool(p),
)


class Plain(tuple):
    pass


print(
    Plain(),
    Plain([1, 2]),
    Plain("ab") == ("a", "b"),
    Plain((1,)) < (2,),
    type(Plain((1,)) + (2,)),
    not Plain(),
    np.array(Plain([1, 2])),
    np.zeros(Plain([2, 2])),
)
tell(
    lambda: Plain(1, 2),
    lambda: Plain(3),
    lambda: object.__new__(Plain),
    lambda: setattr(namedtuple("A", "x")(1), "z", 3),
    lambda: p[9],
    lambda: namedtuple("B", "a class") if False else 0,
    lambda: issubclass(Plain, tuple),
    lambda: issubclass(tuple, Plain),
)


class Eq(tuple):
    def __eq__(self, o):
        return "never"

    def __hash__(self):
        return 7


print(Eq((1,)) == (1,), (1,) == Eq((1,)), hash(Eq((1,))), Eq((1,)) != (1,))
# --- copies, and in collections
import copy, json
from collections import namedtuple, Counter, defaultdict

P = namedtuple("P", ["x", "y"])
p = P([1], {"k": 2})
q = copy.deepcopy(p)
print(q, type(q) is P, q.x is p.x, copy.copy(p) == p, json.dumps(P(1, [2, 3])))
grid = {P(i, j): i * j for i in range(3) for j in range(3)}
print(
    grid[1, 2],
    grid[P(2, 2)],
    (2, 1) in grid,
    sorted(grid)[:3],
    max(grid, key=lambda k: grid[k]),
    Counter([P(1, 2), (1, 2), P(2, 1)]).most_common(),
)
stars = [P("Vega", 0.03), P("Sirius", -1.46), P("Deneb", 1.25)]
print(
    sorted(stars, key=lambda s: s.y),
    [x for x, y in stars],
    dict(stars),
    list(zip(*stars)),
    np.array([s.y for s in stars]).mean().round(3),
)
for i, (name, magnitude) in enumerate(stars):
    print(f"{i}: {name:<8}{magnitude:>6.2f}")
# --- typing.NamedTuple
from typing import NamedTuple


class Particle(NamedTuple):
    """A point that moves."""

    mass: float
    position: tuple = (0.0, 0.0)
    charge: int = 0

    def moved(self, dx, dy):
        x, y = self.position
        return self._replace(position=(x + dx, y + dy))

    @property
    def heavy(self):
        return self.mass > 1

    @staticmethod
    def zero():
        return Particle(0)


a = Particle(2.0, charge=-1)
print(
    a,
    a.moved(1, 2),
    a.heavy,
    Particle.zero(),
    Particle._fields,
    Particle._field_defaults,
    a._asdict(),
    Particle.__doc__,
    a == (2.0, (0.0, 0.0), -1),
    isinstance(a, tuple),
    Particle.__name__,
)
tell(
    lambda: Particle(),
    lambda: Particle(1, 2, 3, 4),
    lambda: Particle(mas=1),
    lambda: setattr(a, "mass", 3),
    lambda: NamedTuple("T", [("a", int), ("b", int)])(1, 2),
)


def late():
    class Wrong(NamedTuple):
        x: int = 0
        y: int


tell(late)


# --- __init_subclass__
class Base:
    known = []

    def __init_subclass__(cls):
        Base.known.append(cls.__name__)
        cls.kind = cls.__name__.lower()


class One(Base):
    pass


class Two(One):
    pass


print(Base.known, One.kind, Two().kind)


class Renamed:
    pass


Renamed.__name__ = "Other"
print(Renamed.__name__)

# --- subclasses of tuple have instance attributes unless __slots__ forbids them
import copy
from collections import namedtuple

P = namedtuple("P", "x y", defaults=[7])
p = P(3)


class Row(tuple):
    def __new__(cls, *items, name=""):
        made = super().__new__(cls, items)
        made.name = name
        return made

    def __getitem__(self, i):
        got = super().__getitem__(i)
        return Row(*got, name=self.name) if isinstance(i, slice) else got

    def __len__(self):
        return super().__len__() + 100

    def __eq__(self, other):
        return super().__eq__(tuple(other)) and self.name == other.name

    def __hash__(self):
        return super().__hash__()

    def __contains__(self, item):
        return not super().__contains__(item)


r = Row(1, 2, 3, name="r")
tell(
    lambda: (r[1:].name, tuple(r[1:]), r[0], len(r), r.name),
    lambda: r.__dict__,
    lambda: vars(r),
    lambda: r == Row(1, 2, 3, name="r"),
    lambda: r == Row(1, 2, 3),
    lambda: 1 in r,
    lambda: setattr(r, "other", [1]) or r.other,
    lambda: r.nothing,
    lambda: sorted(r.__dict__),
)
a, b = copy.copy(r), copy.deepcopy(r)
print(type(a) is Row, a.name, a.other is r.other, type(b) is Row, b.other, b.other is r.other, tuple(b))
del r.other
tell(lambda: r.other, lambda: delattr(r, "other"))


class Named(P):
    pass


n = Named(1, 2)
n.label = "n"
tell(
    lambda: (n.label, n, n.x, n.__dict__),
    lambda: n._replace(x=5),
    lambda: setattr(n, "x", 5),
    lambda: copy.copy(n).label,
    lambda: setattr(p, "label", 1),
    lambda: copy.deepcopy(P([1], 2)),
    lambda: p.__len__(),
    lambda: p.__getitem__(-1),
    lambda: p.__add__((1,)),
    lambda: p.__contains__(3),
    lambda: hasattr(p, "__iter__"),
    lambda: hasattr(p, "__next__"),
)
n.itself = n


class Closed(tuple):
    __slots__ = ()


tell(lambda: setattr(Closed((1, 2)), "k", 5), lambda: Closed((1, 2)))


def slots(names, base):
    class T(base):
        __slots__ = names

    return T


tell(lambda: slots(("k",), tuple), lambda: slots(["k"], P), lambda: slots("k", Row))
tell(
    lambda: namedtuple("Q", "a class"),
    lambda: namedtuple("lambda", "a"),
    lambda: namedtuple("Q", "a class 1b a", rename=True)(1, 2, 3, 4),
)


# --- __init_subclass__ and super()
class Plugin:
    known = []

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.known.append(cls.__name__)


class First(Plugin):
    pass


class Second(First):
    def __init_subclass__(cls):
        super().__init_subclass__()
        cls.known.append("behind Second")


class Third(Second):
    pass


print(Plugin.known)
