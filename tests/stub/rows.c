/* Weak no-op definitions of every function in runtime/cuda/driver/api.h: cuda.c, nvrtc.c and the
 * emulator override some. */
#include "runtime/cuda/driver/api.h"

#define FN(member, symbol, parameters) \
    int symbol parameters;             \
    __attribute__((weak)) int symbol parameters { return 0; }
#define OPTIONAL FN
#define TYPED(member, s, d, c, z, parameters) \
    FN(member, s, parameters)                 \
    FN(member, d, parameters) FN(member, c, parameters) FN(member, z, parameters)
#if defined STUB_NVRTC
#include "runtime/cuda/driver/nvrtc.def"
#elif defined STUB_CUBLAS
#include "runtime/cuda/driver/cublas.def"
#else
#include "runtime/cuda/driver/driver.def"
#endif
