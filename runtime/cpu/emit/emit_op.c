/* Code generation for elementwise operations: one switch, expanded from the LL column of op.def.
 *
 * A macro of that column is a call of a function below. A function without an instruction
 * sequence for the kind of its operands falls back to ll_by_function, which calls the row's own
 * C function lane by lane: always correct, never fast. */
#include "runtime/cpu/emit/emit_op.h"

#include <math.h>

#include "runtime/cpu/emit/vecmath.h"

static ll_val pair(const ll_row *r, V re, V im) {
    return (ll_val){re, im, (uint8_t)r->to, r->a.vec};
}

/* ---- complex arithmetic ---- */

V ll_binary(ll *E, LLVMOpcode code, V a, V b) {
    V v = LLVMBuildBinOp(E->b, code, a, b, "");
    bool real = code == LLVMFAdd || code == LLVMFSub || code == LLVMFMul;
    if (E->contract && real && LLVMIsAInstruction(v))
        LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
    return v;
}

static ll_val cx_mul(ll *E, const ll_row *r) {
    V re = ll_binary(E, LLVMFSub, ll_binary(E, LLVMFMul, r->a.v, r->b.v),
                     ll_binary(E, LLVMFMul, r->a.im, r->b.im));
    V im = ll_binary(E, LLVMFAdd, ll_binary(E, LLVMFMul, r->a.v, r->b.im),
                     ll_binary(E, LLVMFMul, r->a.im, r->b.v));
    return pair(r, re, im);
}

/* Smith's method, as in the reference implementation: scales by the larger part of the divisor. */
static ll_val cx_div(ll *E, const ll_row *r) {
    LLVMBuilderRef b = E->b;
    V re_im[2] = {r->b.v, r->b.im};
    V x = ll_intrinsic(E, "llvm.fabs", &re_im[0], 1),
      y = ll_intrinsic(E, "llvm.fabs", &re_im[1], 1);
    V swapped = LLVMBuildFCmp(b, LLVMRealULT, x, y, ""), zero = LLVMConstNull(LLVMTypeOf(x));
    V most = ll_select(E, swapped, r->b.im, r->b.v), least = ll_select(E, swapped, r->b.v, r->b.im);
    V u = ll_select(E, swapped, r->a.im, r->a.v), w = ll_select(E, swapped, r->a.v, r->a.im);
    V ratio = ll_binary(E, LLVMFDiv, least, most);
    V scale = ll_binary(E, LLVMFDiv, ll_real_like(E, x, 1),
                        ll_binary(E, LLVMFAdd, most, ll_binary(E, LLVMFMul, least, ratio)));
    V re = ll_binary(E, LLVMFMul, ll_binary(E, LLVMFAdd, u, ll_binary(E, LLVMFMul, w, ratio)),
                     scale),
      ur = ll_binary(E, LLVMFMul, u, ratio);
    V im = ll_binary(
        E, LLVMFMul,
        ll_binary(E, LLVMFSub, ll_select(E, swapped, ur, w), ll_select(E, swapped, w, ur)), scale);
    V by_zero = ll_binary(E, LLVMAnd, LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, ""),
                          LLVMBuildFCmp(b, LLVMRealOEQ, y, zero, ""));
    re = ll_select(E, by_zero, ll_binary(E, LLVMFDiv, r->a.v, x), re);
    im = ll_select(E, by_zero, ll_binary(E, LLVMFDiv, r->a.im, x), im);
    return pair(r, re, im);
}

/* NumPy's lexicographic order of complex numbers: by the real part, then by the imaginary part. */
static V cx_before(ll *E, ll_val a, ll_val b, bool or_equal) {
    LLVMBuilderRef B = E->b;
    V same = LLVMBuildFCmp(B, LLVMRealOEQ, a.v, b.v, "");
    V by_im = LLVMBuildFCmp(B, or_equal ? LLVMRealOLE : LLVMRealOLT, a.im, b.im, "");
    V by_re = ll_binary(E, LLVMAnd, LLVMBuildFCmp(B, LLVMRealOLT, a.v, b.v, ""),
                        LLVMBuildFCmp(B, LLVMRealORD, a.im, b.im, ""));
    return ll_select(E, same, by_im, by_re);
}

static V cx_nan(ll *E, ll_val a) { return LLVMBuildFCmp(E->b, LLVMRealUNO, a.v, a.im, ""); }

