/* Lookup of native functions, methods, properties and constants by owner and name.
 *
 * The rows are those of the .def tables (lang/vm/native.h), which lang/library/natives.c expands;
 * the rows of one owner are consecutive. Lookup is a linear scan: the vm caches its results. */
#ifndef GPA_VM_NATIVE_TABLE_H
#define GPA_VM_NATIVE_TABLE_H

#include "lang/vm/native.h"

typedef enum {
#define MODULE(id, name, doc) OWNER_##id,
#define TYPE(id, name) OWNER_##id,
#include "lang/vm/owners.def"
#undef MODULE
#undef TYPE
    OWNER_COUNT
} native_owner;

/* The owner's name, and the owner with a name ("math", "numpy.linalg", "list"), OWNER_COUNT if
 * there is none. */
const char *owner_name(native_owner o);
native_owner owner_find(const char *name);
bool owner_is_module(native_owner o);
/* Docstring of a module; "" for a type. */
const char *owner_doc(native_owner o);
/* The owner of a value's methods and properties, and that of a type (`list.append`); OWNER_COUNT:
 * none. Some owners have a base, owner_next: NumPy's scalars GENERIC, then ARRAY; bool BOOL, then
 * INT; frozenset FROZENSET, then SET. */
native_owner owner_of_value(value v);
native_owner owner_of_type(uint32_t aux);
native_owner owner_next(native_owner o);

/* The row with this name, or NULL. Searches base owners, too. */
const native *native_find(native_owner o, const char *name);
/* True if a value may be the receiver of a method's row: `list.append(5, 1)` must not reach its
 * function. A type may be that of "__new__". */
bool native_takes(const native *row, value self);
/* The owner's own rows, for dir() and completion. */
const native *native_rows(native_owner o, size_t *n);

/* A constant of a module: its value is created at each lookup. */
typedef struct {
    const char *owner, *name, *doc;
} native_const;
const native_const *native_consts(native_owner o, size_t *n);
/* "" if the module has no such constant. */
const char *native_const_doc(native_owner o, const char *name);
/* UNSET (and GPA_OK) if the module has no such constant. */
gpa_code native_const_value(gpa_vm *vm, native_owner o, const char *name, value *out);

/* The index of a kind in object_kinds: the kinds that have a type value. */
typedef enum {
#define KIND(id, variable) OBJECT_##id,
#include "lang/vm/kinds.def"
#undef KIND
    OBJECT_KINDS
} object_kind_index;

/* ---- the registry ---- (lang/library/natives.c) */

#define MODULE(id, name, doc) extern const char owner_##id[];
#define TYPE(id, name) extern const char owner_##id[];
#include "lang/vm/owners.def"
#undef MODULE
#undef TYPE
extern const native native_rows_all[];         /* terminated by a row with owner NULL */
extern const native_const native_consts_all[]; /* likewise */
/* The value of a constant, which its expression in the table makes; UNSET on failure. */
value native_make_const(gpa_vm *vm, const char *owner, const char *name);

#endif
