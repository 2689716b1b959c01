/* Conversions of sparse matrices in host memory: COO, transpose (CSC), dense, diagonals (DIA),
 * horizontal stack.
 *
 * Values are moved by size; only those that may be summed need their dtype. Reading order: row
 * indices, transposes, dense matrices, diagonals, stacks. */
#include "runtime/base/base.h"
#include "runtime/host/sparse.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum { LANES = 16 };

/* Rows i .. i + rows - 1 of a matrix by diagonals, which all have the diagonals low .. low + width
 * - 1. */
typedef struct {
    int64_t i, rows, low, width;
} dia_rows;

#define TEMPLATE "runtime/host/sparse_convert_item.inc"
#include "runtime/host/item_sizes.inc"

/* ---- row indices ---- */

/* Every row stores at least LANES entries, and the next row overwrites the surplus: branch-free, as
 * lengths are unpredictable. */
GPA_SIMD_CLONES void hostcall_csr_row_indices(const int32_t *indptr, int64_t rows, int32_t *row) {
    const int32_t last = indptr[rows] - LANES;
    for (int64_t i = 0; i < rows; i++) {
        int32_t s = indptr[i];
        if (s <= last) {
            for (int32_t w = 0; w < LANES; w++) row[s + w] = (int32_t)i;
            s += LANES;
        }
        for (; s < indptr[i + 1]; s++) row[s] = (int32_t)i;
    }
}

bool hostcall_coo_indptr(const host_coo *a, int32_t *indptr) {
    const int32_t *row = a->row, *col = a->col;
    int64_t i = 0; /* rows begun */
    for (int64_t s = 0; s < a->nnz; s++) {
        if (s && !(row[s - 1] < row[s] || (row[s - 1] == row[s] && col[s - 1] < col[s])))
            return false;
        for (; i <= row[s]; i++) indptr[i] = (int32_t)s;
    }
    for (; i <= a->rows; i++) indptr[i] = (int32_t)a->nnz;
    return true;
}

/* ---- transposes ---- */

/* A counting sort begins with this histogram of nnz keys below n as an exclusive prefix sum,
 * indptr[0 .. n]; the scatter advances each start to the next one. */
static void count_keys(const int32_t *key, int64_t nnz, int64_t n, int32_t *indptr) {
    memset(indptr, 0, (size_t)(n + 1) * sizeof *indptr);
    for (int64_t s = 0; s < nnz; s++) indptr[key[s]]++;
    for (int64_t k = 0, sum = 0; k <= n; k++) {
        const int32_t count = indptr[k];
        indptr[k] = (int32_t)sum;
        sum += count;
    }
}

/* Takes the advance of the starts back. */
static void restore_starts(int64_t n, int32_t *indptr) {
    memmove(indptr + 1, indptr, (size_t)n * sizeof *indptr);
    indptr[0] = 0;
}

gpa_code hostcall_sparse_transpose(const gpa_libcall *call, const host_operands *x,
                                   const atomic_bool *stop, gpa_err *e) {
    const int64_t cols = call->transpose.cols, nnz = call->transpose.nnz;
    int32_t *indptr = x->out[0];
    count_keys(x->in[0], nnz, cols, indptr);
    BY_SIZE(scatter_coo, dtype_size(call->dtype))(x, nnz);
    restore_starts(cols, indptr);
    return hostcall_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}

void hostcall_csr_transpose(const host_csr *a, const host_csr_out *out) {
    count_keys(a->indices, a->nnz, a->cols, out->indptr);
    BY_SIZE(scatter_csr, dtype_size(a->dtype))(a, out);
    restore_starts(a->cols, out->indptr);
}

/* ---- dense matrices ---- */

#define TEMPLATE "runtime/host/sparse_convert_sum.inc"
#include "runtime/host/sum_dtypes.inc"

typedef void add_csr_function(const host_csr *a, int64_t row_stride, int64_t col_stride, void *out);
static add_csr_function *const add_csr_functions[DT_COUNT] = {SUM_TABLE(add_csr)};
typedef void add_coo_function(const host_coo *a, void *out);
static add_coo_function *const add_coo_functions[DT_COUNT] = {SUM_TABLE(add_coo)};

void hostcall_csr_add_to_dense(const host_csr *a, bool transposed, void *out) {
    add_csr_functions[a->dtype](a, transposed ? 1 : a->cols, transposed ? a->rows : 1, out);
}

void hostcall_coo_to_dense(const host_coo *a, void *out) {
    memset(out, 0, (size_t)(a->rows * a->cols) * dtype_size(a->dtype));
    add_coo_functions[a->dtype](a, out);
}

