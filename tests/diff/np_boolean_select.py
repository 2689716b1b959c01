# Boolean select (compaction): values, indices, stores. Sizes are around the tile size of a thread block.

# --- every width, sizes around tiles
for t in (bool, np.uint16, np.float32, np.float64, np.complex128, np.float16):
    for n in (1, 31, 4096, 4097, 8192, 8193, 20001, 40000):
        x = (np.arange(n) % 251).astype(t)
        m = np.arange(n) % 3 == 1
        y = x[m]
        print(np.dtype(t), n, y.dtype, y.shape, y[:3], y[-3:], np.array_equal(y, x[1::3]))

# --- masks that select no element, all, the first, the last
for n in (1, 5, 4096, 8193, 300000):
    x = np.arange(n, dtype=np.float32)
    print(x[x < 0], x[x >= 0].size, x[x == 0], x[x == n - 1], x[x > n].shape)
    m = np.zeros(n, bool)
    m[-1] = True
    print(x[m], np.nonzero(m), np.flatnonzero(~m).size, np.nonzero(m & False))

# --- the result of a boolean select owns its memory
x = np.arange(600000, dtype=np.int64)
few, many = x[x % 1000 == 7], x[x % 3 != 0]
print(few.shape, few.nbytes, few.base is None, many.shape, many.nbytes, many.base is None, many.flags.c_contiguous)
many += 1
few[0] = -1
print(many[:4], many[-1], few[:2], x[:8])
again = np.concatenate((few, many))
print(again.size, again.sum(), many.reshape(2, -1)[:, 0], many[::-1][:3], many.copy()[-2:])
x[:] = 0
print(many[:3], few[:3])

# --- a mask that is used again, and one that pends
x = np.linspace(-1, 1, 70001)
m = x > 0.25
y = x[m]
m2 = (x * x > 0.5) & (np.sin(x) < 0.5)
z = (x * 2 + 1)[m2]
print(y.size, int(m.sum()), z.size, int(m2.sum()), x[m2].size, x[m & m2].size, x[~m].size)
print(np.allclose(z, x[m2] * 2 + 1), y.min() > 0.25, bool((x[~m] <= 0.25).all()))

# --- several dimensions, views, other orders
a = np.arange(120000, dtype=np.int32).reshape(300, 400)
print(
    a[a % 7 == 0][:5], a[::2, ::-3][a[::2, ::-3] % 5 == 0][:5], a.T[a.T % 1001 == 0][:6], a[:, 3][a[:, 3] > 100000][:3]
)
b = np.broadcast_to(np.arange(400), (300, 400))
print(b[a % 399 == 0][:6], a[b == 399][:3], a[a < 0].shape)
c = a.reshape(4, 75, 400)
print([p[:4] for p in np.nonzero(c % 9973 == 1)], np.argwhere(c % 19997 == 1))
print(np.argwhere(a > 119990).shape, np.nonzero(a[5] % 100 == 1), [p.dtype for p in np.nonzero(a == 3)])

# --- rows by a mask of the first axes
a = np.arange(60000).reshape(200, 300)
print(a[a[:, 0] % 7 == 0].shape, a[a[:, 0] % 7 == 0][1, :3], a[:, a[0] % 100 == 1][:2])
c = a.reshape(20, 10, 300)
print(c[c[:, :, 0] % 1000 == 0].shape, c[c[:, :, 0] % 1000 == 0][:2, :2])

# --- compress, extract, flatnonzero, place
a = np.arange(20000.0)
print(np.compress(a % 4999 == 1, a), np.extract(a > 19996, a), np.flatnonzero(a % 6000 == 0))
b = a.reshape(100, 200)
print(np.compress(b[:, 0] > 19500, b, axis=0).shape, np.compress(b[0] < 3, b, axis=1)[:2], np.extract(b > 19998, b))
np.place(b, b > 19996, [1, 2])
print(b[-1, -4:])

# --- lists stored through masks
for t in (np.int8, np.float32, np.complex128):
    x = (np.arange(9001) % 100).astype(t)
    m = x.real > 60
    x[m] = np.arange(int(m.sum()))[::-1] % 50
    print(x[55:65], x[-40:-35], x.sum())
x = np.zeros((300, 70))
x[np.arange(70) % 2 == 1 & (x >= 0)] = 5
print(x.sum())
for bad in (3, 0):
    try:
        x[x == 5] = np.ones(bad)
    except ValueError as e:
        print(e)

# --- the count is right where the mask comes of a computed array
x = np.arange(100000) % 1000
for step in range(5):
    x = x[x > 150 * step]
    print(x.size, x[:3], int((x > 500).sum()))
x = x[x < 0]
print(x.size, x[x > 0].size, np.nonzero(x))
# --- the method takes one sequence, or the arrays themselves
a = np.array([[0, 1], [2, 0]])
print(a.choose([1, 2, 3]).tolist(), a.choose([1, 1], 2, [3, 4]).tolist(), a.choose(1, 2, 5, mode='wrap').tolist())
try:
    np.array([0]).choose([1] * 64)
except ValueError as e:
    print(e)
