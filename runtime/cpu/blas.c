/* Matrix products by OpenBLAS.
 *
 * Operands whose rows or whose columns are contiguous go in as they lie, transposed or not; others are packed first.
 * Many small products are divided among our threads, each done by one thread, the smallest without the library (products.h); few large ones
 * are left to OpenBLAS, in pieces between which an interrupt is seen. Of a matrix times its own transpose half is computed. */
#include "runtime/cpu/blas.h"

#include <dlfcn.h>

#include "runtime/base.h"
#include "runtime/cpu/mirror.h"
#include "runtime/cpu/products.h"
#include "runtime/cpu/run.h"
#include "runtime/cpu/threads.h"

/* Values of the CBLAS interface. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112, UPPER = 121 };

typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void (*dgemm_fn)(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void (*zgemm_fn)(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *,
                         int);
typedef void (*ssyrk_fn)(int, int, int, int, int, float, const void *, int, float, void *, int);
typedef void (*dsyrk_fn)(int, int, int, int, int, double, const void *, int, double, void *, int);
typedef void (*zsyrk_fn)(int, int, int, int, int, const void *, const void *, int, const void *, void *, int);
typedef void (*sgemv_fn)(int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void (*dgemv_fn)(int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void (*zgemv_fn)(int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);

struct blas {
    void *library; /* NULL: there is none */
    sgemm_fn sgemm;
    dgemm_fn dgemm;
    zgemm_fn cgemm, zgemm;
    ssyrk_fn ssyrk;
    dsyrk_fn dsyrk;
    zsyrk_fn csyrk, zsyrk;
    sgemv_fn sgemv;
    dgemv_fn dgemv;
    zgemv_fn cgemv, zgemv;
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
    find(b->library, "cblas_ssyrk", &b->ssyrk);
    find(b->library, "cblas_dsyrk", &b->dsyrk);
    find(b->library, "cblas_csyrk", &b->csyrk);
    find(b->library, "cblas_zsyrk", &b->zsyrk);
    find(b->library, "cblas_sgemv", &b->sgemv);
    find(b->library, "cblas_dgemv", &b->dgemv);
    find(b->library, "cblas_cgemv", &b->cgemv);
    find(b->library, "cblas_zgemv", &b->zgemv);
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
    const blas *l = *b;
    return l && l->sgemm && l->dgemm && l->cgemm && l->zgemm && l->ssyrk && l->dsyrk && l->csyrk && l->zsyrk && l->sgemv && l->dgemv && l->cgemv &&
           l->zgemv;
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
    bool own; /* a matrix times its own transpose */
    int64_t most; /* multiplications in one call of the library */
    const int32_t *stop;
} products;

/* An interrupt waits for no more multiplications than these in one thread (a fifth of a second), but where a side would become so short
 * that packing the operands shows. */
static const int64_t PIECE_WORK = (int64_t)1 << 32;
enum { PIECE_SIDE = 512, GRAM_SIDE = 4, GRAM_SIZE = 1024 };

/* The elements of a product from a row and a column on. */
typedef struct {
    int64_t i, row, column, rows, columns;
} piece;

/* A matrix times a vector: some versions' general product takes three times as long. */
static void by_vector(const products *p, const piece *at, const void *x, const void *y, void *z) {
    const blas *b = p->b;
    const bool first = p->c->gemm.n == 1; /* the matrix is the first operand; a row times a matrix is its transpose times the row */
    const operand *a = first ? &p->x : &p->y;
    const void *matrix = first ? x : y, *vector = first ? y : x;
    const int step = first ? (p->y.trans == TRANS ? 1 : p->y.lead) : p->x.trans == TRANS ? p->x.lead : 1;
    const int trans = first == (a->trans == TRANS) ? TRANS : NO_TRANS, k = (int)p->c->gemm.k;
    const int rows = first ? (int)at->rows : k, columns = first ? k : (int)at->columns; /* of the operand, which may lie the other way round */
    const int m = a->trans == TRANS ? columns : rows, n = a->trans == TRANS ? rows : columns;
    const gpa_c64 one = {1, 0}, zero = {0, 0};
    const gpa_c128 one2 = {1, 0}, zero2 = {0, 0};
    if (p->c->dtype == DT_F32) b->sgemv(ROW_MAJOR, trans, m, n, 1, matrix, a->lead, vector, step, 0, z, 1);
    if (p->c->dtype == DT_F64) b->dgemv(ROW_MAJOR, trans, m, n, 1, matrix, a->lead, vector, step, 0, z, 1);
    if (p->c->dtype == DT_C64) b->cgemv(ROW_MAJOR, trans, m, n, &one, matrix, a->lead, vector, step, &zero, z, 1);
    if (p->c->dtype == DT_C128) b->zgemv(ROW_MAJOR, trans, m, n, &one2, matrix, a->lead, vector, step, &zero2, z, 1);
}

