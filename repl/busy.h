/* A sign of life while a cell runs long: after a second without output, how long it has been
 * running, on the error stream of a terminal. Gone as soon as there is output, a question, or the
 * end.
 *
 * What is shown is drawn by a thread of its own. busy_pause must be called before anything else is
 * written to the terminal, and busy_resume behind it. */
#ifndef GPA_BUSY_H
#define GPA_BUSY_H

#include <stdbool.h>

/* A cell begins; nothing happens where standard error is no terminal. */
void busy_begin(void);
void busy_end(void);
void busy_free(void); /* at the end of the program */
void busy_pause(void);
/* at_margin: the terminal's cursor is at the beginning of a line, so that there is room for the
 * sign. */
void busy_resume(bool at_margin);
/* What long work says of itself, shown in the place of the clock (NULL: the clock again). */
void busy_say(const char *text);

#endif
