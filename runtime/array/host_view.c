/* Host access to array elements. Reading order: reading, writing, new arrays. */
#include "runtime/array/host_view.h"

#include "runtime/exec/exec.h"
#include "runtime/exec/loop_log.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"
#include "runtime/array/tape.h"

gpa_code host_access_strided(const gpa_buf *b, const shape_layout *m, gpa_host_use use,
                             gpa_err *e) {
    int64_t lo, hi;
    if (!b->is_distributed) return GPA_OK;
    shape_byte_range(m, &lo, &hi);
    return buf_host_access(b, (size_t)lo, (size_t)(hi - lo), use, e);
}

gpa_code host_access_elements(const gpa_arr *a, gpa_host_use use, gpa_err *e) {
    const int64_t item = (int64_t)dtype_size((gpa_dtype)a->dtype);
    return host_access_strided(
        a->storage->buf, &(shape_layout){a->ndim, a->shape, a->strides, a->offset, item}, use, e);
}

static gpa_code wait_for(gpa_rt *rt, const gpa_arr *a, gpa_host_use use, gpa_err *e) {
    gpa_code rc = exec_wait(rt, a->storage->buf->device, e);
    return rc ? rc : host_access_elements(a, use, e);
}

/* ---- reading ---- */

/* The address of an array's first element, on a host-visible device. */
static char *address(const gpa_arr *a) {
    return a->storage->buf->host + a->offset * (int64_t)dtype_size((gpa_dtype)a->dtype);
}

/* The bytes [*lo, *hi) of its storage that an array touches. */
static void extent_in_storage(const gpa_arr *a, int64_t *lo, int64_t *hi) {
    shape_byte_range(&(shape_layout){a->ndim, a->shape, a->strides, a->offset,
                                     (int64_t)dtype_size((gpa_dtype)a->dtype)},
                     lo, hi);
}

/* Downloads the elements in C order: directly if they are contiguous, through a contiguous
 * copy on the device if they occupy less than half of their extent, else as a block that is
 * packed here. */
static gpa_code fetch(gpa_rt *rt, gpa_arr *a, void *to, gpa_err *e) {
    size_t item = dtype_size((gpa_dtype)a->dtype);
    gpa_buf *b = a->storage->buf;
    int64_t lo, hi, dense[GPA_MAX_DIMS];
    gpa_arr *copy = NULL;
    void *block = NULL;
    gpa_code rc = GPA_OK;
    if (arr_is_contiguous(a)) {
        TRY(b->device->be->download(b->device->dev, to, b->mem, (size_t)a->offset * item,
                                    (size_t)a->size * item, e));
        goto out;
    }
    extent_in_storage(a, &lo, &hi);
    if (hi - lo > MAX(4096, 2 * a->size * (int64_t)item)) {
        TRY(arr_copy(rt, a, &copy, e));
        TRY(arr_force(rt, copy, CUT_NEEDED, e));
        b = copy->storage->buf;
        TRY(b->device->be->download(b->device->dev, to, b->mem, (size_t)copy->offset * item,
                                    (size_t)a->size * item, e));
        goto out;
    }
    block = mem_new((size_t)(hi - lo));
    if (!block) TRY(gpa_no_memory(e));
    TRY(b->device->be->download(b->device->dev, block, b->mem, (size_t)lo, (size_t)(hi - lo), e));
    shape_c_strides(a->ndim, a->shape, dense);
    strided_copy(to, dense, (char *)block + (a->offset * (int64_t)item - lo), a->strides,
                 &(strided_elems){item, a->ndim, a->shape});
out:
    mem_free(block);
    arr_release(rt, copy);
    return rc;
}

gpa_code host_read(gpa_rt *rt, gpa_arr *a, void *to, gpa_err *e) {
    if (a->size == 0) return GPA_OK;
    gpa_device *d = a->storage->buf->device;
    if (!d->caps.host_visible) {
        gpa_buf *b = a->storage->buf;
        gpa_code rc = exec_report_faults(rt, d, device_result(rt, d, fetch(rt, a, to, e), e), e);
        return rc ? rc : buf_check(b, e);
    }
    gpa_code rc = wait_for(rt, a, GPA_HOST_READ, e);
    if (rc) return rc;
    int64_t dense[GPA_MAX_DIMS];
    shape_c_strides(a->ndim, a->shape, dense);
    strided_copy(to, dense, address(a), a->strides,
                 &(strided_elems){dtype_size((gpa_dtype)a->dtype), a->ndim, a->shape});
    return GPA_OK;
}

