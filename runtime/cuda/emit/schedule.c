/* Launch scheduling: how the points of a launch are mapped to threads and blocks.
 *
 * The choice depends on the program, the extents, strides and alignment of its arrays, and the
 * device alone, so that results are reproducible bit for bit.
 *
 * Reading order: vectorization, programs without inner points (tiles, strips, histograms), programs
 * with inner points (rows, columns, scans), schedule_launch. */
#include "runtime/cuda/emit/schedule.h"

#include "runtime/base/base.h"
#include "runtime/cuda/driver/api.h"
#include "runtime/cuda/emit/random_blocks.h"

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* True if array a is accessed at the current point (LOAD or STORE). */
static bool is_pointwise(const kir_func *f, size_t a) {
    for (size_t i = 0; i < f->n_code; i++)
        if ((f->code[i].code == KIR_LOAD || f->code[i].code == KIR_STORE) && f->code[i].sub == a)
            return true;
    return false;
}

static int64_t item_size(const kir_func *f, size_t a) {
    return (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
}

static int last_dim(const kir_func *f, unsigned among) {
    int d = f->ndim - 1;
    while (d >= 0 && !(among >> d & 1)) d--;
    return d;
}

static bool is_compute_bound(const cu_facts *facts) {
    return facts->ops > TUNE_CUDA_COMPUTE_BOUND_MIN_OPS;
}

/* ---- vectorization ---- */

/* True if every access of `vec` points of array a along dimension `last` is aligned. */
static bool is_aligned(const cu_schedule_input *in, size_t a, int last, unsigned vec) {
    const kir_array *k = &in->f->arrays[a];
    bool fits = k->unit >> last & 1 && in->base[a] % (vec * (uint64_t)item_size(in->f, a)) == 0;
    for (int d = 0; d < in->f->ndim && fits; d++)
        if (d != last && in->l->arrays[a].stride[d] % (int64_t)vec != 0 && in->l->size[d] > 1)
            fits = false;
    return fits;
}

/* Chooses the points of an access along dimension `last`, and the arrays that are accessed as
 * vectors: those with unit stride whose every access is aligned. Vectors must pay for at least half
 * of the bytes of a point. */
static void choose_vector(const cu_schedule_input *in, int last, unsigned dims, cu_plan *p) {
    const kir_func *f = in->f;
    int64_t widest = 1, vectorized = 0, all = 0, points = 1;
    for (int d = 0; d < f->ndim; d++) points *= MAX(in->l->size[d], 1);
    p->vec = 1;
    if (last < 0 || points < TUNE_CUDA_VECTORIZE_MIN_POINTS) return;
    for (size_t a = 0; a < f->n_arrays; a++)
        if (is_pointwise(f, a) && f->arrays[a].unit >> last & 1)
            widest = MAX(widest, item_size(f, a));
    unsigned vec = (unsigned)(16 / widest);
    vec = MIN(vec, is_compute_bound(in->facts) ? 4u : 8u);
    if (in->l->size[last] < 2 * (int64_t)vec) return;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!is_pointwise(f, a) || !(dims & ~f->arrays[a].zero)) continue;
        int64_t size = item_size(f, a);
        all += size;
        if (f->arrays[a].zero >> last & 1) vectorized += size; /* broadcast: one load per access */
        if (is_aligned(in, a, last, vec)) p->vectorized |= UINT64_C(1) << a, vectorized += size;
    }
    if (p->vectorized && 2 * vectorized >= all)
        p->vec = (uint8_t)vec;
    else
        p->vectorized = 0;
    p->even_extent =
        p->vec > 1 && points >= TUNE_CUDA_UNROLL_MIN_POINTS && in->l->size[last] % p->vec == 0;
}

/* ---- no inner points: tiles ---- */

/* The dimension along which some array has unit stride, while others have unit stride along the
 * last one (a transpose); -1: none. */
static int transposed_dim(const kir_func *f, const gpa_launch *l, int last) {
    bool along = false;
    int other = -1;
    if (last < 1 || l->size[last] < TILE_SIDE) return -1;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!is_pointwise(f, a)) continue;
        along |= f->arrays[a].unit >> last & 1;
        for (int d = 0; d < last; d++)
            if (f->arrays[a].unit >> d & 1 && !(f->arrays[a].zero >> last & 1) &&
                l->size[d] >= TILE_SIDE)
                other = d;
    }
    return along ? other : -1;
}

