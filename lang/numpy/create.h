/* Natives that make arrays; their rows stand in lang/builtin/numpy.def. */
#ifndef GPA_NUMPY_CREATE_H
#define GPA_NUMPY_CREATE_H

#include "lang/numpy/numpy.h"

gpa_code np_array(gpa_vm *vm, value *argv, value *out);
gpa_code np_asarray(gpa_vm *vm, value *argv, value *out);
gpa_code np_ascontiguousarray(gpa_vm *vm, value *argv, value *out);
gpa_code np_copy(gpa_vm *vm, value *argv, value *out);
gpa_code np_zeros(gpa_vm *vm, value *argv, value *out);
gpa_code np_ones(gpa_vm *vm, value *argv, value *out);
gpa_code np_empty(gpa_vm *vm, value *argv, value *out);
gpa_code np_full(gpa_vm *vm, value *argv, value *out);
gpa_code np_zeros_like(gpa_vm *vm, value *argv, value *out);
gpa_code np_ones_like(gpa_vm *vm, value *argv, value *out);
gpa_code np_empty_like(gpa_vm *vm, value *argv, value *out);
gpa_code np_full_like(gpa_vm *vm, value *argv, value *out);
gpa_code np_arange(gpa_vm *vm, value *argv, value *out);

#endif
