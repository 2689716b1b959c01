/* Long texts: through a pager at a terminal, else as they are. */
#ifndef GPA_PAGER_H
#define GPA_PAGER_H

#include <stddef.h>

/* Shows a text on standard output, by $PAGER (`less -R` where there is none) if it is longer than
 * the terminal. */
void pager_show(const char *text, size_t n);
/* The columns of the terminal, INT_MAX where standard output is none. */
int pager_columns(void);

#endif
