/* Sparse matrix products by cuSPARSE: SpMV, SpMM and SpGEMM; tridiagonal systems. Operand
 * descriptors are small host objects, created per call. */
#include "runtime/cuda/lib/cusparse.h"

#include "runtime/base/base.h"
#include "runtime/cuda/driver/wait.h"

enum { NO_MEMORY = 2, NO_RESOURCES = 11 }; /* cusparseStatus_t */

static int type_of(gpa_dtype t) {
    switch ((int)t) {
        case DT_F32: return CUDA_R_32F;
        case DT_F64: return CUDA_R_64F;
        case DT_C64: return CUDA_C_32F;
        case DT_C128: return CUDA_C_64F;
    }
    return -1;
}

/* cuSPARSE rejects a matrix with more values than elements, which duplicates can give. */
static bool has_valid_count(const gpa_libcall *c) {
    const gpa_csr *a = &c->spgemm.a, *b = &c->spgemm.b;
    if (c->kind == LIB_SPMM) return c->spmm.a.nnz <= c->spmm.a.rows * c->spmm.a.cols;
    return a->nnz <= a->rows * a->cols && b->nnz <= b->rows * b->cols;
}

/* Opens the library; false: the machine has none. */
static bool is_ready(gpa_dev *d) {
    char why[128];
    if (!d->sparse && !(d->sparse = api_sparse(why, sizeof why))) return false;
    if (!d->sparse_handle && d->sparse->create(&d->sparse_handle)) return false;
    return !d->sparse->set_stream(d->sparse_handle, d->stream);
}

bool cusparse_can(gpa_dev *d, const gpa_libcall *c) {
    return type_of(c->dtype) >= 0 && has_valid_count(c) && is_ready(d);
}

void cusparse_close(gpa_dev *d) {
    if (d->sparse_handle) d->sparse->destroy(d->sparse_handle);
    d->sparse_handle = NULL;
}

static gpa_code check(int status, const char *call, gpa_err *e) {
    return status
               ? gpa_fail(
                     e, status == NO_MEMORY || status == NO_RESOURCES ? GPA_E_MEMORY : GPA_E_DEVICE,
                     "%s: status %d", call, status)
               : GPA_OK;
}

static void *at(const gpa_binding *b, size_t item) {
    return (void *)(uintptr_t)(b->mem->address + (uint64_t)b->offset * item);
}

static const float one[2] = {1, 0}, zero[2] = {0, 0};
static const double one2[2] = {1, 0}, zero2[2] = {0, 0};

/* Scratch memory of a call, freed in stream order. */
static gpa_code allocate_scratch(gpa_dev *d, size_t n, CUdeviceptr *scratch, gpa_err *e) {
    return api_check(d->cu->alloc(scratch, MAX(n, 16), d->stream), "cuMemAllocAsync", e);
}

static gpa_code times_vector(gpa_dev *d, const gpa_libcall *c, cusparseSpMatDescr_t a, gpa_err *e) {
    const cu_sparse *s = d->sparse;
    int type = type_of(c->dtype);
    bool wide = type == CUDA_R_64F || type == CUDA_C_64F;
    const void *alpha = wide ? (const void *)one2 : one, *beta = wide ? (const void *)zero2 : zero;
    size_t n = 0, item = dtype_size(c->dtype);
    CUdeviceptr scratch = 0;
    cusparseDnVecDescr_t x = NULL, y = NULL;
    gpa_code rc = GPA_OK;
    TRY(check(s->vector_create(&x, c->spmm.a.cols, at(&c->spmm.x, item), type),
              "cusparseCreateDnVec", e));
    TRY(check(s->vector_create(&y, c->spmm.a.rows, at(&c->spmm.y, item), type),
              "cusparseCreateDnVec", e));
    TRY(check(s->spmv_workspace(d->sparse_handle, 0, alpha, a, x, beta, y, type, 0, &n),
              "cusparseSpMV_bufferSize", e));
    TRY(allocate_scratch(d, n, &scratch, e));
    TRY(check(
        s->spmv(d->sparse_handle, 0, alpha, a, x, beta, y, type, 0, (void *)(uintptr_t)scratch),
        "cusparseSpMV", e));
out:
    if (scratch) d->cu->free(scratch, d->stream);
    if (x) s->vector_destroy(x);
    if (y) s->vector_destroy(y);
    return rc;
}

