/* Launches.
 *
 * Everything that decides the order of arithmetic - lanes, chunks, the tree that joins partial states - depends on
 * the program and the sizes alone, never on the number of threads: the same input gives the same bits.
 *
 * Reading order: run_plan, run_launch, run_whole, run_divided. */
#include "runtime/cpu/run.h"

#include "runtime/base.h"
#include "runtime/cpu/threads.h"

enum {
    SMALL_WORK = 1 << 15,   /* operations below which a launch stays on the calling thread */
    CHUNK_WORK = 1 << 18,   /* operations of one item of work */
    PART_POINTS = 1 << 16,  /* inner points of one part of a divided reduction, at least */
    FEW_BLOCKS = 64,        /* with fewer independent results, long reductions are divided */
    MOST_PARTS = 1024
};

typedef struct {
    jit *j;
    int threads;
    const int32_t *stop;
    gpa_prog *p;
    emit_plan plan;
    cpu_fn fn;
    int64_t view[VIEW_SLOTS];
    const int64_t *size;
    int64_t outer, inner; /* points */
    /* whole: points per item.  divided: below */
    int64_t step;
    int64_t block_lanes, blocks_in_row, blocks, parts, part_points;
    char *done, *partial;
    size_t slot, states; /* bytes of a state slot, of all of one block */
} launch;

/* ---- the plan ---- */

static bool used_by_points(const kir_func *f, size_t array) {
    for (size_t i = 0; i < f->n_code; i++)
        if ((f->code[i].code == KIR_LOAD || f->code[i].code == KIR_STORE) && f->code[i].sub == array) return true;
    return false;
}

/* How well lanes along a dimension suit: neighbours in memory best, one element for all next, gathers last; short
 * dimensions leave lanes empty. */
static double merit(const gpa_prog *p, int dim, const int64_t *size, unsigned lanes) {
    const kir_func *f = p->f;
    double sum = 0, n = 0, extent = size ? (double)size[dim] : 1e6;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!used_by_points(f, a)) continue;
        const kir_array *k = &f->arrays[a];
        n++;
        sum += k->unit >> dim & 1 ? 4 : k->zero >> dim & 1 ? 3.5 : 1;
    }
    if (!n) n = sum = 1;
    double filled = extent / ((double)lanes * (double)(((int64_t)extent + lanes - 1) / lanes));
    return sum / n * filled;
}

static unsigned lanes_for(const gpa_prog *p, const jit_host *host, int64_t extent) {
    unsigned one = host->bytes / p->facts.widest, ops = p->facts.ops, registers;
    if (p->facts.branches) return 1;
    registers = ops <= 12 ? 4 : ops <= 40 ? 2 : 1;
    if (one > 64) one = 64;
    if (one < 2) one = 2;
    while (registers > 1 && (one * registers > 64 || (int64_t)(one * registers) > extent)) registers /= 2;
    return one * registers;
}

static int best_dim(const gpa_prog *p, const jit_host *host, const int64_t *size, unsigned among) {
    int best = -1;
    double most = -1;
    unsigned one = host->bytes / p->facts.widest;
    for (int d = p->f->ndim - 1; d >= 0; d--) {
        double m = among >> d & 1 ? merit(p, d, size, one) : -1;
        if (m > most * 1.05 && m >= 0) most = m, best = d;
    }
    return best;
}

emit_plan run_plan(const gpa_prog *p, const jit_host *host, const int64_t *size) {
    const kir_func *f = p->f;
    unsigned all = (1u << f->ndim) - 1, inner = f->inner & all, outer = all & ~inner;
    emit_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.part = EMIT_WHOLE;
    plan.way = !p->facts.n_each ? EMIT_POINTS : EMIT_ROWS;
    int d = best_dim(p, host, size, p->facts.n_each ? all : outer);
    if (p->facts.n_each && d >= 0 && outer >> d & 1) plan.way = EMIT_COLUMNS;
    if (plan.way == EMIT_ROWS && d < 0) d = best_dim(p, host, size, inner);
    plan.dim = (int8_t)d;
    plan.lanes = d < 0 ? 1 : (uint8_t)lanes_for(p, host, size ? size[d] : INT32_MAX);
    if (plan.way == EMIT_ROWS && p->facts.scans) plan.lanes = 1;
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
        for (int d = 0; d < KIR_MAX_DIMS; d++) s[ARRAY_STRIDE + d] = b->stride[d], s[ARRAY_SIZE + d] = b->size[d];
    }
    L->outer = L->inner = 1;
    for (int d = 0; d < f->ndim; d++) *(f->inner >> d & 1 ? &L->inner : &L->outer) *= l->size[d];
}

