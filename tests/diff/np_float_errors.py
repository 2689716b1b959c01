# errstate and seterr in reductions, cumulative operations, products and casts.
def tell(f, **how):
    with np.errstate(**(how or dict(all='raise'))):
        try:
            print(np.asarray(f()).tolist())
        except FloatingPointError as e:
            print(e)


big, mixed, inf, tiny = (
    np.array([1e308, 1e308]),
    np.array([1e308, -1e308]),
    np.array([np.inf, -np.inf]),
    np.array([1e-308, 1e-308]),
)
M = np.array([[1e308, 1.0], [1e308, 2.0]])
A, B = np.array([[1e308, 1e308], [1.0, 2.0]]), np.array([[2.0, 1.0], [2.0, 0.0]])
# --- reductions
for f in (
    np.sum,
    np.prod,
    np.mean,
    np.var,
    np.std,
    np.max,
    np.min,
    np.any,
    np.argmax,
    np.nansum,
    np.nanprod,
    np.nanmax,
):
    for x in (big, np.array([1.0, 2.0]), np.array([np.nan, 1.0]), np.array([np.inf, 1.0])):
        if not (f in (np.var, np.std) and (np.isinf(x).any() or x is big)):
            tell(lambda: f(x))
tell(lambda: inf.sum())
tell(lambda: inf.mean())
tell(lambda: tiny.prod())
tell(lambda: np.array([0.0, 1e-308]).prod())
tell(lambda: np.array([2.0, 3.0]).prod())
for axis in (0, 1, None, (0, 1), -1):
    tell(lambda: M.sum(axis=axis))
    tell(lambda: M.mean(axis))
    tell(lambda: M.prod(axis=axis, keepdims=True))
tell(lambda: big.sum(where=[True, False]))
tell(lambda: big[:1].sum(initial=1e308))
tell(lambda: big[:1].sum(initial=1.0))
tell(lambda: np.add.reduce(M, axis=0))
tell(lambda: np.multiply.reduce(M, axis=1))
tell(lambda: np.array([60000, 60000], 'f2').sum())
tell(lambda: np.array([3e38, 3e38], 'f4').sum())
tell(lambda: np.array([3e38, 3e38], 'f4').sum(dtype='f8'))
tell(lambda: big.astype(complex).sum())
tell(lambda: np.trace(np.eye(2) * 1e308))
tell(lambda: np.array([1, 2]).sum())
tell(lambda: np.sum([100, 100], dtype='i1'))
tell(lambda: np.divide.reduce([1.0, 0.0]))
tell(lambda: np.hypot.reduce([1e308, 1.7e308]))
tell(lambda: np.subtract.reduce(mixed))
tell(lambda: np.maximum.reduce([1.0, np.nan]))
# --- variances (numpy before 2.5)
tell(lambda: M.var(axis=1))
# --- running
for f in (
    np.cumsum,
    np.cumprod,
    np.add.accumulate,
    np.multiply.accumulate,
    np.maximum.accumulate,
    np.subtract.accumulate,
):
    for x in (big, mixed, inf, tiny, np.array([np.nan, 1.0]), np.array([np.inf, 1.0]), np.array([0.0, 3.0])):
        tell(lambda: f(x))
for axis in (0, 1):
    tell(lambda: M.cumsum(axis=axis))
    tell(lambda: M.cumprod(axis))
tell(lambda: M.cumsum())
tell(lambda: np.cumsum(5.0))
tell(lambda: np.cumsum([1, 2]))
tell(lambda: np.divide.accumulate([1.0, 0.0]))
tell(lambda: np.nancumsum([1e308, np.nan, 1e308]))
# --- products of matrices
tell(lambda: A @ B)
tell(lambda: np.matmul(A, B))
tell(lambda: A[1] @ B)
tell(lambda: A[1:] @ B)
tell(lambda: np.array([[np.inf]]) @ np.array([[0.0]]))
tell(lambda: np.array([[np.inf, 1.0]]) @ np.array([[1.0], [2.0]]))
tell(lambda: np.array([[np.nan, 1.0]]) @ B)
tell(lambda: np.matmul(A, B), over='ignore')
tell(lambda: np.linalg.matrix_power(np.array([[1e200]]), 2))
tell(lambda: np.vdot(big, [2.0, 2.0]))
tell(lambda: np.einsum('i,i', big, [2.0, 2.0]))
tell(lambda: np.einsum('i,i->i', big, [1.0, 2.0]))
for f in (np.dot, np.inner):
    tell(lambda: f([1.0, 2.0], [3.0, 4.0]))
