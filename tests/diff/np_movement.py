# Lazy data movement: concatenate, pad, roll and others, fused with their consumers. In host memory only arrays of more
# than 64 KB are lazy; smaller ones are copied at once.
from showing import attempt

DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()


def field(*shape, dtype=float):
    """Small integers in no order, exact in every dtype."""
    count = int(np.prod(shape))
    return (np.arange(count) * 7919 % 101 % 13).reshape(shape).astype(dtype)


def show(*arrays):
    """Shape, dtype, and weighted sums of integers, which no order of a sum changes."""
    for a in arrays:
        a = np.asarray(a)
        weights = (np.arange(a.size) % 251 + 1).reshape(a.shape)
        print(a.dtype, a.shape, ((a.real * 8).astype(np.int64) * weights).sum(),
            ((a.imag * 8).astype(np.int64) * weights).sum(),
              a.ravel()[:3], a.ravel()[-3:])


# --- a stencil by padding
for shape in ((300, 200), (3, 30000), (30000, 3), (17, 40, 33)):
    u = field(*shape)
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        p = np.pad(u, 1, mode=mode)
        inner = (slice(1, -1),) * (u.ndim - 1)
        show(p[(slice(None, -2),) + inner] + p[(slice(2, None),) + inner] - 2 * u, p)

# --- stencil steps in a loop
u = field(130, 140)
for step in range(7):
    p = np.pad(u, 1)
    u = (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]) * 0.25
show(u, p)
v = field(130, 140)
for step in range(7):
    laplacian = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4 * v
    v = v + 0.125 * laplacian
show(v, laplacian)
w = field(130, 140)
for step in range(5):
    p = np.pad(w, ((1, 0), (0, 1)), mode="edge")
    w[:] = (p[1:, 1:] + p[:-1, :-1]) * 0.5
    w[3:6] = 1
show(w, p)

# --- every dtype
for dtype in DTYPES:
    a = field(170, 130, dtype=dtype)
    show(np.roll(a, 5, 0) ^ a if a.dtype == bool else np.roll(a, 5, 0) + a)
    show(np.concatenate([a, a[:7], a[::-1]]) == np.concatenate([a[::-1], a[-7:], a]))
    show(np.pad(a, ((2, 3), (1, 0)), constant_values=1)[1:, ::-1])
    show(np.pad(a, 3, mode="reflect"), np.stack([a, a[::-1]]).T, np.hstack([a[:, :100], a]),
        np.where(np.roll(a, 1, 1) != 0, a, 0))

# --- dtypes that are promoted
for left in ("bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "complex64"):
    for right in ("bool", "int16", "uint32", "int64", "float32", "float64", "complex128"):
        show(np.concatenate([field(90, 110, dtype=left), field(95, 110, dtype=right)])[40:] * 2)
show(np.concatenate([field(20000), field(10, dtype=int)], dtype=np.float32) + 1)
attempt(np.concatenate, [field(20000), field(10)], dtype=np.int8)

# --- widths and shifts: zero, negative, oversized
a = field(101, 203)
for shift in (0, 1, -1, 50, 101, 102, -203, 1000, -1001):
    for axis in (None, 0, 1, -1, (0, 1)):
        show(np.roll(a, shift, axis) * 2 - a)
show(np.roll(a, (3, -4, 5), (0, 1, 0)) + a, np.roll(a.T, 7, 0) - a.T, np.roll(a[::2, ::-3], 7) + 1)
for width in (0, 1, (3, 0), ((0, 0), (0, 5)), ((150, 120), (1, 2)), 250):
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "minimum", "linear_ramp"):
        show(np.pad(a, width, mode=mode) + 1)
for width in (-1, ((1, -2), (0, 0)), (1, 2, 3), 1.5, ((1, 2), (3, 4), (5, 6))):
    attempt(np.pad, a, width)
for axis in (2, -3):
    attempt(np.roll, a, 1, axis)
    attempt(np.concatenate, [a, a], axis=axis)
attempt(np.concatenate, [a, a[:, 1:]])
attempt(np.concatenate, [a, a[0]])
attempt(np.pad, a.astype(np.uint8), 1, constant_values=300)

# --- no and many dimensions
show(np.pad(field(), 0), np.pad(field(0), 3), np.pad(field(0, 4), ((0, 0), (2, 1))), np.roll(field(0, 3), 2, 0))
show(np.concatenate([field(0, 200), field(100, 200), field(0, 200)]) + 1, np.concatenate([field(0, 5), field(0, 5)]))
for shape in ((20000,), (2, 10000), (5, 60, 70), (7, 8, 20, 20)):
    a = field(*shape)
    for axis in range(a.ndim):
        b = np.flip(a, axis)
        show(np.concatenate([a, b, a * 2], axis) - 1, np.roll(a, 3, axis) * b,
            np.diff(a, axis=axis, prepend=0, append=b))
        show(np.stack([a, b, b], axis) + 1, np.append(a, b, axis) * 2, np.insert(a, 1, 9, axis) + 1,
            np.gradient(a, axis=axis) * 4)
        show(np.tile(a, 2) + 1, np.repeat(a, 2, axis) + 1, np.concatenate([a, b], axis).sum(axis),
            np.roll(b, 2, axis).max(axis))

