/* Sorting networks for many short rows, one row per SIMD lane: Batcher's merge exchange (Knuth, The
 * Art of Computer Programming, volume 3, 5.2.2 and 5.3.4), whose comparisons do not depend on the
 * data. */
#ifndef GPA_CPU_SORT_SORT_SHORT_H
#define GPA_CPU_SORT_SORT_SHORT_H

#include "runtime/host/sort_key.h"

enum { SORT_SHORT = 1024, SORT_SHORT_ROWS = 16 }; /* most elements of a row; most rows of a call */

/* At most SORT_SHORT_ROWS rows of n elements: contiguous, or with `interleave` interleaved:
 * consecutive elements of a row are that many elements apart. */
typedef struct {
    int64_t rows, n, interleave;
} sort_short_rows;

/* Sorts rows of elements of 4 or 8 bytes from `in` to `out`, which may be `in`, by vectors of
 * `width` bytes (gpa_simd_bytes, or fewer). `scratch` has SORT_SHORT_ROWS * n elements of 8 bytes,
 * aligned as LANES_BYTES. */
void sort_short(const sortkey_order *o, int width, const sort_short_rows *r, const void *in,
                void *out, void *scratch);

#endif
