# Short rows: gather, scatter and arithmetic, of all lengths around the width of vector registers.
WIDTHS = (1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 33, 64, 65, 100)


def numbers(n, T):
    return ((np.arange(n) * 2654435761 >> 5) % 251 - (0 if T[0] in 'ub' else 100)).astype(T)


def told(x):
    return x.shape, x.dtype, (x.ravel() * (np.arange(x.size) % 17 + 1)).sum(), x.ravel()[:3], x.ravel()[-3:]


# --- gather of rows
for T in ('f8', 'f4', 'i2', 'u1', 'bool', 'c8', 'c16', 'f2'):
    for w in WIDTHS:
        for rows, n in ((40, 9), (70, 150), (30, 4100 if w < 6 else 500)):
            a = numbers(rows * w, T).reshape(rows, w)
            i = np.arange(n) * 7919 % (2 * rows) - rows
            print(T, w, told(np.take(a, i, axis=0)), told(a[i.astype(np.int32)]), told(a[i] + a[::-1][i]))

# --- of views, and along other axes
for T in ('f8', 'f4', 'i1'):
    for w in WIDTHS:
        a = numbers(60 * w, T).reshape(60, w)
        i = np.arange(200) * 7919 % 120 - 60
        j = np.arange(200) * 31 % w
        b = a.reshape(3, 20, w)
        print(
            T,
            w,
            told(a[:, ::-1][i]),
            told(a[::2][i // 2]),
            told(a[:, 1:][i]),
            told(np.repeat(a, 2, axis=1)[:, ::2][i]),
            told(a.T[j]),
            told(a[i, j]),
            told(a[i[:20, None], np.arange(w)]),
        )
        print(
            told(b[i % 3]),
            told(b[:, i % 20]),
            told(b[:, :, j]),
            told(b[i % 3, i % 20]),
            told(b[i % 3, :, j]),
            told(a[i.reshape(10, 20)]),
            told(a[i][:, : w // 2]),
            told((a[i] * 2)[i]),
        )

# --- rows that are set
for T in ('f8', 'f4', 'i8', 'i2', 'c8'):
    for w in WIDTHS:
        a = numbers(70 * w, T).reshape(70, w)
        i = np.arange(65) * 39 % 70 - 70  # each row once
        p, q, r, s = a.copy(), a.copy(), a.copy(), a.copy()
        p[i] = numbers(65 * w, T).reshape(65, w)
        q[i] = 3
        r[i] += a[:65]
        s[i, ::-1] = numbers(w, T)
        print(T, w, told(p), told(q), told(r), told(s))
        np.add.at(p, i, a[:65])
        q[i % 2 * 5] = a[:1]
        r[:, i % w] = 1
        print(told(p), told(q), told(r))


# --- rows that are not there
def attempt(f):
    try:
        return f()
    except IndexError as e:
        return str(e)


for w in (1, 2, 5, 8, 10, 33, 100):
    a = numbers(500 * w, 'f8').reshape(500, w)
    for n, at, bad in ((10, 9, 500), (5000, 0, -501), (5000, 4999, 500), (5000, 4321, 10**15)):
        i = np.arange(n) % 500
        i[at] = bad
        print(
            w,
            n,
            attempt(lambda: told(np.take(a, i, axis=0))),
            attempt(lambda: told(a[i] * 2)),
            attempt(lambda: told(a[i + 0] + a[i - 0])),
            attempt(lambda: told(np.exp(a[i]) + np.sin(a[i]) * np.cos(a[i] + 1))),
        )
    print(
        attempt(lambda: told(a[:, np.array([0, w - 1, w])])),
        told(np.take(a, i, axis=0, mode='clip')),
        told(np.take(a, i % 1700 - 600, axis=0, mode='wrap')),
    )

# --- rows that are computed with
for T in ('f8', 'f4', 'i8', 'i2', 'u1', 'c16'):
    for w in WIDTHS:
        a, b, c = (numbers(k * 6 * 20 * w, T)[::k].reshape(6, 20, w) for k in (1, 2, 1))
        row, column = a[0, 0], a[:, :1]
        print(
            T,
            w,
            told(a + b),
            told(a * row + column),
            told((a + b[::-1])[:, ::3]),
            told(a[:, :, ::-1] - c),
            told(a[::2, 1:] + b[1::2, :-1]),
            told(np.where(a > 3, b, c)),
        )
        out = np.zeros((6, 20, w + 3), T)
        out[:, :, 1:-2] = a + 1
        out[:, 1::2, :w] += b[:, 1::2]
        print(
            told(out),
            told(np.concatenate([a, b], axis=2)),
            told(np.repeat(a, 2, axis=1)),
            told(np.roll(a, 1, axis=2)),
            told(np.pad(a[0], 1)),
            told(np.tile(a[0], (2, 2))),
            told(a.transpose(1, 0, 2) + 1),
        )

# --- rows joined with rows of other arrays
for w, v in ((10, 5), (9, 27), (33, 2), (100, 10)):
    a, i = numbers(300 * w, 'f8').reshape(300, w), np.arange(300) * 7919 % 300
    b = numbers(300 * v, 'f4').reshape(300, v)
    x, y, z = a[i] + 1, b[i] * 2, a[i][:, :1] + b
    print(
        told(x),
        told(y),
        told(z),
        told(np.exp2(np.clip(a[i], -3.0, 9.0))),
        told(a[i].sum(axis=1)),
        told((a[i] > 0).sum(axis=0)),
        told(a[i].argmax(axis=1)),
    )
