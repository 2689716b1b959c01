# The core of NumPy with its keyword arguments, a line or two per function.
# --- creation
print(repr(np.array([[1, 2], [3, 4]], dtype=np.float32, ndmin=3)))
print(repr(np.arange(2, 10, 3)), repr(np.arange(5.0, dtype=np.float32)), repr(np.arange(start=1, stop=2, step=0.25)))
print(repr(np.linspace(0, 1, 5, endpoint=False)), np.linspace(2, 3, num=4, retstep=True))
print(repr(np.linspace([0, 10], [1, 20], 3, axis=1)), repr(np.linspace(0, 10, 4, dtype=int)))
print(repr(np.logspace(0, 3, 4)), repr(np.logspace(0, 4, num=3, base=2.0, endpoint=True, dtype=int)))
print(repr(np.zeros((2, 3), dtype=int)), repr(np.ones(shape=2, dtype="bool")), repr(np.full((2, 2), fill_value=7)))
print(repr(np.full(2, 1.5, dtype=np.float16)), np.empty((2, 0)).shape, np.empty(3, dtype=np.int8).dtype)
# --- creation, like another
a = np.arange(6, dtype=np.int16).reshape(2, 3)
print(repr(np.zeros_like(a)), repr(np.ones_like(a, dtype=float)), repr(np.full_like(a, 9, shape=(2,))))
print(np.empty_like(a, shape=(4,)).shape, np.empty_like(prototype=a).dtype)
# --- matrices to start from
print(repr(np.eye(2, 3, k=1)), repr(np.eye(N=2, M=2, k=-1, dtype=int)), repr(np.identity(2, dtype=int)))
print(repr(np.diag([1, 2], k=1)), repr(np.diag(np.arange(9).reshape(3, 3), k=-1)), repr(np.diagflat([[1, 2]], k=-1)))
print(
    repr(np.tri(3, 4, k=1, dtype=int)), repr(np.tril(np.ones((3, 3)), k=-1)), repr(np.triu(np.ones((3, 3), int), k=1))
)
print(repr(np.vander([1, 2, 3], N=2, increasing=True)))
# --- grids
x, y = np.meshgrid([1, 2, 3], [4, 5], indexing="ij")
print(repr(x), repr(y))
x, y = np.meshgrid([1, 2, 3], [4, 5], sparse=True)
print(repr(x), repr(y))
print(repr(np.fromfunction(lambda i, j: i * 10 + j, (2, 3), dtype=int)))
print(
    repr(np.indices((2, 3))), [v.shape for v in np.indices((2, 3), sparse=True)], np.indices((2,), dtype=np.int8).dtype
)
# --- shape
a = np.arange(12)
print(repr(np.reshape(a, (3, -1))), repr(a.reshape(2, 6, order="F")), repr(np.ravel([[1, 2], [3, 4]], order="F")))
b = a.reshape(2, 3, 2)
print(b.transpose(2, 0, 1).shape, np.transpose(b, axes=(1, 0, 2)).shape, b.T.shape, b.swapaxes(0, 2).shape)
print(np.moveaxis(b, 0, -1).shape, np.moveaxis(b, source=[0, 1], destination=[1, 2]).shape, np.rollaxis(b, 2).shape)
print(np.squeeze(np.ones((1, 2, 1)), axis=0).shape, np.squeeze(np.ones((1, 2, 1))).shape)
print(
    np.expand_dims(a, axis=0).shape,
    np.expand_dims(a, axis=(0, 2)).shape,
    np.atleast_2d(3).shape,
    np.atleast_3d(a).shape,
)
print(
    repr(np.broadcast_to([1, 2], shape=(2, 2))),
    np.broadcast_shapes((3, 1), (4,)),
    [v.shape for v in np.broadcast_arrays(a, b[..., :1].reshape(6, 1))],
)
# --- joining
a, b = np.arange(4).reshape(2, 2), np.ones((2, 2), dtype=int)
print(
    repr(np.concatenate((a, b), axis=1)),
    repr(np.concatenate((a, b), axis=None)),
    repr(np.concatenate([a, b], dtype=float)),
)
print(repr(np.stack([a, b], axis=-1)), repr(np.vstack((a, [7, 8]))), repr(np.hstack((a, b))), repr(np.dstack((a, b))))
print(repr(np.column_stack(([1, 2], [3, 4]))), repr(np.append(a, [[9, 9]], axis=0)), repr(np.append(a, 5)))
print(
    repr(np.insert([1, 2, 3], 1, 9)),
    repr(np.insert(a, 1, 7, axis=1)),
    repr(np.delete([1, 2, 3, 4], [0, 2])),
    repr(np.delete(a, 0, axis=1)),
)
out = np.zeros((4, 2))
print(np.concatenate((a, b), out=out) is out, repr(out))
# --- splitting
a = np.arange(12).reshape(2, 6)
print(
    np.split(a, 3, axis=1),
    np.split(np.arange(8), [3, 5]),
    np.array_split(np.arange(7), 3),
    np.hsplit(a, 2),
    np.vsplit(a, 2),
)
# --- repeat, tile, transpose, flip
a = np.arange(6).reshape(2, 3)
print(
    repr(np.tile(a, (2, 1))), repr(np.tile([1, 2], reps=3)), repr(np.repeat(a, 2)), repr(np.repeat(a, [1, 2], axis=0))
)
print(repr(a.repeat(2, axis=1)), repr(np.flip(a)), repr(np.flip(a, axis=1)), repr(np.fliplr(a)), repr(np.flipud(a)))
print(
    repr(np.roll(a, 1)),
    repr(np.roll(a, shift=-1, axis=1)),
    repr(np.roll(a, (1, 1), axis=(0, 1))),
    repr(np.rot90(a, k=1)),
)
print(repr(np.pad([1, 2], (1, 2), mode="constant", constant_values=9)), repr(np.pad(a, 1, mode="edge")))
# --- reductions
a = np.array([[3, 1, 2], [9, 7, 8]])
for f in (np.sum, np.prod, np.min, np.max, np.mean, np.any, np.all, np.ptp):
    print(f(a), repr(f(a, axis=0)), repr(f(a, axis=1, keepdims=True)), repr(f(a, axis=(0, 1))))
