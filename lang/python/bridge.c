/* The bridge's table (lang/vm/foreign.h): imports, types, attributes of Python's objects. */
#include "lang/vm/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/object/container.h"
#include "lang/python/operators.h"
#include "lang/python/threads.h"

/* ---- imports ---- */

/* Python searches the folders of gpa's sys.path too. */
static gpa_code extend_path(python_host *h) {
    value nothing = v_none();
    const module_obj *sys = vm_loaded_peek(h->vm, "sys");
    value path = sys ? module_get_text_peek(h->vm, sys, "path") : v_unset();
    py_object *list = path.tag == V_LIST ? to_python(h, path) : NULL;
    if (path.tag != V_LIST) return GPA_OK;
    if (!list) return vm_err(h->vm)->code;
    gpa_code rc = from_python_take(h, python_helper(h->extend_path, 1, &list), &nothing);
    value_release(h->vm, nothing);
    return rc;
}

static gpa_code import_module(gpa_vm *vm, const char *name, value *out) {
    python_host *h;
    *out = v_unset();
    gpa_code rc = python_host_get(vm, &h);
    if (rc) return rc;
    python_scope s = python_enter(h);
    rc = extend_path(h);
    if (!rc) rc = from_python_take(h, py.PyImport_ImportModule(name), out);
    python_leave(&s);
    if (rc == GPA_E_NO_MODULE)
        gpa_err_hint(vm_err(vm), "searched by CPython %s, %s", h->found.version,
                     h->found.executable);
    return rc;
}

static bool has(gpa_vm *vm, const char *module) {
    python_host *h;
    if (python_host_get(vm, &h)) {
        vm_clear_error(vm);
        return false;
    }
    python_scope s = python_enter(h);
    py_object *name = py.PyUnicode_DecodeUTF8(module, (py_size)strlen(module), NULL),
              *found = python_helper(h->has, 1, &name);
    bool is = found && py.PyObject_IsTrue(found) == 1;
    if (!found) py.PyErr_Clear();
    py_drop(found);
    python_leave(&s);
    return is;
}

static gpa_code member(gpa_vm *vm, value module, const char *name, value *out) {
    gpa_code rc = vm_attr(vm, module, name, out);
    if (!gpa_err_is(rc, GPA_E_ATTRIBUTE)) return rc;
    vm_clear_error(vm);
    value own = v_unset(); /* a submodule that is not imported yet */
    gpa_str full;
    str_init(&full);
    *out = v_unset();
    rc = vm_attr(vm, module, "__name__", &own);
    if (gpa_err_is(rc, GPA_E_ATTRIBUTE)) {
        vm_clear_error(vm);
        return GPA_OK;
    }
    if (!rc && own.tag == V_STR) str_printf(&full, "%s.%s", own.str->text, name);
    if (!rc && full.text) rc = import_module(vm, full.text, out);
    if (rc == GPA_E_NO_MODULE) {
        vm_clear_error(vm);
        rc = GPA_OK;
    }
    str_free(&full);
    value_release(vm, own);
    return rc;
}

static gpa_code exported(gpa_vm *vm, value module, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    value all = v_unset();
    py_object *list =
        python_helper(s.host->exported, 1, (py_object *[]){py_keep(proxy_peek(module))});
    gpa_code rc = from_python_take(s.host, list, &all);
    python_leave(&s);
    if (!rc) rc = vm_collect(vm, all, out);
    value_release(vm, all);
    return rc;
}

/* ---- operators and types ---- */

static gpa_code binary(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    return python_binary(vm, op, false, a, b, out);
}

static gpa_code update(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    return python_binary(vm, op, true, a, b, out);
}

static gpa_code absolute(gpa_vm *vm, value v, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    gpa_code rc = from_python_take(s.host, py.PyNumber_Absolute(proxy_peek(v)), out);
    python_leave(&s);
    return rc;
}

static gpa_code format(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *wanted = py.PyUnicode_DecodeUTF8(spec, (py_size)n, "replace"),
              *text = wanted ? py.PyObject_Format(proxy_peek(v), wanted) : NULL;
    gpa_code rc = python_text(s.host, text, out);
    py_drop(wanted);
    py_drop(text);
    python_leave(&s);
    return rc;
}

static gpa_code type(gpa_vm *vm, value v, value *out) {
    if (v.tag == V_EXCEPTION) v = v.exc->foreign;
    python_scope s = python_enter(python_host_peek(vm));
    gpa_code rc = proxy_new_take(s.host, py.PyObject_Type(proxy_peek(v)), out);
    python_leave(&s);
    return rc;
}

/* Calls one of Python's predicates on two objects (isinstance, issubclass). A class of gpa has a
 * counterpart if Python knows instances of it. */
