/* Sorting networks for many short rows, one row per SIMD lane: Batcher's merge exchange (Knuth, The
 * Art of Computer Programming, volume 3, 5.2.2 and 5.3.4), whose comparisons do not depend on the
 * data. */
#ifndef GPA_CPU_SORT_SORT_SHORT_H
#define GPA_CPU_SORT_SORT_SHORT_H

#include "runtime/host/sort_key.h"

enum { SORT_SHORT = 1024, SORT_SHORT_ROWS = 16 }; /* most elements of a row; most rows of a call */

/* Sorts `rows` rows, at most SORT_SHORT_ROWS, of n elements of 4 or 8 bytes each from `in` to
 * `out`, by vectors of `width` bytes (gpa_simd_bytes, or fewer). The rows are contiguous, or
 * with `interleave` interleaved: consecutive elements of a row are that many elements apart.
 * `scratch` has SORT_SHORT_ROWS * n elements of 8 bytes. */
void sort_short(const sortkey_order *o, int width, const void *in, int64_t rows, int64_t n,
                int64_t interleave, void *out, void *scratch);

#endif
