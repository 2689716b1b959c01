/* The module cmath: C99's complex functions with CPython's errors. */
#include <complex.h>
#undef complex /* a member of `value` has this name */
#include <math.h>

#include "lang/builtin/all.h"
#include "lang/object/number.h"

/* Builds a complex number from its parts. re + im * I would be wrong for infinite parts. */
static double _Complex made_of(double re, double im) {
    double parts[2] = {re, im};
    double _Complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static gpa_code arg_complex(gpa_vm *vm, value v, double _Complex *out) {
    value now;
    gpa_code rc = value_computed(vm, v, &now);
    if (rc) return rc;
    number n = number_of(now);
    value_release(vm, now);
    if (n.kind == NUMBER_NOT)
        return vm_fail(vm, GPA_E_TYPE, "must be complex number, not %s", value_type_name(v));
    *out = made_of(n.re, n.im);
    return GPA_OK;
}

static bool finite_parts(double _Complex z) { return isfinite(creal(z)) && isfinite(cimag(z)); }

static gpa_code unary(gpa_vm *vm, value v, double _Complex (*f)(double _Complex), value *out) {
    double _Complex z;
    gpa_code rc = arg_complex(vm, v, &z);
    if (rc) return rc;
    double _Complex r = f(z);
    if (finite_parts(z) && !finite_parts(r))
        return f == cexp || f == csinh || f == ccosh
                   ? vm_fail(vm, GPA_E_OVERFLOW, "math range error")
                   : vm_fail(vm, GPA_E_VALUE, "math domain error");
    return native_return(v_complex(vm, creal(r), cimag(r)), out);
}

#define UNARY(name, f) \
    NATIVE_FN(cmath_##name) { return unary(vm, argv[0], f, out); }

static double _Complex clog10_of(double _Complex z) { return clog(z) / M_LN10; }

UNARY(exp, cexp)
UNARY(sqrt, csqrt)
UNARY(log10, clog10_of)
UNARY(sin, csin)
UNARY(cos, ccos)
UNARY(tan, ctan)
UNARY(asin, casin)
UNARY(acos, cacos)
UNARY(atan, catan)
UNARY(sinh, csinh)
UNARY(cosh, ccosh)
UNARY(tanh, ctanh)
UNARY(asinh, casinh)
UNARY(acosh, cacosh)
UNARY(atanh, catanh)

gpa_code cmath_log(gpa_vm *vm, value *argv, value *out) {
    if (argv[1].tag == V_UNSET) return unary(vm, argv[0], clog, out);
    double _Complex z, base;
    gpa_code rc = arg_complex(vm, argv[0], &z);
    if (!rc) rc = arg_complex(vm, argv[1], &base);
    if (rc) return rc;
    if (z == 0 || base == 0) return vm_fail(vm, GPA_E_VALUE, "math domain error");
    double _Complex r = clog(z) / clog(base);
    return native_return(v_complex(vm, creal(r), cimag(r)), out);
}

gpa_code cmath_phase(gpa_vm *vm, value *argv, value *out) {
    double _Complex z;
    gpa_code rc = arg_complex(vm, argv[0], &z);
    if (!rc) *out = v_float(carg(z));
    return rc;
}

gpa_code cmath_polar(gpa_vm *vm, value *argv, value *out) {
    double _Complex z;
    gpa_code rc = arg_complex(vm, argv[0], &z);
    return rc ? rc
              : native_return(v_tuple(vm, 2, (value[]){v_float(cabs(z)), v_float(carg(z))}), out);
}

gpa_code cmath_rect(gpa_vm *vm, value *argv, value *out) {
    double r, phi;
    gpa_code rc = arg_float(vm, argv[0], "r", &r);
    if (!rc) rc = arg_float(vm, argv[1], "phi", &phi);
    return rc ? rc : native_return(v_complex(vm, r * cos(phi), r * sin(phi)), out);
}

static gpa_code test(gpa_vm *vm, value v, int which, value *out) {
    double _Complex z;
    gpa_code rc = arg_complex(vm, v, &z);
    if (rc) return rc;
    double re = creal(z), im = cimag(z);
    *out = v_bool(which == 0   ? isnan(re) || isnan(im)
                  : which == 1 ? isinf(re) || isinf(im)
                               : finite_parts(z));
    return GPA_OK;
}

gpa_code cmath_isnan(gpa_vm *vm, value *argv, value *out) { return test(vm, argv[0], 0, out); }
gpa_code cmath_isinf(gpa_vm *vm, value *argv, value *out) { return test(vm, argv[0], 1, out); }
gpa_code cmath_isfinite(gpa_vm *vm, value *argv, value *out) { return test(vm, argv[0], 2, out); }

gpa_code cmath_isclose(gpa_vm *vm, value *argv, value *out) {
    double _Complex a, b;
    double rel, abs_tol;
    gpa_code rc = arg_complex(vm, argv[0], &a);
    if (!rc) rc = arg_complex(vm, argv[1], &b);
    if (!rc) rc = arg_float(vm, argv[2], "rel_tol", &rel);
    if (!rc) rc = arg_float(vm, argv[3], "abs_tol", &abs_tol);
    if (rc) return rc;
    if (rel < 0 || abs_tol < 0) return vm_fail(vm, GPA_E_VALUE, "tolerances must be non-negative");
    double gap = cabs(a - b);
    bool near = gap <= rel * cabs(b) || gap <= rel * cabs(a) || gap <= abs_tol;
    *out = v_bool(a == b || (finite_parts(a) && finite_parts(b) && near));
    return GPA_OK;
}
