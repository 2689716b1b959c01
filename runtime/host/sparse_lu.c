/* Sparse LU with threshold pivoting in host memory, and solves.
 *
 * Left-looking: the columns that update a column are found by a depth-first search through the
 * lower factor, in time proportional to the operations (J. R. Gilbert, T. Peierls, SIAM Journal on
 * Scientific and Statistical Computing 9, 862-874, 1988), with symmetric pruning of the search (S.
 * C. Eisenstat, J. W. H. Liu, SIAM Journal on Matrix Analysis 14, 253-257, 1993). Reading order:
 * reach of a column, factors and solves of one dtype (sparse_lu_dtype.inc), calls. */
#include "runtime/host/sparse_lu.h"

#include <complex.h>
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/tables/tuning.h"

enum { NONE = -1 };

/* ---- reach of a column ---- */

/* The search for the columns that update a column, and the column itself. */
typedef struct {
    const int32_t *perm_r; /* per row: the column whose pivot it is, or NONE */
    int32_t *pruned;       /* per column: the rows of its list that are searched */
    int32_t *visited;      /* per row: the last column that reached it */
    int32_t *reached;      /* filled from the end: rows in topological order */
    int32_t *stack, *next; /* path of the search, and next entry of each row on it */
    void *x;               /* per row: the value of the column */
} search;

static int32_t search_from(const search *w, const lu_factor *lower, int32_t row, int32_t column,
                           int32_t top) {
    int32_t depth = 0;
    w->stack[0] = row;
    w->next[0] = NONE;
    while (depth >= 0) {
        const int32_t i = w->stack[depth], k = w->perm_r[i];
        int32_t s = w->next[depth];
        if (s == NONE) {
            w->visited[i] = column;
            s = k == NONE ? 0 : lower->indptr[k];
        }
        const int32_t end = k == NONE ? 0 : lower->indptr[k] + w->pruned[k];
        while (s < end && w->visited[lower->indices[s]] == column) s++;
        if (s < end) {
            w->next[depth++] = s + 1;
            w->stack[depth] = lower->indices[s];
            w->next[depth] = NONE;
            continue;
        }
        w->reached[--top] = i;
        depth--;
    }
    return top;
}

static gpa_code reserve(lu_factor *p, size_t more, size_t item, gpa_err *e) {
    if (p->nnz + more > INT32_MAX) return hostcall_too_many_values(e);
    if (p->nnz + more <= p->capacity) return GPA_OK;
    const size_t size = MIN((size_t)INT32_MAX, 2 * (p->nnz + more));
    int32_t *indices = mem_resize(p->indices, size * sizeof *indices);
    if (indices) p->indices = indices;
    char *data = indices ? mem_resize(p->data, size * item) : NULL;
    if (data) p->data = data;
    if (data) p->capacity = size;
    return data ? GPA_OK : gpa_no_memory(e);
}

/* Symmetric pruning: once a later column has all rows of column k of the lower factor that have no
 * pivot yet, only the others are searched. Moves these to the front, with their values of `item`
 * bytes; returns their number. */
static int32_t prune(const host_lu *lu, int32_t k, size_t item) {
    const lu_factor *lower = &lu->lower;
    char swap[sizeof(double _Complex)];
    int32_t low = lower->indptr[k], high = lower->indptr[k + 1];
    while (low < high) {
        if (lu->perm_r[lower->indices[low]] != NONE) {
            low++;
            continue;
        }
        high--;
        const int32_t row = lower->indices[low];
        lower->indices[low] = lower->indices[high];
        lower->indices[high] = row;
        char *x = lower->data + (size_t)low * item, *y = lower->data + (size_t)high * item;
        memcpy(swap, x, item);
        memcpy(x, y, item);
        memcpy(y, swap, item);
    }
    return low - lower->indptr[k];
}

/* True if column k of the lower factor has this row. */
static bool has_row(const lu_factor *lower, int32_t k, int32_t row) {
    for (int32_t s = lower->indptr[k]; s < lower->indptr[k + 1]; s++)
        if (lower->indices[s] == row) return true;
    return false;
}

/* ---- one dtype ---- */

/* Result of the depth-first search of a column: reached[top ..], and the pivot row with its
 * magnitude. */
typedef struct {
    int32_t top, row;
    double magnitude;
} column_pivot;

