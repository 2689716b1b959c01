/* Code generation from kir to CUDA C: one program and one plan give one source text.
 *
 * The source includes nothing: types, helpers and conversions are emitted where they are used.
 * Everything that a launch decides (addresses, strides, extents, scalars) reaches the kernel as a
 * field of one structure `P`, whose layout the emitter records, so that the source depends on the
 * program and the plan alone. */
#ifndef GPA_CUDA_EMIT_EMIT_H
#define GPA_CUDA_EMIT_EMIT_H

#include "runtime/ir/kir.h"
#include "runtime/base/str.h"
#include "runtime/tables/tuning.h"

/* The thread group that iterates over the inner points of one outer point (a row). */
typedef enum {
    GROUP_NONE,   /* no inner points: a thread takes outer points, or the program is a KERNEL */
    GROUP_THREAD, /* one thread, in order */
    GROUP_WARP,   /* lanes of a warp: all of them, or a power of two */
    GROUP_BLOCK,
    GROUP_COLUMN /* the threads of one column of a block: threads adjacent in x take adjacent outer
                    points, so that their loads coalesce */
} cu_group;

enum {
    PHASE_ALL = -1,
    PHASE_CLAIM = 0,
    PHASE_STORE = 1,
    TILE_SIDE = 32,   /* elements: a warp */
    STRIP_ARRAYS = 16 /* arrays of a program that is laid out in strips, at most */
};

/* How SCANs are computed. IN_PLACE: point by point. TILED: a block of at most
 * TUNE_CUDA_SCAN_MAX_WARPS warps takes tiles; a row that is split among blocks takes two launches,
 * one for the totals and one for the points (reduce-then-scan). LOOKBACK: single-pass scan with
 * decoupled look-back; a block takes one tile. */
typedef enum { SCAN_IN_PLACE, SCAN_TILED, SCAN_LOOKBACK } cu_scan_method;

/* How a program is mapped to threads. It has no padding and is zeroed before it is filled: plans
 * are compared as bytes. */
typedef struct {
    uint8_t group;        /* cu_group */
    uint8_t vec;          /* points of one access along the last dimension (vectorized load) */
    uint8_t unroll;       /* accesses in flight */
    uint8_t row_accesses; /* accesses per thread that keep a whole row in registers; 0: every region
                             loads the row again */
    int16_t phase;    /* PHASE_ALL, or the number of the EACH that this source runs (earlier phases
                         left their results in memory); of a scatter PHASE_CLAIM, PHASE_STORE */
    uint16_t threads; /* of a block, at most */
    uint8_t width;    /* GROUP_COLUMN: columns of a block; GROUP_WARP: lanes of a row; tiles: their
                         side */
    uint8_t column_vec;    /* GROUP_COLUMN: columns of one vectorized load; 0: one */
    uint8_t tile_dim;      /* GROUP_NONE: 1 + the dimension that, with the last one, is traversed in
                              square tiles (transposes); 0: none */
    uint8_t strip_dim;     /* GROUP_NONE: 1 + the dimension along which the accesses of a thread are
                              consecutive (stencils); 0: they are interleaved */
    uint8_t scan;          /* cu_scan_method */
    uint8_t even_extent;   /* `vec` divides the last extent: no access is partial */
    uint8_t random_blocks; /* GROUP_NONE: every access begins with a block of random bits
                              (random_blocks_aligned) */
    uint8_t streaming;     /* rows: loaded data is used once, so loads bypass L1 (no_allocate) */
    uint8_t histogram_copies; /* GROUP_NONE: copies in a block's shared memory that ATOMIC adds to,
                                 with a grid-stride loop (privatized histogram); 0: none */
    /* Strips: array a equals array strip_source[a] shifted by so many elements; itself, 0: it is
     * loaded. */
    uint8_t strip_source[STRIP_ARRAYS], strip_shift[STRIP_ARRAYS];
    uint8_t reserved[7]; /* 0 */
    uint64_t vectorized; /* bit per array: aligned, so that `vec` elements are one access */
} cu_plan;
_Static_assert(sizeof(cu_plan) == 4 + 2 + 2 + 9 + 2 * STRIP_ARRAYS + 7 + 8,
               "cu_plan has no padding");

