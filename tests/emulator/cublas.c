/* An emulated cuBLAS: GEMM by its definition, column-major. Calls are logged to $STUB_CUDA_LOG;
 * other functions do nothing. */
#include <complex.h>

#include "tests/stub/stub.h"

#include "runtime/cuda/driver/api.h"

enum { NOT_SUPPORTED = 15 };

int cublasCreate_v2(cublasHandle_t *out) {
    static int something;
    return *out = (cublasHandle_t)(void *)&something, 0;
}
int cublasDestroy_v2(cublasHandle_t h) { return (void)h, 0; }
int cublasSetStream_v2(cublasHandle_t h, CUstream s) { return (void)h, (void)s, 0; }

static _Complex double get(const void *at, int type, long long i) {
    switch (type) {
        case CUDA_R_32F: return ((const float *)at)[i];
        case CUDA_R_64F: return ((const double *)at)[i];
        case CUDA_C_32F: return ((const _Complex float *)at)[i];
        default: return ((const _Complex double *)at)[i];
    }
}

static void put(void *at, int type, long long i, _Complex double v) {
    switch (type) {
        case CUDA_R_32F: ((float *)at)[i] = (float)creal(v); return;
        case CUDA_R_64F: ((double *)at)[i] = creal(v); return;
        case CUDA_C_32F: ((_Complex float *)at)[i] = (_Complex float)v; return;
        default: ((_Complex double *)at)[i] = v; return;
    }
}

int cublasGemmStridedBatchedEx(cublasHandle_t h, int ta, int tb, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long step_a, const void *b, int type_b, int ldb,
                               long long step_b, const void *beta, void *c, int type, int ldc,
                               long long step_c, int batch, int compute, int algorithm) {
    (void)h, (void)alpha, (void)beta, (void)compute, (void)algorithm;
    if (type != CUDA_R_32F && type != CUDA_R_64F && type != CUDA_C_32F && type != CUDA_C_64F)
        return NOT_SUPPORTED;
    stub_log("gemm %c%c %d %d %d by %d %d batch %d\n", "NT"[ta != 0], "NT"[tb != 0], m, n, k, lda,
             ldb, batch);
    for (long long l = 0; l < batch; l++)
        for (long long j = 0; j < n; j++)
            for (long long i = 0; i < m; i++) {
                _Complex double sum = 0;
                for (long long x = 0; x < k; x++)
                    sum += get(a, type_a, l * step_a + (ta ? i * lda + x : x * lda + i)) *
                           get(b, type_b, l * step_b + (tb ? x * ldb + j : j * ldb + x));
                put(c, type, l * step_c + j * ldc + i, sum);
            }
    return 0;
}
