# numpy.linalg on batches of small matrices.


def numbers(n, T):
    return (np.sin(np.arange(n) * 1.7 + 1) * 4).astype(T)


def many_small(T):
    close = 3e-3 if T is np.float32 else 1e-9
    for n in 1, 2, 3, 4, 7, 16, 31, 64, 65:
        for count in 1, 16, 37:
            A = numbers(count * n * n, T).reshape(count, n, n) + np.arange(1, n + 1, dtype=T) * np.eye(n, dtype=T)[::-1]
            P = A @ A.swapaxes(1, 2) + n * np.eye(n, dtype=T)
            size = np.abs(P).max()
            for k in 1, 3, 4, 6:
                x = numbers(count * n * k, T).reshape(count, n, k)
                print(np.abs(P @ np.linalg.solve(P, x) - x).max() < close, end=" ")
            print(
                np.abs(
                    np.linalg.solve(A.swapaxes(1, 2), numbers(n, T))
                    - np.array([np.linalg.solve(a.T, numbers(n, T)) for a in A])
                ).max()
                < close * np.linalg.cond(A).max(),
                end=" ",
            )
            print(
                np.abs(np.linalg.inv(P) @ P - np.eye(n)).max() < close,
                np.abs(np.linalg.inv(A) @ A - np.eye(n)).max() < close * np.linalg.cond(A).max(),
                end=" ",
            )
            L = np.linalg.cholesky(P)
            print(
                np.abs(L @ L.swapaxes(1, 2) - P).max() < close * size,
                np.triu(L, 1).any(),
                np.abs(np.linalg.cholesky(P, upper=True) - L.swapaxes(1, 2)).max() < close * size,
                end=" ",
            )
            print(
                np.allclose(np.linalg.slogdet(A)[1], [np.linalg.slogdet(a)[1] for a in A], atol=close),
                (np.linalg.slogdet(A)[0] == [np.linalg.slogdet(a)[0] for a in A]).all(),
            )


def few_directions(t):
    for m, n in ((1, 1), (2, 2), (5, 3), (3, 5), (8, 8), (17, 9)):
        k = np.arange(3 * m * n)
        a = np.sin(k * k + 1.0).reshape(3, m, n).astype(t)
        if t[0] == "c":
            a = a + (np.cos(k * k + 2.0).reshape(3, m, n) * 1j).astype(t)
        for x in (a, a[..., :1] @ a[..., :1, :], a * 0, np.ones_like(a)):
            good = []
            for full in (True, False):
                u, s, v = np.linalg.svd(x, full_matrices=full)
                p = s.shape[-1]
                uh = np.conj(np.swapaxes(u, -1, -2))
                good += [
                    np.abs(uh @ u - np.eye(u.shape[-1])).max() < 1e-5,
                    np.abs(v @ np.conj(np.swapaxes(v, -1, -2)) - np.eye(v.shape[-2])).max() < 1e-5,
                    np.abs((u[..., :p] * s[..., None, :]) @ v[..., :p, :] - x).max() < 1e-4,
                    bool((s[..., :-1] >= s[..., 1:]).all()),
                    u.shape,
                    v.shape,
                    s.dtype,
                ]
            w, q = np.linalg.eigh(x @ np.conj(np.swapaxes(x, -1, -2)))
            good += [
                np.abs(np.conj(np.swapaxes(q, -1, -2)) @ q - np.eye(m)).max() < 1e-5,
                np.abs(
                    q * w[..., None, :] @ np.conj(np.swapaxes(q, -1, -2)) - x @ np.conj(np.swapaxes(x, -1, -2))
                ).max()
                < 1e-3,
                w.dtype,
            ]
            print(t, m, n, good, [round(float(v), 3) + 0.0 for v in (s[0] ** 2)[:1]])

# --- solve, inv, cholesky, slogdet of batched small matrices: float32
many_small(np.float32)

# --- solve, inv, cholesky, slogdet of batched small matrices: float64
many_small(np.float64)

# --- batched small matrices: one is singular, has NaN, or is tiny
A = (np.arange(40 * 9) * 1.3 % 7 % 3).reshape(40, 3, 3) + np.diag([1.0, 20, 300])
for bad in 0, 11, 39:
    for what in [1.0, 2, 3], [np.nan, 1, 1]:
        B = A.copy()
        B[bad, 0] = what
        print(np.isfinite(np.linalg.det(B)).nonzero()[0].size)
        for f in np.linalg.inv, np.linalg.cholesky, lambda a: np.linalg.solve(a, A):
            for kept in (False, True):
                if kept and np.isnan(B).any():
                    continue
                B[bad, :, 2] = [0, 0, 0] if kept else [0, 5, 6]
                try:
                    r = f(B @ B.swapaxes(1, 2) if f is np.linalg.cholesky else B)
                    print(np.isnan(r).any(axis=(1, 2)).nonzero()[0])
                except np.linalg.LinAlgError as e:
                    print(e)
