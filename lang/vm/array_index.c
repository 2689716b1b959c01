/* Subscripts of arrays: conversion to the runtime's indices. */
#include "lang/vm/array_args.h"
#include "lang/vm/foreign.h"

static gpa_code slice_bound(gpa_vm *vm, value v, bool *has, int64_t *out) {
    *has = v.tag != V_NONE;
    if (!*has) return GPA_OK;
    if (arg_int(vm, v, "slice", out) == GPA_OK) return GPA_OK;
    if (vm_err(vm)->code != GPA_E_TYPE) return vm_err(vm)->code;
    vm_clear_error(vm);
    return vm_fail(vm, GPA_E_TYPE,
                   "slice indices must be integers or None or have an __index__ method");
}

static gpa_code fail_index(gpa_vm *vm) {
    return vm_fail(vm, GPA_E_INDEX,
                   "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                   "integer or boolean arrays are valid indices");
}

/* An integer or boolean index array from a sequence or array. An empty list counts as integers; a
 * sequence of other values is an IndexError. */
static gpa_code index_array(gpa_vm *vm, value v, gpa_index *ix) {
    gpa_rt *rt = vm_rt(vm);
    gpa_code rc = arg_array(vm, v, DT_NONE, &ix->arr);
    if (rc == GPA_E_TYPE) {
        vm_clear_error(vm);
        return fail_index(vm);
    }
    if (rc) return rc;
    ix->kind = IX_ARRAY;
    gpa_dtype t = (gpa_dtype)ix->arr->dtype;
    if (t == DT_BOOL || dtype_is_int(t)) return GPA_OK;
    if (v.tag == V_ARRAY)
        return vm_fail(vm, GPA_E_INDEX,
                       "arrays used as indices must be of integer (or boolean) type");
    if (ix->arr->size) return fail_index(vm);
    gpa_arr *ints = NULL;
    rc = arr_cast(rt, ix->arr, DT_I64, false, &ints, vm_err(vm));
    arr_release(rt, ix->arr);
    ix->arr = ints;
    return rc;
}

static gpa_code convert_index(gpa_vm *vm, value v, gpa_index *ix) {
    v = value_underlying(v);
    *ix = (gpa_index){0};
    switch ((int)v.tag) {
        case V_INT:
            ix->kind = IX_INT;
            ix->i = v.i;
            return GPA_OK;
        case V_NONE: ix->kind = IX_NEWAXIS; return GPA_OK;
        case V_ELLIPSIS: ix->kind = IX_ELLIPSIS; return GPA_OK;
        case V_SLICE: {
            ix->kind = IX_SLICE;
            gpa_code rc = slice_bound(vm, v.slice->start, &ix->has_start, &ix->start);
            if (!rc) rc = slice_bound(vm, v.slice->stop, &ix->has_stop, &ix->stop);
            if (!rc) rc = slice_bound(vm, v.slice->step, &ix->has_step, &ix->step);
            if (!rc && ix->has_step && ix->step == 0)
                rc = vm_fail(vm, GPA_E_VALUE, "slice step cannot be zero");
            return rc;
        }
        case V_NUM:
            if (!dtype_is_int((gpa_dtype)v.aux)) break;
            ix->kind = IX_INT;
            return arg_int(vm, v, "index", &ix->i);
        case V_ARRAY:
            /* a 0-d integer array indexes like a number if NumPy would return it as a scalar */
            if (!v.aux || !dtype_is_int((gpa_dtype)v.array->arr->dtype))
                return index_array(vm, v, ix);
            ix->kind = IX_INT;
            return arg_int(vm, v, "index", &ix->i);
        case V_BOOL:
        case V_LIST:
        case V_TUPLE:
        case V_RANGE: return index_array(vm, v, ix);
    }
    if ((v.tag == V_NUM && v.aux == DT_BOOL) || is_foreign(v)) return index_array(vm, v, ix);
    return fail_index(vm);
}

gpa_code arg_index(gpa_vm *vm, value key, gpa_index *ix, int *n) {
    *n = 0;
    key = value_underlying(key);
    if (key.tag != V_TUPLE) {
        *n = 1;
        return convert_index(vm, key, ix);
    }
    if (key.tuple->count > ARG_MAX_INDEX)
        return vm_fail(vm, GPA_E_INDEX, "too many indices for array");
    for (size_t i = 0; i < key.tuple->count; i++) /* the kinds of indices are checked first */
        if (key.tuple->items[i].tag == V_FLOAT || key.tuple->items[i].tag == V_STR)
            return fail_index(vm);
    for (size_t i = 0; i < key.tuple->count; i++) {
        *n = (int)i + 1;
        gpa_code rc = convert_index(vm, key.tuple->items[i], &ix[i]);
        if (rc) return rc;
    }
    return GPA_OK;
}

void arg_index_release(gpa_vm *vm, gpa_index *ix, int n) {
    for (int i = 0; i < n; i++)
        if (ix[i].kind == IX_ARRAY) arr_release(vm_rt(vm), ix[i].arr);
}
