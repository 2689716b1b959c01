/* dict: construction, methods, and the live views keys(), values() and items(). */
#include "lang/builtin/all.h"
#include "lang/builtin/iterate.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"

/* ---- construction ---- */

static gpa_code put_pair(gpa_vm *vm, dict_obj *d, value pair, size_t number) {
    value items;
    gpa_code rc = vm_collect(vm, pair, &items);
    if (rc == GPA_E_TYPE) {
        vm_clear_error(vm);
        return vm_fail(vm, GPA_E_TYPE,
                       "cannot convert dictionary update sequence element #%zu to a sequence",
                       number);
    }
    if (rc) return rc;
    if (items.list->count == 2)
        rc = dict_set(vm, d, items.list->items[0], items.list->items[1]);
    else
        rc = vm_fail(vm, GPA_E_VALUE,
                     "dictionary update sequence element #%zu has length %zu; 2 is required",
                     number, items.list->count);
    value_release(vm, items);
    return rc;
}

/* Inserts the entries of an object with keys() (*is: it has them). */
static gpa_code put_mapping(gpa_vm *vm, dict_obj *d, value from, bool *is) {
    value method = v_unset(), view = v_none(), keys = v_none();
    *is = from.tag == V_OBJECT && vm_attr(vm, from, "keys", &method) == GPA_OK;
    if (!*is) {
        vm_clear_error(vm);
        return GPA_OK;
    }
    gpa_code rc = vm_call(vm, method, NO_ARGS, &view);
    if (!rc) rc = vm_collect(vm, view, &keys);
    for (size_t i = 0; !rc && i < keys.list->count; i++) {
        value item = v_none();
        rc = vm_getitem(vm, from, keys.list->items[i], &item);
        if (!rc) rc = dict_set(vm, d, keys.list->items[i], item);
        value_release(vm, item);
    }
    value_release(vm, method);
    value_release(vm, view);
    value_release(vm, keys);
    return rc;
}

gpa_code dict_update_from(gpa_vm *vm, dict_obj *d, value from) {
    if (from.tag == V_DICT) return from.dict == d ? GPA_OK : dict_update(vm, d, from.dict);
    value pairs;
    bool mapping;
    gpa_code rc = put_mapping(vm, d, from, &mapping);
    if (rc || mapping) return rc;
    rc = vm_collect(vm, from, &pairs);
    if (rc) return rc;
    for (size_t i = 0; i < pairs.list->count && !rc; i++)
        rc = put_pair(vm, d, pairs.list->items[i], i);
    value_release(vm, pairs);
    return rc;
}

