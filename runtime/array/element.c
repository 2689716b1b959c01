/* Reads of whole arrays and of single elements, and stores of single elements. Scalar loops
 * access elements one by one: in computed host-visible memory that is a bounds check and a load
 * or store. */
#include "runtime/exec/deferred_error.h"
#include "runtime/array/tape.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/loop_log.h"
#include "runtime/array/host_view.h"
#include "runtime/exec/rt.h"
#include "runtime/array/store.h"
#include "runtime/tables/tuning.h"

/* True if the pending value is one broadcast scalar: its elements need no computation. */
static bool is_constant(const gpa_arr *a, gpa_val *out) {
    const node *n = a->storage->node;
    if (n->kind == NODE_VIEW) n = n->in[0];
    if (n->kind != NODE_SCALAR || n->dtype != a->dtype) return false;
    *out = n->v;
    return true;
}

gpa_code arr_read(gpa_rt *rt, gpa_arr *a, void *to, gpa_err *e) {
    gpa_val v;
    gpa_code rc = tape_concrete(rt, a, e);
    if (rc) return rc;
    if (arr_is_pending(a) && is_constant(a, &v)) {
        for (int64_t i = 0; i < a->size; i++)
            dtype_store((char *)to + i * (int64_t)dtype_size((gpa_dtype)a->dtype),
                        (gpa_dtype)a->dtype, v);
        return GPA_OK;
    }
    rc = arr_force(rt, a, CUT_NEEDED, e);
    return rc ? rc : host_read(rt, a, to, e);
}

/* ---- elements of memory that the host cannot access ---- */

/* Downloads n bytes of b at `at`. */
static gpa_code download(gpa_rt *rt, gpa_buf *b, size_t at, size_t n, void *to, gpa_err *e) {
    const gpa_device *d = b->device;
    gpa_code rc = device_result(rt, b->device, d->be->download(d->dev, to, b->mem, at, n, e), e);
    rc = exec_report_faults(rt, b->device, rc, e);
    return rc ? rc : buf_check(b, e);
}

static bool has_copy(const gpa_buf *b) {
    return b->host_copy && b->host_copy->version == b->version && !b->shared;
}

/* True if so many elements were read from a buffer that a copy of all costs no more. */
static bool deserves_copy(gpa_buf *b) {
    if (b->reads_version != b->version) b->reads = 0;
    b->reads_version = b->version;
    b->reads++;
    return !b->shared && b->bytes <= (size_t)TUNE_HOST_COPY_MAX_BYTES &&
           b->bytes / (size_t)TUNE_HOST_COPY_BYTES_PER_READ < b->reads;
}

/* Replaces the copy of a buffer; without memory there is none. */
static gpa_code make_copy(gpa_rt *rt, gpa_buf *b, gpa_err *e) {
    mem_free(b->host_copy);
    b->host_copy = mem_new(sizeof *b->host_copy + b->bytes);
    if (!b->host_copy) return GPA_OK;
    *b->host_copy = (buf_host_copy){.version = b->version, .n = b->bytes};
    gpa_code rc = download(rt, b, 0, b->bytes, b->host_copy->bytes, e);
    if (!rc) return GPA_OK;
    mem_free(b->host_copy);
    b->host_copy = NULL;
    return rc;
}

/* Reads n bytes of b at `at`. A program that reads element by element waits for the device a few
 * times, not for each: then the buffer has a copy, until it is stored to. */
static gpa_code fetch_bytes(gpa_rt *rt, gpa_buf *b, size_t at, size_t n, void *to, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (!has_copy(b) && deserves_copy(b)) rc = make_copy(rt, b, e);
    if (rc || !has_copy(b) || at + n > b->host_copy->n)
        return rc ? rc : download(rt, b, at, n, to, e);
    memcpy(to, b->host_copy->bytes + at, n);
    return GPA_OK;
}

/* ---- reads ---- */

/* Reads the element at `offset` after a wait, or by a download. */
static gpa_code fetch_one(gpa_rt *rt, gpa_buf *b, gpa_dtype t, int64_t offset, gpa_val *out,
                          gpa_err *e) {
    size_t item = dtype_size(t);
    char raw[sizeof(gpa_val)];
    gpa_code rc = buf_check(b, e);
    if (b->host) {
        if (!rc) rc = exec_wait_launched(rt, b->device, e);
        if (!rc) rc = buf_host_access(b, (size_t)offset * item, item, GPA_HOST_READ, e);
        if (!rc) *out = dtype_load(b->host + offset * (int64_t)item, t);
        if (!rc) loop_log_read(rt, b, t, offset, *out);
        return rc;
    }
    if (!rc) rc = fetch_bytes(rt, b, (size_t)offset * item, item, raw, e);
    if (!rc) *out = dtype_load(raw, t);
    if (!rc) loop_log_read(rt, b, t, offset, *out);
    return rc;
}

static inline gpa_code read_one(gpa_rt *rt, gpa_arr *a, int64_t offset, gpa_val *out, gpa_err *e) {
    const gpa_storage *s = a->storage;
    gpa_dtype t = (gpa_dtype)a->dtype;
    if (s->node) {
        if (is_constant(a, out)) return GPA_OK;
        /* One element of computed memory: reading it needs no program. */
        const node *n = s->node;
        if (n->kind == NODE_BUF && n->size == 1 && n->dtype == a->dtype)
            return fetch_one(rt, n->buf, t, n->map[n->ndim], out, e);
        gpa_code rc = arr_force(rt, a, CUT_NEEDED, e);
        if (rc) return rc;
    }
    if (!host_can_read_now(rt, s->buf)) return fetch_one(rt, s->buf, t, offset, out, e);
    *out = dtype_load(s->buf->host + offset * (int64_t)dtype_size(t), t);
    loop_log_read(rt, s->buf, t, offset, *out);
    return GPA_OK;
}

