# Shapes, joins, sorting.
# --- reshape
a = np.arange(12)
print(
    a.reshape(3, 4),
    a.reshape((2, 6)).shape,
    a.reshape(-1, 2).shape,
    a.reshape(2, -1, 3).shape,
    np.reshape(a, (4, 3))[1],
    a.reshape(-1).shape,
)
# --- ravel and flatten
a = np.arange(6).reshape(2, 3)
print(a.ravel(), a.flatten(), a.T.ravel(), np.ravel(a.T, order="F"), a.ravel(order="F"), a.reshape(3, 2, order="F"))
# --- transpose
a = np.arange(24).reshape(2, 3, 4)
print(
    a.T.shape,
    a.transpose(1, 0, 2).shape,
    np.transpose(a, (2, 0, 1)).shape,
    a.transpose().shape,
    a.transpose(1, 2, 0)[0, 1],
    a.swapaxes(0, 2).shape,
)
# --- moveaxis and rollaxis
a = np.zeros((2, 3, 4, 5))
print(
    np.moveaxis(a, 0, -1).shape,
    np.moveaxis(a, [0, 1], [-1, -2]).shape,
    np.swapaxes(a, 1, 3).shape,
    np.rollaxis(a, 2).shape,
)
# --- squeeze and expand_dims
a = np.zeros((1, 3, 1))
print(
    a.squeeze().shape,
    np.squeeze(a, axis=0).shape,
    np.expand_dims(a, 0).shape,
    np.expand_dims(np.arange(2), axis=(0, 2)).shape,
    np.expand_dims(5, 0),
)
# --- concatenate
a = np.arange(4).reshape(2, 2)
print(
    np.concatenate([a, a]),
    np.concatenate((a, [[9], [8]]), axis=1),
    np.concatenate([[1], [2.5]]),
    np.concatenate([a, a], axis=None),
    np.concatenate([np.arange(2), np.array([], int)]),
)
# --- stack family
a, b = np.arange(3), np.arange(3) * 10
print(
    np.stack([a, b]),
    np.stack([a, b], axis=1),
    np.vstack([a, b]),
    np.hstack([a, b]),
    np.dstack([a, b]).shape,
    np.column_stack([a, b]),
    np.vstack([1, 2]),
    np.hstack([1, [2, 3]]),
)
# --- append insert delete
a = np.arange(4)
print(
    np.append(a, 9),
    np.append([[1, 2]], [[3, 4]], axis=0),
    np.insert(a, 1, 7),
    np.delete(a, 2),
    np.delete(a, [0, -1]),
    np.delete(np.eye(2), 0, axis=1),
)
# --- split
a = np.arange(9)
print(
    np.split(a, 3),
    np.split(a, [2, 5]),
    np.array_split(a, 4),
    np.hsplit(a.reshape(3, 3), 3)[1],
    np.vsplit(a.reshape(3, 3), 3)[0],
)
# --- flip and roll
a = np.arange(6).reshape(2, 3)
print(
    np.flip(a),
    np.flip(a, 0),
    np.flipud(a),
    np.fliplr(a),
    np.roll(a, 1),
    np.roll(a, 1, axis=1),
    np.roll(a, (1, -1), axis=(0, 1)),
    np.rot90(a),
)
# --- broadcast_to and broadcast_arrays
print(
    np.broadcast_to([1, 2], (2, 2)),
    np.broadcast_to(3, (2,)),
    np.broadcast_shapes((3, 1), (1, 4)),
    [x.shape for x in np.broadcast_arrays([1, 2], [[1], [2]])],
)
# --- resize and pad (later)
print(
    np.resize([1, 2, 3], 5),
    np.pad([1, 2], 1),
    np.pad([1, 2], (0, 2), constant_values=9),
    np.pad([[1]], 1),
    np.pad([1, 2, 3], 2, mode="edge"),
    np.pad([1, 2, 3], 2, mode="wrap"),
    np.pad([1, 2, 3], 2, mode="reflect"),
)
# --- sort
a = np.array([[3, 1, 2], [9, 7, 8]])
print(
    np.sort(a),
    np.sort(a, axis=0),
    np.sort(a, axis=None),
    np.sort([2.5, np.nan, 1]),
    np.sort([True, False]),
    -np.sort(-a),
)
# --- sort in place
a = np.array([3, 1, 2])
b = a[::-1]
a.sort()
print(a, b)
# --- argsort
a = np.array([3, 1, 2, 1])
i = np.argsort(a, kind="stable")
print(i, a[i], np.argsort([[2, 1], [1, 2]]), np.argsort(-a, kind="stable"), a.argsort()[-1])
# --- unique
print(
    np.unique([3, 1, 3, 2]),
    np.unique([[1, 2], [2, 1]]),
    np.unique([3, 1, 3], return_counts=True),
    np.unique([3, 1, 3], return_index=True),
    np.unique([3, 1, 3], return_inverse=True),
)
# --- searchsorted
a = [1, 3, 3, 5]
print(
    np.searchsorted(a, 3),
    np.searchsorted(a, 3, side="right"),
    np.searchsorted(a, [0, 4, 9]),
    np.array(a).searchsorted([2]),
)
# --- partition and lexsort (later)
print(np.partition([3, 1, 2], 1)[1], np.lexsort(([1, 0, 2], [0, 0, 0])), np.sort([3, 1, 2])[::-1])
# --- unique and isin of large unsigned numbers
h = np.arange(3000, dtype=np.uint64) % np.uint64(700) + (np.uint64(2**62) * np.uint64(2) - np.uint64(350))
print(np.unique(h).size, np.unique(h)[[0, -1]], np.unique(h, return_counts=True)[1].sum())
print(np.isin(h, h[:5]).sum(), np.isin(h, np.array([1, 2])).sum())
for x in (np.zeros(0), np.ones(1), np.array([2.0, np.nan, 2.0, np.nan])):
    for r in (np.unique(x, return_index=True, return_inverse=True, return_counts=True), np.unique(x, equal_nan=False)):
        print(r)