/* True if nearly all tiles along a dimension are full. */
static bool are_full(int64_t size, int64_t side) {
    return size % side == 0 || size >= TUNE_CUDA_LARGE_TILE_MIN_TILES * side;
}

static void schedule_tiles(const cu_schedule_input *in, int last, int other, cu_schedule *y) {
    const kir_func *f = in->f;
    const gpa_launch *l = in->l;
    int64_t shared = 0, side = 2 * TILE_SIDE, blocks;
    unsigned n = 0;
    for (size_t a = 0; a < f->n_arrays; a++) { /* arrays that are transposed in shared memory */
        n += is_pointwise(f, a);
        if (is_pointwise(f, a) && f->arrays[a].unit >> other & 1) shared += item_size(f, a);
    }
    for (;; side = TILE_SIDE) {
        blocks = 1;
        for (int d = 0; d < f->ndim; d++)
            blocks *= d == last || d == other ? ceil_div(l->size[d], side) : l->size[d];
        bool fits = blocks <= INT32_MAX && side * (side + 1) * shared <= CU_STATIC_SHARED_BYTES;
        if (side == TILE_SIDE && !fits) return;
        bool large = n <= 3 && are_full(l->size[last], side) && are_full(l->size[other], side) &&
                     blocks >= (int64_t)in->units * TUNE_CUDA_LARGE_TILE_MIN_BLOCKS_PER_SM;
        if (fits && (side == TILE_SIDE || large)) break;
    }
    y->plan.tile_dim = (uint8_t)(other + 1);
    y->plan.width = (uint8_t)side;
    y->plan.unroll = (uint8_t)(side * side / TUNE_CUDA_POINT_THREADS);
    y->grid[0] = (uint32_t)blocks;
    y->block[0] = (uint32_t)side;
    y->block[1] = (uint32_t)(TUNE_CUDA_POINT_THREADS / side);
}

/* ---- no inner points: strips. Of arrays that are shifted views of each other, as in a stencil, a
 * thread loads each row once for all of them (register tiling) ---- */

static bool is_written(const kir_func *f, const gpa_launch *l, const gpa_mem *mem) {
    for (size_t a = 0; a < f->n_arrays; a++)
        if (l->arrays[a].mem == mem && f->arrays[a].access & KIR_WRITE) return true;
    return false;
}

/* How many elements array b is shifted from array a along dimension d, all else equal; -1: it is
 * not such a view. */
static int shift_of(const cu_schedule_input *in, size_t a, size_t b, int d) {
    const kir_func *f = in->f;
    const gpa_launch *l = in->l;
    const uint64_t *base = in->base;
    const kir_array *x = &f->arrays[a], *y = &f->arrays[b];
    const int64_t *s = l->arrays[a].stride;
    if (l->arrays[a].mem != l->arrays[b].mem || x->dtype != y->dtype || x->unit != y->unit ||
        x->zero != y->zero || base[b] < base[a])
        return -1;
    if (x->where != KIR_GLOBAL || y->where != KIR_GLOBAL || s[d] <= 0 || x->zero >> d & 1 ||
        is_written(f, l, l->arrays[a].mem))
        return -1;
    for (int k = 0; k < f->ndim; k++)
        if (!(x->zero >> k & 1) && s[k] != l->arrays[b].stride[k]) return -1;
    uint64_t step = (uint64_t)s[d] * dtype_size((gpa_dtype)x->dtype), off = base[b] - base[a];
    return off % step == 0 && off / step <= TUNE_CUDA_STENCIL_MAX_SHIFT ? (int)(off / step) : -1;
}

/* True if array a is itself a shifted view of another array, so that it is not a source. */
static bool is_shifted(const cu_schedule_input *in, size_t a, int d) {
    for (size_t b = 0; b < in->f->n_arrays; b++)
        if (is_pointwise(in->f, b) && shift_of(in, b, a, d) > 0) return true;
    return false;
}

/* Fills strip_source and strip_shift for dimension d. Returns the registers (32-bit words) that a
 * thread of n rows needs; 0: no array is a shifted view. */
