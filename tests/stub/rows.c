/* Weak no-op definitions of every function in runtime/cuda/driver/api.h: cuda.c, nvrtc.c and the
 * emulator override some. */
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
