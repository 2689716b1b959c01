/* Operators and subscripts on any values: numbers, text, containers, NumPy scalars, arrays. */
#ifndef GPA_VM_OPERATE_H
#define GPA_VM_OPERATE_H

#include "lang/syntax/ast.h"
#include "lang/object/number.h"
#include "lang/vm/array_interface.h"
#include "lang/vm/native.h"

/* a op b for a BINARY or COMPARE operator (and IN, NOT_IN, IS, IS_NOT). *out is owned. */
gpa_code op_binary(gpa_vm *vm, ast_op op, value a, value b, value *out);
/* a op= b: arrays, lists, sets and dicts change in place, and *out is `a` itself (retained). */
gpa_code op_update(gpa_vm *vm, ast_op op, value a, value b, value *out);
/* +a, -a, ~a. */
gpa_code op_unary(gpa_vm *vm, ast_op op, value a, value *out);
gpa_code op_compare(gpa_vm *vm, ast_op op, value a, value b, bool *out); /* as a truth value */

/* `in` by iteration. */
gpa_code op_contains_items(gpa_vm *vm, value v, value item, bool *out);

gpa_code op_getitem(gpa_vm *vm, value v, value key, value *out);
gpa_code op_setitem(gpa_vm *vm, value v, value key, value item);
gpa_code op_delitem(gpa_vm *vm, value v, value key);
/* The operands of v[key] op= item. */
typedef struct {
    value v, key, old, item; /* old: of op_old_item */
    bool last; /* the caller holds the only reference to the item, which is an array */
} item_update;
/* v[key] op= item, with v and key evaluated once. */
gpa_code op_update_item(gpa_vm *vm, ast_op op, const item_update *u);

/* True if calling a value, or a method of it, may run code of the program. */
bool op_runs_program(value v);
/* v[key] before the value of `v[key] op= value` is evaluated, which calls the callees: the `old` of
 * op_update_item. UNSET for an array, whose item is read when it is updated, unless a callee is a
 * program's function, which could store to it. */
gpa_code op_old_item(gpa_vm *vm, value v, value key, const value *callees, size_t n, value *out);
/* slice.indices(n): start and stop within bounds (or one before), and the step. */
gpa_code op_slice_bounds(gpa_vm *vm, const slice_obj *s, int64_t n, int64_t *start, int64_t *stop,
                         int64_t *step);
/* The same: the first index, the step, and the number of items. */
gpa_code op_slice(gpa_vm *vm, const slice_obj *s, int64_t n, int64_t *start, int64_t *step,
                  int64_t *count);

#endif
