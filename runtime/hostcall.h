/* Library calls done by the host itself, for devices that have no library for them: matrix products, sorts,
 * searches, Fourier transforms, factorizations,
 * sparse matrices.
 *
 * All arguments are host memory. Plain code: right for every dtype first, and fast where that is simple. The calls look at
 * *stop (NULL: never set) now and then, and end with GPA_E_INTERRUPT once it is set. */
#ifndef GPA_HOSTCALL_H
#define GPA_HOSTCALL_H

#include <stdatomic.h>

#include "runtime/dtype.h"
#include "runtime/libcall.h"

/* A GEMM call: the bindings' offsets and strides over the memory given. Half types accumulate in float, bool is any-of-all. c must
 * not overlap a or b. */
gpa_code hostcall_gemm(const gpa_libcall *call, const void *a, const void *b, void *c, const atomic_bool *stop,
                       gpa_err *e);
/* A SORT or ARGSORT call; in and out must not overlap. */
gpa_code hostcall_sort(const gpa_libcall *call, const void *in, void *out, const atomic_bool *stop, gpa_err *e);
/* For each of nv values v the number of elements of the sorted a[0 .. na) that stand before it: those smaller, with
 * `right` also those equal. NaN counts as the largest. */
gpa_code hostcall_search(gpa_dtype t, const void *a, int64_t na, const void *v, int64_t nv, bool right, int64_t *out,
                         const atomic_bool *stop, gpa_err *e);
/* An FFT call on the memory given; in and out must not overlap. Of the size of an extent's largest prime factor, each point costs
 * that much. */
gpa_code hostcall_fft(const gpa_libcall *call, const void *in, void *out, const atomic_bool *stop, gpa_err *e);
/* A call from LU to EIG, on the memory x. */
gpa_code hostcall_matrix(const gpa_libcall *call, void *const *x, const atomic_bool *stop, gpa_err *e);
/* A SPARSE call on the memory given; y must not overlap the others. */
gpa_code hostcall_sparse(const gpa_libcall *call, const int32_t *start, const int32_t *column, const void *at, const void *x, void *y,
                         const atomic_bool *stop, gpa_err *e);

/* A gpa_rows in host memory. */
typedef struct {
    int64_t m, n, count;
    const int32_t *start, *column;
    const void *at;
} host_rows;
/* Whether starts and columns are what they say; GPA_E_VALUE if not. The calls below rely on it. */
gpa_code hostcall_rows(const host_rows *a, gpa_err *e);
/* The starts of A B, start[0 .. a->m]. GPA_E_VALUE when it has 2^31 values or more. */
gpa_code hostcall_spgemm_starts(const host_rows *a, const host_rows *b, int32_t *start, const atomic_bool *stop, gpa_err *e);
/* Its columns, ascending in each row, and values, for these starts. */
gpa_code hostcall_spgemm(gpa_dtype t, const host_rows *a, const host_rows *b, const int32_t *start, int32_t *column, void *at,
                         const atomic_bool *stop, gpa_err *e);
/* The starts of what is in one of two matrices of a shape or in both; in each row of theirs the columns ascend. GPA_E_VALUE as above. */
gpa_code hostcall_union_starts(const host_rows *a, const host_rows *b, int32_t *start, gpa_err *e);
/* Its columns, and for each of them where it is among a's values and among b's; -1: nowhere. */
void hostcall_union(const host_rows *a, const host_rows *b, int32_t *column, int32_t *in_a, int32_t *in_b);
/* A TURN call on the memory given. GPA_E_VALUE for a key that is out of range. */
gpa_code hostcall_turn(const gpa_libcall *call, const int32_t *key, const int32_t *other, const void *at, int32_t *start, int32_t *to_other, void *to_at,
                       gpa_err *e);

/* Whether a call should end. */
static inline bool hostcall_stopped(const atomic_bool *stop) { return stop && atomic_load_explicit(stop, memory_order_relaxed); }

#endif
