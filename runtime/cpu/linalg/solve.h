/* Linear solves with a factored (triangular, Cholesky, LU) or banded matrix, by LAPACK. */
#ifndef GPA_CPU_LINALG_SOLVE_H
#define GPA_CPU_LINALG_SOLVE_H

#include "runtime/cpu/linalg/blas.h"

typedef struct solver_lib solver_lib;

/* True if the call is supported. Loads the library on first use; then *b and *q are owned
 * (blas_free, solve_free). */
bool solve_can(solver_lib **q, blas **b, const gpa_libcall *c);
gpa_code solve_run(const solver_lib *q, const blas *b, int threads, const gpa_libcall *c,
                   gpa_err *e);
void solve_free(solver_lib *q);

#endif
