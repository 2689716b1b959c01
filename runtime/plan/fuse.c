/* Fusion by a greedy backward traversal.
 *
 * Nodes are placed in reverse topological order (consumers first), so when a node is placed all its
 * uses are known: the steps that use it, and at which index map. It is computed inside these steps
 * if each uses it at one map (or recomputing it is cheap) and their iteration spaces allow it; else
 * it is a fusion barrier: it becomes a root, of a step that uses it or has the same space if
 * possible, otherwise of a new step.
 *
 * A graph of more operations than a program may have is partitioned first: its topological order is
 * cut into segments where the fewest bytes of values are live, and a step stays within a segment.
 *
 * Invariants: the dependences between steps are acyclic; `arrays + open` of a step, its arrays plus
 * the inputs not placed yet, never exceeds what a program may have, because an input can always
 * become one array.
 *
 * Reading order: fuse_collect.c (collecting, partitioning); here uses, spaces (what a reduction
 * requires of a step), absorbing, storing, the plan. */
#include "runtime/plan/fuse_work.h"

#include "runtime/graph/state.h"
#include "runtime/plan/lower.h"
#include "runtime/tables/tuning.h"

/* The stress build cuts at random: no decision of this file may change a value. */
static bool cuts_at_random(fusion *c) {
#ifdef GPA_STRESS
    c->w->stress = c->w->stress * 1664525u + 1013904223u;
    return c->w->stress >> 29 == 0;
#else
    (void)c;
    return false;
#endif
}

/* ---- uses ---- */

/* Records that a step uses n at a map. A leaf counts as an array or a parameter immediately; other
 * nodes are open until they are placed. */
static bool add_use(fusion *c, use new, node *n) {
    struct fuse_work *w = c->w;
    item *x = &w->item[n->slot];
    step_info *t = &w->step_info[new.step];
    if (new.map < 0) return false;
    for (int32_t u = x->uses; u >= 0; u = w->use[u].next) {
        use *old = &w->use[u];
        if (old->step != new.step || (old->map != new.map && n->kind != NODE_SCALAR)) continue;
        old->in_reduction = old->in_reduction || new.in_reduction;
        old->in_scan = old->in_scan || new.in_scan;
        old->guarded = old->guarded || new.guarded;
        old->cost_above = MAX(old->cost_above, new.cost_above);
        return true;
    }
    if (!mem_grow(&w->use, w->n_use, &w->cap_use, sizeof *w->use)) return false;
    new.next = x->uses;
    w->use[w->n_use] = new;
    x->uses = (int32_t)w->n_use++;
    if (n->kind == NODE_SCALAR)
        t->params++;
    else if (node_is_leaf(n))
        t->arrays++;
    else
        t->open++;
    return true;
}

static int add_step(fusion *c, const node *n, gpa_cut why) {
    fuse_plan *p = c->p;
    struct fuse_work *w = c->w;
    if (!mem_grow(&p->step, p->n_step, &p->cap_step, sizeof *p->step)) return -1;
    if (!mem_grow(&w->step_info, p->n_step, &w->cap_step_info, sizeof *w->step_info)) return -1;
    fuse_step *s = &p->step[p->n_step];
    s->ndim = n->ndim;
    for (int d = 0; d < n->ndim; d++) s->shape[d] = n->shape[d];
    s->inner = 0;
    s->each = false;
    s->why = why;
    w->step_info[p->n_step] = (step_info){.arrays = 1, .segment = w->item[n->slot].segment};
    return (int)p->n_step++;
}

static void identity_dims(fuse_root *r, const node *n) {
    for (int d = 0; d < n->ndim; d++) r->dims[d] = (int8_t)d;
}

/* ---- spaces ---- */

static gpa_axes nonunit_dims(const fuse_step *s) {
    gpa_axes dims = 0;
    for (int d = 0; d < s->ndim; d++)
        if (s->shape[d] != 1) dims |= gpa_axis(d);
    return dims;
}