static gpa_code times(gpa_dev *d, const gpa_libcall *c, cusparseSpMatDescr_t a, gpa_err *e) {
    const cu_sparse *s = d->sparse;
    int type = type_of(c->dtype);
    bool wide = type == CUDA_R_64F || type == CUDA_C_64F;
    const void *alpha = wide ? (const void *)one2 : one, *beta = wide ? (const void *)zero2 : zero;
    size_t n = 0, item = dtype_size(c->dtype);
    int64_t k = c->spmm.k;
    CUdeviceptr scratch = 0;
    cusparseDnMatDescr_t x = NULL, y = NULL;
    gpa_code rc = GPA_OK;
    TRY(check(
        s->dense_create(&x, c->spmm.a.cols, k, k, at(&c->spmm.x, item), type, CUSPARSE_ORDER_ROW),
        "cusparseCreateDnMat", e));
    TRY(check(
        s->dense_create(&y, c->spmm.a.rows, k, k, at(&c->spmm.y, item), type, CUSPARSE_ORDER_ROW),
        "cusparseCreateDnMat", e));
    TRY(check(s->spmm_workspace(d->sparse_handle, 0, 0, alpha, a, x, beta, y, type,
                                CUSPARSE_SPMM_CSR_ALG3, &n),
              "cusparseSpMM_bufferSize", e));
    TRY(allocate_scratch(d, n, &scratch, e));
    TRY(check(s->spmm(d->sparse_handle, 0, 0, alpha, a, x, beta, y, type, CUSPARSE_SPMM_CSR_ALG3,
                      (void *)(uintptr_t)scratch),
              "cusparseSpMM", e));
out:
    if (scratch) d->cu->free(scratch, d->stream);
    if (x) s->dense_destroy(x);
    if (y) s->dense_destroy(y);
    return rc;
}

/* The descriptor of a CSR matrix; an output has no columns and values yet, and count 0. */
static gpa_code describe(gpa_dev *d, gpa_dtype t, const gpa_csr *r, cusparseSpMatDescr_t *out,
                         gpa_err *e) {
    const size_t index = sizeof(int32_t);
    void *column = r->nnz ? at(&r->indices, index) : NULL,
         *values = r->nnz ? at(&r->data, dtype_size(t)) : NULL;
    return check(
        d->sparse->matrix_create(out, r->rows, r->cols, r->nnz, at(&r->indptr, index), column,
                                 values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 0, type_of(t)),
        "cusparseCreateCsr", e);
}

gpa_code cusparse_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    cusparseSpMatDescr_t a = NULL;
    gpa_code rc = describe(d, c->dtype, &c->spmm.a, &a, e);
    if (!rc) rc = c->spmm.k == 1 ? times_vector(d, c, a, e) : times(d, c, a, e);
    if (a) d->sparse->matrix_destroy(a);
    return rc;
}

/* ---- SpGEMM ---- */

/* A product in progress: matrices A, B and C. */
enum { A, B, C, MATRICES };
typedef struct {
    gpa_dev *d;
    const gpa_libcall *c;
    cusparseSpMatDescr_t matrix[MATRICES];
    cusparseSpGEMMDescr_t product;
    const void *alpha, *beta;
    CUdeviceptr scratch[2];
} spgemm;

typedef int spgemm_step(SPGEMM_OPERANDS, size_t *, void *);

/* One of the two steps that first return the size of their scratch memory, which is kept until the
 * end. */
static gpa_code step(spgemm *w, spgemm_step *f, CUdeviceptr *scratch, const char *call,
                     gpa_err *e) {
    gpa_dev *d = w->d;
    const int type = type_of(w->c->dtype);
    size_t n = 0;
    gpa_code rc = GPA_OK;
    TRY(check(f(d->sparse_handle, 0, 0, w->alpha, w->matrix[A], w->matrix[B], w->beta, w->matrix[C],
                type, 0, w->product, &n, NULL),
              call, e));
    TRY(allocate_scratch(d, n, scratch, e));
    rc = check(f(d->sparse_handle, 0, 0, w->alpha, w->matrix[A], w->matrix[B], w->beta,
                 w->matrix[C], type, 0, w->product, &n, (void *)(uintptr_t)*scratch),
               call, e);
out:
    return rc;
}

static gpa_code multiply(spgemm *w, gpa_err *e) {
    gpa_dev *d = w->d;
    const gpa_libcall *c = w->c;
    const cu_sparse *s = d->sparse;
    const int type = type_of(c->dtype);
    const size_t index = sizeof(int32_t);
    int64_t m = 0, n = 0, count = 0;
    gpa_csr made = {.rows = c->spgemm.a.rows, .cols = c->spgemm.b.cols, .indptr = c->spgemm.indptr};
    gpa_code rc = GPA_OK;
    TRY(describe(d, c->dtype, &c->spgemm.a, &w->matrix[A], e));
    TRY(describe(d, c->dtype, &c->spgemm.b, &w->matrix[B], e));
    TRY(describe(d, c->dtype, &made, &w->matrix[C], e));
    TRY(check(s->spgemm_create(&w->product), "cusparseSpGEMM_createDescr", e));
    TRY(step(w, s->spgemm_estimate, &w->scratch[0], "cusparseSpGEMM_workEstimation", e));
    TRY(step(w, s->spgemm_compute, &w->scratch[1], "cusparseSpGEMM_compute", e));
    TRY(check(s->matrix_size(w->matrix[C], &m, &n, &count), "cusparseSpMatGetSize", e));
    if (count > INT32_MAX) {
        rc = gpa_fail(e, GPA_E_VALUE, "a sparse matrix cannot have 2**31 values or more");
        goto out;
    }
    TRY(c->spgemm.allocate(c->spgemm.owner, count, &made.indices, &made.data, e));
    if (!count) {
        rc = api_check(
            d->cu->fill(c->spgemm.indptr.mem->address + (uint64_t)c->spgemm.indptr.offset * index,
                        0, (size_t)(made.rows + 1) * index, d->stream),
            "cuMemsetD8Async", e);
        goto out;
    }
    TRY(check(s->matrix_pointers(w->matrix[C], at(&made.indptr, index), at(&made.indices, index),
                                 at(&made.data, dtype_size(c->dtype))),
              "cusparseCsrSetPointers", e));
    rc = check(s->spgemm_copy(d->sparse_handle, 0, 0, w->alpha, w->matrix[A], w->matrix[B], w->beta,
                              w->matrix[C], type, 0, w->product),
               "cusparseSpGEMM_copy", e);
out:
    return rc;
}

