# Generator functions: yield in all its forms, and what generators are used with.
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
# --- all that takes iterables
def squares(n):
    for i in range(n):
        yield i * i


print(sum(squares(5)), min(squares(5)), max(squares(5)), sorted(squares(5), reverse=True), list(squares(3)), tuple(squares(3)), set(squares(3)))
print(dict(zip("abc", squares(3))), dict((k, k + 1) for k in squares(3)), list(map(str, squares(3))), list(filter(None, squares(3))), any(squares(3)), all(squares(3)))
print(list(enumerate(squares(3))), list(zip(squares(3), squares(4))), 4 in squares(10), 5 in squares(10), ",".join(str(x) for x in squares(4)), [*squares(3), *squares(2)], {*squares(3)})
a, b, *rest = squares(6)
print(a, b, rest, (lambda *args: args)(*squares(3)), list(reversed(list(squares(3)))), bytes(squares(4)), np.array(list(squares(4))), np.fromiter(squares(4), dtype=float))
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
# --- what a generator returns
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
# --- yield from what is no iterable
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
# --- send through yield from to what has no send
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
# --- throw
def f():
    while True:
        try:
            x = yield 1
        except ValueError as e:
            print("caught", e, type(e).__name__)


g = f()
next(g)
print(g.throw(ValueError("a")), g.throw(ValueError), g.throw(ValueError, ValueError("b")))
try:
    g.throw(KeyError("k"))
except KeyError as e:
    print(repr(e), list(g))
g = f()
try:
    g.throw(IndexError("not begun"))
except IndexError as e:
    print(e, list(g))
def keeps(x):
    try:
        x = yield x
    except ValueError:
        x, y = [x], x
        try:
            x = yield from [y, y]
        finally:
            print("still", x)


g = keeps(5)
print(next(g), g.throw(ValueError), next(g))
g.close()
for what in (1, "text", int, (ValueError("x"), 3), (ValueError, KeyError("a value")), (LookupError, KeyError("the one"))):
    try:
        f().throw(*what) if isinstance(what, tuple) else f().throw(what)
    except (TypeError, ValueError, LookupError) as e:
        print(repr(e))
try:
    g.throw(ValueError("over"))
except ValueError as e:
    print(e)
def once():
    try:
        yield 1
    except ValueError:
        pass


g = once()
next(g)
try:
    g.throw(ValueError())
except StopIteration as e:
    print("stopped", e.value)
class Mine(Exception):
    pass


g = once()
next(g)
try:
    g.throw(Mine("m"))
except Mine as e:
    print("mine", e)
# --- close
def f():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        print("exit")
        raise
    finally:
        print("finally")


g = f()
print(next(g), g.close(), g.close(), list(g))
f().close()
def g1():
    try:
        yield 1
    except GeneratorExit:
        return 5


g = g1()
next(g)
print(g.close())
def g2():
    try:
        yield 1
    finally:
        raise KeyError("in finally")


g = g2()
next(g)
try:
    g.close()
except KeyError as e:
    print(repr(e))
def g3():
    while True:
        try:
            yield 1
        except GeneratorExit:
            print("refused")
            yield 2
            return


g = g3()
next(g)
try:
    g.close()
except RuntimeError as e:
    print(e)
print(list(g))
print(isinstance(GeneratorExit(), Exception), isinstance(GeneratorExit(), BaseException))
# --- close through yield from
def inner():
    try:
        yield 1
    except GeneratorExit:
        print("inner")
        return "value"


def outer():
    try:
        x = yield from inner()
        print("never", x)
        yield 3
    finally:
        print("outer")


g = outer()
next(g)
g.close()
g = outer()
next(g)
try:
    print(g.throw(GeneratorExit()))
except GeneratorExit:
    print("out")
def bad():
    try:
        yield 1
    finally:
        raise KeyError("bad")


def around():
    try:
        yield from bad()
    except KeyError as e:
        print("around", e)


g = around()
next(g)
g.close()
# --- StopIteration inside
def f():
    yield 1
    raise StopIteration("early")


try:
    print(list(f()))
except RuntimeError as e:
    print(e, repr(e.__cause__))
def g():
    yield next(iter([]))


for h in (g(), (next(iter([])) for x in [1])):
    try:
        next(h)
    except RuntimeError as e:
        print(e, repr(e.__cause__), next(h, "over"))
