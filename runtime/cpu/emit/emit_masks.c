/* Masked control flow of compiled functions: branches and loops for the SIMD lanes of a vector.
 *
 * Where lanes diverge, both arms of a branch are executed: an IF gives each arm a mask, and an
 * arm that no lane enters is skipped. A loop that lanes leave one by one continues while any
 * lane is in it. A variable changes only in the active lanes. Uniform values are scalars, and
 * uniform branches are real branches.
 *
 * Invariant: the current mask is that of the innermost open region that has one. A lane that
 * left is in no mask of the regions between the jump and the region it left. Results of inactive
 * lanes are never stored, and have no effect.
 *
 * Reading order: masks, regions, jumps. */
#include "runtime/cpu/emit/emitter.h"

/* ---- masks ---- */

static LLVMTypeRef mask_type(em *M) { return LLVMVectorType(ll_i(&M->E, 1), M->E.lanes); }

static V slot_value(em *M, V slot) { return LLVMBuildLoad2(M->E.b, mask_type(M), slot, ""); }

V em_run(em *M) {
    for (size_t i = M->n_regions; i-- > 0;)
        if (M->regions[i].run) return slot_value(M, M->regions[i].run);
    return M->mask;
}

static V all_lanes(em *M, V mask) { return mask ? mask : LLVMConstAllOnes(mask_type(M)); }

static V minus(em *M, V a, V b) { return LLVMBuildAnd(M->E.b, a, LLVMBuildNot(M->E.b, b, ""), ""); }

static V any(em *M, V mask) {
    V bits = LLVMBuildBitCast(M->E.b, mask, ll_i(&M->E, M->E.lanes), "");
    return LLVMBuildICmp(M->E.b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

static V new_mask(em *M, V now) {
    V slot = ll_slot(&M->E, mask_type(M), "mask");
    LLVMBuildStore(M->E.b, all_lanes(M, now), slot);
    return slot;
}

static void go_on(em *M, LLVMBasicBlockRef to) {
    LLVMBuildBr(M->E.b, to);
    LLVMPositionBuilderAtEnd(M->E.b, to);
}

static void go_on_if(em *M, V cond, LLVMBasicBlockRef to, LLVMBasicBlockRef otherwise) {
    LLVMBuildCondBr(M->E.b, cond, to, otherwise);
    LLVMPositionBuilderAtEnd(M->E.b, to);
}

/* ---- IF ---- */

static int32_t else_of(const em *M, int32_t at) {
    for (int32_t i = at + 1; i < M->partner[at]; i++) {
        if (M->f->code[i].code == KIR_ELSE) return i;
        if (M->partner[i] > i) i = M->partner[i];
    }
    return -1;
}

static bool jumps_inside(const em *M, int32_t at) {
    for (int32_t i = at + 1; i < M->partner[at]; i++)
        if (M->f->code[i].code == KIR_BREAK || M->f->code[i].code == KIR_NEXT) return true;
    return false;
}

/* After a branch in which lanes left: skips the rest of the region if no lane is active. */
static void skip_if_none(em *M) {
    for (size_t i = M->n_regions; i-- > 0;) {
        const em_region_of *r = &M->regions[i];
        if (!r->run) continue;
        go_on_if(M, any(M, slot_value(M, r->run)), em_block(M, "on"), r->next ? r->next : r->leave);
        return;
    }
}

/* Emits the instructions of an arm for the lanes of a mask; mask NULL: the branch was a real
 * one. */
static void arm(em *M, size_t region, V mask, int32_t from, int32_t to, LLVMBasicBlockRef after) {
    M->regions[region].leave = after;
    if (mask) {
        LLVMBuildStore(M->E.b, mask, M->regions[region].run);
        go_on_if(M, any(M, mask), em_block(M, "some"), after);
    }
    em_code(M, from, to);
    go_on(M, after);
}

static void if_region(em *M, int32_t at) {
    ll_val cond = M->vals[M->f->code[at].a];
    int32_t divide = else_of(M, at), close = M->partner[at],
            first_end = divide < 0 ? close : divide;
    V around = em_run(M), yes = NULL, no = NULL;
    em_region_of *r = em_open_region(M, at);
    size_t mine = M->n_regions - 1;
    LLVMBasicBlockRef after = em_block(M, "after"),
                      other = divide < 0 ? after : em_block(M, "else");
    if (!r) return;
    if (cond.vec) {
        around = all_lanes(M, around);
        r->run = new_mask(M, NULL);
        yes = LLVMBuildAnd(M->E.b, cond.v, around, ""), no = minus(M, around, cond.v);
    } else
        go_on_if(M, cond.v, em_block(M, "then"), other);
    if (!cond.vec && divide >= 0) { /* a uniform condition: both arms are real blocks */
        em_code(M, at + 1, divide);
        LLVMBuildBr(M->E.b, after);
        LLVMPositionBuilderAtEnd(M->E.b, other);
    } else
        arm(M, mine, yes, at + 1, first_end, other);
    if (divide >= 0) arm(M, mine, no, divide + 1, close, after);
    M->n_regions = mine;
    if (jumps_inside(M, at)) skip_if_none(M);
}

/* ---- loops ---- */

static em_region_of *open_masked(em *M, int32_t at, bool repeats) {
    V around = em_run(M);
    em_region_of *r = em_open_region(M, at);
    if (!r) return NULL;
    r->run = new_mask(M, around);
    if (repeats) r->live = new_mask(M, around);
    return r;
}

static void loop_region(em *M, int32_t at) {
    LLVMBasicBlockRef head = em_block(M, "loop"), after = em_block(M, "after");
    em_region_of *r = open_masked(M, at, true);
    if (!r) return;
    r->leave = after, r->next = head;
    V run = r->run, live = r->live;
    go_on(M, head);
    em_poll(M);
    V still = slot_value(M, live);
    LLVMBuildStore(M->E.b, still, run);
    go_on_if(M, any(M, still), em_block(M, "body"), after);
    em_code(M, at + 1, M->partner[at]);
    LLVMBuildBr(M->E.b, head);
    LLVMPositionBuilderAtEnd(M->E.b, after);
    M->n_regions--;
}

static V like(em *M, V v, bool vec) { return vec && ll_width(v) == 1 ? ll_spread(&M->E, v) : v; }

/* True if a counter is before the end, in the direction of its steps. */
static V before_end(em *M, bool is_signed, V now, V stop, V by) {
    LLVMBuilderRef b = M->E.b;
    V below = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, now, stop, "");
    if (!is_signed) return below;
    V down = LLVMBuildICmp(b, LLVMIntSLT, by, LLVMConstNull(LLVMTypeOf(by)), "");
    return ll_select(&M->E, down, LLVMBuildICmp(b, LLVMIntSGT, now, stop, ""), below);
}

/* True if a step overflowed: the loop ends then. */
static V wrapped(em *M, bool is_signed, V now, V then, V by) {
    LLVMBuilderRef b = M->E.b;
    V back = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, then, now, "");
    if (!is_signed) return back;
    back = LLVMBuildXor(b, back,
                        LLVMBuildICmp(b, LLVMIntSLT, by, LLVMConstNull(LLVMTypeOf(by)), ""), "");
    return LLVMBuildAnd(b, back, LLVMBuildICmp(b, LLVMIntNE, then, now, ""), "");
}

