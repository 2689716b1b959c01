/* Sorts, partitions and searches of arrays, by the library of the device or the host. Reading
 * order: sorting, searching. */
#include "runtime/exec/device.h"
#include "runtime/array/device_transfer.h"
#include "runtime/array/tape.h"
#include "runtime/lib/library.h"
#include "runtime/graph/shape.h"

/* ---- sorting ---- */

/* Runs a sort of contiguous rows, or of a contiguous array with interleaved rows. */
static gpa_code run_sort(gpa_rt *rt, gpa_arr *a, gpa_libcall *c, gpa_arr **out, gpa_err *e) {
    enum { IN, OUT };
    library_arrays arrays = {0};
    gpa_code rc = GPA_OK;
    TRY(arr_force(rt, a, CUT_LIBRARY, e));
    gpa_device *d = a->storage->buf->device;
    if (arr_is_contiguous(a) || !library_can(d, c))
        arrays.x[IN] = arr_retain(a);
    else
        TRY(arr_copy(rt, a, &arrays.x[IN], e));
    TRY(library_call(rt, d, c, &arrays, e));
    *out = library_take(&arrays, OUT);
out:
    library_release(rt, &arrays);
    return rc;
}

/* Sorts along an axis. Where no library sorts it in place, in a transposed copy whose rows are
 * contiguous. */
static gpa_code sort_along(gpa_rt *rt, gpa_libcall c, gpa_arr *a, int axis, gpa_arr **out,
                           gpa_err *e) {
    int perm[GPA_MAX_DIMS], at = 0;
    gpa_arr *rows = NULL, *sorted = NULL, *back = NULL;
    gpa_code rc = GPA_OK;
    TRY(shape_axis(axis, a->ndim, &at, e));
    for (int d = 0; d < a->ndim; d++) perm[d] = d < at ? d : d < a->ndim - 1 ? d + 1 : at;
    c.sort.n = a->shape[at];
    if (a->size == 0) {
        const gpa_dtype t = c.kind == LIB_ARGSORT ? DT_I64 : c.dtype;
        TRY(arr_empty(rt, &(arr_spec){t, a->ndim, a->shape}, out, e));
        goto out;
    }
    c.sort.rows = a->size / c.sort.n;
    if (at < a->ndim - 1) {
        TRY(arr_force(rt, a, CUT_LIBRARY, e));
        c.sort.stride = 1;
        for (int d = at + 1; d < a->ndim; d++) c.sort.stride *= a->shape[d];
    }
    if (!c.sort.stride || library_can(a->storage->buf->device, &c)) {
        TRY(run_sort(rt, a, &c, out, e));
        goto out;
    }
    c.sort.stride = 0;
    TRY(arr_transpose(rt, a, perm, &rows, e));
    TRY(run_sort(rt, rows, &c, &sorted, e));
    for (int d = 0; d < a->ndim; d++) perm[d] = d < at ? d : d == at ? a->ndim - 1 : d - 1;
    TRY(arr_transpose(rt, sorted, perm, &back, e));
    TRY(arr_copy(rt, back, out, e));
out:
    arr_release(rt, rows);
    arr_release(rt, sorted);
    arr_release(rt, back);
    return rc;
}

/* The same on the device of a. */
static gpa_code sort_axis(gpa_rt *rt, gpa_libcall c, gpa_arr *a, int axis, gpa_arr **out,
                          gpa_err *e) {
    device_scope p = device_scope_enter(rt, &a, 1);
    c.dtype = (gpa_dtype)a->dtype;
    const bool on = tape_enter(rt);
    if (on && tape_is_active(rt, a)) c.sort.n_kth = 0; /* sorting is a partition, and has a rule */
    gpa_code rc = sort_along(rt, c, a, axis, out, e);
    tape_leave(rt, on);
    device_scope_leave(rt, p);
    if (rc || !on) return rc;
    const int64_t along = axis;
    const bool indices = c.kind != LIB_SORT;
    rc = tape_note_unary(
        rt, indices ? "argsort" : "sort", a, *out,
        &(tape_entry){
            .keep_in = 1, .keep_out = 1, .ints = &along, .n_ints = 1, .constant = indices},
        e);
    if (rc) arr_release(rt, *out);
    return rc;
}

