/* Bodies of compiled functions computed by array operations. */
#ifndef GPA_TYPED_BODY_ARRAYS_H
#define GPA_TYPED_BODY_ARRAYS_H

#include "runtime/ir/body.h"
#include "runtime/runtime.h"

/* True if each instruction of the body is an array operation: the body has no loops. */
bool body_is_unrolled(const gpa_body *b);
/* The result of such a body for operands of its parameters' dtypes, broadcast: one array operation
 * for each instruction, which tapes record. */
gpa_code body_on_arrays(gpa_rt *rt, const gpa_body *b, const gpa_opnd *in, gpa_arr **out,
                        gpa_err *e);

#endif
