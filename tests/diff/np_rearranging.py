# Joining by subscript, splitting, trimming, unique, put, interpolation, block.
a = np.arange(6).reshape(2, 3)

# --- r_ and c_
print(
    np.r_[1:4, 0, [7, 8]],
    np.r_[0:1:5j],
    np.r_['-1', a, a],
    np.r_['0,2', [1, 2], [3, 4]],
    np.r_['0,2,0', [1, 2], [3, 4]],
    np.r_['1,2,0', [1, 2], [3, 4]],
    np.r_['0,3,1', [1, 2], [3, 4]],
    np.r_['0', [1], [2]],
)
print(
    np.c_[[1, 2], [3, 4]],
    np.c_[1, 2],
    np.c_[a, [8, 9]],
    np.c_[1:3, 3:5],
    np.r_[np.float32([1]), 2.5].dtype,
    np.r_[np.int8([1]), 3].dtype,
    np.r_['1,2', [1, 2], 5:7],
)
for f in (lambda: np.r_['x', [1]], lambda: np.r_[[1], '0']):
    try:
        print(f())
    except ValueError as e:
        print(e)

# --- unstack
print(np.unstack(a), np.unstack(a, axis=1), np.unstack(np.array([1, 2])))
np.unstack(np.array(3))

# --- trim_zeros
b = np.array([[0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0]])
print(
    np.trim_zeros(np.array([0, 0, 1, 0, 2, 0])),
    np.trim_zeros([0, 1, 0]),
    np.trim_zeros([0, 1, 0], 'f'),
    np.trim_zeros((0, 1.5, 0), 'b'),
    np.trim_zeros(b),
    np.trim_zeros(b, axis=1),
    np.trim_zeros(b, 'b'),
    np.trim_zeros(b, 'F', axis=0),
    np.trim_zeros(np.zeros(3)),
    np.trim_zeros([0, 0]),
)
np.trim_zeros([1], 'x')

# --- sort_complex
for x in (
    [5, 3, 1],
    [1 + 2j, 2 - 1j, 1 - 1j],
    np.array([3, 1], np.int8),
    np.array([3, 1], np.float32),
    np.array([2j, 1], np.complex64),
):
    print(repr(np.sort_complex(x)))

# --- unique
x = [3, 1, 3, 2]
u = np.unique_all(x)
print(u.values, u.indices, u.inverse_indices, u.counts, len(u), u[3])
print(u)
u = np.unique_counts(x)
print(u, u.counts)
u = np.unique_inverse([[2, 1], [2, 2]])
print(u.inverse_indices, u)
v, c = np.unique_counts([1.0, np.nan, np.nan])
print(v, c, np.sort(np.unique_values(x)))

# --- put
for mode in ('raise', 'wrap', 'clip'):
    p = np.arange(6).reshape(2, 3)
    np.put(p, [0, -1, 4], [10, 20], mode=mode)
    print(p)
p = np.arange(5)
np.put(p, 22, -5, mode='clip')
print(p)
np.put(p, [7, -7], 9, 'wrap')
print(p)
p.put([1, 2], 4)
print(p)
t = np.arange(6).reshape(2, 3).T
np.put(t, [1, 2], 99)
print(t)
np.put(t, [], 1)
np.put(p, 22, 1)

# --- errors of functions that store, for non-arrays
for f in (
    lambda x: np.put(x, 0, 1),
    lambda x: np.place(x, [True], 1),
    lambda x: np.putmask(x, [True], 1),
    lambda x: np.copyto(x, 1),
):
    for x in ([1], 2.0):
        try:
            f(x)
        except TypeError as e:
            print(e)

# --- ravel_multi_index
arr = np.array([[3, 6, 6], [4, 5, 1]])
print(
    np.ravel_multi_index(arr, (7, 6)),
    np.ravel_multi_index(arr, (7, 6), order='F'),
    np.ravel_multi_index(arr, (4, 6), mode='clip'),
    np.ravel_multi_index(arr, (4, 4), mode=('clip', 'wrap')),
    np.ravel_multi_index((3, 1), (6, 7)),
)
for f in (lambda: np.ravel_multi_index(arr, (4, 4)), lambda: np.ravel_multi_index(arr, (7, 6), mode='x')):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(e)

