# numpy.linalg on large matrices, and on elements close to overflow and underflow.

# --- elements close to overflow and underflow
np.seterr(all="ignore")


def show(x):
    return " ".join([f"{v:.4g}" for v in np.asarray(x).ravel().tolist()])


def turned(x):
    return np.conj(np.swapaxes(x, -1, -2))


def unitary(x):
    return bool(np.abs(x @ turned(x) - np.eye(x.shape[-2])).max() < 1e-5)


k = np.arange(36)
d = (np.sin(k * k + 1.0) + 0.1).reshape(6, 6)
given = [
    ("1e-180", d * 1e-180),
    ("1e300", d * 1e300),
    ("f4 1e-30", (d * 1e-30).astype("f4")),
    ("f4 1e37", (d * 1e37).astype("f4")),
    ("c8", (d * (1e-30 + 1e-30j)).astype("c8")),
    ("c16 1e-200", d * (1e-200 + 1e-200j)),
    ("c16 1e300", d * (1e300 + 1e300j)),
    ("stack", np.stack([d * 1e-200, d, d * 1e200])),
    ("rough", d * 1e-310),
    ("rough f4", (d * 1e-40).astype("f4")),
]
for name, a in given:
    rough = name.startswith("rough")
    u, s, v = np.linalg.svd(a)
    w, vectors = np.linalg.eigh(a / 2 + turned(a) / 2)
    q, r = np.linalg.qr(a)
    print(name, unitary(u), unitary(v), unitary(vectors), unitary(q))
    if rough:
        continue
    print(
        show(s),
        show(np.linalg.svdvals(a)),
        show(w),
        show(np.linalg.eigvalsh(a / 2 + turned(a) / 2)),
        show(abs(np.diagonal(r, 0, -2, -1))),
    )
    print(
        show(np.linalg.slogdet(a)[1]),
        show(np.linalg.cond(a)),
        np.linalg.matrix_rank(a),
        [show(np.linalg.norm(a, o, axis=(-2, -1))) for o in (None, 1, np.inf, 2, -2, "nuc")],
    )
    if a.ndim == 2:
        print(show(abs(np.linalg.lstsq(a, a @ np.ones(6, a.dtype))[0])))

# --- inverses of large matrices
for T in np.float32, np.float64, np.complex64, np.complex128:
    a = (np.sin(np.arange(200 * 200) * 1.7).reshape(200, 200) + 20 * np.eye(200)).astype(T)
    print(
        np.abs(np.linalg.inv(a) @ a - np.eye(200)).max() < 1e-4,
        np.abs(np.linalg.inv(a[::2, ::2].T) @ a[::2, ::2].T - np.eye(100)).max() < 1e-4,
    )

# --- large symmetric matrices: definite, indefinite, singular, nearly symmetric, with NaN and infinities
for T in np.float32, np.float64, np.complex64, np.complex128:
    near = 2e-3 if T in (np.float32, np.complex64) else 1e-10
    for n in (33, 70, 129):
        k = np.arange(n)
        B = (np.sin(np.outer(k, k + 1) * 0.7) / 3).astype(T)
        if np.dtype(T).kind == "c":
            B = (B + 1j * np.cos(np.outer(k, k + 2) * 0.3) / 4).astype(T)
        P = (B @ B.conj().T + 2 * np.eye(n)).astype(T)
        S = (B + B.conj().T).astype(T)
        S[k, k] = 0.01 + k % 3
        near_it = P.copy()
        near_it[3, n - 2] += 0.5
        for A in (P, P.T, P[::-1, ::-1], S, near_it, np.stack([P, S, near_it]), np.asfortranarray(P)):
            X = np.linalg.inv(A)
            print(X.dtype, X.shape, np.abs(A @ X - np.eye(n)).max() < near, end=" ")
        L, U = np.linalg.cholesky(P), np.linalg.cholesky(P, upper=True)
        print(
            np.abs(L @ L.conj().T - P).max() < near,
            np.abs(U.conj().T @ U - P).max() < near,
            np.abs(np.triu(L, 1)).max(),
            np.abs(np.tril(U, -1)).max(),
            L.flags.c_contiguous,
        )
        lower = P.copy()
        lower[np.triu_indices(n, 1)] = 77
        print(
            np.abs(np.linalg.cholesky(lower) - L).max() < near,
            np.abs(np.linalg.cholesky(lower.conj().T, upper=True) - L.conj().T).max() < near,
        )
        for bad in (0, -1):
            Q = P.copy()
            Q[n // 2, n // 2] = bad
            try:
                print(np.linalg.cholesky(Q).shape)
            except np.linalg.LinAlgError as e:
                print(e)
            print(np.abs(Q @ np.linalg.inv(Q) - np.eye(n)).max() < near)
        Q = P.copy()
        Q[5] = Q[:, 5] = 0
        for Z in (Q, np.zeros((n, n), T), np.ones((n, n), T)):
            try:
                print(np.linalg.inv(Z).shape)
            except np.linalg.LinAlgError as e:
                print(e)
        Q = P.copy()
        Q[2, 4] = Q[4, 2] = np.nan
        print(np.isnan(np.linalg.inv(Q)).all())

# --- svd of rank-deficient hermitian matrices: the vectors are orthonormal
for a in ([[1, 0], [0, 0.0]], [[0, 0], [0, 0.0]], [[1, 0], [0, -2.0]], [[0, 1j], [-1j, 0]], np.zeros((2, 3, 3)),
        np.ones((3, 3))):
    a = np.array(a)
    u, s, v = np.linalg.svd(a, hermitian=np.__version__ >= "2.4")  # before that: zero rows
    n = a.shape[-1]
    print(np.allclose(u @ u.conj().swapaxes(-1, -2), np.eye(n)), np.allclose(v @ v.conj().swapaxes(-1, -2), np.eye(n)))
    print(np.allclose((u * s[..., None, :]) @ v, a), s.round(9) + 0)
