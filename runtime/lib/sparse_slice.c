/* Indexing and reductions of sparse matrices, by the host: rows, columns, elements, diagonals,
 * sums, min and max. Reading order: rows and columns, elements, reductions. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"
#include "runtime/libcalls.h"

/* ---- rows and columns ---- */

gpa_code arr_csr_select_rows(gpa_rt *rt, const arr_csr *a, gpa_arr *rows, gpa_arr **out,
                             gpa_err *e) {
    const int64_t n = rows->size, starts = n + 1;
    sparse_csr s = {0};
    host_view row = {0};
    host_result made[CSR_ARRAYS] = {{0}};
    host_csr_out to = {0};
    gpa_code rc = GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    TRY(host_view_get_as(rt, rows, DT_I64, &row, e));
    TRY(host_result_new(rt, DT_I32, 1, &starts, &made[INDPTR], e));
    to.indptr = sparse_int32(&made[INDPTR]);
    rc = hostcall_csr_select_indptr(&s.r, sparse_int64(&row), n, to.indptr, e);
    for (int i = INDICES; i < CSR_ARRAYS && !rc; i++)
        rc = host_result_new(rt, i == DATA ? s.r.dtype : DT_I32, 1, (int64_t[]){to.indptr[n]},
                             &made[i], e);
    to = sparse_out(made);
    if (!rc) hostcall_csr_select_rows(&s.r, sparse_int64(&row), n, &to);
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    if (!rc) explain_call(rt, "rows of a sparse matrix", NULL, out[DATA]);
out:
    host_view_release(rt, &row);
    sparse_close(rt, &s);
    return rc;
}

gpa_code arr_csr_slice_columns(gpa_rt *rt, const arr_csr *a, const int64_t *range, gpa_arr **out,
                               gpa_err *e) {
    sparse_csr s = {0};
    host_result made[CSR_ARRAYS] = {{0}};
    gpa_code rc = GPA_OK;
    if (range[2] < 1) TRY(gpa_fail(e, GPA_E_VALUE, "slice step must be positive"));
    TRY(sparse_open(rt, a, &s, e));
    /* + 1: a value is stored before it is known to be selected */
    rc = sparse_new(rt, s.r.dtype, s.r.rows, s.r.nnz + 1, made, e);
    const host_csr_out to = sparse_out(made);
    if (!rc) hostcall_csr_slice_columns(&s.r, (host_slice){range[0], range[1], range[2]}, &to);
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    if (!rc) explain_call(rt, "columns of a sparse matrix", NULL, out[DATA]);
out:
    sparse_close(rt, &s);
    return rc;
}

gpa_code arr_csr_select_columns(gpa_rt *rt, const arr_csr *a, gpa_arr *columns, gpa_arr **out,
                                gpa_err *e) {
    sparse_csr s = {0};
    host_view column = {0};
    host_column_selection p = {0};
    host_result made[CSR_ARRAYS] = {{0}};
    gpa_code rc = GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    TRY(host_view_get_as(rt, columns, DT_I64, &column, e));
    TRY(hostcall_column_selection_new(&s.r, sparse_int64(&column), columns->size, &p, e));
    /* + 1: a value is stored before it is known to be selected */
    rc = sparse_new(rt, s.r.dtype, s.r.rows, p.nnz + 1, made, e);
    const host_csr_out to = sparse_out(made);
    if (!rc) hostcall_csr_select_columns(&s.r, &p, &to);
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    if (!rc) explain_call(rt, "columns of a sparse matrix", NULL, out[DATA]);
out:
    hostcall_column_selection_free(&p);
    host_view_release(rt, &column);
    sparse_close(rt, &s);
    return rc;
}

/* ---- elements ---- */

/* Elements of a; with `indices` the indices of their values. */
static gpa_code gather(gpa_rt *rt, const arr_csr *a, gpa_arr *const *at, bool indices,
                       gpa_arr **out, gpa_err *e) {
    sparse_csr s = {0};
    host_view index[2] = {{0}};
    host_result made = {0};
    const int64_t n = at[0]->size;
    gpa_code rc = GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    for (int i = 0; i < 2; i++) TRY(host_view_get_as(rt, at[i], DT_I64, &index[i], e));
    if (at[1]->size != n) TRY(gpa_fail(e, GPA_E_VALUE, "inconsistent shapes"));
    TRY(host_result_new(rt, indices ? DT_I32 : s.r.dtype, 1, &n, &made, e));
    const host_elements elements = {sparse_int64(&index[0]), sparse_int64(&index[1]), n};
    rc = indices ? hostcall_csr_gather_indices(&s.r, &elements, sparse_int32(&made),
                                               &rt->interrupted, e)
                 : hostcall_csr_gather(&s.r, &elements, made.data, &rt->interrupted, e);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "elements of a sparse matrix", NULL, *out);
