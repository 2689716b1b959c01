# Stores that raise and change nothing: second results of ufuncs, round(out=), putmask, place, fill.
from showing import attempt

i = np.arange(4)

# --- a second result that cannot be stored leaves the first one alone
for f, args in ((np.divmod, (2,)), (np.modf, ()), (np.frexp, ())):
    for second in (np.ones(2), np.ones((2, 3)), np.ones(3, np.int8), np.ones(3, bool)):
        x = np.ones(3) * 5
        try:
            f(x, *args, out=(x, second))
        except Exception as error:
            print(type(error).__name__, str(error).strip())
        print(x, second)

# --- results that can be stored
x, a, b = np.arange(4.0) - 1.5, np.zeros(4), np.zeros(4)
print(np.divmod(x, 2, out=(a, b))[1] is b, a, b)
print(np.modf(x, out=(None, b))[1] is b, np.modf(x, out=(a, None))[0] is a, a, b)
print(np.frexp(x, out=(np.zeros(4), np.zeros(4, int))))

# --- round into an array (numpy before 2.5)
for o in (np.zeros(3), np.zeros(4, int), np.zeros((4, 1)), np.zeros((2, 2)), np.zeros(4, "f4"), np.zeros(4, complex),
        np.zeros(4, bool)):
    attempt(lambda: np.round(i / 3, 1, out=o))
    attempt(lambda: np.round(i, 0, out=o))
    attempt(lambda: np.round(i, -1, out=o))
    attempt(lambda: (i / 3).round(out=o))
    attempt(lambda: (i * 1j).round(1, out=o))

# --- rounding of integers and bools
print(i.round(), np.round(i, 2), i.round(-1), (i > 1).round().dtype, np.round(np.int8(5), 3))
attempt(lambda: (i > 1).round(1))
attempt(lambda: (i > 1).round(-1))

# --- putmask and fill
for mask, values in ((i > 1, [1.5]), (i > 1, np.array([1.5])), ([True], 3), (True, 3), (np.ones((2, 2), bool), 5),
        ([1, 0], [2])):
    x = i.copy()
    attempt(np.putmask, x, mask, values)
    print(x)
for v in ([7.0], [[7.0]], (7.0,), [], [1.0, 2.0]):
    x = np.ones((2, 2))
    attempt(x.fill, v)
    print(x)
# --- place and sort: sizes of masks, arrays that are read-only
from showing import outcome
a = np.array(4)
np.place(a, [True], [7, 8])
print(a)
a = np.arange(6).reshape(2, 3)
np.place(a, a.ravel() > 2, [7, 8])
print(a, outcome(lambda: np.place(a, [True, False], 1)), outcome(lambda: np.place(a, np.zeros((2, 4), bool), 1)))
a.flags.writeable = False
print(outcome(a.sort), outcome(lambda: a.sort(axis=0)), outcome(lambda: np.broadcast_to(np.arange(3), (2, 3)).sort()))
# --- read-only arrays are reported before shape mismatches
a = np.broadcast_to(np.zeros(2), (3, 2))
try:
    a |= 1
except Exception as error:
    print(type(error).__name__, error)
# --- errors of copyto, fill_diagonal, flat and divmod
def attempt(f):
    try:
        f()
        return 'fine'
    except Exception as error:
        return type(error).__name__, str(error)
def fill(a, value):
    a.flat[:2] = value
a = np.array(1)
print(attempt(lambda: np.copyto(a, 2, where=[True])), attempt(lambda: np.copyto(np.zeros(0), [[1], [0]], where=False)),
    attempt(lambda: np.copyto(np.zeros(3), 1, where=[True, False])))
print(attempt(lambda: np.copyto(np.zeros((2, 3)), np.ones(2), where=True)),
    attempt(lambda: np.copyto(np.zeros((2, 3)), np.ones((2, 1)), where=[True])))
print([attempt(lambda: np.fill_diagonal(np.ones((2, 2), dtype), v)) for dtype in ('i4', 'f4', 'u1') for v in (np.inf,
    np.nan, 1.5, [1, 2])])
print([attempt(lambda: fill(np.ones(3, dtype), v)) for dtype in ('i4', 'f4', 'u1') for v in (np.inf, np.nan, 1.5,
    [1, 2])])
for f in (np.divmod, lambda x, y, out: np.modf(x + 0.5, out=out)):
    x, b = np.arange(3), np.zeros(3, bool)
    print([attempt(lambda: f(x, 2, out=out)) for out in ((b, b), (x, b), (b, None), (None, b), (None, x))], x, b)

# --- scalars out of range of a signed dtype, computed and lazy (numpy before 2.5)
wide, half = np.arange(298, 301), np.array([0.5, 300.5, math.nan, math.inf, -129.0])
scalars = {
    "int64": np.int64(300), "element": wide[2], "lazy": (wide + 0)[2], "sum": wide.sum(), "in range": (wide - 200)[0],
    "uint64": np.arange(300, dtype=np.uint64)[299], "float": half[1], "lazy float": (half * 1)[1], "nan": (half * 1)[2],
    "inf": (half * 1)[3], "below": (half * 1)[4], "small float": (half * 1)[0], "bool": (wide > 0)[0],
    "large": (wide + 2**62)[0], "array": np.array(300), "row": wide[2:]}
