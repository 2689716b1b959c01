/* Proxies: Python's objects as values of gpa. Every operation is Python's own, on the object behind
 * the proxy; operands are converted, and so is the result. */
#include "lang/object/mime.h"
#include "lang/python/convert.h"
#include "lang/python/operators.h"
#include "lang/vm/kinds.h"

/* The reference is the proxy's data. */
static py_object *behind(const object_obj *o) { return o->data; }

gpa_code proxy_new_take(python_host *h, py_object *o, value *out) {
    value v = v_object(h->vm, &python_object_kind, 0);
    if (v.tag == V_UNSET) {
        py_drop(o);
        return vm_err(h->vm)->code;
    }
    v.object->data = o;
    *out = v;
    return GPA_OK;
}

py_object *proxy_peek(value v) { return is_kind(v, &python_object_kind) ? behind(v.object) : NULL; }

static void release(gpa_vm *vm, object_obj *o) {
    (void)vm;
    int state = py.PyGILState_Ensure();
    py.Py_DecRef(behind(o));
    py.PyGILState_Release(state);
}

/* A str that Python returns, appended. */
static gpa_code put_text(gpa_vm *vm, object_obj *o, py_object *(*convert)(py_object *),
                         gpa_str *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *text = convert(behind(o));
    gpa_code rc = python_text(s.host, text, out);
    py_drop(text);
    python_leave(&s);
    return rc;
}

static gpa_code repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    return put_text(vm, o, py.PyObject_Repr, out);
}

static gpa_code str(gpa_vm *vm, object_obj *o, gpa_str *out) {
    return put_text(vm, o, py.PyObject_Str, out);
}

static gpa_code attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    gpa_code rc = from_python_take(s.host, py.PyObject_GetAttrString(behind(o), name), out);
    python_leave(&s);
    return rc;
}

static gpa_code set(gpa_vm *vm, object_obj *o, const char *name, value v) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *item = to_python(s.host, v);
    gpa_code rc = item ? GPA_OK : vm_err(vm)->code;
    if (!rc && py.PyObject_SetAttrString(behind(o), name, item)) rc = python_fail(s.host);
    py_drop(item);
    python_leave(&s);
    return rc;
}

static gpa_code call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    python_host *h = s.host;
    py_object *args = to_python_tuple(h, a->n, a->values), *named = NULL;
    gpa_code rc = args ? to_python_named(h, a, &named) : vm_err(vm)->code;
    if (rc) {
        py_drop(args);
    } else {
        py_object *all[] = {py_keep(h->apply), py_keep(behind(o)), args, named};
        rc = from_python_take(h, python_helper(h->enter, 4, all), out);
    }
    python_leave(&s);
    return rc;
}

static gpa_code getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *k = to_python(s.host, key);
    gpa_code rc =
        k ? from_python_take(s.host, py.PyObject_GetItem(behind(o), k), out) : vm_err(vm)->code;
    py_drop(k);
    python_leave(&s);
    return rc;
}

static gpa_code setitem(gpa_vm *vm, object_obj *o, value key, value item) {
    python_scope s = python_enter(python_host_peek(vm));
    python_host *h = s.host;
    py_object *k = to_python(h, key), *v = k ? to_python(h, item) : NULL;
    gpa_code rc = v ? GPA_OK : vm_err(vm)->code;
    if (rc) {
        py_drop(k);
    } else {
        py_object *done = python_helper(
            h->enter, 4, (py_object *[]){py_keep(h->store), py_keep(behind(o)), k, v});
        if (!done) rc = python_fail(h);
        py_drop(done);
    }
    python_leave(&s);
    return rc;
}

static gpa_code delitem(gpa_vm *vm, object_obj *o, value key) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *k = to_python(s.host, key);
    gpa_code rc = k ? GPA_OK : vm_err(vm)->code;
    if (!rc && py.PyObject_DelItem(behind(o), k)) rc = python_fail(s.host);
    py_drop(k);
    python_leave(&s);
    return rc;
}

/* The next item of a Python iterator, which is a proxy. */
gpa_code proxy_next(gpa_vm *vm, value v, value *out, bool *done) {
    python_scope s = python_enter(python_host_peek(vm));
    gpa_code rc = GPA_OK;
    py_object *item = py.PyIter_Check(behind(v.object)) ? py.PyIter_Next(behind(v.object)) : NULL;
    *done = !item && !py.PyErr_Occurred() && py.PyIter_Check(behind(v.object));
    if (item || py.PyErr_Occurred())
        rc = from_python_take(s.host, item, out);
    else if (!*done)
        rc = vm_fail(vm, GPA_E_TYPE, "the object of Python is not an iterator");
    python_leave(&s);
    return rc;
}

static gpa_code next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    return proxy_next(vm, it->source, out, done);
}

static gpa_code iter(gpa_vm *vm, object_obj *o, value *out) {
    value items = v_unset();
    python_scope s = python_enter(python_host_peek(vm));
    py_object *iterator = py.PyObject_GetIter(behind(o));
    gpa_code rc = iterator ? proxy_new_take(s.host, iterator, &items) : python_fail(s.host);
    python_leave(&s);
    if (rc) return rc;
    *out = v_iter(vm, "python.iterator", next);
    if (out->tag == V_UNSET) {
        value_release(vm, items);
        return vm_err(vm)->code;
    }
    out->iter->source = items;
    return GPA_OK;
}

