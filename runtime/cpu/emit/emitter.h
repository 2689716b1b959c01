/* Internals of the emitter, shared by emit*.c.
 *
 * Levels. Code is emitted at one of five levels: 0 the function's entry; 1 a row of the outer
 * loop nest (every outer coordinate but the last is fixed); 2 an outer point; 3 a row of the
 * inner loop nest; 4 an inner point. A pure value is emitted at the lowest level at which its
 * coordinates are known: this hoists loop invariants during emission. pre[n] is the basic block
 * that receives code of level n, before its terminator, while a deeper level is being emitted. */
#ifndef GPA_CPU_EMIT_EMITTER_H
#define GPA_CPU_EMIT_EMITTER_H

#include "runtime/cpu/emit/emit.h"
#include "runtime/cpu/emit/ll.h"
#include "runtime/cpu/emit/launch_view.h"

enum { LEVEL_ENTRY, LEVEL_OUTER_ROW, LEVEL_OUTER, LEVEL_INNER_ROW, LEVEL_INNER, LEVELS };

/* State of a reduction. Sums of floats and of small integers have a second state for the current
 * block of points. */
typedef struct {
    int32_t ins, of;      /* of: the value that is reduced */
    uint32_t number;      /* index among all reductions of the program */
    gpa_dtype t, block_t; /* of the states */
    V v, im, at;          /* slots; im, at NULL where there is none */
    V block, block_im;
} em_red;

/* An open region with its BREAK and NEXT targets; NULL: this kind of region has no such target. */
typedef struct {
    int32_t at;
    LLVMBasicBlockRef leave, next, otherwise;
    V run, live; /* mask slots (emit_masks.c): active lanes; lanes that run another iteration */
} em_region_of;

typedef struct em {
    ll E;
    const kir_func *f;
    const emit_plan *plan;
    ll_val *vals;
    uint8_t *level;
    int32_t *partner; /* the END of a region's opener, and the opener of an END */
    int cur;
    LLVMBasicBlockRef pre[LEVELS];
    V coord[KIR_MAX_DIMS]; /* scalar: that of lane 0 */
    uint8_t coord_level[KIR_MAX_DIMS];
    bool lanes_live;    /* inside the loop over the vectorized dimension */
    V mask;             /* mask of valid lanes; NULL: all */
    V segment;          /* the first coordinate of the segment; NULL: not in one */
    int segment_level;  /* the level of its row */
    bool usual;         /* the copy for segments in which each BELOW has its usual value */
    V slot[VIEW_SLOTS]; /* view slots loaded so far */
    V pointer[KIR_MAX_ARRAYS][LEVELS];
    V view, lo, hi, from, to, done, part, fresh;
    V block; /* index of the block of lanes relative to that of lo; NULL: that of lo */
    LLVMBasicBlockRef leave; /* the basic block that returns */
    V transposed[KIR_MAX_ARRAYS][EMIT_TILE]
                [2]; /* transposed arrays: lanes of each tile row; re, im */
    unsigned row;    /* current row of the tile */
    V *outside; /* per BOUND hoisted to a lower level: true if out of bounds; each copy of the code
                   tests it */
    uint8_t *proven; /* per instruction: a BOUND that was checked before the loop (em_proven) */
    em_red *reds;    /* reductions of the region being emitted */
    size_t n_reds, cap_reds;
    em_region_of *regions; /* open IF, FOR, LOOP, BLOCK */
    size_t n_regions, cap_regions;
    uint32_t n_each; /* number of EACH regions in the program */
    bool finished;   /* the part to compile is complete: emit nothing after it */
    bool masks;      /* divergent control flow runs under masks (emit_masks.c) */
    bool once; /* the code of a point is long and runs under masks anyway: emit one copy for full
                  vectors and tails */
} em;

/* A range [lo, hi) of points over dimensions in iteration order, the last fastest. */
typedef struct {
    int dims[KIR_MAX_DIMS], n;
    V lo, hi;
    V last; /* extent of the last dimension in this range; NULL: that of the iteration space */
    bool from_zero; /* lo is 0 */
    bool rows;      /* the range consists of whole rows along the last of several dimensions */
    bool lanes;     /* the last dimension is vectorized */
    int64_t block;  /* split rows after this many points and call row_end; 0: whole rows */
    void (*body)(em *M, void *arg);
    void (*row_end)(em *M, void *arg);
    void *arg;
} em_range;

