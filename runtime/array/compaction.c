/* Stream compaction: a[mask], and nonzero.
 *
 * The host scans the mask. Other devices run one program: a scan of the mask gives each selected
 * element its output position, and its last value their number. The output is therefore
 * allocated for all elements, then truncated or, if few are selected, copied. If memory does not
 * suffice for all, they are counted first.
 *
 * Reading order: host, device, nonzero. */
#include "runtime/array/compaction.h"

#include "runtime/host/mask_select.h"
#include "runtime/exec/device.h"
#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/array/device_transfer.h"
#include "runtime/array/tape.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"
#include "runtime/tables/tuning.h"

/* ---- host ---- */

gpa_code compact_on_host(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    host_view m = {0}, from = {0};
    host_result to;
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    TRY(arr_eval(rt, (gpa_arr *[]){a, mask}, 2, e));
    TRY(host_view_get(rt, mask, &m, e));
    TRY(host_view_get(rt, a, &from, e));
    int64_t count = mask_select_count(m.data, mask->size);
    int inner = a->ndim - mask->ndim;
    shape[0] = count;
    for (int d = 0; d < inner; d++) shape[1 + d] = a->shape[mask->ndim + d];
    TRY(host_result_new(rt, (gpa_dtype)a->dtype, 1 + inner, shape, &to, e));
    size_t item = dtype_size((gpa_dtype)a->dtype) * (size_t)shape_size(inner, shape + 1);
    if (item) mask_select_compress(to.data, from.data, m.data, mask->size, count, item);
    TRY(host_result_finish(rt, &to, out, e));
    explain_call(rt, "compress", NULL, *out);
out:
    host_view_release(rt, &m);
    host_view_release(rt, &from);
    return rc;
}

/* ---- device ---- */

/* True if n is a few elementwise operations on scalars and contiguous leaves; of the leaves only
 * `a`, unless it is NULL. */
static bool is_cheap_mask(const node *n, const gpa_arr *a, int depth) {
    if (n->kind == NODE_SCALAR) return true;
    if (n->kind == NODE_BUF)
        return node_is_contiguous(n) &&
               (!a || (n->buf == a->storage->buf && n->size == a->size && arr_is_contiguous(a)));
    bool all = depth > 0 && node_is_elementwise(n);
    for (int i = 0; i < n->n_in && all; i++) all = is_cheap_mask(n->in[i], a, depth - 1);
    return all;
}

/* Allocates a result for all elements of the mask; if memory is short, counts the true ones
 * (waits) and allocates for those. */
static gpa_code alloc_result(gpa_rt *rt, gpa_dtype t, const gpa_arr *mask, gpa_arr *total,
                             gpa_arr **out, gpa_err *e) {
    gpa_err quiet = {0};
    gpa_val n;
    gpa_code rc = arr_empty(rt, &(arr_spec){t, 1, &mask->size}, out, &quiet);
    if (rc != GPA_E_MEMORY) return rc ? gpa_fail(e, rc, "%s", quiet.msg) : GPA_OK;
    rc = arr_item(rt, total, &n, e);
    return rc ? rc : arr_empty(rt, &(arr_spec){t, 1, &n.I64}, out, e);
}

/* Reduces *a, which has no other holder, to its first n elements. */
static gpa_code shrink_to(gpa_rt *rt, gpa_arr **a, int64_t n, gpa_err *e) {
    size_t capacity = (*a)->storage->buf->capacity,
           need = (size_t)n * dtype_size((gpa_dtype)(*a)->dtype);
    gpa_arr *part = NULL, *own = NULL;
    int64_t one = 1;
    gpa_code rc = GPA_OK;
    if (n == (*a)->size) return GPA_OK;
    if (capacity > TUNE_COMPACTION_MAX_SLACK_BYTES &&
        capacity / TUNE_COMPACTION_MAX_SLACK_FACTOR > need) {
        TRY(arr_view(rt, *a, &(arr_layout){(gpa_dtype)(*a)->dtype, 1, &n, &one, 0}, &part, e));
        TRY(arr_copy(rt, part, &own, e));
        TRY(arr_force(rt, own, CUT_NEEDED, e));
        arr_release(rt, *a);
        *a = own;
        own = NULL;
    } else
        arr_truncate(rt, *a, n);
out:
    arr_release(rt, part);
    arr_release(rt, own);
    return rc;
}

