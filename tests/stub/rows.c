/* Every function of the tables in runtime/cuda/api.h, doing nothing: cuda.c and nvrtc.c define those that matter. */
#include "runtime/cuda/api.h"

#define FN(member, symbol, parameters) \
    int symbol parameters;             \
    __attribute__((weak)) int symbol parameters { return 0; }
#ifdef STUB_NVRTC
CUDA_NVRTC(FN)
#else
CUDA_DRIVER(FN)
#endif
