/* Results in their operands' memory order (NumPy's order='K').
 *
 * NumPy's iterator sorts the axes by the operands' strides and allocates results in that order.
 * Here the operands are permuted so that their axes are sorted, the operation runs in C order, and
 * the result is permuted back; it is the only view of its storage. Operands in C order, or that
 * disagree, give results in C order.
 *
 * Reading order: the order, permuting, the operations. */
#include "runtime/array/memory_order.h"

#include "runtime/tables/op.h"
#include "runtime/runtime.h"
#include "runtime/graph/shape.h"

/* The absolute stride along axis d of the common shape; -1 where it does not count: an axis of one
 * element and, unless the operand is copied, a broadcast one. */
static int64_t stride_of(const gpa_arr *a, int ndim, int d, bool copied) {
    const int own = d - (ndim - a->ndim);
    if (own < 0 || a->shape[own] == 1) return -1;
    const int64_t stride = a->strides[own] < 0 ? -a->strides[own] : a->strides[own];
    return stride == 0 && !copied ? -1 : stride;
}

/* Compares two axes by the operands' strides: 1 if `outer` has the smaller stride in all operands
 * whose strides differ, 0 if not, -1 if none differ (NULL: a scalar). */
static int is_inner(const gpa_arr *const *in, int n, const axis_order *o, int outer, int inner) {
    int answer = -1;
    for (int i = 0; i < n; i++) {
        if (!in[i]) continue;
        int64_t a = stride_of(in[i], o->ndim, outer, o->copied),
                b = stride_of(in[i], o->ndim, inner, o->copied);
        if (a < 0 || b < 0) continue;
        if (b <= a)
            answer = 0;
        else if (answer < 0)
            answer = 1;
    }
    return answer;
}

/* A cheap test that most operands fail: some operand of several axes is not in C order. */
static bool may_permute(const gpa_arr *const *in, int n) {
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->ndim > 1 && !arr_is_contiguous(in[i])) return true;
    return false;
}

/* NumPy's insertion sort of the axes: from the innermost axis, as its iterator does, or from the
 * outermost, as for copies and `concatenate`. False: they are in C order. */
static bool find_order(const gpa_arr *const *in, int n, bool copied, axis_order *o) {
    int at[GPA_MAX_DIMS];
    bool permuted = false;
    if (!may_permute(in, n)) return false;
    o->ndim = 0;
    o->copied = copied;
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->ndim > o->ndim) o->ndim = in[i]->ndim;
    for (int k = 0; k < o->ndim; k++) {
        int axis = copied ? k : o->ndim - 1 - k, position = k;
        for (int j = k - 1; j >= 0; j--) {
            int answer = copied ? is_inner(in, n, o, at[j], axis) : is_inner(in, n, o, axis, at[j]);
            if (answer == 0) break;
            if (answer == 1) position = j;
        }
        for (int j = k; j > position; j--) at[j] = at[j - 1];
        at[position] = axis;
        permuted |= position != k;
    }
    for (int d = 0; d < o->ndim; d++) o->perm[d] = at[copied ? d : o->ndim - 1 - d];
    return permuted;
}

/* ---- permuting ---- */

/* The operand with its axes in that order; axes that it lacks have extent 1. */
static gpa_code permute(gpa_rt *rt, gpa_arr *a, const axis_order *o, gpa_arr **out, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    for (int d = 0; d < o->ndim; d++) {
        int own = o->perm[d] - (o->ndim - a->ndim);
        shape[d] = own < 0 ? 1 : a->shape[own];
        strides[d] = own < 0 ? 0 : a->strides[own];
    }
    return arr_view(rt, a, &(arr_layout){(gpa_dtype)a->dtype, o->ndim, shape, strides, 0}, out, e);
}

int memory_order_axis(const axis_order *o, int axis) {
    int at = 0;
    while (o->perm[at] != axis) at++;
    return at;
}

/* The result with its axes in their original order; it owns its data. `made` is consumed. */
static gpa_code permute_back_take(gpa_rt *rt, gpa_arr *made, const axis_order *o, gpa_arr **out,
                                  gpa_err *e) {
    int back[GPA_MAX_DIMS];
    for (int d = 0; d < o->ndim; d++) back[d] = memory_order_axis(o, d);
    gpa_code rc = arr_transpose(rt, made, back, out, e);
    arr_release(rt, made);
    if (!rc) arr_own(rt, *out);
    return rc;
}

