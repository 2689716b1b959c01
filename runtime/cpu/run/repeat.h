/* Replicated stores: launches that store short runs of elements several times in a row (`repeat`,
 * broadcast copies). */
#ifndef GPA_CPU_RUN_REPEAT_H
#define GPA_CPU_RUN_REPEAT_H

#include "runtime/cpu/run/program.h"

/* Runs a launch that only stores runs of up to 64 bytes, each several times in succession, in the
 * memory order of the results. False, with nothing done: another kind of launch, or a processor
 * without 512-bit masked stores. */
bool repeats_run(int threads, const int32_t *stop, const gpa_prog *p, const gpa_launch *l);

#endif
