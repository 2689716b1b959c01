/* State of the CUDA C code generator, shared by its files.
 *
 * Reading order: emit.c (analysis and the frame of a source), emit_value.c (types, literals, casts,
 * expressions, fixed text), emit_step.c (instructions), emit_loop.c (loops and interrupt polling),
 * emit_points.c (iteration over points), emit_batch.c (values shared by the points of an access),
 * emit_division.c (branch-free division and square root), emit_private.c (arrays kept in
 * registers), emit_reduce.c (reductions by thread groups), emit_scan.c and emit_lookback.c (prefix
 * sums). */
#ifndef GPA_CUDA_EMIT_EMITTER_H
#define GPA_CUDA_EMIT_EMITTER_H

#include "runtime/base/base.h"
#include "runtime/cuda/emit/emit.h"

/* Pieces of fixed text (the prelude) that a source uses. */
enum {
    NEED_HALF = 1,
    NEED_BFLOAT = 2,
    NEED_CONVERT = 4,
    NEED_PACK = 8,
    NEED_SHUFFLE = 16,
    NEED_FAULT = 32,
    NEED_CAS_LOOP = 64,
    NEED_C64 = 128,
    NEED_C128 = 256,
    NEED_RECIPROCAL = 512,
    NEED_PRINT = 1024,
    NEED_HISTOGRAM = 2048,
    NEED_FAULT_RECORD = 4096,
    NEED_COPY_OUT = 8192,
    NEED_POLL = 16384,
    NEED_MINMAX = 32768,
    NEED_FAST_DIVISION = 65536,
    NEED_WIDE_MULTIPLY = 1 << 17,
    NEED_POSITIVE_LOG = 1 << 18,
    NEED_STREAMING_LOAD = 1 << 19
};

/* How loads and stores of the current point are written. */
typedef enum {
    ACCESS_DIRECT, /* to memory */
    ACCESS_BATCH   /* loads were made before, into x<array>[u].v[k]; stores go to
                      y<instruction>[u].v[k] */
} em_access_mode;

/* The code that a SCAN instruction emits. */
typedef enum {
    PASS_POINT, /* the running value of one point, the lanes of a block in step */
    PASS_TOTAL, /* reduction only: the total of a part */
    PASS_LOCAL, /* first pass over a tile: the scan within an access */
    PASS_FINAL, /* second pass over a tile: with the exclusive prefix of the access */
    PASS_MASK,  /* compaction: the mask of the selected elements of an access */
    PASS_STAGE, /* compaction: stages a selected element in shared memory at its index in the tile
                 */
    PASS_STORE  /* compaction: stores element i of the staged ones at its global index */
} em_scan_pass;

typedef struct {
    const kir_func *f;
    const cu_plan *plan;
    const gpa_val *literals; /* values of the parameters, compiled in; or NULL */
    cu_facts facts;
    cu_source *out;
    gpa_str body, helpers;
    bool *helper_done; /* helper x dtype: emitted */
    bool *scan_slice;  /* per instruction: a SCAN, or in the backward slice of one */
    bool *compaction;  /* per instruction, of a compaction: a store of selected elements, or in the
                          backward slice of its index */
    int32_t *random_group; /* per instruction: 1 + the block of random bits that it is a function
                              of alone, where adjacent points share such blocks; 0: none; -1: the
                              counter of such a block */
    int32_t segment_end;   /* end of the instructions in which blocks are shared */
    bool *as_int32; /* per instruction: an int64 of which an offset needs the low 32 bits: an int */
    int32_t *end_of;    /* per region opener: its END */
    int32_t *enclosing; /* per instruction: the innermost region around it, or -1 */
    uint8_t private_elems[KIR_MAX_ARRAYS]; /* elements that a point keeps in registers
                                              (emit_private.c) */
    uint32_t needs;                        /* NEED_... */
    em_access_mode access;
    em_scan_pass pass;
    const char *guard; /* condition of a STORE outside of batches; NULL: unconditional */
    uint32_t indent;
    bool in_region;      /* inside an EACH */
    bool fast_division;  /* division and roots are written without branches; `far` collects the
                            operands outside of their range */
    bool split_states;   /* reductions accumulate in q<at>[k], one state per point of an access,
                            instead of r<at> */
    bool full;           /* no access of the batch is partial: its limit is not tested */
    int32_t region;      /* the open EACH: values computed before it are invariant in it */
    bool ended;          /* the source ends here: later regions belong to other phases */
    int32_t deferred[8]; /* KERNEL: stores to shared memory, delayed until a possible reader */
    unsigned n_deferred;
    int32_t second_copy; /* the loop whose body is being written a second time (the remainder loop),
                            whose labels get a suffix; -1: none */
    bool has_jumps;      /* BREAK or NEXT: declarations are separate from initializations, since C++
                            forbids a goto past an initialization */
    gpa_code rc;
    gpa_err *e;
} em;

