/* The precision of matrix products: objects and context managers.
 *
 * An object has two fields: its name, and a stack of the precisions that held before it was
 * entered, so that one object may be entered recursively. */
#include "lang/typed/all.h"
#include "lang/vm/kinds.h"
#include "lang/vm/vm.h"

enum { NAME, BEFORE, FIELDS };

static const char *name_of(const object_obj *o) { return o->fields[NAME].str->text; }

static gpa_code precision_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_printf(out, "precision('%s')", name_of(o));
    return GPA_OK;
}

static gpa_code precision_enter(gpa_vm *vm, object_obj *o, value *out) {
    value before = v_cstr(vm, rt_precision(vm_rt(vm)));
    gpa_code rc =
        before.tag == V_UNSET ? vm_err(vm)->code : list_append(vm, o->fields[BEFORE].list, before);
    value_release(vm, before);
    if (!rc) rc = rt_set_precision(vm_rt(vm), name_of(o), vm_err(vm));
    *out = value_retain(v_obj(V_OBJECT, o));
    return rc;
}

static gpa_code precision_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    list_obj *stack = o->fields[BEFORE].list;
    (void)exc;
    *swallow = false;
    if (!stack->count) return GPA_OK;
    value before = stack->items[--stack->count];
    gpa_code rc = rt_set_precision(vm_rt(vm), before.str->text, vm_err(vm));
    value_release(vm, before);
    return rc;
}

const object_kind precision_kind = {.type_name = "gpa.precision",
                                    .repr = precision_repr,
                                    .enter = precision_enter,
                                    .exit = precision_exit};

/* The name of an argument: a precision, its name, its row (which tapes record), or None: the one
 * that holds. */
static gpa_code arg_precision(gpa_vm *vm, value v, const char **name) {
    size_t n;
    if (v.tag == V_NONE) {
        *name = rt_precision(vm_rt(vm));
        return GPA_OK;
    }
    if (v.tag == V_INT && (*name = rt_precision_name(v.i))) return GPA_OK;
    if (is_kind(v, &precision_kind)) {
        *name = name_of(v.object);
        return GPA_OK;
    }
    gpa_code rc = arg_text(vm, v, "precision", name, &n);
    return rc ? rc : rt_check_precision(*name, vm_err(vm));
}

static gpa_code make_precision(gpa_vm *vm, const char *name, value *out) {
    value v = v_object(vm, &precision_kind, FIELDS);
    if (v.tag == V_UNSET) return vm_err(vm)->code;
    v.object->fields[NAME] = v_cstr(vm, name);
    v.object->fields[BEFORE] = v_list(vm, 0, NULL);
    if (v.object->fields[NAME].tag == V_UNSET || v.object->fields[BEFORE].tag == V_UNSET) {
        value_release(vm, v);
        v = v_unset();
    }
    return native_return(v, out);
}

gpa_code precision_new(gpa_vm *vm, value *argv, value *out) { /* name */
    const char *name;
    gpa_code rc = arg_precision(vm, argv[0], &name);
    return rc ? rc : make_precision(vm, name, out);
}

gpa_code precision_use(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return rt_set_precision(vm_rt(vm), name_of(argv[0].object), vm_err(vm));
}

gpa_code precision_name(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_cstr(vm, name_of(argv[0].object)), out);
}
