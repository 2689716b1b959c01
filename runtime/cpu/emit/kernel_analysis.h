/* Analysis of KERNEL programs for the emitter: synchronization points, divergence (which values
 * differ between threads), and liveness across synchronization points.
 *
 * A block runs on one processor. Between two synchronization points (barriers, exchanges of a warp)
 * a phase of the program runs for all threads, neighbours along x in the lanes of vectors. Code at
 * block level runs once: synchronization points, and the regions that contain some. */
#ifndef GPA_CPU_EMIT_KERNEL_ANALYSIS_H
#define GPA_CPU_EMIT_KERNEL_ANALYSIS_H

#include "runtime/ir/kir.h"

/* The threads among which a value is uniform. */
enum { SAME_IN_BLOCK, SAME_IN_ROW, SAME_NOWHERE };

/* Slots of a synchronization point in the context, from its first one on: of a region, of an
 * exchange of a warp. */
enum { KERNEL_RUN, KERNEL_LIVE, KERNEL_COUNT, KERNEL_REGION_PLACES };
enum { KERNEL_RESULT, KERNEL_A = 2, KERNEL_B = 4, KERNEL_C, KERNEL_WARP_PLACES };
enum { KERNEL_SLOT_BYTES = 8 }; /* bytes of a thread's slot */

typedef struct {
    uint8_t level;   /* SAME_...; of a region: of its condition or bounds */
    bool syncs;      /* at block level */
    bool again;      /* cheap and pure: computed anew in each phase that uses it */
    bool positive;   /* an integer that is never negative */
    bool jumps;      /* a region that a BREAK or NEXT inside of it leaves */
    int32_t phase;   /* the phase it belongs to */
    int32_t context; /* where its values of all threads are kept (two slots for complex ones, and
                        for loops); -1: nowhere */
    int32_t close, outer; /* as in the program: END of a region's opener, the innermost region
                             around it or -1 */
} kernel_fact;

typedef struct {
    kernel_fact *at;   /* per instruction */
    uint32_t contexts; /* slots in all */
    size_t shared;     /* bytes of SHARED arrays of known size */
    size_t local;      /* bytes of LOCAL arrays of a thread */
    uint8_t widest;    /* bytes of the widest element computed with */
} kernel_plan;

/* GPA_E_MEMORY. Owned: kernel_plan_free. */
gpa_code kernel_plan_make(const kir_func *f, kernel_plan *out, gpa_err *e);
void kernel_plan_free(kernel_plan *p);
/* The region that a BREAK or NEXT leaves or continues. */
int32_t kernel_target(const kir_func *f, const kernel_plan *p, int32_t at);

#endif
