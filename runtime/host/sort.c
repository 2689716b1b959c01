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
#include "runtime/tables/tuning.h"

enum { MAX_DIGIT_BITS = 11, MAX_DIGITS = 1 << MAX_DIGIT_BITS };

static int digit_bits(int64_t n) {
    return n <= TUNE_HOST_SORT_SHORT_DIGITS_MAX ? 8 : MAX_DIGIT_BITS;
}

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
    int64_t index;
} ranked;

static bool is_sorted_ranks(const ranked *r, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (r[i - 1].key > r[i].key) return false;
    return true;
}

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
                   .count = mem_new(sizeof *w->count * MAX_DIGITS),
                   .block = {mem_large(size, &at), mem_large(size, &spare)}};
    if (ranks)
        w->r = at, w->spare = spare;
    else
        w->key = at, w->key_spare = spare;
    return w->count && w->block[0] && w->block[1];
}

#define NAME(f) f##_keys
#define T uint64_t
#define KEY(x) (x)
#include "runtime/host/sort_radix.inc"
#undef NAME
#undef T
#undef KEY
#define NAME(f) f##_ranks
#define T ranked
#define KEY(x) ((x).key)
#include "runtime/host/sort_radix.inc"
#undef NAME
#undef T
#undef KEY

/* ---- partitions ---- */

/* The requested indices, ascending, as indices of a whole row; the items begin at index `first`. */
typedef struct {
    const int64_t *kth;
    int n_kth;
    int64_t first;
} selection;

/* Items from .. to - 1, which share a digit and hold some requested indices. */
typedef struct {
    int64_t from, to;
    int kth, n_kth; /* which indices */
} group;

/* A scatter by a digit: the groups; the bin of each digit, and the next offset of each bin. */
typedef struct {
    scratch *w;
    int n_groups;
    group groups[TUNE_HOST_PARTITION_MAX_KTH];
    uint8_t bin[MAX_DIGITS];
    int64_t next[2 * TUNE_HOST_PARTITION_MAX_KTH + 1];
} partition_step;

/* From the histogram of digits, the groups, which are digits with requested indices, and the bins:
 * adjacent digits without a requested index share one, which keeps the number of write streams
 * low. */
static void find_groups(const int64_t *count, uint64_t digits, const selection *s,
                        partition_step *p) {
    int groups = 0, n = 0;
    bool open = false;
    int64_t at = 0;
    for (uint64_t d = 0; d < digits; d++) {
        group g = {.from = at,
                   .to = at + count[d],
                   .kth = groups ? p->groups[groups - 1].kth + p->groups[groups - 1].n_kth : 0};
        while (g.kth + g.n_kth < s->n_kth && s->kth[g.kth + g.n_kth] - s->first < g.to) g.n_kth++;
        if (g.n_kth) p->groups[groups++] = g;
        if (g.n_kth || !open) p->next[n++] = at;
        open = !g.n_kth;
        p->bin[d] = (uint8_t)(n - 1);
        at = g.to;
    }
    p->n_groups = groups;
}

/* The requested indices in a group of the items of s. */
static selection group_selection(const selection *s, const group *g) {
    return (selection){s->kth + g->kth, g->n_kth, s->first + g->from};
}

static void partition_keys(uint64_t *key, int64_t n, int bits, const selection *s, scratch *w);

/* Partitions the groups of keys that were scattered by the digit at `shift`. */
static void partition_groups(uint64_t *key, int shift, const selection *s,
                             const partition_step *p) {
    for (int i = 0; i < p->n_groups && shift && !hostcall_stopped(p->w->stop); i++) {
        const group *g = &p->groups[i];
        const selection inner = group_selection(s, g);
        partition_keys(key + g->from, g->to - g->from, shift, &inner, p->w);
    }
}

/* Partitions n keys, which differ in the lowest `bits` at most. */
static void partition_keys(uint64_t *key, int64_t n, int bits, const selection *s, scratch *w) {
    const int digit = MIN(bits, digit_bits(n)), shift = bits - digit;
    const uint64_t digits = 1ull << digit;
    uint64_t *spare = w->key_spare;
    partition_step p;
    p.w = w;
    if (n <= TUNE_HOST_SORT_INSERTION_MAX || !bits) {
        uint64_t *sorted = sort_keys(key, spare, n, bits, w);
        if (sorted != key) memcpy(key, sorted, (size_t)n * sizeof *key);
        return;
    }
    memcpy(spare, key, (size_t)n * sizeof *key);
    memset(w->count, 0, digits * sizeof *w->count);
    for (int64_t i = 0; i < n; i++) w->count[spare[i] >> shift & (digits - 1)]++;
    find_groups(w->count, digits, s, &p);
    for (int64_t i = 0; i < n; i++)
        key[p.next[p.bin[spare[i] >> shift & (digits - 1)]]++] = spare[i];
    partition_groups(key, shift, s, &p);
}

#define TEMPLATE "runtime/host/sort_partition.inc"
#include "runtime/host/word_sizes.inc"

/* Partitions the elements of a row to keys: their highest digit is computed during the scatter. */
static void partition_values(const gpa_libcall *c, const char *in, const sortkey_order *o,
                             scratch *w) {
    const int64_t n = c->sort.n;
    const int bits = (int)o->item * 8, shift = bits - MIN(bits, digit_bits(n));
    const selection s = {c->sort.kth, c->sort.n_kth, 0};
    partition_step p;
    p.w = w;
    switch (o->item) {
        case 1: scatter_1(in, n, o, shift, &s, &p); break;
        case 2: scatter_2(in, n, o, shift, &s, &p); break;
        case 4: scatter_4(in, n, o, shift, &s, &p); break;
        default: scatter_8(in, n, o, shift, &s, &p);
    }
    partition_groups(w->key, shift, &s, &p);
}

