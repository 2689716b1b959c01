/* Strided copy of N-dimensional host arrays. */
#ifndef GPA_GRAPH_STRIDED_COPY_H
#define GPA_GRAPH_STRIDED_COPY_H

#include <stddef.h>
#include <stdint.h>

/* The elements of an array, in any memory layout. */
typedef struct {
    size_t item; /* bytes of an element */
    int ndim;
    const int64_t *shape;
} strided_elems;

/* Copies elements between two memory layouts; strides in elements. The two must not overlap. */
void strided_copy(void *to, const int64_t *to_strides, const void *from,
                  const int64_t *from_strides, const strided_elems *x);

#endif
