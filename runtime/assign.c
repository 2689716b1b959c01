/* Assignment through an index.
 *
 * To a view it is one fused store. Through a mask, with a value that does not depend on which elements are true, it is one
 * fused store with a condition: no index is ever computed. Otherwise the places are computed; where the host sees the
 * memory it writes them itself, in order, so that of several values for one place the last one stays, as in NumPy.
 *
 * Reading order: numbers as values, views, masks, places, ufunc.at. */
#include <math.h>

#include "runtime/device.h"
#include "runtime/host.h"
#include "runtime/index.h"
#include "runtime/shape.h"
#include "runtime/store.h"

/* ---- numbers ---- */

static gpa_code number_too_big(gpa_err *e) {
    return gpa_fail(e, GPA_E_OVERFLOW, "Python int too large to convert to C long");
}

/* Python's numbers are converted as int(), float() and complex() would: what does not fit is refused. */
static gpa_code check_number(const gpa_opnd *o, gpa_dtype to, gpa_err *e) {
    bool whole = dtype_is_int(to);
    if (o->weak == WEAK_COMPLEX && whole)
        return gpa_fail(e, GPA_E_TYPE, "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
    if (o->weak == WEAK_COMPLEX && dtype_is_float(to))
        return gpa_fail(e, GPA_E_TYPE, "float() argument must be a string or a real number, not 'complex'");
    if (o->weak == WEAK_FLOAT && whole) {
        if (isnan(o->v.F64)) return gpa_fail(e, GPA_E_VALUE, "cannot convert float NaN to integer");
        if (isinf(o->v.F64)) return gpa_fail(e, GPA_E_OVERFLOW, "cannot convert float infinity to integer");
        if (fabs(o->v.F64) >= 0x1p64 || (to != DT_U64 && fabs(o->v.F64) >= 0x1p63)) return number_too_big(e);
    }
    if (o->weak == WEAK_INT && whole) {
        int64_t v = o->v.I64, back = dtype_cast(dtype_cast(o->v, DT_I64, to), to, DT_I64).I64;
        if (back != v || (v < 0 && dtype_info[to].kind == 'U'))
            return gpa_fail(e, GPA_E_OVERFLOW, "Python integer %lld out of bounds for %s", (long long)v, dtype_info[to].name);
    }
    return GPA_OK;
}

/* The value as a node: a number in the target's dtype, an array as it is. */
static gpa_code value_node(gpa_rt *rt, const gpa_opnd *o, gpa_dtype to, node **out, gpa_err *e) {
    if (o->arr) return arr_node(rt, o->arr, out, e);
    return node_scalar(rt, to, dtype_cast(o->v, o->dtype, to), out, e);
}

/* ---- views ---- */

/* The value seen over a shape: strides of 0 where it is broadcast, leading extents of 1 too many left out. False when it
 * does not fit. */
static bool spread_value(const gpa_arr *v, int ndim, const int64_t *shape, int64_t *strides) {
    int skip = 0;
    while (v->ndim - skip > ndim && v->shape[skip] == 1) skip++;
    return shape_spread(v->ndim - skip, v->shape + skip, v->strides + skip, ndim, shape, strides);
}

static gpa_code set_view(gpa_rt *rt, gpa_arr *to, const gpa_opnd *rhs, gpa_err *e) {
    gpa_arr *wide = NULL;
    node *value = NULL;
    gpa_code rc = GPA_OK;
    gpa_opnd o = *rhs;
    if (o.arr && o.arr->ndim > to->ndim) {
        int64_t strides[GPA_MAX_DIMS];
        if (spread_value(o.arr, to->ndim, to->shape, strides))
            TRY(arr_view(rt, o.arr, to->ndim, to->shape, strides, 0, &wide, e));
        o.arr = wide;
    }
    int64_t fit[GPA_MAX_DIMS];
    if (rhs->arr && (!o.arr || !shape_spread(o.arr->ndim, o.arr->shape, o.arr->strides, to->ndim, to->shape, fit))) {
        char from[SHAPE_TEXT], into[SHAPE_TEXT];
        TRY(gpa_fail(e, GPA_E_VALUE, "could not broadcast input array from shape %s into shape %s",
                     shape_text(from, rhs->arr->ndim, rhs->arr->shape), shape_text(into, to->ndim, to->shape)));
    }
    if (to->size == 0) goto out;
    TRY(value_node(rt, &o, (gpa_dtype)to->dtype, &value, e));
    TRY(store_node(rt, to, value, NULL, e));
out:
    node_release(rt, value);
    arr_release(rt, wide);
    return rc;
}

/* ---- masks ---- */

/* The strides of the value over the dimensions of the view that a plan with one mask makes. The value must be the same for
 * every true element: its extent at the mask's place is 1 or missing. False when it is not. */
static bool spread_over_mask(const index_plan *p, const gpa_arr *to, const gpa_arr *v, int64_t *strides) {
    int result[GPA_MAX_DIMS], dims = 0, ndim = 0, first = -1, last = -1, fancy = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].kind != AT_INT && p->at[i].kind != AT_MASK) continue;
        if (first < 0) first = i;
        last = i;
        fancy++;
    }
    bool front = last - first + 1 != fancy; /* integers elsewhere move the mask's dimension to the front */
    int places = front ? 0 : -1;
    if (front) dims++;
    for (int i = 0; i < p->n; i++) {
        if (i == first && !front) places = dims++;
        if (p->at[i].kind == AT_MASK) {
            for (int d = 0; d < p->at[i].arr->ndim; d++) result[ndim++] = -1;
        } else if (p->at[i].kind == AT_SLICE || p->at[i].kind == AT_NEWAXIS) {
            result[ndim++] = dims++;
        }
    }
    int skip = 0;
    while (v->ndim - skip > dims && v->shape[skip] == 1) skip++;
    int lead = dims - (v->ndim - skip);
    if (lead < 0 || (places >= lead && v->shape[skip + places - lead] != 1)) return false;
    for (int d = 0; d < ndim; d++) {
        int k = result[d] - lead;
        strides[d] = 0;
        if (result[d] < 0 || k < 0 || v->shape[skip + k] == 1) continue;
        if (v->shape[skip + k] != to->shape[d]) return false;
        strides[d] = v->strides[skip + k];
    }
    return true;
}

