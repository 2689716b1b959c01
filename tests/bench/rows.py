"""The rows of the benchmark: a program that NumPy and gpa both run, and its counterparts for numexpr and Numba.

`setup` and `body` are program text that both run unchanged; `body` is the body of a function that returns `r`. `numexpr` and
`numba` take the names that `setup` defines and return a function without arguments for the same computation; None: there is no
sensible counterpart. The setup of a `compiled` row uses Numba's decorators, so that in CPython the row measures Numba."""
import math


class Row:
    def __init__(self, name, setup, body, numexpr=None, numba=None, compiled=False):
        self.name, self.setup, self.body, self.numexpr, self.numba, self.compiled = name, setup, body, numexpr, numba, compiled


ROWS = []


def row(name, setup, body):
    """Adds a row; the decorated class may define `numexpr(ne, np, v)` and `numba(nb, np, v)`."""
    def add(extra):
        ROWS.append(Row(name, setup, body, getattr(extra, "numexpr", None), getattr(extra, "numba", None)))
        return extra
    return add


@row("activation chain, 1e7 float32",
     "g = (np.arange(10_000_000) % 256).astype(np.float32)\nw = 2.0\n",
     "v = (g / 255) * w\nr = (np.exp(v) - np.exp(-v)) / (np.exp(v) + np.exp(-v))")
class Activation:
    @staticmethod
    def numexpr(ne, np, v):
        names = {"g": v["g"], "w": np.float32(2), "k": np.float32(255)}
        return lambda: ne.evaluate("(exp((g/k)*w) - exp(-(g/k)*w)) / (exp((g/k)*w) + exp(-(g/k)*w))", names)

    @staticmethod
    def numba(nb, np, v):
        w, k = np.float32(2), np.float32(255)

        @nb.njit(parallel=True, fastmath=False)
        def f(g):
            r = np.empty_like(g)
            for i in nb.prange(g.size):
                x = (g[i] / k) * w
                a, b = np.exp(x), np.exp(-x)
                r[i] = (a - b) / (a + b)
            return r
        return lambda: f(v["g"])


@row("sum(a*b), 1e7 float64",
     "a = np.arange(10_000_000) / 1e7\nb = 1 - a\n",
     "r = np.sum(a * b)")
class SumOfProduct:
    @staticmethod
    def numexpr(ne, np, v):
        return lambda: ne.evaluate("sum(a*b)", v)

    @staticmethod
    def numba(nb, np, v):
        @nb.njit(parallel=True)
        def f(a, b):
            s = 0.0
            for i in nb.prange(a.size):
                s += a[i] * b[i]
            return s
        return lambda: f(v["a"], v["b"])


@row("row softmax, 2000x5000 float32",
     "x = ((np.arange(10_000_000) % 997) / 100).astype(np.float32).reshape(2000, 5000)\n",
     "e = np.exp(x - x.max(axis=1, keepdims=True))\nr = e / e.sum(axis=1, keepdims=True)")
class Softmax:
    @staticmethod
    def numba(nb, np, v):
        @nb.njit(parallel=True)
        def f(x):
            r = np.empty_like(x)
            for i in nb.prange(x.shape[0]):
                m = x[i, 0]
                for j in range(x.shape[1]):
                    m = max(m, x[i, j])
                s = np.float32(0)
                for j in range(x.shape[1]):
                    r[i, j] = np.exp(x[i, j] - m)
                    s += r[i, j]
                for j in range(x.shape[1]):
                    r[i, j] /= s
            return r
        return lambda: f(v["x"])


@row("Laplace step, 4096x4096 float32",
     "u = ((np.arange(4096 * 4096) % 1013) / 1013).astype(np.float32).reshape(4096, 4096)\n",
     "r = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])")
