# Functions of numpy, linalg and fft over dtypes, layouts, empty and 0-d arrays, NaN and infinities: what each gives or
# says. Values are shown to four digits and a little off, so that none lies in the middle between two of these.
#
# What is left out, because it differs:
# - no_half: var, std and nanpercentile of float16: the last digits (NumPy rounds other steps to half precision).
# - tame: products of complex numbers with infinities: which part of the product is NaN.
# - finite: Fourier transforms of NaN and infinities: which of the results are NaN hangs on the order of gpa's and
#   pocketfft's sums.
# - fft2 (and the like) and fftshift of 0-d arrays: NumPy's errors come from within (a take from no axes, roll's
#   unpacking).
# - pinv and svd of infinities: LAPACK's answer (NaN or 'did not converge') hangs on the shape; gpa always says the
#   latter.
# - slogdet with NaN: the sign depends on which row is taken as the pivot (the reference device and LAPACK differ).
# - lstsq of NaN: NumPy's LAPACK prints warnings.
# - tensorinv of 0-d arrays: gpa's reshape() without a shape.
np.seterr(all="ignore")


def digest(r):
    if isinstance(r, np.ndarray) or hasattr(r, "dtype") and hasattr(r, "shape"):
        x = np.asarray(r)
        if x.dtype.kind in "fc":
            x = np.where(np.isnan(x), x.dtype.type(777), x)
            if x.dtype.kind == "c":
                x = np.where(abs(x.real) < 1e-4, 0, x.real) + 1j * np.where(abs(x.imag) < 1e-4, 0, x.imag)
            x = np.where(abs(x) < 1e-4, x.dtype.type(0), x)
            return f"{x.dtype} {x.shape} " + " ".join(
                [
                    (
                        f"{v * 1.000371828:.4g}"
                        if x.dtype.kind == "f"
                        else f"{v.real * 1.000371828 + 0.0:.4g},{v.imag * 1.000371828 + 0.0:.4g}"
                    )
                    for v in x.ravel().tolist()
                ]
            )
        return f"{x.dtype} {x.shape} {x.ravel().tolist()}"
    if isinstance(r, (list, tuple)) or type(r).__name__.endswith("Result"):
        return "[" + "; ".join([digest(x) for x in r]) + "]"
    return repr(r)


def operand(dtype, shape, seed):
    n = math.prod(shape)
    k = (np.arange(n) * 7919 + seed * 104729) % 1009
    kind = np.dtype(dtype).kind
    x = (k % 7 if kind in "biu" else (k % 61 - 30) / 4).astype(dtype)
    if kind == "i":
        x = (x - 3).astype(dtype)
    if kind == "c":
        x = (x + 1j * ((k % 13) - 6)).astype(dtype)
    return x.reshape(shape)


def spoiled(x):
    x = x.copy()
    if x.dtype.kind in "fc" and x.size > 4:
        x.flat[1] = np.nan
        x.flat[3] = np.inf
        x.flat[4] = -np.inf
    return x


def operands(dtypes="? u1 i4 i8 f2 f4 f8 c16"):
    all = []
    for seed, dtype in enumerate(dtypes.split()):
        a = operand(dtype, (3, 4), seed)
        all.append((dtype, a))
        if dtype in ("i4", "f8"):
            all += [
                (dtype + " T", operand(dtype, (4, 3), seed + 1).T),
                (dtype + " 1-d", operand(dtype, (14,), seed + 5)[::-2]),
            ]
        if dtype in ("f4", "f8", "c16"):
            all.append((dtype + " nan", spoiled(a)))
    for dtype in ("f8", "i4", "?"):
        all += [
            (dtype + " 0-d", operand(dtype, (), 3)),
            (dtype + " empty", operand(dtype, (0,), 3)),
            (dtype + " 0x3", operand(dtype, (0, 3), 3)),
        ]
    return all


def every(f, given=None, tell=False):
    for name, a in given or operands():
        try:
            print(name, digest(f(a)))
        except Exception as e:
            print(name, type(e).__name__, e if tell else "")


finite = [x for x in operands("? u1 i4 i8 f4 f8 c16") if "nan" not in x[0]]


def one_axis(transform):
    every(transform, finite, tell=True)
    every(lambda a: transform(a, n=5, axis=0, norm='ortho'), finite, tell=True)
    every(lambda a: transform(a, n=0), tell=True)
    every(lambda a: transform(a, axis=3), tell=True)


