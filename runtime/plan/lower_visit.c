/* Lowering, first pass: one entry for each (node, index map) that a step computes, with its level
 * and phase. */
#include "runtime/plan/lower.h"

#include "runtime/plan/lower_work.h"
#include "runtime/graph/state.h"
#include "runtime/graph/shape.h"

static int32_t find(const lowering *c, const node *n, int map) {
    if (n->mark != c->rt->nodes.mark) return -1;
    for (int32_t i = n->slot; i >= 0; i = c->w->e[i].next)
        if (c->w->e[i].map == map && (c->w->e[i].guard == c->guard || c->w->e[i].guard < 0))
            return i;
    return -1;
}

int32_t lower_entry(lowering *c, entry fresh) {
    struct lower_work *w = c->w;
    if (!mem_grow(&w->e, w->n_e, &w->cap_e, sizeof *w->e)) return -1;
    node *n = fresh.n;
    bool known = n->mark == c->rt->nodes.mark;
    fresh.next = known ? n->slot : -1;
    n->mark = c->rt->nodes.mark;
    n->slot = (int32_t)w->n_e;
    w->e[w->n_e] = fresh;
    return (int32_t)w->n_e++;
}

/* The level of a leaf, and the elements of it that are read where it is guarded. */
static void limit_count(lowering *c, entry *x) {
    if (x->id < 0) return;
    x->inner = lower_varies_inside(c, x->id) || lower_guard_varies_inside(c, x->guard);
    if (x->guard >= 0) c->l->count[x->id] = MIN(c->l->count[x->id], x->n->size);
}

static int32_t visit_leaf(lowering *c, entry x) {
    int64_t stride[GPA_MAX_DIMS];
    node *n = x.n;
    if (n->kind == NODE_SCALAR) {
        x.id = lower_param(c, (gpa_dtype)n->dtype, n->v, n);
    } else {
        int64_t offset = lower_strides(c, n->map, n->map[n->ndim], x.map, stride);
        bool memory = n->kind == NODE_BUF;
        kir_where where = memory ? KIR_GLOBAL : KIR_VIRTUAL;
        x.id = lower_array(c, &(array_spec){n->buf, (gpa_dtype)n->dtype, where,
                                            memory ? KIR_READ : 0, offset, stride, NULL, false});
        limit_count(c, &x);
    }
    return x.id < 0 ? -1 : lower_entry(c, x);
}

/* The root of another step that stores this value; NULL: none, or the step has run. */
static fuse_root *root_elsewhere(const lowering *c, const node *n) {
    if (!c->l->ahead || node_is_leaf(n)) return NULL;
    for (size_t i = 0; i < c->p->n_root; i++) {
        fuse_root *r = &c->p->root[i];
        if (r->value == n && !r->into && &c->p->step[r->step] != c->s) return r;
    }
    return NULL;
}

static int32_t visit_stored_elsewhere(lowering *c, entry x, fuse_root *r) {
    int64_t strides[GPA_MAX_DIMS], stride[GPA_MAX_DIMS];
    shape_c_strides(x.n->ndim, x.n->shape, strides);
    int64_t offset = lower_strides(c, strides, 0, x.map, stride);
    x.stored_elsewhere = true;
    x.id = lower_array(c, &(array_spec){NULL, (gpa_dtype)x.n->dtype, KIR_GLOBAL, KIR_READ, offset,
                                        stride, r, false});
    limit_count(c, &x);
    return x.id < 0 ? -1 : lower_entry(c, x);
}

/* Visits inputs and lists their entries; the level and phase of x follow from theirs. */
static bool visit_inputs(lowering *c, entry *x, node *const *in, int n_in, int map) {
    struct lower_work *w = c->w;
    int32_t entries[GPA_MAX_DIMS + 2];
    for (int i = 0; i < n_in; i++) {
        if ((entries[i] = lower_visit(c, in[i], map)) < 0) return false;
        x->inner = x->inner || w->e[entries[i]].inner;
        x->phase = MAX(x->phase, w->e[entries[i]].phase);
    }
    x->ins = (int32_t)w->n_in;
    for (int i = 0; i < n_in; i++) {
        if (!mem_grow(&w->in, w->n_in, &w->cap_in, sizeof *w->in)) return false;
        w->in[w->n_in++] = entries[i];
    }
    return true;
}

