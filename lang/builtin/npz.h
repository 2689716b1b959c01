/* Archives of .npy files (.npz): what numpy.load returns for one. */
#ifndef GPA_BUILTIN_NPZ_H
#define GPA_BUILTIN_NPZ_H

#include "lang/vm/native.h"

/* Opens the archive at a path, or (path NULL) in these bytes, which are copied: an NpzFile. */
gpa_code npz_open(gpa_vm *vm, const char *path, const gpa_str *bytes, value *out);

#endif
