/* Basic and advanced indexing: resolving index expressions, and reads.
 *
 * Basic indexing (integers, slices, newaxis, ellipsis) is a view. Advanced indexing is a GATHER
 * node, which fuses with its users and checks bounds as it runs. A single mask is a stream
 * compaction (compaction.h); other masks become index arrays.
 *
 * Reading order: resolving, views, coordinates, nodes, reading. */
#include "runtime/array/index.h"

#include <stdlib.h>

#include "runtime/array/tape.h"
#include "runtime/exec/device.h"
#include "runtime/exec/exec.h"
#include "runtime/array/host_view.h"
#include "runtime/array/compaction.h"
#include "runtime/array/device_transfer.h"
#include "runtime/graph/shape.h"
#include "runtime/array/short_gather.h"
#include "runtime/array/store.h"
#include "runtime/tables/tuning.h"

static gpa_code fail_at_span(gpa_err *e, gpa_span span, gpa_code rc) {
    if (e) gpa_fail_at(e, span);
    return rc;
}

/* ---- resolving ---- */

static bool is_mask(const gpa_index *x) { return x->kind == IX_ARRAY && x->arr->dtype == DT_BOOL; }

/* How many axes an item consumes. */
static int axes_consumed(const gpa_index *x) {
    switch (x->kind) {
        case IX_INT:
        case IX_SLICE: return 1;
        case IX_NEWAXIS:
        case IX_ELLIPSIS: return 0;
        case IX_ARRAY: return is_mask(x) ? x->arr->ndim : 1;
    }
    return 0;
}

/* Counts the axes consumed, and checks what does not depend on extents. */
static gpa_code check_expression(const gpa_arr *a, const gpa_index *ix, int n, int *axes,
                                 gpa_err *e) {
    int ellipses = 0;
    *axes = 0;
    for (int i = 0; i < n; i++) {
        if (ix[i].kind == IX_ELLIPSIS && ellipses++)
            return fail_at_span(
                e, ix[i].span,
                gpa_fail(e, GPA_E_INDEX, "an index can only have a single ellipsis ('...')"));
        if (ix[i].kind == IX_ARRAY && !is_mask(&ix[i]) &&
            !dtype_is_int((gpa_dtype)ix[i].arr->dtype))
            return fail_at_span(
                e, ix[i].span,
                gpa_fail(e, GPA_E_INDEX,
                         "arrays used as indices must be of integer (or boolean) type"));
        *axes += axes_consumed(&ix[i]);
    }
    if (*axes > a->ndim)
        return gpa_fail(e, GPA_E_INDEX,
                        "too many indices for array: array is %d-dimensional, but %d were indexed",
                        a->ndim, *axes);
    if (n > INDEX_ENTRIES - GPA_MAX_DIMS - 1) return gpa_fail(e, GPA_E_INDEX, "too many indices");
    return GPA_OK;
}

/* Python's rules for a slice over an extent. */
static gpa_code resolve_slice(const gpa_index *x, int64_t extent, index_entry *at, gpa_err *e) {
    int64_t step = x->has_step ? x->step : 1;
    if (step == 0)
        return fail_at_span(e, x->span, gpa_fail(e, GPA_E_VALUE, "slice step cannot be zero"));
    if (step < -INT64_MAX) step = -INT64_MAX;
    int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? extent - 1 : extent;
    int64_t start = step < 0 ? highest : lowest, stop = step < 0 ? lowest : highest;
    if (x->has_start) {
        start = x->start < 0 ? x->start + extent : x->start;
        start = MIN(MAX(start, lowest), highest);
    }
    if (x->has_stop) {
        stop = x->stop < 0 ? x->stop + extent : x->stop;
        stop = MIN(MAX(stop, lowest), highest);
    }
    int64_t count = 0;
    if (step > 0 && start < stop) count = (stop - start - 1) / step + 1;
    if (step < 0 && stop < start) count = (start - stop - 1) / -step + 1;
    *at = (index_entry){
        .kind = AT_SLICE, .start = count ? start : 0, .step = count > 1 ? step : 1, .count = count};
    return GPA_OK;
}

static gpa_code resolve_int(const gpa_index *x, int axis, int64_t extent, index_entry *at,
                            gpa_err *e) {
    if (x->i < -extent || x->i >= extent)
        return fail_at_span(
            e, x->span,
            gpa_fail(e, GPA_E_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)x->i, axis, (long long)extent));
    *at = (index_entry){.kind = AT_INT, .start = x->i < 0 ? x->i + extent : x->i};
    return GPA_OK;
}

