/* The methods of compiled ufuncs: reduce, accumulate, reduceat, outer, at.
 *
 * A function of two numbers need not be associative, so elements are taken in order, one after the other along the axis, all
 * other axes at once. */
#include "lang/builtin/all.h"
#include "lang/numpy/numpy.h"
#include "lang/typed/typed.h"

static const char *name_of(gpa_vm *vm, const object_obj *o) { return func_name(vm, o->fields[0].func); }

static gpa_code two(gpa_vm *vm, object_obj *o, value a, value b, value *out) {
    return vectorized_call(vm, o, (value[]){a, b}, out);
}

static gpa_code binary_only(gpa_vm *vm, const object_obj *o, const char *method) {
    if (vectorized_arity(o) == 2) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "%s only supported for binary functions", method);
}

/* Element after element along the axis; `all`: every step is kept, else the last. */
static gpa_code fold(gpa_vm *vm, value *argv, bool all, value initial, value *out) {
    object_obj *o = argv[0].object;
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *moved = NULL, *kept = NULL, *back = NULL;
    value acc = value_retain(initial), item = v_unset(), next = v_unset();
    int perm[GPA_MAX_DIMS], axis;
    gpa_code rc = binary_only(vm, o, all ? "accumulate" : "reduce");
    if (rc) return rc;
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    TRY(arg_axis(vm, argv[2], a->ndim, &axis));
    perm[0] = axis;
    for (int d = 0, k = 1; d < a->ndim; d++)
        if (d != axis) perm[k++] = d;
    TRY(arr_transpose(rt, a, perm, &moved, vm_err(vm)));
    if (!all && moved->shape[0] == 0 && acc.tag == V_UNSET) TRY(vm_fail(vm, GPA_E_VALUE, "zero-size array to reduction operation %s which has no identity", name_of(vm, o)));
    for (int64_t i = 0; i < moved->shape[0]; i++) {
        gpa_index at = {.kind = IX_INT, .i = i};
        gpa_arr *part = NULL;
        TRY(vm_poll(vm));
        TRY(arr_get(rt, moved, &at, 1, NULL, &part, vm_err(vm)));
        TRY(np_return_array(vm, part, &item));
        if (acc.tag != V_UNSET) TRY(two(vm, o, acc, item, &next));
        else next = value_retain(item);
        value_release(vm, acc);
        value_release(vm, item);
        acc = next;
        next = item = v_unset();
        if (!all) continue;
        gpa_opnd rhs = {0};
        TRY(arg_opnd(vm, acc, &rhs));
        if (!kept) rc = arr_empty(rt, typed_of(&rhs).dtype, moved->ndim, moved->shape, &kept, vm_err(vm));
        if (!rc) rc = arr_set(rt, kept, &at, 1, &rhs, vm_err(vm));
        arg_opnd_release(vm, &rhs);
        if (rc) goto out;
    }
    if (!all) {
        *out = value_retain(acc);
        goto out;
    }
    if (!kept) TRY(arr_empty(rt, (gpa_dtype)a->dtype, moved->ndim, moved->shape, &kept, vm_err(vm)));
    for (int d = 0, k = 1; d < a->ndim; d++) perm[d] = d == axis ? 0 : k++;
    TRY(arr_transpose(rt, kept, perm, &back, vm_err(vm)));
    rc = np_return_array(vm, back, out);
out:
    arr_release(rt, a);
    arr_release(rt, moved);
    arr_release(rt, kept);
    value_release(vm, acc);
    value_release(vm, item);
    return rc;
}

/* One axis: None for arrays of one dimension, an int, or a tuple of one. */
static gpa_code one_axis(gpa_vm *vm, const object_obj *o, value axis, int ndim, value *out) {
    *out = axis;
    if (axis.tag == V_TUPLE && axis.tuple->count == 1) *out = axis.tuple->items[0];
    else if (axis.tag == V_NONE && ndim == 1) *out = v_int(0);
    else if (axis.tag == V_NONE || axis.tag == V_TUPLE)
        return vm_fail(vm, GPA_E_VALUE, "reduction operation '%s' is not reorderable, so at most one axis may be specified", name_of(vm, o));
    return GPA_OK;
}

