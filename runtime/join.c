/* Joining arrays, and finding the true elements of one.
 *
 * Parts are stored into slices of the result: each store is fused with what makes the part. Small parts are copied by the
 * host where it sees them, which costs less than a launch. */
#include "runtime/chosen.h"
#include "runtime/device.h"
#include "runtime/explain.h"
#include "runtime/host.h"
#include "runtime/place.h"
#include "runtime/shape.h"
#include "runtime/store.h"

/* A result of at most so many bytes is put together by the host. */
enum { SMALL_JOIN = 1 << 16 };

/* ---- concatenate ---- */

static gpa_code joined_shape(gpa_arr *const *in, int n, int axis, int64_t *shape, gpa_err *e) {
    const gpa_arr *first = in[0];
    memcpy(shape, first->shape, first->ndim * sizeof *shape);
    for (int i = 1; i < n; i++) {
        if (in[i]->ndim != first->ndim)
            return gpa_fail(e, GPA_E_VALUE,
                            "all the input arrays must have same number of dimensions, but the array at index 0 has %d "
                            "dimension(s) and the array at index %d has %d dimension(s)",
                            first->ndim, i, in[i]->ndim);
        for (int d = 0; d < first->ndim; d++) {
            if (d != axis && in[i]->shape[d] != first->shape[d])
                return gpa_fail(e, GPA_E_VALUE,
                                "all the input array dimensions except for the concatenation axis must match exactly, but "
                                "along dimension %d, the array at index 0 has size %lld and the array at index %d has size "
                                "%lld",
                                d, (long long)first->shape[d], i, (long long)in[i]->shape[d]);
        }
        shape[axis] += in[i]->shape[axis];
    }
    return GPA_OK;
}

static gpa_code store_part(gpa_rt *rt, gpa_arr *to, gpa_arr *part, int64_t offset, gpa_err *e) {
    gpa_arr *slice = NULL;
    node *value = NULL;
    gpa_code rc = GPA_OK;
    if (part->size == 0) goto out;
    TRY(arr_view(rt, to, to->ndim, part->shape, to->strides, offset, &slice, e));
    TRY(arr_node(rt, part, &value, e));
    TRY(store_node(rt, slice, value, NULL, e));
out:
    node_release(rt, value);
    arr_release(rt, slice);
    return rc;
}

static gpa_code copy_part(gpa_rt *rt, gpa_arr *to, char *first, gpa_arr *part, int64_t offset, gpa_err *e) {
    gpa_dtype t = (gpa_dtype)to->dtype;
    int64_t dense[GPA_MAX_DIMS];
    host_dense h;
    gpa_code rc = host_get_as(rt, part, t, &h, e);
    shape_c_strides(part->ndim, part->shape, dense);
    if (!rc)
        strided_copy(first + offset * (int64_t)dtype_size(t), to->strides, h.data, dense, dtype_size(t), part->ndim,
                     part->shape);
    host_drop(rt, &h);
    return rc;
}

static gpa_code concat_here(gpa_rt *rt, gpa_arr *const *in, int n, int axis, gpa_dtype dtype, gpa_arr **out, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS], offset = 0;
    gpa_arr *made = NULL;
    gpa_code rc = GPA_OK;
    if (n == 0) TRY(gpa_fail(e, GPA_E_VALUE, "need at least one array to concatenate"));
    if (in[0]->ndim == 0) TRY(gpa_fail(e, GPA_E_VALUE, "zero-dimensional arrays cannot be concatenated"));
    TRY(shape_axis(axis, in[0]->ndim, &axis, e));
    TRY(joined_shape(in, n, axis, shape, e));
    gpa_dtype t = dtype == DT_NONE ? (gpa_dtype)in[0]->dtype : dtype;
    for (int i = 1; i < n && dtype == DT_NONE; i++) t = dtype_promote(t, (gpa_dtype)in[i]->dtype);
    TRY(arr_empty(rt, t, in[0]->ndim, shape, &made, e));
    bool host = made->storage->buf->host && (size_t)made->size * dtype_size(t) <= SMALL_JOIN;
    if (host) {
        TRY(arr_eval(rt, in, n, e));
        TRY(host_wait(rt, made->storage->buf->device, e));
    }
    for (int i = 0; i < n; i++) {
        if (host) TRY(copy_part(rt, made, made->storage->buf->host, in[i], offset, e));
        else TRY(store_part(rt, made, in[i], offset, e));
        offset += in[i]->shape[axis] * made->strides[axis];
    }
    *out = made;
    made = NULL;
out:
    arr_release(rt, made);
    return rc;
}

gpa_code arr_concat(gpa_rt *rt, gpa_arr *const *in, int n, int axis, gpa_dtype dtype, gpa_arr **out, gpa_err *e) {
    place_stay p = place_enter(rt, in, n);
    gpa_code rc = concat_here(rt, in, n, axis, dtype, out, e);
    place_leave(rt, p);
    return rc;
}

/* ---- nonzero ---- */

