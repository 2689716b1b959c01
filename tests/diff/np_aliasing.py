# Copy or view: every function that may copy, on every layout, judged by numpy.shares_memory.

import operator


def layouts(dtype):
    a = np.arange(24).astype(dtype)
    m = a[:12].reshape(3, 4)
    c = a.reshape(2, 3, 4)
    yield "1d", a[:6]
    yield "1d offset", a[2:8]
    yield "1d strided", a[:12:2]
    yield "1d reversed", a[5::-1]
    yield "1d one of many", a[3:4]
    yield "1d one strided", a[:4:5]
    yield "1d one reversed", a[3:2:-1]
    yield "1d empty", a[:0]
    yield "1d empty strided", a[:0:2]
    yield "0d", a[3, ...]
    yield "2d", m
    yield "2d T", m.T
    yield "2d columns", m[:, :2]
    yield "2d rows", m[1:]
    yield "2d row steps", m[::2]
    yield "2d column steps", m[:, ::2]
    yield "2d reversed", m[::-1]
    yield "2d all reversed", m[::-1, ::-1]
    yield "2d one row", m[:1]
    yield "2d one column", m[:, :1]
    yield "2d one column T", m[:, :1].T
    yield "2d one row reversed", m[1:0:-1]
    yield "2d newaxis", a[:6:2, None]
    yield "2d newaxis in front", a[None, :6:2]
    yield "2d broadcast", np.broadcast_to(a[:4], (3, 4))
    yield "2d broadcast columns", np.broadcast_to(a[:3, None], (3, 4))
    yield "2d broadcast one", np.broadcast_to(a[:1], (1, 1))
    yield "2d empty", m[:0]
    yield "2d empty columns", m[:, :0]
    yield "2d F", np.asfortranarray(m)
    yield "3d", c
    yield "3d T", c.T
    yield "3d swapped", c.swapaxes(0, 1)
    yield "3d last swapped", c.swapaxes(1, 2)
    yield "3d part", c[:, 1:, :]
    yield "3d F part", np.asfortranarray(c)[:, :, 1:]
    yield "3d one inside", c[:, :1, :]
    yield "3d rolled", c.transpose(1, 2, 0)


calls = []
for order in "CFAK":
    calls += [
        (f"array(copy=None, {order})", lambda a, o=order: np.array(a, copy=None, order=o)),
        (f"array({order})", lambda a, o=order: np.array(a, order=o)),
        (f"asarray({order})", lambda a, o=order: np.asarray(a, order=o)),
        (f"asanyarray({order})", lambda a, o=order: np.asanyarray(a, order=o)),
        (f"asarray(copy=False, {order})", lambda a, o=order: np.asarray(a, order=o, copy=False)),
        (f"astype(copy=False, {order})", lambda a, o=order: a.astype(a.dtype, copy=False, order=o)),
        (f"astype({order})", lambda a, o=order: a.astype(a.dtype, order=o)),
        (f"ravel({order})", lambda a, o=order: a.ravel(o)),
        (f"np.ravel({order})", lambda a, o=order: np.ravel(a, o)),
        (f"flatten({order})", lambda a, o=order: a.flatten(o)),
        (f"copy({order})", lambda a, o=order: a.copy(o)),
        (f"np.copy({order})", lambda a, o=order: np.copy(a, o)),
    ]
for order in "CFA":
    calls += [
        (f"reshape(-1, {order})", lambda a, o=order: a.reshape(-1, order=o)),
        (f"reshape(shape, {order})", lambda a, o=order: a.reshape(a.shape, order=o)),
        (f"reshape(1, -1, {order})", lambda a, o=order: a.reshape((1, -1), order=o)),
        (f"reshape(-1, 1, {order})", lambda a, o=order: a.reshape((-1, 1), order=o)),
        (f"reshape(turned, {order})", lambda a, o=order: a.reshape(a.shape[::-1], order=o)),
        (f"reshape(2, -1, {order})", lambda a, o=order: a.reshape((2, -1), order=o)),
        (f"reshape(-1, 2, {order})", lambda a, o=order: np.reshape(a, (-1, 2), order=o)),
        (f"reshape(-1, copy=False, {order})", lambda a, o=order: a.reshape(-1, order=o, copy=False)),
        (f"reshape(-1, copy=True, {order})", lambda a, o=order: a.reshape(-1, order=o, copy=True)),
    ]
for wish in ("C", "F", "A", "W", "O", "E", ["F", "W"], ["C", "O"], ["A", "F"], []):
    calls.append((f"require({wish})", lambda a, w=wish: np.require(a, None, w)))
