/* NumPy's file format for one array: a magic string, a header in Python's syntax, the elements. */
#ifndef GPA_BUILTIN_NPY_H
#define GPA_BUILTIN_NPY_H

#include "lang/vm/native.h"

/* Appends the array as a .npy file. */
gpa_code npy_write(gpa_vm *vm, gpa_arr *a, gpa_str *out);
/* Appends bytes as a .npy file: NumPy's 0-d array of them. */
void npy_write_text(const char *text, size_t n, gpa_str *out);
/* The bytes in a file that holds such an array (borrowed), or NULL. */
const char *npy_text(const char *bytes, size_t n, size_t *length);
/* The array in the bytes of a .npy file, owned; *used: how many of them are its own. */
gpa_code npy_read(gpa_vm *vm, const char *bytes, size_t n, size_t *used, gpa_arr **out);
/* The archive at a path, or (path NULL) in these bytes, which are copied, as an NpzFile. */
gpa_code npz_open(gpa_vm *vm, const char *path, const gpa_str *bytes, value *out);

#endif
