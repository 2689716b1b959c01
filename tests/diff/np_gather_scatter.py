# Gather and scatter of rows, short and long, in every dtype; boolean select and masked stores.


# --- gather of rows of all lengths and dtypes
def mark(r):
    w = np.arange(r.size) % 13 + 1
    flat = r.ravel()
    return int((flat.real.astype(np.int64) * w).sum()), (
        int((flat.imag.astype(np.int64) * w).sum()) if flat.dtype.kind == 'c' else 0
    )


rows = np.arange(37) * 11 % 23 - 5
for t in (
    bool,
    np.int8,
    np.uint16,
    np.int32,
    np.int64,
    np.float16,
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
):
    for columns in (1, 2, 3, 7, 10, 31, 32, 33, 64, 100, 257):
        x = (np.arange(23 * columns) % 51).reshape(23, columns).astype(t)
        if x.dtype.kind == 'c':
            x = x * t(1 + 2j)
        r = x[rows]
        print(
            x.dtype,
            columns,
            r.shape,
            r.dtype,
            mark(r),
            mark(np.take(x, rows, axis=0)),
            mark(x[:, ::-1][rows]),
            mark(x[rows, ::2]),
            mark(x[::2][rows % 12]),
        )

# --- gather of blocks of slices, transposes and computed arrays, in an expression
x = np.arange(6 * 5 * 40).reshape(6, 5, 40)
i = np.array([4, -1, 0, 0, 3])
print(x[i].sum(), x[:, i].sum(axis=(0, 2)), x[:, :, i].sum(axis=2)[0], x[i, i].sum(axis=1), x[i][:, 1:3, 5:39].sum())
print(
    (x[i] * 2 + np.arange(40)).sum(axis=2),
    (x + 1)[i].max(axis=(1, 2)),
    x.T[i].sum(axis=1)[:, 0],
    x.transpose(1, 0, 2)[i].sum(axis=(1, 2)),
)
print(x[i[:, None], np.array([0, 2])].sum(axis=2), np.broadcast_to(np.arange(40), (6, 40))[i].sum())
y = x[i].copy()
y[1:] = x[i][:4] + y[:4]
print(y.sum(axis=(1, 2)))

# --- a row out of bounds
x = np.zeros((5, 40))
for i in (5, -6):
    try:
        print(x[np.array([0, i])])
    except IndexError as e:
        print(e)
    try:
        x[np.array([0, i])] = 1
    except IndexError as e:
        print(e, x.sum())

# --- scatter of rows: from rows, one row, a scalar, a scalar per row
for t in (bool, np.int8, np.int16, np.float16, np.float32, np.float64, np.complex128):
    for columns in (1, 2, 3, 5, 8, 16, 17, 32, 33, 64, 65, 300):
        n = 29
        w = (np.arange(n * columns) % 13 + 1).reshape(n, columns)
        i = np.arange(17) * 7 % n - 4
        values = (np.arange(17 * columns) % 97).reshape(17, columns).astype(t)
        seen = []
        for v in (
            values,
            values[3],
            values[:, :1],
            values[2, 0],
            1,
            values[::-1],
            values[:, ::-1],
            np.asfortranarray(values),
        ):
            x = np.zeros((n, columns), dtype=t)
            x[i] = v
            seen.append(int((x.real.astype(np.int64) * w).sum()))
        x = np.zeros((n, 2 * columns), dtype=t)
        x[i, ::2] = values
        x[i[::2], columns:] = values[::2]
        seen.append(int((x.real.astype(np.int64) * np.hstack([w, w])).sum()))
        x = np.zeros((columns, n), dtype=t).T
        x[i] = values
        seen.append(int((x.real.astype(np.int64) * w).sum()))
        print(np.dtype(t), columns, seen)

# --- scatter from the array itself, and to repeated rows: the last value remains
x = np.arange(200.0).reshape(20, 10)
x[np.array([3, 4, 5, 3])] = x[np.array([4, 5, 6, 19])]
print(x[2:7].sum(axis=1))
x[np.arange(1, 20)] = x[:-1]
print(x.sum(axis=1))
x = np.zeros((4, 3, 16))
x[np.array([1, 1, 3])] = np.arange(48.0).reshape(3, 16)
x[np.array([0, 2]), :, 4:] = np.array([5.0, 7.0])[:, None, None]
print(x.sum(axis=2))


