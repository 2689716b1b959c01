"""Matrices for the tests of numpy.linalg, and helpers that print and judge what it returns."""
import numpy as np

TYPES = ['int8', 'int64', 'float32', 'float64', 'complex64', 'complex128', 'bool']


def data(*shape, dtype='float64'):
    n = 1
    for k in shape:
        n *= k
    t = np.arange(n) * 1.7 + 0.3
    x = (np.sin(t) * 3 + np.cos(t * t)).reshape(shape)
    if dtype[0] == 'c':
        x = x + 1j * np.cos(t * 2.1).reshape(shape)
    return x.astype(dtype)


def good(*shape, dtype='float64'):
    return data(*shape, dtype=dtype) + (4 * shape[-1] * np.eye(shape[-1])).astype(dtype)


def definite(*shape, dtype='float64'):
    x = data(*shape, dtype=dtype)
    return (x @ np.conj(x.swapaxes(-1, -2)) + (np.eye(shape[-1]) * shape[-1]).astype(dtype)).astype(dtype)


def show(*xs):
    for x in xs:
        x = np.asarray(x)
        single = x.dtype in (np.float32, np.complex64)
        digits = 2 if single else 6
        size = float(np.abs(x).max()) if x.size else 1.0
        x64 = x.astype(complex) / (size if size > 1 else 1.0)
        print(
            x.dtype,
            x.shape,
            float(f"{size:.{3 if single else 8}g}"),
            np.round(x64.real, digits).ravel()[:9] + 0.0,
            np.round(x64.imag, digits).ravel()[:9] + 0.0,
        )


def near(x, y):
    single = x.dtype in (np.float32, np.complex64)
    return (
        x.shape == y.shape and bool(np.abs(x - y).max() <= (1e-3 if single else 1e-9) * (1 + np.abs(y).max()))
        if x.size
        else x.shape == y.shape
    )


def unitary(q):
    return near(
        np.conj(q.swapaxes(-1, -2)) @ q,
        np.broadcast_to(np.eye(q.shape[-1], dtype=q.dtype), q.shape[:-2] + (q.shape[-1],) * 2),
    )
