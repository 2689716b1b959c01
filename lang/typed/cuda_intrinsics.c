/* Intrinsics of numba.cuda in kernels: thread indices, barriers, memory fences, atomics, warp
 * shuffles and votes, bit operations, print.
 *
 * Thread indices and lane masks are Python ints here (int64), so that index arithmetic does not
 * overflow.
 *
 * Reading order: arguments, thread indices, barriers, atomics, warps, bits, arrays, print. */
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/typed/all.h"
#include "lang/typed/lower.h"

static const typed_ty py_int = {.dtype = DT_I64, .weak = true},
                      py_bool = {.dtype = DT_BOOL, .weak = true};

static tv number(typed_ty t, int32_t v) { return (tv){.kind = TV_NUMBER, .t = t, .v = v}; }

static tv as_int(lowering *lw, int32_t v) { return number(py_int, kir_cast(lw->f, DT_I64, v)); }

/* ---- arguments ---- */

static gpa_code in_kernel(lowering *lw, const typed_site *s) {
    if (lw->to->form == TYPED_KERNEL) return GPA_OK;
    return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                      "threads and blocks exist in kernels only: functions under @cuda.jit");
}

static gpa_code takes(lowering *lw, const typed_site *s, uint32_t least, uint32_t most) {
    gpa_code rc = in_kernel(lw, s);
    if (rc || (s->n >= least && s->n <= most)) return rc;
    return typed_fail(
        lw, s->node, GPA_E_TYPE, "%s() takes %s %u argument%s (%u given)", s->callee->name,
        least == most  ? "exactly"
        : s->n < least ? "at least"
                       : "at most",
        s->n < least ? least : most, (s->n < least ? least : most) == 1 ? "" : "s", s->n);
}

static gpa_code need_number(lowering *lw, const typed_site *s, uint32_t i) {
    if (s->args[i].kind == TV_NUMBER) return GPA_OK;
    return typed_fail(lw, s->node->call.args.at[i], GPA_E_TYPE,
                      "a number is needed here, not %s %s", typed_article(&s->args[i]),
                      typed_kind(&s->args[i]));
}

/* The lane mask of a warp intrinsic; -1: all lanes. */
static gpa_code lane_mask(lowering *lw, const typed_site *s, int32_t *out) {
    gpa_code rc = need_number(lw, s, 0);
    const tv *v = &s->args[0];
    *out = -1;
    if (rc || (v->literal && (uint32_t)v->i == UINT32_MAX)) return rc;
    if (!dtype_is_int((gpa_dtype)v->t.dtype))
        return typed_fail(lw, s->node->call.args.at[0], GPA_E_TYPE,
                          "a mask of lanes is an integer, not %s", typed_name(v->t));
    *out = kir_cast(lw->f, DT_U32, v->v);
    return GPA_OK;
}

/* ---- thread indices ---- */

static int32_t thread(lowering *lw, kir_thread row, uint32_t axis) {
    int32_t v = kir_emit(lw->f, (kir_ins){.code = KIR_THREAD,
                                          .type = DT_I32,
                                          .sub = (uint16_t)row,
                                          .imm = axis,
                                          .a = -1,
                                          .b = -1,
                                          .c = -1});
    return kir_cast(lw->f, DT_I64, v);
}

/* cuda.threadIdx.x: the object's kind selects the index, the attribute its axis. */
gpa_code typed_cuda_index(lowering *lw, const typed_site *s, tv *out) {
    const char *kind = s->args[0].constant.object->kind->type_name,
               *axis = intern_text(vm_names(lw->vm), s->node->attr.name);
    kir_thread row = strstr(kind, "threadIdx")  ? KIR_TH_TID
                     : strstr(kind, "blockIdx") ? KIR_TH_BID
                     : strstr(kind, "blockDim") ? KIR_TH_BDIM
                                                : KIR_TH_GDIM;
    gpa_code rc = in_kernel(lw, s);
    if (!rc) *out = number(py_int, thread(lw, row, (uint32_t)(axis[0] - 'x')));
    return rc;
}

gpa_code typed_cuda_lane(lowering *lw, const typed_site *s, tv *out) {
    bool size = strstr(s->args[0].constant.object->kind->type_name, "warpsize") != NULL;
    gpa_code rc = in_kernel(lw, s);
    if (!rc) *out = number(py_int, thread(lw, size ? KIR_TH_WARPSIZE : KIR_TH_LANE, 0));
    return rc;
}

