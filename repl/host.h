/* Host callbacks of a session at a terminal: streams, results, errors, pages, questions, progress,
 * Ctrl-C. */
#ifndef GPA_HOST_H
#define GPA_HOST_H

#include <signal.h>

#include "lang/session.h"

void host_init(gpa_host *h);
/* From now on Ctrl-C interrupts the running cell of this session; a second press does too. NULL:
 * no session. */
void host_catch_interrupts(gpa_session *s);
/* While the prompt waits for input Ctrl-C clears the line instead. */
void host_at_prompt(bool yes);
/* From now on values are displayed with their number: Out[n]. */
void host_number_results(void);
/* On a terminal: ends the current line if output did not. */
void host_fresh_line(void);
/* Initial text of the next cell (%load, %recall), owned (free); NULL: none. */
char *host_next_input(void);

/* Flushes output. Returns the errno of the first failed write to standard output since the last
 * call; 0: none. */
int host_finish_output(void);

/* Blocks Ctrl-C until the signal mask *before is restored (pthread_sigmask). */
void host_hold_interrupts(sigset_t *before);
/* The number of times Ctrl-C was pressed. */
int host_interrupts(void);

#endif
