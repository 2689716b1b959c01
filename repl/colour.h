/* Colours: whether there are any, and which. */
#ifndef GPA_COLOUR_H
#define GPA_COLOUR_H

#include "lang/session.h"

/* What is coloured: the parts of a source text (gpa_style) and those of the prompt. */
enum {
    TINT_IN = GPA_STYLE_COUNT, /* In [ ]: */
    TINT_IN_COUNT,
    TINT_OUT,
    TINT_OUT_COUNT,
    TINT_MORE,   /* ...: */
    TINT_HINT,   /* what history suggests; side remarks */
    TINT_MATCH,  /* the bracket at the cursor and its partner */
    TINT_CHOSEN, /* the line of a menu that Enter takes */
    TINT_ERROR,  /* the name of an error, and its marks */
    TINT_PLACE,  /* where it is */
    TINT_NOTE,   /* hint: */
    TINT_COUNT
};

/* Chooses once, from the option --color ("auto", "always", "never"; NULL: auto), then NO_COLOR,
 * CLICOLOR_FORCE, FORCE_COLOR, CLICOLOR, TERM and whether the stream is a terminal; the palette
 * from GPA_THEME ("light", "dark", "neutral") or COLORFGBG. False: no such choice. */
bool colour_begin(const char *option);
/* What GPA_THEME says when that is no theme, or NULL. */
const char *colour_unknown_theme(void);
/* Whether a stream, 1 or 2, is coloured. */
bool colour_on(int fd);
/* The sequence that begins a tint, and the one that ends any. "" where there is none. */
const char *colour_of(int tint);
#define COLOUR_END "\033[m"

#endif
