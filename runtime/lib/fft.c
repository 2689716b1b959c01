/* FFT of arrays.
 *
 * The device's library transforms strided operands where it can. Otherwise it gets a contiguous
 * copy with the transformed axes last; otherwise one axis after the other; otherwise the host
 * computes. Reading order: describing a call, strategies, arr_fft. */
#include "runtime/exec/explain.h"
#include "runtime/array/tape.h"
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"
#include "runtime/array/memory_order.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"
#include "runtime/libcalls.h"

/* One transform over n axes; `last` is the real length of the last one. */
typedef struct {
    gpa_fft_form form;
    bool inverse;
    int n;
    const int *axes;
    int64_t last;
    bool scaled; /* one library call, scaled, that preserves the operand (libcall.h) */
    double scale;
} transform;

static gpa_dtype complex_of(gpa_dtype t) { return t == DT_F32 || t == DT_C64 ? DT_C64 : DT_C128; }

static gpa_dtype result_type(const gpa_arr *a, gpa_fft_form form) {
    gpa_dtype t = complex_of((gpa_dtype)a->dtype);
    return form == FFT_C2R ? dtype_info[t].real : t;
}

static void result_shape(const gpa_arr *a, const transform *f, int64_t *shape) {
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    int last = f->axes[f->n - 1];
    if (f->form == FFT_R2C) shape[last] = f->last / 2 + 1;
    if (f->form == FFT_C2R) shape[last] = f->last;
}

/* ---- describing a call ---- */

/* Describes a call from a, of the given strides, to a result of this shape and strides; its memory
 * is not yet bound. False when it has more dimensions than a call can have. */
static bool describe_call(const transform *f, const gpa_arr *a, const int64_t *to_shape,
                          const int64_t *in, const int64_t *out, gpa_libcall *c) {
    const int64_t *real = f->form == FFT_C2R ? to_shape : a->shape;
    int64_t shape[GPA_MAX_DIMS], is[GPA_MAX_DIMS], os[GPA_MAX_DIMS];
    bool transformed[GPA_MAX_DIMS] = {false};
    int others = 0, rank = f->n;
    *c = (gpa_libcall){.kind = LIB_FFT,
                       .dtype = complex_of((gpa_dtype)a->dtype),
                       .fft = {.form = f->form,
                               .inverse = f->inverse,
                               .rank = rank,
                               .scaled = f->scaled,
                               .scale = f->scale}};
    if (rank > KIR_MAX_DIMS) return false;
    for (int i = 0; i < rank; i++) {
        int axis = f->axes[i];
        transformed[axis] = true;
        c->fft.n[i] = real[axis];
        c->fft.in.stride[i] = in[axis];
        c->fft.out.stride[i] = out[axis];
    }
    for (int d = 0; d < a->ndim; d++) {
        if (transformed[d]) continue;
        shape[others] = real[d];
        is[others] = in[d];
        os[others++] = out[d];
    }
    others = shape_collapse(others, shape, 2, (int64_t *[]){is, os});
    if (rank + others > KIR_MAX_DIMS) return false;
    for (int i = 0; i < others; i++) {
        c->fft.n[rank + i] = shape[i];
        c->fft.in.stride[rank + i] = is[i];
        c->fft.out.stride[rank + i] = os[i];
    }
    c->fft.ndim = rank + others;
    return true;
}

/* ---- strategies ---- */

/* Computes from a (computed) into `to` by the library of the device. False when it does not
 * support the call. */
static bool transform_on_device(gpa_rt *rt, const gpa_arr *a, const transform *f, const gpa_arr *to,
                                gpa_code *rc, gpa_err *e) {
    gpa_libcall c;
    gpa_device *d = a->storage->buf->device;
    if (to->storage->buf->device != d) return false;
    if (!describe_call(f, a, to->shape, a->strides, to->strides, &c)) return false;
    c.fft.in.mem = a->storage->buf->mem;
    c.fft.in.offset = a->offset;
    c.fft.out.mem = to->storage->buf->mem;
    c.fft.out.offset = to->offset;
    if (!library_can(d, &c)) return false;
    *rc = library_run(rt, d, &c, e);
    if (!*rc) explain_call(rt, library_names[LIB_FFT], d, to);
    return true;
}

