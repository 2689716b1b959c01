/* Indexed assignment: a[ix...] = value, and ufunc.at.
 *
 * Assignment to a view is one fused store. A mask with a value that does not depend on which
 * elements are true is one fused store with a predicate. Anything else is a scatter: on host-
 * visible devices by the host (scatter.c), in order, so that the last of several values for one
 * element stays, as in NumPy.
 *
 * Reading order: views, masks, scatters, ufunc.at. */
#include "runtime/exec/device.h"
#include "runtime/array/tape.h"
#include "runtime/exec/loop_log.h"
#include "runtime/array/host_view.h"
#include "runtime/array/index.h"
#include "runtime/array/scatter.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"
#include "runtime/exec/unused_gather.h"
#include "runtime/tables/tuning.h"

/* The value as a node: a scalar in the target's dtype, an array in its own. */
static gpa_code value_node(gpa_rt *rt, const gpa_opnd *o, gpa_dtype to, node **out, gpa_err *e) {
    if (o->arr) return arr_node(rt, o->arr, out, e);
    return node_scalar(rt, to, dtype_cast(o->v, o->dtype, to), out, e);
}

/* ---- views ---- */

static gpa_code no_fit_view(gpa_dtype to, int ndim, const int64_t *shape, const gpa_arr *v,
                            bool element, gpa_err *e) {
    char from[SHAPE_TEXT], into[SHAPE_TEXT];
    int skip = 0;
    while (v->ndim - skip > ndim && v->shape[skip] == 1) skip++;
    if (element && ndim == 0 && dtype_is_complex(to))
        return gpa_fail(e, GPA_E_TYPE, "only length-1 arrays can be converted to Python scalars");
    if (element && ndim == 0)
        return gpa_fail(e, GPA_E_VALUE, "setting an array element with a sequence.");
    return gpa_fail(e, GPA_E_VALUE, "could not broadcast input array from shape %s into shape %s",
                    shape_text(from, v->ndim - skip, v->shape + skip),
                    shape_text(into, ndim, shape));
}

/* Stores a few elements in host-visible memory from a scalar or a computed array directly, which
 * costs less than a launch. *done false: does not apply. */
static gpa_code set_few(gpa_rt *rt, gpa_arr *to, const gpa_opnd *o, bool *done, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS];
    char scalar[sizeof(gpa_val)];
    const char *from = scalar;
    gpa_buf *b = to->storage->buf, *v = o->arr ? o->arr->storage->buf : NULL;
    gpa_dtype t = (gpa_dtype)to->dtype;
    size_t item = dtype_size(t);
    *done = to->size <= TUNE_MAX_HOST_STORE_ELEMS && b && b->host && !b->readers &&
            shape_is_injective(to->ndim, to->shape, to->strides);
    if (o->arr)
        *done = *done && v && v->host && v->device == b->device && v != b && o->arr->dtype == t;
    gpa_code rc = *done ? exec_wait_launched(rt, b->device, e) : GPA_OK;
    if (!*done || rc) return rc;
    if (v) rc = host_access_elements(o->arr, GPA_HOST_READ, e);
    if (!rc) rc = host_access_elements(to, GPA_HOST_WRITE, e);
    if (rc) return rc;
    if (o->arr) {
        from = v->host + o->arr->offset * (int64_t)item;
        shape_broadcast_strides(o->arr->ndim, o->arr->shape, o->arr->strides, to->ndim, to->shape,
                                strides);
    } else {
        memset(strides, 0, to->ndim * sizeof *strides);
        dtype_store(scalar, t, dtype_cast(o->v, o->dtype, t));
    }
    loop_log_store(rt, &(log_store){to, o->arr, strides, dtype_cast(o->v, o->dtype, t)});
    b->version++;
    strided_copy(b->host + to->offset * (int64_t)item, to->strides, from, strides,
                 &(strided_elems){item, to->ndim, to->shape});
    return GPA_OK;
}

