/* Linear solve, LU, Cholesky, QR, SVD and eigenvalues by cuSOLVER; batched ones by cuBLAS; small
 * matrices by batched.c.
 *
 * Matrices are column-major, contiguous, one after the other, in memory that may be overwritten.
 * Batched calls are used where the libraries have them; else one call per matrix on the stream.
 * LAPACK's info of every matrix is collected in device memory and read at the end.
 *
 * Reading order: scratch memory, workspaces of the generic API, factorizations, calls. */
#include "runtime/cuda/lib/cusolver.h"

#include "runtime/base/base.h"
#include "runtime/cuda/lib/cublas.h"
#include "runtime/cuda/lib/batched.h"
#include "runtime/cuda/driver/transfer.h"
#include "runtime/tables/tuning.h"

enum { MAX_SCRATCH = 8 };

/* A call in progress. */
typedef struct {
    gpa_dev *d;
    const cu_solver *s;
    const gpa_libcall *c;
    int m, n, k, batch, item;         /* item: bytes of an element */
    int data, part;                   /* cudaDataType of the dtype and of its real one */
    int *info;                        /* on the device: one per matrix */
    CUdeviceptr scratch[MAX_SCRATCH]; /* scratch memory, freed at the end */
    int n_scratch;
    void *host_scratch;
} work;

/* ---- scratch memory ---- */

static gpa_code check(int status, const char *call, gpa_err *e) {
    return status ? gpa_fail(e, status == 2 ? GPA_E_MEMORY : GPA_E_DEVICE, "%s: status %d", call,
                             status)
                  : GPA_OK;
}

/* Device memory until the end of the call. */
static gpa_code allocate(work *w, size_t bytes, void *out, gpa_err *e) {
    CUdeviceptr at = 0;
    gpa_code rc =
        api_check(w->d->cu->alloc(&at, MAX(bytes, 16), w->d->stream), "cuMemAllocAsync", e);
    if (rc) return rc;
    w->scratch[w->n_scratch++] = at;
    void *p = (void *)(uintptr_t)at;
    memcpy(out, &p, sizeof p);
    return GPA_OK;
}

/* Matrix i of array x, each of `size` elements of `item` bytes. */
static void *at(const work *w, int x, int64_t i, int64_t size, int item) {
    const gpa_mem *mem = w->c->matrix.x[x];
    return mem ? (void *)(uintptr_t)(mem->address + (uint64_t)(i * size * item)) : NULL;
}

/* On the device: the addresses of the matrices of array x. */
static gpa_code addresses(work *w, int x, int64_t size, void *out, gpa_err *e) {
    void **list = mem_new((size_t)w->batch * sizeof *list), *device_list = NULL;
    gpa_code rc =
        list ? allocate(w, (size_t)w->batch * sizeof *list, &device_list, e) : gpa_no_memory(e);
    for (int i = 0; i < w->batch && !rc; i++) list[i] = at(w, x, i, size, w->item);
    if (!rc)
        rc = transfer_up(w->d, (CUdeviceptr)(uintptr_t)device_list, list,
                         (size_t)w->batch * sizeof *list, e);
    memcpy(out, &device_list, sizeof device_list);
    mem_free(list);
    return rc;
}

/* ---- workspaces of the generic API ---- */

typedef struct {
    size_t n, host_n;
    void *at, *host;
} workspace;

static gpa_code allocate_workspace(work *w, workspace *s, gpa_err *e) {
    s->host = w->host_scratch = mem_new(MAX(s->host_n, 1));
    return s->host ? allocate(w, s->n, &s->at, e) : gpa_no_memory(e);
}

/* ---- factorizations ---- */

