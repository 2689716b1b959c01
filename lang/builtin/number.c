/* Constructors and methods of int, float and complex. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/object/big.h"
#include "lang/builtin/all.h"
#include "lang/format/format.h"
#include "lang/object/number.h"
#include "lang/text/number_text.h"
#include "lang/vm/array_args.h"
#include "lang/vm/operate.h"
#include "lang/vm/record.h"

/* The only element of an array as a number; NumPy's error if there are more. */
static gpa_code only_element(gpa_vm *vm, gpa_arr *a, number *n) {
    if (a->size != 1)
        return vm_fail(vm, GPA_E_TYPE, "only length-1 arrays can be converted to Python scalars");
    gpa_val item;
    gpa_code rc = arg_untraced(vm, a);
    if (!rc) rc = arr_item(vm_rt(vm), a, &item, vm_err(vm));
    if (!rc) *n = number_of_element((gpa_dtype)a->dtype, item);
    return rc;
}

static gpa_code number_value(gpa_vm *vm, value v, number *n) {
    *n = number_of(v);
    return v.tag == V_ARRAY ? only_element(vm, v.array->arr, n) : GPA_OK;
}

/* int() or float() of an instance: by the conversion's method, else by __index__. */
static gpa_code call_conversion(gpa_vm *vm, value v, const char *method, value_tag wanted,
                                value *out, bool *handled) {
    value plain = v_none();
    gpa_code rc = record_call_member(vm, v, method, NO_ARGS, &plain, handled);
    if (!rc && !*handled &&
        !(rc = record_call_member(vm, v, "__index__", NO_ARGS, &plain, handled)) && *handled) {
        int64_t i = 0;
        if (plain.tag == V_BIG && wanted == V_INT) return *out = plain, GPA_OK;
        rc = arg_int(vm, plain, "index", &i);
        if (!rc) *out = wanted == V_INT ? v_int(i) : v_float((double)i);
        value_release(vm, plain);
        return rc;
    }
    if (rc || !*handled) return rc;
    rc = value_to_python(vm, plain, out);
    value_release(vm, plain);
    if (rc || out->tag == wanted || (wanted == V_INT && out->tag == V_BIG)) return rc;
    rc = vm_fail(vm, GPA_E_TYPE,
                 wanted == V_INT ? "%s returned non-int (type %s)"
                                 : "%s.__float__ returned non-float (type %s)",
                 wanted == V_INT ? method : value_type_name(v), value_type_name(*out));
    value_release(vm, *out);
    *out = v_none();
    return rc;
}

static gpa_code fail_literal(gpa_vm *vm, const str_obj *s, const char *prefix) {
    gpa_str shown;
    str_init(&shown);
    format_quoted(&shown, s->text, s->size, false);
    gpa_code rc = vm_fail(vm, GPA_E_VALUE, "%s%s", prefix, shown.text);
    str_free(&shown);
    return rc;
}

/* ---- int ---- */

static gpa_code int_of_text(gpa_vm *vm, const str_obj *s, int base, value *out) {
    int64_t i;
    int_digits d;
    parse_result r = parse_int(s->text, s->size, base, &i, &d);
    if (r == PARSE_TOO_LARGE) return big_parse(vm, d.text, d.n, (unsigned)d.base, d.negative, out);
    if (r == PARSE_OK) {
        *out = v_int(i);
        return GPA_OK;
    }
    char prefix[64];
    snprintf(prefix, sizeof prefix, "invalid literal for int() with base %d: ", base);
    return fail_literal(vm, s, prefix);
}

/* True for Python's complex numbers and arrays of one element, which raise when converted to real;
 * NumPy's scalars drop their imaginary part. */
static bool keeps_imaginary(value v) { return (v.tag == V_COMPLEX || v.tag == V_ARRAY) && !v.aux; }

