# scipy.sparse against SciPy: six kinds, what they tell, how they print, and what goes wrong; then the formats for
# filling, diagonals and blocks, and what all of them make of each other. Results of numpy.matrix are asked for as
# arrays.
import scipy.sparse as sp


def data(m, n, dtype=float, seed=0):
    k = np.arange(m * n) + seed
    x = np.where(k * 7919 % 11 < 4, (k * 31 % 23 - 11) / 2, 0)
    if np.dtype(dtype).kind == "c":
        x = x + np.where(x != 0, 1j, 0)
    return x.reshape(m, n).astype(dtype)


forms = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
kinds = [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.coo_array]
all_kinds = [getattr(sp, f + "_" + k) for k in ("matrix", "array") for f in forms]
others = [k for k in all_kinds if k.__name__[:3] in ("lil", "dok", "dia", "bsr")]
filled = [k for k in all_kinds if k.__name__[:3] in ("lil", "dok")]


def rounded(x):
    return np.round(x, 6) if x.dtype.kind in "fc" else x


def tell(*fs):
    for f in fs:
        try:
            r = f()
        except Exception as e:
            print(type(e).__name__, e)
            continue
        if sp.issparse(r):
            print(type(r).__name__, r.format, r.shape, r.dtype, r.nnz, rounded(r.toarray()).tolist())
        elif hasattr(r, "shape") and hasattr(r, "dtype"):
            r = np.asarray(r)
            print(r.dtype, r.shape, rounded(r).tolist())
        else:
            print(r)


def rows_in_no_order(kind, t, seed, counts):
    starts = np.concatenate([[0], np.cumsum(counts)])
    k = np.arange(starts[-1]) + seed
    x = sp.csr_matrix(
        ((k * 37 % 5 - 2).astype(t), (k * k * 31 % 97 % 13).astype(np.int32), starts.astype(np.int32)), (6, 13)
    )
    return (
        sp.csc_matrix((x.data, x.indices, x.indptr), (13, 6))
        if kind is sp.csc_matrix
        else kind((x.data, x.indices, x.indptr), (6, 13))
    )


def four(kind, t, counts):
    a, b = rows_in_no_order(kind, t, 1, counts), rows_in_no_order(kind, t, 3, counts[::-1])
    c, d = a.copy(), b.copy()
    c.sum_duplicates()
    d.sum_duplicates()
    return t, kind, a, b, c, d


def unordered():
    return [
        four(kind, t, np.array(counts))
        for t in ("i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16", "?")
        for counts in ([3, 0, 5, 1, 9, 2], [0, 20, 1, 40, 0, 2])
        for kind in (sp.csr_matrix, sp.csc_matrix, sp.csr_array)
    ]


def error(*fs):
    for f in fs:
        try:
            f()
            print("done")
        except Exception as e:
            print(type(e).__name__, e)


# --- making and turning (scipy 1.17)
for t in ("i4", "i8", "f4", "f8", "c16", "?"):
    for kind in kinds:
        a = kind(data(5, 4, t))
        tell(
            lambda: a,
            lambda: a.tocsr(),
            lambda: a.tocsc(),
            lambda: a.tocoo(),
            lambda: a.T,
            lambda: a.astype("f8") if t != "c16" else a,
            lambda: kind(a),
            lambda: kind((3, 2)),
            lambda: kind(([1, 2, 4], ([0, 1, 1], [2, 0, 0])), shape=(3, 4)),
            lambda: a.nnz,
            lambda: a.data,
            lambda: a.tocsc().indices,
            lambda: a.tocsc().indptr,
            lambda: a.tocsr().indices,
            lambda: a.tocsr().indptr,
            lambda: a.asformat("csc"),
        )

# --- wrong parts (scipy 1.17)
for kind in (sp.csr_matrix, sp.csc_array):
    tell(
        lambda: kind(([1, 2], [0, 1], [0, 1]), shape=(2, 2)),
        lambda: kind(([1, 2], [0, 1], [1, 1, 2]), shape=(2, 2)),
        lambda: kind(([1, 2], [0, 1], [0, 1, 5]), shape=(2, 2)),
        lambda: kind(([1], [0, 1], [0, 1, 1]), shape=(2, 2)),
    )
for kind in (sp.coo_matrix, sp.coo_array, sp.csr_matrix):
    tell(
        lambda: kind(([1], ([0], [5])), shape=(2, 3)),
        lambda: kind(([1], ([-1], [0])), shape=(2, 3)),
        lambda: kind(([1, 2], ([0], [0])), shape=(2, 3)),
        lambda: kind(([], ([], []))),
        lambda: kind((2, -3)),
    )

# --- products and arithmetic (scipy 1.17)
d, e = data(6, 5), data(6, 5, seed=3)
for ka in kinds:
    a = ka(d)
    tell(
        lambda: a @ np.arange(5.0),
        lambda: a @ np.ones((5, 2)),
        lambda: np.arange(6.0) @ a,
        lambda: np.ones((2, 6)) @ a,
        lambda: a * 2,
        lambda: 2 * a,
        lambda: a / 4,
        lambda: -a,
        lambda: abs(a),
        lambda: a + e,
        lambda: e - a,
        lambda: a + 0,
        lambda: a + 1,
        lambda: a - 1,
        lambda: a.power(2),
        lambda: a.multiply(e),
        lambda: a.multiply([1, 2, 3, 4, 5]),
        lambda: a.multiply(3),
        lambda: a.dot(np.ones(5)),
        lambda: a @ 2,
        lambda: a @ np.ones(3),
        lambda: a @ np.ones((3, 3)),
        lambda: a**2,
        lambda: a.conj(),
        lambda: a.sqrt().nnz,
        lambda: a.sign(),
        lambda: a.expm1(),
        lambda: a.floor(),
    )
    for kb in kinds:
        b = kb(e)
        tell(
            lambda: a + b,
            lambda: a - b,
            lambda: a - a,
            lambda: a @ b.T,
            lambda: a.T @ b,
            lambda: a.multiply(b),
            lambda: a.maximum(b),
            lambda: a.minimum(b),
            lambda: a + b.T,
            lambda: a @ b,
            lambda: a * b.T,
            lambda: a * b,
        )

# --- comparisons (scipy 1.17)
d, e = data(4, 5), data(4, 5, seed=5)
for ka in kinds[:2] + kinds[3:5]:
    a, b = ka(d), sp.csr_matrix(e)
    tell(
        lambda: a != b,
        lambda: a == a,
        lambda: a > b,
        lambda: a < b,
        lambda: a >= b,
        lambda: (a != a).nnz,
        lambda: a > 1,
        lambda: a != 0,
        lambda: a < 0,
        lambda: a == 3,
        lambda: a >= 0.5,
    )

