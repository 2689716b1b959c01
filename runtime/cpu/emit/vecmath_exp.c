/* Vectorized exp, exp2, sinh, cosh, tanh.
 *
 * libmvec leaves its vector path for every lane that underflows, which is common in a softmax,
 * and a call spills all registers. Range reduction: exp(x) = 2^n exp(r), n the integer nearest
 * to x / ln 2, |r| <= ln 2 / 2. The polynomials are minimax, except for that of exp, which is
 * the Taylor series. */

#include "runtime/base/base.h"
#include "runtime/cpu/emit/vecmath.h"

static V scaled_register(ll *E, V p, V exponent, const void *more) {
    V args[] = {p, exponent, LLVMConstNull(LLVMTypeOf(p))};
    (void)more;
    return vec_masked(E, "scalef", args, COUNT_OF(args));
}

/* By the scalef instruction, which uses floor(exponent); or by two factors, of which the first
 * product is exact. */
V vec_scaled(ll *E, V p, V n, V exponent) {
    if (E->host->masks) return vec_by_registers(E, p, exponent, scaled_register, NULL);
    V half = LLVMBuildAShr(E->b, n, ll_int_like(E, n, 1), "");
    p = LLVMBuildFMul(E->b, p, vec_power_of_two(E, half, p), "");
    return LLVMBuildFMul(E->b, p, vec_power_of_two(E, LLVMBuildSub(E->b, n, half, ""), p), "");
}

/* Adding a large constant leaves the nearest integer in the lowest bits of the sum. */
V vec_nearest(ll *E, V x, double per, V *rounded) {
    LLVMTypeRef whole = vec_whole(E, x);
    V large = vec_real(E, x, 12582912.0, 6755399441055744.0);
    V sum = per == 1 ? LLVMBuildFAdd(E->b, x, large, "")
                     : vec_fma(E, x, ll_real_like(E, x, per), large);
    *rounded = LLVMBuildFSub(E->b, sum, large, "");
    return LLVMBuildSub(E->b, LLVMBuildBitCast(E->b, sum, whole, ""),
                        LLVMBuildBitCast(E->b, large, whole, ""), "");
}

/* Range reduction: *r = x - n ln 2, n the integer nearest to x / ln 2. */
static V reduce_range(ll *E, V x, V *exponent, V *r) {
    V n = vec_nearest(E, x, 1.44269504088896340736, exponent),
      back = LLVMBuildFNeg(E->b, *exponent, "");
    *r = vec_fma(E, back, vec_real(E, x, 0x1.62e43p-1, 0x1.62e42fefa39efp-1), x);
    *r = vec_fma(E, back, vec_real(E, x, -0x1.05c61p-29, 0x1.abc9e3b39803fp-56), *r);
    return n;
}

V vec_exp(ll *E, V x, V y) {
    static const double inverse[] = {1,
                                     1,
                                     1. / 2,
                                     1. / 6,
                                     1. / 24,
                                     1. / 120,
                                     1. / 720,
                                     1. / 5040,
                                     1. / 40320,
                                     1. / 362880,
                                     1. / 3628800,
                                     1. / 39916800,
                                     1. / 479001600,
                                     1. / 6227020800};
    bool is_double = vec_is_double(x);
    V r, exponent,
        n = reduce_range(E, is_double ? vec_clamp(E, x, -746, 710) : vec_clamp(E, x, -105, 89),
                         &exponent, &r);
    (void)y;
    return vec_scaled(E, vec_polynomial(E, r, inverse, is_double ? 14 : 8), n, exponent);
}

V vec_exp2(ll *E, V x, V y) {
    static const double c[] = {1,
                               0x1.62e430cb88ea6p-1,
                               0x1.ebfbe0d6ff0eep-3,
                               0x1.c6aed011d17a4p-5,
                               0x1.3b29aa72bfd24p-7,
                               0x1.5f47746c9ef54p-10,
                               0x1.448f83e92b844p-13};
    V exponent, n;
    (void)y;
    x = vec_clamp(E, x, -151, 129);
    n = vec_nearest(E, x, 1, &exponent);
    return vec_scaled(E, vec_polynomial(E, LLVMBuildFSub(E->b, x, exponent, ""), c, COUNT_OF(c)), n,
                      exponent);
}

