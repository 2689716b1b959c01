/* Attribute lookup, in this order: the object's own attributes, the rows of its type, attributes of
 * every object (__class__, __doc__). Rows found are cached inline at the instruction (attr_cache),
 * and by name for types whose attributes depend on the type alone. */
#include <stdio.h>

#include "runtime/base/base.h"

#include "lang/object/big.h"
#include "lang/object/container.h"
#include "lang/vm/generator.h"
#include "lang/vm/instance.h"
#include "lang/object/number.h"
#include "lang/vm/absent.h"
#include "lang/vm/foreign.h"
#include "lang/vm/record.h"
#include "lang/vm/step.h"

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* The cache key of a type; 0 where attributes belong to the object. */
static uint32_t cache_key(value v) {
    switch (v.tag) {
        case V_OBJECT:
        case V_CLASS:
        case V_TYPE:
        case V_MODULE:
        case V_FUNC:
        case V_EXCEPTION:
        case V_METHOD: return 0;
        case V_SET: return V_SET | (uint32_t)v.set->frozen << 8;
        case V_DICT: return V_DICT | (uint32_t)v.dict->ordered << 8;
        case V_ITER: return V_ITER | (uint32_t)generator_is(v) << 8;
        case V_COMPLEX:
        case V_ARRAY: return v.tag | (v.aux ? 0x100u : 0);
        default: return v.tag;
    }
}

static value found(value v) { return value_retain(v); }

/* The row of a value's type with this name, cached. */
static const native *find_row(gpa_vm *vm, value v, gpa_sym name, attr_cache *cache) {
    uint32_t key = cache_key(v);
    if (cache && key && cache->tag == key) return cache->row;
    cached_row *known = &vm->cached_rows[(name * 8 + key) % CACHED_ROWS];
    native_owner o = owner_of_value(v);
    bool seen = key && known->key == key && known->name == name;
    const native *row = seen               ? known->row
                        : o == OWNER_COUNT ? NULL
                                           : native_find(o, sym_text(vm, name));
    if (key) *known = (cached_row){key, name, row};
    if (cache && key && row) *cache = (attr_cache){.tag = key, .row = row};
    return row;
}

/* ---- attributes of particular values ---- (UNSET: none of that name) */

/* __all__ of a built-in module: its public names in alphabetic order. */
static gpa_code public_names(gpa_vm *vm, const module_obj *m, value *out) {
    value l = v_list(vm, 0, NULL);
    if (l.tag == V_UNSET) return vm->core.err.code;
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < m->n && !rc; i++) {
        const char *name = sym_text(vm, m->names[i]);
        if (m->slots[i].tag == V_UNSET || *name == '_') continue;
        value text = v_cstr(vm, name);
        rc = text.tag == V_UNSET ? vm->core.err.code : list_append(vm, l.list, text);
        value_release(vm, text);
    }
    if (!rc) rc = list_sort(vm, l.list, v_none(), false);
    return native_finish(vm, rc, l, out);
}

static gpa_code module_attr(gpa_vm *vm, module_obj *m, gpa_sym name, attr_cache *cache,
                            value *out) {
    if (cache && cache->owner == m && m->slots[cache->slot].tag != V_UNSET) {
        *out = found(m->slots[cache->slot]);
        return GPA_OK;
    }
    const char *text = sym_text(vm, name);
    value v = module_get_peek(m, name);
    if (v.tag != V_UNSET) {
        *out = found(v);
        if (cache)
            *cache = (attr_cache){
                .tag = V_MODULE, .owner = m, .slot = (uint32_t)module_slot(vm, m, name)};
        return GPA_OK;
    }
    if (is(text, "__name__"))
        *out = v_cstr(vm, sym_text(vm, m->name));
    else if (is(text, "__doc__"))
        *out = found(m->doc);
    else if (is(text, "__dict__"))
        return module_dict(vm, m, out);
    else if (is(text, "__all__") && m->builtin)
        return public_names(vm, m, out);
    else {
        gpa_code rc = import_member(vm, m, name, out);
        return rc || out->tag != V_UNSET ? rc : import_foreign_member(vm, m, text, out);
    }
    return out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
}

