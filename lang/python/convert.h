/* Values across the languages.
 *
 * None, bools, ints, floats, complex numbers, str, bytes, slices and tuples cross by value. Lists,
 * dicts and sets cross by value into Python, and stay Python's objects behind proxies on the way
 * back, as all other objects do. Arrays share their memory. Values of gpa that Python has no type
 * for (functions, instances, generators) are stand-ins there (stand_in.h). */
#ifndef GPA_PYTHON_CONVERT_H
#define GPA_PYTHON_CONVERT_H

#include "lang/python/host.h"

/* A value as a new reference; NULL: the vm has the error. */
py_object *to_python(python_host *h, value v);
/* n values as a tuple, and named arguments as a dict. */
py_object *to_python_tuple(python_host *h, size_t n, const value *values);
gpa_code to_python_named(python_host *h, const call_args *a, py_object **out);
/* A Python object as a value; the reference is consumed. NULL: Python has raised, and the vm gets
 * the error. */
gpa_code from_python_take(python_host *h, py_object *o, value *out);
/* A str's text as UTF-8; surrogates become question marks. The vm has the error. */
gpa_code python_text(python_host *h, py_object *o, gpa_str *out);

/* Arrays (array.c). *out NULL or UNSET: it is no array that both languages know. */
py_object *array_to_python(python_host *h, value v);
gpa_code array_from_python(python_host *h, py_object *o, value *out);
/* The array of any object with an array protocol (numpy.asarray, DLPack, __cuda_array_interface__);
 * another value: its dtype is none of gpa's. */
gpa_code array_of_protocol(python_host *h, py_object *o, value *out);
/* Functions of the class Array of arrays.py (callback.c). array_capsule, NULL: Python or the vm
 * has the error. */
gpa_code array_memory(gpa_vm *vm, value v, value *out);
gpa_code array_on_host(gpa_vm *vm, value v, value *out);
py_object *array_capsule(python_host *h, value v, bool versioned);
py_object *array_columns(python_host *h, value v); /* of contiguous vectors: Arrow's capsules */
/* A NumPy scalar from its dtype's name and Python's number. */
gpa_code scalar_from_python(python_host *h, py_object *facts, value *out);

/* Proxies (proxy.c): a new one, which consumes the reference; the Python object of a proxy,
 * borrowed. */
gpa_code proxy_new_take(python_host *h, py_object *o, value *out);
py_object *proxy_peek(value v);

/* Stand-ins (stand_in.c): a value as an object of Python; the value of a stand-in, borrowed, UNSET
 * for other objects. */
py_object *stand_in_new(python_host *h, value v);
value stand_in_peek(python_host *h, py_object *o);
/* Releases values whose stand-ins were freed by other threads. */
void stand_in_collect(python_host *h);
/* Releases the values of all stand-ins: the session ends. */
void stand_in_end(python_host *h);

/* Puts the functions that Python's code calls (callback.c) into its globals. */
bool python_install_callbacks(python_host *h);

#endif
