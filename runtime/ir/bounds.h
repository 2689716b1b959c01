/* What is known of one launch of a kernel before it runs: indices that no thread can have outside
 * of their arrays, loops of few trips, conditions that hold nowhere.
 *
 * The grid, the block, the arrays' extents and the whole numbers given are known when a kernel is
 * launched; with them each integer of the program lies in an interval, which conditions around it
 * narrow. A BOUND whose index can only be inside need not be checked in that launch, nor does its
 * index wrap around; a FOR that ends soon need not ask whether to stop. */
#ifndef GPA_IR_BOUNDS_H
#define GPA_IR_BOUNDS_H

#include "runtime/backend.h"

typedef struct bounds bounds;
typedef enum { BOUNDS_UNKNOWN, BOUNDS_SAME, BOUNDS_NEW } bounds_result;

/* Looks at a launch. AS_BEFORE: all that the last look depended on is the same, and so is what is
 * known. UNKNOWN: memory is short, or the program too long to look at. *at is NULL at first; owned
 * by the caller: bounds_free. */
bounds_result bounds_analyze(bounds **at, const kir_func *f, const gpa_launch *l);
void bounds_free(bounds *x); /* NULL is ignored */
/* What is known, one per instruction: the `imm` that a BOUND (KIR_IN_BOUNDS), FOR (KIR_SHORT_LOOP...) or IF
 * (KIR_NEVER) may have in this launch, or 0. Borrowed, until the next look. *n says of how many
 * something is known. A program marked so may run every launch of which as much is known. */
const uint8_t *bounds_marks(const bounds *x, size_t *n);

#endif
