/* Vectorized floating-point functions, and helpers that they share.
 *
 * Operands are vectors of float or double; errors are at most 1.5 ULP unless noted. */
#ifndef GPA_CPU_EMIT_VECMATH_H
#define GPA_CPU_EMIT_VECMATH_H

#include "runtime/cpu/emit/ll.h"

/* ---- vecmath_exp.c: functions of one operand; y is ignored ---- */

V vec_exp(ll *E, V x, V y);
V vec_exp2(ll *E, V x, V y); /* float only */
V vec_sinh(ll *E, V x, V y); /* and cosh and tanh: within 3.5 ULP */
V vec_cosh(ll *E, V x, V y);
V vec_tanh(ll *E, V x, V y);

/* p * 2^n, rounded once. n is an integer; `exponent` is the same as a float, or up to 1 more.
 * Processors with 512-bit registers need only `exponent`. */
V vec_scaled(ll *E, V p, V n, V exponent);
/* The integer nearest to x * per, in lanes of x's width; *rounded is the same as a float. |x *
 * per| is below 2^22 or 2^51. */
V vec_nearest(ll *E, V x, double per, V *rounded);

/* ---- vecmath_log.c: float only with 512-bit registers ---- */

V vec_log(ll *E, V x, V y);
V vec_log2(ll *E, V x, V y);
V vec_log10(ll *E, V x, V y);
/* x ** y, within 0.7 ULP for results between 10^-2 and 10^2, within 3 ULP for others: bases near
 * 1. */
V vec_pow(ll *E, V x, V y);

/* Lookup in n tables, at most 4, by the last bits of index, among 16 doubles or 32 floats, in lanes
 * like those of x: out[i] holds entries of table i. float needs 512-bit registers. */
void vec_look_up(ll *E, V x, V index, const double *const *tables, unsigned n, V *out);
/* log |x| in two parts; the second is the remainder. */
void vec_long_log(ll *E, V x, V *head, V *tail);
/* exp(head + tail) = the result * 2^exponent, exponent rounded down; the result is about 1 to 2,
 * the operands finite. */
V vec_long_power(ll *E, V head, V tail, V *exponent);

/* ---- vecmath_gamma.c: for processors with 512-bit registers ---- */

V vec_gamma(ll *E, V x, V y); /* within 4 ULP; factorials are exact where representable */
/* Within 4 ULP from 0 on, within 8 ULP below; `other` computes results near the zeros. */
V vec_log_gamma(ll *E, V x, V (*other)(ll *E, V x, const void *more), const void *more);

/* ---- vecmath.c ---- */

/* `out`, or for all lanes the result of `other` if `unusual` is set in any lane. `other` gets a
 * basic block of its own; without E->divides it is always used. */
V vec_unless(ll *E, V unusual, V out, V (*other)(ll *E, const void *more), const void *more);

/* Applies the intrinsic f to each 512-bit register of x, and of y if it is not NULL. Narrower
 * operands are repeated to fill a register. */
typedef V vec_register(ll *E, V x, V y, const void *more);
V vec_by_registers(ll *E, V x, V y, vec_register *f, const void *more);
/* An AVX-512 intrinsic on registers, named by its stem, such as "getexp": with a mask of all
 * lanes, in the current rounding mode. */
V vec_masked(ll *E, const char *stem, V *args, unsigned n);

/* ---- arithmetic ---- */

static inline bool vec_is_double(V x) {
    LLVMTypeRef one = ll_width(x) > 1 ? LLVMGetElementType(LLVMTypeOf(x)) : LLVMTypeOf(x);
    return LLVMGetTypeKind(one) == LLVMDoubleTypeKind;
}

static inline V vec_fma(ll *E, V a, V b, V c) {
    V args[3] = {a, b, c};
    return ll_intrinsic(E, "llvm.fma", args, 3);
}

static inline V vec_real(ll *E, V like, double of_float, double of_double) {
    return ll_real_like(E, like, vec_is_double(like) ? of_double : of_float);
}
static inline V vec_size(ll *E, V x) { return ll_intrinsic(E, "llvm.fabs", &x, 1); }
static inline V vec_signed(ll *E, V size, V as) {
    return ll_intrinsic(E, "llvm.copysign", (V[]){size, as}, 2);
}

/* x clamped to [lo, hi], or NaN. */
static inline V vec_clamp(ll *E, V x, double lo, double hi) {
    V low = ll_real_like(E, x, lo), high = ll_real_like(E, x, hi);
    x = ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOLT, x, low, ""), low, x);
    return ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOGT, x, high, ""), high, x);
}

/* c[0] + c[1] x + ... + c[n - 1] x^(n - 1). */
static inline V vec_polynomial(ll *E, V x, const double *c, int n) {
    V p = ll_real_like(E, x, c[n - 1]);
    for (int i = n - 2; i >= 0; i--) p = vec_fma(E, p, x, ll_real_like(E, x, c[i]));
    return p;
}

/* The vector type of integers of x's width. */
static inline LLVMTypeRef vec_whole(ll *E, V x) {
    LLVMTypeRef one = ll_i(E, vec_is_double(x) ? 64 : 32);
    return ll_width(x) > 1 ? LLVMVectorType(one, ll_width(x)) : one;
}

/* 2^n, in lanes of the type of `like`, for normal results; 0 for n one less than the smallest. */
static inline V vec_power_of_two(ll *E, V n, V like) {
    bool is_double = vec_is_double(like);
    V biased = LLVMBuildAdd(E->b, n, ll_int_like(E, n, is_double ? 1023 : 127), "");
    return LLVMBuildBitCast(E->b,
                            LLVMBuildShl(E->b, biased, ll_int_like(E, n, is_double ? 52 : 23), ""),
                            LLVMTypeOf(like), "");
}

#endif
