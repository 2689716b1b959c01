/* The CPython interpreter in this process: loading, entering and leaving, errors.
 *
 * The interpreter's lock (GIL) is held only between python_enter and python_leave, so threads of
 * Python libraries run while gpa computes. Functions that take or return a py_object are called in
 * between. All functions below are for the session's thread. */
#ifndef GPA_PYTHON_HOST_H
#define GPA_PYTHON_HOST_H

#include <pthread.h>

#include "lang/vm/machine.h"

#include "lang/python/capi.h"
#include "lang/python/find.h"

typedef struct python_host {
    gpa_vm *vm;
    python_found found;
    py_object *names; /* the globals of bootstrap.py */
#define HELPER(name) py_object *name;
#include "lang/python/helper.def"
#undef HELPER
    py_object *value_type;   /* of stand-ins: bootstrap.py's Value */
    unsigned nesting;        /* of the container that is being converted */
    unsigned depth;          /* python_enter calls that are open */
    py_object *counterparts; /* of classes, by their addresses; NULL: none (derive.c) */
    py_object *self;         /* the capsule by which Python's callbacks find the host */
    struct handle *handles;  /* of stand-ins; guarded by the GIL, as is dead */
    struct handle *dead;     /* dropped where their values cannot be released: that is to be done */
    pthread_t thread;        /* the session's */
    bool in_python;          /* that thread runs or waits in Python; guarded by the GIL */
    struct python_request *requests; /* calls of other threads (threads.c); guarded by the GIL */
    bool run_anywhere;  /* calls have waited for long; guarded by the GIL, as is waited */
    py_object *waited;  /* where that thread waited when it ran some, or NULL */
    gpa_str output[2];  /* what other threads wrote to stdout and stderr; guarded by the GIL */
    bool shares_memory; /* arrays have crossed: both languages may write to them */
} python_host;

/* A call into Python. */
typedef struct {
    python_host *host;
    int state;
    bool was_in_python;
    void (*interrupt)(void);
} python_scope;

/* The vm's interpreter, loaded at the first call; ModuleNotFoundError with a sentence if there is
 * none. */
gpa_code python_host_get(gpa_vm *vm, python_host **out);
/* The interpreter if it is loaded, else NULL. */
python_host *python_host_peek(const gpa_vm *vm);
/* Chooses the interpreter for the first import (an executable or an environment's folder).
 * GPA_E_RUNTIME if one is loaded already. */
gpa_code python_choose(gpa_vm *vm, const char *path);
/* The interpreter that is or would be loaded; false: `why` gets a sentence. */
bool python_facts(gpa_vm *vm, python_found *out, char *why, size_t n);
void python_host_free(gpa_vm *vm);

/* Takes the GIL. Pending work on arrays that Python can see is done before. */
python_scope python_enter(python_host *h);
void python_leave(python_scope *s);
/* Writes what other threads have written to Python's streams: the session's thread owns gpa's. */
void python_write_output(python_host *h);
/* Around calls from Python back into gpa: releases and takes the GIL. */
void *python_release_gil(python_host *h);
void python_acquire_gil(python_host *h, void *thread);

/* Turns the exception that Python has raised into the vm's error; returns its code. An exception
 * that came from gpa is raised again as it was. */
gpa_code python_fail(python_host *h);
/* The exception of gpa for an exception object or class of Python; UNSET for other objects. */
gpa_code python_exception(gpa_vm *vm, value v, value *out);
/* Raises the vm's error in Python and clears it. */
void python_raise(python_host *h);

/* Calls a helper of bootstrap.py with n arguments, which are consumed (NULL: an earlier failure).
 * NULL: Python has raised. */
py_object *python_helper(py_object *helper, size_t n, py_object **args);
/* Releases a reference; NULL is ignored. */
static inline void py_drop(py_object *o) {
    if (o) py.Py_DecRef(o);
}
static inline py_object *py_keep(py_object *o) {
    py.Py_IncRef(o);
    return o;
}

#endif