/* The result with the axis back, of extent 1. */
static gpa_code keep_axis(gpa_vm *vm, value axis, int ndim, value *v) {
    gpa_arr *a = NULL, *wide = NULL;
    int64_t shape[GPA_MAX_DIMS];
    int at;
    gpa_code rc = arg_axis(vm, axis, ndim, &at);
    if (!rc) rc = arg_array(vm, *v, DT_NONE, &a);
    for (int d = 0; !rc && d < ndim; d++) shape[d] = d == at ? 1 : a->shape[d - (d > at)];
    if (!rc) rc = arr_reshape(vm_rt(vm), a, ndim, shape, &wide, vm_err(vm));
    arr_release(vm_rt(vm), a);
    if (rc) return rc;
    value_release(vm, *v);
    *v = v_none();
    return np_return_array(vm, wide, v);
}

static gpa_code store(gpa_vm *vm, gpa_arr *into, value v) {
    gpa_opnd o = {0};
    gpa_index all = {.kind = IX_ELLIPSIS};
    gpa_code rc = arg_opnd(vm, v, &o);
    if (!rc) rc = arr_set(vm_rt(vm), into, &all, 1, &o, vm_err(vm));
    arg_opnd_release(vm, &o);
    return rc;
}

gpa_code typed_reduce(gpa_vm *vm, value *argv, value *out) { /* self, array, axis, dtype, out, keepdims, initial */
    gpa_arr *a = NULL, *into = NULL;
    gpa_dtype t;
    bool keep = false;
    value array = v_none(), axis, result = v_none(), initial = v_unset();
    gpa_code rc = GPA_OK;
    TRY(arg_dtype(vm, argv[3], &t));
    TRY(arg_out(vm, argv[4], &into));
    TRY(arg_bool(vm, argv[5], "keepdims", &keep));
    TRY(arg_array(vm, argv[1], t, &a));
    int ndim = a->ndim;
    if (argv[6].tag != V_NONE) { /* counts as an element */
        gpa_arr *first;
        TRY(arg_array(vm, argv[6], (gpa_dtype)a->dtype, &first));
        TRY(np_return(vm, first, &initial));
    }
    TRY(one_axis(vm, argv[0].object, argv[2], ndim, &axis));
    rc = np_return_array(vm, a, &array);
    a = NULL;
    TRY(rc);
    TRY(fold(vm, (value[]){argv[0], array, axis}, false, initial, &result));
    if (keep) TRY(keep_axis(vm, axis, ndim, &result));
    if (into) TRY(store(vm, into, result));
    *out = value_retain(into ? argv[4].tag == V_TUPLE ? argv[4].tuple->items[0] : argv[4] : result);
out:
    arr_release(vm_rt(vm), a);
    value_release(vm, array);
    value_release(vm, result);
    value_release(vm, initial);
    return rc;
}

gpa_code typed_accumulate(gpa_vm *vm, value *argv, value *out) { return fold(vm, argv, true, v_unset(), out); }

/* a[i] = f(a[i], b[i]) for one place after the other, so that repeated places count each time. */
gpa_code typed_at(gpa_vm *vm, value *argv, value *out) { /* self, a, indices, b */
    object_obj *o = argv[0].object;
    uint32_t arity = vectorized_arity(o);
    value places = v_none(), others = v_none(), old = v_none(), new = v_none();
    gpa_code rc = GPA_OK;
    (void)out;
    if (argv[1].tag != V_ARRAY) return vm_fail(vm, GPA_E_TYPE, "first operand must be array");
    if (arity > 2) return vm_fail(vm, GPA_E_VALUE, "Only unary and binary ufuncs supported at this time");
    if ((arity == 2) != (argv[3].tag != V_UNSET))
        return vm_fail(vm, GPA_E_VALUE, arity == 2 ? "second operand needed for ufunc" : "second operand provided when ufunc is unary");
    bool several = argv[2].tag == V_ARRAY || argv[2].tag == V_LIST, many = argv[3].tag == V_ARRAY || argv[3].tag == V_LIST;
    if (several) TRY(vm_collect(vm, argv[2], &places));
    if (several && many) TRY(vm_collect(vm, argv[3], &others));
    size_t n = several ? places.list->count : 1;
    if (several && many && others.list->count != n && others.list->count != 1) TRY(vm_fail(vm, GPA_E_VALUE, "array is not broadcastable to correct shape"));
    for (size_t i = 0; i < n; i++) {
        value at = several ? places.list->items[i] : argv[2];
        value by = several && many ? others.list->items[others.list->count == 1 ? 0 : i] : argv[3];
        TRY(vm_poll(vm));
        TRY(vm_getitem(vm, argv[1], at, &old));
        TRY(vectorized_call(vm, o, (value[]){old, by}, &new));
        TRY(vm_setitem(vm, argv[1], at, new));
        value_release(vm, old);
        value_release(vm, new);
        old = new = v_none();
    }
out:
    value_release(vm, places);
    value_release(vm, others);
    value_release(vm, old);
    value_release(vm, new);
    return rc;
}

