/* CSR operands of sparse matrix functions: sparse_operand.h. */
#include "runtime/lib/sparse_operand.h"

gpa_code sparse_contiguous(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e) {
    gpa_arr *cast = NULL;
    gpa_code rc = arr_cast(rt, a, t, false, &cast, e);
    if (!rc && !arr_is_contiguous(cast))
        rc = arr_copy(rt, cast, out, e);
    else if (!rc)
        *out = arr_retain(cast);
    arr_release(rt, cast);
    return rc;
}

/* Maximum and monotonicity of n indices, cached in the buffer until it is written. */
static buf_indices index_range(const host_view *h, int64_t n) {
    gpa_buf *b = h->own || !h->arr->size ? NULL : h->arr->storage->buf;
    buf_indices range = {
        .n = n, .at = b ? (size_t)(h->data - b->host) : 0, .version = b ? b->version : 0};
    const buf_indices *cached = b ? &b->index_facts : &range;
    if (b && cached->n == n && cached->at == range.at && cached->version == range.version)
        return *cached;
    hostcall_index_range(sparse_indices(h), n, &range.max, &range.ascending);
    if (b) b->index_facts = range;
    return range;
}

bool sparse_indices_below(const host_view *index, int64_t n, int64_t limit) {
    return !n || index_range(index, n).max < limit;
}

bool sparse_indptr_valid(const host_view *indptr, int64_t n, int64_t nnz) {
    const int32_t *at = sparse_indices(indptr);
    return n > 0 && at[0] == 0 && at[n - 1] == nnz && index_range(indptr, n).ascending;
}

gpa_code sparse_misfit(gpa_err *e) {
    return gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape");
}

gpa_code sparse_check(const host_view *h, int64_t rows, int64_t cols, int64_t nnz, gpa_err *e) {
    return sparse_indptr_valid(&h[INDPTR], rows + 1, nnz) &&
                   sparse_indices_below(&h[INDICES], nnz, cols)
               ? GPA_OK
               : sparse_misfit(e);
}

gpa_code sparse_open(gpa_rt *rt, const arr_csr *a, sparse_csr *s, gpa_err *e) {
    gpa_arr *const given[CSR_ARRAYS] = {a->indptr, a->indices, a->data};
    const gpa_dtype t = (gpa_dtype)a->data->dtype;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < CSR_ARRAYS; i++) {
        TRY(sparse_contiguous(rt, given[i], i == DATA ? t : DT_I32, &s->in[i], e));
        TRY(host_view_get(rt, s->in[i], &s->h[i], e));
    }
    s->r = (host_csr){.dtype = t,
                      .canonical = a->canonical,
                      .rows = a->indptr->size - 1,
                      .cols = a->cols,
                      .nnz = a->indices->size,
                      .indptr = sparse_indices(&s->h[INDPTR]),
                      .indices = sparse_indices(&s->h[INDICES]),
                      .data = s->h[DATA].data};
    if (a->data->size < s->r.nnz) TRY(sparse_misfit(e));
    TRY(sparse_check(s->h, s->r.rows, s->r.cols, s->r.nnz, e));
out:
    return rc;
}

void sparse_close(gpa_rt *rt, sparse_csr *s) {
    for (int i = 0; i < CSR_ARRAYS; i++) {
        host_view_release(rt, &s->h[i]);
        arr_release(rt, s->in[i]);
    }
}

gpa_code sparse_new(gpa_rt *rt, gpa_dtype t, int64_t rows, int64_t nnz, host_result *made,
                    gpa_err *e) {
    const int64_t starts = rows + 1;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < CSR_ARRAYS && !rc; i++)
        rc = host_result_new(rt, i == DATA ? t : DT_I32, 1, i == INDPTR ? &starts : &nnz, &made[i],
                             e);
    return rc;
}

host_csr_out sparse_out(const host_result *made) {
    return (host_csr_out){sparse_int32(&made[INDPTR]), sparse_int32(&made[INDICES]),
                          made[DATA].data};
}

gpa_code sparse_finish(gpa_rt *rt, gpa_code rc, host_result *made, int n, gpa_arr **out,
                       gpa_err *e) {
    for (int i = 0; i < n; i++) {
        if (!rc)
            rc = host_result_finish(rt, &made[i], &out[i], e);
        else if (made[i].arr)
            host_result_discard(rt, &made[i]);
    }
    return rc;
}