# --- sums and extremes (scipy 1.17)
for t in ("i4", "f4", "f8", "c16", "?"):
    for kind in kinds:
        a = kind(data(5, 4, t))
        tell(
            lambda: a.sum(),
            lambda: a.sum(0),
            lambda: a.sum(axis=1),
            lambda: a.sum(axis=-1, dtype="f8") if t != "c16" else 0,
            lambda: a.mean(),
            lambda: a.mean(0),
            lambda: a.mean(axis=1),
            lambda: a.diagonal(),
            lambda: a.diagonal(1),
            lambda: a.diagonal(-2),
            lambda: a.trace(),
            lambda: a.nonzero()[1],
            lambda: a.nnz,
            lambda: kind(a).tocsr().indptr,
            lambda: a.count_nonzero(),
            lambda: a.sum(axis=2),
        )
        if t not in ("c16", "?"):
            tell(lambda: a.max(), lambda: a.min(), lambda: a.argmax(), lambda: a.argmin())
        if kind in kinds[:3]:
            tell(lambda: a.getnnz(), lambda: a.getnnz(0), lambda: a.getnnz(axis=1))
        if t not in ("c16", "?") and kind in kinds[:3]:
            tell(lambda: a.max(0), lambda: a.min(axis=1))

# --- rows, columns, elements (scipy 1.17)
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

# --- writing (scipy 1.17)
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

# --- printing (scipy 1.17)
for kind in kinds:
    for t in ("i8", "f4", "c16", "?"):
        a = kind(data(3, 4, t))
        print(a)
        print(repr(a))
print(sp.csr_matrix((2, 3)))
print(sp.csr_matrix(np.arange(130).reshape(10, 13)))
print([sp.coo_array((1, 1))])

# --- whole matrices (scipy 1.17)
d, e = data(3, 4), data(2, 4, seed=1)
a, b = sp.csr_matrix(d), sp.coo_matrix(e)
tell(
    lambda: sp.eye(3, format="csr"),
    lambda: sp.eye(3, 4, 1, format="csr"),
    lambda: sp.identity(3, format="csc"),
    lambda: sp.eye_array(2, format="coo"),
    lambda: sp.diags([1.0, 2], format="csr"),
    lambda: sp.diags([[1, 2, 3], [4, 5]], [0, -1], format="csc", dtype=float),
    lambda: sp.diags([1.0, -2, 1], [-1, 0, 1], shape=(4, 4), format="csr"),
    lambda: sp.diags([[1.0, 2, 3], [4]], [0, 1], format="csr"),
    lambda: sp.diags_array([1.0, 2], offsets=1, format="csr"),
    lambda: sp.spdiags([[1.0, 2, 3], [4, 5, 6]], [0, 1], 3, 3, format="csr"),
    lambda: sp.vstack([a, a]),
    lambda: sp.vstack([a, b]).toarray(),
    lambda: sp.hstack([a, a]),
    lambda: sp.hstack([a.tocsc(), a.tocsc()]),
    lambda: sp.vstack([a, a], "csc"),
    lambda: sp.hstack([a, b]),
    lambda: sp.vstack([a, b.T]),
    lambda: sp.block_diag([a, b]).toarray(),
    lambda: sp.bmat([[a, None], [None, b]]).toarray(),
    lambda: sp.bmat([[a, None], [b, None]]),
    lambda: sp.bmat([[a, b]]),
    lambda: sp.block_array([[sp.csr_array(d)], [sp.csr_array(e)]], format="csr"),
    lambda: sp.kron(a, b, "csr"),
    lambda: sp.kronsum(sp.eye(2, format="csr"), sp.csr_matrix(data(3, 3)), "csr"),
    lambda: sp.tril(a),
    lambda: sp.triu(b, 1),
    lambda: sp.tril(a, -1, "csc"),
    lambda: sp.find(a)[0],
    lambda: sp.find(a)[2],
    lambda: a.reshape(2, 6),
    lambda: a.reshape((6, -1)),
    lambda: a.transpose(),
    lambda: a.copy(),
    lambda: sp.issparse(a),
    lambda: sp.isspmatrix(sp.csr_array(d)),
    lambda: sp.isspmatrix_csc(a.T),
    lambda: a.real,
    lambda: sp.random(5, 5, 2.0),
    lambda: sp.random(20, 30, 0.1, rng=np.random.default_rng(1)).nnz,
)

# --- files (scipy 1.17)
import os, tempfile

folder = tempfile.mkdtemp()
path = os.path.join(folder, "a.npz")
for kind in kinds:
    a = kind(data(4, 5))
    sp.save_npz(path, a)
    tell(lambda: sp.load_npz(path))
    sp.save_npz(path[:-4], a, compressed=False)
    tell(lambda: sp.load_npz(path))
    with np.load(path) as parts:
        print(sorted(parts.files), parts["shape"].tolist())
np.savez(path, x=np.ones(2))
try:
    sp.load_npz(os.path.join(folder, "none.npz"))
except OSError as e:
    print(type(e).__name__)
os.remove(path)
os.rmdir(folder)

# --- equations (scipy 1.17)
import scipy.sparse.linalg as sl

a = sp.csr_matrix(np.array([[4.0, 1, 0, 0], [1, 3, 0.5, 0], [0, 0.5, 2, 1], [0, 0, 1, 5]]))
b = np.array([1.0, 2, 3, 4])
tell(
    lambda: sl.spsolve(a.tocsc(), b),
    lambda: sl.spsolve(a.tocsc(), np.ones((4, 2))),
    lambda: sl.inv(a.tocsc()).toarray(),
    lambda: sl.norm(a),
    lambda: sl.norm(a, 1),
    lambda: sl.norm(a, np.inf),
    lambda: sl.norm(a, axis=0),
    lambda: sl.factorized(a.tocsc())(b),
)
for f in (sl.cg, sl.bicgstab, sl.gmres):
    for m in (a, a.tocsc(), a.toarray(), sp.csr_array(a)):
        x, info = f(m, b, rtol=1e-9)
        print(f.__name__, x.round(6), info)
    print(
        f(a, np.zeros(4)),
        f(a * 1e-8, b * 1e-8, rtol=1e-9)[0].round(5),
        f(a, b, x0=np.ones(4), rtol=1e-9, M=sp.diags(1 / a.diagonal()).tocsr())[0].round(5),
    )
    tell(lambda: f(a, np.ones(3)))

# --- many unsorted values with duplicates (scipy 1.17)
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

# --- indices that were changed by hand (scipy 1.17)
a = sp.csr_matrix(np.eye(4))
a.indices[2] = 0
a.data[1] = 5
tell(lambda: a.tocsc(), lambda: a + a, lambda: a @ a)


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

