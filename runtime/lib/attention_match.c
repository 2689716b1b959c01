/* Recognition of attention in the lazy graph.
 *
 * softmax(s) @ v, with softmax(s) = exp(s - max(s)) / sum(exp(s - max(s))) along the last axis, as
 * scipy.special.softmax and hand-written code have it; nodes are hash-consed, so each s, and each
 * exp(...), is one node. The scores s are a pending product under scales, added or selecting masks
 * and casts; a mask that compares generated indices is causal. Reading order: softmax, masks,
 * scores, the call. */
#include "runtime/lib/attention_match.h"

#include <math.h>

#include "runtime/exec/rt.h"
#include "runtime/libcalls.h"

/* ---- softmax ---- */

static bool is_op(const node *n, gpa_op op) { return n->kind == NODE_OP && n->sub == op; }

/* The reduction `red` of `of` along its last axis, broadcast to the shape of `of`. */
static bool is_row_reduction(const node *n, gpa_red red, const node *of) {
    if (n->kind != NODE_VIEW || n->ndim != of->ndim) return false;
    const node *r = n->in[0];
    const int last = of->ndim - 1;
    if (r->kind != NODE_REDUCE || r->sub != red || r->in[0] != of || r->axes != gpa_axis(last))
        return false;
    for (int k = 0; k < last; k++) {
        const int64_t *step = n->map + last + k * n->ndim; /* behind start[last] */
        if (n->map[k]) return false;
        for (int d = 0; d < n->ndim; d++)
            if (n->shape[d] > 1 && step[d] != (d == k)) return false;
    }
    return true;
}

/* The value that n repeats along leading dimensions; n itself if it does not. */
static node *before_broadcast(node *n) {
    while (n->kind == NODE_VIEW) {
        const node *of = n->in[0];
        const int extra = n->ndim - of->ndim;
        if (extra < 0 || of->kind == NODE_SCALAR) return n;
        for (int k = 0; k < of->ndim; k++) {
            const int64_t *step = n->map + of->ndim + k * n->ndim;
            if (n->map[k] || n->shape[k + extra] != of->shape[k]) return n;
            for (int d = 0; d < n->ndim; d++)
                if (n->shape[d] > 1 && step[d] != (d == k + extra)) return n;
        }
        n = n->in[0];
    }
    return n;
}

/* The scores whose softmax n is, or NULL. */
static node *softmax_scores(const node *n) {
    if (!is_op(n, OP_DIVIDE)) return NULL;
    const node *e = n->in[0];
    if (!is_op(e, OP_EXP) || !is_row_reduction(n->in[1], RED_SUM, e)) return NULL;
    const node *shifted = e->in[0];
    if (!is_op(shifted, OP_SUBTRACT) || !is_row_reduction(shifted->in[1], RED_MAX, shifted->in[0]))
        return NULL;
    return shifted->in[0];
}

/* ---- masks ---- */

/* The parts of the scores that were matched. */
typedef struct {
    const node *product;
    double scale;
    node *mask;             /* added, or with `selects` bool; borrowed; NULL: none */
    bool selects, inverted; /* inverted: true hides */
    bool causal;
    int64_t diagonal;
} scores;

static bool scalar_value(const node *n, double *out) {
    while (n->kind == NODE_VIEW || n->kind == NODE_CAST) n = n->in[0];
    if (n->kind != NODE_SCALAR || dtype_is_complex((gpa_dtype)n->dtype)) return false;
    *out = dtype_cast(n->v, (gpa_dtype)n->dtype, DT_F64).F64;
    return true;
}

