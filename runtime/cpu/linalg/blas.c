/* Matrix multiplication (GEMM, GEMV, SYRK) by OpenBLAS.
 *
 * Operands with contiguous rows or columns are passed in place, transposed or not; others are
 * packed first. The threads of the pool share a batch, or tiles of a small batch, each computed
 * by one thread; the smallest products need no library (batched_gemm.h). The library's own
 * threads are not used: they start slowly and synchronize with barriers. Interrupts are polled
 * between tiles. A matrix times its own transpose needs only one triangle (SYRK). */
#include "runtime/cpu/linalg/blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cpu/linalg/symmetrize.h"
#include "runtime/cpu/linalg/batched_gemm.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/tables/tuning.h"

/* Values of the CBLAS interface. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112, UPPER = 121 };

typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const void *, int, const void *, int,
                         float, void *, int);
typedef void (*dgemm_fn)(int, int, int, int, int, int, double, const void *, int, const void *, int,
                         double, void *, int);
typedef void (*zgemm_fn)(int, int, int, int, int, int, const void *, const void *, int,
                         const void *, int, const void *, void *, int);
typedef void (*ssyrk_fn)(int, int, int, int, int, float, const void *, int, float, void *, int);
typedef void (*dsyrk_fn)(int, int, int, int, int, double, const void *, int, double, void *, int);
typedef void (*zsyrk_fn)(int, int, int, int, int, const void *, const void *, int, const void *,
                         void *, int);
typedef void (*sgemv_fn)(int, int, int, int, float, const void *, int, const void *, int, float,
                         void *, int);
typedef void (*dgemv_fn)(int, int, int, int, double, const void *, int, const void *, int, double,
                         void *, int);
typedef void (*zgemv_fn)(int, int, int, int, const void *, const void *, int, const void *, int,
                         const void *, void *, int);

struct blas {
    void *library; /* NULL: not available */
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
    for (size_t i = 0; i < COUNT_OF(names) && !b->library; i++)
        b->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
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

const gpa_dtype blas_types[BLAS_TYPES] = {DT_F32, DT_F64, DT_C64, DT_C128};

int blas_type_index(gpa_dtype t) {
    for (int i = 0; i < BLAS_TYPES; i++)
        if (blas_types[i] == t) return i;
    return -1;
}

bool blas_find_typed(blas **b, int i, const char *name, void *fn) {
    char symbol[32];
    if (!name) return true;
    snprintf(symbol, sizeof symbol, "%c%s_", "sdcz"[i], name);
    void *found = blas_find(b, symbol);
    memcpy(fn, &found, sizeof found);
    return found != NULL;
}

void blas_threads(const blas *b, int threads) {
    if (b->set_threads) b->set_threads(threads);
}

bool blas_can(blas **b, const gpa_libcall *c) {
    if (c->kind != LIB_GEMM || c->gemm.m > INT32_MAX || c->gemm.n > INT32_MAX ||
        c->gemm.k > INT32_MAX)
        return false;
    if (c->dtype != DT_F32 && c->dtype != DT_F64 && c->dtype != DT_C64 && c->dtype != DT_C128)
        return false;
    if (!*b) *b = load();
    const blas *l = *b;
    return l && l->sgemm && l->dgemm && l->cgemm && l->zgemm && l->ssyrk && l->dsyrk && l->csyrk &&
           l->zsyrk && l->sgemv && l->dgemv && l->cgemv && l->zgemv;
}

/* ---- operands ---- */

typedef struct {
    const char *at; /* of the first product */
    int64_t batch;  /* bytes between consecutive operands */
    int trans, lead;
    void *packed;
} operand;

static bool fits(int64_t stride, int64_t least) {
    return stride >= (least > 1 ? least : 1) && stride <= INT32_MAX;
}

/* The extents of an operand, and the size of its elements. */
typedef struct {
    int64_t batch, rows, columns;
    size_t size;
} extents;

/* A dimension of a strided matrix. */
typedef struct {
    int64_t n, stride;
} dimension;

static inline __attribute__((always_inline)) void gather_items(const char *from, dimension outer,
                                                               dimension inner, char *to,
                                                               size_t size) {
    for (int64_t r = 0; r < outer.n; r++, from += outer.stride * (int64_t)size) {
        const char *at = from;
        for (int64_t c = 0; c < inner.n; c++, at += inner.stride * (int64_t)size, to += size)
            memcpy(to, at, size);
    }
}

/* Copies a strided matrix contiguously. */
static void gather(const char *from, dimension outer, dimension inner, char *to, size_t size) {
    switch (size) {
        case 4: gather_items(from, outer, inner, to, 4); break;
        case 8: gather_items(from, outer, inner, to, 8); break;
        default: gather_items(from, outer, inner, to, 16);
    }
}