/* The space's dimensions that n's coordinates map to one to one, in *dims; false: some coordinate
 * is no plain dimension. */
static bool mapped_dims(const fusion *c, const fuse_step *s, const node *n, int map,
                        gpa_axes *dims) {
    *dims = 0;
    for (int k = 0; k < n->ndim; k++) {
        if (n->shape[k] == 1) continue;
        int d = affine_identity_dim(&c->p->maps, map, k);
        if (d < 0 || s->shape[d] != n->shape[k] || (*dims >> d & 1)) return false;
        *dims |= gpa_axis(d);
    }
    return true;
}

/* True if the dimensions `rest` of the space are, in order, the reduced dimensions of n. */
static bool same_extents(const fuse_step *s, gpa_axes rest, const node *n) {
    const node *in = n->in[0];
    int d = 0;
    for (int a = 0; a < in->ndim; a++) {
        if (!(n->axes >> a & 1) || in->shape[a] == 1) continue;
        while (d < s->ndim && !(rest >> d & 1)) d++;
        if (d >= s->ndim || s->shape[d] != in->shape[a]) return false;
        d++;
    }
    return d >= s->ndim || (rest >> d) == 0;
}

/* How a reduction or scan fits into a step's space: not at all; over its inner dimensions; over
 * outer dimensions, which become inner; over dimensions that are added. */
typedef enum { SPACE_NO, SPACE_SAME, SPACE_NATIVE, SPACE_EXTEND } space_fit;

static space_fit fit_reduce(const fusion *c, int step, const node *n, int map, gpa_axes *inner) {
    const fuse_step *s = &c->p->step[step];
    gpa_axes dims;
    if (!mapped_dims(c, s, n, map, &dims)) return SPACE_NO;
    gpa_axes rest = nonunit_dims(s) & ~dims;
    *inner = rest;
    if (s->each) return rest == s->inner && same_extents(s, rest, n) ? SPACE_SAME : SPACE_NO;
    if (rest) return same_extents(s, rest, n) ? SPACE_NATIVE : SPACE_NO;
    int ndim = s->ndim; /* with the dimensions that take_space adds */
    for (int a = 0; a < n->in[0]->ndim; a++) ndim += (n->axes >> a & 1) && n->in[0]->shape[a] != 1;
    return ndim <= GPA_MAX_DIMS ? SPACE_EXTEND : SPACE_NO;
}

static space_fit fit_scan(const fusion *c, int step, const node *n, int map, gpa_axes *inner) {
    const fuse_step *s = &c->p->step[step];
    gpa_axes dims;
    if (!mapped_dims(c, s, n, map, &dims) || dims != nonunit_dims(s)) return SPACE_NO;
    *inner = gpa_axis(affine_identity_dim(&c->p->maps, map, n->ndim - 1));
    if (s->each) return *inner == s->inner ? SPACE_SAME : SPACE_NO;
    return SPACE_NATIVE;
}

static space_fit fit_space(const fusion *c, int step, const node *n, int map, gpa_axes *inner) {
    if (n->kind == NODE_REDUCE) return fit_reduce(c, step, n, map, inner);
    if (n->kind == NODE_SCAN) return fit_scan(c, step, n, map, inner);
    *inner = c->p->step[step].inner;
    return SPACE_SAME;
}

/* Many thread blocks reduce a few long rows together, and a program has no grid-wide barrier: a use
 * of the result must be in another step. */
static bool needs_grid_barrier(const fuse_step *s, gpa_axes inner) {
    int64_t rows = 1, row_length = 1;
    for (int d = 0; d < s->ndim; d++) *(inner >> d & 1 ? &row_length : &rows) *= s->shape[d];
    return rows < TUNE_FUSE_PHASE_MAX_ROWS && row_length > TUNE_FUSE_PHASE_MIN_ROW_LENGTH;
}

