/* Methods of iterators and generators. */
#include "lang/vm/generator.h"

#include "lang/builtin/all.h"
#include "lang/vm/class.h"

gpa_code iterator_next(gpa_vm *vm, value *argv, value *out) {
    return iterate_next(vm, (value[]){argv[0], v_unset()}, out);
}

gpa_code iterator_iter(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0]);
    return GPA_OK;
}

/* Converts the result of resuming: an item, or StopIteration with the return value. */
static gpa_code return_item(gpa_vm *vm, gpa_code rc, bool done, value *out) {
    if (rc || !done) return rc;
    value result = *out;
    *out = v_none();
    rc = vm_raise(vm, GPA_E_STOP_ITERATION, result.tag != V_NONE, &result);
    value_release(vm, result);
    return rc;
}

gpa_code generator_send_value(gpa_vm *vm, value *argv, value *out) {
    bool done = false;
    gpa_code rc = generator_send(vm, generator_of(argv[0].iter), value_retain(argv[1]), out, &done);
    return return_item(vm, rc, done, out);
}

/* The exception of throw's arguments, owned. */
static gpa_code exception_of(gpa_vm *vm, value type, value v, value *out) {
    bool class = (type.tag == V_TYPE && type.aux >= AUX_ERROR && type.aux < AUX_FROZENSET) ||
                 (type.tag == V_CLASS && type.class->error);
    if (type.tag == V_EXCEPTION && v.tag != V_NONE)
        return vm_fail(vm, GPA_E_TYPE, "instance exception may not have a separate value");
    bool made = type.tag == V_EXCEPTION;
    gpa_code rc = class && v.tag == V_EXCEPTION ? raise_match(vm, v, type, &made) : GPA_OK;
    if (rc) return rc;
    if (made) {
        *out = value_retain(type.tag == V_EXCEPTION ? type : v);
        return GPA_OK;
    }
    if (!class)
        return vm_fail(
            vm, GPA_E_TYPE,
            "exceptions must be classes or instances deriving from BaseException, not %s",
            value_type_name(type));
    bool several = v.tag == V_TUPLE;
    rc = vm_call(vm, type,
                 ARGS(several ? v.tuple->count : v.tag != V_NONE, several ? v.tuple->items : &v),
                 out);
    if (rc || out->tag == V_EXCEPTION) return rc;
    value_release(vm, *out);
    return vm_fail(vm, GPA_E_TYPE, "calling %s should have returned an instance of BaseException",
                   value_type_name(type));
}

gpa_code generator_throw_value(gpa_vm *vm, value *argv, value *out) {
    value exc = v_none();
    bool done = false;
    gpa_code rc = exception_of(vm, argv[1], argv[2], &exc);
    if (rc) return rc;
    rc = generator_throw(vm, generator_of(argv[0].iter), exc, out, &done);
    value_release(vm, exc);
    return return_item(vm, rc, done, out);
}

gpa_code generator_close_now(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return generator_close(vm, generator_of(argv[0].iter));
}

gpa_code generator_running(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_bool(generator_of(argv[0].iter)->running);
    return GPA_OK;
}

gpa_code generator_suspended(gpa_vm *vm, value *argv, value *out) {
    const generator *g = generator_of(argv[0].iter);
    (void)vm;
    *out = v_bool(g->started && !g->running && !g->done);
    return GPA_OK;
}

gpa_code generator_yieldfrom(gpa_vm *vm, value *argv, value *out) {
    const generator *g = generator_of(argv[0].iter);
    (void)vm;
    if (g->started && !g->running && !g->done && g->at->op == I_YIELD_FROM)
        *out = value_retain(generator_delegate_peek(g));
    return GPA_OK;
}

gpa_code generator_get_name(gpa_vm *vm, value *argv, value *out) {
    const generator *g = generator_of(argv[0].iter);
    return native_return(
        v_cstr(vm, g->fn ? func_name(vm, g->fn) : intern_text(vm_names(vm), g->code->name)), out);
}

gpa_code generator_get_title(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_cstr(vm, generator_title(vm, generator_of(argv[0].iter))), out);
}
