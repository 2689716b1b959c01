/* Sort and argsort on the thread pool.
 *
 * Many short rows go through sorting networks, one row per SIMD lane (sort_short.h); argsort packs
 * the index into the low bits of the key. Other rows are radix sorted (sort_row.inc), one thread
 * per row, or all threads on one row where rows are fewer than threads. A partition sorts only the
 * buckets that hold a requested index. Complex numbers are gathered by their argsort. Rows that are
 * already sorted are copied. Reading order: rows, calls, complex numbers, sorted rows, rows in
 * lanes. */
#include "runtime/cpu/sort/sort.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/sort/sort_short.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum {
    UINT16_COUNTERS = 1 << 16 /* one per 16-bit item */
};

/* A bucket of a row: n items from `at` on in one of the two arrays; the number of low bits in which
 * their keys may differ. */
typedef struct {
    int64_t at, n;
    int array, bits;
} bucket;

typedef struct {
    bucket *item;
    int64_t n, capacity;
} buckets;

/* A row that is being sorted. */
typedef struct {
    sortkey_order order;
    int threads;
    const int32_t *stop;
    const void *in;
    void *out;
    int64_t n;
    const int64_t *kth; /* requested indices of a partition, ascending */
    int n_kth;          /* 0: full sort */
    void *item[2];      /* the two arrays */
    buckets ready;      /* one thread sorts and writes each */
} row;

/* ---- rows ---- */

static gpa_code buckets_add(buckets *s, bucket p, gpa_err *e) {
    if (s->n == s->capacity) {
        int64_t capacity = MAX(64, 2 * s->capacity);
        bucket *item = mem_resize(s->item, (size_t)capacity * sizeof *item);
        if (!item) return gpa_no_memory(e);
        s->item = item;
        s->capacity = capacity;
    }
    s->item[s->n++] = p;
    return GPA_OK;
}

static bool bucket_is_requested(const row *w, const bucket *p) {
    for (int i = 0; i < w->n_kth; i++)
        if (w->kth[i] >= p->at && w->kth[i] < p->at + p->n) return true;
    return !w->n_kth;
}