static gpa_code signature_attr(gpa_vm *vm, const func_obj *f, value *out) {
    gpa_str text;
    str_init(&text);
    gpa_code rc = func_signature(vm, f, false, &text);
    if (!rc) *out = text.failed ? v_unset() : v_str(vm, text.text, text.len);
    str_free(&text);
    return rc ? rc : out->tag == V_UNSET ? vm_no_memory(vm) : GPA_OK;
}

/* The dict of the attributes that a program sets, made when it is first needed. */
static gpa_code func_dict(gpa_vm *vm, func_obj *f, value *out) {
    if (f->attrs.tag != V_DICT) {
        value d = v_dict(vm);
        if (d.tag == V_UNSET) return vm->core.err.code;
        f->attrs = d;
    }
    *out = found(f->attrs);
    return GPA_OK;
}

static gpa_code func_attr(gpa_vm *vm, func_obj *f, gpa_sym name, value *out) {
    const char *text = sym_text(vm, name);
    *out = v_unset();
    if (f->attrs.tag == V_DICT) {
        value v = dict_text_peek(vm, f->attrs.dict, text);
        if (v.tag != V_UNSET) {
            *out = found(v);
            return GPA_OK;
        }
    }
    if (is(text, "__name__"))
        *out = v_cstr(vm, func_name(vm, f));
    else if (is(text, "__qualname__"))
        *out = v_cstr(vm, func_title(vm, f));
    else if (is(text, "__doc__"))
        *out = func_doc(vm, f);
    else if (is(text, "__text_signature__"))
        return signature_attr(vm, f, out);
    else if (is(text, "__defaults__"))
        *out = found(f->defaults);
    else if (is(text, "__kwdefaults__"))
        *out = found(f->kwdefaults);
    else if (is(text, "__module__"))
        *out = v_cstr(vm, sym_text(vm, f->module->name));
    else if (is(text, "__dict__"))
        return func_dict(vm, f, out);
    else
        return GPA_OK;
    return out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
}

static gpa_code exception_attr(gpa_vm *vm, value v, gpa_sym name, value *out) {
    const exc_obj *x = v.exc;
    const char *text = sym_text(vm, name);
    gpa_code rc = instance_attr(vm, v, name, out, NULL);
    if (rc || out->tag != V_UNSET) return rc;
    if (is(text, "__notes__") && x->notes.tag != V_NONE)
        *out = found(x->notes);
    else if (is(text, "__traceback__"))
        *out = v_none();
    else if (x->code == GPA_E_STOP_ITERATION && is(text, "value"))
        *out = x->args.tuple->count ? found(x->args.tuple->items[0]) : v_none();
    else if (x->code == GPA_E_EXIT && is(text, "code"))
        *out = x->args.tuple->count ? found(x->args.tuple->items[0]) : v_none();
    else if (x->code == GPA_E_AXIS && (is(text, "axis") || is(text, "ndim"))) {
        const tuple_obj *args = x->args.tuple;
        *out = args->count >= 2 ? found(args->items[is(text, "ndim")]) : v_none();
    } else if (x->foreign.tag != V_NONE) {
        return vm_attr(vm, x->foreign, text, out);
    }
    return GPA_OK;
}

/* Members written in the language: of a record type, or of ndarray and NumPy's scalars; else NULL.
 */
static dict_obj *members_of_type(gpa_vm *vm, uint32_t aux) {
    if (aux >= AUX_KIND) return record_members_peek(vm, object_kinds[aux - AUX_KIND]);
    native_owner o = owner_of_type(aux);
    return o == OWNER_ARRAY || o == OWNER_GENERIC ? vm->methods : NULL;
}

/* Methods of a value that are written in the language, by name; else NULL. */
static dict_obj *library_methods(gpa_vm *vm, value v) {
    if (v.tag == V_ARRAY || v.tag == V_NUM) return vm->methods;
    if (v.tag == V_TYPE) return members_of_type(vm, v.aux);
    if (instance_fields_peek(v)) return instance_fields_peek(v);
    return v.tag == V_OBJECT ? record_members_peek(vm, v.object->kind) : NULL;
}

