/* Products of two sparse matrices (SpGEMM, CSR) in host memory, and checks of index arrays.
 *
 * Row-wise SpGEMM (F. G. Gustavson, ACM Transactions on Mathematical Software 4, 250-269, 1978);
 * for large products a symbolic pass first counts the columns of each row, to allocate the result,
 * then the numeric pass sums. The columns of a row are in SciPy's order, last inserted first.
 * Reading order: checks, products. */
#include "runtime/base/base.h"
#include "runtime/host/sparse.h"
#include "runtime/host/sparse_accumulator.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* ---- checks ---- */

static GPA_SIMD_CLONES bool is_nondecreasing(const int32_t *index, int64_t n) {
    uint32_t fall = 0;
    for (int64_t i = 1; i < n; i++) fall |= index[i - 1] > index[i];
    return !fall;
}

static GPA_SIMD_CLONES uint32_t max_index(const int32_t *index, int64_t n) {
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = MAX(most, (uint32_t)index[i]);
    return most;
}

void hostcall_index_range(const int32_t *index, int64_t n, uint32_t *max, bool *nondecreasing) {
    *max = max_index(index, n);
    *nondecreasing = is_nondecreasing(index, n);
}

gpa_code hostcall_too_many_values(gpa_err *e) {
    return gpa_fail(e, GPA_E_VALUE, "a sparse matrix cannot have 2**31 values or more");
}

/* Inclusive prefix sum over indptr[1 .. m]: counts to offsets. */
static gpa_code prefix_sum(int64_t m, int32_t *indptr, gpa_err *e) {
    int64_t sum = 0;
    indptr[0] = 0;
    for (int64_t i = 1; i <= m; i++) {
        sum += indptr[i];
        if (sum > INT32_MAX) return hostcall_too_many_values(e);
        indptr[i] = (int32_t)sum;
    }
    return GPA_OK;
}

/* ---- products ---- */

gpa_code hostcall_spgemm_indptr(const host_csr *a, const host_csr *b, int32_t *indptr,
                                const atomic_bool *stop, gpa_err *e) {
    /* per column the last row that has it */
    int32_t *seen = mem_new((size_t)MAX(b->cols, 1) * sizeof *seen);
    gpa_code rc = seen ? GPA_OK : gpa_no_memory(e);
    for (int64_t j = 0; j < b->cols && !rc; j++) seen[j] = -1;
    for (int64_t i = 0; i < a->rows && !rc; i++) {
        const int32_t row = (int32_t)i;
        int32_t n = 0;
        for (int32_t s = a->indptr[i]; s < a->indptr[i + 1]; s++) {
            __builtin_prefetch(
                b->indices + b->indptr[a->indices[MIN(s + TUNE_SPGEMM_PREFETCH_ROWS, a->nnz - 1)]]);
            for (int32_t t = b->indptr[a->indices[s]], end = b->indptr[a->indices[s] + 1]; t < end;
                 t++) {
                n += seen[b->indices[t]] != row;
                seen[b->indices[t]] = row;
            }
        }
        indptr[i + 1] = n;
        if (i % TUNE_SPARSE_POLL_ROWS == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    mem_free(seen);
    return rc ? rc : prefix_sum(a->rows, indptr, e);
}

/* Multiplications that row i of A takes. */
static int64_t row_products(const host_csr *a, const host_csr *b, int64_t i) {
    int64_t n = 0;
    for (int32_t s = a->indptr[i]; s < a->indptr[i + 1]; s++)
        n += b->indptr[a->indices[s] + 1] - b->indptr[a->indices[s]];
    return n;
}

int64_t hostcall_spgemm_products(const host_csr *a, const host_csr *b) {
    int64_t n = 0;
    for (int64_t i = 0; i < a->rows; i++) n += row_products(a, b, i);
    return n;
}

/* A product in progress; sums: the value of each column of the accumulator. */
typedef struct {
    const host_csr *a, *b;
    const host_csr_out *out;
    column_accumulator set;
    void *sums;
} product;

#define TEMPLATE "runtime/host/spgemm_row.inc"
#include "runtime/host/product_dtypes.inc"

typedef int64_t row_function(const product *w, int64_t i, int64_t to);
static row_function *const row_functions[DT_COUNT] = {PRODUCT_TABLE(multiply_row)};

gpa_code hostcall_spgemm(const host_csr *a, const host_csr *b, const host_csr_out *out,
                         const atomic_bool *stop, gpa_err *e) {
    row_function *multiply_row = row_functions[a->dtype];
    product w = {.a = a, .b = b, .out = out};
    int64_t most = 1, to = out->indptr[0] = 0;
    if (!multiply_row)
        return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products",
                        dtype_info[a->dtype].name);
    for (int64_t i = 0; i < a->rows; i++) most = MAX(most, row_products(a, b, i));
    most = MIN(most, MAX(b->cols, 1));
    gpa_code rc = accumulator_new(&w.set, most, e);
    w.sums = mem_new((size_t)most * dtype_size(a->dtype));
    if (!rc && !w.sums) rc = gpa_no_memory(e);
    for (int64_t i = 0; i < a->rows && !rc; i++) {
        to = multiply_row(&w, i, to);
        out->indptr[i + 1] = (int32_t)to;
        if (i % TUNE_SPARSE_POLL_ROWS == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    mem_free(w.sums);
    accumulator_free(&w.set);
    return rc;
}
