/* Instances of classes. Fields: attributes and class; of a tuple subclass: items, class, and
 * attributes once there are any. After the fields follow the links of the vm's list of instances,
 * through which cycles are broken at exit. Reading order: creation, attributes, setting,
 * destruction. */
#include "lang/vm/instance.h"

#include "lang/object/container.h"
#include "lang/vm/step.h"

typedef struct {
    object_obj *prev, *next;
} links;

static links *links_of(object_obj *o) { return (links *)(void *)&o->fields[o->count]; }

/* ---- creation ---- */

gpa_code instance_empty(gpa_vm *vm, class_obj *c, value items, value *out) {
    value fields = c->tuple ? value_retain(items) : v_dict(vm),
          v = fields.tag == V_UNSET ? fields : v_object(vm, &instance_kind, c->tuple ? 4 : 3);
    if (v.tag == V_UNSET) {
        value_release(vm, fields);
        return vm->core.err.code;
    }
    object_obj *o = v.object;
    o->count--;
    o->fields[0] = fields;
    o->fields[1] = value_retain(v_obj(V_CLASS, c));
    *links_of(o) = (links){NULL, vm->instances};
    if (vm->instances) links_of(vm->instances)->prev = o;
    vm->instances = o;
    *out = v;
    return GPA_OK;
}

static gpa_code fail_abstract(gpa_vm *vm, const class_obj *c) {
    gpa_str names;
    const tuple_obj *t = c->abstract.tuple;
    str_init(&names);
    for (size_t i = 0; i < t->count; i++)
        str_printf(&names, "%s'%s'", i ? ", " : "", t->items[i].str->text);
    gpa_code rc = vm_fail(
        vm, GPA_E_TYPE,
        "Can't instantiate abstract class %s without an implementation for abstract method%s %s",
        c->text, t->count == 1 ? "" : "s", names.text);
    str_free(&names);
    return rc;
}

gpa_code instance_begin(gpa_vm *vm, class_obj *c, value *made, value *init) {
    *made = *init = v_unset();
    if (c->error || c->tuple || c->abstract.tag != V_NONE ||
        class_member_peek(vm, c, vm->sym_new).tag != V_UNSET)
        return GPA_OK;
    value m = class_member_peek(vm, c, vm->sym_init);
    if (m.tag != V_FUNC) return GPA_OK;
    *init = m;
    return instance_empty(vm, c, v_unset(), made);
}

gpa_code instance_fail_init(gpa_vm *vm, value returned) {
    return vm_fail(vm, GPA_E_TYPE, "__init__() should return None, not '%s'",
                   value_type_name(returned));
}

/* The object passed to __init__: an exception with the positional arguments, or an instance. */
static gpa_code make_plain(gpa_vm *vm, class_obj *c, size_t n, const value *args, value *out) {
    if (c->tuple && n > 1)
        return vm_fail(vm, GPA_E_TYPE, "tuple expected at most 1 argument, got %zu", n);
    if (c->tuple)
        return native_find(OWNER_TUPLE, "__new__")
            ->fn(vm, (value[]){v_obj(V_CLASS, c), n ? args[0] : v_unset()}, out);
    if (!c->error) return instance_empty(vm, c, v_unset(), out);
    value all = v_tuple(vm, n, args);
    value exc = all.tag == V_UNSET ? all : v_exception(vm, c->error, all);
    value_release(vm, all);
    if (exc.tag == V_UNSET) return vm->core.err.code;
    exc.exc->class = value_retain(v_obj(V_CLASS, c));
    *out = exc;
    return GPA_OK;
}

/* Calls fn with `first` prepended to the arguments. */
static gpa_code call_with(gpa_vm *vm, value fn, value first, const call_args *a, value *out) {
    value method = v_method(vm, first, fn);
    gpa_code rc = method.tag == V_UNSET ? vm->core.err.code : vm_call(vm, method, a, out);
    value_release(vm, method);
    return rc;
}

