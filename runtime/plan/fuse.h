/* Fusion: partitions the graph into steps, each of which becomes one program.
 *
 * A step has an iteration space: outer dimensions, and inner ones over which its reductions run. It
 * stores its roots; everything between its leaves and its roots is computed inside it. Steps are
 * ordered such that a step reads only what earlier steps stored: when a step is lowered, its inputs
 * are leaves. */
#ifndef GPA_PLAN_FUSE_H
#define GPA_PLAN_FUSE_H

#include "runtime/graph/affine.h"
#include "runtime/graph/storage.h"
#include "runtime/plan/cut.h"

/* A value that a step stores, and where. */
typedef struct {
    node *value;
    gpa_storage *storage; /* the pending storage that gets the memory; NULL: only the node */
    gpa_arr *into;        /* target of an assignment, of value's shape; NULL: new memory */
    node *mask;           /* with into: stores only where true; NULL: everywhere */
    node *const *index;   /* with into: a scatter, as node_gather; NULL: elementwise */
    const int8_t *from;
    bool add;                  /* scatter-add */
    bool in_bounds;            /* a scatter whose indices are known to be: no bounds checks */
    bool distinct;             /* a scatter that stores no element twice */
    int step;                  /* set by fuse: the step it belongs to, */
    int8_t dims[GPA_MAX_DIMS]; /* and the dimension of its space that each dimension of value
                                  follows; -1: extent 1 */
} fuse_root;

typedef struct {
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
    gpa_axes inner;
    bool each;   /* it reduces or scans */
    gpa_cut why; /* why its roots are stored */
} fuse_step;

typedef struct {
    affine_table maps;
    fuse_root *root; /* the needed ones first, then those that fusion cut */
    size_t n_root, cap_root;
    fuse_step *step;
    size_t n_step, cap_step;
    int32_t *order; /* steps in the order they run */
    size_t n_order, cap_order;
    struct fuse_work *work;
} fuse_plan;

/* Plans the steps that compute p->root[0 .. n_root), which the caller filled in (value, storage,
 * into, mask, index, from). */
gpa_code fuse(gpa_rt *rt, fuse_plan *p, const gpa_caps *caps, gpa_cut why, gpa_err *e);
void fuse_free(fuse_plan *p);

/* The map of a reduction's or scan's input in a step, when m is that of its result (-1: memory is
 * short). */
int fuse_input_map(affine_table *t, const fuse_step *s, const node *n, int m);

#endif
