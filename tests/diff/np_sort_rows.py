# Sorting rows of many lengths: by a warp, a block, the whole device; stability.
def show(t):
    for rows, n in (
        (1, 1),
        (1, 7),
        (1, 1000),
        (1, 5000),
        (3, 2),
        (400, 5),
        (257, 31),
        (90, 32),
        (77, 100),
        (33, 101),
        (21, 200),
        (9, 256),
        (9, 257),
        (7, 500),
        (5, 513),
        (4, 1024),
        (3, 1025),
        (3, 2048),
        (2, 2049),
        (2, 4096),
        (2, 4097),
        (2, 70000),
    ):
        bits = (
            (np.arange(rows * n, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(65521))
            .astype(np.int64)
            .reshape(rows, n)
        )
        x = bits.astype(t)
        if x.dtype.kind == "f":
            x = (bits / 2 - 15000).astype(t)
            for k, v in enumerate((np.nan, -0.0, 0.0, np.inf, -np.inf)):
                x[bits % (11 + k) == 3] = v
        y, k = np.sort(x, axis=1, kind="stable"), np.argsort(x, axis=1, kind="stable")
        print(
            rows,
            n,
            y[0, :6],
            y[-1, -3:],
            k[0, :5],
            k[-1, -5:],
            (k * np.arange(n)).sum() % 1000003,
            np.array_equal(y, np.take_along_axis(x, k, axis=1), equal_nan=x.dtype.kind == "f"),
            np.signbit(y.astype(float)).sum(),
        )


def moved(x, plain, at):  # x moved in many ways, and integers with the same bits
    def ways(x):
        return (
            x[at],
            np.take(x, -at, mode="clip"),
            x[at[::-1]].copy(),
            x[::2].copy(),
            x[::-1].copy(),
            np.repeat(x, 3),
            np.roll(x, 5),
            np.tile(x, 2),
            np.concatenate((x, x[1:])),
            x[at % 3 == 0],
            np.stack((x, x), 1),
            np.pad(x, 3),
            np.insert(x, 4, x[1]),
        )

    return [np.array_equal(np.ascontiguousarray(a).view(plain.dtype), b) for a, b in zip(ways(x), ways(plain))]


odd_bits = (np.arange(70000, dtype=np.uint32) * np.uint32(40503) >> np.uint32(3)).astype(
    np.uint16
)  # NaN of every kind among them


def numbers(n, t):
    return (np.arange(n) * 7919 % 1009 % (2 if t == "?" else 101)).astype(t)


# --- integers of one and two bytes
for t in (bool, np.int8, np.uint16):
    show(t)

# --- integers of four and eight bytes
for t in (np.int32, np.uint32, np.int64):
    show(t)

# --- halves and floats
for t in (np.float16, np.float32):
    show(t)

# --- doubles
show(np.float64)


# --- argsort of rows whose values differ only in their highest and lowest bits
def placed(x):
    k = np.argsort(x, axis=1, kind="stable")
    w = np.arange(k.size).reshape(k.shape) % 1009 + 1
    print(
        x.dtype,
        x.shape,
        k[0, :5],
        k[-1, -5:],
        int((k * w).sum()),
        all([np.array_equal(a, np.argsort(r, kind="stable")) for a, r in zip(k[::5], x[::5])]),
    )


for rows, n in ((8, 1), (9, 2), (16, 3), (31, 40), (24, 128), (17, 129), (40, 300), (10, 1000), (9, 1024)):
    h = (np.arange(rows * n, dtype=np.uint64) * np.uint64(0x1E3779B97F4A7C15) * np.uint64(13)).reshape(rows, n)
    few = h >> np.uint64(58)
    placed(h)
    placed(h.view(np.int64))
    placed(few | h >> np.uint64(63) << np.uint64(63))  # many of one prefix, in the wrong order
    placed((few | h >> np.uint64(63) << np.uint64(63)).view(np.int64))
    placed(few << np.uint64(52) | np.uint64(1) << np.uint64(63))  # no bits that could be lost
    placed(
        (h & np.uint64((1 << 52) - 1) | h >> np.uint64(63) << np.uint64(63) | np.uint64(0x3FF0000000000000)).view(
            np.float64
        )
    )  # numbers near 1 and -1
    far = np.nextafter(1.0, 2.0) - 1  # near 1, one far away
    x = 1 + few.astype(np.float64) * far
    x[:, n // 2] = -1e300
    placed(x)
    x[::2, ::3], x[::2, 1::3], x[1::3, ::2] = 0.0, -0.0, np.nan
    placed(x)
    placed(np.where(h % np.uint64(50) == 0, np.nextafter(2.0, 1.0), x))  # a few of a prefix
    for t in ("u4", "i4", "f4", "i2", "u1", "f2", "?"):
        placed((h >> np.uint64(40)).astype("i8").astype(t) if t != "f4" else x.astype(t))

# --- sorts along other axes than the last
for T in ('f4', 'f8', 'i4', 'i8', 'u4', 'u8', 'i2', 'f2', 'bool', 'c16'):
    for shape in (
        (1, 9),
        (2, 8),
        (5, 7),
        (100, 30),
        (3, 17, 16),
        (3, 40, 5),
        (4, 5, 6, 8),
        (1024, 9),
        (1025, 9),
        (7, 1, 8),
        (0, 9),
        (9, 0),
    ):
        n = int(np.prod(shape))
        a = ((np.arange(n) * 2654435761 >> 7) % 251 - 100 * (T[0] != 'u')).astype(T).reshape(shape)
        if T[0] == 'f':
            for step, x in ((7, -0.0), (11, 0.0), (13, np.nan), (17, -np.inf)):
                a.ravel()[::step] = x
        for ax in range(len(shape)):
            for x in (a, a[::-1], a[..., ::2], a.T):
                s = np.sort(x, axis=ax, kind='stable')
                w = np.arange(s.size).reshape(s.shape) % 13 + 1
                print(
                    T,
                    shape,
                    ax,
                    s.shape,
                    ((np.nan_to_num(s, nan=99, neginf=-300) if T[0] in 'fc' else s) * w).sum(),
                    (np.signbit(s) * w).sum() if T[0] == 'f' else '',
                )
                if x.shape[ax] > 3 and T[0] != 'f':
                    print(
                        np.sort(np.partition(x, 2, axis=ax), axis=ax).sum(), np.argsort(x, axis=ax, kind='stable').sum()
                    )


# --- moves of short rows: gather, repeat, transpose, negative and other steps, slices, in every dtype, unaligned
def mark(r):
    w = np.arange(r.size) % 13 + 1
    flat = r.ravel()
    return (
        r.shape,
        int((flat.real.astype(np.int64) * w).sum()),
        int((flat.imag.astype(np.int64) * w).sum()) if flat.dtype.kind == 'c' else 0,
    )


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
    for k in (2, 3, 4, 5, 8, 16):
        for start, more in ((0, 0), (1, 0), (k, 0), (0, 1), (k, k)):
            a = (np.arange(start + 24 * 7 * (k + more)) * 37 % 91).astype(t)[start:].reshape(24, 7, k + more)[:, :, :k]
            if a.dtype.kind == 'c':
                a = a * t(1 + 2j)
            i, j = np.arange(31) * 11 % 24 - 7, np.arange(5) * 3 % 7
            b = a[:, 0]
            print(
                a.dtype,
                k,
                start,
                more,
                mark(a[i]),
                mark(b[i]),
                mark(np.take(b, i.astype(np.int32), axis=0)),
                mark(a[:, j]),
                mark(a[i[:5], j]),
                mark(a[i[:, None] // 2, j]),
            )
            print(
                mark(a.transpose(1, 0, 2).copy()),
                mark(a[::-1].copy()),
                mark(a[:, ::-1].copy()),
                mark(a[::3, ::2].copy()),
                mark(b[:, ::-1].copy()),
                mark(np.repeat(a, 3, axis=1)),
            )
            print(
                mark(np.tile(b, (2, 3))),
                mark(np.roll(a, 5, axis=0)),
                mark(np.roll(b, 1, axis=1)),
                mark(np.concatenate([b, b[::2]])),
                mark(np.stack([b, b + b], axis=1)),
                mark(a.transpose(2, 1, 0).copy()),
            )
            c = np.zeros((24, 9, k), t)
            c[:, 1:8] = a
            c[::-2, :7] = a[::2]
            c[3:20] = c[2:19].copy()
            c[1:] = c[:-1]
            c[5:9, 0] = b[7:3:-1]
            print(mark(c), mark(np.broadcast_to(b[3], (7, 9, k)).copy()), mark(a.reshape(-1, k)[::5].copy()))

# --- rows out of bounds of an array of short rows
for t in (np.int8, np.float32):
    x = np.arange(40).reshape(10, 4).astype(t)
    for k in (3, 6000):
        for at in (-10, -11, 9, 10):
            i = np.arange(k) % 10
            i[k // 2] = at
            try:
                print(x[i].sum(), np.take(x, i, axis=0)[k // 2])
            except IndexError as e:
                print(e)

# --- short rows in expressions, and windows that share their elements
x = np.arange(60, dtype=np.int16)
w = np.lib.stride_tricks.sliding_window_view(x, 4)
print(
    w[::5].copy().tolist(),
    w[np.arange(7) * 8].sum(axis=1),
    (x.reshape(-1, 2)[np.arange(20)] + 1).sum(),
    x.reshape(15, 2, 2)[np.arange(5), ::-1].tolist(),
)
print((x.reshape(-1, 2)[::-1].T * 2).sum(axis=1), np.where(x.reshape(-1, 2) > 9, x.reshape(-1, 2)[::-1], 0).sum(axis=0))

# --- moves of float16 keep all bits, at any offset (not on cuda: its NaN has other bits)
for n in (40, 100, 1000, 70000):
    at = np.arange(n) * 7919 % n
    print(n, moved(odd_bits[:n].view(np.float16), odd_bits[:n], at))
    h, a = odd_bits[:n].view(np.float16), np.zeros((n, 2), np.float16)
    a[:, 1] = h
    a[::-2, 0] = h[: len(a[::-2])]
    print((a.view(np.uint16).astype(int) * np.arange(1, n + 1)[:, None]).sum() % 1000003)

# --- moves of complex numbers keep all bits, at any offset
for n in (40, 100, 1000, 70000):
    parts = np.concatenate((odd_bits, odd_bits)).view(np.uint32)[2 : n // 4 * 2 + 2]
    print(
        n,
        moved(
            parts.view(np.float32).view(np.complex64),
            parts.view(np.uint64),
            np.arange(len(parts) // 2) * 7919 % (len(parts) // 2),
        ),
    )

# --- long rows of two-byte items, counting sort and partition
for t in (np.int16, np.uint16, np.float16):
    for n in (65535, 65536, 70001, 200000):
        bits = (np.arange(n, dtype=np.uint64) * np.uint64(2654435761) >> np.uint64(7)).astype(np.uint16)
        for x in (
            bits.view(t),
            (bits % 50).astype(t),
            np.full(n, 7, t),
            np.where(bits % 3 == 0, bits, 65535 - bits % 9).astype(np.uint16).view(t),
            np.sort(bits)[::-1].view(t),
        ):
            s = np.sort(x)
            p, q = np.partition(x, n // 2), np.partition(x, (3, n - 5))
            print(
                np.dtype(t),
                n,
                s[:: n // 7].tolist(),
                np.isnan(s).sum(),
                np.signbit(s[np.isfinite(s) & (s != 0)].astype(float)).sum(),
                p[n // 2],
                q[3],
                q[n - 5],
                np.array_equal(np.sort(p), s, equal_nan=True),
                np.array_equal(np.sort(q), s, equal_nan=True),
                bool((p[: n // 2] <= p[n // 2]).all() | np.isnan(p[n // 2])),
                bool(np.array_equal(np.sort(q[:3]), s[:3])),
                np.median(x),
            )
x = np.tile((np.arange(70000) * 48271 % 65521).astype(np.int16), (3, 1))
x[1] += 5
x[2] = x[2][::-1]
print(
    np.sort(x, axis=1)[:, ::9999],
    np.sort(x.T, axis=0)[::9999],
    np.array_equal(np.sort(x, axis=1)[2], np.sort(x, axis=1)[0]),
)

# --- complex rows: equal parts, signed zeros, NaN, parts that differ in few bits
for T, U in ((np.complex64, np.uint32), (np.complex128, np.uint64)):
    for rows, n in ((1, 5), (8, 1), (9, 2), (20, 33), (17, 100), (9, 1024), (8, 1025), (3, 2000), (1, 70000)):
        h = (np.arange(rows * n, dtype=np.uint64) + np.uint64(7)) * np.uint64(0x1E3779B97F4A7C15)
        re, im = (h >> np.uint64(40)) % np.uint64(9) - 4.0, (h >> np.uint64(50)) % np.uint64(5) - 2.0
        for kind in range(7):
            x = np.zeros(rows * n, T)
            x.real, x.imag = re * (kind != 1), im
            if kind == 2:
                x.real, x.imag = 1 + re * np.finfo(x.real.dtype).eps, (h >> np.uint64(11)) / 2.0**53
            if kind == 3:
                x.real, x.imag = (h >> np.uint64(11)) / 2.0**53, -(h >> np.uint64(20)) / 2.0**44
            if kind > 3:
                x.real[::3], x.real[1::3], x.imag[::2], x.imag[1::4] = -0.0, 0.0, -0.0, 0.0
            if kind == 5:
                x.real[::7], x.real[3::11], x.imag[::5], x.imag[4::13] = np.nan, np.inf, np.nan, -np.inf
            if kind == 6:
                x.real[:] = np.nan
            x = x.reshape(rows, n)
            s, k = np.sort(x, axis=1, kind="stable"), np.argsort(x, axis=1, kind="stable")
            w = np.arange(s.size * 2).astype(U) % U(1009) + U(1)
            print(
                T.__name__,
                rows,
                n,
                kind,
                s[0, :2],
                k[0, :3],
                (k * (np.arange(k.size).reshape(k.shape) % 1009)).sum(),
                np.array_equal(s.view(U), np.take_along_axis(x, k, axis=1).view(U)),
                np.array_equal(s.T, np.sort(x.T.copy(), axis=0, kind="stable"), equal_nan=True),
            )
            for places in (n // 2, (0, n // 3, n - 1)):
                p, a = np.partition(x, places, axis=1), np.take_along_axis(
                    x, np.argpartition(x, places, axis=1), axis=1
                )
                print(
                    all(
                        [
                            np.array_equal(p[:, j] + 0, s[:, j] + 0, equal_nan=True)
                            and np.array_equal(a[:, j] + 0, s[:, j] + 0, equal_nan=True)
                            for j in np.atleast_1d(places)
                        ]
                    )
                )

# --- rows that are sorted but for at most one element, around blocks of 2,048
for T in "?bhilBHILefdFD":
    n = 5000
    x = np.sort((np.arange(n) * 17 % 211 - (100 if T in "bhilefdFD" else 0)).astype(T))
    if T in "efdFD":
        x[-3:] = np.inf
    if T in "efd":
        x[x == 0] = np.where(np.arange((x == 0).sum()) % 3 == 1, -0.0, 0.0)
        x[-2:] = np.nan
    rows = [
        x,
        x[::-1].copy(),
        np.ones(n, T),
        np.zeros((9, 1500), T),
        np.sort(x.reshape(-1, 1250), axis=1, kind="stable"),
    ]
    for at in (0, 1, 2046, 2047, 2048, 2049, 4095, 4096, n - 2, n - 1):
        for v in (x[n // 3], x[0], x[-1]):
            rows.append(x.copy())
            rows[-1][at] = v
    for r in rows:
        s, k, p = np.sort(r, kind="stable"), np.argsort(r, kind="stable"), np.partition(r, n // 5 % r.shape[-1])
        w = np.arange(r.shape[-1]) % 1009 + 1
        print(
            T,
            (k * w).sum(),
            np.array_equal(s, np.take_along_axis(r, k, axis=-1), equal_nan=T in "efdFD"),
            (np.nan_to_num(s).real.astype("f8") * w).sum() // 1,
            np.signbit(s.real).sum() if T in "efd" else 0,
            (s is r),
            p.ravel()[n // 5 % r.shape[-1]],
        )


# --- tile: blocks of every size repeated, from every layout
def repeated(x, r, axis):  # against a list of the same
    y = np.repeat(x, r, axis=axis)
    n = x.shape[axis]
    return np.array_equal(
        y.view("u1" if y.dtype.kind != "b" else bool),
        np.take(x, [i // r for i in range(n * r)], axis=axis).view("u1" if y.dtype.kind != "b" else bool),
    )


for t in (bool, "i1", "u2", "f2", "f4", "i8", "f8", "c8", "c16"):
    h = (np.arange(9000, dtype=np.uint64) * np.uint64(0x1E3779B97F4A7C15)).view("u1")[:64000]
    x = (h % 2).astype(bool) if t is bool else h.view(t)
    odd = x[1:]
    print(t, [repeated(a[:k], r, 0) for a in (x, odd) for k in (1, 7, 997) for r in (1, 2, 3, 5, 9, 16, 31, 100)])
    for w in (1, 2, 3, 4, 5, 7, 8):
        rows = odd[: odd.size // w // 4 * w].reshape(-1, w)
        print(
            w,
            [repeated(a, r, 0) for a in (rows[:997], rows[:2000:2], rows[999::-1]) for r in (2, 3, 7)],
            [repeated(np.ascontiguousarray(rows[:300]), r, 1) for r in (2, 5, 40)],
        )
    wide = np.zeros((300, 2, 9, 3), x.dtype)
    wide[:, 0, 2:7] = odd[:900].reshape(300, 1, 3)  # adjacent elements are unchanged
    wide[:, 1, 1:] = odd[0]
    print(
        wide[::99, :, ::2].tolist()
        if t in (bool, "i1", "u2")
        else [(wide[:, 0, :2] == 0).all(), (wide[:, 0, 7:] == 0).all(), (wide[:, 1, 0] == 0).all()]
    )
    print(
        [
            np.array_equal(
                np.broadcast_to(x[:k, None, None], (k, 3, 4))
                .copy()
                .ravel()
                .view("u1" if x.dtype.kind != "b" else bool),
                np.repeat(x[:k], 12).view("u1" if x.dtype.kind != "b" else bool),
            )
            for k in (300, 1000)
        ]
    )


# --- strided reads, writes and sums of all dtypes


for t in ("?", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8", "c8", "c16"):
    for k in (1, 3, 4, 5, 8, 11, 40):
        for n in (1, 7, 33, 64, 257):
            a = numbers(n * k + 1, t)
            for v in (a[1::k], a[::-k]):
                r = (v ^ True if t == "?" else v * 3), v.copy(), abs(v) != 0
                print(
                    t,
                    k,
                    n,
                    *[int(x.astype("c16").real @ (np.arange(x.size) % 13)) for x in r],
                    v.max(),
                    int(v.astype("c16").real.sum())
                )
                b = numbers(a.size, t)
                w = b[1::k] if v.strides[0] > 0 else b[::-k]
                w[:] = v
                if t != "?":
                    w[1:] += v[:-1]
                print(int(b.astype("c16").real @ (np.arange(b.size) % 17)), (v + w)[-1])
                if t[0] == "c":
                    v = v + 1j * v[::-1]
                    b[1::k] = (v * 1j)[: b[1::k].size]
                    print(
                        int((b.imag * (np.arange(b.size) % 5)).sum()),
                        (a[1::k].imag * 2).sum(),
                        b[1::k].sum(),
                        (b[1::k].real + b[1::k].imag * 3)[-1],
                    )


# --- short rows: flipped, slices of longer ones, broadcast with rows and columns, of all dtypes


for t in ("?", "i1", "u2", "f2", "i4", "f4", "i8", "f8", "c8", "c16"):
    for m in (1, 2, 3, 4, 5, 8, 9, 15, 17, 33, 65):
        for n in (1, 5, 37):
            w = numbers(n * (m + 2), t).reshape(n, m + 2)
            a, y, z = w[:, 1:-1], numbers(m, t), numbers(n, t)[:, None]
            r = [a[:, ::-1].copy(), a[::-1] != y, a[:, ::2].copy(), np.where(z != 0, a, y), np.maximum(a[:, ::-1], z)]
            if t != "?":
                r += [a[:, ::-1] + a, a * y + z, a[::-1, ::-1] - w[:, :-2]]
            print(t, m, n, *[int(x.astype("c16").real.ravel() @ (np.arange(x.size) % 29)) for x in r])
            o = numbers(n * (m + 2), t).reshape(n, m + 2)
            o[:, 1:-1] = a[:, ::-1]
            o[::-1, 0] = a[:, 0]
            print(int(o.astype("c16").real.ravel() @ (np.arange(o.size) % 31)))

# --- complex numbers in rows of a handful, sorted
x = (np.arange(1200) * 7919 % 1009 % 7 + 1j * (np.arange(1200) * 353 % 1013 % 5)) * np.where(
    np.arange(1200) % 3 == 0, -1, 1
)
x[::97] = np.nan
x[5::101] = complex(2, np.nan)
x[7::89] = complex(np.nan, 1)
x[::41] = complex(-0.0, 0.0)
x[1::43] = 0
for t in ("c8", "c16"):
    for n in (1, 2, 3, 4, 5, 6):
        a = x[: 1200 // n * n].reshape(-1, n).astype(t)
        for b in (a, a.T.copy().T, np.nan_to_num(a)):
            s, i = np.sort(b, axis=1), np.argsort(b, axis=1, kind="stable")
            print(t, n, s.shape, np.nan_to_num(s, nan=55).tolist(), i.tolist())
