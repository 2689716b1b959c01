# NumPy's small classes: vectorize, broadcast, ndindex, ndenumerate; flags; views by strides; sets.
from showing import attempt

# --- vectorize
f = np.vectorize(lambda a, b: a - b if a > b else a + b, doc='words')
print(repr(f([1, 2, 3, 4], 2)), f.__doc__, repr(f(1, 2)), repr(f([[1.5], [3]], [1, 2])))
calls = []


def noted(a, p=1):
    calls.append(a)
    return a * p


g = np.vectorize(noted)
print(g([1, 2]), calls, g([1, 2], p=[3, 4]), g([1, 2], 5), g(a=[1, 2]))
calls.clear()
g = np.vectorize(noted, cache=True, otypes='f')
print(repr(g([1, 2])), calls)
calls.clear()
g = np.vectorize(noted, cache=True)
print(repr(g([1, 2])), calls)
print(
    repr(np.vectorize(lambda a: a, otypes=[float])([1, 2])),
    repr(np.vectorize(lambda a: a, otypes=[np.int8, 'f'] and 'b')([1.7, 2])),
    np.vectorize(lambda a: (a, a / 2))([[1, 2]]),
    np.vectorize(lambda: 3)(),
)


def mypolyval(p, x):
    _p = list(p)
    res = _p.pop(0)
    while _p:
        res = res * x + _p.pop(0)
    return res


v = np.vectorize(mypolyval, excluded=['p'])
print(v(p=[1, 2, 3], x=[0, 1]))
v = np.vectorize(mypolyval, excluded={0})
print(v([1, 2, 3], x=[0, 1]))
print(v.pyfunc is mypolyval, v.excluded, v.signature, v.otypes, v.cache)


@np.vectorize
def identity(x):
    "the words"
    return x


@np.vectorize(otypes=[float])
def as_float(x):
    return x


print(identity([0, 1]), identity.__doc__, as_float([0, 1]), identity.__name__)
attempt(np.vectorize, 3)
attempt(np.vectorize, len, otypes='z')
attempt(np.vectorize, len, otypes=3)
attempt(np.vectorize(lambda a: a), [])
attempt(np.vectorize(lambda a: a, otypes='d'), [])
attempt(np.vectorize(lambda a: [a]), [1, 2])
attempt(np.vectorize(lambda a, b: a), [1, 2], [1, 2, 3])

for t, r in (('f', 1j), ('i', 1j), ('i', np.nan), ('l', -2.9), ('F', 2.5), ('?', 2j)):
    attempt(np.vectorize(lambda x: x * r, otypes=t), [1, 1])

# --- vectorize with a signature
c = np.vectorize(np.convolve, signature='(n),(m)->(k)')
print(c(np.eye(4), [1, 2, 1]))
d = np.vectorize(lambda x, y: (x.sum(), x * y), signature='(n),(n)->(),(n)')
print(d(np.arange(6).reshape(2, 3), [1, 2, 3]), d([1, 2], [3, 4]))
print(np.vectorize(lambda x: x.sum(), signature='( n ) -> ()', otypes=[float])(np.ones((2, 3), int)))
attempt(np.vectorize, len, signature='(n)')
attempt(np.vectorize, len, signature='n->()')
attempt(np.vectorize, len, signature='(n->()')
attempt(d, [1, 2], [1, 2, 3])
attempt(d, 1, [2])
attempt(d, [1])
attempt(np.vectorize(lambda x: (x, x), signature='(n)->(n)'), [1])
attempt(np.vectorize(lambda x: x, signature='(n)->(n)'), np.ones((0, 2)))
attempt(np.vectorize(lambda x: x, signature='(n)->(k)', otypes='d'), np.ones((0, 2)))
attempt(np.vectorize(lambda x: x, signature='(n)->(n)', otypes='d'), np.ones((0, 2)))

# --- broadcast, ndindex, ndenumerate
b = np.broadcast([[1], [2], [3]], [4, 5, 6.5])
print(b.shape, b.size, b.nd, b.ndim, b.numiter, b.index, next(b), next(b), b.index, len(b.iters))
b.reset()
print(b.index, [float(u + v) for u, v in b], b.index)
print(np.broadcast(1).shape, np.broadcast(np.ones((2, 1)), np.ones((1, 3)), 2).shape, list(np.broadcast([1], [2])))
attempt(np.broadcast, [1, 2], [1, 2, 3])
print(
    list(np.ndindex(2, 3)),
    list(np.ndindex((1, 2))),
    list(np.ndindex()),
    list(np.ndindex(2, 0)),
    next(np.ndindex(3)),
    [list(np.ndenumerate(x)) for x in (np.arange(4).reshape(2, 2), 3.5, [])],
)
attempt(np.ndindex, -1)
attempt(np.ndindex, 1.5)
it = np.ndenumerate(np.array([[1, 2]]))
print(next(it), next(it), next(it, 'end'))

