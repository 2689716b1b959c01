/* Sparse LU, by the host: ordering, factors, solves. Reading order: the ordering, factors,
 * solves. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"
#include "runtime/host/sparse_lu.h"

static const char misfit[] = "the indices of a sparse matrix do not fit its shape";

/* ---- the ordering ---- */

gpa_code arr_sparse_lu_order(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr **out, gpa_err *e) {
    enum { ORDER, OPERATIONS, RESULTS };
    sparse_csr s = {0};
    host_result made[RESULTS] = {{0}};
    gpa_code rc = GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    if (s.r.m != n) TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    rc = host_result_new(rt, DT_I32, 1, &n, &made[ORDER], e);
    if (!rc) rc = host_result_new(rt, DT_F64, 1, (int64_t[]){1}, &made[OPERATIONS], e);
    if (!rc)
        rc = hostlu_ordering(&s.r, sparse_ints(&made[ORDER]),
                             (double *)(void *)made[OPERATIONS].data, &rt->interrupted, e);
    rc = sparse_finish(rt, rc, made, RESULTS, out, e);
out:
    sparse_drop(rt, &s);
    return rc;
}

/* ---- factors ---- */

/* A factor as three arrays. */
static gpa_code give_part(gpa_rt *rt, gpa_dtype t, int64_t n, const lu_factor *p, gpa_arr **out,
                          gpa_err *e) {
    host_result made[SPARSE_PARTS] = {{0}};
    gpa_code rc = sparse_new(rt, t, n, (int64_t)p->count, made, e);
    if (!rc) {
        memcpy(made[SPARSE_START].data, p->start, (size_t)(n + 1) * sizeof *p->start);
        if (p->count) memcpy(made[SPARSE_COLUMN].data, p->row, p->count * sizeof *p->row);
        if (p->count) memcpy(made[SPARSE_VALUES].data, p->at, p->count * dtype_size(t));
    }
    return sparse_finish(rt, rc, made, SPARSE_PARTS, out, e);
}

gpa_code arr_sparse_lu(gpa_rt *rt, gpa_arr *const *a, gpa_arr *order, int64_t n, gpa_arr **out,
                       gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[SPARSE_VALUES]->dtype;
    sparse_csr s = {0};
    host_view by = {0};
    host_result place = {0};
    lu_factor lower = {0}, upper = {0};
    gpa_code rc = GPA_OK;
    if (!hostlu_can(t))
        return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no factors",
                        dtype_info[t].name);
    TRY(sparse_get(rt, a, n, &s, e));
    TRY(host_view_get_as(rt, order, DT_I32, &by, e));
    if (s.r.m != n || order->size != n || !sparse_indices_below(&by, n, n))
        TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    TRY(host_result_new(rt, DT_I32, 1, &n, &place, e));
    rc = hostlu_factor(t, &s.r, sparse_indices(&by), &lower, &upper, sparse_ints(&place),
                       &rt->interrupted, e);
    rc = sparse_finish(rt, rc, &place, 1, out, e);
    if (!rc) rc = give_part(rt, t, n, &lower, out + 1, e);
    if (!rc) rc = give_part(rt, t, n, &upper, out + 1 + SPARSE_PARTS, e);
    if (!rc) explain_call(rt, "factors of a sparse matrix", NULL, *out);
out:
    hostlu_free(&lower);
    hostlu_free(&upper);
    host_view_release(rt, &by);
    sparse_drop(rt, &s);
    return rc;
}

/* ---- solves ---- */

/* A factor in host memory; false if the arrays are invalid. */
static bool part_of(const host_view *h, int64_t n, lu_factor *p) {
    const int64_t count = h[SPARSE_COLUMN].arr->size;
    *p = (lu_factor){.start = (int32_t *)(void *)(uintptr_t)h[SPARSE_START].data,
                     .row = (int32_t *)(void *)(uintptr_t)h[SPARSE_COLUMN].data,
                     .at = (char *)(uintptr_t)h[SPARSE_VALUES].data,
                     .count = (size_t)count};
    return h[SPARSE_START].arr->size == n + 1 && h[SPARSE_VALUES].arr->size == count &&
           sparse_starts_valid(&h[SPARSE_START], n + 1, count) &&
           sparse_indices_below(&h[SPARSE_COLUMN], count, n);
}

gpa_code arr_sparse_lu_solve(gpa_rt *rt, gpa_arr *const *factors, gpa_arr *b, bool turned,
                             gpa_arr **out, gpa_err *e) {
    enum { ORDER, PLACE, LOWER, UPPER = LOWER + SPARSE_PARTS, FACTORS = UPPER + SPARSE_PARTS };
    const gpa_dtype t = (gpa_dtype)factors[UPPER + SPARSE_VALUES]->dtype;
    const int64_t n = factors[ORDER]->size, count = b->ndim > 1 ? b->shape[1] : 1;
    host_view h[FACTORS] = {{0}}, right = {0};
    host_result made = {0};
    lu_factor lower, upper;
    gpa_code rc = GPA_OK;
    if (!hostlu_can(t))
        return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no factors",
                        dtype_info[t].name);
    for (int i = 0; i < FACTORS; i++)
        TRY(host_view_get_as(rt, factors[i],
                             i == LOWER + SPARSE_VALUES || i == UPPER + SPARSE_VALUES ? t : DT_I32,
                             &h[i], e));
    TRY(host_view_get_as(rt, b, t, &right, e));
    const bool fit = part_of(h + LOWER, n, &lower) && part_of(h + UPPER, n, &upper) &&
                     (int64_t)upper.count >= n && factors[PLACE]->size == n &&
                     sparse_indices_below(&h[ORDER], n, n) && sparse_indices_below(&h[PLACE], n, n);
    if (!fit || b->ndim < 1 || b->ndim > 2 || b->shape[0] != n)
        TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    TRY(host_result_new(rt, t, b->ndim, b->shape, &made, e));
    rc = hostlu_solve(t, n, sparse_indices(&h[ORDER]), sparse_indices(&h[PLACE]), &lower, &upper,
                      count, turned, right.data, made.data, e);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "solution of a sparse equation", NULL, *out);
out:
    for (int i = 0; i < FACTORS; i++) host_view_release(rt, &h[i]);
    host_view_release(rt, &right);
    return rc;
}
