/* Reductions and scans of EACH regions: the inner loops and running states.
 *
 * The state of a reduction is a stack slot with all lanes. If the lanes are adjacent inner
 * points, a fixed reduction tree combines them at the end; if they are outer points, every lane
 * has its own state. Floating-point sums have a second state for the current block of points,
 * which is added to the first when the block ends: errors grow with the number of blocks, not of
 * points. So do sums of small integers: the sum of a block fits lanes narrower than the result. */
#include "runtime/cpu/emit/emitter.h"

#include "runtime/base/base.h"
#include "runtime/tables/tuning.h"

static bool is_arg(gpa_red r) { return red_info[r].arg; }

/* ---- states ---- */

typedef struct {
    ll_val v;
    V at; /* int64, NULL unless an arg reduction */
} state;

static gpa_red row_of(const em *M, const em_red *r) { return (gpa_red)M->f->code[r->ins].sub; }

/* True if the states are vectors. */
static bool in_lanes(const em *M) { return M->E.lanes > 1; }

static bool in_blocks(const em *M, const em_red *r) {
    return row_of(M, r) == RED_SUM &&
           (dtype_info[r->t].kind == 'F' || dtype_info[r->t].kind == 'C');
}

static state start_state(em *M, const em_red *r, gpa_dtype t) {
    gpa_red_state s = red_start(row_of(M, r), t);
    bool most = row_of(M, r) == RED_ARGMAX;
    if (is_arg(row_of(M, r))) s.v = red_start(most ? RED_MAX : RED_MIN, t).v;
    if (M->f->code[r->ins].code == KIR_SCAN &&
        in_blocks(M, r)) /* 0 would change a sum of negative zeros */
        s.v = dtype_cast((gpa_val){.C128 = {-0.0, -0.0}}, DT_C128, t);
    state z = {ll_const(&M->E, t, s.v), is_arg(row_of(M, r)) ? ll_i64(&M->E, -1) : NULL};
    if (!in_lanes(M)) return z;
    z.v = ll_vector(&M->E, z.v);
    if (z.at) z.at = ll_spread(&M->E, z.at);
    return z;
}

static ll_val read_slots(em *M, gpa_dtype t, V v, V im) {
    LLVMTypeRef type = ll_type(&M->E, t, true);
    ll_val x = {LLVMBuildLoad2(M->E.b, type, v, ""), NULL, (uint8_t)t, in_lanes(M)};
    if (im) x.im = LLVMBuildLoad2(M->E.b, type, im, "");
    return x;
}

static state read_state(em *M, const em_red *r, bool block) {
    state s = {read_slots(M, block ? r->block_t : r->t, block ? r->block : r->v,
                          block ? r->block_im : r->im),
               NULL};
    if (r->at) s.at = LLVMBuildLoad2(M->E.b, ll_type(&M->E, DT_I64, true), r->at, "");
    return s;
}

static void write_state(em *M, const em_red *r, state s, bool block) {
    LLVMBuildStore(M->E.b, s.v.v, block ? r->block : r->v);
    if (r->im) LLVMBuildStore(M->E.b, s.v.im, block ? r->block_im : r->im);
    if (r->at) LLVMBuildStore(M->E.b, s.at, r->at);
}

/* ---- combination ---- */

/* True if b replaces a in an argmin or argmax: it is better, or equal with a lower index. The
 * index -1 (no element) is the largest as an unsigned integer. Elements that come in index order
 * replace only that one, or a worse value. */
static V beats(em *M, gpa_red r, state a, state b, bool in_order) {
    bool most = r == RED_ARGMAX;
    V wins = ll_beats(&M->E, most, b.v, a.v);
    if (in_order)
        return LLVMBuildOr(
            M->E.b, wins,
            LLVMBuildICmp(M->E.b, LLVMIntSLT, a.at, LLVMConstNull(LLVMTypeOf(a.at)), ""), "");
    V loses = ll_beats(&M->E, most, a.v, b.v);
    V before = LLVMBuildICmp(M->E.b, LLVMIntULT, b.at, a.at, "");
    return LLVMBuildOr(M->E.b, wins,
                       LLVMBuildAnd(M->E.b, before, LLVMBuildNot(M->E.b, loses, ""), ""), "");
}