static int64_t find_strips(const cu_schedule_input *in, int d, int64_t n, cu_plan *p) {
    const kir_func *f = in->f;
    int64_t words = 0;
    bool any = false;
    for (size_t a = 0; a < f->n_arrays; a++) {
        int reach = 0;
        p->strip_source[a] = (uint8_t)a, p->strip_shift[a] = 0;
        for (size_t b = 0; b < f->n_arrays && is_pointwise(f, a); b++) {
            int shift = is_pointwise(f, b) ? shift_of(in, b, a, d) : -1,
                other = is_pointwise(f, b) ? shift_of(in, a, b, d) : -1;
            if (shift > p->strip_shift[a] && !is_shifted(in, b, d))
                p->strip_source[a] = (uint8_t)b, p->strip_shift[a] = (uint8_t)shift;
            reach = MAX(reach, other);
        }
        any |= p->strip_shift[a] > 0;
        if (is_pointwise(f, a) && !p->strip_shift[a])
            words += (n + reach) * MAX(item_size(f, a) / 4, 1);
    }
    return any ? words : 0;
}

static void schedule_strips(const cu_schedule_input *in, cu_schedule *y) {
    const kir_func *f = in->f;
    const gpa_launch *l = in->l;
    cu_plan *p = &y->plan;
    int last = f->ndim - 1;
    if (f->n_arrays > STRIP_ARRAYS || is_compute_bound(in->facts)) return;
    for (int d = last - 1; d >= 0; d--)
        for (int64_t n = 8; n >= 4; n /= 2) {
            int64_t words = find_strips(in, d, n, p);
            if (!words || words > TUNE_CUDA_STENCIL_MAX_REGISTERS || l->size[d] < 4 * n) continue;
            p->strip_dim = (uint8_t)(d + 1);
            p->unroll = (uint8_t)n;
            y->accesses = 1;
            for (int k = 0; k < f->ndim; k++)
                y->accesses *= k == d ? ceil_div(l->size[k], n) : l->size[k];
            y->outer = y->accesses;
            y->grid[0] = (uint32_t)ceil_div(y->accesses, TUNE_CUDA_POINT_THREADS);
            return;
        }
    memset(p->strip_source, 0, sizeof p->strip_source);
    memset(p->strip_shift, 0, sizeof p->strip_shift);
}

/* ---- no inner points: histograms ---- */

/* Few elements that many points add to: each block has a private copy in shared memory, and the
 * grid is as large as runs at once. Counts have one copy per warp where these fit into half of the
 * shared memory (occupancy). */
static void schedule_histogram(const cu_schedule_input *in, cu_schedule *y) {
    uint64_t capacity = in->capacity[in->facts->histogram],
             item = in->facts->histogram_counts ? 4 : 8,
             copies = in->facts->histogram_counts ? TUNE_CUDA_HISTOGRAM_MAX_COPIES : 1;
    if (capacity == 0 || capacity > TUNE_CUDA_HISTOGRAM_SHARED_BYTES / item ||
        y->accesses < TUNE_CUDA_VECTORIZE_MIN_POINTS)
        return;
    while (copies > 1 && copies * capacity * item > TUNE_CUDA_HISTOGRAM_SHARED_BYTES / 2)
        copies /= 2;
    y->plan.histogram_copies = (uint8_t)copies;
    y->plan.unroll = y->plan.vec > 1 ? 2 : 4;
    y->shared = (uint32_t)(copies * capacity * item);
    y->grid[0] =
        (uint32_t)MIN(ceil_div(y->accesses, (int64_t)TUNE_CUDA_POINT_THREADS * y->plan.unroll),
                      (int64_t)in->units * TUNE_CUDA_HISTOGRAM_BLOCKS_PER_SM);
}

/* ---- no inner points ---- */

static void choose_batch(const cu_schedule_input *in, int last, cu_plan *p) {
    const kir_func *f = in->f;
    const cu_facts *facts = in->facts;
    int64_t points = 1;
    bool slow = is_compute_bound(facts);
    choose_vector(in, last, (1u << f->ndim) - 1, p);
    for (int d = 0; d < f->ndim; d++) points *= in->l->size[d];
    bool many = points > TUNE_CUDA_UNROLL_MIN_POINTS;
    if (many) p->unroll = p->vec > 1 ? (slow ? 1 : 2) : slow ? 2 : 4;
    p->random_blocks =
        p->vec > 1 && facts->random_blocks && random_blocks_aligned(f, in->l, last, p->vec);
    if (p->random_blocks && many && !facts->uses_f64)
        p->unroll = 2; /* two random blocks in flight: they need few registers */
}

