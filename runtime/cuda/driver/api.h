/* NVIDIA's libraries as tables of function pointers, one row per function, loaded at run time: the
 * plugin builds and loads without CUDA, and each library is opened at first use. */
#ifndef GPA_CUDA_DRIVER_API_H
#define GPA_CUDA_DRIVER_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/tables/dtype.h"

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct nvrtc_program *nvrtcProgram;
typedef struct cublasContext *cublasHandle_t;
typedef int cufftHandle;
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;

/* CUmemAccessDesc: what a device may do with the memory of a pool. */
typedef struct {
    int kind, device; /* CU_LOCATION_DEVICE */
    int access;
} cu_access;

/* CUDA_KERNEL_NODE_PARAMS, version 1: a launch of a graph. */
typedef struct {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
} cu_kernel;

/* Enumerators of the interfaces. */
enum {
    CUDA_OK = 0,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_KERNEL_IMAGE = 209,
    CUDA_INVALID_PTX = 218,
    CUDA_UNSUPPORTED_PTX = 222,
    CUDA_NOT_READY = 600,
    CU_STATIC_SHARED_BYTES = 48 << 10, /* shared memory of a block without opting in to more */
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_MEMHOSTALLOC_PORTABLE_MAPPED = 3,
    CU_LOCATION_DEVICE = 1,
    CU_ACCESS_READ_WRITE = 3,
    CU_POOL_RELEASE_THRESHOLD = 4,
    CU_POOL_RESERVED = 5,
    CU_POOL_USED = 7,
    CU_JIT_OPTIMIZATION_LEVEL = 7,
    CU_ATTR_MAX_THREADS = 1,
    CU_ATTR_MAX_SHARED = 8,
    CU_ATTR_UNITS = 16,
    CU_ATTR_CC_MAJOR = 75,
    CU_ATTR_CC_MINOR = 76,
    CU_ATTR_MAX_SHARED_OPTIN = 97,
    CU_ATTR_MEMORY_POOLS = 115,
    CU_FUNC_MAX_THREADS = 0,
    CU_FUNC_SHARED = 1,
    CU_FUNC_CONST = 2,
    CU_FUNC_LOCAL = 3,
    CU_FUNC_REGISTERS = 4,
    CU_POINTER_DEVICE_ORDINAL = 9,
    CU_FUNC_PTX = 5,
    CU_FUNC_BINARY = 6,
    CU_FUNC_MAX_DYNAMIC = 8,
    CUBLAS_N = 0,
    CUBLAS_T = 1,
    CUBLAS_DEFAULT = -1,
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_R_16BF = 14,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_C2C = 0x29,
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_Z2Z = 0x69,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUSPARSE_INDEX_32I = 2,
    CUSPARSE_ORDER_ROW = 2,
    CUSPARSE_SPMM_CSR_ALG3 = 12 /* deterministic */
};

/* The tables of functions, driver.def, nvrtc.def, ..., have the rows
 *
 *   FN(member, symbol, (parameters))         a function
 *   OPTIONAL(member, symbol, (parameters))   one that older versions lack: NULL
 *   TYPED(member, S, D, C, Z, (parameters))  a function by type: float32, float64, complex64,
 *                                            complex128; member[api_type(dtype)] */
#define FN(member, symbol, parameters) int(*member) parameters;
#define OPTIONAL FN
#define TYPED(member, s, d, c, z, parameters) int(*member[4]) parameters;
#define SPGEMM_OPERANDS                                                                   \
    cusparseHandle_t, int, int, const void *, cusparseSpMatDescr_t, cusparseSpMatDescr_t, \
        const void *, cusparseSpMatDescr_t, int, int, cusparseSpGEMMDescr_t
typedef struct {
    void *library;
#include "runtime/cuda/driver/driver.def"
} cu_driver;
typedef struct {
    void *library;
#include "runtime/cuda/driver/nvrtc.def"
} cu_nvrtc;
typedef struct {
    void *library;
#include "runtime/cuda/driver/cublas.def"
} cu_blas;
typedef struct {
    void *library;
#include "runtime/cuda/driver/cufft.def"
} cu_fft;
typedef struct {
    void *library;
#include "runtime/cuda/driver/cusolver.def"
} cu_solver;
typedef struct {
    void *library;
#include "runtime/cuda/driver/cusparse.def"
} cu_sparse;
#undef FN
#undef OPTIONAL
#undef TYPED

/* The index of a TYPED function: float32, float64, complex64, else complex128. */
static inline int api_type(gpa_dtype t) {
    return t == DT_F32 ? 0 : t == DT_F64 ? 1 : t == DT_C64 ? 2 : 3;
}

/* Each is opened once and stays open. NULL, with the reason in `why` (n bytes), if it is missing or
 * lacks a function. */
const cu_driver *api_driver(char *why, size_t n);
const cu_nvrtc *api_nvrtc(char *why, size_t n);
const cu_blas *api_blas(char *why, size_t n);
const cu_fft *api_fft(char *why, size_t n);
const cu_solver *api_solver(char *why, size_t n);
const cu_sparse *api_sparse(char *why, size_t n);

/* The version of the NVRTC that api_nvrtc would open, as 13000 for 13.0: without loading it if the
 * disk cache has recorded the version for the file's path, size and date. Without NVRTC, the
 * version that compiled the programs in the disk cache; 0: unknown. */
int api_nvrtc_version(void);
/* The CUDA version that the driver supports, likewise; 0: no driver. */
int api_driver_version(void);

/* GPA_OK for CUDA_OK; GPA_E_MEMORY if the device is out of memory; else GPA_E_DEVICE naming the
 * call. */
gpa_code api_check(CUresult r, const char *call, gpa_err *e);

#endif
