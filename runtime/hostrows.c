/* Sparse matrices by rows in host memory: products of two, transposes.
 *
 * A product is made row by row (F. G. Gustavson, ACM Transactions on Mathematical Software 4, 250-269, 1978), first how many columns each row
 * will have, then their sums, which stand one for each column of B meanwhile. Which of these are in use is a bit each; a second bit for each word of such
 * bits finds them in ascending order without a sort. Reading order: checks, products, transposes. */
#include "runtime/base.h"
#include "runtime/bysize.h"
#include "runtime/hostcall.h"
#include "runtime/spmm.h"
#include "runtime/wide.h"

enum { ROWS = 256 /* between two looks at *stop */, AHEAD = 4 /* rows of B that memory is asked for */, SHORT = 24, WORD = 64, PAGE = WORD * WORD };

/* ---- checks ---- */

static GPA_WIDE bool rises(const int32_t *index, int64_t n) {
    uint32_t fall = 0;
    for (int64_t i = 1; i < n; i++) fall |= index[i - 1] > index[i];
    return !fall;
}

static GPA_WIDE uint32_t largest(const int32_t *index, int64_t n) {
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = MAX(most, (uint32_t)index[i]);
    return most;
}

void hostcall_look(const int32_t *index, int64_t n, uint32_t *most, bool *rise) {
    *most = largest(index, n);
    *rise = rises(index, n);
}

gpa_code hostcall_too_many(gpa_err *e) { return gpa_fail(e, GPA_E_VALUE, "a sparse matrix cannot have 2**31 values or more"); }

/* Counts become starts. */
static gpa_code add_up(int64_t m, int32_t *start, gpa_err *e) {
    int64_t all = 0;
    start[0] = 0;
    for (int64_t i = 1; i <= m; i++) {
        all += start[i];
        if (all > INT32_MAX) return hostcall_too_many(e);
        start[i] = (int32_t)all;
    }
    return GPA_OK;
}

/* ---- products ---- */

/* The columns of one row: a bit each, a bit for each word of these that is not 0, and a list as they came. */
typedef struct {
    uint64_t *bit, *word;
    int32_t *list;
    int64_t n;
} row_set;

static gpa_code set_new(row_set *r, int64_t columns, gpa_err *e) {
    *r = (row_set){.bit = mem_zero((size_t)(columns / WORD + 1) * sizeof *r->bit), .word = mem_zero((size_t)(columns / PAGE + 1) * sizeof *r->word),
                   .list = mem_new((size_t)MAX(columns, 1) * sizeof *r->list)};
    return r->bit && r->word && r->list ? GPA_OK : gpa_no_memory(e);
}

static void set_free(row_set *r) {
    mem_free(r->bit);
    mem_free(r->word);
    mem_free(r->list);
}

/* Whether the column is new. */
static inline bool set_add(row_set *r, int32_t column) {
    uint64_t *w = &r->bit[column / WORD], b = 1ull << column % WORD;
    if (*w & b) return false;
    if (!*w) r->word[column / PAGE] |= 1ull << column / WORD % WORD;
    *w |= b;
    r->list[r->n++] = column;
    return true;
}

static void set_clear(row_set *r) {
    for (int64_t k = 0; k < r->n; k++) r->bit[r->list[k] / WORD] = r->word[r->list[k] / PAGE] = 0;
    r->n = 0;
}

/* The columns, ascending; the set is empty then. */
static int64_t set_take(row_set *r, int32_t *out) {
    const int64_t n = r->n;
    if (n <= SHORT) {
        for (int64_t k = 0; k < n; k++) {
            const int32_t c = r->list[k];
            int64_t at = k;
            for (; at && out[at - 1] > c; at--) out[at] = out[at - 1];
            out[at] = c;
        }
        set_clear(r);
        return n;
    }
    int32_t low = INT32_MAX, high = 0;
    for (int64_t k = 0; k < n; k++) low = MIN(low, r->list[k]), high = MAX(high, r->list[k]);
    for (int64_t p = low / PAGE; p <= high / PAGE; p++) {
        for (uint64_t words = r->word[p]; words; words &= words - 1) {
            const int64_t w = p * WORD + __builtin_ctzll(words);
            for (uint64_t bits = r->bit[w]; bits; bits &= bits - 1) *out++ = (int32_t)(w * WORD + __builtin_ctzll(bits));
            r->bit[w] = 0;
        }
        r->word[p] = 0;
    }
    r->n = 0;
    return n;
}

