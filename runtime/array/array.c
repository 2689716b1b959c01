/* Array handles: creation, the graph nodes of their values, copies and casts.
 *
 * Reading order: handles, from handle to node, making. */
#include "runtime/array/array.h"

#include "runtime/array/tape.h"
#include "runtime/exec/deferred_error.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/loop_log.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/rewrite.h"
#include "runtime/graph/shape.h"
#include "runtime/tables/tuning.h"

/* ---- handles ---- */

gpa_code arr_handle(gpa_rt *rt, gpa_storage *s, const arr_layout *l, gpa_arr *base, gpa_arr **out,
                    gpa_err *e) {
    size_t dims = (size_t)MAX(l->ndim, ARR_POOLED_DIMS);
    gpa_arr *a = NULL;
    if (l->ndim <= ARR_POOLED_DIMS && rt->free_arrs) {
        a = rt->free_arrs;
        rt->free_arrs = a->base;
    } else if (!(a = mem_new(sizeof *a + 2 * dims * sizeof(int64_t)))) {
        return gpa_no_memory(e);
    }
    *a = (gpa_arr){.refs = 1,
                   .dtype = (uint8_t)l->dtype,
                   .ndim = (uint8_t)l->ndim,
                   .size = 1,
                   .offset = l->offset};
    a->shape = (int64_t *)(a + 1);
    a->strides = a->shape + dims;
    for (int d = 0; d < l->ndim; d++) {
        a->shape[d] = l->shape[d];
        a->strides[d] = l->strides[d];
        a->size *= l->shape[d];
    }
    s->refs++;
    a->storage = s;
    a->base = base ? arr_retain(base) : NULL;
    *out = a;
    return GPA_OK;
}

void arr_release(gpa_rt *rt, gpa_arr *a) {
    while (a && --a->refs == 0) {
        gpa_arr *base = a->base;
        storage_release(rt, a->storage);
        if (a->ndim <= ARR_POOLED_DIMS) {
            a->base = rt->free_arrs;
            rt->free_arrs = a;
        } else {
            mem_free(a);
        }
        a = base;
    }
}

/* A handle on the whole of a storage, whose one reference it takes over. */
static gpa_code whole_take(gpa_rt *rt, gpa_storage *s, int ndim, const int64_t *shape,
                           gpa_arr **out, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS];
    shape_c_strides(ndim, shape, strides);
    const arr_layout l = {(gpa_dtype)s->dtype, ndim, shape, strides, 0};
    gpa_code rc = arr_handle(rt, s, &l, NULL, out, e);
    storage_release(rt, s);
    return rc;
}

bool arr_is_contiguous(const gpa_arr *a) { return shape_is_c(a->ndim, a->shape, a->strides); }

bool arr_is_f_contiguous(const gpa_arr *a) { return shape_is_f(a->ndim, a->shape, a->strides); }

bool arr_is_only_f_contiguous(const gpa_arr *a) {
    return arr_is_f_contiguous(a) && !arr_is_contiguous(a);
}

bool arr_is_pending(const gpa_arr *a) { return a->storage->node != NULL; }

void arr_bind(const gpa_arr *a, gpa_binding *b) {
    *b = (gpa_binding){.mem = a->storage->buf->mem, .offset = a->offset};
    for (int d = 0; d < a->ndim; d++) {
        b->stride[d] = a->strides[d];
        b->size[d] = a->shape[d];
    }
}

/* The input of a view that is a pure reshape; else the node itself. Readers of such a view read
 * its input, so the input must be the node that has the storage. */
static node *below_reshape(node *n) {
    int64_t unit[GPA_MAX_DIMS], want[GPA_MAX_DIMS];
    if (n->kind != NODE_VIEW || n->size != n->in[0]->size || n->in[0]->kind == NODE_SCALAR)
        return n;
    const node *in = n->in[0];
    shape_c_strides(in->ndim, in->shape, unit);
    shape_c_strides(n->ndim, n->shape, want);
    for (int k = 0; k < in->ndim; k++)
        if (n->map[k]) return n;
    for (int d = 0; d < n->ndim; d++) {
        int64_t steps = 0;
        for (int k = 0; k < in->ndim; k++) steps += n->map[in->ndim + k * n->ndim + d] * unit[k];
        if (n->shape[d] != 1 && steps != want[d]) return n;
    }
    return n->in[0];
}

