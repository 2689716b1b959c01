/* Indexing and reductions of CSR matrices in host memory: rows, columns, elements, diagonals, sums,
 * min and max. Reading order: rows and columns, column selections, elements, reductions. */
#include "runtime/base/base.h"
#include "runtime/host/sparse.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum { LANES = 16 };

/* A slice of columns: start, start + step, ... in the `width` columns from start on. */
typedef struct {
    uint32_t start, width, step;
} column_range;

#define TEMPLATE "runtime/host/sparse_slice_item.inc"
#include "runtime/host/item_sizes.inc"

/* ---- rows and columns ---- */

static gpa_code out_of_range(int64_t index, gpa_err *e) {
    return gpa_fail(e, GPA_E_INDEX, "index (%lld) out of range", (long long)index);
}

gpa_code hostcall_csr_select_indptr(const host_csr *a, const int64_t *row, int64_t n,
                                    int32_t *indptr, gpa_err *e) {
    int64_t sum = indptr[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (row[i] < 0 || row[i] >= a->rows) return out_of_range(row[i], e);
        sum += a->indptr[row[i] + 1] - a->indptr[row[i]];
        if (sum > INT32_MAX) return hostcall_too_many_values(e);
        indptr[i + 1] = (int32_t)sum;
    }
    return GPA_OK;
}

void hostcall_csr_select_rows(const host_csr *a, const int64_t *row, int64_t n,
                              const host_csr_out *out) {
    BY_SIZE(select_rows, dtype_size(a->dtype))(a, row, n, out);
}

/* The indices of the values in the `width` columns from start on, in order; returns their number.
 * For rare hits: most vectors have none. */
static GPA_SIMD_CLONES int32_t find_rare(const int32_t *column, int32_t count, column_range r,
                                         int32_t *found) {
    int32_t to = 0, s = 0;
    for (; count - s >= LANES; s += LANES) {
        uint32_t any = 0;
        for (int32_t w = 0; w < LANES; w++) any |= (uint32_t)column[s + w] - r.start < r.width;
        for (int32_t w = s; any && w < s + LANES; w++)
            if ((uint32_t)column[w] - r.start < r.width) found[to++] = w;
    }
    for (; s < count; s++)
        if ((uint32_t)column[s] - r.start < r.width) found[to++] = s;
    return to;
}

/* The same row by row, with the row starts of the slice, branch-free: every index is stored, and
 * overwritten unless it is in the range. */
static void find_rows(const host_csr *a, column_range r, int32_t *indptr, int32_t *found) {
    const int32_t *const column = a->indices, *const rows = a->indptr;
    int32_t to = 0;
    for (int64_t l = 0, s = rows[0]; l < a->rows; l++) {
        for (const int32_t end = rows[l + 1]; s < end; s++) {
            found[to] = (int32_t)s;
            to += (uint32_t)column[s] - r.start < r.width;
        }
        indptr[l + 1] = to;
    }
}

void hostcall_csr_slice_columns(const host_csr *a, host_slice range, const host_csr_out *out) {
    const size_t item = dtype_size(a->dtype);
    const column_range r = {(uint32_t)range.start, (uint32_t)MAX(0, range.stop - range.start),
                            (uint32_t)range.step};
    int32_t *const found = out->indices; /* overwritten in order */
    out->indptr[0] = 0;
    if (r.width < a->cols / TUNE_SPARSE_SLICE_RARE_COLUMNS) {
        const int32_t n = find_rare(a->indices, (int32_t)a->nnz, r, found);
        BY_SIZE(slice_few, item)(a, r, found, n, out);
    } else if (r.step == 1) {
        find_rows(a, r, out->indptr, found);
        BY_SIZE(slice_found, item)(a, r, found, out->indptr[a->rows], out);
    } else {
        BY_SIZE(slice_all, item)(a, r, out);
    }
}

/* ---- column selections ---- */

gpa_code hostcall_column_selection_new(const host_csr *a, const int64_t *column, int64_t n,
                                       host_column_selection *p, gpa_err *e) {
    *p = (host_column_selection){.first = mem_zero((size_t)(a->cols + 1) * sizeof *p->first),
                                 .order = mem_new((size_t)(n + 1) * sizeof *p->order),
                                 .once = true};
    if (!p->first || !p->order) return gpa_no_memory(e);
    if (n > INT32_MAX) return hostcall_too_many_values(e);
    for (int64_t k = 0; k < n; k++) {
        if (column[k] < 0 || column[k] >= a->cols) return out_of_range(column[k], e);
        if (p->first[column[k]]) p->once = false;
        p->first[column[k]] = (int32_t)k + 1;
    }
    p->nnz = a->nnz;
    if (p->once) return GPA_OK;
    memset(p->first, 0, (size_t)(a->cols + 1) * sizeof *p->first);
    for (int64_t k = 0; k < n; k++) p->first[column[k] + 1]++;
    for (int64_t j = 0; j < a->cols; j++) p->first[j + 1] += p->first[j];
    p->nnz = 0;
    for (int64_t s = 0; s < a->nnz; s++)
        p->nnz += p->first[a->indices[s] + 1] - p->first[a->indices[s]];
    for (int64_t k = 0; k < n; k++) p->order[p->first[column[k]]++] = (int32_t)k;
    /* each start has become the next one */
    memmove(p->first + 1, p->first, (size_t)a->cols * sizeof *p->first);
    p->first[0] = 0;
    return p->nnz > INT32_MAX ? hostcall_too_many_values(e) : GPA_OK;
}

