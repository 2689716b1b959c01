# Products: cross, inner, tensordot, batched and tiled matrix products.
from numpy.linalg import cross, outer, trace, diagonal, vecdot, matrix_transpose
from matrices import data, show

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

# --- batched products of small matrices
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

# --- tiled products: few rows, few columns, square, every layout and precision, a matrix and its transpose
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
