/* Bounds checks for gathers whose result is never used.
 *
 * A gather (node.h) checks its indices as it runs. A gather that is released without being computed
 * would never raise its IndexError, so it is replaced by a check: a program that reads only the
 * indices and faults at the gather's source line. Checks are queued and run together; a gather that
 * was computed needs none. */
#ifndef GPA_EXEC_UNUSED_GATHER_H
#define GPA_EXEC_UNUSED_GATHER_H

#include "runtime/exec/storage.h"

/* Queues the check of an unchecked gather that is being released; drops it if memory is short. */
void unused_gather_keep(gpa_rt *rt, const node *n);
/* Runs the queued checks; does nothing while a plan is being run. */
gpa_code unused_gather_run(gpa_rt *rt, gpa_err *e);
/* The same, but only if many checks are queued. */
gpa_code unused_gather_run_if_many(gpa_rt *rt, gpa_err *e);
/* After an IndexError of the statement that reads `a` (or NULL): marks the pending gathers that
 * `a` depends on as checked, so that no second error is reported. */
void unused_gather_dismiss(gpa_rt *rt, gpa_arr *a);
void unused_gather_free(gpa_rt *rt);

#endif
