/* NumPy's asarray: arrays of values and of nested sequences.
 *
 * Nested sequences are walked twice: `discover` finds shape and dtype, `fill` writes the elements
 * into host memory, which is then uploaded. A flat sequence of arrays of one shape is concatenated
 * on the device instead. */
#include <stdio.h>

#include "lang/object/big.h"
#include "lang/vm/absent.h"
#include "lang/vm/array_args.h"
#include "lang/vm/class.h"
#include "lang/vm/record.h"
#include "lang/vm/foreign.h"

typedef struct {
    gpa_vm *vm;
    int ndim; /* dimensions found; fixed by the first leaf */
    int64_t shape[GPA_MAX_DIMS];
    bool fixed;
    gpa_dtype dtype; /* promotion of the leaves; DT_NONE before the first */
    gpa_dtype want;  /* requested dtype: str and None are then elements, too; DT_NONE: dtype */
    char *at;        /* fill: offset of the next element */
} walk;

static bool is_sequence(value v) { return v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_RANGE; }

static int64_t sequence_len(value v) {
    if (v.tag == V_LIST) return (int64_t)v.list->count;
    if (v.tag == V_TUPLE) return (int64_t)v.tuple->count;
    int64_t n = 0;
    const range_obj *r = v.range;
    if (r->step > 0 && r->start < r->stop) n = (r->stop - r->start - 1) / r->step + 1;
    if (r->step < 0 && r->start > r->stop) n = (r->start - r->stop - 1) / -r->step + 1;
    return n;
}

static value sequence_item_peek(value v, int64_t i) {
    if (v.tag == V_LIST) return v.list->items[i];
    if (v.tag == V_TUPLE) return v.tuple->items[i];
    return v_int(v.range->start + i * v.range->step);
}

static const value *items_of(value v) { return v.tag == V_LIST ? v.list->items : v.tuple->items; }

/* The number of items from i on that are numbers of one kind: the first one's properties hold for
 * all. */
static int64_t uniform_run(value v, int64_t i, int64_t n) {
    if (v.tag == V_RANGE) return 0;
    const value *items = items_of(v), first = items[i];
    if (first.tag != V_FLOAT && first.tag != V_INT && first.tag != V_BOOL && first.tag != V_NUM)
        return 0;
    int64_t end = i + 1;
    while (end < n && items[end].tag == first.tag &&
           (first.tag != V_NUM || items[end].aux == first.aux))
        end++;
    return end - i;
}

static gpa_code fail_ragged(walk *w, int depth) {
    char shape[256];
    int n = 0;
    for (int d = 0; d < depth; d++)
        n += snprintf(shape + n, sizeof shape - (size_t)n, "%s%lld", d ? ", " : "",
                      (long long)w->shape[d]);
    return vm_fail(w->vm, GPA_E_VALUE,
                   "setting an array element with a sequence. The requested array has an "
                   "inhomogeneous shape after %d dimensions. "
                   "The detected shape was (%s%s) + inhomogeneous part.",
                   depth, shape, depth == 1 ? "," : "");
}

static gpa_code leaf_shape(walk *w, int depth, int ndim, const int64_t *shape) {
    if (!w->fixed) {
        if (depth + ndim > GPA_MAX_DIMS)
            return vm_fail(w->vm, GPA_E_VALUE,
                           "setting an array element with a sequence. The requested array would "
                           "exceed the maximum number of dimension of %d.",
                           GPA_MAX_DIMS);
        for (int d = 0; d < ndim; d++) w->shape[depth + d] = shape[d];
        w->ndim = depth + ndim;
        w->fixed = true;
        return GPA_OK;
    }
    if (w->ndim != depth + ndim) return fail_ragged(w, MIN(depth, w->ndim));
    for (int d = 0; d < ndim; d++)
        if (w->shape[depth + d] != shape[d]) return fail_ragged(w, depth + d);
    return GPA_OK;
}

