/* Library calls done by the host itself, for devices that have no library for them: matrix
 * products, sorts, searches, Fourier transforms, factorizations, sparse matrices.
 *
 * All arguments are host memory. Plain code: right for every dtype first, and fast where that is
 * simple. The calls look at *stop (NULL: never set) now and then, and end with GPA_E_INTERRUPT once
 * it is set. */
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

/* Y = A X where a column l of A has the values at[line[l]] .. at[line[l + 1] - 1], in the rows
 * `row`, of which Y has call->sparse.m; with `places` line[s] is the column of value s. All in
 * range; y must not overlap the others. */
gpa_code hostcall_spmm_csc(const gpa_libcall *call, bool places, const int32_t *line,
                           const int32_t *row, const void *at, const void *x, void *y,
                           const atomic_bool *stop, gpa_err *e);

/* A gpa_csr in host memory. */
typedef struct {
    int64_t m, n, count;
    const int32_t *start, *column;
    const void *at;
} host_csr;
/* The largest of n indices, negative ones being larger than others (0 of none), and whether none is
 * below the one before it. The calls below rely on starts that rise from 0 to count, and on columns
 * below n. */
void hostcall_index_range(const int32_t *index, int64_t n, uint32_t *most, bool *rise);
/* GPA_E_VALUE: 2^31 values or more. */
gpa_code hostcall_too_many_values(gpa_err *e);
/* How many values A B can have at most: products that are added up; columns named, counted in
 * start[0 .. a->m], which are the starts of A B if none of its values is 0. GPA_E_VALUE when there
 * are 2^31 columns or more. */
int64_t hostcall_spgemm_products(const host_csr *a, const host_csr *b);
gpa_code hostcall_spgemm_row_starts(const host_csr *a, const host_csr *b, int32_t *start,
                                    const atomic_bool *stop, gpa_err *e);
/* A B without values that are 0, in room for that many: the columns of a row in the order in which
 * they are first named, the last of them first. */
gpa_code hostcall_spgemm(gpa_dtype t, const host_csr *a, const host_csr *b, int32_t *start,
                         int32_t *column, void *at, const atomic_bool *stop, gpa_err *e);
/* Whether the columns ascend in each row: then each place has one value. */
bool hostcall_csr_is_canonical(const host_csr *a);
/* Whether there are sums of a dtype for the next call and for hostcall_csr_gather. */
bool hostcall_can_sum(gpa_dtype t);
/* The same matrix with ascending columns in each row, values at one place as they stand, with
 * `adding` added up: starts, columns and values, with room for as many as a has. */
gpa_code hostcall_csr_sort_columns(gpa_dtype t, const host_csr *a, bool adding, int32_t *start,
                                   int32_t *column, void *at, const atomic_bool *stop, gpa_err *e);
/* What is in one of two matrices of a shape or in both; in each row of theirs the columns ascend.
 * Starts, and for each column a's value (of dtype t) and b's (of dtype u), 0 where there is none;
 * with room for all of both. GPA_E_VALUE as above. */
gpa_code hostcall_csr_align(gpa_dtype t, gpa_dtype u, const host_csr *a, const host_csr *b,
                            int32_t *start, int32_t *column, void *x, void *y,
                            const atomic_bool *stop, gpa_err *e);
/* What comes of what is in one of them or in both, where it is not 0, for dtypes that have it here;
 * from NOT_EQUAL on truth values; with room as above. Where columns do not ascend in all rows of
 * both, values at one place are added up first, and the columns of a row come out in the order in
 * which they are first named, the last of them first. GPA_E_VALUE as above. */
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
/* Some of a's rows, n of them: where each will begin, start[0 .. n]; then their columns and values,
 * of `item` bytes. GPA_E_INDEX for a row that is not there. */
gpa_code hostcall_csr_select_row_starts(const host_csr *a, const int64_t *row, int64_t n,
                                        int32_t *start, gpa_err *e);
void hostcall_csr_select_rows(size_t item, const host_csr *a, const int64_t *row, int64_t n,
                              const int32_t *start, int32_t *column, void *at);
/* Columns of a that are chosen, and how many values there will be: GPA_E_INDEX for one that is not
 * there. Given back with _free, also after a failure. */
