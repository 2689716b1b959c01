/* Launches of elementwise programs: choice of lanes and loop order, work sharing among threads,
 * combination of partial reductions.
 *
 * Everything that decides the order of arithmetic - lanes, chunks, the reduction tree that joins
 * partial states - depends on the program and the sizes alone, never on the number of threads:
 * the same input gives the same bits.
 *
 * Reading order: run_plan, plan_tiles, run_launch, run_whole, run_tiles, run_divided. */
#include "runtime/cpu/run/run.h"

#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/threads.h"

enum {
    SMALL_WORK = 1 << 15,  /* operations below which a launch stays on the calling thread */
    SMALL_BYTES = 1 << 20, /* bytes below which a divided reduction does so */
    CHUNK_WORK = 1 << 18,  /* operations per work item */
    SPARE = 16,            /* work items per thread when the cost per point varies */
    PART_POINTS = 1 << 16, /* minimum inner points per part of a divided reduction */
    LOOK_POINTS = 1 << 14,
    FIRST_OF = 8, /* LOOK_POINTS: PART_POINTS for reductions that may exit early; FIRST_OF: minimum
                     number of parts to evaluate the first one ahead */
    FEW_BLOCKS = 64, /* below this many independent results, long reductions are divided */
    MOST_PARTS = 1024,
    STREAM_BYTES = 12 << 20,  /* minimum bytes of results for streaming stores */
    TOUCHED_BYTES = 24 << 20, /* and minimum bytes of results and operands together */
    GROUP_ROWS = 8, /* rows per visit of columns: as many streams as the hardware prefetches */
    FEW_ROWS = 20,
    MORE_ROWS = 64, /* reductions of at most FEW_ROWS rows are not divided, as no states are stored
                       then; MORE_ROWS: if the data fits the shared cache */
    NARROWEST = 512,
    WIDEST_NARROW =
        8 << 10, /* bytes of a row that is visited by itself (NARROWEST to WIDEST_NARROW), if */
    NARROW_STATES = 24 << 10, /* the states of its columns fit the L1 cache with it */
    NARROW_ROWS = 64,         /* narrow rows summed before their sum is joined */
    SPAN_POINTS = 4096,
    LONGER = 4, /* factor for the columns per visit when there are at most MORE_ROWS rows */
    PIECE_BYTES = 4096,
    SLAB_BYTES = 16 << 10,
    PIECES = 64, /* for row segments: maximum bytes of one, bytes of adjacent ones visited together,
                    segments per part */
    MOST_ROWS = 16,
    TILE_POINTS = 2048,
    TILE_FEWEST = 64, /* for interleaved rows: maximum number of rows, maximum and minimum elements
                         of each row per work item */
    TILE_OPS = 12,
    TILE_LEAST = 4,
    TILED_POINTS = 1 << 12,
    TILED_SPAN = 1 << 16, /* for tiled plans: maximum operations, minimum extents, minimum points,
                             maximum points of a group */
    WHOLE_ROW = 1 << 14,
    SHORT_STEPS = 3,
    SHORT_OPS = 12,  /* rows that are not split: maximum points; with at most so many steps and
                        operations, the steps are unrolled */
    BYTE_LANES = 16, /* maximum lanes when single bytes are gathered */
    STEP_BYTES = 448,
    STEP_FAR = 176,
    STEP_OPS = 12, /* strided lanes: maximum bytes that an iteration spans, for strides below
                      STEP_FAR bytes; STEP_OPS: more operations keep at least a full register */
    AHEAD_FROM = 48,
    AHEAD_TO = 256, /* strides in bytes for which software prefetch is used */
    MOVE_OPS = 2,
    PICK_OPS = 8,
    MOVED = 4, /* operations of a program that only moves elements: a load and a store; with up to
                  two indices; elements per iteration */
    HALVED_OPS = 12,
    NEAR_ROW = 32,        /* minimum row length for which strided rows are read by wide loads */
    NEAR_BYTES = 1 << 20, /* fits the private cache of a core */
    SHARED_BYTES = 12 << 20,
    FAR_BYTES = 32 << 20, /* SHARED_BYTES fit the shared cache; FAR_BYTES fit no cache */
    PAGE = 4096
};

typedef struct {
    jit *j;
    int threads;
    const int32_t *stop;
    gpa_prog *p;
    emit_plan plan;
    cpu_fn fn, join; /* join: for groups of narrow rows */
    const int64_t *size;
    int64_t outer, inner; /* numbers of points */
    /* run_whole: points per item; the fields below: run_divided */
    int64_t step;
    int64_t block_lanes, blocks_in_row, blocks, span, spans, items, parts, part_points, visit,
        begun;
    char *done, *partial;
    size_t slot, states; /* bytes of a state slot; of all states of one block */
    bool settles;
    const char *settled[FEW_BLOCKS]; /* per block: final states, which no further point changes; set
                                        by the first part that reaches them */
    int64_t view[];                  /* slots for all arrays of the program */
} launch;

/* ---- the plan ---- */

static bool used_by_points(const kir_func *f, size_t array) {
    for (size_t i = 0; i < f->n_code; i++)
        if ((f->code[i].code == KIR_LOAD || f->code[i].code == KIR_STORE) &&
            f->code[i].sub == array)
            return true;
    return false;
}

static bool is_read(const kir_func *f, size_t array) {
    for (size_t i = 0; i < f->n_code; i++)
        if (f->code[i].code == KIR_LOAD && f->code[i].sub == array) return true;
    return false;
}

/* True if the stride along a dimension is small enough for wide loads (note_strides). Complex
 * arrays are excluded. */
static bool is_near(const gpa_prog *p, size_t array, int dim, const int64_t *size,
                    const int64_t *view) {
    if (!view || !p->facts.n_each || size[dim] < NEAR_ROW ||
        dtype_is_complex((gpa_dtype)p->f->arrays[array].dtype))
        return false;
    int64_t stride = view[VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_STRIDE + (size_t)dim];
    return stride >= 2 && stride <= EMIT_APART;
}