/* A type's docstring: that of its __new__ row. */
static value type_doc(gpa_vm *vm, native_owner o) {
    const native *row = o == OWNER_COUNT ? NULL : native_find(o, "__new__");
    return row ? v_cstr(vm, row->doc) : v_none();
}

/* __mro__ and __bases__ of a built-in type other than NumPy's scalar types: its base types, object
 * last. */
static gpa_code type_line(gpa_vm *vm, value type, bool whole, value *out) {
    value line[16];
    size_t n = 0;
    bool error = type.aux >= AUX_ERROR && type.aux < AUX_FROZENSET;
    if (type.aux >= AUX_DTYPE && type.aux < AUX_ERROR) return GPA_OK;
    line[n++] = type;
    for (gpa_code e = error ? gpa_err_parent((gpa_code)(type.aux - AUX_ERROR)) : GPA_OK;
         e && n + 1 < COUNT_OF(line); e = gpa_err_parent(e))
        line[n++] = v_type(AUX_ERROR + (uint32_t)e);
    if (type.aux == V_BOOL) line[n++] = v_type(V_INT);
    if (type.aux == AUX_ORDERED_DICT) line[n++] = v_type(V_DICT);
    if (type.aux != V_OBJECT) line[n++] = v_type(V_OBJECT);
    return native_return(whole ? v_tuple(vm, n, line) : v_tuple(vm, n > 1, line + 1), out);
}

/* Attributes of numpy.dtype and the classes of dtypes that describe the class. */
static bool dtype_class_attr(value type, const char *text, value *out) {
    bool concrete = aux_is_dtype_class(type.aux);
    if (!concrete && type.aux != V_DTYPE) return false;
    if (is(text, "_abstract"))
        *out = v_bool(!concrete);
    else if (is(text, "_parametric"))
        *out = v_bool(false);
    else if (is(text, "_is_numeric"))
        *out = v_bool(concrete);
    else if (is(text, "type") && concrete)
        *out = v_type(AUX_DTYPE + (type.aux - AUX_DTYPE_CLASS));
    else
        return false;
    return true;
}

static gpa_code type_attr(gpa_vm *vm, value type, const char *text, value *out) {
    *out = v_unset();
    if (dtype_class_attr(type, text, out)) return GPA_OK;
    native_owner o = owner_of_type(type.aux);
    const native *row = o == OWNER_COUNT ? NULL : native_find(o, text);
    const char *name = type_name(type.aux), *dot = strrchr(name, '.');
    if (is(text, "__name__") || is(text, "__qualname__"))
        *out = v_cstr(vm, dot ? dot + 1 : name);
    else if (is(text, "__mro__") || is(text, "__bases__"))
        return type_line(vm, type, is(text, "__mro__"), out);
    else if (is(text, "__module__"))
        *out = dot ? v_str(vm, name, (size_t)(dot - name)) : v_cstr(vm, "builtins");
    else if (o == OWNER_NAMED && object_kinds[type.aux - AUX_KIND]->type_attr(vm, type, text, out))
        return vm->core.err.code;
    else if (row && row->kind != NATIVE_PROPERTY)
        *out = (value){.tag = V_NATIVE, .native = row};
    else {
        dict_obj *members = members_of_type(vm, type.aux);
        bool doc = is(text, "__doc__"); /* a record type's docstring is that of __init__ */
        value m = members ? dict_text_peek(vm, members, doc ? "__init__" : text) : v_unset();
        if (doc)
            *out = m.tag == V_FUNC ? func_doc(vm, m.func) : type_doc(vm, o);
        else if (m.tag != V_TUPLE)
            *out = found(m);
        else if (m.tuple->count == RECORD_STATIC)
            *out = found(m.tuple->items[0]);
        return doc && out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
    }
    return out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
}

