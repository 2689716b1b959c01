/* Matrix products by cuBLAS. */
#ifndef GPA_CUDA_LIB_CUBLAS_H
#define GPA_CUDA_LIB_CUBLAS_H

#include "runtime/cuda/build/program.h"
#include "runtime/ir/libcall.h"

/* Whether cuBLAS is there and can take the operands as they lie. */
bool blas_can(gpa_dev *d, const gpa_libcall *c);
gpa_code blas_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
/* Whether cuBLAS is there; makes d->blas_handle, which works on the device's stream. */
bool blas_ready(gpa_dev *d);
void blas_close(gpa_dev *d);

#endif
