/* Operations on the representation of floats, in SIMD lanes: fraction, frexp, ldexp, nextafter,
 * spacing, and logaddexp. Each matches the row's C function (op_helpers.def). */
#include <math.h>

#include "runtime/cpu/emit/vecmath.h"

typedef struct {
    bool wide;         /* 64 bits */
    int fraction;      /* bits of the fraction field */
    int64_t most, one; /* the largest biased exponent; that of 1.0 */
    LLVMTypeRef whole;
} layout;

static layout layout_of(ll *E, V v) {
    bool wide = vec_is_double(v);
    return (layout){wide, wide ? 52 : 23, wide ? 0x7ff : 0xff, wide ? 1023 : 127, vec_whole(E, v)};
}

/* Converts floats to doubles. */
static V widened(ll *E, V v) {
    LLVMTypeRef one = ll_elem(E, DT_F64);
    return vec_is_double(v)
               ? v
               : LLVMBuildFPExt(E->b, v, ll_width(v) > 1 ? LLVMVectorType(one, ll_width(v)) : one,
                                "");
}

V ll_fraction(ll *E, V a) {
    V whole = ll_intrinsic(E, "llvm.trunc", &a, 1), part = LLVMBuildFSub(E->b, a, whole, "");
    V endless = LLVMBuildFCmp(E->b, LLVMRealOEQ, vec_size(E, a), ll_real_like(E, a, INFINITY), "");
    return vec_signed(E, ll_select(E, endless, ll_real_like(E, a, 0), part), a);
}

/* frexp. Zeros, infinities and NaN are their own mantissa, with the exponent 0. */
void ll_split(ll *E, V a, V *mantissa, V *exponent) {
    LLVMBuilderRef b = E->b;
    layout at = layout_of(E, a);
    V size = vec_size(E, a), least = ll_real_like(E, a, at.wide ? 0x1p-1022 : 0x1p-126);
    V small = LLVMBuildFCmp(b, LLVMRealOLT, size, least, "");
    V from = ll_select(E, small,
                       LLVMBuildFMul(b, a, ll_real_like(E, a, at.wide ? 0x1p54 : 0x1p25), ""), a);
    V bits = LLVMBuildBitCast(b, from, at.whole, ""), shift = ll_int_like(E, bits, at.fraction);
    V field = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, shift, ""), ll_int_like(E, bits, at.most), "");
    V rest = LLVMBuildAnd(b, bits, ll_int_like(E, bits, ~(at.most << at.fraction)), "");
    V half = LLVMBuildOr(b, rest, ll_int_like(E, bits, (at.one - 1) << at.fraction), "");
    V moved = ll_select(E, small, ll_int_like(E, bits, at.one - 1 + (at.wide ? 54 : 25)),
                        ll_int_like(E, bits, at.one - 1));
    V plain = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOLT, size, ll_real_like(E, a, INFINITY), ""),
                           LLVMBuildFCmp(b, LLVMRealUNE, a, ll_real_like(E, a, 0), ""), "");
    *mantissa = ll_select(E, plain, LLVMBuildBitCast(b, half, LLVMTypeOf(a), ""), a);
    *exponent = ll_select(E, plain, LLVMBuildSub(b, field, moved, ""), ll_int_like(E, bits, 0));
}

/* ldexp. For exponents below -1022 the value is first multiplied by 2^-969, which loses no bit
 * of the result: only the last product rounds. */
