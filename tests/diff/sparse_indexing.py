# scipy.sparse against SciPy: indexing and assignment in csr, csc and coo.
import scipy.sparse as sp
from sparse_matrices import data, tell

# --- indexing: rows, columns, elements (scipy 1.17)
d = data(7, 6)
for kind in (sp.csr_matrix, sp.csc_matrix):
    a = kind(d)
    tell(
        lambda: a[2],
        lambda: a[-1],
        lambda: a[1:4],
        lambda: a[::-2],
        lambda: a[:, 2],
        lambda: a[:, 1:5:2],
        lambda: a[3, 1],
        lambda: a[-1, -2],
        lambda: a[[0, 3, 3]],
        lambda: a[:, [5, 0]],
        lambda: a[[0, 2], [1, 3]],
        lambda: a[2:5, [0, 1]],
        lambda: a[d[:, 0] > 0],
        lambda: a[1:1],
        lambda: a[7],
        lambda: a[0, 9],
        lambda: a[0, 1, 2],
        lambda: a.getrow(2),
        lambda: a.getcol(3),
        lambda: [x.shape for x in a][:2],
        lambda: len(a),
    )
for kind in (sp.csr_array, sp.csc_array):
    a = kind(d)
    tell(
        lambda: a[3, 1],
        lambda: a[1:4],
        lambda: a[:, [5, 0]],
        lambda: a[[1]],
        lambda: a[1:3, 2:4],
        lambda: a[[0, 2], [1, 3]].shape,
    )

# --- assignment (scipy 1.17)
for kind in (sp.csr_matrix, sp.csc_matrix, sp.csr_array):
    a = kind(data(5, 4))
    a[0, 1] = 7
    tell(lambda: a)
    a[1] = 0
    tell(lambda: a.toarray())
    a[:, 2] = np.arange(5.0)[:, None]
    tell(lambda: a.toarray())
    a[[0, 2], [0, 3]] = [5, 6]
    tell(lambda: a.toarray())
    a[3:5, 0:2] = [[1, 2], [3, 4]]
    tell(lambda: a.toarray())
    a.setdiag(9)
    tell(lambda: a.toarray())
    a.setdiag([1, 2], k=1)
    tell(lambda: a.toarray())
    a.eliminate_zeros()
    tell(lambda: a)
c = sp.csr_matrix((np.array([1.0, 2, 3]), np.array([2, 0, 0]), np.array([0, 3, 3])), shape=(2, 3))
print(c.has_sorted_indices, c.has_canonical_format)
c.sum_duplicates()
tell(lambda: c, lambda: c.indices, lambda: c.has_canonical_format)

# --- indices changed in place (scipy 1.17)
a = sp.csr_matrix(np.eye(4))
a.indices[2] = 0
a.data[1] = 5
tell(lambda: a.tocsc(), lambda: a + a, lambda: a @ a)

# --- slices of columns of a matrix with many (scipy 1.17)
counts = np.array([0, 1, 200, 15, 16, 17, 40, 48, 49, 300, 0, 5])
k = np.arange(counts.sum()) + 1
a = sp.csr_matrix(
    ((k * 37 % 13 - 5) / 2, (k * k * 7919 % 104729 % 70000).astype(np.int32), np.concatenate([[0], np.cumsum(counts)])),
    (12, 70000),
)
for form in ("csr", "csc"):
    c = a.asformat(form)
    j = int(a.indices[7])
    for r in (c[:, j], c[:, j : j + 900], c[:, j : j + 900 : 7], c[:, 60000:], c[:, 3:70000:2], c[:, 9:9], c[3:8, :40]):
        print(r.shape, r.nnz, r.tocoo().row.tolist(), r.tocoo().col.tolist(), r.tocoo().data.tolist())

# --- indexing: masks, np.ix_, Ellipsis (scipy 1.17)
d = data(5, 6)
for kind in (sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array):
    a = kind(d)
    tell(
        lambda: a[a > 1],
        lambda: a[d > 1],
        lambda: a[np.ones((3, 3), bool)],
        lambda: a[np.ix_([0, 4, 4], [2, 3])],
        lambda: a[np.array([[1], [0]]), [5, 0]],
        lambda: a[..., 1:3],
        lambda: a[2:4, ...],
        lambda: a[...],
    )
    for key in (a > 1, d < 0, np.ix_([0, 4], [2, 3])):
        b = a.copy()
        b[key] = 3
        tell(lambda: b)
    b = a.copy()
    b[d > 1] = np.arange((d > 1).sum())
    tell(lambda: b)
