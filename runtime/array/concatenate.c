/* Concatenation. The result is a CONCAT node, which fuses with what reads it, if its inputs only
 * move elements and form long runs. Otherwise each input is stored into a slice of the result,
 * fused with the computation of the input. On host-visible devices the host copies small inputs,
 * which costs less than a launch.
 *
 * Reading order: shapes, slices of the result, lazy concatenation, the choice. */
#include "runtime/tables/promotion.h"
#include "runtime/array/tape.h"
#include "runtime/exec/device.h"
#include "runtime/array/host_view.h"
#include "runtime/array/device_transfer.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"
#include "runtime/tables/tuning.h"

/* ---- shapes ---- */

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

/* ---- slices of the result ---- */

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

/* True if a pending array has one value in all elements. */
static bool is_filled(const gpa_arr *a) {
    const node *n = a->storage->node;
    while (n && (n->kind == NODE_VIEW || n->kind == NODE_CAST)) n = n->in[0];
    return n && n->kind == NODE_SCALAR && a->dtype == a->storage->dtype;
}

static gpa_val value_of(const node *n) {
    if (n->kind == NODE_SCALAR) return n->v;
    gpa_val v = value_of(n->in[0]);
    return n->kind == NODE_CAST ? dtype_cast(v, (gpa_dtype)n->in[0]->dtype, (gpa_dtype)n->dtype)
                                : v;
}

static void fill_part(gpa_arr *to, char *first, const gpa_arr *part, int64_t offset) {
    gpa_dtype t = (gpa_dtype)to->dtype;
    static const int64_t none[GPA_MAX_DIMS];
    char value[sizeof(gpa_val)];
    dtype_store(value, t, dtype_cast(value_of(part->storage->node), (gpa_dtype)part->dtype, t));
    strided_copy(first + offset * (int64_t)dtype_size(t), to->strides, value, none,
                 &(strided_elems){dtype_size(t), part->ndim, part->shape});
}

static gpa_code copy_part(gpa_rt *rt, gpa_arr *to, char *first, gpa_arr *part, int64_t offset,
                          gpa_err *e) {
    gpa_dtype t = (gpa_dtype)to->dtype;
    const int64_t item = (int64_t)dtype_size(t);
    int64_t dense[GPA_MAX_DIMS];
    host_view h;
    if (is_filled(part)) {
        fill_part(to, first, part, offset);
        return GPA_OK;
    }
    if (part->dtype == t && is_in_host_memory(part) && !part->storage->buf->is_distributed) {
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

/* Computes the inputs, except those that copy_part fills. */
static gpa_code compute_inputs(gpa_rt *rt, gpa_arr *const *in, int n, gpa_err *e) {
    gpa_arr *few[CONCAT_MAX_INPUTS];
    int left = 0;
    if (n > CONCAT_MAX_INPUTS) return arr_eval(rt, in, n, e);
    for (int i = 0; i < n; i++)
        if (!is_filled(in[i])) few[left++] = in[i];
    return left ? arr_eval(rt, few, left, e) : GPA_OK;
}

/* Stores each input into a slice of new memory. */
static gpa_code concat_into_memory(gpa_rt *rt, const arr_concatenation *c, const arr_spec *as,
                                   gpa_arr **out, gpa_err *e) {
    gpa_arr *const *in = c->in;
    int n = c->n;
    int64_t offset = 0;
    gpa_arr *made = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_empty(rt, as, &made, e));
    bool host = host_concatenates(made, in, n, c->axis);
    if (host) {
        TRY(compute_inputs(rt, in, n, e));
        TRY(exec_wait(rt, made->storage->buf->device, e));
        TRY(buf_host_access(made->storage->buf, 0, made->storage->buf->bytes, GPA_HOST_WRITE, e));
    }
    if (!host && are_pairs(in, n, c->axis, as->dtype)) {
        TRY(store_pairs(rt, made, in, e));
        n = 0;
    }
    for (int i = 0; i < n; i++) {
        if (host)
            TRY(copy_part(rt, made, made->storage->buf->host, in[i], offset, e));
        else
            TRY(store_part(rt, made, in[i], offset, e));
        offset += in[i]->shape[c->axis] * made->strides[c->axis];
    }
    *out = made;
    made = NULL;
out:
    arr_release(rt, made);
    return rc;
}

/* ---- lazy concatenation ---- */

/* Operations of an element of n that a CONCAT would compute at all points; at least `most` + 1 for
 * what it cannot compute there. */
static uint32_t cost_of(const node *n, uint32_t most) {
    uint32_t cost = 0;
    switch ((node_kind)n->kind) {
        case NODE_OP: cost = op_info[n->sub].cost; break;
        case NODE_CAST: cost = 1; break;
        case NODE_CONCAT: cost = n->n_in - 1u; break;
        case NODE_BODY:
        case NODE_GATHER: return most + 1;
        case NODE_REDUCE: /* a step of its own: only the result is read */
        case NODE_PRODUCT:
        case NODE_SCAN: return 0;
        case NODE_BUF:
        case NODE_IOTA:
        case NODE_SCALAR:
        case NODE_VIEW:
        case NODE_KINDS: break;
    }
    for (int i = 0; i < n->n_in && cost <= most; i++) cost += cost_of(n->in[i], most - cost);
    return cost;
}

static bool is_expensive(const gpa_arr *a) {
    return arr_is_pending(a) &&
           cost_of(a->storage->node, TUNE_CONCAT_MAX_COST) > TUNE_CONCAT_MAX_COST;
}

/* Computes the only expensive array among the inputs, if the others are views of it or one value
 * (padding, rolling): the result then only moves its elements. *good false: several inputs are
 * expensive. */
static gpa_code compute_expensive(gpa_rt *rt, const arr_concatenation *c, bool *good, gpa_err *e) {
    gpa_arr *found = NULL;
    for (int i = 0; i < c->n && !found; i++)
        if (is_expensive(c->in[i])) found = c->in[i];
    for (int i = 0; i < c->n && found; i++)
        if (c->in[i]->storage != found->storage && !is_filled(c->in[i])) *good = false;
    return found && *good ? arr_force(rt, found, CUT_GUARD, e) : GPA_OK;
}

/* True if runs of elements of one input are long enough to be worth selecting from: the CPU selects
 * for vectors of elements. */
static bool has_long_runs(const arr_concatenation *c, const arr_spec *as, const gpa_device *d) {
    int64_t run = shape_size(as->ndim - c->axis, as->shape + c->axis);
    return run / c->n >= (d->caps.host_visible ? TUNE_CONCAT_MIN_RUN : 1);
}

static bool has_pending_reduction(const arr_concatenation *c) {
    bool any = false;
    for (int i = 0; i < c->n; i++)
        any = any || (arr_is_pending(c->in[i]) && c->in[i]->storage->node->kind == NODE_REDUCE);
    return any;
}

/* True if the host copies computed inputs: host_concatenates, before there is memory. */
static bool is_small(const arr_concatenation *c, const arr_spec *as, const gpa_device *d) {
    int64_t size = shape_size(as->ndim, as->shape), item = (int64_t)dtype_size(as->dtype);
    if (!d->caps.host_visible) return size == 0;
    bool computed = c->axis == 0;
    for (int i = 0; i < c->n; i++) computed = computed && is_in_host_memory(c->in[i]);
    return size * item / (computed ? c->n : 1) <= TUNE_HOST_CONCAT_MAX_BYTES;
}

static gpa_code concat_lazily(gpa_rt *rt, const arr_concatenation *c, gpa_dtype t, gpa_arr **out,
                              gpa_err *e) {
    node *in[CONCAT_MAX_INPUTS] = {0}, *one = NULL, *all = NULL;
    int n = 0;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < c->n; i++) {
        if (!c->in[i]->size) continue;
        TRY(arr_node(rt, c->in[i], &one, e));
        rc = node_cast(rt, one, t, &in[n++], e);
        node_release(rt, one);
        if (rc) goto out;
    }
    if (n == 1)
        all = node_retain(in[0]);
    else
        TRY(node_concat(rt, in, n, c->axis, &all, e));
    rc = arr_of_node(rt, all, out, e);
out:
    for (int i = 0; i < n; i++) node_release(rt, in[i]);
    node_release(rt, all);
    return rc;
}