/* NumPy checks all masks before integers. A mask extent of 0 fits any axis: it has no true
 * element. */
static gpa_code check_masks(const gpa_arr *a, const gpa_index *ix, int n, int axes, gpa_err *e) {
    for (int i = 0, axis = 0; i < n;
         axis += ix[i].kind == IX_ELLIPSIS ? a->ndim - axes : axes_consumed(&ix[i]), i++)
        for (int d = 0; is_mask(&ix[i]) && d < ix[i].arr->ndim; d++) {
            int64_t extent = a->shape[axis + d], has = ix[i].arr->shape[d];
            if (has && has != extent)
                return fail_at_span(
                    e, ix[i].span,
                    gpa_fail(e, GPA_E_INDEX,
                             "boolean index did not match indexed array along axis %d; "
                             "size of axis is %lld but "
                             "size of corresponding boolean axis is %lld",
                             axis + d, (long long)extent, (long long)has));
        }
    return GPA_OK;
}

static void add_full(index_plan *p, const gpa_arr *a, int axis, int n) {
    for (int d = 0; d < n; d++)
        p->at[p->n++] = (index_entry){
            .kind = AT_SLICE, .axis = (int8_t)(axis + d), .step = 1, .count = a->shape[axis + d]};
}

gpa_code index_resolve(gpa_rt *rt, gpa_arr *a, const gpa_indices *indices, index_plan *p,
                       gpa_err *e) {
    const gpa_index *ix = indices->items;
    const int n = indices->n;
    (void)rt;
    p->n = p->masks = p->index_arrays = 0;
    p->ellipsis = false;
    int axes, axis = 0;
    gpa_code rc = check_expression(a, ix, n, &axes, e);
    if (!rc) rc = check_masks(a, ix, n, axes, e);
    for (int i = 0; i < n && !rc; i++) {
        index_entry at = {.kind = AT_NEWAXIS};
        switch (ix[i].kind) {
            case IX_INT: rc = resolve_int(&ix[i], axis, a->shape[axis], &at, e); break;
            case IX_SLICE: rc = resolve_slice(&ix[i], a->shape[axis], &at, e); break;
            case IX_NEWAXIS: break;
            case IX_ELLIPSIS:
                add_full(p, a, axis, a->ndim - axes);
                axis += a->ndim - axes;
                p->ellipsis = true;
                at.kind = AT_GAP;
                break;
            case IX_ARRAY:
                at.kind = is_mask(&ix[i]) ? AT_MASK : AT_INDICES;
                at.arr = arr_retain(ix[i].arr);
                at.in_bounds = ix[i].in_bounds;
                *(at.kind == AT_MASK ? &p->masks : &p->index_arrays) += 1;
                break;
        }
        if (rc) break;
        at.axis = (int8_t)axis;
        at.span = ix[i].span;
        p->at[p->n++] = at;
        axis += axes_consumed(&ix[i]);
    }
    if (!rc) add_full(p, a, axis, a->ndim - axis);
    return rc;
}

void index_drop(gpa_rt *rt, index_plan *p) {
    for (int i = 0; i < p->n; i++) arr_release(rt, p->at[i].arr);
    p->n = 0;
}

/* ---- views ---- */

static gpa_code too_many_dims(int ndim, gpa_err *e) {
    return gpa_fail(e, GPA_E_INDEX,
                    "number of dimensions must be within [0, %d], indexing result would have %d",
                    GPA_MAX_DIMS, ndim);
}

gpa_code index_view(gpa_rt *rt, gpa_arr *a, const index_plan *p, gpa_arr **out, gpa_err *e) {
    int64_t shape[INDEX_ENTRIES + GPA_MAX_DIMS], strides[INDEX_ENTRIES + GPA_MAX_DIMS], offset = 0;
    int ndim = 0;
    for (int i = 0; i < p->n; i++) {
        const index_entry *at = &p->at[i];
        switch ((index_kind)at->kind) {
            case AT_INT: offset += at->start * a->strides[at->axis]; break;
            case AT_SLICE:
                offset += at->start * a->strides[at->axis];
                shape[ndim] = at->count;
                strides[ndim++] = at->step * a->strides[at->axis];
                break;
            case AT_NEWAXIS:
                shape[ndim] = 1;
                strides[ndim++] = 0;
                break;
            case AT_MASK:
                for (int d = 0; d < at->arr->ndim; d++) {
                    shape[ndim] = a->shape[at->axis + d];
                    strides[ndim++] = a->strides[at->axis + d];
                }
                break;
            case AT_GAP:
            case AT_INDICES: break;
        }
    }
    if (ndim > GPA_MAX_DIMS) return too_many_dims(ndim, e);
    return arr_view(rt, a, &(arr_layout){(gpa_dtype)a->dtype, ndim, shape, strides, offset}, out,
                    e);
}

