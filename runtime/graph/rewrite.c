/* Rewriting a graph from its leaves up: an elementwise node is computed again from rewritten
 * inputs. */
#include "runtime/graph/rewrite.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/graph/state.h"

typedef struct rewriting {
    gpa_rt *rt;
    /* *out: what replaces a node that is neither elementwise nor a SCALAR; left NULL: nothing does.
     */
    gpa_code (*leaf)(const struct rewriting *w, node *a, node **out, gpa_err *e);
    const void *arg; /* of the leaf rule */
    node **done;     /* memoized results by slot; NULL: it cannot be rewritten */
    size_t n, cap;
} rewriting;

static gpa_code rewrite_into(rewriting *w, node *a, node **out, gpa_err *e);

static gpa_code rewrite_inputs(rewriting *w, const node *a, node **out, gpa_err *e) {
    node *in[BODY_MAX_IN] = {0};
    bool all = true;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < a->n_in && all && !rc; i++) {
        rc = rewrite_into(w, a->in[i], &in[i], e);
        all = in[i];
    }
    if (!rc && all) rc = node_like(w->rt, a, in, out, e);
    for (int i = 0; i < a->n_in; i++) node_release(w->rt, in[i]);
    return rc;
}

static gpa_code rewrite_one(rewriting *w, node *a, node **out, gpa_err *e) {
    *out = NULL;
    if (a->kind == NODE_SCALAR) {
        *out = node_retain(a);
        return GPA_OK;
    }
    return node_is_elementwise(a) ? rewrite_inputs(w, a, out, e) : w->leaf(w, a, out, e);
}

/* Memoized: nodes may be shared within the graph. */
static gpa_code rewrite_into(rewriting *w, node *a, node **out, gpa_err *e) {
    if (a->mark != w->rt->nodes.mark) {
        node *made;
        gpa_code rc = rewrite_one(w, a, &made, e);
        if (rc) return rc;
        if (!mem_grow(&w->done, w->n, &w->cap, sizeof *w->done)) {
            node_release(w->rt, made);
            return gpa_no_memory(e);
        }
        a->mark = w->rt->nodes.mark;
        a->slot = (int32_t)w->n;
        w->done[w->n++] = made;
    }
    *out = w->done[a->slot];
    if (*out) node_retain(*out);
    return GPA_OK;
}

static gpa_code rewrite(rewriting w, node *a, node **out, gpa_err *e) {
    w.rt->nodes.mark++;
    gpa_code rc = rewrite_into(&w, a, out, e);
    for (size_t i = 0; i < w.n; i++) node_release(w.rt, w.done[i]);
    mem_free(w.done);
    return rc;
}

static bool is_repeated_scalar(const node *a) {
    return a->kind == NODE_VIEW && a->in[0]->kind == NODE_SCALAR;
}

/* ---- reshape ---- */

/* Splits both shapes into the shortest runs of dimensions with equal products: advances *i and *j
 * past one run each. */
static void next_run(const node *a, int ndim, const int64_t *shape, int *i, int *j) {
    int64_t left = *i < a->ndim ? a->shape[(*i)++] : 1, right = *j < ndim ? shape[(*j)++] : 1;
    while (left != right) {
        if (left < right)
            left *= a->shape[(*i)++];
        else
            right *= shape[(*j)++];
    }
}

/* The index map of a reshape that only splits dimensions; false when it merges some. */
static bool reshape_map(const node *a, int ndim, const int64_t *shape, int64_t *start,
                        int64_t *step) {
    memset(start, 0, (size_t)a->ndim * sizeof *start);
    memset(step, 0, (size_t)(a->ndim * ndim) * sizeof *step);
    for (int i = 0, j = 0; i < a->ndim || j < ndim;) {
        int i0 = i, j0 = j, split = -1;
        next_run(a, ndim, shape, &i, &j);
        for (int k = i0; k < i; k++) {
            if (a->shape[k] == 1) continue;
            if (split >= 0) return false;
            split = k;
        }
        int64_t stride = 1;
        for (int k = j; split >= 0 && k-- > j0;) {
            step[split * ndim + k] = stride;
            stride *= shape[k];
        }
    }
    return true;
}

typedef struct {
    int ndim;
    const int64_t *shape;
} target_shape;

/* *out stays NULL when the reshape merges dimensions. Not inlined: its 32 KB are not for every
 * level of a deep graph. */
__attribute__((noinline)) static gpa_code reshape_view(gpa_rt *rt, node *a, const target_shape *t,
                                                       node **out, gpa_err *e) {
    int64_t start[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    if (!reshape_map(a, t->ndim, t->shape, start, step)) return GPA_OK;
    return node_view(rt, a, &(node_map){t->ndim, t->shape, start, step}, out, e);
}

static gpa_code reshape_leaf(const rewriting *w, node *a, node **out, gpa_err *e) {
    const target_shape *t = w->arg;
    if (is_repeated_scalar(a)) return node_broadcast(w->rt, a->in[0], t->ndim, t->shape, out, e);
    if (a->kind != NODE_BUF && a->kind != NODE_IOTA) return reshape_view(w->rt, a, t, out, e);
    int64_t strides[GPA_MAX_DIMS];
    if (!shape_reshape_strides(a->ndim, a->shape, a->map, t->ndim, t->shape, strides))
        return GPA_OK;
    const shape_layout l = {t->ndim, t->shape, strides, a->map[a->ndim], 0};
    if (a->kind == NODE_IOTA) return node_iota(w->rt, &l, out, e);
    return node_buf(w->rt, a->buf, (gpa_dtype)a->dtype, &l, out, e);
}

gpa_code node_reshape(gpa_rt *rt, node *a, int ndim, const int64_t *shape, node **out, gpa_err *e) {
    const target_shape t = {ndim, shape};
    *out = NULL;
    if (a->size == 0) return GPA_OK;
    if (a->kind != NODE_BUF && a->kind != NODE_IOTA) {
        /* a view keeps the node, which has other readers */
        gpa_code rc = reshape_view(rt, a, &t, out, e);
        if (rc || *out) return rc;
    }
    return rewrite((rewriting){.rt = rt, .leaf = reshape_leaf, .arg = &t}, a, out, e);
}

/* ---- reading from a copy ---- */

static gpa_code redirect_leaf(const rewriting *w, node *a, node **out, gpa_err *e) {
    const node_copy *c = w->arg;
    if (a->kind != NODE_BUF || a->buf != c->from) {
        if (node_is_leaf(a) || is_repeated_scalar(a)) *out = node_retain(a);
        return GPA_OK;
    }
    int64_t first = a->map[a->ndim], last = first;
    for (int d = 0; d < a->ndim; d++)
        *(a->map[d] < 0 ? &first : &last) += a->map[d] * (a->shape[d] - 1);
    if (a->dtype != c->dtype || first < c->offset || last >= c->offset + c->size) return GPA_OK;
    const shape_layout l = {a->ndim, a->shape, a->map, a->map[a->ndim] - c->offset, 0};
    return node_buf(w->rt, c->to, c->dtype, &l, out, e);
}

gpa_code node_redirect(gpa_rt *rt, node *a, const node_copy *c, node **out, gpa_err *e) {
    return rewrite((rewriting){.rt = rt, .leaf = redirect_leaf, .arg = c}, a, out, e);
}
