/* Launches of elementwise programs: choice of lanes and loop order, work sharing among threads.
 * Long reductions are divided (divided.c).
 *
 * Everything that decides the order of arithmetic - lanes, chunks, the reduction tree that joins
 * partial states - depends on the program and the sizes alone, never on the number of threads:
 * the same input gives the same bits.
 *
 * Reading order: run_plan, plan_tiles, run_launch, run_whole, run_tiles. */
#include "runtime/cpu/run/run.h"

#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/cpu/run/launch.h"

/* ---- the plan ---- */

bool launch_accesses(const kir_func *f, size_t array) {
    for (size_t i = 0; i < f->n_code; i++)
        if (kir_has(f->code[i].code, KI_READS | KI_WRITES) &&
            !kir_has(f->code[i].code, KI_OFFSET) && f->code[i].sub == array)
            return true;
    return false;
}

bool launch_loads(const kir_func *f, size_t array) {
    for (size_t i = 0; i < f->n_code; i++)
        if ((f->code[i].code == KIR_LOAD || f->code[i].code == KIR_LOADIF) &&
            f->code[i].sub == array)
            return true;
    return false;
}

/* True if the stride along a dimension is small enough for wide loads (note_strides). Complex
 * arrays are excluded. */
static bool has_wide_load_stride(const gpa_prog *p, size_t array, int dim, const int64_t *size,
                                 const int64_t *view) {
    if (!view || !p->facts.n_each || size[dim] < TUNE_CPU_WIDE_LOAD_MIN_ROW ||
        dtype_is_complex((gpa_dtype)p->f->arrays[array].dtype))
        return false;
    int64_t stride = view[VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_STRIDE + (size_t)dim];
    return stride >= 2 && stride <= EMIT_MAX_WIDE_STRIDE;
}

static bool has_reverse_stride(const gpa_prog *p, size_t array, int dim, const int64_t *view) {
    return view && !p->facts.n_each &&
           view[VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_STRIDE + (size_t)dim] == -1;
}

/* Score of a dimension as the lane dimension: unit stride scores highest, then broadcast (stride
 * 0); gathers score lowest. Short dimensions leave lanes empty, which costs less than gathering
 * elements that are contiguous. */
static double lane_score(const gpa_prog *p, int dim, const int64_t *size, const int64_t *view,
                         unsigned lanes) {
    const kir_func *f = p->f;
    double sum = 0, n = 0, extent = size ? (double)size[dim] : 1e6, least = 0;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!launch_accesses(f, a)) continue;
        const kir_array *k = &f->arrays[a];
        n++;
        sum += k->unit >> dim & 1                            ? 4
               : k->zero >> dim & 1                          ? 3.5
               : has_reverse_stride(p, a, dim, view)         ? 3
               : has_wide_load_stride(p, a, dim, size, view) ? 2
                                                             : 1;
    }
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_LOADX && f->code[i].code != KIR_STOREX) continue;
        static const double of[] = {
            [ACCESS_BROADCAST] = 3.5, [ACCESS_UNIT_STRIDE] = 4, [ACCESS_STRIDED] = 1};
        emit_access how = emit_access_along(f, f->code[i].a, dim);
        if (how == ACCESS_UNIT_STRIDE && p->facts.ops <= TUNE_CPU_UNROLLED_ROW_MAX_OPS) least = 0.6;
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
    return p->facts.loops || (p->facts.branches && p->facts.unmaskable);
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
    if (p->facts.branches && p->facts.unmaskable) return 1;
    if (p->facts.loops && p->facts.n_each) return MAX(one, 2u);
    /* Iterations form a dependency chain, so several are interleaved. Longer bodies take longer
     * to compile. */
    if (p->facts.loops)
        registers = p->facts.ops_in_loops <= 256 ? 4 : 2,
        one = host->bytes / p->facts.widest_in_loops;
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
        double m = among >> d & 1 ? lane_score(p, d, size, view,
                                               lanes_along(p, host, size ? size[d] : INT32_MAX))
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
    plan.nest = !p->facts.n_each ? EMIT_POINTS : EMIT_ROWS;
    int d = best_dim(p, host, size, view, p->facts.n_each ? all : outer);
    if (p->facts.n_each && d >= 0 && outer >> d & 1) plan.nest = EMIT_COLUMNS;
    if (plan.nest == EMIT_ROWS && d < 0) d = best_dim(p, host, size, view, inner);
    plan.dim = (int16_t)d;
    plan.lanes = d < 0 ? 1 : (uint16_t)lanes_for(p, host, size ? size[d] : INT32_MAX);
    if (plan.nest == EMIT_ROWS && p->facts.scans) plan.lanes = 1;
    while (plan.nest == EMIT_POINTS && size && d >= 0 && plan.lanes > 2 &&
           plan.lanes / 2 >= size[d])
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
static uint64_t row_alignment(const launch *L, size_t a) {
    const int64_t *s = L->view + VIEW_ARRAYS + a * ARRAY_SLOTS;
    uint64_t size = dtype_size((gpa_dtype)L->p->f->arrays[a].dtype),
             r = size << 56 | ((uint64_t)s[ARRAY_BASE] & 63);
    for (int d = 0; d < L->p->f->ndim && d < 8; d++)
        if (d != L->plan.dim) r += ((uint64_t)s[ARRAY_STRIDE + d] * size & 63) << (6 + 6 * d);
    return r;
}