/* target = where(mask, value, target), as one store that writes only what is true. *done false: the value is of another kind. */
static gpa_code set_mask(gpa_rt *rt, gpa_arr *a, const index_plan *p, const gpa_opnd *rhs, bool *done, gpa_err *e) {
    gpa_arr *to = NULL, *mask = NULL, *wide = NULL;
    node *value = NULL, *when = NULL;
    int64_t strides[GPA_MAX_DIMS];
    gpa_opnd o = *rhs;
    gpa_code rc = GPA_OK;
    *done = false;
    TRY(index_view(rt, a, p, &to, e));
    if (o.arr) {
        if (!spread_over_mask(p, to, o.arr, strides)) goto out;
        if (to->size) TRY(arr_view(rt, o.arr, to->ndim, to->shape, strides, 0, &wide, e));
        o.arr = wide;
    }
    *done = true;
    if (to->size == 0) goto out;
    for (int i = 0, d = 0; i < p->n; i++) {
        const gpa_arr *m = p->at[i].arr;
        if (p->at[i].kind == AT_SLICE || p->at[i].kind == AT_NEWAXIS) strides[d++] = 0;
        for (int k = 0; m && k < m->ndim; k++) strides[d++] = m->strides[k];
        if (m) mask = p->at[i].arr;
    }
    TRY(arr_view(rt, mask, to->ndim, to->shape, strides, 0, &mask, e));
    rc = arr_node(rt, mask, &when, e);
    arr_release(rt, mask);
    if (rc) goto out;
    TRY(value_node(rt, &o, (gpa_dtype)a->dtype, &value, e));
    TRY(store_node(rt, to, value, when, e));
out:
    node_release(rt, value);
    node_release(rt, when);
    arr_release(rt, wide);
    arr_release(rt, to);
    return rc;
}

/* Whether the index is one mask of the array's own shape: then the value is a list, one per true element. */
static bool is_list(const gpa_arr *a, const index_plan *p) {
    return p->n == 1 && p->masks == 1 && a->ndim && p->at[0].arr->ndim == a->ndim;
}

/* ---- places ---- */

/* The places of an index map in host memory, and a value for each. */
typedef struct {
    int64_t *offset;   /* per point of the broadcast index arrays: elements from the view's first */
    int64_t points;
    host_dense value;
    char number[sizeof(gpa_val)];
    const char *from;  /* the value's first element */
    int64_t strides[GPA_MAX_DIMS]; /* of the value, over the result's shape */
} scatter;

