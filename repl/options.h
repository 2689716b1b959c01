/* Command-line options of gpa. */
#ifndef GPA_OPTIONS_H
#define GPA_OPTIONS_H

#include <stdbool.h>

typedef struct {
    const char *file;        /* "-": standard input; NULL: none */
    const char *const *code; /* texts of -c, n_code of them */
    int n_code;
    const char *device, *cache, *colour, *ranks;
    bool interactive, quiet, echo, bare, devices, dap;
    int explain;
    int rest; /* index of the first argument after the program */
} options;

/* Parses the command line. -1 to continue, else the exit code: usage error (reported on standard
 * error), or an option that was answered. Owned: options_free. */
int options_read(int argc, char **argv, options *o);
void options_free(options *o);

#endif
