/* Attention on the CPU: blocks of queries and keys with an online softmax; products by OpenBLAS. */
#ifndef GPA_CPU_LINALG_ATTENTION_H
#define GPA_CPU_LINALG_ATTENTION_H

#include "runtime/cpu/linalg/blas.h"

/* True for float32 and float64 whose rows or columns are contiguous. Loads OpenBLAS as blas_can
 * does. */
bool attention_can(blas **b, const gpa_libcall *c);
/* GPA_E_INTERRUPT, with the result incomplete, when *stop becomes nonzero. */
gpa_code attention_run(blas **b, int threads, const int32_t *stop, const gpa_libcall *c,
                       gpa_err *e);

#endif
