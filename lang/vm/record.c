/* Records: library objects with members written in the language. An object has one field, the dict
 * of its attributes; the members of its type are kept in the vm by type name. Reading order:
 * members, attributes, the object protocol, natives. */
#include "lang/vm/record.h"

#include <stdio.h>

#include "lang/vm/foreign.h"
#include "lang/vm/kinds.h"
#include "lang/vm/native_table.h"
#include "lang/object/container.h"
#include "lang/vm/instance.h"
#include "lang/object/mime.h"
#include "lang/vm/operate.h"
#include "lang/vm/step.h"

/* ---- members ---- */

bool record_is(const object_kind *kind) {
    if (kind == &instance_kind) return true;
    static const object_kind *const all[] = {
#define RECORD_HOOKS .mimes = mimes, .truth = record_truth, .hash = record_hash
#define RECORD(id, variable, name) &variable,
#include "lang/vm/records.def"
#undef RECORD
    };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i] == kind) return true;
    return false;
}

dict_obj *record_members_peek(gpa_vm *vm, const object_kind *kind) {
    value v = vm->records ? dict_text_peek(vm, vm->records, kind->type_name) : v_unset();
    return v.tag == V_DICT ? v.dict : NULL;
}

/* A member of the object's type, or of its class. Borrowed. */
static value member_peek(gpa_vm *vm, const object_obj *o, const char *name) {
    if (o->kind == &instance_kind) return class_text_peek(o->fields[1].class, name);
    dict_obj *d = record_members_peek(vm, o->kind);
    return d ? dict_text_peek(vm, d, name) : v_unset();
}

static const char *name_of(object_obj *o) { return value_type_name(v_obj(V_OBJECT, o)); }

/* Calls a member with the object and at most three more arguments. *found: the member exists. In a
 * class of a program it may be any callable. */
static gpa_code call_member(gpa_vm *vm, object_obj *o, const char *name, const call_args *a,
                            value *out, bool *found) {
    value fn = member_peek(vm, o, name), self = v_obj(V_OBJECT, o), all[4] = {self},
          bound = v_unset();
    *found =
        fn.tag == V_FUNC || (o->kind == &instance_kind && fn.tag != V_UNSET && fn.tag != V_NONE);
    for (size_t i = 0; i < a->n; i++) all[1 + i] = a->values[i];
    if (!*found) return GPA_OK;
    if (fn.tag == V_FUNC) return vm_call(vm, fn, ARGS(a->n + 1, all), out);
    gpa_code rc = class_bind(vm, fn, self, o->fields[1], &bound);
    if (!rc) rc = vm_call(vm, bound, ARGS(a->n, a->values), out);
    value_release(vm, bound);
    return rc;
}

/* ---- attributes ---- */

static gpa_code get(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    value own = dict_text_peek(vm, o->fields[0].dict, name), self = v_obj(V_OBJECT, o);
    *out = v_unset();
    if (own.tag != V_UNSET) {
        *out = value_retain(own);
        return GPA_OK;
    }
    value m = member_peek(vm, o, name);
    if (m.tag == V_TUPLE && m.tuple->count == RECORD_GETTER)
        return vm_call(vm, m.tuple->items[0], ARGS(1, &self), out);
    if (m.tag == V_FUNC) return native_return(v_method(vm, self, m), out);
    *out = value_retain(m.tag == V_TUPLE ? m.tuple->items[0] : m);
    return GPA_OK;
}

static gpa_code set(gpa_vm *vm, object_obj *o, const char *name, value item) {
    value m = member_peek(vm, o, name), ignored = v_none();
    if (m.tag == V_TUPLE && m.tuple->count == RECORD_GETTER) {
        char setter[64];
        bool found;
        snprintf(setter, sizeof setter, "__set_%s__", name);
        gpa_code rc = call_member(vm, o, setter, ARGS(1, &item), &ignored, &found);
        value_release(vm, ignored);
        if (rc || found) return rc;
        return vm_fail(vm, GPA_E_ATTRIBUTE, "property '%s' of '%s' object has no setter", name,
                       name_of(o));
    }
    return dict_set_text(vm, o->fields[0].dict, name, item);
}

