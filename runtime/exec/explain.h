/* Explaining: a record of the steps that ran, as text. */
#ifndef GPA_EXEC_EXPLAIN_H
#define GPA_EXEC_EXPLAIN_H

#include "runtime/exec/program_cache.h"
#include "runtime/plan/fuse.h"
#include "runtime/plan/lower.h"

/* Notes step `s`, lowered as `l` and about to run; called only while rt->explain is set. */
void explain_step(gpa_rt *rt, gpa_device *d, const fuse_plan *p, int s, const lowered *l,
                  program_cache_entry *program, bool built);
/* Notes work outside of programs that made, or wrote into, `a`: by the library of device d, or
 * (NULL) by the host. Nothing happens while nobody asks for explanations. */
void explain_call(gpa_rt *rt, const char *name, const gpa_device *d, const gpa_arr *a);
/* "row reduce: array float64 (100,) = sum(a * b, axis=1)": a step on one line. */
void explain_put_step(gpa_str *out, const fuse_plan *p, int s, const lowered *l);
/* What a value is computed from, as an expression. */
void explain_put_value(gpa_str *out, const node *n);
void explain_free(gpa_rt *rt);

#endif