# --- interpolation: dtypes, infinities, points in order
for t in np.float32, np.float16, np.int8, np.bool_, np.int64, np.complex64:
    x, xp, fp = np.array([0, 1, 1]), np.array([0, 1]), np.array([1, 3], t)
    if t != np.complex64:
        x, xp = x.astype(t), xp.astype(t)
    print(
        np.interp(x, xp, fp).dtype, np.interp(x, xp, fp), np.interp(x * 0.75, xp, fp), np.interp(x, xp, fp, period=360)
    )
inf, nan = np.inf, np.nan
for fp in (
    [1, inf, 3],
    [inf, 1, -inf],
    [inf, inf, 2],
    [-inf, -inf, -inf],
    [inf, -inf, inf],
    [nan, inf, nan],
    [inf, nan, 1],
    [1, 2, inf],
    [-0.0, -0.0, 0.0],
    [-inf, inf, 1],
    [-inf, 4, 1],
):
    print(np.interp([-1, 0, 0.25, 0.75, 1, 1.5, 2, 3, nan, inf, -inf], [0, 1, 2], fp))
s = np.sort(np.arange(3000) * 2654435761 % 4294967296) / 4294967296
q = np.arange(30000) / 30000
q[777], q[20000] = nan, q[19999]
print(np.interp(q, s, s * s)[::999])
for side in ('left', 'right'):
    for t in (float, np.float32, np.int32, np.int64):
        a, v = (s * 2000).astype(t), (np.nan_to_num(q) * 2000).astype(t)
        print(
            [int(np.searchsorted(a[:k], v, side).sum()) for k in (1, 2, 3, 80, 3000)],
            int(np.searchsorted(a, v[::-1], side).sum()),
        )

# --- blocks, of any number of axes
o = np.ones((2, 2))
print(
    np.block([[o, 2 * o], [3 * o, 4 * o]]),
    np.block([1, 2]),
    np.block(np.arange(3)),
    np.block([[np.ones((1, 2)), 5], [0, 1, 2]]),
    np.block([[[1, 2]], [[3, 4]]]).shape,
    np.block([[[o]], [[o]]]).shape,
)
print(
    np.block([[np.ones((2, 2), 'i4')], [np.ones((1, 2), 'f4')]]).dtype,
    np.block([[True, 2]]),
    np.block([[np.zeros((0, 2))], [o]]),
    np.block([o[:, :1], o]),
)
for f in (
    lambda: np.block([[o, np.ones(3)], [o, o]]),
    lambda: np.block([[o], [np.ones((2, 3))]]),
    lambda: np.block([]),
    lambda: np.block([[o], []]),
    lambda: np.block([[o], o]),
):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
whole = np.block([o, o])
whole[0, 0] = 7
alone = np.block([[o]])
alone[0, 0] = 8
print(o)

# --- repeated to a size
print(
    np.resize(np.arange(5), (3, 4)),
    np.resize([1.5], 0),
    np.resize(np.arange(10), (2, 2)),
    np.resize([], (2,)),
    np.resize(np.arange(3), 7),
    np.resize(np.arange(4).reshape(2, 2), (2, 3)),
)

# --- reduceat with segments of every length
x = (np.arange(4000) * 7919 % 1009).astype(float) - 500
for t in ('f4', 'f8', 'i4', 'i8'):
    for step in (1, 3, 8, 15, 16, 17, 33, 100, 161, 330, 1000):
        at = np.arange(0, 4000, step)
        print(t, step, [int(f.reduceat(x.astype(t), at).astype('i8').sum()) for f in (np.maximum, np.minimum, np.add)])
y = x.copy()
y[[5, 1234, 3999]] = np.nan
for step in (4, 20, 100, 700):
    at = np.arange(0, 4000, step)
    print(
        [
            (np.flatnonzero(np.isnan(r)).tolist(), np.nansum(r))
            for r in (
                np.maximum.reduceat(y, at),
                np.fmax.reduceat(y, at),
                np.fmin.reduceat(y.astype('f4'), at),
                np.minimum.reduceat(y.astype('f4'), at),
            )
        ]
    )

