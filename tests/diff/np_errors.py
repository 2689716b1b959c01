# Errors of arrays: types and messages.
# --- broadcast two arrays
np.ones((3, 4)) + np.ones(3)
# --- broadcast with comparison
np.ones(2) < np.ones(3)
# --- broadcast with equality
np.ones(2) == np.ones(3)
# --- broadcast with list
np.arange(3) * [1, 2]
# --- broadcast of a ufunc of two
np.maximum(np.ones(2), np.ones((3, 3)))
# --- broadcast of where
np.where([True, False], [1, 2, 3], 0)
# --- broadcast of three dims
np.ones((2, 1, 3)) - np.ones((4, 2))
# --- broadcast in place
a = np.ones(3)
a += np.ones((2, 3))
# --- broadcast store
a = np.zeros((2, 3))
a[:] = np.ones((3, 2))
# --- broadcast store of a list
a = np.zeros(3)
a[:] = [1, 2]
# --- broadcast store into a slice
a = np.zeros(5)
a[1:3] = np.ones(4)
# --- broadcast store into a column
a = np.zeros((3, 2))
a[:, 0] = [1, 2]
# --- broadcast_to
np.broadcast_to([1, 2, 3], (2, 2))
# --- broadcast_to fewer dims
np.broadcast_to(np.ones((2, 2)), (2,))
# --- broadcast_shapes
np.broadcast_shapes((2,), (3,))
# --- index out of bounds
np.arange(3)[5]
# --- negative index out of bounds
np.arange(3)[-4]
# --- index out of bounds of axis one
np.zeros((2, 3))[0, 7]
# --- index out of bounds in first of two
np.zeros((2, 3))[2]
# --- store out of bounds
a = np.zeros(2)
a[2] = 1
# --- too many indices
np.arange(3)[0, 1]
# --- too many indices of zero dims
np.array(1)[0]
# --- too many with slices
np.zeros((2, 2))[:, :, 0]
# --- integer array out of bounds
np.arange(3)[[0, 3]]
# --- integer array out of bounds in axis one
np.zeros((2, 3))[:, [3]]
# --- integer array store out of bounds
a = np.arange(3)
a[[5]] = 1
# --- index arrays do not broadcast
np.zeros((3, 3))[[0, 1], [0, 1, 2]]
# --- mask of a wrong length
np.arange(3)[np.array([True, False])]
# --- mask of a wrong shape
np.zeros((2, 3))[np.ones((3, 2), bool)]
# --- mask store of a wrong count
a = np.arange(5)
a[a > 2] = [1, 2, 3]
# --- float index
np.arange(3)[1.0]
# --- string index
np.arange(3)["a"]
# --- float array index
np.arange(3)[np.array([1.0])]
# --- two ellipses
np.zeros((2, 2))[..., ...]
# --- step zero
np.arange(3)[::0]
# --- slice by float
np.arange(3)[1.5:]
# --- take out of bounds
np.take([1, 2], 5)
# --- reshape wrong size
np.arange(6).reshape(4, 2)
# --- reshape with one unknown
np.arange(6).reshape(4, -1)
# --- reshape with two unknown
np.arange(6).reshape(-1, -1)
# --- reshape to scalar
np.arange(2).reshape(())
# --- shape assignment of wrong size
a = np.arange(6)
a.shape = (4,)
# --- transpose of wrong axes
np.zeros((2, 3)).transpose(0, 0)
# --- transpose of wrong count
np.zeros((2, 3)).transpose(0, 1, 2)
# --- swapaxes out of bounds
np.zeros((2, 3)).swapaxes(0, 2)
# --- moveaxis out of bounds
np.moveaxis(np.zeros((2, 3)), 5, 0)
# --- squeeze of a larger axis
np.zeros((2, 1)).squeeze(0)
# --- expand_dims out of bounds
np.expand_dims(np.zeros(2), 5)
# --- sum over a missing axis
np.arange(3).sum(axis=1)
# --- mean over a missing axis
np.zeros((2, 2)).mean(axis=2)
# --- sum over a repeated axis
np.zeros((2, 2)).sum(axis=(0, 0))
# --- cumsum over a missing axis
np.zeros(2).cumsum(axis=1)
# --- argmax over a missing axis
np.zeros(2).argmax(axis=1)
# --- sort over a missing axis
np.sort(np.zeros(2), axis=1)
# --- max of empty
np.array([]).max()
# --- min of empty with axis
np.zeros((0, 3)).min(axis=0)
# --- argmax of empty
np.argmax([])
# --- concatenate of different shapes
np.concatenate([np.zeros((2, 2)), np.zeros((2, 3))])
# --- concatenate of different shapes in F order
np.concatenate([np.zeros((2, 3), order="F"), np.zeros((2, 4), order="F")])
# --- concatenate along the last axis of different shapes in F order
np.concatenate([np.zeros((2, 5, 3), order="F"), np.zeros((2, 4, 3), order="F")], axis=2)
# --- concatenate of different dims
np.concatenate([np.zeros(2), np.zeros((2, 2))])
# --- concatenate of an empty list
np.concatenate([])
# --- concatenate of scalars
np.concatenate([1, 2])
# --- concatenate over a missing axis
np.concatenate([np.zeros(2), np.zeros(2)], axis=1)
# --- stack of different shapes
np.stack([np.zeros(2), np.zeros(3)])
# --- stack of an empty list
np.stack([])
# --- vstack of different widths
np.vstack([np.zeros(2), np.zeros(3)])
# --- split unevenly
np.split(np.arange(5), 2)
# --- matmul of wrong inner size
np.zeros((2, 3)) @ np.zeros((2, 3))
# --- matmul of vectors
np.zeros(2) @ np.zeros(3)
# --- matmul of a scalar
np.zeros(2) @ 3
# --- dot of wrong sizes
np.dot(np.zeros((2, 3)), np.zeros((2, 3)))
# --- dot of vectors
np.dot([1, 2], [1, 2, 3])
# --- truth of an array
if np.array([1, 2]):
    pass
