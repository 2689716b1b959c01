/* NumPy's .npy format: a magic string, a header in Python's syntax, the elements of one array.
 * numpy.save and numpy.load are in load.c, archives of such files in npz.h. */
#ifndef GPA_BUILTIN_NPY_H
#define GPA_BUILTIN_NPY_H

#include "lang/vm/native.h"

/* Appends the array as a .npy file. TypeError for bfloat16, which the format lacks. */
gpa_code npy_write(gpa_vm *vm, gpa_arr *a, gpa_str *out);
/* Appends a byte string as a .npy file: a 0-d array of dtype |S. */
void npy_write_bytes(const char *text, size_t n, gpa_str *out);
/* The byte string of such a file, a pointer into `bytes`; NULL if the file has other contents. */
const char *npy_find_bytes(const char *bytes, size_t n, size_t *length);
/* Decodes a .npy file into a new array. *used: the number of bytes that belong to it. ValueError
 * for a damaged file, EOFError for an empty one. */
gpa_code npy_read(gpa_vm *vm, const char *bytes, size_t n, size_t *used, gpa_arr **out);

#endif
