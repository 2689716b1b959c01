/* Elementwise binary operations of two CSR matrices in host memory.
 *
 * Where columns ascend the two rows are merged, branch-free. Otherwise the values of a row are
 * accumulated by column (sparse_accumulator.h). Reading order: columns of a row, operations,
 * aligned values. */
#include "runtime/base/base.h"
#include "runtime/host/host.h"
#include "runtime/host/sparse_accumulator.h"
#include "runtime/host/sum_dtypes.h"

enum {
    PART = 512 /* columns that are looked up together */,
    LOOK = 256 /* rows between two polls of *stop */
};

/* ---- columns of a row ---- */

typedef struct {
    column_accumulator set;
    void *at_a, *at_b; /* the values of each column */
} row_columns;

static void columns_free(row_columns *r) {
    accumulator_free(&r->set);
    mem_free(r->at_a);
    mem_free(r->at_b);
}

static gpa_code columns_new(row_columns *r, const host_csr *a, const host_csr *b, size_t item,
                            gpa_err *e) {
    int64_t most = 1;
    for (int64_t i = 0; i < a->m; i++)
        most = MAX(most, (int64_t)a->start[i + 1] - a->start[i] + b->start[i + 1] - b->start[i]);
    most = MIN(most, MAX(a->n, 1));
    gpa_code rc = accumulator_new(&r->set, most, e);
    r->at_a = mem_new((size_t)most * item);
    r->at_b = mem_new((size_t)most * item);
    return rc ? rc : r->at_a && r->at_b ? GPA_OK : gpa_no_memory(e);
}

/* ---- operations ---- */

/* UNION(dtype, one of the same bits, operation, C type, integer to mask it by, C type of the result
 * c, c of a and b, whether c is not 0). */
#define INTEGER(UNION, id, other, T)                             \
    UNION(id, other, ADD, T, T, T, (T)(a + b), c != 0)           \
    UNION(id, other, SUBTRACT, T, T, T, (T)(a - b), c != 0)      \
    UNION(id, other, MULTIPLY, T, T, T, (T)(1u * a * b), c != 0) \
    UNION(id, other, NOT_EQUAL, T, T, uint8_t, a != b, c)
#define ORDERED(UNION, id, T, W)                                               \
    UNION(id, id, MAXIMUM, T, W, T, (T)(((a > b) | (a != a)) ? a : b), c != 0) \
    UNION(id, id, MINIMUM, T, W, T, (T)(((a < b) | (a != a)) ? a : b), c != 0) \
    UNION(id, id, LESS, T, W, uint8_t, a < b, c)                               \
    UNION(id, id, GREATER, T, W, uint8_t, a > b, c)
#define REAL(UNION, id, T, W)                          \
    UNION(id, id, ADD, T, W, T, a + b, c != 0)         \
    UNION(id, id, SUBTRACT, T, W, T, a - b, c != 0)    \
    UNION(id, id, MULTIPLY, T, W, T, a *b, c != 0)     \
    UNION(id, id, NOT_EQUAL, T, W, uint8_t, a != b, c) \
    ORDERED(UNION, id, T, W)
#define COMPLEX(UNION, id, T, W)                                                                  \
    UNION(id, id, ADD, T, W, T, ((T){a.re + b.re, a.im + b.im}), (c.re != 0) | (c.im != 0))       \
    UNION(id, id, SUBTRACT, T, W, T, ((T){a.re - b.re, a.im - b.im}), (c.re != 0) | (c.im != 0))  \
    UNION(id, id, MULTIPLY, T, W, T, ((T){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}), \
          (c.re != 0) | (c.im != 0))                                                              \
    UNION(id, id, NOT_EQUAL, T, W, uint8_t, (a.re != b.re) | (a.im != b.im), c)
