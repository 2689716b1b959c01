/* Sparse by dense products in host memory: CSR, a row of the result at a time; CSC and COO, by
 * scatter-add. */
#include "runtime/base/base.h"
#include "runtime/host/host.h"
#include "runtime/host/spmm.h"
#include "runtime/base/simd_clones.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    ROWS = 4096,
    VALUES = 1 << 16 /* between two polls of *stop */,
    AHEAD = 16 /* rows of y that are prefetched */
};

gpa_code hostcall_spmm(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                       gpa_err *e) {
    const spmm p = {call->spmm.k, x->in[0], x->in[1], x->in[2], x->in[3], x->out[0]};
    for (int64_t i = 0; i < call->spmm.a.rows; i += ROWS) {
        if (!spmm_rows(call->dtype, &p, i, MIN(i + ROWS, call->spmm.a.rows)))
            return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products",
                            dtype_info[call->dtype].name);
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}

/* Loads WIDTH elements of y, adds, and stores them together: the compiler must otherwise assume
 * that y aliases x. */
#define ADDED_LANES(T, WIDTH, ADD)                                       \
    for (; k - j >= WIDTH; j += WIDTH) {                                 \
        T sum[WIDTH];                                                    \
        GPA_NO_UNROLL for (int w = 0; w < WIDTH; w++) {                  \
            const T b = x[j + w];                                        \
            T c = y[j + w];                                              \
            ADD;                                                         \
            sum[w] = c;                                                  \
        }                                                                \
        GPA_NO_UNROLL for (int w = 0; w < WIDTH; w++) y[j + w] = sum[w]; \
    }
/* Widths that are compile-time constants have no inner loop. */
#define WITH_COLUMNS(f)                     \
    switch (p->k) {                         \
        case 1: f(p, from, to, 1); break;   \
        case 2: f(p, from, to, 2); break;   \
        case 3: f(p, from, to, 3); break;   \
        case 4: f(p, from, to, 4); break;   \
        case 5: f(p, from, to, 5); break;   \
        case 6: f(p, from, to, 6); break;   \
        case 7: f(p, from, to, 7); break;   \
        case 8: f(p, from, to, 8); break;   \
        case 16: f(p, from, to, 16); break; \
        default: f(p, from, to, p->k);      \
    }
#define ADDED(id, T, ADD)                                                                  \
    INLINE void add_##id(const T a, const T *x, T *y, int64_t k) {                         \
        int64_t j = 0;                                                                     \
        ADDED_LANES(T, 8, ADD)                                                             \
        ADDED_LANES(T, 4, ADD)                                                             \
        ADDED_LANES(T, 2, ADD)                                                             \
        ADDED_LANES(T, 1, ADD)                                                             \
    }                                                                                      \
    INLINE void lines_##id(const spmm *p, int64_t from, int64_t to, int64_t k) {           \
        const T *at = p->at, *x = p->x;                                                    \
        T *y = p->y;                                                                       \
        const int64_t last = p->start[to] - 1;                                             \
        for (int64_t l = from; l < to; l++)                                                \
            for (int64_t s = p->start[l], end = p->start[l + 1]; s < end; s++) {           \
                if (k > 1) __builtin_prefetch(y + p->column[MIN(s + AHEAD, last)] * k, 1); \
                add_##id(at[s], x + l * k, y + p->column[s] * k, k);                       \
            }                                                                              \
    }                                                                                      \
    INLINE void values_##id(const spmm *p, int64_t from, int64_t to, int64_t k) {          \
        const T *at = p->at, *x = p->x;                                                    \
        T *y = p->y;                                                                       \
        for (int64_t s = from; s < to; s++) {                                              \
            if (k > 1) __builtin_prefetch(y + p->column[MIN(s + AHEAD, to - 1)] * k, 1);   \
            add_##id(at[s], x + p->start[s] * k, y + p->column[s] * k, k);                 \
        }                                                                                  \
    }                                                                                      \
    static GPA_SIMD_CLONES void columns_##id(const spmm *p, int64_t from, int64_t to) {    \
        WITH_COLUMNS(lines_##id)                                                           \
    }                                                                                      \
    static GPA_SIMD_CLONES void places_##id(const spmm *p, int64_t from, int64_t to) {     \
        WITH_COLUMNS(values_##id)                                                          \
    }
SPMM_TYPES(ADDED)
#undef ADDED
#undef WITH_COLUMNS
#undef ADDED_LANES

typedef void adding(const spmm *, int64_t, int64_t);

static adding *adding_of(gpa_dtype t, bool places) {
#define ADDED(id, T, ADD) \
    if (t == DT_##id) return places ? places_##id : columns_##id;
    SPMM_TYPES(ADDED)
#undef ADDED
    return NULL;
}

gpa_code hostcall_spmm_csc(const gpa_libcall *call, bool places, const int32_t *line,
                           const int32_t *row, const void *at, const void *x, void *y,
                           const atomic_bool *stop, gpa_err *e) {
    const spmm p = {call->spmm.k, line, row, at, x, y};
    const int64_t n = places ? call->spmm.a.nnz : call->spmm.a.cols, step = places ? VALUES : ROWS;
    adding *add = adding_of(call->dtype, places);
    if (!add)
        return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products",
                        dtype_info[call->dtype].name);
    memset(y, 0, (size_t)(call->spmm.a.rows * call->spmm.k) * dtype_size(call->dtype));
    for (int64_t i = 0; i < n; i += step) {
        add(&p, i, MIN(i + step, n));
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}
