/* searchsorted on the thread pool.
 *
 * Values are searched in groups: each step of a branch-free binary search halves the range of all
 * of them, so that cache misses overlap. Sorted values are close to the previous group and found by
 * counting, as are all values among few elements. Dtypes without a search of their own are searched
 * by their ranks. Reading order: keys, groups, ranks, calls. */
#include "runtime/cpu/sort/search.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/host/sort_key.h"
#include "runtime/base/simd_clones.h"

enum {
    GROUP = 16,
    NEAR = 64,
    STEP = 16,
    REGISTER = 64,
    BLOCK = 1 << 13,
    PIECE = 1 << 10,
    MANY = 64
};
#define LANES(T) ((int)(REGISTER / sizeof(T)))
#define FEW(T) \
    ((int64_t)(NEAR * 4 / sizeof(T))) /* up to as many elements each value is compared with all */

typedef struct {
    const gpa_libcall *c;
    gpa_dtype dtype;     /* of the search */
    sortkey_order order; /* of the dtype */
    const void *a, *v;
    int64_t *out;
    sortkey_order own;  /* of values searched by their ranks */
    const char *values; /* these; else NULL */
} search;

/* ---- keys ---- */

/* One value at a time: remainders, and NaN. */
static int64_t by_keys(const search *s, int64_t j) {
    size_t item = s->order.item;
    uint64_t wanted = 0, here = 0;
    int64_t low = 0, high = s->c->search.n;
    sortkey_load((const char *)s->v + (size_t)j * item, item, 1, &wanted);
    wanted = sortkey_rank(wanted, &s->order);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        sortkey_load((const char *)s->a + (size_t)middle * item, item, 1, &here);
        here = sortkey_rank(here, &s->order);
        if (here < wanted || (s->c->search.right && here == wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- groups ---- */

/* Values from .. to - 1, of type T; C counts in as many bytes. `at` is the last element before the
 * previous group. Where the whole group lies between that and one of the next NEAR elements, each
 * value is compared with those; else binary search. Among FEW elements each value is compared with
 * all. A sample of each chunk decides whether half of the values lie outside of all elements. */
#define SEARCH(name, T, C, BEFORE)                                                                 \
    typedef C name##_count __attribute__((vector_size(REGISTER)));                                 \
    typedef T name##_group __attribute__((vector_size(REGISTER)));                                 \
    static inline bool name##_between(const T *w, T low, T high) {                                 \
        int64_t between = 0;                                                                       \
        GPA_NO_UNROLL for (int k = 0; k < GROUP; k++) between +=                                   \
            (low BEFORE w[k]) & !(high BEFORE w[k]);                                               \
        return between == GROUP;                                                                   \
    }                                                                                              \
    static inline void name##_few(const search *s, int64_t from) {                                 \
        const T *a = s->a, *w = (const T *)s->v + from;                                            \
        C count[MANY] = {0}, numbers = 0;                                                          \
        for (int64_t j = 0, n = s->c->search.n; j < n; j++) {                                      \
            T x = a[j];                                                                            \
            GPA_NO_UNROLL for (int k = 0; k < MANY; k++) count[k] += x BEFORE w[k];                \
        }                                                                                          \
        GPA_NO_UNROLL for (int k = 0; k < MANY; k++) s->out[from + k] = count[k];                  \
        GPA_NO_UNROLL for (int k = 0; k < MANY; k++) numbers += w[k] == w[k];                      \
        for (int k = 0; k < MANY && numbers < MANY; k++)                                           \
            if (w[k] != w[k]) s->out[from + k] = by_keys(s, from + k);                             \
    }                                                                                              \
    GPA_SIMD_CLONES static void name##_all(const search *s, int64_t from, int64_t to) {            \
        const T *a = s->a, *v = s->v;                                                              \
        int64_t n = s->c->search.n, at = 0, width = STEP;                                          \
        for (; n <= FEW(T) && from + MANY <= to; from += MANY) name##_few(s, from);                \
        for (; from + GROUP <= to; from += GROUP) {                                                \
            const T *w = v + from;                                                                 \
            int64_t left = n, index[GROUP] = {0};                                                  \
            if (at + 1 < n && name##_between(w, a[at], a[at + 1])) {                               \
                for (int k = 0; k < GROUP; k++) s->out[from + k] = at + 1;                         \
                continue;                                                                          \
            }                                                                                      \
            if (at + width >= n ||                                                                 \
                !name##_between(w, a[at],                                                          \
                                a[at + width])) /* mostly the width of the previous group */       \
                for (width = STEP;                                                                 \
                     width <= NEAR && at + width < n && !name##_between(w, a[at], a[at + width]);) \
                    width += STEP;                                                                 \
            if (width <= NEAR && at + width < n) {                                                 \
                for (int g = 0; g < GROUP; g += LANES(T)) {                                        \
                    name##_group group;                                                            \
                    name##_count count = {0};                                                      \
                    memcpy(&group, w + g, sizeof group);                                           \
                    for (int64_t j = 0; j < width; j++)                                            \
                        count -= (name##_count)(a[at + j] BEFORE group);                           \
                    for (int k = 0; k < LANES(T); k++) s->out[from + g + k] = at + count[k];       \
                }                                                                                  \
                at = MAX(s->out[from + GROUP - 1] - 1, 0);                                         \
                continue;                                                                          \
            }                                                                                      \
            width = STEP;                                                                          \
            while (left > 1) {                                                                     \
                int64_t half = left / 2;                                                           \
                for (int k = 0; k < GROUP; k++)                                                    \
                    index[k] += half & -(int64_t)(a[index[k] + half - 1] BEFORE w[k]);             \
                left -= half;                                                                      \
            }                                                                                      \
            int numbers = 1;                                                                       \
            for (int k = 0; k < GROUP; k++) numbers &= w[k] == w[k];                               \
            for (int k = 0; k < GROUP; k++)                                                        \
                s->out[from + k] = index[k] + (a[index[k]] BEFORE w[k]);                           \
            at = MAX(s->out[from + GROUP - 1] - 1, 0);                                             \
            for (int k = 0; k < GROUP && !numbers; k++) s->out[from + k] = by_keys(s, from + k);   \
        }                                                                                          \
        for (; from < to; from++) s->out[from] = by_keys(s, from);                                 \
    }                                                                                              \
    /* Answers values outside of all elements directly; searches the others (n <= PIECE). */       \
    GPA_SIMD_CLONES static void name##_inside(const search *s, int64_t from, int64_t n) {          \
        const T *a = s->a, *w = (const T *)s->v + from, first = a[0],                              \
                last = a[s->c->search.n - 1];                                                      \
        int64_t found[PIECE], *out = s->out + from, m = 0;                                         \
        int32_t at[PIECE];                                                                         \
        uint8_t stays[PIECE];                                                                      \
        T values[PIECE];                                                                           \
        search inside = *s;                                                                        \
        for (int64_t k = 0; k < n; k++) {                                                          \
            C below = !(first BEFORE w[k]) & (w[k] == w[k]), above = last BEFORE w[k];             \
            out[k] = s->c->search.n & -(int64_t)above;                                             \
            stays[k] = !(below | above);                                                           \
        }                                                                                          \
        for (int32_t k = 0; k < n; k++) {                                                          \
            at[m] = k;                                                                             \
            m += stays[k];                                                                         \
        }                                                                                          \
        for (int64_t k = 0; k < m; k++) values[k] = w[at[k]];                                      \
        inside.v = values, inside.out = found;                                                     \
        name##_all(&inside, 0, m);                                                                 \
        for (int64_t k = 0; k < m; k++) out[at[k]] = found[k];                                     \
    }                                                                                              \
    static void name(const search *s, int64_t from, int64_t to) {                                  \
        const T *a = s->a, *v = s->v, first = a[0], last = a[s->c->search.n - 1];                  \
        for (int64_t end; from < to; from = end) {                                                 \
            int64_t outside = 0;                                                                   \
            end = MIN(from + PIECE, to);                                                           \
            for (int64_t k = from; k < end; k += STEP)                                             \
                outside += !(first BEFORE v[k]) | (last BEFORE v[k]);                              \
            if (s->c->search.n > FEW(T) && outside * 2 * STEP > end - from)                        \
                name##_inside(s, from, end - from);                                                \
            else                                                                                   \
                name##_all(s, from, end);                                                          \
        }                                                                                          \
    }
