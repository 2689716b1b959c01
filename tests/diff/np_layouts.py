# Copy or view, writeable or not, and the memory order of results, of functions on every layout of their operand.
B = np.arange(24.0).reshape(2, 3, 4)
M = np.arange(12.0).reshape(3, 4)
LAYOUTS = {
    'C': B, '021': B.transpose(0, 2, 1), '102': B.transpose(1, 0, 2), '120': B.transpose(1, 2, 0),
    '201': B.transpose(2, 0, 1), 'F': B.T, 'copied F': np.asfortranarray(B), 'reversed': B[::-1],
    'reversed rows': B[:, :, ::-1], 'steps': B[:, ::2], 'narrow steps': B[:, :, ::2],
    'permuted steps': B.transpose(2, 0, 1)[::-1, :, ::2], 'broadcast': np.broadcast_to(B[:1], (2, 3, 4)),
    'vector': np.arange(24.0), 'vector steps': np.arange(24.0)[::2], 'matrix': M, 'matrix T': M.T,
    'matrix F': np.asfortranarray(M), 'scalar': np.array(3.0), 'no rows': np.zeros((3, 0, 2)),
    'no rows F': np.zeros((3, 0, 2), order='F'), 'ones': np.ones((1, 3, 1))[:, ::-1],
    'read-only': np.broadcast_to(np.arange(4.0), (4,)),
}


def first(result):
    return result[0] if isinstance(result, (list, tuple)) and len(result) else result


def outcome(call, x):
    try:
        return first(eval(call, {'np': np, 'copy': copy, 'x': x}))
    except (ValueError, IndexError, TypeError, np.linalg.LinAlgError) as e:
        return type(e).__name__


def sharing(call, x):
    r = outcome(call, x)
    if not isinstance(r, np.ndarray):
        return r if isinstance(r, str) else 'scalar'
    kind = 'same' if r is x else 'view' if np.shares_memory(r, x) else 'copy'
    return kind + ('' if r.flags.writeable else ' read-only')


def strides(call, x):
    r = outcome(call, x)
    if not isinstance(r, np.ndarray):
        return r if isinstance(r, str) else 'scalar'
    return str([s for n, s in zip(r.shape, r.strides) if n > 1] if r.size else []) + 'CF'[not r.flags.c_contiguous]


def show(how, calls):
    import warnings
    warnings.simplefilter('ignore')
    for call in calls:
        print(call)
        for name, x in LAYOUTS.items():
            print('   ', name, how(call, x))


# --- views
import copy
show(sharing, [
    'np.asarray(x)', 'np.asanyarray(x)', "np.asarray(x, order='C')", "np.asarray(x, order='F')",
    "np.asarray(x, order='A')", "np.asarray(x, order='K')", 'np.asarray(x, x.dtype)', "np.asarray(x, 'f4')",
    'np.array(x, copy=None)', 'np.array(x, ndmin=3, copy=None)', 'np.ascontiguousarray(x)', 'np.asfortranarray(x)',
    "np.require(x, None, ['C'])", "np.require(x, None, ['F'])", "np.require(x, None, ['W'])",
    "np.require(x, None, ['O'])", "np.require(x, None, ['A'])", 'np.asarray_chkfinite(x)', 'x.ravel()', "x.ravel('F')",
    "x.ravel('A')", "x.ravel('K')", 'x.reshape(-1, 2)', "x.reshape(-1, 2, order='F')", "x.reshape(-1, 2, order='A')",
    'x.reshape(-1)', 'x.reshape(x.shape)', "x.astype('f8', copy=False)", "x.astype('f8', order='C', copy=False)",
    "x.astype('f8', order='F', copy=False)", "x.astype('f8', order='A', copy=False)", "x.view('i8')", "x.view('i4')",
    'x[...]', 'x[None]', 'x[()]', 'x[::2]', 'x[:0]', 'x.T', 'x.mT', 'x.real', 'np.real(x)', 'x.squeeze()',
    'np.squeeze(x)', 'np.expand_dims(x, 0)',
])

