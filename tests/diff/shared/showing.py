"""Helpers of the differential tests: each prints a result, or the error instead; CPython and gpa run the same text."""
import numpy as np


def attempt(f, *args, **named):
    """The result of one call."""
    try:
        print(repr(f(*args, **named)))
    except Exception as e:
        print(type(e).__name__, e)


def tell(*calls):
    """The results of calls without arguments, one a line."""
    for f in calls:
        attempt(f)


def outcome(f):
    """The result of a call, or the type and message of its exception."""
    try:
        return f()
    except Exception as error:
        return type(error).__name__, str(error)


def show(f):
    """The result of a call, or its exception, SystemExit included."""
    try:
        print(repr(f()))
    except BaseException as e:
        print(type(e).__name__ + ":", e)


def numbers(*shape):
    """Numbers between 0 and 1 in no order."""
    return (np.arange(5, int(np.prod(shape)) + 5) ** 3 * 7919 % 1009 / 1009.0).reshape(shape)


def show_scaled(name, f, first=9, floor=1e-30, last=False, mean=False, percent=1e-6, single=5e-3):
    """Arrays in percent of their largest element (or of `floor`): the first elements, the last one, the mean. Of a tuple each
    array, of a dictionary in it each value after its key. `percent`: the tolerance, `single`: that of single precision."""
    try:
        results = f()
        for r in results if isinstance(results, tuple) else (results,):
            for key, value in r.items() if isinstance(r, dict) else ((None, r),):
                if key is not None:
                    print(key, end=' ')
                array = np.asarray(value)
                z = array.astype(complex)
                most = max(abs(z).max(initial=0), floor)
                shown = z.ravel()[:first].tolist()
                if last:
                    shown.append(z.ravel()[-1] if z.size else 0j)
                if mean:
                    shown.append(z.sum() / max(z.size, 1))
                tolerance = single if array.dtype in (np.float16, np.float32, np.complex64) else percent
                parts = [part * 100 / most for x in shown for part in (x.real, x.imag)]
                # An absolute tolerance of the logarithm is a relative one of the number.
                print(name, array.dtype, array.shape, f'{np.log10(most):.12g}±{tolerance / 200:g}', end=' ')
                print([f'{part:.12g}±{tolerance:g}' for part in parts])
    except Exception as e:
        # Some versions of SciPy show an internal assertion for empty transforms.
        print(name, type(e).__name__, 'zero-length FFT requested' if 'zero-sized FFTs' in str(e) else e)
