/* Conversions between dtypes, and between values and memory.
 *
 * Every conversion matches dtype_cast. LLVM leaves the conversion of a float outside the
 * integer's range undefined. This file emits what C compilers do on x86-64: convert to a signed
 * integer of 32 or 64 bits, where every value out of range becomes the minimum, then truncate. */
#include "runtime/cpu/emit/ll.h"

static LLVMTypeRef as_wide_as(ll *E, V v, LLVMTypeRef one) {
    (void)E;
    return ll_width(v) > 1 ? LLVMVectorType(one, ll_width(v)) : one;
}

/* Rounds a float to bfloat16 (to nearest even) and keeps it in 32 bits; a NaN stays a NaN. */
static V round_bfloat(ll *E, V v) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef real = LLVMTypeOf(v);
    V bits = LLVMBuildBitCast(b, v, as_wide_as(E, v, ll_i(E, 32)), "");
    V odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, ll_int_like(E, bits, 16), ""),
                         ll_int_like(E, bits, 1), "");
    V up = LLVMBuildAdd(b, bits, LLVMBuildAdd(b, odd, ll_int_like(E, bits, 0x7fff), ""), "");
    V quiet = LLVMBuildOr(b, bits, ll_int_like(E, bits, 0x400000), "");
    V nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
    V kept = LLVMBuildAnd(b, ll_select(E, nan, quiet, up), ll_int_like(E, bits, 0xffff0000), "");
    return LLVMBuildBitCast(b, kept, real, "");
}

V ll_round(ll *E, gpa_dtype t, V v) {
    if (t == DT_BF16) return round_bfloat(E, v);
    if (t != DT_F16) return v;
    LLVMTypeRef half = as_wide_as(E, v, LLVMHalfTypeInContext(E->ctx));
    return LLVMBuildFPExt(E->b, LLVMBuildFPTrunc(E->b, v, half, ""), LLVMTypeOf(v), "");
}

V ll_to_memory(ll *E, gpa_dtype t, V v) {
    LLVMTypeRef type = as_wide_as(E, v, ll_memory(E, t));
    if (t == DT_BOOL) return LLVMBuildZExt(E->b, v, type, "");
    if (t == DT_F16 && LLVMIsAFPExtInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == type)
        return LLVMGetOperand(v, 0);
    if (t == DT_F16) return LLVMBuildFPTrunc(E->b, v, type, "");
    if (t != DT_BF16) return v;
    V bits = LLVMBuildBitCast(E->b, v, as_wide_as(E, v, ll_i(E, 32)), "");
    return LLVMBuildTrunc(E->b, LLVMBuildLShr(E->b, bits, ll_int_like(E, bits, 16), ""), type, "");
}

V ll_from_memory(ll *E, gpa_dtype t, V v) {
    LLVMTypeRef type = as_wide_as(E, v, ll_elem(E, t));
    if (t == DT_BOOL) return LLVMBuildICmp(E->b, LLVMIntNE, v, ll_int_like(E, v, 0), "");
    if (t == DT_F16) return LLVMBuildFPExt(E->b, v, type, "");
    if (t != DT_BF16) return v;
    V bits = LLVMBuildZExt(E->b, v, as_wide_as(E, v, ll_i(E, 32)), "");
    return LLVMBuildBitCast(E->b, LLVMBuildShl(E->b, bits, ll_int_like(E, bits, 16), ""), type, "");
}

/* Round-to-odd conversion from double to float: the last bit is set when the float is inexact.
 * Rounding the result to a half then equals rounding the double once (no double rounding). */
static V to_float_odd(ll *E, V d) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef single = as_wide_as(E, d, LLVMFloatTypeInContext(E->ctx));
    V f = LLVMBuildFPTrunc(b, d, single, ""), back = LLVMBuildFPExt(b, f, LLVMTypeOf(d), "");
    V bits = LLVMBuildBitCast(b, f, as_wide_as(E, d, ll_i(E, 32)), "");
    V over = LLVMBuildFCmp(b, LLVMRealOGT, ll_intrinsic(E, "llvm.fabs", &back, 1),
                           ll_intrinsic(E, "llvm.fabs", &d, 1), "");
    V low = LLVMBuildSub(b, bits, LLVMBuildZExt(b, over, LLVMTypeOf(bits), ""), "");
    V inexact = LLVMBuildFCmp(b, LLVMRealONE, back, d, "");
    V odd = LLVMBuildOr(b, low, LLVMBuildZExt(b, inexact, LLVMTypeOf(bits), ""), "");
    return LLVMBuildBitCast(b, odd, single, "");
}

