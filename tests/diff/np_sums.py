# Sums of narrow dtypes and of non-contiguous arrays: algorithms of the CPU device.


def mixed(lo, hi, shape, step):
    return (np.arange(np.prod(shape)).reshape(shape) * step % 104729 % 1013) % (hi - lo) + lo


# --- sums of narrow integers, at the limits of their range
for T in (np.bool_, np.int8, np.uint8, np.int16, np.uint16):
    low, high = (False, True) if T is np.bool_ else (np.iinfo(T).min, np.iinfo(T).max)
    for shape in ((300001,), (255, 70), (17000, 3), (700, 130), (66000, 64), (40, 3, 501)):
        for v in (low, high):
            a = np.full(shape, v, dtype=T)
            k = a.ndim - 1
            print(
                a.dtype,
                shape,
                a.sum(),
                a.mean(),
                a[::3].sum(),
                a.sum(axis=k).sum(),
                a.sum(axis=0).ravel()[-3:],
                a.mean(axis=0).ravel()[-3:],
                a.sum(dtype=np.int32),
                a.sum(dtype=np.uint64),
                a.sum(dtype=float),
                a.T.sum(axis=0).ravel()[:2],
                np.count_nonzero(a),
                a.sum(axis=tuple({0, k})).ravel()[:2],
            )
    a = (np.arange(700 * 130) * 7919 % 1009).astype(T).reshape(700, 130)
    print(
        a.sum(),
        a.sum(axis=0)[::17],
        a.sum(axis=1)[::97],
        a.sum(where=a > 3),
        a.mean(axis=1)[::97],
        (a.astype(int) * 2 + a).sum(),
        np.count_nonzero(a, axis=0)[::19],
        np.count_nonzero(a, axis=1)[::97],
        a.sum() + a.max(),
        a.astype(float).sum() - a.sum(),
    )

# --- non-contiguous rows
for T in (np.float64, np.float32, np.int64, np.int16, np.complex64):
    a = (np.arange(70 * 131 * 60) * 7919 % 1009).astype(T).reshape(70, 131, 60)
    print(
        a.sum(axis=(0, 2))[::13],
        a.sum(axis=(0, 2), keepdims=True).shape,
        (a * 2 + 1).sum(axis=(0, 2))[-1],
        a.mean(axis=(0, 2))[::40],
        a[:, ::-2].sum(axis=(0, 2))[::13],
        a[::-1, :, :59].sum(axis=(0, 2))[::13],
    )
    if T is not np.complex64:
        print(
            a.max(axis=(0, 2))[::13],
            a.min(axis=(0, 2))[5],
            (a == 7).any(axis=(0, 2))[::13],
            (a >= 1).all(axis=(0, 2))[::13],
            np.ptp(a, axis=(0, 2))[::50],
            a.astype(float).var(axis=(0, 2))[::50],
            np.count_nonzero(a, axis=(0, 2))[::17],
        )
    b = a.reshape(10, 7, 131, 15, 4)
    print(
        b.sum(axis=(0, 1, 3, 4))[::13],
        b.sum(axis=(0, 3, 4)).shape,
        b.sum(axis=(0, 3, 4))[3, ::40],
        b.sum(axis=(1, 3, 4))[3, ::40],
        b.sum(axis=(0, 2, 4))[::3, ::7],
        b.sum(axis=(1, 4))[2, ::60, 3],
        b.transpose(1, 0, 2, 4, 3).sum(axis=(0, 1, 4))[::60, 1],
    )
    print(
        ((a - a[3].sum(axis=1).reshape(131, 1)) * (a > 990)).sum(axis=(0, 2))[::40],
        (a[:, :, :50] + a[:, :, 10:]).sum(axis=(0, 2))[::40],
        (a + a[:1]).sum(axis=(0, 2))[::40],
        (a + a[0, 0]).sum(axis=(0, 2))[::40],
        a.sum(axis=(0, 2), where=a[:, :1] > 500)[::40],
    )