static bool is_back(const gpa_prog *p, size_t array, int dim, const int64_t *view) {
    return view && !p->facts.n_each &&
           view[VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_STRIDE + (size_t)dim] == -1;
}

/* Score of a dimension as the lane dimension: unit stride scores highest, then broadcast (stride
 * 0); gathers score lowest. Short dimensions leave lanes empty, which costs less than gathering
 * elements that are contiguous. */
static double merit(const gpa_prog *p, int dim, const int64_t *size, const int64_t *view,
                    unsigned lanes) {
    const kir_func *f = p->f;
    double sum = 0, n = 0, extent = size ? (double)size[dim] : 1e6, least = 0;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!used_by_points(f, a)) continue;
        const kir_array *k = &f->arrays[a];
        n++;
        sum += k->unit >> dim & 1               ? 4
               : k->zero >> dim & 1             ? 3.5
               : is_back(p, a, dim, view)       ? 3
               : is_near(p, a, dim, size, view) ? 2
                                                : 1;
    }
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_LOADX && f->code[i].code != KIR_STOREX) continue;
        static const double of[] = {[LIES_STILL] = 3.5, [LIES_BESIDE] = 4, [LIES_APART] = 1};
        emit_lie how = emit_lies(f, f->code[i].a, dim);
        if (how == LIES_BESIDE && p->facts.ops <= SHORT_OPS) least = 0.6;
        sum += of[how];
        n++;
    }
    if (n == 0) n = sum = 1;
    const int64_t vectors = ((int64_t)extent + lanes - 1) / lanes;
    double filled = extent / ((double)lanes * (double)vectors);
    return sum / n * MAX(filled, least);
}

/* True if the cost per point is unpredictable (data-dependent loops or branches). */
static bool is_unsteady(const gpa_prog *p) {
    return p->facts.loops || (p->facts.branches && p->facts.alone);
}

static unsigned lanes_of_register(const gpa_prog *p, const cpu_target_info *host) {
    return MIN(MAX(host->bytes / p->facts.widest, 2u), 64u);
}

/* Number of lanes for a program. An iteration that touches more than four cache lines of an
 * array reads them out of order, which defeats the hardware prefetcher: complex numbers use two
 * registers. */
static unsigned lanes_for(const gpa_prog *p, const cpu_target_info *host, int64_t extent) {
    unsigned one = host->bytes / p->facts.widest, ops = p->facts.ops, registers;
    bool few =
        host->masks && p->facts.plain && !p->facts.n_each &&
        p->f->n_arrays <= 3; /* few live values at a time, in 32 registers: bound by latency */
    if (p->facts.branches && p->facts.alone) return 1;
    if (p->facts.loops && p->facts.n_each) return MAX(one, 2u);
    /* Iterations form a dependency chain, so several are interleaved. Longer bodies take longer
     * to compile. */
    if (p->facts.loops)
        registers = p->facts.ops_again <= 256 ? 4 : 2, one = host->bytes / p->facts.widest_again;
    else
        registers = ops <= (few ? 96 : 12) || p->facts.trips ? 4 : ops <= 40 ? 2 : 1;
    if (p->facts.complex && registers == 4) registers = 2;
    if (one > 64) one = 64;
    if (one < 2) one = 2;
    while (registers > 1 && (one * registers > 64 || (int64_t)one * registers > extent))
        registers /= 2;
    return one * registers;
}

static bool picks(const kir_func *f) {
    bool any = false;
    for (size_t i = 0; i < f->n_code; i++)
        any |= f->code[i].code == KIR_LOADX || f->code[i].code == KIR_STOREX;
    return any;
}

/* Lanes of one register, or of the smallest part of one that holds a row. Full registers are
 * used for rows so short that lanes across many of them are faster, for gathers and scatters by
 * indices, and if the processor has no masks for elements of this size. */
static unsigned lanes_along(const gpa_prog *p, const cpu_target_info *host, int64_t extent) {
    unsigned one = host->bytes / p->facts.widest;
    bool fits = !p->facts.n_each && !picks(p->f) && (host->masks || p->facts.widest >= 4) &&
                (extent >= 4 || extent * p->facts.widest >= 12);
    while (fits && one > 2 && one / 2 >= extent) one /= 2;
    return one;
}

static int best_dim(const gpa_prog *p, const cpu_target_info *host, const int64_t *size,
                    const int64_t *view, unsigned among) {
    int best = -1;
    double most = -1;
    for (int d = p->f->ndim - 1; d >= 0; d--) {
        double m = among >> d & 1
                       ? merit(p, d, size, view, lanes_along(p, host, size ? size[d] : INT32_MAX))
                       : -1;
        if (m > most * 1.05 && m >= 0) most = m, best = d;
    }
    return best;
}

emit_plan run_plan(const gpa_prog *p, const cpu_target_info *host, const int64_t *size,
                   const int64_t *view) {
    const kir_func *f = p->f;
    unsigned all = (1u << f->ndim) - 1, inner = f->inner & all, outer = all & ~inner;
    emit_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.part = EMIT_WHOLE;
    plan.way = !p->facts.n_each ? EMIT_POINTS : EMIT_ROWS;
    int d = best_dim(p, host, size, view, p->facts.n_each ? all : outer);
    if (p->facts.n_each && d >= 0 && outer >> d & 1) plan.way = EMIT_COLUMNS;
    if (plan.way == EMIT_ROWS && d < 0) d = best_dim(p, host, size, view, inner);
    plan.dim = (int16_t)d;
    plan.lanes = d < 0 ? 1 : (uint16_t)lanes_for(p, host, size ? size[d] : INT32_MAX);
    if (plan.way == EMIT_ROWS && p->facts.scans) plan.lanes = 1;
    while (plan.way == EMIT_POINTS && size && d >= 0 && plan.lanes > 2 && plan.lanes / 2 >= size[d])
        plan.lanes /= 2; /* a row fits into fewer lanes */
    return plan;
}

/* ---- the view ---- */

