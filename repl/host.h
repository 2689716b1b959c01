/* The terminal as a session's host: streams, results, errors, pages, questions, progress, Ctrl-C.
 */
#ifndef GPA_HOST_H
#define GPA_HOST_H

#include <signal.h>

#include "lang/session.h"

void host_init(gpa_host *h);
/* From now on Ctrl-C interrupts the running cell of this session; a second one within the same cell
 * does too. NULL: nothing runs any more. */
void host_catch_interrupts(gpa_session *s);
/* Whether the prompt is waiting: then Ctrl-C clears the line instead. */
void host_at_prompt(bool yes);
/* From now on values are shown with their number: Out[n]. */
void host_number_results(void);
/* At a terminal: ends the line that the output ended in. */
void host_fresh_line(void);
/* What the next cell is to begin with (%load, %recall), owned (free); NULL: nothing. */
char *host_next_input(void);

/* Writes what is buffered. errno of the first write to standard output that failed since the last
 * call; 0: everything is out. */
int host_finish_output(void);

/* Ctrl-C waits until the signals in *before are set again (pthread_sigmask). */
void host_hold_interrupts(sigset_t *before);
/* How many times Ctrl-C was pressed so far. */
int host_interrupts(void);

#endif
