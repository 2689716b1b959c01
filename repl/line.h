/* One line from the user: the small interface that GNU readline is kept behind. */
#ifndef GPA_LINE_H
#define GPA_LINE_H

#include "lang/session.h"

/* Sets editing up with completion from the session. */
void line_begin(gpa_session *s);
/* The next line without its end, owned by the caller (free); NULL at the end of input. `indent` columns are typed
 * ahead. *interrupted: Ctrl-C was pressed; the line is NULL then. */
char *line_read(const char *prompt, int indent, bool *interrupted);
/* Adds a cell to the history. */
void line_remember(const char *text);
void line_end(void);

#endif
