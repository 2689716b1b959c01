/* Sort and argsort on the thread pool.
 *
 * Many short rows go through sorting networks, one row per SIMD lane (sort_short.h); argsort packs
 * the index into the low bits of the key. Other rows are radix sorted (sort_row.h), one thread per
 * row, or all threads on one row where rows are fewer than threads. A partition sorts only the
 * buckets that hold a requested index. Complex numbers are gathered by their argsort. Rows that are
 * already sorted are copied. Reading order: rows, calls, complex numbers, sorted rows, rows in
 * lanes. */
#include "runtime/cpu/sort/sort.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/sort/sort_short.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/base/simd_clones.h"

/* Elements of a chunk that a thread takes, of a bucket that is not split, of one sorted by
 * insertion, of a block that is converted; bits of the digits of splitting and sorting; fewest
 * items for several threads; most insertion steps per item when equal ranks are reordered; elements
 * of a row of bytes ranked by comparison; for keys of two bytes, how many equal items are stored at
 * once, and the most threads for which counting sort is faster; elements of a block checked for
 * sortedness; of a row of complex numbers sorted by insertion. */
enum {
    CHUNK = 1 << 16,
    SMALL = 1 << 13,
    FEW = 32,
    BLOCK = 256,
    DIGIT = 10,
    LOW_DIGIT = 11,
    SHARED = 1 << 15,
    STEPS = 4,
    BYTES = 256,
    HANDFUL = 4,
    WORDS = 1 << 16,
    WORDS_AT_ONCE = 32,
    COUNTING = 4,
    TRIED = 1 << 11
};

/* A bucket of a row: n items from `at` on in one of the two arrays; the number of low bits in which
 * their keys may differ. */
typedef struct {
    int64_t at, n;
    int side, bits;
} part;

typedef struct {
    part *item;
    int64_t n, room;
} parts;

/* A row that is being sorted. */
typedef struct {
    sortkey_order order;
    int threads;
    const int32_t *stop;
    const void *in;
    void *out;
    int64_t n;
    const int64_t *places; /* requested indices of a partition, ascending */
    int n_places;          /* 0: full sort */
    void *item[2];
    parts ready; /* one thread sorts and writes each */
} row;

/* ---- rows ---- */

static gpa_code parts_add(parts *s, part p, gpa_err *e) {
    if (s->n == s->room) {
        int64_t room = MAX(64, 2 * s->room);
        part *item = mem_resize(s->item, (size_t)room * sizeof *item);
        if (!item) return gpa_no_memory(e);
        s->item = item;
        s->room = room;
    }
    s->item[s->n++] = p;
    return GPA_OK;
}

static bool part_is_wanted(const row *w, const part *p) {
    for (int i = 0; i < w->n_places; i++)
        if (w->places[i] >= p->at && w->places[i] < p->at + p->n) return true;
    return !w->n_places;
}

