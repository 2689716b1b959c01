/* Stream compaction: the elements selected by a boolean mask, packed in C order (a[mask]).
 * `mask` is a bool array that is not empty. */
#ifndef GPA_ARRAY_COMPACTION_H
#define GPA_ARRAY_COMPACTION_H

#include "runtime/array/array.h"

/* By the host, for arrays in host-visible memory. The mask covers the first axes of `a`. */
gpa_code compact_on_host(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e);
/* By the current device, which is not host-visible. The mask has the shape of `a`. Waits, since
 * the number of true elements is the result's shape. */
gpa_code compact_on_device(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e);

#endif
