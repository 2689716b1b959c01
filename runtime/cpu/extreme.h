/* Where the largest or smallest elements of rows stand, on the CPU device's threads: real dtypes. */
#ifndef GPA_CPU_EXTREME_H
#define GPA_CPU_EXTREME_H

#include "runtime/libcall.h"

/* EXTREME calls. */
bool extreme_can(const gpa_libcall *c);
gpa_code extreme_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);

#endif
