/* A phase of a kernel for one group of threads, one thread per SIMD lane.
 *
 * Divergent control flow runs both paths under masks: an IF whose condition differs between
 * lanes sets the mask of its arms, and a loop with divergent exits iterates until no lane is
 * left. Values that are uniform across lanes are scalars, and uniform branches are real
 * branches. A unit-stride index is one wide access; others are gathered or scattered.
 *
 * Invariant: values of other phases are emitted in the group's head, which dominates the whole
 * group; values of this phase are emitted at their instruction.
 *
 * Reading order: masks, the context, values, regions, variables, instructions; memory and
 * reports are in emit_kernel_memory.c. */
#include "runtime/base/base.h"
#include "runtime/cpu/emit/kernel.h"
#include "runtime/tables/tuning.h"

static LLVMBuilderRef B(km *K) { return K->M.E.b; }
static ll *E_(km *K) { return &K->M.E; }
static V i64(km *K, int64_t n) { return ll_i64(E_(K), n); }

LLVMBasicBlockRef k_block(km *K, const char *name) { return em_block(&K->M, name); }

static void go_to(km *K, LLVMBasicBlockRef to) {
    LLVMBuildBr(B(K), to);
    LLVMPositionBuilderAtEnd(B(K), to);
}

/* ---- masks ---- */

static LLVMTypeRef mask_type(km *K) { return LLVMVectorType(ll_i(E_(K), 1), K->M.E.lanes); }

V k_all_lanes(km *K) { return LLVMConstAllOnes(mask_type(K)); }

V k_and(km *K, V a, V b) { return !a ? b : !b ? a : LLVMBuildAnd(B(K), a, b, ""); }

static V minus(km *K, V a, V b) { return LLVMBuildAnd(B(K), a, LLVMBuildNot(B(K), b, ""), ""); }

static V slot_value(km *K, V slot) { return LLVMBuildLoad2(B(K), mask_type(K), slot, ""); }

V k_mask(km *K) {
    for (size_t i = K->n_regions; i-- > 0;)
        if (K->regions[i].run) return slot_value(K, K->regions[i].run);
    return K->base_mask ? slot_value(K, K->base_mask) : NULL;
}

V k_bits(km *K, V mask) { return LLVMBuildBitCast(B(K), mask, ll_i(E_(K), K->M.E.lanes), ""); }

