/* Reductions of many slices of rows in host memory: what ufunc.reduceat asks for. */
#ifndef GPA_HOST_SEGMENTED_REDUCE_H
#define GPA_HOST_SEGMENTED_REDUCE_H

#include "runtime/tables/op.h"

/* Whether there is a way for a reduction of elements of type t, or of lines of them. */
bool host_segmented_can(gpa_red red, gpa_dtype t, bool lines);
/* Reduces, in each of `rows` rows of n lines of `wide` elements of type t, the m slices of lines
 * that begin at at[k] and end at the next one, or at n; where that is not behind it, a slice is one
 * line. Results lie one behind the other in `out`. All of `at` are places of a row. */
void host_segmented_reduce(gpa_red red, gpa_dtype t, const void *x, int64_t rows, int64_t n,
                           int64_t wide, const int64_t *at, int64_t m, void *out);

#endif
