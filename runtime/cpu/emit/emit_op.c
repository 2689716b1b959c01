/* Code generation for elementwise operations: one switch, expanded from the LL column of op.def.
 *
 * A macro of that column is a call of a function below. A function without an instruction
 * sequence for the kind of its operands falls back to by_function, which calls the row's own C
 * function lane by lane: always correct, never fast. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cpu/emit/ll.h"
#include "runtime/cpu/emit/op_lanes.h"
#include "runtime/cpu/emit/vecmath.h"

/* One operation being emitted: the row, the types it computes in and returns, operands of equal
 * shape. */
typedef struct {
    gpa_op op;
    gpa_dtype t, to;
    char kind; /* of t */
    ll_val a, b, c;
    V one_b; /* b as a scalar if it is uniform; else NULL */
} row;

static ll_val result(const row *r, V v) { return (ll_val){v, NULL, (uint8_t)r->to, r->a.vec}; }
static ll_val pair(const row *r, V re, V im) { return (ll_val){re, im, (uint8_t)r->to, r->a.vec}; }

/* ---- fallback: calls of the row's C function ---- */

/* Copies an element to or from the first bytes of a gpa_val; their representation is the same. */
static void move(void *to, const void *from, size_t size) {
    switch (size) {
        case 1: memcpy(to, from, 1); return;
        case 2: memcpy(to, from, 2); return;
        case 4: memcpy(to, from, 4); return;
        case 8: memcpy(to, from, 8); return;
        case 16: memcpy(to, from, 16); return;
    }
}

static void run_lanes(gpa_op_fn f, uint64_t types, uint64_t lanes, const void *a, const void *b,
                      const void *c, void *out) {
    const char *from[3] = {a, b, c};
    char *to = out;
    gpa_val v[3] = {0}, r = {0};
    size_t size[4];
    for (int i = 0; i < 4; i++)
        size[i] =
            (types >> 8 * i & 0xff) < DT_COUNT ? dtype_size((gpa_dtype)(types >> 8 * i & 0xff)) : 0;
    for (uint64_t n = 0; n < lanes; n++) {
        for (int i = 0; i < 3; i++) move(&v[i], from[i] + n * size[i], size[i]);
        f(&r, &v[0], &v[1], &v[2]);
        move(to + n * size[3], &r, size[3]);
    }
}

/* A stack slot for the lanes of a value in memory format: complex numbers are interleaved. */
static V lanes_slot(ll *E, gpa_dtype t, unsigned n) {
    LLVMTypeRef type = LLVMArrayType(ll_memory(E, t), n * (dtype_is_complex(t) ? 2 : 1));
    V slot = ll_slot(E, type, "lanes");
    LLVMSetAlignment(slot, 64);
    return slot;
}

static V put_lanes(ll *E, ll_val a) {
    V slot = lanes_slot(E, a.t, ll_width(a.v));
    V v = ll_to_memory(E, a.t, a.v);
    LLVMSetAlignment(LLVMBuildStore(E->b, a.im ? ll_interleave(E, v, a.im) : v, slot), 16);
    return slot;
}

static ll_val take_lanes(ll *E, V slot, gpa_dtype t, unsigned n, bool vec) {
    unsigned parts = n * (dtype_is_complex(t) ? 2 : 1);
    LLVMTypeRef type = parts > 1 ? LLVMVectorType(ll_memory(E, t), parts) : ll_memory(E, t);
    V all = LLVMBuildLoad2(E->b, type, slot, "");
    LLVMSetAlignment(all, 16);
    ll_val r = {.t = (uint8_t)t, .vec = vec};
    if (!dtype_is_complex(t))
        r.v = ll_from_memory(E, t, all);
    else
        r.v = ll_every_second(E, all, 0), r.im = ll_every_second(E, all, 1);
    return r;
}

/* The same for operations that have a vectorized C implementation (op_lanes.h). */
static void run_several(gpa_op_fn f, uint64_t types, uint64_t lanes, const void *a, const void *b,
                        const void *c, void *out) {
    gpa_op op = (gpa_op)(types >> 32);
    if (!op_lanes_run(op, (gpa_dtype)(types & 0xff), a, b, out, lanes))
        run_lanes(f, types, lanes, a, b, c, out);
}

/* The row's C function as an external symbol, so that cached modules contain no addresses. */
static V row_function(ll *E, const row *r) {
    gpa_op_fn f = op_function(r->op, r->t);
    char name[80];
    snprintf(name, sizeof name, "gpa_op_%s_%s", op_info[r->op].name, dtype_info[r->t].name);
    if (!f && !E->rc)
        E->rc = gpa_fail(E->err, GPA_E_INTERNAL, "%s of %s", op_info[r->op].name,
                         dtype_info[r->t].name);
    return ll_function(E, name, (void *)(uintptr_t)f,
                       LLVMFunctionType(LLVMVoidTypeInContext(E->ctx), NULL, 0, 0));
}

static ll_val by_function(ll *E, const row *r) {
    unsigned n = ll_width(r->a.v);
    if (r->to == r->t && dtype_info[r->t].kind == 'F' && dtype_info[r->t].size == 2 &&
        op_lanes_can(r->op, DT_F32)) { /* computed in lanes of float */
        row wide = *r;
        wide.t = wide.to = DT_F32, wide.a.t = wide.b.t = DT_F32;
        return result(r, ll_round(E, r->to, by_function(E, &wide).v));
    }
    bool several = op_lanes_can(r->op, r->t) && r->to == r->t;
    const ll_val *operand[3] = {&r->a, &r->b, &r->c};
    V args[7] = {NULL, NULL, ll_i64(E, n)};
    uint64_t types = (uint64_t)r->to << 24 | (uint64_t)r->op << 32;
    for (int i = 0; i < 3; i++) {
        bool there = operand[i]->v;
        types |= (uint64_t)(there ? operand[i]->t : DT_NONE) << 8 * i;
        args[3 + i] = there ? put_lanes(E, *operand[i]) : LLVMConstNull(ll_ptr(E));
    }
    args[0] = row_function(E, r);
    args[1] = ll_i64(E, (int64_t)types);
    args[6] = lanes_slot(E, r->to, n);
    if (several)
        ll_call(E, "gpa_several", (void *)(uintptr_t)run_several, LLVMVoidTypeInContext(E->ctx),
                args, 7);
    else
        ll_call(E, "gpa_lanes", (void *)(uintptr_t)run_lanes, LLVMVoidTypeInContext(E->ctx), args,
                7);
    return take_lanes(E, args[6], r->to, n, r->a.vec);
}

