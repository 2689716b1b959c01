/* Sparse LU of host matrices: fill-reducing ordering, factors with threshold pivoting, solves. */
#ifndef GPA_HOST_SPARSE_LU_H
#define GPA_HOST_SPARSE_LU_H

#include "runtime/host/host.h"

/* A fill-reducing elimination order (minimum degree) of the square matrix a: order[0 .. n - 1], and
 * the operations it takes if every pivot is on the diagonal. */
gpa_code hostlu_ordering(const host_csr *a, int32_t *order, double *operations,
                         const atomic_bool *stop, gpa_err *e);

/* A triangular factor in CSC; the unit diagonal of the lower one is not stored, that of the upper
 * one is last in each column. */
typedef struct {
    int32_t *start, *row;
    char *at;
    size_t count, capacity;
} lu_factor;
/* The factors of a, in CSC, with its columns in the given order and its rows permuted: place[i] is
 * the new index of row i. Threshold pivoting: the pivot is the diagonal element unless another of
 * the column is ten times as large. GPA_E_LINALG for a singular matrix. Both factors are freed with
 * hostlu_free, also after a failure. */
gpa_code hostlu_factor(gpa_dtype t, const host_csr *a, const int32_t *order, lu_factor *lower,
                       lu_factor *upper, int32_t *place, const atomic_bool *stop, gpa_err *e);
void hostlu_free(lu_factor *p);
bool hostlu_can(gpa_dtype t);
/* Solves A x = b for `count` right-hand sides, the columns of b and x in C order; with `transposed`
 * A^T x = b. */
gpa_code hostlu_solve(gpa_dtype t, int64_t n, const int32_t *order, const int32_t *place,
                      const lu_factor *lower, const lu_factor *upper, int64_t count,
                      bool transposed, const void *b, void *x, gpa_err *e);

#endif
