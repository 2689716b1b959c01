/* Reading from a copy instead of from the original. */
#include "runtime/graph/redirect.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/graph/state.h"

typedef struct {
    gpa_rt *rt;
    const node_copy *copy;
    node **done; /* memoized results by slot; NULL: it cannot be redirected */
    size_t n, cap;
} redirection;

/* A leaf on the original. */
static gpa_code redirect_leaf(const redirection *r, const node *a, node **out, gpa_err *e) {
    const node_copy *c = r->copy;
    int64_t first = a->map[a->ndim], last = first;
    for (int d = 0; d < a->ndim; d++)
        *(a->map[d] < 0 ? &first : &last) += a->map[d] * (a->shape[d] - 1);
    if (a->dtype != c->dtype || first < c->offset || last >= c->offset + c->size) return GPA_OK;
    const shape_layout l = {a->ndim, a->shape, a->map, a->map[a->ndim] - c->offset, 0};
    return node_buf(r->rt, c->to, c->dtype, &l, out, e);
}

static gpa_code redirect_into(redirection *r, node *a, node **out, gpa_err *e);

static gpa_code redirect_inputs(redirection *r, const node *a, node **out, gpa_err *e) {
    node *in[BODY_MAX_IN] = {0};
    bool all = true;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < a->n_in && all && !rc; i++) {
        rc = redirect_into(r, a->in[i], &in[i], e);
        all = in[i];
    }
    if (!rc && all) rc = node_like(r->rt, a, in, out, e);
    for (int i = 0; i < a->n_in; i++) node_release(r->rt, in[i]);
    return rc;
}

static gpa_code redirect_one(redirection *r, node *a, node **out, gpa_err *e) {
    *out = NULL;
    if (a->kind == NODE_BUF && a->buf == r->copy->from) return redirect_leaf(r, a, out, e);
    if (node_is_elementwise(a)) return redirect_inputs(r, a, out, e);
    if (node_is_leaf(a) || (a->kind == NODE_VIEW && a->in[0]->kind == NODE_SCALAR))
        *out = node_retain(a);
    return GPA_OK;
}

/* Memoized: nodes may be shared within the graph. */
static gpa_code redirect_into(redirection *r, node *a, node **out, gpa_err *e) {
    if (a->mark != r->rt->nodes.mark) {
        node *made;
        gpa_code rc = redirect_one(r, a, &made, e);
        if (rc) return rc;
        if (!mem_grow(&r->done, r->n, &r->cap, sizeof *r->done)) {
            node_release(r->rt, made);
            return gpa_no_memory(e);
        }
        a->mark = r->rt->nodes.mark;
        a->slot = (int32_t)r->n;
        r->done[r->n++] = made;
    }
    *out = r->done[a->slot];
    if (*out) node_retain(*out);
    return GPA_OK;
}

gpa_code node_redirect(gpa_rt *rt, node *a, const node_copy *c, node **out, gpa_err *e) {
    redirection r = {.rt = rt, .copy = c};
    rt->nodes.mark++;
    gpa_code rc = redirect_into(&r, a, out, e);
    for (size_t i = 0; i < r.n; i++) node_release(rt, r.done[i]);
    mem_free(r.done);
    return rc;
}