gpa_code arr_item(gpa_rt *rt, gpa_arr *a, gpa_val *out, gpa_err *e) {
    gpa_code rc = tape_concrete(rt, a, e);
    if (rc) return rc;
    if (a->size != 1)
        return gpa_fail(e, GPA_E_VALUE, "can only convert an array of size 1 to a Python scalar");
    return read_one(rt, a, a->offset, out, e);
}

static gpa_code find_element(const gpa_arr *a, const int64_t *ix, int n, int64_t *offset,
                             gpa_err *e) {
    if (n != a->ndim)
        return gpa_fail(
            e, GPA_E_INDEX,
            n > a->ndim ? "too many indices for array: array is %d-dimensional, but %d were indexed"
                        : "an element of a %d-dimensional array is not found by %d indices",
            a->ndim, n);
    int64_t at = a->offset;
    for (int d = 0; d < n; d++) {
        int64_t i = ix[d], extent = a->shape[d];
        if (i < 0) i += extent;
        if (i < 0 || i >= extent)
            return gpa_fail(e, GPA_E_INDEX,
                            "index %lld is out of bounds for axis %d with size %lld",
                            (long long)ix[d], d, (long long)extent);
        at += i * a->strides[d];
    }
    *offset = at;
    return GPA_OK;
}

gpa_code arr_get_item(gpa_rt *rt, gpa_arr *a, const int64_t *ix, int n, gpa_val *out, gpa_err *e) {
    int64_t offset = 0;
    gpa_code rc = tape_concrete(rt, a, e);
    if (!rc) rc = find_element(a, ix, n, &offset, e);
    return rc ? rc : read_one(rt, a, offset, out, e);
}

/* Records the store of an element by the host. */
static void log_element(gpa_rt *rt, const gpa_arr *a, int64_t offset, gpa_val v) {
    if (!rt_loop_is_recorded(rt)) return;
    gpa_arr one = *a;
    one.ndim = 0;
    one.offset = offset;
    loop_log_store(rt, &(log_store){&one, NULL, NULL, v});
}

/* a's element at `offset` = v, in a loop that is recorded. */
static gpa_code store_by_launch(gpa_rt *rt, gpa_arr *a, int64_t offset, gpa_val v, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a->dtype;
    gpa_arr *one = NULL;
    node *value = NULL;
    gpa_code rc =
        arr_view(rt, a, &(arr_layout){t, 0, a->shape, a->strides, offset - a->offset}, &one, e);
    if (!rc) rc = node_scalar(rt, t, v, &value, e);
    if (!rc) rc = store_node(rt, one, value, NULL, e);
    node_release(rt, value);
    arr_release(rt, one);
    return rc;
}

/* Before a store of a number into an element: records keep the old value, and the store. */
static gpa_code note_element(gpa_rt *rt, gpa_arr *a, int64_t offset, const gpa_opnd *number,
                             gpa_err *e) {
    gpa_arr *one;
    const arr_layout l = {(gpa_dtype)a->dtype, 0, NULL, NULL, offset};
    gpa_code rc = arr_handle(rt, a->storage, &l, a, &one, e);
    if (rc) return rc;
    rc = tape_before_store(rt, one, e);
    if (!rc && tape_is_on(rt))
        rc = tape_note_index(rt, &(tape_indexing){"setitem", NULL, number}, a, one, e);
    arr_release(rt, one);
    return rc;
}

gpa_code arr_set_item(gpa_rt *rt, gpa_arr *a, const int64_t *ix, int n, const gpa_opnd *value,
                      gpa_err *e) {
    int64_t offset = 0;
    if (a->readonly) return gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only");
    gpa_code rc = find_element(a, ix, n, &offset, e);
    if (!rc && rt->tape) rc = note_element(rt, a, offset, value, e);
    if (rc) return rc;
    /* Pending work must read the old value. */
    if (arr_is_pending(a) || a->storage->buf->readers) rc = store_begin(rt, a, e);
    if (rc) return rc;
    gpa_buf *b = a->storage->buf;
    gpa_dtype own = (gpa_dtype)a->dtype;
    size_t item = dtype_size(own);
    gpa_val v = value->dtype == own ? value->v : dtype_cast(value->v, value->dtype, own);
    b->version++;
    if (b->host) {
        if (!exec_is_idle(rt, b->device)) rc = exec_wait_launched(rt, b->device, e);
        if (!rc) rc = buf_host_access(b, (size_t)offset * item, item, GPA_HOST_WRITE, e);
        if (!rc) dtype_store(b->host + offset * (int64_t)item, own, v);
        log_element(rt, a, offset, v);
        return rc;
    }
    if (rt_loop_is_recorded(rt)) return store_by_launch(rt, a, offset, v, e);
    char raw[sizeof(gpa_val)];
    dtype_store(raw, own, v);
    rc = buf_check(b, e);
    return rc ? rc
              : b->device->be->upload(b->device->dev, b->mem, (size_t)offset * item, raw, item, e);
}

void arr_drop_value(const gpa_rt *rt, gpa_arr *a) {
    gpa_storage *s = a->storage;
    s->dead = s->node && s->refs == 1 && !tape_is_on(rt);
    if (s->dead && s->node->owner == s) s->node->owner = NULL; /* it is not materialized */
}