/* Emits an index per axis: a tuple, or a number for one axis. */
static gpa_code per_axis(lowering *lw, const typed_site *s, int32_t (*one)(lowering *, uint32_t),
                         tv *out) {
    gpa_code rc = takes(lw, s, 1, 1);
    if (rc) return rc;
    const tv *n = &s->args[0];
    if (n->kind != TV_NUMBER || !n->literal || n->i < 1 || n->i > 3)
        return typed_fail(lw, s->node, GPA_E_VALUE, "argument can only be 1, 2, 3");
    if (n->i == 1) {
        *out = number(py_int, one(lw, 0));
        return GPA_OK;
    }
    if (typed_tuple(lw, (uint32_t)n->i, out)) return GPA_E_MEMORY;
    for (uint32_t i = 0; i < out->n; i++) out->items[i] = number(py_int, one(lw, i));
    return GPA_OK;
}

static int32_t thread_index(lowering *lw, uint32_t axis) {
    int32_t before =
        kir_op2(lw->f, OP_MULTIPLY, thread(lw, KIR_TH_BID, axis), thread(lw, KIR_TH_BDIM, axis));
    return kir_op2(lw->f, OP_ADD, before, thread(lw, KIR_TH_TID, axis));
}

static int32_t extent(lowering *lw, uint32_t axis) {
    return kir_op2(lw->f, OP_MULTIPLY, thread(lw, KIR_TH_BDIM, axis),
                   thread(lw, KIR_TH_GDIM, axis));
}

gpa_code typed_cuda_grid(lowering *lw, const typed_site *s, tv *out) {
    return per_axis(lw, s, thread_index, out);
}
gpa_code typed_cuda_gridsize(lowering *lw, const typed_site *s, tv *out) {
    return per_axis(lw, s, extent, out);
}

/* ---- barriers ---- */

static gpa_code barrier(lowering *lw, const typed_site *s, kir_barrier row, tv *out) {
    bool votes = row == KIR_BA_COUNT || row == KIR_BA_AND || row == KIR_BA_OR;
    gpa_code rc = takes(lw, s, votes ? 1 : 0, row == KIR_BA_WARP || votes ? 1 : 0);
    int32_t a = -1;
    if (!rc && votes) rc = need_number(lw, s, 0);
    if (!rc && row == KIR_BA_WARP && s->n) rc = lane_mask(lw, s, &a);
    if (rc) return rc;
    if (votes) a = kir_cast(lw->f, DT_BOOL, s->args[0].v);
    int32_t v = kir_emit(lw->f, (kir_ins){.code = KIR_BARRIER,
                                          .type = votes ? DT_I32 : DT_NONE,
                                          .sub = (uint16_t)row,
                                          .a = a,
                                          .b = -1,
                                          .c = -1});
    *out = votes ? as_int(lw, v) : (tv){.kind = TV_NONE};
    return GPA_OK;
}

gpa_code typed_cuda_syncthreads(lowering *lw, const typed_site *s, tv *out) {
    const char *const *names = kir_rows[KIR_FIELD_BARRIER].names;
    for (int row = 0; row < KIR_BA_ROWS; row++)
        if (strcmp(names[row], s->callee->name) == 0) return barrier(lw, s, (kir_barrier)row, out);
    return barrier(lw, s, KIR_BA_BLOCK, out);
}

gpa_code typed_cuda_this_grid(lowering *lw, const typed_site *s, tv *out) {
    (void)out;
    return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                      "kernels have no grid-wide barrier: split the work into two kernels");
}

gpa_code typed_cuda_pause(lowering *lw, const typed_site *s, tv *out) {
    *out = (tv){.kind = TV_NONE};
    return takes(lw, s, 1, 1);
}

gpa_code typed_cuda_fence(lowering *lw, const typed_site *s, tv *out) {
    const char *const *names = kir_rows[KIR_FIELD_FENCE].names;
    gpa_code rc = takes(lw, s, 0, 0);
    for (uint16_t row = 0; row < KIR_FE_ROWS && !rc; row++)
        if (strcmp(names[row], s->callee->name) == 0)
            kir_emit(
                lw->f,
                (kir_ins){
                    .code = KIR_FENCE, .type = DT_NONE, .sub = row, .a = -1, .b = -1, .c = -1});
    *out = (tv){.kind = TV_NONE};
    return rc;
}

/* ---- atomics ---- */

