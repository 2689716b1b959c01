/* Vectorized gamma function and its logarithm.
 *
 * Gamma(1 + y) = ((y + 9/2) / e)^(y + 1/2) S(y), in the manner of C. Lanczos, "A precision
 * approximation of the gamma function", SIAM Journal on Numerical Analysis B 1 (1964), but S is
 * a rational function of degree 6 without fixed poles, accurate to 5e-18 for y from 0 to 190. It
 * is the sum of an exact constant and a quotient of polynomials with positive coefficients. The
 * power is computed as in pow, with exponents in double-word arithmetic. Gamma(x) is Gamma(1 +
 * x) / x for x above 0, -pi / (sin(pi y) Gamma(1 + y)) for -y below: one division for all.
 * Floats are computed in lanes of double, without second words. The coefficients interpolate at
 * Chebyshev nodes. */
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/emit/vecmath.h"

typedef struct {
    const double *c;
    int n;
} polynomial;

#define POLYNOMIAL(c) ((polynomial){c, COUNT_OF(c)})
#define CHOOSE(exact, name) ((exact) ? POLYNOMIAL(name##_double) : POLYNOMIAL(name##_float))

static const double top_double[] = {0x1.6dd871dc286a1p8, 0x1.c62d2eae1853dp8, 0x1.c5951dd0d6c36p7,
                                    0x1.c76237bb57d04p5, 0x1.cbda95a4851a4p2, 0x1.7623d409d1b81p-2};
static const double top_float[] = {0x1.17bffaacae87ep2, 0x1.3d657c05e62bbp1, 0x1.7623df8c3b2e4p-2};
static const double bottom_double[] = {
    0x1.f443b425f52fap8, 0x1.39c109e67389cp10, 0x1.2b38a4cbd696bp10, 0x1.1c63b7f889088p9,
    0x1.2106871b4c9cdp7, 0x1.2ddf35816cc44p4,  0x1.0000000000000p0};
static const double bottom_float[] = {0x1.7e89208804f3bp2, 0x1.5ee3dbbafd3ccp3, 0x1.7f3e0f0034980p2,
                                      0x1.0000000000000p0};
static const double sine_double[] = {
    0x1.921fb54442d18p1,   -0x1.4abbce625be52p2,   0x1.466bc6775aa7dp1,
    -0x1.32d2cce627c86p-1, 0x1.5078348551854p-4,   -0x1.e3074dfaf87afp-8,
    0x1.e8f3675ee37ddp-12, -0x1.6f7acdb8f6580p-16, 0x1.9d462020fcc78p-21};
static const double sine_float[] = {0x1.921fb54425516p1,  -0x1.4abbce51c31dap2,
                                    0x1.466bc06900900p1,  -0x1.32d12ebe6b560p-1,
                                    0x1.5014072bd9ca2p-4, -0x1.cc9b5f3456b49p-8};
static const double limit_double = 0x1.78194b189d33dp-5, limit_float = 0x1.78194a0c87f7cp-5;

static V value_of(ll *E, V x, polynomial p) { return vec_polynomial(E, x, p.c, p.n); }

static V is_negative(ll *E, V x) {
    return LLVMBuildFCmp(E->b, LLVMRealOLT, x, ll_real_like(E, x, 0), "");
}

static LLVMTypeRef doubles(ll *E, V x) {
    LLVMTypeRef one = LLVMDoubleTypeInContext(E->ctx);
    return ll_width(x) > 1 ? LLVMVectorType(one, ll_width(x)) : one;
}

/* About 1 / x, accurate to 14 bits. */
static V inverse_register(ll *E, V x, V y, const void *more) {
    V args[] = {x, LLVMConstNull(LLVMTypeOf(x)), LLVMConstAllOnes(ll_i(E, 8))};
    (void)y, (void)more;
    return ll_intrinsic_of(E, "llvm.x86.avx512.rcp14.pd.512", NULL, 0, args, COUNT_OF(args));
}

/* sin(pi y), accurate to all bits: the argument reduction is exact. */
static V sine_of_turns(ll *E, V y, bool exact) {
    LLVMBuilderRef b = E->b;
    V whole = ll_intrinsic(E, "llvm.rint", &y, 1),
      half = LLVMBuildFMul(b, whole, ll_real_like(E, y, 0.5), "");
    V odd = LLVMBuildFCmp(b, LLVMRealUNE, ll_intrinsic(E, "llvm.rint", &half, 1), half, "");
    V r = LLVMBuildFSub(b, y, whole, ""), square = LLVMBuildFMul(b, r, r, "");
    V sine = LLVMBuildFMul(b, r, value_of(E, square, CHOOSE(exact, sine)), "");
    return ll_select(E, odd, LLVMBuildFNeg(b, sine, ""), sine);
}