static void take_space(fusion *c, int step, const node *n, int map) {
    fuse_step *s = &c->p->step[step];
    gpa_axes inner;
    space_fit fit = fit_space(c, step, n, map, &inner);
    if (fit == SPACE_EXTEND) {
        const node *in = n->in[0];
        for (int a = 0; a < in->ndim; a++) {
            if (!(n->axes >> a & 1) || in->shape[a] == 1) continue;
            inner |= gpa_axis(s->ndim);
            s->shape[s->ndim++] = in->shape[a];
        }
    }
    if (fit == SPACE_NATIVE) c->w->step_info[step].native = true;
    s->inner = inner;
    s->each = s->each || n->kind == NODE_REDUCE || n->kind == NODE_SCAN;
}

int fuse_input_map(affine_table *t, const fuse_step *s, const node *n, int m) {
    if (n->kind == NODE_SCAN) return m;
    const node *in = n->in[0];
    int64_t start[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    memset(start, 0, in->ndim * sizeof *start);
    memset(step, 0, (size_t)(in->ndim * s->ndim) * sizeof *step);
    for (int a = 0, k = 0, d = 0; a < in->ndim; a++) {
        if (!(n->axes >> a & 1)) {
            start[a] = affine_start(t, m, k);
            for (int i = 0; i < s->ndim; i++) step[a * s->ndim + i] = affine_step(t, m, k, i);
            k++;
        } else if (in->shape[a] != 1) {
            while (d < s->ndim && !((s->inner >> d & 1) && s->shape[d] != 1)) d++;
            if (d < s->ndim) step[a * s->ndim + d++] = 1;
        }
    }
    return affine_make(t, in->ndim, s->ndim, start, step);
}

/* ---- absorbing ---- */

/* True if a node cannot be computed at points at which its value does not count: a gather may fault
 * there, a function may not terminate. */
static bool needs_all_points(const node *n) {
    return n->kind == NODE_GATHER || n->kind == NODE_BODY || n->kind == NODE_SCAN ||
           n->kind == NODE_REDUCE;
}

/* How many inputs of a node have one value in all elements: they are parameters. */
static int n_filled(const node *n) {
    int filled = 0;
    for (int i = 0; i < n->n_in; i++) {
        const node *in = n->in[i];
        while (in->kind == NODE_VIEW || in->kind == NODE_CAST) in = in->in[0];
        filled += in->kind == NODE_SCALAR;
    }
    return filled;
}

/* How often a step uses a node, each time at another map. */
static int uses_in_step(const fusion *c, const item *x, int step) {
    int times = 0;
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) times += c->w->use[i].step == step;
    return times;
}

/* FITS if a node may be computed inside a step at this use; else the cut reason. */
static int fits(fusion *c, const item *x, const use *u) {
    const step_info *t = &c->w->step_info[u->step];
    gpa_axes inner;
    if (u->guarded && needs_all_points(x->n)) return CUT_GUARD;
    if (t->segment != x->segment && !fuse_is_rematerialized(x)) return CUT_NODES;
    if (t->nodes >= 2 * TUNE_FUSE_MAX_NODES) return CUT_NODES;
    int operands = x->n->n_in, times = 1;
    if (x->n->kind == NODE_CONCAT) { /* each use has inputs and boundaries of its own */
        times = uses_in_step(c, x, u->step);
        operands += x->n->n_in - 1 - n_filled(x->n);
    }
    const int more = times * (operands - 1); /* none: a cut would not save an array */
    if (more > 0 && t->arrays + t->open + more > c->max_arrays) return CUT_ARRAYS;
    if (t->params + 2 * times * x->n->n_in > c->max_params) return CUT_PARAMS;
    space_fit fit = fit_space(c, u->step, x->n, u->map, &inner);
    if (fit == SPACE_NO) return CUT_SHAPE;
    bool inside = u->in_reduction || t->native || fit == SPACE_NATIVE;
    if (x->n->kind == NODE_REDUCE && inside && fit != SPACE_EXTEND &&
        needs_grid_barrier(&c->p->step[u->step], inner))
        return CUT_PHASE;
    if (x->n->kind == NODE_SCAN && u->in_scan && !c->on_host &&
        needs_grid_barrier(&c->p->step[u->step], inner))
        return CUT_PHASE;
    const fuse_step *s = &c->p->step[u->step];
    bool along_rows = s->ndim && inner == gpa_axis(s->ndim - 1);
    uint32_t cost_in_scan = u->in_scan ? x->cost : x->n->kind == NODE_SCAN ? u->cost_above : 0;
    if (c->on_host && x->n->size >= TUNE_FUSE_SCAN_MIN_ELEMS && along_rows &&
        cost_in_scan > TUNE_FUSE_SCAN_MAX_COST)
        return CUT_SERIAL;
    return FITS;
}

