/* Complex functions in SIMD lanes, built from real functions. Each handles ordinary operands:
 * finite parts whose squares or exponentials neither overflow nor underflow. For the other lanes
 * the caller uses the row's C function, which has the same formulas (op_helpers.def). */
#include <math.h>

#include "runtime/cpu/emit/ll.h"

/* An operand and its properties. */
typedef struct {
    ll *E;
    V x, y;
    bool single;
    bool whole; /* all libm functions used have vector versions */
} operand;

static V add(operand *o, V a, V b) { return LLVMBuildFAdd(o->E->b, a, b, ""); }
static V sub(operand *o, V a, V b) { return LLVMBuildFSub(o->E->b, a, b, ""); }
static V mul(operand *o, V a, V b) { return LLVMBuildFMul(o->E->b, a, b, ""); }
static V over(operand *o, V a, V b) { return LLVMBuildFDiv(o->E->b, a, b, ""); }
static V minus(operand *o, V a) { return LLVMBuildFNeg(o->E->b, a, ""); }
static V number(operand *o, double x) { return ll_real_like(o->E, o->x, x); }
static V size(operand *o, V a) { return ll_intrinsic(o->E, "llvm.fabs", &a, 1); }
static V root(operand *o, V a) { return ll_intrinsic(o->E, "llvm.sqrt", &a, 1); }
static V both(operand *o, V a, V b) { return LLVMBuildAnd(o->E->b, a, b, ""); }
static V below(operand *o, V a, double limit) {
    return LLVMBuildFCmp(o->E->b, LLVMRealOLT, a, number(o, limit), "");
}
static V above(operand *o, V a, double limit) {
    return LLVMBuildFCmp(o->E->b, LLVMRealOGT, a, number(o, limit), "");
}
static V fma_(operand *o, V a, V b, V c) {
    return ll_intrinsic(o->E, "llvm.fma", (V[]){a, b, c}, 3);
}

/* Calls a vector libm function. If there is none, `whole` becomes false and the result is
 * unused. */
static V function(operand *o, const char *name, V a, V b) {
    V v = ll_libm(o->E, name, (V[]){a, b}, b ? 2 : 1);
    if (!v) o->whole = false;
    return v ? v : a;
}

static V larger(operand *o) {
    V x = size(o, o->x), y = size(o, o->y);
    return ll_select(o->E, LLVMBuildFCmp(o->E->b, LLVMRealOGT, x, y, ""), x, y);
}

/* True where x * x + y * y keeps full precision: no overflow, underflow or NaN. */
static V square_fits(operand *o, V most) {
    V fits = both(o, above(o, most, o->single ? 1e-15 : 1e-150),
                  below(o, most, o->single ? 1e18 : 1e150));
    return both(o, fits, LLVMBuildFCmp(o->E->b, LLVMRealORD, o->x, o->y, ""));
}

static V square(operand *o) { return add(o, mul(o, o->x, o->x), mul(o, o->y, o->y)); }

static double exponent_limit(operand *o) { return o->single ? 88 : 709; }

static ll_val exponential(operand *o, V *holds) {
    V e = function(o, "exp", o->x, NULL);
    *holds = both(o, both(o, above(o, o->x, -HUGE_VAL), below(o, o->x, exponent_limit(o))),
                  below(o, size(o, o->y), HUGE_VAL));
    return (ll_val){.v = mul(o, e, function(o, "cos", o->y, NULL)),
                    .im = mul(o, e, function(o, "sin", o->y, NULL))};
}

static ll_val exponential_less_1(operand *o) {
    V s = function(o, "sin", mul(o, o->y, number(o, 0.5)), NULL),
      twice = mul(o, mul(o, number(o, 2), s), s);
    V re = sub(o, mul(o, function(o, "expm1", o->x, NULL), function(o, "cos", o->y, NULL)), twice);
    return (ll_val){.v = re,
                    .im = mul(o, function(o, "exp", o->x, NULL), function(o, "sin", o->y, NULL))};
}

/* sinh or cosh: cosh swaps the real sinh and cosh of sinh's formula. */
static ll_val hyperbolic(operand *o, bool cosine, V *holds) {
    V s = function(o, "sinh", o->x, NULL), c = function(o, "cosh", o->x, NULL);
    *holds = both(o, below(o, size(o, o->x), exponent_limit(o)), below(o, size(o, o->y), HUGE_VAL));
    return (ll_val){.v = mul(o, cosine ? c : s, function(o, "cos", o->y, NULL)),
                    .im = mul(o, cosine ? s : c, function(o, "sin", o->y, NULL))};
}

/* Complex logarithm. Near modulus 1 the real part is log1p of x * x + y * y - 1, computed in
 * twice the precision. */