/* ---- object protocol ---- */

static bool is_tuple(const object_obj *o) { return o->fields[0].tag == V_TUPLE; }

/* Appends the str returned by a member; *found: the member exists and returned a str. */
static gpa_code put_text(gpa_vm *vm, object_obj *o, const char *name, gpa_str *out, bool *found) {
    value text = v_none();
    gpa_code rc = call_member(vm, o, name, NO_ARGS, &text, found);
    if (rc) return rc;
    if (*found && text.tag != V_STR && o->kind == &instance_kind)
        rc = vm_fail(vm, GPA_E_TYPE, "%s returned non-string (type %s)", name,
                     value_type_name(text));
    *found = text.tag == V_STR;
    if (*found) str_putn(out, text.str->text, text.str->size);
    value_release(vm, text);
    return rc;
}

/* The text of object.__repr__. */
static void put_default(gpa_vm *vm, object_obj *o, gpa_str *out) {
    const class_obj *c = o->fields[1].class;
    str_printf(out, "<%s.%s object at 0x%012llx>", intern_text(vm->core.names, c->module->name),
               c->text, (unsigned long long)(uintptr_t)o);
}

static gpa_code repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    bool found;
    gpa_code rc = put_text(vm, o, "__repr__", out, &found);
    if (rc || found) return rc;
    if (is_tuple(o)) return vm_repr(vm, o->fields[0], out);
    if (o->kind != &instance_kind)
        str_printf(out, "<%s object>", name_of(o));
    else
        put_default(vm, o, out);
    return GPA_OK;
}

static gpa_code str(gpa_vm *vm, object_obj *o, gpa_str *out) {
    bool found;
    gpa_code rc = put_text(vm, o, "__str__", out, &found);
    return rc || found ? rc : repr(vm, o, out);
}

static gpa_code call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    value fn = member_peek(vm, o, "__call__"), method;
    if (fn.tag != V_FUNC) return vm_fail(vm, GPA_E_TYPE, "'%s' object is not callable", name_of(o));
    method = v_method(vm, v_obj(V_OBJECT, o), fn);
    if (method.tag == V_UNSET) return vm_err(vm)->code;
    gpa_code rc = vm_call(vm, method, a, out);
    value_release(vm, method);
    return rc;
}

static gpa_code getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    bool found;
    gpa_code rc = call_member(vm, o, "__getitem__", ARGS(1, &key), out, &found);
    if (!rc && !found && is_tuple(o)) return vm_getitem(vm, o->fields[0], key, out);
    return rc || found ? rc
                       : vm_fail(vm, GPA_E_TYPE, "'%s' object is not subscriptable", name_of(o));
}

static gpa_code setitem(gpa_vm *vm, object_obj *o, value key, value item) {
    bool found;
    value nothing = v_none();
    gpa_code rc =
        call_member(vm, o, "__setitem__", ARGS(2, (value[]){key, item}), &nothing, &found);
    value_release(vm, nothing);
    return rc || found ? rc
                       : vm_fail(vm, GPA_E_TYPE, "'%s' object does not support item assignment",
                                 name_of(o));
}

static gpa_code delitem(gpa_vm *vm, object_obj *o, value key) {
    bool found;
    value nothing = v_none();
    gpa_code rc = call_member(vm, o, "__delitem__", ARGS(1, &key), &nothing, &found);
    value_release(vm, nothing);
    return rc || found
               ? rc
               : vm_fail(vm, GPA_E_TYPE, "'%s' object doesn't support item deletion", name_of(o));
}

