# numpy.linalg and products: every function against NumPy's, by values that do not depend on signs and orders, and its
# errors.
from numpy.linalg import (
    solve,
    inv,
    pinv,
    det,
    slogdet,
    lstsq,
    cholesky,
    qr,
    svd,
    svdvals,
    eig,
    eigvals,
    eigh,
    eigvalsh,
    norm,
    cond,
    matrix_rank,
    matrix_power,
    multi_dot,
    tensorsolve,
    tensorinv,
    matrix_norm,
    vector_norm,
    cross,
    outer,
    trace,
    diagonal,
    vecdot,
    matrix_transpose,
    LinAlgError,
)

TYPES = ['int8', 'int64', 'float32', 'float64', 'complex64', 'complex128', 'bool']


def data(*shape, dtype='float64'):
    n = 1
    for k in shape:
        n *= k
    t = np.arange(n) * 1.7 + 0.3
    x = (np.sin(t) * 3 + np.cos(t * t)).reshape(shape)
    if dtype[0] == 'c':
        x = x + 1j * np.cos(t * 2.1).reshape(shape)
    return x.astype(dtype)


def good(*shape, dtype='float64'):
    return data(*shape, dtype=dtype) + (4 * shape[-1] * np.eye(shape[-1])).astype(dtype)


def definite(*shape, dtype='float64'):
    x = data(*shape, dtype=dtype)
    return (x @ np.conj(x.swapaxes(-1, -2)) + (np.eye(shape[-1]) * shape[-1]).astype(dtype)).astype(dtype)


def show(*xs):
    for x in xs:
        x = np.asarray(x)
        single = x.dtype in (np.float32, np.complex64)
        digits = 2 if single else 6
        size = float(np.abs(x).max()) if x.size else 1.0
        x64 = x.astype(complex) / (size if size > 1 else 1.0)
        print(
            x.dtype,
            x.shape,
            float(f"{size:.{3 if single else 8}g}"),
            np.round(x64.real, digits).ravel()[:9] + 0.0,
            np.round(x64.imag, digits).ravel()[:9] + 0.0,
        )


def near(x, y):
    single = x.dtype in (np.float32, np.complex64)
    return (
        x.shape == y.shape and bool(np.abs(x - y).max() <= (1e-3 if single else 1e-9) * (1 + np.abs(y).max()))
        if x.size
        else x.shape == y.shape
    )


def unitary(q):
    return near(
        np.conj(q.swapaxes(-1, -2)) @ q,
        np.broadcast_to(np.eye(q.shape[-1], dtype=q.dtype), q.shape[:-2] + (q.shape[-1],) * 2),
    )


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


# --- solve
show(solve(np.eye(3, dtype=bool), np.array([True, False, True])))
for t in TYPES[:-1]:
    a = good(5, 5, dtype=t)
    show(
        solve(a, data(5, dtype=t)),
        solve(a, data(5, 3, dtype=t)),
        solve(a.T, data(3, 5, dtype=t).T),
        solve(a[::-1, ::-1], data(5, 2)),
    )
a = good(4, 3, 3)
show(
    solve(a, data(4, 3, 2)),
    solve(a, data(3)),
    solve(a, data(3, 2)),
    solve(a[0], data(4, 3, 2)),
    solve(a[:, None], data(5, 3, 1)),
)
show(
    solve(np.float32(2) * np.eye(2, dtype=np.float32), data(2, dtype='int8')),
    solve(good(1, 1), data(1)),
    solve(good(40, 40), data(40)),
)
x = solve(good(3, 3) * 2 + 1, data(3) - 1)
print(np.allclose((good(3, 3) * 2 + 1) @ x, data(3) - 1))

# --- inv
show(inv(np.eye(3, dtype=bool)))
for t in TYPES[:-1]:
    a = good(4, 4, dtype=t)
    show(inv(a), inv(a.T), inv(a[::2, ::2]), inv(np.stack([a, a.T + 1])))
show(inv(good(2, 3, 4, 4)))
print(near(inv(good(50, 50)) @ good(50, 50), np.eye(50)))

# --- det and slogdet
for t in TYPES:
    a = good(4, 4, dtype=t)
    show(det(a), det(a[::-1]), det(np.stack([a, a[::-1], a * 0])), *slogdet(a), *slogdet(a[::-1]), slogdet(a * 0)[0])
print(
    slogdet(np.zeros((2, 2))), slogdet(good(3, 3) * 1e200)[0], det(np.eye(3) * 1e200), type(det(np.eye(2))), det([[5]])
)
s = slogdet(np.eye(2))
print(s, s.sign, s.logabsdet, s[0], len(s), list(s))

# --- cholesky
for t in ['float32', 'float64', 'complex64', 'complex128', 'int64']:
    a = definite(5, 5, dtype=t)
    show(
        cholesky(a),
        cholesky(a, upper=True),
        cholesky(np.tril(a)),
        cholesky(np.triu(a), upper=True),
        cholesky(np.stack([a, a + 2 * np.eye(5, dtype=t)])),
    )
print(near(cholesky(definite(30, 30)) @ cholesky(definite(30, 30)).T, definite(30, 30)))

# --- qr
for t in TYPES:
    for shape in [(4, 4), (5, 3), (3, 5), (2, 4, 3), (1, 4), (4, 1)]:
        a = data(*shape, dtype=t)
        for mode in ['reduced', 'complete']:
            q, r = qr(a, mode)
            print(mode, q.dtype, q.shape, r.shape, unitary(q), near(q @ r, a.astype(q.dtype)))
        show(np.abs(qr(a, 'r')))
h, tau = qr(data(4, 3), 'raw')
print(h.shape, tau.shape)
show(h, tau)
r = qr(good(2, 2))
show(r.Q @ r.R)
print(len(r), type(r).__name__)

