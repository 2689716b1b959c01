/* Internals of the virtual machine: its state, and the functions its files share. Outside this
 * folder only natives that inspect frames include this.
 *
 * Frames are stored in an array, their registers on one stack of values that never moves; a call's
 * arguments are already where the callee expects its parameters, so a call copies nothing. Only the
 * frames of generators have their own registers (detached: lang/vm/generator.h). Invariant:
 * registers above the running frame and dead temporaries hold no counted references. */
#ifndef GPA_VM_MACHINE_H
#define GPA_VM_MACHINE_H

#include <stdatomic.h>

#include "lang/compile/code.h"
#include "lang/vm/float_actions.h"
#include "lang/vm/native_table.h"
#include "lang/vm/vm.h"

enum {
    MAX_FRAMES = 1000,      /* Python's recursion limit */
    MAX_REENTRY = 150,      /* nested calls from natives back into the interpreter */
    STACK_VALUES = 1 << 19, /* registers of all frames; pages are touched on use */
    MAX_NATIVE_PARAMS = 24
};

typedef struct frame {
    code *code;
    func_obj *fn; /* borrowed from the caller; NULL: a module or a generator expression */
    value *free;  /* the cells of a closure */
    module_obj *module;
    const ins *ip;   /* the instruction being executed */
    const ins *next; /* where execution continues after a call */
    value *regs;
    uint16_t dst;    /* register for the result of a call */
    bool base;       /* its return leaves the interpreter loop */
    bool constructs; /* runs __init__: the caller's dst holds the instance */
    bool detached;
    struct generator *generator; /* of a detached frame */
} frame;

/* Parameter binding of a native: its signature, parsed once. */
typedef struct signature {
    const native *row;
    uint16_t n, n_positional_only,
        n_positional;     /* parameters in all; keyword-only ones follow the positional ones */
    int16_t args, kwargs; /* index of *args and **kwargs, or -1 */
    bool plain;           /* positional parameters without defaults only */
    bool arrays;          /* may create arrays */
    char *names[MAX_NATIVE_PARAMS];
    value defaults[MAX_NATIVE_PARAMS]; /* UNSET with `required` clear means <unset> */
    bool required[MAX_NATIVE_PARAMS];
} signature;

/* Cache entry for a type's attribute, by type and name (attr.c); key 0: empty. */
typedef struct {
    uint32_t key;
    gpa_sym name;
    const native *row;
} cached_row;

enum { CACHED_ROWS = 64 };

/* One traceback entry. */
typedef struct {
    gpa_sym function; /* 0: the module */
    gpa_span at;
} trace_entry;

struct vm {
    vm_core core; /* first: rooms below the interpreter access only this part */
    vm_config config;
    value raised; /* the exception object of the current error when there is one already, else UNSET
                   */
    frame *frames;
    uint32_t depth; /* frames in use */
    uint32_t reentry;
    value *stack, *stack_end;
    bool sealed;              /* the built-in modules are complete */
    bool maybe_pending;       /* arrays may be pending: loop back-edges check */
    struct loop_state *loops; /* loop.h: the loop that is being recorded; NULL before the first */
    module_obj *modules, *main, *builtins, *numpy;
    func_obj *functions;
    struct class_obj *classes;    /* class.h: those of programs */
    bool overrides;               /* one of them has had __array_function__ */
    struct object_obj *instances; /* instance.h */
    struct generator *generators; /* generator.h: all, the newest first */
    struct generator *abandoned,
        *last_abandoned;        /* queue of abandoned generators still to be ended */
    struct exc_obj *exceptions; /* raise.c */
    dict_obj *methods;          /* methods of arrays written in gpa: name to function */
    dict_obj *records; /* members of record types (record.h): the type's name to a dict; NULL before
                          the first */
    signature **signatures;
    size_t n_signatures, cap_signatures;
    cached_row cached_rows[CACHED_ROWS];              /* by type and name */
    const native *constructors[AUX_DTYPE + DT_COUNT]; /* cached "__new__" rows of built-in types and
                                                         NumPy's scalar types */
    trace_entry *trace;                               /* innermost first */
    size_t n_trace, cap_trace;
    struct exc_obj
        *trace_of;   /* the exception last caught, which `trace` belongs to, while it lives */
    bool tracing;    /* an error is propagating: frames are appended to the trace */
    bool trace_skip; /* re-raised in the frame that caught it: that frame is in the trace already */
    vm_frame *trace_out;
    dict_obj *warned;      /* warnings printed so far, with their locations (warn.c) */
    value warning_filters; /* a list of (action, category, start of the text), or NONE */
    bool redirected;       /* the program has set sys.stdout or sys.stderr */
    value warning_log;     /* called with a warning instead of printing it, or NONE */
    float_actions floats;  /* numpy.seterr */
    value random;  /* the generator of the module random, or UNSET before its first number */
    void *foreign; /* state of the interpreter of another language (foreign.h); NULL: none */
    /* Passes an interrupt on to foreign code while that runs, else NULL. */
    _Atomic(void (*)(void)) foreign_interrupt;
    struct debugger *debugger; /* debug.c; NULL: nothing was debugged yet */
    char *folder;
    gpa_sym sym_new, sym_init;
};

