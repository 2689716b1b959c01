/* Callbacks: the functions of gpa that Python's code (bootstrap.py, arrays.py, displays.py,
 * notebook.py) calls. Values belong to the session's thread: it runs what other threads call
 * (threads.c). */
#include "lang/python/handle.h"
#include "lang/python/threads.h"

#include <string.h>

#include "lang/object/container.h"
#include "lang/vm/foreign.h"
#include "lang/vm/generator.h"
#include "lang/vm/instance.h"
#include "lang/vm/operate.h"

/* A call from Python: its arguments as values, on the session's thread. */
typedef struct {
    python_host *h;
    value self; /* of the handle, first argument; UNSET if there is none */
    value args; /* a TUPLE of the others */
    void *thread;
} incoming;

static bool not_now(void) {
    py.PyErr_SetString(py.runtime_error, "values of gpa are used while their session calls Python");
    return false;
}

/* Takes the arguments as values; `handled`: the first one is a handle. False: Python has raised. */
static bool receive(incoming *c, py_object *self, py_object *args, bool handled) {
    python_host *h = c->h = py.PyCapsule_GetPointer(self, stand_in_host_name);
    gpa_vm *vm = h->vm;
    c->args = c->self = v_unset();
    if (!h->depth || !on_session_thread(h)) return not_now();
    if (handled) {
        const handle *x =
            py.PyCapsule_GetPointer(py.PyTuple_GetItem(args, 0), stand_in_handle_name);
        if (!x) return false;
        if (!x->host) return not_now();
        c->self = value_retain(x->v);
    }
    py_size n = py.PyTuple_Size(args), from = handled;
    c->args = v_tuple(vm, (size_t)(n - from), NULL);
    gpa_code rc = c->args.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (py_size i = from; i < n && !rc; i++)
        rc = from_python_take(h, py_keep(py.PyTuple_GetItem(args, i)),
                              &c->args.tuple->items[i - from]);
    if (!rc) return true;
    python_raise(h);
    value_release(vm, c->args);
    value_release(vm, c->self);
    return false;
}

/* The result of a call, or its error, for Python; consumes v. */
static py_object *answer(incoming *c, gpa_code rc, value v) {
    gpa_vm *vm = c->h->vm;
    python_acquire_gil(c->h, c->thread);
    py_object *o = rc ? NULL : to_python(c->h, v);
    if (!o) python_raise(c->h);
    value_release(vm, v);
    value_release(vm, c->args);
    value_release(vm, c->self);
    return o;
}

static value argument(const incoming *c, size_t i) { return c->args.tuple->items[i]; }

/* Receives the arguments and releases the GIL, which `answer` acquires again. */
static bool receive_all(incoming *c, py_object *self, py_object *args, bool handled) {
    if (!receive(c, self, args, handled)) return false;
    c->thread = python_release_gil(c->h);
    return true;
}

#define RECEIVE(handled) \
    incoming c;          \
    if (!receive_all(&c, self, args, handled)) return NULL;
/* A function that Python calls, on any thread; with CALLBACK it runs on the session's. */
#define CALLBACK_ON_ANY_THREAD(name) \
    static py_object *callback_##name(py_object *self, py_object *args)
