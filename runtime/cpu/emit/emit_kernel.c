/* The thread block of a kernel: phases for all threads, and the block-level instructions between
 * them.
 *
 * The list of instructions is emitted at block level. A run of instructions without
 * synchronization is a phase: a loop over rows and groups of threads, whose body runs in SIMD
 * lanes (emit_lanes.c). If all threads agree on the control flow of a region that synchronizes,
 * the whole block enters it with scalar branches. Otherwise each thread has a mask in the
 * context, and the region runs while any mask is on. A plain barrier needs no code: all threads
 * have finished the phase before it.
 *
 * Reading order: context slots, phases, block-level instructions, regions, the block, the
 * function. */
#include "runtime/base/base.h"
#include "runtime/cpu/emit/kernel.h"

static LLVMBuilderRef B(km *K) { return K->M.E.b; }
static ll *E_(km *K) { return &K->M.E; }
static V i64(km *K, int64_t n) { return ll_i64(E_(K), n); }
static V launch_size(km *K, unsigned n) { return em_slot(&K->M, VIEW_SIZE + n); }

static void go_to(km *K, LLVMBasicBlockRef to) {
    LLVMBuildBr(B(K), to);
    LLVMPositionBuilderAtEnd(B(K), to);
}

static V address(km *K, V base, V bytes) {
    return LLVMBuildGEP2(B(K), ll_i(E_(K), 8), base, &bytes, 1, "");
}

/* ---- context slots ---- */

V k_context_slot(km *K, int32_t slot) {
    V bytes = LLVMBuildMul(B(K), K->threads, i64(K, (int64_t)slot * KERNEL_SLOT_BYTES), "");
    return address(K, K->context, bytes);
}

const k_region *k_masked(const km *K) {
    for (size_t i = K->n_outside; i-- > 0;)
        if (K->plan->at[K->outside[i].at].context >= 0) return &K->outside[i];
    return NULL;
}

static int32_t mask_slot(const km *K) {
    const k_region *r = k_masked(K);
    return r ? K->plan->at[r->at].context + KERNEL_RUN : -1;
}

/* ---- phases ---- */

typedef struct {
    V slot;
    LLVMBasicBlockRef head, after;
} counted;

/* for (i = 0; i < n; i += by): leaves the builder in the loop body; end_counted closes the loop. */
static V begin_counted(km *K, counted *c, V n, const char *name) {
    c->slot = ll_slot(E_(K), ll_i(E_(K), 64), name);
    c->head = k_block(K, name);
    c->after = k_block(K, "after");
    LLVMBasicBlockRef body = k_block(K, "body");
    LLVMBuildStore(B(K), i64(K, 0), c->slot);
    go_to(K, c->head);
    V i = LLVMBuildLoad2(B(K), ll_i(E_(K), 64), c->slot, "");
    LLVMBuildCondBr(B(K), LLVMBuildICmp(B(K), LLVMIntSLT, i, n, ""), body, c->after);
    LLVMPositionBuilderAtEnd(B(K), body);
    return i;
}

static void end_counted(km *K, counted *c, V i, int64_t by) {
    LLVMBuildStore(B(K), LLVMBuildAdd(B(K), i, i64(K, by), ""), c->slot);
    LLVMBuildBr(B(K), c->head);
    LLVMPositionBuilderAtEnd(B(K), c->after);
}

/* Active lanes of the group: lanes that exist and, in a masked region, whose mask is on. */
static V lanes_that_run(km *K) {
    V mask = NULL;
    int32_t slot = mask_slot(K);
    if (!K->shape.whole) {
        V left = LLVMBuildSub(B(K), launch_size(K, KV_BLOCK), K->x, "");
        mask = LLVMBuildICmp(B(K), LLVMIntULT, ll_ramp(E_(K), ll_i(E_(K), 64)),
                             ll_spread(E_(K), left), "");
    }
    return slot < 0 ? mask : k_and(K, k_load_mask(K, slot), mask);
}

typedef void (*group_body)(km *K, int32_t from, int32_t to);

