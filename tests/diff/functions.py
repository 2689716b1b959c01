# Functions, closures, decorators, generators as expressions.
# --- defaults and keywords
def f(a, b=2, *args, c=3, **kw):
    return a, b, args, c, kw


print(f(1), f(1, 5), f(1, 5, 6, 7), f(1, c=9), f(a=1, b=2, z=3), f(1, *[2, 3], **{"c": 4, "q": 5}))


# --- keyword-only and positional-only
def f(a, /, b, *, c=1):
    return a + b + c


print(f(1, 2), f(1, b=2, c=3))


# --- defaults are evaluated once
def f(x, acc=[]):
    acc.append(x)
    return acc


print(f(1), f(2), f(3, []), f(4))
# --- default captures the value at definition
n = 1


def f(x=n):
    return x


n = 2
print(f(), n)
# --- closures see the variable, not the value
fs = [lambda: i for i in range(3)]
gs = [lambda i=i: i for i in range(3)]
print([f() for f in fs], [g() for g in gs])


# --- nested closures
def outer(a):
    b = a * 2

    def middle(c):
        def inner(d):
            return a, b, c, d

        return inner

    return middle


print(outer(1)(2)(3))


# --- closure over a loop variable of a function
def make():
    out = []
    for i in range(3):

        def f():
            return i

        out.append(f)
    return out


print([f() for f in make()])


# --- recursion
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fact(15), fib(15))


# --- mutual recursion
def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


print(even(50), odd(7))
# --- lambda
add = lambda x, y=1, *a, **k: (x + y, a, k)
print(add(1), add(1, 2, 3, z=4), (lambda: None)(), sorted([3, 1], key=lambda v: -v))


# --- functions are values
def apply(f, *a, **k):
    return f(*a, **k)


print(apply(max, 1, 2), apply(sorted, [2, 1], reverse=True), [g(4) for g in (abs, float, str)], {"f": len}["f"]("abc"))


# --- decorators
def twice(f):
    def g(*a):
        return f(f(*a))

    return g


def tag(name):
    def deco(f):
        return lambda *a: (name, f(*a))

    return deco


@tag("t")
@twice
def inc(x):
    return x + 1


print(inc(1))


# --- return of several values
def stats(a):
    return min(a), max(a), sum(a) / len(a)


lo, hi, mean = stats([1, 2, 6])
print(lo, hi, mean, stats([5]))


# --- no return gives None
def f():
    x = 1


print(f())


# --- early return
def find(a, x):
    for i, v in enumerate(a):
        if v == x:
            return i
    return -1


print(find("abc", "c"), find("abc", "z"))


# --- docstring
def f():
    "Says hello."
    return 1


print(f.__doc__, f.__name__, (lambda: 0).__name__)
# --- local names hide outer ones
x = "outer"


def f():
    x = "inner"
    return x


print(f(), x)
# --- generator expressions
print(
    sum(x * x for x in range(4)),
    max(len(w) for w in ["a", "bcd"]),
    list(x for x in "ab"),
    ",".join(str(i) for i in range(3)),
    any(x > 2 for x in [1, 2, 3]),
)
# --- generator expressions are lazy
seen = []


def look(x):
    seen.append(x)
    return x


print(any(look(x) > 1 for x in range(10)), seen)
# --- generator expression used once
g = (x for x in range(3))
print(list(g), list(g), next((x for x in [5, 6]), None), next((x for x in []), "none"))
# --- iter and next
it = iter([1, 2])
print(next(it), next(it), next(it, "end"))
try:
    next(it)
except StopIteration:
    print("stop")
# --- nested generator expressions
print(sum(sum(y for y in range(x)) for x in range(5)), [sum(r) for r in ((i, j) for i in range(2) for j in range(2))])
# --- map with several sequences stops at the shortest
print(list(map(lambda a, b: a * b, [1, 2, 3], [4, 5])), list(map(str, range(3))))
# --- reduce
from functools import reduce

print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + b, [], 10), reduce(max, [3, 9, 2]))
# --- function composition
from functools import reduce

compose = lambda *fs: reduce(lambda f, g: lambda x: f(g(x)), fs)
print(compose(lambda x: x + 1, lambda x: x * 2)(5))
# --- memo with a dict
memo = {}


def fib(n):
    if n not in memo:
        memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return memo[n]


print(fib(80))


# --- arguments are shared, not copied
def grow(a):
    a.append(len(a))
    a = [0]
    return a


x = []
grow(x)
grow(x)
print(x, grow(x))


# --- star arguments of strings and ranges
def f(*a):
    return a


print(f(*"ab", *range(2)), f(*[], 1), f(*{"k": 1}))


# --- keyword arguments in order
def f(**kw):
    return list(kw.items())


print(f(z=1, a=2, **{"m": 3}))
# --- conditional definitions
if True:

    def g():
        return "yes"

else:

    def g():
        return "no"


print(g())
# --- callable and type of functions
print(callable(print), callable(3), callable(lambda: 0), callable(int))


# --- variables deleted in a function
def f():
    x = 1
    del x
    try:
        return x
    except UnboundLocalError as e:
        return "unbound"


print(f())


# --- numeric integration with a function argument
def simpson(f, a, b, n=100):
    h = (b - a) / n
    s = f(a) + f(b)
    for i in range(1, n):
        s += f(a + i * h) * (4 if i % 2 else 2)
    return s * h / 3


print(f"{simpson(lambda x: x * x, 0, 3):.10f} {simpson(math.sin, 0, math.pi):.6f}")


# --- newton with a closure
def solver(f, df):
    def solve(x, n=20):
        for _ in range(n):
            x -= f(x) / df(x)
        return x

    return solve


print(f"{solver(lambda x: x ** 3 - 2, lambda x: 3 * x * x)(1.0):.9f}")
# --- tower of hanoi
moves = []


def hanoi(n, a, b, c):
    if n:
        hanoi(n - 1, a, c, b)
        moves.append(a + b)
        hanoi(n - 1, c, b, a)


hanoi(3, "A", "B", "C")
print(len(moves), " ".join(moves))
