/* Exceptions across the languages.
 *
 * An exception of Python becomes one of gpa: of the nearest built-in type, with the object itself
 * in `foreign`, so that its attributes are there, `except requests.HTTPError` finds it, and Python
 * gets the same object back when the exception crosses again. One of gpa that passes through
 * Python carries its object in the attribute __gpa__. */
#include "lang/object/container.h"
#include "lang/python/convert.h"
#include "lang/vm/step.h"

static gpa_code raise_gpa_again(python_host *h, value exc) {
    raise_again(h->vm, value_retain(exc));
    h->vm->trace_skip = false;
    return vm_err(h->vm)->code;
}

/* The code of the first type among these names (a list of str) that gpa has. */
static gpa_code code_of(python_host *h, py_object *names) {
    gpa_code known = GPA_OK;
    for (py_size i = 0; i < py.PyList_Size(names) && !known; i++) {
        gpa_str name;
        str_init(&name);
        if (python_text(h, py.PyList_GetItem(names, i), &name)) vm_clear_error(h->vm);
        if (!name.failed && name.text) known = gpa_err_find(name.text);
        str_free(&name);
    }
    return known ? known : GPA_E_RUNTIME;
}

/* The arguments of an exception: Python's, if its message is made of them as gpa makes it, else the
 * message. */
static value arguments_of(python_host *h, py_object *exc, bool plain, const gpa_str *message) {
    gpa_vm *vm = h->vm;
    value args = v_unset();
    py_object *own = plain ? py.PyObject_GetAttrString(exc, "args") : NULL;
    if (own && !from_python_take(h, own, &args) && args.tag == V_TUPLE) return args;
    value_release(vm, args);
    if (vm_err(vm)->code) vm_clear_error(vm);
    py.PyErr_Clear();
    value one = v_str(vm, message->text ? message->text : "", message->len);
    args = one.tag == V_UNSET ? one : v_tuple(vm, message->len != 0, &one);
    value_release(vm, one);
    return args;
}

/* The report of Python's frames becomes a note of the exception. */
static gpa_code add_frames(python_host *h, py_object *frames, exc_obj *x) {
    gpa_str text;
    str_init(&text);
    str_put(&text, "in Python, most recent call last:\n");
    size_t head = text.len;
    gpa_code rc = python_text(h, frames, &text);
    while (text.len && text.text[text.len - 1] == '\n') str_truncate(&text, text.len - 1);
    if (!rc && text.len > head) {
        value note = v_str(h->vm, text.text, text.len);
        x->notes = note.tag == V_UNSET ? v_none() : v_list(h->vm, 1, &note);
        value_release(h->vm, note);
        if (x->notes.tag == V_UNSET) x->notes = v_none(), rc = vm_err(h->vm)->code;
    }
    str_free(&text);
    return rc;
}

/* facts: what _describe of bootstrap.py returns. */
static gpa_code exception_of_facts(python_host *h, py_object *exc, py_object *facts, value *out) {
    gpa_vm *vm = h->vm;
    gpa_str name, message;
    str_init(&name);
    str_init(&message);
    value x = v_unset(), args = v_unset();
    gpa_code rc = python_text(h, py.PyTuple_GetItem(facts, 0), &name);
    if (!rc) rc = python_text(h, py.PyTuple_GetItem(facts, 1), &message);
    if (!rc) {
        gpa_code known = code_of(h, py.PyTuple_GetItem(facts, 2));
        args = arguments_of(h, exc, py.PyTuple_GetItem(facts, 4) == py.true_, &message);
        if (args.tag != V_UNSET) x = v_exception(vm, known, args);
        rc = x.tag == V_UNSET ? vm_no_memory(vm) : GPA_OK;
    }
    if (!rc) rc = proxy_new_take(h, py_keep(exc), &x.exc->foreign);
    if (!rc) {
        gpa_sym s = intern_get(vm->core.names, name.text, name.len);
        x.exc->foreign_name = s ? intern_text(vm->core.names, s) : NULL;
        rc = add_frames(h, py.PyTuple_GetItem(facts, 3), x.exc);
    }
    if (!rc) rc = raise_describe(vm, x.exc);
    if (rc)
        value_release(vm, x);
    else
        *out = x;
    value_release(vm, args);
    str_free(&name);
    str_free(&message);
    return rc;
}

/* The exception of gpa that stands for one of Python. */
static gpa_code exception_from_python(python_host *h, py_object *exc, value *out) {
    py_object *facts = python_helper(h->describe, 1, (py_object *[]){py_keep(exc)});
    gpa_code rc =
        facts ? exception_of_facts(h, exc, facts, out)
              : vm_fail(h->vm, GPA_E_RUNTIME, "Python failed, and describing its exception too");
    if (!facts) py.PyErr_Clear();
    py_drop(facts);
    return rc;
}

