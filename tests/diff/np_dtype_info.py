# Introspection of dtypes and ufuncs; in-place methods.
# --- dtypes
for c in '?bBhHiIlLefdFD':
    t = np.dtype(c)
    print(
        c,
        t.num,
        t.alignment,
        t.byteorder,
        t.base,
        t.shape,
        t.ndim,
        t.flags,
        t.isbuiltin,
        t.isnative,
        t.hasobject,
        t.isalignedstruct,
        t.fields,
        t.names,
        t.subdtype,
        t.metadata,
    )

# --- ufuncs: those of NumPy's loops that gpa has
own = '?bBhHiIlLefdFD'
for f in (
    np.add,
    np.power,
    np.sqrt,
    np.less,
    np.logical_and,
    np.bitwise_or,
    np.absolute,
    np.isnan,
    np.ldexp,
    np.remainder,
    np.negative,
    np.exp,
    np.arctan2,
    np.invert,
    np.floor,
):
    loops = sorted({t for t in f.types if set(t) <= set(own + '->')})
    if f is np.ldexp:
        loops = [t for t in loops if t[1] == 'l']
    if f in (np.add, np.less, np.logical_and, np.bitwise_or, np.sqrt, np.ldexp):
        print(
            f.__name__,
            [
                t
                for t in loops
                if '?' not in t[:2] and 'eil' not in t and 'q' not in t and not (f is np.less and t[0] != t[1])
            ],
        )
    print(f.nargs, f.nin, f.nout, f.signature, f.ntypes == len(f.types))

# --- resolve_dtypes
i4, f4, f8 = np.dtype('i4'), np.dtype('f4'), np.dtype('f8')
print(
    np.add.resolve_dtypes((i4, f4, None)),
    np.add.resolve_dtypes((f4, float, None)),
    np.less.resolve_dtypes((i4, int, None)),
    np.sqrt.resolve_dtypes((i4, None)),
    np.add.resolve_dtypes((int, int, None)),
)
for f in (
    lambda: np.add.resolve_dtypes((i4,)),
    lambda: np.add.resolve_dtypes((i4, 'i4', None)),
    lambda: np.bitwise_and.resolve_dtypes((f8, i4, None)),
):
    try:
        print(f())
    except TypeError as e:
        print(e)

# --- partition in place
a = np.array([3, 4, 2, 1])
print(a.partition(3), a[3])
b = np.array([[3, 1, 2], [9, 7, 8]])
b.partition(1, axis=1)
print(b[:, 1])
b.partition((0, 1), axis=0)
print(b[0])
for f in (lambda: a.partition(9), lambda: np.broadcast_to([1, 2], (2, 2)).partition(1)):
    try:
        print(f())
    except ValueError as e:
        print(e)

# --- resize in place
a = np.array([[0, 1], [2, 3]])
a.resize((2, 1))
print(a)
a.resize(2, 3)
print(a)
a.resize(4)
print(a)
a.resize(())
print(a)
c = np.arange(4)
b = c[1:]
for f in (lambda: a.resize(-1, 2), lambda: c.resize(2), lambda: c[1:].resize(2, refcheck=False)):
    try:
        print(f())
    except ValueError as e:
        print(str(e).split('\n')[0])  # the rest is another text in each version

# --- ravel's orders
x = np.array([[1, 2, 3], [4, 5, 6]])
y = np.arange(24).reshape(2, 3, 4).swapaxes(1, 2)
for order in 'CFAK':
    print(
        x.ravel(order),
        x.T.ravel(order),
        y.ravel(order),
        np.asfortranarray(x).ravel(order),
        y.T.flatten(order),
        x[:, ::2].T.ravel(order),
        np.broadcast_to([1, 2], (2, 2)).ravel(order),
    )
print(np.asfortranarray(x).reshape(3, 2, order='A'), x.reshape(3, 2, order='A'), np.shares_memory(x.T.ravel('K'), x))

# --- error modes (numpy before 2.5)
before = np.seterr(all='warn', under='ignore')
print(np.geterr(), np.seterr(all='ignore'), np.seterr(over='raise', under='print'), np.geterr())
with np.errstate(divide='warn', over='ignore'):
    print(np.geterr())
    with np.errstate(all='raise'):
        print(np.geterr())
print(np.geterr(), np.seterr(all='warn', under='ignore'))
for f in (lambda: np.seterr(all='foo'), lambda: np.seterr(over=3)):
    try:
        print(f())
    except (ValueError, TypeError, KeyError) as e:
        print(e)
