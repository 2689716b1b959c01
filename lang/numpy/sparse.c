/* Products, order, unions, parts and transposes of sparse matrices: the native part of
 * scipy.sparse. The parts of a matrix were checked by the library. Arguments are arrays, then
 * numbers; what comes back are arrays, or None where nothing is made. */
#include "lang/builtin/all.h"
#include "lang/numpy/numpy.h"

enum { ARRAYS = 9, NUMBERS = 4, MADE = 7, NO_OPTION = -1 };

typedef struct {
    gpa_rt *rt;
    gpa_err *e;
    gpa_arr *in[ARRAYS], *made[MADE];
    int64_t n[NUMBERS];
} call;

/* `arrays` arguments, of which number `optional` may be None, then `numbers`. Ended by end or
 * release, also after a failure. */
static gpa_code begin(gpa_vm *vm, value *argv, int arrays, int optional, int numbers, call *c) {
    *c = (call){.rt = vm_rt(vm), .e = vm_err(vm)};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < arrays && !rc; i++)
        if (i != optional || argv[i].tag != V_NONE) rc = arg_array(vm, argv[i], DT_NONE, &c->in[i]);
    for (int i = 0; i < numbers && !rc; i++) rc = arg_int(vm, argv[arrays + i], "n", &c->n[i]);
    return rc;
}

static void release(call *c) {
    for (int i = 0; i < ARRAYS; i++) arr_release(c->rt, c->in[i]);
}

/* One array, or so many; None where nothing was made. */
static gpa_code end(gpa_vm *vm, gpa_code rc, call *c, int parts, value *out) {
    release(c);
    if (!rc && !c->made[0]) return *out = v_none(), GPA_OK;
    if (rc || parts > 1) return np_return_arrays(vm, rc, parts, c->made, out);
    return np_return_array(vm, c->made[0], out);
}

/* NATIVE(name, arrays, numbers, parts that come back, what makes them). */
#define NATIVES(NATIVE)                                                                           \
    NATIVE(product, 4, 0, 1, arr_spmm(c.rt, c.in[0], c.in[1], c.in[2], c.in[3], c.made, c.e))   \
    NATIVE(spgemm, 6, 1, 3, arr_spgemm(c.rt, c.in, c.in + 3, c.n[0], c.made, c.e))                \
    NATIVE(some, 4, 1, 3, arr_csr_select_rows(c.rt, c.in, c.n[0], c.in[3], c.made, c.e))              \
    NATIVE(pick, 4, 1, 3, arr_csr_select_columns(c.rt, c.in, c.n[0], c.in[3], c.made, c.e))              \
    NATIVE(elements, 5, 2, 1,                                                                     \
           arr_csr_gather(c.rt, c.in, c.n[0], c.in[3], c.in[4], c.n[1] != 0, c.made, c.e))   \
    NATIVE(places, 5, 1, 1, arr_csr_gather_indices(c.rt, c.in, c.n[0], c.in[3], c.in[4], c.made, c.e)) \
    NATIVE(columns, 4, 2, 1,                                                                      \
           arr_spmm_csc(c.rt, c.in, c.n[1] != 0, c.n[0], c.in[3], c.made, c.e))             \
    NATIVE(lines, 1, 1, 1, arr_csr_row_indices(c.rt, c.in[0], c.n[0], c.made, c.e))                  \
    NATIVE(starts, 2, 1, 1, arr_coo_row_starts(c.rt, c.in[0], c.in[1], c.n[0], c.made, c.e))       \
    NATIVE(order, 3, 2, 3, arr_csr_sort_columns(c.rt, c.in, c.n[0], c.n[1] != 0, c.made, c.e))        \
    NATIVE(turn_rows, 3, 1, 3, arr_csr_transpose(c.rt, c.in, c.n[0], c.made, c.e))             \
    NATIVE(dense_places, 3, 2, 1,                                                                 \
           arr_coo_to_dense(c.rt, c.in, c.n[0], c.n[1], c.made, c.e))                      \
    NATIVE(between, 3, 4, 3, arr_csr_slice_columns(c.rt, c.in, c.n[0], c.n + 1, c.made, c.e))        \
    NATIVE(diagonal, 3, 2, 1, arr_csr_diagonal(c.rt, c.in, c.n[0], c.n[1], c.made, c.e))       \
    NATIVE(column_sums, 3, 1, 1, arr_csr_column_sums(c.rt, c.in, c.n[0], c.made, c.e))         \
    NATIVE(extremes, 3, 2, 1, arr_csr_row_minmax(c.rt, c.in, c.n[0], c.n[1] != 0, c.made, c.e))  \
    NATIVE(where, 3, 2, 1, arr_csr_row_argminmax(c.rt, c.in, c.n[0], c.n[1] != 0, c.made, c.e))        \
    NATIVE(lu_order, 3, 1, 2, arr_sparse_lu_order(c.rt, c.in, c.n[0], c.made, c.e))               \
    NATIVE(lu, 4, 1, 7, arr_sparse_lu(c.rt, c.in, c.in[3], c.n[0], c.made, c.e))                  \
    NATIVE(lu_solve, 9, 1, 1, arr_sparse_lu_solve(c.rt, c.in, c.in[8], c.n[0] != 0, c.made, c.e)) \
    NATIVE(diagonals, 2, 2, 3,                                                                    \
           arr_dia_to_csr(c.rt, c.in[0], c.in[1], c.n[0], c.n[1], c.made, c.e))
