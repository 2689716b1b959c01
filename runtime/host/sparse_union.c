/* Elementwise binary operations of two CSR matrices in host memory.
 *
 * Where columns ascend the two rows are merged, branch-free. Otherwise the values of a row are
 * accumulated by column (sparse_accumulator.h). Reading order: operations, calls, aligned
 * values. */
#include "runtime/base/base.h"
#include "runtime/host/sparse.h"
#include "runtime/host/sparse_accumulator.h"
#include "runtime/tables/tuning.h"

/* ---- operations ---- */

/* An operation in progress. The columns of the current row, where they do not ascend, and the
 * values of each in both matrices: */
typedef struct {
    const host_csr *a, *b;
    const host_csr_out *out;
    column_accumulator set;
    void *in_a, *in_b;
} csr_union;

/* Copies a value of `size` bytes where mask is -1, and 0 where it is 0. */
static inline __attribute__((always_inline)) void masked_copy(void *to, const void *from,
                                                              size_t size, int32_t mask) {
    uint64_t word[2] = {0};
    uint32_t half;
    uint16_t quarter;
    uint8_t byte;
    switch (size) {
        case 1:
            memcpy(&byte, from, 1);
            byte &= (uint8_t)mask;
            memcpy(to, &byte, 1);
            break;
        case 2:
            memcpy(&quarter, from, 2);
            quarter &= (uint16_t)mask;
            memcpy(to, &quarter, 2);
            break;
        case 4:
            memcpy(&half, from, 4);
            half &= (uint32_t)mask;
            memcpy(to, &half, 4);
            break;
        default:
            memcpy(word, from, size);
            word[0] &= (uint64_t)(int64_t)mask;
            word[1] &= (uint64_t)(int64_t)mask;
            memcpy(to, word, size);
    }
}

#define TEMPLATE "runtime/host/sparse_union_arithmetic.inc"
#include "runtime/host/sum_dtypes.inc"
#define TEMPLATE "runtime/host/sparse_union_order.inc"
#include "runtime/host/ordered_dtypes.inc"

/* Row i of the result from value `to` on; returns the end. */
typedef int64_t row_function(const csr_union *u, int64_t i, int64_t to);

/* The functions of an operation on sorted rows and on accumulated ones, by dtype. Bools are bytes,
 * 0 or 1, so that their order is that of U8. */
#define ORDERED_ROWS(f) [DT_BOOL] = f##_U8, ORDERED_TABLE(f)
static row_function *const merge_functions[CSR_OP_COUNT][DT_COUNT] = {
    [CSR_ADD] = {SUM_TABLE(merge_row_add)},
    [CSR_SUBTRACT] = {NUMBER_TABLE(merge_row_subtract)},
    [CSR_MULTIPLY] = {SUM_TABLE(merge_row_multiply)},
    [CSR_MAXIMUM] = {ORDERED_ROWS(merge_row_maximum)},
    [CSR_MINIMUM] = {ORDERED_ROWS(merge_row_minimum)},
    [CSR_NOT_EQUAL] = {SUM_TABLE(merge_row_not_equal)},
    [CSR_LESS] = {ORDERED_ROWS(merge_row_less)},
    [CSR_GREATER] = {ORDERED_ROWS(merge_row_greater)}};
static row_function *const accumulated_functions[CSR_OP_COUNT][DT_COUNT] = {
    [CSR_ADD] = {SUM_TABLE(accumulated_row_add)},
    [CSR_SUBTRACT] = {NUMBER_TABLE(accumulated_row_subtract)},
    [CSR_MULTIPLY] = {SUM_TABLE(accumulated_row_multiply)},
    [CSR_MAXIMUM] = {ORDERED_ROWS(accumulated_row_maximum)},
    [CSR_MINIMUM] = {ORDERED_ROWS(accumulated_row_minimum)},
    [CSR_NOT_EQUAL] = {SUM_TABLE(accumulated_row_not_equal)},
    [CSR_LESS] = {ORDERED_ROWS(accumulated_row_less)},
    [CSR_GREATER] = {ORDERED_ROWS(accumulated_row_greater)}};

typedef void accumulate_function(csr_union *u, const host_csr *m, int64_t i, void *own,
                                 void *other);
typedef void accumulate_both_function(csr_union *u, int64_t i);
static accumulate_function *const accumulate_functions[DT_COUNT] = {SUM_TABLE(accumulate)};
static accumulate_both_function *const accumulate_both_functions[DT_COUNT] = {
    SUM_TABLE(accumulate_both)};

/* ---- calls ---- */

bool hostcall_csr_can_binary(host_csr_op op, gpa_dtype t) { return merge_functions[op][t] != NULL; }

static void union_free(csr_union *u) {
    accumulator_free(&u->set);
    mem_free(u->in_a);
    mem_free(u->in_b);
}

