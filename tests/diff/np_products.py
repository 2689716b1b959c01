# Matrix products: dtypes, memory layouts, stacks, out=.


# --- operands of every layout
def make(m, n, t):
    x = (np.arange(m * n) * 7 % 23 - 11).reshape(m, n).astype(t)
    return x * t(1 + 2j) if t(0).dtype.kind == 'c' else x


for t in (np.float16, np.float32, np.float64, np.complex64, np.complex128):
    a, b, wide = make(5, 7, t), make(7, 3, t), make(20, 30, t)
    ways = [
        (a, b),
        (make(7, 5, t).T, b),
        (a, make(3, 7, t).T),
        (make(7, 5, t).T, make(3, 7, t).T),
        (a[::2], b),
        (a[:, ::-1], b[::-1]),
        (wide[3:8, 2:9], wide[5:12, 4:7]),
        (wide[3:8, 2:16:2], b),
        (wide[2:9, 3:8].T, wide[4:7, 5:12].T),
        (a[1:2], b),
        (a, b[:, 1:2]),
        (np.broadcast_to(a[0], (4, 7)), b),
        (a.reshape(5, 7)[:, :1], b[:1]),
        (np.asfortranarray(a), np.asfortranarray(b)),
    ]
    for x, y in ways:
        r = x @ y
        print(r.dtype, r.shape, r.tolist())

# --- stacks
for t in (np.float32, np.float64, np.complex128):
    a = (np.arange(2 * 3 * 4 * 5) % 13).reshape(2, 3, 4, 5).astype(t)
    b = (np.arange(2 * 3 * 5 * 2) % 11).reshape(2, 3, 5, 2).astype(t)
    for x, y in [
        (a, b),
        (a, b[:, :1]),
        (a[0], b[1]),
        (a[:, :, ::2], b),
        (a, b[0, 0]),
        (a[0, 0], b),
        (a.transpose(1, 0, 2, 3), b.transpose(1, 0, 2, 3)),
        (a, b.swapaxes(-1, -2).copy().swapaxes(-1, -2)),
        (a.reshape(6, 4, 5)[::2], b.reshape(6, 5, 2)[1::2]),
    ]:
        r = np.matmul(x, y)
        print(r.dtype, r.shape, r.ravel()[::7].tolist(), r.sum())

# --- vectors, empty operands, several dtypes
a = np.arange(12.0).reshape(3, 4)
print(
    a @ [1, 0, 2, 0],
    [1, 2, 3] @ a,
    a[0] @ a[1],
    a.T[1] @ a,
    (a[:0] @ a.T).shape,
    (a[:, :0] @ a[:0]),
    np.zeros((2, 0, 3)) @ np.ones((3, 2)),
)
print(
    (a.astype(np.float32) @ a.T).dtype,
    (a.astype(np.int8) @ a.astype(np.int8).T).dtype,
    a.astype(np.int64) @ a.astype(np.int32).T,
    (a > 5) @ (a > 3).T,
)

# --- out=
a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
out = np.zeros((4, 4))
r = np.matmul(a, b, out=out[1:3])
print(out, r.shape)
np.dot(a, b, out=r.reshape(2, 4))
c = b[:, :3].copy()
c[:] = c @ c
c @= np.eye(3) * 2
print(out.sum(), c)

# --- scaled and shifted around it
a = np.arange(9.0).reshape(3, 3)
print((2 * a + 1) @ (a.T - 3) * 0.5 + a, (a @ a).sum(axis=1), (a @ a)[::2, 1], -(a @ a.T) @ a)

# --- a matrix times its transpose
for t in (np.float32, np.float64, np.complex64, np.complex128, np.int32):
    a = ((np.arange(40 * 75) * 7) % 23 - 11).reshape(40, 75).astype(t)
    if a.dtype.kind == 'c':
        a = a * t(1 - 2j) + t(1j)
    s = np.stack([a, a[::-1] + t(1), -a[:, ::-1]])
    for x in (
        a,
        a.T,
        a[:, :33],
        a[:32, 1:],
        a[:, ::2],
        a[::-1],
        a[3:39, 5:70].T,
        np.asfortranarray(a),
        s[1],
        s[:, :, 4],
    ):
        r = x @ x.T
        print(
            r.dtype,
            r.shape,
            r.sum(),
            np.trace(r),
            r[0, -3:].tolist(),
            r[-1, :3].tolist(),
            np.triu(r).sum(),
            (r == r.T).all(),
        )
    for x in (s, s[::2], s[:, :, ::-1], s.swapaxes(1, 2), s[:, 3:38, 5:60]):
        r = x @ x.swapaxes(1, 2)
        print(r.shape, r.sum(axis=(1, 2)).tolist(), np.tril(r, -1).sum(), r[:, 0, -1].tolist())
    print(
        (a @ a[:, ::-1].T).sum(),
        (a[:33] @ a[1:34].T)[3, 5],
        (a[:, :40] @ a[:, :40]).sum(),
        (s @ s[0].T).sum(),
        np.dot(a, a.T).sum(),
        np.inner(a, a)[2, 3],
        np.einsum('ij,kj->ik', a, a)[1, 7],
        np.tensordot(a, a, (0, 0)).sum(),
        np.matmul(a.T, a, out=np.empty((75, 75), a.dtype)).sum(),
    )
