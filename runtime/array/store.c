/* Stores into arrays: write-after-read dependences, aliasing hazards, temporaries.
 *
 * Invariant: before memory changes, all pending arrays that read it are computed from the old
 * contents. A value that reads the target at the same elements is stored directly; one that
 * reads other elements (a hazard) goes through a temporary.
 *
 * Where elements of the target share memory, the last value that NumPy would write stays.
 *
 * Reading order: readers, the store, targets whose elements share memory, whole arrays,
 * scatters. */
#include "runtime/array/store.h"

#include <stdlib.h>

#include "runtime/array/tape.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/product.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/rewrite.h"
#include "runtime/graph/shape.h"
#include "runtime/array/host_view.h"
#include "runtime/exec/unused_gather.h"

/* ---- readers ---- */

/* True if n depends on buffer b. A node's slot holds the answer during the traversal. */
static bool depends_on_buffer(gpa_rt *rt, node *n, const gpa_buf *b) {
    if (n->mark == rt->nodes.mark) return n->slot;
    bool found = n->buf == b;
    for (int i = 0; i < n->n_in && !found; i++) found = depends_on_buffer(rt, n->in[i], b);
    n->mark = rt->nodes.mark;
    n->slot = found;
    return found;
}

typedef struct {
    gpa_storage **s;
    size_t n, cap;
} readers;

/* The live pending storages that read b, except those whose value is `but`. The caller frees the
 * list, also on failure. */
static gpa_code find_readers(gpa_rt *rt, const gpa_buf *b, const node *but, readers *r,
                             gpa_err *e) {
    gpa_code rc = b->readers ? unused_gather_run(rt, e) : GPA_OK; /* queued checks may read b too */
    if (!rc && b->readers) rc = product_compute_all(rt, e);
    if (rc || !b->readers || !rt->n_pending) return rc;
    rt->nodes.mark++;
    for (gpa_storage *s = rt->pending.next; s != &rt->pending; s = s->next) {
        if (s->node == but || s->dead || !depends_on_buffer(rt, s->node, b)) continue;
        if (!mem_grow(&r->s, r->n, &r->cap, sizeof *r->s)) return gpa_no_memory(e);
        r->s[r->n++] = s;
    }
    return GPA_OK;
}

gpa_code store_begin(gpa_rt *rt, gpa_arr *a, gpa_err *e) {
    readers r = {0};
    gpa_code rc = rt->tape ? tape_before_store(rt, a, e) : GPA_OK;
    if (!rc) rc = arr_force(rt, a, CUT_STORE, e);
    if (!rc) rc = find_readers(rt, a->storage->buf, NULL, &r, e);
    if (!rc && r.n) rc = exec_storages(rt, r.s, r.n, CUT_STORE, e);
    if (!rc) a->storage->buf->version++;
    mem_free(r.s);
    return rc;
}

/* ---- the store ---- */

/* Replaces *n by a leaf on a temporary. */
static gpa_code store_to_temporary(gpa_rt *rt, node **n, gpa_err *e) {
    gpa_arr *copy;
    if (!*n || (*n)->kind == NODE_SCALAR) return GPA_OK;
    if (!node_is_leaf(*n)) return exec_nodes(rt, n, 1, CUT_STORE, e);
    gpa_code rc = arr_of_node(rt, *n, &copy, e);
    if (rc) return rc;
    rc = arr_force(rt, copy, CUT_STORE, e);
    if (!rc) {
        node_release(rt, *n);
        *n = NULL;
        rc = arr_node(rt, copy, n, e);
    }
    arr_release(rt, copy);
    return rc;
}

/* Storages pending with value `source` become views of the target, which holds it now, so that
 * it is not computed twice. */
static gpa_code view_target(gpa_rt *rt, gpa_arr *target, const node *source, gpa_err *e) {
    node *leaf = NULL;
    gpa_code rc = GPA_OK;
    for (gpa_storage *s = rt->pending.next, *next; s != &rt->pending && !rc; s = next) {
        next = s->next;
        if (s->node != source) continue;
        if (!leaf) TRY(arr_node(rt, target, &leaf, e));
        rc = storage_replace(rt, s, leaf, e);
    }
out:
    node_release(rt, leaf);
    return rc;
}

