/* Pasted transcripts: strips prompts and output of a copied session. */
#ifndef GPA_TRANSCRIPT_H
#define GPA_TRANSCRIPT_H

#include "repl/buf.h"

/* Appends the text with lines ended by \n, without control characters, without prompts (`>>> `,
 * `... `, `In [1]: `, `   ...: `) and, where there are several, without the lines between them;
 * without the margin that all lines share when `dedent`. */
void transcript_clean(const char *text, size_t n, bool dedent, buf *out);

#endif
