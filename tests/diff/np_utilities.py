# Utility functions of numpy: windows, base_repr, dtype tests, apply_along_axis, block.
from showing import attempt

# --- windows
for f in (np.bartlett, np.blackman, np.hamming, np.hanning):
    print([np.round(f(m), 12) + 0.0 for m in (0, 1, 2, 5, 12)], f(7).dtype)
print(np.round(np.kaiser(12, 14), 12), np.kaiser(1, 5), np.kaiser(0, 5), np.kaiser(5, 0))

# --- i0
x = np.concatenate((np.linspace(0, 40, 81), [100.0, 700.0]))
y = np.i0(x)
print([f"{v:.12e}" for v in y])
print([f"{v:.5e}" for v in np.i0(np.float32([1, 30]))])
print(repr(np.i0(0.0)), np.i0([1, 2]).dtype, np.i0(np.float32([1, 30])).dtype, np.i0([np.nan, np.inf]))
attempt(np.i0, 1j)

# --- base_repr and binary_repr
print(
    [np.base_repr(n, b) for n in (0, 5, -5, 255, 2**62, -(2**62) * 2) for b in (2, 3, 16, 36)],
    np.base_repr(7, base=5, padding=3),
    np.base_repr(0, padding=2),
    np.base_repr(-5, 3, 2),
)
attempt(np.base_repr, 5, 40)
attempt(np.base_repr, 5, 1)
print(
    [np.binary_repr(n, w) for n in (0, 1, -1, -2, -3, -8, 7) for w in (None, 5, 8)],
    np.binary_repr(-(2**62) * 2),
    np.binary_repr(-(2**62) * 2, 64),
    np.binary_repr(0, 0),
)
attempt(np.binary_repr, -3, 2)
attempt(np.binary_repr, 300, 2)
attempt(np.binary_repr, 2.5)

# --- min_scalar_type
print(
    [
        np.min_scalar_type(x)
        for x in (
            True,
            1j,
            1e50j,
            65504.0,
            65000.0,
            64999.0,
            float('nan'),
            float('inf'),
            3.4e38,
            -1e39,
            255,
            256,
            65536,
            -1,
            -128,
            -129,
            -(2**40),
            2**40,
        )
    ]
)
print(
    np.min_scalar_type(np.int8(-3)),
    np.min_scalar_type(np.array(3.0)),
    np.min_scalar_type(np.arange(3)),
    np.min_scalar_type(np.float32(1e30)),
    np.min_scalar_type(np.uint64(2**62)),
)

# --- isdtype, common_type, astype
for kind in (
    "bool",
    "signed integer",
    "unsigned integer",
    "integral",
    "real floating",
    "complex floating",
    "numeric",
    np.float64,
    np.dtype("int32"),
    (np.bool_, "integral"),
):
    print([np.isdtype(t, kind) for t in (np.bool_, np.int32, np.uint8, np.float64, np.dtype("float32"), np.complex64)])
attempt(np.isdtype, 3, "numeric")
attempt(np.isdtype, np.float32, "real")
attempt(np.isdtype, np.float32, 3)
attempt(np.isdtype, "f4", "numeric")
print(
    np.common_type(np.array([1]), np.array([1], 'f4')),
    np.common_type(np.array([1], 'f4'), np.array([1], 'c8')),
    np.common_type(),
    np.common_type(np.array([1])),
)
attempt(np.common_type, np.array([True]))
attempt(np.common_type, [1])
a = np.array([1, 2])
print(
    np.astype(a, float),
    np.shares_memory(a, np.astype(a, a.dtype, copy=False)),
    np.shares_memory(a, np.astype(a, a.dtype)),
)
attempt(np.astype, [1], float)

# --- flags
a = np.arange(6).reshape(2, 3)
for x in (a, a.T, np.arange(3), a[:, ::2], np.zeros((0, 2))):
    print(
        [
            x.flags[k]
            for k in ("C_CONTIGUOUS", "F_CONTIGUOUS", "C", "F", "FNC", "FORC", "W", "A", "X", "CONTIGUOUS", "FORTRAN")
        ],
        x.flags.fnc,
        x.flags.forc,
        x.flags.aligned,
        np.isfortran(x),
    )
attempt(lambda: a.flags["Z"])
attempt(lambda: a.flags[1])

# --- subscripts as values
print(
    np.s_[2::2],
    np.index_exp[2::2],
    np.s_[1, ..., None],
    np.index_exp[1, 2],
    np.arange(5)[np.s_[2::2]],
    np.delete(np.arange(6).reshape(2, 3), np.s_[::2], 1),
)

