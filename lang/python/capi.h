/* CPython's C interface, found in a shared library at run time (stable ABI; no header of Python's).
 *
 * The interpreter exists once in a process and is never finalized: extension modules do not survive
 * that. All fields of `py` are NULL until capi_open. */
#ifndef GPA_PYTHON_CAPI_H
#define GPA_PYTHON_CAPI_H

#include <stdbool.h>
#include <stddef.h>

typedef struct py_object py_object; /* PyObject */
typedef ptrdiff_t py_size;          /* Py_ssize_t */

/* PyMethodDef. */
typedef struct {
    const char *name;
    py_object *(*fn)(py_object *self, py_object *args);
    int flags;
    const char *doc;
} py_method;

enum { PY_VARARGS = 1 };                           /* METH_VARARGS */
enum { PY_LT, PY_LE, PY_EQ, PY_NE, PY_GT, PY_GE }; /* Py_LT ... */
enum { PY_FILE_INPUT = 257 };                      /* Py_file_input */

typedef struct {
#define CAPI(result, name, parameters) result(*name) parameters;
#define CAPI_OBJECT(name, field) py_object *field;
#define CAPI_VARIABLE(name, field) py_object *field;
#include "lang/python/capi.def"
#undef CAPI
#undef CAPI_OBJECT
#undef CAPI_VARIABLE
} python_capi;

extern python_capi py;

/* Loads the shared library `path` and fills `py`. On failure `why` (n bytes) gets the reason. */
bool capi_open(const char *path, char *why, size_t n);

#endif