/* exp(|x|) = 2^n (even + odd) and exp(-|x|) = 2^-n (even - odd), even and odd the hyperbolic
 * functions of r. All four products are combined in one sum without cancellation: for n = 0 it
 * is odd alone. Results are halved, as 2^n may be twice the largest finite number. */
static void hyperbolic(ll *E, V x, double most_float, double most_double, V *sinh, V *cosh) {
    static const double even_float[] = {0x1.00000045d21edp-1, 0x1.55547ad601ed4p-5,
                                        0x1.6d9b29c0774ddp-10};
    static const double odd_float[] = {0x1.5554ac376dea1p-3, 0x1.122aa4e0b6ea5p-7};
    static const double even_double[] = {0x1.000000000000cp-1, 0x1.555555554fc85p-5,
                                         0x1.6c16c186753a7p-10, 0x1.a019945ed62dfp-16,
                                         0x1.28b25ab680cffp-22};
    static const double odd_double[] = {0x1.5555555555559p-3, 0x1.111111110f5bfp-7,
                                        0x1.a01a01b053144p-13, 0x1.71ddf71d740a1p-19,
                                        0x1.af610f9d24036p-26};
    LLVMBuilderRef b = E->b;
    bool is_double = vec_is_double(x);
    V size = vec_size(E, x), most = vec_real(E, x, most_float, most_double), exponent, r;
    V n = reduce_range(E, ll_select(E, LLVMBuildFCmp(b, LLVMRealOGT, size, most, ""), most, size),
                       &exponent, &r);
    V z = LLVMBuildFMul(b, r, r, ""), one = ll_real_like(E, x, 1), two = ll_int_like(E, n, 2);
    V even = vec_fma(E, z,
                     is_double ? vec_polynomial(E, z, even_double, COUNT_OF(even_double))
                               : vec_polynomial(E, z, even_float, COUNT_OF(even_float)),
                     one);
    V rest = is_double ? vec_polynomial(E, z, odd_double, COUNT_OF(odd_double))
                       : vec_polynomial(E, z, odd_float, COUNT_OF(odd_float));
    V odd = vec_fma(E, LLVMBuildFMul(b, r, z, ""), rest, r);
    V least = ll_int_like(E, n, is_double ? -1023 : -127); /* this power is 0 */
    V lower = ll_intrinsic(E, "llvm.smax",
                           (V[]){LLVMBuildSub(b, LLVMBuildNeg(b, n, ""), two, ""), least}, 2);
    V up = vec_power_of_two(E, LLVMBuildSub(b, n, two, ""), x),
      down = vec_power_of_two(E, lower, x);
    V sum = LLVMBuildFAdd(b, up, down, ""), difference = LLVMBuildFSub(b, up, down, "");
    *sinh = vec_fma(E, difference, even, LLVMBuildFMul(b, sum, odd, ""));
    *cosh = vec_fma(E, difference, odd, LLVMBuildFMul(b, sum, even, ""));
}

/* Returns x below the magnitude where the function rounds to its operand: half of a small
 * (subnormal) number may be inexact. */
static V odd_function(ll *E, V size, V x) {
    V small =
        LLVMBuildFCmp(E->b, LLVMRealOLT, vec_size(E, x), vec_real(E, x, 0x1p-13, 0x1p-28), "");
    return ll_select(E, small, x, vec_signed(E, size, x));
}

V vec_sinh(ll *E, V x, V y) {
    V sinh, cosh;
    (void)y;
    hyperbolic(E, x, 89.5, 710.5, &sinh, &cosh);
    return odd_function(E, LLVMBuildFMul(E->b, sinh, ll_real_like(E, x, 2), ""), x);
}

V vec_cosh(ll *E, V x, V y) {
    V sinh, cosh;
    (void)y;
    hyperbolic(E, x, 89.5, 710.5, &sinh, &cosh);
    return LLVMBuildFMul(E->b, cosh, ll_real_like(E, x, 2), "");
}

V vec_tanh(ll *E, V x, V y) {
    V sinh, cosh;
    (void)y;
    hyperbolic(E, x, 10, 22, &sinh, &cosh);
    return odd_function(E, LLVMBuildFDiv(E->b, sinh, cosh, ""), x);
}
