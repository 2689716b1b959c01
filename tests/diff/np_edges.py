# Edge cases of indices and casts: indices of delete and insert, partial stores of put before an error, nesting depth
# of lists, discarded imaginary parts.
import warnings


def tell(*calls):
    for f in calls:
        with warnings.catch_warnings(record=True) as w:
            warnings.simplefilter("always")
            try:
                r = repr(f())
            except Exception as e:
                r = f"{type(e).__name__} {e}"
            print(r, [f"{x.category.__name__} {x.message}" for x in w])


def store(a, i, v):
    def run():
        a[i] = v

    tell(run)
    print(a.tolist())


# --- delete
a, m = np.arange(5), np.arange(6).reshape(2, 3)
places = [
    True,
    False,
    np.True_,
    np.array(True),
    [True],
    [True, False],
    [True, False, False, True, False],
    np.array([True, False, False, True, False]),
    (True, False, True),
    0,
    -1,
    4,
    5,
    -5,
    -6,
    np.int64(2),
    np.array(3),
    np.array([3]),
    [1, 1],
    [0, -5],
    [4, -1, 4],
    [],
    np.array([], int),
    np.array([]),
    [5],
    [-6],
    [1, 7],
    slice(1, 3),
    slice(None),
    slice(None, None, -1),
    slice(4, 1, -2),
    slice(10, 20),
    slice(0, 0),
    1.0,
    [1.0],
    np.array([1.5]),
    [[0, 1], [2, 0]],
    np.uint8(2),
    np.array([1, 2], "u1"),
    range(2),
    (0, 2),
    [np.int64(1), 2],
]
for o in places:
    tell(
        lambda: np.delete(a, o),
        lambda: np.delete(m, o, axis=0),
        lambda: np.delete(m, o, 1),
        lambda: np.delete(m, o, -1),
        lambda: np.delete(m, o),
    )
# --- insert
a, m = np.arange(5), np.arange(6).reshape(2, 3)
for o in [
    np.array([True]),
    np.array([False]),
    np.array([True, False, False, True, False]),
    0,
    -1,
    4,
    5,
    -5,
    -6,
    np.int64(2),
    np.array(3),
    np.array([3]),
    [1, 1],
    [4, -1, 4],
    [],
    np.array([], int),
    [5],
    [-6],
    [1, 7],
    slice(1, 3),
    slice(None),
    slice(None, None, -1),
    slice(10, 20),
    1.0,
    [1.0],
    np.array([1.5]),
    [[0, 1], [2, 3]],
    np.array([[0], [1]]),
    range(2),
    (0, 2),
    [np.int64(1), 2],
]:
    for v in (9, [7, 8], [9.5]):
        tell(lambda: np.insert(a, o, v), lambda: np.insert(m, o, v, axis=0), lambda: np.insert(m, o, v, axis=1))
    tell(lambda: np.insert(m, o, [1, 2]))


# --- put
def put(a, *args, **kwargs):
    tell(lambda: np.put(a, *args, **kwargs))
    print(a)


put(np.arange(5), [0, 1, 9, 2], [10, 20, 30, 40])
put(np.arange(5), [0, -9], -1)
put(np.arange(5), 7, 1)
put(np.arange(5), [3, 5], 8, mode="clip")
put(np.arange(5), [3, 6], 8, mode="wrap")
put(np.zeros(0), [0], 1)
put(np.arange(6).reshape(2, 3), [5, 6], [1, 2])
put(np.arange(6).reshape(2, 3).T, [5, 0, -7, 1], [1, 2])
put(np.arange(300), np.r_[0:200, 400], -np.arange(1, 4))
# --- axes of non-arrays
print(
    np.ndim(None),
    np.ndim("abc"),
    np.ndim(3),
    np.ndim([1]),
    np.shape(None),
    np.shape("a"),
    np.size(None),
    np.size("abc"),
    np.ndim({1: 2}),
    np.ndim(2**70),
    np.shape({1, 2}),
    np.ndim(len if False else tell),
)
# --- depth of lists
for shape, i, v in [
    ((2, 1), 0, [[1]]),
    ((2, 1), 0, [[[1]]]),
    ((2, 3), 0, [[1, 2, 3]]),
    ((2, 1), (0, 0), [1]),
    ((2,), 0, [[1]]),
    ((2,), 0, [1]),
    ((2,), slice(None), [[1, 2]]),
    ((2, 2), 0, [[1, 2], [3, 4]]),
    ((2, 1), 0, np.array([[1]])),
    ((2, 1), [0], [[1]]),
    ((2, 2), ..., [[[1, 2], [3, 4]]]),
    ((2,), slice(None), ((1, 2),)),
    ((2, 2), slice(0, 1), [1, 2]),
    ((2,), [True, False], [1]),
    ((1, 2), 0, (3, 4)),
]:
    store(np.zeros(shape), i, v)
    if i != 0 or v != [1]:
        store(np.zeros(shape, complex), i, v) if isinstance(i, (slice, list)) else None