gpa_code arr_sort(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    return sort_axis(rt, (gpa_libcall){.kind = LIB_SORT}, a, axis, out, e);
}

static gpa_code partition(gpa_rt *rt, gpa_lib_kind kind, gpa_arr *a, const arr_partition_opts *o,
                          gpa_arr **out, gpa_err *e) {
    const gpa_libcall c = {.kind = kind, .sort = {.kth = o->kth, .n_kth = o->n_kth}};
    return sort_axis(rt, c, a, o->axis, out, e);
}

gpa_code arr_partition(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *o, gpa_arr **out,
                       gpa_err *e) {
    return partition(rt, LIB_SORT, a, o, out, e);
}

gpa_code arr_argpartition(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *o, gpa_arr **out,
                          gpa_err *e) {
    return partition(rt, LIB_ARGSORT, a, o, out, e);
}

gpa_code arr_argsort(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    if (a->ndim) return sort_axis(rt, (gpa_libcall){.kind = LIB_ARGSORT}, a, axis, out, e);
    gpa_arr *list = NULL; /* NumPy's argsort treats a scalar as an array of one element */
    gpa_code rc = arr_reshape(rt, a, 1, (int64_t[]){1}, &list, e);
    if (!rc) rc = sort_axis(rt, (gpa_libcall){.kind = LIB_ARGSORT}, list, axis, out, e);
    arr_release(rt, list);
    return rc;
}

/* ---- searching ---- */

static gpa_code search(gpa_rt *rt, gpa_arr *a, gpa_arr *v, bool right, gpa_arr **out, gpa_err *e) {
    enum { A, V, OUT };
    gpa_arr *const given[] = {a, v};
    const gpa_dtype t = dtype_promote((gpa_dtype)a->dtype, (gpa_dtype)v->dtype);
    gpa_libcall c = {.kind = LIB_SEARCHSORTED,
                     .dtype = t,
                     .search = {.n = a->size, .count = v->size, .right = right}};
    library_arrays arrays = {0};
    gpa_device *d;
    gpa_code rc = GPA_OK;
    for (int i = A; i <= V; i++) {
        gpa_arr *cast = NULL;
        TRY(arr_cast(rt, given[i], t, false, &cast, e));
        if (arr_is_contiguous(cast))
            arrays.x[i] = arr_retain(cast);
        else
            rc = arr_copy(rt, cast, &arrays.x[i], e);
        arr_release(rt, cast);
        if (rc) goto out;
    }
    if (!v->size) {
        TRY(arr_empty(rt, &(arr_spec){DT_I64, v->ndim, v->shape}, out, e));
        goto out;
    }
    TRY(device_default(rt, &d, e));
    TRY(library_call(rt, d, &c, &arrays, e));
    *out = library_take(&arrays, OUT);
out:
    library_release(rt, &arrays);
    return rc;
}

gpa_code arr_searchsorted(gpa_rt *rt, gpa_arr *a, gpa_arr *v, bool right, gpa_arr **out,
                          gpa_err *e) {
    if (a->ndim > 1) return gpa_fail(e, GPA_E_VALUE, "object too deep for desired array");
    if (a->ndim < 1) return gpa_fail(e, GPA_E_VALUE, "object of too small depth for desired array");
    device_scope p = device_scope_enter(rt, (gpa_arr *[]){a, v}, 2);
    const bool on = tape_enter(rt); /* indices have no gradient */
    gpa_code rc = search(rt, a, v, right, out, e);
    tape_leave(rt, on);
    device_scope_leave(rt, p);
    if (rc || !on) return rc;
    const gpa_opnd in[] = {{.arr = a}, {.arr = v}};
    const int64_t side = right;
    rc = tape_note(rt,
                   &(tape_entry){.rule = "searchsorted",
                                 .in = in,
                                 .out = out,
                                 .n_in = 2,
                                 .n_out = 1,
                                 .ints = &side,
                                 .n_ints = 1,
                                 .constant = true},
                   e);
    if (rc) arr_release(rt, *out);
    return rc;
}
