/* Divided reductions: the inner points are split into parts, whose partial states are then joined
 * in a tree. The parts depend only on the program and the extents, never on the number of threads.
 *
 * Reading order: part_item, run_region, divided_run, divided_plan. */
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cpu/run/launch.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"

enum { PAGE = 4096 };

/* ---- parts ---- */

/* The outer points of an item: up to `span` blocks, all in one row of the lane dimension. */
static void item_range(const launch *L, int64_t item, int64_t *block, int64_t *lo, int64_t *hi) {
    if (L->plan.nest == EMIT_ROWS) {
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
    _Alignas(64) char group[TUNE_CPU_NARROW_STATES_MAX_BYTES];
    for (int64_t at = c->from; at < c->to; at++) {
        int64_t nth = (at - c->from) % TUNE_CPU_NARROW_GROUP_ROWS;
        char *states = at - c->from < TUNE_CPU_NARROW_GROUP_ROWS ? all : group;
        L->fn(L->view, c->lo, c->hi, at, at + 1, done, states, nth == 0);
        if (states == all || (nth < TUNE_CPU_NARROW_GROUP_ROWS - 1 && at + 1 < c->to)) continue;
        for (int64_t k = 0; k * L->block_lanes < c->hi - c->lo; k++)
            L->join(L->view, 0, 0, 0, 0, group + (size_t)k * L->states, all + (size_t)k * L->states,
                    0);
    }
}

/* The absorbing state of a boolean reduction (true for any, false for all), which no further
 * element changes; -1: there is none. */
static int absorbing_state(const kir_func *f, const kir_ins *k) {
    const gpa_red r = (gpa_red)k->sub;
    if (f->code[k->a].type != DT_BOOL || red_info[r].arg) return -1;
    for (int x = 0; x < 2; x++)
        if (red_combine_bools(r, x, false) == x && red_combine_bools(r, x, true) == x) return x;
    return -1;
}

/* True if points may be skipped once all reductions reach their absorbing states: the region has
 * no side effects. */
static bool can_exit_early(const kir_func *f, const emit_facts *facts) {
    if (facts->n_each != 1 || facts->branches || facts->trips) return false;
    bool inside = false;
    for (size_t i = 0; i < f->n_code; i++) {
        kir_code code = (kir_code)f->code[i].code;
        if (code == KIR_EACH)
            inside = true;
        else if (code == KIR_END)
            inside = false;
        else if (code == KIR_REDUCE && absorbing_state(f, &f->code[i]) < 0)
            return false;
        else if (inside && code != KIR_REDUCE && code != KIR_CONST && code != KIR_PARAM &&
                 code != KIR_OP && code != KIR_CAST && code != KIR_LOAD && code != KIR_IOTA)
            return false;
    }
    return true;
}

static bool is_final(const launch *L, const char *states) {
    const kir_func *f = L->p->f;
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_REDUCE) continue;
        if (*states != absorbing_state(f, &f->code[i])) return false;
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
    if (L->early_exit) {
        const char *known = __atomic_load_n(&L->final[block], __ATOMIC_ACQUIRE);
        if (known) {
            memcpy(states, known, L->states);
            return;
        }
        L->fn(L->view, c.lo, c.hi, c.from, c.to, done, states, 1);
        if (is_final(L, states)) __atomic_store_n(&L->final[block], states, __ATOMIC_RELEASE);
        return;
    }
    if (L->join) {
        sum_narrow(L, &c, done, states);
        return;
    }
    for (int64_t at = from; at < c.to; at += L->visit)
        L->fn(L->view, c.lo, c.hi, at, MIN(at + L->visit, c.to), done, states, at == from);
}

/* Evaluates the first part of every item on the calling thread, if parts are many: often these
 * decide all results (early exit). */
