/* The semantics of each kir instruction; this file is their definition.
 *
 * Every memory access is checked against the allocation. One out of bounds is an error of the
 * compiler that made the program, hence GPA_E_INTERNAL.
 *
 * Reading order: the frame, values, memory, reductions, control flow, faults and prints,
 * kernels, the table. */
#include "runtime/ref/ref.h"

enum { POLL_INTERVAL = 4096 };

/* ---- the frame ---- */

const ref_step *ref_stop(ref_frame *fr, gpa_code rc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fr->rc = gpa_failv(fr->e, rc, fmt, ap);
    va_end(ap);
    fr->why = REF_FAILED;
    return NULL;
}

bool ref_alive(ref_frame *fr) {
    if (--fr->fuel) return true;
    fr->fuel = POLL_INTERVAL;
    if (!atomic_load_explicit(&fr->dev->interrupted, memory_order_relaxed)) return true;
    ref_stop(fr, GPA_E_INTERRUPT, "%s", "");
    return false;
}

void ref_go(ref_frame *fr, const ref_step *s) {
    while (s) s = s->run(fr, s);
}

bool ref_advance(ref_frame *fr, uint32_t dims) {
    const gpa_launch *l = fr->launch;
    for (unsigned d = fr->prog->ndim; d-- > 0;) {
        if (!(dims >> d & 1u)) continue;
        bool more = ++fr->index[d] < l->size[d];
        int64_t by = more ? 1 : 1 - l->size[d];
        for (size_t k = 0; k < fr->prog->n_arrays; k++)
            fr->cursor[k] += by * l->arrays[k].stride[d];
        if (more) return true;
        fr->index[d] = 0;
    }
    return false;
}

static const ref_step *run_done(ref_frame *fr, const ref_step *s) {
    (void)s;
    fr->why = REF_DONE;
    return NULL;
}

static const ref_step *run_on(ref_frame *fr, const ref_step *s) {
    (void)fr;
    return s + 1;
}

/* ---- values ---- */

static const ref_step *run_op(ref_frame *fr, const ref_step *s) {
    gpa_val *r = fr->r;
    s->fn(&r[s->out], &r[s->a], &r[s->b], &r[s->c]);
    return s + 1;
}

static const ref_step *run_cast(ref_frame *fr, const ref_step *s) {
    fr->r[s->out] = dtype_cast(fr->r[s->a], (gpa_dtype)s->from, (gpa_dtype)s->type);
    return s + 1;
}

static const ref_step *run_index(ref_frame *fr, const ref_step *s) {
    fr->r[s->out].I64 = fr->index[s->imm];
    return s + 1;
}

static const ref_step *run_iota(ref_frame *fr, const ref_step *s) {
    fr->r[s->out].I64 = fr->cursor[s->sub];
    return s + 1;
}

const ref_step *ref_fault(ref_frame *fr, const ref_step *s, kir_fault_record what) {
    kir_fault_record *f = fr->launch->fault;
    if (!f)
        return ref_stop(fr, GPA_E_INTERNAL,
                        "a program faulted that was launched without a fault record");
    if (!f->set) {
        *f = what;
        f->set = 1;
        f->line = s->line;
        for (int d = 0; d < 3; d++)
            f->block[d] = (int32_t)fr->block[d], f->thread[d] = (int32_t)fr->thread[d];
    }
    fr->why = REF_FAULT;
    return NULL;
}

static const ref_step *fault(ref_frame *fr, const ref_step *s, kir_fault kind, uint32_t axis,
                             int64_t a, int64_t b) {
    return ref_fault(fr, s, (kir_fault_record){.kind = kind, .axis = axis, .a = a, .b = b});
}

static const ref_step *run_bound(ref_frame *fr, const ref_step *s) {
    int64_t i = fr->r[s->a].I64, n = fr->r[s->b].I64, at = i < 0 ? i + n : i;
    fr->r[s->out].I64 = at;
    bool unchecked = fr->prog->flags & KIR_F_UNCHECKED;
    if (unchecked || (at >= 0 && at < n)) return s + 1;
    if (s->imm == KIR_IN_BOUNDS) {
        ref_stop(fr, GPA_E_INTERNAL,
                 "kir: index %lld of %lld, in instruction %d, was assumed to be in bounds",
                 (long long)i, (long long)n, (int)s->out);
        return NULL;
    }
    return fault(fr, s, KIR_FT_INDEX, s->sub, i, n);
}

static const ref_step *run_var(ref_frame *fr, const ref_step *s) {
    fr->r[s->out] = s->a >= 0 ? fr->r[s->a] : (gpa_val){.bits = {0, 0}};
    return s + 1;
}