static bool is_also_read(const kir_func *f, size_t a) {
    for (size_t b = 0; b < f->n_arrays; b++)
        if (f->arrays[b].access & KIR_READ && f->arrays[b].group == f->arrays[a].group) return true;
    return false;
}

/* ---- tiles ---- */

unsigned launch_widest_element(const kir_func *f) {
    unsigned most = 1;
    for (size_t a = 0; a < f->n_arrays; a++)
        most = MAX(most, (unsigned)dtype_size((gpa_dtype)f->arrays[a].dtype));
    return most;
}

/* Chooses a tiled plan if results have unit stride along one dimension, some operand has unit
 * stride along another, and there are few operations per point. */
static void plan_tiles(launch *L) {
    const kir_func *f = L->p->f;
    int dim = -1, row_dim = -1;
    if (L->plan.nest != EMIT_POINTS || L->p->facts.branches ||
        L->p->facts.ops > TUNE_CPU_TILED_MAX_OPS || L->outer < TUNE_CPU_TILED_MIN_POINTS)
        return;
    for (size_t i = 0; i < f->n_code; i++) {
        kir_code code = (kir_code)f->code[i].code;
        bool plain = code == KIR_CONST || code == KIR_PARAM || code == KIR_INDEX ||
                     code == KIR_OP || code == KIR_CAST || code == KIR_IOTA;
        if (!plain && code != KIR_LOAD && code != KIR_STORE) return;
    }
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!(f->arrays[a].access & KIR_WRITE)) continue;
        if (!f->arrays[a].unit || is_also_read(f, a) ||
            (dim >= 0 && !(f->arrays[a].unit >> dim & 1)))
            return;
        if (dim < 0) dim = __builtin_ctz(f->arrays[a].unit);
    }
    for (size_t a = 0; a < f->n_arrays && dim >= 0 && row_dim < 0; a++)
        if (launch_accesses(f, a) && f->arrays[a].unit &&
            !((f->arrays[a].unit | f->arrays[a].zero) >> dim & 1))
            row_dim = __builtin_ctz(f->arrays[a].unit);
    if (row_dim < 0 || L->size[dim] < TUNE_CPU_TILED_MIN_EXTENT ||
        L->size[row_dim] < TUNE_CPU_TILED_MIN_EXTENT)
        return;
    int64_t most =
        MIN(MAX(jit_host_of(L->j)->bytes / launch_widest_element(f), TUNE_CPU_TILED_MIN_EXTENT),
            EMIT_TILE);
    while (most > L->size[dim]) most /= 2;
    L->plan.nest = EMIT_TILES;
    L->plan.dim = (int16_t)dim;
    L->plan.row_dim = (int16_t)row_dim;
    L->plan.lanes = (uint16_t)most;
    while (most > L->size[row_dim]) most /= 2;
    L->plan.tile = (uint8_t)most;
}