static void fill_view(launch *L, const gpa_launch *l, cpu_fault_cell *cell) {
    const kir_func *f = L->p->f;
    int64_t *v = L->view;
    v[VIEW_FAULT] = (int64_t)(intptr_t)cell;
    v[VIEW_STOP] = (int64_t)(intptr_t)L->stop;
    v[VIEW_PARAMS] = (int64_t)(intptr_t)l->params;
    for (int d = 0; d < f->ndim; d++) v[VIEW_SIZE + d] = l->size[d];
    for (size_t a = 0; a < f->n_arrays; a++) {
        const gpa_binding *b = &l->arrays[a];
        int64_t *s = v + VIEW_ARRAYS + a * ARRAY_SLOTS;
        int64_t size = (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        s[ARRAY_BASE] = b->mem ? (int64_t)(intptr_t)b->mem->base + b->offset * size : b->offset;
        for (int d = 0; d < KIR_MAX_DIMS; d++)
            s[ARRAY_STRIDE + d] = b->stride[d], s[ARRAY_SIZE + d] = b->size[d];
    }
    L->outer = L->inner = 1;
    for (int d = 0; d < f->ndim; d++) *(f->inner >> d & 1 ? &L->inner : &L->outer) *= l->size[d];
}

/* Alignment of the rows of a stored array relative to register boundaries, as one number: equal
 * numbers mean equal alignment. */
static uint64_t lie(const launch *L, size_t a) {
    const int64_t *s = L->view + VIEW_ARRAYS + a * ARRAY_SLOTS;
    uint64_t size = dtype_size((gpa_dtype)L->p->f->arrays[a].dtype),
             r = size << 56 | ((uint64_t)s[ARRAY_BASE] & 63);
    for (int d = 0; d < L->p->f->ndim && d < 8; d++)
        if (d != L->plan.dim) r += ((uint64_t)s[ARRAY_STRIDE + d] * size & 63) << (6 + 6 * d);
    return r;
}

static bool read_too(const kir_func *f, size_t a) {
    for (size_t b = 0; b < f->n_arrays; b++)
        if (f->arrays[b].access & KIR_READ && f->arrays[b].group == f->arrays[a].group) return true;
    return false;
}

/* ---- tiles ---- */

/* Bytes of the largest element type among all arrays. */
static unsigned widest_element(const kir_func *f) {
    unsigned most = 1;
    for (size_t a = 0; a < f->n_arrays; a++)
        most = MAX(most, (unsigned)dtype_size((gpa_dtype)f->arrays[a].dtype));
    return most;
}

/* Chooses a tiled plan if results have unit stride along one dimension, some operand has unit
 * stride along another, and there are few operations per point. */
static void plan_tiles(launch *L) {
    const kir_func *f = L->p->f;
    int dim = -1, turn = -1;
    if (L->plan.way != EMIT_POINTS || L->p->facts.branches || L->p->facts.ops > TILE_OPS ||
        L->outer < TILED_POINTS)
        return;
    for (size_t i = 0; i < f->n_code; i++) {
        kir_code code = (kir_code)f->code[i].code;
        bool plain = code == KIR_CONST || code == KIR_PARAM || code == KIR_INDEX ||
                     code == KIR_OP || code == KIR_CAST || code == KIR_IOTA;
        if (!plain && code != KIR_LOAD && code != KIR_STORE) return;
    }
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!(f->arrays[a].access & KIR_WRITE)) continue;
        if (!f->arrays[a].unit || read_too(f, a) || (dim >= 0 && !(f->arrays[a].unit >> dim & 1)))
            return;
        if (dim < 0) dim = __builtin_ctz(f->arrays[a].unit);
    }
    for (size_t a = 0; a < f->n_arrays && dim >= 0 && turn < 0; a++)
        if (used_by_points(f, a) && f->arrays[a].unit &&
            !((f->arrays[a].unit | f->arrays[a].zero) >> dim & 1))
            turn = __builtin_ctz(f->arrays[a].unit);
    if (turn < 0 || L->size[dim] < TILE_LEAST || L->size[turn] < TILE_LEAST) return;
    int64_t most = MIN(MAX(jit_host_of(L->j)->bytes / widest_element(f), TILE_LEAST), EMIT_TILE);
    while (most > L->size[dim]) most /= 2;
    L->plan.way = EMIT_TILES;
    L->plan.dim = (int16_t)dim;
    L->plan.turn = (int16_t)turn;
    L->plan.lanes = (uint16_t)most;
    while (most > L->size[turn]) most /= 2;
    L->plan.tile = (uint8_t)most;
}

/* Bytes of an array that the launch touches, each element counted once. */
static int64_t visited(const launch *L, size_t a) {
    const kir_array *k = &L->p->f->arrays[a];
    int64_t n = k->where == KIR_VIRTUAL ? 0 : (int64_t)dtype_size((gpa_dtype)k->dtype);
    for (int d = 0; d < L->p->f->ndim; d++) n *= k->zero >> d & 1 ? 1 : L->size[d];
    return n;
}

/* Stores bypass the caches if the results exceed any cache's share and do not overwrite
 * operands: fetching their cache lines before the store would be wasted. */
static emit_stream streams(const launch *L) {
    const kir_func *f = L->p->f;
    int64_t bytes = 0, read = 0;
    uint64_t all = 0;
    bool tiles = L->plan.way == EMIT_TILES;
    if ((L->plan.way != EMIT_POINTS && !tiles) || L->p->facts.loops || L->plan.dim < 0 ||
        L->size[L->plan.dim] < 16 * L->plan.lanes)
        return STREAM_NO;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!(f->arrays[a].access & KIR_WRITE)) {
            read += visited(L, a);
            continue;
        }
        if (!(f->arrays[a].unit >> L->plan.dim & 1) || read_too(f, a)) return STREAM_NO;
        if (dtype_is_complex((gpa_dtype)f->arrays[a].dtype) &&
            L->view[VIEW_ARRAYS + a * ARRAY_SLOTS] % 16)
            return STREAM_NO;
        if (bytes && lie(L, a) != all) return STREAM_NO;
        all = lie(L, a);
        int64_t one = (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        if (tiles && one * L->plan.lanes % 64) return STREAM_NO;
        bytes += L->outer * one;
    }
    if (bytes < STREAM_BYTES || bytes + read < TOUCHED_BYTES) return STREAM_NO;
    if (tiles) return all << 8 || L->size[L->plan.dim] % L->plan.lanes ? STREAM_NO : STREAM_ALIGNED;
    return all << 8 ? STREAM_ALIKE : STREAM_ALIGNED;
}