gpa_code dict_new(gpa_vm *vm, value *argv, value *out) {
    value d = v_dict(vm);
    if (d.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = argv[1].tag == V_UNSET ? GPA_OK : dict_update_from(vm, d.dict, argv[1]);
    if (!rc) rc = dict_update(vm, d.dict, argv[2].dict);
    return native_finish(vm, rc, d, out);
}

gpa_code dict_fromkeys(gpa_vm *vm, value *argv, value *out) {
    value keys, d = v_dict(vm);
    if (d.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = vm_collect(vm, argv[0], &keys);
    if (!rc) {
        for (size_t i = 0; i < keys.list->count && !rc; i++)
            rc = dict_set(vm, d.dict, keys.list->items[i], argv[1]);
        value_release(vm, keys);
    }
    return native_finish(vm, rc, d, out);
}

/* ---- methods ---- */

gpa_code dict_m_get(gpa_vm *vm, value *argv, value *out) {
    value v;
    gpa_code rc = dict_get_peek(vm, argv[0].dict, argv[1], &v);
    if (!rc) *out = value_retain(v.tag == V_UNSET ? argv[2] : v);
    return rc;
}

gpa_code dict_m_pop(gpa_vm *vm, value *argv, value *out) {
    value v;
    gpa_code rc = dict_take(vm, argv[0].dict, argv[1], &v);
    if (rc) return rc;
    if (v.tag == V_UNSET && argv[2].tag == V_UNSET) return vm_raise(vm, GPA_E_KEY, 1, &argv[1]);
    *out = v.tag == V_UNSET ? value_retain(argv[2]) : v;
    return GPA_OK;
}

/* Removes an entry and returns its key and value; NULL: KeyError with a message. */
static gpa_code pop_entry(gpa_vm *vm, dict_obj *d, const dict_entry *e, const char *empty,
                          value *out) {
    bool found;
    if (!e) {
        value message = v_cstr(vm, empty);
        if (message.tag == V_UNSET) return GPA_E_MEMORY;
        gpa_code rc = vm_raise(vm, GPA_E_KEY, 1, &message);
        value_release(vm, message);
        return rc;
    }
    gpa_code rc = native_return(v_tuple(vm, 2, (value[]){e->key, e->v}), out);
    return rc ? rc : dict_remove(vm, d, out->tuple->items[0], &found);
}

gpa_code dict_m_popitem(gpa_vm *vm, value *argv, value *out) {
    dict_obj *d = argv[0].dict;
    return pop_entry(vm, d, dict_last(d), "popitem(): dictionary is empty", out);
}

gpa_code dict_m_setdefault(gpa_vm *vm, value *argv, value *out) {
    value v;
    gpa_code rc = dict_get_peek(vm, argv[0].dict, argv[1], &v);
    if (!rc && v.tag == V_UNSET) {
        v = argv[2];
        rc = dict_set(vm, argv[0].dict, argv[1], v);
    }
    if (!rc) *out = value_retain(v);
    return rc;
}

gpa_code dict_m_update(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_code rc = argv[1].tag == V_UNSET ? GPA_OK : dict_update_from(vm, argv[0].dict, argv[1]);
    return rc ? rc : dict_update(vm, argv[0].dict, argv[2].dict);
}

gpa_code dict_m_copy(gpa_vm *vm, value *argv, value *out) {
    return native_return(dict_copy(vm, argv[0].dict), out);
}

gpa_code dict_m_clear(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    dict_clear(vm, argv[0].dict);
    return GPA_OK;
}

/* ---- OrderedDict ---- */

static gpa_code make_ordered(gpa_code rc, value *out) {
    if (!rc) out->dict->ordered = true;
    return rc;
}

gpa_code ordered_dict_new(gpa_vm *vm, value *argv, value *out) {
    return make_ordered(dict_new(vm, argv, out), out);
}

gpa_code ordered_dict_fromkeys(gpa_vm *vm, value *argv, value *out) {
    return make_ordered(dict_fromkeys(vm, argv, out), out);
}

gpa_code ordered_dict_popitem(gpa_vm *vm, value *argv, value *out) { /* self, last */
    dict_obj *d = argv[0].dict;
    size_t first = 0;
    bool last;
    gpa_code rc = arg_bool(vm, argv[1], "last", &last);
    if (rc) return rc;
    return pop_entry(vm, d, last ? dict_last(d) : dict_next(d, &first), "dictionary is empty", out);
}

gpa_code ordered_dict_move_to_end(gpa_vm *vm, value *argv, value *out) { /* self, key, last */
    dict_obj *d = argv[0].dict;
    value v, key, others = v_none();
    dict_entry *e = NULL;
    bool last;
    (void)out;
    gpa_code rc = arg_bool(vm, argv[2], "last", &last);
    if (!rc) rc = dict_find_peek(vm, d, argv[1], &e);
    if (rc) return rc;
    if (!e) return vm_raise(vm, GPA_E_KEY, 1, &argv[1]);
    key = value_retain(e->key);
    rc = dict_take(vm, d, key, &v);
    if (rc) v = v_none();
    if (!rc && !last) rc = native_return(dict_copy(vm, d), &others);
    if (!rc && !last) dict_clear(vm, d);
    if (!rc) rc = dict_set(vm, d, key, v);
    if (!rc && !last) rc = dict_update(vm, d, others.dict);
    value_release(vm, key);
    value_release(vm, v);
    value_release(vm, others);
    return rc;
}

/* ---- views ---- (field 0: the dict) */

typedef enum { PART_KEYS, PART_VALUES, PART_ITEMS } part;

static part part_of(const object_obj *o) {
    return o->kind == &dict_keys_kind     ? PART_KEYS
           : o->kind == &dict_values_kind ? PART_VALUES
                                          : PART_ITEMS;
}

static gpa_code return_part(gpa_vm *vm, const dict_entry *e, part p, value *out) {
    if (p == PART_ITEMS) return native_return(v_tuple(vm, 2, (value[]){e->key, e->v}), out);
    *out = value_retain(p == PART_KEYS ? e->key : e->v);
    return GPA_OK;
}

/* at: the next entry; end: number of entries at the start; step: keys, values or items. */
static gpa_code view_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    const dict_obj *d = it->source.dict;
    size_t at = (size_t)it->at;
    if ((int64_t)d->count != it->end)
        return vm_fail(vm, GPA_E_RUNTIME, "dictionary changed size during iteration");
    const dict_entry *e = dict_next(d, &at);
    it->at = (int64_t)at;
    *done = e == NULL;
    return e ? return_part(vm, e, (part)it->step, out) : GPA_OK;
}

static gpa_code view_iter(gpa_vm *vm, object_obj *o, value *out) {
    static const char *const names[] = {"dict_keyiterator", "dict_valueiterator",
                                        "dict_itemiterator"};
    gpa_code rc = iter_over(vm, names[part_of(o)], o->fields[0], v_none(), view_next, out);
    if (rc) return rc;
    out->iter->end = (int64_t)dict_count(o->fields[0].dict);
    out->iter->step = part_of(o);
    return GPA_OK;
}

static gpa_code view_len(gpa_vm *vm, object_obj *o, int64_t *out) {
    (void)vm;
    *out = (int64_t)dict_count(o->fields[0].dict);
    return GPA_OK;
}

static gpa_code view_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    value items;
    gpa_code rc = vm_collect(vm, v_obj(V_OBJECT, o), &items);
    if (rc) return rc;
    str_printf(out, "%s(", o->kind->type_name);
    rc = vm_repr(vm, items, out);
    str_putc(out, ')');
    value_release(vm, items);
    return rc;
}