static ll_val cx_minmax(ll *E, const ll_row *r, bool most, bool skips) {
    V before = most ? cx_before(E, r->b, r->a, true) : cx_before(E, r->a, r->b, true);
    return ll_choose(E, ll_binary(E, LLVMOr, cx_nan(E, skips ? r->b : r->a), before), r->a, r->b);
}

V ll_beats(ll *E, bool most, ll_val b, ll_val a) {
    char kind = dtype_info[a.t].kind;
    if (kind == 'C') {
        V wins = most ? cx_before(E, a, b, false) : cx_before(E, b, a, false);
        return ll_binary(E, LLVMAnd, LLVMBuildNot(E->b, cx_nan(E, a), ""),
                         ll_binary(E, LLVMOr, cx_nan(E, b), wins));
    }
    if (kind != 'F')
        return ll_op(
                   E,
                   &(ll_operation){most ? OP_GREATER : OP_LESS, (gpa_dtype)a.t, DT_BOOL, b, a, {0}})
            .v;
    V beyond = LLVMBuildFCmp(E->b, most ? LLVMRealUGT : LLVMRealULT, b.v, a.v, "");
    return ll_binary(E, LLVMAnd, beyond, LLVMBuildFCmp(E->b, LLVMRealORD, a.v, a.v, ""));
}

enum { CX_CONJ, CX_RE, CX_IM, CX_JOIN };

static ll_val ll_cx(ll *E, const ll_row *r, int what) {
    bool cx = r->kind == 'C';
    switch (what) {
        case CX_CONJ: return cx ? pair(r, r->a.v, LLVMBuildFNeg(E->b, r->a.im, "")) : r->a;
        case CX_RE: return ll_result(r, r->a.v);
        case CX_IM: return ll_result(r, cx ? r->a.im : LLVMConstNull(LLVMTypeOf(r->a.v)));
        case CX_JOIN: return pair(r, r->a.v, r->b.v);
    }
    return r->a;
}

/* ---- instructions ---- */

static ll_val ll_bin(ll *E, const ll_row *r, LLVMOpcode f, LLVMOpcode s, LLVMOpcode u) {
    if (r->kind == 'C') {
        if (f == LLVMFMul) return cx_mul(E, r);
        if (f == LLVMFDiv) return cx_div(E, r);
        return pair(r, ll_binary(E, f, r->a.v, r->b.v), ll_binary(E, f, r->a.im, r->b.im));
    }
    if (r->kind == 'F') return ll_result(r, ll_round(E, r->to, ll_binary(E, f, r->a.v, r->b.v)));
    if (r->kind == 'B') s = s == LLVMAdd ? LLVMOr : s == LLVMMul ? LLVMAnd : s;
    return ll_result(r, ll_binary(E, r->kind == 'U' ? u : s, r->a.v, r->b.v));
}

/* A comparison of floats, of signed and of unsigned integers. */
typedef struct {
    LLVMRealPredicate f;
    LLVMIntPredicate s, u;
} predicate;

static V compare(ll *E, const ll_row *r, predicate p, V a, V b) {
    return r->kind == 'F' || r->kind == 'C'
               ? LLVMBuildFCmp(E->b, p.f, a, b, "")
               : LLVMBuildICmp(E->b, r->kind == 'I' ? p.s : p.u, a, b, "");
}

static ll_val ll_cmp(ll *E, const ll_row *r, predicate p) {
    if (r->kind == 'C' && p.f != LLVMRealOEQ && p.f != LLVMRealUNE) {
        bool less = p.f == LLVMRealOLT || p.f == LLVMRealOLE;
        return ll_result(r, cx_before(E, less ? r->a : r->b, less ? r->b : r->a,
                                      p.f == LLVMRealOLE || p.f == LLVMRealOGE));
    }
    V v = compare(E, r, p, r->a.v, r->b.v);
    if (r->kind == 'C')
        v = ll_binary(E, p.f == LLVMRealOEQ ? LLVMAnd : LLVMOr, v,
                      compare(E, r, p, r->a.im, r->b.im));
    return ll_result(r, v);
}

/* The bits of a half that was loaded and not yet computed with; NULL: it was computed, in lanes
 * of float. Operations on the sign alone then need no conversion. */
static V half_bits(ll *E, const ll_row *r) {
    LLVMTypeRef one = ll_i(E, 16);
    V v = r->a.v, half = r->t == DT_F16 && LLVMIsAFPExtInst(v) ? LLVMGetOperand(v, 0) : NULL;
    return half ? LLVMBuildBitCast(E->b, half,
                                   ll_width(v) > 1 ? LLVMVectorType(one, ll_width(v)) : one, "")
                : NULL;
}

