/* Searching in sorted elements on the CPU device.
 *
 * A group of values is looked for side by side: each step halves what is left for all of them, without branches, so that the
 * waits for memory overlap. Values that come in order are near the group before them, and counting finds them. Reading order: keys, groups, calls. */
#include "runtime/cpu/search.h"

#include "runtime/base.h"
#include "runtime/cpu/run.h"
#include "runtime/cpu/threads.h"
#include "runtime/sortkey.h"
#include "runtime/wide.h"

enum { GROUP = 16, NEAR = 64, STEP = 16, REGISTER = 64, BLOCK = 1 << 13 };
#define LANES(T) ((int)(REGISTER / sizeof(T)))

typedef struct {
    const gpa_libcall *c;
    sortkey_order order;
    const void *a, *v;
    int64_t *out;
} search;

/* ---- keys ---- */

/* For dtypes without a search of their own, and for NaN: one value. */
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
        if (here < wanted || (s->c->search.right && here == wanted)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- groups ---- */

/* Values from .. to, of type T; C counts in as many bytes. `at` is the last element before the group before. Where the whole group lies between that and one of the next NEAR
 * elements, each value is compared with those up to it; else all are halved. */
#define SEARCH(name, T, C, BEFORE)                                                                   \
    typedef C name##_count __attribute__((vector_size(REGISTER)));                                   \
    typedef T name##_group __attribute__((vector_size(REGISTER)));                                   \
    static inline bool name##_between(const T *w, T low, T high) {                                   \
        int64_t between = 0;                                                                         \
        GPA_LANES for (int k = 0; k < GROUP; k++) between += (low BEFORE w[k]) & !(high BEFORE w[k]); \
        return between == GROUP;                                                                     \
    }                                                                                                \
    GPA_WIDE static void name(const search *s, int64_t from, int64_t to) {                           \
        const T *a = s->a, *v = s->v;                                                                \
        int64_t n = s->c->search.n, at = 0, width = STEP;                                            \
        for (; from + GROUP <= to; from += GROUP) {                                                  \
            const T *w = v + from;                                                                   \
            int64_t left = n, index[GROUP] = {0};                                                    \
            if (at + 1 < n && name##_between(w, a[at], a[at + 1])) {                                 \
                for (int k = 0; k < GROUP; k++) s->out[from + k] = at + 1;                           \
                continue;                                                                            \
            }                                                                                        \
            if (at + width >= n || !name##_between(w, a[at], a[at + width])) /* it is as wide as for the group before, mostly */ \
                for (width = STEP; width <= NEAR && at + width < n && !name##_between(w, a[at], a[at + width]);) width += STEP; \
            if (width <= NEAR && at + width < n) {                                                   \
                for (int g = 0; g < GROUP; g += LANES(T)) {                                          \
                    name##_group group;                                                              \
                    name##_count count = {0};                                                        \
                    memcpy(&group, w + g, sizeof group);                                             \
                    for (int64_t j = 0; j < width; j++) count -= (name##_count)(a[at + j] BEFORE group); \
                    for (int k = 0; k < LANES(T); k++) s->out[from + g + k] = at + count[k];         \
                }                                                                                    \
                at = MAX(s->out[from + GROUP - 1] - 1, 0);                                           \
                continue;                                                                            \
            }                                                                                        \
            width = STEP;                                                                            \
            while (left > 1) {                                                                       \
                int64_t half = left / 2;                                                             \
                for (int k = 0; k < GROUP; k++) index[k] += half & -(int64_t)(a[index[k] + half - 1] BEFORE w[k]); \
                left -= half;                                                                        \
            }                                                                                        \
            int numbers = 1;                                                                         \
            for (int k = 0; k < GROUP; k++) numbers &= w[k] == w[k];                                 \
            for (int k = 0; k < GROUP; k++) s->out[from + k] = index[k] + (a[index[k]] BEFORE w[k]); \
            at = MAX(s->out[from + GROUP - 1] - 1, 0);                                               \
            for (int k = 0; k < GROUP && !numbers; k++) s->out[from + k] = by_keys(s, from + k);     \
        }                                                                                            \
        for (; from < to; from++) s->out[from] = by_keys(s, from);                                   \
    }
#define BOTH(name, T, C) SEARCH(name##_left, T, C, <) SEARCH(name##_right, T, C, <=)
BOTH(f32, float, int32_t)
BOTH(f64, double, int64_t)
BOTH(i32, int32_t, int32_t)
BOTH(i64, int64_t, int64_t)

/* ---- calls ---- */

static void block(void *arg, int64_t i) {
    const search *s = arg;
    int64_t from = i * BLOCK, to = MIN(from + BLOCK, s->c->search.count);
    bool right = s->c->search.right;
    switch ((int)s->c->dtype) {
    case DT_F32: (right ? f32_right : f32_left)(s, from, to); return;
    case DT_F64: (right ? f64_right : f64_left)(s, from, to); return;
    case DT_I32: (right ? i32_right : i32_left)(s, from, to); return;
    case DT_I64: (right ? i64_right : i64_left)(s, from, to); return;
    }
    for (; from < to; from++) s->out[from] = by_keys(s, from);
}

static void *at(const gpa_binding *b, size_t item) { return b->mem->base + b->offset * (int64_t)item; }

bool search_can(const gpa_libcall *c) { return !dtype_is_complex(c->dtype); }

gpa_code search_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    size_t item = dtype_size(c->dtype);
    search s = {.c = c, .order = sortkey_order_of(c->dtype), .a = at(&c->search.a, item), .v = at(&c->search.v, item), .out = at(&c->search.out, sizeof(int64_t))};
    if (c->search.n) threads_each(threads, (c->search.count + BLOCK - 1) / BLOCK, stop, block, &s);
    else memset(s.out, 0, (size_t)c->search.count * sizeof *s.out);
    return __atomic_load_n(stop, __ATOMIC_RELAXED) ? gpa_fail(e, GPA_E_INTERRUPT, "%s", "") : GPA_OK;
}
