# Complex numbers: vectorized functions with scalar fallbacks for special elements, matrix-vector products.
FUNCTIONS = (
    'exp',
    'exp2',
    'expm1',
    'log',
    'log2',
    'log10',
    'log1p',
    'sinh',
    'cosh',
    'tanh',
    'sin',
    'cos',
    'tan',
    'arcsinh',
    'arccos',
    'arcsin',
    'arctan',
    'arctanh',
    'arccosh',
    'sqrt',
    'sign',
    'reciprocal',
    'angle',
    'absolute',
)


def plain(n):
    k = np.arange(n) * 2654435761 >> 5
    return (k % 1009 - 500.5) / 137 + 1j * ((k % 1013 - 506.25) / 171)


def told(z):
    return [f'{v.real:.8g} {v.imag:.8g}' for v in z.ravel().tolist()]


def kinds(z):  # what is not a number, and infinite sizes
    return ''.join(
        (
            'n'
            if a != a and b != b
            else (
                'i'
                if abs(a) == np.inf or abs(b) == np.inf
                else 'h' if a != a or b != b else 'z' if a == b == 0 else '.'
            )
        )
        for a, b in zip(z.real.tolist(), z.imag.tolist())
    )


# --- functions
for name in FUNCTIONS:
    f = getattr(np, name)
    for n in (1, 5, 16, 33, 1000):
        z = plain(n)
        r = f(z)
        print(name, *told(r[:20] + 0j), *told(r[-3:] + 0j))
        short = f(z.astype('c8'))
        exact = f(z.astype('c8').astype('c16'))
        print(
            short.dtype,
            bool(
                (
                    abs(short - exact)
                    <= 2e-6 * np.maximum(abs(exact.real), abs(exact.imag)) + (1e-7 if name == 'log1p' else 0)
                ).all()
            ),
        )

# --- functions with some elements outside of the domain
FAR = [
    0,
    1e-200,
    -1e-170 + 1e-180j,
    1e160 + 1e150j,
    -1e200j,
    1e300 + 1e300j,
    711 + 1j,
    -800 + 2j,
    1e15 - 3j,
    1e-20 + 1j,
]
for name in FUNCTIONS:
    f = getattr(np, name)
    if name in ('exp', 'exp2', 'expm1', 'sinh', 'cosh', 'sin', 'cos', 'tan', 'tanh'):
        far = np.array([0, 1e-200, -1e-170 + 1e-180j, 709.5 + 1j, -800 + 2j, 0.5 + 1e-20j, 30 + 40j])
    else:
        far = np.array(FAR)
    for at in (0, 1, 3, 7, 8, 30):
        z = plain(64)
        z[at : at + len(far)] = far
        r = f(z)
        print(name, at, *told(r[max(at - 2, 0) : at + len(far) + 2] + 0j))

# --- functions with some elements that are not finite
ODD = np.array([complex(a, b) for a in (np.inf, -np.inf, np.nan, 2.0) for b in (np.inf, -np.inf, 1.0, 0.0)])
with np.errstate(all='ignore'):
    for name in FUNCTIONS:
        for at in (0, 5, 40):
            z = plain(64)
            z[at : at + 16] = ODD
            r = getattr(np, name)(z)
            inside = r[at : at + 16]
            alone = np.array([getattr(np, name)(v) for v in ODD])
            print(
                name,
                at,
                kinds(r[:at] + 0j),
                kinds(r[at + 16 :] + 0j),
                all(
                    bool(np.allclose(a, b, 1e-13, 1e-14, equal_nan=True))
                    for a, b in ((inside.real, alone.real), (inside.imag, alone.imag))
                ),
            )

# --- powers
for e in (-8, -7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0.5, 2.5, 1 + 2j):
    z = plain(100)
    r = z**e
    print(e, *told(r[:5]), *told(r[-5:]))
    short = z.astype('c8') ** e
    exact = z.astype('c8').astype('c16') ** e
    print(bool((abs(short - exact) <= 1e-5 * abs(exact)).all()))
z = plain(16)
z[3], z[5] = 0, 1e120
print(*told(z ** np.arange(1, 17)), *told(z[:3] ** np.array([-1, -2, 1j])))
with np.errstate(all='ignore'):
    print(kinds(z**3), kinds(np.array([1e-120, 1, 2j, 0] * 8) ** -3))

