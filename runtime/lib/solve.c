/* Linear solves with a factored or banded matrix, where the device has a library for them. */
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"
#include "runtime/array/tape.h"
#include "runtime/graph/shape.h"
#include "runtime/libcalls.h"

/* Describes the matrices of a call; false when their stack has no single stride. */
static bool describe_call(const gpa_arr *a, gpa_libcall *c) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    const int row = a->ndim - 2, column = a->ndim - 1;
    memcpy(shape, a->shape, (size_t)row * sizeof *shape);
    memcpy(strides, a->strides, (size_t)row * sizeof *strides);
    const int stack = shape_collapse(row, shape, 1, (int64_t *[]){strides});
    if (stack > 1) return false;
    const int64_t call_strides[] = {stack ? strides[0] : 0, a->strides[row], a->strides[column]};
    memcpy(c->solve_factored.a.stride, call_strides, sizeof call_strides);
    return true;
}

gpa_code arr_solve_factored(gpa_rt *rt, const arr_factored *f, gpa_arr *b, gpa_arr **out,
                            int64_t *zero, gpa_err *e) {
    enum { A, PIVOTS, X };
    library_arrays arrays = {0};
    gpa_arr **x = arrays.x;
    gpa_device *d;
    int32_t info = 0;
    const int64_t n = f->a->shape[f->a->ndim - 1];
    device_scope at = device_scope_enter(rt, (gpa_arr *[]){f->a, b}, 2);
    gpa_libcall c = {.kind = LIB_SOLVE_FACTORED,
                     .dtype = (gpa_dtype)f->a->dtype,
                     .solve_factored = {.form = f->form,
                                        .trans = f->trans,
                                        .upper = f->upper,
                                        .unit = f->unit,
                                        .n = n,
                                        .k = b->shape[b->ndim - 1],
                                        .a = {.stride = {n * n, 1, n}},
                                        .info = &info}};
    gpa_code rc = tape_refuse(rt, "a solve with given factors", (gpa_arr *[]){f->a, b}, 2, e);
    *out = NULL;
    if (rc) goto out;
    TRY(arr_find_device(rt, f->a, &d, e));
    if (!f->a->size || !b->size || !library_can(d, &c)) goto out;
    c.solve_factored.batch = f->a->size / (n * n);
    if (b->size != c.solve_factored.batch * n * c.solve_factored.k ||
        (f->pivots && f->pivots->size != c.solve_factored.batch * n))
        TRY(gpa_fail(e, GPA_E_VALUE, "factors, pivots and right-hand sides of different sizes"));
    x[A] = arr_retain(f->a);
    TRY(arr_force(rt, x[A], CUT_LIBRARY, e));
    TRY(arr_bring_to_device(rt, d, &x[A], e));
    if (!describe_call(x[A], &c) || !library_can(d, &c)) { /* else a copy in Fortran order */
        arr_release(rt, library_take(&arrays, A));
        TRY(library_copy(rt, f->a, c.dtype, true, &x[A], e));
        memcpy(c.solve_factored.a.stride, (const int64_t[]){n * n, 1, n}, 3 * sizeof n);
    }
    if (f->pivots) TRY(library_copy(rt, f->pivots, DT_I32, false, &x[PIVOTS], e));
    TRY(library_copy(rt, b, c.dtype, true, &x[X], e));
    TRY(library_call(rt, d, &c, &arrays, e));
    if (info < 0) TRY(gpa_fail(e, GPA_E_VALUE, "pivots must be rows of the matrix"));
    *zero = info;
    TRY(library_transpose_take(rt, library_take(&arrays, X), out, e));
out:
    library_release(rt, &arrays);
    device_scope_leave(rt, at);
    return rc;
}

/* True if all elements of x are finite. */
static gpa_code all_finite(gpa_rt *rt, gpa_arr *x, bool *out, gpa_err *e) {
    gpa_arr *each = NULL, *all = NULL;
    gpa_val v;
    gpa_code rc = GPA_OK;
    TRY(arr_ufunc(rt, OP_ISFINITE, &(gpa_opnd){.arr = x}, NULL, &each, e));
    TRY(arr_reduce(rt, RED_ALL, each, &(arr_reduce_opts){.axes = UINT64_MAX, .dtype = DT_BOOL},
                   &all, e));
    arr_release(rt, each); /* without a holder it is fused, not stored */
    each = NULL;
    TRY(arr_item(rt, all, &v, e));
    *out = v.BOOL;
out:
    arr_release(rt, each);
    arr_release(rt, all);
    return rc;
}

gpa_code arr_solve_banded(gpa_rt *rt, const arr_banded *a, gpa_arr *b, gpa_arr **out, gpa_err *e) {
    enum { BANDS, X };
    library_arrays arrays = {0};
    gpa_device *d;
    int32_t info = 0;
    device_scope at = device_scope_enter(rt, (gpa_arr *[]){a->bands, b}, 2);
    gpa_libcall c = {
        .kind = LIB_SOLVE_BANDED,
        .dtype = (gpa_dtype)a->bands->dtype,
        .solve_banded = {
            .kl = a->kl, .ku = a->ku, .n = a->bands->shape[1], .k = b->shape[1], .info = &info}};
    gpa_code rc = tape_refuse(rt, "solve_banded", (gpa_arr *[]){a->bands, b}, 2, e);
    *out = NULL;
    if (rc) goto out;
    TRY(arr_find_device(rt, a->bands, &d, e));
    if (!b->size || !library_can(d, &c)) goto out;
    TRY(library_copy(rt, a->bands, c.dtype, false, &arrays.x[BANDS], e));
    TRY(library_copy(rt, b, c.dtype, true, &arrays.x[X], e));
    TRY(library_call(rt, d, &c, &arrays, e));
    if (info) TRY(gpa_fail(e, GPA_E_LINALG, "singular matrix"));
    if (!d->caps.host_visible) {
        bool finite;
        TRY(all_finite(rt, arrays.x[X], &finite, e));
        if (!finite) goto out;
    }
    TRY(library_transpose_take(rt, library_take(&arrays, X), out, e));
out:
    library_release(rt, &arrays);
    device_scope_leave(rt, at);
    return rc;
}
