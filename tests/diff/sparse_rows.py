# Sparse matrices with unsorted rows, against SciPy: empty, short and long rows, duplicates, NaN. Results are compared with
# sorted indices.
import scipy.sparse as sp


def made(t, m, n, counts, seed=0, twice=False):
    starts = np.concatenate([[0], np.cumsum(counts)])
    k, row = np.arange(starts[-1]), np.repeat(np.arange(m), counts)
    column = (k - starts[row]) * 7 + row * 3 + seed  # 7 has no divisor in common with n: no column comes twice
    x = ((k + seed) * 7919 % 11 - 5).astype(t)
    if twice:
        column[::4] = row[::4]
    return sp.csr_matrix((x, (column % n).astype("i4"), starts.astype("i4")), (m, n))


def told(*all):
    for a in all:
        if not sp.issparse(a):
            a = np.asarray(a)
            print(a.dtype, a.shape, a.ravel().tolist())
            continue
        print(a.format, a.shape, a.dtype, a.nnz, end=" ")
        if a.format != "coo":
            a = a.sorted_indices()
            print(a.indptr[::9], (a.indices * (np.arange(a.nnz) % 97)).sum(), end=" ")
        print(
            a.toarray().sum(),
            (a.toarray() * (np.arange(a.shape[0]) % 13)[:, None]).sum(),
            a.toarray().sum(axis=0)[:20].tolist(),
        )


def shapes():
    return [
        (40, 50, np.arange(40) % 9),
        (30, 100, np.arange(30) * 3),
        (5, 900, np.array([300, 0, 1, 700, 33])),
        (1, 40, np.array([32])),
        (6, 6, np.array([6, 6, 6, 6, 6, 6])),
        (3, 8, np.zeros(3, int)),
    ]


# --- two matrices (scipy 1.10)
for t in ("f4", "i8", "f8", "i4", "c16"):
    for m, n, counts in shapes()[: 6 if t == "f4" else 1]:
        a, b = made(t, m, n, counts), made(t, m, n, counts[::-1], 4)
        told(a.multiply(b), a + b, a - b, b - a, a.multiply(a))
        if t != "c16":
            told(a.maximum(b), a.minimum(b))
        told(a.T.multiply(b.T), a + made("f4", m, n, counts, 9), a != b)

# --- duplicates (scipy 1.10)
for t in ("f4", "i8"):
    for m, n, counts in shapes()[: 6 if t == "f4" else 2]:
        a, b = made(t, m, n, counts, 1, True), made(t, m, n, counts[::-1], 2, True)
        told(a + b, a.multiply(b), a.copy().max(axis=0), a.copy().min(axis=1), a.sum(axis=0), a.tocsc(), a.tocoo())
        c = a.copy()
        c.sum_duplicates()
        told(c.data, c.indices, c.indptr)
        d = made(t, m, n, counts)
        d.sort_indices()
        told(d.data, d.indices, d.indptr)

# --- maxima and minima of columns (scipy 1.10)
for t in ("f4", "f8", "i4", "i8", "u2"):
    for m, n, counts in shapes()[: 6 if t == "f4" else 1]:
        a = made(t, m, n, counts)
        for x in (a, -abs(a) if t != "u2" else a, a.T, a.tocsc()):
            told(x.max(axis=0), x.min(axis=0), x.max(axis=1), x.max(), x.min())

# --- NaN (scipy 1.10)
with np.errstate(all="ignore"):
    for t in ("f4", "f8"):
        a, b = made(t, 6, 6, np.array([6, 6, 6, 6, 6, 6])), made(t, 6, 6, np.array([1, 2, 0, 4, 6, 3]), 2)
        a.data[[3, 8, 20]] = [np.nan, np.inf, -np.inf]
        a.data[[4, 9]] = -0.0
        for x in (a.multiply(b), b.multiply(a), a + b, a - a.copy()):
            told(x.nnz, np.nan_to_num(x.toarray(), nan=77, posinf=88, neginf=99))
        told(a.max(axis=0).toarray(), a.min(axis=0).toarray(), (-a).max(axis=0).toarray())