/* The element that args[0] and a subscript (a number or a tuple; NULL: element 0) designate. */
static gpa_code element(lowering *lw, const typed_site *s, const tv *index, tview *out) {
    const tv *a = &s->args[0];
    const tv zero = typed_int(lw, 0);
    if (a->kind != TV_ARRAY)
        return typed_fail(lw, s->node->call.args.at[0], GPA_E_TYPE,
                          "an atomic operation works on an element of an array, not on a %s",
                          typed_kind(a));
    bool tuple = index && index->kind == TV_TUPLE;
    const tv *ix = tuple ? index->items : index ? index : &zero;
    int n = tuple ? (int)index->n : 1;
    for (int i = 0; i < n; i++)
        if (ix[i].kind != TV_NUMBER ||
            !(dtype_is_int((gpa_dtype)ix[i].t.dtype) || ix[i].t.dtype == DT_BOOL))
            return typed_fail(lw, s->node->call.args.at[1], GPA_E_TYPE,
                              "an index is an integer, not %s %s", typed_article(&ix[i]),
                              typed_kind(&ix[i]));
    gpa_code rc = typed_index(lw, s->node, a->view, ix, n, out);
    if (rc) return rc;
    if (out->ndim)
        return typed_fail(lw, s->node, GPA_E_TYPE,
                          "an atomic operation works on one element: %d indices are missing",
                          out->ndim);
    return out->readonly
               ? typed_fail(lw, s->node, GPA_E_VALUE, "assignment destination is read-only")
               : GPA_OK;
}

/* operands: the value, and for compare-and-swap the old value before it. */
static gpa_code atomic(lowering *lw, const typed_site *s, kir_atomic row, const tv *index,
                       const tv *operands, tv *out) {
    tview at;
    gpa_code rc = element(lw, s, index, &at);
    if (rc) return rc;
    gpa_dtype t = (gpa_dtype)at.dtype;
    bool bits = row == KIR_AT_AND || row == KIR_AT_OR || row == KIR_AT_XOR,
         counts = row == KIR_AT_INC || row == KIR_AT_DEC;
    bool supported = bits     ? dtype_is_int(t) || t == DT_BOOL
                     : counts ? dtype_is_int(t)
                              : t != DT_BOOL || row == KIR_AT_EXCH || row == KIR_AT_CAS;
    if (dtype_is_complex(t) && row >= KIR_AT_MIN && row <= KIR_AT_NANMAX) supported = false;
    if (!supported)
        return typed_fail(lw, s->node, GPA_E_TYPE, "cuda.atomic.%s() is not defined for %s",
                          s->callee->name, dtype_info[t].name);
    const typed_ty ty = {.dtype = at.dtype};
    lw->f->arrays[at.array].access |= KIR_READ | KIR_WRITE;
    int32_t vb = typed_cast(lw, operands[0], ty),
            vc = row == KIR_AT_CAS ? typed_cast(lw, operands[1], ty) : -1;
    int32_t v = kir_emit(lw->f, (kir_ins){.code = KIR_ATOMIC,
                                          .type = at.dtype,
                                          .sub = (uint16_t)at.array,
                                          .imm = row,
                                          .a = at.offset,
                                          .b = vb,
                                          .c = vc});
    *out = number(ty, v);
    return GPA_OK;
}

/* cuda.atomic.add(array, index, value) and the like; cas(array, index, old, value);
 * compare_and_swap(array, old, value). */
gpa_code typed_cuda_atomic(lowering *lw, const typed_site *s, tv *out) {
    static const struct {
        const char *name;
        kir_atomic row;
    } names[] = {{"add", KIR_AT_ADD},       {"sub", KIR_AT_SUB},
                 {"min", KIR_AT_MIN},       {"max", KIR_AT_MAX},
                 {"nanmin", KIR_AT_NANMIN}, {"nanmax", KIR_AT_NANMAX},
                 {"and_", KIR_AT_AND},      {"or_", KIR_AT_OR},
                 {"xor", KIR_AT_XOR},       {"exch", KIR_AT_EXCH},
                 {"inc", KIR_AT_INC},       {"dec", KIR_AT_DEC},
                 {"cas", KIR_AT_CAS},       {"compare_and_swap", KIR_AT_CAS}};
    kir_atomic row = KIR_AT_ADD;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(names[i].name, s->callee->name) == 0) row = names[i].row;
    bool whole = strcmp(s->callee->name, "compare_and_swap") == 0;
    uint32_t n = whole ? 3 : row == KIR_AT_CAS ? 4 : 3, first = whole ? 1 : 2;
    gpa_code rc = takes(lw, s, n, n);
    for (uint32_t i = first; i < n && !rc; i++) rc = need_number(lw, s, i);
    return rc ? rc : atomic(lw, s, row, whole ? NULL : &s->args[1], &s->args[first], out);
}