/* Emits `body` in a loop over all groups of threads that have an active lane. */
static void for_groups(km *K, group_body body, int32_t from, int32_t to) {
    counted rows, groups;
    LLVMBasicBlockRef work = k_block(K, "group"), next = k_block(K, "next");
    V by = launch_size(K, KV_BLOCK + 1),
      row_count = LLVMBuildMul(B(K), by, launch_size(K, KV_BLOCK + 2), "");
    V row = begin_counted(K, &rows, row_count, "rows");
    K->z = LLVMBuildUDiv(B(K), row, by, "");
    K->y = LLVMBuildSub(B(K), row, LLVMBuildMul(B(K), K->z, by, ""), "");
    V before = LLVMBuildMul(B(K), row, K->pitch, "");
    K->x = begin_counted(K, &groups, launch_size(K, KV_BLOCK), "groups");
    K->thread = LLVMBuildAdd(B(K), before, K->x, "");
    V mask = lanes_that_run(K);
    K->base_mask = NULL;
    if (mask) {
        K->base_mask = ll_slot(E_(K), LLVMTypeOf(mask), "running");
        LLVMBuildStore(B(K), mask, K->base_mask);
    }
    LLVMBasicBlockRef head = k_block(K, "head");
    if (mask)
        LLVMBuildCondBr(B(K), k_any(K, mask), head, next);
    else
        LLVMBuildBr(B(K), head);
    LLVMPositionBuilderAtEnd(B(K), head);
    LLVMBuildBr(B(K), work);
    K->head = head;
    K->phase_run++;
    K->n_regions = 0;
    LLVMPositionBuilderAtEnd(B(K), work);
    body(K, from, to);
    K->head = NULL;
    go_to(K, next);
    end_counted(K, &groups, K->x, K->shape.lanes);
    end_counted(K, &rows, row, 1);
    K->base_mask = NULL;
}

static bool only_values(const km *K, int32_t from, int32_t to) {
    for (int32_t i = from; i < to; i++) {
        uint8_t code = K->M.f->code[i].code;
        bool quiet = kir_has(code, KI_FIXED) || code == KIR_THREAD ||
                     (kir_has(code, KI_COMPUTES) && K->plan->at[i].context < 0);
        if (!quiet) return false;
    }
    return true;
}

static void phase_code(km *K, int32_t from, int32_t to) {
    k_code(K, from, to);
    if (!K->M.E.rc) k_keep_variables(K, from, to);
}

static void phase(km *K, int32_t from, int32_t to) {
    if (only_values(K, from, to)) return;
    K->phase = K->plan->at[from].phase;
    for_groups(K, phase_code, from, to);
}

/* ---- block-level instructions ---- */

/* Bodies of for_groups: store the operands of instruction `at` to its context slots. */
static void put_vote(km *K, int32_t at, int32_t unused) {
    (void)unused;
    k_store_context(K, K->plan->at[at].context, k_use(K, K->M.f->code[at].a));
}

static void put_operands(km *K, int32_t at, int32_t unused) {
    (void)unused;
    const kir_ins *ins = &K->M.f->code[at];
    int32_t slot = K->plan->at[at].context;
    if (ins->a >= 0) k_store_context(K, slot + KERNEL_A, k_use(K, ins->a));
    if (ins->b >= 0) k_store_context(K, slot + KERNEL_B, k_use(K, ins->b));
    if (ins->c >= 0) k_store_context(K, slot + KERNEL_C, k_use(K, ins->c));
}

static void barrier(km *K, int32_t at) {
    ll *E = E_(K);
    const kir_ins *ins = &K->M.f->code[at];
    if (ins->a < 0 || ins->sub == KIR_BA_WARP) return;
    K->phase = -1;
    for_groups(K, put_vote, at, at);
    V args[5] = {K->M.view, K->context, i64(K, K->plan->at[at].context), i64(K, mask_slot(K)),
                 i64(K, ins->sub)};
    V v = ll_call(E, "gpa_kernel_vote", (void *)(uintptr_t)kernel_vote, ll_i(E, 64), args, 5);
    K->given[at] = (ll_val){LLVMBuildTrunc(B(K), v, ll_i(E, 32), ""), NULL, DT_I32, false};
}

