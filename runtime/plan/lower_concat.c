/* Lowering of CONCAT nodes: piecewise affine index maps.
 *
 * Each boundary between two inputs is a virtual array: the coordinate along the dimension minus the
 * index of the boundary, whose sign tells the sides apart (BELOW). The value is a chain of selects.
 * An input is computed at all points; its loads are guarded (LOADIF), since at the points of other
 * inputs the index may be out of bounds. Nested CONCATs give nested guards. Boundaries are offsets
 * of arrays, so the program does not depend on extents and widths. */
#include "runtime/plan/lower_work.h"

int32_t lower_leaf_guard(const lowering *c, const node *n, int map) {
    if (c->guard < 0 || n->kind == NODE_IOTA) return -1;
    for (int k = 0; k < n->ndim; k++) {
        affine_interval r = affine_range(&c->p->maps, map, k, c->s->shape, c->s->ndim);
        if (r.lo < 0 || r.hi >= n->shape[k]) return c->guard;
    }
    return -1;
}

bool lower_guard_varies_inside(const lowering *c, int32_t at) {
    for (; at >= 0; at = c->w->guard[at].parent) {
        const guard *g = &c->w->guard[at];
        if ((g->from >= 0 && lower_varies_inside(c, g->from)) ||
            (g->to >= 0 && lower_varies_inside(c, g->to)))
            return true;
    }
    return false;
}

/* ---- visiting ---- */

static int32_t add_guard(lowering *c, const guard *g) {
    struct lower_work *w = c->w;
    for (size_t i = 0; i < w->n_guard; i++) {
        const guard *old = &w->guard[i];
        if (old->parent == g->parent && old->from == g->from && old->to == g->to &&
            old->mostly_before_from == g->mostly_before_from &&
            old->mostly_before_to == g->mostly_before_to)
            return (int32_t)i;
    }
    if (!mem_grow(&w->guard, w->n_guard, &w->cap_guard, sizeof *w->guard)) return -1;
    w->guard[w->n_guard] = *g;
    return (int32_t)w->n_guard++;
}

/* The virtual array of the boundary at index `at` along dimension `axis`. */
static int32_t add_boundary(lowering *c, int axis, int64_t at, int map) {
    int64_t unit[GPA_MAX_DIMS] = {0}, stride[GPA_MAX_DIMS];
    unit[axis] = 1;
    int64_t offset = lower_strides(c, unit, -at, map, stride);
    return lower_array(c, &(array_spec){NULL, DT_I64, KIR_VIRTUAL, 0, offset, stride, NULL, true});
}

/* The input that the most points of the space have. */
static int main_input(const lowering *c, const entry *x, int first, int last) {
    const node *n = x->n;
    int64_t begin = 0, most = -1;
    int best = first;
    affine_interval r = affine_range(&c->p->maps, x->map, n->sub, c->s->shape, c->s->ndim);
    for (int i = 0; i <= last; i++) {
        int64_t end = begin + n->in[i]->shape[n->sub];
        int64_t size = MIN(end, r.hi + 1) - MAX(begin, r.lo);
        if (i >= first && size > most) most = size, best = i;
        begin = end;
    }
    return best;
}

/* Lists the inputs' entries, then the boundaries. */
static int32_t add_concat(lowering *c, entry x, const int32_t *inputs, const int32_t *boundaries) {
    struct lower_work *w = c->w;
    x.ins = (int32_t)w->n_in;
    for (int i = 0; i < 2 * x.count - 1; i++) {
        if (!mem_grow(&w->in, w->n_in, &w->cap_in, sizeof *w->in)) return -1;
        w->in[w->n_in++] = i < x.count ? inputs[i] : boundaries[i - x.count];
    }
    return lower_entry(c, x);
}

int32_t lower_visit_concat(lowering *c, entry x) {
    const node *n = x.n;
    concat_range r = affine_concat_range(&c->p->maps, x.map, n, c->s->shape, c->s->ndim);
    int main = main_input(c, &x, r.first, r.last);
    int32_t inputs[CONCAT_MAX_INPUTS], boundaries[CONCAT_MAX_INPUTS], from = -1;
    x.main = main - r.first;
    x.count = r.last - r.first + 1;
    for (int i = r.first; i <= r.last; i++) {
        int map = affine_shift(&c->p->maps, x.map, n->sub, -r.begin);
        r.begin += n->in[i]->shape[n->sub];
        if (map < 0) return -1;
        if (x.count == 1) return lower_visit(c, n->in[i], map);
        int32_t to = i < r.last ? add_boundary(c, n->sub, r.begin, x.map) : -1;
        if (i < r.last && to < 0) return -1;
        guard g = {c->guard, from, to, from >= 0 && main < i, to >= 0 && main <= i};
        int32_t inside = add_guard(c, &g), at;
        if (inside < 0) return -1;
        c->guard = inside;
        at = lower_visit(c, n->in[i], map);
        c->guard = g.parent;
        if (at < 0) return -1;
        x.inner = x.inner || c->w->e[at].inner || lower_guard_varies_inside(c, inside);
        x.phase = MAX(x.phase, c->w->e[at].phase);
        inputs[i - r.first] = at;
        boundaries[i - r.first] = from = to;
    }
    return add_concat(c, x, inputs, boundaries);
}

/* ---- emitting ---- */

static int32_t emit_below(lowering *c, int32_t array, bool mostly) {
    return kir_emit(c->l->f, (kir_ins){.code = KIR_BELOW,
                                       .type = DT_BOOL,
                                       .sub = (uint16_t)array,
                                       .a = -1,
                                       .b = -1,
                                       .c = -1,
                                       .imm = mostly ? KIR_MOSTLY_TRUE : KIR_MOSTLY_FALSE});
}

int32_t lower_guard(lowering *c, int32_t at) {
    kir_func *f = c->l->f;
    int32_t all = -1;
    for (; at >= 0; at = c->w->guard[at].parent) {
        const guard *g = &c->w->guard[at];
        int32_t part[2] = {-1, -1};
        if (g->from >= 0)
            part[0] = kir_op1(f, OP_LOGICAL_NOT, emit_below(c, g->from, g->mostly_before_from));
        if (g->to >= 0) part[1] = emit_below(c, g->to, g->mostly_before_to);
        for (int i = 0; i < 2; i++)
            if (part[i] >= 0) all = all < 0 ? part[i] : kir_op2(f, OP_LOGICAL_AND, all, part[i]);
    }
    return all;
}

int32_t lower_emit_concat(lowering *c, const entry *x) {
    const int32_t *in = c->w->in + x->ins, *boundaries = in + x->count;
    int32_t value = lower_value(c, in[x->count - 1]);
    for (int i = x->count - 1; i-- > 0;) {
        int32_t before = lower_value(c, in[i]);
        kir_set_span(c->l->f, x->n->span);
        int32_t below = emit_below(c, boundaries[i], x->main <= i);
        value = kir_op3(c->l->f, OP_WHERE, below, before, value);
    }
    return value;
}