/* `element`: a 0-d target is one element, not a view by an ellipsis. */
static gpa_code set_view(gpa_rt *rt, gpa_arr *to, const gpa_opnd *rhs, bool element, gpa_err *e) {
    gpa_arr *broadcast = NULL;
    bool done;
    node *value = NULL;
    gpa_code rc = GPA_OK;
    gpa_opnd o = *rhs;
    if (o.arr && o.sequence && o.arr->ndim > to->ndim && !(element && to->ndim == 0))
        return gpa_fail(e, GPA_E_VALUE,
                        "setting an array element with a sequence. The requested array would "
                        "exceed the maximum number of dimension of %d.",
                        to->ndim);
    if (o.arr && o.arr->ndim > to->ndim) {
        int64_t strides[GPA_MAX_DIMS];
        if (broadcast_value(o.arr, to->ndim, to->shape, strides))
            TRY(arr_view(rt, o.arr,
                         &(arr_layout){(gpa_dtype)o.arr->dtype, to->ndim, to->shape, strides, 0},
                         &broadcast, e));
        o.arr = broadcast;
    }
    int64_t fit[GPA_MAX_DIMS];
    if (rhs->arr && (!o.arr || !shape_broadcast_strides(o.arr->ndim, o.arr->shape, o.arr->strides,
                                                        to->ndim, to->shape, fit)))
        TRY(no_fit_view((gpa_dtype)to->dtype, to->ndim, to->shape, rhs->arr, element, e));
    if (to->size == 0) goto out;
    if (rhs->last && o.arr == rhs->arr && !rt_loop_is_recorded(rt) && store_take(to, o.arr))
        goto out;
    TRY(set_few(rt, to, &o, &done, e));
    if (done) goto out;
    TRY(value_node(rt, &o, (gpa_dtype)to->dtype, &value, e));
    if (rhs->last && o.arr == rhs->arr) arr_drop_value(rt, o.arr);
    TRY(store_node(rt, to, value, NULL, e));
out:
    node_release(rt, value);
    arr_release(rt, broadcast);
    return rc;
}

/* ---- masks ---- */

/* The strides of the value over the view of a plan with one mask. False unless the value is the
 * same for every true element: its extent along the mask's dimension is 1 or missing. */
static bool broadcast_over_mask(const index_plan *p, const gpa_arr *to, const gpa_arr *v,
                                int64_t *strides) {
    int result[GPA_MAX_DIMS], dims = 0, ndim = 0, first = -1, last = -1, n_advanced = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].kind != AT_INT && p->at[i].kind != AT_MASK) continue;
        if (first < 0) first = i;
        last = i;
        n_advanced++;
    }
    bool front = last - first + 1 !=
                 n_advanced; /* an integer apart from the mask moves its dimension first */
    int mask_dim = front ? 0 : -1;
    if (front) dims++;
    for (int i = 0; i < p->n; i++) {
        if (i == first && !front) mask_dim = dims++;
        if (p->at[i].kind == AT_MASK) {
            for (int d = 0; d < p->at[i].arr->ndim; d++) result[ndim++] = -1;
        } else if (p->at[i].kind == AT_SLICE || p->at[i].kind == AT_NEWAXIS) {
            result[ndim++] = dims++;
        }
    }
    int skip = 0;
    while (v->ndim - skip > dims && v->shape[skip] == 1) skip++;
    int lead = dims - (v->ndim - skip);
    if (lead < 0 || (mask_dim >= lead && v->shape[skip + mask_dim - lead] != 1)) return false;
    for (int d = 0; d < ndim; d++) {
        int k = result[d] - lead;
        strides[d] = 0;
        if (result[d] < 0 || k < 0 || v->shape[skip + k] == 1) continue;
        if (v->shape[skip + k] != to->shape[d]) return false;
        strides[d] = v->strides[skip + k];
    }
    return true;
}

/* target = where(mask, value, target) as one predicated store. *done false: the value depends on
 * the element. */
