/* The module math. Errors follow CPython: a NaN result of non-NaN arguments is a domain error; an
 * infinite result is a range error, or a domain error at a pole. */
#include <math.h>

#include "lang/object/big.h"
#include "lang/builtin/all.h"
#include "lang/object/number.h"
#include "lang/vm/operate.h"

__extension__ typedef __int128 int128;

static gpa_code domain_error(gpa_vm *vm) { return vm_fail(vm, GPA_E_VALUE, "math domain error"); }
static gpa_code range_error(gpa_vm *vm) { return vm_fail(vm, GPA_E_OVERFLOW, "math range error"); }

/* ---- functions of one float ---- */

static gpa_code unary(gpa_vm *vm, value v, double (*f)(double), bool overflows, value *out) {
    double x;
    gpa_code rc = arg_float(vm, v, "x", &x);
    if (rc) return rc;
    double r = f(x);
    if (isnan(r) && !isnan(x)) return domain_error(vm);
    if (isinf(r) && isfinite(x)) return overflows ? range_error(vm) : domain_error(vm);
    *out = v_float(r);
    return GPA_OK;
}

#define UNARY(name, f, overflows) \
    NATIVE_FN(math_##name) { return unary(vm, argv[0], f, overflows, out); }

static double degrees(double x) { return x * (180.0 / M_PI); }
static double radians(double x) { return x * (M_PI / 180.0); }
static double gamma_of(double x) {
    return x == floor(x) && x <= 0 && isfinite(x) ? NAN : x == -INFINITY ? NAN : tgamma(x);
}
static double lgamma_of(double x) { return isinf(x) ? INFINITY : lgamma(x); }

static double ulp(double x) {
    x = fabs(x);
    return isinf(x)                        ? x
           : isinf(nextafter(x, INFINITY)) ? x - nextafter(x, 0)
                                           : nextafter(x, INFINITY) - x;
}

UNARY(sin, sin, false)
UNARY(cos, cos, false)
UNARY(tan, tan, false)
UNARY(asin, asin, false)
UNARY(acos, acos, false)
UNARY(atan, atan, false)
UNARY(sinh, sinh, true)
UNARY(cosh, cosh, true)
UNARY(tanh, tanh, false)
UNARY(asinh, asinh, false)
UNARY(acosh, acosh, false)
UNARY(atanh, atanh, false)
UNARY(exp, exp, true)
UNARY(exp2, exp2, true)
UNARY(expm1, expm1, true)
UNARY(log1p, log1p, false)
UNARY(sqrt, sqrt, false)
UNARY(cbrt, cbrt, false)
UNARY(erf, erf, false)
UNARY(erfc, erfc, false)
UNARY(gamma, gamma_of, true)
UNARY(fabs, fabs, false)
UNARY(degrees, degrees, true)
UNARY(radians, radians, false)
UNARY(ulp, ulp, true)

gpa_code math_lgamma(gpa_vm *vm, value *argv, value *out) {
    double x;
    gpa_code rc = arg_float(vm, argv[0], "x", &x);
    if (rc) return rc;
    return unary(vm, v_float(x), lgamma_of, !(x == floor(x) && x <= 0), out);
}

static gpa_code test(gpa_vm *vm, value v, int which, value *out) {
    double x;
    gpa_code rc = arg_float(vm, v, "x", &x);
    if (!rc) *out = v_bool(which == 0 ? isnan(x) : which == 1 ? isinf(x) : isfinite(x));
    return rc;
}

gpa_code math_isnan(gpa_vm *vm, value *argv, value *out) { return test(vm, argv[0], 0, out); }
gpa_code math_isinf(gpa_vm *vm, value *argv, value *out) { return test(vm, argv[0], 1, out); }
gpa_code math_isfinite(gpa_vm *vm, value *argv, value *out) { return test(vm, argv[0], 2, out); }

static gpa_code round_to_int(gpa_vm *vm, value v, double (*f)(double), value *out) {
    double x;
    number n = number_of(v);
    if (n.kind == NUMBER_INT) {
        *out = v_int(n.i);
        return GPA_OK;
    }
    if (n.kind == NUMBER_UINT || n.kind == NUMBER_BIG)
        return int_new(vm, (value[]){v_none(), v, v_unset()}, out);
    gpa_code rc = arg_float(vm, v, "x", &x);
    return rc ? rc : int_of_float(vm, f(x), out);
}

gpa_code math_floor(gpa_vm *vm, value *argv, value *out) {
    return round_to_int(vm, argv[0], floor, out);
}
gpa_code math_ceil(gpa_vm *vm, value *argv, value *out) {
    return round_to_int(vm, argv[0], ceil, out);
}
gpa_code math_trunc(gpa_vm *vm, value *argv, value *out) {
    return round_to_int(vm, argv[0], trunc, out);
}

gpa_code math_frexp(gpa_vm *vm, value *argv, value *out) {
    double x;
    int e = 0;
    gpa_code rc = arg_float(vm, argv[0], "x", &x);
    if (rc) return rc;
    double m = isfinite(x) ? frexp(x, &e) : x;
    return native_return(v_tuple(vm, 2, (value[]){v_float(m), v_int(e)}), out);
}

gpa_code math_modf(gpa_vm *vm, value *argv, value *out) {
    double x, whole;
    gpa_code rc = arg_float(vm, argv[0], "x", &x);
    if (rc) return rc;
    double part = modf(x, &whole);
    return native_return(v_tuple(vm, 2, (value[]){v_float(part), v_float(whole)}), out);
}

/* ---- functions of several floats ---- */

static gpa_code binary(gpa_vm *vm, value *argv, double (*f)(double, double), value *out) {
    double x, y;
    gpa_code rc = arg_float(vm, argv[0], "x", &x);
    if (!rc) rc = arg_float(vm, argv[1], "y", &y);
    if (rc) return rc;
    double r = f(x, y);
    if (isnan(r) && !isnan(x) && !isnan(y)) return domain_error(vm);
    if (isinf(r) && isfinite(x) && isfinite(y))
        return f == pow && x == 0 ? domain_error(vm) : range_error(vm);
    *out = v_float(r);
    return GPA_OK;
}

gpa_code math_atan2(gpa_vm *vm, value *argv, value *out) { return binary(vm, argv, atan2, out); }
gpa_code math_fmod(gpa_vm *vm, value *argv, value *out) { return binary(vm, argv, fmod, out); }
gpa_code math_pow(gpa_vm *vm, value *argv, value *out) { return binary(vm, argv, pow, out); }
gpa_code math_copysign(gpa_vm *vm, value *argv, value *out) {
    return binary(vm, argv, copysign, out);
}
gpa_code math_remainder(gpa_vm *vm, value *argv, value *out) {
    return binary(vm, argv, remainder, out);
}

gpa_code math_ldexp(gpa_vm *vm, value *argv, value *out) {
    double x;
    int64_t i;
    gpa_code rc = arg_float(vm, argv[0], "x", &x);
    if (rc) return rc;
    if (argv[1].tag != V_INT && argv[1].tag != V_BOOL)
        return vm_fail(vm, GPA_E_TYPE, "Expected an int as second argument to ldexp.");
    i = MAX(-5000, MIN(argv[1].i, 5000));
    double r = ldexp(x, (int)i);
    if (isinf(r) && isfinite(x)) return range_error(vm);
    *out = v_float(r);
    return GPA_OK;
}

gpa_code math_fma(gpa_vm *vm, value *argv, value *out) {
    double x, y, z;
    gpa_code rc = arg_float(vm, argv[0], "x", &x);
    if (!rc) rc = arg_float(vm, argv[1], "y", &y);
    if (!rc) rc = arg_float(vm, argv[2], "z", &z);
    if (rc) return rc;
    double r = fma(x, y, z);
    if (isnan(r) && !isnan(x) && !isnan(y) && !isnan(z))
        return vm_fail(vm, GPA_E_VALUE, "invalid operation in fma");
    if (isinf(r) && isfinite(x) && isfinite(y) && isfinite(z))
        return vm_fail(vm, GPA_E_OVERFLOW, "overflow in fma");
    *out = v_float(r);
    return GPA_OK;
}

gpa_code math_nextafter(gpa_vm *vm, value *argv, value *out) {
    double x, y;
    int64_t steps = 1;
    gpa_code rc = arg_float(vm, argv[0], "x", &x);
    if (!rc) rc = arg_float(vm, argv[1], "y", &y);
    if (!rc && argv[2].tag != V_NONE) rc = arg_int(vm, argv[2], "steps", &steps);
    if (rc) return rc;
    if (steps < 0) return vm_fail(vm, GPA_E_VALUE, "steps must be a non-negative integer");
    for (int64_t i = 0; i < steps && !(x == y) && !isnan(x); i++) {
        x = nextafter(x, y);
        if (i % 4096 == 0 && (rc = vm_poll(vm))) return rc;
    }
    *out = v_float(isnan(y) ? y : x);
    return GPA_OK;
}

/* A logarithm of a positive number, with CPython's errors. An int beyond the range of floats is
 * split into mantissa and exponent, as in CPython. */
static gpa_code log_of(gpa_vm *vm, value v, double (*f)(double), double *out) {
    double x;
    if (v.tag == V_BIG && !v.big->negative && isinf(big_double(v.big))) {
        int64_t e;
        x = big_frexp(v.big, &e);
        *out = f(x) + f(2) * (double)e;
        return GPA_OK;
    }
    if (v.tag == V_BIG && v.big->negative) return domain_error(vm);
    gpa_code rc = arg_float(vm, v, "x", &x);
    if (rc) return rc;
    if (x <= 0) return domain_error(vm);
    *out = f(x);
    return GPA_OK;
}

static gpa_code log_to(gpa_vm *vm, value v, double (*f)(double), value *out) {
    double x;
    gpa_code rc = log_of(vm, v, f, &x);
    if (!rc) *out = v_float(x);
    return rc;
}

gpa_code math_log2(gpa_vm *vm, value *argv, value *out) { return log_to(vm, argv[0], log2, out); }
gpa_code math_log10(gpa_vm *vm, value *argv, value *out) { return log_to(vm, argv[0], log10, out); }

gpa_code math_log(gpa_vm *vm, value *argv, value *out) {
    double x, base;
    gpa_code rc = log_of(vm, argv[0], log, &x);
    if (!rc && argv[1].tag != V_UNSET) {
        rc = log_of(vm, argv[1], log, &base);
        if (!rc && base == 0) rc = vm_fail(vm, GPA_E_ZERO_DIVISION, "division by zero");
        if (!rc) x /= base;
    }
    if (!rc) *out = v_float(x);
    return rc;
}

/* Euclidean norm without overflow: scaled by the largest component, with a compensated sum. */
static double vector_length(const double *x, size_t n) {
    double most = 0, sum = 0, lost = 0;
    bool nan = false;
    for (size_t i = 0; i < n; i++) {
        if (isinf(x[i])) return INFINITY;
        nan = nan || isnan(x[i]);
        most = fmax(most, fabs(x[i]));
    }
    if (nan) return NAN;
    if (most == 0) return 0;
    if (n == 2) return hypot(x[0], x[1]);
    int e;
    frexp(most, &e);
    for (size_t i = 0; i < n; i++) {
        double y = ldexp(x[i], -e), square = y * y, s = sum + square;
        lost += fma(y, y, -square) + ((sum - s) + square);
        sum = s;
    }
    return ldexp(sqrt(sum + lost), e);
}

/* The items of a sequence as floats (owned: mem_free). */
static gpa_code floats_of(gpa_vm *vm, value v, double **out, size_t *n) {
    value items;
    *out = NULL;
    gpa_code rc = vm_collect(vm, v, &items);
    if (rc) return rc;
    *n = items.list->count;
    *out = mem_new(*n * sizeof **out);
    if (!*out) rc = vm_no_memory(vm);
    for (size_t i = 0; i < *n && !rc; i++)
        rc = arg_float(vm, items.list->items[i], "x", &(*out)[i]);
    value_release(vm, items);
    return rc;
}

gpa_code math_hypot(gpa_vm *vm, value *argv, value *out) {
    double *x;
    size_t n;
    gpa_code rc = floats_of(vm, argv[0], &x, &n);
    if (!rc) *out = v_float(vector_length(x, n));
    mem_free(x);
    return rc;
}

gpa_code math_dist(gpa_vm *vm, value *argv, value *out) {
    double *p = NULL, *q = NULL;
    size_t n, m;
    gpa_code rc = floats_of(vm, argv[0], &p, &n);
    if (!rc) rc = floats_of(vm, argv[1], &q, &m);
    if (!rc && n != m)
        rc = vm_fail(vm, GPA_E_VALUE, "both points must have the same number of dimensions");
    if (!rc) {
        for (size_t i = 0; i < n; i++) p[i] -= q[i];
        *out = v_float(vector_length(p, n));
    }
    mem_free(p);
    mem_free(q);
    return rc;
}

gpa_code math_isclose(gpa_vm *vm, value *argv, value *out) {
    double x[4];
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 4 && !rc; i++) rc = arg_float(vm, argv[i], "x", &x[i]);
    if (rc) return rc;
    if (x[2] < 0 || x[3] < 0) return vm_fail(vm, GPA_E_VALUE, "tolerances must be non-negative");
    double gap = fabs(x[0] - x[1]);
    bool near = gap <= fabs(x[2] * x[1]) || gap <= fabs(x[2] * x[0]) || gap <= x[3];
    *out = v_bool(x[0] == x[1] || (!isinf(x[0]) && !isinf(x[1]) && near));
    return GPA_OK;
}

