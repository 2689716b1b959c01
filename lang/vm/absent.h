/* Names that gpa's modules do not have, for hints of errors. */
#ifndef GPA_VM_ABSENT_H
#define GPA_VM_ABSENT_H

#include <stdbool.h>

/* The reason why gpa's module lacks a name, or NULL; the replacement of a name that NumPy 2
 * removed, or NULL. */
const char *name_absent(const char *module, const char *name);
const char *np_removed(const char *name);
/* True for modules whose missing names and submodules the foreign language's module of the same
 * name must not supply, since its objects do not work with gpa's: numba. */
bool module_is_whole(const char *name);
/* True for an alias of a built-in type that NumPy removed; *scalar: NumPy's type, or NULL. */
bool np_alias(const char *name, const char **scalar);

#endif
