/* KERNEL programs on the CPU: emission shared by emit_kernel.c (the block) and emit_lanes.c (the
 * lanes of a phase), what compiled code calls (kernel_calls.c), and launches (run_kernel.c).
 *
 * Compiled code is a cpu_fn: it runs blocks [lo, hi) one after another; `part` is its memory:
 * SHARED arrays, those of the launch's size, the context (places times threads, KERNEL_PLACE bytes
 * each), LOCAL arrays. Threads stand in rows along x, padded to whole vectors: thread (x, y, z) is
 * number (z * block.y + y) * pitch + x. */
#ifndef GPA_CPU_EMIT_KERNEL_H
#define GPA_CPU_EMIT_KERNEL_H

#include "runtime/cpu/emit/emitter.h"
#include "runtime/cpu/emit/fault.h"
#include "runtime/cpu/emit/kernel_analysis.h"

/* Sizes of the launch, in the view's slots for the extents of a space. */
enum { KV_GRID, KV_BLOCK = 3, KV_PITCH = 6, KV_DYNAMIC };

/* What VIEW_FAULT points to: where faults and lines go. */
typedef struct {
    cpu_fault_cell fault; /* first */
    const gpa_launch *launch;
    int32_t said; /* lock */
} kernel_cell;

/* How a program is compiled: lanes, and whether a row of a block is a number of whole vectors. */
typedef struct {
    uint32_t lanes;
    uint32_t whole;
} kernel_shape;

gpa_code emit_kernel(cpu_target *t, const kir_func *f, const kernel_plan *plan, kernel_shape shape,
                     LLVMModuleRef *out, gpa_err *e);
/* ---- the emitter ---- */

typedef struct k_region {
    int32_t at;
    LLVMBasicBlockRef leave, next; /* NULL: not for this kind */
    V run, live;                   /* slots of masks; NULL: all lanes together */
    LLVMBasicBlockRef otherwise;   /* of an IF: where ELSE begins; NULL: behind it */
    V cond;                        /* of a masked IF: its condition and the mask around it */
    V around;
} k_region;

typedef struct {
    V base; /* lane l has base + stride * l ... */
    int64_t stride;
    V plain; /* ... where this is true; NULL: always */
} k_affine;

typedef struct {
    em M; /* what emit_memory.c and the rest of the emitter work on; M.mask is the current mask */
    const kernel_plan *plan;
    kernel_shape shape;
    ll_val *vals; /* of the phase being emitted: valid where made == phase_run */
    k_affine *affine;
    uint32_t *made, phase_run;
    ll_val *given;             /* by meetings, to the whole block */
    V shared[KIR_MAX_ARRAYS];  /* SHARED, LOCAL: where they begin */
    V context, threads, pitch; /* addresses and numbers of the launch */
    V block[3], number;        /* the block */
    V x, y, z, thread;         /* the group: x of lane 0, y and z of all, number of lane 0 */
    V base_mask;               /* slot; NULL: all lanes of a group run */
    LLVMBasicBlockRef head; /* of the group: values of other phases are made here, before its end */
    int32_t phase;
    k_region *regions; /* open in the phase */
    size_t n_regions, cap_regions;
    k_region *outside; /* open at block level */
    size_t n_outside, cap_outside;
} km;

/* emit_lanes.c */
void k_code(km *K, int32_t from, int32_t to); /* instructions of a phase, for one group */
void k_keep_variables(km *K, int32_t from,
                      int32_t to); /* behind them: variables that live on go to the context */
ll_val k_use(km *K, int32_t v);    /* a value, in a phase or at block level */
ll_val k_load_context(km *K, int32_t place, gpa_dtype t, bool whole);
void k_store_context(km *K, int32_t place, ll_val v);
V k_mask(km *K); /* the current one; NULL: all lanes */
V k_any(km *K, V mask);
V k_and(km *K, V a, V b);             /* of masks, which may be NULL */
ll_val k_lanes(km *K, ll_val v);      /* as a vector */
V k_mask_place(km *K, int32_t place); /* a mask kept in the context, at this group */
void k_put_mask(km *K, int32_t place, V mask);
LLVMBasicBlockRef k_block(km *K, const char *name);
V k_all_lanes(km *K);
void k_poll_stop(km *K);                              /* leaves when the host asks for it */
V k_bits(km *K, V mask);                              /* a mask as an integer */
k_affine k_affine_of(km *K, int32_t v, ll_val value); /* how an index grows; base NULL: not known */
/* An index that counts from the end where it is negative; `mask`: the lanes that count. */
ll_val k_wrapped(km *K, int32_t v, ll_val i, ll_val n, V mask);
/* emit_kernel_memory.c */
ll_val k_load(km *K, const kir_ins *ins);
void k_store(km *K, const kir_ins *ins);
ll_val k_atomic(km *K, const kir_ins *ins);
ll_val k_bound(km *K, int32_t v);
void k_print(km *K, int32_t at);
void k_fault(km *K, const kir_ins *ins);
/* emit_kernel.c */
V k_place(km *K, int32_t place); /* address of a place of the context */
/* The innermost region at block level with masks; NULL: all threads run. */
const k_region *k_masked(const km *K);

/* ---- kernel_calls.c: what compiled code calls ---- */
void kernel_fault(kernel_cell *c, uint64_t kind_axis, uint64_t line, int64_t a, int64_t b,
                  int64_t block, int64_t thread);
void kernel_say(kernel_cell *c, uint64_t text_n, int64_t block, int64_t thread, uint64_t lanes_mask,
                const gpa_val *args);
void kernel_warp(const int64_t *view, uint64_t row_type, char *context, int64_t place,
                 int64_t mask_place, uint64_t used);
int64_t kernel_vote(const int64_t *view, const char *context, int64_t place, int64_t mask_place,
                    uint64_t row);
void kernel_atomic(uint64_t row_type, const int64_t *places, const void *b, const void *c,
                   void *old, uint64_t mask);

#endif