# --- apply_along_axis
b = np.array([[8, 1, 7], [4, 3, 9], [5, 2, 6]])
print(
    np.apply_along_axis(lambda v: (v[0] + v[-1]) * 0.5, 0, b),
    np.apply_along_axis(sorted, 1, b),
    np.apply_along_axis(np.diag, -1, b),
    np.apply_along_axis(lambda v, p, q=0: v.sum() ** p + q, 0, b, 2, q=1),
)
c = np.arange(24).reshape(2, 3, 4)
print(
    np.apply_along_axis(lambda v: v[:2], 1, c).shape,
    np.apply_along_axis(lambda v: np.outer(v, v), 0, c).shape,
    np.apply_along_axis(np.sum, 0, np.arange(3)),
    np.apply_along_axis(np.sum, 1, np.zeros((2, 0))),
)
attempt(np.apply_along_axis, np.sum, 0, np.zeros((2, 0)))
attempt(np.apply_along_axis, np.sum, 3, b)

# --- apply_over_axes
b = np.array([[3, 1], [2, 4]])
c = np.arange(24).reshape(2, 3, 4)
print(np.apply_over_axes(np.sum, c, [0, 2]), np.apply_over_axes(np.max, c, -1), np.apply_over_axes(np.cumsum, b, 0))
attempt(np.apply_over_axes, lambda a, k: np.sum(a), c, 0)

# --- block
A = np.eye(2) * 2
B = np.eye(3) * 3
print(
    np.block([[A, np.zeros((2, 3))], [np.ones((3, 2)), B]]),
    np.block([1, 2, 3]),
    np.block([[np.array([1, 2])], [np.array([3, 4])]]),
    np.block([np.arange(3), 10]),
    np.block(np.array(5)),
    np.block([[[1, 2]], [[3, 4]]]),
    np.block([[1], [2.5]]).dtype,
)
for x in ([], [[1], []], [[1], 2], [1, [2]], [[1], [[2]]], [1, (2,)], [[1, 2], [3]]):
    attempt(np.block, x)

# --- cumulative_sum and cumulative_prod
a = np.arange(1, 7).reshape(2, 3)
print(
    np.cumulative_sum(a, axis=0),
    np.cumulative_sum(a, axis=1, include_initial=True),
    np.cumulative_prod(a[0], dtype=float),
    np.cumulative_prod(a, axis=-1, include_initial=True),
    np.cumulative_sum(5),
    np.cumulative_sum(np.array([1, 2], np.int8)).dtype,
)
out = np.zeros(3, int)
print(np.cumulative_sum(a[0], out=out) is out, out)
out = np.zeros(4, int)
np.cumulative_prod(a[0], out=out, include_initial=True)
print(out)
attempt(np.cumulative_sum, a)
attempt(np.cumulative_sum, a, axis=2)
attempt(np.cumulative_sum, a[0], out=np.zeros(2, int))

# --- average and ediff1d
d = np.arange(8.0).reshape(2, 2, 2)
print(
    np.average(d, axis=(0, 1), weights=[[1, 3], [1, 2]]),
    np.average(d, axis=(2, 0), weights=[[1, 3], [5, 2]]),
    np.average(d, axis=1, weights=[1, 3], keepdims=True),
)
attempt(np.average, d, axis=(0, 1), weights=[1, 2])
print(
    np.ediff1d([1, 2, 4, 7, 0], to_begin=-99, to_end=np.array([88, 99])),
    np.ediff1d([1]),
    np.ediff1d([[1, 2], [5, 9]], to_end=1),
)
attempt(np.ediff1d, [1, 2], to_end=2.5)

# --- isposinf and isneginf
x = np.array([-np.inf, 0.0, np.inf, np.nan])
y = np.array([2, 2, 2, 2])
print(np.isposinf(x), np.isneginf(x), np.isneginf(x, y) is y, y, np.isposinf(np.inf), np.isposinf([1, 2]))
attempt(np.isposinf, np.array([1], 'c8'))

# --- logspace with several bases
print(
    np.logspace(2.0, 3.0, num=4, base=[2.0, 3.0], axis=-1),
    np.logspace(0, [1, 2], 3, base=[2, 3]),
    np.logspace(1, 2, 3, base=2),
)

# --- small ones
print(
    np.iterable([1]),
    np.iterable(2),
    np.iterable("a"),
    np.asarray_chkfinite([1, 2], dtype=float),
    np.mask_indices(3, np.triu),
    np.mask_indices(3, np.tril, -1),
    np.little_endian,
)
attempt(np.asarray_chkfinite, [1, np.inf])

