/* Reading from a copy instead of from the original, which is about to be overwritten. */
#ifndef GPA_GRAPH_REDIRECT_H
#define GPA_GRAPH_REDIRECT_H

#include "runtime/graph/node.h"

/* Elements `offset` to `offset + size - 1` of `from` are those of `to`, from its start. */
typedef struct {
    gpa_buf *from, *to;
    gpa_dtype dtype;
    int64_t offset, size;
} node_copy;

/* *out: the value of a, read from the copy; NULL if it cannot be: it reads other elements of the
 * original, or something in a is neither elementwise nor a leaf. */
gpa_code node_redirect(gpa_rt *rt, node *a, const node_copy *c, node **out, gpa_err *e);

#endif
