/* Many small matrices side by side: a lane of the vectors is a matrix, and all lanes take the same
 * steps. What a library spends on calls and on the ends of short loops is more than such a matrix's
 * arithmetic. */
#ifndef GPA_CPU_LINALG_BATCHED_LU_H
#define GPA_CPU_LINALG_BATCHED_LU_H

#include "runtime/ir/libcall.h"

/* Whether the call is one of many small matrices: LU, SOLVE, INVERSE and CHOLESKY of real numbers.
 */
bool batched_lu_can(const gpa_libcall *c);
/* How many matrices are done at a time, and the bytes of room they need, aligned to 64. */
int batched_lu_width(const gpa_libcall *c);
size_t batched_lu_scratch(const gpa_libcall *c);
/* Does `count` matrices, at most batched_lu_width: x[a] is the first one's array a, step[a] the
 * bytes to the next one's. Returns LAPACK's info of the first matrix that has one, *which, or 0. */
int batched_lu_run(const gpa_libcall *c, char *const *x, const int64_t *step, int count, void *room,
                   int *which);

#endif
