/* LAPACK factorizations, batched. */
#ifndef GPA_CPU_LINALG_LAPACK_H
#define GPA_CPU_LINALG_LAPACK_H

#include "runtime/cpu/linalg/lapack_library.h"

/* True if the call is supported. Loads the library on first use: lapack_load. */
bool lapack_can(lapack **l, blas **b, const gpa_libcall *c);
/* Factorizations of large matrices run on a thread that an interrupt detaches: the call then ends
 * with GPA_E_INTERRUPT, and its operands have new, undefined contents. */
gpa_code lapack_run(const lapack *l, const lapack_context *ctx, const gpa_libcall *c, gpa_err *e);

#endif
