/* Sparse matrix products (CSR by dense), rows partitioned among threads. */
#ifndef GPA_CPU_LINALG_SPARSE_H
#define GPA_CPU_LINALG_SPARSE_H

#include "runtime/base/err.h"
#include "runtime/ir/libcall.h"

bool sparse_can(const gpa_libcall *c);
gpa_code sparse_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);

#endif
