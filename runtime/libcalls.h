/* Library calls on arrays: matrix products, FFT, factorizations and solvers, sparse matrices.
 *
 * The device's library (cuBLAS, OpenBLAS, cuFFT, ...) computes them or, where it has no such call,
 * the host. Conventions as in runtime.h. */
#ifndef GPA_LIBCALLS_H
#define GPA_LIBCALLS_H

#include "runtime/runtime.h"

/* numpy.matmul: stacks of matrices, vectors, integer dtypes. A product with far more elements than
 * its operands is pending; that of a pending softmax of such a product is attention. */
gpa_code arr_matmul(gpa_rt *rt, const gpa_opnd *a, const gpa_opnd *b, gpa_arr **out, gpa_err *e);

/* The operands of attention (borrowed). */
typedef struct {
    gpa_arr *q, *k, *v;
    gpa_arr *mask; /* bool: False hides a key; else added to the scores; NULL: none */
} arr_attention_operands;

typedef struct {
    double scale; /* multiplies q k' */
    bool causal;  /* query i sees the keys j <= i + diagonal */
    int64_t diagonal;
} arr_attention_opts;

/* Attention: softmax(q @ k' * scale + mask) @ v over the last axis of the scores, which are not
 * stored as a whole: q (..., m, d), k (..., n, d), v (..., n, e), the mask broadcast with
 * (..., m, n). Floats; integers become float64. GPA_E_VALUE for shapes that do not match. */
gpa_code arr_attention(gpa_rt *rt, const arr_attention_operands *x, const arr_attention_opts *o,
                       gpa_arr **out, gpa_err *e);

typedef struct {
    gpa_fft_form form;
    bool inverse; /* positive sign in the exponent */
    int n_axes;   /* at least 1, all distinct */
    int axes[GPA_MAX_DIMS];
    int64_t last;  /* the length of the last axis in the real domain (R2C, C2R) */
    double scale;  /* multiplies the result */
    gpa_arr *into; /* C2C: may be `a`; NULL: a new array */
} arr_fft_opts;

/* N-dimensional discrete Fourier transform over axes that are not empty, in float32 or float64.
 * `a` is float for R2C, float or complex for C2C, complex for C2R. */
gpa_code arr_fft(gpa_rt *rt, gpa_arr *a, const arr_fft_opts *o, gpa_arr **out, gpa_err *e);

typedef struct {
    int type;           /* 1 to 4 */
    bool dst;           /* sine transforms */
    bool orthogonalize; /* SciPy's option of that name */
    int axis;           /* not empty; DCT-I has at least 2 points */
    double scale;       /* multiplies the result */
} arr_dct_opts;

/* Discrete cosine or sine transform (SciPy's dct, dst) of float32 or float64 along an axis. *out
 * NULL: the device has no library for it. */
gpa_code arr_dct(gpa_rt *rt, gpa_arr *a, const arr_dct_opts *o, gpa_arr **out, gpa_err *e);

/* Matrix factorizations and solvers, for stacks (..., m, n) of float32, float64, complex64 or
 * complex128. Computed immediately, not recorded. GPA_E_LINALG in NumPy's words (singular, not
 * positive definite, no convergence). Below, "real dtype" is that of the matrix's real part, and
 * p = min(m, n). */

/* LU factorization of square matrices as LAPACK leaves it: the transpose of L below the diagonal
 * and U; pivots from 1, int32 (..., n). A singular matrix is not an error. */
gpa_code arr_lu(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_arr **pivots, gpa_err *e);
/* Solves A X = B for (..., n, n) and (..., n, k) of the same stack shape and dtype. */
gpa_code arr_solve(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_arr **out, gpa_err *e);
/* A matrix (..., n, n) given by its factors, of which only the triangles in use are read. */
typedef struct {
    gpa_factorization form;
    gpa_arr *a;
    gpa_arr *pivots;  /* of LU: n row indices from 0 */
    int trans;        /* solve 0: A X = B, 1: A^T X = B, 2: A^H X = B; 0 for Cholesky */
    bool upper, unit; /* the triangle (not LU); FACTORS_TRIANGLE: unit diagonal */
} arr_factored;

/* Solves A X = B for B (..., n, k) of the same stack shape and dtype. GPA_E_VALUE for pivots out of
 * range. *zero: the 1-based position of a zero on the diagonal, 0 if none. *out NULL: the device
 * has no library for it, or an operand is empty. */
gpa_code arr_solve_factored(gpa_rt *rt, const arr_factored *f, gpa_arr *b, gpa_arr **out,
                            int64_t *zero, gpa_err *e);
/* A banded matrix in the diagonal layout of SciPy's solve_banded, (kl + ku + 1, n), with kl
 * subdiagonals and ku superdiagonals. */
typedef struct {
    int64_t kl, ku;
    gpa_arr *bands;
} arr_banded;
/* Solves A X = B for B (n, k) of the same dtype. *out NULL: as above, or it cannot tell whether the
 * matrix is singular. */
