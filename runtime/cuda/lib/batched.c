/* Programs for small matrices, and for those of a middling size whose libraries take one after the
 * other: one for each call, dtype and shape, compiled at run time from elements.cuh,
 * warp_matrix.cuh and block_matrix.cuh, and kept until the device closes. Reading order: sources,
 * programs, calls. */
#include "runtime/cuda/lib/batched.h"

#include "runtime/base/base.h"
#include "runtime/cuda/lib/batched_source.h"
#include "runtime/cuda/driver/transfer.h"
#include "runtime/base/str.h"

enum {
    MOST_ROWS = 32,
    MOST_BLOCK_ROWS = 256,
    REDUCTIONS_SINCE = 8,
    FEW_ROWS = 16,
    MANY = 4096,
    FREE_SHARED = 48 << 10,
    OWN_SHARED = 20 << 10
};

typedef struct cu_small {
    struct cu_small *next;
    int which; /* of `rows` */
    gpa_dtype dtype;
    int m, n, columns, rotated;
    size_t shared;
    CUmodule module;
    CUfunction function; /* NULL: it could not be compiled */
    CUfunction second;   /* of calls that take two launches */
} program;

/* The calls that there are programs for: their names in warp_matrix.cuh and block_matrix.cuh. For
 * eigenvalues there are two. */
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

static bool is_small(const gpa_libcall *c) {
    return c->matrix.m <= MOST_ROWS && c->matrix.n <= MOST_ROWS;
}

/* Jacobi's method finds the vectors as well, and is behind only where there are enough matrices of
 * many rows for every lane. */
static int row_of(const gpa_libcall *c) {
    bool many = c->matrix.n > FEW_ROWS && c->matrix.batch >= MANY;
    if (!is_small(c))
        return c->kind == LIB_QR ? (int)BLOCK_QR : c->kind == LIB_SVD ? (int)BLOCK_SVD : (int)ROWS;
    return c->kind == LIB_EIGH && (c->matrix.vectors || !many) ? (int)EIGEN : (int)c->kind;
}
static bool by_teams(const gpa_libcall *c) { return row_of(c) == LIB_SVD || row_of(c) == EIGEN; }
static bool by_blocks(const gpa_libcall *c) {
    return row_of(c) == BLOCK_QR || row_of(c) == BLOCK_SVD;
}

/* ---- sources ---- */

/* Right hand sides that are solved for at a time; columns of U; else 1. */
static int columns_of(const gpa_libcall *c) {
    if (c->kind == LIB_SVD)
        return (int)(c->matrix.full && c->matrix.x[2] ? c->matrix.m : c->matrix.n);
    return c->kind != LIB_SOLVE || c->matrix.k == 1 ? 1 : 4;
}

/* Rows of V, where it is wanted. */
static int rotated_of(const gpa_libcall *c) {
    return c->kind == LIB_SVD && c->matrix.x[2] ? (int)c->matrix.n : 0;
}

/* Bytes of shared memory that a block's matrices take. */
static size_t shared_of(const gpa_libcall *c) {
    int64_t kept = row_of(c) == BLOCK_SVD ? columns_of(c) : c->matrix.n;
    return by_blocks(c)
               ? (size_t)(kept * c->matrix.m + rotated_of(c) * c->matrix.n) * dtype_size(c->dtype)
               : 0;
}

/* So many that their matrices fit in the shared memory that any block has; or those of a matrix. */
static int warps_of(const gpa_libcall *c) {
    size_t item = dtype_size(c->dtype);
    if (by_blocks(c)) return (int)MIN(MAX(c->matrix.n / 4, 4), 16);
    return by_teams(c) || item > 8 ? 1 : item <= 4 ? 4 : 2;
}

/* Lanes that do a matrix. */
static int lanes_of(const gpa_libcall *c) {
    int lanes = by_teams(c) ? 4 : 32;
    while (lanes < MAX(columns_of(c), (int)c->matrix.n)) lanes *= 2;
    return lanes;
}

/* Elements from row to row, or of QR from column to column: they begin at 16 bytes, and what lies
 * across them lies in different banks. */