# --- truth of an expression
np.arange(3) > 1 and True
# --- not of an array
not np.array([1, 2])
# --- truth of an empty array
bool(np.array([]))
# --- chained comparison of arrays
0 < np.arange(3) < 2
# --- int of an array
int(np.array([1, 2]))
# --- float of an array
float(np.array([1.0, 2]))
# --- item of a larger array
np.arange(3).item()
# --- len of zero dims
len(np.array(5))
# --- iteration over zero dims
for x in np.array(5):
    pass
# --- array of ragged lists
np.array([[1, 2], [3]])
# --- array of unknown dtype
np.array([1], dtype="float99")
# --- dtype of an unknown name
np.dtype("nope")
# --- zeros of a negative size
np.zeros(-1)
# --- zeros of a float
np.zeros(2.5)
# --- zeros of a string
np.zeros("a")
# --- arange without arguments
np.arange()
# --- arange with step zero
np.arange(0, 1, 0)
# --- linspace of a negative count
np.linspace(0, 1, -1)
# --- eye of a float
np.eye(2.5)
# --- full without a value
np.full(3)
# --- bit and of floats
np.array([1.0]) & 1
# --- shift of floats
np.array([1.0]) << 1
# --- invert of floats
~np.array([1.0])
# --- minus of bools
np.array([True]) - np.array([False])
# --- negative of bools
-np.array([True])
# --- integers to negative powers
np.array([2]) ** -1
# --- integer arrays to negative powers
np.array([2, 3]) ** np.array([1, -1])
# --- cast in place of float into int
a = np.array([1, 2])
a += 1.5
# --- cast in place of true division
a = np.array([1, 2])
a /= 2
# --- cast in place of complex into float
a = np.ones(2)
a *= 1j
# --- cast in place of bool
a = np.array([True])
a += 1.5
# --- small integer overflow of a python number
np.array([1], dtype=np.uint8) + 300
# --- negative python number for unsigned
np.array([1], dtype=np.uint8) + -1
# --- python number out of range in array
np.array([300], dtype=np.uint8)
# --- store of a complex in a float array
a = np.zeros(2)
a[0] = 1j
# --- store of a string
a = np.zeros(2)
a[0] = "abc"
# --- store of a sequence in an element
a = np.zeros(2)
a[0] = [1, 2]
# --- store of none in an int array
a = np.zeros(2, int)
a[0] = None
# --- store of an out of range number
a = np.zeros(2, np.int8)
a[0] = 300
# --- floor of complex
np.floor(np.array([1j]))
# --- arctan2 of complex
np.arctan2(1j, 2)
# --- remainder of complex
np.array([1j]) % 2
# --- floor division of complex
np.array([1j]) // 2
# --- bits of mixed floats
np.bitwise_and([1], [1.5])
# --- add of none
np.arange(3) + None
# --- add of a dict
np.arange(3) + {}
# --- sin of string
np.sin("a")
# --- sin without argument
np.sin()
# --- add of one argument
np.add(1)
# --- sin of too many
np.sin(1, 2, 3)
# --- unknown keyword of a ufunc
np.sin(1, foo=2)
# --- out of the wrong shape
np.add([1, 2], 1, out=np.zeros(3))
# --- out of the wrong dtype
np.add([1.5], 1, out=np.zeros(1, int))
# --- out that is no array
np.add(1, 2, out=[1])
# --- attribute of an array
np.arange(3).nope
# --- attribute of the module
np.nope
# --- attribute of a numpy scalar
np.float64(1).nope
# --- call of an array
np.arange(3)()
# --- assign to a read-only view
np.broadcast_to(np.zeros(1), (3,))[0] = 1
# --- ravel of unknown order
np.zeros(2).ravel(order="Q")
# --- where with two
np.where([True], [1])
# --- unknown axis type
np.sum([1, 2], axis="a")
# --- axis as float
np.sum([1, 2], axis=1.0)
# --- repeat of wrong counts
np.repeat([1, 2], [1, 2, 3])
# --- searchsorted of bad side
np.searchsorted([1, 2], 1, side="middle")
# --- diag of three dims
np.diag(np.zeros((1, 1, 1)))
# --- trace of one dim
np.trace([1, 2])
# --- fill of a string
np.zeros(2).fill("a")
# --- astype of unknown
np.zeros(2).astype("nope")
# --- astype of a number
np.zeros(2).astype(5)
# --- int8 constructor out of range
np.int8(300)
# --- uint8 constructor negative
np.uint8(-1)
# --- float32 of text
np.float32("abc")
# --- int64 of a list is an array, index out of bounds
np.int64([1, 2])[5]
# --- iinfo of float
np.iinfo(np.float64)
# --- finfo of int
np.finfo(np.int32)
# --- meshgrid of bad indexing
np.meshgrid([1], [2], indexing="zz")
# --- unravel out of range
np.unravel_index(20, (3, 4))
# --- histogram without bins (later)
np.histogram([1, 2], bins=0)
# --- bincount of negative (later)
np.bincount([-1, 2])
# --- percentile out of range (later)
np.percentile([1, 2], 150)
# --- average with zero weights
np.average([1, 2], weights=[0, 0])
# --- unhashable array
{np.arange(2): 1}
# --- set of arrays
{np.arange(2)}
# --- sort key of arrays
sorted([np.arange(2), np.arange(2)])
# --- unpack of array
a, b = np.arange(3)
# --- unpack of a long array
a, b, c = np.arange(2)
# --- min of a list of arrays
min([np.arange(2), np.arange(2)])
# --- round of digits type
np.round([1.5], "a")
# --- roll over a missing axis
np.roll([1, 2], 1, axis=3)
# --- flip over a missing axis
np.flip([1, 2], 3)
# --- insert out of bounds
np.insert([1, 2], 7, 1)
# --- delete out of bounds
np.delete([1, 2], 7)
# --- tile of bad counts
np.tile([1], "a")
# --- index by none and too many
np.zeros(2)[None, 0, 0]
# --- del of an element
a = np.zeros(2)
del a[0]
# --- nonzero of zero dims
np.nonzero(np.array(5))
# --- shape mismatch in select
np.select([[True, False]], [[1, 2, 3]])
# --- array from a set of mixed depth
np.array([1, [2, 3]])


