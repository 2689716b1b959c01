/* KERNEL programs on the CPU: emission shared by emit_kernel.c (the block) and emit_lanes.c (the
 * lanes of a phase), functions that compiled code calls (kernel_calls.c), and launches
 * (run_kernel.c).
 *
 * Compiled code is a cpu_fn: it runs blocks [lo, hi) one after another. `part` is its scratch
 * memory: static SHARED arrays, dynamic SHARED arrays, the context (slots times threads,
 * KERNEL_SLOT_BYTES bytes each), LOCAL arrays. Threads are laid out in rows along x, padded to
 * whole vectors: thread (x, y, z) is number (z * block.y + y) * pitch + x. */
#ifndef GPA_CPU_EMIT_KERNEL_H
#define GPA_CPU_EMIT_KERNEL_H

#include "runtime/cpu/emit/emitter.h"
#include "runtime/cpu/emit/fault.h"
#include "runtime/cpu/emit/kernel_analysis.h"

/* Launch dimensions, in the view's slots for the extents of an iteration space. */
enum { KV_GRID, KV_BLOCK = 3, KV_PITCH = 6, KV_DYNAMIC };

/* Target of VIEW_FAULT: records of faults and of printf output. */
typedef struct {
    cpu_fault_cell fault; /* first */
    const gpa_launch *launch;
    int32_t lock;
} kernel_cell;

/* How a program is compiled: the number of lanes, and whether rows of a block are whole vectors. */
typedef struct {
    uint32_t lanes;
    uint32_t whole;
} kernel_shape;

gpa_code emit_kernel(cpu_target *t, const kir_func *f, const kernel_plan *plan, kernel_shape shape,
                     LLVMModuleRef *out, gpa_err *e);
/* ---- the emitter ---- */

typedef struct k_region {
    int32_t at;
    LLVMBasicBlockRef leave, next; /* NULL: not used by this kind */
    V run, live;                   /* stack slots of masks; NULL: all lanes are active */
    LLVMBasicBlockRef otherwise;   /* of an IF: the start of ELSE; NULL: the end */
    V cond;                        /* of a masked IF: its condition and the enclosing mask */
    V around;
} k_region;

typedef struct {
    V base; /* lane l has base + stride * l ... */
    int64_t stride;
    V plain; /* ... where this is true; NULL: always */
} k_affine;

typedef struct {
    em M; /* the general emitter's state, which emit_memory.c and others use; M.mask is the current
             mask */
    const kernel_plan *plan;
    kernel_shape shape;
    ll_val *vals; /* of the phase being emitted: valid where made == phase_run */
    k_affine *affine;
    uint32_t *made, phase_run;
    ll_val *given;             /* block-uniform results of synchronization points */
    V shared[KIR_MAX_ARRAYS];  /* addresses of SHARED and LOCAL arrays */
    V context, threads, pitch; /* addresses and sizes of the launch */
    V block[3], number;        /* coordinates and number of the block */
    V x, y, z, thread;         /* the group: x of lane 0, y and z of all, number of lane 0 */
    V base_mask;               /* stack slot; NULL: all lanes of a group are active */
    LLVMBasicBlockRef head;    /* of the group: values of other phases are recomputed at its end */
    int32_t phase;
    k_region *regions; /* open regions in the phase */
    size_t n_regions, cap_regions;
    k_region *outside; /* open regions at block level */
    size_t n_outside, cap_outside;
} km;

/* emit_lanes.c */
void k_code(km *K, int32_t from, int32_t to); /* instructions of a phase, for one group */
void k_keep_variables(
    km *K, int32_t from,
    int32_t to); /* after them: stores variables that are live later to the context */
ll_val k_use(km *K, int32_t v); /* a value, in a phase or at block level */
ll_val k_load_context(km *K, int32_t slot, gpa_dtype t, bool whole);
void k_store_context(km *K, int32_t slot, ll_val v);
V k_mask(km *K); /* the current mask; NULL: all lanes */
V k_any(km *K, V mask);
V k_and(km *K, V a, V b);           /* of masks that may be NULL */
ll_val k_lanes(km *K, ll_val v);    /* as a vector */
V k_load_mask(km *K, int32_t slot); /* loads this group's mask from the context */
void k_put_mask(km *K, int32_t slot, V mask);
LLVMBasicBlockRef k_block(km *K, const char *name);
V k_all_lanes(km *K);
void k_poll_stop(km *K); /* returns if the host requests it */
V k_bits(km *K, V mask); /* a mask as an integer */
k_affine k_affine_of(km *K, int32_t v,
                     ll_val value); /* how an index depends on the lane; base NULL: unknown */
/* An index in which negative values count from the end; `mask`: the active lanes. */
ll_val k_wrapped(km *K, int32_t v, ll_val i, ll_val n, V mask);
/* emit_kernel_memory.c */
ll_val k_load(km *K, const kir_ins *ins);
void k_store(km *K, const kir_ins *ins);
ll_val k_atomic(km *K, const kir_ins *ins);
ll_val k_bound(km *K, int32_t v);
void k_print(km *K, int32_t at);
void k_fault(km *K, const kir_ins *ins);
/* emit_kernel.c */
V k_context_slot(km *K, int32_t slot); /* address of a context slot */
/* The innermost region at block level with masks; NULL: all threads are active. */
const k_region *k_masked(const km *K);

/* ---- kernel_calls.c: runtime functions for compiled code ---- */
void kernel_fault(kernel_cell *c, cpu_fault_site at, int64_t a, int64_t b, int64_t block,
                  int64_t thread);
void kernel_say(kernel_cell *c, uint64_t text_n, int64_t block, int64_t thread, uint64_t lanes_mask,
                const gpa_val *args);
void kernel_warp(const int64_t *view, uint64_t row_type, char *context, int64_t slot,
                 int64_t mask_slot, uint64_t used);
int64_t kernel_vote(const int64_t *view, const char *context, int64_t slot, int64_t mask_slot,
                    uint64_t row);
void kernel_atomic(uint64_t row_type, const int64_t *addresses, const void *b, const void *c,
                   void *old, uint64_t mask);

#endif
