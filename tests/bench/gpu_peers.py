"""The rows of the GPU benchmark written for each peer, as its users would write them.

`Peer` holds the arrays; the method work of a subclass returns, for each row, a function without arguments that queues the row's
computation and does not wait for it."""
import math
import os

from gpu_rows import N, PATHS, PLANE, POINTS, PRICES, PRODUCTS, SIDE, SYSTEMS

DAYS, DRIFT, SPREAD = 252, 0.0001, 0.01


def activation(np, a, b):
    v = (a / 255) * b
    return (np.exp(v) - np.exp(-v)) / (np.exp(v) + np.exp(-v))


def softmax(np, x):
    e = np.exp(x - x.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def cdf(np, d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    w = 0.39894228 * np.exp(-0.5 * d * d) * (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
    return np.where(d > 0, 1 - w, w)


def price(np, s, x, t):
    root = np.sqrt(t)
    d1 = (np.log(s / x) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * root)
    return s * cdf(np, d1) - x * np.exp(-0.02 * t) * cdf(np, d1 - 0.3 * root)


def laplace(u):
    return u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])


def chain(t):
    y = t + 1
    y = y * 2
    y = y - t
    y = y * 3
    y = y + t
    y = y / 2
    y = y - 1
    y = y * t
    y = y + 2
    return y * 5


def later(make):
    """A function that is created by `make` at its first call, so that a failure affects this row alone."""
    made = []

    def work():
        if not made:
            made.append(make())
        return made[0]()
    return work


DATA = {  # name: how NumPy makes it
    "a": lambda np: (np.arange(N, dtype=np.int32) % 256).astype(np.float32),
    "b": lambda np: (np.arange(N, dtype=np.int32) % 1009).astype(np.float32) / np.float32(1009),
    "mixed": lambda np: (np.arange(N, dtype=np.uint32) * np.uint32(2654435761)).astype(np.float32),
    "image": lambda np: (np.arange(4096 * 4096) % 251).reshape(4096, 4096).astype(np.complex64),
    "mask": lambda np: (np.arange(4096 * 4096) % 127).reshape(4096, 4096).astype(np.complex64),
    "plane": lambda np: (np.linspace(-2, 1, PLANE) + 1j * np.linspace(-1, 1, PLANE)[:, None]).astype(np.complex64),
    "stack": lambda np: np.sin(np.arange(100 * 64 * 64).reshape(100, 64, 64) ** 2 % 4093 * 1.7).astype(np.float32),
    "systems": lambda np: (np.sin(np.arange(SYSTEMS * 32 * 32)).reshape(SYSTEMS, 32, 32) + 32 * np.eye(32)).astype(np.float32),
    "sides": lambda np: np.cos(np.arange(SYSTEMS * 32)).reshape(SYSTEMS, 32, 1).astype(np.float32),
}


def save_data(folder):
    """Writes the arrays once for all peers, which load them from the folder GPU_DATA."""
    import numpy as np
    for name, make in DATA.items():
        np.save(os.path.join(folder, name + ".npy"), make(np))


class Peer:
    """The arrays on the device, transferred by `put`, and the rows that most peers write in the same way."""

    def __init__(self):
        import numpy as np
        arrays = {name: np.load(os.path.join(os.environ["GPU_DATA"], name + ".npy")) for name in DATA}
        for name, array in arrays.items():
            setattr(self, name, self.put(array))
        b = arrays["b"]
        self.s, self.x, self.t = (self.put(f + b[:PRICES] * g) for f, g in ((5, 25), (1, 99), (0.25, 9)))
        self.o = self.put(np.zeros(N, np.float32))
        self.tiny = self.put(np.arange(1000, dtype=np.float32))
        self.f64 = self.put(arrays["a"][:4096 * 4096].astype(np.float64).reshape(4096, 4096))
        self.rows = self.a.reshape(20000, 5000)
        self.u, self.w, self.z = (v[:SIDE * SIDE].reshape(SIDE, SIDE) for v in (self.a, self.o, self.b))
        self.p = self.b[:2 * POINTS].reshape(POINTS, 2)
        self.q, self.q2 = self.b[:POINTS], self.b[POINTS:2 * POINTS]
        self.f, self.g = (v[:4096 * 4096].reshape(4096, 4096) for v in (self.a, self.b))
        self.left, self.right = self.b[:8 * PRODUCTS].reshape(PRODUCTS, 2, 4), self.b[:20 * PRODUCTS].reshape(PRODUCTS, 4, 5)

    def work(self):
        raise NotImplementedError


class Cupy(Peer):
    label = "cupy"

    def __init__(self):
        import cupy
        self.np = cupy
        super().__init__()

    def put(self, a):
        return self.np.asarray(a)

    def wait(self, r):
        self.np.cuda.get_current_stream().synchronize()

    def number(self, r):
        return float(r)

    def first(self, x, c):
        np = self.np
        return np.sin(x) * c + np.exp(-x) * x + c

    def update(self):
        self.w[1:, 1:] = self.w[1:, 1:] + self.u[1:, :-1] + self.z[1:, :-1]

    def copy(self):
        self.o[:] = self.a

    def transpose(self):
        self.w[:] = self.u.T

    def step(self, s, z):
        return s * self.np.exp(DRIFT + SPREAD * z)

    def monte_carlo(self, step):
        np = self.np
        s = np.full(PATHS, 100.0)
        for _ in range(DAYS):
            s = step(s, np.random.standard_normal(PATHS))
        return np.maximum(s - 110, 0).mean()

    def first_ufunc(self, x):
        return self.np.ElementwiseKernel("float32 x", "float32 y", "y = sinf(x) * x + 3.25f * expf(-x * 1.125f)", "fresh")(x)

    def work(self):
        np, a, b, rows = self.np, self.a, self.b, self.rows
        mandel = np.ElementwiseKernel("complex64 c, int32 n", "int32 o", """
            float x = 0, y = 0;
            o = n;
            for (int i = 0; i < n; i++) {
                const float t = x * x - y * y + c.real();
                y = 2 * x * y + c.imag();
                x = t;
                if (x * x + y * y >= 4) { o = i; break; }
            }""", "mandel")
        increment = np.RawKernel("""extern "C" __global__ void increment(float *x, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] += 1; }""", "increment")
        angle = np.ElementwiseKernel("float32 y, float32 x", "float32 o", "o = atan2f(y, x)", "angle")
        tiles = np.RawKernel("""extern "C" __global__ void tiles(const float *A, const float *B, float *C, int n) {
            __shared__ float sA[32][32], sB[32][32];
            const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
            float acc = 0;
            for (int i = 0; i < n; i += 32) {
                sA[ty][tx] = A[y * n + tx + i];
                sB[ty][tx] = B[(ty + i) * n + x];
                __syncthreads();
                for (int j = 0; j < 32; j++) acc += sA[ty][j] * sB[j][tx];
                __syncthreads();
            }
            C[y * n + x] = acc; }""", "tiles")
        square = np.empty((4096, 4096), np.float32)

        def tiled():
            tiles((128, 128), (32, 32), (self.f, self.g, square, 4096))
        return {
            "arctan2 ufunc 1e7": lambda: angle(self.q, self.q2),
            "arctan2 ufunc of columns 1e7": lambda: angle(self.p[:, 1], self.p[:, 0]),
            "shared-memory product 4096": tiled,
            "the same, unchecked": tiled,
            "Mandelbrot ufunc 2048x2048x255": lambda: mandel(self.plane, 255),
            "gufunc product 1e6 (2,4)(4,5)": lambda: self.left @ self.right,
            "FFT convolution 4096 complex64": lambda: np.fft.ifft2(np.fft.fft2(self.image) * np.fft.fft2(self.mask)),
            "Monte Carlo 1e6 x 252 float64": lambda: self.monte_carlo(self.step),
            "10,000 solves 32x32 float32": lambda: np.linalg.solve(self.systems, self.sides),
            "100 SVDs 64x64 float32": lambda: np.linalg.svd(self.stack),
            "sort 1e8 float32": lambda: np.sort(self.mixed),
            "kernel launch": lambda: increment((4,), (256,), (self.tiny, 1000)),
            "copy 1e8 float32": self.copy,
            "sqrt 1e7": lambda: np.sqrt(self.q),
            "arctan2 of columns 1e7": lambda: np.arctan2(self.p[:, 1], self.p[:, 0]),
            "activation chain 1e8": lambda: activation(np, a, b),
            "sum(a*b) 1e8": lambda: np.sum(a * b),
            "softmax 20000x5000": lambda: softmax(np, rows),
            "mean axis 0": lambda: rows.mean(axis=0),
            "mean axis 1": lambda: rows.mean(axis=1),
            "var 1e8": lambda: a.var(),
            "Black-Scholes 5e7": lambda: price(np, self.s, self.x, self.t),
            "slice update 8192": self.update,
            "Laplace step 8192": lambda: laplace(self.u),
            "transpose 8192": self.transpose,
            "cumsum 1e8": lambda: np.cumsum(a),
            "x[x > 0.5] 1e8": lambda: b[b > 0.5],
            "histogram 200 bins 1e8": lambda: np.histogram(b, bins=200, range=(0, 1))[0],
            "matrix product 4096 float32": lambda: self.f @ self.g,
            "matrix product 4096 float64": lambda: self.f64 @ self.f64,
            "a small operation alone": lambda: self.tiny + 1,
            "ten small operations in a chain": lambda: chain(self.tiny),
            "launch and read back": lambda: self.number(self.tiny.sum()),
        }


class CupyFuse(Cupy):
    label = "cupy.fuse"

    def work(self):
        np, u = self.np, self.u

        @np.fuse
        def activate(a, b):
            return activation(np, a, b)

        @np.fuse
        def dot(a, b):
            return np.sum(a * b)

        @np.fuse
        def black(s, x, t):
            return price(np, s, x, t)

        @np.fuse
        def step(c, n, s, w, e):
            return c + 0.1 * (n + s + w + e - 4 * c)
        ten, day = np.fuse(chain), np.fuse(self.step)
        return {
            "Monte Carlo 1e6 x 252 float64": lambda: self.monte_carlo(day),
            "activation chain 1e8": lambda: activate(self.a, self.b),
            "sum(a*b) 1e8": lambda: dot(self.a, self.b),
            "ten small operations in a chain": lambda: ten(self.tiny),
            "Black-Scholes 5e7": lambda: black(self.s, self.x, self.t),
            "Laplace step 8192": lambda: step(u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:]),
        }

    def first(self, x, c):
        np = self.np

        @np.fuse
        def f(x, c):
            return np.sin(x) * c + np.exp(-x) * x + c
        return f(x, c)


