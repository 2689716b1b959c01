# Whole programs.
# --- linear regression by the normal equations
x = np.arange(10.0)
y = 3 * x + 2 + np.where(x % 2 == 0, 0.5, -0.5)
A = np.stack([x, np.ones_like(x)], axis=1)
M, v = A.T @ A, A.T @ y
det = M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]
slope = (M[1, 1] * v[0] - M[0, 1] * v[1]) / det
icept = (M[0, 0] * v[1] - M[1, 0] * v[0]) / det
print(f"slope {slope:.6f} intercept {icept:.6f} residual {((y - slope * x - icept) ** 2).sum():.6f}")
# --- gradient descent
x = np.linspace(-1, 1, 21)
y = 2 * x - 0.5
w, b = 0.0, 0.0
for epoch in range(200):
    error = w * x + b - y
    w -= 0.5 * (error * x).mean()
    b -= 0.5 * error.mean()
print(f"{w:.4f} {b:.4f}")
# --- logistic regression
X = np.stack([np.arange(8) % 4, np.arange(8) // 4], axis=1).astype(float)
t = (X[:, 0] > 1).astype(float)
w = np.zeros(2)
b = 0.0
for _ in range(500):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    g = p - t
    w = w - 0.3 * (X.T @ g) / len(t)
    b = b - 0.3 * g.mean()
print((p > 0.5).astype(int), np.round(p, 3))
# --- k-means
points = np.array([[0, 0], [1, 0], [0, 1], [9, 9], [10, 9], [9, 10]], dtype=float)
centres = points[[0, 3]].copy()
for _ in range(5):
    d = ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)
    label = d.argmin(axis=1)
    for k in range(2):
        centres[k] = points[label == k].mean(axis=0)
print(label, centres)
# --- power iteration
A = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]])
v = np.ones(3)
for _ in range(60):
    v = A @ v
    v /= np.sqrt(v @ v)
print(f"{v @ A @ v:.6f}", np.round(np.abs(v), 5))
# --- page rank
links = {0: [1, 2], 1: [2], 2: [0], 3: [0, 2]}
n = len(links)
M = np.zeros((n, n))
for src, dst in links.items():
    for d in dst:
        M[d, src] = 1 / len(dst)
r = np.full(n, 1 / n)
for _ in range(80):
    r = 0.85 * (M @ r) + 0.15 / n
print(np.round(r, 5), f"{r.sum():.6f}")
# --- gaussian elimination
A = np.array([[2.0, 1, -1], [-3, -1, 2], [-2, 1, 2]])
b = np.array([8.0, -11, -3])
n = len(b)
for i in range(n):
    p = i + np.argmax(np.abs(A[i:, i]))
    A[[i, p]] = A[[p, i]]
    b[[i, p]] = b[[p, i]]
    for j in range(i + 1, n):
        f = A[j, i] / A[i, i]
        A[j, i:] -= f * A[i, i:]
        b[j] -= f * b[i]
x = np.zeros(n)
for i in range(n - 1, -1, -1):
    x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
print(np.round(x, 6))
# --- jacobi iteration
A = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]])
b = np.array([1.0, 2, 3])
d = np.diag(A)
x = np.zeros(3)
for k in range(60):
    x = (b - (A - np.diag(d)) @ x) / d
print(np.round(x, 8), np.allclose(A @ x, b))
# --- heat on a rod
u = np.zeros(21)
u[10] = 100
for step in range(100):
    u[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
print(np.round(u, 3), f"{u.sum():.4f}")
# --- laplace on a plate until it settles
T = np.zeros((10, 10))
T[0] = 100
change, steps = 1.0, 0
while change > 0.01 and steps < 1000:
    new = 0.25 * (T[:-2, 1:-1] + T[2:, 1:-1] + T[1:-1, :-2] + T[1:-1, 2:])
    change = np.abs(new - T[1:-1, 1:-1]).max()
    T[1:-1, 1:-1] = new
    steps += 1
print(steps, np.round(T[5], 3))
# --- life with a glider that wraps
g = np.zeros((8, 8), dtype=np.uint8)
for i, j in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]:
    g[i, j] = 1
for _ in range(12):
    n = np.zeros_like(g)
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            if di or dj:
                n += np.roll(g, (di, dj), axis=(0, 1))
    g = ((n == 3) | ((n == 2) & (g == 1))).astype(np.uint8)
