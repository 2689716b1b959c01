/* Calls of libraries: a tagged union that the graph's executor hands to a backend.
 *
 * Every call is described completely by its own arm; arrays are given as bindings (offset and strides in elements).
 * A backend that cannot do a call says so through lib_can, and runtime/hostcall.c does it in host memory. */
#ifndef GPA_LIBCALL_H
#define GPA_LIBCALL_H

#include "runtime/backend.h"

typedef enum { LIB_GEMM, LIB_SORT, LIB_ARGSORT } gpa_lib_kind;

typedef struct gpa_libcall {
    gpa_lib_kind kind;
    gpa_dtype dtype;
    union {
        /* C[b] = A[b] @ B[b] for every b < batch: A is m x k, B k x n, C m x n. stride[0] is the batch's, stride[1]
         * the row's, stride[2] the column's; C is contiguous. */
        struct {
            int64_t batch, m, n, k;
            gpa_binding a, b, c;
        } gemm;
        /* `rows` rows of n elements each, contiguous; from `in` to `out`, ascending, NaN last, stable. `out` holds
         * int64 indices for ARGSORT. */
        struct {
            int64_t rows, n;
            gpa_binding in, out;
        } sort;
    };
} gpa_libcall;

#endif
