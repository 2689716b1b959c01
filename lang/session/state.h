/* State of a session, and functions shared by the files of this folder. */
#ifndef GPA_SESSION_STATE_H
#define GPA_SESSION_STATE_H

#include <stdio.h>

#include "lang/object/mime.h"
#include "lang/debugger.h"
#include "lang/session.h"
#include "lang/session/history.h"
#include "lang/vm/debug.h"

enum {
    LAST_VALUES = 3 /* _, __ and ___ */,
    SCOPES = 8 /* depth of magics within functions within magics */
};

/* Redirected output of %%capture. */
typedef struct capture {
    gpa_str out, err;
    bool take_out, take_err, take_shown;
    value shown; /* a LIST of displayed values */
    struct capture *outer;
} capture;

/* %xmode: the innermost location first, or last as in Python; with variables; one line. */
typedef enum { ERRORS_PLAIN, ERRORS_CONTEXT, ERRORS_VERBOSE, ERRORS_MINIMAL } error_mode;

/* %alias */
typedef struct {
    char *name, *command;
} session_alias;

/* %logstart: the session's inputs, and values, as a program file. */
typedef struct {
    FILE *file; /* NULL: not started */
    gpa_str path;
    const char *mode;
    bool active, outputs, raw, timestamps;
} session_log;

/* A variables reference of the Debug Adapter Protocol: the members of a value, a copy of a
 * function's variables, or a module's variables. */
typedef struct {
    value v; /* a DICT of variables, a MODULE, or what has members */
    bool variables;
    char *expression; /* of the value; NULL: none */
} debug_ref;

typedef struct {
    gpa_debugger host;      /* the adapter's; `stopped` NULL: none is attached */
    const debug_stop *stop; /* NULL: execution has not stopped */
    debug_ref *refs;        /* number i + 1 */
    size_t n_refs, cap_refs;
    gpa_str error;
    module_obj *scope; /* the names of a frame while it evaluates; NULL: not yet */
} session_debugger;

struct gpa_session {
    gpa_host host;
    intern *names;
    sources *sources;
    gpa_rt *rt;
    gpa_vm *vm;
    int count;  /* number of the next cell */
    int flags;  /* of the cell that is running */
    bool ready; /* gpa_session_ready was called for the next cell */
    history history;
    value *inputs; /* the inputs of counted cells, whose texts `history` and `sources` borrow */
    size_t n_inputs, cap_inputs;
    value last[LAST_VALUES]; /* the values assigned to _, __ and ___: a program's own _ is not
                                overwritten. UNSET: none yet */
    capture *capture;
    module_obj
        *scope; /* the module in which a magic looks up and sets names; NULL: the main module */
    session_debugger debugger;
    gpa_str last_report;        /* of the last error: %tb */
    module_obj *scopes[SCOPES]; /* scope.c: created on demand, owned by the vm */
    size_t n_scopes;            /* number in use */
    char float_format[32];      /* %precision: the format of floats; "": default */
    int bars;          /* progress bars displayed so far, if the front end has no bars itself */
    bool bar;          /* a progress bar is shown */
    bool trace;        /* %trace */
    error_mode errors; /* %xmode */
    bool no_automagic; /* %automagic: magics need their % */
    bool flat;         /* %pprint off: containers are displayed on one line */
    struct {           /* %config; empty: the default */
        figure_settings figures;
        gpa_str out_share;
    } settings;
    session_alias *aliases;
    size_t n_aliases, cap_aliases;
    session_log log;
    int edited;          /* number of the cell of the last %edit; 0: none */
    gpa_str edited_what; /* its argument */
    char *folder_before; /* the folder that %cd - returns to; NULL: none */
};

/* ---- session.c ---- */

/* Registers a text under a name and parses it, magics included. The error is the vm's. */
gpa_code session_parse(gpa_session *s, source_kind kind, const char *name, const char *src,
                       size_t n, ast_module **out);
/* Reports the vm's current error and clears it. */
void session_report_current(gpa_session *s);

/* ---- events.c ---- */

/* A cell as callbacks see it. */
typedef struct {
    const char *text;
    size_t n;
    bool silent;
    int count;
    value error; /* its exception, or None; owned until events_after */
} cell_events;

/* The callbacks of get_ipython().events before and after a cell; their errors are reported.
 * events_keep_error comes while the cell's error is the vm's. */
void events_before(gpa_session *s, const cell_events *c);
void events_keep_error(gpa_session *s, cell_events *c);
void events_after(gpa_session *s, cell_events *c, bool executed);

