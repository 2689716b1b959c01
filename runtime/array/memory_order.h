/* Running an operation in its operand's memory order (NumPy's order='K'), for operations of one
 * operand. */
#ifndef GPA_ARRAY_MEMORY_ORDER_H
#define GPA_ARRAY_MEMORY_ORDER_H

#include "runtime/array/array.h"

typedef struct {
    int ndim;               /* 0: C order, nothing is permuted */
    int perm[GPA_MAX_DIMS]; /* the axes, largest stride first */
    bool copied;            /* sorted as for a copy, else as by NumPy's iterator */
    gpa_arr *operand;       /* of memory_order_enter: with the axes sorted (owned) */
} axis_order;

/* o->operand: `a` with its axes sorted by stride, as for a copy (broadcast axes innermost) or as
 * by NumPy's iterator (broadcast axes keep their position); *axis becomes that axis's new position.
 * Call memory_order_leave_take afterwards, also after a failure. */
gpa_code memory_order_enter(gpa_rt *rt, gpa_arr *a, bool copied, int *axis, axis_order *o,
                            gpa_err *e);
/* The new position of an axis; o->ndim is not 0. */
int memory_order_axis(const axis_order *o, int axis);
/* Ends it with the operation's code and result: *out is `made`, which is consumed, with the axes in
 * their original order. */
gpa_code memory_order_leave_take(gpa_rt *rt, gpa_code rc, gpa_arr *made, axis_order *o,
                                 gpa_arr **out, gpa_err *e);

#endif
