/* LAPACK factorizations, by the routines that OpenBLAS includes. */
#ifndef GPA_CPU_LINALG_LAPACK_H
#define GPA_CPU_LINALG_LAPACK_H

#include "runtime/cpu/linalg/blas.h"

typedef struct lapack lapack;

/* True if the call is supported. Loads the library on first use; then *b and *l are owned
 * (blas_free, lapack_free). */
bool lapack_can(lapack **l, blas **b, const gpa_libcall *c);
gpa_code lapack_run(const lapack *l, const blas *b, int threads, const gpa_libcall *c, gpa_err *e);
void lapack_free(lapack *l);

#endif
