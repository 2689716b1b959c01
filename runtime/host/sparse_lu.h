/* Sparse LU of host matrices: fill-reducing ordering, factors with threshold pivoting, solves. */
#ifndef GPA_HOST_SPARSE_LU_H
#define GPA_HOST_SPARSE_LU_H

#include "runtime/host/sparse.h"

/* A fill-reducing elimination order (minimum degree) of the square matrix a: order[0 .. n - 1], and
 * the operations it takes if every pivot is on the diagonal. */
gpa_code hostlu_ordering(const host_csr *a, int32_t *order, double *operations,
                         const atomic_bool *stop, gpa_err *e);

/* A triangular factor in CSC; the unit diagonal of the lower one is not stored, that of the upper
 * one is last in each column. */
typedef struct {
    int32_t *indptr, *indices;
    char *data;
    size_t nnz, capacity; /* of values */
} lu_factor;

/* The factors of an n x n matrix with its columns in the order `order`: column k of the factors is
 * column order[k] of the matrix; row i of the matrix is row perm_r[i] of the factors. */
typedef struct {
    gpa_dtype dtype;
    int32_t n;
    const int32_t *order;
    int32_t *perm_r;
    lu_factor lower, upper;
} host_lu;

/* True for dtypes that have factors. */
bool hostlu_can(gpa_dtype t);
/* Factors a, in CSC: lu->order is given, lu->perm_r has memory for n, the factors are allocated.
 * Threshold pivoting: the pivot is the diagonal element unless another of the column is ten times
 * as large. GPA_E_LINALG for a singular matrix. Freed with hostlu_free, also after a failure. */
gpa_code hostlu_factor(const host_csr *a, host_lu *lu, const atomic_bool *stop, gpa_err *e);
/* Frees the arrays of both factors. */
void hostlu_free(host_lu *lu);
/* Solves A x = b for `count` right-hand sides, the columns of b and x in C order; with `transposed`
 * A^T x = b. */
gpa_code hostlu_solve(const host_lu *lu, bool transposed, int64_t count, const void *b, void *x,
                      gpa_err *e);

#endif
