/* Constructors and attributes of bool, type, slice and the exceptions. */
#include "lang/builtin/all.h"
#include "lang/vm/foreign.h"
#include "lang/vm/class.h"
#include "lang/format/format.h"
#include "lang/object/number.h"
#include "lang/vm/operate.h"
#include "lang/vm/vm.h"

gpa_code bool_new(gpa_vm *vm, value *argv, value *out) {
    bool truth;
    gpa_code rc = value_truth(vm, argv[1], &truth);
    if (!rc) *out = v_bool(truth);
    return rc;
}

gpa_code type_new(gpa_vm *vm, value *argv, value *out) {
    if (is_foreign(argv[1]) || (argv[1].tag == V_EXCEPTION && argv[1].exc->foreign.tag != V_NONE))
        return foreign.type(vm, argv[1], out);
    class_obj *c = class_of_peek(argv[1]);
    *out = c ? value_retain(v_obj(V_CLASS, c)) : v_type(type_of(argv[1]));
    return GPA_OK;
}

gpa_code type_mro(gpa_vm *vm, value *argv, value *out) {
    value all = v_unset();
    gpa_code rc;
    if (argv[0].tag == V_CLASS)
        rc = class_ancestors(vm, argv[0].class, &all);
    else
        rc = native_return(
            v_tuple(vm, 1 + (argv[0].aux != V_OBJECT), (value[]){argv[0], v_type(V_OBJECT)}), &all);
    if (!rc) rc = vm_collect(vm, all, out);
    value_release(vm, all);
    return rc;
}

gpa_code type_get_name(gpa_vm *vm, value *argv, value *out) {
    const char *name = type_name(argv[0].aux), *dot = strrchr(name, '.');
    return native_return(v_cstr(vm, dot ? dot + 1 : name), out);
}

gpa_code type_get_doc(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_none();
    return GPA_OK;
}

/* ---- slice ---- */

gpa_code slice_new(gpa_vm *vm, value *argv, value *out) {
    const tuple_obj *a = argv[1].tuple;
    if (a->count == 0) return vm_fail(vm, GPA_E_TYPE, "slice expected at least 1 argument, got 0");
    if (a->count > 3)
        return vm_fail(vm, GPA_E_TYPE, "slice expected at most 3 arguments, got %zu", a->count);
    if (a->count == 1) return native_return(v_slice(vm, v_none(), a->items[0], v_none()), out);
    return native_return(
        v_slice(vm, a->items[0], a->items[1], a->count == 3 ? a->items[2] : v_none()), out);
}

static gpa_code return_retained(value v, value *out) {
    *out = value_retain(v);
    return GPA_OK;
}

gpa_code slice_start(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_retained(argv[0].slice->start, out);
}

gpa_code slice_stop(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_retained(argv[0].slice->stop, out);
}

gpa_code slice_step(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_retained(argv[0].slice->step, out);
}

gpa_code slice_indices(gpa_vm *vm, value *argv, value *out) {
    int64_t n, start, stop, step;
    gpa_code rc = arg_int(vm, argv[1], "length", &n);
    if (!rc && n < 0) rc = vm_fail(vm, GPA_E_VALUE, "length should not be negative");
    if (!rc) rc = op_slice_bounds(vm, argv[0].slice, n, &start, &stop, &step);
    if (rc) return rc;
    const value at[3] = {v_int(start), v_int(stop), v_int(step)};
    return native_return(v_tuple(vm, 3, at), out);
}

/* ---- exceptions ---- */

gpa_code exception_new(gpa_vm *vm, value *argv, value *out) {
    gpa_code code =
        argv[0].aux >= AUX_ERROR ? (gpa_code)(argv[0].aux - AUX_ERROR) : GPA_E_EXCEPTION;
    return native_return(v_exception(vm, code, argv[1]), out);
}

gpa_code exception_init(gpa_vm *vm, value *argv, value *out) {
    exc_obj *e = argv[0].exc;
    (void)vm;
    (void)out;
    value old = e->args;
    e->args = value_retain(argv[1]);
    value_release(vm, old);
    return GPA_OK;
}

static gpa_code text_of(gpa_vm *vm, value v,
                        gpa_code (*put)(gpa_vm *vm, const exc_obj *e, gpa_str *out), value *out) {
    gpa_str s;
    str_init(&s);
    gpa_code rc = put(vm, v.exc, &s);
    return native_text(vm, rc, &s, out);
}

gpa_code exception_str(gpa_vm *vm, value *argv, value *out) {
    return text_of(vm, argv[0], format_exception_str, out);
}
gpa_code exception_repr(gpa_vm *vm, value *argv, value *out) {
    return text_of(vm, argv[0], format_exception_repr, out);
}

gpa_code exception_with_traceback(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_retained(argv[0], out);
}

gpa_code exception_args(gpa_vm *vm, value *argv, value *out) {
    const exc_obj *e = argv[0].exc;
    if (gpa_err_is(e->code, GPA_E_OS) &&
        e->args.tuple->count == 3) /* number, text, and the file name */
        return native_return(v_tuple(vm, 2, e->args.tuple->items), out);
    return return_retained(e->args, out);
}

gpa_code exception_cause(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_retained(argv[0].exc->cause, out);
}

gpa_code exception_context(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_retained(argv[0].exc->context, out);
}

gpa_code exception_suppress_context(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_bool(argv[0].exc->suppresses_context);
    return GPA_OK;
}

gpa_code exception_add_note(gpa_vm *vm, value *argv, value *out) {
    exc_obj *e = argv[0].exc;
    *out = v_none();
    if (argv[1].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "note must be a str, not '%s'", value_type_name(argv[1]));
    if (e->notes.tag == V_LIST) return list_append(vm, e->notes.list, argv[1]);
    value list = v_list(vm, 1, &argv[1]);
    if (list.tag == V_UNSET) return vm_err(vm)->code;
    e->notes = list;
    return GPA_OK;
}

/* Argument i of an OSError with errno and text; None otherwise. */
static gpa_code os_part(value v, size_t i, value *out) {
    const tuple_obj *args = v.exc->args.tuple;
    return return_retained(args->count >= 2 && i < args->count ? args->items[i] : v_none(), out);
}

gpa_code exception_errno(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return os_part(argv[0], 0, out);
}

gpa_code exception_strerror(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return os_part(argv[0], 1, out);
}

gpa_code exception_filename(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return os_part(argv[0], 2, out);
}