static void exchange(km *K, int32_t at) {
    ll *E = E_(K);
    const kir_ins *ins = &K->M.f->code[at];
    int64_t t = ins->a >= 0 ? K->M.f->code[ins->a].type : DT_I32,
            used = (ins->a >= 0) | (ins->b >= 0) << 1 | (ins->c >= 0) << 2;
    K->phase = -1;
    for_groups(K, put_operands, at, at);
    V args[6] = {K->M.view,
                 i64(K, ins->sub | t << 16),
                 K->context,
                 i64(K, K->plan->at[at].context),
                 i64(K, mask_slot(K)),
                 i64(K, used)};
    ll_call(E, "gpa_kernel_warp", (void *)(uintptr_t)kernel_warp, LLVMVoidTypeInContext(E->ctx),
            args, 6);
}

/* A variable with one value for the whole block: one scalar slot. */
static void block_variable(km *K, int32_t at) {
    const kir_ins *ins = &K->M.f->code[at];
    int32_t var = ins->code == KIR_VAR ? at : ins->a;
    gpa_dtype t = (gpa_dtype)K->M.f->code[var].type;
    LLVMTypeRef type = ll_elem(E_(K), t);
    bool cx = dtype_is_complex(t);
    if (ins->code == KIR_VAR)
        K->vals[at] = (ll_val){ll_slot(E_(K), type, "var"), cx ? ll_slot(E_(K), type, "var") : NULL,
                               (uint8_t)t, false};
    ll_val slot = K->vals[var],
           v = {LLVMConstNull(type), cx ? LLVMConstNull(type) : NULL, (uint8_t)t, false};
    if (ins->code == KIR_GET) {
        K->given[at] =
            (ll_val){LLVMBuildLoad2(B(K), type, slot.v, ""),
                     cx ? LLVMBuildLoad2(B(K), type, slot.im, "") : NULL, (uint8_t)t, false};
        return;
    }
    int32_t from = ins->code == KIR_VAR ? ins->a : ins->b;
    if (from >= 0) v = k_use(K, from);
    LLVMBuildStore(B(K), v.v, slot.v);
    if (cx) LLVMBuildStore(B(K), v.im, slot.im);
}

/* ---- regions ---- */

static void block_code(km *K, int32_t from, int32_t to);

static k_region *open_outside(km *K, int32_t at, LLVMBasicBlockRef leave, LLVMBasicBlockRef next) {
    if (!mem_grow(&K->outside, K->n_outside, &K->cap_outside, sizeof *K->outside)) {
        K->M.E.rc = gpa_no_memory(K->M.E.err);
        return NULL;
    }
    K->outside[K->n_outside] = (k_region){.at = at, .leave = leave, .next = next};
    return &K->outside[K->n_outside++];
}

static int32_t else_of(km *K, int32_t at) {
    for (int32_t i = at + 1; i < K->plan->at[at].close; i++)
        if (K->M.f->code[i].code == KIR_ELSE && K->plan->at[i].outer == at) return i;
    return -1;
}

/* True if any thread's mask in this context slot is on. */
static V any_thread(km *K, int32_t slot) {
    ll *E = E_(K);
    V args[5] = {K->M.view, K->context, i64(K, slot), i64(K, -1), i64(K, KIR_BA_OR)};
    V v = ll_call(E, "gpa_kernel_vote", (void *)(uintptr_t)kernel_vote, ll_i(E, 64), args, 5);
    return LLVMBuildICmp(B(K), LLVMIntNE, v, i64(K, 0), "");
}

/* Bodies of for_groups that prepare masks. for_groups skips groups without active lanes, whose
 * masks keep their value: clear_masks clears the slots first. */
static void put_arm(km *K, int32_t at, int32_t otherwise) {
    ll_val c = k_lanes(K, k_use(K, K->M.f->code[at].a));
    V cond = otherwise ? LLVMBuildNot(B(K), c.v, "") : c.v;
    k_put_mask(K, K->plan->at[at].context + KERNEL_RUN, k_and(K, cond, k_mask(K)));
}