#define BOTH(name, T, C) SEARCH(name##_left, T, C, <) SEARCH(name##_right, T, C, <=)
BOTH(f32, float, int32_t)
BOTH(f64, double, int64_t)
BOTH(i32, int32_t, int32_t)
BOTH(i64, int64_t, int64_t)

static void groups(const search *s, int64_t from, int64_t to) {
    bool right = s->c->search.right;
    switch ((int)s->dtype) {
        case DT_F32: (right ? f32_right : f32_left)(s, from, to); return;
        case DT_F64: (right ? f64_right : f64_left)(s, from, to); return;
        case DT_I32: (right ? i32_right : i32_left)(s, from, to); return;
        case DT_I64: (right ? i64_right : i64_left)(s, from, to); return;
    }
    for (; from < to; from++) s->out[from] = by_keys(s, from);
}

/* ---- ranks ---- */

static bool has_groups(gpa_dtype t) {
    return t == DT_F32 || t == DT_F64 || t == DT_I32 || t == DT_I64;
}

/* Ranks of the elements as signed integers: int64 for those of 8 bytes, else int32. */
GPA_SIMD_CLONES static void ranks(const sortkey_order *o, const char *from, int64_t n, void *to) {
    const sortkey_order order = *o;
    const uint64_t turned = order.item == 8 ? 1ull << 63 : order.item == 4 ? 1ull << 31 : 0;
    uint64_t bits[64];
    for (int64_t i = 0; i < n; i += 64) {
        int64_t some = MIN(n - i, (int64_t)64);
        sortkey_load(from + (size_t)i * order.item, order.item, some, bits);
        if (order.item == 8)
            for (int64_t k = 0; k < some; k++)
                ((int64_t *)to)[i + k] = (int64_t)(sortkey_rank(bits[k], &order) ^ turned);
        else
            for (int64_t k = 0; k < some; k++)
                ((int32_t *)to)[i + k] = (int32_t)(sortkey_rank(bits[k], &order) ^ turned);
    }
}

