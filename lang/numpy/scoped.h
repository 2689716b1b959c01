/* Objects that name a value of a setting of the runtime: a device, a precision. As context managers
 * they hold it for a block. */
#ifndef GPA_NUMPY_SCOPED_H
#define GPA_NUMPY_SCOPED_H

#include "lang/vm/kinds.h"

typedef struct {
    const object_kind *kind;
    const char *(*get)(const gpa_rt *rt);
    gpa_code (*set)(gpa_rt *rt, const char *name, gpa_err *e);
} scoped_setting;

/* A new object; UNSET: memory is short. */
value scoped_new(gpa_vm *vm, const scoped_setting *s, const char *name);
/* The name of the value, owned by the object. */
const char *scoped_name(const object_obj *o);
/* Sets the value, and remembers the one before. */
gpa_code scoped_enter(gpa_vm *vm, const scoped_setting *s, object_obj *o, value *out);
/* Restores the value before, also after a failure; errors of pending work are raised once. */
gpa_code scoped_exit(gpa_vm *vm, const scoped_setting *s, object_obj *o, value exc);

#endif
