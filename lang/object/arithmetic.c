/* Arithmetic on Python's numbers, with CPython's results and errors. Results beyond 64 bits are
 * computed in lang/object/big.c. */
#include <math.h>

#include "lang/object/big.h"
#include "lang/object/number.h"
#include "lang/object/core.h"

static gpa_code zero(gpa_vm *vm, const char *words) {
    return vm_fail(vm, GPA_E_ZERO_DIVISION, "%s", words);
}

static gpa_code no_operator(gpa_vm *vm, ast_op op, value a, value b) {
    bool order = op >= AST_OP_LT && op <= AST_OP_GE;
    const char *name = op == AST_OP_POW ? "** or pow()" : ast_op_text(op);
    return vm_fail(vm, GPA_E_TYPE,
                   order ? "'%s' not supported between instances of '%s' and '%s'"
                         : "unsupported operand type(s) for %s: '%s' and '%s'",
                   name, value_type_name(a), value_type_name(b));
}

/* Comparison by numeric value. */
static gpa_code compared(ast_op op, value x, value y, value *out) {
    number n = number_of(x), m = number_of(y);
    int sign = number_compare(&n, &m);
    bool t = op == AST_OP_EQ   ? sign == 0
             : op == AST_OP_NE ? sign != 0
             : sign == 2       ? false
             : op == AST_OP_LT ? sign < 0
             : op == AST_OP_LE ? sign <= 0
             : op == AST_OP_GT ? sign > 0
                               : sign >= 0;
    *out = v_bool(t);
    return GPA_OK;
}

/* ---- integers ---- */

static int bits_of(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }
static uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }

/* a / b correctly rounded: enough bits of the quotient, the lowest set if the remainder is not 0
 * (sticky bit). */
static double int_quotient(int64_t a, int64_t b) {
    uint64_t x = magnitude(a), y = magnitude(b);
    if (x <= 1ull << 53 && y <= 1ull << 53) return (double)a / (double)b;
    int shift = 127 - bits_of(x);
    __extension__ typedef unsigned __int128 uint128;
    uint128 n = (uint128)x << shift, q = n / y;
    if (n % y) q |= 1;
    double d = ldexp((double)q, -shift);
    return (a < 0) != (b < 0) ? -d : d;
}

static gpa_code int_power(gpa_vm *vm, int64_t a, int64_t b, value *out) {
    if (b < 0) {
        if (a == 0) return zero(vm, "0.0 cannot be raised to a negative power");
        *out = v_float(pow((double)a, (double)b));
        return GPA_OK;
    }
    long long result = 1, base = a;
    for (uint64_t n = (uint64_t)b; n; n >>= 1) {
        bool over = n & 1 && __builtin_smulll_overflow(result, base, &result);
        if (over || (n > 1 && __builtin_smulll_overflow(base, base, &base)))
            return big_binary(vm, AST_OP_POW, v_int(a), v_int(b), out);
    }
    *out = v_int(result);
    return GPA_OK;
}

static gpa_code int_shift_left(gpa_vm *vm, int64_t a, int64_t b, value *out) {
    if (b < 0) return vm_fail(vm, GPA_E_VALUE, "negative shift count");
    if (a == 0) {
        *out = v_int(0);
        return GPA_OK;
    }
    if (b > 63 || (int64_t)((uint64_t)a << b) >> b != a)
        return big_binary(vm, AST_OP_LSHIFT, v_int(a), v_int(b), out);
    *out = v_int((int64_t)((uint64_t)a << b));
    return GPA_OK;
}

static int64_t floor_quotient(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - (a % b != 0 && (a % b < 0) != (b < 0));
}

