# scipy.fft: FFT with SciPy's arguments, DCT, DST.
import numpy as np
import scipy.fft as sf
from showing import numbers, show_scaled


def show(name, f):
    show_scaled(name, f, last=True)


# --- by cosines and sines (scipy 1.17)
for f in (sf.dct, sf.idct, sf.dst, sf.idst):
    for n in (2, 3, 4, 5, 8, 17, 100, 1001):
        for kind in (1, 2, 3, 4):
            for norm in (None, 'backward', 'ortho', 'forward'):
                for orthogonalize in (None, True, False):
                    show(
                        (f.__name__, n, kind, norm, orthogonalize),
                        lambda: f(numbers(n), kind, norm=norm, orthogonalize=orthogonalize),
                    )
            for t in ('f4', 'f2', 'i4', '?', 'c16', 'c8'):
                (
                    show(t, lambda: f((numbers(n) * 3).astype(t), kind))
                    if t != 'c8'
                    else show(t, lambda: f((numbers(n) + 0.7j * numbers(n)[::-1]).astype(t), kind))
                )

# --- axes and lengths (scipy 1.17)
a = numbers(4, 5, 6)
for f in (sf.dct, sf.idct, sf.dst, sf.idst):
    for axis in (0, 1, -1):
        for n in (None, 3, 9):
            show((f.__name__, axis, n), lambda: f(a, 2, n, axis))
            show('ortho', lambda: f(a[::-1, :, ::2], 3, n, axis, 'ortho'))
    show('one', lambda: f([3.0]))
    show('none', lambda: f(np.zeros((2, 3))))
for f in (sf.dctn, sf.idctn, sf.dstn, sf.idstn):
    for kind in (1, 2, 3, 4):
        show((f.__name__, kind), lambda: f(a, kind))
        show('axes', lambda: f(a, kind, axes=(0, 2), norm='ortho'))
        show('shape', lambda: f(a, kind, s=(3, 7)))
        show('shape', lambda: f(a, kind, (3, 7), (1, 0)))
show('refused', lambda: sf.dctn(a, s=(3,), axes=(0, 1)))

# --- by exponentials (scipy 1.17)
for t in ('f8', 'f4', 'f2', 'i4', 'c16', 'c8'):
    for n in (2, 7, 12, 100):
        x = (numbers(n) * 9).astype(t)
        for f in (sf.fft, sf.ifft, sf.rfft, sf.irfft, sf.hfft, sf.ihfft):
            show((f.__name__, t, n), lambda: f(x))
            show('n', lambda: f(x, 9))
            show('ortho', lambda: f(x, norm='ortho'))
            show('workers', lambda: f(x, workers=1, overwrite_x=False))
    x = (numbers(4, 6) * 9).astype(t)
    for f in (sf.fft2, sf.ifft2, sf.rfft2, sf.irfft2, sf.fftn, sf.ifftn, sf.rfftn, sf.irfftn):
        show((f.__name__, t), lambda: f(x))
        show('s', lambda: f(x, (3, 8)))
        show('axes', lambda: f(x, axes=(1, 0), norm='forward'))
show('freq', lambda: sf.fftfreq(5, 0.1))
show('freq', lambda: sf.rfftfreq(6, 0.1))
show('shift', lambda: sf.fftshift(sf.fftfreq(6)))
show('shift', lambda: sf.ifftshift(np.arange(5)))
print(
    [sf.next_fast_len(n) for n in (0, 1, 2, 13, 17, 97, 1021, 4099, 10007)],
    [sf.next_fast_len(n, True) for n in (1, 7, 11, 13, 97, 1021, 4099, 10007)],
)

# --- several transforms at once, in any layout (scipy 1.17)
for f in (sf.dct, sf.idst):
    for kind in (1, 2, 3, 4):
        for k, (shape, axis) in enumerate(
            (
                ((40, 3), 0),
                ((40, 9), 0),
                ((33, 21), 0),
                ((21, 33), 1),
                ((5, 30, 7), 1),
                ((5, 6, 70), 0),
                ((2, 3, 4, 5, 6, 9), 4),
            )
        ):
            x = numbers(*shape).astype('f4' if k % 2 else 'f8')
            show((f.__name__, kind, shape), lambda: f(x, kind, axis=axis, norm='ortho'))
            show('turned', lambda: f(x.T, kind, axis=x.ndim - 1 - axis))
        show('strided', lambda: f(numbers(20, 18)[::-1, 1::2], kind, axis=0))
        show('strided', lambda: f(numbers(20, 18)[:, ::-2], kind))
        show('cut', lambda: f(numbers(20, 18), kind, 4, 0))
        show('pending', lambda: f(numbers(20, 18) * 2 + 1, kind))
        show('complex', lambda: f(numbers(4, 30) - 2j * numbers(4, 30)[::-1], kind, axis=0))
        show('none', lambda: f(np.zeros((0, 3)), kind))
        show('none', lambda: f(np.zeros((3, 0)), kind))
        show('one', lambda: f(np.ones((3, 1)), kind))
    show('axis', lambda: f(np.ones(3), axis=1))
    show('type', lambda: f(np.ones(3), 5))
    show('norm', lambda: f(np.ones(3), norm='x'))
    show('n', lambda: f(np.ones(3), n=0))

# --- long lines (scipy 1.17)
for f in (sf.dct, sf.dst):
    for kind in (1, 2, 3, 4):
        for n in (4096, 16385, 100000):
            show((f.__name__, kind, n), lambda: f(numbers(n), kind))
        show('float32', lambda: f(numbers(3, 6001).astype('f4'), kind))
        show('columns', lambda: f(numbers(5000, 2), kind, axis=0))
        show('odd', lambda: f(numbers(7203), kind))
