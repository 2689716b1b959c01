/* Sparse by dense products in host memory: CSR, a row of the result at a time; CSC and COO, by
 * scatter-add. */
#include "runtime/base/base.h"
#include "runtime/host/sparse.h"
#include "runtime/tables/tuning.h"
#include "runtime/host/spmm.h"

static gpa_code no_products(gpa_dtype t, gpa_err *e) {
    return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products",
                    dtype_info[t].name);
}

gpa_code hostcall_spmm(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                       gpa_err *e) {
    const spmm p = {call->spmm.k, x->in[0], x->in[1], x->in[2], x->in[3], x->out[0]};
    const int64_t rows = call->spmm.a.rows;
    for (int64_t i = 0; i < rows; i += TUNE_SPMM_POLL_ROWS) {
        if (!spmm_rows(call->dtype, &p, i, MIN(i + TUNE_SPMM_POLL_ROWS, rows)))
            return no_products(call->dtype, e);
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}

#define TEMPLATE "runtime/host/spmm_scatter.inc"
#include "runtime/host/product_dtypes.inc"

static spmm_function *const csc_functions[DT_COUNT] = {PRODUCT_TABLE(spmm_csc)},
                            *const coo_functions[DT_COUNT] = {PRODUCT_TABLE(spmm_coo)};

gpa_code hostcall_spmm_csc(const gpa_libcall *call, bool coo, const host_operands *x,
                           const atomic_bool *stop, gpa_err *e) {
    const spmm p = {call->spmm.k, x->in[0], x->in[1], x->in[2], x->in[3], x->out[0]};
    const gpa_csr *a = &call->spmm.a;
    const int64_t n = coo ? a->nnz : a->cols,
                  step = coo ? TUNE_SPMM_POLL_VALUES : TUNE_SPMM_POLL_ROWS;
    spmm_function *add = (coo ? coo_functions : csc_functions)[call->dtype];
    if (!add) return no_products(call->dtype, e);
    memset(p.y, 0, (size_t)(a->rows * p.k) * dtype_size(call->dtype));
    for (int64_t i = 0; i < n; i += step) {
        add(&p, i, MIN(i + step, n));
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}