static void schedule_points(const cu_schedule_input *in, cu_schedule *y) {
    const kir_func *f = in->f;
    const cu_facts *facts = in->facts;
    int last = f->ndim - 1;
    cu_plan *p = &y->plan;
    p->group = GROUP_NONE;
    p->vec = p->unroll = 1;
    p->threads = TUNE_CUDA_POINT_THREADS;
    bool plain = !facts->branches && !facts->reread && !facts->scatters;
    int other = plain ? transposed_dim(f, in->l, last) : -1;
    if (plain && other < 0) choose_batch(in, last, p);
    for (size_t a = 0; a < f->n_arrays && f->flags & KIR_F_UNORDERED; a++) /* accessed by offset */
        if (f->arrays[a].where == KIR_GLOBAL && !is_pointwise(f, a) && in->base[a] % 16 == 0)
            p->vectorized |= UINT64_C(1) << a;
    y->accesses = last < 0 ? 1 : ceil_div(in->l->size[last], p->vec);
    for (int d = 0; d < last; d++) y->accesses *= in->l->size[d];
    y->outer = y->accesses;
    y->grid[0] = (uint32_t)ceil_div(y->accesses, (int64_t)TUNE_CUDA_POINT_THREADS * p->unroll);
    y->block[0] = TUNE_CUDA_POINT_THREADS;
    if (other >= 0)
        schedule_tiles(in, last, other, y);
    else if (facts->histogram >= 0)
        schedule_histogram(in, y);
    else if (plain && p->vec == 1 && p->unroll > 1)
        schedule_strips(in, y);
}

/* ---- inner points: rows ---- */

static int64_t inner_accesses(const kir_func *f, const gpa_launch *l, int last, int vec) {
    int64_t n = 1;
    for (int d = 0; d < f->ndim; d++)
        if (f->inner >> d & 1) n *= d == last ? ceil_div(l->size[d], vec) : l->size[d];
    return n;
}

/* Bytes per point that a thread would hold to keep its part of a row in registers. */
static int64_t row_bytes(const kir_func *f) {
    int64_t n = 0;
    for (size_t a = 0; a < f->n_arrays; a++)
        if (is_pointwise(f, a) && f->arrays[a].access & KIR_READ && (f->inner & ~f->arrays[a].zero))
            n += item_size(f, a);
    return n;
}

/* The same for the values that a compaction stores alone. */
static int64_t compacted_bytes(const kir_func *f) {
    bool *wanted = mem_zero(f->n_code + 1);
    int64_t n = 0;
    if (!wanted) return row_bytes(f);
    for (size_t k = f->n_code; k-- > 0;) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        if (i->code == KIR_STOREX) wanted[i->b] = true;
        if (!wanted[k]) continue;
        if (i->code == KIR_LOAD && (f->inner & ~f->arrays[i->sub].zero)) n += item_size(f, i->sub);
        for (int j = 0; j < kir_arity(i); j++)
            if (in[j] >= 0) wanted[in[j]] = true;
    }
    mem_free(wanted);
    return n;
}

/* Accesses of a look-back tile per thread: loaded values, or states, fit in
 * TUNE_CUDA_LOOKBACK_REGISTER_BYTES, and compacted elements in shared memory. Where no more than
 * that is kept, larger tiles, fewer of them at once, are faster. */
static int64_t lookback_accesses(const cu_schedule_input *in, int64_t vec) {
    const kir_func *f = in->f;
    bool compacts = in->facts->compacts;
    int64_t bytes = compacts ? compacted_bytes(f) : row_bytes(f), stored = 0, n = 8;
    for (size_t k = 0; k < f->n_code; k++) {
        if (f->code[k].code == KIR_SCAN)
            bytes = MAX(bytes, (int64_t)emit_state_bytes(f, (int32_t)k));
        if (f->code[k].code == KIR_STOREX) stored += item_size(f, f->code[k].sub);
    }
    if (!compacts && vec * bytes <= 16) return TUNE_CUDA_LOOKBACK_MAX_ACCESSES;
    while (n > 1 && (n * vec * bytes > TUNE_CUDA_LOOKBACK_REGISTER_BYTES ||
                     (compacts && n * vec * stored * 32 * TUNE_CUDA_SCAN_MAX_WARPS >
                                      TUNE_CUDA_COMPACTION_STAGE_BYTES)))
        n /= 2;
    return n;
}