static void put_all(km *K, int32_t at, int32_t unused) {
    (void)unused;
    V mask = k_mask(K);
    k_put_mask(K, K->plan->at[at].context + KERNEL_RUN, mask);
    k_put_mask(K, K->plan->at[at].context + KERNEL_LIVE, mask);
}

static void put_first(km *K, int32_t at, int32_t unused) {
    put_all(K, at, unused);
    k_store_context(K, K->plan->at[at].context + KERNEL_COUNT, k_use(K, K->M.f->code[at].a));
}

static void copy_live(km *K, int32_t at, int32_t unused) {
    (void)unused;
    int32_t slot = K->plan->at[at].context;
    k_put_mask(K, slot + KERNEL_RUN, k_load_mask(K, slot + KERNEL_LIVE));
}

/* Keeps the lanes live whose counters have not reached their end. */
static void test_counter(km *K, int32_t at, int32_t unused) {
    (void)unused;
    const kir_ins *ins = &K->M.f->code[at];
    int32_t slot = K->plan->at[at].context;
    gpa_dtype t = (gpa_dtype)ins->type;
    V now = k_load_context(K, slot + KERNEL_COUNT, t, false).v,
      stop = k_lanes(K, k_use(K, ins->b)).v, by = k_lanes(K, k_use(K, ins->c)).v;
    bool is_signed = dtype_info[t].kind != 'U';
    V more = LLVMBuildICmp(B(K), is_signed ? LLVMIntSLT : LLVMIntULT, now, stop, "");
    if (is_signed) {
        V down = LLVMBuildICmp(B(K), LLVMIntSLT, by, LLVMConstNull(LLVMTypeOf(by)), "");
        more =
            LLVMBuildSelect(B(K), down, LLVMBuildICmp(B(K), LLVMIntSGT, now, stop, ""), more, "");
    }
    V live = k_and(K, more, k_load_mask(K, slot + KERNEL_LIVE));
    k_put_mask(K, slot + KERNEL_LIVE, live);
    k_put_mask(K, slot + KERNEL_RUN, live);
}

static void step_counter(km *K, int32_t at, int32_t unused) {
    (void)unused;
    const kir_ins *ins = &K->M.f->code[at];
    int32_t slot = K->plan->at[at].context + KERNEL_COUNT;
    ll_val now = k_load_context(K, slot, (gpa_dtype)ins->type, false);
    now.v = LLVMBuildAdd(B(K), now.v, k_lanes(K, k_use(K, ins->c)).v, "");
    k_store_context(K, slot, now);
}

static void clear_masks(km *K, int32_t at) {
    ll *E = E_(K);
    V first = k_context_slot(K, K->plan->at[at].context),
      n = LLVMBuildMul(B(K), K->threads, i64(K, 2 * KERNEL_SLOT_BYTES), "");
    LLVMBuildMemSet(B(K), first, LLVMConstNull(ll_i(E, 8)), n, 8);
}

static void masked_if(km *K, int32_t at) {
    int32_t divide = else_of(K, at), close = K->plan->at[at].close;
    for (int part = 0; part < (divide < 0 ? 1 : 2) && !K->M.E.rc; part++) {
        LLVMBasicBlockRef some = k_block(K, "some"), after = k_block(K, "after");
        clear_masks(K, at);
        K->phase = -1;
        for_groups(K, put_arm, at, part);
        LLVMBuildCondBr(B(K), any_thread(K, K->plan->at[at].context + KERNEL_RUN), some, after);
        LLVMPositionBuilderAtEnd(B(K), some);
        if (!open_outside(K, at, after, NULL)) return;
        block_code(K, part ? divide + 1 : at + 1, part || divide < 0 ? close : divide);
        K->n_outside--;
        go_to(K, after);
    }
}