static gpa_code set_mask(gpa_rt *rt, gpa_arr *a, const index_plan *p, const gpa_opnd *rhs,
                         bool *done, gpa_err *e) {
    gpa_arr *to = NULL, *mask = NULL, *broadcast = NULL;
    node *value = NULL, *when = NULL;
    int64_t strides[GPA_MAX_DIMS];
    gpa_opnd o = *rhs;
    gpa_code rc = GPA_OK;
    *done = false;
    TRY(index_view(rt, a, p, &to, e));
    if (o.arr) {
        if (!broadcast_over_mask(p, to, o.arr, strides)) goto out;
        if (to->size)
            TRY(arr_view(rt, o.arr,
                         &(arr_layout){(gpa_dtype)o.arr->dtype, to->ndim, to->shape, strides, 0},
                         &broadcast, e));
        o.arr = broadcast;
    }
    *done = true;
    if (to->size == 0) goto out;
    for (int i = 0, d = 0; i < p->n; i++) {
        const gpa_arr *m = p->at[i].arr;
        if (p->at[i].kind == AT_SLICE || p->at[i].kind == AT_NEWAXIS) strides[d++] = 0;
        for (int k = 0; m && k < m->ndim; k++) strides[d++] = m->strides[k];
        if (m) mask = p->at[i].arr;
    }
    TRY(arr_view(rt, mask, &(arr_layout){(gpa_dtype)mask->dtype, to->ndim, to->shape, strides, 0},
                 &mask, e));
    rc = arr_node(rt, mask, &when, e);
    arr_release(rt, mask);
    if (rc) goto out;
    TRY(value_node(rt, &o, (gpa_dtype)a->dtype, &value, e));
    TRY(store_node(rt, to, value, when, e));
out:
    node_release(rt, value);
    node_release(rt, when);
    arr_release(rt, broadcast);
    arr_release(rt, to);
    return rc;
}

/* True if the plan's mask has the extents of its axes; an empty mask may not. */
static bool has_mask_shape(const gpa_arr *a, const index_plan *p) {
    for (int i = 0; i < p->n; i++)
        if (p->at[i].kind == AT_MASK)
            return memcmp(p->at[i].arr->shape, a->shape + p->at[i].axis,
                          p->at[i].arr->ndim * sizeof(int64_t)) == 0;
    return false;
}

/* True if the mask selects short rows of an array: visiting the true rows one by one is faster
 * than a predicated store, which reads and writes all of them. */
static bool selects_rows(const gpa_arr *a, const index_plan *p) {
    const gpa_arr *mask = p->at[0].arr;
    if (!index_is_lone_mask(a, p) || mask->ndim >= a->ndim || arr_is_pending(a) ||
        !a->storage->buf->host || !arr_is_contiguous(a) || !a->size)
        return false;
    const int64_t item = (int64_t)dtype_size((gpa_dtype)a->dtype),
                  row = a->size / mask->size * item;
    return row >= TUNE_MASKED_ROW_MIN_BYTES && row <= TUNE_MASKED_ROW_MAX_BYTES &&
           a->size * item <= TUNE_MASKED_ROWS_MAX_BYTES;
}

/* True if the index is one mask of the array's shape: the value has one element per true
 * element. */
static bool is_whole_mask(const gpa_arr *a, const index_plan *p) {
    return p->n == 1 && p->masks == 1 && p->at[0].arr->ndim == a->ndim;
}

/* ---- scatters ---- */

static gpa_code no_fit(const index_map *m, const gpa_arr *v, bool list, bool ellipsis, gpa_err *e) {
    if (m->broadcast_ndim == 0)
        return no_fit_view((gpa_dtype)m->view->dtype, m->ndim, m->shape, v, !ellipsis,
                           e); /* 0-d index arrays are integers */
    char from[SHAPE_TEXT], into[SHAPE_TEXT];
    if (list)
        return gpa_fail(e, GPA_E_VALUE,
                        "NumPy boolean array indexing assignment cannot assign %lld input values "
                        "to the %lld output values "
                        "where the mask is true",
                        (long long)v->size, (long long)m->shape[0]);
    return gpa_fail(e, GPA_E_VALUE,
                    "shape mismatch: value array of shape %s could not be broadcast to indexing "
                    "result of shape %s",
                    shape_text(from, v->ndim, v->shape), shape_text(into, m->ndim, m->shape));
}

