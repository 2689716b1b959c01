/* The read-eval-print loop of a terminal. */
#ifndef GPA_PROMPT_H
#define GPA_PROMPT_H

#include "lang/session.h"

/* Returns the exit code. explain: display what ran after each cell (2: with the generated code). */
int prompt_loop(gpa_session *s, int explain, bool banner);

#endif