static int line_of(const gpa_libcall *c) { return 16 / (int)dtype_size(c->dtype); }
static int lines_of(const gpa_libcall *c) {
    int n = (int)(c->kind == LIB_QR ? c->matrix.m : c->matrix.n);
    return (n + line_of(c) - 1) / line_of(c);
}

char *small_source(const gpa_libcall *c, bool reductions) {
    gpa_str s;
    int lines = lines_of(c);
    str_init(&s);
    str_printf(&s,
               "typedef %s real;\nenum { M = %d, N = %d, COLUMNS = %d, WARPS = %d, STRIDE = %d, "
               "LINE = %d, WIDE = %d };\n",
               dtype_info[c->dtype].real == DT_F32 ? "float" : "double", (int)c->matrix.m,
               (int)c->matrix.n, columns_of(c), warps_of(c), (lines | 1) * line_of(c),
               lines * line_of(c), lanes_of(c));
    str_printf(&s, "#define ROTATED %d\n#define COMPLEX %d\n#define REDUX %d\n#define %s 1\n",
               rotated_of(c), dtype_is_complex(c->dtype), reductions, rows[row_of(c)].symbol);
    str_put(&s, batched_source);
    char *text = s.failed ? NULL : mem_text(s.text, s.len);
    str_free(&s);
    return text;
}

/* ---- programs ---- */

static CUfunction build(gpa_dev *d, program *p, const char *source) {
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
    if (!r && p->shared > FREE_SHARED)
        r = d->cu->function_set(p->function, CU_FUNC_MAX_DYNAMIC, (int)p->shared);
    mem_free(built);
    return r ? NULL : p->function;
}

static bool is_for(const program *p, const program *w) {
    return p->which == w->which && p->dtype == w->dtype && p->m == w->m && p->n == w->n &&
           p->columns == w->columns && p->rotated == w->rotated;
}

static program *find(gpa_dev *d, const gpa_libcall *c) {
    program wanted = {.which = row_of(c),
                      .dtype = c->dtype,
                      .m = (int)c->matrix.m,
                      .n = (int)c->matrix.n,
                      .columns = columns_of(c),
                      .rotated = rotated_of(c),
                      .shared = shared_of(c)};
    program *p = d->small;
    while (p && !is_for(p, &wanted)) p = p->next;
    if (p) return p;
    char *source = small_source(c, d->target.major >= REDUCTIONS_SINCE);
    p = source ? mem_new(sizeof *p) : NULL;
    if (p) {
        *p = wanted;
        p->next = d->small;
        d->small = p;
        p->function = build(d, p, source);
    }
    mem_free(source);
    return p;
}

static bool has_room(const gpa_dev *d, const gpa_libcall *c) {
    int64_t m = c->matrix.m, n = c->matrix.n;
    if (m < 1 || n < 1 || c->matrix.batch < 2 || c->matrix.batch > INT32_MAX) return false;
    return is_small(c) || (by_blocks(c) && MAX(m, n) <= MOST_BLOCK_ROWS &&
                           shared_of(c) + OWN_SHARED <= d->max_shared);
}

bool batched_can(gpa_dev *d, const gpa_libcall *c) {
    if (!rows[c->kind].function || !has_room(d, c)) return false;
    if (c->dtype != DT_F32 && c->dtype != DT_F64 && c->dtype != DT_C64 && c->dtype != DT_C128)
        return false;
    if (c->kind == LIB_SOLVE && c->matrix.k < 1) return false;
    program *p = find(d, c);
    return p && p->function;
}

void small_close(gpa_dev *d) {
    while (d->small) {
        program *p = d->small;
        d->small = p->next;
        if (p->module) d->cu->module_unload(p->module);
        mem_free(p);
    }
}

/* ---- calls ---- */

