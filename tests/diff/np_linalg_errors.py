# numpy.linalg: errors, empty operands, NaN and infinities.
from numpy.linalg import (
    solve, inv, pinv, det, slogdet, lstsq, cholesky, qr, svd, svdvals, eig, eigvals, eigh,
    eigvalsh, norm, cond, matrix_rank, matrix_power, multi_dot, tensorsolve, tensorinv,
    matrix_norm, vector_norm, cross, outer, trace, diagonal, vecdot, matrix_transpose,
)
from matrices import show

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

# --- empty matrices (numpy before 2.5)
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

# --- rank of empty matrices (numpy before 2.5)
for n in (0, 3):
    try:
        print(np.linalg.matrix_rank(np.zeros((0, n))))
    except ValueError as e:
        print(e)

# --- singular
inv(np.zeros((2, 2)))

# --- not square
det(np.ones((2, 3)))

# --- not a matrix
eigvals([1, 2])

# --- not definite
cholesky([[1, 2], [2, 1]])

# --- float16
solve(np.eye(2, dtype=np.float16), [1, 2])

# --- lengths that do not fit
solve(np.eye(2), [1, 2, 3])

# --- svd of NaN
svd([[np.nan]])

# --- NaN: inv, det, solve
print(
    np.isnan(inv(np.full((2, 2), np.nan))).all(),
    det(np.full((2, 2), np.nan)),
    np.isnan(solve(np.array([[1, np.nan], [0, 1]]), [1, 1])).any(),
)

# --- elements that are not finite (numpy before 2.5)
from showing import tell

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
