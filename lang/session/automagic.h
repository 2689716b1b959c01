/* Automagic: magics without their %: `ls`, `cd data`, `timeit f(x)`. */
#ifndef GPA_SESSION_AUTOMAGIC_H
#define GPA_SESSION_AUTOMAGIC_H

#include "lang/session/state.h"

/* True if a cell is one line that names a magic, is not a bound name and is not an operation on
 * one: *out (initialised, empty) gets the line with its %. */
bool automagic(gpa_session *s, const char *src, size_t n, gpa_str *out);

#endif
