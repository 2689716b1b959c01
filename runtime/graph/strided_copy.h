/* Strided copy of N-dimensional host arrays. */
#ifndef GPA_GRAPH_STRIDED_COPY_H
#define GPA_GRAPH_STRIDED_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Copies elements of `item` bytes between two memory layouts of one shape; strides in elements. The
 * two must not overlap. */
void strided_copy(void *to, const int64_t *to_strides, const void *from,
                  const int64_t *from_strides, size_t item, int ndim, const int64_t *shape);

#endif
