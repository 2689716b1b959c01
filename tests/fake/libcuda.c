/* A driver without a GPU: memory is the host's, launches do nothing. With it in the way of the dynamic linker the CUDA device
 * opens anywhere, and what it generates and hands to NVRTC can be tested; results are meaningless. */
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/api.h"

enum { MAJOR = 9, VERSION = 13000 };

/* Functions that have nothing to do: their arguments are not looked at. */
#define NOTHING(symbol)      \
    int symbol(void);        \
    int symbol(void) { return CUDA_OK; }
NOTHING(cuInit)
NOTHING(cuDevicePrimaryCtxRelease_v2)
NOTHING(cuDevicePrimaryCtxReset_v2)
NOTHING(cuCtxSetCurrent)
NOTHING(cuStreamDestroy_v2)
NOTHING(cuStreamQuery)
NOTHING(cuStreamSynchronize)
NOTHING(cuEventDestroy_v2)
NOTHING(cuEventRecord)
NOTHING(cuEventQuery)
NOTHING(cuEventSynchronize)
NOTHING(cuMemPoolSetAttribute)
NOTHING(cuMemPoolTrimTo)
NOTHING(cuModuleUnload)
NOTHING(cuFuncSetAttribute)
NOTHING(cuLaunchKernel)

/* Functions that make something: a handle that is not NULL. */
#define HANDLE(symbol)          \
    int symbol(void **out);     \
    int symbol(void **out) {    \
        static int here;        \
        *out = &here;           \
        return CUDA_OK;         \
    }
HANDLE(cuDevicePrimaryCtxRetain)
HANDLE(cuStreamCreate)
HANDLE(cuEventCreate)
HANDLE(cuDeviceGetDefaultMemPool)
HANDLE(cuModuleLoadData)
HANDLE(cuModuleGetFunction)

#define FAKE(symbol, parameters, body) \
    int symbol parameters;             \
    int symbol parameters {            \
        body;                          \
        return CUDA_OK;                \
    }
FAKE(cuDriverGetVersion, (int *v), *v = VERSION)
FAKE(cuGetErrorName, (CUresult r, const char **t), (void)r; *t = "CUDA_ERROR")
FAKE(cuGetErrorString, (CUresult r, const char **t), (void)r; *t = "an error")
FAKE(cuDeviceGetCount, (int *n), *n = 1)
FAKE(cuDeviceGet, (CUdevice * d, int i), *d = i)
FAKE(cuDeviceGetName, (char *t, int n, CUdevice d), (void)d; strncpy(t, "no GPU", (size_t)n))
FAKE(cuMemGetInfo_v2, (size_t *now, size_t *total), *now = *total = (size_t)1 << 32)
FAKE(cuMemHostGetDevicePointer_v2, (CUdeviceptr * seen, void *p, unsigned flags), (void)flags; *seen = (CUdeviceptr)(uintptr_t)p)
FAKE(cuMemFreeAsync, (CUdeviceptr p, CUstream s), (void)s; free((void *)(uintptr_t)p))
FAKE(cuMemFreeHost, (void *p), free(p))
FAKE(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t n, CUstream s), (void)s; memcpy((void *)(uintptr_t)to, from, n))
FAKE(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t n, CUstream s), (void)s; memcpy(to, (void *)(uintptr_t)from, n))
FAKE(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (void)s;
     memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n))
FAKE(cuMemsetD8Async, (CUdeviceptr p, unsigned char v, size_t n, CUstream s), (void)s; memset((void *)(uintptr_t)p, v, n))

FAKE(cuDeviceGetAttribute, (int *v, int which, CUdevice d), (void)d;
     *v = which == CU_ATTR_CC_MAJOR ? MAJOR : which == CU_ATTR_CC_MINOR ? 0 : which == CU_ATTR_MAX_SHARED_OPTIN ? 227 << 10 : which == CU_ATTR_MEMORY_POOLS ? 1 : which == CU_ATTR_UNITS ? 132 : 1024)
FAKE(cuFuncGetAttribute, (int *v, int which, CUfunction f), (void)f; *v = which == CU_FUNC_MAX_THREADS ? 1024 : 0)

/* Zeroed, so that what a program should have written is not the memory of another. */
int cuMemAllocAsync(CUdeviceptr *out, size_t n, CUstream s);
int cuMemAllocAsync(CUdeviceptr *out, size_t n, CUstream s) {
    (void)s;
    *out = (CUdeviceptr)(uintptr_t)calloc(1, n ? n : 1);
    return *out ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

int cuMemHostAlloc(void **out, size_t n, unsigned flags);
int cuMemHostAlloc(void **out, size_t n, unsigned flags) {
    (void)flags;
    *out = calloc(1, n);
    return *out ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

/* NVRTC asks a driver that is there for a table of its own; this one has nothing in it but its size. */
int cuGetExportTable(const void **table, const void *which);
int cuGetExportTable(const void **table, const void *which) {
    static const uint64_t empty[1] = {sizeof empty};
    (void)which;
    *table = empty;
    return CUDA_OK;
}