static const ref_step *run_set(ref_frame *fr, const ref_step *s) {
    fr->r[s->a] = fr->r[s->b];
    return s + 1;
}

/* ---- memory ---- */

static unsigned char *element(ref_frame *fr, const ref_step *s, int64_t at) {
    const ref_memory *p = &fr->memory[s->sub];
    if (at >= 0 && at < p->count) return p->base + (size_t)at * s->size;
    ref_stop(fr, GPA_E_INTERNAL,
             "kir: element %lld of array @%u, which has %lld, in instruction %d", (long long)at,
             s->sub, (long long)p->count, (int)s->out);
    return NULL;
}

/* LOAD of elements of `size` bytes, a constant of the callers. */
static inline const ref_step *load(ref_frame *fr, const ref_step *s, size_t size) {
    const unsigned char *p = element(fr, s, fr->cursor[s->sub]);
    if (!p) return NULL;
    memcpy(&fr->r[s->out], p, size);
    return s + 1;
}

static const ref_step *run_load1(ref_frame *fr, const ref_step *s) { return load(fr, s, 1); }
static const ref_step *run_load2(ref_frame *fr, const ref_step *s) { return load(fr, s, 2); }
static const ref_step *run_load4(ref_frame *fr, const ref_step *s) { return load(fr, s, 4); }
static const ref_step *run_load8(ref_frame *fr, const ref_step *s) { return load(fr, s, 8); }
static const ref_step *run_load16(ref_frame *fr, const ref_step *s) { return load(fr, s, 16); }

static const ref_step *run_store(ref_frame *fr, const ref_step *s) {
    unsigned char *p = element(fr, s, fr->cursor[s->sub]);
    if (!p) return NULL;
    dtype_store(p, (gpa_dtype)s->type, fr->r[s->a]);
    return s + 1;
}

static const ref_step *run_loadx(ref_frame *fr, const ref_step *s) {
    const unsigned char *p = element(fr, s, fr->memory[s->sub].first + fr->r[s->a].I64);
    if (!p || (fr->check && !check_access(fr, s, p, fr->r[s->a].I64, REF_READS, NULL))) return NULL;
    fr->r[s->out] = dtype_load(p, (gpa_dtype)s->type);
    return s + 1;
}

static const ref_step *run_storex(ref_frame *fr, const ref_step *s) {
    unsigned char *p = element(fr, s, fr->memory[s->sub].first + fr->r[s->a].I64);
    gpa_val now = {.bits = {0, 0}};
    if (!p) return NULL;
    dtype_store(&now, (gpa_dtype)s->type, fr->r[s->b]);
    if (fr->check && !check_access(fr, s, p, fr->r[s->a].I64, REF_WRITES, &now)) return NULL;
    memcpy(p, &now, s->size);
    return s + 1;
}

static const ref_step *run_atomic(ref_frame *fr, const ref_step *s) {
    unsigned char *p = element(fr, s, fr->memory[s->sub].first + fr->r[s->a].I64);
    if (!p || (fr->check && !check_access(fr, s, p, fr->r[s->a].I64, REF_UPDATES, NULL)))
        return NULL;
    gpa_dtype t = (gpa_dtype)s->type;
    gpa_val old = dtype_load(p, t), c = fr->r[s->c >= 0 ? s->c : s->b];
    dtype_store(p, t, kir_atomic_result((kir_atomic)s->imm, t, old, fr->r[s->b], c));
    fr->r[s->out] = old;
    return s + 1;
}

/* ---- reductions ---- */

static void acc_start(ref_acc *acc, const ref_step *s) {
    acc->part = red_start((gpa_red)s->sub, (gpa_dtype)s->from);
    acc->blocks = acc->n = 0;
}

/* Adds the full block to the tree, as a binary counter increments: equal levels merge and carry. */
static void acc_carry(ref_acc *acc, const ref_step *s) {
    gpa_red r = (gpa_red)s->sub;
    gpa_red_state sum = acc->part;
    unsigned level = 0;
    for (; acc->blocks >> level & 1u; level++)
        sum = red_combine(r, (gpa_dtype)s->from, acc->tree[level], sum);
    acc->tree[level] = sum;
    acc->blocks++;
    acc->n = 0;
    acc->part = red_start(r, (gpa_dtype)s->from);
}

static gpa_red_state acc_value(const ref_acc *acc, const ref_step *s) {
    gpa_red_state sum = acc->part;
    for (unsigned level = 0; level < REF_LEVELS; level++)
        if (acc->blocks >> level & 1u)
            sum = red_combine((gpa_red)s->sub, (gpa_dtype)s->from, acc->tree[level], sum);
    return sum;
}

