/* Run-time compilation of CUDA C by NVRTC, behind the disk cache.
 *
 * An entry's key is everything that decides the result: source, architecture, options, compiler
 * version. It stores the whole key and a checksum, and is replaced atomically; an entry that does
 * not match is built again. */
#ifndef GPA_CUDA_BUILD_NVRTC_H
#define GPA_CUDA_BUILD_NVRTC_H

#include "runtime/cuda/driver/device.h"
#include "runtime/base/str.h"

/* A quick build gives the same results bit for bit, from slower code, in half the compile time. */
typedef enum { EFFORT_QUICK, EFFORT_FULL } cu_effort;

/* Compiles a source to PTX, or machine code, in *out (a C string, owned: mem_free). A cache hit
 * does not load NVRTC. *effort is the requested effort and becomes that of the result: full if the
 * cache has a full build. Callable from any thread. */
gpa_code compile_ptx(const char *source, cu_target target, cu_effort *effort, char **out,
                     gpa_err *e);
/* True if the cache has a build of either effort. */
bool compile_is_known(const char *source, cu_target target);
/* Compiles without the cache; *n is the size of the result. */
gpa_code compile_fresh(const char *source, cu_target target, cu_effort effort, char **out,
                       size_t *n, gpa_err *e);
/* Loads the result into the current context. */
CUresult compile_load(const cu_driver *cu, const char *built, cu_effort effort, CUmodule *out);

/* The newest architecture that the compiler supports and the GPU runs: PTX is forward compatible.
 */
cu_target compile_known_target(const cu_nvrtc *rtc, cu_target t);

#endif