# --- imaginary parts that are dropped
z = np.array([1 + 2j, 3 + 4j])
for i, v, t in [
    (slice(None), z, float),
    (0, z[0], float),
    (slice(None), z, int),
    ([0, 1], z, float),
    (np.array([True, False]), z[:1], float),
    (0, 1j, float),
    (slice(None), 1j, float),
    (..., z, "f4"),
    (slice(None), z, complex),
    (slice(None), z, bool),
    (0, z.real[0], float),
    (slice(None), z.astype("c8"), "i2"),
    (slice(None), [z[0], 2], float),
]:
    store(np.zeros(2, t), i, v)
tell(
    lambda: z.astype(float),
    lambda: z.astype("i4"),
    lambda: np.array(z, dtype=float),
    lambda: np.asarray(z, float),
    lambda: float(z[0]),
    lambda: int(z[0]),
    lambda: np.float64(z[0]),
    lambda: np.full(2, z[0], float),
    lambda: z.astype(bool),
    lambda: z.real.astype(int),
    lambda: np.copyto(np.zeros(2), z, casting="unsafe"),
    lambda: np.put(np.zeros(2), [0], z),
    lambda: np.array([1j], dtype=float),
    lambda: np.array([z[0]], dtype=float),
    lambda: np.zeros(2).fill(z[0]),
    lambda: z.astype("c8"),
    lambda: np.abs(z).astype(int),
    lambda: np.float32(z[1]),
    lambda: np.array(1 + 1j).astype(float),
    lambda: np.float32(1j),
    lambda: z.view(float),
    lambda: np.real_if_close(z + 0),
    lambda: np.linalg.eigvals(np.eye(2)).real,
    lambda: np.fft.irfft(np.fft.rfft(np.ones(4))),
    lambda: np.isclose(z, z.real),
    lambda: np.sort(z),
    lambda: np.histogram(z.real),
    lambda: np.poly([1j, -1j]),
)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        z.astype(float)
    except np.exceptions.ComplexWarning as e:
        print("raised", e)
# --- cbrt of cubes, of scalars: NumPy's is exact with AVX-512, otherwise within 1 ULP
near = lambda x, k: abs(x - k) <= np.spacing(abs(float(k)))
print([k for k in range(-300, 301) if not near(np.cbrt(k**3), k) or not near(np.cbrt(np.float64(k) ** 3), k)])
print(type(np.cbrt(27)), type(np.cbrt(np.float64(-27))), np.cbrt([8, 27, 64]))
print(np.cbrt(0.0), np.cbrt(-0.0), np.cbrt(np.inf), np.cbrt(np.nan), f"{np.cbrt(1e300):.14g}")
# --- view(type=) names the class that views have here
v = np.arange(6)
w = v.view(np.ndarray)
w[0] = 9
print(
    v,
    w.base is v,
    type(w),
    v.view(type=np.ndarray),
    v.view(np.int32, np.ndarray)[:3],
    v.view("f4", type=np.ndarray).dtype,
)
tell(lambda: v.view(type=int), lambda: v.view("i4", 3), lambda: v.view(np.int64, type=np.float32))
# --- functions of a sum of no elements, computed next to other results without elements
import warnings
warnings.simplefilter("ignore")
a = np.array([])
for f in (np.sum, np.mean, np.prod):
    m = f(a)
    r = m + 1, np.trunc(m / 3), a + 1, a == a, f(np.zeros((0, 3)), axis=0) + 1, np.zeros((0, 3)) * 2, f(np.zeros((3, 0)), axis=1) - 1
    for k in range(1):
        pass
    print(r)
