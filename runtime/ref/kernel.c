/* KERNEL programs: cooperative scheduling of the threads of a block.
 *
 * Threads run one after another, each until it waits or ends. When none is ready, warp
 * operations and barriers at which all participants wait are executed. Accesses to shared data
 * are checked for races (race_check.c). Blocks run in order.
 *
 * Invariant between rounds: every thread has ended or waits at a step. A warp operation is
 * executed when no lane of the warp is ready, for the lanes that wait at the same step; a
 * barrier when every thread of the block that has not ended waits at it. */
#include "runtime/ref/ref.h"

enum { WARP = 32 };

typedef enum { READY, WAITING, ENDED } thread_state;

typedef struct {
    ref_frame fr;
    const ref_step *next;
    thread_state state;
} thread;

typedef struct {
    ref_frame *top; /* the launch's own frame: registers to copy, arrays bound */
    thread *threads;
    uint32_t n;           /* threads of a block */
    size_t local, shared; /* bytes of LOCAL arrays per thread, SHARED ones per block */
    unsigned char *locals, *shareds;
    gpa_val *regs;
    ref_memory *memory; /* a copy per thread: LOCAL arrays differ */
    uint64_t number;    /* linear index of the block, x fastest */
} block;

static size_t align_up(size_t n) { return (n + 15u) & ~(size_t)15; }

static bool is_dynamic(const kir_array *a) { return a->where == KIR_SHARED && a->count == 0; }

static size_t static_bytes(const kir_array *a) {
    return align_up(a->count * dtype_size((gpa_dtype)a->dtype));
}

/* Binds the block's SHARED arrays; dynamic ones (sized by the launch) alias one region behind
 * the others, as in CUDA. */
static gpa_code bind_shared(block *b, gpa_err *e) {
    const gpa_prog *p = b->top->prog;
    const gpa_launch *l = b->top->launch;
    unsigned char *at = b->shareds, *dynamic = b->shareds + b->shared - align_up(l->shared);
    gpa_code rc = GPA_OK;
    for (size_t k = 0; k < p->n_arrays && !rc; k++) {
        const kir_array *a = &p->arrays[k];
        if (a->where != KIR_SHARED) continue;
        size_t unit = dtype_size((gpa_dtype)a->dtype),
               bytes = is_dynamic(a) ? l->shared : a->count * unit;
        b->top->memory[k] =
            (ref_memory){.base = is_dynamic(a) ? dynamic : at, .count = (int64_t)(bytes / unit)};
        rc = check_shared(b->top->check, k, b->top->memory[k].base, bytes, unit, e);
        if (!is_dynamic(a)) at += static_bytes(a);
    }
    return rc;
}

static gpa_code make_block(block *b, gpa_err *e) {
    const gpa_prog *p = b->top->prog;
    const gpa_launch *l = b->top->launch;
    b->n = l->block[0] * l->block[1] * l->block[2];
    b->shared = align_up(l->shared);
    for (size_t k = 0; k < p->n_arrays; k++) {
        if (p->arrays[k].where == KIR_LOCAL) b->local += static_bytes(&p->arrays[k]);
        if (p->arrays[k].where == KIR_SHARED) b->shared += static_bytes(&p->arrays[k]);
    }
    b->threads = mem_zero(b->n * sizeof *b->threads);
    b->regs = mem_new(b->n * p->n_regs * sizeof *b->regs);
    b->memory = mem_new(b->n * p->n_arrays * sizeof *b->memory);
    b->locals = mem_zero(b->n * b->local);
    b->shareds = mem_zero(b->shared);
    bool got = b->threads && b->regs && b->memory && b->locals && b->shareds;
    return got ? bind_shared(b, e) : gpa_no_memory(e);
}

static void free_block(block *b) {
    mem_free(b->threads);
    mem_free(b->regs);
    mem_free(b->memory);
    mem_free(b->locals);
    mem_free(b->shareds);
}