# --- in1d (numpy before 2.4)
print(np.in1d([[0, 1], [2, 5]], [0, 2]), np.in1d([0, 1, 2, 5, 0], [0, 2], invert=True))

# --- histogram_bin_edges by rules
samples = [
    np.array([1.0, 2, 3, 3, 4, 10, 12.5, 3.3, -1]),
    [1, 2, 3, 9, 4, 4, 4, 5, 6, 6],
    [],
    [3, 3],
    np.sin(np.arange(200) * 1.7) * 9,
]
for rule in ('auto', 'fd', 'doane', 'scott', 'stone', 'rice', 'sturges', 'sqrt'):
    for x in samples:
        print(rule, np.histogram_bin_edges(x, rule))
    print(np.histogram_bin_edges(samples[0], rule, range=(0, 5)), np.histogram(samples[1], rule)[0])
attempt(np.histogram_bin_edges, [1, 2], 'foo')
attempt(np.histogram_bin_edges, [1, 2], 'auto', weights=[1, 2])
attempt(np.histogram_bin_edges, [1, 2], 2.5)
attempt(np.histogram_bin_edges, [1, 2], 0)
attempt(np.histogram_bin_edges, [1, np.inf], 3)
attempt(np.histogram_bin_edges, [1, 2], 3, (2, 1))

# --- histogram at the edges of its bins
for t in (np.float32, np.float64, np.int32, np.float16, np.uint8):
    for lo, hi, n in (
        (0, 1, 10),
        (0.1, 0.7, 200),
        (-3, 5, 1000),
        (1.0, 1.0000001, 7),
        (1e6, 1e6 + 3, 50),
        (0, 1, 3000),
        (2, 2, 4),
    ):
        e = np.linspace(lo, hi, n + 1)
        outside = np.array([np.nan, np.inf, -np.inf]) if t(0.5) else np.zeros(1)
        x = np.concatenate(
            [
                e,
                np.nextafter(e, np.inf),
                np.nextafter(e, -np.inf),
                np.linspace(lo, hi, 777),
                np.sin(np.arange(2000.0)) * 3,
                outside,
            ]
        )
        x = np.concatenate([x, e]).astype(t)
        attempt(
            lambda: (lambda h: h.tolist() if n < 300 else (h * np.arange(n)).sum().item())(
                np.histogram(x, n, (lo, hi))[0]
            )
        )

# --- histogram2d and histogramdd
x, y = [1, 2, 3], [1, 2, 4]
for k in (
    {},
    {"bins": 2},
    {"bins": [2, 3], "range": [[0, 5], [0, 4]], "density": True},
    {"bins": [[0, 2, 4], [0, 3, 5]], "weights": [1, 2, 3]},
    {"bins": [1, 2, 3]},
    {"bins": np.array([0.0, 2, 3])},
    {"bins": [2, [0, 2, 3]]},
    {"bins": 2, "range": [None, (0, 9)]},
):
    h, xe, ye = np.histogram2d(x, y, **k)
    print(h, xe, ye)
s = np.arange(12.0).reshape(4, 3)
h, e = np.histogramdd(s, bins=(2, 1, 3))
print(h, h.shape, e)
print(np.histogramdd(np.zeros((0, 2)), 2), np.histogramdd(s, 2, density=True)[0].sum())
attempt(np.histogram2d, x, [1, 2])
attempt(np.histogram2d, x, y, 2, weights=[1, 1])
attempt(np.histogramdd, s, (2, 1))
attempt(np.histogramdd, s, (2, 1, -1))
attempt(np.histogramdd, s, ([1, 0], 1, 1))
attempt(np.histogramdd, s, 2, [(0, 1)])
attempt(np.histogramdd, s, (2, 1, 1.5))

# --- from texts, iterables, bytes
print(
    np.fromstring('1 2', dtype=int, sep=' '),
    np.fromstring(' 1, 2.5 ,3,', sep=','),
    np.fromstring('1 2 3', sep=' ', count=2),
    np.fromstring('', sep=','),
    np.fromstring('1\n2\t3', sep=' ', dtype='f4'),
)
attempt(np.fromstring, '1 2')
attempt(np.fromstring, '1.5 2', int, sep=' ')
print(
    np.fromiter((k * k for k in range(5)), float),
    np.fromiter([1.5, 2], int),
    np.fromiter(range(9), int, 3),
    np.fromiter([], float),
)
attempt(np.fromiter, [1, 2], int, 5)
attempt(np.fromiter, 5, int)
b = b"\x01\x02\x03\x04\x05\x06\x07\x08"
print(
    np.frombuffer(b, np.uint8),
    np.frombuffer(b, '<i2'),
    np.frombuffer(b, 'i4', offset=4),
    np.frombuffer(b, 'i2', 2, 1),
    np.frombuffer(b).shape,
    np.frombuffer(b, 'i2').flags.writeable,
)
a = np.arange(3)
v = np.frombuffer(a, int)
v[0] = 7
print(a)
attempt(np.frombuffer, b"abc", 'i2')
attempt(np.frombuffer, b"abc", 'i1', 5)
attempt(np.frombuffer, b"abc", 'i1', -1, 5)
attempt(np.frombuffer, [1])