#define UNIONS(UNION)                                                                \
    UNION(BOOL, BOOL, ADD, uint8_t, uint8_t, uint8_t, (uint8_t)(a | b), c != 0)      \
    UNION(BOOL, BOOL, MULTIPLY, uint8_t, uint8_t, uint8_t, (uint8_t)(a & b), c != 0) \
    UNION(BOOL, BOOL, NOT_EQUAL, uint8_t, uint8_t, uint8_t, a != b, c)               \
    ORDERED(UNION, BOOL, uint8_t, uint8_t)                                           \
    INTEGER(UNION, U8, I8, uint8_t)                                                  \
    INTEGER(UNION, U16, I16, uint16_t)                                               \
    INTEGER(UNION, U32, I32, uint32_t)                                               \
    INTEGER(UNION, U64, I64, uint64_t)                                               \
    ORDERED(UNION, I8, int8_t, uint8_t)                                              \
    ORDERED(UNION, I16, int16_t, uint16_t)                                           \
    ORDERED(UNION, I32, int32_t, uint32_t)                                           \
    ORDERED(UNION, I64, int64_t, uint64_t)                                           \
    ORDERED(UNION, U8, uint8_t, uint8_t)                                             \
    ORDERED(UNION, U16, uint16_t, uint16_t)                                          \
    ORDERED(UNION, U32, uint32_t, uint32_t)                                          \
    ORDERED(UNION, U64, uint64_t, uint64_t)                                          \
    REAL(UNION, F32, float, uint32_t)                                                \
    REAL(UNION, F64, double, uint64_t)                                               \
    COMPLEX(UNION, C64, gpa_c64, uint32_t)                                           \
    COMPLEX(UNION, C128, gpa_c128, uint64_t)

/* Row of the result from `to` on; returns the end. r: accumulators, where columns do not ascend. */
typedef int64_t united_row(const row_columns *r, const host_csr *p, const host_csr *q, int64_t i,
                           int64_t to, int32_t *column, void *at);

/* x = *from where mask is -1, 0 where it is 0. */
#define MASKED(x, from, mask, W)                                                               \
    do {                                                                                       \
        W word[sizeof(x) / sizeof(W)];                                                         \
        memcpy(word, from, sizeof word);                                                       \
        for (size_t w = 0; w < sizeof word / sizeof *word; w++) word[w] &= (W)(int64_t)(mask); \
        memcpy(&(x), word, sizeof word);                                                       \
    } while (0)
/* Appends c in a column, unless it is 0. */
#define PUT(where, R, OP, THERE)       \
    do {                               \
        const int32_t place = (where); \
        const R c = OP;                \
        column[to] = place;            \
        out[to] = c;                   \
        to += THERE;                   \
    } while (0)

#define ROW(id, other, how, T, W, R, OP, THERE)                                                    \
    static int64_t merged_##id##_##how(const row_columns *r, const host_csr *p, const host_csr *q, \
                                       int64_t i, int64_t to, int32_t *column, void *at) {         \
        const int32_t *const in_p = p->column, *const in_q = q->column, end_p = p->start[i + 1],   \
                             end_q = q->start[i + 1];                                              \
        const T *const at_p = p->at, *const at_q = q->at, zero = {0};                              \
        int32_t s = p->start[i], t = q->start[i];                                                  \
        T a = zero, b = zero;                                                                      \
        R *out = at;                                                                               \
        (void)r;                                                                                   \
        while (s < end_p && t < end_q) {                                                           \
            const int32_t x = in_p[s], y = in_q[t], take_p = -(x <= y), take_q = -(y <= x);        \
            MASKED(a, at_p + s, take_p, W);                                                        \
            MASKED(b, at_q + t, take_q, W);                                                        \
            PUT((x & take_p) | (y & ~take_p), R, OP, THERE);                                       \
            s -= take_p;                                                                           \
            t -= take_q;                                                                           \
        }                                                                                          \
        for (b = zero; s < end_p; s++) {                                                           \
            a = at_p[s];                                                                           \
            PUT(in_p[s], R, OP, THERE);                                                            \
        }                                                                                          \
        for (a = zero; t < end_q; t++) {                                                           \
            b = at_q[t];                                                                           \
            PUT(in_q[t], R, OP, THERE);                                                            \
        }                                                                                          \
        return to;                                                                                 \
    }                                                                                              \
    static int64_t loose_##id##_##how(const row_columns *r, const host_csr *p, const host_csr *q,  \
                                      int64_t i, int64_t to, int32_t *column, void *at) {          \
        R *out = at;                                                                               \
        (void)p, (void)q, (void)i;                                                                 \
        for (int32_t k = r->set.n - 1; k >= 0; k--) {                                              \
            const T a = ((const T *)r->at_a)[k], b = ((const T *)r->at_b)[k];                      \
            PUT(r->set.column[k], R, OP, THERE);                                                   \
        }                                                                                          \
        return to;                                                                                 \
    }
