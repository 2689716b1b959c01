/* Host memory that arrays share with another language: foreign memory as an array, and the elements
 * of an array by their address.
 *
 * Invariant: while foreign code runs (between rt_finish_shared and rt_invalidate_shared) no pending
 * work reads or writes shared memory; afterwards every shared buffer has a new version, so that
 * values cached from earlier contents are not found again. */
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
    b->shared = true;
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

gpa_code arr_adopt(gpa_rt *rt, const arr_layout *l, const arr_foreign_memory *m, gpa_arr **out,
                   gpa_err *e) {
    gpa_device *d;
    int64_t below, above, size;
    *out = NULL;
    gpa_code rc = shape_check(l->ndim, l->shape, dtype_size(l->dtype), &size, e);
    if (!rc) rc = reach(l, &below, &above, e);
    if (!rc) rc = device_default(rt, &d, e);
    if (rc || !d->be->adopt || !size) return rc;
    foreign_buf *f = mem_zero(sizeof *f);
    if (!f) return gpa_no_memory(e);
    char *first = m->address, *base = first + below;
    gpa_buf *b = &f->buf;
    if ((rc = d->be->adopt(d->dev, base, (size_t)(above - below), &b->mem, e))) {
        mem_free(f);
        return rc;
    }
    b->device = d;
    b->host = base;
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

gpa_code arr_expose(gpa_rt *rt, gpa_arr *a, void **first, gpa_err *e) {
    *first = NULL;
    gpa_code rc = arr_force(rt, a, CUT_USER, e);
    if (rc || !a->storage->buf->host) return rc;
    rc = exec_wait(rt, a->storage->buf->device, e);
    if (!rc) rc = buf_check(a->storage->buf, e);
    if (!rc) rc = share(rt, a->storage->buf, e);
    if (!rc) *first = a->storage->buf->host + a->offset * (int64_t)dtype_size((gpa_dtype)a->dtype);
    return rc;
}

void rt_finish_shared(gpa_rt *rt) {
    gpa_err later = {0}; /* an array whose work fails stays pending and says so when it is read */
    if (!rt->shared.n) return;
    if (rt->n_pending || rt->loop_batch) rt_flush(rt, &later);
    for (gpa_device *d = rt->devices; d; d = d->next)
        if (!d->lost && d->caps.host_visible) exec_wait(rt, d, &later);
}

void rt_invalidate_shared(gpa_rt *rt) {
    for (size_t i = 0; i < rt->shared.n; i++) rt->shared.at[i]->version++;
}