static gpa_code callable_attr(gpa_vm *vm, value v, const char *text, value *out) {
    *out = v_unset();
    if (v.tag == V_METHOD) {
        if (is(text, "__self__"))
            *out = found(v.method->self);
        else if (is(text, "__func__"))
            *out = found(v.method->fn);
        else if (v.method->fn.tag == V_FUNC)
            return func_attr(vm, v.method->fn.func, intern_get(vm->core.names, text, strlen(text)),
                             out);
        v = v.method->fn;
    }
    if (out->tag != V_UNSET || v.tag != V_NATIVE) return GPA_OK;
    if (is(text, "__name__") || is(text, "__qualname__"))
        *out = v_cstr(vm, v.native->name);
    else if (is(text, "__module__"))
        *out = v.native->kind == NATIVE_FUNCTION ? v_cstr(vm, v.native->owner) : v_none();
    else if (is(text, "__doc__"))
        *out = v.native->doc ? v_cstr(vm, v.native->doc) : v_none();
    else if (is(text, "__text_signature__"))
        *out = v_strf(vm, "(%s)", v.native->signature);
    else
        return GPA_OK;
    return out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
}

static gpa_code own_attr(gpa_vm *vm, value v, gpa_sym name, attr_cache *cache, value *out) {
    const char *text = sym_text(vm, name);
    *out = v_unset();
    switch (v.tag) {
        case V_MODULE:
            if (!v.aux || !is(text, "__name__")) return module_attr(vm, v.module, name, cache, out);
            *out = v_cstr(vm, "cupy");
            return out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
        case V_FUNC: return func_attr(vm, v.func, name, out);
        case V_EXCEPTION: return exception_attr(vm, v, name, out);
        case V_CLASS: return class_attr(vm, v.class, name, out);
        case V_TYPE: return type_attr(vm, v, text, out);
        case V_METHOD:
        case V_NATIVE: return callable_attr(vm, v, text, out);
        case V_OBJECT:
            if (v.object->kind == &instance_kind) return instance_attr(vm, v, name, out, NULL);
            return v.object->kind->attr ? v.object->kind->attr(vm, v.object, text, out) : GPA_OK;
        default: return GPA_OK;
    }
}

/* Methods of arrays and NumPy scalars that are written in the language. */
static value library_method(gpa_vm *vm, value v, gpa_sym name) {
    bool numpy = v.tag == V_ARRAY || v.tag == V_NUM || (v.tag == V_COMPLEX && v.aux);
    return numpy && vm->methods ? dict_text_peek(vm, vm->methods, sym_text(vm, name)) : v_unset();
}

/* ---- missing attributes ---- */

typedef struct {
    const char *wrong, *best;
    size_t cost;
} suggestion;

static void suggest(void *user, const char *name, value v) {
    suggestion *s = user;
    (void)v;
    vm_suggest(s->wrong, name, &s->best, &s->cost);
}

/* The error for an alias of a built-in type that NumPy 1.24 removed. */
static gpa_code no_alias(gpa_vm *vm, const char *name, const char *scalar) {
    gpa_code rc =
        vm_fail(vm, GPA_E_ATTRIBUTE,
                "module 'numpy' has no attribute '%s'.\n`np.%s` was a deprecated alias for the "
                "builtin `%s`. To avoid this error in existing code, use `%s` by itself.",
                name, name, name, name);
    if (scalar) gpa_err_hint(vm_err(vm), "for the NumPy scalar type use `np.%s`", scalar);
    return rc;
}

