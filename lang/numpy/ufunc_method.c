/* The methods of ufuncs: reduce, accumulate, reduceat, outer, at. */

#include "lang/numpy/all.h"
#include "lang/object/container.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"
#include "lang/numpy/override.h"
#include "lang/vm/vm.h"

static gpa_code binary_only(gpa_vm *vm, const ufunc *u, const char *method) {
    if (op_info[u->op].arity == 2) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "%s only supported for binary functions",
                   strcmp(method, "outer") == 0 ? "outer product" : method);
}

/* Reduction by an operation without a reduction of its own: a library function iterates over the
 * elements. Absent arguments are None. */
static gpa_code library_reduction(gpa_vm *vm, const char *name, size_t n, const value *argv,
                                  value *out) {
    value fn = v_none(), args[8];
    for (size_t i = 0; i < n; i++) args[i] = argv[i].tag == V_UNSET ? v_none() : argv[i];
    gpa_code rc = np_library_func(vm, name, &fn);
    if (!rc) rc = vm_call(vm, fn, ARGS(n, args), out);
    value_release(vm, fn);
    return rc;
}

gpa_code uf_reduce(gpa_vm *vm, value *argv,
                   value *out) { /* self, array, axis, dtype, out, keepdims, initial, where */
    const ufunc *u = argv[0].ufunc;
    if (override_among(4, argv + 1)) {
        static const char *const names[] = {"axis", "dtype", "out", "keepdims", "initial", "where"};
        const value plain[] = {v_int(0),      v_none(),  v_none(),
                               v_bool(false), v_unset(), v_bool(true)};
        return override_method(vm, "reduce", argv,
                               &(override_call){1, NULL, COUNT_OF(names), names, plain}, out);
    }
    gpa_code rc = binary_only(vm, u, "reduce");
    if (!rc) rc = ufunc_check_reduction(vm, u, argv[3]);
    if (rc || (rc = ufunc_refuse_ellipsis(vm, argv[4]))) return rc;
    if (argv[4].tag == V_ELLIPSIS) {
        value args[] = {argv[0], argv[1], argv[2], argv[3], v_none(), argv[5], argv[6], argv[7]};
        return ufunc_return_array(vm, uf_reduce(vm, args, out), out);
    }
    gpa_red red = (gpa_red)op_info[u->op].identity;
    if (red != RED_COUNT) return np_reduce_with(vm, red, argv + 1, out);
    return library_reduction(vm, "_fold_reduce", 8, argv, out);
}

/* axis=None selects the only axis; an array of several axes has none to select. */
static gpa_code default_axis(gpa_vm *vm, const char *method, value a, value *axis) {
    if (axis->tag != V_NONE) return GPA_OK;
    *axis = v_int(0);
    return a.tag != V_ARRAY || a.array->arr->ndim < 2
               ? GPA_OK
               : vm_fail(vm, GPA_E_VALUE, "%s does not allow multiple axes", method);
}

/* ldexp returns floats, which its reduction does not accept as integer operands. */
static gpa_code check_accumulates(gpa_vm *vm, const ufunc *u, const char *method, value array,
                                  value dtype) {
    gpa_arr *a = NULL;
    gpa_dtype asked;
    if (u->op != OP_LDEXP) return GPA_OK;
    gpa_code rc = arg_array(vm, array, DT_NONE, &a);
    if (!rc) rc = arg_dtype(vm, dtype, &asked);
    gpa_dtype t = rc ? DT_NONE : (gpa_dtype)a->dtype;
    arr_release(vm_rt(vm), a);
    if (rc || !(t == DT_BOOL || dtype_is_int(t)) || t == DT_U64)
        return rc; /* there is no ldexp of uint64 */
    const char *made = dtype_info[asked != DT_NONE     ? asked
                                  : dtype_size(t) == 1 ? DT_F16
                                  : dtype_size(t) == 2 ? DT_F32
                                                       : DT_F64]
                           .name;
    return vm_fail(vm, GPA_E_TYPE,
                   "the resolved dtypes are not compatible with ldexp.%s. Resolved (dtype('%s'), "
                   "dtype('%s'), dtype('%s'))",
                   method, made,
                   dtype_info[dtype_can_cast(t, DT_I32, CAST_SAFE) ? DT_I32 : DT_I64].name, made);
}

/* An array without axes has none to accumulate along; an axis that it could not have comes first.
 */
static gpa_code fail_scalar(gpa_vm *vm, const char *method, value axis) {
    int d;
    if (axis.tag != V_NONE && !(axis.tag == V_INT && (axis.i == 0 || axis.i == -1))) {
        gpa_code rc = arg_axis(vm, axis, 0, &d);
        if (rc) return rc;
    }
    return vm_fail(vm, GPA_E_TYPE, "cannot %s on a scalar", method);
}

