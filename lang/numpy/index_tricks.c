/* NumPy's index tricks, objects that are used by subscripts: mgrid, ogrid, r_, c_. */
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"
#include "lang/vm/vm.h"

gpa_code np_library_func(gpa_vm *vm, const char *name, value *out) {
    module_obj *numpy;
    gpa_code rc = vm_import(vm, "numpy", &numpy);
    if (rc) return rc;
    value v = module_get_text_peek(vm, numpy, name);
    if (v.tag == V_UNSET) return vm_fail(vm, GPA_E_INTERNAL, "the library has no '%s'", name);
    *out = value_retain(v);
    return GPA_OK;
}

static gpa_code subscript_getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    value fn;
    gpa_code rc = np_library_func(vm, o->data, &fn);
    if (rc) return rc;
    rc = vm_call(vm, fn, ARGS(2, (value[]){key, o->fields[0]}), out);
    value_release(vm, fn);
    return rc;
}

const object_kind subscript_kind = {.type_name = "numpy.lib._index_tricks_impl.nd_grid",
                                    .getitem = subscript_getitem};

value np_subscript(gpa_vm *vm, const char *function, value how) {
    value v = v_object(vm, &subscript_kind, 1);
    if (v.tag == V_UNSET) return v;
    v.object->data = (char *)(uintptr_t)function;
    v.object->fields[0] = how;
    return v;
}
