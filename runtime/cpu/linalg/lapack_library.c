/* LAPACK routines: lapack_library.h. */
#include "runtime/cpu/linalg/lapack_library.h"

#include "runtime/base/base.h"

static lapack *load(blas **b) {
    lapack *l = mem_zero(sizeof *l);
    if (!l) return NULL;
    l->complete = true;
    for (int i = 0; i < BLAS_TYPES && l->complete; i++) {
        const bool is_complex = dtype_is_complex(blas_types[i]);
#define ROUTINE(member, real, complex, parameters) \
    l->complete =                                  \
        l->complete && blas_find_typed(b, i, is_complex ? complex : real, &l->of[i].member);
#include "runtime/cpu/linalg/lapack.def"
    }
    return l;
}

bool lapack_load(lapack **l, blas **b) {
    if (!*l) *l = load(b);
    return *l && (*l)->complete;
}

void lapack_free(lapack *l) { mem_free(l); }
