"""The grammar of random array programs: statements of NumPy, each tried as it is written, so that shapes and dtypes are known.

A program is a list of statements over arrays x0, x1, ... and masks, scalars and indices made on the spot. A template is a
statement with holes, `{x}[{index}]`: a hole is filled by the method of its name, which knows the array that the template
is about. What is not the same on every processor to the last bit (transcendental functions, sums of floats) stands inside
`settle` or `near` of judge.py, which state how far results may differ."""

import random
import re

import numpy as np

import judge

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
COMMON = "int64 float64 float32 int32 bool".split()  # as frequent as all others together
SHAPES = [(6,), (2, 3), (3, 4), (4, 4), (2, 3, 2), (1, 4), (3, 1), (5,), (8,), (17,), (5, 7), (), (0,), (1,), (2, 0, 3)]
LARGE = [(1000,), (40, 33), (3000,), (130, 70)]  # one so large that the host does not join copies of it
LARGEST = 30000  # elements of an array
STATEMENTS = 14
ERROR = "type(error).__name__, error" if np.__version__.startswith("2.3.") else "type(error).__name__"  # other words elsewhere

SOURCES = r"""
np.array({values}, dtype=np.{dtype}).reshape({shape})
np.array({values}, dtype=np.{dtype}).reshape({shape}, order='F')
np.array({values} * 2, dtype=np.{dtype})[::2].reshape({shape})
np.array({values} + {values}, dtype=np.{dtype})[-{size}:].reshape({shape})
np.full({shape}, {scalar}, dtype=np.{dtype})
np.arange({size}, dtype=np.{number}).reshape({shape})
(np.arange({many}) * 7 % 19).astype(np.{dtype}).reshape({large})
((np.arange({many}) * 5 % 23) / 4 - 2).astype(np.{real}).reshape({large})[..., ::{step}]
np.zeros({shape}, np.{dtype})
np.linspace(-3, 4, 15).astype(np.{real})[{slice15}]
np.ones_like({x}, dtype=np.{dtype})
"""

VIEWS = r"""
{x}[{index}]
{x}[{index}]
{x}[{index}]
{x}.T
{x}.transpose({permutation})
{x}.swapaxes(0, -1)
np.moveaxis({x}, 0, -1)
{x}.reshape({reshaped})
{x}.reshape({reshaped}, order='F')
{x}.ravel()
{x}.ravel('K')
{x}[::-1]
np.flip({x})
np.flip({x}, {axis})
np.rot90({x})
np.broadcast_to({x}, (2,) + {x}.shape)
np.broadcast_to({x}[..., None], {x}.shape + (3,))
{x}.diagonal({offset})
{x}.diagonal(0, -1, -2)
np.expand_dims({x}, {axis})
np.squeeze({x})
np.atleast_2d({x})
as_strided({x}, {strided})
np.lib.stride_tricks.sliding_window_view({x}, 2, axis={axis})
{x}.real
{x}.imag
{x}.view({same_size})
np.asarray({x})
np.split({x}, 2, axis={axis})[-1]
np.array_split({x}, 3, axis={axis})[1]
np.broadcast_arrays({x}, {z})[{bit}].copy()
"""

