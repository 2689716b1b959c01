# scipy.sparse.linalg against SciPy: operators, and iterations over them.
import scipy.sparse as sp, scipy.sparse.linalg as sl
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sparse_matrices import tell


def grid(n, t="f8", low=-1.0, up=-1.5):
    return sp.diags(
        [np.full(n - 1, low), np.full(n, 4.0) + np.arange(n) % 3, np.full(n - 1, up)], [-1, 0, 1], format="csr"
    ).astype(t)


# --- operators of functions (scipy 1.17 and before 1.18)
def mv(v):
    return np.array([2 * v[0], 3 * v[1]])


A = LinearOperator((2, 2), matvec=mv)
tell(
    lambda: A,
    lambda: A.dtype,
    lambda: A.shape,
    lambda: A.matvec(np.ones(2)),
    lambda: A * np.ones(2),
    lambda: A @ np.ones(2),
    lambda: A.matvec(np.ones((2, 1))),
    lambda: A(np.ones(2)),
    lambda: A.dot([1, 2]),
    lambda: A.matmat(np.eye(2)),
    lambda: A @ np.ones((2, 3)),
    lambda: A.matvec(np.ones(3)),
    lambda: A @ 2,
    lambda: A.matmat(np.ones((3, 2))),
    lambda: 2 * A,
    lambda: (2 * A) @ np.ones(2),
    lambda: A * 2,
    lambda: A + A,
    lambda: (A + A).matvec(np.ones(2)),
    lambda: A - A,
    lambda: (A - A) @ np.ones(2),
    lambda: A @ A,
    lambda: (A @ A) @ np.ones(2),
    lambda: A**3,
    lambda: (A**3) @ np.ones(2),
    lambda: -A,
    lambda: A / 2,
    lambda: (A / 2) @ np.ones(2),
)
B = LinearOperator(
    (3, 2),
    matvec=lambda v: np.array([v[0], v[1], v[0] + v[1]]),
    rmatvec=lambda v: np.array([v[0] + v[2], v[1] + v[2]]),
    dtype=float,
)
tell(
    lambda: B,
    lambda: B.rmatvec(np.arange(3.0)),
    lambda: B.H,
    lambda: B.T,
    lambda: B.H @ np.arange(3.0),
    lambda: B.T @ np.arange(3.0),
    lambda: np.arange(3.0) @ B,
    lambda: B.H @ B,
    lambda: (B.H @ B) @ np.ones(2),
    lambda: B.rmatmat(np.eye(3)),
    lambda: B @ A,
    lambda: A @ B,
    lambda: B + A,
    lambda: B**2,
    lambda: B.adjoint().shape,
    lambda: B.transpose().shape,
)
C = LinearOperator((2, 2), matvec=lambda v: 1j * v, rmatvec=lambda v: -1j * v, dtype=complex)
tell(
    lambda: C.T @ np.ones(2),
    lambda: C.H @ np.ones(2),
    lambda: C @ np.ones(2),
    lambda: (C + A).dtype,
    lambda: (1j * A).dtype,
)


# --- operators of classes and matrices (scipy 1.17 and before 1.18)
class Shift(LinearOperator):
    def __init__(self, n):
        super().__init__(dtype=np.dtype(float), shape=(n, n))

    def _matvec(self, x):
        return np.roll(x, 1)

    def _rmatvec(self, x):
        return np.roll(x, -1)


S = Shift(4)
tell(
    lambda: S,
    lambda: S @ np.arange(4.0),
    lambda: S.rmatvec(np.arange(4.0)),
    lambda: S.H @ np.arange(4.0),
    lambda: S.H,
    lambda: (S @ S) @ np.arange(4.0),
    lambda: (S + S.H) @ np.ones(4),
    lambda: isinstance(S, LinearOperator),
    lambda: S @ np.arange(8.0).reshape(4, 2),
)


class Columns(LinearOperator):
    def __init__(self):
        super().__init__(float, (2, 3))

    def _matmat(self, X):
        return np.ones((2, 3)) @ X

    def _adjoint(self):
        return aslinearoperator(np.ones((3, 2)))


D = Columns()
tell(lambda: D @ np.ones(3), lambda: D.rmatvec(np.ones(2)), lambda: D.H)
for m in (
    np.arange(6.0).reshape(2, 3),
    sp.csr_matrix(np.arange(6.0).reshape(2, 3)),
    sp.dia_array(np.arange(6).reshape(2, 3)),
    sp.coo_array(np.arange(6).reshape(2, 3) * 1j),
):
    M = aslinearoperator(m)
    tell(
        lambda: M,
        lambda: M @ np.ones(3),
        lambda: M.rmatvec(np.ones(2)),
        lambda: M.H @ np.ones(2),
        lambda: M.T,
        lambda: M.matmat(np.ones((3, 2))),
        lambda: aslinearoperator(M) is M,
        lambda: (M.H @ M).matvec(np.ones(3)),
    )