static void for_region(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    ll_val from = M->vals[ins->a], stop = M->vals[ins->b], by = M->vals[ins->c];
    bool vec = from.vec || by.vec, divergent = vec || stop.vec,
         is_signed = dtype_info[ins->type].kind != 'U';
    LLVMBasicBlockRef head = em_block(M, "for"), next = em_block(M, "next"),
                      after = em_block(M, "after");
    em_region_of *r = open_masked(M, at, true);
    if (!r) return;
    r->leave = after, r->next = next;
    V run = r->run, live = r->live, first = like(M, from.v, vec),
      count = ll_slot(&M->E, LLVMTypeOf(first), "count");
    LLVMBuildStore(M->E.b, first, count);
    go_on(M, head);
    em_poll(M);
    V now = LLVMBuildLoad2(M->E.b, LLVMTypeOf(first), count, "");
    V more = before_end(M, is_signed, like(M, now, divergent), like(M, stop.v, divergent),
                        like(M, by.v, divergent));
    V still = LLVMBuildAnd(M->E.b, slot_value(M, live), like(M, more, true), "");
    LLVMBuildStore(M->E.b, still, live);
    LLVMBuildStore(M->E.b, still, run);
    go_on_if(M, any(M, still), em_block(M, "body"), after);
    M->vals[at] = (ll_val){now, NULL, ins->type, vec};
    em_code(M, at + 1, M->partner[at]);
    go_on(M, next);
    V step = like(M, by.v, vec), then = LLVMBuildAdd(M->E.b, now, step, ""),
      over = wrapped(M, is_signed, now, then, step);
    LLVMBuildStore(M->E.b, then, count);
    LLVMBuildStore(M->E.b, minus(M, slot_value(M, live), like(M, over, true)), live);
    LLVMBuildBr(M->E.b, head);
    LLVMPositionBuilderAtEnd(M->E.b, after);
    M->n_regions--;
}

static void block_region(em *M, int32_t at) {
    LLVMBasicBlockRef after = em_block(M, "after");
    em_region_of *r = open_masked(M, at, false);
    if (!r) return;
    r->leave = after;
    em_code(M, at + 1, M->partner[at]);
    go_on(M, after);
    M->n_regions--;
}

void em_masked_region(em *M, int32_t at) {
    kir_code code = (kir_code)M->f->code[at].code;
    if (code == KIR_IF) if_region(M, at);
    if (code == KIR_LOOP) loop_region(M, at);
    if (code == KIR_FOR) for_region(M, at);
    if (code == KIR_BLOCK) block_region(M, at);
}

/* ---- jumps ---- */

/* Removes the active lanes from the masks of all regions up to the one that they leave (BREAK),
 * or whose iteration they end (NEXT). */
void em_masked_jump(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    const em_region_of *to = em_target(M, ins);
    V gone = all_lanes(M, em_run(M));
    for (em_region_of *r = &M->regions[M->n_regions - 1];; r--) {
        if (r->run) LLVMBuildStore(M->E.b, minus(M, slot_value(M, r->run), gone), r->run);
        if (r->live && (r != to || ins->code == KIR_BREAK))
            LLVMBuildStore(M->E.b, minus(M, slot_value(M, r->live), gone), r->live);
        if (r == to) return;
    }
}
