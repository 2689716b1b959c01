/* Sorting and searching in host memory.
 *
 * Every element gets an unsigned key whose order is the element's: integers by flipping the sign bit, floats by their bits
 * (negative ones complemented), with -0 as 0 and NaN last. Keys are sorted by digits, least first, which is stable and
 * takes the same few passes whatever the data; short rows by insertion. A complex number has three keys and is sorted by
 * each in turn. Reading order: keys, sorting, orders, calls, searching. */
#include "runtime/base.h"
#include "runtime/hostcall.h"

enum { SHORT = 40, MIDDLE = 3000 };

/* ---- keys ---- */

static uint64_t float_key(uint64_t bits, int width) {
    uint64_t sign = 1ull << (width - 1), all = sign | (sign - 1);
    if (bits == sign) bits = 0;
    return (bits & sign ? ~bits : bits | sign) & all;
}

static uint64_t key32(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return f != f ? UINT32_MAX : float_key(bits, 32);
}

static uint64_t key64(double f) {
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return f != f ? UINT64_MAX : float_key(bits, 64);
}

/* The three keys of a complex number, least significant first: NumPy puts a NaN imaginary part behind all numbers, a NaN
 * real part behind that, and both last. */
enum { KEY_IM, KEY_RE, KEY_CLASS, COMPLEX_KEYS };

static uint64_t complex_key(double re, double im, int which) {
    bool bad_re = re != re, bad_im = im != im;
    if (which == KEY_CLASS) return (uint64_t)bad_re * 2 + bad_im;
    if (which == KEY_RE) return bad_re ? 0 : key64(re);
    return bad_im ? 0 : key64(im);
}

/* The keys of n elements; `which` for complex dtypes. Returns the bits that a key may use. */
static int make_keys(gpa_dtype t, const void *from, int64_t n, int which, uint64_t *key) {
#define KEYS(T, expr)                                 \
    {                                                 \
        const T *p = from;                            \
        for (int64_t i = 0; i < n; i++) key[i] = expr; \
        break;                                        \
    }
    switch (t) {
    case DT_BOOL: KEYS(uint8_t, p[i] != 0)
    case DT_I8: KEYS(int8_t, (uint8_t)(p[i] ^ 0x80))
    case DT_I16: KEYS(int16_t, (uint16_t)(p[i] ^ 0x8000))
    case DT_I32: KEYS(int32_t, (uint32_t)p[i] ^ 0x80000000u)
    case DT_I64: KEYS(int64_t, (uint64_t)p[i] ^ 1ull << 63)
    case DT_U8: KEYS(uint8_t, p[i])
    case DT_U16: KEYS(uint16_t, p[i])
    case DT_U32: KEYS(uint32_t, p[i])
    case DT_U64: KEYS(uint64_t, p[i])
    case DT_F16: KEYS(uint16_t, (p[i] & 0x7fff) > 0x7c00 ? 0xffff : float_key(p[i], 16))
    case DT_BF16: KEYS(uint16_t, (p[i] & 0x7fff) > 0x7f80 ? 0xffff : float_key(p[i], 16))
    case DT_F32: KEYS(float, key32(p[i]))
    case DT_F64: KEYS(double, key64(p[i]))
    case DT_C64: KEYS(gpa_c64, complex_key((double)p[i].re, (double)p[i].im, which))
    case DT_C128: KEYS(gpa_c128, complex_key(p[i].re, p[i].im, which))
    case DT_COUNT: break;
    }
#undef KEYS
    if (dtype_is_complex(t)) return which == KEY_CLASS ? 2 : 64;
    return (int)dtype_size(t) * 8;
}

/* ---- sorting ---- */

/* A key and where its element stands. */
typedef struct {
    uint64_t key;
    int64_t at;
} ranked;

static void insert_sort(ranked *r, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        ranked x = r[i];
        int64_t j = i;
        for (; j > 0 && r[j - 1].key > x.key; j--) r[j] = r[j - 1];
        r[j] = x;
    }
}

/* Sorts by one digit after another; returns where the result is, r or spare. A digit that all keys share is passed over. */
static ranked *digit_sort(ranked *r, ranked *spare, int64_t n, int bits, int digit, int64_t *count) {
    int64_t places = (int64_t)1 << digit;
    for (int shift = 0; shift < bits; shift += digit) {
        memset(count, 0, (size_t)places * sizeof *count);
        for (int64_t i = 0; i < n; i++) count[r[i].key >> shift & (uint64_t)(places - 1)]++;
        if (count[r[0].key >> shift & (uint64_t)(places - 1)] == n) continue;
        int64_t sum = 0;
        for (int64_t d = 0; d < places; d++) {
            int64_t c = count[d];
            count[d] = sum;
            sum += c;
        }
        for (int64_t i = 0; i < n; i++) spare[count[r[i].key >> shift & (uint64_t)(places - 1)]++] = r[i];
        ranked *t = r;
        r = spare;
        spare = t;
    }
    return r;
}

