/* From CUDA C to something the driver loads: NVRTC behind a cache on disk.
 *
 * An entry is named by a hash of everything that decides the result: source, architecture, options,
 * compiler version. It carries its whole key and a checksum, and is replaced atomically; one that
 * does not fit is built again. */
#ifndef GPA_CUDA_BUILD_NVRTC_H
#define GPA_CUDA_BUILD_NVRTC_H

#include "runtime/cuda/driver/device.h"
#include "runtime/base/str.h"

/* A quick build has the same results bit for bit; it takes half the time and gives slower code. */
typedef enum { EFFORT_QUICK, EFFORT_FULL } cu_effort;

/* PTX of a source (a C string), or machine code, in *out (owned: mem_free). NVRTC is loaded only
 * when the cache does not have it. *effort is what is asked for and becomes what was had: full when
 * the cache has that. Callable from any thread. */
gpa_code compile_ptx(const char *source, cu_target target, cu_effort *effort, char **out,
                     gpa_err *e);
/* Whether the cache has one of the two. */
bool compile_is_known(const char *source, cu_target target);
/* The same without the cache, and its size. */
gpa_code compile_fresh(const char *source, cu_target target, cu_effort effort, char **out,
                       size_t *n, gpa_err *e);
/* Loads the result into the current context. */
CUresult compile_load(const cu_driver *cu, const char *built, cu_effort effort, CUmodule *out);

/* The newest architecture that the compiler knows and the GPU runs: PTX for an earlier one does on
 * a later one. */
cu_target compile_known_target(const cu_nvrtc *rtc, cu_target t);

#endif