/* Shewchuk's algorithm (1997): nonoverlapping partial sums without rounding errors, then one
 * correct rounding. */
static double exact_sum(const double *x, size_t count, double *partial) {
    size_t n = 0;
    double special = 0;
    for (size_t k = 0; k < count; k++) {
        double v = x[k];
        size_t kept = 0;
        if (!isfinite(v)) {
            special += v;
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            double a = v, b = partial[i];
            if (fabs(a) < fabs(b)) {
                a = b;
                b = v;
            }
            double hi = a + b, lo = b - (hi - a);
            if (lo != 0) partial[kept++] = lo;
            v = hi;
        }
        n = kept;
        partial[n++] = v;
    }
    if (special != 0) return special;
    if (n == 0) return 0;
    double hi = partial[--n], lo = 0;
    while (n > 0 && lo == 0) {
        double a = hi, b = partial[--n];
        hi = a + b;
        lo = b - (hi - a);
    }
    if (n > 0 && ((lo < 0 && partial[n - 1] < 0) || (lo > 0 && partial[n - 1] > 0))) {
        double twice = lo * 2, up = hi + twice;
        if (twice == up - hi) hi = up;
    }
    return hi;
}

gpa_code math_fsum(gpa_vm *vm, value *argv, value *out) {
    double *x;
    size_t n;
    gpa_code rc = floats_of(vm, argv[0], &x, &n);
    double *partial = rc ? NULL : mem_new((n + 1) * sizeof *partial);
    if (!rc && !partial) rc = vm_no_memory(vm);
    if (!rc) *out = v_float(exact_sum(x, n, partial));
    mem_free(partial);
    mem_free(x);
    return rc;
}