/* True if vm_request_visit was called since the last visit. */
static inline bool vm_wants_visit(const gpa_vm *vm) {
    return atomic_load_explicit(&vm->core.requests, memory_order_relaxed) & VM_VISIT;
}

static inline const char *sym_text(const gpa_vm *vm, gpa_sym s) {
    return intern_text(vm->core.names, s);
}

/* ---- interpret.c ---- */

/* Runs the topmost frame, and its callers up to the one with `base` set, until that returns or
 * yields; *out is owned. */
gpa_code run(gpa_vm *vm, value *out);
/* The same, raising the current error in the topmost frame. */
gpa_code run_failing(gpa_vm *vm, value *out);
/* The first register above the running frame. */
value *run_top(gpa_vm *vm);
/* Pushes a frame for a function whose arguments are bound in regs, and initializes its registers.
 * The caller sets next, dst, base. */
frame *run_push(gpa_vm *vm, code *c, func_obj *fn, module_obj *m, value *regs);

/* ---- interpret_call.c ---- */

/* Arguments of a call in registers, which own them: n positional values, then n_named keyword ones
 * with these names. */
typedef struct {
    size_t n, n_named;
    value *regs;
    const value *names;
} call_regs;
/* Calls *fn: pushes a function's frame (*entered), else the result is in *fn. */
gpa_code run_call(gpa_vm *vm, frame *f, value *fn, const call_regs *a, bool *entered);
/* The same with the arguments of fn[2], a list, and fn[3], a dict or UNSET. */
gpa_code run_call_spread(gpa_vm *vm, frame *f, value *fn, bool *entered);

/* ---- native_signature.c ---- */

/* The signature of a native, parsed when it is first asked for; NULL: an error is recorded. */
signature *signature_of(gpa_vm *vm, const native *row);
void signatures_free(gpa_vm *vm);

/* ---- call.c ---- */

/* The index of the parameter that a keyword, a STR, names, or -1. */
int call_keyword_at(gpa_vm *vm, const code *c, value name);
/* Binds arguments (n positional, then n_named with their names) in regs, owned, to parameters, in
 * place. On failure they are released. */
gpa_code call_bind(gpa_vm *vm, func_obj *f, value *regs, size_t n, size_t n_named,
                   const value *names);
/* Ensures that a frame of this code fits at regs; compiles the code if necessary. */
gpa_code call_ready(gpa_vm *vm, func_obj *f, const value *regs);
gpa_code call_native(gpa_vm *vm, const native *row, const call_args *a, value *out);
/* A call of any callable but a function (which needs a frame). Arguments are borrowed. */
gpa_code call_other(gpa_vm *vm, value fn, const call_args *a, value *out);
/* A function value; cells are taken from the frame. */
gpa_code function_new(gpa_vm *vm, frame *f, code *c, value defaults, value kwdefaults, value *out);

/* Unlinks a function from the vm's list and frees it. */
void func_free(gpa_vm *vm, func_obj *f);

/* ---- generator.c ---- */

/* The `next` of generators. */
gpa_code generator_next(gpa_vm *vm, iter_obj *it, value *out, bool *done);

/* ---- raise.c ---- */

/* The current error as an exception object, owned; the error is cleared. UNSET when memory is
 * short. */
value raise_take(gpa_vm *vm);
/* Makes an exception the current error; consumes it. Returns its code. */
gpa_code raise_again(gpa_vm *vm, value exc);
/* The exception that the innermost except or finally clause of the running functions handles, those
 * of library modules only if in_library; V_UNSET: none. */