/* Bytes of an array that the launch touches, each element counted once. */
static int64_t touched_bytes(const launch *L, size_t a) {
    const kir_array *k = &L->p->f->arrays[a];
    int64_t n = k->where == KIR_VIRTUAL ? 0 : (int64_t)dtype_size((gpa_dtype)k->dtype);
    for (int d = 0; d < L->p->f->ndim; d++) n *= k->zero >> d & 1 ? 1 : L->size[d];
    return n;
}

/* Stores bypass the caches if the results exceed any cache's share and do not overwrite
 * operands: fetching their cache lines before the store would be wasted. */
static emit_stream choose_streaming(const launch *L) {
    const kir_func *f = L->p->f;
    int64_t bytes = 0, read = 0;
    uint64_t all = 0;
    bool tiles = L->plan.nest == EMIT_TILES;
    if ((L->plan.nest != EMIT_POINTS && !tiles) || L->p->facts.loops || L->plan.dim < 0 ||
        L->size[L->plan.dim] < 16 * L->plan.lanes)
        return STREAM_NO;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!(f->arrays[a].access & KIR_WRITE)) {
            read += touched_bytes(L, a);
            continue;
        }
        if (!(f->arrays[a].unit >> L->plan.dim & 1) || is_also_read(f, a)) return STREAM_NO;
        if (dtype_is_complex((gpa_dtype)f->arrays[a].dtype) &&
            L->view[VIEW_ARRAYS + a * ARRAY_SLOTS] % 16)
            return STREAM_NO;
        if (bytes && row_alignment(L, a) != all) return STREAM_NO;
        all = row_alignment(L, a);
        int64_t one = (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        if (tiles && one * L->plan.lanes % 64) return STREAM_NO;
        bytes += L->outer * one;
    }
    if (bytes < TUNE_CPU_STREAMING_STORE_MIN_BYTES ||
        bytes + read < TUNE_CPU_STREAMING_STORE_MIN_TOTAL_BYTES)
        return STREAM_NO;
    if (tiles) return all << 8 || L->size[L->plan.dim] % L->plan.lanes ? STREAM_NO : STREAM_ALIGNED;
    return all << 8 ? STREAM_ALIKE : STREAM_ALIGNED;
}

/* True for long rows that are only copied in reverse order: reads and writes in opposite
 * directions are fastest in small steps of half a register. */
static bool is_long_reverse_copy(const launch *L) {
    return jit_host_of(L->j)->double_pumped && L->plan.back && L->plan.nest == EMIT_POINTS &&
           L->p->facts.ops <= TUNE_CPU_MOVE_MAX_OPS && L->size[L->plan.dim] >= 16 * L->plan.lanes;
}

/* True for gathers of single bytes. They are inserted one by one into a 16-byte register; more
 * lanes would wait for memory. */
static bool gathers_bytes(const launch *L) {
    const kir_func *f = L->p->f;
    for (size_t i = 0; i < f->n_code && L->plan.nest == EMIT_POINTS && L->plan.dim >= 0; i++) {
        const kir_ins *k = &f->code[i];
        if (k->code == KIR_LOADX && dtype_size((gpa_dtype)f->arrays[k->sub].dtype) == 1 &&
            emit_access_along(f, k->a, L->plan.dim) == ACCESS_STRIDED)
            return true;
    }
    return false;
}

/* Reduces the lanes so that an iteration reads few cache lines of a strided array, which the
 * hardware then prefetches. Larger strides, of whole cache lines, are not prefetched in any
 * case. */
