/* Copies of operands for library calls that overwrite them. */
#include "runtime/lib/library.h"

#include "runtime/array/store.h"

gpa_code library_copy(gpa_rt *rt, gpa_arr *a, gpa_dtype t, bool by_columns, gpa_arr **out,
                      gpa_err *e) {
    int perm[GPA_MAX_DIMS];
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *made = NULL, *view = NULL;
    gpa_code rc = GPA_OK;
    for (int d = 0; d < a->ndim; d++)
        perm[d] = !by_columns || d < a->ndim - 2 ? d : 2 * a->ndim - 3 - d;
    for (int d = 0; d < a->ndim; d++) shape[d] = a->shape[perm[d]];
    TRY(arr_empty(rt, &(arr_spec){t, a->ndim, shape}, &made, e));
    TRY(arr_transpose(rt, made, perm, &view, e));
    TRY(arr_set(rt, view, NULL, &(gpa_opnd){.arr = a}, e));
    TRY(store_begin(rt, made, e)); /* computes `made` and the pending arrays that read it: the
                                      caller may then overwrite it */
    *out = made;
    made = NULL;
out:
    arr_release(rt, made);
    arr_release(rt, view);
    return rc;
}
