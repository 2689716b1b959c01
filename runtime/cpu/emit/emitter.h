/* The emitter's insides, shared by emit*.c.
 *
 * Levels. Code stands at one of five levels: 0 the function's entry; 1 a row of the outer walk
 * (every outer coordinate but the last is fixed); 2 an outer point; 3 a row of the inner walk; 4 an
 * inner point. A pure value is emitted at the lowest level at which its coordinates are known:
 * invariants leave the loops as they are written. pre[n] is the block that code of level n is added
 * to, before its terminator, while a deeper level is being emitted. */
#ifndef GPA_CPU_EMIT_EMITTER_H
#define GPA_CPU_EMIT_EMITTER_H

#include "runtime/cpu/emit/emit.h"
#include "runtime/cpu/emit/ll.h"
#include "runtime/cpu/emit/launch_view.h"

enum { LEVEL_ENTRY, LEVEL_OUTER_ROW, LEVEL_OUTER, LEVEL_INNER_ROW, LEVEL_INNER, LEVELS };

/* A running reduction: its state, and for sums of floats and of small integers a second state for
 * the current block of points. */
typedef struct {
    int32_t ins, of;      /* of: the value that it takes */
    uint32_t number;      /* among all reductions of the program */
    gpa_dtype t, block_t; /* of the states */
    V v, im, at;          /* slots; im, at NULL where there is none */
    V block, block_im;
} em_red;

/* An open region: where BREAK and NEXT lead; NULL: not for this kind. */
typedef struct {
    int32_t at;
    LLVMBasicBlockRef leave, next, otherwise;
    V run, live; /* slots of emit_masks.c: the lanes that are at work in it; those that will make
                    another trip */
} em_region_of;

typedef struct em {
    ll E;
    const kir_func *f;
    const emit_plan *plan;
    ll_val *vals;
    uint8_t *level;
    int32_t *partner; /* of a region's opener its END */
    int cur;
    LLVMBasicBlockRef pre[LEVELS];
    V coord[KIR_MAX_DIMS]; /* scalar: of lane 0 */
    uint8_t coord_level[KIR_MAX_DIMS];
    bool lanes_live;    /* the dimension of the lanes is being walked */
    V mask;             /* lanes that exist; NULL: all */
    V slot[VIEW_SLOTS]; /* view slots already read */
    V pointer[KIR_MAX_ARRAYS][LEVELS];
    V view, lo, hi, from, to, done, part, fresh;
    V block;                 /* which block of lanes, counted from lo's; NULL: lo's */
    LLVMBasicBlockRef leave; /* returns */
    V turned[KIR_MAX_ARRAYS][EMIT_TILE][2]; /* of arrays read across, the lanes of each row of the
                                               tile, and their imaginary parts */
    unsigned row;                           /* of the tile */
    V *outside; /* of a BOUND that is known at a lower level, whether it faults: each copy of the
                   code asks */
    uint8_t *proven; /* per instruction: a BOUND that was checked ahead (em_proven) */
    em_red *reds;    /* of the region being emitted */
    size_t n_reds, cap_reds;
    em_region_of *regions; /* open IF, FOR, LOOP, BLOCK */
    size_t n_regions, cap_regions;
    uint32_t n_each; /* in the program */
    bool finished;   /* a part is complete: nothing after it is emitted */
    bool masks;      /* lanes go different ways (emit_masks.c) */
    bool once; /* the code of a point is long, and takes masks anyway: one copy serves whole groups
                  of lanes and tails */
} em;

/* A range [lo, hi) of points over dimensions in travel order, the last fastest. */
typedef struct {
    int dims[KIR_MAX_DIMS], n;
    V lo, hi;
    V last;         /* the extent of the last dimension here; NULL: the space's */
    bool from_zero; /* lo is 0 */
    bool rows;  /* it is made of whole rows along the last dimension, which is not the only one */
    bool lanes; /* the last dimension is walked in lanes */
    int64_t block; /* cut rows after so many points and call row_end; 0: whole rows */
    void (*body)(em *M, void *arg);
    void (*row_end)(em *M, void *arg);
    void *arg;
} em_range;