# --- masked stores of a list of values or rows, in every dtype and around register widths
def mark(r):
    flat = r.ravel()
    return int((flat.real.astype(np.int64) * (np.arange(flat.size) % 13 + 1)).sum())


for t in (
    bool,
    np.int8,
    np.uint16,
    np.int32,
    np.uint64,
    np.float16,
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
):
    for n in (0, 1, 7, 63, 64, 65, 127, 128, 200, 1000):
        for m in (
            np.ones(n, bool),
            np.zeros(n, bool),
            np.arange(n) % 3 == 0,
            np.arange(n) * 37 % 100 < 97,
            np.arange(n) * 37 % 100 < 2,
            np.arange(n) >= n // 2,
        ):
            x = (np.arange(n + 3) % 90).astype(t)
            k = int(m.sum())
            values = (np.arange(k) * 7 % 89 + 1).astype(t)
            x[1 : n + 1][m] = values
            y = (np.arange(4 * n) % 90).reshape(2, n, 2).astype(t)
            y[0, :][m] = np.arange(2 * k).reshape(k, 2)[::-1] % 50
            y[1][m, ::-1] = values[:, None] if k else 1
            z = np.asfortranarray(np.arange(3 * n).reshape(n, 3) % 90).astype(t, order='F')
            z[m] = np.stack([values] * 3, axis=-1)
            print(
                np.dtype(t),
                n,
                k,
                mark(x),
                mark(y),
                mark(z),
                mark(z[m]),
                mark(np.asfortranarray(y[0])[m]),
                z[m].flags.c_contiguous,
            )

# --- masked stores: other dtypes, values of the array itself, a scalar mask, a wrong number of values
x = np.arange(10.0)
x[x > 4] = np.arange(5)
print(x)
x[x > 2] = x[x > 2][::-1] * 2
print(x)
m = np.arange(10) % 2 == 0
m[m] = np.array([True, False, False, True, True])
print(m)
x[m] = x[:3]
x[np.arange(10) < 2] = np.array([7, 8], dtype=np.int8)
print(x)
y = x + 1
x[~m] = np.arange(7) + y[3:]
print(x, y)
a = np.zeros((4, 3), np.int16)
a[np.array([True, False, True, False])] = np.array([[1.5, 2.5, -3.5], [4, 5, 6]])
a[np.array([False, True, False, True])] = np.array([[7], [8]])
print(a)
for v in (
    np.arange(3),
    np.arange(6),
    np.zeros((2, 2)),
    np.zeros((3, 3)),
    np.zeros((1, 2, 3)) + 2,
    np.zeros(0),
    np.ones(1),
):
    for m in (np.array([True, False, True, False]), a[:, 0] > 100, a > 4):
        b = a.copy()
        try:
            b[m] = v
            print(b.tolist())
        except (ValueError, TypeError) as e:
            print(type(e).__name__, e, b.sum())

