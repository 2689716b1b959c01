"""Matrices for the tests of scipy.sparse, and helpers that print what it returns."""
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator


def data(m, n, dtype=float, seed=0):
    k = np.arange(m * n) + seed
    x = np.where(k * 7919 % 11 < 4, (k * 31 % 23 - 11) / 2, 0)
    if np.dtype(dtype).kind == "c":
        x = x + np.where(x != 0, 1j, 0)
    return x.reshape(m, n).astype(dtype)


forms = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
kinds = [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.coo_array]
all_kinds = [getattr(sp, f + "_" + k) for k in ("matrix", "array") for f in forms]
others = [k for k in all_kinds if k.__name__[:3] in ("lil", "dok", "dia", "bsr")]
filled = [k for k in all_kinds if k.__name__[:3] in ("lil", "dok")]


def rounded(x):
    return np.round(x, 6) if x.dtype.kind in "fc" else x


def tell(*fs):
    for f in fs:
        try:
            r = f()
        except Exception as e:
            print(type(e).__name__, e)
            continue
        if sp.issparse(r):
            print(type(r).__name__, r.format, r.shape, r.dtype, r.nnz, rounded(r.toarray()).tolist())
        elif hasattr(r, "shape") and hasattr(r, "dtype") and not isinstance(r, LinearOperator):
            r = np.asarray(r)
            print(r.dtype, r.shape, rounded(r).tolist())
        else:
            print(r)


def rows_in_no_order(kind, t, seed, counts):
    starts = np.concatenate([[0], np.cumsum(counts)])
    k = np.arange(starts[-1]) + seed
    x = sp.csr_matrix(
        ((k * 37 % 5 - 2).astype(t), (k * k * 31 % 97 % 13).astype(np.int32), starts.astype(np.int32)), (6, 13)
    )
    return (
        sp.csc_matrix((x.data, x.indices, x.indptr), (13, 6))
        if kind is sp.csc_matrix
        else kind((x.data, x.indices, x.indptr), (6, 13))
    )


def four(kind, t, counts):
    a, b = rows_in_no_order(kind, t, 1, counts), rows_in_no_order(kind, t, 3, counts[::-1])
    c, d = a.copy(), b.copy()
    c.sum_duplicates()
    d.sum_duplicates()
    return t, kind, a, b, c, d


def unordered():
    return [
        four(kind, t, np.array(counts))
        for t in ("i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16", "?")
        for counts in ([3, 0, 5, 1, 9, 2], [0, 20, 1, 40, 0, 2])
        for kind in (sp.csr_matrix, sp.csc_matrix, sp.csr_array)
    ]


def error(*fs):
    for f in fs:
        try:
            f()
            print("done")
        except Exception as e:
            print(type(e).__name__, e)
