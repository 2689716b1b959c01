/* Rows to SIMD lanes and back: element i of row k is lane k of vector i. For work on many short
 * rows, one row per lane. */
#ifndef GPA_CPU_PARALLEL_LANES_H
#define GPA_CPU_PARALLEL_LANES_H

#include <stdint.h>

enum { LANES_BYTES = 64, LANES_4 = 16, LANES_8 = 8 };
typedef int32_t lanes_4 __attribute__((vector_size(LANES_BYTES)));
typedef int64_t lanes_8 __attribute__((vector_size(LANES_BYTES)));

/* Loads n elements of each of `rows` rows, which begin `step` elements apart, into n vectors; spare
 * lanes repeat the last row. */
void lanes_load_4(const int32_t *from, int64_t step, int64_t rows, int64_t n, lanes_4 *to);
void lanes_load_8(const int64_t *from, int64_t step, int64_t rows, int64_t n, lanes_8 *to);
/* Transposes a square of as many contiguous rows and columns as there are lanes. */
void lanes_transpose_4(const int32_t *from, lanes_4 *to);
void lanes_transpose_8(const int64_t *from, lanes_8 *to);
/* Stores n vectors as rows; spare lanes are not stored. */
void lanes_store_4(const lanes_4 *from, int64_t n, int32_t *to, int64_t step, int64_t rows);
void lanes_store_8(const lanes_8 *from, int64_t n, int64_t *to, int64_t step, int64_t rows);
/* The same for interleaved rows: consecutive elements of a row are `step` elements apart, adjacent
 * rows one. */
void lanes_load_interleaved_4(const int32_t *from, int64_t step, int64_t rows, int64_t n,
                              lanes_4 *to);
void lanes_load_interleaved_8(const int64_t *from, int64_t step, int64_t rows, int64_t n,
                              lanes_8 *to);
void lanes_store_interleaved_4(const lanes_4 *from, int64_t n, int32_t *to, int64_t step,
                               int64_t rows);
void lanes_store_interleaved_8(const lanes_8 *from, int64_t n, int64_t *to, int64_t step,
                               int64_t rows);

#endif
