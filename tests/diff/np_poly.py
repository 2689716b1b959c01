# Polynomials as arrays of coefficients; bits of bytes.
# --- from zeros
print(
    np.poly([1, 2, 3]),
    np.poly([]),
    np.poly([0]),
    np.poly([1j, -1j]),
    np.poly([1j, 2]),
    np.poly([[1.0, 2], [3, 4]]).round(6),
)
np.poly(np.zeros((2, 3)))

# --- complex convolution
print(np.convolve([1j, 2], [1, -1j]), np.correlate([1j, 2, 1], [1, -1j], "full"))

# --- zeros
print(
    np.roots([1, -6, 11, -6]).round(8),
    np.roots([1, 0, 1]).imag,
    np.roots([0, 0, 2, -4, 0, 0]),
    np.roots([]),
    np.roots([0]),
    np.roots([3]),
    np.roots([1, 0]),
)
np.roots([[1, 2]])

# --- arithmetic
print(
    np.polyadd([1, 2], [9, 5, 4]),
    np.polysub([2, 10, -2], [3, 10, -4]),
    np.polymul([1, 2, 3], [9, 5, 1]),
    np.polymul([0, 0, 1], [0, 2, 1.5]),
    np.polyadd(1, [2, 3]),
    np.polysub([1], 4),
)
print(
    np.polydiv([3.0, 5, 2], [2, 1]),
    np.polydiv([1, 2], [1, 2, 3]),
    np.polydiv([1, -3, 2], [1, -1]),
    np.polydiv([1j, 2], [2]),
)

# --- derivatives and integrals
print(
    np.polyder([1, 1, 1, 1]),
    np.polyder([1, 1, 1, 1], 2),
    np.polyder([2.5], 1),
    np.polyder([3, 1], 5),
    np.polyder([1, 2, 3], 0),
)
print(
    np.polyint([1, 1, 1]),
    np.polyint([1, 2], 2, 3),
    np.polyint([6, 2], 2, [1, 4]),
    np.polyint([2, 1], 0),
    np.polyint([1], k=5),
)
for f in (lambda: np.polyder([1], -1), lambda: np.polyint([1], -1), lambda: np.polyint([1], 3, [1, 2])):
    try:
        print(f())
    except ValueError as e:
        print(e)

# --- values
print(np.polyval([3, 0, 1], 5), np.polyval([3, 0, 1], [1, 2.5]), np.polyval([1, 2], np.array([[1], [2]])))

# --- fits
x = np.array([0.0, 1, 2, 3, 4, 5])
y = np.array([0, 0.8, 0.9, 0.1, -0.8, -1])
print(
    np.polyfit(x, y, 3).round(8),
    np.polyfit(x, np.stack((y, 2 * y), 1), 1).round(8),
    np.polyfit(x, y, 2, w=[1, 2, 3, 3, 2, 1]).round(8),
)
c, v = np.polyfit(x, y, 2, cov=True)
print(c.round(8), v.round(8))
c, v = np.polyfit(x, y, 2, cov="unscaled")
print(v.round(8))
c, r, rank, s, rcond = np.polyfit(x, y, 3, full=True)
print(c.round(8), r.round(8), rank, s.round(8), rcond)
for f in (
    lambda: np.polyfit(x, y, -1),
    lambda: np.polyfit(x, y[:2], 1),
    lambda: np.polyfit([[1]], y, 1),
    lambda: np.polyfit([], [], 1),
    lambda: np.polyfit(x, 1, 1),
    lambda: np.polyfit(x[:3], y[:3], 2, cov=True),
):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(e)

# --- packbits
a = np.array([[[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [0, 0, 1]]])
for order in ("big", "little"):
    print(
        np.packbits(a, bitorder=order),
        np.packbits(a, axis=-1, bitorder=order),
        np.packbits(a, axis=0, bitorder=order),
        np.packbits(np.arange(20) % 3 > 0, bitorder=order),
    )
for f in (lambda: np.packbits([1.5]), lambda: np.packbits([1], bitorder="x")):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(e)
print(np.packbits(np.zeros(0, int)), np.packbits(np.zeros((2, 0), bool), axis=1).shape)

# --- unpackbits
b = np.array([[2], [7], [23]], dtype=np.uint8)
print(
    np.unpackbits(b),
    np.unpackbits(b, axis=1),
    np.unpackbits(b, axis=1, count=-3),
    np.unpackbits(b, axis=0, count=5),
    np.unpackbits(b, axis=1, count=12),
    np.unpackbits(b, axis=1, bitorder="little"),
)
for f in (lambda: np.unpackbits([1, 2]), lambda: np.unpackbits(b, count=-30)):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(e)
# --- polyfit: a fit that is poorly conditioned
import warnings

for x, degree, options in (([1, 1, 1], 2, {}), ([0, 1, 2, 3.0], 3, {"rcond": 0.1}), ([0, 1, 2, 3.0], 1, {}), ([1, 1, 1], 2, {"full": True})):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        r = np.polyfit(x, x, degree, **options)
    print([(w.category is np.exceptions.RankWarning, str(w.message)) for w in caught], len(r))
with warnings.catch_warnings():
    warnings.simplefilter("error", np.exceptions.RankWarning)
    try:
        np.polyfit([1, 1, 1], [1, 2, 3], 2)
    except np.exceptions.RankWarning as e:
        print(e)