static gpa_code no_attribute(gpa_vm *vm, value v, const char *name) {
    suggestion s = {name, NULL, SIZE_MAX};
    gpa_code rc;
    bool numpy = v.tag == V_MODULE && v.module == vm->numpy;
    bool array = v.tag == V_ARRAY && !v.aux;
    const char *instead = numpy ? np_removed(name) : NULL,
               *why = array               ? name_absent("numpy", name)
                      : v.tag == V_MODULE ? name_absent(sym_text(vm, v.module->name), name)
                      : v.tag == V_OBJECT ? name_absent(value_type_name(v), name)
                                          : NULL;
    if (instead)
        return vm_fail(vm, GPA_E_ATTRIBUTE,
                       "`np.%s` was removed in the NumPy 2.0 release. Use `np.%s` instead.", name,
                       instead);
    if (numpy && (is(name, "object") || is(name, "str") || is(name, "bytes"))) {
        rc = vm_warn(vm, GPA_E_FUTURE_WARNING,
                     "In the future `np.%s` will be defined as the corresponding NumPy scalar.",
                     name);
        if (rc) return rc;
    }
    if (numpy && np_alias(name, &instead)) return no_alias(vm, name, instead);
    if (v.tag == V_MODULE)
        rc = vm_fail(vm, GPA_E_ATTRIBUTE, "module '%s' has no attribute '%s'",
                     sym_text(vm, v.module->name), name);
    else if (v.tag == V_TYPE)
        rc = vm_fail(vm, GPA_E_ATTRIBUTE, "type object '%s' has no attribute '%s'",
                     type_name(v.aux), name);
    else if (v.tag == V_CLASS)
        rc = vm_fail(vm, GPA_E_ATTRIBUTE, "type object '%s' has no attribute '%s'", v.class->text,
                     name);
    else if (is_kind(v, &super_kind))
        rc = vm_fail(vm, GPA_E_ATTRIBUTE, "'super' object has no attribute '%s'", name);
    else
        rc = vm_fail(vm, GPA_E_ATTRIBUTE, "'%s' object has no attribute '%s'", value_type_name(v),
                     name);
    if (why) {
        gpa_err_hint(&vm->core.err, "%s", why);
        return rc;
    }
    vm_dir(vm, v, suggest, &s);
    if (s.best) gpa_err_hint(&vm->core.err, "did you mean: '%s'?", s.best);
    return rc;
}

/* Reports members to dir(), except dunder names. */
typedef struct {
    void (*each)(void *user, const char *name, value v);
    void *user;
} listing;

static void list_member(void *user, const char *name, value v) {
    const listing *l = user;
    if (name[0] != '_' || name[1] != '_') l->each(l->user, name, v);
}

gpa_code vm_dir(gpa_vm *vm, value v, void (*each)(void *user, const char *name, value v),
                void *user) {
    size_t n;
    if (is_foreign(v)) return foreign.dir(vm, v, each, user);
    if (v.tag == V_MODULE)
        for (uint32_t i = 0; i < v.module->n; i++)
            if (v.module->slots[i].tag != V_UNSET)
                each(user, sym_text(vm, v.module->names[i]), v.module->slots[i]);
    if (v.tag == V_FUNC && v.func->attrs.tag == V_DICT) {
        size_t at = 0;
        for (dict_entry *e; (e = dict_next(v.func->attrs.dict, &at));)
            if (e->key.tag == V_STR) each(user, e->key.str->text, e->v);
    }
    const class_obj *class = v.tag == V_CLASS ? v.class : class_of_peek(v);
    if (class) class_each_member(class, list_member, &(listing){each, user});
    native_owner o = v.tag == V_TYPE     ? owner_of_type(v.aux)
                     : v.tag == V_MODULE ? OWNER_COUNT
                                         : owner_of_value(v);
    for (; o != OWNER_COUNT; o = owner_next(o)) {
        const native *rows = native_rows(o, &n);
        for (size_t i = 0; i < n; i++)
            if (rows[i].name[0] != '_' && !strchr(rows[i].name, '='))
                each(user, rows[i].name, (value){.tag = V_NATIVE, .native = &rows[i]});
    }
    dict_obj *written = library_methods(vm, v);
    size_t at = 0;
    for (dict_entry *e; written && (e = dict_next(written, &at));)
        if (e->key.str->text[0] != '_') each(user, e->key.str->text, e->v);
    return GPA_OK;
}

/* ---- getting ---- */

static gpa_code property(gpa_vm *vm, const native *row, value v, value *out) {
    value argv[1] = {v};
    *out = v_none();
    rt_set_location(vm->core.rt, vm_where(vm));
    vm->maybe_pending = true;
    return row->fn(vm, argv, out);
}