static ll_val logarithm(operand *o, double scale, V *holds) {
    V x = size(o, o->x), y = size(o, o->y), swapped = LLVMBuildFCmp(o->E->b, LLVMRealOLT, x, y, "");
    V most = ll_select(o->E, swapped, y, x), least = ll_select(o->E, swapped, x, y);
    V xx = mul(o, most, most), yy = mul(o, least, least), xl = fma_(o, most, most, minus(o, xx)),
      yl = fma_(o, least, least, minus(o, yy));
    V s = sub(o, xx, number(o, 1)), t = add(o, s, yy), back = sub(o, t, s),
      lost = add(o, sub(o, s, sub(o, t, back)), sub(o, yy, back));
    V near = function(o, "log1p", add(o, t, add(o, add(o, lost, xl), yl)), NULL),
      sum = add(o, xx, yy);
    V is_near = both(o, above(o, sum, 0.25), below(o, sum, 9)), far = function(o, "log", sum, NULL);
    *holds = square_fits(o, most);
    return (ll_val){.v = mul(o, ll_select(o->E, is_near, near, far), number(o, 0.5 * scale)),
                    .im = mul(o, function(o, "atan2", o->y, o->x), number(o, scale))};
}

static ll_val square_root(operand *o, V *holds) {
    V t = root(o, mul(o, add(o, size(o, o->x), root(o, square(o))), number(o, 0.5)));
    V right = LLVMBuildFCmp(o->E->b, LLVMRealOGE, o->x, number(o, 0), ""),
      other = over(o, o->y, add(o, t, t));
    *holds = square_fits(o, larger(o));
    return (ll_val){.v = ll_select(o->E, right, t, size(o, other)),
                    .im = ll_select(o->E, right, other,
                                    ll_intrinsic(o->E, "llvm.copysign", (V[]){t, o->y}, 2))};
}

/* Square root of 1 + z or 1 - z, for the inverse functions. */
static ll_val square_root_1_plus(operand *o, bool less, V *holds) {
    operand p = *o;
    V one = number(o, 1);
    p.x = less ? sub(o, one, o->x) : add(o, one, o->x), p.y = less ? minus(o, o->y) : o->y;
    V fits;
    ll_val r = square_root(&p, &fits);
    *holds = *holds ? both(o, *holds, fits) : fits;
    return r;
}

static double huge(operand *o) { return o->single ? 1e6 : 1e14; }

static ll_val arc_cosine(operand *o, V *holds) {
    ll_val p = square_root_1_plus(o, false, holds), m = square_root_1_plus(o, true, holds);
    *holds = both(o, *holds, below(o, larger(o), huge(o)));
    return (ll_val){.v = mul(o, number(o, 2), function(o, "atan2", m.v, p.v)),
                    .im = function(o, "asinh", sub(o, mul(o, p.v, m.im), mul(o, p.im, m.v)), NULL)};
}

static ll_val area_sine(operand *o, V *holds) {
    operand by_i = *o; /* iz, for the roots of 1 + iz and 1 - iz */
    by_i.x = minus(o, o->y), by_i.y = o->x;
    ll_val p = square_root_1_plus(&by_i, false, holds), m = square_root_1_plus(&by_i, true, holds);
    *holds = both(o, *holds, below(o, larger(o), huge(o)));
    return (ll_val){.v = function(o, "asinh", sub(o, mul(o, m.v, p.im), mul(o, m.im, p.v)), NULL),
                    .im = function(o, "atan2", o->y, sub(o, mul(o, p.v, m.v), mul(o, p.im, m.im)))};
}

static ll_val area_tangent(operand *o, V *holds) {
    V x = size(o, o->x), one = number(o, 1), rest = sub(o, one, x), yy = mul(o, o->y, o->y),
      d = add(o, mul(o, rest, rest), yy);
    V re = mul(o, number(o, 0.25), function(o, "log1p", over(o, mul(o, number(o, 4), x), d), NULL));
    V im =
        function(o, "atan2", mul(o, number(o, 2), o->y), sub(o, mul(o, rest, add(o, one, x)), yy));
    *holds = both(o, above(o, d, o->single ? 1e-30 : 1e-300), below(o, larger(o), huge(o)));
    *holds = both(o, *holds, LLVMBuildFCmp(o->E->b, LLVMRealORD, o->x, o->y, ""));
    return (ll_val){.v = ll_intrinsic(o->E, "llvm.copysign", (V[]){re, o->x}, 2),
                    .im = mul(o, number(o, 0.5), im)};
}