# --- columns of rows that are visited one after the other
x = (np.arange(1_700_000, dtype=np.int64) * 7919 % 1009).reshape(-1, 100)
for a in (x, x.astype(np.float64), x[:, :72].astype(np.float64)):
    w = np.arange(a.shape[1]) + 1
    print(
        a.dtype,
        a.sum(0)[::9],
        int((a.sum(0) * w).sum()),
        int((a.max(0) * w).sum()),
        int((a.argmin(0) * w).sum()),
        a.mean(0)[::9],
        (a * a + 1).sum(0)[::9],
    )

# --- sum, min, max of few long rows
for T in ("f4", "f8", "c8", "c16", "f2", "i2", "u1"):
    for rows, n in ((9, 40000), (20, 30001), (21, 70003), (32, 33000), (64, 9000), (65, 9001)):
        a = (
            ((np.arange(rows * n) * 2654435761 >> 7) % 1009 / (1 if T in ("i2", "u1") else 1009))
            .astype(T)
            .reshape(rows, n)
        )
        if T[0] == "c":
            a.imag = a.real[::-1]
        one = np.zeros(n, np.sum(a[:1], axis=0).dtype)
        for r in a:
            one = (one + r).astype(one.dtype)
        s = np.sum(a, axis=0)
        print(
            T,
            rows,
            n,
            np.abs((s - one).astype("c16")).max() <= 1e-5 * rows * 255 if T != "f2" else "",
            np.max(a.real, axis=0)[::9973],
            np.argmax(a.real, axis=0)[::9973],
            np.all(a, axis=0).sum(),
        )

# --- rows with gaps: parts of complex numbers, every second and third element, rows of 31 to 1100
for k in (31, 32, 33, 64, 100, 256, 1024, 1100):
    for t in ("f4", "f8", "c8", "c16", "i2", "i8"):
        a = (np.arange(3 * 40 * k) * 37 % 101 - 50).astype(t).reshape(40, 3 * k)
        if t[0] == "c":
            a = a + 1j * a[::-1]
        for x in (a[:, ::2], a[:, ::3], a[:, 1::3], a[::-1, ::2], a.real[:, :k], a.imag[:, ::2]):
            print(
                k,
                t,
                x.sum(1)[[0, 7, -1]],
                (x * 2 + 1).sum(1)[[1, 8]],
                x.sum(0)[[0, 3, -1]],
                np.round(x.mean(1)[3], 3),
                np.prod(np.sign(x.real), axis=1)[:4],
                x.sum(),
                end=" ",
            )
            if t[0] != "c":
                print(
                    x.max(1)[:5],
                    x.argmax(1)[:5],
                    x.min(0)[:5],
                    x.argmin(1)[-5:],
                    (x > 49).any(1)[:9],
                    (x > 48).sum(1)[:9],
                )
        print(np.round(np.linalg.norm(a, axis=1)[[0, 5, -1]], 2), np.round(np.linalg.norm(a.real, axis=1)[[2, -2]], 2))

# --- sums of complex numbers over the first axis of many rows of every width, to the last digit
k = np.arange(2400000)
for t in (np.complex64, np.complex128):
    x = (k % 251 - 1j * (k % 83)).astype(t)
    for w in (20, 50, 100, 200, 500, 600, 1000):
        s = x.reshape(-1, w).sum(axis=0)
        print(
            t.__name__,
            w,
            np.array_equal(s.real, (k % 251).reshape(-1, w).sum(axis=0)),
            np.array_equal(s.imag, -(k % 83).reshape(-1, w).sum(axis=0)),
            s[:2],
            s[-1],
        )

# --- convolutions of all rows at once
for shape in ((4, 9), (3, 5, 7), (1, 1), (2, 3)):
    for t in ("f8", "f4", "i4", "u1", "c16", "?", "f2"):
        a = (np.arange(np.prod(shape)) * 7 % 11).reshape(shape).astype(t)
        for v in (
            [1, 2, 3],
            [0.5, 0.25],
            [1j, 2],
            [1.5],
            [np.nan, 1.0],
            [np.inf, 2.0, 1.0],
            list(range(8)),
            [[1, 2]],
            [],
        ):
            if t == "c16" and v and not np.isfinite(v).all():
                continue
            for mode in (("full",), ("same",), ("valid",), (), (2,), ("bad",)):
                for axis in range(-1, len(shape)):
                    try:
                        r = np.apply_along_axis(np.convolve, axis, a, v, *mode)
                        print(r.dtype, r.shape, np.nan_to_num(r * 1, nan=-77.0).round(6).tolist())
                    except Exception as e:
                        print(type(e).__name__, e)