# --- diagonals (scipy 1.17)
for form in ("csr", "csc", "coo"):
    tell(
        lambda: sp.diags([[1, 2, 3], [4, 5], [6, 7]], [0, 1, -1], format=form),
        lambda: sp.diags([1, 2], [1, -2], shape=(3, 5), format=form),
        lambda: sp.diags([[1, 2, 3]], [2], format=form),
        lambda: sp.eye(3, 5, 2, format=form),
        lambda: sp.eye(5, 3, -2, format=form),
        lambda: sp.eye(3, 3, 7, format=form),
        lambda: sp.identity(0, format=form),
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

# --- a narrow part of many columns (scipy 1.17)
counts = np.array([0, 1, 200, 15, 16, 17, 40, 48, 49, 300, 0, 5])
k = np.arange(counts.sum()) + 1
a = sp.csr_matrix(
    ((k * 37 % 13 - 5) / 2, (k * k * 7919 % 104729 % 70000).astype(np.int32), np.concatenate([[0], np.cumsum(counts)])),
    (12, 70000),
)
# ("f8", 12, 70000, np.array([0, 1, 200, 15, 16, 17, 40, 48, 49, 300, 0, 5]), 1)
for form in ("csr", "csc"):
    c = a.asformat(form)
    j = int(a.indices[7])
    for r in (c[:, j], c[:, j : j + 900], c[:, j : j + 900 : 7], c[:, 60000:], c[:, 3:70000:2], c[:, 9:9], c[3:8, :40]):
        print(r.shape, r.nnz, r.tocoo().row.tolist(), r.tocoo().col.tolist(), r.tocoo().data.tolist())

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

# --- masks, crossed lists, dots (scipy 1.17)
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

# --- scalars do not change the dtype of a product; extrema of booleans (scipy 1.16)
for t in ("?", "i1", "u1", "i4", "i8", "f4", "f8", "c8"):
    a = sp.csr_matrix(np.array([[1, 0, 100], [0, 0, 7]], t))
    for x in (2, 2.5, 2j, True, np.int16(2), np.float32(2), np.float64(2), np.array(3)):
        for r in (a * x, x * a, a.multiply(x), a.tocoo() * x):
            print(r.dtype, r.toarray().tolist())
for d in ([[0, 0, 1], [0, 1, 1]], [[0, 0], [0, 0]], [[1, 1], [1, 1]]):
    for kind in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix):
        a = kind(np.array(d, bool))
        for r in (a.max(axis=0), a.min(axis=0), a.max(axis=1), a.min(axis=1)):
            print(r.dtype, r.nnz, r.toarray().tolist())
        print(a.max(), a.min())

# --- transposes of stacks (scipy 1.18)
tell(lambda: sp.csr_matrix(data(3, 4)).mT)


# --- duplicates count once where the value of an element is read (scipy 1.17)
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

# --- columns by lists, in no order and several times, and single elements (scipy 1.17)
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

# --- column gather from unsorted matrices (scipy 1.17) (not on cuda: results made there are in order)
loose = sp.csr_matrix((np.arange(40.0), np.arange(40) * 7 % 13, np.arange(0, 41, 8)), (5, 13))
for key in ([0, 3, 12], [12, 3, 3, 0], np.arange(13) % 2 == 0):
    r = loose[:, key]
    print(r.indices.tolist(), r.data.tolist(), r.indptr.tolist(), r.has_sorted_indices)

# --- where the largest and the smallest are (scipy 1.17)
for t in ("i1", "u1", "i8", "u8", "f4", "f8"):
    for seed in range(4):
        for kind in kinds:
            a = kind(abs(data(5, 4, t, seed)) if t[0] == "u" else data(5, 4, t, seed))
            for b in (a, a.multiply(a), -a if t[0] != "u" else a):
                d = b.toarray()
                for axis in (None, 0, 1, -1):
                    tell(
                        lambda: bool((np.asarray(b.argmax(axis)).ravel() == d.argmax(axis).ravel()).all()),
                        lambda: bool((np.asarray(b.argmin(axis)).ravel() == d.argmin(axis).ravel()).all()),
                    )
            tell(lambda: a.argmax(axis=1), lambda: a.argmin(axis=0), lambda: a.argmax(), lambda: a.argmin())
tell(
    lambda: sp.csr_matrix((0, 3)).argmax(),
    lambda: sp.csr_matrix((3, 0)).argmin(axis=1),
    lambda: sp.csr_matrix((3, 2)).argmax(),
    lambda: sp.csr_matrix((3, 2)).argmin(axis=1),
    lambda: sp.csr_matrix((100000, 100000)).argmax(),
    lambda: sp.eye(70000, format="csr").argmin(axis=1).sum(),
)

for sign in (1, -1):
    for where in (0, 40, 199, 200 * 99):
        d = np.zeros(20000)
        d[where::997] = np.arange(1, d[where::997].size + 1) // 3 + 1
        d = (sign * d).reshape(100, 200)
        for t in ("f8", "f4", "i4", "i1", "f2"):
            e = sp.csr_matrix(d.astype("f4") if t == "f2" else d.astype(t))
            print(
                [
                    int(x)
                    for x in (e.argmax(), e.argmin(), e.tocsc().argmax(), e[50:].argmin(), (e[:2, :3] * 0).argmax())
                ]
            )

# --- maximum, minimum and != of two matrices (scipy 1.17)
for t in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?", "c8", "c16"):
    for ka in (sp.csr_matrix, sp.csc_array):
        x, y = data(6, 5), data(6, 5, seed=2)
        a, b = [k((abs(z) if t[0] == 'u' else z).astype(t)) for k, z in ((ka, x), (sp.csr_array, y))]
        tell(lambda: a != b, lambda: a != a)
        if t[0] != "c":
            tell(
                lambda: a.maximum(b),
                lambda: a.minimum(b),
                lambda: a > b,
                lambda: a < b,
                lambda: b < a,
                lambda: (a > b).has_canonical_format,
            )
for t, kind, a, b, c, d in unordered():
    if t[0] != "c":
        for r in (a.maximum(b), a.minimum(c), a != b, c > d, a < d):
            tell(lambda: r.toarray())
x, y = [
    sp.csr_matrix(np.array([[np.nan, 1, 0, -2.5], [0, np.inf, -np.inf, 3]])),
    sp.csr_matrix(np.array([[1, np.nan, 2, 0], [np.nan, 0, 1, 3.0]])),
]
tell(lambda: x != y, lambda: x < y, lambda: x > y)

# --- dense ones and sparse ones (scipy 1.17)
for t in ("i1", "u1", "i4", "f4", "f8", "c16", "?"):
    for u in ("i2", "f4", "f8", "?"):
        for kind in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array):
            a, b = kind(data(4, 5, t)), data(4, 5, u, 3)
            tell(
                lambda: a + b,
                lambda: b + a,
                lambda: a + b.T.copy().T,
                lambda: a + b[0] if kind is sp.csr_array else 0,
                lambda: a.toarray(),
            )
            if "?" not in (t, u):
                tell(lambda: a - b, lambda: b - a)
print(
    sp.csr_matrix(np.array([[0, 1.0]])) - np.array([[0.0, 1]]),
    np.array([[-0.0, 1]]) - sp.csr_matrix(np.array([[0, 1.0]])),
)

