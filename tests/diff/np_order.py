# Memory layout: order=, F order.
def show(a):
    print(a.dtype, a.shape, a.flags.c_contiguous, a.flags.f_contiguous)
    print(a)


# --- making
for order in 'CF':
    show(np.zeros((2, 3), order=order))
    show(np.ones((2, 3, 2), int, order))
    show(np.full((2, 2), 7, order=order))
    print(np.empty((3, 4), order=order).flags.f_contiguous)
    show(np.array([[1, 2, 3], [4, 5, 6]], order=order))
    show(np.asarray([[1, 2], [3, 4]], order=order))
    show(np.full((2, 3), [1, 2, 3], order=order))
show(np.zeros(3, order='F'))
show(np.zeros((), order='F'))
show(np.zeros((0, 2), order='F'))

# --- like another
a = np.arange(6).reshape(2, 3)
f = np.asfortranarray(a)
for order in ['C', 'F', 'A', 'K']:
    show(np.zeros_like(a, order=order))
    show(np.ones_like(f, order=order))
    show(np.full_like(f, 3, order=order))
    show(np.array(f, order=order))
    show(np.copy(f, order))
    show(f.copy(order))
    show(a.copy(order))

# --- views and copies
a = np.arange(6).reshape(2, 3)
f = np.asfortranarray(a)
print(np.asarray(f, order='F') is f, np.asfortranarray(f) is f)
g = np.array(f, order='F')
g[0, 0] = 99
show(f)
show(g)
h = np.asfortranarray(a)
h[1, 1] = -1
show(a)
show(h)
show(f + a)
show(f.T @ a)
show(f[:, 1:] * 2)
show(np.asfortranarray(a[::-1]))
f[0] = 5
f += 1
show(f)
print(f.sum(0), f.ravel(), f.ravel('F'), f.T.flatten())

# --- invalid order
np.zeros((2, 2), order='X')

