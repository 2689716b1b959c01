/* Interface to lang/numpy/: operators and subscripts on arrays, calls of ufuncs. Defined in
 * lang/numpy/operate_array.c. */
#ifndef GPA_VM_ARRAY_INTERFACE_H
#define GPA_VM_ARRAY_INTERFACE_H

#include "lang/syntax/ast.h"
#include "lang/vm/native.h"

/* True for an array to which there is one reference. */
static inline bool is_unshared_array(value v) { return v.tag == V_ARRAY && v.o->refs == 1; }

typedef struct {
    /* At least one operand is an array or a NumPy scalar. */
    gpa_code (*binary)(gpa_vm *vm, ast_op op, value a, value b, value *out);
    gpa_code (*update)(gpa_vm *vm, ast_op op, value a, value b, value *out);
    gpa_code (*unary)(gpa_vm *vm, gpa_op op, value a, value *out);
    gpa_code (*getitem)(gpa_vm *vm, value a, value key, value *out);
    /* last: the caller holds the only reference to the item, which is an array. */
    gpa_code (*setitem)(gpa_vm *vm, value a, value key, value item, bool last);
    gpa_code (*update_item)(gpa_vm *vm, ast_op op, value a, value key, value item, bool last);
    /* Reports that a number was out of range in a cast, to a float dtype (an overflow) or to an
     * integer one (an invalid value); the same for the elements of `a`, which is cast to the dtype.
     */
    gpa_code (*cast_error)(gpa_vm *vm, gpa_dtype to);
    gpa_code (*check_cast)(gpa_vm *vm, struct gpa_arr *a, gpa_dtype to);
    /* %nan raise: checks the result of a native function; calls an OBJECT with such a check. */
    gpa_code (*trap_call)(gpa_vm *vm, const char *name, const call_args *a, value result);
    gpa_code (*trap_launch)(gpa_vm *vm, value fn, const call_args *a, value *out);
    gpa_code (*call_ufunc)(gpa_vm *vm, const ufunc *u, const call_args *a, value *out);
} array_interface;
extern const array_interface array_operators;

#endif
