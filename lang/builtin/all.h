/* The native functions of this folder: a declaration per row of the tables. Included by the files that define them,
 * so that a row and its function agree. */
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

#endif
