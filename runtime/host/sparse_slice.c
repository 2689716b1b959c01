/* Indexing and reductions of CSR matrices in host memory: rows, columns, elements, diagonals, sums,
 * min and max. Reading order: rows and columns, column selections, elements, reductions. */
#include "runtime/base/base.h"
#include "runtime/tables/by_size.h"
#include "runtime/host/host.h"
#include "runtime/host/sum_dtypes.h"
#include "runtime/base/simd_clones.h"

enum {
    FEW = 16 /* columns that are compared one by one */,
    LANES = 16,
    NARROW = 64 /* matrix columns per requested one */,
    LOOK = 4096 /* elements between two polls of *stop */,
    AHEAD = 8 /* elements that are prefetched */
};

/* ---- rows and columns ---- */

gpa_code hostcall_csr_select_row_starts(const host_csr *a, const int64_t *row, int64_t n,
                                        int32_t *start, gpa_err *e) {
    int64_t all = start[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (row[i] < 0 || row[i] >= a->m)
            return gpa_fail(e, GPA_E_INDEX, "index (%lld) out of range", (long long)row[i]);
        all += a->start[row[i] + 1] - a->start[row[i]];
        if (all > INT32_MAX) return hostcall_too_many_values(e);
        start[i + 1] = (int32_t)all;
    }
    return GPA_OK;
}

/* Every row stores at least LANES entries where there is capacity, and the next row overwrites the
 * surplus: branch-free, as lengths are unpredictable. */
#define COPY_ROWS(T)                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                    \
        const int32_t from = a->start[row[i]], to = start[i], count = start[i + 1] - to; \
        const int32_t *c = a->column + from;                                             \
        const T *v = (const T *)a->at + from;                                            \
        if (count > LANES || from > last || to > room) {                                 \
            memcpy(column + to, c, (size_t)count * sizeof *column);                      \
            memcpy((T *)at + to, v, (size_t)count * sizeof(T));                          \
            continue;                                                                    \
        }                                                                                \
        memcpy(column + to, c, LANES * sizeof *column);                                  \
        memcpy((T *)at + to, v, LANES * sizeof(T));                                      \
    }

GPA_SIMD_CLONES void hostcall_csr_select_rows(size_t item, const host_csr *a, const int64_t *row,
                                              int64_t n, const int32_t *start, int32_t *column,
                                              void *at) {
    const int32_t last = (int32_t)a->count - LANES, room = start[n] - LANES;
    BY_SIZE(item, COPY_ROWS);
}
#undef COPY_ROWS

/* The indices of the values in the `wide` columns from low on, in order; returns their number. For
 * sparse hits: most vectors have none. */
static GPA_SIMD_CLONES int32_t find_few(const int32_t *column, int32_t count, uint32_t low,
                                        uint32_t wide, int32_t *found) {
    int32_t to = 0, s = 0;
    for (; count - s >= LANES; s += LANES) {
        uint32_t any = 0;
        for (int32_t w = 0; w < LANES; w++) any |= (uint32_t)column[s + w] - low < wide;
        for (int32_t w = s; any && w < s + LANES; w++)
            if ((uint32_t)column[w] - low < wide) found[to++] = w;
    }
    for (; s < count; s++)
        if ((uint32_t)column[s] - low < wide) found[to++] = s;
    return to;
}

#define PICK(T)                                                           \
    for (int32_t k = 0; k < n; k++) {                                     \
        const uint32_t j = (uint32_t)a->column[found[k]] - (uint32_t)low; \
        while (i < a->m && a->start[i + 1] <= found[k]) start[++i] = to;  \
        if (j % stride) continue;                                         \
        ((T *)at)[to] = ((const T *)a->at)[found[k]];                     \
        column[to++] = (int32_t)(j / stride);                             \
    }
/* The indices of the values in the `wide` columns from low on, row by row, branch-free: every index
 * is stored, and overwritten unless it is in range. */
static void find_rows(const host_csr *a, uint32_t low, uint32_t wide, int32_t *start,
                      int32_t *found) {
    const int32_t *const column = a->column, *const rows = a->start;
    int32_t to = 0;
    for (int64_t l = 0, s = rows[0]; l < a->m; l++) {
        for (const int32_t end = rows[l + 1]; s < end; s++) {
            found[to] = (int32_t)s;
            to += (uint32_t)column[s] - low < wide;
        }
        start[l + 1] = to;
    }
}

#define TAKE(T)                                                        \
    for (int32_t k = 0; k < n; k++) {                                  \
        const int32_t s = found[k];                                    \
        column[k] = (int32_t)((uint32_t)a->column[s] - (uint32_t)low); \
        ((T *)at)[k] = ((const T *)a->at)[s];                          \
    }