static void multiply(const products *p, const piece *at) {
    const blas *b = p->b;
    int64_t size = (int64_t)dtype_size(p->c->dtype), n = p->c->gemm.n;
    int m = (int)at->rows, w = (int)at->columns, k = (int)p->c->gemm.k, lead = (int)n;
    const void *x = p->x.at + at->i * p->x.batch + at->row * (p->x.trans == TRANS ? 1 : p->x.lead) * size;
    const void *y = p->y.at + at->i * p->y.batch + at->column * (p->y.trans == TRANS ? p->y.lead : 1) * size;
    void *z = p->out + at->i * p->out_batch + (at->row * n + at->column) * size;
    gpa_c64 one = {1, 0}, zero = {0, 0};
    gpa_c128 one2 = {1, 0}, zero2 = {0, 0};
    if (p->c->gemm.m == 1 || p->c->gemm.n == 1) {
        by_vector(p, at, x, y, z);
        return;
    }
    if (p->c->dtype == DT_F32) b->sgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, 1, x, p->x.lead, y, p->y.lead, 0, z, lead);
    if (p->c->dtype == DT_F64) b->dgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, 1, x, p->x.lead, y, p->y.lead, 0, z, lead);
    if (p->c->dtype == DT_C64)
        b->cgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, &one, x, p->x.lead, y, p->y.lead, &zero, z, lead);
    if (p->c->dtype == DT_C128)
        b->zgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, &one2, x, p->x.lead, y, p->y.lead, &zero2, z, lead);
}

/* What is not below the diagonal of a square of elements around it, where the second operand is the first one's transpose. */
static void multiply_own(const products *p, const piece *at) {
    const blas *b = p->b;
    int64_t size = (int64_t)dtype_size(p->c->dtype), n = p->c->gemm.n;
    int m = (int)at->rows, k = (int)p->c->gemm.k, trans = p->x.trans, lead = (int)n;
    const void *x = p->x.at + at->i * p->x.batch + at->row * (trans == TRANS ? 1 : p->x.lead) * size;
    void *z = p->out + at->i * p->out_batch + at->row * (n + 1) * size;
    gpa_c64 one = {1, 0}, zero = {0, 0};
    gpa_c128 one2 = {1, 0}, zero2 = {0, 0};
    if (p->c->dtype == DT_F32) b->ssyrk(ROW_MAJOR, UPPER, trans, m, k, 1, x, p->x.lead, 0, z, lead);
    if (p->c->dtype == DT_F64) b->dsyrk(ROW_MAJOR, UPPER, trans, m, k, 1, x, p->x.lead, 0, z, lead);
    if (p->c->dtype == DT_C64) b->csyrk(ROW_MAJOR, UPPER, trans, m, k, &one, x, p->x.lead, &zero, z, lead);
    if (p->c->dtype == DT_C128) b->zsyrk(ROW_MAJOR, UPPER, trans, m, k, &one2, x, p->x.lead, &zero2, z, lead);
}

static bool may_stay(const products *p, const piece *at) {
    int64_t each = p->c->dtype == DT_C64 || p->c->dtype == DT_C128 ? 4 : 1;
    return MAX(at->rows, at->columns) <= PIECE_SIDE || (double)at->rows * (double)at->columns * (double)(p->c->gemm.k * each) <= (double)p->most;
}

