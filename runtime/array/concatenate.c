/* Concatenation of arrays. Each input is stored into a slice of the result, fused with the
 * computation of the input. On host-visible devices the host copies small inputs, which costs less
 * than a launch. */
#include "runtime/tables/promotion.h"
#include "runtime/exec/device.h"
#include "runtime/array/host_view.h"
#include "runtime/array/device_transfer.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"
#include "runtime/tables/tuning.h"

/* ---- concatenate ---- */

static gpa_code joined_shape(gpa_arr *const *in, int n, int axis, int64_t *shape, gpa_err *e) {
    const gpa_arr *first = in[0];
    memcpy(shape, first->shape, first->ndim * sizeof *shape);
    for (int i = 1; i < n; i++) {
        if (in[i]->ndim != first->ndim)
            return gpa_fail(e, GPA_E_VALUE,
                            "all the input arrays must have same number of dimensions, but the "
                            "array at index 0 has %d "
                            "dimension(s) and the array at index %d has %d dimension(s)",
                            first->ndim, i, in[i]->ndim);
        for (int d = 0; d < first->ndim; d++) {
            if (d != axis && in[i]->shape[d] != first->shape[d])
                return gpa_fail(e, GPA_E_VALUE,
                                "all the input array dimensions except for the concatenation axis "
                                "must match exactly, but "
                                "along dimension %d, the array at index 0 has size %lld and the "
                                "array at index %d has size "
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
    TRY(arr_view(rt, to,
                 &(arr_layout){(gpa_dtype)to->dtype, to->ndim, part->shape, to->strides, offset},
                 &slice, e));
    TRY(arr_node(rt, part, &value, e));
    TRY(store_node(rt, slice, value, NULL, e));
out:
    node_release(rt, value);
    arr_release(rt, slice);
    return rc;
}

/* True if the elements are computed in host-visible memory (access after exec_wait). */
static bool is_in_host_memory(const gpa_arr *a) {
    return !arr_is_pending(a) && a->storage->buf->host;
}

static gpa_code copy_part(gpa_rt *rt, gpa_arr *to, char *first, gpa_arr *part, int64_t offset,
                          gpa_err *e) {
    gpa_dtype t = (gpa_dtype)to->dtype;
    const int64_t item = (int64_t)dtype_size(t);
    int64_t dense[GPA_MAX_DIMS];
    host_view h;
    if (part->dtype == t && is_in_host_memory(part)) {
        strided_copy(first + offset * item, to->strides,
                     part->storage->buf->host + part->offset * item, part->strides,
                     &(strided_elems){dtype_size(t), part->ndim, part->shape});
        return GPA_OK;
    }
    gpa_code rc = host_view_get_as(rt, part, t, &h, e);
    shape_c_strides(part->ndim, part->shape, dense);
    if (!rc)
        strided_copy(first + offset * item, to->strides, h.data, dense,
                     &(strided_elems){dtype_size(t), part->ndim, part->shape});
    host_view_release(rt, &h);
    return rc;
}

/* True if the host concatenates: a small result, or small computed inputs along the first axis. */
static bool host_concatenates(const gpa_arr *made, gpa_arr *const *in, int n, int axis) {
    const int64_t bytes = made->size * (int64_t)dtype_size((gpa_dtype)made->dtype);
    if (!made->storage->buf->host || bytes <= TUNE_HOST_CONCAT_MAX_BYTES)
        return made->storage->buf->host;
    if (axis || bytes / n > TUNE_HOST_CONCAT_MAX_BYTES) return false;
    for (int i = 0; i < n; i++)
        if (!is_in_host_memory(in[i])) return false;
    return true;
}

/* True if two inputs interleave element by element in the result, and can be stored as the real
 * and imaginary parts of complex elements: floats, or integers of their sizes reinterpreted. */
static bool are_pairs(gpa_arr *const *in, int n, int axis, gpa_dtype t) {
    if (n != 2 || axis != in[0]->ndim - 1 || in[0]->shape[axis] != 1 || in[1]->shape[axis] != 1 ||
        !in[0]->size)
        return false;
    if (t == DT_F32 || t == DT_F64) return true;
    return dtype_is_int(t) && dtype_size(t) >= 4 && in[0]->dtype == t && in[1]->dtype == t;
}

/* Stores both in one pass as complex elements. */
static gpa_code store_pairs(gpa_rt *rt, gpa_arr *to, gpa_arr *const *in, gpa_err *e) {
    gpa_dtype real = dtype_size((gpa_dtype)to->dtype) == 4 ? DT_F32 : DT_F64,
              both = real == DT_F32 ? DT_C64 : DT_C128;
    gpa_arr *pairs = NULL, *bits = NULL;
    node *n = NULL, *part[3] = {0}, *value = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 2; i++) {
        bool whole = dtype_is_int((gpa_dtype)to->dtype);
        if (whole) TRY(arr_reinterpret(rt, in[i], real, &bits, e));
        TRY(arr_node(rt, whole ? bits : in[i], &n, e));
        TRY(node_cast(rt, n, real, &part[i], e));
        node_release(rt, n);
        arr_release(rt, bits);
        n = NULL, bits = NULL;
    }
    TRY(arr_reinterpret(rt, to, both, &pairs, e));
    TRY(node_op(rt, OP_COMPLEX, both, part, &value, e));
    TRY(store_node(rt, pairs, value, NULL, e));
out:
    for (int i = 0; i < 2; i++) node_release(rt, part[i]);
    node_release(rt, n);
    node_release(rt, value);
    arr_release(rt, bits);
    arr_release(rt, pairs);
    return rc;
}

static gpa_code joined_dtype(gpa_arr *const *in, int n, gpa_dtype *out, gpa_err *e) {
    gpa_dtype few[8] = {DT_BOOL},
              *t = n <= (int)COUNT_OF(few) ? few : mem_new((size_t)n * sizeof *t);
    if (!t) return gpa_no_memory(e);
    for (int i = 0; i < n; i++) t[i] = (gpa_dtype)in[i]->dtype;
    *out = dtype_promote_all(t, n);
    if (t != few) mem_free(t);
    return GPA_OK;
}

static gpa_code concat_on_current(gpa_rt *rt, const arr_concatenation *c, gpa_arr **out,
                                  gpa_err *e) {
    gpa_arr *const *in = c->in;
    const gpa_dtype dtype = c->dtype;
    int n = c->n, axis = c->axis;
    int64_t shape[GPA_MAX_DIMS], offset = 0;
    gpa_arr *made = NULL;
    gpa_code rc = GPA_OK;
    if (n == 0) TRY(gpa_fail(e, GPA_E_VALUE, "need at least one array to concatenate"));
    if (in[0]->ndim == 0)
        TRY(gpa_fail(e, GPA_E_VALUE, "zero-dimensional arrays cannot be concatenated"));
    TRY(shape_axis(axis, in[0]->ndim, &axis, e));
    TRY(joined_shape(in, n, axis, shape, e));
    gpa_dtype t = dtype;
    if (t == DT_NONE) TRY(joined_dtype(in, n, &t, e));
    TRY(arr_empty(rt, &(arr_spec){t, in[0]->ndim, shape}, &made, e));
    bool host = host_concatenates(made, in, n, axis);
    if (host) {
        TRY(arr_eval(rt, in, n, e));
        TRY(exec_wait(rt, made->storage->buf->device, e));
    }
    if (!host && are_pairs(in, n, axis, t)) {
        TRY(store_pairs(rt, made, in, e));
        n = 0;
    }
    for (int i = 0; i < n; i++) {
        if (host)
            TRY(copy_part(rt, made, made->storage->buf->host, in[i], offset, e));
        else
            TRY(store_part(rt, made, in[i], offset, e));
        offset += in[i]->shape[axis] * made->strides[axis];
    }
    *out = made;
    made = NULL;
out:
    arr_release(rt, made);
    return rc;
}

gpa_code arr_concat(gpa_rt *rt, const arr_concatenation *c, gpa_arr **out, gpa_err *e) {
    device_scope p = device_scope_enter(rt, c->in, c->n);
    gpa_code rc = concat_on_current(rt, c, out, e);
    device_scope_leave(rt, p);
    return rc;
}
