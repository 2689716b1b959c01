/* Breakpoints, single steps, and the frames of an error, for debuggers.
 *
 * Where execution may stop, the instruction at which a source line begins is replaced by BREAK; the
 * code keeps the original opcodes. So a program without breakpoints runs as fast as ever. */
#ifndef GPA_VM_DEBUG_H
#define GPA_VM_DEBUG_H

#include "lang/vm/vm.h"

/* A frame of the program: of running functions, or as an error left it. */
typedef struct debug_frame {
    const char *function; /* "<module>", "f" */
    gpa_span at;
    module_obj *module;
    value locals;  /* a dict: a copy of the function's variables; NONE at module level */
    int32_t index; /* of a running frame; -1: of an error */
} debug_frame;

/* Why execution stopped. */
typedef enum {
    DEBUG_AT_CALL, /* of breakpoint() */
    DEBUG_AT_BREAKPOINT,
    DEBUG_AT_STEP,
    DEBUG_AT_PAUSE,
    DEBUG_AT_ERROR,   /* where it is raised */
    DEBUG_AFTER_ERROR /* %debug: nothing runs */
} debug_reason;

typedef struct debug_stop {
    debug_reason why;
    debug_frame *frames; /* outermost first, without those of the library; at least one */
    size_t n;
    const gpa_err *error; /* AT_ERROR; else NULL */
} debug_stop;

/* Which errors stop execution where they are raised. */
typedef enum {
    DEBUG_NO_ERRORS,
    DEBUG_UNCAUGHT, /* those that no handler of the program catches (%pdb) */
    DEBUG_RAISED    /* also those that a handler of the program catches */
} debug_errors;

/* How execution continues after a stop. */
typedef enum {
    DEBUG_CONTINUE, /* to the next breakpoint */
    DEBUG_NEXT,     /* to the next line of this function, or of its caller */
    DEBUG_STEP,     /* to the next line of any function */
    DEBUG_RETURN    /* to the caller */
} debug_mode;

/* breakpoint(): runs the debugger with the running frames. Fails to end the evaluation. */
gpa_code debug_enter(gpa_vm *vm);
/* Runs the debugger with the frames of the last uncaught error. False: there is none. */
bool debug_enter_error(gpa_vm *vm);
/* The frames of the last uncaught error, outermost first; borrowed until the next one. */
const debug_frame *debug_error_frames(const gpa_vm *vm, size_t *n);
/* Sets a variable of a running frame's function. False: it has none of this name. */
bool debug_assign(gpa_vm *vm, int32_t index, gpa_sym name, value v);
/* From the debugger: continues in this way. */
void debug_resume(gpa_vm *vm, debug_mode mode);
/* Stops before the next line of a function, whichever it is. */
void debug_pause(gpa_vm *vm);
/* Calls `each` with every line of a program at which execution can stop, function by function, and
 * with those (`stops` false) of kernels and ufuncs, which the interpreter does not run. The program
 * is compiled in a module made for that. */
gpa_code debug_lines(gpa_vm *vm, ast_module *ast, module_obj *scratch,
                     void (*each)(void *user, uint32_t line, bool stops), void *user);
/* Sets or removes the breakpoint of a line. False: nothing changes. */
bool debug_breakpoint(gpa_vm *vm, uint32_t src, uint32_t line, bool set);
/* From now on vm_config.debug_source is called. */
void debug_begin(gpa_vm *vm);
/* Removes all breakpoints. */
void debug_end(gpa_vm *vm);
void debug_stop_on_errors(gpa_vm *vm, debug_errors which);
debug_errors debug_stops_on_errors(const gpa_vm *vm);

#endif
