# Python ints beyond int64 with arrays and NumPy scalars, and warnings of casts.
import warnings


def tell(*functions):
    for f in functions:
        with warnings.catch_warnings(record=True) as seen, np.errstate(all='warn', under='ignore'):
            warnings.simplefilter('always')
            try:
                made = f()
            except (OverflowError, TypeError, ValueError) as e:
                made = f'{type(e).__name__}: {e}'
        print(repr(made), getattr(made, 'dtype', ''), [str(w.message) for w in seen])


big, huge = 2**64, 2**2000
f4, f8, c16 = np.ones(2, 'f4'), np.ones(2), np.ones(2, complex)
# --- with float and complex arrays
tell(
    lambda: f8 + big,
    lambda: big - f8,
    lambda: f8 % big,
    lambda: f8**big,
    lambda: np.maximum(f8, big),
    lambda: np.sum(f8, initial=big),
    lambda: np.clip(f8, 0, big),
    lambda: c16 + big,
    lambda: np.array(3.5) + big,
    lambda: np.float32(1) + big,
    lambda: np.full(2, big, float),
    lambda: f8 * huge,
    lambda: c16 * huge,
    lambda: np.float64(1) + huge,
    lambda: np.float32(1) + huge,
    lambda: f8 < huge,
    lambda: np.array([huge], float),
    lambda: np.float64(huge),
    lambda: np.arange(2) < huge,
)
# --- with integer arrays
tell(
    lambda: np.r_[1, 2**63],
    lambda: np.r_[np.uint64(1), 2**63],
    lambda: np.r_[2.5, big],
    lambda: np.isscalar(big),
    lambda: np.result_type(2**63),
    lambda: np.result_type(2**63, 1),
    lambda: np.arange(2**63, 0, np.inf).tolist(),
    lambda: np.arange(2**63, 2**63 + 3),
    lambda: np.clip(np.arange(2), 0, 2**63),
    lambda: np.clip(np.arange(2, dtype='u8'), -1, 2**63),
    lambda: np.clip(np.arange(2, dtype='u4'), 0, 2**63),
    lambda: np.arange(2) < big,
    lambda: np.arange(2) + big,
)
# --- numbers that overflow in a cast
tell(
    lambda: np.float32(1e300),
    lambda: np.float16(70000),
    lambda: np.float16(np.float32(70000)),
    lambda: np.float32('1e300'),
    lambda: np.complex64(1e300 + 1j),
    lambda: np.float32(np.inf),
    lambda: np.float32(3) * 1e300,
    lambda: np.float16(3) + 70000,
    lambda: np.float32(3) < 1e300,
    lambda: np.float32(3) == 1e300,
    lambda: np.array(1e300, 'f4'),
    lambda: np.array([1e300, 2], 'f4'),
    lambda: np.array([70000, 1], 'f2'),
    lambda: np.full(2, 1e300, 'f4'),
    lambda: np.full_like(f4, 1e300),
)
# --- elements that overflow in a cast
def put(item, at=0, dtype='f4'):
    a = np.ones(2, dtype)
    a[at] = item
    return a


tell(
    lambda: put(1e300),
    lambda: put(np.float64(1e300)),
    lambda: put(2**200),
    lambda: put(1e300, slice(1)),
    lambda: put(np.full(2, 1e300), slice(None)),
    lambda: put([1e300, 1], slice(None)),
    lambda: put(70000.0, dtype='f2'),
    lambda: put(65504.0, dtype='f2'),
    lambda: put(np.inf),
    lambda: np.ones(2, 'f4').fill(1e300),
    lambda: np.copyto(np.ones(2, 'f4'), 1e300),
    lambda: f4 * 1e300,
    lambda: f4 < 1e300,
    lambda: np.maximum(np.ones(2, 'f2'), 1e6),
    lambda: np.clip(f4, 0, 1e300),
    lambda: np.array([70000, 1]).astype('f2'),
    lambda: np.asarray(np.full(2, 1e300), 'f4'),
)
with np.errstate(over='raise'):
    try:
        np.float32(1e300)
    except FloatingPointError as e:
        print(e)
# --- powers with infinite bases, and the operation that warns
inf = complex(np.inf, 0)
tell(
    lambda: np.complex128(inf) ** 2,
    lambda: np.array([inf]) ** 2,
    lambda: np.array([inf, 2]) ** np.array([2, 2]),
    lambda: np.array([-1.0]) ** 0.5,
    lambda: np.array([0.0]) ** -1,
    lambda: np.array([1e200]) ** 2,
)
# --- ints beyond int64 and booleans: comparisons, logical operations, dtype=bool
def attempt(f, *args, **kwargs):
    try:
        r = f(*args, **kwargs)
        print(r, r.dtype)
    except Exception as e:
        print(type(e).__name__, e)


for s in (3, 2**63, 2**64, -(2**70), True):
    for f in (np.logical_and, np.logical_or, np.equal, np.less, np.bitwise_and, np.multiply, np.maximum):
        for y in (np.array([True, False]), np.array([1, 2]), np.array([1.0, 0.0]), np.array([1, 2], np.uint64)):
            print(f.__name__, s, y.dtype, end=" ")
            attempt(f, y, s)
            attempt(f, y, s, dtype=bool)
            attempt(f, s, y, dtype=bool, casting="unsafe")
