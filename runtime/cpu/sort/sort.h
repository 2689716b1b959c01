/* Sort and argsort on the thread pool. */
#ifndef GPA_CPU_SORT_SORT_H
#define GPA_CPU_SORT_SORT_H

#include "runtime/ir/libcall.h"

/* SORT and ARGSORT calls. */
bool sort_can(const gpa_libcall *c);
gpa_code sort_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);

#endif
