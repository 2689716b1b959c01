/* The native functions of this folder: a declaration per row of its tables. Included by the files
 * that define them, so that a row and its function agree. */
#ifndef GPA_TYPED_ALL_H
#define GPA_TYPED_ALL_H

#include "lang/numpy/all.h"
#include "lang/typed/types.h"

#include "lang/vm/declare_natives.inc"
#include "lang/typed/all.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST

#endif
