/* Matrix products in host memory.
 *
 * Row i of C gathers row k of B times A[i][k]: the inner loop runs over contiguous memory and the compiler makes vector
 * code of it. B is taken in blocks that stay in cache. Halves are converted to float, multiplied, and rounded once. */
#include "runtime/base.h"
#include "runtime/hostcall.h"

enum { BLOCK_K = 128, BLOCK_N = 512 };

/* One matrix: strides in elements. */
typedef struct {
    int64_t m, n, k;
    const void *a, *b;
    int64_t ar, ac, br, bc; /* row and column strides */
    void *c;                /* contiguous, zeroed */
    const atomic_bool *stop;
} product;

/* GEMM(ID, C type, accumulate a * b onto c). */
#define GEMMS(GEMM)                                                      \
    GEMM(BOOL, uint8_t, c |= a & b)                                      \
    GEMM(U8, uint8_t, c = (uint8_t)(c + a * b))                          \
    GEMM(U16, uint16_t, c = (uint16_t)(c + (uint32_t)a * b))             \
    GEMM(U32, uint32_t, c += a * b)                                      \
    GEMM(U64, uint64_t, c += a * b)                                      \
    GEMM(F32, float, c += a * b)                                         \
    GEMM(F64, double, c += a * b)

#define GEMM(id, T, STEP)                                                                                 \
    static void gemm_##id(const product *p) {                                                             \
        const T *pa = p->a, *pb = p->b;                                                                   \
        for (int64_t k0 = 0; k0 < p->k; k0 += BLOCK_K)                                                    \
            for (int64_t j0 = 0; j0 < p->n; j0 += BLOCK_N) {                                              \
                int64_t k1 = MIN(k0 + BLOCK_K, p->k), j1 = MIN(j0 + BLOCK_N, p->n);                       \
                for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i++)                          \
                    for (int64_t k = k0; k < k1; k++) {                                                   \
                        const T a = pa[i * p->ar + k * p->ac], *restrict rb = pb + k * p->br;             \
                        T *restrict rc = (T *)p->c + i * p->n;                                            \
                        for (int64_t j = j0; j < j1; j++) {                                               \
                            const T b = rb[j];                                                            \
                            T c = rc[j];                                                                  \
                            STEP;                                                                         \
                            rc[j] = c;                                                                    \
                        }                                                                                 \
                    }                                                                                     \
            }                                                                                             \
    }
GEMMS(GEMM)
#undef GEMM

/* Complex numbers, as pairs. */
#define GEMM_COMPLEX(id, T)                                                                 \
    static void gemm_##id(const product *p) {                                               \
        const T *pa = p->a, *pb = p->b;                                                     \
        for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i++)                    \
            for (int64_t k = 0; k < p->k; k++) {                                            \
                const T a = pa[i * p->ar + k * p->ac], *restrict rb = pb + k * p->br;       \
                T *restrict rc = (T *)p->c + i * p->n;                                      \
                for (int64_t j = 0; j < p->n; j++) {                                        \
                    rc[j].re += a.re * rb[j].re - a.im * rb[j].im;                          \
                    rc[j].im += a.re * rb[j].im + a.im * rb[j].re;                          \
                }                                                                           \
            }                                                                               \
    }
GEMM_COMPLEX(C64, gpa_c64)
GEMM_COMPLEX(C128, gpa_c128)
#undef GEMM_COMPLEX

/* Products wrap, so signed integers are multiplied as unsigned ones of their size. */
static void multiply(gpa_dtype t, const product *p) {
    switch (t) {
    case DT_BOOL: gemm_BOOL(p); return;
    case DT_I8:
    case DT_U8: gemm_U8(p); return;
    case DT_I16:
    case DT_U16: gemm_U16(p); return;
    case DT_I32:
    case DT_U32: gemm_U32(p); return;
    case DT_I64:
    case DT_U64: gemm_U64(p); return;
    case DT_F16:
    case DT_BF16:
    case DT_F32: gemm_F32(p); return;
    case DT_F64: gemm_F64(p); return;
    case DT_C64: gemm_C64(p); return;
    case DT_C128: gemm_C128(p); return;
    case DT_COUNT: return;
    }
}

/* A matrix in row-major order and the type that products run in. */
static void pack(gpa_dtype t, gpa_dtype work, const char *from, int64_t rows, int64_t cols, int64_t rs, int64_t cs, char *to) {
    int64_t item = (int64_t)dtype_size(t), size = (int64_t)dtype_size(work);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++, to += size)
            dtype_store(to, work, dtype_cast(dtype_load(from + (i * rs + j * cs) * item, t), t, work));
}

gpa_code hostcall_gemm(const gpa_libcall *call, const void *a, const void *b, void *c, const atomic_bool *stop,
                       gpa_err *e) {
    const int64_t m = call->gemm.m, n = call->gemm.n, k = call->gemm.k, *as = call->gemm.a.stride, *bs = call->gemm.b.stride;
    gpa_dtype t = call->dtype, work = dtype_info[t].compute;
    int64_t item = (int64_t)dtype_size(t);
    bool pack_a = work != t, pack_b = work != t || bs[2] != 1;
    size_t size = dtype_size(work);
    char *ra = pack_a ? mem_new((size_t)(m * k) * size) : NULL, *rb = pack_b ? mem_new((size_t)(k * n) * size) : NULL;
    char *rc = pack_a ? mem_new((size_t)(m * n) * size) : NULL;
    gpa_code code = GPA_OK;
    if ((pack_a && (!ra || !rc)) || (pack_b && !rb)) code = gpa_no_memory(e);
    for (int64_t i = 0; i < call->gemm.batch && !code; i++) {
        const char *pa = (const char *)a + (call->gemm.a.offset + i * as[0]) * item;
        const char *pb = (const char *)b + (call->gemm.b.offset + i * bs[0]) * item;
        char *to = (char *)c + (call->gemm.c.offset + i * m * n) * item;
        product p = {m, n, k, pa, pb, as[1], as[2], bs[1], bs[2], to, stop};
        if (pack_a) {
            pack(t, work, pa, m, k, as[1], as[2], ra);
            p.a = ra;
            p.ar = k;
            p.ac = 1;
            p.c = rc;
        }
        if (pack_b) {
            pack(t, work, pb, k, n, bs[1], bs[2], rb);
            p.b = rb;
            p.br = n;
            p.bc = 1;
        }
        memset(p.c, 0, (size_t)(m * n) * size);
        multiply(t, &p);
        if (pack_a) pack(work, t, rc, m, n, n, 1, to);
        if (hostcall_stopped(stop)) code = gpa_interrupted(e);
    }
    mem_free(ra);
    mem_free(rb);
    mem_free(rc);
    return code;
}
