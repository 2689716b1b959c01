# Rows that are chosen and rows that are set by indices: short and long ones, in every dtype.

# --- chosen rows of all lengths and dtypes
def mark(r):
    w = np.arange(r.size) % 13 + 1
    flat = r.ravel()
    return int((flat.real.astype(np.int64) * w).sum()), int((flat.imag.astype(np.int64) * w).sum()) if flat.dtype.kind == 'c' else 0
rows = np.arange(37) * 11 % 23 - 5
for t in (bool, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64, np.complex64, np.complex128):
    for columns in (1, 2, 3, 7, 10, 31, 32, 33, 64, 100, 257):
        x = (np.arange(23 * columns) % 51).reshape(23, columns).astype(t)
        if x.dtype.kind == 'c':
            x = x * t(1 + 2j)
        r = x[rows]
        print(x.dtype, columns, r.shape, r.dtype, mark(r), mark(np.take(x, rows, axis=0)), mark(x[:, ::-1][rows]), mark(x[rows, ::2]), mark(x[::2][rows % 12]))

# --- chosen blocks, of slices, transposes and computed arrays, in an expression
x = np.arange(6 * 5 * 40).reshape(6, 5, 40)
i = np.array([4, -1, 0, 0, 3])
print(x[i].sum(), x[:, i].sum(axis=(0, 2)), x[:, :, i].sum(axis=2)[0], x[i, i].sum(axis=1), x[i][:, 1:3, 5:39].sum())
print((x[i] * 2 + np.arange(40)).sum(axis=2), (x + 1)[i].max(axis=(1, 2)), x.T[i].sum(axis=1)[:, 0], x.transpose(1, 0, 2)[i].sum(axis=(1, 2)))
print(x[i[:, None], np.array([0, 2])].sum(axis=2), np.broadcast_to(np.arange(40), (6, 40))[i].sum())
y = x[i].copy()
y[1:] = x[i][:4] + y[:4]
print(y.sum(axis=(1, 2)))

# --- a row outside
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

# --- rows that are set: from rows, from one row, from a number, from a number for each
for t in (bool, np.int8, np.int16, np.float16, np.float32, np.float64, np.complex128):
    for columns in (1, 2, 3, 5, 8, 16, 17, 32, 33, 64, 65, 300):
        n = 29
        w = (np.arange(n * columns) % 13 + 1).reshape(n, columns)
        i = np.arange(17) * 7 % n - 4
        values = (np.arange(17 * columns) % 97).reshape(17, columns).astype(t)
        seen = []
        for v in (values, values[3], values[:, :1], values[2, 0], 1, values[::-1], values[:, ::-1], np.asfortranarray(values)):
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

# --- rows that are set from the array itself, and more than once: the last one stays
x = np.arange(200.0).reshape(20, 10)
x[np.array([3, 4, 5, 3])] = x[np.array([4, 5, 6, 19])]
print(x[2:7].sum(axis=1))
x[np.arange(1, 20)] = x[:-1]
print(x.sum(axis=1))
x = np.zeros((4, 3, 16))
x[np.array([1, 1, 3])] = np.arange(48.0).reshape(3, 16)
x[np.array([0, 2]), :, 4:] = np.array([5.0, 7.0])[:, None, None]
print(x.sum(axis=2))
