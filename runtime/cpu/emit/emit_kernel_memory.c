/* Memory accesses of a kernel's phase: loads and stores of arrays, atomics, fault and printf
 * reports.
 *
 * Lanes with unit stride are one wide access under the mask; others are gathered and scattered.
 * Where an index may have wrapped around for some lanes, code for both cases is emitted. Reading
 * order: memory, atomics, reports. */
#include "runtime/base/base.h"
#include "runtime/cpu/emit/kernel.h"

static LLVMBuilderRef B(km *K) { return K->M.E.b; }
static ll *E_(km *K) { return &K->M.E; }
static V i64(km *K, int64_t n) { return ll_i64(E_(K), n); }

static void go_to(km *K, LLVMBasicBlockRef to) {
    LLVMBuildBr(B(K), to);
    LLVMPositionBuilderAtEnd(B(K), to);
}

static V mask_bits64(km *K, V mask) {
    return LLVMBuildZExt(B(K), k_bits(K, mask ? mask : k_all_lanes(K)), ll_i(E_(K), 64), "");
}

/* ---- memory ---- */

static V displaced(km *K, V base, V elements, size_t size) {
    V bytes = LLVMBuildMul(B(K), elements, ll_int_like(E_(K), elements, (int64_t)size), "");
    return LLVMBuildGEP2(B(K), ll_i(E_(K), 8), base, &bytes, 1, "");
}

static V array_base(km *K, unsigned a) {
    if (K->shared[a]) return K->shared[a];
    return em_pointer(&K->M, a, LEVEL_ENTRY);
}

/* Index into a LOCAL array: the elements of adjacent threads are contiguous. */
static void localise(km *K, unsigned a, ll_val *i, k_affine *x) {
    ll *E = E_(K);
    if (K->M.f->arrays[a].where != KIR_LOCAL) return;
    V first =
        i->vec ? NULL : LLVMBuildAdd(B(K), LLVMBuildMul(B(K), i->v, K->threads, ""), K->thread, "");
    V wide = LLVMBuildMul(B(K), ll_vector(E, *i).v, ll_spread(E, K->threads), "");
    V lanes = LLVMBuildAdd(B(K), ll_spread(E, K->thread), ll_ramp(E, ll_i(E, 64)), "");
    *i = (ll_val){LLVMBuildAdd(B(K), wide, lanes, ""), NULL, DT_I64, true};
    *x = (k_affine){.base = first, .stride = first ? 1 : 0};
}

/* An address that is safe to load: the context, if no lane is active. */
static V guarded(km *K, V at, V mask) {
    return mask ? LLVMBuildSelect(B(K), k_any(K, mask), at, K->context, "") : at;
}

ll_val k_load(km *K, const kir_ins *ins) {
    gpa_dtype t = (gpa_dtype)K->M.f->arrays[ins->sub].dtype;
    ll_val i = k_use(K, ins->a);
    k_affine x = k_affine_of(K, ins->a, i);
    V base = array_base(K, ins->sub), mask = k_mask(K);
    size_t size = dtype_size(t);
    K->M.mask = mask;
    localise(K, ins->sub, &i, &x);
    if (!i.vec) return em_load_one(&K->M, guarded(K, displaced(K, base, i.v, size), mask), t);
    if (!x.base || x.stride != 1) return em_load_gathered(&K->M, displaced(K, base, i.v, size), t);
    if (!x.plain) return em_load_contiguous(&K->M, displaced(K, base, x.base, size), t);
    LLVMBasicBlockRef wide = k_block(K, "contiguous"), strided = k_block(K, "strided"),
                      after = k_block(K, "loaded");
    LLVMBuildCondBr(B(K), x.plain, wide, strided);
    LLVMPositionBuilderAtEnd(B(K), wide);
    ll_val v = em_load_contiguous(&K->M, displaced(K, base, x.base, size), t);
    wide = LLVMGetInsertBlock(B(K));
    LLVMBuildBr(B(K), after);
    LLVMPositionBuilderAtEnd(B(K), strided);
    ll_val u = em_load_gathered(&K->M, displaced(K, base, i.v, size), t);
    strided = LLVMGetInsertBlock(B(K));
    LLVMBuildBr(B(K), after);
    LLVMPositionBuilderAtEnd(B(K), after);
    ll_val r = {.t = (uint8_t)t, .vec = true};
    LLVMBasicBlockRef from[2] = {wide, strided};
    for (int part = 0; part < (v.im ? 2 : 1); part++) {
        V both_[2] = {part ? v.im : v.v, part ? u.im : u.v};
        V phi = LLVMBuildPhi(B(K), LLVMTypeOf(both_[0]), "");
        LLVMAddIncoming(phi, both_, from, 2);
        *(part ? &r.im : &r.v) = phi;
    }
    return r;
}

