/* Byte intervals of affine index maps: region.h.
 *
 * A range of a linear index is a union of boxes: the ends of its first and last row along each
 * dimension, and whole rows in between. A box is a few intervals where its outer strides leave
 * gaps; beyond REGION_MAX_INTERVALS the gaps between the innermost ones are included. */
#include "runtime/ranks/region.h"

#include "runtime/base/base.h"

enum { REGION_MAX_INTERVALS = 4096 };

typedef struct {
    int64_t stride, n;
} extent;

typedef struct {
    region_emit emit;
    void *user;
    int64_t item;
} sink;

/* ---- boxes ---- */

/* The extents in ascending order of strides, which are made positive: returns how many, those with
 * one element or stride 0 left out, and moves *first to the lowest element. */
static int order_extents(extent *x, int n, int64_t *first) {
    int used = 0;
    for (int i = 0; i < n; i++) {
        extent now = x[i];
        if (now.n <= 1 || now.stride == 0) continue;
        if (now.stride < 0) *first += now.stride * (now.n - 1), now.stride = -now.stride;
        int at = used++;
        for (; at > 0 && x[at - 1].stride > now.stride; at--) x[at] = x[at - 1];
        x[at] = now;
    }
    return used;
}

/* The intervals of a box of extents x, its first element at `first`. */
static bool box(const sink *s, extent *x, int n, int64_t first) {
    n = order_extents(x, n, &first);
    int64_t length = 1, count = 1, at[REGION_MAX_DIMS] = {0};
    int inner = 0;
    bool exact = true;
    for (; inner < n && x[inner].stride <= length; inner++)
        length += x[inner].stride * (x[inner].n - 1);
    for (int i = n - 1; i >= inner; i--) {
        if (count <= REGION_MAX_INTERVALS && x[i].n <= REGION_MAX_INTERVALS / count) {
            count *= x[i].n;
            continue;
        }
        exact = false; /* this and all below it become one interval */
        for (; inner <= i; inner++) length += x[inner].stride * (x[inner].n - 1);
    }
    for (;;) {
        int64_t from = first;
        for (int i = inner; i < n; i++) from += at[i] * x[i].stride;
        if (!s->emit(s->user, from * s->item, (from + length) * s->item, exact)) return false;
        int i = inner;
        while (i < n && ++at[i] == x[i].n) at[i++] = 0;
        if (i == n) return true;
    }
}

/* ---- ranges ---- */

typedef struct {
    const region *r;
    const sink *s;
} ranges;

/* The points [lo, hi) of the linear index over the divided dimensions from k on. */
static bool range(const ranges *g, int k, int64_t lo, int64_t hi, int64_t first) {
    const region *r = g->r;
    int64_t row = 1;
    if (lo >= hi) return true;
    for (int i = k + 1; i < r->divided; i++) row *= r->size[i];
    if (k < r->divided) {
        int64_t from = lo / row, to = hi / row, stride = r->stride[k];
        if (from == to || lo % row) { /* the end of a row */
            int64_t end = MIN(hi, (from + 1) * row);
            if (!range(g, k + 1, lo - from * row, end - from * row, first + from * stride))
                return false;
            from++;
        }
        if (from > to) return true;
        if (hi % row && !range(g, k + 1, 0, hi - to * row, first + to * stride)) return false;
        if (from == to) return true;
        extent x[REGION_MAX_DIMS];
        int n = 0;
        x[n++] = (extent){stride, to - from};
        for (int i = k + 1; i < r->ndim; i++) x[n++] = (extent){r->stride[i], r->size[i]};
        return box(g->s, x, n, first + from * stride);
    }
    extent x[REGION_MAX_DIMS];
    int n = 0;
    for (int i = r->divided; i < r->ndim; i++) x[n++] = (extent){r->stride[i], r->size[i]};
    return box(g->s, x, n, first);
}

bool region_intervals(const region *r, region_emit emit, void *user) {
    const sink s = {emit, user, r->item};
    const ranges g = {.r = r, .s = &s};
    for (int i = 0; i < r->ndim; i++)
        if (r->size[i] == 0) return true;
    return range(&g, 0, r->lo, r->hi, r->offset);
}
