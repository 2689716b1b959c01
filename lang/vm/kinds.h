/* Declarations of the object kinds: one per row of kinds.def. */
#ifndef GPA_BUILTIN_KINDS_H
#define GPA_BUILTIN_KINDS_H

#include "lang/vm/native.h"

#define KIND(id, variable) extern const object_kind variable;
#include "lang/vm/kinds.def"
#undef KIND

#endif