/* The inputs of a CONCAT that the step reaches become uses, each at its own map. */
static bool absorb_concat(fusion *c, const node *n, use u) {
    step_info *t = &c->w->step_info[u.step];
    const fuse_step *s = &c->p->step[u.step];
    concat_range r = affine_concat_range(&c->p->maps, u.map, n, s->shape, s->ndim);
    int map = u.map;
    t->arrays += r.last - r.first; /* boundaries */
    u.guarded = u.guarded || r.first < r.last;
    for (int i = r.first; i <= r.last; i++) {
        u.map = affine_shift(&c->p->maps, map, n->sub, -r.begin);
        r.begin += n->in[i]->shape[n->sub];
        if (!add_use(c, u, n->in[i])) return false;
    }
    return true;
}

/* The inputs of a node computed inside a step become uses of that step. */
static bool absorb(fusion *c, const item *x, use u) {
    node *n = x->n;
    step_info *t = &c->w->step_info[u.step];
    int map = u.map;
    t->open--;
    t->nodes++;
    take_space(c, u.step, n, map);
    u.cost_above += x->cost;
    for (int i = 0; i < n->n_in; i++)
        u.cost_above -= MIN(u.cost_above, c->w->item[n->in[i]->slot].cost);
    if (n->kind == NODE_VIEW) map = affine_compose(&c->p->maps, map, n);
    if (n->kind == NODE_REDUCE || n->kind == NODE_SCAN) {
        map = fuse_input_map(&c->p->maps, &c->p->step[u.step], n, map);
        u.in_reduction = true;
        u.in_scan = u.in_scan || n->kind == NODE_SCAN;
    }
    u.map = map;
    if (n->kind == NODE_CONCAT) return absorb_concat(c, n, u);
    if (n->kind == NODE_GATHER) { /* the offset over sliced dimensions is an array too */
        t->arrays++;
        t->params += 2 * (n->n_in - 1);
    }
    for (int i = 0; i < n->n_in; i++)
        if (!add_use(c, u, n->in[i])) return false;
    return true;
}

/* How often a node is computed over the whole space of its steps; loop-invariant uses (once per
 * row) do not count if there are others. */
static int count_uses(const fusion *c, const item *x, bool *one_step) {
    int full = 0, rest = 0, step = -1;
    *one_step = true;
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        const use *u = &c->w->use[i];
        gpa_axes inner = c->p->step[u->step].inner;
        *one_step = *one_step && (step < 0 || step == u->step);
        step = u->step;
        if (inner && x->n->size > 1 && !affine_depends_on(&c->p->maps, u->map, inner) &&
            x->reduced == 0)
            rest++;
        else
            full++;
    }
    return MAX(full, rest > 0);
}

/* True if a step would recompute a node's elements at many points that share them (a broadcast row,
 * a gathered array), at a cost that exceeds that of materializing it. */