# --- segments of every length with infinities and NaN
h = np.arange(60000) * 2654435761 % 1000003
starts = np.concatenate([np.cumsum(np.arange(1, 300)), 45000 + np.cumsum([1, 2047, 2049, 2064, 4096, 17])])
for t in ('f4', 'f8', 'i4', 'i8'):
    for kind in range(6 if t[0] == 'f' else 1):
        x = (h - 500000).astype(t)
        if kind in (1, 4):
            x[h % 90 == 1], x[h % 70 == 2] = np.inf, -np.inf
        if kind in (2, 4):
            x[h % 80 == 3] = np.nan
        if kind == 3:
            x[:] = np.where(h % 3 > 0, np.nan, x)
        if kind == 5:
            x[:] = np.where(h % 2 > 0, -0.0, -3.0)
            x[1000:9000] = -0.0
            x[20000:20400] = np.nan
        for f in (np.maximum, np.minimum, np.fmax, np.fmin):
            r = f.reduceat(x, starts).astype('f8')
            w = np.arange(r.size) % 97 + 1
            print(
                t,
                kind,
                f.__name__,
                r[:4],
                r[-4:],
                int((np.nan_to_num(r, nan=7, posinf=9e6, neginf=-9e6) * w).sum()),
                int((np.isnan(r) * w).sum()),
            )
        if kind in (0, 5):
            print(np.add.reduceat(x, starts).astype('f8').round(-3)[::40], np.signbit(np.add.reduceat(x, starts)).sum())
        for place in (
            starts[1:] - 1,
            starts,
            (starts[1:] + starts[:-1]) // 2,
            starts[:-1] + (starts[1:] - starts[:-1]) * 7 // 8,
        ):  # in lanes and behind them
            y = x.copy()
            y[place] = 2000000 + np.arange(place.size)
            print(
                np.maximum.reduceat(y, starts).astype('f8')[::20],
                np.minimum.reduceat(-y, starts).astype('f8')[1::20],
                np.add.reduceat(y, starts)[:1],
            )
            if t[0] == 'f':
                y[place] = np.nan
                print(
                    np.isnan(np.maximum.reduceat(y, starts)).sum(),
                    np.isnan(np.fmin.reduceat(y, starts)).sum(),
                    np.isnan(np.add.reduceat(y, starts)).sum(),
                )
        if t[0] == 'i':
            print(
                np.multiply.reduceat(x | 1, starts)[::30],
                np.bitwise_xor.reduceat(x, starts)[::30],
                np.bitwise_or.reduceat(x % 999, starts)[::30],
            )

# --- adjacent pairs, also complex
c = (np.arange(20000) * 7919 % 1009 + 1j * np.arange(20000)).reshape(-1, 1)
for t in ('f4', 'f8', 'c8', 'i8'):
    r = np.concatenate((c, c.real), axis=1, dtype=t, casting='unsafe')
    q = np.concatenate((c.imag.astype(int), c), axis=-1, dtype=t, casting='unsafe')
    print(r.dtype, r[::3000].tolist(), q[::3000].tolist(), r.astype('c16').sum(axis=0), q.astype('c16').sum(axis=0))


# --- F order is preserved: joins, sorts, cumulative sums
def how(x):
    return (
        ('C' if x.flags.c_contiguous else '') + ('F' if x.flags.f_contiguous else ''),
        x.base is None,
        x.flags.owndata,
    )


C = (np.arange(24.0) * 7 % 11).reshape(4, 6)
A = np.asfortranarray(C)
B = np.asfortranarray((np.arange(60) * 7 % 13).reshape(3, 4, 5))
for r in (
    np.concatenate((A, A)),
    np.concatenate((A, A), axis=1),
    np.concatenate((A, C)),
    np.vstack((A, A)),
    np.hstack((A, A)),
    np.concatenate((B, B), axis=1),
    np.concatenate((B, B), axis=-1),
    np.concatenate((A, A), axis=None),
    np.concatenate((A[:, :1], A), axis=1),
    np.concatenate((A, A), dtype='f4'),
    np.concatenate((A, A.astype(int)), axis=1),
):
    print(how(r), r.dtype, r.tolist())
for axis in (0, 1, -1):
    for r in (
        np.sort(A, axis=axis),
        np.argsort(A, axis=axis, kind='stable'),
        np.sort(B, axis=axis),
        np.cumsum(A, axis=axis),
        np.cumprod(B, axis=axis),
        A.cumsum(axis=axis),
        np.sort(A[::2], axis=axis),
        np.sort(A[:, ::-1], axis=axis),
    ):
        print(r.tolist())
    print(
        how(np.sort(A, axis=axis)),
        how(np.argsort(A, axis=axis)),
        how(np.cumsum(A, axis=axis)),
        how(np.cumsum(C, axis=axis)),
    )
