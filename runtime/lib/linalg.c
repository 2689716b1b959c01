/* Matrix factorizations of arrays.
 *
 * A call works on copies of its matrices in Fortran order, as LAPACK does; results are transposed
 * views of them, without another copy. Where the mathematics allows it the copy is in C order
 * instead, and the call factors the transpose. Reading order: calls, results, factorizations. */
#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/host/host.h"
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"

/* ---- calls ---- */

/* A call for the stack of matrices a. */
static gpa_libcall call_of(gpa_lib_kind kind, const gpa_arr *a) {
    int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    gpa_libcall c = {.kind = kind,
                     .dtype = (gpa_dtype)a->dtype,
                     .matrix = {.m = m, .n = n, .batch = m && n ? a->size / (m * n) : 0}};
    return c;
}

static gpa_code run_on_host(gpa_rt *rt, const gpa_libcall *c, gpa_arr *const *x, gpa_err *e) {
    host_target place[LIB_MATRICES] = {0};
    host_operands at = {0};
    gpa_code rc = GPA_OK;
    int opened = 0;
    for (; opened < LIB_MATRICES && !rc; opened++) {
        if (!x[opened]) continue;
        rc = host_target_open(rt, x[opened], true, &place[opened], e);
        at.out[opened] = place[opened].first;
    }
    if (!rc) rc = hostcall_run(c, &at, &rt->interrupted, e);
    for (int i = 0; i < opened; i++) {
        gpa_code closed = place[i].arr ? host_target_close(rt, &place[i], rc ? NULL : e) : GPA_OK;
        if (!rc) rc = closed;
    }
    return rc;
}

static const char *const failures[LIB_COUNT] = {
#define LIB(id, name, host, failure, ...) failure,
#include "runtime/tables/lib.def"
#undef LIB
};

/* Runs the call on arrays x, each spanning its whole allocation; *blind: the library ignored
 * NaN. An empty stack needs no call. */
static gpa_code run(gpa_rt *rt, gpa_libcall *c, gpa_arr *const *x, bool *blind, gpa_err *e) {
    int32_t info = 0;
    gpa_code rc = GPA_OK;
    if (!c->matrix.batch) return GPA_OK;
    gpa_device *d = x[0]->storage->buf->device;
    c->matrix.info = &info;
    c->matrix.ignores_nan = blind;
    for (int i = 0; i < LIB_MATRICES; i++) c->matrix.x[i] = x[i] ? x[i]->storage->buf->mem : NULL;
    bool library = library_can(d, c);
    if (library)
        rc = library_run(rt, d, c, e);
    else
        rc = run_on_host(rt, c, x, e);
    if (rc) return rc;
    explain_call(rt, library_names[c->kind], library ? d : NULL, x[0]);
    return info ? gpa_fail(e, GPA_E_LINALG, "%s", failures[c->kind]) : GPA_OK;
}

/* ---- results ---- */

/* A new array with the stack shape of a and `n` more extents. */
static gpa_code result(gpa_rt *rt, const gpa_arr *a, gpa_dtype t, int n, const int64_t *more,
                       gpa_arr **out, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS];
    memcpy(shape, a->shape, (size_t)(a->ndim - 2) * sizeof *shape);
    memcpy(shape + a->ndim - 2, more, (size_t)n * sizeof *shape);
    return arr_empty(rt, &(arr_spec){t, a->ndim - 2 + n, shape}, out, e);
}

/* Swaps the last two axes; a is consumed. */
static gpa_code turned_take(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    int perm[GPA_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++) perm[d] = d < a->ndim - 2 ? d : 2 * a->ndim - 3 - d;
    gpa_code rc = arr_transpose(rt, a, perm, out, e);
    arr_release(rt, a);
    return rc;
}

/* Sets *x, computed from a, to NaN for those matrices of a that contain one. */
static gpa_code spread_nan(gpa_rt *rt, gpa_arr *a, gpa_arr **x, gpa_err *e) {
    arr_reduce_opts over = {.axes = 3u << (a->ndim - 2), .keepdims = true, .dtype = DT_NONE};
    gpa_arr *most = NULL, *bad = NULL, *with = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_reduce(rt, RED_MAX, a, &over, &most, e)); /* NaN propagates */
    TRY(arr_ufunc(rt, OP_ISNAN, &(gpa_opnd){.arr = most}, NULL, &bad, e));
    gpa_opnd choice[3] = {{.arr = bad}, {.arr = most}, {.arr = *x}};
    TRY(arr_ufunc(rt, OP_WHERE, choice, NULL, &with, e));
    arr_release(rt, *x);
    *x = with;