/* ---- operations ---- */

gpa_code arr_ufunc_order_k(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts,
                           gpa_arr **out, gpa_err *e) {
    int n = op_info[op].arity;
    axis_order o;
    gpa_arr *arrays[3] = {0}, *made = NULL;
    gpa_opnd permuted[3] = {{0}};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < n; i++) arrays[i] = in[i].arr;
    if ((opts && (opts->into || opts->where)) ||
        !find_order((const gpa_arr *const *)arrays, n, false, &o))
        return arr_ufunc(rt, op, in, opts, out, e);
    gpa_err unfit = {0};
    for (int i = 0; i < n; i++) {
        permuted[i] = in[i];
        permuted[i].arr = NULL;
        if (in[i].arr) TRY(permute(rt, in[i].arr, &o, &permuted[i].arr, e));
    }
    if (arr_ufunc(rt, op, permuted, opts, &made,
                  &unfit)) { /* errors are about the operands in their original order */
        rc = arr_ufunc(rt, op, in, opts, out, e);
        goto out;
    }
    rc = permute_back_take(rt, made, &o, out, e);
out:
    for (int i = 0; i < n; i++) arr_release(rt, permuted[i].arr);
    return rc;
}

gpa_code arr_concat_order_k(gpa_rt *rt, const arr_concatenation *c, gpa_arr **out, gpa_err *e) {
    axis_order o;
    gpa_arr **permuted = NULL, *made = NULL;
    gpa_code rc = GPA_OK;
    bool fit = true;
    for (int i = 1; i < c->n; i++) fit &= c->in[i]->ndim == c->in[0]->ndim;
    if (!fit || !find_order((const gpa_arr *const *)c->in, c->n, true, &o))
        return arr_concat(rt, c, out, e);
    gpa_err unfit = {0};
    permuted = mem_zero((size_t)c->n * sizeof *permuted);
    if (!permuted) return gpa_no_memory(e);
    for (int i = 0; i < c->n; i++) TRY(permute(rt, c->in[i], &o, &permuted[i], e));
    const arr_concatenation sorted = {permuted, c->n, memory_order_axis(&o, c->axis), c->dtype,
                                      c->fuses};
    if (arr_concat(rt, &sorted, &made, &unfit)) { /* likewise */
        rc = arr_concat(rt, c, out, e);
        goto out;
    }
    rc = permute_back_take(rt, made, &o, out, e);
out:
    for (int i = 0; i < c->n; i++) arr_release(rt, permuted[i]);
    mem_free(permuted);
    return rc;
}

bool arr_order_like(const gpa_arr *a, int *perm) {
    axis_order o;
    if (!find_order(&a, 1, true, &o)) return false;
    for (int d = 0; d < o.ndim; d++) perm[d] = o.perm[d];
    return true;
}

bool arr_sort_axes(int ndim, const int64_t *shape, const int64_t *strides, int *perm) {
    const gpa_arr a = {
        .ndim = (uint8_t)ndim, .shape = (int64_t *)shape, .strides = (int64_t *)strides};
    const gpa_arr *const operand = &a;
    axis_order o;
    const bool permuted = find_order(&operand, 1, false, &o);
    for (int d = 0; d < ndim; d++) perm[d] = permuted ? o.perm[d] : d;
    return permuted;
}

gpa_code memory_order_enter(gpa_rt *rt, gpa_arr *a, bool copied, int *axis, axis_order *o,
                            gpa_err *e) {
    const gpa_arr *const operand = a;
    o->operand = NULL;
    if (!find_order(&operand, 1, copied, o)) {
        o->ndim = 0;
        o->operand = arr_retain(a);
        return GPA_OK;
    }
    *axis = memory_order_axis(o, *axis);
    return permute(rt, a, o, &o->operand, e);
}

gpa_code memory_order_leave_take(gpa_rt *rt, gpa_code rc, gpa_arr *made, axis_order *o,
                                 gpa_arr **out, gpa_err *e) {
    arr_release(rt, o->operand);
    o->operand = NULL;
    if (rc) return rc;
    if (o->ndim) return permute_back_take(rt, made, o, out, e);
    *out = made;
    return GPA_OK;
}

