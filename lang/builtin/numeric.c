/* Built-in functions on numbers: abs, round, pow, divmod; conversion of floats to ints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/object/big.h"
#include "lang/builtin/all.h"
#include "lang/object/number.h"
#include "lang/vm/operate.h"
#include "lang/vm/record.h"
#include "lang/vm/foreign.h"

__extension__ typedef __int128 int128;

gpa_code core_abs(gpa_vm *vm, value *argv, value *out) {
    value v = argv[0];
    if (v.tag == V_INT || v.tag == V_BOOL) {
        if (v.i == INT64_MIN) return big_unary(vm, AST_OP_NEG, v, out);
        *out = v_int(v.i < 0 ? -v.i : v.i);
    } else if (v.tag == V_BIG)
        return big_unary(vm, v.big->negative ? AST_OP_NEG : AST_OP_POS, v, out);
    else if (v.tag == V_FLOAT)
        *out = v_float(fabs(v.f));
    else if (v.tag == V_COMPLEX && !v.aux)
        *out = v_float(hypot(v.complex->re, v.complex->im));
    else if (v.tag == V_ARRAY || number_is_numpy(v))
        return vm_unary(vm, OP_ABSOLUTE, v, out);
    else {
        bool handled = is_foreign(v);
        gpa_code rc = handled ? foreign.abs(vm, v, out) : record_abs(vm, v, out, &handled);
        return rc || handled ? rc
                             : vm_fail(vm, GPA_E_TYPE, "bad operand type for abs(): '%s'",
                                       value_type_name(v));
    }
    return GPA_OK;
}

/* Rounds a float to n decimals by its exact decimal value, halves to even. */
static double round_digits(double x, int64_t n) {
    char text[700];
    if (!isfinite(x) || n > 323) return x;
    if (n >= 0)
        snprintf(text, sizeof text, "%.*f", (int)n, x);
    else {
        int64_t whole = fabs(x) < 1 ? 0 : snprintf(text, sizeof text, "%.0f", trunc(fabs(x))),
                digits = whole + n;
        if (digits > 0)
            snprintf(text, sizeof text, "%.*e", (int)digits - 1, x);
        else if (digits == 0 && fabs(x) > 5 * pow(10, (double)whole - 1))
            snprintf(text, sizeof text, "%c1e%d", x < 0 ? '-' : '+', (int)whole);
        else
            return copysign(0, x);
    }
    return strtod(text, NULL);
}

/* An int rounded to a multiple of 10^-n, halves to even. */
static gpa_code round_int(gpa_vm *vm, value x, int64_t n, value *out) {
    value unit = v_none(), rest = v_none(), twice = v_none(), down = v_none(), count = v_none(),
          odd = v_none();
    gpa_code rc = GPA_OK;
    int order;
    int64_t digits = x.tag == V_BIG ? (int64_t)(big_bits(x.big) / 3) + 1 : 20; /* an upper bound */
    if (n >= 0) {
        *out = value_retain(x);
        return GPA_OK;
    }
    if (n < -digits) {
        *out = v_int(0);
        return GPA_OK;
    }
    TRY(big_binary(vm, AST_OP_POW, v_int(10), v_int(-n), &unit));
    TRY(big_binary(vm, AST_OP_MOD, x, unit, &rest));
    TRY(big_binary(vm, AST_OP_SUB, x, rest, &down));
    TRY(big_binary(vm, AST_OP_ADD, rest, rest, &twice));
    TRY(big_binary(vm, AST_OP_FLOORDIV, down, unit, &count));
    TRY(big_binary(vm, AST_OP_BITAND, count, v_int(1), &odd));
    order = big_compare(twice, unit);
    if (order > 0 || (order == 0 && odd.i))
        TRY(big_binary(vm, AST_OP_ADD, down, unit, out));
    else
        *out = value_retain(down);
out:
    value_release(vm, odd);
    value_release(vm, count);
    value_release(vm, down);
    value_release(vm, twice);
    value_release(vm, rest);
    value_release(vm, unit);
    return rc;
}