static gpa_code keys_contain(gpa_vm *vm, object_obj *o, value item, bool *out) {
    value v;
    gpa_code rc = dict_get_peek(vm, o->fields[0].dict, item, &v);
    *out = v.tag != V_UNSET;
    return rc;
}

static gpa_code items_contain(gpa_vm *vm, object_obj *o, value item, bool *out) {
    value v;
    *out = false;
    if (item.tag != V_TUPLE || item.tuple->count != 2) return GPA_OK;
    gpa_code rc = dict_get_peek(vm, o->fields[0].dict, item.tuple->items[0], &v);
    if (rc || v.tag == V_UNSET) return rc;
    value_retain(v);
    rc = value_equal(vm, v, item.tuple->items[1], out);
    value_release(vm, v);
    return rc;
}

const object_kind dict_keys_kind = {.type_name = "dict_keys",
                                    .set_like = true,
                                    .repr = view_repr,
                                    .iter = view_iter,
                                    .len = view_len,
                                    .contains = keys_contain};
const object_kind dict_values_kind = {
    .type_name = "dict_values", .repr = view_repr, .iter = view_iter, .len = view_len};
const object_kind dict_items_kind = {.type_name = "dict_items",
                                     .set_like = true,
                                     .repr = view_repr,
                                     .iter = view_iter,
                                     .len = view_len,
                                     .contains = items_contain};

static gpa_code view(gpa_vm *vm, const object_kind *kind, value dict, value *out) {
    value o = v_object(vm, kind, 1);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    o.object->fields[0] = value_retain(dict);
    *out = o;
    return GPA_OK;
}

gpa_code dict_m_keys(gpa_vm *vm, value *argv, value *out) {
    return view(vm, &dict_keys_kind, argv[0], out);
}
gpa_code dict_m_values(gpa_vm *vm, value *argv, value *out) {
    return view(vm, &dict_values_kind, argv[0], out);
}
gpa_code dict_m_items(gpa_vm *vm, value *argv, value *out) {
    return view(vm, &dict_items_kind, argv[0], out);
}
