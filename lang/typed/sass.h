/* SASS (GPU machine code) of PTX, by the tools of the CUDA toolkit. */
#ifndef GPA_SESSION_SASS_H
#define GPA_SESSION_SASS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

/* Appends the machine code of PTX for the architecture that it names. False, with no text appended:
 * ptxas or cuobjdump is missing, or rejected it. */
bool sass_of_ptx(const char *ptx, size_t n, gpa_str *out);

#endif
