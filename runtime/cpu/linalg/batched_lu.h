/* Batched LU, solve, inverse and Cholesky of small real matrices, one matrix per SIMD lane, without
 * the call and loop overhead of a library. */
#ifndef GPA_CPU_LINALG_BATCHED_LU_H
#define GPA_CPU_LINALG_BATCHED_LU_H

#include "runtime/ir/libcall.h"

/* True for a batch of small real matrices: LU, SOLVE, INVERSE and CHOLESKY. */
bool batched_lu_can(const gpa_libcall *c);
/* Matrices of one run, and the bytes of its scratch memory, which is aligned to 64. */
int batched_lu_width(const gpa_libcall *c);
size_t batched_lu_scratch(const gpa_libcall *c);
/* Processes `count` matrices, at most batched_lu_width: x[a] is the first one's array a, step[a]
 * the stride in bytes between matrices. Returns LAPACK's info of the first matrix with a nonzero
 * one, and its index in *which; or 0. */
int batched_lu_run(const gpa_libcall *c, char *const *x, const int64_t *step, int count,
                   void *scratch, int *which);

#endif