gpa_code uf_accumulate(gpa_vm *vm, value *argv, value *out) { /* self, array, axis, dtype, out */
    const ufunc *u = argv[0].ufunc;
    static const char *const names[] = {"axis", "dtype", "out"};
    const value plain[] = {v_int(0), v_none(), v_none()};
    if (override_among(4, argv + 1))
        return override_method(vm, "accumulate", argv,
                               &(override_call){1, NULL, COUNT_OF(names), names, plain}, out);
    gpa_code rc = binary_only(vm, u, "accumulate");
    if (rc) return rc;
    gpa_red red = (gpa_red)op_info[u->op].identity;
    bool scalar = argv[1].tag == V_ARRAY
                      ? argv[1].array->arr->ndim == 0
                      : argv[1].tag != V_LIST && argv[1].tag != V_TUPLE && argv[1].tag != V_RANGE;
    if (scalar) return fail_scalar(vm, "accumulate", argv[2]);
    if ((rc = check_accumulates(vm, u, "accumulate", argv[1], argv[3])) ||
        (rc = ufunc_check_reduction(vm, u, argv[3])))
        return rc;
    value one[] = {argv[0], argv[1], argv[2], argv[3], argv[4]};
    rc = default_axis(vm, "accumulate", argv[1], &one[2]);
    if (rc) return rc;
    argv = one;
    if (red != RED_COUNT) return np_scan_with(vm, red, argv + 1, out);
    return library_reduction(vm, "_fold_accumulate", 5, argv, out);
}

enum { MANY_SEGMENTS = 16 };

/* True if the host may reduce the segments at once: an array, an operation of any evaluation order,
 * and 1-d integer indices, which *at becomes. */
static gpa_code host_segments(gpa_vm *vm, const ufunc *u, value array, value indices,
                              gpa_arr **at) {
    *at = NULL;
    if (array.tag != V_ARRAY || array.aux || array.array->arr->ndim == 0 ||
        (gpa_red)op_info[u->op].identity == RED_COUNT)
        return GPA_OK;
    bool list = indices.tag == V_LIST || indices.tag == V_TUPLE;
    const size_t n = !list ? 0 : indices.tag == V_LIST ? indices.list->count : indices.tuple->count;
    const value *items = !list                   ? NULL
                         : indices.tag == V_LIST ? indices.list->items
                                                 : indices.tuple->items;
    for (size_t i = 0; i < n; i++) list = list && items[i].tag == V_INT;
    if (!list && indices.tag != V_ARRAY) return GPA_OK;
    gpa_code rc = arg_array(vm, indices, DT_NONE, at);
    if (rc || ((*at)->ndim == 1 && (*at)->size && dtype_is_int((gpa_dtype)(*at)->dtype))) return rc;
    arr_release(vm_rt(vm), *at);
    *at = NULL;
    return GPA_OK;
}

/* Segmented reduction by the host; *out stays UNSET if it has no implementation. */
static gpa_code reduce_by_host(gpa_vm *vm, value *argv, gpa_arr *at, value *out) {
    gpa_arr *a = argv[1].array->arr, *reduced = NULL;
    int axis;
    gpa_dtype dtype;
    value result = v_none(), one = argv[3];
    gpa_code rc = default_axis(vm, "reduceat", argv[1], &one);
    if (!rc) rc = arg_axis(vm, one, a->ndim, &axis);
    *out = v_unset();
    if (!rc) rc = arg_dtype(vm, argv[4], &dtype);
    if (rc || float_checks_enabled(vm)) return rc;
    TRY(arr_reduceat(
        vm_rt(vm), &(arr_axis_reduction){(gpa_red)op_info[argv[0].ufunc->op].identity, axis, dtype},
        a, at, &reduced, vm_err(vm)));
    if (!reduced) goto out;
    TRY(np_return_array(vm, reduced, &result));
    rc = library_reduction(vm, "_into", 2, (value[]){result, argv[5]}, out);
out:
    value_release(vm, result);
    return rc;
}

/* Result without segments: an empty array of the dtype of a scan. */
static gpa_code reduce_no_segments(gpa_vm *vm, value *argv, gpa_arr *a, int axis, value *out) {
    gpa_index ix[GPA_MAX_DIMS];
    gpa_arr *piece = NULL;
    value part = v_none();
    for (int d = 0; d < axis; d++) ix[d] = (gpa_index){.kind = IX_SLICE};
    ix[axis] = (gpa_index){.kind = IX_SLICE, .has_stop = true, .stop = 0};
    gpa_code rc = arr_get(vm_rt(vm), a, &(gpa_indices){ix, axis + 1}, NULL, &piece, vm_err(vm));
    if (!rc) rc = np_return_array(vm, piece, &part);
    if (!rc) rc = uf_accumulate(vm, (value[]){argv[0], part, v_int(axis), argv[4], argv[5]}, out);
    value_release(vm, part);
    return rc;
}