/* emit.c */
void em_line(em *E, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
enum { FIELD_NAME_BYTES = 40 };

/* "P.name" of a field, added at first use. `buf` holds the text. */
const char *em_field(em *E, char buf[FIELD_NAME_BYTES], cu_field_kind kind, unsigned a, unsigned b);
void em_unsupported(em *E, const char *what);
/* True for an array of a FREE program that no other array overlaps and that is accessed by offset:
 * it becomes the __restrict__ parameter `own<a>` of an inlined function, since the compiler ignores
 * __restrict__ on structure members. */
bool em_is_restrict(const em *E, unsigned a);
/* True if the trip count of a loop is bounded at compile time: it need not poll for interrupts, and
 * can be unrolled. */
bool em_is_short(const kir_func *f, int32_t loop);
/* All offsets and counts fit in 32 bits. */
static inline bool em_is_32bit(const em *E) { return E->f->flags & KIR_F_SMALL; }

/* emit_value.c */
/* The type of a value in registers: halves are floats that a half represents exactly. */
const char *em_type(em *E, gpa_dtype t);
/* The type of an element in memory. */
const char *em_memory(em *E, gpa_dtype t);
/* Operands of an expression; those beyond its arity repeat another one. */
typedef struct {
    const char *a, *b, *c;
} em_operands;

/* The value expression `text` (op.def) for operands of type t, into out. */
void em_expr(em *E, gpa_str *out, const char *text, gpa_dtype t, em_operands x);
void em_literal(em *E, gpa_str *out, gpa_dtype t, gpa_val v);
void em_cast(em *E, gpa_str *out, gpa_dtype from, gpa_dtype to, const char *v);
/* Converts v from its representation in memory to a value in registers; and back. */
void em_unpack(em *E, gpa_str *out, gpa_dtype t, const char *v);
void em_pack(em *E, gpa_str *out, gpa_dtype t, const char *v);
/* The function that rounds a result to type t; "" where the arithmetic does. */
const char *em_round(em *E, gpa_dtype t);
/* The fixed text that E->needs names. */
void em_prelude(em *E, gpa_str *out);

/* emit_step.c */
/* Instructions lo .. hi of the program. EACH regions go to em_each. */
void em_instructions(em *E, int32_t lo, int32_t hi);
/* The offset of the current point's element of array a from its base; coordinates are i0, i1 ... */
void em_offset(em *E, gpa_str *out, unsigned a);

/* emit_loop.c */
/* Opens a FOR, LOOP or BLOCK; writes all of a strip-mined FOR. */
void em_loop(em *E, int32_t at);
/* True for a counted loop that runs in strips, with an interrupt poll between them. */
bool em_is_strip_mined(const em *E, int32_t at);
/* True if the loop is short enough for `#pragma unroll`. */
bool em_is_unrolled(const em *E, int32_t loop);
void em_loop_end(em *E, int32_t at); /* an END, of any region */
void em_jump(em *E, int32_t at);     /* BREAK or NEXT */

/* emit_private.c */
/* Fills E->private_elems. */
void em_find_private(em *E);
/* Declares kept<array>, before the points are computed; and copies them to memory, all threads of
 * the block together. */
void em_declare_private(em *E, gpa_str *out);
void em_copy_out_private(em *E, gpa_str *out);

/* emit_points.c */
/* Iteration over points: dimensions in C order (the last one varies fastest), instructions lo ..
 * hi. */
typedef struct {
    int dims[KIR_MAX_DIMS], n;
    int unroll, vec;
    int32_t lo, hi;
    const char *access; /* expression: the number of access u */
    const char *limit;  /* expression: the number of accesses */
} em_iteration;
const char *em_index_type(const em *E);
const char *em_count_type(const em *E);
em_iteration em_iterate_over(const em *E, unsigned dims);
/* Declares coordinates i<d> of access `c`. */
void em_coordinates(em *E, const em_iteration *w, const char *c);
void em_open_unrolled(em *E, const char *counter, int n);
void em_close_block(em *E);
/* A batch is unroll x vec points: all loads, then the arithmetic, then the stores. em_batch_load =
 * declare + fill; em_batch_compute = values + store. em_batch_coordinates recomputes the
 * coordinates of the accesses without loading. */
void em_batch_load(em *E, const em_iteration *w);
void em_batch_declare(em *E, const em_iteration *w);
void em_batch_fill(em *E, const em_iteration *w);
void em_batch_coordinates(em *E, const em_iteration *w);
void em_batch_compute(em *E, const em_iteration *w);
void em_batch_values(em *E, const em_iteration *w);
void em_batch_store(em *E, const em_iteration *w);
/* True if the batch has no side effects but STORE: it may be computed speculatively, out of
 * bounds. */
bool em_batch_is_pure(const em *E, const em_iteration *w);
/* True if an instruction with this kir_code has another side effect than STORE's. */
bool em_has_effect(uint8_t code);
/* Declares the coordinates of access u, `plus` added to the last one. */
void em_point_of_access(em *E, const em_iteration *w, const char *plus);
/* Loads where an access takes adjacent points along dimension `outer`, from i<outer> on, which is
 * not iterated over: accesses c0 + u * step. */
void em_columns_load(em *E, const em_iteration *w, int outer, int step);
/* True if points are computed one at a time, without batches. */
bool em_in_order(const em *E);
/* A program without inner points. */
void em_all_points(em *E);

/* emit_batch.c */
/* True if a batch is computed instruction segment by instruction segment, so that its points can
 * share random bits and loops (loop interchange). */
bool em_batches_instructions(const em *E, const em_iteration *w);
/* The arithmetic of such a batch, for all its points. */
void em_batch_arithmetic(em *E, const em_iteration *w);
/* Instruction `at` of a random group: at the block itself, everything that depends on it alone, up
 * to hi, guarded so that the next point reuses it; at its counter, the counter. */
void em_random_group(em *E, int32_t at, int32_t hi);

/* emit_division.c */
/* True if instructions lo .. hi are worth branch-free division (with a slow path for accesses that
 * leave its range). */
bool em_can_divide_fast(const em *E, int32_t lo, int32_t hi);
/* Appends operation `at` in branch-free form; false if it has none or it is not enabled. */
bool em_fast_division(em *E, gpa_str *out, int32_t at);

/* emit_reduce.c */
/* A program with inner points, and one of its EACH regions. */
void em_inner_points(em *E);
void em_each(em *E, int32_t at);
void em_reduce(em *E, int32_t at);
/* State types and combining functions of the reductions, before the kernel. */
void em_states(em *E, gpa_str *out);
gpa_dtype em_state_type(const em *E, int32_t at);
/* True if operation `at` divides floats by a value that is invariant in region `each`, for which
 * there is a precomputed divisor d<value>. */
bool em_divides_by_invariant(const em *E, int32_t each, int32_t at);
/* Declares state r<at> with the identity element; reduces it over the block, to all lanes; stores
 * that of a part. */
void em_start_state(em *E, int32_t at);
void em_join_block(em *E, int32_t at);
void em_put_partial(em *E, int32_t at);
/* Joins the partial states of parts [0, `parts`), an expression, to that of each lane. */
void em_join_partials(em *E, int32_t at, const char *parts);
/* An expression for the identity element. */
void em_put_identity(em *E, gpa_str *x, int32_t at);
/* The condition under which one lane acts for its thread group. */
const char *em_leader(const em *E);

/* emit_scan.c */
void em_scan(em *E, int32_t at);
void em_start_scan(em *E, int32_t at);
bool em_has_scan(const em *E, int32_t each);
/* The pass needs the backward slice of the scans alone. */
static inline bool em_only_slice(const em *E) {
    return E->pass == PASS_TOTAL || E->pass == PASS_LOCAL || E->pass == PASS_MASK;
}
/* Region `each` tile by tile; or the totals of this block's part of it alone. */
void em_scan_tiles(em *E, int32_t each);
void em_scan_totals(em *E, int32_t each);
em_iteration em_iterate_tiles(const em *E, int32_t each);

/* emit_lookback.c */
/* True if a scan counts the true elements of a mask, and the count is used for nothing but the
 * index at which selected elements are stored (stream compaction): `compaction` (zeroed, n_code)
 * then marks the stores and the backward slice of their index. */
bool em_is_compaction(const kir_func *f, bool *compaction);
/* This block's tile of a look-back scan. */
void em_scan_lookback(em *E, int32_t each);
/* Declares this block's `tile`, and its accesses `first` .. `end` of `accesses`. */
void em_scan_take_tile(em *E, const char *accesses);

#endif
