/* Where the largest or smallest elements of rows stand, on the CPU device's threads: real dtypes.
 */
#ifndef GPA_CPU_SORT_ARGMIN_H
#define GPA_CPU_SORT_ARGMIN_H

#include "runtime/ir/libcall.h"

/* EXTREME calls. */
bool argminmax_can(const gpa_libcall *c);
gpa_code argminmax_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);

#endif