static gpa_code enter(gpa_vm *vm, object_obj *o, value *out) {
    bool found;
    gpa_code rc = call_member(vm, o, "__enter__", NO_ARGS, out, &found);
    return rc || found
               ? rc
               : vm_fail(vm, GPA_E_TYPE,
                         "'%s' object does not support the context manager protocol", name_of(o));
}

/* The traceback argument is None: there are no traceback objects. */
static gpa_code leave(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    bool found;
    class_obj *class = class_of_peek(exc);
    value type = class                    ? v_obj(V_CLASS, class)
                 : exc.tag == V_EXCEPTION ? v_type(type_of(exc))
                                          : v_none(),
          answer = v_none();
    gpa_code rc =
        call_member(vm, o, "__exit__", ARGS(3, (value[]){type, exc, v_none()}), &answer, &found);
    if (!rc) rc = value_truth(vm, answer, swallow);
    value_release(vm, answer);
    return rc;
}

gpa_code record_next(gpa_vm *vm, value v, value *out, bool *done, bool *handled) {
    *handled = *done = false;
    if (v.tag != V_OBJECT || !record_is(v.object->kind)) return GPA_OK;
    gpa_code rc = call_member(vm, v.object, "__next__", NO_ARGS, out, handled);
    if (rc != GPA_E_STOP_ITERATION) return rc;
    vm_clear_error(vm);
    *done = true;
    return GPA_OK;
}

static gpa_code next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    bool handled;
    return record_next(vm, it->source, out, done, &handled);
}

bool record_is_own(const iter_obj *it) { return it->next == next; }

/* Next item of an object that is its own iterator. */
static gpa_code own_items(gpa_vm *vm, object_obj *o, value *out) {
    *out = v_iter(vm, name_of(o), next);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    out->iter->source = value_retain(v_obj(V_OBJECT, o));
    return GPA_OK;
}

/* Next item of an object without __iter__: o[0], o[1], ... up to an IndexError. */
static gpa_code next_item(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    bool found;
    gpa_code rc = call_member(vm, it->source.object, "__getitem__",
                              ARGS(1, (value[]){v_int(it->at)}), out, &found);
    it->at++;
    *done = !found || gpa_err_is(rc, GPA_E_INDEX) || rc == GPA_E_STOP_ITERATION;
    if (*done && rc) vm_clear_error(vm);
    return *done ? GPA_OK : rc;
}

static gpa_code items_of(gpa_vm *vm, object_obj *o, value *out) {
    if (o->kind != &instance_kind || member_peek(vm, o, "__getitem__").tag == V_UNSET)
        return vm_fail(vm, GPA_E_TYPE, "'%s' object is not iterable", name_of(o));
    *out = v_iter(vm, "iterator", next_item);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    out->iter->source = value_retain(v_obj(V_OBJECT, o));
    return GPA_OK;
}

static gpa_code iter(gpa_vm *vm, object_obj *o, value *out) {
    bool found;
    value items = v_none();
    gpa_code rc = call_member(vm, o, "__iter__", NO_ARGS, &items, &found);
    if (rc) return rc;
    bool record = found && items.tag == V_OBJECT && record_is(items.object->kind);
    if (!found && is_tuple(o))
        rc = vm_iter(vm, o->fields[0], out);
    else if (!found)
        rc = items_of(vm, o, out);
    else if (record && member_peek(vm, items.object, "__next__").tag != V_UNSET)
        rc = own_items(vm, items.object, out);
    else if (items.tag != V_ITER && o->kind == &instance_kind)
        rc = vm_fail(vm, GPA_E_TYPE, "iter() returned non-iterator of type '%s'",
                     value_type_name(items));
    else
        rc = vm_iter(vm, items, out);
    value_release(vm, items);
    return rc;
}

gpa_code record_call_special(gpa_vm *vm, value v, const char *name, const call_args *a, value *out,
                             bool *handled) {
    *handled = false;
    return v.tag == V_OBJECT && record_is(v.object->kind)
               ? call_member(vm, v.object, name, a, out, handled)
               : GPA_OK;
}

