/* Stores.
 *
 * Invariant: when memory is about to change, no pending array reads it any more: those that do are computed first, from the
 * old contents. The value being stored may read the target: element by element from the same place it is safe, from
 * elsewhere the value goes through a temporary.
 *
 * Reading order: readers, the store itself, whole pending arrays, scatters. */
#include "runtime/store.h"

#include "runtime/exec.h"
#include "runtime/rt.h"
#include "runtime/shape.h"

/* ---- readers ---- */

/* Whether the value of n depends on memory b. A node's slot holds the answer for this traversal. */
static bool reads(gpa_rt *rt, node *n, const gpa_buf *b) {
    if (n->mark == rt->nodes.mark) return n->slot;
    bool found = n->buf == b;
    for (int i = 0; i < n->n_in && !found; i++) found = reads(rt, n->in[i], b);
    n->mark = rt->nodes.mark;
    n->slot = found;
    return found;
}

/* Computes the pending arrays that read b. */
static gpa_code compute_readers(gpa_rt *rt, const gpa_buf *b, gpa_err *e) {
    if (!b->readers || !rt->n_pending) return GPA_OK;
    gpa_storage **found = NULL;
    size_t n = 0, cap = 0;
    gpa_code rc = GPA_OK;
    rt->nodes.mark++;
    for (gpa_storage *s = rt->pending.next; s != &rt->pending; s = s->next) {
        if (!reads(rt, s->node, b)) continue;
        if (!mem_room(&found, n, &cap, sizeof *found)) TRY(gpa_no_memory(e));
        found[n++] = s;
    }
    if (n) rc = exec_storages(rt, found, n, CUT_STORE, e);
out:
    mem_free(found);
    return rc;
}

gpa_code store_begin(gpa_rt *rt, gpa_arr *a, gpa_err *e) {
    gpa_code rc = arr_force(rt, a, CUT_STORE, e);
    if (!rc) rc = compute_readers(rt, a->storage->buf, e);
    if (!rc) a->storage->buf->version++;
    return rc;
}

/* ---- the store itself ---- */

/* Replaces *n by a computed copy of it. */
static gpa_code to_temporary(gpa_rt *rt, node **n, gpa_err *e) {
    gpa_arr *a;
    node *leaf;
    if (!*n || (*n)->kind == NODE_SCALAR) return GPA_OK;
    gpa_code rc = arr_of_node(rt, *n, &a, e);
    if (rc) return rc;
    rc = arr_force(rt, a, CUT_STORE, e);
    if (!rc) rc = arr_node(rt, a, &leaf, e);
    if (!rc) {
        node_release(rt, *n);
        *n = leaf;
    }
    arr_release(rt, a);
    return rc;
}

/* Runs a store. Owned nodes in r (value, mask, `index` as r->index) may be replaced by temporaries. */
static gpa_code run(gpa_rt *rt, fuse_root *r, node **index, gpa_err *e) {
    bool hazard;
    gpa_code rc = compute_readers(rt, r->into->storage->buf, e);
    if (!rc) rc = exec_store(rt, r, &hazard, e);
    if (rc || !hazard) goto done;
    rc = to_temporary(rt, &r->value, e);
    if (!rc) rc = to_temporary(rt, &r->mask, e);
    for (int k = 0; index && k < r->into->ndim && !rc; k++) rc = to_temporary(rt, &index[k], e);
    if (!rc) rc = exec_store(rt, r, &hazard, e);
    if (!rc && hazard) rc = gpa_fail(e, GPA_E_INTERNAL, "a store whose operands overlap it still");
done:
    if (!rc) r->into->storage->buf->version++;
    return rc;
}

/* n cast to the target's dtype and seen over `shape` (numbers become a value of that shape). */
static gpa_code fit(gpa_rt *rt, node *n, gpa_dtype t, int ndim, const int64_t *shape, node **out, gpa_err *e) {
    node *cast;
    gpa_code rc = node_cast(rt, n, t, &cast, e);
    if (rc) return rc;
    rc = node_broadcast(rt, cast, ndim, shape, out, e);
    node_release(rt, cast);
    return rc;
}

static bool is_whole(const gpa_arr *a) {
    return a->dtype == a->storage->dtype && a->offset == 0 && a->size == a->storage->size && arr_is_contiguous(a);
}

gpa_code store_node(gpa_rt *rt, gpa_arr *target, node *value, node *mask, gpa_err *e) {
    fuse_root r = {.into = target};
    gpa_code rc = GPA_OK;
    if (target->readonly) return gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only");
    if (target->size == 0) return GPA_OK;
    TRY(fit(rt, value, (gpa_dtype)target->dtype, target->ndim, target->shape, &r.value, e));
    if (target->storage->node && !mask && is_whole(target)) {
        /* Not computed yet and nothing of it stays: it simply becomes another pending value. */
        rc = storage_replace(rt, target->storage, r.value, e);
        goto out;
    }
    if (mask) TRY(fit(rt, mask, DT_BOOL, target->ndim, target->shape, &r.mask, e));
    TRY(arr_force(rt, target, CUT_STORE, e));
    rc = run(rt, &r, NULL, e);
out:
    node_release(rt, r.value);
    node_release(rt, r.mask);
    return rc;
}

gpa_code store_scatter(gpa_rt *rt, gpa_arr *target, node *const *index, const int8_t *from, int ndim, const int64_t *shape,
                       node *value, gpa_err *e) {
    node *at[GPA_MAX_DIMS] = {0};
    fuse_root r = {.into = target, .index = at, .from = from};
    gpa_code rc = GPA_OK;
    if (target->readonly) return gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only");
    if (shape_size(ndim, shape) == 0) return GPA_OK;
    for (int k = 0; k < target->ndim; k++)
        if (index[k]) at[k] = node_retain(index[k]);
    TRY(fit(rt, value, (gpa_dtype)target->dtype, ndim, shape, &r.value, e));
    TRY(arr_force(rt, target, CUT_STORE, e));
    rc = run(rt, &r, at, e);
out:
    for (int k = 0; k < target->ndim; k++) node_release(rt, at[k]);
    node_release(rt, r.value);
    return rc;
}