/* Calls the row's C function in the lanes set in `rest`, for complex numbers of one type. */
static void run_rest(gpa_op_fn f, uint64_t size, uint64_t rest, const void *a, const void *b,
                     void *out) {
    for (; rest; rest &= rest - 1) {
        size_t at = (size_t)__builtin_ctzll(rest) * size;
        gpa_val v[3] = {0}, r = {0};
        move(&v[0], (const char *)a + at, size);
        move(&v[1], (const char *)b + at, size);
        f(&r, &v[0], &v[1], &v[2]);
        move((char *)out + at, &r, size);
    }
}

/* A function of complex numbers: vectorized, with the C function for lanes in which the vector
 * code does not apply. */
static ll_val of_complex(ll *E, const row *r) {
    ll_val fast;
    V holds;
    unsigned n = ll_width(r->a.v);
    if (n > 64 || !ll_complex(E, r->op, r->a, r->b, &fast, &holds)) return by_function(E, r);
    if (!holds) return fast;
    V rest = LLVMBuildBitCast(E->b, LLVMBuildNot(E->b, holds, ""), ll_i(E, n), ""),
      out = put_lanes(E, fast), a = put_lanes(E, r->a);
    V args[] = {row_function(E, r),
                ll_i64(E, (int64_t)dtype_size(r->t)),
                LLVMBuildZExt(E->b, rest, ll_i(E, 64), ""),
                a,
                r->b.v ? put_lanes(E, r->b) : a,
                out};
    ll_call(E, "gpa_rest", (void *)(uintptr_t)run_rest, LLVMVoidTypeInContext(E->ctx), args, 6);
    return take_lanes(E, out, r->to, n, true);
}

/* ---- complex arithmetic ---- */

static V bin(ll *E, LLVMOpcode code, V a, V b) {
    V v = LLVMBuildBinOp(E->b, code, a, b, "");
    bool real = code == LLVMFAdd || code == LLVMFSub || code == LLVMFMul;
    if (E->contract && real && LLVMIsAInstruction(v))
        LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
    return v;
}

static ll_val cx_mul(ll *E, const row *r) {
    V re = bin(E, LLVMFSub, bin(E, LLVMFMul, r->a.v, r->b.v), bin(E, LLVMFMul, r->a.im, r->b.im));
    V im = bin(E, LLVMFAdd, bin(E, LLVMFMul, r->a.v, r->b.im), bin(E, LLVMFMul, r->a.im, r->b.v));
    return pair(r, re, im);
}

/* Smith's method, as in the reference implementation: scales by the larger part of the divisor. */
static ll_val cx_div(ll *E, const row *r) {
    LLVMBuilderRef b = E->b;
    V re_im[2] = {r->b.v, r->b.im};
    V x = ll_intrinsic(E, "llvm.fabs", &re_im[0], 1),
      y = ll_intrinsic(E, "llvm.fabs", &re_im[1], 1);
    V turned = LLVMBuildFCmp(b, LLVMRealULT, x, y, ""), zero = LLVMConstNull(LLVMTypeOf(x));
    V most = ll_select(E, turned, r->b.im, r->b.v), least = ll_select(E, turned, r->b.v, r->b.im);
    V u = ll_select(E, turned, r->a.im, r->a.v), w = ll_select(E, turned, r->a.v, r->a.im);
    V ratio = bin(E, LLVMFDiv, least, most);
    V scale = bin(E, LLVMFDiv, ll_real_like(E, x, 1),
                  bin(E, LLVMFAdd, most, bin(E, LLVMFMul, least, ratio)));
    V re = bin(E, LLVMFMul, bin(E, LLVMFAdd, u, bin(E, LLVMFMul, w, ratio)), scale),
      ur = bin(E, LLVMFMul, u, ratio);
    V im = bin(E, LLVMFMul,
               bin(E, LLVMFSub, ll_select(E, turned, ur, w), ll_select(E, turned, w, ur)), scale);
    V by_zero = bin(E, LLVMAnd, LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, ""),
                    LLVMBuildFCmp(b, LLVMRealOEQ, y, zero, ""));
    re = ll_select(E, by_zero, bin(E, LLVMFDiv, r->a.v, x), re);
    im = ll_select(E, by_zero, bin(E, LLVMFDiv, r->a.im, x), im);
    return pair(r, re, im);
}

/* NumPy's lexicographic order of complex numbers: by the real part, then by the imaginary part. */
static V cx_before(ll *E, ll_val a, ll_val b, bool or_equal) {
    LLVMBuilderRef B = E->b;
    V same = LLVMBuildFCmp(B, LLVMRealOEQ, a.v, b.v, "");
    V by_im = LLVMBuildFCmp(B, or_equal ? LLVMRealOLE : LLVMRealOLT, a.im, b.im, "");
    V by_re = bin(E, LLVMAnd, LLVMBuildFCmp(B, LLVMRealOLT, a.v, b.v, ""),
                  LLVMBuildFCmp(B, LLVMRealORD, a.im, b.im, ""));
    return ll_select(E, same, by_im, by_re);
}

static V cx_nan(ll *E, ll_val a) { return LLVMBuildFCmp(E->b, LLVMRealUNO, a.v, a.im, ""); }

static ll_val cx_minmax(ll *E, const row *r, bool most, bool skips) {
    V before = most ? cx_before(E, r->b, r->a, true) : cx_before(E, r->a, r->b, true);
    return ll_choose(E, bin(E, LLVMOr, cx_nan(E, skips ? r->b : r->a), before), r->a, r->b);
}

V ll_beats(ll *E, bool most, ll_val b, ll_val a) {
    char kind = dtype_info[a.t].kind;
    if (kind == 'C') {
        V wins = most ? cx_before(E, a, b, false) : cx_before(E, b, a, false);
        return bin(E, LLVMAnd, LLVMBuildNot(E->b, cx_nan(E, a), ""),
                   bin(E, LLVMOr, cx_nan(E, b), wins));
    }
    if (kind != 'F')
        return ll_op(E, most ? OP_GREATER : OP_LESS, a.t, DT_BOOL, b, a, (ll_val){0}).v;
    V beyond = LLVMBuildFCmp(E->b, most ? LLVMRealUGT : LLVMRealULT, b.v, a.v, "");
    return bin(E, LLVMAnd, beyond, LLVMBuildFCmp(E->b, LLVMRealORD, a.v, a.v, ""));
}

enum { CX_CONJ, CX_RE, CX_IM, CX_JOIN };

static ll_val ll_cx(ll *E, const row *r, int what) {
    bool cx = r->kind == 'C';
    switch (what) {
        case CX_CONJ: return cx ? pair(r, r->a.v, LLVMBuildFNeg(E->b, r->a.im, "")) : r->a;
        case CX_RE: return result(r, r->a.v);
        case CX_IM: return result(r, cx ? r->a.im : LLVMConstNull(LLVMTypeOf(r->a.v)));
        case CX_JOIN: return pair(r, r->a.v, r->b.v);
    }
    return r->a;
}

