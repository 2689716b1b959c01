# Generators and with: contextmanager.
# --- with within
class Context:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, e, trace):
        print("exit", self.name, kind and kind.__name__)
        return kind is ValueError


def f():
    with Context("a") as a, Context("b"):
        yield a.name
        yield 2
    yield 3


print(list(f()))
g = f()
next(g)
g.close()
g = f()
next(g)
print(g.throw(ValueError()))
for x in f():
    break
print("after")
# --- contextmanager
from contextlib import contextmanager


@contextmanager
def managed(name, swallow=False):
    """A context."""
    print("enter", name)
    try:
        yield name.upper()
    except ValueError as e:
        print("caught", e)
        if not swallow:
            raise
    finally:
        print("exit", name)


with managed("a") as a:
    print(a)
with managed("b", swallow=True) as b:
    raise ValueError("inside")
print("after b")
try:
    with managed("c") as c:
        raise ValueError("again")
except ValueError as e:
    print("out", e)
try:
    with managed("d"):
        raise KeyError("k")
except KeyError as e:
    print(repr(e))
with managed("e") as e, managed("f") as f:
    print(e, f)
print(managed.__name__, managed.__doc__)
def f():
    with managed("g") as g:
        return g


print(f())
for i in range(3):
    with managed(str(i)):
        if i == 1:
            continue
        if i == 2:
            break
@managed("decorated")
def decorated(x):
    print("body", x)
    return x + 1


print(decorated(1), decorated(2))
@contextmanager
def never():
    if False:
        yield


@contextmanager
def twice():
    yield 1
    yield 2


@contextmanager
def forgiving():
    try:
        yield
    except Exception:
        pass
    yield "too much"


for c in (never, twice, forgiving):
    try:
        with c():
            if c is forgiving:
                raise ValueError
    except RuntimeError as e:
        print(e)
@contextmanager
def stops():
    yield


try:
    with stops():
        raise StopIteration("s")
except StopIteration as e:
    print(repr(e))
@contextmanager
def changes():
    try:
        yield
    except ValueError as e:
        raise TypeError("changed") from e


try:
    with changes():
        raise ValueError("v")
except TypeError as e:
    print(e, repr(e.__cause__))
class Thing:
    @contextmanager
    def opened(self, x):
        self.x = x
        yield self
        self.x = None


t = Thing()
with t.opened(5) as u:
    print(u is t, t.x)
print(t.x)

# --- the type that __exit__ is given
class Mine(Exception):
    pass


class Derived(Mine):
    pass


class Watch:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        print(kind.__name__, type(value).__name__, kind is type(value), kind is Mine, issubclass(kind, Mine), value)
        return True


def fail():
    raise Mine("in a call")


def drawn():
    yield 1
    fail()


class Called:
    def __call__(self):
        fail()


with Watch():
    raise Mine("here")
with Watch():
    raise Mine
with Watch():
    raise Derived("derived")
with Watch():
    fail()
with Watch():
    list(drawn())
with Watch():
    sorted([1, 2], key=lambda x: fail())
with Watch():
    np.vectorize(lambda x: fail())(np.arange(2))
with Watch():
    Called()()
with Watch():
    raise ValueError("built in")
with Watch():
    [][1]
with Watch():
    try:
        raise Mine("first")
    except Mine as e:
        raise Derived("second") from e