/* The selected elements of `value`, a flat node of the mask's size. */
static gpa_code compact_node(gpa_rt *rt, node *value, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL, *total = NULL, *count = NULL, *made = NULL;
    node *when = NULL, *position = NULL, *one = NULL, *before = NULL;
    const gpa_dtype t = mask->size < INT32_MAX ? DT_I32 : DT_I64;
    gpa_val n;
    gpa_code rc = GPA_OK;
    TRY(arr_reshape(rt, mask, 1, &mask->size, &flat, e));
    TRY(arr_reduce(rt, RED_SUM, flat, &(arr_reduce_opts){.axes = UINT64_MAX, .dtype = DT_I64},
                   &total, e));
    TRY(alloc_result(rt, (gpa_dtype)value->dtype, mask, total, &made, e));
    TRY(arr_scan(rt, &(arr_axis_reduction){RED_SUM, 0, t}, flat, &count, e));
    TRY(arr_node(rt, flat, &when, e));
    TRY(arr_node(rt, count, &before, e));
    TRY(node_scalar(rt, t, t == DT_I32 ? (gpa_val){.I32 = 1} : (gpa_val){.I64 = 1}, &one, e));
    TRY(node_op2(rt, OP_SUBTRACT, before, one, &position, e));
    node_release(rt, before);
    before = NULL;
    TRY(node_cast(rt, position, DT_I64, &before, e));
    arr_release(rt, count); /* without a holder it is fused, not stored */
    count = NULL;
    TRY(store_scatter(rt, made,
                      &(store_scatter_args){.index = &before,
                                            .from = (int8_t[]){-1},
                                            .ndim = 1,
                                            .shape = &mask->size,
                                            .value = value,
                                            .mask = when,
                                            .in_bounds = true,
                                            .distinct = true,
                                            .also = total},
                      e));
    TRY(arr_item(rt, total, &n, e));
    TRY(shrink_to(rt, &made, n.I64, e));
    *out = made;
    made = NULL;
out:
    node_release(rt, when);
    node_release(rt, position);
    node_release(rt, one);
    node_release(rt, before);
    arr_release(rt, flat);
    arr_release(rt, total);
    arr_release(rt, count);
    arr_release(rt, made);
    return rc;
}

/* The same, but a pending mask that is cheap to recompute from elements that are read anyway
 * (`a`; NULL: any) is not stored. */
static gpa_code compact_value(gpa_rt *rt, node *value, const gpa_arr *a, gpa_arr *mask,
                              gpa_arr **out, gpa_err *e) {
    node *pending = mask->storage->node;
    if (!pending || !pending->owner || !is_cheap_mask(pending, a, TUNE_MASK_MAX_RECOMPUTED_OPS))
        return compact_node(rt, value, mask, out, e);
    gpa_storage *held = pending->owner;
    pending->owner = NULL; /* without an owner the node is not materialized */
    node_retain(pending);
    gpa_code rc = compact_node(rt, value, mask, out, e);
    if (!pending->owner && held->node == pending) pending->owner = held;
    node_release(rt, pending);
    return rc;
}

gpa_code compact_on_device(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL;
    node *value = NULL;
    gpa_code rc = arr_reshape(rt, a, 1, &a->size, &flat, e);
    if (!rc) rc = arr_node(rt, flat, &value, e);
    if (!rc) rc = compact_value(rt, value, a, mask, out, e);
    node_release(rt, value);
    arr_release(rt, flat);
    return rc;
}

/* ---- nonzero ---- */

/* The coordinates of the true elements, one row of the last dimension at a time. */
static void find_true(const char *mask, int ndim, const int64_t *shape, int64_t count,
                      int64_t *const *to) {
    int64_t at[GPA_MAX_DIMS] = {0}, found = 0, width = shape[ndim - 1];
    for (; found < count; mask += width) {
        int64_t begin = found;
        found += mask_select_indices(mask, width, to[ndim - 1] + begin, count - begin);
        for (int d = 0; d < ndim - 1; d++)
            for (int64_t i = begin; i < found; i++) to[d][i] = at[d];
        for (int d = ndim - 2; d >= 0 && ++at[d] == shape[d]; d--) at[d] = 0;
    }
}

static gpa_code nonzero_on_host(gpa_rt *rt, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    host_result made[GPA_MAX_DIMS] = {{0}};
    int64_t *to[GPA_MAX_DIMS];
    host_view h = {0};
    gpa_code rc = GPA_OK;
    TRY(host_view_get(rt, mask, &h, e));
    int64_t count = mask_select_count(h.data, mask->size);
    for (int d = 0; d < mask->ndim; d++) {
        TRY(host_result_new(rt, DT_I64, 1, &count, &made[d], e));
        to[d] = (int64_t *)(void *)made[d].data;
    }
    find_true(h.data, mask->ndim, mask->shape, count, to);
    for (int d = 0; d < mask->ndim; d++) {
        rc = host_result_finish(rt, &made[d], &out[d], e);
        if (!rc) continue;
        while (d--) arr_release(rt, out[d]);
        break;
    }
out:
    for (int d = 0; d < mask->ndim; d++) host_result_discard(rt, &made[d]);
    host_view_release(rt, &h);
    return rc;
}

