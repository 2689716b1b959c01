/* Pending matrix products: product.h. */
#include "runtime/exec/product.h"

#include "runtime/exec/buffer.h"
#include "runtime/exec/rt.h"
#include "runtime/exec/storage.h"

/* The products found (retained). */
typedef struct {
    node **at;
    size_t n, cap;
} products;

static gpa_code collect(gpa_rt *rt, node *n, products *p, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (n->mark == rt->nodes.mark) return GPA_OK;
    n->mark = rt->nodes.mark;
    if (n->kind == NODE_PRODUCT) {
        if (!mem_grow(&p->at, p->n, &p->cap, sizeof *p->at)) return gpa_no_memory(e);
        p->at[p->n++] = node_retain(n);
        return GPA_OK;
    }
    for (int i = 0; i < n->n_in && !rc; i++) rc = collect(rt, n->in[i], p, e);
    return rc;
}

/* Computes a product; its owner is computed then, and what else has the node reads a leaf. */
static gpa_code compute(gpa_rt *rt, node *n, gpa_err *e) {
    gpa_buf *b = NULL;
    if (n->kind != NODE_PRODUCT) return GPA_OK;
    gpa_code rc = rt->products.compute(rt, n, &b, e);
    if (rc) {
        if (n->owner) n->owner->failed = true;
        return rc;
    }
    gpa_storage *owner = n->owner;
    node_materialize(rt, n, b);
    if (owner)
        storage_settle(rt, owner, b);
    else
        buf_remove_owner(rt, b);
    return GPA_OK;
}

static gpa_code compute_collected(gpa_rt *rt, products *p, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < p->n; i++) {
        if (!rc) rc = compute(rt, p->at[i], e);
        node_release(rt, p->at[i]);
    }
    mem_free(p->at);
    return rc;
}

gpa_code product_compute_below(gpa_rt *rt, node *n, gpa_err *e) {
    products p = {0};
    if (!rt->products.n || !n) return GPA_OK;
    rt->nodes.mark++;
    gpa_code rc = collect(rt, n, &p, e), ran = compute_collected(rt, &p, e);
    return rc ? rc : ran;
}

gpa_code product_compute_all(gpa_rt *rt, gpa_err *e) {
    products p = {0};
    gpa_code rc = GPA_OK;
    if (!rt->products.n) return GPA_OK;
    rt->nodes.mark++;
    for (gpa_storage *s = rt->pending.next; s != &rt->pending && !rc; s = s->next)
        if (!s->failed) rc = collect(rt, s->node, &p, e);
    gpa_code ran = compute_collected(rt, &p, e);
    return rc ? rc : ran;
}
