/* Objects of the module numpy: mgrid and its kin, which are subscripted, and errstate, which is a context. */
#include "lang/builtin/all.h"
#include "lang/numpy/numpy.h"
#include "lang/vm.h"

gpa_code np_prelude(gpa_vm *vm, const char *name, value *out) {
    module_obj *numpy;
    gpa_code rc = vm_import(vm, "numpy", &numpy);
    if (rc) return rc;
    value v = module_get_text_peek(vm, numpy, name);
    if (v.tag == V_UNSET) return vm_fail(vm, GPA_E_INTERNAL, "the prelude has no '%s'", name);
    *out = value_retain(v);
    return GPA_OK;
}

static gpa_code subscript_getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    value fn;
    gpa_code rc = np_prelude(vm, o->data, &fn);
    if (rc) return rc;
    rc = vm_call(vm, fn, 2, (value[]){key, o->fields[0]}, 0, NULL, out);
    value_release(vm, fn);
    return rc;
}

const object_kind subscript_kind = {.type_name = "numpy.lib._index_tricks_impl.nd_grid", .getitem = subscript_getitem};

value np_subscript(gpa_vm *vm, const char *function, value how) {
    value v = v_object(vm, &subscript_kind, 1);
    if (v.tag == V_UNSET) return v;
    v.object->data = (char *)(uintptr_t)function;
    v.object->fields[0] = how;
    return v;
}

/* errstate: field 0 holds the settings to be made, field 1 those from before. The prelude keeps what holds now. */
static gpa_code set_modes(gpa_vm *vm, value modes, value *before) {
    value set = v_none();
    gpa_code rc = np_prelude(vm, "_set_error_modes", &set);
    if (!rc) rc = vm_call(vm, set, 1, &modes, 0, NULL, before);
    value_release(vm, set);
    return rc;
}

static gpa_code errstate_enter(gpa_vm *vm, object_obj *o, value *out) {
    value before = v_none();
    gpa_code rc = set_modes(vm, o->fields[0], &before);
    if (rc) return rc;
    value_release(vm, o->fields[1]);
    o->fields[1] = before;
    *out = v_none();
    return GPA_OK;
}

static gpa_code errstate_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    value ours = v_none();
    (void)exc;
    *swallow = false;
    gpa_code rc = set_modes(vm, o->fields[1], &ours);
    value_release(vm, ours);
    return rc;
}

const object_kind errstate_kind = {.type_name = "numpy.errstate", .enter = errstate_enter, .exit = errstate_exit};

gpa_code np_errstate(gpa_vm *vm, value *argv, value *out) { /* **kwargs */
    gpa_code rc = native_give(v_object(vm, &errstate_kind, 2), out);
    if (!rc) out->object->fields[0] = value_retain(argv[0]);
    return rc;
}
