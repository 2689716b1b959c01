/* Reductions and scans (sum, mean, var, any, argmax, cumsum, ...) as functions and as methods of
 * arrays. */
#include "lang/numpy/all.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"

/* Arguments that most reductions share; NONE or UNSET for a missing parameter. */
typedef struct {
    value a, axis, dtype, out, keepdims, initial, where;
} reduction;

typedef struct {
    gpa_arr *a, *where, *initial;
    arr_reduce_opts o;
} prepared;

static void release(gpa_vm *vm, prepared *p) {
    arr_release(vm_rt(vm), p->a);
    arr_release(vm_rt(vm), p->where);
    arg_opnd_release(vm, &p->o.initial);
}

/* Meaning of axis= for a scalar: an error; 0 and -1 are allowed; or as for an array of one element.
 */
typedef enum { NUMBER_HAS_NONE, NUMBER_HAS_FIRST, NUMBER_IS_LIST } number_axis;

/* That of a mean or variance: the number of elements is a sum of where=, if given. */
static number_axis axis_of_count(const reduction *r) {
    return r->where.tag == V_UNSET || (r->where.tag == V_BOOL && r->where.i) ? NUMBER_HAS_NONE
                                                                             : NUMBER_HAS_FIRST;
}

static gpa_code prepare_operands(gpa_vm *vm, const reduction *r, number_axis number, prepared *p) {
    bool given;
    gpa_code rc;
    *p = (prepared){0};
    if ((rc = arg_array(vm, r->a, DT_NONE, &p->a))) return rc;
    bool first = r->axis.tag == V_INT && (r->axis.i == 0 || r->axis.i == -1);
    int dims =
        p->a->ndim ? p->a->ndim : number == NUMBER_IS_LIST || (number == NUMBER_HAS_FIRST && first);
    if (r->axis.tag == V_BOOL) return vm_fail(vm, GPA_E_TYPE, "an integer is required");
    if ((rc = arg_axes(vm, r->axis, dims, &p->o.axes, &given))) return rc;
    if (!p->a->ndim) p->o.axes = 0;
    if ((rc = arg_dtype(vm, r->dtype, &p->o.dtype))) return rc;
    if ((rc = arg_out(vm, r->out, &p->o.into))) return rc;
    if (r->keepdims.tag != V_UNSET && (rc = arg_bool(vm, r->keepdims, "keepdims", &p->o.keepdims)))
        return rc;
    p->o.no_identity = r->initial.tag == V_NONE;
    p->o.has_initial = r->initial.tag != V_UNSET && r->initial.tag != V_NONE;
    if (p->o.has_initial && (rc = arg_opnd(vm, r->initial, &p->o.initial))) return rc;
    if (r->where.tag == V_UNSET || (r->where.tag == V_BOOL && r->where.i)) return GPA_OK;
    /* a mask that is not an array is converted to bool; means count its elements */
    if ((rc = arg_array(vm, r->where, r->where.tag == V_ARRAY ? DT_NONE : DT_BOOL, &p->where)))
        return rc;
    if ((rc = out_check_cast(vm, (gpa_dtype)p->where->dtype, DT_BOOL, CAST_SAFE))) return rc;
    p->o.where = p->where;
    return GPA_OK;
}

/* Returns a result; one stored into out= is returned as out itself. */
static gpa_code return_result(gpa_vm *vm, const reduction *r, gpa_arr *result, value *out) {
    if (r->out.tag == V_ARRAY) {
        arr_release(vm_rt(vm), result);
        *out = value_retain(r->out);
        return GPA_OK;
    }
    return np_return(vm, result, out);
}

/* Checks a result for floating-point errors; how: "", "product", "mean", or for a variance the
 * difference of its divisor from the count. */
static gpa_code check_errors(gpa_vm *vm, const reduction *r, value how, gpa_arr *result) {
    if (!float_checks_enabled(vm) ||
        !(dtype_is_float((gpa_dtype)result->dtype) || dtype_is_complex((gpa_dtype)result->dtype)))
        return GPA_OK;
    value initial = r->initial.tag == V_UNSET ? v_none() : r->initial,
          where = r->where.tag == V_UNSET ? v_bool(true) : r->where;
    value keepdims = r->keepdims.tag == V_UNSET ? v_bool(false) : r->keepdims;
    return float_check_arr(vm, "_check_float_reduction", 6,
                           (value[7]){r->a, r->axis, keepdims, initial, where, how}, result);
}

