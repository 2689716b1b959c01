/* Code generation for elementwise operations: division of integers (emit_op.h). */
#include "runtime/cpu/emit/emit_op.h"

/* The quotient of unsigned 64-bit lanes. The reciprocal is reduced by 2^-50, more than the five
 * roundings up to an estimate can add: no estimate exceeds the quotient. The first estimate
 * leaves a remainder below d + n 2^-49; the second one, of that remainder, is at most one too
 * small. */
static V wide_quotient(ll *E, V n, V d) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef whole = LLVMTypeOf(n), real = ll_type(E, DT_F64, true);
    V below = ll_real_like(E, LLVMConstNull(real), 1 - 0x1p-50);
    V share = ll_binary(E, LLVMFDiv, below, LLVMBuildUIToFP(b, d, real, ""));
    V sum = LLVMConstNull(whole), rest = n;
    for (int round = 0; round < 2; round++) {
        V part = LLVMBuildFPToUI(
            b, ll_binary(E, LLVMFMul, LLVMBuildUIToFP(b, rest, real, ""), share), whole, "");
        sum = LLVMBuildAdd(b, sum, part, "");
        rest = LLVMBuildSub(b, rest, LLVMBuildMul(b, part, d, ""), "");
    }
    V more = LLVMBuildICmp(b, LLVMIntUGE, rest, d, "");
    return LLVMBuildAdd(b, sum, LLVMBuildZExt(b, more, whole, ""), "");
}

static V wide_signed_quotient(ll *E, V n, V d) {
    LLVMBuilderRef b = E->b;
    V differ = ll_binary(E, LLVMAShr, ll_binary(E, LLVMXor, n, d), ll_int_like(E, n, 63)),
      sides[2] = {n, d};
    for (int i = 0; i < 2; i++) {
        V sign = ll_binary(E, LLVMAShr, sides[i], ll_int_like(E, n, 63));
        sides[i] = LLVMBuildSub(b, ll_binary(E, LLVMXor, sides[i], sign), sign, "");
    }
    return LLVMBuildSub(b, ll_binary(E, LLVMXor, wide_quotient(E, sides[0], sides[1]), differ),
                        differ, "");
}

/* The quotient, truncated, for nonzero divisors. Up to 32 bits: by floats, whose rounding cannot
 * reach the next integer. 64 bits: by estimates if the processor converts between doubles and
 * 64-bit integers in vectors, else lane by lane. */
