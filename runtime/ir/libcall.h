/* Calls of libraries: a tagged union that the graph's executor hands to a backend.
 *
 * Every call is described completely by its own arm; arrays are given as bindings (offset and
 * strides in elements). A backend that cannot do a call says so through lib_can, and it is done in
 * host memory (runtime/host/host.h). */
#ifndef GPA_IR_LIBCALL_H
#define GPA_IR_LIBCALL_H

#include "runtime/backend.h"

typedef enum {
#define LIB(id, ...) LIB_##id,
#include "runtime/tables/lib.def"
#undef LIB
    LIB_COUNT
} gpa_lib_kind;

enum { LIB_MATRICES = 4 };

/* A sparse m x n matrix by rows: values at[start[i]] .. at[start[i + 1] - 1] of row i, `count` in
 * all, their columns in `column`. start and column are int32; everything is contiguous. */
typedef struct {
    int64_t m, n, count;
    gpa_binding start, column, at;
} gpa_csr;

typedef struct gpa_libcall {
    gpa_lib_kind kind;
    gpa_dtype dtype;
    union {
        /* C[b] = A[b] @ B[b] for every b < batch: A is m x k, B k x n, C m x n. stride[0] is the
         * batch's, stride[1] the row's, stride[2] the column's; C is contiguous. */
        struct {
            int64_t batch, m, n, k;
            gpa_binding a, b, c;
        } gemm;
        /* `rows` rows of n elements each, contiguous; from `in` to `out`, ascending, NaN last,
         * stable. `out` holds int64 indices for ARGSORT. With n_places > 0 only what is at these
         * places, ascending, has to be where sorting puts it, with what is smaller before it. With
         * `beside` so many rows at a time lie interleaved: an element of each side by side, then
         * the next of each. */
        struct {
            int64_t rows, n, beside;
            gpa_binding in, out;
            const int64_t *places;
            int n_places;
        } sort;
        /* SEARCH: for each of `count` values v, how many of the n ascending elements a stand before
         * it: those smaller, with `right` also those equal; NaN counts as the largest. All
         * contiguous; out is int64. */
        struct {
            int64_t n, count;
            bool right;
            gpa_binding a, v, out;
        } search;
        /* EXTREME: the place of the first of the largest (`most`) or smallest elements of each of
         * `rows` rows of n elements, n > 0; what is no number comes before all numbers. All
         * contiguous; out is int64. */
        struct {
            int64_t rows, n;
            bool most;
            gpa_binding in, out;
        } extreme;
        /* Discrete Fourier transforms with the sign -1, or +1 for the inverse, over the first
         * `rank` dimensions of a space of `ndim`, for every point of the others. n are the extents
         * of the space, those of the real side for R2C (always forward) and C2R (always inverse,
         * rank 1); the complex side of the last transformed dimension then has n/2 + 1. dtype is
         * the complex one. C2C may be in place (in and out the same layout). They are not scaled,
         * and C2R may overwrite `in`; but if `alone`, results are times `scale` and `in` stays as
         * it is, which a library need not be able to do. */
        struct {
            gpa_fft_form form;
            bool inverse, alone;
            double scale;
            int rank, ndim;
            int64_t n[KIR_MAX_DIMS];
            gpa_binding in, out;
        } fft;
        /* COSINES: the transform by cosines, or by `sines`, of type `kind`, 1 to 4, along the first
         * dimension of a space of `ndim`, for every point of the others, times `scale`: twice the
         * sum over all numbers, but for those that SciPy's dct counts once. `weighed`: as its
         * `orthogonalize`. dtype is a real one; in and out do not overlap. */
        struct {
            int kind;
            bool sines, weighed;
            double scale;
            int ndim;
            int64_t n[KIR_MAX_DIMS];
            gpa_binding in, out;
        } cosines;
        /* FACTORS: the solution of A X = B for each of `batch` n x n matrices, of what they were
         * factorized to; way 1: of A^T X, 2: A^H X = B. `a` is only read: stride[0] is the batch's,
         * stride[1] the row's, stride[2] the column's. x: n x k, by columns, one after the other:
         * B, then X. info is set to the place, from 1 on, of a zero on the diagonal, or to -1 for a
         * pivot that is no row, else to 0. */
        struct {
            gpa_factorization form;
            int way;
            bool upper, unit;
            int64_t batch, n, k;
            gpa_binding a;
            gpa_mem *pivots; /* of LU: n int32, from 0 */
            gpa_mem *x;
            int32_t *info;
        } factors;
        /* BANDED: the solution of A X = B for an n x n matrix with `below` and `above` diagonals
         * beside the middle one: below + above + 1 rows of n, the uppermost diagonal first, each
         * element in its column; they are overwritten. x: n x k, by columns: B, then X. info:
         * LAPACK's. */
        struct {
            int64_t below, above, n, k;
            gpa_mem *bands, *x;
            int32_t *info;
        } banded;
        /* SPARSE: Y = A X for the sparse m x n matrix A by rows - values at[start[i]] .. at[start[i
         * + 1] - 1] of row i, their columns in `column` - and a dense n x k matrix X; start and
         * column are int32, everything is contiguous. */
        struct {
            int64_t m, n, k, count; /* count: values of A */
            gpa_binding start, column, at, x, y;
        } sparse;
        /* SPGEMM: C = A B of two sparse matrices by rows, A m x l and B l x n. `start` gets the m +
         * 1 starts of C; once it is known how many values C has, `make` gives room for them and
         * their columns, which will ascend in each row. */
        struct {
            gpa_csr a, b;
            gpa_binding start;
            gpa_code (*make)(void *owner, int64_t count, gpa_binding *column, gpa_binding *at,
                             gpa_err *e);
            void *owner;
        } spgemm;
        /* TURN: `count` values `at`, each with its column `key`, 0 <= key < n, and its row `other`,
         * in the order of their columns, those of one column as they stand: those of k are
         * to_at[start[k]] .. to_at[start[k + 1] - 1], their rows in to_other. All but the values
         * are int32; everything is contiguous; start has n + 1. A device may be given no rows: the
         * memory of `other` is NULL. */
        struct {
            int64_t n, count;
            gpa_binding key, other, at, start, to_other, to_at;
        } turn;
        /* LU to LSTSQ: `batch` matrices, each dense and by columns, one after the other; x[i] is
         * the memory of all of one kind. What the call reads is overwritten. `part` is the real
         * dtype of dtype; p = min(m, n).
         *
         *            x[0]                   x[1]                x[2]                    x[3]
         *   LU       n x n, by rows: then L and U of A or of its transpose
         *                                   n int32: pivots, from 1
         *   SOLVE    n x n: A, by rows      n x k: B, then X
         *   INVERSE  n x n: A, by rows, then its inverse
         *   CHOLESKY n x n: L below the diagonal, or with `upper` U above it; what the rest is then
         * is not said QR       m x n: R above, the reflectors below the diagonal p: their factors
         * m x k: Q (NULL: not wanted) SVD      m x n, m >= n          n part: values      m x u: U
         * (NULL: values only) n x n: V^H (u = n, with `full` u = m) EIGH     n x n: vectors n part:
         * values      (without `vectors` values only) EIG      n x n                  n complex:
         * values   n x n: vectors (NULL: values only); of a real matrix's pair of conjugate ones
         * the real part and then, beside the second of the values, the imaginary part LSTSQ    m x
         * n               max(m, n) x k: B, then X and what B keeps beyond it p part: singular    1
         * int32: how many are values              beyond `limit` times the first
         *
         * EIGH looks at the lower triangle, with `upper` at the upper one. */
        struct {
            int64_t batch, m, n, k;
            bool upper, full, vectors;
            double limit;
            gpa_mem *x[LIB_MATRICES];
            int32_t *info; /* is set to LAPACK's info of the first matrix that has one, else to 0 */
            bool *blind;   /* is set by LU and SOLVE of a library that passes over NaN */
        } matrix;
    };
} gpa_libcall;

