# Generator functions: all forms of yield, and consumers of generators.
# --- values one by one
def count(n):
    print("begins")
    i = 0
    while i < n:
        yield i
        i += 1
    print("ends")


g = count(3)
print("made")
print(next(g), next(g))
for x in g:
    print(x)
print(next(g, "none"), list(g), list(count(2)), [x * x for x in count(3)])
try:
    next(g)
except StopIteration as e:
    print(repr(e), e.value, e.args)


# --- consumers of iterables
def squares(n):
    for i in range(n):
        yield i * i


print(
    sum(squares(5)),
    min(squares(5)),
    max(squares(5)),
    sorted(squares(5), reverse=True),
    list(squares(3)),
    tuple(squares(3)),
    set(squares(3)),
)
print(
    dict(zip("abc", squares(3))),
    dict((k, k + 1) for k in squares(3)),
    list(map(str, squares(3))),
    list(filter(None, squares(3))),
    any(squares(3)),
    all(squares(3)),
)
print(
    list(enumerate(squares(3))),
    list(zip(squares(3), squares(4))),
    4 in squares(10),
    5 in squares(10),
    ",".join(str(x) for x in squares(4)),
    [*squares(3), *squares(2)],
    {*squares(3)},
)
a, b, *rest = squares(6)
print(
    a,
    b,
    rest,
    (lambda *args: args)(*squares(3)),
    list(reversed(list(squares(3)))),
    bytes(squares(4)),
    np.array(list(squares(4))),
    np.fromiter(squares(4), dtype=float),
)
first, second = squares(2)
print(first, second)
x, y = squares(3)


# --- sent values
def average():
    total = n = 0
    mean = None
    while True:
        x = yield mean
        total += x
        n += 1
        mean = total / n


a = average()
print(next(a), a.send(10), a.send(20), a.send(60))


def log():
    while True:
        print("got", (yield), "and", (yield 5))


l = log()
print(l.send(None), l.send(1), l.send(2), next(l))


def unsent():
    x = yield 1
    print(x)
    y = 10 + (yield 2)
    print(y)
    z = [(yield 3), (yield 4), {(yield 5): (yield 6)}]
    print(z)
    return z


u = unsent()
print(next(u), next(u), u.send(5), u.send("a"), u.send("b"), u.send("key"), u.send("value") if False else "more")


# --- send to one that has not begun
def f():
    yield 1


f().send(3)


# --- send to one that has ended
def f():
    yield 1


g = f()
list(g)
try:
    g.send(3)
except StopIteration as e:
    print("over", e.value)
print(g.send.__name__, next(g, 7))
g.send()


# --- the return value of a generator
def f():
    yield 1
    return "result"


g = f()
next(g)
try:
    next(g)
except StopIteration as e:
    print(e.value, repr(e), str(e))
try:
    next(g)
except StopIteration as e:
    print(e.value, repr(e))


def empty():
    return 3
    yield


try:
    next(empty())
except StopIteration as e:
    print(e.value)


def tuples():
    yield
    return (1, 2)


t = tuples()
print(t.send(None))
try:
    t.send(1)
except StopIteration as e:
    print(e.value, e.args)


def ends(n):
    yield n
    return n


g = ends(3)
print(list(g))
for again in range(2):
    try:
        next(g)
    except StopIteration as e:
        print(e.value)


# --- yield from
def inner(n):
    for i in range(n):
        x = yield i
        if x is not None:
            print("inner got", x)
    return "end of", n


def outer():
    a = yield from inner(2)
    print(a)
    b = yield from [10, 20]
    print(b)
    c = yield from "xy"
    d = yield from np.arange(2)
    yield from {5: 6}
    yield from ()
    return (yield from inner(1))


o = outer()
print([next(o), o.send("hello"), next(o)])
print(list(o))


def result():
    r = yield from outer()
    print("result", r)


print(list(result()))


# --- yield from of a value that is not iterable
def f():
    yield 1
    yield from 3


for x in f():
    print(x)


# --- yield from an object that is its own iterator
class Down:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration("zero")
        self.n -= 1
        return self.n

    def send(self, value):
        print("sent", value)
        return -value

    def throw(self, e):
        print("thrown", repr(e))
        if isinstance(e, KeyError):
            raise StopIteration("key")
        if isinstance(e, ValueError):
            return "value"
        raise e

    def close(self):
        print("closed")


def f():
    r = yield from Down(3)
    print("r is", r)
    yield "last"


print(list(f()))
g = f()
print(next(g), g.send(5), next(g), g.throw(ValueError("v")), g.throw(KeyError("k")))
g = f()
next(g)
g.close()
g = f()
next(g)
try:
    g.throw(TypeError("t"))
except TypeError as e:
    print(repr(e))
print(list(g))


# --- send through yield from to an iterator without send
def f():
    yield from [1, 2]


g = f()
next(g)
g.send(3)


# --- a chain of delegation
def a():
    try:
        x = yield 1
        print("a got", x)
        yield 2
    except ValueError as e:
        print("a caught", e)
        yield "handled"
    finally:
        print("a ends")
    return "from a"


def b():
    try:
        r = yield from a()
        print("b has", r)
    finally:
        print("b ends")


def c():
    yield from b()
    yield "c"


g = c()
print(next(g), g.send(7), g.throw(ValueError("x")), next(g), next(g, "over"))
g = c()
next(g)
try:
    g.throw(KeyError("k"))
except KeyError as e:
    print(repr(e))
g = c()
next(g)
g.close()
print(list(g))


