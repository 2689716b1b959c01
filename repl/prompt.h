/* The prompt: reads cells, evaluates them, until the user leaves. */
#ifndef GPA_PROMPT_H
#define GPA_PROMPT_H

#include "lang/session.h"

/* Returns the exit code. explain: after each cell show what ran (2: with the generated code). */
int prompt_loop(gpa_session *s, int explain, bool banner);

#endif