out:
    arr_release(rt, most);
    arr_release(rt, bad);
    return rc;
}

static void drop(gpa_rt *rt, gpa_arr **x) {
    for (int i = 0; i < LIB_MATRICES; i++) arr_release(rt, x[i]);
}

/* Moves x[i] out. */
static void give(gpa_arr **x, int i, gpa_arr **out) {
    *out = x[i];
    x[i] = NULL;
}

static gpa_code give_turned(gpa_rt *rt, gpa_arr **x, int i, gpa_arr **out, gpa_err *e) {
    gpa_arr *a = x[i];
    x[i] = NULL;
    return turned_take(rt, a, out, e);
}

/* ---- factorizations, on the device of the matrices ---- */

gpa_code arr_lu(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_arr **pivots, gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_LU, a);
    bool blind = false;
    gpa_code rc = GPA_OK;
    TRY(library_copy(rt, a, c.dtype, false, &x[0], e));
    TRY(result(rt, a, DT_I32, 1, (int64_t[]){MIN(c.matrix.m, c.matrix.n)}, &x[1], e));
    TRY(run(rt, &c, x, &blind, e));
    if (blind) TRY(spread_nan(rt, a, &x[0], e));
    give(x, 0, out);
    give(x, 1, pivots);
out:
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

gpa_code arr_solve(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_arr **out, gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_SOLVE, a);
    bool blind = false;
    gpa_code rc = GPA_OK;
    c.matrix.k = b->shape[b->ndim - 1];
    TRY(library_copy(rt, a, c.dtype, false, &x[0], e));
    TRY(library_copy(rt, b, c.dtype, true, &x[1], e));
    TRY(run(rt, &c, x, &blind, e));
    if (blind) TRY(spread_nan(rt, a, &x[1], e));
    TRY(give_turned(rt, x, 1, out, e));
out:
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

