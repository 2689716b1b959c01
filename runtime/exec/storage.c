/* Storages and the list of pending ones.
 *
 * Invariant: a storage has exactly one of node and buf. With a node it is in the list of pending
 * storages and, if it was the first with that node, is the node's owner. */
#include "runtime/exec/storage.h"

#include "runtime/exec/exec.h"
#include "runtime/exec/rt.h"
#include "runtime/exec/unused_gather.h"
#include "runtime/tables/tuning.h"

gpa_code storage_new(gpa_rt *rt, gpa_dtype t, int64_t size, gpa_storage **out, gpa_err *e) {
    gpa_storage *s = rt->free_storages;
    if (!rt->prepared) rt_prepare(rt);
    if (s)
        rt->free_storages = s->next;
    else if (!(s = mem_new(sizeof *s)))
        return gpa_no_memory(e);
    *s = (gpa_storage){.refs = 1, .dtype = (uint8_t)t, .size = size};
    *out = s;
    return GPA_OK;
}

static void unlink_pending(gpa_rt *rt, gpa_storage *s) {
    s->prev->next = s->next;
    s->next->prev = s->prev;
    s->prev = s->next = NULL;
    rt->n_pending--;
    if (s->node->owner == s) s->node->owner = NULL;
    node_release(rt, s->node);
    s->node = NULL;
}

void storage_set_node(gpa_rt *rt, gpa_storage *s, node *n) {
    s->node = node_retain(n);
    if (!n->owner && !node_is_leaf(n)) n->owner = s;
    s->prev = rt->pending.prev;
    s->next = &rt->pending;
    s->prev->next = s->next->prev = s;
    rt->n_pending++;
}

void storage_settle(gpa_rt *rt, gpa_storage *s, gpa_buf *b) {
    unlink_pending(rt, s);
    s->buf = b;
}

void storage_release(gpa_rt *rt, gpa_storage *s) {
    if (--s->refs > 0) return;
    if (s->node) unlink_pending(rt, s);
    if (s->buf) buf_remove_owner(rt, s->buf);
    s->next = rt->free_storages;
    rt->free_storages = s;
}

gpa_code storage_of_buf_take(gpa_rt *rt, gpa_buf *b, gpa_dtype t, int64_t size, gpa_storage **out,
                             gpa_err *e) {
    gpa_code rc = storage_new(rt, t, size, out, e);
    if (rc)
        buf_remove_owner(rt, b);
    else
        (*out)->buf = b;
    return rc;
}

gpa_code storage_limit_pending(gpa_rt *rt, gpa_storage *s, gpa_err *e) {
    gpa_code rc = rt->unused_gathers.n ? unused_gather_run_if_many(rt, e) : GPA_OK;
    if (rc) return rc;
    if (s->node->height >= TUNE_MAX_PENDING_HEIGHT) return exec_storages(rt, &s, 1, CUT_HEIGHT, e);
    if (rt->n_pending >= TUNE_MAX_PENDING_ARRAYS) return exec_pending(rt, CUT_NODES, e);
    uint64_t share = rt->device ? rt->device->caps.mem_total / TUNE_PENDING_MEMORY_DIVISOR : 0;
    if (rt->stats.bytes_pending > MAX(rt->pending_limit, share))
        return exec_pending(rt, CUT_MEMORY, e);
    return GPA_OK;
}

gpa_code storage_replace(gpa_rt *rt, gpa_storage *s, node *n, gpa_err *e) {
    node_retain(n);
    unlink_pending(rt, s);
    storage_set_node(rt, s, n);
    node_release(rt, n);
    return storage_limit_pending(rt, s, e);
}
