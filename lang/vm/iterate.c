/* Iterators over ranges, lists, tuples, dicts, sets, text and arrays. */
#include "lang/vm/iterate.h"

#include "lang/object/container.h"
#include "lang/text/text.h"
#include "runtime/tape.h"

gpa_code iter_range_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    (void)vm;
    *done = it->end <= 0;
    if (*done) return GPA_OK;
    it->end--;
    *out = v_int(it->at);
    it->at = (int64_t)((uint64_t)it->at + (uint64_t)it->step);
    return GPA_OK;
}

gpa_code iter_list_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    (void)vm;
    const list_obj *l = it->source.list;
    *done = (size_t)it->at >= l->count;
    if (!*done) *out = value_retain(l->items[it->at++]);
    return GPA_OK;
}

static gpa_code tuple_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    (void)vm;
    const tuple_obj *t = it->source.tuple;
    *done = (size_t)it->at >= t->count;
    if (!*done) *out = value_retain(t->items[it->at++]);
    return GPA_OK;
}

/* `end` is the number of entries at the start: changing a dict's size during iteration is an error.
 */
static gpa_code keys_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    const dict_obj *d = it->source.tag == V_SET ? &it->source.set->d : it->source.dict;
    size_t at = (size_t)it->at;
    if ((int64_t)d->count != it->end)
        return vm_fail(vm, GPA_E_RUNTIME, "%s changed size during iteration",
                       it->source.tag == V_SET ? "Set" : "dictionary");
    const dict_entry *e = dict_next(d, &at);
    it->at = (int64_t)at;
    *done = !e;
    if (e) *out = value_retain(e->key);
    return GPA_OK;
}

static gpa_code text_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    const str_obj *s = it->source.str;
    size_t n;
    *done = (size_t)it->at >= s->size;
    if (*done) return GPA_OK;
    text_decode(s->text + it->at, s->size - (size_t)it->at, &n);
    *out = v_str(vm, s->text + it->at, n);
    it->at += (int64_t)n;
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

static gpa_code bytes_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    (void)vm;
    const str_obj *s = it->source.str;
    *done = (size_t)it->at >= s->size;
    if (!*done) *out = v_int((unsigned char)s->text[it->at++]);
    return GPA_OK;
}

/* Rows or elements of an array. The elements of a vector that has no other reference are read all
 * at once into `extra`, a bytes value. */
static gpa_code array_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    gpa_arr *a = it->source.array->arr, *row;
    *done = it->at >= it->end;
    if (*done) return GPA_OK;
    if (it->extra.tag == V_BYTES) {
        size_t size = dtype_size((gpa_dtype)a->dtype);
        *out = v_num(vm, (gpa_dtype)a->dtype,
                     dtype_load(it->extra.str->text + (size_t)it->at * size, (gpa_dtype)a->dtype));
    } else if (a->ndim == 1 && !tape_is_active(vm_rt(vm), a)) {
        gpa_val item;
        gpa_code rc = arr_get_item(vm_rt(vm), a, &it->at, 1, &item, vm_err(vm));
        if (rc) return rc;
        *out = v_num(vm, (gpa_dtype)a->dtype, item);
    } else {
        gpa_index ix = {.kind = IX_INT, .i = it->at};
        gpa_code rc = arr_get(vm_rt(vm), a, &(gpa_indices){&ix, 1}, NULL, &row, vm_err(vm));
        if (rc) return rc;
        *out = v_array_take(vm, row, a->ndim == 1);
    }
    it->at++;
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

static gpa_code array_iter(gpa_vm *vm, value v, value *it) {
    const gpa_arr *a = v.array->arr;
    if (v.aux) return vm_fail(vm, GPA_E_TYPE, "'%s' object is not iterable", value_type_name(v));
    if (a->ndim == 0) return vm_fail(vm, GPA_E_TYPE, "iteration over a 0-d array");
    *it = v_iter(vm, "array_iterator", array_next);
    if (it->tag == V_UNSET) return vm_err(vm)->code;
    it->iter->end = a->shape[0];
    if (a->ndim != 1 || v.o->refs > 1 || a->refs > 1 || a->base || tape_is_active(vm_rt(vm), a))
        return GPA_OK;
    size_t size = (size_t)a->size * dtype_size((gpa_dtype)a->dtype);
    void *data = mem_new(size);
    gpa_code rc = data ? arr_read(vm_rt(vm), v.array->arr, data, vm_err(vm)) : vm_no_memory(vm);
    if (!rc) {
        it->iter->extra = v_bytes(vm, data, size);
        if (it->iter->extra.tag == V_UNSET) rc = vm_err(vm)->code;
    }
    mem_free(data);
    if (rc) {
        value_release(vm, *it);
        *it = v_unset();
    }
    return rc;
}

