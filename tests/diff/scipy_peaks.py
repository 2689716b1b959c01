# scipy.signal: filters and peaks.
import warnings
import numpy as np
from scipy import signal
from showing import numbers, show_scaled

warnings.simplefilter('ignore')


def show(name, f):
    show_scaled(name, f, floor=1e-9, last=True, mean=True)


# --- Butterworth's filters and others by their coefficients (scipy 1.17)
x = numbers(200) - 0.5
for order in (1, 2, 3, 4, 7):
    for w, kind in ((0.2, 'low'), (0.3, 'highpass'), ([0.2, 0.5], 'band'), ([0.2, 0.5], 'bandstop')):
        show((order, kind), lambda: signal.butter(order, w, kind))
        show('fs', lambda: signal.butter(order, np.array(w) * 50, kind, fs=100.0))
        b, a = signal.butter(order, w, kind)
        show('lfilter', lambda: signal.lfilter(b, a, x))
        show('filtfilt', lambda: signal.filtfilt(b, a, x))
        show('zi', lambda: signal.lfilter_zi(b, a))
        show('freqz', lambda: signal.freqz(b, a, 30, fs=5.0))
        show('freqz', lambda: signal.freqz(b, a, [0.1, 1.0]))
        for n in range(1):
            sos = signal.butter(order, w, kind, output='sos')
            show('sos', lambda: signal.sosfilt(sos, x))
            show('sos', lambda: signal.sosfiltfilt(sos, x))
            show(
                'zpk',
                lambda: (
                    np.sort_complex(signal.butter(order, w, kind, output='zpk')[1].round(6)),
                    signal.butter(order, w, kind, output='zpk')[2],
                ),
            )
        show('analog', lambda: signal.butter(order, w, kind, analog=True))
for b, a in (
    ([1.0], [1.0]),
    ([2.0, 1], [4.0]),
    ([1.0], [1, -0.5]),
    ([1, 2, 3], [2, 1.0]),
    ([1j], [1.0, 0.5]),
    ([1.0], [1.0, 1]),
):
    for v in (x, x.astype('f4'), np.arange(6), x[:100].reshape(4, 25), x + 1j * x[::-1]):
        show((b, a), lambda: signal.lfilter(b, a, v))
        show('zi', lambda: signal.lfilter(b, a, v, zi=np.ones(v.shape[:-1] + (max(len(a), len(b)) - 1,))))
        show('axis', lambda: signal.lfilter(b, a, numbers(5, 4), axis=0))
for kw in ({}, {'padtype': 'even'}, {'padtype': 'constant', 'padlen': 3}, {'padtype': None}, {'padlen': 0}):
    show('filtfilt', lambda: signal.filtfilt([0.2, 0.3], [1.0, -0.5], x, **kw))
    show('rows', lambda: signal.filtfilt([0.2, 0.3], [1.0, -0.5], x.reshape(20, 10), axis=0, **kw))
for f in (
    lambda: signal.butter(2, 1.5),
    lambda: signal.butter(2, 0.5, 'bogus'),
    lambda: signal.butter(2, 0.5, 'band'),
    lambda: signal.butter(2, [0.1, 0.5]),
    lambda: signal.butter(2, 80, fs=100),
    lambda: signal.butter(2, 0),
    lambda: signal.filtfilt([1.0], [1.0], x[:2]),
    lambda: signal.butter(2, 0.5, output='bogus'),
):
    show('refused', f)

