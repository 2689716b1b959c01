/* Products of sparse matrices with dense ones in host memory. */
#include "runtime/base.h"
#include "runtime/hostcall.h"
#include "runtime/spmm.h"

enum { ROWS = 4096 }; /* between two looks at *stop */

gpa_code hostcall_sparse(const gpa_libcall *call, const int32_t *start, const int32_t *column, const void *at, const void *x, void *y,
                         const atomic_bool *stop, gpa_err *e) {
    const spmm p = {call->sparse.k, start, column, at, x, y};
    for (int64_t i = 0; i < call->sparse.m; i += ROWS) {
        if (!spmm_rows(call->dtype, &p, i, MIN(i + ROWS, call->sparse.m)))
            return gpa_fail(e, GPA_E_TYPE, "sparse matrices of dtype %s have no products", dtype_info[call->dtype].name);
        if (hostcall_stopped(stop)) return gpa_fail(e, GPA_E_INTERRUPT, "%s", "");
    }
    return GPA_OK;
}