def axes(transform):
    every(transform, [x for x in finite if x[1].ndim], tell=True)
    every(lambda a: transform(a, s=(2, 5), axes=(0, 1)), finite)


real = operands("? u1 i4 i8 f2 f4 f8")
no_half = [x for x in operands() if x[0] != 'f2']
tame = [x for x in operands() if x[0] != 'c16 nan']
sq = [(d, operand(d, (3, 3), k) + np.eye(3, dtype=d) * 40) for k, d in enumerate(('i4', 'f4', 'f8', 'c8', 'c16'))]
sq += [
    ('stack', np.stack([sq[2][1], sq[2][1].T])),
    ('singular', np.array([[1.0, 2, 0], [2, 4, 0], [0, 0, 0]])),
    ('wide', operand('f8', (2, 3), 1)),
    ('tall', operand('f8', (4, 3), 1)),
    ('1-d', np.ones(3)),
    ('0-d', np.array(2.0)),
    ('empty', np.zeros((0, 0))),
    ('no rows', np.zeros((0, 3))),
    ('empty stack', np.zeros((0, 3, 3))),
    ('f2', np.ones((2, 2), 'f2')),
    ('nan', np.array([[1.0, np.nan], [2, 5]])),
    ('inf', np.array([[1.0, np.inf], [2, 5]])),
    ('3x3 nan', np.array([[1.0, np.nan, 2], [2, 5, 1], [3, 4, 9]])),
    ('whole 0-d', np.array(2)),
]

# --- sum
every(np.sum)
every(lambda a: np.sum(a, axis=0))
every(lambda a: np.sum(a, axis=-1))
every(lambda a: np.sum(a, axis=2), tell=True)

# --- prod
every(np.prod, tell=True)
every(lambda a: np.prod(a, axis=0), tell=True)
every(lambda a: np.prod(a, axis=-1), tell=True)
every(lambda a: np.prod(a, axis=2), tell=True)

# --- mean
every(np.mean)
every(lambda a: np.mean(a, axis=0))
every(lambda a: np.mean(a, axis=-1))
every(lambda a: np.mean(a, axis=2), tell=True)

# --- var
every(np.var, no_half, tell=True)
every(lambda a: np.var(a, axis=0), no_half, tell=True)
every(lambda a: np.var(a, axis=-1), no_half, tell=True)
every(lambda a: np.var(a, axis=2), no_half, tell=True)

# --- std
every(np.std, no_half, tell=True)
every(lambda a: np.std(a, axis=0), no_half, tell=True)
every(lambda a: np.std(a, axis=-1), no_half, tell=True)
every(lambda a: np.std(a, axis=2), no_half, tell=True)

# --- min
every(np.min)
every(lambda a: np.min(a, axis=0))
every(lambda a: np.min(a, axis=-1))
every(lambda a: np.min(a, axis=2), tell=True)

# --- max
every(np.max)
every(lambda a: np.max(a, axis=0))
every(lambda a: np.max(a, axis=-1))
every(lambda a: np.max(a, axis=2), tell=True)

# --- ptp
every(np.ptp)
every(lambda a: np.ptp(a, axis=0))
every(lambda a: np.ptp(a, axis=-1))
every(lambda a: np.ptp(a, axis=2), tell=True)

# --- argmin
every(np.argmin)
every(lambda a: np.argmin(a, axis=0))
every(lambda a: np.argmin(a, axis=-1))
every(lambda a: np.argmin(a, axis=2), tell=True)

# --- argmax
every(np.argmax)
every(lambda a: np.argmax(a, axis=0))
every(lambda a: np.argmax(a, axis=-1))
every(lambda a: np.argmax(a, axis=2), tell=True)

# --- any
every(np.any)
every(lambda a: np.any(a, axis=0))
every(lambda a: np.any(a, axis=-1))
every(lambda a: np.any(a, axis=2), tell=True)

# --- all
every(np.all)
every(lambda a: np.all(a, axis=0))
every(lambda a: np.all(a, axis=-1))
every(lambda a: np.all(a, axis=2), tell=True)

# --- median
every(np.median)
every(lambda a: np.median(a, axis=0))
every(lambda a: np.median(a, axis=-1))
every(lambda a: np.median(a, axis=2), tell=True)

