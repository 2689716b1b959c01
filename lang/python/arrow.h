/* Arrays as Arrow's columns (C data interface and C device data interface, in capsules). */
#ifndef GPA_PYTHON_ARROW_H
#define GPA_PYTHON_ARROW_H

#include "lang/python/host.h"

/* (capsule of the schema, capsule of the device array) of an array of one dimension whose elements
 * are adjacent, at `at`; `owner` is released with it. NULL: Python has raised. */
py_object *arrow_export_take(const gpa_arr *a, arr_location at, py_object *owner);

#endif