/* The coordinates of the true elements, row by row of the last dimension. */
static void find_true(const char *mask, int ndim, const int64_t *shape, int64_t count, int64_t *const *to) {
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
    host_new_array made[GPA_MAX_DIMS] = {{0}};
    int64_t *to[GPA_MAX_DIMS];
    host_dense h = {0};
    gpa_code rc = GPA_OK;
    TRY(host_get(rt, mask, &h, e));
    int64_t count = chosen_count(h.data, mask->size);
    for (int d = 0; d < mask->ndim; d++) {
        TRY(host_new(rt, DT_I64, 1, &count, &made[d], e));
        to[d] = (int64_t *)(void *)made[d].data;
    }
    find_true(h.data, mask->ndim, mask->shape, count, to);
    for (int d = 0; d < mask->ndim; d++) {
        rc = host_made(rt, &made[d], &out[d], e);
        if (!rc) continue;
        while (d--) arr_release(rt, out[d]);
        break;
    }
out:
    for (int d = 0; d < mask->ndim; d++) host_unmade(rt, &made[d]);
    host_drop(rt, &h);
    return rc;
}

/* One integer operation with a number. */
static gpa_code with_number(gpa_rt *rt, gpa_op op, gpa_arr *a, int64_t v, gpa_arr **out, gpa_err *e) {
    gpa_opnd in[2] = {{.arr = a}, {.weak = WEAK_INT, .dtype = DT_I64, .v = {.I64 = v}}};
    return arr_ufunc(rt, op, in, NULL, out, e);
}

/* The places in C order of the true elements, found on the device: a running count says where each one goes, and all
 * others go into one element too many at the end. */
static gpa_code flat_places(gpa_rt *rt, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL, *count = NULL, *before = NULL, *total = NULL, *to = NULL, *all = NULL;
    node *index = NULL, *value = NULL;
    gpa_val n;
    int64_t one = 1;
    gpa_code rc = GPA_OK;
    TRY(arr_reshape(rt, mask, 1, &mask->size, &flat, e));
    TRY(arr_scan(rt, RED_SUM, flat, 0, DT_I64, &count, e));
    TRY(arr_eval(rt, &count, 1, e));
    TRY(arr_view(rt, count, 0, NULL, NULL, mask->size - 1, &total, e));
    TRY(arr_item(rt, total, &n, e));
    TRY(with_number(rt, OP_SUBTRACT, count, 1, &before, e));
    gpa_opnd pick[3] = {{.arr = flat}, {.arr = before}, {.weak = WEAK_INT, .dtype = DT_I64, .v = n}};
    arr_release(rt, total);
    total = NULL;
    TRY(arr_ufunc(rt, OP_WHERE, pick, NULL, &total, e));
    TRY(arr_node(rt, total, &index, e));
    TRY(node_iota(rt, 1, &mask->size, &one, 0, &value, e));
    TRY(arr_empty(rt, DT_I64, 1, &(int64_t){n.I64 + 1}, &all, e));
    TRY(store_scatter(rt, all, &index, (int8_t[]){-1}, 1, &mask->size, &(scatter_what){.value = value}, e));
    TRY(arr_view(rt, all, 1, &n.I64, &one, 0, &to, e));
    *out = to;
out:
    node_release(rt, index);
    node_release(rt, value);
    arr_release(rt, flat);
    arr_release(rt, count);
    arr_release(rt, before);
    arr_release(rt, total);
    arr_release(rt, all);
    return rc;
}

static gpa_code nonzero_on_device(gpa_rt *rt, gpa_arr *mask, gpa_arr **out, gpa_err *e) {
    gpa_arr *flat = NULL, *part = NULL;
    int64_t below = 1;
    int d = mask->ndim - 1;
    gpa_code rc = flat_places(rt, mask, &flat, e);
    if (rc) return rc;
    for (; d >= 0 && !rc; d--) {
        rc = with_number(rt, OP_FLOOR_DIVIDE, flat, below, &part, e);
        if (!rc) rc = with_number(rt, OP_REMAINDER, part, mask->shape[d], &out[d], e);
        arr_release(rt, part);
        part = NULL;
        below *= mask->shape[d];
    }
    if (rc)
        for (d += 2; d < mask->ndim; d++) arr_release(rt, out[d]);
    arr_release(rt, flat);
    return rc;
}

static gpa_code nonzero_here(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    gpa_device *d;
    gpa_arr *mask = NULL;
    gpa_code rc = GPA_OK;
    if (a->ndim == 0)
        TRY(gpa_fail(e, GPA_E_VALUE,
                     "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."));
    TRY(device_default(rt, &d, e));
    TRY(arr_cast(rt, a, DT_BOOL, false, &mask, e));
    if (d->caps.host_visible || a->size == 0) {
        TRY(nonzero_on_host(rt, mask, out, e));
        explain_call(rt, "nonzero", NULL, out[0]);
    } else TRY(nonzero_on_device(rt, mask, out, e));
out:
    arr_release(rt, mask);
    return rc;
}

gpa_code arr_nonzero(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    place_stay p = place_enter(rt, &a, 1);
    gpa_code rc = nonzero_here(rt, a, out, e);
    place_leave(rt, p);
    return rc;
}
