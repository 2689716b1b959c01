# Every operation against every kind of store: a value computed before the store must not see it.
import numpy as np

UNARY = [np.negative, np.abs, np.sqrt, np.square, np.exp, np.sin, np.cos, np.floor, np.ceil, np.rint, np.sign, np.isnan,
         np.logical_not, np.reciprocal, np.tanh, np.log1p]
BINARY = [np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.power, np.maximum, np.minimum,
          np.less, np.equal, np.not_equal, np.greater_equal, np.arctan2, np.hypot, np.logical_and, np.copysign, np.fmod]
SHAPES = [lambda a: a + 0, lambda a: a.copy(), lambda a: a[::-1] * 1, lambda a: a[1:] - a[:-1], lambda a: (a * 2)[::2],
          lambda a: (a + 1).reshape(2, 3), lambda a: (a + 1).reshape(2, 3).T, lambda a: np.where(a > 2, a, -a),
          lambda a: np.clip(a, 1, 3), lambda a: a.astype(np.float32), lambda a: np.concatenate([a, a]),
          lambda a: np.stack([a, a + 1]), lambda a: np.repeat(a, 2), lambda a: np.tile(a, 2), lambda a: np.roll(a, 1),
          lambda a: a[[0, 2, 2]], lambda a: a[a > 2], lambda a: np.sort(a), lambda a: np.flip(a) + 0,
          lambda a: a[:, None] + a, lambda a: np.cumsum(a), lambda a: np.diff(a), lambda a: np.argsort(a),
          lambda a: np.broadcast_to(a, (2, 6)) + 0, lambda a: np.take(a, [1, 1])]
REDUCTIONS = [np.sum, np.prod, np.min, np.max, np.mean, np.var, np.std, np.any, np.all, np.argmin, np.argmax,
              np.count_nonzero, np.ptp, lambda a: a @ a, lambda a: np.dot(a, a + 1), lambda a: (a * a).sum(),
              lambda a: (a - a.mean()).max()]

def each(store):
    for kind, operations in (("unary", UNARY), ("binary", BINARY), ("shape", SHAPES), ("reduction", REDUCTIONS)):
        for i, f in enumerate(operations):
            a = np.array([1.0, 3, 2, 5, 4, 0.5])
            r = f(a, a[::-1] + 1) if kind == "binary" else f(a)
            store(a)
            print(kind, i, np.round(r * 1.0, 5).tolist())
    print(a.tolist())
# --- every element
def store(a):
    a[...] = 9
each(store)
# --- one element
def store(a):
    a[2] = 9
each(store)
# --- a slice
def store(a):
    a[1:4] = -1
each(store)
# --- every other element
def store(a):
    a[::2] = 7
each(store)
# --- the reverse
def store(a):
    a[::-1] = np.arange(6)
each(store)
# --- a mask
def store(a):
    a[a > 2] = 0
each(store)
# --- an integer array
def store(a):
    a[[0, 3]] = 8
each(store)
# --- addition in place
def store(a):
    a += 10
each(store)
# --- product of a slice in place
def store(a):
    a[2:] *= -1
each(store)
# --- through a view
def store(a):
    a[1:5][::2] = 6
each(store)
# --- through a reshape
def store(a):
    a.reshape(3, 2)[:, 0] = 5
each(store)
# --- fill
def store(a):
    a.fill(4)
each(store)
# --- the out argument
def store(a):
    np.multiply(a, 2, out=a)
each(store)
# --- sort in place
def store(a):
    a[::-1].sort()
each(store)
# --- itself shifted
def store(a):
    a[1:] = a[:-1]
each(store)
# --- a loop
def store(a):
    for i in range(6):
        a[i] = a[i - 1] + 1
each(store)
