/* Arrays in DLPack's capsules, versioned (1.x) and unversioned: elements of a GPU or of the host,
 * among them those of dtypes that NumPy lacks. */
#ifndef GPA_PYTHON_DLPACK_H
#define GPA_PYTHON_DLPACK_H

#include "lang/python/host.h"

/* True for a capsule that dlpack_import opens. */
bool dlpack_is_capsule(py_object *o);
/* The array of such a capsule, on its memory where a device can use that, else a copy. */
gpa_code dlpack_import(python_host *h, py_object *capsule, value *out);
/* A new capsule of an array at `at`; `owner` is released with it. NULL: Python has raised. */
py_object *dlpack_export_take(const gpa_arr *a, arr_location at, py_object *owner, bool versioned);

#endif