/* Dunder methods of built-in values and those that NumPy's scalars share with Python's numbers,
 * which are functions of the library (numpy._protocols): bound as a method for a value, the
 * function itself for a type. */
static gpa_code protocol(gpa_vm *vm, value v, const char *text, value *out, bool *handled) {
    value all[3] = {v_none(), v_none(), v_none()}, find = v_none(), fn = v_none();
    bool iterator = v.tag == V_ITER || generator_is(v),
         function = v.tag == V_FUNC || v.tag == V_METHOD || v.tag == V_NATIVE || v.tag == V_UFUNC;
    v = value_underlying(
        is_kind(v, &super_kind)
            ? v.object->fields[SUPER_SELF]
            : v); /* an instance of a tuple subclass has the attributes of its tuple */
    if (v.tag == V_OBJECT || v.tag == V_CLASS || v.tag == V_MODULE || v.tag == V_EXCEPTION)
        return GPA_OK;
    bool base =
        v.aux == V_TUPLE || v.aux == V_OBJECT || (v.aux >= AUX_ERROR && v.aux < AUX_FROZENSET);
    if (v.tag == V_TYPE && base)
        return GPA_OK; /* called with an instance of a derived class, the function would look up the
                          same attribute in that class: infinite recursion */
    all[0] = v.tag == V_TYPE ? v : v_type(type_of(v));
    module_obj *module;
    gpa_code rc = vm_import(vm, "numpy._protocols", &module);
    if (!rc) find = value_retain(module_get_text_peek(vm, module, "protocol"));
    if (!rc)
        rc = native_return(v_cstr(vm, iterator ? "iterator" : function ? "function" : ""), &all[1]);
    if (!rc) rc = native_return(v_cstr(vm, text), &all[2]);
    if (!rc) rc = vm_call(vm, find, ARGS(3, all), &fn);
    if (!rc && fn.tag != V_NONE) {
        rc = native_return(v.tag == V_TYPE ? value_retain(fn) : v_method(vm, v, fn), out);
        *handled = !rc;
    }
    for (int i = 0; i < 3; i++) value_release(vm, all[i]);
    value_release(vm, find);
    value_release(vm, fn);
    return rc;
}

static gpa_code last_resort(gpa_vm *vm, value v, gpa_sym name, value *out) {
    const char *text = sym_text(vm, name);
    if (is(text, "__class__")) {
        const native *row = native_find(OWNER_BUILTINS, "type");
        value type = module_get_text_peek(vm, vm->builtins, "type");
        if (row) return call_native(vm, row, ARGS(1, &v), out);
        if (type.tag != V_UNSET) return vm_call(vm, type, ARGS(1, &v), out);
    }
    bool handled = false, data = v.tag != V_OBJECT && v.tag != V_EXCEPTION;
    if (is(text, "__doc__") && data) return vm_attr(vm, v_type(type_of(v)), text, out);
    if (v.tag == V_NUM && dtype_is_int((gpa_dtype)v.aux)) {
        if (is(text, "numerator")) return *out = value_retain(v), GPA_OK;
        if (is(text, "denominator")) return *out = v_int(1), GPA_OK;
    }
    bool shared = v.tag == V_NUM || v.tag == V_TYPE || strncmp(text, "__", 2) == 0;
    gpa_code rc = shared ? protocol(vm, v, text, out, &handled) : GPA_OK;
    if (rc || handled) return rc;
    rc = instance_missing(vm, v, name, out, &handled);
    if (rc || handled) return rc;
    return no_attribute(vm, v, text);
}

/* Attributes of a class that come from the type of its instances: unbound functions. */
static value class_row(gpa_vm *vm, const class_obj *c, gpa_sym name) {
    const native *row = c->tuple ? native_find(OWNER_TUPLE, sym_text(vm, name)) : NULL;
    if (!row) row = native_find(c->error ? OWNER_EXCEPTION : OWNER_OBJECT, sym_text(vm, name));
    return row && row->kind != NATIVE_PROPERTY ? (value){.tag = V_NATIVE, .native = row}
                                               : v_unset();
}

