/* History ranges, as %history, %recall, %rerun and %load take them: "4", "4-6", "4-", "243/1-5",
 * "~2/7", "~8/1-~6/5", "2:5" (end exclusive). */
#ifndef GPA_SESSION_RANGES_H
#define GPA_SESSION_RANGES_H

#include "lang/session/state.h"

/* Calls each with the entries of one range (a word). False: not a range. */
bool ranges_each(gpa_session *s, const char *word, size_t n,
                 void (*each)(void *user, const gpa_entry *e), void *user);
/* Concatenates the inputs of all ranges (blank-separated words), each ended by a newline. False:
 * one is not a range, or an entry does not exist. */
bool ranges_find(gpa_session *s, const char *words, size_t n, gpa_str *out);

#endif
