/* Classes of gpa that derive from classes of Python: they are Python's, and their methods call
 * functions of gpa. A class of gpa among their bases has a counterpart, made in the same way. */
#include "lang/object/container.h"
#include "lang/python/convert.h"
#include "lang/python/operators.h"
#include "lang/vm/class.h"

/* A member as (kind, objects): how bootstrap.py's _member makes an attribute of it. */
static py_object *member_to_python(python_host *h, value m) {
    const object_kind *kinds[] = {&static_kind, &classmethod_kind, &property_kind};
    static const char *const names[] = {"static", "class", "property"};
    const char *name = m.tag == V_FUNC ? "function" : "value";
    const value *parts = &m;
    size_t n = 1;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (!is_kind(m, kinds[i])) continue;
        name = names[i];
        parts = m.object->fields;
        if (kinds[i] == &property_kind) n = PROPERTY_DELETE + 1;
    }
    py_object *items = to_python_tuple(h, n, parts);
    if (!items) return NULL;
    py_object *pair = py.PyTuple_New(2);
    py.PyTuple_SetItem(pair, 0, py.PyUnicode_DecodeUTF8(name, (py_size)strlen(name), NULL));
    py.PyTuple_SetItem(pair, 1, items);
    return pair;
}

static py_object *members_to_python(python_host *h, dict_obj *members) {
    py_object *d = py.PyDict_New();
    size_t at = 0;
    bool ok = d != NULL;
    for (dict_entry *e; ok && (e = dict_next(members, &at));) {
        if (e->key.tag != V_STR || strcmp(e->key.str->text, "__classcell__") == 0) continue;
        py_object *member = member_to_python(h, e->v);
        ok = member && !py.PyDict_SetItemString(d, e->key.str->text, member);
        py_drop(member);
    }
    if (ok) return d;
    py_drop(d);
    if (!vm_err(h->vm)->code) python_fail(h);
    return NULL;
}

static py_object *base_to_python(python_host *h, value base);

/* The bases of a class; `object` is every class's. */
static py_object *bases_to_python(python_host *h, value bases) {
    const tuple_obj *all = bases.tuple;
    size_t n = all->count == 1 && all->items[0].tag == V_TYPE && all->items[0].aux == V_OBJECT
                   ? 0
                   : all->count;
    py_object *t = py.PyTuple_New((py_size)n);
    for (size_t i = 0; t && i < n; i++) {
        py_object *base = base_to_python(h, all->items[i]);
        if (base) {
            py.PyTuple_SetItem(t, (py_size)i, base);
        } else {
            py_drop(t);
            t = NULL;
        }
    }
    return t;
}

static py_object *new_class(python_host *h, const char *name, value bases, dict_obj *members) {
    py_object *of = bases_to_python(h, bases), *body = of ? members_to_python(h, members) : NULL;
    if (!body) {
        py_drop(of);
        return NULL;
    }
    py_object *args[] = {py.PyUnicode_DecodeUTF8(name, (py_size)strlen(name), NULL), of, body},
              *class = python_helper(h->derive, 3, args);
    if (!class) python_fail(h);
    return class;
}

py_object *class_counterpart_peek(python_host *h, value class) {
    py_object *key = py.PyLong_FromLongLong((int64_t)(uintptr_t) class.class),
              *pair = h->counterparts ? py.PyDict_GetItem(h->counterparts, key) : NULL;
    py_drop(key);
    return pair ? py.PyTuple_GetItem(pair, 0) : NULL;
}

/* The counterpart of a class of gpa, made when it is first the base of one of Python; it keeps the
 * class. */
static py_object *class_counterpart(python_host *h, value class) {
    py_object *known = class_counterpart_peek(h, class);
    if (known) return py_keep(known);
    const class_obj *c = class.class;
    py_object *made = new_class(h, c->text, c->bases, c->members.dict),
              *own = made ? stand_in_new(h, class) : NULL, *pair = own ? py.PyTuple_New(2) : NULL,
              *key = py.PyLong_FromLongLong((int64_t)(uintptr_t)c);
    if (!h->counterparts) h->counterparts = py.PyDict_New();
    if (pair) {
        py.PyTuple_SetItem(pair, 0, py_keep(made));
        py.PyTuple_SetItem(pair, 1, own);
        py.PyDict_SetItem(h->counterparts, key, pair);
    }
    py_drop(key);
    py_drop(pair);
    return made;
}

static py_object *base_to_python(python_host *h, value base) {
    return base.tag == V_CLASS ? class_counterpart(h, base) : to_python(h, base);
}

gpa_code python_derive(gpa_vm *vm, const char *name, value bases, value members, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *class = new_class(s.host, name, bases, members.dict);
    gpa_code rc = class ? from_python_take(s.host, class, out) : vm_err(vm)->code;
    python_leave(&s);
    return rc;
}

gpa_code python_super(gpa_vm *vm, value class, value self, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    python_host *h = s.host;
    py_object *args[] = {base_to_python(h, class), to_python(h, self)};
    gpa_code rc = from_python_take(h, python_helper(h->super, 2, args), out);
    python_leave(&s);
    return rc;
}
