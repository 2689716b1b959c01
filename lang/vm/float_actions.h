/* The floating-point error state of a vm: numpy.seterr. */
#ifndef GPA_VM_FLOAT_ACTIONS_H
#define GPA_VM_FLOAT_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { FLOAT_DIVIDE, FLOAT_OVER, FLOAT_UNDER, FLOAT_INVALID, FLOAT_ERRORS } float_error;
typedef enum { FLOAT_IGNORE, FLOAT_WARN, FLOAT_AT_ONCE } float_action;

/* The current actions of a vm. */
typedef struct {
    uint8_t action[FLOAT_ERRORS]; /* float_action */
    bool watched;                 /* results of array operations are checked: vm_watch_floats */
    bool traps; /* %nan raise: a result that is not finite, of finite operands, is an error */
} float_actions;

/* NumPy's defaults. */
#define FLOAT_ACTIONS_DEFAULT \
    ((float_actions){.action = {FLOAT_WARN, FLOAT_WARN, FLOAT_IGNORE, FLOAT_WARN}})

#endif