static int bits_of(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

/* Bits of the digit that splits n items into buckets of some thousands. */
static int digit_for(int64_t n) {
    return MIN(TUNE_SORT_MSD_DIGIT_BITS, bits_of((uint64_t)n / (TUNE_SORT_UNSPLIT_MAX_ITEMS / 4)));
}

typedef struct {
    uint64_t key;
    int64_t at;
} ranked;

#define ITEM uint32_t
#define KEY(x) ((uint64_t)(x))
#define MADE(key, i) ((uint32_t)(key))
#define AT(x) 0
#define RANK 0
#define NAME(x) x##_4
#include "runtime/cpu/sort/sort_row.inc"

#define ITEM uint64_t
#define KEY(x) (x)
#define MADE(key, i) (key)
#define AT(x) 0
#define RANK 0
#define NAME(x) x##_8
#include "runtime/cpu/sort/sort_row.inc"

/* A 32-bit key above its index. */
#define ITEM uint64_t
#define KEY(x) ((x) >> 32)
#define MADE(key, i) ((key) << 32 | (uint64_t)(i))
#define AT(x) ((x)&UINT32_MAX)
#define RANK 1
#define NAME(x) x##_rank_4
#include "runtime/cpu/sort/sort_row.inc"

#define ITEM ranked
#define KEY(x) ((x).key)
#define MADE(key, i) ((ranked){key, i})
#define AT(x) ((x).at)
#define RANK 1
#define NAME(x) x##_rank_8
#include "runtime/cpu/sort/sort_row.inc"

/* ---- calls ---- */

/* A call, and the state its threads share. */
typedef struct {
    const gpa_libcall *c;
    const int32_t *stop;
    sortkey_order order; /* of the parts of a complex number */
    const char *in;
    char *out;
    bool ranks, failed; /* failed: out of memory */
} work;

bool sort_can(const gpa_libcall *c) {
    bool columns = c->sort.stride; /* interleaved rows: only short ones, sorted whole */
    if (columns &&
        (c->kind != LIB_SORT || c->sort.n > SORT_SHORT || c->sort.stride < SORT_SHORT_ROWS / 2))
        return false;
    return !(columns && dtype_is_complex(c->dtype)) && c->sort.n <= UINT32_MAX;
}

/* Counting sort of a row of bytes: the 256 start offsets are the result. */
static void sort_bytes(const work *k, const uint8_t *in, char *out) {
    int64_t n = k->c->sort.n, begin[256] = {0}, sum = 0;
    const sortkey_order *o = &k->order;
    uint8_t key[256];
    for (int v = 0; v < 256; v++)
        key[v] = k->c->dtype == DT_BOOL ? v != 0 : (uint8_t)sortkey_of_bits((uint64_t)v, o);
    for (int64_t i = 0; i < n; i++) begin[key[in[i]]]++;
    for (int d = 0; d < 256; d++) {
        int64_t c = begin[d];
        begin[d] = sum;
        if (!k->ranks) memset(out + sum, (int)sortkey_to_bits((uint64_t)d, o), (size_t)c);
        sum += c;
    }
    for (int64_t i = 0; i < n && k->ranks; i++) ((int64_t *)(void *)out)[begin[key[in[i]]]++] = i;
}

/* Counting sort of many items of two bytes. Alternate items have counters of their own, as equal
 * neighbours would serialize on store forwarding. */
GPA_SIMD_CLONES static bool sort_uint16(const work *k, const uint16_t *in, uint16_t *out) {
    const sortkey_order *o = &k->order;
    const int64_t n = k->c->sort.n;
    const uint32_t sign = (uint32_t)o->sign;
    uint32_t *count = mem_zero(2 * UINT16_COUNTERS * sizeof *count),
             *other = count + UINT16_COUNTERS;
    if (!count) return false;
    for (int64_t from = 0; from < n && !threads_stopped(k->stop); from += TUNE_SORT_CHUNK_ELEMS) {
        const int64_t end = MIN(n, from + TUNE_SORT_CHUNK_ELEMS);
        int64_t i = from;
        for (; i + 1 < end; i += 2) count[in[i]]++, other[in[i + 1]]++;
        if (i < end) count[in[i]]++;
    }
    for (uint32_t v = (uint32_t)o->nan + 1; o->kind == 'F' && v < sign;
         v++) { /* all NaN come last */
        count[v] += count[v | sign] + other[v | sign];
        count[v | sign] = other[v | sign] = 0;
    }
    int64_t at = 0;
    for (uint32_t key = 0; key < UINT16_COUNTERS && at < n; key++) {
        const uint16_t v = (uint16_t)sortkey_to_bits(key, o);
        const int64_t end = at + count[v] + other[v],
                      stored = MIN(at + TUNE_SORT_UINT16_STORED_AT_ONCE, n);
        if (stored == at + TUNE_SORT_UINT16_STORED_AT_ONCE)
            GPA_NO_UNROLL for (int32_t i = 0; i < TUNE_SORT_UINT16_STORED_AT_ONCE; i++)
                out[at + i] = v; /* overruns are overwritten by the next value */
        else
            for (int64_t i = at; i < end; i++) out[i] = v;
        for (int64_t i = stored; i < end; i++) out[i] = v;
        at = end;
    }
    mem_free(count);
    return true;
}

static bool sort_one(const work *k, int64_t i, int threads) {
    int64_t n = k->c->sort.n;
    if (k->order.item == 2 && !k->ranks && n >= UINT16_COUNTERS &&
        threads <= TUNE_SORT_UINT16_COUNTING_MAX_THREADS) {
        const size_t from = (size_t)(i * n) * sizeof(uint16_t);
        if (!sort_uint16(k, (const void *)(k->in + from), (void *)(k->out + from))) return false;
        if (k->order.kind == 'F' && !k->c->sort.n_kth && !threads_stopped(k->stop))
            sortkey_restore_zeros(&k->order, k->in + from, n, 1, k->out + from);
        return true;
    }
    if (k->order.item == 1) {
        sort_bytes(k, (const uint8_t *)k->in + i * n,
                   k->out + (size_t)(i * n) * (k->ranks ? sizeof(int64_t) : 1));
        return true;
    }
    row w = {.order = k->order,
             .threads = n < TUNE_SORT_SHARED_MIN_ITEMS ? 1 : threads,
             .stop = k->stop,
             .n = n,
             .kth = k->c->sort.kth,
             .n_kth = k->c->sort.n_kth};
    size_t size = k->order.item == 8 ? sizeof(uint64_t) : sizeof(uint32_t);
    if (k->ranks) size = k->order.item == 8 ? sizeof(ranked) : sizeof(uint64_t);
    w.in = k->in + (size_t)(i * n) * k->order.item;
    w.out = k->out + (size_t)(i * n) * (k->ranks ? sizeof(int64_t) : k->order.item);
    gpa_err e = {0};
    gpa_code rc = GPA_E_MEMORY;
    bool in_place = size == (k->ranks ? sizeof(int64_t)
                                      : k->order.item); /* the result is one of the two arrays */
    void *block = mem_large((size_t)n * size * (in_place ? 1 : 2), &w.item[1]);
    if (!block) goto out;
    w.item[0] = in_place ? w.out : (char *)w.item[1] + (size_t)n * size;
    if (k->ranks)
        rc = k->order.item == 8 ? sort_row_rank_8(&w, &e) : sort_row_rank_4(&w, &e);
    else
        rc = k->order.item == 8 ? sort_row_8(&w, &e) : sort_row_4(&w, &e);
    if (!rc && !k->ranks && !w.n_kth && k->order.kind == 'F' && !threads_stopped(k->stop))
        sortkey_restore_zeros(&k->order, w.in, n, 1, w.out);
out:
    mem_free(block);
    mem_free(w.ready.item);
    return !rc;
}

/* ---- complex numbers ---- */

/* Argsort of complex numbers by 64-bit keys: both parts of a complex64, the real part of a
 * complex128; with a NaN part the largest key. Of long rows the highest 32 bits in which these
 * differ are sorted. Runs of equal keys are then ordered by the remaining bits. */
typedef struct {
    const char *in;
    void *out;
    uint64_t *key;
    uint32_t *short_key; /* of long rows, else NULL */
    int64_t *index;
    int64_t n;
    sortkey_order parts;
    bool has_nan;
    bool ties_unordered; /* equal keys do not imply equal elements */
} complex_row;

#define F float
#define T uint32_t
#define NAME(x) x##_c64
#include "runtime/cpu/sort/sort_complex.inc"
#define F double
#define T uint64_t
#define NAME(x) x##_c128
#include "runtime/cpu/sort/sort_complex.inc"

static void complex_keys(void *arg, int64_t c) {
    complex_row *w = arg;
    const int64_t from = c * TUNE_SORT_CHUNK_ELEMS, n = MIN(TUNE_SORT_CHUNK_ELEMS, w->n - from);
    const void *in = w->in + (size_t)(2 * from) * w->parts.item;
    bool any_nan = w->parts.item == 4 ? complex_keys_c64(&w->parts, in, n, w->key + from)
                                      : complex_keys_c128(&w->parts, in, n, w->key + from);
    if (any_nan) __atomic_store_n(&w->has_nan, true, __ATOMIC_RELAXED);
}

GPA_SIMD_CLONES static void limits_of(const uint64_t *key, int64_t n, uint64_t *low,
                                      uint64_t *high) {
    uint64_t a = UINT64_MAX, b = 0;
    for (int64_t i = 0; i < n; i++) {
        a = key[i] < a ? key[i] : a;
        b = key[i] > b ? key[i] : b;
    }
    *low = a;
    *high = b;
}

GPA_SIMD_CLONES static void shorten_keys(const uint64_t *key, int64_t n, uint64_t low, int drop,
                                         uint32_t *short_key) {
    for (int64_t i = 0; i < n; i++) short_key[i] = (uint32_t)((key[i] - low) >> drop);
}

/* Gathers the elements in sorted order. */
static void complex_take(void *arg, int64_t c) {
    const complex_row *w = arg;
    const int64_t to = MIN((c + 1) * TUNE_SORT_CHUNK_ELEMS, w->n), *index = w->index;
    const uint64_t *in = (const void *)w->in; /* a complex64, or a part */
    uint64_t *out = w->out;
    if (w->parts.item == 4)
        for (int64_t i = c * TUNE_SORT_CHUNK_ELEMS; i < to; i++) out[i] = in[index[i]];
    else
        for (int64_t i = c * TUNE_SORT_CHUNK_ELEMS; i < to; i++)
            out[2 * i] = in[2 * index[i]], out[2 * i + 1] = in[2 * index[i] + 1];
}

/* n keys of a dtype and their sorted indices; n_kth > 0: of a partition. */
typedef struct {
    gpa_dtype dtype;
    int64_t n;
    const void *key;
    int64_t *index;
    int n_kth;
} key_row;

static bool argsort_keys(const work *k, const key_row *keys, int threads) {
    const gpa_libcall c = {
        .kind = LIB_ARGSORT,
        .dtype = keys->dtype,
        .sort = {.rows = 1, .n = keys->n, .kth = k->c->sort.kth, .n_kth = keys->n_kth}};
    const work w = {.c = &c,
                    .stop = k->stop,
                    .order = sortkey_order_of(keys->dtype),
                    .in = keys->key,
                    .out = (char *)keys->index,
                    .ranks = true};
    return sort_one(&w, 0, threads);
}

/* Orders n indices of equal keys by the elements' keys of a level. */
static bool order_run(const work *k, const complex_row *w, int64_t *index, int64_t n, int level,
                      int threads) {
    uint64_t stack_keys[TUNE_SORT_INSERTION_MAX_ITEMS], bits[2] = {0};
    void *block =
        n <= TUNE_SORT_INSERTION_MAX_ITEMS ? NULL : mem_new((size_t)n * 3 * sizeof *stack_keys);
    uint64_t *key = n <= TUNE_SORT_INSERTION_MAX_ITEMS ? stack_keys : block;
    if (!key) return false;
    for (int64_t i = 0; i < n; i++) {
        sortkey_load(w->in + (size_t)(2 * index[i]) * w->parts.item, w->parts.item, 2, bits);
        key[i] = sortkey_complex(bits[0], bits[1], level, &w->parts);
    }
    if (n <= TUNE_SORT_INSERTION_MAX_ITEMS) {
        for (int64_t i = 1; i < n; i++) {
            const uint64_t k_i = key[i];
            const int64_t index_i = index[i];
            int64_t j = i;
            for (; j > 0 && key[j - 1] > k_i; j--) key[j] = key[j - 1], index[j] = index[j - 1];
            key[j] = k_i;
            index[j] = index_i;
        }
        return true;
    }
    int64_t *order = (int64_t *)key + n, *before = order + n;
    memcpy(before, index, (size_t)n * sizeof *before);
    const key_row keys = {DT_U64, n, key, order, 0};
    bool fits = argsort_keys(k, &keys, threads);
    for (int64_t i = 0; i < n && fits && !threads_stopped(k->stop); i++)
        index[i] = before[order[i]];
    mem_free(block);
    return fits;
}

static inline uint64_t key_at(const complex_row *w, int64_t i) {
    return w->short_key ? w->short_key[w->index[i]] : w->key[w->index[i]];
}

/* Orders the runs of indices whose keys agree in the sorted bits; in a partition only those that
 * hold a requested index. */
static bool order_runs(const work *k, const complex_row *w, int threads) {
    const int n_kth = k->c->sort.n_kth;
    bool fits = true;
    if (!w->has_nan && !w->ties_unordered) return true;
    for (int64_t i = 0, end = 0, to = n_kth ? n_kth : w->n;
         i < to && fits && !threads_stopped(k->stop); i++) {
        int64_t from = n_kth ? k->c->sort.kth[i] : i;
        if (from < end) continue;
        const uint64_t run_key = key_at(w, from);
        for (end = from + 1; end < w->n && key_at(w, end) == run_key;) end++;
        while (n_kth && from > 0 && key_at(w, from - 1) == run_key) from--;
        if (end - from == 1 || (!w->ties_unordered && run_key != UINT64_MAX)) continue;
        for (int level = w->has_nan ? SORTKEY_COMPLEX - 1 : 1;
             level >= (w->short_key ? 0 : 1) && fits; level--)
            fits = order_run(k, w, w->index + from, end - from, level, threads);
    }
    return fits;
}

static complex_row complex_row_of(const work *k, int64_t i, uint64_t *key, int64_t *index) {
    const int64_t n = k->c->sort.n;
    const size_t item = 2 * k->order.item;
    complex_row w = {.in = k->in + (size_t)(i * n) * item,
                     .out = k->out + (size_t)(i * n) * (k->ranks ? sizeof *index : item),
                     .key = key,
                     .index = index,
                     .n = n,
                     .parts = k->order,
                     .ties_unordered = k->order.item == 8};
    if (k->ranks) w.index = w.out;
    return w;
}

static bool sort_complex(const work *k, int64_t i, int threads) {
    const int64_t n = k->c->sort.n,
                  chunks = (n + TUNE_SORT_CHUNK_ELEMS - 1) / TUNE_SORT_CHUNK_ELEMS;
    uint64_t low, high;
    void *keys, *indices = NULL;
    void *block = mem_large((size_t)n * (sizeof(uint64_t) + sizeof(uint32_t)), &keys),
         *more = k->ranks ? NULL : mem_large((size_t)n * sizeof(int64_t), &indices);
    bool fits = block && (more || k->ranks);
    if (fits) {
        complex_row w = complex_row_of(k, i, keys, indices);
        threads_each(threads, chunks, k->stop, complex_keys, &w);
        limits_of(w.key, n, &low, &high);
        const int drop = MAX(0, bits_of(high - low) - 32);
        w.short_key = (uint32_t *)(void *)(w.key + n);
        shorten_keys(w.key, n, low, drop, w.short_key);
        w.ties_unordered |= drop > 0 || w.has_nan;
        const key_row short_keys = {DT_U32, n, w.short_key, w.index, k->c->sort.n_kth};
        fits = argsort_keys(k, &short_keys, threads) && order_runs(k, &w, threads);
        if (fits && !k->ranks && !threads_stopped(k->stop))
            threads_each(threads, chunks, k->stop, complex_take, &w);
    }
    mem_free(block);
    mem_free(more);
    return fits;
}

static int64_t rows_per_chunk(const gpa_libcall *c) {
    return TUNE_SORT_UNSPLIT_MAX_ITEMS / MAX(c->sort.n, 1);
}

/* A chunk of rows of at most TUNE_SORT_INSERTION_MAX_COMPLEX numbers. */
static void insertion_sort_rows(void *arg, int64_t i) {
    work *k = arg;
    const int64_t n = k->c->sort.n, to = MIN((i + 1) * rows_per_chunk(k->c), k->c->sort.rows);
    const size_t item = 2 * k->order.item;
    for (int64_t r = i * rows_per_chunk(k->c); r < to && !threads_stopped(k->stop); r++) {
        const void *in = k->in + (size_t)(r * n) * item;
        int64_t *index = k->ranks ? (int64_t *)(void *)k->out + r * n : NULL;
        void *out = k->out + (size_t)(r * n) * item;
        if (item == 8 ? insertion_sort_c64(in, n, out, index)
                      : insertion_sort_c128(in, n, out, index))
            continue;
        if (!sort_complex(k, r, 1)) __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
    }
}

/* ---- sorted rows ---- */

#define ASCENDING(i) (x[i] <= x[(i) + 1])
#define ASCENDING_OR_NAN(i) ((x[i] <= x[(i) + 1]) | (x[(i) + 1] != x[(i) + 1]))
/* A NaN imaginary part may sort after greater numbers: false if there is any. */
#define REALS_ASCENDING(i)                                                \
    ((x[2 * (i)] < x[2 * (i) + 2]) & (x[2 * (i) + 1] == x[2 * (i) + 1]) & \
     (x[2 * (i) + 3] == x[2 * (i) + 3]))
#define IMAGS_ASCENDING(i) ((x[2 * (i)] == x[2 * (i) + 2]) & (x[2 * (i) + 1] <= x[2 * (i) + 3]))
#define COMPLEX_ASCENDING(i) (REALS_ASCENDING(i) | IMAGS_ASCENDING(i))

#define T int8_t
#define U uint8_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_i8
#include "runtime/cpu/sort/sort_check.inc"
#define T uint8_t
#define U uint8_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_u8
#include "runtime/cpu/sort/sort_check.inc"
#define T int16_t
#define U uint16_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_i16
#include "runtime/cpu/sort/sort_check.inc"
#define T uint16_t
#define U uint16_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_u16
#include "runtime/cpu/sort/sort_check.inc"
#define T int32_t
#define U uint32_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_i32
#include "runtime/cpu/sort/sort_check.inc"
#define T uint32_t
#define U uint32_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_u32
#include "runtime/cpu/sort/sort_check.inc"
#define T int64_t
#define U uint64_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_i64
#include "runtime/cpu/sort/sort_check.inc"
#define T uint64_t
#define U uint64_t
#define IN_ORDER ASCENDING
#define NAME(x) x##_u64
#include "runtime/cpu/sort/sort_check.inc"
#define T float
#define U uint32_t
#define IN_ORDER ASCENDING_OR_NAN
#define NAME(x) x##_f32
#include "runtime/cpu/sort/sort_check.inc"
#define T double
#define U uint64_t
#define IN_ORDER ASCENDING_OR_NAN
#define NAME(x) x##_f64
#include "runtime/cpu/sort/sort_check.inc"
#define T float
#define U uint32_t
#define IN_ORDER COMPLEX_ASCENDING
#define NAME(x) x##_c64
#include "runtime/cpu/sort/sort_check.inc"
#define T double
#define U uint64_t
#define IN_ORDER COMPLEX_ASCENDING
#define NAME(x) x##_c128
#include "runtime/cpu/sort/sort_check.inc"

/* The rank of a half, with NaN above `nan`, in 16-bit lanes. */
static inline uint16_t half_rank(uint16_t a, uint16_t nan) {
    const uint16_t sign = 0x8000, size = a & 0x7fff, value = (uint16_t)(a & sign ? -size : size);
    return size > nan ? UINT16_MAX : (uint16_t)(value + sign);
}

GPA_SIMD_CLONES static bool is_sorted_f16(const uint16_t *x, int64_t n, uint16_t nan) {
    uint16_t bad = 0;
    for (int64_t i = 0; i + 1 < n; i++)
        bad |= half_rank(x[i], nan) <= half_rank(x[i + 1], nan) ? 0 : 1;
    return !bad;
}

static bool is_sorted(gpa_dtype t, const sortkey_order *o, const void *x, int64_t n) {
#define BY_KIND(bits) return o->kind == 'I' ? is_sorted_i##bits(x, n) : is_sorted_u##bits(x, n)
    if (dtype_is_complex(t)) return t == DT_C64 ? is_sorted_c64(x, n) : is_sorted_c128(x, n);
    if (o->kind == 'F')
        return o->item == 2   ? is_sorted_f16(x, n, (uint16_t)o->nan)
               : o->item == 4 ? is_sorted_f32(x, n)
                              : is_sorted_f64(x, n);
    switch (o->item) {
        case 1: BY_KIND(8);
        case 2: BY_KIND(16);
        case 4: BY_KIND(32);
        default: BY_KIND(64);
    }
#undef BY_KIND
}

/* Copies a sorted row to the result, block by block; false at the first descent. */
static bool copy_sorted(const work *k, int64_t i) {
    const int64_t n = k->c->sort.n;
    const size_t item = dtype_size(k->c->dtype);
    const char *in = k->in + (size_t)(i * n) * item;
    for (int64_t from = 0; from < n && !threads_stopped(k->stop); from += TUNE_SORT_CHECKED_ELEMS) {
        const int64_t to = MIN(from + TUNE_SORT_CHECKED_ELEMS, n);
        if (!is_sorted(k->c->dtype, &k->order, in + (size_t)from * item, MIN(to + 1, n) - from))
            return false;
        if (!k->ranks)
            memcpy(k->out + (size_t)(i * n + from) * item, in + (size_t)from * item,
                   (size_t)(to - from) * item);
        for (int64_t j = from; j < to && k->ranks; j++) ((int64_t *)(void *)k->out)[i * n + j] = j;
    }
    return true;
}

static bool sort_any(const work *k, int64_t i, int threads) {
    if (copy_sorted(k, i)) return true;
    return dtype_is_complex(k->c->dtype) ? sort_complex(k, i, threads) : sort_one(k, i, threads);
}

static void sort_row_item(void *arg, int64_t i) {
    work *k = arg;
    if (!sort_any(k, i, 1)) __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
}

/* ---- rows in lanes ---- */

#define T uint8_t
#define SMALL
#define NAME(x) x##_1
#include "runtime/cpu/sort/sort_keys.inc"
#define T uint16_t
#define SMALL
#define NAME(x) x##_2
#include "runtime/cpu/sort/sort_keys.inc"
#define T uint32_t
#define NAME(x) x##_4
#include "runtime/cpu/sort/sort_keys.inc"
#define T uint64_t
#define NAME(x) x##_8
#include "runtime/cpu/sort/sort_keys.inc"

/* Rows of items of one and two bytes, by their keys as int32. */
static void sort_small_items(const work *k, const char *in, char *out, int64_t rows, uint32_t *key,
                             void *scratch) {
    const sortkey_order *o = &k->order, plain = sortkey_order_of(DT_I32);
    const int64_t n = k->c->sort.n, interleave = k->c->sort.stride;
    const int64_t runs = interleave ? n : 1, length = interleave ? rows : rows * n; /* contiguous */
    const size_t item = o->item, pitch = (size_t)interleave * item;
    for (int64_t i = 0; i < runs; i++) {
        const void *run = in + (size_t)i * pitch;
        if (item == 1)
            keys_1(o, run, length, key + i * length);
        else
            keys_2(o, run, length, key + i * length);
    }
    const sort_short_rows shape = {rows, n, interleave ? rows : 0};
    sort_short(&plain, gpa_simd_bytes(), &shape, key, key, scratch);
    for (int64_t i = 0; i < runs; i++) {
        void *run = out + (size_t)i * pitch;
        if (item == 1)
            items_1(o, key + i * length, length, run);
        else
            items_2(o, key + i * length, length, run);
    }
    const size_t step = interleave ? item : (size_t)n * item;
    for (int64_t r = 0; o->kind == 'F' && r < rows; r++)
        sortkey_restore_zeros(o, in + (size_t)r * step, n, interleave ? interleave : 1,
                              out + (size_t)r * step);
}

/* Unpacks the indices of n sorted items; returns whether two ranks are equal. */
GPA_SIMD_CLONES static bool unpack_indices(const uint64_t *key, int64_t n, int index_bits,
                                           int64_t *out) {
    const uint64_t mask = (1ull << index_bits) - 1;
    uint64_t tied = 0;
    for (int64_t i = 0; i < n; i++) out[i] = (int64_t)(key[i] & mask);
    for (int64_t i = 1; i < n; i++) tied |= (key[i - 1] ^ key[i]) <= mask;
    return tied;
}

/* Insertion sort of n indices by the full ranks; false if that takes too many steps. */
static bool order_ties(const sortkey_order *o, const char *items, int64_t n, uint64_t *rank,
                       int64_t *out) {
    int64_t steps = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        sortkey_load(items + (size_t)out[i] * o->item, o->item, 1, &bits);
        const uint64_t rank_i = sortkey_rank(bits, o);
        const int64_t index_i = out[i];
        int64_t j = i;
        for (; j > 0 && rank[j - 1] > rank_i; j--) rank[j] = rank[j - 1], out[j] = out[j - 1];
        rank[j] = rank_i;
        out[j] = index_i;
        if ((steps += i - j) > TUNE_SORT_REPAIR_MAX_STEPS_PER_ITEM * n) return false;
    }
    return true;
}

