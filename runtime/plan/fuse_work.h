/* Fusion: the state of a plan being made, and what fuse.c calls of fuse_collect.c. */
#ifndef GPA_PLAN_FUSE_WORK_H
#define GPA_PLAN_FUSE_WORK_H

#include "runtime/plan/fuse.h"

typedef struct {
    node *n;
    int32_t uses;      /* head of its list of uses */
    int32_t root;      /* index of its root; -1: it is no root */
    uint32_t cost;     /* of recomputing an element from leaves, in op_info's units */
    uint32_t leaves;   /* arrays, but for broadcast ones, that an element is computed from */
    uint32_t stamp;    /* scratch of traversals */
    int32_t segment;   /* of a graph that is partitioned; 0: the first */
    int32_t last;      /* scratch of partitioning: the last node that reads it */
    bool faults;       /* computing it may fault */
    bool large_gather; /* it gathers from an array that exceeds the caches */
    int64_t reduced;   /* the most elements that a reduction among its inputs reads, at least 1; 0:
                          none */
} item;

/* A use of a node by a step at one index map. in_reduction: within the input of a reduction or
 * scan; in_scan: of a scan; guarded: the value counts at some points only (an input of a CONCAT);
 * cost_above: of what the step computes from it. */
typedef struct {
    int32_t step, map, next;
    bool in_reduction, in_scan, guarded;
    uint32_t cost_above;
} use;

typedef struct {
    int arrays, open, nodes, params;
    int32_t segment;
    bool last;   /* it overwrites memory: it runs last, so no step may depend on it */
    bool native; /* its inner dimensions are dimensions of its roots */
    bool faults; /* it may fault, so values that cannot fault are stored by other steps */
    bool seen;   /* scratch of traversals of the dependences */
} step_info;

struct fuse_work {
    item *item;
    size_t n_item, cap_item;
    use *use;
    size_t n_use, cap_use;
    step_info *step_info;
    size_t cap_step_info;
    struct edge {
        int32_t reader, writer;
    } * edge;
    size_t n_edge, cap_edge;
    uint32_t stamp, stress;
};

typedef struct {
    gpa_rt *rt;
    fuse_plan *p;
    struct fuse_work *w;
    int max_arrays, max_params;
    double min_ops_materialize; /* recomputed operations from which a value is stored instead */
    bool on_host;               /* the device is the CPU */
    gpa_cut why;
    gpa_err *e;
} fusion;

enum { FITS = CUT_ROWS }; /* "no reason to cut" */

/* Appends an item for each node that n depends on, inputs first, and for n; false: memory is
 * short. */
bool fuse_collect(fusion *c, node *n);
/* Cuts the topological order into segments of at most TUNE_FUSE_MAX_NODES operations. A segment
 * ends where the fewest bytes are live, in its second half. False: memory is short. */
bool fuse_partition(fusion *c);
/* True if rematerialization pays: computing a node `times` times is cheaper than storing and
 * loading it. */
bool fuse_is_cheap(const item *x, int times);
/* True if other segments rematerialize a node, or read it where it is. */
bool fuse_is_rematerialized(const item *x);

#endif