static ll_val half_result(ll *E, const ll_row *r, V bits) {
    LLVMTypeRef half = LLVMTypeOf(LLVMGetOperand(r->a.v, 0));
    return ll_result(
        r, LLVMBuildFPExt(E->b, LLVMBuildBitCast(E->b, bits, half, ""), LLVMTypeOf(r->a.v), ""));
}

static ll_val ll_neg(ll *E, const ll_row *r) {
    V bits = half_bits(E, r);
    if (bits) return half_result(E, r, ll_binary(E, LLVMXor, bits, ll_int_like(E, bits, 0x8000)));
    if (r->kind == 'C')
        return pair(r, LLVMBuildFNeg(E->b, r->a.v, ""), LLVMBuildFNeg(E->b, r->a.im, ""));
    return ll_result(
        r, r->kind == 'F' ? LLVMBuildFNeg(E->b, r->a.v, "") : LLVMBuildNeg(E->b, r->a.v, ""));
}

static ll_val ll_not(ll *E, const ll_row *r) {
    return ll_result(r, LLVMBuildNot(E->b, r->a.v, ""));
}

static ll_val ll_row_select(ll *E, const ll_row *r) {
    ll_val v = ll_choose(E, r->a.v, r->b, r->c);
    v.t = (uint8_t)r->to;
    return v;
}

static ll_val ll_row_intrinsic(ll *E, const ll_row *r, const char *name) {
    V args[3] = {r->a.v, r->b.v, r->c.v};
    if (r->kind == 'C' && r->op == OP_RINT)
        return pair(r, ll_intrinsic(E, name, args, 1), ll_intrinsic(E, name, (V[]){r->a.im}, 1));
    if (r->kind == 'C') return ll_complex_row(E, r);
    if (r->kind != 'F') return r->a; /* rounding an integer */
    return ll_result(r, ll_round(E, r->to, ll_intrinsic(E, name, args, op_info[r->op].arity)));
}

static ll_val ll_row_libm(ll *E, const ll_row *r, const char *name) {
    V args[2] = {r->a.v, r->b.v}, v;
    if (r->kind == 'C') return ll_complex_row(E, r);
    if (r->kind != 'F' || !(v = ll_libm(E, name, args, op_info[r->op].arity)))
        return ll_by_function(E, r);
    return ll_result(r, ll_round(E, r->to, v));
}

static V of_lanes(ll *E, V x, const void *r) {
    ll_row one = *(const ll_row *)r;
    one.a.v = x;
    return ll_by_function(E, &one).v;
}

/* libm computes the logarithm of gamma for negative operands near its zeros, accurately. */
static ll_val ll_lgamma(ll *E, const ll_row *r) {
    V v = r->a.v;
    if (r->kind != 'F' || ll_width(v) == 1 || !E->host->fma || !E->host->masks)
        return ll_by_function(E, r);
    return ll_result(r, ll_round(E, r->to, vec_log_gamma(E, v, of_lanes, r)));
}

static ll_val ll_angle(ll *E, const ll_row *r) {
    V args[2] = {r->kind == 'C' ? r->a.im : LLVMConstNull(LLVMTypeOf(r->a.v)), r->a.v},
      v = ll_libm(E, "atan2", args, 2);
    return v ? ll_result(r, ll_round(E, r->to, v)) : ll_by_function(E, r);
}

static ll_val ll_scale(ll *E, const ll_row *r, double n, double d) {
    double factor = r->t == DT_F64 ? n / d : (float)n / (float)d;
    return ll_result(
        r, ll_round(E, r->to, ll_binary(E, LLVMFMul, r->a.v, ll_real_like(E, r->a.v, factor))));
}

V ll_int_size(ll *E, const ll_row *r, V v) {
    if (r->kind != 'I') return v;
    return ll_select(E, LLVMBuildICmp(E->b, LLVMIntSLT, v, ll_int_like(E, v, 0), ""),
                     LLVMBuildNeg(E->b, v, ""), v);
}

