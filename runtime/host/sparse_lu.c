/* Sparse LU with threshold pivoting in host memory, and solves.
 *
 * Left-looking: the columns that update a column are found by a depth-first search through the
 * lower factor, in time proportional to the operations (J. R. Gilbert, T. Peierls, SIAM Journal on
 * Scientific and Statistical Computing 9, 862-874, 1988), with symmetric pruning of the search (S.
 * C. Eisenstat, J. W. H. Liu, SIAM Journal on Matrix Analysis 14, 253-257, 1993). Reading order:
 * reach of a column, factors, solves. */
#include "runtime/host/sparse_lu.h"

#include <complex.h>
#include <math.h>

#include "runtime/base/base.h"

enum { NONE = -1, LOOK = 256 /* columns between two polls of *stop */ };

typedef float _Complex c64;
typedef double _Complex c128;

#define REAL_SIZE(x) fabs((double)(x))
#define COMPLEX_SIZE(x) (fabs(creal((c128)(x))) + fabs(cimag((c128)(x))))
/* TYPE(dtype, C type, magnitude of a value). */
#define TYPES(TYPE)             \
    TYPE(F32, float, REAL_SIZE) \
    TYPE(F64, double, REAL_SIZE) TYPE(C64, c64, COMPLEX_SIZE) TYPE(C128, c128, COMPLEX_SIZE)

/* ---- reach of a column ---- */

typedef struct {
    int32_t *place;        /* per row: the column whose pivot it is, or NONE */
    int32_t *walked;       /* per column: the rows of its pruned list */
    int32_t *mark;         /* per row: the last column that reached it */
    int32_t *reached;      /* filled from the end: rows in topological order */
    int32_t *stack, *next; /* of the search: path, and next entry of each row on it */
} walk;

static int32_t walk_from(const walk *w, const lu_factor *lower, int32_t row, int32_t column,
                         int32_t top) {
    int32_t depth = 0;
    w->stack[0] = row;
    w->next[0] = NONE;
    while (depth >= 0) {
        const int32_t i = w->stack[depth], k = w->place[i];
        int32_t s = w->next[depth];
        if (s == NONE) {
            w->mark[i] = column;
            s = k == NONE ? 0 : lower->start[k];
        }
        const int32_t end = k == NONE ? 0 : lower->start[k] + w->walked[k];
        while (s < end && w->mark[lower->row[s]] == column) s++;
        if (s < end) {
            w->next[depth++] = s + 1;
            w->stack[depth] = lower->row[s];
            w->next[depth] = NONE;
            continue;
        }
        w->reached[--top] = i;
        depth--;
    }
    return top;
}

static gpa_code reserve(lu_factor *p, size_t more, size_t item, gpa_err *e) {
    if (p->count + more > INT32_MAX) return hostcall_too_many_values(e);
    if (p->count + more <= p->capacity) return GPA_OK;
    const size_t size = MIN((size_t)INT32_MAX, 2 * (p->count + more));
    int32_t *row = mem_resize(p->row, size * sizeof *row);
    if (row) p->row = row;
    char *at = row ? mem_resize(p->at, size * item) : NULL;
    if (at) p->at = at;
    if (at) p->capacity = size;
    return at ? GPA_OK : gpa_no_memory(e);
}

void hostlu_free(lu_factor *p) {
    mem_free(p->start);
    mem_free(p->row);
    mem_free(p->at);
}

/* Symmetric pruning: if the later column `by`, whose pivot is row `pivot`, has all rows of column k
 * of the lower factor that have no pivot yet, only the others are searched from now on. */
static int32_t parted(const walk *w, const lu_factor *lower, int32_t k, size_t item, char *spare) {
    int32_t low = lower->start[k], high = lower->start[k + 1];
    while (low < high) {
        if (w->place[lower->row[low]] != NONE) {
            low++;
            continue;
        }
        high--;
        const int32_t row = lower->row[low];
        lower->row[low] = lower->row[high];
        lower->row[high] = row;
        char *x = lower->at + (size_t)low * item, *y = lower->at + (size_t)high * item;
        memcpy(spare, x, item);
        memcpy(x, y, item);
        memcpy(y, spare, item);
    }
    return low - lower->start[k];
}

/* True if column k of the lower factor has this row. */
static bool has_row(const lu_factor *lower, int32_t k, int32_t row) {
    for (int32_t s = lower->start[k]; s < lower->start[k + 1]; s++)
        if (lower->row[s] == row) return true;
    return false;
}