/* Packs the elements of every product contiguously, in their memory order. */
static gpa_code pack(operand *o, const gpa_binding *b, const extents *x, gpa_err *e) {
    const dimension row = {x->rows, b->stride[1]}, column = {x->columns, b->stride[2]};
    const int64_t size = (int64_t)x->size, bytes = x->rows * x->columns * size;
    const bool transposed = llabs(row.stride) < llabs(column.stride);
    const char *from = b->mem->base + b->offset * size;
    char *to = o->packed = mem_new((size_t)(x->batch * bytes));
    if (!to) return gpa_no_memory(e);
    for (int64_t i = 0; i < x->batch; i++, from += b->stride[0] * size, to += bytes)
        gather(from, transposed ? column : row, transposed ? row : column, to, x->size);
    *o = (operand){o->packed, bytes, transposed ? TRANS : NO_TRANS,
                   (int)(transposed ? x->rows : x->columns), o->packed};
    return GPA_OK;
}

/* Describes an operand to the library in place, or packs it. */
static gpa_code prepare(operand *o, const gpa_binding *b, const extents *x, gpa_err *e) {
    const int64_t size = (int64_t)x->size, rows = x->rows, columns = x->columns;
    int64_t row = rows > 1 ? b->stride[1] : columns, column = columns > 1 ? b->stride[2] : 1;
    *o = (operand){b->mem->base + b->offset * size, b->stride[0] * size, NO_TRANS, 0, NULL};
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
    return pack(o, b, x, e);
}

/* ---- products ---- */

/* Tile of a product from a row and a column on; `gram`: only on and above the diagonal. */
typedef struct {
    int64_t row, column, rows, columns;
    bool gram;
} tile;

typedef struct {
    const blas *b;
    const gpa_libcall *c;
    operand x, y;
    char *out;
    int64_t out_batch;
    bool gram;   /* a matrix times its gram transpose */
    tile *tiles; /* of every product */
    int64_t n, capacity;
} products;

/* Matrix times vector by gemv: the gemm of some versions takes three times as long. */
static void multiply_vector(const products *p, const tile *at, const void *x, const void *y,
                            void *z) {
    const blas *b = p->b;
    const bool first = p->c->gemm.n == 1; /* the matrix is the first operand; a row times a matrix
                                             is its transpose times the row */
    const operand *a = first ? &p->x : &p->y;
    const void *matrix = first ? x : y, *vector = first ? y : x;
    const int step = first                 ? (p->y.trans == TRANS ? 1 : p->y.lead)
                     : p->x.trans == TRANS ? p->x.lead
                                           : 1;
    const int trans = first == (a->trans == TRANS) ? TRANS : NO_TRANS, k = (int)p->c->gemm.k;
    const int rows = first ? (int)at->rows : k,
              columns = first ? k : (int)at->columns; /* of the operand, which may be transposed */
    const int m = a->trans == TRANS ? columns : rows, n = a->trans == TRANS ? rows : columns;
    const gpa_c64 one = {1, 0}, zero = {0, 0};
    const gpa_c128 one2 = {1, 0}, zero2 = {0, 0};
    if (p->c->dtype == DT_F32)
        b->sgemv(ROW_MAJOR, trans, m, n, 1, matrix, a->lead, vector, step, 0, z, 1);
    if (p->c->dtype == DT_F64)
        b->dgemv(ROW_MAJOR, trans, m, n, 1, matrix, a->lead, vector, step, 0, z, 1);
    if (p->c->dtype == DT_C64)
        b->cgemv(ROW_MAJOR, trans, m, n, &one, matrix, a->lead, vector, step, &zero, z, 1);
    if (p->c->dtype == DT_C128)
        b->zgemv(ROW_MAJOR, trans, m, n, &one2, matrix, a->lead, vector, step, &zero2, z, 1);
}

static void multiply(const products *p, int64_t i, const tile *at) {
    const blas *b = p->b;
    int64_t size = (int64_t)dtype_size(p->c->dtype), n = p->c->gemm.n;
    int m = (int)at->rows, w = (int)at->columns, k = (int)p->c->gemm.k, lead = (int)n;
    const void *x =
        p->x.at + i * p->x.batch + at->row * (p->x.trans == TRANS ? 1 : p->x.lead) * size;
    const void *y =
        p->y.at + i * p->y.batch + at->column * (p->y.trans == TRANS ? p->y.lead : 1) * size;
    void *z = p->out + i * p->out_batch + (at->row * n + at->column) * size;
    gpa_c64 one = {1, 0}, zero = {0, 0};
    gpa_c128 one2 = {1, 0}, zero2 = {0, 0};
    if (p->c->gemm.m == 1 || p->c->gemm.n == 1) {
        multiply_vector(p, at, x, y, z);
        return;
    }
    if (p->c->dtype == DT_F32)
        b->sgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, 1, x, p->x.lead, y, p->y.lead, 0, z,
                 lead);
    if (p->c->dtype == DT_F64)
        b->dgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, 1, x, p->x.lead, y, p->y.lead, 0, z,
                 lead);
    if (p->c->dtype == DT_C64)
        b->cgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, &one, x, p->x.lead, y, p->y.lead,
                 &zero, z, lead);
    if (p->c->dtype == DT_C128)
        b->zgemm(ROW_MAJOR, p->x.trans, p->y.trans, m, w, k, &one2, x, p->x.lead, y, p->y.lead,
                 &zero2, z, lead);
}