class Jax(Peer):
    label = "jax"

    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        self.jax, self.np = jax, jax.numpy
        super().__init__()

    def put(self, a):
        return self.np.asarray(a)

    def wait(self, r):
        self.jax.block_until_ready(r)

    def first(self, x, c):
        np = self.np
        return self.jax.jit(lambda x, c: np.sin(x) * c + np.exp(-x) * x + c)(x, c)

    def work(self):
        np, jit, jax = self.np, self.jax.jit, self.jax
        a, b, rows, u, z = self.a, self.b, self.rows, self.u, self.z

        def monte_carlo(key):
            def day(k, s):
                return s * np.exp(DRIFT + SPREAD * jax.random.normal(jax.random.fold_in(key, k), (PATHS,), np.float64))
            return np.maximum(jax.lax.fori_loop(0, DAYS, day, np.full(PATHS, 100.0)) - 110, 0).mean()

        def mandel(c):
            def trip(i, state):
                z, count = state
                z = np.where(count == 255, z * z + c, z)
                out = (z.real * z.real + z.imag * z.imag >= 4) & (count == 255)
                return z, np.where(out, i, count)
            return jax.lax.fori_loop(0, 255, trip, (c * 0, np.full(c.shape, 255, np.int32)))[1]
        calls = {
            "Mandelbrot ufunc 2048x2048x255": (mandel, self.plane),
            "arctan2 ufunc 1e7": (np.arctan2, self.q, self.q2),
            "arctan2 ufunc of columns 1e7": (lambda p: np.arctan2(p[:, 1], p[:, 0]), self.p),
            "gufunc product 1e6 (2,4)(4,5)": (lambda a, b: np.matmul(a, b, precision="highest"), self.left, self.right),
            "FFT convolution 4096 complex64": (lambda f, g: np.fft.ifft2(np.fft.fft2(f) * np.fft.fft2(g)), self.image, self.mask),
            "Monte Carlo 1e6 x 252 float64": (monte_carlo, jax.random.key(7)),
            "10,000 solves 32x32 float32": (np.linalg.solve, self.systems, self.sides),
            "100 SVDs 64x64 float32": (np.linalg.svd, self.stack),
            "sort 1e8 float32": (np.sort, self.mixed),
            "copy 1e8 float32": (lambda a: a + 0, a),
            "sqrt 1e7": (np.sqrt, self.q),
            "arctan2 of columns 1e7": (lambda p: np.arctan2(p[:, 1], p[:, 0]), self.p),
            "activation chain 1e8": (lambda a, b: activation(np, a, b), a, b),
            "sum(a*b) 1e8": (lambda a, b: np.sum(a * b), a, b),
            "softmax 20000x5000": (lambda x: jax.nn.softmax(x, axis=1), rows),
            "mean axis 0": (lambda x: x.mean(axis=0), rows),
            "mean axis 1": (lambda x: x.mean(axis=1), rows),
            "var 1e8": (np.var, a),
            "Black-Scholes 5e7": (lambda s, x, t: price(np, s, x, t), self.s, self.x, self.t),
            "Laplace step 8192": (laplace, u),
            "transpose 8192": (lambda u: u.T + 0, u),
            "cumsum 1e8": (np.cumsum, a),
            "histogram 200 bins 1e8": (lambda b: np.histogram(b, bins=200, range=(0, 1))[0], b),
            "matrix product 4096 float32": (lambda f, g: np.matmul(f, g, precision="highest"), self.f, self.g),
            "matrix product 4096 float64": (lambda f: f @ f, self.f64),
            "a small operation alone": (lambda t: t + 1, self.tiny),
            "ten small operations in a chain": (chain, self.tiny),
        }
        update = jit(lambda w, u, z: w.at[1:, 1:].set(w[1:, 1:] + u[1:, :-1] + z[1:, :-1]), donate_argnums=0)

        def step():
            self.w = update(self.w, u, z)
            return self.w
        made = {name: (lambda f=jit(f), args=args: f(*args)) for name, (f, *args) in calls.items()}
        total = jit(np.sum)
        return made | {"slice update 8192": step, "x[x > 0.5] 1e8": lambda: b[b > 0.5],
                       "launch and read back": lambda: float(total(self.tiny))}