/* A call that overwrites a copy of its matrix with the result. */
static gpa_code in_place(gpa_rt *rt, gpa_lib_kind kind, bool upper, gpa_arr *a, gpa_arr **out,
                         gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(kind, a);
    bool blind = false;
    gpa_code rc = GPA_OK;
    c.matrix.upper = upper;
    TRY(library_copy(rt, a, c.dtype, false, &x[0], e));
    TRY(run(rt, &c, x, &blind, e));
    give(x, 0, out);
out:
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

gpa_code arr_inverse(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    return in_place(rt, LIB_INVERSE, false, a, out, e);
}

/* In C order a is its own conjugate in Fortran order, so the requested factor is the other
 * triangle's, transposed. */
gpa_code arr_cholesky(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **out, gpa_err *e) {
    return in_place(rt, LIB_CHOLESKY, !upper, a, out, e);
}

gpa_code arr_qr(gpa_rt *rt, gpa_arr *a, int64_t k, gpa_arr **r, gpa_arr **factors, gpa_arr **q,
                gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_QR, a);
    bool blind = false;
    gpa_code rc = GPA_OK;
    c.matrix.k = k;
    TRY(library_copy(rt, a, c.dtype, true, &x[0], e));
    TRY(result(rt, a, c.dtype, 1, (int64_t[]){MIN(c.matrix.m, c.matrix.n)}, &x[1], e));
    if (q) TRY(result(rt, a, c.dtype, 2, (int64_t[]){k, c.matrix.m}, &x[2], e));
    TRY(run(rt, &c, x, &blind, e));
    TRY(give_turned(rt, x, 0, r, e));
    if (q) TRY(give_turned(rt, x, 2, q, e));
    give(x, 1, factors);
out:
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

/* A wide or square matrix is in C order: LAPACK sees a^T = conj(V) S U^T, whose U is V^H and whose
 * V^H is U when read in C order. */
gpa_code arr_svd(gpa_rt *rt, gpa_arr *a, bool full, gpa_arr **u, gpa_arr **s, gpa_arr **vh,
                 gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_SVD, a);
    int64_t m = MAX(c.matrix.m, c.matrix.n), n = MIN(c.matrix.m, c.matrix.n);
    bool wide = c.matrix.m <= c.matrix.n;
    bool blind = false;
    gpa_code rc = GPA_OK;
    c.matrix.m = m;
    c.matrix.n = n;
    c.matrix.full = full;
    TRY(library_copy(rt, a, c.dtype, !wide, &x[0], e));
    TRY(result(rt, a, dtype_info[c.dtype].real, 1, &n, &x[1], e));
    if (u) TRY(result(rt, a, c.dtype, 2, (int64_t[]){full ? m : n, m}, &x[2], e));
    if (u) TRY(result(rt, a, c.dtype, 2, (int64_t[]){n, n}, &x[3], e));
    TRY(run(rt, &c, x, &blind, e));
    give(x, 1, s);
    if (u && wide) {
        give(x, 2, vh);
        give(x, 3, u);
    } else if (u) {
        TRY(give_turned(rt, x, 2, u, e));
        TRY(give_turned(rt, x, 3, vh, e));
    }
out:
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

/* In C order a is its own conjugate in Fortran order: the other triangle is used, and the vectors
 * are conjugated. */
gpa_code arr_eigh(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **w, gpa_arr **v, gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL}, *turned = NULL;
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_EIGH, a);
    bool blind = false;
    gpa_code rc = GPA_OK;
    c.matrix.upper = !upper;
    c.matrix.vectors = v != NULL;
    TRY(library_copy(rt, a, c.dtype, false, &x[0], e));
    TRY(result(rt, a, dtype_info[c.dtype].real, 1, &c.matrix.n, &x[1], e));
    TRY(run(rt, &c, x, &blind, e));
    if (v) {
        TRY(give_turned(rt, x, 0, &turned, e));
        if (dtype_is_complex(c.dtype))
            TRY(arr_ufunc(rt, OP_CONJUGATE, &(gpa_opnd){.arr = turned}, NULL, v, e));
        else
            *v = arr_retain(turned);
    }
    give(x, 1, w);
out:
    arr_release(rt, turned);
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

gpa_code arr_eig(gpa_rt *rt, gpa_arr *a, gpa_arr **w, gpa_arr **v, gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_EIG, a);
    gpa_dtype complex = dtype_info[c.dtype].real == DT_F32 ? DT_C64 : DT_C128;
    bool blind = false;
    gpa_code rc = GPA_OK;
    TRY(library_copy(rt, a, c.dtype, true, &x[0], e));
    TRY(result(rt, a, complex, 1, &c.matrix.n, &x[1], e));
    if (v) TRY(result(rt, a, c.dtype, 2, (int64_t[]){c.matrix.n, c.matrix.n}, &x[2], e));
    TRY(run(rt, &c, x, &blind, e));
    if (v) TRY(give_turned(rt, x, 2, v, e));
    give(x, 1, w);
out:
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

gpa_code arr_lstsq(gpa_rt *rt, gpa_arr *a, gpa_arr *b, double limit, gpa_arr **out, gpa_arr **s,
                   gpa_arr **rank, gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_LSTSQ, a);
    int64_t p = MIN(c.matrix.m, c.matrix.n), one = 1;
    bool blind = false;
    gpa_code rc = GPA_OK;
    *out = *s = *rank = NULL;
    c.matrix.k = b->shape[b->ndim - 1];
    c.matrix.rcond = limit;
    TRY(library_copy(rt, a, c.dtype, true, &x[0], e));
    if (!library_can(x[0]->storage->buf->device, &c)) goto out;
    TRY(library_copy(rt, b, c.dtype, true, &x[1], e));
    TRY(result(rt, a, dtype_info[c.dtype].real, 1, &p, &x[2], e));
    TRY(result(rt, a, DT_I32, 1, &one, &x[3], e));
    TRY(run(rt, &c, x, &blind, e));
    TRY(give_turned(rt, x, 1, out, e));
    give(x, 2, s);
    give(x, 3, rank);
out:
    drop(rt, x);
    device_scope_leave(rt, at);
    return rc;
}