static state combine(em *M, const em_red *r, state a, state b, bool in_order) {
    gpa_red red = row_of(M, r);
    if (!is_arg(red)) {
        gpa_dtype t = (gpa_dtype)a.v.t;
        a.v = ll_op(&M->E, &(ll_operation){(gpa_op)red_info[red].op, t, t, a.v, b.v, {0}});
        return a;
    }
    V take = beats(M, red, a, b, in_order);
    a.v = ll_choose(&M->E, take, b.v, a.v);
    a.at = ll_select(&M->E, take, b.at, a.at);
    return a;
}

static state slice(em *M, state s, unsigned at, unsigned n) {
    bool vec = n > 1;
    s.v.v = ll_slice(&M->E, s.v.v, at, n);
    if (s.v.im) s.v.im = ll_slice(&M->E, s.v.im, at, n);
    if (s.at) s.at = ll_slice(&M->E, s.at, at, n);
    s.v.vec = vec;
    return s;
}

/* Combines the lanes in a binary tree. */
static state join_lanes(em *M, const em_red *r, state s) {
    for (unsigned n = M->E.lanes / 2; n >= 1; n /= 2)
        s = combine(M, r, slice(M, s, 0, n), slice(M, s, n, n), false);
    return s;
}

/* ---- the region ---- */

static em_red *find_red(em *M, int32_t ins) {
    for (size_t i = 0; i < M->n_reds; i++)
        if (M->reds[i].ins == ins) return &M->reds[i];
    return NULL;
}

static V state_slot(em *M, gpa_dtype t) { return ll_slot(&M->E, ll_type(&M->E, t, true), "state"); }

/* The number of earlier instructions of the same kind. */
static uint32_t number_of(const em *M, int32_t ins) {
    uint32_t n = 0;
    for (int32_t i = 0; i < ins; i++) n += M->f->code[i].code == M->f->code[ins].code;
    return n;
}

static void add_red(em *M, int32_t ins) {
    if (!mem_grow(&M->reds, M->n_reds, &M->cap_reds, sizeof *M->reds)) {
        M->E.rc = gpa_no_memory(M->E.err);
        return;
    }
    const kir_ins *k = &M->f->code[ins];
    gpa_dtype t = dtype_info[M->f->code[k->a].type].compute;
    em_red *r = &M->reds[M->n_reds++];
    gpa_dtype narrow = emit_narrow(M->f, k);
    *r = (em_red){.ins = ins,
                  .of = narrow == DT_NONE ? k->a : M->f->code[k->a].a,
                  .t = t,
                  .block_t = narrow == DT_NONE ? t : narrow,
                  .number = number_of(M, ins)};
    r->v = state_slot(M, t);
    if (dtype_is_complex(t)) r->im = state_slot(M, t);
    if (is_arg((gpa_red)k->sub)) r->at = state_slot(M, DT_I64);
    if (k->code == KIR_REDUCE && (in_blocks(M, r) || narrow != DT_NONE)) {
        r->block = state_slot(M, r->block_t);
        if (r->im) r->block_im = state_slot(M, t);
    }
    write_state(M, r, start_state(M, r, t), false);
    if (r->block) write_state(M, r, start_state(M, r, r->block_t), true);
}

static void inner_body(em *M, void *arg) {
    int32_t at = *(int32_t *)arg;
    em_code(M, at + 1, M->partner[at]);
}

static void merge_blocks(em *M, void *arg) {
    (void)arg;
    for (size_t i = 0; i < M->n_reds; i++) {
        em_red *r = &M->reds[i];
        if (!r->block) continue;
        state sum = read_state(M, r, true);
        sum.v = ll_cast(&M->E, r->t, sum.v);
        write_state(M, r, combine(M, r, read_state(M, r, false), sum, false), false);
        write_state(M, r, start_state(M, r, r->block_t), true);
    }
}

