/* Numba's type objects: of scalars, arrays and tuples, and signatures made of them. They are
 * immutable; equal types compare equal and hash alike. */
#ifndef GPA_TYPED_TYPES_H
#define GPA_TYPED_TYPES_H

#include "lang/typed/typed.h"

extern const object_kind numba_type_kind, numba_signature_kind;

/* New types, owned by the caller; UNSET when memory is short. layout: 'C', 'F' or 'A'. A named
 * type has no structure: repr and str are given. The items of a tuple type are a TUPLE of types. */
value type_of_dtype(gpa_vm *vm, gpa_dtype t);
value type_of_elements(gpa_vm *vm, gpa_dtype t, int ndim, char layout);
value type_of_items(gpa_vm *vm, value items);
value type_named(gpa_vm *vm, const char *repr, const char *str);
/* The type that compiled code has for a value; NONE: unknown. */
value type_of_typed(gpa_vm *vm, typed_ty t);
/* The type that a compiled function infers for an argument. *out is owned; a type named pyobject:
 * Numba has none. */
gpa_code type_of_value(gpa_vm *vm, value v, value *out);
/* The type that two results of one function unify to; owned. `a` if they do not. */
value type_unify(gpa_vm *vm, value a, value b);

/* True for a type of a scalar or an array, NumPy's scalar types included. */
bool typed_is_type(value v);
/* The dtype of a scalar type, NumPy's included; DT_NONE: not one. */
gpa_dtype typed_scalar_dtype(value v);
/* Appends a type as text signatures spell it: "float32[:,::1]". */
void typed_put_type(gpa_str *to, value v);

/* A signature of a TUPLE of types and a type; owned, UNSET when memory is short. */
value type_signature(gpa_vm *vm, value args, value result);
/* Its text: "int32(int32, float64[:])", "void(int64)". */
void typed_put_signature(gpa_str *to, value signature);

#endif
