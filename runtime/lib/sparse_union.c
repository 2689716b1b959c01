/* Sparse matrices by rows or columns, as the host alone treats them: order, unions, products of
 * columns. Reading order: what the files of sparse matrices share, order, unions, products. */
#include "runtime/lib/sparse.h"

#include "runtime/exec/explain.h"

/* ---- what the files of sparse matrices share ---- */

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
static buf_indices look(const host_dense *h, int64_t n) {
    gpa_buf *b = h->own || !h->arr->size ? NULL : h->arr->storage->buf;
    buf_indices seen = {
        .n = n, .at = b ? (size_t)(h->data - b->host) : 0, .version = b ? b->version : 0};
    const buf_indices *old = b ? &b->looked : &seen;
    if (b && old->n == n && old->at == seen.at && old->version == seen.version) return *old;
    hostcall_index_range(sparse_indices(h), n, &seen.most, &seen.rise);
    if (b) b->looked = seen;
    return seen;
}

bool sparse_indices_below(const host_dense *index, int64_t n, int64_t limit) {
    return !n || look(index, n).most < limit;
}

bool sparse_starts_valid(const host_dense *start, int64_t n, int64_t count) {
    const int32_t *at = sparse_indices(start);
    return n > 0 && at[0] == 0 && at[n - 1] == count && look(start, n).rise;
}

gpa_code sparse_check(const host_dense *h, const host_csr *r, gpa_err *e) {
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
        TRY(host_get(rt, s->in[i], &s->h[i], e));
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
        host_drop(rt, &s->h[i]);
        arr_release(rt, s->in[i]);
    }
}

gpa_code sparse_new(gpa_rt *rt, gpa_dtype t, int64_t lines, int64_t count, host_new_array *made,
                    gpa_err *e) {
    const int64_t starts = lines + 1;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < SPARSE_PARTS && !rc; i++)
        rc = host_new(rt, i == SPARSE_VALUES ? t : DT_I32, 1, i == SPARSE_START ? &starts : &count,
                      &made[i], e);
    return rc;
}

gpa_code sparse_finish(gpa_rt *rt, gpa_code rc, host_new_array *made, int n, gpa_arr **out,
                       gpa_err *e) {
    for (int i = 0; i < n; i++) {
        if (!rc)
            rc = host_made(rt, &made[i], &out[i], e);
        else if (made[i].arr)
            host_unmade(rt, &made[i]);
    }
    return rc;
}

/* ---- order ---- */

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
    host_new_array made[PARTS] = {{0}};
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
    host_new_array made[RESULTS] = {{0}};
    gpa_code rc = GPA_OK;
    if (!one && !ascending) return GPA_OK;
    TRY(sparse_get(rt, a, n, &x, e));
    TRY(sparse_get(rt, b, n, &y, e));
    if (x.r.m != y.r.m) TRY(gpa_fail(e, GPA_E_VALUE, "inconsistent shapes"));
    const int64_t most = x.r.count + y.r.count;
    for (int i = 0; i < results && !rc; i++)
        rc = host_new(rt,
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
    gpa_libcall c = {.kind = LIB_SPMM,
                     .dtype = t,
                     .sparse = {.m = m, .n = x->shape[0], .k = shape[1], .count = a[ROW]->size}};
    host_dense h[OPERANDS] = {{0}};
    host_new_array y = {0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++) {
        TRY(sparse_contiguous(rt, given[i], i < AT ? DT_I32 : t, &in[i], e));
        TRY(host_get(rt, in[i], &h[i], e));
    }
    const int32_t *line = sparse_indices(&h[LINE]), *row = sparse_indices(&h[ROW]);
    const host_csr turned = {
        .m = a[LINE]->size - 1, .n = m, .count = c.sparse.count, .start = line, .column = row};
    const bool fits = a[AT]->size == c.sparse.count &&
                      (places ? a[LINE]->size == c.sparse.count : turned.m == c.sparse.n);
    if (!fits || (places && !(sparse_indices_below(&h[LINE], c.sparse.count, c.sparse.n) &&
                              sparse_indices_below(&h[ROW], c.sparse.count, m))))
        TRY(gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape"));
    if (!places) TRY(sparse_check(h, &turned, e));
    TRY(host_new(rt, t, x->ndim, shape, &y, e));
    rc = hostcall_spmm_csc(&c, places, line, row, h[AT].data, h[X].data, y.data, &rt->interrupted,
                           e);
    rc = sparse_finish(rt, rc, &y, 1, out, e);
    if (!rc) explain_call(rt, "sparse product by columns", NULL, *out);
out:
    for (int i = 0; i < OPERANDS; i++) {
        host_drop(rt, &h[i]);
        arr_release(rt, in[i]);
    }
    return rc;
}