class Torch(Peer):
    label = "torch"

    def __init__(self):
        import torch
        self.np = self.torch = torch
        super().__init__()

    def put(self, a):
        return self.torch.from_numpy(a).cuda()

    def wait(self, r):
        self.torch.cuda.synchronize()

    def first(self, x, c):
        np = self.np
        return np.sin(x) * c + np.exp(-x) * x + c

    def compiled(self, f):
        return f

    def work(self):
        np, compiled = self.torch, self.compiled
        a, b, rows, u, z, w, o = self.a, self.b, self.rows, self.u, self.z, self.w, self.o

        def update(w, u, z):
            w[1:, 1:] = w[1:, 1:] + u[1:, :-1] + z[1:, :-1]
        calls = {
            "copy 1e8 float32": (lambda o, a: o.copy_(a), o, a),
            "sqrt 1e7": (np.sqrt, self.q),
            "arctan2 of columns 1e7": (lambda p: np.arctan2(p[:, 1], p[:, 0]), self.p),
            "activation chain 1e8": (lambda a, b: activation(np, a, b), a, b),
            "sum(a*b) 1e8": (lambda a, b: np.sum(a * b), a, b),
            "softmax 20000x5000": (lambda x: np.softmax(x, 1), rows),
            "mean axis 0": (lambda x: x.mean(0), rows),
            "mean axis 1": (lambda x: x.mean(1), rows),
            "var 1e8": (lambda a: np.var(a, correction=0), a),
            "Black-Scholes 5e7": (lambda s, x, t: price(np, s, x, t), self.s, self.x, self.t),
            "slice update 8192": (update, w, u, z),
            "Laplace step 8192": (laplace, u),
            "transpose 8192": (lambda w, u: w.copy_(u.T), w, u),
            "cumsum 1e8": (lambda a: np.cumsum(a, 0), a),
            "arctan2 ufunc 1e7": (np.arctan2, self.q, self.q2),
            "arctan2 ufunc of columns 1e7": (lambda p: np.arctan2(p[:, 1], p[:, 0]), self.p),
            "gufunc product 1e6 (2,4)(4,5)": (np.matmul, self.left, self.right),
            "FFT convolution 4096 complex64": (lambda f, g: np.fft.ifft2(np.fft.fft2(f) * np.fft.fft2(g)), self.image, self.mask),
            "a small operation alone": (lambda t: t + 1, self.tiny),
            "ten small operations in a chain": (chain, self.tiny),
            "x[x > 0.5] 1e8": (lambda b: b[b > 0.5], b),
            "histogram 200 bins 1e8": (lambda b: np.histc(b, 200, 0, 1), b),
            "matrix product 4096 float32": (np.matmul, self.f, self.g),
            "matrix product 4096 float64": (np.matmul, self.f64, self.f64),
            "10,000 solves 32x32 float32": (np.linalg.solve, self.systems, self.sides),
            "100 SVDs 64x64 float32": (np.linalg.svd, self.stack),
            "sort 1e8 float32": (lambda v: np.sort(v).values, self.mixed),
        }
        day = compiled(lambda s: s * np.exp(DRIFT + SPREAD * np.randn(PATHS, dtype=np.float64, device="cuda")))

        def monte_carlo():
            s = np.full((PATHS,), 100.0, dtype=np.float64, device="cuda")
            for _ in range(DAYS):
                s = day(s)
            return np.clamp(s - 110, min=0).mean()
        made = {name: (lambda f=compiled(f), args=args: f(*args)) for name, (f, *args) in calls.items()}
        made["Monte Carlo 1e6 x 252 float64"] = monte_carlo
        total = compiled(np.sum)
        return made | {"launch and read back": lambda: float(total(self.tiny))}


