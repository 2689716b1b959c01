/* Every function of the tables in runtime/cuda/driver/api.h, doing nothing: cuda.c, nvrtc.c and the
 * emulator's files define those that matter. */
#include "runtime/cuda/driver/api.h"

#define FN(member, symbol, parameters) \
    int symbol parameters;             \
    __attribute__((weak)) int symbol parameters { return 0; }
#if defined STUB_NVRTC
CUDA_NVRTC(FN)
#elif defined STUB_CUBLAS
CUDA_BLAS(FN)
#else
CUDA_DRIVER(FN)
#endif
