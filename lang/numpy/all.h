/* The native functions of this folder: a declaration per row of its tables. Included by the files
 * that define them, so that a row and its function agree. */
#ifndef GPA_NUMPY_ALL_H
#define GPA_NUMPY_ALL_H

#include "lang/builtin/all.h"

#include "lang/vm/declare_natives.inc"
#include "lang/numpy/all.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST

#endif
