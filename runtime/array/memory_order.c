/* Results that lie in memory as their operands do: NumPy's order='K'.
 *
 * The axes of the operands are put in the order in which they lie, the operation is done by rows
 * there, and the axes of the result are put back: it is the only view of what was computed. Where
 * the operands lie by rows, or do not agree, results do.
 *
 * Reading order: which order that is, turning, the operations. */
#include "runtime/array/array.h"
#include "runtime/tables/op.h"
#include "runtime/runtime.h"
#include "runtime/graph/shape.h"

typedef struct {
    int ndim, perm[GPA_MAX_DIMS]; /* the axes as they lie, the outermost first */
} axis_order;

/* The step along axis d of the common shape; 0 where the operand has one element there. */
static int64_t step(const gpa_arr *a, int ndim, int d) {
    int own = d - (ndim - a->ndim);
    if (own < 0 || a->shape[own] == 1) return 0;
    return a->strides[own] < 0 ? -a->strides[own] : a->strides[own];
}

/* Whether axis `outer` lies inside of `inner`: 1, and 0 where the operands (NULL: a number) say
 * otherwise or differ; -1 when none of them tells. */
static int lies_inside(gpa_arr *const *in, int n, int ndim, int outer, int inner) {
    int says = -1;
    for (int i = 0; i < n; i++) {
        if (!in[i]) continue;
        int64_t a = step(in[i], ndim, outer), b = step(in[i], ndim, inner);
        if (a == 0 || b == 0) continue;
        if (b <= a)
            says = 0;
        else if (says < 0)
            says = 1;
    }
    return says;
}

/* Whether some operand of several axes does not lie by rows: a cheap question with mostly one
 * answer. */
static bool may_turn(gpa_arr *const *in, int n) {
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->ndim > 1 && !arr_is_contiguous(in[i])) return true;
    return false;
}

/* NumPy's insertion sort of the axes: from the innermost on, or, where parts are joined, from the
 * outermost on. False: they lie by rows. */
static bool find_order(gpa_arr *const *in, int n, bool joined, axis_order *o) {
    int at[GPA_MAX_DIMS];
    bool turned = false;
    if (!may_turn(in, n)) return false;
    o->ndim = 0;
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->ndim > o->ndim) o->ndim = in[i]->ndim;
    for (int k = 0; k < o->ndim; k++) {
        int axis = joined ? k : o->ndim - 1 - k, place = k;
        for (int j = k - 1; j >= 0; j--) {
            int says = joined ? lies_inside(in, n, o->ndim, at[j], axis)
                              : lies_inside(in, n, o->ndim, axis, at[j]);
            if (says == 0) break;
            if (says == 1) place = j;
        }
        for (int j = k; j > place; j--) at[j] = at[j - 1];
        at[place] = axis;
        turned |= place != k;
    }
    for (int d = 0; d < o->ndim; d++) o->perm[d] = at[joined ? d : o->ndim - 1 - d];
    return turned;
}

/* ---- turning ---- */

/* The operand with its axes as they lie; axes that it lacks have one element. */
static gpa_code turn(gpa_rt *rt, gpa_arr *a, const axis_order *o, gpa_arr **out, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    for (int d = 0; d < o->ndim; d++) {
        int own = o->perm[d] - (o->ndim - a->ndim);
        shape[d] = own < 0 ? 1 : a->shape[own];
        strides[d] = own < 0 ? 0 : a->strides[own];
    }
    return arr_view(rt, a, o->ndim, shape, strides, 0, out, e);
}

/* Where an axis stands then. */
static int turned_axis(const axis_order *o, int axis) {
    int at = 0;
    while (o->perm[at] != axis) at++;
    return at;
}

/* The result with its axes where they belong; it owns its data. `made` is consumed. */
static gpa_code turn_back_take(gpa_rt *rt, gpa_arr *made, const axis_order *o, gpa_arr **out,
                               gpa_err *e) {
    int back[GPA_MAX_DIMS];
    for (int d = 0; d < o->ndim; d++) back[d] = turned_axis(o, d);
    gpa_code rc = arr_transpose(rt, made, back, out, e);
    arr_release(rt, made);
    if (!rc) arr_own(rt, *out);
    return rc;
}

/* ---- operations ---- */

gpa_code arr_ufunc_kept(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts,
                        gpa_arr **out, gpa_err *e) {
    int n = op_info[op].arity;
    axis_order o;
    gpa_arr *arrays[3] = {0}, *made = NULL;
    gpa_opnd turned[3] = {{0}};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < n; i++) arrays[i] = in[i].arr;
    if ((opts && (opts->into || opts->where)) || !find_order(arrays, n, false, &o))
        return arr_ufunc(rt, op, in, opts, out, e);
    gpa_err unfit = {0};
    for (int i = 0; i < n; i++) {
        turned[i] = in[i];
        turned[i].arr = NULL;
        if (in[i].arr) TRY(turn(rt, in[i].arr, &o, &turned[i].arr, e));
    }
    if (arr_ufunc(rt, op, turned, opts, &made,
                  &unfit)) { /* what is wrong is told of the operands as they are */
        rc = arr_ufunc(rt, op, in, opts, out, e);
        goto out;
    }
    rc = turn_back_take(rt, made, &o, out, e);