/* An affine function of the last two indices i and j: a[0] i + a[1] j + a[2]. */
static bool affine_indices(const node *n, int64_t a[3]) {
    double value;
    while (n->kind == NODE_CAST && dtype_is_int((gpa_dtype)n->dtype)) n = n->in[0];
    memset(a, 0, 3 * sizeof *a);
    if (scalar_value(n, &value)) {
        a[2] = (int64_t)value;
        return (double)a[2] == value;
    }
    if (n->kind == NODE_OP && (n->sub == OP_ADD || n->sub == OP_SUBTRACT)) {
        int64_t b[3];
        if (!affine_indices(n->in[0], a) || !affine_indices(n->in[1], b)) return false;
        for (int i = 0; i < 3; i++) a[i] += n->sub == OP_ADD ? b[i] : -b[i];
        return true;
    }
    if (n->kind != NODE_IOTA || n->ndim < 2) return false;
    for (int d = 0; d < n->ndim - 2; d++)
        if (n->shape[d] > 1 && n->map[d]) return false;
    a[0] = n->map[n->ndim - 2];
    a[1] = n->map[n->ndim - 1];
    a[2] = n->map[n->ndim];
    return true;
}

/* True if the bool node, or with `inverted` its negation, says j <= i + *diagonal. */
static bool is_causal(node *condition, bool inverted, int64_t *diagonal) {
    const node *n = before_broadcast(condition);
    while (is_op(n, OP_LOGICAL_NOT) || is_op(n, OP_INVERT)) {
        n = before_broadcast(n->in[0]);
        inverted = !inverted;
    }
    if (n->kind != NODE_OP || n->n_in != 2) return false;
    const bool greater = n->sub == OP_GREATER || n->sub == OP_GREATER_EQUAL;
    const bool strict = n->sub == OP_GREATER || n->sub == OP_LESS;
    if (!greater && n->sub != OP_LESS && n->sub != OP_LESS_EQUAL) return false;
    int64_t a[3], b[3];
    if (!affine_indices(n->in[0], a) || !affine_indices(n->in[1], b)) return false;
    /* visible if f >= 0 */
    for (int i = 0; i < 3; i++) a[i] = greater ? a[i] - b[i] : b[i] - a[i];
    a[2] -= strict;
    if (inverted) {
        for (int i = 0; i < 3; i++) a[i] = -a[i];
        a[2]--;
    }
    *diagonal = a[2];
    return a[0] == 1 && a[1] == -1;
}

/* Notes the mask `where visible: the score, else -infinity`. False: there is one of that kind. */
static bool add_selection(scores *s, node *condition, bool inverted) {
    int64_t diagonal;
    if (!s->causal && is_causal(condition, inverted, &diagonal)) {
        s->causal = true;
        s->diagonal = diagonal;
        return true;
    }
    if (s->mask) return false;
    s->mask = condition;
    s->selects = true;
    s->inverted = inverted;
    return true;
}

/* Notes an added mask, which may be `where(condition, 0, -infinity)`. */
static bool add_mask(scores *s, node *mask) {
    double yes, no;
    const node *n = before_broadcast(mask);
    while (n->kind == NODE_CAST) n = before_broadcast(n->in[0]);
    if (is_op(n, OP_WHERE) && scalar_value(n->in[1], &yes) && scalar_value(n->in[2], &no) &&
        ((yes == 0 && no == -(double)INFINITY) || (no == 0 && yes == -(double)INFINITY)))
        return add_selection(s, n->in[0], no == 0);
    if (s->mask) return false;
    s->mask = mask;
    return true;
}

/* ---- scores ---- */

static bool contains_product(const node *n, int depth) {
    if (n->kind == NODE_PRODUCT || depth > 16) return true;
    for (int i = 0; i < n->n_in; i++)
        if (contains_product(n->in[i], depth + 1)) return true;
    return false;
}

/* Multiplies what was found inside by x; a mask inside would be scaled, too. */
static bool add_scale(scores *s, double x) {
    if (s->mask && !s->selects) return false;
    if ((s->mask || s->causal) && !(x > 0)) return false;
    s->scale *= x;
    return true;
}