static gpa_code compile(launch *L, int32_t part, gpa_err *e) {
    L->plan.part = part;
    return program_variant(L->p, L->j, &L->plan, &L->fn, e);
}

/* ---- whole: items are ranges of outer points ---- */

static void whole_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t lo = i * L->step, hi = MIN(lo + L->step, L->outer);
    L->fn(L->view, lo, hi, 0, 0, NULL, NULL);
}

static gpa_code run_whole(launch *L, gpa_err *e) {
    gpa_code rc = compile(L, EMIT_WHOLE, e);
    if (rc) return rc;
    int64_t cost = (1 + (int64_t)L->p->facts.ops) * MAX(L->inner, 1), work;
    if (L->p->facts.branches) cost *= 64; /* loops: unknown, and worth a thread */
    if (__builtin_mul_overflow(cost, L->outer, &work)) work = INT64_MAX;
    if (work < SMALL_WORK || L->threads == 1) {
        /* One thread still goes in pieces, so that an interrupt is seen between them. */
        L->step = work < SMALL_WORK ? L->outer : MAX((int64_t)CHUNK_WORK * 16 / cost, 1);
    } else
        L->step = MAX((int64_t)CHUNK_WORK / cost, 1);
    if (L->plan.way != EMIT_ROWS) L->step = (L->step + 255) / 256 * 256; /* whole lanes, whole cache lines */
    threads_each(work < SMALL_WORK ? 1 : L->threads, (L->outer + L->step - 1) / L->step, L->stop, whole_item, L);
    return GPA_OK;
}

/* ---- divided: few results over many points ---- */

static void block_range(const launch *L, int64_t block, int64_t *lo, int64_t *hi) {
    if (L->plan.way == EMIT_ROWS) {
        *lo = block, *hi = block + 1;
        return;
    }
    int64_t row = block / L->blocks_in_row, x = block % L->blocks_in_row * L->block_lanes, n = L->size[L->plan.dim];
    *lo = row * n + x;
    *hi = row * n + MIN(x + L->block_lanes, n);
}

static void part_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t block = i / L->parts, part = i % L->parts, lo, hi, from = part * L->part_points;
    block_range(L, block, &lo, &hi);
    L->fn(L->view, lo, hi, from, MIN(from + L->part_points, L->inner), L->done + (size_t)block * L->states,
          L->partial + (size_t)i * L->states);
}

static void last_item(void *arg, int64_t i) {
    launch *L = arg;
    int64_t lo, hi;
    block_range(L, i, &lo, &hi);
    L->fn(L->view, lo, hi, 0, 0, L->done + (size_t)i * L->states, NULL);
}

/* One state of a slot: values lie close together, indices behind them. */
static gpa_red_state read_state(const launch *L, const char *slot, int64_t lane, gpa_dtype t) {
    gpa_red_state s = {.v = dtype_load(slot + (size_t)lane * dtype_size(t), t)};
    memcpy(&s.at, slot + 16 * L->block_lanes + 8 * lane, sizeof s.at);
    return s;
}

static void write_state(const launch *L, char *slot, int64_t lane, gpa_dtype t, gpa_red_state s) {
    dtype_store(slot + (size_t)lane * dtype_size(t), t, s.v);
    memcpy(slot + 16 * L->block_lanes + 8 * lane, &s.at, sizeof s.at);
}

