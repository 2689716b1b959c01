/* Sparse matrices by rows or columns, as the host alone treats them: order, unions, products of
 * columns. Reading order: what the files of sparse matrices share, order, unions, products. */
#include "runtime/lib/sparse.h"

#include "runtime/exec/explain.h"

/* ---- what the files of sparse matrices share ---- */

gpa_code sparse_in_order(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e) {
    gpa_arr *cast = NULL;
    gpa_code rc = arr_cast(rt, a, t, false, &cast, e);
    if (!rc && !arr_is_contiguous(cast))
        rc = arr_copy(rt, cast, out, e);
    else if (!rc)
        *out = arr_retain(cast);
    arr_release(rt, cast);
    return rc;
}

/* What is known of n indices. */
static buf_indices look(const host_view *h, int64_t n) {
    gpa_buf *b = h->own || !h->arr->size ? NULL : h->arr->storage->buf;
    buf_indices seen = {
        .n = n, .at = b ? (size_t)(h->data - b->host) : 0, .version = b ? b->version : 0};
    const buf_indices *old = b ? &b->looked : &seen;
    if (b && old->n == n && old->at == seen.at && old->version == seen.version) return *old;
    hostcall_look(sparse_indices(h), n, &seen.most, &seen.rise);
    if (b) b->looked = seen;
    return seen;
}

bool sparse_below(const host_view *index, int64_t n, int64_t limit) {
    return !n || look(index, n).most < limit;
}

bool sparse_start(const host_view *start, int64_t n, int64_t count) {
    const int32_t *at = sparse_indices(start);
    return n > 0 && at[0] == 0 && at[n - 1] == count && look(start, n).rise;
}

gpa_code sparse_check(const host_view *h, const host_rows *r, gpa_err *e) {
    if (sparse_start(&h[SPARSE_START], r->m + 1, r->count) &&
        sparse_below(&h[SPARSE_COLUMN], r->count, r->n))
        return GPA_OK;
    return gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape");
}

gpa_code sparse_get(gpa_rt *rt, gpa_arr *const *parts, int64_t n, sparse_rows *s, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int i = 0; i < SPARSE_PARTS; i++) {
        TRY(sparse_in_order(rt, parts[i], i == SPARSE_AT ? (gpa_dtype)parts[i]->dtype : DT_I32,
                            &s->in[i], e));
        TRY(host_view_get(rt, s->in[i], &s->h[i], e));
    }
    s->r = (host_rows){.m = parts[SPARSE_START]->size - 1,
                       .n = n,
                       .count = parts[SPARSE_COLUMN]->size,
                       .start = sparse_indices(&s->h[SPARSE_START]),
                       .column = sparse_indices(&s->h[SPARSE_COLUMN]),
                       .at = s->h[SPARSE_AT].data};
    if (parts[SPARSE_AT]->size < s->r.count)
        TRY(gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape"));
    TRY(sparse_check(s->h, &s->r, e));
out:
    return rc;
}

void sparse_drop(gpa_rt *rt, sparse_rows *s) {
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
        rc = host_result_new(rt, i == SPARSE_AT ? t : DT_I32, 1,
                             i == SPARSE_START ? &starts : &count, &made[i], e);
    return rc;
}

gpa_code sparse_made(gpa_rt *rt, gpa_code rc, host_result *made, int n, gpa_arr **out, gpa_err *e) {
    for (int i = 0; i < n; i++) {
        if (!rc)
            rc = host_result_finish(rt, &made[i], &out[i], e);
        else if (made[i].arr)
            host_result_discard(rt, &made[i]);
    }
    return rc;
}

/* ---- order ---- */

gpa_code arr_csr_is_canonical(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool *yes, gpa_err *e) {
    sparse_rows s = {0};
    gpa_code rc = sparse_get(rt, a, n, &s, e);
    *yes = !rc && hostcall_rows_ascend(&s.r);
    sparse_drop(rt, &s);
    return rc;
}