/* Room for sorting rows of n. */
typedef struct {
    ranked *r, *spare;
    uint64_t *key;
    int64_t *count;
} room;

static ranked *sort_ranked(room *w, int64_t n, int bits) {
    bool sorted = true;
    for (int64_t i = 1; i < n && sorted; i++) sorted = w->r[i - 1].key <= w->r[i].key;
    if (sorted) return w->r;
    if (n <= SHORT) {
        insert_sort(w->r, n);
        return w->r;
    }
    return digit_sort(w->r, w->spare, n, bits, n <= MIDDLE ? 8 : 11, w->count);
}

/* The order of n elements: where[i] is the place of the one that comes i-th. */
static const ranked *order(gpa_dtype t, const char *from, int64_t n, room *w) {
    int rounds = dtype_is_complex(t) ? COMPLEX_KEYS : 1;
    for (int64_t i = 0; i < n; i++) w->r[i].at = i;
    for (int k = 0; k < rounds; k++) {
        int bits = make_keys(t, from, n, k, w->key);
        for (int64_t i = 0; i < n; i++) w->r[i].key = w->key[w->r[i].at];
        ranked *sorted = sort_ranked(w, n, bits);
        if (sorted != w->r) {
            w->spare = w->r;
            w->r = sorted;
        }
    }
    return w->r;
}

/* ---- calls ---- */

static void put_row(const gpa_libcall *call, const char *in, const ranked *r, char *out) {
    size_t item = dtype_size(call->dtype);
    int64_t n = call->sort.n;
    if (call->kind == LIB_ARGSORT) {
        for (int64_t i = 0; i < n; i++) memcpy(out + i * 8, &r[i].at, 8);
        return;
    }
#define PUT(bytes)                                                                                     \
    for (int64_t i = 0; i < n; i++) memcpy(out + i * bytes, in + r[i].at * bytes, bytes); \
    break
    switch (item) {
    case 1: PUT(1);
    case 2: PUT(2);
    case 4: PUT(4);
    case 8: PUT(8);
    case 16: PUT(16);
    }
#undef PUT
}

gpa_code hostcall_sort(const gpa_libcall *call, const void *in, void *out, gpa_err *e) {
    int64_t n = call->sort.n;
    size_t item = dtype_size(call->dtype), to = call->kind == LIB_ARGSORT ? sizeof(int64_t) : item;
    if (n == 0) return GPA_OK;
    room w = {mem_new((size_t)n * sizeof *w.r), mem_new((size_t)n * sizeof *w.spare), mem_new((size_t)n * sizeof *w.key),
              mem_new(((size_t)1 << 11) * sizeof *w.count)};
    bool short_of = !w.r || !w.spare || !w.key || !w.count;
    for (int64_t i = 0; i < call->sort.rows && !short_of; i++) {
        const char *row = (const char *)in + (size_t)(call->sort.in.offset + i * n) * item;
        put_row(call, row, order(call->dtype, row, n, &w), (char *)out + (size_t)(call->sort.out.offset + i * n) * to);
    }
    mem_free(w.r);
    mem_free(w.spare);
    mem_free(w.key);
    mem_free(w.count);
    return short_of ? gpa_no_memory(e) : GPA_OK;
}

/* ---- searching ---- */

static bool less(gpa_dtype t, const char *a, const char *b) {
    uint64_t ka, kb;
    for (int k = dtype_is_complex(t) ? COMPLEX_KEYS - 1 : 0; k >= 0; k--) {
        make_keys(t, a, 1, k, &ka);
        make_keys(t, b, 1, k, &kb);
        if (ka != kb) return ka < kb;
    }
    return false;
}

void hostcall_search(gpa_dtype t, const void *a, int64_t na, const void *v, int64_t nv, bool right, int64_t *out) {
    int64_t item = (int64_t)dtype_size(t);
    for (int64_t i = 0; i < nv; i++) {
        const char *x = (const char *)v + i * item;
        int64_t lo = 0, hi = na;
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            const char *y = (const char *)a + mid * item;
            if (right ? !less(t, x, y) : less(t, y, x)) lo = mid + 1;
            else hi = mid;
        }
        out[i] = lo;
    }
}