/* The first of the pending storages that is a copy of elements of b, such as an array from before a
 * step of a simulation; NULL: none is. */
static gpa_storage *find_copy(const readers *old, gpa_buf *b, node_copy *c) {
    for (size_t i = 0; i < old->n; i++) {
        const node *n = old->s[i]->node;
        if (n->buf != b || !node_is_contiguous(n)) continue;
        *c = (node_copy){b, NULL, (gpa_dtype)n->dtype, n->map[n->ndim], n->size};
        return old->s[i];
    }
    return NULL;
}

/* Makes the value of a store read from a copy that was computed, instead of from the target. */
static gpa_code read_copy(gpa_rt *rt, fuse_root *r, const gpa_storage *copy, node_copy *c,
                          gpa_err *e) {
    node *value = NULL;
    if (!copy || !copy->buf || copy->buf->device != c->from->device) return GPA_OK;
    c->to = copy->buf;
    gpa_code rc = node_redirect(rt, r->value, c, &value, e);
    if (rc || !value) return rc;
    node_release(rt, r->value);
    r->value = value;
    return GPA_OK;
}

/* Runs a store, and computes the pending storages that read the old contents, fused if possible.
 * Storages with value `source` (NULL: none) are what is stored. Owned nodes in r (value, mask,
 * and `index`, which is r->index) may be replaced by temporaries. `also` (NULL: none) is computed
 * too. */
static gpa_code run_store(gpa_rt *rt, fuse_root *r, node **index, gpa_arr *also, const node *source,
                          gpa_err *e) {
    bool hazard, alias = r->value == source && !r->mask && !index;
    gpa_buf *b = r->into->storage->buf;
    readers old = {0};
    node_copy c;
    gpa_code rc = GPA_OK;
    TRY(find_readers(rt, b, alias ? source : NULL, &old, e));
    const gpa_storage *copy = find_copy(&old, b, &c);
    if (also && also->storage->node) {
        if (!mem_grow(&old.s, old.n, &old.cap, sizeof *old.s)) TRY(gpa_no_memory(e));
        old.s[old.n++] = also->storage;
    }
    TRY(exec_store(rt, r, old.s, old.n, &hazard, e));
    if (hazard && old.n) { /* the value may be a function of what they hold */
        TRY(exec_storages(rt, old.s, old.n, CUT_STORE, e));
        TRY(read_copy(rt, r, copy, &c, e));
        TRY(exec_store(rt, r, NULL, 0, &hazard, e));
    }
    if (hazard) {
        TRY(store_to_temporary(rt, &r->value, e));
        TRY(store_to_temporary(rt, &r->mask, e));
        for (int k = 0; index && k < r->into->ndim; k++) TRY(store_to_temporary(rt, &index[k], e));
        TRY(exec_store(rt, r, NULL, 0, &hazard, e));
        if (hazard) TRY(gpa_fail(e, GPA_E_INTERNAL, "a store whose operands overlap it still"));
    }
    b->version++;
    if (alias) rc = view_target(rt, r->into, source, e);
out:
    mem_free(old.s);
    return rc;
}

/* n cast to a dtype and broadcast to a shape. */
static gpa_code cast_and_broadcast(gpa_rt *rt, node *n, const arr_spec *to, node **out,
                                   gpa_err *e) {
    node *cast;
    gpa_code rc = node_cast(rt, n, to->dtype, &cast, e);
    if (rc) return rc;
    rc = node_broadcast(rt, cast, to->ndim, to->shape, out, e);
    node_release(rt, cast);
    return rc;
}

static bool is_whole_storage(const gpa_arr *a) {
    return a->dtype == a->storage->dtype && a->offset == 0 && a->size == a->storage->size &&
           arr_is_contiguous(a);
}

bool store_take(gpa_arr *target, gpa_arr *from) {
    gpa_storage *s = target->storage, *t = from->storage;
    gpa_buf *b = s->buf;
    if (!b || !t->buf || s == t || t->refs != 1 || target->readonly || !is_whole_storage(target) ||
        !is_whole_storage(from))
        return false;
    if (target->dtype != from->dtype || s->size != t->size || b->host ||
        b->device != t->buf->device)
        return false;
    s->buf = t->buf;
    t->buf = b;
    return true;
}

