/* Fusion.
 *
 * Nodes are placed consumers first, so when a node's turn comes all its uses are known: which step
 * uses it, at which index map. It is computed inside the steps that use it where they use it at one
 * map (or where computing it again is cheap) and the step's space allows it; else it becomes a root
 * of its own: of a step that uses it or walks the same space if it can, otherwise of a new one.
 *
 * Invariants: the steps' dependences have no cycle; `arrays + open` of a step, its arrays plus the
 * inputs not placed yet, never exceeds what a program may have, because an input can always become
 * one array.
 *
 * Reading order: collecting, uses, spaces (what a reduction asks of a step), absorbing, storing,
 * ordering. */
#include "runtime/plan/fuse.h"

#include "runtime/graph/state.h"

enum {
    MAX_NODES = 128,
    CHEAP_AGAIN = 32, /* operations that may be repeated rather than stored and read, by cost */
    CHEAP_LEAVES = 4,
    LONG_AGAIN = 1 << 23, /* so many operations in points that share elements are worth a step that
                             computes each element once, */
    LONG_AGAIN_HERE =
        1 << 18,        /* on the processor, which takes longer for them and less for a step, */
    WIDE_DIVISION = 40, /* what a division of 64-bit integers costs there, which vectors have to put
                           together, */
    SHARED_BY = 4,      /* where this many share one */
    SERIAL = 6, /* operations beside a running sum along rows, which the processor does one by one
                   and not in vectors, */
    MANY_SERIAL = 1 << 12, /* for so many elements */
    FAR = 1 << 25, /* bytes of an array whose elements, chosen in any order, are waited for one by
                      one where each index takes long, */
    FAR_INDICES = 1 << 16, /* but many at a time where the indices, so many at least, are there */
    JOIN_TRIES = 16,
    JOIN_ARRAYS = 24, /* unrelated values share a program up to so many arrays */
    FEW_OUTER = 64,   /* fewer rows than this, each longer than LONG_INNER: phases become steps */
    LONG_INNER = 1 << 16,
    SMALL_RESULT = 8 /* a result this many times smaller than what was reduced is worth keeping */
};

typedef struct {
    node *n;
    int32_t uses;  /* list */
    int32_t root;  /* -1: not needed itself */
    uint32_t cost; /* of computing an element again, from leaves */
    uint32_t leaves;
    uint32_t stamp;  /* scratch of walks down */
    bool faults;     /* computing it may end in a fault */
    bool finds;      /* it is an index of elements that are far away */
    int64_t reduced; /* the most elements that a reduction below it reads; 0: none */
} item;

/* One way a step uses a node. `under`: inside the input of a reduction; `along`: of a running one;
 * `above`: what the step computes of it. */
typedef struct {
    int32_t step, map, next;
    bool under, along;
    uint32_t above;
} use;

typedef struct {
    int arrays, open, nodes, params;
    bool last;   /* it overwrites memory: it runs last, so nothing may wait for it */
    bool native; /* its inner dimensions are dimensions of what it stores */
    bool faults; /* it may end before all is stored: what cannot fault is stored by others */
    bool seen;   /* scratch of walks over the dependences */
} tally;

struct fuse_work {
    item *item;
    size_t n_item, cap_item;
    use *use;
    size_t n_use, cap_use;
    tally *tally;
    size_t cap_tally;
    struct edge {
        int32_t reader, writer;
    } * edge;
    size_t n_edge, cap_edge;
    uint32_t stamp, stress;
};

typedef struct {
    gpa_rt *rt;
    fuse_plan *p;
    struct fuse_work *w;
    int max_arrays, max_params;
    double long_again;
    bool here; /* on the processor */
    gpa_cut why;
    gpa_err *e;
} ctx;

enum { FITS = CUT_ROWS }; /* "no reason to cut" */

/* The stress build cuts at random: no decision of this file may change a value. */
static bool stressed(ctx *c) {
#ifdef GPA_STRESS
    c->w->stress = c->w->stress * 1664525u + 1013904223u;
    return c->w->stress >> 29 == 0;
#else
    (void)c;
    return false;
#endif
}

