/* From CUDA C to something the driver loads: NVRTC behind a cache on disk.
 *
 * An entry is named by a hash of everything that decides the result: source, architecture, options, compiler version. It
 * carries its whole key and a checksum, and is replaced atomically; one that does not fit is built again. */
#ifndef GPA_CUDA_COMPILE_H
#define GPA_CUDA_COMPILE_H

#include "runtime/cuda/api.h"
#include "runtime/str.h"

typedef struct {
    int major, minor; /* compute capability */
    bool fast_math, contract, line_info;
    bool cubin;       /* machine code, where the driver does not understand the compiler's PTX */
} cu_target;

/* PTX of a source (a C string), or machine code, in *out (owned: mem_free). NVRTC is loaded only when the cache does not
 * have it. */
gpa_code compile_ptx(const char *source, cu_target target, char **out, gpa_err *e);
/* The same without the cache, and its size. */
gpa_code compile_fresh(const char *source, cu_target target, char **out, size_t *n, gpa_err *e);

/* The newest architecture that the compiler knows and the GPU runs: PTX for an earlier one does on a later one. */
cu_target compile_known_target(const cu_nvrtc *rtc, cu_target t);

#endif