static gpa_code check_errors_named(gpa_vm *vm, const reduction *r, const char *how,
                                   gpa_arr *result) {
    if (!float_checks_enabled(vm)) return GPA_OK;
    value text = v_cstr(vm, how);
    gpa_code rc = text.tag == V_UNSET ? vm_err(vm)->code : check_errors(vm, r, text, result);
    value_release(vm, text);
    return rc;
}

/* Warns of slices without as many elements as their mean or variance needs: known by the shape, or
 * counted in where= while warnings are recorded or raised. */
static gpa_code warn_of_count(gpa_vm *vm, const reduction *r, const prepared *p, double ddof,
                              const char *text) {
    double count = 1;
    for (int k = 0; k < p->a->ndim; k++)
        if (p->o.axes >> k & 1) count *= (double)p->a->shape[k];
    if (!p->where) return count > ddof ? GPA_OK : vm_warn(vm, GPA_E_RUNTIME_WARNING, "%s", text);
    if (!vm_warnings_observed(vm, GPA_E_RUNTIME_WARNING)) return GPA_OK;
    value words = v_cstr(vm, text);
    if (words.tag == V_UNSET) return vm_err(vm)->code;
    gpa_code rc = float_call_unchecked(vm, "_warn_of_count", 5,
                                       (value[]){r->a, r->axis, r->where, v_float(ddof), words});
    value_release(vm, words);
    return rc;
}

/* Returns a result after its check (rc); consumes it. */
static gpa_code return_checked(gpa_vm *vm, const reduction *r, gpa_code rc, gpa_arr *result,
                               value *out) {
    if (!rc) return return_result(vm, r, result, out);
    arr_release(vm_rt(vm), result);
    return rc;
}

/* `initial` must be a scalar, and a number must fit the dtype of the accumulator. */
static gpa_code check_initial(gpa_vm *vm, gpa_red red, value initial, const prepared *p) {
    gpa_dtype t = (gpa_dtype)p->a->dtype;
    bool whole = dtype_is_int(t) || t == DT_BOOL;
    if (p->o.dtype != DT_NONE)
        t = p->o.dtype;
    else if (whole && red != RED_MIN && red != RED_MAX)
        t = dtype_info[t].kind == 'U' ? DT_U64 : DT_I64;
    if (initial.tag == V_LIST || initial.tag == V_TUPLE) return np_sequence_error(vm, t, initial);
    gpa_opnd number = p->o.initial;
    if (number.arr) return GPA_OK;
    number.element = true;
    return arr_check_number(&number, t, vm_err(vm));
}

static gpa_code reduce(gpa_vm *vm, gpa_red red, const reduction *r, value *out) {
    prepared p;
    gpa_arr *result = NULL;
    gpa_code rc = prepare_operands(
        vm, r, red == RED_ARGMIN || red == RED_ARGMAX ? NUMBER_IS_LIST : NUMBER_HAS_FIRST, &p);
    if (!rc && p.o.has_initial) rc = check_initial(vm, red, r->initial, &p);
    if (!rc && red_info[red].arg)
        rc = arr_reduce(vm_rt(vm), red, p.a, &p.o, &result, vm_err(vm));
    else if (!rc)
        rc = arr_reduce_order_k(vm_rt(vm), &(arr_statistic){.kind = STAT_REDUCTION, .red = red},
                                p.a, &p.o, &result, vm_err(vm));
    release(vm, &p);
    return rc ? rc
              : return_checked(vm, r,
                               check_errors_named(vm, r, red == RED_PROD ? "product" : "", result),
                               result, out);
}

gpa_code np_reduce_with(gpa_vm *vm, gpa_red red, value *argv,
                        value *out) { /* a, axis, dtype, out, keepdims, initial, where */
    reduction r = {argv[0], argv[1], argv[2], argv[3], argv[4], argv[5], argv[6]};
    return reduce(vm, red, &r, out);
}

gpa_code np_sum(gpa_vm *vm, value *argv, value *out) {
    return np_reduce_with(vm, RED_SUM, argv, out);
}
gpa_code np_prod(gpa_vm *vm, value *argv, value *out) {
    return np_reduce_with(vm, RED_PROD, argv, out);
}