gpa_code cusparse_spgemm_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    const int type = type_of(c->dtype);
    const bool wide = type == CUDA_R_64F || type == CUDA_C_64F;
    spgemm w = {.d = d,
                .c = c,
                .alpha = wide ? (const void *)one2 : one,
                .beta = wide ? (const void *)zero2 : zero};
    gpa_code rc = wait_idle(d, e); /* the library synchronizes, which Ctrl-C cannot interrupt */
    if (!rc) rc = multiply(&w, e);
    for (int i = 0; i < 2; i++)
        if (w.scratch[i]) d->cu->free(w.scratch[i], d->stream);
    if (w.product) d->sparse->spgemm_destroy(w.product);
    for (int i = 0; i < MATRICES; i++)
        if (w.matrix[i]) d->sparse->matrix_destroy(w.matrix[i]);
    return rc;
}

/* ---- tridiagonal systems ---- */

bool cusparse_banded_can(gpa_dev *d, const gpa_libcall *c) {
    enum { LEAST_ROWS = 3 }; /* of cuSPARSE */
    return type_of(c->dtype) >= 0 && c->solve_banded.kl == 1 && c->solve_banded.ku == 1 &&
           c->solve_banded.n >= LEAST_ROWS && c->solve_banded.n <= INT32_MAX &&
           c->solve_banded.k <= INT32_MAX && is_ready(d);
}

/* The lower diagonal, then the upper one, each element at the index of its row; 0 where a row has
 * none. */
static gpa_code copy_diagonals(gpa_dev *d, CUdeviceptr bands, CUdeviceptr lower, size_t n,
                               size_t item, gpa_err *e) {
    const CUdeviceptr upper = lower + n * item;
    const size_t bytes = (n - 1) * item;
    gpa_code rc = GPA_OK;
    TRY(api_check(d->cu->fill(lower, 0, item, d->stream), "cuMemsetD8Async", e));
    TRY(api_check(d->cu->fill(upper + bytes, 0, item, d->stream), "cuMemsetD8Async", e));
    TRY(api_check(d->cu->copy(lower + item, bands + 2 * n * item, bytes, d->stream),
                  "cuMemcpyDtoDAsync", e));
    TRY(api_check(d->cu->copy(upper, bands + item, bytes, d->stream), "cuMemcpyDtoDAsync", e));
out:
    return rc;
}

gpa_code cusparse_banded_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    const int type = api_type(c->dtype), n = (int)c->solve_banded.n, k = (int)c->solve_banded.k;
    const size_t item = dtype_size(c->dtype), rows = (size_t)n;
    char *bands = at(&c->solve_banded.bands, item);
    void *x = at(&c->solve_banded.x, item);
    size_t workspace = 0;
    CUdeviceptr scratch = 0;
    gpa_code rc = GPA_OK;
    *c->solve_banded.info = 0;
    TRY(check(d->sparse->tridiagonal_workspace[type](d->sparse_handle, n, k, bands, bands, bands, x,
                                                     n, &workspace),
              "cusparseXgtsv2_bufferSizeExt", e));
    workspace = (workspace + 255) / 256 * 256;
    TRY(allocate_scratch(d, workspace + 2 * rows * item, &scratch, e));
    const CUdeviceptr lower = scratch + workspace, upper = lower + rows * item;
    TRY(copy_diagonals(d, (CUdeviceptr)(uintptr_t)bands, lower, rows, item, e));
    TRY(check(d->sparse->tridiagonal[type](d->sparse_handle, n, k, (void *)(uintptr_t)lower,
                                           bands + rows * item, (void *)(uintptr_t)upper, x, n,
                                           (void *)(uintptr_t)scratch),
              "cusparseXgtsv2", e));
out:
    if (scratch) d->cu->free(scratch, d->stream);
    return rc;
}
