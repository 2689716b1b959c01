# Negative strides, transposes and gaps: copies, arithmetic and stores.
def some(n, T):
    a = (np.arange(n, dtype=np.int64) * 2654435761 >> 7) % 251
    a = (a % 2 == 0) if T == 'bool' else (a + 1j * (a % 7)).astype(T) if T[0] == 'c' else a.astype(T)
    if n:
        a.item(0)  # what pends would be computed inside of what reads it
    return a


def told(r):
    if r.size:
        r.item(0)  # makes a copy that pends
    w = (np.arange(r.size) % 97 + 1).reshape(r.shape)
    return r.dtype, r.shape, (r * w).sum(), r.ravel()[:3].tolist(), r.ravel()[-3:].tolist()


ALL = ('bool', 'i1', 'u2', 'f2', 'i4', 'f4', 'i8', 'f8', 'c8', 'c16')

# --- negative strides: reads
for T in ALL:
    for n in (0, 1, 2, 7, 31, 32, 33, 63, 64, 65, 129, 1000, 40001):
        a = some(n, T)
        print(
            *told(a[::-1].copy()),
            *told(np.flip(a[1:]) + a[:-1] if n else a),
            *told(a[::-1].astype('f8' if T[0] != 'c' else 'c16'))
        )
        if n:
            print(a[::-1].sum(), a[::-1][: n // 2].max() if n > 1 else '', a[::-1].argmax())

# --- negative strides: writes
for T in ALL:
    for n in (1, 2, 15, 16, 17, 64, 100, 1001, 40001):
        a, b = some(n, T), np.zeros(n + 5, T)
        b[n - 1 :: -1] = a
        c = b.copy()
        b[n + 2 : 2 : -1] = a * a
        a[::-1] = a + a
        print(*told(b), *told(c), *told(a))

# --- negative strides in some dimensions
for T in ALL:
    for shape in ((3, 1), (1, 5), (4, 9), (17, 33), (64, 64), (5, 6, 7), (2, 40, 3)):
        a = some(int(np.prod(shape)), T).reshape(shape)
        back = np.zeros(shape, T)
        back[:, ::-1] = a
        print(
            *told(np.flip(a).copy()),
            *told(np.fliplr(a).copy()),
            *told(np.flipud(a) + np.fliplr(a)),
            *told(np.rot90(a).copy()),
            *told(a[::-2, ::-1].copy()),
            *told(back)
        )

# --- transposes: reads
for T in ALL:
    for shape in (
        (1, 7),
        (7, 1),
        (3, 5),
        (4, 4),
        (8, 8),
        (9, 31),
        (16, 16),
        (10, 100),
        (33, 65),
        (100, 7),
        (4, 500),
        (500, 4),
        (3, 400),
        (129, 300),
    ):
        a = some(shape[0] * shape[1], T).reshape(shape)
        b = a.T + some(shape[0] * shape[1], T).reshape(shape[::-1])
        print(
            *told(a.T.copy()),
            *told(b),
            *told(np.ascontiguousarray(a.T[::-1])),
            *told(np.ascontiguousarray(a.T[:, ::-1])),
            *told(a.T.astype('f8' if T[0] != 'c' else 'c16', order='C'))
        )

# --- transposes: stacks of matrices, three and more dimensions
for T in ALL:
    a = some(3 * 10 * 10 * 12, T)
    for shape in (
        (36, 10, 10),
        (3, 12, 100),
        (100, 4, 9),
        (900, 2, 2),
        (400, 3, 3),
        (5, 8, 90),
        (2, 6, 5, 60),
        (30, 1, 120),
    ):
        x = a.reshape(shape)
        for k in range(1, x.ndim):
            axes = list(range(k, x.ndim)) + list(range(k))
            print(
                *told(x.transpose(axes).copy()),
                *told(np.swapaxes(x, k, k - 1).copy()),
                *told(np.swapaxes(x, k, k - 1) * np.swapaxes(x, k, k - 1)[:1])
            )
        print(
            *told(np.moveaxis(x, 0, -1)[..., 1:].copy()),
            *told(x[:, ::-1].T.copy()),
            *told(np.broadcast_to(x[:1].T, x.T.shape).copy())
        )

# --- transposes: a result that overlaps its operand
for T in ('i2', 'f4', 'f8', 'c16'):
    for n in (3, 8, 17, 64, 100):
        a = some(n * n, T).reshape(n, n)
        b = a.copy()
        a += a.T
        b[:] = b.T
        c = some(n * n, T).reshape(n, n)
        c[::-1] = c.T
        print(*told(a), *told(b), *told(c))

# --- transposes: large ones, their rows, and writes
for shape in ((700, 900), (512, 512), (40, 20000), (20000, 40), (5, 60000), (60000, 5)):
    for T in ('i1', 'f4', 'f8', 'c8'):
        a = some(shape[0] * shape[1], T).reshape(shape)
        b = np.zeros(shape[::-1], T)
        b[...] = a.T
        w = np.zeros(shape, T)
        w.T[...] = b
        print(*told(b), *told(w), *told(a.T[5:].copy()), *told(np.where(a.T > 100, a.T, b * 2)))

# --- gaps between elements, rows with a remainder
for T in ALL:
    for n in (1, 3, 9, 10, 33, 100):
        a = some(30 * n * 3, T).reshape(30, n * 3)
        print(
            *told(a[:, ::3].copy()),
            *told(a[:, ::3] + a[:, 1::3]),
            *told(a[::-1, ::-3].copy()),
            *told(np.take(a, np.arange(n) * 3, axis=1))
        )

# --- gaps between elements, vectorized: remainders of every length
for T in ALL:
    for n in list(range(1, 14)) + [40, 4001, 4002, 4003, 4004]:
        a, b = some(3 * n, T), some(5 * n, T)
        b[1::5] = a[:n]
        b[::5] = a[::3]
        print(
            *told(a[::3].copy()),
            *told(a[2::3].copy()),
            *told(a[::-3].copy()),
            *told(b),
            *told(np.repeat(a[:n], 3)),
            *told(some(6 * n, T).reshape(n, 6)[:, 1:5:3].copy())
        )

# --- adjacent columns: arithmetic, sums and writes, remainders of every length; gaps are not written
for T in ALL:
    for k in (2, 3, 4, 5):
        for n in (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 47, 63, 64, 65, 100, 129, 1001):
            a, r = some(n * k, T).reshape(n, k), some(n * k + 1, T)[1:].reshape(n, k)
            first, last = a[:, 0], a[:, -1]  # vector loads of the last column would end beyond the array
            c = last + first * first
            r[:, 1] = first + last if T != 'bool' else first | last
            r[:, -1] = r[:, 0]
            kept = r.copy()
            r[:, 0] = np.where(last > first, last, r[:, 1])
            print(
                *told(c),
                *told(kept),
                *told(r),
                *told(last.copy()),
                *told(last[::-1] + first),
                last.sum(),
                last.max(),
                (last * last).sum()
            )
            r[:, :-1] = a[:, 1:]
            print(*told(r), *told(last[n // 2 :].astype('f4' if T[0] != 'c' else 'c8')))

# --- adjacent columns: cross products, colors, rows shorter than registers
for T in ('u1', 'i2', 'f4', 'f8', 'c8', 'i8'):
    for shape in ((5, 3), (7, 11, 3), (20, 4, 3), (3, 70, 4), (1000, 3), (90, 101, 3)):
        a = some(int(np.prod(shape)), T).reshape(shape)
        b = a[::-1].copy()
        if T != 'u1':
            print(*told(np.cross(a[..., :3], b[..., :3])))
        grey = a[..., 0] * np.float32(0.25) + a[..., 1] * np.float32(0.5) + a[..., -1] * np.float32(0.25)
        print(
            *told(grey),
            *told(a[..., 2] + a[..., 1]),
            *told(a[..., ::-1].copy()),
            *told(a.sum(axis=-1)),
            *told(a[..., 1].sum(axis=0)),
            *told(a.max(axis=-1))
        )
        b[..., 2] = a[..., 0]
        b[..., 0] += a[..., 1]
        print(*told(b))

# --- long rows, contiguous and not, with remainders
for T in ('i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'f4', 'i8', 'u8', 'f8'):
    for n in (1023, 1024, 4097, 70001):
        a, b = some(n, T), some(n + 7, T)[7:]
        out = np.zeros(n + 3, T)
        out[2:-1] = a + b
        c = a.copy()
        c[1:] = c[:-1] + b[1:]
        print(
            *told(a + b),
            *told(a * b + a),
            *told(out),
            *told(c),
            *told(a.astype('f8')),
            *told(a.astype('i4')),
            *told(np.maximum(a, b)),
            *told(a[: n // 3 * 3].reshape(3, -1) + b[: n // 3])
        )

# --- results larger than caches: gaps and transposes
x = np.arange(3075.0)
x.item(0)
b = np.broadcast_to(x, (4100, 3075))[:, ::3].copy()
b.item(0)
print(b.shape, b.sum(), b[17, :5], b[-1, -3:], (b == x[::3]).all())
for rows in (64, 65):
    y = np.arange(rows * 1000.0).reshape(rows, 1000)
    y.item(0)
    c = np.broadcast_to(y, (66, rows, 1000)).transpose(0, 2, 1).copy()
    c.item(0)
    print(c.shape, c.sum(), (c == y.T).all())
