/* GEMM by cuBLAS. */
#ifndef GPA_CUDA_LIB_CUBLAS_H
#define GPA_CUDA_LIB_CUBLAS_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

/* True if cuBLAS is available and supports the operands' strides without a copy. */
bool cublas_can(gpa_dev *d, const gpa_libcall *c);
gpa_code cublas_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
/* True if cuBLAS is available; creates d->blas_handle on the device's queue. */
bool cublas_ready(gpa_dev *d);
void cublas_close(gpa_dev *d);

#endif