static void sort_values(const gpa_libcall *c, const char *in, int64_t n, char *out, scratch *w) {
    sortkey_order o = sortkey_order_of(c->dtype);
    uint64_t *sorted = w->key;
    if (c->sort.n_kth > 0 && c->sort.n_kth <= TUNE_HOST_PARTITION_MAX_KTH) {
        partition_values(c, in, &o, w);
    } else {
        sortkey_load(in, o.item, n, w->key);
        for (int64_t i = 0; i < n; i++) w->key[i] = sortkey_of_bits(w->key[i], &o);
        sorted = sort_keys(w->key, w->key_spare, n, (int)o.item * 8, w);
    }
    for (int64_t i = 0; i < n; i++) sorted[i] = sortkey_to_bits(sorted[i], &o);
    sortkey_save(out, o.item, n, sorted);
    if (o.kind == 'F' && !c->sort.n_kth && !hostcall_stopped(w->stop))
        sortkey_restore_zeros(&o, in, n, 1, out);
}

/* ---- argsort ---- */

/* Argsort of a row: element r[i].index is the i-th. With n_kth > 0 only at the indices kth. */
typedef struct {
    scratch *w;
    key_rule rule;
    const char *from;
} ranking;

static void rank_level(const ranking *o, int64_t n, int level, const selection *s);

/* Orders runs of equal keys of a level by the keys of the next level. */
static void rank_ties(const ranking *o, int64_t n, int level, const selection *s) {
    const ranked *r = o->w->r;
    const int64_t *kth = s->kth, end_all = s->first + n;
    int n_kth = s->n_kth;
    if (level + 1 == o->rule.levels) return;
    for (int64_t i = s->first, end; i < end_all && !hostcall_stopped(o->w->stop); i = end) {
        int within = 0;
        for (end = i + 1; end < end_all && r[end].key == r[i].key;) end++;
        for (; n_kth && *kth < i; n_kth--) kth++;
        while (within < n_kth && kth[within] < end) within++;
        if (end - i > 1 && (within || !n_kth))
            rank_level(o, end - i, level + 1, &(selection){kth, within, i});
        if (n_kth && within == n_kth) return;
    }
}

/* Orders n items, whose keys differ in the lowest `bits` at most, by their keys and the levels
 * after. */
static void rank_keys(const ranking *o, int64_t n, int bits, int level, const selection *s) {
    scratch *w = o->w;
    ranked *r = w->r + s->first, *spare = w->spare + s->first;
    const bool sorted = is_sorted_ranks(r, n);
    if (!sorted && s->n_kth && n > TUNE_HOST_SORT_SHORT_DIGITS_MAX) {
        const int digit = MIN(bits, MAX_DIGIT_BITS), shift = bits - digit;
        const uint64_t digits = 1ull << digit;
        partition_step p;
        p.w = w;
        memcpy(spare, r, (size_t)n * sizeof *r);
        memset(w->count, 0, digits * sizeof *w->count);
        for (int64_t i = 0; i < n; i++) w->count[spare[i].key >> shift & (digits - 1)]++;
        find_groups(w->count, digits, s, &p);
        for (int64_t i = 0; i < n; i++)
            r[p.next[p.bin[spare[i].key >> shift & (digits - 1)]]++] = spare[i];
        for (int i = 0; i < p.n_groups && !hostcall_stopped(w->stop); i++) {
            const group *g = &p.groups[i];
            const selection inner = group_selection(s, g);
            rank_keys(o, g->to - g->from, shift, level, &inner);
        }
        return;
    }
    if (!sorted && sort_ranks(r, spare, n, bits, w) == spare)
        memcpy(r, spare, (size_t)n * sizeof *r);
    rank_ties(o, n, level, s);
}

static void rank_level(const ranking *o, int64_t n, int level, const selection *s) {
    ranked *r = o->w->r + s->first;
    const key_rule rule = o->rule; /* a copy, which the compiler knows to be constant */
    const char *from = o->from;
    for (int64_t i = 0; i < n; i++) r[i].key = key_of(&rule, from, r[i].index, level);
    rank_keys(o, n, (int)o->rule.part.item * 8, level, s);
}

/* Argsort of n elements. */
static const ranked *rank_row(const gpa_libcall *c, const char *from, scratch *w) {
    const ranking o = {w, rule_of(c->dtype), from};
    const selection s = {c->sort.kth,
                         c->sort.n_kth <= TUNE_HOST_PARTITION_MAX_KTH ? c->sort.n_kth : 0, 0};
    for (int64_t i = 0; i < c->sort.n; i++) w->r[i].index = i;
    rank_level(&o, c->sort.n, 0, &s);
    return w->r;
}

/* Writes the elements of a row, of `item` bytes, in their order. */
static inline __attribute__((always_inline)) void gather_ranked(const ranked *r, int64_t n,
                                                                const char *row, size_t item,
                                                                char *out) {
    for (int64_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * item, row + (size_t)r[i].index * item, item);
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
        const ranked *r = rank_row(call, row, &w);
        if (arg)
            for (int64_t k = 0; k < n; k++) ((int64_t *)(void *)result)[k] = r[k].index;
        else if (item == sizeof(gpa_c64))
            gather_ranked(r, n, row, sizeof(gpa_c64), result);
        else
            gather_ranked(r, n, row, sizeof(gpa_c128), result);
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
static bool precedes(const keys *k, int64_t i, int64_t j, bool equal) {
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
            if (precedes(&k, mid, j, right))
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
