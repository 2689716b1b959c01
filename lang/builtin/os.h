/* Values for the tables of the modules os and sys. */
#ifndef GPA_BUILTIN_OS_H
#define GPA_BUILTIN_OS_H

#include "lang/vm/native.h"

/* The environment as a new dict; UNSET on failure. */
value os_environ(gpa_vm *vm);
/* sys.argv of a session without arguments: ['']. */
value sys_argv(gpa_vm *vm);
value sys_path(gpa_vm *vm);

#endif