# --- gradient with coordinates
for o in (1, 2):
    print(
        np.gradient([1.0, 2, 4, 9], [0, 1, 3, 4], edge_order=o),
        np.gradient([1.0, 2, 4, 9], [0, 2, 4, 6], edge_order=o),
        np.gradient(np.arange(12.0).reshape(3, 4) ** 2, [0, 1, 3], 2.0, edge_order=o),
    )
attempt(np.gradient, [1.0, 2, 4], [0, 1])
attempt(np.gradient, [1.0, 2, 4, 9], edge_order=3)
attempt(np.gradient, [1.0, 2, 4, 9], [[1]])
attempt(np.gradient, [1.0, 2], edge_order=2)

# --- insert one index or a list of one
a = np.arange(6).reshape(2, 3)
print(
    np.insert(a, [1], [[7], [8]], axis=1),
    np.insert(a, 1, [7, 8], axis=1),
    np.insert(a, 1, 5, axis=1),
    np.insert(a, [1], [7, 8, 9], axis=0),
    np.insert(a, 1, [[7, 8, 9], [1, 2, 3]], axis=0),
    np.insert(a[0], [1], [7, 8]),
    np.insert(a, 1, [[7], [8]], axis=1),
    np.insert(np.zeros((2, 3, 2)), 1, np.ones((2, 2)), axis=1),
)

# --- complex or not
print(np.iscomplexobj("text"), np.isrealobj(None), np.isrealobj([1j]), np.iscomplexobj(1j))

# --- lexsort
first, last = ("Heinrich", "Galileo", "Gustav"), ("Hertz", "Galilei", "Hertz")
print(
    np.lexsort((first, last)),
    np.lexsort(([9, 4, 0, 4, 0, 2, 1], [1, 5, 1, 4, 3, 4, 4])),
    np.lexsort([[2, 1, 0], [1, 1, 0]]),
)
attempt(np.lexsort, ())

# --- bytes of elements
a = np.array([1, 256, 8755], np.int16)
z = np.diag([1 + 1j, 2 + 4j])
print(
    a.byteswap(),
    a.byteswap(inplace=True) is a,
    a,
    np.arange(6).reshape(2, 3).T.byteswap().byteswap(),
    z.byteswap().byteswap(),
    np.array(1, np.int32).byteswap(),
    np.array([True]).byteswap(),
)
print(
    z.getfield(np.float64),
    z.getfield(np.float64, offset=8),
    z.T[::-1].getfield('f8', 8),
    a.getfield('u1', 1),
    z.getfield('i4', 4).shape,
)
z.getfield('f8', 8)[...] = 9
print(z)
attempt(a.getfield, np.float64)
attempt(z.getfield, 'f8', 9)
attempt(z.getfield, 'f8', -1)
print(hasattr(np, "byteswap"), hasattr(np, "getfield"))

# --- parts and angles
a = np.array([1 + 1j, -2j, 3])
r = np.real(a)
r[0] = 7
np.imag(a)[2] = 5
print(a)
print(
    [np.real(x) for x in (1 + 2j, 2, 2.5, True)],
    [np.imag(x) for x in (1 + 2j, 2, 2.5, True)],
    np.real(np.complex64(1 + 2j)),
    repr(np.imag(np.complex128(2j))),
    np.imag([1, 2]),
    np.real([[1j]]),
)
print(
    repr(np.angle(1 + 1j, deg=True)),
    np.angle(a, True),
    np.angle(a),
    np.angle(-1.0),
    np.angle(np.array([1, 1j], 'c8'), deg=1).dtype,
    np.angle([1, -1]),
)

# --- ldexp's types
for x in (5, 5.0, np.float32(5), [5], np.int8(5)):
    for e in (np.arange(2), 3, np.int32(3), np.uint8(1), np.uint64(2), 2.0):
        attempt(np.ldexp, x, e)
