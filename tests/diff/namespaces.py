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