/* An int outside every integer dtype's range (NumPy would make an object array). */
static gpa_code fail_int_too_large(gpa_vm *vm) {
    gpa_code rc = vm_fail(vm, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    gpa_err_hint(vm_err(vm), "%s", name_absent("numpy", "object_"));
    return rc;
}

static gpa_code discover(walk *w, value v, int depth) {
    v = value_underlying(v);
    if (is_sequence(v)) {
        int64_t n = sequence_len(v);
        if (depth >= GPA_MAX_DIMS)
            return vm_fail(w->vm, GPA_E_VALUE,
                           "setting an array element with a sequence. The requested array would "
                           "exceed the maximum number of dimension of %d.",
                           GPA_MAX_DIMS);
        if (w->fixed && depth >= w->ndim) return fail_ragged(w, w->ndim);
        if (w->fixed && w->shape[depth] != n) return fail_ragged(w, depth);
        w->shape[depth] = n;
        if (n == 0) return leaf_shape(w, depth, 1, &n);
        for (int64_t i = 0; i < n; i += MAX(uniform_run(v, i, n), 1)) {
            gpa_code rc = discover(w, sequence_item_peek(v, i), depth + 1);
            if (rc) return rc;
        }
        return GPA_OK;
    }
    gpa_opnd o;
    gpa_dtype t;
    gpa_code rc;
    if (v.tag == V_ARRAY) {
        t = (gpa_dtype)v.array->arr->dtype;
        rc = leaf_shape(w, depth, v.array->arr->ndim, v.array->arr->shape);
    } else if (arg_number(v, &o)) {
        t = o.dtype;
        if (v.tag == V_BIG && t == DT_F64 && w->want == DT_NONE) return fail_int_too_large(w->vm);
        rc = leaf_shape(w, depth, 0, NULL);
    } else if (w->want != DT_NONE && (v.tag == V_STR || v.tag == V_NONE)) {
        t = w->want;
        rc = leaf_shape(w, depth, 0, NULL);
    } else {
        return vm_fail(w->vm, GPA_E_TYPE,
                       "arrays hold numbers: an element of type '%s' has no dtype",
                       value_type_name(v));
    }
    if (rc) return rc;
    gpa_dtype both = w->dtype == DT_NONE ? t : dtype_promote(w->dtype, t);
    if (both == DT_NONE)
        return vm_fail(w->vm, GPA_E_DTYPE_PROMOTION, "no common dtype for %s and %s",
                       dtype_info[w->dtype].name, dtype_info[t].name);
    w->dtype = both;
    return GPA_OK;
}

/* Out-of-range elements are an error (arr_check_number); others are cast as by astype. */
static gpa_code convert(gpa_vm *vm, const gpa_opnd *o, gpa_dtype to, gpa_val *out) {
    *out = dtype_cast(o->v, o->dtype, to);
    gpa_code rc = arr_check_number(o, to, vm_err(vm));
    return rc ? rc : np_check_cast(vm, o, to);
}

/* Copies n numbers of one kind when their payload has the element's representation, or converts
 * ints to float64. */
static bool fill_uniform(walk *w, const value *items, int64_t n) {
    gpa_dtype t = items->tag == V_FLOAT ? DT_F64
                  : items->tag == V_INT ? DT_I64
                  : items->tag == V_NUM ? (gpa_dtype)items->aux
                                        : DT_NONE;
    const size_t word = sizeof items->bits, size = dtype_size(w->want);
    bool floats = t == DT_I64 && w->want == DT_F64;
    if (t != w->want && !floats) return false;
    for (int64_t k = 0; k < n && floats; k++)
        memcpy(w->at + (size_t)k * word, &(double){(double)items[k].i}, word);
    for (int64_t k = 0; k < n && !floats && size == word; k++)
        memcpy(w->at + (size_t)k * word, &items[k].bits, word);
    for (int64_t k = 0; k < n && size < word; k++)
        memcpy(w->at + (size_t)k * size, &items[k].bits, size);
    w->at += (size_t)n * size;
    return true;
}

static gpa_code fill(walk *w, value v) {
    gpa_code rc = GPA_OK;
    v = value_underlying(v);
    if (is_sequence(v)) {
        int64_t n = sequence_len(v);
        for (int64_t i = 0, run; i < n; i += run) {
            run = MAX(uniform_run(v, i, n), 1);
            if (run > 1 && fill_uniform(w, items_of(v) + i, run)) continue;
            for (int64_t k = i; k < i + run; k++)
                if ((rc = fill(w, sequence_item_peek(v, k)))) return rc;
        }
        return GPA_OK;
    }
    if (v.tag == V_ARRAY && !arg_is_unchecked_scalar(v, w->want)) {
        gpa_arr *cast = NULL;
        if ((rc = np_check_cast(w->vm, &(gpa_opnd){.arr = v.array->arr}, w->want))) return rc;
        rc = arr_cast(vm_rt(w->vm), v.array->arr, w->want, false, &cast, vm_err(w->vm));
        if (!rc) rc = arr_read(vm_rt(w->vm), cast, w->at, vm_err(w->vm));
        if (!rc) w->at += (size_t)cast->size * dtype_size(w->want);
        arr_release(vm_rt(w->vm), cast);
        return rc;
    }
    gpa_opnd o;
    gpa_val x;
    if ((rc = arg_element(w->vm, v, w->want, &o)) || (rc = convert(w->vm, &o, w->want, &x)))
        return rc;
    dtype_store(w->at, w->want, x);
    w->at += dtype_size(w->want);
    return GPA_OK;
}

/* Stacks a list of arrays of one shape along a new first axis, on the device. */
static bool all_arrays(value v, gpa_dtype want) {
    if (!is_sequence(v) || v.tag == V_RANGE || sequence_len(v) == 0) return false;
    for (int64_t i = 0; i < sequence_len(v); i++) {
        value item = sequence_item_peek(v, i);
        if (item.tag != V_ARRAY || arg_is_unchecked_scalar(item, want)) return false;
    }
    return true;
}

static gpa_code concatenate_items(gpa_vm *vm, value v, const walk *w, gpa_arr **out) {
    gpa_rt *rt = vm_rt(vm);
    int64_t n = sequence_len(v);
    gpa_code rc = GPA_OK;
    gpa_arr **parts = mem_zero((size_t)n * sizeof *parts);
    if (!parts) return vm_no_memory(vm);
    int64_t shape[GPA_MAX_DIMS + 1] = {1};
    for (int d = 1; d < w->ndim; d++) shape[d] = w->shape[d];
    for (int64_t i = 0; i < n; i++)
        TRY(arr_reshape(rt, sequence_item_peek(v, i).array->arr, w->ndim, shape, &parts[i],
                        vm_err(vm)));
    rc = arr_concat(rt, &(arr_concatenation){.in = parts, .n = (int)n, .dtype = w->want}, out,
                    vm_err(vm));
out:
    for (int64_t i = 0; i < n; i++) arr_release(rt, parts[i]);
    mem_free(parts);
    return rc;
}

static gpa_code from_sequence(gpa_vm *vm, value v, gpa_dtype t, gpa_arr **out) {
    walk w = {.vm = vm, .dtype = DT_NONE, .want = t};
    gpa_code rc = discover(&w, v, 0);
    if (rc) return rc;
    if (w.dtype == DT_NONE) w.dtype = DT_F64;
    if (t == DT_NONE) w.want = w.dtype;
    if (all_arrays(v, w.want)) return concatenate_items(vm, v, &w, out);
    int64_t n = 1;
    for (int d = 0; d < w.ndim; d++) n *= w.shape[d];
    char *data = mem_new((size_t)n * dtype_size(w.want));
    if (!data) return vm_no_memory(vm);
    w.at = data;
    rc = fill(&w, v);
    if (!rc) rc = arr_from(vm_rt(vm), &(arr_spec){w.want, w.ndim, w.shape}, data, out, vm_err(vm));
    mem_free(data);
    return rc;
}

/* Conversion of an object with NumPy's protocols or those of a sequence: the array of __array__,
 * or the list of its items. */
static gpa_code array_of_object(gpa_vm *vm, value v, value *out, bool *found) {
    static const char *const protocols[] = {"__array_interface__", "__array_struct__", "__array__"};
    const class_obj *class = class_of_peek(v);
    *found = is_foreign(v);
    gpa_code rc = *found ? foreign.array(vm, v, out) : record_array(vm, v, out, found);
    if (rc || *found || !class) return rc;
    bool dynamic = class_text_peek(class, "__getattr__").tag != V_UNSET;
    for (size_t i = 0; i < COUNT_OF(protocols) && !rc; i++) { /* their errors are not hidden */
        if (!dynamic && class_text_peek(class, protocols[i]).tag == V_UNSET) continue;
        rc = arg_optional_attr(vm, v, protocols[i], out);
        value_release(vm, *out);
        *out = v_none();
    }
    if (rc || class_text_peek(class, "__getitem__").tag == V_UNSET ||
        class_text_peek(class, "__len__").tag == V_UNSET)
        return rc;
    int64_t n;
    rc = vm_len(vm, v, &n);
    if (rc && !gpa_err_is(rc, GPA_E_RECURSION) && !gpa_err_is(rc, GPA_E_MEMORY)) {
        vm_clear_error(vm); /* an object without a length is no sequence */
        return GPA_OK;
    }
    if (!rc) rc = vm_collect(vm, v, out);
    *found = !rc;
    return rc;
}

gpa_code arg_array(gpa_vm *vm, value v, gpa_dtype t, gpa_arr **out) {
    gpa_opnd o;
    *out = NULL;
    if (v.tag == V_ARRAY) {
        gpa_arr *a = v.array->arr;
        if (t == DT_NONE || t == (gpa_dtype)a->dtype) {
            *out = arr_retain(a);
            return GPA_OK;
        }
        gpa_code rc = np_check_cast(vm, &(gpa_opnd){.arr = a}, t);
        return rc ? rc : arr_cast(vm_rt(vm), a, t, false, out, vm_err(vm));
    }
    if (arg_number(v, &o) || (v.tag == V_STR && t != DT_NONE)) {
        gpa_val x;
        gpa_dtype to = t == DT_NONE ? o.dtype : t;
        if (v.tag == V_BIG && to == DT_F64 && t == DT_NONE) return fail_int_too_large(vm);
        gpa_code rc = v.tag == V_STR ? arg_element(vm, v, t, &o) : GPA_OK;
        if (!rc) rc = convert(vm, &o, to, &x);
        return rc ? rc : arr_scalar(vm_rt(vm), to, x, out, vm_err(vm));
    }
    v = value_underlying(v);
    if (is_sequence(v)) return from_sequence(vm, v, t, out);
    bool record;
    value stands_for = v_none();
    gpa_code rc = array_of_object(vm, v, &stands_for, &record);
    if (!rc && record) rc = arg_array(vm, stands_for, t, out);
    value_release(vm, stands_for);
    if (rc || record) return rc;
    if (v.tag == V_ITER || v.tag == V_SET || v.tag == V_DICT)
        return vm_fail(vm, GPA_E_TYPE,
                       "an array cannot be made from a '%s': give a list, as in array(list(...))",
                       value_type_name(v));
    return vm_fail(vm, GPA_E_TYPE, "arrays hold numbers: a value of type '%s' has no dtype",
                   value_type_name(v));
}
