/* Profiling: how often each program and library call ran, for how long, and what it moved. While a
 * profile is taken the device is waited for before and after each, so that times are their own. */
#ifndef GPA_EXEC_PROFILE_H
#define GPA_EXEC_PROFILE_H

#include "runtime/exec/program_cache.h"
#include "runtime/plan/fuse.h"
#include "runtime/plan/lower.h"

/* Around a launch or a call; nothing happens while no profile is taken. */
void profile_begin(gpa_rt *rt, gpa_device *d);
void profile_step(gpa_rt *rt, gpa_device *d, const fuse_plan *p, int s, const lowered *l,
                  program_cache_entry *program);
/* `name` stays where it is: a table's, or a program's. */
void profile_call(gpa_rt *rt, gpa_device *d, const char *name, uint64_t bytes);
void profile_free(gpa_rt *rt);

#endif
