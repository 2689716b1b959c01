/* Sorting and searching in host memory.
 *
 * Every element gets an unsigned key whose order is the element's (sortkey.h). Keys are sorted by digits, least first, which is stable and
 * takes the same few passes whatever the data; short rows by insertion. Where only some places count, they are sorted by the
 * highest digit and then only those that share a place's. A complex number has three keys and is sorted by
 * each in turn. Reading order: keys, sorting, places, calls, searching. */
#include "runtime/base.h"
#include "runtime/hostcall.h"
#include "runtime/sortkey.h"

enum { SHORT = 40, MIDDLE = 3000, BLOCK = 1 << 20, MOST_PLACES = 64 };

/* ---- keys ---- */

static uint64_t real_key(gpa_dtype t, const void *from) {
    sortkey_order o = sortkey_order_of(t);
    uint64_t bits = 0;
    sortkey_load(from, o.item, 1, &bits);
    return sortkey_rank(bits, &o);
}

/* The three keys of a complex number, least significant first: NumPy puts a NaN imaginary part behind all numbers, a NaN
 * real part behind that, and both last. */
enum { KEY_IM, KEY_RE, KEY_CLASS, COMPLEX_KEYS };

static uint64_t complex_key(gpa_dtype part, const void *re, const void *im, bool bad_re, bool bad_im, int which) {
    if (which == KEY_CLASS) return (uint64_t)bad_re * 2 + bad_im;
    if (which == KEY_RE) return bad_re ? 0 : real_key(part, re);
    return bad_im ? 0 : real_key(part, im);
}

/* The keys of n elements; `which` for complex dtypes. Returns the bits that a key may use. */
static int make_keys(gpa_dtype t, const void *from, int64_t n, int which, uint64_t *key) {
#define COMPLEX(T, part)                                                                                                 \
    {                                                                                                                    \
        const T *p = from;                                                                                               \
        for (int64_t i = 0; i < n; i++)                                                                                  \
            key[i] = complex_key(part, &p[i].re, &p[i].im, p[i].re != p[i].re, p[i].im != p[i].im, which);               \
    }
    if (t == DT_C64) COMPLEX(gpa_c64, DT_F32)
    if (t == DT_C128) COMPLEX(gpa_c128, DT_F64)
#undef COMPLEX
    if (dtype_is_complex(t)) return which == KEY_CLASS ? 2 : 64;
    sortkey_order o = sortkey_order_of(t);
    sortkey_load(from, o.item, n, key);
    for (int64_t i = 0; i < n; i++) key[i] = sortkey_rank(key[i], &o);
    return (int)o.item * 8;
}

/* ---- sorting ---- */

/* A key and where its element stands. */
typedef struct {
    uint64_t key;
    int64_t at;
} ranked;

static bool is_sorted_ranks(const ranked *r, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (r[i - 1].key > r[i].key) return false;
    return true;
}

/* Sorts n items of type T, whose key is KEY(item): few by insertion, many by one digit after another. Returns where the
 * result is, r or spare; the order is not reached when *stop is set meanwhile. A digit that all keys share is passed over. */
#define SORT(name, T, KEY)                                                                                      \
    static T *name(T *r, T *spare, int64_t n, int bits, int64_t *count, const atomic_bool *stop) {               \
        const int digit = n <= MIDDLE ? 8 : 11;                                                                 \
        const uint64_t places = 1ull << digit;                                                                  \
        for (int64_t i = 1; n <= SHORT && i < n; i++) {                                                         \
            T x = r[i];                                                                                         \
            int64_t j = i;                                                                                      \
            for (; j > 0 && KEY(r[j - 1]) > KEY(x); j--) r[j] = r[j - 1];                                       \
            r[j] = x;                                                                                           \
        }                                                                                                       \
        for (int shift = 0; n > SHORT && shift < bits && !hostcall_stopped(stop); shift += digit) {             \
            memset(count, 0, places * sizeof *count);                                                           \
            for (int64_t i = 0; i < n; i++) count[KEY(r[i]) >> shift & (places - 1)]++;                         \
            if (count[KEY(r[0]) >> shift & (places - 1)] == n) continue;                                        \
            int64_t sum = 0;                                                                                    \
            for (uint64_t d = 0; d < places; d++) {                                                             \
                int64_t c = count[d];                                                                           \
                count[d] = sum;                                                                                 \
                sum += c;                                                                                       \
            }                                                                                                   \
            for (int64_t i = 0, end = 0; end < n && !hostcall_stopped(stop); i = end) {                         \
                end = MIN(end + BLOCK, n);                                                                      \
                for (; i < end; i++) spare[count[KEY(r[i]) >> shift & (places - 1)]++] = r[i];                  \
            }                                                                                                   \
            if (hostcall_stopped(stop)) break;                                                                  \
            T *t = r;                                                                                           \
            r = spare;                                                                                          \
            spare = t;                                                                                          \
        }                                                                                                       \
        return r;                                                                                               \
    }
#define OWN_KEY(x) (x)
#define RANKED_KEY(x) ((x).key)
SORT(sort_keys, uint64_t, OWN_KEY)
SORT(sort_ranks, ranked, RANKED_KEY)
#undef SORT

