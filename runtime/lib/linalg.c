/* Matrix factorizations of arrays.
 *
 * A call works on copies of its matrices in Fortran order, as LAPACK does; results are transposed
 * views of them, without another copy. Where the mathematics allows it the copy is in C order
 * instead, and the call factors the transpose. Reading order: calls, results, factorizations. */
#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/array/tape.h"
#include "runtime/host/host.h"
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"
#include "runtime/libcalls.h"

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
    host_target target[LIB_MATRICES] = {0};
    host_operands at = {0};
    gpa_code rc = GPA_OK;
    int opened = 0;
    for (; opened < LIB_MATRICES && !rc; opened++) {
        if (!x[opened]) continue;
        rc = host_target_open(rt, x[opened], true, &target[opened], e);
        at.out[opened] = target[opened].first;
    }
    if (!rc) rc = hostcall_run(c, &at, &rt->interrupted, e);
    for (int i = 0; i < opened; i++) {
        gpa_code closed = target[i].arr ? host_target_close(rt, &target[i], rc ? NULL : e) : GPA_OK;
        if (!rc) rc = closed;
    }
    return rc;
}

static const char *const failures[LIB_COUNT] = {
#define LIB(id, name, arm, host, failure, ...) failure,
#include "runtime/tables/lib.def"
#undef LIB
};

/* Runs the call on arrays x, each spanning its whole allocation; *ignores_nan: the library ignored
 * NaN. An empty stack needs no call. */
