/* Rows in memory and lanes of vectors: element i of row k is lane k of vector i. For work on many
 * short rows side by side. */
#ifndef GPA_CPU_PARALLEL_LANES_H
#define GPA_CPU_PARALLEL_LANES_H

#include <stdint.h>

enum { LANES_BYTES = 64, LANES_4 = 16, LANES_8 = 8 };
typedef int32_t lanes_4 __attribute__((vector_size(LANES_BYTES)));
typedef int64_t lanes_8 __attribute__((vector_size(LANES_BYTES)));

/* n elements of each of `rows` rows, which begin `step` elements apart, into n vectors; lanes
 * beyond the rows get the last one. */
void lanes_load_4(const int32_t *from, int64_t step, int64_t rows, int64_t n, lanes_4 *to);
void lanes_load_8(const int64_t *from, int64_t step, int64_t rows, int64_t n, lanes_8 *to);
/* As many elements of as many rows as there are lanes, one row after the other. */
void lanes_transpose_4(const int32_t *from, lanes_4 *to);
void lanes_transpose_8(const int64_t *from, lanes_8 *to);
/* The way back; lanes beyond the rows are left out. */
void lanes_store_4(const lanes_4 *from, int64_t n, int32_t *to, int64_t step, int64_t rows);
void lanes_store_8(const lanes_8 *from, int64_t n, int64_t *to, int64_t step, int64_t rows);
/* Both ways for rows that lie interleaved: an element of each side by side, the next ones `step`
 * elements on. */
void lanes_load_interleaved_4(const int32_t *from, int64_t step, int64_t rows, int64_t n,
                              lanes_4 *to);
void lanes_load_interleaved_8(const int64_t *from, int64_t step, int64_t rows, int64_t n,
                              lanes_8 *to);
void lanes_store_interleaved_4(const lanes_4 *from, int64_t n, int32_t *to, int64_t step,
                               int64_t rows);
void lanes_store_interleaved_8(const lanes_8 *from, int64_t n, int64_t *to, int64_t step,
                               int64_t rows);

#endif
