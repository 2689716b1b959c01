/* numpy.round: rounding half to even, to decimals. */
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"

/* Rounds real and imaginary parts separately: dividing by a complex power of ten would round once
 * more. */
static gpa_code round_complex(gpa_vm *vm, gpa_arr *a, value decimals, value *out) {
    value parts[2] = {v_none(), v_none()}, rounded[2] = {v_none(), v_none()};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 2 && !rc; i++) {
        gpa_arr *p = NULL;
        rc = arr_part(vm_rt(vm), a, i == 1, &p, vm_err(vm));
        if (!rc) rc = np_return(vm, p, &parts[i]);
        if (!rc) rc = nd_round(vm, (value[]){parts[i], decimals, v_none()}, &rounded[i]);
    }
    if (!rc) rc = ufunc_call(vm, ufunc_of(OP_COMPLEX), ARGS(2, rounded), out);
    for (int i = 0; i < 2; i++) {
        value_release(vm, parts[i]);
        value_release(vm, rounded[i]);
    }
    return rc;
}

static gpa_code cast_to(gpa_vm *vm, value v, gpa_dtype t, value *out) {
    return nd_astype(vm, (value[]){v, v_dtype(t), v_none(), v_none(), v_none(), v_bool(true)}, out);
}

/* 10^|decimals|; infinity where a float64 does not hold it. */
static double power_of_ten(int64_t decimals) {
    double power = 1;
    for (int64_t i = 0; i < 400 && i != decimals && i != -decimals; i++) power *= 10;
    return power;
}

/* Rounds to decimals other than 0 as NumPy does: multiplies by a power of ten, rounds half to even,
 * divides. Integers of dtype t wrap around. */
static gpa_code round_scaled(gpa_vm *vm, value a, int64_t decimals, gpa_dtype t, value *out) {
    value scaled = v_none(), whole = v_none(), wrapped = v_none(), integers = v_none();
    gpa_code rc = GPA_OK;
    gpa_op up = decimals > 0 ? OP_MULTIPLY : OP_DIVIDE,
           down = decimals > 0 ? OP_DIVIDE : OP_MULTIPLY;
    double power = power_of_ten(decimals);
    bool exact = dtype_is_int(t);
    value by = exact && power < 1e19 ? v_int((int64_t)power) : v_float(power);
    TRY(ufunc_call(vm, ufunc_of(up), ARGS(2, (value[]){a, by}), &scaled));
    TRY(ufunc_call(vm, ufunc_of(OP_RINT), ARGS(1, &scaled), &whole));
    if (!exact) {
        rc = ufunc_call(vm, ufunc_of(down), ARGS(2, (value[]){whole, by}), out);
        goto out;
    }
    TRY(ufunc_call(vm, ufunc_of(down), ARGS(2, (value[]){whole, by}), &integers));
    TRY(cast_to(vm, integers, DT_I64, &wrapped));
    rc = cast_to(vm, wrapped, t, out);
out:
    value_release(vm, scaled);
    value_release(vm, whole);
    value_release(vm, integers);
    value_release(vm, wrapped);
    return rc;
}

/* op(in[0], ..., out=in[n]) */
static gpa_code compute_into(gpa_vm *vm, gpa_op op, size_t n, value *in) {
    value name = v_cstr(vm, "out"), result = v_none();
    gpa_code rc = name.tag == V_UNSET
                      ? vm_err(vm)->code
                      : ufunc_call(vm, ufunc_of(op), &(call_args){n, 1, in, &name}, &result);
    value_release(vm, result);
    value_release(vm, name);
    return rc;
}

/* Rounds into an array, which each of the operations casts to by its rule; argv: a, decimals, out.
 * NumPy compares the sizes, not the shapes. */
static gpa_code round_into(gpa_vm *vm, value *argv, const gpa_arr *a, int64_t decimals,
                           value *out) {
    value target = argv[2], copyto = v_none(), ignored = v_none(), rounded = v_none();
    gpa_dtype t = (gpa_dtype)a->dtype;
    gpa_code rc = GPA_OK;
    if (target.tag != V_ARRAY || target.aux)
        TRY(vm_fail(vm, GPA_E_TYPE, "return arrays must be of ArrayType"));
    if (target.array->arr->size != a->size) TRY(vm_fail(vm, GPA_E_VALUE, "invalid output shape"));
    if (dtype_is_complex(t)) {
        value part;
        for (int i = 0; i < 2; i++) {
            rc = (i ? nd_imag : nd_real)(vm, argv, &part);
            if (!rc) rc = nd_round(vm, (value[]){part, argv[1], v_none()}, &rounded);
            value_release(vm, part);
            if (!rc) rc = (i ? nd_set_imag : nd_set_real)(vm, (value[]){target, rounded}, &ignored);
            value_release(vm, rounded);
            rounded = v_none();
            if (rc) goto out;
        }
    } else if (decimals >= 0 && dtype_is_int(t)) {
        TRY(np_library_func(vm, "copyto", &copyto));
        TRY(vm_call(vm, copyto, ARGS(2, (value[]){target, argv[0]}), &ignored));
    } else if (decimals == 0) {
        TRY(compute_into(vm, OP_RINT, 1, (value[]){argv[0], target}));
    } else {
        value by = v_float(power_of_ten(decimals));
        gpa_op up = decimals > 0 ? OP_MULTIPLY : OP_DIVIDE,
               down = decimals > 0 ? OP_DIVIDE : OP_MULTIPLY;
        TRY(compute_into(vm, up, 2, (value[]){argv[0], by, target}));
        TRY(compute_into(vm, OP_RINT, 1, (value[]){target, target}));
        TRY(compute_into(vm, down, 2, (value[]){target, by, target}));
    }
    *out = value_retain(target);
out:
    value_release(vm, ignored);
    value_release(vm, copyto);
    return rc;
}

static gpa_code round_new(gpa_vm *vm, value *argv, gpa_arr *a, int64_t decimals, value *out) {
    gpa_dtype t = (gpa_dtype)a->dtype;
    if (dtype_is_complex(t) && decimals) return round_complex(vm, a, argv[1], out);
    if (t == DT_BOOL && decimals) /* a product with a float does not fit a bool array */
        return vm_fail(vm, GPA_E_UFUNC_TYPE,
                       "Cannot cast ufunc '%s' output from dtype('float64') to dtype('bool') with "
                       "casting rule 'same_kind'",
                       decimals > 0 ? "multiply" : "divide");
    if (decimals >= 0 && dtype_is_int(t) && argv[0].tag == V_ARRAY && a->ndim)
        return native_return(value_retain(argv[0]), out); /* the array itself, as in NumPy */
    if (decimals == 0 || (decimals > 0 && dtype_is_int(t)))
        return ufunc_call(vm, ufunc_of(dtype_is_int(t) ? OP_POSITIVE : OP_RINT), ARGS(1, argv),
                          out);
    return round_scaled(vm, argv[0], decimals, t, out);
}

gpa_code nd_round(gpa_vm *vm, value *argv, value *out) { /* a, decimals, out */
    int64_t decimals;
    gpa_arr *a = NULL;
    gpa_code rc = arg_int(vm, argv[1], "decimals", &decimals);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    rc = argv[2].tag == V_NONE || argv[2].tag == V_UNSET ? round_new(vm, argv, a, decimals, out)
                                                         : round_into(vm, argv, a, decimals, out);
    arr_release(vm_rt(vm), a);
    return rc;
}
