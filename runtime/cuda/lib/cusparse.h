/* Products of sparse matrices by cuSPARSE. */
#ifndef GPA_CUDA_LIB_CUSPARSE_H
#define GPA_CUDA_LIB_CUSPARSE_H

#include "runtime/cuda/build/program.h"
#include "runtime/ir/libcall.h"

bool sparse_can(gpa_dev *d, const gpa_libcall *c);
gpa_code sparse_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
/* Waits for what is queued: how much the product has decides what memory it takes. */
gpa_code spgemm_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void sparse_close(gpa_dev *d);

#endif
