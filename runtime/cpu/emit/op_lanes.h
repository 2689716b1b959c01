/* Vectorized elementwise operations without LLVM instructions: float remainders, integer powers and
 * greatest common divisors. */
#ifndef GPA_CPU_EMIT_OP_LANES_H
#define GPA_CPU_EMIT_OP_LANES_H

#include "runtime/tables/dtype.h"
#include "runtime/tables/op.h"

/* True if op_lanes_run supports this operation (OP_REMAINDER, OP_FMOD, OP_FLOOR_DIVIDE of floats;
 * OP_POWER, OP_GCD of integers) in this dtype on this processor. */
bool op_lanes_can(gpa_op op, gpa_dtype t);
/* out[i] = op(a[i], b[i]) for n lanes, exactly as the operation's own function has it. False: some
 * lane needs that function, and out holds nothing. */
bool op_lanes_run(gpa_op op, gpa_dtype t, const void *a, const void *b, void *out, uint64_t n);

#endif