V k_any(km *K, V mask) {
    V bits = k_bits(K, mask);
    return LLVMBuildICmp(B(K), LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

/* ---- the context ---- */

ll_val k_lanes(km *K, ll_val v) { return ll_vector(E_(K), v); }

static V thread_slot(km *K, int32_t slot, unsigned size, bool whole) {
    V base = k_context_slot(K, slot);
    if (whole) return base; /* address of thread 0's value */
    V bytes = LLVMBuildMul(B(K), K->thread, i64(K, size), "");
    return LLVMBuildGEP2(B(K), ll_i(E_(K), 8), base, &bytes, 1, "");
}

static unsigned register_bytes(gpa_dtype t) {
    if (t == DT_BOOL) return 1;
    if (t == DT_F16 || t == DT_BF16) return 4;
    return (unsigned)dtype_size(t) / (dtype_is_complex(t) ? 2 : 1);
}

static V load_part(km *K, int32_t slot, gpa_dtype t, bool whole) {
    ll *E = E_(K);
    unsigned size = register_bytes(t);
    LLVMTypeRef one = t == DT_BOOL ? ll_i(E, 8) : ll_elem(E, t);
    V v = LLVMBuildLoad2(B(K), whole ? one : LLVMVectorType(one, E->lanes),
                         thread_slot(K, slot, size, whole), "");
    LLVMSetAlignment(v, size);
    return t == DT_BOOL ? LLVMBuildTrunc(B(K), v, whole ? ll_i(E, 1) : mask_type(K), "") : v;
}

ll_val k_load_context(km *K, int32_t slot, gpa_dtype t, bool whole) {
    ll_val r = {load_part(K, slot, t, whole), NULL, (uint8_t)t, !whole};
    if (dtype_is_complex(t)) r.im = load_part(K, slot + 1, t, whole);
    return r;
}

static void store_part(km *K, int32_t slot, gpa_dtype t, V v) {
    ll *E = E_(K);
    if (t == DT_BOOL) v = LLVMBuildZExt(B(K), v, LLVMVectorType(ll_i(E, 8), E->lanes), "");
    LLVMSetAlignment(LLVMBuildStore(B(K), v, thread_slot(K, slot, register_bytes(t), false)),
                     register_bytes(t));
}

void k_store_context(km *K, int32_t slot, ll_val v) {
    v = k_lanes(K, v);
    store_part(K, slot, v.t, v.v);
    if (v.im) store_part(K, slot + 1, v.t, v.im);
}

V k_load_mask(km *K, int32_t slot) { return load_part(K, slot, DT_BOOL, false); }

void k_put_mask(km *K, int32_t slot, V mask) {
    store_part(K, slot, DT_BOOL, mask ? mask : k_all_lanes(K));
}

/* ---- values ---- */

static ll_val integer(V v, bool vec) { return (ll_val){v, NULL, DT_I32, vec}; }

static V narrow(km *K, V v) { return LLVMBuildTrunc(B(K), v, ll_i(E_(K), 32), ""); }

static ll_val thread_value(km *K, const kir_ins *ins, k_affine *a) {
    ll *E = E_(K);
    V along[3] = {K->x, K->y, K->z}, ramp = ll_ramp(E, ll_i(E, 32));
    if (ins->sub == KIR_TH_BID) return integer(narrow(K, K->block[ins->imm]), false);
    if (ins->sub == KIR_TH_BDIM || ins->sub == KIR_TH_GDIM)
        return integer(
            narrow(K, em_slot(&K->M, VIEW_SIZE +
                                         (ins->sub == KIR_TH_BDIM ? KV_BLOCK + 0u : KV_GRID + 0u) +
                                         ins->imm)),
            false);
    if (ins->sub == KIR_TH_WARPSIZE) return integer(LLVMConstInt(ll_i(E, 32), 32, 0), false);
    if (ins->sub == KIR_TH_TID && ins->imm) return integer(narrow(K, along[ins->imm]), false);
    if (ins->sub == KIR_TH_TID) {
        V first = narrow(K, K->x);
        *a = (k_affine){.base = first, .stride = 1};
        return integer(LLVMBuildAdd(B(K), ll_spread(E, first), ramp, ""), true);
    }
    V row = LLVMBuildAdd(
        B(K), LLVMBuildMul(B(K), K->z, em_slot(&K->M, VIEW_SIZE + KV_BLOCK + 1), ""), K->y, "");
    V n = LLVMBuildAdd(B(K), LLVMBuildMul(B(K), row, em_slot(&K->M, VIEW_SIZE + KV_BLOCK), ""),
                       K->x, "");
    V lanes = LLVMBuildAdd(B(K), ll_spread(E, narrow(K, n)), ramp, "");
    return integer(LLVMBuildAnd(B(K), lanes, ll_int_like(E, lanes, 31), ""), true);
}

k_affine k_affine_of(km *K, int32_t v, ll_val value) {
    if (!value.vec) return (k_affine){.base = value.v};
    return K->made[v] == K->phase_run ? K->affine[v] : (k_affine){0};
}

static V both(km *K, V a, V b) { return !a ? b : !b ? a : LLVMBuildAnd(B(K), a, b, ""); }

/* Base and stride, across lanes, of a sum, difference, product or widening of indices. */
static k_affine affine_result(km *K, const kir_ins *ins, ll_val a, ll_val b) {
    k_affine none = {0}, x, y;
    gpa_dtype t = (gpa_dtype)ins->type;
    if (!dtype_is_int(t) || (!a.vec && !b.vec)) return none;
    x = k_affine_of(K, ins->a, a);
    if (!x.base) return none;
    if (ins->code == KIR_CAST) {
        gpa_dtype from = (gpa_dtype)a.t;
        if (!dtype_is_int(from) || dtype_size(t) < dtype_size(from)) return none;
        if (dtype_size(t) > dtype_size(from) && !K->plan->at[ins->a].positive) return none;
        if (dtype_size(t) > dtype_size(from))
            x.base = LLVMBuildZExt(B(K), x.base, ll_elem(E_(K), t), "");
        return x;
    }
    if (ins->code != KIR_OP || ins->b < 0) return none;
    y = k_affine_of(K, ins->b, b);
    if (!y.base) return none;
    k_affine r = {.plain = both(K, x.plain, y.plain)};
    if (ins->sub == OP_ADD)
        r.base = LLVMBuildAdd(B(K), x.base, y.base, ""), r.stride = x.stride + y.stride;
    else if (ins->sub == OP_SUBTRACT)
        r.base = LLVMBuildSub(B(K), x.base, y.base, ""), r.stride = x.stride - y.stride;
    else if (ins->sub == OP_MULTIPLY && x.stride == 0 && LLVMIsAConstantInt(x.base)) {
        r.base = LLVMBuildMul(B(K), x.base, y.base, ""),
        r.stride = y.stride * LLVMConstIntGetSExtValue(x.base);
    } else if (ins->sub == OP_MULTIPLY && y.stride == 0 && LLVMIsAConstantInt(y.base)) {
        r.base = LLVMBuildMul(B(K), x.base, y.base, ""),
        r.stride = x.stride * LLVMConstIntGetSExtValue(y.base);
    }
    return r.base ? r : none;
}

static ll_val pure(km *K, int32_t v) {
    const kir_ins *ins = &K->M.f->code[v];
    ll *E = E_(K);
    ll_operation o = {.op = (gpa_op)ins->sub, .to = (gpa_dtype)ins->type, .a = k_use(K, ins->a)};
    if (ins->code == KIR_CAST) {
        K->affine[v] = affine_result(K, ins, o.a, o.b);
        return ll_cast(E, o.to, o.a);
    }
    unsigned n = op_info[ins->sub].arity;
    if (n > 1) o.b = k_use(K, ins->b);
    if (n > 2) o.c = k_use(K, ins->c);
    K->affine[v] = affine_result(K, ins, o.a, o.b);
    o.t = (gpa_dtype)(op_info[ins->sub].sig == SIG_SELECT ? o.b.t : o.a.t);
    return ll_op(E, &o);
}

/* Wraps a negative index: adds the extent. */
ll_val k_wrapped(km *K, int32_t v, ll_val i, ll_val n, V mask) {
    ll *E = E_(K);
    const kir_ins *ins = &K->M.f->code[v];
    k_affine a = k_affine_of(K, ins->a, i);
    if (K->plan->at[ins->a].positive || ins->imm == KIR_IN_BOUNDS) {
        K->affine[v] = a;
        return i;
    }
    bool vec = i.vec || n.vec;
    if (vec) i = ll_vector(E, i), n = ll_vector(E, n);
    V below = LLVMBuildICmp(B(K), LLVMIntSLT, i.v, LLVMConstNull(LLVMTypeOf(i.v)), "");
    ll_val r = {ll_select(E, below, LLVMBuildAdd(B(K), i.v, n.v, ""), i.v), NULL, DT_I64, vec};
    if (vec && a.base) {
        V some = k_any(K, k_and(K, below, mask));
        a.plain = both(K, a.plain, LLVMBuildNot(B(K), some, ""));
    }
    K->affine[v] = vec ? a : (k_affine){0};
    return r;
}

/* A value of another phase: recomputed, or loaded from the context. */
static ll_val from_elsewhere(km *K, int32_t v) {
    const kir_ins *ins = &K->M.f->code[v];
    const kernel_fact *x = &K->plan->at[v];
    ll_val r = {0};
    K->affine[v] = (k_affine){0};
    switch ((int)ins->code) {
        case KIR_CONST: return ll_const(E_(K), (gpa_dtype)ins->type, K->M.f->consts[ins->imm].v);
        case KIR_PARAM: return em_param(&K->M, ins);
        case KIR_SIZE:
        case KIR_STRIDE:
            return (ll_val){
                em_slot(&K->M, VIEW_ARRAYS + (unsigned)ins->sub * ARRAY_SLOTS +
                                   (ins->code == KIR_SIZE ? ARRAY_SIZE : ARRAY_STRIDE) + ins->imm),
                NULL, DT_I64, false};
        case KIR_THREAD: return thread_value(K, ins, &K->affine[v]);
        case KIR_FOR:
            return k_load_context(K, x->context + KERNEL_COUNT, (gpa_dtype)ins->type, !K->head);
        default: break;
    }
    if (x->again && kir_has(ins->code, KI_COMPUTES)) return pure(K, v);
    if (x->again && ins->code == KIR_BOUND)
        return k_wrapped(K, v, k_use(K, ins->a), k_use(K, ins->b), NULL);
    if (x->context < 0) {
        em_unsupported(&K->M, "a value from nowhere");
        return r;
    }
    return k_load_context(K, x->context, (gpa_dtype)ins->type, !K->head);
}

static bool is_fixed(uint8_t code) { return kir_has(code, KI_FIXED) || code == KIR_THREAD; }

ll_val k_use(km *K, int32_t v) {
    const kir_ins *ins = &K->M.f->code[v];
    if (K->given[v].v) return K->given[v];
    if (K->made[v] == K->phase_run && K->head) return K->vals[v];
    if (!K->head) return from_elsewhere(K, v); /* at block level */
    bool here = K->plan->at[v].phase == K->phase && !is_fixed(ins->code);
    if (here) {
        em_unsupported(&K->M, "a value used before it is made");
        return (ll_val){0};
    }
    LLVMBasicBlockRef now = LLVMGetInsertBlock(B(K));
    bool inside = now != K->head;
    if (inside) LLVMPositionBuilderBefore(B(K), LLVMGetBasicBlockTerminator(K->head));
    ll_val r = from_elsewhere(K, v);
    if (inside) LLVMPositionBuilderAtEnd(B(K), now);
    K->vals[v] = r;
    K->made[v] = K->phase_run;
    return r;
}

static void made(km *K, int32_t v, ll_val r) {
    K->vals[v] = r;
    K->made[v] = K->phase_run;
    int32_t slot = K->plan->at[v].context;
    if (slot >= 0 && r.v) k_store_context(K, slot, r);
}

/* ---- regions ---- */

static k_region *open_region(km *K, int32_t at) {
    if (!mem_grow(&K->regions, K->n_regions, &K->cap_regions, sizeof *K->regions)) {
        K->M.E.rc = gpa_no_memory(K->M.E.err);
        return NULL;
    }
    K->regions[K->n_regions] = (k_region){.at = at};
    return &K->regions[K->n_regions++];
}

static V new_mask(km *K, V now) {
    V slot = ll_slot(E_(K), mask_type(K), "mask");
    LLVMBuildStore(B(K), now ? now : k_all_lanes(K), slot);
    return slot;
}

void k_poll_stop(km *K) {
    V flag = LLVMBuildIntToPtr(B(K), em_slot(&K->M, VIEW_STOP), ll_ptr(E_(K)), "");
    V now = LLVMBuildLoad2(B(K), ll_i(E_(K), 32), flag, "");
    LLVMSetVolatile(now, 1);
    LLVMBasicBlockRef on = k_block(K, "on");
    LLVMBuildCondBr(B(K), LLVMBuildICmp(B(K), LLVMIntNE, now, LLVMConstNull(LLVMTypeOf(now)), ""),
                    K->M.leave, on);
    LLVMPositionBuilderAtEnd(B(K), on);
}

static int32_t else_of(km *K, int32_t at) {
    const kir_func *f = K->M.f;
    for (int32_t i = at + 1; i < K->plan->at[at].close; i++)
        if (f->code[i].code == KIR_ELSE && K->plan->at[i].outer == at) return i;
    return -1;
}

/* After a branch in which lanes left: if no lane is active, skip the rest of the region. */
static void skip_if_none(km *K) {
    for (size_t i = K->n_regions; i-- > 0;) {
        k_region *r = &K->regions[i];
        if (!r->run) continue;
        LLVMBasicBlockRef to = r->next ? r->next : r->leave, on = k_block(K, "on");
        LLVMBuildCondBr(B(K), k_any(K, slot_value(K, r->run)), on, to);
        LLVMPositionBuilderAtEnd(B(K), on);
        return;
    }
}

static void arm(km *K, V slot, V mask, int32_t from, int32_t to, LLVMBasicBlockRef after) {
    LLVMBasicBlockRef some = k_block(K, "some");
    LLVMBuildStore(B(K), mask, slot);
    LLVMBuildCondBr(B(K), k_any(K, mask), some, after);
    LLVMPositionBuilderAtEnd(B(K), some);
    k_code(K, from, to);
    go_to(K, after);
}

static void if_region(km *K, int32_t at) {
    ll_val cond = k_use(K, K->M.f->code[at].a);
    int32_t divide = else_of(K, at), close = K->plan->at[at].close;
    LLVMBasicBlockRef after = k_block(K, "after"), no = divide < 0 ? after : k_block(K, "else");
    V around = k_mask(K);
    k_region *r = open_region(K, at);
    if (!r) return;
    r->leave = after;
    if (!cond.vec) {
        LLVMBasicBlockRef yes = k_block(K, "then");
        LLVMBuildCondBr(B(K), cond.v, yes, no);
        LLVMPositionBuilderAtEnd(B(K), yes);
        k_code(K, at + 1, divide < 0 ? close : divide);
        go_to(K, after);
        if (divide >= 0) {
            LLVMPositionBuilderAtEnd(B(K), no);
            k_code(K, divide + 1, close);
            LLVMBuildBr(B(K), after);
        }
        LLVMPositionBuilderAtEnd(B(K), after);
    } else {
        V slot = new_mask(K, around), other = NULL;
        size_t mine = K->n_regions - 1;
        r->run = slot;
        r->leave = no; /* lanes that leave the first arm continue with the second */
        if (divide >= 0) other = k_and(K, LLVMBuildNot(B(K), cond.v, ""), around);
        arm(K, slot, k_and(K, cond.v, around), at + 1, divide < 0 ? close : divide, no);
        K->regions[mine].leave = after;
        if (divide >= 0) arm(K, slot, other, divide + 1, close, after);
    }
    K->n_regions--;
    if (K->plan->at[at].jumps) skip_if_none(K);
}

/* Starts an iteration of a loop with divergent exits, or leaves the loop if no lane is live. */
static void begin_trip(km *K, const k_region *r, LLVMBasicBlockRef after) {
    LLVMBasicBlockRef body = k_block(K, "body");
    V live = slot_value(K, r->live);
    LLVMBuildStore(B(K), live, r->run);
    LLVMBuildCondBr(B(K), k_any(K, live), body, after);
    LLVMPositionBuilderAtEnd(B(K), body);
}

static void loop_region(km *K, int32_t at) {
    LLVMBasicBlockRef head = k_block(K, "loop"), after = k_block(K, "after");
    V around = k_mask(K);
    k_region *r = open_region(K, at);
    if (!r) return;
    size_t mine = K->n_regions - 1;
    r->leave = after;
    r->next = head;
    if (K->plan->at[at].level == SAME_NOWHERE)
        r->run = new_mask(K, around), r->live = new_mask(K, around);
    go_to(K, head);
    k_poll_stop(K);
    if (K->regions[mine].run) begin_trip(K, &K->regions[mine], after);
    k_code(K, at + 1, K->plan->at[at].close);
    LLVMBuildBr(B(K), head);
    LLVMPositionBuilderAtEnd(B(K), after);
    K->n_regions = mine;
}

static V compare_counter(km *K, gpa_dtype t, V now, V stop, V by) {
    bool is_signed = dtype_info[t].kind != 'U';
    V below = LLVMBuildICmp(B(K), is_signed ? LLVMIntSLT : LLVMIntULT, now, stop, "");
    if (!is_signed) return below;
    V above = LLVMBuildICmp(B(K), LLVMIntSGT, now, stop, "");
    V down = LLVMBuildICmp(B(K), LLVMIntSLT, by, LLVMConstNull(LLVMTypeOf(by)), "");
    return LLVMBuildSelect(B(K), down, above, below, "");
}

/* True where the step makes the counter wrap around its type: such an iteration is the last. */
static V past_end(km *K, gpa_dtype t, V now, V next, V by) {
    bool is_signed = dtype_info[t].kind != 'U';
    V wrapped_ = LLVMBuildICmp(B(K), is_signed ? LLVMIntSLT : LLVMIntULT, next, now, "");
    if (!is_signed) return wrapped_;
    V down = LLVMBuildICmp(B(K), LLVMIntSLT, by, LLVMConstNull(LLVMTypeOf(by)), "");
    return LLVMBuildXor(B(K), wrapped_, down, "");
}

/* True if the loop is marked as short, or its constant bounds are close: it need not poll for
 * interrupts. */
static bool is_short(const km *K, const kir_ins *loop) {
    int64_t ends[2];
    if (loop->imm) return true;
    const int32_t v[2] = {loop->a, loop->b};
    for (int k = 0; k < 2; k++) {
        const kir_ins *ins = &K->M.f->code[v[k]];
        if (ins->code != KIR_CONST) return false;
        ends[k] = dtype_cast(K->M.f->consts[ins->imm].v, (gpa_dtype)ins->type, DT_I64).I64;
    }
    return ends[1] > ends[0] - TUNE_CPU_UNPOLLED_MAX_TRIPS &&
           ends[1] < ends[0] + TUNE_CPU_UNPOLLED_MAX_TRIPS;
}

/* The counter of a counted loop: one scalar for all lanes, or a vector. */
typedef struct {
    gpa_dtype type;
    k_affine affine;     /* of its first value */
    bool vec;            /* a counter per lane */
    bool spread_scalar;  /* ... kept as lane 0's, the others a constant distance apart */
    V slot, scalar, now; /* memory; loaded value; value of every lane */
    ll_val step;         /* in lanes where `vec` */
    V scalar_step;
} loop_counter;

/* Loads the counter at the head of the loop. */
static void load_counter(km *K, loop_counter *c, V first) {
    LLVMTypeRef type = LLVMTypeOf(first);
    c->now = c->scalar = LLVMBuildLoad2(B(K), type, c->slot, "");
    if (!c->spread_scalar) return;
    V ramp = ll_ramp(E_(K), type),
      distance = LLVMBuildMul(B(K), ramp, ll_int_like(E_(K), ramp, c->affine.stride), "");
    c->now = LLVMBuildAdd(B(K), ll_spread(E_(K), c->now), distance, "");
}

/* True, a scalar or per lane, while the counter has not reached `stop`. */
static V counter_in_range(km *K, const loop_counter *c, ll_val stop) {
    bool spread = !c->vec && stop.vec;
    V now = spread ? ll_spread(E_(K), c->now) : c->now,
      step = spread ? ll_spread(E_(K), c->step.v) : c->step.v,
      end = c->vec && !stop.vec ? ll_spread(E_(K), stop.v) : stop.v;
    return compare_counter(K, c->type, now, end, step);
}

/* Adds the step and jumps to `head`; lanes, or all, leave where that wraps around. */
static void advance_counter(km *K, const loop_counter *c, V live, LLVMBasicBlockRef head,
                            LLVMBasicBlockRef after) {
    V then = LLVMBuildAdd(B(K), c->now, c->step.v, ""),
      over = past_end(K, c->type, c->now, then, c->step.v);
    V stored = c->spread_scalar ? LLVMBuildAdd(B(K), c->scalar, c->scalar_step, "") : then;
    LLVMBuildStore(B(K), stored, c->slot);
    if (c->vec) {
        LLVMBuildStore(B(K), minus(K, slot_value(K, live), over), live);
        LLVMBuildBr(B(K), head);
    } else {
        LLVMBuildCondBr(B(K), over, after, head);
    }
}

static void for_region(km *K, int32_t at) {
    const kir_ins *ins = &K->M.f->code[at];
    ll_val from = k_use(K, ins->a), stop = k_use(K, ins->b), by = k_use(K, ins->c);
    bool divergent = from.vec || stop.vec || by.vec;
    loop_counter c = {.type = (gpa_dtype)ins->type, .vec = from.vec || by.vec, .scalar_step = by.v};
    LLVMBasicBlockRef head = k_block(K, "for"), body = k_block(K, "body"),
                      next = k_block(K, "next"), after = k_block(K, "after");
    V around = k_mask(K);
    k_region *r = open_region(K, at);
    if (!r) return;
    size_t mine = K->n_regions - 1;
    r->leave = after;
    r->next = next;
    if (divergent || K->plan->at[at].level == SAME_NOWHERE)
        r->run = new_mask(K, around), r->live = new_mask(K, around);
    c.step = by;
    if (c.vec) from = k_lanes(K, from), c.step = k_lanes(K, by);
    c.affine = k_affine_of(K, ins->a, from);
    c.spread_scalar = c.vec && c.affine.base && !c.affine.plain && !by.vec;
    V run = r->run, live = r->live, first = c.spread_scalar ? c.affine.base : from.v;
    c.slot = ll_slot(E_(K), LLVMTypeOf(first), "count");
    LLVMBuildStore(B(K), first, c.slot);
    go_to(K, head);
    if (!is_short(K, ins)) k_poll_stop(K);
    load_counter(K, &c, first);
    V more = counter_in_range(K, &c, stop);
    if (run) {
        V still = slot_value(K, live);
        still = k_and(K, still, divergent ? more : ll_spread(E_(K), more));
        LLVMBuildStore(B(K), still, live);
        LLVMBuildStore(B(K), still, run);
        LLVMBuildCondBr(B(K), k_any(K, still), body, after);
    } else {
        LLVMBuildCondBr(B(K), more, body, after);
    }
    LLVMPositionBuilderAtEnd(B(K), body);
    made(K, at, (ll_val){c.now, NULL, (uint8_t)c.type, c.vec});
    K->affine[at] =
        c.spread_scalar ? (k_affine){.base = c.scalar, .stride = c.affine.stride} : (k_affine){0};
    k_code(K, at + 1, K->plan->at[at].close);
    go_to(K, next);
    advance_counter(K, &c, live, head, after);
    LLVMPositionBuilderAtEnd(B(K), after);
    K->n_regions = mine;
}

static void block_region(km *K, int32_t at) {
    LLVMBasicBlockRef after = k_block(K, "after");
    V around = k_mask(K);
    k_region *r = open_region(K, at);
    if (!r) return;
    size_t mine = K->n_regions - 1;
    r->leave = after;
    if (K->plan->at[at].level == SAME_NOWHERE) r->run = new_mask(K, around);
    k_code(K, at + 1, K->plan->at[at].close);
    go_to(K, after);
    K->n_regions = mine;
}

/* BREAK and NEXT. A uniform jump is a branch; a divergent one clears the active lanes in the
 * masks of all regions up to its target. */
static void jump(km *K, int32_t at) {
    const kir_ins *ins = &K->M.f->code[at];
    bool ends = ins->code == KIR_BREAK, masked = false;
    int32_t to = kernel_target(K->M.f, K->plan, at);
    size_t i = K->n_regions;
    while (i-- > 0 && K->regions[i].at != to) masked = masked || K->regions[i].run;
    bool here = i != SIZE_MAX;
    if (here && !masked && !K->regions[i].run) {
        LLVMBuildBr(B(K), ends ? K->regions[i].leave : K->regions[i].next);
        LLVMPositionBuilderAtEnd(B(K), k_block(K, "unreached"));
        return;
    }
    V gone = k_mask(K);
    if (!gone) gone = k_all_lanes(K);
    for (size_t k = K->n_regions; k-- > (here ? i : 0);) {
        k_region *r = &K->regions[k];
        if (r->run) LLVMBuildStore(B(K), minus(K, slot_value(K, r->run), gone), r->run);
        bool out = k > (here ? i : 0) || !here || ends;
        if (r->live && (r->at != to || ends) && out)
            LLVMBuildStore(B(K), minus(K, slot_value(K, r->live), gone), r->live);
    }
    if (here) return;
    if (K->base_mask)
        LLVMBuildStore(B(K), minus(K, slot_value(K, K->base_mask), gone), K->base_mask);
    for (size_t k = K->n_outside; k-- > 0;) {
        const k_region *r = &K->outside[k];
        int32_t slot = K->plan->at[r->at].context;
        if (slot >= 0)
            k_put_mask(K, slot + KERNEL_RUN, minus(K, k_load_mask(K, slot + KERNEL_RUN), gone));
        if (slot >= 0 && (r->at != to || ends))
            k_put_mask(K, slot + KERNEL_LIVE, minus(K, k_load_mask(K, slot + KERNEL_LIVE), gone));
        if (r->at == to) break;
    }
}

/* ---- variables ---- */

/* The slot of a variable. If the variable is live across phases, the group's head loads it from
 * the context, and k_keep_variables stores it back. */
static ll_val variable_slot(km *K, int32_t var) {
    gpa_dtype t = (gpa_dtype)K->M.f->code[var].type;
    int32_t context = K->plan->at[var].context;
    if (context < 0 || K->made[var] == K->phase_run) return K->vals[var];
    LLVMTypeRef type = ll_type(E_(K), t, true);
    ll_val slot = {ll_slot(E_(K), type, "var"),
                   dtype_is_complex(t) ? ll_slot(E_(K), type, "var") : NULL, (uint8_t)t, true};
    LLVMBasicBlockRef now = LLVMGetInsertBlock(B(K));
    LLVMPositionBuilderBefore(B(K), LLVMGetBasicBlockTerminator(K->head));
    ll_val v = k_load_context(K, context, t, false);
    LLVMBuildStore(B(K), v.v, slot.v);
    if (slot.im) LLVMBuildStore(B(K), v.im, slot.im);
    LLVMPositionBuilderAtEnd(B(K), now);
    K->vals[var] = slot;
    K->made[var] = K->phase_run;
    return slot;
}

void k_keep_variables(km *K, int32_t from, int32_t to) {
    for (int32_t i = from; i < to; i++) {
        const kir_ins *ins = &K->M.f->code[i];
        int32_t var = ins->code == KIR_VAR ? i : ins->code == KIR_SET ? ins->a : -1;
        if (var < 0 || K->plan->at[var].context < 0 || K->made[var] != K->phase_run) continue;
        ll_val slot = K->vals[var], v = {.t = slot.t, .vec = true};
        LLVMTypeRef type = ll_type(E_(K), (gpa_dtype)slot.t, true);
        v.v = LLVMBuildLoad2(B(K), type, slot.v, "");
        if (slot.im) v.im = LLVMBuildLoad2(B(K), type, slot.im, "");
        k_store_context(K, K->plan->at[var].context, v);
        K->made[var] = 0; /* store each variable once */
    }
}

static void set_lanes(km *K, int32_t var, ll_val v) {
    ll_val slot = variable_slot(K, var);
    V mask = k_mask(K);
    if (slot.vec) v = k_lanes(K, v);
    if (slot.vec && mask) {
        ll_val old = {LLVMBuildLoad2(B(K), LLVMTypeOf(v.v), slot.v, ""), NULL, v.t, true};
        if (slot.im) old.im = LLVMBuildLoad2(B(K), LLVMTypeOf(v.im), slot.im, "");
        v = ll_choose(E_(K), mask, v, old);
    }
    LLVMBuildStore(B(K), v.v, slot.v);
    if (slot.im) LLVMBuildStore(B(K), v.im, slot.im);
}

static void variable(km *K, int32_t at) {
    const kir_ins *ins = &K->M.f->code[at];
    const kernel_fact *x = &K->plan->at[at];
    gpa_dtype t = (gpa_dtype)ins->type;
    bool vec = x->context >= 0 || x->level == SAME_NOWHERE;
    LLVMTypeRef type = ll_type(E_(K), t, vec);
    ll_val zero = {LLVMConstNull(type), dtype_is_complex(t) ? LLVMConstNull(type) : NULL,
                   (uint8_t)t, vec};
    ll_val first = ins->a >= 0 ? k_use(K, ins->a) : zero;
    if (x->context < 0) {
        K->vals[at] =
            (ll_val){ll_slot(E_(K), type, "var"),
                     dtype_is_complex(t) ? ll_slot(E_(K), type, "var") : NULL, (uint8_t)t, vec};
        K->made[at] = K->phase_run;
    }
    set_lanes(K, at, first);
}

static ll_val current(km *K, const kir_ins *ins) {
    ll_val slot = variable_slot(K, ins->a), r = {.t = slot.t, .vec = slot.vec};
    LLVMTypeRef type = ll_type(E_(K), (gpa_dtype)slot.t, slot.vec);
    r.v = LLVMBuildLoad2(B(K), type, slot.v, "");
    if (slot.im) r.im = LLVMBuildLoad2(B(K), type, slot.im, "");
    return r;
}

/* ---- instructions ---- */

static void instruction(km *K, int32_t at) {
    const kir_ins *ins = &K->M.f->code[at];
    K->affine[at] = (k_affine){0};
    switch ((int)ins->code) {
        case KIR_CONST:
        case KIR_PARAM:
        case KIR_SIZE:
        case KIR_STRIDE:
        case KIR_THREAD: break; /* emitted at their uses */
        case KIR_OP:
        case KIR_CAST: made(K, at, pure(K, at)); break;
        case KIR_BOUND: made(K, at, k_bound(K, at)); break;
        case KIR_LOADX: made(K, at, k_load(K, ins)); break;
        case KIR_STOREX: k_store(K, ins); break;
        case KIR_ATOMIC: made(K, at, k_atomic(K, ins)); break;
        case KIR_VAR: variable(K, at); break;
        case KIR_GET: made(K, at, current(K, ins)); break;
        case KIR_SET: set_lanes(K, ins->a, k_use(K, ins->b)); break;
        case KIR_IF: if_region(K, at); break;
        case KIR_FOR: for_region(K, at); break;
        case KIR_LOOP: loop_region(K, at); break;
        case KIR_BLOCK: block_region(K, at); break;
        case KIR_BREAK:
        case KIR_NEXT: jump(K, at); break;
        case KIR_FENCE:
            LLVMBuildFence(B(K), LLVMAtomicOrderingSequentiallyConsistent, 0, "");
            break;
        case KIR_ARG: break;
        case KIR_PRINT: k_print(K, at); break;
        case KIR_FAULT: k_fault(K, ins); break;
        default: em_unsupported(&K->M, "an instruction out of place");
    }
}

void k_code(km *K, int32_t from, int32_t to) {
    for (int32_t i = from; i < to && !K->M.E.rc; i++) {
        instruction(K, i);
        if (kir_has(K->M.f->code[i].code, KI_REGION)) i = K->plan->at[i].close;
    }
}