# --- out= of other shapes and dtypes
def t(s, f):
    try:
        print(s, repr(f()))
    except Exception as e:
        print(s, '!!', type(e).__name__, e)


a = np.arange(6.0).reshape(2, 3)
oi = lambda *s: np.zeros(s, int)
of = lambda *s: np.zeros(s, np.float32)
for nm, o in (("int", oi), ("f4", of)):
    t(nm + " matmul", lambda: np.matmul(a, a.T, out=o(2, 2)))
    t(nm + " dot", lambda: np.dot(a, a.T, out=o(2, 2)))
    t(nm + " einsum", lambda: np.einsum('ij,kj', a, a, out=o(2, 2)))
    t(nm + " sum", lambda: np.sum(a, axis=0, out=o(3)))
    t(nm + " mean", lambda: np.mean(a, axis=0, out=o(3)))
    t(nm + " std", lambda: np.std(a, axis=0, out=o(3)))
    t(nm + " median", lambda: np.median(a, axis=0, out=o(3)))
    t(nm + " percentile", lambda: np.percentile(a, 30, axis=0, out=o(3)))
    t(nm + " max", lambda: np.max(a, axis=0, out=o(3)))
    t(nm + " argmax", lambda: np.argmax(a, axis=0, out=o(3)))
    t(nm + " cumsum", lambda: np.cumsum(a, axis=0, out=o(2, 3)))
    t(nm + " take", lambda: np.take(a, [0, 1], axis=1, out=o(2, 2)))
    t(nm + " any", lambda: np.any(a, axis=0, out=o(3)))
    t(nm + " choose", lambda: np.choose([0, 1], [[1.5, 2], [3, 4]], out=o(2)))
    t(nm + " compress", lambda: np.compress([1, 0], a, axis=0, out=o(1, 3)))
    t(nm + " concatenate", lambda: np.concatenate([a, a], out=o(4, 3)))
    t(nm + " stack", lambda: np.stack([a, a], out=o(2, 2, 3)))
    t(nm + " add.reduce", lambda: np.add.reduce(a, out=o(3)))
    t(nm + " add.accumulate", lambda: np.add.accumulate(a, out=o(2, 3)))
    t(nm + " outer", lambda: np.outer([1.5], [2, 3], out=o(1, 2)))
    t(nm + " trace", lambda: np.trace(a, out=o()))
    t(nm + " fft", lambda: np.fft.fft(a[0], out=o(3)))
    t(nm + " nanmax", lambda: np.nanmax(a, axis=0, out=o(3)))
    t(nm + " nansum", lambda: np.nansum(a, axis=0, out=o(3)))
    t(nm + " multi_dot", lambda: np.linalg.multi_dot([a, a.T], out=o(2, 2)))
    t(nm + " vecdot", lambda: np.vecdot(a, a, out=o(2)))
    t(nm + " isposinf", lambda: np.isposinf(a, out=o(2, 3)))
