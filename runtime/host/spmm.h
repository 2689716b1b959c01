/* Sparse by dense matrix product (CSR SpMM and SpMV) over a range of rows, for the host and for the
 * CPU device. */
#ifndef GPA_HOST_SPMM_H
#define GPA_HOST_SPMM_H

#include "runtime/base/base.h"
#include "runtime/tables/dtype.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* Y = A X in host memory: A in CSR (CSC and COO: spmm.c), X and Y dense with k columns, in C
 * order. */
typedef struct {
    int64_t k;
    const int32_t *indptr, *indices;
    const void *data, *x;
    void *y;
} spmm;

/* Rows from .. to - 1 of a product. */
typedef void spmm_function(const spmm *p, int64_t from, int64_t to);

enum { SPMM_WIDTH = 8 }; /* columns of a row that are accumulated in registers */

#define SPMM_INLINE static inline __attribute__((always_inline))

#define TEMPLATE "runtime/host/spmm_rows.inc"
#include "runtime/host/product_dtypes.inc"

/* Computes rows from .. to - 1 in dtype t; false: no code for this dtype. */
static inline bool spmm_rows(gpa_dtype t, const spmm *p, int64_t from, int64_t to) {
    static spmm_function *const vectors[DT_COUNT] = {PRODUCT_TABLE(spmv)},
                                *const matrices[DT_COUNT] = {PRODUCT_TABLE(spmm)};
    spmm_function *f = p->k == 1 ? vectors[t] : matrices[t];
    if (f) f(p, from, to);
    return f != NULL;
}

#endif
