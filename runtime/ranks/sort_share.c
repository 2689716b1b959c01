/* Distributed sort: sort_share.h (parallel sorting by regular sampling, Shi and Schaeffer 1992). */
#include "runtime/ranks/sort_share.h"

#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/host/sort_key.h"

/* ---- keys ---- */

bool sort_share_can(gpa_dtype t) { return !dtype_is_complex(t); }

static inline __attribute__((always_inline)) uint64_t load(const void *at, size_t item) {
    uint64_t bits = 0;
    memcpy(&bits, at, item);
    return bits;
}

/* NaN keep an order of their bits, by which one device sorts them. */
static inline __attribute__((always_inline)) uint64_t key_of(uint64_t bits,
                                                             const sortkey_order *o) {
    return sortkey_of_bits(o->kind == 'F' && bits == o->sign ? 0 : bits, o);
}

uint64_t sort_share_key(gpa_dtype t, const void *element) {
    const sortkey_order o = sortkey_order_of(t);
    return key_of(load(element, o.item), &o);
}

/* ---- splitters ---- */

void sort_share_sample(gpa_dtype t, const void *sorted, int64_t n, int64_t count, splitter *out) {
    const int64_t item = (int64_t)dtype_size(t);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = (int64_t)((double)n * (double)(i + 1) / (double)(count + 1));
        out[i] = (splitter){sort_share_key(t, (const char *)sorted + at * item), at};
    }
}

