/* Pretty-printing of lists, tuples, sets and dicts over several lines, in IPython's layout. */
#ifndef GPA_SESSION_PRETTY_H
#define GPA_SESSION_PRETTY_H

#include "lang/session/state.h"

/* Appends a value's text: on one line if it fits in 79 columns, else one item per line, indented
 * by one column per nesting level. `item` writes values that are no containers. The error is the
 * vm's. */
gpa_code pretty_put(gpa_session *s, value v,
                    gpa_code (*item)(gpa_session *s, value v, gpa_str *out), gpa_str *out);

#endif
