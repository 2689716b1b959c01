/* The native half of the module numpy: conversions of values to arrays, ufuncs as values, and
 * helpers that its files share. What is an arrangement of other functions stands in lang/library/.
 */
#ifndef GPA_NUMPY_NUMPY_H
#define GPA_NUMPY_NUMPY_H

#include "lang/vm/native.h"

/* A new array value from the runtime's result: a NumPy scalar when it has no dimensions. Consumes
 * `a`. */
gpa_code np_return(gpa_vm *vm, gpa_arr *a, value *out);
/* The same, but 0-d stays an array (asarray, reshape). */
gpa_code np_return_array(gpa_vm *vm, gpa_arr *a, value *out);
/* An array becomes `view` of its own elements (consumed) and owns what it owned: shape and dtype
 * are set in place. */
void np_replace_take(gpa_vm *vm, value array, gpa_arr *view);
/* The ComplexWarning of a cast that drops imaginary parts. */
gpa_code np_warn_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to);
/* The same for n arrays, as a tuple. A failure of the call that made them, `rc`, is handed on;
 * those that it left are consumed then, too. */
gpa_code np_return_arrays(gpa_vm *vm, gpa_code rc, int n, gpa_arr **parts, value *out);

/* out=: an array argument, borrowed; NULL for None or UNSET; a TypeError for anything else. A tuple
 * of one is unwrapped. */
gpa_code arg_out(gpa_vm *vm, value v, gpa_arr **out);
/* What is demanded of the out= of a function that is no ufunc and no reduction. */
typedef struct {
    const char *missing; /* of what is no array; NULL: as for ufuncs */
    const char *shape;   /* of another shape; NULL: the shapes are written */
    const char *rank;    /* of another number of dimensions; NULL: as of another shape */
    const char *ufunc;   /* names the function where the dtype does not fit; NULL: "array data" */
    gpa_casting
        casting; /* by which the result must fit; with `back`: by which out must fit the result */
    bool back;
} out_rule;
/* Whether `into` fits a result of this shape and dtype. */
gpa_code out_check(gpa_vm *vm, const out_rule *rule, int ndim, const int64_t *shape, gpa_dtype t,
                   const gpa_arr *into);
/* TypeError where arrays of one dtype are not cast to the other by the rule. */
gpa_code out_check_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to, gpa_casting casting);
/* Gives the result (consumed) as np_return_array does, or stores it into the array that out= names
 * and gives that. */
gpa_code out_give_take(gpa_vm *vm, const out_rule *rule, gpa_arr *result, value where, value *out);
/* axis=: None (then *axes has all bits and *given is false), an int, or a tuple of ints without
 * repetition. AxisError, "duplicate value in 'axis'". */
gpa_code arg_axes(gpa_vm *vm, value v, int ndim, uint32_t *axes, bool *given);
/* One axis, counted from the end when negative. */
gpa_code arg_axis(gpa_vm *vm, value v, int ndim, int *out);
/* AxisError; `prefix`, if it is a str, begins the message. */
gpa_code np_axis_error(gpa_vm *vm, value prefix, int64_t axis, int64_t ndim);
/* What is said of dtypes whose bytes are in the other order. */
extern const char other_order[];
/* A shape: an int or a sequence of ints, none of them negative. */
gpa_code arg_shape(gpa_vm *vm, value v, int *ndim, int64_t *shape);

/* The ufunc named so ("add", "mod", "abs"), or NULL. The pointer lives as long as the program. */
const ufunc *ufunc_find(const char *name);
/* The ufunc of a row. */
const ufunc *ufunc_of(gpa_op op);
/* The docstring of a ufunc, appended: its row of op.def, the rule for its dtypes, what all ufuncs
 * share, notes and examples. */
void ufunc_doc(gpa_op op, gpa_str *out);
/* A casting rule by its name; not given: same_kind. */
gpa_code arg_casting(gpa_vm *vm, value v, gpa_casting *out);
/* order=: whether an array is to lie by columns. "K" and "A" keep what an operand (NULL: none) has.
 */
gpa_code arg_order(gpa_vm *vm, value v, const gpa_arr *like, bool *by_columns);
/* Whether the rule allows operand i of n to be cast, and the result to be stored into an array of
 * dtype `to`; UFuncTypeError. */
gpa_code ufunc_check_input(gpa_vm *vm, const char *name, const gpa_opnd *in, int i, int n,
                           gpa_dtype to, gpa_casting casting);
gpa_code ufunc_check_output(gpa_vm *vm, const char *name, gpa_dtype from, gpa_dtype to,
                            gpa_casting casting);
/* The dtype to compute in that dtype= (of the result) or signature= ("dd->d", or a tuple of dtypes
 * and None) asks for; DT_NONE where both are absent. TypeError when there is no such loop. */
gpa_code ufunc_loop(gpa_vm *vm, const ufunc *u, const gpa_opnd *in, value dtype, value signature,
                    gpa_dtype *loop);
/* Calls a ufunc: its operands, out positionally or by name, where=, dtype=, signature=, casting=,
 * order=, subok=. */
gpa_code ufunc_call(gpa_vm *vm, const ufunc *u, size_t n, const value *args, size_t n_kw,
                    const value *kw_names, value *out);

/* The same for numbers alone; their errors are not looked at (float_errors.h). */
gpa_code ufunc_numbers(gpa_vm *vm, gpa_op op, const value *args, value *out);

/* For ufunc.reduce and ufunc.accumulate: argv as np_sum (a, axis, dtype, out, keepdims, initial,
 * where) and np_cumsum (a, axis, dtype, out) take it, with any row of reduce.def. */
gpa_code np_reduce_with(gpa_vm *vm, gpa_red red, value *argv, value *out);
gpa_code np_scan_with(gpa_vm *vm, gpa_red red, value *argv, value *out);

/* The abstract types of NumPy's hierarchy (numpy.integer, ...): `kinds` holds the letters of the
 * kinds below it. */
extern const object_kind abstract_kind, finfo_kind, iinfo_kind, flags_kind;
value np_abstract(gpa_vm *vm, const char *name, char *kinds);
/* Whether a type value's aux is a scalar type below it. */
bool np_abstract_has(const object_obj *abstract, uint32_t type);
/* _make, _fields and _field_defaults of a type of results with names: whether the name is one of
 * these; a failure leaves its error and *out UNSET. */
bool np_named_attr(gpa_vm *vm, value type, const char *name, value *out);

/* Why gpa lacks a name of NumPy's, or NULL; what stands in the place of one that NumPy 2 removed,
 * or NULL. */
const char *np_absent(const char *name);
const char *np_removed(const char *name);

/* A function of the library by its name, owned. */
gpa_code np_library_func(gpa_vm *vm, const char *name, value *out);

/* numpy.mgrid, ogrid, r_, c_: a subscript calls a function of the library with the key and `how`.
 */
extern const object_kind subscript_kind;
value np_subscript(gpa_vm *vm, const char *function, value how);

#endif
