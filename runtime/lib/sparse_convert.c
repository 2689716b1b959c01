/* Conversions of sparse matrices, by the host: COO, transpose, dense, diagonals, horizontal stack.
 * Reading order: row indices, transposes, dense matrices, diagonals, stacks. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"
#include "runtime/libcalls.h"

/* ---- row indices ---- */

gpa_code arr_csr_row_indices(gpa_rt *rt, gpa_arr *indptr, int64_t nnz, gpa_arr **out, gpa_err *e) {
    host_view h = {0};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    TRY(host_view_get_as(rt, indptr, DT_I32, &h, e));
    if (!sparse_indptr_valid(&h, indptr->size, nnz)) TRY(sparse_misfit(e));
    TRY(host_result_new(rt, DT_I32, 1, &nnz, &made, e));
    hostcall_csr_row_indices(sparse_indices(&h), indptr->size - 1, sparse_int32(&made));
    TRY(host_result_finish(rt, &made, out, e));
out:
    host_view_release(rt, &h);
    return rc;
}

gpa_code arr_coo_indptr(gpa_rt *rt, gpa_arr *row, gpa_arr *col, int64_t rows, gpa_arr **out,
                        gpa_err *e) {
    const int64_t starts = rows + 1;
    host_view h[2] = {{0}};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    TRY(host_view_get_as(rt, row, DT_I32, &h[0], e));
    TRY(host_view_get_as(rt, col, DT_I32, &h[1], e));
    if (row->size != col->size || !sparse_indices_below(&h[0], row->size, rows))
        TRY(sparse_misfit(e));
    TRY(host_result_new(rt, DT_I32, 1, &starts, &made, e));
    const host_coo entries = {
        .rows = rows, .nnz = row->size, .row = sparse_indices(&h[0]), .col = sparse_indices(&h[1])};
    if (hostcall_coo_indptr(&entries, sparse_int32(&made)))
        TRY(host_result_finish(rt, &made, out, e));
    else
        host_result_discard(rt, &made);
out:
    for (int i = 0; i < 2; i++) host_view_release(rt, &h[i]);
    return rc;
}

/* ---- transposes ---- */

gpa_code arr_csr_transpose(gpa_rt *rt, const arr_csr *a, gpa_arr **out, gpa_err *e) {
    sparse_csr s = {0};
    host_result made[CSR_ARRAYS] = {{0}};
    gpa_code rc = GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    rc = sparse_new(rt, s.r.dtype, s.r.cols, s.r.nnz, made, e);
    const host_csr_out to = sparse_out(made);
    if (!rc) hostcall_csr_transpose(&s.r, &to);
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    if (!rc) explain_call(rt, "sparse transpose", NULL, out[DATA]);
out:
    sparse_close(rt, &s);
    return rc;
}

/* ---- dense matrices ---- */

gpa_code arr_csr_to_dense(gpa_rt *rt, const arr_csr *a, bool transposed, gpa_arr *addend,
                          gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a->data->dtype;
    sparse_csr s = {0};
    host_view other = {0};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    if (!hostcall_can_sum(t)) return GPA_OK;
    TRY(sparse_open(rt, a, &s, e));
    if (addend) TRY(host_view_get_as(rt, addend, t, &other, e));
    const int64_t shape[2] = {transposed ? s.r.cols : s.r.rows, transposed ? s.r.rows : s.r.cols};
    if (addend &&
        (addend->ndim != 2 || addend->shape[0] != shape[0] || addend->shape[1] != shape[1]))
        TRY(gpa_fail(e, GPA_E_VALUE, "inconsistent shapes"));
    TRY(host_result_new(rt, t, 2, shape, &made, e));
    const size_t size = (size_t)(shape[0] * shape[1]) * dtype_size(t);
    if (addend && size)
        memcpy(made.data, other.data, size);
    else
        memset(made.data, 0, size);
    hostcall_csr_add_to_dense(&s.r, transposed, made.data);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "dense matrix of a sparse one", NULL, *out);
out:
    host_view_release(rt, &other);
    sparse_close(rt, &s);
    return rc;
}

gpa_code arr_coo_to_dense(gpa_rt *rt, gpa_arr *const *coo, int64_t rows, int64_t cols,
                          gpa_arr **out, gpa_err *e) {
    enum { ROW, COL, VALUES, COO_ARRAYS };
    const gpa_dtype t = (gpa_dtype)coo[VALUES]->dtype;
    const int64_t nnz = coo[VALUES]->size, shape[2] = {rows, cols};
    host_view h[COO_ARRAYS] = {{0}};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    if (!hostcall_can_sum(t)) return GPA_OK;
    for (int i = 0; i < COO_ARRAYS; i++)
        TRY(host_view_get_as(rt, coo[i], i == VALUES ? t : DT_I32, &h[i], e));
    if (coo[ROW]->size != nnz || coo[COL]->size != nnz ||
        !sparse_indices_below(&h[ROW], nnz, rows) || !sparse_indices_below(&h[COL], nnz, cols))
        TRY(sparse_misfit(e));
    TRY(host_result_new(rt, t, 2, shape, &made, e));
    hostcall_coo_to_dense(&(host_coo){.dtype = t,
                                      .rows = rows,
                                      .cols = cols,
                                      .nnz = nnz,
                                      .row = sparse_indices(&h[ROW]),
                                      .col = sparse_indices(&h[COL]),
                                      .data = h[VALUES].data},
                          made.data);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "dense matrix of a sparse one", NULL, *out);
