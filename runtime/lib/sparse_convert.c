/* Conversions of sparse matrices, by the host: COO, transpose, dense, diagonals, horizontal stack.
 * Reading order: row indices, transposes, dense matrices, diagonals, stacks. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"

enum { START = SPARSE_START, COLUMN = SPARSE_COLUMN, AT = SPARSE_VALUES, PARTS = SPARSE_PARTS };

static const char misfit[] = "the indices of a sparse matrix do not fit its shape";

/* ---- row indices ---- */

gpa_code arr_csr_row_indices(gpa_rt *rt, gpa_arr *start, int64_t count, gpa_arr **out, gpa_err *e) {
    host_view h = {0};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    TRY(host_view_get_as(rt, start, DT_I32, &h, e));
    if (!sparse_starts_valid(&h, start->size, count)) TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    TRY(host_result_new(rt, DT_I32, 1, &count, &made, e));
    hostcall_csr_row_indices(sparse_indices(&h), start->size - 1, sparse_ints(&made));
    TRY(host_result_finish(rt, &made, out, e));
out:
    host_view_release(rt, &h);
    return rc;
}

gpa_code arr_coo_row_starts(gpa_rt *rt, gpa_arr *line, gpa_arr *other, int64_t lines, gpa_arr **out,
                            gpa_err *e) {
    const int64_t starts = lines + 1;
    host_view h[2] = {{0}};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    TRY(host_view_get_as(rt, line, DT_I32, &h[0], e));
    TRY(host_view_get_as(rt, other, DT_I32, &h[1], e));
    if (line->size != other->size || !sparse_indices_below(&h[0], line->size, lines))
        TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    TRY(host_result_new(rt, DT_I32, 1, &starts, &made, e));
    if (hostcall_coo_row_starts(sparse_indices(&h[0]), sparse_indices(&h[1]), line->size, lines,
                                sparse_ints(&made)))
        TRY(host_result_finish(rt, &made, out, e));
    else
        host_result_discard(rt, &made);
out:
    for (int i = 0; i < 2; i++) host_view_release(rt, &h[i]);
    return rc;
}

/* ---- transposes ---- */

gpa_code arr_csr_transpose(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    sparse_csr s = {0};
    host_result made[PARTS] = {{0}};
    gpa_code rc = GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    rc = sparse_new(rt, t, n, s.r.count, made, e);
    if (!rc)
        hostcall_csr_transpose(dtype_size(t), &s.r, sparse_ints(&made[START]),
                               sparse_ints(&made[COLUMN]), made[AT].data);
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "sparse transpose", NULL, out[AT]);
out:
    sparse_drop(rt, &s);
    return rc;
}

/* ---- dense matrices ---- */

gpa_code arr_csr_to_dense(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool turned, gpa_arr *added,
                          gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    sparse_csr s = {0};
    host_view other = {0};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    if (!hostcall_can_sum(t)) return GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    if (added) TRY(host_view_get_as(rt, added, t, &other, e));
    const int64_t shape[2] = {turned ? n : s.r.m, turned ? s.r.m : n};
    if (added && (added->ndim != 2 || added->shape[0] != shape[0] || added->shape[1] != shape[1]))
        TRY(gpa_fail(e, GPA_E_VALUE, "inconsistent shapes"));
    TRY(host_result_new(rt, t, 2, shape, &made, e));
    const size_t size = (size_t)(shape[0] * shape[1]) * dtype_size(t);
    if (added && size)
        memcpy(made.data, other.data, size);
    else
        memset(made.data, 0, size);
    hostcall_csr_add_to_dense(t, &s.r, turned, made.data);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "dense matrix of a sparse one", NULL, *out);
out:
    host_view_release(rt, &other);
    sparse_drop(rt, &s);
    return rc;
}

gpa_code arr_coo_to_dense(gpa_rt *rt, gpa_arr *const *a, int64_t m, int64_t n, gpa_arr **out,
                          gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    const int64_t count = a[AT]->size, shape[2] = {m, n};
    host_view h[PARTS] = {{0}};
    host_result made = {0};
    gpa_code rc = GPA_OK;
    if (!hostcall_can_sum(t)) return GPA_OK;
    for (int i = 0; i < PARTS; i++) TRY(host_view_get_as(rt, a[i], i == AT ? t : DT_I32, &h[i], e));
    if (a[0]->size != count || a[1]->size != count || !sparse_indices_below(&h[0], count, m) ||
        !sparse_indices_below(&h[1], count, n))
        TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    TRY(host_result_new(rt, t, 2, shape, &made, e));
    hostcall_coo_add_to_dense(t, sparse_indices(&h[0]), sparse_indices(&h[1]), h[AT].data, count, m,
                              n, made.data);
    rc = sparse_finish(rt, rc, &made, 1, out, e);
    if (!rc) explain_call(rt, "dense matrix of a sparse one", NULL, *out);
out:
    for (int i = 0; i < PARTS; i++) host_view_release(rt, &h[i]);
    return rc;
}