gpa_code record_array(gpa_vm *vm, value v, value *out, bool *handled) {
    return record_call_special(vm, v, "__array__", NO_ARGS, out, handled);
}

gpa_code record_format(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out,
                       bool *handled) {
    value wanted = v_str(vm, spec, n), text = v_none();
    gpa_code rc = wanted.tag == V_UNSET
                      ? vm_err(vm)->code
                      : call_member(vm, v.object, "__format__", ARGS(1, &wanted), &text, handled);
    if (!rc && *handled && text.tag != V_STR)
        rc = vm_fail(vm, GPA_E_TYPE, "__format__ must return a str, not %s", value_type_name(text));
    else if (!rc && *handled)
        rc = vm_str(vm, text, out);
    value_release(vm, wanted);
    value_release(vm, text);
    return rc;
}

gpa_code record_abs(gpa_vm *vm, value v, value *out, bool *handled) {
    return record_call_special(vm, v, "__abs__", NO_ARGS, out, handled);
}

static gpa_code len(gpa_vm *vm, object_obj *o, int64_t *out) {
    bool found;
    value n = v_none();
    int64_t n_given = 0;
    gpa_code rc = call_member(vm, o, "__len__", NO_ARGS, &n, &found);
    if (!rc && !found && is_tuple(o)) return *out = (int64_t)o->fields[0].tuple->count, GPA_OK;
    if (!rc && found && o->kind == &instance_kind) {
        rc = arg_int(vm, n, "len", &n_given);
        if (!rc && n_given < 0) rc = vm_fail(vm, GPA_E_VALUE, "__len__() should return >= 0");
        value_release(vm, n);
        *out = n_given;
        return rc;
    }
    if (!rc && n.tag != V_INT)
        rc = vm_fail(vm, GPA_E_TYPE, "object of type '%s' has no len()", name_of(o));
    if (!rc) *out = n.i;
    value_release(vm, n);
    return rc;
}

static gpa_code contains(gpa_vm *vm, object_obj *o, value item, bool *out) {
    bool found;
    value v = v_none();
    gpa_code rc = call_member(vm, o, "__contains__", ARGS(1, &item), &v, &found);
    bool items = o->kind == &instance_kind && (member_peek(vm, o, "__iter__").tag != V_UNSET ||
                                               member_peek(vm, o, "__getitem__").tag != V_UNSET);
    if (!rc && !found && items) return op_contains_items(vm, v_obj(V_OBJECT, o), item, out);
    if (!rc && !found && is_tuple(o)) return op_contains_items(vm, o->fields[0], item, out);
    if (!rc && !found)
        rc = vm_fail(vm, GPA_E_TYPE, "argument of type '%s' is not iterable", name_of(o));
    if (!rc) rc = value_truth(vm, v, out);
    value_release(vm, v);
    return rc;
}

/* Adds one representation; its MIME type is interned, so it lives as long as the names. */
static gpa_code add_mime(gpa_vm *vm, value mime, value data, mime_bundle *out) {
    const char *meta = NULL;
    if (data.tag == V_TUPLE && data.tuple->count == 2 && data.tuple->items[1].tag == V_STR) {
        meta = data.tuple->items[1].str->text;
        data = data.tuple->items[0];
    }
    if (mime.tag != V_STR || (data.tag != V_STR && data.tag != V_BYTES))
        return vm_fail(vm, GPA_E_TYPE,
                       "the representations of an object are str or bytes by MIME types");
    gpa_sym name = intern_get(vm->core.names, mime.str->text, mime.str->size);
    return name ? mime_add(vm, out, intern_text(vm->core.names, name), data.str->text,
                           data.str->size, meta)
                : vm_no_memory(vm);
}

static const struct {
    const char *type, *method;
} representations[] = {
#define MIME(type, method) {type, method},
#include "lang/object/mime.def"
#undef MIME
};

