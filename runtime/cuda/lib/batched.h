/* Equations, factorizations, eigenvalues and singular values of many small matrices, by programs of
 * gpa's own: a warp does a matrix, several times as fast as the libraries' batched forms. */
#ifndef GPA_CUDA_LIB_BATCHED_H
#define GPA_CUDA_LIB_BATCHED_H

#include "runtime/cuda/build/program.h"
#include "runtime/ir/libcall.h"

/* Whether there is a program for the call: LU, SOLVE, CHOLESKY, QR, SVD and EIGH of several
 * matrices of at most 32 rows and columns. Compiles it at first need. */
bool batched_can(gpa_dev *d, const gpa_libcall *c);
/* Does a call for which there is one; waits for its end where the matrices may not be what they
 * should. */
gpa_code batched_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void small_close(gpa_dev *d);

/* What is compiled for a call, by batched_can and by the tests: owned, mem_free; NULL when memory is
 * short. */
char *small_source(const gpa_libcall *c, bool reductions);

#endif
