/* Library calls (BLAS, LAPACK, FFT, sort, sparse): a tagged union that the executor passes to a
 * backend.
 *
 * The arm describes a call completely; arrays are bindings (offset and strides in elements). A call
 * that the backend's lib_can rejects runs in host memory (runtime/host/host.h). */
#ifndef GPA_IR_LIBCALL_H
#define GPA_IR_LIBCALL_H

#include <stddef.h>

#include "runtime/backend.h"
#include "runtime/tables/precision.h"

typedef enum {
#define LIB(id, ...) LIB_##id,
#include "runtime/tables/lib.def"
#undef LIB
    LIB_COUNT
} gpa_lib_kind;

enum { LIB_MATRICES = 4, LIB_OPERANDS = 7 }; /* of a call: matrices, and operands at most */

/* The mask of an attention: none, added to the scores, or bool: false hides a key. */
typedef enum { ATTENTION_NO_MASK, ATTENTION_ADD, ATTENTION_SELECT } gpa_attention_mask;
enum { ATTENTION_BATCH_DIMS = KIR_MAX_DIMS - 2 };

/* A sparse matrix in CSR, its arrays named as SciPy does: row i has the values
 * data[indptr[i]] .. data[indptr[i + 1] - 1], in the columns `indices`, nnz in all. indptr and
 * indices are int32; everything is contiguous. */
typedef struct {
    int64_t rows, cols, nnz;
    gpa_binding indptr, indices, data;
} gpa_csr;