static V quotient(ll *E, const ll_row *r, V a, V b) {
    bool is_signed = r->kind == 'I';
    unsigned bytes = dtype_info[r->t].size;
    if (bytes == 8 && ll_width(a) > 1 && E->host->masks)
        return is_signed ? wide_signed_quotient(E, a, b) : wide_quotient(E, a, b);
    if (bytes == 8 || ll_width(a) == 1)
        return is_signed ? LLVMBuildSDiv(E->b, a, b, "") : LLVMBuildUDiv(E->b, a, b, "");
    LLVMTypeRef real = ll_type(E, bytes == 4 ? DT_F64 : DT_F32, true);
    V x = is_signed ? LLVMBuildSIToFP(E->b, a, real, "") : LLVMBuildUIToFP(E->b, a, real, "");
    V y = is_signed ? LLVMBuildSIToFP(E->b, b, real, "") : LLVMBuildUIToFP(E->b, b, real, "");
    x = ll_binary(E, LLVMFDiv, x, y);
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
static V equals(ll *E, V d, long long n) {
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
    V none = equals(E, d, 0), real = as_real(E, d, true);
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
    V none = equals(E, d, 0), real = as_real(E, d, false);
    V share = LLVMBuildFDiv(b, ll_real_like(E, real, 65536),
                            either(E, none, ll_real_like(E, real, 1), real), "");
    V m = LLVMBuildAdd(b, as_16(E, share), LLVMConstInt(half, 1, 0), "");
    m = ll_spread(E, either(E, none, LLVMConstNull(half), m));
    V itself = ll_spread(E, equals(E, d, 1)),
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
    V itself = ll_spread(E, either(E, equals(E, d, 1), LLVMConstAllOnes(own), LLVMConstNull(own))),
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
static V floor_by_share(ll *E, const ll_row *r, V n, V d) {
    LLVMBuilderRef b = E->b;
    bool wide = dtype_info[r->t].size == 4;
    LLVMTypeRef words = LLVMVectorType(ll_i(E, 32), ll_width(n));
    LLVMBasicBlockRef here = at_number(E, d);
    V none = equals(E, d, 0), real = as_real(E, d, true), nothing = LLVMConstNull(LLVMTypeOf(real));
    V share = LLVMBuildFDiv(b, ll_real_like(E, real, 1), real, ""),
      below = LLVMBuildFCmp(b, LLVMRealOLT, real, nothing, "");
    V half = LLVMBuildFMul(
        b, share, either(E, below, ll_real_like(E, real, -0.5), ll_real_like(E, real, 0.5)), "");
    share = either(E, none, nothing, share), half = either(E, none, nothing, half);
    if (!wide)
        share = LLVMBuildFPTrunc(b, share, ll_elem(E, DT_F32), ""),
        half = LLVMBuildFPTrunc(b, half, ll_elem(E, DT_F32), "");
    V shares = ll_spread(E, share), halves = ll_spread(E, half),
      minus = ll_spread(E, equals(E, d, -1));
    LLVMPositionBuilderAtEnd(b, here);
    V x[3] = {ll_cast(E, wide ? DT_F64 : DT_F32, (ll_val){n, NULL, (uint8_t)r->t, true}).v, shares,
              halves};
    V q = ll_intrinsic(E, "llvm.fma", x, 3);
    q = LLVMBuildFPToSI(b, ll_intrinsic(E, "llvm.floor", &q, 1), words, "");
    return wide ? ll_select(E, minus, LLVMBuildNeg(b, n, ""), q)
                : LLVMBuildTrunc(b, q, LLVMTypeOf(n), "");
}

/* Floor division of lanes by a uniform divisor; division by 0 gives 0. */
static V floor_by_one(ll *E, const ll_row *r, V d) {
    bool is_signed = r->kind == 'I';
    if (dtype_info[r->t].size == 1)
        return is_signed ? floor_bytes(E, r->a.v, d) : floor_plain_bytes(E, r->a.v, d);
    if (!is_signed) return floor_plain(E, r->a.v, d, 8 * dtype_info[r->t].size);
    return floor_by_share(E, r, r->a.v, d);
}

static ll_val int_division(ll *E, const ll_row *r, ll_division_kind what) {
    LLVMBuilderRef b = E->b;
    if (what == DIV_FLOOR && r->one_b && dtype_info[r->t].size <= 4)
        return ll_result(r, floor_by_one(E, r, r->one_b));
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
        V differ = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildXor(b, rest, safe, ""), zero, "");
        V adjust = LLVMBuildAnd(b, differ, LLVMBuildICmp(b, LLVMIntNE, rest, zero, ""), "");
        q = LLVMBuildAdd(b, q, LLVMBuildSExt(b, adjust, LLVMTypeOf(q), ""), "");
        rest = ll_select(E, adjust, LLVMBuildAdd(b, rest, safe, ""), rest);
    }
    if (is_signed) q = ll_select(E, minus, LLVMBuildNeg(b, n, ""), q);
    return ll_result(r, ll_select(E, by_zero, zero, what == DIV_FLOOR ? q : rest));
}

ll_val ll_lcm(ll *E, const ll_row *r) {
    ll_row plain = *r, common = *r;
    plain.kind = 'U', common.op = OP_GCD;
    V g = ll_int_size(E, r, ll_by_function(E, &common).v),
      none = LLVMBuildICmp(E->b, LLVMIntEQ, g, ll_int_like(E, g, 0), "");
    V share =
        quotient(E, &plain, ll_int_size(E, r, r->a.v), ll_select(E, none, ll_int_like(E, g, 1), g));
    return ll_result(r, LLVMBuildMul(E->b, share, ll_int_size(E, r, r->b.v), ""));
}

ll_val ll_division(ll *E, const ll_row *r, ll_division_kind what) {
    return r->kind == 'I' || r->kind == 'U' ? int_division(E, r, what) : ll_by_function(E, r);
}
