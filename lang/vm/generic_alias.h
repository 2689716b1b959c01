/* Subscripted classes of NumPy: np.dtype[np.float64], np.number[Any] (types.GenericAlias). */
#ifndef GPA_VM_GENERIC_ALIAS_H
#define GPA_VM_GENERIC_ALIAS_H

#include "lang/object/kind.h"

extern const object_kind generic_alias_kind;

/* The alias of a class that takes `least` to `most` type arguments: those of the subscript `key`.
 * TypeError for another number of them. `*out` is a new reference. */
gpa_code generic_alias(gpa_vm *vm, value origin, value key, size_t least, size_t most, value *out);
/* The subscript of a built-in type: an alias of dtypes and their classes, an error for NumPy's
 * scalar types, which take no type arguments, and the type itself for the others, as list[int]. */
gpa_code type_getitem(gpa_vm *vm, value type, value key, value *out);

#endif