print("\n".join("".join(".#"[v] for v in row) for row in g))
# --- image: blur, edges, threshold
img = np.zeros((7, 7))
img[2:5, 2:5] = 9
pad = np.pad(img, 1)
blur = sum(pad[i : i + 7, j : j + 7] for i in range(3) for j in range(3)) / 9
edge = np.abs(img[:, 1:] - img[:, :-1])[1:, :] + np.abs(img[1:] - img[:-1])[:, 1:]
print(np.round(blur, 2), edge.astype(int), (blur > 4).sum())
# --- grey levels and a histogram
rgb = (np.arange(4 * 5 * 3).reshape(4, 5, 3) * 7 % 256).astype(np.uint8)
grey = (rgb @ np.array([0.25, 0.5, 0.25])).astype(np.uint8)
counts = np.bincount(grey.ravel() // 64, minlength=4)
print(grey, counts, counts.sum())
# --- moving average and outliers
x = np.array([1, 2, 1, 2, 30, 2, 1, 2, 1, 2.0])
w = 3
c = np.cumsum(np.insert(x, 0, 0))
avg = (c[w:] - c[:-w]) / w
z = (x - x.mean()) / x.std()
print(np.round(avg, 3), np.where(np.abs(z) > 2)[0], np.round(z, 2))
# --- running maximum and drawdown
price = np.array([10, 12, 11, 15, 9, 13, 20, 18])
peak = np.maximum.accumulate(price)
dd = (price - peak) / peak
print(peak, np.round(dd, 4), dd.argmin(), np.diff(price), np.round(np.diff(price) / price[:-1], 3))
# --- trapezoid and simpson
x = np.linspace(0, np.pi, 101)
y = np.sin(x)
h = x[1] - x[0]
trap = h * (y[0] / 2 + y[1:-1].sum() + y[-1] / 2)
simp = h / 3 * (y[0] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum() + y[-1])
print(f"{trap:.6f} {simp:.8f}")
# --- monte carlo with a congruential generator
state = 12345
hits, n = 0, 2000
for _ in range(n):
    state = (1103515245 * state + 12345) % 2147483648
    x = state / 2147483648
    state = (1103515245 * state + 12345) % 2147483648
    y = state / 2147483648
    if x * x + y * y < 1:
        hits += 1
print(hits, 4 * hits / n)
# --- discrete fourier transform by its definition
x = np.array([1.0, 2, 0, -1, 1.5, 0, -2, 1])
n = len(x)
k = np.arange(n)
W = np.exp(-2j * np.pi * k[:, None] * k / n)
X = W @ x
back = (np.conj(W) @ X).real / n
print(np.round(np.abs(X), 5), np.allclose(back, x))
# --- newton fractal
y, x = np.mgrid[-1:1:5j, -1:1:7j]
z = x + 1j * y + 0.01
for _ in range(30):
    z = z - (z**3 - 1) / (3 * z**2)
roots = np.exp(2j * np.pi * np.arange(3) / 3)
print(np.abs(z[..., None] - roots).argmin(-1))
# --- planets: conservation of energy
pos = np.array([[1.0, 0], [-1, 0]])
vel = np.array([[0, 0.5], [0, -0.5]])


def accel(p):
    d = p[None] - p[:, None]
    r2 = (d**2).sum(-1) + np.eye(2)
    return (d / (r2**1.5)[..., None]).sum(axis=1)


for _ in range(100):
    vel += 0.01 * accel(pos)
    pos += 0.01 * vel
print(np.round(pos, 4), np.round((vel**2).sum(), 4))
# --- shortest paths
inf = np.inf
D = np.array([[0, 3, inf, 7], [8, 0, 2, inf], [5, inf, 0, 1], [2, inf, inf, 0]])
for k in range(4):
    D = np.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
print(D)
# --- edit distance in an array
a, b = "kitten", "sitting"
d = np.zeros((len(a) + 1, len(b) + 1), int)
d[:, 0] = range(len(a) + 1)
d[0] = range(len(b) + 1)
for i in range(1, len(a) + 1):
    for j in range(1, len(b) + 1):
        d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
print(d[-1, -1], d[3])


# --- game of nim values
def mex(s):
    n = 0
    while n in s:
        n += 1
    return n


g = [0]
for n in range(1, 15):
    g.append(mex({g[n - k] for k in (1, 3, 4) if k <= n}))
print(g)


# --- queens
def queens(n, row=0, cols=(), diag=(), anti=()):
    if row == n:
        return 1
    return sum(
        queens(n, row + 1, cols + (c,), diag + (row - c,), anti + (row + c,))
        for c in range(n)
        if c not in cols and row - c not in diag and row + c not in anti
    )


print([queens(n) for n in range(1, 7)])


# --- roman numerals
def roman(n):
    out = ""
    for v, s in [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ]:
        while n >= v:
            out += s
            n -= v
    return out


print([roman(n) for n in (1, 4, 9, 14, 1999, 2024)])


# --- a small parser of expressions
def parse(text):
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def atom(i):
        if tokens[i] == "(":
            v, i = add(i + 1)
            return v, i + 1
        return float(tokens[i]), i + 1

    def mul(i):
        v, i = atom(i)
        while i < len(tokens) and tokens[i] in "*/":
            w, j = atom(i + 1)
            v, i = (v * w if tokens[i] == "*" else v / w), j
        return v, i

    def add(i):
        v, i = mul(i)
        while i < len(tokens) and tokens[i] in "+-":
            w, j = mul(i + 1)
            v, i = (v + w if tokens[i] == "+" else v - w), j
        return v, i

    return add(0)[0]


print(parse("1 + 2 * ( 3 - 4 ) / 8"), parse("2 * 3 + 4"), parse("( 1 + 1 ) * ( 2 + 2 )"))
# --- csv by hand
text = "name,mass,age\nann,61.5,30\nbob,80.25,41\ncat,4.5,3\n"
head, *rows = [line.split(",") for line in text.strip().split("\n")]
data = {h: [r[i] for r in rows] for i, h in enumerate(head)}
mass = np.array([float(m) for m in data["mass"]])
print(data["name"], f"{mass.mean():.3f}", {n: int(a) for n, a in zip(data["name"], data["age"])})
# --- table of statistics
a = np.array([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]])
print(f"{'row':>4}{'mean':>8}{'min':>5}{'max':>5}")
for i, row in enumerate(a):
    print(f"{i:>4}{row.mean():>8.2f}{row.min():>5}{row.max():>5}")