typedef struct gpa_libcall {
    gpa_lib_kind kind;
    gpa_dtype dtype;
    union {
        /* GEMM: C[b] = A[b] @ B[b] for every b < batch: A is m x k, B k x n, C m x n. stride[0] is
         * that of the batch, stride[1] of rows, stride[2] of columns; matrices of C are
         * contiguous, and on a GPU stride[0] elements apart, else adjacent. On tensor
         * cores only: float32 products in another precision; `widen`, halves whose product is
         * float32; `accumulate`, a product that is added to C. */
        struct {
            int64_t batch, m, n, k;
            gpa_precision precision;
            bool widen, accumulate;
            gpa_binding a, b, c;
        } gemm;
        /* ATTENTION: softmax(Q K' scale + mask) V for each index of a batch of `n_batch`
         * dimensions: Q is m x dk, K n x dk, V n x dv, the mask m x n. Strides of the batch come
         * first (0: broadcast), then those of rows and columns; `out` is contiguous. Causal: query
         * i sees the keys j <= i + diagonal, and elements of V that no query of a tile sees need
         * not be read. A row without a visible key is NaN. The floats of the computation are
         * dtype_info[dtype].compute. */
        struct {
            int64_t m, n, dk, dv;
            int n_batch;
            int64_t extent[ATTENTION_BATCH_DIMS];
            double scale;
            bool causal;
            int64_t diagonal;
            gpa_attention_mask mask_form;
            gpa_binding q, k, v, mask, out;
        } attention;
        /* SORT, ARGSORT: `rows` rows of n elements, ascending, NaN last, stable. `out` holds int64
         * indices for ARGSORT. With n_kth > 0 a partition: only the elements at the indices kth,
         * ascending, are in sorted position, with smaller ones before them. stride 0: rows are
         * contiguous; else consecutive elements of a row are `stride` elements apart, and so many
         * rows are interleaved. */
        struct {
            int64_t rows, n, stride;
            gpa_binding in, out;
            const int64_t *kth;
            int n_kth;
        } sort;
        /* SEARCHSORTED: for each of `count` values v the number of the n ascending elements a
         * before it: those smaller, with `right` also those equal; NaN counts as the largest. All
         * contiguous; out is int64. */
        struct {
            int64_t n, count;
            bool right;
            gpa_binding a, v, out;
        } search;
        /* ARGMINMAX: the index of the first maximum (`max`) or minimum of each of `rows` rows of n
         * elements, n > 0; the first NaN wins. All contiguous; out is int64. */
        struct {
            int64_t rows, n;
            bool max;
            gpa_binding in, out;
        } argminmax;
        /* FFT: discrete Fourier transforms with the sign -1, or +1 for the inverse, over the first
         * `rank` dimensions of a space of `ndim`, batched over the others. n are the extents of the
         * space, those of the real side for R2C (always forward) and C2R (always inverse, rank 1);
         * the complex side of the last transformed dimension then has n/2 + 1. dtype is the complex
         * one. C2C may be in place (in and out the same layout). Results are not scaled, and C2R
         * may overwrite `in`; with `scaled`, which a library need not support, results are
         * multiplied by `scale` and `in` is preserved. */
        struct {
            gpa_fft_form form;
            bool inverse, scaled;
            double scale;
            int rank, ndim;
            int64_t n[KIR_MAX_DIMS];
            gpa_binding in, out;
        } fft;
        /* DCT: the discrete cosine transform, or with `dst` the sine transform, of type 1 to 4,
         * along the first dimension of a space of `ndim`, batched over the others, multiplied by
         * `scale`; SciPy's definition without normalization, and its `orthogonalize`. dtype is
         * real; in and out do not overlap. */
        struct {
            int type;
            bool dst, orthogonalize;
            double scale;
            int ndim;
            int64_t n[KIR_MAX_DIMS];
            gpa_binding in, out;
        } dct;
        /* SOLVE_FACTORED: X of A X = B for each of `batch` n x n matrices given by their factors;
         * trans 1: of A^T X = B, 2: of A^H X = B. `a` is only read: stride[0] is that of the batch,
         * stride[1] of rows, stride[2] of columns. x: n x k in Fortran order, contiguous: B, then
         * X. info becomes the index, from 1 on, of a zero on the diagonal, -1 for a pivot out of
         * bounds, or 0. */
        struct {
            gpa_factorization form;
            int trans;
            bool upper, unit;
            int64_t batch, n, k;
            gpa_binding a, pivots, x; /* pivots of LU: n int32 for each matrix, from 0 */
            int32_t *info;
        } solve_factored;
        /* SOLVE_BANDED: X of A X = B for an n x n matrix with kl subdiagonals and ku
         * superdiagonals: kl + ku + 1 rows of n, the uppermost diagonal first, each element in its
         * column; they are overwritten. x: n x k in Fortran order: B, then X. info: LAPACK's. */
        struct {
            int64_t kl, ku, n, k;
            gpa_binding bands, x;
            int32_t *info;
        } solve_banded;
        /* SPMM: Y = A X for a matrix in CSR and a dense one of A.cols x k in C order. */
        struct {
            gpa_csr a;
            int64_t k;
            gpa_binding x, y;
        } spmm;
        /* SPGEMM: C = A B of two matrices in CSR. `indptr` gets that of C; once the number of its
         * values is known, `allocate` allocates them and their columns, which will ascend in each
         * row. */
        struct {
            gpa_csr a, b;
            gpa_binding indptr;
            gpa_code (*allocate)(void *owner, int64_t nnz, gpa_binding *indices, gpa_binding *data,
                                 gpa_err *e);
            void *owner;
        } spgemm;
        /* SPARSE_TRANSPOSE: COO to CSC by a stable counting sort: of `nnz` entries, whose columns
         * `col` are below `cols`, those of column k become to_data[indptr[k]] ..
         * to_data[indptr[k + 1] - 1], their rows `indices`. All but the values are int32;
         * everything is contiguous. Without rows the memory of `row` is NULL. */
        struct {
            int64_t cols, nnz;
            gpa_binding col, row, data, indptr, indices, to_data;
        } transpose;
        /* LU to LSTSQ: `batch` matrices in Fortran order, contiguous; x[i] is the memory of one
         * array of all of them, with dtype and size as lib.def says. Arrays that the call reads are
         * overwritten. p = min(m, n).
         *
         *   LU        x[0] A, then L and U
         *             x[1] pivots, from 1
         *   SOLVE     x[0] A in C order; x[1] B, then X
         *   INVERSE   x[0] A in C order, then its inverse
         *   CHOLESKY  x[0] A, then L below the diagonal, or with `upper` U above it; the other
         *             triangle is undefined
         *   QR        x[0] A, then R above the diagonal and the reflectors below it
         *             x[1] p factors of the reflectors; x[2] m x k: Q (NULL: not wanted)
         *   SVD       x[0] A, m >= n; x[1] n singular values
         *             x[2] m x u: U (NULL: values only; u = n, with `full` u = m); x[3] n x n: V^H
         *   EIGH      x[0] A, lower triangle, with `upper` the upper one; then the eigenvectors
         *             (undefined without `vectors`); x[1] n eigenvalues
         *   EIG       x[0] A; x[1] n complex eigenvalues; x[2] n x n: vectors (NULL: values only);
         *             of a conjugate pair of a real matrix the real part, then the imaginary part
         *   LSTSQ     x[0] A; x[1] max(m, n) x k: B, then X and the residual components
         *             x[2] p singular values; x[3] rank: those beyond `rcond` times the first */
        struct {
            int64_t batch, m, n, k;
            bool upper, full, vectors;
            double rcond;
            gpa_mem *x[LIB_MATRICES];
            int32_t *info;     /* set to the first nonzero info of LAPACK, else to 0 */
            bool *ignores_nan; /* set by LU and SOLVE of a library that ignores NaN */
        } matrix;
    };
} gpa_libcall;

