/* NVIDIA's libraries as tables of function pointers, one row per function, loaded at run time: the
 * plugin builds and loads without CUDA, and each library is opened at first use. */
#ifndef GPA_CUDA_DRIVER_API_H
#define GPA_CUDA_DRIVER_API_H

#include "runtime/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
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

/* FN(member, symbol, (parameters)). The first symbol is the newest name of a function that has
 * several. */
#define CUDA_DRIVER(FN)                                                                          \
    FN(init, cuInit, (unsigned))                                                                 \
    FN(version, cuDriverGetVersion, (int *))                                                     \
    FN(error_name, cuGetErrorName, (CUresult, const char **))                                    \
    FN(error_text, cuGetErrorString, (CUresult, const char **))                                  \
    FN(device_count, cuDeviceGetCount, (int *))                                                  \
    FN(device_get, cuDeviceGet, (CUdevice *, int))                                               \
    FN(device_name, cuDeviceGetName, (char *, int, CUdevice))                                    \
    FN(device_attribute, cuDeviceGetAttribute, (int *, int, CUdevice))                           \
    FN(device_bus, cuDeviceGetPCIBusId, (char *, int, CUdevice))                                 \
    FN(device_memory, cuDeviceTotalMem_v2, (size_t *, CUdevice))                                 \
    FN(context_retain, cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                        \
    FN(context_reset, cuDevicePrimaryCtxReset_v2, (CUdevice))                                    \
    FN(context_create, cuCtxCreate_v2, (CUcontext *, unsigned, CUdevice))                        \
    FN(context_set, cuCtxSetCurrent, (CUcontext))                                                \
    FN(memory_info, cuMemGetInfo_v2, (size_t *, size_t *))                                       \
    FN(stream_create, cuStreamCreate, (CUstream *, unsigned))                                    \
    FN(stream_destroy, cuStreamDestroy_v2, (CUstream))                                           \
    FN(stream_query, cuStreamQuery, (CUstream))                                                  \
    FN(stream_wait, cuStreamSynchronize, (CUstream))                                             \
    FN(event_create, cuEventCreate, (CUevent *, unsigned))                                       \
    FN(event_destroy, cuEventDestroy_v2, (CUevent))                                              \
    FN(event_record, cuEventRecord, (CUevent, CUstream))                                         \
    FN(event_query, cuEventQuery, (CUevent))                                                     \
    FN(event_wait, cuEventSynchronize, (CUevent))                                                \
    FN(event_elapsed, cuEventElapsedTime, (float *, CUevent, CUevent))                           \
    FN(stream_follow, cuStreamWaitEvent, (CUstream, CUevent, unsigned))                          \
    FN(peer_can, cuDeviceCanAccessPeer, (int *, CUdevice, CUdevice))                             \
    FN(pool_share, cuMemPoolSetAccess, (CUmemoryPool, const cu_access *, size_t))                \
    FN(copy_peer, cuMemcpyPeerAsync,                                                             \
       (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))                       \
    FN(pool_default, cuDeviceGetDefaultMemPool, (CUmemoryPool *, CUdevice))                      \
    FN(pool_set, cuMemPoolSetAttribute, (CUmemoryPool, int, void *))                             \
    FN(pool_get, cuMemPoolGetAttribute, (CUmemoryPool, int, void *))                             \
    FN(pool_trim, cuMemPoolTrimTo, (CUmemoryPool, size_t))                                       \
    FN(alloc, cuMemAllocAsync, (CUdeviceptr *, size_t, CUstream))                                \
    FN(free, cuMemFreeAsync, (CUdeviceptr, CUstream))                                            \
    FN(host_alloc, cuMemHostAlloc, (void **, size_t, unsigned))                                  \
    FN(host_free, cuMemFreeHost, (void *))                                                       \
    FN(host_pointer, cuMemHostGetDevicePointer_v2, (CUdeviceptr *, void *, unsigned))            \
    FN(to_device, cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))           \
    FN(to_host, cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                   \
    FN(copy, cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                 \
    FN(fill, cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))                    \
    FN(module_load, cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, int *, void **))    \
    FN(module_unload, cuModuleUnload, (CUmodule))                                                \
    FN(module_function, cuModuleGetFunction, (CUfunction *, CUmodule, const char *))             \
    FN(function_attribute, cuFuncGetAttribute, (int *, int, CUfunction))                         \
    FN(function_set, cuFuncSetAttribute, (CUfunction, int, int))                                 \
    FN(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, CUfunction, int, size_t)) \
    FN(launch, cuLaunchKernel,                                                                   \
       (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
        CUstream, void **, void **))

