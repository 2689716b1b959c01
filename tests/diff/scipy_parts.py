# The parts of SciPy that tutorials use beside sparse matrices, against SciPy itself.
# --- special (scipy 1.10)
from scipy.special import erf, erfc, gamma, gammaln, expit, logit, xlogy, ndtr, logsumexp, softmax, factorial
x = np.linspace(-3, 3, 7)
for f in (erf, erfc, expit, ndtr):
    print(np.round(f(x), 9), f(x.astype(np.float32)).dtype)
print(np.round(gamma([0.5, 1, 4.5]), 9), np.round(gammaln([0.5, 1, 30.0]), 9), np.round(logit([0.1, 0.5]), 9), np.round(xlogy([0.0, 2.0], [0.0, 3.0]), 9))
print(np.round(logsumexp([[1.0, 2], [1000, 1001]], axis=1), 9), np.round(logsumexp([0.0, 1], b=[1, 2]), 9), np.round(softmax(x.reshape(1, 7), axis=1), 9))
print(factorial([0, 3, 5]), factorial(4), factorial(10, exact=True))
# --- ndimage (scipy 1.10)
from scipy import ndimage
img = np.sin(np.arange(42.0)).reshape(6, 7)
k = np.array([[1.0, 2, 0], [0, -1, 3], [2, 0, 1]])
for mode in ('reflect', 'mirror', 'nearest', 'wrap', 'constant'):
    print(np.round(ndimage.convolve(img, k, mode=mode, cval=2.0), 8), np.round(ndimage.correlate(img, k[:2, :], mode=mode), 8).sum().round(7))
    print(np.round(ndimage.gaussian_filter(img, 0.7, mode=mode), 8)[0], np.round(ndimage.convolve(img, k[:2, :2], mode=mode), 8)[-1])
print(np.round(ndimage.gaussian_filter(img, [1, 0.5]), 8)[2], np.round(ndimage.gaussian_filter1d(img, 1.5, axis=0, order=1), 8)[1])
print(np.round(ndimage.sobel(img), 8)[0], np.round(ndimage.sobel(img, 0), 8)[1], np.round(ndimage.prewitt(img), 8)[2], np.round(ndimage.laplace(img), 8)[3])
whole = (img * 10).astype(int)
print(ndimage.convolve(whole, [[1, 0], [2, 1]]), ndimage.uniform_filter(img, 3).round(8)[0], ndimage.uniform_filter(img, (1, 4)).round(8)[1])
print(ndimage.median_filter(whole, 3), ndimage.median_filter(whole, (2, 3))[1], ndimage.maximum_filter(whole, 3)[2], ndimage.minimum_filter(whole, size=(3, 1))[0])
print(ndimage.convolve1d(img, [1, 2, 3], axis=0).round(8)[0], ndimage.correlate1d(img, [1, 2, 3, 4]).round(8)[0])
try:
    ndimage.convolve(img, [1, 2])
except RuntimeError as e:
    print(e)
# --- signal (scipy 1.10)
from scipy import signal
a, b = np.sin(np.arange(30.0)).reshape(5, 6), np.cos(np.arange(6.0)).reshape(3, 2)
for mode in ('full', 'same', 'valid'):
    print(np.round(signal.convolve2d(a, b, mode), 8), np.round(signal.fftconvolve(a, b, mode), 8).sum().round(6))
    print(np.round(signal.convolve(a[0], b[:, 0], mode), 8), np.round(signal.correlate(a[0], b[:, 0], mode), 8), np.round(signal.correlate2d(a, b, mode), 8)[0])
for boundary in ('wrap', 'symm'):
    print(np.round(signal.convolve2d(a, b, 'same', boundary), 8), np.round(signal.convolve2d(a, b, 'full', boundary), 8)[0])
print(np.round(signal.convolve2d(a, b, 'same', 'fill', 3), 8)[0], signal.convolve([1, 2, 3], [1, 1]), signal.fftconvolve([1j, 2], [1, 1]).round(8))
try:
    signal.convolve(a, [1, 2])
except ValueError as e:
    print(e)
