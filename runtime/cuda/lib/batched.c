/* Batched linear algebra of small matrices: a warp per matrix of up to 32 rows, a block per matrix
 * of up to TUNE_CUDA_BLOCK_MATRIX_MAX_ROWS for QR and SVD, which the libraries compute one
 * matrix at a time.
 *
 * A kernel per operation, dtype and shape is compiled at run time from elements.cuh,
 * warp_matrix.cuh and block_matrix.cuh, and kept until the device closes. Reading order: sources,
 * kernels, calls. */
#include "runtime/cuda/lib/batched.h"

#include "runtime/base/base.h"
#include "runtime/cuda/build/nvrtc.h"
#include "runtime/cuda/lib/batched_source.h"
#include "runtime/cuda/driver/transfer.h"
#include "runtime/tables/tuning.h"
#include "runtime/base/str.h"

enum { WARP_MATRIX_MAX_ROWS = 32, REDUCTIONS_SINCE = 8, BLOCK_STATIC_SHARED = 20 << 10 };

typedef struct cu_batched {
    struct cu_batched *next;
    int which; /* of `rows` */
    gpa_dtype dtype;
    int m, n, columns, rotated;
    size_t shared;
    CUmodule module;
    CUfunction function; /* NULL: compilation failed */
    CUfunction second;   /* of operations that take two kernels */
} kernel;

/* The supported operations: names of their kernels and macros in warp_matrix.cuh and
 * block_matrix.cuh. Eigenvalues have two algorithms: EIGH (tridiagonal) and EIGEN (Jacobi). */
enum { EIGEN = LIB_COUNT, BLOCK_QR, BLOCK_SVD, ROWS };
static const struct {
    const char *function, *symbol, *second;
} rows[ROWS] = {
    [LIB_LU] = {"lu", "LU", NULL},
    [LIB_SOLVE] = {"solve", "SOLVE", NULL},
    [LIB_CHOLESKY] = {"cholesky", "CHOLESKY", NULL},
    [LIB_QR] = {"qr", "QR", NULL},
    [LIB_SVD] = {"svd", "SVD", NULL},
    [LIB_EIGH] = {"tridiagonal", "EIGH", "values"},
    [EIGEN] = {"eigen", "EIGEN", NULL},
    [BLOCK_QR] = {"block_qr", "BLOCK_QR", NULL},
    [BLOCK_SVD] = {"block_svd", "BLOCK_SVD", NULL},
};

static bool fits_warp(const gpa_libcall *c) {
    return c->matrix.m <= WARP_MATRIX_MAX_ROWS && c->matrix.n <= WARP_MATRIX_MAX_ROWS;
}

/* The row of a call's kernel; ROWS: none. Eigenvalues: Jacobi's method, which also computes the
 * vectors; tridiagonal reduction, which is faster for values alone if there are enough large
 * matrices to fill the lanes. */
static int row_of(const gpa_libcall *c) {
    bool many = c->matrix.n > TUNE_CUDA_JACOBI_MAX_ROWS &&
                c->matrix.batch >= TUNE_CUDA_TRIDIAGONAL_MIN_MATRICES;
    if (!fits_warp(c))
        return c->kind == LIB_QR ? (int)BLOCK_QR : c->kind == LIB_SVD ? (int)BLOCK_SVD : (int)ROWS;
    return c->kind == LIB_EIGH && (c->matrix.vectors || !many) ? (int)EIGEN : (int)c->kind;
}
static bool by_lanes(const gpa_libcall *c) { return row_of(c) == LIB_SVD || row_of(c) == EIGEN; }
static bool by_block(const gpa_libcall *c) {
    return row_of(c) == BLOCK_QR || row_of(c) == BLOCK_SVD;
}

/* ---- sources ---- */

/* Right-hand sides solved at a time; columns of U; else 1. */
static int columns_of(const gpa_libcall *c) {
    if (c->kind == LIB_SVD)
        return (int)(c->matrix.full && c->matrix.x[2] ? c->matrix.m : c->matrix.n);
    return c->kind != LIB_SOLVE || c->matrix.k == 1 ? 1 : 4;
}

/* Rows of V; 0: not computed. */
static int rotated_of(const gpa_libcall *c) {
    return c->kind == LIB_SVD && c->matrix.x[2] ? (int)c->matrix.n : 0;
}

/* Bytes of dynamic shared memory of a block. */
static size_t shared_of(const gpa_libcall *c) {
    int64_t kept = row_of(c) == BLOCK_SVD ? columns_of(c) : c->matrix.n;
    return by_block(c)
               ? (size_t)(kept * c->matrix.m + rotated_of(c) * c->matrix.n) * dtype_size(c->dtype)
               : 0;
}

/* Warps of a block: as many as have their matrices fit in static shared memory; with a block per
 * matrix, its warps. */
