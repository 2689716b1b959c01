/* Magic functions: lines that begin with % or !, and help requests with ?.
 *
 * A magic is defined in a file magic_*.c by its row and its body:
 *
 *     MAGIC(name, LINE | CELL | BOTH, CODE | WORDS, "usage",
 *           "Summary line, which %quickref shows.\n"
 *           "\n"
 *           "Options\n"
 *           "-------\n"
 *           "-f    ...") {
 *         ...        the magic_call is m; a value is assigned to *out, which starts as NONE
 *     }
 *
 * CODE: the rest of the line is a statement, unchanged; WORDS: {expression} and $name are expanded
 * first. The Makefile collects the rows of all files in magic_rows. */
#ifndef GPA_SESSION_MAGIC_H
#define GPA_SESSION_MAGIC_H

#include "lang/syntax/ast.h"
#include "lang/session/inspect.h"
#include "lang/session/state.h"

typedef struct magic_call magic_call;
typedef gpa_code magic_fn(magic_call *m, value *out); /* *out starts as NONE; errors are the vm's */

typedef enum { MAGIC_LINE = 1, MAGIC_CELL = 2, MAGIC_BOTH = 3 } magic_kinds;
/* How the line is interpreted: as a statement, unchanged; or as words, in which {expression} and
 * $name are expanded. */
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
    const char *text; /* the whole text, as written, ... */
    gpa_span at;      /* ... and its span */
    const char *args; /* the rest of the line, without surrounding blanks */
    size_t n;
    const char *body; /* of a cell magic: the lines below; NULL: a line magic */
    size_t n_body;
    bool failed;         /* out of memory while reading arguments: the call fails */
    bool wanted;         /* the value is assigned: `x = %magic` */
    const char *letters; /* the letters of a cluster of options (-qo) still to be read, up to ... */
    const char *letters_end;
};

/* All magics, sorted by name; ends with NULL. */
extern const magic *const magic_rows[];
/* The magic with this name, or NULL. */
const magic *magic_find(const char *name, size_t n);

/* Defines a magic: its row and the head of its function. */
#define MAGIC(name, kinds, line, usage, doc)               \
    MAGIC_ROW(name, magic_##name, kinds, line, usage, doc) \
    static gpa_code magic_##name(MAGIC_UNUSED magic_call *m, MAGIC_UNUSED value *out)
/* Defines the row of a further name of a function. */
#define MAGIC_ROW(name, function, kinds, line, usage, doc) \
    static magic_fn function;                              \
    const magic magic_row_##name = {#name, MAGIC_##kinds, MAGIC_##line, function, usage, doc};
#define MAGIC_UNUSED __attribute__((unused))

/* Raises UsageError. */
gpa_code magic_usage(const magic_call *m, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads the next option of the arguments by a getopt specification ("n:r:q"), with its value in
 * *text: "-n5", "-n 5", "-qo". 0 at the end, -1 on an error. */
int magic_option(magic_call *m, const char *spec, const char **text, size_t *n);
/* Reads the value of an option as an integer of at least `least`. */
gpa_code magic_number(const magic_call *m, const char *text, size_t n, long least, long *out);
/* Consumes this word (a long option, a subcommand) if the arguments begin with it. */
bool magic_take(magic_call *m, const char *word);
/* Reads the next word of the arguments, quotes removed, into *out (cleared first). False: none
 * left. */
bool magic_word(magic_call *m, gpa_str *out);

/* Parses a part of the call's text (arguments, body) in place, so that errors show the user's
 * line. */
gpa_code magic_parse(const magic_call *m, const char *text, size_t n, ast_module **out);
/* Parses and runs it. *last as vm_eval's; may be NULL. */
gpa_code magic_eval(const magic_call *m, const char *text, size_t n, value *last);
/* Expands {expression}, $name and $$ in the text; unchanged where evaluation fails. */
void magic_expand(gpa_session *s, const char *text, size_t n, gpa_str *out);

/* "1.25 ms", "1min 2s"; "1.5 MB"; "12.3 GB/s". */
void magic_put_time(gpa_str *out, double seconds, int digits);
void magic_put_bytes(gpa_str *out, double bytes);
/* Escapes text for HTML. */
void magic_put_html(gpa_str *out, const char *text, size_t n);
/* Asks the user for confirmation; without a user the answer is yes. */
gpa_code magic_confirm(gpa_session *s, const char *question, bool *yes);
/* Reads a whole file; false with errno set. */
bool magic_read_file(const char *path, gpa_str *out);
/* Expands "~/x". */
void magic_home(const char *path, gpa_str *out);

/* ---- across the files of magics ---- */

/* !cmd (magic_shell.c). `take`: the output becomes a list of lines in *out, else it is
 * displayed. */
gpa_code magic_system(gpa_session *s, const char *command, size_t n, bool take, value *out);
/* Runs a command of the shell on the terminal; *code: its exit status (magic_shell.c). */
gpa_code magic_terminal(gpa_session *s, const char *command, int *code);
/* Runs one and appends its output. */
gpa_code magic_output(gpa_session *s, const char *command, gpa_str *out, int *code);
/* Runs an alias with the call's arguments (magic_alias.c). */
gpa_code alias_run(magic_call *m, const char *name, const char *command, value *out);
/* Removes what %store keeps under a name, a variable or an alias (magic_store.c). False: nothing.
 */
typedef enum { STORE_VARIABLE, STORE_ALIAS } store_kind;
bool store_forget(const char *name, store_kind kind);
/* The text that a name denotes: lines of the history, a file, a str or macro, the source of a
 * function (magic_files.c). False: none. */
bool magic_find_text(gpa_session *s, const char *name, size_t n, gpa_str *out);
/* Runs a text in the main module, as a cell (magic_history.c). */
gpa_code magic_run_text(gpa_session *s, const char *text, size_t n);
/* Deletes the user's arrays, and Out (magic_names.c). */
gpa_code magic_forget_arrays(gpa_session *s);
/* %trace: called at the beginning and the end of a cell (magic_device.c). */
void magic_trace_cell(gpa_session *s, bool begin);
/* name? and its variants (magic_names.c). */
gpa_code magic_question(gpa_session *s, const char *name, size_t n, int level);

#endif
