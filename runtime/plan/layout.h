/* Loop ordering and dimension collapsing for a program's iteration space. */
#ifndef GPA_PLAN_LAYOUT_H
#define GPA_PLAN_LAYOUT_H

#include "runtime/plan/lower.h"

/* From l's strides over the space of s: sets the dimensions, stride flags and size flag of l->f,
 * and l's extents, bindings and host loops. `ordered`: inner points must keep their order (a scan).
 * GPA_E_UNSUPPORTED when more inner dimensions remain than a program can have. */
gpa_code layout(const fuse_step *s, lowered *l, bool ordered, gpa_err *e);
/* Lower bound of the memory traffic in bytes, for %explain: the arrays of one buffer together read
 * no more than the buffer has. */
void layout_count_bytes(lowered *l);

#endif
