/* What was typed before: readline's list of cells, filled from the session's history; walking it by
 * prefix, and hints. */
#ifndef GPA_PAST_H
#define GPA_PAST_H

#include "lang/session.h"

/* Fills the list from the session's history, the first time. */
void past_load(gpa_session *s);
/* Adds a cell. One like the last is not added again, nor one that begins with a blank. */
void past_add(const char *text);
/* The cell before (-1) or after (1) that begins like the text did when the walk started, in the
 * place of the edited text. `prefix` bytes of it count. False: there is none. */
bool past_walk(int direction, size_t prefix);
/* What the latest cell that begins with this text goes on with; NULL: none. Valid until the list
 * changes. */
const char *past_hint(const char *text, size_t n);
void past_free(void);

#endif