for nm, f in (
    ("matmul", lambda o: np.matmul(a, a.T, out=o)),
    ("dot", lambda o: np.dot(a, a.T, out=o)),
    ("einsum", lambda o: np.einsum('ij,kj', a, a, out=o)),
    ("argmax", lambda o: np.argmax(a, axis=0, out=o)),
    ("take", lambda o: np.take(a, [0], out=o)),
    ("concatenate", lambda o: np.concatenate([a, a], out=o)),
    ("add", lambda o: np.add(a, 1, out=o)),
):
    for o in (
        np.zeros((3, 2)),
        np.zeros(7),
        np.zeros((2, 2)).T,
        5,
        [1.0, 2],
        np.zeros((4, 2, 2)),
        np.broadcast_to(np.zeros(2), (2, 2)),
    ):
        t(f"{nm} {np.shape(o)}", lambda: f(o))


# --- words that functions do not know (numpy before 2.5)
def t(s, f):
    try:
        r = f()
        print(s, 'OK', repr(r)[:60].replace('\n', ' '))
    except Exception as e:
        print(s, '!!', type(e).__name__, e)


a = np.arange(6.0).reshape(2, 3)
i = np.array([1, 0, 1])
t("take", lambda: np.take(a, [0], mode='bogus'))
t("take2", lambda: np.take(a, [0], mode=3))
t("choose", lambda: np.choose([0], [[1]], mode='bogus'))
t("put", lambda: np.put(a.copy(), [0], [1], mode='bogus'))
t("ravel_multi", lambda: np.ravel_multi_index((1, 1), (2, 2), mode='bogus'))
t("ravel_multi2", lambda: np.ravel_multi_index((1, 1), (2, 2), order='X'))
t("unravel", lambda: np.unravel_index(1, (2, 2), order='X'))
t("reshape", lambda: a.reshape(3, 2, order='X'))
t("reshape2", lambda: np.reshape(a, (3, 2), order='K'))
t("ravel", lambda: a.ravel(order='X'))
t("flatten", lambda: a.flatten('X'))
t("copy", lambda: a.copy(order='X'))
t("array order", lambda: np.array(a, order='X'))
t("zeros order", lambda: np.zeros(3, order='X'))
t("zeros_like", lambda: np.zeros_like(a, order='X'))
t("full", lambda: np.full(2, 1, order='Z'))
t("astype cast", lambda: a.astype(int, casting='bogus'))
t("can_cast", lambda: np.can_cast('f4', 'f8', 'bogus'))
t("add casting", lambda: np.add(1, 2, casting='bogus'))
t("meshgrid", lambda: np.meshgrid([1], [2], indexing='bogus'))
t("fft norm", lambda: np.fft.fft(a, norm='bogus'))
t("norm ord", lambda: np.linalg.norm(a, 'bogus'))
t("qr mode", lambda: np.linalg.qr(a, mode='bogus'))
t("eigh UPLO", lambda: np.linalg.eigh(np.eye(2), UPLO='X'))
t("printoptions3", lambda: np.set_printoptions(floatmode='bogus'))
t("printoptions4", lambda: np.set_printoptions(sign='x'))
t("roll ax", lambda: np.roll(a, 1, axis=2))
t("roll2", lambda: np.roll(a, (1, 2), axis=(0, 1, 0)))
t("histogram", lambda: np.histogram(a, bins='bogus'))
t("convolve", lambda: np.convolve([1], [1], mode='bogus'))
t("packbits", lambda: np.packbits([1, 0], bitorder='x'))
t("isin", lambda: np.isin([1], [1], kind='bogus'))
t('where', lambda: np.add(a, 2, where=[True, False, 1], out=np.zeros((2, 3))))
t('whole', lambda: np.add(a, 2, where=np.array([1, 0, 1])))