/* Every stride-th of the columns. */
#define BETWEEN(T)                                                                     \
    for (int64_t l = 0; l < a->m; l++) {                                               \
        for (int32_t s = a->start[l], end = a->start[l + 1]; s < end; s++) {           \
            const uint32_t j = (uint32_t)a->column[s] - (uint32_t)low, k = j / stride; \
            column[to] = (int32_t)k;                                                   \
            ((T *)at)[to] = ((const T *)a->at)[s];                                     \
            to += (j < wide) & (k * stride == j);                                      \
        }                                                                              \
        start[l + 1] = to;                                                             \
    }

void hostcall_csr_slice_columns(size_t item, const host_csr *a, int64_t low, int64_t high,
                                int64_t step, int32_t *start, int32_t *column, void *at) {
    const uint32_t wide = (uint32_t)MAX(0, high - low), stride = (uint32_t)step;
    int32_t *const found = column, to = start[0] = 0;
    if (wide < a->n / NARROW) {
        const int32_t n = find_few(a->column, (int32_t)a->count, (uint32_t)low, wide, found);
        int64_t i = 0;
        BY_SIZE(item, PICK);
        while (i < a->m) start[++i] = to;
    } else if (stride == 1) {
        find_rows(a, (uint32_t)low, wide, start, found);
        const int32_t n = start[a->m];
        BY_SIZE(item, TAKE);
    } else {
        BY_SIZE(item, BETWEEN);
    }
}
#undef PICK
#undef TAKE
#undef BETWEEN

/* ---- column selections ---- */

/* For columns selected at most once: the number of each in the selection, from 1 on, 0 for
 * others. */
#define PICK_ONE(T)                                                          \
    for (int64_t i = 0; i < a->m; i++) {                                     \
        for (int32_t s = a->start[i], end = a->start[i + 1]; s < end; s++) { \
            const int32_t k = p->first[a->column[s]];                        \
            column[to] = k - 1;                                              \
            ((T *)at)[to] = ((const T *)a->at)[s];                           \
            to += k != 0;                                                    \
        }                                                                    \
        start[i + 1] = to;                                                   \
    }
#define PICK_ALL(T)                                                                         \
    for (int64_t i = 0; i < a->m; i++) {                                                    \
        for (int32_t s = a->start[i], end = a->start[i + 1]; s < end; s++)                  \
            for (int32_t k = p->first[a->column[s]]; k < p->first[a->column[s] + 1]; k++) { \
                column[to] = p->order[k];                                                   \
                ((T *)at)[to++] = ((const T *)a->at)[s];                                    \
            }                                                                               \
        start[i + 1] = to;                                                                  \
    }

gpa_code hostcall_column_selection_new(const host_csr *a, const int64_t *chosen, int64_t n,
                                       host_column_selection *p, gpa_err *e) {
    *p = (host_column_selection){.first = mem_zero((size_t)(a->n + 1) * sizeof *p->first),
                                 .order = mem_new((size_t)(n + 1) * sizeof *p->order),
                                 .once = true};
    if (!p->first || !p->order) return gpa_no_memory(e);
    if (n > INT32_MAX) return hostcall_too_many_values(e);
    for (int64_t k = 0; k < n; k++) {
        if (chosen[k] < 0 || chosen[k] >= a->n)
            return gpa_fail(e, GPA_E_INDEX, "index (%lld) out of range", (long long)chosen[k]);
        if (p->first[chosen[k]]) p->once = false;
        p->first[chosen[k]] = (int32_t)k + 1;
    }
    p->count = a->count;
    if (p->once) return GPA_OK;
    memset(p->first, 0, (size_t)(a->n + 1) * sizeof *p->first);
    for (int64_t k = 0; k < n; k++) p->first[chosen[k] + 1]++;
    for (int64_t j = 0; j < a->n; j++) p->first[j + 1] += p->first[j];
    p->count = 0;
    for (int64_t s = 0; s < a->count; s++)
        p->count += p->first[a->column[s] + 1] - p->first[a->column[s]];
    for (int64_t k = 0; k < n; k++) p->order[p->first[chosen[k]]++] = (int32_t)k;
    memmove(p->first + 1, p->first,
            (size_t)a->n * sizeof *p->first); /* each start has become the next one */
    p->first[0] = 0;
    return p->count > INT32_MAX ? hostcall_too_many_values(e) : GPA_OK;
}

void hostcall_column_selection_free(host_column_selection *p) {
    mem_free(p->first);
    mem_free(p->order);
}

void hostcall_csr_select_columns(size_t item, const host_csr *a, const host_column_selection *p,
                                 int32_t *start, int32_t *column, void *at) {
    int32_t to = start[0] = 0;
    if (p->once)
        BY_SIZE(item, PICK_ONE);
    else
        BY_SIZE(item, PICK_ALL);
}
#undef PICK_ONE
#undef PICK_ALL

