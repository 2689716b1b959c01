/* What the files of sparse matrices share: the parts of a matrix by rows in host memory, and new
 * parts. */
#ifndef GPA_LIB_SPARSE_H
#define GPA_LIB_SPARSE_H

#include "runtime/array/host_view.h"
#include "runtime/host/host.h"
#include "runtime/exec/rt.h"

/* The parts of a matrix. */
enum { SPARSE_START, SPARSE_COLUMN, SPARSE_AT, SPARSE_PARTS };

/* An array in dtype t, contiguous, not yet computed; owned. */
gpa_code sparse_in_order(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e);

/* Whether these are n indices below `limit`; or starts from 0 to `count`. What was seen of memory
 * is remembered until it is written. */
bool sparse_below(const host_view *index, int64_t n, int64_t limit);
bool sparse_start(const host_view *start, int64_t n, int64_t count);
/* Whether starts (h[0]) and columns (h[1]) are what r says; GPA_E_VALUE if not. */
gpa_code sparse_check(const host_view *h, const host_rows *r, gpa_err *e);

/* A matrix in host memory. */
typedef struct {
    gpa_arr *in[SPARSE_PARTS]; /* owned */
    host_view h[SPARSE_PARTS];
    host_rows r;
} sparse_rows;

/* Computes the parts of a matrix of n columns and looks whether they fit: GPA_E_VALUE if not. Given
 * back with sparse_drop, also after a failure. */
gpa_code sparse_get(gpa_rt *rt, gpa_arr *const *parts, int64_t n, sparse_rows *s, gpa_err *e);
void sparse_drop(gpa_rt *rt, sparse_rows *s);

/* Host memory for a matrix: `lines` + 1 starts, `count` columns and values of dtype t. What is
 * there after a failure is given back by sparse_made. */
gpa_code sparse_new(gpa_rt *rt, gpa_dtype t, int64_t lines, int64_t count, host_result *made,
                    gpa_err *e);
/* Host memory for n results becomes n arrays; or, after the failure rc, which is handed on, is
 * given back. */
gpa_code sparse_made(gpa_rt *rt, gpa_code rc, host_result *made, int n, gpa_arr **out, gpa_err *e);

static inline int32_t *sparse_ints(const host_result *made) {
    return (int32_t *)(void *)made->data;
}
static inline const int32_t *sparse_indices(const host_view *h) {
    return (const int32_t *)(const void *)h->data;
}

#endif
