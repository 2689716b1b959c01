/* Files that are compressed by gzip, as C streams: whatever reads and writes streams reads and
 * writes them. */
#ifndef GPA_BUILTIN_GZIP_H
#define GPA_BUILTIN_GZIP_H

#include <stdio.h>

#include "lang/vm/native.h"

/* Opens a file for reading ("rb") or writing ("wb"); one whose name ends in .gz is compressed. An
 * OSError that names path; who calls closes the stream. */
gpa_code gzip_fopen(gpa_vm *vm, const char *path, const char *mode, FILE **out);

#endif
