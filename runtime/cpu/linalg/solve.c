/* Linear solves by LAPACK: solve.h.
 *
 * Factors are read in place. A C-ordered factor is to LAPACK the transpose; its other triangle,
 * transposed again, is the one meant. Reading order: triangles, bands, calls. */
#include "runtime/cpu/linalg/solve.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/tables/tuning.h"

/* True if the factors are in C order; otherwise in Fortran order. */
static bool is_c_order(const gpa_libcall *c) {
    return c->solve_factored.a.stride[2] == 1 && c->solve_factored.a.stride[1] != 1;
}

bool solve_can(lapack **l, blas **b, const gpa_libcall *c) {
    if (blas_type_index(c->dtype) < 0) return false;
    if (c->kind == LIB_SOLVE_FACTORED) {
        const int64_t lead = c->solve_factored.a.stride[is_c_order(c) ? 1 : 2],
                      unit = c->solve_factored.a.stride[is_c_order(c) ? 2 : 1];
        const bool conjugates =
            dtype_is_complex(c->dtype) &&
            (c->solve_factored.trans == 2 || c->solve_factored.form == FACTORS_CHOLESKY);
        if (c->solve_factored.k > INT32_MAX || lead > INT32_MAX || unit != 1 ||
            lead < MAX(1, c->solve_factored.n) || (conjugates && is_c_order(c)))
            return false;
    } else if (c->solve_banded.n > INT32_MAX || c->solve_banded.k > INT32_MAX ||
               2 * c->solve_banded.kl + c->solve_banded.ku >= INT32_MAX) {
        return false;
    }
    return lapack_load(l, b);
}

/* ---- triangles ---- */

typedef struct {
    const gpa_libcall *c;
    const lapack_routines *r;
    int n, k, lead;
    bool rows;
    int64_t item;
    int64_t blocks; /* of each matrix's right-hand sides */
    int32_t info;
} task;

/* A triangle as LAPACK sees it. */
typedef struct {
    bool upper, unit;
    const char *op; /* "N", "T" or "C": as it is, transposed, conjugate transposed */
} triangle;

/* Solves for the n rows of a triangle from `a` on, in place, recursively: a half's contribution to
 * the other is a gemm. */
static void solve_rows(const task *t, const triangle *g, const char *a, int n, char *x) {
    static const float minus_one_4[2] = {-1, 0}, one_4[2] = {1, 0};
    static const double minus_one_8[2] = {-1, 0}, one_8[2] = {1, 0};
    const bool single = dtype_info[t->c->dtype].real == DT_F32;
    const void *const minus_one = single ? (const void *)minus_one_4 : minus_one_8;
    const void *const one = single ? (const void *)one_4 : one_8;
    int info = 0, h = n / 2, rest = n - h;
    if (n <= TUNE_SOLVE_TRSM_MAX_ROWS || t->k < TUNE_SOLVE_RECURSION_MIN_COLUMNS) {
        t->r->trtrs(g->upper ? "U" : "L", g->op, g->unit ? "U" : "N", &n, &t->k, a, &t->lead, x,
                    &t->n, &info);
        return;
    }
    const bool top_first = g->upper != (*g->op == 'N');
    const char *corner = a + (g->upper ? (int64_t)h * t->lead : h) * t->item,
               *bottom = a + h * ((int64_t)t->lead + 1) * t->item;
    char *x_bottom = x + h * t->item, *first = top_first ? x : x_bottom,
         *second = top_first ? x_bottom : x;
    int n_first = top_first ? h : rest, n_second = top_first ? rest : h;
    solve_rows(t, g, top_first ? a : bottom, n_first, first);
    t->r->gemm(g->op, "N", &n_second, &t->k, &n_first, minus_one, corner, &t->lead, first, &t->n,
               one, second, &t->n);
    solve_rows(t, g, top_first ? bottom : a, n_second, second);
}

static bool is_zero(const void *number, int64_t size) {
    static const char zeros[16] = {0};
    return memcmp(number, zeros, (size_t)size) == 0;
}