gpa_code arr_of_node(gpa_rt *rt, node *n, gpa_arr **out, gpa_err *e) {
    gpa_storage *s = NULL;
    gpa_arr *a;
    gpa_code rc = storage_new(rt, (gpa_dtype)n->dtype, n->size, &s, e);
    if (rc) return rc;
    storage_set_node(rt, s, below_reshape(n));
    if ((rc = whole_take(rt, s, n->ndim, n->shape, &a, e))) return rc;
    if ((rc = storage_limit_pending(rt, s, e)))
        arr_release(rt, a);
    else
        *out = a;
    return rc;
}

gpa_code arr_force(gpa_rt *rt, gpa_arr *a, gpa_cut why, gpa_err *e) {
    gpa_code rc = a->storage->node ? exec_storages(rt, &a->storage, 1, why, e) : GPA_OK;
    const gpa_buf *b = a->storage->buf;
    if (!rc && why == CUT_LIBRARY && deferred_is_open(b->deferred))
        rc = exec_wait(rt, b->device, e); /* a library call reports no faults */
    return rc ? rc : buf_check(b, e);
}

gpa_code arr_eval(gpa_rt *rt, gpa_arr *const *arrays, int n, gpa_err *e) {
    gpa_storage *few[16] = {0}, **s = n > 16 ? mem_new((size_t)n * sizeof *s) : few;
    if (!s) return gpa_no_memory(e);
    for (int i = 0; i < n; i++) s[i] = arrays[i]->storage;
    gpa_code rc = exec_storages(rt, s, (size_t)n, CUT_NEEDED, e);
    if (s != few) mem_free(s);
    return rc;
}

/* ---- from handle to node ---- */

static bool is_whole(const gpa_arr *a, const node *n) {
    if (a->offset || a->ndim != n->ndim || a->dtype != n->dtype) return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != n->shape[d]) return false;
    return arr_is_contiguous(a);
}

/* Decomposes an element offset into steps along the dimensions of n (mixed-radix digits), outermost
 * first; `nearest` rounds to nearest instead of toward zero. */
static void decompose_offset(const node *n, const int64_t *unit, int64_t elements, bool nearest,
                             int64_t *steps) {
    for (int k = 0; k < n->ndim; k++) {
        int64_t half = nearest ? (elements < 0 ? -unit[k] / 2 : unit[k] / 2) : 0;
        steps[k] = n->shape[k] == 1 ? 0 : (elements + half) / unit[k];
        elements -= steps[k] * unit[k];
    }
}

/* The handle's strides over n's C order as an index map; false if a coordinate would leave its
 * range. */
static bool view_map(const gpa_arr *a, const node *n, bool nearest, int64_t *start, int64_t *step) {
    int64_t unit[GPA_MAX_DIMS], steps[GPA_MAX_DIMS], lo[GPA_MAX_DIMS], hi[GPA_MAX_DIMS];
    shape_c_strides(n->ndim, n->shape, unit);
    decompose_offset(n, unit, a->offset, false, start);
    for (int k = 0; k < n->ndim; k++) lo[k] = hi[k] = start[k];
    for (int d = 0; d < a->ndim; d++) {
        decompose_offset(n, unit, a->shape[d] == 1 ? 0 : a->strides[d], nearest, steps);
        for (int k = 0; k < n->ndim; k++) {
            step[k * a->ndim + d] = steps[k];
            *(steps[k] < 0 ? &lo[k] : &hi[k]) += steps[k] * (a->shape[d] - 1);
        }
    }
    for (int k = 0; k < n->ndim; k++)
        if (lo[k] < 0 || hi[k] >= n->shape[k]) return false;
    return true;
}

static gpa_code leaf_of(gpa_rt *rt, gpa_arr *a, node **out, gpa_err *e) {
    const shape_layout l = {a->ndim, a->shape, a->strides, a->offset, 0};
    return node_buf(rt, a->storage->buf, (gpa_dtype)a->dtype, &l, out, e);
}

/* True for a small view of a pending array that has other holders: the whole array will probably
 * be read, so it is computed once instead of recomputed per view. Selecting again costs little. */