/* Array i of a call of the matrix arm: whether the call reads it, its dtype, and how many elements
 * it has for one matrix of the batch (0: the call has no such array). */
typedef struct {
    bool read;
    gpa_dtype dtype;
    int64_t size;
} lib_matrix;

static inline lib_matrix lib_matrix_of(const gpa_libcall *c, int i) {
    const int64_t m = c->matrix.m, n = c->matrix.n, k = c->matrix.k, u = c->matrix.full ? m : n,
                  p = m < n ? m : n, q = m < n ? n : m;
    const gpa_dtype SAME = c->dtype, REAL = dtype_info[SAME].real,
                    COMPLEX = REAL == DT_F32 ? DT_C64 : DT_C128, INT32 = DT_I32;
#define IN(t, size) \
    { true, t, size }
#define OUT(t, size) \
    { false, t, size }
#define NO_X \
    { false, SAME, 0 }
#define LIB(id, name, host, failure, ...)      \
    case LIB_##id: {                           \
        const lib_matrix of[] = {__VA_ARGS__}; \
        return of[i];                          \
    }
    switch (c->kind) {
#include "runtime/tables/lib.def"
        case LIB_COUNT: break;
    }
#undef LIB
#undef IN
#undef OUT
#undef NO_X
    return (lib_matrix){.dtype = SAME};
}

#endif
