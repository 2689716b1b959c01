/* Settings of the runtime that hold for a block (scoped.h).
 *
 * An object has two fields: its name, and a stack of the values that held before it was entered, so
 * that one object may be entered recursively. */
#include "lang/numpy/scoped.h"

#include "lang/numpy/all.h"
#include "lang/vm/vm.h"

enum { NAME, BEFORE, FIELDS };

value scoped_new(gpa_vm *vm, const scoped_setting *s, const char *name) {
    value v = v_object(vm, s->kind, FIELDS);
    if (v.tag == V_UNSET) return v;
    v.object->fields[NAME] = v_cstr(vm, name);
    v.object->fields[BEFORE] = v_list(vm, 0, NULL);
    if (v.object->fields[NAME].tag != V_UNSET && v.object->fields[BEFORE].tag != V_UNSET) return v;
    value_release(vm, v);
    return v_unset();
}

const char *scoped_name(const object_obj *o) { return o->fields[NAME].str->text; }

gpa_code scoped_enter(gpa_vm *vm, const scoped_setting *s, object_obj *o, value *out) {
    value before = v_cstr(vm, s->get(vm_rt(vm)));
    gpa_code rc =
        before.tag == V_UNSET ? vm_err(vm)->code : list_append(vm, o->fields[BEFORE].list, before);
    value_release(vm, before);
    if (!rc) rc = s->set(vm_rt(vm), scoped_name(o), vm_err(vm));
    *out = value_retain(v_obj(V_OBJECT, o));
    return rc;
}

gpa_code scoped_exit(gpa_vm *vm, const scoped_setting *s, object_obj *o, value exc) {
    list_obj *stack = o->fields[BEFORE].list;
    gpa_err quiet = {0};
    const bool raised = exc.tag == V_EXCEPTION;
    if (!stack->count) return GPA_OK;
    value before = stack->items[--stack->count];
    gpa_code rc = s->set(vm_rt(vm), before.str->text, raised ? &quiet : vm_err(vm));
    if (rc) s->set(vm_rt(vm), before.str->text, &quiet);
    value_release(vm, before);
    return raised ? GPA_OK : rc;
}
