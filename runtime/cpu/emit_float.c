/* Operations on the parts of floats, in lanes: fractions, mantissas, exponents, neighbours, and sums of exponentials. Each gives
 * what the row's C function gives (op_helpers.def). */
#include <math.h>

#include "runtime/cpu/ll.h"

typedef struct {
    bool wide;         /* of 64 bits */
    int fraction;      /* bits */
    int64_t most, one; /* the exponent's largest value; its bits in 1.0 */
    LLVMTypeRef whole;
} layout;

static layout layout_of(V v) {
    LLVMTypeRef one = ll_width(v) > 1 ? LLVMGetElementType(LLVMTypeOf(v)) : LLVMTypeOf(v);
    LLVMContextRef context = LLVMGetTypeContext(one);
    bool wide = LLVMGetTypeKind(one) == LLVMDoubleTypeKind;
    LLVMTypeRef whole = LLVMIntTypeInContext(context, wide ? 64 : 32);
    if (ll_width(v) > 1) whole = LLVMVectorType(whole, ll_width(v));
    return (layout){wide, wide ? 52 : 23, wide ? 0x7ff : 0xff, wide ? 1023 : 127, whole};
}

static V same_sign(ll *E, V size, V as) { return ll_intrinsic(E, "llvm.copysign", (V[]){size, as}, 2); }
static V size_of(ll *E, V a) { return ll_intrinsic(E, "llvm.fabs", &a, 1); }

V ll_fraction(ll *E, V a) {
    V whole = ll_intrinsic(E, "llvm.trunc", &a, 1), part = LLVMBuildFSub(E->b, a, whole, "");
    V endless = LLVMBuildFCmp(E->b, LLVMRealOEQ, size_of(E, a), ll_real_like(E, a, INFINITY), "");
    return same_sign(E, ll_select(E, endless, ll_real_like(E, a, 0), part), a);
}

/* Zeros, infinities and NaN have themselves as mantissa, and the exponent 0. */
void ll_split(ll *E, V a, V *mantissa, V *exponent) {
    LLVMBuilderRef b = E->b;
    layout at = layout_of(a);
    V size = size_of(E, a), least = ll_real_like(E, a, at.wide ? 0x1p-1022 : 0x1p-126);
    V small = LLVMBuildFCmp(b, LLVMRealOLT, size, least, "");
    V from = ll_select(E, small, LLVMBuildFMul(b, a, ll_real_like(E, a, at.wide ? 0x1p54 : 0x1p25), ""), a);
    V bits = LLVMBuildBitCast(b, from, at.whole, ""), shift = ll_int_like(E, bits, at.fraction);
    V place = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, shift, ""), ll_int_like(E, bits, at.most), "");
    V rest = LLVMBuildAnd(b, bits, ll_int_like(E, bits, ~(at.most << at.fraction)), "");
    V half = LLVMBuildOr(b, rest, ll_int_like(E, bits, (at.one - 1) << at.fraction), "");
    V moved = ll_select(E, small, ll_int_like(E, bits, at.one - 1 + (at.wide ? 54 : 25)), ll_int_like(E, bits, at.one - 1));
    V plain = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOLT, size, ll_real_like(E, a, INFINITY), ""),
                           LLVMBuildFCmp(b, LLVMRealUNE, a, ll_real_like(E, a, 0), ""), "");
    *mantissa = ll_select(E, plain, LLVMBuildBitCast(b, half, LLVMTypeOf(a), ""), a);
    *exponent = ll_select(E, plain, LLVMBuildSub(b, place, moved, ""), ll_int_like(E, bits, 0));
}

/* 2^n of doubles, for n that keeps it normal. */
static V power_of_two(ll *E, V n, V like) {
    V bits = LLVMBuildShl(E->b, LLVMBuildAdd(E->b, n, ll_int_like(E, n, 1023), ""), ll_int_like(E, n, 52), "");
    return LLVMBuildBitCast(E->b, bits, LLVMTypeOf(like), "");
}