a = np.arange(64.0 * 64).reshape(64, 64) % 7
a[:] = a @ a.T
print(a.sum(), a[0, :4])
a[3, 5] = np.nan
print(np.isnan(a @ a.T).sum(), np.isnan(a.T @ a).sum())

# --- vdot and dot of vectors of all dtypes
for d in '?bhilBHILefdFD':
    for e in '?bhLefdFD':
        a, b = np.array([1, 0, 1, 1, 0]).astype(d), np.array([0, 1, 1, 1, 0]).astype(e)
        r, s = np.vdot(a, b), np.dot(a, b)
        print(d, e, r, r.dtype, s, s.dtype)
print(
    np.vdot(np.ones((2, 2)), np.ones(4)),
    np.vdot([], []),
    np.dot([], []),
    np.vdot([1 + 2j], [3j]),
    np.vdot(3, 4),
    np.vdot(np.array([1e308, 1e308]), np.array([10.0, 10.0])),
)

# --- matrix-vector products, products with the transpose of the same matrix: layouts, strides, stacks
for T in ("f4", "f8", "c8", "c16"):
    near = 1e-4 if T in ("f4", "c8") else 1e-12
    for m, k in ((1, 1), (7, 1), (1, 7), (5, 9), (9, 5), (33, 70), (70, 33), (150, 300), (1000, 8), (8, 1000)):
        A = (np.arange(m * k) * 37 % 19 - 9 + (1j * (np.arange(m * k) * 23 % 11 - 5) if T[0] == "c" else 0)).astype(
            T
        ).reshape(m, k) / np.dtype(T).type(8)
        turned, wide, padded = np.zeros((k, m), T), np.zeros((m, 2 * k), T), np.zeros((m, k + 5), T)
        turned[...] = A.T
        wide[:, ::2] = A
        padded[:, 2 : k + 2] = A
        v, u = A[0].copy(), A[:, 0].copy()
        v3, u2 = np.zeros(3 * k, T), np.zeros(2 * m, T)
        v3[::3], u2[1::2] = v, u
        by_v, by_u = (A * v).sum(1), (A * u[:, None]).sum(0)
        squares = (A[:, None, :] * A).sum(2) if m <= 150 else None
        checks = []
        for B in (A, turned.T, wide[:, ::2], padded[:, 2 : k + 2], A[::-1][::-1], np.stack([A, A])[1]):
            for x in (v, v3[::3], v[::-1].copy()[::-1]):
                checks += [
                    np.abs(B @ x - by_v).max() < near * k,
                    np.abs(B @ x[:, None] - by_v[:, None]).max() < near * k,
                    np.abs(np.stack([B, B]) @ x - by_v).max() < near * k,
                ]
            for x in (u, u2[1::2]):
                checks += [
                    np.abs(x @ B - by_u).max() < near * m,
                    np.abs(x[None] @ B - by_u).max() < near * m,
                    np.abs(B.T @ x - by_u).max() < near * m,
                ]
            if squares is not None:
                checks += [
                    np.abs(B @ B.T - squares).max() < near * k,
                    np.abs(np.inner(B, B) - squares).max() < near * k,
                    np.abs(np.stack([B, B]) @ np.stack([B, B]).transpose(0, 2, 1) - squares).max() < near * k,
                ]
                checks += [np.abs(B.T @ B - (A[:, :, None] * A[:, None, :]).sum(0)).max() < near * m if k <= 70 else True]
        print(T, m, k, len(checks), all(checks), bool((A @ A.T == (A @ A.T).T).all()) if T[0] == "f" else "")