MOVES = r"""
np.concatenate([{x}, {x}])
np.concatenate([{x}, {z}], axis={axis})
np.concatenate([{x}, {y}], axis=None)
np.stack([{x}, {x} + 1], axis={axis})
np.hstack([{x}, {z}])
np.vstack([{x}, {z}])
np.column_stack([{x}, {x}])
np.roll({x}, {offset})
np.roll({x}, {offset}, axis={axis})
np.repeat({x}, 2)
np.repeat({x}, 3, axis={axis})
np.repeat({x}, np.arange({x}.shape[0]), axis=0)
np.tile({x}, 2)
np.tile({x}, (2, 1))
np.pad({x}, 1)
np.pad({x}, (1, 2), mode='edge')
np.pad({x}, 1, mode='wrap')
np.pad({x}, 2, mode='reflect')[..., 1:]
np.pad({x}, (2, 0), mode='symmetric') - 1
np.pad({x}, 1, constant_values={scalar}) * 2
np.roll({x}, {offset}, axis=0) - np.roll({x}, 1, axis={axis})
np.concatenate([{x}, {x}[::-1], {z}], axis=0) + 1
np.concatenate([{x} + 1, {x} * 2], axis={axis})[..., ::-1]
np.stack([{x}, {z}]).max(0)
np.diff({x}, axis={axis}, prepend={scalar})
np.append({x}, {x}, axis={axis}) * 2
np.tril({x}, {offset})
np.triu({x})
np.diag({x})
np.take({x}, {picks}, axis=0)
np.take({x}, {picks}, mode='wrap')
{x}.take({picks}, mode='clip')
{x}[np.ix_({picks}, {picks})]
np.take_along_axis({x}, np.argsort({x}, axis={axis}, kind='stable'), axis={axis})
np.compress({mask1}, {x}, axis=0)
np.extract({x} != 0, {x})
np.select([{x} > 2, {x} < 0], [{x}, {y}], {scalar})
np.choose({x} > 1, [{x}, {y}])
np.insert({x}, {offset}, {scalar})
np.delete({x}, 0, axis={axis})
np.append({x}, {y})
np.resize({x}, (3, 5))
{x}.copy(order='{order}')
{x}.astype(np.{dtype}, order='{order}')
np.ascontiguousarray({x})
np.asfortranarray({x})
{x}.flatten('{order}')
np.array({x}, ndmin=2)
np.fromiter((v for v in {x}.ravel().tolist()), dtype={x}.dtype)
"""

# The indices that nonzero gives are columns of a matrix in NumPy, and vectors in gpa: hence the copies.
SORTS = r"""
np.sort(plain({x}), axis={axis})
np.sort(plain({x}), axis=None)
np.argsort({x}, axis={axis}, kind='stable')
np.unique(plain({x}))
np.unique(plain({x}), return_counts=True)[{bit}]
np.unique({x}, return_index=True)[{bit}]
np.unique({x}, return_inverse=True)[{bit}]
np.searchsorted(np.sort(plain({x}), axis=None), {y}, side='{side}')
np.lexsort(({x}.ravel(), {x}.ravel() > 1))
np.nonzero({x})[0].copy()
np.flatnonzero({x})
np.argwhere({x})
np.where({x})[-1].copy()
np.isin({x}, {z})
np.intersect1d(plain({x}), plain({z}))
np.union1d(plain({x}), plain({z}))
np.setdiff1d(plain({x}), plain({z}))
np.bincount(np.abs({x}).ravel() % 7)
np.digitize({x}, [0, 1, 3])
np.packbits({x} > 1)
np.diff({x}, axis={axis})
np.ediff1d({x})
np.trim_zeros({x})
np.histogram({x}, bins=4, range=(0, 8))[0]
"""

# Exact in every order: integers wrap, extremes and booleans are picked.
REDUCTIONS = r"""
plain({x}).max({reduced})
plain({x}).min({reduced})
np.max(plain({x}), axis={axis}, initial={scalar}, where={mask})
{x}.any({reduced})
{x}.all({reduced})
np.any({x}, axis={axis}, where={mask})
{x}.argmax({along})
{x}.argmin({along})
np.nanmax(plain({x}), axis={axis})
np.ptp(plain({x}), axis={axis})
np.count_nonzero({x}, axis={axis})
np.maximum.accumulate(plain({x}), axis={axis})
np.minimum.reduce(plain({x}), axis={axis})
np.logical_or.reduce({x}, axis={axis})
np.logical_xor.accumulate({x}, axis={axis})
np.bitwise_xor.reduce({x}, axis={axis})
np.bitwise_and.reduce({x}, axis={axis}, keepdims=True)
np.maximum.reduceat(plain({x}), [0, 2], axis={axis})
np.subtract.outer({x}, {y})
np.equal.outer({x}, {z})
np.median(plain({x}), axis={axis})
np.array_equal({x}, {z})
"""