static int bits_of(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

/* Bits of the digit that splits n items into buckets of some thousands. */
static int digit_for(int64_t n) { return MIN(DIGIT, bits_of((uint64_t)n / (SMALL / 4))); }

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
#include "runtime/cpu/sort/sort_row.h"

#define ITEM uint64_t
#define KEY(x) (x)
#define MADE(key, i) (key)
#define AT(x) 0
#define RANK 0
#define NAME(x) x##_8
#include "runtime/cpu/sort/sort_row.h"

/* A 32-bit key above its index. */
#define ITEM uint64_t
#define KEY(x) ((x) >> 32)
#define MADE(key, i) ((key) << 32 | (uint64_t)(i))
#define AT(x) ((x)&UINT32_MAX)
#define RANK 1
#define NAME(x) x##_rank_4
#include "runtime/cpu/sort/sort_row.h"

#define ITEM ranked
#define KEY(x) ((x).key)
#define MADE(key, i) ((ranked){key, i})
#define AT(x) ((x).at)
#define RANK 1
#define NAME(x) x##_rank_8
#include "runtime/cpu/sort/sort_row.h"

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
GPA_SIMD_CLONES static bool sort_words(const work *k, const uint16_t *in, uint16_t *out) {
    const sortkey_order *o = &k->order;
    const int64_t n = k->c->sort.n;
    const uint32_t sign = (uint32_t)o->sign;
    uint32_t *count = mem_zero(2 * WORDS * sizeof *count), *other = count + WORDS;
    if (!count) return false;
    for (int64_t from = 0; from < n && !threads_stopped(k->stop); from += CHUNK) {
        const int64_t end = MIN(n, from + CHUNK);
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
    for (uint32_t key = 0; key < WORDS && at < n; key++) {
        const uint16_t v = (uint16_t)sortkey_to_bits(key, o);
        const int64_t end = at + count[v] + other[v], sure = MIN(at + WORDS_AT_ONCE, n);
        if (sure == at + WORDS_AT_ONCE)
            GPA_NO_UNROLL for (int32_t i = 0; i < WORDS_AT_ONCE; i++) out[at + i] =
                v; /* overruns are overwritten by the next value */
        else
            for (int64_t i = at; i < end; i++) out[i] = v;
        for (int64_t i = sure; i < end; i++) out[i] = v;
        at = end;
    }
    mem_free(count);
    return true;
}

static bool sort_one(const work *k, int64_t i, int threads) {
    int64_t n = k->c->sort.n;
    if (k->order.item == 2 && !k->ranks && n >= WORDS && threads <= COUNTING) {
        const size_t from = (size_t)(i * n) * sizeof(uint16_t);
        if (!sort_words(k, (const void *)(k->in + from), (void *)(k->out + from))) return false;
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
             .threads = n < SHARED ? 1 : threads,
             .stop = k->stop,
             .n = n,
             .places = k->c->sort.kth,
             .n_places = k->c->sort.n_kth};
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
    if (!rc && !k->ranks && !w.n_places && k->order.kind == 'F' && !threads_stopped(k->stop))
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
    uint32_t *brief; /* of long rows, else NULL */
    int64_t *place;
    int64_t n;
    sortkey_order parts;
    bool lost, doubted; /* NaN occurs; equal keys do not imply equal elements */
} complex_row;

#define COMPLEX_KEYS(size, T)                                                            \
    GPA_SIMD_CLONES static bool complex_keys_##size(const sortkey_order *o, const T *in, \
                                                    int64_t n, uint64_t *key) {          \
        const T sign = (T)o->sign, below = sign - 1, nan = (T)o->nan;                    \
        T lost = 0;                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                \
            T re = in[2 * i], im = in[2 * i + 1],                                        \
              none = ((re & below) > nan) | ((im & below) > nan);                        \
            re = re == sign ? 0 : re;                                                    \
            im = im == sign ? 0 : im;                                                    \
            re ^= re & sign ? sign | below : sign;                                       \
            im ^= im & sign ? sign | below : sign;                                       \
            uint64_t whole = size == 4 ? (uint64_t)re << 32 | im : re;                   \
            key[i] = none ? UINT64_MAX : whole;                                          \
            lost |= none;                                                                \
        }                                                                                \
        return lost;                                                                     \
    }
COMPLEX_KEYS(4, uint32_t)
COMPLEX_KEYS(8, uint64_t)