gpa_code arr_cast_order_k(gpa_rt *rt, gpa_arr *a, gpa_dtype dtype, bool copy, gpa_arr **out,
                          gpa_err *e) {
    axis_order o;
    gpa_arr *made = NULL;
    int none = 0;
    if (!copy && a->dtype == dtype) return arr_cast(rt, a, dtype, copy, out, e);
    gpa_code rc = memory_order_enter(rt, a, true, &none, &o, e);
    if (!rc) rc = arr_cast(rt, o.operand, dtype, copy, &made, e);
    return memory_order_leave_take(rt, rc, made, &o, out, e);
}

gpa_code arr_scan_order_k(gpa_rt *rt, const arr_axis_reduction *r, gpa_arr *a, gpa_arr **out,
                          gpa_err *e) {
    axis_order o;
    arr_axis_reduction permuted = *r;
    gpa_arr *made = NULL;
    gpa_code rc = memory_order_enter(rt, a, false, &permuted.axis, &o, e);
    if (!rc) rc = arr_scan(rt, &permuted, o.operand, &made, e);
    return memory_order_leave_take(rt, rc, made, &o, out, e);
}

/* ---- reductions ---- */

static gpa_code compute_statistic(gpa_rt *rt, const arr_statistic *s, gpa_arr *a,
                                  const arr_reduce_opts *o, gpa_arr **out, gpa_err *e) {
    switch (s->kind) {
        case STAT_REDUCTION: return arr_reduce(rt, s->red, a, o, out, e);
        case STAT_MEAN: return arr_mean(rt, a, o, out, e);
        case STAT_VARIANCE: break;
    }
    return arr_var(rt, a, s->ddof, o, out, e);
}

/* A reduction with its operands permuted, and the order of the result's axes. */
typedef struct {
    axis_order o, result;
    arr_reduce_opts opts;
    gpa_arr *a, *where;
} permuted_reduction;

/* The order of the axes that a reduction keeps. */
static axis_order order_of_kept(const axis_order *o, gpa_axes axes, bool keepdims) {
    axis_order kept = {.ndim = 0};
    int rank[GPA_MAX_DIMS], n = 0;
    for (int d = 0; d < o->ndim; d++) rank[d] = keepdims || !(axes >> d & 1) ? n++ : -1;
    for (int d = 0; d < o->ndim; d++)
        if (rank[o->perm[d]] >= 0) kept.perm[kept.ndim++] = rank[o->perm[d]];
    return kept;
}

/* True if the reduction's result has several axes whose order differs from C order. */
static bool find_reduction_order(const gpa_arr *a, const arr_reduce_opts *o, axis_order *order,
                                 axis_order *kept) {
    const gpa_arr *const operands[] = {a, o->where};
    bool permuted = false;
    if (o->into || (o->has_initial && o->initial.arr && o->initial.arr->ndim) ||
        (o->where && o->where->ndim > a->ndim) ||
        !find_order(operands, o->where ? 2 : 1, false, order))
        return false;
    *kept = order_of_kept(order, o->axes, o->keepdims);
    for (int d = 0; d < kept->ndim; d++) permuted |= kept->perm[d] != d;
    return permuted;
}

static gpa_code permute_reduction(gpa_rt *rt, gpa_arr *a, const arr_reduce_opts *o,
                                  permuted_reduction *p, gpa_err *e) {
    p->opts = *o;
    p->opts.axes = 0;
    for (int d = 0; d < a->ndim; d++)
        if (o->axes >> p->o.perm[d] & 1) p->opts.axes |= gpa_axis(d);
    gpa_code rc = permute(rt, a, &p->o, &p->a, e);
    if (!rc && o->where) rc = permute(rt, o->where, &p->o, &p->where, e);
    p->opts.where = p->where;
    return rc;
}

gpa_code arr_reduce_order_k(gpa_rt *rt, const arr_statistic *s, gpa_arr *a,
                            const arr_reduce_opts *o, gpa_arr **out, gpa_err *e) {
    permuted_reduction p = {.a = NULL};
    gpa_arr *made = NULL;
    gpa_code rc = GPA_OK;
    if (!find_reduction_order(a, o, &p.o, &p.result)) return compute_statistic(rt, s, a, o, out, e);
    gpa_err unfit = {0};
    TRY(permute_reduction(rt, a, o, &p, e));
    if (compute_statistic(rt, s, p.a, &p.opts, &made, &unfit)) /* likewise */
        rc = compute_statistic(rt, s, a, o, out, e);
    else
        rc = permute_back_take(rt, made, &p.result, out, e);
out:
    arr_release(rt, p.a);
    arr_release(rt, p.where);
    return rc;
}