value raise_handled_peek(const gpa_vm *vm, bool in_library);

/* Makes the handled exception the context of the current error, unless it has one. */
void raise_in_context(gpa_vm *vm);

/* raise v [from cause] */
gpa_code raise_value(gpa_vm *vm, value v, value cause, bool has_cause);
/* Sets the message of an exception from its arguments. */
gpa_code raise_describe(gpa_vm *vm, exc_obj *x);
/* Unlinks an exception from the vm's list. At the end of the vm all listed exceptions release their
 * values. */
void exception_unlink(gpa_vm *vm, exc_obj *x);
void exception_break_cycles(gpa_vm *vm);
gpa_code raise_match(gpa_vm *vm, value exc, value type, bool *out);
/* Saved error state (the current error and its trace) while other code runs; restored or discarded
 * afterwards. */
typedef struct {
    gpa_err err;
    value raised;
    trace_entry *trace;
    size_t n_trace, cap_trace;
    struct exc_obj *trace_of; /* counted */
    bool tracing, trace_skip;
} raise_saved;
void raise_save(gpa_vm *vm, raise_saved *a);
void raise_restore(gpa_vm *vm, raise_saved *a);
void raise_discard(gpa_vm *vm, raise_saved *a);
/* Appends a frame to the traceback of a propagating error, and sets its location. */
void raise_trace(gpa_vm *vm, const frame *f);
/* Sets the error's location to the running instruction if it has none. */
void raise_locate(gpa_vm *vm);
gpa_span raise_span(const ast_node *n);
const ast_node *raise_node(const frame *f);
gpa_code raise_unbound(gpa_vm *vm, const frame *f, unsigned slot);
gpa_code raise_name(gpa_vm *vm, module_obj *m, gpa_sym name);

/* ---- attr.c ---- */

gpa_code attr_get(gpa_vm *vm, value v, gpa_sym name, attr_cache *cache, value *out);
/* For a method call: the function, and its receiver or UNSET. */
gpa_code attr_method(gpa_vm *vm, value v, gpa_sym name, attr_cache *cache, value *fn, value *self);
gpa_code attr_set(gpa_vm *vm, value v, gpa_sym name, value item);
gpa_code attr_delete(gpa_vm *vm, value v, gpa_sym name);

/* ---- module.c ---- */

/* Resolves an unset name: the built-in, cached in the module. NULL: a NameError is set. */
const value *module_fallback(gpa_vm *vm, module_obj *m, int32_t slot);
module_obj *module_new(gpa_vm *vm, gpa_sym name);
/* Fills a module with the natives of its owner. */
gpa_code module_fill(gpa_vm *vm, module_obj *m, native_owner owner);

/* ---- vm.c ---- */

/* Runs the library text of the built-in module `name`, if any, in the globals of m. */
gpa_code vm_run_library(gpa_vm *vm, module_obj *m, const char *name);

/* ---- import.c ---- */

/* A module of gpa, or of the foreign language (owned). */
gpa_code import_any(gpa_vm *vm, const char *name, value *out);
/* Likewise, for a statement of the module m; a name that begins with dots is relative to its
 * package (owned). */
gpa_code import_from(gpa_vm *vm, const module_obj *m, const char *name, value *out);
/* True for modules of matplotlib if the foreign language has it, unless GPA_PLOTS is gnuplot: then
 * gpa's own module is not imported. */
bool is_foreign_plotting(gpa_vm *vm, const char *name);
/* The first part of a dotted name, after importing the whole. */
gpa_code import_root(gpa_vm *vm, const char *name, value *out);
/* A module's submodule; UNSET when it has none of that name. */
gpa_code import_member(gpa_vm *vm, module_obj *m, gpa_sym name, value *out);
/* A public name that a built-in module lacks, of the foreign language's module of the same name;
 * UNSET: there is none. */
gpa_code import_foreign_member(gpa_vm *vm, const module_obj *m, const char *name, value *out);
gpa_code import_name(gpa_vm *vm, value module, gpa_sym name, value *out);
gpa_code import_all(gpa_vm *vm, value module, module_obj *into);

/* ---- warn.c ---- (natives of the module warnings: rows of file.def) */

gpa_code warnings_warn(gpa_vm *vm, value *argv, value *out);
gpa_code warnings_state(gpa_vm *vm, value *argv, value *out);
gpa_code warnings_set_state(gpa_vm *vm, value *argv, value *out);

#endif