class Laplace:
    @staticmethod
    def numexpr(ne, np, v):
        u = v["u"]
        names = {"q": np.float32(0.25), "a": u[:-2, 1:-1], "b": u[2:, 1:-1], "c": u[1:-1, :-2], "d": u[1:-1, 2:]}
        return lambda: ne.evaluate("q * (a + b + c + d)", names)

    @staticmethod
    def numba(nb, np, v):
        q = np.float32(0.25)

        @nb.njit(parallel=True)
        def f(u):
            r = np.empty((u.shape[0] - 2, u.shape[1] - 2), u.dtype)
            for i in nb.prange(r.shape[0]):
                for j in range(r.shape[1]):
                    r[i, j] = q * (u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + u[i + 1, j + 2])
            return r
        return lambda: f(v["u"])


@row("Black-Scholes, 5e6 float64",
     "n = 5_000_000\nS = 5 + (np.arange(n) % 977) / 10\nX = 1 + (np.arange(n) % 1009) / 10\nT = 0.25 + (np.arange(n) % 911) / 100\n"
     "def cdf(d):\n    return 0.5 * (1 + np.tanh(0.7978845608 * (d + 0.044715 * d * d * d)))\n",
     "d1 = (np.log(S / X) + (0.02 + 0.5 * 0.3 * 0.3) * T) / (0.3 * np.sqrt(T))\nd2 = d1 - 0.3 * np.sqrt(T)\n"
     "r = S * cdf(d1) - X * np.exp(-0.02 * T) * cdf(d2)")
class BlackScholes:
    @staticmethod
    def numexpr(ne, np, v):
        names = {"S": v["S"], "X": v["X"], "T": v["T"]}
        d1 = "(log(S/X) + (0.02 + 0.5*0.3*0.3)*T) / (0.3*sqrt(T))"
        cdf = "(0.5 * (1 + tanh(0.7978845608 * (d + 0.044715*d*d*d))))"

        def f():
            a = ne.evaluate(d1, names)
            b = ne.evaluate("a - 0.3*sqrt(T)", {"a": a, **names})
            return ne.evaluate(f"S*{cdf.replace('d', 'a')} - X*exp(-0.02*T)*{cdf.replace('d', 'b')}", {"a": a, "b": b, **names})
        return f

    @staticmethod
    def numba(nb, np, v):
        @nb.njit
        def cdf(d):
            return 0.5 * (1 + math.tanh(0.7978845608 * (d + 0.044715 * d * d * d)))

        @nb.njit(parallel=True)
        def f(S, X, T):
            r = np.empty_like(S)
            for i in nb.prange(S.size):
                w = 0.3 * math.sqrt(T[i])
                d1 = (math.log(S[i] / X[i]) + (0.02 + 0.5 * 0.3 * 0.3) * T[i]) / w
                r[i] = S[i] * cdf(d1) - X[i] * math.exp(-0.02 * T[i]) * cdf(d1 - w)
            return r
        return lambda: f(v["S"], v["X"], v["T"])


@row("arctan2 of strided columns, 5e6 float32",
     "p = ((np.arange(10_000_000) % 1013) / 500 - 1).astype(np.float32).reshape(-1, 2)\n",
     "r = np.arctan2(p[:, 1], p[:, 0])")
class Arctan2:
    @staticmethod
    def numexpr(ne, np, v):
        names = {"y": v["p"][:, 1], "x": v["p"][:, 0]}
        return lambda: ne.evaluate("arctan2(y, x)", names)

    @staticmethod
    def numba(nb, np, v):
        @nb.njit(parallel=True)
        def f(p):
            r = np.empty(p.shape[0], p.dtype)
            for i in nb.prange(p.shape[0]):
                r[i] = math.atan2(p[i, 1], p[i, 0])
            return r
        return lambda: f(v["p"])


@row("var, 1e7 float64", "a = (np.arange(10_000_000) % 1009) / 7\n", "r = a.var()")
class Var:
    @staticmethod
    def numba(nb, np, v):
        @nb.njit(parallel=True)
        def f(a):
            s = 0.0
            for i in nb.prange(a.size):
                s += a[i]
            m = s / a.size
            q = 0.0
            for i in nb.prange(a.size):
                q += (a[i] - m) * (a[i] - m)
            return q / a.size
        return lambda: f(v["a"])


