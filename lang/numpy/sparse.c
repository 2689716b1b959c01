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

/* An array, or None for none. */
static gpa_code array_or_none(gpa_vm *vm, gpa_code rc, gpa_arr *made, value *out) {
    if (rc || !made) return *out = v_none(), rc;
    return np_return_array(vm, made, out);
}

/* indptr, indices, data, columns, and n more integers of which what comes depends. */
typedef struct {
    gpa_arr *in[3], *made[3];
    int64_t columns, more[3];
} matrix_call;

static gpa_code matrix_begin(gpa_vm *vm, value *argv, int n, matrix_call *c) {
    *c = (matrix_call){0};
    gpa_code rc = arrays(vm, argv, 3, c->in);
    if (!rc) rc = arg_int(vm, argv[3], "columns", &c->columns);
    for (int i = 0; i < n && !rc; i++) rc = arg_int(vm, argv[4 + i], "n", &c->more[i]);
    return rc;
}

/* The parts of a matrix, or one array; None where nothing was made. */
static gpa_code matrix_end(gpa_vm *vm, gpa_code rc, matrix_call *c, int parts, value *out) {
    release(vm, c->in, 3);
    if (!rc && !c->made[0]) return *out = v_none(), GPA_OK;
    if (parts == 1) return array_or_none(vm, rc, c->made[0], out);
    return np_return_arrays(vm, rc, parts, c->made, out);
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
    return array_or_none(vm, rc, made, out);
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

gpa_code sparse_lines(gpa_vm *vm, value *argv, value *out) { /* indptr, count */
    gpa_arr *in[1] = {NULL}, *made = NULL;
    int64_t count = 0;
    gpa_code rc = arrays(vm, argv, 1, in);
    if (!rc) rc = arg_int(vm, argv[1], "count", &count);
    if (!rc) rc = arr_sparse_lines(vm_rt(vm), in[0], count, &made, vm_err(vm));
    release(vm, in, 1);
    return array_or_none(vm, rc, made, out);
}

gpa_code sparse_starts(gpa_vm *vm, value *argv, value *out) { /* line, other, lines */
    gpa_arr *in[2] = {NULL}, *made = NULL;
    int64_t lines = 0;
    gpa_code rc = arrays(vm, argv, 2, in);
    if (!rc) rc = arg_int(vm, argv[2], "lines", &lines);
    if (!rc) rc = arr_sparse_starts(vm_rt(vm), in[0], in[1], lines, &made, vm_err(vm));
    release(vm, in, 2);
    return array_or_none(vm, rc, made, out);
}

gpa_code sparse_ascends(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns */
    matrix_call c;
    bool yes = false;
    gpa_code rc = matrix_begin(vm, argv, 0, &c);
    if (!rc) rc = arr_sparse_ascends(vm_rt(vm), c.in, c.columns, &yes, vm_err(vm));
    release(vm, c.in, 3);
    *out = v_bool(yes);
    return rc;
}

gpa_code sparse_order(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns, adding */
    matrix_call c;
    gpa_code rc = matrix_begin(vm, argv, 1, &c);
    if (!rc) rc = arr_sparse_order(vm_rt(vm), c.in, c.columns, c.more[0] != 0, c.made, vm_err(vm));
    return matrix_end(vm, rc, &c, 3, out);
}

gpa_code sparse_turn_rows(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns */
    matrix_call c;
    gpa_code rc = matrix_begin(vm, argv, 0, &c);
    if (!rc) rc = arr_sparse_turn_rows(vm_rt(vm), c.in, c.columns, c.made, vm_err(vm));
    return matrix_end(vm, rc, &c, 3, out);
}

gpa_code sparse_dense(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns, turned */
    matrix_call c;
    gpa_code rc = matrix_begin(vm, argv, 1, &c);
    if (!rc) rc = arr_sparse_dense(vm_rt(vm), c.in, c.columns, c.more[0] != 0, c.made, vm_err(vm));
    return matrix_end(vm, rc, &c, 1, out);
}

gpa_code sparse_between(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns, low, high, step */
    matrix_call c;
    gpa_code rc = matrix_begin(vm, argv, 3, &c);
    if (!rc && c.more[2] < 1) rc = vm_fail(vm, GPA_E_VALUE, "slice step must be positive");
    if (!rc) rc = arr_sparse_between(vm_rt(vm), c.in, c.columns, c.more, c.made, vm_err(vm));
    return matrix_end(vm, rc, &c, 3, out);
}

gpa_code sparse_diagonal(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns, offset */
    matrix_call c;
    gpa_code rc = matrix_begin(vm, argv, 1, &c);
    if (!rc) rc = arr_sparse_diagonal(vm_rt(vm), c.in, c.columns, c.more[0], c.made, vm_err(vm));
    return matrix_end(vm, rc, &c, 1, out);
}

gpa_code sparse_column_sums(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns */
    matrix_call c;
    gpa_code rc = matrix_begin(vm, argv, 0, &c);
    if (!rc) rc = arr_sparse_column_sums(vm_rt(vm), c.in, c.columns, c.made, vm_err(vm));
    return matrix_end(vm, rc, &c, 1, out);
}

gpa_code sparse_extremes(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns, largest */
    matrix_call c;
    gpa_code rc = matrix_begin(vm, argv, 1, &c);
    if (!rc) rc = arr_sparse_extremes(vm_rt(vm), c.in, c.columns, c.more[0] != 0, c.made, vm_err(vm));
    return matrix_end(vm, rc, &c, 1, out);
}

gpa_code sparse_diagonals(gpa_vm *vm, value *argv, value *out) { /* values, offsets, m, n */
    gpa_arr *in[2] = {NULL}, *made[3] = {NULL};
    int64_t m = 0, n = 0;
    gpa_code rc = arrays(vm, argv, 2, in);
    if (!rc) rc = arg_int(vm, argv[2], "m", &m);
    if (!rc) rc = arg_int(vm, argv[3], "n", &n);
    if (!rc) rc = arr_sparse_diagonals(vm_rt(vm), in[0], in[1], m, n, made, vm_err(vm));
    release(vm, in, 2);
    return np_return_arrays(vm, rc, 3, made, out);
}

gpa_code sparse_beside(gpa_vm *vm, value *argv, value *out) { /* parts, columns */
    value parts = v_none(), columns = v_none();
    gpa_arr **in = NULL, *made[3] = {NULL};
    int64_t *n = NULL, blocks = 0;
    gpa_code rc = vm_collect(vm, argv[0], &parts);
    if (!rc) rc = vm_collect(vm, argv[1], &columns);
    if (!rc) {
        blocks = (int64_t)columns.list->count;
        if (!blocks || parts.list->count != 3 * columns.list->count) rc = vm_fail(vm, GPA_E_VALUE, "blocks must be 2-D");
    }
    if (!rc) {
        in = mem_zero((size_t)blocks * 3 * sizeof *in);
        n = mem_zero((size_t)blocks * sizeof *n);
        if (!in || !n) rc = vm_no_memory(vm);
    }
    if (!rc) rc = arrays(vm, parts.list->items, (int)(3 * blocks), in);
    for (int64_t b = 0; b < blocks && !rc; b++) rc = arg_int(vm, columns.list->items[b], "columns", &n[b]);
    if (!rc) rc = arr_sparse_beside(vm_rt(vm), in, n, blocks, made, vm_err(vm));
    if (in) release(vm, in, (int)(3 * blocks));
    mem_free(in);
    mem_free(n);
    value_release(vm, parts);
    value_release(vm, columns);
    return np_return_arrays(vm, rc, 3, made, out);
}