for X in (
    B.transpose(1, 2, 0),
    B.transpose(0, 2, 1)[::-1],
    np.arange(60).reshape(5, 3, 4).transpose(2, 0, 1)[:, ::2],
    A[::2],
    A[:, None],
):
    for r in (
        np.concatenate((X, X)),
        np.concatenate((X, X), axis=-1),
        np.concatenate((X, X, X.copy()), axis=1),
        np.stack((X, X)),
        np.stack((X, X), axis=1),
        np.sort(X, axis=0),
        np.sort(X),
        np.argsort(X, axis=1),
        np.cumsum(X, axis=0),
        np.cumsum(X, axis=1),
        np.maximum.accumulate(X),
    ):
        print([s for s, n in zip(r.strides, r.shape) if n > 1], r.base is None, r.tolist())
D = A.copy()
D.sort(axis=0)
print(how(D), D.tolist())
o = np.zeros((8, 6))
np.concatenate((A, A), out=o)
print(o.tolist())
np.cumsum(A, axis=0, out=o[:4])
print(o.tolist())
try:
    np.concatenate((A, A[:2]), axis=1)
except ValueError as e:
    print(e)
try:
    np.concatenate((A, B))
except ValueError as e:
    print(e)


# --- columns of F-ordered arrays (not on cuda: it checks indices later, and such results are in C order)
def how(x):
    return ('C' if x.flags.c_contiguous else '') + ('F' if x.flags.f_contiguous else '')


A = np.asfortranarray((np.arange(24.0) * 7 % 11).reshape(4, 6))
B = np.asfortranarray((np.arange(60) * 7 % 13).reshape(3, 4, 5))
i = np.array([5, 0, -1, 2, 2])
m = np.array([True, False, True, True, False, False])
for r in (
    A[:, i],
    A[:, m],
    A[..., i],
    A[:, [1]],
    A[:, i[:0]],
    A[:, ~m & m],
    B[:, :, [0, 0, 4, 2, 2]],
    B[..., np.array([True, False, True, False, True])],
):
    print(how(r), r.shape, r.dtype, r.tolist())
print(
    (np.asfortranarray(np.arange(6).reshape(2, 3))[:, [2, 0]] * 2).tolist(),
    A[:, i][:, ::2].tolist(),
    A[::-1, i].tolist(),
    A[1:, m].tolist(),
    A[i[1:2], :].tolist(),
    A.take(i, axis=1).tolist(),
    how(A.take(i, axis=1)),
    np.compress(m, A, axis=1).tolist(),
)
for f in (
    lambda: A[:, [0, 6]],
    lambda: A[:, [-7]],
    lambda: A[:, np.array([True, False])],
    lambda: B[:, :, [5]],
    lambda: A[:, [0.5]],
):
    try:
        print(f())
    except IndexError as e:
        print(e)
W = np.asfortranarray(np.arange(20000.0).reshape(4, 5000))
j = np.array(range(4999, -1, -1))
print(W[:, j][:, :3], how(W[:, j[:4000]]), W[:, j[:4000]].sum(axis=1), W[:, W[0] % 3 == 0].sum())
try:
    print(W[:, np.append(j, 5000)].sum())
except IndexError as e:
    print(e)
r = A[:, i]
r[0, 0] = 99
print(A[0, 5], r[0])
v = A[:, m]
A[0, 0] = 55
print(v[0])

# --- the largest and smallest of long and short slices, of which many elements are no numbers
n = 60000
at = np.concatenate((np.arange(0, 12000, 300), np.arange(12000, 50000, 2047), np.arange(50000, 60000, 2500)))
for t in 'f4', 'f8':
    x = ((np.arange(n) * 7919 % 10007) - 5000).astype(t)
    for what in range(6):
        y = x.copy()
        if what == 1:
            y[::3] = np.nan
        if what == 2:
            y[5000:30000] = np.nan
        if what == 3:
            y[5000:30000], y[29000] = np.nan, 7
        if what == 4:
            y[5000:30000], y[8001:30000:5] = -np.inf, np.nan
        if what == 5:
            y[5000:30000], y[8001:30000:5], y[20000] = np.inf, np.nan, -np.inf
        for u in np.fmax, np.fmin, np.maximum, np.minimum:
            r = u.reduceat(y, at)
            print(
                t,
                what,
                u,
                np.flatnonzero(np.isnan(r)).sum(),
                np.flatnonzero(np.isinf(r)).sum(),
                np.where(np.isfinite(r), r, 0)[::3].tolist(),
            )