/* Splits rows among blocks where there are too few rows to fill the device. */
static void split_rows(const cu_schedule_input *in, int64_t lanes, cu_schedule *y) {
    int64_t units = in->units;
    int64_t blocks = ceil_div(
        units * (lanes == 512 ? TUNE_CUDA_ROW_BLOCKS_PER_SM : 2 * TUNE_CUDA_ROW_BLOCKS_PER_SM),
        y->outer);
    int64_t least = MAX(TUNE_CUDA_SPLIT_MIN_PART_BYTES / (16 * lanes), 1) * lanes;
    y->part_accesses = MAX(ceil_div(y->accesses, MIN(blocks, TUNE_CUDA_SPLIT_MAX_PARTS)), least);
    y->split = y->part_accesses < y->accesses;
}

/* Rows that several regions read: threads that keep a whole row in registers, at most max_accesses
 * each. Returns the lanes of a row. */
static int64_t keep_rows(int64_t max_accesses, int64_t lanes, cu_schedule *y) {
    cu_plan *p = &y->plan;
    for (int e = 1; e <= max_accesses && !p->row_accesses; e *= 2) {
        int64_t need =
            p->group == GROUP_WARP ? p->width : ceil_div(ceil_div(y->accesses, e), 32) * 32;
        if (need > (e * 2 <= max_accesses ? 384 : 1024) || y->accesses > need * e) continue;
        p->row_accesses = (uint8_t)e;
        lanes = p->group == GROUP_WARP ? need : MAX(need, 32);
    }
    return lanes;
}

/* The lanes of a warp that share a row: with two accesses each, or more, while the warps fill the
 * device. */
static uint8_t lanes_of_row(const cu_schedule_input *in, const cu_schedule *y) {
    const int64_t warps = (int64_t)in->units * TUNE_CUDA_SHARED_WARPS_MIN_PER_SM;
    int64_t lanes = 32;
    while (lanes > 2 && y->accesses <= lanes && y->outer * lanes / 64 >= warps) lanes /= 2;
    return (uint8_t)lanes;
}

/* Accesses in flight. `whole`: each thread takes its part of the row in so many; 0: no. */
static int row_unroll(const cu_schedule *y, bool light, int64_t whole, int64_t lanes) {
    const cu_plan *p = &y->plan;
    int unroll = p->vec > 1 ? 2 : 4;
    if (whole) {
        unroll = (int)whole;
    } else if (light) {
        unroll = p->vec > 1 ? 4 : 8;
        int64_t all = ceil_div(y->accesses, lanes); /* a few more, if they cover the whole row */
        if (!y->split && all > unroll && all <= unroll + unroll / 2) unroll = (int)all;
    }
    if (p->scan) unroll = y->accesses > lanes ? 2 : 1;
    return y->outer * y->accesses < TUNE_CUDA_VECTORIZE_MIN_POINTS ? 1 : unroll;
}

/* Turns a split scan of few rows into a single pass with look-back. */
static void schedule_lookback(const cu_schedule_input *in, int64_t lanes, cu_schedule *y) {
    cu_plan *p = &y->plan;
    p->scan = SCAN_LOOKBACK;
    p->unroll = (uint8_t)lookback_accesses(in, p->vec);
    y->part_accesses = lanes * p->unroll;
    y->tiles = ceil_div(y->accesses, y->part_accesses);
    y->split = false;
    y->grid[0] = (uint32_t)(y->outer * y->tiles);
}