/* The flat indices of the true elements. */
static gpa_code flat_nonzero(gpa_rt *rt, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    node *position = NULL;
    int64_t one = 1;
    gpa_code rc = node_iota(rt, &(shape_layout){1, &mask->size, &one, 0, 0}, &position, e);
    *out = NULL;
    if (rc) return rc;
    rc = compact_value(rt, position, NULL, mask, out, e);
    node_release(rt, position);
    return rc;
}

/* An operation with an integer scalar. */
static gpa_code op_int(gpa_rt *rt, gpa_op op, gpa_arr *a, int64_t v, gpa_arr **out, gpa_err *e) {
    gpa_opnd in[2] = {{.arr = a}, {.weak = WEAK_INT, .dtype = DT_I64, .v = {.I64 = v}}};
    return arr_ufunc(rt, op, in, NULL, out, e);
}

/* Unravels one dimension: *out = *rest % extent, *rest = *rest / extent. */
static gpa_code unravel_dim(gpa_rt *rt, gpa_arr **rest, int64_t extent, gpa_arr **out, gpa_err *e) {
    gpa_arr *at = NULL, *above = NULL;
    gpa_code rc = GPA_OK;
    TRY(op_int(rt, OP_REMAINDER, *rest, extent, &at, e));
    TRY(op_int(rt, OP_FLOOR_DIVIDE, *rest, extent, &above, e));
    TRY(arr_cast(rt, at, DT_I64, false, out, e));
    arr_release(rt, *rest);
    *rest = above;
    above = NULL;
out:
    arr_release(rt, at);
    arr_release(rt, above);
    return rc;
}

/* Unravels flat indices into coordinates, with 32-bit divisions if the size allows. */
static gpa_code nonzero_on_device(gpa_rt *rt, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL, *rest = NULL;
    gpa_code rc = GPA_OK;
    for (int d = 0; d < mask->ndim; d++) out[d] = NULL;
    TRY(flat_nonzero(rt, mask, &flat, e));
    TRY(arr_cast(rt, flat, mask->ndim > 1 && mask->size <= UINT32_MAX ? DT_U32 : DT_I64, false,
                 &rest, e));
    for (int d = mask->ndim - 1; d > 0; d--)
        TRY(unravel_dim(rt, &rest, mask->shape[d], &out[d], e));
    TRY(arr_cast(rt, rest, DT_I64, false, &out[0], e));
out:
    for (int d = 0; d < mask->ndim && rc; d++) arr_release(rt, out[d]);
    arr_release(rt, flat);
    arr_release(rt, rest);
    return rc;
}

static gpa_code nonzero_on_current(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    gpa_device *d;
    gpa_arr *mask = NULL;
    gpa_code rc = GPA_OK;
    if (a->ndim == 0)
        TRY(gpa_fail(e, GPA_E_VALUE,
                     "Calling nonzero on 0d arrays is not allowed. Use "
                     "np.atleast_1d(scalar).nonzero() instead."));
    TRY(device_default(rt, &d, e));
    TRY(arr_cast(rt, a, DT_BOOL, false, &mask, e));
    if (d->caps.host_visible || a->size == 0) {
        TRY(nonzero_on_host(rt, mask, out, e));
        explain_call(rt, "nonzero", NULL, out[0]);
    } else
        TRY(nonzero_on_device(rt, mask, out, e));
out:
    arr_release(rt, mask);
    return rc;
}

gpa_code arr_nonzero(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    gpa_code rc = tape_concrete(rt, a, e);
    if (rc) return rc;
    device_scope p = device_scope_enter(rt, &a, 1);
    rc = nonzero_on_current(rt, a, out, e);
    device_scope_leave(rt, p);
    return rc;
}

gpa_code arr_count_true(gpa_rt *rt, gpa_arr *a, int64_t *out, gpa_err *e) {
    host_view h;
    *out = -1;
    if (arr_is_pending(a) || !a->storage->buf->host || !arr_is_contiguous(a)) return GPA_OK;
    gpa_code rc = host_view_get(rt, a, &h, e);
    if (!rc) *out = mask_select_count(h.data, a->size);
    host_view_release(rt, &h);
    return rc;
}