static ll_val ll_abs(ll *E, const ll_row *r) {
    V v = r->a.v, bits;
    if (r->kind == 'C') {
        V parts[2] = {r->a.v, r->a.im},
          h = ll_width(v) > 1 ? ll_modulus(E, r->a) : ll_libm(E, "hypot", parts, 2);
        return h ? ll_result(r, h) : ll_by_function(E, r);
    }
    if ((bits = half_bits(E, r)))
        return half_result(E, r, ll_binary(E, LLVMAnd, bits, ll_int_like(E, bits, 0x7fff)));
    if (r->kind == 'F') return ll_result(r, ll_intrinsic(E, "llvm.fabs", &v, 1));
    return ll_result(r, ll_int_size(E, r, v));
}

static ll_val ll_sign(ll *E, const ll_row *r) {
    V v = r->a.v, zero;
    if (r->kind == 'C') return ll_complex_row(E, r);
    zero = LLVMConstNull(LLVMTypeOf(v));
    V above = compare(E, r, (predicate){LLVMRealOGT, LLVMIntSGT, LLVMIntUGT}, v, zero);
    V below = compare(E, r, (predicate){LLVMRealOLT, LLVMIntSLT, LLVMIntULT}, v, zero);
    if (r->kind == 'F') { /* NaN is its own sign; zeros give +0 */
        V one = ll_real_like(E, v, 1), minus = ll_real_like(E, v, -1);
        V same = LLVMBuildFCmp(E->b, LLVMRealUNO, v, v, "");
        return ll_result(
            r, ll_select(E, above, one, ll_select(E, below, minus, ll_select(E, same, v, zero))));
    }
    V low = r->kind == 'I' ? ll_select(E, below, ll_int_like(E, v, -1), zero) : zero;
    return ll_result(r, ll_select(E, above, ll_int_like(E, v, 1), low));
}

static ll_val ll_cube(ll *E, const ll_row *r) {
    V a = r->a.v, square = ll_binary(E, r->kind == 'F' ? LLVMFMul : LLVMMul, a, a);
    if (r->kind != 'F') return ll_result(r, ll_binary(E, LLVMMul, square, a));
    V v = ll_binary(E, LLVMFMul, square, a), size = ll_intrinsic(E, "llvm.fabs", &v, 1),
      zero = LLVMConstNull(LLVMTypeOf(v));
    V first[3] = {a, a, LLVMBuildFNeg(E->b, square, "")},
      second[3] = {square, a, LLVMBuildFNeg(E->b, v, "")};
    V rest[3] = {ll_intrinsic(E, "llvm.fma", first, 3), a, ll_intrinsic(E, "llvm.fma", second, 3)};
    V more = ll_binary(E, LLVMFAdd, v, ll_intrinsic(E, "llvm.fma", rest, 3));
    V plain =
        LLVMBuildAnd(E->b, LLVMBuildFCmp(E->b, LLVMRealOGT, size, zero, ""),
                     LLVMBuildFCmp(E->b, LLVMRealOLT, size, ll_real_like(E, v, HUGE_VAL), ""), "");
    return ll_result(r, ll_round(E, r->to, ll_select(E, plain, more, v)));
}

static ll_val ll_recip(ll *E, const ll_row *r) {
    if (r->kind == 'C') return ll_complex_row(E, r);
    if (r->kind != 'F') return ll_by_function(E, r);
    return ll_result(
        r, ll_round(E, r->to, ll_binary(E, LLVMFDiv, ll_real_like(E, r->a.v, 1), r->a.v)));
}

static ll_val ll_minmax(ll *E, const ll_row *r) {
    bool most = r->op == OP_MAXIMUM || r->op == OP_FMAX,
         skips = r->op == OP_FMAX || r->op == OP_FMIN;
    V a = r->a.v, b = r->b.v, take;
    if (r->kind == 'C') return cx_minmax(E, r, most, skips);
    if (r->kind == 'B') return ll_result(r, ll_binary(E, most ? LLVMOr : LLVMAnd, a, b));
    if (r->kind == 'F') { /* the processor's maximum of b and a: a if either is NaN */
        V best =
              ll_select(E, LLVMBuildFCmp(E->b, most ? LLVMRealOGT : LLVMRealOLT, b, a, ""), b, a),
          lost = skips ? a : b;
        return ll_result(r,
                         ll_select(E, LLVMBuildFCmp(E->b, LLVMRealUNO, lost, lost, ""), b, best));
    }
    bool s = r->kind == 'I';
    take = LLVMBuildICmp(E->b, most ? (s ? LLVMIntSGT : LLVMIntUGT) : (s ? LLVMIntSLT : LLVMIntULT),
                         a, b, "");
    return ll_result(r, ll_select(E, take, a, b));
}