static int warps_of(const gpa_libcall *c) {
    size_t item = dtype_size(c->dtype);
    if (by_block(c)) return (int)MIN(MAX(c->matrix.n / 4, 4), 16);
    return by_lanes(c) || item > 8 ? 1 : item <= 4 ? 4 : 2;
}

/* Lanes per matrix. */
static int lanes_of(const gpa_libcall *c) {
    int lanes = by_lanes(c) ? 4 : 32;
    while (lanes < MAX(columns_of(c), (int)c->matrix.n)) lanes *= 2;
    return lanes;
}

/* The row stride (of QR the column stride) in 16-byte units of shared memory: odd, so that column
 * accesses have no bank conflicts. */
static int unit_of(const gpa_libcall *c) { return 16 / (int)dtype_size(c->dtype); }
static int units_of(const gpa_libcall *c) {
    int n = (int)(c->kind == LIB_QR ? c->matrix.m : c->matrix.n);
    return (n + unit_of(c) - 1) / unit_of(c);
}

char *batched_program_source(const gpa_libcall *c, bool reductions) {
    gpa_str s;
    int units = units_of(c);
    str_init(&s);
    str_printf(&s,
               "typedef %s real;\nenum { M = %d, N = %d, COLUMNS = %d, WARPS = %d, STRIDE = %d, "
               "VECTOR_STRIDE = %d, GROUP_LANES = %d };\n",
               dtype_info[c->dtype].real == DT_F32 ? "float" : "double", (int)c->matrix.m,
               (int)c->matrix.n, columns_of(c), warps_of(c), (units | 1) * unit_of(c),
               units * unit_of(c), lanes_of(c));
    str_printf(&s, "#define ROTATED %d\n#define COMPLEX %d\n#define REDUX %d\n#define %s 1\n",
               rotated_of(c), dtype_is_complex(c->dtype), reductions, rows[row_of(c)].symbol);
    str_put(&s, batched_source);
    char *text = s.failed ? NULL : mem_text(s.text, s.len);
    str_free(&s);
    return text;
}

/* ---- kernels ---- */

static CUfunction build_kernel(gpa_dev *d, kernel *p, const char *source) {
    cu_target target = d->target;
    cu_effort effort = EFFORT_FULL;
    char *built = NULL;
    gpa_err ignored = {0};
    target.contract = true;
    if (compile_ptx(source, target, &effort, &built, &ignored)) return NULL;
    CUresult r = compile_load(d->cu, built, effort, &p->module);
    if (!r && rows[p->which].second)
        r = d->cu->module_function(&p->second, p->module, rows[p->which].second);
    if (!r) r = d->cu->module_function(&p->function, p->module, rows[p->which].function);
    if (!r && p->shared > CU_STATIC_SHARED_BYTES)
        r = d->cu->function_set(p->function, CU_FUNC_MAX_DYNAMIC, (int)p->shared);
    mem_free(built);
    return r ? NULL : p->function;
}

static bool is_same_kernel(const kernel *p, const kernel *key) {
    return p->which == key->which && p->dtype == key->dtype && p->m == key->m && p->n == key->n &&
           p->columns == key->columns && p->rotated == key->rotated;
}

static kernel *find_kernel(gpa_dev *d, const gpa_libcall *c) {
    kernel key = {.which = row_of(c),
                  .dtype = c->dtype,
                  .m = (int)c->matrix.m,
                  .n = (int)c->matrix.n,
                  .columns = columns_of(c),
                  .rotated = rotated_of(c),
                  .shared = shared_of(c)};
    kernel *p = d->batched;
    while (p && !is_same_kernel(p, &key)) p = p->next;
    if (p) return p;
    char *source = batched_program_source(c, d->target.major >= REDUCTIONS_SINCE);
    p = source ? mem_new(sizeof *p) : NULL;
    if (p) {
        *p = key;
        p->next = d->batched;
        d->batched = p;
        p->function = build_kernel(d, p, source);
    }
    mem_free(source);
    return p;
}

static bool fits_shared(const gpa_dev *d, const gpa_libcall *c) {
    int64_t m = c->matrix.m, n = c->matrix.n;
    if (m < 1 || n < 1 || c->matrix.batch < 2 || c->matrix.batch > INT32_MAX) return false;
    return fits_warp(c) || (by_block(c) && MAX(m, n) <= TUNE_CUDA_BLOCK_MATRIX_MAX_ROWS &&
                            shared_of(c) + BLOCK_STATIC_SHARED <= d->max_shared);
}

bool batched_can(gpa_dev *d, const gpa_libcall *c) {
    if (!rows[c->kind].function || !fits_shared(d, c)) return false;
    if (c->dtype != DT_F32 && c->dtype != DT_F64 && c->dtype != DT_C64 && c->dtype != DT_C128)
        return false;
    if (c->kind == LIB_SOLVE && c->matrix.k < 1) return false;
    kernel *p = find_kernel(d, c);
    return p && p->function;
}

