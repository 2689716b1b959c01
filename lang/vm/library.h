/* The text of lang/library/, put into the program by the build. */
#ifndef GPA_LIBRARY_LIBRARY_H
#define GPA_LIBRARY_LIBRARY_H

#include <stddef.h>

/* What a built-in module has that is written in gpa. */
typedef struct {
    const char *module;
    const char *text; /* ends with a zero byte */
    size_t size;      /* without it */
} library_module;

extern const library_module library_modules[]; /* ends with module NULL */

#endif