static ll_val ll_rsqrt(ll *E, const ll_row *r) {
    V v = r->a.v, one = ll_real_like(E, v, 1);
    return ll_result(
        r, ll_round(E, r->to, ll_binary(E, LLVMFDiv, one, ll_intrinsic(E, "llvm.sqrt", &v, 1))));
}

static ll_val ll_heaviside(ll *E, const ll_row *r) {
    V a = r->a.v, zero = LLVMConstNull(LLVMTypeOf(a));
    V above =
        ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOGT, a, zero, ""), ll_real_like(E, a, 1), zero);
    V v = ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOEQ, a, zero, ""), r->b.v, above);
    return ll_result(r, ll_select(E, LLVMBuildFCmp(E->b, LLVMRealUNO, a, a, ""), a, v));
}

/* Bit counts and bit permutations by intrinsics; `of_size`: of the absolute value. */
static ll_val ll_bits(ll *E, const ll_row *r, const char *name, bool of_size, bool zero_counts) {
    ll_val a = of_size ? ll_abs(E, r) : r->a;
    V args[2] = {a.v, LLVMConstInt(ll_i(E, 1), 0, 0)};
    ll_val n = {ll_intrinsic(E, name, args, zero_counts ? 2 : 1), NULL, (uint8_t)r->t, r->a.vec};
    return ll_cast(E, r->to, n);
}

/* Philox4x32-10, with its words in the lower halves of 64-bit lanes, where a multiplication is
 * one instruction. The upper halves of c and k are ignored. */
static ll_val ll_philox(ll *E, const ll_row *r, bool upper) {
    V like = r->a.v, low = ll_int_like(E, like, 0xffffffff), half = ll_int_like(E, like, 32);
    V c[4] = {r->a.v, ll_binary(E, LLVMLShr, r->a.v, half), r->b.v,
              ll_binary(E, LLVMLShr, r->b.v, half)};
    V k[2] = {r->c.v, ll_binary(E, LLVMLShr, r->c.v, half)};
    for (int round = 0; round < 10; round++) {
        V p = ll_binary(E, LLVMMul, ll_binary(E, LLVMAnd, c[0], low),
                        ll_int_like(E, like, 0xD2511F53));
        V q = ll_binary(E, LLVMMul, ll_binary(E, LLVMAnd, c[2], low),
                        ll_int_like(E, like, 0xCD9E8D57));
        c[0] = ll_binary(E, LLVMXor, ll_binary(E, LLVMXor, ll_binary(E, LLVMLShr, q, half), c[1]),
                         k[0]);
        c[2] = ll_binary(E, LLVMXor, ll_binary(E, LLVMXor, ll_binary(E, LLVMLShr, p, half), c[3]),
                         k[1]);
        c[1] = q;
        c[3] = p;
        k[0] = ll_binary(E, LLVMAdd, k[0], ll_int_like(E, like, 0x9E3779B9));
        k[1] = ll_binary(E, LLVMAdd, k[1], ll_int_like(E, like, 0xBB67AE85));
    }
    V *half_of = upper ? c + 2 : c;
    return ll_result(r, ll_binary(E, LLVMOr, ll_binary(E, LLVMAnd, half_of[0], low),
                                  ll_binary(E, LLVMShl, half_of[1], half)));
}

/* The upper half of a 128-bit product, from the four products of 32-bit halves. */
static V upper_half(ll *E, V a, V b) {
    V low = ll_int_like(E, a, 0xffffffff), half = ll_int_like(E, a, 32);
    V a0 = ll_binary(E, LLVMAnd, a, low), a1 = ll_binary(E, LLVMLShr, a, half),
      b0 = ll_binary(E, LLVMAnd, b, low), b1 = ll_binary(E, LLVMLShr, b, half);
    V cross = ll_binary(E, LLVMAdd, ll_binary(E, LLVMMul, a1, b0),
                        ll_binary(E, LLVMLShr, ll_binary(E, LLVMMul, a0, b0), half));
    V other =
        ll_binary(E, LLVMAdd, ll_binary(E, LLVMMul, a0, b1), ll_binary(E, LLVMAnd, cross, low));
    V sum = ll_binary(E, LLVMAdd, ll_binary(E, LLVMLShr, cross, half),
                      ll_binary(E, LLVMLShr, other, half));
    return ll_binary(E, LLVMAdd, ll_binary(E, LLVMMul, a1, b1), sum);
}

