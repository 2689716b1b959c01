/* Equations whose matrices are factorized already, or have few diagonals, by LAPACK. */
#ifndef GPA_CPU_LINALG_SOLVE_H
#define GPA_CPU_LINALG_SOLVE_H

#include "runtime/cpu/linalg/blas.h"

typedef struct equations equations;

/* Whether the call can be done; loads the library at first need (then *b and *q are owned:
 * blas_free, equations_free). */
bool equations_can(equations **q, blas **b, const gpa_libcall *c);
gpa_code equations_run(const equations *q, const blas *b, int threads, const gpa_libcall *c,
                       gpa_err *e);
void equations_free(equations *q);

#endif