a = sp.csr_matrix(data(3, 4, "c16"))
tell(lambda: a.getH(), lambda: a.getformat(), lambda: a.get_shape())

# --- indexing: lists of columns, unsorted and with repetitions; elements (scipy 1.17)
for t in ("i1", "u2", "f4", "f8", "c16", "?"):
    for kind in (sp.csr_matrix, sp.csc_matrix, sp.csr_array):
        a, d = kind(data(9, 7, t)), data(9, 7, t)
        for key in (
            [3],
            [5, 0, 6],
            [0, 2, 4],
            [6, 6, 0, 0, 6],
            [-1, 3, -7],
            [],
            d[0] != 0,
            np.arange(7)[::-1],
            slice(None, None, -1),
            slice(5, 1, -2),
        ):
            tell(lambda: a[:, key], lambda: a[key, :], lambda: a[2:5, key], lambda: a[[8, 0, 0]][:, key])
        tell(
            lambda: a[:, [7]],
            lambda: a[:, [-8]],
            lambda: a[[9, 1]],
            lambda: a[0, 7],
            lambda: a[4, 3],
            lambda: a[-9, -7],
            lambda: a[-10, 0],
        )
        if kind is not sp.csr_array:
            tell(lambda: a.getcol(2), lambda: a.getcol(-1), lambda: a.getcol(7), lambda: a.getrow(-2))
loose = sp.csr_matrix((np.arange(40.0), np.arange(40) * 7 % 13, np.arange(0, 41, 8)), (5, 13))
print(loose[2, 4], loose[2, 5], loose[[0, 1, 2], [7, 0, 5]].tolist())
wide = sp.csr_matrix((np.arange(1.0, 3001), (np.arange(3000) // 100, np.arange(3000) * 37 % 5000)), (30, 5000))
i = np.arange(9000)
print(
    np.asarray(wide[i % 30, i * 11 % 5000]).sum(),
    wide.tocsc()[i % 30, i * 11 % 5000].sum(),
    wide[:, i * 7 % 5000].sum(),
    wide[:, i[:5000:2]].nnz,
    np.nonzero(wide.diagonal(37))[0].tolist(),
)

# --- indexing: lists of columns of unsorted matrices (scipy 1.17) (not on cuda: results made there are in order)
loose = sp.csr_matrix((np.arange(40.0), np.arange(40) * 7 % 13, np.arange(0, 41, 8)), (5, 13))
for key in ([0, 3, 12], [12, 3, 3, 0], np.arange(13) % 2 == 0):
    r = loose[:, key]
    print(r.indices.tolist(), r.data.tolist(), r.indptr.tolist(), r.has_sorted_indices)

# --- assignment to stored elements and to others; setdiag (scipy 1.17)
for kind in (sp.csr_matrix, sp.csc_matrix, sp.csr_array):
    for t in ("f8", "i4", "c16", "?", "u1"):
        a = kind(abs(data(7, 6)).astype(t))
        t0 = a.T
        share = kind(a)
        own = a.copy()
        for (i, j), x in (
            ((0, 0), 1),
            (([0, 1, 0, 6], [3, 3, 3, 5]), [1, 2, 3, 0]),
            ((slice(1, 3), slice(0, 4, 2)), [[4, 5], [6, 7]]),
            ((2, [0, 1, 1]), [7, 8, 9]),
            ((slice(None), 5), 1),
            ((-1, -2), 0),
            (([], []), 3),
        ):
            a[i, j] = np.asarray(x).astype(t)
            tell(lambda: a, lambda: a.indices, lambda: a.indptr, lambda: a.has_canonical_format)
        tell(lambda: own, lambda: t0, lambda: share)
    a = kind(data(5, 5))
    b = a.T
    i, j = a.nonzero()
    a[i, j] = 5.0
    print(b.data.tolist(), a.nnz)  # the same memory
    a.setdiag(2)
    tell(lambda: a)
    a.setdiag(np.arange(9), k=-1)
    tell(lambda: a)
    a.setdiag([], k=2)
    tell(lambda: a)
    a.setdiag([1.5], k=4)
    tell(lambda: a, lambda: a.nnz)
    a = kind((np.array([1.0, 2, 3]), np.array([1, 1, 0]), np.array([0, 3] + [3] * 4)), (5, 5))
    a[0, 0] = 9
    a[4, 4] = 1
    tell(lambda: a.toarray(), lambda: a.__setitem__((5, 0), 1))
for kind in (sp.coo_matrix, sp.coo_array):
    a = kind(data(4, 6))
    a.setdiag(3)
    tell(lambda: a)
    a.setdiag([1, 2], -1)
    tell(lambda: a)