/* True for long rows that are only copied in reverse order: reads and writes in opposite
 * directions are fastest in small steps of half a register. */
static bool moves_far_back(const launch *L) {
    return jit_host_of(L->j)->halves && L->plan.back && L->plan.way == EMIT_POINTS &&
           L->p->facts.ops <= MOVE_OPS && L->size[L->plan.dim] >= 16 * L->plan.lanes;
}

/* True for gathers of single bytes. They are inserted one by one into a 16-byte register; more
 * lanes would wait for memory. */
static bool picks_bytes(const launch *L) {
    const kir_func *f = L->p->f;
    for (size_t i = 0; i < f->n_code && L->plan.way == EMIT_POINTS && L->plan.dim >= 0; i++) {
        const kir_ins *k = &f->code[i];
        if (k->code == KIR_LOADX && dtype_size((gpa_dtype)f->arrays[k->sub].dtype) == 1 &&
            emit_lies(f, k->a, L->plan.dim) == LIES_APART)
            return true;
    }
    return false;
}

/* Reduces the lanes so that an iteration reads few cache lines of a strided array, which the
 * hardware then prefetches. Larger strides, of whole cache lines, are not prefetched in any
 * case. */
static unsigned lanes_within(const launch *L) {
    const kir_func *f = L->p->f;
    unsigned least = L->p->facts.ops <= STEP_OPS ? 4 : lanes_of_register(L->p, jit_host_of(L->j)),
             n = L->plan.lanes;
    for (size_t a = 0; a < f->n_arrays; a++) {
        int64_t stride =
            L->view[VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE + (size_t)L->plan.dim];
        int64_t apart = stride < 0 ? -stride : stride,
                bytes = apart * (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        bool few = apart <= 1 ||
                   (stride > 1 && stride <= EMIT_APART &&
                    L->plan.apart[stride - 2] >> a & 1); /* contiguous, or read by wide loads */
        if (few || bytes >= STEP_FAR || !used_by_points(f, a)) continue;
        while (n > least && n * bytes > STEP_BYTES) n /= 2;
    }
    return n;
}

/* Notes arrays with small strides between lanes: interleaved columns, read by wide loads of
 * which every second, third or fourth element is used. Memory blocks are padded for the excess
 * elements read. Also notes arrays whose lanes have stride -1. */
static void note_strides(launch *L) {
    const kir_func *f = L->p->f;
    for (size_t a = 0; a < f->n_arrays && L->plan.dim >= 0; a++) {
        int64_t stride =
            L->view[VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE + (size_t)L->plan.dim];
        const gpa_dtype t = (gpa_dtype)f->arrays[a].dtype;
        const bool can = !dtype_is_complex(t) ||
                         (t == DT_C64 && !(f->arrays[a].access & KIR_WRITE)); /* read as doubles */
        if (stride >= 2 && stride <= EMIT_APART && can)
            L->plan.apart[stride - 2] |= UINT64_C(1) << a;
        if (stride == -1) L->plan.back |= UINT64_C(1) << a;
        int64_t bytes = (stride < 0 ? -stride : stride) * (int64_t)dtype_size(t);
        if (L->plan.way == EMIT_ROWS && bytes >= AHEAD_FROM && bytes <= AHEAD_TO)
            L->plan.ahead |= UINT64_C(1) << a;
    }
    bool three = L->plan.apart[1] | L->plan.apart[2];
    if (moves_far_back(L))
        L->plan.lanes = (uint16_t)MAX(lanes_of_register(L->p, jit_host_of(L->j)) / 2, 2u);
    if (three && L->plan.way == EMIT_POINTS)
        L->plan.lanes = (uint16_t)MIN(L->plan.lanes, lanes_of_register(L->p, jit_host_of(L->j)));
    if (L->plan.lanes > BYTE_LANES && picks_bytes(L)) L->plan.lanes = BYTE_LANES;
    if (L->plan.way == EMIT_POINTS && L->plan.dim >= 0)
        L->plan.lanes = (uint16_t)MIN(L->plan.lanes, lanes_within(L));
}

static gpa_code compile(launch *L, int32_t part, gpa_err *e) {
    L->plan.part = part;
    return program_variant(L->p, L->j, &L->plan, &L->fn, e);
}

/* True if lanes are faster than single elements even for a plain copy. */
static bool moves_in_lanes(const launch *L, size_t a) {
    const kir_array *k = &L->p->f->arrays[a];
    bool stored = k->access & KIR_WRITE, four = L->plan.apart[2] >> a & 1;
    if (!stored || (k->unit | k->zero) >> L->plan.dim & 1 || L->plan.back >> a & 1) return true;
    if (!jit_host_of(L->j)->masks || (four && dtype_size((gpa_dtype)k->dtype) >= 4)) return false;
    return four || (L->plan.apart[0] | L->plan.apart[1]) >> a & 1;
}

/* For plain copies with strided arrays, scalar accesses are faster than gathered lanes. */
static bool moves_apart(const launch *L) {
    const kir_func *f = L->p->f;
    if (L->plan.way != EMIT_POINTS || L->plan.dim < 0 || L->p->facts.branches ||
        L->p->facts.ops > MOVE_OPS)
        return false;
    for (size_t i = 0; i < f->n_code; i++)
        if (f->code[i].code == KIR_LOADX || f->code[i].code == KIR_STOREX ||
            f->code[i].code == KIR_BOUND)
            return false;
    for (size_t a = 0; a < f->n_arrays; a++)
        if (used_by_points(f, a) && !moves_in_lanes(L, a)) return true;
    return false;
}

/* True if an index array is broadcast, or is not contiguous along the lanes. */
static bool is_shared(const launch *L, size_t a) {
    const kir_array *k = &L->p->f->arrays[a];
    const int64_t *stride = L->view + VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE;
    for (int d = 0; d < L->p->f->ndim; d++)
        if (L->size[d] > 1 && stride[d] == 0) return true;
    return !(k->unit >> L->plan.dim & 1);
}

/* For plain gathers of non-contiguous elements, scalar accesses are faster than gathered lanes
 * if each row gathers the same elements, or if the indices themselves would need a gather. */
static bool picks_apart(const launch *L) {
    const kir_func *f = L->p->f;
    bool shared = false, apart = false;
    if (L->plan.way != EMIT_POINTS || L->plan.dim < 0 || L->p->facts.branches ||
        L->p->facts.ops > PICK_OPS)
        return false;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        kir_code code = (kir_code)k->code;
        if (code == KIR_OP && k->sub != OP_ADD && k->sub != OP_MULTIPLY) return false;
        if (code == KIR_STOREX ||
            (code == KIR_LOADX && emit_lies(f, k->a, L->plan.dim) == LIES_BESIDE))
            return false;
        apart |= code == KIR_LOADX;
        if (code == KIR_STORE && !(f->arrays[k->sub].unit >> L->plan.dim & 1)) return false;
        if (code == KIR_LOAD) shared |= is_shared(L, k->sub);
    }
    return apart && shared;
}