static bool is_repeated(const fusion *c, const item *x) {
    if (x->cost <= TUNE_FUSE_RECOMPUTE_MAX_COST || x->reduced) return false;
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        const use *u = &c->w->use[i];
        const fuse_step *s = &c->p->step[u->step];
        bool inner = affine_depends_on(&c->p->maps, u->map, s->inner);
        double points = 1, size = (double)x->n->size;
        for (int d = 0; d < s->ndim; d++)
            if (inner || !(s->inner >> d & 1)) points *= (double)s->shape[d];
        if (points >= TUNE_FUSE_MATERIALIZE_MIN_SHARING * size &&
            (points - size) * x->cost >= c->min_ops_materialize)
            return true;
    }
    return false;
}

/* FITS, or the cut reason why a node that is no root must be stored. */
static int why_cut(fusion *c, const item *x) {
    bool one_step;
    int times = count_uses(c, x, &one_step), reason = FITS;
    if (x->n->kind != NODE_VIEW && cuts_at_random(c)) return CUT_READERS;
    if (times > 1 && !fuse_is_cheap(x, times)) return CUT_READERS;
    if (is_repeated(c, x)) return CUT_RECOMPUTE;
    if (x->large_gather && x->cost > TUNE_FUSE_RECOMPUTE_MAX_COST && !x->reduced) return CUT_GATHER;
    for (int32_t i = x->uses; i >= 0 && reason == FITS; i = c->w->use[i].next) {
        reason = fits(c, x, &c->w->use[i]);
        if (reason == FITS && x->reduced && c->w->use[i].next >= 0) reason = CUT_READERS;
    }
    return reason;
}

static bool absorb_all(fusion *c, const item *x) {
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next)
        if (!absorb(c, x, c->w->use[i])) return false;
    return true;
}

/* ---- storing ---- */

/* True if step `from` depends on step `to`, transitively. */
static bool depends(fusion *c, int from, int to) {
    if (from == to) return true;
    struct fuse_work *w = c->w;
    if (w->step_info[from].seen) return false;
    w->step_info[from].seen = true;
    bool found = false;
    for (size_t i = 0; i < w->n_edge && !found; i++)
        if (w->edge[i].reader == from) found = depends(c, w->edge[i].writer, to);
    return found;
}

/* True if step g can store x for x's other users without a dependence cycle: g must not depend on
 * any of them. */
static bool no_cycle(fusion *c, const item *x, int g) {
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        int user = c->w->use[i].step;
        if (user == g) continue;
        for (size_t s = 0; c->w->n_edge && s < c->p->n_step; s++) c->w->step_info[s].seen = false;
        if (c->w->n_edge && depends(c, g, user)) return false;
    }
    return true;
}

/* True if a step that uses x at this map visits every element of x once, so that it can store x. */
static bool covers(fusion *c, const item *x, const use *u, fuse_root *r) {
    const fuse_step *s = &c->p->step[u->step];
    gpa_axes dims, inner;
    if (!mapped_dims(c, s, x->n, u->map, &dims) ||
        fit_space(c, u->step, x->n, u->map, &inner) == SPACE_NO)
        return false;
    gpa_axes space_dims = nonunit_dims(s);
    if (dims != space_dims && dims != (space_dims & ~inner)) return false;
    for (int k = 0; k < x->n->ndim; k++)
        r->dims[k] =
            (int8_t)(x->n->shape[k] == 1 ? -1 : affine_identity_dim(&c->p->maps, u->map, k));
    return true;
}

/* A step that uses x and can store it: its number, or -1. */
static int storing_user(fusion *c, const item *x, fuse_root *r) {
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        const use *u = &c->w->use[i];
        int times = 0, others = 0;
        bool fit = c->w->step_info[u->step].faults == x->faults && fits(c, x, u) == FITS &&
                   c->w->step_info[u->step].arrays + c->w->step_info[u->step].open < c->max_arrays;
        for (int32_t k = x->uses; k >= 0; k = c->w->use[k].next)
            *(c->w->use[k].step == u->step ? &times : &others) += 1;
        fit = fit && !(others && c->w->step_info[u->step].last) &&
              (times == 1 || fuse_is_cheap(x, times));
        if (fit && covers(c, x, u, r) && no_cycle(c, x, u->step)) return u->step;
    }
    return -1;
}

