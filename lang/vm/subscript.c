/* Subscripts: reading, storing and deleting items and slices of containers. Arrays are in
 * lang/numpy/operate_array.c. */
#include <string.h>

#include "runtime/base/base.h"

#include "lang/object/big.h"
#include "lang/object/container.h"
#include "lang/vm/generic_alias.h"
#include "lang/vm/array_args.h"
#include "lang/vm/array_interface.h"
#include "lang/vm/foreign.h"
#include "lang/vm/instance.h"
#include "lang/object/number.h"
#include "lang/vm/record.h"
#include "lang/compile/code.h"
#include "lang/vm/operate.h"
#include "lang/text/text.h"

static gpa_code owned(gpa_vm *vm, value v, value *out) {
    *out = v;
    if (v.tag != V_UNSET) return GPA_OK;
    *out = v_none();
    return vm_err(vm)->code ? vm_err(vm)->code : vm_no_memory(vm);
}

/* An integer subscript: int, bool, NumPy's integers. */
static bool as_index(value key, int64_t *out) {
    if (key.tag == V_INT || key.tag == V_BOOL) {
        *out = key.i;
        return true;
    }
    if (key.tag != V_NUM) return false;
    number n = number_of(key);
    *out = n.i;
    return n.kind == NUMBER_INT && key.aux != DT_BOOL;
}

/* True if the subscript may be an object with __index__, which runs code. */
static bool may_have_index(value key) { return instance_has(key, "__index__") || is_foreign(key); }

/* True if evaluating the subscript runs code of the program (__index__), which may change the list.
 */
static bool asks_index(value key) {
    if (key.tag != V_SLICE) return may_have_index(key);
    return may_have_index(key.slice->start) || may_have_index(key.slice->stop) ||
           may_have_index(key.slice->step);
}

/* The result of __index__; *handled: the object has it. */
static gpa_code call_index(gpa_vm *vm, value key, int64_t *out, bool *handled) {
    value i = v_none();
    *handled = false;
    if (!may_have_index(key)) return GPA_OK;
    gpa_code rc = record_call_member(vm, key, "__index__", NO_ARGS, &i, handled);
    if (!rc && *handled) rc = arg_int(vm, i, "index", out);
    value_release(vm, i);
    return rc;
}

static gpa_code ask_part(gpa_vm *vm, value part, value *out) {
    int64_t i;
    bool handled;
    gpa_code rc = call_index(vm, part, &i, &handled);
    if (!rc) *out = handled ? v_int(i) : value_retain(part);
    return rc;
}

/* The slice with its bounds converted to ints. */
static gpa_code ask_index(gpa_vm *vm, value key, value *out) {
    if (key.tag != V_SLICE) return ask_part(vm, key, out);
    value start = v_none(), stop = v_none(), step = v_none();
    gpa_code rc = ask_part(vm, key.slice->start, &start);
    if (!rc) rc = ask_part(vm, key.slice->stop, &stop);
    if (!rc) rc = ask_part(vm, key.slice->step, &step);
    if (!rc) rc = owned(vm, v_slice(vm, start, stop, step), out);
    value_release(vm, start);
    value_release(vm, stop);
    value_release(vm, step);
    return rc;
}

/* True for arrays that may be an index: not lazy scalars of other dtypes than integers. */
static bool is_array_index(value v) {
    return v.tag == V_ARRAY && (!v.aux || dtype_is_int((gpa_dtype)v.array->arr->dtype));
}

/* Computes a lazy NumPy scalar used as a subscript. */
static gpa_code position(gpa_vm *vm, value key, const char *what, int64_t n, const char *words,
                         int64_t *out) {
    if (key.tag == V_BIG)
        return vm_fail(vm, GPA_E_INDEX, "cannot fit 'int' into an index-sized integer");
    bool handled = as_index(key, out);
    gpa_code rc = handled ? GPA_OK : call_index(vm, key, out, &handled);
    if (!rc && !handled && is_array_index(key)) {
        rc = arg_int(vm, key, what, out);
        handled = true;
    }
    if (rc) return rc;
    if (!handled)
        return vm_fail(vm, GPA_E_TYPE, "%s indices must be integers or slices, not %s", what,
                       value_type_name(key));
    if (*out < 0) *out += n;
    if (*out < 0 || *out >= n) return vm_fail(vm, GPA_E_INDEX, "%s", words);
    return GPA_OK;
}