/* Solves for one triangle, in place: trans 0 untransposed, 1 transposed, 2 conjugate transposed.
 * Returns the 1-based index of a zero on the diagonal, or 0. */
static int solve_triangle(const task *t, const char *a, bool upper, bool unit, int trans, char *x) {
    const bool transposed = (trans > 0) != t->rows;
    const triangle g = {upper != t->rows, unit, !transposed ? "N" : trans == 2 ? "C" : "T"};
    for (int i = 0; i < t->n && !unit; i++)
        if (is_zero(a + i * ((int64_t)t->lead + 1) * t->item, t->item)) return i + 1;
    solve_rows(t, &g, a, t->n, x);
    return 0;
}

static inline __attribute__((always_inline)) void swap_rows(const task *t, const int32_t *pivot,
                                                            bool undo, char *x, size_t item) {
    for (int64_t c = 0; c < t->k; c++, x += (size_t)t->n * item)
        for (int64_t s = 0; s < t->n; s++) {
            const int64_t i = undo ? t->n - 1 - s : s;
            char *a = x + (size_t)i * item, *b = x + (size_t)pivot[i] * item, copy[16];
            memcpy(copy, a, item);
            memmove(a, b, item);
            memcpy(b, copy, item);
        }
}

/* Applies the row exchanges of the pivots to B, or undoes them. */
static void exchange(const task *t, const int32_t *pivot, bool undo, char *x) {
    switch (t->item) {
        case 4: swap_rows(t, pivot, undo, x, 4); break;
        case 8: swap_rows(t, pivot, undo, x, 8); break;
        default: swap_rows(t, pivot, undo, x, 16);
    }
}

/* Matrix i of the batch, by its LU factors and pivots. */
static int solve_lu(const task *t, int64_t i, const char *a, char *x) {
    const int32_t *pivot =
        (const int32_t *)(const void *)t->c->solve_factored.pivots.mem->base + i * t->n;
    const int trans = t->c->solve_factored.trans;
    for (int p = 0; p < t->n; p++)
        if (pivot[p] < 0 || pivot[p] >= t->n) return -1;
    if (trans) {
        int info = solve_triangle(t, a, true, false, trans, x);
        if (!info) info = solve_triangle(t, a, false, true, trans, x);
        exchange(t, pivot, true, x);
        return info;
    }
    exchange(t, pivot, false, x);
    int info = solve_triangle(t, a, false, true, 0, x);
    return info ? info : solve_triangle(t, a, true, false, 0, x);
}

static int solve_cholesky(const task *t, const char *a, char *x) {
    const bool upper = t->c->solve_factored.upper;
    int info = solve_triangle(t, a, upper, false, upper ? 2 : 0, x);
    return info ? info : solve_triangle(t, a, upper, false, upper ? 0 : 2, x);
}

/* A block of the right-hand sides of a matrix. */
static void solve_block(void *arg, int64_t at) {
    task *all = arg, one = *all, *t = &one;
    const gpa_libcall *c = t->c;
    const int64_t i = at / t->blocks, k = c->solve_factored.k,
                  first = k * (at % t->blocks) / t->blocks;
    const char *a = c->solve_factored.a.mem->base +
                    (c->solve_factored.a.offset + i * c->solve_factored.a.stride[0]) * t->item;
    char *x = c->solve_factored.x.mem->base + (i * k + first) * c->solve_factored.n * t->item;
    int info = 0;
    t->k = (int)(k * (at % t->blocks + 1) / t->blocks - first);
    switch (c->solve_factored.form) {
        case FACTORS_TRIANGLE:
            info = solve_triangle(t, a, c->solve_factored.upper, c->solve_factored.unit,
                                  c->solve_factored.trans, x);
            break;
        case FACTORS_CHOLESKY: info = solve_cholesky(t, a, x); break;
        case FACTORS_LU: info = solve_lu(t, i, a, x); break;
    }
    if (info) __atomic_store_n(&all->info, info, __ATOMIC_RELAXED);
}