/* ---- coordinates ---- */

/* A 0-d mask: an index array of no axis with one element or none. */
static gpa_code zero_d_mask(gpa_rt *rt, index_entry *at, gpa_err *e) {
    gpa_val v;
    gpa_arr *none = NULL;
    gpa_code rc = arr_item(rt, at->arr, &v, e);
    if (rc) return rc;
    rc = arr_full(rt, &(arr_spec){DT_I64, 1, &(int64_t){v.BOOL ? 1 : 0}}, (gpa_val){.I64 = 0},
                  &none, e);
    if (rc) return rc;
    arr_release(rt, at->arr);
    at->arr = none;
    at->kind = AT_INDICES;
    at->axis = -1;
    return GPA_OK;
}

/* Replaces entry i, a mask, by an index array per dimension. */
static gpa_code expand_mask(gpa_rt *rt, index_plan *p, int i, gpa_err *e) {
    index_entry at = p->at[i];
    gpa_arr *where[GPA_MAX_DIMS];
    int nd = at.arr->ndim;
    p->masks--;
    p->index_arrays++;
    if (nd == 0) return zero_d_mask(rt, &p->at[i], e);
    gpa_code rc = arr_nonzero(rt, at.arr, where, e);
    if (rc) return rc;
    arr_release(rt, at.arr);
    memmove(&p->at[i + nd], &p->at[i + 1], (size_t)(p->n - i - 1) * sizeof p->at[0]);
    p->n += nd - 1;
    p->index_arrays += nd - 1;
    for (int d = 0; d < nd; d++)
        p->at[i + d] = (index_entry){.kind = AT_INDICES,
                                     .axis = (int8_t)(at.axis + d),
                                     .arr = where[d],
                                     .in_bounds = true,
                                     .span = at.span};
    return GPA_OK;
}

static gpa_code broadcast_indices(const index_plan *p, int *ndim, int64_t *shape, gpa_err *e) {
    int ndims[INDEX_ENTRIES], n = 0;
    const int64_t *shapes[INDEX_ENTRIES];
    bool fits = true;
    *ndim = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].kind != AT_INDICES || p->at[i].arr->ndim == 0)
            continue; /* 0-d: as an integer */
        ndims[n] = p->at[i].arr->ndim;
        shapes[n++] = p->at[i].arr->shape;
        fits = fits && shape_broadcast(ndim, shape, ndims[n - 1], shapes[n - 1]);
    }
    if (n >= GPA_MAX_DIMS)
        return gpa_fail(e, GPA_E_INDEX,
                        "when no subspace is given, the number of index arrays cannot be above %d, "
                        "but %d index arrays found",
                        GPA_MAX_DIMS - 1, n);
    if (fits) return GPA_OK;
    gpa_err text = {0};
    shape_mismatch(n, ndims, shapes, &text);
    const char *list = strstr(text.msg, "shapes ");
    return gpa_fail(e, GPA_E_INDEX,
                    "shape mismatch: indexing arrays could not be broadcast together with %s",
                    list);
}

/* True if integers and index arrays are adjacent; *first is the first such entry. */
static bool are_adjacent(const index_plan *p, int *first) {
    int last = -1, n = 0;
    *first = -1;
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].kind != AT_INT && p->at[i].kind != AT_INDICES) continue;
        if (*first < 0) *first = i;
        last = i;
        n++;
    }
    return last - *first + 1 == n;
}

/* Lays out the result's dimensions: the broadcast dimensions replace adjacent index arrays, else
 * they come first (NumPy's rule). */