gpa_code instance_new(gpa_vm *vm, class_obj *c, const call_args *a, value *out) {
    value class = v_obj(V_CLASS, c), made = v_unset(), returned = v_none();
    value by = class_member_peek(vm, c, vm->sym_new), init = class_member_peek(vm, c, vm->sym_init);
    if (is_kind(by, &static_kind)) by = by.object->fields[WRAPPED];
    if (c->abstract.tag != V_NONE) return fail_abstract(vm, c);
    if (init.tag == V_UNSET && by.tag == V_UNSET && !c->error &&
        (c->tuple ? a->n_named : a->n + a->n_named))
        return vm_fail(vm, GPA_E_TYPE, "%s() takes no arguments", c->text);
    gpa_code rc = by.tag == V_UNSET ? make_plain(vm, c, a->n, a->values, &made)
                                    : call_with(vm, by, class, a, &made);
    if (rc) return rc;
    const class_obj *of = class_of_peek(made);
    if (init.tag != V_UNSET && of && class_derives(of, c))
        rc = call_with(vm, init, made, a, &returned);
    if (!rc && returned.tag != V_NONE) rc = instance_fail_init(vm, returned);
    value_release(vm, returned);
    return native_finish(vm, rc, made, out);
}

/* ---- attributes ---- */

bool instance_has(value v, const char *member) {
    return is_kind(v, &instance_kind) && class_text_peek(class_of_peek(v), member).tag != V_UNSET;
}

dict_obj *instance_fields_peek(value v) {
    if (v.tag == V_EXCEPTION) return v.exc->fields.tag == V_DICT ? v.exc->fields.dict : NULL;
    value own =
        is_kind(v, &instance_kind) ? v.object->fields[v.object->count > 2 ? 2 : 0] : v_none();
    return own.tag == V_DICT ? own.dict : NULL;
}

/* The same; the dict is created if there is none. */
static gpa_code fields_made(gpa_vm *vm, value v, dict_obj **out) {
    if (!(*out = instance_fields_peek(v))) {
        value d = v_dict(vm);
        if (d.tag == V_UNSET) return vm->core.err.code;
        *(v.tag == V_EXCEPTION ? &v.exc->fields : &v.object->fields[2]) = d;
        *out = d.dict;
    }
    return GPA_OK;
}

gpa_code instance_dict(gpa_vm *vm, value v, value *out) {
    const class_obj *c = class_of_peek(v);
    dict_obj *d = instance_fields_peek(v);
    gpa_code rc = !d && c && c->tuple && !c->closed ? fields_made(vm, v, &d) : GPA_OK;
    *out = d ? value_retain(v_obj(V_DICT, d)) : v_unset();
    return rc;
}

dict_entry *instance_entry_peek(gpa_vm *vm, value v, gpa_sym name) {
    const intern *names = vm->core.names;
    const dict_obj *d = instance_fields_peek(v);
    return d ? dict_named_peek(d, intern_text(names, name), intern_len(names, name),
                               intern_hash(names, name))
             : NULL;
}

/* Data descriptors, which precede instance attributes: properties, and descriptors with __set__. */
static bool goes_first(value m) {
    return is_kind(m, &property_kind) ||
           (is_kind(m, &instance_kind) &&
            class_text_peek(class_of_peek(m), "__set__").tag != V_UNSET);
}

static gpa_code fail_property(gpa_vm *vm, value v, gpa_sym name, const char *lacks) {
    return vm_fail(vm, GPA_E_ATTRIBUTE, "property '%s' of '%s' object has no %s",
                   sym_text(vm, name), value_type_name(v), lacks);
}

