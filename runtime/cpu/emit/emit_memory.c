/* Array accesses: addresses, loads and stores.
 *
 * The address of a point is built level by level, so that each loop adds only its own
 * coordinate's share (loop-invariant parts are hoisted). Lanes have unit stride (one vector
 * access), another stride (a gather), or stride 0 (one element, broadcast). */
#include "runtime/cpu/emit/emitter.h"
#include "runtime/cpu/emit/fault.h"
#include "runtime/tables/tuning.h"

static bool stands_still(const em *M, unsigned array, int dim) {
    return M->f->arrays[array].zero >> dim & 1;
}

static bool counts(const em *M, unsigned array, int dim) {
    return M->coord_level[dim] <= M->cur && !stands_still(M, array, dim);
}

int em_array_level(em *M, unsigned array) {
    int level = 0;
    for (int d = 0; d < M->f->ndim; d++)
        if (counts(M, array, d) && M->coord_level[d] > level) level = M->coord_level[d];
    return level;
}

bool em_array_lanes(em *M, unsigned array) {
    return M->E.lanes > 1 && M->lanes_live && counts(M, array, M->plan->dim);
}

V em_stride(em *M, unsigned array, int dim) {
    if (M->f->arrays[array].unit >> dim & 1) return ll_i64(&M->E, 1);
    return em_slot(M, VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_STRIDE + (unsigned)dim);
}

/* The offset of an element, in elements, that the coordinates fixed at `level` add; NULL: none. */
static V offset_of_level(em *M, unsigned array, int level) {
    V sum = NULL;
    for (int d = 0; d < M->f->ndim; d++) {
        if (M->coord_level[d] != level || stands_still(M, array, d)) continue;
        bool unit = M->f->arrays[array].unit >> d & 1;
        V s = unit ? NULL : em_stride(M, array, d);
        LLVMBasicBlockRef here = em_at(M, level);
        V part = unit ? M->coord[d] : LLVMBuildMul(M->E.b, M->coord[d], s, "");
        sum = sum ? LLVMBuildAdd(M->E.b, sum, part, "") : part;
        em_here(M, here);
    }
    return sum;
}

V em_displace(em *M, V base, V elements, gpa_dtype t) {
    V bytes =
        LLVMBuildMul(M->E.b, elements,
                     ll_width(elements) > 1 ? ll_int_like(&M->E, elements, (int64_t)dtype_size(t))
                                            : ll_i64(&M->E, (int64_t)dtype_size(t)),
                     "");
    return LLVMBuildGEP2(M->E.b, ll_i(&M->E, 8), base, &bytes, 1, "");
}

V em_pointer(em *M, unsigned array, int level) {
    V *known = &M->pointer[array][level];
    const kir_array *a = &M->f->arrays[array];
    if (*known) return *known;
    if (a->where == KIR_LOCAL)
        return *known = ll_slot(&M->E,
                                LLVMArrayType(ll_memory(&M->E, a->dtype),
                                              a->count * (dtype_is_complex(a->dtype) ? 2 : 1)),
                                "");
    V base = level ? em_pointer(M, array, level - 1)
                   : em_slot(M, VIEW_ARRAYS + array * ARRAY_SLOTS + ARRAY_BASE);
    V more = level ? offset_of_level(M, array, level) : NULL;
    LLVMBasicBlockRef here = em_at(M, level);
    if (!level && a->where != KIR_VIRTUAL)
        base = LLVMBuildIntToPtr(M->E.b, base, ll_ptr(&M->E), "");
    if (more)
        base = a->where == KIR_VIRTUAL ? LLVMBuildAdd(M->E.b, base, more, "")
                                       : em_displace(M, base, more, a->dtype);
    em_here(M, here);
    return *known = base;
}

static V truth_of_all(em *M) { return ll_spread(&M->E, LLVMConstInt(ll_i(&M->E, 1), 1, 0)); }
static V alignment(em *M, unsigned n) { return LLVMConstInt(ll_i(&M->E, 32), n, 0); }