/* ---- diagonals ---- */

gpa_code arr_dia_to_csr(gpa_rt *rt, gpa_arr *values, gpa_arr *offsets, int64_t m, int64_t n,
                        gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)values->dtype;
    const int64_t count = offsets->size;
    host_view h[2] = {{0}};
    host_result made[PARTS] = {{0}};
    int64_t *first = mem_new((size_t)(count + 1) * sizeof *first), all = 0;
    uint8_t *on = mem_new((size_t)MAX(count, DIA_CHUNK));
    gpa_arr *lines = NULL;
    const bool table = values->ndim == 2,
               across = table && !arr_is_contiguous(values) && arr_is_f_contiguous(values);
    gpa_code rc = GPA_OK;
    if (!first || !on) TRY(gpa_no_memory(e));
    if (across)
        TRY(arr_transpose(rt, values, NULL, &lines,
                          e)); /* read in memory order, across the diagonals */
    TRY(host_view_get_as(rt, across ? lines : values, t, &h[0], e));
    TRY(host_view_get_as(rt, offsets, DT_I64, &h[1], e));
    const int64_t *offset = (const int64_t *)(const void *)h[1].data;
    if (table && values->shape[0] != count) TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    for (int64_t d = 0; d < count; d++) {
        int64_t size = hostcall_diagonal_size(m, n, offset[d]), from = MAX(offset[d], 0);
        if (d && offset[d - 1] >= offset[d]) TRY(gpa_fail(e, GPA_E_VALUE, misfit));
        if (table && (size == 0 || from + size > values->shape[1]))
            TRY(gpa_fail(e, GPA_E_VALUE, misfit));
        first[d] = across ? d + from * count : table ? d * values->shape[1] + from : all;
        all += size;
    }
    if (!table && all != values->size) TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    if (all > INT32_MAX) TRY(hostcall_too_many_values(e));
    rc = sparse_new(rt, t, m, all, made, e);
    if (!rc)
        hostcall_dia_to_csr(t, m, n, offset, first, count, h[0].data, across ? count : 1, on,
                            sparse_ints(&made[START]), sparse_ints(&made[COLUMN]), made[AT].data);
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "sparse matrix of diagonals", NULL, out[AT]);
out:
    for (int i = 0; i < 2; i++) host_view_release(rt, &h[i]);
    arr_release(rt, lines);
    mem_free(on);
    mem_free(first);
    return rc;
}

/* ---- stacks ---- */

gpa_code arr_csr_hstack(gpa_rt *rt, gpa_arr *const *parts, const int64_t *n, int64_t blocks,
                        gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)parts[AT]->dtype;
    sparse_csr *s = mem_zero((size_t)blocks * sizeof *s);
    host_csr *rows = mem_new((size_t)blocks * sizeof *rows);
    host_result made[PARTS] = {{0}};
    int64_t all = 0, columns = 0;
    gpa_code rc = GPA_OK;
    if (!s || !rows) TRY(gpa_no_memory(e));
    for (int64_t b = 0; b < blocks; b++) {
        TRY(sparse_get(rt, parts + b * PARTS, n[b], &s[b], e));
        rows[b] = s[b].r;
        all += rows[b].count;
        columns += n[b];
        if (rows[b].m != rows[0].m || s[b].in[AT]->dtype != t)
            TRY(gpa_fail(e, GPA_E_VALUE, misfit));
    }
    if (all > INT32_MAX || columns > INT32_MAX) TRY(hostcall_too_many_values(e));
    rc = sparse_new(rt, t, rows[0].m, all, made, e);
    if (!rc)
        hostcall_csr_hstack(dtype_size(t), rows, blocks, sparse_ints(&made[START]),
                            sparse_ints(&made[COLUMN]), made[AT].data);
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "sparse matrices side by side", NULL, out[AT]);
out:
    for (int64_t b = 0; s && b < blocks; b++) sparse_drop(rt, &s[b]);
    mem_free(s);
    mem_free(rows);
    return rc;
}
