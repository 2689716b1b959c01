/* Layout of an inspection page (`name?`) for a terminal: labels and code coloured, docstrings
 * printed as they are laid out, other fields wrapped at blanks. */
#ifndef GPA_PAGE_H
#define GPA_PAGE_H

#include "lang/session.h"
#include "repl/buf.h"

/* Appends the page for a terminal of this many columns; it ends with one newline. */
void page_put(gpa_session *s, const char *text, size_t n, int columns, buf *out);

#endif