# --- cumsum
every(np.cumsum)
every(lambda a: np.cumsum(a, axis=0))
every(lambda a: np.cumsum(a, axis=-1))
every(lambda a: np.cumsum(a, axis=2), tell=True)

# --- cumprod
every(np.cumprod, tame, tell=True)
every(lambda a: np.cumprod(a, axis=0), tame, tell=True)
every(lambda a: np.cumprod(a, axis=-1), tame, tell=True)
every(lambda a: np.cumprod(a, axis=2), tame, tell=True)

# --- nansum
every(np.nansum)
every(lambda a: np.nansum(a, axis=0))
every(lambda a: np.nansum(a, axis=-1))
every(lambda a: np.nansum(a, axis=2), tell=True)

# --- nanprod
every(np.nanprod, tame, tell=True)
every(lambda a: np.nanprod(a, axis=0), tame, tell=True)
every(lambda a: np.nanprod(a, axis=-1), tame, tell=True)
every(lambda a: np.nanprod(a, axis=2), tame, tell=True)

# --- nanmean
every(np.nanmean)
every(lambda a: np.nanmean(a, axis=0), tell=True)
every(lambda a: np.nanmean(a, axis=-1), tell=True)
every(lambda a: np.nanmean(a, axis=2), tell=True)

# --- nanvar
every(np.nanvar, tell=True)
every(lambda a: np.nanvar(a, axis=0), tell=True)
every(lambda a: np.nanvar(a, axis=-1), tell=True)
every(lambda a: np.nanvar(a, axis=2), tell=True)

# --- nanmin
every(np.nanmin)
every(lambda a: np.nanmin(a, axis=0))
every(lambda a: np.nanmin(a, axis=-1))
every(lambda a: np.nanmin(a, axis=2), tell=True)

# --- nanmax
every(np.nanmax)
every(lambda a: np.nanmax(a, axis=0))
every(lambda a: np.nanmax(a, axis=-1))
every(lambda a: np.nanmax(a, axis=2), tell=True)

# --- nanargmin
every(np.nanargmin)
every(lambda a: np.nanargmin(a, axis=0))
every(lambda a: np.nanargmin(a, axis=-1))
every(lambda a: np.nanargmin(a, axis=2), tell=True)

# --- nanmedian
every(np.nanmedian, tell=True)
every(lambda a: np.nanmedian(a, axis=0), tell=True)
every(lambda a: np.nanmedian(a, axis=-1), tell=True)
every(lambda a: np.nanmedian(a, axis=2), tell=True)

# --- nancumsum
every(np.nancumsum)
every(lambda a: np.nancumsum(a, axis=0))
every(lambda a: np.nancumsum(a, axis=-1))
every(lambda a: np.nancumsum(a, axis=2), tell=True)

# --- count_nonzero
every(np.count_nonzero)
every(lambda a: np.count_nonzero(a, axis=0))
every(lambda a: np.count_nonzero(a, axis=-1))
every(lambda a: np.count_nonzero(a, axis=2), tell=True)

# --- average
every(np.average)
every(lambda a: np.average(a, axis=0), tell=True)
every(lambda a: np.average(a, axis=-1), tell=True)
every(lambda a: np.average(a, axis=2), tell=True)

# --- amin
every(np.amin)
every(lambda a: np.amin(a, axis=0))
every(lambda a: np.amin(a, axis=-1))
every(lambda a: np.amin(a, axis=2), tell=True)

# --- amax
every(np.amax)
every(lambda a: np.amax(a, axis=0))
every(lambda a: np.amax(a, axis=-1))
every(lambda a: np.amax(a, axis=2), tell=True)

# --- percentile, quantile (numpy 2.4)
every(lambda a: np.percentile(a, [0, 30, 100]), tell=True)
every(lambda a: np.quantile(a, 0.4, axis=0), tell=True)
every(lambda a: np.nanpercentile(a, 60, axis=-1), no_half, tell=True)
every(lambda a: np.quantile(a, 1.5), tell=True)

# --- sorting
every(np.sort, tell=True)
every(lambda a: np.sort(a, axis=0), tell=True)
every(lambda a: np.sort(a, axis=None), tell=True)
every(lambda a: np.argsort(a, axis=0, kind='stable'), tell=True)
every(lambda a: np.partition(a, 1)[..., 1], tell=True)
every(lambda a: np.take_along_axis(a, np.argpartition(a, 1), -1)[..., 1], tell=True)
every(lambda a: np.sort_complex(a.ravel()), tell=True)
every(lambda a: np.lexsort((a.ravel(), a.ravel().real)), tell=True)

