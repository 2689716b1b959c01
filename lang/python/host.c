/* Loading, entering and leaving the interpreter. */
#include "lang/python/host.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/python/convert.h"
#include "lang/vm/foreign.h"
#include "lang/vm/record.h"

/* bootstrap.py with its other parts, and notebook.py, which the assembler includes. */
extern const char python_bootstrap[], python_notebook[];
__asm__(
    ".section .rodata; python_bootstrap:; .incbin \"lang/python/bootstrap.py\"; "
    ".incbin \"lang/python/arrays.py\"; .incbin \"lang/python/displays.py\"; .byte 0; "
    "python_notebook:; .incbin \"lang/python/notebook.py\"; .byte 0; .previous");

struct python_state {
    python_host *host; /* NULL: not loaded */
    char *chosen;      /* python_choose */
    gpa_err why;       /* why it could not be loaded; no code: it was not tried */
};

static struct python_state *state_of(gpa_vm *vm) {
    if (!vm->foreign) vm->foreign = mem_zero(sizeof(struct python_state));
    return vm->foreign;
}

python_host *python_host_peek(const gpa_vm *vm) {
    const struct python_state *s = vm->foreign;
    return s ? s->host : NULL;
}

bool python_facts(gpa_vm *vm, python_found *out, char *why, size_t n) {
    const struct python_state *s = vm->foreign;
    if (s && s->host) {
        *out = s->host->found;
        return true;
    }
    return python_find(s ? s->chosen : NULL, out, why, n);
}

gpa_code python_choose(gpa_vm *vm, const char *path) {
    struct python_state *s = state_of(vm);
    python_found found;
    char why[256];
    if (!s) return vm_no_memory(vm);
    if (s->host)
        return vm_fail(vm, GPA_E_RUNTIME,
                       "CPython %s (%s) is loaded already; start again to use another",
                       s->host->found.version, s->host->found.executable);
    if (!python_find(path, &found, why, sizeof why)) return vm_fail(vm, GPA_E_OS, "%s", why);
    char *copy = mem_text(path, strlen(path));
    if (!copy) return vm_no_memory(vm);
    mem_free(s->chosen);
    s->chosen = copy;
    gpa_err_clear(&s->why);
    return GPA_OK;
}

/* ---- loading ---- */

/* Initializes the interpreter of an environment: Python searches its executable as the first
 * python3 on PATH, and the environment by the pyvenv.cfg next to that. */
static void initialize(const char *executable) {
    const char *path = getenv("PATH"), *slash = strrchr(executable, '/');
    char *before = path ? mem_text(path, strlen(path)) : NULL;
    gpa_str with;
    str_init(&with);
    str_printf(&with, "%.*s:%s", slash ? (int)(slash - executable) : 1, slash ? executable : ".",
               path ? path : "");
    if (!with.failed) setenv("PATH", with.text, 1);
    py.Py_InitializeEx(0); /* without its own signal handlers */
    if (before) setenv("PATH", before, 1);
    mem_free(before);
    str_free(&with);
}