MATRIX = "m = ((np.arange(12_000_000) % 1009) / 7).reshape(4000, 3000)\n"


@row("mean over axis 0, 4000x3000 float64", MATRIX, "r = m.mean(axis=0)")
class Mean0:
    @staticmethod
    def numexpr(ne, np, v):
        return lambda: ne.evaluate("sum(m, axis=0)", v) / v["m"].shape[0]

    @staticmethod
    def numba(nb, np, v):
        @nb.njit(parallel=True)
        def f(m):
            r = np.zeros(m.shape[1])
            strips = (m.shape[1] + 255) // 256
            for k in nb.prange(strips):
                lo, hi = k * 256, min(m.shape[1], k * 256 + 256)
                for i in range(m.shape[0]):
                    for j in range(lo, hi):
                        r[j] += m[i, j]
            return r / m.shape[0]
        return lambda: f(v["m"])


@row("mean over axis 1, 4000x3000 float64", MATRIX, "r = m.mean(axis=1)")
class Mean1:
    @staticmethod
    def numexpr(ne, np, v):
        return lambda: ne.evaluate("sum(m, axis=1)", v) / v["m"].shape[1]

    @staticmethod
    def numba(nb, np, v):
        @nb.njit(parallel=True)
        def f(m):
            r = np.empty(m.shape[0])
            for i in nb.prange(m.shape[0]):
                s = 0.0
                for j in range(m.shape[1]):
                    s += m[i, j]
                r[i] = s / m.shape[1]
            return r
        return lambda: f(v["m"])


@row("Mandelbrot, 600x800, while over masks",
     "y, x = np.mgrid[-1.2:1.2:600j, -2:0.8:800j]\nc = x + 1j * y\n",
     "z = np.zeros_like(c)\nr = np.zeros(c.shape, np.int32)\ninside = np.abs(z) <= 2\ni = 0\n"
     "while i < 40 and inside.any():\n    z = np.where(inside, z * z + c, z)\n    r = r + inside\n"
     "    inside = np.abs(z) <= 2\n    i += 1\n")
class Mandelbrot:
    @staticmethod
    def numba(nb, np, v):
        @nb.njit(parallel=True)
        def f(c):
            r = np.empty(c.shape, np.int32)
            for i in nb.prange(c.shape[0]):
                for j in range(c.shape[1]):
                    z, n = 0j, 0
                    while n < 40 and abs(z) <= 2:
                        z = z * z + c[i, j]
                        n += 1
                    r[i, j] = n
            return r
        return lambda: f(v["c"])


SMALL = "t = np.arange(1000, dtype=np.float32)\no = np.zeros((300, 1000), dtype=np.float32)\n"
TEN = "y = t + 1; y = y * 2; y = y - t; y = y * 3; y = y + t; y = y / 2; y = y - 1; y = y * t; y = y + 2"


@row("3000 small stores, 1000 float32", SMALL, "for i in range(3000): o[0] = t + i\nr = o[0]")
class SmallStores:
    pass


@row("1000 chains of ten, 1000 float32", SMALL, f"for i in range(1000):\n    {TEN}\n    o[0] = y * 5\nr = o[0]")
class SmallChains:
    pass


@row("3000 sums read, 1000 float32", SMALL, "r = 0.0\nfor i in range(3000): r += float((t + i).sum())")
class SmallReads:
    pass


@row("rows in a loop, 300x1000 float32", SMALL, "for k in range(10):\n    for i in range(1, 300): o[i] = o[i - 1] * 0.5 + t\nr = o")
class Rows:
    pass


@row("scalar loop, 1e6 trips (NumPy: CPython)", "",
     "s = 0\nfor i in range(1_000_000):\n    if i % 3 == 0:\n        s += i * 2\n    else:\n        s -= i\nr = s")
class ScalarLoop:
    pass


