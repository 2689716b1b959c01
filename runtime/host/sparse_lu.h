/* Equations with sparse matrices in host memory: an order of elimination, triangular factors,
 * solutions. */
#ifndef GPA_HOST_SPARSE_LU_H
#define GPA_HOST_SPARSE_LU_H

#include "runtime/host/host.h"

/* An order in which few values fill in when the square matrix a, whose lines are given, is
 * eliminated: order[0 .. n - 1]; and how many operations that takes if no pivot leaves the
 * diagonal. */
gpa_code hostlu_ordering(const host_csr *a, int32_t *order, double *operations,
                         const atomic_bool *stop, gpa_err *e);

/* A triangular matrix by columns; the diagonal of the lower one is 1 and not kept, that of the
 * upper one stands last in each column. */
typedef struct {
    int32_t *start, *row;
    char *at;
    size_t count, room;
} lu_factor;
/* The factors of a, which is given by columns, with these taken in their order: rows of the factors
 * are numbered anew, place[i] being that of row i. Each pivot is the diagonal element unless
 * another one of the column is ten times as large. GPA_E_LINALG for a singular matrix. The parts
 * are given back with hostlu_free, also after a failure. */
gpa_code hostlu_factor(gpa_dtype t, const host_csr *a, const int32_t *order, lu_factor *lower,
                       lu_factor *upper, int32_t *place, const atomic_bool *stop, gpa_err *e);
void hostlu_free(lu_factor *p);
bool hostlu_can(gpa_dtype t);
/* The solution of A x = b for `count` right hand sides side by side in the n rows of b, which
 * become rows of x; with `turned` that of the transpose. */
gpa_code hostlu_solve(gpa_dtype t, int64_t n, const int32_t *order, const int32_t *place,
                      const lu_factor *lower, const lu_factor *upper, int64_t count, bool turned,
                      const void *b, void *x, gpa_err *e);

#endif
