/* The operations on values that lang/object/ leaves to the interpreter (lang/object/core.h). */
#include "lang/vm/foreign.h"
#include "lang/vm/class.h"
#include "lang/vm/machine.h"
#include "lang/vm/record.h"

static bool class_has(const class_obj *c, const char *member) {
    return class_text_peek(c, member).tag != V_UNSET;
}

static gpa_code equal_arrays(gpa_vm *vm, value a, value b, bool *out) {
    value all = v_none();
    gpa_code rc = vm_binary(vm, OP_EQUAL, a, b, &all);
    if (rc) return rc;
    rc = value_truth(vm, all, out);
    value_release(vm, all);
    return rc;
}

/* By __eq__ of either type; false when neither defines it. */
static gpa_code equal(gpa_vm *vm, value a, value b, bool *out) {
    value answer = v_none();
    bool handled;
    if (a.tag == V_ARRAY || b.tag == V_ARRAY) return equal_arrays(vm, a, b, out);
    if (a.tag == V_OBJECT && b.tag == V_OBJECT && a.object->kind == b.object->kind &&
        a.object->kind->equal) {
        *out = a.object->kind->equal(a.object, b.object);
        return GPA_OK;
    }
    handled = is_foreign(a) || is_foreign(b);
    gpa_code rc = handled ? foreign.binary(vm, AST_OP_EQ, a, b, &answer)
                          : record_binary(vm, AST_OP_EQ, a, b, &answer, &handled);
    if (!rc && handled) rc = value_truth(vm, answer, out);
    value_release(vm, answer);
    return rc;
}

const value_hook_table value_hooks = {
    .free_function = func_free,
    .unlink_exception = exception_unlink,
    .unlink_class = class_unlink,
    .class_has = class_has,
    .equal = equal,
};