/* The value of the last active lane: if several lanes store to one element, any may win. */
static ll_val last_lane(km *K, ll_val v, V mask) {
    ll *E = E_(K);
    if (!v.vec) return v;
    V args[2] = {k_bits(K, mask ? mask : k_all_lanes(K)), LLVMConstInt(ll_i(E, 1), 0, 0)};
    V zeros = ll_intrinsic(E, "llvm.ctlz", args, 2);
    V lane = LLVMBuildSub(B(K), ll_int_like(E, zeros, E->lanes - 1), zeros, "");
    lane = LLVMBuildAnd(B(K), lane, ll_int_like(E, zeros, E->lanes - 1), "");
    v.v = LLVMBuildExtractElement(B(K), v.v, lane, "");
    if (v.im) v.im = LLVMBuildExtractElement(B(K), v.im, lane, "");
    v.vec = false;
    return v;
}

static void store_by_one(km *K, V at, ll_val v, V mask) {
    LLVMBasicBlockRef store = k_block(K, "store"), after = k_block(K, "stored");
    if (mask) {
        LLVMBuildCondBr(B(K), k_any(K, mask), store, after);
        LLVMPositionBuilderAtEnd(B(K), store);
    } else {
        go_to(K, store);
    }
    em_store_one(&K->M, at, last_lane(K, v, mask));
    go_to(K, after);
}

void k_store(km *K, const kir_ins *ins) {
    gpa_dtype t = (gpa_dtype)K->M.f->arrays[ins->sub].dtype;
    ll_val i = k_use(K, ins->a), v = k_use(K, ins->b);
    k_affine x = k_affine_of(K, ins->a, i);
    V base = array_base(K, ins->sub), mask = k_mask(K);
    size_t size = dtype_size(t);
    K->M.mask = mask;
    localise(K, ins->sub, &i, &x);
    if (!i.vec) {
        store_by_one(K, displaced(K, base, i.v, size), v, mask);
        return;
    }
    v = k_lanes(K, v);
    bool side = x.base && x.stride == 1;
    if (side && !x.plain) em_store_contiguous(&K->M, displaced(K, base, x.base, size), v);
    if (!side) em_store_scattered(&K->M, displaced(K, base, i.v, size), v);
    if (!side || !x.plain) return;
    LLVMBasicBlockRef wide = k_block(K, "contiguous"), strided = k_block(K, "strided"),
                      after = k_block(K, "stored");
    LLVMBuildCondBr(B(K), x.plain, wide, strided);
    LLVMPositionBuilderAtEnd(B(K), wide);
    em_store_contiguous(&K->M, displaced(K, base, x.base, size), v);
    LLVMBuildBr(B(K), after);
    LLVMPositionBuilderAtEnd(B(K), strided);
    em_store_scattered(&K->M, displaced(K, base, i.v, size), v);
    go_to(K, after);
}

/* A stack slot with the lanes of a value in memory layout. */
static V spill(km *K, ll_val v) {
    ll *E = E_(K);
    v = k_lanes(K, v);
    V m = ll_to_memory(E, v.t, v.v), all = v.im ? ll_interleave(E, m, v.im) : m;
    V slot = ll_slot(E, LLVMTypeOf(all), "lanes");
    LLVMBuildStore(B(K), all, slot);
    return slot;
}

ll_val k_atomic(km *K, const kir_ins *ins) {
    ll *E = E_(K);
    gpa_dtype t = (gpa_dtype)K->M.f->arrays[ins->sub].dtype;
    ll_val i = k_use(K, ins->a), b = k_use(K, ins->b), c = ins->c >= 0 ? k_use(K, ins->c) : b;
    k_affine x = {0};
    localise(K, ins->sub, &i, &x);
    i = k_lanes(K, i);
    V base = LLVMBuildPtrToInt(B(K), array_base(K, ins->sub), ll_i(E, 64), "");
    V addresses =
        LLVMBuildAdd(B(K), ll_spread(E, base),
                     LLVMBuildMul(B(K), i.v, ll_int_like(E, i.v, (int64_t)dtype_size(t)), ""), "");
    V at = ll_slot(E, LLVMTypeOf(addresses), "addresses");
    LLVMBuildStore(B(K), addresses, at);
    V vb = spill(K, b), vc = spill(K, c), old = spill(K, b);
    V args[6] = {i64(K, ins->imm | (int64_t)t << 16), at, vb, vc, old, mask_bits64(K, k_mask(K))};
    ll_call(E, "gpa_kernel_atomic", (void *)(uintptr_t)kernel_atomic, LLVMVoidTypeInContext(E->ctx),
            args, 6);
    K->M.mask = NULL;
    return em_load_contiguous(&K->M, old, t);
}

/* ---- reports ---- */

static V cell(km *K) {
    return LLVMBuildIntToPtr(B(K), em_slot(&K->M, VIEW_FAULT), ll_ptr(E_(K)), "");
}

static V unpadded_thread(km *K) {
    V row = LLVMBuildAdd(
        B(K), LLVMBuildMul(B(K), K->z, em_slot(&K->M, VIEW_SIZE + KV_BLOCK + 1), ""), K->y, "");
    return LLVMBuildAdd(B(K), LLVMBuildMul(B(K), row, em_slot(&K->M, VIEW_SIZE + KV_BLOCK), ""),
                        K->x, "");
}

