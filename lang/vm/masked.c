/* Masked assignments by predicated stores (compile_masked.c): when they apply, and the store. */
#include "lang/vm/array_interface.h"
#include "lang/vm/operate.h"
#include "lang/vm/step.h"
#include "runtime/tape.h"

static const gpa_arr *array_of(value v) { return v.tag == V_ARRAY && !v.aux ? v.array->arr : NULL; }

static bool is_scalar(value v, bool may_be_complex) {
    if (v.tag == V_NUM) return may_be_complex || !dtype_is_complex((gpa_dtype)v.aux);
    return v.tag == V_INT || v.tag == V_FLOAT || v.tag == V_BOOL ||
           (v.tag == V_COMPLEX && may_be_complex);
}

static bool same_shape(const gpa_arr *a, const gpa_arr *b) {
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0;
}

/* True if `target[m] = f(...)` may compute f for all elements: arrays of one shape and numbers,
 * whose arithmetic raises and warns for no element. */
static bool is_predicable(gpa_vm *vm, const value *v, unsigned n_arrays, unsigned n_numbers,
                          unsigned n) {
    const gpa_arr *target = array_of(v[0]);
    if (!target || !target->ndim || !target->size || target->readonly || vm->floats.watched ||
        tape_depth(vm->core.rt))
        return false;
    const bool is_complex = dtype_is_complex((gpa_dtype)target->dtype);
    for (unsigned i = 0; i < n; i++) {
        const gpa_arr *a = array_of(v[i]);
        if (i >= n_arrays && is_scalar(v[i], is_complex)) continue;
        if (!a || !same_shape(a, target) || (i >= n_arrays && i < n_arrays + n_numbers))
            return false;
        if (i < n_arrays && !dtype_is_float((gpa_dtype)a->dtype) &&
            (!is_complex || !dtype_is_complex((gpa_dtype)a->dtype)))
            return false;
    }
    return true;
}

gpa_code step_predicable(gpa_vm *vm, frame *f, value *r, const ins *i) {
    const bool applies = is_predicable(vm, &r[i->b], i[1].a, i[1].b, i->c);
    for (unsigned k = 0; k < i->c; k++) reg_consume(vm, f, i->b + k);
    reg_put(vm, &r[i->a], v_bool(applies));
    return GPA_OK;
}

/* Consumes key and item. */
static gpa_code set_where(gpa_vm *vm, value target, value key, value item) {
    const gpa_arr *mask = array_of(key);
    value selected = v_none();
    gpa_code rc;
    rt_set_location(vm->core.rt, vm_where(vm));
    vm->maybe_pending = true;
    if (mask && mask->dtype == DT_BOOL && same_shape(mask, target.array->arr)) {
        gpa_arr *when = arr_retain(key.array->arr), *v = arr_retain(item.array->arr);
        value_release(vm, key);
        value_release(vm, item);
        return arr_set_where(vm->core.rt, target.array->arr, when, v, &vm->core.err);
    }
    rc = op_getitem(vm, item, key, &selected);
    if (!rc) rc = op_setitem(vm, target, key, selected);
    value_release(vm, selected);
    value_release(vm, key);
    value_release(vm, item);
    return rc;
}

gpa_code step_set_where(gpa_vm *vm, frame *f, value *r, const ins *i) {
    const value key = reg_take(f, i->b), item = reg_take(f, i->c);
    gpa_code rc = set_where(vm, r[i->a], key, item);
    if (!rc) reg_consume(vm, f, i->a);
    return rc;
}