static ll_val hyperbolic_tangent(operand *o, V *holds) {
    V one = number(o, 1), t = function(o, "tan", o->y, NULL), s = function(o, "sinh", o->x, NULL),
      ss = mul(o, s, s);
    V beta = add(o, one, mul(o, t, t)), rho = root(o, add(o, one, ss)),
      d = add(o, one, mul(o, beta, ss));
    *holds =
        both(o, below(o, size(o, o->x), o->single ? 11 : 22), below(o, size(o, o->y), HUGE_VAL));
    return (ll_val){.v = over(o, mul(o, mul(o, beta, rho), s), d), .im = over(o, t, d)};
}

/* log1p. Holds only where the result is not small: for small results NumPy's errors are those of
 * the C function. */
static ll_val logarithm_1_plus(operand *o, V *holds) {
    operand p = *o;
    p.x = add(o, o->x, number(o, 1));
    V re = mul(o, number(o, 0.5), function(o, "log", square(&p), NULL)),
      im = function(o, "atan2", p.y, p.x);
    V large = LLVMBuildOr(o->E->b, above(o, size(o, re), 0.25), above(o, size(o, im), 0.25), "");
    o->whole = o->whole && p.whole;
    *holds = both(o, large, square_fits(&p, larger(&p)));
    return (ll_val){.v = re, .im = im};
}

static ll_val product(operand *o, ll_val a, ll_val b) {
    return (ll_val){.v = sub(o, mul(o, a.v, b.v), mul(o, a.im, b.im)),
                    .im = add(o, mul(o, a.v, b.im), mul(o, a.im, b.v))};
}

static ll_val reciprocal(operand *o);

/* Powers with a real integer exponent of magnitude 1 to 7, by repeated squaring. */
static ll_val small_power(operand *o, ll_val b, V *holds) {
    LLVMBuilderRef B = o->E->b;
    ll_val p = {.v = o->x, .im = o->y}, r = {.v = NULL};
    V n = size(o, b.v), none = number(o, 0), takes[3];
    V fits = both(o, LLVMBuildFCmp(B, LLVMRealOEQ, b.im, none, ""),
                  LLVMBuildFCmp(B, LLVMRealOEQ, n, ll_intrinsic(o->E, "llvm.trunc", &n, 1), ""));
    fits = both(o, fits, both(o, above(o, n, 0), below(o, n, 8)));
    for (int bit = 2; bit >= 0; bit--) {
        takes[bit] = LLVMBuildFCmp(B, LLVMRealOGE, n, number(o, 1 << bit), "");
        n = ll_select(o->E, takes[bit], sub(o, n, number(o, 1 << bit)), n);
    }
    r.v = ll_select(o->E, takes[0], p.v, number(o, 1)),
    r.im = ll_select(o->E, takes[0], p.im, none);
    for (int bit = 1; bit < 3; bit++) {
        p = product(o, p, p);
        ll_val with = product(o, r, p);
        r.v = ll_select(o->E, takes[bit], with.v, r.v),
        r.im = ll_select(o->E, takes[bit], with.im, r.im);
    }
    operand p_n = *o;
    p_n.x = r.v, p_n.y = r.im;
    V whole = both(o, below(o, size(o, r.v), HUGE_VAL), below(o, size(o, r.im), HUGE_VAL)),
      down = below(o, b.v, 0);
    *holds =
        both(o, both(o, fits, whole), both(o, above(o, larger(o), 0), above(o, larger(&p_n), 0)));
    p = reciprocal(&p_n);
    return (ll_val){.v = ll_select(o->E, down, p.v, r.v), .im = ll_select(o->E, down, p.im, r.im)};
}

static ll_val direction(operand *o, V *holds) {
    V most = larger(o), m = root(o, square(o)), zero = number(o, 0);
    V none = both(o, LLVMBuildFCmp(o->E->b, LLVMRealOEQ, o->x, zero, ""),
                  LLVMBuildFCmp(o->E->b, LLVMRealOEQ, o->y, zero, ""));
    *holds = LLVMBuildOr(o->E->b, square_fits(o, most), none, "");
    return (ll_val){.v = ll_select(o->E, none, zero, over(o, o->x, m)),
                    .im = ll_select(o->E, none, zero, over(o, o->y, m))};
}

static ll_val reciprocal(operand *o) {
    V flat = LLVMBuildFCmp(o->E->b, LLVMRealOLE, size(o, o->y), size(o, o->x), "");
    V most = ll_select(o->E, flat, o->x, o->y), least = ll_select(o->E, flat, o->y, o->x),
      ratio = over(o, least, most);
    V d = add(o, most, mul(o, least, ratio)), one = over(o, number(o, 1), d),
      part = over(o, ratio, d);
    return (ll_val){.v = ll_select(o->E, flat, one, part),
                    .im = minus(o, ll_select(o->E, flat, part, one))};
}