gpa_code record_mime_methods(gpa_vm *vm, value *out) {
    value all = v_dict(vm), name;
    gpa_code rc = all.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    for (size_t i = 0; i < COUNT_OF(representations) && !rc; i++) {
        rc = native_return(v_cstr(vm, representations[i].method), &name);
        if (rc) break;
        rc = dict_set_text(vm, all.dict, representations[i].type, name);
        value_release(vm, name);
    }
    if (rc) value_release(vm, all);
    return rc ? rc : native_return(all, out);
}

static bool has_representations(const object_obj *o) {
    const value v = v_obj(V_OBJECT, (object_obj *)o);
    for (size_t i = 0; i < COUNT_OF(representations); i++)
        if (instance_has(v, representations[i].method)) return true;
    return instance_has(v, "_repr_mimebundle_");
}

/* The representations of an instance: those that its class defines. */
static gpa_code instance_mimes(gpa_vm *vm, object_obj *o, value *out, bool *displayed) {
    value args[2] = {v_obj(V_OBJECT, o), v_unset()}, nothing = v_none();
    module_obj *m;
    if (instance_has(args[0], "_ipython_display_")) {
        gpa_code rc = call_member(vm, o, "_ipython_display_", NO_ARGS, &nothing, displayed);
        value_release(vm, nothing);
        return rc;
    }
    if (!has_representations(o)) return GPA_OK;
    gpa_code rc = vm_import(vm, "IPython.core.formatters", &m);
    if (!rc) rc = record_mime_methods(vm, &args[1]);
    if (!rc) rc = vm_call(vm, module_get_text_peek(vm, m, "_representations"), ARGS(2, args), out);
    value_release(vm, args[1]);
    return rc;
}

static gpa_code mimes(gpa_vm *vm, object_obj *o, mime_bundle *out) {
    bool found;
    value all = v_none();
    size_t at = 0;
    gpa_code rc = o->kind == &instance_kind
                      ? instance_mimes(vm, o, &all, &out->displayed)
                      : call_member(vm, o, "__mimes__", NO_ARGS, &all, &found);
    for (dict_entry *e; !rc && all.tag == V_DICT && (e = dict_next(all.dict, &at));)
        rc = add_mime(vm, e->key, e->v, out);
    value_release(vm, all);
    return rc;
}

/* The method table shared by all records. */
#define RECORD_METHODS                                                                         \
    .repr = repr, .str = str, .enter = enter, .exit = leave, .call = call, .getitem = getitem, \
    .setitem = setitem, .delitem = delitem, .iter = iter, .len = len, .contains = contains
#define RECORD_HOOKS .mimes = mimes, .truth = record_truth, .hash = record_hash
#define RECORD(id, variable, name)                                                            \
    const object_kind variable = {RECORD_METHODS, .type_name = name, .attr = get, .set = set, \
                                  RECORD_HOOKS};
#include "lang/vm/records.def"
#undef RECORD

const object_kind instance_kind = {RECORD_METHODS, .type_name = "object", .instance = true,
                                   .free = instance_free, RECORD_HOOKS};

gpa_code record_default_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    put_default(vm, o, out);
    return GPA_OK;
}

/* Calls a method of an object of another language, if it has that. */
static gpa_code call_foreign(gpa_vm *vm, value v, const char *name, const call_args *a, value *out,
                             bool *handled) {
    value method = v_unset();
    gpa_code rc = vm_attr(vm, v, name, &method);
    *handled = !rc;
    if (gpa_err_is(rc, GPA_E_ATTRIBUTE)) {
        vm_clear_error(vm);
        return GPA_OK;
    }
    if (!rc) rc = vm_call(vm, method, a, out);
    value_release(vm, method);
    return rc;
}

