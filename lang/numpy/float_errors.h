/* What is done when floating-point arithmetic leaves the numbers: numpy.seterr, numpy.errstate.
 *
 * Each of four kinds of error has an action. Single numbers are looked at always, and by default a
 * warning is given. The elements of arrays are looked at only while an action is one that must be
 * taken at once (raise, call, print, log): that computes each result where it is written, so that
 * by default arrays give no warnings. */
#ifndef GPA_NUMPY_FLOAT_ERRORS_H
#define GPA_NUMPY_FLOAT_ERRORS_H

#include "lang/vm/float_actions.h"
#include "lang/vm/native.h"

/* Looks at the result of an operation on n numbers; `scalar`: of an operator, which the words of
 * the message tell. */
gpa_code float_check_number(gpa_vm *vm, gpa_op op, bool scalar, const value *args, value result);
/* Whether results of arrays must be looked at, by float_check_array: that of an operation on
 * `args`, where `where` (UNSET: everywhere). */
bool float_watched(gpa_vm *vm);
void float_watch(gpa_vm *vm, bool on);
gpa_code float_check_array(gpa_vm *vm, gpa_op op, const value *args, value where, value result);
/* Calls a function of the library while arrays are not looked at. */
gpa_code float_ask(gpa_vm *vm, const char *name, size_t n, const value *args);
/* If results must be looked at: calls a function of the library with n arguments and the result,
 * for which args has room behind them. */
gpa_code float_check_arr(gpa_vm *vm, const char *look, size_t n, value *args, gpa_arr *result);
/* What a check has said, passed on: a result that is refused is given back. */
gpa_code float_checked(gpa_vm *vm, gpa_code rc, value *result);

#endif