/* ---- instructions ---- */

static ll_val ll_bin(ll *E, const row *r, LLVMOpcode f, LLVMOpcode s, LLVMOpcode u) {
    if (r->kind == 'C') {
        if (f == LLVMFMul) return cx_mul(E, r);
        if (f == LLVMFDiv) return cx_div(E, r);
        return pair(r, bin(E, f, r->a.v, r->b.v), bin(E, f, r->a.im, r->b.im));
    }
    if (r->kind == 'F') return result(r, ll_round(E, r->to, bin(E, f, r->a.v, r->b.v)));
    if (r->kind == 'B') s = s == LLVMAdd ? LLVMOr : s == LLVMMul ? LLVMAnd : s;
    return result(r, bin(E, r->kind == 'U' ? u : s, r->a.v, r->b.v));
}

static V compare(ll *E, const row *r, LLVMRealPredicate f, LLVMIntPredicate s, LLVMIntPredicate u,
                 V a, V b) {
    return r->kind == 'F' || r->kind == 'C' ? LLVMBuildFCmp(E->b, f, a, b, "")
                                            : LLVMBuildICmp(E->b, r->kind == 'I' ? s : u, a, b, "");
}

static ll_val ll_cmp(ll *E, const row *r, LLVMRealPredicate f, LLVMIntPredicate s,
                     LLVMIntPredicate u) {
    V v;
    if (r->kind == 'C' && f != LLVMRealOEQ && f != LLVMRealUNE) {
        bool less = f == LLVMRealOLT || f == LLVMRealOLE;
        return result(r, cx_before(E, less ? r->a : r->b, less ? r->b : r->a,
                                   f == LLVMRealOLE || f == LLVMRealOGE));
    }
    v = compare(E, r, f, s, u, r->a.v, r->b.v);
    if (r->kind == 'C')
        v = bin(E, f == LLVMRealOEQ ? LLVMAnd : LLVMOr, v,
                compare(E, r, f, s, u, r->a.im, r->b.im));
    return result(r, v);
}

/* The bits of a half that was loaded and not yet computed with; NULL: it was computed, in lanes
 * of float. Operations on the sign alone then need no conversion. */
static V half_bits(ll *E, const row *r) {
    LLVMTypeRef one = ll_i(E, 16);
    V v = r->a.v, half = r->t == DT_F16 && LLVMIsAFPExtInst(v) ? LLVMGetOperand(v, 0) : NULL;
    return half ? LLVMBuildBitCast(E->b, half,
                                   ll_width(v) > 1 ? LLVMVectorType(one, ll_width(v)) : one, "")
                : NULL;
}

static ll_val half_result(ll *E, const row *r, V bits) {
    LLVMTypeRef half = LLVMTypeOf(LLVMGetOperand(r->a.v, 0));
    return result(
        r, LLVMBuildFPExt(E->b, LLVMBuildBitCast(E->b, bits, half, ""), LLVMTypeOf(r->a.v), ""));
}

static ll_val ll_neg(ll *E, const row *r) {
    V bits = half_bits(E, r);
    if (bits) return half_result(E, r, bin(E, LLVMXor, bits, ll_int_like(E, bits, 0x8000)));
    if (r->kind == 'C')
        return pair(r, LLVMBuildFNeg(E->b, r->a.v, ""), LLVMBuildFNeg(E->b, r->a.im, ""));
    return result(
        r, r->kind == 'F' ? LLVMBuildFNeg(E->b, r->a.v, "") : LLVMBuildNeg(E->b, r->a.v, ""));
}

static ll_val ll_not(ll *E, const row *r) { return result(r, LLVMBuildNot(E->b, r->a.v, "")); }

static ll_val ll_row_select(ll *E, const row *r) {
    ll_val v = ll_choose(E, r->a.v, r->b, r->c);
    v.t = (uint8_t)r->to;
    return v;
}

static ll_val ll_row_intrinsic(ll *E, const row *r, const char *name) {
    V args[3] = {r->a.v, r->b.v, r->c.v};
    if (r->kind == 'C' && r->op == OP_RINT)
        return pair(r, ll_intrinsic(E, name, args, 1), ll_intrinsic(E, name, (V[]){r->a.im}, 1));
    if (r->kind == 'C') return of_complex(E, r);
    if (r->kind != 'F') return r->a; /* rounding an integer */
    return result(r, ll_round(E, r->to, ll_intrinsic(E, name, args, op_info[r->op].arity)));
}

static ll_val ll_row_libm(ll *E, const row *r, const char *name) {
    V args[2] = {r->a.v, r->b.v}, v;
    if (r->kind == 'C') return of_complex(E, r);
    if (r->kind != 'F' || !(v = ll_libm(E, name, args, op_info[r->op].arity)))
        return by_function(E, r);
    return result(r, ll_round(E, r->to, v));
}

static V of_lanes(ll *E, V x, const void *r) {
    row one = *(const row *)r;
    one.a.v = x;
    return by_function(E, &one).v;
}

/* libm computes the logarithm of gamma for negative operands near its zeros, accurately. */
static ll_val ll_lgamma(ll *E, const row *r) {
    V v = r->a.v;
    if (r->kind != 'F' || ll_width(v) == 1 || !E->host->fma || !E->host->masks)
        return by_function(E, r);
    return result(r, ll_round(E, r->to, vec_log_gamma(E, v, of_lanes, r)));
}

static ll_val ll_angle(ll *E, const row *r) {
    V args[2] = {r->kind == 'C' ? r->a.im : LLVMConstNull(LLVMTypeOf(r->a.v)), r->a.v},
      v = ll_libm(E, "atan2", args, 2);
    return v ? result(r, ll_round(E, r->to, v)) : by_function(E, r);
}

static ll_val ll_scale(ll *E, const row *r, double n, double d) {
    double factor = r->t == DT_F64 ? n / d : (float)n / (float)d;
    return result(r, ll_round(E, r->to, bin(E, LLVMFMul, r->a.v, ll_real_like(E, r->a.v, factor))));
}

/* Absolute value of integers; the identity for unsigned types. */
static V int_size(ll *E, const row *r, V v) {
    if (r->kind != 'I') return v;
    return ll_select(E, LLVMBuildICmp(E->b, LLVMIntSLT, v, ll_int_like(E, v, 0), ""),
                     LLVMBuildNeg(E->b, v, ""), v);
}

static ll_val ll_abs(ll *E, const row *r) {
    V v = r->a.v, bits;
    if (r->kind == 'C') {
        V parts[2] = {r->a.v, r->a.im},
          h = ll_width(v) > 1 ? ll_modulus(E, r->a) : ll_libm(E, "hypot", parts, 2);
        return h ? result(r, h) : by_function(E, r);
    }
    if ((bits = half_bits(E, r)))
        return half_result(E, r, bin(E, LLVMAnd, bits, ll_int_like(E, bits, 0x7fff)));
    if (r->kind == 'F') return result(r, ll_intrinsic(E, "llvm.fabs", &v, 1));
    return result(r, int_size(E, r, v));
}