/* True for long rows with few operations per element, where memory bandwidth is the limit. */
static bool in_halves(const launch *L) {
    const emit_facts *facts = &L->p->facts;
    if (!jit_host_of(L->j)->halves || L->plan.way != EMIT_POINTS || L->plan.lanes == 1 ||
        L->size[L->plan.dim] < 16 * L->plan.lanes)
        return false;
    return facts->plain && facts->ops <= HALVED_OPS;
}

/* ---- whole: items are ranges of outer points ---- */

static void whole_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t lo = i * L->step, hi = MIN(lo + L->step, L->outer);
    L->fn(L->view, lo, hi, 0, 0, NULL, NULL, 0);
}

/* A chunk of the lane dimension, in all rows. */
static void tile_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t n = L->size[L->plan.dim], lo = i * L->step, hi = MIN(lo + L->step, n);
    for (int64_t row = 0; row < L->outer; row += n)
        L->fn(L->view, row + lo, row + hi, 0, 0, NULL, NULL, 0);
}

/* True if a few rows of lanes are interleaved in an array (np.repeat): visiting them one after
 * the other would pass over all memory once per row. */
static bool interleaved(const launch *L) {
    const kir_func *f = L->p->f;
    int lane = L->plan.dim;
    if (L->plan.way != EMIT_POINTS || L->plan.part != EMIT_WHOLE || lane < 0 ||
        L->outer / L->size[lane] > MOST_ROWS)
        return false;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const int64_t *stride = L->view + VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE;
        for (int d = 0; d < f->ndim; d++)
            if (d != lane && L->size[d] > 1 && stride[d] && llabs(stride[d]) < llabs(stride[lane]))
                return true;
    }
    return false;
}

/* Loop form for rows that no call splits (EMIT_ANY_ROWS, EMIT_SHORT_ROWS); 0: rows may be split. */
static uint32_t whole_rows(const launch *L) {
    if (L->plan.way != EMIT_POINTS || L->plan.dim < 0 || is_unsteady(L->p) || interleaved(L))
        return 0;
    int64_t n = L->size[L->plan.dim], lanes = L->plan.lanes;
    if (n == L->outer || n > WHOLE_ROW) return 0;
    bool brief = L->p->facts.ops <= SHORT_OPS && !L->p->facts.branches &&
                 L->plan.stream != STREAM_ALIKE && !L->plan.each;
    return brief && lanes > 1 && n / lanes <= SHORT_STEPS
               ? EMIT_SHORT_ROWS + (uint32_t)(n / lanes * 2 + (n % lanes > 0))
               : EMIT_ANY_ROWS;
}

static gpa_code run_whole(launch *L, gpa_err *e) {
    int64_t cost = (1 + (int64_t)L->p->facts.ops) * MAX(L->inner, 1), work,
            row = L->plan.dim < 0 ? 0 : L->size[L->plan.dim];
    bool unsteady = is_unsteady(L->p), along = interleaved(L);
    L->plan.rows = whole_rows(L);
    gpa_code rc = compile(L, EMIT_WHOLE, e);
    if (rc) return rc;
    if (unsteady) cost *= 64; /* worth starting threads */
    if (__builtin_mul_overflow(cost, L->outer, &work)) work = INT64_MAX;
    if (work < SMALL_WORK || L->threads == 1) {
        /* A single thread works in chunks, too, so that interrupts are seen between them. */
        L->step = work < SMALL_WORK ? L->outer : MAX((int64_t)CHUNK_WORK * 16 / cost, 1);
    } else
        L->step = MAX((int64_t)CHUNK_WORK / cost, 1);
    if (unsteady) { /* chunks for all threads, and spare ones for load balance */
        int64_t piece = MIN(L->step, L->outer / (L->threads * (int64_t)SPARE)),
                lanes = L->plan.lanes;
        L->step = (piece + lanes) / lanes * lanes;
    } else if (L->plan.way != EMIT_ROWS)
        L->step = (L->step + 255) / 256 * 256; /* whole vectors, whole cache lines */
    if (L->plan.rows) L->step = (L->step + row - 1) / row * row;
    int use = work < SMALL_WORK ? 1 : L->threads;
    if (work >= SMALL_WORK && !unsteady && along) {
        L->step = MIN(TILE_POINTS,
                      MAX(TILE_FEWEST, (int64_t)SLAB_BYTES /
                                           (L->outer / row * widest_element(L->p->f)) / 64 * 64));
        threads_each(use, (L->size[L->plan.dim] + L->step - 1) / L->step, L->stop, tile_item, L);
    } else {
        threads_each(use, (L->outer + L->step - 1) / L->step, L->stop, whole_item, L);
    }
    return GPA_OK;
}

