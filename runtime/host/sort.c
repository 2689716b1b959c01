/* Sorting and searching in host memory.
 *
 * LSD radix sort of unsigned keys in the order of the elements (sort_key.h): stable, with a fixed
 * number of passes; short rows by insertion. A partition splits by the highest digit and sorts only
 * the groups that hold a requested index. A complex number has several keys; a later one is
 * computed only where the earlier ones are equal. Reading order: keys, sorting, partitions,
 * argsort, calls, searching. */
#include "runtime/base/base.h"
#include "runtime/host/host.h"
#include "runtime/host/sort_key.h"

enum { SHORT = 40, MIDDLE = 3000, BLOCK = 1 << 20, MOST_PLACES = 64 };

/* ---- keys ---- */

/* The keys of a dtype: `part` is the order of a real element, or of the parts of a complex one. */
typedef struct {
    sortkey_order part;
    int levels; /* keys per element */
} key_rule;

static key_rule rule_of(gpa_dtype t) {
    if (!dtype_is_complex(t)) return (key_rule){sortkey_order_of(t), 1};
    return (key_rule){sortkey_order_of(t == DT_C64 ? DT_F32 : DT_F64), SORTKEY_COMPLEX};
}

static inline uint64_t key_of(const key_rule *k, const char *from, int64_t i, int level) {
    uint64_t bits[2] = {0};
    const size_t item = k->part.item;
    if (k->levels == 1) {
        sortkey_load(from + (size_t)i * item, item, 1, bits);
        return sortkey_rank(bits[0], &k->part);
    }
    sortkey_load(from + (size_t)(2 * i) * item, item, 2, bits);
    return sortkey_complex(bits[0], bits[1], level, &k->part);
}

/* ---- sorting ---- */

/* A key and the index of its element. */
typedef struct {
    uint64_t key;
    int64_t at;
} ranked;

static bool is_sorted_ranks(const ranked *r, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (r[i - 1].key > r[i].key) return false;
    return true;
}

/* Sorts n items of type T, whose key is KEY(item): few by insertion, many by LSD radix sort.
 * Returns the array with the result, r or spare; the result is incomplete when *stop is set
 * meanwhile. A digit that all keys share is skipped. */
#define SORT(name, T, KEY)                                                                         \
    static T *name(T *r, T *spare, int64_t n, int bits, int64_t *count, const atomic_bool *stop) { \
        const int digit = n <= MIDDLE ? 8 : 11;                                                    \
        const uint64_t places = 1ull << digit;                                                     \
        for (int64_t i = 1; n <= SHORT && i < n; i++) {                                            \
            T x = r[i];                                                                            \
            int64_t j = i;                                                                         \
            for (; j > 0 && KEY(r[j - 1]) > KEY(x); j--) r[j] = r[j - 1];                          \
            r[j] = x;                                                                              \
        }                                                                                          \
        for (int shift = 0; n > SHORT && shift < bits && !hostcall_stopped(stop);                  \
             shift += digit) {                                                                     \
            memset(count, 0, places * sizeof *count);                                              \
            for (int64_t i = 0; i < n; i++) count[KEY(r[i]) >> shift & (places - 1)]++;            \
            if (count[KEY(r[0]) >> shift & (places - 1)] == n) continue;                           \
            int64_t sum = 0;                                                                       \
            for (uint64_t d = 0; d < places; d++) {                                                \
                int64_t c = count[d];                                                              \
                count[d] = sum;                                                                    \
                sum += c;                                                                          \
            }                                                                                      \
            for (int64_t i = 0, end = 0; end < n && !hostcall_stopped(stop); i = end) {            \
                end = MIN(end + BLOCK, n);                                                         \
                for (; i < end; i++) spare[count[KEY(r[i]) >> shift & (places - 1)]++] = r[i];     \
            }                                                                                      \
            if (hostcall_stopped(stop)) break;                                                     \
            T *t = r;                                                                              \
            r = spare;                                                                             \
            spare = t;                                                                             \
        }                                                                                          \
        return r;                                                                                  \
    }
#define OWN_KEY(x) (x)
#define RANKED_KEY(x) ((x).key)
SORT(sort_keys, uint64_t, OWN_KEY)
SORT(sort_ranks, ranked, RANKED_KEY)
#undef SORT

/* Scratch memory of a row: ranks, or keys alone. */
typedef struct {
    ranked *r, *spare;
    uint64_t *key, *key_spare;
    int64_t *count;
    const atomic_bool *stop;
    void *block[2]; /* two blocks, as malloc returns a block of more than 32 MB to the system */
} scratch;

static void scratch_free(scratch *w) {
    mem_free(w->block[0]);
    mem_free(w->block[1]);
    mem_free(w->count);
}