static void evaluate_first_parts(launch *L) {
    bool all = true;
    if (!L->early_exit || L->parts < TUNE_CPU_EARLY_EXIT_MIN_PARTS) return;
    for (int64_t i = 0; i < L->items; i++) {
        part_item(L, i);
        all &= L->final[i] != NULL;
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
    if (L->plan.nest != EMIT_COLUMNS || L->spans != 1 || L->p->facts.narrow_sums) return false;
    const int64_t item = (int64_t)L->p->facts.widest * (L->p->facts.complex ? 2 : 1),
                  row = L->size[L->plan.dim] * item;
    if (L->outer * L->inner * item <=
        (row < PAGE ? TUNE_CPU_SHARED_CACHE_BYTES : TUNE_CPU_NO_CACHE_MIN_BYTES))
        return false;
    return row >= TUNE_CPU_NARROW_ROW_MIN_BYTES && row <= TUNE_CPU_NARROW_ROW_MAX_BYTES &&
           (size_t)L->span * L->states <= TUNE_CPU_NARROW_STATES_MAX_BYTES;
}

/* *finish: false if another device joins the parts of the share. */
static gpa_code run_region(launch *L, uint32_t k, bool *finish, gpa_err *e) {
    gpa_code rc = GPA_OK;
    L->join = NULL;
    if (is_narrow(L) && sums_floats(L->p->f)) {
        if ((rc = launch_compile(L, EMIT_JOIN - (int32_t)k, e))) return rc;
        L->join = L->fn;
    }
    if ((rc = launch_compile(L, (int32_t)k, e))) return rc;
    if (!L->share) evaluate_first_parts(L);
    int64_t last = L->items * L->parts;
    if (L->share) L->begun = L->share->lo * L->items, last = L->share->hi * L->items;
    double bytes = (double)L->outer * (double)L->inner * L->p->facts.widest * (1 + L->p->facts.ops);
    threads_each(bytes < TUNE_CPU_SERIAL_REDUCTION_MAX_BYTES ? 1 : L->threads, last - L->begun,
                 L->stop, part_item, L);
    if (L->share) {
        rc = L->share->join(L->share->user, L->partial, finish, e);
        if (rc || !*finish) return rc;
    }
    if (L->parts > 1 && L->p->facts.n_reduce) {
        if ((rc = launch_compile(L, EMIT_JOIN - (int32_t)k, e))) return rc;
        threads_each(L->blocks * L->parts < 256 ? 1 : L->threads, L->blocks, L->stop, join_block,
                     L);
    }
    keep_states(L, k);
    return GPA_OK;
}

gpa_code divided_run(launch *L, gpa_err *e) {
    gpa_code rc = GPA_OK;
    uint32_t regions = L->p->facts.n_each;
    bool finish = true;
    L->slot = STATE_SLOT(L->block_lanes);
    L->states = L->slot * L->p->facts.n_reduce;
    if (L->plan.nest == EMIT_COLUMNS) L->visit = is_narrow(L) ? 1 : TUNE_CPU_COLUMN_VISIT_ROWS;
    L->done = mem_new((size_t)L->blocks * L->states);
    L->partial = mem_new((size_t)(L->blocks * L->parts) * L->states);
    if (!L->done || !L->partial) {
        rc = gpa_no_memory(e);
        goto out;
    }
    for (uint32_t k = 0; k < regions && !*L->stop; k++) TRY(run_region(L, k, &finish, e));
    if (L->p->facts.stores_outside && finish) {
        TRY(launch_compile(L, (int32_t)regions, e));
        threads_each(L->threads, L->items, L->stop, last_item, L);
    }
out:
    mem_free(L->done);
    mem_free(L->partial);
    return rc;
}

/* Length of a row's contiguous segments in an array when segments of other rows lie between
 * them; 0: rows are contiguous, or the order differs. */
static int64_t segment_length(const launch *L, size_t array) {
    const kir_func *f = L->p->f;
    const int64_t *stride = L->view + VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_STRIDE;
    int64_t least = INT64_MAX, most = 0, segment = 1;
    bool apart = false;
    for (int d = 0; d < f->ndim; d++)
        if (!(f->inner >> d & 1) && L->size[d] > 1)
            least = MIN(least, llabs(stride[d])), most = MAX(most, llabs(stride[d]));
    for (int d = 0; d < f->ndim; d++) {
        if (!(f->inner >> d & 1) || L->size[d] == 1 || d == L->plan.dim) continue;
        if (llabs(stride[d]) < least)
            segment *= L->size[d];
        else if (llabs(stride[d]) > most && segment == 1)
            apart = true;
        else
            return 0;
    }
    return apart && stride[L->plan.dim] == 1 && least > 1 ? segment * L->size[L->plan.dim] : 0;
}

/* Divides rows that consist of short segments, interleaved with those of other rows: these rows
 * are visited together, in memory order. */
static bool divides_segments(launch *L) {
    const kir_func *f = L->p->f;
    int64_t segment = 0, size = L->p->facts.widest;
    if (L->p->facts.n_each != 1 || L->plan.dim < 0 ||
        L->outer * L->inner * size <= TUNE_CPU_PRIVATE_CACHE_BYTES)
        return false;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!launch_accesses(f, a) || f->arrays[a].zero >> L->plan.dim & 1) continue;
        int64_t here = segment_length(L, a);
        if (!here || (segment && here != segment)) return false;
        segment = here;
    }
    if (!segment || segment * size > TUNE_CPU_ROW_SEGMENT_MAX_BYTES ||
        L->inner / segment < TUNE_CPU_COLUMN_VISIT_ROWS)
        return false;
    L->visit = segment;
    L->part_points = segment * MAX(TUNE_CPU_ROW_SEGMENTS_PER_PART,
                                   (L->inner / segment + TUNE_CPU_DIVIDED_MAX_PARTS - 1) /
                                       TUNE_CPU_DIVIDED_MAX_PARTS);
    L->span = MIN(L->outer, MAX(TUNE_CPU_CHUNK_WORK / L->part_points,
                                TUNE_CPU_ROW_SEGMENTS_BYTES / (segment * size)));
    L->blocks = L->outer;
    L->items = (L->outer + L->span - 1) / L->span;
    L->parts = (L->inner + L->part_points - 1) / L->part_points;
    return true;
}

