/* From kir to CUDA C: one program and one plan give one source.
 *
 * The source includes nothing: types, helpers and conversions stand in it where they are used.
 * Everything that a launch decides (memory, strides, extents, numbers) reaches it as a field of one
 * structure `P`, whose layout the emitter records, so that the source depends on the program and
 * the plan alone. */
#ifndef GPA_CUDA_EMIT_EMIT_H
#define GPA_CUDA_EMIT_EMIT_H

#include "runtime/ir/kir.h"
#include "runtime/base/str.h"

/* Who walks the inner points of one outer point. */
typedef enum {
    TEAM_NONE,   /* there are no inner points: a thread takes outer points, or it is a KERNEL */
    TEAM_THREAD, /* one thread, in order */
    TEAM_WARP,
    TEAM_BLOCK,
    TEAM_COLUMN /* the threads of one column of a block: neighbours in x take neighbouring outer
                   points */
} cu_team;

enum {
    PLAN_WHOLE = -1,
    PART_CLAIM = 0,
    PART_STORE = 1,
    TILE = 32,                        /* the side of a tile: a warp */
    STRIP_ARRAYS = 16,                /* of a program that goes by strips, at most */
    CU_STATIC_SHARED_BYTES = 48 << 10 /* of a block, without asking the driver for more */
};

/* How SCANs go: in place; or by tiles of a block of SCAN_WARPS warps at most, which when divided
 * take two parts: the totals, then the points; or in a chain: a block takes a part, and looks at
 * what earlier ones have published. */
typedef enum { SCAN_STEPS, SCAN_TILES, SCAN_CHAIN } cu_scan_way;

/* How a program is laid out over threads. Zeroed before it is filled: plans are compared as bytes.
 */
typedef struct {
    uint8_t team;   /* cu_team */
    uint8_t vec;    /* points of one access along the last dimension */
    uint8_t unroll; /* accesses in flight */
    uint8_t keep;   /* accesses per lane that hold a whole row in registers; 0: the row is read in
                       each region */
    int16_t part; /* PLAN_WHOLE, or the EACH that this source runs (earlier ones left their results
                     in memory); a scatter's PART_CLAIM, PART_STORE */
    uint16_t threads; /* of a block, at most */
    uint8_t width;    /* TEAM_COLUMN: columns of a block; tiles: their side */
    uint8_t side;     /* TEAM_COLUMN: columns of one access, while rows are read; 0: one */
    uint8_t tile;  /* no team: 1 + the dimension that, with the last one, is walked in square tiles;
                      0: in rows */
    uint8_t strip; /* no team: 1 + the dimension along which the accesses of a thread follow each
                      other; 0: they lie side by side */
    uint8_t scan;  /* cu_scan_way */
    uint8_t even;  /* the last dimension is a multiple of `vec`, so that every access is whole */
    uint8_t blocks; /* no team: every access begins with a block of random bits (bits_begin) */
    uint8_t once;   /* rows: what is read comes from memory and is used once, so that it takes no
                       place in the nearest cache */
    uint8_t bins; /* no team: what ATOMIC adds is gathered in so many copies in each block's shared
                     memory, and blocks take points in turn */
    uint8_t lead[STRIP_ARRAYS], ahead[STRIP_ARRAYS]; /* strips: array a is array lead[a] so many
                                                        elements ahead; its own: itself, 0 */
    uint64_t wide; /* bit per array: aligned, so that `vec` elements are one access */
} cu_plan;

/* What a field of P holds; a and b say which. */
typedef enum {
    FIELD_BASE,   /* array a: address of the element at its origin */
    FIELD_OFFSET, /* array a (virtual): its offset */
    FIELD_STRIDE, /* array a, dimension b */
    FIELD_EXTENT, /* array a, dimension b of its own */
    FIELD_ROOM,   /* elements in the memory of array a */
    FIELD_SIZE,   /* dimension a of the space */
    FIELD_PARAM,  /* parameter a */
    FIELD_SPAN, /* accesses along dimension a: its size over vec, or in a strip over unroll, rounded
                   up */
    FIELD_MAGIC, /* multiplier and shift that divide by SPAN of dimension a (b 1: by SIZE) */
    FIELD_SHIFT,
    FIELD_OUTER,   /* outer points */
    FIELD_CHUNKS,  /* accesses of the space (no team) or of the inner space */
    FIELD_LENGTH,  /* accesses of one part */
    FIELD_SCRATCH, /* partial states of REDUCE a */
    FIELD_DONE,    /* results of REDUCE a, per outer point */
    FIELD_COUNTER, /* parts finished, per group of outer points */
    FIELD_CHAIN,   /* what tiles publish, row by row: emit_chain_words of each tile, then of each 32
                    */
    FIELD_CLAIM,  /* STOREX a: per element of its array, the last point that stores there, plus 1 */
    FIELD_RECORD, /* where a fault is reported, and the word that the first one takes */
    FIELD_LOCK,
    FIELD_SAY,  /* where it prints */
    FIELD_STOP, /* the interrupt flag */
    FIELD_TOLD  /* TOLD_WORDS words, TOLD_APART bytes apart: not 0 when somebody has found it set */
} cu_field_kind;

typedef struct {
    uint8_t kind, size; /* bytes */
    uint16_t a, b;
    uint32_t at;
} cu_field;

/* A source with the layout of its parameter block. */
typedef struct {
    gpa_str text;
    cu_field *fields;
    size_t n_fields, cap_fields;
    size_t bytes;
} cu_source;

/* What planning wants to know about a program. */
typedef struct {
    uint32_t n_each, n_reduce, ops; /* ops: cost of one point, about */
    bool branches;                  /* control flow or variables */
    bool nested;                    /* a region walks inner points within control flow */
    bool loops;                     /* a point may take any time */
    bool stops;                     /* it asks whether it was interrupted */
    bool scans, atomics, faults, prints;
    bool bits;     /* there are random bits that neighbours share */
    bool doubles;  /* it computes in float64, or with complex numbers of such */
    bool tiles;    /* there are SCANs, and they can go by tiles */
    bool chains;   /* one, also in a chain */
    bool packs;    /* such a program stores at computed places */
    bool picks;    /* which are those of chosen elements, side by side */
    int16_t bins;  /* an array whose only use is one ATOMIC that adds integers, of a plain program
                      without EACH; -1: none */
    bool counts;   /* which adds the same number at all points */
    bool scatters; /* without EACH: of the points that store to one element the last one wins */
    bool reread;   /* what is stored is loaded again: loads and stores keep their order */
    bool outer_writes; /* outside of EACH something other than STORE writes or reports */
} cu_facts;

cu_facts emit_facts(const kir_func *f);
/* Bytes of a state of REDUCE number `ins` in memory. */
size_t emit_state_bytes(const kir_func *f, int32_t ins);
/* 64-bit words in which a tile of a chain publishes its state. */
size_t emit_chain_words(const kir_func *f);
/* Appends the source to out->text and its fields to out->fields (both owned by the caller:
 * emit_free). The function is called `name`; P is its only parameter. `numbers`: values of the
 * parameters, which are compiled in; or NULL. */
gpa_code emit_source(const kir_func *f, const cu_plan *plan, const gpa_val *numbers,
                     const char *name, cu_source *out, gpa_err *e);
void emit_free(cu_source *s);

#endif
