"""Dtypes and operands of the conformance tests: values where an operation may go wrong, and random ones."""
import math

import numpy as np

NAMES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
    "float32", "float64", "complex64", "complex128",
]
KNOWN = [n for n in NAMES if n != "bfloat16"]  # to NumPy


# ---- bfloat16, which NumPy lacks: the upper half of a float32 ----


def to_bfloat(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), bits >> 16 | 0x40, rounded).astype(np.uint16)


def from_bfloat(h):
    return (h.astype(np.uint32) << 16).view(np.float32)


def dtype(name):
    return np.dtype(np.uint16 if name == "bfloat16" else name)


# ---- operands ----


def reals(name):
    f = np.finfo(np.float32 if name == "bfloat16" else name)
    special = [
        0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, 2, -2, 3, -3, 7, 10, -10, 100, 0.1, -0.1, 0.7, math.pi,
        -math.pi / 2, math.inf, -math.inf, math.nan, f.max, -f.max, f.tiny, -f.tiny, f.smallest_subnormal,
        -f.smallest_subnormal, f.eps, 1 + f.eps, 1 - f.eps / 2, 1e-3, 88, -88, 20.5, 1e4, 0.9999,
    ]
    rng = np.random.default_rng(7)
    wide = np.exp2(rng.uniform(-12, 12, 40)) * rng.choice([-1, 1], 40)
    x = np.concatenate([special, rng.normal(size=40), wide]).astype(f.dtype)
    return to_bfloat(x) if name == "bfloat16" else x


def operands(name):
    """Values of a dtype: those where something may go wrong, and random ones."""
    if name == "bool":
        return np.array([False, True])
    t = dtype(name)
    rng = np.random.default_rng(7)
    if name != "bfloat16" and t.kind in "iu":
        i = np.iinfo(t)
        special = [
            0, 1, 2, 3, 5, 7, 8, 10, 31, 32, 63, 64, 100, i.max, i.max - 1, i.min, i.min + 1, i.max // 2,
        ]
        signed = [-1, -2, -3, -7, -8, -10] if i.min else []
        return np.concatenate(
            [np.array(special + signed, t), rng.integers(i.min, i.max, 30, t, endpoint=True)]
        )
    if t.kind == "c":
        part = np.finfo(t).dtype
        few = np.array([0.0, -0.0, 1, -1, 2.5, -3, 0.5, np.inf, -np.inf, np.nan, 1e-3, 50], part)
        z = np.empty((len(few), len(few)), t)
        z.real, z.imag = few[:, None], few[None, :]
        more = np.empty(120, t)
        more.real, more.imag = (rng.normal(size=120) * 3).astype(part), (
            rng.normal(size=120) * 3
        ).astype(part)
        return np.concatenate([z.ravel(), more])
    return reals(name)


def cross(columns):
    """Every combination of operands, or where those are too many a fixed choice of them."""
    sizes = [len(c) for c in columns]
    total = math.prod(sizes)
    pick = (
        np.arange(total) if total <= 40000 else np.random.default_rng(3).integers(0, total, 40000)
    )
    out = []
    for size, column in zip(reversed(sizes), reversed(columns)):
        out.append(column[pick % size])
        pick = pick // size
    return list(reversed(out))