/* Argsort of rows from number `from` on; false: out of memory. */
static bool argsort_rows(const work *k, int64_t from, int64_t rows, uint64_t *key, void *scratch) {
    const sortkey_order *o = &k->order, plain = sortkey_order_of(DT_I64);
    const int64_t n = k->c->sort.n;
    const int index_bits = bits_of((uint64_t)n - 1);
    const char *in = k->in + (size_t)(from * n) * o->item;
    int64_t *out = (int64_t *)(void *)k->out + from * n;
    bool truncated[SORT_SHORT_ROWS]; /* packed ranks may be tied where ranks are not */
    for (int64_t r = 0; r < rows; r++) {
        const void *items = in + (size_t)(r * n) * o->item;
        uint64_t *to = key + r * n;
        switch (o->item) {
            case 1: truncated[r] = pack_ranks_1(o, items, n, index_bits, to); break;
            case 2: truncated[r] = pack_ranks_2(o, items, n, index_bits, to); break;
            case 4: truncated[r] = pack_ranks_4(o, items, n, index_bits, to); break;
            default: truncated[r] = pack_ranks_8(o, items, n, index_bits, to);
        }
    }
    const sort_short_rows shape = {rows, n, 0};
    sort_short(&plain, gpa_simd_bytes(), &shape, key, key, scratch);
    for (int64_t r = 0; r < rows; r++) {
        bool tied = unpack_indices(key + r * n, n, index_bits, out + r * n);
        if (!truncated[r] || !tied ||
            order_ties(o, in + (size_t)(r * n) * o->item, n, key + r * n, out + r * n))
            continue;
        if (!sort_one(k, from + r, 1)) return false;
    }
    return true;
}