# --- matrices and vectors
for T in ('c8', 'c16'):
    for m, k in ((1, 1), (1, 7), (7, 1), (3, 5), (16, 16), (33, 65), (200, 300)):
        A = (np.arange(m * k) % 7 - 3 + 1j * (np.arange(m * k) % 5 - 2)).astype(T).reshape(m, k)
        v, w = (np.arange(k) % 4 + 1j * (np.arange(k) % 3 - 1)).astype(T), (
            np.arange(m) % 3 - 1j * (np.arange(m) % 6)
        ).astype(T)
        wide = np.zeros((k, 3), T)
        wide[:, 1] = v
        for r in (
            A @ v,
            w @ A,
            A.T @ w,
            v @ A.T,
            A @ v[::-1],
            A[::-1] @ v,
            A[:, ::-1] @ v,
            A @ wide[:, 1],
            A @ wide[:, 1:2],
            w[None] @ A,
            A[::2, ::2] @ v[::2],
            np.stack([A, 2 * A]) @ v,
            A.conj() @ v,
        ):
            r = r + 0  # a sum of one product may be -0
            print(r.dtype, r.shape, r.sum(), r.ravel()[:3].tolist(), r.ravel()[-3:].tolist())
for _ in range(3):  # the memory of a result has held NaN
    gone = np.full(300, np.nan + 1j * np.nan)
    print(gone[0].real != 0)
    del gone
    print((np.ones((300, 20), 'c16') @ np.ones(20, 'c16')).sum())

# --- convolutions of many weights
for T in ('f4', 'f8', 'c8', 'c16', 'i8', 'i4', 'u2', 'i1', '?'):
    for n, m in ((200, 33), (300, 300), (1000, 40), (1000, 63), (3000, 400), (2000, 600), (1100, 1025), (33000, 40)):
        a, v = (np.arange(n) % 11 - 5).astype(T), (np.arange(m) % 7 - 2).astype(T)
        if T[0] == 'c':
            a, v = a + 1j * (np.arange(n) % 3).astype(T), v * (1 - 2 * 1j)
        for mode in ('full', 'same', 'valid'):
            for r in (np.convolve(a, v, mode), np.correlate(a, v, mode), np.correlate(v, a, mode)):
                print(r.dtype, r.shape, r.sum(), (r * (np.arange(r.size) % 5)).sum(), r[:3].tolist(), r[-3:].tolist())
a, v = np.arange(500.0), np.arange(50.0)
a[100], v[7] = np.nan, 2
print(np.isnan(np.convolve(a, v)).nonzero()[0].tolist(), np.isnan(np.convolve(a, v, 'valid')).sum())
a[100] = np.inf
with np.errstate(all='ignore'):
    print((~np.isfinite(np.convolve(a, v))).nonzero()[0].tolist())

# --- cumulative maximum and minimum
for T in (np.complex64, np.complex128):
    x = ((np.arange(400) * 37 % 101 - 50) // 7 + 1j * (np.arange(400) * 53 % 89 - 40)).astype(T)
    y, z = x.copy(), x.copy()
    y.real[200:], y.imag[300:] = np.nan, np.nan
    z.imag[150:], z.real[::9], z.imag[::5], z.real[1::9] = -np.inf, -0.0, 0.0, 0.0
    z[20], z[250] = complex(np.inf, -np.inf), complex(1, np.nan)
    for a in (
        x,
        y,
        z,
        np.full(5, complex(-np.inf, -np.inf), T),
        np.full(5, complex(np.inf, np.inf), T),
        np.full(3, complex(-np.inf, np.nan), T),
        np.sort(x),
        np.sort(x)[::-1],
    ):
        for f in (np.maximum.accumulate, np.minimum.accumulate):
            print(
                f(a)[[0, 1, -2, -1]],
                np.nan_to_num(f(a)).sum(),
                np.signbit(f(a).real).sum(),
                np.isnan(f(a)).sum(),
                f(a[::-3])[-1],
            )
            if a.size == 400:
                print([np.nan_to_num(f(a.reshape(8, 5, 10), axis=d)).sum() for d in range(3)])