static gpa_code layout_dims(const index_plan *p, index_map *m, int n, const int64_t *broad,
                            gpa_err *e) {
    int first, ndim = 0;
    bool here = are_adjacent(p, &first);
    m->broadcast_ndim = n;
    for (int i = here ? 0 : -1; i < p->n; i++) {
        const index_entry *at = i < 0 ? NULL : &p->at[i];
        if (i == (here ? first : -1)) {
            if (ndim + n > GPA_MAX_DIMS) return too_many_dims(ndim + n, e);
            m->broadcast_at = ndim;
            for (int d = 0; d < n; d++) m->shape[ndim++] = broad[d];
        }
        if (!at || (at->kind != AT_SLICE && at->kind != AT_NEWAXIS)) continue;
        if (ndim == GPA_MAX_DIMS) return too_many_dims(ndim + 1, e);
        if (at->kind == AT_SLICE) m->from[at->axis] = (int8_t)ndim;
        m->shape[ndim++] = at->kind == AT_SLICE ? at->count : 1;
    }
    m->ndim = ndim;
    return GPA_OK;
}

gpa_code index_coordinates(gpa_rt *rt, gpa_arr *a, index_plan *p, index_map *m, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS], shape[GPA_MAX_DIMS], broad[GPA_MAX_DIMS], offset = 0;
    int n;
    gpa_code rc = GPA_OK;
    memset(m->from, -1, a->ndim);
    memset(m->arr, 0, a->ndim * sizeof *m->arr);
    m->view = NULL;
    m->in_bounds = true;
    m->distinct = p->masks == 1 && !p->index_arrays;
    for (int i = 0; i < p->n; i++)
        if (p->at[i].kind == AT_MASK) TRY(expand_mask(rt, p, i, e));
    TRY(broadcast_indices(p, &n, broad, e));
    TRY(layout_dims(p, m, n, broad, e));
    for (int i = 0; i < p->n; i++) {
        const index_entry *at = &p->at[i];
        if (at->kind == AT_NEWAXIS || at->kind == AT_GAP || at->axis < 0) continue;
        bool slice = at->kind == AT_SLICE;
        shape[at->axis] = slice ? at->count : a->shape[at->axis];
        strides[at->axis] = slice ? at->step * a->strides[at->axis] : a->strides[at->axis];
        if (slice) offset += at->start * a->strides[at->axis];
        m->start[at->axis] = at->start;
        m->arr[at->axis] = at->arr;
        m->in_bounds = m->in_bounds && (at->kind != AT_INDICES || at->in_bounds);
    }
    TRY(arr_view(rt, a, &(arr_layout){(gpa_dtype)a->dtype, a->ndim, shape, strides, offset},
                 &m->view, e));
out:
    return rc;
}

void index_map_drop(gpa_rt *rt, index_map *m) {
    arr_release(rt, m->view);
    m->view = NULL;
}

/* ---- nodes ---- */

/* The coordinates in `arr` as an int64 node broadcast to the result: its dimensions are the last
 * of the broadcast ones. */
static gpa_code indices_node(gpa_rt *rt, const index_map *m, gpa_arr *arr, node **out, gpa_err *e) {
    static const int64_t start[GPA_MAX_DIMS];
    int64_t step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    node *raw = NULL, *typed = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_node(rt, arr, &raw, e));
    TRY(node_cast(rt, raw, DT_I64, &typed, e));
    if (typed->kind == NODE_SCALAR) {
        *out = node_retain(typed);
        goto out;
    }
    memset(step, 0, (size_t)(arr->ndim * m->ndim) * sizeof *step);
    for (int k = 0; k < arr->ndim; k++)
        if (arr->shape[k] != 1)
            step[k * m->ndim + m->broadcast_at + m->broadcast_ndim - arr->ndim + k] = 1;
    TRY(node_view(rt, typed, &(node_map){m->ndim, m->shape, start, step}, out, e));
out:
    node_release(rt, raw);
    node_release(rt, typed);
    return rc;
}

gpa_code index_nodes(gpa_rt *rt, const index_map *m, node **nodes, gpa_err *e) {
    memset(nodes, 0, m->view->ndim * sizeof *nodes);
    for (int k = 0; k < m->view->ndim; k++) {
        if (m->from[k] >= 0) continue;
        gpa_code rc = m->arr[k]
                          ? indices_node(rt, m, m->arr[k], &nodes[k], e)
                          : node_scalar(rt, DT_I64, (gpa_val){.I64 = m->start[k]}, &nodes[k], e);
        if (rc) return rc;
    }
    return GPA_OK;
}

