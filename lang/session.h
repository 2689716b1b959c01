/* The session interface: what a terminal, a script runner or a Jupyter kernel sees of the
 * language.
 *
 * A session evaluates cells one at a time on the caller's thread and reports through the
 * callbacks in gpa_host. Names defined by one cell persist in the next, also after an error.
 * Only gpa_session_interrupt (also in a signal handler) and gpa_session_visit may be called from
 * another thread. */
#ifndef GPA_SESSION_H
#define GPA_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "lang/comm.h"
#include "runtime/base/err.h"

typedef struct gpa_session gpa_session;
typedef enum { GPA_STDOUT, GPA_STDERR } gpa_stream;
typedef enum { GPA_SRC_COMPLETE, GPA_SRC_INCOMPLETE, GPA_SRC_INVALID } gpa_src_state;

/* One representation of a value: "text/plain", "text/html", "image/png" ... A value is displayed
 * as a set of them, plain text first; a front end shows the richest it supports. Borrowed for
 * the call. */
typedef struct {
    const char *mime, *data;
    size_t n;
    const char *meta; /* metadata, a JSON object: {"width": 640, "height": 480}; NULL: none */
} gpa_repr;

typedef struct {
    const char *function, *file; /* "<module>", "f"; "In [7]", "x.gpa" */
    int line;
} gpa_frame;

/* An uncaught error: `text` is the whole report as a terminal shows it (traceback, source line,
 * caret, notes, hint); the other members are its parts. Lines and columns count from 1; 0:
 * unknown. */
typedef struct {
    gpa_code code;
    const char *name, *msg, *file, *text;
    int line, col, end_line, end_col;
    const gpa_frame *trace; /* outermost first */
    size_t n_trace;
} gpa_diag;

/* Callbacks of the front end. Every member may be NULL. All are called on the evaluating thread. */
typedef struct {
    void *user;
    void (*write)(void *user, gpa_stream s, const char *text, size_t n);
    void (*flush)(void *user); /* flush written output. NULL: output is unbuffered */
    void (*result)(void *user, int count, const gpa_repr *r,
                   size_t n); /* value of the last expression; In [count] */
    void (*error)(void *user, const gpa_diag *d);
    /* display(): a value under display id `id` (NULL: none); update: replaces the value shown
     * under it. NULL: the plain text is written. */
    void (*display)(void *user, const gpa_repr *r, size_t n, const char *id, bool update);
    void (*clear)(void *user, bool wait); /* clear_output(); wait: at the next output */
    void (*page)(void *user, const gpa_repr *r,
                 size_t n); /* the page of `name?`, for a pager. NULL: the plain text is written */
    /* The text that the next input should start with (%load, %recall); replace: instead of this
     * cell. */
    void (*next_input)(void *user, const char *text, size_t n, bool replace);
    /* Progress of a long operation, at most ten times a second: `done` from 0 to 1, `left` in
     * seconds (each negative: unknown). text NULL: it has finished. */
    void (*progress)(void *user, const char *text, double done, double left);
    /* Reads a line; `hidden`: what is typed is not shown. GPA_E_EOF, GPA_E_INTERRUPT;
     * GPA_E_UNSUPPORTED if input is impossible */
    gpa_code (*input)(void *user, const char *prompt, bool hidden, char *line, size_t n);
    /* The size available for a picture in a terminal that draws with symbols; 0: pictures are
     * shown as images. A plot then also has "text/x-gpa-words": columns and rows of the picture,
     * then one line per label with column, row, colour (six hexadecimal digits) and text. */
    void (*symbols)(void *user, int *columns, int *rows);
    /* Restarts the process, which is to call gpa_session_restore with this folder. Returns only
     * on failure. */
    void (*restart)(void *user, const char *folder);
    /* Sends a message of a comm to the front end. Any thread. NULL: there is none, and widgets show
     * only their text. */
    void (*comm)(void *user, const gpa_comm *m);
    /* The header of the request that is being handled, a JSON object; "" if there is none. */
    const char *(*request)(void *user);
    /* Between two statements of the running cell, soon after gpa_session_visit: requests that need
     * the session but not the cell's end, as completion. */
    void (*visit)(void *user);
    /* Lends the terminal to another program (`begin`), and takes it back. NULL: nothing to do. */
    void (*lend)(void *user, bool begin);
    /* %colors: the colours of the terminal. False: there are none of this name. NULL: no
     * terminal. */
    bool (*theme)(void *user, const char *name);
    /* %autoindent: toggles whether new lines are indented, and returns it. NULL: no editor. */
    bool (*autoindent)(void *user);
    bool pretty;   /* containers are laid out over several lines, as in IPython */
    bool terminal; /* the process owns a terminal, which children of !cmd inherit; otherwise their
                      output goes through `write` */
} gpa_host;