# With a bound of the error where the result is a float: steps of its last place, and terms that were summed.
INEXACT = r"""
{x}.sum({reduced}) | 2 | {magnitude}.sum({reduced})
np.sum({x}, axis={axis}, where={mask}, initial={small}) | 2 | {magnitude}.sum(axis={axis}) + 9
np.sum({x}, axis={axis}, dtype=np.{dtype}) | 2 | {magnitude}.sum(axis={axis})
np.add.reduceat({x}, [0, 2, 1], axis={axis}) | 2 | {magnitude}.sum()
{x}.mean({reduced}) | 2 | {magnitude}.sum({reduced})
np.cumsum({x}, axis={axis}) | 2 | np.cumsum({magnitude}, axis={axis})
np.nansum({x}, axis={axis}) | 2 | {magnitude}.sum(axis={axis})
np.prod({small}, axis={axis}) | 2 | np.prod({magnitude} + 1, axis={axis})
np.cumprod({x}, axis={axis}) | 2 | np.cumprod({magnitude} + 1, axis={axis})
{x}.var({reduced}) | 4 | ({magnitude} ** 2).sum({reduced})
{x}.std({reduced}) | 4 | ({magnitude} ** 2).sum({reduced}) + 1
{x} @ {z} | 2 | {magnitude} @ magnitude({z})
np.dot({x}, {x}.T) | 2 | np.dot({magnitude}, {magnitude}.T)
np.outer({x}, {z}) | 2 | np.outer({magnitude}, magnitude({z}))
np.inner({x}, {x}) | 2 | np.inner({magnitude}, {magnitude})
np.einsum('ij,ij->i', {x}, {x}) | 2 | np.einsum('ij,ij->i', {magnitude}, {magnitude})
np.einsum('ij->ji', {x}) | 0 | 0
np.trace({x}) | 2 | np.trace({magnitude})
np.average({x}, axis={axis}) | 2 | {magnitude}.sum(axis={axis})
np.convolve({x}.ravel(), [1, 2, 1]) | 2 | np.convolve({magnitude}.ravel(), [1, 2, 1])
np.exp({x}) | 5
np.log({x}) | 5
np.sin({x}) | 5
np.cos({x}) | 5
np.tanh({x}) | 5
np.arctan2({x}, {y}) | 5
np.hypot({x}, {y}) | 5
np.cbrt({x}) | 5
np.log1p(np.abs({x}.real)) | 5
np.expm1({x}) | 5
np.power(np.abs({x}.real), {y}) | 5
{x} ** 2 | 1
{x} ** 3 | 5
{x} ** 0.5 | 5
np.sqrt({x}) | 1
np.abs({x}) | 2
np.logaddexp({x}, {y}) | 5
np.percentile({x}, [25, 50], axis={axis}) | 4 | {magnitude}.max()
np.quantile({x}, 0.3) | 4 | {magnitude}.max()
np.gradient({x}) | 4 | {magnitude}.max()
np.interp({x}, [0, 1, 5], [1, 2, 0]) | 4 | {magnitude}.max()
"""

EXPRESSIONS = r"""
({x} + {y})
({x} - {y})
({x} * {y})
({x} / {y})
({x} // {y})
({x} % {y})
({x} < {y})
({x} >= {y})
({x} == {y})
({x} != {y})
({x} & {y})
({x} | {y})
({x} ^ {y})
({x} << {few})
({x} >> {few})
(-{x})
(~{x})
np.add({x}, {y}, dtype=np.{dtype})
np.multiply({x}, {y}, dtype=np.{dtype}, casting='unsafe')
np.maximum(plain({x}), plain({y}))
np.minimum(plain({x}), plain({y}))
np.fmax(plain({x}), plain({y}))
np.fmod({x}, {y})
np.divmod({x}, {y})[{bit}]
np.modf({x})[{bit}]
np.frexp({x})[{bit}]
np.ldexp({x}, {few})
np.copysign({x}, {y})
np.nextafter({x}, {y})
np.heaviside({x}, {y})
np.gcd({x}, {y})
np.lcm({x}, {y})
np.logical_and({x}, {y})
np.logical_xor({x}, {y})
np.logical_not({x})
np.where({mask}, {x}, {y})
np.where({x} > {scalar}, {x}, {y})
np.clip(plain({x}), plain({scalar}), plain({y}))
plain({x}).clip(plain({scalar}), None)
np.square({x})
np.sign({x})
np.floor({x})
np.ceil({x})
np.trunc({x})
np.rint({x})
np.round({x} / 2, 1)
np.isnan({x})
np.isfinite({x})
np.signbit({x})
np.conj({x})
np.positive({x})
np.reciprocal({x})
np.nan_to_num({x})
np.invert({x})
np.left_shift({x}, {few})
np.bitwise_count({x})
np.spacing({x})
{x}.astype(np.{dtype})
{x}.astype(np.{dtype})
{x}[{index}]
{x}[{index}]
{x}.T
"""