gpa_code core_round(gpa_vm *vm, value *argv, value *out) {
    value v;
    int64_t n = 0;
    bool handled;
    gpa_code rc = record_call_member(vm, argv[0], "__round__",
                                     ARGS(argv[1].tag != V_NONE, &argv[1]), out, &handled);
    if (rc || handled) return rc;
    rc = value_computed(vm, argv[0], &v);
    if (rc) return rc;
    number x = number_of(v);
    bool numpy = number_is_numpy(v), whole = argv[1].tag == V_NONE;
    gpa_dtype t;
    gpa_val p = number_payload(v, &t);
    if (x.kind == NUMBER_NOT || x.kind == NUMBER_COMPLEX) {
        rc = vm_fail(vm, GPA_E_TYPE, "type %s doesn't define __round__ method", value_type_name(v));
        goto out;
    }
    if (!whole) TRY(arg_int(vm, argv[1], "ndigits", &n));
    if (x.kind == NUMBER_FLOAT && whole) {
        TRY(int_of_float(vm, isfinite(x.re) ? rint(x.re) : x.re, out));
    } else if (x.kind == NUMBER_FLOAT) {
        double r = round_digits(x.re, n);
        p.F64 = r;
        *out = numpy ? v_num(vm, t, dtype_cast(p, DT_F64, t)) : v_float(r);
    } else {
        value of = x.kind == NUMBER_UINT  ? v_uint(vm, x.u)
                   : x.kind == NUMBER_BIG ? value_retain(v)
                                          : v_int(x.i);
        rc = of.tag == V_UNSET ? vm_err(vm)->code : round_int(vm, of, n, out);
        value_release(vm, of);
        if (rc || !numpy || whole) goto out;
        number r = number_of(*out);
        value_release(vm, *out);
        if (r.kind == NUMBER_BIG || (r.kind == NUMBER_UINT && t != DT_U64)) TRY(int_too_large(vm));
        *out = v_num(vm, t,
                     r.kind == NUMBER_UINT ? (gpa_val){.U64 = r.u}
                                           : dtype_cast((gpa_val){.I64 = r.i}, DT_I64, t));
    }
out:
    value_release(vm, v);
    return rc;
}

/* x modulo m with the sign of m. */
static int128 modulo(int128 x, int64_t m) {
    int128 r = x % m;
    return r != 0 && (r < 0) != (m < 0) ? r + m : r;
}

/* Modular inverse: y with x * y == 1 modulo m, by the extended Euclidean algorithm; 0 if there is
 * none. */
static int64_t inverse(int64_t x, int64_t m) {
    int128 r0 = m, r1 = modulo(x, m), s0 = 0, s1 = 1;
    while (r1 != 0) {
        int128 q = r0 / r1, r = r0 - q * r1, s = s0 - q * s1;
        r0 = r1;
        r1 = r;
        s0 = s1;
        s1 = s;
    }
    return r0 == 1 || r0 == -1 ? (int64_t)modulo(r0 == 1 ? s0 : -s0, m) : 0;
}

/* Modular inverse of ints of any size; ValueError if there is none. */
static gpa_code big_inverse(gpa_vm *vm, value x, value m, value *y) {
    value r[2] = {value_retain(m), v_none()}, s[2] = {v_int(0), v_int(1)};
    gpa_code rc = op_number(vm, AST_OP_MOD, x, m, &r[1]);
    while (!rc && !(r[1].tag != V_BIG && r[1].i == 0)) { /* invariant: r = s x modulo m */
        value q = v_none(), part = v_none(), *const two[2] = {r, s};
        rc = op_number(vm, AST_OP_FLOORDIV, r[0], r[1], &q);
        for (int i = 0; i < 2 && !rc; i++) {
            value *t = two[i], next = v_none();
            rc = op_number(vm, AST_OP_MUL, q, t[1], &part);
            if (!rc) rc = op_number(vm, AST_OP_SUB, t[0], part, &next);
            value_release(vm, part);
            part = v_none();
            if (rc) break;
            value_release(vm, t[0]);
            t[0] = t[1];
            t[1] = next;
        }
        value_release(vm, q);
        if (!rc) rc = vm_poll(vm);
    }
    bool minus = r[0].tag != V_BIG && r[0].i == -1,
         one = minus || (r[0].tag != V_BIG && r[0].i == 1);
    if (!rc && !one) rc = vm_fail(vm, GPA_E_VALUE, "base is not invertible for the given modulus");
    if (!rc) rc = op_number(vm, AST_OP_MUL, s[0], v_int(minus ? -1 : 1), y);
    for (int i = 0; i < 2; i++) {
        value_release(vm, r[i]);
        value_release(vm, s[i]);
    }
    return rc;
}