static V float_to_float(ll *E, gpa_dtype from, gpa_dtype to, V v) {
    LLVMTypeRef type = as_wide_as(E, v, ll_elem(E, to));
    bool wide = ll_elem(E, from) == LLVMDoubleTypeInContext(E->ctx);
    if (to == DT_F64) return wide ? v : LLVMBuildFPExt(E->b, v, type, "");
    if (wide) v = to == DT_F16 ? to_float_odd(E, v) : LLVMBuildFPTrunc(E->b, v, type, "");
    return ll_round(E, to, v);
}

static V int_to_float(ll *E, bool is_signed, gpa_dtype to, V v) {
    LLVMTypeRef type = as_wide_as(E, v, ll_elem(E, to));
    v = is_signed ? LLVMBuildSIToFP(E->b, v, type, "") : LLVMBuildUIToFP(E->b, v, type, "");
    return ll_round(E, to, v);
}

/* A select between two constants: a conversion through an integer takes two more instructions. */
static V bool_to_float(ll *E, gpa_dtype to, V v) {
    V zero = LLVMConstNull(as_wide_as(E, v, ll_elem(E, to)));
    return ll_select(E, v, ll_real_like(E, zero, 1), zero);
}

static V to_signed(ll *E, unsigned bits, V v) {
    LLVMTypeRef type = as_wide_as(E, v, ll_i(E, bits));
    V limit = ll_real_like(E, v, bits == 32 ? 2147483648.0 : 9223372036854775808.0);
    V inside = LLVMBuildFCmp(E->b, LLVMRealOLT, ll_intrinsic(E, "llvm.fabs", &v, 1), limit, "");
    V n = LLVMBuildFPToSI(E->b, v, type, "");
    return ll_select(E, inside, n, ll_int_like(E, n, bits == 32 ? INT32_MIN : INT64_MIN));
}

/* uint64: below 2^63 the signed conversion; from 2^63 on the signed conversion of v - 2^63, with
 * the top bit set. */
static V float_to_u64(ll *E, V v) {
    V half = ll_real_like(E, v, 9223372036854775808.0);
    V low = to_signed(E, 64, v), high = to_signed(E, 64, LLVMBuildFSub(E->b, v, half, ""));
    V flipped = LLVMBuildXor(E->b, high, ll_int_like(E, high, INT64_MIN), "");
    return ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOGE, v, half, ""), flipped, low);
}

static V float_to_int(ll *E, gpa_dtype to, V v) {
    LLVMTypeRef type = as_wide_as(E, v, ll_elem(E, to));
    if (to == DT_U64) return float_to_u64(E, v);
    V n = to_signed(E, to == DT_U32 || to == DT_I64 ? 64 : 32, v);
    return LLVMTypeOf(n) == type ? n : LLVMBuildTrunc(E->b, n, type, "");
}

static V int_to_int(ll *E, bool is_signed, gpa_dtype to, V v) {
    LLVMTypeRef one = ll_elem(E, to), type = as_wide_as(E, v, one), from = LLVMTypeOf(v);
    if (ll_width(v) > 1) from = LLVMGetElementType(from);
    unsigned was = LLVMGetIntTypeWidth(from), is = LLVMGetIntTypeWidth(one);
    if (was == is) return v;
    if (was > is) return LLVMBuildTrunc(E->b, v, type, "");
    return is_signed ? LLVMBuildSExt(E->b, v, type, "") : LLVMBuildZExt(E->b, v, type, "");
}

static V real_cast(ll *E, gpa_dtype from, gpa_dtype to, V v) {
    bool from_float = dtype_info[from].kind == 'F', is_signed = dtype_info[from].kind == 'I';
    if (to == DT_BOOL)
        return from == DT_BOOL ? v
               : from_float    ? LLVMBuildFCmp(E->b, LLVMRealUNE, v, ll_real_like(E, v, 0), "")
                               : LLVMBuildICmp(E->b, LLVMIntNE, v, ll_int_like(E, v, 0), "");
    if (dtype_is_float(to) && from == DT_BOOL) return bool_to_float(E, to, v);
    if (dtype_is_float(to))
        return from_float ? float_to_float(E, from, to, v) : int_to_float(E, is_signed, to, v);
    return from_float ? float_to_int(E, to, v) : int_to_int(E, is_signed, to, v);
}

ll_val ll_cast(ll *E, gpa_dtype to, ll_val a) {
    gpa_dtype from = a.t, from_part = dtype_is_complex(from) ? dtype_info[from].real : from;
    gpa_dtype to_part = dtype_is_complex(to) ? dtype_info[to].real : to;
    ll_val r = {.t = (uint8_t)to, .vec = a.vec};
    if (from == to) return a;
    r.v = real_cast(E, from_part, to_part, a.v);
    if (to == DT_BOOL && a.im)
        r.v = LLVMBuildOr(E->b, r.v, real_cast(E, from_part, to_part, a.im), "");
    if (dtype_is_complex(to))
        r.im = a.im ? real_cast(E, from_part, to_part, a.im) : ll_real_like(E, r.v, 0);
    return r;
}
