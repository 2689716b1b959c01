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
/* The dtypes of BLAS and LAPACK, in the order of their letters s, d, c, z. */
enum { BLAS_TYPES = 4 };
extern const gpa_dtype blas_types[BLAS_TYPES];
/* Index of a dtype among them, or -1. */
int blas_type_index(gpa_dtype t);
/* Looks up the LAPACK function `name` of type `i` ("dgetrf_") into *fn, which stays NULL when name
 * is NULL; false when the library lacks it. */
bool blas_find_typed(blas **b, int i, const char *name, void *fn);
/* Sets the number of threads of later calls. */
void blas_threads(const blas *b, int threads);

#endif