/* Complex rows from number `from` on. */
static bool sort_complex_rows(const work *k, int64_t from, int64_t rows, uint64_t *key,
                              void *scratch) {
    const int64_t n = k->c->sort.n, all = rows * n;
    complex_row w[SORT_SHORT_ROWS];
    void *block = mem_new((size_t)all * 2 * sizeof(uint64_t));
    if (!block) return false;
    uint64_t *keys = block;
    int64_t *indices = k->ranks ? (int64_t *)(void *)k->out + from * n : (int64_t *)keys + all;
    const gpa_libcall c = {.kind = LIB_ARGSORT, .dtype = DT_U64, .sort = {.rows = rows, .n = n}};
    const work by_keys = {.c = &c,
                          .stop = k->stop,
                          .order = sortkey_order_of(DT_U64),
                          .in = block,
                          .out = (char *)indices,
                          .ranks = true};
    for (int64_t r = 0; r < rows; r++) {
        w[r] = complex_row_of(k, from + r, keys + r * n, indices + r * n);
        complex_keys(&w[r], 0);
    }
    bool fits = argsort_rows(&by_keys, 0, rows, key, scratch);
    for (int64_t r = 0; r < rows && fits; r++) {
        fits = order_runs(k, &w[r], 1);
        if (fits && !k->ranks) complex_take(&w[r], 0);
    }
    mem_free(block);
    return fits;
}