gpa_code attr_get(gpa_vm *vm, value v, gpa_sym name, attr_cache *cache, value *out) {
    gpa_code rc = own_attr(vm, v, name, cache, out);
    if (rc || out->tag != V_UNSET) return rc;
    if (v.tag == V_CLASS) *out = class_row(vm, v.class, name);
    if (out->tag != V_UNSET) return GPA_OK;
    const native *row = v.tag == V_MODULE || v.tag == V_TYPE ? NULL : find_row(vm, v, name, cache);
    if (row && row->kind == NATIVE_PROPERTY) return property(vm, row, v, out);
    value fn = row ? (value){.tag = V_NATIVE, .native = row} : library_method(vm, v, name);
    if (fn.tag == V_UNSET) return last_resort(vm, v, name, out);
    *out = row && row->kind == NATIVE_FUNCTION ? fn : v_method(vm, v, fn);
    return out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
}

gpa_code attr_method(gpa_vm *vm, value v, gpa_sym name, attr_cache *cache, value *fn, value *self) {
    bool instance = is_kind(v, &instance_kind);
    gpa_code rc =
        instance ? instance_attr(vm, v, name, fn, self) : own_attr(vm, v, name, cache, fn);
    if (!instance) *self = v_unset();
    if (rc || fn->tag != V_UNSET) return rc;
    if (v.tag == V_CLASS) *fn = class_row(vm, v.class, name);
    if (fn->tag != V_UNSET) return GPA_OK;
    const native *row = v.tag == V_MODULE || v.tag == V_TYPE ? NULL : find_row(vm, v, name, cache);
    if (row && row->kind == NATIVE_PROPERTY) return property(vm, row, v, fn);
    *fn = row ? (value){.tag = V_NATIVE, .native = row} : library_method(vm, v, name);
    if (fn->tag == V_UNSET) return last_resort(vm, v, name, fn);
    value_retain(*fn);
    if (!row || row->kind == NATIVE_METHOD) *self = value_retain(v);
    return GPA_OK;
}

gpa_code vm_attr(gpa_vm *vm, value v, const char *name, value *out) {
    gpa_sym s = intern_get(vm->core.names, name, strlen(name));
    *out = v_unset();
    return s ? attr_get(vm, v, s, NULL, out) : vm_no_memory(vm);
}

/* ---- setting ---- */

static gpa_code set_func(gpa_vm *vm, func_obj *f, gpa_sym name, value item) {
    const char *text = sym_text(vm, name);
    value old = v_none();
    if (is(text, "__doc__")) {
        old = f->doc;
        f->doc = value_retain(item);
    } else if (is(text, "__name__")) {
        if (item.tag != V_STR)
            return vm_fail(vm, GPA_E_TYPE, "__name__ must be set to a string object");
        gpa_sym s = intern_get(vm->core.names, item.str->text, item.str->size);
        if (!s) return vm_no_memory(vm);
        f->name = s;
    } else {
        value all = v_none();
        gpa_code rc = func_dict(vm, f, &all);
        if (!rc) rc = dict_set_text(vm, all.dict, text, item);
        value_release(vm, all);
        return rc;
    }
    value_release(vm, old);
    return GPA_OK;
}

/* The refusal to set or delete an attribute that a row describes, or that does not exist. */
static gpa_code not_writable(gpa_vm *vm, value v, native_owner o, const char *text) {
    const native *known = o == OWNER_COUNT ? NULL : native_find(o, text);
    if (!known) return no_attribute(vm, v, text);
    if (known->kind == NATIVE_PROPERTY)
        return vm_fail(vm, GPA_E_ATTRIBUTE, "attribute '%s' of '%s' objects is not writable", text,
                       o == OWNER_GENERIC ? "numpy.generic" : value_type_name(v));
    return vm_fail(vm, GPA_E_ATTRIBUTE, "'%s' object attribute '%s' is read-only",
                   value_type_name(v), text);
}