static void uniform_if(km *K, int32_t at) {
    int32_t divide = else_of(K, at), close = K->plan->at[at].close;
    LLVMBasicBlockRef yes = k_block(K, "then"), no = k_block(K, "else"),
                      after = k_block(K, "after");
    LLVMBuildCondBr(B(K), k_use(K, K->M.f->code[at].a).v, yes, no);
    if (!open_outside(K, at, after, NULL)) return;
    LLVMPositionBuilderAtEnd(B(K), yes);
    block_code(K, at + 1, divide < 0 ? close : divide);
    LLVMBuildBr(B(K), after);
    LLVMPositionBuilderAtEnd(B(K), no);
    if (divide >= 0) block_code(K, divide + 1, close);
    go_to(K, after);
    K->n_outside--;
}

/* LOOP and FOR with divergent exits: threads leave one by one. */
static void masked_loop(km *K, int32_t at) {
    bool counts = K->M.f->code[at].code == KIR_FOR;
    int32_t slot = K->plan->at[at].context;
    LLVMBasicBlockRef head = k_block(K, "loop"), body = k_block(K, "body"),
                      after = k_block(K, "after");
    clear_masks(K, at);
    K->phase = -1;
    for_groups(K, counts ? put_first : put_all, at, at);
    go_to(K, head);
    k_poll_stop(K);
    for_groups(K, counts ? test_counter : copy_live, at, at);
    LLVMBuildCondBr(B(K), any_thread(K, slot + KERNEL_RUN), body, after);
    LLVMPositionBuilderAtEnd(B(K), body);
    if (!open_outside(K, at, after, NULL)) return;
    block_code(K, at + 1, K->plan->at[at].close);
    K->n_outside--;
    K->phase = -1;
    if (counts) for_groups(K, step_counter, at, at);
    LLVMBuildBr(B(K), head);
    LLVMPositionBuilderAtEnd(B(K), after);
}

static void masked_block(km *K, int32_t at) {
    clear_masks(K, at);
    K->phase = -1;
    for_groups(K, put_all, at, at);
    if (!open_outside(K, at, NULL, NULL)) return;
    block_code(K, at + 1, K->plan->at[at].close);
    K->n_outside--;
}

static void uniform_loop(km *K, int32_t at) {
    LLVMBasicBlockRef head = k_block(K, "loop"), after = k_block(K, "after");
    go_to(K, head);
    k_poll_stop(K);
    if (!open_outside(K, at, after, head)) return;
    block_code(K, at + 1, K->plan->at[at].close);
    K->n_outside--;
    LLVMBuildBr(B(K), head);
    LLVMPositionBuilderAtEnd(B(K), after);
}

static void uniform_for(km *K, int32_t at) {
    const kir_ins *ins = &K->M.f->code[at];
    gpa_dtype t = (gpa_dtype)ins->type;
    bool is_signed = dtype_info[t].kind != 'U';
    LLVMBasicBlockRef head = k_block(K, "for"), body = k_block(K, "body"),
                      next = k_block(K, "next"), after = k_block(K, "after");
    V from = k_use(K, ins->a).v, stop = k_use(K, ins->b).v, by = k_use(K, ins->c).v,
      zero = LLVMConstNull(LLVMTypeOf(by));
    V count = ll_slot(E_(K), LLVMTypeOf(from), "count"),
      down =
          is_signed ? LLVMBuildICmp(B(K), LLVMIntSLT, by, zero, "") : LLVMConstNull(ll_i(E_(K), 1));
    LLVMBuildStore(B(K), from, count);
    go_to(K, head);
    k_poll_stop(K);
    V now = LLVMBuildLoad2(B(K), LLVMTypeOf(from), count, "");
    V below = LLVMBuildICmp(B(K), is_signed ? LLVMIntSLT : LLVMIntULT, now, stop, ""),
      above = LLVMBuildICmp(B(K), is_signed ? LLVMIntSGT : LLVMIntUGT, now, stop, "");
    LLVMBuildCondBr(B(K), LLVMBuildSelect(B(K), down, above, below, ""), body, after);
    LLVMPositionBuilderAtEnd(B(K), body);
    K->given[at] = (ll_val){now, NULL, (uint8_t)t, false};
    if (!open_outside(K, at, after, next)) return;
    block_code(K, at + 1, K->plan->at[at].close);
    K->n_outside--;
    go_to(K, next);
    V then = LLVMBuildAdd(B(K), now, by, "");
    V over = LLVMBuildXor(
        B(K), LLVMBuildICmp(B(K), is_signed ? LLVMIntSLT : LLVMIntULT, then, now, ""), down, "");
    LLVMBuildStore(B(K), then, count);
    LLVMBuildCondBr(B(K), over, after, head);
    LLVMPositionBuilderAtEnd(B(K), after);
}