#define MAGNITUDE(x) fabs((double)(x))
#define NAME(f) f##_F32
#define T float
#include "runtime/host/sparse_lu_dtype.inc"
#undef NAME
#undef T
#define NAME(f) f##_F64
#define T double
#include "runtime/host/sparse_lu_dtype.inc"
#undef NAME
#undef T
#undef MAGNITUDE
#define MAGNITUDE(x) (fabs(creal((double _Complex)(x))) + fabs(cimag((double _Complex)(x))))
#define NAME(f) f##_C64
#define T float _Complex
#include "runtime/host/sparse_lu_dtype.inc"
#undef NAME
#undef T
#define NAME(f) f##_C128
#define T double _Complex
#include "runtime/host/sparse_lu_dtype.inc"
#undef NAME
#undef T
#undef MAGNITUDE

#define LU_TABLE(f) \
    { [DT_F32] = f##_F32, [DT_F64] = f##_F64, [DT_C64] = f##_C64, [DT_C128] = f##_C128 }
typedef gpa_code factor_function(const host_csr *a, host_lu *lu, const search *w, int32_t k,
                                 gpa_err *e);
static factor_function *const factor_functions[DT_COUNT] = LU_TABLE(factor_column);
typedef void solve_function(const host_lu *lu, bool transposed, int64_t count, const void *b,
                            void *x, void *scratch);
static solve_function *const solve_functions[DT_COUNT] = LU_TABLE(solve_all);

/* ---- calls ---- */

bool hostlu_can(gpa_dtype t) { return factor_functions[t] != NULL; }

gpa_code hostlu_factor(const host_csr *a, host_lu *lu, const atomic_bool *stop, gpa_err *e) {
    const size_t n = (size_t)a->rows, ints = n * sizeof(int32_t), item = dtype_size(a->dtype);
    lu_factor *lower = &lu->lower, *upper = &lu->upper;
    lu->dtype = a->dtype;
    lu->n = (int32_t)n;
    search w = {lu->perm_r,    mem_zero(ints), mem_new(ints),     mem_new(ints),
                mem_new(ints), mem_new(ints),  mem_zero(n * item)};
    gpa_code rc = GPA_OK;
    lower->indptr = mem_zero(ints + sizeof(int32_t));
    upper->indptr = mem_zero(ints + sizeof(int32_t));
    if (!w.pruned || !w.visited || !w.reached || !w.stack || !w.next || !w.x || !lower->indptr ||
        !upper->indptr)
        rc = gpa_no_memory(e);
    for (size_t i = 0; i < n && !rc; i++) lu->perm_r[i] = w.visited[i] = NONE;
    if (!rc) rc = reserve(lower, (size_t)a->nnz * 2, item, e);
    if (!rc) rc = reserve(upper, (size_t)a->nnz * 2, item, e);
    for (int32_t k = 0; k < lu->n && !rc; k++) {
        rc = factor_functions[a->dtype](a, lu, &w, k, e);
        if (!rc && k % TUNE_SPARSE_LU_POLL_COLUMNS == 0 && hostcall_stopped(stop))
            rc = gpa_interrupted(e);
    }
    if (!rc) upper->indptr[n] = (int32_t)upper->nnz;
    if (!rc) lower->indptr[n] = (int32_t)lower->nnz;
    for (size_t s = 0; s < lower->nnz && !rc; s++)
        lower->indices[s] = lu->perm_r[lower->indices[s]];
    void *const all[] = {w.pruned, w.visited, w.reached, w.stack, w.next, w.x};
    for (size_t i = 0; i < COUNT_OF(all); i++) mem_free(all[i]);
    return rc;
}

void hostlu_free(host_lu *lu) {
    void *const all[] = {lu->lower.indptr, lu->lower.indices, lu->lower.data,
                         lu->upper.indptr, lu->upper.indices, lu->upper.data};
    for (size_t i = 0; i < COUNT_OF(all); i++) mem_free(all[i]);
}

gpa_code hostlu_solve(const host_lu *lu, bool transposed, int64_t count, const void *b, void *x,
                      gpa_err *e) {
    void *scratch = mem_new((size_t)lu->n * dtype_size(lu->dtype));
    if (!scratch) return gpa_no_memory(e);
    solve_functions[lu->dtype](lu, transposed, count, b, x, scratch);
    mem_free(scratch);
    return GPA_OK;
}