/* The offset of an indexed element: the offset over the unindexed dimensions (a virtual array from
 * the start of the memory) plus the checked indices times their strides (parameters). */
static bool add_indexed(lowering *c, const shape_layout *a, const int64_t *from, int map,
                        bool in_bounds, entry *x) {
    int64_t stride[GPA_MAX_DIMS] = {0}, offset_stride[GPA_MAX_DIMS] = {0};
    for (int k = 0; k < a->ndim; k++)
        if (from[k] >= 0) offset_stride[from[k]] += a->strides[k];
    int64_t offset = lower_strides(c, offset_stride, a->offset, map, stride);
    x->base_offset =
        lower_array(c, &(array_spec){NULL, DT_I64, KIR_VIRTUAL, 0, offset, stride, NULL, false});
    x->params = (int32_t)c->l->f->n_params;
    for (int k = 0; k < a->ndim; k++) {
        if (from[k] >= 0) continue;
        if (lower_param(c, DT_I64, (gpa_val){.I64 = a->shape[k]}, NULL) < 0 ||
            lower_param(c, DT_I64, (gpa_val){.I64 = a->strides[k]}, NULL) < 0)
            return false;
    }
    c->l->faults = c->l->faults || !in_bounds;
    return x->base_offset >= 0;
}

static int32_t visit_gather(lowering *c, entry x) {
    node *n = x.n, *a = n->in[0];
    x.inner = affine_depends_on(&c->p->maps, x.map, c->s->inner);
    x.id = -1; /* of an IOTA: the offset is the element */
    if (!visit_inputs(c, &x, n->in + 1, n->n_in - 1, x.map)) return -1;
    const shape_layout source = {a->ndim, a->shape, a->map, a->map[a->ndim], 0};
    if (!add_indexed(c, &source, n->map, x.map, n->sub, &x)) return -1;
    if (a->kind == NODE_BUF) {
        static const int64_t none[GPA_MAX_DIMS];
        x.id = lower_array(c, &(array_spec){a->buf, (gpa_dtype)a->dtype, KIR_GLOBAL, KIR_READ, 0,
                                            none, NULL, false});
        if (x.id < 0) return -1;
        c->l->count[x.id] = MAX(c->l->count[x.id], MIN(a->size, n->size));
    }
    return lower_entry(c, x);
}

static int32_t visit_reduce(lowering *c, entry x) {
    node *n = x.n;
    int map = fuse_input_map(&c->p->maps, c->s, n, x.map);
    if (map < 0 || !visit_inputs(c, &x, n->in, n->n_in, map)) return -1;
    x.inner = n->kind == NODE_SCAN;
    if (n->kind == NODE_REDUCE) x.phase++;
    return lower_entry(c, x);
}

int32_t lower_visit(lowering *c, node *n, int map) {
    /* A scalar has no coordinates. */
    if (n->kind == NODE_SCALAR) map = 0;
    int32_t i = find(c, n, map);
    if (i >= 0) return i;
    entry x = {.n = n, .map = map, .guard = c->guard, .value = -1, .region = -1};
    fuse_root *stored_elsewhere = root_elsewhere(c, n);
    if (stored_elsewhere || n->kind == NODE_BUF || n->kind == NODE_IOTA)
        x.guard = lower_leaf_guard(c, n, map);
    if (n->kind == NODE_SCALAR) x.guard = -1;
    if (stored_elsewhere) return visit_stored_elsewhere(c, x, stored_elsewhere);
    switch ((node_kind)n->kind) {
        case NODE_BUF:
        case NODE_IOTA:
        case NODE_SCALAR: return visit_leaf(c, x);
        case NODE_VIEW:
            map = affine_compose(&c->p->maps, map, n);
            return map < 0 ? -1 : lower_visit(c, n->in[0], map);
        case NODE_OP:
        case NODE_CAST:
        case NODE_BODY: return visit_inputs(c, &x, n->in, n->n_in, map) ? lower_entry(c, x) : -1;
        case NODE_CONCAT: return lower_visit_concat(c, x);
        case NODE_GATHER: return visit_gather(c, x);
        case NODE_REDUCE:
        case NODE_SCAN: return visit_reduce(c, x);
        case NODE_PRODUCT:
        case NODE_KINDS: break;
    }
    return -1;
}