# --- searching and sets
every(lambda a: np.searchsorted(np.sort(a.ravel()), a))
every(lambda a: np.searchsorted(np.sort(a.ravel()), a, side='right'))
every(np.unique)
every(lambda a: np.unique(a, return_counts=True))
every(lambda a: np.unique(a, return_index=True, return_inverse=True))
every(lambda a: np.isin(a, [0, 2, 3, 777]))
every(lambda a: np.isin(a, [0, 2], invert=True))
every(lambda a: np.union1d(a, [1, 2]))
every(lambda a: np.intersect1d(a, [1, 2, 3]))
every(lambda a: np.setdiff1d(a, [1, 2]))
every(lambda a: np.setxor1d(a, [1, 2]))
every(np.nonzero)
every(np.flatnonzero)
every(np.argwhere)

# --- differences and sums along an axis (numpy before 2.5)
every(np.diff, tell=True)
every(lambda a: np.diff(a, n=2, axis=0), tell=True)
every(np.ediff1d, tell=True)
every(np.gradient, tell=True)
every(np.trapezoid, tell=True)
every(np.unwrap, tell=True)
every(lambda a: np.interp(a, [-2, 0, 3], [1.0, 5.0, 2.0]), tell=True)
every(lambda a: np.convolve(a.ravel(), [1, 2]), tell=True)
every(lambda a: np.correlate(a.ravel(), [1, 2], 'full'), tell=True)
every(lambda a: np.cov(a), tell=True)
every(lambda a: np.corrcoef(a), tell=True)

# --- counting
every(lambda a: np.bincount(a.ravel()), tell=True)
every(lambda a: np.histogram(a, 4), tell=True)
every(lambda a: np.histogram(a, [0, 1, 2, 4]), tell=True)
every(lambda a: np.digitize(a, [0, 1, 3]))
every(lambda a: np.histogram_bin_edges(a, 3), tell=True)

# --- moving elements (numpy before 2.5)
every(lambda a: np.roll(a, 2), tell=True)
every(lambda a: np.roll(a, (1, -1), axis=(0, -1)), tell=True)
every(np.flip, tell=True)
every(np.rot90, tell=True)
every(lambda a: np.repeat(a, 2), tell=True)
every(lambda a: np.repeat(a, 3, axis=0), tell=True)
every(lambda a: np.tile(a, (2, 2)), tell=True)
every(lambda a: np.pad(a, 1), tell=True)
every(lambda a: np.pad(a, 1, mode='reflect'), tell=True)
every(lambda a: np.pad(a, (0, 2), mode='edge'), tell=True)
every(lambda a: np.concatenate([a, a]), tell=True)
every(lambda a: np.stack([a, a], axis=-1), tell=True)
every(lambda a: np.column_stack([a, a]), tell=True)
every(lambda a: np.delete(a, 1, axis=0), tell=True)
every(lambda a: np.insert(a, 1, 2, axis=-1), tell=True)
every(lambda a: np.append(a, a), tell=True)
every(lambda a: np.resize(a, (2, 5)), tell=True)
every(lambda a: np.trim_zeros(a.ravel()), tell=True)
every(np.triu, tell=True)
every(np.tril, tell=True)
every(lambda a: np.diagonal(a), tell=True)
every(np.diag, tell=True)
every(np.trace, tell=True)
every(lambda a: np.array_split(a, 2), tell=True)
every(np.dsplit and (lambda a: np.hsplit(a, 2)), tell=True)
every(lambda a: np.vsplit(a, 1), tell=True)
every(lambda a: np.row_stack([a, a]) if hasattr(np, 'row_stack') else 0, tell=True)
every(lambda a: np.permute_dims(a), tell=True)
every(lambda a: np.concat([a, a]), tell=True)

