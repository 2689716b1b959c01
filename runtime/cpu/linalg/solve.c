/* Linear solves by LAPACK: solve.h.
 *
 * Factors are read in place. A C-ordered factor is to LAPACK the transpose; its other triangle,
 * transposed again, is the one meant. Reading order: the library, triangles, bands, calls. */
#include "runtime/cpu/linalg/solve.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"

/* ---- the library ---- */

/* Fortran, all arguments by reference. */
typedef struct {
    void (*trtrs)(const char *, const char *, const char *, const int *, const int *, const void *,
                  const int *, void *, const int *, int *);
    void (*gemm)(const char *, const char *, const int *, const int *, const int *, const void *,
                 const void *, const int *, const void *, const int *, const void *, void *,
                 const int *);
    void (*gtsv)(const int *, const int *, void *, void *, void *, void *, const int *, int *);
    void (*gbsv)(const int *, const int *, const int *, const int *, void *, const int *, int *,
                 void *, const int *, int *);
} routines;

/* BLOCK: rows of a triangle that is left to the library (trsm); COLUMNS_FROM: columns of B from
 * which larger triangles are halved recursively, as gemm is far faster than trsm. */
enum { BLOCK = 64, COLUMNS_FROM = 8 };
struct solver_lib {
    bool there;
    routines of[BLAS_TYPES];
};

static solver_lib *load(blas **b) {
    solver_lib *q = mem_zero(sizeof *q);
    if (!q) return NULL;
    q->there = true;
    for (int i = 0; i < BLAS_TYPES; i++) {
        q->there = q->there && blas_find_typed(b, i, "trtrs", &q->of[i].trtrs);
        q->there = q->there && blas_find_typed(b, i, "gemm", &q->of[i].gemm);
        q->there = q->there && blas_find_typed(b, i, "gtsv", &q->of[i].gtsv);
        q->there = q->there && blas_find_typed(b, i, "gbsv", &q->of[i].gbsv);
    }
    return q;
}

void solve_free(solver_lib *q) { mem_free(q); }

/* True if the factors are in C order; otherwise in Fortran order. */
static bool by_rows(const gpa_libcall *c) {
    return c->solve_factored.a.stride[2] == 1 && c->solve_factored.a.stride[1] != 1;
}

bool solve_can(solver_lib **q, blas **b, const gpa_libcall *c) {
    if (blas_type_index(c->dtype) < 0) return false;
    if (c->kind == LIB_SOLVE_FACTORED) {
        const int64_t lead = c->solve_factored.a.stride[by_rows(c) ? 1 : 2],
                      near = c->solve_factored.a.stride[by_rows(c) ? 2 : 1];
        const bool conjugates =
            dtype_is_complex(c->dtype) &&
            (c->solve_factored.trans == 2 || c->solve_factored.form == FACTORS_CHOLESKY);
        if (c->solve_factored.k > INT32_MAX || lead > INT32_MAX || near != 1 ||
            lead < MAX(1, c->solve_factored.n) || (conjugates && by_rows(c)))
            return false;
    } else if (c->solve_banded.n > INT32_MAX || c->solve_banded.k > INT32_MAX ||
               2 * c->solve_banded.kl + c->solve_banded.ku >= INT32_MAX) {
        return false;
    }
    if (!*q) *q = load(b);
    return *q && (*q)->there;
}

/* ---- triangles ---- */

typedef struct {
    const gpa_libcall *c;
    const routines *r;
    int n, k, lead;
    bool rows;
    int64_t item;
    int32_t info;
} task;

/* Solves for n rows of a triangle as LAPACK sees it, in place, recursively: a half's contribution
 * to the other is a gemm. */
