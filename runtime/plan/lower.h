/* Lowering: from a fused step to kir and the arguments of its launch. */
#ifndef GPA_PLAN_LOWER_H
#define GPA_PLAN_LOWER_H

#include "runtime/plan/fuse.h"

enum { LOWER_PARAMS = 1024, LOWER_LOOPS = GPA_MAX_DIMS - KIR_MAX_DIMS };

typedef struct {
    bool ahead; /* set by the caller: earlier steps have not run; lower as if their roots were
                   stored */
    kir_func *f;
    size_t n_arrays;
    gpa_binding bind[KIR_MAX_ARRAYS];
    gpa_buf *buf[KIR_MAX_ARRAYS];     /* NULL: virtual, or new memory of a root */
    fuse_root *fresh[KIR_MAX_ARRAYS]; /* the root whose new memory this is: the executor binds it
                                         (ahead: also roots that are read) */
    int64_t stride[KIR_MAX_ARRAYS][GPA_MAX_DIMS]; /* over the step's space, before layout */
    int64_t count[KIR_MAX_ARRAYS]; /* lower bound of the elements that the program accesses */
    gpa_val params[LOWER_PARAMS];
    const node
        *param_node[LOWER_PARAMS]; /* the SCALAR node of a parameter; NULL: an extent or a stride */
    int64_t size[KIR_MAX_DIMS];
    int n_loops; /* dimensions beyond KIR_MAX_DIMS: loops of launches on the host */
    int64_t loop_size[LOWER_LOOPS], loop_stride[KIR_MAX_ARRAYS][LOWER_LOOPS];
    uint64_t bytes_read, bytes_written;
    uint64_t stored; /* bit per array: the program writes it */
    bool empty;      /* nothing to run */
    bool hazard; /* a store's target overlaps an operand at other elements: it needs a temporary */
    bool faults; /* the program may fault, or (set by the executor) be interrupted */
    struct lower_work *work;
} lowered;

/* Lowers step `s` of the plan into *l, whose memory is reused. */
gpa_code lower(gpa_rt *rt, fuse_plan *p, int s, lowered *l, gpa_err *e);
/* After step s was lowered into l and launched: clears `unchecked` of gathers whose indices the
 * program checks completely. */
void lower_mark_checked(gpa_rt *rt, const fuse_plan *p, int s, const lowered *l);
void lower_free(lowered *l);

#endif