/* Adds one axis's coordinates, broadcast over the points, times its stride. */
static gpa_code add_axis(gpa_rt *rt, const index_map *m, int axis, int64_t stride, scatter *s, gpa_err *e) {
    int64_t steps[GPA_MAX_DIMS], at[GPA_MAX_DIMS] = {0}, dense[GPA_MAX_DIMS], k = 0, extent = m->view->shape[axis];
    const int64_t *shape = m->shape + m->lead;
    gpa_arr *idx = m->arr[axis];
    host_dense h = {0};
    gpa_code rc = GPA_OK;
    if (!idx) {
        for (int64_t i = 0; i < s->points; i++) s->offset[i] += m->start[axis] * stride;
        return GPA_OK;
    }
    TRY(host_get_as(rt, idx, DT_I64, &h, e));
    shape_c_strides(idx->ndim, idx->shape, dense);
    shape_spread(idx->ndim, idx->shape, dense, m->wide, shape, steps);
    for (int64_t i = 0; i < s->points; i++) {
        int64_t v = ((const int64_t *)(const void *)h.data)[k];
        if (v < -extent || v >= extent)
            TRY(gpa_fail(e, GPA_E_INDEX, "index %lld is out of bounds for axis %d with size %lld", (long long)v, axis,
                         (long long)extent));
        s->offset[i] += (v < 0 ? v + extent : v) * stride;
        for (int d = m->wide - 1; d >= 0; d--) {
            k += steps[d];
            if (++at[d] < shape[d]) break;
            k -= steps[d] * shape[d];
            at[d] = 0;
        }
    }
out:
    host_drop(rt, &h);
    return rc;
}

static gpa_code no_fit(const index_map *m, const gpa_arr *v, bool list, gpa_err *e) {
    char from[SHAPE_TEXT], into[SHAPE_TEXT];
    if (list)
        return gpa_fail(e, GPA_E_VALUE,
                        "NumPy boolean array indexing assignment cannot assign %lld input values to the %lld output values "
                        "where the mask is true",
                        (long long)v->size, (long long)m->shape[0]);
    return gpa_fail(e, GPA_E_VALUE,
                    "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s",
                    shape_text(from, v->ndim, v->shape), shape_text(into, m->ndim, m->shape));
}

/* The value in host memory, in dtype t. What shares the target's storage is copied: it is read after writing began. */
static gpa_code get_value(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, gpa_dtype t, scatter *s, gpa_err *e) {
    gpa_arr *v = rhs->arr, *copy = NULL;
    gpa_code rc = GPA_OK;
    memset(s->strides, 0, sizeof s->strides);
    if (!v) {
        dtype_store(s->number, t, dtype_cast(rhs->v, rhs->dtype, t));
        s->from = s->number;
        return GPA_OK;
    }
    if (v->storage == m->view->storage) {
        TRY(arr_copy(rt, v, &copy, e));
        v = copy;
    }
    TRY(host_get_as(rt, v, t, &s->value, e));
    gpa_arr dense = *v;
    int64_t strides[GPA_MAX_DIMS];
    shape_c_strides(v->ndim, v->shape, strides);
    dense.strides = strides;
    spread_value(&dense, m->ndim, m->shape, s->strides);
    s->from = s->value.data;
out:
    arr_release(rt, copy);
    return rc;
}

static gpa_code scatter_begin(gpa_rt *rt, const index_map *m, const int64_t *strides, scatter *s, gpa_err *e) {
    s->points = shape_size(m->wide, m->shape + m->lead);
    s->offset = mem_zero((size_t)s->points * sizeof *s->offset);
    gpa_code rc = s->offset ? GPA_OK : gpa_no_memory(e);
    for (int k = 0; k < m->view->ndim && !rc; k++)
        if (m->from[k] < 0) rc = add_axis(rt, m, k, strides[k], s, e);
    return rc;
}

static void scatter_end(gpa_rt *rt, scatter *s) {
    mem_free(s->offset);
    host_drop(rt, &s->value);
}

/* The rest of the result's dimensions, which every point has: those of slices and newaxis. */
typedef struct {
    int ndim;
    int64_t shape[GPA_MAX_DIMS], to[GPA_MAX_DIMS], from[GPA_MAX_DIMS];
} block;

static block block_of(const index_map *m, const int64_t *to_strides, const int64_t *from_strides) {
    block b = {.ndim = 0};
    for (int d = 0; d < m->ndim; d++) {
        if (d >= m->lead && d < m->lead + m->wide) continue;
        b.shape[b.ndim] = m->shape[d];
        b.from[b.ndim] = from_strides[d];
        b.to[b.ndim] = 0;
        for (int k = 0; k < m->view->ndim; k++)
            if (m->from[k] == d) b.to[b.ndim] = to_strides[k];
        b.ndim++;
    }
    return b;
}