/* Contents of a field of P; a and b are its operands. */
typedef enum {
    FIELD_BASE,     /* array a: address of the element at its origin */
    FIELD_OFFSET,   /* array a (virtual): its offset */
    FIELD_STRIDE,   /* array a, dimension b */
    FIELD_EXTENT,   /* array a, its own dimension b */
    FIELD_CAPACITY, /* elements in the memory of array a */
    FIELD_SIZE,     /* dimension a of the iteration space */
    FIELD_PARAM,    /* parameter a */
    FIELD_SPAN,  /* accesses along dimension a: extent over vec, or in a strip over unroll, rounded
                    up */
    FIELD_MAGIC, /* multiplier and shift that divide by SPAN of dimension a (b 1: by SIZE) */
    FIELD_SHIFT,
    FIELD_OUTER,         /* outer points */
    FIELD_ACCESSES,      /* accesses of the space (GROUP_NONE) or of the inner space */
    FIELD_PART_ACCESSES, /* accesses of one part of a split row */
    FIELD_SCRATCH,       /* partial states of REDUCE a */
    FIELD_RESULT,        /* results of REDUCE a, per outer point */
    FIELD_COUNTER,       /* parts finished, per group of outer points */
    FIELD_LOOKBACK, /* tile states, row by row: emit_lookback_words of each tile, then of each group
                       of 32 */
    FIELD_CLAIM,    /* STOREX a: per element of its array, 1 + the last point that stores there */
    FIELD_RECORD,   /* the fault record, and its lock */
    FIELD_LOCK,
    FIELD_PRINT,         /* the printf buffer */
    FIELD_INTERRUPT,     /* the interrupt flag, in host memory */
    FIELD_INTERRUPT_SEEN /* copies of the flag in device memory: SEEN_WORDS words, SEEN_STRIDE bytes
                            from one to the next */
} cu_field_kind;

typedef struct {
    uint8_t kind, size; /* bytes */
    uint16_t a, b;
    uint32_t at; /* offset in P */
} cu_field;

/* A source with the layout of its parameter block. */
typedef struct {
    gpa_str text;
    cu_field *fields;
    size_t n_fields, cap_fields;
    size_t bytes;
} cu_source;

/* Properties of a program that decide its plan. */
typedef struct {
    uint32_t n_each, n_reduce, ops; /* ops: estimated cost of one point */
    bool branches;                  /* control flow or variables */
    bool nested;                    /* a region iterates over inner points within control flow */
    bool loops;                     /* a point has no bound on its time */
    bool polls;                     /* polls the interrupt flag */
    bool scans, atomics, faults, prints;
    bool random_blocks; /* random bits whose blocks are shared by adjacent points */
    bool uses_f64;      /* computes in float64 or complex128 */
    bool tiled_scan;    /* has SCANs, all of which can be SCAN_TILED */
    bool lookback;      /* has one, which can be SCAN_LOOKBACK */
    bool scan_scatters; /* such a program also stores at computed offsets */
    bool compacts;      /* which are those of a stream compaction */
    int16_t histogram;  /* the array whose only use is one ATOMIC add of integers, in a program of
                           plain points without EACH; -1: none */
    bool histogram_counts; /* all points add the same value to it */
    bool scatters;     /* without EACH: of the points that store to one element the last one wins */
    bool reread;       /* stored elements are loaded again: loads and stores keep their order */
    bool outer_writes; /* side effects outside of EACH other than STORE */
} cu_facts;

cu_facts emit_facts(const kir_func *f);
/* Bytes in memory of a state of the REDUCE or SCAN at instruction `ins`. */
size_t emit_state_bytes(const kir_func *f, int32_t ins);
/* 64-bit words in which a tile of a look-back scan publishes its state. */
size_t emit_lookback_words(const kir_func *f);
/* Appends the source to out->text and its fields to out->fields (both owned by the caller:
 * emit_free). The kernel is called `name`; P is its only parameter. `literals`: values of the
 * parameters, to be compiled in as literals; or NULL. */
gpa_code emit_source(const kir_func *f, const cu_plan *plan, const gpa_val *literals,
                     const char *name, cu_source *out, gpa_err *e);
void emit_free(cu_source *s);

#endif