a = np.random.RandomState(1).random_sample((20, 30))
a[3, 4] = np.nan
a[5, 0] = np.inf
k = np.linspace(0, 1, 7)
for m in ("full", "same", "valid"):
    r = np.apply_along_axis(np.convolve, 1, a, k, mode=m)
    print(r.shape, np.array_equal(r, np.array([np.convolve(x, k, m) for x in a]), equal_nan=True))


# --- products of integers, booleans and float16: few and many rows, columns and terms, in every layout
def laid(a, how):
    if how == "rows":
        return np.ascontiguousarray(a)
    if how == "columns":
        return np.ascontiguousarray(a.T).T
    if how == "back":
        return np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1]
    wide = np.zeros((a.shape[0] * 2, a.shape[1] * 3), a.dtype)
    wide[::2, 1::3] = a
    return wide[::2, 1::3]

for t in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2"):
    for m, k, n in (
        (130, 3, 3),
        (64, 70, 9),
        (200, 65, 32),
        (63, 64, 32),
        (5, 4100, 5),
        (1, 64, 1),
        (70, 2, 64),
        (70, 9, 65),
        (70, 40, 130),
        (3, 2, 300),
        (64, 1, 1),
        (40, 33, 40),
    ):
        x = mixed(-3 if t[0] == "i" else 0, 2 if t in "?f2" else 120, (m, k), 7919)
        y = mixed(0, 2 if t in "?f2" else 120, (k, n), 6007)
        if t == "?":
            x &= mixed(0, 3, (m, k), 353)
            y &= mixed(0, 2, (k, n), 577)
        for i in ("rows", "columns", "back", "parts"):
            for j in ("rows", "columns", "back", "parts"):
                p = laid(x.astype(t), i) @ laid(y.astype(t), j)
                w = (np.arange(m * n).reshape(m, n) % 127 + 1).astype("i8" if t in "?f2" else t)
                print(t, m, k, n, i, j, p.dtype, (p.astype(w.dtype) * w).sum(), p.ravel()[-1])


# --- batches of such products, each in another layout; booleans whose bytes are not 0 or 1


for t in ("?", "i2", "i8", "f2"):
    for m, k, n in ((70, 5, 4), (4, 70, 5), (2, 3, 2), (9, 40, 70)):
        x = mixed(0, 2, (3, 1, m, k), 7919).astype(t)
        y = mixed(0, 2, (2, k, n), 6007).astype(t)
        for a in (x, np.ascontiguousarray(x.swapaxes(2, 3)).swapaxes(2, 3), x[::-1], np.broadcast_to(x[:1], x.shape)):
            for b in (y, y[:, ::-1], np.ascontiguousarray(y.swapaxes(1, 2)).swapaxes(1, 2)):
                p = a @ b
                print(t, p.dtype, p.shape, p.astype(int).sum(axis=(2, 3)).tolist())
x = np.arange(640, dtype="u1").reshape(80, 8) % 3
for k in (1, 2, 8):
    for n in (1, 4, 70):
        print((x[:, :k].copy().view(bool) @ np.resize(x[7:9], (k, n)).copy().view(bool)).sum(0).tolist())

# --- sums that begin with minus zero
n, w = np.array([-0.0, -0.0, -0.0]), np.array([True, False, True])
for t in (np.float64, np.float32, np.float16):
    a = n.astype(t)
    for x in (a, a.reshape(3, 1), a.reshape(1, 3), np.broadcast_to(a, (2, 3)), a[:0]):
        for axis in (0, -1, None):
            for where in (True, False, w[:1]) if x.shape[-1:] != (3,) else (True, False, w, ~w):
                for initial in (0, 0.0, -0.0):
                    print(np.add.reduce(x, axis=axis, where=where, initial=initial),
                        np.sum(x, axis, where=where, initial=initial), np.sum(x, axis, where=where))
