/* A sign of life while a cell runs long: after a second without output, how long it has been
 * running, on the error stream of a terminal. Gone as soon as there is output, a question, or the
 * end.
 *
 * What is shown is drawn by a thread of its own. busy_pause must be called before anything else is
 * written to the terminal, and busy_resume behind it. */
#ifndef GPA_BUSY_H
#define GPA_BUSY_H

#include <stdbool.h>

/* Starts the indicator for a cell; no effect where standard error is no terminal. */
void busy_begin(void);
void busy_end(void);
void busy_free(void); /* at the end of the program */
void busy_pause(void);
/* at_margin: the cursor is at the beginning of a line, so the indicator may be drawn. */
void busy_resume(bool at_margin);
/* Progress text of a long operation, shown instead of the elapsed time (NULL: elapsed time). */
void busy_say(const char *text);

#endif
