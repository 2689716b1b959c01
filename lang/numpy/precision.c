/* The precision of matrix products: objects and context managers. */
#include "lang/numpy/all.h"
#include "lang/numpy/scoped.h"
#include "lang/vm/kinds.h"
#include "lang/vm/vm.h"

static const scoped_setting setting = {&precision_kind, rt_precision, rt_set_precision};

static gpa_code precision_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_printf(out, "precision('%s')", scoped_name(o));
    return GPA_OK;
}

static gpa_code precision_enter(gpa_vm *vm, object_obj *o, value *out) {
    return scoped_enter(vm, &setting, o, out);
}

static gpa_code precision_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    *swallow = false;
    return scoped_exit(vm, &setting, o, exc);
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
        *name = scoped_name(v.object);
        return GPA_OK;
    }
    gpa_code rc = arg_text(vm, v, "precision", name, &n);
    return rc ? rc : rt_check_precision(*name, vm_err(vm));
}

gpa_code precision_new(gpa_vm *vm, value *argv, value *out) { /* name */
    const char *name;
    gpa_code rc = arg_precision(vm, argv[0], &name);
    return rc ? rc : native_return(scoped_new(vm, &setting, name), out);
}

gpa_code precision_use(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return rt_set_precision(vm_rt(vm), scoped_name(argv[0].object), vm_err(vm));
}

gpa_code precision_name(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_cstr(vm, scoped_name(argv[0].object)), out);
}
