# scipy.sparse.linalg against SciPy: direct and iterative solvers, norms.
import scipy.sparse as sp
from sparse_matrices import data, kinds, tell

# --- solvers, inverse, norms (scipy 1.17)
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

# --- norms along an axis (scipy 1.17)
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

# --- gmres and bicgstab: dtypes, preconditioner, restart (scipy 1.17)
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

# --- spsolve and splu (scipy 1.17)
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
for n, t in ((500, "f8"), (900, "c16")):  # not symmetric, pivots off the diagonal, duplicates
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