static gpa_code reduce_items(gpa_vm *vm, value start, const list_obj *items, const list_obj *times,
                             gpa_op op, value *out) {
    value so_far = value_retain(start);
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < items->count && !rc; i++) {
        value v = value_retain(items->items[i]), next = v_none();
        if (times) {
            value product = v_none();
            rc = vm_binary(vm, OP_MULTIPLY, v, times->items[i], &product);
            value_release(vm, v);
            v = product;
        }
        if (!rc) rc = vm_binary(vm, op, so_far, v, &next);
        value_release(vm, v);
        if (rc) break;
        value_release(vm, so_far);
        so_far = next;
    }
    return native_finish(vm, rc, so_far, out);
}

gpa_code math_prod(gpa_vm *vm, value *argv, value *out) {
    value items;
    gpa_code rc = vm_collect(vm, argv[0], &items);
    if (rc) return rc;
    rc = reduce_items(vm, argv[1], items.list, NULL, OP_MULTIPLY, out);
    value_release(vm, items);
    return rc;
}

gpa_code math_sumprod(gpa_vm *vm, value *argv, value *out) {
    value p = v_none(), q = v_none();
    gpa_code rc = vm_collect(vm, argv[0], &p);
    if (!rc) rc = vm_collect(vm, argv[1], &q);
    if (!rc && p.list->count != q.list->count)
        rc = vm_fail(vm, GPA_E_VALUE, "Inputs are not the same length");
    if (!rc) rc = reduce_items(vm, v_int(0), p.list, q.list, OP_ADD, out);
    value_release(vm, p);
    value_release(vm, q);
    return rc;
}