#define CUDA_NVRTC(FN)                                                         \
    FN(version, nvrtcVersion, (int *, int *))                                  \
    FN(create, nvrtcCreateProgram,                                             \
       (nvrtcProgram *, const char *, const char *, int, const char *const *,  \
        const char *const *))                                                  \
    FN(destroy, nvrtcDestroyProgram, (nvrtcProgram *))                         \
    FN(compile, nvrtcCompileProgram, (nvrtcProgram, int, const char *const *)) \
    FN(log_size, nvrtcGetProgramLogSize, (nvrtcProgram, size_t *))             \
    FN(log, nvrtcGetProgramLog, (nvrtcProgram, char *))                        \
    FN(ptx_size, nvrtcGetPTXSize, (nvrtcProgram, size_t *))                    \
    FN(ptx, nvrtcGetPTX, (nvrtcProgram, char *))                               \
    FN(cubin_size, nvrtcGetCUBINSize, (nvrtcProgram, size_t *))                \
    FN(cubin, nvrtcGetCUBIN, (nvrtcProgram, char *))                           \
    FN(n_archs, nvrtcGetNumSupportedArchs, (int *))                            \
    FN(archs, nvrtcGetSupportedArchs, (int *))                                 \
    FN(add_name, nvrtcAddNameExpression, (nvrtcProgram, const char *))         \
    FN(lowered, nvrtcGetLoweredName, (nvrtcProgram, const char *, const char **))

