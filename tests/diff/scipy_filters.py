# scipy.ndimage: filters with all their arguments.
import numpy as np
from scipy import ndimage as nd


def show(name, f):
    try:
        r = np.asarray(f())
        v = np.round(r.astype(complex), 5) + 0.0
        print(name, r.dtype, r.shape, v.ravel()[:9].tolist(), np.round(v.sum(), 2) + 0.0)
    except Exception as e:
        print(name, type(e).__name__, e)


def numbers(*shape):
    return ((np.arange(int(np.prod(shape))) * 7919 + 13) % 1009 / 1009.0).reshape(shape).round(3)


a, cube, k = numbers(7, 9) * 10, numbers(4, 5, 6), np.array([[1.0, 2, -1], [0, 3, 1]])
some, corner, v = np.array([[0, 1, 0], [1, 1, 0], [0, 1, 1]]), np.array([[1, 1], [0, 1]]), numbers(12) * 10
kinds = {'f8': a, 'i8': (a * 10).astype(int), 'u1': (a * 10).astype('u1'), 'f4': a.astype('f4'), '?': a > 5}
MODES = 'reflect', 'mirror', 'nearest', 'wrap', 'constant', 'grid-wrap', 'grid-mirror', 'grid-constant', 'bogus'

# --- weights (scipy 1.17)
for name, x in kinds.items():
    for mode in MODES:
        for f, along in ((nd.correlate, nd.correlate1d), (nd.convolve, nd.convolve1d)):
            show(name + mode, lambda: f(x, k, mode=mode, cval=1.5))
            show('origin', lambda: f(x, k, mode=mode, origin=(-1, 1)))
            show('along', lambda: along(x, [1, 2, 3, 4], 0, mode=mode, origin=1))
            show('along', lambda: along(x, [1, 2, 3, 4], mode=mode, origin=-2))
        show('bell', lambda: nd.gaussian_filter(x, 1.2, mode=mode))
        show('derived', lambda: nd.gaussian_filter(x, [1, 0.5], order=[1, 2], mode=mode))
for order in range(5):
    show('order', lambda: nd.gaussian_filter1d(v, 1.3, order=order))
    show('radius', lambda: nd.gaussian_filter1d(v, 1.3, order=order, radius=2))
    show('truncate', lambda: nd.gaussian_filter1d(v, 1.3, order=order, truncate=1.5))
show('complex', lambda: nd.correlate(a + 1j * a[::-1], k))
show('complex', lambda: nd.gaussian_filter(a + 2j * a, 1))
show('none', lambda: nd.gaussian_filter(a, 0))
show('number', lambda: nd.gaussian_filter(np.float64(3.0), 1))

# --- boxes and ranks (scipy 1.17)
for name, x in kinds.items():
    for mode in MODES:
        show(name + mode, lambda: nd.uniform_filter(x, (3, 4), mode=mode))
        show('mean', lambda: nd.uniform_filter(x, 7, mode=mode, origin=(1, -2)))
        show('max', lambda: nd.maximum_filter(x, 4, mode=mode, cval=3))
        show('min', lambda: nd.minimum_filter(x, (1, 7), mode=mode, origin=(0, 2)))
        show('max of', lambda: nd.maximum_filter(x, footprint=some, mode=mode, origin=(0, -1)))
        show('min of', lambda: nd.minimum_filter(x, footprint=corner, mode=mode))
        show('median', lambda: nd.median_filter(x, 3, mode=mode))
        show('of', lambda: nd.median_filter(x, footprint=some, mode=mode))
        show('even', lambda: nd.median_filter(x, (2, 4), mode=mode, origin=(0, 1)))
    for r in (2, -2, 9, -10):
        show('rank', lambda: nd.rank_filter(x, r, 3))
        show('rank of', lambda: nd.rank_filter(x, r, footprint=some))
    for p in (0, 20, 100, -10, 101):
        show('percent', lambda: nd.percentile_filter(x, p, (3, 2)))
        show('percent of', lambda: nd.percentile_filter(x, p, footprint=some))