static gpa_code slice_part(gpa_vm *vm, value v, int64_t otherwise, int64_t *out) {
    *out = otherwise;
    if (v.tag == V_NONE) return GPA_OK;
    bool handled = as_index(v, out);
    gpa_code rc = handled ? GPA_OK : call_index(vm, v, out, &handled);
    if (rc || handled) return rc;
    if (is_array_index(v)) return arg_int(vm, v, "slice", out);
    if (v.tag == V_BIG) return *out = v.big->negative ? -INT64_MAX : INT64_MAX, GPA_OK;
    return vm_fail(vm, GPA_E_TYPE,
                   "slice indices must be integers or None or have an __index__ method");
}

static int64_t clamp(int64_t i, int64_t n, int64_t lo, int64_t hi) {
    if (i < 0) i = i < -n ? lo : i + n;
    return i < lo ? lo : i > hi ? hi : i;
}

gpa_code op_slice_bounds(gpa_vm *vm, const slice_obj *s, int64_t n, int64_t *start, int64_t *stop,
                         int64_t *step) {
    gpa_code rc = slice_part(vm, s->step, 1, step);
    if (!rc && *step == 0) rc = vm_fail(vm, GPA_E_VALUE, "slice step cannot be zero");
    if (rc) return rc;
    if (*step < -INT64_MAX) *step = -INT64_MAX;
    bool up = *step > 0;
    int64_t lo = up ? 0 : -1, hi = up ? n : n - 1;
    rc = slice_part(vm, s->start, 0, start);
    if (!rc) rc = slice_part(vm, s->stop, 0, stop);
    if (rc) return rc;
    *start = s->start.tag == V_NONE ? (up ? 0 : n - 1) : clamp(*start, n, lo, hi);
    *stop = s->stop.tag == V_NONE ? (up ? n : -1) : clamp(*stop, n, lo, hi);
    return GPA_OK;
}

gpa_code op_slice(gpa_vm *vm, const slice_obj *s, int64_t n, int64_t *start, int64_t *step,
                  int64_t *count) {
    int64_t stop;
    gpa_code rc = op_slice_bounds(vm, s, n, start, &stop, step);
    if (rc) return rc;
    *count = *step > 0 ? (stop > *start ? (stop - *start - 1) / *step + 1 : 0)
                       : (stop < *start ? (*start - stop - 1) / -*step + 1 : 0);
    return GPA_OK;
}

/* ---- reading ---- */

static gpa_code text_item(gpa_vm *vm, const str_obj *s, value key, value *out) {
    int64_t i, step, n;
    gpa_code rc;
    if (key.tag != V_SLICE) {
        if (!is_array_index(key) && key.tag != V_BIG && !as_index(key, &i) && !may_have_index(key))
            return vm_fail(vm, GPA_E_TYPE, "string indices must be integers, not '%s'",
                           value_type_name(key));
        rc = position(vm, key, "string", s->length, "string index out of range", &i);
        return rc ? rc : owned(vm, str_slice(vm, s, (size_t)i, (size_t)i + 1), out);
    }
    rc = op_slice(vm, key.slice, s->length, &i, &step, &n);
    if (rc) return rc;
    if (step == 1) return owned(vm, str_slice(vm, s, (size_t)i, (size_t)(i + n)), out);
    gpa_str text;
    str_init(&text);
    for (int64_t k = 0; k < n; k++, i += step) {
        size_t at = str_offset(s, (size_t)i), next = str_offset(s, (size_t)i + 1);
        str_putn(&text, s->text + at, next - at);
    }
    return owned(vm, v_str_take(vm, &text), out);
}

static gpa_code bytes_item(gpa_vm *vm, const str_obj *s, value key, value *out) {
    int64_t i, step, n;
    if (key.tag != V_SLICE) {
        gpa_code rc = position(vm, key, "byte", s->size, "index out of range", &i);
        if (!rc) *out = v_int((unsigned char)s->text[i]);
        return rc;
    }
    gpa_code rc = op_slice(vm, key.slice, s->size, &i, &step, &n);
    if (rc) return rc;
    gpa_str text;
    str_init(&text);
    for (int64_t k = 0; k < n; k++, i += step) str_putc(&text, s->text[i]);
    value v = text.failed ? v_unset() : v_bytes(vm, text.text, text.len);
    str_free(&text);
    return owned(vm, v, out);
}