# --- choosing elements (numpy before 2.5)
every(lambda a: np.take(a, [0, -1, 1]), tell=True)
every(lambda a: np.take(a, [0, 9, -9], mode='clip'), tell=True)
every(lambda a: np.take(a, [[2, 0]], axis=-1, mode='wrap'), tell=True)
every(lambda a: np.compress([True, False, True], a, axis=0), tell=True)
every(lambda a: np.extract(a > 1, a), tell=True)
every(lambda a: np.where(a > 1, a, 2), tell=True)
every(lambda a: np.select([a > 1, a < 0], [a, -a], 7), tell=True)
every(lambda a: np.choose(a.astype(int) % 3, [a, a * 2, 5]), tell=True)
every(lambda a: np.clip(a, 0, 2), tell=True)
every(lambda a: np.piecewise(a, [a > 1], [1, 0]), tell=True)
every(lambda a: np.nan_to_num(a, nan=3.0), tell=True)
every(np.isposinf, tell=True)
every(lambda a: np.real_if_close(a), tell=True)
every(np.sinc, tell=True)
every(np.fix, tell=True)
every(np.around, tell=True)
every(np.angle, tell=True)
every(lambda a: np.packbits(a.astype(bool)), tell=True)
every(lambda a: np.unpackbits(a.astype(np.uint8)), tell=True)


# --- writing
def put(f):
    def g(a):
        b = a.copy()
        f(b)
        return b

    return g


every(put(lambda b: np.put(b, [0, -1, 2], [1, 0])), tell=True)
every(put(lambda b: np.place(b, b > 1, [2, 3])), tell=True)
every(put(lambda b: np.putmask(b, b > 1, b * 2)), tell=True)
every(put(lambda b: np.copyto(b, 1, where=b > 0)), tell=True)
every(put(lambda b: np.fill_diagonal(b, 1)), tell=True)
every(put(lambda b: np.add.at(b, (np.array([0, 0, -1]),), 1)), tell=True)
every(put(lambda b: np.maximum.at(b, (np.array([0, 0, -1]),), 2)), tell=True)
every(put(lambda b: np.subtract.at(b, (np.array([2, 0, 2]),), 2)), tell=True)
every(put(lambda b: np.put_along_axis(b, np.array([[0]]), 3, axis=-1)), tell=True)

# --- products
every(lambda a: np.dot(a, a.T), tame, tell=True)
every(lambda a: a @ a.T, tame, tell=True)
every(lambda a: np.inner(a, a), tame, tell=True)
every(lambda a: np.outer(a, a))
every(lambda a: np.vdot(a, a))
every(lambda a: np.kron(a, [1, 2]))
every(lambda a: np.tensordot(a, a, axes=a.ndim))
every(lambda a: np.einsum('...i,...i->...', a, a))
every(lambda a: np.cross(a[..., :3], a[..., :3] + 1))
every(lambda a: np.vander(a.ravel()[:4], 3))
every(lambda a: np.polyval([1, 2, 3], a))
every(lambda a: np.matvec(a, a[0]) if hasattr(np, 'matvec') else 0)

# --- comparing
every(lambda a: np.array_equal(a, a))
every(lambda a: np.array_equiv(a, a[:1]))
every(lambda a: np.allclose(a, a, equal_nan=True))
every(lambda a: np.isclose(a, a + 1e-9))
every(np.isreal)
every(np.iscomplex)
every(lambda a: np.isneginf(a), operands('i4 f4 f8'))
every(lambda a: np.result_type(a, np.float32))
every(lambda a: np.min_scalar_type(a))

# --- linalg.inv
every(np.linalg.inv, sq, tell=True)

# --- linalg.det
every(np.linalg.det, sq, tell=True)

# --- linalg.slogdet
every(np.linalg.slogdet, [x for x in sq if x[0] != 'nan'], tell=True)

# --- linalg.cholesky
every(np.linalg.cholesky, sq, tell=True)

# --- linalg.pinv
every(np.linalg.pinv, [x for x in sq if x[0] != 'inf'], tell=True)

# --- linalg.matrix_rank (numpy before 2.5)
every(np.linalg.matrix_rank, sq, tell=True)

# --- linalg.cond (numpy before 2.5)
every(np.linalg.cond, sq, tell=True)

# --- linalg.norm
every(np.linalg.norm, sq, tell=True)

# --- linalg.svdvals (numpy before 2.5)
every(np.linalg.svdvals, sq, tell=True)

# --- linalg.eigvalsh
every(np.linalg.eigvalsh, sq, tell=True)

