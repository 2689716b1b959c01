/* Values that nobody reads: their indices are looked at all the same.
 *
 * A gather (node.h) checks its places as it runs. One that is dropped before anything needed it
 * would never say that a place is out of bounds. What is left of it is a check: a program that
 * reads the indices and nothing else, and that faults at the line that wrote the gather. Checks are
 * few and wait for each other; gathers that were computed leave none. */
#ifndef GPA_EXEC_UNUSED_GATHER_H
#define GPA_EXEC_UNUSED_GATHER_H

#include "runtime/exec/storage.h"

/* A gather whose places nobody has looked at goes: keeps its check. When memory is short there is
 * none. */
void unused_gather_keep(gpa_rt *rt, const node *n);
/* Runs the checks of what went; nothing while a plan is being run. */
gpa_code unused_gather_run(gpa_rt *rt, gpa_err *e);
/* The same when there are many. */
gpa_code unused_gather_run_if_many(gpa_rt *rt, gpa_err *e);
/* An index error of the statement that wants `a` (or NULL) was found: none more is looked for in
 * what it still pends on. */
void unused_gather_dismiss(gpa_rt *rt, gpa_arr *a);
void unused_gather_free(gpa_rt *rt);

#endif
