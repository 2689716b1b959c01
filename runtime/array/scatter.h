/* Writing through index arrays in host memory: assignment and ufunc.at, in NumPy's order. */
#ifndef GPA_ARRAY_SCATTER_H
#define GPA_ARRAY_SCATTER_H

#include "runtime/array/index.h"

/* The strides of a value seen over a shape: 0 where it is broadcast; leading extents of 1 too many
 * are left out. False when it does not fit. */
bool broadcast_value(const gpa_arr *v, int ndim, const int64_t *shape, int64_t *strides);
/* view[places] = rhs, which fits (broadcast_value), for a computed array. Bounds are checked before
 * anything is written. */
gpa_code scatter_set(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, gpa_err *e);
/* a[mask] = v, element by element, for a computed array. *done false: it is not for this way (rows
 * are chosen, the value has another number of elements, something lies elsewhere), and nothing was
 * written. */
gpa_code scatter_masked(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr *v, bool *done, gpa_err *e);
/* view[places] = op(view[places], rhs), one point after another: repeated places count each time.
 * rhs NULL for operations of one operand; `compute` and `result` as op_types gives them. */
gpa_code scatter_update(gpa_rt *rt, const index_map *m, gpa_op op, gpa_dtype compute,
                        gpa_dtype result, const gpa_opnd *rhs, gpa_err *e);

#endif
