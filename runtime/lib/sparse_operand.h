/* CSR operands of sparse matrix functions: validated arrays in host memory, and result arrays. */
#ifndef GPA_LIB_SPARSE_OPERAND_H
#define GPA_LIB_SPARSE_OPERAND_H

#include "runtime/array/host_view.h"
#include "runtime/host/host.h"
#include "runtime/exec/rt.h"

/* The arrays of a matrix. */
enum { SPARSE_START, SPARSE_COLUMN, SPARSE_VALUES, SPARSE_PARTS };

/* A contiguous array in dtype t, lazy; owned. */
gpa_code sparse_contiguous(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e);

/* True for n indices below `limit`; true for starts that rise from 0 to `count`. Cached in the
 * buffer until it is written. */
bool sparse_indices_below(const host_view *index, int64_t n, int64_t limit);
bool sparse_starts_valid(const host_view *start, int64_t n, int64_t count);
/* Validates starts (h[0]) and columns (h[1]) against r; GPA_E_VALUE. */
gpa_code sparse_check(const host_view *h, const host_csr *r, gpa_err *e);

/* A matrix in host memory. */
typedef struct {
    gpa_arr *in[SPARSE_PARTS]; /* owned */
    host_view h[SPARSE_PARTS];
    host_csr r;
} sparse_csr;

/* Computes the arrays of a matrix of n columns and validates them: GPA_E_VALUE. Released with
 * sparse_drop, also after a failure. */
gpa_code sparse_get(gpa_rt *rt, gpa_arr *const *parts, int64_t n, sparse_csr *s, gpa_err *e);
void sparse_drop(gpa_rt *rt, sparse_csr *s);

/* Allocates a result in host memory: `lines` + 1 starts, `count` columns and values of dtype t.
 * After a failure sparse_finish releases what exists. */
gpa_code sparse_new(gpa_rt *rt, gpa_dtype t, int64_t lines, int64_t count, host_result *made,
                    gpa_err *e);
/* Turns n results into arrays; or, after the failure rc, which is returned, releases them. */
gpa_code sparse_finish(gpa_rt *rt, gpa_code rc, host_result *made, int n, gpa_arr **out,
                       gpa_err *e);

static inline int32_t *sparse_ints(const host_result *made) {
    return (int32_t *)(void *)made->data;
}
static inline const int32_t *sparse_indices(const host_view *h) {
    return (const int32_t *)(const void *)h->data;
}

#endif
