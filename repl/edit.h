/* Multi-line editing of a cell: GNU readline's keys and commands with a renderer that draws
 * several lines in colour. */
#ifndef GPA_EDIT_H
#define GPA_EDIT_H

#include "repl/line.h"

/* False without readline, or if standard input and output are no terminal with cursor control;
 * then no other function may be called. */
bool edit_begin(gpa_session *s);
line_result edit_read(const char *prompt, const char *more, const char *start, char **text);
line_result edit_ask(const char *prompt, char **text);
/* Toggles the indentation of new lines, and returns it. */
bool edit_toggle_indentation(void);
void edit_remember(const char *text);
void edit_end(void);

/* ---- for the keys ---- */

gpa_session *edit_session(void);
/* True if an answer is edited, not a cell: a single line without completion. */
bool edit_asking(void);
/* The suggestion displayed after the text; NULL: none. */
const char *edit_hint(void);
/* Lines that answer the next questions, pasted with the answer to the current one. */
void edit_keep_answers(const char *lines);
/* Accepts the text. */
void edit_done(void);
/* Redraws everything: another program wrote to the terminal, or the screen is to be cleared. */
void edit_redraw(bool clear);
/* Restores the terminal for another program; and sets it up for editing again. */
void edit_lend(void);
void edit_take_back(void);

#endif
