/* Open files, and errors of the operating system as exceptions. */
#ifndef GPA_BUILTIN_FILE_H
#define GPA_BUILTIN_FILE_H

#include <stdio.h>

#include "lang/object/codec.h"

/* Raises the OSError for errno value `number`: FileNotFoundError(2, 'No such file or directory',
 * 'x'). path may be NULL. */
gpa_code os_error(gpa_vm *vm, int number, const char *path);
/* sys.stdin (0), sys.stdout (1), sys.stderr (2). UNSET on failure. */
value file_standard(gpa_vm *vm, int which);
/* A file value around a C stream for reading or for writing, which it closes; `binary`: of bytes.
 * Consumes f, also on failure. */
gpa_code file_of_stream(gpa_vm *vm, FILE *f, bool reading, bool binary, codec c, value name,
                        const char *mode, value *out);
/* The codec of a file: utf-8 unless told. ValueError for a binary one with encoding or errors. */
gpa_code file_codec(gpa_vm *vm, bool binary, value encoding, value errors, codec *out);
/* A path argument: a str, or a pathlib.Path; borrowed. */
gpa_code arg_path(gpa_vm *vm, value v, const char **path);
/* Whether a value is one. */
bool is_path(value v);
/* The C stream of an open file value; NULL for anything else, a closed file or a standard stream.
 */
FILE *file_stream(value v);
/* Makes a file of n bytes, in place of one that is there. An OSError that names path when it cannot
 * be written. */
gpa_code file_save(gpa_vm *vm, const char *path, const char *bytes, size_t n);
/* The rest of a file's bytes, `most` of them at most, appended. An OSError that names path (which
 * may be NULL) when they cannot be read. */
gpa_code file_slurp(gpa_vm *vm, FILE *f, const char *path, size_t most, gpa_str *out);

#endif
