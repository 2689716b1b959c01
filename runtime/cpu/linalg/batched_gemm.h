/* Batched GEMM of small square matrices, without the call overhead of a library. */
#ifndef GPA_CPU_LINALG_BATCHED_GEMM_H
#define GPA_CPU_LINALG_BATCHED_GEMM_H

#include "runtime/ir/libcall.h"

/* True for such a GEMM: float32 or float64, 2 x 2, 3 x 3, 4 x 4 or 8 x 8, the rows of the second
 * factor contiguous. */
bool batched_gemm_can(const gpa_libcall *c);
/* Computes the products from .. to - 1. */
void batched_gemm_run(const gpa_libcall *c, int64_t from, int64_t to);

#endif
