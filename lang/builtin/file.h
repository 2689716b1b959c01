/* File objects, and errors of the operating system as exceptions. */
#ifndef GPA_BUILTIN_FILE_H
#define GPA_BUILTIN_FILE_H

#include <stdio.h>

#include "lang/object/codec.h"

/* Raises the OSError for errno value `number`: FileNotFoundError(2, 'No such file or directory',
 * 'x'). path may be NULL. */
gpa_code os_error(gpa_vm *vm, int number, const char *path);
/* sys.stdin (0), sys.stdout (1), sys.stderr (2). UNSET on failure. */
value file_standard(gpa_vm *vm, int which);
/* A file object around a C stream, which it closes. Consumes f, also on failure. */
typedef struct {
    bool reading; /* else writing */
    bool binary;
    codec codec; /* of text */
    value name;
    const char *mode;
} stream_opts;
gpa_code file_of_stream(gpa_vm *vm, FILE *f, const stream_opts *o, value *out);
/* The text encoding of a file, utf-8 by default. ValueError for a binary one with encoding or
 * errors. */
gpa_code file_codec(gpa_vm *vm, bool binary, value encoding, value errors, codec *out);
/* A path argument: a str, or a pathlib.Path; borrowed. */
gpa_code arg_path(gpa_vm *vm, value v, const char **path);
/* True for such a value. */
bool is_path(value v);
/* The C stream of an open file value; NULL for other values, a closed file or a standard stream. */
FILE *file_stream(value v);
/* Begins to replace a file: *fresh is the path to write to, a new file in the same folder, so that
 * a full disk loses no data; or the path itself, if it is no regular file or its folder accepts no
 * new files. file_replace_end renames the new file or, if rc says that writing failed, removes it;
 * it frees *fresh, and returns rc or the error of renaming. */
gpa_code file_replace_begin(gpa_vm *vm, const char *path, gpa_str *fresh);
gpa_code file_replace_end(gpa_vm *vm, gpa_code rc, const char *path, gpa_str *fresh);
/* Writes n bytes to f, and polls for interrupts. OSError with the path on failure. */
gpa_code file_write_all(gpa_vm *vm, FILE *f, const char *path, const char *bytes, size_t n);
/* Writes a file of n bytes, replacing an existing one when it is whole. OSError with the path on
 * failure. */
gpa_code file_save(gpa_vm *vm, const char *path, const char *bytes, size_t n);
/* Appends the rest of a file, `most` bytes at most. OSError with the path (which may be NULL) on
 * failure. */
gpa_code file_read_all(gpa_vm *vm, FILE *f, const char *path, size_t most, gpa_str *out);

#endif
