# numpy.testing: what passes, what fails, and the messages.
# --- assertions (numpy before 2.5)
from numpy.testing import assert_allclose, assert_array_equal, assert_equal, assert_almost_equal, assert_raises
import numpy.testing as npt


def attempt(f, *a, **k):
    try:
        f(*a, **k)
        print("fine")
    except AssertionError as e:
        print("AssertionError", e)
    except Exception as e:
        print(type(e).__name__, e)


a = np.array([1.0, 2, 3])
b = np.array([1.0, 2, 4])
attempt(assert_allclose, a, b)
attempt(assert_allclose, a, a + 1e-9)
attempt(assert_allclose, a, b, rtol=0.1, atol=2)
attempt(assert_allclose, a, b, rtol=1e-3, err_msg="hello")
attempt(assert_allclose, [1, np.nan], [1, np.nan])
attempt(assert_allclose, [1, np.nan], [1, 2.0])
attempt(assert_allclose, [1, np.nan], [1, np.nan], equal_nan=False)
attempt(assert_allclose, [1, 2], [1, 2, 3])
attempt(assert_allclose, [np.inf, 1], [np.inf, 1])
attempt(assert_allclose, [np.inf, 1], [-np.inf, 1])
attempt(assert_allclose, 1.0, 1.1)
attempt(assert_allclose, np.eye(2), 1)
attempt(assert_array_equal, [1, 2, 3], [1, 2, 3])
attempt(assert_array_equal, [1, 2, 3], [1, 5, 3])
attempt(assert_array_equal, [1, np.nan], [1, np.nan])
attempt(assert_array_equal, np.zeros((2, 3)), np.zeros((3, 2)))
attempt(assert_array_equal, [True, False], [True, True])
attempt(assert_array_equal, np.ones((2, 2), np.int8), np.ones((2, 2)), strict=True)
attempt(assert_array_equal, [0, 1], [0, 0])
attempt(assert_equal, 1, 1)
attempt(assert_equal, 1, 2)
attempt(assert_equal, [1, 2], [1, 3])
attempt(assert_equal, {"a": 1}, {"a": 2})
attempt(assert_equal, "a", "b")
attempt(assert_equal, a, b)
attempt(assert_equal, np.nan, np.nan)
attempt(assert_almost_equal, 1.0, 1.0000001)
attempt(assert_almost_equal, 1.0, 1.001)
attempt(assert_almost_equal, a, b, decimal=3)
attempt(npt.assert_array_almost_equal, a, b)
attempt(npt.assert_array_almost_equal, a, a + 1e-8)
attempt(npt.assert_array_less, a, b)
attempt(npt.assert_array_less, a, b + 1)
attempt(npt.assert_approx_equal, 0.12345677777777e-20, 0.1234567e-20)
attempt(npt.assert_approx_equal, 0.123, 0.124, significant=3)
attempt(npt.assert_, 1 == 1)
attempt(npt.assert_, False, "why")
with assert_raises(ValueError):
    np.zeros(3).reshape(2)
attempt(assert_raises, ZeroDivisionError, lambda: 1 / 0)
try:
    with assert_raises(ValueError):
        pass
except AssertionError as e:
    print(e)
attempt(npt.assert_array_max_ulp, a, a)
attempt(npt.assert_array_max_ulp, a, b)
attempt(npt.assert_string_equal, "a", "a")
attempt(assert_allclose, np.arange(20.0), np.arange(20.0) + (np.arange(20) > 17) * 0.5)

# --- warnings, ULP
import warnings

T = np.testing


def tell(f, *args):
    try:
        print(repr(f(*args)))
    except AssertionError as e:
        print(str(e).split("[")[0])


x = np.array([1.0, 1e-10, 1e-20])
eps = np.finfo(float).eps
tell(lambda: T.assert_array_almost_equal_nulp(x, x * eps / 2 + x))
tell(lambda: T.assert_array_almost_equal_nulp(x, x * eps + x))
tell(lambda: T.assert_array_almost_equal_nulp(np.array([1 + 1j]), np.array([1 + 2j])))
tell(lambda: T.print_assert_equal("name", [0, 1], [0, 1]))
tell(lambda: T.print_assert_equal("name", 1, 2))


def old(k):
    warnings.warn("old", DeprecationWarning)
    return k


tell(lambda: T.assert_warns(DeprecationWarning, old, 4))
tell(lambda: T.assert_warns(UserWarning, abs, 4))
tell(lambda: T.assert_no_warnings(abs, -3))
tell(lambda: T.assert_no_warnings(old, 1))


