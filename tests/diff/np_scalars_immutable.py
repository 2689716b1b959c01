# Scalars are immutable: attributes cannot be set, in-place methods change a copy, and no array shares their memory.

ATTRIBUTES = ("real", "imag", "flat", "shape", "dtype", "strides", "T", "size", "ndim", "nbytes", "itemsize", "base",
    "sum", "foo")


def makers():
    yield np.float64(3)
    yield np.int32(3)
    yield np.complex64(2)
    yield np.bool_(True)
    yield np.float16(1)
    yield (np.arange(4.0) * 3)[2]
    yield (np.arange(4.0) * 3).sum()
    yield (np.arange(4) * (1 + 2j))[2]


def attempt(f, *args):
    try:
        return repr(f(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


# --- attributes
for x in makers():
    for name in ATTRIBUTES:
        print(name, attempt(setattr, x, name, 5), attempt(delattr, x, name), x)
    print(attempt(setattr, x.flags, "writeable", True), attempt(setattr, x.flags, "writeable", False))

# --- attributes of elements
a = np.arange(4.0)
for name in ATTRIBUTES:
    print(attempt(setattr, a[1], name, 5), attempt(setattr, a.sum(), name, 5))
print(a)

# --- methods in place
for x in makers():
    for method, args in (
        ("fill", (9,)),
        ("put", ([0], [9])),
        ("sort", ()),
        ("partition", (0,)),
        ("setflags", (True,)),
        ("setflags", (False,)),
        ("resize", (2,)),
        ("resize", ((1,),)),
        ("byteswap", (True,)),
    ):
        before = complex(x)
        print(method, attempt(lambda: getattr(x, method)(*args)), complex(x) == before)

# --- arrays made of scalars
makes = (
    np.asarray, np.array, np.asanyarray, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.asfortranarray,
    np.ascontiguousarray, lambda x: x.reshape(1), lambda x: np.reshape(x, (1, 1)), lambda x: x.ravel(), np.ravel,
    lambda x: x.ravel("K"), lambda x: x.ravel("F"), lambda x: np.expand_dims(x, 0), lambda x: np.require(x, None, "W"),
    lambda x: np.array(x, copy=None, ndmin=2), lambda x: np.asarray(x.transpose()),
    lambda x: np.asarray(x.astype(x.dtype, copy=False)), lambda x: np.asarray(np.squeeze(x)),
    lambda x: np.asarray(np.real(x)), lambda x: np.asarray(x, order="F"), lambda x: np.asarray(x, order="K"),
    lambda x: x.flatten(),
)
for x in makers():
    before = complex(x)
    for make in makes:
        y = make(x)
        y[...] = 0
        print(y.shape, complex(x) == before, np.shares_memory(x, y))
# --- computed scalars are scalars: indices, iteration, lengths
from showing import outcome
def unpack(s):
    a, b = s
def delete(s):
    del s[0]
for s in (np.float64(3), np.array(1.0) * 3, np.arange(3).max(), np.arange(3)[1:].sum()):
    print([outcome(lambda: s[key]) for key in (0, (0, 0), [0], slice(None), [True], (), ..., None, True, False, s > 2,
        np.array(s < 2), (..., s > 2))])
    print([outcome(lambda: f(s)) for f in (list, iter, len, max, unpack, delete, lambda s: [*s])])
# --- methods of scalars and of functions of them return scalars
for s in (np.float64(3), np.array(1.0) * 3, np.complex64(1j), np.arange(3).max()):
    for r in (s.copy(), s.T, s.transpose(), s.transpose(()), s.reshape(()), s.squeeze(), np.squeeze(s), np.transpose(s),
            np.reshape(s, ()),
              s.ravel(), np.copy(s), np.asarray(s), np.choose(0, [s, 2])):
        print(type(r).__name__, r)
    print(s.flags.writeable, s.flags.owndata)
# --- zero-dimensional arrays stay arrays
a = np.array(3.0)
for r in (a.copy(), a.T, a.transpose(), a.reshape(()), a.squeeze(), np.squeeze(a), np.transpose(a), np.reshape(3.0, ()),
        np.copy(3.0)):
    print(type(r).__name__, r)
