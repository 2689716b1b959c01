/* Native part of the module numpy: conversions of values to arrays, ufuncs as values, helpers that
 * its files share. Functions composed of others are in lang/library/. */
#ifndef GPA_NUMPY_NUMPY_H
#define GPA_NUMPY_NUMPY_H

#include "lang/vm/native.h"

/* Converts the runtime's result to a value: a NumPy scalar if it is 0-d, else an array. Consumes
 * `a`. */
gpa_code np_return(gpa_vm *vm, gpa_arr *a, value *out);
/* As np_return, but a 0-d array stays an array (asarray, reshape). */
gpa_code np_return_array(gpa_vm *vm, gpa_arr *a, value *out);
/* Replaces an array by `view` (consumed), a view of its own elements; it keeps owning its data.
 * Sets shape or dtype in place. */
void np_replace_take(gpa_vm *vm, value array, gpa_arr *view);
/* Issues the ComplexWarning of a cast that discards imaginary parts. */
gpa_code np_warn_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to);
/* As np_return_array for n arrays, as a tuple. If `rc`, the code of the call that made them, is an
 * error, it is returned; the arrays are consumed in any case. */
gpa_code np_return_arrays(gpa_vm *vm, gpa_code rc, int n, gpa_arr **parts, value *out);

/* out=: an array argument, borrowed; NULL for None or UNSET; a TypeError for anything else. A tuple
 * of one is unwrapped. */
gpa_code arg_out(gpa_vm *vm, value v, gpa_arr **out);
/* Requirements on the out= of a function that is neither a ufunc nor a reduction: messages and
 * casting rule. */
typedef struct {
    const char *missing; /* message for a value that is not an array; NULL: as for ufuncs */
    const char *shape;   /* message for another shape; NULL: with both shapes */
    const char *rank;    /* message for another ndim; NULL: as for another shape */
    const char *ufunc;   /* name of the function in the message for a dtype; NULL: "array data" */
    gpa_casting
        casting; /* rule by which the result is cast to out; with `back`: out to the result */
    bool back;
} out_rule;
/* Checks that `into` fits a result of this shape and dtype. */
gpa_code out_check(gpa_vm *vm, const out_rule *rule, int ndim, const int64_t *shape, gpa_dtype t,
                   const gpa_arr *into);
/* TypeError if the rule does not allow the cast. */
gpa_code out_check_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to, gpa_casting casting);
/* Returns the result (consumed) as np_return_array does, or stores it into the array of out= and
 * returns that. */
gpa_code out_return_take(gpa_vm *vm, const out_rule *rule, gpa_arr *result, value where,
                         value *out);
/* axis=: None (then *axes has all bits and *given is false), an int, or a tuple of ints without
 * repetition. AxisError, "duplicate value in 'axis'". */
gpa_code arg_axes(gpa_vm *vm, value v, int ndim, uint32_t *axes, bool *given);
/* One axis, counted from the end when negative. */
gpa_code arg_axis(gpa_vm *vm, value v, int ndim, int *out);
/* Fails with AxisError; `prefix`, if it is a str, begins the message. */
gpa_code np_axis_error(gpa_vm *vm, value prefix, int64_t axis, int64_t ndim);
/* Hint for dtypes in the other byte order. */
extern const char other_order[];
/* A shape: an int or a sequence of ints, none of them negative. */
gpa_code arg_shape(gpa_vm *vm, value v, int *ndim, int64_t *shape);

/* The ufunc of this name ("add", "mod", "abs"), or NULL. The pointer is static. */
const ufunc *ufunc_find(const char *name);
/* The ufunc of an operation. */
const ufunc *ufunc_of(gpa_op op);
/* Appends the docstring of a ufunc, in numpydoc's sections. */
void ufunc_doc(gpa_op op, gpa_str *out);
/* Converts the name of a casting rule; same_kind if absent. */
gpa_code arg_casting(gpa_vm *vm, value v, gpa_casting *out);
/* order=: sets *by_columns for F order. "K" and "A" preserve the layout of `like` (NULL: C order).
 */
gpa_code arg_order(gpa_vm *vm, value v, const gpa_arr *like, bool *by_columns);
/* UFuncTypeError if the rule does not allow operand i of n to be cast, or the result to be stored
 * in dtype `to`. */
gpa_code ufunc_check_input(gpa_vm *vm, const char *name, const gpa_opnd *in, int i, int n,
                           gpa_dtype to, gpa_casting casting);
gpa_code ufunc_check_output(gpa_vm *vm, const char *name, gpa_dtype from, gpa_dtype to,
                            gpa_casting casting);
/* The dtype to compute in that dtype= (of the result) or signature= ("dd->d", or a tuple of dtypes
 * and None) selects; DT_NONE if both are absent. TypeError if there is no such loop. */
gpa_code ufunc_loop(gpa_vm *vm, const ufunc *u, const gpa_opnd *in, value dtype, value signature,
                    gpa_dtype *loop);
/* Calls a ufunc: its operands, out positionally or by name, where=, dtype=, signature=, casting=,
 * order=, subok=. */
gpa_code ufunc_call(gpa_vm *vm, const ufunc *u, size_t n, const value *args, size_t n_kw,
                    const value *kw_names, value *out);

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

/* The hint for a name that gpa lacks, or NULL; the replacement of a name that NumPy 2 removed, or
 * NULL. */
const char *np_absent(const char *name);
const char *np_removed(const char *name);

/* A function of the library by its name, owned. */
gpa_code np_library_func(gpa_vm *vm, const char *name, value *out);

/* numpy.mgrid, ogrid, r_, c_: objects whose subscript calls a function of the library with the key
 * and `how`. */
extern const object_kind subscript_kind;
value np_subscript(gpa_vm *vm, const char *function, value how);

#endif
