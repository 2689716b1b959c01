/* Sorted columns, elementwise operations and CSC products of sparse matrices, by the host. Reading
 * order: sorted columns, elementwise operations, products. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"

/* ---- sorted columns ---- */

gpa_code arr_csr_is_canonical(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool *yes, gpa_err *e) {
    sparse_csr s = {0};
    gpa_code rc = sparse_get(rt, a, n, &s, e);
    *yes = !rc && hostcall_csr_is_canonical(&s.r);
    sparse_drop(rt, &s);
    return rc;
}

gpa_code arr_csr_sort_columns(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool adding, gpa_arr **out,
                              gpa_err *e) {
    enum { START = SPARSE_START, COLUMN = SPARSE_COLUMN, AT = SPARSE_VALUES, PARTS = SPARSE_PARTS };
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    sparse_csr s = {0};
    host_result made[PARTS] = {{0}};
    gpa_code rc = GPA_OK;
    if (!hostcall_can_sum(t)) return GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    rc = sparse_new(rt, t, s.r.m, s.r.count, made, e);
    if (!rc)
        rc = hostcall_csr_sort_columns(t, &s.r, adding, sparse_ints(&made[START]),
                                       sparse_ints(&made[COLUMN]), made[AT].data, &rt->interrupted,
                                       e);
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "order of a sparse matrix", NULL, out[AT]);
out:
    sparse_drop(rt, &s);
    return rc;
}

/* ---- elementwise operations ---- */

static const gpa_op united[CSR_OP_COUNT] = {[CSR_ADD] = OP_ADD,
                                            [CSR_SUBTRACT] = OP_SUBTRACT,
                                            [CSR_MULTIPLY] = OP_MULTIPLY,
                                            [CSR_MAXIMUM] = OP_MAXIMUM,
                                            [CSR_MINIMUM] = OP_MINIMUM,
                                            [CSR_LESS] = OP_LESS,
                                            [CSR_NOT_EQUAL] = OP_NOT_EQUAL,
                                            [CSR_GREATER] = OP_GREATER};

gpa_code arr_csr_binary(gpa_rt *rt, gpa_op op, gpa_arr *const *a, gpa_arr *const *b, int64_t n,
                        bool ascending, gpa_arr **out, gpa_err *e) {
    enum { START, COLUMN, IN_A, IN_B, RESULTS };
    const gpa_dtype t = (gpa_dtype)a[SPARSE_VALUES]->dtype, u = (gpa_dtype)b[SPARSE_VALUES]->dtype;
    host_csr_op how = CSR_ADD;
    while (how < CSR_OP_COUNT && united[how] != op) how++;
    const bool one = how < CSR_OP_COUNT && t == u && hostcall_csr_can_binary(how, t);
    const gpa_dtype made_in = one && how >= CSR_NOT_EQUAL ? DT_BOOL : t;
    const int results = one ? IN_B : RESULTS;
    sparse_csr x = {0}, y = {0};
    host_result made[RESULTS] = {{0}};
    gpa_code rc = GPA_OK;
    if (!one && !ascending) return GPA_OK;
    TRY(sparse_get(rt, a, n, &x, e));
    TRY(sparse_get(rt, b, n, &y, e));
    if (x.r.m != y.r.m) TRY(gpa_fail(e, GPA_E_VALUE, "inconsistent shapes"));
    const int64_t most = x.r.count + y.r.count;
    for (int i = 0; i < results && !rc; i++)
        rc = host_result_new(rt,
                             i == IN_A   ? made_in
                             : i == IN_B ? u
                                         : DT_I32,
                             1, i == START ? &a[SPARSE_START]->size : &most, &made[i], e);
    int32_t *start = sparse_ints(&made[START]), *column = sparse_ints(&made[COLUMN]);
    if (!rc && one)
        rc = hostcall_csr_binary(how, t, &x.r, &y.r, ascending, start, column, made[IN_A].data,
                                 &rt->interrupted, e);
    else if (!rc)
        rc = hostcall_csr_align(t, u, &x.r, &y.r, start, column, made[IN_A].data, made[IN_B].data,
                                &rt->interrupted, e);
    rc = sparse_finish(rt, rc, made, results, out, e);
    if (!rc) explain_call(rt, "union of sparse matrices", NULL, out[COLUMN]);
out:
    sparse_drop(rt, &x);
    sparse_drop(rt, &y);
    return rc;
}

/* ---- products ---- */

gpa_code arr_spmm_csc(gpa_rt *rt, gpa_arr *const *a, bool places, int64_t m, gpa_arr *x,
                      gpa_arr **out, gpa_err *e) {
    enum { LINE, ROW, AT, X, OPERANDS };
    gpa_arr *const given[OPERANDS] = {a[LINE], a[ROW], a[AT], x};
    gpa_arr *in[OPERANDS] = {NULL};
    const gpa_dtype t = dtype_promote((gpa_dtype)a[AT]->dtype, (gpa_dtype)x->dtype);
    const int64_t shape[2] = {m, x->ndim > 1 ? x->shape[1] : 1};
    gpa_libcall c = {
        .kind = LIB_SPMM,
        .dtype = t,
        .spmm = {.a = {.rows = m, .cols = x->shape[0], .nnz = a[ROW]->size}, .k = shape[1]}};
    host_view h[OPERANDS] = {{0}};
    host_result y = {0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++) {
        TRY(sparse_contiguous(rt, given[i], i < AT ? DT_I32 : t, &in[i], e));
        TRY(host_view_get(rt, in[i], &h[i], e));
    }
    const int32_t *line = sparse_indices(&h[LINE]), *row = sparse_indices(&h[ROW]);
    const host_csr turned = {
        .m = a[LINE]->size - 1, .n = m, .count = c.spmm.a.nnz, .start = line, .column = row};
    const bool fits = a[AT]->size == c.spmm.a.nnz &&
                      (places ? a[LINE]->size == c.spmm.a.nnz : turned.m == c.spmm.a.cols);
    if (!fits || (places && !(sparse_indices_below(&h[LINE], c.spmm.a.nnz, c.spmm.a.cols) &&
                              sparse_indices_below(&h[ROW], c.spmm.a.nnz, m))))
        TRY(gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape"));
    if (!places) TRY(sparse_check(h, &turned, e));
    TRY(host_result_new(rt, t, x->ndim, shape, &y, e));
    rc = hostcall_spmm_csc(&c, places, line, row, h[AT].data, h[X].data, y.data, &rt->interrupted,
                           e);
    rc = sparse_finish(rt, rc, &y, 1, out, e);
    if (!rc) explain_call(rt, "sparse product by columns", NULL, *out);
out:
    for (int i = 0; i < OPERANDS; i++) {
        host_view_release(rt, &h[i]);
        arr_release(rt, in[i]);
    }
    return rc;
}
