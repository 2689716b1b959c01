/* The emitter's own state, shared by its files: emit.c (the frame), emit_value.c (types,
 * operations, helpers), emit_step.c (instructions), emit_loop.c (loops), emit_private.c (results of
 * a point's own), emit_walk.c (points and batches of them), emit_reduce.c (inner points and how
 * they are joined), emit_scan.c, emit_lookback.c (running reductions), emit_batch.c (what the
 * points of an access share), emit_division.c (quotients and roots). */
#ifndef GPA_CUDA_EMIT_EMITTER_H
#define GPA_CUDA_EMIT_EMITTER_H

#include "runtime/base/base.h"
#include "runtime/cuda/emit/emit.h"
#include "runtime/tables/tuning.h"

/* Pieces of fixed text that a source may need. */
enum {
    NEED_HALF = 1,
    NEED_BFLOAT = 2,
    NEED_CONVERT = 4,
    NEED_PACK = 8,
    NEED_SHUFFLE = 16,
    NEED_FAULT = 32,
    NEED_UPDATE = 64,
    NEED_C64 = 128,
    NEED_C128 = 256,
    NEED_QUOTIENT = 512,
    NEED_SAY = 1024,
    NEED_BINS = 2048,
    NEED_RECORD = 4096,
    NEED_GIVE = 8192,
    NEED_STOP = 16384,
    NEED_EXTREME = 32768,
    NEED_BRIEF = 65536,
    NEED_WIDE = 1 << 17,
    NEED_LOG = 1 << 18,
    NEED_ONCE = 1 << 19
};

/* How loads and stores at the current point are written. */
typedef enum {
    ACCESS_DIRECT, /* in place */
    ACCESS_BATCH   /* loads were made before, into x<array>[u].v[k]; stores go to
                      y<instruction>[u].v[k] */
} cu_access;

/* What a SCAN does where it stands. */
typedef enum {
    SCAN_PLACE, /* the running value of one point, its lanes in step */
    SCAN_TOTAL, /* only joins: the total of a part is wanted */
    SCAN_LOCAL, /* a tile's first pass: within an access */
    SCAN_FINAL, /* its second pass: with all that is before */
    SCAN_MASK,  /* notes which elements of an access are chosen */
    SCAN_STAGE, /* the place of a chosen element among those of the tile, where it waits */
    SCAN_GIVE   /* its place among all: number i of the tile is stored */
} cu_scan;

typedef struct {
    const kir_func *f;
    const cu_plan *plan;
    const gpa_val *numbers; /* the parameters' values, if they are compiled in; or NULL */
    cu_facts facts;
    cu_source *out;
    gpa_str body, helpers;
    bool *helper_done; /* helper x dtype */
    bool *slice;       /* per instruction: a SCAN, or what one is computed from */
    bool *places; /* per instruction, where elements are picked: it stores one, or computes where */
    int32_t *group; /* per instruction: one more than the first random bits that it is computed of
                       alone, where neighbours share them; 0: none; -1: the position of such bits */
    int32_t share_end; /* where the stretch ends in which they do */
    bool *narrow; /* per instruction: an int64 of which 32 bits are wanted, for an offset: an int */
    int32_t *close,
        *outer; /* per opener its END; per instruction the innermost region around it or -1 */
    uint8_t own[KIR_MAX_ARRAYS]; /* elements that every point keeps in registers and gives back at
                                    the end (emit_private.c) */
    uint32_t needs;
    cu_access access;
    cu_scan scan;
    const char *guard; /* condition under which a STORE outside of batches happens; NULL: always */
    uint32_t depth;    /* indentation */
    bool in_each;
    bool brief; /* quotients and roots are written the short way, which notes in `far` where it was
                   not enough */
    bool split; /* reductions join into states q<at>[k], one for each point of an access, not into
                   r<at> */
    bool whole; /* no access of the batch is cut off: its lim is not looked at */
    int32_t each;    /* the EACH that is open: values before it are the same for all its points */
    bool stopped;    /* the source ends here: later regions are other parts */
    int32_t late[8]; /* KERNEL: stores to shared memory that wait until someone could see them */
    unsigned n_late;
    int32_t again; /* the loop whose body is being written a second time, or -1: its labels are
                      others */
    bool jumps; /* BREAK or NEXT: declarations are kept apart from values, since goto may pass them
                 */
    gpa_code rc;
    gpa_err *e;
} em;