/* Takes over the caller's reference to a. */
static gpa_code get_take(gpa_rt *rt, gpa_arr *a, host_view *h, gpa_err *e) {
    *h = (host_view){"", a, NULL};
    gpa_code rc = arr_force(rt, a, CUT_LIBRARY, e);
    if (rc || a->size == 0) return rc;
    gpa_device *d = a->storage->buf->device;
    if (d->caps.host_visible && arr_is_contiguous(a)) {
        h->data = address(a);
        return wait_for(rt, a, GPA_HOST_READ, e);
    }
    h->own = mem_new((size_t)a->size * dtype_size((gpa_dtype)a->dtype));
    if (!h->own) return gpa_no_memory(e);
    h->data = h->own;
    return host_read(rt, a, h->own, e);
}

/* Rejects an active array: the host records no operation, so the gradient would be lost. */
static gpa_code refuse_traced(gpa_rt *rt, gpa_arr *a, host_view *h, gpa_err *e) {
    *h = (host_view){"", NULL, NULL};
    return tape_refuse(rt, "this operation", &a, 1, e);
}

gpa_code host_view_get(gpa_rt *rt, gpa_arr *a, host_view *h, gpa_err *e) {
    gpa_code rc = refuse_traced(rt, a, h, e);
    return rc ? rc : get_take(rt, arr_retain(a), h, e);
}

gpa_code host_view_get_strided(gpa_rt *rt, gpa_arr *a, host_view *h, int64_t *strides, gpa_err *e) {
    gpa_code rc = refuse_traced(rt, a, h, e);
    if (rc) return rc;
    *h = (host_view){"", arr_retain(a), NULL};
    rc = arr_force(rt, a, CUT_LIBRARY, e);
    if (rc) return rc;
    if (a->size == 0 || !a->storage->buf->device->caps.host_visible) {
        shape_c_strides(a->ndim, a->shape, strides);
        host_view_release(rt, h);
        return host_view_get(rt, a, h, e);
    }
    memcpy(strides, a->strides, (size_t)a->ndim * sizeof *strides);
    h->data = address(a);
    return wait_for(rt, a, GPA_HOST_READ, e);
}

gpa_code host_view_get_as(gpa_rt *rt, gpa_arr *a, gpa_dtype t, host_view *h, gpa_err *e) {
    gpa_arr *cast = NULL;
    gpa_code rc = refuse_traced(rt, a, h, e);
    if (!rc) rc = arr_cast(rt, a, t, false, &cast, e);
    return rc ? rc : get_take(rt, cast, h, e);
}

void host_view_release(gpa_rt *rt, host_view *h) {
    mem_free(h->own);
    arr_release(rt, h->arr);
    *h = (host_view){"", NULL, NULL};
}

/* ---- writing ---- */

/* Opens an array whose elements share memory, on a device that is not host-visible. */
static gpa_code open_extent(gpa_rt *rt, gpa_arr *a, host_target *p, gpa_err *e) {
    gpa_buf *b = a->storage->buf;
    gpa_device *d = b->device;
    int64_t lo, hi;
    extent_in_storage(a, &lo, &hi);
    p->own = mem_new((size_t)(hi - lo));
    if (!p->own) return gpa_no_memory(e);
    gpa_code rc = d->be->download(d->dev, p->own, b->mem, (size_t)lo, (size_t)(hi - lo), e);
    rc = exec_report_faults(rt, d, device_result(rt, d, rc, e), e);
    if (!rc) rc = buf_check(b, e);
    p->first = (char *)p->own + (a->offset * (int64_t)dtype_size((gpa_dtype)a->dtype) - lo);
    if (!rc) return GPA_OK;
    mem_free(p->own);
    p->own = NULL;
    return rc;
}

gpa_code host_target_open(gpa_rt *rt, gpa_arr *a, bool keep, host_target *p, gpa_err *e) {
    *p = (host_target){.arr = a, .strides = a->strides};
    gpa_code rc = store_begin(rt, a, e);
    if (rc || a->size == 0) return rc;
    gpa_buf *b = a->storage->buf;
    if (b->device->caps.host_visible) {
        rc = wait_for(rt, a, GPA_HOST_WRITE, e);
        p->first = address(a);
        return rc;
    }
    if (!shape_is_injective(a->ndim, a->shape, a->strides)) return open_extent(rt, a, p, e);
    p->own = mem_new((size_t)a->size * dtype_size((gpa_dtype)a->dtype));
    if (!p->own) return gpa_no_memory(e);
    p->first = p->own;
    p->strides = p->own_strides;
    shape_c_strides(a->ndim, a->shape, p->own_strides);
    if (keep) rc = host_read(rt, a, p->own, e);
    if (rc) {
        mem_free(p->own);
        p->own = NULL;
    }
    return rc;
}

