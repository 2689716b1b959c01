/* Explaining: a record of the steps that ran, as text. */
#ifndef GPA_EXPLAIN_H
#define GPA_EXPLAIN_H

#include "runtime/cache.h"
#include "runtime/fuse.h"
#include "runtime/lower.h"

/* Notes step `s`, lowered as `l` and about to run; called only while rt->explain is set. */
void explain_step(gpa_rt *rt, gpa_device *d, const fuse_plan *p, int s, const lowered *l, const cache_entry *program, bool built);
void explain_free(gpa_rt *rt);

#endif
