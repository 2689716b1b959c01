/* Magics: lines that begin with % or !, or ask with ?.
 *
 * A magic is one row of magic.def: its name, whether it is a line's or a cell's, whether
 * {expressions} and $names in its line are replaced first, its function, usage and documentation.
 * The functions stand in the files magic_*.c by subject; what they share is here. */
#ifndef GPA_SESSION_MAGIC_H
#define GPA_SESSION_MAGIC_H

#include "lang/syntax/ast.h"
#include "lang/session/inspect.h"
#include "lang/session/state.h"

typedef struct magic_call magic_call;
typedef gpa_code magic_fn(magic_call *m, value *out); /* *out starts as NONE; errors are the vm's */

typedef enum { MAGIC_LINE = 1, MAGIC_CELL = 2, MAGIC_BOTH = 3 } magic_kinds;
/* What its line is: a statement, taken as it stands; or words, in which {expression} and $name are
 * replaced. */
typedef enum { MAGIC_CODE, MAGIC_WORDS } magic_line;

typedef struct magic {
    const char *name;
    magic_kinds kinds;
    magic_line line;
    magic_fn *run;
    const char *usage, *doc;
} magic;

/* A magic that is running. Texts are borrowed for the call and not zero-terminated. */
struct magic_call {
    gpa_session *s;
    const magic *row;
    const char *text; /* the whole, as written, ... */
    gpa_span at;      /* ... and where */
    const char *args; /* the rest of its line, without the blanks round it */
    size_t n;
    const char *body; /* of a cell magic: the lines below; NULL: a line magic */
    size_t n_body;
    bool failed; /* memory was short while the arguments were read: the call fails, whatever came of
                    it */
    bool wanted; /* the value goes somewhere: `x = %magic` */
    const char *letters; /* of a cluster of options (-qo) those still to come, up to ... */
    const char *letters_end;
};

/* The magic with this name, or NULL; and all of them, for lists and completion. */
const magic *magic_find(const char *name, size_t n);
const magic *magic_all(size_t *n);

/* UsageError. */
gpa_code magic_usage(const magic_call *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The next option at the beginning of the arguments, by getopt's description ("n:r:q"), with its
 * value in *text: "-n5",
 * "-n 5", "-qo". 0 when there are no more, -1 on an error. */
int magic_option(magic_call *m, const char *spec, const char **text, size_t *n);
/* The value of an option as a number of at least `least`. */
gpa_code magic_number(const magic_call *m, const char *text, size_t n, long least, long *out);
/* Whether the arguments begin with this word (a long option, a subcommand), which is taken away. */
bool magic_take(magic_call *m, const char *word);
/* The next word of the arguments, quotes removed, in *out (cleared first). False: there is none. */
bool magic_word(magic_call *m, gpa_str *out);

/* Parses a part of the call's text (its arguments, its body) where it stands, so that errors show
 * the user's own line. */
gpa_code magic_parse(const magic_call *m, const char *text, size_t n, ast_module **out);
/* Parses and runs it. *last as vm_eval's; may be NULL. */
gpa_code magic_eval(const magic_call *m, const char *text, size_t n, value *last);
/* The text with {expression}, $name and $$ replaced; as it is when something in it cannot be
 * evaluated. */
void magic_expand(gpa_session *s, const char *text, size_t n, gpa_str *out);

/* "1.25 ms", "1min 2s"; "1.5 MB"; "12.3 GB/s". */
void magic_put_time(gpa_str *out, double seconds, int digits);
void magic_put_bytes(gpa_str *out, double bytes);
/* Text for HTML. */
void magic_put_html(gpa_str *out, const char *text, size_t n);
/* Asks the user; where nobody can be asked the answer is yes. */
gpa_code magic_confirm(gpa_session *s, const char *question, bool *yes);
/* The whole of a file; false with errno set. */
bool magic_read_file(const char *path, gpa_str *out);
/* "~/x" with the home folder. */
void magic_home(const char *path, gpa_str *out);

/* ---- across the files of magics ---- */

/* !cmd (magic_shell.c): `take`: the output becomes a list of lines in *out, else it is shown. */
gpa_code magic_system(gpa_session *s, const char *command, size_t n, bool take, value *out);
/* Seconds of a clock that only goes on. */
double magic_clock(void);
/* Takes away the user's arrays, and Out (magic_names.c). */
gpa_code magic_forget_arrays(gpa_session *s);
/* %trace: at the beginning and the end of a cell (magic_device.c). */
void magic_trace_cell(gpa_session *s, bool begin);
/* name? and its like (magic_names.c). */
gpa_code magic_question(gpa_session *s, const char *name, size_t n, int level);

#define MAGIC(name, kinds, line, fn, usage, doc) magic_fn fn;
#include "lang/session/magic.def"
#undef MAGIC

#endif
