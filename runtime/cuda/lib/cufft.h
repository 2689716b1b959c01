/* FFT by cuFFT. */
#ifndef GPA_CUDA_LIB_CUFFT_H
#define GPA_CUDA_LIB_CUFFT_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

/* True if cuFFT is available, supports the operands' strides, and is expected to be faster than a
 * contiguous copy. */
bool cufft_can(gpa_dev *d, const gpa_libcall *c);
gpa_code cufft_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void cufft_close(gpa_dev *d);

#endif
