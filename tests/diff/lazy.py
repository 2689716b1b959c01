# Views, aliases and stores: laziness is never visible in a value.
# --- a chain before a store of its source
a = np.arange(5.0)
b = a * 2 + 1
c = b ** 2 - a
a[:] = 0
print(a, b, c)
# --- a view before a store sees it
a = np.arange(5)
v = a[1:4]
w = v[::-1]
a[2] = 99
print(v, w)
# --- an expression of a view before a store does not
a = np.arange(5)
v = a[1:4]
e = v + 0
a[2] = 99
print(v, e)
# --- several readers, several stores
a = np.zeros(3)
out = []
for i in range(5):
    out.append(a + i)
    a += 1
    out.append(a * i)
print(np.array(out))
# --- a loop carrying two arrays
a = np.ones(4)
b = np.zeros(4)
for i in range(50):
    b = b + 0.02
    c = b + a
print(c, b)
# --- a loop carrying an array that is stored to
a = np.zeros(5)
hist = []
for i in range(4):
    a[1:] = a[:-1] + 1
    hist.append(a.copy())
print(np.array(hist))
# --- references to the old value survive a rebinding
x = np.arange(3)
olds = []
for i in range(3):
    olds.append(x)
    x = x + olds[-1]
print(olds, x)
# --- in place on a shared name
a = np.arange(3)
b = a
b += 1
print(a, b, a is b)
# --- rebinding a shared name
a = np.arange(3)
b = a
b = b + 1
print(a, b, a is b)
# --- rebinding inside a function leaves the caller's
def f(x):
    x = x + 1
    return x
def g(x):
    x += 1
    return x
a = np.arange(3)
print(f(a), a, g(a), a)
# --- a list of lazy arrays from one source
a = np.arange(4.0)
parts = [a * k for k in range(4)]
a[:] = -1
print(parts)
# --- swap by tuple assignment
a, b = np.arange(3), np.ones(3)
a, b = b, a + b
print(a, b)
# --- reading one element in between
a = np.arange(4)
b = a * 2
x = b[1]
a[1] = 50
y = b[1]
print(x, y, b, a)
# --- an error in between leaves everything
a = np.arange(3)
b = a + 1
try:
    a[7] = 1
except IndexError as e:
    print(e)
a[0] = 9
print(a, b)
# --- a pending reduction
a = np.arange(5.0)
s = a.sum()
m = a.mean()
a[:] = 0
print(s, m, a.sum())
# --- a reduction used in a store to its source
a = np.arange(5.0)
a -= a.mean()
a /= a.std()
print(a)
# --- normalise rows in place
a = np.arange(6.0).reshape(2, 3)
a /= a.sum(axis=1, keepdims=True)
print(a)
# --- a column subtracted from the array
a = np.arange(6.0).reshape(2, 3)
a[:, 0] = a.sum(axis=1)
a[0] = a.max(axis=0)
print(a)
# --- a store from a lazy view of the same rows
a = np.arange(6.0).reshape(2, 3)
t = a.T
a[0] = t[:, 1] * 2
print(a, t)
# --- transposes are views
a = np.arange(6).reshape(2, 3)
t = a.T
t[0, 1] = 77
a[0, 0] = -5
print(a, t)
# --- diagonal by strides is a copy when stored through fancy indices
a = np.zeros((3, 3))
a[range(3), range(3)] = [1, 2, 3]
d = a.diagonal() + 0
a[1, 1] = 9
print(a, d)
# --- fancy indexing copies
a = np.arange(5)
b = a[[1, 2]]
b[0] = 99
c = a[a > 2]
c[:] = 0
print(a, b, c)
# --- broadcast operands are not stored
a = np.arange(3)
b = np.broadcast_to(a, (2, 3))
c = b + 0
a[0] = 5
print(b, c)
# --- views of views of expressions
a = np.arange(12)
e = (a * 2).reshape(3, 4)
r = e[1:, ::2]
e[1, 0] = -1
print(r, e)
# --- a store to a lazy expression's result
e = np.arange(4) + 1
f = e * 10
e[1] = 0
print(e, f)
# --- a view of a lazy expression, then a store
e = np.arange(6) * 2
v = e[::2]
e[0] = 100
v[1] = -7
print(e, v)
# --- conditions evaluated before a store
a = np.arange(5)
m = a > 2
a[m] = 0
print(a, m, a[m])
# --- where before a store
a = np.arange(5)
w = np.where(a > 2, a, -1)
a += 10
print(w, a)
# --- running sums by slices
a = np.arange(1.0, 6)
p = a[:-1] + a[1:]
a[0] = 100
q = a[:-1] + a[1:]
print(p, q)
# --- stencil twice
u = np.zeros((4, 4))
u[1, 1] = 1
for _ in range(2):
    v = u.copy()
    v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    u = v
print(u)
# --- double buffering by swap
a = np.zeros(5)
b = np.zeros(5)
a[2] = 1
for _ in range(3):
    b[1:-1] = (a[:-2] + a[2:]) / 2
    a, b = b, a
print(a, b)
# --- closures keep their arrays
def make(a):
    b = a * 2
    return lambda: b + a
x = np.arange(3)
f = make(x)
x[0] = 10
print(f())
# --- dict of arrays updated in place
d = {"a": np.zeros(2), "b": np.ones(2)}
s = d["a"] + d["b"]
for k in d:
    d[k] += 5
print(s, d)
# --- iteration sees stores made during it
a = np.arange(4)
for i, x in enumerate(a):
    if i < 3:
        a[i + 1] += x
print(a)
# --- rows in iteration are views
a = np.zeros((2, 2))
for row in a:
    row += 1
    row[0] = 7
print(a)
# --- a deleted source
a = np.arange(3)
b = a + 1
del a
print(b)
# --- same expression written twice, with a store between
a = np.arange(3)
x = a + 1
a[0] = 5
y = a + 1
print(x, y)
# --- sum of shared subexpressions
a = np.arange(4.0)
s = np.exp(a)
t = s / s.sum() + s.max() - s
a[:] = 0
print(t)
# --- two outputs of one chain, one stored to
a = np.arange(4.0)
x = a * 2
y = x + 1
x[0] = 50
print(x, y)
# --- store of a larger expression into half of its source
a = np.arange(8)
a[:4] = a[4:] * 2 + a[:4]
a[::2] = a[1::2] - a[::2]
print(a)
# --- two-dim overlap in all directions
for di in (-1, 0, 1):
    for dj in (-1, 0, 1):
        a = np.arange(16).reshape(4, 4)
        a[1:3, 1:3] = a[1 + di:3 + di, 1 + dj:3 + dj] + 100
        print(a.tolist())
# --- overlap with steps
for s in (1, 2, 3, -1, -2):
    a = np.arange(12)
    n = len(a[::s][:4])
    a[2:2 + n] = a[::s][:n] * 10
    print(s, a)
# --- a reduction of no elements, used at two indices by one step
x = np.sum(np.zeros((3, 0)), axis=1)
print(x[1:2] * x)
x = np.count_nonzero(np.zeros((2, 0, 1)), axis=1)
np.multiply(x[1], x, out=x)
print(x)