# --- an AxisError is a ValueError and an IndexError
for kind in (ValueError, IndexError, LookupError, (TypeError, ValueError), Exception, np.exceptions.AxisError):
    try:
        np.zeros((2, 3)).sum(axis=5)
    except kind as e:
        print(type(e).__name__, e)
print(
    issubclass(np.exceptions.AxisError, ValueError),
    issubclass(np.exceptions.AxisError, IndexError),
    issubclass(np.exceptions.AxisError, TypeError),
    issubclass(ValueError, np.exceptions.AxisError),
)
try:
    try:
        np.zeros(3).sum(axis=-2)
    except TypeError:
        print("no")
except ValueError as e:
    print(isinstance(e, IndexError), isinstance(e, KeyError), isinstance(e, ValueError))

# --- a read-only out=
def fixed(*shape, dtype=int):
    a = np.zeros(shape, dtype)
    a.flags.writeable = False
    return a
x = np.arange(6).reshape(2, 3)
for f in (
    lambda: np.take(x, [1, 2], out=fixed(2)), lambda: np.take(x, [[1, 2]], 1, out=fixed(2, 1, 2), mode='clip'),
    lambda: x.argmax(0, out=fixed(3)), lambda: np.argmin(x, 1, out=fixed(2)), lambda: x.argmax(out=fixed()),
    lambda: np.choose([0, 1, 0], x, out=fixed(3)), lambda: np.compress([True], x, out=fixed(1)),
    lambda: np.compress([True, False], x, axis=0, out=fixed(1, 3)), lambda: np.trace(x, out=fixed()),
    lambda: np.sum(x, 0, out=fixed(3)), lambda: np.cumsum(x, 0, out=fixed(2, 3)), lambda: np.round(x, out=fixed(2, 3)),
    lambda: np.clip(x, 1, 2, out=fixed(2, 3)), lambda: np.dot(x, x.T, out=fixed(2, 2)),
    lambda: np.matmul(x, x.T, out=fixed(2, 2)), lambda: np.mean(x, out=fixed(dtype=float)),
    lambda: np.median(x, out=fixed(dtype=float)), lambda: np.percentile(x, 3, out=fixed(dtype=float)),
    lambda: np.concatenate((x, x), out=fixed(4, 3)), lambda: np.stack((x, x), out=fixed(2, 2, 3)),
    lambda: np.any(x, out=fixed(dtype=bool)), lambda: np.var(x, out=fixed(dtype=float)),
    lambda: np.einsum('ij->j', x, out=fixed(3)), lambda: np.ptp(x, out=fixed()), lambda: np.nansum(x, out=fixed()),
):
    t('read-only', f)

# --- insert looks at its indices before the values
for arguments in (
    (np.array(0), 2, 2**63), (np.array([1, 2]), 5, 2**63), (np.array([1, 2]), [5], 2**63), (np.array([1, 2]), 1, 2**63),
    (np.array([1, 2]), -3, [2**63, 1]), (np.array([1, 2]), slice(0, 1), 2**63), (np.eye(2, dtype=int), 3, 2**63, 1),
):
    t('insert', lambda: np.insert(*arguments))