static bool scratch_new(scratch *w, size_t n, bool ranks, const atomic_bool *stop) {
    const size_t size = n * (ranks ? sizeof *w->r : sizeof *w->key);
    void *at = NULL, *spare = NULL;
    *w = (scratch){.stop = stop,
                   .count = mem_new(sizeof *w->count << 11),
                   .block = {mem_large(size, &at), mem_large(size, &spare)}};
    if (ranks)
        w->r = at, w->spare = spare;
    else
        w->key = at, w->key_spare = spare;
    return w->count && w->block[0] && w->block[1];
}

/* ---- partitions ---- */

/* Keys that share the digit of some requested indices. */
typedef struct {
    int64_t from, to;
    int kth, n_kth; /* which indices */
} group;

/* State of a scatter by a digit: the bin of each digit, and the next offset of each bin. */
typedef struct {
    uint8_t of[1 << 11];
    int64_t next[2 * MOST_PLACES + 1];
} bins;

/* From the histogram of digits, the bins: adjacent digits without a requested index share one,
 * which keeps the number of write streams low; and the groups, which are digits with requested
 * indices; `first` is the index of the first item. Returns the number of groups. */
static int join_digits(const int64_t *count, uint64_t digits, int64_t first, const int64_t *kth,
                       int n_kth, bins *b, group *found) {
    int groups = 0, n = 0;
    bool open = false;
    int64_t at = 0;
    for (uint64_t d = 0; d < digits; d++) {
        group g = {.from = at,
                   .to = at + count[d],
                   .kth = groups ? found[groups - 1].kth + found[groups - 1].n_kth : 0};
        while (g.kth + g.n_kth < n_kth && kth[g.kth + g.n_kth] - first < g.to) g.n_kth++;
        if (g.n_kth) found[groups++] = g;
        if (g.n_kth || !open) b->next[n++] = at;
        open = !g.n_kth;
        b->of[d] = (uint8_t)(n - 1);
        at = g.to;
    }
    return groups;
}

static void place_keys(uint64_t *key, uint64_t *spare, int64_t n, int bits, int64_t first,
                       const int64_t *kth, int n_kth, scratch *w);

/* Sorts the groups of keys that were scattered into bins by the digit at `shift`. */
static void place_groups(uint64_t *key, uint64_t *spare, int shift, const group *found, int groups,
                         int64_t first, const int64_t *kth, scratch *w) {
    for (int i = 0; i < groups && shift && !hostcall_stopped(w->stop); i++) {
        const group *g = &found[i];
        place_keys(key + g->from, spare, g->to - g->from, shift, first + g->from, kth + g->kth,
                   g->n_kth, w);
    }
}

/* Partitions n keys, which differ in the lowest `bits` at most, at the indices kth, relative to
 * `first`. */
static void place_keys(uint64_t *key, uint64_t *spare, int64_t n, int bits, int64_t first,
                       const int64_t *kth, int n_kth, scratch *w) {
    int digit = MIN(bits, n <= MIDDLE ? 8 : 11), shift = bits - digit;
    uint64_t digits = 1ull << digit;
    group found[MOST_PLACES];
    bins b;
    if (n <= SHORT || !bits) {
        uint64_t *sorted = sort_keys(key, spare, n, bits, w->count, w->stop);
        if (sorted != key) memcpy(key, sorted, (size_t)n * sizeof *key);
        return;
    }
    memcpy(spare, key, (size_t)n * sizeof *key);
    memset(w->count, 0, digits * sizeof *w->count);
    for (int64_t i = 0; i < n; i++) w->count[spare[i] >> shift & (digits - 1)]++;
    int groups = join_digits(w->count, digits, first, kth, n_kth, &b, found);
    for (int64_t i = 0; i < n; i++)
        key[b.next[b.of[spare[i] >> shift & (digits - 1)]]++] = spare[i];
    place_groups(key, spare, shift, found, groups, first, kth, w);
}

/* The same for the elements of a row, whose keys are computed during the scatter by their highest
 * digit. */
