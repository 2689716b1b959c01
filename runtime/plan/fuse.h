/* Fusion: from the values that are needed to steps, each of which becomes one program.
 *
 * A step has a space: outer dimensions, and inner ones that its reductions run over. It stores its
 * roots. Everything between its roots and leaves is computed inside it. Steps come in an order in
 * which a step only reads what earlier ones stored: when a step is lowered, its inputs have become
 * leaves. */
#ifndef GPA_PLAN_FUSE_H
#define GPA_PLAN_FUSE_H

#include "runtime/graph/affine.h"
#include "runtime/exec/storage.h"

/* What is stored, and where. */
typedef struct {
    node *value;
    gpa_storage *storage; /* the pending storage that takes the memory; NULL: the node alone */
    gpa_arr *into;        /* a store's target, of value's shape; NULL: fresh memory */
    node *mask;           /* with into: only where true; NULL: everywhere */
    node *const *index;   /* with into: a scatter, as in store_scatter; NULL: element for element */
    const int8_t *from;
    bool add;  /* a scatter that adds */
    bool sure; /* a scatter whose places are known to be there: they are not checked, */
    bool once; /* or to be all different */
    int step;  /* set by fuse: the step it belongs to, */
    int8_t dims[GPA_MAX_DIMS]; /* and the dimension of its space that each dimension of value
                                  follows; -1: extent 1 */
} fuse_root;

typedef struct {
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
    uint32_t inner; /* bit per dimension */
    bool each;      /* it reduces or scans */
    gpa_cut why;    /* why its roots are stored */
} fuse_step;

typedef struct {
    affines maps;
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
int fuse_map_into(affines *t, const fuse_step *s, const node *n, int m);

#endif