static gpa_code ints(gpa_vm *vm, ast_op op, value x, value y, value *out) {
    int64_t a = x.i, b = y.i;
    long long r = 0;
    bool bools = x.tag == V_BOOL && y.tag == V_BOOL;
    switch ((int)op) {
        case AST_OP_ADD:
            if (__builtin_saddll_overflow(a, b, &r)) return big_binary(vm, op, x, y, out);
            break;
        case AST_OP_SUB:
            if (__builtin_ssubll_overflow(a, b, &r)) return big_binary(vm, op, x, y, out);
            break;
        case AST_OP_MUL:
            if (__builtin_smulll_overflow(a, b, &r)) return big_binary(vm, op, x, y, out);
            break;
        case AST_OP_DIV:
            if (b == 0) return zero(vm, "division by zero");
            *out = v_float(int_quotient(a, b));
            return GPA_OK;
        case AST_OP_FLOORDIV:
            if (b == 0) return zero(vm, "integer division or modulo by zero");
            if (b == -1 && a == INT64_MIN) return big_binary(vm, op, x, y, out);
            r = floor_quotient(a, b);
            break;
        case AST_OP_MOD:
            if (b == 0) return zero(vm, "integer modulo by zero");
            r = b == -1 ? 0 : a % b;
            if (r && (r < 0) != (b < 0)) r += b;
            break;
        case AST_OP_POW: return int_power(vm, a, b, out);
        case AST_OP_LSHIFT: return int_shift_left(vm, a, b, out);
        case AST_OP_RSHIFT:
            if (b < 0) return vm_fail(vm, GPA_E_VALUE, "negative shift count");
            r = a >> (b > 63 ? 63 : b);
            break;
        case AST_OP_BITAND: r = a & b; break;
        case AST_OP_BITOR: r = a | b; break;
        case AST_OP_BITXOR: r = a ^ b; break;
        case AST_OP_EQ: *out = v_bool(a == b); return GPA_OK;
        case AST_OP_NE: *out = v_bool(a != b); return GPA_OK;
        case AST_OP_LT: *out = v_bool(a < b); return GPA_OK;
        case AST_OP_LE: *out = v_bool(a <= b); return GPA_OK;
        case AST_OP_GT: *out = v_bool(a > b); return GPA_OK;
        case AST_OP_GE: *out = v_bool(a >= b); return GPA_OK;
        default: return no_operator(vm, op, x, y);
    }
    *out = bools && op >= AST_OP_BITAND && op <= AST_OP_BITXOR ? v_bool(r) : v_int(r);
    return GPA_OK;
}

/* At least one operand is a BIG. */
static gpa_code bigs(gpa_vm *vm, ast_op op, value x, value y, value *out) {
    if (op >= AST_OP_EQ && op <= AST_OP_GE) return compared(op, x, y, out);
    if (op == AST_OP_MATMUL) return no_operator(vm, op, x, y);
    return big_binary(vm, op, x, y, out);
}

/* ---- complex numbers ---- */

typedef struct {
    double re, im;
} complex_number;