# --- methods
class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right

    def depths(self, n=0):
        for side in (self.left, self.right):
            if side is not None:
                yield from side.depths(n + 1)
        yield self.value, n

    @property
    def both(self):
        yield self.left
        yield self.right

    @classmethod
    def made(cls, *values):
        for v in values:
            yield cls(v)

    @staticmethod
    def pairs(x):
        yield x, x


t = Tree(4, Tree(2, Tree(1), Tree(3)), Tree(6, Tree(5)))
print(
    list(t),
    sum(t),
    max(t),
    5 in t,
    7 in t,
    list(t.depths()),
    [s.value for s in t.both],
    [list(m) for m in Tree.made(1, 2)],
    list(Tree.pairs(3)),
)
a, *b = t
print(a, b, repr(t.depths()).split(" at ")[0], repr(iter(t)).split(" at ")[0], t.depths().__name__)


class Window:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for x in self.items:
            yield x

    def __next__(self):
        return 1

    def __getitem__(self, k):
        yield k

    def __call__(self, n):
        yield from range(n)

    def __contains__(self, x):
        return True


w = Window("abc")
print(list(w), list(w), list(w[5]), list(w(3)), dict(enumerate(w)))


# --- __init__ that yields
class A:
    def __init__(self):
        yield 1


A()


# --- closures and nonlocals
def counter():
    n = 0

    def gen():
        nonlocal n
        while n < 5:
            n += 1
            yield n

    return gen, lambda: n


gen, get = counter()
a, b = gen(), gen()
print(next(a), next(b), get(), next(a), get(), list(b), list(a))


def outer(x):
    def inner():
        yield x
        yield y

    y = 10
    return inner()


print(list(outer(3)))


def captured(x, *args, k=2, **kw):
    f = lambda: x
    for a in args:
        x += a
        yield f(), k, kw
    del x


print(list(captured(1, 2, 3, z=4)))
fs = []


def late():
    for i in range(3):
        fs.append(lambda: i)
        yield i


print(list(late()), [f() for f in fs])


def names():
    global counted
    counted = 0
    for counted in range(3):
        yield counted


print(list(names()), counted)


# --- parameters of all kinds
def f(a, b=2, /, c=3, *args, d, e=5, **kw):
    yield a, b, c, args, d, e, kw


print(list(f(1, d=4)), list(f(1, 2, 3, 4, 5, d=6, z=7)), list(f(*[1, 2], **{"d": 3})))
f(1)
# --- lambdas that yield
f = lambda n: (yield n) or (yield n + 1)
print(list(f(1)))
g = f(5)
print(next(g), next(g, 0), next(g, "over"))
h = lambda: (yield from range(3))
print(list(h()))


# --- the type of generators
def f():
    """Gives one."""
    yield 1


g = f()
print(
    type(g),
    type(g).__name__,
    repr(g).split(" at ")[0],
    type(g) is type(x for x in []),
    isinstance(g, type(f())),
    iter(g) is g,
    g.__iter__() is g,
    callable(g),
)
print(
    g.__name__,
    g.__qualname__,
    f.__doc__,
    hasattr(g, "send"),
    hasattr(g, "__next__"),
    hasattr(g, "__len__"),
    hasattr([], "send"),
    g == g,
    g != f(),
    hash(g) == hash(g),
    bool(g),
)
print(g.gi_running, g.gi_suspended, g.__next__(), g.gi_suspended, g.gi_yieldfrom, list(g), g.gi_suspended)


def outer():
    yield from g2


g2 = f()
o = outer()
next(o)
print(o.gi_yieldfrom is g2)
for bad in (lambda: len(g), lambda: g[0], lambda: g + 1, lambda: type(g)(), lambda: g.nothing, lambda: g()):
    try:
        bad()
    except (TypeError, AttributeError) as e:
        print(type(e).__name__, e)
print(sorted(n for n in dir(g) if n[0] != "_" and n not in ("gi_code", "gi_frame")))


# --- yields as expressions
def f(x):
    y = yield x if x else -x
    print("y", y)
    z = (yield), (yield 2)
    print("z", z)
    a = yield 1, 2
    a += yield 3
    print("a", a)
    d = {}
    d["k"] = yield 4
    d["k"] += yield 5
    b: int = yield 6
    print(
        d,
        b,
        f"{(yield 7)}",
        [(yield 8)][0],
        (yield 9) if (yield 10) else (yield 11),
        not (yield 12),
        (yield 13) and (yield 14),
    )
    while (yield "again"):
        pass
    assert (yield 15), (yield 16)
    if (yield 17):
        yield
    del d[(yield "key")]
    print(len((yield 18)), (yield 19)[0], max((yield 20), (yield 21), key=(yield 22)))
    return (yield 23)


g = f(0)
sent = [
    None,
    1,
    2,
    3,
    10,
    20,
    100,
    200,
    300,
    "seven",
    "eight",
    0,
    "eleven",
    True,
    1,
    14,
    0,
    True,
    False,
    "k",
    "text",
    [5],
    3,
    -4,
    abs,
    "last",
]
try:
    for s in sent:
        print(repr(g.send(s)))
except StopIteration as e:
    print("returned", e.value)
# --- iterators have methods too
it = iter([1, 2, 3])
print(
    it.__next__(),
    next(it),
    it.__iter__() is it,
    list(it),
    [hasattr(x, "__next__") for x in (iter(""), zip(), map(str, []), enumerate([]))],
)
step = iter("ab").__next__
print(step(), step())
step()
# --- yield outside of a function
try:
    compile
except NameError:
    pass


def f():
    class A:
        x = [i for i in range(3)]

    yield A.x


print(list(f()))
