/* A cell from the user: the small interface that line editing is kept behind. With GNU readline it
 * is edited as a whole, lines and all; without it, or on a terminal that cannot move its cursor,
 * lines are read plainly until they are a cell. */
#ifndef GPA_LINE_H
#define GPA_LINE_H

#include "lang/session.h"

typedef enum {
    LINE_CELL,    /* a text */
    LINE_DROPPED, /* Ctrl-C: the input is discarded */
    LINE_END      /* the end of input */
} line_result;

/* Sets up editing: completion, highlighting and history come from the session. */
void line_begin(gpa_session *s);
/* Reads a cell, with `prompt` before its first line and `more` before the others (both with
 * colour sequences). Initial text: `start` (NULL: empty). LINE_CELL: *text is owned by the
 * caller (free). / */
line_result line_read(const char *prompt, const char *more, const char *start, char **text);
/* Reads one line as the answer to a question. */
line_result line_ask(const char *prompt, char **text);
/* Adds a cell to the history list. */
void line_remember(const char *text);
void line_end(void);

#endif