static void complex_keys(void *arg, int64_t c) {
    complex_row *w = arg;
    const int64_t from = c * CHUNK, n = MIN(CHUNK, w->n - from);
    const void *in = w->in + (size_t)(2 * from) * w->parts.item;
    bool lost = w->parts.item == 4 ? complex_keys_4(&w->parts, in, n, w->key + from)
                                   : complex_keys_8(&w->parts, in, n, w->key + from);
    if (lost) __atomic_store_n(&w->lost, true, __ATOMIC_RELAXED);
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

GPA_SIMD_CLONES static void brief_keys(const uint64_t *key, int64_t n, uint64_t low, int drop,
                                       uint32_t *brief) {
    for (int64_t i = 0; i < n; i++) brief[i] = (uint32_t)((key[i] - low) >> drop);
}

/* Gathers the elements in sorted order. */
static void complex_take(void *arg, int64_t c) {
    const complex_row *w = arg;
    const int64_t to = MIN((c + 1) * CHUNK, w->n), *place = w->place;
    const uint64_t *in = (const void *)w->in; /* a complex64, or a part */
    uint64_t *out = w->out;
    if (w->parts.item == 4)
        for (int64_t i = c * CHUNK; i < to; i++) out[i] = in[place[i]];
    else
        for (int64_t i = c * CHUNK; i < to; i++)
            out[2 * i] = in[2 * place[i]], out[2 * i + 1] = in[2 * place[i] + 1];
}

/* Argsort of n keys of a dtype; with n_places > 0 a partition. */
static bool sort_places(const work *k, gpa_dtype t, int64_t n, const void *key, int64_t *place,
                        int n_places, int threads) {
    const gpa_libcall c = {.kind = LIB_ARGSORT,
                           .dtype = t,
                           .sort = {.rows = 1, .n = n, .kth = k->c->sort.kth, .n_kth = n_places}};
    const work w = {.c = &c,
                    .stop = k->stop,
                    .order = sortkey_order_of(t),
                    .in = key,
                    .out = (char *)place,
                    .ranks = true};
    return sort_one(&w, 0, threads);
}

/* Orders n indices of equal keys by the elements' keys of a level. */
static bool order_run(const work *k, const complex_row *w, int64_t *place, int64_t n, int level,
                      int threads) {
    uint64_t few[FEW], bits[2] = {0};
    void *block = n <= FEW ? NULL : mem_new((size_t)n * 3 * sizeof *few);
    uint64_t *key = n <= FEW ? few : block;
    if (!key) return false;
    for (int64_t i = 0; i < n; i++) {
        sortkey_load(w->in + (size_t)(2 * place[i]) * w->parts.item, w->parts.item, 2, bits);
        key[i] = sortkey_complex(bits[0], bits[1], level, &w->parts);
    }
    if (n <= FEW) {
        for (int64_t i = 1; i < n; i++) {
            const uint64_t here = key[i];
            const int64_t at = place[i];
            int64_t j = i;
            for (; j > 0 && key[j - 1] > here; j--) key[j] = key[j - 1], place[j] = place[j - 1];
            key[j] = here;
            place[j] = at;
        }
        return true;
    }
    int64_t *order = (int64_t *)key + n, *was = order + n;
    memcpy(was, place, (size_t)n * sizeof *was);
    bool fits = sort_places(k, DT_U64, n, key, order, 0, threads);
    for (int64_t i = 0; i < n && fits && !threads_stopped(k->stop); i++) place[i] = was[order[i]];
    mem_free(block);
    return fits;
}

static inline uint64_t key_at(const complex_row *w, int64_t i) {
    return w->brief ? w->brief[w->place[i]] : w->key[w->place[i]];
}

/* Orders the runs of indices whose keys agree in the sorted bits; in a partition only those that
 * hold a requested index. */
static bool order_runs(const work *k, const complex_row *w, int threads) {
    const int n_places = k->c->sort.n_kth;
    bool fits = true;
    if (!w->lost && !w->doubted) return true;
    for (int64_t i = 0, end = 0, to = n_places ? n_places : w->n;
         i < to && fits && !threads_stopped(k->stop); i++) {
        int64_t from = n_places ? k->c->sort.kth[i] : i;
        if (from < end) continue;
        const uint64_t own = key_at(w, from);
        for (end = from + 1; end < w->n && key_at(w, end) == own;) end++;
        while (n_places && from > 0 && key_at(w, from - 1) == own) from--;
        if (end - from == 1 || (!w->doubted && own != UINT64_MAX)) continue;
        for (int level = w->lost ? SORTKEY_COMPLEX - 1 : 1; level >= (w->brief ? 0 : 1) && fits;
             level--)
            fits = order_run(k, w, w->place + from, end - from, level, threads);
    }
    return fits;
}

static complex_row complex_row_of(const work *k, int64_t i, uint64_t *key, int64_t *place) {
    const int64_t n = k->c->sort.n;
    const size_t item = 2 * k->order.item;
    complex_row w = {.in = k->in + (size_t)(i * n) * item,
                     .out = k->out + (size_t)(i * n) * (k->ranks ? sizeof *place : item),
                     .key = key,
                     .place = place,
                     .n = n,
                     .parts = k->order,
                     .doubted = k->order.item == 8};
    if (k->ranks) w.place = w.out;
    return w;
}

static bool sort_complex(const work *k, int64_t i, int threads) {
    const int64_t n = k->c->sort.n, chunks = (n + CHUNK - 1) / CHUNK;
    uint64_t low, high;
    void *keys, *places = NULL;
    void *block = mem_large((size_t)n * (sizeof(uint64_t) + sizeof(uint32_t)), &keys),
         *more = k->ranks ? NULL : mem_large((size_t)n * sizeof(int64_t), &places);
    bool fits = block && (more || k->ranks);
    if (fits) {
        complex_row w = complex_row_of(k, i, keys, places);
        threads_each(threads, chunks, k->stop, complex_keys, &w);
        limits_of(w.key, n, &low, &high);
        const int drop = MAX(0, bits_of(high - low) - 32);
        w.brief = (uint32_t *)(void *)(w.key + n);
        brief_keys(w.key, n, low, drop, w.brief);
        w.doubted |= drop > 0 || w.lost;
        fits = sort_places(k, DT_U32, n, w.brief, w.place, k->c->sort.n_kth, threads) &&
               order_runs(k, &w, threads);
        if (fits && !k->ranks && !threads_stopped(k->stop))
            threads_each(threads, chunks, k->stop, complex_take, &w);
    }
    mem_free(block);
    mem_free(more);
    return fits;
}

/* Insertion sort of a row of a handful of numbers, without scratch memory; false if one has a NaN
 * part. */
#define COMPLEX_FEW(name, T)                                                                  \
    static bool few_##name(const T *in, int64_t n, T *out, int64_t *place) {                  \
        T re[HANDFUL], im[HANDFUL];                                                           \
        int64_t at[HANDFUL];                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T a = in[2 * i], b = in[2 * i + 1];                                         \
            int64_t j = i;                                                                    \
            if (a != a || b != b) return false;                                               \
            for (; j > 0 && (re[j - 1] > a || (re[j - 1] == a && im[j - 1] > b)); j--)        \
                re[j] = re[j - 1], im[j] = im[j - 1], at[j] = at[j - 1];                      \
            re[j] = a, im[j] = b, at[j] = i;                                                  \
        }                                                                                     \
        if (place) memcpy(place, at, (size_t)n * sizeof *at);                                 \
        for (int64_t i = 0; i < n && !place; i++) out[2 * i] = re[i], out[2 * i + 1] = im[i]; \
        return true;                                                                          \
    }
