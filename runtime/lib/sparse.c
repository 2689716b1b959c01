/* Sparse matrix products (CSR by dense, CSR by CSR) and transposes, by the library of the device or
 * the host. Reading order: products, products of two, transposes. */
#include "runtime/lib/sparse_operand.h"

#include "runtime/exec/explain.h"
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"
#include "runtime/libcalls.h"
#include "runtime/tables/tuning.h"

/* The operands of a call, `given` in the order of lib.def (NULL: absent), contiguous and of its
 * dtypes; computed on the device of the last one, *d. */
static gpa_code take_operands(gpa_rt *rt, const gpa_libcall *c, gpa_arr *const *given,
                              library_arrays *a, gpa_device **d, gpa_err *e) {
    gpa_arr *present[LIB_OPERANDS];
    int n = 0;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < LIB_OPERANDS; i++) {
        const lib_operand o = lib_operand_of(c, i);
        if (o.access != LIB_READ || !given[i]) continue;
        TRY(sparse_contiguous(rt, given[i], o.dtype, &a->x[i], e));
        present[n++] = a->x[i];
    }
    TRY(arr_eval(rt, present, n, e));
    *d = present[n - 1]->storage->buf->device;
    for (int i = 0; i < LIB_OPERANDS; i++)
        if (a->x[i]) TRY(arr_bring_to_device(rt, *d, &a->x[i], e));
out:
    return rc;
}

/* ---- products ---- */

/* Validates indptr and indices in host memory: GPA_E_VALUE. */
static gpa_code check_on_host(gpa_rt *rt, const gpa_csr *a, gpa_arr *const *x, gpa_err *e) {
    host_view h[DATA] = {{0}};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < DATA; i++) TRY(host_view_get(rt, x[i], &h[i], e));
    TRY(sparse_check(h, a->rows, a->cols, a->nnz, e));
out:
    for (int i = 0; i < DATA; i++) host_view_release(rt, &h[i]);
    return rc;
}

gpa_code arr_spmm(gpa_rt *rt, const arr_csr *a, gpa_arr *x, gpa_arr **out, gpa_err *e) {
    enum { X = CSR_ARRAYS, Y };
    gpa_arr *const given[LIB_OPERANDS] = {a->indptr, a->indices, a->data, x};
    const gpa_dtype t = dtype_promote((gpa_dtype)a->data->dtype, (gpa_dtype)x->dtype);
    const int64_t shape[2] = {a->indptr->size - 1, x->ndim > 1 ? x->shape[1] : 1};
    gpa_libcall c = {.kind = LIB_SPMM,
                     .dtype = t,
                     .spmm = {.a = {.rows = shape[0], .cols = x->shape[0], .nnz = a->indices->size},
                              .k = shape[1]}};
    library_arrays arrays = {.ndim = x->ndim, .shape = shape};
    gpa_arr *values = a->data;
    device_scope stay = device_scope_enter(rt, &values, 1); /* on the device of the values */
    gpa_device *d;
    gpa_code rc = GPA_OK;
    if (!shape[0] || !shape[1] || !c.spmm.a.nnz) {
        TRY(arr_full(rt, &(arr_spec){t, x->ndim, shape}, (gpa_val){.bits = {0, 0}}, out, e));
        goto out;
    }
    TRY(take_operands(rt, &c, given, &arrays, &d, e));
    if (!library_can(d, &c) || d->caps.host_visible) TRY(check_on_host(rt, &c.spmm.a, arrays.x, e));
    TRY(library_call(rt, d, &c, &arrays, e));
    *out = library_take(&arrays, Y);
out:
    library_release(rt, &arrays);
    device_scope_leave(rt, stay);
    return rc;
}

/* ---- sparse by sparse products ---- */

/* fewer: the result is allocated for all of them */

static gpa_code spgemm_on_host(gpa_rt *rt, const arr_csr *a, const arr_csr *b, gpa_arr **out,
                               gpa_err *e) {
    sparse_csr x = {0}, y = {0};
    host_result made[CSR_ARRAYS] = {{0}};
    host_csr_out to = {0};
    gpa_code rc = GPA_OK;
    TRY(sparse_open(rt, a, &x, e));
    TRY(sparse_open(rt, b, &y, e));
    const int64_t starts = x.r.rows + 1;
    TRY(host_result_new(rt, DT_I32, 1, &starts, &made[INDPTR], e));
    to.indptr = sparse_int32(&made[INDPTR]);
    int64_t most = hostcall_spgemm_products(&x.r, &y.r), nnz = 0;
    if (most > TUNE_SPGEMM_SYMBOLIC_MIN_PRODUCTS) {
        rc = hostcall_spgemm_indptr(&x.r, &y.r, to.indptr, &rt->interrupted, e);
        most = rc ? 0 : to.indptr[x.r.rows];
    }
    for (int i = INDICES; i < CSR_ARRAYS && !rc; i++)
        rc = host_result_new(rt, i == DATA ? x.r.dtype : DT_I32, 1, &most, &made[i], e);
    to = sparse_out(made);
    if (!rc) rc = hostcall_spgemm(&x.r, &y.r, &to, &rt->interrupted, e);
    if (!rc) nnz = to.indptr[x.r.rows];
    rc = sparse_finish(rt, rc, made, CSR_ARRAYS, out, e);
    for (int i = INDICES; i < CSR_ARRAYS && !rc && nnz < most; i++) arr_truncate(rt, out[i], nnz);
out:
    sparse_close(rt, &x);
    sparse_close(rt, &y);
    return rc;
}