/* base ** exp modulo m of ints of any size by square and multiply; exp is not negative. */
static gpa_code big_pow_mod(gpa_vm *vm, value base, value exp, value m, value *out) {
    value square = v_none(), result = v_none(), next = v_none();
    gpa_code rc = op_number(vm, AST_OP_MOD, base, m, &square);
    if (!rc) rc = op_number(vm, AST_OP_MOD, v_int(1), m, &result);
    size_t bits = exp.tag == V_BIG ? big_bits(exp.big)
                  : exp.i          ? 64 - (size_t)__builtin_clzll((uint64_t)exp.i)
                                   : 0;
    for (size_t i = 0; i < bits && !rc; i++) {
        bool one = exp.tag == V_BIG ? exp.big->digit[i / 32] >> i % 32 & 1 : exp.i >> i & 1;
        value *const factors[2] = {one ? &result : &square, one ? &square : NULL};
        for (int k = 0; k < 2 && factors[k] && !rc; k++) {
            value product = v_none();
            rc = op_number(vm, AST_OP_MUL, *factors[k], square, &product);
            if (!rc) rc = op_number(vm, AST_OP_MOD, product, m, &next);
            value_release(vm, product);
            if (rc) break;
            value_release(vm, *factors[k]);
            *factors[k] = next;
        }
        if (!rc) rc = vm_poll(vm);
    }
    value_release(vm, square);
    return native_finish(vm, rc, result, out);
}

static gpa_code pow_mod(gpa_vm *vm, value *argv, value *out) {
    if (!is_int(argv[0]) || !is_int(argv[1]) || !is_int(argv[2]))
        return vm_fail(vm, GPA_E_TYPE,
                       "pow() 3rd argument not allowed unless all arguments are integers");
    if (argv[0].tag == V_BIG || argv[1].tag == V_BIG || argv[2].tag == V_BIG) {
        if (argv[2].tag != V_BIG && argv[2].i == 0)
            return vm_fail(vm, GPA_E_VALUE, "pow() 3rd argument cannot be 0");
        if (argv[1].tag == V_BIG ? !argv[1].big->negative : argv[1].i >= 0)
            return big_pow_mod(vm, argv[0], argv[1], argv[2], out);
        value base = v_none(), exp = v_none();
        gpa_code rc = big_inverse(vm, argv[0], argv[2], &base);
        if (!rc) rc = op_number(vm, AST_OP_SUB, v_int(0), argv[1], &exp);
        if (!rc) rc = big_pow_mod(vm, base, exp, argv[2], out);
        value_release(vm, base);
        value_release(vm, exp);
        return rc;
    }
    int64_t base = argv[0].i, exp = argv[1].i, m = argv[2].i;
    if (m == 0) return vm_fail(vm, GPA_E_VALUE, "pow() 3rd argument cannot be 0");
    if (exp < 0) {
        base = inverse(base, m);
        if (base == 0 && m != 1 && m != -1)
            return vm_fail(vm, GPA_E_VALUE, "base is not invertible for the given modulus");
        if (exp == INT64_MIN) return int_too_large(vm);
        exp = -exp;
    }
    int128 result = modulo(1, m), square = modulo(base, m);
    for (; exp > 0; exp >>= 1) {
        if (exp & 1) result = modulo(result * square, m);
        square = modulo(square * square, m);
    }
    *out = v_int((int64_t)result);
    return GPA_OK;
}

gpa_code core_pow(gpa_vm *vm, value *argv, value *out) {
    if (argv[2].tag != V_NONE) return pow_mod(vm, argv, out);
    return vm_binary(vm, OP_POWER, argv[0], argv[1], out);
}

gpa_code core_divmod(gpa_vm *vm, value *argv, value *out) {
    value both[2] = {v_none(), v_none()};
    bool handled;
    gpa_code rc = record_call_member(vm, argv[0], "__divmod__", ARGS(1, &argv[1]), out, &handled);
    if (rc || handled) return rc;
    rc = vm_binary(vm, OP_FLOOR_DIVIDE, argv[0], argv[1], &both[0]);
    if (!rc) rc = vm_binary(vm, OP_REMAINDER, argv[0], argv[1], &both[1]);
    if (!rc) rc = native_return(v_tuple(vm, 2, both), out);
    value_release(vm, both[0]);
    value_release(vm, both[1]);
    return rc;
}