COMPLEX_FEW(c64, float)
COMPLEX_FEW(c128, double)
#undef COMPLEX_FEW

static int64_t complex_each(const gpa_libcall *c) { return SMALL / MAX(c->sort.n, 1); }

/* A chunk of such rows. */
static void complex_few(void *arg, int64_t i) {
    work *k = arg;
    const int64_t n = k->c->sort.n, to = MIN((i + 1) * complex_each(k->c), k->c->sort.rows);
    const size_t item = 2 * k->order.item;
    for (int64_t r = i * complex_each(k->c); r < to && !threads_stopped(k->stop); r++) {
        const void *in = k->in + (size_t)(r * n) * item;
        int64_t *place = k->ranks ? (int64_t *)(void *)k->out + r * n : NULL;
        void *out = k->out + (size_t)(r * n) * item;
        if (item == 8 ? few_c64(in, n, out, place) : few_c128(in, n, out, place)) continue;
        if (!sort_complex(k, r, 1)) __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
    }
}

/* ---- sorted rows ---- */

/* True if n items are ascending. */
#define IN_ORDER(name, T, U, sure)                                       \
    GPA_SIMD_CLONES static bool in_order_##name(const T *x, int64_t n) { \
        U bad = 0;                                                       \
        for (int64_t i = 0; i + 1 < n; i++) bad |= (sure) ? 0 : 1;       \
        return !bad;                                                     \
    }
