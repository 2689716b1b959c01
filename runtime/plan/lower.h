/* Lowering: from a step to kir and the launch that goes with it. */
#ifndef GPA_PLAN_LOWER_H
#define GPA_PLAN_LOWER_H

#include "runtime/plan/fuse.h"

enum { LOWER_PARAMS = 256, LOWER_LOOPS = GPA_MAX_DIMS - KIR_MAX_DIMS };

typedef struct {
    bool ahead; /* set by the caller: earlier steps have not run; what they store is taken to be
                   there */
    kir_func *f;
    size_t n_arrays;
    gpa_binding bind[KIR_MAX_ARRAYS];
    gpa_buf *buf[KIR_MAX_ARRAYS];     /* NULL: virtual, or fresh memory of a root */
    fuse_root *fresh[KIR_MAX_ARRAYS]; /* the root whose memory this is: bound by the executor
                                         (ahead: roots that are read, too) */
    int64_t stride[KIR_MAX_ARRAYS][GPA_MAX_DIMS]; /* over the step's space, before it is laid out */
    int64_t count[KIR_MAX_ARRAYS]; /* elements of the array that the program touches at least */
    gpa_val params[LOWER_PARAMS];
    const node *number[LOWER_PARAMS]; /* the SCALAR that a parameter is the value of; NULL: an
                                         extent or a stride */
    int64_t size[KIR_MAX_DIMS];
    int n_loops; /* dimensions beyond what a program has: walked by the host */
    int64_t loop_size[LOWER_LOOPS], loop_stride[KIR_MAX_ARRAYS][LOWER_LOOPS];
    uint64_t bytes_read, bytes_written;
    uint64_t stored; /* bit per array: the program writes it */
    bool empty;      /* nothing to run */
    bool hazard;     /* a store's target overlaps an operand elsewhere: it needs a temporary */
    bool faults;     /* the program may fault (or, as the executor adds, be stopped) */
    struct lower_work *work;
} lowered;

/* Lowers step number `s` of the plan into *l, whose memory is reused. */
gpa_code lower(gpa_rt *rt, fuse_plan *p, int s, lowered *l, gpa_err *e);
/* After step s was lowered into l and launched: gathers all of whose places its program goes over
 * are checked. */
void lower_mark_checked(gpa_rt *rt, const fuse_plan *p, int s, const lowered *l);
void lower_free(lowered *l);

#endif
