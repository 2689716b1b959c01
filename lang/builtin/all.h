/* Declarations of the native functions, one per row of the tables. The files that define them
 * include this, so that a row and its function agree. */
#ifndef GPA_BUILTIN_ALL_H
#define GPA_BUILTIN_ALL_H

#include "lang/builtin/tables.h"

#define FN(owner, name, fn, signature, doc) gpa_code fn(gpa_vm *vm, value *argv, value *out);
#define STATIC(owner, name, fn, signature, doc) gpa_code fn(gpa_vm *vm, value *argv, value *out);
#define PROP(owner, name, fn, doc) gpa_code fn(gpa_vm *vm, value *argv, value *out);
#define CONST(owner, name, value, doc)
#include "lang/builtin/all.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST

/* Returns a new value through *out: UNSET means that its allocation failed. */
static inline gpa_code native_give(value v, value *out) {
    *out = v;
    return v.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* The type of a value, as the `aux` of a TYPE; and whether a value is an instance of a type. */
uint32_t type_of(value v);
bool type_matches(value v, uint32_t aux);
/* Truncates a float to an int, with int()'s errors. */
gpa_code int_of_float(gpa_vm *vm, double f, value *out);
gpa_code int_too_large(gpa_vm *vm);
/* Stable sort of a list in place: sorted() and list.sort() (key NONE: the items themselves). */
gpa_code list_sort(gpa_vm *vm, list_obj *l, value key, bool reverse);
/* Adds the pairs of an iterable or the entries of a mapping to a dict: dict(), update(). */
gpa_code dict_update_from(gpa_vm *vm, dict_obj *d, value from);
/* Writes text to an open file or a standard stream: print(file=...). */
gpa_code file_put(gpa_vm *vm, value file, const char *text, size_t n);

#endif