# --- elements that are set, where there are values and where there are none (scipy 1.17)
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

# --- blocks (scipy 1.17)
a, b = sp.csr_matrix(data(3, 4)), sp.csr_matrix(data(2, 4, seed=1))
tell(
    lambda: sp.block_diag([a, b.tocsc(), b.tocoo(), [[1, 0], [0, 2.0]], np.array([[0, 1], [3, 0]]), 5], "csr"),
    lambda: sp.block_diag([np.array([[1, 0], [0, 0]])]).nnz,
    lambda: sp.block_diag([sp.csr_array(data(2, 2)), a]),
    lambda: sp.block_diag([a, a], dtype="f4"),
    lambda: sp.block_diag([a] * 30).sum(),
    lambda: sp.block_diag([np.eye(2), np.zeros((0, 3)), np.ones((1, 0)), a]),
    lambda: sp.bmat([[a, a], [b, b]]),
    lambda: sp.bmat([[a, a], [b, b]], "csc"),
    lambda: sp.bmat([[a], [b]], dtype="f4"),
    lambda: sp.bmat([[a.tocsc(), a.tocsc()]], "csr"),
    lambda: sp.vstack([a, b] * 20).sum(axis=0),
    lambda: sp.vstack([a] * 5).indptr,
    lambda: sp.vstack([a.tocsc()] * 3, "csc").indptr,
    lambda: sp.bmat([[sp.csr_array(data(2, 2)), a[:2]]]),
)
try:
    sp.bmat([[a, a], [b]])
except ValueError:
    print("refused")

# --- diagonals that are rows (scipy 1.17)
d = data(3, 6) + 1
for m, n in ((6, 6), (4, 6), (6, 4), (9, 6), (6, 9), (2, 2)):
    for where in ([0, 1, -1], [-3, 5, 2], [8, -8, 0], [3, -1, 1], [-1, 0, 1], [-2, 1, 3]):
        for form in ("csr", "csc", "coo"):
            tell(
                lambda: sp.spdiags(d, where, m, n, form),
                lambda: sp.spdiags(np.asfortranarray(d), where, m, n, form),
                lambda: sp.spdiags(d[:, ::-1], where, m, n, form),
            )
long = (np.arange(24000) % 11 * 0.5).reshape(3000, 8).T


def stored(m):  # every stored element, instead of nine million that are mostly zeros
    m.sort_indices()
    print(type(m).__name__, m.format, m.shape, m.dtype, m.nnz, m.indptr.tolist(), m.indices.tolist(), m.data.tolist())


for where in (range(8), [-2900, -3, -2, 0, 1, 5, 7, 2000], [-7, -6, -5, -4, -3, -2, -1, 0]):
    for t in ("f8", "f4", "i2", "c16"):
        stored(sp.spdiags(long.astype(t), list(where), 3000, 3000, "csr"))
        stored(sp.spdiags(long[::-1].astype(t), list(where), 2950, 3000, "csr"))
        stored(sp.spdiags(np.asfortranarray(long).astype(t), list(where), 3000, 2990, "csr"))
tell(
    lambda: sp.spdiags([1, 2, 0], 0, 3, 3, "csr"),
    lambda: sp.spdiags([[1, 2, 0]], [1], 5, 5, "coo").nnz,
    lambda: sp.spdiags(d, [0, 1, 1], 6, 6),
    lambda: sp.spdiags(d, [0, 1], 6, 6),
)

# --- diagonals with zeros (scipy 1.10)
k = np.arange(3 * 9000).reshape(3, 9000)
for t in ("f4", "f8", "i1", "i2", "i8", "c8", "c16", "?"):
    for d in (
        (k * 7919 % 11 % 3 - 1).astype(t),
        np.where(k == 13000, 0, 1).astype(t),
        np.zeros((3, 9000), t),
        np.ones((3, 9000), t),
    ):
        for where, m, n in (
            ([-2, 0, 5], 9000, 9000),
            ([-4, -3, 4095], 4100, 9000),
            ([0, 1, 2], 8192, 9000),
            ([-1, 0, 1], 7, 9000),
        ):
            a, b = sp.spdiags(d, where, m, n, "csr"), sp.spdiags(np.asfortranarray(d), where, m, n, "csr")
            print(
                t,
                a.nnz,
                b.nnz,
                a.dtype,
                a.indptr[::97].tolist(),
                (a.indices.astype("i8") * (np.arange(a.nnz) % 97)).sum(),
                (a.data.astype("c16") * (np.arange(a.nnz) % 89)).sum(),
                (a != b).nnz,
            )
for t in ("f4", "f8", "c8", "c16"):
    tell(lambda: sp.spdiags(np.array([[-0.0, np.nan, 0.0, np.inf, 5e-324, 1e-45]]).astype(t), [0], 6, 6, "csr"))
tell(
    lambda: sp.spdiags(
        np.array([[complex(0, 1), complex(1, 0), complex(-0.0, -0.0), complex(0, np.nan)]]), [0], 4, 4, "csr"
    )
)
wide = (np.arange(5000)[:, None] + np.arange(2)) % 4
tell(
    lambda: sp.spdiags(wide.astype("f4"), np.arange(5000) - 1, 2, 5001, "csr").nnz,
    lambda: sp.spdiags(wide.astype("f4"), np.arange(5000) - 4998, 5000, 2, "csr").indptr[::500],
)
for form in ("csr", "csc", "coo"):
    tell(
        lambda: sp.diags([[1.0, 0, 2], [3, 0], [0, 0]], [0, 1, -1], format=form),
        lambda: sp.diags([0.0, 1], [0, 1], shape=(3, 4), format=form),
        lambda: sp.diags([[0.0, 0]], [1], format=form),
    )

# --- norms of rows and columns (scipy 1.17)
import scipy.sparse.linalg as sl

for t in ("f8", "f4", "i4", "c16"):
    for kind in kinds:
        a = kind(data(5, 4, t))
        for axis in (0, 1, -1):
            tell(
                *[
                    lambda ord=ord: np.ravel(sl.norm(a, ord, axis)).astype(float).round(4)
                    for ord in (None, 1, 2, np.inf, -np.inf, 0, 3)
                ]
            )  # shapes and dtypes differ between versions
        tell(
            *[lambda ord=ord: round(float(sl.norm(a, ord)), 4) for ord in (None, 1, -np.inf)],
            lambda: sl.norm(a, "fro", 0),
            lambda: sl.norm(a, None, 2)
        )

# --- linear systems of several kinds (scipy 1.17)
import scipy.sparse.linalg as sl

