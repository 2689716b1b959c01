# Sorting rows of many lengths: what a warp, a block or a whole device sorts at a time, equal elements in the order they stand in.
def show(t):
    for rows, n in ((1, 1), (1, 7), (1, 1000), (1, 5000), (3, 2), (400, 5), (257, 31), (90, 32), (77, 100), (33, 101), (21, 200), (9, 256), (9, 257), (7, 500), (5, 513), (4, 1024), (3, 1025), (3, 2048), (2, 2049), (2, 4096), (2, 4097), (2, 70000)):
        bits = (np.arange(rows * n, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(65521)).astype(np.int64).reshape(rows, n)
        x = bits.astype(t)
        if x.dtype.kind == "f":
            x = (bits / 2 - 15000).astype(t)
            for k, v in enumerate((np.nan, -0.0, 0.0, np.inf, -np.inf)):
                x[bits % (11 + k) == 3] = v
        y, k = np.sort(x, axis=1, kind="stable"), np.argsort(x, axis=1, kind="stable")
        print(rows, n, y[0, :6], y[-1, -3:], k[0, :5], k[-1, -5:], (k * np.arange(n)).sum() % 1000003, np.array_equal(y, np.take_along_axis(x, k, axis=1), equal_nan=x.dtype.kind == "f"), np.signbit(y.astype(float)).sum())

# --- integers of one and two bytes
for t in (bool, np.int8, np.uint16): show(t)

# --- integers of four and eight bytes
for t in (np.int32, np.uint32, np.int64): show(t)

# --- halves and floats
for t in (np.float16, np.float32): show(t)

# --- doubles
show(np.float64)
