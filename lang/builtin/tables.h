/* The built-in functions, methods, properties and constants: every row of the .def tables of this
 * folder, by owner.
 *
 * abi_hash.c includes each .def once. The rows of one owner stand together. Looking up costs a walk
 * along the table: the vm keeps what it found. */
#ifndef GPA_BUILTIN_TABLES_H
#define GPA_BUILTIN_TABLES_H

#include "lang/vm/native.h"

typedef enum {
#define MODULE(id, name, doc) OWNER_##id,
#define TYPE(id, name) OWNER_##id,
#include "lang/builtin/owners.def"
#undef MODULE
#undef TYPE
    OWNER_COUNT
} native_owner;

/* The owner's name, and the owner with a name ("math", "numpy.linalg", "list"): OWNER_COUNT when
 * there is none. */
const char *owner_name(native_owner o);
native_owner owner_find(const char *name);
bool owner_is_module(native_owner o);
/* What a module is for; "" for a type. */
const char *owner_doc(native_owner o);
/* Whose methods and properties a value has, and whose a type has (`list.append`); OWNER_COUNT:
 * none. A second place to look follows some: numpy's scalars have the methods of GENERIC, then
 * those of ARRAY; bool those of BOOL, then INT; frozenset those of FROZENSET, then SET. */
native_owner owner_of_value(value v);
native_owner owner_of_type(uint32_t aux);
native_owner owner_next(native_owner o);

/* The row with this name, or NULL. Looks in owner_next too. */
const native *native_find(native_owner o, const char *name);
/* Whether a value may be the first argument of a method's row: `list.append(5, 1)` must not reach
 * its function. A type may be that of "__new__". */
bool native_takes(const native *row, value self);
/* The owner's own rows, for dir() and completion. */
const native *native_rows(native_owner o, size_t *n);

/* A constant of a module: its value is made at each call. */
typedef struct {
    const char *owner, *name, *doc;
} native_const;
const native_const *native_consts(native_owner o, size_t *n);
/* "" when the module has no such constant. */
const char *native_const_doc(native_owner o, const char *name);
/* UNSET (and GPA_OK) when the module has no such constant. */
gpa_code native_const_value(gpa_vm *vm, native_owner o, const char *name, value *out);

/* The kinds of OBJECT values that have a type value: lang/builtin/kinds.def. */
typedef enum {
#define KIND(id, variable) OBJECT_##id,
#include "lang/builtin/kinds.def"
#undef KIND
    OBJECT_KINDS
} object_kind_index;
extern const object_kind *const object_kinds[OBJECT_KINDS + 1];

/* Python's name of a type value: "int", "numpy.float32", "ValueError". */
const char *type_name(uint32_t aux);

#endif