static ll_val ll_sign(ll *E, const row *r) {
    V v = r->a.v, zero;
    if (r->kind == 'C') return of_complex(E, r);
    zero = LLVMConstNull(LLVMTypeOf(v));
    V above = compare(E, r, LLVMRealOGT, LLVMIntSGT, LLVMIntUGT, v, zero);
    V below = compare(E, r, LLVMRealOLT, LLVMIntSLT, LLVMIntULT, v, zero);
    if (r->kind == 'F') { /* NaN is its own sign; zeros give +0 */
        V one = ll_real_like(E, v, 1), minus = ll_real_like(E, v, -1);
        V same = LLVMBuildFCmp(E->b, LLVMRealUNO, v, v, "");
        return result(
            r, ll_select(E, above, one, ll_select(E, below, minus, ll_select(E, same, v, zero))));
    }
    V low = r->kind == 'I' ? ll_select(E, below, ll_int_like(E, v, -1), zero) : zero;
    return result(r, ll_select(E, above, ll_int_like(E, v, 1), low));
}

static ll_val ll_cube(ll *E, const row *r) {
    V a = r->a.v, square = bin(E, r->kind == 'F' ? LLVMFMul : LLVMMul, a, a);
    if (r->kind != 'F') return result(r, bin(E, LLVMMul, square, a));
    V v = bin(E, LLVMFMul, square, a), size = ll_intrinsic(E, "llvm.fabs", &v, 1),
      zero = LLVMConstNull(LLVMTypeOf(v));
    V first[3] = {a, a, LLVMBuildFNeg(E->b, square, "")},
      second[3] = {square, a, LLVMBuildFNeg(E->b, v, "")};
    V rest[3] = {ll_intrinsic(E, "llvm.fma", first, 3), a, ll_intrinsic(E, "llvm.fma", second, 3)};
    V more = bin(E, LLVMFAdd, v, ll_intrinsic(E, "llvm.fma", rest, 3));
    V plain =
        LLVMBuildAnd(E->b, LLVMBuildFCmp(E->b, LLVMRealOGT, size, zero, ""),
                     LLVMBuildFCmp(E->b, LLVMRealOLT, size, ll_real_like(E, v, HUGE_VAL), ""), "");
    return result(r, ll_round(E, r->to, ll_select(E, plain, more, v)));
}

static ll_val ll_recip(ll *E, const row *r) {
    if (r->kind == 'C') return of_complex(E, r);
    if (r->kind != 'F') return by_function(E, r);
    return result(r, ll_round(E, r->to, bin(E, LLVMFDiv, ll_real_like(E, r->a.v, 1), r->a.v)));
}

static ll_val ll_minmax(ll *E, const row *r) {
    bool most = r->op == OP_MAXIMUM || r->op == OP_FMAX,
         skips = r->op == OP_FMAX || r->op == OP_FMIN;
    V a = r->a.v, b = r->b.v, take;
    if (r->kind == 'C') return cx_minmax(E, r, most, skips);
    if (r->kind == 'B') return result(r, bin(E, most ? LLVMOr : LLVMAnd, a, b));
    if (r->kind == 'F') { /* the processor's maximum of b and a: a if either is NaN */
        V best =
              ll_select(E, LLVMBuildFCmp(E->b, most ? LLVMRealOGT : LLVMRealOLT, b, a, ""), b, a),
          lost = skips ? a : b;
        return result(r, ll_select(E, LLVMBuildFCmp(E->b, LLVMRealUNO, lost, lost, ""), b, best));
    }
    bool s = r->kind == 'I';
    take = LLVMBuildICmp(E->b, most ? (s ? LLVMIntSGT : LLVMIntUGT) : (s ? LLVMIntSLT : LLVMIntULT),
                         a, b, "");
    return result(r, ll_select(E, take, a, b));
}

static ll_val ll_rsqrt(ll *E, const row *r) {
    V v = r->a.v, one = ll_real_like(E, v, 1);
    return result(r,
                  ll_round(E, r->to, bin(E, LLVMFDiv, one, ll_intrinsic(E, "llvm.sqrt", &v, 1))));
}

static ll_val ll_heaviside(ll *E, const row *r) {
    V a = r->a.v, zero = LLVMConstNull(LLVMTypeOf(a));
    V above =
        ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOGT, a, zero, ""), ll_real_like(E, a, 1), zero);
    V v = ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOEQ, a, zero, ""), r->b.v, above);
    return result(r, ll_select(E, LLVMBuildFCmp(E->b, LLVMRealUNO, a, a, ""), a, v));
}

/* Bit counts and bit permutations by intrinsics; `of_size`: of the absolute value. */
static ll_val ll_bits(ll *E, const row *r, const char *name, bool of_size, bool zero_counts) {
    ll_val a = of_size ? ll_abs(E, r) : r->a;
    V args[2] = {a.v, LLVMConstInt(ll_i(E, 1), 0, 0)};
    ll_val n = {ll_intrinsic(E, name, args, zero_counts ? 2 : 1), NULL, (uint8_t)r->t, r->a.vec};
    return ll_cast(E, r->to, n);
}

/* Philox4x32-10, with its words in the lower halves of 64-bit lanes, where a multiplication is
 * one instruction. The upper halves of c and k are ignored. */
static ll_val ll_philox(ll *E, const row *r, bool upper) {
    V like = r->a.v, low = ll_int_like(E, like, 0xffffffff), half = ll_int_like(E, like, 32);
    V c[4] = {r->a.v, bin(E, LLVMLShr, r->a.v, half), r->b.v, bin(E, LLVMLShr, r->b.v, half)};
    V k[2] = {r->c.v, bin(E, LLVMLShr, r->c.v, half)};
    for (int round = 0; round < 10; round++) {
        V p = bin(E, LLVMMul, bin(E, LLVMAnd, c[0], low), ll_int_like(E, like, 0xD2511F53));
        V q = bin(E, LLVMMul, bin(E, LLVMAnd, c[2], low), ll_int_like(E, like, 0xCD9E8D57));
        c[0] = bin(E, LLVMXor, bin(E, LLVMXor, bin(E, LLVMLShr, q, half), c[1]), k[0]);
        c[2] = bin(E, LLVMXor, bin(E, LLVMXor, bin(E, LLVMLShr, p, half), c[3]), k[1]);
        c[1] = q;
        c[3] = p;
        k[0] = bin(E, LLVMAdd, k[0], ll_int_like(E, like, 0x9E3779B9));
        k[1] = bin(E, LLVMAdd, k[1], ll_int_like(E, like, 0xBB67AE85));
    }
    V *half_of = upper ? c + 2 : c;
    return result(
        r, bin(E, LLVMOr, bin(E, LLVMAnd, half_of[0], low), bin(E, LLVMShl, half_of[1], half)));
}

