/* Reductions and scans: nodes with NumPy's accumulator dtypes and NumPy's errors.
 *
 * Reading order: shared parts (where=, the result's shape), reductions, reduceat, means,
 * variances, scans. */
#include <math.h>

#include "runtime/exec/exec.h"
#include "runtime/array/tape.h"
#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/exec/library_call.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"
#include "runtime/host/segmented_reduce.h"
#include "runtime/array/store.h"
#include "runtime/tables/tuning.h"

/* ---- shared parts ---- */

static const arr_reduce_opts *opts_or_all(const arr_reduce_opts *o, arr_reduce_opts *all) {
    if (o) return o;
    *all = (arr_reduce_opts){.axes = UINT64_MAX, .dtype = DT_NONE};
    return all;
}

static gpa_axes axes_of(const gpa_arr *a, const arr_reduce_opts *o) {
    return o->axes & gpa_first_axes(a->ndim);
}

static int64_t reduced_size(const gpa_arr *a, gpa_axes axes) {
    int64_t n = 1;
    for (int d = 0; d < a->ndim; d++)
        if (axes >> d & 1) n *= a->shape[d];
    return n;
}

/* The error for a mask that does not broadcast to the array, in the words of NumPy's iterator. */
static gpa_code fail_mask(const gpa_arr *a, const gpa_arr *where, gpa_err *e) {
    char operand[SHAPE_TEXT], mask[SHAPE_TEXT];
    int64_t shape[GPA_MAX_DIMS];
    int ndim = a->ndim;
    if (where->ndim > ndim)
        return gpa_fail(e, GPA_E_VALUE,
                        "input operand has more dimensions than allowed by the axis remapping");
    memcpy(shape, a->shape, (size_t)ndim * sizeof *shape);
    shape_text(operand, a->ndim, a->shape);
    if (shape_broadcast(&ndim, shape, where->ndim, where->shape))
        return gpa_fail(e, GPA_E_VALUE,
                        "non-broadcastable operand with shape %s doesn't match the broadcast shape "
                        "%s",
                        operand, shape_text(mask, ndim, shape));
    return gpa_fail(e, GPA_E_VALUE,
                    "operands could not be broadcast together with remapped shapes "
                    "[original->remapped]: %s %s ",
                    operand, shape_text(mask, where->ndim, where->shape));
}

/* x where the mask is true, else v. *x is replaced. */
static gpa_code mask_node(gpa_rt *rt, const gpa_arr *a, gpa_arr *where, gpa_val v, node **x,
                          gpa_err *e) {
    gpa_opnd w = {.arr = where};
    node *in[3] = {NULL, *x, NULL}, *masked;
    gpa_code rc = GPA_OK;
    if (!where) return GPA_OK;
    int64_t strides[GPA_MAX_DIMS];
    if (!shape_broadcast_strides(where->ndim, where->shape, where->strides, a->ndim, a->shape,
                                 strides))
        return fail_mask(a, where, e);
    TRY(opnd_node(rt, &w, &(arr_spec){DT_BOOL, a->ndim, a->shape}, &in[0], e));
    TRY(node_scalar(rt, (gpa_dtype)(*x)->dtype, v, &in[2], e));
    TRY(node_op(rt, OP_WHERE, (gpa_dtype)(*x)->dtype, in, &masked, e));
    node_release(rt, *x);
    *x = masked;
out:
    node_release(rt, in[0]);
    node_release(rt, in[2]);
    return rc;
}

/* The operand cast to dtype t, of the array's shape. */
static gpa_code operand_node(gpa_rt *rt, gpa_arr *a, gpa_dtype t, node **out, gpa_err *e) {
    node *n = NULL, *cast = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_node(rt, a, &n, e));
    TRY(node_cast(rt, n, t, &cast, e));
    /* A scalar node has no shape. */
    TRY(node_broadcast(rt, cast, a->ndim, a->shape, out, e));
out:
    node_release(rt, n);
    node_release(rt, cast);
    return rc;
}

/* Replaces *n by an operation on it and b, if not NULL (b first when `flip`). */
static gpa_code apply_op(gpa_rt *rt, gpa_op op, node **n, node *b, bool flip, gpa_err *e) {
    node *made, *a = *n;
    gpa_code rc;
    if (!b)
        rc = node_op1(rt, op, a, &made, e);
    else
        rc = flip ? node_op2(rt, op, b, a, &made, e) : node_op2(rt, op, a, b, &made, e);
    if (rc) return rc;
    node_release(rt, a);
    *n = made;
    return GPA_OK;
}

