/* Segmented reductions along one axis of host arrays (ufunc.reduceat). */
#ifndef GPA_HOST_SEGMENTED_REDUCE_H
#define GPA_HOST_SEGMENTED_REDUCE_H

#include "runtime/base/base.h"
#include "runtime/base/err.h"
#include "runtime/tables/op.h"

/* A reduction of segments of the middle axis of a C-ordered (rows, n, width) array `x`: segment k
 * begins at start[k] and ends at the next start, or at n for the last; where that is not behind its
 * begin, it is the one entry at start[k]. All starts are in bounds. `out` is (rows, count, width),
 * C-ordered. */
typedef struct {
    gpa_red red;
    gpa_dtype dtype;
    const void *x;
    int64_t rows, n, width;
    const int64_t *start;
    int64_t count;
    void *out;
} host_segmented;

/* True if the host has loops for the reduction in dtype t; `wide`: for width > 1. */
bool host_segmented_can(gpa_red red, gpa_dtype t, bool wide);
/* Reduces; GPA_E_INTERNAL where host_segmented_can is false. */
gpa_code host_segmented_reduce(const host_segmented *s, gpa_err *e);

/* Entries of segment k. */
static inline int64_t segment_length(const host_segmented *s, int64_t k) {
    return MAX((k + 1 < s->count ? s->start[k + 1] : s->n) - s->start[k], 1);
}

#endif