/* Starts thread t at the first step, with its own registers and LOCAL arrays. */
static void start_thread(block *b, uint32_t t, const uint32_t at[3]) {
    const gpa_prog *p = b->top->prog;
    const gpa_launch *l = b->top->launch;
    thread *th = &b->threads[t];
    unsigned char *local = b->locals + t * b->local;
    th->fr = *b->top;
    th->fr.r = b->regs + t * p->n_regs;
    th->fr.memory = b->memory + t * p->n_arrays;
    memcpy(th->fr.block, at, sizeof th->fr.block);
    th->fr.linear = t;
    th->fr.thread[0] = t % l->block[0];
    th->fr.thread[1] = t / l->block[0] % l->block[1];
    th->fr.thread[2] = t / l->block[0] / l->block[1];
    memcpy(th->fr.r, b->top->r, p->n_regs * sizeof *th->fr.r);
    memcpy(th->fr.memory, b->top->memory, p->n_arrays * sizeof *th->fr.memory);
    for (size_t k = 0; k < p->n_arrays; k++) {
        if (p->arrays[k].where != KIR_LOCAL) continue;
        th->fr.memory[k] = (ref_memory){.base = local, .count = p->arrays[k].count};
        local += static_bytes(&p->arrays[k]);
    }
    th->next = p->steps;
    th->state = READY;
}

/* Runs every ready thread until it waits or ends; false if the launch stops (an error or a
 * fault). */
static bool run_ready(block *b) {
    for (uint32_t t = 0; t < b->n; t++) {
        thread *th = &b->threads[t];
        if (th->state != READY) continue;
        th->fr.fuel = b->top->fuel;
        ref_go(&th->fr, th->next);
        b->top->fuel = th->fr.fuel;
        if (th->fr.why == REF_FAILED || th->fr.why == REF_FAULT) {
            b->top->why = th->fr.why;
            b->top->rc = th->fr.rc;
            return false;
        }
        th->state = th->fr.why == REF_DONE ? ENDED : WAITING;
        th->next = th->state == WAITING ? th->fr.resume + 1 : NULL;
    }
    return true;
}

/* ---- warps ---- */

typedef struct {
    thread *lane[WARP]; /* NULL: does not take part */
    uint32_t active;    /* bit per lane */
    const ref_step *step;
} exchange;

static gpa_val operand(const exchange *x, unsigned lane, int32_t reg) {
    return reg >= 0 && x->lane[lane] ? x->lane[lane]->fr.r[reg] : (gpa_val){.bits = {0, 0}};
}

/* The lane that `lane` reads from; itself if that is beyond the warp. */
static unsigned source_lane(const exchange *x, unsigned lane) {
    const ref_step *s = x->step;
    int by = operand(x, lane, s->b).I32, from = (int)lane;
    if (s->sub == KIR_WA_SHFL) from = by & (WARP - 1);
    if (s->sub == KIR_WA_SHFL_UP) from = (int)lane - by;
    if (s->sub == KIR_WA_SHFL_DOWN) from = (int)lane + by;
    if (s->sub == KIR_WA_SHFL_XOR) from = (int)lane ^ by;
    return from >= 0 && from < WARP ? (unsigned)from : lane;
}

static bool is_shuffle(const ref_step *s) {
    return s->type != DT_NONE && s->sub <= KIR_WA_SHFL_XOR;
}

static uint32_t lanes_where(const exchange *x, gpa_val equal, bool as_bool) {
    uint32_t mask = 0;
    for (unsigned k = 0; k < WARP; k++) {
        if (!x->lane[k]) continue;
        gpa_val v = operand(x, k, x->step->a);
        gpa_dtype t = (gpa_dtype)x->step->from;
        bool hit =
            as_bool ? dtype_cast(v, t, DT_BOOL).BOOL : op_scalar(OP_EQUAL, t, v, equal, equal).BOOL;
        if (hit) mask |= 1u << k;
    }
    return mask;
}

