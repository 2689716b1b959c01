/* Bounds-check elimination for one launch of a kernel, by interval analysis.
 *
 * The grid, the block, the arrays' extents and the integer parameters are known at launch. From
 * them the analysis computes an interval for every integer of the program, narrowed by the
 * conditions that dominate it. In that launch a BOUND whose index is proven in bounds needs no
 * check and no wrap-around, a short FOR need not poll for interrupts, and an IF may be proven never
 * true. */
#ifndef GPA_IR_BOUNDS_H
#define GPA_IR_BOUNDS_H

#include "runtime/backend.h"

typedef struct bounds bounds;
typedef enum { BOUNDS_UNKNOWN, BOUNDS_SAME, BOUNDS_NEW } bounds_result;

/* Analyzes a launch. BOUNDS_SAME: the facts that the last analysis depended on are unchanged, and
 * so are the marks. BOUNDS_UNKNOWN: memory is short, or the program is too long. *at is NULL at
 * first; owned by the caller: bounds_free. */
bounds_result bounds_analyze(bounds **at, const kir_func *f, const gpa_launch *l);
void bounds_free(bounds *x); /* NULL is ignored */
/* The marks, one per instruction: the `imm` that a BOUND (KIR_IN_BOUNDS), FOR (KIR_SHORT_LOOP...)
 * or IF (KIR_NEVER) may have in this launch, or 0. Borrowed until the next analysis. *n: how many
 * are not 0. A marked program may run every launch that has these marks. */
const uint8_t *bounds_marks(const bounds *x, size_t *n);

#endif
