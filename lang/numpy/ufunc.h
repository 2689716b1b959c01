/* Natives of ufunc values; their rows stand in lang/builtin/ufunc.def. */
#ifndef GPA_NUMPY_UFUNC_H
#define GPA_NUMPY_UFUNC_H

#include "lang/numpy/numpy.h"

gpa_code uf_reduce(gpa_vm *vm, value *argv, value *out);
gpa_code uf_accumulate(gpa_vm *vm, value *argv, value *out);
gpa_code uf_reduceat(gpa_vm *vm, value *argv, value *out);
gpa_code uf_outer(gpa_vm *vm, value *argv, value *out);
gpa_code uf_at(gpa_vm *vm, value *argv, value *out);
gpa_code uf_nin(gpa_vm *vm, value *argv, value *out);
gpa_code uf_nout(gpa_vm *vm, value *argv, value *out);
gpa_code uf_name(gpa_vm *vm, value *argv, value *out);
gpa_code uf_doc(gpa_vm *vm, value *argv, value *out);
gpa_code uf_identity(gpa_vm *vm, value *argv, value *out);

#endif