static bool has_scan(const em *M) {
    for (size_t i = 0; i < M->n_reds; i++)
        if (M->f->code[M->reds[i].ins].code == KIR_SCAN) return true;
    return false;
}

/* After a block of a row with scans, which no division into parts interrupts. */
static void merge_and_poll(em *M, void *arg) {
    merge_blocks(M, arg);
    em_poll(M);
}

static V inner_points(em *M) {
    V n = ll_i64(&M->E, 1);
    for (int d = 0; d < M->f->ndim; d++)
        if (M->f->inner >> d & 1) n = LLVMBuildMul(M->E.b, n, em_size(M, d), "");
    return n;
}

enum { SCAN_POLL_POINTS = 1 << 20 }; /* about a millisecond */

static void inner_walk(em *M, int32_t at) {
    bool rows = M->plan->nest == EMIT_ROWS, whole = M->plan->part == EMIT_WHOLE;
    em_range r = {
        .from_zero = whole, .lanes = rows, .body = inner_body, .row_end = merge_blocks, .arg = &at};
    for (int d = 0; d < M->f->ndim; d++)
        if (M->f->inner >> d & 1 && !(rows && d == M->plan->dim)) r.dims[r.n++] = d;
    if (rows && M->plan->dim >= 0) r.dims[r.n++] = M->plan->dim;
    if (rows && M->plan->dim < 0) r.lanes = false;
    r.lo = whole ? ll_i64(&M->E, 0) : M->from;
    r.hi = whole ? inner_points(M) : M->to;
    for (size_t i = 0; i < M->n_reds; i++) {
        int64_t points =
            (M->reds[i].block_t == M->reds[i].t ? TUNE_CPU_SUM_BLOCK_STEPS : EMIT_NARROW) *
            (rows ? M->E.lanes : 1);
        if (M->reds[i].block) r.block = r.block ? MIN(r.block, points) : points;
    }
    if (has_scan(M)) {
        r.row_end = merge_and_poll;
        if (!r.block) r.block = SCAN_POLL_POINTS;
    }
    em_walk(M, &r);
}

/* ---- states in memory, between the parts of a divided reduction ---- */

static V state_address(em *M, V base, uint32_t number, bool at) {
    unsigned lanes = M->plan->nest == EMIT_COLUMNS ? M->E.lanes : 1;
    size_t states = STATE_SLOT(lanes) * emit_examine(M->f).n_reduce;
    V n = ll_i64(&M->E, (int64_t)(number * STATE_SLOT(lanes) + (at ? 16 * lanes : 0)));
    if (M->block)
        n = LLVMBuildAdd(M->E.b, n,
                         LLVMBuildMul(M->E.b, M->block, ll_i64(&M->E, (int64_t)states), ""), "");
    return LLVMBuildGEP2(M->E.b, ll_i(&M->E, 8), base, &n, 1, "");
}

static void put_state(em *M, const em_red *r, state s) {
    V v = ll_to_memory(&M->E, r->t, s.v.v);
    if (s.v.im) v = ll_interleave(&M->E, v, s.v.im);
    LLVMSetAlignment(LLVMBuildStore(M->E.b, v, state_address(M, M->part, r->number, false)), 8);
    if (s.at)
        LLVMSetAlignment(LLVMBuildStore(M->E.b, s.at, state_address(M, M->part, r->number, true)),
                         8);
}

static state take_state(em *M, V base, uint32_t number, gpa_dtype t, bool arg) {
    ll *E = &M->E;
    bool vec = M->plan->nest == EMIT_COLUMNS && E->lanes > 1, cx = dtype_is_complex(t);
    unsigned n = (vec ? E->lanes : 1) * (cx ? 2 : 1);
    LLVMTypeRef type = n > 1 ? LLVMVectorType(ll_memory(E, t), n) : ll_memory(E, t);
    V all = LLVMBuildLoad2(E->b, type, state_address(M, base, number, false), "");
    LLVMSetAlignment(all, 8);
    state s = {{.t = (uint8_t)t, .vec = vec}, NULL};
    if (cx)
        s.v.v = ll_every_second(E, all, 0), s.v.im = ll_every_second(E, all, 1);
    else
        s.v.v = ll_from_memory(E, t, all);
    if (arg) {
        s.at =
            LLVMBuildLoad2(E->b, ll_type(E, DT_I64, vec), state_address(M, base, number, true), "");
        LLVMSetAlignment(s.at, 8);
    }
    return s;
}

