/* Choosing the true elements of a mask: what stands there in another array, or where they are.
 *
 * The host walks the mask. A device with memory of its own does it in one program: a running count
 * says where each chosen element goes, and its end how many there are. The result therefore first
 * has room for all; then it is shortened, or, where few were chosen, copied. Where there is no room
 * for all, they are counted before.
 *
 * Reading order: by the host, on a device, places. */
#include "runtime/array/compaction.h"

#include "runtime/host/mask_select.h"
#include "runtime/exec/device.h"
#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/array/device_transfer.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"

enum {
    MASK_STEPS = 4,  /* operations of a mask that is computed again rather than stored */
    SLACK = 1 << 20, /* bytes too many that nobody minds, */
    SLACK_SHARE = 4  /* and times the result's own size */
};

/* ---- by the host ---- */

gpa_code compact_on_host(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    host_view m = {0}, from = {0};
    host_result to;
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    TRY(arr_eval(rt, (gpa_arr *[]){a, mask}, 2, e));
    TRY(host_view_get(rt, mask, &m, e));
    TRY(host_view_get(rt, a, &from, e));
    int64_t count = chosen_count(m.data, mask->size);
    int inner = a->ndim - mask->ndim;
    shape[0] = count;
    for (int d = 0; d < inner; d++) shape[1 + d] = a->shape[mask->ndim + d];
    TRY(host_result_new(rt, (gpa_dtype)a->dtype, 1 + inner, shape, &to, e));
    size_t item = dtype_size((gpa_dtype)a->dtype) * (size_t)shape_size(inner, shape + 1);
    if (item) chosen_items(to.data, from.data, m.data, count, item);
    TRY(host_result_finish(rt, &to, out, e));
    explain_call(rt, "compress", NULL, *out);
out:
    host_view_release(rt, &m);
    host_view_release(rt, &from);
    return rc;
}

/* ---- on a device ---- */

/* Whether n is computed, in a few operations, from numbers and computed elements at the same
 * places: those of `a`, unless it is NULL. */
static bool is_of(const node *n, const gpa_arr *a, int depth) {
    if (n->kind == NODE_SCALAR) return true;
    if (n->kind == NODE_BUF)
        return node_is_contiguous(n) &&
               (!a || (n->buf == a->storage->buf && n->size == a->size && arr_is_contiguous(a)));
    bool all = depth > 0 && node_is_elementwise(n);
    for (int i = 0; i < n->n_in && all; i++) all = is_of(n->in[i], a, depth - 1);
    return all;
}

/* A result with room for all elements of a mask; where memory is short, for those that are true,
 * which are counted then. */
static gpa_code make_room(gpa_rt *rt, gpa_dtype t, const gpa_arr *mask, gpa_arr *total,
                          gpa_arr **out, gpa_err *e) {
    gpa_err quiet = {0};
    gpa_val n;
    gpa_code rc = arr_empty(rt, t, 1, &mask->size, out, &quiet);
    if (rc != GPA_E_MEMORY) return rc ? gpa_fail(e, rc, "%s", quiet.msg) : GPA_OK;
    rc = arr_item(rt, total, &n, e);
    return rc ? rc : arr_empty(rt, t, 1, &n.I64, out, e);
}

