# How generators end: throw, close, unfinished generators, exceptions.
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
for what in (
    1,
    "text",
    int,
    (ValueError("x"), 3),
    (ValueError, KeyError("a value")),
    (LookupError, KeyError("the one")),
):
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
(a,) = [next(f("list"))]
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


# --- a generator held by an object
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


# --- deletion and unbound names
def f():
    x = 1
    yield x
    del x
    yield x


for v in f():
    print(v)


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


# --- StopIteration thrown to one that has not begun (python 3.12)
def f():
    yield 1


g = f()
try:
    g.throw(StopIteration("not begun"))
except (StopIteration, RuntimeError) as e:
    print(repr(e), repr(e.__cause__), list(g))
