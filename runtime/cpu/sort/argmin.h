/* argmin and argmax of rows on the thread pool: real dtypes. */
#ifndef GPA_CPU_SORT_ARGMIN_H
#define GPA_CPU_SORT_ARGMIN_H

#include "runtime/ir/libcall.h"

/* ARGMINMAX calls. */
bool argminmax_can(const gpa_libcall *c);
gpa_code argminmax_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);

#endif