out:
    for (int i = 0; i < n; i++) arr_release(rt, turned[i].arr);
    return rc;
}

gpa_code arr_concat_kept(gpa_rt *rt, gpa_arr *const *in, int n, int axis, gpa_dtype dtype,
                         gpa_arr **out, gpa_err *e) {
    axis_order o;
    gpa_arr **turned = NULL, *made = NULL;
    gpa_code rc = GPA_OK;
    bool fit = true;
    for (int i = 1; i < n; i++) fit &= in[i]->ndim == in[0]->ndim;
    if (!fit || !find_order(in, n, true, &o)) return arr_concat(rt, in, n, axis, dtype, out, e);
    gpa_err unfit = {0};
    turned = mem_zero((size_t)n * sizeof *turned);
    if (!turned) return gpa_no_memory(e);
    for (int i = 0; i < n; i++) TRY(turn(rt, in[i], &o, &turned[i], e));
    if (arr_concat(rt, turned, n, turned_axis(&o, axis), dtype, &made, &unfit)) { /* likewise */
        rc = arr_concat(rt, in, n, axis, dtype, out, e);
        goto out;
    }
    rc = turn_back_take(rt, made, &o, out, e);
out:
    for (int i = 0; i < n; i++) arr_release(rt, turned[i]);
    mem_free(turned);
    return rc;
}

/* One operand with its axes as they lie, and where `axis` stands then. */
static gpa_code turn_one(gpa_rt *rt, gpa_arr *a, int *axis, axis_order *o, gpa_arr **out,
                         gpa_err *e) {
    if (!find_order(&a, 1, false, o)) {
        o->ndim = 0;
        *out = arr_retain(a);
        return GPA_OK;
    }
    *axis = turned_axis(o, *axis);
    return turn(rt, a, o, out, e);
}

/* What was made of it, if that went well, with the axes where they belong. Both are consumed. */
static gpa_code turn_one_back_take(gpa_rt *rt, gpa_code rc, gpa_arr *a, gpa_arr *made,
                                   const axis_order *o, gpa_arr **out, gpa_err *e) {
    arr_release(rt, a);
    if (rc) return rc;
    if (o->ndim) return turn_back_take(rt, made, o, out, e);
    *out = made;
    return GPA_OK;
}

gpa_code arr_cast_kept(gpa_rt *rt, gpa_arr *a, gpa_dtype dtype, bool copy, gpa_arr **out,
                       gpa_err *e) {
    axis_order o;
    gpa_arr *turned = NULL, *made = NULL;
    int none = 0;
    if (!copy && a->dtype == dtype) return arr_cast(rt, a, dtype, copy, out, e);
    gpa_code rc = turn_one(rt, a, &none, &o, &turned, e);
    if (!rc) rc = arr_cast(rt, turned, dtype, copy, &made, e);
    return turn_one_back_take(rt, rc, turned, made, &o, out, e);
}

gpa_code arr_sort_kept(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    axis_order o;
    gpa_arr *turned = NULL, *made = NULL;
    gpa_code rc = turn_one(rt, a, &axis, &o, &turned, e);
    if (!rc) rc = arr_sort(rt, turned, axis, &made, e);
    return turn_one_back_take(rt, rc, turned, made, &o, out, e);
}

gpa_code arr_argsort_turned(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    axis_order o;
    gpa_arr *turned = NULL, *made = NULL, *back = NULL;
    gpa_code rc = turn_one(rt, a, &axis, &o, &turned, e);
    if (!rc) rc = arr_argsort(rt, turned, axis, &made, e);
    rc = turn_one_back_take(rt, rc, turned, made, &o, &back, e);
    if (rc) return rc;
    if (arr_is_contiguous(back)) {
        *out = back;
        return GPA_OK;
    }
    rc = arr_copy(rt, back, out, e);
    arr_release(rt, back);
    return rc;
}

gpa_code arr_scan_kept(gpa_rt *rt, gpa_red red, gpa_arr *a, int axis, gpa_dtype dtype,
                       gpa_arr **out, gpa_err *e) {
    axis_order o;
    gpa_arr *turned = NULL, *made = NULL;
    gpa_code rc = turn_one(rt, a, &axis, &o, &turned, e);
    if (!rc) rc = arr_scan(rt, red, turned, axis, dtype, &made, e);
    return turn_one_back_take(rt, rc, turned, made, &o, out, e);
}