# --- smoothing, medians, other rates (scipy 1.17)
for n in (11, 50):
    x = numbers(n)
    for window, order in ((5, 2), (7, 3), (11, 0), (4, 1)):
        for mode in ('interp', 'mirror', 'constant', 'nearest', 'wrap'):
            for deriv in (0, 1, 2):
                show(
                    ('savgol', n, window, order, mode, deriv),
                    lambda: signal.savgol_filter(x, window, order, deriv, 0.5, mode=mode),
                )
                show(
                    'rows',
                    lambda: signal.savgol_filter(
                        np.stack([x, x * x, x]).T.astype('f4'), window, order, deriv, axis=0, mode=mode
                    ),
                )
    for k in (None, 1, 3, 5):
        show('medfilt', lambda: signal.medfilt(x, k))
        show('medfilt', lambda: signal.medfilt(x[:10].reshape(2, 5), k))
    for m in (1, 2, 5, n - 1, n, n + 1, 2 * n, 3 * n + 1):
        show(('resample', n, m), lambda: signal.resample(x, m))
        show('complex', lambda: signal.resample(x + 1j * x[::-1], m))
        show('t', lambda: signal.resample(np.stack([x, x]), m, np.arange(n) * 0.5, axis=1))
        show('even', lambda: signal.resample(x[1:-1], m))
        show('complex', lambda: signal.resample(x[:-1] * 1j, m))
show('refused', lambda: signal.savgol_filter(x, 3, 3))
show('refused', lambda: signal.savgol_filter(x, 99, 3))
show('refused', lambda: signal.medfilt(x, 4))
show('oa', lambda: signal.oaconvolve(x, x[:9]))

# --- peaks (scipy 1.17)
for n in (0, 1, 2, 3, 10, 100, 400):
    for x in (numbers(n), (numbers(n) * 5).astype(int), np.sin(np.arange(n) / 3) + 0.1 * numbers(n), np.zeros(n)):
        for kw in (
            {},
            {'height': 0.5},
            {'height': (0.2, 0.8)},
            {'height': (None, 0.7)},
            {'threshold': 0.1},
            {'threshold': (0.1, 0.5)},
            {'distance': 4},
            {'distance': 10.5},
            {'prominence': 0.3},
            {'prominence': (0.2, 0.9), 'wlen': 11},
            {'width': 2},
            {'width': (1, 3), 'rel_height': 0.8},
            {'plateau_size': 2},
            {'plateau_size': (1, 1), 'height': 0},
            {'height': x * 0.0 + 0.4, 'distance': 3, 'prominence': 0.1, 'width': 0},
        ):
            show(
                (n, tuple(kw)),
                lambda: signal.find_peaks(x, **{k: v for k, v in kw.items() if k != 'distance' or x.dtype != int}),
            )  # which of equal ones is kept is not specified
        show('prominences', lambda: signal.peak_prominences(x, [1, 2][:n]))
        show('widths', lambda: signal.peak_widths(x, [1, 2][:n], 0.7))
        for order in (1, 3):
            show('max', lambda: signal.argrelmax(x, order=order))
            show('min', lambda: signal.argrelmin(x, order=order, mode='wrap'))
            show('equal', lambda: signal.argrelextrema(x, np.greater_equal, order=order))
show('rows', lambda: signal.argrelmax(numbers(6, 7), axis=1))
show('refused', lambda: signal.find_peaks(numbers(2, 2)))
show('refused', lambda: signal.find_peaks(numbers(5), distance=0))
show('refused', lambda: signal.peak_prominences(numbers(5), [7]))

# --- NaN among peaks, limits in an array, warnings of flat ones (scipy 1.17)
x = numbers(300) - 0.5
x[[7, 50, 51, 140]] = np.nan
x[200] = np.inf
for kw in (
    {},
    {'prominence': 0.2},
    {'prominence': 0.1, 'wlen': 9},
    {'width': (0.5, 4)},
    {'distance': 6, 'prominence': (None, 0.6), 'width': 0},
    {'height': np.array([0.1, 0.4])},
    {'prominence': [0.1, 0.9]},
):
    show(tuple(kw), lambda: signal.find_peaks(x, **kw))
for f in (
    lambda: signal.peak_prominences([0, 1, 1.0, 0], [1, 3]),
    lambda: signal.peak_widths([0, 1, 1.0, 0, 0, 0], [4]),
    lambda: signal.peak_prominences(x, [1]),
):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter('always')
        show('flat', f)
        print([(issubclass(w.category, RuntimeWarning), str(w.message)) for w in given])