calls += [
    ("ascontiguousarray", np.ascontiguousarray),
    ("asfortranarray", np.asfortranarray),
    ("asarray(dtype)", lambda a: np.asarray(a, a.dtype)),
    ("asfortranarray(dtype)", lambda a: np.asfortranarray(a, a.dtype)),
    ("ascontiguousarray(dtype)", lambda a: np.ascontiguousarray(a, a.dtype)),
    ("asarray_chkfinite", np.asarray_chkfinite),
    ("asarray_chkfinite(F)", lambda a: np.asarray_chkfinite(a, order="F")),
    ("atleast_1d", np.atleast_1d),
    ("atleast_2d", np.atleast_2d),
    ("atleast_3d", np.atleast_3d),
    ("squeeze", np.squeeze),
    ("expand_dims", lambda a: np.expand_dims(a, 0)),
    ("transpose", np.transpose),
    ("swapaxes", lambda a: np.swapaxes(a, 0, -1)),
    ("moveaxis", lambda a: np.moveaxis(a, 0, -1)),
    ("rollaxis", lambda a: np.rollaxis(a, -1)),
    ("flip", np.flip),
    ("real", np.real),
    ("imag", np.imag),
    ("a.real", lambda a: a.real),
    ("a.imag", lambda a: a.imag),
    ("conj", np.conj),
    ("a.conj", lambda a: a.conj()),
    ("nan_to_num(copy=False)", lambda a: np.nan_to_num(a, copy=False)),
    ("real_if_close", np.real_if_close),
    ("view", lambda a: a.view()),
    ("view(dtype)", lambda a: a.view(a.dtype)),
    ("a[...]", lambda a: a[...]),
    ("a[()]", lambda a: a[()]),
    ("a[:]", lambda a: a[:]),
    ("a[None]", lambda a: a[None]),
    ("a.T", lambda a: a.T),
    ("+a", lambda a: +a),
    ("abs", np.abs),
    ("broadcast_to", lambda a: np.broadcast_to(a, a.shape)),
    ("broadcast_arrays", lambda a: np.broadcast_arrays(a, a)[0]),
    ("split", lambda a: np.array_split(a, 2)[0]),
    ("trim_zeros", lambda a: np.trim_zeros(a) if a.ndim else a),  # NumPy's releases differ without dimensions
    ("resize", lambda a: np.resize(a, a.shape)),
    ("take", lambda a: np.take(a, [0, 0])),
    ("array(ndmin)", lambda a: np.array(a, ndmin=3, copy=None)),
    ("array(list)", lambda a: np.array([a])),
    ("rot90", np.rot90),
    ("rot90(0)", lambda a: np.rot90(a, 0)),
    ("unstack", lambda a: np.unstack(a)[0]),
    ("ix", lambda a: a[0:1]),
    ("vstack", lambda a: np.vstack([a])),
    ("concatenate", lambda a: np.concatenate([a])),
    ("roll", lambda a: np.roll(a, 0)),
    ("triu", np.triu),
    ("delete", lambda a: np.delete(a, [])),
    ("unique", lambda a: np.unique(a)),
    ("sort", np.sort),
    ("where", lambda a: np.where(True, a, a)),
    ("clip", lambda a: np.clip(a, None, 99)),
    # round of integers depends on NumPy's release: np_simd.py
    ("round", lambda a: np.round(a.astype("f8"), 1)),
    ("matrix_transpose", np.matrix_transpose),
    ("permute_dims", lambda a: np.permute_dims(a)),
    ("ediff", lambda a: np.diff(a, 0)),
    ("squeeze(())", lambda a: a.squeeze(())),
    ("fill_diag", lambda a: np.tril(a)),
    ("astype fn", lambda a: np.astype(a, a.dtype, copy=False)),
    ("astype float", lambda a: a.astype(float, copy=False)),
    ("asfarray", lambda a: np.asarray(a, float, order="F")),
]


def describe(name, a, call):
    try:
        b = call(a)
    except Exception as error:
        return type(error).__name__
    if not isinstance(b, np.ndarray):
        return type(b).__name__
    kept = [b.flags.writeable]
    if "(C" in name or "(F" in name or "(A" in name or "(['C" in name or "(['F" in name:
        kept += [b.flags.c_contiguous, b.flags.f_contiguous]
    return f"{b.shape} {kept} {'view' if np.shares_memory(a, b) else 'copy'} {a is b}"


def tell(dtype):
    for name, a in layouts(dtype):
        for what, call in calls:
            print(name, "|", what, "|", describe(what, a, call))


# --- integers
tell("i8")

# --- floats
tell("f4")

# --- complex numbers
tell("c16")

# --- results that share memory change with their source
for make in (np.asfortranarray, np.ascontiguousarray, lambda x: np.require(x, None, "F"),
        lambda x: x.astype(int, "A", copy=False)):
    a = np.arange(4)[::-1]
    b = make(a)
    a += 100
    print(b)

# --- in-place arithmetic on a view with repeated elements: operands are read before any store
for shape, strides in (((3, 3), (16, 8)), ((4, 3), (8, 8)), ((2, 3, 3), (24, 8, 8))):
    for change in (lambda v: operator.iadd(v, 1), lambda v: np.multiply(v, 2, out=v),
            lambda v: np.copyto(v, v + 1, where=v % 2 == 0)):
        b = np.arange(12.0)
        change(np.lib.stride_tricks.as_strided(b, shape, strides))
        print(b)

# --- max_work: 0 compares ranges, other limits decide exactly
x = np.zeros(4)
for share in np.may_share_memory, np.shares_memory:
    for work in -1, 1, -3, None, 1.5, True, "a":
        try:
            print(share(x[::2], x[1::2], max_work=work))
        except ValueError as e:
            print(type(e).__name__, e)
print(np.may_share_memory(x[::2], x[1::2], max_work=0), np.may_share_memory(x[:2], x[2:], max_work=0))
try:
    np.may_share_memory(x, x, max_work=10**100)
except OverflowError as e:
    print(type(e).__name__)

# --- deepcopy copies an object once
import copy

class Pair:
    pass
p, row, d, c = np.ones(2), [1], {'a': 1}, Pair()
c.a = c.b = np.arange(3)
q = copy.deepcopy([p, p, row, row, d, d, c, c])
q[0][0] = 5
print([x is y for x, y in zip(q[::2], q[1::2])], q[1], p, q[6].a is q[6].b, q[6].a is c.a)
a = np.ones(3)
x, y = copy.deepcopy((a, a[1:]))
x[1] = 7
print(x, y, x.base is None, y.base is None)
