/* Floating-point error handling (float_errors.h): scalars are checked here, arrays by functions of
 * the library, which also take the immediate actions. */
#include "lang/object/big.h"
#include "lang/numpy/float_errors.h"

#include <float.h>
#include <math.h>

#include "lang/numpy/all.h"
#include "lang/vm/machine.h"
#include "lang/object/number.h"
#include "lang/numpy/numpy.h"

gpa_code np_set_float_actions(gpa_vm *vm, value *argv,
                              value *out) { /* divide, over, under, invalid: float_action each */
    float_actions a = {.traps = vm->floats.traps};
    for (int i = 0; i < FLOAT_ERRORS; i++) {
        int64_t action;
        gpa_code rc = arg_int(vm, argv[i], "action", &action);
        if (rc) return rc;
        a.action[i] = (uint8_t)action;
    }
    vm->floats = a;
    vm_watch_floats(vm);
    *out = v_none();
    return GPA_OK;
}

gpa_code np_set_float_checks(gpa_vm *vm, value *argv, value *out) { /* on */
    bool before = vm->floats.watched;
    vm->floats.watched = argv[0].i != 0;
    *out = v_bool(before);
    return GPA_OK;
}

gpa_code np_checks_floats(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    *out = v_bool(vm->floats.watched);
    return GPA_OK;
}

gpa_code np_traps_floats(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    *out = v_bool(vm->floats.traps);
    return GPA_OK;
}

gpa_code np_warnings_observed(gpa_vm *vm, value *argv, value *out) { /* category */
    bool error = argv[0].tag == V_TYPE && argv[0].aux >= AUX_ERROR;
    gpa_code category = error ? (gpa_code)(argv[0].aux - AUX_ERROR) : GPA_E_RUNTIME_WARNING;
    *out = v_bool(vm_warnings_observed(vm, category));
    return GPA_OK;
}

gpa_code float_call_unchecked(gpa_vm *vm, const char *name, size_t n, const value *args) {
    value fn = v_none(), nothing = v_none();
    bool watched = vm->floats.watched;
    vm->floats.watched = false;
    gpa_code rc = np_library_func(vm, name, &fn);
    if (!rc) rc = vm_call(vm, fn, ARGS(n, args), &nothing);
    vm->floats.watched = watched;
    value_release(vm, nothing);
    value_release(vm, fn);
    return rc;
}

static gpa_code report_in(gpa_vm *vm, float_error kind, const char *prefix, const char *name) {
    static const char *const messages[] = {"divide by zero", "overflow", "underflow",
                                           "invalid value"};
    if (vm->floats.action[kind] == FLOAT_IGNORE) return GPA_OK;
    if (vm->floats.action[kind] == FLOAT_WARN)
        return vm_warn(vm, GPA_E_RUNTIME_WARNING, "%s encountered in %s%s", messages[kind], prefix,
                       name);
    value text = v_strf(vm, "%s%s", prefix, name);
    if (text.tag == V_UNSET) return vm_err(vm)->code;
    gpa_code rc = float_call_unchecked(vm, "_float_event", 2, (value[]){v_int(kind), text});
    value_release(vm, text);
    return rc;
}

static gpa_code report(gpa_vm *vm, float_error kind, bool scalar, gpa_op op) {
    return report_in(vm, kind, scalar ? "scalar " : "", op_info[op].name);
}

gpa_code float_cast_error(gpa_vm *vm, gpa_dtype to) {
    return report_in(vm, dtype_is_int(to) ? FLOAT_INVALID : FLOAT_OVER, "", "cast");
}

/* ---- numbers ---- */

/* True if an integer operation overflowed its dtype. */
static bool overflows(gpa_op op, gpa_dtype t, gpa_val x, gpa_val y) {
    uint64_t u;
    long long i;
    gpa_val whole;
    if (dtype_info[t].kind == 'U') {
        uint64_t a = dtype_cast(x, t, DT_U64).U64, b = dtype_cast(y, t, DT_U64).U64;
        bool over = op == OP_ADD        ? __builtin_add_overflow(a, b, &u)
                    : op == OP_SUBTRACT ? __builtin_sub_overflow(a, b, &u)
                                        : __builtin_mul_overflow(a, b, &u);
        whole.U64 = u;
        return over || dtype_cast(dtype_cast(whole, DT_U64, t), t, DT_U64).U64 != u;
    }
    int64_t a = dtype_cast(x, t, DT_I64).I64, b = dtype_cast(y, t, DT_I64).I64;
    bool over = op == OP_ADD        ? __builtin_add_overflow(a, b, &i)
                : op == OP_SUBTRACT ? __builtin_sub_overflow(a, b, &i)
                                    : __builtin_mul_overflow(a, b, &i);
    whole.I64 = i;
    return over || dtype_cast(dtype_cast(whole, DT_I64, t), t, DT_I64).I64 != i;
}

