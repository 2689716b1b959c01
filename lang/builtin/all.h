/* Declarations of the native functions, one per row of the tables. The files that define them
 * include this, so that a row and its function agree. */
#ifndef GPA_BUILTIN_ALL_H
#define GPA_BUILTIN_ALL_H

#include "lang/vm/native_table.h"

#include "lang/vm/declare_natives.inc"
#include "lang/builtin/all.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST

/* Adds the pairs of an iterable or the entries of a dict to a dict: dict(), update(). */
gpa_code dict_update_from(gpa_vm *vm, dict_obj *d, value from);
/* Writes text to an open file or a standard stream: print(file=...). */
gpa_code file_put(gpa_vm *vm, value file, const char *text, size_t n);

#endif