/* Group i of SORT_SHORT_ROWS rows: contiguous ones, or interleaved ones of one stack. */
static void sort_row_group(void *arg, int64_t i) {
    work *k = arg;
    const int64_t n = k->c->sort.n, interleave = k->c->sort.stride,
                  all = interleave ? interleave : k->c->sort.rows,
                  groups = (all + SORT_SHORT_ROWS - 1) / SORT_SHORT_ROWS,
                  from = i % groups * SORT_SHORT_ROWS, rows = MIN(SORT_SHORT_ROWS, all - from);
    const int64_t first = interleave ? i / groups * n * interleave + from : from * n;
    const char *in = k->in + (size_t)first * k->order.item;
    char *out = k->out + (size_t)first * k->order.item;
    const size_t bytes = (size_t)n * SORT_SHORT_ROWS * sizeof(uint64_t);
    void *block = mem_new(2 * bytes + LANES_BYTES);
    if (!block) {
        __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
        return;
    }
    char *scratch = (char *)(((uintptr_t)block + LANES_BYTES - 1) / LANES_BYTES * LANES_BYTES);
    void *key = scratch + bytes;
    const sort_short_rows shape = {rows, n, interleave};
    bool fits = true;
    if (dtype_is_complex(k->c->dtype))
        fits = sort_complex_rows(k, from, rows, key, scratch);
    else if (k->ranks)
        fits = argsort_rows(k, from, rows, key, scratch);
    else if (k->order.item < 4)
        sort_small_items(k, in, out, rows, key, scratch);
    else
        sort_short(&k->order, gpa_simd_bytes(), &shape, in, out, scratch);
    if (!fits) __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
    mem_free(block);
}