gpa_code record_call_member(gpa_vm *vm, value v, const char *name, const call_args *a, value *out,
                            bool *handled) {
    *handled = false;
    if (is_foreign(v)) return call_foreign(vm, v, name, a, out, handled);
    return is_kind(v, &instance_kind) ? call_member(vm, v.object, name, a, out, handled) : GPA_OK;
}

gpa_code record_new(gpa_vm *vm, const object_kind *kind, const call_args *a, value *out) {
    value o = v_object(vm, kind, 1),
          init = o.tag == V_UNSET ? o : member_peek(vm, o.object, "__init__"), method = v_unset(),
          nothing = v_none();
    if (o.tag == V_UNSET) return vm_err(vm)->code;
    o.object->fields[0] = v_dict(vm);
    gpa_code rc = o.object->fields[0].tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    if (!rc && init.tag != V_FUNC)
        rc = vm_fail(vm, GPA_E_TYPE, "cannot create '%s' instances", kind->type_name);
    if (!rc && (method = v_method(vm, o, init)).tag == V_UNSET) rc = vm_err(vm)->code;
    if (!rc) rc = vm_call(vm, method, a, &nothing);
    value_release(vm, method);
    value_release(vm, nothing);
    return native_finish(vm, rc, o, out);
}

/* ---- truth and hash ---- */

gpa_code record_truth(gpa_vm *vm, object_obj *o, bool *out) {
    value answer = v_none();
    bool found;
    int64_t n = 1;
    gpa_code rc = call_member(vm, o, "__bool__", NO_ARGS, &answer, &found);
    if (!rc && found && o->kind == &instance_kind && answer.tag != V_BOOL)
        rc = vm_fail(vm, GPA_E_TYPE, "__bool__ should return bool, returned %s",
                     value_type_name(answer));
    else if (!rc && found)
        rc = value_truth(vm, answer, out);
    value_release(vm, answer);
    if (rc || found) return rc;
    if (member_peek(vm, o, "__len__").tag == V_FUNC || is_tuple(o)) rc = len(vm, o, &n);
    *out = n != 0;
    return rc;
}

gpa_code record_hash(gpa_vm *vm, value v, uint64_t *out, bool *handled) {
    value hash = v_none();
    *handled = false;
    if (!record_is(v.object->kind)) return GPA_OK;
    if (member_peek(vm, v.object, "__hash__").tag == V_NONE)
        return vm_fail(vm, GPA_E_TYPE, "unhashable type: '%s'", name_of(v.object));
    gpa_code rc = call_member(vm, v.object, "__hash__", NO_ARGS, &hash, handled);
    if (!rc && *handled && hash.tag != V_INT && hash.tag != V_BOOL)
        rc = vm_fail(vm, GPA_E_TYPE, "__hash__ method should return an integer");
    else if (!rc && *handled)
        *out = (uint64_t)(hash.tag == V_INT && hash.i == -1 ? -2 : hash.i);
    value_release(vm, hash);
    return rc;
}

value record_text_peek(gpa_vm *vm, value v, const char *name) {
    value text = v.tag == V_OBJECT && record_is(v.object->kind) && v.object->fields[0].tag == V_DICT
                     ? dict_text_peek(vm, v.object->fields[0].dict, name)
                     : v_unset();
    return text.tag == V_STR ? text : v_unset();
}

/* ---- natives of the library ---- */

gpa_code record_type(gpa_vm *vm, value *argv, value *out) { /* name */
    const char *name = argv[0].tag == V_STR ? argv[0].str->text : "";
    for (uint32_t i = 0; i < OBJECT_KINDS; i++)
        if (strcmp(object_kinds[i]->type_name, name) == 0 && record_is(object_kinds[i])) {
            *out = v_type(AUX_KIND + i);
            return GPA_OK;
        }
    return vm_fail(vm, GPA_E_NAME, "no record type '%s'", name);
}

