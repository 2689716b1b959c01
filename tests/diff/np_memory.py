# Results of fancy indexing that exceed the machine's memory: MemoryError before any element is computed.
# --- gathers by broadcast indices
a = np.arange(9.0).reshape(3, 3)
i = np.zeros(10**6, dtype=int)
wide = np.broadcast_to(0, (10**6, 10**6))
calls = {
    "ix_": lambda: a[np.ix_(i, i)],
    "ix_ and slice": lambda: a[:, None][np.ix_(i, [0], i)],
    "column and row": lambda: a[i[:, None], i],
    "one axis": lambda: a[wide],
    "flat": lambda: a.ravel()[wide],
    "mask with indices": lambda: a[[True, False, True]][i[:, None, None], i[:, None]],
    "too big": lambda: a[np.broadcast_to(0, (2**31, 2**31)), np.broadcast_to(0, (2**20, 1, 1))],
}
for name, call in calls.items():
    try:
        print(name, call().shape)
    except (MemoryError, ValueError) as e:
        print(name, type(e).__name__, str(e).split("\n")[0])

# --- gathers for which NumPy needs other memory first
a = np.arange(9.0).reshape(3, 3)
wide = np.broadcast_to(0, (10**6, 10**6))
calls = {
    "negative": lambda: a[wide - 1],
    "out of bounds": lambda: a[wide + 7],
    "narrow": lambda: a.astype(np.int8)[wide],
    "complex": lambda: a.astype(complex)[wide],
    "take": lambda: a.take(wide),
    "take along an axis": lambda: np.take(a, wide, axis=1),
    "take_along_axis": lambda: np.take_along_axis(np.broadcast_to(a[:1, :1], (10**6, 1)), wide, 1),
}
for name, call in calls.items():
    try:
        print(name, call().shape)
    except MemoryError as e:
        print(name, str(e).split("array")[0][:18])

# --- a choice is checked before it is broadcast
for which in ([0, 1], [0, 2], [-1]):
    try:
        print(np.choose(np.array(which), [np.broadcast_to(1.0, (10**7, 10**6, len(which))), 2.0]).nbytes > 2**40)
    except (MemoryError, ValueError) as e:
        print(True)


# --- memory: data and the array interface (not on cuda: its memory has no host address)
x = np.arange(6, dtype=np.int32).reshape(2, 3)
m, i = x.data, x.__array_interface__
print(m.shape, m.strides, m.ndim, m.itemsize, m.nbytes, m.format, m.readonly, len(m), m.tolist(),
    bytes(m) == x.tobytes())
print(sorted(i), i["shape"], i["strides"], i["typestr"], i["descr"], i["version"], i["data"][1])
y = x[:, ::2]
print(y.__array_interface__["strides"], x[1:].__array_interface__["data"][0] - i["data"][0],
    repr(m).startswith("<memory at 0x"))
print(np.frombuffer(m, np.int32), x[0].data[1], type(x[0].data[1]).__name__)
x[0].data[1] = 7
z = np.frombuffer(b"abcd", np.uint8)
print(x[0], z.data.readonly, z.__array_interface__["data"][1])
z.data[0] = 1