static bool is_small_view(const gpa_arr *a) {
    return a->size <= a->storage->size / TUNE_SMALL_PART_DIVISOR && a->base && a->base->refs > 1 &&
           !node_is_leaf(a->storage->node) && a->storage->node->kind != NODE_CONCAT;
}

/* True if the handle is a view of the real or the imaginary parts of n. */
static bool is_complex_part(const gpa_arr *a, const node *n) {
    if (!dtype_is_complex((gpa_dtype)n->dtype) || dtype_info[n->dtype].real != a->dtype)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && a->strides[d] % 2) return false;
    return true;
}

/* Such a handle as a REAL or IMAG node. */
static gpa_code complex_part_node(gpa_rt *rt, const gpa_arr *a, gpa_dtype complex, node **out,
                                  gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS];
    gpa_arr both = *a;
    node *n;
    for (int d = 0; d < a->ndim; d++) strides[d] = a->shape[d] > 1 ? a->strides[d] / 2 : 0;
    both.dtype = (uint8_t)complex;
    both.strides = strides;
    both.offset = a->offset / 2;
    gpa_code rc = arr_node(rt, &both, &n, e);
    if (rc) return rc;
    rc = node_op1(rt, a->offset % 2 ? OP_IMAG : OP_REAL, n, out, e);
    node_release(rt, n);
    return rc;
}

gpa_code arr_node(gpa_rt *rt, gpa_arr *a, node **out, gpa_err *e) {
    node *n = a->storage->node;
    if (n && is_small_view(a)) {
        gpa_code part = arr_force(rt, a, CUT_READERS, e);
        if (part) return part;
        n = NULL;
    }
    if (!n) return leaf_of(rt, a, out, e);
    if (is_complex_part(a, n)) return complex_part_node(rt, a, (gpa_dtype)n->dtype, out, e);
    if (is_whole(a, n)) {
        *out = node_retain(n);
        return GPA_OK;
    }
    gpa_code rc = GPA_OK;
    if (a->dtype == n->dtype && a->size) {
        int64_t start[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
        if (view_map(a, n, false, start, step) || view_map(a, n, true, start, step))
            return node_view(rt, n, &(node_map){a->ndim, a->shape, start, step}, out, e);
        if (a->offset == 0 && a->size == n->size && arr_is_contiguous(a)) {
            rc = node_reshape(rt, n, a->ndim, a->shape, out, e);
            if (rc || *out) return rc;
        }
    }
    if ((rc = arr_force(rt, a, CUT_SHAPE, e))) return rc;
    return leaf_of(rt, a, out, e);
}

gpa_code opnd_node(gpa_rt *rt, const gpa_opnd *o, const arr_spec *as, node **out, gpa_err *e) {
    const gpa_dtype t = as->dtype;
    if (!o->arr) return node_scalar(rt, t, dtype_cast(o->v, o->dtype, t), out, e);
    node *n = NULL, *cast = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_node(rt, o->arr, &n, e));
    /* Cast before broadcasting: each element of a row is converted once. */
    TRY(node_cast(rt, n, t, &cast, e));
    if (cast->kind == NODE_SCALAR)
        *out = node_retain(cast);
    else
        TRY(node_broadcast(rt, cast, as->ndim, as->shape, out, e));
out:
    node_release(rt, n);
    node_release(rt, cast);
    return rc;
}

/* ---- making ---- */

gpa_code arr_empty(gpa_rt *rt, const arr_spec *as, gpa_arr **out, gpa_err *e) {
    gpa_buf *b;
    gpa_storage *s;
    int64_t size;
    gpa_code rc = shape_check(as->ndim, as->shape, dtype_size(as->dtype), &size, e);
    if (!rc) rc = exec_alloc(rt, as, &b, e);
    if (!rc) rc = storage_of_buf_take(rt, b, as->dtype, size, &s, e);
    return rc ? rc : whole_take(rt, s, as->ndim, as->shape, out, e);
}

void arr_truncate(gpa_rt *rt, gpa_arr *a, int64_t n) {
    a->shape[0] = a->size = a->storage->size = n;
    buf_truncate(rt, a->storage->buf, (size_t)n * dtype_size((gpa_dtype)a->dtype));
}