/* Loads n contiguous elements of memory type `one`. */
static V load_wide(em *M, V at, LLVMTypeRef one, unsigned n, V mask, unsigned align) {
    LLVMTypeRef type = LLVMVectorType(one, n);
    if (mask) {
        LLVMTypeRef over[2] = {type, ll_ptr(&M->E)};
        V args[4] = {at, alignment(M, align), mask, LLVMConstNull(type)};
        return ll_intrinsic_of(&M->E, "llvm.masked.load", over, 2, args, 4);
    }
    V v = LLVMBuildLoad2(M->E.b, type, at, "");
    LLVMSetAlignment(v, align);
    return v;
}

static void mark_stream(em *M, V store) {
    V one = LLVMConstInt(ll_i(&M->E, 32), 1, 0);
    LLVMMetadataRef node = LLVMValueAsMetadata(one);
    V value = LLVMMetadataAsValue(M->E.ctx, LLVMMDNodeInContext2(M->E.ctx, &node, 1));
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(M->E.ctx, "nontemporal", 11), value);
}

static void store_wide(em *M, V v, V at, V mask, unsigned align) {
    if (mask) {
        LLVMTypeRef over[2] = {LLVMTypeOf(v), ll_ptr(&M->E)};
        V args[4] = {v, at, alignment(M, align), mask};
        ll_intrinsic_of(&M->E, "llvm.masked.store", over, 2, args, 4);
        return;
    }
    V s = LLVMBuildStore(M->E.b, v, at);
    LLVMSetAlignment(s, align);
    if (!M->plan->stream) return;
    unsigned bytes = ll_width(v) * align;
    LLVMSetAlignment(s, bytes < M->E.host->bytes ? bytes : M->E.host->bytes);
    mark_stream(M, s);
}

static V gather(em *M, V at, LLVMTypeRef one, unsigned align) {
    LLVMTypeRef type = LLVMVectorType(one, M->E.lanes), over[2] = {type, LLVMTypeOf(at)};
    V args[4] = {at, alignment(M, align), M->mask ? M->mask : truth_of_all(M), LLVMConstNull(type)};
    return ll_intrinsic_of(&M->E, "llvm.masked.gather", over, 2, args, 4);
}

static void scatter(em *M, V v, V at, unsigned align) {
    LLVMTypeRef over[2] = {LLVMTypeOf(v), LLVMTypeOf(at)};
    V args[4] = {v, at, alignment(M, align), M->mask ? M->mask : truth_of_all(M)};
    ll_intrinsic_of(&M->E, "llvm.masked.scatter", over, 2, args, 4);
}

/* The addresses of all lanes of a strided array. */
static V addresses(em *M, unsigned array, V first) {
    V stride = em_stride(M, array, M->plan->dim);
    V steps = LLVMBuildMul(M->E.b, ll_ramp(&M->E, ll_i(&M->E, 64)), ll_spread(&M->E, stride), "");
    return em_displace(M, first, steps, M->f->arrays[array].dtype);
}

/* A pointer whose evolution over loop iterations is hidden from LLVM. Otherwise LLVM strength-
 * reduces the derived addresses into one chain of additions, and spills them. */