/* Reduces segment [lo, hi) of an axis, or element lo if that is empty; *out keeps the axis. argv:
 * as uf_reduceat. */
static gpa_code reduce_segment(gpa_vm *vm, value *argv, gpa_arr *a, int axis,
                               const int64_t range[2], gpa_arr **out) {
    const int64_t lo = range[0], hi = range[1];
    gpa_arr *piece = NULL;
    value part = v_none(), reduced = v_none();
    if (lo < 0 || lo >= a->shape[axis])
        return vm_fail(vm, GPA_E_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                       (long long)lo, argv[0].ufunc->name, (long long)a->shape[axis]);
    gpa_index ix[GPA_MAX_DIMS];
    for (int d = 0; d < axis; d++) ix[d] = (gpa_index){.kind = IX_SLICE};
    ix[axis] = (gpa_index){.kind = IX_SLICE,
                           .has_start = true,
                           .has_stop = true,
                           .start = lo,
                           .stop = hi > lo ? hi : lo + 1};
    gpa_code rc = arr_get(vm_rt(vm), a, &(gpa_indices){ix, axis + 1}, NULL, &piece, vm_err(vm));
    if (!rc) rc = np_return_array(vm, piece, &part);
    /* A sum of floats starts from -0.0: 0 would turn -0.0 into 0.0. */
    bool inexact = dtype_is_float((gpa_dtype)a->dtype) || dtype_is_complex((gpa_dtype)a->dtype);
    value initial = argv[0].ufunc->op == OP_ADD && inexact ? v_float(-0.0) : v_unset();
    value args[] = {argv[0],  part,         v_int(axis), argv[4],
                    v_none(), v_bool(true), initial,     v_bool(true)};
    if (!rc) rc = uf_reduce(vm, args, &reduced);
    if (!rc) *out = arr_retain(reduced.array->arr);
    value_release(vm, part);
    value_release(vm, reduced);
    return rc;
}

/* Segmented reduction whose new result is in C order; argv: as uf_reduceat, out may be given. */
static gpa_code reduce_segments(gpa_vm *vm, value *argv, value *out) {
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *at = NULL, **parts = NULL, *whole = NULL;
    value starts = v_none(), joined = v_none();
    size_t n = 0;
    int axis;
    gpa_code rc = GPA_OK;
    TRY(host_segments(vm, argv[0].ufunc, argv[1], argv[2], &at));
    if (at) {
        TRY(reduce_by_host(vm, argv, at, out));
        if (out->tag == V_UNSET && at->size >= MANY_SEGMENTS && argv[2].tag == V_ARRAY)
            rc = library_reduction(vm, "_reduceat", 6, argv, out);
        if (rc || out->tag != V_UNSET) goto out;
    }
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    if (a->ndim == 0) TRY(fail_scalar(vm, "reduceat", argv[3]));
    value one = argv[3];
    TRY(default_axis(vm, "reduceat", argv[1], &one));
    TRY(arg_axis(vm, one, a->ndim, &axis));
    TRY(vm_collect(vm, argv[2], &starts));
    if (!starts.list->count) {
        rc = reduce_no_segments(vm, argv, a, axis, out);
        goto out;
    }
    parts = mem_zero(starts.list->count * sizeof *parts);
    if (!parts) TRY(vm_no_memory(vm));
    for (; n < starts.list->count; n++) {
        int64_t range[2] = {0, a->shape[axis]};
        if (starts.list->items[n].tag == V_LIST)
            TRY(vm_fail(vm, GPA_E_VALUE, "object too deep for desired array"));
        TRY(arg_int(vm, starts.list->items[n], "indices", &range[0]));
        if (n + 1 < starts.list->count)
            TRY(arg_int(vm, starts.list->items[n + 1], "indices", &range[1]));
        TRY(reduce_segment(vm, argv, a, axis, range, &parts[n]));
    }
    rc = arr_concat(rt,
                    &(arr_concatenation){.in = parts, .n = (int)n, .axis = axis, .dtype = DT_NONE},
                    &whole, vm_err(vm));
    if (!rc) rc = np_return_array(vm, whole, &joined);
    if (!rc) rc = library_reduction(vm, "_into", 2, (value[]){joined, argv[5]}, out);
out:
    arr_release(rt, a);
    arr_release(rt, at);
    while (n) arr_release(rt, parts[--n]);
    mem_free(parts);
    value_release(vm, starts);
    value_release(vm, joined);
    return rc;
}

