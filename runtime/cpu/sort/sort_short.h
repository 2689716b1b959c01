/* Rows of few elements, sorted side by side: a lane of the vectors is a row, and all take part in
 * the same comparisons, those of Batcher's networks (Knuth, The Art of Computer Programming, volume
 * 3, 5.2.2 and 5.3.4), which do not depend on the data. */
#ifndef GPA_CPU_SORT_SORT_SHORT_H
#define GPA_CPU_SORT_SORT_SHORT_H

#include "runtime/host/sort_key.h"

enum { SORT_SHORT = 1024, SORT_SHORT_ROWS = 16 }; /* elements of a row at most; rows of a call */

/* Sorts `rows` rows, at most SORT_SHORT_ROWS, of n elements of 4 or 8 bytes each from `in` to
 * `out`, by vectors of `width` bytes (gpa_simd_bytes, or fewer). They follow each other, or lie
 * interleaved: then neighbours of a row are `beside` elements apart. The room is for
 * SORT_SHORT_ROWS * n numbers of 8 bytes. */
void sort_short(const sortkey_order *o, int width, const void *in, int64_t rows, int64_t n,
                int64_t beside, void *out, void *room);

#endif