tiny = A * 1e-310
print(
    np.isfinite(np.linalg.inv(A * 1e-300)).all(),
    np.isfinite(np.linalg.det(tiny)).all(),
    np.linalg.det(A * 0).any(),
    np.linalg.det(np.zeros((20, 2, 2))),
)
try:
    np.linalg.inv(A * 0)
except np.linalg.LinAlgError as e:
    print(e)

# --- batched small matrices: Householder reflections and Givens rotations in vector lanes
for T in np.float32, np.float64:
    near = 2e-4 if T is np.float32 else 1e-12
    for n in (1, 2, 5, 16, 20):
        k = np.arange(37 * n * n)
        A = (np.sin(k * 1.7) + np.cos(k * k * 0.37)).astype(T).reshape(37, n, n)
        A[3], A[4], A[5] = 0, np.eye(n), 1
        A[6, 0] = 0
        A[8, n // 2 :, : n // 2] = A[8, : n // 2, n // 2 :] = 0
        S, I = A + A.swapaxes(1, 2), np.eye(n)
        size = n * float(np.abs(A).max())
        w, v = np.linalg.eigh(S)
        print(
            n,
            w.dtype,
            v.dtype,
            np.abs(S @ v - v * w[:, None]).max() < near * size,
            np.abs(v.swapaxes(1, 2) @ v - I).max() < near * n,
            (np.diff(w) >= 0).all(),
            end=" ",
        )
        for part in "L", "U":
            M = S.copy()
            M[:, *(np.triu_indices(n, 1) if part == "L" else np.tril_indices(n, -1))] = np.nan
            print(
                np.abs(np.linalg.eigvalsh(M, part) - w).max() < near * size,
                np.abs(np.linalg.eigh(M, part)[0] - w).max() < near * size,
                end=" ",
            )
        for X in S[::-1], S.swapaxes(0, 1).copy().swapaxes(0, 1), S.transpose(0, 2, 1), S[:35].reshape(5, 7, n, n):
            print(
                np.abs(
                    np.linalg.eigvalsh(X).reshape(-1)
                    - (w[::-1] if X.strides[0] < 0 else w[: 35 if X.ndim == 4 else 37]).reshape(-1)
                ).max()
                < near * size,
                end=" ",
            )
        u, s, vh = np.linalg.svd(A)
        print(
            np.abs((u * s[:, None]) @ vh - A).max() < near * size,
            np.abs(u.swapaxes(1, 2) @ u - I).max() < near * n,
            np.abs(vh @ vh.swapaxes(1, 2) - I).max() < near * n,
            (np.diff(s) <= 0).all(),
            end=" ",
        )
        print(
            np.abs(np.linalg.svdvals(A) - s).max() < near * size,
            np.linalg.matrix_rank(A)[[3, 4, 5]],
            np.abs(A @ np.linalg.pinv(A) @ A - A)[[0, 3, 4]].max() < near * size * n,
        )
        for m in (1, n, n + 3) if n < 20 else (n,):
            B = (np.sin(np.arange(37 * m * n) * 0.9) + 0.1).astype(T).reshape(37, m, n)
            q, r = np.linalg.qr(B)
            c, full = np.linalg.qr(B, mode="complete")
            h, tau = np.linalg.qr(B, mode="raw")
            p = min(m, n)
            print(
                m,
                q.shape,
                r.shape,
                c.shape,
                full.shape,
                h.shape,
                tau.shape,
                np.abs(q @ r - B).max() < near * size,
                np.abs(q.swapaxes(1, 2) @ q - np.eye(p)).max() < near * n,
                end=" ",
            )
            print(
                np.abs(c @ full - B).max() < near * size,
                np.abs(c.swapaxes(1, 2) @ c - np.eye(m)).max() < near * n,
                np.abs(np.linalg.qr(B, mode="r") - r).max() < near * size,
                np.abs(np.tril(r, -1)).max(),
                end=" ",
            )
            one = np.linalg.qr(B[5])
            print(
                np.abs(one[1] - r[5]).max() < near * size,
                np.abs(np.abs(one[0]) - np.abs(q[5])).max() < (1 if m == n + 3 else 2),
                np.abs(np.triu(h.swapaxes(1, 2)) - full).max() < near * size,
            )
            u, s, vh = np.linalg.svd(B, full_matrices=False)
            print(
                u.shape,
                s.shape,
                vh.shape,
                np.abs((u * s[:, None]) @ vh - B).max() < near * size,
                np.abs(np.linalg.svdvals(B) - s).max() < near * size,
                [x.shape for x in np.linalg.svd(B)],
            )

# --- batched small matrices: NaN, infinities, very large, very small (numpy before 2.5)
for T in np.float32, np.float64:
    k = np.arange(40 * 9)
    S = (np.sin(k * 1.7) + np.cos(k * k * 0.37)).astype(T).reshape(40, 3, 3)
    S = S + S.swapaxes(1, 2)
    big, small = (1e30, 1e-30) if T is np.float32 else (1e200, 1e-200)
    w, s = np.linalg.eigvalsh(S), np.linalg.svdvals(S)
    for factor in (big, small):
        X = S.copy()
        X[11] *= T(factor)
        X[30] *= T(factor)
        for got, want in (
            (np.linalg.eigvalsh(X), w),
            (np.linalg.svdvals(X), s),
            (np.linalg.svd(X)[1], s),
            (np.linalg.eigh(X)[0], w),
        ):
            want = want.astype(float)
            want[[11, 30]] *= factor
            print(
                np.abs(got / want - 1).max() < 1e-3 if T is np.float32 else np.abs(got / want - 1).max() < 1e-9, end=" "
            )
        q, r = np.linalg.qr(X)
        print(np.abs(q.swapaxes(1, 2) @ q - np.eye(3)).max() < 1e-4, np.isfinite(r).all())
    for bad in (np.nan, np.inf):
        X = S.copy()
        X[17, 1, 2] = X[17, 2, 1] = bad
        for f in (np.linalg.eigvalsh, np.linalg.eigh, np.linalg.svdvals, np.linalg.svd):
            if f is np.linalg.svd and bad == np.inf:
                continue
            try:
                r = f(X)
                r = r if isinstance(r, np.ndarray) else r[0 if f is np.linalg.eigh else 1]
                print(
                    np.isfinite(r).all(axis=1).sum(),
                    np.abs(
                        r[:16] - f(S[:16]) if r.ndim == 2 and f in (np.linalg.eigvalsh, np.linalg.svdvals) else T(0)
                    ).max()
                    < 1e-4,
                )
            except np.linalg.LinAlgError as e:
                print(f.__name__, e)
        print(np.isfinite(np.linalg.qr(X)[1]).all(axis=(1, 2)).sum())
for f in (
    np.linalg.eigvalsh,
    np.linalg.svdvals,
    lambda a: np.linalg.qr(a)[1],
    lambda a: np.linalg.eigh(a)[1],
    lambda a: np.linalg.svd(a)[0],
):
    print(f(np.zeros((0, 3, 3))).shape, f(np.zeros((40, 0, 0))).shape)

# --- svd and eigh of batched rank-deficient matrices: float32
few_directions("f4")

# --- svd and eigh of batched rank-deficient matrices: float64
few_directions("f8")

# --- svd and eigh of batched rank-deficient matrices: complex64
few_directions("c8")

# --- svd and eigh of batched rank-deficient matrices: complex128
few_directions("c16")

# --- small arrays in single precision are computed in double precision and rounded (numpy before 2.5)
for t, double in (('f4', 'd'), ('F', 'D')):
    for n in (2, 3, 5, 8):
        a = (np.sin(np.arange(3 * n * n) * 12.9898).reshape(3, n, n) * 9 + 60 * np.eye(n)).astype(t)
        s = a + a.conj().swapaxes(1, 2)
        b = np.cos(np.arange(6 * n)).reshape(3, n, 2).astype(t)
        for f, given in [
            (np.linalg.inv, (a,)), (np.linalg.solve, (a, b)), (np.linalg.det, (a,)), (np.linalg.slogdet, (a,)),
            (np.linalg.eigvalsh, (s,)), (np.linalg.eigh, (s,)), (np.linalg.eig, (a,)), (np.linalg.eigvals, (a,)),
            (np.linalg.svd, (a,)), (np.linalg.cholesky, (s,)), (np.linalg.svd, (a, True, False)),
            (np.linalg.svd, (s, True, True, True)), (np.linalg.qr, (a,)), (np.linalg.qr, (a, 'raw')),
            (np.linalg.svdvals, (a,)), (np.linalg.tensorinv, (a[0].reshape(n, 1, n), 1)),
        ]:
            found, exact = f(*given), f(*[x.astype(double) if isinstance(x, np.ndarray) else x for x in given])
            parts = zip(found, exact) if isinstance(found, tuple) else [(found, exact)]
            print(f.__name__, type(found).__name__, [(x.dtype.name, np.array_equal(x, y.astype(x.dtype))) for x,
                y in parts])
