/* Functions over whole arrays that are not ufuncs: where, nonzero, take, clip, concatenate, matrix
 * products. */
#include "lang/numpy/all.h"
#include "lang/object/big.h"
#include "lang/object/container.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"
#include "lang/numpy/override.h"
#include "runtime/libcalls.h"
#include "runtime/tape.h"

gpa_code np_where(gpa_vm *vm, value *argv, value *out) { /* condition, x, y */
    if (argv[1].tag == V_UNSET && argv[2].tag == V_UNSET) return np_nonzero(vm, argv, out);
    if (argv[1].tag == V_UNSET || argv[2].tag == V_UNSET)
        return vm_fail(vm, GPA_E_VALUE, "either both or neither of x and y should be given");
    gpa_opnd in[3] = {0};
    gpa_arr *result = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 3; i++) TRY(arg_opnd(vm, argv[i], &in[i]));
    rc = arr_ufunc_order_k(vm_rt(vm), OP_WHERE, in, NULL, &result, vm_err(vm));
    if (!rc) rc = np_return_array(vm, result, out);
out:
    for (int i = 0; i < 3; i++) arg_opnd_release(vm, &in[i]);
    return rc;
}

/* Gather a[at] from a 1-d array, without bounds checks: the indices are known to be in bounds. */
gpa_code np_take_in_bounds(gpa_vm *vm, value *argv, value *out) { /* a, at */
    gpa_arr *a = NULL, *at = NULL, *got = NULL;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arg_array(vm, argv[1], DT_NONE, &at);
    if (!rc)
        rc =
            arr_get(vm_rt(vm), a,
                    &(gpa_indices){&(gpa_index){.kind = IX_ARRAY, .arr = at, .in_bounds = true}, 1},
                    NULL, &got, vm_err(vm));
    if (!rc) rc = np_return_array(vm, got, out);
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), at);
    return rc;
}

/* Scatter-add of 1 into a 1-d array of integers, without bounds checks. */
gpa_code np_increment_at(gpa_vm *vm, value *argv, value *out) { /* counts, at */
    gpa_arr *at = NULL;
    gpa_opnd one = {.weak = WEAK_INT, .dtype = DT_I64, .v = {.I64 = 1}};
    gpa_code rc = arg_array(vm, argv[1], DT_NONE, &at);
    *out = v_none();
    if (!rc)
        rc = arr_update_at(
            vm_rt(vm), OP_ADD, argv[0].array->arr,
            &(gpa_indices){&(gpa_index){.kind = IX_ARRAY, .arr = at, .in_bounds = true}, 1}, &one,
            vm_err(vm));
    arr_release(vm_rt(vm), at);
    return rc;
}