#define IN_ORDER_REAL(name, T, U) IN_ORDER(name, T, U, (x[i] <= x[i + 1]) | (x[i + 1] != x[i + 1]))
/* A NaN imaginary part may sort after greater numbers: false if there is any. */
#define IN_ORDER_COMPLEX(name, T, U)                                       \
    IN_ORDER(name, T, U,                                                   \
             ((x[2 * i] < x[2 * i + 2]) & (x[2 * i + 1] == x[2 * i + 1]) & \
              (x[2 * i + 3] == x[2 * i + 3])) |                            \
                 ((x[2 * i] == x[2 * i + 2]) & (x[2 * i + 1] <= x[2 * i + 3])))
IN_ORDER(i8, int8_t, uint8_t, x[i] <= x[i + 1])
IN_ORDER(u8, uint8_t, uint8_t, x[i] <= x[i + 1])
IN_ORDER(i16, int16_t, uint16_t, x[i] <= x[i + 1])
IN_ORDER(u16, uint16_t, uint16_t, x[i] <= x[i + 1])
IN_ORDER(i32, int32_t, uint32_t, x[i] <= x[i + 1])
IN_ORDER(u32, uint32_t, uint32_t, x[i] <= x[i + 1])
IN_ORDER(i64, int64_t, uint64_t, x[i] <= x[i + 1])
IN_ORDER(u64, uint64_t, uint64_t, x[i] <= x[i + 1])
IN_ORDER_REAL(f32, float, uint32_t)
IN_ORDER_REAL(f64, double, uint64_t)
IN_ORDER_COMPLEX(c64, float, uint32_t)
IN_ORDER_COMPLEX(c128, double, uint64_t)

/* The rank of a half, with NaN above `nan`, in 16-bit lanes. */
static inline uint16_t half_rank(uint16_t a, uint16_t nan) {
    const uint16_t sign = 0x8000, size = a & 0x7fff, turned = (uint16_t)(a & sign ? -size : size);
    return size > nan ? UINT16_MAX : (uint16_t)(turned + sign);
}

GPA_SIMD_CLONES static bool in_order_half(const uint16_t *x, int64_t n, uint16_t nan) {
    uint16_t bad = 0;
    for (int64_t i = 0; i + 1 < n; i++)
        bad |= half_rank(x[i], nan) <= half_rank(x[i + 1], nan) ? 0 : 1;
    return !bad;
}

static bool is_in_order(gpa_dtype t, const sortkey_order *o, const void *x, int64_t n) {
#define BY_KIND(bits) return o->kind == 'I' ? in_order_i##bits(x, n) : in_order_u##bits(x, n)
    if (dtype_is_complex(t)) return t == DT_C64 ? in_order_c64(x, n) : in_order_c128(x, n);
    if (o->kind == 'F')
        return o->item == 2   ? in_order_half(x, n, (uint16_t)o->nan)
               : o->item == 4 ? in_order_f32(x, n)
                              : in_order_f64(x, n);
    switch (o->item) {
        case 1: BY_KIND(8);
        case 2: BY_KIND(16);
        case 4: BY_KIND(32);
        default: BY_KIND(64);
    }
#undef BY_KIND
}

/* Copies a sorted row to the result, block by block; false at the first descent. */
static bool keep_order(const work *k, int64_t i) {
    const int64_t n = k->c->sort.n;
    const size_t item = dtype_size(k->c->dtype);
    const char *in = k->in + (size_t)(i * n) * item;
    for (int64_t from = 0; from < n && !threads_stopped(k->stop); from += TRIED) {
        const int64_t to = MIN(from + TRIED, n);
        if (!is_in_order(k->c->dtype, &k->order, in + (size_t)from * item, MIN(to + 1, n) - from))
            return false;
        if (!k->ranks)
            memcpy(k->out + (size_t)(i * n + from) * item, in + (size_t)from * item,
                   (size_t)(to - from) * item);
        for (int64_t j = from; j < to && k->ranks; j++) ((int64_t *)(void *)k->out)[i * n + j] = j;
    }
    return true;
}