/* ---- targets whose elements share memory ---- */

/* True if two elements share memory, other than by axes of stride 0. */
static bool has_overlapping_windows(const gpa_arr *a) {
    int64_t shape[GPA_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++) shape[d] = a->strides[d] ? a->shape[d] : 1;
    return !shape_is_injective(a->ndim, shape, a->strides);
}

static bool repeats_elements(const gpa_arr *a) {
    for (int d = 0; d < a->ndim; d++)
        if (a->strides[d] == 0 && a->shape[d] > 1) return true;
    return false;
}

/* Stores into a target with axes of stride 0 (broadcast_arrays): of the values for one element
 * the last stays, so only that is stored. Devices store in no order. */
static gpa_code store_last(gpa_rt *rt, gpa_arr *target, node *value, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS], start[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    const int n = target->ndim;
    gpa_arr *to = NULL;
    node *all = NULL, *last = NULL;
    gpa_code rc = GPA_OK;
    memset(step, 0, (size_t)(n * n) * sizeof *step);
    for (int d = 0; d < n; d++) {
        const bool repeated = target->strides[d] == 0;
        shape[d] = repeated ? 1 : target->shape[d];
        start[d] = repeated ? target->shape[d] - 1 : 0;
        step[d * n + d] = 1;
    }
    TRY(node_broadcast(rt, value, n, target->shape, &all, e));
    TRY(node_view(rt, all, &(node_map){n, shape, start, step}, &last, e));
    TRY(arr_view(rt, target, &(arr_layout){(gpa_dtype)target->dtype, n, shape, target->strides, 0},
                 &to, e));
    rc = store_node(rt, to, last, NULL, e);
out:
    arr_release(rt, to);
    node_release(rt, all);
    node_release(rt, last);
    return rc;
}

/* n as an array of the target's shape, in host memory that the store does not change. */
static gpa_code get_operand(gpa_rt *rt, const gpa_arr *target, node *n, gpa_dtype t, host_view *h,
                            gpa_err *e) {
    node *fit = NULL;
    gpa_arr *a = NULL, *copy = NULL;
    gpa_code rc = GPA_OK;
    TRY(cast_and_broadcast(rt, n, &(arr_spec){t, target->ndim, target->shape}, &fit, e));
    TRY(arr_of_node(rt, fit, &a, e));
    if (a->storage->buf && a->storage->buf == target->storage->buf) TRY(arr_copy(rt, a, &copy, e));
    TRY(host_view_get(rt, copy ? copy : a, h, e));
out:
    node_release(rt, fit);
    arr_release(rt, a);
    arr_release(rt, copy);
    return rc;
}

/* The axes of a target in the order in which NumPy assigns: from the largest stride to the
 * smallest, those of one stride in C order. */
static void sort_axes(const gpa_arr *a, int *axes) {
    for (int d = 0; d < a->ndim; d++) {
        int at = d;
        for (; at > 0 && llabs(a->strides[axes[at - 1]]) < llabs(a->strides[d]); at--)
            axes[at] = axes[at - 1];
        axes[at] = d;
    }
}

/* Stores in host memory, one value after another. `by_stride`: see store_result. */
static gpa_code store_in_order(gpa_rt *rt, gpa_arr *target, node *value, node *mask, bool by_stride,
                               gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)target->dtype;
    const int64_t item = (int64_t)dtype_size(t);
    const int n = target->ndim;
    int axes[GPA_MAX_DIMS];
    int64_t dense[GPA_MAX_DIMS], to[GPA_MAX_DIMS], from[GPA_MAX_DIMS], at[GPA_MAX_DIMS] = {0};
    host_view v = {"", NULL, NULL}, m = {"", NULL, NULL};
    host_target p;
    gpa_code rc = GPA_OK;
    TRY(arr_force(rt, target, CUT_STORE, e));
    TRY(get_operand(rt, target, value, t, &v, e));
    if (mask) TRY(get_operand(rt, target, mask, DT_BOOL, &m, e));
    TRY(host_target_open(rt, target, true, &p, e));
    for (int d = 0; d < n; d++) axes[d] = d;
    if (by_stride) sort_axes(target, axes);
    shape_c_strides(n, target->shape, dense);
    char *dest = p.first;
    int64_t source = 0;
    for (int i = 0; i < n; i++) {
        const int64_t last = target->shape[axes[i]] - 1;
        to[i] = target->strides[axes[i]] * item;
        from[i] = dense[axes[i]];
        if (!by_stride || to[i] >= 0) continue;
        dest += to[i] * last;
        source += from[i] * last;
        to[i] = -to[i];
        from[i] = -from[i];
    }
    for (int64_t left = target->size; left > 0; left--) {
        if (!mask || m.data[source]) memcpy(dest, v.data + source * item, (size_t)item);
        for (int i = n - 1; i >= 0; i--) {
            const int64_t extent = target->shape[axes[i]];
            dest += to[i];
            source += from[i];
            if (++at[i] < extent) break;
            dest -= to[i] * extent;
            source -= from[i] * extent;
            at[i] = 0;
        }
    }
    TRY(host_target_close(rt, &p, e));