static complex_number complex_product(complex_number a, complex_number b) {
    return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Smith's algorithm: scales by the larger component of the divisor to avoid overflow. */
static complex_number complex_quotient(complex_number a, complex_number b) {
    if (fabs(b.re) >= fabs(b.im)) {
        double ratio = b.im / b.re, denominator = b.re + b.im * ratio;
        return (complex_number){(a.re + a.im * ratio) / denominator,
                                (a.im - a.re * ratio) / denominator};
    }
    double ratio = b.re / b.im, denominator = b.re * ratio + b.im;
    return (complex_number){(a.re * ratio + a.im) / denominator,
                            (a.im * ratio - a.re) / denominator};
}

static complex_number complex_integer_power(complex_number a, long n) {
    complex_number r = {1, 0};
    for (unsigned long k = (unsigned long)(n < 0 ? -n : n); k; k >>= 1) {
        if (k & 1) r = complex_product(r, a);
        a = complex_product(a, a);
    }
    return n < 0 ? complex_quotient((complex_number){1, 0}, r) : r;
}

static gpa_code complex_power(gpa_vm *vm, complex_number a, complex_number b, complex_number *r) {
    if (b.re == 0 && b.im == 0) {
        *r = (complex_number){1, 0};
    } else if (a.re == 0 && a.im == 0) {
        if (b.im != 0 || b.re < 0) return zero(vm, "0.0 to a negative or complex power");
        *r = (complex_number){0, 0};
    } else if (b.im == 0 && b.re == floor(b.re) && fabs(b.re) <= 100) {
        *r = complex_integer_power(a, (long)b.re);
    } else {
        double size = hypot(a.re, a.im), angle = atan2(a.im, a.re);
        double magnitude = pow(size, b.re), phase = angle * b.re;
        if (b.im != 0) {
            magnitude /= exp(angle * b.im);
            phase += b.im * log(size);
        }
        *r = (complex_number){magnitude * cos(phase), magnitude * sin(phase)};
    }
    return GPA_OK;
}

static gpa_code complexes(gpa_vm *vm, ast_op op, value x, value y, value *out) {
    number n = number_of(x), m = number_of(y);
    complex_number a = {n.re, n.kind == NUMBER_COMPLEX ? n.im : 0},
                   b = {m.re, m.kind == NUMBER_COMPLEX ? m.im : 0}, r = {0, 0};
    if (n.kind == NUMBER_INT) a.re = (double)n.i;
    if (m.kind == NUMBER_INT) b.re = (double)m.i;
    gpa_code rc = GPA_OK;
    if (((n.kind == NUMBER_BIG && isinf(n.re)) || (m.kind == NUMBER_BIG && isinf(m.re))) &&
        op != AST_OP_EQ && op != AST_OP_NE)
        return vm_fail(vm, GPA_E_OVERFLOW, "int too large to convert to float");
    switch ((int)op) {
        case AST_OP_ADD: r = (complex_number){a.re + b.re, a.im + b.im}; break;
        case AST_OP_SUB: r = (complex_number){a.re - b.re, a.im - b.im}; break;
        case AST_OP_MUL: r = complex_product(a, b); break;
        case AST_OP_DIV:
            if (b.re == 0 && b.im == 0) return zero(vm, "complex division by zero");
            r = complex_quotient(a, b);
            break;
        case AST_OP_POW: rc = complex_power(vm, a, b, &r); break;
        case AST_OP_EQ: *out = v_bool(number_equal(&n, &m)); return GPA_OK;
        case AST_OP_NE: *out = v_bool(!number_equal(&n, &m)); return GPA_OK;
        default: return no_operator(vm, op, x, y);
    }
    if (rc) return rc;
    *out = v_complex(vm, r.re, r.im);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

/* ---- floats ---- */

/* OverflowError if an int exceeds the float range, except in comparisons. */
static gpa_code as_double(gpa_vm *vm, ast_op op, value v, double *out) {
    if (v.tag == V_BIG && (op < AST_OP_EQ || op > AST_OP_GE)) return big_float(vm, v, out);
    *out = v.tag == V_FLOAT ? v.f : v.tag == V_BIG ? 0 : (double)v.i;
    return GPA_OK;
}

static gpa_code float_power(gpa_vm *vm, value x, value y, double a, double b, value *out) {
    if (a == 0 && b < 0) return zero(vm, "0.0 cannot be raised to a negative power");
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        return complexes(vm, AST_OP_POW, x, y, out);
    double r = pow(a, b);
    if (isinf(r) && isfinite(a) && isfinite(b))
        return vm_fail(vm, GPA_E_OVERFLOW, "(34, 'Numerical result out of range')");
    *out = v_float(r);
    return GPA_OK;
}

/* Python's // and % of floats: the remainder has the sign of the divisor. */
static void float_divide(double a, double b, double *quotient, double *remainder) {
    double m = fmod(a, b), q = (a - m) / b;
    if (m != 0) {
        if ((b < 0) != (m < 0)) {
            m += b;
            q -= 1;
        }
    } else {
        m = copysign(0, b);
    }
    if (q != 0) {
        double whole = floor(q);
        if (q - whole > 0.5) whole += 1;
        q = whole;
    } else {
        q = copysign(0, a / b);
    }
    *quotient = q;
    *remainder = m;
}

static gpa_code floats(gpa_vm *vm, ast_op op, value x, value y, value *out) {
    double a, b, r = 0, other;
    gpa_code rc = as_double(vm, op, x, &a);
    if (!rc) rc = as_double(vm, op, y, &b);
    if (rc) return rc;
    switch ((int)op) {
        case AST_OP_ADD: r = a + b; break;
        case AST_OP_SUB: r = a - b; break;
        case AST_OP_MUL: r = a * b; break;
        case AST_OP_DIV:
            if (b == 0) return zero(vm, "float division by zero");
            r = a / b;
            break;
        case AST_OP_FLOORDIV:
            if (b == 0) return zero(vm, "float floor division by zero");
            float_divide(a, b, &r, &other);
            break;
        case AST_OP_MOD:
            if (b == 0) return zero(vm, "float modulo");
            float_divide(a, b, &other, &r);
            break;
        case AST_OP_POW: return float_power(vm, x, y, a, b, out);
        case AST_OP_EQ:
        case AST_OP_NE:
        case AST_OP_LT:
        case AST_OP_LE:
        case AST_OP_GT:
        case AST_OP_GE: return compared(op, x, y, out);
        default: return no_operator(vm, op, x, y);
    }
    *out = v_float(r);
    return GPA_OK;
}

gpa_code op_number(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    if (op >= AST_OP_IN && op <= AST_OP_IS_NOT) {
        if (op == AST_OP_IS || op == AST_OP_IS_NOT) {
            *out = v_bool(value_is(a, b) == (op == AST_OP_IS));
            return GPA_OK;
        }
        return vm_fail(vm, GPA_E_TYPE, "argument of type '%s' is not iterable", value_type_name(b));
    }
    if (a.tag == V_COMPLEX || b.tag == V_COMPLEX) return complexes(vm, op, a, b, out);
    if (a.tag == V_FLOAT || b.tag == V_FLOAT) return floats(vm, op, a, b, out);
    return a.tag == V_BIG || b.tag == V_BIG ? bigs(vm, op, a, b, out) : ints(vm, op, a, b, out);
}