/* iz: the trigonometric functions are the hyperbolic ones of iz. times_minus_i multiplies by -i. */
static operand times_i(operand o) {
    V x = minus(&o, o.y);
    o.y = o.x, o.x = x;
    return o;
}

static ll_val times_minus_i(operand *o, ll_val a) {
    return (ll_val){.v = a.im, .im = minus(o, a.v)};
}

bool ll_complex(ll *E, gpa_op op, ll_val a, ll_val b, ll_val *out, V *holds) {
    const double log2_of_e = 1.44269504088896340736, log10_of_e = 0.434294481903251827651,
                 log_of_2 = 0.693147180559945309417;
    operand o = {E, a.v, a.im, a.t == DT_C64, true};
    *holds = NULL;
    if (ll_width(a.v) == 1 || !E->host->fma) return false;
    switch ((int)op) {
        case OP_EXP2:
            o.x = mul(&o, o.x, number(&o, log_of_2)),
            o.y = mul(&o, o.y, number(&o, log_of_2)); /* fall through */
        case OP_EXP: *out = exponential(&o, holds); break;
        case OP_EXPM1: *out = exponential_less_1(&o); break;
        case OP_LOG: *out = logarithm(&o, 1, holds); break;
        case OP_LOG2: *out = logarithm(&o, log2_of_e, holds); break;
        case OP_LOG10: *out = logarithm(&o, log10_of_e, holds); break;
        case OP_SINH: *out = hyperbolic(&o, false, holds); break;
        case OP_COSH: *out = hyperbolic(&o, true, holds); break;
        case OP_COS: o = times_i(o), *out = hyperbolic(&o, true, holds); break;
        case OP_SIN: o = times_i(o), *out = times_minus_i(&o, hyperbolic(&o, false, holds)); break;
        case OP_TANH: *out = hyperbolic_tangent(&o, holds); break;
        case OP_TAN: o = times_i(o), *out = times_minus_i(&o, hyperbolic_tangent(&o, holds)); break;
        case OP_ARCCOS: *out = arc_cosine(&o, holds); break;
        case OP_ARCCOSH: {
            ll_val arc = arc_cosine(&o, holds);
            V up = ll_intrinsic(E, "llvm.copysign", (V[]){number(&o, 1), o.y}, 2);
            *out = (ll_val){.v = minus(&o, mul(&o, up, arc.im)), .im = mul(&o, up, arc.v)};
            break;
        }
        case OP_ARCSINH: *out = area_sine(&o, holds); break;
        case OP_ARCSIN: o = times_i(o), *out = times_minus_i(&o, area_sine(&o, holds)); break;
        case OP_ARCTANH: *out = area_tangent(&o, holds); break;
        case OP_ARCTAN: o = times_i(o), *out = times_minus_i(&o, area_tangent(&o, holds)); break;
        case OP_LOG1P: *out = logarithm_1_plus(&o, holds); break;
        case OP_POWER: *out = small_power(&o, b, holds); break;
        case OP_SQRT: *out = square_root(&o, holds); break;
        case OP_SIGN: *out = direction(&o, holds); break;
        case OP_RECIPROCAL: *out = reciprocal(&o); break;
        default: return false;
    }
    out->t = a.t, out->vec = true;
    return o.whole;
}

/* Modulus: the square root of x * x + y * y. Operands are scaled by a power of 2 where their
 * squares would overflow or underflow. Infinite if either part is, even if the other is a NaN. */
V ll_modulus(ll *E, ll_val a) {
    operand o = {E, a.v, a.im, a.t == DT_C64, true};
    V x = size(&o, a.v), y = size(&o, a.im), most = larger(&o), inf = number(&o, HUGE_VAL);
    V big = above(&o, most, o.single ? 0x1p60 : 0x1p500),
      small = below(&o, most, o.single ? 0x1p-50 : 0x1p-450);
    double power = o.single ? 0x1p80 : 0x1p600;
    V scale = ll_select(E, big, number(&o, 1 / power),
                        ll_select(E, small, number(&o, power), number(&o, 1)));
    V back = ll_select(E, big, number(&o, power),
                       ll_select(E, small, number(&o, 1 / power), number(&o, 1)));
    o.x = mul(&o, x, scale), o.y = mul(&o, y, scale);
    V m = mul(&o, root(&o, square(&o)), back);
    V endless = LLVMBuildOr(E->b, LLVMBuildFCmp(E->b, LLVMRealOEQ, x, inf, ""),
                            LLVMBuildFCmp(E->b, LLVMRealOEQ, y, inf, ""), "");
    return ll_select(E, endless, inf, m);
}
