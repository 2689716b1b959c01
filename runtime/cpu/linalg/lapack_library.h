/* The LAPACK routines that OpenBLAS includes, for each dtype of BLAS. */
#ifndef GPA_CPU_LINALG_LAPACK_LIBRARY_H
#define GPA_CPU_LINALG_LAPACK_LIBRARY_H

#include "runtime/cpu/linalg/blas.h"

typedef struct {
#define ROUTINE(member, real, complex, parameters) void(*member) parameters;
#include "runtime/cpu/linalg/lapack.def"
} lapack_routines;

typedef struct lapack {
    bool complete; /* the library has all of them */
    lapack_routines of[BLAS_TYPES];
} lapack;

/* The execution context of a call: the library's threads, and a flag that an interrupt sets. */
typedef struct {
    const blas *b;
    int threads;
    const int32_t *stop;
} lapack_context;

/* Loads the library and its routines on first use; then *b and *l are owned (blas_free,
 * lapack_free). False if a routine is missing. */
bool lapack_load(lapack **l, blas **b);
void lapack_free(lapack *l);

#endif
