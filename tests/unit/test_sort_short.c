/* Sorting networks of short rows, one row per SIMD lane: every vector width of the processor,
 * against qsort. */
#include "unit.h"

#include <stdlib.h>

#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/sort/sort_short.h"
#include "runtime/base/simd_clones.h"

enum { MOST = SORT_SHORT_ROWS * SORT_SHORT };

static uint64_t state = 1;

static uint64_t next(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 16;
}

/* Random bits of an element: special values, many ties. */
static uint64_t any_bits(gpa_dtype t) {
    const sortkey_order o = sortkey_order_of(t);
    const uint64_t all = o.sign | (o.sign - 1), special[] = {0,         o.sign,
                                                             o.nan,     o.nan | o.sign,
                                                             o.nan + 1, (o.nan + 5) | o.sign,
                                                             all,       o.sign - 1};
    uint64_t r = next();
    if (r % 4 == 0) return special[r / 4 % (sizeof special / sizeof *special)];
    return r % 4 == 1 ? r / 4 % 8 : (next() << 32 ^ next()) & all;
}

typedef struct {
    uint64_t rank, bits;
    int64_t at;
} element;

static int compare(const void *a, const void *b) {
    const element *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* A row is sorted: stable, and NaN last, with any payload. */
static void check_row(const sortkey_order *o, const char *in, const char *out, int64_t n) {
    element *e = test_malloc((size_t)n * sizeof *e);
    for (int64_t i = 0; i < n; i++) {
        e[i] = (element){.at = i};
        sortkey_load(in + (size_t)i * o->item, o->item, 1, &e[i].bits);
        e[i].rank = sortkey_rank(e[i].bits, o);
    }
    qsort(e, (size_t)n, sizeof *e, compare);
    for (int64_t i = 0; i < n; i++) {
        uint64_t got = 0;
        sortkey_load(out + (size_t)i * o->item, o->item, 1, &got);
        if (o->kind == 'F' && (e[i].bits & ~o->sign) > o->nan)
            assert_true((got & ~o->sign) > o->nan);
        else
            assert_int_equal(got, e[i].bits);
    }
    test_free(e);
}

/* Contiguous rows; the same rows interleaved, with gaps between them. */
static void check_rows(gpa_dtype t, int width, int64_t rows, int64_t n, void *scratch) {
    const sortkey_order o = sortkey_order_of(t);
    static uint64_t in[MOST], out[MOST], interleaved[MOST + 3 * SORT_SHORT],
        sorted[MOST + 3 * SORT_SHORT];
    const int64_t apart = rows + (int64_t)(next() % 4);
    for (int64_t i = 0; i < rows * n; i++) {
        uint64_t bits = any_bits(t);
        sortkey_save((char *)in + (size_t)i * o.item, o.item, 1, &bits);
    }
    sort_short(&o, width, &(sort_short_rows){rows, n, 0}, in, out, scratch);
    for (int64_t k = 0; k < rows; k++)
        check_row(&o, (char *)in + (size_t)(k * n) * o.item, (char *)out + (size_t)(k * n) * o.item,
                  n);
    for (int64_t k = 0; k < rows; k++)
        for (int64_t i = 0; i < n; i++)
            memcpy((char *)interleaved + (size_t)(i * apart + k) * o.item,
                   (char *)in + (size_t)(k * n + i) * o.item, o.item);
    memset(sorted, 0x5a, sizeof sorted);
    sort_short(&o, width, &(sort_short_rows){rows, n, apart}, interleaved, sorted, scratch);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < apart; k++) {
            const char *got = (char *)sorted + (size_t)(i * apart + k) * o.item;
            if (k < rows)
                assert_memory_equal(got, (char *)out + (size_t)(k * n + i) * o.item, o.item);
            else
                assert_int_equal(*got, 0x5a);
        }
}

static void rows_of_every_length_come_out_in_order(void **unused) {
    (void)unused;
    static const gpa_dtype dtypes[] = {DT_F32, DT_F64, DT_I32, DT_I64, DT_U32, DT_U64};
    static const int64_t lengths[] = {63,  64,  65,  96,  100, 112, 127, 128,  129,  200,
                                      255, 256, 257, 300, 511, 513, 700, 1000, 1023, 1024};
    void *scratch = aligned_alloc(LANES_BYTES, MOST * sizeof(uint64_t));
    assert_non_null(scratch);
    for (int width = gpa_simd_bytes(); width >= 16; width /= 2)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            for (int64_t n = 1; n <= 50; n++)
                check_rows(dtypes[d], width, 1 + (int64_t)(next() % SORT_SHORT_ROWS), n, scratch);
            for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
                check_rows(dtypes[d], width, SORT_SHORT_ROWS, lengths[k], scratch);
        }
    free(scratch);
}

UNIT_TESTS(TEST(rows_of_every_length_come_out_in_order))
