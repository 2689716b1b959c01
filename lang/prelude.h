/* The text of lang/prelude/, put into the program by the build. */
#ifndef GPA_PRELUDE_H
#define GPA_PRELUDE_H

#include <stddef.h>

extern const char gpa_prelude_text[]; /* ends with a zero byte */
extern const size_t gpa_prelude_size; /* without it */

#endif