gpa_code python_exception(gpa_vm *vm, value v, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    python_host *h = s.host;
    py_object *o = py_keep(proxy_peek(v)), *type = py.PyObject_Type(py.base_exception);
    if (py.PyObject_IsInstance(o, type) == 1) { /* a class: called without arguments */
        py_object *made = python_helper(o, 0, NULL);
        py_drop(o);
        o = made;
    }
    py_drop(type);
    *out = v_unset();
    gpa_code rc = GPA_OK;
    if (!o)
        rc = python_fail(h);
    else if (py.PyObject_IsInstance(o, py.base_exception) == 1)
        rc = exception_from_python(h, o, out);
    py_drop(o);
    python_leave(&s);
    return rc;
}

gpa_code python_fail(python_host *h) {
    gpa_vm *vm = h->vm;
    py_object *type, *exc, *traceback;
    if (vm_err(vm)->code && !py.PyErr_Occurred()) return vm_err(vm)->code;
    vm_clear_error(vm);
    py.PyErr_Fetch(&type, &exc, &traceback);
    py.PyErr_NormalizeException(&type, &exc, &traceback);
    gpa_code rc = GPA_OK;
    if (!exc) {
        rc = vm_fail(vm, GPA_E_RUNTIME, "Python failed without an exception");
    } else if (py.PyObject_IsInstance(exc, py.keyboard_interrupt) == 1) {
        vm_interrupt_clear(vm);
        rc = gpa_interrupted(vm_err(vm));
    }
    if (!rc && traceback) py.PyException_SetTraceback(exc, traceback);
    py_object *ours = rc ? NULL : py.PyObject_GetAttrString(exc, "__gpa__");
    if (!rc && !ours) py.PyErr_Clear();
    value back = ours ? stand_in_peek(h, ours) : v_unset();
    if (back.tag == V_EXCEPTION) rc = raise_gpa_again(h, back);
    py_drop(ours);
    value made = v_unset();
    if (!rc && h->describe)
        rc = exception_from_python(h, exc, &made);
    else if (!rc)
        rc = vm_fail(vm, GPA_E_RUNTIME, "Python's side of the bridge failed");
    if (made.tag != V_UNSET) {
        rc = raise_again(vm, made);
        vm->trace_skip = false;
    }
    py_drop(type);
    py_drop(exc);
    py_drop(traceback);
    return rc;
}

/* The exception object that stands for the vm's exception in Python. */
static py_object *foreign_of(python_host *h, value exc) {
    gpa_vm *vm = h->vm;
    const exc_obj *x = exc.exc;
    if (x->foreign.tag == V_OBJECT) return py_keep(proxy_peek(x->foreign));
    py_object *names = py.PyList_New(0), *made = NULL;
    value chain[16];
    size_t n = 0;
    for (gpa_code c = x->code; c && n < COUNT_OF(chain); c = gpa_err_parent(c))
        chain[n++] = v_cstr(vm, gpa_err_name(c));
    py_drop(names);
    names = to_python_tuple(h, n, chain);
    for (size_t i = 0; i < n; i++) value_release(vm, chain[i]);
    py_object *args[] = {
        names, py.PyUnicode_DecodeUTF8(x->err.msg, (py_size)strlen(x->err.msg), "replace"),
        to_python(h, x->args)};
    if (!args[2]) vm_clear_error(vm), args[2] = py.PyTuple_New(0);
    made = python_helper(h->exception, 3, args);
    py_object *stand_in = made ? stand_in_new(h, exc) : NULL;
    if (stand_in && py.PyObject_SetAttrString(made, "__gpa__", stand_in)) py.PyErr_Clear();
    py_drop(stand_in);
    return made;
}

void python_raise(python_host *h) {
    gpa_vm *vm = h->vm;
    bool interrupt = vm_err(vm)->code == GPA_E_INTERRUPT;
    value exc = raise_take(vm);
    py_object *made = exc.tag == V_EXCEPTION ? foreign_of(h, exc) : NULL;
    if (made && !interrupt) {
        py_object *type = py.PyObject_Type(made);
        py.PyErr_SetObject(type, made);
        py_drop(type);
    } else if (interrupt) {
        py.PyErr_SetObject(py.keyboard_interrupt, py.none);
    } else if (!py.PyErr_Occurred()) {
        py.PyErr_NoMemory();
    }
    vm_clear_error(vm);
    py_drop(made);
    value_release(vm, exc);
}