/* PROVEN: not negative and inside. PROVEN_WRAPS: inside when wrapped. */
typedef enum { UNPROVEN, PROVEN, PROVEN_WRAPS } em_proven;

/* emit.c */
ll_val em_instruction(em *M, int32_t at); /* the value of an instruction that has no region */
void em_open_function(em *M);             /* a cpu_fn; the builder stands in its entry */
void em_close_function(em *M);
void em_code(em *M, int32_t from, int32_t to);
/* Moves the builder to a level; em_here moves back to the current one. */
LLVMBasicBlockRef em_at(em *M, int level);
void em_here(em *M, LLVMBasicBlockRef block);
V em_slot(em *M, unsigned n); /* a view slot as int64 */
V em_size(em *M, int dim);
void em_unsupported(em *M, const char *what);

/* emit_walk.c */
void em_walk(em *M, const em_range *r);
/* Forgets what was computed at `level` and deeper: another copy of that code begins. */
void em_begin_copy(em *M, int level);
LLVMBasicBlockRef em_block(em *M, const char *name);

/* emit_tiles.c */
void em_tiles(em *M, void (*point)(em *M, void *arg));
bool em_turned(const em *M, unsigned array); /* whether an array is read across */
ll_val em_load_turned(em *M, unsigned array,
                      V at); /* its elements of a row of the tile that begins there */

/* emit_memory.c */
V em_stride(em *M, unsigned array, int dim);
V em_displace(em *M, V base, V elements,
              gpa_dtype t);                /* an address, or those of lanes, so many elements on */
int em_array_level(em *M, unsigned array); /* the level at which an array's element is known */
bool em_array_lanes(em *M, unsigned array);
/* The address of the element of lane 0, as far as `level` knows it; of a VIRTUAL array its offset.
 */
V em_pointer(em *M, unsigned array, int level);
ll_val em_load(em *M, const kir_ins *ins);
void em_store(em *M, const kir_ins *ins);
ll_val em_iota(em *M, const kir_ins *ins);
/* An element, or those of all lanes: at their addresses, or side by side from one on. M->mask says
 * which count. */
ll_val em_load_one(em *M, V at, gpa_dtype t);
ll_val em_load_apart(em *M, V at, gpa_dtype t);
ll_val em_load_beside(em *M, V at, gpa_dtype t);
void em_store_one(em *M, V at, ll_val v);
void em_store_apart(em *M, V at, ll_val v);
void em_store_beside(em *M, V at, ll_val v);
ll_val em_loadx(em *M, const kir_ins *ins);
void em_storex(em *M, const kir_ins *ins);
V em_element(em *M, unsigned array, V index); /* the address of an element, or of all lanes' */
ll_val em_bound(em *M, const kir_ins *ins);
void em_leave_outside(
    em *M, const kir_ins *ins,
    V bad); /* the fault of a BOUND of the same index for all lanes, where it is bad */
/* Reports a fault and leaves the function. */
void em_fault(em *M, uint32_t kind, const kir_ins *ins, V a, V b);
ll_val em_param(em *M, const kir_ins *ins);

/* emit_reduce.c */
void em_each(em *M, int32_t at);
void em_join(em *M, uint32_t each);
void em_reduce(em *M, int32_t at);
ll_val em_scan(em *M, int32_t at);

/* emit_loop.c */
bool em_in_stretches(const em *M, int32_t at); /* whether a FOR is one for the next function */
void em_stretches(em *M, int32_t at, LLVMBasicBlockRef after);

/* emit_control.c */
void em_poll(em *M);                             /* Ctrl-C ends the function here */
void em_set_next(em *M, LLVMBasicBlockRef next); /* where NEXT of the innermost region leads */
void em_region(em *M, int32_t at);
em_region_of *em_open_region(em *M, int32_t at); /* NULL: no memory */
em_region_of *em_target(em *M,
                        const kir_ins *jump); /* of a BREAK or NEXT; NULL: it leads nowhere */
ll_val em_control(em *M, int32_t at);

/* emit_masks.c */
void em_masked_region(em *M, int32_t at);
void em_masked_jump(em *M, int32_t at);
V em_run(em *M); /* the lanes at work here; NULL: all */

#endif