tell(
    lambda: aslinearoperator("x"),
    lambda: aslinearoperator(np.ones((1, 2, 3))),
    lambda: aslinearoperator(np.ones(3)).shape,
)

# --- iterations over matrices and operators (scipy 1.17 and before 1.18)
n = 30
b = np.arange(n) % 5 + 1.0
for t in ("f8", "c16", "f4"):
    a = grid(n, t)
    h = grid(n, t, -1.25, -1.25)
    want, sym = np.linalg.solve(a.toarray(), b), np.linalg.solve(h.toarray(), b)
    near = 1e-3 if t == "f4" else 1e-7
    r = 1e-5 if t == "f4" else 1e-10
    P = sp.diags([1 / a.diagonal()], [0])
    for f in (sl.gmres, sl.bicgstab, sl.cgs, sl.bicg):
        for m in (a, a.todia(), a.tolil(), aslinearoperator(a), a.toarray(), sp.csc_array(a)):
            x, info = f(m, b.astype(t), rtol=r)
            print(f.__name__, info, x.dtype, bool(np.allclose(x, want, near)))
        x, info = f(a, b.astype(t), rtol=r, M=P, x0=np.ones(n, t))
        print(info, bool(np.allclose(x, want, near)))
        x, info = f(a, b.astype(t), rtol=r, M=aslinearoperator(P))
        print(info, bool(np.allclose(x, want, near)))
        print(f(a, np.zeros(n, t)), f(a, b.astype(t), rtol=1e-12, maxiter=2)[1])
    for f in (sl.cg, sl.minres):
        for m in (h, h.todia(), aslinearoperator(h), h.toarray()):
            x, info = f(m, b.astype(t), rtol=r)
            print(f.__name__, info, x.dtype, bool(np.allclose(x, sym, near)))
        x, info = f(h, b.astype(t), rtol=r, M=P)
        print(info, bool(np.allclose(x, sym, near)))
k = sp.diags([np.ones(n - 1), np.arange(n) - 14.5, np.ones(n - 1)], [-1, 0, 1], format="csr")
x, info = sl.minres(k, b, rtol=1e-12)
print(info, bool(np.allclose(k @ x, b, 1e-6)))
x, info = sl.minres(k, b, rtol=1e-12, shift=0.25)
print(info, bool(np.allclose(k @ x - 0.25 * x, b, 1e-6)))
seen = []
sl.cgs(grid(5), np.ones(5), callback=lambda v: seen.append(v.shape))
print(set(seen))
op = LinearOperator((n, n), matvec=lambda v: 3 * v - np.roll(v, 1) - np.roll(v, -1), dtype=float)
x, info = sl.cg(op, b, rtol=1e-10)
print(info, bool(np.allclose(op @ x, b)))
lu = sl.spilu(grid(n).tocsc())
x, info = sl.gmres(grid(n), b, rtol=1e-9, M=LinearOperator((n, n), lu.solve))
print(info, bool(np.allclose(grid(n) @ x, b)))

# --- least squares (scipy 1.17)
for m, n in ((40, 8), (8, 8), (6, 9)):
    for t in ("f8", "c16"):
        a = np.sin(np.arange(m * n) ** 1.5).reshape(m, n).astype(t) + (
            1j * np.cos(np.arange(m * n)).reshape(m, n) if t == "c16" else 0
        )
        b = np.cos(np.arange(m))
        for damp in (0.0, 0.5):
            for q in (a, sp.csr_matrix(a), aslinearoperator(sp.csc_matrix(a))):
                x, why, steps, r1, r2, anorm, acond, arnorm, xnorm, var = sl.lsqr(
                    q, b, damp=damp, atol=1e-10, btol=1e-10, calc_var=True
                )
                print(
                    m,
                    n,
                    t,
                    why,
                    np.round(x, 5).tolist(),
                    round(r1, 5),
                    round(r2, 5),
                    round(xnorm, 5),
                    [steps, round(anorm, 4), round(acond, 2), np.round(var, 4).tolist()] if t == "f8" else 0,
                )
print(
    sl.lsqr(np.eye(3), np.zeros(3))[:3],
    sl.lsqr(np.diag([1.0, 2, 3]), np.ones(3), iter_lim=1)[1:3],
    sl.lsqr(np.eye(2), np.ones(2), x0=np.array([0.5, 0]))[0],
)