def through():
    yield from f()


list(through())
# --- one that is running
def f():
    yield next(g)


g = f()
try:
    next(g)
except ValueError as e:
    print(e, next(g, "over"))
def f():
    for x in g:
        yield x


g = f()
try:
    list(g)
except ValueError as e:
    print(e)
def f():
    for n in range(2):
        for act in (g.throw, g.send, lambda _: g.close()):
            try:
                act(KeyError)
            except ValueError as e:
                print(n, e)
        yield n


g = f()
print(list(g))
def f():
    g.close()
    yield


g = f()
next(g)
# --- errors inside
def f(x):
    yield 1
    yield 1 / x


g = f(0)
print(next(g))
try:
    next(g)
except ZeroDivisionError as e:
    print(e, next(g, "over"))
for x in f(0):
    print(x)
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
print(list(t), sum(t), max(t), 5 in t, 7 in t, list(t.depths()), [s.value for s in t.both], [list(m) for m in Tree.made(1, 2)], list(Tree.pairs(3)))
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
# --- recursion
def permutations(items):
    if len(items) <= 1:
        yield items
    else:
        for i in range(len(items)):
            for p in permutations(items[:i] + items[i + 1:]):
                yield [items[i]] + p


print(list(permutations([1, 2, 3])))
def hanoi(n, a="A", b="B", c="C"):
    if n:
        yield from hanoi(n - 1, a, c, b)
        yield a + c
        yield from hanoi(n - 1, b, a, c)


print(" ".join(hanoi(3)), len(list(hanoi(8))))
def flatten(x):
    if isinstance(x, list):
        for y in x:
            yield from flatten(y)
    else:
        yield x


print(list(flatten([1, [2, [3, [4, []], 5]], [[[6]]]])))
def deep(n):
    if n:
        yield from deep(n - 1)
    yield n


print(sum(deep(300)))
def loops(n):
    if n:
        for x in loops(n - 1):
            yield x
    yield n


print(sum(loops(300)))
try:
    list(deep(100000))
except RecursionError as e:
    print("RecursionError")
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
# --- try and finally within
def f():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            yield i
        finally:
            print("finally", i)
    else:
        print("else")
    try:
        yield "a"
        1 / 0
    except ZeroDivisionError as e:
        yield "caught"
        print(e)
        yield "still"
    else:
        yield "else"
    finally:
        yield "in finally"
    try:
        return "returned"
    finally:
        yield "on the way out"


g = f()
for x in g:
    print(x)
def g():
    r = yield from f()
    print(r)


list(g())
def reraise():
    try:
        raise KeyError(1)
    except KeyError:
        yield "inside"
        raise


try:
    for x in reraise():
        print(x)
except KeyError as e:
    print(repr(e))
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
# --- left unfinished
def f(name):
    try:
        yield 1
        yield 2
    finally:
        print("end of", name)


for x in f("a"):
    break
print("after a")
g = f("b")
next(g)
del g
print("after b")
g = f("c")
next(g)
g = None
print("after c")
next(f("d"))
print("after d")
print(next(f("e")), "in a call")
def local():
    g = f("f")
    next(g)
    print("leaving")


local()
print("after f")
l = [f("g"), f("h")]
for g in l:
    next(g)
del g
l.clear()
print("after h")
d = {1: f("i")}
next(d[1])
d[1] = None
print("after i")
f("not begun")
def outer():
    yield from f("inner")


g = outer()
next(g)
del g
print("after inner")
def loops():
    for x in f("looped over"):
        yield x


g = loops()
next(g)
del g
print("after looped over")
try:
    for x in f("error"):
        raise KeyError(x)
except KeyError as e:
    print(repr(e))
print([x for x, y in zip(f("zip"), [1])])
print(any(x == 1 for x in f("any")))
a, = [next(f("list"))]
print("end")
# --- left in each other
def f(name, other=None):
    try:
        yield 1
    finally:
        print("end of", name, other and type(other).__name__)


a = f("a")
next(a)
b = f("b", a)
next(b)
del a
print("a is held")
del b
print("both are gone")
def inner(name, more=()):
    try:
        yield from more
        yield name
    finally:
        print("inner", name)