/* A fault to report: where, and the values of its record; without value: 0. */
typedef struct {
    cpu_fault_site at;
    ll_val a, b;
} fault;

/* Reports a fault for the first lane of `bad` and leaves the function. */
static void report(km *K, const fault *f, V bad) {
    ll *E = E_(K);
    const ll_val a = f->a, b = f->b;
    V ctargs[2] = {k_bits(K, bad), LLVMConstInt(ll_i(E, 1), 0, 0)};
    V lane = LLVMBuildZExtOrBitCast(B(K), ll_intrinsic(E, "llvm.cttz", ctargs, 2), ll_i(E, 64), "");
    V va = a.v ? a.v : i64(K, 0), vb = b.v ? b.v : i64(K, 0);
    if (a.v && a.vec) va = LLVMBuildExtractElement(B(K), a.v, lane, "");
    if (b.v && b.vec) vb = LLVMBuildExtractElement(B(K), b.v, lane, "");
    V args[7] = {cell(K),
                 i64(K, (int64_t)((uint64_t)f->at.axis << 32 | f->at.kind)),
                 i64(K, f->at.line),
                 va,
                 vb,
                 K->number,
                 LLVMBuildAdd(B(K), unpadded_thread(K), lane, "")};
    ll_call(E, "gpa_kernel_fault", (void *)(uintptr_t)kernel_fault, LLVMVoidTypeInContext(E->ctx),
            args, 7);
    LLVMBuildBr(B(K), K->M.leave);
}

static void report_where(km *K, const fault *f, V bad) {
    LLVMBasicBlockRef faulty = k_block(K, "fault"), fine = k_block(K, "fine");
    LLVMBuildCondBr(B(K), k_any(K, bad), faulty, fine);
    LLVMPositionBuilderAtEnd(B(K), faulty);
    report(K, f, bad);
    LLVMPositionBuilderAtEnd(B(K), fine);
}

/* Bounds check. An index that is uniform across lanes needs one scalar comparison. */
ll_val k_bound(km *K, int32_t v) {
    ll *E = E_(K);
    const kir_ins *ins = &K->M.f->code[v];
    ll_val i = k_use(K, ins->a), n = k_use(K, ins->b);
    V mask = k_mask(K);
    ll_val r = k_wrapped(K, v, i, n, mask);
    if (K->M.f->flags & KIR_F_UNCHECKED || ins->imm == KIR_IN_BOUNDS) return r;
    const fault outside = {{KIR_FT_INDEX, ins->sub, ins->line}, i, n};
    if (!r.vec && !n.vec) {
        V bad = LLVMBuildICmp(B(K), LLVMIntUGE, r.v, n.v, "");
        LLVMBasicBlockRef look = k_block(K, "look"), fine = k_block(K, "inside");
        LLVMBuildCondBr(B(K), bad, look, fine);
        LLVMPositionBuilderAtEnd(B(K), look);
        report_where(K, &outside, mask ? mask : k_all_lanes(K));
        go_to(K, fine);
        return r;
    }
    ll_val wide = ll_vector(E, r), size = ll_vector(E, n);
    report_where(K, &outside, k_and(K, LLVMBuildICmp(B(K), LLVMIntUGE, wide.v, size.v, ""), mask));
    return r;
}

void k_print(km *K, int32_t at) {
    ll *E = E_(K);
    const kir_ins *code = K->M.f->code;
    int32_t first = at - kir_print_args(K->M.f, at);
    unsigned n = (unsigned)(at - first), lanes = E->lanes;
    V all = ll_slot(E, LLVMArrayType(ll_i(E, 64), 2 * (n ? n : 1) * lanes), "arguments");
    LLVMSetAlignment(all, 16);
    for (unsigned i = 0; i < n; i++) {
        ll_val v = k_lanes(K, k_use(K, code[first + (int32_t)i].a));
        for (unsigned lane = 0; lane < lanes; lane++) {
            V offset = i64(K, 16 * (int64_t)(lane * n + i)),
              at_ = LLVMBuildGEP2(B(K), ll_i(E, 8), all, &offset, 1, "");
            em_store_one(&K->M, at_,
                         (ll_val){ll_slice(E, v.v, lane, 1),
                                  v.im ? ll_slice(E, v.im, lane, 1) : NULL, v.t, false});
        }
    }
    V args[6] = {cell(K),
                 i64(K, (int64_t)((uint64_t)n << 32 | code[at].imm)),
                 K->number,
                 unpadded_thread(K),
                 mask_bits64(K, k_mask(K)),
                 all};
    ll_call(E, "gpa_kernel_say", (void *)(uintptr_t)kernel_say, LLVMVoidTypeInContext(E->ctx), args,
            6);
}

void k_fault(km *K, const kir_ins *ins) {
    ll_val none = {0}, a = ins->a >= 0 ? k_use(K, ins->a) : none,
           b = ins->b >= 0 ? k_use(K, ins->b) : none;
    V mask = k_mask(K);
    const fault f = {{ins->sub, ins->imm, ins->line}, a, b};
    report_where(K, &f, mask ? mask : k_all_lanes(K));
}
