# scipy.sparse.linalg against SciPy: operators, and iterations over them.
import scipy.sparse as sp, scipy.sparse.linalg as sl
from scipy.sparse.linalg import LinearOperator, aslinearoperator
def tell(*fs):
    for f in fs:
        try: r = f()
        except Exception as e: print(type(e).__name__, e); continue
        if sp.issparse(r): r = r.toarray()
        if hasattr(r, "shape") and hasattr(r, "dtype") and not isinstance(r, LinearOperator): r = np.asarray(r); print(r.dtype, r.shape, np.round(r, 6).tolist())
        else: print(r)
def grid(n, t="f8", low=-1.0, up=-1.5): return sp.diags([np.full(n - 1, low), np.full(n, 4.0) + np.arange(n) % 3, np.full(n - 1, up)], [-1, 0, 1], format="csr").astype(t)

# --- operators of functions (scipy 1.17)
def mv(v): return np.array([2 * v[0], 3 * v[1]])
A = LinearOperator((2, 2), matvec=mv)
tell(lambda: A, lambda: A.dtype, lambda: A.shape, lambda: A.matvec(np.ones(2)), lambda: A * np.ones(2), lambda: A @ np.ones(2), lambda: A.matvec(np.ones((2, 1))), lambda: A(np.ones(2)), lambda: A.dot([1, 2]), lambda: A.matmat(np.eye(2)), lambda: A @ np.ones((2, 3)), lambda: A.matvec(np.ones(3)), lambda: A @ 2, lambda: A.matmat(np.ones((3, 2))),
     lambda: 2 * A, lambda: (2 * A) @ np.ones(2), lambda: A * 2, lambda: A + A, lambda: (A + A).matvec(np.ones(2)), lambda: A - A, lambda: (A - A) @ np.ones(2), lambda: A @ A, lambda: (A @ A) @ np.ones(2), lambda: A ** 3, lambda: (A ** 3) @ np.ones(2), lambda: -A, lambda: A / 2, lambda: (A / 2) @ np.ones(2))
B = LinearOperator((3, 2), matvec=lambda v: np.array([v[0], v[1], v[0] + v[1]]), rmatvec=lambda v: np.array([v[0] + v[2], v[1] + v[2]]), dtype=float)
tell(lambda: B, lambda: B.rmatvec(np.arange(3.0)), lambda: B.H, lambda: B.T, lambda: B.H @ np.arange(3.0), lambda: B.T @ np.arange(3.0), lambda: np.arange(3.0) @ B, lambda: B.H @ B, lambda: (B.H @ B) @ np.ones(2), lambda: B.rmatmat(np.eye(3)), lambda: B @ A, lambda: A @ B, lambda: B + A, lambda: B ** 2, lambda: B.adjoint().shape, lambda: B.transpose().shape)
C = LinearOperator((2, 2), matvec=lambda v: 1j * v, rmatvec=lambda v: -1j * v, dtype=complex)
tell(lambda: C.T @ np.ones(2), lambda: C.H @ np.ones(2), lambda: C @ np.ones(2), lambda: (C + A).dtype, lambda: (1j * A).dtype)

# --- operators of classes and matrices (scipy 1.17)
class Shift(LinearOperator):
    def __init__(self, n):
        super().__init__(dtype=np.dtype(float), shape=(n, n))
    def _matvec(self, x): return np.roll(x, 1)
    def _rmatvec(self, x): return np.roll(x, -1)
S = Shift(4)
tell(lambda: S, lambda: S @ np.arange(4.0), lambda: S.rmatvec(np.arange(4.0)), lambda: S.H @ np.arange(4.0), lambda: S.H, lambda: (S @ S) @ np.arange(4.0), lambda: (S + S.H) @ np.ones(4), lambda: isinstance(S, LinearOperator), lambda: S @ np.arange(8.0).reshape(4, 2))
class Columns(LinearOperator):
    def __init__(self): super().__init__(float, (2, 3))
    def _matmat(self, X): return np.ones((2, 3)) @ X
    def _adjoint(self): return aslinearoperator(np.ones((3, 2)))
D = Columns(); tell(lambda: D @ np.ones(3), lambda: D.rmatvec(np.ones(2)), lambda: D.H)
for m in (np.arange(6.0).reshape(2, 3), sp.csr_matrix(np.arange(6.0).reshape(2, 3)), sp.dia_array(np.arange(6).reshape(2, 3)), sp.coo_array(np.arange(6).reshape(2, 3) * 1j)):
    M = aslinearoperator(m)
    tell(lambda: M, lambda: M @ np.ones(3), lambda: M.rmatvec(np.ones(2)), lambda: M.H @ np.ones(2), lambda: M.T, lambda: M.matmat(np.ones((3, 2))), lambda: aslinearoperator(M) is M, lambda: (M.H @ M).matvec(np.ones(3)))
tell(lambda: aslinearoperator("x"), lambda: aslinearoperator(np.ones((1, 2, 3))), lambda: LinearOperator((2, -1), mv), lambda: aslinearoperator(np.ones(3)).shape)

