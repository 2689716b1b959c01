# scipy.signal: windows, periodogram, welch, spectrogram.
import warnings
import numpy as np
from scipy import signal
from showing import numbers, show_scaled

warnings.simplefilter('ignore')


def show(name, f):
    show_scaled(name, f, floor=1e-9, last=True, mean=True)


# --- windows (scipy 1.17)
for n in (0, 1, 2, 3, 8, 51):
    for sym in (True, False):
        for name in (
            'boxcar',
            'hann',
            'hamming',
            'blackman',
            'nuttall',
            'blackmanharris',
            'flattop',
            'bartlett',
            'triang',
            'cosine',
            'tukey',
        ):
            show((name, n, sym), lambda: getattr(signal.windows, name)(n, sym=sym))
        for alpha in (0, 0.1, 0.9, 1):
            show('tukey', lambda: signal.windows.tukey(n, alpha, sym))
        show('gaussian', lambda: signal.windows.gaussian(n, 3.0, sym))
        show('kaiser', lambda: signal.windows.kaiser(n, 5.0, sym))
        show('cosines', lambda: signal.windows.general_cosine(n, [0.4, 0.3, 0.3], sym))
    for w in ('hann', 'hanning', 'hamming', 'rect', ('tukey', 0.3), ('gaussian', 2.0), ('kaiser', 4.0), 4.0):
        show(w, lambda: signal.get_window(w, n))
        show(w, lambda: signal.get_window(w, n, False))
for w in ('bogus', 'gaussian', 'kaiser'):
    show(w, lambda: signal.get_window(w, 5))

# --- densities (scipy 1.17)
for n in (50, 333, 1024):
    x, y = numbers(n) - 0.5, np.sqrt(numbers(n + 3)[3:])
    for a, b in ((x, y), (x.astype('f4'), y.astype('f4')), (x + 1j * y, y), (np.stack([x, y, x * y]), x)):
        for kw in (
            {},
            {'fs': 100.0},
            {'nperseg': 32},
            {'nperseg': 33, 'noverlap': 7},
            {'window': 'hamming', 'nperseg': 40, 'nfft': 64},
            {'window': ('tukey', 0.3), 'nperseg': 16, 'detrend': False},
            {'nperseg': 20, 'detrend': 'linear', 'scaling': 'spectrum'},
            {'return_onesided': False, 'nperseg': 24},
            {'nperseg': 16, 'average': 'median'},
            {'window': np.arange(1.0, 20)},
        ):
            show(('welch', n, tuple(kw)), lambda: signal.welch(a, **kw))
            show('csd', lambda: signal.csd(a, b, **kw))
            show('csd', lambda: signal.csd(a, b[:40] if a.ndim == 1 else b, **kw))
        show(
            'coherence',
            lambda: (
                signal.coherence(a.astype('f8'), b.astype('f8'), 10.0, nperseg=20)
                if a.dtype.kind == 'f'
                else signal.coherence(a, b, 10.0, nperseg=20)
            ),
        )
        for kw in (
            {},
            {'fs': 8.0, 'window': 'hann'},
            {'nfft': 64},
            {'nfft': 2000},
            {'scaling': 'spectrum', 'detrend': 'linear'},
        ):
            show(('periodogram', n, tuple(kw)), lambda: signal.periodogram(a, **kw))
        for kw in (
            {},
            {'nperseg': 30},
            {'nperseg': 31, 'noverlap': 30, 'fs': 5.0},
            {'mode': 'complex', 'nperseg': 16},
            {'mode': 'magnitude', 'nperseg': 16},
            {'mode': 'angle', 'nperseg': 16, 'window': 'hamming'},
            {'scaling': 'spectrum', 'nperseg': 16},
        ):
            show(('spectrogram', n, tuple(kw)), lambda: signal.spectrogram(a, **kw))