/* The upper half of a 128-bit product, from the four products of 32-bit halves. */
static V upper_half(ll *E, V a, V b) {
    V low = ll_int_like(E, a, 0xffffffff), half = ll_int_like(E, a, 32);
    V a0 = bin(E, LLVMAnd, a, low), a1 = bin(E, LLVMLShr, a, half), b0 = bin(E, LLVMAnd, b, low),
      b1 = bin(E, LLVMLShr, b, half);
    V cross =
        bin(E, LLVMAdd, bin(E, LLVMMul, a1, b0), bin(E, LLVMLShr, bin(E, LLVMMul, a0, b0), half));
    V other = bin(E, LLVMAdd, bin(E, LLVMMul, a0, b1), bin(E, LLVMAnd, cross, low));
    V sum = bin(E, LLVMAdd, bin(E, LLVMLShr, cross, half), bin(E, LLVMLShr, other, half));
    return bin(E, LLVMAdd, bin(E, LLVMMul, a1, b1), sum);
}

static ll_val ll_mulhi(ll *E, const row *r) {
    if (dtype_info[r->t].size != 8) return by_function(E, r);
    V a = r->a.v, b = r->b.v, v = upper_half(E, a, b), sign = ll_int_like(E, a, 63);
    if (r->kind == 'I') { /* correction: a negative factor was read as itself plus 2^64 */
        v = bin(E, LLVMSub, v, bin(E, LLVMAnd, bin(E, LLVMAShr, a, sign), b));
        v = bin(E, LLVMSub, v, bin(E, LLVMAnd, bin(E, LLVMAShr, b, sign), a));
    }
    return result(r, v);
}

/* Bit cast: the bits of an operand of type `from`, read as another type. */
static ll_val ll_rebit(ll *E, const row *r, gpa_dtype from, gpa_dtype to) {
    return r->t == from ? result(r, LLVMBuildBitCast(E->b, r->a.v, ll_type(E, to, r->a.vec), ""))
                        : by_function(E, r);
}

static V truth(ll *E, ll_val a) { return ll_cast(E, DT_BOOL, a).v; }
static ll_val ll_logic(ll *E, const row *r, LLVMOpcode code) {
    return result(r, bin(E, code, truth(E, r->a), truth(E, r->b)));
}
static ll_val ll_logic_not(ll *E, const row *r) {
    return result(r, LLVMBuildNot(E->b, truth(E, r->a), ""));
}

/* Shift counts of at least the bit width, and negative ones, shift all bits out. */
static ll_val ll_shift(ll *E, const row *r, LLVMOpcode s, LLVMOpcode u) {
    V a = r->a.v, n = r->b.v, most = ll_int_like(E, n, 8 * dtype_info[r->t].size - 1);
    LLVMOpcode code = r->kind == 'I' ? s : u;
    V past = LLVMBuildICmp(E->b, LLVMIntUGT, n, most, "");
    V v = bin(E, code, a, ll_select(E, past, most, n));
    return result(r, code == LLVMAShr ? v : ll_select(E, past, LLVMConstNull(LLVMTypeOf(a)), v));
}

enum { TEST_FINITE, TEST_INF, TEST_NAN, TEST_SIGN };

static V test_part(ll *E, V v, int what) {
    LLVMBuilderRef b = E->b;
    V size = ll_intrinsic(E, "llvm.fabs", &v, 1), inf = ll_real_like(E, v, HUGE_VAL);
    switch (what) {
        case TEST_FINITE: return LLVMBuildFCmp(b, LLVMRealOLT, size, inf, "");
        case TEST_INF: return LLVMBuildFCmp(b, LLVMRealOEQ, size, inf, "");
        case TEST_NAN: return LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
    }
    bool wide = LLVMGetTypeKind(ll_width(v) > 1 ? LLVMGetElementType(LLVMTypeOf(v))
                                                : LLVMTypeOf(v)) == LLVMDoubleTypeKind;
    LLVMTypeRef one = ll_i(E, wide ? 64 : 32);
    V bits = LLVMBuildBitCast(b, v, ll_width(v) > 1 ? LLVMVectorType(one, ll_width(v)) : one, "");
    return LLVMBuildICmp(b, LLVMIntSLT, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

static ll_val ll_test(ll *E, const row *r, int what) {
    if (r->kind != 'F' && r->kind != 'C')
        return result(r, ll_int_like(E, truth(E, r->a), what == TEST_FINITE));
    V v = test_part(E, r->a.v, what);
    if (r->kind == 'C')
        v = bin(E, what == TEST_FINITE ? LLVMAnd : LLVMOr, v, test_part(E, r->a.im, what));
    return result(r, v);
}

/* ---- division of integers ---- */

/* The quotient of unsigned 64-bit lanes. The reciprocal is reduced by 2^-50, more than the five
 * roundings up to an estimate can add: no estimate exceeds the quotient. The first estimate
 * leaves a remainder below d + n 2^-49; the second one, of that remainder, is at most one too
 * small. */
static V wide_quotient(ll *E, V n, V d) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef whole = LLVMTypeOf(n), real = ll_type(E, DT_F64, true);
    V below = ll_real_like(E, LLVMConstNull(real), 1 - 0x1p-50);
    V share = bin(E, LLVMFDiv, below, LLVMBuildUIToFP(b, d, real, ""));
    V sum = LLVMConstNull(whole), rest = n;
    for (int round = 0; round < 2; round++) {
        V part = LLVMBuildFPToUI(b, bin(E, LLVMFMul, LLVMBuildUIToFP(b, rest, real, ""), share),
                                 whole, "");
        sum = LLVMBuildAdd(b, sum, part, "");
        rest = LLVMBuildSub(b, rest, LLVMBuildMul(b, part, d, ""), "");
    }
    V more = LLVMBuildICmp(b, LLVMIntUGE, rest, d, "");
    return LLVMBuildAdd(b, sum, LLVMBuildZExt(b, more, whole, ""), "");
}

static V wide_signed_quotient(ll *E, V n, V d) {
    LLVMBuilderRef b = E->b;
    V apart = bin(E, LLVMAShr, bin(E, LLVMXor, n, d), ll_int_like(E, n, 63)), sides[2] = {n, d};
    for (int i = 0; i < 2; i++) {
        V sign = bin(E, LLVMAShr, sides[i], ll_int_like(E, n, 63));
        sides[i] = LLVMBuildSub(b, bin(E, LLVMXor, sides[i], sign), sign, "");
    }
    return LLVMBuildSub(b, bin(E, LLVMXor, wide_quotient(E, sides[0], sides[1]), apart), apart, "");
}

/* The quotient, truncated, for nonzero divisors. Up to 32 bits: by floats, whose rounding cannot
 * reach the next integer. 64 bits: by estimates if the processor converts between doubles and
 * 64-bit integers in vectors, else lane by lane. */
static V quotient(ll *E, const row *r, V a, V b) {
    bool is_signed = r->kind == 'I';
    unsigned bytes = dtype_info[r->t].size;
    if (bytes == 8 && ll_width(a) > 1 && E->host->masks)
        return is_signed ? wide_signed_quotient(E, a, b) : wide_quotient(E, a, b);
    if (bytes == 8 || ll_width(a) == 1)
        return is_signed ? LLVMBuildSDiv(E->b, a, b, "") : LLVMBuildUDiv(E->b, a, b, "");
    LLVMTypeRef real = ll_type(E, bytes == 4 ? DT_F64 : DT_F32, true);
    V x = is_signed ? LLVMBuildSIToFP(E->b, a, real, "") : LLVMBuildUIToFP(E->b, a, real, "");
    V y = is_signed ? LLVMBuildSIToFP(E->b, b, real, "") : LLVMBuildUIToFP(E->b, b, real, "");
    x = bin(E, LLVMFDiv, x, y);
    return is_signed ? LLVMBuildFPToSI(E->b, x, LLVMTypeOf(a), "")
                     : LLVMBuildFPToUI(E->b, x, LLVMTypeOf(a), "");
}

/* Moves the builder to the definition of a scalar, in front of the surrounding loops, to hoist
 * what depends only on it. Returns the previous block. */
static LLVMBasicBlockRef at_number(ll *E, V d) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(E->b);
    if (!LLVMIsAInstruction(d)) return here;
    V next = LLVMGetNextInstruction(d);
    while (next && LLVMIsAPHINode(next)) next = LLVMGetNextInstruction(next);
    if (next)
        LLVMPositionBuilderBefore(E->b, next);
    else
        LLVMPositionBuilderAtEnd(E->b, LLVMGetInstructionParent(d));
    return here;
}

