/* Tables of built-in functions, methods, properties and constants: the rows of the .def files, by
 * owner.
 *
 * The rows of one owner are adjacent. A lookup is a linear search; the vm caches its result. */
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

/* The owner's name, and the owner with a name ("math", "numpy.linalg", "list"), OWNER_COUNT if
 * there is none. */
const char *owner_name(native_owner o);
native_owner owner_find(const char *name);
bool owner_is_module(native_owner o);
/* Docstring of a module; "" for a type. */
const char *owner_doc(native_owner o);
/* The owner of the methods and properties of a value, and of a type (`list.append`); OWNER_COUNT:
 * none. owner_next continues the lookup: NumPy's scalars have the methods of GENERIC, then those of
 * ARRAY; bool those of BOOL, then INT; frozenset those of FROZENSET, then SET. */
native_owner owner_of_value(value v);
native_owner owner_of_type(uint32_t aux);
native_owner owner_next(native_owner o);

/* The row with this name, or NULL; follows owner_next. */
const native *native_find(native_owner o, const char *name);
/* True if a value may be the first argument of a method's row: `list.append(5, 1)` must not reach
 * its function. "__new__" also takes types. */
bool native_takes(const native *row, value self);
/* The owner's own rows, for dir() and completion. */
const native *native_rows(native_owner o, size_t *n);

/* A constant of a module; its value is created at each access. */
typedef struct {
    const char *owner, *name, *doc;
} native_const;
const native_const *native_consts(native_owner o, size_t *n);
/* "" if the module has no such constant. */
const char *native_const_doc(native_owner o, const char *name);
/* UNSET (and GPA_OK) if the module has no such constant. */
gpa_code native_const_value(gpa_vm *vm, native_owner o, const char *name, value *out);

/* Kinds of OBJECT values with a type value: lang/builtin/kinds.def. */
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