/* Towards small numbers 2^-969 is taken off first, which leaves all bits where they count: the last product alone rounds. */
V ll_scaled(ll *E, V a, V n) {
    LLVMBuilderRef b = E->b;
    layout at = layout_of(a);
    LLVMTypeRef back = LLVMTypeOf(a);
    if (!at.wide) {
        LLVMTypeRef one = LLVMDoubleTypeInContext(LLVMGetTypeContext(back));
        a = LLVMBuildFPExt(b, a, ll_width(a) > 1 ? LLVMVectorType(one, ll_width(a)) : one, "");
    }
    for (int i = 0; i < 2; i++) {
        V up = LLVMBuildICmp(b, LLVMIntSGT, n, ll_int_like(E, n, 1023), ""), down = LLVMBuildICmp(b, LLVMIntSLT, n, ll_int_like(E, n, -1022), "");
        V by = ll_select(E, up, ll_real_like(E, a, 0x1p1023), ll_select(E, down, ll_real_like(E, a, 0x1p-969), ll_real_like(E, a, 1)));
        V off = ll_select(E, up, ll_int_like(E, n, 1023), ll_select(E, down, ll_int_like(E, n, -969), ll_int_like(E, n, 0)));
        a = LLVMBuildFMul(b, a, by, "");
        n = LLVMBuildSub(b, n, off, "");
    }
    V low = ll_int_like(E, n, -1022), high = ll_int_like(E, n, 1023);
    n = ll_select(E, LLVMBuildICmp(b, LLVMIntSLT, n, low, ""), low, n);
    n = ll_select(E, LLVMBuildICmp(b, LLVMIntSGT, n, high, ""), high, n);
    a = LLVMBuildFMul(b, a, power_of_two(E, n, a), "");
    return at.wide ? a : LLVMBuildFPTrunc(b, a, back, "");
}

V ll_next(ll *E, V a, V to) {
    LLVMBuilderRef b = E->b;
    layout at = layout_of(a);
    V zero = ll_real_like(E, a, 0), bits = LLVMBuildBitCast(b, a, at.whole, ""), one = ll_int_like(E, bits, 1);
    V away = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildFCmp(b, LLVMRealOGT, to, a, ""), LLVMBuildFCmp(b, LLVMRealOGT, a, zero, ""), "");
    V moved = LLVMBuildBitCast(b, ll_select(E, away, LLVMBuildAdd(b, bits, one, ""), LLVMBuildSub(b, bits, one, "")), LLVMTypeOf(a), "");
    V least = same_sign(E, LLVMBuildBitCast(b, one, LLVMTypeOf(a), ""), to);
    V v = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, a, zero, ""), least, moved);
    v = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, a, to, ""), to, v);
    return ll_select(E, LLVMBuildFCmp(b, LLVMRealUNO, a, to, ""), LLVMBuildFAdd(b, a, to, ""), v);
}

V ll_spacing(ll *E, V a) {
    V endless = ll_real_like(E, a, INFINITY), none = LLVMBuildFCmp(E->b, LLVMRealOEQ, a, ll_real_like(E, a, 0), "");
    return LLVMBuildFSub(E->b, ll_next(E, a, ll_select(E, none, endless, same_sign(E, endless, a))), a, "");
}

V ll_sum_of_exponentials(ll *E, V x, V y, bool of_2) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef back = LLVMTypeOf(x);
    layout at = layout_of(x);
    if (!at.wide) {
        LLVMTypeRef one = LLVMDoubleTypeInContext(LLVMGetTypeContext(back)), real = ll_width(x) > 1 ? LLVMVectorType(one, ll_width(x)) : one;
        x = LLVMBuildFPExt(b, x, real, ""), y = LLVMBuildFPExt(b, y, real, "");
    }
    V d = LLVMBuildFSub(b, x, y, ""), less = LLVMBuildFNeg(b, size_of(E, d), "");
    V part = ll_libm(E, of_2 ? "exp2" : "exp", &less, 1), more = part ? ll_libm(E, "log1p", &part, 1) : NULL;
    if (!more) return NULL;
    if (of_2) more = LLVMBuildFMul(b, more, ll_real_like(E, x, 1.44269504088896340736), "");
    V larger = ll_select(E, LLVMBuildFCmp(b, LLVMRealOGT, d, ll_real_like(E, d, 0), ""), x, y);
    V sum = LLVMBuildFAdd(b, larger, more, ""), twice = LLVMBuildFAdd(b, x, ll_real_like(E, x, of_2 ? 1 : 0.693147180559945309417), "");
    V v = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, x, y, ""), twice, ll_select(E, LLVMBuildFCmp(b, LLVMRealUNO, d, d, ""), d, sum));
    return at.wide ? v : LLVMBuildFPTrunc(b, v, back, "");
}