/* The upper halves of the products of lanes of 16 or 32 bits, computed in lanes twice as wide. */
static V upper_half_widened(ll *E, V n, V m, unsigned bits, bool is_signed) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef narrow = LLVMTypeOf(n), wide = LLVMVectorType(ll_i(E, 2 * bits), ll_width(n));
    V x = is_signed ? LLVMBuildSExt(b, n, wide, "") : LLVMBuildZExt(b, n, wide, "");
    V y = is_signed ? LLVMBuildSExt(b, m, wide, "") : LLVMBuildZExt(b, m, wide, "");
    return LLVMBuildTrunc(
        b, LLVMBuildLShr(b, LLVMBuildMul(b, x, y, ""), ll_int_like(E, x, bits), ""), narrow, "");
}
static V upper_16(ll *E, V n, V m, bool is_signed) {
    return upper_half_widened(E, n, m, 16, is_signed);
}

/* d as a double, and a double as 16 bits, both scalars. */
static V as_real(ll *E, V d, bool is_signed) {
    LLVMTypeRef real = ll_elem(E, DT_F64);
    return is_signed ? LLVMBuildSIToFP(E->b, d, real, "") : LLVMBuildUIToFP(E->b, d, real, "");
}
static V as_16(ll *E, V x) {
    return LLVMBuildTrunc(E->b, LLVMBuildFPToSI(E->b, x, ll_i(E, 32), ""), ll_i(E, 16), "");
}
static V is_number(ll *E, V d, long long n) {
    return LLVMBuildICmp(E->b, LLVMIntEQ, d, LLVMConstInt(LLVMTypeOf(d), (unsigned long long)n, 1),
                         "");
}
static V either(ll *E, V first, V a, V b) { return LLVMBuildSelect(E->b, first, a, b, ""); }

/* Floor division of signed bytes by a uniform d: 16-bit products with its reciprocal. (2 n +- 1)
 * / 2 d is never an integer and is at least 1 / 2 d away from one, while the rounding of the
 * reciprocal adds at most 257 / 2^17. The reciprocal of 1 is rounded down. */
static V floor_bytes(ll *E, V n, V d) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef half = ll_i(E, 16), lanes = LLVMVectorType(half, ll_width(n));
    LLVMBasicBlockRef here = at_number(E, d);
    V none = is_number(E, d, 0), real = as_real(E, d, true);
    V share = LLVMBuildFDiv(b, ll_real_like(E, real, 32768),
                            either(E, none, ll_real_like(E, real, 1), real), ""),
      most = ll_real_like(E, real, 32767);
    share = ll_intrinsic(E, "llvm.rint", &share, 1);
    share = either(E, LLVMBuildFCmp(b, LLVMRealOGT, share, most, ""), most, share);
    V m = ll_spread(E, either(E, none, LLVMConstNull(half), as_16(E, share)));
    V side = LLVMBuildICmp(b, LLVMIntSLT, d, LLVMConstNull(LLVMTypeOf(d)), "");
    side = ll_spread(E, either(E, side, LLVMConstAllOnes(half), LLVMConstInt(half, 1, 0)));
    LLVMPositionBuilderAtEnd(b, here);
    V wide = LLVMBuildSExt(b, n, lanes, ""),
      twice = LLVMBuildAdd(b, LLVMBuildAdd(b, wide, wide, ""), side, "");
    return LLVMBuildTrunc(b, upper_16(E, twice, m, true), LLVMTypeOf(n), "");
}

/* Division of unsigned bytes by a uniform d: the product with the reciprocal, rounded up, is
 * less than 1 / d too large. LLVM would multiply two nested extensions in 32 bits; an operation
 * between them, which changes nothing unless d is 0, prevents that. */
static V floor_plain_bytes(ll *E, V n, V d) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef half = ll_i(E, 16), lanes = LLVMVectorType(half, ll_width(n));
    LLVMBasicBlockRef here = at_number(E, d);
    V none = is_number(E, d, 0), real = as_real(E, d, false);
    V share = LLVMBuildFDiv(b, ll_real_like(E, real, 65536),
                            either(E, none, ll_real_like(E, real, 1), real), "");
    V m = LLVMBuildAdd(b, as_16(E, share), LLVMConstInt(half, 1, 0), "");
    m = ll_spread(E, either(E, none, LLVMConstNull(half), m));
    V itself = ll_spread(E, is_number(E, d, 1)),
      nones = ll_spread(E, either(E, none, LLVMConstAllOnes(half), LLVMConstNull(half)));
    LLVMPositionBuilderAtEnd(b, here);
    V wide = LLVMBuildXor(b, LLVMBuildZExt(b, n, lanes, ""), nones, "");
    return ll_select(E, itself, n,
                     LLVMBuildTrunc(b, upper_16(E, wide, m, false), LLVMTypeOf(n), ""));
}

