/* Fourier transforms by cuFFT. */
#ifndef GPA_CUDA_LIB_CUFFT_H
#define GPA_CUDA_LIB_CUFFT_H

#include "runtime/cuda/build/program.h"
#include "runtime/ir/libcall.h"

/* Whether cuFFT is there and can take the operands as they lie. */
bool fft_can(gpa_dev *d, const gpa_libcall *c);
gpa_code fft_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void fft_close(gpa_dev *d);

#endif