/* A function that exists by type: members NAME_s, _d, _c, _z; CUDA_PICK chooses one for a dtype. */
#define CUDA_TYPED(FN, member, head, tail, parameters) \
    FN(member##_s, head##S##tail, parameters)          \
    FN(member##_d, head##D##tail, parameters)          \
    FN(member##_c, head##C##tail, parameters) FN(member##_z, head##Z##tail, parameters)
#define CUDA_UNITARY(FN, member, tail, parameters)  \
    FN(member##_s, cusolverDnSor##tail, parameters) \
    FN(member##_d, cusolverDnDor##tail, parameters) \
    FN(member##_c, cusolverDnCun##tail, parameters) \
    FN(member##_z, cusolverDnZun##tail, parameters)
#define CUDA_PICK(table, member, dtype)        \
    ((dtype) == DT_F32   ? (table)->member##_s \
     : (dtype) == DT_F64 ? (table)->member##_d \
     : (dtype) == DT_C64 ? (table)->member##_c \
                         : (table)->member##_z)

#define CUDA_BLAS(FN)                                                                             \
    FN(create, cublasCreate_v2, (cublasHandle_t *))                                               \
    FN(destroy, cublasDestroy_v2, (cublasHandle_t))                                               \
    FN(set_stream, cublasSetStream_v2, (cublasHandle_t, CUstream))                                \
    FN(gemm, cublasGemmStridedBatchedEx,                                                          \
       (cublasHandle_t, int, int, int, int, int, const void *, const void *, int, int, long long, \
        const void *, int, int, long long, const void *, void *, int, int, long long, int, int,   \
        int))                                                                                     \
    CUDA_TYPED(FN, lu, cublas, getrfBatched,                                                      \
               (cublasHandle_t, int, void *const *, int, int *, int *, int))                      \
    CUDA_TYPED(FN, solve, cublas, getrsBatched,                                                   \
               (cublasHandle_t, int, int, int, const void *const *, int, const int *,             \
                void *const *, int, int *, int))

/* Dense factorizations. The generic interface where its integers are as wide as LAPACK's, else the
 * one by type. */
#define CUDA_SOLVER(FN)                                                                          \
    FN(create, cusolverDnCreate, (cusolverDnHandle_t *))                                         \
    FN(destroy, cusolverDnDestroy, (cusolverDnHandle_t))                                         \
    FN(set_stream, cusolverDnSetStream, (cusolverDnHandle_t, CUstream))                          \
    FN(params_create, cusolverDnCreateParams, (cusolverDnParams_t *))                            \
    FN(params_destroy, cusolverDnDestroyParams, (cusolverDnParams_t))                            \
    CUDA_TYPED(FN, lu_room, cusolverDn, getrf_bufferSize,                                        \
               (cusolverDnHandle_t, int, int, void *, int, int *))                               \
    CUDA_TYPED(FN, lu, cusolverDn, getrf,                                                        \
               (cusolverDnHandle_t, int, int, void *, int, void *, int *, int *))                \
    CUDA_TYPED(                                                                                  \
        FN, solve, cusolverDn, getrs,                                                            \
        (cusolverDnHandle_t, int, int, int, const void *, int, const int *, void *, int, int *)) \
    CUDA_TYPED(FN, cholesky_room, cusolverDn, potrf_bufferSize,                                  \
               (cusolverDnHandle_t, int, int, void *, int, int *))                               \
    CUDA_TYPED(FN, cholesky, cusolverDn, potrf,                                                  \
               (cusolverDnHandle_t, int, int, void *, int, void *, int, int *))                  \
    CUDA_TYPED(FN, choleskies, cusolverDn, potrfBatched,                                         \
               (cusolverDnHandle_t, int, int, void **, int, int *, int))                         \
    CUDA_TYPED(FN, qr_room, cusolverDn, geqrf_bufferSize,                                        \
               (cusolverDnHandle_t, int, int, void *, int, int *))                               \
    CUDA_TYPED(FN, qr, cusolverDn, geqrf,                                                        \
               (cusolverDnHandle_t, int, int, void *, int, void *, void *, int, int *))          \
    CUDA_UNITARY(FN, q_room, gqr_bufferSize,                                                     \
                 (cusolverDnHandle_t, int, int, int, const void *, int, const void *, int *))    \
    CUDA_UNITARY(                                                                                \
        FN, q, gqr,                                                                              \
        (cusolverDnHandle_t, int, int, int, void *, int, const void *, void *, int, int *))      \
    FN(svd_room, cusolverDnXgesvd_bufferSize,                                                    \
       (cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char, int64_t, int64_t, int, \
        const void *, int64_t, int, const void *, int, const void *, int64_t, int, const void *, \
        int64_t, int, size_t *, size_t *))                                                       \
    FN(svd, cusolverDnXgesvd,                                                                    \
       (cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char, int64_t, int64_t, int, \
        void *, int64_t, int, void *, int, void *, int64_t, int, void *, int64_t, int, void *,   \
        size_t, void *, size_t, int *))                                                          \
    FN(eigh_one_room, cusolverDnXsyevd_bufferSize,                                               \
       (cusolverDnHandle_t, cusolverDnParams_t, int, int, int64_t, int, const void *, int64_t,   \
        int, const void *, int, size_t *, size_t *))                                             \
    FN(eigh_one, cusolverDnXsyevd,                                                               \
       (cusolverDnHandle_t, cusolverDnParams_t, int, int, int64_t, int, void *, int64_t, int,    \
        void *, int, void *, size_t, void *, size_t, int *))

/* Functions from CUDA 12.6.2 on: NULL before. */
#define CUDA_SOLVER_LATER(FN)                                                                     \
    FN(eigh_room, cusolverDnXsyevBatched_bufferSize,                                              \
       (cusolverDnHandle_t, cusolverDnParams_t, int, int, int64_t, int, const void *, int64_t,    \
        int, const void *, int, size_t *, size_t *, int64_t))                                     \
    FN(eigh, cusolverDnXsyevBatched,                                                              \
       (cusolverDnHandle_t, cusolverDnParams_t, int, int, int64_t, int, void *, int64_t, int,     \
        void *, int, void *, size_t, void *, size_t, int *, int64_t))                             \
    FN(eig_room, cusolverDnXgeev_bufferSize,                                                      \
       (cusolverDnHandle_t, cusolverDnParams_t, int, int, int64_t, int, const void *, int64_t,    \
        int, const void *, int, const void *, int64_t, int, const void *, int64_t, int, size_t *, \
        size_t *))                                                                                \
    FN(eig, cusolverDnXgeev,                                                                      \
       (cusolverDnHandle_t, cusolverDnParams_t, int, int, int64_t, int, void *, int64_t, int,     \
        void *, int, void *, int64_t, int, void *, int64_t, int, void *, size_t, void *, size_t,  \
        int *))

#define SPGEMM_OPERANDS                                                                   \
    cusparseHandle_t, int, int, const void *, cusparseSpMatDescr_t, cusparseSpMatDescr_t, \
        const void *, cusparseSpMatDescr_t, int, int, cusparseSpGEMMDescr_t
#define CUDA_SPARSE(FN)                                                                            \
    FN(create, cusparseCreate, (cusparseHandle_t *))                                               \
    FN(destroy, cusparseDestroy, (cusparseHandle_t))                                               \
    FN(set_stream, cusparseSetStream, (cusparseHandle_t, CUstream))                                \
    FN(matrix, cusparseCreateCsr,                                                                  \
       (cusparseSpMatDescr_t *, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int,  \
        int))                                                                                      \
    FN(matrix_free, cusparseDestroySpMat, (cusparseSpMatDescr_t))                                  \
    FN(dense, cusparseCreateDnMat,                                                                 \
       (cusparseDnMatDescr_t *, int64_t, int64_t, int64_t, void *, int, int))                      \
    FN(dense_free, cusparseDestroyDnMat, (cusparseDnMatDescr_t))                                   \
    FN(vector, cusparseCreateDnVec, (cusparseDnVecDescr_t *, int64_t, void *, int))                \
    FN(vector_free, cusparseDestroyDnVec, (cusparseDnVecDescr_t))                                  \
    FN(times_vector_room, cusparseSpMV_bufferSize,                                                 \
       (cusparseHandle_t, int, const void *, cusparseSpMatDescr_t, cusparseDnVecDescr_t,           \
        const void *, cusparseDnVecDescr_t, int, int, size_t *))                                   \
    FN(times_vector, cusparseSpMV,                                                                 \
       (cusparseHandle_t, int, const void *, cusparseSpMatDescr_t, cusparseDnVecDescr_t,           \
        const void *, cusparseDnVecDescr_t, int, int, void *))                                     \
    FN(times_room, cusparseSpMM_bufferSize,                                                        \
       (cusparseHandle_t, int, int, const void *, cusparseSpMatDescr_t, cusparseDnMatDescr_t,      \
        const void *, cusparseDnMatDescr_t, int, int, size_t *))                                   \
    FN(times, cusparseSpMM,                                                                        \
       (cusparseHandle_t, int, int, const void *, cusparseSpMatDescr_t, cusparseDnMatDescr_t,      \
        const void *, cusparseDnMatDescr_t, int, int, void *))                                     \
    FN(product, cusparseSpGEMM_createDescr, (cusparseSpGEMMDescr_t *))                             \
    FN(product_free, cusparseSpGEMM_destroyDescr, (cusparseSpGEMMDescr_t))                         \
    FN(product_begin, cusparseSpGEMM_workEstimation, (SPGEMM_OPERANDS, size_t *, void *))          \
    FN(product_compute, cusparseSpGEMM_compute, (SPGEMM_OPERANDS, size_t *, void *))               \
    FN(product_copy, cusparseSpGEMM_copy, (SPGEMM_OPERANDS))                                       \
    FN(matrix_size, cusparseSpMatGetSize, (cusparseSpMatDescr_t, int64_t *, int64_t *, int64_t *)) \
    FN(matrix_parts, cusparseCsrSetPointers, (cusparseSpMatDescr_t, void *, void *, void *))

#define CUDA_FFT(FN)                                                                              \
    FN(create, cufftCreate, (cufftHandle *))                                                      \
    FN(destroy, cufftDestroy, (cufftHandle))                                                      \
    FN(make, cufftMakePlanMany64,                                                                 \
       (cufftHandle, int, long long *, long long *, long long, long long, long long *, long long, \
        long long, int, long long, size_t *))                                                     \
    FN(set_stream, cufftSetStream, (cufftHandle, CUstream))                                       \
    FN(c2c, cufftExecC2C, (cufftHandle, void *, void *, int))                                     \
    FN(r2c, cufftExecR2C, (cufftHandle, void *, void *))                                          \
    FN(c2r, cufftExecC2R, (cufftHandle, void *, void *))                                          \
    FN(z2z, cufftExecZ2Z, (cufftHandle, void *, void *, int))                                     \
    FN(d2z, cufftExecD2Z, (cufftHandle, void *, void *))                                          \
    FN(z2d, cufftExecZ2D, (cufftHandle, void *, void *))

#define FN(member, symbol, parameters) int(*member) parameters;
typedef struct {
    void *library;
    CUDA_DRIVER(FN)
} cu_driver;
typedef struct {
    void *library;
    CUDA_NVRTC(FN)
} cu_nvrtc;
typedef struct {
    void *library;
    CUDA_BLAS(FN)
} cu_blas;
typedef struct {
    void *library;
    CUDA_FFT(FN)
} cu_fft;
typedef struct {
    void *library;
    CUDA_SOLVER(FN) CUDA_SOLVER_LATER(FN)
} cu_solver;
typedef struct {
    void *library;
    CUDA_SPARSE(FN)
} cu_sparse;
#undef FN

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