def outer(n):
    try:
        for x in inner("over " + str(n)):
            yield x
    finally:
        next(inner("at the end of " + str(n), outer(n - 1) if n else ()))
        print("outer", n)


several = [outer(n) for n in range(3)]
for g in several:
    next(g)
del g
several = None
# --- kept by an object
class Keeper:
    def __init__(self):
        self.g = self.run()
        next(self.g)

    def run(self):
        try:
            yield 1
            yield 2
        finally:
            print("run ends")


k = Keeper()
print(next(k.g), next(k.g, "over"))
del k
# --- many left at once
ended = 0
def f():
    global ended
    try:
        yield 1
    finally:
        ended += 1


def many(n):
    l = [f() for i in range(n)]
    for g in l:
        next(g)
    return l


many(50000)
print(ended)
kept = many(50000)
# --- left where an element is set
def f(n):
    try:
        yield n
    finally:
        print("ended", n)


def left():
    g = f(1)
    next(g)
    g = [g]
    g[0] = 1
    print("and on")
    h = f(2)
    next(h)
    l = [None, h]
    del h
    l[1], k = None, l
    print("and on")


left()
# --- without end, by itertools
import itertools as it


def naturals(n=0):
    while True:
        yield n
        n += 1


print(list(it.islice(naturals(), 5)), list(it.takewhile(lambda x: x < 4, naturals())), list(it.islice(it.dropwhile(lambda x: x < 7, naturals()), 2)))
print(list(it.islice(it.chain(naturals(8)), 3)), list(it.islice(it.zip_longest(naturals(), [1]), 3)), list(zip(naturals(), "abc")), list(it.islice(map(lambda x: x * x, naturals()), 4)))
print(list(it.islice(filter(lambda x: x % 3 == 0, naturals()), 4)), list(it.islice(it.accumulate(naturals()), 5)), list(it.islice(it.starmap(pow, zip(naturals(), it.repeat(2))), 4)))
a, b = it.tee(naturals())
print(next(a), next(a), next(b), list(it.compress(it.islice(naturals(), 5), [1, 0, 1, 0, 1])), list(it.islice(it.cycle(it.islice(naturals(), 3)), 7)))
print([(k, list(v)) for k, v in it.groupby(it.islice(naturals(), 6), key=lambda x: x // 2)], list(it.islice(it.batched(naturals(), 2), 2)) if hasattr(it, "batched") else [(0, 1), (2, 3)])
def primes():
    seen = []
    for n in naturals(2):
        if all(n % p for p in seen):
            seen.append(n)
            yield n


print(list(it.islice(primes(), 10)), next(p for p in primes() if p > 50))
def sieve(numbers):
    p = next(numbers)
    yield p
    yield from sieve(n for n in numbers if n % p)


print(list(it.islice(sieve(naturals(2)), 8)))
def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


print(list(it.islice(fibonacci(), 12)), max(it.takewhile(lambda x: x < 1000, fibonacci())))
# --- a pipeline
def lines(text):
    for line in text.splitlines():
        yield line


def fields(rows):
    for row in rows:
        yield row.split(",")


def numbers(rows):
    for row in rows:
        try:
            yield [float(x) for x in row]
        except ValueError:
            continue


text = "a,b\n1,2\n3,4\nx,5\n6,7"
print(list(numbers(fields(lines(text)))), np.array(list(numbers(fields(lines(text))))).sum(axis=0))
def chunks(l, n):
    for i in range(0, len(l), n):
        yield l[i:i + n]


print(list(chunks(list(range(7)), 3)), [c.sum() for c in chunks(np.arange(7), 3)])
# --- coroutines that receive
def coroutine(f):
    def start(*args, **kw):
        c = f(*args, **kw)
        next(c)
        return c
    return start


@coroutine
def printer(prefix):
    try:
        while True:
            print(prefix, (yield))
    except GeneratorExit:
        print("closed")


@coroutine
def grep(pattern, target):
    while True:
        line = yield
        if pattern in line:
            target.send(line)


p = printer(">")
g = grep("x", p)
for line in ("abc", "xyz", "x"):
    g.send(line)
p.close()
# --- a scheduler
from collections import deque


def task(name, n):
    for i in range(n):
        print(name, i)
        yield
    return name


ready = deque([task("a", 2), task("b", 3), task("c", 1)])
while ready:
    t = ready.popleft()
    try:
        next(t)
        ready.append(t)
    except StopIteration as e:
        print(e.value, "is done")
# --- what generators are
def f():
    """Gives one."""
    yield 1


g = f()
print(type(g), type(g).__name__, repr(g).split(" at ")[0], type(g) is type(x for x in []), isinstance(g, type(f())), iter(g) is g, g.__iter__() is g, callable(g))
print(g.__name__, g.__qualname__, f.__doc__, hasattr(g, "send"), hasattr(g, "__next__"), hasattr(g, "__len__"), hasattr([], "send"), g == g, g != f(), hash(g) == hash(g), bool(g))
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
    print(d, b, f"{(yield 7)}", [(yield 8)][0], (yield 9) if (yield 10) else (yield 11), not (yield 12), (yield 13) and (yield 14))
    while (yield "again"):
        pass
    assert (yield 15), (yield 16)
    if (yield 17):
        yield
    del d[(yield "key")]
    print(len((yield 18)), (yield 19)[0], max((yield 20), (yield 21), key=(yield 22)))
    return (yield 23)


g = f(0)
sent = [None, 1, 2, 3, 10, 20, 100, 200, 300, "seven", "eight", 0, "eleven", True, 1, 14, 0, True, False, "k", "text", [5], 3, -4, abs, "last"]
try:
    for s in sent:
        print(repr(g.send(s)))
except StopIteration as e:
    print("returned", e.value)
# --- deletion and unbound names
def f():
    x = 1
    yield x
    del x
    yield x


for v in f():
    print(v)
# --- arrays
def steps(u, n):
    for _ in range(n):
        u = u * 2 + 1
        yield u


for i, u in enumerate(steps(np.arange(3), 4)):
    print(i, u)
def shared(n):
    a = np.zeros(3)
    for i in range(n):
        a[i] = i + 1
        yield a


print([u.copy() for u in shared(3)], list(shared(2)))
print(sum(steps(np.ones((2, 2)), 3)), np.stack(list(steps(np.ones(2), 2))), max(u.sum() for u in steps(np.arange(4.0), 3)))
def batches(data, size):
    order = np.argsort(-data)
    for start in range(0, len(data), size):
        yield data[order[start:start + size]]


for b in batches(np.array([3.0, 1.0, 2.0, 5.0, 4.0]), 2):
    print(b, b.mean())
def newton(x, a):
    while True:
        x = (x + a / x) / 2
        yield x


for x in newton(1.0, 2.0):
    if abs(x * x - 2) < 1e-12:
        break
print(round(x, 12))
# --- iterators have methods too
it = iter([1, 2, 3])
print(it.__next__(), next(it), it.__iter__() is it, list(it), [hasattr(x, "__next__") for x in (iter(""), zip(), map(str, []), enumerate([]))])
step = iter("ab").__next__
print(step(), step())
step()
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
# --- a generator across an error that is handled by its user
def f():
    for i in range(4):
        yield i


g = f()
for x in g:
    try:
        if x == 1:
            raise ValueError(x)
        print("fine", x)
    except ValueError as e:
        print("error", e, next(g))
# --- an exception handled within while another is handled outside
def f():
    try:
        yield 1
    except ValueError:
        yield 2
        raise
    yield 3


try:
    raise KeyError("outer")
except KeyError:
    g = f()
    next(g)
    print(g.throw(ValueError("inner")))
    try:
        next(g)
    except ValueError as e:
        print("raised", e)
try:
    raise
except RuntimeError as e:
    print(e)
# --- sorting, merging and grouping by generators
import heapq


def runs(data, n):
    for i in range(0, len(data), n):
        yield sorted(data[i:i + n])


print(list(heapq.merge(*runs([5, 2, 9, 1, 7, 3, 8], 3))), sorted(x for r in runs([3, 1, 2], 2) for x in r))
def pairwise(items):
    items = iter(items)
    try:
        a = next(items)
    except StopIteration:
        return
    for b in items:
        yield a, b
        a = b


print(list(pairwise("abcd")), list(pairwise([])), list(pairwise([1])))
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

# --- StopIteration thrown to one that has not begun (python 3.12)
def f():
    yield 1
g = f()
try:
    g.throw(StopIteration("not begun"))
except (StopIteration, RuntimeError) as e:
    print(repr(e), repr(e.__cause__), list(g))