static gpa_val warp_value(const exchange *x, unsigned lane) {
    gpa_val v = operand(x, lane, x->step->a), out = {.bits = {0, 0}};
    uint32_t truth = 0, same = 0;
    kir_warp row = (kir_warp)x->step->sub;
    if (row == KIR_WA_ALL || row == KIR_WA_ANY || row == KIR_WA_EQ || row == KIR_WA_BALLOT)
        truth = lanes_where(x, v, true);
    if (row == KIR_WA_MATCH_ANY || row == KIR_WA_MATCH_ALL) same = lanes_where(x, v, false);
    switch (row) {
        case KIR_WA_SHFL:
        case KIR_WA_SHFL_UP:
        case KIR_WA_SHFL_DOWN:
        case KIR_WA_SHFL_XOR: return operand(x, source_lane(x, lane), x->step->a);
        case KIR_WA_ALL: out.BOOL = truth == x->active; break;
        case KIR_WA_ANY: out.BOOL = truth != 0; break;
        case KIR_WA_EQ: out.BOOL = truth == 0 || truth == x->active; break;
        case KIR_WA_BALLOT: out.U32 = truth; break;
        case KIR_WA_MATCH_ANY: out.U32 = same; break;
        case KIR_WA_MATCH_ALL: out.U32 = same == x->active ? same : 0; break;
        case KIR_WA_ACTIVEMASK: out.U32 = x->active; break;
        case KIR_WA_ROWS: break;
    }
    return out;
}

/* The participation mask of thread th. */
static uint32_t mask_of(const thread *th) {
    const ref_step *s = th->fr.resume;
    int32_t reg = s->type == DT_NONE ? s->a : s->c; /* a warp's barrier, an exchange */
    return reg < 0 ? UINT32_MAX : th->fr.r[reg].U32;
}

static bool at_exchange(const thread *th) { return th->state == WAITING && th->fr.why == REF_WARP; }

/* Collects the lanes that wait at lane k's step with the same mask. */
static void collect_lanes(block *b, uint32_t first, unsigned k, exchange *x) {
    const thread *one = &b->threads[first + k];
    *x = (exchange){.step = one->fr.resume};
    for (unsigned i = 0; i < WARP && first + i < b->n; i++) {
        thread *th = &b->threads[first + i];
        if (!at_exchange(th) || th->fr.resume != x->step || mask_of(th) != mask_of(one)) continue;
        x->lane[i] = th;
        x->active |= 1u << i;
    }
}

/* A lane of the mask that has not ended and does not wait here; WARP: none. */
static unsigned missing_lane(const block *b, uint32_t first, const exchange *x, uint32_t mask) {
    bool active = x->step->type != DT_NONE && x->step->sub == KIR_WA_ACTIVEMASK;
    unsigned i = 0;
    for (; i < WARP; i++)
        if (!active && first + i < b->n && mask >> i & 1u && !x->lane[i] &&
            b->threads[first + i].state != ENDED)
            break;
    return i;
}

/* Stops the launch with a fault: lane `from` does not take part. */
static bool lane_fault(block *b, thread *th, unsigned from, uint32_t how) {
    ref_fault(&th->fr, th->fr.resume,
              (kir_fault_record){.kind = KIR_FT_LANE, .a = from, .how = how});
    b->top->why = th->fr.why;
    b->top->rc = th->fr.rc;
    return false;
}

static bool exchange_values(block *b, uint32_t first, exchange *x) {
    gpa_val out[WARP];
    bool value = x->step->type != DT_NONE;
    if (!value) check_warp_barrier(b->top->check, first / WARP);
    for (unsigned k = 0; k < WARP; k++) {
        if (!x->lane[k]) continue;
        unsigned from = is_shuffle(x->step) ? source_lane(x, k) : k;
        if (!(mask_of(x->lane[k]) >> k & 1u)) return lane_fault(b, x->lane[k], k, KIR_HOW_OWN);
        if (!x->lane[from]) return lane_fault(b, x->lane[k], from, 0);
        if (value) out[k] = warp_value(x, k);
    }
    for (unsigned k = 0; k < WARP; k++) {
        if (!x->lane[k]) continue;
        if (value) x->lane[k]->fr.r[x->step->out] = out[k];
        x->lane[k]->state = READY;
    }
    return true;
}

static bool barrier_diverged(block *b, thread *waits, const thread *other);

