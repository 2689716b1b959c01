/* Input history: readline's list of cells, filled from the session's history; prefix search and
 * suggestions. */
#ifndef GPA_PAST_H
#define GPA_PAST_H

#include "lang/session.h"

/* Fills the list from the session's history, at the first call. */
void past_load(gpa_session *s);
/* Adds a cell, unless it equals the last one or begins with a blank. */
void past_add(const char *text);
/* Replaces the edited text by the previous (-1) or next (1) cell that begins with its first
 * `prefix` bytes at the start of the walk. False: there is none. */
bool past_walk(int direction, size_t prefix);
/* The continuation of the latest cell that begins with this text; NULL: none. Valid until the
 * list changes. */
const char *past_hint(const char *text, size_t n);
void past_free(void);

#endif