# --- views of axes (numpy before 2.5)
import copy
show(sharing, [
    'np.moveaxis(x, 0, -1)', 'np.swapaxes(x, 0, -1)', 'np.rollaxis(x, -1)', 'np.diagonal(x)', 'np.flip(x)',
    'np.flipud(x)', 'np.fliplr(x)', 'np.rot90(x)', 'np.rot90(x, 2)', 'np.rot90(x, 0)',
    'np.broadcast_to(x, (2,) + x.shape)', 'np.broadcast_to(x, x.shape)', 'np.atleast_1d(x)', 'np.atleast_2d(x)',
    'np.atleast_3d(x)', 'np.array_split(x, 2)', 'np.split(x, [1])', 'np.hsplit(x, [1])',
    'np.meshgrid(x, x, copy=False)', 'np.meshgrid(x, x)', 'np.ravel(x)', 'np.trim_zeros(x)',
    'np.nan_to_num(x, copy=False)', 'np.lib.stride_tricks.as_strided(x)',
    'np.lib.stride_tricks.sliding_window_view(x, 1, 0)', 'np.real_if_close(x)', 'np.diag(x)',
    'np.broadcast_arrays(x, np.ones(x.shape))', 'np.unstack(x)', 'np.matrix_transpose(x)', 'np.permute_dims(x)',
    'np.astype(x, x.dtype, copy=False)',
])

# --- copies
import copy
show(sharing, [
    'np.array(x)', 'np.copy(x)', 'x.copy()', 'copy.copy(x)', 'copy.deepcopy(x)', 'x.flatten()', "x.flatten('K')",
    'x + 0', '+x', 'abs(x)', 'np.where(True, x, 0)', 'x.take([0], 0)', 'x[[0]]', 'x[x > 2]', 'np.sort(x, 0)',
    'np.roll(x, 0)', 'np.roll(x, 1)', 'np.tile(x, 1)', 'np.repeat(x, 1)', 'np.concatenate([x])', 'np.stack([x])',
    'np.block([x])', 'np.block(x)', 'np.pad(x, 0)', 'np.delete(x, [])', 'np.insert(x, 0, [])', 'np.append(x, [])',
    'np.clip(x, None, 9)', 'np.round(x)', 'np.nan_to_num(x)', 'np.resize(x, x.shape)', 'np.conj(x)', 'x.astype("f8")',
    'np.positive(x)', 'np.cumsum(x)', 'np.sum(x, axis=())', 'np.unique(x)', 'np.einsum("...->...", x)', 'np.imag(x)',
    'np.ptp(x[None], 0)', 'np.squeeze(x).copy()', 'np.partition(x, 0, axis=0)', 'np.vstack([x])',
    'np.compress([True], x, 0)', 'np.triu(x)', 'np.diff(x, 0, axis=0)', 'np.apply_along_axis(lambda v: v, 0, x)',
    'np.fix(x)', 'np.copysign(x, 1)', 'np.select([x > 2], [x])',
])

# --- memory order of copies
import copy
show(strides, [f.replace('ORDER', o) for o in 'KACF' for f in [
    "x.copy('ORDER')", "np.copy(x, order='ORDER')", "x.astype('f4', order='ORDER')",
    "x.astype('f8', order='ORDER', copy=False)", "np.array(x, order='ORDER')", "np.array(x, 'f4', order='ORDER')",
    "np.asarray(x, order='ORDER')", "np.asarray(x, 'i8', order='ORDER')", "np.zeros_like(x, order='ORDER')",
    "np.empty_like(x, order='ORDER')", "np.ones_like(x, 'i2', order='ORDER')", "np.full_like(x, 3, order='ORDER')",
    "np.full_like(x, x, order='ORDER')", "np.zeros_like(x, shape=x.shape[::-1], order='ORDER')",
    "np.add(x, 1, order='ORDER')", "np.sin(x, order='ORDER')", "x.flatten('ORDER')",
]])