static ll_val ll_mulhi(ll *E, const ll_row *r) {
    if (dtype_info[r->t].size != 8) return ll_by_function(E, r);
    V a = r->a.v, b = r->b.v, v = upper_half(E, a, b), sign = ll_int_like(E, a, 63);
    if (r->kind == 'I') { /* correction: a negative factor was read as itself plus 2^64 */
        v = ll_binary(E, LLVMSub, v, ll_binary(E, LLVMAnd, ll_binary(E, LLVMAShr, a, sign), b));
        v = ll_binary(E, LLVMSub, v, ll_binary(E, LLVMAnd, ll_binary(E, LLVMAShr, b, sign), a));
    }
    return ll_result(r, v);
}

/* Bit cast: the bits of an operand of type `from`, read as another type. */
static ll_val ll_rebit(ll *E, const ll_row *r, gpa_dtype from, gpa_dtype to) {
    return r->t == from ? ll_result(r, LLVMBuildBitCast(E->b, r->a.v, ll_type(E, to, r->a.vec), ""))
                        : ll_by_function(E, r);
}

static V truth(ll *E, ll_val a) { return ll_cast(E, DT_BOOL, a).v; }
static ll_val ll_logic(ll *E, const ll_row *r, LLVMOpcode code) {
    return ll_result(r, ll_binary(E, code, truth(E, r->a), truth(E, r->b)));
}
static ll_val ll_logic_not(ll *E, const ll_row *r) {
    return ll_result(r, LLVMBuildNot(E->b, truth(E, r->a), ""));
}

/* Shift counts of at least the bit width, and negative ones, shift all bits out. */
static ll_val ll_shift(ll *E, const ll_row *r, LLVMOpcode s, LLVMOpcode u) {
    V a = r->a.v, n = r->b.v, most = ll_int_like(E, n, 8 * dtype_info[r->t].size - 1);
    LLVMOpcode code = r->kind == 'I' ? s : u;
    V past = LLVMBuildICmp(E->b, LLVMIntUGT, n, most, "");
    V v = ll_binary(E, code, a, ll_select(E, past, most, n));
    return ll_result(r, code == LLVMAShr ? v : ll_select(E, past, LLVMConstNull(LLVMTypeOf(a)), v));
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

static ll_val ll_test(ll *E, const ll_row *r, int what) {
    if (r->kind != 'F' && r->kind != 'C')
        return ll_result(r, ll_int_like(E, truth(E, r->a), what == TEST_FINITE));
    V v = test_part(E, r->a.v, what);
    if (r->kind == 'C')
        v = ll_binary(E, what == TEST_FINITE ? LLVMAnd : LLVMOr, v, test_part(E, r->a.im, what));
    return ll_result(r, v);
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

static ll_val ll_parts(ll *E, const ll_row *r, int what) {
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
    return v ? ll_result(r, ll_round(E, r->to, v)) : ll_by_function(E, r);
}

/* ---- the vocabulary of op.def's LL column ---- */

#define LL_BIN(F, S, U) ll_bin(E, r, LLVM##F, LLVM##S, LLVM##U)
#define LL_CMP(F, S, U) ll_cmp(E, r, (predicate){LLVMReal##F, LLVMInt##S, LLVMInt##U})
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
#define LL_HELPER ll_by_function(E, r)

// clang-format off
#define OP(id, name, symbol, arity, sig, cost, red, b, i, u, f, c, ll, doc) \
    case OP_##id: return ll;
#define OPX(id, ...) \
    case OP_##id: return ll_by_function(E, r);
// clang-format on

static ll_val emit_row(ll *E, const ll_row *r) {
    switch (r->op) {
#include "runtime/tables/op.def"
        case OP_COUNT: break;
    }
    return ll_by_function(E, r);
}
#undef OP
#undef OPX

ll_val ll_op(ll *E, const ll_operation *o) {
    ll_val a = o->a, b = o->b, c = o->c;
    V one_b = a.vec && !b.vec && E->lanes > 1 ? b.v : NULL;
    if (a.vec || b.vec || c.vec) a = ll_vector(E, a), b = ll_vector(E, b), c = ll_vector(E, c);
    ll_row r = {o->op, o->t, o->to, dtype_info[o->t].kind, a, b, c, one_b};
    return emit_row(E, &r);
}
