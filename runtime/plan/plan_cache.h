/* Plans that ran before: a graph that was fused and lowered once is not again.
 *
 * What fusion and lowering come to depends on the structure of the graph, the dtypes, shapes,
 * strides, on which leaves share memory, and on which values somebody still holds; not on the
 * numbers in it, nor on where the memory is. All that it depends on is written into a description,
 * and a plan is found by its whole description: it then says what to launch, and only the numbers
 * and the memory of this graph are filled in.
 *
 * Not remembered is what must be blamed on its place in the source or told apart from a value
 * (programs that may fault, or be stopped in a loop), and what has other ways (memory of several
 * devices, dimensions that the host walks). A plan belongs to a device and its epoch, so it never
 * outlives its programs. */
#ifndef GPA_PLAN_PLAN_CACHE_H
#define GPA_PLAN_PLAN_CACHE_H

#include "runtime/exec/program_cache.h"
#include "runtime/plan/lower.h"

typedef struct memo memo;

/* NULL when memory is short: then nothing is remembered, and the other functions do nothing. */
memo *memo_new(void);
void memo_free(memo *m);

/* Describes what p->root[0 .. n_root) ask of device d, which can do `caps`. True when a plan of
 * this description is known: p's roots and order are now what fuse would have made of them (but for
 * dims and the steps' spaces). */
bool memo_find(memo *m, gpa_rt *rt, const gpa_device *d, const gpa_caps *caps, fuse_plan *p);
/* The launch of p->order[i] of the plan that was found, as lower would give it, without kir. */
void memo_lower(const memo *m, const fuse_plan *p, size_t i, lowered *l,
                program_cache_entry **program);

/* After memo_find was false: p->order[i] has been lowered (and not settled), to run that program.
 */
void memo_note(memo *m, const fuse_plan *p, size_t i, const lowered *l,
               program_cache_entry *program);
/* And all of them ran: the plan is known from now on, if it may be and memory suffices. */
void memo_keep(memo *m, const fuse_plan *p);

#endif
