/* Branches, loops, variables and atomics of compiled functions: one point at a time, with scalar
 * branches (under masks: emit_masks.c).
 *
 * After BREAK, NEXT or FAULT has terminated a basic block, the builder continues in a new,
 * unreachable one, so that the caller can keep emitting. */
#include "runtime/cpu/emit/emitter.h"

#include "runtime/base/base.h"

static void go_on(em *M, LLVMBasicBlockRef to) {
    LLVMBuildBr(M->E.b, to);
    LLVMPositionBuilderAtEnd(M->E.b, to);
}

/* Polls for interrupts: leaves the function if Ctrl-C has set the stop flag. */
void em_poll(em *M) {
    ll *E = &M->E;
    V flag = LLVMBuildIntToPtr(E->b, em_slot(M, VIEW_STOP), ll_ptr(E), "");
    V now = LLVMBuildLoad2(E->b, ll_i(E, 32), flag, "");
    LLVMSetVolatile(now, 1);
    LLVMBasicBlockRef on = em_block(M, "on");
    V stop = LLVMBuildICmp(E->b, LLVMIntNE, now, LLVMConstNull(LLVMTypeOf(now)), "");
    LLVMBuildCondBr(E->b, stop, M->leave, on);
    LLVMPositionBuilderAtEnd(E->b, on);
}

em_region_of *em_open_region(em *M, int32_t at) {
    if (!mem_grow(&M->regions, M->n_regions, &M->cap_regions, sizeof *M->regions)) {
        M->E.rc = gpa_no_memory(M->E.err);
        return NULL;
    }
    M->regions[M->n_regions] = (em_region_of){.at = at};
    return &M->regions[M->n_regions++];
}

static void if_region(em *M, int32_t at) {
    em_region_of *r = em_open_region(M, at);
    LLVMBasicBlockRef yes = em_block(M, "then"), no = em_block(M, "else"),
                      after = em_block(M, "after");
    if (!r) return;
    r->leave = after, r->otherwise = no;
    LLVMBuildCondBr(M->E.b, M->vals[M->f->code[at].a].v, yes, no);
    LLVMPositionBuilderAtEnd(M->E.b, yes);
    size_t mine = M->n_regions - 1;
    em_code(M, at + 1, M->partner[at]);
    bool had_else = !M->regions[mine].otherwise;
    go_on(M, after);
    if (!had_else) {
        LLVMPositionBuilderAtEnd(M->E.b, no);
        go_on(M, after);
    }
    M->n_regions = mine;
}

static void loop_region(em *M, int32_t at) {
    em_region_of *r = em_open_region(M, at);
    LLVMBasicBlockRef again = em_block(M, "loop"), after = em_block(M, "after");
    if (!r) return;
    r->leave = after, r->next = again;
    go_on(M, again);
    em_poll(M);
    em_code(M, at + 1, M->partner[at]);
    LLVMBuildBr(M->E.b, again);
    LLVMPositionBuilderAtEnd(M->E.b, after);
    M->n_regions--;
}

void em_set_next(em *M, LLVMBasicBlockRef next) { M->regions[M->n_regions - 1].next = next; }

/* for (i = a; i < b; i += c), or i > b if c is negative. The loop ends before the counter wraps
 * around. */
