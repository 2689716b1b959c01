/* Array arguments and results of natives: shapes, axes, out=, and arrays as values. arg_array and
 * related functions are declared in lang/vm/native.h. */
#ifndef GPA_VM_ARRAY_ARGS_H
#define GPA_VM_ARRAY_ARGS_H

#include "lang/vm/native.h"

/* A new array value from the runtime's result: a NumPy scalar if it is 0-d. Consumes `a`. */
gpa_code np_return(gpa_vm *vm, gpa_arr *a, value *out);
/* The same, but 0-d stays an array (asarray, reshape). */
gpa_code np_return_array(gpa_vm *vm, gpa_arr *a, value *out);
/* The ComplexWarning of a cast that drops imaginary parts. */
gpa_code np_warn_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to);
/* The same, and the check of a cast to a narrower dtype for overflows (numpy.seterr): of a number,
 * or of an array while results are checked. */
gpa_code np_check_cast(gpa_vm *vm, const gpa_opnd *o, gpa_dtype to);
/* The same for n arrays, as a tuple. `rc` is the result of the call that created them: a failure is
 * passed on, and the arrays it left are released. */
gpa_code np_return_arrays(gpa_vm *vm, gpa_code rc, int n, gpa_arr **parts, value *out);

/* A number as a typed or weakly typed operand (NEP 50); false if the value is not a number. */
bool arg_number(value v, gpa_opnd *o);
/* True for a lazy NumPy scalar that may be out of range as an element of a signed dtype: its value
 * must be computed and checked (arr_check_number). */
bool arg_is_unchecked_scalar(value v, gpa_dtype t);
/* An attribute, or UNSET if there is none; other errors of a property or __getattr__ are its own.
 */
gpa_code arg_optional_attr(gpa_vm *vm, value v, const char *name, value *out);

/* out=: an array argument, borrowed; NULL for None or UNSET; else a TypeError. A tuple of one array
 * is unwrapped. */
gpa_code arg_out(gpa_vm *vm, value v, gpa_arr **out);
/* Requirements on out= of a function that is neither a ufunc nor a reduction. */
typedef struct {
    const char *missing;  /* message for a value that is no array; NULL: as for ufuncs */
    const char *shape;    /* message for another shape; NULL: shows the shapes */
    const char *rank;     /* message for another number of dimensions; NULL: as for another shape */
    const char *readonly; /* how the error names a read-only array; NULL: "output array" */
    const char *ufunc;    /* the function named if the dtype does not fit; NULL: "array data" */
    gpa_casting casting;  /* the cast rule from the result; with `back`: from out to the result */
    bool back;
} out_rule;
/* GPA_OK if `into` can store a result of this shape and dtype. */
gpa_code out_check(gpa_vm *vm, const out_rule *rule, int ndim, const int64_t *shape, gpa_dtype t,
                   const gpa_arr *into);
/* TypeError if the rule does not allow the cast. */
gpa_code out_check_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to, gpa_casting casting);
/* Returns the result (consumed) as np_return_array does, or stores it into the out= array and
 * returns that. */
gpa_code out_return_take(gpa_vm *vm, const out_rule *rule, gpa_arr *result, value where,
                         value *out);
/* axis=: None (then *axes has all bits and *given is false), an int, or a tuple of ints without
 * repetition. AxisError, "duplicate value in 'axis'". */
gpa_code arg_axes(gpa_vm *vm, value v, int ndim, gpa_axes *axes, bool *given);
/* One axis, counted from the end when negative. */
gpa_code arg_axis(gpa_vm *vm, value v, int ndim, int *out);

/* AxisError; `prefix`, if it is a str, begins the message. */
gpa_code np_axis_error(gpa_vm *vm, value prefix, int64_t axis, int64_t ndim);
/* Hint for dtypes of the other byte order. */
extern const char other_order[];
/* TypeError for a boolean, or a list or tuple that contains one, in place of extents. */
gpa_code arg_refuse_bools(gpa_vm *vm, value v);
/* A shape: an int or a sequence of ints, none of them negative. */
gpa_code arg_shape(gpa_vm *vm, value v, int *ndim, int64_t *shape);

#endif