# --- exponentials (scipy 1.17)
for a in (
    sp.csr_matrix(np.sin(np.arange(36.0)).reshape(6, 6)),
    sp.diags([1.0, -2, 1], [-1, 0, 1], shape=(6, 6)) * 40,
    sp.csc_array(np.eye(6) * 1j),
    np.cos(np.arange(36.0)).reshape(6, 6),
    sp.identity(6, int),
    sp.csr_matrix((6, 6)),
):
    for b in (np.arange(6.0), np.ones((6, 2)), np.arange(6)):
        tell(
            lambda: sl.expm_multiply(a, b),
            lambda: sl.expm_multiply(a, b, start=0, stop=1, num=4),
            lambda: sl.expm_multiply(a, b, 0.5, 1.0, 3, endpoint=False)[-1],
        )
tell(lambda: sl.expm_multiply(sp.identity(3), np.ones(2)), lambda: sl.expm_multiply(sp.eye(2, 3), np.ones(3)))

# --- some eigenvalues and singular values (scipy 1.17)
for n, k in ((10, 3), (150, 4), (400, 6)):
    for t in ("f8", "c16", "f4"):
        a = sp.diags(
            [np.ones(n - 1), np.arange(n) % 17 * 3.0 + np.arange(n) / n - 20, np.ones(n - 1)], [-1, 0, 1], format="csr"
        )
        if t == "c16":
            a = a + sp.diags([np.full(n - 1, 0.5j), np.full(n - 1, -0.5j)], [-1, 1], format="csr")
        a = a.astype(t)
        exact = np.linalg.eigvalsh(a.toarray().astype("c16"))

        def near(w, which):
            best = {
                "LM": np.sort(exact[np.argsort(abs(exact))[-k:]]),
                "LA": exact[-k:],
                "SA": exact[:k],
                "BE": np.concatenate([exact[: k // 2], exact[k // 2 - k :]]),
            }[which]
            return bool(abs(np.sort(w) - best).max() < (1e-3 if t == "f4" else 1e-9))

        r = 2 if t == "f4" else 6
        for which in ("LM", "LA", "SA", "BE")[: 3 if t == "c16" else 4]:
            w, v = sl.eigsh(a, k=k, which=which)
            print(
                n,
                t,
                which,
                w.dtype,
                v.dtype,
                v.shape,
                near(w, which),
                bool(abs(a @ v - v * w).max() < 10.0 ** (1 - r)),
                bool(abs(v.conj().T @ v - np.eye(k)).max() < 10.0 ** (1 - r)),
                near(sl.eigsh(a, k, which=which, return_eigenvectors=False), which),
            )
        if t in ("f8", "c16"):
            for kind in (a.tocsc(), a.todia(), a.toarray(), aslinearoperator(a)):
                print(np.sort(np.round(sl.eigsh(kind, k)[0], 6)).tolist())
            for sigma in (0.3, -5.1):
                print(
                    np.sort(np.round(sl.eigsh(a, k, sigma=sigma)[0], 6)).tolist(),
                    np.sort(np.round(sl.eigsh(a, k, sigma=sigma, which="LA")[0], 6)).tolist(),
                )
for twice in range(1):
    lap = sp.diags([-1.0, 2, -1], [-1, 0, 1], shape=(300, 300), format="csc")
    w, v = sl.eigsh(lap, 3, sigma=0)
    print(np.round(w, 9).tolist(), bool(abs(lap @ v - v * w).max() < 1e-10))
    print(
        np.round(sl.eigsh(sp.identity(200), 3)[0], 8).tolist(),
        np.round(sl.eigsh(lap, 3, which="LA", v0=np.ones(300), ncv=40, return_eigenvectors=False), 4).tolist(),
    )
    print(np.round(sl.eigsh(lap[:9, :9], 3, which="SM")[0], 8).tolist())
for m, n in ((12, 9), (300, 140), (140, 300)):
    for t in ("f8", "c16", "f4"):
        a = (
            sp.coo_array(((np.arange(3 * n) % 11 - 4.0), (np.arange(3 * n) * 7 % m, np.arange(3 * n) * 5 % n)), (m, n))
            .tocsr()
            .astype(t)
        )
        r = 2 if t == "f4" else 6
        for which in ("LM", "SM") if n < 100 else ("LM",):
            u, s, vh = sl.svds(a, 4, which=which)
            print(
                m,
                n,
                t,
                u.shape,
                vh.shape,
                u.dtype,
                s.dtype,
                np.round(s, r).tolist(),
                bool(abs(a @ vh.conj().T - u * s).max() < 10.0 ** (1 - r)),
                bool(abs(u.conj().T @ u - np.eye(4)).max() < 10.0 ** (1 - r)),
            )
        print(np.round(sl.svds(aslinearoperator(a), 2, return_singular_vectors=False), r).tolist())
a = sp.identity(10, format="csr")
tell(
    lambda: sl.eigsh(a, k=10),
    lambda: sl.eigsh(a, k=0),
    lambda: sl.eigsh(a[:5], k=2),
    lambda: sl.svds(a, k=11),
    lambda: sl.eigsh(a, k=3, which="XX"),
    lambda: sl.eigsh(a * 1j, k=3, which="BE"),
)