static bool is_record_type(value v) {
    return v.tag == V_TYPE && v.aux >= AUX_KIND && record_is(object_kinds[v.aux - AUX_KIND]);
}

static gpa_code members_of(gpa_vm *vm, const object_kind *kind, dict_obj **out) {
    value made = v_unset();
    gpa_code rc = GPA_OK;
    if (!vm->records) {
        value all = v_dict(vm);
        if (all.tag == V_UNSET) return vm_err(vm)->code;
        vm->records = all.dict;
    }
    if (!record_members_peek(vm, kind)) {
        made = v_dict(vm);
        rc = made.tag == V_UNSET ? vm_err(vm)->code
                                 : dict_set_text(vm, vm->records, kind->type_name, made);
        value_release(vm, made);
    }
    *out = record_members_peek(vm, kind);
    return rc;
}

gpa_code record_add(gpa_vm *vm, value *argv,
                    value *out) { /* type, how (0, RECORD_GETTER, RECORD_STATIC), function */
    if (argv[2].tag != V_FUNC) return vm_fail(vm, GPA_E_TYPE, "a member is a function");
    dict_obj *members = NULL;
    gpa_code rc = members_of(vm, object_kinds[argv[0].aux - AUX_KIND], &members);
    if (rc) return rc;
    const char *name = func_name(vm, argv[2].func);
    size_t n = strlen(name);
    if (name[0] == '_' && name[1] != '_' && name[n - 1] != '_') name++; /* _NAME, not _NAME_ */
    gpa_sym sym = intern_get(vm->core.names, name, strlen(name));
    value item = argv[1].i
                     ? v_tuple(vm, (size_t)argv[1].i, (value[RECORD_STATIC]){argv[2], v_none()})
                     : value_retain(argv[2]);
    if (!sym || item.tag == V_UNSET)
        rc = vm_no_memory(vm);
    else
        argv[2].func->name = sym;
    if (!rc) rc = dict_set_text(vm, members, name, item);
    value_release(vm, item);
    if (!rc) *out = value_retain(argv[2]);
    return rc;
}

gpa_code record_constant(gpa_vm *vm, value *argv, value *out) { /* type, name, value */
    dict_obj *members = NULL;
    (void)out;
    if (!is_record_type(argv[0]) || argv[1].tag != V_STR || argv[2].tag == V_FUNC ||
        argv[2].tag == V_TUPLE)
        return vm_fail(vm, GPA_E_TYPE,
                       "a constant of a record type has a name and is no function or tuple");
    gpa_code rc = members_of(vm, object_kinds[argv[0].aux - AUX_KIND], &members);
    return rc ? rc : dict_set_text(vm, members, argv[1].str->text, argv[2]);
}

/* The decorator of a type: functools.partial(_record_add, type, how). */
static gpa_code decorator(gpa_vm *vm, value type, int how, value *out) {
    const native *row = native_find(OWNER_NUMPY, "_record_add");
    if (!is_record_type(type)) return vm_fail(vm, GPA_E_TYPE, "members are given to record types");
    value args[2] = {type, v_int(how)},
          parts[3] = {{.tag = V_NATIVE, .native = row}, v_tuple(vm, 2, args), v_dict(vm)};
    gpa_code rc = parts[1].tag == V_UNSET || parts[2].tag == V_UNSET
                      ? vm_err(vm)->code
                      : native_find(OWNER_FUNCTOOLS, "partial")->fn(vm, parts, out);
    value_release(vm, parts[1]);
    value_release(vm, parts[2]);
    return rc;
}

gpa_code record_member(gpa_vm *vm, value *argv, value *out) {
    return decorator(vm, argv[0], 0, out);
}
gpa_code record_getter(gpa_vm *vm, value *argv, value *out) {
    return decorator(vm, argv[0], RECORD_GETTER, out);
}
gpa_code record_static(gpa_vm *vm, value *argv, value *out) {
    return decorator(vm, argv[0], RECORD_STATIC, out);
}
