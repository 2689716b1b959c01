/* The debugger's hooks in the interpreter (debug.c). */
#ifndef GPA_VM_DEBUG_HOOKS_H
#define GPA_VM_DEBUG_HOOKS_H

#include "lang/vm/machine.h"

/* At a BREAK of the topmost frame: stops there if the debugger wants it. Fails to end the
 * evaluation. */
gpa_code debug_break(gpa_vm *vm, const frame *f);
/* After a code was compiled. */
void debug_compiled(gpa_vm *vm, code *c, const module_obj *m);
/* An error is raised: copies the frames if nothing catches it, and stops if %pdb is on. */
void debug_error(gpa_vm *vm);
/* The evaluation has ended: steps end with it. */
void debug_ended(gpa_vm *vm);
/* True if a loop of a jitted function is to be interpreted, so that the debugger can stop in it: it
 * has a breakpoint, or the program is stepped. */
bool debug_interprets(const gpa_vm *vm, const ast_node *loop);
void debug_free(gpa_vm *vm);

#endif