UNIONS(ROW)
#undef ROW
#undef PUT
#undef MASKED

static united_row *row_of(host_csr_op how, gpa_dtype t, bool ascending) {
#define ROW(id, other, op, T, W, R, OP, THERE)                \
    if ((t == DT_##id || t == DT_##other) && how == CSR_##op) \
        return ascending ? merged_##id##_##op : loose_##id##_##op;
    UNIONS(ROW)
#undef ROW
    return NULL;
}

bool hostcall_csr_can_binary(host_csr_op how, gpa_dtype t) { return row_of(how, t, true) != NULL; }

/* Accumulates the values of a row in `own`; new columns start with 0 for both matrices. */
#define GATHER(id, T, ADD)                                                           \
    static void gather_##id(row_columns *r, const host_csr *p, int64_t i, void *own, \
                            void *others) {                                          \
        const T *at = p->at, zero = {0};                                             \
        T *sums = own;                                                               \
        column_accumulator set = r->set; /* in registers: stores cannot change it */ \
        for (int32_t s = p->start[i]; s < p->start[i + 1]; s++) {                    \
            const int32_t n = set.n, k = accumulator_find(&set, p->column[s]);       \
            const T a = at[s];                                                       \
            T c = zero;                                                              \
            if (k < n)                                                               \
                c = sums[k];                                                         \
            else                                                                     \
                ((T *)others)[k] = zero;                                             \
            ADD;                                                                     \
            sums[k] = c;                                                             \
        }                                                                            \
        r->set.n = set.n;                                                            \
    }
SUM_TYPES(GATHER)
#undef GATHER

/* The same of two matrices with the same sparsity pattern. */
#define GATHER_TWO(id, T, ADD)                                                                     \
    static void gather_two_##id(row_columns *r, const host_csr *p, const host_csr *q, int64_t i) { \
        const T *const values[] = {p->at, q->at}, zero = {0};                                      \
        T *const all[] = {r->at_a, r->at_b};                                                       \
        column_accumulator set = r->set;                                                           \
        for (int32_t s = p->start[i]; s < p->start[i + 1]; s++) {                                  \
            const int32_t n = set.n, k = accumulator_find(&set, p->column[s]);                     \
            for (int m = 0; m < 2; m++) {                                                          \
                const T a = values[m][s];                                                          \
                T c = k < n ? all[m][k] : zero;                                                    \
                ADD;                                                                               \
                all[m][k] = c;                                                                     \
            }                                                                                      \
        }                                                                                          \
        r->set.n = set.n;                                                                          \
    }
SUM_TYPES(GATHER_TWO)
#undef GATHER_TWO

typedef void gathering(row_columns *, const host_csr *, int64_t, void *, void *);
typedef void gathering_two(row_columns *, const host_csr *, const host_csr *, int64_t);