static gpa_val payload(value v, gpa_dtype t) {
    gpa_dtype own = DT_I64;
    gpa_val x = {.bits = {0, 0}};
    if (v.tag == V_INT || v.tag == V_BOOL)
        x.I64 = v.i;
    else if (v.tag == V_BIG)
        return dtype_cast((gpa_val){.U64 = number_of(v).u}, DT_U64, t);
    else
        x = number_payload(v, &own);
    return dtype_cast(x, own, t);
}

/* True if a negation, an absolute value or a quotient cannot be represented: of the least integer
 * of a signed dtype, and -x of an unsigned one. */
static bool has_no_opposite(gpa_op op, bool scalar, gpa_dtype t, const value *args) {
    bool is_signed = dtype_info[t].kind == 'I', divides = op == OP_FLOOR_DIVIDE;
    if (op != OP_NEGATIVE && op != OP_ABSOLUTE && !divides) return false;
    if (!scalar && !divides) return false;
    gpa_val x = payload(args[0], t);
    if (!is_signed) return op == OP_NEGATIVE && dtype_cast(x, t, DT_U64).U64 != 0;
    int64_t least = INT64_MIN >> (64 - 8 * dtype_info[t].size);
    if (dtype_cast(x, t, DT_I64).I64 != least) return false;
    return !divides || dtype_cast(payload(args[1], t), t, DT_I64).I64 == -1;
}

static gpa_code check_integer(gpa_vm *vm, gpa_op op, bool scalar, const value *args, value result) {
    bool divides = op == OP_FLOOR_DIVIDE || op == OP_REMAINDER || op == OP_FMOD;
    number y = op_info[op].arity == 2 ? number_of(args[1]) : (number){.kind = NUMBER_NOT};
    if (divides && y.kind != NUMBER_FLOAT && number_real(&y) == 0)
        return report(vm, FLOAT_DIVIDE, scalar, op);
    bool counts = scalar && (op == OP_ADD || op == OP_SUBTRACT || op == OP_MULTIPLY) &&
                  result.tag == V_NUM && dtype_is_int((gpa_dtype)result.aux);
    gpa_dtype t = (gpa_dtype)result.aux;
    if (result.tag == V_NUM && dtype_is_int(t) && has_no_opposite(op, scalar, t, args))
        return report(vm, FLOAT_OVER, scalar, op);
    if (counts && overflows(op, t, payload(args[0], t), payload(args[1], t)))
        return report(vm, FLOAT_OVER, scalar, op);
    return GPA_OK;
}

/* True if an infinite result of finite operands is a division by zero. */
static bool divides_by_zero(gpa_op op, const double *x) {
    switch ((int)op) {
        case OP_DIVIDE:
        case OP_FLOOR_DIVIDE: return x[1] == 0;
        case OP_RECIPROCAL:
        case OP_LOG:
        case OP_LOG2:
        case OP_LOG10:
        case OP_POWER: return x[0] == 0;
        case OP_LOG1P: return x[0] == -1;
        case OP_ARCTANH: return fabs(x[0]) == 1;
        default: return false;
    }
}

/* The real part of an operand in the dtype of the result, in which Python numbers may overflow. */
static double real_as(const number *n, value result) {
    const double x = number_real(n);
    if (result.tag != V_NUM || !dtype_is_float((gpa_dtype)result.aux)) return x;
    const gpa_val v = dtype_cast((gpa_val){.F64 = x}, DT_F64, (gpa_dtype)result.aux);
    return dtype_cast(v, (gpa_dtype)result.aux, DT_F64).F64;
}

/* True if a result d of finite operands is subnormal or zero, and rounded: of dtypes narrower than
 * float64, the operation in float64 decides. */
static bool underflows(gpa_op op, const double *x, double d, value result) {
    const gpa_dtype t = result.tag == V_NUM ? (gpa_dtype)result.aux : DT_F64;
    const double least = t == DT_F16 ? 0x1p-14 : t == DT_F64 ? DBL_MIN : FLT_MIN;
    if (fabs(d) >= least) return false;
    if (op == OP_MULTIPLY) return x[0] != 0 && x[1] != 0 && (t == DT_F64 || x[0] * x[1] != d);
    if (op == OP_DIVIDE) return x[0] != 0 && (t == DT_F64 || x[0] / x[1] != d);
    return op == OP_EXP;
}

/* %nan raise: calls a function of the library that raises FloatingPointError if the result is not
 * finite although the n operands are. */
static gpa_code trap(gpa_vm *vm, const char *function, const char *name, size_t n,
                     const value *args, value result) {
    value text = v_cstr(vm, name), operands = v_tuple(vm, n, args);
    gpa_code rc = text.tag == V_UNSET || operands.tag == V_UNSET
                      ? vm_err(vm)->code
                      : float_call_unchecked(vm, function, 3, (value[]){text, operands, result});
    value_release(vm, text);
    value_release(vm, operands);
    return rc;
}

static bool has_floats(value v) {
    gpa_dtype t = v.tag == V_ARRAY ? (gpa_dtype)v.array->arr->dtype : (gpa_dtype)v.aux;
    if (v.tag == V_COMPLEX) return v.aux;
    return (v.tag == V_ARRAY || v.tag == V_NUM) && (dtype_is_float(t) || dtype_is_complex(t));
}

