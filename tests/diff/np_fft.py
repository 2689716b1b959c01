# numpy.fft: every transform against NumPy's, and its errors.
from numpy.fft import (
    fft,
    ifft,
    rfft,
    irfft,
    hfft,
    ihfft,
    fftn,
    ifftn,
    rfftn,
    irfftn,
    fft2,
    ifft2,
    rfft2,
    irfft2,
    fftfreq,
    rfftfreq,
    fftshift,
    ifftshift,
)


def data(*shape):
    n = 1
    for k in shape:
        n *= k
    return np.sin(np.arange(n) * 1.7 + 0.3).reshape(shape) * 3


def show(x):
    digits = 2 if x.dtype in (np.float16, np.float32, np.complex64) else 6
    print(x.dtype, x.shape, end=" ")
    if x.dtype == np.float16:
        x = x.astype(np.float32)
    print(
        np.round(x.real, digits).ravel()[:9] + 0.0,
        np.round(x.imag, digits).ravel()[:9] + 0.0,
        round(float(np.abs(x).sum()), digits - 1),
    )


def weighted(y):
    w = np.cos(np.arange(y.size) * 0.7).reshape(y.shape)
    c = (y * w).sum() / np.abs(y).max()
    return round(float(c.real), 6) + 0.0, round(float(c.imag), 6) + 0.0


