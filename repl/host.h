/* The terminal as a session's host: streams, results, errors, input, Ctrl-C. */
#ifndef GPA_HOST_H
#define GPA_HOST_H

#include "lang/session.h"

void host_init(gpa_host *h);
/* From now on Ctrl-C interrupts the running cell of this session; a second one within the same cell does too. */
void host_catch_interrupts(gpa_session *s);
/* Whether the prompt is waiting: then Ctrl-C clears the line instead. */
void host_at_prompt(bool yes);

#endif