gpa_code float_trap_call(gpa_vm *vm, const char *name, const call_args *a, value result) {
    if (!vm->floats.watched || (!has_floats(result) && result.tag != V_TUPLE)) return GPA_OK;
    return trap(vm, "_trap_call", name, a->n + a->n_named, a->values, result);
}

gpa_code float_trap_launch(gpa_vm *vm, value fn, const call_args *a, value *out) {
    value finite = v_bool(false), check = v_none(),
          arguments = v_tuple(vm, a->n + a->n_named, a->values);
    const bool watched = vm->floats.watched;
    vm->floats.watched = false;
    gpa_code rc = arguments.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    if (!rc && watched) rc = np_library_func(vm, "_are_finite", &check);
    if (!rc && watched) rc = vm_call(vm, check, ARGS(1, &arguments), &finite);
    vm->floats.watched = watched;
    value_release(vm, check);
    if (!rc) rc = fn.object->kind->call(vm, fn.object, a, out);
    if (!rc && finite.i)
        rc = float_call_unchecked(vm, "_trap_launch", 3, (value[]){fn, arguments, *out});
    value_release(vm, arguments);
    return float_finish_check(vm, rc, out);
}

gpa_code float_check_number(gpa_vm *vm, gpa_op op, bool scalar, const value *args, value result) {
    number r = number_of(result);
    double x[3] = {0}, d = number_real(&r);
    bool finite = true, nan = false;
    if (r.kind != NUMBER_FLOAT && r.kind != NUMBER_COMPLEX)
        return check_integer(vm, op, scalar, args, result);
    if (isfinite(d) && isfinite(r.im) && vm->floats.action[FLOAT_UNDER] == FLOAT_IGNORE)
        return GPA_OK;
    if (vm->floats.traps && vm->floats.watched) {
        const size_t n = (size_t)op_info[op].arity;
        gpa_code rc = trap(vm, "_trap_elementwise", op_info[op].name, n, args, result);
        if (rc) return rc;
    }
    for (int i = 0; i < op_info[op].arity; i++) {
        number n = number_of(args[i]);
        x[i] = real_as(&n, result);
        finite &= isfinite(x[i]) && isfinite(n.im);
        nan |= isnan(x[i]) || isnan(n.im);
    }
    if (isnan(d) || isnan(r.im))
        return nan || op == OP_SPACING ? GPA_OK : report(vm, FLOAT_INVALID, scalar, op);
    if (!isfinite(d) || !isfinite(r.im)) {
        bool zero = divides_by_zero(op, x);
        gpa_code rc = finite ? report(vm, zero ? FLOAT_DIVIDE : FLOAT_OVER, scalar, op) : GPA_OK;
        return rc || !finite || zero || op != OP_FLOOR_DIVIDE /* computes inf - inf */
                   ? rc
                   : report(vm, FLOAT_INVALID, scalar, op);
    }
    return r.kind == NUMBER_FLOAT && finite && underflows(op, x, d, result)
               ? report(vm, FLOAT_UNDER, scalar, op)
               : GPA_OK;
}

/* ---- arrays ---- */

bool float_checks_enabled(gpa_vm *vm) { return vm->floats.watched; }
void float_enable_checks(gpa_vm *vm, bool on) { vm->floats.watched = on; }

gpa_code float_check_array(gpa_vm *vm, gpa_op op, const value *args, value where, value result) {
    value name = v_cstr(vm, op_info[op].name), operands = v_unset();
    if (name.tag == V_UNSET) return vm_err(vm)->code;
    operands = v_tuple(vm, op_info[op].arity, args);
    gpa_code rc = operands.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    if (!rc)
        rc = float_call_unchecked(
            vm, "_check_float_errors", 4,
            (value[]){name, operands, where.tag == V_UNSET ? v_bool(true) : where, result});
    value_release(vm, operands);
    value_release(vm, name);
    return rc;
}

gpa_code float_check_arr(gpa_vm *vm, const char *look, size_t n, value *args, gpa_arr *result) {
    if (!vm->floats.watched) return GPA_OK;
    gpa_code rc = np_return_array(vm, arr_retain(result), &args[n]);
    if (rc) return rc;
    rc = float_call_unchecked(vm, look, n + 1, args);
    value_release(vm, args[n]);
    return rc;
}

gpa_code float_check_cast(gpa_vm *vm, gpa_arr *a, gpa_dtype to) {
    gpa_arr *made = NULL;
    value args[2] = {v_none()};
    if (!float_checks_enabled(vm)) return GPA_OK;
    gpa_code rc = arr_cast(vm_rt(vm), a, to, false, &made, vm_err(vm));
    if (!rc) rc = np_return_array(vm, arr_retain(a), &args[0]);
    if (!rc) rc = float_check_arr(vm, "_check_float_cast", 1, args, made);
    value_release(vm, args[0]);
    arr_release(vm_rt(vm), made);
    return rc;
}

gpa_code float_finish_check(gpa_vm *vm, gpa_code rc, value *result) {
    if (!rc) return rc;
    value_release(vm, *result);
    *result = v_none();
    return rc;
}