/* Goes on to the next point of the broadcast index arrays: returns the value's offset there. */
static int64_t next_point(const index_map *m, const int64_t *strides, int64_t *at, int64_t where) {
    for (int d = m->wide - 1; d >= 0; d--) {
        const int64_t extent = m->shape[m->lead + d], step = strides[m->lead + d];
        where += step;
        if (++at[d] < extent) break;
        where -= step * extent;
        at[d] = 0;
    }
    return where;
}

/* Single elements at a list of places: the usual case, with loops of its own. */
static void write_list(const scatter *s, int64_t step, char *to, size_t item) {
    const char *from = s->from;
    step *= (int64_t)item;
#define WRITE(bytes)                                                                              \
    for (int64_t i = 0; i < s->points; i++, from += step) memcpy(to + s->offset[i] * bytes, from, bytes); \
    break
    switch (item) {
    case 1: WRITE(1);
    case 2: WRITE(2);
    case 4: WRITE(4);
    case 8: WRITE(8);
    case 16: WRITE(16);
    }
#undef WRITE
}

static void write_points(const index_map *m, const scatter *s, const host_place *to, size_t item) {
    if (m->ndim == 1 && m->wide == 1) {
        write_list(s, s->strides[0], to->first, item);
        return;
    }
    block b = block_of(m, to->strides, s->strides);
    int64_t at[GPA_MAX_DIMS] = {0}, where = 0;
    for (int64_t i = 0; i < s->points; i++) {
        strided_copy(to->first + s->offset[i] * (int64_t)item, b.to, s->from + where * (int64_t)item, b.from, item, b.ndim,
                     b.shape);
        where = next_point(m, s->strides, at, where);
    }
}

static gpa_code set_on_host(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, gpa_err *e) {
    scatter s = {0};
    host_place to;
    gpa_dtype t = (gpa_dtype)m->view->dtype;
    gpa_code rc = GPA_OK;
    TRY(scatter_begin(rt, m, m->view->strides, &s, e));
    TRY(get_value(rt, m, rhs, t, &s, e));
    TRY(host_open(rt, m->view, true, &to, e));
    write_points(m, &s, &to, dtype_size(t));
    TRY(host_close(rt, &to, e));
out:
    scatter_end(rt, &s);
    return rc;
}

static gpa_code set_on_device(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, gpa_err *e) {
    node *at[GPA_MAX_DIMS] = {0}, *raw = NULL, *typed = NULL, *value = NULL;
    gpa_arr *wide = NULL;
    int64_t strides[GPA_MAX_DIMS];
    gpa_opnd o = *rhs;
    gpa_dtype t = (gpa_dtype)m->view->dtype;
    gpa_code rc = GPA_OK;
    if (o.arr) {
        spread_value(o.arr, m->ndim, m->shape, strides);
        TRY(arr_view(rt, o.arr, m->ndim, m->shape, strides, 0, &wide, e));
        o.arr = wide;
    }
    TRY(value_node(rt, &o, t, &raw, e));
    TRY(node_cast(rt, raw, t, &typed, e));
    TRY(node_broadcast(rt, typed, m->ndim, m->shape, &value, e));
    TRY(index_nodes(rt, m, at, e));
    TRY(store_scatter(rt, m->view, at, m->from, m->ndim, m->shape, value, e));
out:
    for (int k = 0; k < m->view->ndim; k++) node_release(rt, at[k]);
    node_release(rt, raw);
    node_release(rt, typed);
    node_release(rt, value);
    arr_release(rt, wide);
    return rc;
}

static gpa_code is_on_host(gpa_rt *rt, gpa_arr *a, bool *out, gpa_err *e) {
    gpa_code rc = arr_force(rt, a, CUT_STORE, e);
    if (!rc) *out = a->storage->buf->device->caps.host_visible;
    return rc;
}

static gpa_code set_places(gpa_rt *rt, gpa_arr *a, index_plan *p, const gpa_opnd *rhs, gpa_err *e) {
    index_map m = {.view = NULL};
    int64_t strides[GPA_MAX_DIMS];
    bool list = is_list(a, p), host;
    gpa_code rc = GPA_OK;
    TRY(index_places(rt, a, p, &m, e));
    if (rhs->arr && (!spread_value(rhs->arr, m.ndim, m.shape, strides))) TRY(no_fit(&m, rhs->arr, list, e));
    TRY(is_on_host(rt, a, &host, e));
    if (shape_size(m.ndim, m.shape) == 0) goto out;
    TRY(host ? set_on_host(rt, &m, rhs, e) : set_on_device(rt, &m, rhs, e));
out:
    index_map_drop(rt, &m);
    return rc;
}

