/* A page about a name, made fit for a terminal: lines broken at blanks, labels and code coloured.
 */
#ifndef GPA_PAGE_H
#define GPA_PAGE_H

#include "lang/session.h"
#include "repl/buf.h"

/* Appends the page, for a terminal of so many columns; it ends with one end of line. */
void page_put(gpa_session *s, const char *text, size_t n, int columns, buf *out);

#endif