/* The array of a root: new memory in C order, or the assignment's target. */
static bool visit_target(lowering *c, output *o, int map) {
    fuse_root *r = o->root;
    int64_t strides[GPA_MAX_DIMS], stride[GPA_MAX_DIMS];
    const node *v = r->value;
    if (!r->into) {
        shape_c_strides(v->ndim, v->shape, strides);
        lower_strides(c, strides, 0, map, stride);
        o->array = lower_array(c, &(array_spec){NULL, (gpa_dtype)v->dtype, KIR_GLOBAL, KIR_WRITE, 0,
                                                stride, r, false});
    } else {
        int64_t offset = lower_strides(c, r->into->strides, r->into->offset, map, stride);
        uint8_t access = KIR_WRITE | (o->mask >= 0 ? KIR_READ : 0);
        o->array = lower_array(c, &(array_spec){r->into->storage->buf, (gpa_dtype)v->dtype,
                                                KIR_GLOBAL, access, offset, stride, NULL, false});
    }
    return o->array >= 0;
}

/* A scatter's target, and an entry for the offset: a GATHER without the load. */
static bool visit_scatter(lowering *c, output *o, int map) {
    fuse_root *r = o->root;
    node *index[GPA_MAX_DIMS];
    int n_in = 0;
    int64_t from[GPA_MAX_DIMS];
    entry x = {.n = r->value, .map = -1, .guard = -1, .value = -1, .region = -1};
    for (int k = 0; k < r->into->ndim; k++) {
        from[k] = r->index[k] ? -1 : r->from[k];
        if (r->index[k]) index[n_in++] = r->index[k];
    }
    gpa_arr *to = r->into;
    static const int64_t none[GPA_MAX_DIMS];
    x.inner = affine_depends_on(&c->p->maps, map, c->s->inner);
    if (!visit_inputs(c, &x, index, n_in, map)) return false;
    const shape_layout target = {to->ndim, to->shape, to->strides, to->offset, 0};
    if (!add_indexed(c, &target, from, map, r->in_bounds, &x)) return false;
    o->array = lower_array(c, &(array_spec){to->storage->buf, (gpa_dtype)to->dtype, KIR_GLOBAL,
                                            KIR_WRITE, 0, none, NULL, false});
    if (o->array < 0) return false;
    c->l->count[o->array] = r->value->size;
    o->offset = lower_entry(c, x);
    return o->offset >= 0;
}

bool lower_visit_root(lowering *c, fuse_root *r) {
    struct lower_work *w = c->w;
    output o = {.root = r, .mask = -1, .offset = -1};
    int map = affine_from_dims(&c->p->maps, r->value->ndim, r->dims);
    if (map < 0 || (o.value = lower_visit(c, r->value, map)) < 0) return false;
    if (r->mask && (o.mask = lower_visit(c, r->mask, map)) < 0) return false;
    if (r->index ? !visit_scatter(c, &o, map) : !visit_target(c, &o, map)) return false;
    o.inner = affine_depends_on(&c->p->maps, map, c->s->inner);
    const int32_t inputs[3] = {o.value, o.mask, o.offset};
    for (int i = 0; i < 3; i++) {
        if (inputs[i] < 0) continue;
        o.inner = o.inner || w->e[inputs[i]].inner;
        o.phase = MAX(o.phase, w->e[inputs[i]].phase);
    }
    if (!mem_grow(&w->out, w->n_out, &w->cap_out, sizeof *w->out)) return false;
    w->out[w->n_out++] = o;
    return true;
}
