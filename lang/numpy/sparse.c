/* Native functions of scipy.sparse: products, sorting, unions, selection, transposes and LU of CSR
 * and COO matrices. The library has checked the arrays of a matrix. Arguments are arrays, then
 * integers; results are arrays, or None where the runtime has no implementation for the dtype. */
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"
#include "runtime/libcalls.h"

enum { MAX_ARRAYS = 9, MAX_INTS = 4, MAX_RESULTS = 7, NO_OPTIONAL = -1 };

typedef struct {
    gpa_rt *rt;
    gpa_err *e;
    gpa_arr *in[MAX_ARRAYS], *made[MAX_RESULTS];
    int64_t n[MAX_INTS];
} call;

/* Converts `arrays` array arguments, of which the one at index `optional` may be None, then `ints`
 * integers. Paired with end or release, also after a failure. */
static gpa_code begin(gpa_vm *vm, value *argv, int arrays, int optional, int ints, call *c) {
    *c = (call){.rt = vm_rt(vm), .e = vm_err(vm)};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < arrays && !rc; i++)
        if (i != optional || argv[i].tag != V_NONE) rc = arg_array(vm, argv[i], DT_NONE, &c->in[i]);
    for (int i = 0; i < ints && !rc; i++) rc = arg_int(vm, argv[arrays + i], "n", &c->n[i]);
    return rc;
}

static void release(call *c) {
    for (int i = 0; i < MAX_ARRAYS; i++) arr_release(c->rt, c->in[i]);
}

/* Releases the arguments and returns one array or a tuple of `results` arrays; None where the call
 * made none. */
static gpa_code end(gpa_vm *vm, gpa_code rc, call *c, int results, value *out) {
    release(c);
    if (!rc && !c->made[0]) return *out = v_none(), GPA_OK;
    if (rc || results > 1) return np_return_arrays(vm, rc, results, c->made, out);
    return np_return_array(vm, c->made[0], out);
}

/* A matrix by its arrays; one whose columns are known to ascend in each row. */
#define CSR(in, cols) (&(arr_csr){(in)[0], (in)[1], (in)[2], cols, false})
#define CANONICAL_CSR(in, cols) (&(arr_csr){(in)[0], (in)[1], (in)[2], cols, true})

/* A row of sparse_calls.def. */
typedef struct {
    int arrays, ints, results;
    gpa_code (*run)(call *c);
} row;

static gpa_code run(gpa_vm *vm, value *argv, row r, value *out) {
    call c;
    gpa_code rc = begin(vm, argv, r.arrays, NO_OPTIONAL, r.ints, &c);
    return end(vm, rc ? rc : r.run(&c), &c, r.results, out);
}

#define NATIVE(name, n_in, n_int, n_out, CALL)           \
    static gpa_code run_##name(call *c) { return CALL; } \
    NATIVE_FN(sparse_##name) { return run(vm, argv, (row){n_in, n_int, n_out, run_##name}, out); }
#include "lang/numpy/sparse_calls.def"
#undef NATIVE

/* indptr, indices, data, indptr2, indices2, data2, columns, sorted, ufunc */
gpa_code sparse_union(gpa_vm *vm, value *argv, value *out) {
    call c;
    gpa_code rc = begin(vm, argv, 6, NO_OPTIONAL, 2, &c);
    if (!rc)
        rc = arr_csr_binary(c.rt, op_find(argv[8].str->text, argv[8].str->size),
                            c.n[1] ? CANONICAL_CSR(c.in, c.n[0]) : CSR(c.in, c.n[0]),
                            c.n[1] ? CANONICAL_CSR(c.in + 3, c.n[0]) : CSR(c.in + 3, c.n[0]),
                            c.made, c.e);
    return end(vm, rc, &c, c.made[3] ? 4 : 3, out);
}

gpa_code sparse_csr_to_dense(gpa_vm *vm, value *argv,
                             value *out) { /* indptr, indices, data, addend, columns, transpose */
    call c;
    gpa_code rc = begin(vm, argv, 4, 3, 2, &c);
    if (!rc) rc = arr_csr_to_dense(c.rt, CSR(c.in, c.n[0]), c.n[1] != 0, c.in[3], c.made, c.e);
    return end(vm, rc, &c, 1, out);
}

gpa_code sparse_coo_to_csc(gpa_vm *vm, value *argv, value *out) { /* column, row, data, n */
    call c;
    gpa_code rc = begin(vm, argv, 3, 1, 1, &c);
    if (!rc) rc = arr_coo_to_csc(c.rt, c.in, c.n[0], c.made, c.e);
    if (c.in[1]) return end(vm, rc, &c, 3, out);
    c.made[1] = c.made[2];
    return end(vm, rc, &c, 2, out);
}

gpa_code sparse_is_sorted(gpa_vm *vm, value *argv,
                          value *out) { /* indptr, indices, data, columns */
    call c;
    bool sorted = false;
    gpa_code rc = begin(vm, argv, 3, NO_OPTIONAL, 1, &c);
    if (!rc) rc = arr_csr_is_canonical(c.rt, CSR(c.in, c.n[0]), &sorted, c.e);
    release(&c);
    *out = v_bool(sorted);
    return rc;
}

gpa_code sparse_hstack(gpa_vm *vm, value *argv, value *out) { /* blocks, columns */
    value arrays = v_none(), columns = v_none();
    gpa_arr *made[3] = {NULL};
    arr_csr *blocks = NULL;
    int64_t count = 0;
    gpa_code rc = vm_collect(vm, argv[0], &arrays);
    if (!rc) rc = vm_collect(vm, argv[1], &columns);
    if (!rc) {
        count = (int64_t)columns.list->count;
        if (!count || arrays.list->count != 3 * columns.list->count)
            rc = vm_fail(vm, GPA_E_VALUE, "blocks must be 2-D");
    }
    if (!rc && !(blocks = mem_zero((size_t)count * sizeof *blocks))) rc = vm_no_memory(vm);
    for (int64_t b = 0; b < count && !rc; b++) {
        const value *array = &arrays.list->items[3 * b];
        rc = arg_array(vm, array[0], DT_NONE, &blocks[b].indptr);
        if (!rc) rc = arg_array(vm, array[1], DT_NONE, &blocks[b].indices);
        if (!rc) rc = arg_array(vm, array[2], DT_NONE, &blocks[b].data);
        if (!rc) rc = arg_int(vm, columns.list->items[b], "columns", &blocks[b].cols);
    }
    if (!rc) rc = arr_csr_hstack(vm_rt(vm), blocks, count, made, vm_err(vm));
    for (int64_t b = 0; blocks && b < count; b++) {
        arr_release(vm_rt(vm), blocks[b].indptr);
        arr_release(vm_rt(vm), blocks[b].indices);
        arr_release(vm_rt(vm), blocks[b].data);
    }
    mem_free(blocks);
    value_release(vm, arrays);
    value_release(vm, columns);
    return np_return_arrays(vm, rc, 3, made, out);
}