/* Calls of cuSOLVER's typed API, of cuBLAS's typed API, of cuSOLVER's generic API. */
#define TYPED(member, ...) \
    check(w->s->member[api_type(w->c->dtype)](w->d->solver_handle, __VA_ARGS__), #member, e)
#define BATCHED(member, ...) \
    check(w->d->blas->member[api_type(w->c->dtype)](w->d->blas_handle, __VA_ARGS__), #member, e)
#define GENERIC(member, ...) \
    check(w->s->member(w->d->solver_handle, w->d->solver_params, __VA_ARGS__), #member, e)

static int lead(int rows) { return MAX(rows, 1); }

/* One matrix after the other. `then_solve`: row-major operands, so their transposes are solved. */
static gpa_code lu_one_by_one(work *w, int *pivots, int64_t pivots_step, bool then_solve,
                              gpa_err *e) {
    int n_work = 0;
    void *buffer = NULL;
    int64_t size = (int64_t)w->m * w->n, b_size = (int64_t)w->n * w->k;
    gpa_code rc = TYPED(lu_workspace, w->m, w->n, at(w, 0, 0, size, w->item), lead(w->m), &n_work);
    if (!rc) rc = allocate(w, (size_t)n_work * (size_t)w->item, &buffer, e);
    for (int i = 0; i < w->batch && !rc; i++) {
        void *a = at(w, 0, i, size, w->item), *b = then_solve ? at(w, 1, i, b_size, w->item) : NULL;
        int *p = pivots + i * pivots_step;
        rc = TYPED(lu, w->m, w->n, a, lead(w->m), buffer, p, w->info + i);
        if (!rc && b)
            rc = TYPED(solve, CUBLAS_T, w->n, w->k, a, lead(w->n), p, b, lead(w->n),
                       w->info + w->batch);
    }
    return rc;
}

static bool is_batched(const work *w) {
    return w->batch > 1 && w->m == w->n && w->n <= TUNE_CUDA_CUBLAS_BATCHED_MAX_ROWS;
}

static gpa_code lu(work *w, gpa_err *e) {
    int *pivots = at(w, 1, 0, 0, 0), p = MIN(w->m, w->n);
    void **a;
    if (!is_batched(w)) return lu_one_by_one(w, pivots, p, false, e);
    gpa_code rc = addresses(w, 0, (int64_t)w->n * w->n, &a, e);
    return rc ? rc : BATCHED(lu, w->n, a, lead(w->n), pivots, w->info, w->batch);
}

static gpa_code solve(work *w, gpa_err *e) {
    int *pivots, ignored = 0;
    void **a, **b;
    bool batched = is_batched(w);
    gpa_code rc =
        allocate(w, (size_t)w->n * (size_t)(batched ? w->batch : 1) * sizeof *pivots, &pivots, e);
    if (rc || !w->k) return rc;
    if (!batched) return lu_one_by_one(w, pivots, 0, true, e);
    rc = addresses(w, 0, (int64_t)w->n * w->n, &a, e);
    if (!rc) rc = addresses(w, 1, (int64_t)w->n * w->k, &b, e);
    if (!rc) rc = BATCHED(lu, w->n, a, lead(w->n), pivots, w->info, w->batch);
    if (!rc)
        rc = BATCHED(solve, CUBLAS_T, w->n, w->k, (const void *const *)a, lead(w->n), pivots, b,
                     lead(w->n), &ignored, w->batch);
    return rc;
}

static gpa_code cholesky(work *w, gpa_err *e) {
    int n_work = 0, upper = w->c->matrix.upper;
    void **a, *buffer = NULL;
    int64_t size = (int64_t)w->n * w->n;
    gpa_code rc;
    if (is_batched(w)) {
        rc = addresses(w, 0, size, &a, e);
        return rc ? rc : TYPED(cholesky_batched, upper, w->n, a, lead(w->n), w->info, w->batch);
    }
    rc = TYPED(cholesky_workspace, upper, w->n, at(w, 0, 0, size, w->item), lead(w->n), &n_work);
    if (!rc) rc = allocate(w, (size_t)n_work * (size_t)w->item, &buffer, e);
    for (int i = 0; i < w->batch && !rc; i++)
        rc = TYPED(cholesky, upper, w->n, at(w, 0, i, size, w->item), lead(w->n), buffer, n_work,
                   w->info + i);
    return rc;
}

static gpa_code copy(work *w, void *to, const void *from, int64_t elements, gpa_err *e) {
    CUdeviceptr t = (CUdeviceptr)(uintptr_t)to, f = (CUdeviceptr)(uintptr_t)from;
    return api_check(w->d->cu->copy(t, f, (size_t)(elements * w->item), w->d->stream),
                     "cuMemcpyDtoDAsync", e);
}

static gpa_code qr(work *w, gpa_err *e) {
    int n_work = 0, more = 0, p = MIN(w->m, w->n);
    void *buffer = NULL;
    int64_t size = (int64_t)w->m * w->n, q_size = (int64_t)w->m * w->k,
            kept = (int64_t)w->m * MIN(w->k, w->n);
    void *a = at(w, 0, 0, size, w->item), *tau = at(w, 1, 0, p, w->item),
         *q = at(w, 2, 0, q_size, w->item);
    gpa_code rc = TYPED(qr_workspace, w->m, w->n, a, lead(w->m), &n_work);
    if (!rc && q) rc = TYPED(q_workspace, w->m, w->k, p, q, lead(w->m), tau, &more);
    n_work = MAX(n_work, more);
    if (!rc) rc = allocate(w, (size_t)n_work * (size_t)w->item, &buffer, e);
    for (int i = 0; i < w->batch && !rc; i++) {
        a = at(w, 0, i, size, w->item);
        tau = at(w, 1, i, p, w->item);
        rc = TYPED(qr, w->m, w->n, a, lead(w->m), tau, buffer, n_work, w->info + i);
        if (rc || !q) continue;
        q = at(w, 2, i, q_size, w->item);
        rc = copy(w, q, a, kept, e);
        if (!rc) rc = TYPED(q, w->m, w->k, p, q, lead(w->m), tau, buffer, n_work, w->info + i);
    }
    return rc;
}

static gpa_code svd(work *w, gpa_err *e) {
    workspace s = {0};
    int64_t m = w->m, n = w->n, u = w->c->matrix.full ? m : n;
    int part = w->item / (dtype_is_complex(w->c->dtype) ? 2 : 1);
    signed char job = !w->c->matrix.x[2] ? 'N' : w->c->matrix.full ? 'A' : 'S';
    void *x[LIB_MATRICES];
    for (int k = 0; k < LIB_MATRICES; k++) x[k] = at(w, k, 0, 0, 0);
    gpa_code rc = GENERIC(svd_workspace, job, job, m, n, w->data, x[0], m, w->part, x[1], w->data,
                          x[2], m, w->data, x[3], n, w->data, &s.n, &s.host_n);
    if (!rc) rc = allocate_workspace(w, &s, e);
    for (int i = 0; i < w->batch && !rc; i++) {
        x[0] = at(w, 0, i, m * n, w->item);
        x[1] = at(w, 1, i, n, part);
        x[2] = at(w, 2, i, m * u, w->item);
        x[3] = at(w, 3, i, n * n, w->item);
        rc = GENERIC(svd, job, job, m, n, w->data, x[0], m, w->part, x[1], w->data, x[2], m,
                     w->data, x[3], n, w->data, s.at, s.n, s.host, s.host_n, w->info + i);
    }
    return rc;
}

static gpa_code eigh(work *w, gpa_err *e) {
    workspace s = {0};
    int job = w->c->matrix.vectors, upper = w->c->matrix.upper,
        part = w->item / (dtype_is_complex(w->c->dtype) ? 2 : 1);
    int64_t n = w->n;
    void *a = at(w, 0, 0, 0, 0), *values = at(w, 1, 0, 0, 0);
    bool together = w->batch > 1 && w->s->eigh;
    gpa_code rc;
    if (together)
        rc = GENERIC(eigh_workspace, job, upper, n, w->data, a, n, w->part, values, w->data, &s.n,
                     &s.host_n, w->batch);
    else
        rc = GENERIC(eigh_one_workspace, job, upper, n, w->data, a, n, w->part, values, w->data,
                     &s.n, &s.host_n);
    if (!rc) rc = allocate_workspace(w, &s, e);
    if (!rc && together)
        return GENERIC(eigh, job, upper, n, w->data, a, n, w->part, values, w->data, s.at, s.n,
                       s.host, s.host_n, w->info, w->batch);
    for (int i = 0; i < w->batch && !rc; i++) {
        a = at(w, 0, i, n * n, w->item);
        values = at(w, 1, i, n, part);
        rc = GENERIC(eigh_one, job, upper, n, w->data, a, n, w->part, values, w->data, s.at, s.n,
                     s.host, s.host_n, w->info + i);
    }
    return rc;
}

static gpa_code eig(work *w, gpa_err *e) {
    workspace s = {0};
    int64_t n = w->n;
    bool wide = w->part == CUDA_R_64F;
    int job = w->c->matrix.x[2] != NULL, pairs = wide ? CUDA_C_64F : CUDA_C_32F,
        pair = wide ? 16 : 8;
    void *a = at(w, 0, 0, 0, 0), *values = at(w, 1, 0, 0, 0), *vectors = at(w, 2, 0, 0, 0);
    gpa_code rc = GENERIC(eig_workspace, 0, job, n, w->data, a, n, pairs, values, w->data, NULL, n,
                          w->data, vectors, n, w->data, &s.n, &s.host_n);
    if (!rc) rc = allocate_workspace(w, &s, e);
    for (int i = 0; i < w->batch && !rc; i++) {
        a = at(w, 0, i, n * n, w->item);
        values = at(w, 1, i, n, pair);
        vectors = at(w, 2, i, n * n, w->item);
        rc = GENERIC(eig, 0, job, n, w->data, a, n, pairs, values, w->data, NULL, n, w->data,
                     vectors, n, w->data, s.at, s.n, s.host, s.host_n, w->info + i);
    }
    return rc;
}

/* ---- calls ---- */

typedef gpa_code routine(work *w, gpa_err *e);

static routine *const routines[LIB_COUNT] = {
    [LIB_LU] = lu,   [LIB_SOLVE] = solve, [LIB_CHOLESKY] = cholesky, [LIB_QR] = qr,
    [LIB_SVD] = svd, [LIB_EIGH] = eigh,   [LIB_EIG] = eig,
};

bool cusolver_can(gpa_dev *d, const gpa_libcall *c) {
    char why[128];
    gpa_dtype t = c->dtype;
    if (t != DT_F32 && t != DT_F64 && t != DT_C64 && t != DT_C128) return false;
    if (c->matrix.m > INT32_MAX || c->matrix.n > INT32_MAX || c->matrix.k > INT32_MAX ||
        c->matrix.batch > INT32_MAX)
        return false;
    if (batched_can(d, c)) return true;
    if (!cublas_ready(d)) return false;
    if (!d->solver && !(d->solver = api_solver(why, sizeof why))) return false;
    if (c->kind == LIB_EIG && !d->solver->eig) return false;
    if (!d->solver_handle && d->solver->create(&d->solver_handle)) return false;
    if (!d->solver_params && d->solver->params_create(&d->solver_params)) return false;
    return !d->solver->set_stream(d->solver_handle, d->stream);
}

void cusolver_close(gpa_dev *d) {
    if (d->solver_params) d->solver->params_destroy(d->solver_params);
    if (d->solver_handle) d->solver->destroy(d->solver_handle);
    d->solver_params = NULL;
    d->solver_handle = NULL;
}

/* LAPACK's info of the first matrix that failed. For LU alone a zero pivot is no failure. */
static gpa_code report(const work *w, gpa_err *e) {
    int32_t *infos = mem_new((size_t)w->batch * sizeof *infos);
    gpa_code rc = infos ? transfer_down(w->d, infos, (CUdeviceptr)(uintptr_t)w->info,
                                        (size_t)w->batch * sizeof *infos, e)
                        : gpa_no_memory(e);
    *w->c->matrix.info = 0;
    for (int i = 0; i < w->batch && !rc && !*w->c->matrix.info; i++)
        if (w->c->kind != LIB_LU || infos[i] < 0) *w->c->matrix.info = infos[i];
    mem_free(infos);
    return rc;
}

gpa_code cusolver_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    if (batched_can(d, c)) return batched_run(d, c, e);
    work w = {.d = d,
              .s = d->solver,
              .c = c,
              .m = (int)c->matrix.m,
              .n = (int)c->matrix.n,
              .k = (int)c->matrix.k,
              .batch = (int)c->matrix.batch,
              .item = (int)dtype_size(c->dtype)};
    bool wide = c->dtype == DT_F64 || c->dtype == DT_C128;
    w.part = wide ? CUDA_R_64F : CUDA_R_32F;
    w.data = !dtype_is_complex(c->dtype) ? w.part : wide ? CUDA_C_64F : CUDA_C_32F;
    *c->matrix.ignores_nan =
        c->kind == LIB_LU || c->kind == LIB_SOLVE; /* the pivot search does not detect NaN */
    gpa_code rc = allocate(&w, ((size_t)w.batch + 1) * sizeof *w.info, &w.info, e);
    if (!rc)
        rc = api_check(d->cu->fill((CUdeviceptr)(uintptr_t)w.info, 0,
                                   ((size_t)w.batch + 1) * sizeof *w.info, d->stream),
                       "cuMemsetD8Async", e);
    if (!rc) rc = routines[c->kind](&w, e);
    if (!rc) rc = report(&w, e);
    for (int i = 0; i < w.n_scratch; i++) d->cu->free(w.scratch[i], d->stream);
    if (rc && w.host_scratch) d->cu->stream_synchronize(d->stream);
    mem_free(w.host_scratch);
    return rc;
}