try:
    with np.errstate(over='raise'):
        np.dot(big, [2.0, 2.0])
except FloatingPointError as e:
    print('dot')
# --- casts
for x, t in (
    ([1e10], 'f2'),
    ([1e300], 'f4'),
    ([np.inf], 'f4'),
    ([np.nan], 'f4'),
    ([np.nan], 'i4'),
    ([1e10], 'i4'),
    ([-3e9], 'i4'),
    ([2147483647.0], 'i4'),
    ([2147483648.0], 'i4'),
    ([-2147483648.5], 'i4'),
    ([1e19], 'i8'),
    ([-9223372036854775808.0], 'i8'),
    ([300.7], 'i2'),
    ([np.nan], '?'),
    ([1.5], 'c8'),
):
    tell(lambda: np.array(x).astype(t))
tell(lambda: np.array([1e300 + 1j]).astype('c8'))
tell(lambda: np.array([70000]).astype('i1'))
tell(lambda: np.array([1e10]).astype('f2'), over='ignore')
# --- means and variances of empty arrays, and with too few degrees of freedom
import warnings

warnings.simplefilter('ignore')
tell(lambda: np.array([]).mean())
tell(lambda: np.zeros((0, 2)).mean(axis=0))
tell(lambda: np.zeros((0, 2)).mean(axis=1))
tell(lambda: np.array([1.0]).var(ddof=1))
tell(lambda: np.array([[1.0], [2.0]]).var(axis=1, ddof=1))
tell(lambda: np.array([1.0, 2.0]).std(ddof=1))
tell(lambda: np.array([]).sum())
# --- linear algebra
tell(lambda: np.linalg.det([[1e308, 0], [0, 1e308]]))
tell(lambda: np.linalg.det([[1.0, 2.0], [3.0, 4.0]]).round(6))
tell(lambda: np.linalg.slogdet([[0.0]])[0])
tell(lambda: np.linalg.cond([[1.0, 0], [0, 0]]))
tell(lambda: np.linalg.norm([3.0, 4.0]))
tell(lambda: np.linalg.inv([[2.0]]))
# --- call, log, print
with np.errstate(over='call', call=lambda e, f: print('called', e, f)):
    print(big.sum(), np.cumsum(big), A @ B)
seen = []
with np.errstate(all='call', call=lambda e, f: seen.append((e, f))):
    inf.sum()
    big.prod()
    tiny.prod()
    np.array([np.nan]).astype(int)
print(seen)
with np.errstate(invalid='raise'):
    print(big.sum(), big.mean())
with np.errstate(over='raise'):
    a = big.copy()
    try:
        np.cumsum(a, out=a)
    except FloatingPointError as e:
        print(e)
    try:
        np.add.reduce(big, out=np.zeros(()))
    except FloatingPointError as e:
        print(e)
# --- arrays give warnings while warnings are recorded
import warnings

x = np.array([1.0, 0.0, np.nan])
least = np.array([-128, 5], np.int8)
calls = (
    lambda: x / 0, lambda: x // x, lambda: np.log(x - 1), lambda: np.array([1, 0]) // 0, lambda: np.array([5]) % 0,
    lambda: least // np.int8(-1), lambda: least % np.int8(-1), lambda: -least, lambda: -least[0], lambda: abs(least[0]),
    lambda: -np.uint8(3), lambda: np.array([3e38], np.float32) * np.float32(2),
    lambda: np.add.reduce(np.array([1e308, 1e308])), lambda: np.add.accumulate(np.array([1e308, 1e308])),
    lambda: np.array([[np.inf]]) @ np.array([[0.0]]), lambda: x.astype(np.int8)[0],
    lambda: np.array([1e300]).astype(np.float32), lambda: np.exp(np.array([1.0, 2.0])),
    lambda: np.nanmin([[np.nan, np.nan], [1, 2]], axis=1), lambda: np.nanmedian(np.full((2, 3), np.nan), axis=0),
    lambda: np.nanvar([[np.nan, 1.0], [1, 2]], axis=1, ddof=1),
)
for number, call in enumerate(calls):
    with warnings.catch_warnings(record=True) as seen, np.errstate(divide="warn", over="warn", invalid="warn"):
        warnings.simplefilter("always")
        result = call()
    print(number, result, [(w.category.__name__, str(w.message)) for w in seen])

# --- arrays raise errors while warnings are errors
import warnings

