/* Stand-ins: values of gpa as objects of Python (class Value of bootstrap.py).
 *
 * A stand-in holds a capsule with a handle, which owns the value. Values belong to the session's
 * thread: a handle that another thread destroys is released later (stand_in_collect). */
#include "lang/python/handle.h"
#include "lang/python/threads.h"

#include <string.h>

#include "lang/object/container.h"
#include "lang/vm/class.h"
#include "lang/vm/foreign.h"
#include "lang/vm/generator.h"
#include "lang/vm/instance.h"
#include "lang/vm/operate.h"

const char stand_in_handle_name[] = "gpa.value", stand_in_host_name[] = "gpa.host";

static void unlink_handle(handle *x) {
    if (x->prev)
        x->prev->next = x->next;
    else
        x->host->handles = x->next;
    if (x->next) x->next->prev = x->prev;
}

/* A release may drop other stand-ins. */
void stand_in_collect(python_host *h) {
    for (handle *x; (x = h->dead);) {
        value v = x->v;
        h->dead = x->next;
        mem_free(x);
        value_release(h->vm, v);
    }
}

/* The capsules outlive the session, in objects of Python. */
void stand_in_end(python_host *h) {
    static handle ended;
    static python_host no_host; /* of callbacks on threads that go on */
    py.PyCapsule_SetPointer(h->self, &no_host);
    python_end_requests(h);
    py_drop(h->counterparts);
    h->counterparts = NULL;
    py_drop(h->self);
    for (handle *x; (x = h->handles);) {
        unlink_handle(x);
        py.PyCapsule_SetDestructor(x->capsule, NULL);
        py.PyCapsule_SetPointer(x->capsule, &ended);
        value_release(h->vm, x->v);
        mem_free(x);
    }
    stand_in_collect(h);
}

static void end_handle(py_object *capsule) {
    handle *x = py.PyCapsule_GetPointer(capsule, stand_in_handle_name);
    python_host *h = x->host;
    value v = x->v;
    unlink_handle(x);
    if (!on_session_thread(h) || !h->depth) {
        x->next = h->dead;
        h->dead = x;
        return;
    }
    mem_free(x);
    value_release(h->vm, v);
}

/* ---- creation ---- */

/* Special methods that Python looks up in the type: a stand-in has those of its value. */
static const char *const specials[] = {
    "__call__",    "__iter__",     "__next__",    "__len__",      "__getitem__", "__setitem__",
    "__delitem__", "__contains__", "__enter__",   "__exit__",     "__lt__",      "__le__",
    "__gt__",      "__ge__",       "__add__",     "__radd__",     "__sub__",     "__rsub__",
    "__mul__",     "__rmul__",     "__truediv__", "__rtruediv__", "__matmul__",  "__rmatmul__",
    "__pow__",     "__rpow__",     "__mod__",     "__rmod__",     "__neg__",     "__pos__",
    "__abs__",     "__float__",    "__int__",     "__index__",    "__array__"};

static bool has_special(value v, const char *name) {
    if (is_instance(v)) return instance_has(v, name);
    if (strcmp(name, "__call__") == 0) return vm_callable(v);
    bool items = strcmp(name, "__iter__") == 0, next = strcmp(name, "__next__") == 0;
    if (v.tag == V_ITER) return items || next;
    return items && v.tag == V_OBJECT && v.object->kind->iter;
}

py_object *stand_in_new(python_host *h, value v) {
    py_object *names[COUNT_OF(specials)];
    size_t n = 0;
    handle *x = mem_new(sizeof *x);
    if (!x) {
        vm_no_memory(h->vm);
        return NULL;
    }
    *x = (handle){.host = h, .v = value_retain(v), .next = h->handles};
    if (x->next) x->next->prev = x;
    h->handles = x;
    py_object *capsule = x->capsule = py.PyCapsule_New(x, stand_in_handle_name, end_handle);
    if (v.tag == V_ARRAY) {
        py_object *array = python_helper(h->array_stand_in, 1, &capsule);
        if (!array) python_fail(h);
        return array;
    }
    for (size_t i = 0; i < COUNT_OF(specials); i++)
        if (has_special(v, specials[i]))
            names[n++] = py.PyUnicode_DecodeUTF8(specials[i], (py_size)strlen(specials[i]), NULL);
    py_object *special = py.PyTuple_New((py_size)n);
    for (size_t i = 0; i < n; i++) py.PyTuple_SetItem(special, (py_size)i, names[i]);
    py_object *o = python_helper(h->stand_in, 2, (py_object *[]){capsule, special});
    if (!o) python_fail(h);
    return o;
}

static handle *handle_of(python_host *h, py_object *o) {
    if (!h->value_type || py.PyObject_IsInstance(o, h->value_type) != 1) {
        py.PyErr_Clear();
        return NULL;
    }
    py_object *capsule = py.PyObject_GetAttrString(o, "_handle");
    handle *x = capsule ? py.PyCapsule_GetPointer(capsule, stand_in_handle_name) : NULL;
    if (!x) py.PyErr_Clear();
    py_drop(capsule);
    return x;
}

value stand_in_peek(python_host *h, py_object *o) {
    const handle *x = handle_of(h, o);
    return x ? x->v : v_unset();
}