/* Allocates the accumulators of a row. */
static gpa_code union_new(csr_union *u, gpa_err *e) {
    const host_csr *a = u->a, *b = u->b;
    const size_t item = dtype_size(a->dtype);
    int64_t most = 1;
    for (int64_t i = 0; i < a->rows; i++)
        most =
            MAX(most, (int64_t)a->indptr[i + 1] - a->indptr[i] + b->indptr[i + 1] - b->indptr[i]);
    most = MIN(most, MAX(a->cols, 1));
    gpa_code rc = accumulator_new(&u->set, most, e);
    u->in_a = mem_new((size_t)most * item);
    u->in_b = mem_new((size_t)most * item);
    return rc ? rc : u->in_a && u->in_b ? GPA_OK : gpa_no_memory(e);
}

gpa_code hostcall_csr_binary(host_csr_op op, const host_csr *a, const host_csr *b,
                             const host_csr_out *out, const atomic_bool *stop, gpa_err *e) {
    const gpa_dtype t = a->dtype;
    const bool merge = a->canonical && b->canonical,
               same_pattern = a->indptr == b->indptr && a->indices == b->indices;
    row_function *row = (merge ? merge_functions : accumulated_functions)[op][t];
    csr_union u = {.a = a, .b = b, .out = out};
    gpa_code rc = merge ? GPA_OK : union_new(&u, e);
    int64_t to = out->indptr[0] = 0;
    for (int64_t i = 0; i < a->rows && !rc; i++) {
        u.set.n = 0;
        if (!merge && same_pattern) {
            accumulate_both_functions[t](&u, i);
        } else if (!merge) {
            accumulate_functions[t](&u, a, i, u.in_a, u.in_b);
            accumulate_functions[t](&u, b, i, u.in_b, u.in_a);
        }
        to = row(&u, i, to);
        if (to > INT32_MAX) rc = hostcall_too_many_values(e);
        out->indptr[i + 1] = (int32_t)to;
        if (i % TUNE_SPARSE_POLL_ROWS == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    union_free(&u);
    return rc;
}

/* ---- aligned values ---- */

#define TEMPLATE "runtime/host/sparse_look_up.inc"
#include "runtime/host/item_sizes.inc"

/* The columns of a union in chunks, and the index of the value of each in both matrices. */
typedef struct {
    const host_csr *a, *b;
    char *data_a, *data_b;
    int32_t n, in_a[TUNE_SPARSE_UNION_CHUNK_COLUMNS], in_b[TUNE_SPARSE_UNION_CHUNK_COLUMNS];
} alignment;

static void look_up(const host_csr *a, const int32_t *index, int32_t n, char **out) {
    const size_t item = dtype_size(a->dtype), bytes = (size_t)n * item;
    if (a->nnz)
        BY_SIZE(look_up, item)(a->data, index, n, *out);
    else
        memset(*out, 0, bytes);
    *out += bytes;
}

static void flush(alignment *w) {
    look_up(w->a, w->in_a, w->n, &w->data_a);
    look_up(w->b, w->in_b, w->n, &w->data_b);
    w->n = 0;
}

/* Branch-free merge of a row of both while both have columns left; returns the number of
 * columns. */
static int32_t align_row(alignment *w, int64_t i, int32_t *column) {
    const int32_t *const columns_a = w->a->indices, *const columns_b = w->b->indices;
    int32_t s = w->a->indptr[i], t = w->b->indptr[i], k = 0, n = w->n;
    const int32_t end_a = w->a->indptr[i + 1], end_b = w->b->indptr[i + 1];
    while (s < end_a || t < end_b) {
        for (; n < TUNE_SPARSE_UNION_CHUNK_COLUMNS && s < end_a && t < end_b; k++, n++) {
            const int32_t x = columns_a[s], y = columns_b[t], take_a = x <= y, take_b = y <= x;
            column[k] = (x & -take_a) | (y & (take_a - 1));
            w->in_a[n] = s | (take_a - 1);
            w->in_b[n] = t | (take_b - 1);
            s += take_a;
            t += take_b;
        }
        for (; n < TUNE_SPARSE_UNION_CHUNK_COLUMNS && s < end_a && t == end_b; s++, k++, n++)
            column[k] = columns_a[s], w->in_a[n] = s, w->in_b[n] = -1;
        for (; n < TUNE_SPARSE_UNION_CHUNK_COLUMNS && t < end_b && s == end_a; t++, k++, n++)
            column[k] = columns_b[t], w->in_a[n] = -1, w->in_b[n] = t;
        if (n < TUNE_SPARSE_UNION_CHUNK_COLUMNS) continue;
        w->n = n;
        flush(w);
        n = 0;
    }
    w->n = n;
    return k;
}

gpa_code hostcall_csr_align(const host_csr *a, const host_csr *b, const host_csr_out *out,
                            void *data_b, const atomic_bool *stop, gpa_err *e) {
    alignment w = {.a = a, .b = b, .data_a = out->data, .data_b = data_b};
    int64_t to = out->indptr[0] = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        to += align_row(&w, i, out->indices + to);
        if (to > INT32_MAX) return hostcall_too_many_values(e);
        out->indptr[i + 1] = (int32_t)to;
        if (i % TUNE_SPARSE_POLL_ROWS == 0 && hostcall_stopped(stop)) return gpa_interrupted(e);
    }
    flush(&w);
    return GPA_OK;
}
