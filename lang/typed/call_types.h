/* The argument, variable and result types that jitted functions were called with. */
#ifndef GPA_TYPED_CALL_TYPES_H
#define GPA_TYPED_CALL_TYPES_H

#include "lang/compile/code.h"

/* One combination of argument types. */
typedef struct {
    uint32_t *key; /* of the arguments: equal for equal types only */
    uint32_t n_key;
    value args;       /* a TUPLE of types */
    value result;     /* a type, or NONE: no call has returned */
    value *variables; /* types at the first return, UNSET for an unbound one; or NULL */
} call_type;

struct typed_calls {
    call_type *at;
    size_t n, cap, current;
};

/* Records a call of jitted code, whose parameters are the first registers. */
gpa_code call_types_enter(gpa_vm *vm, code *c, const value *regs);
/* Records a return of jitted code from the call entered last. */
gpa_code call_types_leave(gpa_vm *vm, code *c, const value *regs, value result);
void call_types_free(gpa_vm *vm, typed_calls *t, uint32_t n_variables); /* NULL is ignored */

#endif
