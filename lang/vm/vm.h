/* The virtual machine: compiles parsed modules to bytecode and runs them.
 *
 * A vm is one thread of evaluation with its modules: the main one, whose globals are the session's
 * names, the built-in ones, and imported files. Calls of functions written in the language do not
 * use the C stack. Only vm_interrupt may be called from another thread or a signal handler. */
#ifndef GPA_VM_VM_H
#define GPA_VM_VM_H

#include "lang/comm.h"
#include "lang/syntax/ast.h"
#include "lang/syntax/intern.h"
#include "lang/object/module.h"
#include "lang/vm/native.h"
#include "lang/text/source.h"

/* How figures are displayed (%config InlineBackend); "" is the default. */
typedef struct {
    gpa_str format;  /* "svg", "retina", ..., or a set of these; default "png" */
    gpa_str options; /* a dict as text: arguments of matplotlib's print_figure */
    gpa_str close;   /* "False": figures stay open at the end of a cell */
} figure_settings;

struct debug_stop;

typedef struct {
    gpa_rt *rt;
    intern *names; /* borrowed: they outlive the vm */
    sources *sources;
    void *user;
    void (*write)(void *user, bool to_stderr, const char *text, size_t n); /* may be NULL */
    void (*flush)(void *user);                                             /* may be NULL */
    gpa_code (*input)(void *user, const char *prompt, bool hidden, char *line,
                      size_t n); /* may be NULL: EOFError */
    gpa_code (*display)(void *user, value v, const char *id,
                        bool update);                     /* may be NULL: nothing is displayed */
    void (*clear)(void *user, bool wait);                 /* may be NULL */
    void (*page)(void *user, const char *text, size_t n); /* may be NULL: written */
    void (*progress)(void *user, const char *text, double done, double left); /* may be NULL */
    figure_settings *figures; /* borrowed; may be NULL: the defaults */
    void (*symbols)(void *user, int *columns,
                    int *rows); /* as gpa_host.symbols (lang/session.h); may be NULL */
    gpa_code (*magic)(void *user, const char *text, size_t n, gpa_span at,
                      value *out); /* a MAGIC node; may be NULL */
    /* The debugger (debug.h): reads what to do, and calls debug_resume. Fails to end the
     * evaluation. NULL: errors leave no frames */
    gpa_code (*debug)(void *user, const struct debug_stop *stop);
    /* The body of a source was compiled, once something was debugged: its breakpoints are set. May
     * be NULL */
    void (*debug_source)(void *user, uint32_t src);
    void (*visit)(void *user);                   /* as gpa_host.visit (lang/session.h) */
    void (*report)(void *user);                  /* reports the current error and clears it */
    void (*comm)(void *user, const gpa_comm *m); /* as gpa_host.comm; NULL: there is no front end */
    const char *(*request)(void *user);          /* as gpa_host.request */
} vm_config;

/* Creates the vm with its built-in modules and the library. On failure the error is in *e and *out
 * is NULL. */
gpa_code vm_new(const vm_config *c, gpa_vm **out, gpa_err *e);
/* Frees the vm and all of its values, reference cycles included. */
void vm_free(gpa_vm *vm);

/* Runs a parsed module in the globals of `in` (NULL: the main module). *last (may be NULL) gets the
 * value of the last statement when that is an expression, else UNSET; owned by the caller. On
 * failure the error is in vm_err and vm_trace gives the frames; the next vm_eval clears both.
 * Keeps the module alive as long as its functions live. May be called while another evaluation is
 * running (from vm_config.magic or a native function). */
gpa_code vm_eval(gpa_vm *vm, ast_module *m, struct module_obj *in, value *last);

/* While on, modules are compiled for measurement (%timeit): arrays that a statement creates and
 * leaves unused are computed. */
void vm_measure(gpa_vm *vm, bool on);

/* Compilation and execution as separate steps, for code that runs repeatedly. The program is owned
 * by the caller: vm_program_free. */
typedef struct code vm_program;
gpa_code vm_compile(gpa_vm *vm, ast_module *m, struct module_obj *in, vm_program **out);
gpa_code vm_run(gpa_vm *vm, vm_program *p, struct module_obj *in, value *last);
void vm_program_free(gpa_vm *vm, vm_program *p);

/* Runs a source text in the globals of `in` (NULL: of a new module); `name` appears in messages.
 * *last as in vm_eval. */
gpa_code vm_run_text(gpa_vm *vm, const char *name, const char *text, struct module_obj *in,
                     value *last);

/* Frames of the last error, outermost first; frames of the library are left out. `function` is
 * "<module>" or a name. */
typedef struct {
    const char *function;
    gpa_span at;
} vm_frame;
size_t vm_trace(gpa_vm *vm, const vm_frame **frames);
/* Appends a function being compiled, where the current error is located, as the innermost frame of
 * the traceback. Called again: the function around it. The calling native must then fail. */
void vm_trace_inner(gpa_vm *vm, gpa_sym function, gpa_span at);
/* The exception object of the last error, borrowed; NONE if there was none. Created if necessary.
 */
value vm_exception_peek(gpa_vm *vm);
/* The exception object if the program created it itself, else UNSET: cannot fail. Borrowed. */
value vm_raised_peek(const gpa_vm *vm);