/* The order in memory of a new result, as of NumPy's iterator, which sees no stride along the
 * reduced axis; true if that is not C order. */
static bool segments_order(const gpa_arr *a, int axis, int *perm) {
    int64_t strides[GPA_MAX_DIMS];
    memcpy(strides, a->strides, a->ndim * sizeof *strides);
    strides[axis] = 0;
    return arr_sort_axes(a->ndim, a->shape, strides, perm);
}

/* reduce_segments of the array with its axes permuted; the result's axes are permuted back. */
static gpa_code reduce_permuted(gpa_vm *vm, value *argv, int axis, const int *perm, value *out) {
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = argv[1].array->arr, *sorted = NULL, *whole = NULL;
    value array = v_none(), made = v_none();
    int back[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    for (int d = 0; d < a->ndim; d++) back[perm[d]] = d;
    TRY(arr_transpose(rt, a, perm, &sorted, vm_err(vm)));
    TRY(np_return_array(vm, sorted, &array));
    TRY(reduce_segments(
        vm, (value[]){argv[0], array, argv[2], v_int(back[axis]), argv[4], v_none()}, &made));
    TRY(arr_transpose(rt, made.array->arr, back, &whole, vm_err(vm)));
    arr_own(rt, whole);
    rc = np_return_array(vm, whole, out);
out:
    value_release(vm, array);
    value_release(vm, made);
    return rc;
}

gpa_code uf_reduceat(gpa_vm *vm, value *argv,
                     value *out) { /* self, array, indices, axis, dtype, out */
    static const char *const names[] = {"axis", "dtype", "out"};
    const value plain[] = {v_int(0), v_none(), v_none()};
    int axis, perm[GPA_MAX_DIMS];
    if (override_among(5, argv + 1))
        return override_method(vm, "reduceat", argv,
                               &(override_call){2, NULL, COUNT_OF(names), names, plain}, out);
    gpa_code rc = binary_only(vm, argv[0].ufunc, "reduceat");
    if (!rc) rc = check_accumulates(vm, argv[0].ufunc, "reduceat", argv[1], argv[4]);
    if (!rc) rc = ufunc_check_reduction(vm, argv[0].ufunc, argv[4]);
    const gpa_arr *a = argv[1].tag == V_ARRAY ? argv[1].array->arr : NULL;
    if (rc || !a || a->ndim < 2 || argv[3].tag == V_NONE || argv[5].tag != V_NONE)
        return rc ? rc : reduce_segments(vm, argv, out);
    if ((rc = arg_axis(vm, argv[3], a->ndim, &axis))) return rc;
    return segments_order(a, axis, perm) ? reduce_permuted(vm, argv, axis, perm, out)
                                         : reduce_segments(vm, argv, out);
}

gpa_code uf_outer(gpa_vm *vm, value *argv, value *out) { /* self, A, B, kwargs: as of a call */
    const ufunc *u = argv[0].ufunc;
    gpa_arr *a = NULL, *b = NULL, *tall = NULL;
    value left = v_none(), right = v_none(), args[2 + UFUNC_MAX_KEYWORDS],
          names[UFUNC_MAX_KEYWORDS];
    size_t at = 0, n_named = 0;
    for (dict_entry *e; n_named < UFUNC_MAX_KEYWORDS && (e = dict_next(argv[3].dict, &at));
         n_named++) {
        names[n_named] = e->key;
        args[2 + n_named] = e->v;
    }
    const char *texts[UFUNC_MAX_KEYWORDS];
    for (size_t i = 0; i < n_named; i++) texts[i] = names[i].str->text;
    if (override_among(2, argv + 1) || override_among(n_named, args + 2))
        return override_run(vm, argv[0], "outer",
                            &(override_call){2, argv + 1, n_named, texts, args + 2}, out);
    gpa_code rc = binary_only(vm, u, "outer");
    if (rc) return rc;
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    TRY(arg_array(vm, argv[2], DT_NONE, &b));
    int64_t shape[GPA_MAX_DIMS];
    int n = a->ndim + b->ndim;
    if (n > GPA_MAX_DIMS) {
        rc = vm_fail(vm, GPA_E_VALUE,
                     "maximum supported dimension for an ndarray is currently %d, found %d",
                     GPA_MAX_DIMS, n);
        goto out;
    }
    for (int d = 0; d < n; d++) shape[d] = d < a->ndim ? a->shape[d] : 1;
    TRY(arr_reshape(vm_rt(vm), a, n, shape, &tall, vm_err(vm)));
    TRY(np_return_array(vm, tall, &left));
    TRY(np_return_array(vm, arr_retain(b), &right));
    args[0] = left;
    args[1] = right;
    rc = ufunc_call(vm, u, &(call_args){2, n_named, args, names}, out);
out:
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), b);
    value_release(vm, left);
    value_release(vm, right);
    return rc;
}