/* The columns and values of a library's product, which the call allocates. */
typedef struct {
    gpa_rt *rt;
    gpa_dtype dtype;
    gpa_arr *made[CSR_ARRAYS];
} product;

static gpa_code allocate_product(void *owner, int64_t nnz, gpa_binding *indices, gpa_binding *data,
                                 gpa_err *e) {
    product *p = owner;
    gpa_code rc = GPA_OK;
    for (int i = INDICES; i < CSR_ARRAYS && !rc; i++) {
        gpa_binding *b = i == DATA ? data : indices;
        arr_release(p->rt, p->made[i]); /* of a call that is retried */
        p->made[i] = NULL;
        rc = arr_empty(p->rt, &(arr_spec){i == DATA ? p->dtype : DT_I32, 1, &nnz}, &p->made[i], e);
        if (!rc && nnz)
            *b = (gpa_binding){.mem = p->made[i]->storage->buf->mem, .offset = p->made[i]->offset};
    }
    return rc;
}

gpa_code arr_spgemm(gpa_rt *rt, const arr_csr *a, const arr_csr *b, gpa_arr **out, gpa_err *e) {
    enum { A, B = CSR_ARRAYS, C_INDPTR = 2 * CSR_ARRAYS };
    gpa_arr *const given[LIB_OPERANDS] = {a->indptr, a->indices, a->data,
                                          b->indptr, b->indices, b->data};
    const gpa_dtype t = dtype_promote((gpa_dtype)a->data->dtype, (gpa_dtype)b->data->dtype);
    const int64_t rows = a->indptr->size - 1, inner = b->indptr->size - 1, starts = rows + 1,
                  none = 0;
    product p = {.rt = rt, .dtype = t};
    gpa_libcall c = {.kind = LIB_SPGEMM,
                     .dtype = t,
                     .spgemm = {.a = {.rows = rows, .cols = inner, .nnz = a->indices->size},
                                .b = {.rows = inner, .cols = b->cols, .nnz = b->indices->size},
                                .allocate = allocate_product,
                                .owner = &p}};
    library_arrays arrays = {0};
    gpa_arr **x = arrays.x, *values = a->data;
    device_scope stay = device_scope_enter(rt, &values, 1); /* on the device of the values */
    gpa_device *d = NULL;
    gpa_code rc = GPA_OK;
    if (!rows || !c.spgemm.a.nnz || !c.spgemm.b.nnz) {
        TRY(arr_full(rt, &(arr_spec){DT_I32, 1, &starts}, (gpa_val){.bits = {0, 0}}, &out[INDPTR],
                     e));
        for (int i = INDICES; i < CSR_ARRAYS && !rc; i++)
            rc = arr_empty(rt, &(arr_spec){i == DATA ? t : DT_I32, 1, &none}, &out[i], e);
        goto out;
    }
    TRY(take_operands(rt, &c, given, &arrays, &d, e));
    if (library_can(d, &c)) {
        TRY(library_call(rt, d, &c, &arrays, e));
        out[INDPTR] = library_take(&arrays, C_INDPTR);
        for (int i = INDICES; i < CSR_ARRAYS; i++) out[i] = arr_retain(p.made[i]);
    } else {
        TRY(spgemm_on_host(rt, &(arr_csr){x[A], x[A + 1], x[A + 2], inner, false},
                           &(arr_csr){x[B], x[B + 1], x[B + 2], b->cols, false}, out, e));
        explain_call(rt, library_names[LIB_SPGEMM], NULL, out[DATA]);
    }
out:
    library_release(rt, &arrays);
    for (int i = INDICES; i < CSR_ARRAYS; i++) arr_release(rt, p.made[i]);
    device_scope_leave(rt, stay);
    return rc;
}

/* ---- transposes ---- */

gpa_code arr_coo_to_csc(gpa_rt *rt, gpa_arr *const *coo, int64_t cols, gpa_arr **out, gpa_err *e) {
    enum { COL, ROW, VALUES, COO_ARRAYS, RESULTS = COO_ARRAYS };
    gpa_arr *const given[LIB_OPERANDS] = {coo[COL], coo[ROW], coo[VALUES]};
    gpa_libcall c = {.kind = LIB_SPARSE_TRANSPOSE,
                     .dtype = (gpa_dtype)coo[VALUES]->dtype,
                     .transpose = {.cols = cols, .nnz = coo[VALUES]->size}};
    library_arrays arrays = {0};
    const int64_t starts = cols + 1;
    gpa_arr *values = coo[VALUES];
    device_scope stay = device_scope_enter(rt, &values, 1);
    host_view col = {0};
    gpa_device *d = NULL;
    gpa_code rc = GPA_OK;
    TRY(take_operands(rt, &c, given, &arrays, &d, e));
    if (!c.transpose.nnz) {
        TRY(arr_full(rt, &(arr_spec){DT_I32, 1, &starts}, (gpa_val){.bits = {0, 0}}, &out[INDPTR],
                     e));
        out[INDICES] = library_take(&arrays, ROW);
        out[DATA] = library_take(&arrays, VALUES);
        goto out;
    }
    if (!library_can(d, &c)) {
        TRY(host_view_get(rt, arrays.x[COL], &col, e));
        if (!sparse_indices_below(&col, c.transpose.nnz, cols)) TRY(sparse_misfit(e));
    }
    TRY(library_call(rt, d, &c, &arrays, e));
    for (int i = 0; i < CSR_ARRAYS; i++) out[i] = library_take(&arrays, RESULTS + i);
out:
    host_view_release(rt, &col);
    library_release(rt, &arrays);
    device_scope_leave(rt, stay);
    return rc;
}
