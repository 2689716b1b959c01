"""How far results may be from NumPy's: equal bit for bit, signs of zero included, but for what is listed here; any NaN equals any
NaN."""
import numpy as np

# ULP by which functions of the two mathematical libraries may differ: NumPy's vector versions are good to 4, libm's to 1.
ULPS = dict.fromkeys(
    """exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 power cube float_power cbrt sin cos tan arcsin arccos
    arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh hypot angle gamma lgamma erf erfc rsqrt""".split(),
    4,
)
# Complex products, quotients and functions, in ULP of the larger part: NumPy's vector loops fuse multiplications and additions,
# and its functions come from several libraries.
COMPLEX_ULPS = {"multiply": 2, "divide": 4, "reciprocal": 4, "square": 2, "absolute": 2, "sign": 4}
OTHER_COMPLEX_ULPS = 8
# Operands for which a complex result is compared, and why not for others:
#   power, of infinite or NaN operands: NumPy's follows the C library's multiplication, which repairs some infinities.
#   clip, of NaN: NumPy's comparison there lets a NaN bound pass, unlike np.minimum(np.maximum(a, lo), hi).
#   The sign of an infinite part with a NaN part is unspecified in C.
UNCOMPARED = {"power": np.isfinite, "float_power": np.isfinite, "clip": lambda z: ~np.isnan(z)}
# Operations for which NumPy's scalar and vector loops differ on which of two equal zeros is the greater.
ZEROS_ALIKE = {"maximum", "minimum", "fmax", "fmin", "clip"}


def ordered(x):
    """Floats as integers in the same order, for distances in the last place."""
    i = (
        np.ascontiguousarray(x)
        .view({2: np.int16, 4: np.int32, 8: np.int64}[x.dtype.itemsize])
        .astype(object)
    )
    low = -(1 << (8 * x.dtype.itemsize - 1))
    return np.where(i < 0, low - i, i)


def differs(name, got, want, a_type, args):
    """Where two arrays of results differ by more than the operation allows."""
    kind = want.dtype.kind
    if kind in "biu":
        return got != want
    if kind == "c" or (a_type.startswith("complex") and name != "angle"):
        ulps = COMPLEX_ULPS.get(name, OTHER_COMPLEX_ULPS) if name not in EXACT_COMPLEX else 0
        # An error of the logarithm is multiplied by the exponent.
        if name in ("power", "float_power") and a_type == "complex128":
            ulps = 2 * ulps * (1 + np.abs(args[1] * np.log(args[0])))
        bad = far_complex(got, want, ulps)
        return (
            bad & np.logical_and.reduce([UNCOMPARED[name](a) for a in args])
            if name in UNCOMPARED
            else bad
        )
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    if name not in ZEROS_ALIKE and name not in ULPS:
        same &= np.isnan(want) | (np.signbit(got) == np.signbit(want))
    close = np.abs(ordered(got) - ordered(want)) <= ULPS.get(name, 0)
    return ~(same | (close & np.isfinite(want) & np.isfinite(got)).astype(bool))


EXACT_COMPLEX = {
    "add", "subtract", "negative", "positive", "conjugate", "maximum", "minimum", "fmax", "fmin", "where", "clip",
    "real", "imag", "rint", "complex",
}


def far_complex(got, want, ulps):
    def parts(z):
        return (z.real, z.imag) if z.dtype.kind == "c" else (z, np.zeros_like(z))

    bad = np.zeros(len(want), bool)
    size = np.maximum(*[np.where(np.isfinite(p), np.abs(p), 0) for p in parts(want)])
    unit = np.spacing(np.maximum(size, np.finfo(size.dtype).tiny))
    for g, w, other in zip(parts(got), parts(want), reversed(parts(want))):
        same = (
            (g == w) | (np.isnan(g) & np.isnan(w)) | (np.isinf(g) & np.isinf(w) & np.isnan(other))
        )
        bad |= ~(same | (np.isfinite(g) & np.isfinite(w) & (np.abs(g - w) <= ulps * unit)))
    return bad
