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
static buf_indices look(const host_view *h, int64_t n) {
    gpa_buf *b = h->own || !h->arr->size ? NULL : h->arr->storage->buf;
    buf_indices seen = {
        .n = n, .at = b ? (size_t)(h->data - b->host) : 0, .version = b ? b->version : 0};
    const buf_indices *old = b ? &b->looked : &seen;
    if (b && old->n == n && old->at == seen.at && old->version == seen.version) return *old;
    hostcall_index_range(sparse_indices(h), n, &seen.most, &seen.rise);
    if (b) b->looked = seen;
    return seen;
}

bool sparse_indices_below(const host_view *index, int64_t n, int64_t limit) {
    return !n || look(index, n).most < limit;
}

bool sparse_starts_valid(const host_view *start, int64_t n, int64_t count) {
    const int32_t *at = sparse_indices(start);
    return n > 0 && at[0] == 0 && at[n - 1] == count && look(start, n).rise;
}

gpa_code sparse_check(const host_view *h, const host_csr *r, gpa_err *e) {
    if (sparse_starts_valid(&h[SPARSE_START], r->m + 1, r->count) &&
        sparse_indices_below(&h[SPARSE_COLUMN], r->count, r->n))
        return GPA_OK;
    return gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape");
}

gpa_code sparse_get(gpa_rt *rt, gpa_arr *const *parts, int64_t n, sparse_csr *s, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int i = 0; i < SPARSE_PARTS; i++) {
        TRY(sparse_contiguous(
            rt, parts[i], i == SPARSE_VALUES ? (gpa_dtype)parts[i]->dtype : DT_I32, &s->in[i], e));
        TRY(host_view_get(rt, s->in[i], &s->h[i], e));
    }
    s->r = (host_csr){.m = parts[SPARSE_START]->size - 1,
                      .n = n,
                      .count = parts[SPARSE_COLUMN]->size,
                      .start = sparse_indices(&s->h[SPARSE_START]),
                      .column = sparse_indices(&s->h[SPARSE_COLUMN]),
                      .at = s->h[SPARSE_VALUES].data};
    if (parts[SPARSE_VALUES]->size < s->r.count)
        TRY(gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape"));
    TRY(sparse_check(s->h, &s->r, e));
out:
    return rc;
}

void sparse_drop(gpa_rt *rt, sparse_csr *s) {
    for (int i = 0; i < SPARSE_PARTS; i++) {
        host_view_release(rt, &s->h[i]);
        arr_release(rt, s->in[i]);
    }
}

gpa_code sparse_new(gpa_rt *rt, gpa_dtype t, int64_t lines, int64_t count, host_result *made,
                    gpa_err *e) {
    const int64_t starts = lines + 1;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < SPARSE_PARTS && !rc; i++)
        rc = host_result_new(rt, i == SPARSE_VALUES ? t : DT_I32, 1,
                             i == SPARSE_START ? &starts : &count, &made[i], e);
    return rc;
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
