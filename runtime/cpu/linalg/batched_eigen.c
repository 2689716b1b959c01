/* Batched QR, eigenvalues and SVD of small matrices: batched_eigen.h. One template makes the code
 * of both dtypes. */
#include "runtime/cpu/linalg/batched_eigen.h"

#include <float.h>
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/base/simd_clones.h"

/* Most rows and columns, per kind of call; fewest vectors of matrices for which the transposes into
 * lanes and back pay; bound of the iterations, above what any matrix needs. */
enum { MAX_ROWS = 64, MAX_JACOBI_ROWS = 16, MIN_VECTORS = 2, MAX_STEPS = 40 };

/* Inlined functions are compiled for each processor. */
#define INLINE static inline __attribute__((always_inline))

#define T float
#define I int32_t
#define ROOT sqrtf
#define EPSILON (FLT_EPSILON / 2)
#define LOW 1e-10
#define HIGH 1e15
#define FAINT 1e-10
#define NAME(x) x##_4
#include "runtime/cpu/linalg/batched_eigen_lanes.inc"

#define T double
#define I int64_t
#define ROOT sqrt
#define EPSILON (DBL_EPSILON / 2)
#define LOW 1e-130
#define HIGH 1e140
#define FAINT 1e-100
#define NAME(x) x##_8
#include "runtime/cpu/linalg/batched_eigen_lanes.inc"

bool batched_eigen_can(const gpa_libcall *c) {
    int64_t m = c->matrix.m, n = c->matrix.n,
            most = c->kind == LIB_SVD ? MAX_JACOBI_ROWS : MAX_ROWS;
    if (c->kind != LIB_QR && c->kind != LIB_EIGH && c->kind != LIB_SVD) return false;
    if ((c->dtype != DT_F32 && c->dtype != DT_F64) || m > most || n > most) return false;
    if (c->kind == LIB_SVD && c->matrix.full && m != n) return false;
    return c->matrix.batch >= MIN_VECTORS * batched_eigen_width(c);
}

int batched_eigen_width(const gpa_libcall *c) { return LANES_BYTES / (int)dtype_size(c->dtype); }

/* The matrix, its columns, a matrix of eigenvectors. */
size_t batched_eigen_scratch(const gpa_libcall *c) {
    size_t m = (size_t)c->matrix.m, n = (size_t)c->matrix.n,
           k = c->kind == LIB_QR ? (size_t)c->matrix.k : n;
    return LANES_BYTES * (m * n + 4 * MAX(m, n) + MAX(m, n) * MAX(k, n));
}

bool batched_eigen_run(const gpa_libcall *c, char *const *x, const int64_t *step, int count,
                       void *scratch) {
    return c->dtype == DT_F32 ? run_4(c, x, step, count, scratch)
                              : run_8(c, x, step, count, scratch);
}