# --- blocks and rows
a, b = field(120, 130), field(120, 70)
show(np.block([[a, b], [b, a]]) + 1, np.vstack([a, a[0], a[:2]]) - 1, np.column_stack([a, a[:, 0], b]) * 2,
    np.dstack([a, a]) + 1)
show(np.rot90(np.concatenate([a, b], 1)) + 1, np.concatenate([a, b], 1).reshape(60, 400) + 1,
    np.concatenate([a, b], None)[::3] * 2)
show(np.array_split(np.roll(a, 7), 3)[1] * 3, np.lib.stride_tricks.sliding_window_view(np.pad(a.ravel(), 2), 5).sum(-1))

# --- producers: elementwise, reductions, cumulative sums, gathers, functions
a = field(150, 140)
for make in (lambda: a * 2 + 1, lambda: np.sqrt(a * a), lambda: a.cumsum(0), lambda: a[np.arange(150)[::-1]],
        lambda: a - a.mean(0)):
    show(np.roll(make(), 3, 0) + 1, np.pad(make(), 1) * 2, np.concatenate([make(), make()[:9]]) + 1,
        np.stack([make(), a]) * 4)
    p = make()
    q = np.concatenate([p, p[:, :5]], 1)
    show(q[:, 3:] - 1, p, q)
index = np.arange(20000) * 7 % 20000
show(np.concatenate([a.ravel(), a.ravel()])[index] + 1, np.concatenate([a.ravel()[index], a.ravel()])[5:] + 1)
rows = np.concatenate([a, a[:30]])
show(rows.sum(0), rows.sum(1), rows.max(), (rows * 2).argmax(1), rows.cumsum(1), rows.mean(), np.roll(a, 1, 0).sum(),
    (np.roll(a, 1, 1) * a).sum(0))

# --- stores in between: the sources change, the results do not
a = field(150, 140)
rolled, padded, joined = np.roll(a, 5, 0), np.pad(a, 2, mode="wrap"), np.concatenate([a, a[:3]])
later = rolled + 1
a[10:20] = -7
show(a, rolled, padded, joined, later)
a += 1
b = np.roll(a, 1, 1)
b[0] = 5
show(a, b)
joined[:10] = joined[-10:]
show(joined, a)
view = padded[1:-1]
padded[3] = 99
show(view, padded)

# --- results that overwrite their sources
u = field(150, 140)
u[:] = np.roll(u, 1)
show(u)
u[:] = np.roll(u, -3, 1) + np.roll(u, 2, 0)
show(u)
u[1:] = np.concatenate([u[:1], u[:-2]])
show(u)
u[1:-1, 1:-1] = np.pad(u, 1)[2:-2, :-4] + u[1:-1, 1:-1]
show(u)
u += np.roll(u, 1, 0)
show(u)
np.concatenate([u[75:] + 1, u[:75] * 2], out=np.empty_like(u))
u[:] = np.concatenate([u[75:], u[:75]])
show(u)
np.add(np.roll(u, 1, 1), u, out=u)
show(u)
u.T[:] = np.roll(u.T, 9, 0)
show(u)

# --- memory order, copies and views
a = np.asfortranarray(field(150, 140))
for r in (np.pad(a, 1), np.pad(a.T, 1), np.pad(a[::2], 1), np.concatenate([a, a]), np.concatenate([a.T, a.T], 1),
        np.stack([a, a])):
    print(r.flags.c_contiguous, r.flags.f_contiguous, r.flags.owndata, r.flags.writeable)
    show(r)
b = np.pad(a, 0)
c = np.roll(a, 0)
d = np.concatenate([a])
b[0, 0] = c[0, 0] = d[0, 0] = 77
print(a[0, 0], b[0, 0], c[0, 0], d[0, 0], np.shares_memory(a, b), np.shares_memory(a, c), np.shares_memory(a, d))

# --- conditions on borders
a = field(150, 140)
i, j = np.ogrid[:150, :140]
border = (i == 0) | (j == 0) | (i == 149) | (j == 139)
show(np.where(border, 0, np.roll(a, 1, 0) + np.roll(a, -1, 0)), np.where(np.pad(a, 1)[1:-1, :-2] > 3,
    np.pad(a, 1, mode="edge")[2:, 2:], -1))
# --- take along axes without elements: which indices are checked
for shape in ((0,), (0, 0), (3, 0), (0, 3), (0, 0, 1), (2, 0, 3)):
    for axis in (0, 1, None):
        if axis and axis >= len(shape):
            continue
        for at in (99, [0], [], [99, 1], 0, -1, [[0]]):
            try:
                print(shape, axis, at, np.take(np.zeros(shape), at, axis=axis).shape)
            except IndexError as e:
                print(shape, axis, at, e)