gpa_code int_new(gpa_vm *vm, value *argv, value *out) {
    value v = argv[1];
    int64_t base = 10;
    if (argv[2].tag != V_UNSET) {
        gpa_code rc = arg_int(vm, argv[2], "base", &base);
        if (rc) return rc;
        if (base != 0 && (base < 2 || base > 36))
            return vm_fail(vm, GPA_E_VALUE, "int() base must be >= 2 and <= 36, or 0");
        if (v.tag != V_STR && v.tag != V_BYTES)
            return vm_fail(vm, GPA_E_TYPE, "int() can't convert non-string with explicit base");
    }
    if (v.tag == V_STR || v.tag == V_BYTES) return int_of_text(vm, v.str, (int)base, out);
    bool handled;
    gpa_code rc = call_conversion(vm, v, "__int__", V_INT, out, &handled);
    if (rc || handled) return rc;
    number n;
    rc = number_value(vm, v, &n);
    if (rc) return rc;
    if (n.kind == NUMBER_NOT || (n.kind == NUMBER_COMPLEX && keeps_imaginary(v)))
        return vm_fail(
            vm, GPA_E_TYPE,
            "int() argument must be a string, a bytes-like object or a real number, not '%s'",
            n.kind == NUMBER_COMPLEX ? "complex" : value_type_name(v));
    if (n.kind == NUMBER_COMPLEX && (rc = np_warn_cast(vm, DT_C128, DT_I64))) return rc;
    if (n.kind == NUMBER_BIG)
        *out = value_retain(v);
    else if (n.kind == NUMBER_UINT)
        return native_return(v_uint(vm, n.u), out);
    else if (n.kind != NUMBER_INT)
        return int_of_float(vm, n.re, out);
    else
        *out = v_int(n.i);
    return GPA_OK;
}

gpa_code int_bit_length(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    bool big = argv[0].tag == V_BIG;
    uint64_t u = big ? 0 : argv[0].i < 0 ? 0 - (uint64_t)argv[0].i : (uint64_t)argv[0].i;
    *out = v_int(big ? (int64_t)big_bits(argv[0].big) : u ? 64 - __builtin_clzll(u) : 0);
    return GPA_OK;
}

gpa_code int_bit_count(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    bool big = argv[0].tag == V_BIG;
    uint64_t u = big ? 0 : argv[0].i < 0 ? 0 - (uint64_t)argv[0].i : (uint64_t)argv[0].i;
    *out = v_int(big ? (int64_t)big_ones(argv[0].big) : __builtin_popcountll(u));
    return GPA_OK;
}

/* An int, also for a bool. */
static value plain_int(value v) { return v.tag == V_BIG ? value_retain(v) : v_int(v.i); }

gpa_code int_conjugate(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = plain_int(argv[0]);
    return GPA_OK;
}

gpa_code int_imag(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_int(0);
    return GPA_OK;
}

gpa_code int_denominator(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_int(1);
    return GPA_OK;
}

gpa_code int_is_integer(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_bool(true);
    return GPA_OK;
}

gpa_code int_ratio(gpa_vm *vm, value *argv, value *out) {
    value self = plain_int(argv[0]);
    gpa_code rc = native_return(v_tuple(vm, 2, (value[]){self, v_int(1)}), out);
    value_release(vm, self);
    return rc;
}

/* ---- float ---- */

gpa_code float_new(gpa_vm *vm, value *argv, value *out) {
    value v = argv[1];
    double f;
    if (v.tag == V_STR || v.tag == V_BYTES) {
        if (parse_float(v.str->text, v.str->size, &f) == PARSE_OK) {
            *out = v_float(f);
            return GPA_OK;
        }
        return fail_literal(vm, v.str, "could not convert string to float: ");
    }
    bool handled;
    gpa_code rc = call_conversion(vm, v, "__float__", V_FLOAT, out, &handled);
    if (rc || handled) return rc;
    number n;
    rc = number_value(vm, v, &n);
    if (rc) return rc;
    if (n.kind == NUMBER_NOT || (n.kind == NUMBER_COMPLEX && keeps_imaginary(v)))
        return vm_fail(vm, GPA_E_TYPE,
                       "float() argument must be a string or a real number, not '%s'",
                       n.kind == NUMBER_COMPLEX ? "complex" : value_type_name(v));
    if (n.kind == NUMBER_BIG && isinf(n.re))
        return vm_fail(vm, GPA_E_OVERFLOW, "int too large to convert to float");
    *out = v_float(n.re);
    return n.kind == NUMBER_COMPLEX ? np_warn_cast(vm, DT_C128, DT_F64) : GPA_OK;
}

gpa_code float_is_integer(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_bool(isfinite(argv[0].f) && floor(argv[0].f) == argv[0].f);
    return GPA_OK;
}

gpa_code float_ratio(gpa_vm *vm, value *argv, value *out) {
    double f = argv[0].f;
    if (isnan(f)) return vm_fail(vm, GPA_E_VALUE, "cannot convert NaN to integer ratio");
    if (isinf(f)) return vm_fail(vm, GPA_E_OVERFLOW, "cannot convert Infinity to integer ratio");
    int e;
    double m = frexp(f, &e);
    for (int i = 0; i < 1100 && m != floor(m); i++, e--) m *= 2;
    value parts[2] = {v_int((int64_t)m), v_int(1)}, power = v_none(), both;
    gpa_code rc = e ? op_number(vm, AST_OP_LSHIFT, parts[e < 0], v_int(abs(e)), &power)
                    : GPA_OK; /* m is odd or 0: the fraction is reduced */
    if (rc) return rc;
    if (e) parts[e < 0] = power;
    both = v_tuple(vm, 2, parts);
    value_release(vm, power);
    return native_return(both, out);
}