/* A group of tile rows, and a chunk of the lane dimension in each. The next group reads the rest
 * of cache lines that this one read in part. */
static void tiles_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t lo = i % L->items * L->step, from = i / L->items * L->span;
    L->fn(L->view, lo, MIN(lo + L->step, L->blocks), from,
          MIN(from + L->span, L->size[L->plan.dim]), NULL, NULL, 0);
}

static gpa_code run_tiles(launch *L, gpa_err *e) {
    int64_t n = L->size[L->plan.dim], rows = L->size[L->plan.turn], lanes = L->plan.lanes,
            tile = L->plan.tile;
    gpa_code rc = compile(L, EMIT_WHOLE, e);
    if (rc) return rc;
    L->blocks = L->outer / n / rows * ((rows + tile - 1) / tile);
    L->span = MIN(n, MAX(TILED_SPAN / tile / lanes * lanes, lanes));
    L->step = MAX(CHUNK_WORK / (L->span * tile * (1 + (int64_t)L->p->facts.ops)), 1);
    L->items = (L->blocks + L->step - 1) / L->step;
    int use = L->outer * (1 + (int64_t)L->p->facts.ops) < SMALL_WORK ? 1 : L->threads;
    threads_each(use, L->items * ((n + L->span - 1) / L->span), L->stop, tiles_item, L);
    return GPA_OK;
}

/* ---- divided: partial reductions over parts of the inner points, then joined ---- */

/* The outer points of an item: up to `span` blocks, all in one row of the lane dimension. */
static void item_range(const launch *L, int64_t item, int64_t *block, int64_t *lo, int64_t *hi) {
    if (L->plan.way == EMIT_ROWS) {
        *block = *lo = item * L->span, *hi = MIN(*lo + L->span, L->outer);
        return;
    }
    int64_t n = L->size[L->plan.dim], row = item / L->spans,
            x = item % L->spans * L->span * L->block_lanes;
    *lo = row * n + x;
    *hi = row * n + MIN(x + L->span * L->block_lanes, n);
    *block = row * L->blocks_in_row + item % L->spans * L->span;
}

static char *partial(const launch *L, int64_t part, int64_t block) {
    return L->partial + (size_t)(part * L->blocks + block) * L->states;
}

/* A chunk of a divided reduction: outer points [lo, hi), inner points [from, to). */
typedef struct {
    int64_t lo, hi, from, to;
} chunk;

/* Floating-point sums over narrow rows, which are visited one by one in memory order. The rows
 * of a group are summed first and the group sums are joined, so that errors grow with the number
 * of groups. */
static void sum_narrow(const launch *L, const chunk *c, char *done, char *all) {
    _Alignas(64) char group[NARROW_STATES];
    for (int64_t at = c->from; at < c->to; at++) {
        int64_t nth = (at - c->from) % NARROW_ROWS;
        char *states = at - c->from < NARROW_ROWS ? all : group;
        L->fn(L->view, c->lo, c->hi, at, at + 1, done, states, nth == 0);
        if (states == all || (nth < NARROW_ROWS - 1 && at + 1 < c->to)) continue;
        for (int64_t k = 0; k * L->block_lanes < c->hi - c->lo; k++)
            L->join(L->view, 0, 0, 0, 0, group + (size_t)k * L->states, all + (size_t)k * L->states,
                    0);
    }
}

/* The absorbing state of a boolean reduction (true for any, false for all), which no further
 * element changes; -1: there is none. */
static int last_word(const kir_func *f, const kir_ins *k) {
    if (f->code[k->a].type != DT_BOOL) return -1;
    switch ((gpa_red)k->sub) {
        case RED_SUM:
        case RED_MAX:
        case RED_FMAX:
        case RED_ANY:
        case RED_OR: return 1;
        case RED_PROD:
        case RED_MIN:
        case RED_FMIN:
        case RED_ALL:
        case RED_AND: return 0;
        case RED_XOR:
        case RED_ARGMIN:
        case RED_ARGMAX:
        case RED_COUNT: break;
    }
    return -1;
}

/* True if points may be skipped once all reductions reach their absorbing states: the region has
 * no side effects. */
static bool settles(const kir_func *f, const emit_facts *facts) {
    if (facts->n_each != 1 || facts->branches || facts->trips) return false;
    bool inside = false;
    for (size_t i = 0; i < f->n_code; i++) {
        kir_code code = (kir_code)f->code[i].code;
        if (code == KIR_EACH)
            inside = true;
        else if (code == KIR_END)
            inside = false;
        else if (code == KIR_REDUCE && last_word(f, &f->code[i]) < 0)
            return false;
        else if (inside && code != KIR_REDUCE && code != KIR_CONST && code != KIR_PARAM &&
                 code != KIR_OP && code != KIR_CAST && code != KIR_LOAD && code != KIR_IOTA)
            return false;
    }
    return true;
}

static bool is_settled(const launch *L, const char *states) {
    const kir_func *f = L->p->f;
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_REDUCE) continue;
        if (*states != last_word(f, &f->code[i])) return false;
        states += L->slot;
    }
    return true;
}

static void part_item(void *arg, int64_t nth) {
    launch *L = arg;
    int64_t i = nth + L->begun, part = i / L->items, from = part * L->part_points, block;
    chunk c = {.from = from, .to = MIN(from + L->part_points, L->inner)};
    item_range(L, i % L->items, &block, &c.lo, &c.hi);
    char *states = partial(L, part, block), *done = L->done + (size_t)block * L->states;
    if (L->settles) {
        const char *known = __atomic_load_n(&L->settled[block], __ATOMIC_ACQUIRE);
        if (known) {
            memcpy(states, known, L->states);
            return;
        }
        L->fn(L->view, c.lo, c.hi, c.from, c.to, done, states, 1);
        if (is_settled(L, states)) __atomic_store_n(&L->settled[block], states, __ATOMIC_RELEASE);
        return;
    }
    if (L->join) {
        sum_narrow(L, &c, done, states);
        return;
    }
    for (int64_t at = from; at < c.to; at += L->visit)
        L->fn(L->view, c.lo, c.hi, at, MIN(at + L->visit, c.to), done, states, at == from);
}

