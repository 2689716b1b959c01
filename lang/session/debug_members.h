/* Values as a debugger lists them: described on one line, with members. */
#ifndef GPA_SESSION_DEBUG_MEMBERS_H
#define GPA_SESSION_DEBUG_MEMBERS_H

#include "lang/session/state.h"

/* What else is said of a value. */
typedef struct {
    const char *name, *expression; /* expression NULL or "": none */
    const gpa_str *text;           /* NULL or empty: it is described */
} debug_told;
void debug_tell(gpa_session *s, const debug_told *what, value v, gpa_variable_sink *tell,
                void *user);
/* A number for the members of a value, or for `variables`: a DICT or a MODULE. 0: out of memory. */
int debug_ref_new(gpa_session *s, value v, bool variables, const char *expression);

#endif