STORES = r"""
{x}[{index}] = {e}
{x}[{index}] = {e}
{x}[{index}] = {scalar}
{x}[{index}] = {x}[{index}]
{x}[...] = {e}
{x}[:] = {x}[::-1]
{x}[1:] = {x}[:-1]
{x}[:-1] += {x}[1:]
{x}[{mask}] = {scalar}
{x}[{mask}] += {small}
{x}[{mask}] = np.copy({e})
m = {mask}\n{x}[m] = {x}[m] {op} {small}
m = {mask}\n{x}[m] = {z}[m] {op} {x}[m]
m = {x} != 0\n{x}[m] = {z}[m] * 2 - {x}[m] / 4
{x}[{x} > {few}] = {x}[{x} > {few}] {op} {small}
{x}[{picks}] = {e}
{x}[{picks}] += {small}
{x}[{picks}, ..., 0] = {scalar}
{x}[{index}] {op}= {e}
{x}[{index}] {op}= {scalar}
{x} {op}= {e}
{x} {op}= {x}.T
{x} {op}= {x}[::-1]
{x} {op}= {scalar}
{x}.T[{index}] {op}= {scalar}
{x}.flat[{offset}] = {scalar}
{x}.flat[::2] = {small}
np.add({x}, {y}, out={x})
np.add({x}, {y}, out={x}, where={mask})
np.subtract({x}, {y}, out={x}[::-1])
np.multiply({x}, {x}.T, out={x})
np.multiply({y}, {z}, out={x}, casting='unsafe')
np.add({x}[1:], {x}[:-1], out={x}[1:])
np.negative({x}, out={x}[::-1])
np.divmod({x}, {small}, out=({x}, {x}.copy()))
if {x}.flags.writeable: np.copyto({x}, {e}, where={mask})
if {x}.flags.writeable: np.copyto({x}, {e}, casting='unsafe')
np.put({x}, {picks}, {scalar})
if {x}.flags.writeable: np.place({x}, {mask}, [1, 2])
np.putmask({x}, {mask}, {e})
np.fill_diagonal({x}, {scalar})
np.put_along_axis({x}, np.argsort({x}, axis=0, kind='stable'), {scalar}, axis=0)
if {x}.flags.writeable: np.add.at({x}, {picks}, {small})
if {x}.flags.writeable: {x}[...] = plain({x}); np.maximum.at({x}, {picks}, plain({scalar}))
if {x}.flags.writeable: np.subtract.at({x}, {mask}, {small})
{x}.fill({scalar})
if not overlaps({x}): {x}[...] = plain({x}); {x}.sort()
if not overlaps({x}): {x}[...] = plain({x}); {x}.sort(axis=0)
np.minimum(plain({x}), {small}, out={x})
{x}.max(axis=0, out={x}[0])
if np.ndim({x}) and not overlaps({x}): np.cumsum({x} > 1, axis=0, out={x})
if {x}.size: np.take({x}, {picks}, axis=0, out={x}[:3], mode='clip')
as_strided({x}, {strided})[...] = {scalar}
as_strided({x}, {strided})[0] {op}= {small}
"""

# Statements about a scalar read in between, or about control flow that depends on a value.
SCALARS = r"""
{n} = np.asarray({x}.ravel()[0]{op}{scalar})
{n} = np.asarray(len({x}) + float({x}.ravel()[-1].real))
{n} = np.asarray([v for v in {x}.ravel().tolist()[:5]])
{n} = {x} + 1 if {x}.any() else {x} - 1
{n} = {x}.copy() if {x}.ravel()[0] > {scalar} else {x}[::-1]
{n} = np.asarray(int({x}.ravel()[0].real) % 7)
{n} = np.asarray({x}.ravel()[0].item()) + {x}
{n} = np.asarray(max({x}.ravel().tolist()[:4] + [0]))
{n} = np.asarray(sum(v > 0 for v in {x}.ravel()))
{n} = (lambda a, b={small}: np.where(a > b, a, a * b))({x})
{n} = np.apply_along_axis(lambda v: v[::-1] + {small}, {axis}, {x})
{n} = np.vectorize(lambda v: v > {small})({x})
{n} = np.asarray([{x}, {x}])
{n} = np.asarray(np.{number}({scalar}) {op} np.{number}({scalar}))
"""