static int64_t half(int64_t n) { return (n / 2 + 63) / 64 * 64; }

static void in_pieces(const products *p, const piece *at) {
    if (threads_stopped(p->stop)) return;
    if (may_stay(p, at)) {
        multiply(p, at);
        return;
    }
    piece one = *at, other = *at;
    if (at->rows >= at->columns) {
        one.rows = half(at->rows);
        other.row += one.rows, other.rows -= one.rows;
    } else {
        one.columns = half(at->columns);
        other.column += one.columns, other.columns -= one.columns;
    }
    in_pieces(p, &one);
    in_pieces(p, &other);
}

static void own_in_pieces(const products *p, const piece *at) {
    if (threads_stopped(p->stop)) return;
    if (may_stay(p, at)) {
        multiply_own(p, at);
        return;
    }
    int64_t h = half(at->rows), rest = at->rows - h;
    own_in_pieces(p, &(piece){at->i, at->row, at->column, h, h});
    in_pieces(p, &(piece){at->i, at->row, at->column + h, h, rest});
    own_in_pieces(p, &(piece){at->i, at->row + h, at->column + h, rest, rest});
}

static void product(void *arg, int64_t i) {
    const products *p = arg;
    piece whole = {.i = i, .rows = p->c->gemm.m, .columns = p->c->gemm.n};
    if (p->own) {
        own_in_pieces(p, &whole);
        mirror_triangle(p->out + i * p->out_batch, (int)whole.rows, dtype_size(p->c->dtype), false);
    } else {
        in_pieces(p, &whole);
    }
}

/* Whether the second operand is the first one's transpose. Of small ones nothing is won. */
static bool is_own(const gpa_libcall *c) {
    const gpa_binding *a = &c->gemm.a, *b = &c->gemm.b;
    return c->gemm.m == c->gemm.n && c->gemm.m >= GRAM_SIDE && c->gemm.m * c->gemm.k >= GRAM_SIZE && a->mem == b->mem && a->offset == b->offset &&
           a->stride[1] == b->stride[2] && a->stride[2] == b->stride[1] && (c->gemm.batch == 1 || a->stride[0] == b->stride[0]);
}

enum { CHUNK = 4096 }; /* small products that a thread takes at a time */

static gpa_code unless_stopped(const int32_t *stop, gpa_err *e) {
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}

static void small_products(void *arg, int64_t chunk) {
    const gpa_libcall *c = arg;
    products_run(c, chunk * CHUNK, MIN((chunk + 1) * CHUNK, c->gemm.batch));
}

gpa_code blas_run(blas *b, int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    gpa_code rc = GPA_OK;
    size_t size = dtype_size(c->dtype);
    int64_t batch = c->gemm.batch, m = c->gemm.m, n = c->gemm.n, k = c->gemm.k;
    products p = {
        .b = b, .c = c, .out = c->gemm.c.mem->base + c->gemm.c.offset * (int64_t)size, .out_batch = m * n * (int64_t)size,
        .own = is_own(c), .stop = stop};
    if (!batch || !m || !n) return GPA_OK;
    if (!k) {
        memset(p.out, 0, (size_t)(batch * m * n) * size);
        return GPA_OK;
    }
    if (products_can(c)) {
        gpa_libcall whole = *c;
        threads_each(threads, (batch + CHUNK - 1) / CHUNK, stop, small_products, &whole);
        return unless_stopped(stop, e);
    }
    TRY(prepare(&p.x, &c->gemm.a, batch, m, k, size, e));
    TRY(prepare(&p.y, &c->gemm.b, batch, k, n, size, e));
    bool many = batch >= threads && threads > 1;
    p.most = many ? PIECE_WORK : PIECE_WORK * threads;
    blas_threads(b, many ? 1 : threads);
    threads_each(many ? threads : 1, batch, stop, product, &p);
    rc = unless_stopped(stop, e);
out:
    mem_free(p.x.packed);
    mem_free(p.y.packed);
    return rc;
}