A = np.ones((300, 5))
A[3, 2] = np.nan
print(
    np.isnan(A @ np.ones(5)).sum(), np.isnan(np.ones(300) @ A).sum(), np.isnan(A @ A.T).sum(), np.isnan(A.T @ A).sum()
)
print(
    np.cov(np.sin(np.arange(60)).reshape(5, 12)).round(12),
    np.cov(np.exp(1j * np.arange(60)).reshape(5, 12)).round(12) + 0,
    np.corrcoef(np.sin(np.arange(60)).reshape(5, 12)).round(12),
    np.cov(np.sin(np.arange(60)).reshape(5, 12), aweights=np.arange(12)).round(12),
)


# --- products of booleans and integers: lengths around machine words, densities, layouts, stacks
def some(m, n, every, start=0):
    return ((np.arange(start, start + m * n) * 2654435761 % 1009) % every == 0).reshape(m, n)


bad = []
for m, k, n in [
    (1, 33, 1),
    (3, 40, 7),
    (5, 64, 8),
    (9, 100, 63),
    (17, 31, 64),
    (17, 32, 65),
    (2, 200, 130),
    (40, 50, 129),
    (1, 500, 300),
    (300, 70, 1),
    (70, 33, 9),
    (33, 300, 640),
]:
    for every in (1, 2, 3, 50, 2000):
        a, b = some(m, k, every), some(k, n, every, 7)
        want = (a.astype(int)[:, :, None] * b.astype(int)).sum(1) > 0
        wide = np.zeros((k, 2 * n + 1), bool)
        wide[:, 1::2] = b
        tall = np.zeros((3 * m, k), bool)
        tall[::3] = a
        for x, y in (
            (a, b),
            (a.T.copy().T, b),
            (a, b.T.copy().T),
            (a.T.copy().T, b.T.copy().T),
            (tall[::3], wide[:, 1::2]),
            (a[:, ::-1], b[::-1]),
        ):
            got = x @ y
            if got.dtype != bool or not np.array_equal(got, want):
                bad.append((m, k, n, every))
        if not np.array_equal(a[::-1] @ b[:, ::-1], want[::-1, ::-1]):
            bad.append((m, k, n, every, "back"))
        both = np.stack([a, ~a, a]) @ np.stack([b, b, ~b])
        if not all(np.array_equal(both[i], p @ q) for i, (p, q) in enumerate(((a, b), (~a, b), (a, ~b)))):
            bad.append((m, k, n, every, "stack"))
        print(int(want.sum()), int(both.sum()), end=" ")
print(bad)
for t in ("i1", "u1", "i2", "u4", "i4", "i8", "u8"):
    for shape, other in (
        ((3, 2, 3), (3, 2)),
        ((2, 5, 3, 3), (5, 3, 3)),
        ((4, 8, 2), (4, 2, 8)),
        ((7, 1, 4), (7, 4, 5)),
        ((6, 11, 12), (12, 9)),
        ((100, 33), (33, 130)),
        ((2, 40, 7), (2, 7, 300)),
    ):
        a = (np.arange(np.prod(shape)) * 7 % 251 - 100).astype(t).reshape(shape)
        b = (np.arange(np.prod(other)) * 5 % 241 - 90).astype(t).reshape(other)
        c = a @ b
        print(
            c.dtype,
            c.shape,
            c.ravel()[[0, 1, -1]],
            (a[..., ::-1] @ b[..., ::-1, :] == c).all(),
            (np.swapaxes(np.swapaxes(b, -1, -2) @ np.swapaxes(a, -1, -2), -1, -2) == c).all(),
            end=" ",
        )
        print((c % 16).sum(dtype="i8"))

# --- a @= b
def updated(x, y):
    x, y = np.array(x), np.array(y)
    try:
        x @= y
        print(x.dtype, x.tolist())
    except Exception as e:
        print(type(e).__name__, e)


three = np.eye(3) * 2
for x, y in (
    (np.ones(3), np.ones(3)),
    (np.ones((3, 3)), np.ones(3)),
    (np.ones((2, 3)), np.ones((3, 2))),
    (np.ones(3), three),
    (np.ones((2, 3)), np.arange(9).reshape(3, 3)),
    (np.arange(9).reshape(3, 3), np.ones((3, 3))),
    (np.ones((2, 3, 3)), three),
    (np.ones((2, 3, 3)), np.ones((2, 3, 3))),
    (1.0, three),
    (np.ones(3), 1.0),
    (np.ones((3, 3), "f4"), three),
    (np.ones((3, 3), "u1"), np.ones((3, 3), "i1")),
    (np.ones(3), np.ones((3, 2))),
    (np.ones((0, 3)), three),
    (np.ones((3, 3), bool), np.ones((3, 3), bool)),
):
    updated(x, y)
a = np.arange(9.0).reshape(3, 3)
a @= a
b = a.T
a @= b
print(a, b)
a = np.ones(3)
a @= a