#define NATIVE(name, arrays, numbers, parts, MAKE)                     \
    gpa_code sparse_##name(gpa_vm *vm, value *argv, value *out) {      \
        call c;                                                        \
        gpa_code rc = begin(vm, argv, arrays, NO_OPTION, numbers, &c); \
        return end(vm, rc ? rc : MAKE, &c, parts, out);                \
    }
NATIVES(NATIVE)
#undef NATIVE
#undef NATIVES

gpa_code sparse_union(
    gpa_vm *vm, value *argv,
    value *out) { /* indptr, indices, data, indptr, indices, data, columns, ascending, ufunc */
    call c;
    gpa_code rc = begin(vm, argv, 6, NO_OPTION, 2, &c);
    if (!rc)
        rc = arr_csr_binary(c.rt, op_find(argv[8].str->text, argv[8].str->size), c.in, c.in + 3,
                              c.n[0], c.n[1] != 0, c.made, c.e);
    return end(vm, rc, &c, c.made[3] ? 4 : 3, out);
}

gpa_code sparse_dense(gpa_vm *vm, value *argv,
                      value *out) { /* indptr, indices, data, added or None, columns, turned */
    call c;
    gpa_code rc = begin(vm, argv, 4, 3, 2, &c);
    if (!rc) rc = arr_csr_to_dense(c.rt, c.in, c.n[0], c.n[1] != 0, c.in[3], c.made, c.e);
    return end(vm, rc, &c, 1, out);
}

gpa_code sparse_turn(gpa_vm *vm, value *argv, value *out) { /* columns, rows or None, data, n */
    call c;
    gpa_code rc = begin(vm, argv, 3, 1, 1, &c);
    if (!rc) rc = arr_sparse_transpose(c.rt, c.in, c.n[0], c.made, c.e);
    if (c.in[1]) return end(vm, rc, &c, 3, out);
    c.made[1] = c.made[2];
    return end(vm, rc, &c, 2, out);
}

gpa_code sparse_ascends(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, columns */
    call c;
    bool yes = false;
    gpa_code rc = begin(vm, argv, 3, NO_OPTION, 1, &c);
    if (!rc) rc = arr_csr_is_canonical(c.rt, c.in, c.n[0], &yes, c.e);
    release(&c);
    *out = v_bool(yes);
    return rc;
}

gpa_code sparse_beside(gpa_vm *vm, value *argv, value *out) { /* parts, columns */
    value parts = v_none(), columns = v_none();
    gpa_arr **in = NULL, *made[3] = {NULL};
    int64_t *n = NULL, blocks = 0;
    gpa_code rc = vm_collect(vm, argv[0], &parts);
    if (!rc) rc = vm_collect(vm, argv[1], &columns);
    if (!rc) {
        blocks = (int64_t)columns.list->count;
        if (!blocks || parts.list->count != 3 * columns.list->count)
            rc = vm_fail(vm, GPA_E_VALUE, "blocks must be 2-D");
    }
    if (!rc) {
        in = mem_zero((size_t)blocks * 3 * sizeof *in);
        n = mem_zero((size_t)blocks * sizeof *n);
        if (!in || !n) rc = vm_no_memory(vm);
    }
    for (int64_t i = 0; i < 3 * blocks && !rc; i++)
        rc = arg_array(vm, parts.list->items[i], DT_NONE, &in[i]);
    for (int64_t b = 0; b < blocks && !rc; b++)
        rc = arg_int(vm, columns.list->items[b], "columns", &n[b]);
    if (!rc) rc = arr_csr_hstack(vm_rt(vm), in, n, blocks, made, vm_err(vm));
    for (int64_t i = 0; in && i < 3 * blocks; i++) arr_release(vm_rt(vm), in[i]);
    mem_free(in);
    mem_free(n);
    value_release(vm, parts);
    value_release(vm, columns);
    return np_return_arrays(vm, rc, 3, made, out);
}