gpa_code np_nonzero(gpa_vm *vm, value *argv, value *out) { /* a */
    gpa_arr *a = NULL, *parts[GPA_MAX_DIMS] = {0};
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    int n = a->ndim;
    if (n == 0)
        TRY(vm_fail(vm, GPA_E_VALUE,
                    "Calling nonzero on 0d arrays is not allowed. Use "
                    "np.atleast_1d(scalar).nonzero() instead.%s",
                    a->dtype == DT_BOOL ? " If the context of this error is of the form "
                                          "`arr[nonzero(cond)]`, just use `arr[cond]`."
                                        : ""));
    rc = np_return_arrays(vm, arr_nonzero(vm_rt(vm), a, parts, vm_err(vm)), n, parts, out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code np_count_true(gpa_vm *vm, value *argv, value *out) { /* a: bool */
    gpa_arr *a = NULL;
    int64_t n;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    rc = arr_count_true(vm_rt(vm), a, &n, vm_err(vm));
    if (!rc) *out = n < 0 ? v_none() : v_int(n);
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code np_bincount(gpa_vm *vm, value *argv, value *out) { /* x: integers, weights, minlength */
    gpa_arr *x = NULL, *weights = NULL, *counts = NULL;
    int64_t minimum;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &x);
    if (!rc && argv[1].tag != V_NONE) rc = arg_array(vm, argv[1], DT_NONE, &weights);
    if (!rc) rc = arg_int(vm, argv[2], "minlength", &minimum);
    if (!rc) rc = arr_bincount(vm_rt(vm), x, weights, minimum, &counts, vm_err(vm));
    arr_release(vm_rt(vm), x);
    arr_release(vm_rt(vm), weights);
    *out = v_none();
    return rc || !counts ? rc : np_return_array(vm, counts, out);
}

/* Mode for indices out of bounds: "clip", "wrap" or "raise", by name or by number; None: "raise".
 */
static gpa_code arg_clipmode(gpa_vm *vm, value v, const char **out) {
    static const char *const modes[] = {"clip", "wrap", "raise"};
    int64_t n = INT64_MAX;
    *out = "raise";
    if (v.tag == V_NONE || v.tag == V_UNSET) return GPA_OK;
    if (v.tag == V_STR || v.tag == V_BYTES) {
        for (size_t i = 0; i < COUNT_OF(modes); i++)
            if (v.str->size == strlen(modes[i]) && !memcmp(v.str->text, modes[i], v.str->size))
                *out = modes[i], n = (int64_t)i;
        if (n != INT64_MAX) return GPA_OK;
        if (v.str->size && strchr("cCwWrR", v.str->text[0]))
            return vm_fail(vm, GPA_E_VALUE, "Use one of 'clip', 'raise', or 'wrap' for clip mode");
        return vm_fail_showing(vm, GPA_E_VALUE,
                               "clipmode must be one of 'clip', 'raise', or 'wrap' (got ", v, ")");
    }
    if (v.tag == V_BOOL || arg_int(vm, v, "mode", &n) || n != (int32_t)n) {
        gpa_err_clear(vm_err(vm));
        return vm_fail(vm, GPA_E_TYPE, "clipmode not understood");
    }
    if (n < 0 || n >= (int64_t)COUNT_OF(modes))
        return vm_fail(
            vm, GPA_E_VALUE,
            "integer clipmode must be RAISE, WRAP, or CLIP from 'numpy._core.multiarray'");
    *out = modes[n];
    return GPA_OK;
}

gpa_code np_clipmode(gpa_vm *vm, value *argv, value *out) { /* mode */
    const char *name;
    gpa_code rc = arg_clipmode(vm, argv[0], &name);
    if (!rc) *out = v_cstr(vm, name);
    return rc ? rc : out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

/* Replaces *at by indices in bounds of an axis: modulo n, or limited to 0 .. n - 1. */
static gpa_code wrap_or_clip(gpa_vm *vm, bool wrap, int64_t n, gpa_arr **at) {
    gpa_rt *rt = vm_rt(vm);
    gpa_opnd extent = {.weak = WEAK_INT, .dtype = DT_I64, .v.I64 = n}, last = extent, zero = extent;
    last.v.I64--;
    zero.v.I64 = 0;
    gpa_arr *low = NULL, *safe = NULL;
    gpa_code rc = arr_ufunc(rt, wrap ? OP_REMAINDER : OP_MAXIMUM,
                            (gpa_opnd[]){{.arr = *at}, wrap ? extent : zero}, NULL,
                            wrap ? &safe : &low, vm_err(vm));
    if (!rc && !wrap)
        rc = arr_ufunc(rt, OP_MINIMUM, (gpa_opnd[]){{.arr = low}, last}, NULL, &safe, vm_err(vm));
    arr_release(rt, low);
    if (rc) return rc;
    arr_release(rt, *at);
    *at = safe;
    return GPA_OK;
}

/* The error of indices into an axis without elements, where the result has elements or the first
 * index is checked. */
static gpa_code check_empty_axis(gpa_vm *vm, const gpa_arr *a, int axis, gpa_arr *at, bool raise) {
    bool after = true;
    for (int d = axis + 1; d < a->ndim; d++) after = after && a->shape[d] != 0;
    if (after) return vm_fail(vm, GPA_E_INDEX, "cannot do a non-empty take from an empty axes.");
    if (!raise) return GPA_OK;
    gpa_arr *first = NULL;
    gpa_val i = {0};
    static const gpa_index zeros[GPA_MAX_DIMS];
    gpa_code rc = arr_get(vm_rt(vm), at, &(gpa_indices){zeros, at->ndim}, NULL, &first, vm_err(vm));
    if (!rc) rc = arr_item(vm_rt(vm), first, &i, vm_err(vm));
    if (!rc)
        rc = vm_fail(vm, GPA_E_INDEX, "index %lld is out of bounds for axis %d with size 0",
                     (long long)dtype_cast(i, (gpa_dtype)at->dtype, DT_I64).I64, axis);
    arr_release(vm_rt(vm), first);
    return rc;
}

gpa_code np_take(gpa_vm *vm, value *argv, value *out) { /* a, indices, axis, out, mode */
    static const out_rule rule = {.missing = "output must be an array",
                                  .shape = "output array does not match result of ndarray.take",
                                  .readonly = "WRITEBACKIFCOPY base",
                                  .casting = CAST_SAFE,
                                  .back = true};
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *flat = NULL, *at = NULL, *result = NULL;
    int axis = 0;
    const char *mode;
    gpa_code rc = GPA_OK;
    TRY(arg_clipmode(vm, argv[4], &mode));
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arg_array(vm, argv[1], DT_NONE, &at));
    if (argv[2].tag == V_NONE || !a->ndim) {
        TRY(arr_reshape(rt, a, 1, &(int64_t){-1}, &flat, vm_err(vm)));
        arr_release(rt, a);
        a = flat;
    }
    if (argv[2].tag != V_NONE) TRY(arg_axis(vm, argv[2], a->ndim, &axis));
    /* NumPy reads the indices once for each index of the dimensions before the axis. */
    bool reads = true, raise = strcmp(mode, "raise") == 0;
    for (int d = 0; d < axis; d++) reads = reads && a->shape[d] != 0;
    if (!raise || !reads)
        TRY(wrap_or_clip(vm, strcmp(mode, "clip") != 0, MAX(a->shape[axis], 1), &at));
    if (at->dtype == DT_BOOL || !dtype_is_int((gpa_dtype)at->dtype)) {
        if (at->size)
            TRY(vm_fail(vm, GPA_E_TYPE,
                        "Cannot cast array data from dtype('%s') to dtype('int64') according to "
                        "the rule 'safe'",
                        dtype_info[at->dtype].name));
        gpa_arr *ints = NULL;
        TRY(arr_cast(rt, at, DT_I64, false, &ints, vm_err(vm)));
        arr_release(rt, at);
        at = ints;
    }
    if (a->shape[axis] == 0 && at->size && reads) TRY(check_empty_axis(vm, a, axis, at, raise));
    gpa_index ix[GPA_MAX_DIMS];
    for (int d = 0; d < axis; d++) ix[d] = (gpa_index){.kind = IX_SLICE};
    ix[axis] = (gpa_index){.kind = IX_ARRAY, .arr = at, .in_bounds = !reads};
    TRY(arr_get(rt, a, &(gpa_indices){ix, axis + 1}, NULL, &result, vm_err(vm)));
    rc = argv[3].tag == V_NONE || argv[3].tag == V_UNSET
             ? np_return(vm, result, out)
             : out_return_take(vm, &rule, result, argv[3], out);
out:
    arr_release(rt, a);
    arr_release(rt, at);
    return rc;
}

/* True for a Python int bound that no value of an integer dtype exceeds. */
static bool is_vacuous_bound(value bound, gpa_dtype t, bool upper) {
    int bits = 8 * (int)dtype_size(t);
    uint64_t u;
    if (bound.tag == V_BIG && dtype_is_int(t))
        return !big_is_uint(bound.big, &u)
                   ? bound.big->negative != upper
                   : upper && (dtype_info[t].kind == 'I' || bits < 64 || u == UINT64_MAX);
    if (bound.tag != V_INT || !dtype_is_int(t)) return false;
    if (dtype_info[t].kind == 'U')
        return upper ? bits < 64 && bound.i >= ((int64_t)1 << bits) - 1 : bound.i <= 0;
    return upper ? bound.i >= (int64_t)(UINT64_MAX >> (65 - bits))
                 : bound.i <= -(int64_t)(UINT64_MAX >> (65 - bits)) - 1;
}

/* Keyword arguments of a ufunc: out, then those of a dict. */
typedef struct {
    size_t n;
    value names[ARG_MAX_INDEX],
        values[2 + ARG_MAX_INDEX]; /* values[2] is out: two operands precede it */
} ufunc_keywords;

static gpa_code collect_keywords(gpa_vm *vm, value out, const dict_obj *kwargs, ufunc_keywords *k) {
    size_t at = 0;
    k->names[0] = v_cstr(vm, "out");
    if (k->names[0].tag == V_UNSET) return vm_err(vm)->code;
    k->values[2] = out;
    k->n = 1;
    for (dict_entry *e; k->n < COUNT_OF(k->names) && (e = dict_next(kwargs, &at)); k->n++) {
        k->names[k->n] = e->key;
        k->values[2 + k->n] = e->v;
    }
    return GPA_OK;
}

/* True for a Python number, which is weak in promotion. */
static bool is_weak(value v) {
    return v.tag == V_BOOL || v.tag == V_INT || v.tag == V_FLOAT || (v.tag == V_COMPLEX && !v.aux);
}

/* Common dtype of n values, Python numbers among them weak. */
static gpa_code common_type(gpa_vm *vm, const value *v, size_t n, gpa_dtype *out) {
    gpa_opnd *in = mem_zero(n * sizeof *in);
    gpa_code rc = GPA_OK;
    if (!in) return vm_no_memory(vm);
    for (size_t i = 0; i < n; i++) TRY(arg_opnd(vm, v[i], &in[i]));
    TRY(arr_result_type(in, (int)n, out, vm_err(vm)));
out:
    for (size_t i = 0; i < n; i++) arg_opnd_release(vm, &in[i]);
    mem_free(in);
    return rc;
}

/* The error of operands that do not broadcast names all three. */
static gpa_code fail_clip_shapes(gpa_vm *vm, const value *v) {
    gpa_str text;
    str_init(&text);
    vm_clear_error(vm);
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 3 && !rc; i++) {
        gpa_opnd x = {0};
        rc = arg_opnd(vm, v[i], &x);
        const int n = !rc && x.arr ? x.arr->ndim : 0;
        str_putc(&text, '(');
        for (int d = 0; d < n; d++)
            str_printf(&text, "%s%lld", d ? "," : "", (long long)x.arr->shape[d]);
        str_put(&text, n == 1 ? ",) " : ") ");
        arg_opnd_release(vm, &x);
    }
    if (!rc)
        rc = text.failed
                 ? vm_no_memory(vm)
                 : vm_fail(vm, GPA_E_VALUE,
                           "operands could not be broadcast together with shapes %s", text.text);
    str_free(&text);
    return rc;
}

/* Arguments of clip; min, max: None for no bound; kwargs: keyword arguments of ufuncs. */
typedef struct {
    value a, min, max, out;
    const dict_obj *kwargs;
} clip_args;

static gpa_code clip(gpa_vm *vm, const clip_args *args, value *out) {
    ufunc_keywords k;
    value a = args->a, min = args->min, max = args->max, into = args->out, low = v_none();
    gpa_code rc = collect_keywords(vm, into, args->kwargs, &k);
    if (rc) return rc;
    if (a.tag == V_ARRAY || a.tag == V_NUM) {
        gpa_dtype t = (gpa_dtype)(a.tag == V_ARRAY ? a.array->arr->dtype : a.aux);
        if (is_vacuous_bound(min, t, false)) min = v_none();
        if (is_vacuous_bound(max, t, true)) max = v_none();
    }
    bool has_low = min.tag != V_NONE, has_high = max.tag != V_NONE;
    value name = v_none();
    gpa_dtype t = DT_NONE;
    /* Promoting two of them first would differ: a bool and an int are int64, whatever the third is.
     */
    if (has_low && has_high && k.n == 1 && !(is_weak(min) && is_weak(max)))
        rc = common_type(vm, (value[]){a, min, max}, 3, &t);
    if (t != DT_NONE) {
        name = v_cstr(vm, "dtype");
        k.names[1] = name;
        k.values[3] = v_dtype(t);
        k.n = 2;
        if (name.tag == V_UNSET) rc = vm_err(vm)->code;
    }
    if (rc) {
        low = v_none();
    } else if (has_low) {
        k.values[0] = a;
        k.values[1] = min;
        k.values[2] = has_high ? v_none() : into;
        rc = ufunc_call(vm, ufunc_of(OP_MAXIMUM), &(call_args){2, k.n, k.values, k.names}, &low);
    } else {
        low = value_retain(a);
    }
    k.values[2] = into;
    if (!rc && has_high) {
        k.values[0] = low;
        k.values[1] = max;
        rc = ufunc_call(vm, ufunc_of(OP_MINIMUM), &(call_args){2, k.n, k.values, k.names}, out);
    } else if (!rc && has_low) {
        *out = value_retain(low);
    } else if (!rc) {
        k.values[1] = a;
        rc =
            ufunc_call(vm, ufunc_of(OP_POSITIVE), &(call_args){1, k.n, k.values + 1, k.names}, out);
    }
    if (rc == GPA_E_VALUE && has_low && has_high && into.tag == V_NONE &&
        strstr(vm_err(vm)->msg, "could not be broadcast together"))
        rc = fail_clip_shapes(vm, (value[]){a, min, max});
    value_release(vm, low);
    value_release(vm, name);
    value_release(vm, k.names[0]);
    return rc;
}

gpa_code np_clip(gpa_vm *vm, value *argv, value *out) { /* a, a_min, a_max, out, min, max, kwargs */
    value min = argv[1], max = argv[2];
    if (min.tag == V_UNSET && max.tag == V_UNSET) {
        min = argv[4].tag == V_UNSET ? v_none() : argv[4];
        max = argv[5].tag == V_UNSET ? v_none() : argv[5];
    } else if (min.tag == V_UNSET || max.tag == V_UNSET) {
        return vm_fail(vm, GPA_E_TYPE, "clip() missing 1 required positional argument: '%s'",
                       min.tag == V_UNSET ? "a_min" : "a_max");
    } else if (argv[4].tag != V_UNSET || argv[5].tag != V_UNSET) {
        return vm_fail(vm, GPA_E_VALUE,
                       "Passing `min` or `max` keyword argument when `a_min` and `a_max` are "
                       "provided is forbidden.");
    }
    return clip(vm, &(clip_args){argv[0], min, max, argv[3], argv[6].dict}, out);
}

gpa_code nd_clip(gpa_vm *vm, value *argv, value *out) { /* self, min, max, out, kwargs */
    return clip(vm, &(clip_args){argv[0], argv[1], argv[2], argv[3], argv[4].dict}, out);
}

gpa_code np_same_shape(gpa_vm *vm, value *argv, value *out) { /* arrays */
    const bool list = argv[0].tag == V_LIST;
    *out = v_none();
    if (!list && argv[0].tag != V_TUPLE) return GPA_OK;
    const size_t n = list ? argv[0].list->count : argv[0].tuple->count;
    const value *items = list ? argv[0].list->items : argv[0].tuple->items;
    int minimum = GPA_MAX_DIMS, same = 0;
    for (size_t i = 0; i < n; i++) {
        if (items[i].tag != V_ARRAY || items[i].aux) return GPA_OK;
        const gpa_arr *a = items[i].array->arr, *first = items[0].array->arr;
        minimum = MIN(minimum, a->ndim);
        same += a->ndim == first->ndim &&
                memcmp(a->shape, first->shape, a->ndim * sizeof *a->shape) == 0;
    }
    if (!n) return GPA_OK;
    value two[2] = {v_int(minimum), v_none()};
    gpa_code rc = (size_t)same == n ? nd_shape(vm, (value *)items, &two[1]) : GPA_OK;
    if (!rc) rc = native_return(v_tuple(vm, 2, two), out);
    value_release(vm, two[1]);
    return rc;
}

gpa_code np_concatenate(gpa_vm *vm, value *argv,
                        value *out) { /* arrays, axis, out, dtype, casting */
    gpa_rt *rt = vm_rt(vm);
    gpa_arr **parts = NULL, *result = NULL;
    out_rule rule = {.missing = "'out' must be an array",
                     .shape = "Output array is the wrong shape",
                     .rank = "Output array has wrong dimensionality",
                     .readonly = "assignment destination"};
    value list = v_none();
    size_t n = 0;
    int axis = 0;
    gpa_dtype t;
    gpa_code rc = GPA_OK;
    if (argv[0].tag != V_LIST && argv[0].tag != V_TUPLE && argv[0].tag != V_ARRAY &&
        argv[0].tag != V_OBJECT)
        return vm_fail(vm, GPA_E_TYPE, "The first input argument needs to be a sequence");
    if (argv[2].tag != V_NONE && argv[2].tag != V_UNSET && argv[3].tag != V_NONE &&
        argv[3].tag != V_UNSET)
        return vm_fail(vm, GPA_E_TYPE,
                       "concatenate() only takes `out` or `dtype` as an argument, but both were "
                       "provided.");
    TRY(vm_collect(vm, argv[0], &list));
    TRY(arg_dtype(vm, argv[3], &t));
    TRY(arg_casting(vm, argv[4], &rule.casting));
    if (list.list->count == 0)
        TRY(vm_fail(vm, GPA_E_VALUE, "need at least one array to concatenate"));
    parts = mem_zero(list.list->count * sizeof *parts);
    if (!parts) TRY(vm_no_memory(vm));
    for (; n < list.list->count; n++) {
        TRY(arg_array(vm, list.list->items[n], DT_NONE, &parts[n]));
        if (argv[1].tag != V_NONE) continue;
        gpa_arr *flat = NULL;
        TRY(arr_reshape(rt, parts[n], 1, &(int64_t){-1}, &flat, vm_err(vm)));
        arr_release(rt, parts[n]);
        parts[n] = flat;
    }
    if (parts[0]->ndim == 0)
        TRY(vm_fail(vm, GPA_E_VALUE, "zero-dimensional arrays cannot be concatenated"));
    if (argv[1].tag != V_NONE) TRY(arg_axis(vm, argv[1], parts[0]->ndim, &axis));
    for (size_t i = 0; i < n && t != DT_NONE; i++)
        TRY(out_check_cast(vm, (gpa_dtype)parts[i]->dtype, t, rule.casting));
    if (argv[1].tag == V_NONE && t == DT_NONE) TRY(common_type(vm, list.list->items, n, &t));
    TRY(arr_concat_order_k(rt,
                           &(arr_concatenation){.in = parts, .n = (int)n, .axis = axis, .dtype = t},
                           &result, vm_err(vm)));
    rc = out_return_take(vm, &rule, result, argv[2], out);
out:
    for (size_t i = 0; parts && i < list.list->count; i++) arr_release(rt, parts[i]);
    mem_free(parts);
    value_release(vm, list);
    return rc;
}

/* ---- products ---- */

gpa_code np_store_out(gpa_vm *vm, value *argv, value *out) { /* result, out, name, casting */
    out_rule rule = {.ufunc = argv[2].str->text};
    gpa_arr *result;
    gpa_code rc = arg_casting(vm, argv[3], &rule.casting);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &result);
    return rc ? rc : out_return_take(vm, &rule, result, argv[1], out);
}

