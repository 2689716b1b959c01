/* Replicated stores: launches that store short runs of elements several times in a row (`repeat`,
 * broadcast copies). */
#ifndef GPA_CPU_RUN_REPEAT_H
#define GPA_CPU_RUN_REPEAT_H

#include "runtime/cpu/run/program.h"

/* Does a launch that only stores pieces of up to 64 bytes, each several times side by side, in the
 * order in which the results lie. False: it is another launch, or this processor wants it done
 * otherwise; nothing was done. */
bool repeats_run(int threads, const int32_t *stop, const gpa_prog *p, const gpa_launch *l);

#endif