# --- svd
for t in TYPES:
    for shape in [(4, 4), (5, 3), (3, 5), (2, 4, 3), (1, 4), (4, 1)]:
        a = data(*shape, dtype=t)
        for full in [True, False]:
            u, s, vh = svd(a, full_matrices=full)
            p = s.shape[-1]
            print(
                u.dtype,
                u.shape,
                s.dtype,
                s.shape,
                vh.shape,
                unitary(u),
                unitary(np.conj(vh.swapaxes(-1, -2))),
                near(u[..., :p] * s[..., None, :] @ vh[..., :p, :], a.astype(u.dtype)),
            )
        show(svd(a, compute_uv=False), svdvals(a))
for t in ['float32', 'complex128']:
    a = definite(4, 4, dtype=t) - (6 * np.eye(4)).astype(t)
    u, s, vh = svd(a, hermitian=True)
    print(near(u * s @ vh, a), unitary(u))
    show(s, svd(a, compute_uv=False, hermitian=True))
show(svd(np.zeros((3, 3)), compute_uv=False))
u, s, vh = svd(np.ones((3, 4)))
print(unitary(u), unitary(vh), near(u * s @ vh[:3], np.ones((3, 4))))
r = svd(np.eye(2))
print(r.S, r.U.shape, r.Vh.shape)

# --- eigh
for t in TYPES:
    a = definite(5, 5, dtype=t) if t != 'bool' else np.eye(5) > 0
    for uplo in 'LUlu':
        w, v = eigh(a, uplo)
        print(w.dtype, v.dtype, unitary(v), near(a.astype(v.dtype) @ v, w * v))
        show(w, eigvalsh(a, uplo))
    w, v = eigh(np.stack([a, a]))
    print(w.shape, v.shape)
w, v = eigh(np.triu(definite(4, 4)), 'U')
show(w)
show(eigvalsh(np.tril(definite(4, 4))))
show(eigvalsh(definite(3, 2, 4, 4)))
show(eigvalsh(definite(40, 40)))


# --- eig (numpy before 2.5)
def order(w):
    return w[np.lexsort((np.round(w.imag, 3), np.round(w.real, 3)))]


for t in TYPES:
    a = data(5, 5, dtype=t)
    w, v = eig(a)
    print(w.dtype, v.dtype, near(a.astype(v.dtype) @ v, w * v), np.allclose(np.abs(v * v).sum(0), 1, atol=1e-3))
    show(
        order(w.astype(complex)).astype(v.dtype if v.dtype.kind == 'c' else w.dtype),
        order(eigvals(a).astype(complex)).astype(v.dtype if v.dtype.kind == 'c' else w.dtype),
    )
    s = definite(4, 4, dtype=t) if t != 'bool' else np.eye(4)
    w, v = eig(s)
    print(w.dtype, v.dtype)
    show(np.sort(w.real))