# --- argwhere and repeat
z = (np.arange(2 * 3 * 4) % 5 == 0).reshape(2, 3, 4)
for x in (z, z[0], z[0, 0], z.T, z[:, ::2], z[:0], np.array(True), np.zeros((3, 0, 2))):
    print(np.argwhere(x).tolist(), np.argwhere(x).shape, np.argwhere(x).dtype)
for counts in ([0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 0, 2], np.array([1, 2, 3, 4], "i1")):
    print(np.repeat(np.arange(4.0), counts), np.repeat(np.arange(8).reshape(2, 4), counts, axis=1).tolist())

# --- set operations
print(np.intersect1d([1, 2, 3], [2, 3, 4]), np.union1d([1, 3], [2]), np.setdiff1d([1, 2, 3], [2]), np.isin([1, 2], [2]))
# --- allclose and array_equal
print(
    np.allclose([1, 2], [1, 2 + 1e-9]),
    np.isclose([1, 2], [1, 2.1]),
    np.array_equal([1, 2], [1, 2]),
    np.array_equal([1], [1, 2]),
    np.allclose(np.nan, np.nan, equal_nan=True),
)
# --- shape of scalars and lists
print(np.shape([[1, 2]]), np.ndim(5), np.size([1, 2]), np.shape(3), np.ndim([[1]]))
# --- shape assignment
a = np.arange(6)
a.shape = (2, 3)
print(a)
# --- views of reshape share memory (later)
a = np.arange(6)
b = a.reshape(2, 3)
b[0] = 9
print(a, np.shares_memory(a, b))
# --- reshape of a transpose copies
a = np.arange(6).reshape(2, 3)
b = a.T.reshape(-1)
b[0] = 99
print(a, b)
# --- ravel of contiguous is a view, flatten never
a = np.arange(4)
a.reshape(2, 2).ravel()[0] = 7
a.flatten()[1] = 8
print(a)
# --- repeat and tile shapes
print(
    np.tile(np.arange(4).reshape(2, 2), (1, 2)),
    np.repeat(np.arange(4).reshape(2, 2), 2),
    np.repeat(np.arange(2), 2).reshape(2, 2),
)
# --- outer sums by newaxis
x = np.arange(3)
print(x[:, None] + x, x[:, None] * x[None], np.add.outer(x, x))
# --- distances by broadcasting
p = np.array([[0, 0], [3, 4], [6, 8]])
d = p[:, None] - p[None]
print(np.sqrt((d**2).sum(-1)))
# --- conv by sliding slices (later)
a = np.arange(6.0)
k = [0.25, 0.5, 0.25]
print(sum(w * a[i : i + 4] for i, w in enumerate(k)), np.convolve(a, k), np.convolve(a, k, mode="valid"))
# --- interp and trapezoid (later)
print(np.interp([0.5, 2.5], [0, 1, 2], [0, 10, 20]), np.trapezoid([1, 2, 3]), np.gradient([1.0, 4, 9]))
# --- apply along rows by comprehension
a = np.arange(6).reshape(2, 3)
print(
    np.array([row.sum() for row in a]),
    np.array([row[::-1] for row in a]),
    np.stack([np.roll(r, i) for i, r in enumerate(a)]),
)
# --- tril indices and triu indices (later)
print(np.tril_indices(3)[0], np.triu_indices(3, 1), np.diag_indices(2))
# --- kron and cross
print(np.kron([1, 2], [1, 1]), np.cross([1, 0, 0], [0, 1, 0]))
# --- astype
a = np.array([1.7, -1.7, 0])
print(
    a.astype(int),
    a.astype(bool),
    a.astype(np.float32).dtype,
    a.astype("complex64"),
    a.astype(np.int8),
    np.array([1, 0]).astype(bool),
)
# --- view of another dtype
print(np.array([1.0]).view(np.int64), np.array([1, 2], dtype=np.int32).view(np.uint32))

