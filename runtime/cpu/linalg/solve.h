/* Linear solves with a factored (triangular, Cholesky, LU) or banded matrix, by LAPACK. */
#ifndef GPA_CPU_LINALG_SOLVE_H
#define GPA_CPU_LINALG_SOLVE_H

#include "runtime/cpu/linalg/lapack_library.h"

/* True if the call is supported. Loads the library on first use: lapack_load. */
bool solve_can(lapack **l, blas **b, const gpa_libcall *c);
/* Polls for an interrupt between blocks of right-hand sides. */
gpa_code solve_run(const lapack *l, const lapack_context *ctx, const gpa_libcall *c, gpa_err *e);

#endif
