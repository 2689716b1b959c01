/* Sorting networks for short rows: sort_short.h.
 *
 * Elements are mapped to signed integers of the same order: floats with the bits below the sign
 * flipped where it is set. One template (sort_network.h) makes the code for items of 4 and 8 bytes
 * and for the vector widths of several processors: GCC splits comparisons of wider vectors lane by
 * lane. */
#include "runtime/cpu/sort/sort_short.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "runtime/cpu/parallel/lanes.h"
#include "runtime/base/simd_clones.h"

/* Vectors sorted, and merged over a distance, in registers; bytes of results that are
 * prefetched. */
enum { RUN = 16, WIDEST = 8, AHEAD = 1 << 14 };

/* Before a loop of constant trip count over vectors in registers: unroll it. */
#ifdef __clang__
#define FEW _Pragma("clang loop unroll(full)")
#else
#define FEW _Pragma("GCC unroll 16")
#endif

#define T int32_t
#define MOST INT32_MAX
#define BYTES 16
#define TARGET GPA_TARGET_16
#define NAME(x) x##_4_16
#include "runtime/cpu/sort/sort_network.h"
#define T int64_t
#define MOST INT64_MAX
#define BYTES 16
#define TARGET GPA_TARGET_16
#define NAME(x) x##_8_16
#include "runtime/cpu/sort/sort_network.h"
#ifdef GPA_TARGET_64
#define T int32_t
#define MOST INT32_MAX
#define BYTES 32
#define TARGET GPA_TARGET_32
#define NAME(x) x##_4_32
#define EXTREME(which, a, b) (NAME(vec)) _mm256_##which##_epi32((__m256i)(a), (__m256i)(b))
#include "runtime/cpu/sort/sort_network.h"
#define T int64_t
#define MOST INT64_MAX
#define BYTES 32
#define TARGET GPA_TARGET_32
#define NAME(x) x##_8_32
#include "runtime/cpu/sort/sort_network.h"
#define T int32_t
#define MOST INT32_MAX
#define BYTES 64
#define TARGET GPA_TARGET_64
#define NAME(x) x##_4_64
#define EXTREME(which, a, b) (NAME(vec)) _mm512_##which##_epi32((__m512i)(a), (__m512i)(b))
#include "runtime/cpu/sort/sort_network.h"
#define T int64_t
#define MOST INT64_MAX
#define BYTES 64
#define TARGET GPA_TARGET_64
#define NAME(x) x##_8_64
#define EXTREME(which, a, b) (NAME(vec)) _mm512_##which##_epi64((__m512i)(a), (__m512i)(b))
#include "runtime/cpu/sort/sort_network.h"
#endif

#ifdef GPA_TARGET_64
#define SORT_LANES(size, width, ...)   \
    (width == 64   ? lanes_##size##_64 \
     : width == 32 ? lanes_##size##_32 \
                   : lanes_##size##_16)(__VA_ARGS__)
#else
#define SORT_LANES(size, width, ...) lanes_##size##_16(__VA_ARGS__)
#endif

/* Rows outside the cache are accessed a cache line of each in turn, which no hardware prefetcher
 * detects: adjacent bytes, those of the rows of the next call and of the results of this one, are
 * prefetched while lanes are sorted; results only where they fit as well. */
static void ask_ahead(const char *next, char *out, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += LANES_BYTES) __builtin_prefetch(next + i, 0, 2);
    for (int64_t i = 0; i < bytes && bytes <= AHEAD; i += LANES_BYTES)
        __builtin_prefetch(out + i, 1, 2);
}

#define SHORT(size, U)                                                                         \
    static void short_##size(const sortkey_order *o, int width, const U *in, int64_t rows,     \
                             int64_t n, int64_t interleave, U *out, void *scratch) {           \
        const U flip = o->kind == 'F' ? (U)(o->sign - 1) : 0,                                  \
                turn = o->kind == 'U' ? (U)o->sign : 0;                                        \
        if (interleave)                                                                        \
            lanes_load_interleaved_##size(in, interleave, rows, n, scratch);                   \
        else                                                                                   \
            lanes_load_##size(in, n, rows, n, scratch);                                        \
        if (!interleave) ask_ahead((const char *)(in + rows * n), (char *)out, rows *n *size); \
        bool zeros = SORT_LANES(size, width, scratch, n, flip, (U)o->nan, turn);               \
        if (interleave)                                                                        \
            lanes_store_interleaved_##size(scratch, n, out, interleave, rows);                 \
        else                                                                                   \
            lanes_store_##size(scratch, n, out, n, rows);                                      \
        const int64_t stride = interleave ? interleave : 1, step = interleave ? 1 : n;         \
        for (int64_t k = 0; zeros && k < rows; k++)                                            \
            sortkey_restore_zeros(o, (const char *)(in + k * step), n, stride,                 \
                                  (char *)(out + k * step));                                   \
    }
SHORT(4, int32_t)
SHORT(8, int64_t)

void sort_short(const sortkey_order *o, int width, const void *in, int64_t rows, int64_t n,
                int64_t interleave, void *out, void *scratch) {
    for (int64_t k = 0; o->item == 8 && k < rows; k += LANES_8) {
        int64_t at = interleave ? k : k * n;
        short_8(o, width, (const int64_t *)in + at, MIN(LANES_8, rows - k), n, interleave,
                (int64_t *)out + at, scratch);
    }
    if (o->item == 4) short_4(o, width, in, rows, n, interleave, out, scratch);
}