static void uniform_block(km *K, int32_t at) {
    LLVMBasicBlockRef after = k_block(K, "after");
    if (!open_outside(K, at, after, NULL)) return;
    block_code(K, at + 1, K->plan->at[at].close);
    K->n_outside--;
    go_to(K, after);
}

static void region(km *K, int32_t at) {
    uint8_t code = K->M.f->code[at].code;
    bool masked = K->plan->at[at].context >= 0;
    if (code == KIR_IF)
        (masked ? masked_if : uniform_if)(K, at);
    else if (code == KIR_BLOCK)
        (masked ? masked_block : uniform_block)(K, at);
    else if (masked)
        masked_loop(K, at);
    else
        (code == KIR_FOR ? uniform_for : uniform_loop)(K, at);
}

static void block_jump(km *K, int32_t at) {
    int32_t to = kernel_target(K->M.f, K->plan, at);
    for (size_t i = K->n_outside; i-- > 0;) {
        if (K->outside[i].at != to) continue;
        LLVMBuildBr(B(K),
                    K->M.f->code[at].code == KIR_BREAK ? K->outside[i].leave : K->outside[i].next);
        LLVMPositionBuilderAtEnd(B(K), k_block(K, "unreached"));
        return;
    }
}

/* ---- the block ---- */

static void sync_point(km *K, int32_t at) {
    uint8_t code = K->M.f->code[at].code;
    if (code == KIR_BARRIER)
        barrier(K, at);
    else if (code == KIR_WARP)
        exchange(K, at);
    else if (code == KIR_VAR || code == KIR_GET || code == KIR_SET)
        block_variable(K, at);
    else if (code == KIR_BREAK || code == KIR_NEXT)
        block_jump(K, at);
    else
        region(K, at);
}

static void block_code(km *K, int32_t from, int32_t to) {
    for (int32_t i = from; i < to && !K->M.E.rc;) {
        bool opens = kir_has(K->M.f->code[i].code, KI_REGION);
        if (K->plan->at[i].syncs) {
            sync_point(K, i);
            i = opens ? K->plan->at[i].close + 1 : i + 1;
            continue;
        }
        int32_t end = i;
        while (end < to && !K->plan->at[end].syncs)
            end = kir_has(K->M.f->code[end].code, KI_REGION) ? K->plan->at[end].close + 1 : end + 1;
        phase(K, i, end);
        i = end;
    }
}

/* ---- the function ---- */

static void place_arrays(km *K, V memory) {
    const kir_func *f = K->M.f;
    size_t at = 0, local = 0;
    V dynamic = address(K, memory, i64(K, (int64_t)K->plan->shared));
    K->context = address(K, dynamic, launch_size(K, KV_DYNAMIC));
    V locals = address(
        K, K->context,
        LLVMBuildMul(B(K), K->threads, i64(K, (int64_t)K->plan->contexts * KERNEL_SLOT_BYTES), ""));
    for (size_t k = 0; k < f->n_arrays; k++) {
        const kir_array *a = &f->arrays[k];
        size_t bytes = (a->count * dtype_size((gpa_dtype)a->dtype) + 63) / 64 * 64;
        if (a->where == KIR_SHARED && !a->count) K->shared[k] = dynamic;
        if (a->where == KIR_SHARED && a->count)
            K->shared[k] = address(K, memory, i64(K, (int64_t)at)), at += bytes;
        if (a->where == KIR_LOCAL)
            K->shared[k] =
                address(K, locals, LLVMBuildMul(B(K), K->threads, i64(K, (int64_t)local), "")),
            local += bytes;
    }
}

