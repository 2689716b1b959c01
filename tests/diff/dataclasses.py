# dataclasses, abc, functools and copy.
# --- abc, dataclasses, functools, copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, asdict, astuple, replace, fields, is_dataclass, FrozenInstanceError
from functools import cached_property, total_ordering, lru_cache
import copy
from typing import List, Optional


class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self):
        pass

    def show(self):
        return f"{self.name} {self.area()}"


class Sq(Shape):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2

    name = "square"


class Half(Shape):
    def area(self):
        return 1


print(Sq(3).show())


@dataclass
class P:
    x: float
    y: float = 2.0
    tags: List[str] = field(default_factory=list, repr=False)

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5


@dataclass(order=True, frozen=True)
class Q:
    a: int
    b: Optional[int] = None


@dataclass
class R(P):
    z: float = 3

    def __post_init__(self):
        self.s = self.x + self.z


p = P(1.0)
p.tags.append("t")
print(
    p,
    P(1.0),
    p == P(1.0),
    P(1, y=3),
    p.norm(),
    asdict(p),
    astuple(p),
    replace(p, y=9),
    [f.name for f in fields(P)],
    is_dataclass(p),
)
print(
    Q(1, 2) < Q(1, 3), sorted([Q(3), Q(1)], key=lambda q: q.a), hash(Q(1)) == hash(Q(1)), {Q(1): 2}[Q(1)], R(1), R(1).s
)
for f in (
    lambda: P(),
    lambda: P(1, 2, 3, 4),
    lambda: P(1, q=3),
    lambda: P(1, x=2),
    lambda: setattr(Q(1), "a", 3),
    lambda: hash(p),
    lambda: p < p,
):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)


def bad1():
    @dataclass
    class B:
        a: list = []


def bad2():
    @dataclass
    class B:
        a: int = 1
        b: int


for f in (bad1, bad2):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)


class Cached:
    @cached_property
    def t(self):
        print("computing")
        return 5

    @lru_cache(maxsize=None)
    def fib(self, n):
        return n if n < 2 else self.fib(n - 1) + self.fib(n - 2)


c = Cached()
print(c.t, c.t, c.fib(30))


@total_ordering
class V:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v

    def __lt__(self, o):
        return self.v < o.v


print(V(1) <= V(2), V(1) >= V(2), V(3) > V(2))
a = Cached()
a.l = [1, [2]]
a.me = a
b = copy.copy(a)
d = copy.deepcopy(a)
print(b.l is a.l, d.l is a.l, d.l, d.me is d)

# --- dataclasses: hashes, frozen bases, recursive repr, factories
from dataclasses import *


def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


@dataclass(unsafe_hash=True)
class U:
    x: int
    y: int = field(default=2, hash=False)


tell(lambda: hash(U(1)) == hash(U(1, 5)) == hash((1,)))


def a():
    @dataclass(order=True, eq=False)
    class P:
        x: int


tell(a)


@dataclass
class Base:
    x: int = 1


@dataclass(frozen=True)
class Ice:
    x: int = 1


def b():
    @dataclass(frozen=True)
    class C(Base):
        y: int = 2


def c():
    @dataclass
    class C(Ice):
        y: int = 2


tell(b)
tell(c)


def d():
    @dataclass(unsafe_hash=True)
    class C:
        x: int

        def __hash__(self):
            return 3

    return hash(C(1))


tell(d)


def d2():
    @dataclass
    class C:
        x: int

        def __hash__(self):
            return 3

    return hash(C(1))


tell(d2)


def d3():
    @dataclass
    class C:
        x: int

        def __eq__(self, o):
            return True

    return hash(C(1))


tell(d3)


def d4():
    @dataclass(frozen=True)
    class C:
        x: int

        def __eq__(self, o):
            return True

    return hash(C(1)) == hash((1,))


tell(d4)


def d5():
    @dataclass(eq=False)
    class C:
        x: int

    return hash(C(1)) != 0


tell(d5)
tell(lambda: hash(Base()))
tell(lambda: hash(Ice()) == hash((1,)))


@dataclass
class Node:
    v: int
    next: object = None


n = Node(1)
n.next = n
print(n)


@dataclass
class M:
    x: int = field(default=1, metadata={"unit": "m"})
    y: Node = field(default_factory=lambda: Node(3))


print(
    fields(M)[0].metadata["unit"],
    asdict(M()),
    astuple(M(), tuple_factory=list),
    asdict(M(), dict_factory=lambda p: sorted(p)),
)