static gpa_code items_item(gpa_vm *vm, bool list, const value *items, size_t count, value key,
                           value *out) {
    int64_t i, step, n;
    gpa_code rc;
    if (key.tag != V_SLICE) {
        rc = position(vm, key, list ? "list" : "tuple", (int64_t)count,
                      list ? "list index out of range" : "tuple index out of range", &i);
        if (!rc) *out = value_retain(items[i]);
        return rc;
    }
    rc = op_slice(vm, key.slice, (int64_t)count, &i, &step, &n);
    if (rc) return rc;
    value v = list ? v_list(vm, (size_t)n, NULL) : v_tuple(vm, (size_t)n, NULL);
    if (v.tag == V_UNSET) return owned(vm, v, out);
    value *to = list ? v.list->items : v.tuple->items;
    for (int64_t k = 0; k < n; k++, i += step) to[k] = value_retain(items[i]);
    *out = v;
    return GPA_OK;
}

static gpa_code range_item(gpa_vm *vm, const range_obj *r, value key, value *out) {
    int64_t i, step, stop, len = range_len(r);
    gpa_code rc;
    if (key.tag != V_SLICE) {
        rc = position(vm, key, "range", len, "range object index out of range", &i);
        if (!rc) *out = v_int(r->start + i * r->step);
        return rc;
    }
    rc = op_slice_bounds(vm, key.slice, len, &i, &stop, &step);
    return rc ? rc
              : owned(
                    vm,
                    v_range(vm, r->start + i * r->step, r->start + stop * r->step, step * r->step),
                    out);
}

static gpa_code list_item(gpa_vm *vm, const list_obj *l, value key, value *out) {
    value plain = v_none();
    if (!asks_index(key)) return items_item(vm, true, l->items, l->count, key, out);
    gpa_code rc = ask_index(vm, key, &plain);
    if (!rc) rc = items_item(vm, true, l->items, l->count, plain, out);
    value_release(vm, plain);
    return rc;
}

static bool consumes_no_axis(value key) {
    switch (key.tag) {
        case V_NONE:
        case V_ELLIPSIS:
        case V_BOOL: return true;
        case V_NUM: return key.aux == DT_BOOL;
        case V_ARRAY: return key.array->arr->dtype == DT_BOOL && key.array->arr->ndim == 0;
        default: return false;
    }
}

/* True for (), ..., None, booleans and tuples of these, which index a scalar as an array without
 * axes. */
static bool indexes_scalar(value key) {
    if (key.tag != V_TUPLE) return consumes_no_axis(key);
    bool all = true;
    for (size_t i = 0; all && i < key.tuple->count; i++)
        all = consumes_no_axis(key.tuple->items[i]);
    return all;
}

static gpa_code scalar_item(gpa_vm *vm, value v, value key, value *out) {
    gpa_arr *a = NULL;
    if (!indexes_scalar(key)) return vm_fail(vm, GPA_E_INDEX, "invalid index to scalar variable.");
    gpa_code rc = arg_array(vm, v, DT_NONE, &a);
    if (rc) return rc;
    value array = v_array_take(vm, a, false);
    if (array.tag == V_UNSET) return vm_err(vm)->code;
    rc = array_operators.getitem(vm, array, key, out);
    value_release(vm, array);
    return rc;
}

gpa_code op_getitem(gpa_vm *vm, value v, value key, value *out) {
    dict_entry *e;
    gpa_code rc;
    switch (v.tag) {
        case V_LIST: return list_item(vm, v.list, key, out);
        case V_TUPLE: return items_item(vm, false, v.tuple->items, v.tuple->count, key, out);
        case V_DICT:
            rc = dict_find_peek(vm, v.dict, key, &e);
            if (!rc && !e) rc = vm_raise(vm, GPA_E_KEY, 1, &key);
            if (!rc) *out = value_retain(e->v);
            return rc;
        case V_STR: return text_item(vm, v.str, key, out);
        case V_BYTES: return bytes_item(vm, v.str, key, out);
        case V_RANGE: return range_item(vm, v.range, key, out);
        case V_ARRAY:
            return v.aux && !indexes_scalar(key)
                       ? vm_fail(vm, GPA_E_INDEX, "invalid index to scalar variable.")
                       : array_operators.getitem(vm, v, key, out);
        case V_OBJECT:
            if (v.object->kind->getitem) return v.object->kind->getitem(vm, v.object, key, out);
            break;
        case V_TYPE: return type_getitem(vm, v, key, out);
        case V_NUM: return scalar_item(vm, v, key, out);
        case V_COMPLEX:
            if (v.aux) return scalar_item(vm, v, key, out);
            break;
        default: break;
    }
    return vm_fail(vm, vm_in_jitted(vm) ? GPA_E_TYPING : GPA_E_TYPE,
                   "'%s' object is not subscriptable", value_type_name(v));
}