static gpa_code transform_on_host(gpa_rt *rt, gpa_arr *a, const transform *f, gpa_arr **out,
                                  gpa_err *e) {
    enum { IN, OUT };
    gpa_libcall c;
    int64_t shape[GPA_MAX_DIMS], in_strides[GPA_MAX_DIMS], out_strides[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    result_shape(a, f, shape);
    shape_c_strides(a->ndim, a->shape, in_strides);
    shape_c_strides(a->ndim, shape, out_strides);
    if (!describe_call(f, a, shape, in_strides, out_strides, &c))
        return gpa_fail(e, GPA_E_INTERNAL, "a Fourier transform of too many dimensions");
    library_arrays arrays = {.x = {arr_retain(a)}, .ndim = a->ndim, .shape = shape};
    rc = library_call_on_host(rt, &c, &arrays, e);
    if (!rc) *out = library_take(&arrays, OUT);
    library_release(rt, &arrays);
    return rc;
}

static gpa_code run_transform(gpa_rt *rt, gpa_arr *a, const transform *f, gpa_arr **out,
                              gpa_err *e);

/* The last axis first, then the others. */
static gpa_code transform_axes(gpa_rt *rt, gpa_arr *a, const transform *f, gpa_arr **out,
                               gpa_err *e) {
    gpa_arr *half = NULL;
    transform last = *f, rest = *f;
    last.n = 1;
    last.axes += f->n - 1;
    rest.n--;
    rest.form = FFT_C2C;
    gpa_code rc = run_transform(rt, a, &last, &half, e);
    if (!rc) rc = run_transform(rt, half, &rest, out, e);
    arr_release(rt, half);
    return rc;
}

/* In a contiguous copy whose last axes are those transformed. *done false: the library does not
 * support that either. */
static gpa_code transform_copy(gpa_rt *rt, gpa_arr *a, const transform *f, bool *done,
                               gpa_arr **out, gpa_err *e) {
    int perm[GPA_MAX_DIMS], back[GPA_MAX_DIMS], axes[GPA_MAX_DIMS], at = 0;
    int64_t shape[GPA_MAX_DIMS];
    bool moved[GPA_MAX_DIMS] = {false};
    gpa_arr *permuted = NULL, *dense = NULL, *made = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < f->n; i++) moved[f->axes[i]] = true;
    for (int d = 0; d < a->ndim; d++)
        if (!moved[d]) perm[at++] = d;
    for (int i = 0; i < f->n; i++) {
        axes[i] = at;
        perm[at++] = f->axes[i];
    }
    for (int d = 0; d < a->ndim; d++) back[perm[d]] = d;
    transform g = *f;
    g.axes = axes;
    TRY(arr_transpose(rt, a, perm, &permuted, e));
    TRY(arr_copy(rt, permuted, &dense, e));
    TRY(arr_force(rt, dense, CUT_LIBRARY, e));
    result_shape(dense, &g, shape);
    TRY(arr_empty(rt, &(arr_spec){result_type(a, f->form), a->ndim, shape}, &made, e));
    *done = transform_on_device(rt, dense, &g, made, &rc, e);
    if (*done && !rc) rc = arr_transpose(rt, made, back, out, e);
out:
    arr_release(rt, permuted);
    arr_release(rt, dense);
    arr_release(rt, made);
    return rc;
}

static gpa_code run_transform(gpa_rt *rt, gpa_arr *a, const transform *f, gpa_arr **out,
                              gpa_err *e) {
    gpa_arr *made = NULL;
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    result_shape(a, f, shape);
    TRY(arr_empty(rt, &(arr_spec){result_type(a, f->form), a->ndim, shape}, &made, e));
    bool done = made->size == 0;
    if (!done) TRY(arr_force(rt, a, CUT_LIBRARY, e));
    if (!done) done = transform_on_device(rt, a, f, made, &rc, e);
    if (done && !rc) {
        *out = made;
        made = NULL;
    }
    if (done || rc) goto out;
    bool library = a->storage->buf->device->be->lib_can != NULL;
    if (library) TRY(transform_copy(rt, a, f, &done, out, e));
    if (done) goto out;
    if (f->n > 1 && (library || a->ndim > KIR_MAX_DIMS))
        TRY(transform_axes(rt, a, f, out, e));
    else
        TRY(transform_on_host(rt, a, f, out, e));
out:
    arr_release(rt, made);
    return rc;
}