static void for_region(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    LLVMBuilderRef b = M->E.b;
    em_region_of *r = em_open_region(M, at);
    V stop = M->vals[ins->b].v, by = M->vals[ins->c].v, from = M->vals[ins->a].v;
    if (!r) return;
    if (em_in_stretches(M, at)) {
        LLVMBasicBlockRef behind = em_block(M, "after");
        r->leave = behind;
        em_stretches(M, at, behind);
        M->n_regions--;
        return;
    }
    LLVMBasicBlockRef head = em_block(M, "for"), body = em_block(M, "body"),
                      next = em_block(M, "next"), after = em_block(M, "after");
    r->leave = after, r->next = next;
    bool is_signed = dtype_info[ins->type].kind != 'U';
    V count = ll_slot(&M->E, LLVMTypeOf(from), "count");
    V down = is_signed ? LLVMBuildICmp(b, LLVMIntSLT, by, LLVMConstNull(LLVMTypeOf(by)), "")
                       : LLVMConstNull(ll_i(&M->E, 1));
    LLVMBuildStore(b, from, count);
    go_on(M, head);
    em_poll(M);
    V now = LLVMBuildLoad2(b, LLVMTypeOf(from), count, "");
    V below = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, now, stop, "");
    V above = LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntUGT, now, stop, "");
    LLVMBuildCondBr(b, LLVMBuildSelect(b, down, above, below, ""), body, after);
    LLVMPositionBuilderAtEnd(b, body);
    M->vals[at] = (ll_val){now, NULL, ins->type, false};
    em_code(M, at + 1, M->partner[at]);
    go_on(M, next);
    V then = LLVMBuildAdd(b, now, by, "");
    V wrapped = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, then, now, "");
    wrapped = LLVMBuildXor(b, wrapped, down, "");
    LLVMBuildStore(b, then, count);
    LLVMBuildCondBr(b, LLVMBuildAnd(b, wrapped, LLVMBuildICmp(b, LLVMIntNE, then, now, ""), ""),
                    after, head);
    LLVMPositionBuilderAtEnd(b, after);
    M->n_regions--;
}

static void block_region(em *M, int32_t at) {
    em_region_of *r = em_open_region(M, at);
    LLVMBasicBlockRef after = em_block(M, "after");
    if (!r) return;
    r->leave = after;
    em_code(M, at + 1, M->partner[at]);
    go_on(M, after);
    M->n_regions--;
}

void em_region(em *M, int32_t at) {
    kir_code code = (kir_code)M->f->code[at].code;
    M->level[at] = (uint8_t)M->cur;
    if (M->masks && M->lanes_live) {
        em_masked_region(M, at);
        return;
    }
    if (code == KIR_IF) if_region(M, at);
    if (code == KIR_LOOP) loop_region(M, at);
    if (code == KIR_FOR) for_region(M, at);
    if (code == KIR_BLOCK) block_region(M, at);
}

em_region_of *em_target(em *M, const kir_ins *ins) {
    bool next = ins->code == KIR_NEXT;
    uint32_t n = ins->imm;
    for (size_t i = M->n_regions; i-- > 0;) {
        kir_code code = (kir_code)M->f->code[M->regions[i].at].code;
        if (code == KIR_IF || (next && code == KIR_BLOCK)) continue;
        if (!n--) return &M->regions[i];
    }
    return NULL;
}

static void jump(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    const em_region_of *r = em_target(M, ins);
    if (!r) {
        em_unsupported(M, "a jump out of no region");
        return;
    }
    if (r->run) {
        em_masked_jump(M, at);
        return;
    }
    LLVMBuildBr(M->E.b, ins->code == KIR_NEXT ? r->next : r->leave);
    LLVMPositionBuilderAtEnd(M->E.b, em_block(M, "unreached"));
}

static void otherwise(em *M) {
    em_region_of *r = &M->regions[M->n_regions - 1];
    LLVMBuildBr(M->E.b, r->leave);
    LLVMPositionBuilderAtEnd(M->E.b, r->otherwise);
    r->otherwise = NULL;
}

/* ---- variables: one slot, two if complex; vectors inside the vectorized dimension ---- */

static ll_val held(em *M, ll_val slot) {
    ll_val r = {.t = slot.t, .vec = slot.vec};
    LLVMTypeRef type = ll_type(&M->E, slot.t, slot.vec);
    r.v = LLVMBuildLoad2(M->E.b, type, slot.v, "");
    if (slot.im) r.im = LLVMBuildLoad2(M->E.b, type, slot.im, "");
    return r;
}

static void set(em *M, ll_val slot, ll_val v) {
    V run = M->masks && slot.vec ? em_run(M) : NULL;
    if (slot.vec) v = ll_vector(&M->E, v);
    if (run) v = ll_choose(&M->E, run, v, held(M, slot));
    LLVMBuildStore(M->E.b, v.v, slot.v);
    if (slot.im) LLVMBuildStore(M->E.b, v.im, slot.im);
}