static void part(const task *t, bool upper, const char *how, bool unit, const char *a, int n,
                 char *x) {
    static const float single[2][2] = {{-1, 0}, {1, 0}};
    static const double wide[2][2] = {{-1, 0}, {1, 0}};
    const void *const less =
        dtype_info[t->c->dtype].real == DT_F32 ? (const void *)single[0] : wide[0];
    const void *const once =
        dtype_info[t->c->dtype].real == DT_F32 ? (const void *)single[1] : wide[1];
    int info = 0, h = n / 2, rest = n - h;
    if (n <= BLOCK || t->k < COLUMNS_FROM) {
        t->r->trtrs(upper ? "U" : "L", how, unit ? "U" : "N", &n, &t->k, a, &t->lead, x, &t->n,
                    &info);
        return;
    }
    const bool down = upper != (*how == 'N'); /* the upper half is solved first */
    const char *corner = a + (upper ? (int64_t)h * t->lead : h) * t->item,
               *second = a + h * ((int64_t)t->lead + 1) * t->item;
    char *far = x + h * t->item;
    part(t, upper, how, unit, down ? a : second, down ? h : rest, down ? x : far);
    t->r->gemm(how, "N", down ? &rest : &h, &t->k, down ? &h : &rest, less, corner, &t->lead,
               down ? x : far, &t->n, once, down ? far : x, &t->n);
    part(t, upper, how, unit, down ? second : a, down ? rest : h, down ? far : x);
}

static bool is_zero(const void *number, int64_t size) {
    static const char zeros[16] = {0};
    return memcmp(number, zeros, (size_t)size) == 0;
}

/* Solves for one triangle, in place: way 0 untransposed, 1 transposed, 2 conjugate transposed.
 * Returns the 1-based index of a zero on the diagonal, or 0. */
static int triangle(const task *t, const char *a, bool upper, bool unit, int way, char *x) {
    const bool turned = (way > 0) != t->rows;
    for (int i = 0; i < t->n && !unit; i++)
        if (is_zero(a + i * ((int64_t)t->lead + 1) * t->item, t->item)) return i + 1;
    part(t, upper != t->rows, !turned ? "N" : way == 2 ? "C" : "T", unit, a, t->n, x);
    return 0;
}

/* Applies the row exchanges of the pivots to B, or undoes them. */
#define EXCHANGES(size, T)                                                                     \
    static void exchange_##size(T *x, int64_t n, int64_t k, const int32_t *pivot, bool back) { \
        for (int64_t c = 0; c < k; c++, x += n)                                                \
            for (int64_t s = 0; s < n; s++) {                                                  \
                const int64_t i = back ? n - 1 - s : s;                                        \
                const T one = x[i];                                                            \
                x[i] = x[pivot[i]];                                                            \
                x[pivot[i]] = one;                                                             \
            }                                                                                  \
    }
EXCHANGES(4, uint32_t)
EXCHANGES(8, uint64_t)
EXCHANGES(16, gpa_c128)
#undef EXCHANGES

static void exchange(const task *t, const int32_t *pivot, bool back, void *x) {
    if (t->item == 4) exchange_4(x, t->n, t->k, pivot, back);
    if (t->item == 8) exchange_8(x, t->n, t->k, pivot, back);
    if (t->item == 16) exchange_16(x, t->n, t->k, pivot, back);
}

static int by_lu(const task *t, const char *a, char *x) {
    const int32_t *pivot = (const int32_t *)(const void *)t->c->solve_factored.pivots->base;
    const int way = t->c->solve_factored.trans;
    for (int i = 0; i < t->n; i++)
        if (pivot[i] < 0 || pivot[i] >= t->n) return -1;
    if (way) {
        int info = triangle(t, a, true, false, way, x);
        if (!info) info = triangle(t, a, false, true, way, x);
        exchange(t, pivot, true, x);
        return info;
    }
    exchange(t, pivot, false, x);
    int info = triangle(t, a, false, true, 0, x);
    return info ? info : triangle(t, a, true, false, 0, x);
}

static int by_cholesky(const task *t, const char *a, char *x) {
    const bool upper = t->c->solve_factored.upper;
    int info = triangle(t, a, upper, false, upper ? 2 : 0, x);
    return info ? info : triangle(t, a, upper, false, upper ? 0 : 2, x);
}