x = np.array([1.0, 0.0])
with warnings.catch_warnings(), np.errstate(divide="warn", over="warn", invalid="warn"):
    warnings.simplefilter("error")
    for call in (lambda: x / 0, lambda: x + 1, lambda: np.multiply.at(x, [0, 0], 1e308)):
        try:
            print(call())
        except RuntimeWarning as e:
            print("raised", e)

# --- empty means and variances
import warnings

for call in (lambda: np.mean([]), lambda: np.var([]), lambda: np.var([1.0], ddof=1),
        lambda: np.mean(np.zeros((0, 2)), axis=0),
             lambda: np.mean([1.0, 2.0], where=[False, False]), lambda: np.std([[1.0, 2.0]], axis=0, ddof=1)):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    print(result, str(seen[0].message).rstrip("."))
# --- what an assignment of other numbers warns of (numpy before 2.5)
import warnings

for index in (slice(None), [0, 2], np.array([True, False, True])):
    for item in (np.array(np.nan), np.array(1e30), np.float64(np.inf), np.array(2.5)):
        with warnings.catch_warnings(record=True) as seen, np.errstate(invalid='warn'):
            warnings.simplefilter('always')
            c = np.arange(3)
            try:
                c[index] = item
            except (ValueError, OverflowError) as e:
                print(type(e).__name__)
        print([str(w.message) for w in seen])
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter('always')
    c = np.zeros(2)
    c[0] = np.array([[3.5]])
print(c, [w.category.__name__ for w in seen])
# --- underflow of float16 and overflow of a floored quotient
h, t = np.float16, np.finfo(float).tiny
for f in (
    lambda: h(2.0**-14) * h(2.0**-14),
    lambda: h(2.0**-14) / h(2.0**11),
    lambda: h(2.0**-14) / h(2.0**10),
    lambda: h(2.0**-13) / h(2),
    lambda: np.float32(1e-30) * np.float32(1e-30),
    lambda: np.float32(2.0**-126) / np.float32(2),
):
    tell(f, under='raise')
for f in (lambda: np.floor_divide(4, t), lambda: np.float64(4) // t, lambda: np.floor_divide(np.array([4.0]), t),
        lambda: np.remainder(4, t)):
    tell(f, over='raise')
    tell(f, over='ignore', invalid='raise')
# --- which operation a warning names
import warnings

for call in (
    lambda: np.dot([1e308, 1e308], [10, 10.0]), lambda: np.dot([[np.inf, 1]], [[0.0], [1]]), lambda: np.divmod([1.0], 0.0),
    lambda: np.divmod([1], 0), lambda: np.divmod(np.array([-128], np.int8), np.int8(-1)), lambda: np.divmod([np.inf], 2.0),
    lambda: np.divmod([0.0, 1.0], 0.0), lambda: np.reciprocal(np.array([0, 2])), lambda: np.reciprocal(np.array([0], np.uint8)),
    lambda: np.spacing(np.inf), lambda: np.spacing([np.inf]), lambda: np.std([]), lambda: np.var(np.zeros((0, 2)), axis=0),
    lambda: np.nanmean([[np.nan], [1]], axis=1), lambda: np.cov([1.0]), lambda: np.cov([[1.0, 2.0]], ddof=3),
):
    with warnings.catch_warnings(record=True) as seen, np.errstate(divide="warn", over="warn", invalid="warn"):
        warnings.simplefilter("always")
        result = call()
    print(result, [str(w.message) for w in seen])
# --- casts to integers are invalid beyond the processor's conversion
import warnings

for kind in (np.float64, np.float32, np.complex128):
    for to in "bBhHiIlL":
        invalid = []
        for value in (-1.0, 200.0, 300.0, 4e4, 7e4, -4e4, 3e9, -3e9, 1e19, -1e19, 3e19, np.nan, np.inf):
            for item in (kind(value), np.full(3, value, kind)):
                if to == "I" and abs(value) > 2**32:
                    continue
                with warnings.catch_warnings(record=True) as seen, np.errstate(invalid="warn"):
                    warnings.simplefilter("always")
                    item.astype(to)
                invalid.append(sum("invalid value encountered in cast" in str(w.message) for w in seen))
        print(kind.__name__, to, invalid)
# --- deprecated names (numpy before 2.4)
import warnings

for call in (
    lambda: np.trapz([1, 2]), lambda: np.in1d([1], [1, 2]), lambda: np.row_stack(([1], [2])), lambda: np.cross([1, 2], [3, 4]),
    lambda: np.cross([1, 2, 3], [3, 4]), lambda: np.cross([1, 2, 3], [3, 4, 5]),
):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    print(result, [(w.category.__name__, str(w.message)) for w in seen])