/* ---- warps ---- */

static int32_t warp(lowering *lw, kir_warp row, gpa_dtype t, int32_t a, int32_t b, int32_t mask) {
    return kir_emit(
        lw->f,
        (kir_ins){
            .code = KIR_WARP, .type = (uint8_t)t, .sub = (uint16_t)row, .a = a, .b = b, .c = mask});
}

/* shfl_sync(mask, value, lane) and its up, down and xor variants. */
gpa_code typed_cuda_shuffle(lowering *lw, const typed_site *s, tv *out) {
    kir_warp row = strstr(s->callee->name, "_up_")     ? KIR_WA_SHFL_UP
                   : strstr(s->callee->name, "_down_") ? KIR_WA_SHFL_DOWN
                   : strstr(s->callee->name, "_xor_")  ? KIR_WA_SHFL_XOR
                                                       : KIR_WA_SHFL;
    int32_t mask = -1;
    gpa_code rc = takes(lw, s, 3, 3);
    if (!rc) rc = lane_mask(lw, s, &mask);
    for (uint32_t i = 1; i < 3 && !rc; i++) rc = need_number(lw, s, i);
    if (rc) return rc;
    const tv *v = &s->args[1];
    int32_t by = kir_cast(lw->f, DT_I32, s->args[2].v);
    *out = number(v->t, warp(lw, row, (gpa_dtype)v->t.dtype, v->v, by, mask));
    return GPA_OK;
}

/* all_sync, any_sync, eq_sync, ballot_sync (mask, predicate). */
gpa_code typed_cuda_vote(lowering *lw, const typed_site *s, tv *out) {
    const char *name = s->callee->name;
    kir_warp row = strncmp(name, "all", 3) == 0   ? KIR_WA_ALL
                   : strncmp(name, "any", 3) == 0 ? KIR_WA_ANY
                   : strncmp(name, "eq", 2) == 0  ? KIR_WA_EQ
                                                  : KIR_WA_BALLOT;
    int32_t mask = -1;
    gpa_code rc = takes(lw, s, 2, 2);
    if (!rc) rc = lane_mask(lw, s, &mask);
    if (!rc) rc = need_number(lw, s, 1);
    if (rc) return rc;
    int32_t a = kir_cast(lw->f, DT_BOOL, s->args[1].v);
    if (row == KIR_WA_BALLOT)
        *out = as_int(lw, warp(lw, row, DT_U32, a, -1, mask));
    else
        *out = number(py_bool, warp(lw, row, DT_BOOL, a, -1, mask));
    return GPA_OK;
}

/* match_any_sync(mask, value): mask of the lanes with an equal value. match_all_sync: the mask,
 * and whether all lanes are equal. */
gpa_code typed_cuda_match(lowering *lw, const typed_site *s, tv *out) {
    bool all = strstr(s->callee->name, "all") != NULL;
    int32_t among = -1;
    gpa_code rc = takes(lw, s, 2, 2);
    if (!rc) rc = lane_mask(lw, s, &among);
    if (!rc) rc = need_number(lw, s, 1);
    if (rc) return rc;
    tv mask = as_int(
        lw, warp(lw, all ? KIR_WA_MATCH_ALL : KIR_WA_MATCH_ANY, DT_U32, s->args[1].v, -1, among));
    *out = mask;
    if (!all) return GPA_OK;
    if (typed_tuple(lw, 2, out)) return GPA_E_MEMORY;
    out->items[0] = mask;
    out->items[1] = number(py_bool, kir_cast(lw->f, DT_BOOL, mask.v));
    return GPA_OK;
}

gpa_code typed_cuda_active(lowering *lw, const typed_site *s, tv *out) {
    gpa_code rc = takes(lw, s, 0, 0);
    if (rc) return rc;
    if (strcmp(s->callee->name, "activemask") == 0) {
        *out = as_int(lw, warp(lw, KIR_WA_ACTIVEMASK, DT_U32, -1, -1, -1));
        return GPA_OK;
    }
    int32_t one = typed_int(lw, 1).v; /* lanemask_lt: the bits below the lane's own */
    *out = number(py_int,
                  kir_op2(lw->f, OP_SUBTRACT,
                          kir_op2(lw->f, OP_LEFT_SHIFT, one, thread(lw, KIR_TH_LANE, 0)), one));
    return GPA_OK;
}