# --- partitions
for n in (1, 2, 7, 41, 300, 5000):
    for t in ('f8', 'f4', 'f2', 'i8', 'i4', 'u8', 'i1', 'bool', 'c16'):
        x = (np.sin(np.arange(n) * 12.9898) * 43758.5453 % 1.0 * 200 - 100).astype(t)
        if t[0] == 'f' and n > 10:
            x[3] = np.nan
            x[5] = -np.inf
            x[6] = -0.0
            x[7] = 0
        s, good = np.sort(x), True
        for k in ([0], [n - 1], [n // 2], [n // 3, n // 2, n - 1, 0], [-1, 0]):
            p = np.partition(x, k)
            good = good and np.array_equal(p[k], s[k], equal_nan=True) and np.array_equal(np.sort(p), s, equal_nan=True)
            if n < 10 or t[0] != 'f':
                good = good and all([not (p[: j % n] > p[j]).any() and not (p[j % n :] < p[j]).any() for j in k])
        print(n, t, bool(good))
m = np.arange(60.0).reshape(3, 4, 5) * 7 % 13
print(
    np.partition(m, 2, axis=0)[2],
    np.partition(m, (1, 3), axis=1)[:, 1],
    np.partition(m, 5, axis=None)[5],
    np.median(m, axis=1),
    np.percentile(m, [0, 10, 50, 99, 100], axis=(0, 2)),
)
for k in (5, -6):  # out of bounds
    try:
        np.partition(np.arange(5), k)
    except ValueError as e:
        print(e)

# --- long convolutions
x = np.sin(np.arange(500) * 0.7)
for n in (17, 40, 101, 500):
    for mode in ('full', 'same', 'valid'):
        print(
            n,
            mode,
            np.allclose(
                np.convolve(x, x[:n] * 2, mode),
                [sum(x[i - j] * x[j] * 2 for j in range(n) if 0 <= i - j < 500) for i in range(499 + n)][
                    0 if mode == 'full' else (n - 1) // 2 if mode == 'same' else n - 1 :
                ][: 499 + n if mode == 'full' else 500 if mode == 'same' else 501 - n],
            ),
        )
k = np.arange(300) % 17
print(
    np.convolve(k, k[:40])[:50],
    np.correlate(k.astype('i2'), k[:33], 'same')[:40],
    np.convolve(k > 8, k[:20] > 3).sum(),
    np.convolve(x.astype('c8'), x[:50] * 1j).dtype,
)


# --- the words of sorting
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


a = np.array([3, 1, 2])
for k in (
    "quicksort",
    "q",
    "Quick",
    "heap",
    "mergesort",
    "stable",
    "s",
    "timsort",
    "",
    3,
    b"heap",
    None,
    "radix",
    "m",
    "Stable",
):
    t(lambda: (k, np.sort(a, kind=k)))
    t(lambda: np.argsort(a, kind=k))
    t(lambda: a.copy().sort(kind=k))
t(lambda: np.sort(a, order='x'))
t(lambda: np.argsort(a, order=['x']))
t(lambda: a.sort(order='x'))
t(lambda: np.sort(a, kind='stable', stable=True))
t(lambda: a.argsort(kind='q', stable=False))
t(lambda: a.sort(kind='q', stable=False))
for k in ("introselect", "i", "quick", None, "Intro", "x"):
    t(lambda: (k, np.partition(a, 1, kind=k)))
    t(lambda: np.argpartition(a, 1, kind=k))
    t(lambda: a.copy().partition(1, kind=k))
t(lambda: np.partition(a, 1, order='x'))
t(lambda: np.argpartition(a, 1, order='x'))
t(lambda: a.copy().partition(1, order='x'))


# --- complex numbers with equal parts or NaN, partition
def bits(a):
    return np.nan_to_num(a.real, nan=1e9, posinf=2e9), np.nan_to_num(a.imag, nan=1e9, posinf=2e9)


def same(a, b):
    return [bool((x == y).all()) for x, y in zip(bits(a), bits(b))]


for n, kinds in (50, 4), (9000, 1), (9000, 7), (9000, 100000):
    h = np.arange(n) * 2654435761 % 4294967296
    z = np.zeros(n, np.complex128)
    for gaps in False, True:
        z.real, z.imag = h // 7 % kinds - kinds // 2, h // 1013 % kinds
        if gaps:
            z.real[h % 5 == 0] = np.nan
            z.imag[h % 7 == 0] = np.nan
            z.imag[h % 13 == 0] = np.inf
        for t in np.complex64, np.complex128:
            a = z.astype(t)
            s = np.sort(a)
            kth = [0, n // 3, n // 2, n - 1]
            p, g = np.partition(a, kth), np.argpartition(a, kth)
            order = np.argsort(a, kind="stable")
            print(
                same(s, a[order]),
                int((order * (np.arange(n) % 89)).sum()),
                same(p[kth], s[kth]),
                same(a[g][kth], s[kth]),
                same(np.sort(p[: kth[1]]), s[: kth[1]]),
            )
            print(np.median(a), np.unique(a).size, np.searchsorted(s, a[:9]), np.searchsorted(s, a[:9], side="right"))

# --- many indices
h = np.arange(9000) * 2654435761 % 4294967296
for t in np.float64, np.complex64, np.complex128, np.int16:
    for n in 1, 63, 64, 65:  # adjacent, and far from each other
        for kth in np.arange(n) + 4000, np.arange(n) * 131 + 7, np.arange(n) * 131 // 2:
            a = (h % 9001 - 4500 + (1j * (h % 3) if t in (np.complex64, np.complex128) else 0)).astype(t)
            p, g, s = np.partition(a, kth), np.argpartition(a, kth), np.sort(a)
            print(
                (p[kth] == s[kth]).all(),
                (a[g][kth] == s[kth]).all(),
                (np.sort(p) == s).all(),
                all([(p[:k] <= p[k]).all() and (p[k:] >= p[k]).all() for k in kth.tolist()]),
            )

# --- elementwise results preserve the memory layout (order='K')
F, C, P = np.arange(6.0).reshape(3, 2).T, np.ones((2, 3)), np.arange(24.0).reshape(4, 3, 2).transpose(1, 2, 0)


def lies(*arrays):
    for a in arrays:
        print(
            a.strides,
            a.flags.c_contiguous,
            a.flags.f_contiguous,
            a.flags.owndata,
            a.base is None,
            a.ravel("K")[:4].tolist(),
        )


lies(
    F + 1,
    F * 2 - F,
    np.sqrt(F),
    -F[::-1],
    F[:, ::2] + 1,
    F > 0,
    np.where(F > 2, F, 0.0),
    np.clip(F, 1, 3),
    F.round(1),
    abs(F),
    np.isnan(F),
)
lies(
    F + C,
    C + F,
    F + np.ones(3),
    F + np.ones((2, 1)),
    np.add(F, 1, order="C"),
    np.add(F, 1, order="F"),
    np.add(C, 1, order="K"),
    np.broadcast_to(np.ones(2), (3, 2)).T + 1,
)
lies(
    P + 1,
    P * np.ones(4),
    P + P,
    np.exp(P * 0),
    P[:, :1] + P,
    P[..., None] + 1,
    P.astype("f4"),
    P.astype("f4", order="C"),
    F.astype(int),
    F.astype(float),
)
lies((F + 1) * 2, ((F + 1).T * 3).T, (P + 1)[0], (F + 1).reshape(3, 2), (F * 2) @ C.T)
r = F * 2
r += C
r[0] = 7
s = r + F
r[:, 1] = s[:, 0]
print(
    r,
    s,
    np.add(F, C, out=np.zeros((2, 3))).strides,
    (F + 1 + C).sum(axis=1),
    np.add(F, 1, where=F > 2, out=np.zeros((2, 3))),
)
for t in range(3):
    F = F * 1.5 + C
lies(F)
print(
    F.tobytes("A") == F.T.tobytes("C"),
    (F * 1).copy().flags.c_contiguous,
    np.array(F * 1).flags.f_contiguous,
    np.asfortranarray(C * 2).strides,
)
# --- memory layout of astype(order=)
a = np.arange(6).reshape(2, 3)
f = np.asfortranarray(a)
for order in "CFAKcf":
    for x in (a, f, f[:, ::2], a[::-1]):
        y = x.astype("f4", order=order)
        print(
            order,
            y.flags.c_contiguous,
            y.flags.f_contiguous,
            y.strides,
            y.tolist(),
            x.astype(x.dtype, order=order).strides,
            x.astype(x.dtype, order=order, copy=False).flags.f_contiguous,
        )
try:
    a.astype(float, order="X")
except ValueError as e:
    print(e)

# --- searched for among elements of which most are above or below
h = np.arange(5000) * 2654435761 % 1000003
for t in "f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u2", "u1", "?":
    for n in 1, 40, 300, 2000:
        a = np.sort((h[:n] % 97 + 10).astype(t))
        for far in 120, 30000:
            v = (h % far - (0 if t[0] in "u?" else far // 3)).astype("i8").astype(t)
            for odd in range(4 if t[0] == "f" else 1):
                if odd == 1:
                    v[h % 5 == 0], v[h % 7 == 0], v[h % 11 == 0] = np.nan, np.inf, -np.inf
                if odd == 2:
                    a[n // 2 :] = np.nan
                if odd == 3:
                    a[:] = np.nan
                for side in "left", "right":
                    r = np.searchsorted(a, v, side=side)
                    print(
                        t,
                        n,
                        far,
                        odd,
                        int((r * (np.arange(v.size) % 89)).sum()),
                        np.searchsorted(a, v[3:1040], side=side).sum(),
                        np.searchsorted(a, v[:7], side=side),
                    )
xp = np.linspace(0, 10, 3000)
for x in h - 500000, (h - 500000) / 1000, np.where(h % 3 == 0, np.nan, h - 500000.0):
    print(np.nansum(np.interp(x, xp, np.sqrt(xp))).round(6), np.interp(x[:40], xp, xp * xp, left=-1, right=7).tolist())

# --- sorted complex numbers, one with a NaN imaginary part
for t in np.complex64, np.complex128:
    for n in 3, 20, 300, 5000:
        for p in 0, 1, n // 2, n - 2, n - 1:
            z = np.zeros(n, t)
            z.real = np.arange(n)
            z.imag[p] = np.nan
            print(
                t.__name__,
                n,
                p,
                np.sort(z)[-3:],
                np.argsort(z, kind="stable")[-3:],
                np.sort(np.stack([z] * 4, 1), axis=0)[-2:, 1],
                np.unique(z)[-2:],
            )
            z = np.zeros(n, t)
            z.imag = np.arange(n)
            z.real[p] = np.nan
            print(np.sort(z)[-3:], np.argsort(z, kind="stable")[-3:])

# --- F order survives block, copy, deepcopy and ravel
import copy

f, c = np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)
row = np.arange(3.0)[None]
for made in (
    np.block([f, f]), np.block([[f, f], [f, f]]), np.block([[c], [c]]), np.block([[f, c]]), np.block([[row, row]]),
    np.block([[f, np.ones((2, 1))]]), np.block([[f], [row]]), copy.copy(f), copy.deepcopy(f), copy.copy(c.T),
    copy.copy(c[:, ::-1]), copy.deepcopy([f])[0], copy.deepcopy({"a": (f,)})["a"][0]):
    print(made.shape, made.strides, made.flags.c_contiguous, made.flags.f_contiguous)
for order in "cCfFaAkK":
    for a in (f, c, c.T, c[:, ::-1]):
        print(order, a.ravel(order), np.ravel(a, order), a.flatten(order), a.copy(order).strides,
            np.array(a, order=order).strides, a.astype("f4", order=order).strides)

# --- quantiles of several fractions: C order, those that skip NaN with the fractions' axis moved
for a in (np.arange(12.0).reshape(3, 4), np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))):
    for f in (np.quantile, np.percentile, np.nanquantile):
        for axis in (0, 1, -1):
            r = f(a, [0.5, 0.25], axis=axis)
            print(f.__name__, a.shape, axis, r.flags.c_contiguous, r.flags.f_contiguous, r.strides)

# --- no quantiles
for f in np.percentile, np.nanpercentile, np.quantile:
    for method in "linear", "lower", "hazen":
        print(repr(f(np.ones((3, 4)), [], axis=1, method=method)), repr(f(np.arange(4), [], method=method)))

# --- memory layout of transforms, reduceat and gathers (not on cuda: its transforms and reduceat choose other layouts)
c = np.arange(24.0).reshape(2, 3, 4)
i, j = np.array([1, 0, 1]), np.array([[0, 1], [1, 1]])
layouts = (c, np.asfortranarray(c), c.transpose(1, 2, 0), c.transpose(1, 0, 2), np.arange(48.0).reshape(4, 3, 4)[::2], c[::-1],
    np.asfortranarray(c).transpose(0, 2, 1), c.transpose(2, 0, 1)[:, ::-1], np.asfortranarray(c[0]), np.broadcast_to(c[0, 0], (3, 4)))
def strides(a):  # of the axes that have one
    return [s // a.itemsize if n > 1 and a.size else 0 for s, n in zip(a.strides, a.shape)]
for x in layouts:
    made = [np.fft.fft(x), np.fft.ifft(x, axis=0), np.fft.rfft(x, axis=0), np.fft.irfft(x, axis=1), np.fft.fft2(x), np.fft.fftn(x),
        np.fft.rfftn(x), np.fft.irfftn(x), np.fft.hfft(x, axis=0), np.fft.fft(x, n=7, axis=0), np.fft.fft(x, n=2, axis=1)]
    for f in (np.add, np.maximum, np.hypot):
        made += [f.reduceat(x, at, axis=axis) for axis in (0, 1, -1) for at in ([0, 1], [1, 0, 1], np.arange(20) % 2)]
    made += [x[i], x[j], x[i, i], x[np.ix_(i, i)], x[j, 1], x[np.arange(len(x)) % 2 == 0], np.argwhere(x > 3), np.unique(x, axis=0)]
    made += [x[i, :, i], x[i, ..., i], x.take(i, axis=0), x.take(i, axis=-1)] if x.ndim > 2 else []
    for k, a in enumerate(made):
        print(k, a.dtype, a.shape, strides(a))
for x in (c, c[::-1], layouts[3]):  # the last axis is in memory order
    for a in (x[:, i], x[:, j], x[1, j], x[:, i > 0], x[:, None, i], x[j, :, None], x[..., i, :], x[:, 1, :, None]):
        print(a.shape, strides(a), (a + 1).flags.c_contiguous, a.ravel('K').tolist()[:5])

# --- dtype= of reductions names a loop of the ufunc
a = np.array([3, 2, 1])
for u in (np.add, np.logical_and, np.logical_xor, np.less, np.maximum, np.bitwise_and, np.subtract, np.true_divide, np.hypot, np.power):
    for t in ('f4', 'i4', '?', 'c8', 'u1', 'f2', 'i8'):
        if (u.__name__, t) == ('power', 'f4'):
            continue  # NumPy's vector instructions read what they have just written
        for f in (lambda: u.reduce(a, dtype=t), lambda: u.accumulate(a, dtype=t), lambda: u.reduceat(a, [0, 1], dtype=t), lambda: u(a, a, dtype=t)):
            try:
                print(u.__name__, t, np.asarray(f()).dtype, np.round(f() + 0, 1).tolist())
            except Exception as e:
                print(u.__name__, t, type(e).__name__)