V ll_scaled(ll *E, V a, V n) {
    LLVMBuilderRef b = E->b;
    bool wide = vec_is_double(a);
    LLVMTypeRef back = LLVMTypeOf(a);
    a = widened(E, a);
    for (int i = 0; i < 2; i++) {
        V up = LLVMBuildICmp(b, LLVMIntSGT, n, ll_int_like(E, n, 1023), ""),
          down = LLVMBuildICmp(b, LLVMIntSLT, n, ll_int_like(E, n, -1022), "");
        V by = ll_select(E, up, ll_real_like(E, a, 0x1p1023),
                         ll_select(E, down, ll_real_like(E, a, 0x1p-969), ll_real_like(E, a, 1)));
        V off = ll_select(E, up, ll_int_like(E, n, 1023),
                          ll_select(E, down, ll_int_like(E, n, -969), ll_int_like(E, n, 0)));
        a = LLVMBuildFMul(b, a, by, "");
        n = LLVMBuildSub(b, n, off, "");
    }
    V low = ll_int_like(E, n, -1022), high = ll_int_like(E, n, 1023);
    n = ll_select(E, LLVMBuildICmp(b, LLVMIntSLT, n, low, ""), low, n);
    n = ll_select(E, LLVMBuildICmp(b, LLVMIntSGT, n, high, ""), high, n);
    a = LLVMBuildFMul(b, a, vec_power_of_two(E, n, a), "");
    return wide ? a : LLVMBuildFPTrunc(b, a, back, "");
}

V ll_next(ll *E, gpa_dtype t, V a, V to) {
    LLVMBuilderRef b = E->b;
    V kept = ll_to_memory(E, t, a), zero = ll_real_like(E, a, 0);
    LLVMTypeRef memory = LLVMTypeOf(kept), whole = ll_i(E, 8 * (unsigned)dtype_size(t));
    V bits = LLVMBuildBitCast(b, kept, ll_width(a) > 1 ? LLVMVectorType(whole, ll_width(a)) : whole,
                              ""),
      one = ll_int_like(E, bits, 1);
    V away = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildFCmp(b, LLVMRealOGT, to, a, ""),
                           LLVMBuildFCmp(b, LLVMRealOGT, a, zero, ""), "");
    bits = ll_select(E, away, LLVMBuildAdd(b, bits, one, ""), LLVMBuildSub(b, bits, one, ""));
    V moved = ll_from_memory(E, t, LLVMBuildBitCast(b, bits, memory, ""));
    V least = vec_signed(E, ll_from_memory(E, t, LLVMBuildBitCast(b, one, memory, "")), to);
    V v = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, a, zero, ""), least, moved);
    v = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, a, to, ""), t == DT_F16 ? a : to,
                  v); /* equal operands, zeros of either sign: NumPy's float16 returns the first */
    return ll_select(E, LLVMBuildFCmp(b, LLVMRealUNO, a, to, ""), LLVMBuildFAdd(b, a, to, ""), v);
}

/* NumPy's spacing of a negative float16 is measured towards 0. */
V ll_spacing(ll *E, gpa_dtype t, V a) {
    V endless = ll_real_like(E, a, INFINITY), to = vec_signed(E, endless, a);
    V upward = LLVMBuildFCmp(E->b, t == DT_F16 ? LLVMRealONE : LLVMRealOEQ, a,
                             ll_real_like(E, a, t == DT_F16 ? -INFINITY : 0), "");
    return LLVMBuildFSub(E->b, ll_next(E, t, a, ll_select(E, upward, endless, to)), a, "");
}

V ll_sum_of_exponentials(ll *E, V x, V y, bool of_2) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef back = LLVMTypeOf(x);
    bool wide = vec_is_double(x);
    x = widened(E, x), y = widened(E, y);
    V d = LLVMBuildFSub(b, x, y, ""), less = LLVMBuildFNeg(b, vec_size(E, d), "");
    V part = ll_libm(E, of_2 ? "exp2" : "exp", &less, 1),
      more = part ? ll_libm(E, "log1p", &part, 1) : NULL;
    if (!more) return NULL;
    if (of_2) more = LLVMBuildFMul(b, more, ll_real_like(E, x, 1.44269504088896340736), "");
    V larger = ll_select(E, LLVMBuildFCmp(b, LLVMRealOGT, d, ll_real_like(E, d, 0), ""), x, y);
    V sum = LLVMBuildFAdd(b, larger, more, ""),
      twice = LLVMBuildFAdd(b, x, ll_real_like(E, x, of_2 ? 1 : 0.693147180559945309417), "");
    V v = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, x, y, ""), twice,
                    ll_select(E, LLVMBuildFCmp(b, LLVMRealUNO, d, d, ""), d, sum));
    return wide ? v : LLVMBuildFPTrunc(b, v, back, "");
}