# --- the orders of ravel and flatten
f = np.asfortranarray(np.arange(6).reshape(2, 3))
for a in (f, f.T, np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0), np.arange(6)[::-1].reshape(2, 3)):
    print(
        a.ravel("K"),
        a.ravel("F"),
        a.ravel("A"),
        a.ravel(),
        np.ravel(a, "K"),
        a.flatten("K"),
        a.flatten("F"),
        a.reshape(-1, order="F"),
    )
# --- up to 64 dimensions
def attempt(f):
    try:
        print(f())
    except (ValueError, IndexError) as e:
        print(type(e).__name__, e)
for n in (33, 64, 65):
    one = (1,) * n
    attempt(lambda: np.zeros(one).ndim)
    attempt(lambda: np.array([1.0]).reshape(one).ndim)
    attempt(lambda: np.array(1, ndmin=min(n, 64)).ndim)
    attempt(lambda: np.ones(3)[(None,) * (n - 1)].ndim)
    attempt(lambda: np.broadcast_to(1.0, one).ndim)
    attempt(lambda: np.concatenate([np.ones(one)] * 2, axis=-1).shape[-1])
    nested = 1
    for _ in range(n):
        nested = [nested]
    attempt(lambda: np.array(nested).ndim)
for n in (32, 63, 64):
    attempt(lambda: np.ones((1,) * n)[(np.array([0]),) * n])
for n in (33, 64):
    shape = (2, 1, 3) + (1,) * (n - 5) + (4, 5)
    a = np.arange(120.0).reshape(shape)
    print((a + a.T.sum(axis=(2, -1)).max()).sum(axis=tuple(range(1, n))), a.mean(-1).ravel()[::7], a.sum(axis=(0, 2, n - 1)).ravel())
    print(a.argmax(axis=n - 1).sum(), np.moveaxis(a, 0, -1).shape[-2:], np.transpose(a).shape[:2], a.squeeze().shape)
    print(a[(1, 0) + (slice(None, None, 2),) + (0,) * (n - 5)].tolist(), a[(np.array([1, 0]),) + (0,) * (n - 3)].shape,
        a[a > 115], [len(i) for i in np.nonzero(a)][-1])
    b = a.copy()
    b[..., ::4] += 1
    b = np.where(b > 100, -1, b)
    print(b.sum(), np.cumsum(b, axis=2).ravel()[-1], np.flip(b).ravel()[:3], np.stack([b[..., 0]] * 2).ndim)
    print(np.unravel_index(100, shape)[-2:], np.array_equal(np.where(a > 5, a, 0).sum(), a[a > 5].sum()), len(str(np.zeros((1,) * n))))
    try:
        a.sum(axis=(n - 1, -1))
    except ValueError as e:
        print(e)
    try:
        a.sum(axis=n)
    except ValueError as e:
        print(e)
