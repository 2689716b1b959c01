/* Plan cache: launches of graphs that were fused and lowered before.
 *
 * Fusion and lowering depend on the structure of the graph, dtypes, shapes, strides, which leaves
 * share memory, and which values arrays still hold; not on the values of scalars, nor on addresses.
 * The key is a description of all that; a hit compares the whole key, not a hash. A cached plan
 * lists its launches; a hit fills in the scalars and the memory of the graph at hand.
 *
 * Not cached: programs that may fault or be interrupted in a loop (their source locations matter),
 * plans over memory of several devices, and spaces with dimensions that the host iterates over. A
 * plan belongs to a device and its epoch, so it never outlives its programs. */
#ifndef GPA_PLAN_PLAN_CACHE_H
#define GPA_PLAN_PLAN_CACHE_H

#include "runtime/plan/lower.h"

struct program_cache_entry; /* program_cache.h */
struct gpa_device;

typedef struct plan_cache plan_cache;

/* The device of a plan. A plan is valid only in the epoch of its memory. */
typedef struct {
    const struct gpa_device *device;
    uint32_t epoch;
    const gpa_caps *caps; /* the limits that fuse is given */
} plan_device;

/* How the cache retains the programs of its plans (exec/program_cache.h). */
typedef struct {
    struct program_cache_entry *(*retain)(struct program_cache_entry *program);
    void (*release)(struct program_cache_entry *program);
} plan_programs;

/* NULL when out of memory: all functions accept that and cache nothing. */
plan_cache *plan_cache_new(plan_programs programs);
void plan_cache_free(plan_cache *m);

/* Looks up the plan for p->root[0 .. n_root) on device d. On a hit, p's roots and order are what
 * fuse would have made of them (except dims and the steps' spaces). */
bool plan_cache_find(plan_cache *m, gpa_rt *rt, const plan_device *d, fuse_plan *p);
/* The launch of p->order[i] of the plan that was found, as lower would produce it, without kir. */
void plan_cache_lower(const plan_cache *m, const fuse_plan *p, size_t i, lowered *l,
                      struct program_cache_entry **program);

/* After a miss: records that p->order[i] was lowered into l, to run `program`; before its nodes
 * become leaves. */
void plan_cache_record(plan_cache *m, const fuse_plan *p, size_t i, const lowered *l,
                       struct program_cache_entry *program);
/* After all steps were recorded and ran: inserts the plan, if it may be cached and memory suffices.
 * It evicts the plan in its slot. */
void plan_cache_insert(plan_cache *m, const fuse_plan *p);

#endif