# --- strided complex numbers
for n in 1, 2, 7, 31, 64, 65, 133, 1000, 5003:
    z = (np.arange(n) * 7919 % 101 - 50) + 1j * (np.arange(n) * 104729 % 97 - 48)
    for t in np.complex64, np.complex128:
        x = z.astype(t)
        w = x[::-1].copy()
        for k in 2, 3, 4, 5:
            y = x.copy()
            y[::k] = y[::k] * 2 - w[::k]
            y[k - 1 :: k] += x[: y[k - 1 :: k].size]
            a, b = x[::k], w[k - 1 :: k]
            m = min(a.size, b.size)
            print(
                n,
                t,
                k,
                (a[:m] + b[:m]).sum(),
                a.sum(),
                (a[:m] * b[:m])[:5],
                a.copy()[-3:],
                y.sum(),
                (y * np.arange(n)).sum(),
                np.abs(a).max(),
                np.where(a.real > 0, a, a.conj()).sum(),
                a.imag.sum(),
                (a == a.copy()).all(),
            )
    for t in np.complex64, np.complex128:
        q = np.tile(z.astype(t), (6, 1))
        print([(q[:, ::k].sum(0)[:3], q[::2, ::k].sum(1), (q[:, ::k] + q[1::3, :1].sum()).sum()) for k in (2, 3, 4)])


# --- concatenate of many arrays: equal, of other dtypes, pending, transposed, empty; owner of the result
def parts(t, n, m):
    return [(np.arange(m) * 3 + k).astype(t) for k in range(n)]


def told(r):
    print(
        r.dtype,
        r.shape,
        r.base is None,
        r.flags.c_contiguous,
        r.flags.owndata,
        r.ravel()[:3].tolist(),
        r.ravel()[-3:].tolist(),
        np.abs(r.astype(complex)).sum(),
    )


for t in (bool, np.int8, np.float16, np.float64, np.complex64):
    for n, m in ((1, 5), (15, 4), (16, 4), (17, 1), (40, 0), (300, 100), (1200, 9)):
        x = parts(t, n, m)
        for f in (np.vstack, np.stack, np.column_stack, np.hstack, np.concatenate, np.array, tuple):
            if f is not tuple:
                told(f(x))
        told(np.stack(x, axis=1))
        told(np.stack(tuple(x), -1))
        told(np.vstack(tuple(x)))
        told(np.concatenate([y + y for y in x]))
        told(np.concatenate([y[::-1] for y in x]))
        told(np.concatenate([y[:, None] for y in x], axis=0))
        told(np.concatenate([y[:, None] for y in x], axis=1))
        told(np.vstack([y[:, None] for y in x]))
        told(np.concatenate([y.reshape(1, -1).T for y in x] + [np.ones((2, 1), np.int16)]))
x = parts(np.int16, 200, 50)
told(np.stack(x, dtype=np.float32))
told(np.vstack(x, dtype=np.int8, casting="unsafe"))
told(np.concatenate(x[:9] + [np.ones(5, np.float32)] + x))
out = np.zeros((200, 50))
np.stack(x, out=out)
told(out)
f = np.asfortranarray(np.arange(12.0).reshape(3, 4))
told(np.stack([f] * 20))
told(np.concatenate([f] * 9000))
told(np.concatenate([f.T] * 9000))
told(np.concatenate([np.arange(30000.0) for k in range(20)]))
x[3][:] = 7  # no memory is shared
print(out[3, 0])
for bad in (
    lambda: np.stack(x + [np.ones(3)]),
    lambda: np.vstack(x + [np.ones(3)]),
    lambda: np.stack(x, axis=2),
    lambda: np.stack(x, dtype=np.uint8),
    lambda: np.column_stack(x + [np.ones(3)]),
):
    try:
        bad()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)

# --- a shape or dtype that is set leaves the array the owner of its elements
a = np.arange(6.0)
b = a[1:]
a.shape = 2, 3
print(a.base is None, a.flags.owndata, b.base.size, a)
b.shape = 5, 1
print(b.base is None, b.flags.owndata, b.base.size)
a[0, 1] = 9
print(b.ravel())
a.dtype = np.int64
print(a.base is None, a.shape)
c = np.ones(4)
c.shape = 2, 2
c.resize((3, 2), refcheck=False)
print(c)