STEPS = r"""
{w} + {y}
{w} * 3 + k
np.where({w} > k, {w} - {y}, {w} + 1)
{w} * 2 - k * {y}
np.maximum({w}, plain({y})) + k % 3
{w} / 2 + {y}
({w} + 1).astype(np.{real}) * {y}
{w}[::-1] + k
({w} + {w}[::-1]) // 2
np.roll({w}, 1) - {w}
{w}.T + {y}
-{w}
"""

LOOPS = r"""
for k in range({trips}):\n    {n} = {next}
for k in range({trips}):\n    {n} = {next}\n    {m} = {n} + k
for k in range({trips}):\n    {n}, {m} = {next}, {n}
for k in range({trips}):\n    {m} = {n}\n    {n} = {next}
for k in range({trips}):\n    {n} = {next}\n    if k % 2:\n        {n} = {n} + {m}
for k in range({trips}):\n    {m} {op}= {small}\n    {n} = {n} + {m}
for k in range({trips}):\n    {m}[k % 2] = {e}\n    {n} = {n} + {m}
for k in range({trips}):\n    {m}[1:] = {m}[:-1] + k
for k in range({trips}):\n    {m}[k] = {m}[k - 1] {op} {small}
for k in range({trips}):\n    for j in range(2):\n        {n} = {next} + j\n    {m} = {n} - {m}
for k in range({trips}):\n    {n} = {next}\n    if {n}.ravel()[0] > {scalar}:\n        break
for k in range({trips}):\n    {n} = {next}\n    {m} = {m} + {n}.max()
for row in {x}:\n    {n} = {n} + row
for row in {m}:\n    row {op}= {small}
k = 0\nwhile k < {trips}:\n    {n} = {next}\n    k += 1
for k in range({trips}):\n    m = abs({x}) > k\n    {x}[m] = {x}[m] / 2 - k\n    {n} = {x} + k
def f(w, k):\n    w[...] = w + k\n    return {next}\nfor k in range({trips}):\n    {n} = f({m}, k)
{n} = np.asarray([{next} for k in range({trips})])
{n} = sum([{next} for k in range({trips})])
"""

# An exception in the middle: what was done before it stays done, what follows is not.
INTERRUPTED = r"""
for k in range(6):\n    {x}[k] = k\n    {n} = {x} + k
for k in range(6):\n    {x} {op}= {small}\n    if k == {few}:\n        raise ValueError(k)
for k in range(6):\n    {n} = {x} + k\n    {x}[{index}] = {n}[{index}]
{x}[0] = {small}\n{x}[{bad}] = {small}\n{x}.tolist()
{n} = {x} + 1\n{x}[...] = {n}\n{x}[{index}] = np.ones((7, 3, 11))
{n} = {x} * 2\n{x}[...] = {n}\nundefined + {x}
{n} = {x}[{bad}]\n{n}.tolist()
{n} = np.take({x}, {bad}, axis=0) + 1\n{n}.tolist()
{n} = {x}.reshape(7, -1)
np.add({x}, 1, out={x})\nnp.add({x}, np.ones(13), out={x})
{x}[{mask}] = [1, 2, 3, 4, 5, 6, 7]
with np.errstate(all='ignore'):\n    {x} {op}= {small}\n    raise KeyError('middle')
assert {x}.size == 0, {x}.shape
if not overlaps({x}): {x}[...] = plain({x}); {x}.sort()\nint({x})
[][{x}.size]
"""

DETAILS = r"""
print('{x}', [s for s, n in zip({x}.strides, {x}.shape) if n > 1] if {x}.size else 0, {x}.flags.c_contiguous, {x}.flags.f_contiguous)
print('{x}', {x}.flags.writeable, {x}.nbytes, {x}.itemsize, {x}.ndim)
print(np.shares_memory({x}, {z}), np.may_share_memory({x}, {x}))
print({x}.dtype, np.result_type({x}, {z}), np.can_cast({x}.dtype, np.{dtype}))
show('{x}', {x})
"""


