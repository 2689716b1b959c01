/* Sparse matrix products (SpMV, SpMM, SpGEMM) and tridiagonal systems by cuSPARSE. */
#ifndef GPA_CUDA_LIB_CUSPARSE_H
#define GPA_CUDA_LIB_CUSPARSE_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

bool cusparse_can(gpa_dev *d, const gpa_libcall *c);
gpa_code cusparse_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
/* Waits for all queued work: the number of nonzeros of the product decides its memory. */
gpa_code cusparse_spgemm_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
/* SOLVE_BANDED for one diagonal below and one above. A singular matrix gives infinities or NaN:
 * info stays 0. */
bool cusparse_banded_can(gpa_dev *d, const gpa_libcall *c);
gpa_code cusparse_banded_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void cusparse_close(gpa_dev *d);

#endif
