/* What is known about values and names, for completion, inspection and magics. */
#ifndef GPA_SESSION_INSPECT_H
#define GPA_SESSION_INSPECT_H

#include "lang/session/state.h"

/* The value of a dotted name, owned; UNSET (without an error) when there is none. Calls nothing but
 * properties. */
value inspect_resolve(gpa_session *s, const char *text, size_t n);
/* What kind of thing it is, as gpa_completion says. */
const char *inspect_kind(value v);
/* "float64 (3, 4)", "int", "function". */
void inspect_type(value v, gpa_str *out);
/* The type's name without its module: "ndarray". */
const char *inspect_type_name(value v);
/* "name(a, axis=None)" of what can be called and says how; else nothing. */
void inspect_signature(gpa_session *s, value v, const char *name, gpa_str *out);
/* The docstring. */
void inspect_doc(gpa_session *s, value v, gpa_str *out);
/* The lines of a function's definition; and the file or cell they stand in. */
void inspect_source(gpa_session *s, value v, gpa_str *out);
const char *inspect_file(gpa_session *s, value v);
/* The dotted name around the cursor. False: there is none. */
bool inspect_name_at(const char *src, size_t n, size_t cursor, size_t *lo, size_t *hi);
/* The dotted name of the function in whose parentheses the cursor stands. False: it stands in none.
 */
bool inspect_call_at(const char *src, size_t n, size_t cursor, size_t *lo, size_t *hi);
bool inspect_is_name(char c);

#endif