gpa_code vm_getitem(gpa_vm *vm, value v, value key, value *out) {
    return op_getitem(vm, v, key, out);
}

/* ---- storing ---- */

/* Replaces the list's items [at, at + old) by `n` others (retained). */
static gpa_code splice(gpa_vm *vm, list_obj *l, size_t at, size_t n_removed, const value *items,
                       size_t n) {
    size_t count = l->count - n_removed + n;
    gpa_code rc = list_reserve(vm, l, count);
    if (rc) return rc;
    value *removed = n_removed ? mem_new(n_removed * sizeof *removed) : NULL;
    if (n_removed && !removed) return vm_no_memory(vm);
    if (n_removed) memcpy(removed, l->items + at, n_removed * sizeof *removed);
    memmove(l->items + at + n, l->items + at + n_removed,
            (l->count - at - n_removed) * sizeof *items);
    for (size_t i = 0; i < n; i++) l->items[at + i] = value_retain(items[i]);
    l->count = count;
    for (size_t i = 0; i < n_removed; i++) value_release(vm, removed[i]);
    mem_free(removed);
    return GPA_OK;
}

static gpa_code set_slice(gpa_vm *vm, list_obj *l, const slice_obj *s, value item) {
    int64_t i, step, n;
    value all = v_unset();
    gpa_code rc = op_slice(vm, s, (int64_t)l->count, &i, &step, &n);
    if (rc) return rc;
    rc = vm_collect(vm, item, &all);
    if (rc == GPA_E_TYPE) {
        vm_clear_error(vm);
        return vm_fail(
            vm, GPA_E_TYPE,
            step == 1 ? "can only assign an iterable" : "must assign iterable to extended slice");
    }
    if (!rc)
        rc = op_slice(vm, s, (int64_t)l->count, &i, &step,
                      &n); /* iterating over the items may have changed the list */
    if (rc) {
        value_release(vm, all);
        return rc;
    }
    size_t given = all.list->count;
    if (step == 1) {
        rc = splice(vm, l, (size_t)i, (size_t)n, all.list->items, given);
    } else if (given != (size_t)n) {
        rc = vm_fail(vm, GPA_E_VALUE,
                     "attempt to assign sequence of size %zu to extended slice of size %lld", given,
                     (long long)n);
    } else {
        for (size_t k = 0; k < given; k++, i += step) {
            value old = l->items[i];
            l->items[i] = value_retain(all.list->items[k]);
            value_release(vm, old);
        }
    }
    value_release(vm, all);
    return rc;
}

static gpa_code set_list_item(gpa_vm *vm, list_obj *l, value key, value item) {
    int64_t i;
    if (key.tag == V_SLICE) return set_slice(vm, l, key.slice, item);
    gpa_code rc =
        position(vm, key, "list", (int64_t)l->count, "list assignment index out of range", &i);
    if (rc) return rc;
    value old = l->items[i];
    l->items[i] = value_retain(item);
    value_release(vm, old);
    return GPA_OK;
}

gpa_code op_setitem(gpa_vm *vm, value v, value key, value item) {
    if (v.tag == V_DICT) return dict_set(vm, v.dict, key, item);
    if (v.tag == V_ARRAY && !v.aux) return array_operators.setitem(vm, v, key, item, false);
    if (v.tag == V_OBJECT && v.object->kind->setitem)
        return v.object->kind->setitem(vm, v.object, key, item);
    if (v.tag != V_LIST)
        return vm_fail(vm, GPA_E_TYPE, "'%s' object does not support item assignment",
                       value_type_name(v));
    value plain = v_none();
    if (!asks_index(key)) return set_list_item(vm, v.list, key, item);
    gpa_code rc = ask_index(vm, key, &plain);
    if (!rc) rc = set_list_item(vm, v.list, plain, item);
    value_release(vm, plain);
    return rc;
}

gpa_code vm_setitem(gpa_vm *vm, value v, value key, value item) {
    return op_setitem(vm, v, key, item);
}

static gpa_code delete_slice(gpa_vm *vm, list_obj *l, const slice_obj *s) {
    int64_t i, step, n;
    gpa_code rc = op_slice(vm, s, (int64_t)l->count, &i, &step, &n);
    if (rc || n == 0) return rc;
    if (step < 0) { /* the same items in ascending order */
        i += (n - 1) * step;
        step = -step;
    }
    for (int64_t k = 0; k < n; k++) value_release(vm, list_take(l, (size_t)(i + k * (step - 1))));
    return GPA_OK;
}

