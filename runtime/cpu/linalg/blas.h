/* Matrix products by OpenBLAS, which is loaded at the first product. */
#ifndef GPA_CPU_LINALG_BLAS_H
#define GPA_CPU_LINALG_BLAS_H

#include "runtime/base/err.h"
#include "runtime/ir/libcall.h"

typedef struct blas blas;

/* True if the call is supported. Loads the library on first use; then *b is owned (blas_free). */
bool blas_can(blas **b, const gpa_libcall *c);
/* GPA_E_INTERRUPT, with the product incomplete, when *stop becomes nonzero. */
gpa_code blas_run(blas *b, int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);
void blas_free(blas *b);
/* Looks up a function of the library, which it loads as blas_can does; NULL if it has none. */
void *blas_find(blas **b, const char *name);
/* Sets the number of threads of later calls. */
void blas_threads(const blas *b, int threads);

#endif