static void place_values(const gpa_libcall *c, const char *in, int64_t n, const sortkey_order *o,
                         scratch *w) {
    size_t item = dtype_size(c->dtype);
    int bits = (int)item * 8, digit = MIN(bits, n <= MIDDLE ? 8 : 11), shift = bits - digit;
    uint64_t digits = 1ull << digit, *key = w->key;
    sortkey_order own = *o; /* a copy, which the compiler knows to be constant */
    group found[MOST_PLACES];
    bins b;
    int groups = 0;
    memset(w->count, 0, digits * sizeof *w->count);
#define PLACE(T)                                                                          \
    {                                                                                     \
        const T *x = (const void *)in;                                                    \
        for (int64_t i = 0; i < n; i++)                                                   \
            w->count[sortkey_of_bits(x[i], &own) >> shift & (digits - 1)]++;              \
        groups = join_digits(w->count, digits, 0, c->sort.kth, c->sort.n_kth, &b, found); \
        for (int64_t i = 0; i < n; i++) {                                                 \
            uint64_t k = sortkey_of_bits(x[i], &own);                                     \
            key[b.next[b.of[k >> shift & (digits - 1)]]++] = k;                           \
        }                                                                                 \
        break;                                                                            \
    }
    switch (item) {
        case 1: PLACE(uint8_t)
        case 2: PLACE(uint16_t)
        case 4: PLACE(uint32_t)
        case 8: PLACE(uint64_t)
    }
#undef PLACE
    place_groups(key, w->key_spare, shift, found, groups, 0, c->sort.kth, w);
}

static void sort_values(const gpa_libcall *c, const char *in, int64_t n, char *out, scratch *w) {
    sortkey_order o = sortkey_order_of(c->dtype);
    uint64_t *sorted = w->key;
    if (c->sort.n_kth > 0 && c->sort.n_kth <= MOST_PLACES) {
        place_values(c, in, n, &o, w);
    } else {
        sortkey_load(in, o.item, n, w->key);
        for (int64_t i = 0; i < n; i++) w->key[i] = sortkey_of_bits(w->key[i], &o);
        sorted = sort_keys(w->key, w->key_spare, n, (int)o.item * 8, w->count, w->stop);
    }
    for (int64_t i = 0; i < n; i++) sorted[i] = sortkey_to_bits(sorted[i], &o);
    sortkey_save(out, o.item, n, sorted);
    if (o.kind == 'F' && !c->sort.n_kth && !hostcall_stopped(w->stop))
        sortkey_restore_zeros(&o, in, n, 1, out);
}

/* ---- argsort ---- */

/* Argsort of a row: element r[i].at is the i-th. With n_kth > 0 only at the indices kth. */
typedef struct {
    scratch *w;
    key_rule rule;
    const char *from;
} ordered;

static void order_level(const ordered *o, int64_t lo, int64_t n, int level, const int64_t *kth,
                        int n_kth);

/* Orders runs of equal keys of a level, among n items from lo on, by the keys of the next level. */
static void order_ties(const ordered *o, int64_t lo, int64_t n, int level, const int64_t *kth,
                       int n_kth) {
    const ranked *r = o->w->r;
    if (level + 1 == o->rule.levels) return;
    for (int64_t i = lo, end; i < lo + n && !hostcall_stopped(o->w->stop); i = end) {
        int within = 0;
        for (end = i + 1; end < lo + n && r[end].key == r[i].key;) end++;
        for (; n_kth && *kth < i; n_kth--) kth++;
        while (within < n_kth && kth[within] < end) within++;
        if (end - i > 1 && (within || !n_kth)) order_level(o, i, end - i, level + 1, kth, within);
        if (n_kth && within == n_kth) return;
    }
}

/* Orders n items from lo on, whose keys differ in the lowest `bits` at most, by their keys and the
 * levels after. */
static void order_keys(const ordered *o, int64_t lo, int64_t n, int bits, int level,
                       const int64_t *kth, int n_kth) {
    scratch *w = o->w;
    ranked *r = w->r + lo, *spare = w->spare + lo;
    group found[MOST_PLACES];
    bins b;
    bool sorted = is_sorted_ranks(r, n);
    if (!sorted && n_kth && n > MIDDLE) {
        const int digit = MIN(bits, 11), shift = bits - digit;
        const uint64_t digits = 1ull << digit;
        memcpy(spare, r, (size_t)n * sizeof *r);
        memset(w->count, 0, digits * sizeof *w->count);
        for (int64_t i = 0; i < n; i++) w->count[spare[i].key >> shift & (digits - 1)]++;
        int groups = join_digits(w->count, digits, lo, kth, n_kth, &b, found);
        for (int64_t i = 0; i < n; i++)
            r[b.next[b.of[spare[i].key >> shift & (digits - 1)]]++] = spare[i];
        for (int i = 0; i < groups && !hostcall_stopped(w->stop); i++)
            order_keys(o, lo + found[i].from, found[i].to - found[i].from, shift, level,
                       kth + found[i].kth, found[i].n_kth);
        return;
    }
    if (!sorted && sort_ranks(r, spare, n, bits, w->count, w->stop) == spare)
        memcpy(r, spare, (size_t)n * sizeof *r);
    order_ties(o, lo, n, level, kth, n_kth);
}