IMAGE = "m = (np.arange(2048 * 2048) % 251).astype(np.complex64).reshape(2048, 2048)\nk = np.roll(m, 3)\nfrom numpy.fft import fft2, ifft2, rfft\n"


@row("FFT convolution, 2048x2048 complex64", IMAGE, "r = ifft2(fft2(m) * fft2(k)).real")
class Convolution:
    pass


@row("rfft, 2^20 float64", "x = np.sin(np.arange(1 << 20))\nfrom numpy.fft import rfft\n", "r = rfft(x)")
class RealTransform:
    pass


@row("10,000 solves of 32x32 float64",
     "a = np.sin(np.arange(10_240_000.0)).reshape(10000, 32, 32) + 32 * np.eye(32)\nb = np.cos(np.arange(320_000.0)).reshape(10000, 32, 1)\n",
     "r = np.linalg.solve(a, b)")
class ManySolves:
    pass


@row("einsum ijk,jil->kl, 60^3 float64", "t = np.sin(np.arange(216_000.0)).reshape(60, 60, 60)\n", "r = np.einsum('ijk,jil->kl', t, t)")
class Einsum:
    pass


def compiled(name, setup, body):
    ROWS.append(Row(name, "from numba import njit, prange, vectorize\n" + setup, body, compiled=True))


compiled("Mandelbrot, 512x512x255, prange", """
out = np.zeros((512, 512), dtype=np.int32)
@njit(parallel=True)
def mandelbrot(out, iters):
    n = out.shape[0]
    for y in prange(n):
        for x in range(n):
            c = complex(-2 + 3 * x / n, -1 + 2 * y / n)
            z = 0j
            out[y, x] = iters
            for i in range(iters):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag >= 4:
                    out[y, x] = i
                    break
""", "mandelbrot(out, 255)\nr = out[100, 100]")

compiled("four-point average, 1000x1000 float64, jit", """
a, b = np.arange(1_000_000.0).reshape(1000, 1000) / 7, np.zeros((1000, 1000))
@njit
def average(a, b):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
""", "average(a, b)\nr = b[500, 500]")

compiled("generator with % and /, 1e6, jit", """
@njit
def generate(n):
    s, total = 12345, 0.0
    for i in range(n):
        s = (1103515245 * s + 12345) % 2147483648
        total += s / 2147483648
    return total
""", "r = generate(1_000_000)")

compiled("sum of 1e7 float64, prange", """
x = np.arange(10_000_000.0) / 3
@njit(parallel=True)
def total(x):
    s = 0.0
    for i in prange(x.shape[0]):
        s += x[i]
    return s
""", "r = total(x)")

compiled("triple loop, 300x300 float64, prange", """
a, c = np.arange(90_000.0).reshape(300, 300) / 11, np.zeros((300, 300))
b = a / 3
@njit(parallel=True)
def product(a, b, c):
    n = a.shape[0]
    for i in prange(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i, k] * b[k, j]
            c[i, j] = s
""", "product(a, b, c)\nr = c[7, 9]")

compiled("primes below 1e6, jit", """
composite = np.zeros(1_000_000, dtype=np.bool_)
@njit
def primes(composite):
    n, count = composite.shape[0], 0
    for i in range(2, n):
        composite[i] = False
    for i in range(2, n):
        if not composite[i]:
            count += 1
            for j in range(i * i, n, i):
                composite[j] = True
    return count
""", "r = primes(composite)")

compiled("ufunc, target='parallel', 1e7 float64", """
x, y = np.arange(10_000_000.0) / 7, np.arange(10_000_000.0) / 9
@vectorize(['float64(float64, float64)'], target='parallel')
def rational(x, y):
    return x * x * y + 2.5 * x - y / (1 + x * x)
""", "r = rational(x, y)")

compiled("10,000 calls of a loop of 10 trips", """
@njit
def few(n):
    s = 0
    for i in range(n):
        s += i
    return s
""", "r = 0\nfor i in range(10_000):\n    r += few(10)")
