# Algorithms for large arrays, and shapes around their thresholds.
def some(n, T, low=0):
    return ((np.arange(n, dtype=np.int64) * 2654435761 >> 7) % 251 + low).astype(T)


# --- argmin and argmax
for T in ('bool', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f4', 'f8', 'f2'):
    for shape in ((1,), (47,), (48,), (2047,), (2048,), (2049,), (70000,), (3, 50), (7, 100), (2, 3000), (3, 4, 64)):
        n = int(np.prod(shape))
        cases = [some(n, T), np.zeros(n, T), np.ones(n, T)]
        if T[0] in 'if':
            cases += [some(n, T, -125), (np.arange(n) % 120).astype(T), -(np.arange(n) % 120).astype(T)]
        if T[0] == 'f':
            a, b = some(n, T), np.zeros(n, T)
            a[n // 2], b[0], b[n // 3], b[n - 1] = np.nan, -0.0, -np.inf, np.inf
            cases += [a, b]
        for a in cases:
            a = a.reshape(shape)
            print(
                T,
                shape,
                a.argmax(),
                a.argmin(),
                a.argmax(axis=-1).sum(),
                a.argmin(axis=-1, keepdims=True).ravel()[:5].tolist(),
                a[..., 1:].argmax() if shape[-1] > 1 else '',
            )

# --- masks
for n in (0, 1, 63, 64, 65, 127, 128, 1000, 4099):
    for m in (some(n, 'i8') % 3 == 0, np.zeros(n, bool), np.ones(n, bool)):
        print(n, np.count_nonzero(m), repr(np.flatnonzero(m)[-3:]), np.nonzero(m)[0].sum(), np.count_nonzero(m[::2]))
        for T in ('i1', 'i2', 'f4', 'f8', 'c16'):
            a = some(n, T)
            print(a[m].sum(), np.compress(m, a)[-2:], np.extract(m, a)[:2], np.compress(m[: n // 2], a).sum())
m = (some(6000, 'i8') % 5 == 1).reshape(20, 300)
print(
    np.argwhere(m)[::97].tolist(),
    [x.sum() for x in np.nonzero(m.reshape(4, 5, 300))],
    np.compress(m[:, 0], np.arange(20)),
    np.compress(m[0, :3], np.arange(12).reshape(4, 3), axis=1),
)

# --- strides of two and three elements
for T in ('bool', 'i1', 'i2', 'f4', 'f8', 'c16'):
    for n in (1, 5, 31, 32, 33, 1000, 3001):
        a = some(n, T)
        b = a[::-1].copy()
        z = np.zeros((n, 2), T)
        z[:, 1] = a
        print(
            T,
            n,
            np.stack([a, b], axis=-1)[-3:].tolist(),
            np.stack([a, b, a], axis=-1).ravel()[-4:].tolist(),
            np.repeat(a, 2)[-3:].tolist(),
            np.repeat(a, 3)[-4:].tolist(),
            z.ravel()[-4:].tolist(),
        )
z = np.zeros(4001)
z[1::2] = np.arange(2000.0)
z[::2] += 0.5
print(z[:6], z[-5:], z.sum())

# --- updates at indices
i = some(70000, 'i8') * 3 % 100
for T in ('i4', 'i8', 'f4', 'f8', 'i2'):
    x = np.zeros(100, T)
    np.add.at(x, i, 1)
    y = np.zeros(100, T)
    np.add.at(y, i - 100, some(70000, T) % 2)
    z = np.zeros(100, T)
    np.maximum.at(z, np.where(i > 50, i, i - 100), some(70000, T))
    print(x.sum(), x[:5], y[:5], z[:5])
print(np.bincount(i)[:5], np.bincount(i, weights=i / 4)[-3:], np.bincount(i.astype('u1'), minlength=120)[-3:])
p = np.zeros(50)
p[some(900, 'i8') % 50] = np.arange(900.0)
print(p[::7])
try:
    np.add.at(p, np.where(i == 7, 50, 0), 1)
except IndexError as e:
    print(e, p[0])
try:
    np.add.at(p, np.where(i == 7, -51, 0), 1)
except IndexError as e:
    print(e, p[0])
p = np.arange(12).reshape(3, 4)
np.put(p, [0, -1, 5], [7, 8])
print(p)
np.put(p.T, [1, 2], -1)
print(p)
np.put(p, np.arange(3), np.arange(100, 110))
print(p)
try:
    np.put(p, [3, 12], 0)
except IndexError as e:
    print(e)

# --- insertions
a = np.arange(10)
for at, v in (
    ([3, 3, 0], [1, 2, 3]),
    ([10, 0], 9),
    ([-1, 5], [7, 8]),
    ([2] * 20, 5),
    (list(range(10)), 0),
    ([], 1),
    (slice(0, 10, 3), -1),
):
    print(np.insert(a, at, v))
m = np.arange(6).reshape(2, 3)
print(
    np.insert(m, [0, 2], [7, 8], axis=1),
    np.insert(m, [1, 0], [[7], [8]], axis=0),
    np.insert(m, [0, 1, 1], [[7], [8]], axis=1),
)
for at in ([11, 0], [-12, 3]):
    try:
        np.insert(a, at, 1)
    except IndexError as e:
        print(e)
try:
    np.insert(a, [1, 2], [1, 2, 3])
except ValueError as e:
    print(e)

# --- weights of histograms
x = some(5000, 'f8') / 10
for w in (some(5000, 'i8'), some(5000, 'f4'), some(5000, 'c16') * 1j, some(5000, 'u1') % 2, None):
    for bins in (7, [0, 5, 10, 25.1]):
        print(
            np.histogram(x, bins, weights=w)[0],
            np.histogram(x, bins, (3, 20.5), weights=w, density=True)[0].round(6) if bins == 7 else '',
        )

# --- medians without conversion
for T in ('bool', 'i1', 'u1', 'i4', 'i8', 'u8', 'f2', 'f4'):
    for n in (1, 2, 101, 1000):
        print(T, n, repr(np.median(some(n, T))), repr(np.median(some(n * 4, T).reshape(4, n), axis=1).tolist()))

# --- sums over rows of every width
for w in (1, 5, 31, 32, 33, 100, 1000, 3000):
    for T in ('f4', 'f8', 'c16', 'i4'):
        a = some(60000 // w * w, T).reshape(-1, w)
        print(
            T,
            w,
            a.sum(axis=0)[-2:],
            a.mean(axis=0)[:1],
            np.abs(a).max(axis=0)[-1],
            a.reshape(1, -1, w).sum(axis=1)[0, 0],
            float(np.abs(a).astype('f8').var(axis=0)[0].round(2)),
        )

# --- transforms along outer axes
for shape, axes in (
    ((300, 250), (0,)),
    ((256, 256), (0, 1)),
    ((1024, 70), (0,)),
    ((20, 30, 120), (0, 1)),
    ((3, 300, 80), (1,)),
):
    for T in ('c8', 'c16'):
        c = (
            (some(int(np.prod(shape)), 'f8') - 125 + 1j * (some(int(np.prod(shape)), 'f8')[::-1] % 17))
            .reshape(shape)
            .astype(T)
        )
        f = np.fft.fftn(c, axes=axes)
        print(
            T,
            shape,
            f.dtype,
            complex(f.ravel()[0].round(1)),
            bool(np.abs(np.fft.ifftn(f, axes=axes) - c).max() < (1e-3 if T == 'c8' else 1e-10)),
            round(float(np.abs(f[..., -1:]).sum()), -3),
        )

# --- products with vectors, alone and in stacks
for T in ('i1', 'i4', 'u8', 'f4', 'f8', 'c16', 'bool'):
    for sa, sb in (
        ((3, 4), (4,)),
        ((4,), (4, 5)),
        ((2, 3, 4), (4,)),
        ((4,), (2, 4, 5)),
        ((2, 3, 4), (2, 4, 1)),
        ((5, 1, 3, 4), (2, 4, 1)),
        ((4,), (2, 4, 1)),
        ((7, 0), (0,)),
        ((2, 3, 0), (2, 0, 1)),
        ((0, 3, 4), (0, 4, 1)),
    ):
        r = some(int(np.prod(sa)), T).reshape(sa) @ some(int(np.prod(sb)) + 3, T)[3:].reshape(sb)
        print(T, sa, sb, r.dtype, r.shape, r.ravel()[:4].tolist())
a, v, A = some(24, 'f8').reshape(2, 3, 4), some(8, 'f8').reshape(2, 4), some(12, 'i8').reshape(3, 4)
print(
    np.einsum('bij,bj->bi', a, v),
    np.einsum('bij,bj->b', a, v),
    np.einsum('bi,bij->bj', v[:, :3], a),
    np.einsum('ij,j', A, A[0]),
    np.einsum('...ij,...j', a, v),
)
print(A.T @ A[:, 0], A[0] @ A.T, A @ A[1], A[::2] @ A[1, ::-1])

# --- sorted bytes
for T in ('bool', 'i1', 'u1'):
    for shape in ((300,), (3, 50), (1,), (2, 2000)):
        x = some(int(np.prod(shape)), T).reshape(shape)
        print(
            T,
            np.sort(x).ravel()[::37],
            np.argsort(x, kind='stable').ravel()[::29],
            np.partition(x, 0)[..., 0],
            np.sort(x, axis=0).ravel()[:9],
            np.median(x),
        )

# --- short rows in order
for T in np.float32, np.float64, np.int32, np.uint32, np.int64, np.uint64:
    for rows, n in (3000, 100), (17, 33), (40, 5), (33, 16), (9, 700):
        a = (
            (np.arange(rows * n, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(1000003))
            .astype(np.int64)
            .reshape(rows, n)
        )
        a = (a - 500000).astype(T)
        if T in (np.float32, np.float64):
            a[::3, 1] = np.nan
            a[1::3, 2] = -0.0
            a[2::3, 0] = -np.inf
        s = np.sort(a, axis=1)
        for i in 0, 1, 2, rows - 1:
            print(s[i, :3], s[i, -3:], np.signbit(s[i]).sum())
        print(
            np.nansum(s.astype(float), axis=0)[1:4],
            np.sort(a, axis=0)[:2, :3],
            (np.sort(a.T.copy(), axis=0) == s.T).sum(),
        )

# --- products in tiles (not on ref: ten billion multiplications)
a = (np.arange(2300 * 2400) % 7 - 3).reshape(2300, 2400).astype(np.float32)
b = (np.arange(2400 * 1700) % 5 - 2).reshape(2400, 1700).astype(np.float32)
for r in (a @ b, (b.T.copy() @ a.T), a @ a.T, a.T @ a, a[:1500, :1700] @ b[:1700]):
    print(
        r.shape,
        r.sum(dtype=np.float64),
        np.abs(r).sum(dtype=np.float64),
        np.trace(r),
        r[-1, -5:],
        r[1100:1104, 5],
        r[7, 1000:1003],
    )
z = a[:1400, :1300] + 1j * a[:1400, 1:1301]
r = z @ z.T
print(r.sum(), np.trace(r), r[-1, 0] == r[0, -1])