/* Room for sorting rows. */
typedef struct {
    ranked *r, *spare;
    uint64_t *key, *key_spare;
    int64_t *count;
    const atomic_bool *stop;
} room;

static void room_free(room *w) {
    mem_free(w->r);
    mem_free(w->spare);
    mem_free(w->key);
    mem_free(w->key_spare);
    mem_free(w->count);
}

static bool room_new(room *w, size_t n, bool ranks, const atomic_bool *stop) {
    *w = (room){.stop = stop, .key = mem_new(n * sizeof *w->key), .count = mem_new(sizeof *w->count << 11)};
    if (ranks) {
        w->r = mem_new(n * sizeof *w->r);
        w->spare = mem_new(n * sizeof *w->spare);
    } else {
        w->key_spare = mem_new(n * sizeof *w->key_spare);
    }
    return w->key && w->count && (ranks ? w->r && w->spare : w->key_spare != NULL);
}

/* The order of n elements: element [i].at comes i-th. */
static const ranked *order(gpa_dtype t, const char *from, int64_t n, room *w) {
    int rounds = dtype_is_complex(t) ? COMPLEX_KEYS : 1;
    for (int64_t i = 0; i < n; i++) w->r[i].at = i;
    for (int k = 0; k < rounds; k++) {
        int bits = make_keys(t, from, n, k, w->key);
        for (int64_t i = 0; i < n; i++) w->r[i].key = w->key[w->r[i].at];
        if (is_sorted_ranks(w->r, n)) continue;
        ranked *sorted = sort_ranks(w->r, w->spare, n, bits, w->count, w->stop);
        if (sorted != w->r) {
            w->spare = w->r;
            w->r = sorted;
        }
    }
    return w->r;
}

/* ---- places ---- */

/* Keys that share the digit of some places. */
typedef struct {
    int64_t from, to;
    int kth, n_kth; /* which places */
} group;

/* The counts of digits become where each begins. */
static void begin_digits(int64_t *count, uint64_t digits) {
    int64_t sum = 0;
    for (uint64_t d = 0; d < digits; d++) {
        int64_t c = count[d];
        count[d] = sum;
        sum += c;
    }
}

static void place_keys(uint64_t *key, uint64_t *spare, int64_t n, int bits, int64_t first, const int64_t *kth, int n_kth, room *w);

/* In n keys, sorted by the digit at `shift` so that count[d] is the end of those with digit d, what shares a place's digit is
 * sorted further. */
static void place_groups(uint64_t *key, uint64_t *spare, int shift, uint64_t digits, int64_t first, const int64_t *kth, int n_kth, room *w) {
    group found[MOST_PLACES];
    int groups = 0;
    for (int i = 0; i < n_kth;) {
        uint64_t d = key[kth[i] - first] >> shift & (digits - 1);
        group g = {.from = d ? w->count[d - 1] : 0, .to = w->count[d], .kth = i};
        for (; i < n_kth && kth[i] - first < g.to; i++) g.n_kth++;
        found[groups++] = g;
    }
    for (int i = 0; i < groups && shift && !hostcall_stopped(w->stop); i++) {
        const group *g = &found[i];
        place_keys(key + g->from, spare, g->to - g->from, shift, first + g->from, kth + g->kth, g->n_kth, w);
    }
}

/* Puts n keys, whose lowest `bits` may differ, in order as far as the places kth, counted from `first`, ask. */
static void place_keys(uint64_t *key, uint64_t *spare, int64_t n, int bits, int64_t first, const int64_t *kth, int n_kth, room *w) {
    int digit = MIN(bits, n <= MIDDLE ? 8 : 11), shift = bits - digit;
    uint64_t digits = 1ull << digit;
    if (n <= SHORT || !bits) {
        uint64_t *sorted = sort_keys(key, spare, n, bits, w->count, w->stop);
        if (sorted != key) memcpy(key, sorted, (size_t)n * sizeof *key);
        return;
    }
    memcpy(spare, key, (size_t)n * sizeof *key);
    memset(w->count, 0, digits * sizeof *w->count);
    for (int64_t i = 0; i < n; i++) w->count[spare[i] >> shift & (digits - 1)]++;
    begin_digits(w->count, digits);
    for (int64_t i = 0; i < n; i++) key[w->count[spare[i] >> shift & (digits - 1)]++] = spare[i];
    place_groups(key, spare, shift, digits, first, kth, n_kth, w);
}

