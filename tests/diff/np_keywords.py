# Keyword arguments: bounds of clip, given means, device=.
# --- clip
a = np.array([1, 5, 9])
f = np.array([[1.0, 2, 4], [8, 16, 32]])
print(
    np.clip(a, min=2, max=6),
    np.clip(a, 2, 6, dtype=float),
    a.clip(max=4),
    np.clip(a, None, 3),
    a.clip(2),
    np.clip(a, min=3),
)
for bad in (lambda: np.clip(a, 1), lambda: np.clip(a, 1, 2, min=3), lambda: np.clip(a, a_max=3)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
out = np.zeros(3)
print(np.clip(a, 2, 6, out=out) is out, out)
print(a.clip(2, 6, dtype=np.float32).dtype)
# --- var and std about a known mean
a = np.array([1, 5, 9])
f = np.array([[1.0, 2, 4], [8, 16, 32]])
print(
    np.var(f, mean=3.0),
    np.std(f, axis=1, mean=f.mean(axis=1, keepdims=True)),
    np.std(f, correction=1),
    np.var(f, correction=1),
    f.var(0, keepdims=True, mean=0),
)
try:
    np.var(f, ddof=1, correction=1)
except Exception as e:
    print(type(e).__name__, e)
print(np.nanvar([1, np.nan, 3], correction=1), np.nanstd([1, 2, 3.0], mean=2), np.nanvar([1, np.nan, 3], mean=0))
# --- compress, piecewise, results in pairs
a = np.array([1, 5, 9])
f = np.array([[1.0, 2, 4], [8, 16, 32]])
print(np.compress([0, 1, 1], f, axis=1), np.compress([0, 1, 1], a, out=np.zeros(2, int)), f.compress([1, 0], axis=0))
print(
    np.piecewise(a * 1.0, [a < 5, a >= 5], [lambda x, k: x * k, lambda x, k: x + k], 10),
    np.piecewise(a, [a < 5], [lambda x, k=1: x * k, 7], k=3),
)
o1, o2 = np.zeros(3), np.zeros(3)
r = np.modf([1.5, -2.5, 3], out=(o1, o2))
print(r, o1, o2, r[0] is o1)
print(np.divmod([7, -7], 2), np.frexp([8.0, 3.0]), np.divmod(7, 2))
print(np.unique([3, 1, 3], sorted=True))
x = np.zeros(3)
np.put(x, [0], [5])
print(x)
x.put([1], 7)
print(x)
# --- device
print(
    np.zeros(2, device=None),
    np.linspace(0, 1, 3, device="cpu"),
    np.eye(2, device="cpu"),
    np.ones_like([1, 2], device="cpu"),
    np.arange(3, device="cpu"),
    np.asarray([1], device="cpu"),
)


# --- products: dtype, casting and axes
def tell(f):
    try:
        r = f()
        print(r.dtype, r.shape, np.asarray(r).ravel().tolist())
    except Exception as e:
        print(type(e).__name__, e)


a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(4, 2, 5)
tell(lambda: np.matmul(a, b, axes=[(1, 2), (0, 2), (1, 2)]))
tell(lambda: np.matmul(a[0], a[1], axes=[(1, 0), (0, 1), (0, 1)]))
tell(lambda: np.matmul(a[0], a[1], axes=[(1, 0), (0, 1), (1, 0)]))
tell(lambda: np.matmul(a[0], a[1].T, dtype="f4"))
tell(lambda: np.matmul([[1]], [[2]], dtype=float))
tell(lambda: np.matmul(a[0], a[1].T, dtype="f4", casting="no"))
tell(lambda: np.matmul([[1.5]], [[2]], dtype=int))
tell(lambda: np.matmul([[1.5]], [[2]], dtype=int, casting="unsafe"))
tell(lambda: np.matmul(a[0], a[1].T, out=np.zeros((3, 3)), axes=[(0, 1), (0, 1), (1, 0)]))
for axes in (3, [(0, 1)], [(0, 1), 0, (0, 1)], [(0, 1), (0, 1, 2), (0, 1)]):
    tell(lambda: np.matmul(a[0], a[1].T, axes=axes))
tell(lambda: np.vecdot(a, a, axes=[0, 0, ()]))
tell(lambda: np.vecdot(a, a, axes=[1, 1]))
tell(lambda: np.vecdot(a, a, axis=0, keepdims=True))
tell(lambda: np.vecdot([1, 2], [3, 4], dtype=float))
tell(lambda: np.matvec(a[0], [1, 2, 3], axes=[(1, 0), 0, 0]))
tell(lambda: np.vecmat([1, 2, 3], a[0], dtype="f4"))
tell(lambda: np.vecmat([1, 2, 3, 4], a[0], axes=[0, (1, 0), 0]))
# --- names of old and of other functions (numpy before 2.5)
x = np.zeros(4)
np.put(a=x, ind=[1, 2], v=[3])
x.put(indices=[0], values=7)
print(x)
print(
    np.percentile([1, 2, 3, 4], 50, interpolation="lower"),
    np.quantile([1, 2, 3, 4], 0.5, interpolation="nearest"),
    np.nanpercentile([1, np.nan, 4], 50, interpolation="higher"),
)
try:
    np.quantile([1, 2], 0.5, method="lower", interpolation="nearest")
except TypeError as e:
    print(e)
print(np.tri(2, M=3, k=1, dtype=int, like=None), np.eye(2, like=None), np.identity(2, like=None))
