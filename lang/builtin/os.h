/* The environment as a value, for the table of the module os. */
#ifndef GPA_BUILTIN_OS_H
#define GPA_BUILTIN_OS_H

#include "lang/native.h"

/* A new dict; UNSET on failure. */
value os_environ(gpa_vm *vm);

#endif