void hostcall_column_selection_free(host_column_selection *p) {
    mem_free(p->first);
    mem_free(p->order);
}

void hostcall_csr_select_columns(const host_csr *a, const host_column_selection *p,
                                 const host_csr_out *out) {
    const size_t item = dtype_size(a->dtype);
    out->indptr[0] = 0;
    if (p->once)
        BY_SIZE(select_once, item)(a, p, out);
    else
        BY_SIZE(select_repeated, item)(a, p, out);
}

/* ---- elements ---- */

/* The first index from s on, before `end`, with column j; else `end`. Hits are rare: a vector is
 * compared at once, up to `last`, where the last vector begins. */
static inline int32_t find_column(const int32_t *column, int32_t s, int32_t end, int32_t last,
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

/* Where the search for column j of row i begins: after a binary search where columns ascend, else
 * at the first value. */
static inline int32_t lower_bound(const host_csr *a, int64_t i, int32_t j) {
    int32_t low = a->indptr[i], n = a->indptr[i + 1] - low;
    for (; a->canonical && n > TUNE_SPARSE_SLICE_LINEAR_SEARCH_MAX; n -= n / 2)
        low += a->indices[low + n / 2 - 1] < j ? n / 2 : 0;
    return low;
}

#define TEMPLATE "runtime/host/sparse_slice_sum.inc"
#include "runtime/host/sum_dtypes.inc"

/* The indices of values instead of these, from 1 on. */
#define NAME(f) f##_index
#define T int32_t
#define ADD(c, x) ((void)(c), (x))
#define VALUE(a, s) ((s) + 1)
#include "runtime/host/sparse_element.inc"
#undef NAME
#undef T
#undef ADD
#undef VALUE

typedef void gather_function(const host_csr *a, const host_elements *at, int64_t from, int64_t to,
                             void *out);
static gather_function *const gather_functions[DT_COUNT] = {SUM_TABLE(gather)};

static gpa_code gather(gather_function *f, const host_csr *a, const host_elements *at, void *out,
                       const atomic_bool *stop, gpa_err *e) {
    for (int64_t k = 0; k < at->n; k++) {
        if (at->row[k] < 0 || at->row[k] >= a->rows) return out_of_range(at->row[k], e);
        if (at->col[k] < 0 || at->col[k] >= a->cols) return out_of_range(at->col[k], e);
    }
    for (int64_t k = 0; k < at->n; k += TUNE_SPARSE_SLICE_POLL_ELEMS) {
        f(a, at, k, MIN(k + TUNE_SPARSE_SLICE_POLL_ELEMS, at->n), out);
        if (hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    return GPA_OK;
}

gpa_code hostcall_csr_gather(const host_csr *a, const host_elements *at, void *out,
                             const atomic_bool *stop, gpa_err *e) {
    return gather(gather_functions[a->dtype], a, at, out, stop, e);
}

gpa_code hostcall_csr_gather_indices(const host_csr *a, const host_elements *at, int32_t *out,
                                     const atomic_bool *stop, gpa_err *e) {
    return gather(gather_index, a, at, out, stop, e);
}

/* ---- reductions ---- */

typedef void diagonal_function(const host_csr *a, int64_t first, int64_t offset, int64_t n,
                               void *out);
static diagonal_function *const diagonal_functions[DT_COUNT] = {SUM_TABLE(diagonal)};
typedef void sums_function(const host_csr *a, void *out);
static sums_function *const sums_functions[DT_COUNT] = {SUM_TABLE(column_sums)};

void hostcall_csr_diagonal(const host_csr *a, int64_t offset, int64_t n, void *out) {
    diagonal_functions[a->dtype](a, MAX(0, -offset), offset, n, out);
}

void hostcall_csr_column_sums(const host_csr *a, void *out) {
    memset(out, 0, (size_t)a->cols * dtype_size(a->dtype));
    sums_functions[a->dtype](a, out);
}

#define TEMPLATE "runtime/host/sparse_minmax.inc"
#include "runtime/host/ordered_dtypes.inc"

typedef void minmax_function(const host_csr *a, bool max, void *out);
static minmax_function *const minmax_functions[DT_COUNT] = {ORDERED_TABLE(row_minmax)};
typedef void argminmax_function(const host_csr *a, bool max, int64_t *out);
static argminmax_function *const argminmax_functions[DT_COUNT] = {ORDERED_TABLE(row_argminmax)};

bool hostcall_can_compare(gpa_dtype t) { return minmax_functions[t] != NULL; }

void hostcall_csr_row_minmax(const host_csr *a, bool max, void *out) {
    minmax_functions[a->dtype](a, max, out);
}

void hostcall_csr_row_argminmax(const host_csr *a, bool max, int64_t *out) {
    argminmax_functions[a->dtype](a, max, out);
}
