/* Batched linear solve, LU, Cholesky, QR, eigenvalues and SVD of small matrices: a warp per matrix,
 * several times as fast as the libraries' batched calls. */
#ifndef GPA_CUDA_LIB_BATCHED_H
#define GPA_CUDA_LIB_BATCHED_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

/* True if there is a kernel for the call: LU, SOLVE, CHOLESKY, QR, SVD and EIGH of several matrices
 * of at most 32 rows and columns; larger ones for QR and SVD. Compiles it at first use. */
bool batched_can(gpa_dev *d, const gpa_libcall *c);
/* Executes a call; waits for its result if the operation can fail (singular matrices). */
gpa_code batched_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void batched_close(gpa_dev *d);

/* The source of the kernel of a call, for batched_can and the tests: owned, mem_free; NULL if
 * memory is short. `reductions`: the GPU has warp reductions. */
char *batched_program_source(const gpa_libcall *c, bool reductions);

#endif