a = numbers(3, 200, 2)
for axis in (1, -2):
    show('welch', lambda: signal.welch(a, axis=axis, nperseg=32))
    show('spectrogram', lambda: signal.spectrogram(a, axis=axis, nperseg=32))
    show('stft', lambda: signal.stft(a, axis=axis, nperseg=32))
    show('periodogram', lambda: signal.periodogram(a, axis=axis))
    show('csd', lambda: signal.csd(a, a[::-1], axis=axis, nperseg=32))
show('nothing', lambda: signal.welch([]))
show('nothing', lambda: signal.periodogram([]))
for kw in (
    {'noverlap': 300},
    {'nfft': 3},
    {'scaling': 'bogus'},
    {'average': 'bogus'},
    {'window': 'bogus'},
    {'nperseg': 5, 'window': np.ones(4)},
):
    show('refused', lambda: signal.welch(numbers(400), **kw))

# --- short transforms and back (scipy 1.17)
for n in (60, 333):
    for x in (numbers(n) - 0.5, numbers(n).astype('f4'), numbers(n) + 1j * numbers(n)[::-1], numbers(2, n)):
        for kw in (
            {},
            {'nperseg': 16},
            {'nperseg': 15, 'noverlap': 10, 'fs': 4.0},
            {'nperseg': 16, 'boundary': None},
            {'nperseg': 16, 'boundary': 'even'},
            {'nperseg': 16, 'boundary': 'odd', 'padded': False},
            {'nperseg': 16, 'boundary': 'constant', 'scaling': 'psd'},
            {'nperseg': 16, 'nfft': 32, 'window': 'hamming', 'detrend': 'constant'},
            {'nperseg': 16, 'return_onesided': False},
        ):
            show((n, tuple(kw)), lambda: signal.stft(x, **kw))
        show(
            'back',
            lambda: signal.istft(
                signal.stft(x, nperseg=16, return_onesided=False)[2], nperseg=16, input_onesided=False
            )[1],
        )
        show(
            'back',
            lambda: signal.istft(signal.stft(x.real, 4.0, nperseg=15, noverlap=10)[2], 4.0, nperseg=15, noverlap=10)[1],
        )
        show(
            'back',
            lambda: signal.istft(
                signal.stft(x.real, nperseg=16, window='hamming', boundary=None)[2], window='hamming', boundary=False
            )[1],
        )
        print(len(signal.istft(signal.stft(numbers(n))[2], 2.0)[0]))
        show('hilbert', lambda: signal.hilbert(x.real))
        show('hilbert', lambda: signal.hilbert(x.real, 50))
        show('hilbert', lambda: signal.hilbert(x))
        show('detrend', lambda: signal.detrend(x))
        show('detrend', lambda: signal.detrend(x, type='constant'))
        show('detrend', lambda: signal.detrend(x, bp=[10, 30]))
        show('detrend', lambda: signal.detrend(np.arange(10) ** 2))
        show('axis', lambda: signal.detrend(numbers(6, 5), 0))

# --- rows laid over each other: overlaps, dtypes, axes (scipy 1.17)
for t in ('f8', 'f4', 'c16', 'c8'):
    x = np.stack([numbers(300), numbers(300)[::-1] ** 2]).astype(t)
    x = x if t[0] == 'f' else (x * (1 + 0.5j)).astype(t)
    for size, over in ((16, 8), (16, 12), (16, 15), (15, 4), (16, 3), (100, 99), (256, 128)):
        z = signal.stft(x, nperseg=size, noverlap=over, return_onesided=t[0] == 'f')[2]
        show((t, size, over), lambda: signal.istft(z, nperseg=size, noverlap=over, input_onesided=t[0] == 'f')[1])
        show(
            'axes',
            lambda: signal.istft(
                np.moveaxis(z, -1, 0),
                nperseg=size,
                noverlap=over,
                input_onesided=t[0] == 'f',
                time_axis=0,
                freq_axis=-1,
            )[1],
        )
        if t in ('f8', 'c16'):
            show(
                'no boundary',
                lambda: signal.istft(
                    z, nperseg=size, noverlap=over, input_onesided=t[0] == 'f', boundary=False, scaling='psd', fs=3.0
                )[1],
            )
