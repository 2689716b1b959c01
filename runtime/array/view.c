/* Views: new handles on an array's storage. Nothing is computed or copied, with two exceptions:
 * reinterpreting bytes as another dtype computes the storage (.real and .imag do not), and a
 * reshape without suitable strides copies.
 *
 * Invariants: a view never reaches outside its storage; a view of a read-only array is read-
 * only. */
#include "runtime/array/array.h"
#include "runtime/graph/shape.h"

/* A handle on a's storage. Its base is the array that owns the data: bases do not chain, as in
 * NumPy. */
static gpa_code view_of(gpa_rt *rt, gpa_arr *a, const arr_layout *l, gpa_arr **out, gpa_err *e) {
    gpa_code rc = arr_handle(rt, a->storage, l, a->base ? a->base : a, out, e);
    if (!rc) (*out)->readonly = a->readonly;
    return rc;
}

void arr_own(gpa_rt *rt, gpa_arr *a) {
    arr_release(rt, a->base);
    a->base = NULL;
}

gpa_code arr_view(gpa_rt *rt, gpa_arr *a, const arr_layout *l, gpa_arr **out, gpa_err *e) {
    gpa_code rc = shape_check(l->ndim, l->shape, dtype_size(l->dtype), NULL, e);
    if (rc) return rc;
    const int64_t item = (int64_t)dtype_size((gpa_dtype)a->dtype), offset = a->offset + l->offset;
    int64_t lo, hi;
    shape_byte_range(&(shape_layout){l->ndim, l->shape, l->strides, offset, item}, &lo, &hi);
    if (lo < 0 || hi > a->storage->size * (int64_t)dtype_size((gpa_dtype)a->storage->dtype))
        return gpa_fail(e, GPA_E_VALUE, "the strides reach outside of the array's memory");
    return view_of(rt, a, &(arr_layout){l->dtype, l->ndim, l->shape, l->strides, offset}, out, e);
}

gpa_code arr_set_writeable(gpa_arr *a, bool writeable, gpa_err *e) {
    bool shared = a->base && a->base->readonly;
    for (int d = 0; d < a->ndim; d++) shared |= a->strides[d] == 0 && a->shape[d] > 1;
    if (writeable && shared)
        return gpa_fail(e, GPA_E_VALUE, "cannot set WRITEABLE flag to True of this array");
    a->readonly = !writeable;
    return GPA_OK;
}

gpa_code arr_part(gpa_rt *rt, gpa_arr *a, bool imag, gpa_arr **out, gpa_err *e) {
    gpa_dtype t = (gpa_dtype)a->dtype, part = dtype_info[t].real;
    if (!dtype_is_complex(t)) {
        if (!imag)
            return view_of(rt, a, &(arr_layout){t, a->ndim, a->shape, a->strides, a->offset}, out,
                           e);
        gpa_code rc =
            arr_full(rt, &(arr_spec){t, a->ndim, a->shape}, (gpa_val){.bits = {0, 0}}, out, e);
        if (!rc) (*out)->readonly = true;
        return rc;
    }
    int64_t strides[GPA_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++) strides[d] = a->strides[d] * 2;
    return view_of(rt, a, &(arr_layout){part, a->ndim, a->shape, strides, a->offset * 2 + imag},
                   out, e);
}

/* ---- reinterpreting ---- */

