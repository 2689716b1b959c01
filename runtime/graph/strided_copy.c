/* Strided copy over collapsed dimensions, a row at a time. */
#include "runtime/graph/strided_copy.h"

#include <string.h>

#include "runtime/graph/shape.h"
#include "runtime/runtime.h"

/* Copies a row of n elements; each element size has a loop that the compiler can unroll. */
static void copy_row(char *to, int64_t ts, const char *from, int64_t fs, size_t item, int64_t n) {
    if (ts == 1 && fs == 1) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    ts *= (int64_t)item;
    fs *= (int64_t)item;
#define ROW(bytes) \
    for (int64_t i = 0; i < n; i++, to += ts, from += fs) memcpy(to, from, bytes)
    switch (item) {
        case 1: ROW(1); break;
        case 2: ROW(2); break;
        case 4: ROW(4); break;
        case 8: ROW(8); break;
        case 16: ROW(16); break;
        default: ROW(item); break;
    }
#undef ROW
}

void strided_copy(void *to, const int64_t *to_strides, const void *from,
                  const int64_t *from_strides, const strided_elems *x) {
    const size_t item = x->item;
    int ndim = x->ndim;
    int64_t size[GPA_MAX_DIMS], a[GPA_MAX_DIMS], b[GPA_MAX_DIMS], at[GPA_MAX_DIMS];
    for (int d = 0; d < ndim; d++) {
        size[d] = x->shape[d];
        a[d] = to_strides[d];
        b[d] = from_strides[d];
        if (x->shape[d] == 0) return;
    }
    ndim = shape_collapse(ndim, size, 2, (int64_t *[]){a, b});
    if (ndim == 0) {
        memcpy(to, from, item);
        return;
    }
    char *t = to;
    const char *f = from;
    int last = ndim - 1;
    memset(at, 0, (size_t)last * sizeof *at);
    for (;;) {
        copy_row(t, a[last], f, b[last], item, size[last]);
        int d = last - 1;
        for (; d >= 0; d--) {
            t += a[d] * (int64_t)item;
            f += b[d] * (int64_t)item;
            if (++at[d] < size[d]) break;
            t -= a[d] * size[d] * (int64_t)item;
            f -= b[d] * size[d] * (int64_t)item;
            at[d] = 0;
        }
        if (d < 0) return;
    }
}