/* The reduction or scan that n is an elementwise function of; NULL: none. */
static const node *reduction_of(const fusion *c, const node *n) {
    while (node_is_elementwise(n)) {
        const node *input = NULL;
        for (int i = 0; i < n->n_in && !input; i++)
            if (c->w->item[n->in[i]->slot].reduced && n->in[i]->ndim == n->ndim) input = n->in[i];
        if (!input) return NULL;
        n = input;
    }
    return n->kind == NODE_REDUCE || n->kind == NODE_SCAN ? n : NULL;
}

/* The number of additional arrays that a step would read if it computed n; `stamp` marks the nodes
 * that are counted. */
static int new_arrays(fusion *c, const node *n, int step) {
    item *x = &c->w->item[n->slot];
    if (x->stamp == c->w->stamp || n->kind == NODE_SCALAR) return 0;
    x->stamp = c->w->stamp;
    if (node_is_leaf(n)) {
        for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next)
            if (c->w->use[i].step == step) return 0;
        return 1;
    }
    int count = 0;
    for (int i = 0; i < n->n_in; i++) count += new_arrays(c, n->in[i], step);
    return count;
}

/* True if a step has no points: what is computed outside of reductions is then not stored. */
static bool has_no_points(const fuse_step *s) {
    for (int d = 0; d < s->ndim; d++)
        if (s->shape[d] == 0) return true;
    return false;
}

/* Horizontal fusion: whether a step that does not use x can compute and store it, since it has the
 * same iteration space. */
static bool shares_space(fusion *c, const item *x, int step, fuse_root *r) {
    const fuse_step *s = &c->p->step[step];
    const step_info *t = &c->w->step_info[step];
    const node *n = x->n, *red = reduction_of(c, n);
    gpa_axes inner;
    int k = 0;
    if (!red && x->reduced) return false;
    if (n->size && has_no_points(s)) return false;
    /* The dimensions of elementwise values are all of the step's, of reductions the outer ones. */
    for (int d = 0; d < s->ndim; d++) {
        bool reduced =
            red && red->kind == NODE_REDUCE && (s->each ? s->inner >> d & 1 : red->axes >> d & 1);
        if (reduced) continue;
        if (k == n->ndim || n->shape[k] != s->shape[d]) return false;
        r->dims[k++] = (int8_t)d;
    }
    if (k != n->ndim || t->segment != x->segment || t->nodes >= TUNE_FUSE_JOIN_MAX_NODES)
        return false;
    c->w->stamp++;
    if (t->arrays + t->open + new_arrays(c, n, step) + 1 >
        MIN(TUNE_FUSE_JOIN_MAX_ARRAYS, c->max_arrays))
        return false;
    if (!red) return true;
    int map = affine_from_dims(&c->p->maps, n->ndim, r->dims);
    if (map < 0) return false;
    space_fit fit = fit_space(c, step, red, map, &inner);
    return (fit == SPACE_SAME || fit == SPACE_NATIVE) &&
           !(s->each && needs_grid_barrier(s, inner) && t->native);
}

static int joining_step(fusion *c, const item *x, fuse_root *r) {
    fuse_plan *p = c->p;
    for (size_t i = p->n_step, tried = 0; i-- > 0 && tried < TUNE_FUSE_JOIN_TRIES; tried++) {
        bool uses = false; /* storing_user has rejected it */
        for (int32_t k = x->uses; k >= 0; k = c->w->use[k].next)
            uses = uses || c->w->use[k].step == (int32_t)i;
        if (uses || c->w->step_info[i].faults != x->faults ||
            (x->uses >= 0 && c->w->step_info[i].last))
            continue;
        if (shares_space(c, x, (int)i, r) && no_cycle(c, x, (int)i)) return (int)i;
    }
    return -1;
}