gpa_code sort_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    bool ranks = c->kind == LIB_ARGSORT;
    int64_t rows = c->sort.rows;
    const size_t item = dtype_size(c->dtype);
    work k = {.c = c,
              .stop = stop,
              .order = sortkey_order_of(c->dtype == DT_C64    ? DT_F32
                                        : c->dtype == DT_C128 ? DT_F64
                                                              : c->dtype),
              .ranks = ranks};
    k.in = c->sort.in.mem->base + (size_t)c->sort.in.offset * item;
    k.out = c->sort.out.mem->base + (size_t)c->sort.out.offset * (ranks ? sizeof(int64_t) : item);
    const int use = rows * c->sort.n < TUNE_SORT_SHARED_MIN_ITEMS ? 1 : threads;
    if (c->sort.stride)
        threads_each(
            use, rows / c->sort.stride * ((c->sort.stride + SORT_SHORT_ROWS - 1) / SORT_SHORT_ROWS),
            stop, sort_row_group, &k);
    else if (dtype_is_complex(c->dtype) && c->sort.n <= TUNE_SORT_INSERTION_MAX_COMPLEX)
        threads_each(use, (rows + rows_per_chunk(c) - 1) / rows_per_chunk(c), stop,
                     insertion_sort_rows, &k);
    else if (c->sort.n <= (ranks && item == 1 ? TUNE_SORT_RANKED_BYTES_MAX_ROW : SORT_SHORT) &&
             rows >= SORT_SHORT_ROWS / 2)
        threads_each(use, (rows + SORT_SHORT_ROWS - 1) / SORT_SHORT_ROWS, stop, sort_row_group, &k);
    else if (rows >= threads)
        threads_each(use, rows, stop, sort_row_item, &k);
    else
        for (int64_t i = 0; i < rows && !k.failed && !threads_stopped(stop); i++)
            k.failed = !sort_any(&k, i, threads);
    if (k.failed) return gpa_no_memory(e);
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