const char *const cut_names[CUT_ROWS] = {
#define CUT(id, name, text) name,
    GPA_CUTS(CUT)
#undef CUT
};
const char *const cut_texts[CUT_ROWS] = {
#define CUT(id, name, text) text,
    GPA_CUTS(CUT)
#undef CUT
};

/* ---- collecting ---- */

static bool divides_wide(const node *n) {
    return (n->sub == OP_FLOOR_DIVIDE || n->sub == OP_REMAINDER) &&
           (n->dtype == DT_I64 || n->dtype == DT_U64);
}

static bool collect(ctx *c, node *n) {
    struct fuse_work *w = c->w;
    if (n->mark == c->rt->nodes.mark) return true;
    item x = {.n = n, .uses = -1, .root = -1};
    for (int i = 0; i < n->n_in; i++) {
        if (!collect(c, n->in[i])) return false;
        const item *in = &w->item[n->in[i]->slot];
        x.cost = MIN(x.cost + in->cost, 1u << 20);
        x.leaves = MIN(x.leaves + in->leaves, 1u << 20);
        x.reduced = MAX(x.reduced, in->reduced);
        x.faults = x.faults || in->faults;
    }
    if (n->kind == NODE_GATHER && !n->sub) x.faults = true;
    for (int i = 1; n->kind == NODE_GATHER && c->here && i < n->n_in; i++) {
        const node *index = n->in[i]->kind == NODE_VIEW ? n->in[i]->in[0] : n->in[i];
        w->item[index->slot].finds |=
            index->size >= FAR_INDICES &&
            n->in[0]->size * (int64_t)dtype_size((gpa_dtype)n->in[0]->dtype) > FAR;
    }
    if (n->kind == NODE_OP)
        x.cost += c->here && divides_wide(n) ? WIDE_DIVISION : op_info[n->sub].cost;
    if (n->kind == NODE_CAST) x.cost++;
    if (n->kind == NODE_BODY) x.cost = MIN(x.cost + n->body->cost, 1u << 20);
    if (n->kind == NODE_BUF) x.leaves = 1;
    if (n->kind == NODE_REDUCE || n->kind == NODE_SCAN) x.reduced = MAX(x.reduced, n->in[0]->size);
    if (!mem_grow(&w->item, w->n_item, &w->cap_item, sizeof *w->item)) return false;
    n->mark = c->rt->nodes.mark;
    n->slot = (int32_t)w->n_item;
    w->item[w->n_item++] = x;
    return true;
}

/* ---- uses ---- */

/* Notes that a step uses n at a map. A leaf is an array or a parameter at once; other nodes are
 * open. */