/* ---- factors ---- */

#define FACTOR(id, T, SIZE)                                                                      \
    static gpa_code factor_##id(const host_csr *a, const int32_t *order, lu_factor *lower,       \
                                lu_factor *upper, walk *w, void *work, const atomic_bool *stop,  \
                                gpa_err *e) {                                                    \
        const int32_t n = (int32_t)a->m;                                                         \
        T *x = work;                                                                             \
        char spare[sizeof(T)];                                                                   \
        for (int32_t k = 0; k < n; k++) {                                                        \
            const int32_t j = order[k];                                                          \
            int32_t top = n, pivot = NONE;                                                       \
            double most = -1;                                                                    \
            lower->start[k] = (int32_t)lower->count;                                             \
            upper->start[k] = (int32_t)upper->count;                                             \
            for (int32_t s = a->start[j]; s < a->start[j + 1]; s++)                              \
                if (w->mark[a->column[s]] != k) top = walk_from(w, lower, a->column[s], k, top); \
            for (int32_t r = top; r < n; r++) x[w->reached[r]] = 0;                              \
            for (int32_t s = a->start[j]; s < a->start[j + 1]; s++)                              \
                x[a->column[s]] += ((const T *)a->at)[s];                                        \
            gpa_code rc = reserve(lower, (size_t)(n - top), sizeof(T), e);                       \
            if (!rc) rc = reserve(upper, (size_t)(n - top) + 1, sizeof(T), e);                   \
            if (rc) return rc;                                                                   \
            T *low = (T *)(void *)lower->at, *up = (T *)(void *)upper->at;                       \
            for (int32_t r = top; r < n; r++) {                                                  \
                const int32_t i = w->reached[r], before = w->place[i];                           \
                const T c = x[i];                                                                \
                if (before == NONE) {                                                            \
                    if (!(SIZE(c) <= most)) most = SIZE(c), pivot = i;                           \
                    continue;                                                                    \
                }                                                                                \
                upper->row[upper->count] = before;                                               \
                up[upper->count++] = c;                                                          \
                for (int32_t s = lower->start[before]; s < lower->start[before + 1]; s++)        \
                    x[lower->row[s]] -= low[s] * c;                                              \
            }                                                                                    \
            if (pivot == NONE || most == 0) return gpa_fail(e, GPA_E_LINALG, "Singular matrix"); \
            if (w->mark[j] == k && w->place[j] == NONE && 10 * SIZE(x[j]) >= most) pivot = j;    \
            const T by = x[pivot];                                                               \
            upper->row[upper->count] = k;                                                        \
            up[upper->count++] = by;                                                             \
            w->place[pivot] = k;                                                                 \
            for (int32_t r = top; r < n; r++) {                                                  \
                const int32_t i = w->reached[r];                                                 \
                if (w->place[i] != NONE) continue;                                               \
                lower->row[lower->count] = i;                                                    \
                low[lower->count++] = x[i] / by;                                                 \
            }                                                                                    \
            w->walked[k] = (int32_t)lower->count - lower->start[k];                              \
            lower->start[k + 1] = (int32_t)lower->count;                                         \
            for (int32_t s = upper->start[k]; s < (int32_t)upper->count - 1; s++) {              \
                const int32_t c = upper->row[s];                                                 \
                if (w->walked[c] == lower->start[c + 1] - lower->start[c] &&                     \
                    has_row(lower, c, pivot))                                                    \
                    w->walked[c] = parted(w, lower, c, sizeof(T), spare);                        \
            }                                                                                    \
            if (k % LOOK == 0 && hostcall_stopped(stop)) return gpa_interrupted(e);              \
        }                                                                                        \
        upper->start[n] = (int32_t)upper->count;                                                 \
        lower->start[n] = (int32_t)lower->count;                                                 \
        return GPA_OK;                                                                           \
    }
TYPES(FACTOR)
#undef FACTOR

bool hostlu_can(gpa_dtype t) { return t == DT_F32 || t == DT_F64 || t == DT_C64 || t == DT_C128; }

