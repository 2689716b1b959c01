/* Intervals that whole numbers lie in, through the operations of op.def. */
#ifndef GPA_IR_INTERVAL_H
#define GPA_IR_INTERVAL_H

#include "runtime/tables/dtype.h"
#include "runtime/tables/op.h"

/* lo <= number <= hi. Of a uint64 hi INT64_MAX says: or more. lo > hi: no number at all. */
typedef struct {
    int64_t lo, hi;
} interval;

/* All numbers of a type; of one that is no integer: anything. */
interval interval_of_type(gpa_dtype t);
/* Of operands of type t: what row `op` makes of them, a `result`. Any row may be asked for. */
interval interval_of_op(gpa_op op, gpa_dtype t, gpa_dtype result, const interval in[3]);
interval interval_of_cast(gpa_dtype from, gpa_dtype to, interval a);
/* What is left of a (an operand of type t) where `a op b` holds; op a comparison, else a itself. */
interval interval_narrow(gpa_op op, gpa_dtype t, interval a, interval b);
/* The comparison that holds where `op` does not; OP_COUNT: op is no comparison. And with the
 * operands exchanged. */
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
