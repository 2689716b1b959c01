/* Error codes (Python exception types) and the error record that a failing function fills.
 *
 * A failing function returns a code and fills the gpa_err it was given (always the last parameter).
 * The first error wins; the message is complete; building it never allocates. The codes are
 * Python's exception types, one row each, and each row names its parent, so that `except
 * LookupError` is answered from the table. */
#ifndef GPA_BASE_ERR_H
#define GPA_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

typedef enum {
    GPA_OK = 0,
#define ERR(code, name, parent) GPA_E_##code,
#include "runtime/base/err.def"
#undef ERR
    GPA_E_COUNT
} gpa_code;

/* Bytes [lo, hi) of source `src`; src 0 means "nowhere". */
typedef struct {
    uint32_t src, lo, hi;
} gpa_span;

enum { GPA_ERR_NOTES = 4, GPA_ERR_TEXT = 768 };

/* A note is printed under the caret line at its span: the shape of an operand, for example. */
typedef struct {
    gpa_span span;
    char text[48];
} gpa_note;

typedef struct {
    gpa_code code;
    gpa_span span;
    uint32_t n_notes;
    gpa_note notes[GPA_ERR_NOTES];
    char msg[GPA_ERR_TEXT]; /* without the exception's name; may hold several lines */
    char hint[160];         /* "" or a suggestion, shown on a line of its own */
} gpa_err;

/* Sets *e unless it already holds an error (then the first stays). Always returns `code`. e may be
 * NULL. */
gpa_code gpa_fail(gpa_err *e, gpa_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
gpa_code gpa_failv(gpa_err *e, gpa_code code, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
/* GPA_E_MEMORY, "out of memory". */
gpa_code gpa_no_memory(gpa_err *e);
/* GPA_E_INTERRUPT, with an empty message. */
gpa_code gpa_interrupted(gpa_err *e);
/* Sets the error's source location if it has none yet, so the innermost wins. Returns e->code. */
gpa_code gpa_fail_at(gpa_err *e, gpa_span where);
/* Adds a note, or a hint, to an error that is set; notes beyond GPA_ERR_NOTES are dropped. */
void gpa_err_note(gpa_err *e, gpa_span where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gpa_err_hint(gpa_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes *e empty. */
void gpa_err_clear(gpa_err *e);

/* Python's name of a code, its parent's code, and whether `code` is `ancestor` or descends from it.
 */
const char *gpa_err_name(gpa_code code);
gpa_code gpa_err_parent(gpa_code code);
int gpa_err_is(gpa_code code, gpa_code ancestor);
/* The code with this Python name; GPA_OK when there is none. */
gpa_code gpa_err_find(const char *name);
/* The OSError of an errno. */
gpa_code gpa_err_of_errno(int number);

/* Evaluates a call; on failure sets `rc` and jumps to the label `out`, both of the function: a
 * macro, as no function can jump. */
#define TRY(call)               \
    do {                        \
        gpa_code try_ = (call); \
        if (try_) {             \
            rc = try_;          \
            goto out;           \
        }                       \
    } while (0)

#endif
