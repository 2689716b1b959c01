/* Attention on tensor cores: flash kernels compiled at run time, by mma.sync (sm_80 and newer) and
 * by wgmma and TMA (sm_90). */
#ifndef GPA_CUDA_LIB_ATTENTION_H
#define GPA_CUDA_LIB_ATTENTION_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

/* True for float16 and bfloat16 with at most 256 columns. Compiles the kernel at first use. */
bool attention_can(gpa_dev *d, const gpa_libcall *c);
gpa_code attention_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void attention_close(gpa_dev *d);

/* The source of the kernel of a call, for attention_can and the tests: owned, mem_free; NULL if
 * memory is short. `hopper`: by wgmma; `aligned`: rows of 16-byte units. */
char *attention_program_source(const gpa_libcall *c, bool hopper, bool aligned);

#endif
