/* Results that lie in memory as their operands do: NumPy's order='K'.
 *
 * The axes of the operands are put in the order in which they lie, the operation is done by rows there, and the axes of the result
 * are put back: it is the only view of what was computed. Where the operands lie by rows, or do not agree, results do.
 *
 * Reading order: which order that is, turning, the operations. */
#include "runtime/array.h"
#include "runtime/op.h"
#include "runtime/runtime.h"
#include "runtime/shape.h"

typedef struct {
    int ndim, perm[GPA_MAX_DIMS]; /* the axes as they lie, the outermost first */
} axis_order;

/* The step along axis d of the common shape; 0 where the operand has one element there. */
static int64_t step(const gpa_arr *a, int ndim, int d) {
    int own = d - (ndim - a->ndim);
    if (own < 0 || a->shape[own] == 1) return 0;
    return a->strides[own] < 0 ? -a->strides[own] : a->strides[own];
}

/* Whether axis `outer` lies inside of `inner`: 1, and 0 where the operands say otherwise or differ; -1 when none of them tells. */
static int lies_inside(const gpa_opnd *in, int n, int ndim, int outer, int inner) {
    int says = -1;
    for (int i = 0; i < n; i++) {
        if (!in[i].arr) continue;
        int64_t a = step(in[i].arr, ndim, outer), b = step(in[i].arr, ndim, inner);
        if (a == 0 || b == 0) continue;
        if (b <= a) says = 0;
        else if (says < 0) says = 1;
    }
    return says;
}

/* NumPy's insertion sort of the axes, from the innermost on. False: they lie by rows. */
static bool find_order(const gpa_opnd *in, int n, axis_order *o) {
    int from_inside[GPA_MAX_DIMS];
    bool turned = false;
    o->ndim = 0;
    for (int i = 0; i < n; i++)
        if (in[i].arr && in[i].arr->ndim > o->ndim) o->ndim = in[i].arr->ndim;
    if (o->ndim < 2) return false;
    for (int k = 0; k < o->ndim; k++) {
        int axis = o->ndim - 1 - k, place = k;
        for (int j = k - 1; j >= 0; j--) {
            int says = lies_inside(in, n, o->ndim, axis, from_inside[j]);
            if (says == 0) break;
            if (says == 1) place = j;
        }
        for (int j = k; j > place; j--) from_inside[j] = from_inside[j - 1];
        from_inside[place] = axis;
        turned |= place != k;
    }
    for (int d = 0; d < o->ndim; d++) o->perm[d] = from_inside[o->ndim - 1 - d];
    return turned;
}

/* Whether some operand of several axes does not lie by rows: a cheap question with mostly one answer. */
static bool may_turn(const gpa_opnd *in, int n) {
    for (int i = 0; i < n; i++)
        if (in[i].arr && in[i].arr->ndim > 1 && !arr_is_contiguous(in[i].arr)) return true;
    return false;
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

/* The result with its axes where they belong; it owns its data. `made` is consumed. */
static gpa_code turn_back_take(gpa_rt *rt, gpa_arr *made, const axis_order *o, gpa_arr **out, gpa_err *e) {
    int back[GPA_MAX_DIMS];
    for (int d = 0; d < o->ndim; d++) back[o->perm[d]] = d;
    gpa_code rc = arr_transpose(rt, made, back, out, e);
    arr_release(rt, made);
    if (!rc) arr_own(rt, *out);
    return rc;
}

/* ---- operations ---- */

gpa_code arr_ufunc_kept(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts, gpa_arr **out, gpa_err *e) {
    int n = op_info[op].arity;
    axis_order o;
    gpa_opnd turned[3];
    gpa_arr *made = NULL;
    gpa_code rc = GPA_OK;
    if ((opts && (opts->into || opts->where)) || !may_turn(in, n) || !find_order(in, n, &o)) return arr_ufunc(rt, op, in, opts, out, e);
    gpa_err unfit = {0};
    for (int i = 0; i < n; i++) turned[i] = (gpa_opnd){.arr = NULL};
    for (int i = 0; i < n; i++) {
        turned[i] = in[i];
        turned[i].arr = NULL;
        if (in[i].arr) TRY(turn(rt, in[i].arr, &o, &turned[i].arr, e));
    }
    if (arr_ufunc(rt, op, turned, opts, &made, &unfit)) { /* what is wrong is told of the operands as they are */
        rc = arr_ufunc(rt, op, in, opts, out, e);
        goto out;
    }
    rc = turn_back_take(rt, made, &o, out, e);
out:
    for (int i = 0; i < n; i++) arr_release(rt, turned[i].arr);
    return rc;
}

gpa_code arr_cast_kept(gpa_rt *rt, gpa_arr *a, gpa_dtype dtype, bool copy, gpa_arr **out, gpa_err *e) {
    const gpa_opnd in = {.arr = a};
    axis_order o;
    gpa_arr *turned = NULL, *made = NULL;
    gpa_code rc = GPA_OK;
    if ((!copy && a->dtype == dtype) || !may_turn(&in, 1) || !find_order(&in, 1, &o)) return arr_cast(rt, a, dtype, copy, out, e);
    TRY(turn(rt, a, &o, &turned, e));
    TRY(arr_cast(rt, turned, dtype, copy, &made, e));
    rc = turn_back_take(rt, made, &o, out, e);
out:
    arr_release(rt, turned);
    return rc;
}