static bool run_bootstrap(python_host *h) {
    py_object *module = py.PyImport_AddModule("gpa"), *compiled = NULL, *result = NULL,
              *notebook = NULL;
    h->names = module ? py.PyModule_GetDict(module) : NULL;
    py_object *builtins = h->names ? py.PyImport_ImportModule("builtins") : NULL;
    if (!builtins || py.PyDict_SetItemString(h->names, "__builtins__", builtins)) goto out;
    if (!python_install_callbacks(h)) goto out;
    notebook = py.PyUnicode_DecodeUTF8(python_notebook, (py_size)strlen(python_notebook), NULL);
    if (!notebook || py.PyDict_SetItemString(h->names, "_notebook_text", notebook)) goto out;
    compiled = py.Py_CompileString(python_bootstrap, "<gpa bridge>", PY_FILE_INPUT);
    result = compiled ? py.PyEval_EvalCode(compiled, h->names, h->names) : NULL;
    if (!result) goto out;
#define HELPER(name)                                        \
    h->name = py.PyDict_GetItemString(h->names, "_" #name); \
    if (!h->name) goto out;
#include "lang/python/helper.def"
#undef HELPER
    h->value_type = py.PyDict_GetItemString(h->names, "Value");
out:
    py_drop(builtins);
    py_drop(notebook);
    py_drop(compiled);
    py_drop(result);
    return h->value_type != NULL;
}

/* Installs Python's SIGINT handler temporarily: Python raises KeyboardInterrupt only if it has one.
 */
static bool start(python_host *h) {
    struct sigaction ours;
    sigaction(SIGINT, NULL, &ours);
    value methods;
    if (record_mime_methods(h->vm, &methods)) return false;
    py_object *args[] = {py.PyUnicode_DecodeUTF8("", 0, NULL), to_python(h, methods)};
    value_release(h->vm, methods);
    py_object *done = python_helper(h->start, 2, args);
    sigaction(SIGINT, &ours, NULL);
    py_drop(done);
    return done != NULL;
}

static gpa_code load(gpa_vm *vm, struct python_state *s, python_host *h) {
    char why[400] = "";
    gpa_code rc =
        GPA_OK; /* ModuleNotFoundError gives the message as its hint: one short sentence */
    if (!python_find(s->chosen, &h->found, why, sizeof why)) {
        rc = vm_fail(vm, GPA_E_NO_MODULE,
                     *why ? "no Python: %.110s; GPA_PYTHON names another" : "no Python%s", why);
        if (*why) gpa_err_hint(vm_err(vm), "GPA_PYTHON names a Python 3 with a shared library");
    } else if (!py.Py_IsInitialized && !capi_open(h->found.library, why, sizeof why)) {
        rc = vm_fail(vm, GPA_E_NO_MODULE,
                     "%.70s has no shared library: apt install libpython3.%d (Debian), or name "
                     "another Python with GPA_PYTHON",
                     h->found.executable, python_minor(&h->found));
        gpa_err_hint(vm_err(vm), "%.158s", why);
    }
    if (rc) return rc;
    bool first = !py.Py_IsInitialized();
    int state = 0;
    if (first)
        initialize(h->found.executable);
    else
        state = py.PyGILState_Ensure();
    rc = run_bootstrap(h) && start(h) ? GPA_OK : python_fail(h);
    if (first)
        py.PyEval_SaveThread();
    else
        py.PyGILState_Release(state);
    return rc;
}

gpa_code python_host_get(gpa_vm *vm, python_host **out) {
    struct python_state *s = state_of(vm);
    if (s && (*out = s->host)) return GPA_OK;
    if (s && s->why.code) {
        *vm_err(vm) = s->why;
        return s->why.code;
    }
    python_host *h = s ? mem_zero(sizeof *h) : NULL;
    if (!h) return vm_no_memory(vm);
    h->vm = vm;
    h->thread = pthread_self();
    for (int i = 0; i < 2; i++) str_init(&h->output[i]);
    gpa_code rc = load(vm, s, h);
    if (rc) s->why = *vm_err(vm);
    if (rc)
        mem_free(h);
    else
        *out = s->host = h;
    return rc;
}

void python_host_free(gpa_vm *vm) {
    struct python_state *s = vm->foreign;
    if (!s) return;
    if (s->host) {
        python_scope scope = python_enter(s->host);
        stand_in_end(s->host);
        python_leave(&scope);
        for (int i = 0; i < 2; i++) str_free(&s->host->output[i]);
    }
    mem_free(s->host);
    mem_free(s->chosen);
    mem_free(s);
    vm->foreign = NULL;
}

/* ---- entering and leaving ---- */

void python_write_output(python_host *h) {
    for (int i = 0; i < 2; i++) {
        gpa_str *text = &h->output[i];
        if (text->len) vm_write(h->vm, i == 1, text->text, text->len);
        str_truncate(text, 0);
    }
}

python_scope python_enter(python_host *h) {
    gpa_vm *vm = h->vm;
    if (h->shares_memory) rt_finish_shared(vm->core.rt);
    python_scope s = {.host = h, .interrupt = atomic_load(&vm->foreign_interrupt)};
    s.state = py.PyGILState_Ensure();
    s.was_in_python = h->in_python;
    h->in_python = true;
    h->depth++;
    atomic_store(&vm->foreign_interrupt, py.PyErr_SetInterrupt);
    if (h->dead) stand_in_collect(h);
    python_write_output(h);
    return s;
}

void python_leave(python_scope *s) {
    python_host *h = s->host;
    gpa_vm *vm = h->vm;
    atomic_store(&vm->foreign_interrupt, s->interrupt);
    python_write_output(h);
    h->in_python = s->was_in_python;
    if (--h->depth == 0 && vm_interrupted(vm) && py.PyErr_CheckSignals())
        py.PyErr_Clear(); /* the interrupt came too late for Python: gpa raises it */
    py.PyGILState_Release(s->state);
    if (h->shares_memory) rt_invalidate_shared(vm->core.rt);
}

void *python_release_gil(python_host *h) {
    h->in_python = false;
    atomic_store(&h->vm->foreign_interrupt, NULL);
    void *thread = py.PyEval_SaveThread();
    if (h->shares_memory) rt_invalidate_shared(h->vm->core.rt);
    return thread;
}

void python_acquire_gil(python_host *h, void *thread) {
    if (h->shares_memory) rt_finish_shared(h->vm->core.rt);
    py.PyEval_RestoreThread(thread);
    h->in_python = true;
    atomic_store(&h->vm->foreign_interrupt, py.PyErr_SetInterrupt);
}

py_object *python_helper(py_object *helper, size_t n, py_object **args) {
    bool ok = true;
    for (size_t i = 0; i < n; i++) ok = ok && args[i];
    py_object *tuple = ok ? py.PyTuple_New((py_size)n) : NULL;
    for (size_t i = 0; i < n; i++) {
        if (tuple)
            py.PyTuple_SetItem(tuple, (py_size)i, args[i]); /* consumes it */
        else
            py_drop(args[i]);
    }
    py_object *result = tuple ? py.PyObject_Call(helper, tuple, NULL) : NULL;
    py_drop(tuple);
    return result;
}
