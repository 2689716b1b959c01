/* Profiling: calls, time and bytes moved of each program and library call. While profiling, the
 * device is synchronized before and after each, so that times do not overlap. */
#ifndef GPA_EXEC_PROFILE_H
#define GPA_EXEC_PROFILE_H

#include "runtime/exec/program_cache.h"
#include "runtime/plan/fuse.h"
#include "runtime/plan/lower.h"

/* Before and after a launch or a library call; no effect unless profiling. */
void profile_begin(gpa_rt *rt, gpa_device *d);
void profile_step(gpa_rt *rt, gpa_device *d, const fuse_plan *p, int s, const lowered *l,
                  program_cache_entry *program);
/* After a launch of a program that was profiled before. */
void profile_again(gpa_rt *rt, gpa_device *d, const program_cache_entry *program, uint64_t bytes);
/* The address of `name` is the key: `name` is a string of a table or of a program. */
void profile_call(gpa_rt *rt, gpa_device *d, const char *name, uint64_t bytes);
void profile_free(gpa_rt *rt);

#endif
