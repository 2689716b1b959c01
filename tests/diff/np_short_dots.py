# Dot products of short vectors, many of one structure, in loops that store them.
# --- sizes, strides and dtypes
for t in (np.float64, np.float32, np.int64, np.int32, np.uint8, np.complex128, np.complex64, np.bool_, np.float16):
    a = (np.arange(120) % 7 - 3).astype(t).reshape(10, 12)
    b = (np.arange(120) % 5 - 1).astype(t).reshape(12, 10)
    for n in (0, 1, 2, 3, 5, 8, 9, 10):
        x, y = a[:, 1][:n], b[3][:n]
        pairs = [(x, y), (y, y), (x, x), (x[::-1], y), (x[::-1], y[::-1]), (y[::-1], y), (a[2, :n], a[3, :n]),
            (a[2, :n], a[2, 1 : n + 1])]
        print(t.__name__, n, *[f"{type(r).__name__} {r + type(r)(0)}" for r in [np.dot(u, v) for u,
            v in pairs] + [u @ v for u, v in pairs]])

# --- broadcast and pending operands, different dtypes
x = np.linspace(0, 1, 9)
for k in range(3):
    print(np.broadcast_to(2.0, 9) @ x, (x + k) @ x, x @ (x + k), (x + k) @ (x + k), np.arange(9) @ x, np.float32(x) @ x,
        np.inner(x, x), np.vdot(x, 1j * x))

# --- errors
x = np.ones(4)
for f in (lambda: x @ np.ones(3), lambda: np.dot(x, np.ones(5)), lambda: x @ 2.0, lambda: np.dot(x[:2], x[:3])):
    for _ in range(2):
        try:
            print(f())
        except ValueError as e:
            print(e)

# --- operands that change between products
x = np.arange(6.0)
y = np.ones(6)
for k in range(6):
    x[k] += x @ y
    y[k:] = y[k:] * 2
    y[k] -= y[:3] @ x[3:]
    x[:2] += y[2:4]
    print(x @ y, x[:k] @ y[:k], x[k:] @ x[: 6 - k])

# --- factorizations and recurrences
n = 24
a = np.fromfunction(lambda i, j: 1 / (1 + np.abs(i - j)), (n, n)) + n * np.eye(n)


def cholesky(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def lu(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def trisolv(l, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


c, d, x = a.copy(), a.copy(), np.zeros(n)
cholesky(c)
lu(d)
trisolv(c, x, a[0])
print(np.allclose(np.tril(c) @ np.tril(c).T, a), np.allclose((np.tril(d, -1) + np.eye(n)) @ np.triu(d), a),
    np.allclose(np.tril(c) @ x, a[0]))
print(c[:, :3].round(6), d[3].round(6), durbin(1 / (2 + np.arange(12.0))).round(6))