for n in range(12):
    show(n, lambda: nd.maximum_filter1d(v, n, mode='wrap'))
    show(n, lambda: nd.minimum_filter1d(v, n, origin=-(n // 3)))
    show(n, lambda: nd.uniform_filter1d(v, n, mode='nearest'))
big = (numbers(3000, 40) * 100).astype('f4')
show('pieces', lambda: nd.median_filter(big, (9, 9)))
show('long', lambda: nd.maximum_filter(big, (101, 3)))
show('long', lambda: nd.uniform_filter(big, (64, 5)))

# --- where results go, axes, modes for each (scipy 1.17)
for name, x in kinds.items():
    for out in (float, np.float32, np.int32, 'u1'):
        if name == 'f8' and out in (np.int32, 'u1'):
            continue  # what a rounding error cuts off
        for f in (nd.uniform_filter, nd.maximum_filter, nd.median_filter):
            show(f.__name__, lambda: f(x, 3, output=out))
        for f in (nd.gaussian_filter, nd.gaussian_laplace, nd.gaussian_gradient_magnitude):
            show(f.__name__, lambda: f(x, 1, output=out))
        show('sobel', lambda: nd.sobel(x, 0, output=out))
        show('prewitt', lambda: nd.prewitt(x, output=out))
        show('laplace', lambda: nd.laplace(x, output=out))
        show('weights', lambda: nd.correlate(x, k, output=out))
    o = np.zeros(x.shape)
    for f in (nd.gaussian_filter, nd.maximum_filter, nd.median_filter, nd.uniform_filter):
        show('into', lambda: f(x, 3, output=o) is o)
        show('there', lambda: o)
    for f in (nd.gaussian_filter, nd.uniform_filter, nd.maximum_filter):
        show('modes', lambda: f(x, 3, mode=['wrap', 'nearest']))
    if name != '?':
        show('modes', lambda: nd.sobel(x, mode=['wrap', 'constant']))
        show('modes', lambda: nd.laplace(x, mode=['wrap', 'constant']))  # SciPy adds bytes
for axes in (None, 0, (0, 2), (2, 0), (-1,), (0, 0)):
    for f in (nd.gaussian_filter, nd.uniform_filter, nd.maximum_filter, nd.median_filter, nd.gaussian_laplace):
        show('axes', lambda: f(cube, 3, axes=axes))
    show('axes', lambda: nd.laplace(cube, axes=axes))
for axes in ((0, 2), (2, 0), (2, 1)):
    show('axes', lambda: nd.correlate(cube, k, axes=axes, origin=(0, 1)))
    show('axes', lambda: nd.convolve(cube, k, axes=axes))
    show('axes', lambda: nd.maximum_filter(cube, footprint=some, axes=axes))
    show('axes', lambda: nd.median_filter(cube, footprint=some, axes=axes))

# --- errors (scipy 1.17)
for f in (
    lambda: nd.correlate(a, [1, 2]),
    lambda: nd.correlate(a, k, origin=5),
    lambda: nd.correlate1d(a, [1, 2], origin=4),
    lambda: nd.maximum_filter(a),
    lambda: nd.median_filter(a),
    lambda: nd.maximum_filter(a, 3, origin=7),
    lambda: nd.uniform_filter(a, 3, origin=7),
    lambda: nd.median_filter(a, 3, origin=7),
    lambda: nd.gaussian_filter(a, 1, order=-1),
    lambda: nd.maximum_filter(a + 1j, 3),
    lambda: nd.gaussian_filter(a, [1, 2, 3]),
    lambda: nd.uniform_filter1d(v, 0),
    lambda: nd.maximum_filter1d(v, 0),
    lambda: nd.sobel(a, 3),
    lambda: nd.gaussian_filter1d(v, 1, radius=1.5),
    lambda: nd.correlate1d(v, []),
    lambda: nd.maximum_filter(a, footprint=np.zeros((3, 3))),
    lambda: nd.correlate1d(v, [1, 2], output=np.zeros(3)),
    lambda: nd.maximum_filter(a, footprint=[1, 1]),
):
    show('refused', f)