with np.errstate(all="ignore"):
    for name, v in scalars.items():
        for t in (np.int8, np.int16, np.int64, np.uint8, np.float32):
            a = np.zeros((2, 2), t)
            for store in (
                lambda: a.__setitem__((0, 0), v), lambda: a.__setitem__(0, v),
                lambda: a.__setitem__((slice(None), 1), v), lambda: a.fill(v),
                lambda: a.__setitem__(slice(None), np.array([v, v], t) if name != "row" else 0),
                lambda: np.full(2, v, t)):
                try:
                    store()
                    shown = str(a.tolist()) if np.dtype(t).kind == "i" or name in ("in range", "bool",
                        "small float") else "stored"
                except (OverflowError, TypeError, ValueError) as e:
                    shown = f"{type(e).__name__} {e}"
                print(name, np.dtype(t), shown)

# --- extents beyond 64 bits
for make in (np.empty, np.zeros, np.ones, lambda shape: np.full(shape, 1)):
    for shape in (2**64, (2**63,), [2**100, 0], (3, -2**70)):
        try:
            make(shape)
        except ValueError as e:
            print(e)

# --- a mask of where= that does not broadcast to the operand
arrays = [np.array(1), np.ones(1), np.ones(3), np.ones((2, 3)), np.ones((2, 1)), np.ones(0)]
masks = [np.ones(shape, bool) for shape in ((), (1,), (3,), (2,), (2, 3), (4, 2, 3), (2, 1), (1, 3))]
for reduction in (np.any, np.sum, np.prod, np.logical_or.reduce, lambda a, **how: np.max(a, initial=0, **how)):
    for a in arrays:
        for mask in masks:
            for how in ({}, {"axis": -1}, {"axis": 0, "keepdims": True}):
                try:
                    print(a.shape, mask.shape, np.asarray(reduction(a, where=mask, **how)).tolist())
                except ValueError as e:
                    print(a.shape, mask.shape, e)

# --- results of reductions into an array that is read-only
row, point, x = np.broadcast_to(np.zeros(3), (3,)), np.broadcast_to(np.array(1.0), ()), np.ones((2, 3))
whole = np.broadcast_to(np.zeros(3, np.int64), (3,))
for f in (
    lambda: x.max(0, out=row), lambda: x[0].max(out=point), lambda: x.sum(0, out=row), lambda: x.any(0, out=row),
    lambda: x.mean(0, out=row), lambda: x.std(0, out=row), lambda: np.trace(x, out=point),
    lambda: np.add.reduce(x, 0, out=row), lambda: x[0].cumsum(out=row), lambda: np.divmod(x[0], 1, out=(row, whole)),
    lambda: np.modf(x[0], out=(row, row)), lambda: np.put(row, [0], 1), lambda: np.put(row, [], "a")):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)

# --- Python ints out of range: uint32 counts as unsigned long, where= converts, a cast is refused later (numpy before 2.5)
for t in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float32):
    for v in (300, -1, 2**31, 2**32, 2**63, 2**64 - 1, 2**64, -2**63 - 1):
        a = np.ones(2, t)
        for f in (
            lambda: a[0] + v, lambda: v - a, lambda: np.maximum(a, v), lambda: np.where(a == 1, a, v),
            lambda: np.where(a == 0, a, v), lambda: np.add([0.5], v, dtype=np.uint64), lambda: np.add(a, v, dtype=t)):
            try:
                print(np.dtype(t), v, np.asarray(f()).tolist())
            except (OverflowError, TypeError) as e:
                print(np.dtype(t), v, type(e).__name__, e)

# --- quantiles along and across empty axes, and by a float64 scalar (numpy before 2.5)
for t in (bool, np.int8, np.float16, np.float32):
    for shape in ((3,), (2, 0, 3), ()) if t != bool else ((2, 0, 3),):
        a = np.ones(shape, t)
        for q in (0.25, [0.25, 0.5], np.float64(0.25), np.array([0.25, 0.5]), np.float32(0.25)):
            for axis in (0, -1) if shape else (None,):
                for method in ("linear", "nearest"):
                    for f in (np.quantile,
                            lambda a, q, **how: np.percentile(a, np.multiply(q, 100) if np.ndim(q) or isinstance(q,
                                np.generic) else 25, **how)):
                        try:
                            r = f(a, q, axis=axis, method=method)
                            print(np.dtype(t), shape, axis, method, type(r).__name__, r.dtype, r.shape)
                        except (TypeError, IndexError) as e:
                            print(np.dtype(t), shape, axis, method, type(e).__name__, e)
