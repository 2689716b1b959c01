/* CSR operands of sparse matrix functions: validated arrays in host memory, and result arrays. */
#ifndef GPA_LIB_SPARSE_OPERAND_H
#define GPA_LIB_SPARSE_OPERAND_H

#include "runtime/array/host_view.h"
#include "runtime/host/sparse.h"
#include "runtime/exec/rt.h"
#include "runtime/libcalls.h"

/* The arrays of a CSR matrix, in the order of results. */
enum { INDPTR, INDICES, DATA, CSR_ARRAYS };

/* A contiguous array in dtype t, lazy; owned. */
gpa_code sparse_contiguous(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e);

/* True for n indices below `limit`; true for an indptr of n entries that rise from 0 to nnz. Cached
 * in the buffer until it is written. */
bool sparse_indices_below(const host_view *index, int64_t n, int64_t limit);
bool sparse_indptr_valid(const host_view *indptr, int64_t n, int64_t nnz);
/* GPA_E_VALUE: the arrays of a matrix do not fit each other or its shape. */
gpa_code sparse_misfit(gpa_err *e);
/* Validates h[INDPTR] and h[INDICES] for a rows x cols matrix of nnz values; GPA_E_VALUE. */
gpa_code sparse_check(const host_view *h, int64_t rows, int64_t cols, int64_t nnz, gpa_err *e);

/* A matrix in host memory. */
typedef struct {
    gpa_arr *in[CSR_ARRAYS]; /* owned */
    host_view h[CSR_ARRAYS];
    host_csr r;
} sparse_csr;

/* Computes the arrays of a matrix and validates them: GPA_E_VALUE. Released with sparse_close, also
 * after a failure. */
gpa_code sparse_open(gpa_rt *rt, const arr_csr *a, sparse_csr *s, gpa_err *e);
void sparse_close(gpa_rt *rt, sparse_csr *s);

/* Allocates a result in host memory, made[INDPTR] to made[DATA] of dtype t. After a failure
 * sparse_finish releases what exists. */
gpa_code sparse_new(gpa_rt *rt, gpa_dtype t, int64_t rows, int64_t nnz, host_result *made,
                    gpa_err *e);
/* The arrays of such a result, to be written. */
host_csr_out sparse_out(const host_result *made);
/* Turns n results into arrays; or, after the failure rc, which is returned, releases them. */
gpa_code sparse_finish(gpa_rt *rt, gpa_code rc, host_result *made, int n, gpa_arr **out,
                       gpa_err *e);

static inline int32_t *sparse_int32(const host_result *made) {
    return (int32_t *)(void *)made->data;
}
static inline const int32_t *sparse_indices(const host_view *h) {
    return (const int32_t *)(const void *)h->data;
}
static inline const int64_t *sparse_int64(const host_view *h) {
    return (const int64_t *)(const void *)h->data;
}

#endif