#define CALLBACK(name)                                                            \
    static py_object *session_##name(py_object *self, py_object *args);           \
    CALLBACK_ON_ANY_THREAD(name) { return dispatch(session_##name, self, args); } \
    static py_object *session_##name(py_object *self, py_object *args)

static py_object *dispatch(python_callback *call, py_object *self, py_object *args) {
    python_host *h = py.PyCapsule_GetPointer(self, stand_in_host_name);
    return h->vm && !on_session_thread(h) ? python_run_on_session_thread(h, call, self, args)
                                          : call(self, args);
}

/* Appends the named arguments, a dict of Python, to the positional ones: their values to `values`,
 * their names to `names`. */
static gpa_code receive_named(python_host *h, py_object *named, list_obj *values, list_obj *names) {
    py_object *key, *item;
    gpa_code rc = GPA_OK;
    for (py_size at = 0; !rc && py.PyDict_Next(named, &at, &key, &item);) {
        value v[2] = {v_unset(), v_unset()};
        rc = from_python_take(h, py_keep(key), &v[0]);
        if (!rc) rc = from_python_take(h, py_keep(item), &v[1]);
        if (!rc) rc = list_append(h->vm, names, v[0]);
        if (!rc) rc = list_append(h->vm, values, v[1]);
        value_release(h->vm, v[0]);
        value_release(h->vm, v[1]);
    }
    return rc;
}

/* call(handle, positional, named): a tuple and a dict. */
CALLBACK(call) {
    incoming c;
    py_object *named = py.PyTuple_GetItem(args, 2);
    if (!receive(&c, self, args, true)) return NULL;
    gpa_vm *vm = c.h->vm;
    value values = v_unset(), names = v_list(vm, 0, NULL), out = v_none();
    gpa_code rc = names.tag == V_UNSET ? GPA_E_MEMORY : vm_collect(vm, argument(&c, 0), &values);
    if (!rc) rc = receive_named(c.h, named, values.list, names.list);
    c.thread = python_release_gil(c.h);
    if (!rc) {
        const size_t n = names.list->count;
        const call_args a = {values.list->count - n, n, values.list->items, names.list->items};
        rc = vm_call(vm, c.self, &a, &out);
    }
    value_release(vm, names);
    value_release(vm, values);
    return answer(&c, rc, out);
}

CALLBACK(getattr) {
    RECEIVE(true)
    value out = v_none();
    gpa_code rc = vm_attr(c.h->vm, c.self, argument(&c, 0).str->text, &out);
    return answer(&c, rc, out);
}

CALLBACK(setattr) {
    RECEIVE(true)
    return answer(&c, vm_setattr(c.h->vm, c.self, argument(&c, 0).str->text, argument(&c, 1)),
                  v_none());
}

/* Operators and special methods by their names in Python, with the values' own meaning. */
CALLBACK(method) {
    RECEIVE(true)
    gpa_vm *vm = c.h->vm;
    const char *name = argument(&c, 0).str->text;
    const tuple_obj *given = argument(&c, 1).tuple;
    value fn = v_unset(), out = v_none();
    gpa_code rc = GPA_OK;
    bool equal = strcmp(name, "__eq__") == 0;
    const bool compares = equal || strcmp(name, "__ne__") == 0,
               own = is_instance(c.self) && instance_has(c.self, name),
               asks = compares && is_foreign(given->items[0]);
    if (asks && !own) {
        out = (value){.tag = V_NOT_IMPLEMENTED}; /* Python's object decides */
    } else if (compares && !asks && c.self.tag != V_ARRAY) {
        bool is = false;
        rc = op_compare(vm, equal ? AST_OP_EQ : AST_OP_NE, c.self, given->items[0], &is);
        out = v_bool(is);
    } else {
        rc = vm_attr(vm, c.self, name, &fn);
        if (!rc) rc = vm_call(vm, fn, ARGS(given->count, given->items), &out);
    }
    value_release(vm, fn);
    return answer(&c, rc, out);
}

static py_object *text_answer(incoming *c, gpa_code (*put)(gpa_vm *, value, gpa_str *)) {
    gpa_str text;
    str_init(&text);
    value out = v_none();
    gpa_code rc = put(c->h->vm, c->self, &text);
    if (!rc)
        rc = native_return(
            text.failed ? v_unset() : v_str(c->h->vm, text.text ? text.text : "", text.len), &out);
    str_free(&text);
    return answer(c, rc, out);
}

CALLBACK(repr) {
    RECEIVE(true)
    return text_answer(&c, vm_repr);
}

CALLBACK(str) {
    RECEIVE(true)
    return text_answer(&c, vm_str);
}

static void add_name(void *user, const char *name, value v) {
    gpa_str *text = user;
    (void)v;
    str_printf(text, "%s\n", name);
}

/* dir(): the names, a str with a name on each line, split by Python. */
CALLBACK(dir) {
    RECEIVE(true)
    gpa_vm *vm = c.h->vm;
    gpa_str text;
    str_init(&text);
    value all = v_unset(), split = v_unset(), out = v_none();
    gpa_code rc = vm_dir(vm, c.self, add_name, &text);
    if (!rc)
        rc = native_return(
            text.failed ? v_unset() : v_str(vm, text.text ? text.text : "", text.len), &all);
    if (!rc) rc = vm_attr(vm, all, "split", &split);
    if (!rc) rc = vm_call(vm, split, NO_ARGS, &out);
    str_free(&text);
    value_release(vm, all);
    value_release(vm, split);
    return answer(&c, rc, out);
}

CALLBACK(hash) {
    RECEIVE(true)
    uint64_t hash = 0;
    gpa_code rc = value_hash(c.h->vm, c.self, &hash);
    return answer(&c, rc, v_int((int64_t)(hash >> 1)));
}

CALLBACK(truth) {
    RECEIVE(true)
    bool is = false;
    gpa_code rc = value_truth(c.h->vm, c.self, &is);
    return answer(&c, rc, v_bool(is));
}

CALLBACK(iter) {
    RECEIVE(true)
    value out = v_none();
    gpa_code rc = vm_iter(c.h->vm, c.self, &out);
    return answer(&c, rc, out);
}

/* next(): (done, item). */
CALLBACK(next) {
    RECEIVE(true)
    gpa_vm *vm = c.h->vm;
    value item[2] = {v_bool(false), v_none()}, it = v_unset(), out = v_none();
    bool done = false;
    gpa_code rc = vm_iter(vm, c.self, &it);
    if (!rc) rc = iter_next(vm, it, &item[1], &done);
    if (done) item[0] = v_bool(true), item[1] = v_none();
    if (!rc) rc = native_return(v_tuple(vm, 2, item), &out);
    value_release(vm, item[1]);
    value_release(vm, it);
    return answer(&c, rc, out);
}

typedef struct {
    gpa_vm *vm;
    value all; /* a list */
} listing;

/* Appends (name, kind) or (name, kind, default). */
static gpa_code list_parameter(void *user, const char *name, param_kind kind, value otherwise) {
    listing *to = user;
    value parts[3] = {v_cstr(to->vm, name), v_int((int64_t)kind), otherwise},
          one = parts[0].tag == V_UNSET ? v_unset()
                                        : v_tuple(to->vm, otherwise.tag == V_UNSET ? 2 : 3, parts);
    gpa_code rc =
        one.tag == V_UNSET ? vm_err(to->vm)->code : list_append(to->vm, to->all.list, one);
    value_release(to->vm, parts[0]);
    value_release(to->vm, one);
    return rc;
}

/* The parameters of a function, a list; of other callables *args and **kwargs. */
CALLBACK(parameters) {
    RECEIVE(true)
    gpa_vm *vm = c.h->vm;
    value fn = c.self;
    listing to = {vm, v_list(vm, 0, NULL)};
    gpa_code rc = to.all.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    bool bound = fn.tag == V_METHOD;
    if (bound) fn = fn.method->fn;
    if (!rc && fn.tag == V_FUNC) {
        rc = func_parameters(vm, fn.func, bound, list_parameter, &to);
    } else if (!rc) {
        rc = list_parameter(&to, "args", PARAM_ARGS, v_unset());
        if (!rc) rc = list_parameter(&to, "kwargs", PARAM_KWARGS, v_unset());
    }
    return answer(&c, rc, to.all.tag == V_UNSET ? v_none() : to.all);
}

/* Appends a str; does not touch the vm. False: no memory. */
static bool put_text(py_object *text, gpa_str *to) {
    char *at;
    py_size n;
    py_object *bytes = py.PyUnicode_AsEncodedString(text, "utf-8", "replace");
    bool ok = bytes && !py.PyBytes_AsStringAndSize(bytes, &at, &n);
    if (ok) str_putn(to, at, (size_t)n);
    py_drop(bytes);
    return ok && !to->failed;
}

/* write(stream, text). Other threads leave their text to the session's. */
CALLBACK_ON_ANY_THREAD(write) {
    python_host *h = py.PyCapsule_GetPointer(self, stand_in_host_name);
    if (!h->vm) return py_keep(py.none);
    if (!on_session_thread(h)) {
        int overflow;
        bool to_stderr =
            py.PyLong_AsLongLongAndOverflow(py.PyTuple_GetItem(args, 0), &overflow) == 2;
        return put_text(py.PyTuple_GetItem(args, 1), &h->output[to_stderr]) ? py_keep(py.none)
                                                                            : py.PyErr_NoMemory();
    }
    python_write_output(h);
    RECEIVE(false)
    const str_obj *s = argument(&c, 1).str;
    gpa_code rc = vm_print(c.h->vm, argument(&c, 0).i == 2, s->text, s->size);
    return answer(&c, rc, v_none());
}

CALLBACK_ON_ANY_THREAD(flush) {
    if (!on_session_thread(py.PyCapsule_GetPointer(self, stand_in_host_name)))
        return py_keep(py.none);
    RECEIVE(false)
    vm_flush(c.h->vm);
    return answer(&c, GPA_OK, v_none());
}

/* input(prompt, hidden): a line with its end; "" at the end of the input. */
CALLBACK(input) {
    RECEIVE(false)
    gpa_vm *vm = c.h->vm;
    value line = v_none(), out = v_none(), end = v_unset();
    gpa_code rc = vm_input(vm, argument(&c, 0).str->text, argument(&c, 1).i, &line);
    if (gpa_err_is(rc, GPA_E_EOF)) {
        vm_clear_error(vm);
        rc = native_return(v_cstr(vm, ""), &out);
    } else if (!rc) {
        end = v_cstr(vm, "\n");
        rc = native_return(end.tag == V_UNSET ? end : v_concat(vm, line, end), &out);
    }
    value_release(vm, end);
    value_release(vm, line);
    return answer(&c, rc, out);
}

/* display(value, id or None, update) */
CALLBACK(display) {
    RECEIVE(false)
    value id = argument(&c, 1);
    return answer(&c,
                  vm_display(c.h->vm, argument(&c, 0), id.tag == V_STR ? id.str->text : NULL,
                             argument(&c, 2).i),
                  v_none());
}

CALLBACK(clear) {
    RECEIVE(false)
    return answer(&c, vm_clear_output(c.h->vm, argument(&c, 0).i), v_none());
}

/* report(exception): shows it as the error of a cell. */
CALLBACK(report) {
    incoming c;
    if (!receive(&c, self, args, false)) return NULL;
    gpa_vm *vm = c.h->vm;
    py_object *exc = py.PyTuple_GetItem(args, 0), *type = py.PyObject_Type(exc);
    py.PyErr_SetObject(type, exc);
    py_drop(type);
    python_fail(c.h);
    c.thread = python_release_gil(c.h);
    if (vm->config.report) vm->config.report(vm->config.user);
    return answer(&c, GPA_OK, v_none());
}

/* magic(text): runs it. */
CALLBACK(magic) {
    RECEIVE(false)
    value out = v_none();
    const str_obj *text = argument(&c, 0).str;
    gpa_code rc = vm_magic(c.h->vm, text->text, text->size, &out);
    return answer(&c, rc, out);
}

/* request(): the header of the request that is being handled, JSON. */
CALLBACK(request) {
    RECEIVE(false)
    value out = v_none();
    gpa_vm *vm = c.h->vm;
    gpa_code rc = native_return(v_cstr(vm, vm->config.request(vm->config.user)), &out);
    return answer(&c, rc, out);
}

/* has_comms(): whether a front end connects to comms. */
CALLBACK(has_comms) {
    RECEIVE(false)
    return answer(&c, GPA_OK, v_bool(vm_has_comms(c.h->vm)));
}

/* comm(type, content, metadata, buffers): str, str, str and a tuple of bytes. Any thread. */
CALLBACK_ON_ANY_THREAD(comm) {
    python_host *h = py.PyCapsule_GetPointer(self, stand_in_host_name);
    gpa_str text[3];
    py_object *buffers = py.PyTuple_GetItem(args, 3);
    py_size n = buffers ? py.PyTuple_Size(buffers) : 0;
    if (!h->vm || !h->vm->config.comm) return py_keep(py.none);
    gpa_buffer *all = mem_new(((size_t)n + 1) * sizeof *all);
    bool ok = all != NULL;
    for (py_size i = 0; i < 3; i++) {
        str_init(&text[i]);
        ok = ok && put_text(py.PyTuple_GetItem(args, i), &text[i]);
    }
    for (py_size i = 0; ok && i < n; i++) {
        char *data;
        py_size size;
        ok = !py.PyBytes_AsStringAndSize(py.PyTuple_GetItem(buffers, i), &data, &size);
        if (ok) all[i] = (gpa_buffer){data, (size_t)size};
    }
    if (ok)
        h->vm->config.comm(h->vm->config.user,
                           &(gpa_comm){text[0].text, text[1].text, text[2].text, all, (size_t)n});
    for (int i = 0; i < 3; i++) str_free(&text[i]);
    mem_free(all);
    return ok ? py_keep(py.none) : py.PyErr_NoMemory();
}

/* figure_setting(which): text, "" for the default. */
CALLBACK(figure_setting) {
    RECEIVE(false)
    value out = v_none();
    const char *text = vm_figure_setting(c.h->vm, (enum figure_setting)argument(&c, 0).i);
    gpa_code rc = native_return(v_cstr(c.h->vm, text), &out);
    return answer(&c, rc, out);
}

/* memory(array) and host(array): see array_memory and array_on_host. */
CALLBACK(memory) {
    RECEIVE(true)
    value out = v_none();
    gpa_code rc = array_memory(c.h->vm, c.self, &out);
    return answer(&c, rc, out);
}

CALLBACK(host) {
    RECEIVE(true)
    value out = v_none();
    gpa_code rc = array_on_host(c.h->vm, c.self, &out);
    return answer(&c, rc, out);
}

/* dlpack(array, versioned): a capsule. */
CALLBACK(dlpack) {
    incoming c;
    if (!receive(&c, self, args, true)) return NULL;
    py_object *capsule = array_capsule(c.h, c.self, argument(&c, 0).i);
    if (!capsule && !py.PyErr_Occurred()) python_raise(c.h);
    value_release(c.h->vm, c.args);
    value_release(c.h->vm, c.self);
    return capsule;
}

CALLBACK_ON_ANY_THREAD(run_requests) {
    python_host *h = py.PyCapsule_GetPointer(self, stand_in_host_name);
    if (h->vm && on_session_thread(h)) python_run_requests_at(h, py.PyTuple_GetItem(args, 0));
    return py_keep(py.none);
}

/* arrow(array): (schema, device array). */
CALLBACK(arrow) {
    incoming c;
    if (!receive(&c, self, args, true)) return NULL;
    py_object *pair = array_columns(c.h, c.self);
    if (!pair && !py.PyErr_Occurred()) python_raise(c.h);
    value_release(c.h->vm, c.args);
    value_release(c.h->vm, c.self);
    return pair;
}

#define ROW(name) \
    { "_gpa_" #name, callback_##name, PY_VARARGS, NULL }
static py_method callbacks[] = {
    ROW(call),  ROW(getattr), ROW(setattr),      ROW(method),  ROW(repr),           ROW(str),
    ROW(dir),   ROW(hash),    ROW(truth),        ROW(iter),    ROW(next),           ROW(parameters),
    ROW(write), ROW(flush),   ROW(input),        ROW(display), ROW(figure_setting), ROW(memory),
    ROW(host),  ROW(dlpack),  ROW(clear),        ROW(report),  ROW(request),        ROW(has_comms),
    ROW(comm),  ROW(arrow),   ROW(run_requests), ROW(magic)};

bool python_install_callbacks(python_host *h) {
    py_object *self = py.PyCapsule_New(h, stand_in_host_name, NULL);
    bool ok = self != NULL;
    for (size_t i = 0; i < COUNT_OF(callbacks) && ok; i++) {
        py_object *fn = py.PyCFunction_NewEx(&callbacks[i], self, NULL);
        ok = fn && !py.PyDict_SetItemString(h->names, callbacks[i].name, fn);
        py_drop(fn);
    }
    h->self = self;
    return ok;
}