static gpa_code min_max(gpa_vm *vm, gpa_red red, value *argv,
                        value *out) { /* a, axis, out, keepdims, initial, where */
    reduction r = {argv[0], argv[1], v_unset(), argv[2], argv[3], argv[4], argv[5]};
    return reduce(vm, red, &r, out);
}
gpa_code np_min(gpa_vm *vm, value *argv, value *out) { return min_max(vm, RED_MIN, argv, out); }
gpa_code np_max(gpa_vm *vm, value *argv, value *out) { return min_max(vm, RED_MAX, argv, out); }

static gpa_code any_all(gpa_vm *vm, gpa_red red, value *argv,
                        value *out) { /* a, axis, out, keepdims, where */
    reduction r = {argv[0], argv[1], v_unset(), argv[2], argv[3], v_unset(), argv[4]};
    return reduce(vm, red, &r, out);
}
gpa_code np_any(gpa_vm *vm, value *argv, value *out) { return any_all(vm, RED_ANY, argv, out); }
gpa_code np_all(gpa_vm *vm, value *argv, value *out) { return any_all(vm, RED_ALL, argv, out); }

static gpa_code arg_min_max(gpa_vm *vm, gpa_red red, value *argv,
                            value *out) { /* a, axis, out, keepdims */
    if (argv[1].tag == V_TUPLE)
        return vm_fail(vm, GPA_E_TYPE, "'tuple' object cannot be interpreted as an integer");
    const out_rule rule = {.missing = "output must be an array",
                           .casting = CAST_SAFE,
                           .back = true,
                           .readonly = "WRITEBACKIFCOPY base",
                           .shape = red == RED_ARGMAX
                                        ? "output array does not match result of np.argmax."
                                        : "output array does not match result of np.argmin."};
    reduction r = {argv[0], argv[1], v_unset(), v_unset(), argv[3], v_unset(), v_unset()};
    value at = v_none();
    if (argv[2].tag == V_NONE || argv[2].tag == V_UNSET) return reduce(vm, red, &r, out);
    gpa_arr *result;
    gpa_code rc = reduce(vm, red, &r, &at);
    if (!rc) rc = arg_array(vm, at, DT_NONE, &result);
    if (!rc) rc = out_return_take(vm, &rule, result, argv[2], out);
    value_release(vm, at);
    return rc;
}
gpa_code np_argmin(gpa_vm *vm, value *argv, value *out) {
    return arg_min_max(vm, RED_ARGMIN, argv, out);
}
gpa_code np_argmax(gpa_vm *vm, value *argv, value *out) {
    return arg_min_max(vm, RED_ARGMAX, argv, out);
}

static gpa_code mean(gpa_vm *vm, const char *warning, value *argv,
                     value *out) { /* a, axis, dtype, out, keepdims, where */
    reduction r = {argv[0], argv[1], argv[2], argv[3], argv[4], v_unset(), argv[5]};
    prepared p;
    gpa_arr *result = NULL;
    gpa_code rc = prepare_operands(vm, &r, axis_of_count(&r), &p);
    if (!rc) rc = warn_of_count(vm, &r, &p, 0, warning);
    if (!rc)
        rc = arr_reduce_order_k(vm_rt(vm), &(arr_statistic){.kind = STAT_MEAN}, p.a, &p.o, &result,
                                vm_err(vm));
    release(vm, &p);
    return rc ? rc
              : return_checked(vm, &r, check_errors_named(vm, &r, "mean", result), result, out);
}
gpa_code np_mean(gpa_vm *vm, value *argv, value *out) {
    return mean(vm, "Mean of empty slice.", argv, out);
}
gpa_code np_nan_mean(gpa_vm *vm, value *argv, value *out) {
    return mean(vm, "Mean of empty slice", argv, out);
}

/* NumPy: complex numbers with a float dtype lose the imaginary part in the mean, but not in the
 * deviations. */
static bool drops_imaginary(gpa_vm *vm, value v, gpa_dtype t) {
    gpa_arr *a = NULL;
    bool complex = dtype_is_float(t) && !arg_array(vm, v, DT_NONE, &a) &&
                   dtype_is_complex((gpa_dtype)a->dtype);
    arr_release(vm_rt(vm), a);
    return complex;
}

/* Variance with a dtype that is not a float or drops imaginary parts, or with a given mean: by a
 * function of the library that follows NumPy step by step. */