static bool sort_any(const work *k, int64_t i, int threads) {
    if (keep_order(k, i)) return true;
    return dtype_is_complex(k->c->dtype) ? sort_complex(k, i, threads) : sort_one(k, i, threads);
}

static void one(void *arg, int64_t i) {
    work *k = arg;
    if (!sort_any(k, i, 1)) __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
}

/* ---- rows in lanes ---- */

/* Keys of items of one and two bytes, and back; true becomes 1. */
#define SMALL_ITEMS(size, T)                                                                    \
    GPA_SIMD_CLONES static void keys_##size(const sortkey_order *o, const T *in, int64_t n,     \
                                            uint32_t *key) {                                    \
        const uint32_t sign = (uint32_t)o->sign, below = sign - 1, nan = (uint32_t)o->nan;      \
        const char kind = o->kind;                                                              \
        for (int64_t i = 0; i < n; i++) {                                                       \
            uint32_t bits = in[i], turned = bits & sign ? ~bits & (sign | below) : bits | sign; \
            uint32_t real = (bits & below) > nan ? bits | sign : turned;                        \
            key[i] = kind == 'F'   ? real                                                       \
                     : kind == 'I' ? bits ^ sign                                                \
                     : kind == 'B' ? bits != 0                                                  \
                                   : bits;                                                      \
        }                                                                                       \
    }                                                                                           \
    GPA_SIMD_CLONES static void items_##size(const sortkey_order *o, const uint32_t *key,       \
                                             int64_t n, T *out) {                               \
        const uint32_t sign = (uint32_t)o->sign, below = sign - 1;                              \
        const char kind = o->kind;                                                              \
        for (int64_t i = 0; i < n; i++) {                                                       \
            uint32_t bits = key[i], real = bits & sign ? bits ^ sign : ~bits & (sign | below);  \
            out[i] = (T)(kind == 'F' ? real : kind == 'I' ? bits ^ sign : bits);                \
        }                                                                                       \
    }
SMALL_ITEMS(1, uint8_t)
SMALL_ITEMS(2, uint16_t)

/* Rows of small items, by their keys as int32. */
static void small_rows(const work *k, const char *in, char *out, int64_t rows, uint32_t *key,
                       void *room) {
    const sortkey_order *o = &k->order, plain = sortkey_order_of(DT_I32);
    const int64_t n = k->c->sort.n, beside = k->c->sort.stride, lines = beside ? n : 1,
                  each = beside ? rows : rows * n;
    const size_t item = o->item, apart = (size_t)beside * item;
    for (int64_t i = 0; i < lines; i++) {
        const void *line = in + (size_t)i * apart;
        if (item == 1)
            keys_1(o, line, each, key + i * each);
        else
            keys_2(o, line, each, key + i * each);
    }
    sort_short(&plain, gpa_simd_bytes(), key, rows, n, beside ? rows : 0, key, room);
    for (int64_t i = 0; i < lines; i++) {
        void *line = out + (size_t)i * apart;
        if (item == 1)
            items_1(o, key + i * each, each, line);
        else
            items_2(o, key + i * each, each, line);
    }
    const size_t step = beside ? item : (size_t)n * item;
    for (int64_t r = 0; o->kind == 'F' && r < rows; r++)
        sortkey_restore_zeros(o, in + (size_t)r * step, n, beside ? beside : 1,
                              out + (size_t)r * step);
}

/* Packs the ranks of n items, relative to the lowest, above `places` bits of index, as unsigned
 * numbers. Where they do not fit, the low bits of the ranks are dropped: returns whether that may
 * change the order. */