typedef struct {
    int32_t *first, *order; /* of each column, where it stands in `order`; or, if each is chosen
                               once, which it will be, from 1 on, 0 for others */
    int64_t count;
    bool once;
} host_column_selection;
gpa_code hostcall_column_selection_new(const host_csr *a, const int64_t *chosen, int64_t n,
                                       host_column_selection *p, gpa_err *e);
void hostcall_column_selection_free(host_column_selection *p);
/* These columns, of values of `item` bytes, in the order in which a has them: starts, columns and
 * values, with room for p->count + 1. */
void hostcall_csr_select_columns(size_t item, const host_csr *a, const host_column_selection *p,
                                 int32_t *start, int32_t *column, void *at);
/* Some of a's elements, n of them, sums where a place has several values; of DT_NONE as int32 the
 * numbers of their values, the first being 1, 0 where there is none. `ascending`: the columns are,
 * in each row. GPA_E_INDEX as above. */
gpa_code hostcall_csr_gather(gpa_dtype t, const host_csr *a, const int64_t *row,
                             const int64_t *column, int64_t n, bool ascending, void *out,
                             const atomic_bool *stop, gpa_err *e);
/* Every step-th of the columns low .. high - 1, of values of `item` bytes: starts, columns and
 * values, with room for as many as a has and one. */
void hostcall_csr_slice_columns(size_t item, const host_csr *a, int64_t low, int64_t high,
                                int64_t step, int32_t *start, int32_t *column, void *at);
/* n elements of the diagonal that begins in column `offset`, or row -offset; sums of each column,
 * for dtypes that can be added. */
void hostcall_csr_diagonal(gpa_dtype t, const host_csr *a, int64_t offset, int64_t n, void *out);
void hostcall_csr_column_sums(gpa_dtype t, const host_csr *a, void *out);
/* The largest or smallest element of each row, in which every place has one value; of dtypes that
 * are ordered. The column of the first of them, where columns ascend. */
bool hostcall_can_compare(gpa_dtype t);
void hostcall_csr_row_minmax(gpa_dtype t, const host_csr *a, bool largest, void *out);
void hostcall_csr_row_argminmax(gpa_dtype t, const host_csr *a, bool largest, int64_t *out);
/* The line of each value, for m starts and their end. */
void hostcall_csr_row_indices(const int32_t *start, int64_t m, int32_t *line);
/* Whether places ascend, line by line and in each by what is beside it; then the starts of m lines,
 * which all of them are below. */
bool hostcall_coo_row_starts(const int32_t *line, const int32_t *other, int64_t count, int64_t m,
                             int32_t *start);
/* The transpose, of values of `item` bytes: a->n + 1 starts, lines and values. */
void hostcall_csr_transpose(size_t item, const host_csr *a, int32_t *start, int32_t *line,
                            void *at);
/* Adds all elements, those of the transpose with `turned`, to what is in `out` in C order, for
 * dtypes that can be added. `count` of them, which are given by rows and columns, as an m x n
 * array. */
void hostcall_csr_add_to_dense(gpa_dtype t, const host_csr *a, bool turned, void *out);
void hostcall_coo_add_to_dense(gpa_dtype t, const int32_t *row, const int32_t *column,
                               const void *at, int64_t count, int64_t m, int64_t n, void *out);
/* How long the diagonal that begins in column `offset`, or row -offset, of an m x n matrix is. */
int64_t hostcall_diagonal_size(int64_t m, int64_t n, int64_t offset);
enum { DIA_CHUNK = 4096 /* values that are put together before they are looked at */ };
/* The matrix of these diagonals, `offset` ascending; diagonal d has its values, `step` apart, from
 * number first[d] on, without those that are 0. `on`: room for as many bytes as a piece or a row
 * has values. */
void hostcall_dia_to_csr(gpa_dtype t, int64_t m, int64_t n, const int64_t *offset,
                         const int64_t *first, int64_t count, const void *values, int64_t step,
                         uint8_t *on, int32_t *start, int32_t *column, void *at);
/* Matrices of as many rows side by side; values have `item` bytes. */
void hostcall_csr_hstack(size_t item, const host_csr *a, int64_t blocks, int32_t *start,
                         int32_t *column, void *at);
/* Whether a call should end. */
static inline bool hostcall_stopped(const atomic_bool *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

#endif
