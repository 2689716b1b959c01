/* Graphs rewritten from their leaves up: reshape, and reading from a copy. */
#ifndef GPA_GRAPH_REWRITE_H
#define GPA_GRAPH_REWRITE_H

#include "runtime/graph/node.h"

/* The same elements in C order under another shape of the same size; *out NULL (and GPA_OK) when
 * the reshape is not an affine map of a and cannot be pushed down to its leaves: then a must be
 * computed first. */
gpa_code node_reshape(gpa_rt *rt, node *a, int ndim, const int64_t *shape, node **out, gpa_err *e);

/* A copy of elements of a buffer, which is about to be overwritten: elements `offset` to
 * `offset + size - 1` of `from` are those of `to`, from its start. */
typedef struct {
    gpa_buf *from, *to;
    gpa_dtype dtype;
    int64_t offset, size;
} node_copy;

/* *out: the value of a, read from the copy; NULL if it cannot be: it reads other elements of the
 * original, or something in a is neither elementwise nor a leaf. */
gpa_code node_redirect(gpa_rt *rt, node *a, const node_copy *c, node **out, gpa_err *e);

#endif
