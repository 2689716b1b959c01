/* Floating-point error handling: numpy.seterr, numpy.errstate.
 *
 * Each of four kinds of error has an action. Scalars are always checked; the default is a warning.
 * Arrays are checked only while an action is immediate (raise, call, print, log), or a warning
 * while warnings are recorded or raised: the check evaluates each result where it is written, so
 * that by default arrays give no warnings. */
#ifndef GPA_NUMPY_FLOAT_ERRORS_H
#define GPA_NUMPY_FLOAT_ERRORS_H

#include "lang/vm/float_actions.h"
#include "lang/vm/native.h"

/* Checks the result of an operation on n numbers for floating-point errors; `scalar`: of an
 * operator on scalars, which changes the wording of the message. */
gpa_code float_check_number(gpa_vm *vm, gpa_op op, bool scalar, const value *args, value result);
/* True if array results must be checked by float_check_array: of an operation on `args`, where
 * `where` is true (UNSET: everywhere). */
bool float_checks_enabled(gpa_vm *vm);
void float_enable_checks(gpa_vm *vm, bool on);
gpa_code float_check_array(gpa_vm *vm, gpa_op op, const value *args, value where, value result);
/* Calls a function of the library with the checks of arrays disabled. */
gpa_code float_call_unchecked(gpa_vm *vm, const char *name, size_t n, const value *args);
/* If results must be checked: calls a library function with the n arguments and the result, which
 * is appended to args (capacity n + 1). */
gpa_code float_check_arr(gpa_vm *vm, const char *check, size_t n, value *args, gpa_arr *result);
/* Reports a number out of range in a cast; checks the elements of an array that is cast. */
gpa_code float_cast_error(gpa_vm *vm, gpa_dtype to);
gpa_code float_check_cast(gpa_vm *vm, gpa_arr *a, gpa_dtype to);
/* %nan raise: fails if the result of a function is not finite although its arguments are. The other
 * calls a compiled function, which may also store into its arguments. */
gpa_code float_trap_call(gpa_vm *vm, const char *name, const call_args *a, value result);
gpa_code float_trap_launch(gpa_vm *vm, value fn, const call_args *a, value *out);
/* Returns the code of a check; releases the result if the check failed. */
gpa_code float_finish_check(gpa_vm *vm, gpa_code rc, value *result);

#endif