static gpa_code apply_op_scalar(gpa_rt *rt, gpa_op op, node **n, double v, gpa_err *e) {
    node *scalar;
    gpa_dtype t = (gpa_dtype)(*n)->dtype;
    gpa_code rc = node_scalar(rt, t, dtype_cast((gpa_val){.F64 = v}, DT_F64, t), &scalar, e);
    if (rc) return rc;
    rc = apply_op(rt, op, n, scalar, false, e);
    node_release(rt, scalar);
    return rc;
}

static gpa_code apply_cast(gpa_rt *rt, gpa_dtype t, node **n, gpa_err *e) {
    node *made;
    gpa_code rc = node_cast(rt, *n, t, &made, e);
    if (rc) return rc;
    node_release(rt, *n);
    *n = made;
    return GPA_OK;
}

/* A reduction of `a` over axes (bits). */
typedef struct {
    gpa_arr *a;
    gpa_axes axes;
    const arr_reduce_opts *o;
} reduction;

/* The result as an array: reshaped for keepdims, or stored into out=. */
static gpa_code return_or_store(gpa_rt *rt, const reduction *of, const char *name, node *value,
                                gpa_arr **out, gpa_err *e) {
    const gpa_arr *a = of->a;
    const arr_reduce_opts *o = of->o;
    const gpa_axes axes = of->axes;
    static const int64_t start[GPA_MAX_DIMS];
    int64_t shape[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    int ndim = 0;
    node *result;
    for (int d = 0; d < a->ndim; d++) {
        bool reduced = axes >> d & 1;
        if (!reduced || o->keepdims) shape[ndim++] = reduced ? 1 : a->shape[d];
    }
    memset(step, 0, (size_t)(value->ndim * ndim) * sizeof *step);
    for (int d = 0, k = 0; d < a->ndim; d++)
        if (!(axes >> d & 1)) step[k * ndim + (o->keepdims ? d : k)] = 1, k++;
    gpa_code rc = node_view(rt, value, &(node_map){ndim, shape, start, step}, &result, e);
    if (rc) return rc;
    if (!o->into) {
        rc = arr_of_node(rt, result, out, e);
    } else if (o->into->ndim != ndim) {
        rc = gpa_fail(e, GPA_E_VALUE,
                      "output parameter for reduction operation %s has the wrong number of "
                      "dimensions: Found %d but "
                      "expected %d",
                      name, o->into->ndim, ndim);
    } else if (!shape_equal(ndim, shape, o->into->ndim, o->into->shape)) {
        rc = gpa_fail(e, GPA_E_VALUE,
                      "output parameter for reduction operation %s has a wrong shape", name);
    } else if (o->into->readonly) {
        rc = gpa_fail(e, GPA_E_VALUE, "output array is read-only");
    } else if (!(rc = store_node(rt, o->into, result, NULL, e))) {
        *out = arr_retain(o->into);
    }
    node_release(rt, result);
    return rc;
}

/* ---- reductions ---- */

static const char *ufunc_name(gpa_red red) {
    return red_info[red].op < OP_COUNT ? op_info[red_info[red].op].name : red_info[red].name;
}

/* The accumulator dtype: sums and products of integers use 64 bits. */
static gpa_dtype accumulator(gpa_red red, gpa_dtype t, gpa_dtype requested) {
    if (red == RED_ANY || red == RED_ALL) return DT_BOOL;
    if (requested != DT_NONE) return requested;
    if (red != RED_SUM && red != RED_PROD) return t;
    if (dtype_info[t].kind == 'U') return DT_U64;
    return t == DT_BOOL || dtype_is_int(t) ? DT_I64 : t;
}

static gpa_code check_reduce(gpa_red red, const gpa_arr *a, gpa_dtype t, gpa_axes axes,
                             const arr_reduce_opts *o, gpa_err *e) {
    int64_t n = reduced_size(a, axes);
    bool identity = red_info[red].has_identity && !o->no_identity,
         none = n == 0 && !o->has_initial && !identity;
    if (!red_info[red].text[op_kind_index(dtype_info[t].kind)])
        return gpa_fail(e, GPA_E_TYPE,
                        "ufunc '%s' not supported for the input types, and the inputs could not be "
                        "safely coerced to any "
                        "supported types according to the casting rule ''safe''",
                        ufunc_name(red));
    if (none && red_info[red].arg)
        return gpa_fail(e, GPA_E_VALUE, "attempt to get %s of an empty sequence",
                        red_info[red].name);
    if (o->where && !o->has_initial && !identity)
        return gpa_fail(e, GPA_E_VALUE,
                        "reduction operation '%s' does not have an identity, so to use a where "
                        "mask one has to specify "
                        "'initial'",
                        ufunc_name(red));
    if (none)
        return gpa_fail(e, GPA_E_VALUE,
                        "zero-size array to reduction operation %s which has no identity",
                        ufunc_name(red));
    return GPA_OK;
}

/* argmin and argmax of computed contiguous rows by a library; *out stays NULL if it does not
 * apply. */
static gpa_code argminmax_by_library(gpa_rt *rt, gpa_red red, const reduction *of, gpa_arr **out,
                                     gpa_err *e) {
    gpa_arr *a = of->a;
    const arr_reduce_opts *o = of->o;
    const gpa_axes axes = of->axes;
    const gpa_axes last = gpa_axis(a->ndim - 1);
    if (o->into || o->where || o->has_initial || arr_is_pending(a) || !a->size) return GPA_OK;
    bool columns = a->ndim == 2 && axes == 1 && a->strides[0] == 1 &&
                   a->strides[1] == a->shape[0]; /* contiguous columns */
    if (!columns && (!arr_is_contiguous(a) || (axes != last && axes != gpa_first_axes(a->ndim))))
        return GPA_OK;
    int64_t shape[GPA_MAX_DIMS];
    int ndim = 0;
    for (int d = 0; d < a->ndim; d++) {
        bool reduced = axes >> d & 1;
        if (!reduced || o->keepdims) shape[ndim++] = reduced ? 1 : a->shape[d];
    }
    gpa_device *d;
    gpa_code rc = device_default(rt, &d, e);
    gpa_libcall c = {.kind = LIB_ARGMINMAX,
                     .dtype = (gpa_dtype)a->dtype,
                     .argminmax = {.n = reduced_size(a, axes), .max = red == RED_ARGMAX}};
    c.argminmax.rows = a->size / c.argminmax.n;
    if (rc || d != a->storage->buf->device || !library_can(d, &c)) return rc;
    gpa_arr *made = NULL;
    TRY(arr_empty(rt, &(arr_spec){DT_I64, ndim, shape}, &made, e));
    TRY(arr_force(rt, made, CUT_LIBRARY, e));
    c.argminmax.in = (gpa_binding){.mem = a->storage->buf->mem, .offset = a->offset};
    c.argminmax.out = (gpa_binding){.mem = made->storage->buf->mem, .offset = made->offset};
    TRY(library_run(rt, d, &c, e));
    explain_call(rt, library_names[LIB_ARGMINMAX], d, made);
    *out = made;
    made = NULL;
out:
    arr_release(rt, made);
    return rc;
}

/* Sums start at the identity 0.0, so the sum of a single -0.0 is 0.0; but the graph folds a sum
 * of one element to the element. */
static gpa_code add_identity_zero(gpa_rt *rt, const gpa_arr *a, gpa_axes axes, node **sum,
                                  gpa_err *e) {
    char kind = dtype_info[(*sum)->dtype].kind;
    return reduced_size(a, axes) == 1 && (kind == 'F' || kind == 'C')
               ? apply_op_scalar(rt, OP_ADD, sum, 0, e)
               : GPA_OK;
}

/* Sums of real numbers with initial=-0.0: -0.0 if all elements are -0.0. */
static gpa_code keep_minus_zero(gpa_rt *rt, node *x, gpa_axes axes, node **sum, gpa_err *e) {
    node *zero = NULL, *zeros = NULL, *is_zero = NULL, *is_minus = NULL, *both = NULL, *all = NULL,
         *minus = NULL, *r = NULL;
    const gpa_dtype t = (gpa_dtype)x->dtype;
    gpa_code rc = GPA_OK;
    TRY(node_scalar(rt, t, dtype_cast((gpa_val){.F64 = 0}, DT_F64, t), &zero, e));
    TRY(node_broadcast(rt, zero, x->ndim, x->shape, &zeros, e));
    TRY(node_op2(rt, OP_EQUAL, x, zeros, &is_zero, e));
    TRY(node_op1(rt, OP_SIGNBIT, x, &is_minus, e));
    TRY(node_op2(rt, OP_LOGICAL_AND, is_zero, is_minus, &both, e));
    TRY(node_reduce(rt, RED_ALL, both, axes, &all, e));
    gpa_opnd scalar = {.v = dtype_cast((gpa_val){.F64 = -0.0}, DT_F64, t), .dtype = t};
    TRY(opnd_node(rt, &scalar, &(arr_spec){t, (*sum)->ndim, (*sum)->shape}, &minus, e));
    TRY(node_op(rt, OP_WHERE, t, (node *const[]){all, minus, *sum}, &r, e));
    node_release(rt, *sum);
    *sum = r;
out:
    node_release(rt, zero);
    node_release(rt, zeros);
    node_release(rt, is_zero);
    node_release(rt, is_minus);
    node_release(rt, both);
    node_release(rt, all);
    node_release(rt, minus);
    return rc;
}

static bool is_minus_zero(double x) { return x == 0 && signbit(x); }

/* The zeros of `initial`'s signs, 0.0 for other numbers. */
static gpa_val minus_zeros(const gpa_opnd *initial) {
    const gpa_c128 v = dtype_cast(initial->v, initial->dtype, DT_C128).C128;
    return (gpa_val){.C128 = {is_minus_zero(v.re) ? -0.0 : 0, is_minus_zero(v.im) ? -0.0 : 0}};
}

/* The same for both parts of complex numbers, or for real ones, where the part of `initial` is
 * -0.0. */
static gpa_code keep_minus_zeros(gpa_rt *rt, const gpa_opnd *initial, node *x, gpa_axes axes,
                                 node **sum, gpa_err *e) {
    const gpa_c128 start = dtype_cast(initial->v, initial->dtype, DT_C128).C128;
    node *x_part[2] = {NULL}, *part[2] = {NULL}, *r = NULL;
    gpa_code rc = GPA_OK;
    if (initial->arr || !(is_minus_zero(start.re) || is_minus_zero(start.im))) return GPA_OK;
    if (!dtype_is_complex((gpa_dtype)x->dtype))
        return dtype_is_float((gpa_dtype)x->dtype) && is_minus_zero(start.re)
                   ? keep_minus_zero(rt, x, axes, sum, e)
                   : GPA_OK;
    for (int i = 0; i < 2; i++) {
        TRY(node_op1(rt, i ? OP_IMAG : OP_REAL, x, &x_part[i], e));
        TRY(node_op1(rt, i ? OP_IMAG : OP_REAL, *sum, &part[i], e));
        if (is_minus_zero(i ? start.im : start.re))
            TRY(keep_minus_zero(rt, x_part[i], axes, &part[i], e));
    }
    TRY(node_op2(rt, OP_COMPLEX, part[0], part[1], &r, e));
    node_release(rt, *sum);
    *sum = r;
out:
    for (int i = 0; i < 2; i++) {
        node_release(rt, x_part[i]);
        node_release(rt, part[i]);
    }
    return rc;
}

/* The rule of a reduction: its name, unless an elementwise operation has that name. */
static const char *reduction_rule(gpa_red red) {
    return red == RED_FMIN ? "nanmin" : red == RED_FMAX ? "nanmax" : red_info[red].name;
}

/* Records a reduction that is computed, of the array, the mask and `initial`: axes, ddof, whether
 * there is a mask. On failure *out is released. */
static gpa_code note_reduction(gpa_rt *rt, const char *rule, const reduction *of, int64_t ddof,
                               gpa_arr **out, gpa_err *e) {
    enum { MASK_VALUE = 2, ALL_VALUES = 7 }; /* what rules need */
    const gpa_dtype t = (gpa_dtype)(*out)->dtype;
    if (!tape_is_on(rt)) return GPA_OK;
    const bool linear = !strcmp(rule, "sum") || !strcmp(rule, "mean");
    const int64_t ints[] = {(int64_t)of->axes, ddof, of->o->where != NULL};
    const gpa_opnd in[] = {{.arr = of->a}, {.arr = of->o->where}, of->o->initial};
    const tape_entry n = {.rule = rule,
                          .in = in,
                          .out = out,
                          .n_in = of->o->has_initial ? 3 : 2,
                          .n_out = 1,
                          .keep_in = linear ? MASK_VALUE : ALL_VALUES,
                          .keep_out = !linear,
                          .ints = ints,
                          .n_ints = 3,
                          .constant = !dtype_is_float(t) && !dtype_is_complex(t)};
    gpa_code rc = tape_note(rt, &n, e);
    if (rc) arr_release(rt, *out);
    return rc;
}

/* While operations are recorded: a reduction with out= is computed, then
 * stored. `made` is consumed. */
static gpa_code store_later(gpa_rt *rt, const reduction *of, gpa_arr *made, gpa_arr **out,
                            gpa_err *e) {
    gpa_code rc = arr_set(rt, of->o->into, NULL, &(gpa_opnd){.arr = made}, e);
    if (!rc) *out = arr_retain(of->o->into);
    arr_release(rt, made);
    return rc;
}

/* True if a reduction with out= concerns a tape; *fresh: its options without out=. */
static bool is_stored_later(const gpa_rt *rt, const gpa_arr *a, const arr_reduce_opts *o,
                            arr_reduce_opts *fresh) {
    if (!o->into || !tape_is_on(rt) || !(tape_is_active(rt, a) || tape_is_active(rt, o->into)))
        return false;
    *fresh = *o;
    fresh->into = NULL;
    return true;
}

gpa_code arr_reduce(gpa_rt *rt, gpa_red red, gpa_arr *a, const arr_reduce_opts *opts, gpa_arr **out,
                    gpa_err *e) {
    arr_reduce_opts all;
    const arr_reduce_opts *o = opts_or_all(opts, &all);
    gpa_axes axes = axes_of(a, o);
    gpa_dtype t = accumulator(red, (gpa_dtype)a->dtype, o->dtype);
    arr_reduce_opts fresh;
    gpa_arr *made;
    node *x = NULL, *r = NULL, *first = NULL;
    gpa_code rc = GPA_OK;
    TRY(check_reduce(red, a, t, axes, o, e));
    if (is_stored_later(rt, a, o, &fresh)) {
        rc = arr_reduce(rt, red, a, &fresh, &made, e);
        return rc ? rc : store_later(rt, &(reduction){a, axes, o}, made, out, e);
    }
    if (red_info[red].arg && a->ndim && a->ndim < 32 && o->dtype == DT_NONE) {
        *out = NULL;
        TRY(argminmax_by_library(rt, red, &(reduction){a, axes, o}, out, e));
        if (*out)
            return note_reduction(rt, reduction_rule(red), &(reduction){a, axes, o}, 0, out, e);
    }
    TRY(operand_node(rt, a, t, &x, e));
    gpa_val start = dtype_cast(red_start(red, t).v, dtype_info[t].compute, t);
    if (red == RED_SUM && o->has_initial && !o->initial.arr) /* -0.0 where no element counts */
        start = dtype_cast(minus_zeros(&o->initial), DT_C128, t);
    TRY(mask_node(rt, a, o->where, start, &x, e));
    TRY(node_reduce(rt, red, x, axes, &r, e));
    if (o->has_initial) {
        TRY(opnd_node(rt, &o->initial, &(arr_spec){t, r->ndim, r->shape}, &first, e));
        TRY(apply_op(rt, (gpa_op)red_info[red].op, &r, first, true, e));
        if (red == RED_SUM) TRY(keep_minus_zeros(rt, &o->initial, x, axes, &r, e));
    } else if (red == RED_SUM) {
        TRY(add_identity_zero(rt, a, axes, &r, e));
    }
    TRY(return_or_store(rt, &(reduction){a, axes, o}, ufunc_name(red), r, out, e));
    rc = note_reduction(rt, reduction_rule(red), &(reduction){a, axes, o}, 0, out, e);
out:
    node_release(rt, x);
    node_release(rt, r);
    node_release(rt, first);
    return rc;
}

/* Checks that segments start within a row of n elements; *equal_lengths: all have one length, and
 * are long. */
static gpa_code check_segments(gpa_red red, const int64_t *at, int64_t m, int64_t n,
                               bool *equal_lengths, gpa_err *e) {
    int64_t length = (m > 1 ? at[1] : n) - at[0];
    *equal_lengths =
        length >= TUNE_PARALLEL_SEGMENT_MIN_ELEMS && n >= TUNE_PARALLEL_SEGMENTED_MIN_ELEMS;
    for (int64_t k = 0; k < m; k++) {
        if (at[k] < 0 || at[k] >= n)
            return gpa_fail(e, GPA_E_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                            (long long)at[k], ufunc_name(red), (long long)n);
        *equal_lengths = *equal_lengths && (k + 1 < m ? at[k + 1] : n) - at[k] == length;
    }
    return GPA_OK;
}

gpa_code arr_reduceat(gpa_rt *rt, const arr_axis_reduction *r, gpa_arr *a, gpa_arr *at,
                      gpa_arr **out, gpa_err *e) {
    const gpa_red red = r->red;
    const int axis = r->axis;
    const gpa_dtype t = accumulator(red, (gpa_dtype)a->dtype, r->dtype),
                    computed = dtype_info[t].compute;
    const int64_t n = a->shape[axis], width = shape_size(a->ndim - axis - 1, a->shape + axis + 1),
                  rows = shape_size(axis, a->shape);
    host_view x = {"", NULL, NULL}, starts = {"", NULL, NULL};
    host_result made;
    gpa_arr *result = NULL;
    int64_t shape[GPA_MAX_DIMS];
    gpa_device *d;
    bool equal_lengths;
    gpa_code rc = tape_refuse(rt, "reduceat", &a, 1, e);
    if (!rc) rc = device_default(rt, &d, e);
    *out = NULL;
    if (rc || !d->caps.host_visible || !host_segmented_can(red, computed, width > 1) || !a->size ||
        !at->size)
        return rc;
    if ((a->storage->buf && a->storage->buf->device != d) ||
        (at->storage->buf && at->storage->buf->device != d))
        return GPA_OK;
    if (d->caps.units > 1 && at->size < TUNE_PARALLEL_MAX_SEGMENTS &&
        a->size > TUNE_PARALLEL_FEW_SEGMENTS_MIN_ELEMS)
        return GPA_OK;
    TRY(host_view_get_as(rt, at, DT_I64, &starts, e));
    const int64_t *begin = (const int64_t *)(const void *)starts.data;
    TRY(check_segments(red, begin, at->size, n, &equal_lengths, e));
    if (equal_lengths && d->caps.units > 1) goto out;
    TRY(host_view_get_as(rt, a, computed, &x, e));
    memcpy(shape, a->shape, a->ndim * sizeof *shape);
    shape[axis] = at->size;
    TRY(host_result_new(rt, computed, a->ndim, shape, &made, e));
    rc = host_segmented_reduce(&(host_segmented){.red = red,
                                                 .dtype = computed,
                                                 .x = x.data,
                                                 .rows = rows,
                                                 .n = n,
                                                 .width = width,
                                                 .start = begin,
                                                 .count = at->size,
                                                 .out = made.data},
                               e);
    if (rc) {
        host_result_discard(rt, &made);
        goto out;
    }
    TRY(host_result_finish(rt, &made, &result, e));
    explain_call(rt, ufunc_name(red), NULL, result);
    rc = arr_cast(rt, result, t, false, out, e);
out:
    arr_release(rt, result);
    host_view_release(rt, &x);
    host_view_release(rt, &starts);
    return rc;
}

/* ---- means ---- */

/* The number of elements reduced: a scalar, or with where= the sum of the mask, as a node of
 * dtype t and the result's shape. */
static gpa_code count_node(gpa_rt *rt, const reduction *of, gpa_dtype t, node **out, gpa_err *e) {
    gpa_arr *a = of->a;
    const arr_reduce_opts *o = of->o;
    const gpa_axes axes = of->axes;
    if (!o->where) {
        gpa_val n = {.F64 = (double)reduced_size(a, axes)};
        return node_scalar(rt, t, dtype_cast(n, DT_F64, t), out, e);
    }
    gpa_opnd w = {.arr = o->where};
    node *mask = NULL, *many = NULL, *sum = NULL;
    gpa_code rc = GPA_OK;
    TRY(opnd_node(rt, &w, &(arr_spec){DT_BOOL, a->ndim, a->shape}, &mask, e));
    TRY(apply_cast(rt, DT_F64, &mask, e));
    if (o->where->ndim) {
        TRY(node_reduce(rt, RED_SUM, mask, axes, &sum, e));
    } else { /* one mask value for all elements */
        TRY(node_scalar(rt, DT_F64, (gpa_val){.F64 = (double)reduced_size(a, axes)}, &many, e));
        TRY(node_op(rt, OP_MULTIPLY, DT_F64, (node *[]){mask, many}, &sum, e));
    }
    rc = node_cast(rt, sum, t, out, e);
out:
    node_release(rt, many);
    node_release(rt, mask);
    node_release(rt, sum);
    return rc;
}

/* The dtype of a mean or variance of t. */
static gpa_dtype mean_dtype(gpa_dtype t, gpa_dtype requested) {
    if (requested != DT_NONE) return requested;
    return t == DT_BOOL || dtype_is_int(t) ? DT_F64 : t;
}

gpa_code arr_mean(gpa_rt *rt, gpa_arr *a, const arr_reduce_opts *opts, gpa_arr **out, gpa_err *e) {
    arr_reduce_opts all;
    const arr_reduce_opts *o = opts_or_all(opts, &all);
    gpa_axes axes = axes_of(a, o);
    gpa_dtype result = mean_dtype((gpa_dtype)a->dtype, o->dtype), t = dtype_info[result].compute;
    arr_reduce_opts fresh;
    gpa_arr *made;
    node *x = NULL, *r = NULL, *n = NULL;
    gpa_code rc = GPA_OK;
    if (is_stored_later(rt, a, o, &fresh)) {
        rc = arr_mean(rt, a, &fresh, &made, e);
        return rc ? rc : store_later(rt, &(reduction){a, axes, o}, made, out, e);
    }
    TRY(operand_node(rt, a, t, &x, e));
    TRY(mask_node(rt, a, o->where, (gpa_val){.bits = {0, 0}}, &x, e));
    TRY(node_reduce(rt, RED_SUM, x, axes, &r, e));
    TRY(add_identity_zero(rt, a, axes, &r, e));
    if (dtype_is_int(t) || t == DT_BOOL)
        TRY(apply_cast(rt, DT_F64, &r, e)); /* dtype=int: an integer sum, then divided */
    /* NumPy divides by an int64, in double precision. A quotient of singles is the same, unless it
     * is complex or the count is not a single. */
    double count = o->where ? 0 : (double)reduced_size(a, axes);
    if (r->dtype == DT_C64) TRY(apply_cast(rt, DT_C128, &r, e));
    if (r->dtype == DT_F32 && (double)(float)count != count) TRY(apply_cast(rt, DT_F64, &r, e));
    TRY(count_node(rt, &(reduction){a, axes, o}, (gpa_dtype)r->dtype, &n, e));
    TRY(apply_op(rt, OP_DIVIDE, &r, n, false, e));
    TRY(apply_cast(rt, result, &r, e));
    TRY(return_or_store(rt, &(reduction){a, axes, o}, "add", r, out, e));
    rc = note_reduction(rt, "mean", &(reduction){a, axes, o}, 0, out, e);
out:
    node_release(rt, x);
    node_release(rt, r);
    node_release(rt, n);
    return rc;
}

/* ---- variances ---- */

/* The first element of each reduced row, broadcast over the array: shifting by it reduces
 * cancellation. */
static gpa_code first_element_of_rows(gpa_rt *rt, node *x, gpa_axes axes, node **out, gpa_err *e) {
    static const int64_t start[GPA_MAX_DIMS];
    int64_t step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    memset(step, 0, (size_t)(x->ndim * x->ndim) * sizeof *step);
    for (int d = 0; d < x->ndim; d++)
        if (!(axes >> d & 1)) step[d * x->ndim + d] = 1;
    return node_view(rt, x, &(node_map){x->ndim, x->shape, start, step}, out, e);
}

/* |x|^2 in float64. */
static gpa_code squared_magnitude(gpa_rt *rt, node *x, node **out, gpa_err *e) {
    node *re = NULL, *im = NULL;
    gpa_code rc = GPA_OK;
    if (!dtype_is_complex((gpa_dtype)x->dtype)) return node_op2(rt, OP_MULTIPLY, x, x, out, e);
    TRY(node_op1(rt, OP_REAL, x, &re, e));
    TRY(node_op1(rt, OP_IMAG, x, &im, e));
    TRY(apply_op(rt, OP_MULTIPLY, &re, re, false, e));
    TRY(apply_op(rt, OP_MULTIPLY, &im, im, false, e));
    rc = node_op2(rt, OP_ADD, re, im, out, e);
out:
    node_release(rt, re);
    node_release(rt, im);
    return rc;
}

/* One-pass shifted variance: with d = x - x[0] of each row, (sum |d|^2 - |sum d|^2 / n) / (n -
 * ddof), both sums in float64. The relative error is at most about n times that of float64. */
gpa_code arr_var(gpa_rt *rt, gpa_arr *a, double ddof, const arr_reduce_opts *opts, gpa_arr **out,
                 gpa_err *e) {
    arr_reduce_opts all;
    const arr_reduce_opts *o = opts_or_all(opts, &all);
    gpa_axes axes = axes_of(a, o);
    gpa_dtype t = (gpa_dtype)a->dtype, result = dtype_info[mean_dtype(t, o->dtype)].real;
    arr_reduce_opts fresh;
    gpa_arr *made;
    node *d = NULL, *first = NULL, *s1 = NULL, *s2 = NULL, *n = NULL;
    gpa_code rc = GPA_OK;
    if (is_stored_later(rt, a, o, &fresh)) {
        rc = arr_var(rt, a, ddof, &fresh, &made, e);
        return rc ? rc : store_later(rt, &(reduction){a, axes, o}, made, out, e);
    }
    TRY(operand_node(rt, a, dtype_is_complex(t) ? DT_C128 : DT_F64, &d, e));
    if (reduced_size(a, axes) && d->kind != NODE_SCALAR) {
        TRY(first_element_of_rows(rt, d, axes, &first, e));
        TRY(apply_op(rt, OP_SUBTRACT, &d, first, false, e));
    }
    TRY(mask_node(rt, a, o->where, (gpa_val){.bits = {0, 0}}, &d, e));
    TRY(squared_magnitude(rt, d, &s2, e));
    node *sum = NULL;
    TRY(node_reduce(rt, RED_SUM, s2, axes, &sum, e));
    node_release(rt, s2);
    s2 = sum;
    TRY(node_reduce(rt, RED_SUM, d, axes, &sum, e));
    rc = squared_magnitude(rt, sum, &s1, e);
    node_release(rt, sum);
    if (rc) goto out;
    TRY(count_node(rt, &(reduction){a, axes, o}, DT_F64, &n, e));
    TRY(apply_op(rt, OP_DIVIDE, &s1, n, false, e));
    TRY(apply_op(rt, OP_SUBTRACT, &s2, s1, false, e));
    TRY(apply_op_scalar(rt, OP_MAXIMUM, &s2, 0, e)); /* rounding may make it negative */
    if (n->kind == NODE_SCALAR) {
        TRY(apply_op_scalar(rt, OP_DIVIDE, &s2, MAX(n->v.F64 - ddof, 0), e));
    } else {
        TRY(apply_op_scalar(rt, OP_SUBTRACT, &n, ddof, e));
        TRY(apply_op_scalar(rt, OP_MAXIMUM, &n, 0, e));
        TRY(apply_op(rt, OP_DIVIDE, &s2, n, false, e));
    }
    TRY(apply_cast(rt, result, &s2, e));
    TRY(return_or_store(rt, &(reduction){a, axes, o}, "add", s2, out, e));
    rc = note_reduction(rt, "var", &(reduction){a, axes, o}, (int64_t)ddof, out, e);
out:
    node_release(rt, d);
    node_release(rt, first);
    node_release(rt, s1);
    node_release(rt, s2);
    node_release(rt, n);
    return rc;
}

/* ---- scans ---- */

/* n with its last dimension and dimension `axis` swapped. */
static gpa_code swap_last(gpa_rt *rt, node *n, int axis, node **out, gpa_err *e) {
    static const int64_t start[GPA_MAX_DIMS];
    int64_t shape[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    memset(step, 0, (size_t)(n->ndim * n->ndim) * sizeof *step);
    for (int d = 0; d < n->ndim; d++) {
        int from = d == axis ? n->ndim - 1 : d == n->ndim - 1 ? axis : d;
        shape[d] = n->shape[from];
        step[from * n->ndim + d] = 1;
    }
    return node_view(rt, n, &(node_map){n->ndim, shape, start, step}, out, e);
}

/* Records a scan; on failure *out is released. */
static gpa_code note_scan(gpa_rt *rt, gpa_red red, int axis, gpa_arr *a, gpa_arr **out,
                          gpa_err *e) {
    static const char *const rules[RED_COUNT] = {[RED_SUM] = "cumsum",
                                                 [RED_PROD] = "cumprod",
                                                 [RED_MIN] = "running_minimum",
                                                 [RED_MAX] = "running_maximum"};
    const int64_t along = axis;
    const gpa_dtype t = (gpa_dtype)(*out)->dtype;
    const tape_entry o = {.keep_in = red != RED_SUM,
                          .keep_out = red != RED_SUM,
                          .ints = &along,
                          .n_ints = 1,
                          .constant = !dtype_is_float(t) && !dtype_is_complex(t)};
    gpa_code rc = rules[red] ? tape_note_unary(rt, rules[red], a, *out, &o, e)
                             : tape_refuse(rt, red_info[red].name, &a, 1, e);
    if (rc) arr_release(rt, *out);
    return rc;
}

gpa_code arr_scan(gpa_rt *rt, const arr_axis_reduction *r, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    const gpa_red red = r->red;
    int axis = r->axis;
    gpa_dtype t = accumulator(red, (gpa_dtype)a->dtype, r->dtype);
    node *x = NULL, *last = NULL, *run = NULL, *back = NULL;
    gpa_code rc = GPA_OK;
    TRY(shape_axis(axis, a->ndim, &axis, e));
    if (!red_info[red].text[op_kind_index(dtype_info[t].kind)]) {
        arr_reduce_opts o = {.has_initial = true};
        TRY(check_reduce(red, a, t, 0, &o, e));
    }
    TRY(operand_node(rt, a, t, &x, e));
    TRY(swap_last(rt, x, axis, &last, e));
    TRY(node_scan(rt, red, last, &run, e));
    TRY(swap_last(rt, run, axis, &back, e));
    TRY(arr_of_node(rt, back, out, e));
    if (tape_is_on(rt)) rc = note_scan(rt, red, axis, a, out, e);
out:
    node_release(rt, x);
    node_release(rt, last);
    node_release(rt, run);
    node_release(rt, back);
    return rc;
}
