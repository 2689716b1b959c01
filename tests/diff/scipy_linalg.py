# scipy.linalg: differences from numpy.linalg, and functions that only SciPy has.
import numpy as np
import scipy.linalg as sl
from showing import numbers, show_scaled

def matrices():
    for n in (1, 2, 5, 40):
        a = numbers(n, n) + np.eye(n)
        for t in (float, 'f4', complex, int):
            yield a.astype(t) if t is not int else (a * 9).astype(int) + 20 * np.eye(n, dtype=int)
        yield a + 1j * numbers(n, n).T


def show(name, f, percent=1e-6):
    show_scaled(name, f, first=12, floor=1e-3, percent=percent)


# --- factorizations and linear systems (scipy 1.17 and before 1.18)
for a in matrices():
    n = len(a)
    # Also of results in double precision: factors and products of a are not.
    percent = 5e-3 if a.dtype == 'f4' else 1e-6
    b, b2 = numbers(n), numbers(n, 2)
    show('lu_factor', lambda: sl.lu_factor(a), percent)
    if n > 1:
        show('lu', lambda: sl.lu(a), percent)
        show('lu', lambda: sl.lu(a, permute_l=True), percent)
        show('lu', lambda: sl.lu(a, p_indices=True), percent)
    for trans in (0, 1, 2):
        show('lu_solve', lambda: sl.lu_solve(sl.lu_factor(a), b, trans), percent)
        show('lu_solve', lambda: sl.lu_solve(sl.lu_factor(a), b2, trans), percent)
    for lower in (False, True):
        for trans in (0, 1, 2, 'N', 'T', 'C'):
            for unit in (False, True):
                show('triangular', lambda: sl.solve_triangular(a, b, trans, lower, unit), percent)
                show('triangular', lambda: sl.solve_triangular(a, b2, trans, lower, unit), percent)
        p = a @ a.conj().T + n * np.eye(n)
        show('cholesky', lambda: sl.cholesky(p, lower), percent)
        show('cho', lambda: sl.cho_factor(p + np.triu(a, 1), True), percent)
        show('cho', lambda: sl.cho_solve(sl.cho_factor(p, lower), b), percent)
        show('cho', lambda: sl.cho_solve(sl.cho_factor(p, lower), b2), percent)
        for kind in ('gen', 'sym', 'her', 'pos', 'upper triangular', 'lower triangular'):
            show(kind, lambda: sl.solve(p, b, lower=lower, assume_a=kind), percent)
    show('solve', lambda: sl.solve(a, b), percent)
    show('solve', lambda: sl.solve(a, b2), percent)
    show('inv', lambda: sl.inv(a), percent)
    show('svdvals', lambda: sl.svdvals(a), percent)
    show('eigh', lambda: sl.eigvalsh(a), percent)
    show('eigh', lambda: sl.eigvalsh(p, p + a.conj().T @ a), percent)
    show('norm', lambda: sl.norm(a), percent)
    show('solve', lambda: sl.solve(a.real, b, transposed=True), percent)
    show('expm', lambda: sl.expm(a), percent)
    show('expm', lambda: sl.expm(-a / 7), percent)
    show('sum', lambda: np.sort_complex(sl.eigvals(a)).sum(), percent)
    show('subset', lambda: sl.eigh(p, eigvals_only=True, subset_by_index=[0, n // 2]), percent)
    show('subset', lambda: sl.eigh(p, eigvals_only=True, subset_by_value=[n, 2 * n]), percent)
    w, v = sl.eigh(p, p + np.eye(n))
    show('vectors', lambda: abs(p @ v - (p + np.eye(n)) @ v * w).max() < 1e-2, percent)
    show('unit', lambda: (v.conj().T @ (p + np.eye(n)) @ v).real.round(2), percent)
    w, v = sl.eig(a)
    show('vectors', lambda: (w.dtype.itemsize, abs(a @ v - v * w).max() < 1e-2 * abs(w).max()), percent)
    r = sl.sqrtm(p)
    show('sqrtm', lambda: abs(r @ r - p).max() < 1e-2, percent)
    show('logm', lambda: abs(sl.expm(sl.logm(p)) - p).max() < 1e-2 * n * n, percent)

# --- rectangular matrices, singular values (scipy 1.17)
for m, n in ((2, 5), (5, 2), (1, 3), (3, 1), (30, 20), (20, 30)):
    a = numbers(m, n) - 0.4
    show('lu_factor', lambda: sl.lu_factor(a))
    show('lu', lambda: sl.lu(a))
    show('lu', lambda: sl.lu(a, True))
    show('pinv', lambda: sl.pinv(a))
    show('pinv', lambda: sl.pinv(a, return_rank=True))
    show('pinv', lambda: sl.pinv(a, rtol=0.5, return_rank=True))
    show('lstsq', lambda: sl.lstsq(a, numbers(m)))
    show('lstsq', lambda: sl.lstsq(a, numbers(m, 2)))
    show('qr', lambda: [abs(x).round(8) for x in sl.qr(a, mode='economic')][1])
    show('qr', lambda: sl.qr(a)[0].shape + sl.qr(a)[1].shape)
    show('r', lambda: abs(sl.qr(a, mode='r')[0]))
    show('null', lambda: sl.null_space(a).shape)
    show('null', lambda: abs(a @ sl.null_space(a)).max(initial=0) < 1e-9)
    q = sl.orth(a)
    show('orth', lambda: abs(q @ (q.T @ a) - a).max() < 1e-9)
    u, p = sl.polar(a)
    show('polar', lambda: (abs(u @ p - a).max() < 1e-9, p.shape))
    show('polar', lambda: sl.polar(a, 'left')[1].shape)

# --- matrices of a kind (scipy 1.17)
for c in ([1, 2, 3], [1.5, 2], [1 + 2j, 3, 4j], [7]):
    show('toeplitz', lambda: sl.toeplitz(c))
    show('toeplitz', lambda: sl.toeplitz(c, [9, 8, 7, 6.5]))
    show('block', lambda: sl.block_diag(c, [c], 5))
    show('block', lambda: sl.block_diag(np.ones((2, 3)), [], [c] * 2))
for n in (1, 4):
show('block', lambda: sl.block_diag())
show('tridiagonal', lambda: sl.eigh_tridiagonal(np.arange(6.0), np.ones(5), True))
show('tridiagonal', lambda: sl.eigh_tridiagonal(np.arange(6.0), np.ones(5), True, 'i', [1, 3]))
show('tridiagonal', lambda: sl.eigh_tridiagonal(np.arange(6.0), np.ones(5), True, 'v', [1, 3.5]))
for n, l, u in ((6, 1, 1), (6, 2, 1), (6, 0, 2), (50, 3, 2), (2, 1, 1)):
    ab = numbers(l + u + 1, n)
    ab[u] += 3
    show('banded', lambda: sl.solve_banded((l, u), ab, numbers(n)))
    show('banded', lambda: sl.solve_banded((l, u), ab, numbers(n, 2)))

# --- errors (scipy 1.17 and before 1.18)
a, one = numbers(3, 3), np.ones((2, 2))
for f in (
    lambda: sl.inv(one),
    lambda: sl.solve(one, [1, 2]),
    lambda: sl.cholesky(-np.eye(2)),
    lambda: sl.cholesky([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]]),
    lambda: sl.solve_triangular(np.zeros((2, 2)), [1, 2]),
    lambda: sl.solve_triangular([[1.0, 2], [0, 0]], [1, 2]),
    lambda: sl.inv([[1, np.nan], [0, 1]]),
    lambda: sl.det([[np.inf, 1], [0, 1]]),
    lambda: sl.norm([np.nan]),
    lambda: sl.inv(a[:2]),
    lambda: sl.solve(a, [1, 2]),
    lambda: sl.solve(a[:2], [1, 2]),
    lambda: sl.cholesky(a[:2]),
    lambda: sl.expm(a[:2]),
    lambda: sl.qr(a, mode='bogus'),
    lambda: sl.eigvalsh(np.eye(2), -np.eye(2)),
    lambda: sl.solve(a, a[0], assume_a='bogus'),
    lambda: sl.eigh(a, subset_by_index=[2, 5]),
    lambda: sl.lstsq(a, [1.0, 2]),
    lambda: sl.solve_banded((1, 1), a, [1.0, 2]),
):
    show('refused', f)

# --- parts of a matrix that are looked at, and stacks of matrices (scipy 1.17)
for a in (numbers(6, 6) + np.eye(6), numbers(6, 6) + np.eye(6) * 2 + 1j * numbers(6, 6).T):
    for kind in ('diagonal', 'tridiagonal', 'banded', 'sym', 'her', 'upper triangular'):
        for lower in (False, True):
            show(kind, lambda: sl.solve(a, numbers(6), assume_a=kind, lower=lower))
            show(kind, lambda: sl.solve(a, numbers(6, 2), assume_a=kind, lower=lower))
show('not definite', lambda: sl.solve(-np.eye(2), [1.0, 2], assume_a='pos'))
for a in (numbers(3, 4, 4) + np.eye(4), numbers(2, 3, 4, 4) + 1j * np.eye(4)):
    show('vector', lambda: sl.solve(a, numbers(4)))
    show('columns', lambda: sl.solve(a, numbers(4, 2)))
    for kw in ({}, {'permute_l': True}, {'p_indices': True}):
        show('lu', lambda: sl.lu(a, **kw))
        show('lu', lambda: sl.lu(a[..., :3], **kw))
        show('lu', lambda: sl.lu(a[..., :3, :], **kw))
    show(
        'null',
        lambda: (sl.null_space(a[..., :2, :]).shape, abs(a[..., :2, :] @ sl.null_space(a[..., :2, :])).max() < 1e-9),
    )
    show('orth', lambda: abs(sl.orth(a[..., :2])))
    show('polar', lambda: sl.polar(a)[1])
    show('left', lambda: sl.polar(a, 'left')[0])
    show('sqrtm', lambda: abs(sl.sqrtm(a) @ sl.sqrtm(a) - a).max() < 1e-9)
    show('logm', lambda: abs(sl.expm(sl.logm(a)) - a).max() < 1e-9)
    show('kinds', lambda: sl.toeplitz(a[..., 0]))
    show('kinds', lambda: sl.toeplitz(a[..., 0], a[..., 1, :3]))

# --- triangles of which only they are read, by halves and in stacks (scipy 1.17)
for n in (7, 64, 65, 130):
    a = numbers(n, n) / n + np.eye(n)
    for lower in (False, True):
        for unit in (False, True):
            other = a.copy()
            other[(np.triu_indices if lower else np.tril_indices)(n, 1 if lower else -1)] = np.nan
            if unit:
                np.fill_diagonal(other, np.inf)
            for trans in (0, 1, 2):
                show(
                    (n, lower, unit, trans),
                    lambda: sl.solve_triangular(other, numbers(n), trans, lower, unit, check_finite=False),
                )
                show(
                    'columns',
                    lambda: sl.solve_triangular(
                        other + 1j * a.T, numbers(n, 9), trans, lower, unit, check_finite=False
                    )[-12:, 4],
                )
                show(
                    'columns',
                    lambda: sl.solve_triangular(
                        other.astype('f4'), numbers(n, 3), trans, lower, unit, check_finite=False
                    )[:, 1],
                )
show('stack', lambda: sl.solve_triangular(numbers(2, 5, 5) + 1, numbers(2, 5, 3), lower=True))
show('none', lambda: sl.solve_triangular(np.eye(3), np.ones((3, 0))).shape)

# --- by factors, in any layout (scipy 1.17 and before 1.18)
A = ((np.arange(49) * 7 % 23) - 5.0).reshape(7, 7) + 12 * np.eye(7)
B = (np.arange(21) * 5 % 13 - 4.0).reshape(7, 3)
layouts = (
    lambda m: m,
    lambda m: m.T.copy().T,
    lambda m: np.repeat(np.repeat(m, 2, 0), 2, 1)[::2, ::2],
    lambda m: m[::-1, ::-1].copy()[::-1, ::-1],
)
for t in ('f8', 'f4', 'c16', 'c8'):
    for k, lay in enumerate(layouts):
        a = lay((A + (1j * A[::-1] if t[0] == 'c' else 0)).astype(t))
        b = B.astype(t)
        for r in (b[:, 0], b, b.T.copy().T):
            for way in (0, 1, 2, 'N', 'T', 'C'):
                for lower in (False, True):
                    show(('triangle', t, k, way, lower), lambda: sl.solve_triangular(a, r, way, lower))
                    show('unit', lambda: sl.solve_triangular(a / 8, r, way, lower, True))
            for way in (0, 1, 2):
                show(('lu', t, k, way), lambda: sl.lu_solve(sl.lu_factor(a), r, way))
                show('laid out', lambda: sl.lu_solve((lay(sl.lu_factor(a)[0]), sl.lu_factor(a)[1]), r, way))
            for lower in (False, True):
                show(('cholesky', t, k), lambda: sl.cho_solve(sl.cho_factor(lay(a @ a.conj().T), lower), r))
n = 200
M = (np.arange(n * n) * 7919 % 1009 / 1009.0 - 0.5).reshape(n, n) + 9 * np.eye(n)
N = (np.arange(n * 30) * 31 % 17 - 8.0).reshape(n, 30)
for way in (0, 1, 2):
    for lower in (False, True):
        show(('large', way, lower), lambda: M @ sl.solve_triangular(M, N, way, lower))
        show('rows', lambda: sl.solve_triangular(M.T, N.astype('f4'), way, lower))
        show('complex', lambda: sl.solve_triangular(M + 1j * M.T, N, way, lower))
        show('vector', lambda: sl.solve_triangular(M, N[:, 0], way, lower))
    show('lu', lambda: sl.lu_solve(sl.lu_factor(M), N, way))
for lower in (False, True):
    show('cholesky', lambda: sl.cho_solve(sl.cho_factor(M @ M.T, lower), N))
stack = np.stack([A, A + 1, 2 * A])
show('stack', lambda: sl.solve_triangular(stack, np.stack([B, B + 1, 3 * B]), lower=True))
show('stack', lambda: sl.solve_triangular(np.moveaxis(np.moveaxis(stack, 0, -1).copy(), -1, 0), np.stack([B] * 3)))
for way in (0, 1, 2):
    for r in (B, B[:, 0], np.stack([B, B + 1, 3 * B])):
        show(('lu of a stack', way), lambda: sl.lu_solve(sl.lu_factor(stack[::-1]), r, way))
        show('one of', lambda: sl.lu_solve(sl.lu_factor(A), r, way))
        show('cholesky', lambda: sl.cho_solve(sl.cho_factor(stack @ stack.swapaxes(1, 2)), r))

# --- bands (scipy 1.17)
for t in ('f8', 'f4', 'c16', 'c8', 'i4'):
    for below in range(4):
        for above in range(4):
            ab = ((np.arange((below + above + 1) * 9) * 7 % 23) - 11.0).reshape(-1, 9).astype(t)
            ab[above] += 41
            if t[0] == 'c':
                ab = (ab * (1 + 0.3j)).astype(t)
            for b in (
                np.arange(9).astype(t),
                (np.arange(18) % 5).reshape(9, 2).astype(t),
                (np.arange(18) % 5).reshape(2, 9).astype('f4').T,
            ):
                show((t, below, above), lambda: sl.solve_banded((below, above), ab, b))
show('turned', lambda: sl.solve_banded((1, 1), (np.arange(15.0).reshape(5, 3) + 4 * (np.arange(3) == 1)).T, np.ones(5)))
show('one', lambda: sl.solve_banded((1, 1), np.ones((3, 1)), np.ones(1)))
show('diagonal', lambda: sl.solve_banded((0, 0), np.full((1, 3), 2.0), np.ones(3)))
show('no columns', lambda: sl.solve_banded((1, 1), np.ones((3, 4)), np.ones((4, 0))))
show('singular', lambda: sl.solve_banded((1, 1), np.zeros((3, 4)), np.ones(4)))
show('length', lambda: sl.solve_banded((1, 1), np.ones((3, 4)), np.ones(5)))
show('rows', lambda: sl.solve_banded((2, 1), np.ones((3, 4)), np.ones(4)))

# --- factorizations that raise (scipy 1.17)
z = np.triu((np.arange(49) * 7 % 23 - 5.0).reshape(7, 7) + 12 * np.eye(7))
z[3, 3] = z[5, 5] = 0
show('triangle', lambda: sl.solve_triangular(z, np.ones(7)))
show('many', lambda: sl.solve_triangular(z.T, np.ones((7, 9)), lower=True))
show('unit', lambda: sl.solve_triangular(z, np.ones(7), unit_diagonal=True))
show('none', lambda: sl.solve_triangular(z, np.ones((7, 0))))
show('none', lambda: sl.solve_triangular(np.zeros((0, 0)), np.ones((0, 2))))
show('nan', lambda: sl.solve_triangular(np.eye(7), np.full(7, np.nan)))