gpa_code arr_from(gpa_rt *rt, const arr_spec *s, const void *data, gpa_arr **out, gpa_err *e) {
    gpa_arr *a;
    gpa_code rc = arr_empty(rt, s, &a, e);
    if (rc) return rc;
    gpa_buf *b = a->storage->buf;
    loop_log_refuse(rt, RT_LOOP_HOST);
    if (a->size)
        rc = b->device->be->upload(b->device->dev, b->mem, 0, data,
                                   (size_t)a->size * dtype_size(s->dtype), e);
    if (rc)
        arr_release(rt, a);
    else
        *out = a;
    return rc;
}

/* The array of a new node, which is consumed. */
static gpa_code array_take(gpa_rt *rt, node *n, gpa_arr **out, gpa_err *e) {
    gpa_code rc = arr_of_node(rt, n, out, e);
    node_release(rt, n);
    return rc;
}

gpa_code arr_full(gpa_rt *rt, const arr_spec *s, gpa_val v, gpa_arr **out, gpa_err *e) {
    node *one = NULL, *all = NULL;
    int64_t size;
    gpa_code rc = GPA_OK;
    TRY(shape_check(s->ndim, s->shape, dtype_size(s->dtype), &size, e));
    TRY(node_scalar(rt, s->dtype, v, &one, e));
    TRY(node_broadcast(rt, one, s->ndim, s->shape, &all, e));
    rc = arr_of_node(rt, all, out, e);
out:
    node_release(rt, one);
    node_release(rt, all);
    return rc;
}

gpa_code arr_iota(gpa_rt *rt, int64_t n, int64_t start, int64_t step, gpa_arr **out, gpa_err *e) {
    node *iota;
    int64_t size;
    gpa_code rc = shape_check(1, &n, dtype_size(DT_I64), &size, e);
    if (!rc) rc = node_iota(rt, &(shape_layout){1, &n, &step, start, 0}, &iota, e);
    return rc ? rc : array_take(rt, iota, out, e);
}

gpa_code arr_scalar(gpa_rt *rt, gpa_dtype t, gpa_val v, gpa_arr **out, gpa_err *e) {
    node *one;
    gpa_code rc = node_scalar(rt, t, v, &one, e);
    return rc ? rc : array_take(rt, one, out, e);
}

/* Records a copy or conversion; on failure *out is released. */
static gpa_code note_cast(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)(*out)->dtype;
    const tape_entry options = {.constant = !dtype_is_float(t) && !dtype_is_complex(t)};
    gpa_code rc = tape_note_unary(rt, "cast", a, *out, &options, e);
    if (rc) arr_release(rt, *out);
    return rc;
}

gpa_code arr_copy(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    node *n;
    gpa_code rc = arr_node(rt, a, &n, e);
    if (!rc) rc = array_take(rt, n, out, e);
    return rc || !tape_is_on(rt) ? rc : note_cast(rt, a, out, e);
}

gpa_code arr_share(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    gpa_storage *s = a->storage, *own;
    if (!s->buf || a->dtype != s->dtype || a->offset || a->size != s->size || !arr_is_contiguous(a))
        return arr_copy(rt, a, out, e);
    buf_add_owner(rt, s->buf);
    gpa_code rc = storage_of_buf_take(rt, s->buf, (gpa_dtype)s->dtype, s->size, &own, e);
    if (!rc) rc = whole_take(rt, own, a->ndim, a->shape, out, e);
    if (rc) return rc;
    (*out)->readonly = true;
    return tape_is_on(rt) ? note_cast(rt, a, out, e) : GPA_OK;
}

gpa_code arr_cast(gpa_rt *rt, gpa_arr *a, gpa_dtype to, bool copy, gpa_arr **out, gpa_err *e) {
    if (a->dtype == to && !copy) {
        *out = arr_retain(a);
        return GPA_OK;
    }
    node *n = NULL, *cast = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_node(rt, a, &n, e));
    TRY(node_cast(rt, n, to, &cast, e));
    TRY(arr_of_node(rt, cast, out, e));
    if (tape_is_on(rt)) rc = note_cast(rt, a, out, e);
out:
    node_release(rt, n);
    node_release(rt, cast);
    return rc;
}