def quiet():
    with T.assert_warns(UserWarning):
        pass


def loud():
    with T.assert_warns(DeprecationWarning):
        return old(1)


def none():
    with T.assert_no_warnings():
        return old(2)


for f in (quiet, loud, none):
    tell(f)
with T.suppress_warnings() as block:
    seen = block.record(DeprecationWarning)
    block.filter(UserWarning, "bad")
    old(1)
    warnings.warn("bad thing")
    print(len(seen), len(block.log), seen[0].category.__name__)
# --- messages
print(np.testing.build_err_msg([1, 2], 'hello'))
print(np.testing.build_err_msg([np.array([1.123456789]), [2]], 'a\nb', header='X', names=('one', 'two')))
print(np.testing.build_err_msg([np.array([1 / 3])], '', verbose=False))
print(np.testing.build_err_msg([np.array([1 / 3])], '', precision=3))

# --- every pair of values, and the message of each assertion (numpy before 2.5)
import warnings

warnings.simplefilter("ignore")
T = np.testing
nan, inf = math.nan, math.inf
scalars = [0, 2**60, True, 0.0, -0.0, 1.0, 1.0 + 2**-52, 1 + 1e-8, -1e300, nan, inf, -inf, 0j, complex(1, -0.0), 1 + 1j,
           complex(nan, 1), complex(1, nan), complex(nan, nan), complex(inf, 1), complex(1, -inf), complex(nan, inf),
           np.float16(1), np.float32(-0.0), np.float32(nan), np.float64(0.1), np.int8(-128), np.uint8(255),
           np.uint64(2**64 - 1), np.complex64(1), np.True_]
others = [None, "", "a", [], [nan], [0.0], [-0.0], [1, nan], (1, nan), (1,), [[1], [2]], {}, {"a": nan}, {"a": -0.0},
    {"b": 1}]
arrays = [np.array(v) for v in (0.0, -0.0, 1.0, nan, inf, 1, True, 1 + 1j, complex(nan, 1))] + [
    np.array([]), np.zeros((0, 2)), np.array([0.0, -0.0]), np.array([-0.0, 0.0]), np.array([nan, 1.0]),
    np.array([1.0, nan]), np.array([inf, 1.0]), np.array([-inf, 1.0]), np.array([inf, -inf, nan, 1.0]),
    np.array([inf, -inf, nan, 1.5]), np.array([1, 2]), np.array([1.0, 2.0]), np.array([[1.0, 2.0]]),
    np.array([1, 2], np.uint8), np.array([3, 0], np.uint8), np.array([True, False]),
    np.array([1 + 2j, complex(nan, 1)]), np.array([1 + 2j, complex(1, nan)]), np.array([complex(inf, 1), 2]),
    np.array([complex(inf, 2), 2]), np.array([1.0, 2.0 + 1e-9]), np.array([1.0, 2.0], np.float32),
    np.array([1.0, 2.0], np.float16), np.array([5, 127], np.int8), np.array([2**63, 1], np.uint64)]
checks = [
    T.assert_equal, T.assert_array_equal, T.assert_almost_equal, T.assert_array_almost_equal, T.assert_allclose,
    T.assert_array_less, T.assert_approx_equal, T.assert_array_almost_equal_nulp, T.assert_array_max_ulp,
    T.assert_string_equal, lambda x, y: T.assert_equal(x, y, strict=True), lambda x, y: T.assert_array_equal(x, y,
        strict=True),
    lambda x, y: T.assert_allclose(x, y, equal_nan=False), lambda x, y: T.assert_allclose(x, y, rtol=0.5, atol=1),
    lambda x, y: T.assert_almost_equal(x, y, 0, "text"), lambda x, y: T.assert_array_max_ulp(x, y, 2**30, np.float32)]


def outcome(check, x, y):
    try:
        check(x, y)
        return "fine"
    except AssertionError as e:
        return f"refused {e}"
    except Exception as e:
        return type(e).__name__


def kind(v):
    return isinstance(v, np.ndarray) and v.ndim and 2 or not isinstance(v, (str, type(None), dict, list, tuple)) and 1


def sensible(check, x, y):  # without NumPy's arrays of strings and objects, and lists of unequal lengths
    return check in checks[:1] + checks[10:11] or kind(x) and kind(y)


pairs = [(x, y) for some in (scalars + others, arrays + scalars[::6] + others[3:9]) for x in some for y in some]
for n, check in enumerate(checks):
    for x, y in pairs[n % 3 :: 3]:
        if sensible(check, x, y):
            print(n, repr(x), repr(y), outcome(check, x, y))
