/* Loop batching: several iterations of the user's loop in one program.
 *
 * At the back edge of a loop all pending work is launched. An iteration that is elementwise and
 * computes its results, element by element, from those of the previous one is recorded instead. If
 * the next iteration is the same (the same operations on the same arrays; scalars are invariant,
 * induction variables or tabulated), the two become one node: a body (plan/loop_body.h) with a
 * loop, in which carried results stay in registers. Each further iteration only increments the trip
 * count, which is a parameter, so one program serves any number of iterations. A full batch is
 * launched, so that a device computes while the next iterations are recorded.
 *
 * Recorded iterations are pending work like any other. They are launched, as a program of their
 * own, before other work: batching changes only the number of launches and the time. */
#ifndef GPA_EXEC_LOOP_BATCH_H
#define GPA_EXEC_LOOP_BATCH_H

#include "runtime/exec/storage.h"

/* The back edge of a loop with pending work: records the iteration, or launches the pending work.
 */
gpa_code loop_batch_edge(gpa_rt *rt, gpa_err *e);
/* Launches the recorded iterations; exec calls it before other work. */
gpa_code loop_batch_flush(gpa_rt *rt, gpa_err *e);
/* Drops the recorded iterations and the cached bodies. */
void loop_batch_free(gpa_rt *rt);

#endif
