# exec, globals and locals; attributes of modules; redirected streams.
# --- exec at the top level
exec("a = 3\ndef f(x): return x + a")
print(a, f(1))
a = 10
print(f(1))
exec("for i in range(2):\n    print(i)\nclass A:\n    def m(self): return helper()\ndef helper(): return 'ok'")
print(A().m(), i)
exec("import math\nprint(math.floor(2.5))")

# --- exec with a dict, whose items are the globals of its functions
names = {'k': 3}
exec("x = k\ndef g(): return x\ndef h():\n    global x\n    x = 77", names)
print(names['x'], names['g'](), sorted(k for k in names if k != '__builtins__'))
names['x'] = 5
print(names['g']())
names['h']()
print(names['x'], names['g'](), names.get('x'), 'x' in names)
exec("y = x + 1\ndel k", names)
print(names['y'], 'k' in names)
g = names['g']
names.update(x=6)
print(g(), names.pop('x'))
try:
    g()
except NameError as e:
    print(e)
del names
names = {}
try:
    exec("k = 4\nraise ValueError('x')", names)
except ValueError as e:
    print(names['k'], e)

# --- exec with locals
g, l = {'v': 1, 'w': 2}, {}
exec("t = v + w\nv = 1\nu = len('abc')", g, l)
print(g['v'], sorted(l.items()))
exec("t += v", g, l)
print(l['t'])
def f(p):
    q = 2
    exec("r = p + q; print(r)")
    exec("q = 100")
    d = {}
    exec("z = p * q\np = 5", {'p': p, 'q': q}, d)
    return q, sorted(d.items())
print(f(5))
def f():
    a = b = 1
    return sorted(vars())
print(f())

# --- views of exec's dict are live
g = {}
exec("x = 1\ndef f():\n    global z\n    z = 3\ndef inc():\n    global n\n    n += 1", g)
g.pop("__builtins__", None)
print(len(g), list(g), bool(g))
items, keys = g.items(), g.keys()
g["f"]()
print(len(g), sorted(keys), [v for k, v in items if k == "z"], 3 in g.values(), dict(g)["z"], g.copy()["z"], {**g}["z"])
g["n"] = 0
for i in range(5):
    g["inc"]()
print(g["n"], dict(g)["n"], [v for k, v in g.items() if k == "n"], f"{g}".count("'n': 5"), "%(n)s" % g, "{n}".format(**g))
exec("del x\nn = 6", g)
g.pop("__builtins__", None)
print("x" in g, list(g), max(g), g == {**g, "n": 6}, {**g, "n": 7} == g, g | {"n": 8} == {**g, "n": 8})
exec("last = 1", g)
g.pop("__builtins__", None)
print(list(reversed(g))[0], g.popitem(), "last" in g)
it = iter(g)
g["inc"]()
print(len(list(it)), next(iter(g.items()))[0])
exec("another = 1", g)
try:
    for k in g:
        exec(f"new_{k} = 1", g)
except RuntimeError as e:
    print(e)
g.clear()
print(g, len(g))

# --- names within exec with globals and locals
g, l = {"a": 1}, {}
exec("b = 5\nprint(sorted(locals()), sorted(k for k in globals() if k[0] != '_'))", g, l)
print(l, "b" in g)

# --- modules of exec end with their dict
def names(i):
    g = {"i": i}
    exec("j = i + 1\nfor k in range(3): j += k", g)
    return g["j"]
print(sum(names(i) for i in range(300)))
made = []
for i in range(50):
    g = {}
    exec(f"class A:\n    x = {i}\nmade = [x + {i} for x in range(2)]\nlazy = (x for x in range({i}))", g)
    made.append((g["A"], g["lazy"], g["made"]))
    del g
print(sum(A.x for A, _, _ in made), sum(sum(lazy) for _, lazy, _ in made), made[3][2], made[-1][0].__name__)
functions = []
for i in range(20):
    g, l = {"i": i}, {}
    exec("def f(): return i", g, l)
    functions.append(l["f"])
    del g, l
print(sum(f() for f in functions))

# --- exec of other things
for bad in (3, None, [1]):
    try:
        exec(bad)
    except TypeError as e:
        print(type(e).__name__)
for bad in ("1 +", "x = = 2", "  y = 1\nz"):
    try:
        exec(bad, {})
    except SyntaxError as e:
        print('SyntaxError')
try:
    exec("1 / 0", {})
except ZeroDivisionError as e:
    print(e)
try:
    exec("a = 1", 3)
except TypeError as e:
    print('TypeError')

# --- globals() are the variables
globals()['made'] = 42
print(made)
for i in range(3):
    globals()[f'v_{i}'] = i * i
print(v_0, v_1, v_2, len([k for k in globals() if k.startswith('v_')]))
names = globals()
late = 3
print('late' in names, names['late'], names is globals())
del names['late']
try:
    late
except NameError as e:
    print(e)
names.update(u1=1, u2=2)
print(u1 + u2, names.pop('u1'), 'u1' in globals(), names.setdefault('sd', 9), sd)
del u2
print('u2' in names)
def f():
    globals()['inner'] = 1
    return sorted(locals()), inner
print(f())

# --- sys.argv, new attributes of modules
import sys, math
import numpy as np
import argparse
sys.argv = ['p', '--n', '3']
p = argparse.ArgumentParser()
p.add_argument('--n', type=int)
print(p.parse_args().n, sys.argv)
np.float = float
print(np.float(3), np.zeros(2, np.float).dtype)
math.tau2 = 5
print(math.tau2)

# --- print() to objects of the program; redirected streams
import contextlib, io, sys
class Log:
    def __init__(self):
        self.text = ''
    def write(self, s):
        self.text += s
    def flush(self):
        self.text += '|'
log, f = Log(), io.StringIO()
print('a', 1, file=log, flush=True)
with contextlib.redirect_stdout(f) as same:
    print('b')
    sys.stdout.write('c\n')
    with contextlib.redirect_stdout(log):
        print('inner')
    print('d')
print(repr(f.getvalue()), repr(log.text), same is f)
class Tee:
    def __init__(self, *to):
        self.to = to
    def write(self, s):
        for t in self.to:
            t.write(s)
    def flush(self):
        pass
before = sys.stdout
sys.stdout = Tee(before, log)
print('both')
sys.stdout = None
print('nothing')
sys.stdout = before
print(repr(log.text))
e = io.StringIO()
with contextlib.redirect_stderr(e):
    print('x', file=sys.stderr)
print(repr(e.getvalue()))
try:
    with contextlib.redirect_stdout(f):
        raise ValueError(3)
except ValueError:
    print('restored')