/* Takes the scores apart, from the product outwards. */
static bool match_scores(node *n, scores *s, int depth) {
    double x;
    if (depth > 16) return false;
    if (n->kind == NODE_PRODUCT) {
        s->product = n;
        return true;
    }
    if (n->kind == NODE_CAST)
        return dtype_is_float((gpa_dtype)n->dtype) && dtype_is_float((gpa_dtype)n->in[0]->dtype) &&
               match_scores(n->in[0], s, depth + 1);
    if (n->kind != NODE_OP) return false;
    if (n->sub == OP_WHERE) {
        for (int i = 1; i < 3; i++)
            if (scalar_value(n->in[3 - i], &x) && x == -(double)INFINITY)
                return match_scores(n->in[i], s, depth + 1) && add_selection(s, n->in[0], i == 2);
        return false;
    }
    if (n->sub == OP_DIVIDE)
        return scalar_value(n->in[1], &x) && x != 0 && match_scores(n->in[0], s, depth + 1) &&
               add_scale(s, 1 / x);
    if (n->sub != OP_MULTIPLY && n->sub != OP_ADD) return false;
    const int inner = contains_product(n->in[0], 0) ? 0 : 1;
    node *other = n->in[1 - inner];
    if (contains_product(other, 0) || !match_scores(n->in[inner], s, depth + 1)) return false;
    if (n->sub == OP_ADD) return add_mask(s, other);
    return scalar_value(other, &x) && add_scale(s, x);
}

/* ---- the call ---- */

/* The mask as an array. */
static gpa_code mask_array(gpa_rt *rt, const scores *s, gpa_arr **out, gpa_err *e) {
    node *n = NULL, *mask = before_broadcast(s->mask);
    if (!s->inverted)
        return mask->kind == NODE_BUF ? matmul_leaf(rt, mask, out, e)
                                      : arr_of_node(rt, mask, out, e);
    gpa_code rc = node_op1(rt, OP_LOGICAL_NOT, mask, &n, e);
    if (!rc) rc = arr_of_node(rt, n, out, e);
    node_release(rt, n);
    return rc;
}

static gpa_code call(gpa_rt *rt, const scores *s, gpa_arr *v, gpa_dtype t, gpa_arr **out,
                     gpa_err *e) {
    gpa_arr *factors[2] = {NULL, NULL}, *k = NULL, *mask = NULL, *made = NULL;
    int perm[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    TRY(matmul_leaf(rt, s->product->in[0], &factors[0], e));
    TRY(matmul_leaf(rt, s->product->in[1], &factors[1], e));
    const int ndim = factors[1]->ndim;
    for (int d = 0; d < ndim; d++) perm[d] = d < ndim - 2 ? d : 2 * ndim - 3 - d;
    TRY(arr_transpose(rt, factors[1], perm, &k, e));
    if (s->mask) TRY(mask_array(rt, s, &mask, e));
    TRY(arr_attention(
        rt, &(arr_attention_operands){factors[0], k, v, mask},
        &(arr_attention_opts){.scale = s->scale, .causal = s->causal, .diagonal = s->diagonal},
        &made, e));
    rc = arr_cast(rt, made, t, false, out, e);
out:
    arr_release(rt, factors[0]);
    arr_release(rt, factors[1]);
    arr_release(rt, k);
    arr_release(rt, mask);
    arr_release(rt, made);
    return rc;
}

gpa_code attention_of_softmax(gpa_rt *rt, gpa_arr *p, gpa_arr *v, gpa_dtype t, gpa_arr **out,
                              gpa_err *e) {
    const node *n = p->storage->node;
    scores s = {.scale = 1};
    if (!n || p->ndim < 2 || v->ndim < 2 || p->dtype != n->dtype || p->ndim != n->ndim ||
        p->size != n->size || !arr_is_contiguous(p) || !dtype_is_float(t))
        return GPA_OK;
    while (n->kind == NODE_CAST && dtype_is_float((gpa_dtype)n->in[0]->dtype)) n = n->in[0];
    node *found = softmax_scores(n);
    if (!found || !match_scores(found, &s, 0) || s.product->ndim != p->ndim) return GPA_OK;
    if (s.product->dtype != t && s.product->dtype != dtype_info[t].compute)
        return GPA_OK; /* a product in less precision than the softmax */
    for (int d = 0; d < p->ndim; d++)
        if (s.product->shape[d] != p->shape[d]) return GPA_OK;
    return call(rt, &s, v, t, out, e);
}
