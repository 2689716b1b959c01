/* Reflections and rotations of many small matrices side by side, a lane of the vectors a matrix:
 * QR, eigenvalues and vectors of symmetric matrices, singular values and vectors. All lanes take
 * the same steps; those that are done turn by nothing. */
#ifndef GPA_CPU_LINALG_BATCHED_EIGEN_H
#define GPA_CPU_LINALG_BATCHED_EIGEN_H

#include "runtime/ir/libcall.h"

/* Whether the call is one of many small matrices: QR, SVD and EIGH of real numbers. */
bool batched_eigen_can(const gpa_libcall *c);
/* How many matrices are done at a time, and the bytes of room they need, aligned to 64. */
int batched_eigen_width(const gpa_libcall *c);
size_t batched_eigen_scratch(const gpa_libcall *c);
/* Does `count` matrices, at most batched_eigen_width: x[a] is the first one's array a, step[a] the
 * bytes to the next one's. False: one of them is not finite, is very large or very small, or does
 * not converge; then all are as they were. */
bool batched_eigen_run(const gpa_libcall *c, char *const *x, const int64_t *step, int count,
                       void *room);

#endif