/* Executes the first warp operation at which all its lanes wait. *served stays false if no lane
 * waits. False if the launch ends because lanes are missing_lane. */
static bool serve_warp(block *b, uint32_t first, bool *served) {
    exchange x;
    thread *waits = NULL;
    unsigned other = WARP;
    for (unsigned k = 0; k < WARP && first + k < b->n; k++) {
        thread *th = &b->threads[first + k];
        if (!at_exchange(th)) continue;
        collect_lanes(b, first, k, &x);
        unsigned who = missing_lane(b, first, &x, mask_of(th));
        if (who == WARP) {
            *served = true;
            return exchange_values(b, first, &x);
        }
        if (!waits) waits = th, other = who;
    }
    return !waits || barrier_diverged(b, waits, &b->threads[first + other]);
}

/* ---- barriers ---- */

/* Barrier divergence: thread `waits` is at a barrier that `other` does not reach. */
static bool barrier_diverged(block *b, thread *waits, const thread *other) {
    kir_fault_record f = {.kind = KIR_FT_BARRIER};
    if (other->state == ENDED)
        f.how = KIR_HOW_ENDED;
    else
        f.other_line = other->fr.resume->line;
    for (int d = 0; d < 3; d++)
        f.other_block[d] = (int32_t)other->fr.block[d],
        f.other_thread[d] = (int32_t)other->fr.thread[d];
    ref_fault(&waits->fr, waits->fr.resume, f);
    b->top->why = waits->fr.why;
    b->top->rc = waits->fr.rc;
    return false;
}

/* Releases the barrier at which all threads wait. False if all have ended, or after barrier
 * divergence. */
static bool serve_barrier(block *b) {
    thread *first = NULL;
    int32_t true_count = 0;
    for (uint32_t t = 0; t < b->n && !first; t++)
        if (b->threads[t].state == WAITING) first = &b->threads[t];
    if (!first) return false;
    const ref_step *at = first->fr.resume;
    for (uint32_t t = 0; t < b->n; t++) {
        const thread *th = &b->threads[t];
        if (th->state == ENDED || th->fr.resume != at) return barrier_diverged(b, first, th);
        if (at->a >= 0) true_count += th->fr.r[at->a].BOOL != 0;
    }
    int32_t v = at->sub == KIR_BA_COUNT ? true_count
                : at->sub == KIR_BA_AND ? true_count == (int32_t)b->n
                                        : true_count > 0;
    for (uint32_t t = 0; t < b->n; t++) {
        if (at->type != DT_NONE) b->threads[t].fr.r[at->out].I32 = v;
        b->threads[t].state = READY;
    }
    check_barrier(b->top->check);
    return true;
}

static bool run_block(block *b, const uint32_t at[3]) {
    if (b->shared) memset(b->shareds, 0, b->shared);
    b->top->why = REF_DONE;
    check_block(b->top->check, b->number);
    for (uint32_t t = 0; t < b->n; t++) start_thread(b, t, at);
    for (;;) {
        if (!run_ready(b) || !check_round(b->top)) return false;
        bool served = false;
        for (uint32_t first = 0; first < b->n; first += WARP)
            if (!serve_warp(b, first, &served)) return false;
        if (!served && !serve_barrier(b)) return b->top->why == REF_DONE;
    }
}

gpa_code ref_run_kernel(ref_frame *fr) {
    block b = {.top = fr};
    const uint32_t *grid = fr->launch->grid;
    gpa_code rc = check_new(fr, &fr->check, fr->e);
    if (!rc) rc = make_block(&b, fr->e);
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    bool more = rc == GPA_OK;
    for (b.number = 0; b.number < blocks && more; b.number++) {
        uint64_t k = b.number;
        uint32_t at[3] = {(uint32_t)(k % grid[0]), (uint32_t)(k / grid[0] % grid[1]),
                          (uint32_t)(k / grid[0] / grid[1])};
        more = ref_alive(fr) && run_block(&b, at);
    }
    free_block(&b);
    check_free(fr->check);
    fr->check = NULL;
    if (!rc && !more && fr->why == REF_FAILED) rc = fr->rc;
    return rc;
}