out:
    for (int i = 0; i < 2; i++) host_view_release(rt, &index[i]);
    sparse_close(rt, &s);
    return rc;
}

gpa_code arr_csr_gather(gpa_rt *rt, const arr_csr *a, gpa_arr *rows, gpa_arr *columns,
                        gpa_arr **out, gpa_err *e) {
    if (!hostcall_can_sum((gpa_dtype)a->data->dtype)) return GPA_OK;
    return gather(rt, a, (gpa_arr *[]){rows, columns}, false, out, e);
}

gpa_code arr_csr_gather_indices(gpa_rt *rt, const arr_csr *a, gpa_arr *rows, gpa_arr *columns,
                                gpa_arr **out, gpa_err *e) {
    return gather(rt, a, (gpa_arr *[]){rows, columns}, true, out, e);
}

/* ---- reductions ---- */

/* A reduction to a vector. */
typedef struct {
    enum { DIAGONAL, COLUMN_SUMS, ROW_MINMAX, ROW_ARGMINMAX } kind;
    bool max;
    int64_t offset; /* of a diagonal */
} reduction;

/* Names of the reductions in %explain. */
static const char *const reduction_names[] = {[DIAGONAL] = "diagonal of a sparse matrix",
                                              [COLUMN_SUMS] = "sums of sparse columns",
                                              [ROW_MINMAX] = "min or max of sparse rows",
                                              [ROW_ARGMINMAX] = "argmin or argmax of sparse rows"};

static gpa_code reduce(gpa_rt *rt, const arr_csr *a, reduction r, gpa_arr **out, gpa_err *e) {
    sparse_csr s = {0};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    const int64_t diagonal = hostcall_diagonal_size(s.r.rows, s.r.cols, r.offset),
                  *size = r.kind == DIAGONAL      ? &diagonal
                          : r.kind == COLUMN_SUMS ? &s.r.cols
                                                  : &s.r.rows;
    TRY(host_result_new(rt, r.kind == ROW_ARGMINMAX ? DT_I64 : s.r.dtype, 1, size, &made, e));
    switch (r.kind) {
        case DIAGONAL: hostcall_csr_diagonal(&s.r, r.offset, diagonal, made.data); break;
        case COLUMN_SUMS: hostcall_csr_column_sums(&s.r, made.data); break;
        case ROW_MINMAX: hostcall_csr_row_minmax(&s.r, r.max, made.data); break;
        case ROW_ARGMINMAX:
            hostcall_csr_row_argminmax(&s.r, r.max, (int64_t *)(void *)made.data);
            break;
    }
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, reduction_names[r.kind], NULL, *out);
out:
    sparse_close(rt, &s);
    return rc;
}

gpa_code arr_csr_diagonal(gpa_rt *rt, const arr_csr *a, int64_t offset, gpa_arr **out, gpa_err *e) {
    if (!hostcall_can_sum((gpa_dtype)a->data->dtype)) return GPA_OK;
    return reduce(rt, a, (reduction){.kind = DIAGONAL, .offset = offset}, out, e);
}

gpa_code arr_csr_column_sums(gpa_rt *rt, const arr_csr *a, gpa_arr **out, gpa_err *e) {
    if (!hostcall_can_sum((gpa_dtype)a->data->dtype)) return GPA_OK;
    return reduce(rt, a, (reduction){.kind = COLUMN_SUMS}, out, e);
}

gpa_code arr_csr_row_minmax(gpa_rt *rt, const arr_csr *a, bool max, gpa_arr **out, gpa_err *e) {
    if (!hostcall_can_compare((gpa_dtype)a->data->dtype)) return GPA_OK;
    return reduce(rt, a, (reduction){.kind = ROW_MINMAX, .max = max}, out, e);
}

gpa_code arr_csr_row_argminmax(gpa_rt *rt, const arr_csr *a, bool max, gpa_arr **out, gpa_err *e) {
    if (!hostcall_can_compare((gpa_dtype)a->data->dtype)) return GPA_OK;
    return reduce(rt, a, (reduction){.kind = ROW_ARGMINMAX, .max = max}, out, e);
}
