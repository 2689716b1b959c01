/* Names of NumPy that gpa does not have, for hints of AttributeErrors. */
#ifndef GPA_VM_ABSENT_H
#define GPA_VM_ABSENT_H

/* The reason why gpa lacks a name of NumPy's, or NULL; the replacement of a name that NumPy 2
 * removed, or NULL. */
const char *np_absent(const char *name);
const char *np_removed(const char *name);

#endif
