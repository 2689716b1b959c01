/* An emulated cuBLAS: GEMM by its definition, column-major. Calls are logged to $STUB_CUDA_LOG;
 * other functions do nothing. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "tests/stub/stub.h"

#include "runtime/cuda/driver/api.h"

enum { NOT_SUPPORTED = 15 };

int cublasCreate_v2(cublasHandle_t *out) {
    static int something;
    return *out = (cublasHandle_t)(void *)&something, 0;
}
int cublasDestroy_v2(cublasHandle_t h) { return (void)h, 0; }
int cublasSetStream_v2(cublasHandle_t h, CUstream s) { return (void)h, (void)s, 0; }

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Rounded to 11 significant bits, ties away from zero, as tensor cores convert operands. */
static float tf32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isfinite(x) ? from_bits((bits + 0x1000) & ~0x1fffu) : x;
}

static _Complex double get(const void *at, int type, long long i, int compute) {
    switch (type) {
        case CUDA_R_16BF: return from_bits((uint32_t)((const uint16_t *)at)[i] << 16);
        case CUDA_R_32F:
            return compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? tf32(((const float *)at)[i])
                                                           : ((const float *)at)[i];
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
    const bool adds = type == CUDA_R_32F && *(const float *)beta != 0;
    (void)h, (void)alpha, (void)algorithm;
    if (type != CUDA_R_32F && type != CUDA_R_64F && type != CUDA_C_32F && type != CUDA_C_64F)
        return NOT_SUPPORTED;
    stub_log("gemm %c%c %d %d %d by %d %d batch %d%s%s\n", "NT"[ta != 0], "NT"[tb != 0], m, n, k,
             lda, ldb, batch, type_a == CUDA_R_16BF ? " bfloat16" : "",
             compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? " tf32" : "");
    for (long long l = 0; l < batch; l++)
        for (long long j = 0; j < n; j++)
            for (long long i = 0; i < m; i++) {
                const long long at = l * step_c + j * ldc + i;
                _Complex double sum = adds ? get(c, type, at, 0) : 0;
                for (long long x = 0; x < k; x++)
                    sum += get(a, type_a, l * step_a + (ta ? i * lda + x : x * lda + i), compute) *
                           get(b, type_b, l * step_b + (tb ? x * ldb + j : j * ldb + x), compute);
                put(c, type, at, sum);
            }
    return 0;
}
