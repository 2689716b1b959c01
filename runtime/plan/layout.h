/* Laying out a program's space: which dimensions remain, in which order, and what the program may
 * assume about them. */
#ifndef GPA_PLAN_LAYOUT_H
#define GPA_PLAN_LAYOUT_H

#include "runtime/plan/lower.h"

/* From l's strides over the space of s: fills in the dimensions, stride flags and size flag of
 * l->f, and l's extents, bindings and host loops. `ordered`: inner points must come in their order
 * (a scan). GPA_E_UNSUPPORTED when more inner dimensions remain than a program can have. */
gpa_code layout(const fuse_step *s, lowered *l, bool ordered, gpa_err *e);
/* The bytes that must move at least: the arrays of one buffer together touch no more than the
 * buffer has. */
void layout_count_bytes(lowered *l);

#endif
