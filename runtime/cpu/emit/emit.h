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
    EMIT_TILES    /* no inner dimensions: tiles of lanes along `dim` and rows along `row_dim`
                     (emit_tiles.c) */
} emit_nest;

/* The part of a program that a function computes: everything; the k-th EACH alone; the rest after
 * all EACHs (k is their number); or the join of two states of the k-th EACH. */
enum { EMIT_WHOLE = -1, EMIT_JOIN = -2 }; /* EMIT_JOIN - k */

/* Streaming (non-temporal) stores, which must be aligned to vector registers. STREAM_ALIGNED: every
 * row of the results is aligned. STREAM_ALIKE: all results have the same misalignment in each row,
 * and a masked step stores the elements before the first boundary. */
typedef enum { STREAM_NO, STREAM_ALIGNED, STREAM_ALIKE } emit_stream;

enum {
    EMIT_TILE = 8,            /* maximum rows and lanes of a tile */
    EMIT_MAX_WIDE_STRIDE = 4, /* maximum stride between lanes for wide loads instead of gathers */
    EMIT_ANY_ROWS = 1,
    EMIT_SHORT_ROWS = 2 /* emit_plan.rows */
};

/* Plans with equal bytes give equal code: zero the structure before filling it. */
typedef struct {
    uint8_t nest; /* emit_nest */
    uint8_t tile; /* EMIT_TILES: rows of a tile, a power of two, at most `lanes`; both extents hold
                     at least one tile */
    int16_t dim;  /* -1: no dimension, one point */
    int16_t row_dim; /* EMIT_TILES: the other dimension of a tile */
    uint16_t lanes;
    uint32_t stream; /* emit_stream */
    int32_t part;
    uint16_t each;       /* EMIT_POINTS with one lane: points per iteration; 0: one */
    uint16_t half_width; /* use vector registers of half the width, and twice as many */
    uint32_t rows;       /* EMIT_POINTS: a call computes whole rows along `dim`: EMIT_ANY_ROWS, or
                            EMIT_SHORT_ROWS + 2 * full vectors per row + 1 if lanes remain */
    uint64_t strided[EMIT_MAX_WIDE_STRIDE - 1],
        back;          /* arrays with stride 2, 3 or 4 along `dim`; with stride -1 */
    uint64_t ahead;    /* arrays with large strides, whose cache lines are prefetched */
    uint64_t segments; /* 1: rows end at boundaries (BELOW), with one copy of the code for segments
                          in which each has its usual value, and one for the others */
} emit_plan;

/* Properties of a program that decide its plan. The costs of a program with EACH regions are those
 * of the inner points: what is computed before or after them (an epilogue fused into a reduction)
 * must not change the order of the reduction. */
typedef struct {
    uint32_t n_each, n_reduce; /* EACH regions; REDUCE instructions in all */
    bool branches;   /* IF, LOOP, BLOCK, ATOMIC, a FOR whose trip count differs from point to point,
                        arrays local to a point */
    bool unmaskable; /* some branches cannot run under masks: lanes must be 1 */
    bool trips;      /* contains a FOR */
    bool loops;      /* contains a loop whose trip count differs from point to point */
    bool scans;
    bool plain;                 /* only loads, stores and cheap operations */
    bool complex;               /* some loads or stores are complex */
    bool halves;                /* some values are float16 */
    bool narrow_sums;           /* some reduction has an emit_narrow dtype */
    bool stores_outside;        /* STORE outside of EACH */
    uint32_t ops, ops_in_loops; /* estimated instructions per point; those of them inside `loops` */
    uint8_t widest, widest_in_loops; /* bytes of the widest element computed with; in `loops` */
} emit_facts;

emit_facts emit_examine(const kir_func *f);
/* A dtype wide enough for sums of EMIT_NARROW elements, if a reduction sums values cast from
 * small integers or bools, so that neither order nor width of sums changes the result; else
 * DT_NONE. */
enum { EMIT_NARROW = 255 };
gpa_dtype emit_narrow(const kir_func *f, const kir_ins *reduce);
/* Access pattern of an index (value v) along a dimension: stride 0 (broadcast), unit stride, or
 * other. */
typedef enum { ACCESS_BROADCAST, ACCESS_UNIT_STRIDE, ACCESS_STRIDED } emit_access;
emit_access emit_access_along(const kir_func *f, int32_t v, int dim);
/* Emits the module of a plan, owned by the caller. GPA_E_UNSUPPORTED for programs that this device
 * cannot run. */
gpa_code emit_module(cpu_target *t, const kir_func *f, const emit_plan *plan, LLVMModuleRef *out,
                     gpa_err *e);

#endif
