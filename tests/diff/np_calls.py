# Calls of ufuncs: dtype=, signature=, casting=, order=, subok=, where=; errors that name an axis; attributes of scalar
# types.
def tell(f):
    try:
        r = f()
        print(r.dtype, r.shape, r.tolist())
    except Exception as e:
        print(type(e).__name__, e)


def say(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


# --- dtype is that of the result
tell(lambda: np.less([1, 2], [2, 3], dtype=bool))
tell(lambda: np.greater_equal([1, 2], [2, 2], dtype=bool))
tell(lambda: np.less([1, 2], [2, 3], dtype='f4'))
tell(lambda: np.isnan([1.5, np.nan], dtype=bool))
tell(lambda: np.isnan([1.5], dtype='f4'))
tell(lambda: np.logical_and([1, 0], [2, 3], dtype=bool))
tell(lambda: np.logical_and([1], [2], dtype='i4'))
tell(lambda: np.abs([3 + 4j], dtype='f8'))
tell(lambda: np.sqrt([4], dtype='i4'))
tell(lambda: np.sqrt([4], dtype='f4'))
tell(lambda: np.divide([1], [2], dtype='i4'))
tell(lambda: np.divide([1], [2], dtype='f2'))
tell(lambda: np.add(1.5, 2, dtype='i4'))
tell(lambda: np.add(1.5, 2, dtype='i4', casting='unsafe'))
tell(lambda: np.add([1.5], 2, dtype='i4', casting='unsafe'))
tell(lambda: np.add(300, 2, dtype='i1'))
tell(lambda: np.add([300], 2, dtype='i1'))
tell(lambda: np.add(np.ones(1, 'u4'), -2, dtype='u4'))
tell(lambda: np.add(np.ones(1, 'u4'), 2.5, dtype='u4'))
tell(lambda: np.subtract([True], [False], dtype='i4'))
tell(lambda: np.negative([True], dtype='i4'))
tell(lambda: np.add([1], [2], dtype=bool))
tell(lambda: np.add([1], [2], dtype='foo'))
tell(lambda: np.bitwise_and([1.5], [2.0], dtype='i4'))
tell(lambda: np.bitwise_and([1.5], [3.0], dtype='i4', casting='unsafe'))
tell(lambda: np.bitwise_count([7], dtype='i4'))
tell(lambda: np.power([2], [-1], dtype='f8'))
tell(lambda: np.power([2], [-1], dtype='i8'))
tell(lambda: np.add([1j], [2], dtype='f8'))
tell(lambda: np.multiply([1, 2], [3, 4], dtype=complex))
x = np.arange(6.0).reshape(2, 3)
tell(lambda: np.add(x, 1, dtype='f4')[:, 1:].sum(axis=0))
# --- signature
for s in (
    'dd',
    'd',
    ('d',),
    ('d', 'd'),
    ('d', None, None),
    'dd->d',
    'ff->f',
    'dd->f',
    3,
    (None, None, 'f8'),
    ('f4', 'f4', 'f4'),
    (None, None, None),
):
    tell(lambda: np.add([1], [2], signature=s))
tell(lambda: np.add([1.5], [2], sig='ff->f'))
tell(lambda: np.less([1], [2], signature='dd->?'))
tell(lambda: np.add([1], [2], dtype='f8', signature='dd->d'))
tell(lambda: np.sqrt([4], signature='f->f'))
tell(lambda: np.ldexp([1.5], [2], dtype='f8'))
tell(lambda: np.less([1.5], [2], signature='ll->?'))
# --- casting
for rule in ('no', 'equiv', 'safe', 'same_kind', 'unsafe', 'any', 3):
    tell(lambda: np.add([1], [2.5], casting=rule))
    tell(lambda: np.add([1], [2.5], dtype='f4', casting=rule))
    tell(lambda: np.add([1.0], [2.5], casting=rule, out=np.zeros(1, 'f4')))
    tell(lambda: np.sqrt([4], casting=rule))
    tell(lambda: np.less([4], [2.5], casting=rule))
    say(lambda: np.can_cast('i4', 'f4', casting=rule))
for rule in ('no', 'safe', 'same_kind', 'unsafe'):
    tell(lambda: np.add(np.ones(1, 'i2'), 2, casting=rule))
    tell(lambda: np.add(np.ones(1, 'f4'), 2.5, casting=rule))
# --- order, subok, where
a = np.arange(6).reshape(2, 3)
for order in ('C', 'F', None):
    print(np.add(a, a, order=order).tolist())
r = np.add(a, a, order='F')
print(r.flags.f_contiguous, r.flags.c_contiguous, r)
print(np.sqrt(a, order='F').strides, np.add(a.T.copy(), 1, order='C').flags.c_contiguous)
for bad in ('X', 'CF', 3):
    tell(lambda: np.add(a, a, order=bad))
tell(lambda: np.add(a, a, subok=False))
tell(lambda: np.add(a, a, subok=3))
tell(lambda: np.add(a, a, other=3))
tell(lambda: np.add([1], [2], where=3))
tell(lambda: np.add([1], [2], where=2.5))
tell(lambda: np.add([1, 2], [3, 4], where=np.array([1, 0])))
tell(lambda: np.add([1, 2], [3, 4], where=[1, 2]))
tell(lambda: np.add.outer([1, 2], [3, 4], dtype='f4'))
o = np.zeros((2, 2))
print(np.multiply.outer([1, 2], [3, 4], out=o) is o, o)
tell(lambda: np.add.outer([1, 2], [3, 4], foo=1))
# --- axes that are not there
A = np.exceptions.AxisError
for e in (A(2, 1), A(2, 1, msg_prefix='error'), A(2, 1, 'error'), A('words'), A(3, 4, None)):
    print(e, e.axis, e.ndim)
for bad in (
    lambda: np.ones(3).sum(4),
    lambda: np.ones((2, 3)).sum((0, -3)),
    lambda: np.expand_dims([1, 2], (0, 5)),
    lambda: np.roll([1], 1, axis=3),
    lambda: np.moveaxis(np.ones((2, 3)), 5, 0),
):
    try:
        bad()
    except A as e:
        print(type(e).__name__, e, e.axis, e.ndim)
try:
    raise A(3, 2)
except IndexError as e:
    print(e, repr(str(e)))
from numpy.lib.array_utils import normalize_axis_index

say(lambda: normalize_axis_index(3, 2, msg_prefix='here'))
say(lambda: normalize_axis_index(-3, 2))
# --- facts of number types (numpy before 2.5)
for t in ('i1', 'u1', 'i4', 'u4', 'i8', 'u8'):
    print(np.iinfo(t))
    print(repr(np.iinfo(t)), np.iinfo(t).kind, np.iinfo(t).bits)
for t in ('f2', 'f4', 'f8', 'c8'):
    f = np.finfo(t)
    print(f)
    print(repr(f))
    print(
        f.bits,
        f.nmant,
        f.nexp,
        f.iexp,
        f.machep,
        f.negep,
        f.minexp,
        f.maxexp,
        f.precision,
        repr(f.eps),
        repr(f.epsneg),
        repr(f.tiny),
        repr(f.smallest_normal),
        repr(f.smallest_subnormal),
        repr(f.resolution),
        repr(f.max),
        repr(f.min),
        f.dtype,
    )
# --- reshape: its copies (numpy before 2.4)
a = np.arange(6)
b = a.reshape(2, 3, copy=True)
b[0, 0] = 9
print(a, np.shares_memory(a, b))
c = np.reshape(a, (3, 2), copy=False)
c[0] = 7
print(a)
say(lambda: np.reshape(np.ones((2, 3)).T, 6, copy=False))
say(lambda: np.ones((2, 3)).T.reshape(6, copy=None))
say(lambda: np.reshape(np.arange(4), newshape=(2, 2)))
say(lambda: np.reshape([1, 2]))
say(lambda: np.reshape([1, 2], (2, 1), newshape=2))
say(lambda: np.reshape(np.ones((2, 3)).T, 6, order='F', copy=False))
say(lambda: np.reshape(np.zeros((0, 3)), (3, 0), copy=False))
# --- positions of arguments
print(
    np.linspace(0, 1, 3, True, False, None, 0),
    np.geomspace(1, 100, 3, True, None, 0),
    np.logspace(0, 2, 3, True, 10.0, None, 0),
    np.fromfunction(lambda i, j: i + j, (2, 2), dtype=int, like=None),
)
# --- counts of bytes
say(lambda: bytes(-1))
say(lambda: bytes(3))
# --- orders of bytes
print(
    np.dtype('f8').descr,
    np.dtype('i2').newbyteorder('=').name,
    np.dtype('u1').newbyteorder('>'),
    np.dtype('i4').newbyteorder('L').itemsize,
    np.dtype('f4').newbyteorder('native') == np.float32,
)
say(lambda: np.dtype('f8').newbyteorder('x'))
# --- scalars shown as numbers
with np.printoptions(legacy='1.25'):
    print(
        repr(np.float64(1)),
        [np.float32(0.1), np.int8(3), np.True_, np.complex128(1 + 2j), np.float64(np.nan)],
        {np.int64(1): np.float16(2.5)},
        repr(np.array([1.5])),
        f"{np.float64(2)!r}",
    )
print(repr(np.float64(1)), np.get_printoptions()['legacy'])
# --- arrays handed over
say(lambda: np.from_dlpack(np.arange(3)))
say(lambda: np.from_dlpack([1]))
print(np.asarray([1], like=None), np.frombuffer(b'12345678', like=None), np.fromiter([1], int, like=None))
np.info('nothing of the kind')
# --- floats where an integer counts
for f in (
    lambda: np.roll([1, 2, 3], 1.0),
    lambda: np.roll(np.arange(6).reshape(2, 3), (1.9, np.float64(-1)), (0, 1)),
    lambda: np.split(np.arange(4), 2.0),
    lambda: np.split(np.arange(6), np.float64(3)),
    lambda: np.split(np.arange(4), 2.5),
    lambda: np.split(np.arange(4), np.array(3)),
    lambda: np.array_split(np.arange(5), 2.5),
    lambda: np.hsplit(np.arange(8).reshape(2, 4), 2.0),
    lambda: np.array_split(np.arange(5), 0.5),
):
    say(f)
