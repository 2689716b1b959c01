/* Magics without their %: `ls`, `cd data`, `timeit f(x)`. */
#ifndef GPA_SESSION_AUTOMAGIC_H
#define GPA_SESSION_AUTOMAGIC_H

#include "lang/session/state.h"

/* Whether a cell is one line that names a magic and not a name of the program's, nor an operation
 * on such: then *out (initialised, empty) gets the line with its %. */
bool automagic(gpa_session *s, const char *src, size_t n, gpa_str *out);

#endif