/* A device's implementation of a call: its lib_can and lib_run index a table of these by kind. */
typedef struct {
    bool (*can)(gpa_dev *d, const gpa_libcall *c);
    gpa_code (*run)(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
} gpa_lib_impl;

/* ---- operands ---- */

/* An operand of a call, as lib.def describes it. */
typedef enum { LIB_ABSENT, LIB_READ, LIB_UPDATE, LIB_RESULT } lib_access;
/* Shape rules besides a number of dimensions: by the array function, or that of operand ndim -
 * LIB_LIKE. */
enum { LIB_GIVEN = -1, LIB_LIKE = 16 };
typedef struct {
    lib_access access;
    gpa_dtype dtype;
    int ndim;
    int64_t shape[2]; /* of each matrix of the batch; 1 behind ndim */
    size_t binding;   /* its offset in gpa_libcall; 0: x[i] of the matrix arm */
} lib_operand;

/* True for the calls of the matrix arm. */
static inline bool lib_has_matrices(gpa_lib_kind kind) {
    return kind >= LIB_LU && kind <= LIB_LSTSQ;
}

/* Operand i of a call; LIB_ABSENT behind the last one. */
static inline lib_operand lib_operand_of(const gpa_libcall *c, int i) {
    const bool full = lib_has_matrices(c->kind) && c->matrix.full;
    const int64_t m = c->matrix.m, n = c->matrix.n, k = c->matrix.k, u = full ? m : n,
                  p = m < n ? m : n, q = m < n ? n : m;
    const gpa_dtype SAME = c->dtype, REAL = dtype_info[SAME].real,
                    COMPLEX = REAL == DT_F32 ? DT_C64 : DT_C128, INT32 = DT_I32, INT64 = DT_I64;
#define READ(t, b) \
    { LIB_READ, t, LIB_GIVEN, {0}, offsetof(gpa_libcall, b) }
#define UPDATE(t, b) \
    { LIB_UPDATE, t, LIB_GIVEN, {0}, offsetof(gpa_libcall, b) }
#define RESULT(t, b, ...) \
    { LIB_RESULT, t, __VA_ARGS__, offsetof(gpa_libcall, b) }
#define MATRIX_UPDATE(t, ...) \
    { LIB_UPDATE, t, __VA_ARGS__, 0 }
#define MATRIX_RESULT(t, ...) \
    { LIB_RESULT, t, __VA_ARGS__, 0 }
#define VECTOR(extent) \
    1, { extent, 1 }
#define MATRIX(rows, cols) \
    2, { rows, cols }
#define LIKE(operand) \
    LIB_LIKE + (operand), { 0 }
#define GIVEN \
    LIB_GIVEN, { 0 }
#define LIB(id, name, arm, host, failure, ...) \
    case LIB_##id: return ((const lib_operand[LIB_OPERANDS]){__VA_ARGS__})[i];
    switch (c->kind) {
#include "runtime/tables/lib.def"
        case LIB_COUNT: break;
    }
#undef LIB
#undef READ
#undef UPDATE
#undef RESULT
#undef MATRIX_UPDATE
#undef MATRIX_RESULT
#undef VECTOR
#undef MATRIX
#undef LIKE
#undef GIVEN
    return (lib_operand){.dtype = SAME};
}

/* The bytes of a call that describe it: those of its arm and what is before. */
static inline size_t lib_described_bytes(gpa_lib_kind kind) {
    switch (kind) {
#define LIB(id, name, arm, ...) \
    case LIB_##id:              \
        return offsetof(gpa_libcall, arm) + sizeof(((gpa_libcall *)0)->arm);
#include "runtime/tables/lib.def"
#undef LIB
        case LIB_COUNT: break;
    }
    return 0;
}

/* Its elements for each matrix of the batch; 0: the call has no such matrix. */
static inline int64_t lib_operand_size(const lib_operand *x) { return x->shape[0] * x->shape[1]; }

/* The binding of an operand; NULL: x[i] of the matrix arm. */
static inline gpa_binding *lib_operand_binding(gpa_libcall *c, const lib_operand *x) {
    return x->binding ? (gpa_binding *)(void *)((char *)c + x->binding) : NULL;
}

#endif