k = np.arange(40)
for t in ("f8", "c16"):
    a = sp.diags([k % 7 + 5.0, np.ones(39) * -1.5, k[:38] % 3 / 2.0], [0, 1, -2], format="csr").astype(t)
    if t == "c16":
        a = a + a.multiply(0.25j) + sp.eye(40, format="csr") * 2j
    b = (k % 5 + 1).astype(t)
    want = np.linalg.solve(a.toarray(), b)
    for f in (sl.gmres, sl.bicgstab):
        for m in (None, sp.diags(1 / a.diagonal()).tocsr()):
            x, info = f(a, b, rtol=1e-10, M=m)
            print(info, bool(np.allclose(x, want, rtol=1e-7)))
    x, info = sl.gmres(a, b, restart=3, rtol=1e-9)
    print(info, bool(np.allclose(x, want, rtol=1e-6)))
    x, info = sl.gmres(a, b, restart=2, maxiter=1, rtol=1e-14)
    print(info)

# --- linear systems by elimination (scipy 1.17)
import scipy.sparse.linalg as sl


def grid(g, t):
    d = sp.diags([np.full(g - 1, -1.0), np.full(g, 2.5), np.full(g - 1, -1.25)], [-1, 0, 1], format="csr")
    a = sp.kron(d, sp.identity(g)) + sp.kron(sp.identity(g), d)
    return (a * (1 + 0.5j) if t[0] == "c" else a).astype(t)


for t in ("f8", "c16", "f4", "c8"):

    def close(x, y):
        return (
            x.dtype,
            x.shape,
            bool(
                np.allclose(x, y, rtol=1e-4 if t in ("f4", "c8") else 1e-9, atol=1e-5 if t in ("f4", "c8") else 1e-10)
            ),
        )

    for g in (1, 2, 3, 12, 25):
        a = grid(g, t)
        if g * g == 1:
            a = sp.csr_matrix(np.array([[2]], t))
        n = a.shape[0]
        for b in (
            np.arange(n) % 7 + 1,
            (np.arange(3 * n) % 5 - 1.5).reshape(n, 3).astype(t),
            np.ones((n, 1), t),
            sp.csc_matrix(np.eye(n)[:, :2]),
        ):
            for kind in (sp.csc_matrix, sp.csr_matrix, sp.csc_array):
                if sp.issparse(b) and (n > 9 or n < 2):
                    continue
                x = sl.spsolve(kind(a), b)
                print(
                    type(x).__name__,
                    close(
                        x.toarray() if sp.issparse(x) else x,
                        np.linalg.solve(a.toarray(), b.toarray() if sp.issparse(b) else b).reshape(x.shape),
                    ),
                )
        c = a.tocsc()
        lu, b = sl.splu(c), np.arange(n).astype(t)
        d = c.toarray()
        print(
            close(lu.solve(b), np.linalg.solve(d, b)),
            close(lu.solve(b, "T"), np.linalg.solve(d.T, b)),
            close(lu.solve(np.ones((n, 2), t), "H"), np.linalg.solve(d.T.conj(), np.ones((n, 2)))),
            lu.shape,
            np.sort(lu.perm_c).sum(),
            np.sort(lu.perm_r).sum(),
            close(sl.factorized(c)(b), np.linalg.solve(d, b)),
        )
        m = np.zeros((n, n), t)
        m[np.ix_(lu.perm_r, lu.perm_c)] = c.toarray()
        L, U = lu.L.toarray(), lu.U.toarray()
        print(
            bool(np.allclose(L @ U, m, atol=1e-4)),
            bool((np.tril(L) == L).all()),
            bool((np.triu(U) == U).all()),
            L.diagonal().sum(),
        )
k = np.arange(3000)
for n, t in ((500, "f8"), (900, "c16")):  # not symmetric, pivots that leave the diagonal, places named twice
    a = (
        sp.coo_matrix(((k % 13 - 6) / 4, (k * 7919 % n, k * k * 31 % n)), (n, n))
        + sp.diags([np.arange(n) % 3 * 4.0, np.full(n - 1, 5.0)], [0, 1])
        + sp.diags([5.0], [1 - n], shape=(n, n))
    )
    for c in (a.tocsc().astype(t), a.tocsr().astype(t)):
        b = (np.arange(n) % 9).astype(t)
        x = sl.spsolve(c, b)
        print(bool(abs(c @ x - b).max() < 1e-9 * abs(x).max()), np.round(x.real, 4)[:40].tolist())
loose = sp.csc_matrix((np.array([1.0, 2, 1, 3]), np.array([0, 1, 0, 1]), np.array([0, 3, 4])), (2, 2))
print(
    sl.spsolve(loose, [2.0, 5]),
    sl.spsolve(sp.csr_matrix([[2, 0], [0, 4]]), [1, 2]).dtype,
    sl.spsolve(sp.csr_matrix([[2, 0], [0, 4]], dtype="f4"), np.array([1, 2], "f4")).dtype,
)
for t in (
    "?",
    "i1",
    "u2",
    "i4",
    "f4",
    "f8",
    "c8",
    "c16",
):  # dtypes of factors; right hand sides that would lose something
    a = sp.csc_matrix(np.array([[1, 0], [1, 1]], t))
    lu = sl.splu(a)
    print(lu.L.dtype, lu.U.dtype)
    for u in ("?", "i1", "i8", "f4", "f8", "c8", "c16"):
        tell(
            lambda: lu.solve(np.ones(2, u)),
            lambda: lu.solve(np.ones((2, 2), u), "H"),
            lambda: sl.factorized(a)(np.ones(2, u)),
            lambda: sl.spsolve(a, np.ones(2, u)),
        )
nothing = sp.csc_matrix((0, 0))
lu = sl.splu(nothing)
print(
    lu.shape,
    lu.nnz,
    lu.perm_r.shape,
    lu.perm_c.shape,
    lu.L.shape,
    lu.U.shape,
    lu.solve(np.ones(0)),
    lu.solve(np.ones((0, 3)), "H").shape,
    sl.spsolve(nothing, np.ones(0)),
)

# --- every format from every other (scipy 1.17)
for t in ("f8", "i4", "c16", "?", "f4"):
    for kind in all_kinds:
        a = kind(data(6, 4, t))
        for form in forms:
            tell(lambda: a.asformat(form), lambda: getattr(a, "to" + form)())
        for other in all_kinds:
            tell(lambda: other(a), lambda: other(a, dtype="c16"))
        tell(
            lambda: a.todense(),
            lambda: a.copy(),
            lambda: a.T,
            lambda: a.transpose(),
            lambda: a.dtype,
            lambda: a.ndim,
            lambda: a.size,
            lambda: sp.issparse(a),
            lambda: sp.isspmatrix(a),
            lambda: [
                f(a)
                for f in (sp.isspmatrix_csr, sp.isspmatrix_lil, sp.isspmatrix_dok, sp.isspmatrix_dia, sp.isspmatrix_bsr)
            ],
        )
        print(repr(a))
        print(a)
        tell(lambda: kind((3, 4)), lambda: kind((3, 4), dtype="i1"), lambda: kind((0, 4)).toarray())