static void schedule_rows(const cu_schedule_input *in, int last, bool splittable, cu_schedule *y) {
    const cu_facts *facts = in->facts;
    cu_plan *p = &y->plan;
    const int64_t accesses = y->accesses;
    const bool rereads = facts->n_each > 1 && !p->scan && !facts->reread && !facts->branches &&
                         !facts->scans && last >= 0;
    const int64_t bytes = row_bytes(in->f) * p->vec;
    const int64_t most = bytes ? MIN(TUNE_CUDA_ROW_REGISTER_MAX_BYTES / bytes,
                                     TUNE_CUDA_ROW_REGISTER_MAX_ELEMS / p->vec)
                               : 0;
    bool warp = accesses <= TUNE_CUDA_WARP_ROW_MAX_ACCESSES &&
                y->outer >= TUNE_CUDA_WARP_ROW_MIN_ROWS && !p->scan &&
                !(rereads && accesses > 32 * most);
    p->group = warp ? GROUP_WARP : GROUP_BLOCK;
    if (warp) p->width = lanes_of_row(in, y);
    int64_t lanes = warp                                                 ? p->width
                    : accesses >= TUNE_CUDA_ROW_512_THREADS_MIN_ACCESSES ? 512
                    : accesses >= TUNE_CUDA_ROW_256_THREADS_MIN_ACCESSES
                        ? 256
                        : MAX(32, ceil_div(accesses, 32) * 32);
    const bool light =
        facts->n_each == 1 && facts->ops < TUNE_CUDA_LIGHT_REDUCTION_MAX_OPS && !p->scan;
    const bool many_rows = y->outer >= (int64_t)in->units * TUNE_CUDA_SPLIT_MAX_ROWS_PER_SM;
    int64_t whole = light && !warp && p->vec > 1 && many_rows
                        ? MAX(ceil_div(accesses, TUNE_CUDA_WHOLE_ROW_MAX_THREADS), 2)
                        : 0;
    if (whole > 3) whole = 0; /* all accesses of a row are in flight at once: only if few */
    if (whole) lanes = ceil_div(ceil_div(accesses, whole), 32) * 32;
    if (p->scan) lanes = MIN(lanes, 32 * TUNE_CUDA_SCAN_MAX_WARPS);
    if (splittable && !warp && !many_rows) split_rows(in, lanes, y);
    if (rereads && !y->split && y->outer * accesses >= TUNE_CUDA_VECTORIZE_MIN_POINTS)
        lanes = keep_rows(most, lanes, y);
    p->streaming = facts->n_each == 1 && !warp && !p->scan &&
                   y->outer * accesses * 16 > TUNE_CUDA_NO_ALLOCATE_MIN_BYTES;
    p->unroll = (uint8_t)row_unroll(y, light, whole, lanes);
    int64_t threads = MAX(lanes, p->row_accesses ? lanes : 256);
    p->threads = warp ? 32 * TUNE_CUDA_WARP_ROWS : threads > 512 ? 1024 : threads > 256 ? 512 : 256;
    y->block[0] = warp ? 32 * TUNE_CUDA_WARP_ROWS : (uint32_t)lanes;
    y->grid[0] = (uint32_t)(warp ? ceil_div(y->outer, y->block[0] / p->width) : y->outer);
    if (y->split && facts->lookback && y->outer <= 64 && lanes == 32 * TUNE_CUDA_SCAN_MAX_WARPS)
        schedule_lookback(in, lanes, y);
}

/* ---- inner points: columns ---- */

/* True if unit strides are along the last outer dimension rather than an inner one. Arrays that are
 * broadcast along that dimension are small. */
static bool is_columnwise(const kir_func *f, const gpa_launch *l, int outer_last, int inner_last) {
    int64_t outer = 0, inner = 0;
    if (outer_last < 0 || l->size[outer_last] < 8) return false;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!is_pointwise(f, a) || !(f->inner & ~f->arrays[a].zero) ||
            f->arrays[a].zero >> outer_last & 1)
            continue;
        if (f->arrays[a].unit >> outer_last & 1) outer += item_size(f, a);
        if (f->arrays[a].unit >> inner_last & 1) inner += item_size(f, a);
    }
    return outer > inner;
}

/* True if a program is one region that reduces and nothing else, with states of 16 bytes at most.
 */
static bool reduces_only(const kir_func *f, const cu_facts *facts) {
    size_t states = 0;
    int n = 0;
    bool each = false;
    for (int d = 0; d < f->ndim; d++) n += !(f->inner >> d & 1);
    if (n != 1 || facts->n_each != 1 || facts->branches) return false;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        if (kir_has(k->code, KI_OFFSET | KI_FAULTS) || k->code == KIR_LOADIF) return false;
        if (k->code == KIR_REDUCE) states += emit_state_bytes(f, (int32_t)i);
        each |= k->code == KIR_EACH;
        if (each) continue;
        if (k->code == KIR_LOAD || k->code == KIR_STORE || k->code == KIR_INDEX ||
            k->code == KIR_IOTA)
            return false;
    }
    return states <= 16;
}