/* ---- reading ---- */

/* A leaf for the elements of `a`: computes it first unless it is generated (iota). */
static gpa_code leaf_node(gpa_rt *rt, gpa_arr *a, node **out, gpa_err *e) {
    node *n = NULL;
    gpa_code rc = arr_node(rt, a, &n, e);
    if (!rc && n->kind != NODE_BUF && n->kind != NODE_IOTA) {
        node_release(rt, n);
        rc = arr_force(rt, a, CUT_SHAPE, e);
        if (!rc) rc = arr_node(rt, a, &n, e);
    }
    if (!rc) *out = n;
    return rc;
}

/* True if n int64 or int32 indices are all from `least` to extent - 1; false: not all, or another
 * dtype. */
static bool all_in_bounds(const void *data, gpa_dtype t, int64_t n, int64_t least, int64_t extent) {
    const int64_t *at64 = data;
    const int32_t *narrow = data;
    bool outside = false;
    if (t == DT_I64)
        for (int64_t i = 0; i < n; i++) outside |= at64[i] < least || at64[i] >= extent;
    else if (t == DT_I32)
        for (int64_t i = 0; i < n; i++) outside |= narrow[i] < least || narrow[i] >= extent;
    else
        return false;
    return !outside;
}

/* Bounds check of an index array on the host. Without negative indices programs need no check. */
static gpa_code check_bounds_now(gpa_rt *rt, const gpa_arr *a, index_entry *at, gpa_err *e) {
    host_view h;
    int64_t extent = a->shape[at->axis];
    gpa_code rc = host_view_get(rt, at->arr, &h, e);
    gpa_dtype t = (gpa_dtype)at->arr->dtype;
    bool positive = !rc && all_in_bounds(h.data, t, at->arr->size, 0, extent),
         fine = positive || (!rc && all_in_bounds(h.data, t, at->arr->size, -extent, extent));
    if (!fine) positive = true;
    for (int64_t i = 0; i < at->arr->size && !fine && !rc; i++) {
        int64_t k = dtype_cast(dtype_load(h.data + i * (int64_t)dtype_size(t), t), t, DT_I64).I64;
        positive = positive && k >= 0;
        if (k >= -extent && k < extent) continue;
        rc = gpa_fail(e, GPA_E_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                      (long long)k, at->axis, (long long)extent);
        fail_at_span(e, at->span, rc);
    }
    at->in_bounds = !rc && positive;
    host_view_release(rt, &h);
    return rc;
}

/* The same for small computed index arrays on a host-visible device, where immediate errors are
 * cheap, or with `must` for all; *all_checked: all are checked. */
static gpa_code check_all_bounds_now(gpa_rt *rt, const gpa_arr *a, index_plan *p, bool must,
                                     bool *all_checked, gpa_err *e) {
    gpa_code rc = GPA_OK;
    *all_checked = true;
    for (int i = 0; i < p->n && !rc; i++) {
        index_entry *at = &p->at[i];
        if (at->kind != AT_INDICES || at->axis < 0 || at->in_bounds) continue;
        bool now = must || a->shape[at->axis] == 0 ||
                   (at->arr->size <= TUNE_CHECK_NOW_MAX_ELEMS && !arr_is_pending(at->arr) &&
                    at->arr->storage->buf->device->caps.host_visible);
        if (now) rc = check_bounds_now(rt, a, at, e);
        *all_checked = *all_checked && now;
    }
    return rc;
}

/* True if index arrays select along the axis whose elements are adjacent in memory. */
static bool gathers_innermost(const index_map *m) {
    int inner = -1;
    for (int k = 0; k < m->view->ndim; k++)
        if (m->view->shape[k] > 1 &&
            (inner < 0 || llabs(m->view->strides[k]) <= llabs(m->view->strides[inner])))
            inner = k;
    return inner >= 0 && m->arr[inner];
}

/* The order of the result's dimensions in memory, as NumPy's: the broadcast ones first, then those
 * of slices in the array's order (K), new axes last. False: C order, also where NumPy's order would
 * read adjacent elements far apart (x[:, i] of an array in C order), which takes 3 to 7 times as
 * long. */
