# scipy.sparse against SciPy: unsorted indices and duplicates: the order of results, and their values.
import scipy.sparse as sp
from sparse_matrices import kinds, rounded, tell, unordered

# --- many unsorted elements with duplicates (scipy 1.17)
m, n = 60, 200
k = np.arange(3000)
row, col = k * 7919 % m, k * k * 31 % n
for t in ("f8", "i4", "c16", "i1", "f4", "?"):
    v = (k % 7 - 3).astype(t)
    c = sp.coo_matrix((v, (row, col)), shape=(m, n))
    a, b = c.tocsr(), c.tocsc()
    d = c.toarray()
    loose = sp.csr_matrix((v[:600], col[:600], np.arange(m + 1) * 10), shape=(m, n))
    e = loose.toarray()
    print(
        t,
        a.dtype,
        a.nnz,
        b.nnz,
        a.indices[:40].tolist(),
        b.indices[:40].tolist(),
        a.indptr.tolist(),
        b.indptr[:50].tolist(),
        a.has_canonical_format,
        loose.has_canonical_format,
    )
    for x, y in (
        (a.tocsc(), d),
        (b.tocsr(), d),
        (a[5:30], d[5:30]),
        (a[::-3], d[::-3]),
        (a[:, 10:150], d[:, 10:150]),
        (a[:, 3::7], d[:, 3::7]),
        (a[:, ::-1], d[:, ::-1]),
        (b[7:9, 20:], d[7:9, 20:]),
        (loose.tocsc(), e),
        (loose[3:9], e[3:9]),
        (loose[[5, 5, 2]], e[[5, 5, 2]]),
        (a[30:5], d[30:5]),
    ):
        print(x.shape, x.dtype, bool((x.toarray() == y).all()), end=" ")
    print()
    if t == "?":
        continue
    for x in (
        (
            a @ b.T,
            b @ a.T,
            a.T @ loose,
            loose @ loose.T,
            a + loose,
            a - loose.tocsc(),
            a.multiply(loose),
            a.maximum(loose),
            loose + loose,
            a + a,
            a.multiply(a),
            a - a,
        )
        if t != "c16"
        else (a @ b.T, a.T @ loose, a + loose, a - a, a.multiply(loose))
    ):
        y = x.toarray()
        print(x.dtype, x.shape, (y.astype("c16") * (np.arange(y.size).reshape(y.shape) % 13)).sum())

# --- unsorted rows of all lengths with duplicates (scipy 1.17)
def made(t, m, n, counts, seed):
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    k = np.arange(starts[-1]) + seed
    return sp.csr_matrix(((k * 37 % 13 - 5).astype(t), (k * k * 7919 % 104729 % n).astype(np.int32), starts), (m, n))


counts = np.array([0, 1, 2, 15, 16, 17, 40, 48, 49, 300, 0, 5])
where = np.arange(40) * 7
for t in ("i1", "i2", "i4", "i8", "f4", "f8", "c8", "c16"):
    for n in (30, 70000):
        a, b = made(t, 12, n, counts, 1), made(t, 12, n, counts[::-1], 5)
        x = (np.arange(n) % 7 - 3).astype(t)
        for c in (a, a.tocsc(), a.tocoo()):
            s = c.copy().tocsr()
            s.sum_duplicates()
            tell(
                lambda: s.nnz,
                lambda: s.indices[:300],
                lambda: s.data[:300],
                lambda: s.indptr,
                lambda: c @ x,
                lambda: (c.T @ np.ones((12, 11), c.dtype)).sum(axis=0),
                lambda: s.has_canonical_format,
            )
        o = a.copy()
        o.sort_indices()
        tell(
            lambda: o.indices,
            lambda: a[where % 12, where % n],
            lambda: a.tocsc()[where % 12, where % n],
            lambda: a[[9, 0, 5, 9]].sum(),
            lambda: a.diagonal(3),
            lambda: a.tocsc().diagonal(-2),
            lambda: a.max(axis=1).toarray() if t[0] != "c" else 0,
        )
        for r in (
            a + b,
            a - b,
            a.multiply(b),
            a.maximum(b) if t[0] != "c" else a,
            sp.hstack([a, b]),
            sp.vstack([a, b]),
            a @ b.T,
            a.tocsc() + b.tocsc(),
        ):
            r = r.tocsr()
            r.sum_duplicates()
            tell(
                lambda: r.shape,
                lambda: r.dtype,
                lambda: r.nnz,
                lambda: r.indices[::5],
                lambda: r.data[::5],
                lambda: r.indptr,
            )

# --- order of unsorted matrices, explicit zeros, flags (scipy 1.17) (not on cuda: results made there are in order)
def order(*all):
    for r in all:
        print(
            r.format,
            r.dtype,
            r.nnz,
            r.indices.tolist(),
            r.indptr.tolist(),
            rounded(r.data).tolist(),
            r.has_canonical_format,
            r.has_sorted_indices,
        )