gpa_code hostlu_factor(gpa_dtype t, const host_csr *a, const int32_t *order, lu_factor *lower,
                       lu_factor *upper, int32_t *place, const atomic_bool *stop, gpa_err *e) {
    const size_t n = (size_t)a->m, ints = n * sizeof(int32_t);
    walk w = {place, mem_zero(ints), mem_new(ints), mem_new(ints), mem_new(ints), mem_new(ints)};
    void *work = mem_zero(n * dtype_size(t));
    gpa_code rc = GPA_OK;
    lower->start = mem_zero(ints + sizeof(int32_t));
    upper->start = mem_zero(ints + sizeof(int32_t));
    if (!w.walked || !w.mark || !w.reached || !w.stack || !w.next || !work || !lower->start ||
        !upper->start)
        rc = gpa_no_memory(e);
    for (size_t i = 0; i < n && !rc; i++) place[i] = w.mark[i] = NONE;
    if (!rc) rc = reserve(lower, (size_t)a->count * 2, dtype_size(t), e);
    if (!rc) rc = reserve(upper, (size_t)a->count * 2, dtype_size(t), e);
#define TYPE(id, T, SIZE) \
    if (!rc && t == DT_##id) rc = factor_##id(a, order, lower, upper, &w, work, stop, e);
    TYPES(TYPE)
#undef TYPE
    for (size_t s = 0; s < lower->count && !rc; s++) lower->row[s] = place[lower->row[s]];
    void *const all[] = {w.walked, w.mark, w.reached, w.stack, w.next, work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    return rc;
}

/* ---- solves ---- */

#define SOLVE(id, T, SIZE)                                                                         \
    static void solve_##id(int32_t n, const lu_factor *lower, const lu_factor *upper, bool turned, \
                           T *y) {                                                                 \
        const T *low = (const T *)(const void *)lower->at,                                         \
                *up = (const T *)(const void *)upper->at;                                          \
        for (int32_t k = 0; k < n; k++) {                                                          \
            const int32_t last = upper->start[k + 1] - 1;                                          \
            T c = y[k];                                                                            \
            if (turned) {                                                                          \
                for (int32_t s = upper->start[k]; s < last; s++) c -= up[s] * y[upper->row[s]];    \
                y[k] = c / up[last];                                                               \
            } else {                                                                               \
                for (int32_t s = lower->start[k]; s < lower->start[k + 1]; s++)                    \
                    y[lower->row[s]] -= low[s] * c;                                                \
            }                                                                                      \
        }                                                                                          \
        for (int32_t k = n - 1; k >= 0; k--) {                                                     \
            const int32_t last = upper->start[k + 1] - 1;                                          \
            T c = y[k];                                                                            \
            if (turned) {                                                                          \
                for (int32_t s = lower->start[k]; s < lower->start[k + 1]; s++)                    \
                    c -= low[s] * y[lower->row[s]];                                                \
                y[k] = c;                                                                          \
            } else {                                                                               \
                y[k] = c / up[last];                                                               \
                for (int32_t s = upper->start[k]; s < last; s++) y[upper->row[s]] -= up[s] * y[k]; \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void solve_all_##id(int32_t n, const int32_t *order, const int32_t *place,              \
                               const lu_factor *lower, const lu_factor *upper, int64_t count,      \
                               bool turned, const void *b, void *x, void *work) {                  \
        T *y = work;                                                                               \
        for (int64_t j = 0; j < count; j++) {                                                      \
            for (int32_t i = 0; i < n; i++)                                                        \
                y[turned ? i : place[i]] = ((const T *)b)[(turned ? order[i] : i) * count + j];    \
            solve_##id(n, lower, upper, turned, y);                                                \
            for (int32_t i = 0; i < n; i++)                                                        \
                ((T *)x)[(turned ? i : order[i]) * count + j] = y[turned ? place[i] : i];          \
        }                                                                                          \
    }
TYPES(SOLVE)
#undef SOLVE

gpa_code hostlu_solve(gpa_dtype t, int64_t n, const int32_t *order, const int32_t *place,
                      const lu_factor *lower, const lu_factor *upper, int64_t count, bool turned,
                      const void *b, void *x, gpa_err *e) {
    void *work = mem_new((size_t)n * dtype_size(t));
    if (!work) return gpa_no_memory(e);
#define TYPE(id, T, SIZE) \
    if (t == DT_##id)     \
        solve_all_##id((int32_t)n, order, place, lower, upper, count, turned, b, x, work);
    TYPES(TYPE)
#undef TYPE
    mem_free(work);
    return GPA_OK;
}