/* ---- magic.c ---- */

/* A MAGIC node: vm_config.magic. */
gpa_code session_magic(void *user, const char *text, size_t n, gpa_span at, value *out);

/* ---- debugger.c ---- */

/* vm_config.debug and .debug_source */
gpa_code session_debug(void *user, const debug_stop *stop);
void session_debug_source(void *user, uint32_t src);
/* Runs a text in a frame (NULL: in the main module); assignments go to the function's variable of
 * the name, else to the module. *last as vm_eval's. The error is the vm's. */
gpa_code debug_evaluate(gpa_session *s, const debug_frame *f, const char *text, value *last);
/* Releases all variables references. */
void debug_forget(gpa_session *s);

/* ---- magic_debug.c ---- */

/* The debugger of the prompt. */
gpa_code debug_dialog(gpa_session *s, const debug_stop *stop);
/* Appends variables, a dict, one per line; arrays by type and shape, so that nothing is computed.
 */
void debug_put_variables(gpa_session *s, value locals, const char *margin, gpa_str *out);

/* ---- magic_log.c ---- */

/* Adds an input, or a value's text, to the log. */
void log_input(gpa_session *s, const char *text, size_t n);
void log_output(gpa_session *s, const char *text, size_t n);
void log_free(gpa_session *s);

/* ---- magic_macro.c ---- */

/* True if the value is a macro; appends its text (out NULL: only asks). */
bool macro_text(gpa_session *s, value v, gpa_str *out);
/* The text of the macro whose name alone is the cell. */
bool macro_expand(gpa_session *s, const char *src, size_t n, gpa_str *out);
/* Assigns a macro of this text, a STR, to a name of the main module. */
gpa_code macro_define(gpa_session *s, const char *name, value code);

/* ---- magic_alias.c ---- */

/* The command of an alias, or NULL. */
const char *alias_find(const gpa_session *s, const char *name, size_t n);
/* False: *why says why not. */
bool alias_define(gpa_session *s, const char *name, const char *command, gpa_str *why);
void aliases_free(gpa_session *s);

/* ---- scope.c ---- */

module_obj *session_scope(gpa_session *s);
/* Scope of a magic: the names of the enclosing function and module. */
typedef struct {
    module_obj *outer, *base, *filled;
} scope_mark;
gpa_code scope_enter(gpa_session *s, scope_mark *mark);
void scope_leave(gpa_session *s, const scope_mark *mark);

/* ---- report.c ---- */

/* Reports the innermost location with its caret, then its callers, then its cause. `frames` are
 * outermost first; `x` is the exception object, or NULL. */
void session_report(gpa_session *s, gpa_err *e, const exc_obj *x, const vm_frame *frames, size_t n);

/* ---- output.c ---- */

void session_write(gpa_session *s, bool to_stderr, const char *text, size_t n);
void session_printf(gpa_session *s, bool to_stderr, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Displays representations as display() does; the first is the plain text. */
void session_show(gpa_session *s, const gpa_repr *r, size_t n, const char *id, bool update);
/* The same, in a pager. */
void session_page(gpa_session *s, const gpa_repr *r, size_t n);
/* The representations of a value. */
gpa_code session_represent(gpa_session *s, value v,
                           void (*tell)(void *user, const gpa_repr *r, size_t n), void *user);
/* Displays the value of a cell's last expression; `keep`: stores it in Out, _ and _n. */
gpa_code session_result(gpa_session *s, value v, bool keep);
/* Callbacks of the vm: vm_config.write, .display, .clear, .page. */
void session_on_write(void *user, bool to_stderr, const char *text, size_t n);
gpa_code session_on_display(void *user, value v, const char *id, bool update);
void session_on_flush(void *user);
void session_on_clear(void *user, bool wait);
void session_on_progress(void *user, const char *text, double done, double left);
void session_on_page(void *user, const char *text, size_t n);

/* ---- remember.c: In, Out and their short names ---- */

gpa_code session_remember_input(gpa_session *s, const char *src, size_t n);
/* The last input as the session stores it, if it is this text; otherwise NULL. */
const char *session_stored_input(const gpa_session *s, const char *src, size_t n);
gpa_code session_remember_value(gpa_session *s, value v);
/* Drops all kept values (Out, _, _n ...), or all inputs (In, _i ...). Returns the number of
 * entries. */
size_t session_forget_values(gpa_session *s);
size_t session_forget_inputs(gpa_session *s);
/* True if the session defined this name, not the user: In, Out, _, _3, _ii, exit ... */
bool session_owns_name(const char *name);

#endif
