/* Many small matrices side by side: a lane of the vectors is a matrix, and all lanes take the same
 * steps. What a library spends on calls and on the ends of short loops is more than such a matrix's
 * arithmetic. */
#ifndef GPA_CPU_LINALG_BATCHED_LU_H
#define GPA_CPU_LINALG_BATCHED_LU_H

#include "runtime/lib/libcall.h"

/* Whether the call is one of many small matrices: LU, SOLVE, INVERSE and CHOLESKY of real numbers.
 */
bool small_can(const gpa_libcall *c);
/* How many matrices are done at a time, and the bytes of room they need, aligned to 64. */
int small_lanes(const gpa_libcall *c);
size_t small_room(const gpa_libcall *c);
/* Does `count` matrices, at most small_lanes: x[a] is the first one's array a, step[a] the bytes to
 * the next one's. Returns LAPACK's info of the first matrix that has one, *which, or 0. */
int small_run(const gpa_libcall *c, char *const *x, const int64_t *step, int count, void *room,
              int *which);

#endif
