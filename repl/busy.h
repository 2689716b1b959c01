/* Busy indicator of a terminal: after a second without output it shows the run time of the cell on
 * the error stream. It is erased when there is output, a question, or the cell ends.
 *
 * A thread draws it. Call busy_pause before anything else is written to the terminal, and
 * busy_resume afterwards. */
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