static gpa_code test(gpa_vm *vm, int (*predicate)(py_object *, py_object *), value a, value b,
                     bool *out) {
    *out = false;
    python_scope s = python_enter(python_host_peek(vm));
    py_object *counterpart = b.tag == V_CLASS ? class_counterpart_peek(s.host, b) : NULL;
    if (b.tag == V_CLASS && !counterpart) {
        python_leave(&s);
        return GPA_OK;
    }
    py_object *x = to_python(s.host, a), *y = !x            ? NULL
                                              : counterpart ? py_keep(counterpart)
                                                            : to_python(s.host, b);
    int is = y ? predicate(x, y) : -1;
    gpa_code rc = !y ? vm_err(vm)->code : is < 0 ? python_fail(s.host) : GPA_OK;
    *out = is > 0;
    py_drop(x);
    py_drop(y);
    python_leave(&s);
    return rc;
}

static gpa_code test_instance(gpa_vm *vm, value v, value type, bool *out) {
    return test(vm, py.PyObject_IsInstance, v, type, out);
}

static gpa_code test_subclass(gpa_vm *vm, value type, value of, bool *out) {
    return test(vm, py.PyObject_IsSubclass, type, of, out);
}

static bool callable(gpa_vm *vm, value v) {
    python_scope s = python_enter(python_host_peek(vm));
    bool is = py.PyCallable_Check(proxy_peek(v));
    python_leave(&s);
    return is;
}

static bool overrides(value v) {
    int state = py.PyGILState_Ensure();
    py_object *type = py.PyObject_Type(proxy_peek(v)),
              *method = type ? py.PyObject_GetAttrString(type, "__array_ufunc__") : NULL;
    if (!method) py.PyErr_Clear();
    py_drop(type);
    py_drop(method);
    py.PyGILState_Release(state);
    return method != NULL;
}

static bool takes_over(gpa_vm *vm, value v, const char *function) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *name = py.PyUnicode_DecodeUTF8(function, (py_size)strlen(function), NULL),
              *found = NULL;
    if (name)
        found = python_helper(s.host->takes_over, 2, (py_object *[]){py_keep(proxy_peek(v)), name});
    const bool is = found && py.PyObject_IsTrue(found) == 1;
    if (!found) py.PyErr_Clear();
    py_drop(found);
    python_leave(&s);
    return is;
}

static gpa_code array(gpa_vm *vm, value v, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    gpa_code rc = array_of_protocol(s.host, proxy_peek(v), out);
    python_leave(&s);
    if (rc || out->tag == V_ARRAY) return rc;
    gpa_str text;
    str_init(&text);
    value dtype = v_unset();
    if (!vm_attr(vm, *out, "dtype", &dtype)) vm_str(vm, dtype, &text);
    vm_clear_error(vm);
    rc = vm_fail(vm, GPA_E_TYPE, "gpa has no arrays of dtype %s", text.text ? text.text : "object");
    str_free(&text);
    value_release(vm, dtype);
    value_release(vm, *out);
    *out = v_none();
    return rc;
}

static gpa_code dir(gpa_vm *vm, value v, void (*each)(void *user, const char *name, value v),
                    void *user) {
    python_scope s = python_enter(python_host_peek(vm));
    value all = v_unset(), list = v_unset();
    gpa_code rc = from_python_take(s.host, py.PyObject_Dir(proxy_peek(v)), &all);
    python_leave(&s);
    if (!rc) rc = vm_collect(vm, all, &list);
    for (size_t i = 0; !rc && i < list.list->count; i++)
        if (list.list->items[i].tag == V_STR) each(user, list.list->items[i].str->text, v_none());
    value_release(vm, all);
    value_release(vm, list);
    return rc;
}

static gpa_code inspect(gpa_vm *vm, value v, gpa_str facts[FOREIGN_FACTS]) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *all = python_helper(s.host->inspect, 1, (py_object *[]){py_keep(proxy_peek(v))});
    gpa_code rc = all ? GPA_OK : python_fail(s.host);
    for (int i = 0; i < FOREIGN_FACTS && !rc; i++)
        rc = python_text(s.host, py.PyTuple_GetItem(all, i), &facts[i]);
    py_drop(all);
    python_leave(&s);
    return rc;
}

/* ---- %python ---- */

static gpa_code describe(gpa_vm *vm, gpa_str *out) {
    python_found found;
    char why[256];
    if (!python_facts(vm, &found, why, sizeof why))
        str_printf(out, "no Python%s%s\n", *why ? ": " : "", why);
    else
        str_printf(out, "CPython %s, %s (%s)\n", found.version, found.executable,
                   python_host_peek(vm) ? "loaded" : "not loaded yet");
    return out->failed ? vm_no_memory(vm) : GPA_OK;
}

static gpa_code executable(gpa_vm *vm, gpa_str *out) {
    python_found found;
    char why[256];
    if (!python_facts(vm, &found, why, sizeof why))
        return vm_fail(vm, GPA_E_RUNTIME, "no Python%s%s", *why ? ": " : "", why);
    str_put(out, found.executable);
    return out->failed ? vm_no_memory(vm) : GPA_OK;
}