gpa_code arr_solve_banded(gpa_rt *rt, const arr_banded *a, gpa_arr *b, gpa_arr **out, gpa_err *e);
/* Inverses of (..., n, n); by the host if the device's library has no such call. */
gpa_code arr_inverse(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);
/* Least squares (LAPACK gelsd): the minimum-norm X minimizing |B - A X| for an (m, n) matrix A
 * and B of max(m, n) rows, of which those beyond m are ignored. out[0]: X in the first n rows and,
 * if rank = n < m, the residuals in the others; out[1]: singular values (p); out[2]: the rank, the
 * number larger than `rcond` times the first (1, int32). out[0] NULL: the device's library has no
 * such call. */
gpa_code arr_lstsq(gpa_rt *rt, gpa_arr *a, gpa_arr *b, double rcond, gpa_arr **out, gpa_err *e);
/* Cholesky factor in the lower (or upper) triangle, the only one read; the other triangle is
 * undefined. */
gpa_code arr_cholesky(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **out, gpa_err *e);
/* QR: out[0]: R and the Householder reflectors (..., m, n); out[1]: their factors tau (..., p);
 * with `vectors` out[2]: the first k columns of Q. */
gpa_code arr_qr(gpa_rt *rt, gpa_arr *a, int64_t k, bool vectors, gpa_arr **out, gpa_err *e);
/* SVD: out[0]: singular values (real dtype); with vectors out[1]: U, out[2]: V^H. */
typedef enum { SVD_VALUES, SVD_REDUCED, SVD_FULL } arr_svd_form;
gpa_code arr_svd(gpa_rt *rt, gpa_arr *a, arr_svd_form form, gpa_arr **out, gpa_err *e);
/* Hermitian matrices, given by one triangle: ascending eigenvalues (real dtype) and eigenvectors
 * (v NULL: not wanted). */
gpa_code arr_eigh(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **w, gpa_arr **v, gpa_err *e);
/* Complex eigenvalues and right eigenvectors (v NULL: not wanted) in a's dtype: for a conjugate
 * pair of a real matrix, the real part and then the imaginary part (LAPACK's layout). */
gpa_code arr_eig(gpa_rt *rt, gpa_arr *a, gpa_arr **w, gpa_arr **v, gpa_err *e);
/* A sparse matrix by its arrays (borrowed), named as SciPy does. CSR: row i has the values
 * data[indptr[i]] .. data[indptr[i + 1] - 1], in the columns `indices`. CSC: the same by columns,
 * and `cols` is the number of rows. */
typedef struct {
    gpa_arr *indptr, *indices, *data;
    int64_t cols;
    bool canonical; /* known: the columns of each row strictly ascend, so none occurs twice */
} arr_csr;

/* DIA: diagonals, 2-d in rows as SciPy has them or 1-d, one after the other, each from its first
 * element in the matrix; their offsets, which ascend. */
typedef struct {
    gpa_arr *data, *offsets;
    int64_t rows, cols;
} arr_dia;

/* A CSR result is out[0 .. 2]: indptr, indices, data. After a failure `out` may hold some of them,
 * which the caller releases. Results of unknown size may have spare capacity behind the last
 * value.
 *
 * CSR times a vector or matrix x (SpMV, SpMM). The caller has checked that indptr and indices are
 * in range. */
gpa_code arr_spmm(gpa_rt *rt, const arr_csr *a, gpa_arr *x, gpa_arr **out, gpa_err *e);
/* CSR times CSR (SpGEMM), as CSR: a device's library sorts the columns of each row, the host drops
 * zeros. GPA_E_VALUE for a result of 2^31 values or more. */
gpa_code arr_spgemm(gpa_rt *rt, const arr_csr *a, const arr_csr *b, gpa_arr **out, gpa_err *e);
/* The functions below run on the host, for values of any dtype; GPA_E_VALUE for arrays that do not
 * fit each other. Where a dtype is not supported, *out stays NULL.
 *
 * *yes: the columns of each row strictly ascend. */
gpa_code arr_csr_is_canonical(gpa_rt *rt, const arr_csr *a, bool *yes, gpa_err *e);
/* Sorts the columns of each row (stable), with `sum_duplicates` also sums duplicates; as CSR with
 * spare capacity. For dtypes that can be summed. */
gpa_code arr_csr_sort_columns(gpa_rt *rt, const arr_csr *a, bool sum_duplicates, gpa_arr **out,
                              gpa_err *e);
/* Elementwise operation on two CSR matrices of one shape, over the union of their elements,
 * without zeros; as CSR with spare capacity. For an operation or dtype not supported here,
 * canonical matrices are aligned instead: data has the values of a and out[3] those of b, 0 where
 * absent. */
gpa_code arr_csr_binary(gpa_rt *rt, gpa_op op, const arr_csr *a, const arr_csr *b, gpa_arr **out,
                        gpa_err *e);
/* a[rows, :]; GPA_E_INDEX. */
gpa_code arr_csr_select_rows(gpa_rt *rt, const arr_csr *a, gpa_arr *rows, gpa_arr **out,
                             gpa_err *e);