/* ---- transforms ---- */

/* a times a scalar, lazy. */
static gpa_code scale_result(gpa_rt *rt, gpa_arr *a, double by, gpa_arr **out, gpa_err *e) {
    gpa_opnd in[2] = {{.arr = a}, {.weak = WEAK_FLOAT, .dtype = DT_F64, .v.F64 = by}};
    return arr_ufunc(rt, OP_MULTIPLY, in, NULL, out, e);
}

/* a times a scalar, computed without materializing a, which stays lazy for its other users. */
static gpa_code scaled_now(gpa_rt *rt, gpa_arr *a, double by, gpa_arr **out, gpa_err *e) {
    gpa_arr *made = NULL;
    gpa_code rc = scale_result(rt, a, by, &made, e);
    if (rc) return rc;
    gpa_storage *s = a->storage;
    node *value = s->node ? node_retain(s->node) : NULL;
    bool owner = value && value->owner == s;
    if (owner) value->owner = NULL;
    rc = arr_force(rt, made, CUT_LIBRARY, e);
    if (owner && s->node == value && !value->owner) value->owner = s;
    if (value) node_release(rt, value);
    if (rc)
        arr_release(rt, made);
    else
        *out = made;
    return rc;
}

/* A complex transform into the memory of `into`, which has the shape of a. */
static gpa_code transform_into(gpa_rt *rt, gpa_arr *a, const transform *f, gpa_arr *into,
                               gpa_err *e) {
    gpa_arr *made = NULL;
    gpa_code rc = GPA_OK;
    bool done = false;
    if (into->readonly) TRY(gpa_fail(e, GPA_E_VALUE, "output array is read-only"));
    if (a == into || !arr_shares_memory(a, into)) {
        TRY(arr_force(rt, a, CUT_LIBRARY, e));
        TRY(store_begin(rt, into, e));
        done = transform_on_device(rt, a, f, into, &rc, e);
    }
    if (done || rc) goto out;
    TRY(run_transform(rt, a, f, &made, e));
    rc = arr_set(rt, into, NULL, &(gpa_opnd){.arr = made}, e);
out:
    arr_release(rt, made);
    return rc;
}

/* A whole transform by one library call, in host-visible memory; *out NULL: not supported. */
static gpa_code transform_scaled(gpa_rt *rt, gpa_arr *a, const transform *f, double scale,
                                 gpa_arr **out, gpa_err *e) {
    transform g = *f;
    gpa_libcall c;
    gpa_device *d;
    gpa_arr *made = NULL;
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    *out = NULL;
    g.scaled = true;
    g.scale = scale;
    result_shape(a, &g, shape);
    shape_c_strides(a->ndim, shape, strides);
    TRY(arr_find_device(rt, a, &d, e));
    if (!a->size || !d->caps.host_visible) goto out;
    if (!describe_call(&g, a, shape, a->strides, strides, &c) || !library_can(d, &c)) goto out;
    TRY(arr_force(rt, a, CUT_LIBRARY, e));
    TRY(arr_empty(rt, &(arr_spec){result_type(a, g.form), a->ndim, shape}, &made, e));
    if (transform_on_device(rt, a, &g, made, &rc, e) && !rc) *out = arr_retain(made);
out:
    arr_release(rt, made);
    return rc;
}

/* The operand of a C2R transform: transforms its other axes, into memory that the C2R call may
 * overwrite. */
static gpa_code transform_other_axes(gpa_rt *rt, gpa_arr *a, transform *f, gpa_arr **out,
                                     gpa_err *e) {
    transform complex_axes = *f;
    if (f->n == 1) return library_copy(rt, a, (gpa_dtype)a->dtype, false, out, e);
    complex_axes.form = FFT_C2C;
    complex_axes.n--;
    f->axes += f->n - 1;
    f->n = 1;
    return run_transform(rt, a, &complex_axes, out, e);
}