/* The tiles on and above the diagonal, where the second operand is the first one's transpose. */
static void multiply_gram(const products *p, int64_t i, const tile *at) {
    const blas *b = p->b;
    int64_t size = (int64_t)dtype_size(p->c->dtype), n = p->c->gemm.n;
    int m = (int)at->rows, k = (int)p->c->gemm.k, trans = p->x.trans, lead = (int)n;
    const void *x = p->x.at + i * p->x.batch + at->row * (trans == TRANS ? 1 : p->x.lead) * size;
    void *z = p->out + i * p->out_batch + at->row * (n + 1) * size;
    gpa_c64 one = {1, 0}, zero = {0, 0};
    gpa_c128 one2 = {1, 0}, zero2 = {0, 0};
    if (p->c->dtype == DT_F32) b->ssyrk(ROW_MAJOR, UPPER, trans, m, k, 1, x, p->x.lead, 0, z, lead);
    if (p->c->dtype == DT_F64) b->dsyrk(ROW_MAJOR, UPPER, trans, m, k, 1, x, p->x.lead, 0, z, lead);
    if (p->c->dtype == DT_C64)
        b->csyrk(ROW_MAJOR, UPPER, trans, m, k, &one, x, p->x.lead, &zero, z, lead);
    if (p->c->dtype == DT_C128)
        b->zsyrk(ROW_MAJOR, UPPER, trans, m, k, &one2, x, p->x.lead, &zero2, z, lead);
}

static double work_of(const products *p, int64_t rows, int64_t columns) {
    return (double)rows * (double)columns *
           (double)(p->c->gemm.k * (p->c->dtype == DT_C64 || p->c->dtype == DT_C128 ? 4 : 1));
}

static gpa_code add_tile(products *p, const tile *at, gpa_err *e) {
    if (p->n == p->capacity) {
        int64_t capacity = MAX(16, 2 * p->capacity);
        tile *more = mem_resize(p->tiles, (size_t)capacity * sizeof *more);
        if (!more) return gpa_no_memory(e);
        p->tiles = more, p->capacity = capacity;
    }
    p->tiles[p->n++] = *at;
    return GPA_OK;
}

/* Start of tile `part` of `parts` along a side, aligned to the library's gram blocks. */
static int64_t tile_start(int64_t side, int64_t part, int64_t parts) {
    int64_t to = side > TUNE_GEMM_TILE_MIN_SIDE ? 8 * TUNE_GEMM_TILE_ALIGNMENT
                                                : TUNE_GEMM_TILE_ALIGNMENT,
            at = (int64_t)((double)side * (double)part / (double)parts);
    return MIN(side, (at + to / 2) / to * to);
}

/* Cuts a tile into `parts`, and further where it would delay an interrupt for too long. */
static gpa_code cut(products *p, const tile *at, int64_t parts, gpa_err *e) {
    bool tall = at->rows >= at->columns,
         large = MAX(at->rows, at->columns) > TUNE_GEMM_TILE_MIN_SIDE &&
                 work_of(p, at->rows, at->columns) > (double)TUNE_GEMM_TILE_MAX_WORK;
    if (parts < 2 && large) parts = 2;
    int64_t side = tall ? at->rows : at->columns, first = tile_start(side, parts / 2, parts),
            rest = side - first;
    gpa_code rc;
    if (parts < 2 || !first || !rest) return add_tile(p, at, e);
    tile one = *at, other = *at;
    if (at->gram) {
        one.rows = one.columns = first;
        other = (tile){at->row + first, at->column + first, rest, rest, true};
        tile above = {at->row, at->column + first, first, rest, false};
        if ((rc = cut(p, &above, MAX(1, parts / 2), e))) return rc;
        if ((rc = cut(p, &one, MAX(1, parts / 4), e))) return rc;
        return cut(p, &other, MAX(1, parts / 4), e);
    }
    if (tall)
        one.rows = first, other.row += first, other.rows = rest;
    else
        one.columns = first, other.column += first, other.columns = rest;
    if ((rc = cut(p, &one, parts / 2, e))) return rc;
    return cut(p, &other, parts - parts / 2, e);
}