gpa_code instance_attr(gpa_vm *vm, value v, gpa_sym name, value *out, value *self) {
    class_obj *c = class_of_peek(v);
    const dict_entry *own = c && !c->has_data_descriptors ? instance_entry_peek(vm, v, name) : NULL;
    *out = v_unset();
    if (self) *self = v_unset();
    if (own) {
        *out = value_retain(own->v);
        return GPA_OK;
    }
    value m = c ? class_member_peek(vm, c, name) : v_unset();
    if (is_kind(m, &property_kind) && m.object->fields[PROPERTY_GET].tag == V_NONE)
        return fail_property(vm, v, name, "getter");
    own = m.tag == V_OBJECT && goes_first(m) ? NULL : instance_entry_peek(vm, v, name);
    if (own) {
        *out = value_retain(own->v);
    } else if (m.tag == V_FUNC && self && !m.func->unbound) {
        *out = value_retain(m);
        *self = value_retain(v);
    } else if (m.tag != V_UNSET) {
        return class_bind(vm, m, v, v_obj(V_CLASS, c), out);
    } else if (strcmp(sym_text(vm, name), "__dict__") == 0) {
        return instance_dict(vm, v, out);
    } else if (c && c->tuple) {
        const native *row = native_find(OWNER_TUPLE, sym_text(vm, name));
        if (row && row->kind == NATIVE_METHOD)
            return native_return(
                v_method(vm, value_underlying(v), (value){.tag = V_NATIVE, .native = row}), out);
    }
    return GPA_OK;
}

gpa_code instance_missing(gpa_vm *vm, value v, gpa_sym name, value *out, bool *handled) {
    const class_obj *c = class_of_peek(v);
    value fn = c ? class_text_peek(c, "__getattr__") : v_unset();
    *handled = fn.tag == V_FUNC;
    if (!*handled) return GPA_OK;
    value text = v_cstr(vm, sym_text(vm, name));
    gpa_code rc =
        text.tag == V_UNSET ? vm->core.err.code : vm_call(vm, fn, ARGS(2, (value[]){v, text}), out);
    value_release(vm, text);
    return rc;
}

/* ---- setting ---- */

static bool names_it(value slots, const char *text) {
    if (slots.tag == V_STR) return strcmp(slots.str->text, text) == 0;
    size_t n = slots.tag == V_TUPLE  ? slots.tuple->count
               : slots.tag == V_LIST ? slots.list->count
                                     : 0;
    const value *items = slots.tag == V_TUPLE  ? slots.tuple->items
                         : slots.tag == V_LIST ? slots.list->items
                                               : NULL;
    for (size_t i = 0; i < n; i++)
        if (items[i].tag == V_STR && strcmp(items[i].str->text, text) == 0) return true;
    return false;
}

/* True if __slots__ of the class or of a base class contains the name. */
static bool has_slot(gpa_vm *vm, const class_obj *c, const char *text) {
    const tuple_obj *order = c->order.tuple;
    bool has = false;
    for (size_t i = 0; i <= order->count && !has; i++)
        has = names_it(
            dict_text_peek(vm, (i ? order->items[i - 1].class : c)->members.dict, "__slots__"),
            text);
    return has;
}

/* Delegates to a method of the class (__setattr__, __delattr__); *handled: the class has it. */
static gpa_code by_method(gpa_vm *vm, value v, const char *method, gpa_sym name, const value *item,
                          bool *handled) {
    const class_obj *c = class_of_peek(v);
    value fn = c ? class_text_peek(c, method) : v_unset(), nothing = v_none();
    *handled = fn.tag == V_FUNC;
    if (!*handled) return GPA_OK;
    value text = v_cstr(vm, sym_text(vm, name));
    gpa_code rc =
        text.tag == V_UNSET
            ? vm->core.err.code
            : vm_call(vm, fn, ARGS(item ? 3 : 2, (value[]){v, text, item ? *item : v_none()}),
                      &nothing);
    value_release(vm, text);
    value_release(vm, nothing);
    return rc;
}

/* A data descriptor that accepts assignment: a property, or a descriptor with __set__. */
static gpa_code set_member(gpa_vm *vm, value v, value m, gpa_sym name, value item) {
    value nothing = v_none();
    bool property = is_kind(m, &property_kind);
    value fn =
        property ? m.object->fields[PROPERTY_SET] : class_text_peek(class_of_peek(m), "__set__");
    if (fn.tag == V_NONE) return fail_property(vm, v, name, "setter");
    gpa_code rc = vm_call(
        vm, fn,
        ARGS(property ? 2 : 3, property ? (value[]){v, item, nothing} : (value[]){m, v, item}),
        &nothing);
    value_release(vm, nothing);
    return rc;
}