# --- memory order of results
import copy
show(strides, [
    'np.array(x)', "np.array(x, 'f4')", "np.asarray(x, 'f4')", 'np.copy(x)', 'copy.copy(x)', 'copy.deepcopy(x)', '-x',
    'x + x', 'x + 1', 'x + np.ones(x.shape)', 'x > 2', 'x ** 2', 'x * 1j', 'np.where(x > 2, x, 0)', 'np.clip(x, 0, 3)',
    'np.round(x)', 'np.sort(x, 0)', 'np.sort(x)', 'np.argsort(x, 0)', 'np.partition(x, 0, axis=0)',
    'np.partition(x, 0)', 'np.argpartition(x, 0, axis=0)', 'np.argpartition(x, 0)', 'np.cumsum(x, 0)',
    'np.cumsum(x, -1)', 'np.concatenate([x, x])', 'np.concatenate([x, x], -1)', 'np.stack([x, x])',
    'np.stack([x, x], -1)', 'np.block([x])', 'np.block([x, x])', 'np.block([[x], [x]])', 'np.block(x)', 'np.roll(x, 1)',
    'np.roll(x, 1, 0)', 'np.roll(x, 1, -1)', 'np.roll(x, 0, 0)', 'np.pad(x, 1)', "np.pad(x, 1, 'edge')",
    'np.gradient(x, axis=0)', 'np.gradient(x, axis=-1)', 'np.delete(x, 0, 0)', 'np.delete(x, [0], -1)',
    'np.insert(x, 0, 1, 0)', 'np.insert(x, [0], 1, -1)', 'np.append(x, x, 0)', 'np.piecewise(x, [x > 2], [1])',
    'np.select([x > 2], [x])', 'np.i0(x)', 'np.tril(x)', 'np.add.outer(x, np.ones(2))', 'np.modf(x)',
    'np.take_along_axis(x, np.argsort(x, 0), 0)', 'np.apply_along_axis(np.sort, 0, x)', 'np.heaviside(x, 1)',
    'np.angle(x)',
])

# --- memory order of a function that is called for each element
called = []
add = np.vectorize(lambda v, w=1: called.append(float(v)) or v + w)
for x in [B.T, B.transpose(0, 2, 1), M.T, M[:, ::2].T, M]:
    for r in (add(x), add(x, x)):
        print(r.strides, r.flags.f_contiguous, r.flags.owndata, called[1:])
        called.clear()

# --- large blocks are in C order
x = np.zeros((600, 500)).transpose()
print(np.block([x, x]).flags.f_contiguous, np.block([x, np.ascontiguousarray(x)]).flags.f_contiguous)
print(np.block([x[:5, :5], x[:5, :5]]).strides)

# --- writing to broadcast arrays (numpy before 2.5)
import warnings
warnings.simplefilter('ignore')
x, y = np.broadcast_arrays([1, 2], [[1], [2], [3]])
x[0, 0] = 5
y[1] += 7
print(x, y, x.flags.writeable, x.strides, y.strides)
x[...] = np.arange(6).reshape(3, 2)
print(x)
a = np.arange(3)
p, q = np.broadcast_arrays(a, np.zeros((2, 1)))
p[0] = 8
print(a, np.shares_memory(a, p))
p, q = np.broadcast_arrays(np.broadcast_to(a, (2, 3)), np.zeros((2, 1)))
try:
    p[0] = 1
except ValueError as e:
    print(e)
for g in np.meshgrid([1, 2], [3, 4], copy=False):
    g[0, 0] = 9
    print(g)
# --- memory order of the results of reductions
x, y = np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)), np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
mask = np.arange(24).reshape(2, 3, 4) % 3 > 0
for a in (x, y, x[::-1], y[..., None], x[:, :1]):
    for f in (np.sum, np.prod, np.max, np.min, np.mean, np.var, np.std, np.any, np.all, np.argmax, np.nansum, np.ptp):
        for axis in (0, 1, -1):
            for keepdims in (False, True):
                r = f(a, axis=axis, keepdims=keepdims)
                print(f.__name__, axis, [s for s, n in zip(r.strides, r.shape) if n > 1],
                    np.round(r.ravel().astype(float), 12).tolist())
print(np.sum(x, axis=0, where=mask).strides, np.sum(x, axis=0, where=mask).tolist())
print(np.mean(x, axis=1, where=mask[0]).strides, np.mean(x, axis=1, where=mask[0]).tolist())
print(np.sum(x, axis=0, initial=3).strides, np.sum(x, axis=(0, 1)).strides, np.sum(x).shape)
print(np.add.reduce(x, axis=0).strides, np.logical_xor.reduce(x, axis=0).tolist())
out = np.empty((3, 4))
print(np.sum(x, axis=0, out=out) is out, out.tolist())
try:
    np.sum(x, axis=0, where=np.ones(5, bool))
except ValueError as e:
    print(e)