/* Checks the out= of a matrix product: its core dimensions are the product's, the others may
 * broadcast it. */
static gpa_code check_product(gpa_vm *vm, int core, const gpa_arr *result, const gpa_arr *into) {
    static const out_rule rule = {.ufunc = "matmul", .casting = CAST_SAME_KIND};
    for (int k = 0; k < core; k++) {
        int64_t want = result->shape[result->ndim - core + k],
                have = into->ndim < core ? into->ndim ? into->shape[0] : 0
                                         : into->shape[into->ndim - core + k];
        if (into->ndim < core || have != want)
            return vm_fail(vm, GPA_E_VALUE,
                           "matmul: Output operand 0 has a mismatch in its core dimension %d, with "
                           "gufunc signature (n?,k),(k,m?)->(n?,m?) "
                           "(size %lld is different from %lld)",
                           k, (long long)have, (long long)want);
    }
    return out_check(vm, &rule, into->ndim, into->shape, (gpa_dtype)result->dtype, into);
}

gpa_code np_return_product(gpa_vm *vm, gpa_arr *a, value *out) {
    const gpa_dtype t = (gpa_dtype)a->dtype;
    gpa_val v;
    if (a->ndim || arr_is_pending(a) || dtype_info[t].compute != t || tape_is_active(vm_rt(vm), a))
        return np_return(vm, a, out);
    gpa_code rc = arr_item(vm_rt(vm), a, &v, vm_err(vm));
    arr_release(vm_rt(vm), a);
    if (rc) return rc;
    *out = v_num(vm, t, v);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code np_matmul(gpa_vm *vm, value *argv, value *out) { /* x1, x2, out */
    gpa_opnd a = {0}, b = {0};
    gpa_arr *into, *result = NULL;
    gpa_code rc = GPA_OK;
    if (override_among(3, argv)) {
        const char *const name = "out";
        bool given = argv[2].tag != V_NONE && argv[2].tag != V_UNSET;
        value matmul;
        if ((rc = np_library_func(vm, "matmul", &matmul))) return rc;
        rc = override_run(vm, matmul, "__call__", &(override_call){2, argv, given, &name, &argv[2]},
                          out);
        value_release(vm, matmul);
        return rc;
    }
    TRY(arg_opnd(vm, argv[0], &a));
    TRY(arg_opnd(vm, argv[1], &b));
    TRY(arg_out(vm, argv[2], &into));
    TRY(arr_matmul(vm_rt(vm), &a, &b, &result, vm_err(vm)));
    TRY(float_check_arr(vm, "_check_float_product", 2, (value[3]){argv[0], argv[1]}, result));
    if (into) {
        TRY(check_product(vm, (a.arr->ndim > 1) + (b.arr->ndim > 1), result, into));
        TRY(arr_set(vm_rt(vm), into, NULL, &(gpa_opnd){.arr = result}, vm_err(vm)));
        *out = value_retain(argv[2].tag == V_TUPLE ? argv[2].tuple->items[0] : argv[2]);
    } else {
        rc = np_return_product(vm, result, out);
        result = NULL;
    }
out:
    arg_opnd_release(vm, &a);
    arg_opnd_release(vm, &b);
    arr_release(vm_rt(vm), result);
    return rc;
}

/* NumPy reports no floating-point errors here. */
gpa_code np_vdot(gpa_vm *vm, value *argv, value *out) { /* a, b */
    value flat[2] = {v_none(), v_none()};
    gpa_opnd in[2] = {0};
    gpa_arr *conjugate = NULL, *result;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 2; i++) {
        TRY(np_ravel(vm, (value[]){argv[i], v_none()}, &flat[i]));
        in[i].arr = flat[i].array->arr;
    }
    if (in[0].arr->size != in[1].arr->size)
        TRY(vm_fail(vm, GPA_E_VALUE, "cannot reshape array of size %lld into shape (%lld,)",
                    (long long)in[1].arr->size, (long long)in[0].arr->size));
    if (dtype_is_complex((gpa_dtype)in[0].arr->dtype)) {
        TRY(arr_ufunc(vm_rt(vm), OP_CONJUGATE, in, NULL, &conjugate, vm_err(vm)));
        in[0].arr = conjugate;
    }
    TRY(arr_matmul(vm_rt(vm), &in[0], &in[1], &result, vm_err(vm)));
    rc = np_return(vm, result, out);
out:
    arr_release(vm_rt(vm), conjugate);
    for (int i = 0; i < 2; i++) value_release(vm, flat[i]);
    return rc;
}
