/* Rolling: several trips of the user's loop in one program.
 *
 * At the back edge of a loop everything pending is computed. But where the trip is elementwise and
 * its results are computed from those of the trip before, element by element, it is held back
 * instead, and when the next trip turns out to be the same (the same operations on the same arrays;
 * whole numbers may grow by a step, others are listed) the two become one node: a body (body.h)
 * with a loop over trips, in which what is carried from trip to trip stays in registers. Each trip
 * that follows only raises its number of trips, which is a parameter: one program serves any number
 * of them. After MOST_TRIPS they are launched, so that a device works while the next ones are
 * recorded.
 *
 * What is held is pending as any other work is, and is computed, as a program of its own, before
 * anything else is: nobody can see a difference but in launches and time. */
#ifndef GPA_PLAN_LOOP_BATCH_H
#define GPA_PLAN_LOOP_BATCH_H

#include "runtime/exec/storage.h"

/* The back edge of a loop, with something pending: holds the trip back, or computes what is
 * pending. */
gpa_code roll_edge(gpa_rt *rt, gpa_err *e);
/* Computes what is held, as exec does before it begins anything else. */
gpa_code roll_settle(gpa_rt *rt, gpa_err *e);
/* Gives up what is held and known. */
void roll_free(gpa_rt *rt);

#endif
