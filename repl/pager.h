/* Help pages for a terminal, and paging of long texts. */
#ifndef GPA_PAGER_H
#define GPA_PAGER_H

#include <stddef.h>

#include "lang/session.h"
#include "repl/buf.h"

/* ---- pages ---- */

/* Appends an inspection page (`name?`) for a terminal of this many columns; it ends with one
 * newline. Labels and code are coloured, docstrings printed as they are laid out, other fields
 * wrapped. */
void page_put(gpa_session *s, const char *text, size_t n, int columns, buf *out);

/* ---- paging ---- */

/* Shows a text on standard output, by $PAGER (`less -R` if unset) if it is longer than the
 * terminal. */
void pager_show(const char *text, size_t n);
/* The number of columns of the terminal, INT_MAX if standard output is no terminal. */
int pager_columns(void);

#endif
