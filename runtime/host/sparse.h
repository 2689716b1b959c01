/* Sparse matrices in host memory: products, elementwise operations, indexing, reductions and
 * conversions.
 *
 * Arrays are named as SciPy does: in CSR row i has the values data[indptr[i]] ..
 * data[indptr[i + 1] - 1], in the columns `indices`, nnz in all. The calls rely on an indptr that
 * rises from 0 to nnz and on indices below `cols`. Indices are 32 bits: a result of 2^31 values or
 * more is GPA_E_VALUE. Calls poll *stop (NULL: never set) as library calls do (host.h). */
#ifndef GPA_HOST_SPARSE_H
#define GPA_HOST_SPARSE_H

#include "runtime/host/host.h"

/* A CSR matrix. */
typedef struct {
    gpa_dtype dtype;
    bool canonical; /* known: the columns of each row strictly ascend, so none occurs twice */
    int64_t rows, cols, nnz;
    const int32_t *indptr, *indices;
    const void *data;
} host_csr;

/* The arrays of a CSR matrix that a call writes. */
typedef struct {
    int32_t *indptr, *indices;
    void *data;
} host_csr_out;

/* A COO matrix: the row and the column of each value. */
typedef struct {
    gpa_dtype dtype;
    int64_t rows, cols, nnz;
    const int32_t *row, *col;
    const void *data;
} host_coo;

/* ---- checks ---- */

/* The maximum of n indices as unsigned numbers (0 of none), and whether they are nondecreasing. */
void hostcall_index_range(const int32_t *index, int64_t n, uint32_t *max, bool *nondecreasing);
/* True if the columns of each row strictly ascend: sorted, without duplicates. */
bool hostcall_csr_is_canonical(const host_csr *a);
/* True if values of dtype t can be summed: where a call below says so, others have no code. */
bool hostcall_can_sum(gpa_dtype t);
/* True if dtype t is ordered: for the minima and maxima of rows. */
bool hostcall_can_compare(gpa_dtype t);
/* Fails with GPA_E_VALUE: 2^31 values or more. */
gpa_code hostcall_too_many_values(gpa_err *e);

/* ---- products ---- */

/* Y = A X by an SPMM call whose matrix is in CSC: x->in are indptr, rows, values and X, x->out[0]
 * is Y; with `coo` in COO: columns, rows, values and X. Y must not overlap the others. GPA_E_TYPE
 * for a dtype without products. */
gpa_code hostcall_spmm_csc(const gpa_libcall *call, bool coo, const host_operands *x,
                           const atomic_bool *stop, gpa_err *e);
/* Upper bounds of the values of A B: the number of multiplications; the distinct columns of each
 * row, as indptr[0 .. a->rows], which is that of A B if no sum is 0. */
int64_t hostcall_spgemm_products(const host_csr *a, const host_csr *b);
gpa_code hostcall_spgemm_indptr(const host_csr *a, const host_csr *b, int32_t *indptr,
                                const atomic_bool *stop, gpa_err *e);
/* A B of one dtype, without explicit zeros; out has capacity for a bound above. The columns of a
 * row are in the order of SciPy: last inserted first. GPA_E_TYPE as above. */
gpa_code hostcall_spgemm(const host_csr *a, const host_csr *b, const host_csr_out *out,
                         const atomic_bool *stop, gpa_err *e);

/* ---- sorting and elementwise operations ---- */

/* Sorts the columns of each row, stable; with `sum_duplicates` sums equal ones. For dtypes that can
 * be summed; out has the capacity of a. */
gpa_code hostcall_csr_sort_columns(const host_csr *a, bool sum_duplicates, const host_csr_out *out,
                                   const atomic_bool *stop, gpa_err *e);
/* Union of the sparsity patterns of two canonical matrices of one shape: for each column the value
 * of a (out->data) and of b (data_b), 0 where it has none; with capacity for both. */
gpa_code hostcall_csr_align(const host_csr *a, const host_csr *b, const host_csr_out *out,
                            void *data_b, const atomic_bool *stop, gpa_err *e);
/* Elementwise operation on the union of two patterns, without zeros; comparisons, from NOT_EQUAL
 * on, give bools; capacity as above. Where either is not known to be canonical, duplicates are
 * summed first and the columns of a row are in order of insertion, last first. */
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
bool hostcall_csr_can_binary(host_csr_op op, gpa_dtype t);
gpa_code hostcall_csr_binary(host_csr_op op, const host_csr *a, const host_csr *b,
                             const host_csr_out *out, const atomic_bool *stop, gpa_err *e);