static unsigned lanes_for_strides(const launch *L) {
    const kir_func *f = L->p->f;
    unsigned least = L->p->facts.ops <= TUNE_CPU_STRIDED_ITERATION_MAX_OPS
                         ? 4
                         : lanes_of_register(L->p, jit_host_of(L->j)),
             n = L->plan.lanes;
    for (size_t a = 0; a < f->n_arrays; a++) {
        int64_t stride =
            L->view[VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE + (size_t)L->plan.dim];
        int64_t apart = stride < 0 ? -stride : stride,
                bytes = apart * (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        bool few = apart <= 1 ||
                   (stride > 1 && stride <= EMIT_MAX_WIDE_STRIDE &&
                    L->plan.strided[stride - 2] >> a & 1); /* contiguous, or read by wide loads */
        if (few || bytes >= TUNE_CPU_STRIDED_ITERATION_MAX_STRIDE || !launch_accesses(f, a))
            continue;
        while (n > least && n * bytes > TUNE_CPU_STRIDED_ITERATION_MAX_BYTES) n /= 2;
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
        if (stride >= 2 && stride <= EMIT_MAX_WIDE_STRIDE && can)
            L->plan.strided[stride - 2] |= UINT64_C(1) << a;
        if (stride == -1) L->plan.back |= UINT64_C(1) << a;
        int64_t bytes = (stride < 0 ? -stride : stride) * (int64_t)dtype_size(t);
        if (L->plan.nest == EMIT_ROWS && bytes >= TUNE_CPU_PREFETCH_MIN_STRIDE &&
            bytes <= TUNE_CPU_PREFETCH_MAX_STRIDE)
            L->plan.ahead |= UINT64_C(1) << a;
    }
    bool three = L->plan.strided[1] | L->plan.strided[2];
    if (is_long_reverse_copy(L))
        L->plan.lanes = (uint16_t)MAX(lanes_of_register(L->p, jit_host_of(L->j)) / 2, 2u);
    if (three && L->plan.nest == EMIT_POINTS)
        L->plan.lanes = (uint16_t)MIN(L->plan.lanes, lanes_of_register(L->p, jit_host_of(L->j)));
    if (L->plan.lanes > TUNE_CPU_BYTE_GATHER_MAX_LANES && gathers_bytes(L))
        L->plan.lanes = TUNE_CPU_BYTE_GATHER_MAX_LANES;
    if (L->plan.nest == EMIT_POINTS && L->plan.dim >= 0)
        L->plan.lanes = (uint16_t)MIN(L->plan.lanes, lanes_for_strides(L));
}

/* Operations of a launch; at least those of a few vectors. */
static int64_t work_of(const launch *L) {
    enum { MIN_POINTS = 64 };
    int64_t work;
    return __builtin_mul_overflow(MAX(L->outer, MIN_POINTS), MAX(L->inner, 1), &work) ||
                   __builtin_mul_overflow(work, 1 + (int64_t)L->p->facts.ops, &work)
               ? INT64_MAX
               : work;
}

gpa_code launch_compile(launch *L, int32_t part, gpa_err *e) {
    L->plan.part = part;
    return program_variant(L->p, L->j, &L->plan, work_of(L), &L->fn, e);
}

/* True if lanes are faster than single elements even for a plain copy. */
static bool copies_in_lanes(const launch *L, size_t a) {
    const kir_array *k = &L->p->f->arrays[a];
    bool stored = k->access & KIR_WRITE, four = L->plan.strided[2] >> a & 1;
    if (!stored || (k->unit | k->zero) >> L->plan.dim & 1 || L->plan.back >> a & 1) return true;
    if (!jit_host_of(L->j)->masks || (four && dtype_size((gpa_dtype)k->dtype) >= 4)) return false;
    return four || (L->plan.strided[0] | L->plan.strided[1]) >> a & 1;
}

/* For plain copies with strided arrays, scalar accesses are faster than gathered lanes. */
static bool copies_by_element(const launch *L) {
    const kir_func *f = L->p->f;
    if (L->plan.nest != EMIT_POINTS || L->plan.dim < 0 || L->p->facts.branches ||
        L->p->facts.ops > TUNE_CPU_MOVE_MAX_OPS)
        return false;
    for (size_t i = 0; i < f->n_code; i++)
        if (f->code[i].code == KIR_LOADX || f->code[i].code == KIR_STOREX ||
            f->code[i].code == KIR_BOUND)
            return false;
    for (size_t a = 0; a < f->n_arrays; a++)
        if (launch_accesses(f, a) && !copies_in_lanes(L, a)) return true;
    return false;
}

/* True if an index array is broadcast, or is not contiguous along the lanes. */
static bool has_shared_indices(const launch *L, size_t a) {
    const kir_array *k = &L->p->f->arrays[a];
    const int64_t *stride = L->view + VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE;
    for (int d = 0; d < L->p->f->ndim; d++)
        if (L->size[d] > 1 && stride[d] == 0) return true;
    return !(k->unit >> L->plan.dim & 1);
}

/* For plain gathers of non-contiguous elements, scalar accesses are faster than gathered lanes
 * if each row gathers the same elements, or if the indices themselves would need a gather. */
static bool gathers_by_element(const launch *L) {
    const kir_func *f = L->p->f;
    bool shared = false, apart = false;
    if (L->plan.nest != EMIT_POINTS || L->plan.dim < 0 || L->p->facts.branches ||
        L->p->facts.ops > TUNE_CPU_MOVE_INDEXED_MAX_OPS)
        return false;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        kir_code code = (kir_code)k->code;
        if (code == KIR_OP && k->sub != OP_ADD && k->sub != OP_MULTIPLY) return false;
        if (code == KIR_STOREX ||
            (code == KIR_LOADX && emit_access_along(f, k->a, L->plan.dim) == ACCESS_UNIT_STRIDE))
            return false;
        apart |= code == KIR_LOADX;
        if (code == KIR_STORE && !(f->arrays[k->sub].unit >> L->plan.dim & 1)) return false;
        if (code == KIR_LOAD) shared |= has_shared_indices(L, k->sub);
    }
    return apart && shared;
}