typedef struct {
    size_t size; /* sizeof(gpa_config), for compatibility */
    gpa_host host;
    const char *device;      /* NULL: GPA_DEVICE, else the best one available */
    const char *plugin_dir;  /* NULL: the folder of the executable */
    const char *const *argv; /* sys.argv */
    int argc;
    const char *history; /* the history file; NULL: none */
} gpa_config;

void gpa_config_init(gpa_config *c); /* call before setting members */
gpa_code gpa_session_new(const gpa_config *c, gpa_session **out, gpa_err *e);
void gpa_session_free(gpa_session *s);
/* Frees the session at the end of a program without waiting for a device that is still
 * initialising or busy with a program that does not end. In that case false: the process must
 * end by _exit, without cleanup. */
bool gpa_session_end(gpa_session *s);
/* Starts initialising a GPU in the background, because arrays are likely to be used. Returns at
 * once. */
void gpa_session_prepare(gpa_session *s);

/* ---- evaluation ---- */

/* Flags of an evaluation. Magics, `!cmd` and `name?` work in all. */
enum {
    GPA_EVAL_SCRIPT = 1,    /* a file: no In/Out, the last expression is not displayed */
    GPA_EVAL_SILENT = 2,    /* no result, no history */
    GPA_EVAL_EXPLAIN = 4,   /* writes the plan of what ran afterwards */
    GPA_EVAL_SOURCE = 8,    /* the plan includes the generated code */
    GPA_EVAL_UNCOUNTED = 16 /* the result is displayed, but neither kept nor counted */
};
/* Evaluates a cell and reports through the host. `file` names it in errors (NULL: "In [n]"). A
 * counted cell is added to the history. Returns GPA_OK or the code of the uncaught error;
 * GPA_E_EXIT (sys.exit) sets *status. */
gpa_code gpa_session_eval(gpa_session *s, const char *file, const char *src, size_t n, int flags,
                          int *status);
/* Delivers a message of a comm from the front end, as a cell of its own: what its handlers print,
 * display and raise is reported through the host. GPA_E_UNSUPPORTED, without a report: no library
 * that uses comms is loaded. */
gpa_code gpa_session_comm(gpa_session *s, const gpa_comm *m);
/* Runs ~/.config/gpa/init.gpa (in $XDG_CONFIG_HOME, if set) as a script. GPA_OK if there is
 * none. */
gpa_code gpa_session_init(gpa_session *s);
/* Restores the names that %restart saved in a folder, and removes the folder. Errors are
 * reported. */
gpa_code gpa_session_restore(gpa_session *s, const char *folder);
/* Interrupts the running cell, which ends with KeyboardInterrupt. The only function for other
 * threads and signal handlers. True: an earlier request is still pending. */
bool gpa_session_interrupt(gpa_session *s);
/* Makes the running cell call gpa_host.visit soon: at the next iteration of a loop, or in sleep().
 * Any thread. */
void gpa_session_visit(gpa_session *s);
/* Discards earlier interrupts: from here on an interrupt applies to the next cell.
 * gpa_session_eval does this unless it was called since the last cell; for front ends that work
 * between taking a cell and running it. */
void gpa_session_ready(gpa_session *s);
int gpa_session_count(const gpa_session *s); /* number of the next cell */
/* True if the text is a complete cell; if not, the indentation of the next line. Only parses;
 * callable from any thread. */
gpa_src_state gpa_session_check(gpa_session *s, const char *src, size_t n, int *indent);

/* ---- completion and inspection ---- (nothing of the user's is called; positions are bytes) */

/* A candidate to replace bytes [start, end). */
typedef struct {
    const char *text;
    const char *kind; /* "function", "module", "class", "instance", "keyword", "param", "magic",
                         "path" or "statement" */
    const char *type; /* description of the type: "float64 (3, 4)", "int"; "" */
    const char *signature; /* of functions: "(a, axis=None)"; "" */
    size_t start, end;
} gpa_completion;
gpa_code gpa_session_complete(gpa_session *s, const char *src, size_t n, size_t cursor,
                              void (*each)(void *user, const gpa_completion *c), void *user);

