/* GEMM by cuBLAS, whose layout is column-major: C = A B in row-major order is C' = B' A' in
 * column-major order, so the operands are swapped and nothing is copied. An operand is passed
 * without a copy if its rows or its columns are contiguous. */
#include "runtime/cuda/lib/cublas.h"

#include "runtime/base/base.h"

typedef struct {
    int trans, lead;
    const void *at;
    long long batch;
} operand;

/* cuBLAS's data type and compute type for a product; false if it has none. */
static bool types(const gpa_libcall *c, int *data, int *sum) {
    *sum = c->dtype == DT_F64 || c->dtype == DT_C128 ? CUBLAS_COMPUTE_64F
           : c->gemm.precision == PRECISION_TF32     ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : CUBLAS_COMPUTE_32F;
    switch (c->dtype) {
        case DT_F16: *data = CUDA_R_16F; return true;
        case DT_BF16: *data = CUDA_R_16BF; return true;
        case DT_F32: *data = CUDA_R_32F; return true;
        case DT_F64: *data = CUDA_R_64F; return true;
        case DT_C64: *data = CUDA_C_32F; return true;
        case DT_C128: *data = CUDA_C_64F; return true;
        case DT_BOOL:
        case DT_I8:
        case DT_I16:
        case DT_I32:
        case DT_I64:
        case DT_U8:
        case DT_U16:
        case DT_U32:
        case DT_U64:
        case DT_COUNT: break;
    }
    return false;
}

static bool prepare(operand *o, const gpa_binding *b, int64_t rows, int64_t columns, size_t size) {
    int64_t row = rows > 1 ? b->stride[1] : MAX(columns, 1),
            column = columns > 1 ? b->stride[2] : 1;
    *o = (operand){
        .at =
            b->mem ? (const void *)(uintptr_t)(b->mem->address + (uint64_t)b->offset * size) : NULL,
        .batch = b->stride[0]};
    if (column == 1 && row >= MAX(columns, 1) && row <= INT32_MAX) {
        o->trans = CUBLAS_N;
        o->lead = (int)row;
        return true;
    }
    if (rows == 1) row = 1;
    if (columns == 1) column = MAX(rows, 1);
    if (row != 1 || column < MAX(rows, 1) || column > INT32_MAX) return false;
    o->trans = CUBLAS_T;
    o->lead = (int)column;
    return true;
}

bool cublas_ready(gpa_dev *d) {
    char why[128];
    if (!d->blas && !(d->blas = api_blas(why, sizeof why))) return false;
    if (!d->blas_handle && d->blas->create(&d->blas_handle)) return false;
    return !d->blas->set_stream(d->blas_handle, d->stream);
}

bool cublas_can(gpa_dev *d, const gpa_libcall *c) {
    int data, sum;
    operand o;
    if (c->kind != LIB_GEMM || !types(c, &data, &sum)) return false;
    size_t size = dtype_size(c->dtype);
    if (c->gemm.m > INT32_MAX || c->gemm.n > INT32_MAX || c->gemm.k > INT32_MAX ||
        c->gemm.batch > INT32_MAX)
        return false;
    if (!prepare(&o, &c->gemm.a, c->gemm.m, c->gemm.k, size) ||
        !prepare(&o, &c->gemm.b, c->gemm.k, c->gemm.n, size))
        return false;
    return cublas_ready(d);
}

gpa_code cublas_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    int data = 0, sum = 0;
    operand a, b;
    size_t size = dtype_size(c->dtype);
    int64_t m = c->gemm.m, n = c->gemm.n, k = c->gemm.k, batch = c->gemm.batch;
    float one[2] = {1, 0}, old[2] = {c->gemm.accumulate, 0};
    double one2[2] = {1, 0}, old2[2] = {0, 0};
    const size_t size_out = c->gemm.widen ? dtype_size(DT_F32) : size;
    void *out = (void *)(uintptr_t)(c->gemm.c.mem->address + (uint64_t)c->gemm.c.offset * size_out);
    if (!batch || !m || !n) return GPA_OK;
    if (!k)
        return api_check(d->cu->fill((CUdeviceptr)(uintptr_t)out, 0,
                                     (size_t)(batch * m * n) * size_out, d->stream),
                         "cuMemsetD8Async", e);
    if (!types(c, &data, &sum) || !prepare(&a, &c->gemm.a, m, k, size) ||
        !prepare(&b, &c->gemm.b, k, n, size))
        return gpa_fail(e, GPA_E_INTERNAL, "a matrix product that cuBLAS cannot do");
    bool wide = sum == CUBLAS_COMPUTE_64F;
    int r = d->blas->gemm(d->blas_handle, b.trans, a.trans, (int)n, (int)m, (int)k,
                          wide ? (void *)one2 : (void *)one, b.at, data, b.lead, b.batch, a.at,
                          data, a.lead, a.batch, wide ? (void *)old2 : (void *)old, out,
                          c->gemm.widen ? CUDA_R_32F : data, (int)n, c->gemm.c.stride[0],
                          (int)batch, sum, CUBLAS_DEFAULT);
    return r ? gpa_fail(e, GPA_E_DEVICE, "cublasGemmStridedBatchedEx: status %d", r) : GPA_OK;
}

void cublas_close(gpa_dev *d) {
    if (d->blas_handle) d->blas->destroy(d->blas_handle);
    d->blas_handle = NULL;
}