static gpa_code set_args(gpa_vm *vm, exc_obj *e, value item) {
    value all = v_none(), args = v_unset();
    gpa_code rc = vm_collect(vm, item, &all);
    if (!rc) rc = native_return(v_tuple(vm, all.list->count, all.list->items), &args);
    if (!rc) {
        value old = e->args;
        e->args = args;
        value_release(vm, old);
    }
    value_release(vm, all);
    return rc;
}

gpa_code instance_set(gpa_vm *vm, value v, gpa_sym name, value item, bool plain) {
    const class_obj *c = class_of_peek(v);
    bool handled = false;
    gpa_code rc =
        plain || !c || !c->sets ? GPA_OK : by_method(vm, v, "__setattr__", name, &item, &handled);
    if (rc || handled) return rc;
    value m = c && c->has_data_descriptors ? class_member_peek(vm, c, name) : v_unset();
    if (m.tag == V_OBJECT && goes_first(m)) return set_member(vm, v, m, name, item);
    if (v.tag == V_EXCEPTION && strcmp(sym_text(vm, name), "args") == 0)
        return set_args(vm, v.exc, item);
    dict_entry *own = instance_entry_peek(vm, v, name);
    if (own) {
        value old = own->v;
        own->v = value_retain(item);
        value_release(vm, old);
        return GPA_OK;
    }
    if (c && c->closed && !has_slot(vm, c, sym_text(vm, name)))
        return vm_fail(vm, GPA_E_ATTRIBUTE, "'%s' object has no attribute '%s'", c->text,
                       sym_text(vm, name));
    dict_obj *fields;
    rc = fields_made(vm, v, &fields);
    return rc ? rc : dict_set_text(vm, fields, sym_text(vm, name), item);
}

gpa_code instance_delete(gpa_vm *vm, value v, gpa_sym name, bool plain, bool *there) {
    const class_obj *c = class_of_peek(v);
    value m = c ? class_member_peek(vm, c, name) : v_unset(), nothing = v_none();
    *there = true;
    bool handled = false;
    gpa_code rc = plain ? GPA_OK : by_method(vm, v, "__delattr__", name, NULL, &handled);
    if (rc || handled) return rc;
    if (is_kind(m, &property_kind)) {
        value fn = m.object->fields[PROPERTY_DELETE];
        if (fn.tag == V_NONE) return fail_property(vm, v, name, "deleter");
        rc = vm_call(vm, fn, ARGS(1, &v), &nothing);
        value_release(vm, nothing);
        return rc;
    }
    *there = instance_entry_peek(vm, v, name) != NULL;
    if (!*there) return GPA_OK;
    value key = v_cstr(vm, sym_text(vm, name));
    rc = key.tag == V_UNSET ? vm->core.err.code
                            : dict_remove(vm, instance_fields_peek(v), key, there);
    value_release(vm, key);
    return rc;
}

/* ---- destruction ---- */

void instance_free(gpa_vm *vm, object_obj *o) {
    const links *l = links_of(o);
    if (l->prev)
        links_of(l->prev)->next = l->next;
    else
        vm->instances = l->next;
    if (l->next) links_of(l->next)->prev = l->prev;
}

void instance_break_cycles(gpa_vm *vm) {
    for (object_obj *o = vm->instances; o; o = links_of(o)->next) o->head.refs++;
    for (object_obj *o = vm->instances; o; o = links_of(o)->next) {
        dict_obj *fields = instance_fields_peek(v_obj(V_OBJECT, o));
        if (fields) dict_clear(vm, fields);
    }
    for (object_obj *o = vm->instances, *next; o; o = next) {
        next = links_of(o)->next;
        value_release(vm, v_obj(V_OBJECT, o));
    }
}