static void order_level(const ordered *o, int64_t lo, int64_t n, int level, const int64_t *kth,
                        int n_kth) {
    ranked *r = o->w->r + lo;
    const key_rule rule = o->rule; /* a copy, which the compiler knows to be constant */
    const char *from = o->from;
    for (int64_t i = 0; i < n; i++) r[i].key = key_of(&rule, from, r[i].at, level);
    order_keys(o, lo, n, (int)o->rule.part.item * 8, level, kth, n_kth);
}

/* Argsort of n elements. */
static const ranked *order(const gpa_libcall *c, const char *from, scratch *w) {
    ordered o = {w, rule_of(c->dtype), from};
    for (int64_t i = 0; i < c->sort.n; i++) w->r[i].at = i;
    order_level(&o, 0, c->sort.n, 0, c->sort.kth, c->sort.n_kth <= MOST_PLACES ? c->sort.n_kth : 0);
    return w->r;
}

/* Writes the indices of an order, or the elements themselves. */
static void write_order(const ranked *r, int64_t n, bool arg, const char *row, size_t item,
                        char *out) {
#define ELEMENTS(bytes)             \
    for (int64_t i = 0; i < n; i++) \
    memcpy(out + (size_t)i * (bytes), row + (size_t)r[i].at * (bytes), bytes)
    if (arg)
        for (int64_t i = 0; i < n; i++) ((int64_t *)(void *)out)[i] = r[i].at;
    else if (item == sizeof(gpa_c64))
        ELEMENTS(sizeof(gpa_c64));
    else
        ELEMENTS(sizeof(gpa_c128));
#undef ELEMENTS
}

/* ---- calls ---- */

gpa_code hostcall_sort(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                       gpa_err *e) {
    const void *in = x->in[0];
    void *out = x->out[0];
    int64_t n = call->sort.n;
    bool arg = call->kind == LIB_ARGSORT, ranks = arg || dtype_is_complex(call->dtype);
    size_t item = dtype_size(call->dtype),
           to = arg ? sizeof(int64_t) : item; /* only complex values are gathered by ranks */
    scratch w;
    if (n == 0) return GPA_OK;
    bool fits = scratch_new(&w, (size_t)n, ranks, stop);
    for (int64_t i = 0; i < call->sort.rows && fits && !hostcall_stopped(stop); i++) {
        const char *row = (const char *)in + (size_t)(call->sort.in.offset + i * n) * item;
        char *result = (char *)out + (size_t)(call->sort.out.offset + i * n) * to;
        if (!ranks) {
            sort_values(call, row, n, result, &w);
            continue;
        }
        write_order(order(call, row, &w), n, arg, row, item, result);
    }
    scratch_free(&w);
    if (!fits) return gpa_no_memory(e);
    return hostcall_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}

/* ---- searching ---- */

/* Keys of the elements a and v, most significant level first: one each, or those of a complex
 * number. */
typedef struct {
    int levels;
    uint64_t *a[SORTKEY_COMPLEX], *v[SORTKEY_COMPLEX];
} keys;

/* True if a[i] is before v[j], or, with `equal`, equal to it. */
static bool before(const keys *k, int64_t i, int64_t j, bool equal) {
    for (int r = 0; r < k->levels; r++)
        if (k->a[r][i] != k->v[r][j]) return k->a[r][i] < k->v[r][j];
    return equal;
}

gpa_code hostcall_search(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                         gpa_err *e) {
    const void *a = x->in[0], *v = x->in[1];
    const int64_t na = call->search.n, nv = call->search.count;
    const bool right = call->search.right;
    int64_t *out = x->out[0];
    key_rule rule = rule_of(call->dtype);
    keys k = {.levels = rule.levels};
    bool fits = true;
    for (int r = 0; r < k.levels; r++) {
        k.a[r] = mem_new((size_t)na * sizeof **k.a);
        k.v[r] = mem_new((size_t)nv * sizeof **k.v);
        fits = fits && k.a[r] && k.v[r];
        if (!fits) continue;
        for (int64_t i = 0; i < na; i++) k.a[r][i] = key_of(&rule, a, i, r);
        for (int64_t i = 0; i < nv; i++) k.v[r][i] = key_of(&rule, v, i, r);
    }
    for (int64_t j = 0; j < nv && fits && !hostcall_stopped(stop); j++) {
        int64_t lo = 0, hi = na;
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            if (before(&k, mid, j, right))
                lo = mid + 1;
            else
                hi = mid;
        }
        out[j] = lo;
    }
    for (int r = 0; r < k.levels; r++) {
        mem_free(k.a[r]);
        mem_free(k.v[r]);
    }
    if (!fits) return gpa_no_memory(e);
    return hostcall_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