/* ---- integers ---- */

static uint64_t gcd_of(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* *to = *to op v. */
static gpa_code apply_in_place(gpa_vm *vm, ast_op op, value *to, value v) {
    value made = v_none();
    gpa_code rc = op_number(vm, op, *to, v, &made);
    if (rc) return rc;
    value_release(vm, *to);
    *to = made;
    return vm_poll(vm);
}

/* Greatest common divisor of two non-negative ints, in *a, by Euclid's algorithm; *b is released.
 */
static gpa_code euclid(gpa_vm *vm, value *a, value *b) {
    gpa_code rc = GPA_OK;
    while (!rc && (a->tag == V_BIG || (b->tag == V_BIG || b->i))) {
        if (b->tag == V_INT && b->i == 0) break;
        rc = apply_in_place(vm, AST_OP_MOD, a, *b);
        value other = *a;
        *a = *b;
        *b = other;
    }
    if (!rc && a->tag == V_INT && b->tag == V_INT)
        *a = v_int((int64_t)gcd_of((uint64_t)a->i, (uint64_t)b->i));
    value_release(vm, *b);
    return rc;
}

static gpa_code gcd_with(gpa_vm *vm, value *g, value v) {
    value n = v_none(), size = v_none();
    gpa_code rc = arg_any_int(vm, v, "n", &n);
    if (!rc) rc = core_abs(vm, &n, &size);
    value_release(vm, n);
    return rc ? rc : euclid(vm, g, &size);
}

gpa_code math_gcd(gpa_vm *vm, value *argv, value *out) {
    value g = v_int(0);
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < argv[0].tuple->count && !rc; i++)
        rc = gcd_with(vm, &g, argv[0].tuple->items[i]);
    return native_finish(vm, rc, g, out);
}