/* ---- elements ---- */

/* The first index from s on, before `end`, with column j; else `end`. Hits are rare: a vector is
 * compared at once. */
static inline int32_t next_place(const int32_t *column, int32_t s, int32_t end, int32_t last,
                                 int32_t j) {
    for (; s < end; s += LANES) {
        uint32_t any = s > last;
        if (!any)
            for (int32_t w = 0; w < LANES; w++) any |= column[s + w] == j;
        for (int32_t w = s; any && w < MIN(end, s + LANES); w++)
            if (column[w] == j) return w;
    }
    return end;
}

/* Binary search for the first value of row i in column j or after it, where columns ascend; else
 * the first of the row. */
static inline int32_t first_of(const host_csr *a, int64_t i, int32_t j, bool ascending) {
    int32_t low = a->start[i], n = a->start[i + 1] - low;
    for (; ascending && n > FEW; n -= n / 2) low += a->column[low + n / 2 - 1] < j ? n / 2 : 0;
    return low;
}

/* Sums of the values at (row, column): of `count` elements, with prefetched starts and columns, and
 * of a diagonal. */
#define ELEMENTS(id, T, ADD)                                                                \
    static inline T element_##id(const host_csr *r, int64_t i, int32_t j, bool ascending) { \
        const int32_t end = r->start[i + 1], last = (int32_t)r->count - LANES;              \
        T c = {0};                                                                          \
        for (int32_t s = next_place(r->column, first_of(r, i, j, ascending), end, last, j); \
             s < end;) {                                                                    \
            const T a = ((const T *)r->at)[s];                                              \
            ADD;                                                                            \
            s = ascending ? end : next_place(r->column, s + 1, end, last, j);               \
        }                                                                                   \
        return c;                                                                           \
    }                                                                                       \
    static GPA_SIMD_CLONES void elements_##id(const host_csr *r, const int64_t *row,        \
                                              const int64_t *column, int64_t count,         \
                                              bool ascending, void *out) {                  \
        for (int64_t k = 0; k < count; k++) {                                               \
            const int32_t *soon = r->start + row[MIN(k + 2 * AHEAD, count - 1)],            \
                          next = r->start[row[MIN(k + AHEAD, count - 1)]];                  \
            __builtin_prefetch(soon);                                                       \
            __builtin_prefetch(r->column + next);                                           \
            __builtin_prefetch(r->column + next + FEW);                                     \
            ((T *)out)[k] = element_##id(r, row[k], (int32_t)column[k], ascending);         \
        }                                                                                   \
    }
SUM_TYPES(ELEMENTS)
ELEMENTS(PLACE, int32_t, (void)a; c = s + 1)
#undef ELEMENTS

#define DIAGONAL(id, T, ADD)                                                                    \
    static GPA_SIMD_CLONES void diagonal_##id(const host_csr *r, int64_t first, int64_t offset, \
                                              int64_t n, void *out) {                           \
        for (int64_t i = 0; i < n; i++)                                                         \
            ((T *)out)[i] = element_##id(r, first + i, (int32_t)(first + i + offset), false);   \
    }
SUM_TYPES(DIAGONAL)
#undef DIAGONAL

typedef void elements(const host_csr *, const int64_t *, const int64_t *, int64_t, bool, void *);