out:
    host_view_release(rt, &v);
    host_view_release(rt, &m);
    return rc;
}

/* ---- whole arrays ---- */

gpa_code store_node(gpa_rt *rt, gpa_arr *target, node *value, node *mask, gpa_err *e) {
    fuse_root r = {.into = target};
    gpa_code rc = GPA_OK;
    if (target->readonly) return gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only");
    if (target->size == 0) return GPA_OK;
    if (has_overlapping_windows(target) || (mask && repeats_elements(target)))
        return store_in_order(rt, target, value, mask, true, e);
    if (repeats_elements(target)) return store_last(rt, target, value, e);
    if (rt->tape && (rc = tape_before_store(rt, target, e))) return rc;
    const arr_spec as = {(gpa_dtype)target->dtype, target->ndim, target->shape};
    TRY(cast_and_broadcast(rt, value, &as, &r.value, e));
    if (target->storage->node && !mask && is_whole_storage(target)) {
        /* Pending and completely overwritten: only its pending value changes. */
        rc = storage_replace(rt, target->storage, r.value, e);
        goto out;
    }
    if (mask)
        TRY(cast_and_broadcast(rt, mask, &(arr_spec){DT_BOOL, as.ndim, as.shape}, &r.mask, e));
    TRY(arr_force(rt, target, CUT_STORE, e));
    rc = run_store(rt, &r, NULL, NULL, value->owner ? value : NULL, e);
out:
    node_release(rt, r.value);
    node_release(rt, r.mask);
    return rc;
}

gpa_code store_result(gpa_rt *rt, gpa_arr *target, node *value, node *mask, gpa_err *e) {
    if (target->readonly || !target->size || !has_overlapping_windows(target))
        return store_node(rt, target, value, mask, e);
    gpa_code rc = arr_force(rt, target, CUT_STORE, e);
    if (rc) return rc;
    rt->nodes.mark++;
    return store_in_order(rt, target, value, mask,
                          depends_on_buffer(rt, value, target->storage->buf), e);
}

gpa_code store_scatter(gpa_rt *rt, gpa_arr *target, const store_scatter_args *what, gpa_err *e) {
    node *at[GPA_MAX_DIMS] = {0};
    fuse_root r = {.into = target,
                   .index = at,
                   .from = what->from,
                   .add = what->add,
                   .in_bounds = what->in_bounds,
                   .distinct = what->distinct};
    gpa_code rc = GPA_OK;
    if (target->readonly) return gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only");
    if (shape_size(what->ndim, what->shape) == 0) return GPA_OK;
    if (rt->tape && (rc = tape_before_store(rt, target, e))) return rc;
    for (int k = 0; k < target->ndim; k++)
        if (what->index[k]) at[k] = node_retain(what->index[k]);
    if (what->mask) r.mask = node_retain(what->mask);
    TRY(cast_and_broadcast(rt, what->value,
                           &(arr_spec){(gpa_dtype)target->dtype, what->ndim, what->shape}, &r.value,
                           e));
    TRY(arr_force(rt, target, CUT_STORE, e));
    rc = run_store(rt, &r, at, what->also, NULL, e);
out:
    for (int k = 0; k < target->ndim; k++) node_release(rt, at[k]);
    node_release(rt, r.value);
    node_release(rt, r.mask);
    return rc;
}