gpa_code arr_set(gpa_rt *rt, gpa_arr *a, const gpa_index *ix, int n, const gpa_opnd *rhs, gpa_err *e) {
    index_plan p = {.n = 0};
    gpa_arr *to = NULL;
    bool done = false;
    gpa_code rc = GPA_OK;
    if (a->readonly) TRY(gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only"));
    TRY(index_resolve(rt, a, ix, n, &p, e));
    if (!rhs->arr) TRY(check_number(rhs, (gpa_dtype)a->dtype, e));
    if (!p.masks && !p.places) {
        TRY(index_view(rt, a, &p, &to, e));
        TRY(set_view(rt, to, rhs, e));
        goto out;
    }
    if (is_list(a, &p) && rhs->arr && rhs->arr->ndim > 1)
        TRY(gpa_fail(e, GPA_E_TYPE,
                     "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has %d dimensions",
                     rhs->arr->ndim));
    if (p.masks == 1 && !p.places) TRY(set_mask(rt, a, &p, rhs, &done, e));
    if (!done) TRY(set_places(rt, a, &p, rhs, e));
out:
    arr_release(rt, to);
    index_drop(rt, &p);
    return rc;
}

/* ---- ufunc.at ---- */

/* One operation with the types it runs in. */
typedef struct {
    gpa_op op;
    gpa_dtype compute, result, own; /* own: the array's */
} at_op;

static void update(const at_op *u, char *to, const char *from) {
    gpa_val a = dtype_cast(dtype_load(to, u->own), u->own, u->compute), b = {.bits = {0, 0}};
    if (from) b = dtype_load(from, u->compute);
    gpa_val r = op_scalar(u->op, u->compute, a, b, b);
    dtype_store(to, u->own, dtype_cast(r, u->result, u->own));
}

static void update_points(const index_map *m, const scatter *s, const host_place *to, const at_op *u) {
    int64_t own = (int64_t)dtype_size(u->own), item = (int64_t)dtype_size(u->compute);
    block b = block_of(m, to->strides, s->strides);
    int64_t at[GPA_MAX_DIMS] = {0}, where = 0, inner = shape_size(b.ndim, b.shape);
    for (int64_t i = 0; i < s->points; i++) {
        int64_t in[GPA_MAX_DIMS] = {0}, t = s->offset[i], f = where;
        for (int64_t k = 0; k < inner; k++) {
            update(u, to->first + t * own, s->from ? s->from + f * item : NULL);
            for (int d = b.ndim - 1; d >= 0; d--) {
                t += b.to[d];
                f += b.from[d];
                if (++in[d] < b.shape[d]) break;
                t -= b.to[d] * b.shape[d];
                f -= b.from[d] * b.shape[d];
                in[d] = 0;
            }
        }
        where = next_point(m, s->strides, at, where);
    }
}

static gpa_code at_places(gpa_rt *rt, const at_op *u, const index_map *m, const gpa_opnd *rhs, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS];
    scatter s = {0};
    host_place to;
    gpa_code rc = GPA_OK;
    if (rhs && rhs->arr && !spread_value(rhs->arr, m->ndim, m->shape, strides))
        TRY(gpa_fail(e, GPA_E_VALUE, "array is not broadcastable to correct shape"));
    if (rhs) TRY(get_value(rt, m, rhs, u->compute, &s, e));
    TRY(host_open(rt, m->view, true, &to, e));
    rc = scatter_begin(rt, m, to.strides, &s, e);
    if (!rc && shape_size(m->ndim, m->shape)) update_points(m, &s, &to, u);
    gpa_code closed = host_close(rt, &to, e);
    if (!rc) rc = closed;
out:
    scatter_end(rt, &s);
    return rc;
}

gpa_code arr_update_at(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_index *ix, int n, const gpa_opnd *rhs, gpa_err *e) {
    index_plan p = {.n = 0};
    index_map m = {.view = NULL};
    at_op u = {.op = op, .own = (gpa_dtype)a->dtype};
    gpa_opnd in[2] = {{.arr = a}, {.arr = NULL}};
    gpa_code rc = GPA_OK;
    if (a->readonly) TRY(gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only"));
    if (rhs) in[1] = *rhs;
    TRY(arr_ufunc_types(op, in, &u.compute, &u.result, e));
    TRY(index_resolve(rt, a, ix, n, &p, e));
    TRY(index_places(rt, a, &p, &m, e));
    TRY(at_places(rt, &u, &m, op_info[op].arity == 2 ? rhs : NULL, e));
out:
    index_map_drop(rt, &m);
    index_drop(rt, &p);
    return rc;
}