/* Gamma(1 + |x|) = power * 2^exponent * top / bottom; exponent NULL: 0. */
typedef struct {
    V x, y, power, exponent, top, bottom;
    bool exact;
} parts;

static parts parts_of(ll *E, V x, bool exact) {
    LLVMBuilderRef b = E->b;
    V y = vec_clamp(E, vec_size(E, x), 0, exact ? 186 : 50), half = ll_real_like(E, x, 0.5),
      four = ll_real_like(E, x, 4);
    V one = ll_real_like(E, x, 1), u = LLVMBuildFAdd(b, y, half, ""),
      z = LLVMBuildFAdd(b, u, four, "");
    V bottom = value_of(E, y, CHOOSE(exact, bottom)),
      limit = ll_real_like(E, x, exact ? limit_double : limit_float);
    parts p = {
        x,      y,    NULL, NULL, vec_fma(E, bottom, limit, value_of(E, y, CHOOSE(exact, top))),
        bottom, exact};
    if (!exact) {
        p.power = vec_exp(
            E, LLVMBuildFMul(b, u, LLVMBuildFSub(b, vec_log(E, z, NULL), one, ""), ""), NULL);
        return p;
    }
    /* (u + u_rest) (log(z + z_rest) - 1), of which z_rest changes u z_rest / z */
    V u_rest = LLVMBuildFSub(b, y, LLVMBuildFSub(b, u, half, ""), ""), head, tail;
    V z_rest = LLVMBuildFAdd(b, u_rest, LLVMBuildFSub(b, u, LLVMBuildFSub(b, z, four, ""), ""), "");
    vec_long_log(E, z, &head, &tail);
    V less = LLVMBuildFSub(b, head, one, "");
    tail = LLVMBuildFAdd(b, tail, LLVMBuildFSub(b, LLVMBuildFSub(b, head, less, ""), one, ""), "");
    tail = vec_fma(E, z_rest, vec_by_registers(E, z, NULL, inverse_register, NULL), tail);
    V product = LLVMBuildFMul(b, u, less, ""),
      rest = vec_fma(E, u, less, LLVMBuildFNeg(b, product, ""));
    rest = vec_fma(E, u_rest, less, vec_fma(E, u, tail, rest));
    p.power = vec_long_power(E, product, rest, &p.exponent);
    return p;
}

static V of_positive(ll *E, const parts *p) {
    LLVMBuilderRef b = E->b;
    V out = LLVMBuildFMul(b, p->power, p->top, "");
    out = LLVMBuildFDiv(b, out, LLVMBuildFMul(b, p->bottom, vec_signed(E, p->y, p->x), ""), "");
    return p->exponent ? vec_scaled(E, out, NULL, p->exponent) : out;
}

/* Makes factorials correctly rounded, which are exact up to 22!: `out`, or Gamma from a table
 * for integers up to 31 in y. */
static V with_factorials(ll *E, V y, V out) {
    LLVMBuilderRef b = E->b;
    double low[16] = {0}, high[16];
    long double product = 1;
    for (int i = 1; i < 32; product *= i++) *(i < 16 ? &low[i] : &high[i - 16]) = (double)product;
    V whole, index = vec_nearest(E, y, 1, &whole), sixteen = ll_real_like(E, y, 16);
    V known[2];
    vec_look_up(E, y, index, (const double *const[]){low, high}, COUNT_OF(known), known);
    known[0] = ll_select(E, LLVMBuildFCmp(b, LLVMRealOLT, y, sixteen, ""), known[0], known[1]);
    V is = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOEQ, y, whole, ""),
                        LLVMBuildFCmp(b, LLVMRealOGE, y, ll_real_like(E, y, 1), ""), "");
    is = LLVMBuildAnd(b, is, LLVMBuildFCmp(b, LLVMRealOLT, y, ll_real_like(E, y, 32), ""), "");
    return ll_select(E, is, known[0], out);
}

static V of_any(ll *E, const void *more) {
    const parts *p = more;
    LLVMBuilderRef b = E->b;
    V x = p->x, below = is_negative(E, x), sine = sine_of_turns(E, vec_size(E, x), p->exact);
    V product = LLVMBuildFMul(b, p->power, p->top, "");
    V pole =
        LLVMBuildAnd(b, below, LLVMBuildFCmp(b, LLVMRealOEQ, sine, ll_real_like(E, x, 0), ""), "");
    V over = ll_select(E, below,
                       LLVMBuildFMul(b, p->bottom, ll_real_like(E, x, -0x1.921fb54442d18p1), ""),
                       product);
    V under = ll_select(E, below, LLVMBuildFMul(b, product, sine, ""),
                        LLVMBuildFMul(b, p->bottom, vec_signed(E, p->y, x), ""));
    V out = LLVMBuildFDiv(b, ll_select(E, pole, ll_real_like(E, x, NAN), over), under, "");
    if (!p->exponent) return out;
    V exponent = ll_intrinsic(E, "llvm.floor", (V[]){p->exponent}, 1);
    out = vec_scaled(E, out, NULL, ll_select(E, below, LLVMBuildFNeg(b, exponent, ""), exponent));
    return ll_select(E, below, out, with_factorials(E, p->y, out));
}

