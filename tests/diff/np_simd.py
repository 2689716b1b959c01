# Composite operations computed in vector lanes (no single instruction), and searches in all dtypes.
KINDS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


def bits(n, t, seed):
    h = (np.arange(n, dtype=np.int64) + seed) * 2654435761
    h = (h ^ h >> 15) * 2246822519 & 0x7FFFFFFFFFFF
    return ((h ^ h >> 13) >> (np.arange(n) * 7 % 40)).astype(t)


def told(r):
    w = np.arange(r.size) % 97 + 1
    show = r.astype(np.int64) if r.dtype == np.uint64 else r
    return r.dtype, show[:4].tolist(), show[-4:].tolist(), int((r.astype(np.int64) * w).sum())


def extremes_of_rows(t):
    """argmax and argmin of rows of every length: in each lane and group of lanes, with ties, signed zeros and NaN."""
    total = np.zeros(6, dtype=np.int64)
    weights = np.arange(1, 18) ** 2
    r = np.arange(17)
    for n in (*range(1, 301), 1025, 2047, 2049, 4097):
        x = (bits(17 * n, np.int64, n) % 90 + 5).astype(t).reshape(17, n)
        if t is bool:
            x = bits(17 * n, np.int64, n).reshape(17, n) % (n + 2) == 0
            x[r % 5 == 0] ^= True
        else:
            x[r, (r * (29 + n // 7) + n) % n], x[r, (r * (53 + n // 9) + 3 * n) % n] = 110, 1
            x[3], x[11, n // 2 :], x[12, : n // 2 + 1] = 7, 110, 1
        total[:2] += ((x.argmax(axis=1) * weights).sum(), (x.argmin(axis=1) * weights).sum())
        if np.dtype(t).kind == 'f':
            x[5, ::2], x[5, 1::2], x[9], x[10], x[15] = -0.0, 0.0, np.inf, -np.inf, -x[15]
            x[10, n // 3] = x[9, n // 4] = 3
            total[2:4] += ((x.argmax(axis=1) * weights).sum(), (x.argmin(axis=-1) * weights).sum())
            x[0, 0] = x[1, -1] = x[6, n // 2 :] = x[10, 0] = np.nan
            x[13, n // 2], x[13, n // 5] = np.inf, -np.inf
        total[4:] += ((x.argmax(axis=1) * weights).sum(), (x.argmin(axis=1) * weights).sum())
        if n % 7 == 0 or n > 300:
            f = np.asfortranarray(x)
            for y in (x, f, x.T, f.T, x[:, ::-1], x[::-1], x[:, ::3], f[::-2]):
                total[4] += (
                    sum((y.argmax(axis=d) + 3 * y.argmin(axis=d)).sum() for d in (0, 1, -1))
                    + 5 * y.argmax()
                    + 7 * y.argmin()
                )
    print(np.dtype(t), total)
    x = np.tile((bits(100000, np.int64, 5) % 90).astype(t).reshape(2, -1) * (t is not bool), (9, 1))
    for k, place in enumerate((0, 63, 64, 577, 4095, 16383, 16384, 16385, 32767, 32768, 40000, 49999)):
        x[k, place] = 100
        x[k, place + 7 : place + 9] = 100
    print(
        x.argmax(axis=1),
        x.argmin(axis=1),
        x.argmax(),
        x.argmin(),
        (x == 0).argmin(axis=1),
        x[::-1, ::-1].argmax(axis=1),
        x[:, :20001].argmax(axis=1),
        x[:, :16387].argmin(axis=1),
    )


# --- greatest common divisors
for t in KINDS:
    for n in (1, 5, 16, 31, 33, 64, 1000):
        a, b = bits(n, t, 1), bits(n, t, 9)
        print(
            told(np.gcd(a, b)),
            told(np.gcd(a, t(12))),
            told(np.gcd(a * t(6), b * t(4))),
            told(np.lcm(a % t(90), b % t(70))),
        )
    info = np.iinfo(t)
    edge = np.array([0, 1, 2, 3, info.max // 2 + 1, info.max, info.max - 1, info.min // 2, info.min + 1], dtype=t)
    print(told(np.gcd(edge[:, None], edge).ravel()), told(np.gcd.outer(edge, edge[::-1])[::2, 1::2].ravel()))

# --- powers of integers
for t in KINDS:
    for n in (1, 5, 16, 31, 33, 64, 1000):
        a, b = bits(n, t, 3), bits(n, t, 5) & t(63)
        print(
            told(a**b),
            told(a**3),
            told(np.power(a, 4)),
            told(t(3) ** b),
            told(a**0),
            told(a**1),
            told(a**63),
            told(a[::2] ** 5),
        )
for t in (np.int8, np.int64):
    try:
        print(np.arange(40, dtype=t) ** np.where(np.arange(40) == 37, -1, 2).astype(t))
    except ValueError as e:
        print(e)
print(
    np.array([True, False, True]) ** 3,
    np.array([3, 5], dtype=np.int8) ** np.int64(3),
    (np.arange(5) ** 3).dtype,
    2 ** np.arange(5),
    np.arange(4).reshape(2, 2) ** 3,
)

# --- cubes of floats
for t in (np.float16, np.float32, np.float64):
    x = (bits(3000, np.int64, 2) % 4001 / 500 - 4).astype(t)
    exact = (x.astype(np.float64) * 64).astype(np.int64) if t == np.float16 else None
    r = x**3
    print(
        r.dtype,
        np.array_equal(np.power(x, 3.0), r),
        np.abs(r - x.astype(np.float64) ** 3).max() <= 64 * np.finfo(t).eps,
        r[:5].astype(np.float64).round(1),
    )
    big, small = np.finfo(t).max, np.finfo(t).tiny
    e = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, big, -big, small, -small, 1, -1, 3, -5, small / 4], dtype=t) ** 3
    print(e, np.signbit(e))
print(np.arange(-9.0, 10) ** 3, (np.arange(5) + 1j) ** 3, np.arange(3.0) ** np.array([3, 3, 3]))
a = np.arange(6.0)
a **= 3
print(a)

# --- integers divided by a scalar, at the limits of their range
np.seterr(all='ignore')
for t in KINDS[:6]:  # not those of 64 bits
    low, high = int(np.iinfo(t).min), int(np.iinfo(t).max)
    near = sorted(
        {x for k in (low, low // 2, 0, high // 3, high // 2, high) for x in range(k - 3, k + 4) if low <= x <= high}
    )
    a = np.array(near * 5, t)
    for d in near:
        print(t.__name__, d, told(a // t(d)), told(a % t(d)), (a // t(d))[: len(near)].tolist())

# --- floor division of floats
for t in (np.float16, np.float32, np.float64):
    for n in (1, 7, 33, 1000):
        a, b = (bits(n, np.int64, 2) % 20001 / 64 - 150).astype(t), (bits(n, np.int64, 4) % 257 / 32 - 4).astype(t)
        b = np.where(b == 0, t(1), b)
        q = a // b
        print(
            q.dtype,
            told(q),
            told(a // t(0.375)),
            told(t(7) // b),
            np.signbit(q).sum(),
            (a % b)[:3],
            (np.fmod(a, b))[-3:],
            np.array_equal(q, np.divmod(a, b)[0]),
            np.array_equal(a % b, np.divmod(a, b)[1]),
        )
    info = np.finfo(t)
    e = np.array(
        [0.0, -0.0, 1, -1, 3, -3, 0.1, -0.1, 0.3, info.max, -info.max, info.tiny, info.eps, np.inf, -np.inf, np.nan],
        dtype=t,
    )
    with np.errstate(all='ignore'):
        for v in e:
            q = np.repeat(e, 3) // v
            print(q, np.signbit(q[q == 0]), e % v, np.fmod(e, v))


# --- searchsorted in every dtype, in short and long arrays
def sorted_of(t, n, seed):
    a = bits(n, np.int64, seed) % 300
    return np.sort(
        (a % 2 == 0) if t is bool else (a - 150).astype(t) if np.dtype(t).kind != 'f' else (a / 4 - 30).astype(t)
    )


for t in (bool, *KINDS, np.float16, np.float32, np.float64):
    v = np.concatenate([sorted_of(t, 200, 7)[::-1], sorted_of(t, 133, 8)])
    for n in (0, 1, 2, 10, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 40000):
        a = sorted_of(t, n, 6)
        print(
            np.dtype(t),
            n,
            told(np.searchsorted(a, v)),
            told(np.searchsorted(a, v, side='right')),
            np.searchsorted(a, v[0]),
            np.searchsorted(a, v[:3], 'right'),
        )
    print(told(np.isin(v, sorted_of(t, 9, 5))), told(np.isin(v, sorted_of(t, 50, 5), invert=True)))

# --- searchsorted of NaN, signed zeros, and at the limits of unsigned integers
for t in (np.float16, np.float32, np.float64):
    for n in (9, 100):
        a = np.sort(np.concatenate([np.arange(n - 5) - 3.0, [np.nan, np.nan, np.inf, -np.inf, -0.0]]).astype(t))
        v = np.tile(np.array([np.nan, 0.0, -0.0, np.inf, -np.inf, 2, 1e4, -1e4, 0.5], dtype=t), 15)
        print(told(np.searchsorted(a, v)), told(np.searchsorted(a, v, 'right')))
for t in (np.uint8, np.uint16, np.uint32, np.uint64):
    top = np.iinfo(t).max
    a = np.array([0, 1, top // 2, top // 2 + 1, top - 1, top], dtype=t)
    print(
        np.searchsorted(a, np.tile(a, 12))[-6:],
        np.searchsorted(a, np.tile(a, 12), 'right')[:6],
        np.digitize(np.tile(a, 20), a)[:6],
    )
for t in (np.int8, np.uint8, np.float16):
    print(
        np.digitize(bits(200, t, 1) % t(100), np.array([5, 10, 50, 80], dtype=t)).sum(),
        np.digitize(bits(200, t, 1) % t(100), np.array([80, 50, 10], dtype=t), right=True).sum(),
    )

# --- unique of unsigned integers
for low in (0, 1000, 9223372036854775000, 9223372036854775807):
    a = bits(3000, np.int64, 3).astype(np.uint64) % np.uint64(500) + np.uint64(low)
    u = np.unique(a)
    print(
        u.dtype,
        u[:3],
        u[-3:],
        u.size,
        [x.dtype for x in np.unique(a, True, True, True)],
        np.unique(a, return_counts=True)[1].sum(),
        np.array_equal(u[np.unique(a, return_inverse=True)[1]], a),
    )

# --- rounding of integers (numpy 2.5)
a = np.arange(5)
b = np.round(a)
b[0] = 7
print(
    a,
    b is a,
    a.round() is a,
    np.around(a, 2) is a,
    a[1:3].round(),
    np.round([1, 2]),
    np.round(np.array(5)),
    np.round(a, -1),
    np.round(np.arange(3.0)) is a,
)

# --- argmin and argmax in rows of all lengths, with NaN, and in contiguous columns
for t in (bool, *KINDS, np.float16, np.float32, np.float64):
    for n in (1, 3, 47, 48, 63, 64, 65, 129, 500, 513, 600, 1023, 1025, 1500, 2047, 2049, 5000):
        x = (bits(9 * n, np.int64, n) % 120).astype(t).reshape(9, n)
        x[3] = x[3, 0]
        if np.dtype(t).kind == 'f':
            x[4, n // 2 :] = np.nan
            x[5, -1] = np.nan
            x[6] = -np.inf
            x[7, n // 3] = np.inf
            x[7, n // 4] = -np.inf
        f = np.asfortranarray(x.T)
        print(
            np.dtype(t),
            n,
            x.argmax(axis=1),
            x.argmin(axis=1),
            np.array_equal(f.argmax(axis=0), x.argmax(axis=1)),
            np.array_equal(f.argmin(axis=0, keepdims=True)[0], x.argmin(axis=1)),
            f[:, 2:].argmax(axis=0),
            f.argmax(axis=1)[:5],
            f.argmax(),
            x[:4].argmin(),
        )

# --- argmax and argmin of rows of each length: bool and integers of one and two bytes
for t in (bool, *KINDS[:4]):
    extremes_of_rows(t)

# --- argmax and argmin of rows of each length: integers of four and eight bytes
for t in KINDS[4:]:
    extremes_of_rows(t)

# --- argmax and argmin of rows of each length: floats
for t in (np.float16, np.float32, np.float64):
    extremes_of_rows(t)

# --- sorted rows and columns of small items
for t in (bool, np.int8, np.uint8, np.int16, np.uint16, np.float16):
    for rows, n in ((16, 1), (9, 2), (300, 3), (40, 17), (33, 100), (20, 257), (17, 1000), (16, 1024), (16, 1025)):
        x = (bits(rows * n, np.int64, n) % 251 - (0 if np.dtype(t).kind in 'ub' else 125)).astype(t).reshape(rows, n)
        if t is bool:
            x = x.view(np.uint8) % 2 == 0
        if t is np.float16:
            x[::3, n // 2], x[1, 0], x[2, -1], x[3, : n // 2], x[4] = (
                -0.0,
                np.nan,
                np.inf,
                -0.0,
                np.where(np.arange(n) % 2, 0.0, -0.0),
            )
            x[5] = x[5] / t(7)
        y, z = np.sort(x, axis=1, kind='stable'), np.sort(x.T.copy(), axis=0, kind='stable')
        same = np.array_equal(y, z.T, equal_nan=t is np.float16)
        print(
            np.dtype(t),
            rows,
            n,
            same,
            np.signbit(y.astype(float)).sum(),
            np.signbit(z.astype(float)).sum(),
            y[:6, :3].tolist(),
            y[-1, -3:].tolist(),
            (np.nan_to_num(y.astype(float), nan=7, posinf=9) * (np.arange(n) % 11)).sum(),
            np.sort(x[:, ::2], axis=1)[7, :4],
            np.sort(x.reshape(rows, -1, 1), axis=0)[:2, 0, 0],
        )
        print(np.median(x[5:8], axis=1) + 0)
        x.sort(axis=0, kind='stable')
        print(x[:2, :3].tolist())


# --- integers divided by a scalar: all pairs of bytes, and values near the limits of wider ones
def sums(n, divisors, t):
    w = np.arange(n.size) % 127 + 1
    return [int(((n // t(d)).astype(np.int64) * w).sum()) % 1000000007 for d in divisors]


with np.errstate(all='ignore'):
    for t in (np.int8, np.uint8):
        n = np.arange(256).astype(t)
        print(sums(n, range(int(np.iinfo(t).min), int(np.iinfo(t).max) + 1), t))
    for t in (np.int16, np.uint16):
        n, low, top = np.arange(65536).astype(t), int(np.iinfo(t).min), int(np.iinfo(t).max)
        print(
            sums(
                n,
                [
                    *range(max(low, -9), 20),
                    100,
                    255,
                    256,
                    257,
                    641,
                    1000,
                    4096,
                    5461,
                    10923,
                    16383,
                    16384,
                    16385,
                    top // 2,
                    top // 2 + 1,
                    top // 2 + 2,
                    top - 1,
                    top,
                    low,
                    low + 1,
                ],
                t,
            )
        )
    for t in (np.int32, np.uint32):
        low, top = int(np.iinfo(t).min), int(np.iinfo(t).max)
        n = np.concatenate(
            [
                np.arange(300),
                np.arange(2000) * 2147433,
                top - np.arange(300),
                low + np.arange(300),
                np.arange(300) * 65536,
            ]
        )
        for d in [
            *range(max(low, -7), 12),
            641,
            1000,
            65535,
            65536,
            65537,
            1 << 30,
            top // 2,
            top // 2 + 1,
            top - 1,
            top,
            low,
            low + 1,
        ]:
            near = np.arange(500) * d
            print(sums(np.concatenate([n, near, near - 1, near + 1]).astype(t), [d], t), end=' ')
    print()
    for t in (np.int64, np.uint64):
        print(sums(bits(3000, t, 3), [0, 1, 2, 7, 10, 1000, 2**40], t))
    a = bits(1200, np.int16, 5).reshape(3, 400)
    print(
        told((a // np.array([[3], [-7], [0]], dtype=np.int16)).ravel()),
        told((a[:, ::2] // np.int16(11)).ravel()),
        told((a.T // np.int16(-3)).ravel()),
        told((np.int16(1000) // a).ravel()),
        told((a * 2 // 3 + 1).ravel()),
    )

# --- concatenation along the last axis, repeated elements
a = np.arange(12345)
b = a[::-1]
for t in (np.int16, np.int32, np.int64, np.uint32, np.uint64, np.float16, np.float32, np.float64, np.complex64):
    x, y = a.astype(t), b.astype(t)
    for s in (
        np.stack([x, y], axis=-1),
        np.column_stack([x, y[::-1][::-1]]),
        np.stack([x.reshape(5, -1), y.reshape(-1, 5).T], axis=-1),
        np.concatenate([x[:, None] * t(2), y[:, None]], axis=1),
        np.stack([x[::2], y[1::2][:1], x[::2]][::2], axis=1),
    ):
        print(
            s.dtype,
            s.shape,
            s.flags.owndata,
            s.base is None,
            s.ravel()[[0, 1, 2, 3, 777, -2, -1]],
            int((s.real.ravel().astype(np.int64) * (np.arange(s.size) % 11)).sum()),
        )
    for r in (
        np.repeat(x, 2),
        np.repeat(x[::-1], 2),
        np.repeat(x.reshape(15, -1), 2, axis=1),
        np.repeat(x.reshape(15, -1), 2, axis=0),
        np.repeat(np.asfortranarray(x.reshape(15, -1)), 2, axis=1),
    ):
        print(
            r.dtype,
            r.shape,
            r.base is None,
            r.ravel()[[0, 1, 2, 3, 777, -2, -1]],
            int((r.real.ravel().astype(np.int64) * (np.arange(r.size) % 11)).sum()),
        )
    if np.dtype(t).kind != 'c':
        print(np.stack([x, b], axis=-1).dtype, np.stack([x, b / 2], axis=1)[5:7], np.stack([x, b > 5], axis=1)[-7:-5])
n = np.tile(np.array([np.nan, -0.0, np.inf, 1.5]), 9000)
print(
    np.stack([n, -n], axis=-1)[:4],
    np.signbit(np.stack([n, -n], axis=-1)[1:4]),
    np.signbit(np.repeat(n, 2)[2:6]),
    np.repeat(n, 2).reshape(-1, 2)[1:4],
)
bits64 = (np.arange(20000) - 9000) << 48
print(
    np.array_equal(np.stack([bits64, ~bits64], axis=-1)[:, 1], ~bits64),
    np.array_equal(np.repeat(bits64, 2)[1::2], bits64),
    np.array_equal(np.repeat(bits64.astype(np.int32) << 20, 2)[::2], bits64.astype(np.int32) << 20),
)
c = np.arange(40000.0)
c[:20000] = np.stack([c[:20000:2], c[1:20000:2]], axis=-1).ravel()[::-1]
print(c[:3], c[19998:20002])

# --- unique of small integers whose differences overflow their dtype
for t, side in ((np.int8, 100), (np.int8, 128), (np.int16, 300), (np.int16, 30000), (np.int16, 32768)):
    x = (np.arange(5 * side + 1000) * 7 % (2 * side) // 3 * 3 - side).astype(t)
    a = np.unique(x)
    print(
        a.dtype,
        a.size,
        a[:3],
        a[-3:],
        [r.sum() for r in np.unique(x, return_counts=True)],
        np.unique(x, return_counts=True)[1][-5:],
    )
    print(
        np.union1d(x, x[::-1]).size,
        np.setdiff1d(x, a[::2]).size,
        np.intersect1d(x, a[1::2]).size,
        np.isin(x, x[10:1500]).sum(),
        np.isin(x, a[::3], invert=True).sum(),
    )

# --- sets of integers whose range exceeds 64 bits
i = np.iinfo(np.int64)
for low, high in (
    (i.min, i.max),
    (i.min, -1),
    (i.min, i.min + 700),
    (0, i.max),
    (i.max - 700, i.max),
    (-300, 300),
    (-2, i.max),
    (i.min, 0),
    (-1, 1),
):
    x = np.array([low, high, low // 2 + high // 2])[np.arange(1200) % 3]
    print(
        np.unique(x),
        np.unique(x, return_counts=True)[1],
        [np.isin(x, v).sum() for v in (x[1:3], [low, high], x[:200])],
        np.setdiff1d(x, x[:1]).size,
    )

# --- integers without sign divided by one number, over all their bits
with np.errstate(all='ignore'):
    for t in (np.uint16, np.uint32):
        top = int(np.iinfo(t).max)
        n = np.concatenate(
            [
                np.arange(5000),
                top - np.arange(5000),
                top // 2 - 2500 + np.arange(5000),
                np.arange(20000) * 2654435761 % (top + 1),
            ]
        ).astype(t)
        w = np.arange(n.size) * 31 % 1000003
        for d in [
            0,
            1,
            2,
            3,
            5,
            7,
            10,
            641,
            43691,
            65521,
            top // 3,
            top // 3 + 1,
            top // 2,
            top // 2 + 1,
            top // 2 + 2,
            top - 4,
            top - 1,
            top,
            *(k * 40503 % top for k in range(1, 60)),
        ]:
            print(
                d,
                int(((n // t(d)).astype(np.int64) * w).sum()) % 1000000007,
                (n[:37] // t(d))[30:],
                (n[::3] // t(d))[-4:],
            )

# --- bits of bytes, around the ends of registers
for n in (0, 1, 7, 8, 9, 63, 64, 65, 1000):
    for order in ('big', 'little'):
        m = np.arange(n) * 7 % 5 > 2
        u = (np.arange(n) * 37 % 256).astype(np.uint8)
        p, q = np.packbits(m, bitorder=order), np.unpackbits(u, bitorder=order)
        print(
            n,
            order,
            p,
            q.shape,
            q.dtype,
            int((q * (np.arange(q.size) % 13)).sum()),
            np.array_equal(np.packbits(q, bitorder=order), u),
            np.unpackbits(p, count=n, bitorder=order)[-9:],
        )
    if n == 0:
        continue
    x = np.stack([m, ~m, m]).astype(np.uint8) * 3
    print(
        np.packbits(x, axis=0),
        np.packbits(x, axis=1).sum(axis=1),
        np.packbits(x, axis=-2).sum(),
        np.unpackbits(x, axis=0).sum(axis=1),
        np.unpackbits(x, axis=1, count=5 if n else 0).sum(),
        np.unpackbits(x[:, ::2], axis=1).sum(),
        np.unpackbits(np.asfortranarray(x), axis=-1).sum(axis=1),
    )

# --- products of halves round once
h = np.arange(900) * 7919 % 257
T = np.float16
a, b = (h[:600] / 8 - 16).astype(T).reshape(20, 30), (h[300:] / 16).astype(T).reshape(30, 20)
v, w = b.ravel()[:30], a.ravel()[:20]
for r in (
    a @ b,
    a @ v,
    w @ a,
    v @ b,
    np.dot(v, v),
    np.vdot(a, b.T),
    np.inner(a, b.T),
    np.matmul(a.reshape(2, 10, 30), b),
    a[:, ::-2] @ b[::2],
    a[::-1].T @ a,
    np.dot(a, 2),
    np.tensordot(a, b, ([1], [0])),
    np.zeros((3, 0), T) @ np.zeros((0, 2), T),
    np.zeros((0, 3), T) @ np.zeros((3, 2), T),
    a @ h[:30].astype(np.int8),
    a @ np.eye(30, dtype=T),
    np.full(5000, 0.1, T) @ np.full(5000, 0.1, T),
    np.full(9, 300, T) @ np.full(9, 300, T),
    v @ np.where(v > 3, np.nan, v),
):
    exact = np.asarray(r)
    print(exact.dtype, exact.shape, exact.ravel()[:5].astype(float), exact.ravel()[-3:].astype(float))
for bad in (lambda: a @ a, lambda: a @ v[:7], lambda: np.dot(v, w)):
    try:
        bad()
    except ValueError as e:
        print(e)