static gpa_code set_on_device(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, bool add,
                              gpa_err *e) {
    node *at[GPA_MAX_DIMS] = {0}, *raw = NULL, *typed = NULL, *value = NULL;
    gpa_arr *broadcast = NULL;
    int64_t strides[GPA_MAX_DIMS];
    gpa_opnd o = *rhs;
    gpa_dtype t = (gpa_dtype)m->view->dtype;
    gpa_code rc = GPA_OK;
    if (o.arr) {
        broadcast_value(o.arr, m->ndim, m->shape, strides);
        TRY(arr_view(rt, o.arr,
                     &(arr_layout){(gpa_dtype)o.arr->dtype, m->ndim, m->shape, strides, 0},
                     &broadcast, e));
        o.arr = broadcast;
    }
    TRY(value_node(rt, &o, t, &raw, e));
    TRY(node_cast(rt, raw, t, &typed, e));
    TRY(node_broadcast(rt, typed, m->ndim, m->shape, &value, e));
    TRY(index_nodes(rt, m, at, e));
    TRY(store_scatter(rt, m->view,
                      &(store_scatter_args){.index = at,
                                            .from = m->from,
                                            .ndim = m->ndim,
                                            .shape = m->shape,
                                            .value = value,
                                            .add = add,
                                            .in_bounds = m->in_bounds,
                                            .distinct = m->distinct},
                      e));
out:
    for (int k = 0; k < m->view->ndim; k++) node_release(rt, at[k]);
    node_release(rt, raw);
    node_release(rt, typed);
    node_release(rt, value);
    arr_release(rt, broadcast);
    return rc;
}

static gpa_code set_scatter(gpa_rt *rt, gpa_arr *a, index_plan *p, const gpa_opnd *rhs,
                            gpa_err *e) {
    index_map m; /* large, so not cleared */
    int64_t strides[GPA_MAX_DIMS];
    bool list = is_whole_mask(a, p);
    gpa_code rc = GPA_OK;
    m.view = NULL;
    TRY(index_coordinates(rt, a, p, &m, e));
    if (rhs->arr && !broadcast_value(rhs->arr, m.ndim, m.shape, strides))
        TRY(no_fit(&m, rhs->arr, list, p->ellipsis, e));
    if (shape_size(m.broadcast_ndim, m.shape + m.broadcast_at) == 0)
        goto out; /* no indices: no bounds to check either */
    TRY(arr_force(rt, a, CUT_STORE, e));
    /* By the host also empty targets, whose bounds a device program would not check, and those
     * whose elements share memory. */
    if (a->storage->buf->host || !a->size || !shape_is_injective(a->ndim, a->shape, a->strides)) {
        rc = scatter_set(rt, &m, rhs, e);
        if (rc == GPA_E_INDEX) unused_gather_dismiss(rt, rhs->arr);
    } else if (shape_size(m.ndim, m.shape))
        TRY(set_on_device(rt, &m, rhs, false, e));
out:
    index_map_drop(rt, &m);
    return rc;
}