#define RANKED_ITEMS(size, T)                                                                 \
    GPA_SIMD_CLONES static bool ranked_##size(const sortkey_order *o, const T *in, int64_t n, \
                                              int places, uint64_t *key) {                    \
        const uint64_t sign = o->sign, below = sign - 1, all = sign | below, nan = o->nan;    \
        const char kind = o->kind;                                                            \
        uint64_t low = UINT64_MAX, high = 0, differ = 0, first;                               \
        for (int64_t i = 0; i < n; i++) {                                                     \
            uint64_t bits = in[i], turned = bits & sign ? ~bits & all : bits | sign;          \
            uint64_t real = (bits & below) > nan ? all : bits == sign ? sign : turned;        \
            uint64_t rank = kind == 'F'   ? real                                              \
                            : kind == 'I' ? bits ^ sign                                       \
                            : kind == 'B' ? bits != 0                                         \
                                          : bits;                                             \
            key[i] = rank;                                                                    \
            low = rank < low ? rank : low;                                                    \
            high = rank > high ? rank : high;                                                 \
        }                                                                                     \
        first = key[0];                                                                       \
        const int drop = MAX(0, bits_of(high - low) + places - 63);                           \
        for (int64_t i = 0; i < n; i++) {                                                     \
            differ |= key[i] ^ first;                                                         \
            key[i] = (key[i] - low) >> drop << places | (uint64_t)i;                          \
        }                                                                                     \
        return drop && differ << (64 - drop);                                                 \
    }
RANKED_ITEMS(1, uint8_t)
RANKED_ITEMS(2, uint16_t)
RANKED_ITEMS(4, uint32_t)
RANKED_ITEMS(8, uint64_t)

/* Unpacks the indices of n sorted items; returns whether two ranks are equal. */
GPA_SIMD_CLONES static bool places_of(const uint64_t *key, int64_t n, int places, int64_t *out) {
    const uint64_t mask = (1ull << places) - 1;
    uint64_t alike = 0;
    for (int64_t i = 0; i < n; i++) out[i] = (int64_t)(key[i] & mask);
    for (int64_t i = 1; i < n; i++) alike |= (key[i - 1] ^ key[i]) <= mask;
    return alike;
}

/* Insertion sort of n indices by the full ranks; false if that takes too many steps. */
static bool mend_places(const sortkey_order *o, const char *items, int64_t n, uint64_t *rank,
                        int64_t *out) {
    int64_t steps = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        sortkey_load(items + (size_t)out[i] * o->item, o->item, 1, &bits);
        const uint64_t here = sortkey_rank(bits, o);
        const int64_t at = out[i];
        int64_t j = i;
        for (; j > 0 && rank[j - 1] > here; j--) rank[j] = rank[j - 1], out[j] = out[j - 1];
        rank[j] = here;
        out[j] = at;
        if ((steps += i - j) > STEPS * n) return false;
    }
    return true;
}

/* Argsort of rows from number `from` on; false: out of memory. */
static bool rank_rows(const work *k, int64_t from, int64_t rows, uint64_t *key, void *room) {
    const sortkey_order *o = &k->order, plain = sortkey_order_of(DT_I64);
    const int64_t n = k->c->sort.n;
    const int places = bits_of((uint64_t)n - 1);
    const char *in = k->in + (size_t)(from * n) * o->item;
    int64_t *out = (int64_t *)(void *)k->out + from * n;
    bool doubted[SORT_SHORT_ROWS];
    for (int64_t r = 0; r < rows; r++) {
        const void *items = in + (size_t)(r * n) * o->item;
        uint64_t *to = key + r * n;
        switch (o->item) {
            case 1: doubted[r] = ranked_1(o, items, n, places, to); break;
            case 2: doubted[r] = ranked_2(o, items, n, places, to); break;
            case 4: doubted[r] = ranked_4(o, items, n, places, to); break;
            default: doubted[r] = ranked_8(o, items, n, places, to);
        }
    }
    sort_short(&plain, gpa_simd_bytes(), key, rows, n, 0, key, room);
    for (int64_t r = 0; r < rows; r++) {
        bool alike = places_of(key + r * n, n, places, out + r * n);
        if (!doubted[r] || !alike ||
            mend_places(o, in + (size_t)(r * n) * o->item, n, key + r * n, out + r * n))
            continue;
        if (!sort_one(k, from + r, 1)) return false;
    }
    return true;
}