/* PROVEN: not negative and in bounds. PROVEN_WRAPS: in bounds after wrapping. */
typedef enum { UNPROVEN, PROVEN, PROVEN_WRAPS } em_proven;

/* emit.c */
ll_val em_instruction(em *M, int32_t at); /* the value of an instruction that has no region */
void em_open_function(em *M);             /* begins a cpu_fn; the builder is in its entry block */
void em_close_function(em *M);
void em_code(em *M, int32_t from, int32_t to);
/* Moves the builder to the basic block of a level; em_here moves it back. */
LLVMBasicBlockRef em_at(em *M, int level);
void em_here(em *M, LLVMBasicBlockRef block);
V em_slot(em *M, unsigned n); /* a view slot, as int64 */
V em_size(em *M, int dim);
void em_unsupported(em *M, const char *what);

/* emit_points.c */
void em_walk(em *M, const em_range *r);
/* Forgets values computed at `level` and deeper: another copy of that code begins. */
void em_begin_copy(em *M, int level);
LLVMBasicBlockRef em_block(em *M, const char *name);

/* emit_tiles.c */
void em_tiles(em *M, void (*point)(em *M, void *arg));
bool em_is_transposed(const em *M, unsigned array); /* true if an array is read transposed */
ll_val em_load_transposed(em *M, unsigned array,
                          V at); /* its lanes in the current row of the tile that begins at `at` */

/* emit_memory.c */
V em_stride(em *M, unsigned array, int dim);
V em_displace(em *M, V base, V elements,
              gpa_dtype t); /* an address, or a vector of them, plus an offset in elements */
int em_array_level(em *M, unsigned array); /* the level that fixes an access's address */
bool em_array_lanes(em *M, unsigned array);
/* The address of lane 0's element, as far as `level` determines it; for a VIRTUAL array its
 * offset. */
V em_pointer(em *M, unsigned array, int level);
ll_val em_load(em *M, const kir_ins *ins);
void em_store(em *M, const kir_ins *ins);
ll_val em_loadif(em *M, const kir_ins *ins);
ll_val em_iota(em *M, const kir_ins *ins);
ll_val em_below(em *M, const kir_ins *ins);
/* One element (one); all lanes at a vector of addresses: gather and scatter; contiguous
 * lanes from one address on. M->mask selects the lanes. */
ll_val em_load_one(em *M, V at, gpa_dtype t);
ll_val em_load_gathered(em *M, V at, gpa_dtype t);
ll_val em_load_contiguous(em *M, V at, gpa_dtype t);
void em_store_one(em *M, V at, ll_val v);
void em_store_scattered(em *M, V at, ll_val v);
void em_store_contiguous(em *M, V at, ll_val v);
ll_val em_loadx(em *M, const kir_ins *ins);
void em_storex(em *M, const kir_ins *ins);
V em_element(em *M, unsigned array, V index); /* address of an element, or of all lanes' */
ll_val em_param(em *M, const kir_ins *ins);

/* emit_bounds.c */
ll_val em_bound(em *M, const kir_ins *ins);
void em_leave_outside(
    em *M, const kir_ins *ins,
    V bad); /* reports the fault of a BOUND with a uniform index, if `bad` is true */
/* Reports a fault and leaves the function. */
void em_fault(em *M, uint32_t kind, const kir_ins *ins, V a, V b);

/* emit_reduce.c */
void em_each(em *M, int32_t at);
void em_join(em *M, uint32_t each);
void em_reduce(em *M, int32_t at);
ll_val em_scan(em *M, int32_t at);

/* emit_loop.c */
bool em_in_stretches(const em *M, int32_t at); /* true if em_stretches supports the FOR */
void em_stretches(em *M, int32_t at, LLVMBasicBlockRef after);

/* emit_control.c */
void em_poll(em *M); /* polls for interrupts: leaves the function on Ctrl-C */
void em_set_next(em *M, LLVMBasicBlockRef next); /* sets the NEXT target of the innermost region */
void em_region(em *M, int32_t at);
em_region_of *em_open_region(em *M, int32_t at); /* NULL: out of memory */
em_region_of *em_target(em *M,
                        const kir_ins *jump); /* the target region of a BREAK or NEXT; NULL: none */
ll_val em_control(em *M, int32_t at);

/* emit_masks.c */
void em_masked_region(em *M, int32_t at);
void em_masked_jump(em *M, int32_t at);
V em_run(em *M); /* the active lanes; NULL: all */

#endif