# --- types of results (scipy 1.17)
d = data(4, 4)
for kind in others:
    a = kind(d)
    c = sp.csr_array if "array" in kind.__name__ else sp.csr_matrix
    tell(
        lambda: -a,
        lambda: abs(a),
        lambda: a * 2,
        lambda: 2 * a,
        lambda: a / 4,
        lambda: a + a,
        lambda: a - a,
        lambda: a + c(d),
        lambda: c(d) + a,
        lambda: c(d) - a,
        lambda: a - c(d),
        lambda: c(d).tocoo() + a,
        lambda: c(d).tocsc() + a,
        lambda: a @ a,
        lambda: a @ c(d),
        lambda: c(d) @ a,
        lambda: c(d).tocsc() @ a,
        lambda: a @ c(d).tocsc(),
        lambda: a.multiply(a),
        lambda: a.multiply(c(d)),
        lambda: c(d).multiply(a),
        lambda: a.multiply(d),
        lambda: a.multiply([1, 2, 3, 4]),
        lambda: a.multiply(np.arange(4.0)),
        lambda: a.multiply(np.arange(4.0)[:, None]),
        lambda: a.multiply(3),
        lambda: a.maximum(a),
        lambda: a.minimum(c(d)),
        lambda: a**2,
        lambda: a.power(2),
        lambda: a.conj(),
        lambda: a.real,
        lambda: a.imag,
        lambda: a.astype("f4"),
        lambda: a.reshape(2, 8),
        lambda: a.sum(),
        lambda: a.sum(0),
        lambda: a.sum(axis=1),
        lambda: a.mean(),
        lambda: a.mean(0),
        lambda: a.diagonal(),
        lambda: a.diagonal(1),
        lambda: a.diagonal(-2),
        lambda: a.trace(),
        lambda: a.nonzero()[1],
        lambda: a.count_nonzero(),
        lambda: a == a,
        lambda: a != a,
        lambda: a > 1,
        lambda: a > c(d),
        lambda: a + d,
        lambda: d - a,
        lambda: a @ np.ones(4),
        lambda: np.ones(4) @ a,
        lambda: a @ np.ones((4, 2)),
        lambda: np.ones((2, 4)) @ a,
        lambda: a.dot(np.ones(4)),
        lambda: a.dot(a),
        lambda: a / a.toarray().clip(1),
        lambda: a * d,
        lambda: a * a,
        lambda: a + 0,
        lambda: sp.tril(a),
        lambda: sp.vstack([a, a]),
        lambda: sp.hstack([a, a]),
        lambda: sp.block_diag([a, a]),
        lambda: sp.kron(a, a, "csr"),
        lambda: sp.find(a)[2],
        lambda: a @ np.ones(3),
        lambda: a @ 2,
    )
    error(
        lambda: a - kind((3, 3)),
        lambda: a @ kind((3, 3)),
        lambda: bool(a),
        lambda: a + 1 if "dok" not in kind.__name__ else 1 / 0,
        lambda: a.asformat("none"),
    )
    if "matrix" in kind.__name__:
        tell(lambda: a.getH(), lambda: a.getformat(), lambda: a.get_shape(), lambda: a.getnnz(), lambda: a.getrow(1))
    if kind.__name__[:3] in ("dia", "bsr"):
        tell(lambda: a.sqrt().shape, lambda: a.sign(), lambda: a.floor(), lambda: a.rint())

# --- filled element by element (scipy 1.17)
for kind in filled:
    for t in ("f8", "i4", "c16", "?", "f4", "u1"):
        a = kind((5, 6), dtype=t)
        for i in range(5):
            for j in range(6):
                if (i * 7 + j * 3) % 4 == 0:
                    a[i, j] = (i + j) % 5
        tell(
            lambda: a,
            lambda: a[0, 0],
            lambda: a[4, 5],
            lambda: a[-1, -2],
            lambda: type(a[1, 1]).__name__,
            lambda: a.nnz,
        )
        if t != "?":
            for i in range(5):
                a[i, i] += 3
                a[i, -1] += a[i, i]
                a[0, i] -= 1
        a[2, 2] = 0
        a[np.int64(1), np.int32(1)] = np.float64(1)
        a[3, 0] = np.array([2])
        a[3, 1] = sp.csr_matrix([[1]])
        tell(lambda: a, lambda: a.nnz, lambda: a.tocsr(), lambda: a.tocsr().indptr)
        b = a.copy()
        a[0, 0] = 9
        tell(lambda: b[0, 0], lambda: a[0, 0])

# --- filled by parts (scipy 1.17)
for kind in filled:
    for t in ("f8", "i4", "c16"):
        a = kind((6, 7), dtype=t)
        row = np.arange(7) % 3
        a[0, :3] = [1, 2, 3]
        a[1] = row
        a[2, ::2] = 5
        a[:, 6] = np.arange(6)
        a[3:5, 1:3] = [[1, 2], [3, 4]]
        a[[0, 5], [5, 0]] = [8, 9]
        a[5, [1, 3]] = 7
        row[:] = 0
        tell(lambda: a)
        a[[0, 2]] = np.arange(7)
        a[:2, [1, 3, 5]] = np.ones((2, 3))
        a[np.ix_([3, 5], [0, 4])] = [[1, 0], [0, 2]]
        a[4] = 0
        a[-1, -3:] = sp.csr_matrix([[0, 1, 0]])
        tell(lambda: a, lambda: a[3, 4], lambda: a[5, 5])
        a[a.toarray() > 4] = 3
        a.setdiag(6)
        a.setdiag([1, 2], k=-2)
        a.setdiag(np.arange(9), 1)
        tell(
            lambda: a,
            lambda: a.diagonal(-2),
            lambda: a[1:4, 2:],
            lambda: a[::-2],
            lambda: a[[1, 3]],
            lambda: a[np.ix_([0, 2], [1, 3])],
            lambda: a[2:4, [0, 1]],
            lambda: a[1:1].shape,
        )
        if "matrix" in kind.__name__:
            tell(lambda: a[1], lambda: a[:, 2], lambda: a[[0, 1], [1, 2]])
        a[0, 0:0] = 5
        a[:, :] = sp.eye(6, 7)
        tell(lambda: a)
        a += a
        a *= 3
        a -= sp.csr_matrix(np.ones((6, 7)))
        a /= 2 if t != "i4" else 1
        tell(lambda: a)
        a.resize(4, 9)
        tell(lambda: a)

# --- alternating writes and reads (scipy 1.17)
for kind in filled:
    a, d = kind((40, 50)), np.zeros((40, 50))
    for step in range(120):
        i, j, n = step * 7 % 40, step * 13 % 50, step % 9
        if step % 3:
            a[i, j] += step
            d[i, j] += step
        elif step % 2:
            a[i, j : j + n] = step
            d[i, j : j + n] = step
        else:
            a[i : i + 3, j] = 0
            d[i : i + 3, j] = 0
        if step % 10 == 0:
            print(a[i, j], a[j % 40, i], a.nnz)
    print((a.toarray() == d).all(), a.nnz == (d != 0).sum(), (a.tocsc().toarray() == d).all())

