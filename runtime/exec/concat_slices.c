/* Concatenations that nothing fuses with. */
#include "runtime/exec/concat_slices.h"

#include "runtime/exec/buffer.h"
#include "runtime/exec/device.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/loop_log.h"
#include "runtime/exec/storage.h"
#include "runtime/graph/shape.h"
#include "runtime/tables/tuning.h"

bool concat_only_moves(const node *n) {
    if (n->kind != NODE_CONCAT) return false;
    for (int i = 0; i < n->n_in; i++) {
        const node *in = n->in[i];
        while (in->kind == NODE_VIEW || in->kind == NODE_CAST) in = in->in[0];
        if (!node_is_leaf(in) && !concat_only_moves(in)) return false;
    }
    return true;
}

/* Slices of a concatenation, those of nested ones included. */
static int64_t count_slices(const node *n) {
    int64_t count = n->kind != NODE_CONCAT;
    for (int i = 0; n->kind == NODE_CONCAT && i < n->n_in; i++) count += count_slices(n->in[i]);
    return count;
}

static int64_t bytes_of(const node *n) {
    return shape_size(n->ndim, n->shape) * (int64_t)dtype_size((gpa_dtype)n->dtype);
}

/* True if slices of n are large enough to be worth a launch each, and no program, for the whole or
 * for slices, stores past the caches, or both do: that saves more than selecting costs. */
static bool has_good_slices(const node *n) {
    const int64_t all = bytes_of(n), slice = all / count_slices(n),
                  streamed = TUNE_CPU_STREAMING_STORE_MIN_BYTES;
    return slice > TUNE_HOST_CONCAT_MAX_BYTES && (all < streamed || slice >= streamed);
}

static bool applies(gpa_rt *rt, const gpa_storage *s) {
    const node *n = s->node;
    const gpa_device *d = rt->device;
    return n && concat_only_moves(n) && n->refs == 1 && d && d->caps.host_visible &&
           !d->caps.interprets && !rt->devices->next && !exec_unsettled(rt) &&
           !rt_loop_is_recorded(rt) && has_good_slices(n);
}

/* Stores n into a slice of the result. */
static gpa_code store_slice(gpa_rt *rt, gpa_arr *to, node *n, gpa_err *e) {
    bool hazard;
    if (n->kind != NODE_CONCAT)
        return exec_store(rt, &(fuse_root){.value = n, .into = to}, NULL, 0, &hazard, e);
    gpa_arr slice = *to;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < n->n_in && !rc; i++) {
        slice.shape = n->in[i]->shape;
        rc = store_slice(rt, &slice, n->in[i], e);
        slice.offset += n->in[i]->shape[n->sub] * to->strides[n->sub];
    }
    return rc;
}

gpa_code concat_store_slices(gpa_rt *rt, gpa_storage *s, gpa_err *e) {
    node *n = s->node;
    int64_t strides[GPA_MAX_DIMS];
    gpa_storage made = {.refs = 1};
    if (!applies(rt, s)) return GPA_OK;
    gpa_err quiet;
    gpa_err_clear(&quiet);
    if (buf_new(rt, rt->device, (size_t)bytes_of(n), &made.buf, &quiet))
        return GPA_OK; /* the single program reports it */
    shape_c_strides(n->ndim, n->shape, strides);
    gpa_arr all = {.refs = 1,
                   .dtype = n->dtype,
                   .ndim = n->ndim,
                   .shape = n->shape,
                   .strides = strides,
                   .storage = &made};
    gpa_code rc = store_slice(rt, &all, n, e);
    if (rc)
        buf_remove_owner(rt, made.buf);
    else
        storage_settle(rt, s, made.buf);
    return rc;
}
