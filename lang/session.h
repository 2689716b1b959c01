/* The session: the only door into the language, for a terminal, a script and a Jupyter kernel alike.
 *
 * A session evaluates cells, one at a time, on the caller's thread, and talks back through gpa_host. Names defined by
 * one cell live on in the next, also after an error. Only gpa_session_interrupt may be called from another thread or
 * a signal handler. */
#ifndef GPA_SESSION_H
#define GPA_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/err.h"

typedef struct gpa_session gpa_session;
typedef enum { GPA_STDOUT, GPA_STDERR } gpa_stream;
typedef enum { GPA_SRC_COMPLETE, GPA_SRC_INCOMPLETE, GPA_SRC_INVALID } gpa_src_state;

/* One representation of a value: "text/plain", "text/html", "image/png" ... Borrowed for the call. */
typedef struct {
    const char *mime, *data;
    size_t n;
} gpa_repr;

typedef struct {
    const char *function, *file; /* "<module>", "f"; "In [7]", "x.gpa" */
    int line;
} gpa_frame;

/* An uncaught error: `text` is the whole report as a terminal shows it (traceback, source line, caret, notes, hint),
 * the other members are its parts. Lines and columns count from 1; 0: not known. */
typedef struct {
    gpa_code code;
    const char *name, *msg, *file, *text;
    int line, col, end_line, end_col;
    const gpa_frame *trace; /* outermost first */
    size_t n_trace;
} gpa_diag;

/* How a session talks back. Every member may be NULL. All are called on the thread inside eval. */
typedef struct {
    void *user;
    void (*write)(void *user, gpa_stream s, const char *text, size_t n);
    void (*result)(void *user, int count, const gpa_repr *r, size_t n); /* the last expression's value; In [count] */
    void (*error)(void *user, const gpa_diag *d);
    /* display(): a value, shown under `id` (NULL: no name), or in the place of what has that name. NULL: text to write. */
    void (*display)(void *user, const gpa_repr *r, size_t n, const char *id, bool update);
    void (*clear)(void *user, bool wait); /* clear_output(): what the cell has shown goes; wait: when something new comes */
    void (*page)(void *user, const gpa_repr *r, size_t n); /* what `name?` found. NULL: text to write */
    /* GPA_E_EOF, GPA_E_INTERRUPT; GPA_E_UNSUPPORTED where nobody can be asked */
    gpa_code (*input)(void *user, const char *prompt, char *line, size_t n);
} gpa_host;

typedef struct {
    size_t size;             /* sizeof(gpa_config), for growth */
    gpa_host host;
    const char *device;      /* NULL: GPA_DEVICE, else the best there is */
    const char *plugin_dir;  /* NULL: beside the executable */
    const char *const *argv; /* sys.argv */
    int argc;
} gpa_config;

void gpa_config_init(gpa_config *c); /* fill the defaults first */
gpa_code gpa_session_new(const gpa_config *c, gpa_session **out, gpa_err *e);
void gpa_session_free(gpa_session *s);
/* The same at the end of a program, without waiting for a device that is still coming up and that nobody needed: then
 * false, and the process must end by _exit, which tears nothing down. */
bool gpa_session_end(gpa_session *s);
/* Arrays are likely to be wanted: a GPU begins to come up in the background. Returns at once. */
void gpa_session_prepare(gpa_session *s);

/* How a cell is evaluated. */
enum {
    GPA_EVAL_SCRIPT = 1,  /* a file: no In/Out, the value of the last expression is not shown, magics allowed */
    GPA_EVAL_SILENT = 2,  /* no result, no history */
    GPA_EVAL_EXPLAIN = 4, /* afterwards the plan of what ran goes to the output */
    GPA_EVAL_SOURCE = 8,  /* the plan with the generated code */
    GPA_EVAL_UNCOUNTED = 16 /* the result is shown, but neither kept nor counted */
};
/* Evaluates a cell and reports through the host. `file` names it in errors (NULL: "In [n]"). The result is GPA_OK or the
 * uncaught error's code; GPA_E_EXIT (sys.exit) leaves its status in *status. */
gpa_code gpa_session_eval(gpa_session *s, const char *file, const char *src, size_t n, int flags, int *status);
/* Whether the text is a whole cell, and with how many columns the next line should be indented if not.
 * A question to the parser alone: from any thread. */
gpa_src_state gpa_session_check(gpa_session *s, const char *src, size_t n, int *indent);
/* Calls each with every text that may replace [*from, cursor), with its kind ("function", "module", "float64 (3,4)"). */
gpa_code gpa_session_complete(gpa_session *s, const char *src, size_t n, size_t cursor, size_t *from,
                              void (*each)(void *user, const char *name, const char *kind), void *user);
/* What is known about the name at the cursor: signature, docstring, value. level 1 adds source. */
gpa_code gpa_session_inspect(gpa_session *s, const char *src, size_t n, size_t cursor, int level,
                             void (*each)(void *user, const gpa_repr *r), void *user);
int gpa_session_count(const gpa_session *s); /* number of the next cell */
/* One line per device: what is there, or why it is not. Written to the host's output. */
void gpa_session_devices(gpa_session *s);
/* The parts of a source text as they are coloured. What is left out is plain. */
typedef enum {
    GPA_STYLE_PLAIN,
    GPA_STYLE_KEYWORD,
    GPA_STYLE_BUILTIN,    /* a built-in name that still has its meaning */
    GPA_STYLE_DEFINITION, /* the name behind `def` */
    GPA_STYLE_STRING,
    GPA_STYLE_NUMBER,     /* also None, True, False */
    GPA_STYLE_COMMENT,
    GPA_STYLE_OPERATOR,
    GPA_STYLE_BRACKET,
    GPA_STYLE_MAGIC,
    GPA_STYLE_WRONG,      /* what no program can hold here */
    GPA_STYLE_COUNT
} gpa_style;
/* Calls each with the parts of a text that may be unfinished or wrong, from first to last. */
void gpa_session_highlight(gpa_session *s, const char *src, size_t n, void (*each)(void *user, size_t lo, size_t hi, gpa_style style),
                           void *user);
/* How many cells of a terminal n bytes of UTF-8 take. */
size_t gpa_text_width(const char *text, size_t n);
/* Blocks of memory alive in the whole program: 0 once every session is freed. For builds that check. */
long long gpa_session_live_blocks(void);
/* Stops the running cell within half a second; it ends with KeyboardInterrupt. The one function for other threads and
 * signal handlers. */
void gpa_session_interrupt(gpa_session *s);

#endif
