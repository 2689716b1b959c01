/* Batched QR, symmetric eigenvalues and SVD of small real matrices, one matrix per SIMD lane:
 * Householder reflections and Jacobi or Givens rotations. All lanes take the same steps; a lane
 * that has converged rotates by the identity. */
#ifndef GPA_CPU_LINALG_BATCHED_EIGEN_H
#define GPA_CPU_LINALG_BATCHED_EIGEN_H

#include "runtime/ir/libcall.h"

/* True for a batch of small real matrices: QR, SVD and EIGH. */
bool batched_eigen_can(const gpa_libcall *c);
/* Matrices of one run, and the bytes of its scratch memory, which is aligned to 64. */
int batched_eigen_width(const gpa_libcall *c);
size_t batched_eigen_scratch(const gpa_libcall *c);
/* Processes `count` matrices, at most batched_eigen_width: x[a] is the first one's array a,
 * step[a] the stride in bytes between matrices. False, with all matrices unchanged, if one is
 * not finite, would overflow or underflow, or does not converge. */
bool batched_eigen_run(const gpa_libcall *c, char *const *x, const int64_t *step, int count,
                       void *scratch);

#endif