/* Runs blocks lo .. hi, excluding hi, one after another. */
static void all_blocks(km *K) {
    em *M = &K->M;
    LLVMBasicBlockRef head = k_block(K, "blocks"), body = k_block(K, "block");
    V slot = ll_slot(&M->E, ll_i(&M->E, 64), "number");
    K->pitch = launch_size(K, KV_PITCH);
    K->threads = LLVMBuildMul(
        B(K), K->pitch,
        LLVMBuildMul(B(K), launch_size(K, KV_BLOCK + 1), launch_size(K, KV_BLOCK + 2), ""), "");
    place_arrays(K, M->part);
    LLVMBuildStore(B(K), M->lo, slot);
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(B(K));
    LLVMBuildBr(B(K), head);
    M->pre[LEVEL_ENTRY] = entry;
    M->cur = LEVEL_INNER;
    LLVMPositionBuilderAtEnd(B(K), head);
    K->number = LLVMBuildLoad2(B(K), ll_i(&M->E, 64), slot, "");
    LLVMBuildCondBr(B(K), LLVMBuildICmp(B(K), LLVMIntSLT, K->number, M->hi, ""), body, M->leave);
    LLVMPositionBuilderAtEnd(B(K), body);
    k_poll_stop(K);
    V gx = launch_size(K, KV_GRID), gy = launch_size(K, KV_GRID + 1),
      row = LLVMBuildUDiv(B(K), K->number, gx, "");
    K->block[0] = LLVMBuildURem(B(K), K->number, gx, "");
    K->block[1] = LLVMBuildURem(B(K), row, gy, "");
    K->block[2] = LLVMBuildUDiv(B(K), row, gy, "");
    block_code(K, 0, (int32_t)M->f->n_code);
    LLVMBuildStore(B(K), LLVMBuildAdd(B(K), K->number, i64(K, 1), ""), slot);
    LLVMBuildBr(B(K), head);
}

static void free_kernel(km *K) {
    if (K->M.E.b) LLVMDisposeBuilder(K->M.E.b);
    if (K->M.E.slots) LLVMDisposeBuilder(K->M.E.slots);
    mem_free(K->vals);
    mem_free(K->affine);
    mem_free(K->made);
    mem_free(K->given);
    mem_free(K->regions);
    mem_free(K->outside);
    mem_free(K);
}

static gpa_code new_kernel(const kir_func *f, const kernel_plan *plan, kernel_shape shape, km **out,
                           gpa_err *e) {
    km *K = mem_zero(sizeof *K);
    if (!K) return gpa_no_memory(e);
    size_t n = f->n_code + 1;
    K->plan = plan;
    K->shape = shape;
    K->M.f = f;
    K->vals = mem_zero(n * sizeof *K->vals);
    K->affine = mem_zero(n * sizeof *K->affine);
    K->made = mem_zero(n * sizeof *K->made);
    K->given = mem_zero(n * sizeof *K->given);
    if (!K->vals || !K->affine || !K->made || !K->given) {
        free_kernel(K);
        return gpa_no_memory(e);
    }
    *out = K;
    return GPA_OK;
}

gpa_code emit_kernel(cpu_target *t, const kir_func *f, const kernel_plan *plan, kernel_shape shape,
                     LLVMModuleRef *out, gpa_err *e) {
    static const emit_plan no_plan = {.dim = -1};
    km *K = NULL;
    gpa_code rc = new_kernel(f, plan, shape, &K, e);
    if (rc) return rc;
    em *M = &K->M;
    M->plan = &no_plan;
    M->E = (ll){.target = t, .host = &t->info, .lanes = shape.lanes, .contract = true, .err = e};
    M->E.mod = cpu_module_new(t, f->name[0] ? f->name : "kernel");
    M->E.ctx = LLVMGetModuleContext(M->E.mod);
    M->E.b = LLVMCreateBuilderInContext(M->E.ctx);
    M->E.slots = LLVMCreateBuilderInContext(M->E.ctx);
    em_open_function(M);
    all_blocks(K);
    em_close_function(M);
    rc = M->E.rc;
    LLVMModuleRef mod = M->E.mod;
    free_kernel(K);
    if (rc)
        cpu_module_free(mod);
    else
        *out = mod;
    return rc;
}