/* ---- results ---- */

static void set_result(em *M, int32_t ins, state s) {
    const kir_ins *k = &M->f->code[ins];
    ll_val r = s.v;
    if (s.at) r = (ll_val){s.at, NULL, DT_I64, s.v.vec};
    M->vals[ins] = r.t == k->type ? r : ll_cast(&M->E, k->type, r);
    M->level[ins] = (uint8_t)M->cur;
}

static void take_results(em *M, int32_t at) {
    for (int32_t i = at + 1; i < M->partner[at]; i++) {
        const kir_ins *k = &M->f->code[i];
        if (k->code != KIR_REDUCE) continue;
        gpa_dtype t = dtype_info[M->f->code[k->a].type].compute;
        set_result(M, i, take_state(M, M->done, number_of(M, i), t, is_arg((gpa_red)k->sub)));
    }
}

/* Columns are visited a few rows at a time: loads the states that the last visit stored, unless
 * this is the first one. */
static void resume(em *M) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef again = em_block(M, "again"), ready = em_block(M, "ready");
    V fresh = LLVMBuildICmp(b, LLVMIntNE, M->fresh, ll_i64(&M->E, 0), "");
    LLVMBuildCondBr(b, fresh, ready, again);
    LLVMPositionBuilderAtEnd(b, again);
    for (size_t i = 0; i < M->n_reds; i++)
        write_state(M, &M->reds[i],
                    take_state(M, M->part, M->reds[i].number, M->reds[i].t, M->reds[i].at), false);
    LLVMBuildBr(b, ready);
    LLVMPositionBuilderAtEnd(b, ready);
}

/* Rows that are visited in pieces: each piece is reduced by itself, in lanes, and combined with
 * the pieces before it. */
static void put_piece(em *M, const em_red *r, state s) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef again = em_block(M, "again"), first = em_block(M, "first"),
                      ready = em_block(M, "ready");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, M->fresh, ll_i64(&M->E, 0), ""), first, again);
    LLVMPositionBuilderAtEnd(b, first);
    put_state(M, r, s);
    LLVMBuildBr(b, ready);
    LLVMPositionBuilderAtEnd(b, again);
    put_state(M, r, combine(M, r, take_state(M, M->part, r->number, r->t, r->at), s, false));
    LLVMBuildBr(b, ready);
    LLVMPositionBuilderAtEnd(b, ready);
}

/* Combines the states in `part` with those in `done`. */
void em_join(em *M, uint32_t each) {
    uint32_t open = 0;
    for (int32_t i = 0; i < (int32_t)M->f->n_code; i++) {
        const kir_ins *k = &M->f->code[i];
        open += k->code == KIR_EACH;
        if (k->code != KIR_REDUCE || open != each + 1) continue;
        bool arg = is_arg((gpa_red)k->sub);
        em_red r = {
            .ins = i, .number = number_of(M, i), .t = dtype_info[M->f->code[k->a].type].compute};
        state a = take_state(M, M->part, r.number, r.t, arg),
              b = take_state(M, M->done, r.number, r.t, arg);
        put_state(M, &r, combine(M, &r, a, b, false));
    }
}

