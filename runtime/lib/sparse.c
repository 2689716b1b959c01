/* Sparse matrix products (CSR by dense, CSR by CSR) and transposes, by the library of the device or
 * the host. Reading order: binding operands, products, products of two, transposes. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"

/* The arrays of a matrix, in the order of the bindings of a call; and the dense operand. */
enum {
    START = SPARSE_START,
    COLUMN = SPARSE_COLUMN,
    AT = SPARSE_VALUES,
    PARTS = SPARSE_PARTS,
    X = PARTS,
    OPERANDS
};

/* ---- binding operands ---- */

static void bind(gpa_binding *b, const gpa_arr *a) {
    *b = (gpa_binding){.mem = a->storage->buf->mem, .offset = a->offset};
}

/* Computes n arrays and copies them to the device of the last one. */
static gpa_code together(gpa_rt *rt, gpa_arr **in, int n, gpa_device **d, gpa_err *e) {
    gpa_code rc = arr_eval(rt, in, n, e);
    if (!rc) *d = in[n - 1]->storage->buf->device;
    for (int i = 0; i < n - 1 && !rc; i++) rc = arr_bring_to_device(rt, *d, &in[i], e);
    return rc;
}

static void release_all(gpa_rt *rt, gpa_arr *const *in, int n) {
    for (int i = 0; i < n; i++) arr_release(rt, in[i]);
}

/* ---- products ---- */

/* Validates starts and columns in host memory: GPA_E_VALUE. */
static gpa_code look(gpa_rt *rt, const gpa_libcall *c, gpa_arr *const *in, gpa_err *e) {
    host_view h[AT] = {{0}};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < AT; i++) TRY(host_view_get(rt, in[i], &h[i], e));
    TRY(sparse_check(
        h, &(host_csr){.m = c->spmm.a.rows, .n = c->spmm.a.cols, .count = c->spmm.a.nnz}, e));
out:
    for (int i = 0; i < AT; i++) host_view_release(rt, &h[i]);
    return rc;
}

static gpa_code on_host(gpa_rt *rt, const gpa_libcall *c, gpa_arr *const *in, const int64_t *shape,
                        int ndim, gpa_arr **out, gpa_err *e) {
    host_view h[OPERANDS] = {{0}};
    host_result y = {0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++) TRY(host_view_get(rt, in[i], &h[i], e));
    TRY(host_result_new(rt, c->dtype, ndim, shape, &y, e));
    rc = hostcall_run(c,
                      &(host_operands){.in = {h[START].data, h[COLUMN].data, h[AT].data, h[X].data},
                                       .out = {y.data}},
                      &rt->interrupted, e);
    if (rc)
        host_result_discard(rt, &y);
    else
        TRY(host_result_finish(rt, &y, out, e));
out:
    for (int i = 0; i < OPERANDS; i++) host_view_release(rt, &h[i]);
    return rc;
}

gpa_code arr_spmm(gpa_rt *rt, gpa_arr *start, gpa_arr *column, gpa_arr *at, gpa_arr *x,
                  gpa_arr **out, gpa_err *e) {
    gpa_arr *given[OPERANDS] = {start, column, at, x}, *in[OPERANDS] = {NULL}, *y = NULL;
    gpa_dtype t = dtype_promote((gpa_dtype)at->dtype, (gpa_dtype)x->dtype);
    int64_t shape[2] = {start->size - 1, x->ndim > 1 ? x->shape[1] : 1};
    gpa_libcall c = {
        .kind = LIB_SPMM,
        .dtype = t,
        .spmm = {.a = {.rows = shape[0], .cols = x->shape[0], .nnz = column->size}, .k = shape[1]}};
    device_scope stay = device_scope_enter(rt, &at, 1); /* on the device of the values */
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++)
        TRY(sparse_contiguous(rt, given[i], i < AT ? DT_I32 : t, &in[i], e));
    if (!shape[0] || !shape[1] || !c.spmm.a.nnz) {
        TRY(arr_full(rt, &(arr_spec){t, x->ndim, shape}, (gpa_val){.bits = {0, 0}}, out, e));
        goto out;
    }
    TRY(arr_eval(rt, in, OPERANDS, e));
    gpa_device *d = in[AT]->storage->buf->device;
    for (int i = 0; i < OPERANDS; i++) TRY(arr_bring_to_device(rt, d, &in[i], e));
    const bool library = library_can(d, &c);
    if (!library || d->caps.host_visible) TRY(look(rt, &c, in, e));
    if (library) {
        TRY(arr_empty(rt, &(arr_spec){t, x->ndim, shape}, &y, e));
        bind(&c.spmm.a.indptr, in[START]);
        bind(&c.spmm.a.indices, in[COLUMN]);
        bind(&c.spmm.a.data, in[AT]);
        bind(&c.spmm.x, in[X]);
        bind(&c.spmm.y, y);
        TRY(library_run(rt, d, &c, e));
        explain_call(rt, library_names[LIB_SPMM], d, y);
        *out = arr_retain(y);
        goto out;
    }
    TRY(on_host(rt, &c, in, shape, x->ndim, out, e));
    explain_call(rt, library_names[LIB_SPMM], NULL, *out);
