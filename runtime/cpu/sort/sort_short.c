/* Sorting networks for short rows: sort_short.h.
 *
 * Elements are mapped to signed integers of the same order: floats with the bits below the sign
 * flipped where it is set. One template (sort_network.inc) makes the code for items of 4 and 8
 * bytes and for the vector widths of several processors: GCC splits comparisons of wider vectors
 * lane by lane. */
#include "runtime/cpu/sort/sort_short.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "runtime/cpu/parallel/lanes.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum {
    RUN = 16 /* vectors sorted in registers */
};

/* The operation of a pass on the vectors in registers: sort, merge, or merge of two
 * ascending halves, of which the upper one is read in reverse. */
typedef enum { PASS_SORT, PASS_MERGE, PASS_FLIP } sort_pass;

/* Before a loop of constant trip count over vectors in registers: unroll it. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define T int32_t
#define MOST INT32_MAX
#define BYTES 16
#define TARGET GPA_TARGET_16
#define NAME(x) x##_4_16
#include "runtime/cpu/sort/sort_network.inc"
#define T int64_t
#define MOST INT64_MAX
#define BYTES 16
#define TARGET GPA_TARGET_16
#define NAME(x) x##_8_16
#include "runtime/cpu/sort/sort_network.inc"
#ifdef GPA_TARGET_64
#define T int32_t
#define MOST INT32_MAX
#define BYTES 32
#define TARGET GPA_TARGET_32
#define NAME(x) x##_4_32
#define EXTREME(which, a, b) (NAME(vec)) _mm256_##which##_epi32((__m256i)(a), (__m256i)(b))
#include "runtime/cpu/sort/sort_network.inc"
#define T int64_t
#define MOST INT64_MAX
#define BYTES 32
#define TARGET GPA_TARGET_32
#define NAME(x) x##_8_32
#include "runtime/cpu/sort/sort_network.inc"
#define T int32_t
#define MOST INT32_MAX
#define BYTES 64
#define TARGET GPA_TARGET_64
#define NAME(x) x##_4_64
#define EXTREME(which, a, b) (NAME(vec)) _mm512_##which##_epi32((__m512i)(a), (__m512i)(b))
#include "runtime/cpu/sort/sort_network.inc"
#define T int64_t
#define MOST INT64_MAX
#define BYTES 64
#define TARGET GPA_TARGET_64
#define NAME(x) x##_8_64
#define EXTREME(which, a, b) (NAME(vec)) _mm512_##which##_epi64((__m512i)(a), (__m512i)(b))
#include "runtime/cpu/sort/sort_network.inc"
#endif

#ifdef GPA_TARGET_64
#define BY_WIDTH(f) (width == 64 ? f##_64 : width == 32 ? f##_32 : f##_16)
#else
#define BY_WIDTH(f) f##_16
#endif

/* Rows outside the cache are accessed a cache line of each in turn, which no hardware prefetcher
 * detects: adjacent bytes, those of the rows of the next call and of the results of this one, are
 * prefetched while lanes are sorted; results only where they fit as well. */
static void prefetch_next(const char *next, char *out, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += LANES_BYTES) __builtin_prefetch(next + i, 0, 2);
    for (int64_t i = 0; i < bytes && bytes <= TUNE_SORT_PREFETCH_MAX_RESULT_BYTES; i += LANES_BYTES)
        __builtin_prefetch(out + i, 1, 2);
}

/* Rows to lanes, and back. */
static void load(size_t item, const sort_short_rows *r, const void *in, void *lanes) {
    if (item == 4 && r->interleave)
        lanes_load_interleaved_4(in, r->interleave, r->rows, r->n, lanes);
    else if (item == 4)
        lanes_load_4(in, r->n, r->rows, r->n, lanes);
    else if (r->interleave)
        lanes_load_interleaved_8(in, r->interleave, r->rows, r->n, lanes);
    else
        lanes_load_8(in, r->n, r->rows, r->n, lanes);
}

static void store(size_t item, const sort_short_rows *r, const void *lanes, void *out) {
    if (item == 4 && r->interleave)
        lanes_store_interleaved_4(lanes, r->n, out, r->interleave, r->rows);
    else if (item == 4)
        lanes_store_4(lanes, r->n, out, r->n, r->rows);
    else if (r->interleave)
        lanes_store_interleaved_8(lanes, r->n, out, r->interleave, r->rows);
    else
        lanes_store_8(lanes, r->n, out, r->n, r->rows);
}

/* Returns whether floats hold a -0. */
static bool sort_lanes(const sortkey_order *o, int width, int64_t n, void *lanes) {
    const uint64_t flip = o->kind == 'F' ? o->sign - 1 : 0, sign = o->kind == 'U' ? o->sign : 0;
    if (o->item == 4)
        return BY_WIDTH(lanes_4)(lanes, n, (int32_t)flip, (int32_t)o->nan, (int32_t)sign);
    return BY_WIDTH(lanes_8)(lanes, n, (int64_t)flip, (int64_t)o->nan, (int64_t)sign);
}

/* At most as many rows as there are lanes. */
static void sort_rows(const sortkey_order *o, int width, const sort_short_rows *r, const char *in,
                      char *out, void *scratch) {
    const int64_t item = (int64_t)o->item, step = (r->interleave ? 1 : r->n) * item;
    load(o->item, r, in, scratch);
    if (!r->interleave) prefetch_next(in + r->rows * step, out, r->rows * step);
    const bool zeros = sort_lanes(o, width, r->n, scratch);
    store(o->item, r, scratch, out);
    for (int64_t k = 0; zeros && k < r->rows; k++)
        sortkey_restore_zeros(o, in + k * step, r->n, r->interleave ? r->interleave : 1,
                              out + k * step);
}

void sort_short(const sortkey_order *o, int width, const sort_short_rows *r, const void *in,
                void *out, void *scratch) {
    const int64_t lanes = LANES_BYTES / (int64_t)o->item,
                  step = (r->interleave ? 1 : r->n) * (int64_t)o->item;
    for (int64_t k = 0; k < r->rows; k += lanes) {
        const sort_short_rows group = {MIN(lanes, r->rows - k), r->n, r->interleave};
        sort_rows(o, width, &group, (const char *)in + k * step, (char *)out + k * step, scratch);
    }
}
