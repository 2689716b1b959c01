/* Sparse matrices (CSR) in host memory: products of two, transposes.
 *
 * Row-wise SpGEMM (F. G. Gustavson, ACM Transactions on Mathematical Software 4, 250-269, 1978);
 * for large products a symbolic pass first counts the columns of each row, to allocate the result,
 * then the numeric pass sums. The columns of a row are in SciPy's order, last inserted first.
 * Reading order: checks, products, transposes. */
#include "runtime/base/base.h"
#include "runtime/tables/by_size.h"
#include "runtime/host/host.h"
#include "runtime/host/sparse_accumulator.h"
#include "runtime/host/spmm.h"
#include "runtime/base/simd_clones.h"

enum {
    ROWS = 256 /* between two polls of *stop */,
    AHEAD = 4 /* rows of B that are prefetched */
};

/* ---- checks ---- */

static GPA_SIMD_CLONES bool rises(const int32_t *index, int64_t n) {
    uint32_t fall = 0;
    for (int64_t i = 1; i < n; i++) fall |= index[i - 1] > index[i];
    return !fall;
}

static GPA_SIMD_CLONES uint32_t largest(const int32_t *index, int64_t n) {
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = MAX(most, (uint32_t)index[i]);
    return most;
}

void hostcall_index_range(const int32_t *index, int64_t n, uint32_t *most, bool *rise) {
    *most = largest(index, n);
    *rise = rises(index, n);
}

gpa_code hostcall_too_many_values(gpa_err *e) {
    return gpa_fail(e, GPA_E_VALUE, "a sparse matrix cannot have 2**31 values or more");
}

/* Exclusive prefix sum: counts to starts. */
static gpa_code add_up(int64_t m, int32_t *start, gpa_err *e) {
    int64_t all = 0;
    start[0] = 0;
    for (int64_t i = 1; i <= m; i++) {
        all += start[i];
        if (all > INT32_MAX) return hostcall_too_many_values(e);
        start[i] = (int32_t)all;
    }
    return GPA_OK;
}

/* ---- products ---- */