/* The extent of the last axis when elements of `was` bytes are read as elements of `now` bytes. */
static gpa_code reinterpreted_extent(const gpa_arr *a, int64_t was, int64_t now, int64_t *last,
                                     gpa_err *e) {
    if (a->ndim == 0)
        return gpa_fail(
            e, GPA_E_VALUE,
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    int64_t n = a->shape[a->ndim - 1];
    if (n != 1 && a->size != 0 && a->strides[a->ndim - 1] != 1)
        return gpa_fail(
            e, GPA_E_VALUE,
            "To change to a dtype of a different size, the last axis must be contiguous");
    if (n * was % now)
        return gpa_fail(
            e, GPA_E_VALUE,
            "When changing to a larger dtype, its size must be a divisor of the total size in "
            "bytes of the last axis of the array.");
    *last = n * was / now;
    return GPA_OK;
}

gpa_code arr_reinterpret(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e) {
    int64_t was = (int64_t)dtype_size((gpa_dtype)a->dtype), now = (int64_t)dtype_size(t);
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    if (t != a->dtype) rc = arr_force(rt, a, CUT_SHAPE, e);
    if (rc) return rc;
    if (was == now)
        return view_of(rt, a, &(arr_layout){t, a->ndim, a->shape, a->strides, a->offset}, out, e);
    memcpy(shape, a->shape, a->ndim * sizeof *shape);
    rc = reinterpreted_extent(a, was, now, a->ndim ? &shape[a->ndim - 1] : NULL, e);
    if (rc) return rc;
    bool whole = a->offset * was % now == 0 || !a->size; /* no elements: always aligned */
    for (int d = 0; d < a->ndim - 1; d++) {
        whole &= a->strides[d] * was % now == 0 || !a->size;
        strides[d] = a->strides[d] * was / now;
    }
    strides[a->ndim - 1] = 1;
    if (!whole) {
        gpa_fail(e, GPA_E_UNSUPPORTED, "a view as %s whose elements would not be aligned",
                 dtype_info[t].name);
        gpa_err_hint(e, "take a copy first: a.copy().view(...)");
        return GPA_E_UNSUPPORTED;
    }
    return view_of(rt, a, &(arr_layout){t, a->ndim, shape, strides, a->offset * was / now}, out, e);
}

/* ---- axes and shapes ---- */

gpa_code arr_transpose(gpa_rt *rt, gpa_arr *a, const int *perm, gpa_arr **out, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_axes seen = 0;
    for (int d = 0; d < a->ndim; d++) {
        int from = a->ndim - 1 - d;
        if (perm) {
            gpa_code rc = shape_axis(perm[d], a->ndim, &from, e);
            if (rc) return rc;
        }
        if (seen >> from & 1) return gpa_fail(e, GPA_E_VALUE, "repeated axis in transpose");
        seen |= gpa_axis(from);
        shape[d] = a->shape[from];
        strides[d] = a->strides[from];
    }
    return view_of(rt, a, &(arr_layout){(gpa_dtype)a->dtype, a->ndim, shape, strides, a->offset},
                   out, e);
}

gpa_code arr_reshape(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                     gpa_err *e) {
    int64_t to[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_arr *copy = NULL;
    gpa_code rc = GPA_OK;
    if (ndim > GPA_MAX_DIMS) TRY(shape_check(ndim, shape, 1, NULL, e));
    if (ndim) memcpy(to, shape, (size_t)ndim * sizeof *to);
    TRY(shape_infer(a->size, ndim, to, e));
    TRY(shape_check(ndim, to, 1, NULL, e));
    if (!shape_reshape_strides(a->ndim, a->shape, a->strides, ndim, to, strides)) {
        TRY(arr_copy(rt, a, &copy, e));
        a = copy;
        shape_c_strides(ndim, to, strides);
    }
    TRY(view_of(rt, a, &(arr_layout){(gpa_dtype)a->dtype, ndim, to, strides, a->offset}, out, e));
out:
    arr_release(rt, copy);
    return rc;
}

gpa_code arr_reshaped_copy(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                           gpa_err *e) {
    gpa_arr *copy;
    gpa_code rc = arr_copy(rt, a, &copy, e);
    if (rc) return rc;
    rc = arr_reshape(rt, copy, ndim, shape, out, e);
    arr_release(rt, copy);
    if (!rc) arr_own(rt, *out);
    return rc;
}

gpa_code arr_broadcast_to(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                          gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS];
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return gpa_fail(e, GPA_E_VALUE, "all elements of broadcast shape must be non-negative");
    gpa_code rc = shape_check(ndim, shape, dtype_size((gpa_dtype)a->dtype), NULL, e);
    if (rc) return rc;
    if (ndim < a->ndim && ndim == 0)
        return gpa_fail(e, GPA_E_VALUE, "cannot broadcast a non-scalar to a scalar array");
    if (ndim < a->ndim)
        return gpa_fail(e, GPA_E_VALUE,
                        "input operand has more dimensions than allowed by the axis remapping");
    if (!shape_broadcast_strides(a->ndim, a->shape, a->strides, ndim, shape, strides)) {
        char from[SHAPE_TEXT], to[SHAPE_TEXT];
        return gpa_fail(e, GPA_E_VALUE,
                        "operands could not be broadcast together with remapped shapes "
                        "[original->remapped]: %s  and "
                        "requested shape %s",
                        shape_text(from, a->ndim, a->shape), shape_text(to, ndim, shape));
    }
    rc =
        view_of(rt, a, &(arr_layout){(gpa_dtype)a->dtype, ndim, shape, strides, a->offset}, out, e);
    if (!rc) (*out)->readonly = true;
    return rc;
}

/* The error for two of the first n arrays that do not broadcast: the last, and the one it
 * conflicts with. */
static gpa_code fail_broadcast(gpa_arr *const *in, int n, gpa_err *e) {
    const gpa_arr *last = in[n - 1];
    char one[SHAPE_TEXT], two[SHAPE_TEXT];
    for (int i = 0; i < n - 1; i++)
        for (int d = 1; d <= MIN(in[i]->ndim, last->ndim); d++) {
            int64_t x = in[i]->shape[in[i]->ndim - d], y = last->shape[last->ndim - d];
            if (x == 1 || y == 1 || x == y) continue;
            return gpa_fail(e, GPA_E_VALUE,
                            "shape mismatch: objects cannot be broadcast to a single shape.  "
                            "Mismatch is between arg %d with "
                            "shape %s and arg %d with shape %s.",
                            i, shape_text(one, in[i]->ndim, in[i]->shape), n - 1,
                            shape_text(two, last->ndim, last->shape));
        }
    return gpa_fail(e, GPA_E_VALUE,
                    "shape mismatch: objects cannot be broadcast to a single shape.");
}

gpa_code arr_broadcast_shape(gpa_arr *const *in, int n, int *ndim, int64_t *shape, gpa_err *e) {
    *ndim = 0;
    for (int i = 0; i < n; i++)
        if (!shape_broadcast(ndim, shape, in[i]->ndim, in[i]->shape))
            return fail_broadcast(in, i + 1, e);
    return GPA_OK;
}

bool arr_shares_memory(const gpa_arr *a, const gpa_arr *b) {
    if (a->storage != b->storage) return false;
    shape_layout ma = {a->ndim, a->shape, a->strides, a->offset,
                       (int64_t)dtype_size((gpa_dtype)a->dtype)};
    shape_layout mb = {b->ndim, b->shape, b->strides, b->offset,
                       (int64_t)dtype_size((gpa_dtype)b->dtype)};
    return shape_overlap(&ma, &mb) != OVERLAP_NONE;
}

bool arr_may_share_memory(const gpa_arr *a, const gpa_arr *b) {
    int64_t lo[2], hi[2];
    if (a->storage != b->storage || a->size == 0 || b->size == 0) return false;
    shape_byte_range(&(shape_layout){a->ndim, a->shape, a->strides, a->offset,
                                     (int64_t)dtype_size((gpa_dtype)a->dtype)},
                     &lo[0], &hi[0]);
    shape_byte_range(&(shape_layout){b->ndim, b->shape, b->strides, b->offset,
                                     (int64_t)dtype_size((gpa_dtype)b->dtype)},
                     &lo[1], &hi[1]);
    return lo[0] < hi[1] && lo[1] < hi[0];
}