/* a[rows, columns] elementwise, duplicates summed, for dtypes that can be summed. */
gpa_code arr_csr_gather(gpa_rt *rt, const arr_csr *a, gpa_arr *rows, gpa_arr *columns,
                        gpa_arr **out, gpa_err *e);
/* Positions of a[rows, columns] among the values of a canonical matrix, as int32 from 1, 0 for
 * absent ones. */
gpa_code arr_csr_gather_indices(gpa_rt *rt, const arr_csr *a, gpa_arr *rows, gpa_arr *columns,
                                gpa_arr **out, gpa_err *e);
/* CSC times a vector or matrix x; with `coo` indptr has the column of each value instead. */
gpa_code arr_spmm_csc(gpa_rt *rt, const arr_csr *a, bool coo, gpa_arr *x, gpa_arr **out,
                      gpa_err *e);
/* a[:, start:stop:step] by range[0 .. 2]; with spare capacity. GPA_E_VALUE for a step below 1. */
gpa_code arr_csr_slice_columns(gpa_rt *rt, const arr_csr *a, const int64_t *range, gpa_arr **out,
                               gpa_err *e);
/* a[:, columns], which may repeat; each row keeps its order of values; with spare capacity.
 * GPA_E_INDEX. */
gpa_code arr_csr_select_columns(gpa_rt *rt, const arr_csr *a, gpa_arr *columns, gpa_arr **out,
                                gpa_err *e);
/* The diagonal from column `offset`, or row -offset; column sums: for dtypes that can be summed.
 * Maxima or minima of the rows of a canonical matrix; argmax or argmin (the first one), as int64:
 * for ordered dtypes. */
gpa_code arr_csr_diagonal(gpa_rt *rt, const arr_csr *a, int64_t offset, gpa_arr **out, gpa_err *e);
gpa_code arr_csr_column_sums(gpa_rt *rt, const arr_csr *a, gpa_arr **out, gpa_err *e);
gpa_code arr_csr_row_minmax(gpa_rt *rt, const arr_csr *a, bool max, gpa_arr **out, gpa_err *e);
gpa_code arr_csr_row_argminmax(gpa_rt *rt, const arr_csr *a, bool max, gpa_arr **out, gpa_err *e);
/* indptr to the row index of each of nnz values; and the row and column of each value to indptr,
 * *out NULL if the (row, col) pairs do not strictly ascend. */
gpa_code arr_csr_row_indices(gpa_rt *rt, gpa_arr *indptr, int64_t nnz, gpa_arr **out, gpa_err *e);
gpa_code arr_coo_indptr(gpa_rt *rt, gpa_arr *row, gpa_arr *col, int64_t rows, gpa_arr **out,
                        gpa_err *e);
/* The transpose, with sorted columns; duplicates keep their order. */
gpa_code arr_csr_transpose(gpa_rt *rt, const arr_csr *a, gpa_arr **out, gpa_err *e);
/* The dense array of a CSR matrix (`transposed`: of its transpose), added to `addend` if not NULL;
 * and of a rows x cols COO matrix: rows, columns, values. Duplicates are summed; for dtypes that
 * can be summed. */
gpa_code arr_csr_to_dense(gpa_rt *rt, const arr_csr *a, bool transposed, gpa_arr *addend,
                          gpa_arr **out, gpa_err *e);
gpa_code arr_coo_to_dense(gpa_rt *rt, gpa_arr *const *coo, int64_t rows, int64_t cols,
                          gpa_arr **out, gpa_err *e);
/* DIA to CSR; zeros are dropped. */
gpa_code arr_dia_to_csr(gpa_rt *rt, const arr_dia *a, gpa_arr **out, gpa_err *e);
/* Sparse direct solver for an n x n matrix, n > 0. lu_order: a fill-reducing elimination order
 * (minimum degree) and the operations it takes. lu: the factors of a CSC matrix in this order:
 * the row permutation, then L and U in CSC, three arrays each; GPA_E_LINALG for a singular
 * matrix. lu_solve: given order, permutation and factors, the solution for a vector or the
 * columns of a matrix; `transposed`: of the transposed system. */
gpa_code arr_sparse_lu_order(gpa_rt *rt, const arr_csr *a, gpa_arr **out, gpa_err *e);
gpa_code arr_sparse_lu(gpa_rt *rt, const arr_csr *a, gpa_arr *order, gpa_arr **out, gpa_err *e);
gpa_code arr_sparse_lu_solve(gpa_rt *rt, gpa_arr *const *factors, gpa_arr *b, bool transposed,
                             gpa_arr **out, gpa_err *e);
/* hstack of at least one CSR matrix, of one dtype. */
gpa_code arr_csr_hstack(gpa_rt *rt, const arr_csr *blocks, int64_t count, gpa_arr **out,
                        gpa_err *e);
/* COO (columns, rows, values) to CSC by a stable counting sort. Rows NULL are neither read nor
 * returned. */
gpa_code arr_coo_to_csc(gpa_rt *rt, gpa_arr *const *coo, int64_t cols, gpa_arr **out, gpa_err *e);

#endif