/* Step g stores x: it computes x at the root's map and at its uses of it; other steps load x. */
static gpa_code store_in(fusion *c, size_t i, fuse_root r, int g) {
    struct fuse_work *w = c->w;
    item *x = &w->item[i];
    int map = affine_from_dims(&c->p->maps, x->n->ndim, r.dims);
    bool used = false;
    r.step = g;
    if (map < 0) return gpa_no_memory(c->e);
    if (x->root < 0) {
        if (!mem_grow(&c->p->root, c->p->n_root, &c->p->cap_root, sizeof *c->p->root))
            return gpa_no_memory(c->e);
        x->root = (int32_t)c->p->n_root++;
    }
    c->p->root[x->root] = r;
    for (int32_t k = x->uses; k >= 0; k = w->use[k].next) {
        use u = w->use[k];
        if (u.step == g) {
            used = used || u.map == map;
            if (!absorb(c, x, u)) return gpa_no_memory(c->e);
            continue;
        }
        w->step_info[u.step].open--;
        w->step_info[u.step].arrays++;
        if (!mem_grow(&w->edge, w->n_edge, &w->cap_edge, sizeof *w->edge))
            return gpa_no_memory(c->e);
        w->edge[w->n_edge++] = (struct edge){u.step, g};
    }
    if (used) return GPA_OK;
    w->step_info[g].open++;
    return absorb(c, x, (use){.step = g, .map = map, .next = -1}) ? GPA_OK : gpa_no_memory(c->e);
}

static gpa_code store(fusion *c, size_t i, int reason) {
    const item *x = &c->w->item[i];
    fuse_root r = {.value = x->n, .storage = x->n->owner};
    if (x->root >= 0) r = c->p->root[x->root];
    bool too_many_operands = reason == CUT_ARRAYS || reason == CUT_PARAMS;
    int g = too_many_operands || cuts_at_random(c) ? -1 : storing_user(c, x, &r);
    if (g < 0 && !too_many_operands && !cuts_at_random(c)) g = joining_step(c, x, &r);
    if (g < 0) {
        g = add_step(c, x->n, (gpa_cut)reason);
        if (g < 0) return gpa_no_memory(c->e);
        c->w->step_info[g].faults = x->faults;
        identity_dims(&r, x->n);
    } else {
        c->w->step_info[g].arrays++;
    }
    return store_in(c, i, r, g);
}

/* Decides where a node is computed. An array may still hold the value and need it later: a step
 * that computes it for another use also stores it. */
static gpa_code place_node(fusion *c, size_t i) {
    const item *x = &c->w->item[i];
    if (node_is_leaf(x->n)) return GPA_OK;
    /* A small result of a large reduction is materialized, even at the cost of a step. */
    bool named = x->n->owner && x->n->kind != NODE_CONCAT, /* selecting again costs no more */
        small_result = named && x->reduced >= TUNE_FUSE_KEEP_MIN_REDUCTION * x->n->size;
    int reason = x->root >= 0 ? (int)c->why : small_result ? CUT_NEEDED : why_cut(c, x);
    if (reason == FITS && named) {
        fuse_root r = {.value = x->n, .storage = x->n->owner};
        int g = storing_user(c, x, &r);
        if (g >= 0 && !c->w->step_info[g].last) {
            c->w->step_info[g].arrays++;
            return store_in(c, i, r, g);
        }
    }
    if (reason == FITS) return absorb_all(c, x) ? GPA_OK : gpa_no_memory(c->e);
    return store(c, i, reason);
}

/* ---- the plan ---- */

static bool collect_root(fusion *c, const fuse_root *r) {
    if (!fuse_collect(c, r->value) || (r->mask && !fuse_collect(c, r->mask))) return false;
    for (int k = 0; r->index && k < r->into->ndim; k++)
        if (r->index[k] && !fuse_collect(c, r->index[k])) return false;
    return true;
}