gpa_code arr_csr_sort_columns(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool adding, gpa_arr **out,
                              gpa_err *e) {
    enum { START = SPARSE_START, COLUMN = SPARSE_COLUMN, AT = SPARSE_AT, PARTS = SPARSE_PARTS };
    const gpa_dtype t = (gpa_dtype)a[AT]->dtype;
    sparse_rows s = {0};
    host_result made[PARTS] = {{0}};
    gpa_code rc = GPA_OK;
    if (!hostcall_can_add(t)) return GPA_OK;
    TRY(sparse_get(rt, a, n, &s, e));
    rc = sparse_new(rt, t, s.r.m, s.r.count, made, e);
    if (!rc)
        rc = hostcall_rows_ordered(t, &s.r, adding, sparse_ints(&made[START]),
                                   sparse_ints(&made[COLUMN]), made[AT].data, &rt->interrupted, e);
    rc = sparse_made(rt, rc, made, PARTS, out, e);
    if (!rc) explain_call(rt, "order of a sparse matrix", NULL, out[AT]);
out:
    sparse_drop(rt, &s);
    return rc;
}

/* ---- unions ---- */

static const gpa_op united[UNION_COUNT] = {[UNION_ADD] = OP_ADD,
                                           [UNION_SUBTRACT] = OP_SUBTRACT,
                                           [UNION_MULTIPLY] = OP_MULTIPLY,
                                           [UNION_MAXIMUM] = OP_MAXIMUM,
                                           [UNION_MINIMUM] = OP_MINIMUM,
                                           [UNION_LESS] = OP_LESS,
                                           [UNION_NOT_EQUAL] = OP_NOT_EQUAL,
                                           [UNION_GREATER] = OP_GREATER};

gpa_code arr_csr_binary(gpa_rt *rt, gpa_op op, gpa_arr *const *a, gpa_arr *const *b, int64_t n,
                        bool ascending, gpa_arr **out, gpa_err *e) {
    enum { START, COLUMN, IN_A, IN_B, RESULTS };
    const gpa_dtype t = (gpa_dtype)a[SPARSE_AT]->dtype, u = (gpa_dtype)b[SPARSE_AT]->dtype;
    host_union how = UNION_ADD;
    while (how < UNION_COUNT && united[how] != op) how++;
    const bool one = how < UNION_COUNT && t == u && hostcall_can_unite(how, t);
    const gpa_dtype made_in = one && how >= UNION_NOT_EQUAL ? DT_BOOL : t;
    const int results = one ? IN_B : RESULTS;
    sparse_rows x = {0}, y = {0};
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
        rc = hostcall_unite(how, t, &x.r, &y.r, ascending, start, column, made[IN_A].data,
                            &rt->interrupted, e);
    else if (!rc)
        rc = hostcall_union(t, u, &x.r, &y.r, start, column, made[IN_A].data, made[IN_B].data,
                            &rt->interrupted, e);
    rc = sparse_made(rt, rc, made, results, out, e);
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
    gpa_libcall c = {.kind = LIB_SPARSE,
                     .dtype = t,
                     .sparse = {.m = m, .n = x->shape[0], .k = shape[1], .count = a[ROW]->size}};
    host_view h[OPERANDS] = {{0}};
    host_result y = {0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++) {
        TRY(sparse_in_order(rt, given[i], i < AT ? DT_I32 : t, &in[i], e));
        TRY(host_view_get(rt, in[i], &h[i], e));
    }
    const int32_t *line = sparse_indices(&h[LINE]), *row = sparse_indices(&h[ROW]);
    const host_rows turned = {
        .m = a[LINE]->size - 1, .n = m, .count = c.sparse.count, .start = line, .column = row};
    const bool fits = a[AT]->size == c.sparse.count &&
                      (places ? a[LINE]->size == c.sparse.count : turned.m == c.sparse.n);
    if (!fits || (places && !(sparse_below(&h[LINE], c.sparse.count, c.sparse.n) &&
                              sparse_below(&h[ROW], c.sparse.count, m))))
        TRY(gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape"));
    if (!places) TRY(sparse_check(h, &turned, e));
    TRY(host_result_new(rt, t, x->ndim, shape, &y, e));
    rc = hostcall_sparse_columns(&c, places, line, row, h[AT].data, h[X].data, y.data,
                                 &rt->interrupted, e);
    rc = sparse_made(rt, rc, &y, 1, out, e);
    if (!rc) explain_call(rt, "sparse product by columns", NULL, *out);
out:
    for (int i = 0; i < OPERANDS; i++) {
        host_view_release(rt, &h[i]);
        arr_release(rt, in[i]);
    }
    return rc;
}
