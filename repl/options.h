/* The command line. */
#ifndef GPA_OPTIONS_H
#define GPA_OPTIONS_H

#include <stdbool.h>

typedef struct {
    const char *file;        /* "-": standard input; NULL: none */
    const char *const *code; /* texts of -c, n_code of them */
    int n_code;
    const char *device, *cache, *colour;
    bool interactive, quiet, echo, bare, devices;
    int explain;
    int rest; /* index of the first argument after the program */
} options;

/* -1 to go on, else the exit code: an option was wrong, and standard error says how; or it was
 * answered. Owned: options_free. */
int options_read(int argc, char **argv, options *o);
void options_free(options *o);

#endif
