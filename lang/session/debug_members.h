/* Values as a debugger lists them: described on one line, with members. */
#ifndef GPA_SESSION_DEBUG_MEMBERS_H
#define GPA_SESSION_DEBUG_MEMBERS_H

#include "lang/session/state.h"

/* A row of a list of values: its name, expression and text. */
typedef struct {
    const char *name, *expression; /* expression NULL or "": none */
    const gpa_str *text;           /* NULL or empty: made from the value */
} debug_entry;
void debug_describe(gpa_session *s, const debug_entry *what, value v, gpa_variable_sink *sink,
                    void *user);
/* A number for the members of a value, or for `variables`: a DICT or a MODULE. 0: out of memory. */
int debug_ref_new(gpa_session *s, value v, bool variables, const char *expression);

#endif
