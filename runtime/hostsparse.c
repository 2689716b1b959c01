/* Products of sparse matrices with dense ones in host memory: of rows, whose sums are made one by one; of columns, which are added up. */
#include "runtime/base.h"
#include "runtime/hostcall.h"
#include "runtime/spmm.h"
#include "runtime/wide.h"

enum { ROWS = 4096, VALUES = 1 << 16 /* between two looks at *stop */, EIGHT = 8, AHEAD = 16 /* rows that memory is asked for */ };

/* Asks for the row of y, of `size` bytes, that a value further on will be added to. */
static inline void ask(const spmm *p, int64_t s, int64_t end, size_t size) {
    const char *row = (const char *)p->y + (size_t)p->column[MIN(s + AHEAD, end - 1)] * size;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + size - 1, 1);
}

gpa_code hostcall_sparse(const gpa_libcall *call, const int32_t *start, const int32_t *column, const void *at, const void *x, void *y,
                         const atomic_bool *stop, gpa_err *e) {
    const spmm p = {call->sparse.k, start, column, at, x, y};
    for (int64_t i = 0; i < call->sparse.m; i += ROWS) {
        if (!spmm_rows(call->dtype, &p, i, MIN(i + ROWS, call->sparse.m)))
            return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products", dtype_info[call->dtype].name);
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}

#define ADDED(id, T, ADD)                                                           \
    static inline void add_##id(const T a, const T *x, T *y) {                      \
        const T b = *x;                                                             \
        T c = *y;                                                                   \
        ADD;                                                                        \
        *y = c;                                                                     \
    }                                                                               \
    static inline void add_row_##id(const T a, const T *restrict x, T *restrict y, int64_t k) { \
        int64_t j = 0;                                                              \
        for (; k - j >= EIGHT; j += EIGHT)                                          \
            for (int w = 0; w < EIGHT; w++) add_##id(a, x + j + w, y + j + w);      \
        for (; j < k; j++) add_##id(a, x + j, y + j);                               \
    }                                                                               \
    /* The same with k = 1. */                                                      \
    static void column_##id(const spmm *p, int64_t from, int64_t to) {              \
        const T *at = p->at, *x = p->x;                                             \
        T *y = p->y;                                                                \
        for (int64_t l = from; l < to; l++) {                                       \
            const T b = x[l];                                                       \
            for (int64_t s = p->start[l], end = p->start[l + 1]; s < end; s++) add_##id(at[s], &b, y + p->column[s]); \
        }                                                                           \
    }                                                                               \
    static GPA_WIDE void columns_##id(const spmm *p, int64_t from, int64_t to) {             \
        const T *at = p->at, *x = p->x;                                             \
        T *y = p->y;                                                                \
        const int64_t k = p->k;                                                     \
        for (int64_t l = from; l < to; l++)                                         \
            for (int64_t s = p->start[l], end = p->start[l + 1]; s < end; s++) {    \
                ask(p, s, p->start[to], (size_t)k * sizeof *y);                     \
                add_row_##id(at[s], x + l * k, y + p->column[s] * k, k);            \
            }                                                                       \
    }                                                                               \
    static GPA_WIDE void places_##id(const spmm *p, int64_t from, int64_t to) {              \
        const T *at = p->at, *x = p->x;                                             \
        T *y = p->y;                                                                \
        const int64_t k = p->k;                                                     \
        for (int64_t s = from; s < to; s++) {                                       \
            if (k == 1) {                                                           \
                add_##id(at[s], x + p->start[s], y + p->column[s]);                 \
                continue;                                                           \
            }                                                                       \
            ask(p, s, to, (size_t)k * sizeof *y);                                   \
            add_row_##id(at[s], x + p->start[s] * k, y + p->column[s] * k, k);      \
        }                                                                           \
    }
SPMM_TYPES(ADDED)
#undef ADDED

typedef void adding(const spmm *, int64_t, int64_t);

static adding *adding_of(gpa_dtype t, bool places, int64_t k) {
#define ADDED(id, T, ADD) if (t == DT_##id) return places ? places_##id : k == 1 ? column_##id : columns_##id;
    SPMM_TYPES(ADDED)
#undef ADDED
    return NULL;
}

gpa_code hostcall_sparse_columns(const gpa_libcall *call, bool places, const int32_t *line, const int32_t *row, const void *at, const void *x, void *y,
                                 const atomic_bool *stop, gpa_err *e) {
    const spmm p = {call->sparse.k, line, row, at, x, y};
    const int64_t n = places ? call->sparse.count : call->sparse.n, step = places ? VALUES : ROWS;
    adding *add = adding_of(call->dtype, places, p.k);
    if (!add) return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products", dtype_info[call->dtype].name);
    memset(y, 0, (size_t)(call->sparse.m * call->sparse.k) * dtype_size(call->dtype));
    for (int64_t i = 0; i < n; i += step) {
        add(&p, i, MIN(i + step, n));
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}