/* ---- the choice ---- */

static gpa_code concat_on_current(gpa_rt *rt, const arr_concatenation *asked, gpa_arr **out,
                                  gpa_err *e) {
    arr_concatenation c = *asked;
    int64_t shape[GPA_MAX_DIMS];
    arr_spec as = {c.dtype, 0, shape};
    gpa_device *d;
    gpa_code rc = GPA_OK;
    if (c.n == 0) TRY(gpa_fail(e, GPA_E_VALUE, "need at least one array to concatenate"));
    as.ndim = c.in[0]->ndim;
    if (as.ndim == 0)
        TRY(gpa_fail(e, GPA_E_VALUE, "zero-dimensional arrays cannot be concatenated"));
    TRY(shape_axis(c.axis, as.ndim, &c.axis, e));
    TRY(joined_shape(c.in, c.n, c.axis, shape, e));
    if (as.dtype == DT_NONE) TRY(joined_dtype(c.in, c.n, &as.dtype, e));
    TRY(shape_check(as.ndim, shape, dtype_size(as.dtype), NULL, e));
    TRY(device_default(rt, &d, e));
    const bool empty = shape_size(as.ndim, shape) == 0;
    const bool worth = is_small(&c, &as, d)
                           ? !empty && (c.fuses || (as.ndim > 1 && has_pending_reduction(&c)))
                           : has_long_runs(&c, &as, d);
    bool lazy = worth && c.n <= CONCAT_MAX_INPUTS && !are_pairs(c.in, c.n, c.axis, as.dtype);
    if (lazy) TRY(compute_expensive(rt, &c, &lazy, e));
    rc = lazy ? concat_lazily(rt, &c, as.dtype, out, e) : concat_into_memory(rt, &c, &as, out, e);
out:
    return rc;
}

/* Records a concatenation; on failure *out is released. */
static gpa_code note_concat(gpa_rt *rt, const arr_concatenation *c, gpa_arr **out, gpa_err *e) {
    const int64_t axis = c->axis < 0 ? c->axis + (*out)->ndim : c->axis;
    gpa_opnd *in = mem_zero((size_t)c->n * sizeof *in);
    gpa_code rc = in ? GPA_OK : gpa_no_memory(e);
    for (int i = 0; i < c->n && in; i++) in[i].arr = c->in[i];
    if (!rc)
        rc = tape_note(rt,
                       &(tape_entry){.rule = "concatenate",
                                     .in = in,
                                     .out = out,
                                     .n_in = c->n,
                                     .n_out = 1,
                                     .ints = &axis,
                                     .n_ints = 1},
                       e);
    if (rc) arr_release(rt, *out);
    mem_free(in);
    return rc;
}

gpa_code arr_concat(gpa_rt *rt, const arr_concatenation *c, gpa_arr **out, gpa_err *e) {
    device_scope p = device_scope_enter(rt, c->in, c->n);
    const bool on = tape_enter(rt);
    gpa_code rc = concat_on_current(rt, c, out, e);
    tape_leave(rt, on);
    device_scope_leave(rt, p);
    return rc || !on ? rc : note_concat(rt, c, out, e);
}
