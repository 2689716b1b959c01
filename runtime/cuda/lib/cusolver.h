/* Factorizations by cuSOLVER, many small ones by cuBLAS. */
#ifndef GPA_CUDA_LIB_CUSOLVER_H
#define GPA_CUDA_LIB_CUSOLVER_H

#include "runtime/cuda/driver/device.h"
#include "runtime/lib/libcall.h"

/* Whether the libraries are there and have the call. */
bool cusolver_can(gpa_dev *d, const gpa_libcall *c);
/* Waits for the call's end: what it found out about the matrices has to be known. */
gpa_code cusolver_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void cusolver_close(gpa_dev *d);

#endif
