/* Kernels as objects, for those who look into them. */
#ifndef GPA_TYPED_CUDA_H
#define GPA_TYPED_CUDA_H

#include "lang/typed/typed.h"

/* What a kernel was compiled to, the last one first; NULL: nothing yet. Borrowed. */
typed_fn *cuda_compiled(const object_obj *kernel);
/* The number (runtime.h) of a stream, or of 0 or None, which mean the default one. */
gpa_code cuda_stream_number(gpa_vm *vm, value v, uint32_t *out);

#endif
