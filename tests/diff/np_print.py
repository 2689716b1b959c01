# Array printing.
# --- one dim
print(np.arange(3), np.array([]), np.array([1.0]), np.array([True]), np.array(["a"]) if False else "")
# --- repr
for a in (
    np.arange(3),
    np.array([1.5]),
    np.array([]),
    np.array(5),
    np.array([True, False]),
    np.array([1j]),
    np.zeros((0, 3)),
):
    print(repr(a))
# --- repr with dtype
for t in ("int8", "int32", "uint8", "uint64", "float16", "float32", "complex64"):
    print(repr(np.array([1, 2], dtype=t)), repr(np.array([], dtype=t)))
# --- widths of integers
print(np.array([1, 100, -5]), np.array([[1, -10], [1000, 2]]), np.array([-1, -2]))
# --- floats share their digits
print(
    np.array([1.5, 2.25, 3]),
    np.array([0.1, 100.25]),
    np.array([1 / 3, 2 / 3]),
    np.array([1e-3, 1.0]),
    np.array([0.1 + 0.2]),
)
# --- floats with integral values
print(np.array([1.0, 2.0]), np.array([-0.0, 0.0]), np.array([1e6, 1.0]), np.array([123456789.0]))
# --- when scientific notation is used
print(
    np.array([1e-5, 1.0]),
    np.array([1e10, 1.0]),
    np.array([1e16]),
    np.array([1e15, 1]),
    np.array([1e-300, 1e300]),
    np.array([123456.789e5, 0.001]),
)
# --- nan and inf
print(
    np.array([np.nan, 1.5]),
    np.array([np.inf, -np.inf]),
    np.array([np.nan]),
    np.array([1e20, np.nan, np.inf]),
    np.array([np.inf, 1]),
)
# --- float32 digits
print(
    np.array([0.1, 1 / 3], dtype=np.float32),
    np.float32(0.1),
    repr(np.float32(1) / 3),
    np.array([16777216, 0.5], np.float32),
    np.array([1e-8], np.float32),
)
# --- float16 digits
print(np.array([0.1, 65504, 1 / 3], dtype=np.float16), repr(np.float16(0.1)))
# --- complex arrays
print(
    np.array([1 + 2j, -1.5 - 0.25j]),
    np.array([1j, 1]),
    repr(np.array([1e10 + 1j])),
    np.array([complex(np.nan, np.inf)]),
)
# --- two dims
print(np.arange(6).reshape(2, 3))
print(repr(np.arange(6).reshape(2, 3)))
print(np.arange(6.0).reshape(3, 2) / 3)
# --- three dims
print(np.arange(8).reshape(2, 2, 2))
print(repr(np.arange(12).reshape(2, 3, 2)))
# --- four dims
print(np.arange(16).reshape(2, 2, 2, 2))
# --- long lines wrap
print(np.arange(40))
print(repr(np.arange(40)))
print(np.linspace(0, 1, 13))
print(repr(np.linspace(0, 1, 13)))
# --- wrapped rows
print(np.arange(60).reshape(2, 30))
print(repr(np.arange(60).reshape(2, 30) * 1.5))
# --- summarised
print(np.arange(2000))
print(repr(np.arange(2000)))
print(np.arange(1001.0) / 7)
# --- summarised two dims
print(np.arange(10000).reshape(100, 100))
print(repr(np.zeros((50, 50))))
# --- summarised along one axis
print(np.zeros((2, 1000), int))
print(np.ones((1000, 2)))
# --- summarised three dims
print(np.arange(8000).reshape(20, 20, 20))
# --- just under the threshold
print(np.arange(1000).reshape(10, 100)[:, :5])
print(np.zeros(1000).shape)
# --- empty arrays
print(np.zeros((0,)), np.zeros((2, 0)), repr(np.zeros((0, 2), int)), repr(np.zeros((3, 0, 2))), np.zeros((1, 0, 1)))
# --- zero dims
print(np.array(1.5), np.array(True), repr(np.array(2, dtype=np.int8)), repr(np.array(1.0)), np.array(1e-20))
# --- boolean arrays
print(np.array([[True, False], [False, True]]), repr(np.array([[True]])))
# --- negative numbers
print(np.array([-1.5, 2, -300]), np.array([[-1, 10], [5, -100]]))
# --- scalars
print(
    np.float64(1.5),
    np.int64(3),
    np.bool_(False),
    np.float32(1e10),
    np.float64(1e16),
    np.complex128(1 + 2j),
    np.float64(np.nan),
)
# --- scalars by repr
for x in (
    np.float64(1.5),
    np.int64(3),
    np.bool_(False),
    np.float32(0.1),
    np.uint8(7),
    np.complex128(1j),
    np.float64("inf"),
    np.float16(2),
):
    print(repr(x), str(x), [x])
# --- scalars in containers
print([np.float64(1), np.int8(2)], (np.bool_(True),), {"k": np.float32(0.5)}, {np.int64(1): "a"})
# --- arrays in containers
print([np.arange(2), np.array(1)], {"a": np.ones(2)}, (np.array([True]),))
# --- printoptions: precision
np.set_printoptions(precision=3)
print(np.array([1 / 3, 123.456789]), np.float64(1 / 3))
np.set_printoptions(precision=8)
print(np.array([1 / 3]))
# --- printoptions: suppress
np.set_printoptions(suppress=True)
print(np.array([1e-10, 1.0]), np.array([1e-5, 1000.5]))
np.set_printoptions(suppress=False)
# --- printoptions: threshold and edgeitems
np.set_printoptions(threshold=5, edgeitems=2)
print(np.arange(20), np.arange(36).reshape(6, 6))
np.set_printoptions(threshold=1000, edgeitems=3)
# --- printoptions: linewidth
np.set_printoptions(linewidth=30)
print(np.arange(20), repr(np.arange(10.0)))
np.set_printoptions(linewidth=75)
# --- array2string and array_str
a = np.array([1.23456, 2])
print(
    np.array2string(a, precision=2),
    np.array_str(a),
    np.array_repr(a),
    np.array2string(a, separator=", "),
    np.array2string(np.arange(3), prefix="xx"),
)
# --- printoptions as a context
with np.printoptions(precision=2):
    print(np.array([1 / 3]))
print(np.array([1 / 3]))
# --- very different sizes
print(np.array([1e-8, 1e8]), np.array([1, 1e5, 1e9]), np.array([0.00001, 123456.0]), np.array([99999999.0, 0.1]))
# --- rounding of digits
print(
    np.array([0.123456789, 1.0]), np.array([9.999999999]), np.array([0.999999999, 1]), np.array([2.5, 3.14159265358979])
)
# --- integers of many digits
print(np.array([9223372036854775807, -9223372036854775808]), repr(np.array([2**40])))
# --- str of array in f-string and str
a = np.arange(4).reshape(2, 2)
print(str(a), f"{a}", f"value: {a[0]}", "%s" % a[1], repr(a).replace("\n", "|"))
# --- dtype prints
print(
    np.dtype("float32"),
    repr(np.dtype("int8")),
    np.arange(2).dtype,
    repr(np.zeros(1).dtype),
    np.float32,
    np.int64,
    np.bool_,
)
# --- display of the last value
np.arange(3) * 1.5
