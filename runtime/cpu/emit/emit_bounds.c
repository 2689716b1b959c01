/* Bounds checks of indices, and faults: what is reported before the function is left. */
#include "runtime/cpu/emit/emitter.h"
#include "runtime/cpu/emit/fault.h"

static void record_fault(cpu_fault_cell *cell, int64_t lo, int64_t from, cpu_fault_site at,
                         int64_t a, int64_t b) {
    kir_fault_record r = {.kind = at.kind, .line = at.line, .axis = at.axis, .a = a, .b = b};
    cpu_fault_keep(cell, lo, from, &r);
}

void em_fault(em *M, uint32_t kind, const kir_ins *ins, V a, V b) {
    ll *E = &M->E;
    V cell = LLVMBuildIntToPtr(E->b, em_slot(M, VIEW_FAULT), ll_ptr(E), "");
    uint32_t axis = ins->code == KIR_FAULT ? ins->imm : ins->sub; /* or the text */
    V kind_axis = ll_i64(E, (int64_t)((uint64_t)axis << 32 | kind));
    V args[7] = {cell, M->lo, M->from, kind_axis, LLVMConstInt(ll_i(&M->E, 32), ins->line, 0),
                 a,    b};
    ll_call(E, "gpa_fault", (void *)(uintptr_t)record_fault, LLVMVoidTypeInContext(E->ctx), args,
            7);
    LLVMBuildBr(E->b, M->leave);
}

static V lane_of(em *M, ll_val v, V lane) {
    return v.vec && M->E.lanes > 1 ? LLVMBuildExtractElement(M->E.b, v.v, lane, "") : v.v;
}

/* Bounds check of one index: a single comparison for an index in bounds. Only if it fails,
 * negative indices are handled. */
static ll_val bound_one(em *M, const kir_ins *ins, V i, V n) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b), em_block(M, "outside")},
                      faulty = em_block(M, "fault"), fine = em_block(M, "inside");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, i, n, ""), fine, from[1]);
    LLVMPositionBuilderAtEnd(b, from[1]);
    V at[2] = {i, LLVMBuildAdd(b, i, n, "")};
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, at[1], n, ""), fine, faulty);
    LLVMPositionBuilderAtEnd(b, faulty);
    em_fault(M, KIR_FT_INDEX, ins, i, n);
    LLVMPositionBuilderAtEnd(b, fine);
    V r = LLVMBuildPhi(b, LLVMTypeOf(i), "");
    LLVMAddIncoming(r, at, from, 2);
    return (ll_val){r, NULL, DT_I64, false};
}

/* Leaves the function with a fault where `any` is true, reporting the index of that lane. */
static void leave_where(em *M, const kir_ins *ins, V any, V lane) {
    ll_val i = M->vals[ins->a], n = M->vals[ins->b];
    LLVMBasicBlockRef faulty = em_block(M, "fault"), fine = em_block(M, "inside");
    LLVMBuildCondBr(M->E.b, any, faulty, fine);
    LLVMPositionBuilderAtEnd(M->E.b, faulty);
    em_fault(M, KIR_FT_INDEX, ins, lane_of(M, i, lane), lane_of(M, n, lane));
    LLVMPositionBuilderAtEnd(M->E.b, fine);
}

void em_leave_outside(em *M, const kir_ins *ins, V bad) { leave_where(M, ins, bad, NULL); }

ll_val em_bound(em *M, const kir_ins *ins) {
    ll *E = &M->E;
    ll_val i = M->vals[ins->a], n = M->vals[ins->b];
    if (i.vec || n.vec) i = ll_vector(E, i), n = ll_vector(E, n);
    size_t at = (size_t)(ins - M->f->code);
    uint8_t proven = M->proven[at];
    M->outside[at] = NULL;
    if (proven == PROVEN || ins->imm == KIR_IN_BOUNDS) return i;
    ll_val r = {i.v, NULL, DT_I64, i.vec};
    bool wraps = kir_bits(M->f, ins->a) < 0, ahead = M->level[at] != M->cur,
         unchecked = proven || M->f->flags & KIR_F_UNCHECKED;
    if (wraps && !i.vec && !ahead && !unchecked) return bound_one(M, ins, i.v, n.v);
    LLVMBasicBlockRef here = em_at(M, M->level[at]);
    if (wraps) {
        V below = LLVMBuildICmp(E->b, LLVMIntSLT, i.v, LLVMConstNull(LLVMTypeOf(i.v)), "");
        r.v = ll_select(E, below, LLVMBuildAdd(E->b, i.v, n.v, ""), i.v);
    }
    V bad = unchecked ? NULL : LLVMBuildICmp(E->b, LLVMIntUGE, r.v, n.v, ""), lane = NULL,
      any = bad;
    em_here(M, here);
    if (unchecked) return r;
    if (ahead) M->outside[at] = bad;
    if (i.vec && E->lanes > 1) {
        if (M->mask) bad = LLVMBuildAnd(E->b, bad, M->mask, "");
        V bits = LLVMBuildBitCast(E->b, bad, ll_i(E, E->lanes), "");
        V args[2] = {bits, LLVMConstInt(ll_i(E, 1), 0, 0)};
        any = LLVMBuildICmp(E->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
        lane = ll_intrinsic(E, "llvm.cttz", args, 2);
        lane = E->lanes > 64 ? LLVMBuildTrunc(E->b, lane, ll_i(E, 64), "")
                             : LLVMBuildZExtOrBitCast(E->b, lane, ll_i(E, 64), "");
    }
    leave_where(M, ins, any, lane);
    return r;
}
