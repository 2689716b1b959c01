/* Gathers of a few elements, which the host computes at once: that costs less than a node. */
#ifndef GPA_ARRAY_SHORT_GATHER_H
#define GPA_ARRAY_SHORT_GATHER_H

#include "runtime/array/index.h"

/* True for a vector and one short index array, both computed and in memory that the host may read
 * without waiting, while nothing observes launches. */
bool short_gather_can(const gpa_rt *rt, const gpa_arr *a, const index_plan *p);
/* a[indices] of indices that short_gather_can accepts; *out NULL: one is out of bounds. */
gpa_code short_gather(gpa_rt *rt, const gpa_arr *a, const gpa_arr *indices, gpa_arr **out,
                      gpa_err *e);

#endif