class TorchCompile(Torch):
    label = "torch.compile"

    def compiled(self, f):
        return self.torch.compile(f, dynamic=False)

    def first(self, x, c):
        return self.torch.compile(super().first)(x, c)


class Numba(Peer):
    label = "numba"

    def __init__(self):
        import warnings
        import numpy
        for gone, left in {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}.items():  # Numba looks for what NumPy 2.5 dropped
            if not hasattr(numpy, gone):
                setattr(numpy, gone, getattr(numpy, left))
        from numba import cuda
        warnings.simplefilter("ignore")
        self.cuda = cuda
        super().__init__()

    def put(self, a):
        return self.cuda.to_device(a)

    def wait(self, r):
        self.cuda.synchronize()

    def first_ufunc(self, x):
        from numba import vectorize

        @vectorize(["float32(float32)"], target="cuda")
        def fresh(x):
            return math.sin(x) * x + 3.25 * math.exp(-x * 1.125)
        return fresh(x)

    def first(self, x, c):
        out = self.cuda.device_array_like(x)

        @self.cuda.jit
        def f(x, c, out):
            i = self_grid(1)
            if i < x.size:
                out[i] = math.sin(x[i]) * c + math.exp(-x[i]) * x[i] + c
        self_grid = self.cuda.grid
        f[(x.size + 255) // 256, 256](x, c, out)
        return out

    def mandel(self):
        from numba import vectorize
        from numpy import int32

        @vectorize(["int32(complex64, int32)"], target="cuda")
        def mandel(c, n):
            z = c * 0
            for i in range(n):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag >= 4:
                    return i
            return n
        colours, limit = self.cuda.device_array((PLANE, PLANE), "int32"), int32(255)
        return lambda: mandel(self.plane, limit, out=colours)

    def multiply(self):
        from numba import guvectorize

        @guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda")
        def multiply(A, B, C):
            m, n = A.shape
            n, p = B.shape
            for i in range(m):
                for j in range(p):
                    C[i, j] = 0
                    for k in range(n):
                        C[i, j] += A[i, k] * B[k, j]
        out = self.cuda.device_array((PRODUCTS, 2, 5), "float32")
        return lambda: multiply(self.left, self.right, out)

    def angle(self, y, x):
        from numba import vectorize

        @vectorize(["float32(float32, float32)"], target="cuda")
        def angle(y, x):
            return math.atan2(y, x)
        return lambda: angle(y, x, out=self.o[:POINTS])

    def total(self):
        total = self.cuda.reduce(lambda a, b: a + b)
        return lambda: total(self.tiny)

    def prices(self):
        from numpy import float32
        cuda, (one, two, half) = self.cuda, map(float32, (1, 0.02, 0.5))
        g, w, a, b, c, d, e, v = map(float32, (0.2316419, 0.39894228, 0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429, 0.3))

        @cuda.jit(device=True)
        def cdf(x):
            k = one / (one + g * abs(x))
            y = w * math.exp(-half * x * x) * (k * (a + k * (b + k * (c + k * (d + k * e)))))
            return one - y if x > 0 else y

        @cuda.jit
        def price(s, x, t, o):
            i = cuda.grid(1)
            if i < s.size:
                root = math.sqrt(t[i])
                d1 = (math.log(s[i] / x[i]) + (two + half * v * v) * t[i]) / (v * root)
                o[i] = s[i] * cdf(d1) - x[i] * math.exp(-two * t[i]) * cdf(d1 - v * root)
        return lambda: price[(PRICES + 255) // 256, 256](self.s, self.x, self.t, self.o)

    def work(self):
        cuda = self.cuda
        from numba import float32 as nb_float32
        from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64
        from numpy import float32
        a, b, o, q, u = self.a, self.b, self.o, self.q, self.u
        tenth, four, most = float32(0.1), float32(4), float32(255)

        @cuda.jit
        def root(x, o):
            i = cuda.grid(1)
            if i < x.size:
                o[i] = math.sqrt(x[i])

        @cuda.jit
        def angle(p, o):
            i = cuda.grid(1)
            if i < p.shape[0]:
                o[i] = math.atan2(p[i, 1], p[i, 0])

        @cuda.jit
        def activate(a, b, o):
            i = cuda.grid(1)
            if i < a.size:
                v = (a[i] / most) * b[i]
                e, f = math.exp(v), math.exp(-v)
                o[i] = (e - f) / (e + f)

        @cuda.jit
        def step(u, o):
            j, i = cuda.grid(2)
            if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
                o[i, j] = u[i, j] + tenth * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - four * u[i, j])

        @cuda.jit
        def move(x, o):
            i = cuda.grid(1)
            if i < x.size:
                o[i] = x[i]

        @cuda.jit
        def turn(x, o):
            j, i = cuda.grid(2)
            if i < o.shape[0] and j < o.shape[1]:
                o[i, j] = x[j, i]

        @cuda.jit
        def update(w, u, z):
            j, i = cuda.grid(2)
            if 0 < i < w.shape[0] and 0 < j < w.shape[1]:
                w[i, j] = w[i, j] + u[i, j - 1] + z[i, j - 1]

        @cuda.jit
        def more(x, o):
            i = cuda.grid(1)
            if i < x.size:
                o[i] = x[i] + 1

        @cuda.jit
        def tiles(A, B, C):
            sA = cuda.shared.array(shape=(32, 32), dtype=nb_float32)
            sB = cuda.shared.array(shape=(32, 32), dtype=nb_float32)
            tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
            x, y = cuda.grid(2)
            acc = nb_float32(0)
            for i in range(cuda.gridDim.x):
                sA[ty, tx] = A[y, tx + i * 32]
                sB[ty, tx] = B[ty + i * 32, x]
                cuda.syncthreads()
                for j in range(32):
                    acc += sA[ty, j] * sB[j, tx]
                cuda.syncthreads()
            C[y, x] = acc

        @cuda.jit
        def paths(states, s):
            i = cuda.grid(1)
            if i < s.size:
                v = 100.0
                for _ in range(DAYS):
                    v = v * math.exp(DRIFT + SPREAD * xoroshiro128p_normal_float64(states, i))
                s[i] = v

        def monte_carlo():
            states, prices = create_xoroshiro128p_states(PATHS, seed=7), cuda.device_array(PATHS)
            return lambda: paths[blocks(PATHS), 256](states, prices)
        h, tile = cuda.device_array((4096, 4096), "float32"), ((128, 128), (32, 32))
        blocks = lambda n: (n + 255) // 256
        square = ((SIDE + 63) // 64, (SIDE + 3) // 4), (64, 4)
        return {
            "copy 1e8 float32": lambda: move[blocks(N), 256](a, o),
            "slice update 8192": lambda: update[square](self.w, u, self.z),
            "transpose 8192": lambda: turn[square](u, self.w),
            "Black-Scholes 5e7": later(self.prices),
            "launch and read back": later(self.total),
            "sqrt 1e7": lambda: root[blocks(POINTS), 256](q, o),
            "arctan2 of columns 1e7": lambda: angle[blocks(POINTS), 256](self.p, o),
            "activation chain 1e8": lambda: activate[blocks(N), 256](a, b, o),
            "Laplace step 8192": lambda: step[square](u, self.w),
            "Mandelbrot ufunc 2048x2048x255": later(self.mandel),
            "gufunc product 1e6 (2,4)(4,5)": later(self.multiply),
            "arctan2 ufunc 1e7": later(lambda: self.angle(q, self.b[POINTS:2 * POINTS])),
            "arctan2 ufunc of columns 1e7": later(lambda: self.angle(self.p[:, 1], self.p[:, 0])),
            "shared-memory product 4096": lambda: tiles[tile](self.f, self.g, h),
            "the same, unchecked": lambda: tiles[tile](self.f, self.g, h),
            "Monte Carlo 1e6 x 252 float64": later(monte_carlo),
            "a small operation alone": lambda: more[4, 256](self.tiny, self.tiny),
            "kernel launch": lambda: more[4, 256](self.tiny, self.tiny),
        }


PEERS = {peer.label: peer for peer in (Cupy, CupyFuse, Jax, Torch, TorchCompile, Numba)}
