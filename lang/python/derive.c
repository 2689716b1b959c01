/* Classes of gpa that derive from classes of Python: they are Python's, and their methods call
 * functions of gpa. */
#include "lang/object/container.h"
#include "lang/python/convert.h"
#include "lang/python/operators.h"
#include "lang/vm/class.h"

/* Classes of gpa have no counterpart that Python's could derive from. */
static gpa_code check_bases(gpa_vm *vm, value bases) {
    for (size_t i = 0; i < bases.tuple->count; i++)
        if (bases.tuple->items[i].tag == V_CLASS)
            return vm_fail(vm, GPA_E_UNSUPPORTED,
                           "a class derives from classes of gpa or of Python, not from both: %s "
                           "is gpa's",
                           bases.tuple->items[i].class->text);
    return GPA_OK;
}

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

gpa_code python_derive(gpa_vm *vm, const char *name, value bases, value members, value *out) {
    gpa_code rc = check_bases(vm, bases);
    if (rc) return rc;
    python_scope s = python_enter(python_host_peek(vm));
    python_host *h = s.host;
    py_object *of = to_python(h, bases), *body = of ? members_to_python(h, members.dict) : NULL;
    if (body) {
        py_object *args[] = {py.PyUnicode_DecodeUTF8(name, (py_size)strlen(name), NULL), of, body};
        rc = from_python_take(h, python_helper(h->derive, 3, args), out);
    } else {
        py_drop(of);
        rc = vm_err(vm)->code;
    }
    python_leave(&s);
    return rc;
}

gpa_code python_super(gpa_vm *vm, value class, value self, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    python_host *h = s.host;
    py_object *args[] = {to_python(h, class), to_python(h, self)};
    gpa_code rc = from_python_take(h, python_helper(h->super, 2, args), out);
    python_leave(&s);
    return rc;
}
