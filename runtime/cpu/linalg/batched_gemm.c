/* Batched GEMM of small matrices: batched_gemm.h. A row of the result is a vector, the linear
 * combination of the second factor's rows; a row of three is a vector of four whose last lane is
 * not stored. All sizes are compile-time constants. Sums start from 0, as in a library: a sum of
 * products that are all -0.0 is 0.0. */
#include "runtime/cpu/linalg/batched_gemm.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/base/simd_clones.h"

/* N: rows; `room`: of a vector, in elements. */
#define PRODUCTS(T, N, room)                                                              \
    GPA_SIMD_CLONES static void products_##T##_##N(const gpa_libcall *call, int64_t from, \
                                                   int64_t to) {                          \
        typedef T row __attribute__((vector_size(sizeof(T) * room)));                     \
        const gpa_binding *x = &call->gemm.a, *y = &call->gemm.b;                         \
        const T *a = (const T *)(const void *)x->mem->base + x->offset,                   \
                *b = (const T *)(const void *)y->mem->base + y->offset;                   \
        T *c = (T *)(void *)call->gemm.c.mem->base + call->gemm.c.offset;                 \
        const int64_t down = x->stride[1], along = x->stride[2], step = y->stride[1];     \
        for (int64_t p = from; p < to; p++) {                                             \
            const T *m = a + p * x->stride[0], *n = b + p * y->stride[0];                 \
            T *out = c + p * N * N;                                                       \
            row of[N];                                                                    \
            memset(of, 0, sizeof of);                                                     \
            for (int k = 0; k < N; k++) memcpy(&of[k], n + k * step, N * sizeof(T));      \
            for (int i = 0; i < N; i++) {                                                 \
                row sum = {0};                                                            \
                for (int k = 0; k < N; k++) sum += m[i * down + k * along] * of[k];       \
                memcpy(out + i * N, &sum, N * sizeof(T));                                 \
            }                                                                             \
        }                                                                                 \
    }
#define SIZES(X) X(2, 2) X(3, 4) X(4, 4) X(8, 8)
#define BOTH(N, room) PRODUCTS(float, N, room) PRODUCTS(double, N, room)
SIZES(BOTH)
#undef BOTH

enum { FEWEST = 16 };

bool batched_gemm_can(const gpa_libcall *c) {
    int64_t n = c->gemm.n;
    bool known = false;
#define SIZE(N, room) known = known || n == N;
    SIZES(SIZE)
#undef SIZE
    if (!known || (c->dtype != DT_F32 && c->dtype != DT_F64) || c->gemm.batch < FEWEST)
        return false;
    return c->gemm.m == n && c->gemm.k == n && c->gemm.b.stride[2] == 1;
}

void batched_gemm_run(const gpa_libcall *c, int64_t from, int64_t to) {
#define SIZE(N, room)                                                          \
    if (c->gemm.n == N && c->dtype == DT_F32) products_float_##N(c, from, to); \
    if (c->gemm.n == N && c->dtype == DT_F64) products_double_##N(c, from, to);
    SIZES(SIZE)
#undef SIZE
}
