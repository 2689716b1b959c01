/* Paging of long texts. */
#ifndef GPA_PAGER_H
#define GPA_PAGER_H

#include <stddef.h>

/* Shows a text on standard output, by $PAGER (`less -R` if unset) if it is longer than the
 * terminal. */
void pager_show(const char *text, size_t n);
/* The number of columns of the terminal, INT_MAX if standard output is no terminal. */
int pager_columns(void);

#endif