static gpa_val to_compute_dtype(gpa_val v, gpa_dtype t) {
    return dtype_cast(v, t, dtype_info[t].compute);
}

static const ref_step *run_reduce(ref_frame *fr, const ref_step *s) {
    ref_acc *acc = &fr->accs[s->imm];
    gpa_dtype t = (gpa_dtype)s->from;
    gpa_red_state one = {.v = fr->r[s->a], .at = s->b >= 0 ? fr->r[s->b].I64 : -1};
    if (dtype_info[t].compute != t) one.v = to_compute_dtype(one.v, t);
    acc->part = red_combine((gpa_red)s->sub, t, acc->part, one);
    if (++acc->n == REF_BLOCK) acc_carry(acc, s);
    return s + 1;
}

/* A scan rounds at every element, as NumPy's accumulate does. */
static const ref_step *run_scan(ref_frame *fr, const ref_step *s) {
    ref_acc *acc = &fr->accs[s->imm];
    gpa_dtype t = (gpa_dtype)s->from, wide = dtype_info[t].compute;
    gpa_red_state one = {.v = to_compute_dtype(fr->r[s->a], t), .at = -1};
    if (acc->n) one = red_combine((gpa_red)s->sub, t, acc->part, one);
    fr->r[s->out] = dtype_cast(one.v, wide, t);
    acc->part.v = to_compute_dtype(fr->r[s->out], t);
    acc->n = 1;
    return s + 1;
}

static const ref_step *run_each(ref_frame *fr, const ref_step *s) {
    for (int32_t k = s->a; k < s->b; k++) acc_start(&fr->accs[k], &fr->prog->accs[k]);
    return fr->inner_is_empty ? s->jump - 1
                              : s + 1; /* - 1: the END, which gives the reductions their start */
}

/* The END of EACH: after the last point the coordinates are 0 again and the reductions are
 * finished. */
static const ref_step *run_end_each(ref_frame *fr, const ref_step *s) {
    const ref_step *each = s->jump;
    if (!fr->inner_is_empty && ref_advance(fr, fr->prog->inner))
        return ref_alive(fr) ? each + 1 : NULL;
    for (int32_t k = each->a; k < each->b; k++) {
        const ref_step *acc = &fr->prog->accs[k];
        gpa_red_state sum = acc_value(&fr->accs[k], acc);
        gpa_dtype t = (gpa_dtype)acc->from;
        if (red_info[acc->sub].arg)
            fr->r[acc->out].I64 = sum.at;
        else if (acc->run == run_reduce)
            fr->r[acc->out] = dtype_cast(sum.v, dtype_info[t].compute, t);
    }
    return s + 1;
}

/* ---- control flow ---- */

static const ref_step *run_if(ref_frame *fr, const ref_step *s) {
    if (!fr->r[s->a].BOOL) return s->jump;
    if (s->imm != KIR_NEVER) return s + 1;
    ref_stop(fr, GPA_E_INTERNAL, "kir: the condition of instruction %d was assumed never to hold",
             (int)s->out);
    return NULL;
}

static const ref_step *run_jump(ref_frame *fr, const ref_step *s) {
    (void)fr;
    return s->jump;
}

static const ref_step *run_loop_end(ref_frame *fr, const ref_step *s) {
    return ref_alive(fr) ? s->jump : NULL;
}

static int64_t loop_counter(const ref_frame *fr, const ref_step *s, int32_t reg) {
    return dtype_cast(fr->r[reg], (gpa_dtype)s->type, DT_I64).I64;
}

static const ref_step *run_for(ref_frame *fr, const ref_step *s) {
    int64_t i = loop_counter(fr, s, s->a), stop = loop_counter(fr, s, s->b),
            step = loop_counter(fr, s, s->c);
    fr->r[s->out] = fr->r[s->a];
    return (step < 0 ? i > stop : i < stop) ? s + 1 : s->jump;
}

static const ref_step *run_end_for(ref_frame *fr, const ref_step *s) {
    const ref_step *loop = s->jump;
    int64_t i = loop_counter(fr, loop, loop->out), stop = loop_counter(fr, loop, loop->b),
            step = loop_counter(fr, loop, loop->c), next;
    bool over = __builtin_add_overflow(i, step, &next);
    if (over || (step < 0 ? next <= stop : next >= stop)) return s + 1;
    fr->r[loop->out] = dtype_cast((gpa_val){.I64 = next}, DT_I64, (gpa_dtype)loop->type);
    return ref_alive(fr) ? loop + 1 : NULL;
}

/* ---- faults and prints ---- */