/* ---- indexing ---- */

/* a[row, :] for n rows: first the row starts indptr[0 .. n], then the columns and values, given
 * them. GPA_E_INDEX for an index out of bounds. */
gpa_code hostcall_csr_select_indptr(const host_csr *a, const int64_t *row, int64_t n,
                                    int32_t *indptr, gpa_err *e);
void hostcall_csr_select_rows(const host_csr *a, const int64_t *row, int64_t n,
                              const host_csr_out *out);
/* Columns of a by index, which may repeat, and the number of their values. GPA_E_INDEX for an index
 * out of bounds. Freed with _free, also after a failure. */
typedef struct {
    int32_t *first, *order; /* column j is in the result's columns order[first[j]] ..
                               order[first[j + 1] - 1]; or, if each is selected at most once, it is
                               column first[j] - 1, and 0 stands for no column */
    int64_t nnz;
    bool once;
} host_column_selection;
gpa_code hostcall_column_selection_new(const host_csr *a, const int64_t *column, int64_t n,
                                       host_column_selection *p, gpa_err *e);
void hostcall_column_selection_free(host_column_selection *p);
/* The selected columns, in the order of a; with capacity for p->nnz + 1. */
void hostcall_csr_select_columns(const host_csr *a, const host_column_selection *p,
                                 const host_csr_out *out);
/* a[:, start:stop:step]; with the capacity of a and one. */
typedef struct {
    int64_t start, stop, step;
} host_slice;
void hostcall_csr_slice_columns(const host_csr *a, host_slice range, const host_csr_out *out);
/* n elements of a by row and column, duplicates summed, for dtypes that can be summed; and the
 * indices of their values as int32, from 1 on, 0 for none, in a canonical matrix. GPA_E_INDEX for
 * an index out of bounds. */
typedef struct {
    const int64_t *row, *col;
    int64_t n;
} host_elements;
gpa_code hostcall_csr_gather(const host_csr *a, const host_elements *at, void *out,
                             const atomic_bool *stop, gpa_err *e);
gpa_code hostcall_csr_gather_indices(const host_csr *a, const host_elements *at, int32_t *out,
                                     const atomic_bool *stop, gpa_err *e);

/* ---- reductions ---- */

/* Length of the diagonal that begins in column `offset`, or row -offset, of a rows x cols matrix;
 * its n elements; the sums of columns. For dtypes that can be summed. */
int64_t hostcall_diagonal_size(int64_t rows, int64_t cols, int64_t offset);
void hostcall_csr_diagonal(const host_csr *a, int64_t offset, int64_t n, void *out);
void hostcall_csr_column_sums(const host_csr *a, void *out);
/* Maximum or minimum of each row of a canonical matrix, for ordered dtypes; argmax or argmin. */
void hostcall_csr_row_minmax(const host_csr *a, bool max, void *out);
void hostcall_csr_row_argminmax(const host_csr *a, bool max, int64_t *out);

/* ---- conversions ---- */

/* The row of each value (CSR to COO), for `rows` rows. */
void hostcall_csr_row_indices(const int32_t *indptr, int64_t rows, int32_t *row);
/* True if the entries are sorted by row and, in each, by column; then the indptr of the rows. */
bool hostcall_coo_indptr(const host_coo *a, int32_t *indptr);
/* The transpose: a->cols + 1 row starts, rows and values. */
void hostcall_csr_transpose(const host_csr *a, const host_csr_out *out);
/* Adds all elements, of the transpose with `transposed`, to `out` in C order; the dense matrix of
 * entries. For dtypes that can be summed. */
void hostcall_csr_add_to_dense(const host_csr *a, bool transposed, void *out);
void hostcall_coo_to_dense(const host_coo *a, void *out);
/* A matrix by its diagonals, of ascending offsets: diagonal d has its values, `step` apart, from
 * data[first[d]] on. */
typedef struct {
    gpa_dtype dtype;
    int64_t rows, cols, count;
    const int64_t *offsets, *first;
    const void *data;
    int64_t step;
} host_dia;
enum { DIA_CHUNK = 4096 /* values assembled at a time */ };
/* The CSR matrix, without zeros. `mask`: scratch of as many bytes as a chunk or a row has values.
 */
void hostcall_dia_to_csr(const host_dia *a, uint8_t *mask, const host_csr_out *out);
/* Horizontal stack of `blocks` matrices of one dtype and the same number of rows. */
void hostcall_csr_hstack(const host_csr *a, int64_t blocks, const host_csr_out *out);

#endif
