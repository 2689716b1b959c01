/* What is known about a value, for completion, inspection and magics. */
#ifndef GPA_SESSION_INSPECT_H
#define GPA_SESSION_INSPECT_H

#include "lang/session/state.h"

/* The value of a dotted name, owned; UNSET (without an error) when there is none. Calls nothing but properties. */
value inspect_resolve(gpa_session *s, const char *text, size_t n);
/* What kind of thing it is, as gpa_completion says. */
const char *inspect_kind(value v);
/* "float64 (3, 4)", "int", "function". */
void inspect_type(value v, gpa_str *out);
/* "name(a, axis=None)" of what can be called and says how; else nothing. */
void inspect_signature(gpa_session *s, value v, const char *name, gpa_str *out);

#endif
