/* Pasted transcripts: strips prompts and output of a copied session. */
#ifndef GPA_SESSION_TRANSCRIPT_H
#define GPA_SESSION_TRANSCRIPT_H

#include <stdbool.h>

#include "lang/session.h"
#include "runtime/base/str.h"

/* True if the first line that is not blank begins with a prompt. */
bool transcript_begins(const char *text, size_t n);
/* Appends the text as gpa_text_clean gives it. Prompts are `>>> `, `... `, `In [1]: ` and `   ...:
 * `; where there are several, the lines between them are output. */
void transcript_clean(const char *text, size_t n, int flags, gpa_str *out);

#endif
