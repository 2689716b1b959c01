/* The text of lang/prelude/, put into the program by the build. */
#ifndef GPA_PRELUDE_H
#define GPA_PRELUDE_H

#include <stddef.h>

/* What a built-in module has that is written in gpa. */
typedef struct {
    const char *module;
    const char *text; /* ends with a zero byte */
    size_t size;      /* without it */
} gpa_prelude;

extern const gpa_prelude gpa_preludes[]; /* ends with module NULL */

#endif
