/* Stores: fused programs that write into an array's existing memory. */
#ifndef GPA_ARRAY_STORE_H
#define GPA_ARRAY_STORE_H

#include "runtime/array/array.h"

/* Prepares `a` for a write by anything but the functions below (an upload, a library call, a
 * kernel): computes its storage and every pending array that reads it. */
gpa_code store_begin(gpa_rt *rt, gpa_arr *a, gpa_err *e);
/* target[...] = value where mask. `value` is cast and broadcast to the target; `mask` (NULL:
 * everywhere) is a bool node, broadcast too. The target may overlap arrays that value and mask
 * read: the result is as if they were computed first. ValueError "assignment destination is
 * read-only". */
gpa_code store_node(gpa_rt *rt, gpa_arr *target, node *value, node *mask, gpa_err *e);
/* The same for a ufunc's out= and a boolean index. Where elements of the target share memory the
 * value that NumPy writes last stays: the last in C order, unless the value reads the target; in
 * store_node the last along axes sorted by stride, from lower to higher addresses. */
gpa_code store_result(gpa_rt *rt, gpa_arr *target, node *value, node *mask, gpa_err *e);
/* target[...] = from by swapping the buffers of their storages, without a copy: if both are
 * computed whole arrays of one dtype and size on one device that is not host-visible, and `from`
 * has no other holder. Pending work keeps the old contents. False: does not apply, nothing is
 * done. */
bool store_take(gpa_arr *target, gpa_arr *from);
/* A scatter over points of a shape: the coordinate along dimension k of the target is index[k], an
 * int64 node of that shape (wrapped and bounds-checked), or if NULL dimension from[k] of the shape.
 * All nodes have the shape. */
typedef struct {
    node *const *index;
    const int8_t *from;
    int ndim;
    const int64_t *shape;
    node *value;
    node *mask;     /* bool: stores, and checks bounds, only where true; NULL: everywhere */
    bool add;       /* scatter-add, for integers; else one of several values for an element stays */
    bool in_bounds; /* all indices are, and not negative: no bounds check */
    bool distinct;  /* no element is stored twice */
    gpa_arr *also;  /* a pending array to compute too, fused if possible; NULL: none */
} store_scatter_args;
/* target[index...] = value. */
gpa_code store_scatter(gpa_rt *rt, gpa_arr *target, const store_scatter_args *what, gpa_err *e);

#endif