gpa_code math_lcm(gpa_vm *vm, value *argv, value *out) {
    value l = v_int(1), n = v_none(), size = v_none();
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < argv[0].tuple->count && !rc; i++) {
        value g = value_retain(l);
        rc = arg_any_int(vm, argv[0].tuple->items[i], "n", &n);
        if (!rc) rc = core_abs(vm, &n, &size);
        value_release(vm, n);
        n = v_none();
        if (!rc) rc = gcd_with(vm, &g, size);
        if (!rc && g.tag == V_INT && g.i == 0) g = v_int(1); /* both are 0 */
        if (!rc) rc = apply_in_place(vm, AST_OP_FLOORDIV, &size, g);
        if (!rc) rc = apply_in_place(vm, AST_OP_MUL, &l, size);
        value_release(vm, size);
        size = v_none();
        value_release(vm, g);
    }
    return native_finish(vm, rc, l, out);
}

/* Falling factorial n * (n - 1) * ... of k factors, divided by k! if `divided`. */
static gpa_code falling_factorial(gpa_vm *vm, int64_t n, int64_t k, bool divided, value *out) {
    value p = v_int(1);
    gpa_code rc = GPA_OK;
    for (int64_t i = 0; i < k && !rc && !(rc = vm_poll(vm)); i++) {
        rc = apply_in_place(vm, AST_OP_MUL, &p, v_int(n - i));
        if (!rc && divided) rc = apply_in_place(vm, AST_OP_FLOORDIV, &p, v_int(i + 1));
    }
    return native_finish(vm, rc, p, out);
}

