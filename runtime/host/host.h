/* Library calls in host memory, which every device falls back on and is checked against: matrix
 * products, sorts, searches, FFT, factorizations, sparse matrices.
 *
 * Portable code: correct for every dtype first, and fast where that is simple. Calls poll *stop
 * (NULL: never set) and end with GPA_E_INTERRUPT once it is set. */
#ifndef GPA_HOST_HOST_H
#define GPA_HOST_HOST_H

#include <stdatomic.h>

#include "runtime/tables/dtype.h"
#include "runtime/ir/libcall.h"

/* The operands of a library call in host memory, in the order of its arm's bindings; those of a
 * matrix call, which it overwrites, are all in `out`. */
enum { HOST_INPUTS = 4, HOST_OUTPUTS = 4 };
typedef struct {
    const void *in[HOST_INPUTS];
    void *out[HOST_OUTPUTS];
} host_operands;

/* A library call on host memory: a column of lib.def. Bindings' offsets and strides count from the
 * operands; outputs must not overlap inputs. */
typedef gpa_code host_call(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                           gpa_err *e);
host_call hostcall_gemm;   /* halves accumulate in float; bool: any of all */
host_call hostcall_sort;   /* SORT and ARGSORT */
host_call hostcall_search; /* SEARCHSORTED */
host_call hostcall_fft;    /* a point costs the sum of the prime factors of its extents */
host_call hostcall_matrix; /* LU to EIG */
host_call hostcall_spmm;
host_call hostcall_sparse_transpose; /* of keys in range */

/* Does the call by its row of lib.def; GPA_E_INTERNAL where that has no host implementation. */
host_call hostcall_run;

/* CSC or COO by dense product Y = A X. Column l of A has the values at[line[l]] .. at[line[l + 1] -
 * 1], in the rows `row`, of which Y has call->spmm.a.rows; with `places` (COO) line[s] is the
 * column of value s. All in bounds; y must not overlap the others. */
gpa_code hostcall_spmm_csc(const gpa_libcall *call, bool places, const int32_t *line,
                           const int32_t *row, const void *at, const void *x, void *y,
                           const atomic_bool *stop, gpa_err *e);

/* A CSR matrix in host memory. */
typedef struct {
    int64_t m, n, count;
    const int32_t *start, *column;
    const void *at;
} host_csr;
/* The maximum of n indices as unsigned numbers (0 of none), and whether they are nondecreasing. The
 * calls below rely on starts that rise from 0 to count, and on columns below n. */
void hostcall_index_range(const int32_t *index, int64_t n, uint32_t *most, bool *rise);
/* Fails with GPA_E_VALUE: 2^31 values or more. */
gpa_code hostcall_too_many_values(gpa_err *e);
/* Upper bounds of the values of A B: the number of products; the distinct columns of each row, as
 * start[0 .. a->m], which are the starts of A B if no sum is 0. GPA_E_VALUE for 2^31 values or
 * more. */
int64_t hostcall_spgemm_products(const host_csr *a, const host_csr *b);
gpa_code hostcall_spgemm_row_starts(const host_csr *a, const host_csr *b, int32_t *start,
                                    const atomic_bool *stop, gpa_err *e);
/* A B without explicit zeros; column and at have capacity for the bound above. The columns of a row
 * are in the order of SciPy: last inserted first. */
gpa_code hostcall_spgemm(gpa_dtype t, const host_csr *a, const host_csr *b, int32_t *start,
                         int32_t *column, void *at, const atomic_bool *stop, gpa_err *e);
/* True if the columns of each row are strictly ascending: sorted, without duplicates. */
bool hostcall_csr_is_canonical(const host_csr *a);
/* True if dtype t can be summed, for the next call and for hostcall_csr_gather. */
bool hostcall_can_sum(gpa_dtype t);
/* Sorts the columns of each row, stable; with `adding` sums duplicates. Starts, columns and values,
 * with the capacity of a. */
gpa_code hostcall_csr_sort_columns(gpa_dtype t, const host_csr *a, bool adding, int32_t *start,
                                   int32_t *column, void *at, const atomic_bool *stop, gpa_err *e);
/* Union of the sparsity patterns of two canonical matrices of one shape: starts, and for each
 * column the value of a (dtype t) and of b (dtype u), 0 where it has none; with capacity for both.
 * GPA_E_VALUE as above. */
gpa_code hostcall_csr_align(gpa_dtype t, gpa_dtype u, const host_csr *a, const host_csr *b,
                            int32_t *start, int32_t *column, void *x, void *y,
                            const atomic_bool *stop, gpa_err *e);
/* Elementwise operation on the union of two patterns, without zeros; comparisons, from NOT_EQUAL
 * on, give bools; capacity as above. Where the columns of either are not ascending, duplicates are
 * summed first and the columns of a row are in order of insertion, last first. GPA_E_VALUE as
 * above. */
typedef enum {
    CSR_ADD,
    CSR_SUBTRACT,
    CSR_MULTIPLY,
    CSR_MAXIMUM,
    CSR_MINIMUM,
    CSR_NOT_EQUAL,
    CSR_LESS,
    CSR_GREATER,
    CSR_OP_COUNT
} host_csr_op;
bool hostcall_csr_can_binary(host_csr_op how, gpa_dtype t);
gpa_code hostcall_csr_binary(host_csr_op how, gpa_dtype t, const host_csr *a, const host_csr *b,
                             bool ascending, int32_t *start, int32_t *column, void *at,
                             const atomic_bool *stop, gpa_err *e);