/* The b ARG steps of a PRINT immediately precede it. */
static const ref_step *run_print(ref_frame *fr, const ref_step *s) {
    const gpa_launch *l = fr->launch;
    gpa_printed line = {.text = s->imm, .n = (uint32_t)s->b, .thread = fr->linear};
    line.block =
        fr->block[0] + (uint64_t)l->grid[0] * (fr->block[1] + (uint64_t)l->grid[1] * fr->block[2]);
    for (uint32_t k = 0; k < line.n; k++) line.args[k] = fr->r[(s - s->b + k)->a];
    if (l->print) l->print(l->user, &line);
    return s + 1;
}

static const ref_step *run_fault(ref_frame *fr, const ref_step *s) {
    int64_t a = s->a >= 0 ? fr->r[s->a].I64 : 0, b = s->b >= 0 ? fr->r[s->b].I64 : 0;
    return fault(fr, s, (kir_fault)s->sub, s->imm, a, b);
}

/* ---- kernels ---- */

static const ref_step *run_thread(ref_frame *fr, const ref_step *s) {
    const gpa_launch *l = fr->launch;
    const uint32_t *block = l->block, *t = fr->thread;
    uint32_t linear = t[0] + block[0] * (t[1] + block[1] * t[2]), v = 0;
    switch ((kir_thread)s->sub) {
        case KIR_TH_TID: v = t[s->imm]; break;
        case KIR_TH_BID: v = fr->block[s->imm]; break;
        case KIR_TH_BDIM: v = block[s->imm]; break;
        case KIR_TH_GDIM: v = l->grid[s->imm]; break;
        case KIR_TH_LANE: v = linear % 32; break;
        case KIR_TH_WARPSIZE: v = 32; break;
        case KIR_TH_ROWS: break;
    }
    fr->r[s->out].I32 = (int32_t)v;
    return s + 1;
}

/* The thread waits; kernel.c resumes it after this step when the others have arrived. */
static const ref_step *run_barrier(ref_frame *fr, const ref_step *s) {
    fr->why = s->sub == KIR_BA_WARP ? REF_WARP : REF_BARRIER;
    fr->resume = s;
    return NULL;
}

static const ref_step *run_warp(ref_frame *fr, const ref_step *s) {
    fr->why = REF_WARP;
    fr->resume = s;
    return NULL;
}

static const ref_step *run_fence(ref_frame *fr, const ref_step *s) {
    if (fr->check) check_fence(fr->check);
    return s + 1;
}

/* ---- the table ---- */

static ref_run load_of(uint8_t size) {
    return size == 1   ? run_load1
           : size == 2 ? run_load2
           : size == 4 ? run_load4
           : size == 8 ? run_load8
                       : run_load16;
}

static ref_run end_of(kir_code opener) {
    return opener == KIR_EACH   ? run_end_each
           : opener == KIR_FOR  ? run_end_for
           : opener == KIR_LOOP ? run_loop_end
                                : run_on;
}

ref_run ref_step_run(const kir_func *f, const kir_ins *i) {
    if (!i) return run_done;
    switch ((kir_code)i->code) {
        case KIR_OP: return run_op;
        case KIR_CAST: return run_cast;
        case KIR_INDEX: return run_index;
        case KIR_LOAD: return load_of(dtype_info[f->arrays[i->sub].dtype].size);
        case KIR_STORE: return run_store;
        case KIR_IOTA: return run_iota;
        case KIR_LOADX: return run_loadx;
        case KIR_STOREX: return run_storex;
        case KIR_ATOMIC: return run_atomic;
        case KIR_BOUND: return run_bound;
        case KIR_VAR:
        case KIR_GET: return run_var;
        case KIR_SET: return run_set;
        case KIR_EACH: return run_each;
        case KIR_REDUCE: return run_reduce;
        case KIR_SCAN: return run_scan;
        case KIR_IF: return run_if;
        case KIR_ELSE:
        case KIR_BREAK:
        case KIR_NEXT: return run_jump;
        case KIR_FOR: return run_for;
        case KIR_LOOP:
        case KIR_BLOCK:
        case KIR_ARG: return run_on;
        case KIR_FENCE: return run_fence;
        case KIR_END: return end_of((kir_code)f->code[i->imm].code);
        case KIR_THREAD: return run_thread;
        case KIR_BARRIER: return run_barrier;
        case KIR_WARP: return run_warp;
        case KIR_PRINT: return run_print;
        case KIR_FAULT: return run_fault;
        case KIR_CONST:
        case KIR_PARAM:
        case KIR_SIZE:
        case KIR_STRIDE:
        case KIR_COUNT: break;
    }
    return NULL;
}
