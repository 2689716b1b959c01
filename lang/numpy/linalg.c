/* Matrix factorizations: native functions of numpy.linalg. The library has checked the arguments
 * and cast them to a common dtype. */
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"
#include "runtime/libcalls.h"

gpa_code linalg_lu(gpa_vm *vm, value *argv, value *out) { /* a */
    gpa_arr *a = NULL, *parts[2] = {NULL};
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_lu(vm_rt(vm), a, &parts[0], &parts[1], vm_err(vm));
    arr_release(vm_rt(vm), a);
    return np_return_arrays(vm, rc, 2, parts, out);
}

gpa_code linalg_solve(gpa_vm *vm, value *argv, value *out) { /* a, b */
    gpa_arr *a = NULL, *b = NULL, *x = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arg_array(vm, argv[1], DT_NONE, &b));
    TRY(arr_solve(vm_rt(vm), a, b, &x, vm_err(vm)));
    rc = np_return_array(vm, x, out);
out:
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), b);
    return rc;
}

gpa_code linalg_inverse(gpa_vm *vm, value *argv, value *out) { /* a */
    gpa_arr *a = NULL, *x = NULL;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_inverse(vm_rt(vm), a, &x, vm_err(vm));
    if (!rc) rc = np_return_array(vm, x, out);
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code linalg_cholesky(gpa_vm *vm, value *argv, value *out) { /* a, upper */
    gpa_arr *a = NULL, *l = NULL;
    bool upper;
    gpa_code rc = GPA_OK;
    TRY(arg_bool(vm, argv[1], "upper", &upper));
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arr_cholesky(vm_rt(vm), a, upper, &l, vm_err(vm)));
    rc = np_return_array(vm, l, out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code linalg_qr(gpa_vm *vm, value *argv, value *out) { /* a, k, vectors */
    gpa_arr *a = NULL, *parts[3] = {NULL};
    int64_t k;
    bool vectors;
    gpa_code rc = arg_int(vm, argv[1], "k", &k);
    if (!rc) rc = arg_bool(vm, argv[2], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_qr(vm_rt(vm), a, k, vectors, parts, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return np_return_arrays(vm, rc, !rc && vectors ? 3 : 2, parts, out);
}

gpa_code linalg_svd(gpa_vm *vm, value *argv, value *out) { /* a, full, vectors */
    gpa_arr *a = NULL, *parts[3] = {NULL};                 /* s, u, vh */
    bool full, vectors;
    gpa_code rc = arg_bool(vm, argv[1], "full", &full);
    if (!rc) rc = arg_bool(vm, argv[2], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc)
        rc = arr_svd(vm_rt(vm), a,
                     !vectors ? SVD_VALUES
                     : full   ? SVD_FULL
                              : SVD_REDUCED,
                     parts, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return np_return_arrays(vm, rc, !rc && vectors ? 3 : 1, parts, out);
}

gpa_code linalg_eigh(gpa_vm *vm, value *argv, value *out) { /* a, upper, vectors */
    gpa_arr *a = NULL, *parts[2] = {NULL};
    bool upper, vectors;
    gpa_code rc = arg_bool(vm, argv[1], "upper", &upper);
    if (!rc) rc = arg_bool(vm, argv[2], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_eigh(vm_rt(vm), a, upper, &parts[0], vectors ? &parts[1] : NULL, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return np_return_arrays(vm, rc, !rc && vectors ? 2 : 1, parts, out);
}

gpa_code linalg_eig(gpa_vm *vm, value *argv, value *out) { /* a, vectors */
    gpa_arr *a = NULL, *parts[2] = {NULL};
    bool vectors;
    gpa_code rc = arg_bool(vm, argv[1], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_eig(vm_rt(vm), a, &parts[0], vectors ? &parts[1] : NULL, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return np_return_arrays(vm, rc, !rc && vectors ? 2 : 1, parts, out);
}

gpa_code linalg_lstsq(gpa_vm *vm, value *argv, value *out) { /* a, b, rcond */
    gpa_arr *a = NULL, *b = NULL, *parts[3] = {NULL};        /* x, s, rank */
    double rcond;
    gpa_code rc = GPA_OK;
    TRY(arg_float(vm, argv[2], "rcond", &rcond));
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arg_array(vm, argv[1], DT_NONE, &b));
    TRY(arr_lstsq(vm_rt(vm), a, b, rcond, parts, vm_err(vm)));
    if (parts[0])
        rc = np_return_arrays(vm, GPA_OK, 3, parts, out);
    else
        *out = v_none();
out:
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), b);
    return rc;
}

gpa_code linalg_solve_factored(
    gpa_vm *vm, value *argv, value *out) { /* a, pivots, b, form, trans, upper, unit; returns None,
                                              or the solution and the index of a zero pivot */
    gpa_arr *b = NULL, *x = NULL;
    arr_factored f = {0};
    int64_t form, trans, zero = 0;
    value both[2] = {v_none(), v_none()};
    gpa_code rc = GPA_OK;
    TRY(arg_int(vm, argv[3], "form", &form));
    TRY(arg_int(vm, argv[4], "trans", &trans));
    TRY(arg_bool(vm, argv[5], "upper", &f.upper));
    TRY(arg_bool(vm, argv[6], "unit", &f.unit));
    TRY(arg_array(vm, argv[0], DT_NONE, &f.a));
    TRY(arg_array(vm, argv[2], DT_NONE, &b));
    if (argv[1].tag != V_NONE) TRY(arg_array(vm, argv[1], DT_NONE, &f.pivots));
    f.form = (gpa_factorization)form;
    f.trans = (int)trans;
    TRY(arr_solve_factored(vm_rt(vm), &f, b, &x, &zero, vm_err(vm)));
    if (!x) *out = v_none();
    if (!x) goto out;
    TRY(np_return_array(vm, x, &both[0]));
    both[1] = v_int(zero);
    rc = native_return(v_tuple(vm, 2, both), out);
out:
    value_release(vm, both[0]);
    arr_release(vm_rt(vm), f.a);
    arr_release(vm_rt(vm), b);
    arr_release(vm_rt(vm), f.pivots);
    return rc;
}

gpa_code linalg_solve_banded(
    gpa_vm *vm, value *argv,
    value *out) { /* kl, ku, bands, b; returns None if the device has no implementation */
    gpa_arr *b = NULL, *x = NULL;
    arr_banded a = {0};
    gpa_code rc = GPA_OK;
    TRY(arg_int(vm, argv[0], "kl", &a.kl));
    TRY(arg_int(vm, argv[1], "ku", &a.ku));
    TRY(arg_array(vm, argv[2], DT_NONE, &a.bands));
    TRY(arg_array(vm, argv[3], DT_NONE, &b));
    TRY(arr_solve_banded(vm_rt(vm), &a, b, &x, vm_err(vm)));
    if (x)
        rc = np_return_array(vm, x, out);
    else
        *out = v_none();
out:
    arr_release(vm_rt(vm), a.bands);
    arr_release(vm_rt(vm), b);
    return rc;
}
