/* Products, order, unions, parts and transposes of sparse matrices: the native part of scipy.sparse. The parts of a matrix were checked by the prelude. */
#include "lang/builtin/all.h"
#include "lang/numpy/numpy.h"

/* n arrays from arguments, owned; also after a failure. */
static gpa_code arrays(gpa_vm *vm, const value *argv, int n, gpa_arr **in) {
    gpa_code rc = GPA_OK;
    for (int i = 0; i < n && !rc; i++) rc = arg_array(vm, argv[i], DT_NONE, &in[i]);
    return rc;
}

static void release(gpa_vm *vm, gpa_arr **in, int n) {
    for (int i = 0; i < n; i++) arr_release(vm_rt(vm), in[i]);
}

gpa_code sparse_product(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, x */
    gpa_arr *in[4] = {NULL}, *y = NULL;
    gpa_code rc = arrays(vm, argv, 4, in);
    if (!rc) rc = arr_sparse(vm_rt(vm), in[0], in[1], in[2], in[3], &y, vm_err(vm));
    release(vm, in, 4);
    return rc ? rc : np_return_array(vm, y, out);
}

gpa_code sparse_spgemm(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, indptr, indices, data, columns */
    gpa_arr *in[6] = {NULL}, *made[3] = {NULL};
    int64_t n = 0;
    gpa_code rc = arrays(vm, argv, 6, in);
    if (!rc) rc = arg_int(vm, argv[6], "columns", &n);
    if (!rc) rc = arr_spgemm(vm_rt(vm), in, in + 3, n, made, vm_err(vm));
    release(vm, in, 6);
    return np_return_arrays(vm, rc, 3, made, out);
}

gpa_code sparse_ascends(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns */
    gpa_arr *in[3] = {NULL};
    int64_t n = 0;
    bool yes = false;
    gpa_code rc = arrays(vm, argv, 3, in);
    if (!rc) rc = arg_int(vm, argv[3], "columns", &n);
    if (!rc) rc = arr_sparse_ascends(vm_rt(vm), in, n, &yes, vm_err(vm));
    release(vm, in, 3);
    *out = v_bool(yes);
    return rc;
}

gpa_code sparse_order(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns, adding */
    gpa_arr *in[3] = {NULL}, *made[3] = {NULL};
    int64_t n = 0;
    bool adding = false;
    gpa_code rc = arrays(vm, argv, 3, in);
    if (!rc) rc = arg_int(vm, argv[3], "columns", &n);
    if (!rc) rc = arg_bool(vm, argv[4], "adding", &adding);
    if (!rc) rc = arr_sparse_order(vm_rt(vm), in, n, adding, made, vm_err(vm));
    release(vm, in, 3);
    if (!rc && !made[0]) return *out = v_none(), GPA_OK;
    return np_return_arrays(vm, rc, 3, made, out);
}

gpa_code sparse_union(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, indptr, indices, data, columns, ufunc, ascending */
    gpa_arr *in[6] = {NULL}, *made[4] = {NULL};
    int64_t n = 0;
    bool ascending = false;
    gpa_code rc = arrays(vm, argv, 6, in);
    if (!rc) rc = arg_int(vm, argv[6], "columns", &n);
    if (!rc) rc = arg_bool(vm, argv[8], "ascending", &ascending);
    if (!rc) rc = arr_sparse_union(vm_rt(vm), op_find(argv[7].str->text, argv[7].str->size), in, in + 3, n, ascending, made, vm_err(vm));
    release(vm, in, 6);
    if (!rc && !made[0]) return *out = v_none(), GPA_OK;
    return np_return_arrays(vm, rc, made[3] ? 4 : 3, made, out);
}

gpa_code sparse_some(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, rows, columns */
    gpa_arr *in[4] = {NULL}, *made[3] = {NULL};
    int64_t n = 0;
    gpa_code rc = arrays(vm, argv, 4, in);
    if (!rc) rc = arg_int(vm, argv[4], "columns", &n);
    if (!rc) rc = arr_sparse_some(vm_rt(vm), in, n, in[3], made, vm_err(vm));
    release(vm, in, 4);
    return np_return_arrays(vm, rc, 3, made, out);
}

gpa_code sparse_elements(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, rows, columns, n, ascending */
    gpa_arr *in[5] = {NULL}, *made = NULL;
    int64_t n = 0;
    bool ascending = false;
    gpa_code rc = arrays(vm, argv, 5, in);
    if (!rc) rc = arg_int(vm, argv[5], "n", &n);
    if (!rc) rc = arg_bool(vm, argv[6], "ascending", &ascending);
    if (!rc) rc = arr_sparse_elements(vm_rt(vm), in, n, in[3], in[4], ascending, &made, vm_err(vm));
    release(vm, in, 5);
    if (rc || !made) return *out = v_none(), rc;
    return np_return_array(vm, made, out);
}

gpa_code sparse_columns(gpa_vm *vm, value *argv, value *out) { /* line, row, data, x, m, places */
    gpa_arr *in[4] = {NULL}, *y = NULL;
    int64_t m = 0;
    bool places = false;
    gpa_code rc = arrays(vm, argv, 4, in);
    if (!rc) rc = arg_int(vm, argv[4], "m", &m);
    if (!rc) rc = arg_bool(vm, argv[5], "places", &places);
    if (!rc) rc = arr_sparse_columns(vm_rt(vm), in, places, m, in[3], &y, vm_err(vm));
    release(vm, in, 4);
    return rc ? rc : np_return_array(vm, y, out);
}

gpa_code sparse_turn(gpa_vm *vm, value *argv, value *out) { /* columns, rows or None, data, n */
    gpa_arr *in[3] = {NULL}, *made[3] = {NULL};
    const bool rows = argv[1].tag != V_NONE;
    int64_t n = 0;
    gpa_code rc = arrays(vm, argv, 1, in);
    if (!rc) rc = arrays(vm, argv + (rows ? 1 : 2), rows ? 2 : 1, in + (rows ? 1 : 2));
    if (!rc) rc = arg_int(vm, argv[3], "n", &n);
    if (!rc) rc = arr_sparse_turn(vm_rt(vm), in, n, made, vm_err(vm));
    release(vm, in, 3);
    if (!rows) made[1] = made[2];
    return np_return_arrays(vm, rc, rows ? 3 : 2, made, out);
}
