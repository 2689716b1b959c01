/* Scatters in host memory, in NumPy's order: indexed assignment and ufunc.at. */
#ifndef GPA_ARRAY_SCATTER_H
#define GPA_ARRAY_SCATTER_H

#include "runtime/array/index.h"

/* The strides of a value broadcast to a shape (0 where repeated); drops extra leading extents of
 * 1. False if it does not fit. */
bool broadcast_value(const gpa_arr *v, int ndim, const int64_t *shape, int64_t *strides);
/* view[indices] = rhs, which must fit (broadcast_value), for a computed array. Checks all bounds
 * before writing anything. */
gpa_code scatter_set(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, gpa_err *e);
/* a[mask] = v with one value per true element, for a computed array. *done false, nothing
 * written: a row mask, another number of values, not contiguous or not host-visible. */
gpa_code scatter_masked(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr *v, bool *done, gpa_err *e);
/* view[indices] = op(view[indices], rhs), one index after another, so that repeated indices
 * apply each time. rhs NULL: a unary operation. The loop's dtypes are those of op_types. */
gpa_code scatter_update(gpa_rt *rt, const index_map *m, const ufunc_loop *l, const gpa_opnd *rhs,
                        gpa_err *e);

#endif