# --- linalg.solve, lstsq, qr, svd, eig, eigh (numpy before 2.5)
every(lambda a: np.linalg.solve(a, np.ones(a.shape[:-1] + (1,))), sq, tell=True)
every(lambda a: np.linalg.solve(a, np.ones(5)), sq, tell=True)
every(lambda a: np.linalg.lstsq(a, np.ones(a.shape[0]))[0], sq[:5] + sq[7:9], tell=True)
every(lambda a: abs(np.linalg.qr(a)[1]), sq, tell=True)
every(lambda a: np.linalg.svd(a)[1], [x for x in sq if x[0] != 'inf'], tell=True)
every(lambda a: np.sort(np.linalg.eigvals(a)), sq, tell=True)
every(lambda a: np.linalg.eigh(a)[0], sq, tell=True)
every(lambda a: np.linalg.matrix_power(a, 3), sq, tell=True)
every(lambda a: np.linalg.matrix_power(a, -1), sq, tell=True)
every(lambda a: np.linalg.norm(a, axis=-1), sq, tell=True)
every(lambda a: np.linalg.norm(a, 1), sq, tell=True)
every(lambda a: np.linalg.norm(a, 'nuc'), sq, tell=True)
every(lambda a: np.linalg.multi_dot([a, a, a]), sq, tell=True)
every(lambda a: np.linalg.tensorinv(a, ind=1), [x for x in sq if '0-d' not in x[0]], tell=True)
every(lambda a: np.linalg.cross(a, a + 1), sq, tell=True)
every(lambda a: np.linalg.diagonal(a), sq, tell=True)
every(lambda a: np.linalg.trace(a), sq, tell=True)
every(lambda a: np.linalg.vecdot(a, a), sq, tell=True)
every(lambda a: np.linalg.vector_norm(a), sq, tell=True)
every(lambda a: np.linalg.matrix_norm(a), sq, tell=True)

# --- fft.fft
one_axis(np.fft.fft)

# --- fft.ifft
one_axis(np.fft.ifft)

# --- fft.rfft
one_axis(np.fft.rfft)

# --- fft.irfft
one_axis(np.fft.irfft)

# --- fft.hfft
one_axis(np.fft.hfft)

# --- fft.ihfft
one_axis(np.fft.ihfft)

# --- fft.fft2
axes(np.fft.fft2)

# --- fft.ifft2
axes(np.fft.ifft2)

# --- fft.rfft2
axes(np.fft.rfft2)

# --- fft.irfft2
axes(np.fft.irfft2)

# --- fft.fftn
axes(np.fft.fftn)

# --- fft.ifftn
axes(np.fft.ifftn)

# --- fft.rfftn
axes(np.fft.rfftn)

# --- fft.irfftn
axes(np.fft.irfftn)

# --- fft.fftshift
every(np.fft.fftshift, [x for x in finite if x[1].ndim], tell=True)

# --- fft.ifftshift
every(np.fft.ifftshift, [x for x in finite if x[1].ndim], tell=True)

# --- empty reductions and wrong arguments
for f in (np.min, np.max, np.argmin, np.argmax, np.ptp, np.median, np.mean, np.prod, np.nanmax, np.nanargmax, np.amin):
    every(f, [('empty', np.zeros(0)), ('0x3', np.zeros((0, 3))), ('3x0', np.zeros((3, 0), int))], tell=True)
    every(lambda a: f(a, axis=1), [('0x3', np.zeros((0, 3))), ('3x0', np.zeros((3, 0)))], tell=True)
    every(lambda a: f(a, axis=(0, 0)), [('2-d', np.ones((2, 2)))], tell=True)
    every(lambda a: f(a, axis='x'), [('2-d', np.ones((2, 2)))])

# --- results with names are tuples
a = np.array([[2.0, 1], [1, 3]])
for r in (
    np.linalg.svd(a),
    np.linalg.eigh(a),
    np.linalg.eig(a),
    np.linalg.qr(a),
    np.linalg.slogdet(a),
    np.unique_counts(a),
    np.unique_inverse(a),
    np.unique_all(a),
):
    print(type(r).__name__, isinstance(r, tuple), isinstance(r, (list, dict)), r._fields, len(r), type(r[:2]).__name__)
    x, *rest = r
    print(
        np.array_equal(x, r[0]), len(rest), [np.array_equal(getattr(r, name), r[k]) for k, name in enumerate(r._fields)]
    )
    try:
        r[9]
    except IndexError as e:
        print(e)
    try:
        (x,) = r
    except ValueError as e:
        print(e)