/* Parts [lo, hi) joined by halves. */
static gpa_red_state join_parts(const launch *L, const char *slots, int64_t lo, int64_t hi, int64_t lane, gpa_red r, gpa_dtype t) {
    if (hi - lo == 1) return read_state(L, slots + (size_t)lo * L->states, lane, t);
    int64_t middle = lo + (hi - lo) / 2;
    return red_combine(r, t, join_parts(L, slots, lo, middle, lane, r, t), join_parts(L, slots, middle, hi, lane, r, t));
}

/* Joins the parts of every reduction in the k-th EACH, for every block. */
static void join_region(launch *L, uint32_t region) {
    const kir_func *f = L->p->f;
    uint32_t each = 0, number = 0, open = 0;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        if (k->code == KIR_EACH) open = ++each;
        if (k->code == KIR_END && f->code[k->imm].code == KIR_EACH) open = 0;
        if (k->code != KIR_REDUCE) continue;
        size_t at = number++ * L->slot;
        if (open != region + 1) continue;
        gpa_dtype t = dtype_info[f->code[k->a].type].compute;
        for (int64_t b = 0; b < L->blocks; b++)
            for (int64_t lane = 0; lane < L->block_lanes; lane++) {
                const char *slots = L->partial + (size_t)(b * L->parts) * L->states + at;
                gpa_red_state s = join_parts(L, slots, 0, L->parts, lane, (gpa_red)k->sub, t);
                write_state(L, L->done + (size_t)b * L->states + at, lane, t, s);
            }
    }
}

static gpa_code run_divided(launch *L, gpa_err *e) {
    gpa_code rc = GPA_OK;
    uint32_t regions = L->p->facts.n_each;
    L->slot = STATE_SLOT(L->block_lanes);
    L->states = L->slot * MAX(L->p->facts.n_reduce, 1);
    L->done = mem_new((size_t)L->blocks * L->states);
    L->partial = mem_new((size_t)(L->blocks * L->parts) * L->states);
    if (!L->done || !L->partial) {
        rc = gpa_no_memory(e);
        goto out;
    }
    for (uint32_t k = 0; k < regions && !*L->stop; k++) {
        TRY(compile(L, (int32_t)k, e));
        threads_each(L->threads, L->blocks * L->parts, L->stop, part_item, L);
        join_region(L, k);
    }
    if (L->p->facts.stores_outside) {
        TRY(compile(L, (int32_t)regions, e));
        threads_each(L->threads, L->blocks, L->stop, last_item, L);
    }
out:
    mem_free(L->done);
    mem_free(L->partial);
    return rc;
}

/* Whether to divide, and into what. */
static bool divides(launch *L) {
    if (!L->p->facts.n_each || L->p->facts.scans || L->p->facts.branches) return false;
    bool columns = L->plan.way == EMIT_COLUMNS;
    L->block_lanes = columns ? L->plan.lanes : 1;
    L->blocks_in_row = columns ? (L->size[L->plan.dim] + L->block_lanes - 1) / L->block_lanes : 1;
    L->blocks = columns ? L->outer / L->size[L->plan.dim] * L->blocks_in_row : L->outer;
    L->part_points = MAX(PART_POINTS / L->block_lanes, (L->inner + MOST_PARTS - 1) / MOST_PARTS);
    L->parts = (L->inner + L->part_points - 1) / L->part_points;
    return L->blocks < FEW_BLOCKS && L->parts > 1;
}

gpa_code run_launch(jit *j, int threads, const int32_t *stop, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    cpu_fault_cell cell = {.record = l->fault};
    gpa_code rc = GPA_OK;
    launch *L = mem_zero(sizeof *L);
    if (!L) return gpa_no_memory(e);
    *L = (launch){.j = j, .threads = threads, .stop = stop, .p = p, .size = l->size};
    fill_view(L, l, &cell);
    if (!L->outer) goto out;
    L->plan = run_plan(p, jit_host_of(j), l->size);
    TRY(divides(L) ? run_divided(L, e) : run_whole(L, e));
    if (__atomic_load_n(stop, __ATOMIC_RELAXED)) rc = gpa_fail(e, GPA_E_INTERRUPT, "%s", "");
out:
    mem_free(L);
    return rc;
}
