/* Colour: palettes, syntax highlighting of program lines, coloured error reports. */
#ifndef GPA_COLOUR_H
#define GPA_COLOUR_H

#include "lang/session.h"
#include "repl/buf.h"

/* ---- palettes ---- */

/* Styles: the classes of a source text (gpa_style) and those of the prompt. */
enum {
    TINT_IN = GPA_STYLE_COUNT, /* In [ ]: */
    TINT_IN_COUNT,
    TINT_OUT,
    TINT_OUT_COUNT,
    TINT_MORE,     /* ...: */
    TINT_HINT,     /* suggestions from history; secondary text */
    TINT_MATCH,    /* the bracket at the cursor and its partner */
    TINT_CHOSEN,   /* the selected line of a menu */
    TINT_ERROR,    /* an error's name and marks */
    TINT_LOCATION, /* an error's location */
    TINT_NOTE,     /* hint: */
    TINT_COUNT
};

/* Chooses once, from the option --color ("auto", "always", "never"; NULL: auto), then NO_COLOR,
 * CLICOLOR_FORCE, FORCE_COLOR, CLICOLOR, TERM and whether the stream is a terminal; the palette
 * from GPA_THEME ("light", "dark", "neutral") or COLORFGBG. False: no such choice. */
bool colour_begin(const char *option);
/* The value of GPA_THEME if it names no theme; else NULL. */
const char *colour_unknown_theme(void);
/* Chooses another palette, or no colours, by IPython's names too: nocolor, linux, lightbg. False:
 * no such name. */
bool colour_choose(const char *name);
/* True if a stream (1 or 2) is coloured. */
bool colour_on(int fd);
/* The escape sequence that starts a style, and the one that resets. "" without colours. */
const char *colour_of(int tint);
#define COLOUR_END "\033[m"

/* ---- program lines ---- */

/* Appends n bytes of a program with colours. s may be NULL: plain. */
void source_line_put(gpa_session *s, const char *text, size_t n, buf *out);

/* ---- error reports ---- */

/* Appends the report. s (for the colours of source lines) may be NULL. */
void report_put(gpa_session *s, const gpa_diag *d, buf *out);

#endif