static gpa_code run_call(gpa_rt *rt, gpa_libcall *c, gpa_arr *const *x, bool *ignores_nan,
                         gpa_err *e) {
    int32_t info = 0;
    gpa_code rc = GPA_OK;
    if (!c->matrix.batch) return GPA_OK;
    gpa_device *d = x[0]->storage->buf->device;
    c->matrix.info = &info;
    c->matrix.ignores_nan = ignores_nan;
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

/* Sets *x, computed from a, to NaN for those matrices of a that contain one. */
static gpa_code spread_nan(gpa_rt *rt, gpa_arr *a, gpa_arr **x, gpa_err *e) {
    arr_reduce_opts over = {
        .axes = gpa_axis(a->ndim - 2) | gpa_axis(a->ndim - 1), .keepdims = true, .dtype = DT_NONE};
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

static void release_operands(gpa_rt *rt, gpa_arr **x) {
    for (int i = 0; i < LIB_MATRICES; i++) arr_release(rt, x[i]);
}

/* Moves x[i] out. */
static gpa_arr *take_operand(gpa_arr **x, int i) {
    gpa_arr *a = x[i];
    x[i] = NULL;
    return a;
}

/* The same, a matrix in Fortran order, as NumPy sees it. */
static gpa_code take_transposed(gpa_rt *rt, gpa_arr **x, int i, gpa_arr **out, gpa_err *e) {
    return library_transpose_take(rt, take_operand(x, i), out, e);
}

/* ---- factorizations, on the device of the matrices ---- */

static gpa_code factor_lu(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_arr **pivots, gpa_err *e) {
    enum { LU_OPERANDS = 2 };
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_LU, a);
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    TRY(library_copy(rt, a, c.dtype, true, &x[0], e));
    TRY(library_matrix_results(rt, &c, a, LU_OPERANDS, x, e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    if (ignores_nan) TRY(spread_nan(rt, a, &x[0], e));
    *out = take_operand(x, 0);
    *pivots = take_operand(x, 1);
out:
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

static gpa_code solve_dense(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_arr **out, gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_SOLVE, a);
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    c.matrix.k = b->shape[b->ndim - 1];
    TRY(library_copy(rt, a, c.dtype, false, &x[0], e));
    TRY(library_copy(rt, b, c.dtype, true, &x[1], e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    if (ignores_nan) TRY(spread_nan(rt, a, &x[1], e));
    TRY(take_transposed(rt, x, 1, out, e));
out:
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

/* A call that overwrites a copy of its matrix with the result; `upper`: the triangle in Fortran
 * order, as which a C-ordered copy is its transpose. cuSOLVER's Cholesky factorization of the lower
 * triangle takes 1.0 ms, that of the upper one 2.7 (2200 x 2200 float64, H200): there the copy is
 * in Fortran order. */
static gpa_code in_place(gpa_rt *rt, gpa_lib_kind kind, bool upper, gpa_arr *a, gpa_arr **out,
                         gpa_err *e) {
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(kind, a);
    gpa_device *d;
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    TRY(arr_find_device(rt, a, &d, e));
    const bool fortran = kind == LIB_CHOLESKY && upper && !d->caps.host_visible;
    c.matrix.upper = upper && !fortran;
    TRY(library_copy(rt, a, c.dtype, fortran, &x[0], e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    if (fortran)
        rc = take_transposed(rt, x, 0, out, e);
    else
        *out = take_operand(x, 0);
out:
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

static gpa_code factor_qr(gpa_rt *rt, gpa_arr *a, int64_t k, bool vectors, gpa_arr **out,
                          gpa_err *e) {
    enum { R, TAU, Q, QR_OPERANDS };
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_QR, a);
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    c.matrix.k = k;
    TRY(library_copy(rt, a, c.dtype, true, &x[R], e));
    TRY(library_matrix_results(rt, &c, a, vectors ? QR_OPERANDS : Q, x, e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    TRY(take_transposed(rt, x, R, &out[R], e));
    if (vectors) TRY(take_transposed(rt, x, Q, &out[Q], e));
    out[TAU] = take_operand(x, TAU);
out:
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

/* A wide or square matrix is in C order: LAPACK sees a^T = conj(V) S U^T, whose U is V^H and whose
 * V^H is U when read in C order. */
static gpa_code decompose(gpa_rt *rt, gpa_arr *a, arr_svd_form form, gpa_arr **out, gpa_err *e) {
    enum { A, S, U, VH, SVD_OPERANDS }; /* of the call */
    enum { OUT_S, OUT_U, OUT_VH };      /* results */
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_SVD, a);
    const int64_t m = MAX(c.matrix.m, c.matrix.n), n = MIN(c.matrix.m, c.matrix.n);
    const bool wide = c.matrix.m <= c.matrix.n, vectors = form != SVD_VALUES;
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    c.matrix.m = m;
    c.matrix.n = n;
    c.matrix.full = form == SVD_FULL;
    TRY(library_copy(rt, a, c.dtype, !wide, &x[A], e));
    TRY(library_matrix_results(rt, &c, a, vectors ? SVD_OPERANDS : U, x, e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    out[OUT_S] = take_operand(x, S);
    if (vectors && wide) {
        out[OUT_VH] = take_operand(x, U);
        out[OUT_U] = take_operand(x, VH);
    } else if (vectors) {
        TRY(take_transposed(rt, x, U, &out[OUT_U], e));
        TRY(take_transposed(rt, x, VH, &out[OUT_VH], e));
    }
out:
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

/* In C order a is its own conjugate in Fortran order: the other triangle is used, and the vectors
 * are conjugated. */
static gpa_code hermitian_eigenvalues(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **w, gpa_arr **v,
                                      gpa_err *e) {
    enum { EIGH_OPERANDS = 2 };
    gpa_arr *x[LIB_MATRICES] = {NULL}, *conjugate = NULL;
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_EIGH, a);
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    c.matrix.upper = !upper;
    c.matrix.vectors = v != NULL;
    TRY(library_copy(rt, a, c.dtype, false, &x[0], e));
    TRY(library_matrix_results(rt, &c, a, EIGH_OPERANDS, x, e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    if (v) {
        TRY(take_transposed(rt, x, 0, &conjugate, e));
        if (dtype_is_complex(c.dtype))
            TRY(arr_ufunc(rt, OP_CONJUGATE, &(gpa_opnd){.arr = conjugate}, NULL, v, e));
        else
            *v = arr_retain(conjugate);
    }
    *w = take_operand(x, 1);
out:
    arr_release(rt, conjugate);
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

static gpa_code eigenvalues(gpa_rt *rt, gpa_arr *a, gpa_arr **w, gpa_arr **v, gpa_err *e) {
    enum { A, VALUES, VECTORS, EIG_OPERANDS };
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_EIG, a);
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    TRY(library_copy(rt, a, c.dtype, true, &x[A], e));
    TRY(library_matrix_results(rt, &c, a, v ? EIG_OPERANDS : VECTORS, x, e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    if (v) TRY(take_transposed(rt, x, VECTORS, v, e));
    *w = take_operand(x, VALUES);
out:
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

static gpa_code least_squares(gpa_rt *rt, gpa_arr *a, gpa_arr *b, double rcond, gpa_arr **out,
                              gpa_err *e) {
    enum { A, B, S, RANK, LSTSQ_OPERANDS }; /* of the call */
    enum { OUT_X, OUT_S, OUT_RANK };        /* results */
    gpa_arr *x[LIB_MATRICES] = {NULL};
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_libcall c = call_of(LIB_LSTSQ, a);
    bool ignores_nan = false;
    gpa_code rc = GPA_OK;
    out[OUT_X] = out[OUT_S] = out[OUT_RANK] = NULL;
    c.matrix.k = b->shape[b->ndim - 1];
    c.matrix.rcond = rcond;
    TRY(library_copy(rt, a, c.dtype, true, &x[A], e));
    if (!library_can(x[A]->storage->buf->device, &c)) goto out;
    TRY(library_copy(rt, b, c.dtype, true, &x[B], e));
    TRY(library_matrix_results(rt, &c, a, LSTSQ_OPERANDS, x, e));
    TRY(run_call(rt, &c, x, &ignores_nan, e));
    TRY(take_transposed(rt, x, B, &out[OUT_X], e));
    out[OUT_S] = take_operand(x, S);
    out[OUT_RANK] = take_operand(x, RANK);
out:
    release_operands(rt, x);
    device_scope_leave(rt, at);
    return rc;
}

/* ---- the calls, recorded on tapes ---- */

/* Records a call whose rule needs the values of all results; on failure they are released. */
static gpa_code note_call(gpa_rt *rt, const char *rule, const tape_entry *n, gpa_err *e) {
    tape_entry full = *n;
    full.rule = rule;
    full.keep_out = ~0u;
    gpa_code rc = tape_note(rt, &full, e);
    for (int i = 0; i < n->n_out && rc; i++) arr_release(rt, n->out[i]);
    return rc;
}

gpa_code arr_lu(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_arr **pivots, gpa_err *e) {
    const bool on = tape_enter(rt);
    gpa_code rc = factor_lu(rt, a, out, pivots, e);
    tape_leave(rt, on);
    if (rc || !on) return rc;
    const gpa_opnd in = {.arr = a};
    gpa_arr *const results[] = {*out, *pivots};
    const tape_entry n = {.in = &in, .out = results, .n_in = 1, .n_out = 2, .keep_in = 1};
    return note_call(rt, "lu", &n, e);
}

gpa_code arr_solve(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_arr **out, gpa_err *e) {
    const bool on = tape_enter(rt);
    gpa_code rc = solve_dense(rt, a, b, out, e);
    tape_leave(rt, on);
    if (rc || !on) return rc;
    const gpa_opnd in[] = {{.arr = a}, {.arr = b}};
    return note_call(rt, "solve",
                     &(tape_entry){.in = in, .out = out, .n_in = 2, .n_out = 1, .keep_in = 1}, e);
}

/* A call that overwrites a copy of its matrix with the result, recorded. */
static gpa_code in_place_noted(gpa_rt *rt, gpa_lib_kind kind, bool upper, gpa_arr *a, gpa_arr **out,
                               gpa_err *e) {
    const bool on = tape_enter(rt);
    gpa_code rc = in_place(rt, kind, upper, a, out, e);
    tape_leave(rt, on);
    if (rc || !on) return rc;
    const gpa_opnd in = {.arr = a};
    const int64_t above = !upper;
    return note_call(
        rt, kind == LIB_INVERSE ? "inverse" : "cholesky",
        &(tape_entry){.in = &in, .out = out, .n_in = 1, .n_out = 1, .ints = &above, .n_ints = 1},
        e);
}

gpa_code arr_inverse(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    return in_place_noted(rt, LIB_INVERSE, false, a, out, e);
}

/* In C order a is its own conjugate in Fortran order, so the requested factor is the other
 * triangle's, transposed. */
gpa_code arr_cholesky(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **out, gpa_err *e) {
    return in_place_noted(rt, LIB_CHOLESKY, !upper, a, out, e);
}

gpa_code arr_qr(gpa_rt *rt, gpa_arr *a, int64_t k, bool vectors, gpa_arr **out, gpa_err *e) {
    gpa_code rc = tape_refuse(rt, "qr", &a, 1, e); /* numpy.linalg.qr has a rule of its own */
    return rc ? rc : factor_qr(rt, a, k, vectors, out, e);
}

gpa_code arr_svd(gpa_rt *rt, gpa_arr *a, arr_svd_form form, gpa_arr **out, gpa_err *e) {
    const bool on = tape_enter(rt);
    gpa_code rc = decompose(rt, a, form, out, e);
    tape_leave(rt, on);
    if (rc || !on) return rc;
    const gpa_opnd in = {.arr = a};
    const int n = form == SVD_VALUES ? 1 : 3;
    return note_call(
        rt, "svd",
        &(tape_entry){.in = &in, .out = out, .n_in = 1, .n_out = n, .keep_in = form == SVD_VALUES},
        e);
}

gpa_code arr_eigh(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **w, gpa_arr **v, gpa_err *e) {
    const bool on = tape_enter(rt);
    gpa_code rc = hermitian_eigenvalues(rt, a, upper, w, v, e);
    tape_leave(rt, on);
    if (rc || !on) return rc;
    const gpa_opnd in = {.arr = a};
    const int64_t above = upper;
    gpa_arr *const results[] = {*w, v ? *v : NULL};
    return note_call(rt, "eigh",
                     &(tape_entry){.in = &in,
                                   .out = results,
                                   .n_in = 1,
                                   .n_out = v ? 2 : 1,
                                   .keep_in = v == NULL,
                                   .ints = &above,
                                   .n_ints = 1},
                     e);
}

gpa_code arr_eig(gpa_rt *rt, gpa_arr *a, gpa_arr **w, gpa_arr **v, gpa_err *e) {
    gpa_code rc = tape_refuse(rt, "eig", &a, 1, e);
    return rc ? rc : eigenvalues(rt, a, w, v, e);
}

gpa_code arr_lstsq(gpa_rt *rt, gpa_arr *a, gpa_arr *b, double rcond, gpa_arr **out, gpa_err *e) {
    gpa_code rc = tape_refuse(rt, "lstsq", (gpa_arr *[]){a, b}, 2, e);
    return rc ? rc : least_squares(rt, a, b, rcond, out, e);
}