# --- running sums of negative zeros
for n in (0, 1, 3, 10, 1000, 100000):
    print(
        [
            np.signbit(x).all()
            for x in (
                np.cumsum(-np.zeros(n)),
                np.cumsum(-np.zeros(n, "f4")),
                np.cumsum(-np.zeros((3, n)), axis=1),
                np.cumsum(-np.zeros((n, 3)), axis=0),
                np.nancumsum(-np.zeros(n)),
            )
        ]
    )
print(
    np.cumsum([-0.0, -0.0, 1, -1, -0.0]),
    np.cumsum(-np.zeros(3, complex)),
    np.cumsum(-np.zeros(3, "c8")),
    np.cumsum(-np.zeros(3, "f2")),
)
print(np.sum(-np.zeros(3)), np.add.accumulate(-np.zeros(3)), np.sum(-np.zeros((3, 3)), axis=0))

# --- unwrap: multiples of the period, unsigned integers
print(
    np.unwrap([0, 1, 2, -1, 0], period=4),
    np.unwrap([2, 3, 4, 5, 2, 3, 4, 5], period=4),
    np.unwrap([0, 1, 2, 3, -2, 0, 3, 1], period=5),
)
print(
    np.unwrap([0.0, 1, 2, 3, -2, 0, 3, 1], period=5),
    np.unwrap(np.arange(12.0).reshape(3, 4) * 5, axis=0),
    np.unwrap([0.0, 4, 8], discont=5),
)
try:
    np.unwrap(np.array([0, 1, 2, 250], "u1"), period=5)
except OverflowError as e:
    print(e)


# --- odd operands of averages, medians and interpolation
from showing import tell

for axis in (0, -1, 2, (0, 1), (0, 0)):
    tell(lambda: np.average([[1.0, 2], [3, 4]], axis=axis))
tell(lambda: np.average([[1.0, 2], [3, 4]], axis=1, weights=[1, 2], returned=True))
tell(lambda: np.average([], weights=[]))
for method in ("lower", "nearest", "inverted_cdf", "midpoint", "hazen"):
    tell(lambda: np.quantile([True, False, True, True], 0.5, method=method))
tell(lambda: np.nanmedian(np.array([1 + 1j, np.nan, 3, 5 - 1j, complex(2, np.nan)])))
tell(lambda: np.nanmedian(np.array([[1, np.nan], [np.nan, np.nan], [1j, 3]], "c8"), axis=1))
tell(lambda: np.nanmedian(np.array([], complex)))
tell(lambda: np.interp([1.5], [1 + 0j, 2], [3, 4]))
tell(lambda: np.interp(np.array([1.5j]), [1, 2], [3, 4j]))
tell(lambda: np.interp([1.5], [1, 2], [3, 4j]))
tell(lambda: np.bincount([]))
tell(lambda: np.bincount(np.zeros(0)))

# --- shapes
for f in (
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.squeeze,
    np.ravel,
    np.transpose,
    np.copy,
    np.asanyarray,
    np.asfortranarray,
    np.ascontiguousarray,
    np.zeros_like,
    np.ones_like,
    np.diagflat,
):
    every(f, tell=True)
for f in (np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.isscalar, np.isfortran):
    every(f)
every(lambda a: np.full_like(a, 3))
every(lambda a: np.astype(a, "c8"))
every(lambda a: np.asarray_chkfinite(a), tell=True)
every(lambda a: np.require(a, requirements="C"))

# --- axes
for f in (np.fliplr, np.flipud, np.matrix_transpose, np.unstack):
    every(f, tell=True)
for f in (
    lambda a: np.expand_dims(a, 1),
    lambda a: np.swapaxes(a, 0, -1),
    lambda a: np.moveaxis(a, 0, -1),
    lambda a: np.rollaxis(a, -1),
    lambda a: np.reshape(a, -1),
    lambda a: np.reshape(a, (2, -1)),
    lambda a: np.broadcast_to(a, (2,) + a.shape),
    lambda a: np.broadcast_to(a, (5,)),
):
    every(f, tell=True)

# --- joining and splitting
for f in (
    lambda a: np.hstack((a, a)),
    lambda a: np.vstack((a, a)),
    lambda a: np.dstack((a, a)),
    lambda a: np.block([[a, a]]),
    lambda a: np.split(a, 1),
    lambda a: np.split(a, 2),
    lambda a: np.broadcast_arrays(a, a[..., None]),
):
    every(f, tell=True)

