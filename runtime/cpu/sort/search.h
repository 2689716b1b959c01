/* searchsorted on the thread pool: real dtypes. */
#ifndef GPA_CPU_SORT_SEARCH_H
#define GPA_CPU_SORT_SEARCH_H

#include "runtime/ir/libcall.h"

/* SEARCHSORTED calls. */
bool search_can(const gpa_libcall *c);
gpa_code search_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);

#endif