/* The upper halves of the products of unsigned 32-bit lanes: even and odd lanes are multiplied
 * separately, in 64-bit lanes. Two lanes are widened: LLVM's type legalization fails on the vectors
 * of one element that halving them would make. */
static V upper_32(ll *E, V n, V m) {
    if (ll_width(n) == 2) return upper_half_widened(E, n, m, 32, false);
    LLVMBuilderRef b = E->b;
    LLVMTypeRef wide = LLVMVectorType(ll_i(E, 64), ll_width(n) / 2);
    V x = LLVMBuildBitCast(b, n, wide, ""), y = LLVMBuildBitCast(b, m, wide, ""),
      down = ll_int_like(E, x, 32), low = ll_int_like(E, x, UINT32_MAX);
    y = LLVMBuildAnd(b, y, low, "");
    V one = LLVMBuildLShr(b, LLVMBuildMul(b, LLVMBuildAnd(b, x, low, ""), y, ""), down, "");
    V other = LLVMBuildMul(b, LLVMBuildLShr(b, x, down, ""), y, "");
    return LLVMBuildBitCast(
        b, LLVMBuildOr(b, one, LLVMBuildAnd(b, other, LLVMBuildNot(b, low, ""), ""), ""),
        LLVMTypeOf(n), "");
}

/* Division of unsigned 16-bit or 32-bit lanes by a uniform d (Granlund-Montgomery): 2^l is the
 * smallest power of two not below d, and m is 2^(bits + l) / d, rounded up, less 2^bits. */
static V floor_plain(ll *E, V n, V d, unsigned bits) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef wide = ll_i(E, 64), own = ll_i(E, bits);
    LLVMBasicBlockRef here = at_number(E, d);
    V all = LLVMBuildZExt(b, d, wide, ""), one = ll_i64(E, 1), two = ll_i64(E, 2);
    V few = LLVMBuildICmp(b, LLVMIntULT, all, two, ""), safe = either(E, few, two, all);
    V before[2] = {LLVMBuildSub(b, safe, one, ""), LLVMConstInt(ll_i(E, 1), 0, 0)};
    V l = LLVMBuildSub(b, ll_i64(E, 64), ll_intrinsic(E, "llvm.ctlz", before, 2), "");
    V above = LLVMBuildShl(b, LLVMBuildSub(b, LLVMBuildShl(b, one, l, ""), safe, ""),
                           ll_i64(E, bits), "");
    V m = ll_spread(
        E, LLVMBuildTrunc(b, LLVMBuildAdd(b, LLVMBuildUDiv(b, above, safe, ""), one, ""), own, ""));
    V down = ll_spread(E, LLVMBuildTrunc(b, LLVMBuildSub(b, l, one, ""), own, ""));
    V itself =
          ll_spread(E, either(E, is_number(E, d, 1), LLVMConstAllOnes(own), LLVMConstNull(own))),
      fews = ll_spread(E, few);
    LLVMPositionBuilderAtEnd(b, here);
    V t = bits == 16 ? upper_16(E, n, m, false) : upper_32(E, n, m);
    V q = LLVMBuildAdd(b, t, LLVMBuildLShr(b, LLVMBuildSub(b, n, t, ""), ll_int_like(E, n, 1), ""),
                       "");
    return ll_select(E, fews, LLVMBuildAnd(b, n, itself, ""), LLVMBuildLShr(b, q, down, ""));
}

/* Floor division of signed lanes of up to 32 bits by a uniform d, through floats: (n +- 1 / 2) /
 * d is never an integer, and far enough from one that the product with a rounded reciprocal has
 * the same floor. The minimum divided by -1 is handled separately. */
static V floor_by_share(ll *E, const row *r, V n, V d) {
    LLVMBuilderRef b = E->b;
    bool wide = dtype_info[r->t].size == 4;
    LLVMTypeRef words = LLVMVectorType(ll_i(E, 32), ll_width(n));
    LLVMBasicBlockRef here = at_number(E, d);
    V none = is_number(E, d, 0), real = as_real(E, d, true),
      nothing = LLVMConstNull(LLVMTypeOf(real));
    V share = LLVMBuildFDiv(b, ll_real_like(E, real, 1), real, ""),
      below = LLVMBuildFCmp(b, LLVMRealOLT, real, nothing, "");
    V half = LLVMBuildFMul(
        b, share, either(E, below, ll_real_like(E, real, -0.5), ll_real_like(E, real, 0.5)), "");
    share = either(E, none, nothing, share), half = either(E, none, nothing, half);
    if (!wide)
        share = LLVMBuildFPTrunc(b, share, ll_elem(E, DT_F32), ""),
        half = LLVMBuildFPTrunc(b, half, ll_elem(E, DT_F32), "");
    V shares = ll_spread(E, share), halves = ll_spread(E, half),
      minus = ll_spread(E, is_number(E, d, -1));
    LLVMPositionBuilderAtEnd(b, here);
    V x[3] = {ll_cast(E, wide ? DT_F64 : DT_F32, (ll_val){n, NULL, (uint8_t)r->t, true}).v, shares,
              halves};
    V q = ll_intrinsic(E, "llvm.fma", x, 3);
    q = LLVMBuildFPToSI(b, ll_intrinsic(E, "llvm.floor", &q, 1), words, "");
    return wide ? ll_select(E, minus, LLVMBuildNeg(b, n, ""), q)
                : LLVMBuildTrunc(b, q, LLVMTypeOf(n), "");
}

/* Floor division of lanes by a uniform divisor; division by 0 gives 0. */
static V floor_by_one(ll *E, const row *r, V d) {
    bool is_signed = r->kind == 'I';
    if (dtype_info[r->t].size == 1)
        return is_signed ? floor_bytes(E, r->a.v, d) : floor_plain_bytes(E, r->a.v, d);
    if (!is_signed) return floor_plain(E, r->a.v, d, 8 * dtype_info[r->t].size);
    return floor_by_share(E, r, r->a.v, d);
}

enum { DIV_FLOOR, DIV_MOD, DIV_REM };