void batched_close(gpa_dev *d) {
    while (d->batched) {
        kernel *p = d->batched;
        d->batched = p->next;
        if (p->module) d->cu->module_unload(p->module);
        mem_free(p);
    }
}

/* ---- calls ---- */

static gpa_code launch_kernel(gpa_dev *d, const gpa_libcall *c, void **args, gpa_err *e) {
    const kernel *p = find_kernel(d, c);
    int64_t warps = warps_of(c), each = by_block(c) ? 1 : warps * (32 / lanes_of(c)),
            blocks = (c->matrix.batch + each - 1) / each;
    if (!p || !p->function) return gpa_no_memory(e);
    return api_check(d->cu->launch(p->function, (unsigned)blocks, 1, 1, 32 * (unsigned)warps, 1, 1,
                                   (unsigned)p->shared, d->stream, args, NULL),
                     "cuLaunchKernel", e);
}

static CUdeviceptr operand_address(const gpa_libcall *c, int i) {
    return c->matrix.x[i] ? c->matrix.x[i]->address : 0;
}

/* Eigenvalues of the tridiagonal matrices that the first kernel leaves in scratch memory. */
static gpa_code eigenvalues(gpa_dev *d, const gpa_libcall *c, CUdeviceptr failure_at, gpa_err *e) {
    CUdeviceptr a = operand_address(c, 0), values = operand_address(c, 1), diagonals = 0,
                subdiagonals;
    long long batch = c->matrix.batch;
    int upper = c->matrix.upper;
    size_t half = (size_t)(c->matrix.n * batch) * dtype_size((gpa_dtype)dtype_info[c->dtype].real);
    gpa_code rc = api_check(d->cu->alloc(&diagonals, 2 * half, d->stream), "cuMemAllocAsync", e);
    if (rc) return rc;
    subdiagonals = diagonals + half;
    rc = launch_kernel(d, c, (void *[]){&a, &upper, &diagonals, &subdiagonals, &batch}, e);
    if (!rc) {
        void *args[] = {&diagonals, &subdiagonals, &values, &batch, &failure_at};
        CUresult r = d->cu->launch(find_kernel(d, c)->second, (unsigned)((batch + 31) / 32), 1, 1,
                                   32, 1, 1, 0, d->stream, args, NULL);
        rc = api_check(r, "cuLaunchKernel", e);
    }
    d->cu->free(diagonals, d->stream);
    return rc;
}

/* Launches a kernel with its parameters (warp_matrix.cuh). */
static gpa_code run_kernel(gpa_dev *d, const gpa_libcall *c, CUdeviceptr failure_at, gpa_err *e) {
    CUdeviceptr a = operand_address(c, 0), b = operand_address(c, 1), q = operand_address(c, 2),
                vh = operand_address(c, 3);
    long long k = c->matrix.k, batch = c->matrix.batch;
    int upper = c->matrix.upper, columns = (int)k;
    switch (row_of(c)) {
        case LIB_LU: return launch_kernel(d, c, (void *[]){&a, &b, &batch}, e);
        case LIB_SOLVE: return launch_kernel(d, c, (void *[]){&a, &b, &k, &batch, &failure_at}, e);
        case LIB_CHOLESKY:
            return launch_kernel(d, c, (void *[]){&a, &upper, &batch, &failure_at}, e);
        case LIB_QR:
        case BLOCK_QR: return launch_kernel(d, c, (void *[]){&a, &b, &q, &columns, &batch}, e);
        case LIB_SVD:
        case BLOCK_SVD:
            return launch_kernel(d, c, (void *[]){&a, &b, &q, &vh, &batch, &failure_at}, e);
        case LIB_EIGH: return eigenvalues(d, c, failure_at, e);
        case EIGEN: return launch_kernel(d, c, (void *[]){&a, &upper, &b, &batch, &failure_at}, e);
    }
    return gpa_fail(e, GPA_E_INTERNAL, "no program for small matrices");
}

/* A kernel that can fail reports the first matrix that failed in one word, with LAPACK's info in
 * the lower half. */
gpa_code batched_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    uint64_t failure = UINT64_MAX;
    CUdeviceptr failure_at = 0;
    gpa_code rc = GPA_OK;
    *c->matrix.info = 0;
    if (c->kind == LIB_LU || c->kind == LIB_QR)
        return run_kernel(d, c, 0, e); /* nothing can fail */
    TRY(api_check(d->cu->alloc(&failure_at, sizeof failure, d->stream), "cuMemAllocAsync", e));
    TRY(api_check(d->cu->fill(failure_at, 0xff, sizeof failure, d->stream), "cuMemsetD8Async", e));
    TRY(run_kernel(d, c, failure_at, e));
    TRY(transfer_down(d, &failure, failure_at, sizeof failure, e));
    if (failure != UINT64_MAX) *c->matrix.info = (int32_t)failure;
out:
    if (failure_at) d->cu->free(failure_at, d->stream);
    return rc;
}