gpa_code float_conjugate(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_float(argv[0].f);
    return GPA_OK;
}

gpa_code float_imag(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_float(0);
    return GPA_OK;
}

gpa_code float_hex(gpa_vm *vm, value *argv, value *out) {
    double f = argv[0].f;
    if (!isfinite(f))
        return native_return(v_cstr(vm, isnan(f) ? "nan" : f < 0 ? "-inf" : "inf"), out);
    const char *sign = signbit(f) ? "-" : "";
    if (f == 0) return native_return(v_strf(vm, "%s0x0.0p+0", sign), out);
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    int e = (int)(bits >> 52 & 2047);
    unsigned long long fraction = bits & (((uint64_t)1 << 52) - 1);
    return native_return(
        v_strf(vm, "%s0x%d.%013llxp%+d", sign, e != 0, fraction, e ? e - 1023 : -1022), out);
}

gpa_code float_fromhex(gpa_vm *vm, value *argv, value *out) {
    const char *text;
    size_t n;
    gpa_code rc = arg_text(vm, argv[0], "fromhex() argument", &text, &n);
    if (rc) return rc;
    char buf[64];
    for (; n && strchr(" \t\n\r\f\v", *text); n--) text++;
    while (n && strchr(" \t\n\r\f\v", text[n - 1])) n--;
    bool negative = n && *text == '-', prefixed;
    if (n && (*text == '-' || *text == '+')) {
        text++;
        n--;
    }
    prefixed = (n > 1 && text[0] == '0' && (text[1] | 32) == 'x') ||
               strncasecmp(text, "inf", 3) == 0 || strncasecmp(text, "nan", 3) == 0;
    snprintf(buf, sizeof buf, "%s%.*s", prefixed ? "" : "0x", (int)MIN(n, 50), text);
    char *end;
    double f = strtod(buf, &end);
    if (*end || n == 0)
        return vm_fail(vm, GPA_E_VALUE, "invalid hexadecimal floating-point string");
    *out = v_float(negative ? -f : f);
    return GPA_OK;
}

/* ---- complex ---- */

gpa_code complex_new(gpa_vm *vm, value *argv, value *out) {
    value a = argv[1], b = argv[2];
    double re, im;
    if (a.tag == V_STR) {
        if (b.tag != V_UNSET)
            return vm_fail(vm, GPA_E_TYPE, "complex() can't take second arg if first is a string");
        parse_result r = parse_complex(a.str->text, a.str->size, &re, &im);
        if (r == PARSE_UNDERSCORE)
            return fail_literal(vm, a.str, "could not convert string to complex: ");
        if (r != PARSE_OK) return vm_fail(vm, GPA_E_VALUE, "complex() arg is a malformed string");
        return native_return(v_complex(vm, re, im), out);
    }
    if (b.tag == V_STR) return vm_fail(vm, GPA_E_TYPE, "complex() second arg can't be a string");
    number x, y = {.kind = NUMBER_INT};
    gpa_code rc = number_value(vm, a, &x);
    if (!rc && b.tag != V_UNSET) rc = number_value(vm, b, &y);
    if (rc) return rc;
    if ((x.kind == NUMBER_BIG && isinf(x.re)) || (y.kind == NUMBER_BIG && isinf(y.re)))
        return vm_fail(vm, GPA_E_OVERFLOW, "int too large to convert to float");
    if (x.kind == NUMBER_NOT)
        return vm_fail(vm, GPA_E_TYPE,
                       "complex() first argument must be a string or a number, not '%s'",
                       value_type_name(a));
    if (y.kind == NUMBER_NOT)
        return vm_fail(vm, GPA_E_TYPE, "complex() second argument must be a number, not '%s'",
                       value_type_name(b));
    re = y.kind == NUMBER_COMPLEX ? x.re - y.im : x.re;
    im = b.tag == V_UNSET ? x.im : x.kind == NUMBER_COMPLEX ? x.im + y.re : y.re;
    return native_return(v_complex(vm, re, im), out);
}

gpa_code complex_conjugate(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_complex(vm, argv[0].complex->re, -argv[0].complex->im), out);
}

gpa_code complex_real(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_float(argv[0].complex->re);
    return GPA_OK;
}

gpa_code complex_imag(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_float(argv[0].complex->im);
    return GPA_OK;
}