/* Rows of a by index, n of them: their starts, start[0 .. n]; then their columns and values, of
 * `item` bytes. GPA_E_INDEX for an index out of bounds. */
gpa_code hostcall_csr_select_row_starts(const host_csr *a, const int64_t *row, int64_t n,
                                        int32_t *start, gpa_err *e);
void hostcall_csr_select_rows(size_t item, const host_csr *a, const int64_t *row, int64_t n,
                              const int32_t *start, int32_t *column, void *at);
/* Columns of a by index, and the number of their values: GPA_E_INDEX for an index out of bounds.
 * Freed with _free, also after a failure. */
typedef struct {
    int32_t *first, *order; /* per column, its position in `order`; or, if each is selected at most
                               once, its new index from 1 on, 0 for others */
    int64_t count;
    bool once;
} host_column_selection;
gpa_code hostcall_column_selection_new(const host_csr *a, const int64_t *chosen, int64_t n,
                                       host_column_selection *p, gpa_err *e);
void hostcall_column_selection_free(host_column_selection *p);
/* The selected columns, of values of `item` bytes, in the order of a: starts, columns and values,
 * with capacity for p->count + 1. */
void hostcall_csr_select_columns(size_t item, const host_csr *a, const host_column_selection *p,
                                 int32_t *start, int32_t *column, void *at);
/* Elements of a by row and column, n of them, duplicates summed; with DT_NONE the indices of their
 * values as int32, from 1 on, 0 for none. `ascending`: the columns are, in each row. GPA_E_INDEX as
 * above. */
gpa_code hostcall_csr_gather(gpa_dtype t, const host_csr *a, const int64_t *row,
                             const int64_t *column, int64_t n, bool ascending, void *out,
                             const atomic_bool *stop, gpa_err *e);
/* Every step-th of the columns low .. high - 1, of values of `item` bytes: starts, columns and
 * values, with the capacity of a and one. */
void hostcall_csr_slice_columns(size_t item, const host_csr *a, int64_t low, int64_t high,
                                int64_t step, int32_t *start, int32_t *column, void *at);
/* n elements of the diagonal that begins in column `offset`, or row -offset; sums of columns: for
 * dtypes that can be summed. */
void hostcall_csr_diagonal(gpa_dtype t, const host_csr *a, int64_t offset, int64_t n, void *out);
void hostcall_csr_column_sums(gpa_dtype t, const host_csr *a, void *out);
/* Maximum or minimum of the values of each row of a canonical matrix, for ordered dtypes; argmax or
 * argmin, where columns ascend. */
bool hostcall_can_compare(gpa_dtype t);
void hostcall_csr_row_minmax(gpa_dtype t, const host_csr *a, bool largest, void *out);
void hostcall_csr_row_argminmax(gpa_dtype t, const host_csr *a, bool largest, int64_t *out);
/* The row of each value (CSR to COO), for m starts and their end. */
void hostcall_csr_row_indices(const int32_t *start, int64_t m, int32_t *line);
/* True if entries are sorted by row and, in each, by column; then the starts of m rows. All rows
 * are below m. */
bool hostcall_coo_row_starts(const int32_t *line, const int32_t *other, int64_t count, int64_t m,
                             int32_t *start);
/* The transpose, of values of `item` bytes: a->n + 1 starts, rows and values. */
void hostcall_csr_transpose(size_t item, const host_csr *a, int32_t *start, int32_t *line,
                            void *at);
/* Adds all elements, of the transpose with `turned`, to `out` in C order, for dtypes that can be
 * summed; the same for `count` entries in COO of an m x n matrix. */
void hostcall_csr_add_to_dense(gpa_dtype t, const host_csr *a, bool turned, void *out);
void hostcall_coo_add_to_dense(gpa_dtype t, const int32_t *row, const int32_t *column,
                               const void *at, int64_t count, int64_t m, int64_t n, void *out);
/* Length of the diagonal that begins in column `offset`, or row -offset, of an m x n matrix. */
int64_t hostcall_diagonal_size(int64_t m, int64_t n, int64_t offset);
enum { DIA_CHUNK = 4096 /* values assembled at a time */ };
/* The CSR matrix of diagonals, `offset` ascending; diagonal d has its values, `step` apart, from
 * index first[d] on; zeros are dropped. `on`: scratch of as many bytes as a chunk or a row has
 * values. */
void hostcall_dia_to_csr(gpa_dtype t, int64_t m, int64_t n, const int64_t *offset,
                         const int64_t *first, int64_t count, const void *values, int64_t step,
                         uint8_t *on, int32_t *start, int32_t *column, void *at);
/* Horizontal stack of matrices of the same number of rows; values have `item` bytes. */
void hostcall_csr_hstack(size_t item, const host_csr *a, int64_t blocks, int32_t *start,
                         int32_t *column, void *at);
/* True once a call has to stop. */
static inline bool hostcall_stopped(const atomic_bool *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

#endif
