/* Sparse LU, by the host: ordering, factors, solves. Reading order: the ordering, factors,
 * solves. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"
#include "runtime/host/sparse_lu.h"
#include "runtime/libcalls.h"

static gpa_code no_factors(gpa_dtype t, gpa_err *e) {
    return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no factors",
                    dtype_info[t].name);
}

/* ---- the ordering ---- */

gpa_code arr_sparse_lu_order(gpa_rt *rt, const arr_csr *a, gpa_arr **out, gpa_err *e) {
    enum { ORDER, OPERATIONS, RESULTS };
    sparse_csr s = {0};
    host_result made[RESULTS] = {{0}};
    gpa_code rc = GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    if (s.r.rows != s.r.cols) TRY(sparse_misfit(e));
    rc = host_result_new(rt, DT_I32, 1, &s.r.rows, &made[ORDER], e);
    if (!rc) rc = host_result_new(rt, DT_F64, 1, (int64_t[]){1}, &made[OPERATIONS], e);
    if (!rc)
        rc = hostlu_ordering(&s.r, sparse_int32(&made[ORDER]),
                             (double *)(void *)made[OPERATIONS].data, &rt->interrupted, e);
    rc = sparse_finish(rt, rc, made, RESULTS, out, e);
out:
    sparse_close(rt, &s);
    return rc;
}

/* ---- factors ---- */

/* A factor as three arrays. */
static gpa_code factor_arrays(gpa_rt *rt, const host_lu *lu, const lu_factor *p, gpa_arr **out,
                              gpa_err *e) {
    host_result made[CSR_ARRAYS] = {{0}};
    gpa_code rc = sparse_new(rt, lu->dtype, lu->n, (int64_t)p->nnz, made, e);
    if (!rc) {
        memcpy(made[INDPTR].data, p->indptr, ((size_t)lu->n + 1) * sizeof *p->indptr);
        if (p->nnz) memcpy(made[INDICES].data, p->indices, p->nnz * sizeof *p->indices);
        if (p->nnz) memcpy(made[DATA].data, p->data, p->nnz * dtype_size(lu->dtype));
    }
    return sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
}

gpa_code arr_sparse_lu(gpa_rt *rt, const arr_csr *a, gpa_arr *order, gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a->data->dtype;
    const int64_t n = a->cols;
    sparse_csr s = {0};
    host_view order_view = {0};
    host_result perm_r = {0};
    host_lu lu = {0};
    gpa_code rc = GPA_OK;
    if (!hostlu_can(t)) return no_factors(t, e);
    TRY(sparse_open(rt, a, &s, e));
    TRY(host_view_get_as(rt, order, DT_I32, &order_view, e));
    if (s.r.rows != n || order->size != n || !sparse_indices_below(&order_view, n, n))
        TRY(sparse_misfit(e));
    TRY(host_result_new(rt, DT_I32, 1, &n, &perm_r, e));
    lu.order = sparse_indices(&order_view);
    lu.perm_r = sparse_int32(&perm_r);
    rc = hostlu_factor(&s.r, &lu, &rt->interrupted, e);
    rc = sparse_finish(rt, rc, &perm_r, 1, out, e);
    if (!rc) rc = factor_arrays(rt, &lu, &lu.lower, out + 1, e);
    if (!rc) rc = factor_arrays(rt, &lu, &lu.upper, out + 1 + CSR_ARRAYS, e);
    if (!rc) explain_call(rt, "factors of a sparse matrix", NULL, *out);
out:
    hostlu_free(&lu);
    host_view_release(rt, &order_view);
    sparse_close(rt, &s);
    return rc;
}

/* ---- solves ---- */

/* A factor in host memory, only read; false if the arrays are invalid. */
static bool view_factor(const host_view *h, int64_t n, lu_factor *p) {
    const int64_t nnz = h[INDICES].arr->size;
    *p = (lu_factor){.indptr = (int32_t *)(void *)(uintptr_t)h[INDPTR].data,
                     .indices = (int32_t *)(void *)(uintptr_t)h[INDICES].data,
                     .data = (char *)(uintptr_t)h[DATA].data,
                     .nnz = (size_t)nnz};
    return h[INDPTR].arr->size == n + 1 && h[DATA].arr->size == nnz &&
           sparse_indptr_valid(&h[INDPTR], n + 1, nnz) && sparse_indices_below(&h[INDICES], nnz, n);
}

gpa_code arr_sparse_lu_solve(gpa_rt *rt, gpa_arr *const *factors, gpa_arr *b, bool transposed,
                             gpa_arr **out, gpa_err *e) {
    enum { ORDER, PERM_R, LOWER, UPPER = LOWER + CSR_ARRAYS, FACTORS = UPPER + CSR_ARRAYS };
    const gpa_dtype t = (gpa_dtype)factors[UPPER + DATA]->dtype;
    const int64_t n = factors[ORDER]->size, count = b->ndim > 1 ? b->shape[1] : 1;
    host_view h[FACTORS] = {{0}}, right = {0};
    host_result made = {0};
    host_lu lu = {.dtype = t, .n = (int32_t)n};
    gpa_code rc = GPA_OK;
    if (!hostlu_can(t)) return no_factors(t, e);
    for (int i = 0; i < FACTORS; i++)
        TRY(host_view_get_as(rt, factors[i], i == LOWER + DATA || i == UPPER + DATA ? t : DT_I32,
                             &h[i], e));
    TRY(host_view_get_as(rt, b, t, &right, e));
    const bool fit = view_factor(h + LOWER, n, &lu.lower) && view_factor(h + UPPER, n, &lu.upper) &&
                     (int64_t)lu.upper.nnz >= n && factors[PERM_R]->size == n &&
                     sparse_indices_below(&h[ORDER], n, n) &&
                     sparse_indices_below(&h[PERM_R], n, n);
    if (!fit || b->ndim < 1 || b->ndim > 2 || b->shape[0] != n) TRY(sparse_misfit(e));
    lu.order = sparse_indices(&h[ORDER]);
    lu.perm_r = (int32_t *)(void *)(uintptr_t)h[PERM_R].data;
    TRY(host_result_new(rt, t, b->ndim, b->shape, &made, e));
    rc = hostlu_solve(&lu, transposed, count, right.data, made.data, e);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "solve of a sparse linear system", NULL, *out);
out:
    for (int i = 0; i < FACTORS; i++) host_view_release(rt, &h[i]);
    host_view_release(rt, &right);
    return rc;
}