/* True if a sort-based scatter-add on the device may be faster than the host's. Sums of integers
 * need no sort. */
static bool prefers_device_sort(const ufunc *u, value array, value indices) {
    enum { MANY = 1 << 15 };
    if (indices.tag != V_ARRAY) return false;
    const gpa_arr *a = array.array->arr, *at = indices.array->arr;
    const gpa_dtype t = (gpa_dtype)a->dtype;
    const bool sums = u->op == OP_ADD || u->op == OP_SUBTRACT, real = t == DT_F32 || t == DT_F64;
    if (!sums && u->op != OP_MULTIPLY && u->op != OP_MAXIMUM && u->op != OP_MINIMUM) return false;
    if (!real &&
        !(dtype_is_complex(t)
              ? sums
              : (t == DT_I32 || t == DT_I64 || t == DT_U32 || t == DT_U64) && u->op != OP_ADD))
        return false;
    return a->ndim == 1 && a->size && a->size < INT32_MAX / 2 && at->size &&
           at->size < INT32_MAX / 2 && a->size + at->size >= MANY &&
           dtype_is_int((gpa_dtype)at->dtype);
}

/* Checks for floating-point errors of `at` in a separate evaluation, as if no index occurred twice.
 */
static gpa_code check_errors_at(gpa_vm *vm, value *argv) {
    value args[2] = {v_none(), argv[3]}, result = v_none();
    gpa_code rc = vm_getitem(vm, argv[1], argv[2], &args[0]);
    if (!rc)
        rc = ufunc_call(vm, argv[0].ufunc, ARGS(op_info[argv[0].ufunc->op].arity, args), &result);
    value_release(vm, args[0]);
    value_release(vm, result);
    return rc;
}

gpa_code uf_at(gpa_vm *vm, value *argv, value *out) { /* self, a, indices, b */
    const ufunc *u = argv[0].ufunc;
    gpa_opnd rhs = {0};
    gpa_index ix[ARG_MAX_INDEX];
    int n = 0;
    *out = v_none();
    if (override_among(3, argv + 1))
        return override_run(
            vm, argv[0], "at",
            &(override_call){argv[3].tag == V_NONE ? 2 : 3, argv + 1, 0, NULL, NULL}, out);
    if (argv[1].tag != V_ARRAY || argv[1].aux)
        return vm_fail(vm, GPA_E_TYPE, "first operand must be array");
    bool two = op_info[u->op].arity == 2;
    if (two && argv[3].tag == V_NONE)
        return vm_fail(vm, GPA_E_VALUE, "second operand needed for ufunc");
    if (!two && argv[3].tag != V_NONE)
        return vm_fail(vm, GPA_E_VALUE, "second operand provided when ufunc is unary");
    if (float_checks_enabled(vm)) {
        bool adds_up = u->op == OP_ADD || u->op == OP_SUBTRACT || u->op == OP_MULTIPLY;
        gpa_code failed = adds_up ? library_reduction(vm, "_checked_at", 4, argv, out)
                                  : check_errors_at(vm, argv);
        if (failed || adds_up) return failed;
    }
    if (prefers_device_sort(u, argv[1], argv[2])) {
        value done = v_none();
        gpa_code rc = library_reduction(vm, "_put_at", 4, argv, &done);
        if (rc || (done.tag == V_BOOL && done.i)) return rc;
    }
    gpa_code rc = arg_index(vm, argv[2], ix, &n);
    if (!rc && two) rc = arg_opnd(vm, argv[3], &rhs);
    if (!rc && rhs.weak == WEAK_INT && rhs.dtype == DT_F64 &&
        dtype_is_int((gpa_dtype)argv[1].array->arr->dtype))
        rc = vm_fail(vm, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    rhs.weak = WEAK_NO; /* as np.asarray(b) has it, unlike other operands of ufuncs */
    if (!rc)
        rc = arr_update_at(vm_rt(vm), u->op, argv[1].array->arr, &(gpa_indices){ix, n},
                           two ? &rhs : NULL, vm_err(vm));
    arg_opnd_release(vm, &rhs);
    arg_index_release(vm, ix, n);
    return rc;
}
