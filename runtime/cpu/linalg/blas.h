/* Matrix products by OpenBLAS, which is loaded at the first product. */
#ifndef GPA_CPU_LINALG_BLAS_H
#define GPA_CPU_LINALG_BLAS_H

#include "runtime/base/err.h"
#include "runtime/ir/libcall.h"

typedef struct blas blas;

/* Whether the call can be done; loads the library at first need (then *b is owned: blas_free). */
bool blas_can(blas **b, const gpa_libcall *c);
/* GPA_E_INTERRUPT when *stop is not 0: then the product may be unfinished. */
gpa_code blas_run(blas *b, int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e);
void blas_free(blas *b);
/* The function of this name in the library, or NULL; loads it as blas_can does. */
void *blas_find(blas **b, const char *name);
/* How many threads the library's functions use from now on. */
void blas_threads(const blas *b, int threads);

#endif
