/* Device residency and transfers of arrays. Reading order: the devices of pending values,
 * transfers. rt_set_device is in exec/device.c, copies of memory in exec/buffer_copy.c. */
#include "runtime/array/device_transfer.h"

#include "runtime/exec/deferred_error.h"
#include "runtime/exec/exec.h"
#include "runtime/array/host_view.h"
#include "runtime/exec/rt.h"

/* ---- the devices of pending values ---- */

/* Merges one more device into *common; *mixed: they differ. */
static void merge_device(gpa_device *d, gpa_device **common, bool *mixed) {
    if (*common && *common != d) *mixed = true;
    *common = d;
}

/* Merges the devices of the leaves that n depends on; the caller has begun a traversal. */
static void merge_node_devices(gpa_rt *rt, node *n, gpa_device **common, bool *mixed) {
    if (n->mark == rt->nodes.mark || *mixed) return;
    n->mark = rt->nodes.mark;
    if (n->buf) merge_device(n->buf->device, common, mixed);
    for (int i = 0; i < n->n_in; i++) merge_node_devices(rt, n->in[i], common, mixed);
}

static void merge_array_devices(gpa_rt *rt, const gpa_arr *a, gpa_device **common, bool *mixed) {
    if (a->storage->buf)
        merge_device(a->storage->buf->device, common, mixed);
    else
        merge_node_devices(rt, a->storage->node, common, mixed);
}

/* The device that n arrays share; NULL: they have none, or different ones. */
static gpa_device *common_device(gpa_rt *rt, gpa_arr *const *in, int n) {
    gpa_device *common = NULL;
    bool mixed = false;
    rt->nodes.mark++;
    for (int i = 0; i < n; i++)
        if (in[i]) merge_array_devices(rt, in[i], &common, &mixed);
    return mixed ? NULL : common;
}

gpa_code arr_find_device(gpa_rt *rt, const gpa_arr *a, gpa_device **out, gpa_err *e) {
    bool mixed = false;
    *out = NULL;
    rt->nodes.mark++;
    merge_array_devices(rt, a, out, &mixed);
    return *out && !mixed ? GPA_OK : device_default(rt, out, e);
}

const char *arr_device(gpa_rt *rt, const gpa_arr *a) {
    gpa_device *d;
    return arr_find_device(rt, a, &d, NULL) ? rt_device(rt) : d->caps.name;
}

bool arr_on_gpu(gpa_rt *rt, const gpa_arr *a) {
    gpa_device *d;
    return !arr_find_device(rt, a, &d, NULL) && d->caps.gpu;
}

/* ---- transfers ---- */

device_scope device_scope_enter(gpa_rt *rt, gpa_arr *const *in, int n) {
    gpa_device *d = rt->devices && rt->devices->next ? common_device(rt, in, n) : NULL;
    device_scope p = {d && d != rt->device, rt->device};
    if (p.entered) rt->device = d;
    return p;
}

void device_scope_leave(gpa_rt *rt, device_scope p) {
    if (p.entered) rt->device = p.before && p.before->lost ? NULL : p.before;
}

/* A copy of a computed array on another device, in C order. */
static gpa_code copy_to(gpa_rt *rt, gpa_device *d, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    gpa_arr *dense = NULL, *made = NULL;
    gpa_device *before = rt->device;
    size_t item = dtype_size((gpa_dtype)a->dtype);
    gpa_code rc = GPA_OK;
    if (arr_is_contiguous(a))
        dense = arr_retain(a);
    else
        TRY(arr_copy(rt, a, &dense, e));
    TRY(arr_force(rt, dense, CUT_NEEDED, e));
    rt->device = d;
    TRY(arr_empty(rt, &(arr_spec){(gpa_dtype)a->dtype, a->ndim, a->shape}, &made, e));
    TRY(buf_copy(rt,
                 &(buf_transfer){.to = made->storage->buf,
                                 .from = dense->storage->buf,
                                 .from_at = (size_t)dense->offset * item,
                                 .n = (size_t)a->size * item},
                 e));
    *out = made;
    made = NULL;
out:
    rt->device = before;
    arr_release(rt, dense);
    arr_release(rt, made);
    return rc;
}

gpa_code arr_bring_to_device(gpa_rt *rt, gpa_device *d, gpa_arr **a, gpa_err *e) {
    gpa_arr *here;
    gpa_code rc = arr_force(rt, *a, CUT_LIBRARY, e);
    if (rc || (*a)->storage->buf->device == d) return rc;
    rc = copy_to(rt, d, *a, &here, e);
    if (rc) return rc;
    arr_release(rt, *a);
    *a = here;
    return GPA_OK;
}

gpa_code arr_to(gpa_rt *rt, gpa_arr *a, const char *name, bool copy, gpa_arr **out, gpa_err *e) {
    gpa_device *d;
    gpa_arr *done = NULL;
    gpa_code rc = GPA_OK;
    TRY(device_named(rt, name, &d, e));
    TRY(arr_force(rt, a, CUT_NEEDED, e));
    if (a->storage->buf->device != d)
        TRY(copy_to(rt, d, a, &done, e));
    else if (copy)
        TRY(arr_copy(rt, a, &done, e));
    else
        done = arr_retain(a);
    *out = done;
out:
    return rc;
}