/* Evaluates the first part of every item on the calling thread, if parts are many: often they
 * settle all results (early exit). */
static void look_ahead(launch *L) {
    bool all = true;
    if (!L->settles || L->parts < FIRST_OF) return;
    for (int64_t i = 0; i < L->items; i++) {
        part_item(L, i);
        all &= L->settled[i] != NULL;
    }
    L->begun = L->items;
    if (all) L->parts = 1;
}

static void last_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t block, lo, hi;
    item_range(L, i, &block, &lo, &hi);
    L->fn(L->view, lo, hi, 0, 0, L->done + (size_t)block * L->states, NULL, 0);
}

/* Joins the parts of one block pairwise, in a binary tree, into the first. */
static void join_block(void *arg, int64_t block) {
    launch *L = arg;
    for (int64_t apart = 1; apart < L->parts; apart *= 2)
        for (int64_t p = 0; p + apart < L->parts; p += 2 * apart)
            L->fn(L->view, 0, 0, 0, 0, partial(L, p + apart, block), partial(L, p, block), 0);
}

/* Copies the states of the region's reductions to `done`, where later regions read them. */
static void keep_states(launch *L, uint32_t region) {
    const kir_func *f = L->p->f;
    uint32_t open = 0, number = 0;
    for (size_t i = 0; i < f->n_code; i++) {
        open += f->code[i].code == KIR_EACH;
        if (f->code[i].code != KIR_REDUCE) continue;
        size_t at = L->slot * number++;
        for (int64_t b = 0; open == region + 1 && b < L->blocks; b++)
            memcpy(L->done + (size_t)b * L->states + at, partial(L, 0, b) + at, L->slot);
    }
}

/* True for floating-point sums. Their error grows with the number of visits: the sum of each
 * visit is joined as a whole (emit_reduce.c). */
static bool sums_floats(const kir_func *f) {
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_REDUCE || f->code[i].sub != RED_SUM)
            continue; /* others may have no dtype */
        char kind = dtype_info[f->code[i].type].kind;
        if (kind == 'F' || kind == 'C') return true;
    }
    return false;
}

/* True if rows are visited one at a time. Several narrow rows share a page, where only one
 * stream is prefetched. Several very narrow ones share cache lines, too, and data in a cache
 * needs no prefetch. A row of a page or more is a stream of its own until the data exceeds all
 * caches. Sums in narrow lanes need several points per visit. */
static bool is_narrow(const launch *L) {
    if (L->plan.way != EMIT_COLUMNS || L->spans != 1 || L->p->facts.narrow_sums) return false;
    const int64_t item = (int64_t)L->p->facts.widest * (L->p->facts.complex ? 2 : 1),
                  row = L->size[L->plan.dim] * item;
    if (L->outer * L->inner * item <= (row < PAGE ? SHARED_BYTES : FAR_BYTES)) return false;
    return row >= NARROWEST && row <= WIDEST_NARROW && (size_t)L->span * L->states <= NARROW_STATES;
}

static gpa_code run_region(launch *L, uint32_t k, gpa_err *e) {
    gpa_code rc = GPA_OK;
    L->join = NULL;
    if (is_narrow(L) && sums_floats(L->p->f)) {
        if ((rc = compile(L, EMIT_JOIN - (int32_t)k, e))) return rc;
        L->join = L->fn;
    }
    if ((rc = compile(L, (int32_t)k, e))) return rc;
    look_ahead(L);
    double bytes = (double)L->outer * (double)L->inner * L->p->facts.widest * (1 + L->p->facts.ops);
    threads_each(bytes < SMALL_BYTES ? 1 : L->threads, L->items * L->parts - L->begun, L->stop,
                 part_item, L);
    if (L->parts > 1 && L->p->facts.n_reduce) {
        if ((rc = compile(L, EMIT_JOIN - (int32_t)k, e))) return rc;
        threads_each(L->blocks * L->parts < 256 ? 1 : L->threads, L->blocks, L->stop, join_block,
                     L);
    }
    keep_states(L, k);
    return GPA_OK;
}

static gpa_code run_divided(launch *L, gpa_err *e) {
    gpa_code rc = GPA_OK;
    uint32_t regions = L->p->facts.n_each;
    L->slot = STATE_SLOT(L->block_lanes);
    L->states = L->slot * L->p->facts.n_reduce;
    if (L->plan.way == EMIT_COLUMNS) L->visit = is_narrow(L) ? 1 : GROUP_ROWS;
    L->done = mem_new((size_t)L->blocks * L->states);
    L->partial = mem_new((size_t)(L->blocks * L->parts) * L->states);
    if (!L->done || !L->partial) {
        rc = gpa_no_memory(e);
        goto out;
    }
    for (uint32_t k = 0; k < regions && !*L->stop; k++) TRY(run_region(L, k, e));
    if (L->p->facts.stores_outside) {
        TRY(compile(L, (int32_t)regions, e));
        threads_each(L->threads, L->items, L->stop, last_item, L);
    }
out:
    mem_free(L->done);
    mem_free(L->partial);
    return rc;
}

/* Length of a row's contiguous segments in an array when segments of other rows lie between
 * them; 0: rows are contiguous, or the order differs. */
static int64_t piece_of(const launch *L, size_t array) {
    const kir_func *f = L->p->f;
    const int64_t *stride = L->view + VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_STRIDE;
    int64_t least = INT64_MAX, most = 0, piece = 1;
    bool apart = false;
    for (int d = 0; d < f->ndim; d++)
        if (!(f->inner >> d & 1) && L->size[d] > 1)
            least = MIN(least, llabs(stride[d])), most = MAX(most, llabs(stride[d]));
    for (int d = 0; d < f->ndim; d++) {
        if (!(f->inner >> d & 1) || L->size[d] == 1 || d == L->plan.dim) continue;
        if (llabs(stride[d]) < least)
            piece *= L->size[d];
        else if (llabs(stride[d]) > most && piece == 1)
            apart = true;
        else
            return 0;
    }
    return apart && stride[L->plan.dim] == 1 && least > 1 ? piece * L->size[L->plan.dim] : 0;
}

