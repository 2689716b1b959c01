/* Native functions of numpy.fft and scipy.fft: discrete Fourier, cosine and sine transforms. */
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"
#include "runtime/libcalls.h"

/* Data type in which operands are transformed; half types are transformed in float32. */
static gpa_dtype transform_dtype(gpa_dtype t, bool real) {
    bool single = t == DT_F16 || t == DT_BF16 || t == DT_F32 || t == DT_C64;
    if (real) return single ? DT_F32 : DT_F64;
    return single ? DT_C64 : DT_C128;
}

gpa_code fft_transform(gpa_vm *vm, value *argv,
                       value *out) { /* a, real, inverse, axes, last, scale, out */
    gpa_rt *rt = vm_rt(vm);
    arr_fft_opts o = {0};
    int64_t axes[GPA_MAX_DIMS];
    gpa_arr *given = NULL, *a = NULL, *into = NULL, *result = NULL, *cast = NULL;
    bool real;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, argv[0], DT_NONE, &given));
    TRY(arg_bool(vm, argv[1], "real", &real));
    TRY(arg_bool(vm, argv[2], "inverse", &o.inverse));
    TRY(arg_ints(vm, argv[3], "axes", GPA_MAX_DIMS, &o.n_axes, axes));
    TRY(arg_int(vm, argv[4], "last", &o.last));
    TRY(arg_float(vm, argv[5], "scale", &o.scale));
    TRY(arg_out(vm, argv[6], &into));
    for (int i = 0; i < o.n_axes; i++) o.axes[i] = (int)axes[i];
    gpa_dtype t = (gpa_dtype)given->dtype,
              half = real && o.inverse && (t == DT_F16 || t == DT_BF16) ? t : DT_NONE;
    o.form = !real ? FFT_C2C : o.inverse ? FFT_C2R : FFT_R2C;
    const bool from_real = o.form == FFT_R2C || (o.form == FFT_C2C && !dtype_is_complex(t));
    TRY(arr_cast_order_k(rt, given, transform_dtype(t, from_real), false, &a, vm_err(vm)));
    gpa_dtype made = o.form == FFT_C2R ? dtype_info[a->dtype].real : transform_dtype(t, false);
    if (into && !dtype_can_cast(made, (gpa_dtype)into->dtype, CAST_SAME_KIND))
        TRY(vm_fail(vm, GPA_E_UFUNC_TYPE,
                    "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting "
                    "rule 'same_kind'",
                    real        ? o.inverse ? "irfft" : "rfft"
                    : o.inverse ? "ifft"
                                : "fft",
                    dtype_info[made].name, dtype_info[into->dtype].name));
    /* Straight into out= only if that gives the same bits as a new array. */
    if (into && into->dtype == made && !from_real && o.form == FFT_C2C && o.scale == 1)
        o.into = into;
    TRY(arr_fft(rt, a, &o, &result, vm_err(vm)));
    if (into && !o.into) TRY(arr_set(rt, into, NULL, &(gpa_opnd){.arr = result}, vm_err(vm)));
    if (into) {
        *out = value_retain(argv[6]);
        goto out;
    }
    if (half != DT_NONE) TRY(arr_cast_order_k(rt, result, half, false, &cast, vm_err(vm)));
    rc = np_return_array(vm, arr_retain(cast ? cast : result), out);
out:
    arr_release(rt, given);
    arr_release(rt, a);
    arr_release(rt, result);
    arr_release(rt, cast);
    return rc;
}

gpa_code fft_dct_dst(gpa_vm *vm, value *argv,
                     value *out) { /* a, type, dst, orthogonalize, axis, scale; returns None if the
                                      device has no implementation */
    arr_dct_opts o = {0};
    int64_t type, axis;
    gpa_arr *a = NULL, *result = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arg_int(vm, argv[1], "type", &type));
    TRY(arg_bool(vm, argv[2], "dst", &o.dst));
    TRY(arg_bool(vm, argv[3], "orthogonalize", &o.orthogonalize));
    TRY(arg_int(vm, argv[4], "axis", &axis));
    TRY(arg_float(vm, argv[5], "scale", &o.scale));
    o.type = (int)type;
    o.axis = (int)axis;
    TRY(arr_dct(vm_rt(vm), a, &o, &result, vm_err(vm)));
    if (result)
        rc = np_return_array(vm, result, out);
    else
        *out = v_none();
out:
    arr_release(vm_rt(vm), a);
    return rc;
}