# --- delete and insert, one element and many
for n in (1, 2, 10, 100):
    x = np.arange(n) * 3 % 7
    for i in (0, -1, n - 1, -n, n // 2, n, -n - 1):
        try:
            print(n, i, np.delete(x, i), np.insert(x, i, 9)[-3:])
        except IndexError as e:
            print(e)
    for s in (
        slice(0, 2),
        slice(1, None),
        slice(None),
        slice(3, 1),
        slice(None, None, -1),
        slice(None, None, 3),
        slice(-3, -1),
    ):
        print(np.delete(x, s))
    k = np.arange(3 * n) * 5 % (n + 1)
    print(
        np.insert(x, k, np.arange(3 * n)),
        np.insert(x.astype(np.int8), k, 1)[::3],
        np.insert(np.stack([x, x * 2]), k, 4, axis=1).sum(axis=1),
    )
a = np.arange(24).reshape(2, 3, 4)
print(
    np.delete(a, 1, axis=1),
    np.delete(a, -1, axis=2),
    np.delete(a, slice(1, 3), 2),
    np.delete(a, 5),
    np.delete(np.asfortranarray(a[0]), 1, axis=0),
)
print(
    np.insert(a, [0, 2, 2], 7, axis=1).sum(axis=2),
    np.insert(a[0], np.arange(20) % 4, np.arange(60).reshape(3, 20), axis=1),
)


# --- masked stores of rows: scalars, rows, columns, lists, rows of the same array, computed masks
def shown(c):
    print(
        c.dtype,
        c.shape,
        c.ravel()[:4].tolist(),
        c.ravel()[-4:].tolist(),
        (np.abs(c.astype(np.complex128)).ravel() * (np.arange(c.size) % 97 + 1)).sum(),
    )


for t in (bool, np.int8, np.uint16, np.float16, np.int32, np.float64, np.complex64, np.complex128):
    for n, w in ((1, 5), (6, 1), (50, 3), (41, 4), (300, 7), (90, 16), (20, 100), (9, 700), (5, 3000), (0, 7), (7, 0)):
        x = (np.arange(n * w) * 7 % 113).astype(t).reshape(n, w)
        for mask in (np.arange(n) % 3 == 0, np.ones(n, bool), np.zeros(n, bool), np.arange(n) == n - 1):
            c = x.copy()
            c[mask] = 1
            shown(c)
            k = int(mask.sum())
            if w:
                c = x.copy()
                c[mask] = x[-1, ::-1] if n else 0
                shown(c)
                c = x.copy()
                c[mask] = c[n // 2, ::-1] if n else 0
                shown(c)
                c = x.copy()
                c[mask] = c[::-1][:k]
                shown(c)
                c = x.copy()
                c[mask] = np.arange(k)[:, None] % 2
                shown(c)
                c = x.copy()
                c[mask, :] = np.ones((1, w), np.int8)
                shown(c)
                c = x.copy()
                c[x[:, 0] != 0] = 0
                shown(c)
                c = x.copy()
                c[c[:, 0] * 2 != 0] = c[0] if n else 0
                shown(c)
                c = x.copy()
                c[mask, ...] = 1
                shown(c)
                c = np.asfortranarray(x)
                c[mask] = 1
                shown(c)
                c = np.zeros((n, w + 1), t)[:, 1:]
                c[mask] = 1
                shown(c)
                c = x.copy()
                c[mask] += 1 if t is not bool else True
                shown(c)
b = np.arange(40).reshape(10, 4) % 3 == 0
b[b[:, 1]] = True
print(b)
b[b[:, 2]] = b[1]
print(b)
z = np.arange(120).reshape(10, 3, 4)
z[np.arange(10) % 2 == 0] = np.arange(4)
z[np.arange(30).reshape(10, 3) % 4 == 0] = -1
print(z)
for bad in (
    lambda: z.__setitem__(np.arange(10) > 4, np.ones((2, 5))),
    lambda: z.__setitem__(np.arange(9) > 4, 1),
    lambda: z.__setitem__(np.arange(10) > 4, 1j),
    lambda: z.__setitem__(np.arange(10) > 4, np.ones((4, 3, 4))),
):
    try:
        bad()
    except (ValueError, IndexError, TypeError) as e:
        print(type(e).__name__, e)
y = z.astype(np.int8)
y[np.arange(10) > 4] = 3.7
print(y[5])
try:
    y[np.arange(10) > 4] = 300
except OverflowError as e:
    print(e)

# --- histograms of a narrow range
x = (np.arange(30000) * 7919 % 10007).astype(np.float64)
x[::101] = np.nan
x[::103] = np.inf
for t in (np.float64, np.float32, np.int32, np.int16, np.uint8):
    a = np.nan_to_num(x, posinf=5000).astype(t) if t not in (np.float64, np.float32) else x.astype(t)
    for r in ((0, 100), (50, 51), (5, 5), (-10, -1), (0, 60), (9000, 20000)):
        for k in (1, 7, 50):
            print(
                t.__name__,
                r,
                k,
                np.histogram(a, bins=k, range=r)[0].tolist()[:9],
                np.histogram(a, bins=k, range=r, weights=np.arange(30000) % 11)[0].tolist()[:9],
            )
