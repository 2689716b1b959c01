/* Memory that arrays share with another language, of the host or of a GPU: foreign memory as an
 * array, and the elements of an array by their address.
 *
 * Invariant: while foreign code runs (between rt_finish_shared and rt_invalidate_shared) no pending
 * work reads or writes shared memory; afterwards every shared buffer has a new version, so that
 * values cached from earlier contents are not found again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/array/array.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/loop_batch.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"

/* A buffer of foreign memory. */
typedef struct {
    gpa_buf buf; /* first */
    arr_foreign_memory memory;
} foreign_buf;

static gpa_code share(gpa_rt *rt, gpa_buf *b, gpa_err *e) {
    if (b->shared) return GPA_OK;
    if (!mem_grow(&rt->shared.at, rt->shared.n, &rt->shared.cap, sizeof *rt->shared.at))
        return gpa_no_memory(e);
    rt->shared.at[rt->shared.n++] = b;
    b->shared = b->device->shares_memory = true;
    return GPA_OK;
}

/* Releases nothing: until the array exists, the caller keeps the owner. */
static void keep(void *owner) { (void)owner; }

/* Frees a buffer of foreign memory when neither an array nor pending work uses it. */
static void release_foreign(gpa_rt *rt, gpa_buf *b) {
    foreign_buf *f = (foreign_buf *)b;
    buf_unshare(rt, b);
    b->device->be->free(b->device->dev, b->mem);
    f->memory.release(f->memory.owner);
    mem_free(f);
}

/* The bytes below and above the first element that a layout reaches. */
static gpa_code reach(const arr_layout *l, int64_t *below, int64_t *above, gpa_err *e) {
    const int64_t item = (int64_t)dtype_size(l->dtype);
    *below = 0;
    *above = item;
    for (int k = 0; k < l->ndim; k++) {
        int64_t span;
        if (l->shape[k] == 0) *above = *below = 0;
        if (l->shape[k] == 0) return GPA_OK;
        if (__builtin_mul_overflow(l->shape[k] - 1, l->strides[k] * item, &span) ||
            __builtin_add_overflow(span < 0 ? *below : *above, span, span < 0 ? below : above))
            return gpa_fail(e, GPA_E_VALUE, "array is too big");
    }
    return GPA_OK;
}

/* The device whose programs can use the memory; NULL: none can. */
static gpa_code device_of(gpa_rt *rt, const arr_foreign_memory *m, gpa_device **out, gpa_err *e) {
    char name[16];
    snprintf(name, sizeof name, "cuda:%d", m->gpu);
    gpa_code rc =
        m->gpu == ARR_HOST_MEMORY ? device_default(rt, out, e) : device_named(rt, name, out, e);
    if (!rc && (!(*out)->be->adopt || (*out)->caps.host_visible != (m->gpu == ARR_HOST_MEMORY)))
        *out = NULL;
    return rc;
}

gpa_code arr_adopt(gpa_rt *rt, const arr_layout *l, const arr_foreign_memory *m, gpa_arr **out,
                   gpa_err *e) {
    gpa_device *d;
    int64_t below, above, size;
    *out = NULL;
    gpa_code rc = shape_check(l->ndim, l->shape, dtype_size(l->dtype), &size, e);
    if (!rc) rc = reach(l, &below, &above, e);
    if (!rc) rc = device_of(rt, m, &d, e);
    if (rc || !d || !size) return rc;
    foreign_buf *f = mem_zero(sizeof *f);
    if (!f) return gpa_no_memory(e);
    char *first = m->address, *base = first + below;
    gpa_buf *b = &f->buf;
    if ((rc = d->be->adopt(d->dev, base, (size_t)(above - below), &b->mem, e))) {
        mem_free(f);
        return rc;
    }
    b->device = d;
    b->host = d->caps.host_visible ? base : NULL;
    b->epoch = d->epoch;
    b->bytes = b->capacity = (size_t)(above - below);
    b->owners = 1;
    b->version = 1;
    b->release = release_foreign;
    f->memory = *m;
    f->memory.release = keep;
    const int64_t item = (int64_t)dtype_size(l->dtype);
    arr_layout at = *l;
    gpa_storage *s;
    at.offset = -below / item;
    rc = share(rt, b, e);
    if (rc) {
        release_foreign(rt, b);
        return rc;
    }
    rc = storage_of_buf_take(rt, b, l->dtype, (above - below) / item, &s, e);
    if (rc) return rc;
    rc = arr_handle(rt, s, &at, NULL, out, e);
    storage_release(rt, s);
    if (!rc) {
        f->memory.release = m->release;
        (*out)->readonly = m->readonly;
    }
    return rc;
}

/* The number in the name of a GPU. */
static int gpu_number(const gpa_device *d) {
    const char *colon = strchr(d->caps.name, ':');
    return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

gpa_code arr_expose(gpa_rt *rt, gpa_arr *a, arr_location *out, gpa_err *e) {
    *out = (arr_location){NULL, ARR_HOST_MEMORY};
    gpa_code rc = arr_force(rt, a, CUT_USER, e);
    if (rc) return rc;
    gpa_buf *b = a->storage->buf;
    const gpa_device *d = b->device;
    if (!d->be->base || !(b->host || d->caps.gpu)) return GPA_OK;
    rc = exec_wait(rt, b->device, e);
    if (!rc) rc = buf_check(b, e);
    if (!rc) rc = buf_host_access(b, 0, b->capacity, GPA_HOST_KEEP, e);
    if (!rc) rc = share(rt, b, e);
    if (rc) return rc;
    char *base = b->host ? b->host : d->be->base(b->mem);
    out->address = base + a->offset * (int64_t)dtype_size((gpa_dtype)a->dtype);
    if (!b->host) out->gpu = gpu_number(d);
    return GPA_OK;
}

/* Waits for all work on memory of GPUs that foreign code uses. */
static void sync_gpus(gpa_rt *rt, gpa_err *e) {
    for (gpa_device *d = rt->devices; d; d = d->next)
        if (d->shares_memory && !d->lost && d->be->sync_others)
            device_result(rt, d, d->be->sync_others(d->dev, e), e);
}

void rt_finish_shared(gpa_rt *rt) {
    gpa_err later = {
        0}; /* an array whose computation fails stays pending; reading it raises the error */
    if (!rt->shared.n) return;
    if (rt->n_pending || rt->loop_batch) rt_flush(rt, &later);
    for (gpa_device *d = rt->devices; d; d = d->next)
        if (!d->lost && d->caps.host_visible) exec_wait(rt, d, &later);
    sync_gpus(rt, &later);
}

void rt_invalidate_shared(gpa_rt *rt) {
    gpa_err later = {0};
    if (!rt->shared.n) return;
    for (size_t i = 0; i < rt->shared.n; i++) rt->shared.at[i]->version++;
    sync_gpus(rt, &later);
}