/* Facts about a name. Every text may be NULL: not applicable or unknown. */
typedef struct {
    const char *name;                   /* "np.linspace", "%timeit" */
    const char *signature;              /* "np.linspace(start, stop, num=50)" */
    const char *doc, *type, *text;      /* docstring; "ndarray"; str(value), shortened */
    const char *shape, *dtype, *device; /* of arrays */
    const char *file, *source;          /* of functions; source: level 1 only */
} gpa_about;
/* The object to describe. */
typedef struct {
    const char *src;
    size_t n, cursor; /* bytes of src, and the offset in it */
    int level; /* 1: with the source; -1: without the value's text, so that nothing is computed */
} gpa_inspection;
/* Describes the name at the cursor, else the function whose call encloses the cursor, for hints
 * and tooltips. GPA_E_NAME (without a report): unknown. */
gpa_code gpa_session_about(gpa_session *s, const gpa_inspection *at,
                           void (*tell)(void *user, const gpa_about *a), void *user);
/* The same as a page: calls `each` with the plain text, then with HTML. */
gpa_code gpa_session_inspect(gpa_session *s, const gpa_inspection *at,
                             void (*each)(void *user, const gpa_repr *r), void *user);

/* ---- history ---- */

/* An input of the history. Sessions count from 1 in starting order; the running one is the last. */
typedef struct {
    int session, line;
    const char *input;  /* as typed */
    const char *output; /* plain text of the value; NULL: none, or of another session */
} gpa_entry;
typedef enum { GPA_HISTORY_TAIL, GPA_HISTORY_RANGE, GPA_HISTORY_SEARCH } gpa_history_kind;
typedef struct {
    gpa_history_kind kind;
    int n;               /* TAIL, SEARCH: at most the last n entries; 0: all */
    int session;         /* RANGE: 0 this session, -1 the previous one, ... */
    int start, stop;     /* RANGE: lines [start, stop); stop 0: to the end */
    const char *pattern; /* SEARCH: pattern with * and ? for the whole input */
    bool unique;         /* SEARCH: only the last of entries with the same input */
    bool here;           /* TAIL, SEARCH: only this session */
} gpa_history_query;
/* Calls `each` with the selected entries, oldest first. */
gpa_code gpa_session_history(gpa_session *s, const gpa_history_query *q,
                             void (*each)(void *user, const gpa_entry *e), void *user);
/* Adds an entry without evaluating it, as gpa_session_eval does. */
gpa_code gpa_session_remember(gpa_session *s, const char *src, size_t n);
/* The path for gpa_config.history: $GPA_HISTORY (empty: none), else gpa/history in
 * $XDG_STATE_HOME or ~/.local/state. False: none, or n is too small. */
bool gpa_history_path(char *path, size_t n);

/* ---- the rest ---- */

/* Opens a device. */
gpa_code gpa_session_open(gpa_session *s, const char *device, gpa_err *e);
/* In a process that is a worker of the device of another one (`gpa --ranks`): works until that
 * ends. */
gpa_code gpa_session_serve(gpa_err *e);
/* Writes one line per device: its description, or why it is unavailable. */
void gpa_session_devices(gpa_session *s);
/* Classes of syntax highlighting. Bytes without a class are plain. */
typedef enum {
    GPA_STYLE_PLAIN,
    GPA_STYLE_KEYWORD,
    GPA_STYLE_BUILTIN,    /* a built-in name that is not redefined */
    GPA_STYLE_DEFINITION, /* the name after `def` */
    GPA_STYLE_STRING,
    GPA_STYLE_NUMBER, /* also None, True, False */
    GPA_STYLE_COMMENT,
    GPA_STYLE_OPERATOR,
    GPA_STYLE_BRACKET,
    GPA_STYLE_MAGIC,
    GPA_STYLE_WRONG, /* invalid here */
    GPA_STYLE_COUNT
} gpa_style;
/* Calls `each` with the classified ranges of a text, which may be incomplete or invalid, in
 * order. */
void gpa_session_highlight(gpa_session *s, const char *src, size_t n,
                           void (*each)(void *user, size_t lo, size_t hi, gpa_style style),
                           void *user);
/* The width of n bytes of UTF-8 in terminal cells. */
size_t gpa_text_width(const char *text, size_t n);
/* A pasted text: its lines end with \n, and it has no control characters. GPA_CLEAN_PROMPTS:
 * without the prompts and output of a session's transcript; GPA_CLEAN_MARGIN: without the margin of
 * all lines. */
enum { GPA_CLEAN_PROMPTS = 1, GPA_CLEAN_MARGIN = 2 };
void gpa_text_clean(const char *text, size_t n, int flags,
                    void (*each)(void *user, const char *text, size_t n), void *user);
/* Writes a summary of the disk cache of compiled programs, or (clear) removes it. */
void gpa_session_programs(gpa_session *s, bool clear);
/* The number of live memory blocks of the process; 0 once every session is freed. For leak
 * checks. */
long long gpa_session_live_blocks(void);

#endif
