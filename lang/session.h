/* The session: the only door into the language, for a terminal, a script and a Jupyter kernel
 * alike.
 *
 * A session evaluates cells, one at a time, on the caller's thread, and talks back through
 * gpa_host. Names defined by one cell live on in the next, also after an error. Only
 * gpa_session_interrupt may be called from another thread or a signal handler. */
#ifndef GPA_SESSION_H
#define GPA_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"

typedef struct gpa_session gpa_session;
typedef enum { GPA_STDOUT, GPA_STDERR } gpa_stream;
typedef enum { GPA_SRC_COMPLETE, GPA_SRC_INCOMPLETE, GPA_SRC_INVALID } gpa_src_state;

/* One representation of a value: "text/plain", "text/html", "image/png" ... A value is shown as a
 * set of them, the plain text first; a front end takes the richest it can show. Borrowed for the
 * call. */
typedef struct {
    const char *mime, *data;
    size_t n;
    const char
        *meta; /* what goes with it, a JSON object: {"width": 640, "height": 480}. NULL: nothing */
} gpa_repr;

typedef struct {
    const char *function, *file; /* "<module>", "f"; "In [7]", "x.gpa" */
    int line;
} gpa_frame;

/* An uncaught error: `text` is the whole report as a terminal shows it (traceback, source line,
 * caret, notes, hint), the other members are its parts. Lines and columns count from 1; 0: not
 * known. */
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
    void (*flush)(void *user); /* what was written shall be seen now. NULL: it is */
    void (*result)(void *user, int count, const gpa_repr *r,
                   size_t n); /* the last expression's value; In [count] */
    void (*error)(void *user, const gpa_diag *d);
    /* display(): a value, shown under `id` (NULL: no name), or in the place of what has that name.
     * NULL: text to write. */
    void (*display)(void *user, const gpa_repr *r, size_t n, const char *id, bool update);
    void (*clear)(void *user, bool wait); /* clear_output(): what the cell has shown goes; wait:
                                             when something new comes */
    void (*page)(void *user, const gpa_repr *r,
                 size_t n); /* what `name?` found, in a pager. NULL: text to write */
    /* The text that the next cell should begin with (%load, %recall); replace: it belongs in the
     * place of this one. */
    void (*next_input)(void *user, const char *text, size_t n, bool replace);
    /* Long work, at most ten times a second: `done` goes from 0 to 1 (negative: nobody knows),
     * seconds to go (negative: nobody knows). text NULL: it is over. */
    void (*progress)(void *user, const char *text, double done, double left);
    /* GPA_E_EOF, GPA_E_INTERRUPT; GPA_E_UNSUPPORTED where nobody can be asked */
    gpa_code (*input)(void *user, const char *prompt, char *line, size_t n);
    /* The room for a picture in a terminal that shows it as symbols; 0: pictures are shown as they
     * are. A plot then comes with "text/x-gpa-words": first columns and rows of the picture, then
     * lines with column, row, colour (six hexadecimal digits) and text of the words that belong
     * over it. */
    void (*symbols)(void *user, int *columns, int *rows);
    /* Begins the process anew, which is to call gpa_session_restore with this folder. Returns only
     * where that cannot be. */
    void (*restart)(void *user, const char *folder);
    bool pretty;   /* lists, tuples, sets and dicts are laid out over several lines, as IPython does
                      it */
    bool terminal; /* the process owns a terminal: children of !cmd use it as it is; else their
                      output comes by `write` */
} gpa_host;

typedef struct {
    size_t size; /* sizeof(gpa_config), for growth */
    gpa_host host;
    const char *device;      /* NULL: GPA_DEVICE, else the best there is */
    const char *plugin_dir;  /* NULL: beside the executable */
    const char *const *argv; /* sys.argv */
    int argc;
    const char *history; /* the file in which cells outlive the session; NULL: they do not */
} gpa_config;

void gpa_config_init(gpa_config *c); /* fill the defaults first */
gpa_code gpa_session_new(const gpa_config *c, gpa_session **out, gpa_err *e);
void gpa_session_free(gpa_session *s);
/* The same at the end of a program, without waiting for a device that is still coming up and that
 * nobody needed, or that a program holds which does not end: then false, and the process must end
 * by _exit, which tears nothing down. */
bool gpa_session_end(gpa_session *s);
/* Arrays are likely to be wanted: a GPU begins to come up in the background. Returns at once. */
void gpa_session_prepare(gpa_session *s);

/* ---- evaluation ---- */

/* How a cell is evaluated. Magics, `!cmd` and `name?` are understood in all. */
enum {
    GPA_EVAL_SCRIPT = 1,    /* a file: no In/Out, the value of the last expression is not shown */
    GPA_EVAL_SILENT = 2,    /* no result, no history */
    GPA_EVAL_EXPLAIN = 4,   /* afterwards the plan of what ran goes to the output */
    GPA_EVAL_SOURCE = 8,    /* the plan with the generated code */
    GPA_EVAL_UNCOUNTED = 16 /* the result is shown, but neither kept nor counted */
};
/* Evaluates a cell and reports through the host. `file` names it in errors (NULL: "In [n]"). A
 * counted cell becomes an entry of the history. The result is GPA_OK or the uncaught error's code;
 * GPA_E_EXIT (sys.exit) leaves its status in *status. */
gpa_code gpa_session_eval(gpa_session *s, const char *file, const char *src, size_t n, int flags,
                          int *status);
/* Runs ~/.config/gpa/init.gpa (in $XDG_CONFIG_HOME, if set) as a script. GPA_OK where there is
 * none. */
