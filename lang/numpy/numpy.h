/* Native part of the module numpy: conversions of values to arrays, ufuncs as values, helpers that
 * its files share. Functions composed of others are in lang/library/. */
#ifndef GPA_NUMPY_NUMPY_H
#define GPA_NUMPY_NUMPY_H

#include "lang/vm/array_args.h"
#include "lang/vm/native.h"

/* The receiver of a method that changes its array in place: the array itself, or a copy of a
 * scalar, which is immutable. */
gpa_code np_receiver(gpa_vm *vm, value self, value *out);
/* Turns an array into `view` of its own elements (consumed), with the same ownership: sets shape
 * and dtype in place. */
void np_replace_take(gpa_vm *vm, value array, gpa_arr *view);

/* The docstring of a ufunc, appended: its row of op.def, the rule for its dtypes, what all ufuncs
 * share, notes and examples. */
void ufunc_doc(gpa_op op, gpa_str *out);
/* Converts the name of a casting rule; same_kind if absent. */
gpa_code arg_casting(gpa_vm *vm, value v, gpa_casting *out);
/* order=: one of C, F, A, K, also in lower case; *letter is 0 if it is absent. */
gpa_code arg_order_letter(gpa_vm *vm, value v, char *letter);
/* order=: sets *by_columns for F order. "K" and "A" preserve the layout of `like` (NULL: C order).
 */
gpa_code arg_order(gpa_vm *vm, value v, const gpa_arr *like, bool *by_columns);
/* A tuple of ints. */
gpa_code np_ints_tuple(gpa_vm *vm, int n, const int64_t *v, value *out);
/* UFuncTypeError if the rule does not allow operand i (-1: the only one) to be cast, or the result
 * to be stored in dtype `to`. */
gpa_code ufunc_check_input(gpa_vm *vm, const char *name, const gpa_opnd *in, int i, gpa_dtype to,
                           gpa_casting casting);
gpa_code ufunc_check_output(gpa_vm *vm, const char *name, gpa_dtype from, gpa_dtype to,
                            gpa_casting casting);
/* The dtype to compute in that dtype= (of the result) or signature= ("dd->d", or a tuple of dtypes
 * and None) selects; DT_NONE if both are absent. TypeError if there is no such loop. */
gpa_code ufunc_loop(gpa_vm *vm, const ufunc *u, const gpa_opnd *in, value dtype, value signature,
                    gpa_dtype *loop);
/* TypeError if dtype= of a reduction, accumulation or reduceat (None: absent) selects a loop that
 * the ufunc lacks: its operands and its result have this dtype. */
gpa_code ufunc_check_reduction(gpa_vm *vm, const ufunc *u, value dtype);
/* Returns a product, which is consumed: a dot product that is computed already as a NumPy scalar.
 */
gpa_code np_return_product(gpa_vm *vm, gpa_arr *a, value *out);
/* Calls a ufunc: its operands, out positionally or by name, where=, dtype=, signature=, casting=,
 * order=, subok=. */
gpa_code ufunc_call(gpa_vm *vm, const ufunc *u, const call_args *a, value *out);

/* The keywords of a call of a ufunc, or of its method outer, at most. */
enum { UFUNC_MAX_KEYWORDS = 8 };
/* out=...: the result is an array, also where it has no axes. Consumes *out; `rc` is the result of
 * the call that made it. */
gpa_code ufunc_return_array(gpa_vm *vm, gpa_code rc, value *out);
/* TypeError for `...` in a tuple of outputs. */
gpa_code ufunc_refuse_ellipsis(gpa_vm *vm, value v);

/* As ufunc_call for scalar operands, without the checks of float_errors.h. */
gpa_code ufunc_numbers(gpa_vm *vm, gpa_op op, const value *args, value *out);

/* Implementations of ufunc.reduce and ufunc.accumulate for any row of reduce.def: argv as np_sum
 * (a, axis, dtype, out, keepdims, initial, where) and np_cumsum (a, axis, dtype, out) take it. */
gpa_code np_reduce_with(gpa_vm *vm, gpa_red red, value *argv, value *out);
gpa_code np_scan_with(gpa_vm *vm, gpa_red red, value *argv, value *out);

/* Abstract types of NumPy's hierarchy (numpy.integer, ...): `kinds` holds the letters of the kinds
 * below it. */
extern const object_kind abstract_kind, finfo_kind, iinfo_kind, flags_kind;
value np_abstract(gpa_vm *vm, const char *name, char *kinds);
/* True if a type value's aux is a scalar type below it. */
bool np_abstract_has(const object_obj *abstract, uint32_t type);
/* _make, _fields and _field_defaults of a named tuple's type: true if the name is one of these; a
 * failure leaves its error and *out UNSET. */
bool np_named_attr(gpa_vm *vm, value type, const char *name, value *out);

/* A function of the library by its name, owned. */
gpa_code np_library_func(gpa_vm *vm, const char *name, value *out);

/* numpy.mgrid, ogrid, r_, c_: objects whose subscript calls a function of the library with the key
 * and `how`. */
extern const object_kind subscript_kind;
value np_subscript(gpa_vm *vm, const char *function, value how);

#endif