gpa_code hostcall_spgemm_starts(const host_rows *a, const host_rows *b, int32_t *start, const atomic_bool *stop, gpa_err *e) {
    int32_t *seen = mem_new((size_t)MAX(b->n, 1) * sizeof *seen); /* the last row that has the column */
    gpa_code rc = seen ? GPA_OK : gpa_no_memory(e);
    for (int64_t j = 0; j < b->n && !rc; j++) seen[j] = -1;
    for (int64_t i = 0; i < a->m && !rc; i++) {
        const int32_t row = (int32_t)i;
        int32_t n = 0;
        for (int32_t s = a->start[i]; s < a->start[i + 1]; s++) {
            __builtin_prefetch(b->column + b->start[a->column[MIN(s + AHEAD, a->count - 1)]]);
            for (int32_t t = b->start[a->column[s]], end = b->start[a->column[s] + 1]; t < end; t++) {
                n += seen[b->column[t]] != row;
                seen[b->column[t]] = row;
            }
        }
        start[i + 1] = n;
        if (i % ROWS == 0 && hostcall_stopped(stop)) rc = gpa_fail(e, GPA_E_INTERRUPT, "%s", "");
    }
    mem_free(seen);
    return rc ? rc : add_up(a->m, start, e);
}

/* Row i of the product, in a dtype; `sums`: room for a value of each column of B. */
#define TIMES(id, T, ADD)                                                                                                          \
    static void times_##id(const host_rows *p, const host_rows *q, int64_t i, row_set *r, void *sums, int32_t *column, void *at) { \
        T *sum = sums, *out = at;                                                                                                  \
        for (int32_t s = p->start[i]; s < p->start[i + 1]; s++) {                                                                  \
            const int32_t l = p->column[s];                                                                                        \
            const T a = ((const T *)p->at)[s];                                                                                     \
            const int32_t next = q->start[p->column[MIN(s + AHEAD, p->count - 1)]];                                                \
            __builtin_prefetch(q->column + next);                                                                                  \
            __builtin_prefetch((const T *)q->at + next);                                                                           \
            for (int32_t t = q->start[l]; t < q->start[l + 1]; t++) {                                                              \
                const int32_t j = q->column[t];                                                                                    \
                const T b = ((const T *)q->at)[t];                                                                                 \
                T c = {0};                                                                                                         \
                if (!set_add(r, j)) c = sum[j];                                                                                    \
                ADD;                                                                                                               \
                sum[j] = c;                                                                                                        \
            }                                                                                                                      \
        }                                                                                                                          \
        const int64_t n = set_take(r, column);                                                                                     \
        for (int64_t k = 0; k < n; k++) out[k] = sum[column[k]];                                                                   \
    }
SPMM_TYPES(TIMES)
#undef TIMES

typedef void times_row(const host_rows *, const host_rows *, int64_t, row_set *, void *, int32_t *, void *);

static times_row *times_of(gpa_dtype t) {
#define TIMES(id, T, ADD) if (t == DT_##id) return times_##id;
    SPMM_TYPES(TIMES)
#undef TIMES
    return NULL;
}

gpa_code hostcall_spgemm(gpa_dtype t, const host_rows *a, const host_rows *b, const int32_t *start, int32_t *column, void *at,
                         const atomic_bool *stop, gpa_err *e) {
    times_row *times = times_of(t);
    const size_t item = dtype_size(t);
    row_set r;
    if (!times) return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products", dtype_info[t].name);
    gpa_code rc = set_new(&r, b->n, e);
    void *sums = mem_new((size_t)MAX(b->n, 1) * item);
    if (!rc && !sums) rc = gpa_no_memory(e);
    for (int64_t i = 0; i < a->m && !rc; i++) {
        times(a, b, i, &r, sums, column + start[i], (char *)at + (size_t)start[i] * item);
        if (i % ROWS == 0 && hostcall_stopped(stop)) rc = gpa_fail(e, GPA_E_INTERRUPT, "%s", "");
    }
    mem_free(sums);
    set_free(&r);
    return rc;
}

/* ---- transposes ---- */

#define TURN(T)                                                                   \
    for (int64_t i = 0; i < count; i++) {                                         \
        const int32_t to = start[key[i]]++;                                       \
        to_other[to] = other[i];                                                  \
        ((T *)to_at)[to] = ((const T *)at)[i];                                    \
    }

void hostcall_turn(const gpa_libcall *call, const int32_t *key, const int32_t *other, const void *at, int32_t *start, int32_t *to_other, void *to_at) {
    const int64_t n = call->turn.n, count = call->turn.count;
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
}
#undef TURN
