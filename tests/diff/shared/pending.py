"""Helpers of diff/np_pending_products.py."""
import numpy as np
def data(*shape):
    n = int(np.prod(shape))
    return (np.arange(n) * 0.7548776662466927 % 1).reshape(shape)
def show(name, x):
    x = np.asarray(x, np.float64)
    print(name, x.shape, round(float(x.sum()), 6), x.reshape(-1)[::97][:5].round(9))