/* ---- bits ---- */

static gpa_dtype unsigned_of(gpa_dtype t) {
    size_t n = dtype_size(t);
    return n == 1 ? DT_U8 : n == 2 ? DT_U16 : n == 4 ? DT_U32 : DT_U64;
}

static int32_t whole(lowering *lw, gpa_dtype t, uint64_t v) {
    return kir_const(lw->f, t, dtype_cast((gpa_val){.U64 = v}, DT_U64, t));
}

/* Sets every bit below the highest set bit. */
static int32_t smear(lowering *lw, gpa_dtype t, int32_t x) {
    for (uint64_t by = 1; by < 8 * dtype_size(t); by *= 2)
        x = kir_op2(lw->f, OP_BITWISE_OR, x, kir_op2(lw->f, OP_RIGHT_SHIFT, x, whole(lw, t, by)));
    return x;
}

static int32_t reversed(lowering *lw, gpa_dtype t, int32_t x) {
    static const uint64_t masks[] = {0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
                                     0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
    for (size_t k = 0; (size_t)1 << k < 8 * dtype_size(t); k++) {
        int32_t by = whole(lw, t, UINT64_C(1) << k), m = whole(lw, t, masks[k]);
        int32_t high = kir_op2(lw->f, OP_BITWISE_AND, kir_op2(lw->f, OP_RIGHT_SHIFT, x, by), m);
        x = kir_op2(lw->f, OP_BITWISE_OR, high,
                    kir_op2(lw->f, OP_LEFT_SHIFT, kir_op2(lw->f, OP_BITWISE_AND, x, m), by));
    }
    return x;
}

static int32_t count(lowering *lw, int32_t x) {
    return kir_cast(lw->f, DT_I64, kir_op1(lw->f, OP_BITWISE_COUNT, x));
}

/* popc, brev, clz, ffs of an integer in its own bit width. */
gpa_code typed_cuda_bits(lowering *lw, const typed_site *s, tv *out) {
    const char *name = s->callee->name;
    gpa_code rc = takes(lw, s, 1, 1);
    if (!rc) rc = need_number(lw, s, 0);
    if (rc) return rc;
    const tv *v = &s->args[0];
    if (!dtype_is_int((gpa_dtype)v->t.dtype))
        return typed_fail(lw, s->node, GPA_E_TYPE, "cuda.%s() takes an integer, not %s", name,
                          typed_name(v->t));
    gpa_dtype t = unsigned_of((gpa_dtype)v->t.dtype);
    int32_t x = kir_cast(lw->f, t, v->v), bits = typed_int(lw, (int64_t)(8 * dtype_size(t))).v,
            zero = whole(lw, t, 0);
    if (name[0] == 'p')
        *out = number(py_int, count(lw, x));
    else if (name[0] == 'b')
        *out = number(v->t, kir_cast(lw->f, (gpa_dtype)v->t.dtype, reversed(lw, t, x)));
    else if (name[0] == 'c')
        *out = number(py_int, kir_op2(lw->f, OP_SUBTRACT, bits, count(lw, smear(lw, t, x))));
    else { /* ffs: population count of the bits up to and including the lowest set bit */
        int32_t lowest = kir_op2(lw->f, OP_BITWISE_AND, x, kir_op2(lw->f, OP_SUBTRACT, zero, x));
        int32_t below = count(lw, kir_op2(lw->f, OP_SUBTRACT, lowest, whole(lw, t, 1)));
        int32_t place_ = kir_op2(lw->f, OP_ADD, below, typed_int(lw, 1).v);
        *out = number(py_int, kir_op3(lw->f, OP_WHERE, kir_op2(lw->f, OP_EQUAL, x, zero),
                                      typed_int(lw, 0).v, place_));
    }
    return GPA_OK;
}

/* fma(a, b, c), cbrt(x), selp(test, a, b). */
gpa_code typed_cuda_math(lowering *lw, const typed_site *s, tv *out) {
    const char *name = s->callee->name;
    uint32_t n = name[0] == 'c' ? 1 : 3;
    tv v[3];
    gpa_code rc = takes(lw, s, n, n);
    for (uint32_t i = 0; i < n && !rc; i++) rc = need_number(lw, s, i);
    if (rc) return rc;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = s->args[i];
        bool real = name[0] == 's' || dtype_is_float((gpa_dtype)v[i].t.dtype) ||
                    dtype_is_complex((gpa_dtype)v[i].t.dtype);
        typed_ty t = {.dtype = DT_F64, .weak = v[i].t.weak};
        if (!real) v[i] = number(t, typed_cast(lw, v[i], t));
    }
    if (name[0] == 's') v[0] = number(py_bool, kir_cast(lw->f, DT_BOOL, v[0].v));
    return typed_apply(lw, s->node,
                       name[0] == 'c'   ? OP_CBRT
                       : name[0] == 'f' ? OP_FMA
                                        : OP_WHERE,
                       v, (int)n, out);
}

