/* Remainders of floats, several at a time. */
#ifndef GPA_CPU_REMAINDER_H
#define GPA_CPU_REMAINDER_H

#include "runtime/dtype.h"
#include "runtime/op.h"

/* Whether remainder_lanes does this operation (OP_REMAINDER, OP_FMOD) in this dtype on this processor. */
bool remainder_can(gpa_op op, gpa_dtype t);
/* out[i] = a[i] % b[i] for n lanes, exactly as the operation's own function has it. False: some lane needs that function, and out holds
 * nothing. */
bool remainder_lanes(gpa_op op, gpa_dtype t, const void *a, const void *b, void *out, uint64_t n);

#endif