# --- errors of lil and dok (scipy 1.17)
for kind in filled:
    a = kind((3, 4))
    error(
        lambda: a.__setitem__((0, 0), [1, 2]),
        lambda: a.__setitem__((0, 9), 1),
        lambda: a.__setitem__((9, 0), 1),
        lambda: a.__setitem__((0, slice(0, 3)), [1, 2]),
        lambda: a.setdiag(3, k=9),
        lambda: a.__setitem__(5, 1),
        lambda: a.__setitem__((0, slice(0, 3)), sp.csr_matrix([[1, 2]])),
        lambda: a[0, 0, 0],
        lambda: a[0, -9],
        lambda: a[7, 0],
        lambda: a[7],
        lambda: kind(([1], ([0], [0]))),
        lambda: kind((2, -1)),
        lambda: a.__setitem__(([0, 1], [0, 1, 2]), 1),
        lambda: a.__setitem__((0, slice(0, 2)), 1j),
        lambda: a.__setitem__((0, 0), 1j),
    )
    print(a.nnz)

# --- a dok as a dict (scipy 1.17)
a = sp.dok_array((3, 4))
a.update({(0, 1): 2, (2, 3): 5.0})
a[1, 0] = 4
tell(
    lambda: len(a),
    lambda: sorted(a.keys()),
    lambda: [(k, float(v)) for k, v in sorted(a.items())],
    lambda: sorted(float(v) for v in a.values()),
    lambda: (0, 1) in a,
    lambda: (0, 0) in a,
    lambda: float(a.get((0, 1))),
    lambda: a.get((0, 0)),
    lambda: a.get((1, 1), 7),
    lambda: a.setdefault((1, 0), 9),
    lambda: a.pop((1, 0)),
    lambda: a.pop((1, 0), -1),
    lambda: len(a),
)
error(
    lambda: a.pop((1, 0)),
    lambda: a.__delitem__((1, 0)),
    lambda: a.get((5, 5)),
    lambda: a.get((1, 1.5)),
    lambda: a.update({(9, 9): 1}),
    lambda: a.update({(0, -1): 1}),
    lambda: a.update({(0, 1.5): 1}),
)
del a[0, 1]
print(len(a))
a.clear()
print(len(a), a.nnz, a.shape)

# --- diagonals (scipy 1.17)
d = np.arange(1, 16).reshape(3, 5)
for kind in (sp.dia_matrix, sp.dia_array):
    for t in ("i8", "f4", "c16"):
        for shape in ((5, 5), (4, 5), (5, 4), (7, 6), (3, 9)):
            for where in ([0, -1, 2], [-2, 0, 3], [1, 2, -4], [8, -8, 0]):
                a = kind((d.astype(t), where), shape=shape)
                print(repr(a))
                tell(
                    lambda: a,
                    lambda: a.data,
                    lambda: a.offsets,
                    lambda: a.T,
                    lambda: a.tocsr(),
                    lambda: a.tocsc(),
                    lambda: a.tocoo().col,
                    lambda: a @ np.arange(shape[1]),
                    lambda: np.arange(shape[0]) @ a,
                    lambda: a @ np.ones((shape[1], 2)),
                    lambda: a.diagonal(-1),
                    lambda: a.diagonal(2),
                    lambda: a.nnz,
                    lambda: a.sum(0) if shape[1] > 4 else 0,
                    lambda: a.sum(1),
                    lambda: kind(a.toarray()).offsets,
                    lambda: kind(a.toarray()).data,
                )
                tell(
                    lambda: a.T @ a,
                    lambda: (a.T @ a).offsets,
                    lambda: a + a,
                    lambda: a + kind((d[:2], [1, 0]), shape=shape),
                    lambda: a - kind((d[:2], [-1, 3]), shape=shape),
                    lambda: a.multiply(kind((d[:2, :4], [0, 2]), shape=shape)),
                    lambda: a.multiply(np.arange(shape[0])[:, None]),
                    lambda: a.multiply(np.arange(shape[1])),
                    lambda: a.multiply(np.ones(shape) * 2),
                )
                b = a.copy()
                b.setdiag(9)
                b.setdiag([1, 2], 1)
                b.setdiag(np.arange(20), -1)
                tell(lambda: b, lambda: b.offsets, lambda: b.data.shape)
                b.resize(6, 4)
                tell(lambda: b, lambda: b.nnz)
                b.resize((8, 8))
                tell(lambda: b)
                b *= 2
                tell(lambda: b)
x = sp.dia_array((np.ones((1, 3)), [0]), shape=(3, 3))
y = x.data
x.data[0, 1] = 7
tell(lambda: x @ np.ones(3), lambda: x.tocsr())
error(
    lambda: sp.dia_array(([1], [0])),
    lambda: sp.dia_array(([1, 2], [0, 1]), shape=(2, 2)),
    lambda: sp.dia_array(([[1], [2]], [0, 0]), shape=(2, 2)),
    lambda: sp.dia_array([1, 2]),
    lambda: x.setdiag(1, 5),
    lambda: sp.dia_array((np.ones((2, 2, 2)), [0, 1]), shape=(2, 2)),
)
many = sp.dia_array(np.arange(10000).reshape(100, 100) % 7 + 1.0)
print(many.offsets.size, (many @ np.arange(100.0)).tolist() == (many.toarray() @ np.arange(100.0)).tolist())

# --- matrices of diagonals (scipy 1.17)
import warnings

warnings.simplefilter("ignore")
for form in (None, "dia", "csr", "csc", "coo", "lil", "bsr"):
    tell(
        lambda: sp.diags([[1, 2, 3], [4, 5]], [0, 1], format=form),
        lambda: sp.diags([1.0, -2, 1], [-1, 0, 1], shape=(4, 4), format=form),
        lambda: sp.diags([[0, 1.0, 2], [3, 0]], [0, 1], format=form),
        lambda: sp.diags([np.ones(3, "f4")], [0], format=form),
        lambda: sp.diags([1, 2], [1, -2], shape=(3, 5), format=form),
        lambda: sp.diags_array([1.0, 2], offsets=1, format=form),
        lambda: sp.eye(3, format=form),
        lambda: sp.eye(3, 5, 2, dtype=int, format=form),
        lambda: sp.eye(5, 3, -2, format=form),
        lambda: sp.identity(3, format=form),
        lambda: sp.eye_array(2, 3, format=form),
        lambda: sp.spdiags([[1, 2, 3], [4, 5, 6]], [0, 1], 3, 3, form),
        lambda: sp.spdiags([[1, 2, 3], [4, 5, 6]], [1, -1], 3, 4, form),
        lambda: sp.diags([[1, 2, 3, 4, 5]], [0], shape=(3, 3), format=form),
        lambda: sp.diags([1j, 2], format=form),
    )
    error(
        lambda: sp.diags([1, 2], [0, 0], shape=(3, 3), format=form),
        lambda: sp.diags([[1, 2], [3]], [0, 1], shape=(4, 4), format=form),
        lambda: sp.diags([[1]], [7], shape=(3, 3), format=form),
        lambda: sp.diags([[1]], [0, 1], format=form),
        lambda: sp.spdiags([[1, 2]], [0, 1], 2, 2, form),
    )