# --- other names of ufuncs
for f in (
    np.acos,
    np.acosh,
    np.asin,
    np.asinh,
    np.atan,
    np.atanh,
    np.abs,
    np.conj,
    np.square,
    np.positive,
    np.bitwise_invert,
    np.bitwise_not,
):
    every(f)
for f in (np.fabs, np.deg2rad, np.rad2deg, np.modf, np.frexp):
    every(f, real)
for f in (lambda a: np.float_power(a, 2), lambda a: np.pow(a, 2), lambda a: np.true_divide(a, 3)):
    every(f, tame)
for f in (
    lambda a: np.mod(a, 3),
    lambda a: np.divmod(a, 3),
    lambda a: np.atan2(a, 2),
    lambda a: np.bitwise_left_shift(a, 1),
    lambda a: np.bitwise_right_shift(a, 1),
):
    every(f, real)

# --- products of matrices and vectors
for f in (
    lambda a: np.matmul(a, a.T),
    lambda a: np.vecdot(a, a),
    lambda a: np.vecmat(a, a.T),
    lambda a: np.matvec(a, a),
):
    every(f, [x for x in finite if x[0] != "?"], tell=True)

# --- polynomials
for f in (
    lambda a: np.polyadd(a, [1, 2]),
    lambda a: np.polysub(a, [1, 2]),
    lambda a: np.polymul(a, [1, 2]),
    np.polyder,
    np.polyint,
    lambda a: np.polyval(a, 2),
):
    every(f, [x for x in finite if x[1].ndim == 1 and x[0] != "? empty"])
every(lambda a: np.polydiv(a, [1, 2]), [x for x in finite if x[1].ndim == 1 and x[1].size])
every(lambda a: np.poly(a), [x for x in finite if x[1].ndim == 1 and x[0] != "? empty"])
every(lambda a: np.sort(abs(np.roots(a))).round(3), [x for x in finite if x[1].ndim == 1])

# --- sums and histograms of pairs
for f in (
    np.nancumprod,
    np.cumulative_sum,
    np.cumulative_prod,
    lambda a: np.cumulative_sum(a, axis=-1, include_initial=True),
    lambda a: np.cumulative_prod(a, axis=0),
):
    every(f, tame, tell=True)
every(lambda a: np.histogram2d(a.ravel(), a.ravel(), 3), [x for x in real if "nan" not in x[0] and x[1].size])
every(lambda a: np.histogramdd(a, 2)[0], [x for x in real if "nan" not in x[0] and x[1].size and x[1].ndim == 2])
every(lambda a: np.nanquantile(a, 0.3), no_half)
every(np.nanstd, no_half)
every(lambda a: np.round(a, 1))
every(np.i0, [x for x in real if x[0] != "f2"])
every(lambda a: np.apply_along_axis(np.sum, 0, a), tell=True)
every(lambda a: np.apply_over_axes(np.sum, a, 0), tell=True)

# --- indices of triangles, grids
for n in (0, 1, 3):
    for r in (
        np.tri(n),
        np.tri(n, n + 1, 1, dtype=int),
        np.diag_indices(n),
        np.tril_indices(n),
        np.triu_indices(n, -1, n + 2),
        np.mask_indices(n, np.triu),
        np.indices((n, 2)),
        np.indices((2, n), sparse=True),
        np.identity(n),
        np.hanning(n),
        np.hamming(n),
        np.bartlett(n),
        np.blackman(n),
        np.kaiser(n, 3),
        np.linspace(1, 2, n),
        np.geomspace(1, 8, n),
        np.logspace(0, 1, n),
    ):
        print(digest(r))
for a in (np.ones((3, 3)), np.ones((2, 3))):
    for f in (np.tril_indices_from, np.triu_indices_from, np.diag_indices_from):
        try:
            print(digest(f(a)))
        except ValueError as e:
            print(e)
for a in (np.arange(3), np.arange(0), np.array(2)):
    try:
        print(digest(np.meshgrid(a, a)), digest(np.meshgrid(a, a, indexing="ij", sparse=True)), digest(np.ix_(a, a)))
    except Exception as e:
        print(type(e).__name__, e)
