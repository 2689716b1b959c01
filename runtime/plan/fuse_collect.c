/* Fusion: the nodes of a graph in topological order, and its partition into segments. */
#include "runtime/graph/state.h"
#include "runtime/plan/fuse_work.h"
#include "runtime/tables/tuning.h"

static bool divides_int64(const node *n) {
    return (n->sub == OP_FLOOR_DIVIDE || n->sub == OP_REMAINDER) &&
           (n->dtype == DT_I64 || n->dtype == DT_U64);
}

/* The loads of an element of node n from one of its inputs. Those of a broadcast value are served
 * by caches. */
static uint32_t loads_of(const node *n, const item *in) {
    return n->kind == NODE_VIEW && in->n->size < n->size ? 0 : in->leaves;
}

static bool is_broadcast_leaf(const node *n) {
    for (int d = 0; d < n->ndim; d++)
        if (n->shape[d] > 1 && n->map[d] == 0) return true;
    return false;
}

bool fuse_collect(fusion *c, node *n) {
    struct fuse_work *w = c->w;
    if (n->mark == c->rt->nodes.mark) return true;
    item x = {.n = n, .uses = -1, .root = -1};
    for (int i = 0; i < n->n_in; i++) {
        if (!fuse_collect(c, n->in[i])) return false;
        const item *in = &w->item[n->in[i]->slot];
        bool one = n->kind == NODE_CONCAT; /* a point loads one of the inputs */
        x.cost = one ? MAX(x.cost, in->cost) : MIN(x.cost + in->cost, 1u << 20);
        uint32_t loads = loads_of(n, in);
        x.leaves = one ? MAX(x.leaves, loads) : MIN(x.leaves + loads, 1u << 20);
        x.reduced = MAX(x.reduced, in->reduced);
        x.faults = x.faults || in->faults;
    }
    if (n->kind == NODE_GATHER && !n->sub) x.faults = true;
    for (int i = 1; n->kind == NODE_GATHER && c->on_host && i < n->n_in; i++) {
        const node *index = n->in[i]->kind == NODE_VIEW ? n->in[i]->in[0] : n->in[i];
        w->item[index->slot].large_gather |=
            index->size >= TUNE_FUSE_GATHER_MIN_INDICES &&
            n->in[0]->size * (int64_t)dtype_size((gpa_dtype)n->in[0]->dtype) >
                TUNE_FUSE_GATHER_MIN_SOURCE_BYTES;
    }
    if (n->kind == NODE_OP)
        x.cost +=
            c->on_host && divides_int64(n) ? TUNE_FUSE_INT64_DIVISION_COST : op_info[n->sub].cost;
    if (n->kind == NODE_CONCAT) x.cost += n->n_in - 1u; /* selects */
    if (n->kind == NODE_CAST) x.cost++;
    if (n->kind == NODE_BODY) x.cost = MIN(x.cost + n->body->cost, 1u << 20);
    if (n->kind == NODE_BUF) x.leaves = !is_broadcast_leaf(n);
    if (n->kind == NODE_REDUCE || n->kind == NODE_SCAN)
        x.reduced = MAX(x.reduced, MAX(n->in[0]->size, 1));
    if (!mem_grow(&w->item, w->n_item, &w->cap_item, sizeof *w->item)) return false;
    n->mark = c->rt->nodes.mark;
    n->slot = (int32_t)w->n_item;
    w->item[w->n_item++] = x;
    return true;
}

/* ---- partitioning ---- */

bool fuse_is_cheap(const item *x, int times) {
    return x->reduced == 0 && x->leaves <= TUNE_FUSE_RECOMPUTE_MAX_LEAVES &&
           x->cost * (uint32_t)(times - 1) <= TUNE_FUSE_RECOMPUTE_MAX_COST;
}

bool fuse_is_rematerialized(const item *x) {
    return node_is_leaf(x->n) || x->n->kind == NODE_VIEW || fuse_is_cheap(x, 2);
}

/* The memory traffic in bytes of a node that is live across segments: a store and a load, or for a
 * value that is stored in any case a load. */
static int64_t live_bytes(const item *x) {
    if (fuse_is_rematerialized(x)) return 0;
    int64_t bytes = x->n->size * (int64_t)dtype_size((gpa_dtype)x->n->dtype);
    return x->root >= 0 || x->n->owner ? bytes : 2 * bytes;
}

/* Liveness: sets live[i] to the bytes of the values that are computed up to node i and used after
 * it. */
static void count_live_bytes(fusion *c, int64_t *live) {
    struct fuse_work *w = c->w;
    for (size_t i = 0; i < w->n_item; i++) {
        w->item[i].last = (int32_t)i;
        for (int k = 0; k < w->item[i].n->n_in; k++)
            w->item[w->item[i].n->in[k]->slot].last = (int32_t)i;
    }
    for (size_t i = 0; i < w->n_item; i++) {
        int64_t bytes = live_bytes(&w->item[i]);
        live[i] += bytes;
        live[w->item[i].last] -= bytes;
    }
    for (size_t i = 1; i < w->n_item; i++) live[i] += live[i - 1];
}

bool fuse_partition(fusion *c) {
    struct fuse_work *w = c->w;
    size_t left = 0;
    for (size_t i = 0; i < w->n_item; i++) left += !node_is_leaf(w->item[i].n);
    if (left <= TUNE_FUSE_MAX_NODES) return true;
    int64_t *live = mem_zero(w->n_item * sizeof *live);
    if (!live) return false;
    count_live_bytes(c, live);
    int32_t segment = 0;
    size_t i = 0;
    for (; left > TUNE_FUSE_MAX_NODES; segment++) {
        size_t cut = i, n = 0, n_cut = 0;
        for (size_t k = i; n < TUNE_FUSE_MAX_NODES; k++) {
            n += !node_is_leaf(w->item[k].n);
            if (n < TUNE_FUSE_MAX_NODES / 2 || (n_cut && live[k] > live[cut])) continue;
            cut = k;
            n_cut = n;
        }
        while (i <= cut) w->item[i++].segment = segment;
        left -= n_cut;
    }
    while (i < w->n_item) w->item[i++].segment = segment;
    mem_free(live);
    return true;
}
