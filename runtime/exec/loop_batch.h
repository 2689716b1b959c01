/* Loop batching: several iterations of the user's loop in one program.
 *
 * At the back edge of a loop all pending work is launched. But where an iteration is elementwise
 * and computes its results from those of the previous one, element by element, it is recorded
 * instead. If the next iteration is the same (the same operations on the same arrays; scalars are
 * invariant, induction variables or tabulated), the two become one node: a body (plan/loop_body.h)
 * with a loop, in which carried results stay in registers. Each further iteration only raises the
 * trip count, which is a parameter: one program serves any number of iterations. A full batch is
 * launched, so that a device computes while the next iterations are recorded.
 *
 * Recorded iterations are pending work as any other, and are launched, as a program of their own,
 * before anything else: only the number of launches and the time differ. */
#ifndef GPA_EXEC_LOOP_BATCH_H
#define GPA_EXEC_LOOP_BATCH_H

#include "runtime/exec/storage.h"

/* The back edge of a loop, with work pending: records the iteration, or launches what is pending.
 */
gpa_code loop_batch_edge(gpa_rt *rt, gpa_err *e);
/* Launches what is recorded; exec calls it before it begins anything else. */
gpa_code loop_batch_flush(gpa_rt *rt, gpa_err *e);
/* Drops what is recorded and cached. */
void loop_batch_free(gpa_rt *rt);

#endif
