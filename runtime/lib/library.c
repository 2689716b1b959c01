/* Calls of the device's libraries. */
#include "runtime/lib/library.h"

#include "runtime/exec/profile.h"
#include "runtime/array/store.h"

const char *const library_names[LIB_COUNT] = {
#define LIB(id, name, ...) name,
#include "runtime/tables/lib.def"
#undef LIB
};

bool library_can(gpa_device *d, const gpa_libcall *c) {
    return d->be->lib_can && d->be->lib_can(d->dev, c);
}

gpa_code library_run(gpa_rt *rt, gpa_device *d, const gpa_libcall *c, gpa_err *e) {
    rt->stats.lib_calls++;
    profile_begin(rt, d);
    gpa_err first = {0};
    gpa_code rc = d->be->lib_run(d->dev, c, &first);
    if (rc == GPA_E_MEMORY) { /* for memory of its own: what the pool keeps is given back */
        buf_trim(rt, d);
        rc = d->be->lib_run(d->dev, c, e);
    } else if (rc) {
        gpa_fail(e, rc, "%s", first.msg);
    }
    profile_call(rt, d, library_names[c->kind], 0);
    return device_result(rt, d, rc, e);
}

gpa_code library_copy(gpa_rt *rt, gpa_arr *a, gpa_dtype t, bool by_columns, gpa_arr **out,
                      gpa_err *e) {
    int perm[GPA_MAX_DIMS];
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *made = NULL, *view = NULL;
    gpa_code rc = GPA_OK;
    for (int d = 0; d < a->ndim; d++)
        perm[d] = !by_columns || d < a->ndim - 2 ? d : 2 * a->ndim - 3 - d;
    for (int d = 0; d < a->ndim; d++) shape[d] = a->shape[perm[d]];
    TRY(arr_empty(rt, t, a->ndim, shape, &made, e));
    TRY(arr_transpose(rt, made, perm, &view, e));
    TRY(arr_set(rt, view, &(gpa_index){.kind = IX_ELLIPSIS}, 1, &(gpa_opnd){.arr = a}, e));
    TRY(store_begin(
        rt, made,
        e)); /* who else wanted that value reads it there: from now on it is the caller's */
    *out = made;
    made = NULL;
out:
    arr_release(rt, made);
    arr_release(rt, view);
    return rc;
}