/* Rows are divided if they are long and few. */
static bool divides_rows(launch *L) {
    L->block_lanes = 1;
    if (divides_segments(L)) return true;
    L->span = 1;
    L->items = L->blocks = L->outer;
    L->early_exit =
        L->blocks < TUNE_CPU_DIVIDED_MAX_BLOCKS && can_exit_early(L->p->f, &L->p->facts);
    L->part_points =
        MAX(L->early_exit ? TUNE_CPU_EARLY_EXIT_PART_MIN_POINTS : TUNE_CPU_PART_MIN_POINTS,
            (L->inner + TUNE_CPU_DIVIDED_MAX_PARTS - 1) / TUNE_CPU_DIVIDED_MAX_PARTS);
    L->visit = L->part_points;
    L->parts = (L->inner + L->part_points - 1) / L->part_points;
    return L->blocks < TUNE_CPU_DIVIDED_MAX_BLOCKS && L->parts > 1;
}

/* True if all columns are reused by every row and fit the shared cache, as in products of each
 * row of one matrix with all of another. */
static bool reuses_columns(const launch *L) {
    const kir_func *f = L->p->f;
    int64_t all = 0;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const int64_t *stride = L->view + VIEW_ARRAYS + a * ARRAY_SLOTS + ARRAY_STRIDE;
        int64_t bytes = (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        if (!launch_loads(f, a) || !stride[L->plan.dim]) continue;
        for (int d = 0; d < f->ndim; d++) {
            if (!stride[d] || L->size[d] == 1) continue;
            if (d != L->plan.dim && !(f->inner >> d & 1)) return false;
            bytes *= L->size[d];
        }
        all += bytes;
    }
    return all <= TUNE_CPU_SHARED_CACHE_BYTES &&
           L->outer / L->size[L->plan.dim] >= TUNE_CPU_COLUMN_VISIT_ROWS;
}

/* Columns are divided unless the data of a block of lanes, or all data, fits the caches or comes
 * from few rows: memory is read best along rows, a few of them at a time. */
static bool divides_columns(launch *L) {
    int64_t n = L->size[L->plan.dim], widest = L->p->facts.widest, lanes = L->plan.lanes;
    bool small = L->outer * L->inner * widest <= TUNE_CPU_PRIVATE_CACHE_BYTES;
    bool again =
        L->p->facts.n_each > 1 && lanes * widest * L->inner <= TUNE_CPU_PRIVATE_CACHE_BYTES / 4;
    L->block_lanes = lanes;
    L->blocks_in_row = (n + lanes - 1) / lanes;
    L->blocks = L->outer / n * L->blocks_in_row;
    const int64_t longer =
        L->inner <= TUNE_CPU_UNDIVIDED_CACHED_MAX_ROWS ? TUNE_CPU_FEW_ROWS_COLUMNS_FACTOR : 1;
    L->span = MIN(L->blocks_in_row, MAX(longer * TUNE_CPU_COLUMN_VISIT_POINTS / lanes, 1));
    L->spans = (L->blocks_in_row + L->span - 1) / L->span;
    L->items = L->outer / n * L->spans;
    L->part_points = MAX(longer * TUNE_CPU_CHUNK_WORK / (L->span * lanes),
                         (L->inner + TUNE_CPU_DIVIDED_MAX_PARTS - 1) / TUNE_CPU_DIVIDED_MAX_PARTS);
    L->part_points = (L->part_points + TUNE_CPU_COLUMN_VISIT_ROWS - 1) /
                     TUNE_CPU_COLUMN_VISIT_ROWS * TUNE_CPU_COLUMN_VISIT_ROWS;
    L->parts = (L->inner + L->part_points - 1) / L->part_points;
    const bool few = L->inner <= (L->outer * L->inner * launch_widest_element(L->p->f) <=
                                          TUNE_CPU_SHARED_CACHE_BYTES
                                      ? TUNE_CPU_UNDIVIDED_CACHED_MAX_ROWS
                                      : TUNE_CPU_UNDIVIDED_MAX_ROWS);
    return !small && !again && !few && !reuses_columns(L);
}

bool divided_plan(launch *L) {
    if (!L->p->facts.n_each || L->p->facts.scans ||
        (L->p->facts.branches && L->p->facts.unmaskable) || !L->inner)
        return false;
    return L->plan.nest == EMIT_COLUMNS ? divides_columns(L) : divides_rows(L);
}