for f in (np.var, np.std):
    print(round(float(f(a)), 9), repr(f(a, axis=0, ddof=1)), repr(f(a, axis=1, keepdims=True)))
for f in (np.argmin, np.argmax):
    print(f(a), repr(f(a, axis=0)), repr(f(a, axis=1, keepdims=True)))
print(
    np.count_nonzero(a > 2), repr(np.count_nonzero(a > 2, axis=0)), repr(np.count_nonzero(a > 2, axis=1, keepdims=True))
)
# --- reductions of parts
a = np.array([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]])
m = a > 2
print(
    np.sum(a, where=m),
    np.prod(a, where=m),
    np.mean(a, where=m),
    np.max(a, where=m, initial=0),
    np.min(a, where=m, initial=99),
)
print(
    repr(np.sum(a, axis=0, where=m, initial=100)),
    np.var(a, where=m),
    np.std(a, where=m),
    np.any(a > 8, where=m),
    np.all(a > 2, where=m),
)
print(
    np.sum(a, dtype=np.float32).dtype,
    np.sum([True, True]),
    np.sum(np.array([200, 100], np.uint8)),
    np.mean([1, 2], dtype=np.float32),
)
out = np.zeros(3)
print(np.sum(a, axis=0, out=out) is out, repr(out), repr(np.mean(a, axis=1, out=np.empty(2))))
# --- running results
a = np.array([[1, 2, 3], [4, 5, 6]])
print(repr(np.cumsum(a)), repr(np.cumsum(a, axis=0)), repr(np.cumprod(a, axis=1)), repr(a.cumsum(axis=1, dtype=float)))
print(repr(np.diff([1, 4, 9], n=1)), repr(np.diff(a, n=2)), repr(np.diff(a, axis=0)), repr(np.ediff1d([1, 4, 9])))
print(
    repr(np.diff([1, 4], prepend=0, append=10)),
    repr(np.gradient([1.0, 4.0, 9.0])),
    repr(np.maximum.accumulate([1, 3, 2])),
)
# --- selecting
a = np.array([[3, 0, 2], [0, 7, 8]])
print(repr(np.where(a > 1, a, -a)), np.where(a), np.nonzero(a), repr(np.argwhere(a)), repr(np.flatnonzero(a)))
print(
    repr(np.select([a < 1, a > 5], [a - 1, a * 10], default=5)),
    repr(np.clip(a, 1, 5)),
    repr(np.clip(a, a_min=None, a_max=4)),
    repr(a.clip(min=2)),
)
print(
    repr(np.take(a, [0, 2])),
    repr(np.take(a, [0, -1], axis=1)),
    repr(np.take([1, 2, 3], [5, -4], mode="wrap")),
    repr(np.take([1, 2, 3], [5, -4], mode="clip")),
)
print(
    repr(np.compress([True, False, True], a, axis=1)),
    repr(np.extract(a > 2, a)),
    repr(np.choose([0, 1, 0], [[1, 2, 3], [7, 8, 9]])),
)
print(repr(np.take_along_axis(a, np.argsort(a, axis=1), axis=1)))
# --- order
a = np.array([[3, 1, 2], [9, 7, 8]])
print(
    repr(np.sort(a, axis=0)),
    repr(np.sort(a, axis=None)),
    repr(np.argsort(a, axis=1)),
    repr(np.argsort([2, 1, 2, 1], kind="stable")),
)
b = a.copy()
b.sort(axis=1)
print(
    repr(b),
    repr(np.searchsorted([1, 2, 2, 3], 2)),
    repr(np.searchsorted([1, 2, 2, 3], [2, 9], side="right")),
    np.searchsorted([3, 1, 2], 2, sorter=[1, 2, 0]),
)
print(
    repr(np.unique([3, 1, 3, 2])),
    np.unique([3, 1, 3], return_index=True, return_inverse=True, return_counts=True),
    repr(np.unique([[1, 2], [1, 2]], axis=0)),
)
print(
    repr(np.lexsort(([1, 0, 1], [2, 2, 1]))),
    repr(np.digitize([0.5, 2.5], [0, 1, 2], right=False)),
    repr(np.bincount([0, 1, 1], minlength=4)),
)
# --- distinct rows
a = np.array([[2, 1], [1, 5], [2, 1], [1, 3]])
print(repr(np.unique(a, axis=0)), repr(np.unique(a, axis=1)), repr(np.unique(a[0], axis=0)))
u, i, c = np.unique(a, axis=0, return_index=True, return_counts=True)
print(u, i, c, np.unique(np.zeros((0, 2)), axis=0).shape)
# --- products
a, b = np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)
print(
    repr(np.dot(a, b)),
    repr(a @ b),
    repr(np.matmul(a, b)),
    repr(a.dot([1, 2, 3])),
    np.dot([1, 2], [3, 4]),
    np.vdot([1, 2], [3, 4]),
)
print(
    repr(np.inner(a, a)),
    repr(np.outer([1, 2], [3, 4])),
    repr(np.tensordot(a, b, axes=1)),
    repr(np.kron([1, 2], [1, 1])),
    np.trace(a, offset=1),
)
# --- methods and attributes
a = np.arange(6, dtype=np.int32).reshape(2, 3)
print(a.shape, a.ndim, a.size, a.dtype, a.itemsize, a.nbytes, a.strides, a.T.shape, a.real.dtype, a.imag.sum(), len(a))
print(
    a.tolist(),
    a.item(1, 2),
    a.item(-1),
    a.flatten(order="F"),
    a.astype(np.float32),
    a.astype("int8", copy=False).dtype,
    a.copy().base is None,
)
print(
    a.sum(axis=1),
    a.mean(),
    a.max(axis=0),
    a.argmax(),
    a.any(),
    a.all(axis=1),
    a.prod(),
    a.std(ddof=1).round(6),
    a.round(1),
    a.cumprod(),
)
print(a.nonzero(), a.take([0, 5]), a.squeeze().shape, a.diagonal(offset=1), a.trace())
a.fill(3)
print(a, a.flat[4])
# --- rounding and other ufuncs with keyword arguments
x = np.array([1.234, -5.678])
out = np.zeros(2)
print(
    np.round(x, 1),
    np.around(x, decimals=2),
    np.add(x, 1, out=out) is out,
    out,
    np.multiply(x, 2, where=[True, False], out=np.zeros(2)),
)
print(
    np.add(1, 2, dtype=np.float32),
    np.add.reduce([[1, 2], [3, 4]], axis=1, keepdims=True),
    np.multiply.outer([1, 2], [3, 4]),
    np.subtract.accumulate([5, 1, 1]),
)
print(
    np.isclose([1.0, 2.0], [1.0, 2.1], rtol=0.1),
    np.allclose([1], [1.1], atol=0.2),
    np.array_equal([np.nan], [np.nan], equal_nan=True),
    np.nan_to_num([np.nan, np.inf], nan=1.0, posinf=2.0),
)

