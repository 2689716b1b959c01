/* Sorting, and turning sparse matrices, on the device, by gpa-cub.so. */
#ifndef GPA_CUDA_LIB_SORT_H
#define GPA_CUDA_LIB_SORT_H

#include "runtime/cuda/build/program.h"
#include "runtime/ir/libcall.h"

bool sort_can(gpa_dev *d, const gpa_libcall *c);
gpa_code sort_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
bool turn_can(gpa_dev *d, const gpa_libcall *c);
gpa_code turn_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);

#endif