/* True for long rows with few operations per element, where memory bandwidth is the limit. */
static bool prefers_half_width(const launch *L) {
    const emit_facts *facts = &L->p->facts;
    if (!jit_host_of(L->j)->double_pumped || L->plan.nest != EMIT_POINTS || L->plan.lanes == 1 ||
        L->size[L->plan.dim] < 16 * L->plan.lanes)
        return false;
    return facts->plain && facts->ops <= TUNE_CPU_HALF_REGISTERS_MAX_OPS;
}

/* True if rows are divided at the boundaries (BELOW) along the lanes: each is crossed in the
 * direction of the lanes, and the segments are at least as long as a vector on average. */
static bool is_segmented(const launch *L) {
    const kir_func *f = L->p->f;
    int64_t crossed = 0;
    bool any = false;
    bool rows = L->plan.nest == EMIT_POINTS || L->plan.nest == EMIT_ROWS;
    if (!rows || L->plan.dim < 0 || L->plan.lanes == 1) return false;
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_BELOW) continue;
        const kir_array *a = &f->arrays[f->code[i].sub];
        if (!((a->unit | a->zero) >> L->plan.dim & 1)) return false;
        crossed += a->unit >> L->plan.dim & 1;
        any = true;
    }
    return any && L->size[L->plan.dim] / (crossed + 1) >= L->plan.lanes;
}

/* ---- whole: items are ranges of outer points ---- */

static void whole_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t lo = L->first + i * L->step, hi = MIN(lo + L->step, L->last);
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
    if (L->plan.nest != EMIT_POINTS || L->plan.part != EMIT_WHOLE || lane < 0 ||
        L->outer / L->size[lane] > TUNE_CPU_INTERLEAVED_MAX_ROWS)
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
    if (L->plan.nest != EMIT_POINTS || L->plan.dim < 0 || is_unsteady(L->p) || interleaved(L))
        return 0;
    if (L->plan.segments) return 0;
    int64_t n = L->size[L->plan.dim], lanes = L->plan.lanes;
    if (n == L->outer || n > TUNE_CPU_WHOLE_ROW_MAX_POINTS) return 0;
    bool brief = L->p->facts.ops <= TUNE_CPU_UNROLLED_ROW_MAX_OPS && !L->p->facts.branches &&
                 L->plan.stream != STREAM_ALIKE && !L->plan.each;
    return brief && lanes > 1 && n / lanes <= TUNE_CPU_UNROLLED_ROW_MAX_STEPS
               ? EMIT_SHORT_ROWS + (uint32_t)(n / lanes * 2 + (n % lanes > 0))
               : EMIT_ANY_ROWS;
}