/* ---- diagonals ---- */

int64_t hostcall_diagonal_size(int64_t rows, int64_t cols, int64_t offset) {
    return MAX(0, MIN(rows + MIN(offset, 0), cols - MAX(offset, 0)));
}

/* Columns, and row starts from value `to` on, of rows of the same diagonals: after the first rows
 * the pattern of columns repeats, shifted. `start` is that of row i + 1. */
static GPA_SIMD_CLONES void diagonal_indices(const int64_t *offset, dia_rows r, int32_t to,
                                             int32_t *restrict start, int32_t *restrict column) {
    const int64_t width = r.width,
                  some = MIN(r.rows, MAX(1, TUNE_SPARSE_CONVERT_PATTERN_COLUMNS / MAX(1, width)));
    for (int64_t j = 0; j < r.rows; j++) start[j] = to + (int32_t)((j + 1) * width);
    for (int64_t j = 0; j < some; j++)
        for (int64_t d = 0; d < width; d++)
            column[j * width + d] = (int32_t)(r.i + j + offset[r.low + d]);
    for (int64_t j = some; j < r.rows; j += some) {
        const int32_t *pattern = column;
        int32_t *restrict put = column + j * width;
        for (int64_t s = 0, n = MIN(some, r.rows - j) * width; s < n; s++)
            put[s] = pattern[s] + (int32_t)j;
    }
}

/* A word of a value of dtype t with a bit set if the value is not 0: all but the sign of floats. */
static uint64_t value_bits(gpa_dtype t) {
    const uint64_t floats = UINT64_MAX >> 1, halves = UINT64_C(0x7fffffff7fffffff);
    return t == DT_F16 || t == DT_BF16   ? 0x7fff
           : t == DT_F32 || t == DT_C64  ? halves
           : t == DT_F64 || t == DT_C128 ? floats
                                         : UINT64_MAX;
}

#define WORD(s) word[s]
#define TEMPLATE "runtime/host/sparse_nonzero.inc"
#include "runtime/host/word_sizes.inc"
#undef WORD
#define WORD(s) (word[2 * (s)] | word[2 * (s) + 1])
#define NAME(f) f##_16
#define T uint64_t
#include "runtime/host/sparse_nonzero.inc"
#undef NAME
#undef T
#undef WORD

void hostcall_dia_to_csr(const host_dia *a, uint8_t *mask, const host_csr_out *out) {
    const size_t item = dtype_size(a->dtype);
    const int64_t *offset = a->offsets;
    int64_t low = a->count, high = a->count;
    out->indptr[0] = 0;
    for (int64_t i = 0, end; i < a->rows; i = end) { /* rows i .. end - 1 at a time */
        const int64_t to = out->indptr[i];
        for (; low && offset[low - 1] >= -i; low--) continue;
        for (; high && offset[high - 1] >= a->cols - i; high--) continue;
        const int64_t width = high - low;
        end = MIN(a->rows, low ? -offset[low - 1] : a->rows);
        if (high) end = MIN(end, MAX(i + 1, a->cols - offset[high - 1]));
        end = MIN(end, i + MAX(1, DIA_CHUNK / MAX(1, width)));
        const dia_rows r = {i, end - i, low, width};
        const int64_t n = r.rows * width;
        const host_csr_out here = {out->indptr + i, out->indices + to,
                                   (char *)out->data + to * (int64_t)item};
        diagonal_indices(offset, r, (int32_t)to, here.indptr + 1, here.indices);
        BY_SIZE(diagonal_values, item)(a, r, here.data);
        if (BY_SIZE(mark, item)(here.data, value_bits(a->dtype), n, mask) < n)
            BY_SIZE(compact, item)(r.rows, mask, &here);
    }
}

/* ---- stacks ---- */

void hostcall_csr_hstack(const host_csr *a, int64_t blocks, const host_csr_out *out) {
    const size_t item = dtype_size(a->dtype);
    int32_t to = out->indptr[0] = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int32_t before = 0; /* columns of the blocks to the left */
        for (const host_csr *b = a; b < a + blocks; before += (int32_t)b->cols, b++) {
            const int32_t from = b->indptr[i], end = b->indptr[i + 1];
            for (int32_t s = from; s < end; s++)
                out->indices[to + s - from] = b->indices[s] + before;
            BY_SIZE(copy_values, item)(b->data, from, end, out->data, to);
            to += end - from;
        }
        out->indptr[i + 1] = to;
    }
}
