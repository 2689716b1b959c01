/* Interval arithmetic on integers, through the operations of op.def. */
#ifndef GPA_IR_INTERVAL_H
#define GPA_IR_INTERVAL_H

#include "runtime/tables/dtype.h"
#include "runtime/tables/op.h"

/* lo <= value <= hi. hi INT64_MAX of a uint64 means no upper bound. lo > hi: the empty interval. */
typedef struct {
    int64_t lo, hi;
} interval;

/* All values of a type; INT64_MIN .. INT64_MAX for types that are no integers. */
interval interval_of_type(gpa_dtype t);
/* The interval of op(in...), with operands of type t and a result of type `result`; all values of
 * that type for operations without a rule. */
interval interval_of_op(gpa_op op, gpa_dtype t, gpa_dtype result, const interval in[3]);
interval interval_of_cast(gpa_dtype from, gpa_dtype to, interval a);
/* Narrows a (an operand of type t) by the fact `a op b`; a itself unless op is a comparison. */
interval interval_narrow(gpa_op op, gpa_dtype t, interval a, interval b);
/* The negation of comparison `op` (OP_COUNT: op is no comparison), and the comparison with swapped
 * operands. */
gpa_op interval_negated(gpa_op op);
gpa_op interval_swapped(gpa_op op);

static inline interval interval_hull(interval a, interval b) {
    return (interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}
static inline interval interval_intersect(interval a, interval b) {
    return (interval){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}
static inline bool interval_within(interval a, interval b) {
    return a.lo > a.hi || (a.lo >= b.lo && a.hi <= b.hi);
}
static inline bool interval_same(interval a, interval b) { return a.lo == b.lo && a.hi == b.hi; }

#endif