/* The first n elements of *a, which has room for more and is nobody else's. */
static gpa_code cut_off(gpa_rt *rt, gpa_arr **a, int64_t n, gpa_err *e) {
    size_t room = (*a)->storage->buf->room, need = (size_t)n * dtype_size((gpa_dtype)(*a)->dtype);
    gpa_arr *part = NULL, *own = NULL;
    int64_t one = 1;
    gpa_code rc = GPA_OK;
    if (n == (*a)->size) return GPA_OK;
    if (room > SLACK && room / SLACK_SHARE > need) {
        TRY(arr_view(rt, *a, 1, &n, &one, 0, &part, e));
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

/* The chosen elements of `value`, a node of the mask's elements in C order. */
static gpa_code pick_from(gpa_rt *rt, node *value, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL, *total = NULL, *count = NULL, *made = NULL;
    node *when = NULL, *place = NULL, *one = NULL, *before = NULL;
    const gpa_dtype t = mask->size < INT32_MAX ? DT_I32 : DT_I64;
    gpa_val n;
    gpa_code rc = GPA_OK;
    TRY(arr_reshape(rt, mask, 1, &mask->size, &flat, e));
    TRY(arr_reduce(rt, RED_SUM, flat, &(arr_reduce_opts){.axes = UINT32_MAX, .dtype = DT_I64},
                   &total, e));
    TRY(make_room(rt, (gpa_dtype)value->dtype, mask, total, &made, e));
    TRY(arr_scan(rt, RED_SUM, flat, 0, t, &count, e));
    TRY(arr_node(rt, flat, &when, e));
    TRY(arr_node(rt, count, &before, e));
    TRY(node_scalar(rt, t, t == DT_I32 ? (gpa_val){.I32 = 1} : (gpa_val){.I64 = 1}, &one, e));
    TRY(node_op2(rt, OP_SUBTRACT, before, one, &place, e));
    node_release(rt, before);
    before = NULL;
    TRY(node_cast(rt, place, DT_I64, &before, e));
    arr_release(rt, count); /* nobody else wants it: it is not stored */
    count = NULL;
    const scatter_options what = {
        .value = value, .mask = when, .sure = true, .once = true, .beside = total};
    TRY(store_scatter(rt, made, &before, (int8_t[]){-1}, 1, &mask->size, &what, e));
    TRY(arr_item(rt, total, &n, e));
    TRY(cut_off(rt, &made, n.I64, e));
    *out = made;
    made = NULL;
out:
    node_release(rt, when);
    node_release(rt, place);
    node_release(rt, one);
    node_release(rt, before);
    arr_release(rt, flat);
    arr_release(rt, total);
    arr_release(rt, count);
    arr_release(rt, made);
    return rc;
}

/* The same. A mask that is quickly had from elements that are read anyway (`a`; NULL: any) is not
 * stored on the way. */
static gpa_code pick(gpa_rt *rt, node *value, const gpa_arr *a, gpa_arr *mask, gpa_arr **out,
                     gpa_err *e) {
    node *pending = mask->storage->node;
    if (!pending || !pending->owner || !is_of(pending, a, MASK_STEPS))
        return pick_from(rt, value, mask, out, e);
    gpa_storage *held = pending->owner;
    pending->owner = NULL; /* for steps that compute it, nobody holds it */
    node_retain(pending);
    gpa_code rc = pick_from(rt, value, mask, out, e);
    if (!pending->owner && held->node == pending) pending->owner = held;
    node_release(rt, pending);
    return rc;
}

gpa_code compact_on_device(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL;
    node *value = NULL;
    gpa_code rc = arr_reshape(rt, a, 1, &a->size, &flat, e);
    if (!rc) rc = arr_node(rt, flat, &value, e);
    if (!rc) rc = pick(rt, value, a, mask, out, e);
    node_release(rt, value);
    arr_release(rt, flat);
    return rc;
}

/* ---- places ---- */

/* The coordinates of the true elements, row by row of the last dimension. */
static void find_true(const char *mask, int ndim, const int64_t *shape, int64_t count,
                      int64_t *const *to) {
    int64_t at[GPA_MAX_DIMS] = {0}, found = 0, width = shape[ndim - 1];
    for (; found < count; mask += width) {
        int64_t begin = found;
        found += chosen_places(mask, width, to[ndim - 1] + begin, count - begin);
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
    int64_t count = chosen_count(h.data, mask->size);
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

/* The places in C order of the true elements. */
static gpa_code flat_places(gpa_rt *rt, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    node *place = NULL;
    int64_t one = 1;
    gpa_code rc = node_iota(rt, 1, &mask->size, &one, 0, &place, e);
    *out = NULL;
    if (rc) return rc;
    rc = pick(rt, place, NULL, mask, out, e);
    node_release(rt, place);
    return rc;
}

/* One integer operation with a number. */
static gpa_code with_number(gpa_rt *rt, gpa_op op, gpa_arr *a, int64_t v, gpa_arr **out,
                            gpa_err *e) {
    gpa_opnd in[2] = {{.arr = a}, {.weak = WEAK_INT, .dtype = DT_I64, .v = {.I64 = v}}};
    return arr_ufunc(rt, op, in, NULL, out, e);
}

/* Divides the places, which are `rest`, by an extent: rest becomes what is left for the dimensions
 * above. */
static gpa_code take_extent(gpa_rt *rt, gpa_arr **rest, int64_t extent, gpa_arr **out, gpa_err *e) {
    gpa_arr *at = NULL, *above = NULL;
    gpa_code rc = GPA_OK;
    TRY(with_number(rt, OP_REMAINDER, *rest, extent, &at, e));
    TRY(with_number(rt, OP_FLOOR_DIVIDE, *rest, extent, &above, e));
    TRY(arr_cast(rt, at, DT_I64, false, out, e));
    arr_release(rt, *rest);
    *rest = above;
    above = NULL;
out:
    arr_release(rt, at);
    arr_release(rt, above);
    return rc;
}

/* Coordinates follow from the places; where those fit in 32 bits, by divisions of 32 bits. */
static gpa_code nonzero_on_device(gpa_rt *rt, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL, *rest = NULL;
    gpa_code rc = GPA_OK;
    for (int d = 0; d < mask->ndim; d++) out[d] = NULL;
    TRY(flat_places(rt, mask, &flat, e));
    TRY(arr_cast(rt, flat, mask->ndim > 1 && mask->size <= UINT32_MAX ? DT_U32 : DT_I64, false,
                 &rest, e));
    for (int d = mask->ndim - 1; d > 0; d--)
        TRY(take_extent(rt, &rest, mask->shape[d], &out[d], e));
    TRY(arr_cast(rt, rest, DT_I64, false, &out[0], e));
out:
    for (int d = 0; d < mask->ndim && rc; d++) arr_release(rt, out[d]);
    arr_release(rt, flat);
    arr_release(rt, rest);
    return rc;
}

static gpa_code nonzero_here(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
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
    device_scope p = device_scope_enter(rt, &a, 1);
    gpa_code rc = nonzero_here(rt, a, out, e);
    device_scope_leave(rt, p);
    return rc;
}

gpa_code arr_count_true(gpa_rt *rt, gpa_arr *a, int64_t *out, gpa_err *e) {
    host_view h;
    *out = -1;
    if (arr_is_pending(a) || !a->storage->buf->host || !arr_is_contiguous(a)) return GPA_OK;
    gpa_code rc = host_view_get(rt, a, &h, e);
    if (!rc) *out = chosen_count(h.data, a->size);
    host_view_release(rt, &h);
    return rc;
}