out:
    for (int i = 0; i < COO_ARRAYS; i++) host_view_release(rt, &h[i]);
    return rc;
}

/* ---- diagonals ---- */

/* The layout of the values of diagonals. */
typedef enum {
    FLAT,   /* one diagonal after the other */
    ROWS,   /* 2-d, a row each */
    COLUMNS /* the same in Fortran order, read as its transpose: a column each */
} dia_layout;

/* Computes first[d], where the values of diagonal d begin, and checks that all fit; *nnz: how many
 * are in the matrix. GPA_E_VALUE. */
static gpa_code locate_diagonals(const host_dia *a, dia_layout layout, const gpa_arr *values,
                                 int64_t *first, int64_t *nnz, gpa_err *e) {
    const int64_t *offset = a->offsets;
    *nnz = 0;
    if (layout != FLAT && values->shape[0] != a->count) return sparse_misfit(e);
    for (int64_t d = 0; d < a->count; d++) {
        const int64_t size = hostcall_diagonal_size(a->rows, a->cols, offset[d]),
                      from = MAX(offset[d], 0);
        if (d && offset[d - 1] >= offset[d]) return sparse_misfit(e);
        if (layout != FLAT && (size == 0 || from + size > values->shape[1]))
            return sparse_misfit(e);
        first[d] = layout == FLAT   ? *nnz
                   : layout == ROWS ? d * values->shape[1] + from
                                    : d + from * a->count;
        *nnz += size;
    }
    if (layout == FLAT && *nnz != values->size) return sparse_misfit(e);
    return *nnz > INT32_MAX ? hostcall_too_many_values(e) : GPA_OK;
}

gpa_code arr_dia_to_csr(gpa_rt *rt, const arr_dia *a, gpa_arr **out, gpa_err *e) {
    gpa_arr *values = a->data, *transposed = NULL;
    const gpa_dtype t = (gpa_dtype)values->dtype;
    const int64_t count = a->offsets->size;
    const dia_layout layout = values->ndim != 2                                           ? FLAT
                              : !arr_is_contiguous(values) && arr_is_f_contiguous(values) ? COLUMNS
                                                                                          : ROWS;
    host_view h[2] = {{0}};
    host_result made[CSR_ARRAYS] = {{0}};
    int64_t *first = mem_new((size_t)(count + 1) * sizeof *first), nnz = 0;
    uint8_t *mask = mem_new((size_t)MAX(count, DIA_CHUNK));
    gpa_code rc = GPA_OK;
    if (!first || !mask) TRY(gpa_no_memory(e));
    if (layout == COLUMNS) TRY(arr_transpose(rt, values, NULL, &transposed, e));
    TRY(host_view_get_as(rt, transposed ? transposed : values, t, &h[0], e));
    TRY(host_view_get_as(rt, a->offsets, DT_I64, &h[1], e));
    const host_dia diagonals = {.dtype = t,
                                .rows = a->rows,
                                .cols = a->cols,
                                .count = count,
                                .offsets = sparse_int64(&h[1]),
                                .first = first,
                                .data = h[0].data,
                                .step = layout == COLUMNS ? count : 1};
    TRY(locate_diagonals(&diagonals, layout, values, first, &nnz, e));
    rc = sparse_new(rt, t, a->rows, nnz, made, e);
    const host_csr_out to = sparse_out(made);
    if (!rc) hostcall_dia_to_csr(&diagonals, mask, &to);
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    if (!rc) explain_call(rt, "sparse matrix of diagonals", NULL, out[DATA]);
out:
    for (int i = 0; i < 2; i++) host_view_release(rt, &h[i]);
    arr_release(rt, transposed);
    mem_free(mask);
    mem_free(first);
    return rc;
}

/* ---- stacks ---- */

gpa_code arr_csr_hstack(gpa_rt *rt, const arr_csr *blocks, int64_t count, gpa_arr **out,
                        gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)blocks[0].data->dtype;
    sparse_csr *s = mem_zero((size_t)count * sizeof *s);
    host_csr *matrix = mem_new((size_t)count * sizeof *matrix);
    host_result made[CSR_ARRAYS] = {{0}};
    int64_t nnz = 0, cols = 0;
    gpa_code rc = GPA_OK;
    if (!s || !matrix) TRY(gpa_no_memory(e));
    for (int64_t b = 0; b < count; b++) {
        TRY(sparse_open(rt, &blocks[b], &s[b], e));
        matrix[b] = s[b].r;
        nnz += matrix[b].nnz;
        cols += matrix[b].cols;
        if (matrix[b].rows != matrix[0].rows || matrix[b].dtype != t) TRY(sparse_misfit(e));
    }
    if (nnz > INT32_MAX || cols > INT32_MAX) TRY(hostcall_too_many_values(e));
    rc = sparse_new(rt, t, matrix[0].rows, nnz, made, e);
    const host_csr_out to = sparse_out(made);
    if (!rc) hostcall_csr_hstack(matrix, count, &to);
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    if (!rc) explain_call(rt, "horizontal stack of sparse matrices", NULL, out[DATA]);
out:
    for (int64_t b = 0; s && b < count; b++) sparse_close(rt, &s[b]);
    mem_free(s);
    mem_free(matrix);
    return rc;
}