out:
    release_all(rt, in, OPERANDS);
    arr_release(rt, y);
    device_scope_leave(rt, stay);
    return rc;
}

/* ---- sparse by sparse products ---- */

enum { FEW_PRODUCTS = 1 << 18 }; /* allocated at this bound, without the symbolic pass */

static gpa_code spgemm_on_host(gpa_rt *rt, const gpa_libcall *c, gpa_arr *const *in, gpa_arr **out,
                               gpa_err *e) {
    sparse_csr a = {0}, b = {0};
    host_result made[PARTS] = {{0}};
    int64_t most = 0;
    gpa_code rc = GPA_OK;
    TRY(sparse_get(rt, in, c->spgemm.a.cols, &a, e));
    TRY(sparse_get(rt, in + PARTS, c->spgemm.b.cols, &b, e));
    TRY(host_result_new(rt, DT_I32, 1, (int64_t[]){a.r.m + 1}, &made[START], e));
    most = hostcall_spgemm_products(&a.r, &b.r);
    if (most > FEW_PRODUCTS) {
        rc = hostcall_spgemm_row_starts(&a.r, &b.r, sparse_ints(&made[START]), &rt->interrupted, e);
        most = rc ? 0 : sparse_ints(&made[START])[a.r.m];
    }
    for (int i = COLUMN; i < PARTS && !rc; i++)
        rc = host_result_new(rt, i == AT ? c->dtype : DT_I32, 1, &most, &made[i], e);
    if (!rc)
        rc = hostcall_spgemm(c->dtype, &a.r, &b.r, sparse_ints(&made[START]),
                             sparse_ints(&made[COLUMN]), made[AT].data, &rt->interrupted, e);
    const int64_t there = rc ? 0 : sparse_ints(&made[START])[a.r.m];
    rc = sparse_finish(rt, rc, made, PARTS, out, e);
    for (int i = COLUMN; i < PARTS && !rc && there < most; i++) arr_truncate(rt, out[i], there);
out:
    sparse_drop(rt, &a);
    sparse_drop(rt, &b);
    return rc;
}

/* The result of a library's product. */
typedef struct {
    gpa_rt *rt;
    gpa_dtype dtype;
    gpa_arr **part; /* columns and values are allocated by the call */
} product;

static gpa_code make_product(void *owner, int64_t count, gpa_binding *column, gpa_binding *at,
                             gpa_err *e) {
    const product *p = owner;
    gpa_code rc = GPA_OK;
    for (int i = COLUMN; i < PARTS && !rc; i++) {
        arr_release(p->rt, p->part[i]); /* of a call that is retried */
        p->part[i] = NULL;
        rc = arr_empty(p->rt, &(arr_spec){i == AT ? p->dtype : DT_I32, 1, &count}, &p->part[i], e);
        if (!rc && count) bind(i == AT ? at : column, p->part[i]);
    }
    return rc;
}

gpa_code arr_spgemm(gpa_rt *rt, gpa_arr *const *a, gpa_arr *const *b, int64_t n, gpa_arr **out,
                    gpa_err *e) {
    gpa_arr *in[2 * PARTS] = {NULL}, *part[PARTS] = {NULL};
    const gpa_dtype t = dtype_promote((gpa_dtype)a[AT]->dtype, (gpa_dtype)b[AT]->dtype);
    const int64_t m = a[START]->size - 1, l = b[START]->size - 1, starts = m + 1, none = 0;
    product p = {rt, t, part};
    gpa_libcall c = {.kind = LIB_SPGEMM,
                     .dtype = t,
                     .spgemm = {.a = {m, l, a[COLUMN]->size, {0}, {0}, {0}},
                                .b = {l, n, b[COLUMN]->size, {0}, {0}, {0}}}};
    c.spgemm.allocate = make_product;
    c.spgemm.owner = &p;
    gpa_arr *first = a[AT];
    device_scope stay = device_scope_enter(rt, &first, 1); /* on the device of the values */
    gpa_device *d = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 2 * PARTS; i++)
        TRY(sparse_contiguous(rt, i < PARTS ? a[i] : b[i - PARTS], i % PARTS == AT ? t : DT_I32,
                              &in[i], e));
    if (!m || !c.spgemm.a.nnz || !c.spgemm.b.nnz) {
        TRY(arr_full(rt, &(arr_spec){DT_I32, 1, &starts}, (gpa_val){.bits = {0, 0}}, &out[START],
                     e));
        for (int i = COLUMN; i < PARTS && !rc; i++)
            rc = arr_empty(rt, &(arr_spec){i == AT ? t : DT_I32, 1, &none}, &out[i], e);
        goto out;
    }
    TRY(together(rt, in, 2 * PARTS, &d, e));
    if (!library_can(d, &c)) {
        TRY(spgemm_on_host(rt, &c, in, out, e));
        explain_call(rt, library_names[LIB_SPGEMM], NULL, out[AT]);
        goto out;
    }
    for (int i = 0; i < PARTS; i++) {
        bind(i == START    ? &c.spgemm.a.indptr
             : i == COLUMN ? &c.spgemm.a.indices
                           : &c.spgemm.a.data,
             in[i]);
        bind(i == START    ? &c.spgemm.b.indptr
             : i == COLUMN ? &c.spgemm.b.indices
                           : &c.spgemm.b.data,
             in[PARTS + i]);
    }
    TRY(arr_empty(rt, &(arr_spec){DT_I32, 1, &starts}, &part[START], e));
    bind(&c.spgemm.indptr, part[START]);
    TRY(library_run(rt, d, &c, e));
    explain_call(rt, library_names[LIB_SPGEMM], d, part[AT]);
    for (int i = 0; i < PARTS; i++) out[i] = arr_retain(part[i]);