static gpa_code variance_in(gpa_vm *vm, bool root, value *argv, value ddof, value *out) {
    value fn;
    gpa_code rc = np_library_func(vm, "_variance_in", &fn);
    if (rc) return rc;
    value middle = argv[7].tag == V_UNSET ? v_none() : argv[7];
    rc = vm_call(vm, fn,
                 ARGS(9, (value[]){argv[0], v_bool(root), argv[1], argv[2], argv[3], ddof, argv[5],
                                   argv[6], middle}),
                 out);
    value_release(vm, fn);
    return rc;
}

static gpa_code variance(
    gpa_vm *vm, bool root, value *argv,
    value *out) { /* a, axis, dtype, out, ddof, keepdims, where, mean, correction */
    reduction r = {argv[0], argv[1], argv[2], argv[3], argv[5], v_unset(), argv[6]};
    prepared p;
    double ddof, correction = 0;
    gpa_arr *var = NULL, *result = NULL;
    gpa_code rc = arg_float(vm, argv[4], "ddof", &ddof);
    if (!rc && argv[8].tag != V_UNSET) rc = arg_float(vm, argv[8], "correction", &correction);
    if (rc) return rc;
    if (argv[8].tag != V_UNSET && ddof != 0)
        return vm_fail(vm, GPA_E_VALUE, "ddof and correction can't be provided simultaneously.");
    ddof += correction;
    if (argv[2].tag != V_NONE && argv[2].tag != V_UNSET && argv[7].tag == V_UNSET) {
        gpa_dtype t;
        rc = arg_dtype(vm, argv[2], &t);
        if (!rc && (!dtype_is_float(t) || drops_imaginary(vm, argv[0], t)))
            return variance_in(vm, root, argv, v_float(ddof), out);
    }
    if (rc) return rc;
    if (argv[7].tag != V_UNSET) return variance_in(vm, root, argv, v_float(ddof), out);
    TRY(prepare_operands(vm, &r, axis_of_count(&r), &p));
    TRY(warn_of_count(vm, &r, &p, ddof, "Degrees of freedom <= 0 for slice"));
    TRY(arr_reduce_order_k(vm_rt(vm), &(arr_statistic){.kind = STAT_VARIANCE, .ddof = ddof}, p.a,
                           &p.o, &var, vm_err(vm)));
    TRY(check_errors(vm, &r, v_float(ddof), var));
    if (!root) {
        result = arr_retain(var);
        goto out;
    }
    arr_ufunc_opts opts = {.dtype = DT_NONE, .into = p.o.into, .casting = CAST_SAME_KIND};
    rc = arr_ufunc_order_k(vm_rt(vm), OP_SQRT, &(gpa_opnd){.arr = var}, &opts, &result, vm_err(vm));
out:
    arr_release(vm_rt(vm), var);
    release(vm, &p);
    return rc ? rc : return_result(vm, &r, result, out);
}
gpa_code np_var(gpa_vm *vm, value *argv, value *out) { return variance(vm, false, argv, out); }
gpa_code np_std(gpa_vm *vm, value *argv, value *out) { return variance(vm, true, argv, out); }

/* ---- scans ---- */

gpa_code np_scan_with(gpa_vm *vm, gpa_red red, value *argv, value *out) { /* a, axis, dtype, out */
    static const out_rule rule = {.missing = "output must be an array", .casting = CAST_UNSAFE};
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *flat = NULL, *result = NULL;
    gpa_dtype t;
    int axis = 0;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arg_dtype(vm, argv[2], &t));
    if (argv[1].tag == V_NONE || !a->ndim) { /* a scalar is an array of one element */
        TRY(arr_reshape(rt, a, 1, &(int64_t){-1}, &flat, vm_err(vm)));
        arr_release(rt, a);
        a = flat;
    }
    if (argv[1].tag != V_NONE) TRY(arg_axis(vm, argv[1], a->ndim, &axis));
    TRY(arr_scan_order_k(rt, &(arr_axis_reduction){red, axis, t}, a, &result, vm_err(vm)));
    TRY(float_check_arr(vm, "_check_float_accumulation", 3,
                        (value[4]){argv[0], argv[1], v_bool(red == RED_PROD)}, result));
    rc = out_return_take(vm, &rule, result, argv[3], out);
    result = NULL;
out:
    arr_release(rt, a);
    arr_release(rt, result);
    return rc;
}
gpa_code np_cumsum(gpa_vm *vm, value *argv, value *out) {
    return np_scan_with(vm, RED_SUM, argv, out);
}
gpa_code np_cumprod(gpa_vm *vm, value *argv, value *out) {
    return np_scan_with(vm, RED_PROD, argv, out);
}
