# numpy.linalg: every function against NumPy's, by values that do not depend on signs and orders.
from numpy.linalg import (
    solve, inv, pinv, det, slogdet, lstsq, cholesky, qr, svd, svdvals, eig, eigvals, eigh,
    eigvalsh, norm, cond, matrix_rank, matrix_power, multi_dot, tensorsolve, tensorinv,
    matrix_norm, vector_norm, LinAlgError,
)
from matrices import TYPES, data, good, definite, show, near, unitary

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

# --- pinv, cond, lstsq, matrix_rank: the tolerance in single precision
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

# --- lstsq: the rank by rcond
for small in 1e-15, 3e-16, 1.5e-16, 1.2e-16, 1.05e-16, 5e-17:
    a = np.array([[1.0, 0], [0, small]])
    # LAPACK's releases differ at 0 below its precision
    for rcond in (-1, None, 1e-15, -5) if small < 1.2e-16 else (-1, None, 0, 1e-15, -5):
        print(small, rcond, int(np.linalg.lstsq(a, np.ones(2), rcond=rcond)[2]))

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

# --- matrix_power and multi_dot
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

# --- tensorsolve and tensorinv
a = good(24, 24).reshape(6, 4, 2, 3, 4)
show(
    tensorsolve(a, data(6, 4)),
    tensorinv(good(12, 12).reshape(3, 4, 2, 6), 2),
    tensorinv(good(6, 6).reshape(6, 3, 2), ind=1),
    tensorsolve(good(6, 6).reshape(2, 3, 6).transpose(2, 0, 1).reshape(6, 2, 3), data(6)),
)
show(tensorsolve(good(24, 24).reshape(4, 6, 8, 3), data(8, 3), axes=(0, 1)).shape)

# --- LinAlgError
import numpy.linalg
import numpy.linalg as L
from numpy.linalg import LinAlgError

try:
    numpy.linalg.inv(np.zeros((2, 2)))
except LinAlgError as e:
    print(repr(str(e)), isinstance(e, ValueError), np.linalg.LinAlgError is L.LinAlgError)

# --- named results: tuple operations and attributes
from showing import tell

r = np.linalg.slogdet([[2.0, 0], [0, 2]])
h = np.linalg.eigh([[2.0, 0], [0, 3]])
tell(
    lambda: r == (1.0, r[1]),
    lambda: (1.0, r[1]) == r,
    lambda: r != r,
    lambda: hash(r) == hash(tuple(r)),
    lambda: {r: 1}[(1.0, r[1])],
    lambda: bool(r < (2, 0)),
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
)