/* Complex rows from number `from` on. */
static bool complex_rows(const work *k, int64_t from, int64_t rows, uint64_t *key, void *room) {
    const int64_t n = k->c->sort.n, all = rows * n;
    complex_row w[SORT_SHORT_ROWS];
    void *block = mem_new((size_t)all * 2 * sizeof(uint64_t));
    if (!block) return false;
    uint64_t *keys = block;
    int64_t *places = k->ranks ? (int64_t *)(void *)k->out + from * n : (int64_t *)keys + all;
    const gpa_libcall c = {.kind = LIB_ARGSORT, .dtype = DT_U64, .sort = {.rows = rows, .n = n}};
    const work by = {.c = &c,
                     .stop = k->stop,
                     .order = sortkey_order_of(DT_U64),
                     .in = block,
                     .out = (char *)places,
                     .ranks = true};
    for (int64_t r = 0; r < rows; r++) {
        w[r] = complex_row_of(k, from + r, keys + r * n, places + r * n);
        complex_keys(&w[r], 0);
    }
    bool fits = rank_rows(&by, 0, rows, key, room);
    for (int64_t r = 0; r < rows && fits; r++) {
        fits = order_runs(k, &w[r], 1);
        if (fits && !k->ranks) complex_take(&w[r], 0);
    }
    mem_free(block);
    return fits;
}

/* Contiguous rows, or interleaved ones of one stack. */
static void some(void *arg, int64_t i) {
    work *k = arg;
    int64_t n = k->c->sort.n, beside = k->c->sort.stride, all = beside ? beside : k->c->sort.rows,
            groups = (all + SORT_SHORT_ROWS - 1) / SORT_SHORT_ROWS;
    int64_t from = i % groups * SORT_SHORT_ROWS;
    size_t at = (size_t)(beside ? i / groups * n * beside + from : from * n) * k->order.item;
    const size_t whole = (size_t)n * SORT_SHORT_ROWS * sizeof(uint64_t);
    void *block = mem_new(2 * whole + 64);
    if (!block) {
        __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
        return;
    }
    char *room = (char *)(((uintptr_t)block + 63) / 64 * 64);
    const int64_t rows = MIN(SORT_SHORT_ROWS, all - from);
    if (dtype_is_complex(k->c->dtype)) {
        if (!complex_rows(k, from, rows, (void *)(room + whole), room))
            __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
    } else if (k->ranks) {
        if (!rank_rows(k, from, rows, (void *)(room + whole), room))
            __atomic_store_n(&k->failed, true, __ATOMIC_RELAXED);
    } else if (k->order.item < 4)
        small_rows(k, k->in + at, k->out + at, rows, (void *)(room + whole), room);
    else
        sort_short(&k->order, gpa_simd_bytes(), k->in + at, rows, n, beside, k->out + at, room);
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
    int use = rows * c->sort.n < SHARED ? 1 : threads;
    if (c->sort.stride)
        threads_each(
            use, rows / c->sort.stride * ((c->sort.stride + SORT_SHORT_ROWS - 1) / SORT_SHORT_ROWS),
            stop, some, &k);
    else if (dtype_is_complex(c->dtype) && c->sort.n <= HANDFUL)
        threads_each(use, (rows + complex_each(c) - 1) / complex_each(c), stop, complex_few, &k);
    else if (c->sort.n <= (ranks && item == 1 ? BYTES : SORT_SHORT) && rows >= SORT_SHORT_ROWS / 2)
        threads_each(use, (rows + SORT_SHORT_ROWS - 1) / SORT_SHORT_ROWS, stop, some, &k);
    else if (rows >= threads)
        threads_each(use, rows, stop, one, &k);
    else
        for (int64_t i = 0; i < rows && !k.failed && !threads_stopped(stop); i++)
            k.failed = !sort_any(&k, i, threads);
    if (k.failed) return gpa_no_memory(e);
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
