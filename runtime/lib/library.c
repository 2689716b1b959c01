/* Library calls on arrays: library.h. Reading order: results, the device, the host, copies. */
#include "runtime/lib/library.h"

#include "runtime/array/device_transfer.h"
#include "runtime/array/host_view.h"
#include "runtime/array/store.h"
#include "runtime/exec/explain.h"
#include "runtime/host/host.h"
#include "runtime/array/tape.h"

void library_release(gpa_rt *rt, library_arrays *a) {
    for (int i = 0; i < LIB_OPERANDS; i++) arr_release(rt, a->x[i]);
}

gpa_arr *library_take(library_arrays *a, int i) {
    gpa_arr *x = a->x[i];
    a->x[i] = NULL;
    return x;
}

/* ---- results ---- */

/* The shape of result i; false if the call does without it. */
static bool result_shape(const library_arrays *a, const lib_operand *o, int *ndim,
                         const int64_t **shape) {
    if (o->ndim >= LIB_LIKE) {
        const gpa_arr *like = a->x[o->ndim - LIB_LIKE];
        *ndim = like ? like->ndim : 0;
        *shape = like ? like->shape : NULL;
        return like != NULL;
    }
    *ndim = o->ndim == LIB_GIVEN ? a->ndim : o->ndim;
    *shape = o->ndim == LIB_GIVEN ? a->shape : o->shape;
    return true;
}

gpa_code library_matrix_results(gpa_rt *rt, const gpa_libcall *c, const gpa_arr *stack, int n,
                                gpa_arr **x, gpa_err *e) {
    const int outer = stack->ndim - 2;
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    memcpy(shape, stack->shape, (size_t)outer * sizeof *shape);
    for (int i = 0; i < n && !rc; i++) {
        const lib_operand o = lib_operand_of(c, i);
        if (o.access != LIB_RESULT) continue;
        memcpy(shape + outer, o.shape, (size_t)o.ndim * sizeof *shape);
        rc = arr_empty(rt, &(arr_spec){o.dtype, outer + o.ndim, shape}, &x[i], e);
    }
    return rc;
}

/* ---- the device ---- */

static gpa_code call_on_device(gpa_rt *rt, gpa_device *d, gpa_libcall *c, library_arrays *a,
                               gpa_err *e) {
    const gpa_arr *last = NULL; /* result */
    gpa_code rc = GPA_OK;
    for (int i = 0; i < LIB_OPERANDS; i++) {
        const lib_operand o = lib_operand_of(c, i);
        const int64_t *shape;
        int ndim;
        if (o.access == LIB_RESULT && result_shape(a, &o, &ndim, &shape))
            TRY(arr_empty(rt, &(arr_spec){o.dtype, ndim, shape}, &a->x[i], e));
        if (!a->x[i]) continue;
        gpa_binding *b = lib_operand_binding(c, &o);
        b->mem = a->x[i]->storage->buf->mem;
        b->offset = a->x[i]->offset;
        if (o.access != LIB_READ) last = a->x[i];
    }
    TRY(library_run(rt, d, c, e));
    explain_call(rt, library_names[c->kind], d, last);
out:
    return rc;
}

gpa_code library_call(gpa_rt *rt, gpa_device *d, gpa_libcall *c, library_arrays *a, gpa_err *e) {
    gpa_arr *given[LIB_OPERANDS];
    int n = 0;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < LIB_OPERANDS; i++)
        if (a->x[i]) given[n++] = a->x[i];
    TRY(tape_refuse(rt, library_names[c->kind], given, n, e));
    TRY(arr_eval(rt, given, n, e));
    for (int i = 0; i < LIB_OPERANDS; i++)
        if (a->x[i]) TRY(arr_bring_to_device(rt, d, &a->x[i], e));
    rc = library_can(d, c) ? call_on_device(rt, d, c, a, e) : library_call_on_host(rt, c, a, e);
out:
    return rc;
}

/* ---- the host ---- */

gpa_code library_call_on_host(gpa_rt *rt, const gpa_libcall *c, library_arrays *a, gpa_err *e) {
    host_view view[LIB_OPERANDS] = {{0}};
    host_result made[LIB_OPERANDS] = {{0}};
    host_operands operands = {0};
    int n_in = 0, n_out = 0, last = 0;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < LIB_OPERANDS; i++) {
        const lib_operand o = lib_operand_of(c, i);
        const int64_t *shape;
        int ndim;
        if (o.access == LIB_READ) {
            if (a->x[i]) TRY(host_view_get(rt, a->x[i], &view[i], e));
            operands.in[n_in++] = view[i].data;
        } else if (o.access == LIB_RESULT) {
            if (result_shape(a, &o, &ndim, &shape))
                TRY(host_result_new(rt, o.dtype, ndim, shape, &made[last = i], e));
            operands.out[n_out++] = made[i].data;
        }
    }
    TRY(hostcall_run(c, &operands, &rt->interrupted, e));
    for (int i = 0; i < LIB_OPERANDS; i++)
        if (made[i].arr) TRY(host_result_finish(rt, &made[i], &a->x[i], e));
    explain_call(rt, library_names[c->kind], NULL, a->x[last]);
out:
    for (int i = 0; i < LIB_OPERANDS; i++) {
        if (made[i].arr) host_result_discard(rt, &made[i]);
        host_view_release(rt, &view[i]);
    }
    return rc;
}

/* ---- copies ---- */

/* The permutation that swaps the last two axes of n. */
static void swap_last_axes(int n, int *perm) {
    for (int d = 0; d < n; d++) perm[d] = d < n - 2 ? d : 2 * n - 3 - d;
}

gpa_code library_copy(gpa_rt *rt, gpa_arr *a, gpa_dtype t, bool fortran, gpa_arr **out,
                      gpa_err *e) {
    int perm[GPA_MAX_DIMS];
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *made = NULL, *view = NULL;
    gpa_code rc = GPA_OK;
    for (int d = 0; d < a->ndim; d++) perm[d] = d;
    if (fortran) swap_last_axes(a->ndim, perm);
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

gpa_code library_transpose_take(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    int perm[GPA_MAX_DIMS];
    swap_last_axes(a->ndim, perm);
    gpa_code rc = arr_transpose(rt, a, perm, out, e);
    arr_release(rt, a);
    return rc;
}
