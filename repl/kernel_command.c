/* Looks for the program in the folder of this executable, then on the search path. */
#include "repl/kernel_command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int kernel_command(int argc, char **argv) {
    enum { NOT_FOUND = 127 };
    char path[PATH_MAX];
    static const char name[] = "gpa-kernel";
    char **args = calloc((size_t)argc + 1, sizeof *args);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof name - 1);
    if (!args) return NOT_FOUND;
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, name);
    args[0] = path;
    for (int i = 1; i < argc; i++) args[i] = argv[i];
    execv(path, args);
    if (errno == ENOENT) execvp(name, args);
    fprintf(stderr, "gpa: the Jupyter kernel is not there: %s: %s\n", path, strerror(errno));
    if (errno == ENOENT)
        fputs("It is built where ZeroMQ and jansson are installed (libzmq3-dev, libjansson-dev).\n",
              stderr);
    free(args);
    return NOT_FOUND;
}
