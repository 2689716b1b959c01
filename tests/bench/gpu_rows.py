"""The rows of the GPU benchmark: name, minimum memory traffic in bytes (for the column `of copy`, the share of the speed of a
copy; 0: not bound by memory), and goal in ms. gpu.gpa has gpa's programs, gpu_peers.py those of the peers, by the same names."""

N, SIDE, POINTS, PRICES = 100_000_000, 8192, 10_000_000, 50_000_000
PATHS, SYSTEMS, PRODUCTS, PLANE = 1_000_000, 10_000, 1_000_000, 2048

ROWS = {  # name: (bytes, goal in ms)
    "copy 1e8 float32": (8 * N, None),
    "sqrt 1e7": (8 * POINTS, 0.035),
    "arctan2 of columns 1e7": (12 * POINTS, 0.055),
    "activation chain 1e8": (12 * N, 0.41),
    "sum(a*b) 1e8": (8 * N, 0.275),
    "softmax 20000x5000": (8 * N, 0.285),
    "mean axis 0": (4 * N, 0.15),
    "mean axis 1": (4 * N, 0.15),
    "var 1e8": (4 * N, 0.145),
    "Black-Scholes 5e7": (16 * PRICES, 0.28),
    "slice update 8192": (16 * SIDE * SIDE, 0.37),
    "Laplace step 8192": (8 * SIDE * SIDE, 0.20),
    "transpose 8192": (8 * SIDE * SIDE, None),
    "cumsum 1e8": (8 * N, 0.5),
    "x[x > 0.5] 1e8": (6 * N, 0.45),
    "histogram 200 bins 1e8": (4 * N, 0.15),
    "matrix product 4096 float32": (0, None),
    "matrix product 4096 float64": (0, None),
    "Mandelbrot ufunc 2048x2048x255": (0, 0.16),
    "gufunc product 1e6 (2,4)(4,5)": (152 * PRODUCTS, 0.07),
    "arctan2 ufunc 1e7": (12 * POINTS, None),
    "arctan2 ufunc of columns 1e7": (12 * POINTS, None),
    "shared-memory product 4096": (0, None),
    "the same, unchecked": (0, None),
    "FFT convolution 4096 complex64": (0, 0.90),
    "Monte Carlo 1e6 x 252 float64": (0, 1.7),
    "10,000 solves 32x32 float32": (0, None),
    "100 SVDs 64x64 float32": (0, None),
    "sort 1e8 float32": (0, 2.6),
    "400 MB to the device": (0, 8.0),
    "400 MB to the host": (0, 8.0),
    "a small operation alone": (0, None),
    "ten small operations in a chain": (0, 0.010),
    "launch and read back": (0, 0.020),
    "kernel launch": (0, 0.006),
}
AROUND = {  # measured from outside, in processes of their own
    "first call of an expression": 1.0,
    "the same after a restart": 1.5,
    "first call of a ufunc": 1.0,
    "start to first result": 300.0,
}
