# scipy.sparse against SciPy: products, arithmetic, comparisons, reductions. Results are printed as arrays.
import scipy.sparse as sp
from sparse_matrices import data, kinds, others, tell, unordered, error

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

# --- reductions (scipy 1.17)
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

# --- argmax and argmin (scipy 1.17)
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

# --- sums and differences of dense and sparse operands (scipy 1.17)
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

# --- products with matrices of 1 to 33 columns: csr, csc, coo (scipy 1.10)
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
