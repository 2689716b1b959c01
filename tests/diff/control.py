# Statements.
# --- if elif else
for x in (-1, 0, 1):
    if x < 0:
        print("neg")
    elif x == 0:
        print("zero")
    else:
        print("pos")
# --- while with else
n = 3
while n:
    n -= 1
else:
    print("done", n)
# --- while with break skips else
n = 3
while n:
    n -= 1
    if n == 1:
        break
else:
    print("not printed")
print(n)
# --- for with else and continue
for i in range(5):
    if i % 2:
        continue
    print(i, end=" ")
else:
    print("end")
# --- the variable of a for statement after the loop
for i in range(3):
    pass
print(i)
# --- for over an empty sequence
for i in []:
    print("never")
else:
    print("else runs")
# --- nested loops and break
for i in range(3):
    for j in range(3):
        if j == i:
            break
        print(i, j)
# --- unpacking in for
for a, (b, *c) in [(1, (2, 3, 4)), (5, (6,))]:
    print(a, b, c)
# --- one line suites
if True: print("a"); print("b")
for i in range(2): print(i, end=","); print("x")
while False: pass
# --- semicolons and continuation
x = 1; y = 2; z = x + \
    y
w = (x +
     y +
     z)
print(x, y, z, w)
# --- pass and ellipsis
def f():
    ...
def g():
    pass
print(f(), g(), ..., Ellipsis)
# --- conditional expression
print("a" if 1 else "b", [("even" if i % 2 == 0 else "odd") for i in range(3)], 1 if 0 else 2 if 0 else 3)
# --- try except else finally
def f(x):
    try:
        print("try", end=" ")
        y = 1 / x
    except ZeroDivisionError as e:
        print("except", e, end=" ")
        return "r"
    else:
        print("else", y, end=" ")
    finally:
        print("finally", end=" ")
    return "end"
print(f(1))
print(f(0))
# --- finally overrides
def f():
    try:
        return 1
    finally:
        print("cleanup")
def g():
    for i in range(3):
        try:
            continue
        finally:
            print("f", i)
    while True:
        try:
            break
        finally:
            print("left")
print(f(), g())
# --- except by parent and by tuple
for e in (KeyError("k"), IndexError("i"), ValueError("v"), TypeError("t")):
    try:
        raise e
    except LookupError as x:
        print("lookup", type(x).__name__, x.args)
    except (ValueError, TypeError) as x:
        print("value or type", x)
# --- bare except and re-raise
try:
    try:
        [][1]
    except:
        print("caught")
        raise
except IndexError as e:
    print("again:", e)
# --- the name of an exception is deleted after the handler
try:
    1 / 0
except ZeroDivisionError as err:
    pass
try:
    err
except NameError as x:
    print(x)
# --- raise from a function, caught outside
def deep(n):
    if n == 0:
        raise ValueError("bottom")
    deep(n - 1)
try:
    deep(5)
except ValueError as e:
    print(repr(e), str(e), e.args)
# --- raise a class, and with several arguments
for make in (lambda: ValueError, lambda: ValueError(), lambda: ValueError(1, "two"), lambda: KeyError("a b")):
    try:
        raise make()
    except Exception as e:
        print(repr(e), str(e), e.args)
# --- assert
try:
    assert 1 == 2, "not equal"
except AssertionError as e:
    print("assertion:", e)
try:
    assert []
except AssertionError as e:
    print(repr(e))
assert True, "fine"
# --- raise from
try:
    try:
        {}["x"]
    except KeyError as e:
        raise RuntimeError("outer") from e
except RuntimeError as e:
    print(e)
# --- global and nonlocal
count = 0
def bump():
    global count
    count += 1
    def inner():
        nonlocal_test = 1
        return nonlocal_test
    return inner()
bump(); bump()
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
c, d = counter(), counter()
print(count, c(), c(), d(), c())
# --- del
x = [1, 2, 3]
y = x
del x
try:
    x
except NameError as e:
    print(e, y)
# --- annotated assignment
x: int = 5
y: "anything"
def f(a: int, b: float = 2.0) -> float:
    return a * b
print(x, f(3))
# --- chained comparison evaluates once
calls = []
def v(x):
    calls.append(x)
    return x
print(v(1) < v(3) < v(2) < v(9), calls)
# --- order of evaluation
log = []
def n(x):
    log.append(x)
    return x
d = {n(1): n(2), n(3): n(4)}
[n(5), n(6)][n(0)]
(n(7) + n(8)) * n(9)
print(log)
# --- short circuit
def boom():
    raise RuntimeError("must not run")
print(False and boom(), True or boom(), 1 if True else boom(), all(x < 1 for x in [0, 2, 3]))
# --- truth values
for x in (0, 1, 0.0, -0.5, "", "a", [], [0], (), (0,), {}, {1: 1}, None, set(), range(0), 0j, True):
    print(1 if x else 0, end="")
print()
# --- with open is a context
import time
t = time.perf_counter()
print(time.perf_counter() >= t, time.time() > 1e9)
# --- match like chains of elif
def kind(x):
    if x is None: return "none"
    elif isinstance(x, bool): return "bool"
    elif isinstance(x, (int, float)): return "number"
    elif isinstance(x, str): return "text"
    return "other"
print([kind(x) for x in (None, True, 1, 2.5, "s", [])])
# --- comments and blank lines

x = 1  # trailing

# a comment

def f():
    # first

    return x   # last

print(f())
# --- deep indentation
def f(a):
        if a:
            for i in range(2):
              while i:
                  if i > 0:
                     return "deep"
                  i -= 1
        return "shallow"
print(f(1), f(0))
# --- long expression over lines
total = (
    1 +
    2 * (3 +
         4)
    - [5,
       6][0]
)
text = ("one "
        "two")
print(total, text, {
    "a": 1,
    # inside
    "b": [2,
          3],
})
# --- the item of an augmented assignment is read before its value is evaluated
import numpy as np
items, counts, row = [1, 2], {"a": 1}, np.array([1.0, 2.0, 3.0])
def change(to):
    items[0] = counts["a"] = row[0] = row[1] = to
    return 5
class Changes:
    def change(self): return change(40)
items[0] += change(10)
print(items)
counts["a"] += change(20)
print(counts)
row[0] += change(30)
print(row.tolist())
row[[0, 1]] *= Changes().change()
print(row.tolist())
row[:2] -= change(50)
print(row.tolist())
row[1] += sum(change(60) for _ in range(2)) + np.sin(0)
print(row.tolist())
row[0] += (lambda: change(70))()
print(row.tolist())
def missing():
    print("not called")
    return 1
def adds():
    try: counts["b"] += missing()
    except KeyError as e: print(e)
    try: items[9] += missing()
    except IndexError as e: print(e)
    try: row[9] += missing()
    except IndexError as e: print(e)
adds()
def visits(n, seen={"n": 0}):
    if n: seen["n"] += visits(n - 1) + 1
    return seen["n"]
print(visits(5))