gpa_code hostcall_spgemm_row_starts(const host_csr *a, const host_csr *b, int32_t *start,
                                    const atomic_bool *stop, gpa_err *e) {
    int32_t *seen =
        mem_new((size_t)MAX(b->n, 1) * sizeof *seen); /* the last row that has the column */
    gpa_code rc = seen ? GPA_OK : gpa_no_memory(e);
    for (int64_t j = 0; j < b->n && !rc; j++) seen[j] = -1;
    for (int64_t i = 0; i < a->m && !rc; i++) {
        const int32_t row = (int32_t)i;
        int32_t n = 0;
        for (int32_t s = a->start[i]; s < a->start[i + 1]; s++) {
            __builtin_prefetch(b->column + b->start[a->column[MIN(s + AHEAD, a->count - 1)]]);
            for (int32_t t = b->start[a->column[s]], end = b->start[a->column[s] + 1]; t < end;
                 t++) {
                n += seen[b->column[t]] != row;
                seen[b->column[t]] = row;
            }
        }
        start[i + 1] = n;
        if (i % ROWS == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    mem_free(seen);
    return rc ? rc : add_up(a->m, start, e);
}

int64_t hostcall_spgemm_products(const host_csr *a, const host_csr *b) {
    int64_t all = 0;
    for (int64_t s = 0; s < a->count; s++)
        all += b->start[a->column[s] + 1] - b->start[a->column[s]];
    return all;
}

#define THERE(id, T) \
    static inline bool there_##id(T c) { return c != 0; }
THERE(I32, uint32_t)
THERE(I64, uint64_t)
THERE(F32, float)
THERE(F64, double)
#undef THERE
#define THERE(id, T) \
    static inline bool there_##id(T c) { return (c.re != 0) | (c.im != 0); }
THERE(C64, gpa_c64)
THERE(C128, gpa_c128)
#undef THERE

/* Row i of the product from `to` on; returns the end. `sums`: scratch for a value of each
 * column. */
#define TIMES(id, T, ADD)                                                                     \
    static int64_t times_##id(const host_csr *p, const host_csr *q, int64_t i,                \
                              column_accumulator *r, void *sums, int64_t to, int32_t *column, \
                              void *at) {                                                     \
        T *sum = sums, *out = at;                                                             \
        column_accumulator set = *r; /* in registers: stores cannot change it */              \
        set.n = 0;                                                                            \
        for (int32_t s = p->start[i]; s < p->start[i + 1]; s++) {                             \
            const int32_t l = p->column[s];                                                   \
            const T a = ((const T *)p->at)[s];                                                \
            const int32_t next = q->start[p->column[MIN(s + AHEAD, p->count - 1)]];           \
            __builtin_prefetch(q->column + next);                                             \
            __builtin_prefetch((const T *)q->at + next);                                      \
            for (int32_t t = q->start[l], end = q->start[l + 1]; t < end; t++) {              \
                const int32_t n = set.n, k = accumulator_find(&set, q->column[t]);            \
                const T b = ((const T *)q->at)[t];                                            \
                T c = {0};                                                                    \
                if (k < n) c = sum[k];                                                        \
                ADD;                                                                          \
                sum[k] = c;                                                                   \
            }                                                                                 \
        }                                                                                     \
        for (int32_t k = set.n - 1; k >= 0; k--) {                                            \
            column[to] = set.column[k];                                                       \
            out[to] = sum[k];                                                                 \
            to += there_##id(sum[k]);                                                         \
        }                                                                                     \
        return to;                                                                            \
    }
SPMM_TYPES(TIMES)
#undef TIMES

typedef int64_t times_row(const host_csr *, const host_csr *, int64_t, column_accumulator *, void *,
                          int64_t, int32_t *, void *);

static times_row *times_of(gpa_dtype t) {
#define TIMES(id, T, ADD) \
    if (t == DT_##id) return times_##id;
    SPMM_TYPES(TIMES)
#undef TIMES
    return NULL;
}

/* The most values that a row of A combines. */
static int64_t longest(const host_csr *a, const host_csr *b) {
    int64_t most = 1;
    for (int64_t i = 0; i < a->m; i++) {
        int64_t here = 0;
        for (int32_t s = a->start[i]; s < a->start[i + 1]; s++)
            here += b->start[a->column[s] + 1] - b->start[a->column[s]];
        most = MAX(most, here);
    }
    return MIN(most, MAX(b->n, 1));
}

gpa_code hostcall_spgemm(gpa_dtype t, const host_csr *a, const host_csr *b, int32_t *start,
                         int32_t *column, void *at, const atomic_bool *stop, gpa_err *e) {
    times_row *times = times_of(t);
    column_accumulator r;
    if (!times)
        return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products",
                        dtype_info[t].name);
    const int64_t most = longest(a, b);
    gpa_code rc = accumulator_new(&r, most, e);
    void *sums = mem_new((size_t)most * dtype_size(t));
    int64_t to = start[0] = 0;
    if (!rc && !sums) rc = gpa_no_memory(e);
    for (int64_t i = 0; i < a->m && !rc; i++) {
        to = times(a, b, i, &r, sums, to, column, at);
        start[i + 1] = (int32_t)to;
        if (i % ROWS == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    mem_free(sums);
    accumulator_free(&r);
    return rc;
}

/* ---- transposes ---- */

#define TURN(T)                                \
    for (int64_t i = 0; i < count; i++) {      \
        const int32_t to = start[key[i]]++;    \
        to_other[to] = other[i];               \
        ((T *)to_at)[to] = ((const T *)at)[i]; \
    }

gpa_code hostcall_sparse_transpose(const gpa_libcall *call, const host_operands *x,
                                   const atomic_bool *stop, gpa_err *e) {
    const int32_t *key = x->in[0], *other = x->in[1];
    const void *at = x->in[2];
    int32_t *start = x->out[0], *to_other = x->out[1];
    void *to_at = x->out[2];
    const int64_t n = call->transpose.cols, count = call->transpose.nnz;
    const size_t item = dtype_size(call->dtype);
    for (int64_t k = 0; k <= n; k++) start[k] = 0;
    for (int64_t i = 0; i < count; i++) start[key[i]]++;
    for (int64_t k = 0, before = 0; k <= n; k++) {
        const int32_t here = start[k];
        start[k] = (int32_t)before;
        before += here;
    }
    BY_SIZE(item, TURN);
    for (int64_t k = n; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
    return hostcall_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
#undef TURN