/* A row "name=" of the type takes (self, value). */
static gpa_code set_by_row(gpa_vm *vm, value v, const char *text, value item) {
    char setter[80];
    native_owner o = owner_of_value(v);
    snprintf(setter, sizeof setter, "%s=", text);
    const native *row = o == OWNER_COUNT ? NULL : native_find(o, setter);
    if (!row) return not_writable(vm, v, o, text);
    value argv[2] = {v, item}, out = v_none();
    gpa_code rc = row->fn(vm, argv, &out);
    value_release(vm, out);
    return rc;
}

/* True if programs may set a variable of a built-in module: one that it lists in _SETTINGS or,
 * where it has no such list, a new one. */
static bool is_settable(gpa_vm *vm, module_obj *m, gpa_sym name) {
    value all = module_get_text_peek(vm, m, "_SETTINGS");
    if (all.tag != V_TUPLE) return module_get_peek(m, name).tag == V_UNSET;
    for (size_t i = 0; i < all.tuple->count; i++)
        if (strcmp(all.tuple->items[i].str->text, sym_text(vm, name)) == 0) return true;
    return false;
}

static gpa_code set_variable(gpa_vm *vm, module_obj *m, gpa_sym name, value item) {
    if (m->builtin && !is_settable(vm, m, name))
        return vm_fail(vm, GPA_E_ATTRIBUTE, "module '%s' is built in: its attributes cannot be set",
                       sym_text(vm, m->name));
    vm->redirected =
        vm->redirected || (m->builtin && is(sym_text(vm, m->name), "sys") &&
                           (is(sym_text(vm, name), "stdout") || is(sym_text(vm, name), "stderr")));
    return module_set(vm, m, name, item);
}

gpa_code attr_set(gpa_vm *vm, value v, gpa_sym name, value item) {
    const char *text = sym_text(vm, name);
    if (v.tag == V_FUNC) return set_func(vm, v.func, name, item);
    if (v.tag == V_MODULE) return set_variable(vm, v.module, name, item);
    if (v.tag == V_TYPE)
        return vm_fail(vm, GPA_E_TYPE, "cannot set '%s' attribute of immutable type '%s'", text,
                       type_name(v.aux));
    if (v.tag == V_CLASS) return class_set_attr(vm, v.class, name, item);
    if (class_of_peek(v) || (v.tag == V_EXCEPTION && !native_find(OWNER_EXCEPTION, text)))
        return instance_set(vm, v, name, item, false);
    if (v.tag == V_OBJECT && v.object->kind->set)
        return v.object->kind->set(vm, v.object, text, item);
    return set_by_row(vm, v, text, item);
}

gpa_code attr_delete(gpa_vm *vm, value v, gpa_sym name) {
    const char *text = sym_text(vm, name);
    bool there = false;
    if (v.tag == V_MODULE && !v.module->builtin && module_get_peek(v.module, name).tag != V_UNSET)
        return module_set(vm, v.module, name, v_unset());
    if (v.tag == V_FUNC && v.func->attrs.tag == V_DICT) {
        value key = v_cstr(vm, text);
        gpa_code rc = key.tag == V_UNSET ? vm->core.err.code
                                         : dict_remove(vm, v.func->attrs.dict, key, &there);
        value_release(vm, key);
        if (rc || there) return rc;
    }
    if (v.tag == V_CLASS || class_of_peek(v) || v.tag == V_EXCEPTION) {
        gpa_code rc = v.tag == V_CLASS ? class_delete_attr(vm, v.class, name, &there)
                                       : instance_delete(vm, v, name, false, &there);
        if (rc || there) return rc;
        return no_attribute(vm, v, text);
    }
    return not_writable(vm, v, owner_of_value(v), text);
}

gpa_code vm_setattr(gpa_vm *vm, value v, const char *name, value item) {
    gpa_sym s = intern_get(vm->core.names, name, strlen(name));
    return s ? attr_set(vm, v, s, item) : vm_no_memory(vm);
}

gpa_code vm_delattr(gpa_vm *vm, value v, const char *name) {
    gpa_sym s = intern_get(vm->core.names, name, strlen(name));
    return s ? attr_delete(vm, v, s) : vm_no_memory(vm);
}