/* Cells share the names of Python's module __main__. */
static gpa_code run_cell(gpa_vm *vm, const char *text, size_t n, value *out) {
    python_host *h;
    gpa_code rc = python_host_get(vm, &h);
    if (rc) return rc;
    python_scope s = python_enter(h);
    py_object *main = py.PyImport_AddModule("__main__"),
              *names = main ? py.PyModule_GetDict(main) : NULL,
              *args[] = {py.PyUnicode_DecodeUTF8(text, (py_size)n, "replace"),
                         names ? py_keep(names) : NULL};
    rc = from_python_take(h, python_helper(h->run, 2, args), out);
    python_leave(&s);
    return rc;
}

/* Calls a helper, found by its offset in the host, if Python is loaded; text may be NULL: without
 * arguments. out (may be NULL) gets a str that it returns. */
static gpa_code call_helper_for(gpa_vm *vm, size_t helper, const char *text, gpa_str *out) {
    python_host *h = python_host_peek(vm);
    value result = v_none();
    if (!h) return GPA_OK;
    python_scope s = python_enter(h);
    py_object *fn = *(py_object **)((char *)h + helper),
              *arg = text ? py.PyUnicode_DecodeUTF8(text, (py_size)strlen(text), NULL) : NULL;
    gpa_code rc = from_python_take(h, python_helper(fn, text != NULL, &arg), &result);
    python_leave(&s);
    if (!rc && out && result.tag == V_STR) str_putn(out, result.str->text, result.str->size);
    value_release(vm, result);
    return rc ? rc : out && out->failed ? vm_no_memory(vm) : GPA_OK;
}

static gpa_code call_helper(gpa_vm *vm, size_t helper, const char *text) {
    return call_helper_for(vm, helper, text, NULL);
}

static gpa_code profile(gpa_vm *vm) {
    return call_helper(vm, offsetof(python_host, profile), NULL);
}

static gpa_code end_profile(gpa_vm *vm, const char *order, gpa_str *out) {
    return call_helper_for(vm, offsetof(python_host, end_profile), order, out);
}

static py_object *py_text(const char *text) {
    return py.PyUnicode_DecodeUTF8(text, (py_size)strlen(text), "replace");
}

static gpa_code comm(gpa_vm *vm, const gpa_comm *m) {
    python_host *h = python_host_peek(vm);
    value used = v_bool(false);
    if (!h) return GPA_E_UNSUPPORTED;
    python_scope s = python_enter(h);
    py_object *buffers = py.PyTuple_New((py_size)m->n_buffers);
    for (size_t i = 0; buffers && i < m->n_buffers; i++)
        py.PyTuple_SetItem(
            buffers, (py_size)i,
            py.PyBytes_FromStringAndSize(m->buffers[i].data, (py_size)m->buffers[i].n));
    py_object *args[] = {py_text(m->type), py_text(m->content), py_text(m->metadata), buffers};
    gpa_code rc = from_python_take(h, python_helper(h->comm_message, 4, args), &used);
    python_leave(&s);
    return rc ? rc : used.i ? GPA_OK : GPA_E_UNSUPPORTED;
}

/* At the end of a cell also the calls of other threads run that came while Python did not wait. */
static gpa_code show_figures(gpa_vm *vm) {
    python_host *h = python_host_peek(vm);
    if (h) {
        python_scope s = python_enter(h);
        if (h->requests) python_run_requests(h);
        python_leave(&s);
    }
    return call_helper(vm, offsetof(python_host, flush_figures), NULL);
}

static gpa_code use_plotting(gpa_vm *vm, const char *backend) {
    setenv("MPLBACKEND", backend, 1); /* for a Python that is loaded later */
    return call_helper(vm, offsetof(python_host, use_backend), backend);
}

static void finish(gpa_vm *vm) {
    if (call_helper(vm, offsetof(python_host, finish), NULL)) vm_clear_error(vm);
}

const foreign_language foreign = {.import = import_module,
                                  .has = has,
                                  .import_name = member,
                                  .names = exported,
                                  .binary = binary,
                                  .update = update,
                                  .unary = python_unary,
                                  .abs = absolute,
                                  .next = proxy_next,
                                  .format = format,
                                  .type = type,
                                  .is_instance = test_instance,
                                  .is_subclass = test_subclass,
                                  .derive = python_derive,
                                  .super = python_super,
                                  .exception = python_exception,
                                  .callable = callable,
                                  .overrides = overrides,
                                  .takes_over = takes_over,
                                  .array = array,
                                  .dir = dir,
                                  .inspect = inspect,
                                  .choose = python_choose,
                                  .describe = describe,
                                  .executable = executable,
                                  .run = run_cell,
                                  .profile = profile,
                                  .end_profile = end_profile,
                                  .show_figures = show_figures,
                                  .comm = comm,
                                  .use_plotting = use_plotting,
                                  .finish = finish,
                                  .free = python_host_free};
