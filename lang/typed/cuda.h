/* Kernel objects of @cuda.jit: access for introspection and streams. */
#ifndef GPA_TYPED_CUDA_H
#define GPA_TYPED_CUDA_H

#include "lang/typed/typed.h"

/* Compiled specializations of a kernel, the most recent first; NULL: none. Borrowed. */
typed_fn *cuda_compiled(const object_obj *kernel);
/* The id (runtime.h) of a stream object; 0 and None are the default stream. TypeError otherwise. */
gpa_code cuda_stream_number(gpa_vm *vm, value v, uint32_t *out);

#endif
