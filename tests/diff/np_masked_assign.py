# Assignments of elementwise values through a mask: x[m] = f(y[m]).
# --- one array
x = np.linspace(-2, 2, 9)
m = x > 0
x[m] = x[m] ** 2 + 1
print(x)
x[m] = -x[m] / 4
print(x, m)
# --- several arrays and numbers
x, y = np.linspace(-2, 2, 9), np.arange(9.0)
k = 3
m = y != 4
x[m] = k * x[m] - y[m] / 2 + np.float32(0.1)
print(x, y)
# --- a value that is a selection
x, y = np.zeros((2, 3)), np.arange(6.0).reshape(2, 3)
x[y > 2] = y[y > 2]
print(x)
# --- masks that are comparisons
x, y = np.linspace(-2, 2, 9), np.arange(9.0)
lo = 2
x[(x > -1) & (y < 7)] = x[(x > -1) & (y < 7)] * 10
x[~(y >= lo)] = y[~(y >= lo)] - 5
x[(x == 0) | (y == -1)] = 7 - y[(x == 0) | (y == -1)]
print(x)
# --- the mask depends on the target, which is read before it changes
x = np.linspace(-2, 2, 9)
x[x > 0] = x[x > 0] ** -1.5
print(x)
x[x < 1] = x[x < 1] - 1
print(x)
# --- elements that are not selected do not matter
x, y = np.array([1.0, 0.0, 4.0, -1.0]), np.array([2.0, 0.0, np.inf, np.nan])
x[x > 0] = 1 / x[x > 0] + y[x > 0]
print(x)
# --- overlapping views
a = np.arange(10.0)
x, y = a[1:], a[:-1]
m = np.arange(9) % 3 == 0
x[m] = x[m] + y[m]
print(a)
b = a[::-1]
m = a > 4
a[m] = b[m] * 2
print(a)
# --- layouts
x, y = np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(3, 2).T
x[x > y] = x[x > y] * y[x > y]
print(x, x.flags.f_contiguous)
# --- dtypes
for t in "efd":
    x = np.arange(5).astype(t)
    y = np.arange(5, 10.0)
    m = x > 1
    x[m] = x[m] * y[m] + 1
    print(x, x.dtype)
n = np.arange(5)
n[n > 2] = n[n > 2] * 2
print(n, n.dtype)
n[n > 2] = n[n > 2] / 4
print(n)
b = np.array([True, False, True])
b[b] = b[b] ^ True
print(b)
# --- complex elements
z = np.linspace(-2, 2, 5) + 1j
c = np.arange(5) * 0.5j
m = abs(z) < 2
z[m] = z[m] ** 2 + c[m]
print(z)
x = np.arange(5.0)
z[m] = x[m] * 2j
print(z)
# --- integer indices are no masks
x, y = np.arange(5.0), np.arange(5.0) * 10
i = np.array([3, 1, 2, 0, 3])
x[i] = y[i] + x[i]
print(x)
i = [1, 1, 2]
x[i] = y[i] * 2
print(x)
# --- masks of leading axes, of another shape
x, y = np.zeros((3, 2)), np.arange(6.0).reshape(3, 2)
m = np.array([True, False, True])
x[m] = y[m] * 2
print(x)
for m in (np.array([True, False]), np.ones(4, bool), np.array(True), True):
    try:
        x[m] = y[m] + 1
        print(x)
    except IndexError as e:
        print(e)
# --- arrays that do not fit
x, y = np.zeros(4), np.arange(2.0)
m = np.array([True, False, True, False])
try:
    x[m] = x[m] + y
    print(x)
    x[m] = x[m] + np.arange(3.0)
except ValueError as e:
    print(e)
# --- names that are no arrays
x, m = [1, 2, 3], 1
x[m] = x[m] * 2 + 1
print(x)
d, k = {"a": 1}, "a"
d[k] = d[k] + 1
print(d)
class Log:
    def __getitem__(self, k):
        print("get", k)
        return 5
    def __setitem__(self, k, v):
        print("set", k, v)
o, k = Log(), 2
o[k] = o[k] * o[k]
o[k > 1] = o[k > 1] - 1
# --- names that are unbound
x, m = np.zeros(2), np.array([True, False])
def f():
    x[m] = y[m]
    y = 1
try:
    f()
except UnboundLocalError as e:
    print(e)
# --- a target that is read-only
x = np.arange(4.0)
x.flags.writeable = False
try:
    x[x > 1] = x[x > 1] * 2
except ValueError as e:
    print(e)
print(x)
# --- numbers of other kinds
x = np.arange(4.0)
m, s = x > 1, "a"
try:
    x[m] = x[m] * s
except TypeError as e:
    print("TypeError")
x[m] = x[m] * True + 10 ** 20
print(x)
# --- a loop
def escape(c, n):
    z, count = np.zeros(c.shape, complex), np.zeros(c.shape, int)
    for k in range(n):
        m = abs(z) < 2
        count[m] = k
        z[m] = z[m] ** 2 + c[m]
    return z, count
z, count = escape(np.linspace(-2, 0.5, 7) + 1j * np.linspace(-1, 1, 5)[:, None], 40)
print(count)
print(np.abs(z).round(6))
