/* Sorting, and transposing sparse matrices, by gpa-cub.so: supported calls, and scratch memory. A
 * build without nvcc has no gpa-cub.so; then the host does them. */
#include "runtime/cuda/lib/sort.h"

#include <dlfcn.h>
#include <stdio.h>

#include "runtime/base/base.h"
#include "runtime/cuda/lib/cub.h"
#include "runtime/cuda/driver/find.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/tables/tuning.h"

/* Loaded once, in the context of a device. NULL: missing, or its CUDA runtime rejects the driver.
 */
static cub_fn *open_cub(const gpa_dev *d) {
    static cub_fn *known;
    static bool tried;
    char path[4096];
    if (!tried && dlsym(d->cu->library, "cuGetProcAddress_v2") &&
        find_next_to_plugin("gpa-cub.so", path, sizeof path)) {
        void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL), *entry = so ? dlsym(so, CUB_ENTRY) : NULL;
        const cub_sort_call asks_cuda = {
            .order = CUB_FLOAT, .bytes = sizeof(float), .rows = 1, .n = 1};
        size_t bytes;
        if (entry) memcpy(&known, &entry, sizeof entry);
        if (entry && known(&(cub_call){.sort = &asks_cuda}, NULL, &bytes)) known = NULL;
    }
    tried = true;
    return known;
}

static bool order_of(gpa_dtype t, cub_order *out) {
    switch (t) {
        case DT_BOOL:
        case DT_U8:
        case DT_U16:
        case DT_U32:
        case DT_U64: *out = CUB_UNSIGNED; return true;
        case DT_I8:
        case DT_I16:
        case DT_I32:
        case DT_I64: *out = CUB_SIGNED; return true;
        case DT_F16: *out = CUB_HALF; return true;
        case DT_BF16: *out = CUB_BFLOAT; return true;
        case DT_F32: *out = CUB_FLOAT; return true;
        case DT_F64: *out = CUB_DOUBLE; return true;
        case DT_C64:
        case DT_C128: *out = CUB_COMPLEX; return true;
        case DT_COUNT: break;
    }
    return false;
}

bool cub_sort_can(gpa_dev *d, const gpa_libcall *c) {
    cub_order order;
    return order_of(c->dtype, &order) && !c->sort.stride && c->sort.n > 0 && c->sort.rows > 0 &&
           c->sort.rows <= INT32_MAX / c->sort.n && open_cub(d);
}

/* 0: no array is bound. */
static CUdeviceptr operand_address(const gpa_binding *b, size_t item) {
    return b->mem ? b->mem->address + (uint64_t)b->offset * item : 0;
}

/* Queues a call; its scratch memory is freed in stream order. */
static gpa_code run_cub(gpa_dev *d, const cub_call *c, gpa_err *e) {
    cub_fn *cub = open_cub(d);
    size_t bytes = 0;
    CUdeviceptr scratch = 0;
    int status = cub(c, NULL, &bytes);
    gpa_code rc =
        status ? GPA_OK : api_check(d->cu->alloc(&scratch, bytes, d->stream), "cuMemAllocAsync", e);
    if (rc) return rc;
    if (!status) {
        status = cub(c, (void *)(uintptr_t)scratch, &bytes);
        d->cu->free(scratch, d->stream);
    }
    return status ? gpa_fail(e, GPA_E_DEVICE, "sorting by CUB: CUDA's error %d", status) : GPA_OK;
}

gpa_code cub_sort_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    size_t item = dtype_size(c->dtype);
    bool ranks = c->kind == LIB_ARGSORT;
    cub_sort_call s = {
        .bytes = (int32_t)item,
        .ranks = ranks,
        .rows = c->sort.rows,
        .n = c->sort.n,
        .stream = d->stream,
        .in = (const void *)(uintptr_t)operand_address(&c->sort.in, item),
        .out = (void *)(uintptr_t)operand_address(&c->sort.out, ranks ? sizeof(int64_t) : item)};
    order_of(c->dtype, &s.order);
    gpa_code rc = GPA_OK;
    if (item == 8 && s.order <= CUB_SIGNED && s.rows * s.n >= TUNE_CUDA_SORT_FIND_BITS_MIN_ELEMS)
        rc = wait_idle(d, e); /* CUB synchronizes, which Ctrl-C cannot interrupt */
    return rc ? rc : run_cub(d, &(cub_call){.sort = &s}, e);
}

bool cub_transpose_can(gpa_dev *d, const gpa_libcall *c) {
    return c->transpose.nnz <= INT32_MAX && c->transpose.cols < INT32_MAX && open_cub(d);
}

gpa_code cub_transpose_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    const size_t item = dtype_size(c->dtype), index = sizeof(int32_t);
    cub_transpose_call t = {
        .bytes = (int32_t)item,
        .n = c->transpose.cols,
        .count = c->transpose.nnz,
        .stream = d->stream,
        .key = (const int32_t *)(uintptr_t)operand_address(&c->transpose.col, index),
        .other = (const int32_t *)(uintptr_t)operand_address(&c->transpose.row, index),
        .at = (const void *)(uintptr_t)operand_address(&c->transpose.data, item),
        .start = (int32_t *)(uintptr_t)operand_address(&c->transpose.indptr, index),
        .to_other = (int32_t *)(uintptr_t)operand_address(&c->transpose.indices, index),
        .to_at = (void *)(uintptr_t)operand_address(&c->transpose.to_data, item)};
    return run_cub(d, &(cub_call){.transpose = &t}, e);
}