/* ---- arrays ---- */

/* cuda.const.array_like(array): a read-only view of the array itself. */
gpa_code typed_cuda_const(lowering *lw, const typed_site *s, tv *out) {
    gpa_code rc = takes(lw, s, 1, 1);
    if (rc) return rc;
    if (s->args[0].kind != TV_ARRAY)
        return typed_fail(lw, s->node, GPA_E_TYPE, "const.array_like() takes an array, not %s %s",
                          typed_article(&s->args[0]), typed_kind(&s->args[0]));
    tview v = *s->args[0].view;
    v.readonly = true;
    return typed_view_value(lw, &v, out);
}

/* ---- print ---- */

/* Emits a KIR_PRINT operand for each number of an argument. */
static void emit_numbers(lowering *lw, const tv *a) {
    if (a->kind == TV_NUMBER)
        kir_emit(lw->f, (kir_ins){.code = KIR_ARG, .type = DT_NONE, .a = a->v, .b = -1, .c = -1});
    else if (a->kind == TV_TUPLE || a->kind == TV_TEXT)
        for (uint32_t i = 0; i < a->n; i++) emit_numbers(lw, &a->items[i]);
}

/* Appends the text of one argument, with a placeholder for each number. */
static gpa_code print_argument(lowering *lw, const ast_node *at, const tv *a, gpa_str *text,
                               uint32_t *n) {
    gpa_code rc = GPA_OK;
    if (a->kind == TV_TUPLE) {
        str_putc(text, '(');
        for (uint32_t i = 0; i < a->n && !rc; i++) {
            if (i) str_put(text, ", ");
            rc = print_argument(lw, at, &a->items[i], text, n);
        }
        str_put(text, a->n == 1 ? ",)" : ")");
    } else if (a->kind == TV_NUMBER) {
        str_putc(text, '\1');
        *n += 1;
    } else if (a->kind == TV_TEXT || (a->kind == TV_STATIC && a->constant.tag == V_STR)) {
        str_put(text, a->constant.str->text);
        *n += a->n;
    } else {
        rc = typed_fail(lw, at, GPA_E_TYPE, "a kernel prints texts and numbers, not %s %s",
                        typed_article(a), typed_kind(a));
    }
    return rc;
}

/* print("text", number, f"{number:.2f}", ...): one line, separated by blanks. */
gpa_code typed_cuda_print(lowering *lw, const typed_site *s, tv *out) {
    gpa_str text;
    uint32_t n = 0;
    lw->fallback = lw->fallback || lw->to->form == TYPED_LOOP;
    gpa_code rc = in_kernel(lw, s);
    if (!rc && s->node->call.keywords.n)
        rc = typed_fail(lw, s->node->call.keywords.at[0], GPA_E_UNSUPPORTED,
                        "print() has no keyword arguments in a kernel");
    if (rc) return rc;
    str_init(&text);
    for (uint32_t i = 0; i < s->n && !rc; i++) {
        if (i) str_putc(&text, ' ');
        rc = print_argument(lw, s->node->call.args.at[i], &s->args[i], &text, &n);
    }
    str_putc(&text, '\n');
    if (!rc && n > KIR_MAX_PRINT)
        rc = typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                        "a kernel prints at most %d numbers at once", KIR_MAX_PRINT);
    for (uint32_t i = 0; i < s->n && !rc; i++) emit_numbers(lw, &s->args[i]);
    if (!rc)
        kir_emit(lw->f, (kir_ins){.code = KIR_PRINT,
                                  .type = DT_NONE,
                                  .imm = kir_add_text(lw->f, text.text),
                                  .a = -1,
                                  .b = -1,
                                  .c = -1});
    if (text.failed) rc = vm_no_memory(lw->vm);
    str_free(&text);
    *out = (tv){.kind = TV_NONE};
    return rc;
}