static gpa_code launch(gpa_dev *d, const gpa_libcall *c, void **args, gpa_err *e) {
    const program *p = find(d, c);
    int64_t warps = warps_of(c), each = by_blocks(c) ? 1 : warps * (32 / lanes_of(c)),
            blocks = (c->matrix.batch + each - 1) / each;
    if (!p || !p->function) return gpa_no_memory(e);
    return api_check(d->cu->launch(p->function, (unsigned)blocks, 1, 1, 32 * (unsigned)warps, 1, 1,
                                   (unsigned)p->shared, d->stream, args, NULL),
                     "cuLaunchKernel", e);
}

static CUdeviceptr at(const gpa_libcall *c, int i) {
    return c->matrix.x[i] ? c->matrix.x[i]->at : 0;
}

/* Eigenvalues: those of the tridiagonal matrices that the first launch leaves in memory of their
 * own. */
static gpa_code eigenvalues(gpa_dev *d, const gpa_libcall *c, CUdeviceptr said, gpa_err *e) {
    CUdeviceptr a = at(c, 0), values = at(c, 1), diagonals = 0, beside;
    long long batch = c->matrix.batch;
    int upper = c->matrix.upper;
    size_t half = (size_t)(c->matrix.n * batch) * dtype_size((gpa_dtype)dtype_info[c->dtype].real);
    gpa_code rc = api_check(d->cu->alloc(&diagonals, 2 * half, d->stream), "cuMemAllocAsync", e);
    if (rc) return rc;
    beside = diagonals + half;
    rc = launch(d, c, (void *[]){&a, &upper, &diagonals, &beside, &batch}, e);
    if (!rc) {
        void *args[] = {&diagonals, &beside, &values, &batch, &said};
        CUresult r = d->cu->launch(find(d, c)->second, (unsigned)((batch + 31) / 32), 1, 1, 32, 1,
                                   1, 0, d->stream, args, NULL);
        rc = api_check(r, "cuLaunchKernel", e);
    }
    d->cu->free(diagonals, d->stream);
    return rc;
}

/* With what each program is called: its parameters in warp_matrix.cuh. */
static gpa_code call(gpa_dev *d, const gpa_libcall *c, CUdeviceptr said, gpa_err *e) {
    CUdeviceptr a = at(c, 0), b = at(c, 1), q = at(c, 2), vh = at(c, 3);
    long long k = c->matrix.k, batch = c->matrix.batch;
    int upper = c->matrix.upper, columns = (int)k;
    switch (row_of(c)) {
        case LIB_LU: return launch(d, c, (void *[]){&a, &b, &batch}, e);
        case LIB_SOLVE: return launch(d, c, (void *[]){&a, &b, &k, &batch, &said}, e);
        case LIB_CHOLESKY: return launch(d, c, (void *[]){&a, &upper, &batch, &said}, e);
        case LIB_QR:
        case BLOCK_QR: return launch(d, c, (void *[]){&a, &b, &q, &columns, &batch}, e);
        case LIB_SVD:
        case BLOCK_SVD: return launch(d, c, (void *[]){&a, &b, &q, &vh, &batch, &said}, e);
        case LIB_EIGH: return eigenvalues(d, c, said, e);
        case EIGEN: return launch(d, c, (void *[]){&a, &upper, &b, &batch, &said}, e);
    }
    return gpa_fail(e, GPA_E_INTERNAL, "no program for small matrices");
}

/* A program leaves in one word the first matrix that has something to say and, in its lower half,
 * what. */
gpa_code batched_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    uint64_t verdict = UINT64_MAX;
    CUdeviceptr said = 0;
    gpa_code rc = GPA_OK;
    *c->matrix.info = 0;
    if (c->kind == LIB_LU || c->kind == LIB_QR) return call(d, c, 0, e); /* nothing can fail */
    TRY(api_check(d->cu->alloc(&said, sizeof verdict, d->stream), "cuMemAllocAsync", e));
    TRY(api_check(d->cu->fill(said, 0xff, sizeof verdict, d->stream), "cuMemsetD8Async", e));
    TRY(call(d, c, said, e));
    TRY(transfer_down(d, &verdict, said, sizeof verdict, e));
    if (verdict != UINT64_MAX) *c->matrix.info = (int32_t)verdict;
out:
    if (said) d->cu->free(said, d->stream);
    return rc;
}