static gathering *gathering_of(gpa_dtype t) {
#define SUM(id, T, ADD) \
    if (t == DT_##id) return gather_##id;
    SUM_TYPES(SUM)
#undef SUM
    return NULL;
}

static gathering_two *gathering_two_of(gpa_dtype t) {
#define SUM(id, T, ADD) \
    if (t == DT_##id) return gather_two_##id;
    SUM_TYPES(SUM)
#undef SUM
    return NULL;
}

gpa_code hostcall_csr_binary(host_csr_op how, gpa_dtype t, const host_csr *a, const host_csr *b,
                             bool ascending, int32_t *start, int32_t *column, void *at,
                             const atomic_bool *stop, gpa_err *e) {
    united_row *row = row_of(how, t, ascending);
    gathering *gather = gathering_of(t);
    gathering_two *both = gathering_two_of(t);
    const bool same = a->start == b->start && a->column == b->column;
    row_columns r = {0};
    gpa_code rc = ascending ? GPA_OK : columns_new(&r, a, b, dtype_size(t), e);
    int64_t all = start[0] = 0;
    for (int64_t i = 0; i < a->m && !rc; i++) {
        r.set.n = 0;
        if (!ascending && same) {
            both(&r, a, b, i);
        } else if (!ascending) {
            gather(&r, a, i, r.at_a, r.at_b);
            gather(&r, b, i, r.at_b, r.at_a);
        }
        all = row(&r, a, b, i, all, column, at);
        if (all > INT32_MAX) rc = hostcall_too_many_values(e);
        start[i + 1] = (int32_t)all;
        if (i % LOOK == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    columns_free(&r);
    return rc;
}

/* ---- aligned values ---- */

/* Branch-free gather: out[k] = values[place[k]], 0 where that is -1; n values of WORDS words each,
 * of which there is at least one. */
#define LOOK_UP(size, T, WORDS)                                                                  \
    static void look_up_##size(const void *values, const int32_t *place, int32_t n, void *out) { \
        const T *from = values;                                                                  \
        T *to = out;                                                                             \
        for (int32_t k = 0; k < n; k++) {                                                        \
            const int32_t none = place[k] >> 31;                                                 \
            const size_t at = (size_t)(place[k] & ~none) * WORDS;                                \
            for (int w = 0; w < WORDS; w++)                                                      \
                to[k * WORDS + w] = from[at + (size_t)w] & (T) ~(T)none;                         \
        }                                                                                        \
    }
LOOK_UP(1, uint8_t, 1)
LOOK_UP(2, uint16_t, 1)
LOOK_UP(4, uint32_t, 1)
LOOK_UP(8, uint64_t, 1)
LOOK_UP(16, uint64_t, 2)
#undef LOOK_UP

typedef void looking_up(const void *, const int32_t *, int32_t, void *);

static looking_up *look_up_of(size_t item) {
    return item == 1   ? look_up_1
           : item == 2 ? look_up_2
           : item == 4 ? look_up_4
           : item == 8 ? look_up_8
                       : look_up_16;
}

/* The columns of a union in chunks, and the index of the values of each. */
typedef struct {
    const host_csr *a, *b;
    gpa_dtype t, u;
    char *x, *y;
    int32_t n, in_a[PART], in_b[PART];
} joined;

static void look_up(gpa_dtype t, const host_csr *a, const int32_t *place, int32_t n, void *out) {
    if (a->count)
        look_up_of(dtype_size(t))(a->at, place, n, out);
    else
        memset(out, 0, (size_t)n * dtype_size(t));
}

static void flush(joined *j) {
    look_up(j->t, j->a, j->in_a, j->n, j->x);
    look_up(j->u, j->b, j->in_b, j->n, j->y);
    j->x += (size_t)j->n * dtype_size(j->t);
    j->y += (size_t)j->n * dtype_size(j->u);
    j->n = 0;
}

/* Branch-free merge of a row of both while both have columns left; returns the number of
 * columns. */
static int32_t join_row(joined *j, int64_t i, int32_t *column) {
    const int32_t *const in_a = j->a->column, *const in_b = j->b->column;
    int32_t s = j->a->start[i], t = j->b->start[i], k = 0, n = j->n;
    const int32_t end_a = j->a->start[i + 1], end_b = j->b->start[i + 1];
    while (s < end_a || t < end_b) {
        for (; n < PART && s < end_a && t < end_b; k++, n++) {
            const int32_t x = in_a[s], y = in_b[t], take_a = x <= y, take_b = y <= x;
            column[k] = (x & -take_a) | (y & (take_a - 1));
            j->in_a[n] = s | (take_a - 1);
            j->in_b[n] = t | (take_b - 1);
            s += take_a;
            t += take_b;
        }
        for (; n < PART && s < end_a && t == end_b; s++, k++, n++)
            column[k] = in_a[s], j->in_a[n] = s, j->in_b[n] = -1;
        for (; n < PART && t < end_b && s == end_a; t++, k++, n++)
            column[k] = in_b[t], j->in_a[n] = -1, j->in_b[n] = t;
        if (n < PART) continue;
        j->n = n;
        flush(j);
        n = 0;
    }
    j->n = n;
    return k;
}

gpa_code hostcall_csr_align(gpa_dtype t, gpa_dtype u, const host_csr *a, const host_csr *b,
                            int32_t *start, int32_t *column, void *x, void *y,
                            const atomic_bool *stop, gpa_err *e) {
    joined j = {.a = a, .b = b, .t = t, .u = u, .x = x, .y = y};
    int64_t all = start[0] = 0;
    for (int64_t i = 0; i < a->m; i++) {
        all += join_row(&j, i, column + all);
        if (all > INT32_MAX) return hostcall_too_many_values(e);
        start[i + 1] = (int32_t)all;
        if (i % LOOK == 0 && hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    flush(&j);
    return GPA_OK;
}