out:
    release_all(rt, in, 2 * PARTS);
    release_all(rt, part, PARTS);
    device_scope_leave(rt, stay);
    return rc;
}

/* ---- transposes ---- */

/* The operands and results of a transpose, in corresponding slots. */
enum { KEY, OTHER, VALUES, TURNED, BEGIN = 0 };

static gpa_code turn_on_host(gpa_rt *rt, const gpa_libcall *c, gpa_arr *const *in, gpa_arr **out,
                             gpa_err *e) {
    host_view h[TURNED] = {{0}};
    host_result made[TURNED] = {{0}};
    const int64_t starts = c->transpose.cols + 1;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < TURNED; i++) TRY(host_view_get(rt, in[i], &h[i], e));
    if (!sparse_indices_below(&h[KEY], c->transpose.nnz, c->transpose.cols))
        TRY(gpa_fail(e, GPA_E_VALUE, "the indices of a sparse matrix do not fit its shape"));
    for (int i = 0; i < TURNED && !rc; i++)
        rc = host_result_new(rt, i == VALUES ? c->dtype : DT_I32, 1,
                             i == BEGIN ? &starts : &c->transpose.nnz, &made[i], e);
    if (!rc)
        rc = hostcall_run(
            c,
            &(host_operands){.in = {h[KEY].data, h[OTHER].data, h[VALUES].data},
                             .out = {made[BEGIN].data, made[OTHER].data, made[VALUES].data}},
            &rt->interrupted, e);
    rc = sparse_finish(rt, rc, made, TURNED, out, e);
out:
    for (int i = 0; i < TURNED; i++) host_view_release(rt, &h[i]);
    return rc;
}

gpa_code arr_sparse_transpose(gpa_rt *rt, gpa_arr *const *given, int64_t n, gpa_arr **out,
                              gpa_err *e) {
    gpa_arr *in[TURNED] = {NULL}, *made[TURNED] = {NULL}, *first = given[VALUES];
    gpa_libcall c = {.kind = LIB_SPARSE_TRANSPOSE,
                     .dtype = (gpa_dtype)given[VALUES]->dtype,
                     .transpose = {.cols = n, .nnz = given[VALUES]->size}};
    gpa_binding *const from[] = {&c.transpose.col, &c.transpose.row, &c.transpose.data},
                       *const to[] = {&c.transpose.indptr, &c.transpose.indices,
                                      &c.transpose.to_data};
    const int64_t starts = n + 1;
    device_scope stay = device_scope_enter(rt, &first, 1);
    gpa_device *d = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < TURNED; i++)
        TRY(sparse_contiguous(rt, given[i] ? given[i] : given[KEY], i == VALUES ? c.dtype : DT_I32,
                              &in[i], e));
    if (!c.transpose.nnz) {
        TRY(arr_full(rt, &(arr_spec){DT_I32, 1, &starts}, (gpa_val){.bits = {0, 0}}, &out[BEGIN],
                     e));
        for (int i = OTHER; i < TURNED; i++) out[i] = arr_retain(in[i]);
        goto out;
    }
    TRY(together(rt, in, TURNED, &d, e));
    const bool can = library_can(d, &c);
    if (can) {
        for (int i = 0; i < TURNED; i++) {
            if (!given[i]) continue;
            TRY(arr_empty(rt,
                          &(arr_spec){i == VALUES ? c.dtype : DT_I32, 1,
                                      i == BEGIN ? &starts : &c.transpose.nnz},
                          &made[i], e));
            bind(from[i], in[i]);
            bind(to[i], made[i]);
        }
        TRY(library_run(rt, d, &c, e));
        for (int i = 0; i < TURNED; i++) out[i] = made[i] ? arr_retain(made[i]) : NULL;
    } else {
        TRY(turn_on_host(rt, &c, in, out, e));
    }
    explain_call(rt, library_names[LIB_SPARSE_TRANSPOSE], can ? d : NULL, out[VALUES]);
out:
    if (!rc && !given[OTHER]) {
        arr_release(rt, out[OTHER]);
        out[OTHER] = NULL;
    }
    release_all(rt, in, TURNED);
    release_all(rt, made, TURNED);
    device_scope_leave(rt, stay);
    return rc;
}