/* The same for the elements of a row, whose keys are made as they are put where their highest digit belongs. */
static void place_values(const gpa_libcall *c, const char *in, int64_t n, const sortkey_order *o, room *w) {
    size_t item = dtype_size(c->dtype);
    int bits = (int)item * 8, digit = MIN(bits, n <= MIDDLE ? 8 : 11), shift = bits - digit;
    uint64_t digits = 1ull << digit, *key = w->key;
    sortkey_order own = *o; /* the compiler knows that nothing changes it */
    memset(w->count, 0, digits * sizeof *w->count);
#define PLACE(T)                                                                                                    \
    {                                                                                                               \
        const T *x = (const void *)in;                                                                              \
        for (int64_t i = 0; i < n; i++) w->count[sortkey_of_bits(x[i], &own) >> shift & (digits - 1)]++;     \
        begin_digits(w->count, digits);                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                           \
            uint64_t k = sortkey_of_bits(x[i], &own);                                                        \
            key[w->count[k >> shift & (digits - 1)]++] = k;                                                         \
        }                                                                                                           \
        break;                                                                                                      \
    }
    switch (item) {
    case 1: PLACE(uint8_t)
    case 2: PLACE(uint16_t)
    case 4: PLACE(uint32_t)
    case 8: PLACE(uint64_t)
    }
#undef PLACE
    place_groups(key, w->key_spare, shift, digits, 0, c->sort.places, c->sort.n_places, w);
}

static void sort_values(const gpa_libcall *c, const char *in, int64_t n, char *out, room *w) {
    sortkey_order o = sortkey_order_of(c->dtype);
    uint64_t *sorted = w->key;
    if (c->sort.n_places > 0 && c->sort.n_places <= MOST_PLACES) {
        place_values(c, in, n, &o, w);
    } else {
        sortkey_load(in, o.item, n, w->key);
        for (int64_t i = 0; i < n; i++) w->key[i] = sortkey_of_bits(w->key[i], &o);
        sorted = sort_keys(w->key, w->key_spare, n, (int)o.item * 8, w->count, w->stop);
    }
    for (int64_t i = 0; i < n; i++) sorted[i] = sortkey_to_bits(sorted[i], &o);
    sortkey_save(out, o.item, n, sorted);
    if (o.kind == 'F' && !c->sort.n_places && !hostcall_stopped(w->stop)) sortkey_mend_zeros(&o, in, n, out);
}

/* ---- calls ---- */

gpa_code hostcall_sort(const gpa_libcall *call, const void *in, void *out, const atomic_bool *stop, gpa_err *e) {
    int64_t n = call->sort.n;
    gpa_dtype t = call->dtype;
    bool arg = call->kind == LIB_ARGSORT, ranks = arg || dtype_is_complex(t);
    size_t item = dtype_size(t), to = arg ? sizeof(int64_t) : item;
    room w;
    if (n == 0) return GPA_OK;
    bool fits = room_new(&w, (size_t)n, ranks, stop);
    for (int64_t i = 0; i < call->sort.rows && fits && !hostcall_stopped(stop); i++) {
        const char *row = (const char *)in + (size_t)(call->sort.in.offset + i * n) * item;
        char *result = (char *)out + (size_t)(call->sort.out.offset + i * n) * to;
        if (!ranks) {
            sort_values(call, row, n, result, &w);
            continue;
        }
        const ranked *r = order(t, row, n, &w);
        for (int64_t k = 0; k < n && !hostcall_stopped(stop); k++, result += to)
            memcpy(result, arg ? (const char *)&r[k].at : row + (size_t)r[k].at * item, to);
    }
    room_free(&w);
    if (!fits) return gpa_no_memory(e);
    return hostcall_stopped(stop) ? gpa_fail(e, GPA_E_INTERRUPT, "%s", "") : GPA_OK;
}

/* ---- searching ---- */

/* Keys of the elements a and v, the most significant first: one each, or those of a complex number. */
typedef struct {
    int rounds;
    uint64_t *a[COMPLEX_KEYS], *v[COMPLEX_KEYS];
} keys;

/* Whether a[i] is before v[j], or, with `equal`, the same. */
static bool before(const keys *k, int64_t i, int64_t j, bool equal) {
    for (int r = 0; r < k->rounds; r++)
        if (k->a[r][i] != k->v[r][j]) return k->a[r][i] < k->v[r][j];
    return equal;
}

gpa_code hostcall_search(gpa_dtype t, const void *a, int64_t na, const void *v, int64_t nv, bool right, int64_t *out,
                         const atomic_bool *stop, gpa_err *e) {
    keys k = {.rounds = dtype_is_complex(t) ? COMPLEX_KEYS : 1};
    bool fits = true;
    for (int r = 0; r < k.rounds; r++) {
        k.a[r] = mem_new((size_t)na * sizeof **k.a);
        k.v[r] = mem_new((size_t)nv * sizeof **k.v);
        fits = fits && k.a[r] && k.v[r];
        if (!fits) continue;
        make_keys(t, a, na, k.rounds - 1 - r, k.a[r]);
        make_keys(t, v, nv, k.rounds - 1 - r, k.v[r]);
    }
    for (int64_t j = 0; j < nv && fits && !hostcall_stopped(stop); j++) {
        int64_t lo = 0, hi = na;
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            if (before(&k, mid, j, right)) lo = mid + 1;
            else hi = mid;
        }
        out[j] = lo;
    }
    for (int r = 0; r < k.rounds; r++) {
        mem_free(k.a[r]);
        mem_free(k.v[r]);
    }
    if (!fits) return gpa_no_memory(e);
    return hostcall_stopped(stop) ? gpa_fail(e, GPA_E_INTERRUPT, "%s", "") : GPA_OK;
}
