# ufunc.at and ufunc.reduceat of every dtype: loops of one type, all kinds of indices, slices at indices, casts.
import warnings

warnings.simplefilter("ignore")
TYPES = "? b h i l B H I L e f d F D".split()


def values(t, n, seed=7):
    k = (np.arange(n) * 2654435761 + seed * 40503) % 65521
    if t == "?":
        return k % 3 == 0
    x = (k % 251 - (0 if t in "BHIL" else 120)).astype(t)
    return x + (k % 7 * 1j).astype(t) if t in "FD" else x


def told(c):
    return (c.astype("l") if c.dtype == "L" else c).tolist()


def both(f, t, *rest):
    for u in f:
        c = values(t, 60, 3)
        try:
            getattr(np, u).at(c, *rest)
        except Exception as e:
            print(u, t, type(e).__name__)
        else:
            print(u, t, c.dtype, told(c))


def sliced(names, t, x, at, **more):
    for u in names.split():
        try:
            r = getattr(np, u).reduceat(x, at, **more)
        except Exception as e:
            print(u, t, type(e).__name__)
        else:
            if u == "multiply" and t in "FD":
                r = r + 0  # the sign of zero depends on the order of the factors
            print(u, t, r.dtype, r.shape, told(r.ravel())[:40], told(r.ravel())[-40:])


SLICED = "add maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor logical_and logical_or"
AT = np.array([0, 1, 1, 5, 4, 20, 36, 52, 53, 90, 120, 187, 250, 763, 1276, 1790, 4800, 4799, 9000, 9001])