V vec_gamma(ll *E, V x, V y) {
    bool exact = vec_is_double(x);
    parts p = parts_of(E, exact ? x : LLVMBuildFPExt(E->b, x, doubles(E, x), ""), exact);
    (void)y;
    V unusual = is_negative(E, p.x), whole = exact ? ll_intrinsic(E, "llvm.rint", &p.x, 1) : NULL;
    if (exact)
        unusual = LLVMBuildOr(E->b, unusual, LLVMBuildFCmp(E->b, LLVMRealOEQ, whole, p.x, ""), "");
    V out = vec_unless(E, unusual, of_positive(E, &p), of_any, &p);
    return exact ? out : LLVMBuildFPTrunc(E->b, out, LLVMTypeOf(x), "");
}

/* ---- logarithm of gamma ---- */

/* Of y - 3/4: log Gamma(y) / ((y - 1) (y - 2)) for y from 3/4 to 3, and from there on log Gamma(y)
 * less (y - 1/2) (log y - 1) + (log(2 pi) - 1) / 2. */
static const double near_top_double[] = {
    0x1.e83e5e6309457p11, 0x1.efc229927e87dp13, 0x1.8872180744675p14,
    0x1.333e6c25685d2p14, 0x1.f327def45dbabp12, 0x1.945247e834d00p10,
    0x1.1e1f3d82ec009p7,  0x1.fe72eceee81a7p1,  0x1.ed898e21c5de0p-8};
static const double near_top_float[] = {0x1.780e5dabcb425p4, 0x1.59f07032d31fcp5,
                                        0x1.5e6ff45573637p4, 0x1.66d88cb3a480fp1,
                                        0x1.86c442e3c850fp-6};
static const double near_bottom_double[] = {
    0x1.7748ad36be5a4p12, 0x1.afe16fc777d9fp14, 0x1.8d6952ccd4dcdp15,
    0x1.76a352d1ae137p15, 0x1.81dd95ea5cab3p14, 0x1.add31cba80448p12,
    0x1.e2017c8573d9fp9,  0x1.ce7c56b32eb9cp5,  0x1.0000000000000p0};
static const double near_bottom_float[] = {0x1.210d50c0d97e7p5, 0x1.583069d73fc9ep6,
                                           0x1.ff8f9271abbebp5, 0x1.0179e60b98dc8p4,
                                           0x1.0000000000000p0};
static const double far_top_double[] = {0x1.da4e9be640e37p0,  0x1.2f76c07fa5bd7p2,
                                        0x1.4234df1a71a6cp2,  0x1.5f34e63e4b91ap1,
                                        0x1.8da20ec0d60cdp-1, 0x1.555555555523ep-4};
static const double far_top_float[] = {0x1.aea5b90ba95e9p-4, 0x1.59500112d5e81p-3,
                                       0x1.5555565c76481p-4};
static const double far_bottom_double[] = {
    0x1.16f8b7e31bfa8p4, 0x1.08cc61a54704ap6, 0x1.9c56ac0da7bbap6, 0x1.559309b761c0ep6,
    0x1.3f96bb064cd0fp5, 0x1.42398b109d80ep3, 0x1.0000000000000p0};
static const double far_bottom_float[] = {0x1.fa637fb7371f4p-1, 0x1.67fe25159498fp1,
                                          0x1.62fc13326c355p1, 0x1.0000000000000p0};

/* The polynomial `yes` where cond is set, `no` elsewhere; that has more coefficients. */
static V chosen(ll *E, V cond, V x, polynomial yes, polynomial no) {
    V out = NULL;
    for (int i = no.n; i-- > 0;) {
        V c = ll_select(E, cond, ll_real_like(E, x, i < yes.n ? yes.c[i] : 0),
                        ll_real_like(E, x, no.c[i]));
        out = out ? vec_fma(E, out, x, c) : c;
    }
    return out;
}

