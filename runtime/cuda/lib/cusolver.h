/* Factorizations by cuSOLVER, many small ones by cuBLAS. */
#ifndef GPA_CUDA_LIB_CUSOLVER_H
#define GPA_CUDA_LIB_CUSOLVER_H

#include "runtime/cuda/build/program.h"
#include "runtime/ir/libcall.h"

/* Whether the libraries are there and have the call. */
bool solver_can(gpa_dev *d, const gpa_libcall *c);
/* Waits for the call's end: what it found out about the matrices has to be known. */
gpa_code solver_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void solver_close(gpa_dev *d);

#endif
