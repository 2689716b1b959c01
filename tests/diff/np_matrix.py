# Matrices: which functions give matrices, and their values.
import numpy as np
import warnings
warnings.simplefilter("ignore")
m = np.matrix([[4.0, 1], [2, 3]])
c = np.matrix([[1j, 2], [3, 4 + 1j]])
a = np.array([[1.0, 2], [3, 5]])


def show(*results):
    for r in results:
        if isinstance(r, (tuple, list)):
            show(*r)
        elif type(r).__name__ in ("ndarray", "matrix"):
            print(type(r).__name__, r.shape, r.dtype, np.round(np.asarray(r).real.astype(float), 9).tolist())
        else:
            print(type(r).__name__, r)


# --- ufuncs
show(np.exp(m), np.add(m, a), np.multiply(m, m), np.multiply(a, m), np.maximum(m, 2), np.greater(m, 2), np.modf(m), np.divmod(m, 2), np.isnan(m), np.conj(c))
show(np.add.reduce(m), np.negative(m), abs(m), np.abs(c), np.add(m, 1, out=np.matrix(np.zeros((2, 2)))))
# --- parts of complex matrices
show(np.real(c), np.imag(c), np.angle(m), np.real(m), np.iscomplexobj(c), np.real_if_close(m))
# --- reductions keep their axis
for f in (np.sum, np.mean, np.max, np.min, np.prod, np.std, np.var, np.any, np.all, np.argmax, np.amax, np.median, np.average, np.nansum, np.nanmax):
    show(f(m, axis=0), f(m, axis=1))
show(np.sum(m), np.mean(m), np.max(m), np.trace(m), np.count_nonzero(m))
# --- functions that give matrices
show(np.cumsum(m), np.cumsum(m, axis=0), np.sort(m), np.argsort(m, axis=0), np.transpose(m))
show(np.diff(m), np.flipud(m), np.rot90(m), np.zeros_like(m), np.take(m, [0, 1]))
show(np.tile(m, 2), np.repeat(m, 2, axis=0), np.reshape(m, (1, 4)), np.clip(m, 1, 3))
show(np.append(m, a, axis=0), np.delete(m, 0, 0), np.split(m, 2), np.roll(m, 1, axis=1))
show(np.vstack([m, a]), np.hstack([m, m]), np.concatenate((m, m)), np.column_stack([m, a]), np.dot(m, a), np.matmul(a, m), np.kron(m, m), np.inner(m, m))
show(np.asanyarray(m), np.asanyarray(m) is m, np.atleast_2d(m), np.nan_to_num(m), np.gradient(m), np.squeeze(m), np.swapaxes(m, 0, 1))
# --- functions that give arrays
show(np.asarray(m), np.array(m), np.copy(m), np.ravel(m), np.diagonal(m), np.triu(m))
show(np.cov(m), np.sinc(m), np.outer(m, a), np.where(m > 2, m, 0), np.einsum("ij,jk", m, m))
show(np.pad(m, 1), np.fft.fft(m), np.broadcast_to(m, (2, 2)), np.searchsorted(m.A1, m))
show(np.interp(m, [0, 5], [0, 10]), np.isin(m, [1]), np.resize(m, (2, 3)), np.argwhere(m))
# --- linear algebra
show(np.linalg.inv(m), np.linalg.det(m), np.linalg.pinv(m), np.linalg.matrix_power(m, 2))
show(np.linalg.norm(m), np.linalg.solve(m, a), np.linalg.multi_dot([m, a, m]))
show(np.linalg.inv(m) * m, np.linalg.matrix_rank(m), np.linalg.slogdet(m), np.linalg.svd(m)[1], type(np.linalg.svd(m)[0]).__name__, np.linalg.eigh(m @ m.T)[0])
# --- subscripts
show(m[0], m[:, 0], m[m > 2], m[np.ix_([0, 1], [0])], [r for r in m])
m[m > 3] = 0
show(m)
