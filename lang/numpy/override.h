/* Overriding ufuncs: the protocol __array_ufunc__. */
#ifndef GPA_NUMPY_OVERRIDE_H
#define GPA_NUMPY_OVERRIDE_H

#include "lang/vm/native.h"

enum { OVERRIDE_MOST_NAMED = 8 };

/* The arguments of a ufunc or of one of its methods. */
typedef struct {
    size_t n; /* inputs */
    const value *inputs;
    size_t n_named;
    const char *const *names;
    const value *values;
} override_call;

/* True if one of the values, or of the items of a tuple, has a class with __array_ufunc__. */
bool override_among(size_t n, const value *args);
/* Calls __array_ufunc__ of each operand in order, until one does not return NotImplemented. */
gpa_code override_run(gpa_vm *vm, value of, const char *method, const override_call *call,
                      value *out);
/* The same for a method of a ufunc: argv holds the ufunc, the inputs, and the arguments with names,
 * of which those that differ from their defaults are passed on. `plain` has the number of inputs,
 * the names and the defaults. */
gpa_code override_method(gpa_vm *vm, const char *method, const value *argv,
                         const override_call *plain, value *out);

#endif
