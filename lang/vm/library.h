/* Source texts of lang/library/, embedded by the build. */
#ifndef GPA_LIBRARY_LIBRARY_H
#define GPA_LIBRARY_LIBRARY_H

#include <stddef.h>

/* The part of a built-in module that is written in the language. */
typedef struct {
    const char *module;
    const char *text; /* ends with a zero byte */
    size_t size;      /* without it */
} library_module;

extern const library_module library_modules[]; /* terminated by a row with module NULL */

#endif