def slices_of(t):
    """Segmented reductions (ufunc.reduceat) of one dtype: short and long segments, along each axis, strided."""
    x = values(t, 9002)
    if t in "efd":
        x = np.sign(x)  # sums are exact in any order
    if t in "FD":
        x = np.sign(x.real).astype(t) + 1j * np.sign(x.imag - 3).astype(t)
    sliced(SLICED, t, x, AT)
    sliced("add maximum bitwise_xor", t, x[::-3], AT // 4)
    if t != "?":
        sliced(
            "multiply",
            t,
            np.where(x.imag == 0, 1j, 1).astype(t) if t in "FD" else np.where(x == 0, 1, np.sign(x)).astype(t),
            AT,
        )
    sliced(SLICED, t, x[:9000].reshape(9, 1000), AT[:14] // 2, axis=1)
    sliced(SLICED, t, x[:9000].reshape(3000, 3), AT[:15], axis=0)
    sliced("add minimum bitwise_or", t, x[:9000].reshape(3, 30, 100), [0, 7, 7, 29, 3], axis=1)
    sliced("add maximum", t, x[:9000].reshape(3, 3000), (1, 0, 2), axis=0)
    sliced("add maximum logical_and", t, x, [0, 9001])
    sliced("add multiply maximum", t, x[:99], AT[:8], dtype=np.int16 if t in "?bB" else t)


# --- binary operations at repeated indices
i = np.arange(1500) ** 2 % 60
i[700:] %= 9
for t in TYPES:
    both(
        "add subtract multiply maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor".split(),
        t,
        i,
        values(t, 1500),
    )
    both("logical_and logical_or greater equal".split(), t, i[:700], values(t, 700))

# --- quotients, remainders, shifts, powers, signs, scales
i = np.arange(90) * 7 % 41
for t in "b h i l B H I L e f d".split():
    d = np.where(values(t, 90) == 0, 1, values(t, 90)).astype(t)
    both("floor_divide remainder fmod".split(), t, i, d)
    if t in "efd":
        both("divide copysign heaviside".split(), t, i[:20], d[:20])
    else:
        both("left_shift right_shift gcd".split(), t, i, (np.abs(d.astype(int)) % 4).astype(t))
for t in "efd":
    both(["ldexp"], t, i, np.arange(90) % 3 - 1)
both(["power"], "d", i[:30], np.full(30, 2.0))
both(["power"], "D", i[:3], np.full(3, 1.0 + 0j))

# --- operations of one operand
for t in TYPES:
    both(
        ("" if t in "FD" else "absolute ").split()
        + "negative positive square conjugate invert reciprocal floor logical_not sign".split(),
        t,
        np.array([1, 5, 5, 59, 0, 5]),
    )

# --- negative, two-dimensional, strided indices, other integer dtypes, masks, slices, no indices
for t in TYPES:
    v = values(t, 600)
    a, b, c, d, e = (values(t, 60, s) for s in range(5))
    np.add.at(a, np.arange(600) * 11 % 120 - 60, v)
    np.maximum.at(b[::-3], np.arange(600) % 20, v)
    np.add.at(c.reshape(6, 10), (np.arange(600) % 6, np.arange(600) * 3 % 10 - 10), v)
    np.add.at(c.reshape(6, 10)[:, 3], np.arange(600).astype(np.uint8) % 6, v)
    np.add.at(d, np.arange(60) % 7 < 2, v[:18])
    np.multiply.at(d, slice(5, 50, 4), v[:12])
    np.add.at(e, np.arange(40).reshape(8, 5) % 9, v[:40].reshape(8, 5))
    np.add.at(e, np.array([], int), v[:0])
    np.add.at(e, 7, v[1])
    np.add.at(e, ..., v[2])
    np.add.at(e, (np.arange(3)[:, None] * 0 + np.arange(4)), v[5])
    print(t, told(a), told(b), told(c), told(d), told(e))

# --- slices at indices: rows, columns, long ones, other layouts, broadcast values
for t in TYPES:
    v = values(t, 3 * 1300)
    a, b, c, d = (
        values(t, 60).reshape(12, 5),
        values(t, 60).reshape(3, 4, 5),
        np.zeros((3, 1300), t),
        values(t, 60).reshape(5, 12).T,
    )
    np.add.at(a, [3, 3, -1, 0], v[:20].reshape(4, 5))
    np.maximum.at(a, (slice(None), [1, 4, 1]), v[:3])
    np.add.at(a, [2, 2], v[0])
    np.add.at(b, ([0, 2, 0], slice(None, None, -2), [1, 1, 1]), v[:6].reshape(3, 2))
    np.add.at(b, (slice(None), 1), v[:5])
    np.add.at(c, [1, 1, 2], v.reshape(3, 1300))
    np.add.at(c, [0, 0], v[:1300])
    np.square.at(d, [[1, 2], [1, 3]])
    np.add.at(d, [5, 5], v[:5][::-1])
    print(t, told(a), told(b), told(c[:, ::99]), c.sum(), told(d))

# --- casts
i = np.arange(50) % 13
for t in TYPES:
    for w in TYPES:
        c = values(t, 13)
        try:
            np.add.at(c, i, values(w, 50))
        except Exception as e:
            print(t, w, type(e).__name__)
        else:
            print(t, w, told(c))
        try:
            np.logical_or.at(c, i, values(w, 50))
        except Exception as e:
            print(t, w, type(e).__name__)
        else:
            print(t, w, told(c))

# --- NaN, infinities, zeros with a sign, halves that overflow and vanish
odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 6e4, 6e-8, 1.0]
for t in "efd":
    i, v = np.repeat(np.arange(8), 8), np.tile(np.array(odd).astype(t), 8)
    for u in ("add", "multiply", "maximum", "minimum", "fmax", "fmin", "divide", "copysign"):
        c = np.array(odd).astype(t)
        getattr(np, u).at(c, i, v)
        e = np.repeat(np.array(odd).astype(t), 8)
        getattr(np, u).at(e, np.arange(64), v)
        print(
            t,
            u,
            c.tolist(),
            np.isnan(e).sum(),
            (
                np.signbit(e[~np.isnan(e) & ((e != 0) | (u in ("add", "multiply", "copysign")))]).sum()
                if u != "divide"
                else 0
            ),
            (np.isinf(e) * np.sign(e) > 0).sum(),
            (np.where(np.isfinite(e), e, 0) + 0).tolist(),
        )

# --- values and indices that are the array itself
for t in "b i l e d D".split():
    c = values(t, 40)
    np.add.at(c, np.arange(40) % 5, c)
    print(t, c.tolist())
c = np.arange(40) % 7
np.add.at(c, c, 1)
print(c.tolist())
c = np.arange(40) % 7
np.add.at(c[::2], c[1::2], c[1::2])
print(c.tolist())

# --- an index out of bounds leaves the array unchanged (not on cuda: it finds it among others at work)
c = np.arange(5, dtype=np.int8)
for bad in ([0, 5], [0, -6]):
    try:
        np.add.at(c, bad, 1)
    except IndexError as e:
        print(e, c)
np.add.at(c, [[0, 1]], [1, 2, 3])

# --- rounding: integers are unchanged, real and imaginary parts are rounded separately
for t in TYPES[1:]:
    x = values(t, 40)
    y, z, w = np.round(x), x.round(2), np.round(x, -1)
    print(t, y.dtype, z.dtype, w.dtype, told(y)[:9], told(w)[:9])
    if t in "efdFD":
        x = (
            (values("l", 70) / 4).astype(t) + (1j * values("l", 70, 2) / 4).astype(t)
            if t in "FD"
            else (values("l", 70) / 4).astype(t)
        )
        x[:4] = np.nan, np.inf, -0.5, -0.0
        print(
            np.rint(x).tolist(),
            np.round(x[::3]).tolist(),
            np.round(x, 1)[:9].tolist(),
            np.signbit(np.real(np.rint(x))).sum(),
        )
x = np.arange(5)
y = np.round(x, out=np.zeros(5, int))
print(y is x, y, round(x[1], 1), x[::2].round())


# --- segmented reductions: short and long segments, along each axis: bool and signed integers
for t in TYPES[:5]:
    slices_of(t)

# --- segmented reductions: short and long segments, along each axis: unsigned integers
for t in TYPES[5:9]:
    slices_of(t)

# --- segmented reductions: short and long segments, along each axis: floats and complex numbers
for t in TYPES[9:]:
    slices_of(t)

# --- reduceat with NaN, and of float16, rounded once
for t in "efdFD":
    x = np.where(np.arange(4000) % 97 == 5, np.nan, values(t, 4000)).astype(t)
    for u in ("add", "maximum", "minimum", "fmax", "fmin"):
        r = getattr(np, u).reduceat(x, np.arange(0, 4000, 31))
        q = getattr(np, u).reduceat(x.reshape(400, 10), np.arange(0, 400, 3), axis=0)
        print(
            t,
            u,
            r.dtype,
            np.flatnonzero(np.isnan(r)).tolist(),
            np.isnan(q).sum(),
            np.nan_to_num(r)[::9].tolist(),
            np.nan_to_num(q)[::20].tolist(),
        )
x = np.full(5000, 1 / 3, np.float16)
print(np.add.reduceat(x, [0, 3, 100]), np.multiply.reduceat(x + 1, [0, 4, 4994]))
for bad in ([0, 9], (-1, 2), np.array([3, 12])):
    try:
        np.add.reduceat(np.arange(9), bad)
    except IndexError as e:
        print(e)
print(np.add.reduceat(np.arange(9), [True, False]))
np.add.reduceat(np.arange(9), [[1, 2]])

# --- few elements that others are compared with
for t in TYPES:
    x = values(t, 3000).reshape(30, 100)
    for n in (1, 3, 10, 11):
        few = values(t, 90, 5)[::8][:n]
        print(
            t,
            n,
            np.isin(x, few).sum(),
            np.isin(x, few, invert=True).sum(),
            np.isin(x[:, ::2], few.astype("d") if t not in "FD" else few).shape,
            np.isin(x, few)[3, :9].tolist(),
        )
x = np.where(np.arange(3000) % 5 == 0, np.nan, np.arange(3000) % 7.0)
print(
    np.isin(x, [np.nan, 3]).sum(),
    np.isin(x, [-0.0]).sum(),
    np.isin(np.arange(3000), [5, 2.5, 7]).sum(),
    np.isin(np.full(2000, -1), np.array([-1]).astype(np.uint64)).sum(),
)
# --- searchsorted and isin of booleans
bools = np.arange(3000).reshape(30, 100) % 3 == 0
for tests in (
    [True],
    [False],
    [True, False],
    [],
    np.arange(2000) % 2 == 0,
    np.ones(50, bool),
    np.arange(40),
    [1, 0.5],
    [0.0],
    [1 + 0j],
    1,
):
    for x in (bools, bools[::-1, ::2], bools[0, 0], np.arange(3000) % 5, np.arange(3000) / 2):
        print(
            repr(np.isin(x, tests))[:60],
            np.isin(x, tests).sum(),
            np.isin(x, tests, invert=True).sum(),
            np.isin(x, np.array(tests) == 1, kind="sort").sum(),
            np.isin(x, np.array(tests) == 0).sum(),
        )
print(np.isin(bools, [True], kind="table").sum(), np.isin(bools, np.arange(1, 30), kind="table").sum())
# --- at: the second operand is an array, of the type that it has by itself
def attempt(u, a, at, b):
    try:
        u.at(a, at, b)
        return a.tolist()
    except Exception as error:
        return type(error).__name__, str(error)
huge = 2**64
for dtype in ('?', 'i1', 'u1', 'i4', 'i8', 'u8', 'f2', 'f4', 'f8', 'c8'):
    for b in (True, 1, 300, -1, 2**40, 2**63, huge, 1.5, 1e300, 1j, np.int8(3), np.float32(1.5), np.uint64(2**63),
            [1, 2], [1.5, 2], np.array([1, 2], 'i1')):
        for u in (np.add, np.maximum, np.subtract):
            if dtype != 'c8' or b is not huge:
                print(dtype, b, u.__name__, attempt(u, np.zeros(3, dtype), [1, 2], b))
for dtype in ('f2', 'f4'):
    print(attempt(np.subtract, np.full(1, 0.1, dtype), [0], 0.1), attempt(np.subtract, np.full(1, 0.1, dtype), 0,
        np.float32(0.1)))
print(attempt(np.floor_divide, np.full(1, 100, 'i1'), [0], 300), attempt(np.floor_divide, np.full(1, 100, 'i1'), [0],
    0.5))
