/* searchsorted on the thread pool.
 *
 * Values are searched in groups: each step of a branch-free binary search halves the range of all
 * of them, so that cache misses overlap. Sorted values are close to the previous group and found by
 * counting, as are all values among few elements. Dtypes without a search of their own are searched
 * by their ranks. Reading order: one value, groups, ranks, calls. */
#include "runtime/cpu/sort/search.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/host/sort_key.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum {
    REGISTER = 64 /* bytes of the widest vector register */
};
#define REGISTER_LANES(T) ((int)(REGISTER / sizeof(T)))
/* Among up to this many elements a value is compared with all. */
#define COUNTED_MAX_ELEMS(T) ((int64_t)(TUNE_SEARCH_LINEAR_MAX_WIDTH * 4 / sizeof(T)))

typedef struct {
    const gpa_libcall *c;
    gpa_dtype dtype;     /* of the search */
    sortkey_order order; /* of the dtype */
    const void *a, *v;
    int64_t *out;
    /* Values searched by their ranks: */
    sortkey_order values_order;
    const char *values; /* NULL: searched as they are */
} search;

/* ---- one value ---- */

/* Index of value j by binary search of ranks: remainders of groups, and NaN. */
static int64_t search_by_key(const search *s, int64_t j) {
    size_t item = s->order.item;
    uint64_t key = 0, element = 0;
    int64_t low = 0, high = s->c->search.n;
    sortkey_load((const char *)s->v + (size_t)j * item, item, 1, &key);
    key = sortkey_rank(key, &s->order);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        sortkey_load((const char *)s->a + (size_t)middle * item, item, 1, &element);
        element = sortkey_rank(element, &s->order);
        if (element < key || (s->c->search.right && element == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- groups ---- */

/* For every dtype: clang warns of a comparison with itself of integers, but not in a macro. */
#define IS_NAN(x) ((x) != (x))

#define T float
#define COUNT int32_t
#define PRECEDES <
#define NAME(x) x##_f32_left
#include "runtime/cpu/sort/search.inc"
#define T float
#define COUNT int32_t
#define PRECEDES <=
#define NAME(x) x##_f32_right
#include "runtime/cpu/sort/search.inc"
#define T double
#define COUNT int64_t
#define PRECEDES <
#define NAME(x) x##_f64_left
#include "runtime/cpu/sort/search.inc"
#define T double
#define COUNT int64_t
#define PRECEDES <=
#define NAME(x) x##_f64_right
#include "runtime/cpu/sort/search.inc"
#define T int32_t
#define COUNT int32_t
#define PRECEDES <
#define NAME(x) x##_i32_left
#include "runtime/cpu/sort/search.inc"
#define T int32_t
#define COUNT int32_t
#define PRECEDES <=
#define NAME(x) x##_i32_right
#include "runtime/cpu/sort/search.inc"
#define T int64_t
#define COUNT int64_t
#define PRECEDES <
#define NAME(x) x##_i64_left
#include "runtime/cpu/sort/search.inc"
#define T int64_t
#define COUNT int64_t
#define PRECEDES <=
#define NAME(x) x##_i64_right
#include "runtime/cpu/sort/search.inc"

static void search_typed(const search *s, int64_t from, int64_t to) {
    bool right = s->c->search.right;
    switch ((int)s->dtype) {
        case DT_F32: (right ? search_f32_right : search_f32_left)(s, from, to); return;
        case DT_F64: (right ? search_f64_right : search_f64_left)(s, from, to); return;
        case DT_I32: (right ? search_i32_right : search_i32_left)(s, from, to); return;
        case DT_I64: (right ? search_i64_right : search_i64_left)(s, from, to); return;
    }
    for (; from < to; from++) s->out[from] = search_by_key(s, from);
}

/* ---- ranks ---- */

static bool has_typed_search(gpa_dtype t) {
    return t == DT_F32 || t == DT_F64 || t == DT_I32 || t == DT_I64;
}

/* Ranks of the elements as signed integers: int64 for those of 8 bytes, else int32. */
GPA_SIMD_CLONES static void ranks(const sortkey_order *o, const char *from, int64_t n, void *to) {
    const sortkey_order order = *o;
    const uint64_t sign = order.item == 8 ? 1ull << 63 : order.item == 4 ? 1ull << 31 : 0;
    uint64_t bits[TUNE_SEARCH_RANK_BLOCK];
    for (int64_t i = 0; i < n; i += TUNE_SEARCH_RANK_BLOCK) {
        int64_t count = MIN(n - i, (int64_t)TUNE_SEARCH_RANK_BLOCK);
        sortkey_load(from + (size_t)i * order.item, order.item, count, bits);
        if (order.item == 8)
            for (int64_t k = 0; k < count; k++)
                ((int64_t *)to)[i + k] = (int64_t)(sortkey_rank(bits[k], &order) ^ sign);
        else
            for (int64_t k = 0; k < count; k++)
                ((int32_t *)to)[i + k] = (int32_t)(sortkey_rank(bits[k], &order) ^ sign);
    }
}

/* Searches the ranks of the values, a chunk at a time, among those of the elements. */
static void search_by_rank(const search *s, int64_t from, int64_t to) {
    int64_t block[TUNE_SEARCH_BLOCK_VALUES];
    search part = *s;
    part.v = block;
    for (; from < to; from += TUNE_SEARCH_BLOCK_VALUES) {
        int64_t n = MIN(to - from, (int64_t)TUNE_SEARCH_BLOCK_VALUES);
        ranks(&s->values_order, s->values + (size_t)from * s->values_order.item, n, block);
        part.out = s->out + from;
        search_typed(&part, 0, n);
    }
}

/* ---- calls ---- */

static void search_item(void *arg, int64_t i) {
    const search *s = arg;
    int64_t from = i * TUNE_SEARCH_VALUES_PER_ITEM,
            to = MIN(from + TUNE_SEARCH_VALUES_PER_ITEM, s->c->search.count);
    if (s->values)
        search_by_rank(s, from, to);
    else
        search_typed(s, from, to);
}

static void *address(const gpa_binding *b, size_t item) {
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
                .a = address(&c->search.a, item),
                .v = address(&c->search.v, item),
                .out = address(&c->search.out, sizeof(int64_t))};
    if (!n) {
        memset(s.out, 0, (size_t)count * sizeof *s.out);
        return GPA_OK;
    }
    if (!has_typed_search(c->dtype) &&
        n / 8 <= count) { /* too few values to compute a rank of each element */
        ranked = mem_new((size_t)n * (item == 8 ? 8 : 4));
        if (!ranked) return gpa_no_memory(e);
        ranks(&s.order, s.a, n, ranked);
        s.values_order = s.order, s.values = s.v, s.a = ranked;
        s.dtype = item == 8 ? DT_I64 : DT_I32, s.order = sortkey_order_of(s.dtype);
    }
    threads_each(threads, (count + TUNE_SEARCH_VALUES_PER_ITEM - 1) / TUNE_SEARCH_VALUES_PER_ITEM,
                 stop, search_item, &s);
    mem_free(ranked);
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
