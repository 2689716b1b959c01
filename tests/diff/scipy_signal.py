# scipy.signal: convolutions with all their arguments.
import numpy as np
from scipy import signal


def show(name, f):
    try:
        r = np.asarray(f())
        v = r.astype(complex).ravel()
        most = np.abs(v).max(initial=0) + 1e-300
        print(
            name,
            r.dtype,
            r.shape,
            '%.4g' % most,
            [
                ('%.2f %.2f' % (x.real * 100 / most, x.imag * 100 / most)).replace('-0.00', '0.00')
                for x in v[:9].tolist() + [v.sum() / max(v.size, 1)]
            ],
        )
    except Exception as e:
        print(name, type(e).__name__, e)


def numbers(*shape):
    return ((np.arange(int(np.prod(shape))) * 7919 + 13) % 1009 / 1009.0).reshape(shape)


MODES = 'full', 'same', 'valid'

# --- dtypes, modes and methods (scipy 1.17)
for n, m in ((1, 1), (9, 4), (4, 9), (40, 40), (700, 300), (300, 700), (5000, 601)):
    a, b = numbers(n) * 10, numbers(m + 5)[5:] * 4
    for x, y in (
        (a, b),
        (a.astype('f4'), b.astype('f4')),
        (a.astype(int), b.astype(int)),
        (a.astype('i2'), b.astype('u1')),
        (a + 1j * a[::-1], b),
        (a, b - 2j * b),
        (a[:50].astype('f4'), b[:50]),
    ):
        for mode in MODES:
            for method in ('auto', 'direct', 'fft'):
                show(('conv', n, m, mode, method), lambda: signal.convolve(x, y, mode, method))
                show('corr', lambda: signal.correlate(x, y, mode, method))
            show('fft', lambda: signal.fftconvolve(x, y, mode))

# --- several dimensions and axes (scipy 1.17)
for s, t in (
    ((6, 7), (2, 3)),
    ((2, 3), (6, 7)),
    ((6, 2), (3, 5)),
    ((30, 40), (21, 20)),
    ((3, 4, 5), (2, 2, 2)),
    ((5, 1, 4), (5, 3, 2)),
    ((4, 5), (1, 3)),
    ((4, 5), (4, 3)),
):
    a, b = numbers(*s), numbers(*t) - 0.3
    for mode in MODES:
        show(('nd', s, t, mode), lambda: signal.convolve(a, b, mode))
        show('corr', lambda: signal.correlate(a, b * 1j, mode))
        show('ints', lambda: signal.convolve((a * 10).astype(int), (b * 10).astype(int), mode))
        for axes in (None, 0, 1, -1, (0, 1), (1, 0), [], 3, (0, 0)):
            show(axes, lambda: signal.fftconvolve(a, b, mode, axes))
            show(axes, lambda: signal.fftconvolve(a.astype('f4'), b.astype('f4'), mode, axes=axes))
        for boundary in ('fill', 'wrap', 'symm', 'circular', 'symmetric'):
            for fill in (0, 2):
                show((boundary, fill), lambda: signal.convolve2d(a, b, mode, boundary, fill))
                show('corr', lambda: signal.correlate2d(a, b + 1j * b, mode, boundary, fill))

# --- scalars, empty arrays, ranks (scipy 1.17 and before 1.18)
for a, b in (
    (3.0, 2.0),
    (2 + 1j, 1j),
    ([], [1.0]),
    ([1.0], []),
    ([1.0, 2], [[1.0]]),
    ([[1.0]], 2.0),
    ([True, False, True], [True, True]),
):
    show((a, b), lambda: signal.convolve(a, b))
    show('corr', lambda: signal.correlate(a, b))
    show('fft', lambda: signal.fftconvolve(a, b))
    show('2d', lambda: signal.convolve2d(a, b))
    show('2d', lambda: signal.correlate2d(a, b))

# --- errors (scipy 1.17)
a = numbers(4, 5)
for f in (
    lambda: signal.convolve(a, a, 'bogus', 'direct'),
    lambda: signal.correlate(a, a, 'bogus'),
    lambda: signal.fftconvolve(a, a, 'bogus'),
    lambda: signal.convolve(a, a, 'full', 'bogus'),
    lambda: signal.convolve2d(a, a, 'full', 'bogus'),
    lambda: signal.convolve(a, a[0]),
    lambda: signal.convolve2d(a[0], a[0]),
    lambda: signal.correlate2d(a[0], a[0]),
    lambda: signal.convolve(a[:, :2], a[:2], 'valid'),
    lambda: signal.correlate(a[:, :2], a[:2], 'valid'),
    lambda: signal.fftconvolve(a, a[:3], axes=1),
):
    show('refused', f)