static bool order_dims(const index_map *m, int *perm) {
    int axes[GPA_MAX_DIMS], sorted[GPA_MAX_DIMS], of[GPA_MAX_DIMS], n = 0, count = 0;
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    bool permuted = false;
    if (m->broadcast_at && gathers_innermost(m)) return false;
    memset(of, -1, sizeof of);
    for (int k = 0; k < m->view->ndim; k++)
        if (m->from[k] >= 0) of[m->from[k]] = k;
    for (int d = 0; d < m->broadcast_ndim; d++) perm[n++] = m->broadcast_at + d;
    for (int d = 0; d < m->ndim; d++) {
        if (of[d] < 0) continue;
        shape[count] = m->shape[d];
        strides[count] = m->view->strides[of[d]];
        axes[count++] = d;
    }
    arr_sort_axes(count, shape, strides, sorted);
    for (int i = 0; i < count; i++) perm[n++] = axes[sorted[i]];
    for (int d = 0; d < m->ndim; d++)
        if (of[d] < 0 && (d < m->broadcast_at || d >= m->broadcast_at + m->broadcast_ndim))
            perm[n++] = d;
    for (int d = 0; d < m->ndim; d++) permuted |= perm[d] != d;
    return permuted;
}

/* Permutes the result's dimensions; back[d]: where dimension d went. */
static void permute_dims(index_map *m, const int *perm, int *back) {
    int64_t shape[GPA_MAX_DIMS];
    for (int d = 0; d < m->ndim; d++) {
        shape[d] = m->shape[perm[d]];
        back[perm[d]] = d;
    }
    memcpy(m->shape, shape, (size_t)m->ndim * sizeof *shape);
    for (int k = 0; k < m->view->ndim; k++)
        if (m->from[k] >= 0) m->from[k] = (int8_t)back[m->from[k]];
    m->broadcast_at = 0;
}

