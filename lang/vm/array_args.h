/* Array arguments and results of natives: shapes, axes, out=, and arrays as values. arg_array and
 * its kin are declared in lang/vm/native.h. */
#ifndef GPA_VM_ARRAY_ARGS_H
#define GPA_VM_ARRAY_ARGS_H

#include "lang/vm/native.h"

/* A new array value from the runtime's result: a NumPy scalar when it has no dimensions. Consumes
 * `a`. */
gpa_code np_return(gpa_vm *vm, gpa_arr *a, value *out);
/* The same, but 0-d stays an array (asarray, reshape). */
gpa_code np_return_array(gpa_vm *vm, gpa_arr *a, value *out);
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

#endif
