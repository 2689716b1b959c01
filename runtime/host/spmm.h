/* Sparse by dense matrix product (CSR SpMM and SpMV) over a range of rows, for the host and for the
 * CPU device. */
#ifndef GPA_HOST_SPMM_H
#define GPA_HOST_SPMM_H

#include "runtime/base/base.h"
#include "runtime/tables/dtype.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* A SPMM call (libcall.h) in host memory. */
typedef struct {
    int64_t k;
    const int32_t *start, *column;
    const void *at, *x;
    void *y;
} spmm;

enum { SPMM_AHEAD = TUNE_SPMM_PREFETCH_ROWS };

/* SPMM(ID, C type, statement that adds a * b to c). */
#define SPMM_TYPES(SPMM)                                                                     \
    SPMM(I32, uint32_t, c += a * b)                                                          \
    SPMM(I64, uint64_t, c += a * b)                                                          \
    SPMM(F32, float, c += a * b)                                                             \
    SPMM(F64, double, c += a * b)                                                            \
    SPMM(C64, gpa_c64, c.re += a.re * b.re - a.im * b.im; c.im += a.re * b.im + a.im * b.re) \
    SPMM(C128, gpa_c128, c.re += a.re * b.re - a.im * b.im; c.im += a.re * b.im + a.im * b.re)

/* Columns j .. j + WIDTH - 1 of a row of the product, accumulated in registers. */
#define SPMM_BLOCK(T, WIDTH, ADD)                                                           \
    for (; p->k - j >= WIDTH; j += WIDTH) {                                                 \
        T sum[WIDTH];                                                                       \
        for (int w = 0; w < WIDTH; w++) sum[w] = (T){0};                                    \
        for (int64_t s = p->start[i]; s < p->start[i + 1]; s++) {                           \
            const T a = at[s], *row = x + p->column[s] * p->k + j;                          \
            if (WIDTH > 1)                                                                  \
                __builtin_prefetch(x + p->column[MIN(s + SPMM_AHEAD, end - 1)] * p->k + j); \
            for (int w = 0; w < WIDTH; w++) {                                               \
                const T b = row[w];                                                         \
                T c = sum[w];                                                               \
                ADD;                                                                        \
                sum[w] = c;                                                                 \
            }                                                                               \
        }                                                                                   \
        for (int w = 0; w < WIDTH; w++) y[w + j] = sum[w];                                  \
    }
#define SPMM(id, T, ADD)                                                             \
    static inline void spmv_##id(const spmm *p, int64_t from, int64_t to) {          \
        const T *at = p->at, *x = p->x;                                              \
        for (int64_t i = from; i < to; i++) {                                        \
            T c = {0};                                                               \
            for (int64_t s = p->start[i], end = p->start[i + 1]; s < end; s++) {     \
                const T a = at[s], b = x[p->column[s]];                              \
                ADD;                                                                 \
            }                                                                        \
            ((T *)p->y)[i] = c;                                                      \
        }                                                                            \
    }                                                                                \
    static GPA_SIMD_CLONES void spmm_##id(const spmm *p, int64_t from, int64_t to) { \
        const T *at = p->at, *x = p->x;                                              \
        const int64_t end = from < to ? p->start[to] : 0;                            \
        for (int64_t i = from; i < to; i++) {                                        \
            T *y = (T *)p->y + i * p->k;                                             \
            int64_t j = 0;                                                           \
            SPMM_BLOCK(T, 8, ADD)                                                    \
            SPMM_BLOCK(T, 4, ADD)                                                    \
            SPMM_BLOCK(T, 1, ADD)                                                    \
        }                                                                            \
    }
SPMM_TYPES(SPMM)
#undef SPMM
#undef SPMM_BLOCK

/* Rows from .. to - 1 of the product in dtype t; false: no code for this dtype. */
static inline bool spmm_rows(gpa_dtype t, const spmm *p, int64_t from, int64_t to) {
#define SPMM(id, T, ADD) \
    if (t == DT_##id) return p->k == 1 ? spmv_##id(p, from, to) : spmm_##id(p, from, to), true;
    SPMM_TYPES(SPMM)
#undef SPMM
    return false;
}

#endif
