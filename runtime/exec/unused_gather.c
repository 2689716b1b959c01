/* Queue of bounds checks for unused gathers.
 *
 * A check is the same gather from a generated array (iota), cast to bool: its program reads only
 * the indices and stores one byte each, in the gather's order, so it reports the same index. For
 * very many indices it reduces to one element instead.
 *
 * Invariant: rt->nodes.unchecked counts the gathers that are not checked, including queued checks.
 * While it is 0 nothing here costs anything. */
#include "runtime/exec/unused_gather.h"

#include "runtime/exec/exec.h"
#include "runtime/exec/rt.h"
#include "runtime/tables/tuning.h"

static gpa_code make_check(gpa_rt *rt, const node *n, node **out, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS] = {0};
    node *index[GPA_MAX_DIMS] = {0}, *iota = NULL, *gathered = NULL;
    int8_t from[GPA_MAX_DIMS];
    const node *a = n->in[0];
    gpa_code rc = GPA_OK;
    for (int k = 0, i = 1; k < a->ndim; k++) {
        from[k] = (int8_t)n->map[k];
        if (n->map[k] < 0) index[k] = n->in[i++];
    }
    TRY(node_iota(rt, &(shape_layout){a->ndim, a->shape, strides, 0, 0}, &iota, e));
    TRY(node_gather(rt, iota, &(gather_map){index, from, n->ndim, n->shape, false}, &gathered, e));
    node_bounds_checked(rt, gathered); /* it is the check itself */
    gathered->span = n->span;
    if (n->size <= TUNE_MAX_STORED_CHECK_ELEMS)
        TRY(node_cast(rt, gathered, DT_BOOL, out, e));
    else
        TRY(node_reduce(rt, RED_MAX, gathered, (UINT32_C(1) << n->ndim) - 1, out, e));
out:
    node_release(rt, iota);
    node_release(rt, gathered);
    return rc;
}

/* Queues a check, consuming the reference; false: it is queued already, or memory is short. */
static bool queue_take(gpa_rt *rt, node *check) {
    for (size_t i = 0; i < rt->unused_gathers.n; i++) {
        if (rt->unused_gathers.check[i] != check) continue;
        node_release(rt, check);
        return false;
    }
    if (!mem_grow(&rt->unused_gathers.check, rt->unused_gathers.n, &rt->unused_gathers.cap,
                  sizeof *rt->unused_gathers.check)) {
        node_release(rt, check);
        return false;
    }
    rt->unused_gathers.check[rt->unused_gathers.n++] = check;
    return true;
}

void unused_gather_keep(gpa_rt *rt, const node *n) {
    node *check;
    gpa_err quiet = {0};
    if (!rt->unused_gathers.closed && !make_check(rt, n, &check, &quiet) && queue_take(rt, check))
        rt->nodes.unchecked++;
}

gpa_code unused_gather_run(gpa_rt *rt, gpa_err *e) {
    size_t n = rt->unused_gathers.n;
    if (!n || exec_is_busy(rt)) return GPA_OK;
    node **check = rt->unused_gathers.check;
    rt->unused_gathers.check = NULL; /* running them may queue other checks */
    rt->unused_gathers.n = rt->unused_gathers.cap = 0;
    rt->nodes.unchecked -= n;
    gpa_code rc = exec_nodes(rt, check, n, CUT_UNUSED_GATHER, e);
    for (size_t i = 0; i < n; i++) node_release(rt, check[i]);
    mem_free(check);
    return rc;
}

gpa_code unused_gather_run_if_many(gpa_rt *rt, gpa_err *e) {
    return rt->unused_gathers.n < TUNE_MAX_QUEUED_CHECKS ? GPA_OK : unused_gather_run(rt, e);
}

static void drop_checks(gpa_rt *rt) {
    for (size_t i = 0; i < rt->unused_gathers.n; i++) node_release(rt, rt->unused_gathers.check[i]);
    rt->nodes.unchecked -= rt->unused_gathers.n;
    rt->unused_gathers.n = 0;
}

void unused_gather_free(gpa_rt *rt) {
    rt->unused_gathers.closed = true;
    drop_checks(rt);
    mem_free(rt->unused_gathers.check);
    rt->unused_gathers.check = NULL;
    rt->unused_gathers.cap = 0;
}

/* ---- pending gathers ---- */

static void mark_checked(gpa_rt *rt, node *n) {
    if (n->mark == rt->nodes.mark) return;
    n->mark = rt->nodes.mark;
    node_bounds_checked(rt, n);
    for (int i = 0; i < n->n_in; i++) mark_checked(rt, n->in[i]);
}

void unused_gather_dismiss(gpa_rt *rt, gpa_arr *a) {
    rt->nodes.mark++;
    if (a && a->storage->node) mark_checked(rt, a->storage->node);
}

/* Queues checks of the unchecked gathers that n depends on. */
static gpa_code queue_inputs(gpa_rt *rt, node *n, gpa_err *e) {
    node *check;
    gpa_code rc = GPA_OK;
    if (n->mark == rt->nodes.mark) return GPA_OK;
    n->mark = rt->nodes.mark;
    for (int i = 0; i < n->n_in && !rc; i++) rc = queue_inputs(rt, n->in[i], e);
    if (rc || !n->unchecked) return rc;
    if (!(rc = make_check(rt, n, &check, e)) && queue_take(rt, check)) rt->nodes.unchecked++;
    node_bounds_checked(rt, n);
    return rc;
}

/* True if n depends on a gather; marks all gathers that it depends on as suspect. During the
 * traversal a node's slot holds the result. */
static bool mark_suspects(gpa_rt *rt, node *n) {
    if (n->mark == rt->nodes.mark) return n->slot;
    bool found = n->suspect = n->kind == NODE_GATHER;
    for (int i = 0; i < n->n_in; i++) found = mark_suspects(rt, n->in[i]) || found;
    n->mark = rt->nodes.mark;
    n->slot = found;
    return found;
}

/* After an error: pending values that depend on gathers are computed only when read, so that the
 * error is reported once. */
static void defer_gathers(gpa_rt *rt) {
    rt->nodes.mark++;
    for (gpa_storage *s = rt->pending.next; s != &rt->pending; s = s->next)
        s->failed = mark_suspects(rt, s->node) || s->failed;
}

bool rt_may_raise(const gpa_rt *rt) { return rt->nodes.unchecked || exec_may_raise(rt); }

gpa_code rt_check(gpa_rt *rt, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (rt->nodes.unchecked > rt->unused_gathers.n) {
        rt->nodes.mark++;
        for (gpa_storage *s = rt->pending.next; s != &rt->pending && !rc; s = s->next)
            rc = queue_inputs(rt, s->node, e);
    }
    if (!rc) rc = unused_gather_run(rt, e);
    for (gpa_device *d = rt->devices; d && !rc && exec_may_raise(rt); d = d->next)
        if (!d->lost) rc = exec_wait(rt, d, e);
    if (rc) defer_gathers(rt);
    return rc;
}

void rt_discard_checks(gpa_rt *rt) {
    drop_checks(rt);
    defer_gathers(rt);
}