static bool add_use(ctx *c, use new, node *n) {
    struct fuse_work *w = c->w;
    item *x = &w->item[n->slot];
    tally *t = &w->tally[new.step];
    if (new.map < 0) return false;
    for (int32_t u = x->uses; u >= 0; u = w->use[u].next) {
        use *old = &w->use[u];
        if (old->step != new.step || (old->map != new.map && n->kind != NODE_SCALAR)) continue;
        old->under = old->under || new.under;
        old->along = old->along || new.along;
        old->above = MAX(old->above, new.above);
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

static int add_step(ctx *c, const node *n, gpa_cut why) {
    fuse_plan *p = c->p;
    struct fuse_work *w = c->w;
    if (!mem_grow(&p->step, p->n_step, &p->cap_step, sizeof *p->step)) return -1;
    if (!mem_grow(&w->tally, p->n_step, &w->cap_tally, sizeof *w->tally)) return -1;
    fuse_step *s = &p->step[p->n_step];
    s->ndim = n->ndim;
    for (int d = 0; d < n->ndim; d++) s->shape[d] = n->shape[d];
    s->inner = 0;
    s->each = false;
    s->why = why;
    w->tally[p->n_step] = (tally){.arrays = 1};
    return (int)p->n_step++;
}

static void follow_all(fuse_root *r, const node *n) {
    for (int d = 0; d < n->ndim; d++) r->dims[d] = (int8_t)d;
}

/* ---- spaces ---- */

static uint32_t wide_dims(const fuse_step *s) {
    uint32_t dims = 0;
    for (int d = 0; d < s->ndim; d++)
        if (s->shape[d] != 1) dims |= 1u << d;
    return dims;
}

/* The space's dimensions that n's coordinates follow one to one; false when they do not. */
static bool followed(const ctx *c, const fuse_step *s, const node *n, int map, uint32_t *dims) {
    *dims = 0;
    for (int k = 0; k < n->ndim; k++) {
        if (n->shape[k] == 1) continue;
        int d = affine_identity_dim(&c->p->maps, map, k);
        if (d < 0 || s->shape[d] != n->shape[k] || (*dims >> d & 1)) return false;
        *dims |= 1u << d;
    }
    return true;
}

/* Whether the dimensions `rest` of the space are, in order, the reduced ones of n. */
static bool same_extents(const fuse_step *s, uint32_t rest, const node *n) {
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

/* How a reduction fits into a step's space. */
typedef enum { SPACE_NO, SPACE_SAME, SPACE_NATIVE, SPACE_EXTEND } space_fit;

static space_fit fit_reduce(const ctx *c, int step, const node *n, int map, uint32_t *inner) {
    const fuse_step *s = &c->p->step[step];
    uint32_t dims;
    if (!followed(c, s, n, map, &dims)) return SPACE_NO;
    uint32_t rest = wide_dims(s) & ~dims;
    *inner = rest;
    if (s->each) return rest == s->inner && same_extents(s, rest, n) ? SPACE_SAME : SPACE_NO;
    if (rest) return same_extents(s, rest, n) ? SPACE_NATIVE : SPACE_NO;
    return s->ndim + n->in[0]->ndim <= GPA_MAX_DIMS ? SPACE_EXTEND : SPACE_NO;
}

static space_fit fit_scan(const ctx *c, int step, const node *n, int map, uint32_t *inner) {
    const fuse_step *s = &c->p->step[step];
    uint32_t dims;
    if (!followed(c, s, n, map, &dims) || dims != wide_dims(s)) return SPACE_NO;
    *inner = 1u << affine_identity_dim(&c->p->maps, map, n->ndim - 1);
    if (s->each) return *inner == s->inner ? SPACE_SAME : SPACE_NO;
    return SPACE_NATIVE;
}

static space_fit fit_space(const ctx *c, int step, const node *n, int map, uint32_t *inner) {
    if (n->kind == NODE_REDUCE) return fit_reduce(c, step, n, map, inner);
    if (n->kind == NODE_SCAN) return fit_scan(c, step, n, map, inner);
    *inner = c->p->step[step].inner;
    return SPACE_SAME;
}

/* A device cannot wait for all of a long reduction in the middle of a program that has few of them.
 */
static bool must_wait(const fuse_step *s, uint32_t inner) {
    int64_t few = 1, many = 1;
    for (int d = 0; d < s->ndim; d++) *(inner >> d & 1 ? &many : &few) *= s->shape[d];
    return few < FEW_OUTER && many > LONG_INNER;
}

static void take_space(ctx *c, int step, const node *n, int map) {
    fuse_step *s = &c->p->step[step];
    uint32_t inner;
    space_fit fit = fit_space(c, step, n, map, &inner);
    if (fit == SPACE_EXTEND) {
        const node *in = n->in[0];
        for (int a = 0; a < in->ndim; a++) {
            if (!(n->axes >> a & 1) || in->shape[a] == 1) continue;
            inner |= 1u << s->ndim;
            s->shape[s->ndim++] = in->shape[a];
        }
    }
    if (fit == SPACE_NATIVE) c->w->tally[step].native = true;
    s->inner = inner;
    s->each = s->each || n->kind == NODE_REDUCE || n->kind == NODE_SCAN;
}

int fuse_input_map(affine_table *t, const fuse_step *s, const node *n, int m) {
    if (n->kind == NODE_SCAN) return m;
    const node *in = n->in[0];
    int64_t start[GPA_MAX_DIMS] = {0}, step[GPA_MAX_DIMS * GPA_MAX_DIMS];
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

/* Whether a node may be computed inside a step at this use; else the reason to cut. */
static int fits(ctx *c, const item *x, const use *u) {
    const tally *t = &c->w->tally[u->step];
    uint32_t inner;
    if (t->nodes >= MAX_NODES) return CUT_NODES;
    if (t->arrays + t->open - 1 + x->n->n_in > c->max_arrays) return CUT_ARRAYS;
    if (t->params + 2 * x->n->n_in > c->max_params) return CUT_PARAMS;
    space_fit fit = fit_space(c, u->step, x->n, u->map, &inner);
    if (fit == SPACE_NO) return CUT_SHAPE;
    bool inside = u->under || t->native || fit == SPACE_NATIVE;
    if (x->n->kind == NODE_REDUCE && inside && fit != SPACE_EXTEND &&
        must_wait(&c->p->step[u->step], inner))
        return CUT_PHASE;
    if (x->n->kind == NODE_SCAN && u->along && !c->here && must_wait(&c->p->step[u->step], inner))
        return CUT_PHASE;
    const fuse_step *s = &c->p->step[u->step];
    bool along_rows = s->ndim && inner == 1u << (s->ndim - 1);
    uint32_t beside_scan = u->along ? x->cost : x->n->kind == NODE_SCAN ? u->above : 0;
    if (c->here && x->n->size >= MANY_SERIAL && along_rows && beside_scan > SERIAL)
        return CUT_SERIAL;
    return FITS;
}

/* The inputs of a node computed inside a step become uses of that step. */
static bool absorb(ctx *c, const item *x, use u) {
    node *n = x->n;
    tally *t = &c->w->tally[u.step];
    int map = u.map;
    t->open--;
    t->nodes++;
    take_space(c, u.step, n, map);
    u.above += x->cost;
    for (int i = 0; i < n->n_in; i++) u.above -= MIN(u.above, c->w->item[n->in[i]->slot].cost);
    if (n->kind == NODE_VIEW) map = affine_compose(&c->p->maps, map, n);
    if (n->kind == NODE_REDUCE || n->kind == NODE_SCAN) {
        map = fuse_input_map(&c->p->maps, &c->p->step[u.step], n, map);
        u.under = true;
        u.along = u.along || n->kind == NODE_SCAN;
    }
    u.map = map;
    if (n->kind == NODE_GATHER) { /* the walk over followed dimensions is an array too */
        t->arrays++;
        t->params += 2 * (n->n_in - 1);
    }
    for (int i = 0; i < n->n_in; i++)
        if (!add_use(c, u, n->in[i])) return false;
    return true;
}

/* Whether to compute a node several times: it is next to nothing, or only once per row beside the
 * main use. */
static bool is_cheap(const item *x, int times) {
    return x->reduced == 0 && x->leaves <= CHEAP_LEAVES &&
           x->cost * (uint32_t)(times - 1) <= CHEAP_AGAIN;
}

/* How often over its step's whole space a node is computed; uses at a fixed inner place do not
 * count. */
static int count_uses(const ctx *c, const item *x, bool *one_step) {
    int full = 0, rest = 0, step = -1;
    *one_step = true;
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        const use *u = &c->w->use[i];
        uint32_t inner = c->p->step[u->step].inner;
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

/* Whether a step would compute a node's elements again and again for points that share them: rows
 * that are broadcast, the parts of an array that an index names. */
static bool is_repeated(const ctx *c, const item *x) {
    if (x->cost <= CHEAP_AGAIN || x->reduced) return false;
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        const use *u = &c->w->use[i];
        const fuse_step *s = &c->p->step[u->step];
        bool inner = affine_depends_on(&c->p->maps, u->map, s->inner);
        double points = 1, size = (double)x->n->size;
        for (int d = 0; d < s->ndim; d++)
            if (inner || !(s->inner >> d & 1)) points *= (double)s->shape[d];
        if (points >= SHARED_BY * size && (points - size) * x->cost >= c->long_again) return true;
    }
    return false;
}

/* The reason why a node that nobody asked for must be stored all the same. */
static int why_cut(ctx *c, const item *x) {
    bool one_step;
    int times = count_uses(c, x, &one_step), reason = FITS;
    if (x->n->kind != NODE_VIEW && stressed(c)) return CUT_READERS;
    if (times > 1 && !is_cheap(x, times)) return CUT_READERS;
    if (is_repeated(c, x)) return CUT_AGAIN;
    if (x->finds && x->cost > CHEAP_AGAIN && !x->reduced) return CUT_FAR;
    for (int32_t i = x->uses; i >= 0 && reason == FITS; i = c->w->use[i].next) {
        reason = fits(c, x, &c->w->use[i]);
        if (reason == FITS && x->reduced && c->w->use[i].next >= 0) reason = CUT_READERS;
    }
    return reason;
}

static bool absorb_all(ctx *c, const item *x) {
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next)
        if (!absorb(c, x, c->w->use[i])) return false;
    return true;
}

/* ---- storing ---- */

/* Whether step `from` reads, at some remove, what step `to` writes. */
static bool depends(ctx *c, int from, int to) {
    if (from == to) return true;
    struct fuse_work *w = c->w;
    if (w->tally[from].seen) return false;
    w->tally[from].seen = true;
    bool found = false;
    for (size_t i = 0; i < w->n_edge && !found; i++)
        if (w->edge[i].reader == from) found = depends(c, w->edge[i].writer, to);
    return found;
}

/* Whether step g can store x although its other users run later: g must not wait for one of them.
 */
static bool no_cycle(ctx *c, const item *x, int g) {
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        int user = c->w->use[i].step;
        if (user == g) continue;
        for (size_t s = 0; c->w->n_edge && s < c->p->n_step; s++) c->w->tally[s].seen = false;
        if (c->w->n_edge && depends(c, g, user)) return false;
    }
    return true;
}

/* Whether a step that uses x at this map walks all of x exactly once: then it can store it on its
 * way. */
static bool covers(ctx *c, const item *x, const use *u, fuse_root *r) {
    const fuse_step *s = &c->p->step[u->step];
    uint32_t dims, inner;
    if (!followed(c, s, x->n, u->map, &dims) ||
        fit_space(c, u->step, x->n, u->map, &inner) == SPACE_NO)
        return false;
    uint32_t wide = wide_dims(s);
    if (dims != wide && dims != (wide & ~inner)) return false;
    for (int k = 0; k < x->n->ndim; k++)
        r->dims[k] =
            (int8_t)(x->n->shape[k] == 1 ? -1 : affine_identity_dim(&c->p->maps, u->map, k));
    return true;
}

/* A step that uses x and can store it: its number, or -1. */
static int storing_user(ctx *c, const item *x, fuse_root *r) {
    for (int32_t i = x->uses; i >= 0; i = c->w->use[i].next) {
        const use *u = &c->w->use[i];
        int times = 0, others = 0;
        bool fit = c->w->tally[u->step].faults == x->faults && fits(c, x, u) == FITS &&
                   c->w->tally[u->step].arrays + c->w->tally[u->step].open < c->max_arrays;
        for (int32_t k = x->uses; k >= 0; k = c->w->use[k].next)
            *(c->w->use[k].step == u->step ? &times : &others) += 1;
        fit = fit && !(others && c->w->tally[u->step].last) && (times == 1 || is_cheap(x, times));
        if (fit && covers(c, x, u, r) && no_cycle(c, x, u->step)) return u->step;
    }
    return -1;
}

/* The reduction or scan that x is the elementwise result of, looking down first inputs; NULL: none.
 */
static const node *reduction_of(const ctx *c, const node *n) {
    while (node_is_elementwise(n)) {
        const node *down = NULL;
        for (int i = 0; i < n->n_in && !down; i++)
            if (c->w->item[n->in[i]->slot].reduced && n->in[i]->ndim == n->ndim) down = n->in[i];
        if (!down) return NULL;
        n = down;
    }
    return n->kind == NODE_REDUCE || n->kind == NODE_SCAN ? n : NULL;
}

/* How many arrays a step would read more if it computed n too; `stamp` marks what was counted. */
static int new_arrays(ctx *c, const node *n, int step) {
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

/* Whether a step that does not use x could store it too, because it walks the same space. */
static bool shares_space(ctx *c, const item *x, int step, fuse_root *r) {
    const fuse_step *s = &c->p->step[step];
    const tally *t = &c->w->tally[step];
    const node *n = x->n, *red = reduction_of(c, n);
    uint32_t inner;
    int k = 0;
    if (!red && x->reduced) return false;
    for (int d = 0; d < s->ndim;
         d++) { /* all dimensions for elementwise values, the outer ones for reductions */
        bool reduced =
            red && red->kind == NODE_REDUCE && (s->each ? s->inner >> d & 1 : red->axes >> d & 1);
        if (reduced) continue;
        if (k == n->ndim || n->shape[k] != s->shape[d]) return false;
        r->dims[k++] = (int8_t)d;
    }
    if (k != n->ndim || t->nodes >= MAX_NODES / 2) return false;
    c->w->stamp++;
    if (t->arrays + t->open + new_arrays(c, n, step) + 1 > MIN(JOIN_ARRAYS, c->max_arrays))
        return false;
    if (!red) return true;
    int map = affine_from_dims(&c->p->maps, n->ndim, r->dims);
    if (map < 0) return false;
    space_fit fit = fit_space(c, step, red, map, &inner);
    return (fit == SPACE_SAME || fit == SPACE_NATIVE) &&
           !(s->each && must_wait(s, inner) && t->native);
}

static int joining_step(ctx *c, const item *x, fuse_root *r) {
    fuse_plan *p = c->p;
    for (size_t i = p->n_step, tries = 0; i-- > 0 && tries < JOIN_TRIES; tries++) {
        bool uses = false; /* then storing_user has refused it */
        for (int32_t k = x->uses; k >= 0; k = c->w->use[k].next)
            uses = uses || c->w->use[k].step == (int32_t)i;
        if (uses || c->w->tally[i].faults != x->faults || (x->uses >= 0 && c->w->tally[i].last))
            continue;
        if (shares_space(c, x, (int)i, r) && no_cycle(c, x, (int)i)) return (int)i;
    }
    return -1;
}

/* x is stored by step g. The step computes it at the root's map and wherever else it uses it; other
 * steps read it. */
static gpa_code store_in(ctx *c, size_t i, fuse_root r, int g) {
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
        w->tally[u.step].open--;
        w->tally[u.step].arrays++;
        if (!mem_grow(&w->edge, w->n_edge, &w->cap_edge, sizeof *w->edge))
            return gpa_no_memory(c->e);
        w->edge[w->n_edge++] = (struct edge){u.step, g};
    }
    if (used) return GPA_OK;
    w->tally[g].open++;
    return absorb(c, x, (use){.step = g, .map = map, .next = -1}) ? GPA_OK : gpa_no_memory(c->e);
}

static gpa_code store(ctx *c, size_t i, int reason) {
    const item *x = &c->w->item[i];
    fuse_root r = {.value = x->n, .storage = x->n->owner};
    if (x->root >= 0) r = c->p->root[x->root];
    bool capped = reason == CUT_NODES || reason == CUT_ARRAYS || reason == CUT_PARAMS;
    int g = capped || stressed(c) ? -1 : storing_user(c, x, &r);
    if (g < 0 && !capped && !stressed(c)) g = joining_step(c, x, &r);
    if (g < 0) {
        g = add_step(c, x->n, (gpa_cut)reason);
        if (g < 0) return gpa_no_memory(c->e);
        c->w->tally[g].faults = x->faults;
        follow_all(&r, x->n);
    } else {
        c->w->tally[g].arrays++;
    }
    return store_in(c, i, r, g);
}

/* Finds a node's place. A value that a name still holds will be wanted: a step that computes it
 * anyway stores it too. */
static gpa_code place(ctx *c, size_t i) {
    const item *x = &c->w->item[i];
    if (node_is_leaf(x->n)) return GPA_OK;
    /* A small result of a large reduction that a name still holds is kept: it may be asked for
     * next. */
    bool named = x->n->owner, kept = named && x->reduced >= SMALL_RESULT * x->n->size;
    int reason = x->root >= 0 ? (int)c->why : kept ? CUT_NEEDED : why_cut(c, x);
    if (reason == FITS && named) {
        fuse_root r = {.value = x->n, .storage = x->n->owner};
        int g = storing_user(c, x, &r);
        if (g >= 0 && !c->w->tally[g].last) {
            c->w->tally[g].arrays++;
            return store_in(c, i, r, g);
        }
    }
    if (reason == FITS) return absorb_all(c, x) ? GPA_OK : gpa_no_memory(c->e);
    return store(c, i, reason);
}

/* ---- the plan ---- */

static bool collect_root(ctx *c, const fuse_root *r) {
    if (!collect(c, r->value) || (r->mask && !collect(c, r->mask))) return false;
    for (int k = 0; r->index && k < r->into->ndim; k++)
        if (r->index[k] && !collect(c, r->index[k])) return false;
    return true;
}

/* A store, or a copy of a leaf, is a step that uses its value from the start. */
static bool begin_step(ctx *c, fuse_root *r) {
    int s = add_step(c, r->value, c->why);
    if (s < 0) return false;
    r->step = s;
    follow_all(r, r->value);
    int map = affine_from_dims(&c->p->maps, r->value->ndim, r->dims);
    use first = {.step = s, .map = map};
    if (!add_use(c, first, r->value) || (r->mask && !add_use(c, first, r->mask))) return false;
    c->w->tally[s].last = r->into != NULL;
    c->w->tally[s].faults = (r->index && !r->sure) || c->w->item[r->value->slot].faults ||
                            (r->mask && c->w->item[r->mask->slot].faults);
    if (r->index) c->w->tally[s].arrays++;
    for (int k = 0; r->index && k < r->into->ndim; k++)
        if (r->index[k] && !add_use(c, first, r->index[k])) return false;
    return true;
}

/* Steps in order: each after those it reads. */
static bool order_step(ctx *c, int32_t s) {
    fuse_plan *p = c->p;
    struct fuse_work *w = c->w;
    if (w->tally[s].seen) return true;
    w->tally[s].seen = true;
    for (size_t i = 0; i < w->n_edge; i++)
        if (w->edge[i].reader == s && !order_step(c, w->edge[i].writer)) return false;
    if (!mem_grow(&p->order, p->n_order, &p->cap_order, sizeof *p->order)) return false;
    p->order[p->n_order++] = s;
    return true;
}

gpa_code fuse(gpa_rt *rt, fuse_plan *p, const gpa_caps *caps, gpa_cut why, gpa_err *e) {
    if (!p->work && !(p->work = mem_zero(sizeof *p->work))) return gpa_no_memory(e);
    int most = KIR_MAX_ARRAYS - 8, params = 200;
    ctx c = {.rt = rt, .p = p, .w = p->work, .why = why, .e = e};
    c.max_arrays = caps->max_arrays ? MIN(most, (int)caps->max_arrays) : most;
    c.max_params = caps->max_params ? MIN(params, (int)caps->max_params) : params;
    c.here = caps->host_visible;
    c.long_again = c.here ? LONG_AGAIN_HERE : LONG_AGAIN;
    p->n_step = p->n_order = c.w->n_item = c.w->n_use = c.w->n_edge = 0;
    affine_reset(&p->maps);
    rt->nodes.mark++;
    gpa_code rc = GPA_OK;
    bool room = true;
    size_t needed = p->n_root;
    for (size_t i = 0; i < needed && room; i++) room = collect_root(&c, &p->root[i]);
    for (size_t i = 0; i < needed && room; i++) {
        fuse_root *r = &p->root[i];
        if (r->into || node_is_leaf(r->value))
            room = begin_step(&c, r);
        else
            c.w->item[r->value->slot].root = (int32_t)i;
    }
    if (!room) return gpa_no_memory(e);
    for (size_t i = c.w->n_item; i-- > 0;) TRY(place(&c, i));
    for (size_t s = 0; s < p->n_step; s++) c.w->tally[s].seen = false;
    for (int last = 0; last < 2; last++)
        for (size_t s = 0; s < p->n_step && room; s++)
            if (c.w->tally[s].last == last) room = order_step(&c, (int32_t)s);
    if (!room) rc = gpa_no_memory(e);
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
        mem_free(p->work->tally);
        mem_free(p->work->edge);
        mem_free(p->work);
    }
    *p = (fuse_plan){0};
}
