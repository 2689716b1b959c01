/* Indexing and reductions of sparse matrices, by the host: rows, columns, elements, diagonals,
 * sums, min and max. Reading order: rows and columns, elements, reductions. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"

enum { START = SPARSE_START, COLUMN = SPARSE_COLUMN, AT = SPARSE_VALUES, PARTS = SPARSE_PARTS };

/* ---- rows and columns ---- */

gpa_code arr_csr_select_rows(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *rows, gpa_arr **out,
                             gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    const int64_t starts = rows->size + 1;
    sparse_csr s = {0};
    host_view row = {0};
    host_result made[PARTS] = {{0}};
    gpa_code rc = GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    TRY(host_view_get_as(rt, rows, DT_I64, &row, e));
    const int64_t *which = (const int64_t *)(const void *)row.data;
    TRY(host_result_new(rt, DT_I32, 1, &starts, &made[START], e));
    rc = hostcall_csr_select_row_starts(&s.r, which, rows->size, sparse_ints(&made[START]), e);
    for (int i = COLUMN; i < PARTS && !rc; i++)
        rc = host_result_new(rt, i == AT ? t : DT_I32, 1,
                             (int64_t[]){sparse_ints(&made[START])[rows->size]}, &made[i], e);
    if (!rc)
        hostcall_csr_select_rows(dtype_size(t), &s.r, which, rows->size, sparse_ints(&made[START]),
                                 sparse_ints(&made[COLUMN]), made[AT].data);
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "rows of a sparse matrix", NULL, out[AT]);
out:
    host_view_release(rt, &row);
    sparse_drop(rt, &s);
    return rc;
}

gpa_code arr_csr_slice_columns(gpa_rt *rt, gpa_arr *const *a, int64_t n, const int64_t *range,
                               gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    sparse_csr s = {0};
    host_result made[PARTS] = {{0}};
    gpa_code rc = GPA_OK;
    if (range[2] < 1) TRY(gpa_fail(e, GPA_E_VALUE, "slice step must be positive"));
    TRY(sparse_get(rt, a, n, &s, e));
    rc = sparse_new(rt, t, s.r.m, s.r.count + 1, made,
                    e); /* one is stored before it is known to be selected */
    if (!rc)
        hostcall_csr_slice_columns(dtype_size(t), &s.r, range[0], range[1], range[2],
                                   sparse_ints(&made[START]), sparse_ints(&made[COLUMN]),
                                   made[AT].data);
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "columns of a sparse matrix", NULL, out[AT]);
out:
    sparse_drop(rt, &s);
    return rc;
}

gpa_code arr_csr_select_columns(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *columns,
                                gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    sparse_csr s = {0};
    host_view chosen = {0};
    host_column_selection p = {0};
    host_result made[PARTS] = {{0}};
    gpa_code rc = GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    TRY(host_view_get_as(rt, columns, DT_I64, &chosen, e));
    TRY(hostcall_column_selection_new(&s.r, (const int64_t *)(const void *)chosen.data,
                                      columns->size, &p, e));
    rc = sparse_new(rt, t, s.r.m, p.count + 1, made,
                    e); /* one is stored before it is known to be selected */
    if (!rc)
        hostcall_csr_select_columns(dtype_size(t), &s.r, &p, sparse_ints(&made[START]),
                                    sparse_ints(&made[COLUMN]), made[AT].data);
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "columns of a sparse matrix", NULL, out[AT]);
out:
    hostcall_column_selection_free(&p);
    host_view_release(rt, &chosen);
    sparse_drop(rt, &s);
    return rc;
}

/* ---- elements ---- */

