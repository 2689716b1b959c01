/* Facts about values and names, for completion, inspection and magics. */
#ifndef GPA_SESSION_INSPECT_H
#define GPA_SESSION_INSPECT_H

#include "lang/session/state.h"

/* The value of a dotted name, owned; UNSET (without an error) if undefined. Calls no code but
 * properties. */
value inspect_resolve(gpa_session *s, const char *text, size_t n);
/* The kind of a value, as in gpa_completion. */
const char *inspect_kind(value v);
/* "float64 (3, 4)", "int", "function". */
void inspect_type(value v, gpa_str *out);
/* The unqualified type name: "ndarray". */
const char *inspect_type_name(value v);
/* "name(a, axis=None)" of a callable with a known signature; else empty. */
void inspect_signature(gpa_session *s, value v, const char *name, gpa_str *out);
/* The docstring. */
void inspect_doc(gpa_session *s, value v, gpa_str *out);
/* The source lines of a function; the file or cell that contains them. */
void inspect_source(gpa_session *s, value v, gpa_str *out);
const char *inspect_file(gpa_session *s, value v);
/* The line at which it begins there; 0: unknown. */
long inspect_line(gpa_session *s, value v);
/* Calls `each` with the names of a built-in module's submodules, loaded or not. */
void inspect_submodules(gpa_session *s, const module_obj *m,
                        void (*each)(void *user, const char *name), void *user);
/* The dotted name around the cursor. False: none. */
bool inspect_name_at(const char *src, size_t n, size_t cursor, size_t *lo, size_t *hi);
/* The dotted name of the function whose call encloses the cursor. False: none. */
bool inspect_call_at(const char *src, size_t n, size_t cursor, size_t *lo, size_t *hi);
bool inspect_is_name(char c);

#endif
