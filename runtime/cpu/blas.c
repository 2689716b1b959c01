/* Matrix products by OpenBLAS.
 *
 * Operands whose rows or whose columns are contiguous go in as they lie, transposed or not; others are packed first.
 * Many small products are divided among our threads, each done by one thread, the smallest without the library (products.h); few large ones
 * are left to OpenBLAS. */
#include "runtime/cpu/blas.h"

#include <dlfcn.h>

#include "runtime/base.h"
#include "runtime/cpu/products.h"
#include "runtime/cpu/run.h"
#include "runtime/cpu/threads.h"

/* Values of the CBLAS interface. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void (*dgemm_fn)(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void (*zgemm_fn)(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *,
                         int);

struct blas {
    void *library; /* NULL: there is none */
    sgemm_fn sgemm;
    dgemm_fn dgemm;
    zgemm_fn cgemm, zgemm;
    void (*set_threads)(int);
};

static void find(void *library, const char *name, void *fn) {
    void *found = dlsym(library, name);
    memcpy(fn, &found, sizeof found);
}

static blas *load(void) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", "libblas.so.3"};
    blas *b = mem_zero(sizeof *b);
    if (!b) return NULL;
    for (size_t i = 0; i < COUNT_OF(names) && !b->library; i++) b->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!b->library) return b;
    find(b->library, "cblas_sgemm", &b->sgemm);
    find(b->library, "cblas_dgemm", &b->dgemm);
    find(b->library, "cblas_cgemm", &b->cgemm);
    find(b->library, "cblas_zgemm", &b->zgemm);
    find(b->library, "openblas_set_num_threads", &b->set_threads);
    return b;
}

void blas_free(blas *b) { mem_free(b); }

void *blas_find(blas **b, const char *name) {
    if (!*b) *b = load();
    return *b && (*b)->library ? dlsym((*b)->library, name) : NULL;
}

void blas_threads(const blas *b, int threads) {
    if (b->set_threads) b->set_threads(threads);
}

bool blas_can(blas **b, const gpa_libcall *c) {
    if (c->kind != LIB_GEMM || c->gemm.m > INT32_MAX || c->gemm.n > INT32_MAX || c->gemm.k > INT32_MAX) return false;
    if (c->dtype != DT_F32 && c->dtype != DT_F64 && c->dtype != DT_C64 && c->dtype != DT_C128) return false;
    if (!*b) *b = load();
    return *b && (*b)->sgemm && (*b)->dgemm && (*b)->cgemm && (*b)->zgemm;
}

/* ---- operands ---- */

typedef struct {
    const char *at; /* of the first product */
    int64_t batch;  /* bytes from one product's operand to the next's */
    int trans, lead;
    void *packed;
} operand;

static bool fits(int64_t stride, int64_t least) { return stride >= (least > 1 ? least : 1) && stride <= INT32_MAX; }

/* rows x columns elements gathered, for every product. */
static gpa_code pack(operand *o, const gpa_binding *b, int64_t batch, int64_t rows, int64_t columns, size_t size, gpa_err *e) {
    const char *from = b->mem->base + b->offset * (int64_t)size;
    char *to = o->packed = mem_new((size_t)(batch * rows * columns) * size);
    if (!to) return gpa_no_memory(e);
    for (int64_t i = 0; i < batch; i++)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < columns; c++, to += size)
                memcpy(to, from + (i * b->stride[0] + r * b->stride[1] + c * b->stride[2]) * (int64_t)size, size);
    *o = (operand){o->packed, rows * columns * (int64_t)size, NO_TRANS, (int)columns, o->packed};
    return GPA_OK;
}

static gpa_code prepare(operand *o, const gpa_binding *b, int64_t batch, int64_t rows, int64_t columns, size_t size,
                        gpa_err *e) {
    int64_t row = rows > 1 ? b->stride[1] : columns, column = columns > 1 ? b->stride[2] : 1;
    *o = (operand){b->mem->base + b->offset * (int64_t)size, b->stride[0] * (int64_t)size, NO_TRANS, 0, NULL};
    if (column == 1 && fits(row, columns)) {
        o->lead = (int)row;
        return GPA_OK;
    }
    if (rows == 1) row = 1;
    if (columns == 1) column = rows;
    if (row == 1 && fits(column, rows)) {
        o->trans = TRANS;
        o->lead = (int)column;
        return GPA_OK;
    }
    return pack(o, b, batch, rows, columns, size, e);
}

/* ---- products ---- */

typedef struct {
    const blas *b;
    const gpa_libcall *c;
    operand x, y;
    char *out;
    int64_t out_batch;
} products;

static void product(void *arg, int64_t i) {
    const products *p = arg;
    const blas *b = p->b;
    int m = (int)p->c->gemm.m, n = (int)p->c->gemm.n, k = (int)p->c->gemm.k;
    const void *x = p->x.at + i * p->x.batch, *y = p->y.at + i * p->y.batch;
    void *z = p->out + i * p->out_batch;
    gpa_c64 one = {1, 0}, zero = {0, 0};
    gpa_c128 one2 = {1, 0}, zero2 = {0, 0};
    int lead = n > 1 ? n : 1;
    if (p->c->dtype == DT_F32) b->sgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, n, k, 1, x, p->x.lead, y, p->y.lead, 0, z, lead);
    if (p->c->dtype == DT_F64) b->dgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, n, k, 1, x, p->x.lead, y, p->y.lead, 0, z, lead);
    if (p->c->dtype == DT_C64)
        b->cgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, n, k, &one, x, p->x.lead, y, p->y.lead, &zero, z, lead);
    if (p->c->dtype == DT_C128)
        b->zgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, n, k, &one2, x, p->x.lead, y, p->y.lead, &zero2, z, lead);
}

enum { CHUNK = 4096 }; /* small products that a thread takes at a time */

static void small_products(void *arg, int64_t chunk) {
    const gpa_libcall *c = arg;
    products_run(c, chunk * CHUNK, MIN((chunk + 1) * CHUNK, c->gemm.batch));
}

gpa_code blas_run(blas *b, int threads, const gpa_libcall *c, gpa_err *e) {
    gpa_code rc = GPA_OK;
    size_t size = dtype_size(c->dtype);
    int64_t batch = c->gemm.batch, m = c->gemm.m, n = c->gemm.n, k = c->gemm.k;
    products p = {
        .b = b, .c = c, .out = c->gemm.c.mem->base + c->gemm.c.offset * (int64_t)size, .out_batch = m * n * (int64_t)size};
    if (!batch || !m || !n) return GPA_OK;
    if (!k) {
        memset(p.out, 0, (size_t)(batch * m * n) * size);
        return GPA_OK;
    }
    int32_t never = 0;
    if (products_can(c)) {
        gpa_libcall whole = *c;
        threads_each(threads, (batch + CHUNK - 1) / CHUNK, &never, small_products, &whole);
        return GPA_OK;
    }
    TRY(prepare(&p.x, &c->gemm.a, batch, m, k, size, e));
    TRY(prepare(&p.y, &c->gemm.b, batch, k, n, size, e));
    bool many = batch >= threads && threads > 1;
    blas_threads(b, many ? 1 : threads);
    threads_each(many ? threads : 1, batch, &never, product, &p);
out:
    mem_free(p.x.packed);
    mem_free(p.y.packed);
    return rc;
}