/* Points of an axis: first, first + step, ... */
typedef struct {
    int axis;
    int64_t first, n, step;
} points;

static gpa_code view_points(gpa_rt *rt, gpa_arr *a, points p, gpa_arr **out, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS], offset = p.first * a->strides[p.axis];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    memcpy(strides, a->strides, (size_t)a->ndim * sizeof *strides);
    shape[p.axis] = p.n;
    strides[p.axis] *= p.step;
    return arr_view(rt, a, &(arr_layout){(gpa_dtype)a->dtype, a->ndim, shape, strides, offset}, out,
                    e);
}

/* The full transform of real input along one axis: R2C for half of the points, conjugate symmetry
 * for the others. *out NULL: not supported, or not worth it. */
static gpa_code transform_real(gpa_rt *rt, gpa_arr *a, const transform *f, gpa_arr **out,
                               gpa_err *e) {
    gpa_arr *made = NULL, *half = NULL, *reversed = NULL, *conjugate = NULL, *unsigned_zeros = NULL,
            *rest = NULL;
    int axis = f->axes[0];
    int64_t n = a->shape[axis], have = n / 2 + 1;
    transform forward = *f;
    forward.form = FFT_R2C;
    forward.last = n;
    gpa_code rc = GPA_OK;
    *out = NULL;
    if (n < 2 || !a->size) goto out;
    TRY(arr_force(rt, a, CUT_LIBRARY, e));
    if (!a->storage->buf->device->caps.host_visible)
        goto out; /* the second launch costs more than half a transform */
    TRY(arr_empty(rt, &(arr_spec){complex_of((gpa_dtype)a->dtype), a->ndim, a->shape}, &made, e));
    TRY(view_points(rt, made, (points){axis, 0, have, 1}, &half, e));
    if (!transform_on_device(rt, a, &forward, half, &rc, e) || rc) goto out;
    if (n > have) {
        TRY(view_points(rt, made, (points){axis, n - have, n - have, -1}, &reversed, e));
        TRY(view_points(rt, made, (points){axis, have, n - have, 1}, &rest, e));
        TRY(arr_ufunc(rt, OP_CONJUGATE, &(gpa_opnd){.arr = reversed}, NULL, &conjugate, e));
        /* a full transform gives 0, never -0 */
        gpa_opnd and_zero[2] = {{.arr = conjugate}, {.weak = WEAK_FLOAT, .dtype = DT_F64}};
        TRY(arr_ufunc(rt, OP_ADD, and_zero, NULL, &unsigned_zeros, e));
        TRY(arr_set(rt, rest, NULL, &(gpa_opnd){.arr = unsigned_zeros}, e));
    }
    *out = arr_retain(made);
out:
    arr_release(rt, made);
    arr_release(rt, half);
    arr_release(rt, reversed);
    arr_release(rt, conjugate);
    arr_release(rt, unsigned_zeros);
    arr_release(rt, rest);
    return rc;
}

/* A real operand of a complex transform: *out NULL when it must be cast to complex first. */
static gpa_code transform_real_operand(gpa_rt *rt, gpa_arr *a, const arr_fft_opts *o,
                                       const transform *f, gpa_arr **out, gpa_err *e) {
    gpa_arr *all = NULL;
    *out = NULL;
    if (o->into || f->inverse || f->n != 1) return GPA_OK;
    gpa_code rc = transform_real(rt, a, f, &all, e);
    if (!rc && all && o->scale != 1)
        rc = scale_result(rt, all, o->scale, out, e);
    else if (!rc && all)
        *out = arr_retain(all);
    arr_release(rt, all);
    return rc;
}

