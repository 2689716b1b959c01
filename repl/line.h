/* Input of cells: the editor or plain lines, and the history list. */
#ifndef GPA_LINE_H
#define GPA_LINE_H

#include "lang/session.h"

/* ---- history list (with readline) ---- */

/* Fills the list from the session's history, at the first call. */
void past_load(gpa_session *s);
/* Adds a cell, unless it equals the last one or begins with a blank. */
void past_add(const char *text);
/* Replaces the edited text by the previous (-1) or next (1) cell that begins with its first
 * `prefix` bytes at the start of the walk. False: there is none. */
bool past_walk(int direction, size_t prefix);
/* The continuation of the latest cell that begins with this text; NULL: none. Valid until the
 * list changes. */
const char *past_hint(const char *text, size_t n);
void past_free(void);

/* ---- cells ---- */

typedef enum {
    LINE_CELL,    /* a text */
    LINE_DROPPED, /* Ctrl-C: the input is discarded */
    LINE_END      /* the end of input */
} line_result;

/* Sets up editing: completion, highlighting and history come from the session. */
void line_begin(gpa_session *s);
/* Reads a cell, with `prompt` before its first line and `more` before the others (both with
 * colour sequences). Initial text: `start` (NULL: empty). LINE_CELL: *text is owned by the
 * caller (free). */
line_result line_read(const char *prompt, const char *more, const char *start, char **text);
/* Reads one line as the answer to a question. */
line_result line_ask(const char *prompt, char **text);
/* The same, without showing what is typed. */
line_result line_ask_hidden(const char *prompt, char **text);
/* Toggles the indentation of new lines, and returns it; false without an editor. */
bool line_toggle_indentation(void);
/* Adds a cell to the history list. */
void line_remember(const char *text);
void line_end(void);

#endif