show('refused', lambda: signal.peak_prominences(x, [1.5]))

# --- NaN in filters, scalar coefficients, errors and warnings (scipy 1.17)
x = numbers(40) - 0.5
x[[7, 30]] = np.nan, np.inf
for b, a in (([1.0, 2], [1.0]), ([1.0, 2, 3], 2.0), (2.0, 3.0), ([1.0], [1.0, 0.5]), (np.ones(9), [4.0])):
    show((b, a), lambda: np.isnan(signal.lfilter(b, a, x)).nonzero()[0])
    show((b, a), lambda: signal.lfilter(b, a, x[8:30]))
    show('zi', lambda: signal.lfilter(b, a, x[8:30], zi=np.ones(max(np.size(b), np.size(a)) - 1)))
show('refused', lambda: signal.lfilter([], [1.0], x))
show('refused', lambda: signal.butter(2.5, 0.3))
show('refused', lambda: signal.butter(-1, 0.3))
show('refused', lambda: signal.detrend(x))
show('half', lambda: signal.detrend(x[8:30].astype('f2')).itemsize)
show('half', lambda: signal.detrend(x[8:30].astype('f2'), type='constant').itemsize)
show('itself', lambda: signal.csd(x[8:30], x[8:30], nperseg=8))
y = x[8:30]
show('itself', lambda: signal.csd(y, y, nperseg=8))
for f in (
    lambda: signal.medfilt(x[:2], 5),
    lambda: signal.stft(x[8:30] * 1j, nperseg=8),
    lambda: signal.spectrogram(x[8:30] * 1j, nperseg=8),
    lambda: signal.stft(x[8:30] * 1j, nperseg=64),
    lambda: signal.stft(x[8:30] * 1j, nperseg=8, return_onesided=False),
    lambda: signal.welch(x[8:30] * 1j, nperseg=8),
):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter('always')
        show('warned', f)
        print([(w.category.__name__, str(w.message)) for w in given])

# --- second-order sections: values, dtypes, axes (scipy 1.17)
sos = signal.butter(4, 0.2, output='sos')
for v in (numbers(30), numbers(4, 5), numbers(3, 4, 2), numbers(6) * 1j, np.arange(7), numbers(9).astype('f4')):
    for axis in range(-v.ndim, v.ndim):
        zi = np.ones((2,) + v.shape[: axis % v.ndim] + (2,) + v.shape[axis % v.ndim + 1 :])
        for t in ('f8', 'f4'):
            show('sos', lambda: signal.sosfilt(sos.astype(t), v, axis))
            show('held', lambda: signal.sosfilt(sos.astype(t), v, axis, zi.astype(t)))
        show('refused', lambda: signal.sosfilt(sos, v, axis, zi[:1]))
        show('both', lambda: signal.sosfiltfilt(sos, v, axis, padlen=1))


# --- prominences of peaks, windows, unsorted indices (scipy 1.17)
def line(n, s):
    return np.arange(5, n + 5) ** 3 * 7919 * s % 1009


for n in (3, 10, 50, 400, 3000):
    for s in (1, 3, 7):
        for x in (
            line(n, s) * 1.0,
            line(n, s) // 100 * 1.0,
            np.cumsum(line(n, s) - 504.0),
            np.sin(np.arange(n) * 0.05 * s) * 10 // 1,
            np.where(line(n, s) % 50 == 0, np.nan, line(n, s) * 1.0),
        ):
            p = signal.find_peaks(x)[0]
            for wlen in (None, 3, 50.5):
                for q in (p, p[::-1], np.arange(n), np.append(p, p)):
                    for v in signal.peak_prominences(x, q, wlen) + signal.peak_widths(x, q, 0.3, wlen=wlen):
                        print('%.9g' % np.nansum(v * np.cos(np.arange(len(v)))), np.isnan(v).sum(), end=' ')