/* ---- bands ---- */

static inline __attribute__((always_inline)) void columns_of_items(const gpa_libcall *c,
                                                                   int64_t lead, char *to,
                                                                   size_t item) {
    const int64_t n = c->solve_banded.n, below = c->solve_banded.kl,
                  count = below + c->solve_banded.ku + 1;
    const char *bands = c->solve_banded.bands.mem->base;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < count; i++)
            memcpy(to + (size_t)(j * lead + below + i) * item, bands + (size_t)(i * n + j) * item,
                   item);
}

/* Copies the bands to columns of `lead` elements, of which LAPACK reserves the first kl for
 * fill-in. */
static void bands_to_columns(const gpa_libcall *c, int64_t lead, char *to) {
    switch (dtype_size(c->dtype)) {
        case 4: columns_of_items(c, lead, to, 4); break;
        case 8: columns_of_items(c, lead, to, 8); break;
        default: columns_of_items(c, lead, to, 16);
    }
}

static gpa_code solve_bands(const lapack_routines *r, const gpa_libcall *c, gpa_err *e) {
    const size_t item = dtype_size(c->dtype);
    const int n = (int)c->solve_banded.n, k = (int)c->solve_banded.k,
              below = (int)c->solve_banded.kl, above = (int)c->solve_banded.ku,
              lead = 2 * below + above + 1;
    char *bands = c->solve_banded.bands.mem->base;
    if (below == 1 && above == 1) {
        r->gtsv(&n, &k, bands + 2 * (size_t)n * item, bands + (size_t)n * item, bands + item,
                c->solve_banded.x.mem->base, &n, c->solve_banded.info);
        return GPA_OK;
    }
    char *columns = mem_zero((size_t)n * (size_t)lead * item);
    int *pivots = mem_new((size_t)n * sizeof *pivots);
    gpa_code rc = columns && pivots ? GPA_OK : gpa_no_memory(e);
    if (!rc) {
        bands_to_columns(c, lead, columns);
        r->gbsv(&n, &below, &above, &k, columns, &lead, pivots, c->solve_banded.x.mem->base, &n,
                c->solve_banded.info);
    }
    mem_free(columns);
    mem_free(pivots);
    return rc;
}

/* ---- calls ---- */

/* Blocks of the right-hand sides of one matrix: few enough for each to be short. */
static int64_t blocks_of(const gpa_libcall *c) {
    const double n = (double)c->solve_factored.n, k = (double)c->solve_factored.k;
    const double most = MAX(1, k / TUNE_SOLVE_RECURSION_MIN_COLUMNS);
    return (int64_t)MIN(most, ceil(n * n * k / TUNE_LAPACK_DIRECT_MAX_WORK) + (n * k == 0));
}

gpa_code solve_run(const lapack *l, const lapack_context *ctx, const gpa_libcall *c, gpa_err *e) {
    const lapack_routines *r = &l->of[blas_type_index(c->dtype)];
    if (c->kind == LIB_SOLVE_BANDED) {
        *c->solve_banded.info = 0;
        return solve_bands(r, c, e);
    }
    task t = {.c = c,
              .r = r,
              .n = (int)c->solve_factored.n,
              .rows = is_c_order(c),
              .item = (int64_t)dtype_size(c->dtype),
              .blocks = blocks_of(c)};
    t.lead = (int)c->solve_factored.a.stride[t.rows ? 1 : 2];
    const bool many = ctx->threads > 1 && c->solve_factored.batch >= ctx->threads;
    blas_threads(ctx->b, many ? 1 : ctx->threads);
    threads_each(many ? ctx->threads : 1, c->solve_factored.batch * t.blocks, ctx->stop,
                 solve_block, &t);
    *c->solve_factored.info = t.info;
    return threads_stopped(ctx->stop) ? gpa_interrupted(e) : GPA_OK;
}