static V hidden(em *M, V pointer) {
    LLVMTypeRef type = LLVMFunctionType(ll_ptr(&M->E), (LLVMTypeRef[]){ll_ptr(&M->E)}, 1, 0);
    V nothing = LLVMGetInlineAsm(type, "", 0, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(M->E.b, type, nothing, &pointer, 1, "");
}

/* The same addresses one by one: four consecutive ones differ by offsets that fit an
 * instruction's addressing mode. */
static void each_address(em *M, unsigned array, V first, V *at) {
    ll *E = &M->E;
    V step = LLVMBuildMul(E->b, em_stride(M, array, M->plan->dim),
                          ll_i64(E, (int64_t)dtype_size(M->f->arrays[array].dtype)), "");
    for (unsigned i = 0; i < E->lanes; i++) {
        unsigned by = i % 4 ? i % 4 : 4;
        V more = LLVMBuildMul(E->b, step, ll_i64(E, by), "");
        at[i] = i ? LLVMBuildGEP2(E->b, ll_i(E, 8), at[i - by], &more, 1, "") : hidden(M, first);
    }
}

/* The address of the imaginary part. */
static V advance_bytes(em *M, V at, unsigned bytes) {
    V n = ll_i64(&M->E, bytes);
    return LLVMBuildGEP2(M->E.b, ll_i(&M->E, 8), at, &n, 1, "");
}

ll_val em_load_one(em *M, V at, gpa_dtype t) {
    LLVMTypeRef one = ll_memory(&M->E, t);
    unsigned part = (unsigned)(dtype_size(t) / (dtype_is_complex(t) ? 2 : 1));
    ll_val r = {.t = (uint8_t)t};
    V v = LLVMBuildLoad2(M->E.b, one, at, "");
    LLVMSetAlignment(v, part);
    r.v = ll_from_memory(&M->E, t, v);
    if (!dtype_is_complex(t)) return r;
    r.im = LLVMBuildLoad2(M->E.b, one, advance_bytes(M, at, part), "");
    LLVMSetAlignment(r.im, part);
    return r;
}

ll_val em_load_gathered(em *M, V at, gpa_dtype t) {
    LLVMTypeRef one = ll_memory(&M->E, t);
    unsigned part = (unsigned)(dtype_size(t) / (dtype_is_complex(t) ? 2 : 1));
    ll_val r = {.t = (uint8_t)t, .vec = true};
    r.v = ll_from_memory(&M->E, t, gather(M, at, one, part));
    if (dtype_is_complex(t)) r.im = gather(M, advance_bytes(M, at, part), one, part);
    return r;
}

ll_val em_load_contiguous(em *M, V at, gpa_dtype t) {
    ll *E = &M->E;
    LLVMTypeRef one = ll_memory(E, t);
    ll_val r = {.t = (uint8_t)t, .vec = true};
    if (!dtype_is_complex(t)) {
        r.v =
            ll_from_memory(E, t, load_wide(M, at, one, E->lanes, M->mask, (unsigned)dtype_size(t)));
        return r;
    }
    V mask = M->mask ? ll_interleave(E, M->mask, M->mask) : NULL;
    V both = load_wide(M, at, one, 2 * E->lanes, mask, (unsigned)dtype_size(t) / 2);
    r.v = ll_every_second(E, both, 0), r.im = ll_every_second(E, both, 1);
    return r;
}

/* ---- lanes with small strides ---- */

/* The stride between the lanes of an array that is read by wide loads and stored under masks; 0:
 * not such an array. */
static unsigned few_apart(const em *M, unsigned array) {
    for (unsigned k = 2; k <= EMIT_MAX_WIDE_STRIDE; k++)
        if (M->plan->strided[k - 2] >> array & 1) return k;
    return 0;
}

/* Elements per shuffle: those of a register, or for elements below 4 bytes of a 16-byte
 * one, where bytes are shuffled freely. */
static unsigned ordered(const em *M, gpa_dtype t) {
    unsigned size = (unsigned)dtype_size(t),
             all = (size < 4 ? 16 : M->E.host->bytes >> M->plan->half_width) / size;
    return all < M->E.lanes ? all : M->E.lanes;
}

/* The mask of n elements of memory from element `first` on, of which every k-th belongs to a
 * lane. `between`: the elements in the gaps get the mask of the preceding lane. */
static V mask_apart(em *M, unsigned first, unsigned n, unsigned k, bool between) {
    V lane[64], mask = M->mask ? M->mask : truth_of_all(M);
    for (unsigned i = 0; i < n; i++) {
        unsigned at = first + i;
        lane[i] = LLVMConstInt(ll_i(&M->E, 32), between || at % k == 0 ? at / k : M->E.lanes, 0);
    }
    return LLVMBuildShuffleVector(M->E.b, mask, LLVMConstNull(LLVMTypeOf(mask)),
                                  LLVMConstVector(lane, n), "");
}

static V beyond(em *M, V at, unsigned elements, gpa_dtype t) {
    return em_displace(M, at, ll_i64(&M->E, elements), t);
}

/* Wide loads of which every k-th element is used. The j-th load supplies those of the n lanes
 * that lie in it. */
static ll_val load_few(em *M, V at, gpa_dtype t, unsigned k) {
    ll *E = &M->E;
    unsigned n = ordered(M, t), parts = E->lanes / n;
    LLVMTypeRef i32 = ll_i(E, 32);
    V part[64], lane[64];
    for (unsigned p = 0; p < parts; p++) {
        for (unsigned j = 0; j < k; j++) {
            unsigned first = (p * k + j) * n;
            V more = load_wide(M, beyond(M, at, first, t), ll_memory(E, t), n,
                               M->mask ? mask_apart(M, first, n, k, true) : NULL,
                               (unsigned)dtype_size(t));
            for (unsigned i = 0; i < n; i++) {
                unsigned with = i * k / n, index = i * k % n;
                lane[i] = with > j ? LLVMGetUndef(i32)
                                   : LLVMConstInt(i32,
                                                  with == j ? n + index
                                                  : j == 1  ? index
                                                            : i,
                                                  0);
            }
            part[p] = j ? LLVMBuildShuffleVector(E->b, part[p], more, LLVMConstVector(lane, n), "")
                        : more;
        }
    }
    for (; parts > 1; parts /= 2)
        for (unsigned p = 0; p < parts / 2; p++) part[p] = ll_join(E, part[2 * p], part[2 * p + 1]);
    return (ll_val){ll_from_memory(E, t, part[0]), NULL, (uint8_t)t, true};
}

/* Complex numbers of 8 bytes are shuffled as doubles. */
static ll_val load_few_pairs(em *M, V at, unsigned k) {
    ll *E = &M->E;
    LLVMTypeRef parts = LLVMVectorType(ll_elem(E, DT_C64), 2 * E->lanes);
    V both = LLVMBuildBitCast(E->b, load_few(M, at, DT_F64, k).v, parts, "");
    return (ll_val){ll_every_second(E, both, 0), ll_every_second(E, both, 1), DT_C64, true};
}

/* Wide stores under masks, which leave the gaps between the lanes unchanged. */
static void store_few(em *M, V at, ll_val v, unsigned k) {
    ll *E = &M->E;
    gpa_dtype t = (gpa_dtype)v.t;
    unsigned n = ordered(M, t);
    V own = ll_to_memory(E, t, v.v), lane[64];
    for (unsigned first = 0; first < k * E->lanes; first += n) {
        for (unsigned i = 0; i < n; i++)
            lane[i] = (first + i) % k ? LLVMGetUndef(ll_i(E, 32))
                                      : LLVMConstInt(ll_i(E, 32), (first + i) / k, 0);
        V some = LLVMBuildShuffleVector(E->b, own, LLVMGetPoison(LLVMTypeOf(own)),
                                        LLVMConstVector(lane, n), "");
        store_wide(M, some, beyond(M, at, first, t), mask_apart(M, first, n, k, false),
                   (unsigned)dtype_size(t));
    }
}

/* Lanes with stride -1 are contiguous from the last lane on. Moves `at` there and reverses the
 * mask; returns the previous mask. */
static V turn_back(em *M, V *at, gpa_dtype t) {
    V mask = M->mask, last = ll_i64(&M->E, -(int64_t)((M->E.lanes - 1) * dtype_size(t)));
    *at = LLVMBuildGEP2(M->E.b, ll_i(&M->E, 8), *at, &last, 1, "");
    if (mask) M->mask = ll_backwards(&M->E, mask);
    return mask;
}

static ll_val load_back(em *M, V at, gpa_dtype t) {
    V mask = turn_back(M, &at, t);
    ll_val r = ll_val_backwards(&M->E, em_load_contiguous(M, at, t));
    M->mask = mask;
    return r;
}

/* A gather whose lanes are the points of a row; lane 0 is always active. Inactive lanes read its
 * element instead of being masked: a masked gather becomes a branch per lane on processors that
 * are faster without gathers. */
static ll_val load_apart(em *M, V at, gpa_dtype t) {
    V mask = M->mask;
    if (mask)
        at = ll_select(&M->E, mask, at,
                       ll_spread(&M->E, LLVMBuildExtractElement(M->E.b, at, ll_i64(&M->E, 0), "")));
    M->mask = NULL;
    ll_val r = em_load_gathered(M, at, t);
    M->mask = mask;
    return r;
}

/* Prefetches the cache line that the lane will read some iterations later. */
static void fetch_ahead(em *M, unsigned array, V at) {
    enum { READ = 0, KEEP = 3, DATA = 1 };
    ll *E = &M->E;
    LLVMTypeRef i32 = ll_i(E, 32), pointer = ll_ptr(E);
    V then = em_displace(M, at,
                         LLVMBuildMul(E->b, em_stride(M, array, M->plan->dim),
                                      ll_i64(E, TUNE_CPU_PREFETCH_ITERATIONS * E->lanes), ""),
                         (gpa_dtype)M->f->arrays[array].dtype);
    V args[4] = {then, LLVMConstInt(i32, READ, 0), LLVMConstInt(i32, KEEP, 0),
                 LLVMConstInt(i32, DATA, 0)};
    ll_intrinsic_of(E, "llvm.prefetch", &pointer, 1, args, 4);
}

/* A strided load of all lanes with one scalar load each. A gather instruction does the same, but
 * needs vectors of addresses. */
static ll_val load_each(em *M, unsigned array, V first) {
    ll *E = &M->E;
    gpa_dtype t = (gpa_dtype)M->f->arrays[array].dtype;
    unsigned n = E->lanes;
    bool parts = dtype_is_complex(t),
         small = t == DT_C64; /* a pair of floats is moved as a double */
    LLVMTypeRef part = ll_elem(E, t), one = small   ? ll_elem(E, DT_F64)
                                            : parts ? LLVMVectorType(part, 2)
                                                    : ll_memory(E, t);
    V at[64], v[64], all = parts && !small ? NULL : LLVMGetPoison(LLVMVectorType(one, n));
    each_address(M, array, first, at);
    for (unsigned i = 0; i < n; i++) {
        v[i] = LLVMBuildLoad2(E->b, one, at[i], "");
        LLVMSetAlignment(v[i], (unsigned)dtype_size(t) / (parts ? 2 : 1));
        if (M->plan->ahead >> array & 1) fetch_ahead(M, array, at[i]);
        if (!parts || small) all = LLVMBuildInsertElement(E->b, all, v[i], ll_i64(E, i), "");
    }
    if (!parts) return (ll_val){ll_from_memory(E, t, all), NULL, (uint8_t)t, true};
    if (small)
        all = LLVMBuildBitCast(E->b, all, LLVMVectorType(part, 2 * n), "");
    else {
        for (unsigned left = n; left > 1; left /= 2)
            for (unsigned i = 0; i < left / 2; i++) v[i] = ll_join(E, v[2 * i], v[2 * i + 1]);
        all = v[0];
    }
    return (ll_val){ll_every_second(E, all, 0), ll_every_second(E, all, 1), (uint8_t)t, true};
}

ll_val em_load(em *M, const kir_ins *ins) {
    unsigned a = ins->sub;
    gpa_dtype t = M->f->arrays[a].dtype;
    int level = M->level[ins - M->f->code];
    ll_val r;
    V at = em_pointer(M, a, level);
    LLVMBasicBlockRef here = em_at(M, level);
    if (!em_array_lanes(M, a))
        r = em_load_one(M, at, t);
    else if (em_is_transposed(M, a))
        r = em_load_transposed(M, a, at);
    else if (M->f->arrays[a].unit >> M->plan->dim & 1)
        r = em_load_contiguous(M, at, t);
    else if (few_apart(M, a))
        r = t == DT_C64 ? load_few_pairs(M, at, few_apart(M, a))
                        : load_few(M, at, t, few_apart(M, a));
    else if (M->plan->back >> a & 1)
        r = load_back(M, at, t);
    else if (!M->mask)
        r = load_each(M, a, at);
    else
        r = load_apart(M, addresses(M, a, at), t);
    em_here(M, here);
    return r;
}

/* The lanes at which a guarded load reads: its condition and the valid lanes. */
static V guarded_lanes(em *M, ll_val cond) {
    V lanes = cond.vec ? cond.v : ll_spread(&M->E, cond.v);
    return M->mask ? LLVMBuildAnd(M->E.b, lanes, M->mask, "") : lanes;
}

static V any_lane(em *M, V lanes) {
    V bits = LLVMBuildBitCast(M->E.b, lanes, ll_i(&M->E, M->E.lanes), "");
    return LLVMBuildICmp(M->E.b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

/* Where the condition is false the address is that of the view, which is always readable. */
static ll_val load_guarded(em *M, const kir_ins *ins, V at, ll_val cond) {
    ll *E = &M->E;
    unsigned a = ins->sub;
    gpa_dtype t = M->f->arrays[a].dtype;
    V mask = M->mask, lanes = E->lanes > 1 && M->lanes_live ? guarded_lanes(M, cond) : NULL;
    V any = cond.vec && E->lanes > 1 ? any_lane(M, lanes) : cond.v;
    ll_val r;
    if (!em_array_lanes(M, a)) return em_load_one(M, ll_select(E, any, at, M->view), t);
    if (M->f->arrays[a].unit >> M->plan->dim & 1) {
        M->mask = lanes;
        r = em_load_contiguous(M, ll_select(E, any, at, M->view), t);
    } else {
        V each = ll_select(E, lanes, addresses(M, a, at), ll_spread(E, M->view));
        M->mask = NULL;
        r = em_load_gathered(M, each, t);
    }
    M->mask = mask;
    return r;
}

static V join(em *M, V v, LLVMBasicBlockRef read, LLVMBasicBlockRef skipped) {
    V r = LLVMBuildPhi(M->E.b, LLVMTypeOf(v), ""), values[2] = {v, LLVMConstNull(LLVMTypeOf(v))};
    LLVMBasicBlockRef from[2] = {read, skipped};
    LLVMAddIncoming(r, values, from, 2);
    return r;
}

/* Branches around a load if the condition is the same for all lanes. */
static ll_val load_in_branch(em *M, const kir_ins *ins, V cond) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), read = em_block(M, "read"),
                      after = em_block(M, "after");
    LLVMBuildCondBr(b, cond, read, after);
    LLVMPositionBuilderAtEnd(b, read);
    ll_val r = em_load(M, ins);
    read = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    r.v = join(M, r.v, read, before);
    if (r.im) r.im = join(M, r.im, read, before);
    return r;
}

ll_val em_loadif(em *M, const kir_ins *ins) {
    ll_val cond = M->vals[ins->a], r;
    gpa_dtype t = M->f->arrays[ins->sub].dtype;
    bool known = !cond.vec && LLVMIsConstant(cond.v);
    if (known && LLVMConstIntGetZExtValue(cond.v)) return em_load(M, ins);
    if (known) return ll_const(&M->E, t, (gpa_val){.bits = {0, 0}});
    int level = M->level[ins - M->f->code];
    V at = em_pointer(M, ins->sub, level); /* before the branch, since later loads use it too */
    if (!cond.vec && level == M->cur) return load_in_branch(M, ins, cond.v);
    LLVMBasicBlockRef here = em_at(M, level);
    r = load_guarded(M, ins, at, cond);
    em_here(M, here);
    return r;
}

void em_store_one(em *M, V at, ll_val v) {
    unsigned part = (unsigned)(dtype_size(v.t) / (v.im ? 2 : 1));
    if (v.vec) v.v = ll_slice(&M->E, v.v, 0, 1), v.im = v.im ? ll_slice(&M->E, v.im, 0, 1) : NULL;
    LLVMSetAlignment(LLVMBuildStore(M->E.b, ll_to_memory(&M->E, v.t, v.v), at), part);
    if (v.im) LLVMSetAlignment(LLVMBuildStore(M->E.b, v.im, advance_bytes(M, at, part)), part);
}

void em_store_scattered(em *M, V at, ll_val v) {
    unsigned part = (unsigned)(dtype_size(v.t) / (v.im ? 2 : 1));
    scatter(M, ll_to_memory(&M->E, v.t, v.v), at, part);
    if (v.im) scatter(M, v.im, advance_bytes(M, at, part), part);
}

void em_store_contiguous(em *M, V at, ll_val v) {
    ll *E = &M->E;
    if (!v.im) {
        store_wide(M, ll_to_memory(E, v.t, v.v), at, M->mask, (unsigned)dtype_size(v.t));
        return;
    }
    V mask = M->mask ? ll_interleave(E, M->mask, M->mask) : NULL;
    store_wide(M, ll_interleave(E, v.v, v.im), at, mask, (unsigned)dtype_size(v.t) / 2);
}

/* A strided store of all lanes with one scalar store each. */
static void store_each(em *M, unsigned array, V first, ll_val v) {
    ll *E = &M->E;
    bool small = v.t == DT_C64;
    V at[64], own = v.im ? ll_interleave(E, v.v, v.im) : ll_to_memory(E, v.t, v.v);
    if (small) own = LLVMBuildBitCast(E->b, own, LLVMVectorType(ll_elem(E, DT_F64), E->lanes), "");
    each_address(M, array, first, at);
    for (unsigned i = 0; i < E->lanes; i++) {
        V one = v.im && !small ? ll_slice(E, own, 2 * i, 2)
                               : LLVMBuildExtractElement(E->b, own, ll_i64(E, i), "");
        LLVMSetAlignment(LLVMBuildStore(E->b, one, at[i]),
                         (unsigned)(dtype_size(v.t) / (v.im ? 2 : 1)));
    }
}

static void store_back(em *M, V at, ll_val v) {
    V mask = turn_back(M, &at, (gpa_dtype)v.t);
    em_store_contiguous(M, at, ll_val_backwards(&M->E, v));
    M->mask = mask;
}

void em_store(em *M, const kir_ins *ins) {
    unsigned a = ins->sub;
    ll_val v = M->vals[ins->a];
    V at = em_pointer(M, a, M->cur);
    if (!em_array_lanes(M, a))
        em_store_one(M, at, v);
    else if (M->f->arrays[a].unit >> M->plan->dim & 1)
        em_store_contiguous(M, at, ll_vector(&M->E, v));
    else if (few_apart(M, a) && M->E.host->masks)
        store_few(M, at, ll_vector(&M->E, v), few_apart(M, a));
    else if (M->plan->back >> a & 1)
        store_back(M, at, ll_vector(&M->E, v));
    else if (!M->mask)
        store_each(M, a, at, ll_vector(&M->E, v));
    else
        em_store_scattered(M, addresses(M, a, at), ll_vector(&M->E, v));
}

ll_val em_iota(em *M, const kir_ins *ins) {
    int level = M->level[ins - M->f->code];
    bool lanes = em_array_lanes(M, ins->sub);
    V first = em_pointer(M, ins->sub, level),
      stride = lanes ? em_stride(M, ins->sub, M->plan->dim) : NULL;
    ll_val r = {first, NULL, DT_I64, lanes};
    if (!lanes) return r;
    LLVMBasicBlockRef here = em_at(M, level);
    V steps = LLVMBuildMul(M->E.b, ll_ramp(&M->E, ll_i(&M->E, 64)), ll_spread(&M->E, stride), "");
    r.v = LLVMBuildAdd(M->E.b, ll_spread(&M->E, first), steps, "");
    em_here(M, here);
    return r;
}

/* In a segment a boundary lies on the same side of all points: of the first one. */
static ll_val below_in_segment(em *M, const kir_ins *ins) {
    ll *E = &M->E;
    int level = M->segment_level;
    if (M->usual)
        return (ll_val){LLVMConstInt(ll_i(E, 1), ins->imm == KIR_MOSTLY_TRUE, 0), NULL, DT_BOOL,
                        false};
    V at = em_pointer(M, ins->sub, level);
    LLVMBasicBlockRef here = em_at(M, level);
    if (M->f->arrays[ins->sub].unit >> M->plan->dim & 1)
        at = LLVMBuildAdd(E->b, at, M->segment, "");
    V below = LLVMBuildICmp(E->b, LLVMIntSLT, at, ll_i64(E, 0), "");
    em_here(M, here);
    return (ll_val){below, NULL, DT_BOOL, false};
}

ll_val em_below(em *M, const kir_ins *ins) {
    if (M->segment) return below_in_segment(M, ins);
    int level = M->level[ins - M->f->code];
    ll_val offset = em_iota(M, ins);
    LLVMBasicBlockRef here = em_at(M, level);
    V below = LLVMBuildICmp(M->E.b, LLVMIntSLT, offset.v, LLVMConstNull(LLVMTypeOf(offset.v)), "");
    em_here(M, here);
    return (ll_val){below, NULL, DT_BOOL, offset.vec};
}

V em_element(em *M, unsigned array, V index) {
    return em_displace(M, em_pointer(M, array, LEVEL_ENTRY), index, M->f->arrays[array].dtype);
}

/* ---- indexed elements ---- */

static emit_access access_of(const kir_func *f, int32_t v, int dim, int depth) {
    const kir_ins *i = &f->code[v];
    const int32_t args[3] = {i->a, i->b, i->c};
    emit_access how[3] = {ACCESS_BROADCAST, ACCESS_BROADCAST, ACCESS_BROADCAST};
    switch ((int)i->code) {
        case KIR_CONST:
        case KIR_PARAM:
        case KIR_SIZE:
        case KIR_STRIDE: return ACCESS_BROADCAST;
        case KIR_INDEX: return (int)i->imm == dim ? ACCESS_UNIT_STRIDE : ACCESS_BROADCAST;
        case KIR_IOTA:
            return f->arrays[i->sub].zero >> dim & 1   ? ACCESS_BROADCAST
                   : f->arrays[i->sub].unit >> dim & 1 ? ACCESS_UNIT_STRIDE
                                                       : ACCESS_STRIDED;
        case KIR_LOAD: return f->arrays[i->sub].zero >> dim & 1 ? ACCESS_BROADCAST : ACCESS_STRIDED;
        case KIR_OP:
        case KIR_CAST:
        case KIR_BOUND:
        case KIR_LOADX: break;
        default: return ACCESS_STRIDED;
    }
    if (!depth) return ACCESS_STRIDED;
    bool still = true;
    for (int k = 0; k < 3; k++) {
        if (args[k] >= 0) how[k] = access_of(f, args[k], dim, depth - 1);
        still &= how[k] == ACCESS_BROADCAST;
    }
    if (still) return ACCESS_BROADCAST;
    if (i->code != KIR_OP || i->type != DT_I64 || (i->sub != OP_ADD && i->sub != OP_SUBTRACT))
        return ACCESS_STRIDED;
    if (how[0] == ACCESS_UNIT_STRIDE && how[1] == ACCESS_BROADCAST) return ACCESS_UNIT_STRIDE;
    return i->sub == OP_ADD && how[0] == ACCESS_BROADCAST && how[1] == ACCESS_UNIT_STRIDE
               ? ACCESS_UNIT_STRIDE
               : ACCESS_STRIDED;
}

emit_access emit_access_along(const kir_func *f, int32_t v, int dim) {
    enum { DEPTH = 6 };
    return access_of(f, v, dim, DEPTH);
}

/* Lane 0 of an index with unit stride, without computing the other lanes. */
static V first_index(em *M, int32_t v) {
    const kir_ins *i = &M->f->code[v];
    if (!M->vals[v].vec) return M->vals[v].v;
    if (i->code == KIR_INDEX) return M->coord[i->imm];
    if (i->code == KIR_IOTA) return em_pointer(M, i->sub, M->level[v]);
    V a = first_index(M, i->a), b = first_index(M, i->b);
    return i->sub == OP_ADD ? LLVMBuildAdd(M->E.b, a, b, "") : LLVMBuildSub(M->E.b, a, b, "");
}

/* The address of lane 0's element if the lanes' elements are contiguous; else NULL. */
static V first_address(em *M, unsigned array, int32_t index) {
    if (!M->vals[index].vec || M->E.lanes == 1 ||
        emit_access_along(M->f, index, M->plan->dim) != ACCESS_UNIT_STRIDE)
        return NULL;
    return em_element(M, array, first_index(M, index));
}

ll_val em_loadx(em *M, const kir_ins *ins) {
    ll_val i = M->vals[ins->a];
    gpa_dtype t = M->f->arrays[ins->sub].dtype;
    V first = first_address(M, ins->sub, ins->a);
    if (first) return em_load_contiguous(M, first, t);
    V at = em_element(M, ins->sub, i.v);
    return i.vec && M->E.lanes > 1 ? load_apart(M, at, t) : em_load_one(M, at, t);
}

void em_storex(em *M, const kir_ins *ins) {
    ll_val i = M->vals[ins->a], v = M->vals[ins->b];
    V first = first_address(M, ins->sub, ins->a);
    if (first) {
        em_store_contiguous(M, first, ll_vector(&M->E, v));
        return;
    }
    if (v.vec) i = ll_vector(&M->E, i);
    V at = em_element(M, ins->sub, i.v);
    if (i.vec && M->E.lanes > 1)
        em_store_scattered(M, at, ll_vector(&M->E, v));
    else
        em_store_one(M, at, v);
}

ll_val em_param(em *M, const kir_ins *ins) {
    V params = em_slot(M, VIEW_PARAMS);
    LLVMBasicBlockRef here = em_at(M, LEVEL_ENTRY);
    V at = LLVMBuildIntToPtr(M->E.b, params, ll_ptr(&M->E), "");
    ll_val r =
        em_load_one(M, advance_bytes(M, at, ins->imm * (unsigned)sizeof(gpa_val)), ins->type);
    em_here(M, here);
    return r;
}
