/* Sorts the columns of each row of a CSR matrix in host memory, and sums duplicates.
 *
 * A column and the index of its value are packed into a 64-bit key, so that the sort is stable.
 * Short rows are sorted by counting ranks, medium ones by insertion, the others by LSD radix
 * sort. */
#include "runtime/base/base.h"
#include "runtime/host/sparse.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static bool is_ascending(const int32_t *column, int64_t n) {
    bool all = true;
    for (int64_t k = 1; k < n; k++) all &= column[k - 1] < column[k];
    return all;
}

bool hostcall_csr_is_canonical(const host_csr *a) {
    for (int64_t i = 0; i < a->rows; i++)
        if (!is_ascending(a->indices + a->indptr[i], a->indptr[i + 1] - a->indptr[i])) return false;
    return true;
}

/* Sorts n <= TUNE_SPARSE_SORT_RANK_MAX columns, of which the first belongs to value number `first`.
 */
static GPA_SIMD_CLONES void rank_sort(const int32_t *column, int32_t n, uint64_t first,
                                      uint64_t *out) {
    int32_t own[TUNE_SPARSE_SORT_RANK_MAX], rank[TUNE_SPARSE_SORT_RANK_MAX] = {0};
    for (int i = 0; i < TUNE_SPARSE_SORT_RANK_MAX; i++) own[i] = i < n ? column[i] : 0;
    for (int32_t j = 0; j < n; j++) {
        const int32_t c = column[j];
        for (int i = 0; i < TUNE_SPARSE_SORT_RANK_MAX; i++) rank[i] += c < own[i] + (j < i);
    }
    for (int i = 0; i < n; i++)
        out[rank[i]] = (uint64_t)(uint32_t)own[i] << 32 | (first + (uint64_t)i);
}

/* LSD radix sort of n > 0 keys by their upper halves; returns the array with the result. */
static uint64_t *radix_sort(uint64_t *key, uint64_t *spare, int64_t n) {
    uint64_t differ = 0;
    for (int64_t k = 1; k < n; k++) differ |= key[k] ^ key[0];
    for (int shift = 32; shift < 64; shift += DIGIT_BITS) {
        int64_t offset[DIGITS] = {0}, sum = 0;
        if (!(differ >> shift & (DIGITS - 1))) continue;
        for (int64_t k = 0; k < n; k++) offset[key[k] >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) {
            const int64_t count = offset[d];
            offset[d] = sum;
            sum += count;
        }
        for (int64_t k = 0; k < n; k++) spare[offset[key[k] >> shift & (DIGITS - 1)]++] = key[k];
        uint64_t *sorted = spare;
        spare = key;
        key = sorted;
    }
    return key;
}

/* The sort of a matrix; key and spare: scratch for the longest row. */
typedef struct {
    const host_csr *a;
    const host_csr_out *out;
    bool sum_duplicates;
    uint64_t *key, *spare;
} row_sort;

/* The keys of row i, sorted. */
static const uint64_t *sorted_keys(const row_sort *w, int64_t i) {
    const host_csr *a = w->a;
    const int32_t first = a->indptr[i], n = a->indptr[i + 1] - first;
    uint64_t *key = w->key;
    if (n <= TUNE_SPARSE_SORT_RANK_MAX) {
        rank_sort(a->indices + first, n, (uint64_t)first, key);
        return key;
    }
    for (int32_t k = 0; k < n; k++) {
        const uint64_t x = (uint64_t)(uint32_t)a->indices[first + k] << 32 | (uint64_t)(first + k);
        int32_t to = k;
        for (; n <= TUNE_SPARSE_SORT_INSERTION_MAX && to && key[to - 1] > x; to--)
            key[to] = key[to - 1];
        key[to] = x;
    }
    return n <= TUNE_SPARSE_SORT_INSERTION_MAX ? key : radix_sort(key, w->spare, n);
}

#define TEMPLATE "runtime/host/sparse_sort_row.inc"
#include "runtime/host/sum_dtypes.inc"

typedef int32_t row_function(const row_sort *w, int64_t i, int32_t to);
static row_function *const row_functions[DT_COUNT] = {SUM_TABLE(sort_row)};

bool hostcall_can_sum(gpa_dtype t) { return row_functions[t] != NULL; }

gpa_code hostcall_csr_sort_columns(const host_csr *a, bool sum_duplicates, const host_csr_out *out,
                                   const atomic_bool *stop, gpa_err *e) {
    row_function *sort_row = row_functions[a->dtype];
    int64_t longest = TUNE_SPARSE_SORT_RANK_MAX;
    for (int64_t i = 0; i < a->rows; i++) longest = MAX(longest, a->indptr[i + 1] - a->indptr[i]);
    uint64_t *scratch = mem_new((size_t)longest * 2 * sizeof *scratch);
    const row_sort w = {a, out, sum_duplicates, scratch, scratch ? scratch + longest : NULL};
    gpa_code rc = scratch ? GPA_OK : gpa_no_memory(e);
    out->indptr[0] = 0;
    for (int64_t i = 0; i < a->rows && !rc; i++) {
        out->indptr[i + 1] = sort_row(&w, i, out->indptr[i]);
        if (i % TUNE_SPARSE_POLL_ROWS == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    mem_free(scratch);
    return rc;
}
