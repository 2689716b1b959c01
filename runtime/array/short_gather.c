/* Gathers of a few elements, which the host computes at once. */
#include "runtime/array/short_gather.h"

#include "runtime/array/host_view.h"
#include "runtime/exec/rt.h"
#include "runtime/tables/tuning.h"

/* True if the elements are computed and the host may read them now. */
static bool is_readable(const gpa_rt *rt, const gpa_arr *a) {
    return !a->storage->node && a->storage->buf && a->storage->buf->device->caps.host_visible &&
           host_can_read_now(rt, a->storage->buf);
}

bool short_gather_can(const gpa_rt *rt, const gpa_arr *a, const index_plan *p) {
    if (p->n != 1 || p->at[0].kind != AT_INDICES || p->at[0].axis || a->ndim != 1) return false;
    const gpa_arr *at = p->at[0].arr;
    return at->ndim == 1 && at->size <= TUNE_GATHER_NOW_MAX_ELEMS && !rt->explain && !rt->profile &&
           !rt_loop_is_recorded(rt) && is_readable(rt, a) && is_readable(rt, at);
}

static inline int64_t index_at(const char *from, gpa_dtype t) {
    gpa_val v;
    switch (t) {
        case DT_I64: return memcpy(&v.I64, from, sizeof v.I64), v.I64;
        case DT_I32: return memcpy(&v.I32, from, sizeof v.I32), v.I32;
        case DT_U32: return memcpy(&v.U32, from, sizeof v.U32), v.U32;
        default: return dtype_cast(dtype_load(from, t), t, DT_I64).I64;
    }
}

/* The indices as distances in elements; false if one is out of bounds. */
static bool distances(const gpa_arr *a, const gpa_arr *indices, int64_t *out) {
    const gpa_dtype t = (gpa_dtype)indices->dtype;
    const int64_t width = (int64_t)dtype_size(t), step = indices->strides[0] * width;
    const char *at = indices->storage->buf->host + indices->offset * width;
    bool outside = false;
    for (int64_t i = 0; i < indices->size; i++) {
        const int64_t k = index_at(at + i * step, t), from_start = k < 0 ? k + a->size : k;
        outside |= from_start < 0 || from_start >= a->size;
        out[i] = from_start * a->strides[0];
    }
    return !outside;
}

static inline void copy_items(char *to, const char *from, const int64_t *at, int64_t n,
                              size_t item) {
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * (int64_t)item, from + at[i] * (int64_t)item, item);
}

gpa_code short_gather(gpa_rt *rt, const gpa_arr *a, const gpa_arr *indices, gpa_arr **out,
                      gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a->dtype;
    const size_t item = dtype_size(t);
    const char *from = a->storage->buf->host + a->offset * (int64_t)item;
    const int64_t n = indices->size;
    int64_t at[TUNE_GATHER_NOW_MAX_ELEMS];
    host_result to;
    *out = NULL;
    if (!distances(a, indices, at)) return GPA_OK;
    gpa_code rc = host_result_new(rt, t, 1, &n, &to, e);
    if (rc) return rc;
    switch (item) { /* a constant size makes memcpy one instruction */
        case 4: copy_items(to.data, from, at, n, 4); break;
        case 8: copy_items(to.data, from, at, n, 8); break;
        default: copy_items(to.data, from, at, n, item);
    }
    return host_result_finish(rt, &to, out, e);
}