# How often a kind of statement is written, and its rows; what makes a value is assigned to a new variable.
KINDS = {
    "source": (2, SOURCES),
    "view": (6, VIEWS),
    "expression": (8, "np.asarray({e})"),
    "move": (2, MOVES),
    "sort": (2, SORTS),
    "reduction": (3, REDUCTIONS),
    "inexact": (5, INEXACT),
    "store": (10, STORES),
    "scalar": (3, SCALARS),
    "loop": (5, LOOPS),
    "interrupted": (2, INTERRUPTED),
    "detail": (2, DETAILS),
}
KINDS = {kind: (weight, rows.strip().split("\n")) for kind, (weight, rows) in KINDS.items()}
VALUES = {"source", "view", "expression", "move", "sort", "reduction"}
EXPRESSIONS = EXPRESSIONS.strip().split("\n")
STEPS = STEPS.strip().split("\n")

SIZES = {1: "int8 uint8", 2: "int16 uint16 float16 uint8", 4: "int32 uint32 float32 int16", 8: "int64 uint64 float64 float32"}
NUMBERS = "0 1 -1 2 3 7 -5 0.5 2.5 -0.25 True 100 np.int8(5) np.float32(1.5) np.uint8(200) np.float64(3) np.int64(-2)".split()
ODD = "np.nan np.inf -np.inf -0.0 300 -129 2**31 2**63 1e30 1j False np.float16(2) np.uint64(3)".split()


