/* Batched LU of small matrices: batched_lu.h. One template makes the code of both dtypes. */
#include "runtime/cpu/linalg/batched_lu.h"

#include <float.h>
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/base/simd_clones.h"

/* Most rows of a matrix; of one with contiguous elements; fewest vectors of matrices for which the
 * transposes into lanes and back pay; rows with sums in registers. */
enum { MAX_ROWS = 64, MAX_CONTIGUOUS_ROWS = 16, MIN_VECTORS = 2, ROWS_AT_ONCE = 4 };

/* Rows of an even number of elements are padded by one vector, so that the elements of a column do
 * not map to the same cache set. */
static int64_t row_of(int64_t n) { return n <= MAX_CONTIGUOUS_ROWS ? n : n | 1; }

#define T float
#define I int32_t
#define TINY FLT_MIN
#define NAME(x) x##_4
#include "runtime/cpu/linalg/batched_lu_lanes.inc"

#define T double
#define I int64_t
#define TINY DBL_MIN
#define NAME(x) x##_8
#include "runtime/cpu/linalg/batched_lu_lanes.inc"

bool batched_lu_can(const gpa_libcall *c) {
    bool known = c->kind == LIB_LU || c->kind == LIB_SOLVE || c->kind == LIB_INVERSE ||
                 c->kind == LIB_CHOLESKY;
    if (!known || (c->dtype != DT_F32 && c->dtype != DT_F64) || c->matrix.m != c->matrix.n)
        return false;
    return c->matrix.n <= MAX_ROWS && c->matrix.batch >= MIN_VECTORS * batched_lu_width(c);
}

int batched_lu_width(const gpa_libcall *c) { return LANES_BYTES / (int)dtype_size(c->dtype); }

/* The matrix, a column, the pivots, right-hand sides. */
size_t batched_lu_scratch(const gpa_libcall *c) {
    size_t n = (size_t)c->matrix.n, k = c->kind == LIB_SOLVE     ? (size_t)c->matrix.k
                                        : c->kind == LIB_INVERSE ? n
                                                                 : 0;
    return LANES_BYTES * (n * (size_t)row_of((int64_t)n) + 2 * n + n * k);
}

int batched_lu_run(const gpa_libcall *c, char *const *x, const int64_t *step, int count,
                   void *scratch, int *which) {
    return c->dtype == DT_F32 ? run_4(c, x, step, count, scratch, which)
                              : run_8(c, x, step, count, scratch, which);
}