print(f"{'all':>4}{a.mean():>8.2f}{a.min():>5}{a.max():>5}")
# --- one-hot and confusion matrix
truth = np.array([0, 1, 2, 1, 0])
guess = np.array([0, 2, 2, 1, 1])
hot = np.eye(3, dtype=int)[truth]
conf = np.zeros((3, 3), int)
np.add.at(conf, (truth, guess), 1)
print(hot, conf, np.trace(conf) / conf.sum(), (truth == guess).mean())
# --- a layer, forward and back
X = np.arange(6.0).reshape(2, 3) / 10
W = (np.arange(12.0).reshape(3, 4) - 6) / 10
h = np.maximum(X @ W, 0)
g = 2 * (h - 1) / h.size
dW = X.T @ (g * (h > 0))
print(np.round(h, 4), np.round(dW, 5))
# --- sorting network on columns
a = np.array([[5, 2, 9], [1, 8, 3], [4, 4, 4]])
for i in range(3):
    for j in range(2):
        lo, hi = np.minimum(a[j], a[j + 1]), np.maximum(a[j], a[j + 1])
        a[j], a[j + 1] = lo, hi
print(a)
# --- run lengths
x = np.array([1, 1, 2, 2, 2, 3, 1, 1])
edge = np.flatnonzero(np.diff(x)) + 1
start = np.concatenate(([0], edge))
print(x[start], np.diff(np.concatenate((start, [len(x)]))))
# --- bits of numbers
n = np.arange(8)
bits = (n[:, None] >> np.arange(2, -1, -1)) & 1
print(bits, bits.sum(axis=1), bits @ [4, 2, 1], n ^ (n >> 1))
# --- pascal and binomials
row = [1]
for _ in range(6):
    print(row)
    row = [a + b for a, b in zip([0] + row, row + [0])]


# --- a bank with closures and errors
def account(balance):
    def withdraw(n):
        nonlocal balance
        if n > balance:
            raise ValueError(f"only {balance} left")
        balance -= n
        return balance

    return withdraw


w = account(100)
for n in (30, 50, 40):
    try:
        print(w(n))
    except ValueError as e:
        print("refused:", e)
