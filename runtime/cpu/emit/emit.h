/* Code generation from kir to LLVM IR: one module with one function (cpu_fn) for a program and a
 * plan of its loop nest. */
#ifndef GPA_CPU_EMIT_EMIT_H
#define GPA_CPU_EMIT_EMIT_H

#include "runtime/cpu/emit/target.h"
#include "runtime/ir/kir.h"

typedef enum {
    EMIT_POINTS,  /* no inner dimensions: lanes along `dim` */
    EMIT_ROWS,    /* lanes along the inner dimension `dim`; outer points one by one */
    EMIT_COLUMNS, /* lanes along the outer dimension `dim`; inner points one by one */
    EMIT_TILES    /* no inner dimensions: lanes along `dim`, some rows along `turn` at a time
                     (emit_tiles.c) */
} emit_way;

/* What a function does: everything; the k-th EACH alone; what is left when all EACHs are done (k
 * their number); or joining two states of the k-th EACH. */
enum { EMIT_WHOLE = -1, EMIT_JOIN = -2 }; /* EMIT_JOIN - k */

/* Whether stores bypass the caches. They must be aligned to registers: either every row is, or all
 * rows' results lie alike and what stands before the first boundary is done under a mask. */
typedef enum { STREAM_NO, STREAM_ALIGNED, STREAM_ALIKE } emit_stream;

enum {
    EMIT_TILE = 8,  /* rows and lanes of a tile, at most */
    EMIT_APART = 4, /* stride of lanes that are read by wide loads, at most */
    EMIT_ANY_ROWS = 1,
    EMIT_SHORT_ROWS = 2 /* emit_plan.rows */
};

/* Plans with equal bytes give equal code: zero the structure before filling it. */
typedef struct {
    uint8_t way; /* emit_way */
    int8_t dim;  /* -1: no dimension, one point */
    uint16_t lanes;
    uint32_t stream; /* emit_stream */
    int32_t part;
    int8_t turn;     /* EMIT_TILES: the other dimension of a tile, */
    uint8_t tile;    /* and its rows there, a power of two, no more than lanes; both extents are as
                        large at least */
    uint16_t each;   /* EMIT_POINTS with one lane: points of a trip; 0: one */
    uint32_t halves; /* registers of half the width are used, twice as many */
    uint32_t rows;   /* EMIT_POINTS: a call does whole rows along `dim`: EMIT_ANY_ROWS, or
                        EMIT_SHORT_ROWS + twice the groups of lanes in a */
                     /* row + 1 if lanes are left */
    uint64_t apart[EMIT_APART - 1], back; /* arrays whose stride along `dim` is 2, 3 ...; is -1 */
    uint64_t ahead; /* those so far apart that their lines are asked for ahead */
} emit_plan;

/* What a driver must know of a program. */
typedef struct {
    uint32_t n_each, n_reduce; /* regions; REDUCE instructions in all */
    bool branches; /* IF, LOOP, BLOCK, ATOMIC, a FOR of its own for each point, arrays of a point */
    bool alone;    /* branches that lanes cannot take together: lanes must be 1 */
    bool trips;    /* a FOR */
    bool loops;    /* of single points, of as many trips as each needs */
    bool scans;
    bool plain;          /* little but reading and writing numbers */
    bool complex;        /* some of them complex */
    bool narrow_sums;    /* emit_narrow */
    bool stores_outside; /* STORE outside of EACH */
    uint32_t ops,
        ops_again; /* cost of a point, roughly in instructions; of these inside of `loops` */
    uint8_t widest, widest_again; /* bytes of the widest element computed with; in those */
} emit_facts;

emit_facts emit_examine(const kir_func *f);
/* The dtype that sums of EMIT_NARROW of its elements fit into, if a reduction sums what was cast
 * from small integers or bools, so that neither order nor width of sums changes the result; else
 * DT_NONE. */
enum { EMIT_NARROW = 255 };
gpa_dtype emit_narrow(const kir_func *f, const kir_ins *reduce);
/* How an index (value v) changes along a dimension: not, by 1 from point to point, or otherwise. */
typedef enum { LIES_STILL, LIES_BESIDE, LIES_APART } emit_lie;
emit_lie emit_lies(const kir_func *f, int32_t v, int dim);
/* GPA_E_UNSUPPORTED for what this device cannot do. */
gpa_code emit_module(cpu_target *t, const kir_func *f, const emit_plan *plan, LLVMModuleRef *out,
                     gpa_err *e);

#endif