/* An assignment, or a copy of a leaf, is a step of its own that uses its value. */
static bool begin_step(fusion *c, fuse_root *r) {
    int s = add_step(c, r->value, c->why);
    if (s < 0) return false;
    r->step = s;
    identity_dims(r, r->value);
    int map = affine_from_dims(&c->p->maps, r->value->ndim, r->dims);
    use first = {.step = s, .map = map};
    if (!add_use(c, first, r->value) || (r->mask && !add_use(c, first, r->mask))) return false;
    c->w->step_info[s].last = r->into != NULL;
    c->w->step_info[s].faults = (r->index && !r->in_bounds) || c->w->item[r->value->slot].faults ||
                                (r->mask && c->w->item[r->mask->slot].faults);
    if (r->index) c->w->step_info[s].arrays++;
    for (int k = 0; r->index && k < r->into->ndim; k++)
        if (r->index[k] && !add_use(c, first, r->index[k])) return false;
    return true;
}

/* Topological order of the steps (depth-first). */
static bool order_step(fusion *c, int32_t s) {
    fuse_plan *p = c->p;
    struct fuse_work *w = c->w;
    if (w->step_info[s].seen) return true;
    w->step_info[s].seen = true;
    for (size_t i = 0; i < w->n_edge; i++)
        if (w->edge[i].reader == s && !order_step(c, w->edge[i].writer)) return false;
    if (!mem_grow(&p->order, p->n_order, &p->cap_order, sizeof *p->order)) return false;
    p->order[p->n_order++] = s;
    return true;
}

gpa_code fuse(gpa_rt *rt, fuse_plan *p, const gpa_caps *caps, gpa_cut why, gpa_err *e) {
    if (!p->work && !(p->work = mem_zero(sizeof *p->work))) return gpa_no_memory(e);
    int most = KIR_MAX_ARRAYS - 8, params = LOWER_PARAMS - 24;
    fusion c = {.rt = rt, .p = p, .w = p->work, .why = why, .e = e};
    c.max_arrays = caps->max_arrays ? MIN(most, (int)caps->max_arrays) : most;
    c.max_params = caps->max_params ? MIN(params, (int)caps->max_params) : params;
    c.on_host = caps->host_visible;
    c.min_ops_materialize =
        c.on_host ? TUNE_FUSE_MATERIALIZE_MIN_OPS_HOST : TUNE_FUSE_MATERIALIZE_MIN_OPS_DEVICE;
    p->n_step = p->n_order = c.w->n_item = c.w->n_use = c.w->n_edge = 0;
    affine_reset(&p->maps);
    rt->nodes.mark++;
    gpa_code rc = GPA_OK;
    bool fits_memory = true;
    size_t needed = p->n_root;
    for (size_t i = 0; i < needed && fits_memory; i++) fits_memory = collect_root(&c, &p->root[i]);
    for (size_t i = 0; i < needed && fits_memory; i++) {
        fuse_root *r = &p->root[i];
        if (r->into || node_is_leaf(r->value))
            fits_memory = begin_step(&c, r);
        else
            c.w->item[r->value->slot].root = (int32_t)i;
    }
    if (!fits_memory || !fuse_partition(&c)) return gpa_no_memory(e);
    for (size_t i = c.w->n_item; i-- > 0;) TRY(place_node(&c, i));
    for (size_t s = 0; s < p->n_step; s++) c.w->step_info[s].seen = false;
    for (int last = 0; last < 2; last++)
        for (size_t s = 0; s < p->n_step && fits_memory; s++)
            if (c.w->step_info[s].last == last) fits_memory = order_step(&c, (int32_t)s);
    if (!fits_memory) rc = gpa_no_memory(e);
out:
    return rc;
}

void fuse_free(fuse_plan *p) {
    affine_free(&p->maps);
    mem_free(p->root);
    mem_free(p->step);
    mem_free(p->order);
    if (p->work) {
        mem_free(p->work->item);
        mem_free(p->work->use);
        mem_free(p->work->step_info);
        mem_free(p->work->edge);
        mem_free(p->work);
    }
    *p = (fuse_plan){0};
}