class Program:
    """Grows statement by statement; each is tried in NumPy as it is written, and taken back if it may not stand."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arrays, self.statements, self.count = [], [], 0
        self.names = judge.names()

    # ---- choices ----

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def value(self, name):
        return self.names[name]

    # ---- what fills the holes of a template about the array self.x, of shape self.shape ----

    def hole_x(self):
        return self.x

    def hole_n(self):
        return self.new[0]

    def hole_m(self):
        return self.new[1]

    def hole_z(self):
        return self.pick(*self.arrays)

    def hole_y(self):
        if self.chance(0.3):
            return self.hole_scalar()
        return self.expression(self.depth - 1) if self.depth > 0 else self.atom()

    def hole_e(self):
        return self.expression(self.random.randint(0, 2))

    def hole_dtype(self):
        return self.dtype or self.random.choice(DTYPES if self.chance(0.5) else COMMON)

    def hole_number(self):
        return self.pick("int64", "int32", "uint8", "float64", "float32", "float16")

    def hole_real(self):
        return self.pick("float64", "float64", "float32", "float32", "float16")

    def hole_shape(self):
        return repr(self.shape)

    def hole_size(self):
        return str(int(np.prod(self.shape)))

    def hole_large(self):
        return repr(self.large)

    def hole_many(self):
        return str(int(np.prod(self.large)))

    def hole_values(self):
        kind = np.dtype(self.dtype).kind
        size = int(np.prod(self.shape))
        if kind == "b":
            return repr([self.chance(0.5) for _ in range(size)])
        if kind == "c":
            return repr([complex(self.random.randint(-8, 8) / 4, self.random.randint(-3, 3)) for _ in range(size)])
        if kind == "f":
            odd = ["np.nan", "np.inf", "-np.inf", "-0.0", "1e-40", "6e4", "-3e4", "0.1"] if self.chance(0.3) else ["0.0"]
            values = [
                self.pick(*odd) if self.chance(0.2) else repr(self.random.randint(-40, 40) / self.pick(1, 4))
                for _ in range(size)
            ]
            return "[" + ", ".join(values) + "]"
        least, most = (int(v) for v in (np.iinfo(self.dtype).min, np.iinfo(self.dtype).max))
        odd = [least, most, most - 1, most // 2] if self.chance(0.3) else [0]
        return repr(
            [self.pick(*odd) if self.chance(0.2) else self.random.randint(max(least, -9), 20) for _ in range(size)]
        )

    def hole_scalar(self):
        return self.pick(*ODD) if self.chance(0.15) else self.pick(*NUMBERS)

    def hole_small(self):
        return self.pick("1", "2", "3", "True", "np.int8(2)", "0.5", "np.float32(2)")

    def hole_few(self):
        return str(self.random.randint(0, 5))

    def hole_bit(self):
        return self.pick("0", "1")

    def hole_trips(self):
        return str(self.random.randint(1, 20))

    def hole_op(self):
        return self.pick("+", "-", "*", "+", "-", "*", "//", "%", "/", "&", "|", "^")

    def hole_side(self):
        return self.pick("left", "right")

    def hole_order(self):
        return self.pick("C", "F", "A", "K")

    def hole_step(self):
        return str(self.pick(1, 2, 3, -1))

    def hole_offset(self):
        return str(self.random.randint(-3, 3))

    def hole_axis(self):
        ndim = self.value(self.x).ndim
        return str(self.random.randrange(-ndim, ndim)) if ndim and self.chance(0.95) else self.pick("0", "3")

    def hole_reduced(self):
        ndim = self.value(self.x).ndim
        axis = self.pick("", "axis=None", "axis=0", "axis=-1", f"axis={self.hole_axis()}", "axis=(0, 1)")
        if ndim < 2 and "(" in axis:
            axis = "axis=0"
        return axis + (", keepdims=True" if axis and self.chance(0.25) else "")

    def hole_along(self):
        return self.pick("", f"axis={self.hole_axis()}")

    def hole_permutation(self):
        axes = list(range(self.value(self.x).ndim))
        self.random.shuffle(axes)
        return repr(tuple(axes))

    def hole_reshaped(self):
        size = self.value(self.x).size
        shapes = [(-1,), (size,), (1, size), (size, 1)]
        shapes += [(k, size // k) for k in range(2, 8) if size % k == 0] + [(2, -1, 2)] * (size % 4 == 0)
        return repr(self.random.choice(shapes))

    def hole_strided(self):
        """A shape, and strides in elements, within the bounds of the array where that is contiguous."""
        n = max(self.value(self.x).size, 1)
        rows = self.random.randint(1, min(n, 4))
        return self.pick(
            f"({n - rows + 1}, {rows}), (1, 1)",
            f"({rows}, {n // rows}), ({n // rows}, 1)",
            f"({n // rows}, {rows}), (1, {n // rows})",
            f"({rows}, {n}), (0, 1)",
            f"({(n + 1) // 2},), (2,)",
        )

    def hole_same_size(self):
        a = self.value(self.x)
        if a.dtype.kind in "fc" and np.isnan(a).any():  # the other bits of a NaN are not defined
            return "np." + a.dtype.name
        if a.dtype == bool:  # what a bool means whose byte is neither 0 nor 1 is not defined
            return "np.bool_"
        return "np." + self.random.choice(SIZES.get(a.itemsize, "uint8").split())

    def hole_slice15(self):
        return self.slice(15)

    def hole_mask(self):
        a = self.value(self.x)
        return self.pick(
            f"{self.x} > {self.hole_small()}",
            f"{self.x} != 0",
            f"np.arange({a.size}).reshape({a.shape}) % {self.random.randint(2, 3)} == 0",
            f"np.arange({a.shape[-1] if a.ndim else 1}) % 2 == 0",
            self.pick("True", "False", f"np.zeros({a.shape}, bool)"),
        )

    def hole_mask1(self):
        return f"np.arange({self.x}.shape[0]) % 2 == 0"

    def hole_picks(self):
        a = self.value(self.x)
        n = a.shape[0] if a.ndim else 1
        if not n:
            return "[0]"
        at = [self.random.randrange(-n, n) for _ in range(3)]
        return self.pick(
            str(at), f"np.array({at})", f"[{at[0]}, {at[0]}, {at[1]}]", f"np.arange({min(n, 3)})", f"[[{at[0]}], [{at[1]}]]"
        )

    def hole_bad(self):
        return self.pick("99", "[0, 99]", "np.arange(3) + 40", "-50", "[[0], [77]]")

    def hole_magnitude(self):
        return f"magnitude({self.x})"

    def slice(self, n):
        if self.chance(0.25):
            return ":"
        lo, hi = self.random.randint(-n, n), self.random.randint(-n, n + 1)
        return f"{self.pick('', lo)}:{self.pick('', hi)}{self.pick('', '', ':2', ':-1', ':-2', ':3')}"

    def hole_index(self):
        a = self.value(self.x)
        if a.ndim == 0:
            return self.pick("...", "()", "None")
        if self.chance(0.1):
            return self.hole_mask()
        if self.chance(0.1):
            return self.hole_picks()
        parts = []
        for n in a.shape[: self.random.randint(1, a.ndim)]:
            if n and self.chance(0.25):
                parts.append(str(self.random.randrange(-n, n)))
            elif n and self.chance(0.07):
                parts.append(f"[{self.random.randrange(-n, n)}, {self.random.randrange(-n, n)}]")
            else:
                parts.append(self.slice(n))
        if self.chance(0.15):
            parts.insert(self.random.randint(0, len(parts)), "None")
        elif self.chance(0.15):
            parts.insert(self.pick(0, len(parts)), "...")
        return ", ".join(parts)

    def hole_next(self):
        return self.fill(self.random.choice(STEPS))

    def hole_w(self):
        return self.pick(self.new[0], self.new[0], self.new[1])

    # ---- expressions and statements ----

    def fill(self, template):
        return re.sub(r"\{(\w+)\}", lambda hole: getattr(self, "hole_" + hole[1])(), template)

    def about(self, name, depth=0):
        """What is written next is about an array."""
        self.x, self.depth = name, depth

    def atom(self):
        if self.chance(0.6):
            return self.pick(*self.arrays)
        outer = self.x, self.depth
        self.about(self.pick(*self.arrays))
        text = f"{self.x}[{self.hole_index()}]"
        self.about(*outer)
        return text

    def expression(self, depth):
        if depth <= 0:
            return self.atom()
        outer = self.x, self.depth
        self.about(self.pick(*self.arrays), depth)
        text = self.fill(self.random.choice(EXPRESSIONS))
        self.about(*outer)
        return text

    def statement(self):
        kind = self.random.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
        row = self.random.choice(KINDS[kind][1])
        self.new = [f"x{self.count}", f"x{self.count + 1}"]
        self.shape, self.large, self.dtype = self.random.choice(SHAPES), self.random.choice(LARGE), None
        if kind == "source":
            self.dtype = self.random.choice(DTYPES if self.chance(0.5) else COMMON)
        self.about(self.pick(*self.arrays), self.random.randint(0, 1))
        if kind == "loop":
            start = self.pick("{n} = {x}\n", "{n} = {x}.copy()\n") + self.pick("{m} = {x} + 0\n", "{m} = {x}\n")
            self.add(self.fill(start + row.replace("\\n", "\n")))
        elif kind == "inexact":
            value, ulps, *terms = self.fill(row).split(" | ")
            terms = f", lambda: {self.x}.size * ({terms[0]})" if terms else ""
            self.add(self.pick(f"near({value}, {ulps}{terms})", f"{self.new[0]} = settle({value}, {ulps}{terms})"))
        else:
            self.add(self.fill(("{n} = " if kind in VALUES else "") + row.replace("\\n", "\n")))

    def add(self, text):
        """Adds a statement that NumPy accepts, and now and then one that it refuses, to compare the words."""
        ended = judge.attempt(text, self.names)
        keep = ended is None or isinstance(ended, Exception) and self.chance(0.3)
        if keep and ended is not None:
            body = "\n".join("    " + line for line in text.split("\n"))
            text = f"try:\n{body}\nexcept Exception as error:\n    print({ERROR})"
        if not keep or not self.harmless():
            self.names = judge.names()
            judge.attempt("\n".join(self.statements), self.names)
            return
        self.statements.append(text)
        self.arrays = [name for name, value in self.names.items() if re.fullmatch(r"x\d+", name)]
        self.count = max([int(name[1:]) + 1 for name in self.arrays], default=0)

    def harmless(self):
        """Whether all values are arrays of bounded size whose arithmetic rounds in one way only."""
        return all(judge.is_harmless(value, LARGEST) for name, value in self.names.items() if re.fullmatch(r"x\d+", name))

    def text(self):
        while len(self.statements) < STATEMENTS:
            if not self.arrays:
                self.new, self.shape, self.large = ["x0", "x1"], self.random.choice(SHAPES), LARGE[0]
                self.dtype = self.random.choice(COMMON)
                self.add(self.fill("{n} = np.array({values}, dtype=np.{dtype}).reshape({shape})"))
            else:
                self.statement()
        return "\n".join(self.statements + [f"show('{name}', {name})" for name in self.arrays]) + "\n"