static gpa_code len(gpa_vm *vm, object_obj *o, int64_t *out) {
    python_scope s = python_enter(python_host_peek(vm));
    *out = py.PyObject_Size(behind(o));
    gpa_code rc = *out < 0 ? python_fail(s.host) : GPA_OK;
    python_leave(&s);
    return rc;
}

static gpa_code contains(gpa_vm *vm, object_obj *o, value item, bool *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *v = to_python(s.host, item);
    int is = v ? py.PySequence_Contains(behind(o), v) : -1;
    gpa_code rc = !v ? vm_err(vm)->code : is < 0 ? python_fail(s.host) : GPA_OK;
    *out = is > 0;
    py_drop(v);
    python_leave(&s);
    return rc;
}

static gpa_code truth(gpa_vm *vm, object_obj *o, bool *out) {
    python_scope s = python_enter(python_host_peek(vm));
    int is = py.PyObject_IsTrue(behind(o));
    gpa_code rc = is < 0 ? python_fail(s.host) : GPA_OK;
    *out = is > 0;
    python_leave(&s);
    return rc;
}

/* Equality that cannot fail, for containers: an error counts as different. */
static bool equal(const object_obj *a, const object_obj *b) {
    int state = py.PyGILState_Ensure();
    int is = py.PyObject_RichCompareBool(behind(a), behind(b), PY_EQ);
    if (is < 0) py.PyErr_Clear();
    py.PyGILState_Release(state);
    return is > 0;
}

static gpa_code hash(gpa_vm *vm, value v, uint64_t *out, bool *handled) {
    python_scope s = python_enter(python_host_peek(vm));
    py_size number = py.PyObject_Hash(behind(v.object));
    gpa_code rc = number == -1 && py.PyErr_Occurred() ? python_fail(s.host) : GPA_OK;
    *out = (uint64_t)number;
    *handled = !rc;
    python_leave(&s);
    return rc;
}

/* Calls a method with n arguments. */
static gpa_code method(gpa_vm *vm, object_obj *o, const char *name, size_t n, const value *args,
                       value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *type = py.PyObject_Type(behind(o)),
              *fn = type ? py.PyObject_GetAttrString(type, name) : NULL;
    py_drop(type);
    value all[4];
    for (size_t i = 0; i < n; i++) all[i + 1] = args[i];
    all[0] = v_obj(V_OBJECT, o);
    py_object *tuple = fn ? to_python_tuple(s.host, n + 1, all) : NULL;
    gpa_code rc = !fn      ? python_fail(s.host)
                  : !tuple ? vm_err(vm)->code
                           : from_python_take(s.host, py.PyObject_Call(fn, tuple, NULL), out);
    py_drop(fn);
    py_drop(tuple);
    python_leave(&s);
    return rc;
}

static gpa_code enter(gpa_vm *vm, object_obj *o, value *out) {
    return method(vm, o, "__enter__", 0, NULL, out);
}

static gpa_code leave(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    value args[3] = {v_none(), exc, v_none()}, answer = v_none();
    gpa_code rc = exc.tag == V_EXCEPTION ? vm_attr(vm, exc, "__class__", &args[0]) : GPA_OK;
    if (!rc) rc = method(vm, o, "__exit__", 3, args, &answer);
    if (!rc) rc = value_truth(vm, answer, swallow);
    value_release(vm, args[0]);
    value_release(vm, answer);
    return rc;
}

/* One representation: a tuple of a MIME type, str or bytes, and metadata (a str or None). */
static gpa_code add_mime(python_host *h, py_object *parts, mime_bundle *out) {
    gpa_vm *vm = h->vm;
    value mime = v_unset(), data = v_unset(), meta = v_unset();
    gpa_code rc = from_python_take(h, py_keep(py.PyTuple_GetItem(parts, 0)), &mime);
    if (!rc) rc = from_python_take(h, py_keep(py.PyTuple_GetItem(parts, 1)), &data);
    if (!rc) rc = from_python_take(h, py_keep(py.PyTuple_GetItem(parts, 2)), &meta);
    if (!rc && mime.tag == V_STR && (data.tag == V_STR || data.tag == V_BYTES)) {
        gpa_sym name = intern_get(vm->core.names, mime.str->text, mime.str->size);
        rc = name ? mime_add(vm, out, intern_text(vm->core.names, name), data.str->text,
                             data.str->size, meta.tag == V_STR ? meta.str->text : NULL)
                  : vm_no_memory(vm);
    }
    value_release(vm, mime);
    value_release(vm, data);
    value_release(vm, meta);
    return rc;
}

static gpa_code mimes(gpa_vm *vm, object_obj *o, mime_bundle *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *all = python_helper(s.host->mimes, 1, (py_object *[]){py_keep(behind(o))});
    gpa_code rc = all ? GPA_OK : python_fail(s.host);
    out->displayed = all == py.none;
    for (py_size i = 0; !rc && !out->displayed && i < py.PyList_Size(all); i++)
        rc = add_mime(s.host, py.PyList_GetItem(all, i), out);
    py_drop(all);
    python_leave(&s);
    return rc;
}

const object_kind python_object_kind = {.type_name = "python.object",
                                        .foreign = true,
                                        .free = release,
                                        .repr = repr,
                                        .str = str,
                                        .enter = enter,
                                        .exit = leave,
                                        .attr = attr,
                                        .set = set,
                                        .call = call,
                                        .getitem = getitem,
                                        .setitem = setitem,
                                        .delitem = delitem,
                                        .iter = iter,
                                        .len = len,
                                        .contains = contains,
                                        .mimes = mimes,
                                        .truth = truth,
                                        .equal = equal,
                                        .hash = hash};