/* How many columns one access loads: what the region reads has unit stride along the columns,
 * aligned, or is the same for all of them. 0: one column. */
static int columns_of_access(const cu_schedule_input *in, int outer, cu_plan *p) {
    const kir_func *f = in->f;
    uint64_t vectorized = 0;
    int64_t widest = 1;
    if (!reduces_only(f, in->facts)) return 0;
    for (size_t a = 0; a < f->n_arrays; a++)
        if (is_pointwise(f, a) && f->inner & ~f->arrays[a].zero) {
            if (f->arrays[a].access & KIR_WRITE) return 0;
            widest = MAX(widest, item_size(f, a));
        }
    int64_t n = 16 / widest;
    if (n > 4 || n < 2 || in->l->size[outer] % n) return 0;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const kir_array *k = &f->arrays[a];
        if (!is_pointwise(f, a) || !(f->inner & ~k->zero) || k->zero >> outer & 1) continue;
        if (!is_aligned(in, a, outer, (unsigned)n)) return 0;
        vectorized |= UINT64_C(1) << a;
    }
    if (!vectorized) return 0;
    p->vectorized = vectorized;
    return (int)n;
}

/* A block takes adjacent columns, so that its loads of a row coalesce, and some rows at a time. */
static void schedule_columns(const cu_schedule_input *in, int outer, bool splittable,
                             cu_schedule *y) {
    cu_plan *p = &y->plan;
    int64_t width = 32;
    while (width < TUNE_CUDA_COLUMNS_PER_BLOCK && y->outer >= 4 * width && y->accesses >= 64)
        width *= 2;
    if (width == TUNE_CUDA_COLUMNS_PER_BLOCK && y->accesses >= TUNE_CUDA_VECTOR_COLUMN_MIN_ROWS)
        p->column_vec = (uint8_t)columns_of_access(in, outer, p);
    if (p->column_vec) width = 32 * p->column_vec;
    int64_t rows = TUNE_CUDA_COLUMN_THREADS / width;
    while (rows > 1 && rows * 4 > y->accesses) rows /= 2;
    bool few = y->outer * y->accesses < TUNE_CUDA_VECTORIZE_MIN_POINTS;
    p->group = GROUP_COLUMN;
    p->width = (uint8_t)width;
    p->unroll = p->column_vec                ? TUNE_CUDA_VECTOR_COLUMN_LOADS_IN_FLIGHT
                : in->facts->branches || few ? 1
                                             : TUNE_CUDA_COLUMN_LOADS_IN_FLIGHT;
    p->threads = TUNE_CUDA_COLUMN_THREADS;
    y->block[0] = (uint32_t)width;
    y->block[1] = (uint32_t)rows;
    y->grid[0] = (uint32_t)ceil_div(y->outer, width);
    int64_t want =
        (int64_t)in->units *
        (p->column_vec ? TUNE_CUDA_VECTOR_COLUMN_BLOCKS_PER_SM : TUNE_CUDA_COLUMN_BLOCKS_PER_SM) /
        y->grid[0]; /* rounded down: no partial last wave of a few blocks */
    if (splittable && want > 1 && y->accesses > 512) {
        y->part_accesses = MAX(ceil_div(y->accesses, MIN(want, TUNE_CUDA_SPLIT_MAX_PARTS)), 128);
        y->split = y->part_accesses < y->accesses;
    }
}

/* ---- inner points: one at a time ---- */

static void schedule_thread(cu_schedule *y) {
    y->plan.group = GROUP_THREAD;
    y->plan.unroll = y->plan.vec = 1;
    y->plan.threads = 128;
    y->block[0] = 128;
    y->grid[0] = (uint32_t)ceil_div(y->outer, 128);
}

/* A thread scans a whole row if rows are short, or if there are many and threads can load adjacent
 * ones; else a block does. */