void host_target_strides(const gpa_arr *a, int64_t *out) {
    if (a->storage->buf->host || !shape_is_injective(a->ndim, a->shape, a->strides))
        memcpy(out, a->strides, a->ndim * sizeof *out);
    else
        shape_c_strides(a->ndim, a->shape, out);
}

gpa_code host_target_close(gpa_rt *rt, host_target *p, gpa_err *e) {
    gpa_arr *a = p->arr, *block = NULL;
    gpa_code rc = GPA_OK;
    loop_log_refuse(rt, RT_LOOP_HOST);
    if (!p->own) goto out;
    gpa_buf *b = a->storage->buf;
    size_t item = dtype_size((gpa_dtype)a->dtype);
    if (arr_is_contiguous(a)) {
        TRY(b->device->be->upload(b->device->dev, b->mem, (size_t)a->offset * item, p->own,
                                  (size_t)a->size * item, e));
    } else if (p->strides == a->strides) {
        int64_t lo, hi;
        extent_in_storage(a, &lo, &hi);
        TRY(b->device->be->upload(b->device->dev, b->mem, (size_t)lo, p->own, (size_t)(hi - lo),
                                  e));
    } else {
        node *value = NULL;
        TRY(arr_from(rt, &(arr_spec){(gpa_dtype)a->dtype, a->ndim, a->shape}, p->own, &block, e));
        TRY(arr_node(rt, block, &value, e));
        rc = store_node(rt, a, value, NULL, e);
        node_release(rt, value);
    }
out:
    arr_release(rt, block);
    mem_free(p->own);
    p->own = NULL;
    return rc;
}

/* ---- new arrays ---- */

gpa_code host_result_new(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, host_result *n,
                         gpa_err *e) {
    *n = (host_result){NULL, NULL, NULL};
    gpa_code rc = arr_empty(rt, &(arr_spec){t, ndim, shape}, &n->arr, e);
    if (!rc) rc = arr_force(rt, n->arr, CUT_LIBRARY, e);
    if (rc) goto fail;
    gpa_device *d = n->arr->storage->buf->device;
    if (d->caps.host_visible) {
        n->data = address(n->arr);
        /* Work launched before the block was recycled may still use it. */
        rc = wait_for(rt, n->arr, GPA_HOST_WRITE, e);
        if (rc) goto fail;
        return GPA_OK;
    }
    n->own = n->data = mem_new((size_t)n->arr->size * dtype_size(t));
    if (n->own) return GPA_OK;
    rc = gpa_no_memory(e);
fail:
    host_result_discard(rt, n);
    return rc;
}

gpa_code host_result_finish(gpa_rt *rt, host_result *n, gpa_arr **out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    loop_log_refuse(rt, RT_LOOP_HOST);
    if (n->own && n->arr->size) {
        gpa_buf *b = n->arr->storage->buf;
        rc = b->device->be->upload(b->device->dev, b->mem, 0, n->own,
                                   (size_t)n->arr->size * dtype_size((gpa_dtype)n->arr->dtype), e);
    }
    if (!rc) {
        *out = n->arr;
        n->arr = NULL;
    }
    host_result_discard(rt, n);
    return rc;
}

void host_result_discard(gpa_rt *rt, host_result *n) {
    mem_free(n->own);
    arr_release(rt, n->arr);
    *n = (host_result){NULL, NULL, NULL};
}

gpa_code arr_filled(gpa_rt *rt, const arr_spec *s, gpa_code (*fill)(void *user, void *to, size_t n),
                    void *user, gpa_arr **out, gpa_err *e) {
    host_result made;
    gpa_code rc = host_result_new(rt, s->dtype, s->ndim, s->shape, &made, e);
    if (rc) return rc;
    rc = fill(user, made.data, (size_t)made.arr->size * dtype_size(s->dtype));
    if (!rc) return host_result_finish(rt, &made, out, e);
    host_result_discard(rt, &made);
    return rc;
}