/* emit.c */
void em_line(em *E, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "P.name" of a field, added at first use. `buf` holds the text. */
enum { NAME_ROOM = 40 };

const char *em_field(em *E, char *buf, cu_field_kind kind, unsigned a, unsigned b);
void em_unsupported(em *E, const char *what);
/* An array of a FREE program that no other overlaps, reached by offsets: a parameter `own` of a
 * function that is inlined, which is the only way to tell the compiler so. */
bool em_apart(const em *E, unsigned a);
/* Known when compiling to end soon: then the loop can be unrolled, since nothing in it asks for an
 * interrupt. */
bool em_is_short(const kir_func *f, int32_t loop);
static inline bool em_small(const em *E) { return E->f->flags & KIR_F_SMALL; }

/* emit_value.c */
const char *em_type(em *E,
                    gpa_dtype t); /* in registers: halves are floats that a half holds exactly */
const char *em_memory(em *E, gpa_dtype t); /* in memory */
/* The value expression `text` for operands of type t, into out. */
void em_expr(em *E, gpa_str *out, const char *text, gpa_dtype t, const char *a, const char *b,
             const char *c);
void em_literal(em *E, gpa_str *out, gpa_dtype t, gpa_val v);
void em_cast(em *E, gpa_str *out, gpa_dtype from, gpa_dtype to, const char *v);
/* v, an element as memory holds it, as a value; and back. */
void em_unpack(em *E, gpa_str *out, gpa_dtype t, const char *v);
void em_pack(em *E, gpa_str *out, gpa_dtype t, const char *v);
/* Opens or closes the rounding that a result of type t needs. */
const char *em_round(em *E, gpa_dtype t);
/* The fixed text that `needs` asks for, the helpers not included. */
void em_prelude(em *E, gpa_str *out);

/* emit_step.c */
/* Instructions lo .. hi of the program. EACH regions go to em_each. */
void em_steps(em *E, int32_t lo, int32_t hi);
/* The offset of the current point's element of array a, from its base; coordinates are i0, i1 ...
 */
void em_offset(em *E, gpa_str *out, unsigned a);

/* emit_loop.c */
/* Opens a FOR, LOOP or BLOCK; writes all of a FOR that goes in stretches. */
void em_loop(em *E, int32_t at);
bool em_in_stretches(const em *E, int32_t at);
bool em_is_unrolled(
    const em *E,
    int32_t loop); /* so few and short trips that the compiler is told to write all of them out */
void em_loop_end(em *E, int32_t at); /* an END, of whatever region */
void em_jump(em *E, int32_t at);     /* BREAK or NEXT */

/* emit_private.c */
/* Fills E->own. */
void em_find_own(em *E);
/* Declares kept<array>, before the points are computed; and stores what is in them, all threads of
 * the block together. */
void em_declare_own(em *E, gpa_str *out);
void em_give_own(em *E, gpa_str *out);

/* emit_walk.c */
/* A walk over dimensions: in order, the last varies fastest. */
typedef struct {
    int dims[KIR_MAX_DIMS], n;
    int unroll, vec;
    int32_t lo, hi;    /* instructions */
    const char *chunk; /* the chunk of access u */
    const char *end;   /* chunks end here */
} cu_walk;
const char *em_index_type(const em *E);
const char *em_count_type(const em *E);
cu_walk em_walk_over(const em *E, unsigned dims);
/* Coordinates i<d> of chunk `c`. */
void em_coordinates(em *E, const cu_walk *w, const char *c);
void em_open_unrolled(em *E, const char *counter, int n);
void em_close_block(em *E);
/* Declares the registers of a batch and loads them; then its arithmetic and stores. Both in two
 * steps, where it is loaded or stored in several ways: `places` notes where the accesses are, once
 * more. */
void em_batch_load(em *E, const cu_walk *w);
void em_batch_declare(em *E, const cu_walk *w);
void em_batch_fill(em *E, const cu_walk *w);
void em_batch_places(em *E, const cu_walk *w);
void em_batch_compute(em *E, const cu_walk *w);
void em_batch_values(em *E, const cu_walk *w);
void em_batch_store(em *E, const cu_walk *w);
/* Whether nothing but values is computed, also where there is no point. */
bool em_batch_is_pure(const em *E, const cu_walk *w);
/* The coordinates of point k of access u. */
void em_point_of_access(em *E, const cu_walk *w, const char *plus);
/* The same where an access takes neighbours along dimension `outer`, from i<outer> on, which is not
 * walked: chunks c0 + u * step. */
void em_sides_load(em *E, const cu_walk *w, int outer, int step);
bool em_in_order(const em *E);
void em_points(em *E);

/* emit_batch.c */
/* Whether the program is one without inner points, whose points may share random bits or go round a
 * loop together. */
bool em_shares(const em *E, const cu_walk *w);
/* What a batch of such a program computes, for all its points. */
void em_batch_arithmetic(em *E, const cu_walk *w);
/* Instruction `at` of a group: where it is the first, what is computed of these random bits, up to
 * hi, unless the point before has the same; where it is their position, that. */
void em_group(em *E, int32_t at, int32_t hi);

/* emit_division.c */
/* Whether instructions lo .. hi are written the short way first, and then as they are for accesses
 * where that was not enough. */
bool em_can_be_brief(const em *E, int32_t lo, int32_t hi);
/* Operation `at` the short way, if that is wanted and there is one. */
bool em_brief_op(em *E, gpa_str *out, int32_t at);

/* emit_reduce.c */
void em_teams(em *E);
void em_each(em *E, int32_t at);
void em_reduce(em *E, int32_t at);
/* State types and combining functions of the reductions, before the function. */
void em_states(em *E, gpa_str *out);
gpa_dtype em_state_type(const em *E, int32_t at);
/* Whether operation `at` divides floats by a value of the whole region `each`, for which there is a
 * divisor d<value>. */
bool em_by_row(const em *E, int32_t each, int32_t at);
/* Declares state r<at> before its first element; joins it over the block, then every lane holds it;
 * stores a part's. */
void em_start_state(em *E, int32_t at);
void em_join_block(em *E, int32_t at);
void em_put_partial(em *E, int32_t at);
/* An expression for a state that joins with nothing. */
void em_put_start(em *E, gpa_str *x, int32_t at);
const char *em_leader(const em *E); /* the condition under which one lane of a team acts for it */

/* emit_scan.c */
void em_scan(em *E, int32_t at);
void em_start_scan(em *E, int32_t at);
/* Whether region `each` has scans. */
bool em_has_scan(const em *E, int32_t each);
/* Only what scans are computed from is wanted now. */
static inline bool em_only_slice(const em *E) {
    return E->scan == SCAN_TOTAL || E->scan == SCAN_LOCAL || E->scan == SCAN_MASK;
}
/* Region `each` tile by tile; or only the totals of this block's part of it. */
void em_scan_tiles(em *E, int32_t each);
void em_scan_totals(em *E, int32_t each);
cu_walk em_walk_tiles(const em *E, int32_t each);

/* emit_lookback.c */
/* Whether a running count of true elements is wanted for nothing but the places where those
 * elements are stored: `places` (zeroed, n_code) then tells what computes them. */
bool em_picks(const kir_func *f, bool *places);
/* This block's tile of a chain. */
void em_scan_chain(em *E, int32_t each);
/* Which tile of the chain this block has: `tile`, and its accesses from `first` to `end` of
 * `chunks`. */
void em_scan_take_tile(em *E, const char *chunks);

#endif