/* Searches the ranks of the values, a chunk at a time, among those of the elements. */
static void by_ranks(const search *s, int64_t from, int64_t to) {
    int64_t piece[PIECE];
    search part = *s;
    part.v = piece;
    for (; from < to; from += PIECE) {
        int64_t n = MIN(to - from, (int64_t)PIECE);
        ranks(&s->own, s->values + (size_t)from * s->own.item, n, piece);
        part.out = s->out + from;
        groups(&part, 0, n);
    }
}

/* ---- calls ---- */

static void block(void *arg, int64_t i) {
    const search *s = arg;
    int64_t from = i * BLOCK, to = MIN(from + BLOCK, s->c->search.count);
    if (s->values)
        by_ranks(s, from, to);
    else
        groups(s, from, to);
}

static void *at(const gpa_binding *b, size_t item) {
    return b->mem->base + b->offset * (int64_t)item;
}

bool search_can(const gpa_libcall *c) { return !dtype_is_complex(c->dtype); }

gpa_code search_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    size_t item = dtype_size(c->dtype);
    int64_t n = c->search.n, count = c->search.count;
    void *ranked = NULL;
    search s = {.c = c,
                .dtype = c->dtype,
                .order = sortkey_order_of(c->dtype),
                .a = at(&c->search.a, item),
                .v = at(&c->search.v, item),
                .out = at(&c->search.out, sizeof(int64_t))};
    if (!n) {
        memset(s.out, 0, (size_t)count * sizeof *s.out);
        return GPA_OK;
    }
    if (!has_groups(c->dtype) &&
        n / 8 <= count) { /* too few values to compute a rank of each element */
        ranked = mem_new((size_t)n * (item == 8 ? 8 : 4));
        if (!ranked) return gpa_no_memory(e);
        ranks(&s.order, s.a, n, ranked);
        s.own = s.order, s.values = s.v, s.a = ranked;
        s.dtype = item == 8 ? DT_I64 : DT_I32, s.order = sortkey_order_of(s.dtype);
    }
    threads_each(threads, (count + BLOCK - 1) / BLOCK, stop, block, &s);
    mem_free(ranked);
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