static bool scan_by_thread(const cu_facts *facts, const cu_schedule *y, bool columnwise) {
    if (y->accesses <= TUNE_CUDA_SERIAL_SCAN_MAX_ACCESSES) return true;
    return columnwise || !facts->tiled_scan
               ? y->outer >= (columnwise ? TUNE_CUDA_SERIAL_SCAN_MIN_COLUMNS
                                         : TUNE_CUDA_SERIAL_SCAN_MIN_ROWS)
               : false;
}

/* Programs with branches, a point at a time. Few rows without scans are split among blocks; since
 * branches make their work uneven, there are more blocks than run at once. */
static void schedule_in_order(const cu_schedule_input *in, cu_schedule *y) {
    const cu_facts *facts = in->facts;
    /* The lanes of a row need not be in step, but for the final reduction. */
    bool independent = !facts->scans && !facts->reread && !facts->nested;
    bool warp = independent && y->accesses <= TUNE_CUDA_WARP_ROW_MAX_ACCESSES &&
                y->outer >= TUNE_CUDA_WARP_ROW_MIN_ROWS;
    y->plan.group = warp ? GROUP_WARP : GROUP_BLOCK;
    y->plan.width = warp ? 32 : 0;
    y->plan.threads = warp ? 32 * TUNE_CUDA_WARP_ROWS : facts->scans ? 512 : 256;
    y->block[0] = y->plan.threads;
    y->grid[0] = (uint32_t)(warp ? ceil_div(y->outer, TUNE_CUDA_WARP_ROWS) : y->outer);
    if (warp || !independent || facts->n_each != 1 ||
        y->outer >= (int64_t)in->units * TUNE_CUDA_SPLIT_MAX_ROWS_PER_SM)
        return;
    int64_t blocks = ceil_div((int64_t)in->units * TUNE_CUDA_BRANCHING_BLOCKS_PER_SM, y->outer);
    y->part_accesses = MAX(ceil_div(y->accesses, MIN(blocks, TUNE_CUDA_SPLIT_MAX_PARTS)),
                           (int64_t)y->plan.threads);
    y->split = y->part_accesses < y->accesses;
}

static void schedule_inner(const cu_schedule_input *in, cu_schedule *y) {
    const kir_func *f = in->f;
    const cu_facts *facts = in->facts;
    unsigned all = (1u << f->ndim) - 1;
    int last = last_dim(f, f->inner), outer_last = last_dim(f, all & ~f->inner);
    bool plain = !facts->branches && !facts->reread && (!facts->scans || facts->tiled_scan);
    bool splittable = plain && !facts->outer_writes;
    y->plan.vec = y->plan.unroll = 1;
    y->outer = 1;
    for (int d = 0; d < f->ndim; d++)
        if (!(f->inner >> d & 1)) y->outer *= in->l->size[d];
    y->accesses = inner_accesses(f, in->l, last, 1);
    bool columnwise = is_columnwise(f, in->l, outer_last, last);
    bool by_thread = facts->branches && y->outer >= 1024 && (columnwise || y->accesses < 32);
    if (facts->outer_writes || by_thread || y->accesses < 8 ||
        (facts->scans && scan_by_thread(facts, y, columnwise))) {
        schedule_thread(y);
        return;
    }
    if (plain && !facts->scans && columnwise) {
        schedule_columns(in, outer_last, splittable, y);
        return;
    }
    if (!plain) {
        schedule_in_order(in, y);
        return;
    }
    if (!facts->scan_scatters || facts->compacts) choose_vector(in, last, f->inner, &y->plan);
    y->plan.scan = facts->scans ? SCAN_TILED : SCAN_IN_PLACE;
    y->accesses = inner_accesses(f, in->l, last, y->plan.vec);
    schedule_rows(in, last, splittable, y);
}

cu_schedule schedule_launch(const cu_schedule_input *in) {
    cu_schedule y;
    memset(&y, 0, sizeof y);
    y.plan.phase = PHASE_ALL;
    for (int d = 0; d < 3; d++) y.grid[d] = y.block[d] = 1;
    if (in->f->form == KIR_KERNEL) {
        for (int d = 0; d < 3; d++) y.grid[d] = in->l->grid[d], y.block[d] = in->l->block[d];
        y.plan.vec = y.plan.unroll = 1;
    } else if (!in->facts->n_each) {
        schedule_points(in, &y);
    } else {
        schedule_inner(in, &y);
    }
    return y;
}
