/* Linear solves with a factored or banded matrix, where the device has a library for them. */
#include "runtime/exec/explain.h"
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"
#include "runtime/graph/shape.h"

/* Describes the matrices of a call; false when their stack has no single stride. */
static bool describe(const gpa_arr *a, gpa_libcall *c) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    const int row = a->ndim - 2, column = a->ndim - 1;
    memcpy(shape, a->shape, (size_t)row * sizeof *shape);
    memcpy(strides, a->strides, (size_t)row * sizeof *strides);
    const int stack = shape_collapse(row, shape, 1, (int64_t *[]){strides});
    if (stack > 1) return false;
    c->solve_factored.a =
        (gpa_binding){.offset = a->offset,
                      .stride = {stack ? strides[0] : 0, a->strides[row], a->strides[column]}};
    return true;
}

gpa_code arr_solve_factored(gpa_rt *rt, gpa_arr *a, gpa_arr *pivots, gpa_arr *b,
                            const arr_solve_factored_opts *o, gpa_arr **out, int64_t *zero,
                            gpa_err *e) {
    gpa_arr *factors = NULL, *rows = NULL, *x = NULL, *turned = NULL;
    gpa_device *d;
    int32_t info = 0;
    int perm[GPA_MAX_DIMS];
    const int64_t n = a->shape[a->ndim - 1];
    device_scope at = device_scope_enter(rt, (gpa_arr *[]){a, b}, 2);
    gpa_libcall c = {.kind = LIB_SOLVE_FACTORED,
                     .dtype = (gpa_dtype)a->dtype,
                     .solve_factored = {.form = o->form,
                                        .trans = o->trans,
                                        .upper = o->upper,
                                        .unit = o->unit,
                                        .n = n,
                                        .k = b->shape[b->ndim - 1],
                                        .info = &info}};
    gpa_code rc = GPA_OK;
    *out = NULL;
    TRY(arr_find_device(rt, a, &d, e));
    c.solve_factored.a = (gpa_binding){.stride = {n * n, 1, n}};
    if (!a->size || !b->size || !library_can(d, &c)) goto out;
    c.solve_factored.batch = a->size / (n * n);
    factors = arr_retain(a);
    TRY(arr_force(rt, factors, CUT_LIBRARY, e));
    TRY(arr_bring_to_device(rt, d, &factors, e));
    if (!describe(factors, &c) || !library_can(d, &c)) { /* else a copy in Fortran order */
        arr_release(rt, factors);
        factors = NULL;
        TRY(library_copy(rt, a, c.dtype, true, &factors, e));
        c.solve_factored.a = (gpa_binding){.offset = factors->offset, .stride = {n * n, 1, n}};
    }
    if (pivots) {
        TRY(library_copy(rt, pivots, DT_I32, false, &rows, e));
        c.solve_factored.pivots = rows->storage->buf->mem;
    }
    TRY(library_copy(rt, b, c.dtype, true, &x, e));
    c.solve_factored.a.mem = factors->storage->buf->mem;
    c.solve_factored.x = x->storage->buf->mem;
    TRY(library_run(rt, d, &c, e));
    if (info < 0) TRY(gpa_fail(e, GPA_E_VALUE, "pivots must be rows of the matrix"));
    explain_call(rt, library_names[LIB_SOLVE_FACTORED], d, x);
    *zero = info;
    for (int i = 0; i < x->ndim; i++) perm[i] = i < x->ndim - 2 ? i : 2 * x->ndim - 3 - i;
    TRY(arr_transpose(rt, x, perm, &turned, e));
    *out = arr_retain(turned);
out:
    arr_release(rt, factors);
    arr_release(rt, rows);
    arr_release(rt, x);
    arr_release(rt, turned);
    device_scope_leave(rt, at);
    return rc;
}

gpa_code arr_solve_banded(gpa_rt *rt, int64_t below, int64_t above, gpa_arr *bands, gpa_arr *b,
                          gpa_arr **out, gpa_err *e) {
    gpa_arr *kept = NULL, *x = NULL;
    gpa_device *d;
    int32_t info = 0;
    device_scope at = device_scope_enter(rt, (gpa_arr *[]){bands, b}, 2);
    gpa_libcall c = {
        .kind = LIB_SOLVE_BANDED,
        .dtype = (gpa_dtype)bands->dtype,
        .solve_banded = {
            .kl = below, .ku = above, .n = bands->shape[1], .k = b->shape[1], .info = &info}};
    gpa_code rc = GPA_OK;
    *out = NULL;
    TRY(arr_find_device(rt, bands, &d, e));
    if (!b->size || !library_can(d, &c)) goto out;
    TRY(library_copy(rt, bands, c.dtype, false, &kept, e));
    TRY(library_copy(rt, b, c.dtype, true, &x, e));
    c.solve_banded.bands = kept->storage->buf->mem;
    c.solve_banded.x = x->storage->buf->mem;
    TRY(library_run(rt, d, &c, e));
    if (info) TRY(gpa_fail(e, GPA_E_LINALG, "singular matrix"));
    explain_call(rt, library_names[LIB_SOLVE_BANDED], d, x);
    TRY(arr_transpose(rt, x, (int[]){1, 0}, out, e));
out:
    arr_release(rt, kept);
    arr_release(rt, x);
    device_scope_leave(rt, at);
    return rc;
}
