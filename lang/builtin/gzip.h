/* gzip-compressed files as C streams, which any function on streams can use. */
#ifndef GPA_BUILTIN_GZIP_H
#define GPA_BUILTIN_GZIP_H

#include <stdio.h>

#include "lang/vm/native.h"

/* Opens a file for reading ("rb") or writing ("wb"), compressed if its name ends in .gz. OSError
 * with the path on failure; the caller closes the stream. */
gpa_code gzip_fopen(gpa_vm *vm, const char *path, const char *mode, FILE **out);

#endif