/* Python's // and % and C's %. Division by 0 gives 0; the minimum divided by -1 wraps. */
static ll_val int_division(ll *E, const row *r, int what) {
    LLVMBuilderRef b = E->b;
    if (what == DIV_FLOOR && r->one_b && dtype_info[r->t].size <= 4)
        return result(r, floor_by_one(E, r, r->one_b));
    V n = r->a.v, d = r->b.v, zero = LLVMConstNull(LLVMTypeOf(n)), one = ll_int_like(E, n, 1);
    bool is_signed = r->kind == 'I';
    V by_zero = LLVMBuildICmp(b, LLVMIntEQ, d, zero, ""), safe = ll_select(E, by_zero, one, d);
    V minus = NULL;
    if (is_signed) {
        minus = LLVMBuildICmp(b, LLVMIntEQ, d, ll_int_like(E, n, -1), "");
        safe = ll_select(E, minus, one, safe);
    }
    V q = quotient(E, r, n, safe), rest = LLVMBuildSub(b, n, LLVMBuildMul(b, q, safe, ""), "");
    if (is_signed && what != DIV_REM) {
        V apart = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildXor(b, rest, safe, ""), zero, "");
        V adjust = LLVMBuildAnd(b, apart, LLVMBuildICmp(b, LLVMIntNE, rest, zero, ""), "");
        q = LLVMBuildAdd(b, q, LLVMBuildSExt(b, adjust, LLVMTypeOf(q), ""), "");
        rest = ll_select(E, adjust, LLVMBuildAdd(b, rest, safe, ""), rest);
    }
    if (is_signed) q = ll_select(E, minus, LLVMBuildNeg(b, n, ""), q);
    return result(r, ll_select(E, by_zero, zero, what == DIV_FLOOR ? q : rest));
}

/* Least common multiple |a| / gcd * |b|, which wraps on overflow. */
static ll_val ll_lcm(ll *E, const row *r) {
    row plain = *r, common = *r;
    plain.kind = 'U', common.op = OP_GCD;
    V g = int_size(E, r, by_function(E, &common).v),
      none = LLVMBuildICmp(E->b, LLVMIntEQ, g, ll_int_like(E, g, 0), "");
    V share =
        quotient(E, &plain, int_size(E, r, r->a.v), ll_select(E, none, ll_int_like(E, g, 1), g));
    return result(r, LLVMBuildMul(E->b, share, int_size(E, r, r->b.v), ""));
}

static ll_val ll_division(ll *E, const row *r, int what) {
    return r->kind == 'I' || r->kind == 'U' ? int_division(E, r, what) : by_function(E, r);
}

/* ---- parts of floats ---- */

enum {
    PART_FRACTION,
    PART_MANTISSA,
    PART_EXPONENT,
    PART_SCALED,
    PART_NEXT,
    PART_SPACING,
    PART_SUM,
    PART_SUM_2
};

static ll_val ll_parts(ll *E, const row *r, int what) {
    V a = r->a.v, b = r->b.v, v = NULL, exponent;
    switch (what) {
        case PART_FRACTION: v = ll_fraction(E, a); break;
        case PART_MANTISSA: ll_split(E, a, &v, &exponent); break;
        case PART_EXPONENT:
            ll_split(E, a, &v, &exponent);
            return ll_cast(
                E, DT_I32,
                (ll_val){exponent, NULL, (uint8_t)(r->t == DT_F64 ? DT_I64 : DT_I32), r->a.vec});
        case PART_SCALED: v = ll_scaled(E, a, b); break;
        case PART_NEXT: v = ll_next(E, r->t, a, b); break;
        case PART_SPACING: v = ll_spacing(E, r->t, a); break;
        default: v = ll_sum_of_exponentials(E, a, b, what == PART_SUM_2); break;
    }
    return v ? result(r, ll_round(E, r->to, v)) : by_function(E, r);
}

/* ---- the vocabulary of op.def's LL column ---- */

#define LL_BIN(F, S, U) ll_bin(E, r, LLVM##F, LLVM##S, LLVM##U)
#define LL_CMP(F, S, U) ll_cmp(E, r, LLVMReal##F, LLVMInt##S, LLVMInt##U)
#define LL_NEG ll_neg(E, r)
#define LL_NOT ll_not(E, r)
#define LL_ABS ll_abs(E, r)
#define LL_SIGN ll_sign(E, r)
#define LL_RSQRT ll_rsqrt(E, r)
#define LL_HEAVISIDE ll_heaviside(E, r)
#define LL_POPCOUNT ll_bits(E, r, "llvm.ctpop", true, false)
#define LL_BITS(name) ll_bits(E, r, #name, false, false)
#define LL_ZEROS(name) ll_bits(E, r, #name, false, true)
#define LL_RECIP ll_recip(E, r)
#define LL_CUBE ll_cube(E, r)
#define LL_SELECT ll_row_select(E, r)
#define LL_INTRIN(name) ll_row_intrinsic(E, r, #name)
#define LL_LIBM1(name) ll_row_libm(E, r, #name)
#define LL_LIBM2(name) ll_row_libm(E, r, #name)
#define LL_LGAMMA ll_lgamma(E, r)
#define LL_ANGLE ll_angle(E, r)
#define LL_SCALE(n, d) ll_scale(E, r, n, d)
#define LL_FLOORDIV ll_division(E, r, DIV_FLOOR)
#define LL_MOD ll_division(E, r, DIV_MOD)
#define LL_LCM ll_lcm(E, r)
#define LL_REM ll_division(E, r, DIV_REM)
#define LL_SHIFT(S, U) ll_shift(E, r, LLVM##S, LLVM##U)
#define LL_MINMAX(name) ll_minmax(E, r)
#define LL_LOGIC(code) ll_logic(E, r, LLVM##code)
#define LL_LOGIC_NOT ll_logic_not(E, r)
#define LL_TEST(what) ll_test(E, r, TEST_##what)
#define LL_CX(what) ll_cx(E, r, CX_##what)
#define LL_PHILOX(upper) ll_philox(E, r, upper)
#define LL_MULHI ll_mulhi(E, r)
#define LL_FLOAT_BITS ll_rebit(E, r, DT_F32, DT_I32)
#define LL_FLOAT_OF ll_rebit(E, r, DT_I32, DT_F32)
#define LL_PARTS(what) ll_parts(E, r, PART_##what)
#define LL_HELPER by_function(E, r)

// clang-format off
#define OP(id, name, symbol, arity, sig, cost, red, b, i, u, f, c, ll, doc) \
    case OP_##id: return ll;
#define OPX(id, ...) \
    case OP_##id: return by_function(E, r);
// clang-format on

static ll_val emit_row(ll *E, const row *r) {
    switch (r->op) {
#include "runtime/tables/op.def"
        case OP_COUNT: break;
    }
    return by_function(E, r);
}
#undef OP
#undef OPX

ll_val ll_op(ll *E, gpa_op op, gpa_dtype t, gpa_dtype to, ll_val a, ll_val b, ll_val c) {
    V one_b = a.vec && !b.vec && E->lanes > 1 ? b.v : NULL;
    if (a.vec || b.vec || c.vec) a = ll_vector(E, a), b = ll_vector(E, b), c = ll_vector(E, c);
    row r = {op, t, to, dtype_info[t].kind, a, b, c, one_b};
    return emit_row(E, &r);
}
