/* Linear solve and factorizations by cuSOLVER; batched ones by cuBLAS and batched.c. */
#ifndef GPA_CUDA_LIB_CUSOLVER_H
#define GPA_CUDA_LIB_CUSOLVER_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

/* True if the libraries are available and have the call. */
bool cusolver_can(gpa_dev *d, const gpa_libcall *c);
/* Waits for the result: LAPACK's info has to be known. */
gpa_code cusolver_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void cusolver_close(gpa_dev *d);

#endif