static elements *elements_of(gpa_dtype t) {
#define SUM(id, T, ADD) \
    if (t == DT_##id) return elements_##id;
    SUM_TYPES(SUM)
#undef SUM
    return elements_PLACE;
}

gpa_code hostcall_csr_gather(gpa_dtype t, const host_csr *a, const int64_t *row,
                             const int64_t *column, int64_t n, bool ascending, void *out,
                             const atomic_bool *stop, gpa_err *e) {
    elements *some = elements_of(t);
    const size_t item = t == DT_NONE ? sizeof(int32_t) : dtype_size(t);
    host_csr r = *a;
    if (t == DT_NONE) r.at = r.column; /* no values are read */
    for (int64_t k = 0; k < n; k++) {
        if (row[k] < 0 || row[k] >= a->m)
            return gpa_fail(e, GPA_E_INDEX, "index (%lld) out of range", (long long)row[k]);
        if (column[k] < 0 || column[k] >= a->n)
            return gpa_fail(e, GPA_E_INDEX, "index (%lld) out of range", (long long)column[k]);
    }
    for (int64_t k = 0; k < n; k += LOOK) {
        some(&r, row + k, column + k, MIN(LOOK, n - k), ascending, (char *)out + (size_t)k * item);
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}

void hostcall_csr_diagonal(gpa_dtype t, const host_csr *a, int64_t offset, int64_t n, void *out) {
    const int64_t first = MAX(0, -offset);
#define SUM(id, T, ADD) \
    if (t == DT_##id) diagonal_##id(a, first, offset, n, out);
    SUM_TYPES(SUM)
#undef SUM
}

/* ---- reductions ---- */

#define SUMMED(id, T, ADD)                                  \
    static void summed_##id(const host_csr *p, void *out) { \
        const T *at = p->at;                                \
        T *sums = out;                                      \
        for (int64_t s = 0; s < p->count; s++) {            \
            const T a = at[s];                              \
            T c = sums[p->column[s]];                       \
            ADD;                                            \
            sums[p->column[s]] = c;                         \
        }                                                   \
    }
SUM_TYPES(SUMMED)
#undef SUMMED

void hostcall_csr_column_sums(gpa_dtype t, const host_csr *a, void *out) {
    memset(out, 0, (size_t)a->n * dtype_size(t));
#define SUM(id, T, ADD) \
    if (t == DT_##id) summed_##id(a, out);
    SUM_TYPES(SUM)
#undef SUM
}

/* EXTREME(dtype, C type): the ordered dtypes. NaN propagates. */
#define EXTREMES(EXTREME)  \
    EXTREME(I8, int8_t)    \
    EXTREME(I16, int16_t)  \
    EXTREME(I32, int32_t)  \
    EXTREME(I64, int64_t)  \
    EXTREME(U8, uint8_t)   \
    EXTREME(U16, uint16_t) \
    EXTREME(U32, uint32_t) EXTREME(U64, uint64_t) EXTREME(F32, float) EXTREME(F64, double)
#define EXTREME(id, T)                                                          \
    static void extreme_##id(const host_csr *a, bool largest, void *out) {      \
        for (int64_t i = 0; i < a->m; i++) {                                    \
            const T *x = (const T *)a->at + a->start[i];                        \
            const int64_t n = a->start[i + 1] - a->start[i];                    \
            T c = n && n == a->n ? x[0] : 0;                                    \
            bool odd = false; /* NaN is there */                                \
            for (int64_t s = 0; s < n && largest; s++)                          \
                c = x[s] > c ? x[s] : c, odd |= x[s] != x[s];                   \
            for (int64_t s = 0; s < n && !largest; s++)                         \
                c = x[s] < c ? x[s] : c, odd |= x[s] != x[s];                   \
            for (int64_t s = 0; odd && s < n; s++) c = x[s] != x[s] ? x[s] : c; \
            ((T *)out)[i] = c;                                                  \
        }                                                                       \
    }
EXTREMES(EXTREME)
#undef EXTREME

/* argmin or argmax of each row, whose columns ascend; the first NaN wins. */
#define WHERE(id, T)                                                                            \
    static void where_##id(const host_csr *a, bool largest, int64_t *out) {                     \
        for (int64_t i = 0; i < a->m; i++) {                                                    \
            const T *x = (const T *)a->at + a->start[i];                                        \
            const int32_t *column = a->column + a->start[i], n = a->start[i + 1] - a->start[i]; \
            int32_t best = 0, none = 0;                                                         \
            for (int32_t s = 1; s < n; s++)                                                     \
                if ((largest ? x[s] > x[best] : x[s] < x[best]) ||                              \
                    (x[s] != x[s] && x[best] == x[best]))                                       \
                    best = s;                                                                   \
            const T zero = 0, c = n ? x[best] : zero;                                           \
            if ((n && n == a->n) || (largest ? c > zero : c < zero) || c != c) {                \
                out[i] = column[best];                                                          \
                continue;                                                                       \
            }                                                                                   \
            while (none < n && column[none] == none) none++;                                    \
            out[i] = n && c == 0 ? MIN(none, column[best]) : none;                              \
        }                                                                                       \
    }
EXTREMES(WHERE)
#undef WHERE

typedef void extreme(const host_csr *, bool, void *);

static extreme *extreme_of(gpa_dtype t) {
#define EXTREME(id, T) \
    if (t == DT_##id) return extreme_##id;
    EXTREMES(EXTREME)
#undef EXTREME
    return NULL;
}

bool hostcall_can_compare(gpa_dtype t) { return extreme_of(t) != NULL; }

void hostcall_csr_row_minmax(gpa_dtype t, const host_csr *a, bool largest, void *out) {
    extreme_of(t)(a, largest, out);
}

void hostcall_csr_row_argminmax(gpa_dtype t, const host_csr *a, bool largest, int64_t *out) {
#define EXTREME(id, T) \
    if (t == DT_##id) where_##id(a, largest, out);
    EXTREMES(EXTREME)
#undef EXTREME
}