# --- rounding complex numbers
z = np.array([7.6312 + 4.456j, 0.83123 - 1.55555j, -3.14159j])
print(
    np.round(z, 2),
    np.round(z.astype(np.complex64), 3),
    z.round(1),
    np.round(z[0], 3),
    np.round(z * 100, -1),
    np.round(z),
)
o = np.zeros(3, complex)
np.round(z, 2, out=o)
print(o, repr(np.round(3.14159 + 2.71828j, 2)))
# --- powers of booleans and of empty arrays
for x in (np.array(True), np.array([True, False]), np.True_, np.array([True, False]) > 0, np.any([True])):
    for r in (x ** 2, x ** 3, x ** 2.0, x ** np.int8(2), np.power(x, 2), x ** True, 2 ** x):
        print(type(r).__name__, r.dtype, r)
none = np.array([], int)
print(np.power(none, -1), none ** -1, none ** np.array([-1]), np.shares_memory(np.max(3), np.max(3)))
s = np.arange(3).max()
print(np.shares_memory(s, s), np.may_share_memory(s, s))
# --- names that NumPy removed, and the size of a buffer
import warnings

for name in 'object int float complex str bytes bool'.split():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        try:
            print(getattr(np, name))
        except AttributeError as e:
            print(str(e)[:150], [w.category.__name__ for w in seen])
print(np.setbufsize(4096) == np.getbufsize(), np.getbufsize(), np.setbufsize(8192))
try:
    np.setbufsize(-1)
except ValueError as e:
    print(e)
print(issubclass(BufferError, Exception), issubclass(BufferError, ValueError))
