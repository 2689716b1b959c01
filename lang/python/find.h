/* Search for a Python interpreter with a shared library. */
#ifndef GPA_PYTHON_FIND_H
#define GPA_PYTHON_FIND_H

#include <stdbool.h>

#include "runtime/base/str.h"

typedef struct {
    char executable[512]; /* the interpreter that was queried: .../bin/python3 */
    char version[32];     /* "3.11.7" */
    char library[1024];   /* its shared library: a path, or a name for the dynamic linker */
} python_found;

/* Finds the interpreter that `import` uses: `chosen` (an executable, or a folder with bin/python3),
 * else GPA_PYTHON, the active virtual environment (VIRTUAL_ENV, CONDA_PREFIX), the environment that
 * gpa is installed in, `python3` on PATH.
 * Runs the interpreter once to ask it. False: `why` (n bytes) gets a sentence, or "" where
 * GPA_PYTHON=none says that there is none. */
bool python_find(const char *chosen, python_found *out, char *why, size_t n);

/* The 11 of version 3.11.2. */
int python_minor(const python_found *f);

#endif