static ll_val variable(em *M, const kir_ins *ins) {
    bool vec = M->E.lanes > 1 && M->lanes_live, complex = dtype_is_complex(ins->type);
    LLVMTypeRef type = ll_type(&M->E, ins->type, vec);
    ll_val slot = {ll_slot(&M->E, type, "var"), NULL, ins->type, vec};
    if (complex) slot.im = ll_slot(&M->E, type, "var");
    V zero = LLVMConstNull(type);
    set(M, slot,
        ins->a >= 0 ? M->vals[ins->a] : (ll_val){zero, complex ? zero : NULL, ins->type, vec});
    return slot;
}

/* ---- atomics ---- */

static ll_val read_modify_write(em *M, const kir_ins *ins) {
    gpa_dtype t = M->f->arrays[ins->sub].dtype;
    bool is_float = dtype_info[t].kind == 'F', is_signed = dtype_info[t].kind == 'I';
    LLVMAtomicRMWBinOp op = LLVMAtomicRMWBinOpXchg;
    V at = em_element(M, ins->sub, M->vals[ins->a].v), old;
    ll_val v = M->vals[ins->b];
    if (dtype_is_complex(t) || t == DT_F16 || t == DT_BF16 || t == DT_BOOL)
        em_unsupported(M, "an atomic of this type");
    if (is_float && (ins->imm == KIR_AT_MIN || ins->imm == KIR_AT_MAX))
        em_unsupported(M, "an atomic comparison of floats");
    switch ((kir_atomic)ins->imm) {
        case KIR_AT_ADD: op = is_float ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd; break;
        case KIR_AT_SUB: op = is_float ? LLVMAtomicRMWBinOpFSub : LLVMAtomicRMWBinOpSub; break;
        case KIR_AT_MIN:
        case KIR_AT_NANMIN:
            op = is_float    ? LLVMAtomicRMWBinOpFMin
                 : is_signed ? LLVMAtomicRMWBinOpMin
                             : LLVMAtomicRMWBinOpUMin;
            break;
        case KIR_AT_MAX:
        case KIR_AT_NANMAX:
            op = is_float    ? LLVMAtomicRMWBinOpFMax
                 : is_signed ? LLVMAtomicRMWBinOpMax
                             : LLVMAtomicRMWBinOpUMax;
            break;
        case KIR_AT_AND: op = LLVMAtomicRMWBinOpAnd; break;
        case KIR_AT_OR: op = LLVMAtomicRMWBinOpOr; break;
        case KIR_AT_XOR: op = LLVMAtomicRMWBinOpXor; break;
        case KIR_AT_EXCH: break;
        case KIR_AT_INC:
        case KIR_AT_DEC: em_unsupported(M, "a wrapping atomic"); break;
        case KIR_AT_CAS:
            old =
                LLVMBuildAtomicCmpXchg(M->E.b, at, v.v, M->vals[ins->c].v,
                                       LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic, 0);
            return (ll_val){LLVMBuildExtractValue(M->E.b, old, 0, ""), NULL, (uint8_t)t, false};
        case KIR_AT_ROWS: break;
    }
    if (M->E.rc) return v;
    return (ll_val){LLVMBuildAtomicRMW(M->E.b, op, at, v.v, LLVMAtomicOrderingMonotonic, 0), NULL,
                    (uint8_t)t, false};
}

ll_val em_control(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    ll_val zero = {ll_i64(&M->E, 0), NULL, DT_I64, false};
    if (ins->code == KIR_VAR) return variable(M, ins);
    if (ins->code == KIR_GET) return held(M, M->vals[ins->a]);
    if (ins->code == KIR_ATOMIC) return read_modify_write(M, ins);
    if (ins->code == KIR_SET) set(M, M->vals[ins->a], M->vals[ins->b]);
    if (ins->code == KIR_BREAK || ins->code == KIR_NEXT) jump(M, at);
    if (ins->code == KIR_ELSE) otherwise(M);
    if (ins->code == KIR_FAULT) {
        ll_val a = ins->a >= 0 ? M->vals[ins->a] : zero, b = ins->b >= 0 ? M->vals[ins->b] : zero;
        em_fault(M, ins->sub, ins, a.v, b.v);
        LLVMPositionBuilderAtEnd(M->E.b, em_block(M, "unreached"));
    }
    return (ll_val){0};
}
