/* Equations whose matrices are factorized already, or have few diagonals, by LAPACK. */
#ifndef GPA_CPU_LINALG_SOLVE_H
#define GPA_CPU_LINALG_SOLVE_H

#include "runtime/cpu/linalg/blas.h"

typedef struct solver_lib solver_lib;

/* Whether the call can be done; loads the library at first need (then *b and *q are owned:
 * blas_free, solve_free). */
bool solve_can(solver_lib **q, blas **b, const gpa_libcall *c);
gpa_code solve_run(const solver_lib *q, const blas *b, int threads, const gpa_libcall *c,
                   gpa_err *e);
void solve_free(solver_lib *q);

#endif
