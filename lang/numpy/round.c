/* numpy.round: rounding half to even, to decimals. */
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"

/* Rounds real and imaginary parts separately: dividing by a complex power of ten would round once
 * more. */
static gpa_code round_complex(gpa_vm *vm, gpa_arr *a, value *argv, value *out) {
    value name = v_cstr(vm, "out"), parts[2] = {v_none(), v_none()},
          rounded[2] = {v_none(), v_none()};
    gpa_code rc = name.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    for (int i = 0; i < 2 && !rc; i++) {
        gpa_arr *p = NULL;
        rc = arr_part(vm_rt(vm), a, i == 1, &p, vm_err(vm));
        if (!rc) rc = np_return(vm, p, &parts[i]);
        if (!rc) rc = nd_round(vm, (value[]){parts[i], argv[1], v_none()}, &rounded[i]);
    }
    if (!rc)
        rc = ufunc_call(vm, ufunc_of(OP_COMPLEX),
                        &(call_args){2, 1, (value[]){rounded[0], rounded[1], argv[2]}, &name}, out);
    for (int i = 0; i < 2; i++) {
        value_release(vm, parts[i]);
        value_release(vm, rounded[i]);
    }
    value_release(vm, name);
    return rc;
}

static gpa_code cast_to(gpa_vm *vm, value v, gpa_dtype t, value *out) {
    return nd_astype(vm, (value[]){v, v_dtype(t), v_none(), v_none(), v_none(), v_bool(true)}, out);
}

/* Rounds to decimals other than 0 as NumPy does: multiplies by a power of ten, rounds half to even,
 * divides. Integers of dtype t wrap around. argv: a, decimals, out. */
static gpa_code round_scaled(gpa_vm *vm, value *argv, int64_t decimals, gpa_dtype t, value out_name,
                             value *out) {
    value scaled = v_none(), whole = v_none(), wrapped = v_none(), rounded = v_none(),
          integers = v_none();
    bool exact = dtype_is_int(t) || t == DT_BOOL;
    gpa_code rc = GPA_OK;
    double power = 1;
    for (int64_t i = 0; i < (decimals < 0 ? -decimals : decimals) && i < 400; i++) power *= 10;
    gpa_op up = decimals > 0 ? OP_MULTIPLY : OP_DIVIDE,
           down = decimals > 0 ? OP_DIVIDE : OP_MULTIPLY;
    value by = exact ? v_int((int64_t)power) : v_float(power);
    TRY(ufunc_call(vm, ufunc_of(up), ARGS(2, (value[]){argv[0], by}), &scaled));
    TRY(ufunc_call(vm, ufunc_of(OP_RINT), ARGS(1, &scaled), &whole));
    if (!exact) {
        rc = ufunc_call(vm, ufunc_of(down),
                        &(call_args){2, 1, (value[]){whole, by, argv[2]}, &out_name}, out);
        goto out;
    }
    TRY(ufunc_call(vm, ufunc_of(down), ARGS(2, (value[]){whole, by}), &integers));
    TRY(cast_to(vm, integers, DT_I64, &wrapped));
    TRY(cast_to(vm, wrapped, t == DT_BOOL ? DT_I64 : t, &rounded));
    if (argv[2].tag == V_NONE || argv[2].tag == V_UNSET)
        *out = value_retain(rounded);
    else
        rc = ufunc_call(vm, ufunc_of(OP_POSITIVE),
                        &(call_args){1, 1, (value[]){rounded, argv[2]}, &out_name}, out);
out:
    value_release(vm, scaled);
    value_release(vm, whole);
    value_release(vm, integers);
    value_release(vm, wrapped);
    value_release(vm, rounded);
    return rc;
}

gpa_code nd_round(gpa_vm *vm, value *argv, value *out) { /* a, decimals, out */
    int64_t decimals;
    gpa_arr *a = NULL;
    gpa_code rc = arg_int(vm, argv[1], "decimals", &decimals);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    gpa_dtype t = (gpa_dtype)a->dtype;
    if (dtype_is_complex(t) && decimals) rc = round_complex(vm, a, argv, out);
    arr_release(vm_rt(vm), a);
    if (rc || (dtype_is_complex(t) && decimals)) return rc;
    value name = v_cstr(vm, "out");
    if (name.tag == V_UNSET) return vm_err(vm)->code;
    /* NumPy's rint computes bool in float16. */
    bool unchanged = decimals >= 0 && (t == DT_BOOL ? decimals != 0 : dtype_is_int(t));
    if (unchanged || decimals == 0)
        rc = ufunc_call(vm, ufunc_of(unchanged ? OP_POSITIVE : OP_RINT),
                        &(call_args){1, 1, (value[]){argv[0], argv[2]}, &name}, out);
    else
        rc = round_scaled(vm, argv, decimals, t, name, out);
    value_release(vm, name);
    return rc;
}