# --- flags, bases, fields
a = np.arange(6)
v = a[1:]
print(
    v.base is a,
    v[1:].base is a,
    a.base,
    a is a[:],
    np.asarray(a) is a,
    a.reshape(2, 3).base is a,
    np.atleast_2d(a).base is a,
)
a.flags.writeable = False
print(a.flags.writeable, v.flags.writeable, a[2:].flags.writeable)
w = a[2:]
for f in (
    lambda: a.setflags(write=True),
    lambda: w.setflags(write=True),
    lambda: setattr(a.flags, 'aligned', False) if 0 else None,
):
    attempt(f)
a.flags['W'] = False
a.setflags(write=True)
a.flags['WRITEABLE'] = False
print(a.flags['W'])


def store():
    a[0] = 1


def other():
    a.flags['Q'] = False


attempt(store)
attempt(other)
attempt(a[3:].setflags, write=True)
attempt(a.setflags, uic=1)
z = np.zeros((2, 2), complex)
z.setfield([1, 2], float, 8)
print(z)
attempt(z.setfield, 1, float, 9)
print(np.arange(3).choose([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), np.array([3, 1, 2]).argpartition(1)[1])

# --- views by strides
from numpy.lib.stride_tricks import as_strided, sliding_window_view

x = np.arange(12).reshape(3, 4)
print(
    as_strided(x, (2, 2), (8, 32)),
    as_strided(x),
    as_strided(x, strides=(0, 8)),
    as_strided(x, (2,), (8,), writeable=False).flags.writeable,
)
print(
    sliding_window_view(x, (2, 2)),
    sliding_window_view(x, 3, axis=1),
    sliding_window_view(x, (2, 2), axis=(0, 0)),
    sliding_window_view(np.arange(5), 3).flags.writeable,
    sliding_window_view(np.arange(5), 3).mean(axis=-1),
)
for k in (
    dict(window_shape=(2,)),
    dict(window_shape=(2, 2, 2), axis=0),
    dict(window_shape=(5, 1)),
    dict(window_shape=(-1, 1)),
    dict(window_shape=2, axis=2),
):
    attempt(sliding_window_view, x, **k)


# --- emath
def attempt(f, *a):
    r = f(*a)
    print(type(r).__name__, np.asarray(r).dtype, np.round(r, 4) + 0)


e = np.emath
for f in (e.sqrt, e.log, e.log2, e.log10, e.arccos, e.arcsin, e.arctanh):
    for x in (-2, [-0.5, 0.5], np.float32([2, 0.25]), np.int8(-3), 2 + 1j):
        attempt(f, x)
attempt(e.logn, 2, [4, 8])
attempt(e.logn, 2, [-4, 8])
attempt(e.power, [2, 4], -2)
attempt(e.power, [-2, 4], 2.5)
attempt(e.power, [2, 4], [2, -1])
attempt(np.lib.scimath.sqrt, -1)

# --- sets
a, b = [1, 3, 4, 3], np.array([3, 1, 2, 1])
print(
    np.intersect1d(a, b),
    np.intersect1d(a, b, return_indices=True),
    np.intersect1d([1, 2, 3], [2, 3, 4], assume_unique=True, return_indices=True),
    np.intersect1d([[1, 2]], [2.5, 2]),
    np.intersect1d([], [1]),
)
print(
    np.setdiff1d([3, 1, 3], [1]),
    np.setdiff1d([5, 3, 1], [1], assume_unique=True),
    np.setxor1d(a, b),
    np.setxor1d([1, np.nan], [np.nan, 2]),
    np.setxor1d([], []),
    np.setxor1d([1, 2], [2, 5], assume_unique=True),
    np.union1d(a, [[7]]),
)
print(
    np.isin([[1, 2]], {1, 2}),
    np.isin([1, 2], {1}, invert=True),
    np.isin([1, 2], [2], assume_unique=True, kind='sort'),
    np.isin([1, 2], [2], kind='table', invert=True),
    np.isin([1.0, np.nan], [np.nan, 1]),
    np.isin(3, [1, 3]),
    np.isin([], [1]),
)
attempt(np.isin, [1.5], [1], kind='table')
attempt(np.isin, [1], [1], kind='foo')

# --- names of dtypes
print(
    np.typename('d'),
    np.typename('?'),
    np.mintypecode(['d', 'f', 'S']),
    np.mintypecode(np.array([1.1, 2 - 3j])),
    np.mintypecode('abceh', default='G'),
    np.mintypecode('fd'),
    np.mintypecode('Fd'),
    np.typecodes['AllFloat'],
    np.dtype(np.long),
    np.dtype(np.ulong),
    np.dtype(np.uintc),
    np.dtype(np.ushort),
)
attempt(np.typename, 'zz')
x = np.broadcast_to(np.arange(3), (2, 3))
for r in ('C', ['F'], ['W'], ['O', 'A'], None, ['F', 'W', 'OWNDATA']):
    y = np.require(x, requirements=r)
    print(y.flags.c_contiguous, y.flags.f_contiguous, y.flags.writeable, y.flags.owndata, y is x)
attempt(np.require, x, None, ['C', 'F'])
attempt(np.require, x, None, ['Q'])
attempt(np.require, [1, 2], np.float32, 'W')

# --- bytes and files
import os

FOLDER = os.environ['FOLDER'] + '/'
x = np.array([[0, 1], [2, 3]], dtype='<u2')
print(
    x.tobytes(),
    x.tobytes('F'),
    x.T.tobytes('A'),
    x[:, ::-1].tobytes(),
    np.frombuffer(x.tobytes(), 'u2'),
    np.float64(1.5).tobytes(),
)
x.tofile(FOLDER + 'gpa_q.bin')
print(
    np.fromfile(FOLDER + 'gpa_q.bin', 'u2'),
    np.fromfile(FOLDER + 'gpa_q.bin', np.uint8, 3, offset=2),
    np.fromfile(FOLDER + 'gpa_q.bin', 'f8', 0),
    np.fromfile(FOLDER + 'gpa_q.bin', 'u2', 9),
)
x.tofile(FOLDER + 'gpa_q.txt', sep=' ')
print(np.fromfile(FOLDER + 'gpa_q.txt', int, sep=' '), open(FOLDER + 'gpa_q.txt').read())
np.array([1.5, 2]).tofile(FOLDER + 'gpa_q.txt', sep=',', format='%.2f')
print(open(FOLDER + 'gpa_q.txt').read())
with open(FOLDER + 'gpa_q.bin', 'wb') as f:
    x.tofile(f)
    np.arange(3.0).tofile(f)
with open(FOLDER + 'gpa_q.bin', 'rb') as f:
    print(np.fromfile(f, 'u2', 4), np.fromfile(f))
attempt(np.fromfile, 'none')
attempt(x.tobytes, 'Q')
print(
    np.ndarray((2,), buffer=np.array([1, 2, 3]), offset=8, dtype=int),
    np.ndarray((2, 2), order='F').flags.fnc,
    np.ndarray((2, 2), np.int8, np.arange(8), strides=(8, 1)),
    np.ndarray(3).shape,
)
attempt(np.ndarray, (9,), buffer=np.arange(2))
attempt(np.ndarray, (2,), float, np.arange(2), strides=(16,))
y = np.arange(2.0)
y.dtype = np.int64
print(y)
z = np.arange(4).reshape(2, 2)
print(np.may_share_memory(z[:, 0], z[:, 1]), np.shares_memory(z[:, 0], z[:, 1]), np.may_share_memory(z[0], z[1]))
a = np.array([[0, 1], [2, 3]], order='F')
a.resize((2, 1))
print(a)

# --- exceptions, axes
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

print(
    [normalize_axis_index(k, 3) for k in (0, -1, 2)],
    normalize_axis_tuple(1, 3),
    normalize_axis_tuple([0, -1], 3),
    normalize_axis_tuple((0, 0), 2, allow_duplicate=True),
)
attempt(normalize_axis_index, 3, 3)
attempt(normalize_axis_index, -4, 3, msg_prefix='axes_arg')
attempt(normalize_axis_tuple, (0, 0), 2)
attempt(normalize_axis_tuple, (0, -2), 2, 'axis')
attempt(normalize_axis_tuple, 5, 2, 'axis')
try:
    np.ones(3).sum(axis=4)
except np.exceptions.AxisError as e:
    print(type(e).__name__, e, isinstance(e, (ValueError, IndexError)))

# --- methods of the types of arrays and scalars
a = np.arange(6.0).reshape(2, 3)
print(
    all(
        callable(getattr(np.ndarray, k))
        for k in 'put dot take repeat trace diagonal squeeze argpartition choose sum mean reshape'.split()
    )
)
print(
    np.ndarray.squeeze(a[:1]),
    np.ndarray.trace(a),
    list(map(np.ndarray.dot, [a], [a.T])),
    np.float64.mean(np.float64(2.5)),
    np.float64.squeeze(np.float64(2.5)),
)
print('squeeze' in dir(np.ndarray), 'squeeze' in dir(np.float32), hasattr(np.ndarray, 'missing'), hasattr(int, 'mean'))
attempt(lambda: np.ndarray.missing)
# --- operands that __array__ makes arrays of, on either side
import operator


class Convertible:
    def __array__(self, dtype=None, copy=None):
        return np.array([1, 2])


class Refuses:
    def __array__(self, dtype=None, copy=None):
        raise TypeError('no array')


class Precedes(Convertible):
    __array_priority__ = 1000


class Reflects(Precedes):
    def __radd__(self, other):
        return 'reflected'

    def __eq__(self, other):
        return 'equal'


class NoUfuncs(Convertible):
    __array_ufunc__ = None


x, scalar = np.arange(2), np.float64(2)
for o in (operator.add, operator.pow, operator.eq, operator.ne, operator.lt):
    for other in (Convertible(), Refuses(), Precedes(), Reflects(), NoUfuncs()):
        for a, b in ((x, other), (other, x), (scalar, other), (other, scalar)):
            try:
                print(o.__name__, type(other).__name__, repr(o(a, b)))
            except TypeError as e:
                print(o.__name__, type(other).__name__, 'no array' in str(e))