static void run_tile(void *arg, int64_t i) {
    const products *p = arg;
    const tile *at = &p->tiles[i % p->n];
    if (at->gram)
        multiply_gram(p, i / p->n, at);
    else
        multiply(p, i / p->n, at);
}

static void symmetrize(void *arg, int64_t i) {
    const products *p = arg;
    symmetrize_triangle(p->out + i * p->out_batch, (int)p->c->gemm.m, dtype_size(p->c->dtype),
                        false);
}

/* True if the library is faster on tiles so small that it does not pack the operands: one side is
 * short, or the inner dimension. */
static bool is_thin(const products *p) {
    int64_t m = p->c->gemm.m, n = p->c->gemm.n, k = p->c->gemm.k, side = MIN(m, n);
    if (p->gram || (p->c->dtype != DT_F32 && p->c->dtype != DT_F64) ||
        side * k * TUNE_GEMM_TILE_ALIGNMENT > TUNE_GEMM_THREAD_MIN_WORK)
        return false;
    return side <= TUNE_GEMM_THIN_MAX_SIDE ||
           (p->y.trans == NO_TRANS && m >= n && MIN(side, k) <= 4 * TUNE_GEMM_THIN_MAX_SIDE);
}

/* Tiles per product, for so many threads. */
static int64_t parts_of(const products *p, int threads) {
    int64_t m = p->c->gemm.m, n = p->c->gemm.n, batch = p->c->gemm.batch;
    bool vector = m == 1 || n == 1;
    double most =
        work_of(p, m, n) / (vector ? TUNE_GEMV_THREAD_MIN_WORK : TUNE_GEMM_THREAD_MIN_WORK);
    int64_t max_parts =
        most > (double)threads * TUNE_GEMM_TWO_TILES_MIN_WORK ? 2 * threads : threads;
    const int64_t per_product = (max_parts + batch - 1) / batch;
    int64_t parts = threads == 1 ? 1 : (int64_t)MIN(most, (double)per_product);
    return MAX(1, !vector && is_thin(p) ? MAX(parts, (int64_t)most + 1) : parts);
}

/* True if the second operand is the first one's transpose. Not worth it for small ones. */
static bool is_gram(const gpa_libcall *c) {
    const gpa_binding *a = &c->gemm.a, *b = &c->gemm.b;
    return c->gemm.m == c->gemm.n && c->gemm.m >= TUNE_GRAM_MIN_SIDE &&
           c->gemm.m * c->gemm.k >= TUNE_GRAM_MIN_ELEMS && a->mem == b->mem &&
           a->offset == b->offset && a->stride[1] == b->stride[2] && a->stride[2] == b->stride[1] &&
           (c->gemm.batch == 1 || a->stride[0] == b->stride[0]);
}

/* of a thread */

static gpa_code unless_stopped(const int32_t *stop, gpa_err *e) {
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}

static void small_products(void *arg, int64_t chunk) {
    const gpa_libcall *c = arg;
    batched_gemm_run(c, chunk * TUNE_GEMM_SMALL_PRODUCTS_PER_ITEM,
                     MIN((chunk + 1) * TUNE_GEMM_SMALL_PRODUCTS_PER_ITEM, c->gemm.batch));
}

gpa_code blas_run(blas *b, int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    gpa_code rc = GPA_OK;
    size_t size = dtype_size(c->dtype);
    int64_t batch = c->gemm.batch, m = c->gemm.m, n = c->gemm.n, k = c->gemm.k;
    products p = {.b = b,
                  .c = c,
                  .out = c->gemm.c.mem->base + c->gemm.c.offset * (int64_t)size,
                  .out_batch = m * n * (int64_t)size,
                  .gram = is_gram(c)};
    if (!batch || !m || !n) return GPA_OK;
    if (!k) {
        memset(p.out, 0, (size_t)(batch * m * n) * size);
        return GPA_OK;
    }
    if (batched_gemm_can(c)) {
        gpa_libcall whole = *c;
        threads_each(
            threads,
            (batch + TUNE_GEMM_SMALL_PRODUCTS_PER_ITEM - 1) / TUNE_GEMM_SMALL_PRODUCTS_PER_ITEM,
            stop, small_products, &whole);
        return unless_stopped(stop, e);
    }
    TRY(prepare(&p.x, &c->gemm.a, &(extents){batch, m, k, size}, e));
    TRY(prepare(&p.y, &c->gemm.b, &(extents){batch, k, n, size}, e));
    TRY(cut(&p, &(tile){0, 0, m, n, p.gram}, parts_of(&p, threads), e));
    blas_threads(b, 1);
    threads_each(threads, batch * p.n, stop, run_tile, &p);
    if (p.gram) threads_each(threads, batch, stop, symmetrize, &p);
    rc = unless_stopped(stop, e);
out:
    mem_free(p.x.packed);
    mem_free(p.y.packed);
    mem_free(p.tiles);
    return rc;
}