for t, kind, a, b, c, d in unordered():
    order(a + b, a.multiply(b), a + c, c + b, c + d, c.multiply(d), d.multiply(c))
    if t != "?":
        order(a - b, c - d, c - c, a - a)
    order(a @ b.T, c @ d.T, c.T @ d, a.tocsc(), b.tocsr(), c.tocsc() if kind is not sp.csc_matrix else c.tocsr())

# --- values of unsorted matrices (scipy 1.17)
for t, kind, a, b, c, d in unordered():
    for x, y in ((a, b), (a, c), (c, d)):
        print(
            rounded((x + y).toarray()).tolist(),
            rounded(x.multiply(y).toarray()).tolist(),
            rounded((x @ y.T).toarray()).tolist(),
            rounded((x.T @ y).toarray()).tolist(),
        )
    tell(
        lambda: a.sum(axis=0),
        lambda: a.sum(axis=1),
        lambda: a.diagonal(),
        lambda: a.diagonal(2),
        lambda: a.diagonal(-3),
        lambda: a.toarray(),
    )
    if t not in ("c8", "c16", "?") and kind is not sp.csr_array:
        tell(
            lambda: a.max(axis=0).toarray(),
            lambda: a.min(axis=0).toarray(),
            lambda: a.max(axis=1).toarray(),
            lambda: a.min(axis=1).toarray(),
        )
    tell(
        lambda: sp.hstack([a, b, c]).toarray(),
        lambda: sp.vstack([a, b]).toarray(),
        lambda: sp.hstack([c, c], dtype="c16"),
    )
a, b = sp.csr_matrix(np.array([[1, 0, 2.5]])), sp.csr_matrix(np.array([[2, 1, 0]]))
tell(lambda: a + b, lambda: b - a, lambda: a.multiply(b))
x = sp.csr_matrix(np.array([[np.nan, 1, 0], [0, np.inf, -np.inf], [2, 3, np.nan]]))
tell(
    lambda: x.max(axis=1).toarray(),
    lambda: x.min(axis=0).toarray(),
    lambda: (x + x).toarray(),
    lambda: x.multiply(sp.csr_matrix(np.eye(3))).toarray(),
)

# --- memory shared by conversions (scipy 1.17)
a = sp.csr_matrix(np.eye(3))
c = a.tocoo()
c.data[0] = 7
d = c.tocsr()
d.data[1] = 9
print(a.data.tolist(), c.data.tolist(), d.data.tolist())
d = sp.diags([[1.0, 2, 3]], [0]).tocoo()
r = d.tocsr()
r.data[0] = 5
d.data[2] = 8
print(d.data.tolist(), r.data.tolist(), d.tocsr().data.tolist())

# --- duplicates are summed before a value is read (scipy 1.17)
def twice(kind, t):
    c = sp.coo_matrix(
        (np.array([4, 5, -9, 9, 4, 1]).astype(t), (np.array([0, 0, 1, 1, 0, 2]), np.array([1, 1, 0, 0, 2, 2]))), (3, 4)
    )
    if kind in (sp.coo_matrix, sp.coo_array):
        return kind((c.data, (c.row, c.col)), (3, 4))
    a, b = (c.row, c.col) if kind in (sp.csr_matrix, sp.csr_array) else (c.col, c.row)
    by = np.argsort(a, kind="stable")
    return kind(
        (c.data[by], b[by], np.searchsorted(a[by], np.arange((4 if kind in (sp.csr_matrix, sp.csr_array) else 5)))),
        (3, 4),
    )


import scipy.sparse.linalg as sl

for kind in kinds:
    for t in ("f8", "i4", "f4"):
        for f in (
            lambda a: a.sqrt(),
            lambda a: abs(a),
            lambda a: a.power(2),
            lambda a: a > 4.5,
            lambda a: a != 0,
            lambda a: a.maximum(0),
            lambda a: a.minimum(-1.5).nnz,
            lambda a: a.count_nonzero(),
            lambda a: sl.norm(a),
            lambda a: a.max(),
            lambda a: a.min(),
            lambda a: a.sin(),
            lambda a: a.sign(),
            lambda a: a.argmax(),
            lambda a: a.argmin(axis=1),
            lambda a: a.argmax(axis=0),
            lambda a: a.diagonal(1),
            lambda a: a.sum(axis=0),
            lambda a: a.sum(axis=1),
            lambda a: a.toarray(),
            lambda a: a[0, 1] if a.format != "coo" else 0,
        ):
            a = twice(kind, t)
            tell(lambda: f(a), lambda: a.tocsr().sum())
