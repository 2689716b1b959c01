/* Memory travels between devices of one backend as the backend does it, else through the host:
 * straight where one side is visible, else in blocks.
 *
 * Reading order: copies, the devices of pending values, moving arrays. rt_set_device is in
 * device.c. */
#include "runtime/array/device_transfer.h"

#include "runtime/exec/deferred_error.h"
#include "runtime/exec/exec.h"
#include "runtime/array/host_view.h"
#include "runtime/exec/rt.h"

/* ---- the devices of pending values ---- */

/* Adds one more device to what is known of an operation's: *mixed when they differ. */
static void meet(gpa_device *d, gpa_device **common, bool *mixed) {
    if (*common && *common != d) *mixed = true;
    *common = d;
}

/* The devices below a node; the traversal has a mark of its own. */
static void look_below(gpa_rt *rt, node *n, gpa_device **common, bool *mixed) {
    if (n->mark == rt->nodes.mark || *mixed) return;
    n->mark = rt->nodes.mark;
    if (n->buf) meet(n->buf->device, common, mixed);
    for (int i = 0; i < n->n_in; i++) look_below(rt, n->in[i], common, mixed);
}

static void look_at(gpa_rt *rt, const gpa_arr *a, gpa_device **common, bool *mixed) {
    if (a->storage->buf)
        meet(a->storage->buf->device, common, mixed);
    else
        look_below(rt, a->storage->node, common, mixed);
}

/* The one device that n arrays share; NULL: none of them has one, or they differ. */
static gpa_device *shared(gpa_rt *rt, gpa_arr *const *in, int n) {
    gpa_device *common = NULL;
    bool mixed = false;
    rt->nodes.mark++;
    for (int i = 0; i < n; i++)
        if (in[i]) look_at(rt, in[i], &common, &mixed);
    return mixed ? NULL : common;
}

gpa_code arr_find_device(gpa_rt *rt, const gpa_arr *a, gpa_device **out, gpa_err *e) {
    bool mixed = false;
    *out = NULL;
    rt->nodes.mark++;
    look_at(rt, a, out, &mixed);
    return *out && !mixed ? GPA_OK : device_default(rt, out, e);
}

const char *arr_device(gpa_rt *rt, const gpa_arr *a) {
    gpa_device *d;
    return arr_find_device(rt, a, &d, NULL) ? rt_device(rt) : d->caps.name;
}

/* ---- moving arrays ---- */

device_scope device_scope_enter(gpa_rt *rt, gpa_arr *const *in, int n) {
    gpa_device *d = rt->devices && rt->devices->next ? shared(rt, in, n) : NULL;
    device_scope p = {d && d != rt->device, rt->device};
    if (p.entered) rt->device = d;
    return p;
}

void device_scope_leave(gpa_rt *rt, device_scope p) {
    if (p.entered) rt->device = p.before && p.before->gone ? NULL : p.before;
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
    TRY(arr_empty(rt, (gpa_dtype)a->dtype, a->ndim, a->shape, &made, e));
    TRY(buf_copy(rt, made->storage->buf, 0, dense->storage->buf, (size_t)dense->offset * item,
                 (size_t)a->size * item, e));
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