static gpa_code run_fft(gpa_rt *rt, gpa_arr *a, const arr_fft_opts *o, gpa_arr **out, gpa_err *e) {
    gpa_arr *before = NULL, *first = NULL, *result = NULL, *wide = NULL;
    transform f = {
        .form = o->form, .inverse = o->inverse, .n = o->n_axes, .axes = o->axes, .last = o->last};
    bool scale = o->scale != 1, copied = f.form == FFT_C2R && f.n == 1;
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_code rc = GPA_OK;
    *out = NULL;
    if (f.form == FFT_C2C && !dtype_is_complex((gpa_dtype)a->dtype)) {
        TRY(transform_real_operand(rt, a, o, &f, out, e));
        if (*out) goto out;
        TRY(arr_cast(rt, a, complex_of((gpa_dtype)a->dtype), false, &wide, e));
        a = wide;
    }
    if (!o->into && (copied || (scale && f.form != FFT_C2R))) {
        TRY(transform_scaled(rt, a, &f, o->scale, out, e));
        if (*out) goto out;
    }
    if (scale && a != o->into &&
        (copied || arr_is_pending(a))) { /* fuse the scale with the producer of the operand */
        if (copied)
            TRY(scale_result(rt, a, o->scale, &before, e));
        else
            TRY(scaled_now(rt, a, o->scale, &before, e));
        scale = false;
    } else {
        before = arr_retain(a);
    }
    if (f.form == FFT_C2R)
        TRY(transform_other_axes(rt, before, &f, &first, e));
    else
        first = arr_retain(before);
    if (o->into) {
        TRY(transform_into(rt, first, &f, o->into, e));
        *out = arr_retain(o->into);
    } else {
        if (scale) TRY(transform_scaled(rt, first, &f, o->scale, out, e));
        if (*out) goto out;
        TRY(run_transform(rt, first, &f, &result, e));
        if (scale)
            TRY(scale_result(rt, result, o->scale, out, e));
        else
            *out = arr_retain(result);
    }
out:
    device_scope_leave(rt, at);
    arr_release(rt, wide);
    arr_release(rt, before);
    arr_release(rt, first);
    arr_release(rt, result);
    return rc;
}

/* A new result has the memory order of `a`, as NumPy's. */
static gpa_code run_fft_order_k(gpa_rt *rt, gpa_arr *a, const arr_fft_opts *o, gpa_arr **out,
                                gpa_err *e) {
    axis_order order;
    arr_fft_opts permuted = *o;
    gpa_arr *made = NULL;
    if (o->into) return run_fft(rt, a, o, out, e);
    gpa_code rc = memory_order_enter(rt, a, true, &permuted.axes[0], &order, e);
    for (int i = 1; i < o->n_axes && order.ndim; i++)
        permuted.axes[i] = memory_order_axis(&order, o->axes[i]);
    if (!rc) rc = run_fft(rt, order.operand, &permuted, &made, e);
    return memory_order_leave_take(rt, rc, made, &order, out, e);
}

/* Records a transform: form, inverse, the length of the last axis, axes. On failure *out is
 * released. */
static gpa_code note_fft(gpa_rt *rt, gpa_arr *a, const arr_fft_opts *o, gpa_arr **out, gpa_err *e) {
    int64_t ints[3 + GPA_MAX_DIMS] = {o->form, o->inverse, o->last};
    for (int i = 0; i < o->n_axes; i++) ints[3 + i] = o->axes[i];
    const tape_entry options = {.ints = ints, .n_ints = 3 + o->n_axes, .scale = o->scale};
    gpa_code rc = tape_note_unary(rt, "fft", a, *out, &options, e);
    if (rc) arr_release(rt, *out);
    return rc;
}

gpa_code arr_fft(gpa_rt *rt, gpa_arr *a, const arr_fft_opts *o, gpa_arr **out, gpa_err *e) {
    arr_fft_opts fresh = *o;
    gpa_arr *made;
    const bool concerned =
        tape_is_on(rt) && (tape_is_active(rt, a) || (o->into && tape_is_active(rt, o->into)));
    if (!concerned) return run_fft_order_k(rt, a, o, out, e);
    const bool on = tape_enter(rt);
    fresh.into = NULL;
    gpa_code rc = run_fft_order_k(rt, a, &fresh, &made, e);
    tape_leave(rt, on);
    if (!rc) rc = note_fft(rt, a, o, &made, e);
    if (rc) return rc;
    *out = made;
    if (!o->into) return GPA_OK;
    rc = arr_set(rt, o->into, NULL, &(gpa_opnd){.arr = made}, e);
    if (!rc) *out = arr_retain(o->into);
    arr_release(rt, made);
    return rc;
}