void em_each(em *M, int32_t at) {
    uint32_t number = number_of(M, at);
    bool whole = M->plan->part == EMIT_WHOLE;
    M->level[at] = (uint8_t)M->cur;
    if (!whole && number < (uint32_t)M->plan->part) {
        take_results(M, at);
        return;
    }
    M->n_reds = 0;
    for (int32_t i = at + 1; i < M->partner[at]; i++)
        if (M->f->code[i].code == KIR_REDUCE || M->f->code[i].code == KIR_SCAN) add_red(M, i);
    if (!whole && M->plan->nest == EMIT_COLUMNS) resume(M);
    inner_walk(M, at);
    for (size_t i = 0; i < M->n_reds && !M->E.rc; i++) {
        em_red r = M->reds[i];
        if (M->f->code[r.ins].code != KIR_REDUCE) continue;
        state s = read_state(M, &r, false);
        if (M->plan->nest == EMIT_ROWS && M->E.lanes > 1) s = join_lanes(M, &r, s);
        if (whole)
            set_result(M, r.ins, s);
        else if (M->plan->nest == EMIT_ROWS)
            put_piece(M, &r, s);
        else
            put_state(M, &r, s);
    }
    if (!whole) M->finished = true;
}

/* True if the index increases along the loop: it counts along the only inner dimension. */
static bool rises(const em *M, int32_t index) {
    const kir_ins *k = &M->f->code[index];
    unsigned inner = M->f->inner;
    return k->code == KIR_IOTA && inner && !(inner & (inner - 1)) &&
           (M->f->arrays[k->sub].unit & inner);
}

void em_reduce(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    em_red *r = find_red(M, at);
    if (!r) return;
    bool block = r->block;
    state old = read_state(M, r, block), one = {M->vals[r->of], NULL};
    one.v = ll_cast(&M->E, r->block_t, one.v);
    if (r->at) one.at = M->vals[ins->b].v;
    if (in_lanes(M)) {
        if (r->at && !M->vals[ins->b].vec) one.at = ll_spread(&M->E, one.at);
        one.v = ll_vector(&M->E, one.v);
    }
    state now = combine(M, r, old, one, r->at && rises(M, ins->b));
    if (M->mask && in_lanes(M) && M->plan->nest == EMIT_ROWS) {
        now.v = ll_choose(&M->E, M->mask, now.v, old.v);
        if (now.at) now.at = ll_select(&M->E, M->mask, now.at, old.at);
    }
    write_state(M, r, now, block);
}

/* Running maximum (`most`) or minimum of complex numbers. Comparing two parts takes longer than
 * a predicted branch: few elements, or all, exceed the previous ones. */
static state rise(em *M, const em_red *r, bool most, state old, state one) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef beyond = em_block(M, "beyond"), on = em_block(M, "on");
    LLVMMetadataRef weigh[3] = {LLVMMDStringInContext2(M->E.ctx, "branch_weights", 14)};
    for (int i = 0; i < 2; i++)
        weigh[1 + i] = LLVMValueAsMetadata(
            LLVMConstInt(ll_i(&M->E, 32), i ? TUNE_CPU_EXTREME_BRANCH_WEIGHT : 1, 0));
    V jump = LLVMBuildCondBr(b, ll_beats(&M->E, most, one.v, old.v), beyond,
                             on); /* without weights LLVM would turn it into a select */
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(M->E.ctx, "prof", 4),
                    LLVMMetadataAsValue(M->E.ctx, LLVMMDNodeInContext2(M->E.ctx, weigh, 3)));
    LLVMPositionBuilderAtEnd(b, beyond);
    write_state(M, r, one, false);
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
    return read_state(M, r, false);
}

ll_val em_scan(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    em_red *r = find_red(M, at);
    if (!r) return (ll_val){0};
    if (M->plan->nest == EMIT_ROWS && M->E.lanes > 1) em_unsupported(M, "a scan in lanes");
    state old = read_state(M, r, false), one = {ll_cast(&M->E, r->t, M->vals[ins->a]), NULL};
    const gpa_red red = row_of(M, r);
    if (dtype_is_complex(r->t) && (red == RED_MAX || red == RED_MIN) && !in_lanes(M))
        return ll_cast(&M->E, ins->type, rise(M, r, red == RED_MAX, old, one).v);
    if (in_lanes(M)) one.v = ll_vector(&M->E, one.v);
    state now = combine(M, r, old, one, false);
    now.v.v = ll_round(&M->E, ins->type, now.v.v);
    write_state(M, r, now, false);
    return ll_cast(&M->E, ins->type, now.v);
}