def many_side_by_side(lengths):
    """Transforms of rows and of columns: in double precision against NumPy's, in single precision against these."""
    for n in lengths:
        rows = (9, 16, 17, 5)[n % 4]
        x = data(rows, n) + np.cos(np.arange(rows * n) ** 2 % 1013).reshape(rows, n)
        z = x + 1j * x[::-1]
        h = z[:, : n // 2 + 1].copy()
        got = []
        for t in (np.complex128, np.complex64):
            b = x.astype(np.zeros(1, t).real.dtype)
            a, c = z.astype(t), h.astype(t)
            d = c.T.copy()
            got.append(
                [
                    fft(a),
                    fft(a.T, axis=0).T,
                    ifft(a),
                    ifft(a.T.copy(), axis=0).T,
                    rfft(b),
                    rfft(b.T.copy(), axis=0).T,
                    irfft(c, n),
                    irfft(d, n, axis=0).T,
                ]
            )
            if not np.array_equal(c, h.astype(t)) or not np.array_equal(d, h.T.astype(t)):
                print(n, "operand")
            if got[-1][4].imag[:, 0].any() or got[-1][5].imag[:, 0].any():
                print(n, "imaginary")
        print(
            n,
            [weighted(y) for y in got[0][::2]],
            [i for i in range(8) if not np.abs(got[1][i] - got[0][i // 2 * 2]).max() <= 1e-5 * np.abs(got[0][i]).max()],
            end=" ",
        )
        rows, columns = got[0][::2], got[0][1::2]
        print([i for i in range(4) if not np.abs(rows[i] - columns[i]).max() <= 1e-13 * np.abs(rows[i]).max()])


# --- lengths
for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 30, 31, 64, 97, 100]:
    x = data(n) + 1j * data(n)[::-1]
    show(fft(x))
    show(ifft(x))
    show(rfft(x.real))
    show(irfft(x)) if n > 1 else None
    show(hfft(x, n))
    show(ihfft(x.real))

# --- dtypes
for t in ['bool', 'int8', 'uint16', 'int32', 'int64', 'float16', 'float32', 'float64']:
    x = np.round(data(12)).astype(t)
    for f in (fft, ifft, rfft, irfft, hfft, ihfft, fftn, rfftn, irfftn):
        show(f(x))
for t in ['complex64', 'complex128']:
    x = (data(12) + 1j).astype(t)
    for f in (fft, ifft, irfft, hfft, fftn, ifftn, irfftn):
        show(f(x))

# --- axes and layouts
x = data(4, 5, 6) + 1j * data(4, 5, 6)[::-1]
for axis in range(-3, 3):
    show(fft(x, axis=axis))
    show(ifft(x.T, axis=axis))
    show(rfft(x.real, axis=axis))
    show(irfft(x[:, ::-1], axis=axis))
show(fft(x[::2, 1::2, ::-3]))
show(fft(x[:, 2]))
show(fft(x[1, :, 2]))
show(rfft(x.real[:, :, ::-1], axis=1))
show(fft(np.broadcast_to(x[0, 0], (3, 6))))
show(fft(np.broadcast_to(x[0, 0], (3, 6)), axis=0))
show(fft(x.imag))
show(rfft(x.imag))
show(fft(x * 2 + 1))
show(rfft(x.real**2 - 1))

# --- several axes
x = data(3, 4, 5, 6)
for f in (fftn, ifftn, rfftn, irfftn, fft2, ifft2, rfft2, irfft2):
    show(f(x))
    show(f(x, axes=(0, 2)))
    show(f(x, axes=(-1, 1)))
    show(f(x.T, axes=(1, 0)))
    show(f(x, s=(4, 5)))
    show(f(x, s=(2, 7), axes=(1, 2)))
    show(f(x, (3, -1), (2, 1), "ortho"))
for axes in [(0,), (1, 2, 3), (3, 1, 0), (0, 1, 2, 3), (3, 2, 1, 0)]:
    show(fftn(x, axes=axes))
    show(ifftn(x, axes=axes))
    show(rfftn(x, axes=axes))
    show(irfftn(x, axes=axes))
show(fftn(x, axes=(1, 1)))
show(ifftn(x, axes=(2, 2, 0)))
show(fftn(x, axes=()))
show(fftn(np.array(5.0)))
show(fftn(data(2, 2, 2, 2, 2, 2, 2, 2, 2), axes=(0, 1, 2, 4, 5, 7, 8)))
show(fftn(data(2, 3, 2, 3, 2), axes=(0, 2, 4)))

# --- n and norm
x = data(3, 10)
for n in [1, 4, 7, 10, 15]:
    for norm in [None, "backward", "ortho", "forward"]:
        for f in (fft, ifft, rfft, irfft, hfft, ihfft):
            show(f(x, n, norm=norm))
            show(f(x, n, 0, norm))

# --- out
x = data(4, 6) + 1j
o = np.zeros((4, 6), complex)
r = fft(x, out=o)
print(r is o)
show(o)
ifft(x * 2, axis=0, out=o)
show(o)
fft(x, out=x)
show(x)
ifft(x, axis=0, out=x)
show(x)
big = np.zeros((8, 12), complex)
fft(x, out=big[::2, ::2])
show(big)
fft(x, out=x[::-1])
show(x)
q = np.zeros((4, 6), np.complex64)
fft(x, out=q)
show(q)
w = np.zeros((4, 6))
irfft(x, 6, out=w)
show(w)
irfftn(x, (4, 6), out=w)
show(w)
h = np.zeros((4, 4), complex)
rfft(w, out=h)
show(h)
ihfft(w, out=h)
show(h)
y = x + 1
z = y * 2
fft(y, out=y)
show(y)
show(z)

# --- empty
show(fft(np.zeros((0, 4))))
show(rfft(np.zeros((0, 4))))
show(irfft(np.zeros((3, 0, 4))))
show(fftn(np.zeros((0, 4)), axes=(1,)))

# --- not finite
print(np.isnan(fft([1, np.nan, 2])), np.isfinite(rfft([1, np.inf, 2, 3])))

# --- frequencies and shifts
for n in [1, 2, 5, 8]:
    print(fftfreq(n), fftfreq(n, 0.25), rfftfreq(n), rfftfreq(n, d=0.5))
    print(fftshift(np.arange(n)), ifftshift(np.arange(n)))
x = np.arange(12).reshape(3, 4)
print(fftshift(x), ifftshift(x), fftshift(x, 0), ifftshift(x, axes=(1,)), fftshift(x, axes=[0, 1]))

# --- distributions
x = data(8, 16) + 1j * data(8, 16).T.reshape(8, 16)
print(
    np.allclose(ifft2(fft2(x)), x),
    np.allclose(irfft(rfft(x.real)), x.real),
    np.allclose(np.sum(np.abs(x) ** 2), np.sum(np.abs(fft2(x, norm="ortho")) ** 2)),
)
k = np.arange(16)
print(np.allclose(fft(x), x @ np.exp(-2j * np.pi * np.outer(k, k) / 16)))
a, b = data(64), data(64)[::-1]
print(np.allclose(irfft(rfft(a) * rfft(b)), [sum(a[j] * b[(i - j) % 64] for j in range(64)) for i in range(64)]))

# --- modules
import numpy.fft
import numpy.fft as F

print(np.allclose(F.fft([1, 2]), numpy.fft.fft([1, 2])), F.fft.__name__)

# --- no points
fft([])

# --- a number
fft(5.0)

# --- norm (numpy before 2.5)
fft([1, 2], norm="orthogonal")

# --- n is 0
ifft([1, 2], n=0)

# --- n is a float
rfft([1, 2], n=1.5)

# --- axis
rfft([1, 2], n=2, axis=1)

# --- axes that are not there
fftn([[1, 2]], axes=(0, 2))

# --- lengths and axes
fftn([[1, 2]], s=(1, 2), axes=(0,))

# --- complex for rfft
rfft([1j, 2])

# --- complex for rfft of odd length
rfft([1j, 2, 3])

# --- out of another shape
fft([1, 2], out=np.zeros(3, complex))

# --- out of another shape, 2-d
rfft2(np.zeros((3, 4)), out=np.zeros((3, 4), complex))

# --- out of another kind
fft([1, 2], out=np.zeros(2))

# --- irfft of one
irfft([1])

# --- fftfreq of a float
fftfreq(2.5)

# --- rfftn without axes
rfftn([[1, 2]], axes=())

# --- real numbers of many lengths and layouts
for T in np.float32, np.float64:
    tol = 1e-4 if T is np.float32 else 1e-11
    for shape in (
        (16,),
        (18,),
        (34,),
        (1000,),
        (4098,),
        (3, 30),
        (9, 1000),
        (40, 262),
        (5, 7, 64),
        (2, 3, 4, 20),
        (17, 33),
        (100, 2),
    ):
        a = np.sin(np.arange(np.prod(shape)) * 1.7).astype(T).reshape(shape)
        for axis in range(len(shape)):
            n = shape[axis]
            w = np.fft.fft(a.astype(complex), axis=axis)
            h = np.fft.rfft(a, axis=axis)
            print(
                shape,
                axis,
                np.abs(h - np.take(w, np.arange(n // 2 + 1), axis=axis)).max() < tol * n,
                np.abs(np.fft.fft(a, axis=axis) - w).max() < tol * n,
                end=" ",
            )
            print(
                np.abs(np.fft.irfft(h, n, axis=axis) - a).max() < tol,
                np.abs(np.fft.fft(a, axis=axis, norm="ortho") * n**0.5 - w).max() < tol * n,
                end=" ",
            )
            print(np.abs(np.fft.hfft(h, n, axis=axis) - np.fft.irfft(np.conj(h), n, axis=axis) * n).max() < tol * n)
        if len(shape) > 1:
            h = np.fft.rfftn(a)
            print(
                np.abs(h - np.fft.fftn(a.astype(complex))[..., : shape[-1] // 2 + 1]).max() < tol * a.size,
                np.abs(np.fft.irfftn(h, shape) - a).max() < tol,
                end=" ",
            )
            for part in a[1:], a[:, 1:], a[..., ::2], a[::2], a.T, a[..., 1:-1]:
                if part.shape[-1]:
                    print(
                        np.abs(
                            np.fft.rfft(part) - np.fft.fft(part.astype(complex))[..., : part.shape[-1] // 2 + 1]
                        ).max()
                        < tol * a.size,
                        end=" ",
                    )
        print(np.fft.fft(a).dtype, np.fft.rfft(a).dtype, np.fft.irfft(np.fft.rfft(a)).dtype)

# --- rows of complex numbers: unaligned, strided, in place
for t in ("c8", "c16"):
    for n in (64, 75, 131, 1000, 1009):
        k = np.arange(6 * n)
        a = ((k * 37 % 19 - 9) + 1j * (k * k % 23 - 11)).astype(t).reshape(2, 3, n)
        near = n * (1e-3 if t == "c8" else 1e-10)
        for x in (a, a[:, ::2], a[::-1], a.transpose(1, 0, 2), a[..., 1:], a[1, 2]):
            m = x.shape[-1]
            j = np.arange(m)
            w = np.exp(-2j * np.pi / m * (j[:, None] * j % m))
            y = np.fft.fft(x)
            print(y.dtype, y.shape, np.abs(y - x @ w).max() < near, np.abs(np.fft.ifft(y) - x).max() < near)
        b = a.copy()
        np.fft.fft(b, out=b)
        print(np.abs(b - np.fft.fft(a)).max() < near)

# --- lengths with a large prime factor: rows, columns, planes, real numbers
for t in ("c8", "c16"):
    near = 2e-5 if t == "c8" else 2e-13
    for n in (71, 79, 131, 262, 393, 1009):
        j = np.arange(n)
        w = np.exp(-2j * np.pi / n * (j[:, None] * j % n))
        k = np.arange(4 * n)
        a = ((k * 37 % 19 - 9) + 1j * (k * k % 23 - 11)).astype(t).reshape(4, n)
        want = a @ w
        size = np.abs(want).max()
        same = lambda got, want: bool(
            got.dtype == t and got.shape == want.shape and np.abs(got - want).max() < near * size
        )
        b = a.copy()
        np.fft.fft(b, out=b)
        wide = np.zeros((4, 2 * n), t)
        wide[:, ::2] = a
        print(
            n,
            same(np.fft.fft(a), want),
            same(np.fft.fft(a[1]), want[1]),
            same(np.fft.fft(a.T, axis=0), want.T),
            same(np.fft.fft(a.T.copy(), axis=0), want.T),
            same(b, want),
            end=" ",
        )
        print(
            same(np.fft.fft(wide[:, ::2]), want),
            same(np.fft.fft(wide[2, ::2]), want[2]),
            same(np.fft.fft(a[::-1]), want[::-1]),
            same(np.fft.ifft(want.astype(t)), a),
            end=" ",
        )
        r = a.real.copy()
        of_real = r @ w
        half = np.fft.rfft(r)
        print(half.imag[:, 0], half.imag[:, -1] == 0, np.fft.rfft(r.T, axis=0).imag[0], end=" ")
        print(
            np.abs(half - of_real[:, : n // 2 + 1]).max() < near * size,
            np.abs(np.fft.irfft(half, n) - r).max() < near * size,
            np.abs(np.fft.rfft(r.T, axis=0).T - half).max() < near * size,
            end=" ",
        )
        print(
            np.abs(np.fft.irfft(half.T, n, axis=0).T - r).max() < near * size,
            np.abs(np.fft.rfft(r[::2]) - half[::2]).max() < near * size,
            np.abs(np.fft.hfft(half[0], n) - np.fft.irfft(np.conj(half[0]), n) * n).max() < near * size * n,
        )
        for bad in (np.nan, np.inf):
            b = a.copy()
            b[2, 5] = bad
            got = np.fft.fft(b)
            print(np.isfinite(got).all(axis=1), np.isfinite(np.fft.rfft(b.real)).any(axis=1)[2])
    for shape in ((131, 79), (3, 131, 64), (20, 1009)):
        a = (np.sin(np.arange(np.prod(shape)) * 1.7) + 0.5j).astype(t).reshape(shape)
        want = a.astype(complex)
        for axis in range(len(shape)):
            j = np.arange(shape[axis])
            w = np.exp(-2j * np.pi / len(j) * (j[:, None] * j % len(j)))
            want = np.moveaxis(np.moveaxis(want, axis, -1) @ w, -1, axis)
        size = np.abs(want).max()
        print(
            np.abs(np.fft.fftn(a) - want).max() < near * size,
            np.abs(np.fft.ifftn(want.astype(t)) - a).max() < near * 10,
            end=" ",
        )
        h = np.fft.rfftn(a.real)
        print(
            np.abs(h - np.fft.fftn(a.real.astype(t))[..., : shape[-1] // 2 + 1]).max() < near * size,
            np.abs(np.fft.irfftn(h, shape) - a.real).max() < near * 10,
        )
print(
    np.fft.fft(np.zeros((0, 131), complex)).shape,
    np.fft.rfft(np.zeros((0, 131))).shape,
    np.fft.fft(np.zeros((131, 0)), axis=0).shape,
)

# --- several transforms in vector lanes: columns, rows, fewer than lanes, in place, inverse, scaled
for t in ("c8", "c16"):
    near = 1e-5 if t == "c8" else 1e-14
    for shape, axis in (
        ((48, 33), 0),
        ((33, 48), 1),
        ((9, 48, 7), 1),
        ((100, 4), 0),
        ((4, 100), 1),
        ((3, 5, 60), 1),
        ((16, 8, 20), 0),
        ((105, 64), 0),
        ((7, 3, 2, 40), 2),
    ):
        k = np.arange(np.prod(shape))
        a = ((k * 37 % 19 - 9) + 1j * (k * k % 23 - 11)).astype(t).reshape(shape)
        n = shape[axis]
        j = np.arange(n)
        w = np.exp(-2j * np.pi / n * (j[:, None] * j % n))
        want = np.moveaxis(np.moveaxis(a.astype(complex), axis, -1) @ w, -1, axis)
        size = np.abs(want).max()
        same = lambda got, right: bool(
            got.dtype == t and got.shape == right.shape and np.abs(got - right).max() < near * size
        )
        b = a.copy()
        np.fft.fft(b, axis=axis, out=b)
        c = np.flip(a, axis=0)
        d = np.flip(want, axis=0) if axis else np.moveaxis(np.moveaxis(c.astype(complex), 0, -1) @ w, -1, 0)
        wide = np.zeros((*shape, 2), t)
        wide[..., 1] = a
        print(
            shape,
            axis,
            same(np.fft.fft(a, axis=axis), want),
            same(b, want),
            same(np.fft.fft(c, axis=axis), d),
            same(np.fft.fft(wide[..., 1], axis=axis), want),
            end=" ",
        )
        print(
            same(np.fft.ifft(want.astype(t), axis=axis), a),
            same(np.fft.fft(a.T, axis=len(shape) - 1 - axis).T, want),
            same(np.fft.fft(a, axis=axis, norm="ortho") * n**0.5, want),
            end=" ",
        )
        out = np.zeros((*shape, 2), t)
        np.fft.fft(a, axis=axis, out=out[..., 0])
        print(
            same(out[..., 0], want),
            bool((out[..., 1] == 0).all()),
            same(np.fft.fft(a * 2, axis=axis) / 2, want),
            np.abs(np.fft.fftn(a, norm="forward") * a.size - np.fft.fftn(a)).max() < near * np.abs(a).sum(),
        )
        if n % 2 == 0:
            r = a.real.copy()
            h = np.fft.rfft(r, axis=axis)
            whole = np.moveaxis(np.moveaxis(r.astype(complex), axis, -1) @ w, -1, axis)
            kept = h.copy()
            back = np.fft.irfft(h, n, axis=axis)
            print(
                same(h, whole.take(np.arange(n // 2 + 1), axis)),
                np.abs(back - r).max() < near * size,
                bool((h == kept).all()),
                np.abs(np.fft.rfft(r, axis=axis, norm="ortho") * n**0.5 - h).max() < near * size,
                end=" ",
            )
            back2 = np.fft.irfftn(np.fft.rfftn(r), shape)
            print(np.abs(back2 - r).max() < near * size if shape[-1] % 2 == 0 else "odd")

# --- long lines: as many short ones
for t in ("c8", "c16"):
    near = 3e-6 if t == "c8" else 5e-15
    for n in (4096, 6000, 16807, 40000, 65536, 90000):
        k = np.arange(n)
        a = ((k * 37 % 19 - 9) + 1j * (k * k % 23 - 11)).astype(t)
        y = np.fft.fft(a)
        x = a.astype(complex)
        print(
            n,
            y.dtype,
            [
                bool(abs(y[m] - (x * np.exp(-2j * np.pi / n * (k * m % n))).sum()) < near * n)
                for m in (0, 1, 2, 17, n // 3, n // 2, n - 1)
            ],
            np.abs(np.fft.ifft(y) - a).max() < near * 20,
            end=" ",
        )
        b = a.copy()
        np.fft.fft(b, out=b)
        r = a.real.copy()
        h = np.fft.rfft(r)
        print(
            bool((b == y).all()),
            np.abs(h - np.fft.fft(r.astype(t))[: n // 2 + 1]).max() < near * n,
            np.abs(np.fft.irfft(h, n) - r).max() < near * 20,
            np.abs(np.fft.hfft(h, n) - np.fft.irfft(np.conj(h), n) * n).max() < near * n * 100,
            np.abs(np.fft.fft(a[::-1])[1] - (x[::-1] * np.exp(-2j * np.pi / n * k)).sum()) < near * n,
        )
    a = ((np.arange(3 * 20000) * 37 % 19 - 9) + 1j).astype(t).reshape(3, 20000)
    print(
        np.abs(np.fft.fft(a) - np.stack([np.fft.fft(r) for r in a])).max() < near * 20000,
        np.abs(
            np.fft.fft(a, axis=0)
            - np.stack(
                [
                    a.sum(0),
                    a[0] + a[1] * np.exp(-2j * np.pi / 3) + a[2] * np.exp(-4j * np.pi / 3),
                    a[0] + a[1] * np.exp(-4j * np.pi / 3) + a[2] * np.exp(-2j * np.pi / 3),
                ]
            )
        ).max()
        < 1e-3,
    )

# --- the first element of a transform with NaN has no imaginary part (not on cuda: its library gives NaN)
for t in ("f4", "f8"):
    for n in (71, 79, 262, 1009):
        r = np.ones((4, n), t)
        r[2, 5], r[3, 1] = np.nan, np.inf
        half = np.fft.rfft(r)
        print(half.imag[:, 0], np.fft.rfft(r[2])[0].imag, np.isfinite(half).any(axis=1))


# --- transforms of rows and of columns: small lengths, products of small primes, large primes
many_side_by_side([*range(2, 34), 48, 63, 64, 65, 97, 100, 121, 127, 128, 169, 210, 243, 251, 256, 289, 300])

# --- transforms of rows and of columns: every length from 34 to 299 (not on cuda: its library plans each anew)
many_side_by_side(range(34, 300))

# --- odd lengths and large primes: rows, columns, strides, in place, scaled, inverse (not on ref: its sums of many terms take long)
def told(y):
    w = np.cos(np.arange(y.size) * 0.7).reshape(y.shape)
    c = (y * w).sum() / np.abs(y).max()
    return round(float(c.real), 6) + 0.0, round(float(c.imag), 6) + 0.0


def same(a, b, t):
    return bool(a.shape == b.shape and np.abs(a - b).max() <= (1e-13 if t == "c16" else 1e-5) * np.abs(b).max())


def check(n, rows, step=1):
    x = (np.sin(np.arange(rows * n * step) * 1.7 + 0.3) + np.cos(np.arange(rows * n * step) ** 2 % 1013)).reshape(
        rows, n * step
    )[:, ::step]
    z = x - 1j * x[::-1]
    h = z[:, : n // 2 + 1]
    want = [fft(z), ifft(z, norm="ortho"), rfft(x), irfft(h, n)]
    print(n, rows, step, [told(y) for y in want], end=" ")
    for t in ("c8", "c16"):
        a, c = z.astype(t), h.astype(t)
        b = a.real
        y = a.copy()
        fft(y, out=y)
        print(
            [
                same(p, q, t)
                for p, q in (
                    (fft(a), want[0]),
                    (y, want[0]),
                    (fft(a.T, axis=0).T, want[0]),
                    (ifft(a, norm="ortho"), want[1]),
                    (ifft(a.T.copy(), norm="ortho", axis=0), want[1].T),
                    (rfft(b), want[2]),
                    (rfft(b.copy()), want[2]),
                    (rfft(b.T, norm="ortho", axis=0).T * n**0.5, want[2]),
                    (irfft(c, n), want[3]),
                    (irfft(c.T.copy(), n, norm="forward", axis=0).T / n, want[3]),
                    (ifft(want[0].astype(t)), z),
                    (irfft(want[2].astype(t), n), x),
                    (fft(a[:, ::-1]), np.conj(fft(np.conj(z))) * np.exp(2j * np.pi / n * np.arange(n))),
                )
            ],
            end=" ",
        )
        print(not rfft(b)[:, 0].imag.any(), np.array_equal(c, h.astype(t)))


for n, rows in (
    (4095, 1),
    (4099, 1),
    (4099, 3),
    (5005, 2),
    (4913, 9),
    (6561, 5),
    (6561, 17),
    (8198, 3),
    (10007, 1),
    (9999, 12),
    (12167, 2),
    (20011, 9),
    (46189, 1),
    (65537, 1),
    (73, 100),
    (1331, 21),
    (20014, 2),
    (99225, 1),
    (65539, 2),
):
    check(n, rows)
check(4099, 2, 2)
check(6561, 1, 3)
check(143, 33, 2)

# --- planes of odd sides and sides with large primes
for shape in [(11, 13), (23, 22), (97, 101), (9, 121), (33, 35), (127, 8), (3, 4099), (5, 17, 19), (101, 33, 2)]:
    for t in (np.complex64, np.complex128):
        z = (data(*shape) + 1j * data(*shape)[::-1]).astype(t)
        near = 1e-13 if t == np.complex128 else 1e-5
        for f, g in ((fftn, ifftn), (fft2, ifft2)):
            if not np.abs(g(f(z)) - z).max() < near * 10:
                print(shape, t)
        x = z.real.copy()
        if not np.abs(irfftn(rfftn(x), shape) - x).max() < near * 10:
            print(shape, t, "real")
        if not np.abs(rfftn(x) - fftn(x)[..., : shape[-1] // 2 + 1]).max() <= near * np.abs(fftn(x)).max():
            print(shape, t, "half")
        if not np.abs(fftn(z) - fft(fftn(z, axes=range(1, z.ndim)), axis=0)).max() <= near * np.abs(fftn(z)).max():
            print(shape, t, "axes")
print("done")
# --- every algorithm
# Every algorithm: lengths with small, large and no small prime factors; few lines and many; contiguous and strided.
for n in (1, 2, 3, 7, 11, 31, 64, 97, 101, 127, 200, 211, 499, 512, 994, 997, 998, 1000, 2003, 4093, 4096, 4097, 6006):
    for lines in (1, 3, 9):
        z = data(lines, n) + 1j * data(lines, n)[:, ::-1]
        for x in (z, np.asfortranarray(z)):
            show(np.array([fft(x).sum(0), ifft(x).sum(0)]))
        r = z.real.copy()
        show(np.array([rfft(r).sum(0), ihfft(r).sum(0)]))
        show(irfft(z, n))
        near = 1e-5 * np.abs(fft(z)).max()
        print(np.abs(fft(z.astype(np.complex64)) - fft(z)).max() < near,
            np.abs(rfft(r.astype(np.float32)) - rfft(r)).max() < near)
        print(np.abs(irfft(rfft(r.astype(np.float32)), n) - r).max() < 1e-4)

# --- a result has the same bits in out= as in a new array (not on cuda: its library plans each layout anew)
rng = np.random.default_rng(3)
for shape in [(10, 20), (200,), (6, 5, 10)]:
    x = rng.random(shape) + 1j * rng.random(shape)
    for f in (np.fft.fft, np.fft.ifft, np.fft.fftn, np.fft.ifftn):
        for given in (x, x.real.copy()):
            for norm in (None, 'ortho', 'forward'):
                new = f(given, norm=norm)
                outs = np.empty(shape, complex), np.empty(shape + (2,), complex)[..., 0], given.astype(complex)
                same = [(f(o if o is outs[2] and given is x else given, norm=norm, out=o) == new).all() for o in outs]
                print(shape, f.__name__, given.dtype, norm, same)