static void one(void *arg, int64_t i) {
    task *t = arg;
    const gpa_libcall *c = t->c;
    const char *a = c->solve_factored.a.mem->base +
                    (c->solve_factored.a.offset + i * c->solve_factored.a.stride[0]) * t->item;
    char *x = c->solve_factored.x->base + i * c->solve_factored.n * c->solve_factored.k * t->item;
    int info = 0;
    switch (c->solve_factored.form) {
        case FACTORS_TRIANGLE:
            info = triangle(t, a, c->solve_factored.upper, c->solve_factored.unit,
                            c->solve_factored.trans, x);
            break;
        case FACTORS_CHOLESKY: info = by_cholesky(t, a, x); break;
        case FACTORS_LU: info = by_lu(t, a, x); break;
    }
    if (info) __atomic_store_n(&t->info, info, __ATOMIC_RELAXED);
}

/* ---- bands ---- */

/* Bands to columns of `lead` elements, of which LAPACK reserves the first `below` for fill-in. */
#define COLUMNS(size)                                                                         \
    static void columns_##size(const char *bands, int64_t n, int64_t count, int64_t below,    \
                               int64_t lead, char *to) {                                      \
        for (int64_t j = 0; j < n; j++)                                                       \
            for (int64_t i = 0; i < count; i++)                                               \
                memcpy(to + (j * lead + below + i) * size, bands + (i * n + j) * size, size); \
    }
COLUMNS(4)
COLUMNS(8)
COLUMNS(16)
#undef COLUMNS

static gpa_code by_bands(const routines *r, const gpa_libcall *c, gpa_err *e) {
    const size_t item = dtype_size(c->dtype);
    const int n = (int)c->solve_banded.n, k = (int)c->solve_banded.k,
              below = (int)c->solve_banded.kl, above = (int)c->solve_banded.ku,
              lead = 2 * below + above + 1;
    char *bands = c->solve_banded.bands->base;
    if (below == 1 && above == 1) {
        r->gtsv(&n, &k, bands + 2 * (size_t)n * item, bands + (size_t)n * item, bands + item,
                c->solve_banded.x->base, &n, c->solve_banded.info);
        return GPA_OK;
    }
    char *columns = mem_zero((size_t)n * (size_t)lead * item);
    int *pivots = mem_new((size_t)n * sizeof *pivots);
    gpa_code rc = columns && pivots ? GPA_OK : gpa_no_memory(e);
    if (!rc) {
        (item == 4   ? columns_4
         : item == 8 ? columns_8
                     : columns_16)(bands, n, below + above + 1, below, lead, columns);
        r->gbsv(&n, &below, &above, &k, columns, &lead, pivots, c->solve_banded.x->base, &n,
                c->solve_banded.info);
    }
    mem_free(columns);
    mem_free(pivots);
    return rc;
}

/* ---- calls ---- */

gpa_code solve_run(const solver_lib *q, const blas *b, int threads, const gpa_libcall *c,
                   gpa_err *e) {
    const routines *r = &q->of[blas_type_index(c->dtype)];
    if (c->kind == LIB_SOLVE_BANDED) {
        *c->solve_banded.info = 0;
        return by_bands(r, c, e);
    }
    task t = {.c = c,
              .r = r,
              .n = (int)c->solve_factored.n,
              .k = (int)c->solve_factored.k,
              .rows = by_rows(c),
              .item = (int64_t)dtype_size(c->dtype)};
    t.lead = (int)c->solve_factored.a.stride[t.rows ? 1 : 2];
    const bool many = threads > 1 && c->solve_factored.batch >= threads;
    int32_t never = 0;
    blas_threads(b, many ? 1 : threads);
    threads_each(many ? threads : 1, c->solve_factored.batch, &never, one, &t);
    *c->solve_factored.info = t.info;
    return GPA_OK;
}