gpa_code math_factorial(gpa_vm *vm, value *argv, value *out) {
    int64_t n;
    gpa_code rc = arg_int(vm, argv[0], "n", &n);
    if (rc) return rc;
    if (n < 0) return vm_fail(vm, GPA_E_VALUE, "factorial() not defined for negative values");
    return falling_factorial(vm, n, n, false, out);
}

static gpa_code arg_n_k(gpa_vm *vm, value *argv, int64_t *n, int64_t *k) {
    gpa_code rc = arg_int(vm, argv[0], "n", n);
    *k = *n;
    if (!rc && argv[1].tag != V_NONE) rc = arg_int(vm, argv[1], "k", k);
    if (rc) return rc;
    if (*n < 0) return vm_fail(vm, GPA_E_VALUE, "n must be a non-negative integer");
    if (*k < 0) return vm_fail(vm, GPA_E_VALUE, "k must be a non-negative integer");
    return GPA_OK;
}

gpa_code math_comb(gpa_vm *vm, value *argv, value *out) {
    int64_t n, k;
    gpa_code rc = arg_n_k(vm, argv, &n, &k);
    if (!rc && k <= n) return falling_factorial(vm, n, MIN(k, n - k), true, out);
    *out = v_int(0);
    return rc;
}

gpa_code math_perm(gpa_vm *vm, value *argv, value *out) {
    int64_t n, k;
    gpa_code rc = arg_n_k(vm, argv, &n, &k);
    if (!rc && k <= n) return falling_factorial(vm, n, k, false, out);
    *out = v_int(0);
    return rc;
}

/* Integer square root by Newton's method from above. */
static gpa_code big_root(gpa_vm *vm, value n, value *out) {
    value r = v_none();
    gpa_code rc =
        op_number(vm, AST_OP_LSHIFT, v_int(1), v_int((int64_t)(big_bits(n.big) + 1) / 2), &r);
    for (bool lower = true; lower && !rc;) {
        value next = v_none();
        rc = op_number(vm, AST_OP_FLOORDIV, n, r, &next);
        if (!rc) rc = apply_in_place(vm, AST_OP_ADD, &next, r);
        if (!rc) rc = apply_in_place(vm, AST_OP_RSHIFT, &next, v_int(1));
        lower = !rc && big_compare(next, r) < 0;
        value_release(vm, lower ? r : next);
        if (lower) r = next;
    }
    return native_finish(vm, rc, r, out);
}

gpa_code math_isqrt(gpa_vm *vm, value *argv, value *out) {
    int64_t n;
    bool big = argv[0].tag == V_BIG;
    if (big && !argv[0].big->negative) return big_root(vm, argv[0], out);
    gpa_code rc = big ? GPA_OK : arg_int(vm, argv[0], "n", &n);
    if (rc) return rc;
    if (big || n < 0) return vm_fail(vm, GPA_E_VALUE, "isqrt() argument must be nonnegative");
    int64_t r = (int64_t)sqrt((double)n);
    while ((int128)r * r > n) r--;
    while ((int128)(r + 1) * (r + 1) <= n) r++;
    *out = v_int(r);
    return GPA_OK;
}