# --- iterations over matrices and operators (scipy 1.17)
n = 30
b = np.arange(n) % 5 + 1.0
for t in ("f8", "c16", "f4"):
    a = grid(n, t); h = grid(n, t, -1.25, -1.25)
    want, sym = np.linalg.solve(a.toarray(), b), np.linalg.solve(h.toarray(), b)
    near = 1e-3 if t == "f4" else 1e-7
    r = 1e-5 if t == "f4" else 1e-10
    P = sp.diags([1 / a.diagonal()], [0])
    for f in (sl.gmres, sl.bicgstab, sl.cgs, sl.bicg):
        for m in (a, a.todia(), a.tolil(), aslinearoperator(a), a.toarray(), sp.csc_array(a)):
            x, info = f(m, b.astype(t), rtol=r)
            print(f.__name__, info, x.dtype, bool(np.allclose(x, want, near)))
        x, info = f(a, b.astype(t), rtol=r, M=P, x0=np.ones(n, t)); print(info, bool(np.allclose(x, want, near)))
        x, info = f(a, b.astype(t), rtol=r, M=aslinearoperator(P)); print(info, bool(np.allclose(x, want, near)))
        print(f(a, np.zeros(n, t)), f(a, b.astype(t), rtol=1e-12, maxiter=2)[1])
    for f in (sl.cg, sl.minres):
        for m in (h, h.todia(), aslinearoperator(h), h.toarray()):
            x, info = f(m, b.astype(t), rtol=r); print(f.__name__, info, x.dtype, bool(np.allclose(x, sym, near)))
        x, info = f(h, b.astype(t), rtol=r, M=P); print(info, bool(np.allclose(x, sym, near)))
k = sp.diags([np.ones(n - 1), np.arange(n) - 14.5, np.ones(n - 1)], [-1, 0, 1], format="csr")
x, info = sl.minres(k, b, rtol=1e-12); print(info, bool(np.allclose(k @ x, b, 1e-6)))
x, info = sl.minres(k, b, rtol=1e-12, shift=0.25); print(info, bool(np.allclose(k @ x - 0.25 * x, b, 1e-6)))
seen = []; sl.cgs(grid(5), np.ones(5), callback=lambda v: seen.append(v.shape)); print(set(seen))
op = LinearOperator((n, n), matvec=lambda v: 3 * v - np.roll(v, 1) - np.roll(v, -1), dtype=float)
x, info = sl.cg(op, b, rtol=1e-10); print(info, bool(np.allclose(op @ x, b)))
lu = sl.spilu(grid(n).tocsc()); x, info = sl.gmres(grid(n), b, rtol=1e-9, M=LinearOperator((n, n), lu.solve)); print(info, bool(np.allclose(grid(n) @ x, b)))

# --- least squares (scipy 1.17)
for m, n in ((40, 8), (8, 8), (6, 9)):
    for t in ("f8", "c16"):
        a = np.sin(np.arange(m * n) ** 1.5).reshape(m, n).astype(t) + (1j * np.cos(np.arange(m * n)).reshape(m, n) if t == "c16" else 0)
        b = np.cos(np.arange(m))
        for damp in (0.0, 0.5):
            for q in (a, sp.csr_matrix(a), aslinearoperator(sp.csc_matrix(a))):
                x, why, steps, r1, r2, anorm, acond, arnorm, xnorm, var = sl.lsqr(q, b, damp=damp, atol=1e-10, btol=1e-10, calc_var=True)
                print(m, n, t, why, np.round(x, 5).tolist(), round(r1, 5), round(r2, 5), round(xnorm, 5), [steps, round(anorm, 4), round(acond, 2), np.round(var, 4).tolist()] if t == "f8" else 0)
print(sl.lsqr(np.eye(3), np.zeros(3))[:3], sl.lsqr(np.diag([1.0, 2, 3]), np.ones(3), iter_lim=1)[1:3], sl.lsqr(np.eye(2), np.ones(2), x0=np.array([0.5, 0]))[0])

# --- exponentials (scipy 1.17)
for a in (sp.csr_matrix(np.sin(np.arange(36.0)).reshape(6, 6)), sp.diags([1.0, -2, 1], [-1, 0, 1], shape=(6, 6)) * 40, sp.csc_array(np.eye(6) * 1j), np.cos(np.arange(36.0)).reshape(6, 6), sp.identity(6, int), sp.csr_matrix((6, 6))):
    for b in (np.arange(6.0), np.ones((6, 2)), np.arange(6)):
        tell(lambda: sl.expm_multiply(a, b), lambda: sl.expm_multiply(a, b, start=0, stop=1, num=4), lambda: sl.expm_multiply(a, b, 0.5, 1.0, 3, endpoint=False)[-1])
tell(lambda: sl.expm_multiply(sp.identity(3), np.ones(2)), lambda: sl.expm_multiply(sp.eye(2, 3), np.ones(3)))