/* log Gamma of doubles from 0 on. Below 3/4: log Gamma(1 + y) - log y. */
static V log_of_positive(ll *E, V y, bool exact) {
    LLVMBuilderRef b = E->b;
    V zero = ll_real_like(E, y, 0), one = ll_real_like(E, y, 1);
    V small = LLVMBuildFCmp(b, LLVMRealOLT, y, ll_real_like(E, y, 0.75), "");
    V large = LLVMBuildFCmp(b, LLVMRealOGE, y, ll_real_like(E, y, 3), "");
    V less = LLVMBuildFSub(b, y, one, ""), log = vec_log(E, y, NULL);
    V t = LLVMBuildFSub(
        b, y, ll_select(E, small, ll_real_like(E, y, -0.25), ll_real_like(E, y, 0.75)), "");
    t = vec_clamp(E, t, 0, 0x1p60);
    V quotient = LLVMBuildFDiv(
        b, chosen(E, large, t, CHOOSE(exact, far_top), CHOOSE(exact, near_top)),
        chosen(E, large, t, CHOOSE(exact, far_bottom), CHOOSE(exact, near_bottom)), "");
    V other = ll_select(E, small, y, LLVMBuildFSub(b, y, ll_real_like(E, y, 2), ""));
    V by = ll_select(E, large, one, LLVMBuildFMul(b, less, other, ""));
    V power = vec_fma(E, LLVMBuildFSub(b, y, ll_real_like(E, y, 0.5), ""),
                      LLVMBuildFSub(b, log, one, ""), ll_real_like(E, y, 0x1.acfe390c97d69p-2));
    V more = ll_select(E, large, power, ll_select(E, small, LLVMBuildFNeg(b, log, ""), zero));
    return vec_fma(E, by, quotient, more);
}

/* Reflection formula for negative x: log(pi / |x sin(pi x)|) - log Gamma(|x|), unless the terms
 * nearly cancel. In that case, and for very large or small x, the function `other` computes the
 * result. */
typedef struct {
    V given, x, out; /* x, out: in double */
    V far;           /* lanes that `other` computes */
    V (*other)(ll *E, V x, const void *more);
    const void *more;
} reflection;

static V from_other(ll *E, const void *more) {
    const reflection *p = more;
    V made = p->other(E, ll_select(E, p->far, p->given, ll_real_like(E, p->given, 1)),
                      p->more); /* unused lanes get 1, which costs little */
    return vec_is_double(p->given) ? made : LLVMBuildFPExt(E->b, made, LLVMTypeOf(p->x), "");
}

static V of_negative(ll *E, const void *more) {
    reflection p = *(const reflection *)more;
    LLVMBuilderRef b = E->b;
    V size = vec_size(E, p.x), sine = vec_size(E, sine_of_turns(E, size, true));
    V there = vec_is_double(p.given) ? p.out : log_of_positive(E, size, true);
    V reflected = vec_log(E,
                          LLVMBuildFDiv(b, ll_real_like(E, size, 0x1.921fb54442d18p1),
                                        LLVMBuildFMul(b, size, sine, ""), ""),
                          NULL);
    const bool exact = vec_is_double(p.given); /* a double result has no spare bits */
    V out = LLVMBuildFSub(b, reflected, there, ""),
      most = LLVMBuildFMul(b, vec_size(E, there), ll_real_like(E, size, exact ? 0.6 : 0x1p-16), "");
    V near = LLVMBuildFCmp(b, LLVMRealOGE, vec_size(E, out), most, "");
    near = LLVMBuildAnd(b, near,
                        LLVMBuildFCmp(b, LLVMRealOGE, vec_size(E, out),
                                      ll_real_like(E, size, exact ? 0.5 : 0x1p-16), ""),
                        "");
    near = LLVMBuildAnd(
        b, near, LLVMBuildFCmp(b, LLVMRealOGE, size, ll_real_like(E, size, 0x1p-500), ""), "");
    near = LLVMBuildAnd(b, near,
                        LLVMBuildFCmp(b, LLVMRealOLE, size, ll_real_like(E, size, 0x1p52), ""), "");
    V below = is_negative(E, p.x);
    p.far = LLVMBuildAnd(b, below, LLVMBuildNot(b, near, ""), "");
    V either = vec_unless(E, p.far, out, from_other, &p);
    return ll_select(E, p.far, either, ll_select(E, below, out, p.out));
}

V vec_log_gamma(ll *E, V x, V (*other)(ll *E, V x, const void *more), const void *more) {
    bool exact = vec_is_double(x);
    V y = exact ? x : LLVMBuildFPExt(E->b, x, doubles(E, x), "");
    reflection p = {.given = x,
                    .x = y,
                    .out = log_of_positive(E, vec_size(E, y), exact),
                    .other = other,
                    .more = more};
    V out = vec_unless(E, is_negative(E, y), p.out, of_negative, &p);
    return exact ? out : LLVMBuildFPTrunc(E->b, out, LLVMTypeOf(x), "");
}