/* order_k: the result's dimensions in memory as order_dims says, else in C order. */
static gpa_code get_gather(gpa_rt *rt, gpa_arr *a, index_plan *p, bool order_k, gpa_arr **out,
                           gpa_err *e) {
    index_map m;
    bool all_checked = !p->index_arrays; /* indices from masks are in bounds */
    node *at[GPA_MAX_DIMS] = {0}, *leaf = NULL, *all = NULL;
    gpa_arr *made = NULL;
    int perm[GPA_MAX_DIMS], back[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    TRY(index_coordinates(rt, a, p, &m, e));
    const bool permuted = order_k && order_dims(&m, perm);
    if (permuted) permute_dims(&m, perm, back);
    const arr_spec result = {(gpa_dtype)a->dtype, m.ndim, m.shape};
    TRY(exec_check_capacity(rt, &result, e));
    const bool is_empty = shape_size(m.ndim, m.shape) == 0; /* no program would check the indices */
    if (shape_size(m.broadcast_ndim, m.shape + m.broadcast_at) && !all_checked)
        TRY(check_all_bounds_now(rt, a, p, is_empty, &all_checked, e));
    m.in_bounds = true;
    for (int i = 0; i < p->n; i++)
        m.in_bounds = m.in_bounds && (p->at[i].kind != AT_INDICES || p->at[i].in_bounds);
    TRY(leaf_node(rt, m.view, &leaf, e));
    TRY(index_nodes(rt, &m, at, e));
    TRY(node_gather(rt, leaf, &(gather_map){at, m.from, m.ndim, m.shape, m.in_bounds}, &all, e));
    if (all_checked) node_bounds_checked(rt, all);
    TRY(arr_of_node(rt, all, permuted ? &made : out, e));
    if (permuted) TRY(arr_transpose(rt, made, back, out, e));
    if (permuted) arr_own(rt, *out);
out:
    arr_release(rt, made);
    for (int k = 0; k < a->ndim; k++) node_release(rt, at[k]);
    node_release(rt, leaf);
    node_release(rt, all);
    index_map_drop(rt, &m);
    return rc;
}

bool index_is_lone_mask(const gpa_arr *a, const index_plan *p) {
    if (p->masks != 1 || p->index_arrays || p->ellipsis || p->at[0].kind != AT_MASK ||
        p->at[0].arr->ndim == 0)
        return false;
    for (int i = 1; i < p->n; i++)
        if (p->at[i].kind != AT_SLICE || p->at[i].count != a->shape[p->at[i].axis] ||
            p->at[i].step != 1)
            return false;
    return true;
}

/* True if an array is in host-visible memory; and on device d. A pending one will be on d. */
static bool is_host_visible(const gpa_arr *a, const gpa_device *d) {
    return a->storage->buf ? a->storage->buf->host != NULL : d->caps.host_visible;
}
static bool is_on_device(const gpa_arr *a, const gpa_device *d) {
    return a->storage->buf ? a->storage->buf->device == d : true;
}

/* True for a[..., list] that selects whole columns of a Fortran-ordered array. */
static bool selects_columns(const gpa_arr *a, const index_plan *p) {
    if (a->ndim < 2 || p->n != a->ndim + p->ellipsis || p->masks + p->index_arrays != 1 ||
        !arr_is_only_f_contiguous(a))
        return false;
    const index_entry *last = &p->at[p->n - 1];
    for (int i = 0; i < p->n - 1; i++)
        if (p->at[i].kind != AT_GAP &&
            (p->at[i].kind != AT_SLICE || p->at[i].count != a->shape[p->at[i].axis] ||
             p->at[i].step != 1))
            return false;
    return (last->kind == AT_MASK || last->kind == AT_INDICES) && last->arr->ndim == 1;
}

/* Selects them as rows of the transpose, so that the result is in Fortran order, as NumPy's.
 * *out stays NULL if bounds are checked later, since the error must name the original axis. */
static gpa_code select_columns(gpa_rt *rt, gpa_arr *a, index_plan *p, gpa_arr **out, gpa_err *e) {
    const index_entry *last = &p->at[p->n - 1];
    gpa_index row = {
        .kind = IX_ARRAY, .arr = last->arr, .in_bounds = last->in_bounds, .span = last->span};
    gpa_arr *transposed = NULL, *rows = NULL;
    bool all_checked;
    gpa_code rc = check_all_bounds_now(rt, a, p, false, &all_checked, e);
    if (rc || !all_checked) return rc;
    TRY(arr_transpose(rt, a, NULL, &transposed, e));
    TRY(arr_get(rt, transposed, &(gpa_indices){&row, 1}, NULL, &rows, e));
    TRY(arr_transpose(rt, rows, NULL, out, e));
out:
    arr_release(rt, transposed);
    arr_release(rt, rows);
    if (!rc) arr_own(rt, *out);
    return rc;
}

static gpa_code get(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, bool *one, gpa_arr **out,
                    gpa_err *e) {
    index_plan p;
    gpa_device *d;
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_code rc = GPA_OK;
    TRY(index_resolve(rt, a, ix, &p, e));
    *out = NULL;
    if (one) *one = false;
    if (one && selects_columns(a, &p)) TRY(select_columns(rt, a, &p, out, e));
    if (*out) goto out;
    if (!p.masks && !p.index_arrays)
        TRY(index_view(rt, a, &p, out, e));
    else if (short_gather_can(rt, a, &p)) {
        TRY(short_gather(rt, a, p.at[0].arr, out, e));
        if (!*out) TRY(check_bounds_now(rt, a, &p.at[0], e));
    } else if (index_is_lone_mask(a, &p)) {
        gpa_arr *mask = p.at[0].arr;
        TRY(device_default(rt, &d, e));
        bool packed = mask->ndim == a->ndim || arr_is_contiguous(a);
        if (packed && is_host_visible(a, d) && is_host_visible(mask, d))
            TRY(compact_on_host(rt, a, mask, out, e));
        else if (!d->caps.host_visible && mask->size && mask->ndim == a->ndim &&
                 is_on_device(a, d) && is_on_device(mask, d))
            TRY(compact_on_device(rt, a, mask, out, e));
        else
            TRY(get_gather(rt, a, &p, one != NULL, out, e));
    } else
        TRY(get_gather(rt, a, &p, one != NULL, out, e));
    if (one) *one = (*out)->ndim == 0 && !p.ellipsis;
out:
    device_scope_leave(rt, at);
    index_drop(rt, &p);
    return rc;
}

gpa_code arr_get(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, bool *one, gpa_arr **out,
                 gpa_err *e) {
    gpa_code rc = tape_concrete_masks(rt, ix, e);
    if (rc) return rc;
    const bool on = tape_enter(rt);
    rc = get(rt, a, ix, one, out, e);
    tape_leave(rt, on);
    if (rc || !on || (*out)->storage == a->storage) return rc;
    rc = tape_note_index(rt, &(tape_indexing){"getitem", ix, NULL}, a, *out, e);
    if (rc) arr_release(rt, *out);
    return rc;
}