for a in [
    [[0, 1], [-1, 0]],
    [[1, 1], [0, 1]],
    [[2, 0], [0, 3]],
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
    [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
    [[0, 0], [0, 0]],
]:
    w, v = eig(np.array(a, float))
    print(w.dtype, np.allclose(np.array(a) @ v, w * v))
    show(order(w.astype(complex)))
w, v = eig(data(3, 4, 4))
print(w.shape, v.shape, near(data(3, 4, 4) @ v, w[:, None, :] * v))
print(eigvals(np.stack([np.eye(2), [[0, 1], [-1, 0]]])).dtype)

# --- tolerance of rank in single precision
for t in "fF":
    for a in (
        np.ones((3, 3), t),
        np.arange(12).reshape(4, 3).astype(t),
        np.outer([1, 2, 3], [1j if t == "F" else 2, 1, 5]).astype(t),
        (1 / (np.arange(6)[:, None] + np.arange(6) + 1)).astype(t),
        np.arange(24).reshape(2, 4, 3).astype(t),
    ):
        show(pinv(a), pinv(a, rcond=1e-4), pinv(a.astype("d" if t == "f" else "D")))
        if len(a) == 6:
            print(f"{cond(a):.4g} {cond(a, -2):.4g}", cond(a).dtype)
        if a.ndim == 2:
            x, rest, rank, s = lstsq(a, a[:, 0] + np.arange(len(a)).astype(t))
            show(x.round(3), s.round(3))
            print(rank, x.dtype, rest.dtype, s.dtype)
            print(lstsq(a, a, rcond=1e-4)[2], lstsq(a, a, rcond=-1)[1].dtype, np.linalg.matrix_rank(a))
# --- lstsq and pinv
for t in ['int64', 'float32', 'float64', 'complex64', 'complex128']:
    for shape in [(6, 3), (3, 6), (4, 4)]:
        a = data(*shape, dtype=t)
        x, rest, rank, s = lstsq(a, data(shape[0], dtype=t))
        show(x, rest, s)
        print(rank, type(rank).__name__)
        x, rest, rank, s = lstsq(a, data(shape[0], 2, dtype=t))
        show(x, rest)
        show(pinv(a), pinv(a, rcond=0.5), pinv(a, rtol=1e-3))
a = np.outer([1, 2, 3], [1, 1.0])
x, rest, rank, s = lstsq(a, [1, 2, 4])
show(x, rest, s[0])
print(rank)
show(
    pinv(a),
    pinv(data(2, 4, 3)),
    pinv(np.zeros((2, 3))),
    pinv(definite(3, 3), hermitian=True),
    lstsq(data(4, 3), data(4), rcond=-1)[0],
    lstsq(data(4, 3), data(4), rcond=0.9)[0],
)

# --- norms
for t in TYPES:
    x = data(3, 4, dtype=t)
    y = x[0]
    for ord in [None, 1, 2, 3, 0.5, 0, -1, -2, np.inf, -np.inf]:
        show(norm(y, ord), norm(x, ord, 1), norm(x, ord, 0, True), vector_norm(x, ord=2 if ord is None else ord))
    for ord in [None, 'fro', 1, -1, np.inf, -np.inf] + (['nuc', 2, -2] if t != 'bool' else []):
        show(norm(x, ord), norm(x.T, ord, (0, 1)), norm(x, ord, (1, 0), True))
        if ord is not None:
            show(matrix_norm(x, ord=ord), matrix_norm(np.stack([x, x]), ord=ord, keepdims=True))
    show(norm(x), norm(np.stack([x, x])), norm(x, keepdims=True))
x = data(2, 3, 4)
show(
    vector_norm(x),
    vector_norm(x, axis=(0, 2)),
    vector_norm(x, axis=(0, 2), keepdims=True, ord=1),
    vector_norm(x, axis=1),
    vector_norm(x, keepdims=True),
    norm(x, axis=(0, 2)),
    norm(x, 'nuc', (2, 0)),
    norm(x, 2, (1, 2)),
    norm(x, 1, (0, 2), True),
)
print(
    norm([]),
    norm(np.zeros((0, 3))),
    norm([np.nan, 1]),
    norm([np.inf, 1]),
    norm([3, 4]).dtype,
    type(norm([3, 4])).__name__,
    norm(np.ones(4, np.float16)),
    norm(np.ones((2, 2), np.float16), 1).dtype,
)

# --- condition and rank
for p in [None, 1, 2, -2, np.inf, -1, 'fro']:
    show(cond(good(3, 3), p), cond(good(2, 3, 3), p))
print(
    cond(np.zeros((2, 2)), 1),
    cond(np.zeros((2, 2)), 'fro'),
    cond(np.stack([np.eye(2), np.zeros((2, 2))]), 1),
    cond(np.full((2, 2), np.nan)) if False else '',
)
print(
    matrix_rank(np.eye(4)),
    matrix_rank(np.outer([1, 2, 3], [1, 2])),
    matrix_rank(np.zeros((3, 3))),
    matrix_rank(np.ones(4)),
    matrix_rank(data(2, 3, 4)),
    matrix_rank(np.diag([1, 1e-3, 0]), tol=0.01),
    matrix_rank(np.diag([1, 1e-3, 0]), rtol=1e-4),
    matrix_rank(definite(3, 3), hermitian=True),
)

# --- powers and chains
m = np.array([[1, 1], [1, 0]])
for n in [-3, -1, 0, 1, 2, 3, 10, 30]:
    show(matrix_power(m, n))
show(matrix_power(good(2, 3, 3), 5), matrix_power(good(3, 3) / 10, 7), matrix_power(np.eye(2, dtype=np.float32), -2))
a, b, c, d = data(3, 50), data(50, 4), data(4, 60), data(60, 2)
show(
    multi_dot([a, b, c, d]),
    multi_dot([a[0], b, c]),
    multi_dot([a, b, c, d[:, 0]]),
    multi_dot([a, b]),
    multi_dot([d.T, c.T, b.T, a.T]),
)
o = np.zeros((3, 2))
print(multi_dot([a, b, c, d], out=o) is o)
show(o)

# --- tensors
a = good(24, 24).reshape(6, 4, 2, 3, 4)
show(
    tensorsolve(a, data(6, 4)),
    tensorinv(good(12, 12).reshape(3, 4, 2, 6), 2),
    tensorinv(good(6, 6).reshape(6, 3, 2), ind=1),
    tensorsolve(good(6, 6).reshape(2, 3, 6).transpose(2, 0, 1).reshape(6, 2, 3), data(6)),
)
show(tensorsolve(good(24, 24).reshape(4, 6, 8, 3), data(8, 3), axes=(0, 1)).shape)

# --- products (numpy before 2.5)
x, y = data(2, 3), data(4, 2, 3)
show(
    cross(x, y),
    cross(x.T, x.T[:, ::-1], axis=0),
    outer(x[0], y[0, 0]),
    trace(y),
    trace(y, offset=1),
    diagonal(y),
    diagonal(y, offset=-1),
    vecdot(x, y),
    vecdot(x * 1j, x),
    vecdot(x, x, axis=0),
    matrix_transpose(y),
)
show(
    np.cross(x[:, :2], x[:, :2]),
    np.cross(x[:, :2], x),
    np.cross(x, x[:, :2]),
    np.cross(y, x, axisc=0),
    np.cross(x.T, x.T, axis=0),
    np.cross(x, x.T, axisb=0),
)
show(
    np.vecdot(x, x),
    np.matvec(y, data(3)),
    np.vecmat(data(2) * 1j, y),
    np.matvec(x, data(5, 3)),
    np.matrix_transpose(x),
    np.vdot(x * 1j, x),
    np.inner(x, y),
    np.kron(x, y),
)
show(
    np.tensordot(y, x, axes=([1, 2], [0, 1])),
    np.tensordot(y, x, axes=(2, 1)),
    np.tensordot(y, y, 0),
    np.tensordot(y, y, ([0, 1, 2], [0, 1, 2])),
    np.tensordot(x, x, axes=[[-1], [-1]]),
)

# --- empty (numpy before 2.5)
for f in [inv, det, cholesky, eigvalsh, eigvals, lambda a: svd(a)[1], lambda a: qr(a)[0]]:
    show(f(np.zeros((0, 0))))
    show(f(np.zeros((0, 3, 3))))
    show(f(np.zeros((2, 0, 0))))
show(
    solve(np.zeros((0, 0)), np.zeros(0)),
    solve(np.zeros((0, 2, 2)), np.zeros((0, 2, 3))),
    solve(np.eye(3), np.zeros((3, 0))),
    pinv(np.zeros((0, 3))),
    *lstsq(np.zeros((0, 2)), np.zeros(0)),
    *lstsq(np.zeros((2, 0)), np.ones(2)),
)
show(
    *svd(np.zeros((0, 3))),
    *svd(np.zeros((3, 0)), full_matrices=False),
    *qr(np.zeros((3, 0)), 'complete'),
    *qr(np.zeros((0, 3))),
    norm(np.zeros((0, 0)), 2),
    multi_dot([np.zeros((2, 0)), np.zeros((0, 3)), np.ones((3, 2))]),
)

# --- not a number
print(
    np.isnan(inv(np.full((2, 2), np.nan))).all(),
    det(np.full((2, 2), np.nan)),
    np.isnan(solve(np.array([[1, np.nan], [0, 1]]), [1, 1])).any(),
)

# --- modules
import numpy.linalg
import numpy.linalg as L
from numpy.linalg import LinAlgError

try:
    numpy.linalg.inv(np.zeros((2, 2)))
except LinAlgError as e:
    print(repr(str(e)), isinstance(e, ValueError), np.linalg.LinAlgError is L.LinAlgError)

# --- errors (numpy before 2.5)
import numpy.linalg as L

for f in [
    lambda: solve(np.ones((2, 3)), np.ones(2)),
    lambda: solve(np.ones(2), np.ones(2)),
    lambda: solve(5.0, np.ones(2)),
    lambda: solve(np.eye(2), np.ones(3)),
    lambda: solve(np.eye(2), np.ones((3, 2))),
    lambda: solve(np.eye(2), 5.0),
    lambda: solve(np.ones((2, 2)), np.ones(2)),
    lambda: solve(np.ones((4, 2, 2)), np.ones((3, 2, 2))),
    lambda: solve(np.eye(2), np.ones((4, 2, 1))),
    lambda: solve(np.eye(2)[None], np.ones(2)),
    lambda: solve(np.eye(2, dtype=np.float16), np.ones(2)),
    lambda: solve(np.eye(2, dtype=np.float32), np.ones(2, np.float64)),
    lambda: solve(np.eye(2, dtype=np.float32), np.ones(2, np.complex64)),
    lambda: solve(np.eye(2, dtype=np.float32), np.ones(2, np.int8)),
    lambda: solve(np.eye(2, dtype=np.int32), np.ones(2, np.int8)),
    lambda: solve(np.eye(2, dtype=bool), np.ones(2, bool)),
    lambda: solve(np.ones((0, 0)), np.ones((0,))),
    lambda: solve(np.ones((0, 0)), np.ones((0, 3))),
    lambda: solve(np.ones((0, 2, 2)), np.ones((0, 2, 3))),
    lambda: inv(np.ones((2, 3))),
    lambda: inv(np.ones(3)),
    lambda: inv(np.zeros((2, 2))),
    lambda: inv(np.array([np.eye(2), np.zeros((2, 2))])),
    lambda: inv(np.ones((0, 0))),
    lambda: inv(np.ones((3, 0, 0))),
    lambda: inv(np.eye(2, dtype=np.float16)),
    lambda: det(np.ones(3)),
    lambda: det(np.ones((2, 3))),
    lambda: det(np.ones((0, 0))),
    lambda: det(np.ones((3, 0, 0))),
    lambda: det(np.eye(2, dtype=np.float32)),
    lambda: det(np.eye(2, dtype=np.int32)),
    lambda: det(np.full((2, 2), np.nan)),
    lambda: slogdet(np.ones((2, 3))),
    lambda: slogdet(np.zeros((2, 2))),
    lambda: slogdet(np.eye(2, dtype=np.complex64)),
    lambda: slogdet(np.ones((0, 0))),
    lambda: cholesky(np.ones((2, 3))),
    lambda: cholesky(-np.eye(2)),
    lambda: cholesky(np.ones((0, 0))),
    lambda: qr(np.ones(3)),
    lambda: qr(np.ones((2, 3)), 'foo'),
    lambda: qr(np.ones((2, 3)), 'r'),
    lambda: qr(np.ones((0, 3))),
    lambda: qr(np.ones((3, 0)), 'complete'),
    lambda: qr(np.ones((3, 0))),
    lambda: svd(np.ones(3)),
    lambda: svd(np.full((2, 2), np.nan)),
    lambda: svd(np.ones((0, 3))),
    lambda: svd(np.ones((0, 3)), full_matrices=False),
    lambda: svd(np.ones((3, 0)), compute_uv=False),
    lambda: svd(np.ones((2, 3)), hermitian=True),
    lambda: eig(np.ones(3)),
    lambda: eig(np.ones((2, 3))),
    lambda: eig(np.full((2, 2), np.nan)),
    lambda: eigvals(np.full((2, 2), np.inf)),
    lambda: eigvals(np.ones((0, 0))),
    lambda: eig(np.eye(2, dtype=np.float32)),
    lambda: eig(np.array([[0, 1], [-1, 0]], dtype=np.float32)),
    lambda: eigh(np.ones((2, 3))),
    lambda: eigh(np.eye(2), 'X'),
    lambda: eigvalsh(np.eye(2), 5),
    lambda: lstsq(np.ones(3), np.ones(3)),
    lambda: lstsq(np.ones((3, 2)), np.ones(4)),
    lambda: lstsq(np.ones((3, 2)), np.ones((3, 2, 2))),
    lambda: lstsq(np.ones((3, 2, 2)), np.ones((3, 2))),
    lambda: lstsq(np.eye(3)[:, :2], np.ones(3)),
    lambda: lstsq(np.eye(3)[:, :2], np.ones((3, 2))),
    lambda: lstsq(np.eye(3)[:2], np.ones((2))),
    lambda: lstsq(np.ones((0, 2)), np.ones((0))),
    lambda: lstsq(np.ones((2, 0)), np.ones((2))),
    lambda: pinv(np.ones((0, 3))),
    lambda: pinv(np.ones(3)),
    lambda: pinv(np.ones((2, 2)), rcond=1e-3, rtol=1e-4),
    lambda: norm(np.ones(3), 'fro'),
    lambda: norm(np.ones((2, 2)), 'foo'),
    lambda: norm(np.ones((2, 2)), 3),
    lambda: norm(np.ones((2, 2, 2)), 2),
    lambda: norm(np.ones((2, 2, 2)), axis=(0, 0)),
    lambda: norm(np.ones((2, 2, 2)), axis=(0, 1, 2)),
    lambda: norm(np.ones((2, 2, 2)), axis=1.5),
    lambda: norm(np.ones((2, 2)), axis=3),
    lambda: norm(np.ones((2, 2, 2)), axis=(0, 5)),
    lambda: norm(np.ones(0), np.inf),
    lambda: norm(np.ones((0, 0)), 2),
    lambda: norm([1, 2, 3]),
    lambda: norm(np.ones(3, np.float16)),
    lambda: norm(np.ones(3, np.float32), 1),
    lambda: norm(np.ones(3, np.int32), 0),
    lambda: norm(np.ones((2, 2)), None, (0, 1), True),
    lambda: cond(np.ones((0, 0))),
    lambda: cond(np.zeros((2, 2)), 1),
    lambda: cond(np.ones((2, 3)), 1),
    lambda: cond(np.eye(2), 'foo'),
    lambda: matrix_rank(np.ones((2, 2))),
    lambda: matrix_rank(5),
    lambda: matrix_rank(np.zeros(3)),
    lambda: matrix_rank(np.ones((4, 2, 2))),
    lambda: matrix_rank(np.ones((2, 2)), tol=1, rtol=1),
    lambda: matrix_power(np.ones((2, 3)), 2),
    lambda: matrix_power(np.ones((2, 2)), 1.5),
    lambda: matrix_power(np.ones((2, 2)), -1),
    lambda: matrix_power(np.array([[1, 2], [3, 4]]), -1),
    lambda: matrix_power(np.array([[1, 2], [3, 4]]), 3),
    lambda: matrix_power(np.ones((2, 2)), 0),
    lambda: multi_dot([np.ones((2, 2))]),
    lambda: multi_dot([np.ones((2, 3)), np.ones((2, 3))]),
    lambda: multi_dot([np.ones((2, 3)), np.ones((3, 3, 3)), np.ones((3, 2))]),
    lambda: multi_dot([np.ones(3), np.ones((3, 3)), np.ones(3)]),
    lambda: tensorsolve(np.ones((2, 3, 4)), np.ones((2, 3))),
    lambda: tensorsolve(np.eye(6).reshape(2, 3, 6), np.ones((2, 3))),
    lambda: tensorinv(np.eye(6).reshape(2, 3, 6)),
    lambda: tensorinv(np.eye(6).reshape(2, 3, 6), 0),
    lambda: tensorinv(np.ones((2, 3, 4))),
    lambda: vector_norm(np.ones((2, 3)), axis=1),
    lambda: matrix_norm(np.ones((2, 3)), ord=5),
    lambda: matrix_norm(np.ones(3)),
    lambda: cross(np.ones(2), np.ones(2)),
    lambda: cross(np.ones(3), np.ones(3)),
    lambda: np.cross(np.ones(2), np.ones(2)),
    lambda: np.cross(np.ones(4), np.ones(3)),
    lambda: outer(np.ones((2, 2)), np.ones(2)),
    lambda: outer([1, 2], [3, 4]),
    lambda: trace(np.ones(3)),
    lambda: trace(np.ones((2, 3, 3))),
    lambda: diagonal(np.ones((2, 3, 3)), offset=1),
    lambda: vecdot(np.ones(3), np.ones(4)),
    lambda: matrix_transpose(np.ones(3)),
    lambda: matrix_transpose(np.ones((2, 3, 4))),
    lambda: svdvals(np.ones((2, 3))),
    lambda: np.vecdot(np.ones((2, 3)), np.ones(3)),
    lambda: np.matvec(np.ones((2, 3)), np.ones(2)),
    lambda: np.vecmat(np.ones(2), np.ones((2, 3))),
    lambda: np.inner(np.ones(3), np.ones(4)),
    lambda: np.vdot(np.ones(3), np.ones(4)),
    lambda: np.tensordot(np.ones((2, 3)), np.ones((4, 3))),
    lambda: np.tensordot(np.ones((2, 3)), np.ones((4, 3)), axes=([0], [0, 1])),
    lambda: np.kron(5, np.ones(2)),
    lambda: np.kron(np.ones((2, 2)), np.ones((2, 2, 2))),
    lambda: L.matmul(np.ones((2, 2)), np.ones((2, 2))),
]:
    try:
        r = f()
        print(type(r).__name__, (r.dtype, r.shape) if isinstance(r, np.ndarray) else '')
    except Exception as e:
        print(type(e).__name__, e)

# --- singular
inv(np.zeros((2, 2)))

# --- not square
det(np.ones((2, 3)))

# --- not a matrix
eigvals([1, 2])

# --- not definite
cholesky([[1, 2], [2, 1]])

# --- halves
solve(np.eye(2, dtype=np.float16), [1, 2])

# --- lengths
solve(np.eye(2), [1, 2, 3])

# --- singular values of nan
svd([[np.nan]])


# --- elements that are not finite
def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


nan, inf = np.nan, np.inf
for t in ['f4', 'f8', 'c8', 'c16']:
    x, one = np.full((3, 3), nan, t), np.eye(3, dtype=t)
    half, far, other = one.copy(), one.copy(), one.copy()
    half[1, 1] = nan
    far[0, 0] = inf
    other[0, 2] = nan
    for a in (x, half, np.stack([one, x])):
        tell(lambda: np.linalg.svd(a))
        tell(lambda: np.linalg.svdvals(a))
        tell(lambda: np.linalg.eigvalsh(a, 'U'))
        tell(lambda: np.linalg.eig(a))
        tell(lambda: np.linalg.pinv(a))
        tell(lambda: np.linalg.matrix_rank(a))
        tell(lambda: np.linalg.norm(a, 2))
        tell(lambda: np.linalg.cond(a))
    print(
        np.linalg.svdvals(far),
        np.linalg.svdvals(np.stack([one, far])),
        np.linalg.eigvalsh(far),
        np.linalg.eigh(np.stack([far, one])).eigenvalues,
    )
    print(
        np.linalg.eigvalsh(other),
        np.linalg.eigvalsh(other.T, 'U'),
        np.isnan(np.linalg.inv(x)).all(),
        np.isnan(np.linalg.solve(half, np.ones(3))).any(),
    )
    tell(lambda: np.linalg.eigvalsh(other, 'U'))
    tell(lambda: np.linalg.eig(far))
    tell(lambda: np.linalg.svd(other.T))
    print(
        np.isnan(np.linalg.det(x)),
        np.isnan(np.linalg.det(np.stack([one, x]))),
        np.linalg.slogdet(x)[1],
        'c' in t or np.linalg.slogdet(x)[0],
        np.isnan(np.linalg.cholesky(x)[-1, -1]),
        np.isnan(np.linalg.qr(x)[1][0]),
    )

# --- matrices near the ends of the numbers
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

# --- many matrices with few directions, or none, of f4
few_directions("f4")
# --- many matrices with few directions, or none, of f8
few_directions("f8")
# --- many matrices with few directions, or none, of c8
few_directions("c8")
# --- many matrices with few directions, or none, of c16
few_directions("c16")


# --- named results: tuple operations and attributes
def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


r = np.linalg.slogdet([[2.0, 0], [0, 2]])
h = np.linalg.eigh([[2.0, 0], [0, 3]])
for f in (
    lambda: r == (1.0, r[1]),
    lambda: (1.0, r[1]) == r,
    lambda: r != r,
    lambda: hash(r) == hash(tuple(r)),
    lambda: {r: 1}[(1.0, r[1])],
    lambda: r < (2, 0),
    lambda: r >= r,
    lambda: r + (3,),
    lambda: (3,) + r,
    lambda: r * 2,
    lambda: "%s, %.3f" % r,
    lambda: r._asdict(),
    lambda: r._fields,
    lambda: r._field_defaults,
    lambda: r._replace(sign=-1),
    lambda: r._replace(**{"sign": 0}),
    lambda: r._replace(foo=1),
    lambda: r._make([1, 2]),
    lambda: type(r)._fields,
    lambda: type(r)._make([1, 2]),
    lambda: type(r)._make([1]),
    lambda: type(r)(1, 2),
    lambda: type(r)(sign=1, logabsdet=2),
    lambda: type(r)(1),
    lambda: type(r)(),
    lambda: type(r)(1, 2, 3),
    lambda: type(r)(1, sign=2),
    lambda: type(r)(1, foo=2),
    lambda: r.count(1.0),
    lambda: r.index(1.0),
    lambda: r.index(7),
    lambda: setattr(r, "sign", 3),
    lambda: setattr(r, "foo", 3),
    lambda: r.foo,
    lambda: h._asdict()["eigenvalues"],
    lambda: h._replace(eigenvalues=0),
    lambda: hash(h),
    lambda: h == h,
    lambda: np.array(r),
    lambda: np.linalg.qr(np.eye(2))._fields,
    lambda: np.linalg.svd(np.eye(2))._fields,
    lambda: np.linalg.eig(np.eye(2))._fields,
    lambda: np.unique_counts([1, 1, 2])._asdict(),
    lambda: r + 1,
    lambda: r[5],
    lambda: sorted([r, (0, 1)]),
    lambda: type(r).__name__,
):
    tell(f)

# --- the rank of nothing (numpy before 2.5)
for n in (0, 3):
    try:
        print(np.linalg.matrix_rank(np.zeros((0, n))))
    except ValueError as e:
        print(e)


# --- errors of every function
def tell(name, *fs):
    for f in fs:
        try:
            r = f()
            print(name, "ok", getattr(r, "shape", type(r).__name__))
        except Exception as e:
            print(name, type(e).__name__, e)


np.seterr(all="ignore")
L, v, tall, sing, three = np.linalg, np.ones(3), np.ones((3, 2)), np.ones((2, 2)), np.ones((2, 3, 3))
given = [
    ("vector", v),
    ("number", 3.0),
    ("tall", tall),
    ("half", np.ones((2, 2), "f2")),
    ("empty", np.zeros((0, 0))),
    ("rows", np.zeros((0, 3))),
    ("singular", sing),
    ("stack", three),
    ("negative", -np.eye(2)),
    ("ints", np.eye(2, dtype="i1")),
    ("bool", np.eye(2) > 0),
]
for f in (
    L.inv,
    L.pinv,
    L.det,
    L.slogdet,
    L.cholesky,
    L.qr,
    L.svd,
    L.svdvals,
    L.eig,
    L.eigvals,
    L.eigh,
    L.eigvalsh,
    L.norm,
    L.cond,
    L.matrix_rank,
    L.matrix_norm,
    L.vector_norm,
    L.trace,
    L.diagonal,
    L.matrix_transpose,
):
    for n, a in given:
        if f is not L.matrix_rank or np.size(a):
            tell(f"{f.__name__} {n}", lambda: f(a))
tell(
    "solve",
    lambda: L.solve(sing, v),
    lambda: L.solve(sing, np.ones(2)),
    lambda: L.solve(tall, v),
    lambda: L.solve(v, v),
    lambda: L.solve(np.eye(2), 3),
    lambda: L.solve(np.eye(2), np.ones((3, 2))),
    lambda: L.solve(three, np.ones((4, 3, 1))),
    lambda: L.solve(np.stack([np.eye(2), sing]), np.ones((2, 2, 1))),
)
tell(
    "lstsq",
    lambda: L.lstsq(v, v),
    lambda: L.lstsq(tall, np.ones(2)),
    lambda: L.lstsq(three, v),
    lambda: L.lstsq(tall, np.ones((3, 2, 2))),
    lambda: L.lstsq(np.zeros((0, 3)), np.zeros(0)),
)
tell(
    "qr",
    lambda: L.qr(tall, "x"),
    lambda: L.qr(tall, 3),
    lambda: L.qr(tall, "full"),
    lambda: L.qr(tall, "economic"),
    lambda: L.qr(tall, mode="raw")[0],
)
tell(
    "norm",
    lambda: L.norm(tall, "x"),
    lambda: L.norm(v, "fro"),
    lambda: L.norm(tall, 3),
    lambda: L.norm(three, 2),
    lambda: L.norm(tall, axis=5),
    lambda: L.norm(tall, axis=(0, 0)),
    lambda: L.norm(tall, axis=(0, 1, 2)),
    lambda: L.norm(tall, axis="a"),
    lambda: L.norm(three, "fro"),
    lambda: L.norm(v, "nuc"),
    lambda: L.norm([], np.inf),
    lambda: L.norm([], -np.inf),
    lambda: L.norm(np.zeros((0, 2)), -2),
)
tell(
    "power",
    lambda: L.matrix_power(tall, 2),
    lambda: L.matrix_power(np.eye(2), 1.5),
    lambda: L.matrix_power(sing, -1),
    lambda: L.matrix_power(v, 2),
    lambda: L.matrix_power(np.eye(2), "a"),
)
tell(
    "multi",
    lambda: L.multi_dot([]),
    lambda: L.multi_dot([tall]),
    lambda: L.multi_dot([tall, tall]),
    lambda: L.multi_dot([three, tall]),
    lambda: L.multi_dot([v, v]),
    lambda: L.multi_dot([tall, tall.T, three]),
)
tell("eigh", lambda: L.eigh(np.eye(2), "X"), lambda: L.eigvalsh(np.eye(2), UPLO="q"), lambda: L.eigh(np.eye(2), 3))
tell(
    "tensor",
    lambda: L.tensorsolve(np.ones((2, 3)), np.ones(2)),
    lambda: L.tensorinv(np.ones((2, 3)), 0),
    lambda: L.tensorinv(np.ones((2, 3)), 1),
    lambda: L.tensordot(tall, tall, axes=1),
    lambda: L.tensordot(tall, tall.T, axes=1),
)
tell(
    "cond",
    lambda: L.cond(tall, 1),
    lambda: L.cond(sing, 1),
    lambda: L.cond(np.eye(2), "x"),
    lambda: L.cond(np.eye(2), 7),
    lambda: L.matrix_rank(tall, 1, rtol=1),
    lambda: L.pinv(tall, 1, rtol=2),
)
tell(
    "misc",
    lambda: L.cross(v, np.ones(2)),
    lambda: L.outer(tall, v),
    lambda: L.vecdot(v, np.ones(2)),
    lambda: L.matmul(tall, tall),
    lambda: L.diagonal(v),
    lambda: L.trace(v),
    lambda: L.svd(tall, hermitian=True),
    lambda: L.matrix_norm(v),
    lambda: L.vector_norm(tall, axis=3),
)

# --- many small matrices of float32
many_small(np.float32)
# --- many small matrices of float64
many_small(np.float64)
# --- many small matrices of which one is singular, has NaN, or is tiny
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
# --- inverses of larger matrices
for T in np.float32, np.float64, np.complex64, np.complex128:
    a = (np.sin(np.arange(200 * 200) * 1.7).reshape(200, 200) + 20 * np.eye(200)).astype(T)
    print(
        np.abs(np.linalg.inv(a) @ a - np.eye(200)).max() < 1e-4,
        np.abs(np.linalg.inv(a[::2, ::2].T) @ a[::2, ::2].T - np.eye(100)).max() < 1e-4,
    )


# --- empty shapes, and the order of checks
def tell(f):
    try:
        r = f()
        print(r.dtype, r.shape)
    except Exception as e:
        print(type(e).__name__, e)


for s in ((0,), (0, 0), (0, 3), (3, 0), (0, 3, 3), (2, 0, 3)):
    for t in ("?", "i1", "f2", "f4", "c16"):
        tell(lambda: np.linalg.pinv(np.zeros(s, t)))
        for u in ((), (0,), (0, 0), (0, 3), (2, 3), (0, 3, 3), (2, 2, 2)):
            tell(lambda: np.linalg.tensorsolve(np.zeros(s, t), np.zeros(u)))
for s, u in (((1, 1), (3, 2)), ((2, 2), (3, 3)), ((2, 3), (0, 3)), ((0,), (3, 2)), ((2, 3), (3, 2))):
    tell(lambda: np.linalg.multi_dot([np.ones(s), np.ones(u), np.ones(s)]))
tell(lambda: np.linalg.cond(np.eye(2, dtype="f2"), 3))
tell(lambda: np.linalg.cond(np.eye(2), 3))

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

# --- stacks of small matrices that are not finite, very large or very small
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

# --- products of many small matrices
for T in np.float32, np.float64, np.complex64, np.int32:
    for n in (1, 2, 3, 4, 5, 8):
        k = np.arange(60 * n * n)
        A, B = (k * 7 % 11 - 5).astype(T).reshape(60, n, n), (k * 5 % 13 - 6).astype(T).reshape(60, n, n)
        wide = np.zeros((60, n + 1, 2 * n), T)
        wide[:, 1:, ::2] = B
        near = wide.copy()
        near[:, 1:, :n] = B
        t = lambda x: x.swapaxes(1, 2)
        want = (A[:, :, :, None] * B[:, None]).sum(2)
        for x, y, z in (
            (A, B, want),
            (t(A).copy().swapaxes(1, 2), B, want),
            (A, t(B).copy().swapaxes(1, 2), want),
            (A, wide[:, 1:, ::2], want),
            (A, near[:, 1:, :n], want),
            (A[::-1], B[::-1], want[::-1]),
            (A[::3], B[::3], want[::3]),
        ):
            print((x @ y == z).all(), end=" ")
        print(
            (A @ B[7])[7].tolist() == want[7].tolist(),
            (A[9] @ B)[9].tolist() == want[9].tolist(),
            (A.reshape(3, 20, n, n) @ B.reshape(3, 20, n, n) == want.reshape(3, 20, n, n)).all(),
            (A[:15] @ B[:15] == want[:15]).all(),
        )
        if np.dtype(T).kind == "f":
            A[5, 0, 0], B[6, n - 1, 0] = np.nan, np.inf
            r = A @ B
            print(
                np.isfinite(r).all(axis=(1, 2)).nonzero()[0].size,
                np.isnan(r[5, 0]).all(),
                (r[7:] == want[7:]).all(),
                (r[:5] == want[:5]).all(),
            )
for T in np.float32, np.float64:
    print([np.signbit(np.full((40, n, n), -0.0, T) @ np.ones((n, n), T)).any() for n in (2, 3, 4, 8)])
print(
    (np.zeros((20, 2, 0)) @ np.zeros((20, 0, 2))).sum(),
    (np.zeros((0, 4, 4)) @ np.zeros((0, 4, 4))).shape,
    np.einsum('bij,bjk->bik', np.ones((40, 2, 2)), np.ones((40, 2, 2))).sum(),
)


# --- tiled products: thin, tall, wide and square, every layout and precision, a matrix and its transpose
def exact(m, n, t):
    k = np.arange(m * n)
    return ((k * k % 7 - 3) * (1j if t == np.complex128 else 1)).astype(t).reshape(m, n)


for t in (np.float32, np.float64, np.complex128):
    for m, n, k in (
        (900, 8, 450),
        (8, 900, 450),
        (900, 700, 8),
        (701, 3, 703),
        (3, 701, 703),
        (1500, 50, 50),
        (50, 1500, 50),
        (203, 207, 211),
        (301, 30, 299),
        (30, 301, 299),
        (1, 900, 900),
        (900, 1, 900),
        (40000, 4, 4),
        (4, 40000, 4),
        (17, 33, 3000),
    ):
        a, b = exact(m, k, t), exact(k, n, t)
        want, c, d = np.dot(np.ascontiguousarray(a[::-1]), b), np.asfortranarray(a), np.asfortranarray(b)
        print(
            t.__name__,
            m,
            n,
            k,
            *[(p @ q == want[::-1]).all() for p, q in ((a, b), (a, d), (c, b), (c, d))],
            want[-1, :3],
            want[::50].sum(),
        )
    for m, k in ((900, 30), (200, 300), (517, 200), (33, 4000), (600, 64)):
        a = exact(m, k, t)
        b, c = np.asfortranarray(a), np.stack([a, a + 1, a])
        print(
            t.__name__,
            m,
            k,
            (a @ a.T == np.dot(a, a.T.copy())).all(),
            (b @ b.T == a @ a.T).all(),
            (c @ c.transpose(0, 2, 1) == np.stack([a @ a.T, (a + 1) @ (a + 1).T, a @ a.T])).all(),
            (a @ a.T)[::50].sum(),
        )

# --- hermitian matrices without full rank: the vectors are orthonormal all the same
for a in ([[1, 0], [0, 0.0]], [[0, 0], [0, 0.0]], [[1, 0], [0, -2.0]], [[0, 1j], [-1j, 0]], np.zeros((2, 3, 3)), np.ones((3, 3))):
    a = np.array(a)
    u, s, v = np.linalg.svd(a, hermitian=np.__version__ >= "2.4")  # before that: zero rows
    n = a.shape[-1]
    print(np.allclose(u @ u.conj().swapaxes(-1, -2), np.eye(n)), np.allclose(v @ v.conj().swapaxes(-1, -2), np.eye(n)))
    print(np.allclose((u * s[..., None, :]) @ v, a), s.round(9) + 0)

# --- lstsq: the rank by rcond
for small in 1e-15, 3e-16, 1.5e-16, 1.2e-16, 1.05e-16, 5e-17:
    a = np.array([[1.0, 0], [0, small]])
    for rcond in (-1, None, 1e-15, -5) if small < 1.2e-16 else (-1, None, 0, 1e-15, -5):  # LAPACK's releases differ at 0 below its precision
        print(small, rcond, int(np.linalg.lstsq(a, np.ones(2), rcond=rcond)[2]))

# --- small arrays in single precision are computed in double precision and rounded (numpy before 2.5)
for t, double in (('f4', 'd'), ('F', 'D')):
    for n in (2, 3, 5, 8):
        a = (np.sin(np.arange(3 * n * n) * 12.9898).reshape(3, n, n) * 9 + 60 * np.eye(n)).astype(t)
        s = a + a.conj().swapaxes(1, 2)
        b = np.cos(np.arange(6 * n)).reshape(3, n, 2).astype(t)
        for f, given in [
            (np.linalg.inv, (a,)), (np.linalg.solve, (a, b)), (np.linalg.det, (a,)), (np.linalg.slogdet, (a,)), (np.linalg.eigvalsh, (s,)),
            (np.linalg.eigh, (s,)), (np.linalg.eig, (a,)), (np.linalg.eigvals, (a,)), (np.linalg.svd, (a,)), (np.linalg.cholesky, (s,)),
            (np.linalg.svd, (a, True, False)), (np.linalg.svd, (s, True, True, True)), (np.linalg.qr, (a,)), (np.linalg.qr, (a, 'raw')),
            (np.linalg.svdvals, (a,)), (np.linalg.tensorinv, (a[0].reshape(n, 1, n), 1)),
        ]:
            found, exact = f(*given), f(*[x.astype(double) if isinstance(x, np.ndarray) else x for x in given])
            parts = zip(found, exact) if isinstance(found, tuple) else [(found, exact)]
            print(f.__name__, type(found).__name__, [(x.dtype.name, np.array_equal(x, y.astype(x.dtype))) for x, y in parts])