static gpa_code run_whole(launch *L, gpa_err *e) {
    int64_t cost = (1 + (int64_t)L->p->facts.ops) * MAX(L->inner, 1), work,
            row = L->plan.dim < 0 ? 0 : L->size[L->plan.dim];
    bool unsteady = is_unsteady(L->p), along = interleaved(L);
    L->plan.rows = whole_rows(L);
    gpa_code rc = launch_compile(L, EMIT_WHOLE, e);
    if (rc) return rc;
    if (unsteady) cost *= 64; /* worth starting threads */
    if (__builtin_mul_overflow(cost, L->outer, &work)) work = INT64_MAX;
    if (work < TUNE_CPU_SERIAL_MAX_WORK || L->threads == 1) {
        /* A single thread works in chunks, too, so that interrupts are seen between them. */
        L->step = work < TUNE_CPU_SERIAL_MAX_WORK
                      ? L->outer
                      : MAX((int64_t)TUNE_CPU_CHUNK_WORK * 16 / cost, 1);
    } else
        L->step = MAX((int64_t)TUNE_CPU_CHUNK_WORK / cost, 1);
    if (unsteady) { /* chunks for all threads, and spare ones for load balance */
        int64_t piece = MIN(L->step,
                            L->outer / (L->threads * (int64_t)TUNE_CPU_UNSTEADY_ITEMS_PER_THREAD)),
                lanes = L->plan.lanes;
        L->step = (piece + lanes) / lanes * lanes;
    } else if (L->plan.nest != EMIT_ROWS)
        L->step = (L->step + 255) / 256 * 256; /* whole vectors, whole cache lines */
    if (L->plan.rows) L->step = (L->step + row - 1) / row * row;
    int use = work < TUNE_CPU_SERIAL_MAX_WORK ? 1 : L->threads;
    if (work >= TUNE_CPU_SERIAL_MAX_WORK && !unsteady && along && !L->share) {
        L->step = MIN(TUNE_CPU_INTERLEAVED_MAX_ELEMS,
                      64 * MAX((int64_t)TUNE_CPU_ROW_SEGMENTS_BYTES /
                                   (L->outer / row * launch_widest_element(L->p->f)) / 64,
                               1));
        threads_each(use, (L->size[L->plan.dim] + L->step - 1) / L->step, L->stop, tile_item, L);
    } else {
        threads_each(use, (L->last - L->first + L->step - 1) / L->step, L->stop, whole_item, L);
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
    int64_t n = L->size[L->plan.dim], rows = L->size[L->plan.row_dim], lanes = L->plan.lanes,
            tile = L->plan.tile;
    gpa_code rc = launch_compile(L, EMIT_WHOLE, e);
    if (rc) return rc;
    L->blocks = L->outer / n / rows * ((rows + tile - 1) / tile);
    L->span = MIN(n, MAX(TUNE_CPU_TILED_GROUP_MAX_POINTS / tile / lanes * lanes, lanes));
    L->step = MAX(TUNE_CPU_CHUNK_WORK / (L->span * tile * (1 + (int64_t)L->p->facts.ops)), 1);
    L->items = (L->blocks + L->step - 1) / L->step;
    int use = L->outer * (1 + (int64_t)L->p->facts.ops) < TUNE_CPU_SERIAL_MAX_WORK ? 1 : L->threads;
    threads_each(use, L->items * ((n + L->span - 1) / L->span), L->stop, tiles_item, L);
    return GPA_OK;
}

/* Chooses the plan of the launch. */
static void plan_launch(launch *L) {
    L->plan = run_plan(L->p, jit_host_of(L->j), L->size, L->view);
    if (!L->share) plan_tiles(L);
    note_strides(L);
    L->plan.stream = choose_streaming(L);
    if (copies_by_element(L) || (!L->plan.stream && gathers_by_element(L)))
        L->plan.lanes = 1, L->plan.each = TUNE_CPU_MOVE_ELEMS_PER_ITERATION,
        L->plan.stream = STREAM_NO;
    L->plan.half_width = prefers_half_width(L);
    L->plan.segments = is_segmented(L);
    if (L->plan.segments && L->plan.stream == STREAM_ALIGNED) L->plan.stream = STREAM_ALIKE;
}

/* A launch record with its view. Owned: mem_free; NULL: memory is short. */
static launch *open_launch(const run_device *on, gpa_prog *p, const gpa_launch *l,
                           cpu_fault_cell *cell) {
    launch *L =
        mem_zero(sizeof *L + (VIEW_ARRAYS + p->f->n_arrays * ARRAY_SLOTS) * sizeof *L->view);
    if (!L) return NULL;
    L->j = on->j, L->threads = on->threads, L->stop = on->stop, L->p = p, L->size = l->size;
    L->share = l->share;
    fill_view(L, l, cell);
    L->last = L->outer;
    if (L->share && L->share->form == GPA_SHARE_POINTS)
        L->first = L->share->lo, L->last = L->share->hi;
    return L;
}

gpa_code run_launch(const run_device *on, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    cpu_fault_cell cell = {.record = l->fault};
    gpa_code rc = GPA_OK;
    launch *L = open_launch(on, p, l, &cell);
    if (!L) return gpa_no_memory(e);
    if (L->first == L->last) goto out;
    plan_launch(L);
    TRY(L->plan.nest == EMIT_TILES ? run_tiles(L, e)
        : divided_plan(L)          ? divided_run(L, e)
                                   : run_whole(L, e));
    if (threads_stopped(on->stop)) rc = gpa_interrupted(e);
out:
    mem_free(L);
    return rc;
}

/* ---- shares ---- */

/* Ranges of outer points consist of whole rows or, of a single row, of whole cache lines. Their
 * borders are close to those of the parts of a reduction over as many points. */
static void share_points(const launch *L, gpa_share_plan *out) {
    const bool lanes_outside = L->plan.nest != EMIT_ROWS && L->plan.dim >= 0;
    int64_t row = lanes_outside ? L->size[L->plan.dim] : 1;
    out->form = GPA_SHARE_POINTS;
    out->n = L->outer;
    out->unit = row == L->outer ? 256 : row;
    for (int d = 0; d < L->p->f->ndim; d++)
        if (!(L->p->f->inner >> d & 1) && !(lanes_outside && d == L->plan.dim))
            out->dims[out->ndim++] = (uint8_t)d;
    if (lanes_outside) out->dims[out->ndim++] = (uint8_t)L->plan.dim;
}

static void share_parts(const launch *L, gpa_share_plan *out) {
    const bool rows = L->plan.nest == EMIT_ROWS && L->plan.dim >= 0;
    if (L->parts < 2 || L->p->facts.n_each != 1) return;
    out->form = GPA_SHARE_PARTS;
    out->n = L->parts;
    out->unit = L->part_points;
    out->bytes = (size_t)L->blocks * STATE_SLOT(L->block_lanes) * L->p->facts.n_reduce;
    for (int d = 0; d < L->p->f->ndim; d++)
        if (L->p->f->inner >> d & 1 && !(rows && d == L->plan.dim))
            out->dims[out->ndim++] = (uint8_t)d;
    if (rows) out->dims[out->ndim++] = (uint8_t)L->plan.dim;
}

gpa_code run_plan_share(const run_device *on, gpa_prog *p, const gpa_launch *l, gpa_share_plan *out,
                        gpa_err *e) {
    static const gpa_share any = {.form = GPA_SHARE_NONE};
    gpa_launch shared = *l;
    cpu_fault_cell cell = {.record = NULL};
    shared.share = &any;
    launch *L = open_launch(on, p, &shared, &cell);
    *out = (gpa_share_plan){.form = GPA_SHARE_NONE};
    if (!L) return gpa_no_memory(e);
    if (L->outer && L->inner) {
        plan_launch(L);
        if (divided_plan(L))
            share_parts(L, out);
        else
            share_points(L, out);
    }
    mem_free(L);
    return GPA_OK;
}
