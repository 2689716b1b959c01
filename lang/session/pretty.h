/* Lists, tuples, sets and dicts over several lines, as IPython shows them. */
#ifndef GPA_SESSION_PRETTY_H
#define GPA_SESSION_PRETTY_H

#include "lang/session/state.h"

/* A value's text, appended: on one line where that has room (79 columns), else each item of a
 * container on a line of its own, one column further in for each container around it. `item` writes
 * what is no container. The error is the vm's. */
gpa_code pretty_put(gpa_session *s, value v,
                    gpa_code (*item)(gpa_session *s, value v, gpa_str *out), gpa_str *out);

#endif