gpa_code vm_iter(gpa_vm *vm, value v, value *out) {
    value it = v_unset();
    gpa_code rc = GPA_OK;
    switch (v.tag) {
        case V_ITER: *out = value_retain(v); return GPA_OK;
        case V_LIST: it = v_iter(vm, "list_iterator", iter_list_next); break;
        case V_TUPLE: it = v_iter(vm, "tuple_iterator", tuple_next); break;
        case V_DICT: it = v_iter(vm, "dict_keyiterator", keys_next); break;
        case V_SET:
            set_arrange(v.set);
            it = v_iter(vm, "set_iterator", keys_next);
            break;
        case V_STR: it = v_iter(vm, "str_iterator", text_next); break;
        case V_BYTES: it = v_iter(vm, "bytes_iterator", bytes_next); break;
        case V_RANGE: it = v_iter(vm, "range_iterator", iter_range_next); break;
        case V_ARRAY: rc = array_iter(vm, v, &it); break;
        case V_OBJECT:
            if (v.object->kind->iter) return v.object->kind->iter(vm, v.object, out);
            return vm_fail(vm, GPA_E_TYPE, "'%s' object is not iterable", value_type_name(v));
        default: return vm_fail(vm, GPA_E_TYPE, "'%s' object is not iterable", value_type_name(v));
    }
    if (rc) return rc;
    if (it.tag == V_UNSET) return vm_err(vm)->code;
    it.iter->source = value_retain(v);
    if (v.tag == V_RANGE) {
        it.iter->at = v.range->start;
        it.iter->step = v.range->step;
        it.iter->end = range_len(v.range);
    }
    if (v.tag == V_DICT) it.iter->end = (int64_t)dict_count(v.dict);
    if (v.tag == V_SET) it.iter->end = (int64_t)v.set->d.count;
    *out = it;
    return GPA_OK;
}

gpa_code vm_collect(gpa_vm *vm, value iterable, value *out) {
    value it = v_none(), v, list;
    if (iterable.tag == V_LIST || iterable.tag == V_TUPLE) {
        bool l = iterable.tag == V_LIST;
        *out = v_list(vm, l ? iterable.list->count : iterable.tuple->count,
                      l ? iterable.list->items : iterable.tuple->items);
        return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    }
    gpa_code rc = vm_iter(vm, iterable, &it);
    if (rc) return rc;
    list = v_list(vm, 0, NULL);
    if (list.tag == V_UNSET) rc = vm_err(vm)->code;
    /* a range has a known length: fail at once if it is too large, before memory is exhausted */
    if (!rc && iterable.tag == V_RANGE)
        rc = list_reserve(vm, list.list, (size_t)range_len(iterable.range));
    for (bool done = false; !rc;) {
        if (list.list->count % 1024 == 0 && (rc = vm_poll(vm))) break;
        v = v_none();
        rc = iter_next(vm, it, &v, &done);
        if (rc || done) break;
        rc = list_append(vm, list.list, v);
        value_release(vm, v);
    }
    value_release(vm, it);
    return native_finish(vm, rc, list, out);
}

gpa_code vm_len(gpa_vm *vm, value v, int64_t *out) {
    switch (v.tag) {
        case V_STR: *out = v.str->length; return GPA_OK;
        case V_BYTES: *out = v.str->size; return GPA_OK;
        case V_LIST: *out = (int64_t)v.list->count; return GPA_OK;
        case V_TUPLE: *out = (int64_t)v.tuple->count; return GPA_OK;
        case V_DICT: *out = (int64_t)dict_count(v.dict); return GPA_OK;
        case V_SET: *out = (int64_t)v.set->d.count; return GPA_OK;
        case V_RANGE: *out = range_len(v.range); return GPA_OK;
        case V_ARRAY:
            if (v.aux) break;
            if (v.array->arr->ndim == 0) return vm_fail(vm, GPA_E_TYPE, "len() of unsized object");
            *out = v.array->arr->shape[0];
            return GPA_OK;
        case V_OBJECT:
            if (v.object->kind->len) return v.object->kind->len(vm, v.object, out);
            break;
        default: break;
    }
    return vm_fail(vm, GPA_E_TYPE, "object of type '%s' has no len()", value_type_name(v));
}

value set_of(gpa_vm *vm, value iterable, bool frozen) {
    if (iterable.tag == V_SET) return set_copy(vm, iterable.set, frozen);
    gpa_code rc = GPA_OK;
    value it = v_unset(), out = v_set(vm);
    if (out.tag == V_UNSET) return out;
    out.set->frozen = frozen;
    TRY(vm_iter(vm, iterable, &it));
    bool done = false;
    for (uint32_t n = 0;; n++) {
        value v = v_none();
        if (n % 1024 == 0) TRY(vm_poll(vm));
        TRY(iter_next(vm, it, &v, &done));
        if (done) break;
        rc = set_add(vm, out.set, v);
        value_release(vm, v);
        if (rc) goto out;
    }
out:
    value_release(vm, it);
    if (!rc) return out;
    value_release(vm, out);
    return v_unset();
}
