/* Sorted columns, elementwise operations and CSC products of sparse matrices, by the host. Reading
 * order: sorted columns, elementwise operations, products. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"
#include "runtime/libcalls.h"

/* ---- sorted columns ---- */

gpa_code arr_csr_is_canonical(gpa_rt *rt, const arr_csr *a, bool *yes, gpa_err *e) {
    sparse_csr s = {0};
    gpa_code rc = sparse_open(rt, a, &s, e);
    *yes = !rc && hostcall_csr_is_canonical(&s.r);
    sparse_close(rt, &s);
    return rc;
}

gpa_code arr_csr_sort_columns(gpa_rt *rt, const arr_csr *a, bool sum_duplicates, gpa_arr **out,
                              gpa_err *e) {
    sparse_csr s = {0};
    host_result made[CSR_ARRAYS] = {{0}};
    gpa_code rc = GPA_OK;
    if (!hostcall_can_sum((gpa_dtype)a->data->dtype)) return GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    rc = sparse_new(rt, s.r.dtype, s.r.rows, s.r.nnz, made, e);
    const host_csr_out to = sparse_out(made);
    if (!rc) rc = hostcall_csr_sort_columns(&s.r, sum_duplicates, &to, &rt->interrupted, e);
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    if (!rc) explain_call(rt, "sorted columns of a sparse matrix", NULL, out[DATA]);
out:
    sparse_close(rt, &s);
    return rc;
}

/* ---- elementwise operations ---- */

/* The operations of the host; CSR_OP_COUNT: none. */
static host_csr_op host_op(gpa_op op) {
    static const gpa_op ops[CSR_OP_COUNT] = {[CSR_ADD] = OP_ADD,
                                             [CSR_SUBTRACT] = OP_SUBTRACT,
                                             [CSR_MULTIPLY] = OP_MULTIPLY,
                                             [CSR_MAXIMUM] = OP_MAXIMUM,
                                             [CSR_MINIMUM] = OP_MINIMUM,
                                             [CSR_LESS] = OP_LESS,
                                             [CSR_NOT_EQUAL] = OP_NOT_EQUAL,
                                             [CSR_GREATER] = OP_GREATER};
    host_csr_op i = CSR_ADD;
    while (i < CSR_OP_COUNT && ops[i] != op) i++;
    return i;
}

gpa_code arr_csr_binary(gpa_rt *rt, gpa_op op, const arr_csr *a, const arr_csr *b, gpa_arr **out,
                        gpa_err *e) {
    enum { DATA_B = CSR_ARRAYS, RESULTS };
    const gpa_dtype t = (gpa_dtype)a->data->dtype, u = (gpa_dtype)b->data->dtype;
    const host_csr_op how = host_op(op);
    const bool compute = how < CSR_OP_COUNT && t == u && hostcall_csr_can_binary(how, t);
    const gpa_dtype dtypes[RESULTS] = {DT_I32, DT_I32,
                                       compute && how >= CSR_NOT_EQUAL ? DT_BOOL : t, u};
    const int results = compute ? DATA_B : RESULTS;
    sparse_csr x = {0}, y = {0};
    host_result made[RESULTS] = {{0}};
    gpa_code rc = GPA_OK;
    if (!compute && !(a->canonical && b->canonical)) return GPA_OK;
    TRY(sparse_open(rt, a, &x, e));
    TRY(sparse_open(rt, b, &y, e));
    if (x.r.rows != y.r.rows) TRY(gpa_fail(e, GPA_E_VALUE, "inconsistent shapes"));
    const int64_t most = x.r.nnz + y.r.nnz, starts = x.r.rows + 1;
    for (int i = 0; i < results && !rc; i++)
        rc = host_result_new(rt, dtypes[i], 1, i == INDPTR ? &starts : &most, &made[i], e);
    const host_csr_out to = sparse_out(made);
    if (!rc && compute)
        rc = hostcall_csr_binary(how, &x.r, &y.r, &to, &rt->interrupted, e);
    else if (!rc)
        rc = hostcall_csr_align(&x.r, &y.r, &to, made[DATA_B].data, &rt->interrupted, e);
    rc = sparse_finish(rt, rc, made, results, out, e);
    if (!rc) explain_call(rt, "union of sparse matrices", NULL, out[INDICES]);
out:
    sparse_close(rt, &x);
    sparse_close(rt, &y);
    return rc;
}

/* ---- products ---- */

gpa_code arr_spmm_csc(gpa_rt *rt, const arr_csr *a, bool coo, gpa_arr *x, gpa_arr **out,
                      gpa_err *e) {
    enum { X = CSR_ARRAYS, OPERANDS };
    gpa_arr *const given[OPERANDS] = {a->indptr, a->indices, a->data, x};
    gpa_arr *in[OPERANDS] = {NULL};
    const gpa_dtype t = dtype_promote((gpa_dtype)a->data->dtype, (gpa_dtype)x->dtype);
    const int64_t rows = a->cols, cols = x->shape[0], nnz = a->indices->size,
                  shape[2] = {rows, x->ndim > 1 ? x->shape[1] : 1};
    const gpa_libcall c = {.kind = LIB_SPMM,
                           .dtype = t,
                           .spmm = {.a = {.rows = rows, .cols = cols, .nnz = nnz}, .k = shape[1]}};
    host_view h[OPERANDS] = {{0}};
    host_result y = {0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++) {
        TRY(sparse_contiguous(rt, given[i], i < DATA ? DT_I32 : t, &in[i], e));
        TRY(host_view_get(rt, in[i], &h[i], e));
    }
    if (a->data->size != nnz || a->indptr->size != (coo ? nnz : cols + 1)) TRY(sparse_misfit(e));
    if (!coo)
        TRY(sparse_check(h, cols, rows, nnz, e));
    else if (!sparse_indices_below(&h[INDPTR], nnz, cols) ||
             !sparse_indices_below(&h[INDICES], nnz, rows))
        TRY(sparse_misfit(e));
    TRY(host_result_new(rt, t, x->ndim, shape, &y, e));
    rc = hostcall_spmm_csc(
        &c, coo,
        &(host_operands){.in = {h[INDPTR].data, h[INDICES].data, h[DATA].data, h[X].data},
                         .out = {y.data}},
        &rt->interrupted, e);
    rc = sparse_finish(rt, rc, &y, 1, out, e);
    if (!rc) explain_call(rt, "sparse product by columns", NULL, *out);
out:
    for (int i = 0; i < OPERANDS; i++) {
        host_view_release(rt, &h[i]);
        arr_release(rt, in[i]);
    }
    return rc;
}