/* Divides rows that consist of short segments, interleaved with those of other rows: these rows
 * are visited together, in memory order. */
static bool divides_pieces(launch *L) {
    const kir_func *f = L->p->f;
    int64_t piece = 0, size = L->p->facts.widest;
    if (L->p->facts.n_each != 1 || L->plan.dim < 0 || L->outer * L->inner * size <= NEAR_BYTES)
        return false;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!used_by_points(f, a) || f->arrays[a].zero >> L->plan.dim & 1) continue;
        int64_t here = piece_of(L, a);
        if (!here || (piece && here != piece)) return false;
        piece = here;
    }
    if (!piece || piece * size > PIECE_BYTES || L->inner / piece < GROUP_ROWS) return false;
    L->visit = piece;
    L->part_points = piece * MAX(PIECES, (L->inner / piece + MOST_PARTS - 1) / MOST_PARTS);
    L->span = MIN(L->outer, MAX(CHUNK_WORK / L->part_points, SLAB_BYTES / (piece * size)));
    L->blocks = L->outer;
    L->items = (L->outer + L->span - 1) / L->span;
    L->parts = (L->inner + L->part_points - 1) / L->part_points;
    return true;
}

/* Rows are divided if they are long and few. */
static bool divides_rows(launch *L) {
    L->block_lanes = 1;
    if (divides_pieces(L)) return true;
    L->span = 1;
    L->items = L->blocks = L->outer;
    L->settles = L->blocks < FEW_BLOCKS && settles(L->p->f, &L->p->facts);
    L->part_points =
        MAX(L->settles ? LOOK_POINTS : PART_POINTS, (L->inner + MOST_PARTS - 1) / MOST_PARTS);
    L->visit = L->part_points;
    L->parts = (L->inner + L->part_points - 1) / L->part_points;
    return L->blocks < FEW_BLOCKS && L->parts > 1;
}

/* True if all columns are reused by every row and fit the shared cache, as in products of each
 * row of one matrix with all of another. */
static bool returns(const launch *L) {
    const kir_func *f = L->p->f;
    int64_t all = 0;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const int64_t *stride = L->view + VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE;
        int64_t bytes = (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        if (!is_read(f, a) || !stride[L->plan.dim]) continue;
        for (int d = 0; d < f->ndim; d++) {
            if (!stride[d] || L->size[d] == 1) continue;
            if (d != L->plan.dim && !(f->inner >> d & 1)) return false;
            bytes *= L->size[d];
        }
        all += bytes;
    }
    return all <= SHARED_BYTES && L->outer / L->size[L->plan.dim] >= GROUP_ROWS;
}

/* Columns are divided unless the data of a block of lanes, or all data, fits the caches or comes
 * from few rows: memory is read best along rows, a few of them at a time. */
static bool divides_columns(launch *L) {
    int64_t n = L->size[L->plan.dim], widest = L->p->facts.widest, lanes = L->plan.lanes;
    bool small = L->outer * L->inner * widest <= NEAR_BYTES;
    bool again = L->p->facts.n_each > 1 && lanes * widest * L->inner <= NEAR_BYTES / 4;
    L->block_lanes = lanes;
    L->blocks_in_row = (n + lanes - 1) / lanes;
    L->blocks = L->outer / n * L->blocks_in_row;
    const int64_t longer = L->inner <= MORE_ROWS ? LONGER : 1;
    L->span = MIN(L->blocks_in_row, MAX(longer * SPAN_POINTS / lanes, 1));
    L->spans = (L->blocks_in_row + L->span - 1) / L->span;
    L->items = L->outer / n * L->spans;
    L->part_points =
        MAX(longer * CHUNK_WORK / (L->span * lanes), (L->inner + MOST_PARTS - 1) / MOST_PARTS);
    L->part_points = (L->part_points + GROUP_ROWS - 1) / GROUP_ROWS * GROUP_ROWS;
    L->parts = (L->inner + L->part_points - 1) / L->part_points;
    const bool few =
        L->inner <=
        (L->outer * L->inner * widest_element(L->p->f) <= SHARED_BYTES ? MORE_ROWS : FEW_ROWS);
    return !small && !again && !few && !returns(L);
}

static bool divides(launch *L) {
    if (!L->p->facts.n_each || L->p->facts.scans || (L->p->facts.branches && L->p->facts.alone) ||
        !L->inner)
        return false;
    return L->plan.way == EMIT_COLUMNS ? divides_columns(L) : divides_rows(L);
}

gpa_code run_launch(jit *j, int threads, const int32_t *stop, gpa_prog *p, const gpa_launch *l,
                    gpa_err *e) {
    cpu_fault_cell cell = {.record = l->fault};
    gpa_code rc = GPA_OK;
    launch *L =
        mem_zero(sizeof *L + (VIEW_ARRAYS + p->f->n_arrays * ARRAY_SLOTS) * sizeof *L->view);
    if (!L) return gpa_no_memory(e);
    L->j = j, L->threads = threads, L->stop = stop, L->p = p, L->size = l->size;
    fill_view(L, l, &cell);
    if (!L->outer) goto out;
    L->plan = run_plan(p, jit_host_of(j), l->size, L->view);
    plan_tiles(L);
    note_strides(L);
    L->plan.stream = streams(L);
    if (moves_apart(L) || (!L->plan.stream && picks_apart(L)))
        L->plan.lanes = 1, L->plan.each = MOVED, L->plan.stream = STREAM_NO;
    L->plan.halves = in_halves(L);
    TRY(L->plan.way == EMIT_TILES ? run_tiles(L, e)
        : divides(L)              ? run_divided(L, e)
                                  : run_whole(L, e));
    if (threads_stopped(stop)) rc = gpa_interrupted(e);
out:
    mem_free(L);
    return rc;
}