a = sp.diags([1.0, 2, 3])
tell(
    lambda: a.data,
    lambda: a.offsets,
    lambda: a + sp.eye(3),
    lambda: a @ sp.eye(3, format="csr"),
    lambda: sp.kron(a, a, "csr"),
)

# --- blocks (scipy 1.17)
starts, columns = np.array([0, 2, 3, 6]), np.array([0, 2, 2, 0, 1, 2])
for t in ("i8", "f4", "c16"):
    a = sp.bsr_array((np.arange(1, 25).reshape(6, 2, 2).astype(t), columns, starts), shape=(6, 6))
    print(repr(a), a.blocksize, a.data.shape, a.indices.tolist(), a.indptr.tolist())
    tell(
        lambda: a,
        lambda: a.tocsr(),
        lambda: a.T,
        lambda: a @ np.arange(6),
        lambda: np.ones(6) @ a,
        lambda: a @ np.ones((6, 2)),
        lambda: a + a,
        lambda: a @ a,
        lambda: a * 2,
        lambda: a.diagonal(1),
        lambda: a.sum(0),
        lambda: (a + sp.eye_array(6)).blocksize,
        lambda: (a @ a).blocksize,
        lambda: a.T.blocksize,
        lambda: a.multiply(a),
        lambda: sp.bsr_array(a, blocksize=(3, 2)).blocksize,
        lambda: a.tobsr((1, 1)).nnz,
        lambda: a.tocsr().tobsr((2, 3)).indices.tolist(),
    )
for n, k in ((12, 2), (12, 3), (12, 4), (12, 6), (12, 1), (10, 5)):
    d = np.kron(np.arange(n // k * (n // k)).reshape(n // k, -1) % 3 == 0, np.ones((k, k)))
    for kind in (sp.bsr_matrix, sp.bsr_array):
        tell(lambda: kind(d).blocksize, lambda: kind(d).nnz, lambda: sp.csr_matrix(d).tobsr().data.shape)
a = sp.bsr_matrix((np.array([[[1.0, 2]], [[3, 4]], [[0, 0]]]), [1, 1, 0], [0, 2, 3]))
print(a.shape, a.has_canonical_format)
tell(lambda: a, lambda: abs(a))
b = sp.bsr_matrix(a.tocsr(), blocksize=(1, 2))
b.eliminate_zeros()
tell(lambda: b)
error(
    lambda: sp.bsr_array((3, 4), blocksize=(2, 2)),
    lambda: sp.bsr_array(np.eye(3), blocksize=(2, 2)),
    lambda: sp.bsr_array((np.ones((2, 2)), [0, 1], [0, 1, 2])),
    lambda: sp.bsr_array((np.ones((2, 2, 2)), [0, 1], [0, 1, 2]), blocksize=(1, 2)),
)
tell(
    lambda: sp.bsr_array((3, 4), blocksize=(3, 2), dtype="i1"),
    lambda: sp.bsr_array(([1, 2, 3], ([0, 0, 1], [0, 2, 2])), shape=(3, 3)),
)

# --- elements of a coo_array, and in-place changes (scipy 1.17)
a = sp.coo_array(data(5, 6))
tell(
    lambda: a[1, 2],
    lambda: a[-1, -1],
    lambda: a[1:3],
    lambda: a[:, ::2],
    lambda: a[[0, 3]],
    lambda: a[2:, [1, 4]],
    lambda: a[np.ix_([0, 2], [1, 3])],
    lambda: a[9, 0],
    lambda: a[0, 0, 0],
)
a[0, 0] = 5
a[1, :2] = [7, 8]
tell(lambda: a)
for kind in [k for k in all_kinds if k.__name__[:3] in ("csr", "csc", "coo", "dia", "bsr")]:
    a = b = kind(data(4, 4))
    a *= 2
    tell(lambda: b)
    a /= 4
    tell(lambda: b)
    c = kind(data(4, 4, int))
    error(lambda: c.__itruediv__(2))
    if "dia" not in kind.__name__ and "bsr" not in kind.__name__:
        a.resize(3, 5)
        tell(lambda: a)
for kind in (sp.csr_matrix, sp.csc_array, sp.lil_matrix):
    a = kind(data(5, 4))
    a[:, 2] = np.arange(5.0)
    a[1, :] = np.arange(4)[None]
    a[3] = [1, 0, 2, 0]
    a[[0, 1, 2], 3] = [4, 5, 6]
    a[[4], [0, 1]] = 3
    tell(lambda: a)
    error(lambda: a.__setitem__((slice(None), 1), [1, 2]), lambda: a.__setitem__(([0, 1], [0, 1, 2]), 1))

# --- files of all formats (scipy 1.17)
import os, tempfile

folder = tempfile.mkdtemp()
path = os.path.join(folder, "a.npz")
for kind in all_kinds:
    a = kind(data(4, 6))
    if kind in filled:
        error(lambda: sp.save_npz(path, a))
        continue
    sp.save_npz(path, a)
    tell(lambda: sp.load_npz(path))
    with np.load(path) as parts:
        print(sorted(parts.files))
os.remove(path)
os.rmdir(folder)

# --- products with blocks of vectors of every width, by rows, columns and coordinates (scipy 1.10)
for t in (np.int32, np.int64, np.float32, np.float64, np.complex64, np.complex128):
    i = np.arange(90)
    value = ((i * 7 % 11 - 5) * (1 - 2j if np.dtype(t).kind == "c" else 1)).astype(t)
    a = sp.coo_matrix((value, (i * i % 23, i * 5 % 17)), (23, 17))
    for k in list(range(1, 20)) + [24, 31, 32, 33]:
        x = (np.arange(23 * k) % 13 - 6).astype(t).reshape(23, k)
        for kind in (a, a.tocsr(), a.tocsc()):
            r, back = kind.T @ x, kind @ x[:17]
            print(
                t.__name__,
                k,
                r.dtype,
                r.shape,
                (r == a.toarray().T @ x).all(),
                (back == a.toarray() @ x[:17]).all(),
                r.sum(),
                back[-1].tolist()[:3],
            )
# --- indices that are floats
for shape in (None, (3, 4)):
    tell(lambda: sp.coo_matrix(([1, 2], ([0.0, 2.0], [1, 3])), shape=shape).toarray().tolist(),
         lambda: sp.csr_array(([1, 2], ([0, 2], np.array([1.0, 3.0]))), shape=shape).toarray().tolist())