/* Stops the running evaluation, or the next one, with a KeyboardInterrupt, which can be caught.
 * From any thread or a signal handler. vm_interrupt_clear cancels a request. True: an earlier
 * request is still pending. */
bool vm_interrupt(gpa_vm *vm);
void vm_interrupt_clear(gpa_vm *vm);
/* Makes the running evaluation call vm_config.visit soon: at a loop's back-edge, or in sleep().
 * From any thread. */
void vm_request_visit(gpa_vm *vm);

void *vm_user(gpa_vm *vm);
/* The source location being evaluated, for messages and warnings; src 0 if no code runs. Frames of
 * the library are skipped. */
gpa_span vm_where(gpa_vm *vm);
/* `import x` looks for a package x and for x.gpa and x.py in the running script's folder, then in
 * this folder (copied) if set, in the current one, and in those of sys.path. */
gpa_code vm_set_script_folder(gpa_vm *vm, const char *folder);

/* ---- modules ---- */

module_obj *vm_main(gpa_vm *vm);
/* The module whose code is running, modules of the library skipped; the main one if none is. */
module_obj *vm_module(gpa_vm *vm);
/* The bound variables of the running function; none at module level. Functions of the library are
 * skipped. */
void vm_locals(gpa_vm *vm, void (*each)(void *user, gpa_sym name, value v), void *user);
/* Those of the function of frame i of the running ones. */
void vm_frame_locals(gpa_vm *vm, uint32_t i, void (*each)(void *user, gpa_sym name, value v),
                     void *user);
/* Those of all active functions, innermost first. */
void vm_all_locals(gpa_vm *vm, void (*each)(void *user, gpa_sym name, value v), void *user);
/* An empty module, which programs cannot import. The vm keeps it. */
gpa_code vm_module_new(gpa_vm *vm, const char *name, module_obj **out);
/* A module that was imported by its full name, or NULL. */
module_obj *vm_loaded_peek(gpa_vm *vm, const char *name);
/* The variables of a module as a dict, its __dict__: changes of one are changes of the other, but
 * for a built-in module, of which it is a copy. */
gpa_code module_dict(gpa_vm *vm, module_obj *m, value *out);
/* The built-in of this name (builtins, then numpy), borrowed; UNSET when there is none. */
value vm_builtin_peek(gpa_vm *vm, gpa_sym name);
/* A module by its dotted name ("numpy", "numpy.linalg", "cupy", "tools" for tools.gpa), imported
 * when need be. Borrowed: the vm keeps its modules. ModuleNotFoundError. */
gpa_code vm_import(gpa_vm *vm, const char *name, module_obj **out);
/* Extensions of program files, in search order, terminated by NULL. */
extern const char *const vm_program_ends[];

/* ---- functions ---- */

/* A copy of the function whose loops are compiled: the result of @jit. */
gpa_code func_jitted(gpa_vm *vm, value fn, bool lenient, value *out);
/* True if the running code is a jitted function's; true if, in it, division by zero gives NumPy's
 * results instead of an error (lenient: error_model="numpy"). */
bool vm_in_jitted(const gpa_vm *vm);
bool vm_is_lenient(const gpa_vm *vm);
/* The function's syntax (a FUNCTION node) and its module: for inspection and the compiled
 * sub-language. */
const ast_node *func_node(const func_obj *f);
ast_module *func_ast(const func_obj *f);
const char *func_name(gpa_vm *vm, const func_obj *f);
/* The docstring or NONE, owned, made when it is first needed; UNSET: the error is in vm_err. */
value func_doc(gpa_vm *vm, func_obj *f);
/* The qualified name. */
const char *func_title(gpa_vm *vm, const func_obj *f);
/* The kinds of parameters, as inspect.Parameter numbers them. */
typedef enum {
    PARAM_POSITIONAL_ONLY,
    PARAM_POSITIONAL,
    PARAM_ARGS,
    PARAM_KEYWORD_ONLY,
    PARAM_KWARGS
} param_kind;
/* Calls `each` with the parameters in their order and their defaults, borrowed (UNSET: none), until
 * it fails. `bound`: without the first parameter, which is given. */
gpa_code func_parameters(gpa_vm *vm, const func_obj *f, bool bound,
                         gpa_code (*each)(void *user, const char *name, param_kind kind,
                                          value otherwise),
                         void *user);
/* "(a, b=2, *args)" as Python's inspect.signature prints it; `bound`: without the first parameter,
 * which is given. A string that a program has set as __text_signature__ takes precedence. */
gpa_code func_signature(gpa_vm *vm, const func_obj *f, bool bound, gpa_str *out);

/* ---- attributes and types ---- */

gpa_code vm_delattr(gpa_vm *vm, value v, const char *name);
gpa_code vm_setattr(gpa_vm *vm, value v, const char *name, value item);
/* The names dir(v) lists; `each` is called once for each. */
gpa_code vm_dir(gpa_vm *vm, value v, void (*each)(void *user, const char *name, value v),
                void *user);
/* An exception object. args: a TUPLE (retained). UNSET when memory is short. */
value v_exception(gpa_vm *vm, gpa_code code, value args);
bool vm_callable(value v);
/* Did-you-mean search: keeps the better of *best and a candidate for a misspelt name, within an
 * edit distance limit. *cost starts as SIZE_MAX. */
void vm_suggest(const char *wrong, const char *candidate, const char **best, size_t *cost);

#endif