static gpa_code delete_list_item(gpa_vm *vm, list_obj *l, value key) {
    int64_t i;
    if (key.tag == V_SLICE) return delete_slice(vm, l, key.slice);
    gpa_code rc =
        position(vm, key, "list", (int64_t)l->count, "list assignment index out of range", &i);
    if (!rc) value_release(vm, list_take(l, (size_t)i));
    return rc;
}

gpa_code op_delitem(gpa_vm *vm, value v, value key) {
    value plain = v_none();
    bool found;
    gpa_code rc;
    if (v.tag == V_DICT) {
        rc = dict_remove(vm, v.dict, key, &found);
        return rc ? rc : found ? GPA_OK : vm_raise(vm, GPA_E_KEY, 1, &key);
    }
    if (v.tag == V_ARRAY && !v.aux) return vm_fail(vm, GPA_E_VALUE, "cannot delete array elements");
    if (v.tag == V_OBJECT && v.object->kind->delitem)
        return v.object->kind->delitem(vm, v.object, key);
    if (v.tag != V_LIST)
        return vm_fail(vm, GPA_E_TYPE, "'%s' object %s item deletion", value_type_name(v),
                       v.tag == V_TUPLE || v.tag == V_STR || v.tag == V_RANGE ? "doesn't support"
                                                                              : "does not support");
    if (!asks_index(key)) return delete_list_item(vm, v.list, key);
    rc = ask_index(vm, key, &plain);
    if (!rc) rc = delete_list_item(vm, v.list, plain);
    value_release(vm, plain);
    return rc;
}

/* d[key] op= item with one hash lookup. */
static gpa_code update_entry(gpa_vm *vm, ast_op op, dict_obj *d, value key, value item) {
    dict_entry *e;
    value new = v_none();
    gpa_code rc = dict_find_peek(vm, d, key, &e);
    if (rc) return rc;
    if (!e) return vm_raise(vm, GPA_E_KEY, 1, &key);
    value old = e->v;
    long long sum;
    if (op == AST_OP_ADD && old.tag == V_INT && item.tag == V_INT &&
        !__builtin_saddll_overflow(old.i, item.i, &sum)) {
        e->v.i = sum;
        return GPA_OK;
    }
    value_retain(old);
    rc = op_update(vm, op, old, item, &new);
    if (!rc) rc = dict_set(vm, d, key, new);
    value_release(vm, old);
    value_release(vm, new);
    return rc;
}

gpa_code op_update_item(gpa_vm *vm, ast_op op, const item_update *u) {
    value old = u->old, read = v_none(), new = v_none();
    gpa_code rc = GPA_OK;
    if (old.tag == V_UNSET) {
        if (u->v.tag == V_DICT) return update_entry(vm, op, u->v.dict, u->key, u->item);
        if (u->v.tag == V_ARRAY && !u->v.aux)
            return array_operators.update_item(vm, op, u->v, u->key, u->item, u->last);
        rc = op_getitem(vm, u->v, u->key, &read);
        old = read;
    }
    if (!rc) rc = op_update(vm, op, old, u->item, &new);
    if (!rc) rc = op_setitem(vm, u->v, u->key, new);
    value_release(vm, read);
    value_release(vm, new);
    return rc;
}

bool op_runs_program(value v) {
    switch ((int)v.tag) {
        case V_FUNC: return !v.func->module->library;
        case V_METHOD: return op_runs_program(v.method->fn);
        case V_CLASS:
        case V_ITER:
        case V_OBJECT: return true;
        default: return false;
    }
}

gpa_code op_old_item(gpa_vm *vm, value v, value key, const value *callees, size_t n, value *out) {
    bool needed = v.tag != V_ARRAY || v.aux || n == OLD_ITEM_ALWAYS;
    *out = v_unset();
    for (size_t i = 0; !needed && i < n; i++) needed = op_runs_program(callees[i]);
    if (!needed) return GPA_OK;
    gpa_code rc = op_getitem(vm, v, key, out);
    if (!rc && v.tag == V_ARRAY && out->tag == V_ARRAY && !out->aux &&
        out->array->arr->base) { /* a view shares the stored elements */
        value_release(vm, *out);
        *out = v_unset();
    }
    return rc;
}