static int by_key(const void *a, const void *b) {
    const splitter *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

void sort_share_choose(splitter *samples, int64_t n, int64_t count, splitter *out) {
    qsort(samples, (size_t)n, sizeof *samples, by_key);
    for (int64_t i = 0; i < count; i++) out[i] = samples[(i + 1) * n / (count + 1)];
}

int64_t sort_share_search(gpa_dtype t, const void *sorted, int64_t n, int64_t first,
                          const splitter *s) {
    const int64_t item = (int64_t)dtype_size(t);
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        const splitter x = {sort_share_key(t, (const char *)sorted + middle * item),
                            first + middle};
        if (by_key(&x, s) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* ---- merge ---- */

/* True if one element is before another. The order of kind 'N': floats without NaN. */
static inline __attribute__((always_inline)) bool is_before(uint64_t x, uint64_t y,
                                                            const sortkey_order *o) {
    if (o->kind != 'N') return key_of(x, o) < key_of(y, o);
    if (o->item == 8) {
        double a, b;
        memcpy(&a, &x, sizeof a);
        memcpy(&b, &y, sizeof b);
        return a < b;
    }
    const uint32_t low = (uint32_t)x, other = (uint32_t)y;
    float a, b;
    memcpy(&a, &low, sizeof a);
    memcpy(&b, &other, sizeof b);
    return a < b;
}

/* A merge in progress: the next elements of two runs and their ends, the next one of the result. */
typedef struct {
    int64_t i, n, j, m, k;
} cursor;

/* One step of a merge, without a branch on the elements. */
#define STEP(c)                                                                       \
    {                                                                                 \
        const uint64_t left = load(a + (c).i * (int64_t)item, item),                  \
                       right = load(b + (c).j * (int64_t)item, item);                 \
        const bool second = is_before(right, left, o);                                \
        const uint64_t bits = second ? right : left;                                  \
        memcpy(keys + (c).k * (int64_t)item, &bits, item);                            \
        if (indices) indices[(c).k] = second ? y->indices[(c).j] : x->indices[(c).i]; \
        (c).j += second, (c).i += !second, (c).k++;                                   \
    }

/* The number of elements of the first run among the first k of the result (merge path). */
static inline __attribute__((always_inline)) int64_t first_among(const sorted_run *x,
                                                                 const sorted_run *y, int64_t k,
                                                                 const sortkey_order *o) {
    const size_t item = o->item;
    const char *a = x->keys, *b = y->keys;
    int64_t lo = MAX(0, k - y->n), hi = MIN(k, x->n);
    while (lo < hi) {
        const int64_t i = lo + (hi - lo) / 2, j = k - 1 - i;
        if (is_before(load(b + j * (int64_t)item, item), load(a + i * (int64_t)item, item), o))
            hi = i;
        else
            lo = i + 1;
    }
    return lo;
}

/* The rest of a merge, once one of its runs has ended or the others have. */
static inline __attribute__((always_inline)) void finish_merge(cursor c, const sorted_run *x,
                                                               const sorted_run *y, char *keys,
                                                               int64_t *indices,
                                                               const sortkey_order *o) {
    const size_t item = o->item;
    const char *a = x->keys, *b = y->keys;
    while (c.i < c.n && c.j < c.m) STEP(c)
    const sorted_run *rest = c.i < c.n ? x : y;
    const int64_t at = c.i < c.n ? c.i : c.j, left = c.i < c.n ? c.n - c.i : c.m - c.j;
    if (left <= 0) return;
    memcpy(keys + c.k * (int64_t)item, (const char *)rest->keys + at * (int64_t)item,
           (size_t)left * item);
    if (indices) memcpy(indices + c.k, rest->indices + at, (size_t)left * sizeof *indices);
}

enum { MERGES = 4 }; /* at the same time: each waits for its last comparison */

/* Two runs into one: MERGES ranges of the result, step by step in turn. */
static inline __attribute__((always_inline)) void merge_two(const sorted_run *x,
                                                            const sorted_run *y, char *keys,
                                                            int64_t *indices,
                                                            const sortkey_order *o) {
    const size_t item = o->item;
    const char *a = x->keys, *b = y->keys;
    const int64_t total = x->n + y->n;
    cursor c[MERGES];
    int64_t i = 0;
    for (int q = 0; q < MERGES; q++) {
        const int64_t begin = total / MERGES * q,
                      end = q + 1 < MERGES ? total / MERGES * (q + 1) : total,
                      n = first_among(x, y, end, o);
        c[q] = (cursor){i, n, begin - i, end - n, begin};
        i = n;
    }
    for (;;) {
        int64_t steps = INT64_MAX;
        for (int q = 0; q < MERGES; q++) steps = MIN(steps, MIN(c[q].n - c[q].i, c[q].m - c[q].j));
        if (steps <= 0) break;
        for (; steps; steps--) {
            STEP(c[0])
            STEP(c[1])
            STEP(c[2])
            STEP(c[3])
        }
    }
    for (int q = 0; q < MERGES; q++) finish_merge(c[q], x, y, keys, indices, o);
}

/* The same of elements of one kind and size, as constants. */
#define MERGE(KIND, ITEM, NAN)                                                    \
    {                                                                             \
        const sortkey_order o = {KIND, ITEM, UINT64_C(1) << (ITEM * 8 - 1), NAN}; \
        merge_two(x, y, keys, indices, &o);                                       \
        break;                                                                    \
    }

/* True if a sorted run has no NaN, which would be last. */
static bool has_no_nan(gpa_dtype t, const sorted_run *x) {
    if (!x->n) return true;
    if (t == DT_F32) {
        const float last = ((const float *)x->keys)[x->n - 1];
        return last == last;
    }
    const double last = ((const double *)x->keys)[x->n - 1];
    return last == last;
}

static void merge_pair(gpa_dtype t, const sorted_run *x, const sorted_run *y, char *keys,
                       int64_t *indices) {
    if ((t == DT_F32 || t == DT_F64) && has_no_nan(t, x) && has_no_nan(t, y)) {
        switch (dtype_size(t)) {
            case 4: MERGE('N', 4, 0)
            default: MERGE('N', 8, 0)
        }
        return;
    }
    switch (t) {
        case DT_BOOL:
        case DT_U8: MERGE('U', 1, 0)
        case DT_U16: MERGE('U', 2, 0)
        case DT_U32: MERGE('U', 4, 0)
        case DT_U64: MERGE('U', 8, 0)
        case DT_I8: MERGE('I', 1, 0)
        case DT_I16: MERGE('I', 2, 0)
        case DT_I32: MERGE('I', 4, 0)
        case DT_I64: MERGE('I', 8, 0)
        case DT_F16: MERGE('F', 2, 0x7c00)
        case DT_BF16: MERGE('F', 2, 0x7f80)
        case DT_F32: MERGE('F', 4, 0x7f800000)
        case DT_F64: MERGE('F', 8, 0x7ff0000000000000u)
        case DT_C64:
        case DT_C128:
        case DT_COUNT: break;
    }
}

/* Neighbours are merged, level by level. The last level writes to `out`. */
bool sort_share_merge(gpa_dtype t, const sorted_run *given, int n_runs, void *out) {
    const size_t item = dtype_size(t);
    const bool indices = n_runs && given[0].indices;
    int64_t total = 0;
    for (int i = 0; i < n_runs; i++) total += given[i].n;
    sorted_run *runs = mem_new((size_t)(n_runs + 1) * sizeof *runs);
    char *keys[2] = {NULL}, *places[2] = {NULL};
    bool good = runs != NULL;
    for (int k = 0; k < 2 && good; k++) {
        if (n_runs > 2 || indices) good = (keys[k] = mem_new((size_t)total * item + 1)) != NULL;
        if (n_runs > 2 && indices && good)
            good = (places[k] = mem_new((size_t)total * sizeof(int64_t))) != NULL;
    }
    if (!good) goto out;
    if (n_runs) memcpy(runs, given, (size_t)n_runs * sizeof *runs);
    if (n_runs < 2) runs[n_runs++] = (sorted_run){.n = 0}; /* a copy */
    for (int level = 0; n_runs > 1; level ^= 1) {
        const bool last = n_runs <= 2;
        char *to = last && !indices ? out : keys[level];
        int64_t *to_indices = indices ? last ? out : (void *)places[level] : NULL, at = 0;
        int made = 0;
        for (int i = 0; i < n_runs; i += 2) {
            static const sorted_run none = {.n = 0};
            const sorted_run *x = &runs[i], *y = i + 1 < n_runs ? &runs[i + 1] : &none;
            char *into = to + at * (int64_t)item;
            int64_t *into_indices = to_indices ? to_indices + at : NULL;
            merge_pair(t, x, y, into, into_indices);
            const int64_t n = x->n + y->n;
            runs[made++] = (sorted_run){into, into_indices, n};
            at += n;
        }
        n_runs = made;
    }
out:
    for (int k = 0; k < 2; k++) {
        mem_free(keys[k]);
        mem_free(places[k]);
    }
    mem_free(runs);
    return good;
}
