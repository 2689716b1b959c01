/* Natives that reduce and scan; their rows stand in lang/builtin/numpy.def. */
#ifndef GPA_NUMPY_REDUCE_H
#define GPA_NUMPY_REDUCE_H

#include "lang/numpy/numpy.h"

/* For ufunc.reduce and ufunc.accumulate: argv as np_sum and np_cumsum take it, with any row of reduce.def. */
gpa_code np_reduce_with(gpa_vm *vm, gpa_red red, value *argv, value *out);
gpa_code np_scan_with(gpa_vm *vm, gpa_red red, value *argv, value *out);

gpa_code np_sum(gpa_vm *vm, value *argv, value *out);
gpa_code np_prod(gpa_vm *vm, value *argv, value *out);
gpa_code np_min(gpa_vm *vm, value *argv, value *out);
gpa_code np_max(gpa_vm *vm, value *argv, value *out);
gpa_code np_any(gpa_vm *vm, value *argv, value *out);
gpa_code np_all(gpa_vm *vm, value *argv, value *out);
gpa_code np_argmin(gpa_vm *vm, value *argv, value *out);
gpa_code np_argmax(gpa_vm *vm, value *argv, value *out);
gpa_code np_mean(gpa_vm *vm, value *argv, value *out);
gpa_code np_var(gpa_vm *vm, value *argv, value *out);
gpa_code np_std(gpa_vm *vm, value *argv, value *out);
gpa_code np_cumsum(gpa_vm *vm, value *argv, value *out);
gpa_code np_cumprod(gpa_vm *vm, value *argv, value *out);

#endif