/* Elements in dtype t; with DT_NONE the indices of their values. */
static gpa_code elements_in(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *rows,
                            gpa_arr *columns, bool ascending, gpa_dtype t, gpa_arr **out,
                            gpa_err *e) {
    sparse_csr s = {0};
    host_view row = {0}, column = {0};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    TRY(host_view_get_as(rt, rows, DT_I64, &row, e));
    TRY(host_view_get_as(rt, columns, DT_I64, &column, e));
    if (rows->size != columns->size) TRY(gpa_fail(e, GPA_E_VALUE, "inconsistent shapes"));
    TRY(host_result_new(rt, t == DT_NONE ? DT_I32 : t, 1, &rows->size, &made, e));
    rc = hostcall_csr_gather(t, &s.r, (const int64_t *)(const void *)row.data,
                             (const int64_t *)(const void *)column.data, rows->size, ascending,
                             made.data, &rt->interrupted, e);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "elements of a sparse matrix", NULL, *out);
out:
    host_view_release(rt, &row);
    host_view_release(rt, &column);
    sparse_drop(rt, &s);
    return rc;
}

gpa_code arr_csr_gather(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *rows, gpa_arr *columns,
                        bool ascending, gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    return hostcall_can_sum(t) ? elements_in(rt, a, n, rows, columns, ascending, t, out, e)
                               : GPA_OK;
}

gpa_code arr_csr_gather_indices(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *rows,
                                gpa_arr *columns, gpa_arr **out, gpa_err *e) {
    return elements_in(rt, a, n, rows, columns, true, DT_NONE, out, e);
}

/* ---- reductions ---- */

/* A reduction to a vector. */
typedef struct {
    enum { DIAGONAL, COLUMN_SUMS, EXTREMES, WHERE } what;
    bool largest;
    int64_t offset; /* of a diagonal */
} asked;

static gpa_code vector_of(gpa_rt *rt, gpa_arr *const *a, int64_t n, asked q, gpa_arr **out,
                          gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    sparse_csr s = {0};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    const int64_t size = q.what == DIAGONAL      ? hostcall_diagonal_size(s.r.m, n, q.offset)
                         : q.what == COLUMN_SUMS ? n
                                                 : s.r.m;
    TRY(host_result_new(rt, q.what == WHERE ? DT_I64 : t, 1, &size, &made, e));
    if (q.what == DIAGONAL)
        hostcall_csr_diagonal(t, &s.r, q.offset, size, made.data);
    else if (q.what == COLUMN_SUMS)
        hostcall_csr_column_sums(t, &s.r, made.data);
    else if (q.what == EXTREMES)
        hostcall_csr_row_minmax(t, &s.r, q.largest, made.data);
    else
        hostcall_csr_row_argminmax(t, &s.r, q.largest, (int64_t *)(void *)made.data);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc)
        explain_call(rt,
                     q.what == DIAGONAL      ? "diagonal of a sparse matrix"
                     : q.what == COLUMN_SUMS ? "sums of sparse columns"
                                             : "extremes of sparse rows",
                     NULL, *out);
out:
    sparse_drop(rt, &s);
    return rc;
}

gpa_code arr_csr_diagonal(gpa_rt *rt, gpa_arr *const *a, int64_t n, int64_t offset, gpa_arr **out,
                          gpa_err *e) {
    return hostcall_can_sum((gpa_dtype)a[AT]->dtype)
               ? vector_of(rt, a, n, (asked){DIAGONAL, false, offset}, out, e)
               : GPA_OK;
}

gpa_code arr_csr_column_sums(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr **out, gpa_err *e) {
    return hostcall_can_sum((gpa_dtype)a[AT]->dtype)
               ? vector_of(rt, a, n, (asked){.what = COLUMN_SUMS}, out, e)
               : GPA_OK;
}

gpa_code arr_csr_row_minmax(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool largest, gpa_arr **out,
                            gpa_err *e) {
    return hostcall_can_compare((gpa_dtype)a[AT]->dtype)
               ? vector_of(rt, a, n, (asked){.what = EXTREMES, .largest = largest}, out, e)
               : GPA_OK;
}

gpa_code arr_csr_row_argminmax(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool largest,
                               gpa_arr **out, gpa_err *e) {
    return hostcall_can_compare((gpa_dtype)a[AT]->dtype)
               ? vector_of(rt, a, n, (asked){.what = WHERE, .largest = largest}, out, e)
               : GPA_OK;
}