static gpa_code set(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, const gpa_opnd *rhs,
                    gpa_arr **view, gpa_err *e) {
    static const gpa_index ellipsis = {.kind = IX_ELLIPSIS};
    index_plan p; /* large, so not cleared */
    gpa_arr *to = NULL;
    bool done = false;
    gpa_code rc = GPA_OK;
    p.n = 0;
    if (a->readonly) TRY(gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only"));
    TRY(index_resolve(rt, a, ix ? ix : &(gpa_indices){&ellipsis, 1}, &p, e));
    if (!rhs->arr) TRY(arr_check_number(rhs, (gpa_dtype)a->dtype, e));
    if (!p.masks && !p.index_arrays) {
        TRY(index_view(rt, a, &p, &to, e));
        if (rt->tape) TRY(tape_before_store(rt, to, e));
        TRY(set_view(rt, to, rhs, !p.ellipsis, e));
        *view = to;
        to = NULL;
        goto out;
    }
    if (rt->tape) TRY(tape_before_store(rt, a, e));
    if (is_whole_mask(a, &p) && rhs->arr && rhs->arr->ndim > 1)
        TRY(gpa_fail(e, GPA_E_TYPE,
                     "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                     "input has %d dimensions",
                     rhs->arr->ndim));
    if (p.masks == 1 && !p.index_arrays && has_mask_shape(a, &p) && !selects_rows(a, &p))
        TRY(set_mask(rt, a, &p, rhs, &done, e));
    if (!done && rhs->arr && index_is_lone_mask(a, &p)) {
        TRY(arr_force(rt, a, CUT_STORE, e));
        TRY(scatter_masked(rt, a, p.at[0].arr, rhs->arr, &done, e));
    }
    if (!done) TRY(set_scatter(rt, a, &p, rhs, e));
out:
    arr_release(rt, to);
    index_drop(rt, &p);
    return rc;
}

gpa_code arr_set(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, const gpa_opnd *rhs, gpa_err *e) {
    gpa_arr *view = NULL;
    gpa_code rc = ix ? tape_concrete_masks(rt, ix, e) : GPA_OK;
    if (!rc) rc = tape_before_assign(rt, a, ix, rhs, e);
    if (rc) return rc;
    const bool on = tape_enter(rt);
    rc = set(rt, a, ix, rhs, &view, e);
    tape_leave(rt, on);
    if (!rc && on)
        rc = view ? tape_note_index(rt, &(tape_indexing){"setitem", NULL, rhs}, a, view, e)
                  : tape_note_index(rt, &(tape_indexing){"setitem", ix, rhs}, a, a, e);
    arr_release(rt, view);
    return rc;
}

gpa_code arr_set_where(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr *v, gpa_err *e) {
    node *value = NULL, *when = NULL;
    gpa_code rc = arr_node(rt, mask, &when, e);
    if (!rc) rc = value_node(rt, &(gpa_opnd){.arr = v}, (gpa_dtype)a->dtype, &value, e);
    arr_release(rt, mask);
    arr_release(rt, v);
    if (!rc) rc = store_result(rt, a, value, when, e);
    node_release(rt, value);
    node_release(rt, when);
    return rc;
}

/* ---- ufunc.at ---- */

/* True if the device computes the scatter-add: integer sums do not depend on the order. Empty
 * targets are checked by the host. */
static bool adds_on_device(const gpa_arr *a, gpa_op op, gpa_dtype compute, gpa_dtype result) {
    return op == OP_ADD && dtype_is_int((gpa_dtype)a->dtype) && compute == a->dtype &&
           result == a->dtype && !a->storage->buf->host && a->size;
}

static gpa_code update_at(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_indices *ix,
                          const gpa_opnd *rhs, gpa_err *e) {
    index_plan p; /* large, so not cleared */
    index_map m;
    gpa_opnd in[2] = {{.arr = a}, {.arr = NULL}};
    gpa_dtype compute, result;
    int64_t strides[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    p.n = 0;
    m.view = NULL;
    if (op_info[op].arity != 2) rhs = NULL;
    if (a->readonly) TRY(gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only"));
    if (rhs) in[1] = *rhs;
    TRY(arr_ufunc_types(op, in, &compute, &result, e));
    TRY(index_resolve(rt, a, ix, &p, e));
    TRY(index_coordinates(rt, a, &p, &m, e));
    if (rhs && rhs->arr &&
        (rhs->arr->ndim > m.ndim || !broadcast_value(rhs->arr, m.ndim, m.shape, strides)))
        TRY(gpa_fail(e, GPA_E_VALUE, "array is not broadcastable to correct shape"));
    TRY(arr_force(rt, a, CUT_STORE, e));
    bool any = shape_size(m.broadcast_ndim, m.shape + m.broadcast_at) != 0;
    if (any && adds_on_device(a, op, compute, result))
        TRY(shape_size(m.ndim, m.shape) ? set_on_device(rt, &m, rhs, true, e) : GPA_OK);
    else if (any)
        TRY(scatter_update(rt, &m, &(ufunc_loop){op, compute, result}, rhs, e));
out:
    index_map_drop(rt, &m);
    index_drop(rt, &p);
    return rc;
}

gpa_code arr_update_at(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_indices *ix,
                       const gpa_opnd *rhs, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (op != OP_ADD) /* before anything is stored */
        rc = tape_refuse(rt, "ufunc.at of this operation", (gpa_arr *[]){a, rhs ? rhs->arr : NULL},
                         2, e);
    if (!rc) rc = tape_concrete_masks(rt, ix, e);
    if (!rc) rc = tape_before_assign(rt, a, ix, rhs, e);
    const bool on = tape_enter(rt);
    if (!rc && on) rc = tape_before_store(rt, a, e);
    if (!rc) rc = update_at(rt, op, a, ix, rhs, e);
    tape_leave(rt, on);
    return rc || !on || op != OP_ADD
               ? rc
               : tape_note_index(rt, &(tape_indexing){"add.at", ix, rhs}, a, a, e);
}
