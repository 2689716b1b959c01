/* Sorts the columns of each row of a CSR matrix in host memory, and sums duplicates.
 *
 * A column and the index of its value are packed into 64 bits, so that the sort is stable. Short
 * rows are sorted by counting ranks, medium ones by insertion, the others by LSD radix sort. */
#include "runtime/base/base.h"
#include "runtime/host/host.h"
#include "runtime/host/sum_dtypes.h"
#include "runtime/base/simd_clones.h"

/* SHORT: columns ranked by counting; FEW: sorted by insertion; DIGIT: bits; LOOK: rows between two
 * polls of *stop. */
enum { SHORT = 16, FEW = 48, DIGIT = 8, DIGITS = 1 << DIGIT, LOOK = 256 };

static bool ascends(const int32_t *column, int64_t n) {
    bool all = true;
    for (int64_t k = 1; k < n; k++) all &= column[k - 1] < column[k];
    return all;
}

bool hostcall_csr_is_canonical(const host_csr *a) {
    for (int64_t i = 0; i < a->m; i++)
        if (!ascends(a->column + a->start[i], a->start[i + 1] - a->start[i])) return false;
    return true;
}

/* Sorts up to SHORT columns, of which the first belongs to value number `first`. */
static GPA_SIMD_CLONES void order_short(const int32_t *column, int32_t n, uint64_t first,
                                        uint64_t *out) {
    int32_t own[SHORT], before[SHORT] = {0};
    for (int i = 0; i < SHORT; i++) own[i] = i < n ? column[i] : 0;
    for (int32_t j = 0; j < n; j++) {
        const int32_t c = column[j];
        for (int i = 0; i < SHORT; i++) before[i] += c < own[i] + (j < i);
    }
    for (int i = 0; i < n; i++)
        out[before[i]] = (uint64_t)(uint32_t)own[i] << 32 | (first + (uint64_t)i);
}

/* LSD radix sort of n > 0 items by their upper halves; returns the array with the result. */
static uint64_t *order_long(uint64_t *key, uint64_t *spare, int64_t n) {
    uint64_t differ = 0;
    for (int64_t k = 1; k < n; k++) differ |= key[k] ^ key[0];
    for (int shift = 32; shift < 64; shift += DIGIT) {
        int64_t place[DIGITS] = {0}, before = 0;
        if (!(differ >> shift & (DIGITS - 1))) continue;
        for (int64_t k = 0; k < n; k++) place[key[k] >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) {
            const int64_t here = place[d];
            place[d] = before;
            before += here;
        }
        for (int64_t k = 0; k < n; k++) spare[place[key[k] >> shift & (DIGITS - 1)]++] = key[k];
        uint64_t *ordered = spare;
        spare = key;
        key = ordered;
    }
    return key;
}

/* Sorts row i; `key` and `spare` are scratch of its size. */
static const uint64_t *order_row(const host_csr *a, int64_t i, uint64_t *key, uint64_t *spare) {
    const int32_t first = a->start[i], n = a->start[i + 1] - first;
    if (n <= SHORT) {
        order_short(a->column + first, n, (uint64_t)first, key);
        return key;
    }
    for (int32_t k = 0; k < n; k++) {
        const uint64_t x = (uint64_t)(uint32_t)a->column[first + k] << 32 | (uint64_t)(first + k);
        int32_t at = k;
        for (; n <= FEW && at && key[at - 1] > x; at--) key[at] = key[at - 1];
        key[at] = x;
    }
    return n <= FEW ? key : order_long(key, spare, n);
}

/* Writes row i of r, sorted, from `to` on; with `adding` duplicates are summed. Returns the end. */
#define ORDERED(id, T, ADD)                                                                   \
    static int32_t ordered_##id(const host_csr *r, int64_t i, bool adding, uint64_t *key,     \
                                uint64_t *spare, int32_t to, int32_t *column, void *values) { \
        const int32_t first = r->start[i], n = r->start[i + 1] - first, begin = to;           \
        const T *at = r->at;                                                                  \
        T *out = values;                                                                      \
        if (ascends(r->column + first, n)) {                                                  \
            memcpy(column + to, r->column + first, (size_t)n * sizeof *column);               \
            memcpy(out + to, at + first, (size_t)n * sizeof *out);                            \
            return to + n;                                                                    \
        }                                                                                     \
        const uint64_t *in = order_row(r, i, key, spare);                                     \
        for (int32_t k = 0; k < n; k++) {                                                     \
            const T a = at[(uint32_t)in[k]];                                                  \
            const int32_t where = (int32_t)(in[k] >> 32);                                     \
            T c = a;                                                                          \
            if (adding && to > begin && column[to - 1] == where) {                            \
                c = out[--to];                                                                \
                ADD;                                                                          \
            }                                                                                 \
            column[to] = where;                                                               \
            out[to++] = c;                                                                    \
        }                                                                                     \
        return to;                                                                            \
    }
SUM_TYPES(ORDERED)
#undef ORDERED

typedef int32_t ordered_row(const host_csr *, int64_t, bool, uint64_t *, uint64_t *, int32_t,
                            int32_t *, void *);

static ordered_row *ordered_of(gpa_dtype t) {
#define SUM(id, T, ADD) \
    if (t == DT_##id) return ordered_##id;
    SUM_TYPES(SUM)
#undef SUM
    return NULL;
}

bool hostcall_can_sum(gpa_dtype t) { return ordered_of(t) != NULL; }

gpa_code hostcall_csr_sort_columns(gpa_dtype t, const host_csr *a, bool adding, int32_t *start,
                                   int32_t *column, void *at, const atomic_bool *stop, gpa_err *e) {
    ordered_row *ordered = ordered_of(t);
    int64_t longest = SHORT;
    for (int64_t i = 0; i < a->m; i++) longest = MAX(longest, a->start[i + 1] - a->start[i]);
    uint64_t *room = mem_new((size_t)longest * 2 * sizeof *room);
    gpa_code rc = room ? GPA_OK : gpa_no_memory(e);
    start[0] = 0;
    for (int64_t i = 0; i < a->m && !rc; i++) {
        start[i + 1] = ordered(a, i, adding, room, room + longest, start[i], column, at);
        if (i % LOOK == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    mem_free(room);
    return rc;
}
