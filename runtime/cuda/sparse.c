/* Products of sparse matrices by cuSPARSE. Descriptions of operands are small host objects, made for each call. */
#include "runtime/cuda/sparse.h"

#include "runtime/base.h"

static int type_of(gpa_dtype t) {
    switch ((int)t) {
    case DT_F32: return CUDA_R_32F;
    case DT_F64: return CUDA_R_64F;
    case DT_C64: return CUDA_C_32F;
    case DT_C128: return CUDA_C_64F;
    }
    return -1;
}

bool sparse_can(gpa_dev *d, const gpa_libcall *c) {
    char why[128];
    if (type_of(c->dtype) < 0) return false;
    if (!d->sparse && !(d->sparse = api_sparse(why, sizeof why))) return false;
    if (!d->sparse_handle && d->sparse->create(&d->sparse_handle)) return false;
    return !d->sparse->set_stream(d->sparse_handle, d->stream);
}

void sparse_close(gpa_dev *d) {
    if (d->sparse_handle) d->sparse->destroy(d->sparse_handle);
    d->sparse_handle = NULL;
}

static gpa_code check(int status, const char *call, gpa_err *e) {
    return status ? gpa_fail(e, status == 2 ? GPA_E_MEMORY : GPA_E_DEVICE, "%s: status %d", call, status) : GPA_OK;
}

static void *at(const gpa_binding *b, size_t item) { return (void *)(uintptr_t)(b->mem->at + (uint64_t)b->offset * item); }

static const float one[2] = {1, 0}, zero[2] = {0, 0};
static const double one2[2] = {1, 0}, zero2[2] = {0, 0};

/* Working memory of a call, given back in the stream's order. */
static gpa_code with_room(gpa_dev *d, size_t n, CUdeviceptr *room, gpa_err *e) {
    return api_check(d->cu->alloc(room, MAX(n, 16), d->stream), "cuMemAllocAsync", e);
}

static gpa_code times_vector(gpa_dev *d, const gpa_libcall *c, cusparseSpMatDescr_t a, gpa_err *e) {
    const cu_sparse *s = d->sparse;
    int type = type_of(c->dtype);
    bool wide = type == CUDA_R_64F || type == CUDA_C_64F;
    const void *alpha = wide ? (const void *)one2 : one, *beta = wide ? (const void *)zero2 : zero;
    size_t n = 0, item = dtype_size(c->dtype);
    CUdeviceptr room = 0;
    cusparseDnVecDescr_t x = NULL, y = NULL;
    gpa_code rc = GPA_OK;
    TRY(check(s->vector(&x, c->sparse.n, at(&c->sparse.x, item), type), "cusparseCreateDnVec", e));
    TRY(check(s->vector(&y, c->sparse.m, at(&c->sparse.y, item), type), "cusparseCreateDnVec", e));
    TRY(check(s->times_vector_room(d->sparse_handle, 0, alpha, a, x, beta, y, type, 0, &n), "cusparseSpMV_bufferSize", e));
    TRY(with_room(d, n, &room, e));
    TRY(check(s->times_vector(d->sparse_handle, 0, alpha, a, x, beta, y, type, 0, (void *)(uintptr_t)room), "cusparseSpMV", e));
out:
    if (room) d->cu->free(room, d->stream);
    if (x) s->vector_free(x);
    if (y) s->vector_free(y);
    return rc;
}

static gpa_code times(gpa_dev *d, const gpa_libcall *c, cusparseSpMatDescr_t a, gpa_err *e) {
    const cu_sparse *s = d->sparse;
    int type = type_of(c->dtype);
    bool wide = type == CUDA_R_64F || type == CUDA_C_64F;
    const void *alpha = wide ? (const void *)one2 : one, *beta = wide ? (const void *)zero2 : zero;
    size_t n = 0, item = dtype_size(c->dtype);
    int64_t k = c->sparse.k;
    CUdeviceptr room = 0;
    cusparseDnMatDescr_t x = NULL, y = NULL;
    gpa_code rc = GPA_OK;
    TRY(check(s->dense(&x, c->sparse.n, k, k, at(&c->sparse.x, item), type, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat", e));
    TRY(check(s->dense(&y, c->sparse.m, k, k, at(&c->sparse.y, item), type, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat", e));
    TRY(check(s->times_room(d->sparse_handle, 0, 0, alpha, a, x, beta, y, type, CUSPARSE_SPMM_CSR_ALG3, &n), "cusparseSpMM_bufferSize", e));
    TRY(with_room(d, n, &room, e));
    TRY(check(s->times(d->sparse_handle, 0, 0, alpha, a, x, beta, y, type, CUSPARSE_SPMM_CSR_ALG3, (void *)(uintptr_t)room), "cusparseSpMM", e));
out:
    if (room) d->cu->free(room, d->stream);
    if (x) s->dense_free(x);
    if (y) s->dense_free(y);
    return rc;
}

gpa_code sparse_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    cusparseSpMatDescr_t a = NULL;
    size_t index = sizeof(int32_t);
    gpa_code rc = check(d->sparse->matrix(&a, c->sparse.m, c->sparse.n, c->sparse.count, at(&c->sparse.start, index), at(&c->sparse.column, index),
                                          at(&c->sparse.at, dtype_size(c->dtype)), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 0, type_of(c->dtype)),
                        "cusparseCreateCsr", e);
    if (!rc) rc = c->sparse.k == 1 ? times_vector(d, c, a, e) : times(d, c, a, e);
    if (a) d->sparse->matrix_free(a);
    return rc;
}
