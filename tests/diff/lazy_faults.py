# --- late index errors name the index, the axis and its size
a = np.arange(60.0).reshape(5, 4, 3)
i = np.arange(3)


def run(k):
    if k == 0:
        return a[:, i + 3]
    if k == 1:
        return a[i * 3]
    if k == 2:
        return a[1, i + 2]
    if k == 3:
        return a[None, i + 4]
    if k == 4:
        return a[..., i + 1]
    if k == 5:
        return a.T[i + 1]
    if k == 6:
        return a[2:4][i]
    if k == 7:
        return a[i, :, i + 1]
    if k == 8:
        return a[i, i + 2, i]
    if k == 9:
        return a[:, :, None, i + 2]
    if k == 10:
        return a[2:4, i - 5]
    if k == 11:
        return a.reshape(20, 3)[i * 10 + 1]
    if k == 12:
        return a[:, 1][:, i + 1]
    if k == 13:
        return (a + 1)[:, i + 2]
    if k == 14:
        return a[0].take(i + 2, axis=0)
    if k == 15:
        return a.take(i + 2, axis=1)
    if k == 16:
        return a.take(i + 60)
    if k == 17:
        return np.take_along_axis(a, (i + 2).reshape(1, 3, 1), axis=1)
    if k == 18:
        b = a.copy()
        b[:, i + 2] = 0
        return b
    if k == 19:
        b = a.copy()
        b[i + 3, 1] = 0
        return b
    if k == 20:
        b = a.copy()
        b[0, i, i + 1] = 5
        return b
    if k == 21:
        b = a.copy()
        np.add.at(b, (0, i + 2), 1)
        return b
    if k == 22:
        b = a.copy()
        b[:, ::2][:, i + 1] += 1
        return b
    if k == 23:
        return a[i[:, None], i + 2]
    if k == 24:
        return a[i - 7]
    if k == 25:
        return a[a[0, 0].astype(int) + 3]
    if k == 26:
        return a[:, :, ::-1][..., i + 1]
    if k == 27:
        return np.choose(i + 1, [i, i, i])
    if k == 28:
        b = a.copy()
        b.put(i + 58, 1)
        return b


for k in range(29):
    try:
        r = run(k)
        r.sum().item()
        print(k, "fine", r.shape)
    except Exception as e:
        print(k, type(e).__name__, e)

# --- an expression statement reports an index out of bounds
a, i = np.arange(12.0).reshape(3, 4), np.arange(3)


def look(k):
    a[i + k]
    return "fine"


for k in (0, 1, -4):
    try:
        print(look(k))
    except IndexError as e:
        print(e)
try:
    a[:, np.cumsum(i + 1)]
    print("not here")
except IndexError as e:
    print(e)

# --- an index out of bounds in an unused value
a, i = np.arange(12.0).reshape(3, 4), np.arange(6000)
small = np.arange(3)


def assigned():
    x = a[i]
    return 5


def deleted():
    x = a[:, i]
    del x


def overwritten():
    x = a[i] * 2 + 1
    x = 7
    return x


def returned():
    return a[i, 0]


def partly():
    return a[i][:2]


def one():
    return a[i][0, 0].item()


def several():
    return a[small][0], a[small * 2], a[small, small + 2]


def taken():
    x = np.take(a, i)
    return 1


def along():
    x = np.take_along_axis(a, i[:20].reshape(5, 4), axis=0)
    return 1


def put():
    b = a.copy()
    np.put(b, i, 1)


def stored():
    b = a.copy()
    b[i] = 0


def added():
    b = a.copy()
    b[i] += 1


def copied():
    b = a.copy()
    b[small] = a[i[2:5]]


def chosen():
    x = np.choose(small + 1, [small, small, small])


def unused():
    return np.where(True, 1, a[small * 2])


def shape():
    return a[i].shape


def loop():
    for k in range(40):
        x = a[small + k // 39]


for f in (
    assigned,
    deleted,
    overwritten,
    returned,
    partly,
    one,
    several,
    taken,
    along,
    put,
    stored,
    added,
    copied,
    chosen,
    unused,
    shape,
    loop,
):
    try:
        f()
    except (IndexError, ValueError) as e:
        print(f.__name__, type(e).__name__, e)
    else:
        print(f.__name__, "fine")


def early():
    try:
        return a[i]
    except IndexError as e:
        return str(e)


def between():
    found = []
    for k in range(4):
        try:
            x = a[small + k]
            if k == 2:
                continue
            if k == 3:
                break
        except IndexError as e:
            found.append((k, str(e)))
    return found


def in_handler():
    try:
        a[small + 1]
    except IndexError:
        try:
            x = a[small - 4]
        except IndexError as e:
            return str(e)


def at_last():
    done = []
    try:
        try:
            x = a[small + 1]
        finally:
            done.append("finally")
    except IndexError as e:
        done.append(str(e))
    return done


def otherwise():
    try:
        x = a[small]
    except IndexError:
        return "no"
    else:
        return "else"


def first():
    try:
        x = a[small + 1]
        y = undefined
    except (IndexError, NameError) as e:
        return str(e)


print(early(), between(), in_handler(), at_last(), otherwise(), first())

# --- of several errors the first is reported, whatever the number of threads
b, j = np.zeros(1000), np.arange(100_000) % 1000
j[25_000:] = 5000 + np.arange(75_000)


def summed():
    return b[j].sum()


def gathered():
    return b[j]


def read():
    return (b[j] * 2)[0].item()


def rows():
    return b[j.reshape(100, 1000)].sum(1)


def columns():
    return b[j.reshape(100, 1000)].sum(0)


def scattered():
    b[j] = 1


for f in (summed, gathered, read, rows, columns, scattered):
    for k in range(4):
        try:
            f()
        except IndexError as e:
            print(f.__name__, e)
        else:
            print(f.__name__, "fine")

# --- it is the block's in which it was written
a, i = np.arange(3.0), np.arange(3)


def before():
    x = a[i + 1]
    try:
        pass
    except IndexError:
        return "here it is not"
    return "nor here"


try:
    print(before())
except IndexError as e:
    print("outside", e)
y, z = a[i], a[i]
del z
i[0] = 99
a[0] = 5
print(y)

# --- contexts that want an error see it
a, i = np.arange(3.0), np.arange(6000)
np.testing.assert_raises(IndexError, lambda: a[i])
with np.testing.assert_raises(IndexError):
    a[i]
with np.testing.assert_raises(IndexError):
    x = a[i] * 2


def leaves():
    with np.testing.assert_raises(IndexError):
        return a[i]
    return "behind it"


print(leaves())
try:
    with np.testing.assert_raises(IndexError):
        x = a[i - 3 * (i // 3)]
except AssertionError as e:
    print(e)

# --- and once
a, i = np.arange(3.0), np.arange(6000)
for k in range(2):
    try:
        x = a[i]
        del x
        a[i] = 4
    except IndexError as e:
        print(k, e)
print(np.arange(3) * 2)

# --- a store with an index out of range stores nothing
a, i = np.arange(12.0).reshape(3, 4), np.arange(3)
for k in range(2):
    try:
        if k == 0:
            a[i * 2] = 5
        else:
            a[i * 2, 1] += 7
        print(a)
    except IndexError as e:
        print(e)
    print(a.sum(), (a * 2).tolist())