gpa_code typed_reduceat(gpa_vm *vm, value *argv, value *out) { /* self, array, indices, axis */
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *part = NULL, *whole = NULL;
    value places = v_none(), piece = v_none(), parts = v_list(vm, 0, NULL), reduced = v_none();
    gpa_index ix[GPA_MAX_DIMS] = {0};
    int axis;
    gpa_code rc = binary_only(vm, argv[0].object, "reduceat");
    TRY(rc);
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    TRY(arg_axis(vm, argv[3], a->ndim, &axis));
    TRY(vm_collect(vm, argv[2], &places));
    size_t n = places.list->count;
    if (n == 0) TRY(vm_fail(vm, GPA_E_VALUE, "need at least one index"));
    for (int d = 0; d < axis; d++) ix[d] = (gpa_index){.kind = IX_SLICE};
    for (size_t i = 0; i < n; i++) {
        int64_t lo, hi = a->shape[axis];
        TRY(arg_int(vm, places.list->items[i], "indices", &lo));
        if (i + 1 < n) TRY(arg_int(vm, places.list->items[i + 1], "indices", &hi));
        if (lo < 0 || lo >= a->shape[axis])
            TRY(vm_fail(vm, GPA_E_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)", (long long)lo,
                        name_of(vm, argv[0].object), (long long)a->shape[axis]));
        ix[axis] = (gpa_index){.kind = IX_SLICE, .has_start = true, .has_stop = true, .start = lo, .stop = hi > lo ? hi : lo + 1};
        TRY(arr_get(rt, a, ix, axis + 1, NULL, &part, vm_err(vm)));
        TRY(np_return_array(vm, part, &piece));
        TRY(fold(vm, (value[]){argv[0], piece, v_int(axis)}, false, v_unset(), &reduced));
        TRY(list_append(vm, parts.list, reduced));
        value_release(vm, piece);
        value_release(vm, reduced);
        piece = reduced = v_none();
    }
    TRY(arg_array(vm, parts, DT_NONE, &part));
    whole = part;
    int perm[GPA_MAX_DIMS];
    for (int d = 0, k = 1; d < whole->ndim; d++) perm[d] = d == axis ? 0 : k++;
    TRY(arr_transpose(rt, whole, perm, &part, vm_err(vm)));
    rc = np_return_array(vm, part, out);
out:
    arr_release(rt, a);
    arr_release(rt, whole);
    value_release(vm, places);
    value_release(vm, piece);
    value_release(vm, parts);
    value_release(vm, reduced);
    return rc;
}

gpa_code typed_outer(gpa_vm *vm, value *argv, value *out) { /* self, A, B */
    gpa_arr *a = NULL, *b = NULL, *tall = NULL;
    value left = v_none();
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = binary_only(vm, argv[0].object, "outer");
    if (rc) return rc;
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    TRY(arg_array(vm, argv[2], DT_NONE, &b));
    int n = a->ndim + b->ndim;
    if (n > GPA_MAX_DIMS)
        TRY(vm_fail(vm, GPA_E_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d", GPA_MAX_DIMS, n));
    for (int d = 0; d < n; d++) shape[d] = d < a->ndim ? a->shape[d] : 1;
    TRY(arr_reshape(vm_rt(vm), a, n, shape, &tall, vm_err(vm)));
    TRY(np_return_array(vm, tall, &left));
    rc = two(vm, argv[0].object, left, argv[2], out);
out:
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), b);
    value_release(vm, left);
    return rc;
}