gpa_code gpa_session_init(gpa_session *s);
/* The names that %restart has kept in a folder, which is then removed. An error is reported. */
gpa_code gpa_session_restore(gpa_session *s, const char *folder);
/* Stops the running cell within half a second; it ends with KeyboardInterrupt. The one function for
 * other threads and signal handlers. True: a request from before is not answered yet. */
bool gpa_session_interrupt(gpa_session *s);
/* From here on an interrupt is meant for the next cell; those before are forgotten.
 * gpa_session_eval begins with this, unless it was called since the last cell: for a front end that
 * has work to do between taking a cell and running it. */
void gpa_session_ready(gpa_session *s);
int gpa_session_count(const gpa_session *s); /* number of the next cell */
/* Whether the text is a whole cell, and with how many columns the next line should be indented if
 * not. A question to the parser alone: from any thread. */
gpa_src_state gpa_session_check(gpa_session *s, const char *src, size_t n, int *indent);

/* ---- completion and inspection ---- (nothing of the user's is called; positions are bytes) */

/* What may stand in the place of [start, end). */
typedef struct {
    const char *text;
    const char *kind; /* "function", "module", "class", "instance", "keyword", "param", "magic",
                         "path", "statement" */
    const char *type; /* in words: "float64 (3, 4)", "int"; "" */
    const char *signature; /* of functions: "(a, axis=None)"; "" */
    size_t start, end;
} gpa_completion;
gpa_code gpa_session_complete(gpa_session *s, const char *src, size_t n, size_t cursor,
                              void (*each)(void *user, const gpa_completion *c), void *user);

/* What is known about a name. Every text may be NULL: it does not apply, or is not known. */
typedef struct {
    const char *name;                   /* "np.linspace", "%timeit" */
    const char *signature;              /* "np.linspace(start, stop, num=50)" */
    const char *doc, *type, *text;      /* docstring; "ndarray"; str(value), shortened */
    const char *shape, *dtype, *device; /* of arrays */
    const char *file, *source;          /* of functions; source: level 1 only */
} gpa_about;
/* About the name at the cursor, else about the function in whose call the cursor stands: for hints
 * and tooltips. level 1: with the source; -1: without the value's text, so that nothing is
 * computed. GPA_E_NAME (without a report): nothing is known. */
gpa_code gpa_session_about(gpa_session *s, const char *src, size_t n, size_t cursor, int level,
                           void (*tell)(void *user, const gpa_about *a), void *user);
/* The same as a page to read; `each` is called with the plain text, then with HTML. */
gpa_code gpa_session_inspect(gpa_session *s, const char *src, size_t n, size_t cursor, int level,
                             void (*each)(void *user, const gpa_repr *r), void *user);

/* ---- history ---- */

/* A cell that was entered. Sessions count from 1 in the order they began; the running one is the
 * last. */
typedef struct {
    int session, line;
    const char *input;  /* as it was typed */
    const char *output; /* the plain text of its value; NULL: none, or of another session */
} gpa_entry;
typedef enum { GPA_HISTORY_TAIL, GPA_HISTORY_RANGE, GPA_HISTORY_SEARCH } gpa_history_kind;
typedef struct {
    gpa_history_kind kind;
    int n;               /* TAIL, SEARCH: the last n entries at most; 0: all */
    int session;         /* RANGE: 0 the running one, -1 the one before ... */
    int start, stop;     /* RANGE: lines [start, stop); stop 0: to the end */
    const char *pattern; /* SEARCH: with * and ?, for the whole input */
    bool unique;         /* SEARCH: of entries with the same input the last alone */
    bool here;           /* TAIL, SEARCH: of the running session only */
} gpa_history_query;
/* Calls each with the entries asked for, the oldest first. */
gpa_code gpa_session_history(gpa_session *s, const gpa_history_query *q,
                             void (*each)(void *user, const gpa_entry *e), void *user);
/* Adds an entry as gpa_session_eval does: for what a front end took without evaluating it. */
gpa_code gpa_session_remember(gpa_session *s, const char *src, size_t n);
/* The file for gpa_config.history: $GPA_HISTORY (empty: none), else gpa/history in $XDG_STATE_HOME
 * or ~/.local/state. False: none, or the path has no room. */
bool gpa_history_path(char *path, size_t n);

/* ---- the rest ---- */

/* One line per device: what is there, or why it is not. Written to the host's output. */
void gpa_session_devices(gpa_session *s);
/* The parts of a source text as they are coloured. What is left out is plain. */
typedef enum {
    GPA_STYLE_PLAIN,
    GPA_STYLE_KEYWORD,
    GPA_STYLE_BUILTIN,    /* a built-in name that still has its meaning */
    GPA_STYLE_DEFINITION, /* the name behind `def` */
    GPA_STYLE_STRING,
    GPA_STYLE_NUMBER, /* also None, True, False */
    GPA_STYLE_COMMENT,
    GPA_STYLE_OPERATOR,
    GPA_STYLE_BRACKET,
    GPA_STYLE_MAGIC,
    GPA_STYLE_WRONG, /* what no program can hold here */
    GPA_STYLE_COUNT
} gpa_style;
/* Calls each with the parts of a text that may be unfinished or wrong, from first to last. */
void gpa_session_highlight(gpa_session *s, const char *src, size_t n,
                           void (*each)(void *user, size_t lo, size_t hi, gpa_style style),
                           void *user);
/* How many cells of a terminal n bytes of UTF-8 take. */
size_t gpa_text_width(const char *text, size_t n);
/* Compiled programs on disk: what is there, or (clear) that it was removed. Written to the host's
 * output. */
void gpa_session_programs(gpa_session *s, bool clear);
/* Blocks of memory alive in the whole program: 0 once every session is freed. For builds that
 * check. */
long long gpa_session_live_blocks(void);

#endif
