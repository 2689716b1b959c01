/* Elements whose mask is true, side by side in C order. `mask` is a bool array of some elements. */
#ifndef GPA_ARRAY_COMPACTION_H
#define GPA_ARRAY_COMPACTION_H

#include "runtime/array/array.h"

/* By the host, where it sees both. The mask is over the first axes of `a`. */
gpa_code compact_on_host(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e);
/* On the current device, which has memory of its own. The mask has the shape of `a`. Waits: how
 * many there are decides the shape. */
gpa_code compact_on_device(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e);

#endif
