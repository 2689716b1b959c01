/* Operators on NumPy scalars whose result raises no floating-point or overflow warning. */
#ifndef GPA_OBJECT_NUMPY_SCALAR_H
#define GPA_OBJECT_NUMPY_SCALAR_H

#include "lang/object/value.h"
#include "lang/syntax/ast.h"

/* An arithmetic, bitwise or comparison operator on two numbers, at least one of them a NumPy scalar
 * of a real dtype (the other may be Python's). False: another combination, or a case that warns or
 * fails; the ufunc then computes it. The result is not counted. */
bool numpy_scalar_binary(ast_op op, value a, value b, value *out);
/* Unary -, + or ~, likewise. */
bool numpy_scalar_unary(ast_op op, value a, value *out);
/* abs(), likewise. */
bool numpy_scalar_absolute(value a, value *out);

/* The truth value of a NumPy scalar of at most eight bytes that is not complex; false: another
 * value. */
bool numpy_scalar_truth(value v, bool *out);

#endif
