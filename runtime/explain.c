/* Explaining. */
#include "runtime/explain.h"

#include "runtime/rt.h"

void explain_step(gpa_rt *rt, gpa_device *d, const fuse_plan *p, int s, const lowered *l, const cache_entry *program, bool built) {
    (void)rt, (void)d, (void)p, (void)s, (void)l, (void)program, (void)built;
}
void explain_free(gpa_rt *rt) { (void)rt; }
