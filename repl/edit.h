/* Editing a cell on a terminal: GNU readline's keys and commands, and a screen of our own that
 * shows many lines in colour. */
#ifndef GPA_EDIT_H
#define GPA_EDIT_H

#include "repl/line.h"

/* False where there is no readline, or standard input and output are not a terminal that can be
 * edited on; then nothing else may be called. */
bool edit_begin(gpa_session *s);
line_result edit_read(const char *prompt, const char *more, const char *start, char **text);
line_result edit_ask(const char *prompt, char **text);
void edit_remember(const char *text);
void edit_end(void);

/* ---- for the keys ---- */

gpa_session *edit_session(void);
/* Whether an answer is edited, not a cell: one line, without completion. */
bool edit_asking(void);
/* The suggestion that is shown behind the text; NULL: none. */
const char *edit_hint(void);
/* The text is done. */
void edit_done(void);
/* Somebody else wrote to the terminal, or the terminal is to be cleared: all is drawn again. */
void edit_redraw(bool clear);
/* The terminal is another program's for a while, as that program expects it; and ours again. */
void edit_lend(void);
void edit_take_back(void);

#endif
