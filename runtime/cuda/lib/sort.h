/* Sorting, and transposing sparse matrices, by CUB (gpa-cub.so). */
#ifndef GPA_CUDA_LIB_SORT_H
#define GPA_CUDA_LIB_SORT_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

bool cub_sort_can(gpa_dev *d, const gpa_libcall *c);
gpa_code cub_sort_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
bool cub_transpose_can(gpa_dev *d, const gpa_libcall *c);
gpa_code cub_transpose_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);

#endif
